#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The findings of spanloom why about workers that came late, left or were lost, or were too few."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from schedules import *  # noqa


@cases(("parsl-2024-lost", 4, 5.5, "manager 9c9102e757e0 on node1 was lost, and 3 tasks with it (such as task 2 (sleeper)); all were retried, and done", "failed tries x0"),
       ("parsl-2025-lost", 4, 5.5, "manager d2c353c6f725 on node1 was lost, and 3 tasks with it (such as task 0 (sleeper)); all were retried, and done; the next one was there 4.48 s after the last sign of it", "failed tries x0"),
       ("parsl-2026-lost", 4, 5.5, "manager 5e333d147769 on node1 was lost, and 3 tasks", "failed tries x0"),
       ("parsl-2026-workqueue", 19.2, 19.4, "worker-69c2c5d06d5c608e72f680c034e691f2 was lost, and 2 tasks", "failed tries 0 1 x0"))
def lost_workers(run, least, most, text, changes):
    """Half of the tasks were lost before any ran: what passed until that was noticed is lost, too."""
    f = why("lost.db", f"{ROOT}/tests/data/{run}")["findings"][0]
    equal((f["finding"], f["changes"]), ("lost-workers", changes))
    check(least < f["seconds"] < most and f["text"].startswith(text), f)
    check("failed-tries" not in [x["finding"] for x in why("lost.db")["findings"]], "told twice")


@test
def that_no_worker_was_there_as_one_was_lost_is_told_once():
    """By the loss, which says until when."""
    told = why("lost.db", f"{ROOT}/tests/data/parsl-2024-lost")["findings"]
    equal([f["finding"] for f in told if f["finding"] in ("no-workers", "lost-workers")], ["lost-workers"])
    check("; the next one was there 4.62 s after the last sign of it" in told[0]["text"], told[0])


@test
def a_lost_manager_whose_workers_are_missing_then():
    """What the others had to do for them is what it cost; that nobody knew of the loss held up two tasks alone."""
    tasks = [Task("work", 1.0) for _ in range(4)] + [Task("work", 1.0, kept=1, fails=1, failed_s=9, lost=True, error="ManagerLost('m1 was lost')") for _ in range(2)] + [Task("work", 1.0) for _ in range(54)]
    run(tasks, managers=2, gone={1: 2.1})
    f = first("lost-workers", run(bag(60, 1.0), managers=2, file="without.db"), 0.12, text="manager m1 was lost, and 2 tasks with it (such as task 4 (work)); all were retried, and done; no other came after it: 2 of 4 workers were missing while up to ",
              sure="by estimate, with as many workers as before")
    noticed = re.search(r"; the loss was noticed ([\d.]+) s after the last sign of it$", f["text"])
    check(noticed and 7.5 < float(noticed[1]) < 9.5, f["text"])
    check("left-workers" not in faults(), faults())

    def goes_on(s, w, ex, blocks, mans, last):
        """Stopped for long, and then told that it is lost: it exits, and says so."""
        s.event(mans[1], "exiting", round((last - 0.5) * S), MANAGER)
    run(tasks, managers=2, gone={1: 2.1}, more_of=goes_on)
    again = first("lost-workers", run(bag(60, 1.0), managers=2, file="without.db"), 0.15, sure="by estimate, with as many workers as before")
    check("2 of 4 workers were missing while up to " in again["text"], again["text"])
    run([Task("work", 1.0, kept=1, fails=1, failed_s=9, lost=True, error="ManagerLost('m1 was lost')")] + bag(6, 1.0), managers=2, gone={1: 2.1})
    went = {w["what"]: w["seconds"] for w in why()["went"]}
    check(7 < went["until the loss of a worker was noticed"] < 9.1 and "component" not in faults(), went, faults())


@test
def several_managers_that_were_lost():
    lost = [Task("work", 1.0, kept=m, fails=1, failed_s=9, lost=True, error=f"ManagerLost('m{m} was lost')") for m in (1, 2)]
    run([Task("work", 1.0) for _ in range(6)] + lost + bag(54, 1.0), managers=3, workers=6, gone={1: 2.1, 2: 2.1})
    [f] = [f for f in why()["findings"] if f["finding"] == "lost-workers"]
    check(f["text"].startswith("2 managers were lost, and 2 tasks with them (such as task 6 (work)); all were retried, and done; no other came after them"), f["text"])


