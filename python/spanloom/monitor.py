# SPDX-License-Identifier: Apache-2.0
"""What the node is doing, from within a program: CPU, memory, disk and network as reports, and what they come to.

    from spanloom.monitor import PerformanceMetricsCollector, PerfReportPlotter

    collector = PerformanceMetricsCollector(max_length=1000)
    collector.start()
    ...
    collector.finalize()
    plotter = PerfReportPlotter(mlflow)              # whatever has log_metric(key, value, step=...)
    plotter.add_perf_reports(collector.perf_reports, node=rank)
    plotter.report_nodes_perf()

A report is a dict of numbers by the names of docs/monitor.md, with `timestamp` (Unix time). What the system does not
offer is not in it. Counters (disk_io_*_mb, net_io_*_mb, *_s) are since the thread was started, not since the boot.
spanloom-python(7) describes all of it.
"""
import json
import logging
import os
import tempfile
import threading
import time
from typing import Any, Callable, Dict, List, Optional

from _spanloom_sampler import Sampler

__all__ = ["PerformanceReportingThread", "PerformanceMetricsCollector", "PerfReportPlotter", "metrics"]

Report = Dict[str, float]
LEAST_INTERVAL = 0.1  # seconds: within less the kernel's CPU times say nothing
KEYS = ("cpu_pct_per_cpu_avg", "cpu_pct_per_cpu_min", "cpu_pct_per_cpu_max", "mem_percent", "disk_usage_percent",
        "disk_io_read_mb", "disk_io_write_mb", "net_io_lo_sent_mb", "net_io_ext_sent_mb", "net_io_lo_recv_mb",
        "net_io_ext_recv_mb", "cpus", "cpu_busy_s", "cpu_capacity_s", "uptime_s", "interval_s", "timestamp")


class PerformanceReportingThread(threading.Thread):
    """A thread that reads what the node is doing, and hands each report to a callback.

    From one report to the next it takes initial_time_increment seconds (time_increment, which may be changed), or
    cpu_interval where that is more; percentages of CPU are of the last cpu_interval seconds before a report.
    """

    def __init__(self, initial_time_increment: float = 1.0, cpu_interval: float = 1.0,
                 callback_on_loop: Optional[Callable[[Report], Any]] = None,
                 callback_on_exit: Optional[Callable[[], Any]] = None):
        threading.Thread.__init__(self, name="spanloom.monitor", daemon=True)
        self._killed = threading.Event()
        self.logger = logging.getLogger(__name__)
        self.time_increment = initial_time_increment
        self.cpu_interval = cpu_interval
        self.callback_on_loop = callback_on_loop
        self.callback_on_exit = callback_on_exit
        self._sampler: Optional[Sampler] = None

    @property
    def killed(self) -> bool:
        """Whether it is to end. Set it, also from the callback: it ends then, without waiting for the next report."""
        return self._killed.is_set()

    @killed.setter
    def killed(self, value: bool) -> None:
        if value:
            self._killed.set()
        else:
            self._killed.clear()

    def run(self) -> None:
        self._sampler = Sampler()
        due = read_at = time.monotonic()
        while not self.killed:
            window = max(self.cpu_interval, LEAST_INTERVAL * 1.05)
            due = max(due + max(self.time_increment, window), read_at + window)
            pause = due - window - time.monotonic()
            if pause > 0.001 and not self._killed.wait(pause):
                self._sampler.read()  # percentages are of what follows
                read_at = time.monotonic()
                due = max(due, read_at + window)
            self._killed.wait(max(0.0, due - time.monotonic()))
            self._run_loop()
            read_at = time.monotonic()
        if self.callback_on_exit:
            self.callback_on_exit()

    def _run_loop(self) -> None:
        assert self._sampler is not None
        report = self._sampler.read()
        if self.killed and "cpu_pct_per_cpu_avg" not in report:
            return  # at once after the last one
        if self.callback_on_loop:
            self.callback_on_loop({key: report[key] for key in KEYS if key in report})

    def finalize(self) -> None:
        """Tells the thread to end, and waits until it has."""
        self.killed = True
        if self.ident is not None and self is not threading.current_thread():
            self.join()


