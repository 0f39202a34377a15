#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tasks of Work Queue and of Parsl's executor, where no log ties the two: each link that is inferred is right, and what
is not linked is in doubt, with the truth among its candidates.

TRUTH.tsv of a run is what a wrapper around WorkQueue.submit() saw. parsl-2026-workqueue has none; there it is what
debug_log says, which is left out then.
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

DATA = f"{ROOT}/tests/data"
RUNS = ("parsl-2026-workqueue", "workqueue-gaps", "workqueue-two")
SAYS = re.compile(rb"submitted as Work Queue task|submitted to WorkQueue with id|Completed Work Queue task")
PAIRS = """SELECT e.key, CAST(w.key AS INTEGER), CAST(x.key AS INTEGER), l.rule, m.key FROM {} l JOIN spans x ON x.id = l.left_span
    JOIN spans w ON w.id = l.right_span JOIN spans e ON e.id = x.parent JOIN spans m ON m.id = w.parent
    WHERE x.type = 'parsl.executors.workqueue.executor_task' AND w.type = 'workqueue.task' AND l.kind = 'in'"""


def links(store, table="links"):
    """{(executor, Work Queue id): {executor task id}}"""
    found = {}
    for executor, wq, xid, rule, manager in query(store, PAIRS.format(table)):
        equal(manager.rpartition("/")[2], executor, f"{table}: a Work Queue task of {manager} is one of")
        found.setdefault((executor, wq), set()).add(xid)
    return found


def doubts(store):
    return links(store, "doubts")


def rules(store):
    return {rule for *_, rule, _ in query(store, PAIRS.format("links"))}


def truth(run):
    """{(executor, Work Queue id): executor task id}"""
    if not os.path.exists(f"{DATA}/{run}/TRUTH.tsv"):
        told = links(imported(f"{DATA}/{run}", store=f"{run}-truth.db").store)
        check(all(len(x) == 1 for x in told.values()), "debug_log contradicts itself")
        return {k: min(x) for k, x in told.items()}
    with open(f"{DATA}/{run}/TRUTH.tsv") as f:
        rows = [line.split("\t") for line in f if line[0] != "#"]
    return {(executor, int(wq)): int(xid) for executor, xid, wq, _ in rows}


def untold(run, to, change=lambda name, data: data):
    """A copy of the run in which nothing says which task is which."""
    for folder, _, names in os.walk(f"{DATA}/{run}/runinfo"):
        for name in names:
            if name == "debug_log" or name.endswith(".tsv"):
                continue
            with open(f"{folder}/{name}", "rb") as f:
                lines = [line for line in f if not (name == "parsl.log" and SAYS.search(line))]
            data = change(name, b"".join(lines))
            if data is not None:
                write(f"{to}/{os.path.relpath(folder, f'{DATA}/{run}')}/{name}", data)
    return to


def none_wrong(store, true):
    """How many links there are, all of them right."""
    found = links(store)
    wrong = {k: (x, true.get(k)) for k, x in found.items() if x != {true.get(k)}}
    check(not wrong, f"{len(wrong)} of {len(found)} links are wrong (got, true): {list(wrong.items())[:5]}")
    return len(found)


@cases(*RUNS)
def without_what_says_so(run):
    true = truth(run)
    store = imported(untold(run, path("r"))).store
    equal(rules(store), {"workqueue.order"}, "rules")
    n, doubtful = none_wrong(store, true), doubts(store)
    note(f"{len(true)} true, {n} linked, {len(doubtful)} in doubt")
    check(n * 2 > len(true), f"only {n} of {len(true)} are linked")
    found = links(store)
    for k, x in true.items():
        check(k in found or x in doubtful.get(k, ()), f"{k} is task {x}, but neither linked nor among its candidates {doubtful.get(k)}")
    equal(set(found) & set(doubtful), set(), "tasks that are linked and in doubt")
    check(all(c < 1 for c, in query(store, "SELECT confidence FROM links WHERE rule = 'workqueue.order'")), "as sure as if it were said")


def said(store):
    return dump(store) + sorted(f"doubt {k} {sorted(x)}" for k, x in doubts(store).items())


