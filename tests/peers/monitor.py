#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`spanloom monitor` beside psutil, /usr/bin/time -v, sar and the counters of control groups, on loads of known size.

Each load is run between two readings of the other program, by a command that the monitor runs; so the monitor sees a little
more than that one, which is what the tolerances are: ticks of 10 ms, and what starting Python takes.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import *  # noqa
import peers

peers.needs("psutil")
for _program in "stress-ng", "sar":
    if not shutil.which(_program):
        peers.skip(f"there is no {_program}")
MB = 2**20

# Runs what stands behind it between two readings of psutil, and prints these.
BESIDE = """
import json, os, psutil, subprocess, sys, time
def reading():
    net, disk, times = psutil.net_io_counters(pernic=True, nowrap=False), psutil.disk_io_counters(nowrap=False), psutil.cpu_times()
    ext = [n for k, n in net.items() if k != "lo"]
    return {"cpu_user_s": times.user + times.nice, "cpu_system_s": times.system + times.irq + times.softirq, "cpu_iowait_s": times.iowait,
            "disk_io_read_mb": disk.read_bytes / 2**20, "disk_io_write_mb": disk.write_bytes / 2**20,
            "net_io_lo_sent_mb": net["lo"].bytes_sent / 2**20, "net_io_lo_recv_mb": net["lo"].bytes_recv / 2**20,
            "net_io_ext_sent_mb": sum(n.bytes_sent for n in ext) / 2**20, "net_io_ext_recv_mb": sum(n.bytes_recv for n in ext) / 2**20,
            "context_switches": psutil.cpu_stats().ctx_switches, "mem_percent": psutil.virtual_memory().percent,
            "disk_usage_percent": psutil.disk_usage("/").percent, "cpus": psutil.cpu_count(), "load_1": psutil.getloadavg()[0]}
a = reading()
status = subprocess.run(sys.argv[1:]).returncode
b = reading()
print(json.dumps([a, b]), flush=True)
sys.exit(status)
"""


def records(file):
    with open(file) as f:
        return [json.loads(x) for x in f]


def of(rs, kind):
    return [r for r in rs if r["record"] == kind]


def beside(*command, options=(), code=0):
    """Records of a monitor of the command, and psutil's two readings."""
    write(path("beside.py"), BESIDE)
    p = subprocess.run([PROGRAM, "monitor", "--quiet", "--no-gpu", "-o", path("m"), *options, peers.python(), path("beside.py"), *map(str, command)],
                       cwd=path(), env=environment(), capture_output=True, text=True)
    equal(p.returncode, code, p.stderr)
    return records(path("m")), *json.loads(p.stdout.splitlines()[-1])


def cpu_seconds():
    """The first line of /proc/stat, in seconds (proc(5)): user, nice and system are 1 to 3, irq and softirq 6 and 7."""
    with open("/proc/stat") as f:
        return [0] + [int(x) / os.sysconf("SC_CLK_TCK") for x in f.readline().split()[1:]]


def close(what, got, want, tolerance):
    note(f"{what}: {got:.6g}, {want:.6g}")
    check(abs(got - want) <= tolerance, f"{what}: {got}, not {want} +- {tolerance}")


@test
def cores_that_are_busy():
    """The node's and the tree's CPU time against psutil's and that of time -v."""
    before = cpu_seconds()
    rs, a, b = beside("/usr/bin/time", "-v", "-o", path("time"), "stress-ng", "-q", "--cpu", 1, "--cpu-method", "int64", "--timeout", "2")
    after = cpu_seconds()
    end, tree = rs[-1], of(rs, "tree")[-1]
    # psutil's two readings lie within what was monitored, and the kernel's own of before and after around it
    for what, kinds in (("user", (1, 2)), ("system", (3, 6, 7))):
        inside, around = b[f"cpu_{what}_s"] - a[f"cpu_{what}_s"], sum(after[k] - before[k] for k in kinds)
        note(f"{what}: {inside:.2f} <= {end[f'cpu_{what}_s']:.2f} <= {around:.2f}")
        check(inside - 0.05 <= end[f"cpu_{what}_s"] <= around + 0.05, what, inside, end[f"cpu_{what}_s"], around)
    text = open(path("time")).read()
    user, system = (float(re.search(rf"{x} time \(seconds\): ([\d.]+)", text)[1]) for x in ("User", "System"))
    check(user > 0.3, "it was busy")
    close("of the command", tree["cpu_user_s"] + tree["cpu_system_s"], user + system, 0.25)  # and Python's own
    check(tree["cpu_user_s"] + tree["cpu_system_s"] >= user + system - 0.02)
    equal(end["cpus"], b["cpus"])


