#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The findings of spanloom why about what was paid for and used: node hours, workers, CPUs and memory."""
import collections
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from schedules import *  # noqa


def finding(told, name):
    return next((f for f in told["findings"] if f["finding"] == name), None)


def readings():
    """Of the example's monitoring.db, by task that was tried once: [(time, CPU seconds, bytes resident, bytes read and written)]."""
    of = collections.defaultdict(list)
    for task, *row in query(f"{EXAMPLE}/{DB}", """SELECT task_id, (julianday(timestamp) - 2440587.5) * 86400, psutil_process_time_user + psutil_process_time_system,
            psutil_process_memory_resident, psutil_process_disk_read + psutil_process_disk_write FROM resource r
            WHERE task_id NOT IN (SELECT task_id FROM try WHERE try_id > 0) ORDER BY 1, 2"""):
        of[task].append(row)
    return {task: rows for task, rows in of.items() if len({r[0] for r in rows}) > 1}


@test
def tasks_that_wait_leave_the_cpus_to_others():
    imported(EXAMPLE)
    f = finding(why("spanloom.db", "--all"), "too-few-workers")
    check(f is not None)
    of = readings()
    cpu, seen = (sum(rows[-1][i] - rows[0][i] for rows in of.values()) for i in (1, 0))
    share = 100 * cpu / seen
    told = int(f["text"].split("computed for ")[1].split(" %")[0])
    check(abs(told - share) <= 1, share, f["text"])
    check(f["changes"] == "workers x2", f)


@test
def tasks_that_need_more_than_mem_per_worker():
    """A worker's share is set to 0.1 GB in the manager's log: all tasks that were read have more."""
    copy_run(path("less"), change=lambda log, data: data.replace(b"mem_per_worker: None", b"mem_per_worker: 0.1") if log.endswith("manager.log") else data)
    imported(path("less"), store="less.db")
    imported(EXAMPLE, store="as-it-was.db")
    equal(finding(why("as-it-was.db", "--all"), "memory-beyond"), None)
    told = [f["text"] for f in why("less.db", "--all")["findings"] if f["finding"] == "memory-beyond"]
    most = collections.defaultdict(float)
    for app, resident in query(f"{EXAMPLE}/{DB}", "SELECT task_func_name, max(psutil_process_memory_resident) FROM resource JOIN task USING (task_id) GROUP BY 1"):
        most[app] = resident / 2**20
    check(told and all(most[t.split(" of ")[1].split(" ")[0]] > 102.4 for t in told), told, most)
    check(any("of sleeper used more memory" in t and "of 102 MB" in t for t in told), told)


@test
def memory_bounds_how_many_workers_fit():
    """The node's memory is set to 420 MB in the logs: three tasks of 127 MB fit, so two more workers need a node."""
    copy_run(path("small"), change=lambda log, data: data.replace(b"25276510208", b"420000000"))
    for runs, room, kind in ((EXAMPLE, 13, "setting"), (path("small"), 1, "nodes")):
        store = imported(runs, store=f"{kind}.db").store
        name = json.loads(spanloom("runs", "-d", store, "--format", "json").out)[0]["run"]
        rooms = json.loads(spanloom("sql", "-d", store, "--run", name, "--format", "json", "SELECT room FROM pool WHERE tasks > 1").out)
        equal([r["room"] for r in rooms], [room])
        told = json.loads(spanloom("plan", "-d", store, "--target", "10%", "--format", "json", name).out)
        equal({s["repair"] for s in told["steps"] if "workers x" in s["changes"]} or None, {kind})


@test
def hours_that_were_paid_and_not_used():
    """Two tasks of 400 s, on 8 workers of 2 nodes: of 2 x 400 s of nodes three quarters were idle."""
    took = run([Task("a", 400), Task("a", 400)], workers=8, managers=2, hosts=("n1", "n2"), cpus=4)
    told = why("why.db", "--all")
    f = finding(told, "unused-hours")
    check(f and "75 %" in f["text"], f)
    hours = 2 * (took - 1) / 3600
    check(f"of {hours:.3g} node hours" in f["text"] or f"of {2 * took / 3600:.3g} node hours" in f["text"], hours, f["text"])
    f = finding(told, "fewer-workers")
    check(f and "half of the 8 places" in f["text"], f)


@test
def hours_that_were_used():
    run([Task("a", 100) for _ in range(64)], workers=8, managers=2, hosts=("n1", "n2"), cpus=4)
    told = why("why.db", "--all")
    equal([finding(told, n) for n in ("unused-hours", "fewer-workers")], [None, None])


@test
def a_plan_says_what_fewer_nodes_cost():
    """Four chains on 8 workers of two nodes: one node does, for half the hours."""
    run([Task("a", 100, after=[i - 4] if i >= 4 else []) for i in range(16)], workers=8, managers=2, hosts=("n1", "n2"), cpus=4)
    options = json.loads(spanloom("plan", "-d", "why.db", "--format", "json").out)["options"]
    was, = [o for o in options if not o["changes"]] or [None]
    half, = [o for o in options if o["changes"] == "workers x0.5"]
    check(was is None or abs(half["node_hours"] / was["node_hours"] - 0.5) < 0.01, options)
    check(half["makespan_s"] < 410, half)


if __name__ == "__main__":
    main()
