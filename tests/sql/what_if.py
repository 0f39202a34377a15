#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""what_if() on graphs worked out by hand."""
import sys
import os

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import *  # noqa


# ---- what_if() by hand

def new_times(f, w, changes, **options):
    """{task: (new first, new done)}, seconds"""
    return {r["task"]: (round((int(r["new_first_ns"]) - T0) / S, 6), round((int(r["new_done_ns"]) - T0) / S, 6))
            for r in sql(f, f"SELECT * FROM what_if({w}, '{changes}')", **options)}


def two_on_a_worker(pause, wait=0.25):
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=8))
    x = s.span(EXECUTOR, "htex", w)
    m = s.span("parsl.executor.htex.manager", "m", x)
    k = s.span("parsl.executor.htex.worker", "0", m, WORKER)
    a = s.task(w, "a", **sec(submitted=1, pending=1, launched=1, exec_done=3.5))
    b = s.task(w, "b", **sec(submitted=1.001, pending=1.001, launched=1.002, exec_done=6))
    s.htex(a, **sec(launched=1, received=1 + wait, completed=3), worker=k, manager=m, executor=x)
    s.htex(b, **sec(launched=1.002, received=3 + pause, completed=5), worker=k, manager=m, executor=x)
    return s.done(), w


@cases((0, 0.25), (0.001, 0.25), (0, 0), (0.001, 0))
def what_if_a_place_is_taken_at_once(pause, wait):
    # b has a's place: it begins when a is completed (3), or a millisecond later.  a begins at once (wait 0), or does not.
    f, w = two_on_a_worker(pause, wait)
    got = new_times(f, w, "running on a worker x0.5")
    completed = 1 + wait + (2 - wait) / 2
    equal(got, {"a": (1, completed + 0.5), "b": (1.001, round(completed + pause + (2 - pause) / 2 + 1, 6))})


@cases(0, 0.001)
def what_if_a_task_is_launched_at_once(pause):
    # b is submitted at 4, idle since c was done at 3.  It waits for a, done at 2, no more: with running x0.5 (a from 2 to 1.5, c
    # from 3 to 2) it is submitted at 3 and launched at once.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=8))
    a, c = (s.task(w, k, **sec(submitted=1, pending=1, launched=1, exec_done=t)) for k, t in (("a", 2), ("c", 3)))
    s.htex(a, **sec(launched=1, received=1, completed=2))
    s.htex(c, **sec(launched=1, received=1, completed=3))
    b = s.task(w, "b", [a], **sec(submitted=4, pending=4, launched=4 + pause, exec_done=6 + pause))
    s.htex(b, **sec(launched=4 + pause, received=4 + pause, completed=6 + pause))
    f = s.done()
    equal(new_times(f, w, "running on a worker x0.5"), {"a": (1, 1.5), "c": (1, 2), "b": (3, 4 + pause)})


@test
def what_if_a_round_takes_longer():
    # The driver waits until a (3) and b (2) are done, and then submits c (3.5).  b could be done a second later, says slack();
    # two seconds later it is the one that the driver waits for: until 4.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=6))
    a, b, c = (s.task(w, k, **sec(submitted=at, pending=at, launched=at, exec_done=t)) for k, at, t in (("a", 1, 3), ("b", 1.001, 2), ("c", 3.5, 5)))
    for task, at, t in ((a, 1, 3), (b, 1.001, 2), (c, 3.5, 5)):
        s.htex(task, **sec(launched=at, received=at, completed=t))
    s.attr(b, "app", "slow")
    f = s.done()
    is_slack(f, w, a=0, b=1, c=0)
    equal(new_times(f, w, "app=slow x3"), {"a": (1, 3), "b": (1.001, 3.998), "c": (4.498, 5.998)})


