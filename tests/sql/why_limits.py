#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The findings of spanloom why that name what limits a run of many tasks: who hands them out slowest, what it costs to measure them, the order
in which they begin.  Numbers are compared with those that the lines of logs give, and with what the same tasks took without the cause.
"""
import glob
import heapq
import os
import random
import re
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from schedules import *  # noqa


# ---- real runs (tests/data/limits.tar.xz)

def real(name):
    """The directory of a run, and what is told of it."""
    with tarfile.open(f"{ROOT}/tests/data/limits.tar.xz") as t:
        t.extractall(path("."), [m for m in t.getmembers() if m.name.startswith(f"limits/{name}/")])
    imported(path(f"limits/{name}"), store=f"{name}.db")
    return path(f"limits/{name}/runinfo/000"), why(f"{name}.db")


def working_s(told):
    """How long it took from when its first task ran."""
    return told["run"][0]["makespan_s"] - told["run"][0]["first_run_s"]


def finding(told, name):
    return next((f for f in told["findings"] if f["finding"] == name), None)


def lines(files, pattern):
    """{task: time in seconds} of the lines that match: (task or tasks)."""
    times = {}
    for file in glob.glob(files):
        with open(file, encoding="utf-8") as f:
            for m in re.finditer(rf"^(\d+\.\d+) .*?{pattern}", f.read(), re.M):
                for task in m[2].split(", "):
                    times.setdefault(int(task), float(m[1]))
    return times


def queue(begins, ends, since, until):
    """How many a second left it, how many were in it on average, and the part of the time in which one was."""
    parts = sorted((max(t, since), min(ends[k], until)) for k, t in begins.items() if ends[k] > since and t < until)
    any_s, at = 0, since
    for a, b in parts:
        any_s += max(0, b - max(a, at))
        at = max(at, b)
    return (sum(since < t <= until for t in ends.values()) / (until - since), sum(b - a for a, b in parts) / (until - since), any_s / (until - since))


@test
def without_worker_debug_no_log_has_what_the_interchange_did():
    """Which is Parsl's default: then it is the executor as a whole, and no advice to set what is set."""
    folder, _ = real("handed")
    [log] = glob.glob(f"{folder}/*/interchange.log")
    with open(log, encoding="utf-8") as f:
        kept = [line for line in f if not re.search(r" DEBUG: ", line)]
    write(log, "".join(kept))
    imported(folder, store="quiet.db")
    f = finding(why("quiet.db"), "small-tasks")
    check(f and f["text"].startswith("the executor was the limit"), f)
    check("interchange" not in f["text"] and "worker_debug=False" not in f["advice"] and "worker_debug=True" in f["advice"], f)


@cases(("handed", "the interchange", "handed out"), ("launched", "the driver", "launched"))
def who_hands_out_slowest(name, who, did):
    """By the lines of logs."""
    rundir, told = real(name)
    f = finding(told, "small-tasks")
    number = r"([\d.,]+)"
    m = re.match(rf"{who} was the limit of {number} tasks that ran for .*? It {did} {number} a second; tasks waited for that {number} % of the time, "
                 rf"{number} on average\. Workers were busy {number} % of the time; others had a task at hand: (.*)", f["text"])
    check(m, f["text"])
    got = [float(x.replace(",", "")) for x in m.groups()[:5]]
    log, interchange, workers = f"{rundir}/parsl.log", f"{rundir}/htex/interchange.log", f"{rundir}/htex/block-*/*/worker_*.log"
    received, completed = lines(workers, r"Received executor task (\d+)"), lines(workers, r"Completed executor task (\d+)")
    done = lines(log, r"Task (\d+) changing state from launched to exec_done")
    since, until = min(received.values()), max(done.values())
    states = {"launched": (lines(log, r"Task (\d+) initializing state to pending"), lines(log, r"Task (\d+) changing state from pending to launched")),
              "handed out": (lines(interchange, r"Put task (\d+) onto"), lines(interchange, r"Sent tasks: \[([\d, ]+)\]"))}
    rate, waiting, share = queue(*states[did], since, until)
    busy = sum(completed[k] - received[k] for k in received) / len(glob.glob(workers)) / (until - since)
    for a, b in zip(got, (len(done), rate, 100 * share, waiting, 100 * busy)):
        check(abs(a - b) <= 0.02 * b + 0.5, got, (len(done), rate, 100 * share, waiting, 100 * busy))
    other = "handed out" if did == "launched" else "launched"
    check(queue(*states[other], since, until)[1] < waiting, "another queue is longer")