class PerformanceMetricsCollector:
    """Keeps reports of a thread, at most max_length (made even): where one more comes, every other one is dropped, and
    from then on only every second, fourth, eighth ... (perf_reports_freqs) is kept."""

    def __init__(self, max_length: int = 1000):
        if max_length < 1:
            raise ValueError(f"max_length is {max_length}, and must be at least 1")
        self.logger = logging.getLogger(__name__)
        self.report_thread = PerformanceReportingThread(initial_time_increment=1.0, cpu_interval=1.0,
                                                        callback_on_loop=self.append_perf_metrics)
        self.perf_reports: List[Report] = []
        self.perf_reports_freqs = 1
        self.perf_reports_counter = 0
        self.max_length = (max_length + 1) // 2 * 2

    def start(self) -> None:
        self.logger.info("Starting perf metric collector (max_length=%d)", self.max_length)
        self.report_thread.start()

    def finalize(self) -> None:
        self.logger.info("Finalizing perf metric collector (length=%d)", len(self.perf_reports))
        self.report_thread.finalize()

    def append_perf_metrics(self, perf_metrics: Report) -> None:
        self.perf_reports_counter += 1
        if self.perf_reports_counter % self.perf_reports_freqs:
            return
        self.perf_reports.append(perf_metrics)
        if len(self.perf_reports) > self.max_length:
            self.perf_reports = self.perf_reports[:self.max_length:2]
            self.perf_reports_freqs *= 2
            self.logger.warning("%d reports are the most: keeping one of %d from now on", self.max_length,
                                self.perf_reports_freqs)


def _elapsed(reports: List[Report]) -> List[float]:
    """Seconds that each report stands for: since the one before, in which the machine may have been suspended."""
    clock = "uptime_s" if all("uptime_s" in r for r in reports) else "timestamp"
    since = [max(0.0, b[clock] - a[clock]) for a, b in zip(reports, reports[1:])]
    first = reports[0].get("interval_s", sum(since) / len(since) if since else 0.0)
    if reports[0].get("cpus", 0) > 0 and "cpu_capacity_s" in reports[0]:
        first = reports[0]["cpu_capacity_s"] / reports[0]["cpus"]  # since the thread was started
    return [first] + since


def metrics(reports: List[Report]) -> Dict[str, float]:
    """What the reports of a node come to, by the names of `spanloom metrics`, which computes the same of the files of
    `spanloom monitor`. What no report has is not in it."""
    found: Dict[str, float] = {}
    if not reports:
        return found
    elapsed = _elapsed(reports)
    busy = [(r["cpu_pct_per_cpu_avg"], s) for r, s in zip(reports, elapsed) if "cpu_pct_per_cpu_avg" in r]
    if busy and sum(s for _, s in busy) <= 0:
        busy = [(pct, 1.0) for pct, _ in busy]
    if busy:
        total = sum(s for _, s in busy)
        found["cpu_avg_utilization_pct"] = sum(pct * s for pct, s in busy) / total
        for name, least in (("over20", 20), ("over40", 40), ("over80", 80), ("at100", 100)):
            found[f"cpu_avg_utilization_{name}_pct"] = 100.0 * sum(s for pct, s in busy if pct >= least) / total
        capacity = reports[-1].get("cpu_capacity_s", 0.0)
        if capacity > 0 and "cpu_busy_s" in reports[-1]:
            found["cpu_avg_utilization_pct"] = 100.0 * reports[-1]["cpu_busy_s"] / capacity
        cpus = os.cpu_count() or 1
        found["node_cpu_hours"] = sum(r.get("cpus", cpus) * s for r, s in zip(reports, elapsed)) / 3600
        found["node_unused_cpu_hours"] = found["node_cpu_hours"] * (1 - found["cpu_avg_utilization_pct"] / 100)
    for key in KEYS[:11]:
        values = [r[key] for r in reports if key in r]
        if values:
            found[f"total_{key}" if "_io_" in key else f"max_t_{key}"] = max(values)
    return found


class PerfReportPlotter:
    """The reports of all nodes, their summary as metrics, and as a file.

    metrics_logger has log_metric(key, value, step=node), as the module mlflow does. names: "table" for
    max_t_mem_percent, "code" for max_t_(mem_percent), which MLflow's servers refuse.
    """

    CODE_NAMES = {f"max_t_{key}": f"max_t_({key})" for key in KEYS[:4]}

    def __init__(self, metrics_logger: Any, names: str = "table"):
        if names not in ("table", "code"):
            raise ValueError(f"names is {names!r}, and must be 'table' or 'code'")
        self.all_reports: Dict[Any, List[Report]] = {}
        self.metrics_logger = metrics_logger
        self.names = names

    def save_to(self, perf_report_file_path: Optional[str] = None) -> str:
        """Writes all reports as JSON, {node: [report, ...]}, and gives the path: a new file where none is named."""
        if perf_report_file_path is None:
            number, perf_report_file_path = tempfile.mkstemp(prefix="spanloom-nodes-", suffix=".json")
            os.close(number)
        with open(perf_report_file_path, "w", encoding="utf-8") as out_file:
            json.dump(self.all_reports, out_file, indent="    ")
        return perf_report_file_path

    def add_perf_reports(self, perf_reports: List[Report], node: Any) -> None:
        self.all_reports[node] = perf_reports

    def report_nodes_perf(self) -> None:
        """Logs one value of each metric for each node, with the node as step."""
        for node, reports in self.all_reports.items():
            for name, value in metrics(reports).items():
                if self.names == "code":
                    name = self.CODE_NAMES.get(name, name)
                self.metrics_logger.log_metric(name, value, step=node)
