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
def what_if_of_tasks_that_are_joined():
    # The function of j runs in the driver, before a worker is there (5): it has none, whatever monitoring says.  Of a and b, one
    # after the other on one worker, the second ends sooner with two.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=9))
    x = s.span(EXECUTOR, "htex", w)
    m = s.span("parsl.executor.htex.manager", "m", x)
    k = s.span("parsl.executor.htex.worker", "0", m, WORKER, **sec(started=5))
    inner = [s.task(w, key, **sec(submitted=1.005, pending=1.005, launched=1.006, exec_done=t)) for key, t in (("a", 7), ("b", 9))]
    for n, i in enumerate(inner):
        s.htex(i, **sec(launched=1.006, received=5 + 2 * n, completed=7 + 2 * n), worker=k, manager=m, executor=x)
    j = s.task(w, "j", inner, **sec(submitted=1, pending=1, launched=1, joining=1.01, exec_done=9))
    s.span("parsl.monitoring.try", 0, j, MONITORING, **sec(launched=1, running=1.001, running_ended=1.009))
    f = s.done()
    equal(new_times(f, w, "workers x2"), {"a": (1.005, 7), "b": (1.005, 7), "j": (1, 7)})
    equal(new_times(f, w, "running on a worker x0.5")["b"], (1.005, 7))


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


@cases((3.5, 0.5), (2.05, 0.05))
def what_if_the_driver_waited_for_no_task(at, own):
    # It submits c at 3.5, once a (3) and b (2) are done, or at 2.05, right after b.  What it does itself then stays.  What it submits
    # without a pause follows it; d begins when b leaves one of three places (2).  What waits by itself for another (e: a) still does.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=7))
    times = {"a": (1, 3), "b": (1.001, 2), "c": (at, 5), "d": (at + 0.002, 5.5)}
    ids = {k: s.task(w, k, **sec(submitted=t, pending=t, launched=t, exec_done=done)) for k, (t, done) in times.items()}
    for k, (t, done) in times.items():
        s.htex(ids[k], **sec(launched=t, received=t, completed=done))
    e = s.task(w, "e", [ids["a"]], **sec(submitted=at + 0.003, pending=at + 0.003, launched=max(3, at + 0.003) + 0.1, exec_done=6))
    s.htex(e, **sec(launched=max(3, at + 0.003) + 0.1, received=max(3, at + 0.003) + 0.1, completed=6))
    f = s.done()
    c, ran = 1.001 + own, 6 - max(3, at + 0.003) - 0.1
    expected = {"a": (1, 3), "b": (1.001, 2), "c": (c, c + 5 - at), "d": (2, 2 + 5.5 - at - 0.002), "e": (2.001, 3.1 + ran)}
    equal(new_times(f, w, "barriers x0"), {k: (round(x, 6), round(y, 6)) for k, (x, y) in expected.items()})
    r = spanloom("what-if", "-d", f, "barriers x0.5", code=(1, 2))
    check("barriers x0" in r.err, r.err)


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


# ---- workers

def line(n, workers, there=0, run=2, **options):
    """n tasks submitted at 1, each runs so long, on workers that are there from `there` on, first come, first served."""
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=100))
    x = s.span(EXECUTOR, options.get("executor", "htex"), w)
    m = s.span("parsl.executor.htex.manager", "m", s.span("parsl.rundir.block", "0", x))
    ks = [s.span("parsl.executor.htex.worker", k, m, WORKER + k, **sec(started=there)) for k in range(workers)]
    free = [max(there, 1)] * workers
    tasks = []
    for i in range(n):
        k = min(range(workers), key=lambda k: free[k])
        tasks.append(s.task(w, i, **sec(submitted=1, pending=1, launched=1, exec_done=free[k] + run)))
        s.htex(tasks[i], **sec(launched=1, received=free[k], completed=free[k] + run), worker=ks[k], manager=m, executor=x)
        free[k] += run
    return s, w, x, tasks