@test
def percentages_of_cpu():
    """At the same time, the same interval: the average over cores within some ticks of psutil's."""
    script = "import psutil, json, time\npsutil.cpu_percent(percpu=True); t = time.time()\nx = []\n" \
        "for i in range(4):\n    time.sleep(1 - (time.time() - t) % 1); p = psutil.cpu_percent(percpu=True); x.append([time.time(), p])\n" \
        "print(json.dumps(x))\n"
    load = subprocess.Popen(["stress-ng", "-q", "--cpu", "1", "--cpu-load", "60", "--timeout", "6"])
    p = subprocess.run([PROGRAM, "monitor", "--quiet", "--no-gpu", "--interval", "100ms", "--stream", "-o", path("m"), peers.python(), "-c", script],
                       cwd=path(), env=environment(), capture_output=True, text=True, check=True)
    load.terminate(), load.wait()
    rs = of(records(path("m")), "sample")
    theirs = json.loads(p.stdout)
    compared = 0
    for (t0, _), (t1, cores) in zip(theirs, theirs[1:]):
        inside = [r for r in rs if t0 - 0.06 <= r["timestamp"] <= t1 + 0.06]
        if not inside or inside[-1]["timestamp"] - inside[0]["timestamp"] < 0.85:
            continue  # the machine was too busy to take them
        span = inside[-1]["timestamp"] - inside[0]["timestamp"]
        busy, all_of_it = (inside[-1][k] - inside[0][k] for k in ("cpu_busy_s", "cpu_capacity_s"))
        close(f"over {span:.2f} s", 100 * busy / all_of_it, sum(cores) / len(cores), 15)
        compared += 1
    check(compared, "no interval to compare")


@test
def bytes_that_are_held():
    """256 MB: resident memory against time -v, the node's against psutil's before and while."""
    code = "import os, psutil, sys, time\nbefore = psutil.virtual_memory()\nx = bytearray(256 << 20)\nx[::4096] = b'1' * len(x[::4096])\ntime.sleep(0.6)\n" \
        "m = psutil.Process().memory_info(); f = psutil.Process().memory_full_info(); now = psutil.virtual_memory()\n" \
        "print(before.percent, now.percent, m.rss, f.pss, now.total)\n"
    p = subprocess.run([PROGRAM, "monitor", "--quiet", "--no-gpu", "--interval", "100ms", "--detail", "pss", "-o", path("m"), "/usr/bin/time", "-v", "-o", path("time"),
                        peers.python(), "-c", code], cwd=path(), env=environment(), capture_output=True, text=True, check=True)
    before, now, rss, pss, total = map(float, p.stdout.split())
    rs = records(path("m"))
    # its last record may lie in its end: resident memory is read, Python frees it, the proportional is read
    held = max((r for r in of(rs, "process") if r["rss_mb"] > 200), key=lambda r: r["pss_mb"])
    close("resident", held["rss_mb"], rss / MB, 2)
    close("proportional", held["pss_mb"], pss / MB, 2)
    close("at most", held["rss_peak_mb"], int(re.search(r"Maximum resident set size \(kbytes\): (\d+)", open(path("time")).read())[1]) / 1024, 2)
    close("of the node", [r for r in of(rs, "sample")][-1]["mem_percent"], now, 2)
    close("in all", rs[0]["memory_mb"], total / MB, 0.01)