@cases(*RUNS)
def files_in_any_order(run):
    want = said(imported(untold(run, path("r")), store="fresh.db").store)
    files = sorted(os.path.join(d, f) for d, _, names in os.walk(path("r")) for f in names)
    for i in range(6):
        order = rng().sample(files, len(files)) if i else files[::-1]
        rng().shuffle(order)
        order = order[i % len(order):] + order[:i % len(order)]
        store = f"s{i}.db"
        for f in order:
            imported(f, store=store)
        same(said(path(store)), want, f"imported as {[os.path.relpath(f, path('r')) for f in order]}")
        imported(path("r"), store=store)
        same(said(path(store)), want, "and all once more")


@cases(*RUNS)
def copied_and_moved(run):
    untold(run, path("a/r"))
    want = said(imported(path("a"), store="fresh.db").store)
    os.makedirs(path("b"))
    os.rename(path("a/r"), path("b/elsewhere"))
    same(said(imported(path("b"), store="fresh.db").store), want)


@test
def debug_log_comes_later():
    run = "parsl-2026-workqueue"
    true = truth(run)
    untold(run, path("r"))
    store = imported(path("r")).store
    equal(rules(store), {"workqueue.order"})
    log = "runinfo/000/wq.1/debug_log"
    with open(f"{DATA}/{run}/{log}", "rb") as f:
        data = f.read()
    write(path("r", log), data)
    imported(path("r"))
    equal(none_wrong(store, true), len(true), "links")
    check("workqueue.order" not in rules(store), rules(store))
    equal(doubts(store), {}, "doubts")
    same(said(store), said(imported(path("r"), store="fresh.db").store))


@test
def debug_log_goes_away():
    run = "parsl-2026-workqueue"
    shutil.copytree(f"{DATA}/{run}", path("r"))
    store = imported(path("r")).store
    log = path("r/runinfo/000/wq.1/debug_log")
    os.remove(log)
    spanloom("forget", "-d", store, log)
    imported(path("r"))
    same(said(store), said(imported(path("r"), store="fresh.db").store))


@test
def what_parsl_log_says_comes_later():
    """2023's wording, told of every second task only: these are asserted, and they narrow down the others."""
    run = "workqueue-two"
    true = truth(run)
    untold(run, path("r"))
    log = path("r/runinfo/000/parsl.log")
    store = imported(path("r")).store
    with open(log, "rb") as f:
        data = f.read()
    stamp = re.search(rb"^.*?(?= parsl\.)", data)[0]
    half = {k: x for k, x in true.items() if k[1] % 2}
    with open(log, "ab") as f:
        for (e, w), x in half.items():
            f.write(b"%s parsl.executors.workqueue.executor:700 _work_queue_submit_wait INFO: Executor task %d submitted as Work Queue task %d\n"
                    % (stamp, x, w))
    imported(path("r"))
    none_wrong(store, true)
    same(said(store), said(imported(path("r"), store="fresh.db").store))


@cases(*[(run, share) for run in RUNS for share in (.15, .4, .7, .9)])
def transaction_log_is_cut(run, share):
    true = truth(run)
    store = imported(untold(run, path("r"), lambda name, d: d[:int(len(d) * share)] if name == "transaction_log" else d)).store
    none_wrong(store, true)


@cases(*[(run, share) for run in RUNS for share in (.15, .4, .7, .9)])
def parsl_log_is_cut(run, share):
    true = truth(run)
    store = imported(untold(run, path("r"), lambda name, d: d[:int(len(d) * share)] if name == "parsl.log" else d)).store
    none_wrong(store, true)