@test
def what_if_more_and_fewer_workers():
    # 8 tasks of 2 s, two workers that are there at 3: done at 5, 7, 9, 11.
    s, w, x, tasks = line(8, 2, there=3)
    f = s.done()
    for change, end in (("workers x1", 11), ("workers x2", 7), ("workers = 4", 7), ("workers = 3", 9), ("workers x4", 5), ("workers = 1000000000", 5), ("workers = 1", 19),
                        ("workers x0.5", 19), ("workers x0.001", 19), ("workers.htex x2", 7), ("workers.h* = 4", 7), ("workers x2, workers x2", 5),
                        ("workers/start-up x0", 9), ("workers, start-up x0, workers x2", 5), ("workers x2, running on a worker x0.5", 5)):
        got = new_times(f, w, change)
        equal(max(t[1] for t in got.values()), end, change)
    row, = sql(f, f"SELECT DISTINCT assumed, bias FROM what_if({w}, 'workers x2')")
    check(row["assumed"].startswith("htex: 4 workers instead of 2;"), row)
    equal(row["bias"], 0)


@test
def what_if_a_worker_was_lost():
    # Two workers; the second runs one task and is gone: the rest waits for the first.  Ten times as many of both: only those of the first go on.
    s, w, x, tasks = line(1, 1)
    m = s.span("parsl.executor.htex.manager", "n", x)
    gone = s.span("parsl.executor.htex.worker", 7, m, WORKER + 7, **sec(started=0))
    stays = s.span("parsl.executor.htex.worker", 8, m, WORKER + 8, **sec(started=0))
    for i in range(6):
        at = 1 if i == 0 else 1 + 2 * (i - 1)
        t = s.task(w, f"b{i}", **sec(submitted=1, pending=1, launched=1, exec_done=at + 2))
        s.htex(t, **sec(launched=1, received=at, completed=at + 2), worker=gone if i == 0 else stays, manager=m, executor=x)
    f = s.done()
    equal(max(t[1] for t in new_times(f, w, "workers x1").values()), 11)
    got = max(t[1] for t in new_times(f, w, "workers x2").values())
    check(got in (5, 7), got)  # six workers for seven tasks until 3, two from then on


@test
def what_if_several_executors():
    s, w, x, tasks = line(6, 1)
    y = s.span(EXECUTOR, "other", w)
    k = s.span("parsl.executor.htex.worker", 9, s.span("parsl.executor.htex.manager", "n", y), WORKER + 9, **sec(started=0))
    for i in range(2):
        t = s.task(w, f"o{i}", **sec(submitted=1, pending=1, launched=1, exec_done=3 + 2 * i))
        s.htex(t, **sec(launched=1, received=1 + 2 * i, completed=3 + 2 * i), worker=k, executor=y)
    f = s.done()
    for change, end, other in (("workers x2", 7, 3), ("workers.htex = 3", 5, 5), ("workers.other x2", 13, 3)):
        got = new_times(f, w, change)
        equal((max(t[1] for t in got.values()), got["o1"][1]), (end, other), change)
    r = spanloom("what-if", "-d", f, "workers = 4", code=1)
    check("say of which: workers.htex (1), workers.other (1)" in r.err, r)


@test
def what_if_tries_had_not_failed():
    # a fails at 3 after two seconds, waits until 4 for its next try, which runs from 4 to 6; b has to wait for the only worker meanwhile.  c fails at last.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=20))
    x = s.span(EXECUTOR, "htex", w)
    m = s.span("parsl.executor.htex.manager", "m", x)
    k = s.span("parsl.executor.htex.worker", 0, m, WORKER, **sec(started=0))
    a = s.task(w, "a", **sec(submitted=1, pending=1, launched=1, fail_retryable=3))
    for event, t in (("pending", 3), ("launched", 3), ("exec_done", 8)):
        s.event(a, event, t * S)
    s.htex(a, 0, **sec(launched=1, received=1, completed=3, failed=3), worker=k, manager=m, executor=x)
    s.htex(a, 1, **sec(launched=3, received=6, completed=8), worker=k, manager=m, executor=x)
    b = s.task(w, "b", **sec(submitted=1.001, pending=1.001, launched=1.001, exec_done=6))
    s.htex(b, **sec(launched=1.001, received=3, completed=6), worker=k, manager=m, executor=x)
    c = s.task(w, "c", **sec(submitted=1.002, pending=1.002, launched=3.5, failed=10))
    s.htex(c, **sec(launched=3.5, received=8, completed=10, failed=10), worker=k, manager=m, executor=x)
    f = s.done()
    equal(new_times(f, w, "failed tries x1"), {"a": (1, 8), "b": (1.001, 6), "c": (1.002, 10)})
    got = new_times(f, w, "failed tries x0")
    # a's second try takes the worker at once, then b; c takes none, and is done when it was launched
    equal(got, {"a": (1, 3), "b": (1.001, 6), "c": (1.002, 3.5)})