@test
def a_worker_that_was_lost_is_told_beside_tries_that_failed():
    told = {f["finding"]: f for f in why("dual.db", f"{ROOT}/tests/data/parsl-2026-dual")["findings"]}
    check(told["lost-workers"]["text"].startswith("a worker of manager e0d94e678026 on node1 was lost, and 1 task with it (task 7 (kill_worker_once))"), told["lost-workers"]["text"])
    equal(told["lost-workers"]["changes"], "failed tries 7 x0")


@test
def late_workers():
    run(bag(16), worker_start=13, manager=12.5)
    first("late-workers", run(bag(16), worker_start=1.1, manager=0.6, file="without.db"), 0.05)


@cases((None, True), ("init_blocks=0, ", True), ("init_blocks=2, ", False), ("init_blocks=2, max_blocks=2, init_blocks=0", True))
def blocks_are_to_be_asked_for_at_once_where_they_were_not(config, advised):
    """As the configuration says, if it does so of one executor alone.  What follows, as in every run, is no part of it."""
    took = lambda asked, **more: run(bag(40), launched=[asked] * 2, manager=[asked + 1] * 2, worker_start=[asked + 6] * 2, workers=4, **more)  # noqa: E731
    took(14, config=config and f"Config({config})")
    f = first("late-workers", took(0.5, file="without.db"), 0.01, text="the first block was asked for 13.5 s after the first task was submitted")
    equal("init_blocks" in f["advice"], advised, f["advice"])
    check("late-workers" not in faults("without.db"), faults("without.db"))


@cases((10, 16), (4, 14))
def blocks_that_were_launched_before_there_was_a_task(submits, began):
    """What passed until then cost nothing."""
    there = {"launched": 0.6, "start": submits}
    run(bag(40), manager=began, worker_start=began + 0.4, **there)
    f = first("late-workers", run(bag(40), manager=1.1, worker_start=1.5, file="without.db", **there), 0.05)
    check(f"after the first block was launched it took {began - 0.6:.1f} s until its job began" in f["text"], f["text"])
    check(f["text"].endswith(f"; the first task was submitted {submits - 0.6:.2f} s after the launch"), f["text"])


@cases((9.0, "jobs that ask for less time"), (2.0, "is worker_init (conda, modules) slow"), (None, "queue, or what is run before"))
def where_the_batch_system_says_when_the_job_began(queued, advice):
    def job(s, w, ex, blocks, mans, last):
        if queued:
            s.link(s.span("slurm.job", "71", None, 5, start=round((0.6 + queued) * S)), FACET, blocks[0])
    run(bag(40), launched=0.6, manager=12.6, worker_start=13, more_of=job)
    f = first("late-workers", run(bag(40), launched=0.6, manager=1.1, worker_start=1.5, file="without.db"), 0.02, advice=advice)
    said = re.search(r"; the job waited for ([\d.]+) s in the queue of the batch system, its manager was there ([\d.]+) s later", f["text"])
    equal(said and [float(x) for x in said.groups()], queued and [queued, 12 - queued], f["text"])


@test
def a_block_on_the_driver_s_own_node_waits_in_no_queue():
    for late, worst in ((12.6, "late-workers"), (3.6, "first-worker")):
        run(bag(40), launched=0.6, manager=late, worker_start=late + 2.4, more_of=lambda s, w, ex, *_: s.attr(ex, "provider", "LocalProvider"))
        [f] = [f for f in why()["findings"] if f["finding"] == worst]
        check("worker_init" in f["advice"] and "queue" not in f["advice"], f)


