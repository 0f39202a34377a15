#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the report says beside what commands say, and beside SQL that is written for it here, of every real run that is kept."""
import collections
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, cases, check, equal, imported, main, path, spanloom, test  # noqa: E402

RUNS = [EXAMPLE] + [f"{ROOT}/tests/data/{name}" for name in
                    sorted(os.path.basename(p) for p in glob.glob(f"{ROOT}/tests/data/*")) if name not in ("nodes", "traces", "replay.tar.gz", "README.md")]


def rows(figure):
    return [dict(zip(figure["columns"], row)) for row in zip(*(figure["data"][c] for c in figure["columns"]))]


def asked(*command):
    return json.loads(spanloom(*command, "-d", path("spanloom.db"), "--format", "json").out)


def close(got, want, *what):
    check(abs(got - want) <= 1e-6 * max(1, abs(want)), *what, got, want)


@cases(*RUNS)
def agrees(run):
    imported(run)
    # some hold several runs: each of them
    for one in asked("runs"):
        agree(one["run"])


@test
def of_several_runs_the_data_of_one():
    """As in a store of its own."""
    names = ("parsl-2026-threads", "parsl-2026-lost", "workqueue-blocks")
    both = imported(*(f"{ROOT}/tests/data/{name}" for name in names), store="all.db").store
    for name in names:
        alone = imported(f"{ROOT}/tests/data/{name}", store="alone.db").store
        got, want = ({f["name"]: f["data"] for s in json.loads(spanloom("report", "--run", name, "-d", store, "--json").out)["runs"][0]["sections"] if s["name"] == "data"
                      for f in s["figures"]} for store in (both, alone))
        equal(got, want, name)
        check(sum(got["sources"]["records"]) > 0, name)


def agree(run):
    found = {f["name"]: f for s in json.loads(spanloom("report", "--run", run, "-d", path("spanloom.db"), "--json").out)["runs"][0]["sections"]
             if s["name"] != "timeline" for f in s["figures"]}
    about = rows(found["run"])[0]
    tasks = asked("sql", "--run", run, "SELECT t.*, i.start_ns AS zero FROM task t, run i")
    ended = collections.Counter(t["ended"] for t in tasks)

    # how tasks ended: the tile, apps, executors
    equal({r["ended"]: r["tasks"] for r in rows(found["ended"])}, dict(ended), "ended")
    for figure in "apps", "executors":
        total = lambda column: sum(r[column] for r in rows(found[figure]))
        equal([total(c) for c in ("tasks", "done", "failed", "never_ran", "unfinished")],
              [len(tasks), ended["done"], sum(n for e, n in ended.items() if e not in ("done", "dependency failed", None)), ended["dependency failed"], ended[None]], figure)
        close(total("run_s"), sum(t["run_s"] for t in tasks), figure)

    # lost to tries that failed: of the apps, and of the command
    vain = collections.Counter()
    for t in tasks:
        vain[t["app"]] += t["retried_s"] if t["ended"] in ("done", None) else t["run_s"]
    for r in rows(found["apps"]):
        close(r["lost_s"], vain[r["app"]], "lost", r["app"])
    told = collections.Counter()
    for r in asked("failures", "--run", run):
        told[r["app"]] += r["seconds"]
    for app, s in told.items():
        check(s <= vain[app] + 0.02 * len(tasks), "failures lose more than there is", app, s, vain[app])
    check(sum(found["dependents"]["data"].get("never ran", [0])) <= ended["dependency failed"], "never ran, each once")

    # the critical path
    blame, parts, before = collections.Counter(), collections.Counter(), None
    for part in asked("critical-path", "--run", run):
        words = part["component"], "lost to a failed try" if part["lost"] else part["state"]
        blame[words] += part["seconds"]
        parts[words] += before != (part["task"], words)
        before = part["task"], words
    mine = collections.Counter({(r["component"], r["state"]): r["seconds"] for r in rows(found["parts"])})
    for what in blame.keys() | mine.keys():
        close(mine[what], blame[what], "path", what)
    equal({(r["component"], r["state"]): r["parts"] for r in rows(found["parts"])}, parts, "parts of the path")

    told = asked("why", "--run", run)
    equal([told["run"][0][c] for c in ("workers", "busy", "tasks")], [about[c] for c in ("workers", "busy", "tasks")], "why")
    if told.get("pools"):
        check(sum(p["workers"] for p in told["pools"]) >= about["workers"], "of each executor, and of all", told["pools"], about["workers"])
        close(min(p["busy"] for p in told["pools"]), min(about["busy"], *(p["busy"] for p in told["pools"])), "one is as little busy as all")
    workers(run, found, about, tasks)


def workers(run, found, about, tasks):
    table = rows(found["workers"])
    if not table:
        equal(about["workers"], None, "workers")
        return
    types = [r["type"] for r in asked("sql", "--run", run, "SELECT DISTINCT s.type FROM worker w JOIN spans s ON s.id = w.span")]
    bins = [asked("utilisation", kind, "--run", run) for kind in types]
    width = [int(b[1]["time_ns"]) - int(b[0]["time_ns"]) if len(b) > 1 else 1 for b in bins]
    there, busy = (sum(r[c] * w for b, w in zip(bins, width) for r in b) for c in ("workers", "busy"))
    if all(len(b) > 1 for b in bins):
        close(about["busy"], busy / there, "busy, of utilisation")
        figure = rows(found["utilisation"])
        close(about["busy"], sum(r["busy"] * r["width_s"] for r in figure) / sum(r["workers"] * r["width_s"] for r in figure), "busy, of the chart")
    close(about["busy"], sum(r["busy_s"] for r in table) / sum(r["to_s"] - r["from_s"] for r in table), "busy, of the table")
    edges = sorted(e for r in table for e in ((r["from_s"], 1), (r["to_s"], -1)))
    edges.sort(key=lambda e: (e[0], e[1]))
    now = most = 0
    for _, step in edges:
        now += step
        most = max(most, now)
    equal(about["workers"], max(1, most), "workers at once")
    check(max(r["workers"] for b in bins for r in b) <= about["workers"] + 1e-9, "more in the chart")

    # what is drawn: runs lie where their worker was there; those that failed are those that were tried again, or whose task failed
    ended = {t["task"]: t["ended"] for t in tasks}
    app = {t["task"]: t["app"] for t in tasks}
    last = {}
    lanes = rows(found["lanes"])
    for r in lanes:
        w = table[r["lane"]]
        check(w["from_s"] - 2e-6 <= r["from_s"] <= r["to_s"] <= w["to_s"] + 2e-6, "outside of its worker", r, w)
        if r["task"] in ended:
            last[r["task"]] = max(last.get(r["task"], 0), r["from_s"])
    for r in lanes:
        how = ended.get(r["task"])
        if r["task"] not in ended:
            want = None
        elif r["from_s"] < last[r["task"]]:
            want = 1
        else:
            want = None if how is None else int(how != "done")
        equal((r["failed"], r["app"]), (want, app.get(r["task"])), r)
    # that of all tasks which ran and were done one run each is not said to have failed
    ran = {t["task"] for t in tasks if t["ended"] == "done" and t["task"] in last}
    equal(collections.Counter(r["task"] for r in lanes if r["failed"] == 0), collections.Counter(ran), "runs that were done")
    if found["lanes"]["rows"] < 20000:
        # with where the store has them: runs of the tasks of the run, by its own links
        equal(sum(w["runs"] for w in table), len(lanes), "runs")


main()
