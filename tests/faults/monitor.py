#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`spanloom monitor`: its file whatever happens, clocks, who is counted, what people see.

Machines that are not here are in monitor_machines.py, what fails in monitor_failing.py, figures against those of other programs in
tests/peers/monitor.py, texts of
/proc in tests/unit/test_sampler.c.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from monitors import *  # noqa

# ---- the file

@test
def alone_until_it_is_told_to_end():
    p = start(*FAST)
    file = wait_for(p, 5)
    err = stop(p, signal.SIGINT)
    check(re.search(r"^\d+ samples? in spanloom-monitor\.", err, re.M) and "CPU" in err, err)
    head, *rest, end = lines(file)
    equal(os.path.basename(file), f"spanloom-monitor.{head['host']}.{p.pid}.jsonl")
    equal((head["mode"], head["interval_s"], head["pid"]), ("node", 0.02, p.pid))
    equal((end["why"], end["signal"]), ("signal", 2))
    ss = of(rest, "sample")
    equal(end["kept"], len(ss))
    equal([s["n"] for s in ss], sorted({s["n"] for s in ss}))
    for a, b in zip(ss, ss[1:]):
        for key, value in a.items():
            if key.startswith(("disk_io_", "net_io_", "cpu_busy", "cpu_capacity", "forks", "context_", "pressure_", "cost_")):
                check(b[key] >= value, f"{key} went from {value} to {b[key]}")
        check(b["timestamp"] > a["timestamp"] and b["uptime_s"] > a["uptime_s"])
    check(abs(ss[-1]["timestamp"] - time.time()) < 600 and abs(ss[-1]["timestamp"] - head["boot_time"] - ss[-1]["uptime_s"]) < 1)


@test
def killed():
    """kill -9 at any moment: all lines are whole but at most the last, and there is no end."""
    for n in (1, 7, 12):
        p = start("--interval", "10ms", "--max-length", 4)
        wait_for(p, min(n, 2))
        file = file_of(p)
        until(lambda: p.poll() is not None or max([s["n"] for s in samples(file)], default=0) >= n, "samples")
        p.kill()
        p.wait()
        records = lines(file, whole=False)
        equal(records[0]["record"], "monitor")
        check(len(of(records, "sample")) <= 4 and not of(records, "end"))
        for name in os.listdir(path()):
            os.remove(path(name))


