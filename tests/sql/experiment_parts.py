#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Effects on the parts of runs, by their logs: a real factorial of Parsl runs (examples/experiment/factorial.tar.xz) against
R's lm on what critical_path() and transitions() say of each run; which logs are of which run; and logs that hang on a
setting.

Every task of the factorial with slow_app sleeps half a second longer, and its critical path goes through four that do.
"""
import collections
import csv
import glob
import os
import shutil
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
from experiments import R, experiment, near, put, query_extension, read  # noqa: E402

FACTORS = ["monitoring", "one_worker", "slow_app"]


def factorial(runs=None):
    """Unpacks it, or its first runs, and gives the rows of runs.csv."""
    with tarfile.open(f"{ROOT}/examples/experiment/factorial.tar.xz") as archive:
        archive.extractall(path("."), filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(path("."))
    rows = read(path("factorial/runs.csv"))[:runs]
    put("factorial/runs.csv", rows)
    return rows


def bring(*options, file="factorial/runs.csv", store="spanloom.db", code=0):
    return spanloom("experiment", "import", "-d", path(store), "--score", "seconds", "--time", "unix_time", "--logs", "logs", *options, path(file), code=code)


def parts(*options, **more):
    """{(kind, part, term): row}; part "" is the whole."""
    return {(r["kind"], r["part"], r["term"]): r for r in experiment("parts", *options, **more)}


LM = """
d <- read.csv(file, sep=';', check.names=FALSE)
d$hours <- (d$unix_time - min(d$unix_time)) / 3600
for (i in grep('^part', names(d))) {
  m <- lm(d[[i]] ~ monitoring + one_worker + slow_app + hours, d)
  for (t in c('monitoring', 'one_worker', 'slow_app'))
    say(paste(names(d)[i], t), c(suppressWarnings(summary(m))$coefficients[t, c(1, 2, 4)], confint(m)[t, ], mean(d[[i]])))
}
"""


def against_lm(got, kind, seconds, rows):
    """seconds: {part: [of each run]}, of all parts."""
    names = list(seconds)
    put("parts.csv", [{**{f: r[f] for f in FACTORS}, "unix_time": r["unix_time"], **{f"part{k}": repr(seconds[n][i]) for k, n in enumerate(names)},
                       "partall": repr(sum(seconds[n][i] for n in names))} for i, r in enumerate(rows)])
    want = R(LM, file=path("parts.csv"))
    equal({p for k, p, _ in got if k == kind}, {"", *names}, kind)
    for k, name in [*enumerate(names), ("all", "")]:
        for term in FACTORS:
            g, (estimate, error, p, low, high, mean) = got[kind, name, term], want[f"part{k} {term}"]
            for column, w in ("estimate", estimate), ("std_error", error), ("lower", low), ("upper", high), ("mean", mean):
                near(g[column], w, f"{column} of {term} on {name or kind}", 1e-6 if column != "mean" else 1e-9) if abs(w) > 1e-9 else None
            near(g["p"], p, f"p of {term} on {name or kind}", 1e-5)


def workflows():
    return [w for (w,) in query_extension("SELECT workflow FROM experiment_logs() ORDER BY run")]


# ---- effects

@test
def effects_are_lm_of_what_each_run_took():
    rows = factorial()
    check("runs with logs: 24 of 24" in bring().out)
    got, path_s, step_s = parts("--every-event"), collections.defaultdict(lambda: [0.0] * 24), collections.defaultdict(lambda: [0.0] * 24)
    for i, w in enumerate(workflows()):
        for component, state, seconds in query_extension("SELECT component, state, seconds FROM critical_path(?)", w):
            path_s[f"{component}, {state}"][i] += seconds
        # by the logs of the driver, whose tasks all runs have
        steps = query_extension("SELECT from_type || '/' || from_event || ' > ' || to_type || '/' || to_event, sum(duration_s) FROM transitions('parsl.rundir.task', ?) GROUP BY 1", w)
        (tasks,), = query_extension("SELECT count(DISTINCT span) FROM transitions('parsl.rundir.task', ?)", w)
        for name, seconds in steps:
            step_s["all"][i] += seconds / tasks
    against_lm(got, "path", path_s, rows)
    # of transitions there may be more than are told apart; together they are all
    put("all.csv", [{**{f: r[f] for f in FACTORS}, "unix_time": r["unix_time"], "part": repr(step_s["all"][i])} for i, r in enumerate(rows)])
    want = R(LM, file=path("all.csv"))
    for term in FACTORS:
        near(got["transition", "", term]["estimate"], want[f"part {term}"][0], f"{term} on all transitions", 1e-6)


@test
def effects_on_parts_add_up():
    factorial()
    bring()
    for options in [], ["--no-time"], ["--every-event"]:
        rows = experiment("parts", *options)
        for kind in "path", "transition":
            for term in FACTORS:
                mine = [r for r in rows if (r["kind"], r["term"]) == (kind, term)]
                equal([r["part"] for r in mine][0], "")
                near(sum(float(r["estimate"]) for r in mine[1:]), float(mine[0]["estimate"]), (kind, term), 1e-8)
                near(sum(float(r["mean"]) for r in mine[1:]), float(mine[0]["mean"]), (kind, term), 1e-9)
                sizes = [abs(float(r["estimate"])) for r in mine[1:] if r["part"] != "(others)"]
                equal(sizes, sorted(sizes, reverse=True))


@test
def effects_are_the_true_ones():
    factorial()
    bring()
    got = parts()
    slow = got["path", "htex worker, running on a worker", "slow_app"]
    check(float(slow["lower"]) < 4 * 0.5 < float(slow["upper"]) + 0.02 and float(slow["upper"]) - float(slow["lower"]) < 0.05, slow)
    sure = {(p, t) for (k, p, t), r in got.items() if k == "path" and r["p_holm"] and float(r["p_holm"]) < 0.05 and p}
    # who waits for more processes to start, and to end; what sleeps; and the only worker is there before the second of two
    equal(sure, {("driver, before the first task", "monitoring"), ("driver, after the last task", "monitoring"), ("htex worker, running on a worker", "slow_app"),
                 ("htex manager, in the manager's queue", "one_worker")})
    out = spanloom("experiment", "parts", "-d", path("spanloom.db")).out
    check("\nslow_app makes runs 4.12 s longer, 2.00 s of it: htex worker, running on a worker\n" in out, out)
    check(all(len(line) <= 96 for line in out.splitlines()), out)


@test
def corrected_for_all_that_were_compared():
    factorial()
    bring()
    rows = [r for r in experiment("parts") if r["kind"] == "path" and r["part"]]
    ranked = sorted((r for r in rows if r["p"]), key=lambda r: float(r["p"]))
    last = 0.0
    for i, r in enumerate(ranked):  # Holm (1979)
        last = max(last, min(1.0, (len(ranked) - i) * float(r["p"])))
        near(r["p_holm"], last, (r["part"], r["term"]))


@test
def a_setting_may_change_what_is_logged():
    """Logs of the workers are taken away where there is one: what they tell is left out for all, or not."""
    rows = factorial()
    for r in rows:
        if r["one_worker"] == "1":
            for f in glob.glob(path(f"factorial/{r['logs']}/000/htex/block-0/*/worker_*.log")):
                os.unlink(f)
    bring()
    left = {(r["part"].split("/")[0], r["term"]) for r in experiment("parts") if r["kind"] == "left out"}
    check(("parsl.executor.htex.worker.task", "one_worker=0") in left and ("parsl.monitoring.try", "monitoring=1") in left, left)
    check(("parsl.executor.htex.manager.task", "one_worker=0") not in left and not [x for x in left if "interchange" in x[0]], left)
    whole, every = parts(), parts("--every-event")
    check(("path", "htex worker, running on a worker", "one_worker") not in whole, "it is told by half of the runs alone")
    near(every["path", "htex worker, running on a worker", "one_worker"]["occurs"], 12.0, "runs")
    check(not [k for k in every if k[0] == "left out"])


# ---- which logs are of which run

@test
def logs_are_found_in_any_order():
    rows = factorial(6)
    spanloom("import", "--quiet", "-d", path("spanloom.db"), path("factorial/run-03"), path("factorial/run-00"))
    spanloom("experiment", "import", "-d", path("spanloom.db"), "--score", "seconds", "--time", "unix_time", "--logs", "logs", path("factorial/runs.csv"))
    bring(store="other.db")
    for store in "spanloom.db", "other.db":
        logs = experiment("logs", store=store)
        equal([r["named"] for r in logs], [r["logs"] for r in rows])
        equal([os.path.relpath(r["place"], os.path.realpath(path("factorial"))) for r in logs], [r["logs"] for r in rows])
        check(all(r["workflow"] and r["found"] == "1" and not r["why_not"] for r in logs), logs)
    workflow, = (r["workflow"] for r in experiment("logs") if r["named"] == "run-03")
    (key,), = query(path("spanloom.db"), f"SELECT key FROM spans WHERE id = {workflow}")
    check(key in open(path("factorial/run-03/000/parsl.log")).read(), key)
    equal({f["factor"] for f in experiment("factors")}, set(FACTORS))  # where logs are is no factor


@test
def logs_are_named_in_several_ways():
    rows = factorial(6)
    os.symlink(path("factorial/run-01"), path("factorial/link"))
    spanloom("import", "--quiet", "-d", path("keys.db"), path("factorial/run-05"))
    (key,), = query(path("keys.db"), "SELECT key FROM spans WHERE type = 'parsl.rundir.workflow'")
    for r, named in zip(rows, ["./run-00/../run-00/", "link", path("factorial/run-02/000"), path("factorial/run-03"), "run-04/000/parsl.log", key]):
        r["logs"] = named
    put("factorial/runs.csv", rows)
    spanloom("import", "--quiet", "-d", path("spanloom.db"), path("factorial/run-05"))  # a key is no place to import from
    check("runs with logs: 6 of 6" in bring().out)
    equal(len(set(workflows())), 6)


@test
def what_cannot_be_found_is_told():
    rows = factorial(6)
    rows[0]["logs"], rows[1]["logs"], rows[2]["logs"], rows[3]["logs"] = "nowhere", "", "run-04", "."
    put("factorial/runs.csv", rows)
    r = bring()
    check("1 of 6 directories that logs names are not there, such as" in r.err, r.err)
    check("runs with logs: 1 of 6; nothing was imported: 1; several workflows: 1; those of another run: 2; not named: 1; see" in r.out, r.out)
    equal([x["why_not"] for x in experiment("logs")], ["nothing was imported from there", "nothing says where its logs are", "another run has the same logs",
                                                       "several workflows are there", "another run has the same logs", ""])
    check("so there is nothing to explain" in spanloom("experiment", "parts", "-d", path("spanloom.db"), code=2).err)


@test
def without_logs():
    def says(*words, code=1):
        r = spanloom("experiment", "parts", "-d", path("spanloom.db"), code=code)
        check(all(w in r.err for w in words), r, "lacks", words)
    rows = factorial(4)
    spanloom("experiment", "import", "-d", path("spanloom.db"), "--score", "seconds", "--time", "unix_time", path("factorial/runs.csv"))
    says("nothing says where the logs of the runs of 'runs' are: import them again with --logs COLUMN", code=2)
    os.unlink(path("spanloom.db"))
    for r in rows:
        shutil.rmtree(path(f"factorial/{r['logs']}"))
    r = bring()
    check("runs with logs: 0 of 4; nothing was imported: 4" in r.out and "4 of 4 directories" in r.err, r)
    says("the store has no logs of these 4 runs: logs says run-00, and nothing was imported from", "spanloom import")
    check("has no column 'log' (--logs); did you mean logs?" in spanloom(
        "experiment", "import", "-d", path("x.db"), "--score", "seconds", "--logs", "log", path("factorial/runs.csv"), code=2).err)


@test
def an_export_keeps_where_logs_are():
    rows = factorial(4)
    bring()
    got = list(csv.DictReader(spanloom("experiment", "export", "runs", "-d", path("spanloom.db")).out.splitlines(), delimiter=";"))
    equal([(r["logs"], r["slow_app"]) for r in got], [(r["logs"], r["slow_app"]) for r in rows])


@test
def the_picture_is_what_is_said():
    factorial()
    bring()
    spanloom("experiment", "parts", "-d", path("spanloom.db"), "-o", path("x.json"))
    with open(path("x.json")) as f:
        spec = json.load(f)
    got, drawn = parts(), collections.defaultdict(dict)
    for r in spec["datasets"]["parts"]:
        drawn[r["term"]][r["part"]] = r["estimate"]
    for term in FACTORS:
        near(sum(drawn[term].values()), float(got["path", "", term]["estimate"]), term)
        for part, v in drawn[term].items():
            if part != "all others":
                near(v, float(got["path", part, term]["estimate"]), (part, term))
    equal({(r["term"], r["estimate"]) for r in spec["datasets"]["wholes"]}, {(t, float(got["path", "", t]["estimate"])) for t in FACTORS})
    sure = [r for (kind, part, _), r in got.items() if kind == "path" and part not in ("", "(others)") and float(r["p_holm"]) < 0.05]
    most = max(sure, key=lambda r: abs(float(r["estimate"])))
    equal(spec["title"]["text"], f"{most['term']} changes \u201c{most['part']}\u201d most: {float(most['estimate']):+.3g} s")
    check("is of all treatments" in spanloom("experiment", "parts", "slow_app", "-d", path("spanloom.db"), "-o", path("x.json"), code=2).err)


main()
