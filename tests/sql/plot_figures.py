#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each plot of plots/: the data of its JSON form are what the command or the table function prints as csv, reduced here in
Python as the plot's columns say; sums are kept.  And little, much and hostile data give a picture or a clear message.

It is longer than 600 lines because there are many plots: what is asked of each stands in one place."""
import collections
import csv
import io
import math
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
import monitor_files as files

HTEX = "parsl.executor.htex.worker"
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400}
DURATIONS = ["submitted", "exec_done"]


def plot(*args, code=0, store="spanloom.db"):
    """The data sets, and the title and subtitle as one text."""
    r = spanloom("plot", *args, "-o", path("out.json"), "-d", path(store), code=code)
    if code:
        return r.err
    with open(path("out.json"), encoding="utf-8") as f:
        spec = json.load(f)
    sets = spec.get("datasets") or {d["name"]: d["values"] for d in spec["data"]}
    return {k: v for k, v in sets.items()}, spec["title"]["text"] + " | " + (spec["title"].get("subtitle") or "")


def table(*args, store="spanloom.db"):
    return list(csv.DictReader(io.StringIO(spanloom(*args, "--format", "csv", "-d", path(store)).out)))


def ask(text, store="spanloom.db"):
    return table("sql", text, store=store)


def close(got, want, what="", by=1e-6):
    check(abs(got - want) <= by * max(1, abs(want)), what, got, want)


def total(rows, column):
    return math.fsum(float(r[column] or 0) for r in rows)


def example():
    return imported(EXAMPLE).store


# ---- durations

@test
def histogram():
    example()
    values = [float(r["duration_s"]) for r in table("durations", *DURATIONS) if r["duration_s"]]
    sets, title = plot("durations", *DURATIONS)
    unit = UNITS[sets["bins"][0]["unit"]]
    for b in sets["bins"]:
        equal(b["durations"], sum(b["low"] * unit <= v < b["high"] * unit for v in values), b)
    equal(total(sets["bins"], "durations"), len(values))
    want = {"median": statistics.median(values), "mean": statistics.fmean(values), "maximum": max(values),
            "95 % below": statistics.quantiles(values, n=20, method="inclusive")[18]}
    got = {r["label"].rsplit(" ", 2)[0]: r["seconds"] for r in sets["lines"]}
    equal(got.keys(), want.keys())
    for name, value in want.items():
        close(got[name], value, name, 1e-9)
    check(title.startswith(f"{len(values)} tasks took 1.5 s to 21.8 s, median 12.9 s | from submitted to exec_done; 18 more without"), title)


@test
def histogram_of_far_values():
    """Where the longest is far from the median the bins are logarithms."""
    example()
    values = [10 ** (i % 50 / 10 - 3) for i in range(500)] + [1e5]
    sets, _ = plot("durations", "--sql", "SELECT value AS duration_s FROM json_each('" + json.dumps(values) + "')")
    check(all(b["logarithmic"] for b in sets["bins"]), sets["bins"][0])
    for b in sets["bins"]:
        inside = sum(b["low"] <= math.log10(v) + 1e-9 < b["high"] for v in values)
        check(abs(inside - b["durations"]) <= 10, b, inside)  # ten of each value, one of which may lie on an edge
    equal(total(sets["bins"], "durations"), len(values))


@test
def durations_without_events():
    """From the first event of a span to its last."""
    example()
    sets, _ = plot("durations-over-time")
    own = [float(r["s"]) for r in ask("""SELECT (max(time_ns) - min(time_ns)) / 1e9 AS s FROM events JOIN spans ON id = span
        WHERE spans.type = 'parsl.monitoring.task' GROUP BY id HAVING count(*) > 1""")]
    unit = UNITS[sets["points"][0]["unit"]]
    for got, s in zip(sorted(p["duration"] * unit for p in sets["points"]), sorted(own)):
        close(got, s)
    equal(len(sets["points"]), len(own))


@test
def points_over_time():
    example()
    rows = [r for r in table("durations", *DURATIONS) if r["duration_s"]]
    sets, title = plot("durations-over-time", *DURATIONS)
    unit = UNITS[sets["points"][0]["unit"]]
    got = sorted((p["time_ms"], p["duration"] * unit) for p in sets["points"])
    want = sorted((int(r["start_ns"]) / 1e6, float(r["duration_s"])) for r in rows)
    equal(len(got), len(want))
    for g, w in zip(got, want):
        close(g[0], w[0], "time", 1e-15)
        close(g[1], w[1], "duration", 1e-12)
    function = {r["id"]: r["task_func_name"] for r in ask("SELECT id, task_func_name FROM parsl_monitoring_task")}
    spent, count = collections.Counter(), collections.Counter()
    for r in rows:
        spent[function[r["span"]]] += float(r["duration_s"])
        count[function[r["span"]]] += 1
    want = collections.Counter({f: count[f] for f, _ in spent.most_common(6)})
    want["others"] = len(rows) - sum(want.values())
    equal(collections.Counter(p["kind"] for p in sets["points"]), want)


@test
def points_of_far_values():
    """Where the longest is far from the median, logarithms."""
    example()
    rows = [r for r in table("durations", "running", "running_ended") if r["duration_s"]]
    sets, _ = plot("durations-over-time", "running", "running_ended")
    check(sets["points"][0]["logarithmic"], sets["points"][0])
    got = sorted((p["time_ms"], 10 ** p["duration"]) for p in sets["points"])
    for g, w in zip(got, sorted((int(r["start_ns"]) / 1e6, float(r["duration_s"])) for r in rows)):
        close(g[0], w[0], "time", 1e-15)
        close(g[1], w[1], "duration", 1e-9)
    for band in sets["bands"]:
        check(band["p05"] <= band["p50"] <= band["p95"], band)


@cases((["submitted", "exec_done"], False), (["running", "running_ended"], True))
def lines_that_are_there(words, there):
    """No line is promised where all began in few bursts."""
    example()
    sets, title = plot("durations-over-time", *words)
    equal(bool(sets["bands"]), there, len(sets["bands"]))
    equal("line: median" in title, there, title)


@test
def many_over_time():
    """Of many, quantiles of bins, and the ten longest of each."""
    example()
    n = 20000
    sets, _ = plot("durations-over-time", "--sql", f"""WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {n - 1})
        SELECT i * 1000000 AS start_ns, (i * 7919 % 1000 + 1) / 1000.0 AS duration_s FROM n""")
    width = (n - 1) * 10 ** 6 // 100 + 1
    bins = collections.defaultdict(list)
    for i in range(n):
        bins[i * 10 ** 6 // width].append((i * 7919 % 1000 + 1) / 1000)
    unit = UNITS[sets["points"][0]["unit"]]
    equal(len(sets["bands"]), len(bins))
    for band, b in zip(sets["bands"], sorted(bins)):
        q = statistics.quantiles(bins[b], n=20, method="inclusive")
        for column, want in ("p05", q[0]), ("p50", q[9]), ("p95", q[18]):
            close(band[column] * unit, want, column, 1e-9)
        equal(band["durations"], len(bins[b]))
    equal(len(sets["points"]), 10 * len(bins))
    longest = collections.Counter()
    for p in sets["points"]:
        longest[int(p["time_ms"] * 1e6) // width] += p["duration"] * unit
    for b in bins:
        close(longest[b], sum(sorted(bins[b])[-10:]), b)


@test
def cumulative():
    example()
    values = sorted(float(r["duration_s"]) for r in table("durations", *DURATIONS) if r["duration_s"])
    sets, title = plot("cumulative", *DURATIONS)
    unit = UNITS[sets["curves"][0]["unit"]]
    check(not sets["curves"][0]["logarithmic"], "logarithmic")
    for c in sets["curves"][1:]:
        close(c["share"], sum(v <= c["duration"] * unit + 1e-12 for v in values) / len(values), c)
    equal(len(sets["curves"]), len(values) + 1)
    check(title.startswith("Half of 180 tasks took less than 12.9 s, 95 % less than 21 s"), title)
    sets, _ = plot("cumulative", "--sql", "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) SELECT i + 1.0 AS duration_s, i % 10 AS run, i AS start_ns FROM n")
    runs = collections.Counter(c["run"] for c in sets["curves"])
    equal(len(runs), 8)
    check(all(200 <= k <= 203 for k in runs.values()), runs)
    for c in sets["curves"]:
        close(c["share"], c["duration"] * UNITS[c["unit"]] / 100000 if c["share"] else 0, c, 1.01 / 200)


@test
def density():
    example()
    values = [(int(r["start_ns"]), float(r["duration_s"])) for r in table("durations", "running", "running_ended") if r["duration_s"]]
    sets, title = plot("density", "running", "running_ended")
    equal(len(sets["points"]), len(values))
    equal(max(c["share"] for c in sets["cells"]), 1)
    check(sets["cells"][0]["logarithmic"], "linear")
    got = sorted((round(p["x"], 3), round(p["y"], 9)) for p in sets["points"])
    want = sorted((round(t / 1e6, 3), round(math.log10(s), 9)) for t, s in values)
    for g, w in zip(got, want):
        close(g[0], w[0], "", 1e-9)
    close(math.fsum(p[1] for p in got), math.fsum(p[1] for p in want), "logarithms")
    check(title.startswith("193 tasks: half of them above 77.2 ms"), title)


@test
def density_of_bursts():
    """What is submitted within a fraction of a cell, and takes the longer the later: no duration is favoured."""
    example()
    sets, _ = plot("density", "--sql", """WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
        SELECT i / 4000.0 AS x, 5 + i * 0.03 AS y FROM n UNION ALL SELECT 16, 4 + i % 10 / 10.0 FROM n WHERE i < 30""")
    left = min(c["x0"] for c in sets["cells"])
    burst = [c["share"] for c in sets["cells"] if c["x0"] == left and 7 < c["y0"] and c["y1"] < 15]
    check(len(burst) > 15 and max(burst) < 1.5 * min(burst), burst)


# ---- over time

@test
def states():
    example()
    said = {(r["span_type"], r["event_type"]): (r["state"], r["kind"]) for r in ask("SELECT * FROM sl_state")}
    for more in ["parsl.rundir.task"], ["--run", "000"], ["--ignore", "parsl.monitoring.*"]:
        want = collections.Counter()
        for r in table("states", *more, "--bin", "2"):
            state, kind = said.get((r["span_type"], r["event_type"]), (f"{r['span_type']}/{r['event_type']}", None))
            over = state if kind == "done" else "no further event"
            if kind == "done" and "fail" in r["event_type"]:
                state = over = "failed"
            want[int(r["time_ns"]), state] += float(r["spans"]) - float(r["ended"])
            want[int(r["time_ns"]), over] += float(r["ended"])
        sets, title = plot("states", *more, "--bin", "2")
        names = [r["state"] for r in sets["legend"]]
        check(len(names) <= 13 and "other states" in names or len(names) <= 12, names)
        got = {(round(r["time_ms"] * 1e6), r["state"]): r["spans"] for r in sets["states"]}
        end = max(t for t, _ in got)
        for (t, state), spans in got.items():
            if t < end and state != "other states":
                close(spans, want[t, state], (t, state), 1e-3)
            elif t < end:
                close(spans, math.fsum(v for (u, s), v in want.items() if u == t and s not in names), (t, state), 1e-3)
            else:
                equal(spans, got[t - 2 * 10 ** 9, state], state)
        for t in {t for t, _ in want}:
            close(math.fsum(v for (u, _), v in got.items() if u == t), math.fsum(v for (u, _), v in want.items() if u == t), t, 1e-3)
        check(title.startswith("198 tasks: up to "), title)


@test
def states_of_runs_far_apart():
    """Between the runs nothing is in any state, which a picture must not fill with what was there before."""
    imported(EXAMPLE, f"{ROOT}/tests/data/parsl-2026-dual/runinfo", store="far.db")
    sets, _ = plot("states", store="far.db")
    at = collections.Counter()
    for r in sets["states"]:
        at[r["time_ms"]] += r["spans"]
    times = sorted(at)
    width = times[-1] - times[-2]
    gaps = [(a, b) for a, b in zip(times, times[1:]) if b - a > 1.5 * width]
    check(gaps, times)
    for a, b in gaps:
        equal(at[a], 0, (a, b))


@cases("states", "workers", "utilisation")
def of_several_runs_one_can_be_shown(name):
    imported(EXAMPLE, f"{ROOT}/tests/data/parsl-2026-dual/runinfo", store="far.db")
    say = "2 workflows; --run shows one; "
    said = lambda *args: plot(name, *args, store="far.db")[1].split(" | ", 1)[1]
    check(said().startswith(say), said())
    [run] = spanloom("sql", "-d", path("far.db"), "--format", "tsv", "SELECT key FROM spans WHERE type = 'parsl.rundir.workflow' ORDER BY id LIMIT 1").out.split()[1:]
    check(say not in said("--run", run), said("--run", run))


@test
def tasks_of_nodes_between_runs():
    """Neither are tasks beside nodes drawn on where none is."""
    imported(EXAMPLE, f"{ROOT}/tests/data/parsl-2026-dual/runinfo", store="far.db")
    sets, _ = plot("nodes", "--sql", """WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 320)
        SELECT 'n' AS node, (SELECT min(time_ns) FROM events) + i * 60000000000 AS time_ns, 60.0 AS elapsed_s, 50 AS cpu_percent, 50 AS memory_percent, 1 AS disk_mb, 1 AS network_mb FROM n""",
        store="far.db")
    running = [(s["time_ms"], s["spans"]) for s in sets["states"] if s["state"] == "running"]
    check(len(running) > 2 and min(n for _, n in running) == 0, running)
    far = [n for (a, n), (b, _) in zip(running, running[1:]) if b - a > 3600e3]
    equal(far, [0])


@test
def rate():
    example()
    rows = table("rate", "exec_done", "--bin", "0.5")
    sets, title = plot("rate", "exec_done", "--bin", "0.5")
    kinds = ["parsl.monitoring.try/exec_done", "parsl.rundir.task/exec_done"]
    of = {kind: [b for b in sets["bins"] if b["kind"] == kind] for kind in kinds}
    equal(sum(map(len, of.values())), len(sets["bins"]))
    for kind, bins in of.items():
        own = {int(r["time_ns"]): r for r in table("rate", kind, "--bin", "0.5")}
        equal([round(b["time_ms"] * 1e6) for b in bins], list(own))
        for b in bins:
            equal((b["events"], round(b["end_ms"] * 1e6) - round(b["time_ms"] * 1e6)),
                  (int(own[round(b["time_ms"] * 1e6)]["events"]), 5 * 10 ** 8))
    for below, above, r in zip(*of.values(), rows):
        equal(below["time_ms"] * 1e6, int(r["time_ns"]))
        equal(below["events"] + above["events"], int(r["events"]))
        equal((below["low"], below["high"]), (0, above["low"]))
        close(above["high"], float(r["per_s"]))
    check("exec_done of 2 types, together: up to 56 a second" in title and "360 events in bins of 500 ms" in title, title)
    sets, title = plot("rate", kinds[1], "--bin", "0.5")
    equal([b["rate"] for b in sets["bins"]], [float(r["per_s"]) for r in table("rate", kinds[1], "--bin", "0.5")])
    equal({b["kind"] for b in sets["bins"]}, {kinds[1]})
    sets, title = plot("rate", "*", "--bin", "0.5")
    equal((total(sets["bins"], "events"), {b["kind"] for b in sets["bins"]}),
          (sum(int(r["events"]) for r in table("rate", "*", "--bin", "0.5")), {"*"}))
    sets, title = plot("rate", "--sql", "SELECT 0 AS time_ns, 0.001 AS per_s UNION ALL SELECT 3600000000000, 0.0005")
    equal([(b["rate"], b["unit"]) for b in sets["bins"]], [(3.6, "h"), (1.8, "h")])


@test
def utilisation():
    example()
    rows = table("utilisation", "--bin", "1")
    sets, title = plot("utilisation", HTEX, "--bin", "1")
    for at, r in zip(sets["all"], rows):
        equal(round(at["time_ms"] * 1e6), int(r["time_ns"]))
        close(at["workers"], float(r["workers"]))
        close(at["busy"], float(r["busy"]))
    equal(len(sets["all"]), len(rows) + 1)
    for r in rows:
        here = [c for c in sets["cells"] if round(c["from_ms"] * 1e6) == int(r["time_ns"])]
        close(total(here, "busy_s"), float(r["busy"]))
        close(total(here, "there_s"), float(r["workers"]))
    check(title.startswith("2 workers, busy 84.8 % of their time; least busy: worker 0, "), title)
    sets2, _ = plot("utilisation", "--bin", "1")
    equal(sets2["cells"], sets["cells"])


@test
def many_workers():
    """Several are a row; busy time is kept, and what overlaps counts once."""
    example()
    numbers = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999) "
    query = numbers + """SELECT 'w' || i AS worker, i * 1000000 AS from_ns, (i + 5000) * 1000000 AS to_ns, 0 AS is_run FROM n
        UNION ALL SELECT 'w' || i, (i + 1000) * 1000000, (i + 3000) * 1000000, 1 FROM n
        UNION ALL SELECT 'w' || i, (i + 2000) * 1000000, (i + 4000) * 1000000, 1 FROM n"""
    sets, title = plot("utilisation", "--sql", query)
    check(len({c["lane"] for c in sets["cells"]}) <= 40, "rows")
    close(total(sets["cells"], "busy_s"), 3000)
    close(total(sets["cells"], "there_s"), 5000)
    check(title.startswith("1,000 workers, busy 60 % of their time"), title)
    sets, _ = plot("workers", "--sql", query.replace(", 0 AS is_run", ", 0 AS is_run, 'f' AS label, 'x' AS what").replace(", 1 FROM n", ", 1, 'f', 'x' FROM n"))
    equal(len(sets["there"]), 40)
    close(total(sets["runs"], "busy_s"), 160)


@test
def workers():
    example()
    runs = [r for r in ask(f"SELECT r.*, k.app FROM worker_runs('{HTEX}') r LEFT JOIN parsl_rundir_task k ON k.key = (SELECT key FROM spans WHERE id = r.task)") if r["span"]]
    sets, title = plot("workers")
    equal(sorted((round(r["from_ms"] * 1e3), round(r["to_ms"] * 1e3)) for r in sets["runs"]),
          sorted((round(int(r["from_ns"]) / 1e3), round(int(r["to_ns"]) / 1e3)) for r in runs))
    spent = collections.Counter()
    for r in runs:
        spent[r["app"]] += (int(r["to_ns"]) - int(r["from_ns"])) / 1e9
    top = [app for app, _ in spent.most_common(7)]
    got = collections.Counter()
    for r in sets["runs"]:
        got[r["kind"]] += r["busy_s"]
    for app in top:
        close(got[app], spent[app], app)
    close(got["others"], sum(spent.values()) - sum(spent[a] for a in top), "others")
    gaps = []
    for w in {r["worker"] for r in runs}:
        mine = sorted((int(r["from_ns"]), int(r["to_ns"])) for r in runs if r["worker"] == w)
        gaps += [b[0] - a[1] for a, b in zip(mine, mine[1:])]
    check(f"the longest gap is {max(gaps) / 1e9:.3g} s" in title, title, max(gaps))


@test
def resources():
    example()
    rows = ask("SELECT metric, time_ns, value FROM samples")
    sets, title = plot("resources", "*memory*")
    names = {r["metric"] for r in rows if "memory" in r["metric"]}
    mine = [r for r in rows if r["metric"] in names]
    sizes = {"psutil_process_memory_percent": ("%", 1), "psutil_process_memory_resident": ("MB", 1e6), "psutil_process_memory_virtual": ("MB", 1e6)}
    equal(names, set(sizes))
    label = {n: f"{n.removeprefix('psutil_process_').replace('_', ' ')}, in {sizes[n][0]}" for n in names}
    equal({b["metric"] for b in sets["bins"]}, set(label.values()))
    equal(sets["bins"][0]["metric"], "memory resident, in MB")
    first, last = min(int(r["time_ns"]) for r in mine), max(int(r["time_ns"]) for r in mine)
    aim = (last - first) / min(100, max(10, len(mine) // 3 // len(names)))
    width = next(w for k in range(12) for w in (10 ** k, 2 * 10 ** k, 5 * 10 ** k) if w >= aim)
    want = collections.defaultdict(list)
    for r in mine:
        want[label[r["metric"]], (int(r["time_ns"]) - first) // width].append(float(r["value"]) / sizes[r["metric"]][1])
    equal(len(sets["bins"]), len(want))
    for b, key in zip(sorted(sets["bins"], key=lambda b: (b["metric"], b["time_ms"])), sorted(want)):
        equal(b["metric"], key[0])
        close(b["low"], min(want[key])), close(b["high"], max(want[key])), close(b["middle"], statistics.median(want[key]))
        equal(b["samples"], len(want[key]))
    resident = [float(r["value"]) / 1e6 for r in mine if r["metric"] == "psutil_process_memory_resident"]
    check(title.startswith(f"memory resident: median {statistics.median(resident):.3g} MB, up to {max(resident):.3g} MB (219 tries)"), title)
    sets, title = plot("resources", "--sql", "SELECT 1000 * value AS time_ns, 'used_bytes' AS metric, 2e9 * value AS value, 'B' AS unit FROM json_each('[1,2,3]') UNION ALL "
                       "SELECT 1000 * value, 'n', 50000, NULL FROM json_each('[1,2,3]')")
    equal([(b["metric"], b["high"]) for b in sets["bins"]], [("used_bytes, in GB", 2), ("used_bytes, in GB", 4), ("used_bytes, in GB", 6)] + [("n, in thousands", 50)] * 3)


# ---- one answer

@test
def critical_path():
    example()
    rows = table("critical-path")
    sets, title = plot("critical-path")
    want = collections.Counter()
    for r in rows:
        want[f"{r['component']}: {r['state']}"] += float(r["seconds"])
    got = {r["what"]: r["seconds"] for r in sets["legend"]}
    for what, seconds in got.items():
        if what != "all else":
            close(seconds, want[what], what)
    close(total(sets["legend"], "seconds"), total(rows, "seconds"))
    close(total(sets["ribbon"], "seconds"), total(rows, "seconds"))
    whole = sum(want.values())
    equal(list(got), [w for w, s in want.most_common(11) if s * 2000 >= whole] + ["all else"])
    apps = {r["key"]: r["app"] for r in ask("SELECT key, app FROM parsl_rundir_task")}
    equal([t["task"] for t in sets["tasks"]], [f"task {k}: {apps[k]}" for k in ("166", "170")])
    for a, b in zip(sets["ribbon"], sets["ribbon"][1:]):
        close(b["from_ms"], a["to_ms"], "a gap", 1e-15)
    check(title.startswith("57 % of 31.4 s: in the interchange's queue | critical path of 3d9e0d70"), title)


@test
def sequences():
    example()
    rows = [r for r in table("sequences") if r["sequence"] == "1"]
    sets, title = plot("sequences")
    unit = UNITS[sets["steps"][0]["unit"]]
    equal(len(sets["steps"]), len(rows))
    for s, r in zip(sets["steps"], rows):
        equal(s["event"], f"{r['event_type']} ({r['span_type']})")
        event, short = re.fullmatch(r"(\w+) \(([\w.]+)\)", s["label"]).groups()
        equal((event, {t for t in (x["span_type"] for x in rows) if f".{t}".endswith(f".{short}")}), (r["event_type"], {r["span_type"]}))
        check(len(short) <= len("interchange.task"), short)
        close(s["high"] * unit, float(r["cumulative_s"]))
        close(s["seconds"], float(r["mean_s"]))
        close(s["low"] * unit, float(r["cumulative_s"]) - float(r["mean_s"]))
    check("172 of 198 tasks have it; 9 orders in all" in title, title)
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
    sets, _ = plot("sequences", "--sql", numbers + "SELECT i AS position, 't' AS span_type, 'e' || i AS event_type, i % 100 AS mean_s, i AS cumulative_s FROM n")
    check(len(sets["steps"]) <= 80, len(sets["steps"]))
    close(total(sets["steps"], "seconds"), sum(i % 100 for i in range(1, 501)))


@test
def skew():
    example()
    rows = {r["path"]: r for r in table("skew")}
    sets, title = plot("skew")
    equal({c["path"] for c in sets["clocks"]}, set(rows))
    for c in sets["clocks"]:
        r, unit = rows[c["path"]], UNITS[c["unit"]]
        for mine, its in ("low", "lower_s"), ("high", "upper_s"), ("at", "offset_s"):
            close(c[mine] * unit, float(r[its]), mine, 1e-12)
        equal((c["pairs"], c["backwards"]), (int(r["pairs"]), int(r["backwards"])))
    equal({c["clock"] for c in sets["clocks"]}, {p.split("/runinfo/000/")[1] for p in rows})
    equal({v["verdict"] for v in sets["legend"]}, {c["verdict"] for c in sets["clocks"]})
    check(title.endswith("logs below runinfo/000"), title)
    most = max(max(abs(float(r["lower_s"])), abs(float(r["upper_s"]))) for r in rows.values())
    check(f"none can be off by more than {most * 1e3:.3g} ms" in title, title)


@test
def diff():
    example()
    imported(f"{ROOT}/tests/data/parsl-2026-dual", store="other.db")
    rows = table("diff", path("spanloom.db"), path("other.db"), "--all")
    sets, title = plot("diff", path("spanloom.db"), path("other.db"))
    kinds = {"the whole run": "makespan", "one span, from first to last event": "story"}
    check(len(sets["steps"]) > 10 and any(s["change_s"] for s in sets["steps"]), sets)
    for s in sets["steps"]:
        what = kinds.get(s["step"], "critical_path" if s["step"].startswith("critical path") else "transition")
        mine = [r for r in rows if r["what"] == what and (
            what != "transition" or f"{r['from_type']}/{r['from_event']} to {r['to_type']}/{r['to_event']}" == s["whole_name"]) and (
            what != "critical_path" or f"critical path: {r['component']}: {r['state']}" == s["whole_name"])]
        equal(len(mine), 1, s)
        for column in "median_a_s", "median_b_s", "change_s":
            close(s[column], float(mine[0][column]), s, 1e-12)
    equal({v["verdict"] for v in sets["legend"]}, {s["verdict"] for s in sets["steps"]})
    sets, _ = plot("diff", "--sql", """WITH r(what, a, x, b, y, component, state) AS (VALUES
        ('critical_path', NULL, NULL, NULL, NULL, 'htex worker', 'running'), ('critical_path', NULL, NULL, NULL, NULL, 'manager', 'running'),
        ('transition', 'p.task', 'launched', 'p.try', 'launched', NULL, NULL), ('transition', 'p.task', 'begun', 'p.try', 'over', NULL, NULL),
        ('transition', 'q.task', 'begun', 'p.try', 'over', NULL, NULL), ('transition', 'p.try', 'over', 'q.task', 'done', NULL, NULL))
        SELECT what, a AS from_type, x AS from_event, b AS to_type, y AS to_event, component, state, 3 AS n_a, 3 AS n_b, 1 AS median_a_s, 2 AS median_b_s, 1 AS change_s FROM r""")
    equal({s["step"] for s in sets["steps"]}, {
        "critical path: running (htex worker)", "critical path: running (manager)", "launched to launched (p.task to try)",
        "begun to over (p.task to try)", "begun to over (q.task to try)", "over to done"}, "steps that only the pointer could tell apart")


@test
def flames():
    store = imported(f"{ROOT}/tests/data/parsl-2026-traced/runinfo").store
    tree, flat = table("profile", "--tree"), table("profile", "--flat")
    for name in "flame", "icicle":
        sets, title = plot(name)
        unit = UNITS[sets["boxes"][0]["unit"]]
        equal(len(sets["boxes"]), len(tree))
        close(total(sets["boxes"], "exclusive_s"), total(flat, "exclusive_s"))
        close(sum(b["high"] - b["low"] for b in sets["boxes"] if not b["depth"]) * unit, total(flat, "exclusive_s"))
        own = collections.Counter()
        for b in sets["boxes"]:
            own[b["name"]] += b["exclusive_s"]
        for r in flat:
            close(own[r["name"]], float(r["exclusive_s"]), r["name"])
        check(title.startswith(f"{flat[0]['name']} has {100 * float(flat[0]['share']):.0f} % of "), title)
    check(store, "no store")
    roots = [r["key"] for r in ask("SELECT key FROM spans WHERE type = 'trace.process' AND parent IS NULL ORDER BY id")]
    sets, title = plot("flame-diff", roots[0], roots[-1])
    before, after = ({r["path"]: r for r in ask(f"SELECT path, name, exclusive_s, depth FROM spans s JOIN call_tree(s.id) t WHERE s.key = '{k}'")} for k in (roots[0], roots[-1]))
    check_changes(sets, before, after)


def check_changes(sets, before, after):
    """Boxes as wide as the longer one of both, in that of their caller, side by side."""
    boxes, seconds = sets["boxes"], lambda rows, path: float(rows[path]["exclusive_s"]) if path in rows else 0
    paths = set(before) | set(after)
    unit = UNITS[boxes[0]["unit"]]
    close(total(boxes, "exclusive_s"), total(after.values(), "exclusive_s"))
    close(total(boxes, "exclusive_a_s"), total(before.values(), "exclusive_s"))
    equal(len(boxes), len(paths))
    wide = {p: sum(max(seconds(before, q), seconds(after, q)) for q in paths if q == p or q.startswith(p + ";")) for p in paths}
    equal(sorted(round(w, 9) for w in wide.values()), sorted(round((b["high"] - b["low"]) * unit, 9) for b in boxes))
    for a in boxes:
        callers = [b for b in boxes if b["depth"] == a["depth"] - 1 and b["low"] <= a["low"] + 1e-9 and a["high"] <= b["high"] + 1e-9]
        check(len(callers) == (a["depth"] > 0), a, callers)
        check(not [b for b in boxes if b is not a and b["depth"] == a["depth"] and b["low"] < a["high"] - 1e-9 and a["low"] < b["high"] - 1e-9], a)


@test
def changes_of_traces():
    """Of two trace files, of stores, and of the last two runs of a store: the same picture."""
    example = f"{ROOT}/examples/words"
    files = [f"{example}/before.pfw", f"{example}/after.pfw"]
    sets, title = plot("flame-diff", *files)
    trees = []
    for i, file in enumerate(files):
        imported(file, store=f"{i}.db")
        trees.append({r["path"]: r for r in ask("SELECT path, name, exclusive_s FROM call_tree()", store=f"{i}.db")})
    check_changes(sets, *trees)
    change = {n: sum(float(r["exclusive_s"]) * (1, -1)[t is trees[0]] for t in trees for r in t.values() if r["name"] == n) for n in ("count", "longest_common")}
    check(title == f"Faster: {1e3 * total(trees[0].values(), 'exclusive_s'):.3g} ms to {1e3 * total(trees[1].values(), 'exclusive_s'):.3g} ms; "
          f"most of all count, by {1e3 * change['count']:.3g} ms | width: the longer one of before and now; colour: of its own; before.pfw to after.pfw", title, change)
    imported(*files, store="both.db")
    for words, store in ([path("0.db"), path("1.db")], "0.db"), ([], "both.db"):
        again, _ = plot("flame-diff", *words, store=store)
        equal(again["boxes"], sets["boxes"], words)
    check("holds one" in plot("flame-diff", code=1, store="0.db"), "one run")
    for words, want in (["0.db"], "name both"), (["none.pfw", "x"], "none.pfw is no file"):
        check(want in spanloom("plot", "flame-diff", *words, "-o", "x.json", "-d", path("0.db"), code=(1, 2)).err, words)


@test
def tasks():
    example()
    rows = ask("SELECT g.* FROM spans w JOIN task_graph(w.id) g WHERE w.type = 'parsl.rundir.workflow'")
    sets, title = plot("tasks")
    nodes = {n["task"]: n for n in sets["nodes"]}
    of = {r["span"]: r["task"] for r in rows}
    equal(set(nodes), {"task " + t for t in of.values()})
    for r in rows:
        equal(nodes["task " + r["task"]]["layer"], int(r["layer"]))
        close(nodes["task " + r["task"]]["seconds"], (int(r["done_ns"]) - int(r["first_ns"])) / 1e9)
    at = {(n["x"], n["y"]): n["task"] for n in sets["nodes"]}
    equal(len(at), len(nodes), "two at one place")
    equal({(at[e["x0"], e["y0"]], at[e["x1"], e["y1"]]) for e in sets["edges"]},
          {("task " + of[r["after_span"]], "task " + r["task"]) for r in rows if r["after_span"]})
    for e in sets["edges"]:
        check(e["x0"] < e["x1"], "what is waited for is to the left", e)
    for c in sets["clusters"]:
        mine = [n for n in sets["nodes"] if n["cluster"] == c["cluster"]]
        check(len(mine) == c["tasks"] and all(c["y0"] < n["y"] < c["y1"] for n in mine), c)
    path_of = {r["task"] for r in ask("SELECT DISTINCT task FROM spans w JOIN critical_path(w.id) WHERE w.type = 'parsl.rundir.workflow' AND task IS NOT NULL")}
    equal({n["task"] for n in sets["nodes"] if n["on_path"]}, {"task " + t for t in path_of})
    check("198 tasks, 106 dependencies; the longest chain has 11 tasks" in title, title)


@test
def many_tasks():
    """Above 500, those of a function and layer are one; dependencies are counted."""
    example()
    numbers = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
    query = numbers + "SELECT i AS span, i AS task, i / 100 AS layer, 1.5 AS seconds, 'f' || (i % 3) AS app, CASE WHEN i >= 100 THEN i - 100 END AS after_span FROM n"
    sets, title = plot("tasks", "--sql", query.format(99999))
    check(len(sets["nodes"]) == 3 and not sets["edges"] or len(sets["nodes"]) <= 400, len(sets["nodes"]))
    equal(total(sets["nodes"], "tasks"), 100000)
    sets, title = plot("tasks", "--sql", query.format(1999))
    equal((len(sets["nodes"]), total(sets["nodes"], "tasks"), total(sets["edges"], "tasks")), (60, 2000, 1900))
    check(title.startswith("2,000 tasks, 1,900 dependencies; the longest chain has 20 tasks | a point: all tasks of a function and layer"), title)


# ---- other data

INPUTS = {  # one row of each input; X is a text, N a number
    "durations": "SELECT N AS duration_s, X AS noun",
    "durations-over-time": "SELECT CAST(N * 1e9 AS INTEGER) AS start_ns, N AS duration_s, X AS label, X AS noun",
    "density": "SELECT N AS x, N AS y, X AS noun",
    "cumulative": "SELECT N AS duration_s, X AS run, CAST(N * 1e9 AS INTEGER) AS start_ns, X AS noun",
    "states": "SELECT CAST(N * 1e9 AS INTEGER) AS time_ns, X AS state, abs(N) AS spans, X AS noun, 1 AS roots",
    "rate": "SELECT CAST(N * 1e9 AS INTEGER) AS time_ns, abs(N) AS per_s, X AS event",
    "utilisation": "SELECT X AS worker, CAST(N * 1e9 AS INTEGER) AS from_ns, CAST(N * 1e9 + 5 AS INTEGER) AS to_ns, 0 AS is_run",
    "workers": "SELECT X AS worker, CAST(N * 1e9 AS INTEGER) AS from_ns, CAST(N * 1e9 + 5 AS INTEGER) AS to_ns, X AS label, X AS what, 1 AS is_run",
    "critical-path": "SELECT CAST(N * 1e9 AS INTEGER) AS start_ns, CAST(N * 1e9 + 5 AS INTEGER) AS end_ns, X AS component, X AS state, X AS task, X AS workflow",
    "sequences": "SELECT 1 AS position, X AS span_type, X AS event_type, N AS mean_s, N AS cumulative_s",
    "resources": "SELECT CAST(N * 1e9 AS INTEGER) AS time_ns, X AS metric, N AS value",
    "diff": "SELECT 'transition' AS what, X AS from_type, X AS from_event, X AS to_type, X AS to_event, N AS median_a_s, N AS median_b_s, N AS change_s, 3 AS n_a, 3 AS n_b",
    "tasks": "SELECT 1 AS span, X AS task, 0 AS layer, N AS seconds, X AS app, NULL AS after_span, X AS workflow",
    "flame": "SELECT 1 AS node, NULL AS parent, 0 AS depth, X AS name, abs(N) AS exclusive_s, abs(N) AS total_s, 0 AS from_s",
    "icicle": "SELECT 1 AS node, NULL AS parent, 0 AS depth, X AS name, abs(N) AS exclusive_s, abs(N) AS total_s, 0 AS from_s",
    "nodes": "SELECT X AS node, CAST(N * 1e9 AS INTEGER) AS time_ns, 1.0 AS elapsed_s, N AS cpu_percent, N AS memory_percent, N AS disk_mb, N AS network_mb",
    "flame-diff": "SELECT X AS name, X AS path, abs(N) AS exclusive_s, 1 AS exclusive_a_s",
    "skew": "SELECT 1 AS source, X AS path, 1 AS reference, 2 AS pairs, 0 AS backwards, -abs(N) AS lower_s, NULL AS upper_s, 0 AS offset_s",
}
TEXTS = ["'x'", "'<script>alert(1)</script>'", "char(0, 7, 27)", "CAST(x'ff' AS TEXT)", "char(0x5D0, 0x202E, 0x1F600)", "'\"\\'",
         "replace(printf('%.*c', 100000, '-'), '-', 'ab')", "''", "NULL", "'__proto__'", "'done'", "'others'"]


def of(name, text, number):
    """A query for the input of a plot."""
    return re.sub(r"\b[XN]\b", lambda m: f"({text if m.group() == 'X' else number})", INPUTS[name])


NUMBERS = ["1.5", "0", "1e-9", "-2", "86400 * 400", "1e300"]


@test
def every_plot_has_an_input():
    """Those of experiments are in experiment.py."""
    names = [r["plot"] for r in csv.DictReader(io.StringIO(spanloom("plot", "--list", "--format", "csv").out))]
    equal(sorted(INPUTS), sorted(n for n in names if not n.startswith("experiment-")))


@cases(*INPUTS)
def one_point(name):
    """A picture with a title, small, or a message; never a failure of SQL."""
    example()
    for text in TEXTS:
        for number in NUMBERS if text == "'x'" else NUMBERS[:1]:
            query = of(name, text, number)
            r = spanloom("plot", name, "--sql", query, "-o", path("out.json"), code=(0, 1))
            if r.code:
                check("no rows" in r.err or "integer" in r.err or "kde2d" in r.err, name, text, number, r.err)
                continue
            with open(path("out.json"), encoding="utf-8") as f:
                spec = json.load(f)
            check(spec.get("title", {}).get("text"), name, text, number, spec.get("title"))
            check(os.path.getsize(path("out.json")) < 60000, name, text, os.path.getsize(path("out.json")))


@cases(*INPUTS)
def no_points(name):
    example()
    some = of(name, "'x'", 1)
    r = spanloom("plot", name, "--sql", f"SELECT * FROM ({some}) WHERE 0", "-o", path("out.json"), code=1)
    check("has no rows" in r.err, r.err)


@cases("durations", "durations-over-time", "density", "cumulative", "rate", "workers", "critical-path", "resources", "tasks")
def many_points(name):
    """10^5 rows, over days, of a hundred kinds: the picture has some thousand marks."""
    example()
    query = of(name, "printf('kind %d', i % 100)", "i * 7.3 + i % 7")
    if name == "tasks":
        query = query.replace("1 AS span", "i AS span")
    if name == "rate":
        query = query.replace("SELECT", "SELECT i AS events,", 1)
    query = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) " + query + " FROM n"
    sets, title = plot(name, "--sql", query)
    marks = sum(len(rows) for rows in sets.values())
    check(marks < 12000 or name == "rate", name, marks)
    check(title, name)


@test
def nodes_over_time():
    """Each sample is a bin here: percentages as they stand in the files, what counters grew by in a second; also where the clock was set back."""
    steady, back = files.node("steady", n=40, end=False), files.node("back", 8, n=40, end=False, began=files.T0 + 0.5)
    for line in back[21:]:
        line["timestamp"] -= 5.3
    for lines in steady, back:
        write(path("mon", files.name(lines)), files.text(lines))
    imported(path("mon"))
    sets, title = plot("nodes")
    check(title.startswith("2 nodes: CPUs busy"), title)

    def grown(lines, *keys):
        sums = [sum(s.get(k, 0) for k in keys) if i else 0 for i, s in enumerate(lines)]
        return [b - a for a, b in zip(sums, sums[1:])]
    panels = {"cpu": lambda lines: [s["cpu_pct_per_cpu_avg"] for s in lines[1:]], "memory": lambda lines: [s["mem_percent"] for s in lines[1:]],
              "disk": lambda lines: grown(lines, "disk_io_read_mb", "disk_io_write_mb"), "network": lambda lines: grown(lines, "net_io_ext_sent_mb", "net_io_ext_recv_mb")}
    for panel, want in panels.items():
        got = [r["value"] for r in sets["lines"] if (r["panel"], r["node"]) == (panel, "steady")]
        equal(len(got), 40, panel)
        for a, b in zip(got, want(steady)):
            close(a, b, panel, by=0.01)  # of a percentage two decimals
        values = [r["value"] for r in sets["lines"] if (r["panel"], r["node"]) == (panel, "back")]
        check(0 < max(values) <= max(want(back)) + 0.01, panel, max(values), max(want(back)))


main()