@test
def what_a_manager_needs_to_start_and_what_its_workers():
    for there, found, words in ((9, "first-worker", "2.50 s for its manager to start, and 5.70 s for its workers"), (63, "late-workers", "managers and workers needed 62.2 s (median) to start, after the 0.200 s until the first job began; their managers were ready 59.7 s before them")):
        run(bag(40), launched=0.6, manager=0.8, worker_start=there, more_of=lambda s, w, ex, blocks, mans, last: s.event(mans[0], "ready", round(3.3 * S), MANAGER))
        [f] = [f for f in why()["findings"] if f["finding"] == found]
        check(words in f["text"], f["text"])


@test
def workers_that_left():
    """Half of them, and nobody took their place; where others come that is no loss."""
    run(bag(80), managers=2, gone={1: 4})
    first("left-workers", run(bag(80), managers=2, file="without.db"), 0.1, text="2 of 4 workers left 3.00 s after the first task began, while 56 tasks waited, and no others took their place", advice="was their time over")
    check("left-workers" not in faults("without.db"), faults("without.db"))
    blocks = {"launched": [0.6, 0.6, 3.6], "manager": [0.8, 0.8, 3.8], "worker_start": [1, 1, 4.1], "workers": 6}
    run(bag(80), gone={1: 4}, **blocks)
    check("left-workers" not in faults(), why()["findings"])


@test
def nobody_hands_out_tasks_for_a_while():
    run(bag(80), halt=(4, 12))
    without = run(bag(80), file="without.db")
    first("standstill", without, text="once nothing ran on any worker although 56 tasks waited and workers were there, for 7.99 s, 4.01 s after", advice="stood still")
    check("standstill" not in faults("without.db"), faults("without.db"))
    for more in ({"hand": 0.3}, {"worker_start": 4}):  # it takes long to hand over each, and workers come late
        run(bag(40), **more)
        check("standstill" not in faults(), faults())
    run([Task("work", 1, barrier=i % 4 == 0, gap=3 if i % 4 == 0 else 0) for i in range(16)])  # nothing is there to be handed out
    check("standstill" not in faults(), faults())


@test
def blocks_of_one_executor_in_the_queue():
    """The tasks of the other one, whose blocks have the same names, have workers soon."""
    tasks = [Task("quick", 0.5) for _ in range(12)] + [Task("slow", 0.5, on="late", after=[i]) for i in range(12)]
    run(tasks, more={"late": 2}, more_start=15)
    first("late-workers", run(tasks, more={"late": 2}, file="without.db"), 0.1, text="after the first block of late was launched it took 14.2 s until its job began")
    equal(faults("without.db"), [])
    went = {w["what"]: w["seconds"] for w in why()["went"]}  # no app runs while the workers of its executor are not there
    check(10 < went["until workers of late were there"] < 15 and went["app slow"] < 4, went)


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
def a_block_that_takes_the_place_of_another_was_not_asked_for_late():
    """As one whose time is over, and the next."""
    run(bag(60, 1.0), launched=[0.6, 14], manager=[0.8, 14.2], worker_start=[1, 14.4], workers=8, gone={0: 11}, cpus=8)
    check("late-workers" not in faults(), why()["findings"])
    more = next(f for f in why()["findings"] if f["finding"] in ("more-workers", "too-few-workers"))
    check("4 workers" in more["text"], more["text"])
    run(bag(60, 1.0), launched=[0.6, 14], manager=[0.8, 14.2], worker_start=[1, 14.4], workers=8, cpus=8)
    check("late-workers" in faults(), why()["findings"])


@test
def executors_that_share_a_node():
    """Its CPUs are those of both: not twice as many, and none are left for the workers of one that the other's have."""
    tasks = [Task("a", 0.5) for _ in range(80)] + [Task("b", 0.5, on="small") for _ in range(40)]
    node = dict(workers=4, more={"small": 2}, hosts=["n1"], more_host="n1")
    run(tasks, cpus=4, file="shared.db", **node)
    [f] = [f for f in why("shared.db")["findings"] if f["finding"] in ("more-workers", "too-few-workers")]
    check("the nodes have 4 CPUs" in f["advice"] and "6 workers of 2 executors" in f["text"], f)
    for cpus, host, found in (6, "n1", "more-workers"), (8, "n1", "too-few-workers"), (6, "n2", "too-few-workers"):
        run(tasks[:-30], cpus=cpus, file="shared.db", **{**node, "more_host": host})
        equal({f["finding"] for f in why("shared.db")["findings"]} & {"more-workers", "too-few-workers"}, {found}, (cpus, host))