@test
def the_price_of_measuring_tasks():
    """Of a real pair: tasks that do nothing, with a process of Parsl's for each that measures it, and without these."""
    (_, was), (_, now) = real("measured"), real("unmeasured")
    f = finding(was, "resource-monitoring")
    gained = working_s(was) - working_s(now)
    note(f"{f['seconds']:.2f} s told, {gained:.2f} s gained: {f['text']}")
    check(abs(f["seconds"] - gained) < 0.25 * gained, f["seconds"], gained)
    check(f["sure"].startswith("by replay, at most") and "resource_monitoring_enabled=False" in f["advice"], f)
    equal(finding(now, "resource-monitoring"), None)
    # without its readings the configuration says that it was on
    (a, _), (b, _) = real("measured"), real("unmeasured")
    for rundir, told in ((a, True), (b, False)):
        spanloom("import", "--quiet", "-d", path("bare.db"), rundir)
        f = finding(why("bare.db"), "resource-monitoring")
        check(bool(f) == told and (not f or 0.3 * gained < f["seconds"] <= 1.1 * gained and "the quickest task" in f["sure"]), f, gained)
        os.remove(path("bare.db"))


@test
def the_longest_tasks_last_in_a_real_run():
    """Two of 8 s after a hundred of 0.3 s on four workers, and before them: neither are stragglers where they could have begun first."""
    (_, was), (_, now) = real("last"), real("first")
    f = finding(was, "long-last")
    gained = working_s(was) - working_s(now)
    note(f"{f['seconds']:.2f} s told, {gained:.2f} s gained: {f['text']}")
    check(abs(f["seconds"] - gained) < 0.25 * gained, f["seconds"], gained)
    equal([finding(was, "straggler"), finding(now, "long-last")], [None, None])
    usual = next(r for r in was["replays"] if r["finding"] == "long-last" and r["changes"].startswith("task "))
    check(f"app, the run would have taken {usual['without_s']:.1f} s" in f["text"] and "longest tasks first" in f["advice"], f)


# ---- worked out

@cases(0.004, 0.03)
def a_driver_that_launches_one_after_the_other(each):
    """Four workers could do far more; with workers that are the slowest, or few tasks, nothing is told."""
    run(bag(400, 0.002), hand=each)
    f = finding(why(), "small-tasks")
    m = re.match(r"the driver was the limit of 400 .* It launched ([\d.]+) a second; tasks waited for that (\d+) % .* Workers were busy ([\d.]+) %", f["text"])
    check(m and abs(float(m[1]) * each - 1) < 0.02 and float(m[2]) > 95 and 50 * 0.002 / each < 2 * float(m[3]) < 200 * 0.002 / each, f["text"])
    check(f["advice"].endswith("calls in one would keep workers busy"), f["advice"])
    run(bag(400, 0.2), hand=0.004)
    equal(finding(why(), "small-tasks"), None)
    run(bag(100, 0.002), hand=each)
    equal(finding(why(), "small-tasks"), None)


@test
def a_driver_that_submits_slowly():
    run([Task("work", 0.01, gap=0.02) for _ in range(300)])
    equal(finding(why(), "small-tasks"), None)
    f = finding(why(), "slow-driver")
    m = re.search(r"between submissions of 300 tasks, ([\d.]+) a second$", f["text"])
    check(m and abs(float(m[1]) * 0.0201 - 1) < 0.01, f["text"])


@test
def tasks_that_wait_for_others_are_not_the_drivers():
    run([Task("work", 0.002, [i - 1] if i % 100 else []) for i in range(400)], workers=8)
    equal(finding(why(), "small-tasks"), None)


