#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The findings of spanloom why about stages of tasks, what the driver does between them, results that are combined, and tasks
that fail at last."""
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from schedules import *  # noqa


@test
def tasks_that_failed_at_last_after_long():
    """Such as at the end of a walltime; had they taken as long as those that were done."""
    tasks = lambda s: [Task("work", s if i % 6 == 0 else 0.5, ended="failed" if i % 6 == 0 else "exec_done") for i in range(48)]  # noqa: E731
    run(tasks(8))
    f = first("long-failures", run(tasks(0.5), file="without.db"), 0.1, text="8 tasks failed at last, such as task 0 (work): ")
    check(f["text"].endswith("they ran 8.00 s (median) until then, those of work that were done 0.500 s"), f["text"])
    check("failed-tasks" not in faults(), "told twice", faults())
    check("long-failures" not in faults("without.db") and "failed-tasks" in faults("without.db"), faults("without.db"))
    run(tasks(8)[1:] + [Task("work", 0.5, fails=1, failed_s=0.5)])  # a try that cost little is not to blame for them
    check(first("long-failures", run(tasks(0.5), file="without.db"), 0.1) and "failed-tries" not in faults(), faults())


def staged(times, needs, totals=False):
    """Tasks of stages; needs(i): which of the stage before task i waits for.  totals: after each stage a task for all of it."""
    tasks, before = [], []
    for k, stage in enumerate(times):
        own = range(len(tasks), len(tasks) + len(stage))
        tasks += [Task(f"stage{k}", t, after=[before[n] for n in needs(i)] if before else []) for i, t in enumerate(stage)]
        tasks += [Task("total", 0.1, after=own)] if totals else []
        before = own
    return tasks


@cases((4, 4), (5, 4), (7, 4), (4, 8), (1, 12))
def stages_of_which_each_task_waits_for_all_of_the_one_before(seed, workers):
    """Though it needs one of them alone, by its number."""
    r = random.Random(seed)
    times = [[r.choice([0.3, 0.5, 3.0]) for _ in range(12)] for _ in range(4)]
    run(staged(times, lambda i: range(12)), workers=workers)
    f = first("stage-dependencies", run(staged(times, lambda i: [i]), workers=workers, file="without.db"), 0.15,
              text="12 tasks of stage1 each wait for all 12 tasks of stage0 that went before, and so do those of 2 more stages", sure="by replay, had each waited for one of these alone")
    check("bottleneck-task" not in faults() and "chain" not in faults(), "told twice", faults(), f)
    check("stage-dependencies" not in faults("without.db"), faults("without.db"))


@cases(1, 2, 3)
def stages_of_which_nothing_is_gained(seed):
    """As many workers as tasks: what waits for the slowest of one stage is the longest of the next."""
    r = random.Random(seed)
    times = [sorted([3.0, 3.0] + [r.choice([0.3, 0.5]) for _ in range(10)]) for _ in range(2)]
    took = run(staged(times, lambda i: range(12)), workers=12)
    check(run(staged(times, lambda i: [i]), workers=12, file="without.db") > 0.99 * took)
    check("stage-dependencies" not in faults(), why()["findings"])


@cases(4, 9)
def a_task_that_sums_up_a_stage_needs_all_of_it(workers):
    times = [[3.0 if (i + k) % 6 == 0 else 0.5 + 0.01 * (i * 7 % 18) for i in range(18)] for k in range(3)]
    run(staged(times, lambda i: range(18), totals=True), workers=workers)
    without = run(staged(times, lambda i: [i], totals=True), workers=workers, file="without.db")
    first("stage-dependencies", without, 0.15, text="18 tasks of stage1 each wait for all 18 tasks of stage0 that went before, and so do those of 1 more stage")
    change = f"dependencies on {' '.join(map(str, range(18)))} = 1"
    done = {int(r["task"]): int(r["new_done_ns"]) for r in sql(path("why.db"), f"SELECT task, new_done_ns FROM what_if(1, '{change}')")}
    slowest = max(done[n] for n in range(18))
    check(done[18] >= slowest + 100 * MS and min(done[n] for n in range(19, 37)) < slowest, done)


@test
def results_that_are_combined_one_by_one():
    """A tree of as many tasks has few at its end."""
    maps = [Task("map", 0.5) for _ in range(16)]
    run(maps + [Task("add", 0.8, after=[i + 1, 15 + i if i else 0]) for i in range(15)])
    tree, level = [], list(range(16))
    while len(level) > 1:
        tree += [Task("add", 0.8, after=level[i:i + 2]) for i in range(0, len(level), 2)]
        level = [16 + len(tree) - len(level) // 2 + i for i in range(len(level) // 2)]
    first("chain", run(maps + tree, file="without.db"), 0.1, text="each waiting for the one before and for another one", advice="can be a tree")


@test
def files_that_threads_of_the_driver_bring_in():
    """No log tells when these run: as long as the task is with them is that of the files."""
    def made(seconds, file="why.db"):
        s = Store(file)
        w = s.workflow("w", started=0)
        ex = s.span(EXECUTOR, "htex", w)
        b = s.span("parsl.rundir.block", "0", ex, launched=600 * MS)
        m = s.span("parsl.executor.htex.manager", "m0", b, MANAGER, started=800 * MS)
        worker = s.span("parsl.executor.htex.worker", "0", m, WORKER, started=1 * S)
        at = 1 * S
        for i in range(8):
            there = round((1 + (1 + i // 2) * seconds) * S)
            copy = s.task(w, 2 * i, submitted=(500 + i) * MS, pending=(500 + i) * MS + 1000, exec_done=there)
            s.attr(copy, "app", "copy_in")
            s.attr(s.span(TRY, 0, copy, launched=(501 + i) * MS), "executor", "_parsl_internal")
            read = s.task(w, 2 * i + 1, [copy], submitted=(500 + i) * MS, pending=(500 + i) * MS + 1000)
            s.attr(read, "app", "reads")
            at = max(at, there) + 2 * MS
            s.htex(read, 0, launched=max(there, (502 + i) * MS), put=at - MS // 2, to_manager=at - MS // 4, got=at - MS // 8, received=at, completed=at + 400 * MS, finished=at + 400 * MS, removed=at + 401 * MS, executor=ex, manager=m, worker=worker)
            at += 400 * MS
            s.event(read, "exec_done", at + 2 * MS)
        s.event(w, "cleanup_completed", at + 100 * MS)
        s.done()
        return at / S + 0.1
    made(5)
    f = first("staging", made(0.05, "without.db"), 0.15, text="staging of files: 8 tasks of copy_in took 104 s in threads of the driver, with the wait for one of these, 20.5 s the longest of them", advice="internal_tasks_max_threads")
    check("component" not in faults(), "told twice", faults(), f)
    check("staging" not in faults("without.db"), faults("without.db"))


def stages_with_pauses(pauses, file="why.db", more=0.0):
    """Of eight tasks each; before each but the first the driver does something else once it has all results, and more between tasks."""
    tasks = [Task("work", 0.5 + 0.05 * (i % 8), barrier=i % 8 == 0, gap=pauses[i // 8 - 1] if i and i % 8 == 0 else more * (i % 2)) for i in range(8 + 8 * len(pauses))]
    return run(tasks, file=file)


@cases(([6.0], 0), ([3.0, 1.0, 2.5], 0), ([0.4, 0.7, 0.2, 0.9, 0.5], 0), ([2.0, 3.0], 0.1))
def a_driver_that_does_something_else_once_it_has_all_results(pauses, more):
    stages_with_pauses(pauses, more=more)
    f = first("idle-driver", stages_with_pauses([0] * len(pauses), file="without.db"), 0.15 if more else 0.03)
    last = 8 * (pauses.index(max(pauses)) + 1)
    check(f"from the result of task {last - 1} (work) to the submission of task {last} (work)" in f["text"], f["text"])
    said = re.match(r"(?:(\d+) times )?the driver had nothing to wait for, and submitted nothing, for .*?([\d.]+) s(?: in all)?: ", f["text"])
    check(said and int(said[1] or 1) == len(pauses) and abs(float(said[2]) - sum(pauses)) < 0.05 * sum(pauses), f["text"])
    equal("too" in f["text"].split("; ")[-1], bool(more), f["text"])
    check("slow-driver" not in faults() and not set(faults("without.db")) & {"slow-driver", "idle-driver"}, faults(), faults("without.db"))


main()