@test
def workers_have_their_executor():
    """Also a thread whose task monitoring.db says to run, and one that ran nothing; tables worker and task say the same."""
    store = imported(f"{ROOT}/tests/data/parsl-2026-threads").store
    run = json.loads(spanloom("runs", "-d", store, "--format", "json").out)[0]["run"]
    rows = lambda sql: json.loads(spanloom("sql", "-d", store, "--run", run, "--format", "json", sql).out)  # noqa: E731
    workers = {w["span"]: w["executor"] for w in rows("SELECT span, executor FROM worker")}
    check(workers and None not in workers.values(), workers)
    tasks = rows("SELECT name, worker, executor FROM task WHERE runs > 0 AND executor <> '_parsl_internal' AND ended = 'done'")
    check(tasks and all(t["worker"] and workers[t["worker"]] == t["executor"] for t in tasks), [t for t in tasks if not t["worker"]][:5])


@test
def no_worker_was_there_any_more():
    """Until the next block was: that is no queue of the interchange, which had nobody to give tasks to."""
    end = lambda late: dict(launched=[0.6, late], manager=[0.8, late + 0.2], worker_start=[1, late + 0.4], workers=8, gone={0: 5}, cpus=8)  # noqa: E731
    run(bag(60, 1.0), **end(20))
    f = first("no-workers", run(bag(60, 1.0), **end(4.6), file="without.db"), text="once no worker was there although tasks waited, for 15.", advice="max_idletime")
    went = {w["what"]: w["seconds"] for w in why()["went"]}
    check(abs(went["while no worker was there"] - f["seconds"]) < 0.01 and went.get("htex interchange, in the interchange's queue", 0) < 0.1, went)
    check(abs(sum(went.values()) - why()["run"][0]["makespan_s"]) < 1e-6, went)
    check("no-workers" not in faults("without.db") and "while no worker was there" not in str(why("without.db")), faults("without.db"))
    slow = lambda late: dict(launched=[0.6, late], manager=[6.6, late + 6], worker_start=[6.8, late + 6.2], workers=8, gone={0: 12}, cpus=8)  # noqa: E731
    run(bag(60, 1.0), **slow(16))  # worker_init takes 6 s, of the next block, too: that is no time that workers came late besides
    first("no-workers", run(bag(60, 1.0), **slow(5.8), file="without.db"), 0.12)
    [late] = [f for f in why()["findings"] if f["finding"] == "late-workers"]
    check(4 < late["seconds"] < 6.5, late)


@test
def managers_and_workers_that_take_long_to_start():
    """Against five seconds, which is not much on a busy machine."""
    run(bag(60), launched=0.6, manager=1.6, worker_start=61.6)
    f = first("late-workers", run(bag(60), launched=0.6, manager=1.6, worker_start=6.6, file="without.db"), text="managers and workers needed 60.0 s (median) to start, after the 1.00 s until the first job began")
    equal(f["changes"], "workers, starting x0.083333")
    equal(faults("without.db"), [])


@cases((4, 10.2, 25), (5.6, 33.5, 60), (2.4, 33.2, 60), (6.8, 14.6, 30))
def processes_that_start_slowly_on_a_busy_machine_are_no_finding(began, there, n):
    """As seen on one with nine that computed on two cores; what is run before (worker_init) is, there too, where it takes longer."""
    run(bag(n), start=0.5, launched=4, manager=4 + began, worker_start=4 + began + there)
    equal(faults(), [])
    check("first-worker" in [f["finding"] for f in why()["findings"]], why()["findings"])
    init = 20 if there < 20 else 40
    run(bag(n), start=0.5, launched=4, manager=4 + began + init, worker_start=4 + began + init + there, file="init.db")
    f = why("init.db")["findings"][0]
    check(f["finding"] == "late-workers" and abs(f["seconds"] - init) < 0.16 * init, f)


