# SPDX-License-Identifier: Apache-2.0
"""Files as `spanloom monitor` writes them (docs/monitor.md), of nodes whose figures are made up, and what they come to,
worked out from the lines alone."""
import json
import random

T0 = 1795162290.25  # five seconds before the workers of examples/parsl-htex
SUMMARY = ("cpu_avg_utilization_pct", "cpu_avg_utilization_over20_pct", "cpu_avg_utilization_over40_pct", "cpu_avg_utilization_over80_pct",
           "cpu_avg_utilization_at100_pct", "max_t_cpu_pct_per_cpu_avg", "max_t_cpu_pct_per_cpu_max", "max_t_cpu_pct_per_cpu_min",
           "node_cpu_hours", "node_unused_cpu_hours", "max_t_mem_percent", "max_t_disk_usage_percent", "total_disk_io_read_mb",
           "total_disk_io_write_mb", "total_net_io_lo_sent_mb", "total_net_io_ext_sent_mb", "total_net_io_lo_recv_mb", "total_net_io_ext_recv_mb")


def node(host, pid=77, rank=None, n=30, cpus=4, began=T0, seed=1, end=True, job=None, offers=lambda key: True, busy=None):
    """The lines of a file, as objects. offers(key): does the system have that; busy(i): how busy, in percent."""
    r = random.Random(f"{seed} {host}")
    first = {"record": "monitor", "format": 1, "version": "0.1.0", "host": host, "rank": None if rank is None else str(rank), "pid": pid, "timestamp": began,
             "uptime_s": 1000.5, "interval_s": 1.0, "max_length": 1000, "cpus": cpus, "memory_mb": 8000, "mode": "node", "job": job or {}}
    lines = [{k: v for k, v in first.items() if v is not None}]
    counters = dict.fromkeys(("disk_io_read_mb", "disk_io_write_mb", "net_io_lo_sent_mb", "net_io_lo_recv_mb", "net_io_ext_sent_mb",
                              "net_io_ext_recv_mb", "cpu_busy_s", "cpu_capacity_s"), 0.0)
    for i in range(1, n + 1 + end):
        last = i > n
        step = 0.5 if last else 1.0
        pct = busy(i) if busy else r.choice((100.0, r.uniform(0, 100), 20.0, 40.0, 80.0, 79.99))
        for key in counters:
            counters[key] = round(counters[key] + (pct / 100 * cpus * step if key == "cpu_busy_s" else cpus * step if key == "cpu_capacity_s"
                                                   else r.expovariate(1)), 6)
        mem = round(r.uniform(15, 90), 2)
        figures = {"uptime_s": 1000.5 + min(i, n) + (0.5 if last else 0), "interval_s": step, "cpu_pct_per_cpu_avg": pct,
                   "cpu_pct_per_cpu_min": pct / 3, "cpu_pct_per_cpu_max": min(100.0, pct * 1.5), "mem_percent": mem,
                   "disk_usage_percent": round(r.uniform(1, 99), 2), **counters, "cpus": cpus, "mem_available_mb": 8000 * (1 - mem / 100),
                   "cpu_pct": [pct] * cpus, "disks": {"sda": {"read_mb": counters["disk_io_read_mb"]}}}
        figures = {k: v for k, v in figures.items() if offers(k)}
        when = began + min(i, n) + (0.5 if last else 0)
        lines.append({"record": "end", "timestamp": when, **figures, "why": "signal", "signal": 15, "taken": n, "kept": n} if last
                     else {"record": "sample", "n": i, "timestamp": when, **figures})
    return lines


def text(lines):
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def name(lines):
    return f"spanloom-monitor.{lines[0]['host']}.{lines[0]['pid']}.jsonl"


def summary(lines):
    """What `spanloom metrics` must say of a file, by the definitions of docs/monitor.md."""
    first, samples = lines[0], [line for line in lines if line["record"] in ("sample", "end")]
    before, elapsed = first["uptime_s"], []
    for s in samples:
        elapsed.append(s["uptime_s"] - before)
        before = s["uptime_s"]
    busy = [(s["cpu_pct_per_cpu_avg"], e) for s, e in zip(samples, elapsed) if "cpu_pct_per_cpu_avg" in s]
    total = sum(e for _, e in busy)
    found = {}
    if "cpu_busy_s" in samples[-1]:
        found["cpu_avg_utilization_pct"] = 100 * samples[-1]["cpu_busy_s"] / samples[-1]["cpu_capacity_s"]
    elif busy:
        found["cpu_avg_utilization_pct"] = sum(p * e for p, e in busy) / total
    for word, least in (("over20", 20), ("over40", 40), ("over80", 80), ("at100", 100)) if busy else ():
        found[f"cpu_avg_utilization_{word}_pct"] = 100 * sum(e for p, e in busy if p >= least) / total
    found["node_cpu_hours"] = sum(s.get("cpus", first["cpus"]) * e for s, e in zip(samples, elapsed)) / 3600
    if "cpu_avg_utilization_pct" in found:
        found["node_unused_cpu_hours"] = found["node_cpu_hours"] * (1 - found["cpu_avg_utilization_pct"] / 100)
    for metric in SUMMARY:
        key = metric.replace("max_t_", "").replace("total_", "")
        values = [s[key] for s in samples if key in s]
        if values and metric not in found:
            found[metric] = max(values) if metric.startswith("max_t_") else samples[-1].get(key, values[-1])
    return found
