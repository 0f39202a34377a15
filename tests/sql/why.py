#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom why: stores of workflows that were worked out here, each slow for one reason, and without that reason once more.

The schedule of a workflow is made by `run()`, which knows nothing of the replay: the first come is the first served, by
workers that are free.
"""
import contextlib
import heapq
import os
import re
import shlex
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import *  # noqa

STEP = 1 * MS  # between the components of the executor


class Task:
    def __init__(self, app, seconds, after=(), fails=0, failed_s=0.0, error="OSError('no route to host')", slow_on=None, barrier=False, gap=0.0, on="htex", tried_on=None, cold=0.0):
        self.app, self.seconds, self.after = app, seconds, list(after)  # after: numbers of tasks
        self.fails, self.failed_s, self.error = fails, failed_s, error
        self.slow_on, self.barrier, self.gap, self.on = slow_on, barrier, gap, on
        self.cold = cold  # how much longer it takes where its worker ran nothing before
        self.tried_on = tried_on or on  # where it fails; barrier: submitted when all before are done


def run(tasks, workers=4, file="why.db", start=0.5, worker_start=1.0, end=0.1, launched=0.6, manager=None, managers=1, undone=(), more={}, hand=0.0, running=()):
    """Writes a store; the makespan in seconds.  slow_on: (manager or worker, factor).  more: workers of further executors.  hand: how long Parsl
    needs to launch a task, one after the other.  running: tasks whose end nobody has told."""
    s = Store(file)
    ns = lambda t: round(t * S)
    w = s.workflow("w")
    s.attr(w, "workflow_name", "made")
    ex = s.span(EXECUTOR, "htex", w)
    launches = launched if isinstance(launched, list) else [launched]  # of blocks; worker_start and manager: of each one
    worker_start = worker_start if isinstance(worker_start, list) else [worker_start] * max(1, len(launches))
    begun = manager if isinstance(manager, list) else [t - 0.2 if manager is None else manager for t in worker_start]
    blocks = [s.span("parsl.rundir.block", str(i), ex, launched=ns(t)) for i, t in enumerate(launches)]
    managers = max(managers, len(blocks))
    mans = [s.span("parsl.executor.htex.manager", f"m{i}", blocks[i % len(blocks)] if blocks else ex, MANAGER, started=ns(begun[i % len(begun)])) for i in range(managers)]
    places = []
    for i in range(workers):
        m = i % managers
        there = worker_start[m % len(worker_start)]
        p = s.span("parsl.executor.htex.worker", str(i), mans[m], WORKER + i, started=ns(there))
        heapq.heappush(places, (there, i, p, m))
    of = {i: (p, mans[m], m, ex) for _, i, p, m in places}
    free = {"htex": [(there, i) for there, i, _, _ in places]}
    for name, n in more.items():
        other = s.span(EXECUTOR, name, w)
        m = s.span("parsl.executor.htex.manager", f"m{name}", s.span("parsl.rundir.block", "0", other, launched=ns(0.6)), MANAGER, started=ns(worker_start[0] - 0.2))
        free[name] = [(worker_start[0], len(of) + i) for i in range(n)]
        for there, i in free[name]:
            of[i] = (s.span("parsl.executor.htex.worker", str(i), m, WORKER + i, started=ns(there)), m, None, other)
    for heap in free.values():
        heapq.heapify(heap)
    done, ids, at, warm, handed = {}, {}, start, set(), 0.0
    # submissions, in order; a barrier needs what went before to be done, so go stage by stage
    stages, stage = [], []
    for n, t in enumerate(tasks):
        if t.barrier and stage:
            stages.append(stage)
            stage = []
        stage.append(n)
    stages.append(stage)
    last = 0
    for stage in stages:
        if stage is not stages[0]:
            at = max(done.values()) + 0.002
        ready = []
        waiting = {}
        submitted = {}
        for n in stage:
            at += tasks[n].gap + 0.0001
            submitted[n] = at
            waiting[n] = {d for d in tasks[n].after if d not in done}
            if not waiting[n]:
                heapq.heappush(ready, (max([at] + [done[d] for d in tasks[n].after]), n, 0))
        while ready:
            since, n, number = heapq.heappop(ready)
            t = tasks[n]
            if n not in ids:
                ids[n] = s.task(w, n, [ids[d] for d in t.after], submitted=ns(submitted[n]), pending=ns(submitted[n]) + 1000)
                s.attr(ids[n], "app", t.app)
            pool = free[t.tried_on if number < t.fails else t.on]
            since = handed = max(since, handed) + hand if hand else since
            when, i = heapq.heappop(pool)
            begin = max(since + 3 * STEP / S, when + STEP / S)
            p, its, m, executor = of[i]
            fails = number < t.fails
            seconds = t.failed_s if fails else t.seconds * (t.slow_on[1] if t.slow_on and t.slow_on[0] in (m, ("worker", i)) else 1) + (t.cold if i not in warm else 0)
            warm.add(i)
            over = begin + seconds
            heapq.heappush(pool, (over, i))
            y = s.htex(ids[n], number, launched=ns(since), put=ns(since) + STEP // 10, to_manager=ns(begin) - 2 * STEP // 10, got=ns(begin) - STEP // 10, received=ns(begin),
                       **({} if n in running else dict(completed=ns(over), finished=ns(over), removed=ns(over) + STEP // 2)), executor=executor, manager=its, worker=p, worker_source=WORKER + i,
                       failed=ns(over) + STEP if fails else None)
            back = over + STEP / S
            if fails:
                s.attr(y, "exception", t.error)
                heapq.heappush(ready, (back, n, number + 1))
                continue
            if n not in undone and n not in running:
                s.event(ids[n], "exec_done", ns(back))
            done[n] = back
            for d in stage:
                if n in waiting.get(d, ()):
                    waiting[d].discard(n)
                    if not waiting[d]:
                        heapq.heappush(ready, (max(back, submitted[d]), d, 0))
        last = max(done.values())
    s.event(w, "started", 0)
    if end is not None:
        s.event(w, "cleanup_completed", ns(last + end))
    s.done()
    return last + (end or 0)


def why(file="why.db", *more):
    return json.loads(spanloom("why", "--format", "json", "-d", path(file), *more).out)


def faults(file="why.db", *more):
    """But that more workers would help, of which runs with work for all of them are told, and how long short ones took to have workers."""
    return [f["finding"] for f in why(file, *more)["findings"] if f["finding"] not in ("more-workers", "first-worker")]


def first(name, without, within=0.05, file="why.db", **also):
    """The first finding has this name, and says that it would have been so long without it."""
    found = [f for f in why(file)["findings"] if f["seconds"] is not None]
    check(found and found[0]["finding"] == name, [(f["finding"], f["seconds"]) for f in found])
    f = found[0]
    took = why(file)["run"][0]["makespan_s"]
    gained = took - without
    check(abs(f["seconds"] - gained) <= within * gained + 0.02, f"{f['seconds']} s, not {gained}: {f['text']}")
    check(abs(f["without_s"] - (took - f["seconds"])) < 1e-6, f)
    for key, words in also.items():
        check(words in (f[key] or ""), f"{key}: {f[key]!r} lacks {words!r}")
    return f


def bag(n, seconds=0.5, app="work"):
    return [Task(app, seconds) for _ in range(n)]


@test
def a_sound_run_has_no_finding():
    run([Task("work", 0.5 + 0.01 * (i % 7)) for i in range(60)])
    equal(faults(), [])
    run([Task("work", 0.5) for i in range(4)])
    r = spanloom("why", "-d", path("why.db"))
    check("nothing stands out" in r.out, r.out)


@test
def straggler():
    tasks = bag(30) + [Task("work", 15)] + bag(17)
    run(tasks)
    without = run(bag(48), file="without.db")
    first("straggler", without, text="task 30 (work) ran 15 s, 30 times the median", command="show task 30")
    equal(faults("without.db"), [])


@test
def too_few_workers():
    run(bag(60), workers=1)
    f = first("too-few-workers", run(bag(60), workers=2, file="without.db"), text="1 worker for 60 tasks was busy")
    for workers, words in ((4, "with 4 times as many the run would have taken"), (8, "with 8 times")):
        told = float(re.search(rf"{words}.*? ([\d.]+) s", f["text"])[1])
        near = run(bag(60), workers=workers, file="more.db")
        check(abs(told - near) < 0.06 * near, words, told, near)


@test
def too_few_workers_of_one_executor():
    """Its tasks are over long before those of the other one are."""
    tasks = [Task("small", 0.4, on="small") for _ in range(30)] + [Task("last", 5, after=[29])] + bag(20)
    run(tasks, more={"small": 1})
    f = first("too-few-workers", run(tasks, more={"small": 2}, file="without.db"), text="1 worker of small for 30 tasks was busy")
    equal(f["changes"], "workers.small x2")


@test
def workers_are_busy_for_as_long_as_they_are_there_at_most():
    """Also where a try of a task that another executor ran goes on after the last of their own."""
    tasks = [Task("small", 0.4, on="small") for _ in range(30)] + [Task("moved", 5, fails=1, failed_s=6, tried_on="small")]
    run(tasks, more={"small": 1})
    f = next(f for f in why()["findings"] if f["finding"] == "too-few-workers")
    busy = re.search(r"1 worker of small for 30 tasks was busy ([\d.]+) %", f["text"])
    check(busy and 90 < float(busy[1]) <= 100, f["text"])


@test
def more_workers_would_help():
    """Of a run whose workers have work all the time: a note, with what twice as many would do."""
    took = run(bag(64))
    near = run(bag(64), workers=8, file="without.db")
    [f] = why()["findings"]
    equal((f["finding"], f["seconds"], f["command"]), ("more-workers", None, f"spanloom what-if 'workers x2' -d {path('why.db')}"))
    told = re.fullmatch(r"more workers would help: with twice the 4 workers for 64 tasks the run would have taken ([\d.]+) s, ([\d.]+) % less, by replay", f["text"])
    check(told and abs(float(told[1]) - near) < 0.05 * near and abs(float(told[2]) - 100 * (1 - near / took)) < 3, f["text"], near, took)


@test
def more_workers_of_two_executors_at_once():
    """Neither would do much alone, as one waits for the other."""
    f = next(f for f in why("blocks.db", f"{ROOT}/tests/data/workqueue-blocks")["findings"] if f["finding"] == "more-workers")
    check(f["text"].startswith("more workers would help: with twice the 10 workers of 2 executors for 48 tasks") and "42.1 % less" in f["text"], f["text"])
    [now] = json.loads(spanloom("what-if", "workers x2", "-d", path("blocks.db"), "--format", "json").out)
    check(f"taken {now['new_makespan_s']:.1f} s" in f["text"], f["text"], now)


@test
def barrier():
    times = [[4 if i == k else 1 for i in range(4)] for k in range(3)]
    run([Task("work", t, barrier=(i == 0)) for stage in times for i, t in enumerate(stage)])
    first("barrier", run([Task("work", t) for stage in times for t in stage], file="without.db"), 0.15)


@test
def slow_worker_and_manager():
    tasks = lambda factor: [Task("work", 0.4, slow_on=(1, factor)) for _ in range(60)]
    run(tasks(4), managers=2)
    first("slow-workers", run(tasks(1), managers=2, file="without.db"), 0.15, text="manager m1 took 4 times")


@test
def bottleneck_task():
    run([Task("fetch", 10)] + [Task("analyse", 0.5, after=[0]) for _ in range(16)])
    first("bottleneck-task", run([Task("fetch", 0)] + [Task("analyse", 0.5, after=[0]) for _ in range(16)], file="without.db"), 0.1,
          text="task 0 (fetch) ran for 10 s while 3 of 4 workers had nothing to do: 16 tasks wait for it")


@test
def chain():
    run([Task("step", 0.5, after=[i - 1] if i else []) for i in range(24)])
    first("chain", run(bag(24, app="step"), file="without.db"), 0.15, text="one after the other")


@test
def failed_tries():
    tasks = lambda fails: [Task("flaky", 1, fails=fails, failed_s=2.0) for _ in range(4)] + bag(8)
    run(tasks(3))
    first("failed-tries", run(tasks(0), file="without.db"), 0.15, text="12 tries of 4 tasks failed")
    check("flaky: OSError('no route to host')" in why()["findings"][0]["text"], why()["findings"][0]["text"])


@test
def of_failed_tries_those_are_named_that_cost_most():
    """Not those that there are most of."""
    tasks = lambda slow, quick: [Task("slow", 1, fails=slow, failed_s=6.0, error="AppTimeout()") for _ in range(2)] + [Task("quick", 1, fails=quick, failed_s=0.1) for _ in range(8)]
    run(tasks(1, 3))
    f = first("failed-tries", run(tasks(0, 0), file="without.db"), 0.15, text="26 tries of 10 tasks failed")
    named = re.search(r"those of slow cost most, ([\d.]+) s: AppTimeout\(\)$", f["text"])
    check(named and abs(float(named[1]) - run(tasks(1, 3)) + run(tasks(0, 3), file="without.db")) < 0.3, f["text"])


@cases(("parsl-2024-lost", 4, 5.5, "manager 9c9102e757e0 on node1 was lost, and 3 tasks with it (such as task 2 (sleeper)); all were tried again, and done", "failed tries x0"),
       ("parsl-2025-lost", 4, 5.5, "manager d2c353c6f725 on node1 was lost, and 3 tasks", "failed tries x0"),
       ("parsl-2026-lost", 4, 5.5, "manager 5e333d147769 on node1 was lost, and 3 tasks", "failed tries x0"),
       ("parsl-2026-workqueue", 19.2, 19.4, "worker-69c2c5d06d5c608e72f680c034e691f2 was lost, and 2 tasks", "failed tries 0 1 x0"))
def lost_workers(run, least, most, text, changes):
    """Half of the tasks were lost before any ran: what passed until that was noticed is lost, too."""
    f = why("lost.db", f"{ROOT}/tests/data/{run}")["findings"][0]
    equal((f["finding"], f["changes"]), ("lost-workers", changes))
    check(least < f["seconds"] < most and f["text"].startswith(text), f)
    check("failed-tries" not in [x["finding"] for x in why("lost.db")["findings"]], "told twice")


@test
def a_worker_that_was_lost_is_told_beside_tries_that_failed():
    told = {f["finding"]: f for f in why("dual.db", f"{ROOT}/tests/data/parsl-2026-dual")["findings"]}
    check(told["lost-workers"]["text"].startswith("a worker of manager e0d94e678026 on node1 was lost, and 1 task with it (task 7 (kill_worker_once))"), told["lost-workers"]["text"])
    equal(told["lost-workers"]["changes"], "failed tries 7 x0")


@test
def late_workers():
    run(bag(16), worker_start=13, manager=12.5)
    first("late-workers", run(bag(16), worker_start=1.1, manager=0.6, file="without.db"), 0.05)


@test
def blocks_in_the_queue_one_after_the_other():
    blocks = {"launched": [0.6] * 4, "workers": 8}
    run(bag(300), manager=[0.8, 8, 16, 24], worker_start=[1.0, 8.2, 16.2, 24.2], **blocks)
    usual = [0.6 + t * 0.5 / 11.4 for t in (0.2, 7.4, 15.4, 23.4)]  # half a second, by their median
    f = first("late-workers", run(bag(300), manager=usual, worker_start=[t + 0.2 for t in usual], file="without.db", **blocks), text="after blocks were launched it took 11.4 s (median), 23.4 s at most,")
    equal(f["changes"], "blocks, in the queue x0.043860")
    equal(faults("without.db"), [])


@test
def blocks_that_were_asked_for_late():
    late = [0.6, 8, 16, 24]
    run(bag(300), launched=late, manager=[t + 0.2 for t in late], worker_start=[t + 0.4 for t in late], workers=8)
    f = first("late-workers", run(bag(300), launched=[0.6] * 4, manager=[0.8] * 4, worker_start=[1.0] * 4, workers=8, file="without.db"),
              text="the last one 23.4 s after the first, while tasks waited", advice="init_blocks")
    equal(f["changes"], "blocks, asked for later x0")


@test
def managers_and_workers_that_take_long_to_start():
    run(bag(60), launched=0.6, manager=1.6, worker_start=16)
    f = first("late-workers", run(bag(60), launched=0.0, manager=0.0, worker_start=0.0, file="without.db"), text="workers came 15.5 s after the first task was submitted: without the batch queue and worker_init 0.5 s less,")
    equal(f["changes"], "workers, start-up x0")


@cases((16, 0.5, 4.5), (60, 1, 9))
def an_ordinary_start_is_no_finding(n, seconds, there):
    """But a note, with what passed until when."""
    run(bag(n, seconds), launched=0.6, manager=2, worker_start=there)
    equal(faults(), [])
    [f] = [f for f in why()["findings"] if f["finding"] == "first-worker"]
    check(f["seconds"] is None and f["text"].startswith(f"the first worker was there {there - 0.5:.2f} s after the first task was submitted"), f["text"])
    check(f"0.0999 s until a block was launched, 1.4 s until that began, {there - 2:.2g} s for its manager and workers to start" in f["text"], f["text"])


@test
def a_block_that_began_before_there_was_a_task_did_not_let_it_wait():
    run(bag(16), start=5, launched=0.6, manager=2, worker_start=8)
    [f] = [f for f in why()["findings"] if f["finding"] == "first-worker"]
    check(f["text"].endswith(": 0 s until that began, 3 s for its manager and workers to start"), f["text"])


@cases(4, 6)
def what_is_run_before_workers_start_is_told_in_a_short_run_too(init):
    """worker_init of some seconds, in a run of about twenty."""
    there = {"launched": 0.6, "workers": 4}
    run(bag(100), manager=0.9 + init, worker_start=1.4 + init, **there)
    f = first("late-workers", run(bag(100), manager=0.9, worker_start=1.4, file="without.db", **there), 0.1, text=f"after the first block was launched it took {init + 0.3} s")
    equal(faults("without.db"), [])


@test
def first_tasks_on_workers():
    run([Task("work", 0.5, cold=5.0) for _ in range(40)])
    f = first("first-tasks", run(bag(40), file="without.db"), text="the first task of work on each of 4 workers ran 5.50 s (median), those that followed there 0.5")
    equal(faults(), ["first-tasks"])
    equal(faults("without.db"), [])


@test
def first_tasks_on_many_workers_are_no_stragglers():
    run([Task("work", 0.5, cold=5.0) for _ in range(400)], workers=16)
    first("first-tasks", run(bag(400), workers=16, file="without.db"))
    equal(faults(), ["first-tasks"])


@test
def one_long_first_task_is_none_of_all_workers():
    run([Task("work", 4.0)] + bag(20, 0.2), workers=2)
    check("first-tasks" not in faults(), faults())


@test
def a_worker_that_is_so_slow_that_it_runs_few_tasks():
    tasks = lambda factor: [Task("work", 0.4, slow_on=(("worker", 2), factor)) for _ in range(60)]
    run(tasks(6))
    first("slow-workers", run(tasks(1), file="without.db"), 0.15, text="the worker m0/2 took 6.00 times")
    equal(faults(), ["slow-workers"])


@test
def the_longest_tasks_last():
    """Of apps whose tasks differ, so that none is a straggler."""
    tasks = [Task("work", t) for t in [0.3] * 8 + [1.0] * 12 + [1.5, 2.0, 2.4, 2.7, 2.9]]
    run(tasks)
    f = first("long-last", run(tasks[::-1], file="without.db"), 0.15, text="task 24 (work) ran for 2.90 s, but began", advice="longest tasks first")
    check("of 4 workers had nothing to do" in f["text"], f["text"])
    equal(faults("without.db"), [])


@test
def tasks_in_descending_order_of_their_length_are_no_slow_first_tasks():
    run([Task("work", t) for t in [8, 4, 3, 2.5, 2, 1.5, 1, 1] + [0.5] * 8 + [0.2] * 12])
    check("first-tasks" not in faults() and "long-last" not in faults(), faults())


@test
def staging():
    tasks = lambda seconds: [Task("_http_stage_in", seconds * (i + 1)) for i in range(6)] + [Task("use", 0.5, after=[i]) for i in range(6)]
    run(tasks(2))
    first("staging", run(tasks(0), file="without.db"), 0.1, text="staging of files: 6 tasks of _http_stage_in took 42 s on workers, 12 s the longest")


@test
def arguments_that_take_long_to_be_pickled():
    tasks = bag(30, 0.3)
    run(tasks, hand=1.5)
    first("hand-over", run(tasks, file="without.db"), 0.1, text="it took long to hand over 30 tasks; each was launched 23", advice="are arguments large?")
    equal(faults("without.db"), [])


@test
def small_steps_of_handing_over_are_no_finding():
    run(bag(40, 0.5), hand=0.02)
    equal(faults(), [])


@test
def threads_of_one_process():
    """More of them need not help."""
    told = {f["finding"]: f["text"] for f in why("threads.db", f"{ROOT}/tests/data/parsl-2026-threads")["findings"]}
    check(told["threads"].startswith("3 threads of the executor threads ran tasks: code in Python runs in one of them at a time (GIL)"), told)
    check("more-workers" not in told, told)


@test
def workers_of_which_no_log_knows_blocks():
    run(bag(60), launched=[], workers=4, managers=1, worker_start=[16])
    first("late-workers", run(bag(60), launched=[], worker_start=[0], file="without.db"), text="workers came 15.5 s after the first task was submitted")


@test
def tasks_that_took_no_time_by_a_log_of_milliseconds_ran_all_the_same():
    told = why("shell.db", f"{ROOT}/tests/data/parsl-2024-shell")["findings"][0]
    check(told["finding"] == "late-workers" and 48.7 < told["seconds"] < 50, told)
    [row] = sql(path("shell.db"), "SELECT runs, end_ns - start_ns AS ns FROM task_times(1) WHERE task = '13'")
    equal((row["runs"], row["ns"]), (1, 0))


@test
def slow_driver():
    run([Task("work", 0.8, gap=0.5) for _ in range(40)])
    first("slow-driver", run(bag(40, 0.8), file="without.db"), 0.1)


@cases((0, 5.0), (1.0, 1.0))
def a_driver_that_sleeps_between_submissions_waits_for_no_task(start, worker_start):
    """Whether tasks queue meanwhile, as workers are not there yet, or each is done before the next is submitted."""
    seconds = [0.10 + 0.002 * (i % 5) for i in range(40)]
    slept = [Task("work", t, gap=0.35) for t in seconds]
    run(slept, start=start, worker_start=worker_start)
    f = first("slow-driver", run([Task("work", t) for t in seconds], start=start, worker_start=worker_start, file="without.db"), 0.1)
    check("40 tasks" in f["text"], f["text"])


@test
def a_driver_that_waits_for_each_task_and_works_for_as_long_as_ever_has_waited():
    run([Task("work", 0.2 + 0.01 * (i % 7), barrier=True) for i in range(30)])
    check(faults()[0] == "barrier", faults())


@test
def start_up():
    run(bag(16), start=12)
    first("start-up", run(bag(16), start=0.01, file="without.db"), 0.1)


@test
def shut_down():
    run(bag(16), end=9)
    first("shut-down", run(bag(16), end=0, file="without.db"), 0.05)


@test
def unfinished():
    run(bag(40), undone=range(30, 40))
    notes = {f["finding"]: f["text"] for f in why()["findings"] if f["seconds"] is None}
    check(notes["unfinished"].startswith("the run ended, and 10 of 40 tasks are not done (10 had begun), such as task 30 (work)"), notes)


@cases(*range(60, 90, 3))
def numbers_stay_with_their_units(columns):
    run(bag(40), end=12)
    out = spanloom("why", "-d", path("why.db"), env={"COLUMNS": str(columns)}).out
    check(not re.search(r"^ *(s|%|UTC)\b", out, re.M) and all(len(line) <= columns for line in out.splitlines() if "spanloom " not in line), out)


@cases((True, 7200, "cut short"), (True, 20, "goes on"), (False, 20, "done"))
def no_log_has_the_end_of_the_run(undone, ago, state):
    run(bag(40), end=None, undone=range(30, 40) if undone else ())
    db = sqlite3.connect(path("why.db"))
    [last] = db.execute("SELECT max(time_ns) FROM sl_event").fetchone()
    db.execute("UPDATE sl_event SET time_ns = time_ns + ?", (time.time_ns() - ago * S - last,))
    db.commit()
    db.close()
    told = why()
    equal(told["run"][0]["state"], state)
    equal([f["finding"] for f in told["findings"]], ["unfinished"] if undone else ["more-workers"])
    out = re.sub(r"\s+", " ", spanloom("why", "-d", path("why.db")).out)
    want = {"cut short": "was cut short after 6.", "goes on": "s so far, since 20", "done": "UTC; no log has its end"}
    check(want[state] in out and ("40 tasks: 30 done, 10 not done" in out or not undone), out)
    if undone:
        check("no log has the end of the run, and 10 of 40 tasks are not done" in out and "what was still to come is in no number" in out, out)



@cases((20, "goes on"), (3600, "cut short"))
def a_run_goes_on_while_its_logs_are_written_to(ago, state):
    """Though its last event may be long ago."""
    grow(0.6)
    for folder, _, files in os.walk(path("grown")):
        for name in files:
            os.utime(f"{folder}/{name}", (time.time() - ago,) * 2)
    told = why("grown.db", path("grown"))
    equal(told["run"][0]["state"], state)


@cases((20, 20, 60), (7200, 1.9, 2.1))
def a_task_that_still_runs_counts_until_now_while_the_run_goes_on(ago, least, most):
    """And until the last event where it was cut short."""
    run(bag(30) + [Task("work", 3)] + bag(10), end=None, running=[30])
    db = sqlite3.connect(path("why.db"))
    [last] = db.execute("SELECT max(time_ns) FROM sl_event").fetchone()
    db.execute("UPDATE sl_event SET time_ns = time_ns + ?", (time.time_ns() - ago * S - last,))
    db.commit()
    db.close()
    found = {f["finding"]: f for f in why()["findings"]}
    seconds = re.match(r"task 30 \(work\) has run for ([\d.]+) s and is not done, [\d.]+ times the median of its app \(0.500 s\)", found["still-running"]["text"])
    check(seconds and least < float(seconds[1]) < most, found["still-running"]["text"])


# ---- findings of users

def own(name, text):
    write(path(f"config/spanloom/findings/{name}.yaml"), text)
    return {"XDG_CONFIG_HOME": path("config")}


@test
def findings_of_users_count_beside_ours_and_in_their_place():
    run(bag(16), end=9)
    env = own("long", "about: tasks\nsql: SELECT 3 AS seconds, count(*) AS n, span AS spans FROM task\ntext: '{n} tasks, {seconds}, {none}'\n")
    r = spanloom("why", "-d", path("why.db"), env=env, code=1)
    check("long.yaml: its SQL has no column {none}" in r.err and "went on for" in r.out, r.out + r.err)
    env = own("long", "about: tasks\nsql: SELECT 3 AS seconds, 2.5 AS took_s, 0.25 AS a_share, count(*) AS n, span AS spans FROM task\ntext: '{n} tasks, {took_s}, {a_share}'\n")
    found = {f["finding"]: f for f in json.loads(spanloom("why", "--format", "json", "-d", path("why.db"), env=env).out)["findings"]}
    equal((found["long"]["text"], found["long"]["seconds"], found["long"]["sure"]), ("16 tasks, 2.50 s, 25 %", 3, "by estimate"))
    env = own("shut-down", "about: ours\nsql: SELECT 1 AS seconds WHERE 0\ntext: never\n")
    write(path("config/spanloom/findings/slow.yml"), "about: never read")
    r = spanloom("why", "--format", "json", "-d", path("why.db"), env=env)
    equal([f["finding"] for f in json.loads(r.out)["findings"] if f["finding"] != "more-workers"], ["long"])
    check("shut-down.yaml takes the place of the finding of that name" in r.err and "slow.yml is not read: findings are files NAME.yaml" in r.err and "long.yaml" not in r.err, r.err)


@cases(("sqll: x", "bad.yaml:2: there is no key 'sqll'"), ("threshold: many", "'threshold' is a number of '%'"), ("at least: 5 %", "'at least' is a number of 's'"),
       ("text: [a]", "'text' is a text"), ("note: maybe", "'note' is yes or no"))
def what_is_no_finding_is_told(line, said):
    run(bag(4))
    text = f"about: x\n{line}\nsql: SELECT 1 AS seconds\n" + ("text: x\n" if "text" not in line else "")
    r = spanloom("why", "-d", path("why.db"), env=own("bad", text), code=1)
    check(said in r.err and "4 tasks: 4 done" in r.out, r.err + r.out)


@cases("SELEKT 1", "SELECT 1; SELECT 2", "DELETE FROM task", "SELECT 1 AS seconds, 'nonsense x2' AS changes FROM nowhere")
def what_is_no_sql_is_told_and_the_others_are_printed(sql):
    run(bag(16), end=9)
    r = spanloom("why", "-d", path("why.db"), env=own("bad", f"about: x\nsql: {json.dumps(sql)}\ntext: x\n"), code=1)
    check("bad.yaml: sql:" in r.err and "went on for 9" in r.out, r.out + r.err)


@cases(("9e999", "seconds of a row are Inf, which is no number of seconds"), ("'12 s'", "seconds of a row are '12 s', which is no number of seconds"), ("x'00'", "which is no number of seconds"),
       ("NULL", "a row has no seconds (NULL); where there is nothing to be told give no row"), ("NULL AS changes, NULL", "a row has no seconds (NULL), nor changes"))
def seconds_that_are_none_are_told(seconds, said):
    run(bag(16), end=9)
    r = spanloom("why", "-d", path("why.db"), env=own("bad", f"about: x\nsql: SELECT {seconds} AS seconds\ntext: never told\n"), code=1)
    check("bad.yaml: " in r.err and said in r.err and "went on for 9" in r.out and "never told" not in r.out, r.out + r.err)


@test
def commands_that_are_offered_run_as_they_stand():
    """Also where the store's path has blanks and quotes."""
    run(bag(16), end=9)
    os.makedirs(path("it's a"))
    os.rename(path("why.db"), path("it's a/why.db"))
    [f] = [f for f in why("it's a/why.db")["findings"] if f["finding"] == "shut-down"]
    where = {**environment(), "PATH": f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"}
    ran = subprocess.run(f["command"], shell=True, env=where, capture_output=True, text=True)
    check(ran.returncode == 0 and "after the last task" in ran.stdout, f["command"], ran.stdout, ran.stderr)


@test
def where_there_are_several_types_of_workers_the_command_says_which():
    """Of a driver of threads and workers; the type of those that did most."""
    env = own("busy", "about: workers\nsql: SELECT 3 AS seconds\ntext: workers\ncommand: spanloom utilisation\n")
    imported(f"{ROOT}/tests/data/workqueue-blocks", store="types.db")
    told = json.loads(spanloom("why", "--format", "json", "-d", path("types.db"), env=env).out)
    [f] = [f for f in told["findings"] if f["finding"] == "busy"]
    equal(f["command"], f"spanloom utilisation workqueue.worker -d {path('types.db')}")
    check("workers of type workqueue.worker" in spanloom(*f["command"].split()[1:]).out, f["command"])


# ---- a run that goes on

def grow(share):
    """Each log of the example up to this share of its bytes."""
    for folder, _, files in os.walk(f"{ROOT}/examples/parsl-htex/runinfo/000"):
        for name in files:
            with open(f"{folder}/{name}", "rb") as file:
                data = file.read()
            to = path(f"grown/{os.path.relpath(folder, f'{ROOT}/examples/parsl-htex')}/{name}")
            os.makedirs(os.path.dirname(to), exist_ok=True)
            have = os.path.getsize(to) if os.path.exists(to) else 0
            with open(to, "ab") as file:
                file.write(data[have:int(len(data) * share)])


@contextlib.contextmanager
def followed(waits=False, says="(wf_mixed) has run for", ago=0):
    if not waits:
        grow(0.6)
    for folder, _, files in os.walk(path("grown")):
        for name in files:
            os.utime(f"{folder}/{name}", (time.time() - ago,) * 2)
    process = subprocess.Popen([PROGRAM, "why", "--follow", "-d", path("grown.db"), path("grown")], env=environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE if waits else subprocess.DEVNULL, text=True)
    try:
        if waits:
            line = process.stderr.readline()
            check(f"waiting for {path('grown')}, which is not there so far" in line, line)
            grow(0.6)
        line = process.stdout.readline()
        check(says in line, line)
        yield process
    finally:
        process.kill()
        process.wait()


@test
def follow_until_the_run_has_ended():
    with followed() as process:
        grow(1)
        rest = process.communicate(timeout=PATIENCE)[0]
        equal(process.returncode, 0)
    check("(wf_mixed) took 31.4 s" in rest and rest.endswith("\nthe run has ended\n") and "\033" not in rest, rest)
    equal(json.loads(spanloom("why", "--format", "json", "-d", path("grown.db")).out)["run"][0]["state"], "ended")


@test
def follow_waits_for_what_is_not_there_yet():
    with followed(waits=True) as process:
        grow(1)
        rest = process.communicate(timeout=PATIENCE)[0]
        check(process.returncode == 0 and rest.endswith("\nthe run has ended\n"), rest)


@test
def followed_files_that_nobody_writes_to_any_more_are_of_a_run_that_was_cut_short():
    with followed(says="(wf_mixed) was cut short after", ago=3600):
        pass


@test
def commands_that_are_offered_can_be_pasted():
    """Where nothing stands out, too."""
    run([Task("work", 0.5) for i in range(4)], file="a store.db")
    out = spanloom("why", "-d", path("a store.db")).out
    check("nothing stands out" in out, out)
    commands = [line.split(": ", 1)[1] for line in out.split("\n") if ": spanloom " in line]
    equal(len(commands), 2, out)
    for c in commands:
        check(spanloom(*shlex.split(c)[1:], cwd="/").out, c)


@test
def follow_until_control_c():
    with followed() as process:
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=PATIENCE)[0]
        equal(process.returncode, 0)
    check(rest.endswith("\nstopped; the run may go on\n"), rest)


