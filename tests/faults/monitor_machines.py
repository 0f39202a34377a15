#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`spanloom monitor` on machines that are not here: folders of files in the place of /proc and /sys, a library in that of NVML."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from monitors import *  # noqa

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
    write(path("proc/self/cgroup"), cgroup)
    p = start(*FAST, *m.options(), "-o", path("m"))
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
        rare = {"signal", "lost", "lost_why", "unread", "unread_why", "clock_steps_s", "suspended_s", "counters_reset", "counters_wrapped"} | pressures
        equal(sorted(documented - seen - rare), [], f"documented, and never seen in {kind}")


main()
