#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The finding of spanloom why about workers, managers and nodes on which tasks take longer: that it is told, and not of those that had
the long tasks by chance; and what a run would be where one of these were as fast as others.  First tasks that are slow, as they wait
for another executor."""
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from schedules import *  # noqa


@test
def slow_worker_and_manager():
    tasks = lambda factor: [Task("work", 0.4, slow_on=(1, factor)) for _ in range(60)]
    run(tasks(4), managers=2)
    first("slow-workers", run(tasks(1), managers=2, file="without.db"), 0.15, text="manager m1 took 4 times")


@test
def a_worker_that_had_long_tasks_by_chance():
    """Five of its six, of an app of short and long ones."""
    long = lambda k, i: 0.99 if i == 7 and k == 5 else 3.0 if i == 7 else 2.9 if i == 0 else 1.0 + 0.001 * i
    run([Task("solve", long(k, i), barrier=k > 0 and i == 0) for k in range(6) for i in range(8)], workers=8)
    check("slow-workers" not in faults(), faults())


@test
def long_tasks_that_one_manager_took_in_advance():
    """As a real run with prefetch had them: the first of these take long, and who takes several at once gets neighbours."""
    long = [Task("work", 2.5, kept=1 if i < 8 else None) for i in range(12)]
    run([Task("prep", 0.2) for _ in range(8)] + long + [Task("work", 0.3) for _ in range(12)], managers=2)
    check("slow-workers" not in faults(), faults())


@cases(1, 2, 3, 4)
def who_has_the_long_tasks_by_chance(seed):
    """Of durations with a heavy tail, by neighbours alike, on few tasks each."""
    r = random.Random(seed)
    of_size = [r.choice([0.3, 1, 3, 8]) for _ in range(40)]
    for tasks in ([Task("work", r.lognormvariate(0, 1)) for _ in range(90)], [Task("work", of_size[i // 8] * r.gauss(1, 0.03), kept=i // 8 % 4) for i in range(96)]):
        run(tasks, workers=8, managers=4)
        check("slow-workers" not in faults(), why()["findings"])


@cases((1, 1.5), (2, 1.5), (3, 2))
def a_slow_node_whose_tasks_differ(seed, factor):
    """They grow with their number; it has fewer of them than others."""
    r = random.Random(seed)
    tasks = lambda factor: [Task("work", (1 + i / 60) * r.gauss(1, 0.05), slow_on=(1, factor)) for i in range(80)]
    run(tasks(factor), workers=8, managers=4, hosts=["node1", "node2", "node3", "node4"])
    f = next(f for f in why()["findings"] if f["finding"] == "slow-workers")
    times = float(re.search(r"host node2 took ([\d.]+) times", f["text"])[1])
    check(abs(times / factor - 1) < 0.12 and "by chance" in f["text"], f["text"])
    check(re.fullmatch(r"app work on node2 x0\.\d+", f["changes"]), f["changes"])


@test
def a_worker_that_is_so_slow_that_it_runs_few_tasks():
    tasks = lambda factor: [Task("work", 0.4, slow_on=(("worker", 2), factor)) for _ in range(60)]
    run(tasks(6))
    first("slow-workers", run(tasks(1), file="without.db"), 0.15, text="the worker m0/2 took 6.00 times")
    equal(faults(), ["slow-workers"])


@cases(("on node2", 1, 1), ("on m1", 1, 1), ("on 0/m1", 1, 1), ("on htex/*/m1", 1, 1), ("app work on node2", 1, 2), ("app prep on m1", 2, 1))
def time_on_a_node(change, work, prep):
    """The second of two takes twice as long for each app: where it takes so many times as long, the run is that of its twin."""
    tasks = lambda work, prep: [Task("work" if i % 3 else "prep", 1 + i % 7 / 10, slow_on=(1, work if i % 3 else prep)) for i in range(60)]
    nodes = dict(workers=4, managers=2, hosts=["node1", "node2"])
    run(tasks(2, 2), **nodes)
    twin = run(tasks(work, prep), file="twin.db", **nodes)
    [row] = json.loads(spanloom("what-if", f"{change} x0.5", "--format", "json", "-d", path("why.db")).out)
    check(abs(row["new_makespan_s"] - twin) < (0.01 if work == prep else 0.1 * twin), row, twin)  # what ran there may be elsewhere then


@cases(("on 0", "can be a parsl.rundir.block or a parsl.executor.htex.worker: say in what it lies, such as 'on NAME/0'"), ("on node3", "nothing ran on a worker, manager, block, executor or host called 'node3'; a worker is such as '"),
       ("app build on node2", "no task does anything that 'app build on node2' means"))
def a_node_that_is_none(change, said):
    run(bag(16), managers=2, hosts=["node1", "node2"])
    check(said in spanloom("what-if", f"{change} x0.5", "-d", path("why.db"), code=1).err)


def outer_and_inner(there, cold, inner=8, **more):
    """Tasks of threads, which are there at 1 s, and such of htex, whose workers are there when told, submitted from 1.2 s on."""
    tasks = [Task("outer", 0.5, on="threads", cold=cold) for _ in range(32)] + [Task("inner", 0.5, gap=0.7 if i == 0 else 0.01) for i in range(inner)]
    return run(tasks, workers=8, more={"threads": 4}, more_start=1.0, worker_start=there, **more)


@cases((9, 8.02), (31, 30.02))
def first_tasks_that_wait_for_tasks_of_another_executor(there, cold):
    """Which have no worker yet: nothing is imported, and all of it passes sooner with these."""
    outer_and_inner(there, cold)
    f = first("first-tasks", outer_and_inner(1.0, 0, file="without.db"), 0.08, text="; it waited for tasks of htex that were submitted meanwhile, which had no worker yet", sure="by replay, had all workers been there")
    check("imports" not in f["advice"] and "first-tasks" not in faults("without.db"), f, faults("without.db"))


@cases((1.0, 5.0, 8), (1.0, 5.0, 100), (4.0, 5.0, 8), (5.2, 5.0, 8))
def first_tasks_that_import_while_another_executor_runs_or_starts(there, cold, inner):
    outer_and_inner(there, cold, inner)
    f = next(f for f in why()["findings"] if f["finding"] == "first-tasks")
    check("imports" in f["advice"] and "htex" not in f["text"], f)


main()
