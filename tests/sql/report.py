#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of `spanloom report` beside what Python makes of the events in the store, and of what large runs are put
together to beside all of their tasks."""
import collections
import json
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, check, equal, imported, main, path, query, spanloom, test  # noqa: E402


def figures(*options):
    run = json.loads(spanloom("report", "-d", path("spanloom.db"), "--json", *options).out)["runs"][0]
    return {f["name"]: f for s in run["sections"] if s["name"] != "timeline" for f in s["figures"]} # whose figures are about single spans


def rows(figure):
    return [dict(zip(figure["columns"], row)) for row in zip(*(figure["data"][c] for c in figure["columns"]))]


def close(got, want, what, within=1e-6):
    check(abs(got - want) <= within * max(1, abs(want)), what, got, want)


@test
def a_run_by_its_events():
    """Runs on workers as the worker's own log has them."""
    imported(EXAMPLE)
    found = figures()
    spans = {i: (t, k, p) for i, t, k, p in query(path("spanloom.db"), "SELECT id, type, key, parent FROM spans")}
    runs = collections.defaultdict(dict)
    for span, time_ns, what in query(path("spanloom.db"), "SELECT span, time_ns, type FROM events"):
        if spans[span][0].endswith(".worker.task"):
            runs[span].setdefault(what, time_ns)
    ran = sorted((r["worker_received_task"], r["worker_completed_task"]) for r in runs.values() if len(r) > 1)
    lanes = rows(found["lanes"])
    equal(len([r for r in lanes if r["task"] is not None]), len(runs), "runs on workers")
    start = int(found["run"]["data"]["start_ns"][0])
    mine = sorted((round((a - start) / 1e9, 6), round((b - start) / 1e9, 6)) for a, b in ran)
    got = sorted((r["from_s"], r["to_s"]) for r in lanes)
    missing = [x for x in mine if not any(abs(x[0] - g[0]) < 2e-6 and abs(x[1] - g[1]) < 2e-6 for g in got)]
    equal(missing, [], "runs that no lane has")
    busy = sum(b - a for a, b in mine)
    close(sum(r["to_s"] - r["from_s"] for r in lanes), sum(found["workers"]["data"]["busy_s"]), "busy, by lanes and by workers")
    check(sum(found["workers"]["data"]["busy_s"]) >= busy - 1e-6)


@test
def figures_of_apps_are_those_of_their_tasks():
    imported(EXAMPLE)
    found = figures()
    cells = collections.defaultdict(list)
    for cell in rows(found["cells"]):
        cells[cell["app"]].append(cell)
    for app in rows(found["apps"]):
        mine = cells[app["app"]]
        equal(app["tasks"], len(mine))
        equal(app["done"], sum(c["ended"] == "done" for c in mine))
        equal(app["retried"], sum(c["retried"] for c in mine))
        ran = [c["run_s"] for c in mine if c["start_s"] is not None]
        close(app["run_s"], sum(c["run_s"] for c in mine), "all", 1e-3)
        if ran:
            close(app["median_s"], statistics.median(ran), app["app"], 1e-4)
            close(app["max_s"], max(ran), app["app"], 1e-4)
        if len(ran) > 1:
            close(app["p95_s"], statistics.quantiles(ran, n=20, method="inclusive")[18], app["app"], 1e-4)
    close(sum(found["path"]["data"]["seconds"]), found["run"]["data"]["makespan_s"][0], "the path is all of the run")
    ends = [a + s for a, s in zip(found["path"]["data"]["start_s"], found["path"]["data"]["seconds"])]
    check(all(abs(a - b) < 3e-6 for a, b in zip(ends, found["path"]["data"]["start_s"][1:])), "parts follow each other")
    states = collections.Counter()
    for row in rows(found["states"]):
        states[row["kind"]] += row["tasks"] * row["width_s"]
    inside = sum(c["done_s"] - c["first_s"] for c in rows(found["cells"]))
    close(sum(states.values()), inside, "states are all of the time of tasks", 0.02)


@test
def large_runs_are_put_together_and_lose_nothing():
    tasks = 25_000
    subprocess.run([sys.executable, f"{ROOT}/bench/make_run.py", path("runinfo"), str(tasks), "--quiet"], check=True)
    imported(path("runinfo"))
    found = figures()
    for name in "cells", "lanes", "slowest", "reached":
        check("note" in found[name], name, "does not say that it is put together")
    cells = rows(found["cells"])
    check(len(cells) < 20_000, "cells", len(cells))
    equal(sum(c["tasks"] for c in cells), tasks)
    whole = rows(found["apps"])
    close(sum(c["run_s"] for c in cells), sum(a["run_s"] for a in whole), "all of the time on workers")
    busy = sum(a["run_s"] for a in whole)
    lanes = rows(found["lanes"])
    places = found["workers"]["data"]["places"]
    close(sum(places[r["lane"]] * r["busy"] * (r["to_s"] - r["from_s"]) for r in lanes), busy, "lanes", 0.005)
    equal(sum(r["runs"] for r in lanes) >= sum(found["workers"]["data"]["runs"]), True)
    equal(sum(found["parts"]["data"]["parts"]), found["path"]["rows"] if "note" not in found["path"] else sum(found["path"]["data"]["parts"]))
    slowest = rows(found["slowest"])
    check(len(slowest) <= 200 and slowest[0]["run_s"] == max(a["max_s"] for a in whole))


@test
def programs_without_a_workflow():
    """What why finds in traced programs is in the report, whose other sections of runs have no figures."""
    spanloom("import", "--quiet", "-d", path("traced.db"), f"{ROOT}/tests/data/traces")
    os.makedirs(path("config/spanloom/findings"))
    with open(path("config/spanloom/findings/calls.yaml"), "w") as f:
        f.write("about: calls\nof: programs\nsql: SELECT 0.5 * makespan_s AS seconds, calls FROM program\ntext: '{calls} calls'\n")
    env = {"XDG_CONFIG_HOME": path("config")}
    told = json.loads(spanloom("why", "-d", path("traced.db"), "--format", "json", env=env).out)
    [run] = json.loads(spanloom("report", "-d", path("traced.db"), "--json", env=env).out)["runs"]
    sections = {s["name"]: s for s in run["sections"]}
    equal([f["name"] for f in sections["findings"]["figures"]], ["findings", "terms"])
    same = lambda rows: [(r["finding"], r["text"], r["seconds"]) for r in rows]  # noqa: E731
    check(told["findings"], "there is one to compare")
    equal(same(rows(sections["findings"]["figures"][0])), same(told["findings"]))
    equal([s["figures"] for name, s in sections.items() if name in ("makespan", "states", "workers", "tasks")], [[]] * 4)


main()
