#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`spanloom monitor`: its file whatever happens, who is counted, clocks, GPUs, and machines that are not here.

Figures against those of other programs are in tests/peers/monitor.py, texts of /proc in tests/unit/test_sampler.c.
"""
import ctypes
import itertools
import os
import pty
import select
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

FAST = ("--interval", "20ms", "--no-gpu")
TICK = 0.01
BURN = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass\n"


def compiled(name, *options):
    """A C file of tests/lib."""
    to = path(name.replace(".c", ""))
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-o", to, f"{ROOT}/tests/lib/{name}", *options], check=True)
    return to


def start(*words, env=None, **more):
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.Popen([PROGRAM, "monitor", *map(str, words)], cwd=path(), env=environment(**(env or {})), stdin=subprocess.DEVNULL,
                            text=True, **more)


def file_of(p):
    """The file of a monitor that runs."""
    return until(lambda: next((path(n) for n in os.listdir(path()) if n.endswith(f".{p.pid}.jsonl")), None), "a file")


def lines(file, whole=True):
    """All of them as objects; a last one that is cut off is left out, if not `whole`."""
    with open(file) as f:
        text = f.read()
    check(not whole or text.endswith("\n"), "the last line is cut off")
    return [json.loads(x) for x in text[:text.rfind("\n") + 1].splitlines()]


def of(records, kind):
    return [r for r in records if r["record"] == kind]


def samples(file):
    return of(lines(file, False), "sample")


def wait_for(p, n):
    """Until so many samples are in the file."""
    file = file_of(p)
    until(lambda: len(samples(file)) >= n or p.poll() is not None, f"{n} samples")
    return file


def stop(p, sig=signal.SIGTERM, code=0):
    p.send_signal(sig)
    out, err = p.communicate(timeout=PATIENCE)
    equal(p.returncode, code, err)
    return err


def monitored(*words, code=0, **more):
    """Runs it to its end, and gives its records."""
    r = spanloom("monitor", "-o", path("m.jsonl"), *words, code=code, **more)
    records = lines(path("m.jsonl"))
    os.remove(path("m.jsonl"))
    equal((records[0]["record"], records[-1]["record"]), ("monitor", "end"))
    return records, r


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
    for a, b in itertools.pairwise(ss) if hasattr(itertools, "pairwise") else zip(ss, ss[1:]):
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
    r = spanloom("monitor", "-o", path("none/x"), "true", code=125)
    check("No such file or directory" in r.err, r.err)
    r = spanloom("monitor", "-o", "-", "true", code=2)
    check("standard output is that of the command" in r.err, r.err)
    r = spanloom("monitor", "no-such-command", code=127)
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


def on_disk(size, script):
    return (*namespace("-m"), "bash", "-c", f'mkdir -p disk && mount -t tmpfs -o size={size} tmpfs disk || exit 99\n{script}\ns=$?\ncp -r disk kept; umount disk; exit $s')


@test
def a_full_disk():
    """What has no room is lost, and told; what comes when there is room again is there; no line is cut off."""
    script = f'''cat /dev/zero >disk/zero 2>/dev/null; truncate -s 20k disk/zero
        {PROGRAM} monitor --interval 10ms --top 0 --no-gpu -o disk bash -c '
            f=$(echo disk/spanloom-*); size() {{ stat -c %s $f; }}; full=0
            while [ $full -lt 20 ]; do a=$(size); read -t 0.015 <> <(:); [ $a -lt $(size) ] || full=$((full + 1)); done
            n=$(size); rm disk/zero; while [ $(size) -le $n ]; do read -t 0.01 <> <(:); done; exit 5' '''
    r = subprocess.run(on_disk("64k", script), cwd=path(), env=environment(), capture_output=True, text=True)
    equal(r.returncode, 5, r.stderr)
    records = lines(path("kept", os.listdir(path("kept"))[0]))
    end = records[-1]
    check(end["lost"] >= 10 and "No space left on device" in end["lost_why"], end)
    check(re.search(r"\d+ samples could not be written: .*No space left", r.stderr), r.stderr)
    ss = [x["n"] for x in of(records, "sample")]
    gap = max(b - a for a, b in zip(ss, ss[1:]))
    check(gap > 10, "there is a gap", ss)


@test
def a_disk_with_no_room_for_halving():
    """So long all samples stay; when there is room, the file is written anew."""
    script = f'''cat /dev/zero >disk/zero 2>/dev/null; truncate -s 40k disk/zero
        {PROGRAM} monitor --interval 10ms --top 0 --no-gpu --max-length 8 -o disk bash -c '
            f=$(echo disk/spanloom-*); many() {{ grep -c sample $f; }}
            while [ $(many) -le 8 ]; do read -t 0.01 <> <(:); done; echo too many
            rm disk/zero; while [ $(many) -gt 8 ]; do read -t 0.01 <> <(:); done; exit 5' '''
    r = subprocess.run(on_disk("64k", script), cwd=path(), env=environment(), capture_output=True, text=True)
    equal((r.returncode, r.stdout), (5, "too many\n"), r.stderr)
    name, = os.listdir(path("kept"))
    records = lines(path("kept", name))
    check(len(of(records, "sample")) <= 8 and "lost" not in records[-1], records[-1])


@test
def a_disk_that_is_full_from_the_start():
    r = subprocess.run(on_disk("64k", f"cat /dev/zero >disk/zero 2>/dev/null; {PROGRAM} monitor -o disk sh -c 'echo out; exit 6'"),
                       cwd=path(), env=environment(), capture_output=True, text=True)
    equal((r.returncode, r.stdout), (6, "out\n"), r.stderr)
    check("No space left on device" in r.stderr, r.stderr)
    equal([n for n in os.listdir(path("kept")) if n != "zero"], [])


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
    p.communicate()
    records = lines(path("m"))
    held = [r for r in of(records, "process") if r["rss_mb"] > 60][-1]
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
    p.communicate("\n")
    records = lines(path("m"))
    by_moment = {}
    for r in of(records, "process"):
        by_moment.setdefault(r["timestamp"], []).append(r)
    equal(max(map(len, by_moment.values())), 3)
    equal(max(r["processes"] for r in of(records, "tree")), 7)


# ---- machines that are not here

STAT = "cpu  {all}\n{cpus}intr 5 0 0\nctxt {ctxt}\nbtime 1700000000\nprocesses {forks}\nprocs_running 1\nprocs_blocked 2\n"


class Machine:
    """A /proc and a /sys of files, which change in place."""

    def __init__(self, files):
        self.files = dict(files)
        for name, text in files.items():
            write(path(name), text)

    def set(self, name, text):
        with open(path(name), "r+") as f:  # without an empty moment
            f.write(text)
            f.truncate()

    def options(self):
        return "--proc", path("proc"), "--sys", path("sys")


def old_machine(**more):
    """Linux 2.6.32 with swap, and none of what came later."""
    return Machine({
        "proc/stat": STAT.format(all="10 0 10 80 0 0 0 0", cpus="cpu0 10 0 10 80 0 0 0 0\n", ctxt=1000, forks=10),
        "proc/meminfo": "MemTotal: 1048576 kB\nMemFree: 524288 kB\nBuffers: 1024 kB\nCached: 2048 kB\nSwapTotal: 2048 kB\nSwapFree: 1024 kB\n",
        "proc/vmstat": "nr_free_pages 5\npswpin 100\npswpout 200\n",
        "proc/diskstats": "   8    0 sda 10 0 2048 0 10 0 4294967288 0 0 0 0\n",
        "proc/net/dev": " face |bytes\n  eth0: 1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0\n",
        "proc/loadavg": "0.50 0.25 0.10 2/80 4711\n", **more})


@test
def another_kernel():
    m = old_machine()
    p = start("--interval", "150ms", *m.options())
    file = wait_for(p, 1)
    m.set("proc/stat", STAT.format(all="40 0 10 150 0 0 0 0", cpus="cpu0 40 0 10 150 0 0 0 0\n", ctxt=1500, forks=17))
    m.set("proc/vmstat", "nr_free_pages 5\npswpin 356\npswpout 200\n")
    m.set("proc/diskstats", "   8    0 sda 11 0 4096 0 12 0 2040 0 0 0 0\n")  # what was written went round: 2048 sectors
    m.set("proc/net/dev", " face |bytes\n  eth0: 1049576 2 0 0 0 0 0 0 2000 1 0 0 0 0 0 0\n")
    n = len(samples(file))
    until(lambda: len(samples(file)) >= n + 3, "samples")
    stop(p)
    head, *rest, end = lines(file)
    equal((head["cpus"], head["memory_mb"], head["swap_mb"]), (1, 1024, 2))
    for absent in ("mem_percent", "mem_available_mb", "mem_dirty_mb", "pressure_cpu_some_s", "net_io_lo_sent_mb", "mem_slab_mb"):
        check(absent not in end, f"{absent} is told by no file of this machine")
    page = os.sysconf("SC_PAGESIZE") / 2**20
    want = {"disk_io_read_mb": 1, "disk_io_write_mb": 1, "net_io_ext_recv_mb": 1, "net_io_ext_sent_mb": 0, "swap_in_mb": 256 * page,
            "swap_out_mb": 0, "swap_used_mb": 1, "cpu_user_s": 0.3, "cpu_capacity_s": 1, "load_5": 0.25, "tasks": 80, "tasks_running": 2,
            "tasks_blocked": 2, "forks": 7, "context_switches": 500, "counters_wrapped": 1, "mem_page_cache_mb": 3}
    equal({k: end.get(k) for k in want}, want)
    pct = [s["cpu_pct_per_cpu_avg"] for s in of(rest, "sample") if "cpu_pct_per_cpu_avg" in s]
    check(30 in pct, "of 100 ticks 30 were busy", pct)


@test
def cpus_that_are_taken_out():
    two = "cpu0 {} 0 0 {} 0 0 0 0 0 0\ncpu1 {} 0 0 {} 0 0 0 0 0 0\n"
    m = old_machine(**{"proc/stat": STAT.format(all="0 0 0 0", cpus=two.format(0, 0, 0, 0), ctxt=1, forks=1)})
    p = start("--interval", "150ms", *m.options())
    file = wait_for(p, 1)
    m.set("proc/stat", STAT.format(all="50 0 0 50", cpus="cpu0 50 0 0 50 0 0 0 0 0 0\n", ctxt=1, forks=1))
    until(lambda: samples(file)[-1].get("cpus") == 1, "one CPU")
    m.set("proc/stat", STAT.format(all="50 0 0 50", cpus=two.format(60, 140, 30, 70), ctxt=1, forks=1))
    until(lambda: samples(file)[-1].get("cpus") == 2, "two CPUs")
    m.set("proc/stat", STAT.format(all="50 0 0 50", cpus=two.format(60, 240, 130, 70), ctxt=1, forks=1))
    until(lambda: samples(file)[-1].get("cpu_pct") == [0, 100], "both measured")
    stop(p)
    ss = samples(file)
    check([50, None] in [s.get("cpu_pct") for s in ss], ss)
    equal(ss[0]["cpus"], 2)


@test
def a_machine_without_disks_and_network():
    m = Machine({"proc/stat": STAT.format(all="10 0 10 80", cpus="", ctxt=1, forks=1), "proc/meminfo": "MemTotal: 100 kB\n"})
    p = start("--interval", "20ms", *m.options())
    file = wait_for(p, 2)
    stop(p)
    for s in samples(file):
        check(not [k for k in s if k.startswith(("disk_io", "net", "disks", "pressure", "load", "cpu_pct_per_cpu_m", "cpu_iowait"))], s)
    r = spanloom("monitor", "--proc", path("nowhere"), code=1)
    check("nowhere/stat" in r.err and "mounted" in r.err, r.err)


CGROUP_2 = {
    "proc/self/mountinfo": "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n",
    "proc/devices": "Character devices:\n  1 mem\n\nBlock devices:\n  8 sd\n253 device-mapper\n",
    "sys/fs/cgroup/job/cgroup.events": "populated 1\n",
    "sys/fs/cgroup/job/memory.max": "1073741824\n", "sys/fs/cgroup/job/cpu.max": "max 100000\n",
    "sys/fs/cgroup/job/step/cgroup.events": "populated 1\n",
    "sys/fs/cgroup/job/step/cpu.stat": "usage_usec 5000000\nuser_usec 4000000\nsystem_usec 1000000\nnr_periods 5\nnr_throttled 2\nthrottled_usec 300\n",
    "sys/fs/cgroup/job/step/cpu.max": "150000 100000\n", "sys/fs/cgroup/job/step/memory.max": "max\n", "sys/fs/cgroup/job/step/pids.max": "200\n",
    "sys/fs/cgroup/job/step/memory.swap.max": "0\n",
    "sys/fs/cgroup/job/step/memory.current": "104857600\n", "sys/fs/cgroup/job/step/memory.peak": "209715200\n",
    "sys/fs/cgroup/job/step/memory.stat": "anon 52428800\nfile 10485760\n", "sys/fs/cgroup/job/step/memory.swap.current": "0\n",
    "sys/fs/cgroup/job/step/memory.events": "low 0\nhigh 0\nmax 0\noom 1\noom_kill 1\n",
    "sys/fs/cgroup/job/step/io.stat": "8:0 rbytes=1048576 wbytes=0 rios=1 wios=0 dbytes=0 dios=0\n253:0 rbytes=1048576 wbytes=0 rios=1 wios=0\n",
    "sys/fs/cgroup/job/step/pids.current": "7\n",
    **{f"sys/fs/cgroup/job/step/{x}.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
       for x in ("cpu", "memory", "io")}}
CGROUP_1 = {
    "proc/self/mountinfo": "".join(f"3{i} 25 0:2{i} / /sys/fs/cgroup/{c} rw - cgroup cgroup rw,{c}\n"
                                   for i, c in enumerate(("cpu,cpuacct", "memory", "blkio", "pids"))),
    "sys/fs/cgroup/cpu,cpuacct/job/cpuacct.usage": "5000000000\n",
    "sys/fs/cgroup/cpu,cpuacct/job/cpuacct.stat": "user 400\nsystem 100\n",
    "sys/fs/cgroup/cpu,cpuacct/job/cpu.stat": "nr_periods 5\nnr_throttled 2\nthrottled_time 300000\n",
    "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us": "150000\n", "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us": "100000\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "1073741824\n",
    "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "104857600\n", "sys/fs/cgroup/memory/job/memory.max_usage_in_bytes": "209715200\n",
    "sys/fs/cgroup/memory/job/memory.stat": "cache 1\nrss 1\ntotal_cache 10485760\ntotal_rss 52428800\ntotal_swap 0\n",
    "sys/fs/cgroup/memory/job/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
    "sys/fs/cgroup/blkio/job/blkio.throttle.io_service_bytes_recursive": "8:0 Read 1048576\n8:0 Write 0\n8:0 Total 1048576\nTotal 1048576\n",
    "sys/fs/cgroup/pids/job/pids.current": "7\n", "sys/fs/cgroup/pids/job/pids.max": "200\n"}
STEP = {"cpu_s": 2, "cpu_user_s": 1.5, "cpu_system_s": 0.5, "cpu_throttled": 3, "cpu_throttled_s": 0.0007, "memory_mb": 100, "memory_peak_mb": 200,
        "memory_anon_mb": 50, "memory_file_mb": 10, "swap_mb": 0, "oom_kills": 1, "read_mb": 1, "write_mb": 2, "tasks": 7}


def group(m, cgroup, changes):
    """A monitor of another process than itself: its own /proc/PID/cgroup is a file, too."""
    code = f"import os, sys\nos.makedirs({path('proc')!r} + '/' + str(os.getpid()))\n" \
        f"open({path('proc')!r} + '/' + str(os.getpid()) + '/cgroup', 'w').write({cgroup!r})\nos.execv(sys.argv[1], sys.argv[1:])\n"
    p = subprocess.Popen([sys.executable, "-c", code, PROGRAM, "monitor", *FAST, *m.options(), "-o", path("m")], cwd=path(), env=environment(),
                         stderr=subprocess.PIPE, text=True)
    until(lambda: os.path.exists(path("m")) and samples(path("m")), "a sample")
    for name, text in changes.items():
        m.set(name, text)
    n = len(samples(path("m")))
    until(lambda: len(samples(path("m"))) >= n + 2, "samples")
    stop(p)
    return lines(path("m"))


@test
def groups_of_version_2():
    m = old_machine(**CGROUP_2)
    s = "sys/fs/cgroup/job/step/"
    records = group(m, "0::/job/step\n", {
        s + "cpu.stat": "usage_usec 7000000\nuser_usec 5500000\nsystem_usec 1500000\nnr_periods 5\nnr_throttled 5\nthrottled_usec 1000\n",
        s + "memory.events": "low 0\nhigh 0\nmax 0\noom 1\noom_kill 2\n",
        s + "io.stat": "8:0 rbytes=2097152 wbytes=1048576 rios=1 wios=0 dbytes=0 dios=0\n8:16 rbytes=0 wbytes=1048576 rios=0 wios=1\n"
                       "253:0 rbytes=9048576 wbytes=9 rios=1 wios=0\n",
        s + "io.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total=3500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\n"})
    equal(records[0]["cgroup"], {"version": 2, "path": "/job/step", "cpus": 1.5, "memory_mb": 1024, "swap_mb": 0, "tasks": 200})
    last = of(records, "cgroup")[-1]
    equal({k: last.get(k) for k in STEP}, STEP)
    equal((last["pressure_io_some_s"], last["pressure_io_full_s"], last["pressure_cpu_some_s"]), (2.5, 1, 0))


@test
def groups_of_version_1():
    m = old_machine(**CGROUP_1)
    s = "sys/fs/cgroup/"
    records = group(m, "5:cpu,cpuacct:/job\n4:memory:/job\n3:blkio:/job\n2:pids:/job\n1:name=systemd:/\n", {
        s + "cpu,cpuacct/job/cpuacct.usage": "7000000000\n", s + "cpu,cpuacct/job/cpuacct.stat": "user 550\nsystem 150\n",
        s + "cpu,cpuacct/job/cpu.stat": "nr_periods 5\nnr_throttled 5\nthrottled_time 1000000\n",
        s + "memory/job/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
        s + "blkio/job/blkio.throttle.io_service_bytes_recursive": "8:0 Read 2097152\n8:0 Write 1048576\n8:0 Total 3145728\n8:16 Write 1048576\nTotal 1\n"})
    equal(records[0]["cgroup"], {"version": 1, "path": "/job", "cpus": 1.5, "memory_mb": 1024, "tasks": 200})
    last = of(records, "cgroup")[-1]
    equal({k: last.get(k) for k in STEP}, STEP)
    check("pressure_io_some_s" not in last)


@test
def the_whole_machine_is_no_group():
    """Its figures would be taken for those of the job."""
    m = old_machine(**{"proc/self/mountinfo": "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n31 23 0:27 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n",
                       "sys/fs/cgroup/cpu.stat": "usage_usec 1\n", "sys/fs/cgroup/cpuacct/cpuacct.usage": "5\n", "sys/fs/cgroup/cpuacct/release_agent": "\n"})
    records = group(m, "1:cpuacct:/\n0::/\n", {})
    check("cgroup" not in records[0] and not of(records, "cgroup"))


# ---- GPUs

@test
def gpus():
    """By a library that answers as NVML does."""
    os.mkdir(path("lib"))
    os.rename(compiled("fake_nvml.c", "-shared", "-fPIC", "-w"), path("lib/libnvidia-ml.so.1"))
    p = start("--interval", "20ms", env={"LD_LIBRARY_PATH": path("lib")})
    file = wait_for(p, 3)
    err = stop(p)
    head, *rest, end = lines(file)
    equal([g.get("name") for g in head["gpus"]], ["NVIDIA H200", "NVIDIA H200", None])
    equal(head["gpus"][0], {"index": 0, "uuid": "GPU-00000000-aaaa-bbbb-cccc-123456789abc", "name": "NVIDIA H200", "memory_mb": 144384, "driver": "535.104.05"})
    last = {g["index"]: g for g in of(rest, "gpu")}
    equal(sorted(last), [0, 1], "the third does not answer")
    equal({k: v for k, v in last[1].items() if k not in ("timestamp", "n")},
          {"record": "gpu", "index": 1, "uuid": "GPU-00000001-aaaa-bbbb-cccc-123456789abc", "gpu_pct": 89, "memory_pct": 42, "memory_mb": 11264,
           "power_w": 512.346, "temperature_c": 62, "sm_mhz": 1981, "processes": []})
    equal(len(last[0]["processes"]), 40)
    equal(last[0]["processes"][:2], [{"pid": 1000}, {"pid": 1001, "memory_mb": 1}])
    n = len([g for g in of(rest, "gpu") if g["index"] == 0])
    equal(last[0]["energy_j"], 1.5 * n, "since the beginning")
    check("3 GPUs" in err and "11 GB" in err.replace("11.0", "11"), err)
    p = start("--interval", "20ms", "--no-gpu", env={"LD_LIBRARY_PATH": path("lib")})
    file = wait_for(p, 1)
    stop(p)
    check("gpus" not in lines(file)[0])


# ---- what it says of itself

@test
def every_key_is_documented():
    """And every key of docs/monitor.md is one that a file can have."""
    sections, name = {}, None
    with open(f"{ROOT}/docs/monitor.md") as f:
        for line in f:
            if line.startswith("## "):
                name = line.split("`")[1] if "`" in line else None
            elif name and line.startswith("| `"):
                cell = line[2:].partition(" |")[0]
                sections.setdefault(name, set()).update(re.findall(r"`(\w+)`", cell))
    pressures = {f"pressure_{x}_s" for x in ("cpu_some", "memory_some", "memory_full", "io_some", "io_full")}
    sections["cgroup"] |= pressures
    sections["end"] |= sections["sample"] - {"n"}
    os.mkdir(path("lib"))
    os.rename(compiled("fake_nvml.c", "-shared", "-fPIC", "-w"), path("lib/libnvidia-ml.so.1"))
    records = []
    env = {"LD_LIBRARY_PATH": path("lib"), "SLURM_JOB_ID": "7", "SLURM_PROCID": "3"}
    records += monitored("--interval", "300ms", "--detail", "pss", "--quiet", "sleep", "0.45", env=env)[0]
    equal((records[0]["rank"], records[0]["job"]["SLURM_JOB_ID"]), ("3", "7"))
    equal(records[0]["command"], ["sleep", "0.45"])
    records += group(old_machine(**CGROUP_2), "0::/job/step\n", {})
    for kind, documented in sections.items():
        seen = {k for r in of(records, kind) for k in r} - {"record"}
        check(seen, f"no record {kind}")
        equal(sorted(seen - documented), [], f"not documented, of {kind}")
        rare = {"signal", "lost", "lost_why", "clock_steps_s", "suspended_s", "counters_reset", "counters_wrapped"} | pressures
        equal(sorted(documented - seen - rare), [], f"documented, and never seen in {kind}")


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