@test
def bytes_that_are_written():
    """64 MB to a disk, past the page cache."""
    where = tempfile.mkdtemp(prefix="spanloom-disk-", dir=ROOT)
    try:
        rs, a, b = beside("dd", "if=/dev/zero", f"of={where}/data", "bs=1M", "count=64", "conv=fsync", "status=none")
    finally:
        shutil.rmtree(where)
    end, tree = rs[-1], of(rs, "tree")[-1]
    check(64 <= tree["write_mb"] < 64.5, tree)
    close("to storage", tree["disk_write_mb"], 64, 1)
    close("of the node", end["disk_io_write_mb"], b["disk_io_write_mb"] - a["disk_io_write_mb"], max(8, 0.3 * end["disk_io_write_mb"]))
    close("read", end["disk_io_read_mb"], b["disk_io_read_mb"] - a["disk_io_read_mb"], max(8, 0.3 * end["disk_io_read_mb"]))
    check(end["disk_io_write_mb"] > 60, end["disk_io_write_mb"])
    close("usage", end["disk_usage_percent"], b["disk_usage_percent"], 0.3)


@test
def bytes_through_the_network():
    """40 MB over loopback: sent and received.  The monitor begins before psutil does, and ends after it, and others send, too."""
    code = "import socket, threading\ns = socket.create_server(('127.0.0.1', 0))\ndef send():\n    c = socket.create_connection(s.getsockname())\n" \
        "    for _ in range(40): c.sendall(bytes(1 << 20))\n    c.close()\nthreading.Thread(target=send).start()\nc, _ = s.accept()\nn = 0\n" \
        "while x := c.recv(1 << 20): n += len(x)\nassert n == 40 << 20\n"
    rs, a, b = beside(sys.executable, "-c", code)
    for key in "net_io_lo_sent_mb", "net_io_lo_recv_mb", "net_io_ext_sent_mb", "net_io_ext_recv_mb":
        note(f"{key}: {rs[-1][key]:.6g}, {b[key] - a[key]:.6g}")
        check(-0.001 <= rs[-1][key] - (b[key] - a[key]) < 15, key, rs[-1][key], b[key] - a[key])
    check(rs[-1]["net_io_lo_sent_mb"] > 40)


@test
def a_storm_of_forks():
    """Children that live for a millisecond: their CPU time against time -v, their number against the kernel's."""
    rs, a, b = beside("/usr/bin/time", "-v", "-o", path("time"), "stress-ng", "-q", "--fork", 1, "--fork-ops", 1500)
    tree, end = of(rs, "tree")[-1], rs[-1]
    text = open(path("time")).read()
    cpu = sum(float(re.search(rf"{x} time \(seconds\): ([\d.]+)", text)[1]) for x in ("User", "System"))
    got = tree["cpu_user_s"] + tree["cpu_system_s"]
    close("CPU", got, cpu, 0.25)
    check(got >= cpu - 0.02 and end["forks"] >= 1500, got, end["forks"])
    close("switches", end["context_switches"], b["context_switches"] - a["context_switches"], 0.2 * end["context_switches"] + 500)


@test
def beside_sar():
    """Busy and idle shares over the same two seconds, within what the two readings are apart."""
    load = subprocess.Popen(["stress-ng", "-q", "--cpu", "1", "--timeout", "5"])
    p = subprocess.run([PROGRAM, "monitor", "--quiet", "--no-gpu", "--interval", "1s", "-o", path("m"), "sar", "-u", "-r", "-w", "2", "1"], cwd=path(),
                       env={**environment(), "S_TIME_FORMAT": "ISO"}, capture_output=True, text=True, check=True)
    load.terminate(), load.wait()
    end = records(path("m"))[-1]
    rows = [line.split() for line in p.stdout.splitlines() if line.startswith("Average:")]
    table = {name: float(value) for head, values in zip(rows[::2], rows[1::2]) for name, value in zip(head[1:], values[1:]) if name != "CPU"}
    close("idle", 100 * (1 - (end["cpu_busy_s"] + end["cpu_iowait_s"]) / end["cpu_capacity_s"]), table["%idle"], 12)
    close("available", end["mem_available_mb"], table["kbavail"] / 1024, 0.05 * table["kbavail"] / 1024)
    seconds = end["uptime_s"] - records(path("m"))[0]["uptime_s"]
    close("forks a second", end["forks"] / seconds, table["proc/s"], 0.5 * table["proc/s"] + 20)