@cases(*RUNS)
def beginnings_are_lost(run):
    """The first third of parsl.log but its first ten lines, or of the transaction log."""
    true = truth(run)

    def headless(which):
        def change(name, d):
            lines = d.splitlines(keepends=True)
            return b"".join(lines[:10] + lines[10 + len(lines) // 3:]) if name == which else d
        return change
    for which in ("parsl.log", "transaction_log"):
        none_wrong(imported(untold(run, path(which), headless(which)), store=f"{which}.db").store, true)


@cases(*RUNS)
def lines_are_missing(run):
    """One line in ten of the transaction log is gone, at random. Of parsl.log no line may be: one that was created and not launched was not handed over."""
    true = truth(run)
    r = rng()
    for i in range(5):
        share = {"transaction_log": .1, "parsl.log": 0}
        keep = lambda name, d: b"".join(x for n, x in enumerate(d.splitlines(keepends=True)) if n < 10 or r.random() > share[name])
        none_wrong(imported(untold(run, path(f"r{i}"), keep), store=f"{i}.db").store, true)


@cases(*RUNS)
def without_categories(run):
    true = truth(run)
    change = lambda name, d: re.sub(rb"(TASK \d+ WAITING) \S+", rb"\1 default", d) if name == "transaction_log" else d
    store = imported(untold(run, path("r"), change)).store
    note(f"{none_wrong(store, true)} of {len(true)} linked")


@cases(*[(run, s) for run in RUNS for s in (-3600, -30, -6, -1, -.01, .01, 1, 6, 30, 3600)])
def clocks_differ(run, seconds):
    """The clock of the transaction log is ahead of Parsl's by so much."""
    true = truth(run)
    shift = lambda m: b"%d" % (int(m[0]) + int(seconds * 1e6))
    store = imported(untold(run, path("r"), lambda name, d: re.sub(rb"(?m)^\d{16}", shift, d) if name == "transaction_log" else d)).store
    note(f"{none_wrong(store, true)} of {len(true)} linked")


@cases(*RUNS)
def the_log_of_another_run(run):
    """The transaction log of another run in this one's directory: nothing is linked that cannot be."""
    other = {"parsl-2026-workqueue": "workqueue-gaps", "workqueue-gaps": "parsl-2026-workqueue", "workqueue-two": "workqueue-gaps"}[run]
    logs = {}
    untold(other, path("other"), lambda name, d: logs.setdefault(name, d))
    store = imported(untold(run, path("r"), lambda name, d: logs[name] if name == "transaction_log" else d)).store
    equal(links(store), {}, "links")


@test
def two_runs_in_one_store():
    for run in RUNS:
        untold(run, path("r", run))
    store = imported(path("r")).store
    n = 0
    for run in RUNS:
        alone = imported(path("r", run), store=f"{run}.db").store
        n += len(links(alone))
    equal(query(store, "SELECT count(*) FROM links WHERE rule = 'workqueue.order'")[0][0], n, "links")
    for run in RUNS:
        imported(path("r", run), store="steps.db")
    same(dump(path("steps.db")), dump(store))


@cases(*RUNS)
def unbound_and_bound(run):
    store = imported(untold(run, path("r"))).store
    want = said(store)
    spanloom("unbind", "-d", store, "workqueue.order")
    equal((links(store), doubts(store)), ({}, {}), "links and doubts")
    imported(path("r"))
    equal((links(store), doubts(store)), ({}, {}), "after another import")
    spanloom("bind", "-d", store, "workqueue.order")
    same(said(store), want)


@test
def the_user_knows_better():
    """What a user binds goes before what is inferred: it is no longer in doubt, nor anywhere else."""
    run = "workqueue-gaps"
    true = truth(run)
    store = imported(untold(run, path("r"), lambda name, d: d[:len(d) * 7 // 10] if name == "parsl.log" else d)).store
    doubtful = min(k for k, x in doubts(store).items() if true[k] in x)
    inferred = min(links(store))
    for name, (executor, wq), xid in (("one", doubtful, true[doubtful]), ("two", inferred, true[inferred] + 1)):
        spanloom("bind", "-d", store, "--name", name, f"workqueue.task in executor_task where a.key = {wq} and b.key = {xid}")
    imported(path("r"))
    equal(links(store)[doubtful], {true[doubtful]})
    check(doubtful not in doubts(store), f"{doubtful} is linked by hand, and in doubt with {doubts(store).get(doubtful)}")
    equal(links(store)[inferred], {true[inferred] + 1}, "a task in two others")


if __name__ == "__main__":
    main()
