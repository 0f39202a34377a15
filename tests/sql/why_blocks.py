#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom why of runs whose blocks failed, were held down by the configuration or left, and of what a driver does late, or again.

What a finding costs is compared with the same schedule without its cause.
"""
import contextlib
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from schedules import *  # noqa

NO_ACCOUNT = "sbatch: error: Batch job submission failed: Invalid account"


def block(s, ex, w, key, at, exit_code=None, scaled_in=None, job_state=None, submit_error=None, launched=True):
    """A block without workers."""
    b = s.span("parsl.rundir.block", key, ex, allocated=round(at * S), **(dict(launched=round(at * S) + MS) if launched else {}), **(dict(terminating=round(scaled_in * S)) if scaled_in else {}))
    script = s.span("parsl.submit_script", f"{key}.5", w)
    s.link(b, IN, script)
    s.attr(script, "job_name", f"parsl.htex.block-{key}.5")
    for span, name, value in ((script, "exit_code", exit_code), (b, "job_state", job_state), (b, "submit_error", submit_error)):
        if value:
            s.attr(span, name, value)


def htex(s, w, ex, strategy="none", **numbers):
    s.attr(ex, "class", "HighThroughputExecutor")
    s.attr(w, "strategy", strategy)
    for name, value in numbers.items():
        s.attr(ex, name, str(value))


def failing(**how):
    def more_of(s, w, ex, blocks, mans, last):
        htex(s, w, ex, init_blocks=2, max_blocks=2, parallelism=1)
        block(s, ex, w, "9", 0.6, **how)
    return more_of


@cases(("exit_code", "7", "it ended with exit code 7 before a worker was there"), ("job_state", "NODE_FAIL", "it ended (NODE_FAIL) before"),
       ("submit_error", NO_ACCOUNT, f"it could not be submitted: {NO_ACCOUNT}, and no other took its place: 1 block had workers"))
def a_block_that_failed(name, value, words):
    run(bag(60), more_of=failing(**{name: value}, launched=name != "submit_error"))
    f = first("failed-blocks", run(bag(60), workers=8, managers=2, file="without.db"), text=words)
    check(f["text"].startswith("1 block failed, block 9: "), f["text"])
    advice = f["advice"] or ""
    equal(("worker_init" in advice and "parsl.htex.block-9.5" in advice, "account" in advice), (name == "exit_code", name == "submit_error"), advice)


@test
def blocks_of_which_nothing_says_that_they_failed():
    for how in (dict(exit_code="-"), dict(exit_code="0"), dict(), dict(job_state="COMPLETED", scaled_in=3.0), dict(scaled_in=3.0)):
        run(bag(60), more_of=failing(**how))
        check((dict(job_state="COMPLETED") == how) == ("failed-blocks" in faults()), how, faults())
    run(bag(60), more_of=failing(submit_error="a warning"))  # it was launched all the same
    check("failed-blocks" not in faults(), faults())


@test
def workers_of_work_queue_end_with_their_manager():
    """Its blocks have no managers in them, and their exit code says nothing of whether workers were there."""
    def more_of(s, w, ex, blocks, mans, last):
        s.attr(ex, "class", "WorkQueueExecutor")
        block(s, ex, w, "9", 0.6, exit_code="1")
    run(bag(60), launched=[], more_of=more_of)
    check(not {"failed-blocks", "all-blocks-failed"} & set(faults()), faults())


@test
def the_block_that_followed_one_that_failed():
    run(bag(30), launched=12.6, worker_start=13.0, manager=12.8, more_of=failing(exit_code="1"))
    first("failed-blocks", run(bag(30), launched=0.6, worker_start=1.0, manager=0.8, file="without.db"), 0.05, text="it ended with exit code 1 before a worker was there; the first that brought workers was asked for 12 s later")
    check("late-workers" not in faults(), faults())


@cases((True, "\n\n"), (False, "\n\n"), (False, "\n"))
def no_block_had_a_worker(submitted, between):
    s = Store("none.db")
    w = s.workflow(started=0, cleanup_completed=9 * S)
    s.attr(w, "executor_failure", f"Failed to start block 0: {NO_ACCOUNT}{between}Error 2:\n\tFailed to start block 1: no" if not submitted else "Job is marked as MISSING\n\tEXIT CODE: 7\n\tSTDERR: module: command not found\n\nError 2:\n\tothers")
    ex = s.span(EXECUTOR, "htex", w)
    htex(s, w, ex)
    for i in range(2):
        block(s, ex, w, str(i), 0.6 + i / 10, exit_code="7" if submitted else None, launched=submitted)
    for i in range(5):
        t = s.task(w, i, submitted=S + i, pending=S + i, launched=S + MS + i, failed=6 * S + i)
        s.attr(t, "app", "work")
        y = s.htex(t, launched=S + MS + i, failed=6 * S + i, executor=ex)
        s.attr(y, "executor", "htex")
    s.done()
    notes = why("none.db")["findings"]
    equal([f["finding"] for f in notes], ["all-blocks-failed"])  # which is why tasks failed, and once
    words = "block 0 ended with exit code 7 before a worker was there: module: command not found" if submitted else f"block 0 could not be submitted: {NO_ACCOUNT}"
    equal(notes[0]["text"], f"no worker ever came to htex, and 5 tasks never ran: both blocks failed: {words}")


@cases(("sbatch: error: Batch job submission failed: Invalid account", "does the batch system take such jobs"), ("MyLauncher.__call__() takes 4 positional arguments but 5 were given", "that is Python of the provider, or of its launcher"),
       ("can only concatenate str (not \"NoneType\") to str", "that is Python"), ("submit() got an unexpected keyword argument 'account'", "that is Python"), ("[Errno 2] No such file or directory: 'my_submit'", "is what it names there"), ("it rains", None))
def advice_fits_why_no_block_had_a_worker(error, advice):
    s = Store("none.db")
    w = s.workflow(started=0, cleanup_completed=9 * S)
    s.attr(w, "executor_failure", f"Failed to start block 0: {error}")
    ex = s.span(EXECUTOR, "htex", w)
    htex(s, w, ex)
    block(s, ex, w, "0", 0.6, launched=False)
    for i in range(5):
        t = s.task(w, i, submitted=S + i, pending=S + i, launched=S + MS + i, failed=6 * S + i)
        s.attr(s.htex(t, launched=S + MS + i, failed=6 * S + i, executor=ex), "exception", "BadStateException")
    m = s.span("log.message", "Callback threw an exception - logging and proceeding anyway", w)
    s.event(m, "ERROR", 6 * S)
    s.attr(m, "exception", "TypeError: 'NoneType' object is not iterable")
    s.done()
    found = why("none.db")["findings"]
    equal([f["finding"] for f in found], ["all-blocks-failed"])
    check((found[0]["advice"] or "").startswith(advice or "") and bool(found[0]["advice"]) == bool(advice), found[0]["advice"])
    check(error in found[0]["text"], found[0]["text"])


@cases((dict(worker_count=0, mem_per_worker=64, total_memory=25276502016), "it started no worker: mem_per_worker=64 (GB) is more than the 23.5 GB of its node"),
       (dict(worker_count=0, cores_per_worker=16, cpu_count=2), "it started no worker: cores_per_worker=16 is more than the 2 CPUs of its node"), (dict(worker_count=0, cores_per_worker="1.0", mem_per_worker="None"), "it started no worker, as its manager tells"),
       (dict(worker_count=2, cores_per_worker=1, cpu_count=2), None))
def a_manager_that_started_no_worker(told, words):
    """As managers' logs and the interchange's tell of it; the run was stopped then."""
    s = Store("none.db")
    w = s.workflow(started=0)
    ex = s.span(EXECUTOR, "htex", w)
    htex(s, w, ex, init_blocks=1)
    b = s.span("parsl.rundir.block", "0", ex, allocated=S, launched=S)
    m = s.span("parsl.executor.htex.manager", "m0", b, MANAGER, started=2 * S)
    for name, value in told.items():
        s.attr(m, name, str(value))
    for i in range(5):
        y = s.htex(s.task(w, i, submitted=S + i, pending=S + i, launched=S + MS + i), launched=S + MS + i, executor=ex)
        s.attr(y, "executor", "htex")
    s.done()
    found = why("none.db")["findings"]
    equal([f["finding"] for f in found if f["finding"] != "unfinished"], ["all-blocks-failed" if words else "unread"])
    if words:
        equal((found[0]["text"], found[0]["advice"]), (f"no worker ever came to htex, and 5 tasks never ran: block 0 failed: {words}", "ask for less for each worker, or for larger nodes"))


@cases((dict(worker_count=1, max_workers_per_node=1, cpu_count=4), "max_workers_per_node=1 starts 1 on a node of 4 CPUs"), (dict(worker_count=1, cores_per_worker=4, cpu_count=4, max_workers_per_node="inf"), "cores_per_worker=4 starts 1 on a node of 4 CPUs"),
       (dict(worker_count=1, mem_per_worker=12, cpu_count=4), "mem_per_worker=12 starts 1 on a node of 4 CPUs"), (dict(worker_count=1, cores_per_worker=1, cpu_count=4), "strategy='none' starts init_blocks=1 and no more"))
def what_keeps_workers_of_a_node_few(told, words):
    def more_of(s, w, ex, blocks, mans, last):
        htex(s, w, ex, init_blocks=1, max_blocks=1)
        for name, value in told.items():
            s.attr(mans[0], name, str(value))
    run(bag(60), workers=1, more_of=more_of)
    [f] = [f for f in why()["findings"] if f["finding"] == "too-few-workers"]
    equal(f["advice"], words)


@test
def blocks_that_come_one_after_the_other():
    """As three of a real run: the further ones 1.2 s and 3.4 s after the first.  What is told lies within 15 % of what that gains, and
    between both ends that are said."""
    held = lambda s, w, ex, *_: htex(s, w, ex, "none", init_blocks=1, max_blocks=3, parallelism=1)
    run(bag(60, 1.0), workers=2, launched=[0.6], worker_start=4.0, more_of=held)
    for late in ([0.0, 0.0], [1.2, 3.4], [3.4, 3.4]):
        there = [4.0, *(4.0 + t for t in late)]
        first("few-blocks", run(bag(60, 1.0), workers=6, launched=[0.6] * 3, worker_start=there, file="without.db"), 0.15)
    [f] = [f for f in why()["findings"] if f["finding"] == "few-blocks"]
    ends = sorted(r["without_s"] for r in why()["replays"] if r["finding"] == "few-blocks" and r["changes"] != f["changes"])
    check(len(ends) == 2 and ends[0] < f["without_s"] < ends[1], ends, f["without_s"])
    check("if all came at once" in f["sure"] and "if the further ones did 3.40 s later" in f["sure"], f["sure"])


@cases(("none", 1, 3, 1, "strategy='none' starts init_blocks=1 and no more"), ("simple", 1, 3, 0.02, "with parallelism=0.02 Parsl asks for a place for each 50 tasks"))
def blocks_that_the_configuration_holds_down(strategy, init, most, parallelism, words):
    run(bag(120), more_of=lambda s, w, ex, *_: htex(s, w, ex, strategy, init_blocks=init, max_blocks=most, parallelism=parallelism))
    f = first("few-blocks", run(bag(120), workers=12, file="without.db"), 0.05, text=words)
    check(f["text"].startswith("1 block of htex ran 120 tasks, which queued, though max_blocks=3: "), f["text"])
    check("more-workers" not in [f["finding"] for f in why()["findings"]], faults())


@test
def blocks_that_nothing_is_known_to_hold_down():
    for numbers in (dict(strategy="simple", init_blocks=1, max_blocks=3, parallelism=1), dict(strategy="none", init_blocks=2, max_blocks=3, parallelism=1),
                    dict(strategy="simple", init_blocks=1, max_blocks=3, parallelism=0.5)):
        run(bag(120), more_of=lambda s, w, ex, *_: htex(s, w, ex, **numbers))
        check("few-blocks" not in faults(), numbers, faults())
    run(bag(4), more_of=lambda s, w, ex, *_: htex(s, w, ex, init_blocks=1, max_blocks=3, parallelism=1))  # nothing queues
    check("few-blocks" not in faults(), faults())


@test
def more_workers_would_help_but_for_max_blocks():
    def more_of(s, w, ex, *_):
        htex(s, w, ex, "simple", init_blocks=1, max_blocks=1, parallelism=1, not_scaled_out="active_blocks 1 >= max_blocks 1")
    run(bag(64), more_of=more_of)
    f = next(f for f in why()["findings"] if f["finding"] == "more-workers")
    check("max_blocks=1 lets Parsl ask for no more (parsl.log: active_blocks 1 >= max_blocks 1 so not scaling out)" in f["advice"], f["advice"])


def drains(at):
    """Managers that left on purpose then, as far as they are told."""
    def more_of(s, w, ex, blocks, mans, last):
        for m, t in zip(mans, at):
            if t:
                s.event(m, "draining", round(t * S), INTERCHANGE)
                s.attr(m, "Drain period", "60")
    return more_of


@cases(True, False)
def workers_that_left_on_purpose(drained):
    """Half of them, while tasks wait."""
    tasks = [Task("work", 0.5) for _ in range(160)]
    run(tasks, managers=2, gone={1: 6.0}, more_of=drains([None, 6.0] if drained else []))
    f = first("left-workers", run(tasks, managers=2, file="without.db"), 0.15)
    equal("on purpose, as their drain_period was over" in f["text"], drained, f["text"])
    equal("drain_period" in f["advice"] and "walltime" not in f["advice"], drained, f["advice"])


@cases(True, False)
def workers_of_which_none_was_left(drained):
    """Tasks wait until the driver is ended."""
    def more_of(s, w, ex, blocks, mans, last):
        if drained:
            drains([last])(s, w, ex, blocks, mans, last)
        for i in range(100, 120):
            t = s.task(w, i, submitted=S // 2 + i, pending=S // 2 + i)
            s.attr(s.htex(t, launched=S, put=S, executor=ex), "executor", "htex")
    took = run(bag(16), end=30, more_of=more_of)
    f = why()["findings"][0]
    equal(f["finding"], "all-workers-left")
    check(took > 30 and f["text"].endswith(", 30 s later"), f["text"])
    check(("left on purpose, as their drain_period (60 s) was over" if drained else "ended by") in f["text"] and "20 tasks waited for one until the end" in f["text"], f["text"])
    check("shut-down" not in faults(), faults())
    check(any(p["what"] == "while no worker was there" and abs(p["seconds"] - 30) < 0.1 for p in why()["went"]), why()["went"])


@test
def a_long_task_that_is_submitted_late():
    prep = [Task("prep", 0.8 + 0.1 * (i % 5)) for i in range(40)]
    run(prep + [Task("solve", 12, barrier=True)])
    f = first("late-submission", run([Task("solve", 12)] + prep, file="without.db"), 0.1, text="task 40 (solve) waits for no task, but was submitted")
    check("if it needs none of their results" in f["advice"], f["advice"])
    check("late-submission" not in faults("without.db"), faults("without.db"))


@test
def long_tasks_that_had_to_be_late():
    prep = [Task("prep", 1.0) for _ in range(40)]
    for last in (Task("solve", 12, after=range(40), barrier=True), Task("solve", 12, after=range(40)), Task("prep", 12, barrier=True)):  # the last: stages of one app
        run(prep + [last])
        check("late-submission" not in faults() and (last.app == "prep" or faults()[0] == "bottleneck-task"), last.after, faults())


def fails(again, others=0):
    """The first runs for 6 s in vain, and four never run; then the driver does so many of them again, or something else."""
    s = Store("again.db")
    w = s.workflow(started=0)
    ex = s.span(EXECUTOR, "htex", w)
    m = s.span("parsl.executor.htex.manager", "m", ex, MANAGER, started=S // 2)
    ks = [s.span("parsl.executor.htex.worker", str(i), m, WORKER + i, started=S) for i in range(4)]
    number = 0

    def task(app, at, start, end, worker=0, after=(), ok=True, never=False):
        nonlocal number
        number += 1
        t = s.task(w, number, after, **{k: round(v * S) + number for k, v in dict(submitted=at, pending=at, **({} if never else dict(launched=start - 0.01)), **{"dep_fail" if never else "exec_done" if ok else "failed": end + 0.01}).items()})
        s.attr(t, "app", app)
        if not never:
            y = s.htex(t, **{k: round(v * S) + number for k, v in dict(launched=start - 0.01, received=start, completed=end).items()}, failed=None if ok else round((end + 0.005) * S), executor=ex, manager=m, worker=ks[worker])
            if not ok:
                s.attr(y, "exception", "OSError('no route')")
        return t
    root = task("fetch", 1.0, 2.0, 8.0, ok=False)
    for _ in range(4):
        task("work", 1.0, 0, 8.01, after=[root], never=True)
    at = 8.1
    if again:
        root = task("fetch", at, at + 0.2, at + 6.2)
        at += 6.3
    for i in range(again or others):
        task("work" if again else "other", 8.1, at + 0.1, at + 3.1, i % 4, [root] if again else [])
    s.event(w, "cleanup_completed", round((at + 4) * S))
    s.done()
    return faults("again.db"), why("again.db")["findings"]


@test
def tasks_that_failed_and_were_made_again():
    names, found = fails(4)
    equal(names[:2], ["made-again", "bottleneck-task"])
    check("failed-tasks" not in names, "it says the same once more:", names)
    check(abs(found[0]["seconds"] - 6.3) < 0.05, found[0]["seconds"])  # from 2.0 to 8.3
    equal(found[0]["text"], "1 task failed, task 1 (fetch): OSError('no route'); 4 more never ran because of it; then the driver submitted 5 of the same apps again")
    check(found[1]["text"].startswith("task 6 (fetch) ran for"), found[1]["text"])


@test
def tasks_that_failed_and_were_not_made_again():
    for names, found in (fails(0), fails(0, 12), fails(9)):
        check("made-again" not in names and "failed-tasks" in names, names)


@cases("parsl-2025-lost", "parsl-2026-progress", "workqueue-two")
def a_store_that_an_earlier_version_made_tells_the_same(data):
    """It lacks roles that recipes have now: what they say today holds, until an import writes it."""
    ask = lambda: spanloom("why", "-d", path("old.db"), "--format", "json").out
    spanloom("import", "--quiet", "-d", path("old.db"), f"{ROOT}/tests/data/{data}")
    now = ask()
    check('"findings"' in now, now)
    with contextlib.closing(sqlite3.connect(path("old.db"))) as db:
        db.execute("DELETE FROM sl_role WHERE role IN ('manager', 'block', 'script')")
        db.execute("DELETE FROM sl_state WHERE kind = 'end'")
        db.commit()
    equal(ask(), now)


main()