@cases(((), "needs the one path that grows"), ((".", "--format", "json"), "then ask for --format"),
       ((".", "--fail-on", "5%"), "then ask for --fail-on"))
def follow_needs_a_path(more, said):
    check(said in spanloom("why", "--follow", *more, code=2).err, said)


# ---- two runs, gates, failures, names

@test
def two_runs_beside_each_other():
    a = run(bag(48), file="a.db")
    b = run(bag(30) + [Task("work", 15)] + bag(17), file="b.db")
    told = json.loads(spanloom("why", path("a.db"), path("b.db"), "--format", "json").out)
    equal([round(r["makespan_s"], 6) for r in told["runs"]], [round(a, 6), round(b, 6)])
    changes = [c for c in told["changes"] if c["what"] == "finding"]
    equal([(c["name"], c["a_s"]) for c in changes], [("straggler", None)])
    parts = sum(c["change_s"] for c in told["changes"] if c["what"] == "path")
    check(abs(parts - (b - a)) < 1e-6, "parts of the path add up to the change:", parts, b - a)
    out = spanloom("why", path("a.db"), path("b.db")).out
    check("B took" in out and "longer than A" in out and "came: task 30 (work)" in out, out)
    check(all(len(line) <= 80 for line in out.splitlines()), out)
    equal(spanloom("why", path("a.db"), path("b.db"), "--fail-on", "5%", code=3).code, 3)
    equal(spanloom("why", path("b.db"), path("a.db"), "--fail-on", "5%").code, 0)
    equal(spanloom("why", "-d", path("b.db"), "--fail-on", "1s", code=3).code, 3)
    equal(spanloom("why", "-d", path("a.db"), "--fail-on", "1%").code, 0)