@cases(0.01, 0.1)
def a_manager_of_work_queue(each):
    """It hands 300 tasks of 20 ms to four workers, each so many seconds after the other, by its own log."""
    at, rows = 1795180865, []
    log = lambda t, words: rows.append((t, f"{round((at + t) * 1e6)} 23309 {words}"))
    log(0, "MANAGER START")
    for k in range(4):
        log(0.1, f"WORKER worker-{k} 10.0.0.1:{4000 + k} CONNECTION")
    for i in range(300):
        begin = 1 + i * each
        log(0.2 + i * 1e-5, f'TASK {i + 1} WAITING default FIRST_RESOURCES {{"cores":[1,"cores"]}}')
        log(begin, f'TASK {i + 1} RUNNING 10.0.0.1:{4000 + i % 4} FIRST_RESOURCES {{"cores":[1,"cores"]}}')
        log(begin + 0.02, f"TASK {i + 1} WAITING_RETRIEVAL 10.0.0.1:{4000 + i % 4}")
        log(begin + 0.021, f"TASK {i + 1} RETRIEVED SUCCESS 0 {{}} {{}}")
        log(begin + 0.022, f"TASK {i + 1} DONE SUCCESS 0 {{}} {{}}")
    log(1 + 300 * each, "MANAGER END")
    write(path("wq/my.tr.log"), "# time manager_pid MANAGER START|END\n" + "".join(f"{line}\n" for _, line in sorted(rows)))
    imported(path("wq/my.tr.log"), store="wq.db")
    f = finding(why("wq.db"), "small-tasks")
    m = re.match(r"the manager of Work Queue was the limit of 300 .* It handed out ([\d.]+) a second; tasks waited for that (9\d|100) % .* Workers were busy ([\d.]+) %", f["text"])
    check(m and abs(float(m[1]) * each - 1) < 0.02 and abs(float(m[3]) - 2 / 4 / each) < 1, f["text"])


# ---- longest first

def longest_first(tasks, workers, at=1.0):
    """When all is done: of those that are ready the longest is next."""
    free, done, ready, behind = [at] * workers, {}, [], {}
    left = {n: len(t.after) for n, t in enumerate(tasks)}
    for n, t in enumerate(tasks):
        for d in t.after:
            behind.setdefault(d, []).append(n)
    events = [(at, 1, n) for n in left if not left[n]]
    heapq.heapify(events)
    places = workers
    while events:
        now = events[0][0]
        while events and events[0][0] == now:
            _, what, n = heapq.heappop(events)
            if what == 0:
                places += 1
                done[n] = now
                for b in behind.get(n, ()):
                    left[b] -= 1
                    if not left[b]:
                        heapq.heappush(events, (now + STEP / S, 1, b))
            else:
                heapq.heappush(ready, (-tasks[n].seconds, n))
        while places and ready:
            _, n = heapq.heappop(ready)
            places -= 1
            heapq.heappush(events, (now + STEP / S + tasks[n].seconds, 0, n))
    equal(len(done), len(tasks), "all are done")
    return max(done.values())


@cases(*range(12))
def longest_first_against_another_scheduler(seed):
    """Of tasks that are all there at once, and of such that wait for others; lengths are apart by more than it takes to hand tasks out, and the run ends 0.1 s later."""
    rng = random.Random(seed)
    lengths = rng.sample(range(4, 160), 60)
    tasks = [Task("work", 0.05 * s, rng.sample(range(i), rng.randrange(3)) if seed % 2 and i > 8 else []) for i, s in enumerate(lengths)]
    workers = rng.randrange(2, 7)
    took = run(tasks, workers=workers)
    [row] = sql(path("why.db"), "SELECT DISTINCT new_makespan_s AS s, makespan_s AS was FROM what_if((SELECT id FROM spans WHERE type = 'parsl.rundir.workflow'), 'longest first')")
    want = longest_first(tasks, workers)
    note(f"{row['was']:.2f} s -> {row['s']:.2f}, by the other scheduler {want:.2f}")
    check(abs(row["s"] - 0.1 - want) < 0.1 and abs(row["was"] - took) < 1e-3, row, want)


@test
def longest_first_has_no_factor():
    run(bag(8))
    for changes in ("longest first x0", "longest first x0.5"):
        r = spanloom("what-if", "-d", path("why.db"), changes, code=(1, 2))
        check("is an order, and has no factor" in r.err, r.err)


if __name__ == "__main__":
    main()
