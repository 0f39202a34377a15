#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""task_tries() against the same from the views spans, events, links and attributes, worked out one try after the other, on all
runs that are kept and with attributes that no log has."""
import collections
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import *  # noqa

DATA = f"{ROOT}/tests/data"
RUNS = [EXAMPLE] + [f"{DATA}/{d}" for d in sorted(os.listdir(DATA)) if os.path.isdir(f"{DATA}/{d}")]
FAILS = {"try_failed", "fail_retryable", "failed", "dep_fail"}
TOLD = ("executor", "hostname", "task_fail_history", "exception")
ODD = [42, 1.5, -0.25, 10**15, "", "a \"quoted\" \\ text\n", "\u00e9\u4e2d\U0001f600", "42", None, [1, "two", None], {"a": [1]}, True, False, "x" * 5000]


def most(values):
    """As max() of SQL has it: texts are more than numbers, and are ordered by their bytes."""
    return max(values, key=lambda v: (isinstance(v, str), v.encode() if isinstance(v, str) else v), default=None)


def expected(store, workflow, tasks):
    spans = {i: (t, parent, k) for i, t, parent, k in query(store, "SELECT id, type, parent, key FROM spans")}
    attempts = {t for t, in query(store, "SELECT type FROM sl_role WHERE role = 'attempt'")}
    views = collections.defaultdict(set)
    for left, right in query(store, "SELECT left_span, right_span FROM links WHERE kind = 'facet'"):
        views[left].add(right)
        views[right].add(left)
    of = {view: task for task in tasks for view in {task} | views[task]}
    tries = collections.defaultdict(list)
    for i, (kind, parent, key) in spans.items():
        if kind in attempts and parent in of:
            tries[of[parent], int(key)].append(i)
    events, said = collections.defaultdict(list), collections.defaultdict(lambda: collections.defaultdict(list))
    for span, ns, event in query(store, "SELECT span, time_ns, type FROM events"):
        events[span].append((ns, event))
    for span, name, value in query(store, "SELECT span, name, value FROM attributes"):
        if name in TOLD:
            said[span][name].append(value)
    rows = []
    for (task, number), ids in tries.items():
        happened = [e for i in ids for e in events[i]]
        if happened:
            told = {name: most([v for i in ids for v in said[i][name]]) for name in TOLD}
            history = told["task_fail_history"]
            rows.append((task, number, min(i for i in ids if events[i]), min(happened)[0], max(ns for ns, _ in happened), int(any(e in FAILS for _, e in happened)),
                         told["executor"], told["hostname"], told["exception"] if history is None else history))
    return sorted(rows, key=lambda r: r[:2])


def compare(store):
    n = 0
    for workflow, in query(store, "SELECT id FROM spans WHERE type IN (SELECT type FROM sl_role WHERE role = 'workflow')"):
        tasks = [int(r["span"]) for r in sql(store, f"SELECT span FROM task_times({workflow})")]
        got = [(int(r["task"]), int(r["number"]), int(r["span"]), int(r["f"]), int(r["t"]), int(r["failed"]), r["executor"], r["host"], r["exception"])
               for r in sql(store, f"SELECT task, number, span, printf('%d', from_ns) AS f, printf('%d', to_ns) AS t, failed, executor, host, exception FROM task_tries({workflow})")]
        equal(sorted(got, key=lambda r: r[:2]), expected(store, workflow, tasks), f"tries of {workflow}")
        n += len(got)
    return n


@cases(*RUNS)
def kept_runs(run):
    note(f"{compare(imported(run, code=(0, 1)).store)} tries")


@test
def values_of_any_kind():
    store = imported(EXAMPLE).store
    db = sqlite3.connect(store)
    rows = db.execute("""SELECT a.span, a.shape, a.source, a.place, f.path FROM sl_attr a JOIN sl_shape f ON f.id = a.shape WHERE f.name IN ('executor', 'hostname', 'task_fail_history', 'exception')
        AND a.span IN (SELECT id FROM spans WHERE type IN (SELECT type FROM sl_role WHERE role = 'attempt'))""").fetchall()
    check(len(rows) > 3 * len(ODD), len(rows))
    for i, (*row, at) in enumerate(rng().sample(rows, len(rows))):
        db.execute("UPDATE sl_attr SET vals = json_set(vals, ?, json(?)) WHERE (span, shape, source, place) IS (?, ?, ?, ?)",
                   (at, json.dumps(ODD[i % len(ODD)], ensure_ascii=i % 2 == 0), *row))
    db.commit()
    db.close()
    check(compare(store) > 200, "tries")


main()
