# SPDX-License-Identifier: Apache-2.0
"""Microseconds of CPU time that psutil takes for the fields of a report of perf.py, the least of some rounds."""
import time

import psutil


def reading():
    psutil.cpu_percent(percpu=True)
    psutil.virtual_memory().percent
    psutil.disk_usage("/").percent
    psutil.disk_io_counters(perdisk=False).read_bytes
    psutil.disk_io_counters(perdisk=False).write_bytes
    psutil.net_io_counters(pernic=True)
    time.time()


reading()
least = 1.0
for _ in range(7):
    before = time.process_time()
    for _ in range(200):
        reading()
    least = min(least, (time.process_time() - before) / 200)
print(f"{least * 1e6:.1f}")