@test
def what_if_changes_what_it_says():
    # a: 1 s in the executor's queue, 2 s running, 0.5 s back; b waits for it: 0.25 s until it is launched, 1 s running.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=7))
    a = s.task(w, "a", **sec(submitted=1, pending=1, launched=1, exec_done=4.5))
    s.htex(a, **sec(launched=1, received=2, completed=4))
    b = s.task(w, "b", [a], **sec(submitted=1.001, pending=1.001, launched=4.75, exec_done=5.75))
    s.htex(b, **sec(launched=4.75, received=4.75, completed=5.75))
    s.attr(a, "task_func_name", "align_2")
    f = s.done()
    for changes, first, done, next_done, end in (
            ("running on a worker x0.5", 1, 3.5, 4.25, 5.5), ("htex worker x0.5", 1, 3.5, 4.25, 5.5), ("htex worker/running on a worker x0.5", 1, 3.5, 4.25, 5.5),
            ("*/running* x0.5", 1, 3.5, 4.25, 5.5), ("task_func_name=align* x0.5", 1, 3.5, 4.75, 6), ("task_func_name=align* x1.5", 1, 5.5, 6.75, 8),
            ("running on a worker x0.5, htex worker x0.5", 1, 3, 3.5, 4.75), ("running on a worker x4, htex worker x0.25", 1, 4.5, 5.75, 7),
            ("in the executor''s queue x0", 1, 3.5, 4.75, 6), ("executor x3", 1, 6.5, 7.75, 9), ("htex manager x0", 1, 4, 5.25, 6.5),
            ("parsl.executor.htex.worker.task x0", 1, 2, 2.25, 3.5), ("parsl.executor.htex.* x0", 1, 2, 2.25, 3.5), ("running on a worker x1e0", 1, 4.5, 5.75, 7)):
        got = new_times(f, w, changes)
        equal({k: got[k][1] for k in got}, {"a": done, "b": next_done}, changes)
        equal(got["a"][0], first, changes)
        row = sql(f, f"SELECT DISTINCT makespan_s, new_makespan_s FROM what_if({w}, '{changes}')")
        equal([(r["makespan_s"], round(r["new_makespan_s"], 6)) for r in row], [(7, end)], changes)
    # the driver's own time: before the first task, between the two submissions, after the last task
    got = sql(f, f"SELECT DISTINCT new_makespan_s FROM what_if({w}, 'driver x0')")
    equal([round(r["new_makespan_s"], 6) for r in got], [4.75], "driver x0")
    # all of it
    for x in (2, 0.5, 0):
        got = sql(f, f"SELECT DISTINCT new_makespan_s FROM what_if({w}, '* x{x}')")
        equal([round(r["new_makespan_s"], 6) for r in got], [7 * x], f"* x{x}")


@test
def what_if_of_what_lies_over_a_state():
    # a runs from 2 to 6; in it a program from 2.5 to 5, which calls f from 3 to 4.  Then 0.5 s back.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=7))
    a = s.task(w, "a", **sec(submitted=1, pending=1, launched=1, exec_done=6.5))
    y = s.htex(a, **sec(launched=1, received=2, completed=6))
    process = s.span("trace.process", "p", **sec(begin=2.5, end=5))
    call = s.span("trace.call", "f", process, **sec(begin=3, end=4))
    s.link(y, IN, process)
    f = s.done()
    equal([p[3:] for p in critical(f, w)[0] if p[2] == "a"][-6:-1],
          [("htex worker", "running on a worker"), ("trace.process", "after begin"), ("program", "in f"), ("trace.process", "after begin"), ("htex worker", "running on a worker")])
    for changes, done in (("* x1", 6.5), ("running on a worker x1", 6.5), ("running on a worker x0.5", 4.5), ("htex worker x0.5", 4.5),
                          ("parsl.executor.htex.worker.task x0.5", 4.25), ("*/running* x0", 2.5), ("program x0.5", 6), ("in f x2", 7.5), ("trace.call x0.5", 6),
                          ("trace.process x0.5", 5.75), ("running on a worker x0.5, in f x0", 4)):
        equal(new_times(f, w, changes), {"a": (1, done)}, changes)