def own_group():
    """A control group that we may make, of whichever version: (where its processes are listed, a file, its unit in seconds)."""
    for directory, counter, unit in (("/sys/fs/cgroup/cpuacct", "cpuacct.usage", 1e-9), ("/sys/fs/cgroup/cpu,cpuacct", "cpuacct.usage", 1e-9),
                                     ("/sys/fs/cgroup", "cpu.stat", 1e-6)):
        where = f"{directory}/spanloom-test-{os.getpid()}"
        try:
            os.mkdir(where)
        except OSError:
            continue
        if os.path.exists(f"{where}/{counter}"):
            return where, counter, unit
        os.rmdir(where)
    return None


@test
def counters_of_a_group():
    """Of children that nobody waits for, too, which no process tells of."""
    group = own_group()
    if not group:
        return note("no control group can be made here")
    where, counter, unit = group

    def cpu():
        with open(f"{where}/{counter}") as f:
            return int(f.read().split()[1 if counter == "cpu.stat" else 0]) * unit
    code = "import os, signal, subprocess, sys, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n" \
        "for i in range(100):\n    p = os.spawnv(os.P_NOWAIT, '/bin/true', ['true'])\n    while os.path.exists(f'/proc/{p}'): pass\n"
    try:
        p = subprocess.run([PROGRAM, "monitor", "--quiet", "--no-gpu", "-o", path("m"), sys.executable, "-c", code], cwd=path(), env=environment(),
                           preexec_fn=lambda: write(f"{where}/cgroup.procs", str(os.getpid())), check=True)
        rs = records(path("m"))
        total = cpu()  # of the monitor, too
    finally:
        until(lambda: not open(f"{where}/cgroup.procs").read(), "an empty group")
        os.rmdir(where)
    got = of(rs, "cgroup")[-1]["cpu_s"]
    close("of the group", got, total, 0.05)
    tree = of(rs, "tree")[-1]
    note(f"of the tree {tree['cpu_user_s'] + tree['cpu_system_s']:.3f} s")
    check(got >= tree["cpu_user_s"] + tree["cpu_system_s"] - 0.03)


@test
def a_fifth_of_the_cost():
    """The same fields, by CPU time of many readings one after the other: the machine may be busy, but not with us."""
    src = f"{ROOT}/src/collect/sampler"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-D_GNU_SOURCE", f"-I{ROOT}/src", "-o", path("sampler"), f"{ROOT}/bench/sampler.c",
                    f"{ROOT}/src/base/err.c", *sorted(f"{src}/{n}" for n in os.listdir(src) if n.endswith(".c")), "-lm", "-ldl"], check=True)
    cost = {k: float(v) for k, v in (line.split() for line in subprocess.check_output([path("sampler"), "200"], text=True).splitlines())}
    ours, theirs = cost["node"], float(subprocess.check_output([peers.python(), f"{ROOT}/bench/psutil_reading.py"], text=True))
    note(*(f"{k} {v} us" for k, v in cost.items()))
    note(f"{ours:.1f} us a reading, psutil {theirs:.1f} us")
    check(ours * 5 <= theirs, f"{ours} us, psutil {theirs} us")
    check(cost["tree-cpu"] <= 200 * 15, "15 ms of 1,000 processes")


main()
