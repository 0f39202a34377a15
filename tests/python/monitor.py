#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom.monitor on every Python that is here: the thread and its callbacks, halving, summaries, what is saved."""
import logging
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pythons import *  # noqa
import monitor_files as files

sys.path[:0] = PACKAGES.split(":")
from spanloom import monitor  # noqa: E402

KEYS = {"cpu_pct_per_cpu_avg", "cpu_pct_per_cpu_min", "cpu_pct_per_cpu_max", "mem_percent", "disk_usage_percent", "disk_io_read_mb", "disk_io_write_mb",
        "net_io_lo_sent_mb", "net_io_ext_sent_mb", "net_io_lo_recv_mb", "net_io_ext_recv_mb", "timestamp"}


@cases(*VERSIONS)
def reports(version):
    """The program asks for three reports, and ends the thread from the callback."""
    code = """if 1:
        import json, threading, time
        from spanloom.monitor import PerformanceReportingThread
        got, ends = [], []
        def loop(report):
            got.append(report)
            if len(got) == 3:
                thread.killed = True
        thread = PerformanceReportingThread(0.15, 0.1, loop, lambda: ends.append(1))
        began = time.time()
        thread.start()
        thread.join()
        thread.finalize()
        assert thread.killed and isinstance(thread, threading.Thread) and thread.time_increment == 0.15 and thread.cpu_interval == 0.1
        print(json.dumps([got, ends, began, time.time()]))"""
    r = subprocess.run([python(version), "-c", code], env={**os.environ, "PYTHONPATH": PACKAGES}, capture_output=True, text=True, timeout=PATIENCE)
    equal((r.returncode, r.stderr), (0, ""), version)
    got, ends, began, ended = json.loads(r.stdout)
    equal((len(got), ends), (3, [1]))
    for report in got:
        missing = KEYS - set(report)
        check(not missing - {k for k in KEYS if k.startswith("disk_io")}, missing)  # a container may have no disks
        check(0 <= report["cpu_pct_per_cpu_min"] <= report["cpu_pct_per_cpu_avg"] <= report["cpu_pct_per_cpu_max"] <= 100, report)
        check(began <= report["timestamp"] <= ended and 0 < report["mem_percent"] < 100, report)
    check(all(b["timestamp"] - a["timestamp"] > 0.1 and b["uptime_s"] > a["uptime_s"] for a, b in zip(got, got[1:])), [g["timestamp"] for g in got])


def kernel():
    """(memory that is not available in percent, bytes received by loopback)"""
    with open("/proc/meminfo") as f:
        mem = {line.split(":")[0]: int(line.split()[1]) for line in f}
    with open("/proc/net/dev") as f:
        [lo] = [line.split(":")[1].split() for line in f if line.strip().startswith("lo:")]
    return 100 * (1 - mem["MemAvailable"] / mem["MemTotal"]), int(lo[0]), int(lo[8])


@test
def figures_lie_between_two_readings_of_the_kernel():
    """A load of known size goes through loopback: counters are since the sampler was made."""
    size = 16 << 20
    before = kernel()
    s = monitor.Sampler()
    inner = kernel()
    server = socket.create_server(("127.0.0.1", 0))
    to = socket.create_connection(server.getsockname())
    end, _ = server.accept()
    sender = threading.Thread(target=to.sendall, args=(bytes(size),))
    sender.start()
    left = size
    while left:
        left -= len(end.recv(1 << 16))
    sender.join()
    almost = kernel()
    r = s.read()
    after = kernel()
    for key, k in (("net_io_lo_recv_mb", 1), ("net_io_lo_sent_mb", 2)):
        check((almost[k] - inner[k]) / 2**20 - 1e-5 <= r[key] <= (after[k] - before[k]) / 2**20 + 1e-5, key, r[key])
        check(r[key] >= size / 2**20, key, r[key])
    low, high = sorted((almost[0], after[0]))
    check(low - 1 <= r["mem_percent"] <= high + 1, low, r["mem_percent"], high)
    usage = os.statvfs("/")
    check(abs(r["disk_usage_percent"] - 100 * (usage.f_blocks - usage.f_bfree) / (usage.f_blocks - usage.f_bfree + usage.f_bavail)) < 1, r["disk_usage_percent"])


