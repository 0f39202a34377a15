#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom.monitor beside psutil: each figure lies between psutil's of just before and just after, on loads of known size."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import *  # noqa: E402
import peers  # noqa: E402

peers.needs("psutil")
BUILD = os.environ.get("BUILD", f"{ROOT}/build-gcc")
PROGRAM_ = '''
import json, os, sys, time, psutil
from _spanloom_sampler import Sampler

def now():
    t, disk, nics = psutil.cpu_times(), psutil.disk_io_counters(), psutil.net_io_counters(pernic=True)
    lo = [v for k, v in nics.items() if k == "lo"]
    ext = [v for k, v in nics.items() if k != "lo"]
    return {
        "cpu_busy_s": t.user + t.nice + t.system + t.irq + t.softirq + t.steal,
        "cpu_capacity_s": t.user + t.nice + t.system + t.irq + t.softirq + t.steal + t.idle + t.iowait,
        **({"disk_io_read_mb": disk.read_bytes / 2**20, "disk_io_write_mb": disk.write_bytes / 2**20} if disk else {}),
        "net_io_lo_sent_mb": sum(n.bytes_sent for n in lo) / 2**20, "net_io_lo_recv_mb": sum(n.bytes_recv for n in lo) / 2**20,
        "net_io_ext_sent_mb": sum(n.bytes_sent for n in ext) / 2**20, "net_io_ext_recv_mb": sum(n.bytes_recv for n in ext) / 2**20,
    }, {"mem_percent": psutil.virtual_memory().percent, "disk_usage_percent": psutil.disk_usage("/").percent}

a = now()
s = Sampler()
b = now()
end = time.process_time() + float(sys.argv[1])
while time.process_time() < end:
    pass
with open(sys.argv[2], "wb") as f:
    f.write(os.urandom(1 << 20) * 24)
    f.flush()
    os.fsync(f.fileno())
c = now()
r = s.read()
d = now()
print(json.dumps([a, b, c, d, r, psutil.cpu_count()]))
'''


@test
def every_field_lies_between():
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/python:{BUILD}/python"}
    r = subprocess.run([peers.python(), "-c", PROGRAM_, "0.5", path("written")], env=env, capture_output=True, text=True, timeout=PATIENCE)
    equal((r.returncode, r.stderr), (0, ""))
    a, b, c, d, got, cpus = json.loads(r.stdout)
    equal(got["cpus"], cpus)
    for key in a[0]:
        grain = 0.011 * cpus * 8 if key.startswith("cpu") else 1e-6  # eight times of each CPU, each in hundredths of a second
        check(c[0][key] - b[0][key] - grain <= got[key] <= d[0][key] - a[0][key] + grain, key, c[0][key] - b[0][key], got[key], d[0][key] - a[0][key])
    check(got["cpu_busy_s"] >= 0.45, got["cpu_busy_s"])
    for key in c[1]:
        low, high = sorted((c[1][key], d[1][key]))
        check(low - 0.6 <= got[key] <= high + 0.6, key, low, got[key], high)
    grain = 100 * 0.02 * cpus / got["cpu_capacity_s"]  # times of a CPU are a hundredth of a second more or less than those of another one
    check(abs(got["cpu_pct_per_cpu_avg"] - 100 * got["cpu_busy_s"] / got["cpu_capacity_s"]) < 0.01 + grain, "since the sampler was made", got)


main()
