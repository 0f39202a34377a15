#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three "nodes" (network and host name of their own) that mpirun starts monitors on, and a real run of Parsl beside them
with a monitor of its own: imported together, each is what it was, and only the run's node is in the run."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import *  # noqa: E402
import monitor_files as files  # noqa: E402
import peers  # noqa: E402

peers.needs("parsl")
WORKFLOW = """
import parsl, time
from parsl import python_app
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.monitoring import MonitoringHub
from parsl.providers import LocalProvider

@python_app
def burn(seconds):
    import time
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

@python_app
def rest(seconds):
    import time
    time.sleep(seconds)

if __name__ == "__main__":
    parsl.load(Config(executors=[HighThroughputExecutor(label="htex", address="127.0.0.1", max_workers_per_node=2, cores_per_worker=1, provider=LocalProvider(init_blocks=1, max_blocks=1))],
                      monitoring=MonitoringHub(hub_address="127.0.0.1", resource_monitoring_enabled=True, resource_monitoring_interval=0.3)))
    for f in [burn(1.2), rest(1.2), burn(0.6), rest(0.3)]:
        f.result()
    parsl.dfk().cleanup()
"""
# the counters of a network of one's own are zero at first; 1 MiB and more through its loopback
LOAD = """ip link set lo up 2>/dev/null; python3 -c '
import socket, sys
s = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(s.getsockname()); e, _ = s.accept()
for _ in range(16 * (int(sys.argv[1]) + 1)):
    c.sendall(bytes(1 << 16)); n = 1 << 16
    while n: n -= len(e.recv(n))
' $OMPI_COMM_WORLD_RANK"""


def read_lines(file):
    with open(file) as f:
        return [x for x in map(json.loads, f) if x["record"] in ("monitor", "sample", "end")]


def monitors(folder):
    os.makedirs(folder)
    prefix = namespace("-n", "-u")
    write(path("load.sh"), LOAD)
    one = f"hostname node$OMPI_COMM_WORLD_RANK.cluster && exec {PROGRAM} monitor --quiet --interval 50ms --output {folder} -- sh {path('load.sh')}"
    r = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", *prefix, "sh", "-c", one], env=environment(), cwd=path(), capture_output=True,
                       text=True, timeout=PATIENCE)
    equal(r.returncode, 0, r.stderr[-2000:])


@test
def three_nodes_and_a_run():
    monitors(path("mon"))
    write(path("workflow.py"), WORKFLOW)
    env = environment(PATH=f"{peers.VENV}/bin:{os.environ['PATH']}")
    r = subprocess.run([PROGRAM, "monitor", "--quiet", "--interval", "200ms", "--output", path("mon"), "--", peers.python(), "workflow.py"], env=env, cwd=path(),
                       capture_output=True, text=True, timeout=PATIENCE)
    equal(r.returncode, 0, r.stderr[-2000:])
    store = imported(path("mon"), path("runinfo")).store
    equal(query(store, "SELECT count(*) FROM rejects WHERE path LIKE '%.jsonl'"), [(0,)])

    by_host = {lines[0]["host"]: lines for lines in (read_lines(path("mon", f)) for f in sorted(os.listdir(path("mon"))))}
    equal(sorted(by_host)[:3] if len(by_host) == 4 else sorted(by_host), ["node0.cluster", "node1.cluster", "node2.cluster"])
    rows = {row["host"]: row for row in json.loads(spanloom("metrics", "-d", store, "--format", "json").out)}
    equal(set(rows), set(by_host))
    for host, lines in by_host.items():
        for metric, want in files.summary(lines).items():
            check(abs(rows[host][metric] - want) <= 1e-9 * max(1, abs(want)), host, metric, rows[host][metric], want)
    for rank in range(3):
        row = rows[f"node{rank}.cluster"]
        equal(row["rank"], rank)
        if row["total_net_io_lo_recv_mb"] is not None and row["total_net_io_lo_recv_mb"] > 0:
            check(rank + 1 <= row["total_net_io_lo_recv_mb"] < rank + 1.5, "through its own loopback", row["total_net_io_lo_recv_mb"])

    here = os.uname().nodename
    linked = query(store, """SELECT a.value, s.type FROM links l JOIN attributes a ON a.span = l.right_span AND a.name = 'host' JOIN spans s ON s.id = l.left_span
        WHERE l.rule = 'node.run'""")
    equal([h for h, _ in linked], [here], "only the run's own node is in the run")
    usage = {u["what"]: u for u in json.loads(spanloom("usage", "-d", store, "--run", "000", "--format", "json").out)}
    total = by_host[here][-1]["cpu_busy_s"]
    check(abs(sum(u["cpu_s"] for u in usage.values()) - total) < 1e-6 * total, usage, total)
    check(usage["burn"]["cpu_s"] > 4 * usage["rest"]["cpu_s"] and usage["burn"]["measured"] == 2, usage)
    check(1.0 < usage["burn"]["cpu_s"] < 3.5, "1.8 seconds of CPU, and what Parsl needs beside", usage["burn"])
    check(usage["burn"]["requested_cpu_s"] > 1.8, "a core for each worker", usage["burn"])
    for by in ("task", "type"):
        spanloom("usage", "-d", store, "--by", by)


main()