@test
def a_sampler_is_of_its_process():
    s = monitor.Sampler()
    pid = os.fork()
    if not pid:
        try:
            s.read()
        except RuntimeError:
            os._exit(7)
        os._exit(0)
    equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 7)
    try:
        monitor.Sampler(proc=path("nowhere"))
    except OSError as e:
        check("nowhere" in str(e), e)
    else:
        raise AssertionError("there is no such /proc")


def expected(max_length, n):
    """Which of reports 1 to n are kept: each that the present frequency takes; one too many, and every other one of the first max_length stays."""
    max_length, kept, every = (max_length + 1) // 2 * 2, [], 1
    for i in range(1, n + 1):
        if i % every == 0:
            kept.append(i)
        if len(kept) == max_length + 1:
            del kept[max_length:], kept[1::2]
            every *= 2
    return kept, every, max_length


@cases(1, 2, 3, 10, 1000)
def halving(max_length):
    logging.disable(logging.WARNING)
    c = monitor.PerformanceMetricsCollector(max_length)
    for i in range(1, 5 * max_length + 20):
        c.append_perf_metrics(i)
        kept, every, most = expected(max_length, i) if i < 60 or i % 97 == 0 else (None, None, None)
        if kept is not None:
            equal((c.perf_reports, c.perf_reports_freqs, c.max_length, c.perf_reports_counter), (kept, every, most, i))


@test
def a_collector_keeps_what_its_thread_reports():
    c = monitor.PerformanceMetricsCollector()
    c.report_thread.time_increment = c.report_thread.cpu_interval = 0.1
    c.start()
    until(lambda: len(c.perf_reports) > 1, "reports")
    c.finalize()
    check(not c.report_thread.is_alive(), "it goes on")
    n = len(c.perf_reports)
    c.finalize()
    equal(len(c.perf_reports), n)


class Logger:
    def __init__(self):
        self.got = {}

    def log_metric(self, key, value, step=None):
        check((key, step) not in self.got, key, step)
        self.got[key, step] = value


@test
def summaries_are_those_of_the_command():
    nodes = {i: files.node(h, 5 + i, rank=i, n=20 + i) for i, h in enumerate("abc")}
    logger = Logger()
    plotter = monitor.PerfReportPlotter(logger)
    for step, lines in nodes.items():
        plotter.add_perf_reports(lines[1:], step)
        write(path("mon", files.name(lines)), files.text(lines))
    plotter.report_nodes_perf()
    rows = json.loads(spanloom("metrics", path("mon"), "--format", "json").out)
    for step, lines in nodes.items():
        for metric, want in files.summary(lines).items():
            for got in (logger.got[metric, step], rows[step][metric]):
                check(abs(got - want) <= 1e-9 * max(1, abs(want)), metric, got, want)
    saved = plotter.save_to()
    with open(saved) as f:
        equal(json.load(f), {str(k): v for k, v in plotter.all_reports.items()})
    with open(plotter.save_to(path("named.json"))) as f:
        check(f.read().startswith('{\n    "0": [\n        {\n            "record"'), "four blanks")
    os.remove(saved)
    code = monitor.PerfReportPlotter(Logger(), names="code")
    code.add_perf_reports(nodes[0][1:], 0)
    code.report_nodes_perf()
    equal({k for k, _ in code.metrics_logger.got} - {k for k, _ in logger.got}, {f"max_t_({k})" for k in (
        "cpu_pct_per_cpu_avg", "cpu_pct_per_cpu_min", "cpu_pct_per_cpu_max", "mem_percent")})


@test
def reports_of_others_will_do():
    """Of psutil, say: no clock but the timestamp, nothing of CPUs; one report; none."""
    rows = [{"timestamp": 100.0 + i, "cpu_pct_per_cpu_avg": pct, "mem_percent": 5.0} for i, pct in enumerate((10.0, 50.0, 90.0))]
    m = monitor.metrics(rows)
    equal((m["cpu_avg_utilization_pct"], m["cpu_avg_utilization_over40_pct"], m["max_t_mem_percent"]), (50.0, 100 * 2 / 3, 5.0))
    check(abs(m["node_cpu_hours"] - 3 * os.cpu_count() / 3600) < 1e-12 and "total_disk_io_read_mb" not in m, m)
    equal(monitor.metrics(rows[:1])["cpu_avg_utilization_pct"], 10.0)
    equal(monitor.metrics([]), {})


main()
