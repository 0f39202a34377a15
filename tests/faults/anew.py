#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imports bind what they touch, and all bound anew says the same: after each of many small imports, in random order, of
files that relate to each other in all ways that rules know, some of which grow or are replaced; and as one import of all.
"""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

sys.path.insert(0, f"{ROOT}/bench")
import make_workqueue  # noqa: E402

DATA = f"{ROOT}/tests/data"
START = 1795162300
SAYS = re.compile(rb"submitted as Work Queue task|submitted to WorkQueue with id|Completed Work Queue task")


def anew(store):
    """A copy of the store in which all is bound anew: a rule that links nothing came and went."""
    copy = path("anew.db")
    shutil.copyfile(store, copy)
    spanloom("bind", "-d", copy, "--name", "nothing", "trace.process in trace.process where 0")
    spanloom("unbind", "-d", copy, "nothing")
    return copy


def as_anew(store, what):
    got, want = everything(store), everything(anew(store))
    for part in want:
        (same if part == "dump" else equal)(got[part], want[part], f"{part} {what}")


def one_by_one(pieces, store, r):
    """Imports them in random order; with the binding links that there were at most, so that it says whether it is a test."""
    most, store = 0, path(store)
    for i, piece in enumerate(r.sample(pieces, len(pieces))):
        imported(*piece() if callable(piece) else [piece], store=store, code=(0, 1))
        as_anew(store, f"after import {i + 1}, of {piece}")
        most = max(most, len(query(store, "SELECT 1 FROM sl_link WHERE confidence IS NOT NULL")))
    note(f"{most} links, {len(query(store, 'SELECT 1 FROM sl_doubt'))} doubts")
    return most


def at_once(store, *paths_):
    got, want = everything(path(store)), everything(imported(*paths_, store="whole.db", code=(0, 1)).store)
    for part in ("dump", "confidence", "doubts"):
        (same if part == "dump" else equal)(got[part], want[part], f"{part}, beside one import of all")
    os.remove(path("whole.db"))


# ---- processes ----

def trace(file, r, environment=True):
    """A process whose facts others may well have, too."""
    pid, start = r.randint(1, 6), START + r.randint(0, 30)
    end = start + r.randint(1, 30)
    ns = lambda s: f"{s}{r.randint(0, 10 ** 9 - 1):09}"
    args = {"version": 1, "hostname": r.choice(("n1", "n2")), "pid": pid, "ppid": r.randint(1, 6), "start_ns": ns(start),
            "end_ns": ns(end), "ended": True, "lost": 0, "span_id": f"p{r.randint(1, 20)}"}
    if r.random() < 0.3:
        args["parent_id"] = f"{r.choice('pc')}{r.randint(1, 20)}"
    if r.random() < 0.4:
        args["instance_path"] = r.choice(("a", "a.b", "a.b.c", "a.d", "e"))
    if environment and r.random() < 0.3:
        args["env.WORK_QUEUE_SANDBOX"] = f"/tmp/worker/t.{r.randint(1, 4)}"
    if environment and r.random() < 0.2:
        args["env.SLURM_JOB_ID"] = str(r.randint(1, 30))
    events = [{"name": "spanloom", "ph": "M", "pid": pid, "tid": pid, "args": args}]
    call = lambda ph, at, name, **more: events.append({"name": name, "ph": ph, "ts": at * 1000000 + 1, "pid": pid, "tid": pid, **more})
    call("B", start, "main")
    if r.random() < 0.4:
        call("i", start, "fork", s="t", args={"child_pid": r.randint(1, 6)})
    if r.random() < 0.3:
        call("f" if r.random() < 0.5 else "s", start, "message", cat="q", bp="e", id=r.randint(1, 3))
    call("E", end, "main", args={"span_id": f"c{r.randint(1, 20)}"} if r.random() < 0.5 else {})
    write(file, json.dumps(events).encode())
    return file


@cases(True, False)
def processes(environment):
    r = rng()
    for i in range(4):
        folder, store = path(f"traces{i}"), f"{i}.db"
        files = [trace(f"{folder}/{k}.pfw", r, environment) for k in range(12)]
        again = [lambda k=k: [trace(files[k], r, environment)] for k in r.sample(range(12), 2)] if i % 2 else []
        at = r.randrange(3, 9)
        check(one_by_one(files[:at], store, r) + one_by_one([*files[at:], *again], store, r), "nothing was bound")
        at_once(store, folder)


# ---- runs ----

def without_debug_log(run, to):
    """A copy of the run in which no line ties a task of Work Queue to one of Parsl."""
    shutil.copytree(f"{DATA}/{run}", to)
    for folder, _, names in os.walk(to):
        for name in names:
            file = f"{folder}/{name}"
            if name == "debug_log" or name.endswith(".tsv"):
                os.remove(file)
            elif name == "parsl.log":
                with open(file, "rb") as f:
                    lines = [line for line in f if not SAYS.search(line)]
                write(file, b"".join(lines))
    return to


def files_in(folder):
    return sorted(os.path.join(d, name) for d, _, names in os.walk(folder) for name in names)


def made(number, tasks=6):
    folder = path("made", str(number))
    make_workqueue.main(folder, tasks, number)
    return folder


def halves(file):
    """The beginning of a log, and all of it."""
    with open(file, "rb") as f:
        data = f.read()

    def some(share):
        write(file, data[:int(len(data) * share)])
        return [file]
    return lambda: some(0.5), lambda: some(1)


@test
def runs_of_work_queue():
    """The log of each manager, and that of its workflow, one by one: which is which is known when both are there."""
    r = rng()
    logs = [f for n in range(5) for f in files_in(made(n))]
    check(one_by_one(logs, "s.db", r) == 30, "not all tasks are bound")
    at_once("s.db", path("made"))


@test
def logs_that_grow():
    r = rng()
    first, then = zip(*(halves(f) for n in range(4) for f in files_in(made(n))))
    one_by_one([*first], "s.db", r)
    one_by_one([*then], "s.db", r)


@cases("workqueue-gaps", "workqueue-two", "workqueue-blocks", "slurm", "parsl-2026-shell", "parsl-2026-workqueue")
def a_real_run(run):
    """A file at a time, between other runs and processes."""
    r = rng()
    files = [f for f in files_in(without_debug_log(run, path("run"))) if not f.endswith((".md", ".tsv", ".py"))]
    files = r.sample(files, min(len(files), 8))
    others = [made(n) for n in range(2)] + [trace(path("traces", f"{k}.pfw"), r) for k in range(4)]
    one_by_one([*files, *others], "s.db", r)
    imported(path("run"), store="s.db", code=(0, 1))
    as_anew(path("s.db"), "after the rest of it")


@test
def a_campaign():
    """Processes that lie in others are roots of it all the same."""
    r = rng()
    for k in range(8):
        imported(trace(path("traces", f"{k}.pfw"), r), "--campaign", "study", store="s.db")
        as_anew(path("s.db"), f"after {k + 1}")
    imported(path("traces"), "--campaign", "study", store="whole.db")
    same(dump(path("s.db")), dump(path("whole.db")))


if __name__ == "__main__":
    main()