@test
def where_the_time_went():
    """A slow app is no finding of a run alone; it is said where the time went, and first of what differs from another run."""
    tasks = lambda s: [Task("prep", 0.3) for _ in range(16)] + [Task("solve", s, after=[i]) for i in range(16)]
    a, b = run(tasks(0.5), file="a.db"), run(tasks(2.5), file="b.db")
    told = why("b.db")
    seconds = {r["what"]: r["seconds"] for r in told["went"]}
    check(abs(sum(seconds.values()) - b) < 1e-6, "they add up to the run:", seconds, b)
    check(9.9 < seconds["app solve"] < 10.2 and 1.1 < seconds["app prep"] < 1.3, seconds)  # 4 x 2.5, and 4 x 0.3
    check(0.45 < seconds["until workers were there"] < 0.5, seconds)
    out = spanloom("why", "-d", path("b.db")).out
    check(re.search(r"^where: 81 % app solve; 10 % app prep", out, re.M), out)
    out = spanloom("why", path("a.db"), path("b.db")).out
    check(re.search(r"^where the time went;.*\n +\+8(\.0\d)? s  app solve: 2 s -> 10 s", out, re.M), out)


@test
def tasks_that_wait_while_workers_are_idle_are_not_in_an_app():
    run(bag(12, 0.5), hand=2.0)
    went = {r["what"]: r["seconds"] for r in why()["went"]}
    check(went["app work"] < 2 and went["parsl, waiting for dependencies or its launch"] > 20, went)