def append_perf_metrics(max_length, reports):
    """The seed's; and how many of them were needed."""
    max_length = (max_length // 2 + max_length % 2) * 2
    kept, freqs, needed = [], 1, 0
    for counter in range(1, reports + 1):
        if counter % freqs:
            continue
        needed += 1
        kept.append(counter)
        if len(kept) > max_length:
            kept = [kept[i] for i in range(0, max_length, 2)]
            freqs *= 2
    return kept, needed


@cases(2, 3, 10)
def at_most_so_many_samples(length):
    p = start("--interval", "10ms", "--max-length", length, "--no-gpu")
    file = wait_for(p, 1)
    most, whole = 0, 0
    while p.poll() is None:  # whenever one looks, it is a whole file
        records = lines(file, False)
        equal(records[0]["record"], "monitor")
        ss = of(records, "sample")
        most, whole = max(most, len(ss)), whole + 1
        if ss and ss[-1]["n"] > 12 * length:
            break
    stop(p)
    head, *rest, end = lines(file)
    length += length % 2
    got = [s["n"] for s in of(rest, "sample")]
    check(most <= length and len(got) <= length, most, got)
    equal(head["max_length"], length)
    every = round(end["interval_s_now"] / 0.01)
    check(every >= 8 and every & (every - 1) == 0, every)
    elapsed = round((end["uptime_s"] - head["uptime_s"]) / 0.01 - 0.5)
    wanted, needed = append_perf_metrics(length, elapsed)
    missed = needed - end["taken"]  # the machine was busy
    check(missed or got == wanted, f"{got}, not {wanted}")
    note(f"{whole} looks at it, {missed} samples missed")


@test
def a_stream():
    p = start("--interval", "10ms", "--stream", "--no-gpu")
    file = wait_for(p, 30)
    stop(p)
    head, *rest, end = lines(file)
    check("max_length" not in head and len(of(rest, "sample")) == end["taken"] >= 30)
    r, w = os.pipe()
    p = start("--interval", "10ms", "-o", "-", stdout=w)
    os.close(w)
    with os.fdopen(r) as f:
        got = [json.loads(f.readline())["record"] for _ in range(5)]
    equal(got[:1], ["monitor"])
    equal(p.wait(PATIENCE), 0, "whose reader has gone")
    equal([n for n in os.listdir(path()) if str(p.pid) in n], [])


@cases(("monitors", True), ("m.txt", True), ("m.jsonl", False), ("folder/", False), ("there.d", False))
def a_name_that_import_does_not_look_for(name, said):
    """What a folder holds is found by names."""
    os.mkdir(path("there.d"))
    r = spanloom("monitor", "-o", path(name), "true")
    check((f"{path(name)}: import finds files called NAME.jsonl in a folder" in r.err) == said, name, r.err)
    check("import finds" not in spanloom("monitor", "--quiet", "-o", path("quiet"), "true").err, name)
    found = spanloom("import", "-d", "m.db", path(), code=None).out
    check(bool(re.search(r"(?m)^monitor ", found)) != said, name, found)
    spanloom("import", "-d", "m.db", path(name))
    equal(query(path("m.db"), "SELECT count(*) FROM spans WHERE type = 'node'"), [(1,)])


@test
def files_that_are_there():
    os.mkdir(path("folder"))
    write(path("there"), "precious")
    r = spanloom("monitor", "-o", path("there"), "touch", path("run"), code=125)
    check("is there already" in r.err and "--output DIRECTORY" in r.err, r.err)
    check(not os.path.exists(path("run")) and open(path("there")).read() == "precious")
    for _ in range(2):
        spanloom("monitor", "-o", path("folder"), "true")
    spanloom("monitor", "-o", path("folder/"), "true")
    equal(len(os.listdir(path("folder"))), 3)
    for _ in range(2):
        spanloom("monitor", "-o", "new/", "true")
    equal(len(os.listdir(path("new"))), 2)
    shutil.rmtree(path("new"))
    r = spanloom("monitor", "-o", path("none/x"), "true", code=125)
    check("No such file or directory" in r.err, r.err)
    r = spanloom("monitor", "-o", "-", "true", code=2)
    check("standard output is that of the command" in r.err, r.err)
    spanloom("monitor", "no-such-command", code=(126, 127))  # 126: PATH has a folder that is not for us
    equal(sorted(os.listdir(path())), ["folder", "there"], "of a command that cannot be run no file is left")


@test
def the_same_name_again():
    """In a container each monitor may have the same number."""
    script = f"for i in 1 2 3; do {PROGRAM} monitor --quiet true; done"
    inside = namespace("-p", "-f", "--mount-proc")
    for _ in range(2):
        subprocess.run([*inside, "sh", "-c", script], cwd=path(), env=environment(), check=True)
    names = os.listdir(path())
    equal(len(names), 6, names)
    for n in names:
        equal(lines(path(n))[-1]["why"], "command")


@test
def a_host_whose_name_is_a_path():
    subprocess.run([*namespace("-u"), "sh", "-c", f"echo ../a/b >/proc/sys/kernel/hostname; exec {PROGRAM} monitor --quiet true"], cwd=path(),
                   env=environment(), check=True)
    name, = os.listdir(path())
    check(name.startswith("spanloom-monitor..._a_b."), name)
    equal(lines(path(name))[0]["host"], "../a/b")


# ---- clocks

@test
def a_clock_that_is_set_and_a_machine_that_sleeps():
    library = compiled("clocks.c", "-shared", "-fPIC")
    write(path("times"), "0 0")

    def set_clocks(text):
        write(path("times.new"), text)
        os.rename(path("times.new"), path("times"))

    p = start(*FAST, env={"LD_PRELOAD": library, "CLOCKS": path("times"), "ASAN_OPTIONS": "verify_asan_link_order=0"})
    file = wait_for(p, 3)
    set_clocks("-3600 0")
    n = len(samples(file))
    until(lambda: len(samples(file)) >= n + 3, "samples")
    set_clocks("-3600 500")
    until(lambda: samples(file)[-1]["n"] > 500 / 0.02, "samples after the sleep")
    stop(p)
    head, *rest, end = lines(file)
    check(abs(end["clock_steps_s"] + 3600) < 0.1, end)
    check(abs(end["suspended_s"] - 500) < 0.1, end)
    ss = of(rest, "sample")
    steps = [(b["timestamp"] - a["timestamp"], b["uptime_s"] - a["uptime_s"], b["interval_s"]) for a, b in zip(ss, ss[1:])]
    equal(len([x for x in steps if x[0] < -3500]), 1, "the clock went back once")
    equal(len([x for x in steps if x[1] > 400]), 1, "it slept once")
    check(all(x[1] > 0 and 0 < x[2] < 100 for x in steps), "uptime never jumps but by sleep, and intervals have none of it", steps)


# ---- who is counted

def tree_cpu(record):
    return record["cpu_user_s"] + record["cpu_system_s"]


def run_and_compare(script, *options, shell="bash"):
    """The CPU time of a command as the monitor has it, and as wait4() of the monitor tells it."""
    with open(path("script"), "w") as f:
        f.write(script)
    p = start(*options, "-o", path("m.jsonl"), "--quiet", shell, path("script"))
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    equal(p.returncode, 0, p.stderr.read())
    records = lines(path("m.jsonl"))
    end = records[-1]
    # usage: of the monitor, and of what it waited for
    want = usage.ru_utime + usage.ru_stime - end["cost_cpu_s"]
    got = tree_cpu(of(records, "tree")[-1])
    return records, got, want


@test
def a_storm_of_short_children():
    """None of them lives for two readings; the shell waits for them."""
    records, got, want = run_and_compare("for i in {1..300}; do /bin/true; done", "--interval", "100ms")
    check(abs(got - want) < 0.03, f"{got} s, not {want}")
    tree = of(records, "tree")[-1]
    check(tree["processes"] == 0 and tree["threads"] == 0, tree)
    note(f"{got:.3f} s of 300 children, wait4 says {want:.3f}")


@test
def orphans():
    """Their parents end before them; then they are the monitor's children."""
    script = "for i in 1 2 3 4; do (" + sys.executable + " -c '" + BURN.format(0.05).replace("\n", "\n") + "' & ) ; done\n" \
        "while pgrep -f 'process_time[(]' -P $PPID >/dev/null; do read -t 0.01 <> <(:); done; true\n"
    records, got, want = run_and_compare(script, "--interval", "50ms")
    check(got >= 0.2 and abs(got - want) < 0.03, f"{got} s, not {want}")


@test
def children_that_nobody_waits_for():
    """The kernel gives their times to nobody; what was seen of them stays."""
    script = f"import os, signal, subprocess, sys, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n" \
        f"for i in range(3):\n    p = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, '-c', {BURN.format(0.3)!r}])\n" \
        "    while os.path.exists(f'/proc/{p}'): time.sleep(0.01)\n"
    records, got, waited = run_and_compare(script, "--interval", "20ms", shell=sys.executable)
    check(waited < 0.5, f"wait4 knows only of {waited} s")
    check(got > 0.75, f"{got} s of 0.9 and more")
    totals = [tree_cpu(r) for r in of(records, "tree")]
    equal(totals, sorted(totals), "it never goes back")


@test
def a_process_that_is_watched():
    """By --pid: what it used before does not count, nor what its children did; that of a child between does."""
    script = BURN.format(0.3) + "print('ready', flush=True)\ninput()\nimport subprocess, sys, resource\n" \
        "a = resource.getrusage(resource.RUSAGE_SELF)\n" + \
        f"subprocess.run([sys.executable, '-c', {BURN.format(0.2)!r}])\n" + BURN.format("0.2") + \
        "b = resource.getrusage(resource.RUSAGE_SELF); c = resource.getrusage(resource.RUSAGE_CHILDREN)\n" \
        "print(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime + c.ru_utime + c.ru_stime, flush=True)\ninput()\n"
    target = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    equal(target.stdout.readline(), "ready\n")
    p = start(*FAST, "--pid", target.pid)
    file = wait_for(p, 1)
    target.stdin.write("\n"), target.stdin.flush()
    want = float(target.stdout.readline())
    n = len(samples(file))
    until(lambda: len(samples(file)) >= n + 2, "two more samples")
    target.stdin.write("\n"), target.stdin.flush()
    target.wait()
    equal(p.wait(PATIENCE), 0)
    records = lines(file)
    equal(records[-1]["why"], "process")
    equal((records[0]["mode"], records[0]["target_pid"], records[0]["command"][:2]), ("pid", target.pid, [sys.executable, "-c"]))
    tree = [r for r in of(records, "tree") if r["processes"]][-1]
    check(abs(tree_cpu(tree) - want) <= 4 * TICK, f"{tree_cpu(tree)} s, not {want}")
    mine = {(r["pid"], r["start"]) for r in of(records, "process") if r["pid"] == target.pid}
    equal(len(mine), 1, "it has one name in all records")
    with open(f"/proc/{os.getpid()}/stat") as f:
        check(abs(mine.pop()[1] - records[0]["target_start"]) < 0.011)


@test
def a_process_that_is_not_there():
    p = subprocess.Popen(["true"])
    p.wait()
    r = spanloom("monitor", "--pid", p.pid, code=1)
    check(f"there is no process {p.pid}" in r.err, r.err)
    equal(os.listdir(path()), [])


@test
def the_proc_of_another_namespace():
    """Numbers of processes mean others there: none is watched, and it is said."""
    inside = namespace("-p", "-f")
    r = subprocess.run([*inside, PROGRAM, "monitor", "-o", path("m"), "sh", "-c", "exit 3"], env=environment(), capture_output=True, text=True)
    equal(r.returncode, 3)
    check("its processes could not be watched: /proc is that of another namespace" in r.stderr, r.stderr)
    equal({x["record"] for x in lines(path("m"))} & {"tree", "process"}, set())
    r = subprocess.run([*inside, PROGRAM, "monitor", "-o", path("n"), "--pid", "1"], env=environment(), capture_output=True, text=True)
    check(r.returncode == 1 and "another namespace" in r.stderr and not os.path.exists(path("n")), r.stderr)


@test
def memory_and_files_of_a_command():
    """Bytes that are held, read and written, by a program that knows how many."""
    code = "import os, sys\nx = bytearray(64 << 20)\nx[::4096] = b'1' * len(x[::4096])\nf = os.open('data', os.O_RDWR | os.O_CREAT)\n" \
        "for i in range(20): os.write(f, bytes(1 << 20))\nos.lseek(f, 0, 0)\nwhile os.read(f, 1 << 20): pass\n" \
        "print('held', flush=True)\nsys.stdin.read()\n"
    p = subprocess.Popen([PROGRAM, "monitor", *FAST, "--detail", "pss", "-o", "m", sys.executable, "-c", code], cwd=path(), env=environment(),
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    equal(p.stdout.readline(), "held\n")
    n = len(samples(path("m")))
    until(lambda: len(samples(path("m"))) >= n + 2, "samples")
    held = [r for r in of(lines(path("m"), False), "process") if r["rss_mb"] > 60][-1]
    p.communicate()
    records = lines(path("m"))
    check(64 < held["rss_mb"] < 64 + 40 and 64 < held["pss_mb"] <= held["rss_mb"] <= held["rss_peak_mb"] + 1, held)
    check(20 <= held["write_mb"] < 20.1 and 20 <= held["read_mb"] < 24, held)
    tree = of(records, "tree")[-1]
    check(20 <= tree["write_mb"] < 20.1 and 20 <= tree["read_mb"] < 24, "the sums stay when it has ended", tree)
    equal(tree["ended"], 1)


@test
def switches_of_threads_and_of_short_children():
    """As wait4() has them: the monitor's own do not count."""
    script = "import threading, time, subprocess\ndef work():\n    for i in range(100): time.sleep(0.001)\n" \
        "ts = [threading.Thread(target=work) for _ in range(4)]\n[t.start() for t in ts]; [t.join() for t in ts]\n" \
        "[subprocess.run(['true']) for _ in range(20)]\n"
    write(path("s.py"), script + "import resource\na, b = (resource.getrusage(x) for x in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))\n"
          "print(a.ru_nvcsw + b.ru_nvcsw)")
    records, r = monitored("--interval", "30ms", "--quiet", sys.executable, path("s.py"))
    got, want = of(records, "tree")[-1]["switches_voluntary"], int(r.out)
    check(want <= got <= want + 10, f"{got}, not {want} and some of its end")


@test
def only_the_top_is_told_of_one_by_one():
    script = "for i in 1 2 3 4 5 6; do sleep 60 & done; echo ready; read x; kill $(jobs -p)\n"
    p = subprocess.Popen([PROGRAM, "monitor", *FAST, "--top", "3", "-o", "m", "bash", "-c", script], cwd=path(), env=environment(),
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    equal(p.stdout.readline(), "ready\n")
    n = len(samples(path("m")))
    until(lambda: len(samples(path("m"))) >= n + 2, "samples")
    records = lines(path("m"), False)
    p.communicate("\n")
    by_moment = {}
    for r in of(records, "process"):
        by_moment.setdefault(r["timestamp"], []).append(r)
    equal(max(map(len, by_moment.values())), 3)
    equal(max(r["processes"] for r in of(records, "tree")), 7)


# ---- what it says of itself

@test
def it_costs_little():
    """Memory, and what it says of its own CPU time, which wait4() knows, too."""
    p = start("--interval", "20ms", "--no-gpu", "-o", path("m"))
    until(lambda: os.path.exists(path("m")) and len(samples(path("m"))) >= 20, "samples")
    p.send_signal(signal.SIGTERM)
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = 0
    end = lines(path("m"))[-1]
    want = usage.ru_utime + usage.ru_stime
    check(0 < end["cost_cpu_s"] <= want + 0.001 and want - end["cost_cpu_s"] < 0.05, f"{end['cost_cpu_s']} s, not {want}")
    check(SANITIZED or end["cost_rss_mb"] < 8, f"{end['cost_rss_mb']} MB")
    note(f"{end['cost_rss_mb']} MB")


@test
def wrong_options():
    for words, said in ((("--interval", "soon"), "--interval needs a time"), (("--interval", "1ms"), "from 10ms"), (("--interval", "-1s"), "--interval needs"),
                        (("--detail", "all"), "cpu, io or pss"), (("--max-length", "1"), "a number from 2 up"), (("--pid", "0"), "a number from 1 up"),
                        (("--stream", "--max-length", "5"), "--max-length says nothing"), (("--pid", "1", "true"), "not both")):
        r = spanloom("monitor", *words, code=2)
        check(said in r.err, words, r.err)
    equal(os.listdir(path()), [])


@test
def short_intervals():
    """Percentages of CPU need ticks: not every sample has them, and those that do are of what passed since the last ones."""
    spanloom("monitor", *FAST, "-o", path("m"), "--", "sh", "-c", "sleep 1")
    ss = samples(path("m"))
    said = [s for s in ss if "cpu_pct_per_cpu_avg" in s]
    check(2 <= len(said) <= 10, len(said), len(ss))
    for a, b in zip(said, said[1:]):
        check(b["uptime_s"] - a["uptime_s"] >= 0.0999, a["uptime_s"], b["uptime_s"])
        busy, capacity = b["cpu_busy_s"] - a["cpu_busy_s"], b["cpu_capacity_s"] - a["cpu_capacity_s"]
        least = capacity / b["cpus"] - 2 * TICK  # of a CPU, by whose own ticks its percentages are
        check(abs(b["cpu_pct_per_cpu_avg"] - 100 * busy / capacity) < 100 * 2 * TICK / least, b["cpu_pct_per_cpu_avg"], busy, capacity)


@test
def a_command_shorter_than_the_interval():
    """No sample saw it: wait4() tells what memory it had."""
    r = spanloom("monitor", "--interval", "1h", "-o", path("m"), "--", sys.executable, "-c", "x = bytearray(150 << 20)")
    end = lines(path("m"))[-1]
    check(150 < end["command_rss_peak_mb"] < 250, end)
    check(re.search(r", 1\d\d MB at most in 1 process;", r.err), r.err)


# ---- file systems

# A file system whose server says that it is there, and no more.
SILENT = """
import ctypes, os, struct, sys, time
fd, libc = os.open("/dev/fuse", os.O_RDWR), ctypes.CDLL(None, use_errno=True)
if libc.mount(b"silent", sys.argv[1].encode(), b"fuse", 0, f"fd={fd},rootmode=40000,user_id=0,group_id=0".encode()):
    raise OSError(ctypes.get_errno(), "mount")
unique = struct.unpack_from("<IIQQ", os.read(fd, 1 << 17))[2]
os.write(fd, struct.pack("<IiQIIIIHHIIHHI28x", 80, 0, unique, 7, 31, 0, 0, 0, 0, 4096, 1, 0, 0, 0))  # FUSE_INIT of <linux/fuse.h>
print("mounted", flush=True)
time.sleep(1000)
"""


@test
def a_file_system_that_does_not_answer():
    os.mkdir(path("silent"))
    server = subprocess.Popen([sys.executable, "-c", SILENT, path("silent")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        if server.stdout.readline() != "mounted\n":
            skip("nothing may be mounted here")
        p = start(*FAST, "--mount", path("silent"), "--mount", path(), "-o", path("m"), "--", "sh", "-c", "sleep 0.6; exit 3",
                  env={"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"})  # who looks for leaks waits for all threads
        _, err = p.communicate(timeout=PATIENCE)
        equal(p.returncode, 3, err)
        ss = samples(path("m"))
        check(len(ss) >= 5, len(ss))
        check(all(list(s["mounts"]) == [path()] and "disk_usage_percent" not in s for s in ss), ss[0])
        check(f"{path('silent')}: it does not answer" in err, err)
    finally:
        server.kill()  # with who serves it, a file system comes to its end
        server.wait()
        subprocess.run(["umount", "-l", path("silent")], stderr=subprocess.DEVNULL)


@test
def a_mount_that_is_not_there():
    r = spanloom("monitor", "--no-gpu", "--mount", "/", "--mount", path("none"), "-o", path("m"), "true")
    check(f"how full it is was not told: {path('none')}: No such file or directory" in r.err, r.err)
    equal(list(lines(path("m"))[-1]["mounts"]), ["/"])


@test
def a_low_terminal():
    """What does not fit is not drawn: it would push the view up."""
    pid, fd = pty.fork()
    if not pid:
        signal.alarm(PATIENCE)
        os.chdir(path())
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 6, 40, 0, 0))
        os.execve(PROGRAM, [PROGRAM, "monitor", "--interval", "50ms", "--no-gpu", "--pid", str(os.getppid())], environment())
    seen = b""
    while seen.count(b"\x1b[J") < 2:
        seen += os.read(fd, 4000)
    os.kill(pid, signal.SIGINT)
    os.close(fd)
    os.waitpid(pid, 0)
    first, second = seen.decode().split("\x1b[J")[:2]
    equal(first.count("\n"), 5)
    check(second.startswith("\x1b[5A"), second[:10])


@test
def a_view_in_a_terminal():
    """Drawn anew in place: as many lines up as it had."""
    pid, fd = pty.fork()
    if not pid:
        signal.alarm(PATIENCE)
        os.chdir(path())
        os.execve(PROGRAM, [PROGRAM, "monitor", "--interval", "50ms", "--no-gpu", "--pid", str(os.getppid())], environment(LINES="40", COLUMNS="80"))
    seen = b""
    while seen.count(b"samples in") < 3:
        seen += os.read(fd, 4000)
    os.write(fd, b"\x03")
    try:
        while select.select([fd], [], [], PATIENCE)[0]:
            got = os.read(fd, 4000)
            seen += got
            if not got:
                break
    except OSError:
        pass
    equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
    os.close(fd)
    text = seen.decode()
    first, second = text.split("\x1b[J")[:2]
    height = first.count("\n")
    check(re.match(rf"\x1b\[{height}A", second), (height, second[:10]))
    shown = re.sub(r"\x1b\[\d*[A-Z]|\r", "", first)
    check(max(map(len, shown.splitlines())) <= 80, shown)
    for word in ("CPU", "memory", "disk", "network", "processes", "PID"):
        check(word in shown, word, shown)


main()