@test
def what_if_nothing_is_known():
    # No worker is named: places are as many as ran at once.  No task ever ran: there is nothing to have more of.  None was ever done.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=9))
    for i in range(4):
        at = 1 + 2 * (i // 2)
        s.htex(s.task(w, i, **sec(submitted=1, pending=1, launched=1, exec_done=at + 2)), **sec(launched=1, received=at, completed=at + 2))
    f = s.done()
    equal(max(t[1] for t in new_times(f, w, "workers x1").values()), 5)
    equal(max(t[1] for t in new_times(f, w, "workers x0.5").values()), 5)  # as of one worker with two places
    equal(max(t[1] for t in new_times(f, w, "workers x2").values()), 3)
    s = Store("2.db")
    w = s.workflow(**sec(started=0, cleanup_completed=9))
    s.task(w, "a", **sec(submitted=1, pending=1, launched=2, exec_done=3))
    f = s.done()
    r = spanloom("what-if", "-d", f, "workers x2", code=1)
    check("no log says when tasks ran on workers" in r.err, r)
    spanloom("what-if", "-d", f)
    s = Store("3.db")
    w = s.workflow(**sec(started=0))
    s.htex(s.task(w, "a", **sec(submitted=1, pending=1, launched=2)), **sec(launched=2, received=3))
    s.task(w, "b", **sec(submitted=1))
    f = s.done()
    for change in ("* x1", "workers x2", "workers x0.5", "* x0"):
        r = spanloom("what-if", "-d", f, change)
        check("2 of 2 tasks were never done" in r.err, r)
    equal(sql(f, "SELECT * FROM what_if(4711, 'workers x2')"), [])
    equal(sql(f, "SELECT * FROM what_helps(4711)"), [])


@cases(-3600, -1, -0.001, 0.001, 1, 3600)
def what_if_the_clock_of_a_worker_is_off(off):
    # No change is what was; nothing is stuck, whatever is asked.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=20))
    x = s.span(EXECUTOR, "htex", w)
    m = s.span("parsl.executor.htex.manager", "m", x)
    ks = [s.span("parsl.executor.htex.worker", k, m, WORKER + k, **sec(started=0.5 + off * k)) for k in range(2)]
    last = None
    for i in range(8):
        at = 1 + 2 * (i // 2)
        t = s.task(w, i, [last] if last and i % 3 == 0 else [], **sec(submitted=1 + i / 1000, pending=1 + i / 1000, launched=max(1 + i / 1000, at - 0.01), exec_done=at + 2))
        k = i % 2
        s.htex(t, **sec(launched=max(1 + i / 1000, at - 0.01), received=at + off * k, completed=at + 1.9 + off * k), worker=ks[k], manager=m, executor=x)
        last = t
    f = s.done()
    was = {r["task"]: (r["first_ns"], r["done_ns"], r["new_first_ns"], r["new_done_ns"]) for r in sql(f, f"SELECT * FROM what_if({w}, 'workers x1')")}
    equal([k for k, t in was.items() if t[:2] != t[2:]], [])
    for change in ("workers x2", "workers = 1", "* x0", "running on a worker x3", "driver x2"):
        for r in sql(f, f"SELECT * FROM what_if({w}, '{change}')"):
            check(int(r["new_first_ns"]) <= int(r["new_done_ns"]), change, r)


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