@test
def two_runs_that_took_as_long():
    run(bag(8), file="a.db")
    check("\nB took as long as A\n" in spanloom("why", path("a.db"), path("a.db")).out, "as long")


@test
def workers_of_each_executor():
    run([Task("work", 0.5) for _ in range(40)] + [Task("other", 0.1, on="spare")], more={"spare": 3})
    out = re.sub(r"\s+", " ", spanloom("why", "-d", path("why.db")).out)
    check("; 7 workers: 4 of htex 100 % busy, 3 of spare 1 % busy; the first task ran" in out, out)


@test
def failures_by_app_and_exception():
    run([Task("flaky", 1, fails=3, failed_s=2.0) for _ in range(4)])
    rows = json.loads(spanloom("failures", "-d", path("why.db"), "--format", "json").out)
    equal([(r["tasks"], r["tries"], r["then done"], r["failed"], r["app"], r["exception"]) for r in rows], [(4, 12, 4, 0, "flaky", "OSError('no route to host')")])
    check(24 <= rows[0]["seconds"] < 24.2, rows)  # 4 x 3 x 2 s, and what passed in between
    run(bag(4))
    check("nothing failed" in spanloom("failures", "-d", path("why.db")).out, "nothing")


@test
def runs_are_called_by_what_tells_their_directories_apart():
    data = f"{ROOT}/tests/data"
    two = imported(f"{data}/parsl-2026-dual", f"{data}/parsl-2026-lost", store="two.db").store
    rows = json.loads(spanloom("runs", "-d", two, "--format", "json").out)
    equal(sorted(r["run"] for r in rows), ["parsl-2026-dual", "parsl-2026-lost"])
    for r in rows:
        check(r["directory"].startswith(f"{os.path.realpath(data)}/{r['run']}/"), r)
        for word in (r["run"], r["run"][:-1]):
            check(spanloom("why", "--run", word, "-d", two, code=(0, 1)).out.startswith(r["run"]), word)
    for run_id in sql(two, "SELECT key FROM spans WHERE type = 'parsl.rundir.workflow'"):
        check(spanloom("why", "--run", run_id["key"][:3], "-d", two, code=(0, 1)).out, run_id)
    check("no run is called parsl-2026-lots; did you mean 'parsl-2026-lost'" in spanloom("why", "--run", "parsl-2026-lots", "-d", two, code=1).err, "meant")
    check("'' names no run" in spanloom("why", "", "-d", two, code=2).err, "empty")
    r = spanloom("why", "--run", "parsl-2026", "-d", two, code=1)
    check("the names of 2 runs begin with parsl-2026; say more of it:\n  parsl-2026-dual\n  parsl-2026-lost\n" in r.err, r.err)
    alone = imported(f"{data}/parsl-2026-dual", store="one.db").store
    equal([r["run"] for r in json.loads(spanloom("runs", "-d", alone, "--format", "json").out)], ["parsl-2026-dual"])