@cases((16, 0.5, 4.5), (60, 1, 9))
def an_ordinary_start_is_no_finding(n, seconds, there):
    """But it is told, with what passed until when; and that sound runs have it."""
    run(bag(n, seconds), launched=0.6, manager=2, worker_start=there)
    equal(faults(), [])
    [f] = [f for f in why()["findings"] if f["finding"] == "first-worker"]
    check(f["usual"] == 1 and f["text"].startswith(f"no worker was there until {there - 0.5:.2f} s after the first task was submitted"), f["text"])
    check(f": 1.40 s until its job began, {there - 2:.2f} s for its manager and workers to start" in f["text"], f["text"])


@test
def a_block_that_began_before_there_was_a_task_did_not_let_it_wait():
    run(bag(16), start=5, launched=0.6, manager=2, worker_start=8)
    [f] = [f for f in why()["findings"] if f["finding"] == "first-worker"]
    check(f["text"].endswith(": its block had been launched 4.40 s before that, its job began 1.40 s later, and its manager and workers needed 6.00 s to start"), f["text"])
    equal((round(f["without_s"], 1), f["sure"]), (7.1, "by replay, had all workers been there"))
    equal([(r["changes"], round(r["without_s"], 1)) for r in why()["replays"] if r["finding"] == "first-worker"], [("workers, start-up x0", 7.1)])
    equal([f["usual"] for f in why()["findings"]], [1])
    check("\nnothing else stands out: sound runs have findings like these, too\n" in spanloom("why", "-d", path("why.db")).out, "what sound runs have, too")
    run([Task("work", 10)] + bag(15), start=5, launched=0.6, manager=2, worker_start=8)
    check("first-worker" in (found := [f["finding"] for f in why()["findings"]]) and len(found) > 1, found)
    out = spanloom("why", "-d", path("why.db")).out
    ranks = [str(f["rank"]) for f in why()["findings"] if f["usual"]]
    check("stands out" not in out and f"Sound runs have findings like {' and '.join(ranks)}, too." in re.sub(r"\s+", " ", out), "a straggler stands out", out)


@test
def a_start_that_took_most_of_the_run_comes_first():
    """Before a small finding, and after one that cost more."""
    rank = lambda: [f["finding"] for f in why()["findings"] if f["finding"] in ("first-worker", "straggler", "long-last")]
    run(bag(15) + [Task("work", 3)], launched=0.6, manager=2, worker_start=12)
    equal(rank(), ["first-worker", "long-last"])
    [f] = [f for f in why()["findings"] if f["finding"] == "first-worker"]
    check(f["took_s"] is None and abs(f["seconds"] - 11.5) < 0.1, f)
    run(bag(15) + [Task("work", 14)], launched=0.6, manager=2, worker_start=12)
    equal(rank(), ["straggler", "first-worker"])


@cases((150, 6, "more-workers"), (40, 12, "first-worker"))
def what_sound_runs_have_is_ranked_by_its_seconds_too(n, there, most):
    """As all others are; seconds are those of the replay."""
    took = run(bag(n), launched=0.6, manager=2, worker_start=there)
    near = {"more-workers": run(bag(n), launched=0.6, manager=2, worker_start=there, workers=8, file="more.db"), "first-worker": run(bag(n), worker_start=0, file="there.db")}
    found = why()["findings"]
    equal([f["finding"] for f in found][:1], [most])
    equal({f["finding"] for f in found}, set(near))
    for f in found:
        check(abs(f["seconds"] - (took - near[f["finding"]])) < 0.05 * took, f, took, near)
    seconds = [f["seconds"] for f in found]
    equal(seconds, sorted(seconds, reverse=True))


@test
def a_start_of_which_no_part_is_long():
    """There is something to be said all the same."""
    run(bag(60), launched=2.2, manager=4.0, worker_start=5.6, start=0.5, end=5)
    [f] = [f for f in why()["findings"] if f["finding"] == "first-worker"]
    equal(f["advice"], "each part of it is short: more tasks for workers that start once make up for it; most of it passes until its job begins (queue, worker_init)")


