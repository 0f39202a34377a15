#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The findings of spanloom why about stages of tasks, results that are combined, and tasks that fail at last."""
import os
import random
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


@cases(4, 5, 7)
def stages_of_which_each_task_waits_for_all_of_the_one_before(seed):
    """Though it needs one of them alone, by its number."""
    r = random.Random(seed)
    times = [[r.choice([0.3, 0.5, 3.0]) for _ in range(12)] for _ in range(4)]
    tasks = lambda all_of_it: [Task(f"stage{k}", t, after=[] if not k else range(12 * (k - 1), 12 * k) if all_of_it else [12 * (k - 1) + i]) for k, stage in enumerate(times) for i, t in enumerate(stage)]  # noqa: E731
    run(tasks(True))
    f = first("stage-dependencies", run(tasks(False), file="without.db"), 0.15, text="12 tasks of stage1 each wait for all 12 tasks of stage0 that went before, and so do those of 2 more stages")
    check("bottleneck-task" not in faults() and "chain" not in faults(), "told twice", faults(), f)
    check("stage-dependencies" not in faults("without.db"), faults("without.db"))


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


main()