@test
def runs_count_what_failed_by_whatever_tells_it():
    """monitoring.db alone has only that tasks returned, and how their tries ended."""
    for what in ("", "/runinfo/monitoring.db"):
        store = imported(f"{ROOT}/tests/data/parsl-2026-dual{what}", store="ended.db").store
        equal([(r["tasks"], r["not done"]) for r in json.loads(spanloom("runs", "-d", store, "--format", "json").out)], [(15, 2)])


@cases("parsl-2026-dual", "parsl-2026-workqueue", "parsl-2026-lost", "slurm", "parsl-2026-threads")
def a_path_is_imported_and_its_run_told_of(run):
    """Of facets, and of what lies within it, the workflow itself."""
    told = why("path.db", f"{ROOT}/tests/data/{run}")["run"][0]
    store = imported(f"{ROOT}/tests/data/{run}", store="all.db").store
    [of] = json.loads(spanloom("runs", "-d", store, "--format", "json").out)
    equal((told["run"], told["tasks"]), (of["run"], of["tasks"]))
    check(told["tasks"] > 0, told)


@test
def of_several_runs_in_a_path_the_last_is_told_of():
    r = spanloom("why", "-d", path("two.db"), f"{ROOT}/tests/data")
    check(re.search(r"the last of \d+ runs is told of, ", r.err), r.err)
    [last] = [x["run"] for x in json.loads(spanloom("runs", "-d", path("two.db"), "--format", "json").out) if r.out.startswith(x["run"])][:1]
    check(f"--run {last}" in r.out and f"-d {path('two.db')}" in r.out, r.out)


main()