@cases((20, 60, True), (20, 25, True), (14, 40, False))
def a_slow_start_of_all(submits, there, told):
    """The driver takes long before it submits, and workers are there later still: told where the driver is slower than they are."""
    asked = there - 0.6 * submits
    run(bag(60), start=submits, launched=2, manager=asked, worker_start=there)
    without = 7.5 + 0.1  # tasks, and the end
    found = [f for f in why()["findings"] if f["finding"] == "start-up"]
    equal(bool(found), told, why()["findings"])
    if told:
        check(abs(found[0]["without_s"] - without) < 1 and found[0]["text"].startswith(f"the driver submitted its first task {submits}.0 s after its start, and no worker was there until {there}.0 s after it: its block was launched after 2.00 s, its job began "), found[0])
        check("first-worker" not in [f["finding"] for f in why()["findings"]], why()["findings"])


@cases(4, 6)
def what_is_run_before_workers_start_is_told_in_a_short_run_too(init):
    """worker_init of some seconds, in a run of about twenty."""
    there = {"launched": 0.6, "workers": 4}
    run(bag(100), manager=0.9 + init, worker_start=1.4 + init, **there)
    f = first("late-workers", run(bag(100), manager=0.9, worker_start=1.4, file="without.db", **there), 0.1, text=f"after the first block was launched it took {init + 0.3:.2f} s")
    equal(faults("without.db"), [])


@test
def too_few_workers_of_one_executor():
    """Its tasks are over long before those of the other one are."""
    tasks = [Task("small", 0.4, on="small") for _ in range(30)] + [Task("last", 5, after=[29])] + bag(52)
    run(tasks, more={"small": 1}, cpus=4)
    f = first("too-few-workers", run(tasks, more={"small": 2}, cpus=4, file="without.db"), text="1 worker of small for 30 tasks was busy")
    equal(f["changes"], "workers.small x2")


@test
def too_few_workers_while_others_are_idle():
    """All tasks go to one executor; those of another one could have taken them."""
    end = [Task("end", 0.1, barrier=True)]
    run([Task("small", 0.4, on="small") for _ in range(60)] + end, more={"small": 3}, cpus=2)
    tasks = [Task("small", 0.4, on="small" if i % 7 < 3 else "htex") for i in range(60)] + end
    f = first("too-few-workers", run(tasks, more={"small": 3}, cpus=2, file="without.db"), text="3 workers of small for 60 tasks were busy", advice="can tasks run there, too?")
    check(f["text"].endswith("; 4 of htex had nothing to do") and f["changes"] == "workers.small x2.333333", f)
    equal(faults("without.db"), [])
    run([Task("small", 0.4, on="small") for _ in range(60)] + bag(80) + end, more={"small": 3}, cpus=2)  # these are busy
    check("too-few-workers" not in faults(), faults())


@test
def more_workers_would_help():
    """Of a run whose workers have work all the time: what twice as many would do, which is no fault of the run."""
    took = run(bag(64))
    near = run(bag(64), workers=8, file="without.db")
    [f] = why()["findings"]
    equal((f["finding"], f["usual"], f["text"], f["command"]), ("more-workers", 1, "more workers would help: 64 tasks queued for 4 workers", f"spanloom what-if 'workers x2' -d {path('why.db')}"))
    check(abs(f["without_s"] - near) < 0.05 * near and abs(f["seconds"] - (took - near)) < 0.05 * near, f, near, took)
    out = spanloom("why", "-d", path("why.db"), "--fail-on", "1%").out
    check(f"\n 1. {f['seconds']:.2f} s ({100 * f['share']:.0f} %): more workers would help" in out and "\nnothing else stands out" in out, out)


@test
def more_workers_of_two_executors_at_once():
    """Neither would do much alone, as one waits for the other."""
    f = next(f for f in why("blocks.db", f"{ROOT}/tests/data/workqueue-blocks")["findings"] if f["finding"] == "more-workers")
    equal((f["text"], round(f["share"], 2)), ("more workers would help: 48 tasks queued for 10 workers of 2 executors", 0.42))
    [now] = json.loads(spanloom("what-if", "workers x2", "-d", path("blocks.db"), "--format", "json").out)
    equal(now["new_makespan_s"], f["without_s"])


main()
