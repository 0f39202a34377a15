#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The findings of spanloom why: stores of workflows that were worked out (lib/schedules.py), each slow for one reason, and without
that reason once more.
"""
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from schedules import *  # noqa


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
    first("straggler", without, text="task 30 (work) ran 15.0 s, 30 times the median", command="show task 30")
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
def what_was_replayed_is_in_json():
    """Of each finding its changes, and those that its words name besides; nowhere else are these numbers."""
    run(bag(60), workers=1)
    told = why()
    f = told["findings"][0]
    it = [r for r in told["replays"] if r["finding"] == "too-few-workers"]
    equal([(r["rank"], r["changes"]) for r in it], [(1, "workers x2"), (1, "workers x4"), (1, "workers x8")])
    equal(it[0]["without_s"], f["without_s"])
    for r in it:
        near = run(bag(60), workers=int(r["changes"][-1]), file="more.db")
        check(abs(r["without_s"] - near) < 0.06 * near, r, near)
    run(bag(64))
    told = why()
    equal([{**r, "without_s": 0} for r in told["replays"]], [{"rank": 1, "finding": "more-workers", "changes": "workers x2", "without_s": 0}])
    equal(told["replays"][0]["without_s"], told["findings"][0]["without_s"])


@test
def tasks_that_go_to_a_small_executor_as_often_as_to_a_large_one():
    """Those of the large one are over soon; both together need no less than for the work of both."""
    def stay(s, w, ex, blocks, mans, last):
        for m in mans:
            s.event(m, "exiting", round(last * S), MANAGER)
    run([Task("work", 0.6, on="small" if i % 2 else "htex") for i in range(60)], more={"small": 1}, more_of=stay)
    f = first("too-few-workers", run(bag(60, 0.6), workers=5, file="without.db"), 0.08, text="1 worker of small for 30 tasks was busy")
    check(f["text"].endswith("; 3 of htex had nothing to do"), f["text"])


@test
def workers_are_busy_for_as_long_as_they_are_there_at_most():
    """Also where a try of a task that another executor ran goes on after the last of their own."""
    tasks = [Task("small", 0.4, on="small") for _ in range(30)] + [Task("moved", 5, fails=1, failed_s=6, tried_on="small")]
    run(tasks, more={"small": 1})
    f = next(f for f in why()["findings"] if f["finding"] == "too-few-workers")
    busy = re.search(r"1 worker of small for 30 tasks was busy ([\d.]+) %", f["text"])
    check(busy and 90 < float(busy[1]) <= 100, f["text"])


@cases("all", "through one", "their own", "it alone")
def tasks_that_wait_for_a_straggler_and_need_not(how):
    """Tasks that pass all futures of a stage on, themselves or through one that gathers them: what the run would have been had they
    not waited for the long one is no more than what it is where each waits for its own."""
    fetch = [Task("fetch", 12.0 if i == 3 else 1.0) for i in range(16)]
    gather = [Task("gather", 0.01, after=range(16))] if how == "through one" else []
    on = {"all": lambda i: range(16), "through one": lambda i: [16], "their own": lambda i: [i % 16], "it alone": lambda i: [3]}[how]
    took = run(fetch + gather + [Task("analyse", 1.0, after=on(i)) for i in range(64)], workers=8)
    repaired = run(fetch + [Task("analyse", 1.0, after=[i % 16]) for i in range(64)], workers=8, file="without.db")
    [f] = [f for f in why()["findings"] if f["finding"] == "straggler"]
    then = [r["without_s"] for r in why()["replays"] if r["changes"] == "dependencies on 3 x0"]
    equal("need not wait for it" in f["text"], how in ("all", "through one"), f["text"])
    equal("use its result?" in f["advice"], how in ("all", "through one"), f["advice"])
    equal(len(then), int(how in ("all", "through one")))
    if then:
        check(0.85 * (took - repaired) < took - then[0] < 1.3 * (took - repaired), took, repaired, then)
        words = "64 tasks waited for it, and for 15 others each: if these" if how == "all" else "A task (and 64 for that) waited for it, and for 15 others: if these"
        check(words in f["text"], f["text"])


@cases("dependencies on 3 x0.5", "dependencies on 3 = 2", "workers +soon s x2", "workers +1 x2", "workers +-1 s x2", "dependencies on 99 x0", "dependencies x0")
def changes_that_are_none(change):
    run(bag(16))
    r = spanloom("what-if", change, "-d", path("why.db"), code=1)
    words = {"dependencies on 3 x0.5": "dependencies can be left out alone: 'dependencies on 3 x0'", "dependencies on 3 = 2": "all but one of these: 'dependencies on 3 = 1'", "dependencies on 99 x0": "99"}
    check(words.get(change, "dependencies" if "dep" in change else "how much later further workers are there is seconds: 'workers +60 s x2'") in r.err, r.err)


@cases((0, 1.0, 1.0), (2, 1.0, 3.0), (5, 4.0, 6.0))
def further_workers_that_come_later(later, first_there, least):
    """As two blocks are, of which the second came so much later."""
    took = run(bag(60, 1.0), workers=4, launched=[0.6], worker_start=first_there)
    both = run(bag(60, 1.0), workers=8, launched=[0.6, 0.6], worker_start=[first_there, first_there + later], file="both.db")
    then = json.loads(spanloom("what-if", f"workers +{later} s x2", "--format", "json", "-d", path("why.db")).out)
    [row] = then if isinstance(then, list) else then[next(iter(then))]
    check(abs(row["new_makespan_s"] - both) < 0.15 and both < took, row, both)


@cases((5, 6.0, True), (6, 6.0, True), (7, 6.0, True), (10, 6.0, True), (5, 4.5, False), (6, 4.5, False), (4, 6.0, False))
def a_straggler_of_few_tasks(n, seconds, told):
    """Ten times the median, where the longest of five is the tenth that takes longest."""
    tasks = lambda s: [Task("few", 0.5) for _ in range(n - 1)] + [Task("few", s)] + bag(30, 0.2)  # noqa: E731
    took, near = run(tasks(seconds)), run(tasks(0.5), file="without.db")
    found = [f for f in why()["findings"] if f["finding"] == "straggler"]
    equal(len(found), int(told), (n, seconds))
    if told:
        check(f"task {n - 1} (few) ran 6.00 s, 12 times the median" in found[0]["text"] and abs(found[0]["without_s"] - near) < 0.15 * (took - near), found, near)


@cases(0, 1)
def few_tasks_that_differ_are_no_stragglers(seed):
    """Tasks whose times are drawn of a distribution with a heavy tail: told in fewer than one set of ten."""
    draw = random.Random(seed)
    sets = [[draw.lognormvariate(0, 1) for _ in range(5 + i % 3)] for i in range(20)]
    run([Task(f"app{i}", s) for i, times in enumerate(sets) for s in times])
    told = sum(f["finding"] == "straggler" for f in why()["findings"])
    check(told <= 2, told)


@cases((4, 0.3, 0.4), (2, 0.2, 0.5), (16, 0.5, 0.2))
def one_lock_for_all_tasks(workers, free, held):
    """Workers are busy with tasks that wait for it, and more of them would wait, too."""
    tasks = lambda held: [Task("locked", free + (0 if held else lock), held=held) for _ in range(80)]
    lock = held
    run(tasks(held), workers=workers, cpus=2)
    without = run(tasks(0), workers=workers, cpus=2, file="without.db")
    f = first("one-at-a-time", without, text=f"of locked ran at once, but one ended each 0.{held * 1000:.0f} s", advice="one lock")
    check(f"the quickest for 0.{(free + held) * 1000:.0f} s" in f["text"], f["text"])
    equal(faults() + [f["finding"] for f in why()["findings"] if f["finding"] == "more-workers"], ["one-at-a-time"])
    equal(faults("without.db"), [])


@test
def one_lock_beside_another_app():
    tasks = lambda locked: [t for i in range(40) for t in (Task("locked", 0.2 if locked else 0.6, held=0.4 if locked else 0), Task("work", 0.5))]
    run(tasks(True))
    check(faults()[0] == "one-at-a-time" and "straggler" not in faults(), faults())


@cases((0.4, 0.2, 0.1), (2, 0, 1), (0.1, 0.2, 4))
def workers_that_do_more_than_run_tasks(starts, ends, runs):
    """They start a process for each.  What the run would be without is what it is where they do not."""
    run([Task("add", starts + runs + ends, starts=starts, ends=ends) for _ in range(60)])
    without = run(bag(60, runs, "add"), file="without.db")
    share = (starts + ends) / (starts + runs + ends)
    if share > 0.12:
        f = first("task-overhead", without, text="of the time that tasks had a htex worker went into starting and ending them")
        told = re.search(r"([\d.]+) % of .*: ([\d.]+) s until it began, ([\d.]+) s for it, ([\d.]+) s? ?after", f["text"])
        near = [100 * share, 60 * starts, 60 * runs, 60 * ends]
        check(told and all(abs(float(a) - b) <= 0.01 * b for a, b in zip(told.groups(), near)), f["text"], near)
        where = {r["what"]: r["seconds"] for r in why()["went"]}
        parts = [where["htex worker, starting the task"], where["app add"], where.get("htex worker, result on its way back", 0)]
        check(all(abs(a - 15 * b) < 0.3 for a, b in zip(parts, (starts, runs, ends))), where)
    else:
        check("task-overhead" not in faults(), faults())
    check("task-overhead" not in faults("without.db"), faults("without.db"))


def arriving(tasks, file="why.db"):
    """On workers that come one block after the other."""
    return run(tasks, workers=12, launched=[0.6, 12, 20, 28], manager=[0.8, 12.2, 20.2, 28.2], worker_start=[1, 12.4, 20.4, 28.4], cpus=64, file=file)


@test
def tasks_that_slow_each_other_down():
    tasks = lambda beside: [Task("solve", 1 + 0.01 * (i % 9), beside=beside) for i in range(300)]
    arriving(tasks(0.3))
    without = arriving(tasks(0), file="without.db")
    f = next(f for f in why()["findings"] if f["finding"] == "contention")
    check(abs(f["without_s"] - without) < 0.15 * (why()["run"][0]["makespan_s"] - without), f, without)
    check(re.search(r"tasks of solve ran the longer the more there were at once: 1\.[0-9]+ s \(median\) beside at most [1-6], [34]\.[0-9]+ s beside 12", f["text"]), f["text"])
    check("contention" not in faults("without.db"), faults("without.db"))


@cases(lambda i: 0.5 + 0.01 * i, lambda i: 1.0 if i < 30 else 2.5, lambda i: 3.5 - 0.01 * i, lambda i: 0.2 + (i * 7919 % 97) / 20)
def tasks_that_differ_do_not_slow_each_other_down(seconds):
    """Longer the later they were submitted, or shorter, or a try of small ones first, or by chance."""
    arriving([Task("solve", seconds(i)) for i in range(300)])
    check("contention" not in faults(), why()["findings"])


@test
def tasks_that_slow_each_other_down_in_stages():
    """Of which each has as many at once as it has tasks."""
    r = random.Random(1)
    sizes = [r.randint(1, 8) for _ in range(40)]
    tasks = lambda beside: [Task("solve", (1 + 0.01 * (k % 5)) * (1 + beside * (n - 1)), barrier=i > 0 and k == 0) for i, n in enumerate(sizes) for k in range(n)]
    took = run(tasks(0.2), workers=8)
    without = run(tasks(0), workers=8, file="without.db")
    f = next(f for f in why()["findings"] if f["finding"] == "contention")
    check(abs(f["seconds"] - (took - without)) < 0.25 * (took - without), f, took - without)
    check("contention" not in faults("without.db"), faults("without.db"))


def fewer_submitted():
    r = random.Random(2)
    run([Task("solve", 1.7 - 1.4 * i / 585, gap=0.14 * r.expovariate(1)) for i in range(585)], workers=16)


def more_workers():
    step = [0.6 + 12 * i for i in range(4)]
    run([Task("solve", 0.3 + 1.7 * (i / 240)) for i in range(240)], workers=12, launched=step, manager=[t + 0.2 for t in step], worker_start=[t + 0.4 for t in step])


def tried_again():
    """Between two tries nothing runs."""
    run([Task("solve", 0.3 + 0.01 * i, fails=i % 7 == 3, failed_s=0.4) for i in range(140)], workers=4)


@cases(more_workers, fewer_submitted, tried_again)
def tasks_that_differ_while_the_number_at_once_does(made):
    """As larger ones come while more workers do, or smaller ones while fewer are submitted."""
    made()
    check("contention" not in faults(), why()["findings"])


@test
def ends_at_regular_times_are_no_lock():
    """Of tasks on workers that came apart by a part of them, or that begin as those before them are done."""
    run([Task("work", 0.5)] + bag(40, 1.0), workers=2, managers=2, worker_start=[1.0, 1.5], launched=[0.6, 0.6], cpus=1)
    equal(faults(), [])
    run([Task("first", 0.4, on="small") for _ in range(30)] + [Task("then", 0.5 if i == 0 else 0.8, after=[i]) for i in range(30)], more={"small": 1})
    check("one-at-a-time" not in faults(), faults())
    run([Task("work", 0.3 if i == 5 else 0.7, gap=0.35) for i in range(40)])
    check("one-at-a-time" not in faults(), faults())


@cases(lambda i: 2.4 + 0.2 * i, lambda i: 6.0 - 0.2 * i)
def larger_and_larger_inputs_side_by_side_are_no_lock(seconds):
    """Those that begin together end one after the other, in the order of their inputs."""
    run([Task("sweep", seconds(i)) for i in range(18)], workers=18)
    check("one-at-a-time" not in faults(), faults())


@test
def one_lock_for_tasks_that_begin_together():
    """They have it in no order."""
    run([Task("locked", 2.4 + 0.2 * (i * 7 % 18)) for i in range(18)], workers=18)
    equal(faults(), ["one-at-a-time"])


@test
def stages_that_end_at_once_are_no_lock():
    """Ends are a moment apart, again and again, and a stage apart."""
    run([Task("solve", 0.5 * n, barrier=i > 0 and k == 0) for i, n in enumerate([4, 16, 9, 12, 16, 7] * 3) for k in range(n)], workers=16)
    check("one-at-a-time" not in faults(), faults())


@test
def as_many_workers_as_cpus_are_not_too_few():
    """Of which a note says what more would do, if tasks do not compute."""
    tell = lambda: {f["finding"]: f for f in why("cpus.db")["findings"]}
    for workers, cpus, found in ((2, 2, "more-workers"), (1, 2, "too-few-workers"), (2, 8, "too-few-workers"), (4, 2, "more-workers")):
        run(bag(200), workers=workers, cpus=cpus, file="cpus.db")
        check(found in tell() and not {"more-workers", "too-few-workers"} - {found} & set(tell()), workers, cpus, list(tell()))
    check(tell()["more-workers"]["advice"].startswith("tasks that compute would gain nothing (the nodes have 2 CPUs)"), tell()["more-workers"])
    for hosts, found in ((["node1"], "more-workers"), (["node1", "node2"], "too-few-workers")):  # two managers have the CPUs of one node once
        run(bag(200), workers=2, managers=2, cpus=2, hosts=hosts, file="cpus.db")
        check(found in tell() and len({"more-workers", "too-few-workers"} & set(tell())) == 1, hosts, list(tell()))


@test
def barrier():
    times = [[4 if i == k else 1 for i in range(4)] for k in range(3)]
    run([Task("work", t, barrier=(i == 0)) for stage in times for i, t in enumerate(stage)])
    first("barrier", run([Task("work", t) for stage in times for t in stage], file="without.db"), 0.02, text="2 times the driver waited")


@test
def round_trips_of_a_driver_that_waits():
    """Stages that keep all workers busy: what is lost is the time from the last result to the next task."""
    run([Task("work", 0.5 + 0.2 * (i % 2), barrier=i > 0 and i % 4 == 0) for i in range(80)])
    first("barrier", run([Task("work", 0.5 + 0.2 * (i % 2)) for i in range(80)], file="without.db"), 0.05)


@test
def why_a_replay_is_in_doubt():
    """By how much the run comes out otherwise with nothing changed: what-if says the same."""
    tasks = lambda: [Task("work", 12.0 if i == 3 else 0.5) for i in range(60)]
    run(tasks(), halt=(4, 12))
    f = next(f for f in why()["findings"] if f["finding"] == "straggler")
    said = re.fullmatch(r"by replay, in doubt: with nothing changed the run comes out ([\d.]+) % shorter than it was, as tasks waited while workers were free", f["sure"])
    would = json.loads(spanloom("what-if", f["changes"], "--format", "json", "-d", path("why.db")).out)
    would = would["change"][0] if isinstance(would, dict) else would[0]
    check(said and would["bias"] < -0.05 and abs(float(said[1]) + 100 * would["bias"]) < 0.5, f["sure"], would)
    run(tasks(), file="without.db")
    equal([f["sure"] for f in why("without.db")["findings"] if f["finding"] == "straggler"], ["by replay"])


@test
def a_driver_that_takes_results_slowly():
    """As callbacks of futures make it: the interchange has sent them on."""
    run(bag(40, 0.3), taken=0.4)
    first("untaken-results", run(bag(40, 0.3), file="without.db"), text="the driver took results one after the other, each after 0.39", advice="callbacks")
    equal(faults(), ["untaken-results"])
    equal(faults("without.db"), [])
    check("driver, does not take results" in [w["what"] for w in why()["went"]], why()["went"])


@test
def a_driver_that_stands_still():
    """While workers go on with what was submitted."""
    run(bag(40), still=(2, 11))
    f = first("untaken-results", run(bag(40), file="without.db"), text="the driver stood still, for 9", advice="stopped")
    check(f["text"].endswith("and submitted nothing") and faults() == ["untaken-results"], f["text"], faults())


@test
def bottleneck_task():
    run([Task("fetch", 10)] + [Task("analyse", 0.5, after=[0]) for _ in range(16)])
    first("bottleneck-task", run([Task("fetch", 0)] + [Task("analyse", 0.5, after=[0]) for _ in range(16)], file="without.db"), 0.1,
          text="task 0 (fetch) ran for 10.0 s while 3 of 4 workers had nothing to do: 16 tasks wait for it")


@test
def chain():
    run([Task("step", 0.5, after=[i - 1] if i else []) for i in range(24)])
    first("chain", run(bag(24, app="step"), file="without.db"), 0.15, text="one after the other")


@test
def failed_tries():
    tasks = lambda fails: [Task("flaky", 1, fails=fails, failed_s=2.0) for _ in range(4)] + bag(8)
    run(tasks(3))
    first("failed-tries", run(tasks(0), file="without.db"), 0.15, text="12 tries of 4 tasks failed")
    check("; all of app flaky: OSError('no route to host')" in why()["findings"][0]["text"], why()["findings"][0]["text"])


@test
def a_pause_before_tries_are_made_again():
    """By what Parsl asks in the driver; tasks that retry at once have none."""
    tasks = lambda pause: [Task("flaky", 0.5, fails=1, failed_s=0.5, pause=pause) for _ in range(4)] + [Task("then", 0.5, after=[i]) for i in range(4)]
    run(tasks(4))
    without = run(tasks(0), file="without.db")
    f = next(f for f in why()["findings"] if f["finding"] == "retry-handler")
    check(abs(f["without_s"] - without) < 0.05 and f["text"].startswith("before 4 tries were made again the driver did something else for 4.00 s (median)"), f, without)
    check("retry-handler" not in faults("without.db"), faults("without.db"))
    check("retry-handler" not in faults("real.db", f"{ROOT}/examples/parsl-htex/runinfo"), faults("real.db"))  # of several tries each


@test
def of_failed_tries_those_are_named_that_cost_most():
    """Not those that there are most of."""
    tasks = lambda slow, quick: [Task("slow", 1, fails=slow, failed_s=6.0, error="AppTimeout()") for _ in range(2)] + [Task("quick", 1, fails=quick, failed_s=0.1) for _ in range(8)]
    run(tasks(1, 3))
    f = first("failed-tries", run(tasks(0, 0), file="without.db"), 0.15, text="26 tries of 10 tasks failed")
    named = re.search(r"those of slow cost the run most, ([\d.]+) s: AppTimeout\(\)$", f["text"])
    check(named and abs(float(named[1]) - run(tasks(1, 3)) + run(tasks(0, 3), file="without.db")) < 0.3, f["text"])


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
def the_longest_tasks_last():
    """Of apps whose tasks differ, so that none is a straggler."""
    tasks = [Task("work", t) for t in [0.3] * 8 + [1.0] * 12 + [1.5, 2.0, 2.4, 2.7, 2.9]]
    run(tasks)
    f = first("long-last", run(tasks[::-1], file="without.db"), 0.15, text="task 24 (work) ran for 2.90 s, but began", advice="longest tasks first")
    check("of 4 workers had nothing to do" in f["text"], f["text"])
    equal(faults("without.db"), [])


@test
def one_task_more_than_workers():
    """Or two, once more; with as many that begin together, or tasks that differ, none is left."""
    run(bag(17, 3), workers=8)
    f = first("last-wave", run(bag(17, 3), workers=9, file="without.db"), text="the last of 17 tasks, which is no longer than the others (3.00 s), began when all others were done: 7 of 8 workers")
    check(f["advice"].startswith("9 workers would save"), f)
    run(bag(18, 3), workers=8)
    first("last-wave", run(bag(18, 3), workers=10, file="without.db"), text="the last 2 of 18 tasks, which are no longer")
    for tasks in (bag(16, 3), bag(20, 3), [Task("work", 2 + 0.2 * (i * 7 % 17)) for i in range(17)]):
        run(tasks, workers=8)
        check("last-wave" not in faults(), faults())


@test
def tasks_that_one_manager_keeps():
    """Long ones, while the workers of the other one have nothing left to do."""
    tasks = lambda kept: [Task("long" if i % 2 else "short", 2.5 if i % 2 else 0.3, kept=1 - i % 2 if kept else None) for i in range(24)] + [Task("end", 0.1, barrier=True, kept=i) for i in range(2)]
    run(tasks(True), managers=2)
    f = next(f for f in why()["findings"] if f["finding"] == "prefetch")
    gained = why()["run"][0]["makespan_s"] - run(tasks(False), managers=2, file="without.db")
    check(faults()[0] == "prefetch" and abs(f["seconds"] - gained) < 0.15 * gained, f, gained)
    check(re.match(r"a manager kept (8|9|10) tasks, such as task \d+ \(long\), while workers of another one had nothing to do for 1\d\.\d s", f["text"]), f["text"])
    check("prefetch" not in faults("without.db"), faults("without.db"))


@test
def tasks_that_waited_for_the_same():
    """More than a tenth of all, which would be tasks that differ if they ran apart."""
    tasks = lambda waits: [Task("work", 10 - 0.1 * (i % 4) if i in waits else 0.5) for i in range(32)]
    run(tasks((8, 9, 10, 11)))
    f = first("straggler", run(tasks(()), file="without.db"), text="task 8 (work) ran 10.0 s, 20 times the median of its app (0.500 s); 3 more ran at least 9.70 s, at the same time", advice="wait for")
    run(tasks((8, 12, 19, 25)))
    check("straggler" not in faults(), faults())


@test
def tasks_that_run_longer_and_longer():
    """A note: they may have been submitted by size."""
    run([Task("work", 0.3 + 0.05 * i) for i in range(60)])
    f = next(f for f in why()["findings"] if f["finding"] == "drift")
    near = run([Task("work", 0.3 + 0.05 * 2.5) for i in range(60)], file="without.db")
    told = re.search(r"later they began: 0\.425 s \(median of the first tenth\), 3\.12 s \(of the last\); .* would have taken ([\d.]+) s, by replay", f["text"])
    check(f["seconds"] is None and told and abs(float(told[1]) - near) < 0.05 * near, f["text"], near)
    for tasks in (bag(60), [Task("work", 0.3 + 0.05 * (i * 37 % 60)) for i in range(60)], [Task("work", 3.3 - 0.05 * i) for i in range(60)]):
        run(tasks)
        check("drift" not in faults(), faults())


@test
def tasks_in_descending_order_of_their_length_are_no_slow_first_tasks():
    run([Task("work", t) for t in [8, 4, 3, 2.5, 2, 1.5, 1, 1] + [0.5] * 8 + [0.2] * 12])
    check("first-tasks" not in faults() and "long-last" not in faults(), faults())


@test
def staging():
    tasks = lambda seconds: [Task("_http_stage_in", seconds * (i + 1)) for i in range(6)] + [Task("use", 0.5, after=[i]) for i in range(6)]
    run(tasks(2))
    first("staging", run(tasks(0), file="without.db"), 0.1, text="staging of files: 6 tasks of _http_stage_in took 42.0 s on workers, 12.0 s the longest")


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
    check(told["threads"].startswith("executor threads ran tasks in 3 threads: code in Python runs in one of them at a time (GIL)"), told)
    check("more-workers" not in told, told)


@test
def workers_of_which_no_log_knows_blocks():
    run(bag(60), launched=[], workers=4, managers=1, worker_start=[16])
    first("late-workers", run(bag(60), launched=[], worker_start=[0], file="without.db"), text="workers came 15.5 s after the first task was submitted")


@test
def tasks_that_took_no_time_by_a_log_of_milliseconds_ran_all_the_same():
    told = why("shell.db", f"{ROOT}/tests/data/parsl-2024-shell")["findings"][0]
    check(told["finding"] == "first-worker" and told["text"].startswith("no worker was there until 48.7 s after"), told)
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


main()
