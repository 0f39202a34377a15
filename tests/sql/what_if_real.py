#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""what_if() against runs of Parsl: what is predicted of one run, and what the other, in which one thing differs, really took."""
import os
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import *  # noqa

WORKFLOW_ID = "(SELECT id FROM spans WHERE type = 'parsl.rundir.workflow')"


def run(name):
    """Its store, and when its first worker was there, or its first task submitted, where threads run it."""
    with tarfile.open(f"{ROOT}/tests/data/replay.tar.gz") as t:
        t.extractall(path("."), [m for m in t.getmembers() if m.name.startswith(f"replay/{name}/")])
    f = imported(path(f"replay/{name}"), store=f"{name}.db").store
    row, = sql(f, """SELECT coalesce(min(time_ns) FILTER (WHERE s.type = 'parsl.executor.htex.worker'),
        min(time_ns) FILTER (WHERE s.type = 'parsl.rundir.task')) AS t FROM events e JOIN spans s ON s.id = e.span""")
    return f, int(row["t"]), name


def took(run, change="* x1"):
    """From there to the last task done, seconds: the start-up of workers is never the same twice."""
    f, start, _ = run
    row, = sql(f, f"SELECT max(new_done_ns) AS t FROM what_if({WORKFLOW_ID}, '{change}')")
    return (int(row["t"]) - start) / S


@cases(("bag-2", "bag-4", "workers x2", "workers = 2"), ("diamond-1", "diamond-4", "workers = 4", "workers.threads x0.25"),
       ("straggler", "straggler-repaired", "task 15 x0.1", "task 15 x10"), ("pipeline", "pipeline-fast", "align x0.5", "app align x2"),
       ("flaky", "flaky-repaired", "failed tries x0", None))
def what_if_of_real_runs(one, other, change, back):
    a, b = run(one), run(other)
    for x, y, how in ((a, b, change), (b, a, back)):
        if not how:
            continue
        was, want, got = took(x), took(y), took(x, how)
        note(f"{x[2]}, {how}: {was:.2f} s -> {got:.2f}, measured {want:.2f} ({100 * (got / want - 1):+.1f} %)")
        check(abs(got / want - 1) < 0.1, f"{x[2]}, {how}: predicted {got}, measured {want}")
        check(abs(was / want - 1) > 0.25, f"{was} and {want} are much the same, which proves nothing")


@test
def what_helps_names_what_was_planted():
    # of changes of that kind: more workers, or twice as fast an app, would help all of these
    for name, want, others in (("straggler", "task 15 (work) x", ("workers",)), ("flaky", "failed tries x0", ("workers", "app")),
                               ("pipeline", "app align x0.5", ("workers",)), ("bag-2", "workers x", ("workers, start-up",))):
        f, _, _ = run(name)
        rows = sql(f, f"SELECT change, new_makespan_s - makespan_s AS s FROM what_helps({WORKFLOW_ID}) ORDER BY 2")
        first = [r["change"] for r in rows if not r["change"].startswith(others)]
        check(first[0].startswith(want), f"{name}: {rows}")


@test
def newest_first_and_two_managers():
    """Work Queue hands out the newest task first; 48 tasks each of two executors, with 4 and 6 places, queue for most of 102 s.

    The tasks' own seconds, by the places of both, say how long twice as many workers take."""
    f = imported(f"{ROOT}/tests/data/workqueue-blocks", store="blocks.db").store
    rows = {r["change"]: r["new_makespan_s"] for r in sql(f, f"SELECT change, new_makespan_s FROM what_helps({WORKFLOW_ID})")}
    check({"workers x2", "workers.wq.a x2", "workers.wq_b x2"} <= set(rows), rows)
    row, = sql(f, f"SELECT max(s) AS s, max(first) AS first FROM (SELECT sum(run_s) / max(places) / 2 AS s, min(start_ns) / 1e9 AS first FROM task_times({WORKFLOW_ID}) t "
               "JOIN (SELECT s.id AS worker, s.parent, 2 * count(*) OVER (PARTITION BY s.parent) AS places FROM spans s WHERE type = 'workqueue.worker') w USING (worker) GROUP BY parent)")
    least = 11.5 + row["s"]
    check(least < rows["workers x2"] < least + 20, least, rows["workers x2"])
    row, = sql(f, f"SELECT DISTINCT bias FROM what_helps({WORKFLOW_ID})")
    check(abs(row["bias"]) < 0.03, row)


if __name__ == "__main__":
    main()