@test
def what_if_of_processes_that_begin_after_calls():
    # One after another, on one worker: a (2 to 4) calls f from 2.5 to 3.5, in a process that had begun before; b (4 to 6) begins a process (4.5 to
    # 5.5), which calls g from 4.75 to 5.25; c (6 to 8) begins one, too (6.5 to 7.5), and then something else happens in it, from 6.75 to 7.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=9))
    x = s.span(EXECUTOR, "htex", w)
    m = s.span("parsl.executor.htex.manager", "m", x)
    k = s.span("parsl.executor.htex.worker", "0", m, WORKER)
    ran = []
    for i, key in enumerate("abc"):
        at = 2 + 2 * i
        task = s.task(w, key, **sec(submitted=1 + i / 1000, pending=1 + i / 1000, launched=1 + i / 1000, exec_done=at + 2))
        ran.append(s.htex(task, **sec(launched=1 + i / 1000, received=at, completed=at + 2), worker=k, manager=m, executor=x))
    s.link(ran[0], IN, s.span("trace.call", "f", **sec(begin=2.5, end=3.5)))
    process = s.span("trace.process", "p", **sec(begin=4.5, end=5.5))
    s.span("trace.call", "g", process, **sec(begin=4.75, end=5.25))
    s.link(ran[1], IN, process)
    process = s.span("trace.process", "q", **sec(begin=6.5, end=7.5))
    s.span("other", "o", process, **sec(opened=6.75, closed=7))
    s.link(ran[2], IN, process)
    f = s.done()
    running, own = ("htex worker", "running on a worker"), ("trace.process", "after begin")
    equal([p[3:] for p in joined(critical(f, w)[0]) if p[0] >= 6 * S][:-1], [running, own, ("other", "after opened"), own, running])
    for changes, *done in (("* x1.0", 4, 6, 8), ("running on a worker x0.5", 3, 4, 5), ("in f x0.5", 3.5, 5.5, 7.5), ("trace.call x0", 3, 4.5, 6.5),
                           ("trace.process x0.5", 4, 5.75, 7.375), ("other x0", 4, 6, 7.75), ("program x2", 5, 7.5, 9.5)):
        equal([t[1] for t in new_times(f, w, changes).values()], done, changes)


@test
def what_if_of_traced_tasks():
    # tasks 3 to 6 are apps that slept for 20 ms within a traced function (tests/data/README.md)
    f = imported(f"{ROOT}/tests/data/parsl-2026-traced/runinfo").store
    w, = (i for i, in query(f, "SELECT id FROM spans WHERE type = 'parsl.rundir.workflow'"))
    took = {r["task"]: r["seconds"] for r in sql(f, f"""SELECT t.key AS task, (max(e.time_ns) FILTER (WHERE e.type LIKE 'worker_completed%')
        - max(e.time_ns) FILTER (WHERE e.type LIKE 'worker_received%')) / 1e9 AS seconds FROM spans t, descendants(t.id) d, events e
        WHERE t.type = 'parsl.rundir.task' AND e.span = d.span GROUP BY t.key""") if r["seconds"]}
    equal(sorted(took), [str(i) for i in range(7)])

    def saved(changes):
        rows = sql(f, f"SELECT task, done_ns - first_ns - (new_done_ns - new_first_ns) AS ns FROM what_if({w}, '{changes}')")
        return {r["task"]: int(r["ns"]) / S for r in rows}

    equal({k: v for k, v in saved("* x1").items() if v}, {})
    for task, s in saved("running on a worker x0.5").items():
        check(s >= took[task] / 2 - 1e-6, "half of what it took", task, took[task], s)
    for task, s in saved("program/in work x0.5").items():
        check(s >= 0.01 if int(task) >= 3 else s > -1e-9, "the traced part alone", task, s)


@test
def what_if_says_what_is_wrong():
    f, w = two_on_a_worker(0.001)
    for changes in ("", " ", "x", "x0.5", "running on a worker", "running on a worker x", "running on a worker x-1", "running on a worker xnan",
                    "running on a worker xinf", "running on a worker x1e999", "running on a worker x0.5x", "running on a worker x0.5 y", "no such state x2",
                    "app=nothing x2", "=x x2", "running on a worker x0.5,", ",", "running on a worker 0.5"):
        r = spanloom("sql", "-d", f, f"SELECT count(*) FROM what_if({w}, '{changes}')", code=1)
        check(r.err.startswith("spanloom: ") and "what_if" in r.err, f"{changes!r}: {r}")
        equal(r.err.count("\n") > 1, "no such" in changes or "nothing" in changes or "=x" in changes, f"{changes!r}: more than a line, which lists what there is")
        if changes.strip():
            r = spanloom("what-if", "-d", f, changes, code=(1, 2))
            check(r.err.startswith("spanloom: ") and not r.out, r)
    for text in ("what_if()", f"what_if({w})", "critical_path()", "slack()"):
        r = spanloom("sql", "-d", f, f"SELECT * FROM {text}", code=1)
        check(r.err.startswith("spanloom: "), r)
    for i in ("NULL", "'x'", "-1", "1e99", "x''"):  # no such span: no rows, or a clear message
        for text in (f"what_if({i}, 'running on a worker x0.5')", f"critical_path({i})", f"slack({i})"):
            r = spanloom("sql", "-d", f, f"SELECT * FROM {text}", code=(0, 1))
            check(r.code == 0 and not r.out.strip() or r.code and r.err.startswith("spanloom: ") or r.out.count("\n") == 1, r)


if __name__ == "__main__":
    main()
