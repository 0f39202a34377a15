#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Experiments: deltas and means against naive double loops, models and components against R (lm, confint, prcomp), sequences
against a search in Python, Shapley values against all orders; how often intervals hold the truth; and what an import keeps.

What is compared is never computed by the program itself.
"""
import collections
import csv
import datetime
import itertools
import math
import os
import sqlite3
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
from experiments import EXTENSION, NEAR, R, RUNS, bring, experiment, near, put, query_extension, read  # noqa: E402

FACTORS = {"cache": [0, 1], "logs": [0, 1], "threads": [1, 2, 16], "python": ["3.11", "3.13t", "pypy"], "lazy": ["no", "yes"], "same": [7]}


def made(n, days=3.0, effect=lambda x, r: 0, fail=0.05):
    """Random runs, many of them alike, of boolean, numeric and categorical factors."""
    r = rng()
    rows, pool = [], [{f: r.choice(levels) for f, levels in FACTORS.items()} for _ in range(max(2, n // 8))]
    for i in range(n):
        x = dict(r.choice(pool))
        f = r.choice(list(FACTORS))
        x[f] = r.choice(FACTORS[f])
        y = 500 + 80 * x["cache"] - 120 * x["logs"] + 3 * x["threads"] + 60 * (x["python"] == "pypy") + effect(x, r) + r.expovariate(1 / 50)
        rows.append({**x, "unix_time": f"{1.7e9 + (i + r.random()) * days * 86400 / n:.3f}", "usec_per_task": "" if r.random() < fail else f"{y:.3f}"})
    return rows


def level(v):
    """How levels are ordered, and their base."""
    return {"no": 0, "yes": 1}.get(v, float(v) if str(v).replace(".", "", 1).isdigit() else v)


def naive_deltas(rows, factors):
    """{treatment: [(before, after)]}, by a double loop over all runs."""
    out = collections.defaultdict(list)
    ok = [r for r in rows if r["usec_per_task"]]
    for a in ok:
        for b in ok:
            differ = [f for f in factors if str(a[f]) != str(b[f])]
            if len(differ) != 1:
                continue
            f = differ[0]
            levels = sorted({str(r[f]) for r in ok}, key=level if all(str(r[f])[:1].isdigit() and str(r[f]).replace(".", "", 1).isdigit() for r in ok) else str)
            if str(a[f]) == levels[0]:
                boolean = set(levels) in ({"0", "1"}, {"no", "yes"})
                out[f if boolean else f"{f}={b[f]}"].append((float(a["usec_per_task"]), float(b["usec_per_task"])))
    return out


# ---- deltas and means

def compare_deltas(rows, factors):
    want, got = naive_deltas(rows, factors), collections.defaultdict(list)
    for d in experiment("deltas"):
        got[d["treatment"]].append((float(d["before"]), float(d["after"])))
        near(d["delta"], float(d["after"]) - float(d["before"]), "delta", 1e-12)
        near(d["log2"], math.log2(float(d["after"]) / float(d["before"])), "log2", 1e-12)
    equal({t: sorted(v) for t, v in got.items()}, {t: sorted(v) for t, v in want.items()}, "deltas")
    for m in experiment("means"):
        pairs = want.get(m["treatment"], [])
        equal(int(m["pairs"]), len(pairs), m["treatment"])
        near(m["delta"], statistics.fmean(b - a for a, b in pairs) if pairs else None, m["treatment"])
    return want


@test
def deltas_of_real_runs():
    bring()
    rows = read()
    want = compare_deltas(rows, list(rows[0])[:14])
    check(sum(map(len, want.values())) > 100, "few pairs")


@test
def deltas_of_made_runs():
    rows = made(250)
    bring(put("made.csv", rows))
    want = compare_deltas(rows, list(FACTORS))
    check({"cache", "logs", "lazy", "threads=2", "threads=16", "python=3.13t", "python=pypy"} <= set(want), set(want))


@test
def means_of_groups():
    rows = [r for r in read() if r["usec_per_task"]]
    bring()
    for where, chosen in (None, rows), ("cfg_monitoring = 0", [r for r in rows if r["cfg_monitoring"] == "0"]):
        for rate in (False, True):
            got = experiment("means", *(["--where", where] if where else []), *(["--rate"] if rate else []))
            equal(len(got), 14 - (where is not None))
            for m in got:
                score = lambda v: statistics.fmean((1e6 / float(r["usec_per_task"])) if rate else float(r["usec_per_task"])
                                                   for r in chosen if r[m["treatment"]] == v)
                near(m["mean_without"], score("0"), m["treatment"])
                near(m["mean_with"], score("1"), m["treatment"])
                near(m["difference"], score("1") - score("0"), m["treatment"], 1e-7)
            check([float(m["difference"]) for m in got] == sorted((float(m["difference"]) for m in got), reverse=rate), "order")


@test
def means_beside_others():
    bring()
    where = "cfg_no_init_logging = 0 AND src_biglogs_remove = 0"
    all_runs = {m["treatment"]: m for m in experiment("means")}
    there = {m["treatment"]: m for m in experiment("means", "--where", where)}
    for b in experiment("means", "--vs", where):
        equal((b["delta"], b["pairs"]), (all_runs[b["treatment"]]["delta"], all_runs[b["treatment"]]["pairs"]))
        equal((b["vs_delta"], b["vs_difference"]), (there[b["treatment"]]["delta"], there[b["treatment"]]["difference"])
              if b["treatment"] in there else ("", ""))


@test
def intervals_hold_the_truth():
    """Of a difference of means, and of mean deltas, of runs with heavy tails, a known effect, and drift from run to run."""
    r, rows, sims, n = rng(), [], 60, 120
    for sim in range(sims):
        drift = 0.0
        for i in range(n):
            a, b = r.randrange(2), r.randrange(2)
            drift = 0.7 * drift + r.gauss(0, 5)
            rows.append({"sim": sim, "a": a, "b": b, "unix_time": 1_700_000_000 + 1000 * sim + i,
                         "usec_per_task": f"{300 + 40 * a - 25 * b + drift + r.expovariate(1 / 30):.6f}"})
    bring(put("sims.csv", rows))
    db = sqlite3.connect(path("spanloom.db"))
    db.enable_load_extension(True)
    db.load_extension(EXTENSION)
    held = collections.Counter()
    for sim in range(sims):
        for t, low, high, dlow, dhigh in db.execute("SELECT treatment, difference_lower, difference_upper, lower, upper FROM experiment_means(?)",
                                                    (f"sim = {sim}",)):
            held[t, "means"] += low <= {"a": 40, "b": -25}[t] <= high
            held[t, "deltas"] += dlow <= {"a": 40, "b": -25}[t] <= dhigh
    note("of 60 intervals of 95 %, so many held the truth:", dict(held))
    # 50 of 60 or fewer would come by chance in one of 1000 trials of what covers at 95 %
    check(all(held[k] > 50 for k in itertools.product("ab", ("means", "deltas"))), dict(held))


# ---- models

LM = """
d <- read.csv(file, sep=';', colClasses=c(python='character'))
d <- d[!is.na(d$usec_per_task), ]
if ('lazy' %in% names(d)) d$lazy <- as.integer(d$lazy == 'yes')
d$same <- NULL
d$hours <- (d$unix_time - min(d$unix_time)) / 3600
turn <- 2 * pi * (d$unix_time %% 86400) / 86400
d$day_cos <- cos(turn); d$day_sin <- sin(turn)
names(d)[names(d) == 'usec_per_task'] <- 'y'
d$unix_time <- NULL
m <- lm(FORMULA, d)
s <- summary(m)$coefficients
ci <- confint(m)
for (t in names(coef(m))) say(t, c(if (t %in% rownames(s)) s[t, c(1, 2)] else c(NA, NA), ci[t, ], if (t %in% rownames(s)) s[t, 3:4] else c(NA, NA)))
say('R2', c(summary(m)$r.squared, summary(m)$adj.r.squared, summary(m)$sigma, m$df.residual, summary(m)$fstatistic[1]))
say('fitted', fitted(m))
"""


def compare_lm(file, formula, *options):
    want = R(LM.replace("FORMULA", formula), file=file)
    got = experiment("model", *options)
    whole, fitted = want.pop("R2"), want.pop("fitted")
    equal(sorted(g["term"] for g in got), sorted(want), formula)
    for g in got:
        for column, w in zip(("estimate", "std_error", "lower", "upper", "t", "p"), want[g["term"]]):
            scale = want[g["term"]][1] if column in ("estimate", "lower", "upper") and not math.isnan(w) else 1 if column == "t" else 0
            if not (column == "p" and w < 1e-12):
                near(g[column], w, f"{formula}: {column} of {g['term']}", NEAR * max(1, scale / max(abs(w), 1e-6)))
    for column, w in zip(("r_squared", "adj_r_squared", "residual_stddev", "df", "f"), whole):
        near(got[0][column], w, f"{formula}: {column}")
    fit = experiment("fit", *[o for o in options if o != "--beside"])
    equal(len(fit), len(fitted))
    for f, w in zip(fit, fitted):
        near(f["fitted"], math.exp(w) if "--log" in options else w, formula)
    return got


@cases(("y ~ . - day_cos - day_sin",), ("log(y) ~ . - hours - day_cos - day_sin", "--log", "--no-time"),
       ("log(y) ~ hours + (. - hours - day_cos - day_sin)^2", "--log", "--interactions"))
def model_of_real_runs_is_lm(formula, *options):
    bring()
    got = compare_lm(RUNS, formula, *options)
    placebo = next(g for g in got if g["term"] == "placebo_env")
    check(float(placebo["lower"]) < 0 < float(placebo["upper"]), "the placebo does something", placebo)




@cases(("y ~ .",), ("y ~ hours + day_cos + day_sin + (. - hours - day_cos - day_sin)^2", "--interactions"),
       ("log(y) ~ . - hours - day_cos - day_sin", "--log", "--no-time"))
def model_of_made_runs_is_lm(formula, *options):
    bring(put("made.csv", made(500)))
    compare_lm(path("made.csv"), formula, *options)


def wide(n, factors):
    r = rng()
    effect = [r.gauss(0, 40) for _ in range(factors)]
    rows = []
    for i in range(n):
        x = [int(r.random() < 0.4) for _ in range(factors)]
        y = 1000 + sum(a * b for a, b in zip(x, effect)) + 150 * x[0] * x[1] + r.expovariate(1 / 40)
        rows.append({**{f"f{k:02d}": v for k, v in enumerate(x)}, "unix_time": f"{1.7e9 + 300 * i:.1f}", "usec_per_task": f"{y:.4f}"})
    return rows


@test
def large_model_is_lm():
    """So large that it goes to LAPACK, where there is one."""
    bring(put("wide.csv", wide(2500, 16)))
    compare_lm(path("wide.csv"), "y ~ hours + day_cos + day_sin + (. - hours - day_cos - day_sin)^2", "--interactions")


@test
def terms_that_follow_from_others():
    rows = made(300, fail=0)
    for i, r in enumerate(rows):
        r["also_cache"], r["neither"] = r["cache"], 1 - int(r["cache"])
        r["unix_time"], r["usec_per_task"] = r.pop("unix_time"), r.pop("usec_per_task")
    bring(put("made.csv", rows))
    got = {g["term"]: g for g in compare_lm(path("made.csv"), "y ~ . - hours - day_cos - day_sin", "--no-time")}
    equal([got[t]["follows"] for t in ("also_cache", "neither", "logs")], ["cache", "1 - cache", ""])
    steps = experiment("sequence")
    equal({s["treatment"]: s["follows"] for s in steps if s["follows"]}, {"also_cache": "cache", "neither": "1 - cache"})


@test
def model_beside_means():
    bring()
    model, means = {g["term"]: g for g in experiment("model")}, {m["treatment"]: m for m in experiment("means")}
    got = experiment("model", "--beside", "means")
    equal(len(got), 14)
    for b in got:
        equal((b["model"], b["lower"], b["delta"], b["difference"]),
              (model[b["treatment"]]["estimate"], model[b["treatment"]]["lower"], means[b["treatment"]]["delta"], means[b["treatment"]]["difference"]))


@test
def tiles_are_symmetric():
    bring()
    model = {g["term"]: g["estimate"] for g in experiment("model", "--interactions")}
    got = {(t["treatment"], t["other"]): t["estimate"] for t in experiment("tiles")}
    names = list(read()[0])[:14]
    equal(len(got), 14 * 13)
    for a, b in itertools.combinations(names, 2):
        equal((got[a, b], got[b, a]), (model[f"{a}:{b}"],) * 2, f"{a}, {b}")


# ---- sequences

def model_of_logs(pairs):
    """score(set of treatments), from the coefficients (which are lm's, see above)."""
    terms = {g["term"]: float(g["estimate"]) for g in experiment("model", "--log", *(["--interactions"] if pairs else []))}
    hours = statistics.fmean((float(r["unix_time"]) - float(read(RUNS)[0]["unix_time"])) / 3600 for r in read(RUNS) if r["usec_per_task"])

    def score(applied):
        total = terms["(Intercept)"] + terms["hours"] * hours
        total += sum(v for t, v in terms.items() if t not in ("(Intercept)", "hours") and set(t.split(":")) <= set(applied))
        return math.exp(total)
    return score


def greedy(score, names):
    done = []
    while True:
        best = min((t for t in names if t not in done), key=lambda t: score(done + [t]), default=None)
        if best is None or score(done + [best]) >= score(done):
            return done
        done.append(best)


@test
def sequences_of_real_runs():
    bring()
    score, names, rows = model_of_logs(False), list(read()[0])[:14], read()
    wanted = greedy(score, names)
    groups = [[t for t in wanted if t.startswith(("sys_", "src_"))], [t for t in wanted if t.startswith("cfg_p")]]
    groups.append([t for t in wanted if t not in groups[0] + groups[1]])
    by_group, done = [], []
    for g in groups:
        while left := [t for t in g if t not in by_group]:
            by_group.append(min(left, key=lambda t: score(by_group + [t])))
    some = ["cfg_encrypted", "cfg_prefetch_100", "app_big"]
    for options, order in ((), wanted), (("--groups", "sys_*,src_*;cfg_p*"), by_group), (("--order", ",".join(some)), some):
        steps = experiment("sequence", *options)
        equal([s["treatment"] for s in steps], ["", *order], options)
        for i, s in enumerate(steps):
            near(s["after"], score(order[:i]), s["treatment"])
            runs = [float(r["usec_per_task"]) for r in rows if r["usec_per_task"] and {t for t in names if r[t] == "1"} == set(order[:i])]
            equal(int(s["runs"]), len(runs), s["treatment"])
            near(s["measured"], statistics.fmean(runs) if runs else None, s["treatment"])
    rates = experiment("sequence", "--rate")
    equal([s["treatment"] for s in rates], ["", *wanted])
    near(rates[-1]["after"], 1e6 / score(wanted), "rate")


@test
def shapley_values():
    bring()
    some = ["cfg_encrypted", "cfg_prefetch_100", "app_big", "cfg_no_init_logging", "sys_affinity_cpu0", "cfg_monitoring", "placebo_env"]
    score, adds = model_of_logs(False), collections.defaultdict(list)
    for order in itertools.permutations(some):
        for i, t in enumerate(order):
            adds[t].append(score(order[:i + 1]) - score(order[:i]))
    got = experiment("shapley", "--order", ",".join(some))
    equal(sorted(g["treatment"] for g in got), sorted(some))
    for g in got:
        near(g["value"], statistics.fmean(adds[g["treatment"]]), g["treatment"])
        near(g["least"], min(adds[g["treatment"]]), g["treatment"])
        near(g["most"], max(adds[g["treatment"]]), g["treatment"])


@test
def pairs_are_in_sequences_where_runs_are_many():
    """Two treatments that do the same: the second adds nothing."""
    bring(put("made.csv", [{k: v for k, v in r.items() if k in ("cache", "logs", "unix_time", "usec_per_task")} for r in
                           made(300, effect=lambda x, r: -80 * x["cache"] - 150 * x["cache"] + 150 * x["cache"] * x["logs"])]))
    steps = experiment("sequence", "--order", "cache,logs")
    check(steps[0]["pairs"] == "1", steps)
    check(float(steps[1]["delta"]) < -120 and abs(float(steps[2]["delta"]) + 120 - 150) < 60, steps)


@test
def components_are_prcomp():
    bring()
    vectors = collections.defaultdict(dict)
    for v in query_extension("SELECT sequence, treatment, effect FROM experiment_vectors()"):
        vectors[v[0]][v[1]] = v[2]
    names, score = list(read()[0])[:14], model_of_logs(False)
    equal(len(vectors), 500)
    for v in vectors.values():
        near(sum(v.values()), score(names) - score([]), "a sequence")
    check(len({round(v[names[0]], 6) for v in vectors.values()}) > 100, "orders are alike")
    put("vectors.csv", [{t: repr(v[t]) for t in names} for v in vectors.values()])
    want = R("p <- prcomp(read.csv(file, sep=';'))\nsay('sdev', p$sdev)\nfor (k in 1:5) say(paste0('pc', k), p$rotation[, k])\n", file=path("vectors.csv"))
    got = experiment("pca")
    for g, w in zip(got, want["sdev"]):
        near(g["stddev"], w, f"component {g['component']}", 1e-8 * want["sdev"][0] / w)
    near(got[-1]["cumulative"], 1.0, "all")
    loadings = {(k, t): x for k, t, x in query_extension("SELECT component, treatment, loading FROM experiment_loadings()")}
    scores = dict(((i, k), s) for i, k, s in query_extension("SELECT sequence, component, score FROM experiment_pca_scores()"))
    for k in range(1, 6):
        mine, theirs = [loadings[k, t] for t in names], want[f"pc{k}"]
        sign = 1 if sum(a * b for a, b in zip(mine, theirs)) > 0 else -1
        for a, b in zip(mine, theirs):
            check(abs(a - sign * b) < 1e-7, f"component {k}: {a}, not {sign * b}")
        mean = {t: statistics.fmean(v[t] for v in vectors.values()) for t in names}
        near(scores[17, k], sum(x * (vectors[17][t] - mean[t]) for x, t in zip(mine, names)), f"score {k}", 1e-6)


# ---- what an import keeps

@test
def what_was_imported_is_there():
    bring()
    rows, runs = read(), query(path("spanloom.db"), "SELECT id, key, parent FROM spans WHERE type = 'experiment.run' ORDER BY id")
    equal([k for _, k, _ in runs], [r["unix_time"] for r in rows])
    attributes, events = collections.defaultdict(dict), dict(query(path("spanloom.db"), "SELECT span, time_ns FROM events WHERE type = 'began'"))
    for i, name, value in query(path("spanloom.db"), "SELECT span, name, value FROM attributes"):
        attributes[i][name] = value
    for (i, key, parent), r in zip(runs, rows):
        equal(attributes[i], {k: v for k, v in r.items() if v})
        equal(events[i], round(float(r["unix_time"]) * 1000) * 10**6)
    equal(query(path("spanloom.db"), "SELECT DISTINCT p.type, p.key FROM spans r JOIN spans p ON p.id = r.parent"), [("experiment", "runs")])
    out = spanloom("experiment", "export", "runs", "-d", path("spanloom.db")).out
    number = lambda r: {k: float(v) if v else None for k, v in r.items()}
    equal([number(r) for r in csv.DictReader(out.splitlines(), delimiter=";")], [number(r) for r in rows], "runs")
    out = list(csv.DictReader(spanloom("experiment", "export", "deltas", "-d", path("spanloom.db")).out.splitlines(), delimiter=";"))
    equal(list(out[0]), ["factor", "before", "after", "delta", *list(rows[0])[:14]])
    for d in out:  # the run before is one of those rows, and the run after is it with the factor
        x = {f: d[f] for f in list(rows[0])[:14]}
        one = lambda y, score: any(all(r[f] == y[f] for f in y) and r["usec_per_task"] and float(r["usec_per_task"]) == float(score) for r in rows)
        check(x[d["factor"]] == "0" and one(x, d["before"]) and one({**x, d["factor"]: "1"}, d["after"]), d)


@test
def imported_again():
    bring()
    check("0 new spans" in bring().out)
    rows = read()
    put("half.csv", rows[:100])
    put("grown.csv", rows[:100])
    bring(path("half.csv"), "--name", "runs")  # the same rows, told by another file
    equal(query(path("spanloom.db"), "SELECT count(*) FROM spans"), [(201,)])
    bring(path("grown.csv"), store="other.db")
    put("grown.csv", rows)
    bring(path("grown.csv"), store="other.db")
    equal(query(path("other.db"), "SELECT count(*) FROM spans WHERE type = 'experiment.run'"), [(200,)])
    equal([m["difference"] for m in experiment("means", store="other.db")], [m["difference"] for m in experiment("means")])
    # a factor that joined later: the same runs, with one more attribute
    put("more.csv", [{**{k: v for k, v in r.items() if k != "usec_per_task"}, "late": i % 2, "usec_per_task": r["usec_per_task"]} for i, r in enumerate(rows)])
    bring(path("more.csv"), "--name", "runs")
    equal(query(path("spanloom.db"), "SELECT count(*) FROM spans"), [(201,)])
    check(len(experiment("means")) == 15)


@test
def the_manual_has_every_question():
    text = spanloom("experiment", "--help").out
    questions = re.findall(r"^  ([a-z]+)", text.split("QUESTION is one of:")[1].split("\n\n")[0], flags=re.M)
    with open(f"{ROOT}/docs/man/spanloom-experiment.1", encoding="utf-8") as f:
        manual = f.read()
    check(len(questions) > 15, questions)
    equal([q for q in questions if not re.search(rf"^\.It Cm {q}( Ar .*)?$", manual, flags=re.M)], [])


@cases("factors", "means", "means --vs long_name_of_a_treatment=0", "model", "model --log", "model --interactions", "model --elastic-net", "model --beside means", "model --limit worst",
       "tiles", "fit", "deltas", "deltas --all", "scatter long_name_of_a_treatment", "sequence", "sequence --rate", "shapley", "pca", "variance", "failures", "drift", "enough")
def tables_fit_a_terminal(question):
    """Names in any script stand in their column; longer ones on a line of their own."""
    r = random.Random(3)
    names = ["long_name_of_a_treatment", "größe", "a_name_of_a_treatment_that_is_longer_than_its_column", "short", "esc\x1b[31m"]
    rows = [{**{n: r.randrange(2) for n in names}, "threads": 2 ** r.randrange(12), "mode": r.choice(["mmap", "stream", "O_DIRECT"]), "unix_time": 1_700_000_000 + 60 * i} for i in range(150)]
    for i, row in enumerate(rows):
        row["usec_per_task"] = "" if i % 20 == 7 else round(7000 - 4000 * row["größe"] - 1500 * row["short"] + row["threads"] + r.gauss(0, 250), 1)
    bring(put("wide.csv", rows))
    out = spanloom("experiment", *question.split(), "-d", path("spanloom.db")).out
    equal([line for line in out.splitlines() if len(line) > 80], [], question)
    check("\x1b" not in out, "controls")
    if question == "means":
        equal(len({line.index(":", 60) for line in out.splitlines()[4:8] if line[:6] in ("größe ", "short ")}), 1, out)
    elif question == "deltas":
        check("--all shows each pair" in out and len(out.splitlines()) < 40, out)


@test
def scores_that_are_all_the_same_are_no_elastic_net():
    bring(put("same.csv", [{"a": i % 2, "b": i // 2 % 2, "unix_time": 1_700_000_000 + 60 * i, "usec_per_task": 7} for i in range(40)]))
    out = spanloom("experiment", "tiles", "-d", path("spanloom.db")).out
    check("shrinks" not in out and re.search(r"^a +b +0 +0 to 0", out, flags=re.M), out)


@test
def cells_that_cannot_be_used():
    write(path("runs.csv"), '"a;b";c;when;y\n0;x;1;5\n1;x;2;NaN\n1;y;3;1,5\n0;y;4;inf\n\n0;x;later;8\n1;x;;9\n0;y;8;\n1;y;9;7.5;2\n1;"z;z";10;1e3\n0;x;11;1e400\n')
    bring(path("runs.csv"), score="y", time="when")
    got = query(path("spanloom.db"), "SELECT place, reason FROM rejects ORDER BY place")
    equal(got, [(3, "y='NaN' is no number; a failed run has an empty cell"), (4, "y='1,5' is no number: it has a comma, and needs a point"),
                (5, "y='inf' is no number; a failed run has an empty cell"), (7, "when='later' is not a time of the declared format"),
                (8, "no when, so nothing says which run it is"), (10, "5 columns, but the header has 4"), (12, "y='1e400' is no number; a failed run has an empty cell")])
    rows = experiment("factors")
    equal([(r["factor"], r["kind"], r["level"], r["runs"]) for r in rows],
          [("a;b", "boolean", "0", "1"), ("a;b", "boolean", "1", "1"), ("c", "categorical", "x", "1"), ("c", "categorical", "z;z", "1")])
    equal(spanloom("experiment", "export", "runs", "-d", path("spanloom.db")).out.splitlines()[0], '"a;b";c;when;y')


@test
def what_cannot_be_answered():
    def says(rows, command, *words, options=("--time", "t"), code=1):
        write(path("x.csv"), "\n".join(rows) + "\n")
        for f in ("x.db",):
            if os.path.exists(path(f)):
                os.unlink(path(f))
        r = spanloom("experiment", "import", "-d", path("x.db"), "--score", "y", *options, path("x.csv"), code=None)
        if command:
            r = spanloom("experiment", *command, "-d", path("x.db"), code=None)
        equal(r.code, code, r)
        check(all(w in r.err + r.out for w in words), r, "lacks", words)
    says(["a;t;y", "0;1;2,5", "1;2;3,5"], None, "x.csv: none of its 2 rows is a run", "y='2,5' is no number", "spanloom rejects")
    says(["a,t,y"], None, "x.csv: no row follows the names of its columns")
    says(["a,t,y", "0,1,", "1,2,"], ["means"], "all 2 runs of experiment 'x' failed")
    says(["a,t,y", "0,1,5", "1,2,6"], ["model"], "2 runs cannot tell 3 terms apart", code=2)
    says(["a,b,t,y", *(f"{i % 2},3,{i},{5 + i * i}" for i in range(9))], ["model"], "never varies, so nothing can be said of it: b", code=0)
    says(["a,t,y", *(f"1,{i},{5 + i}" for i in range(9))], ["model"], "no factor varies in these 9 runs", code=2)
    says(["a,t,y", *(f"1,{i},{5 + i}" for i in range(9))], ["means"], "never varies", code=0)
    says(["a,t,y", "0,1,0", "1,2,6"], ["means", "--rate"], "a run has the score 0, of which there is no rate", code=2)
    says(["a,t,y", "0,1,5", "1,1,6"], ["means"], "run 1 is told in two ways, which differ in a", "--key")
    says(["a,a,y", "0,1,5"], None, "two columns have the name a")
    says(["a,,t,y", "0,1,5,5"], None, "x.csv:1: column 2 has no name")
    says(["a,t,z", "0,1,5"], None, "has no column 'y' (--score)", code=2)
    says(["a,t,y", "0,1,5"], ["means", "--where", "b = 1"], "no such column: b", code=2)
    says(["a,t,y", "0,1,5"], ["means", "--where", "a = 1"], "has no run that fulfils: a = 1")
    says(["a,t,y", "0,1,5", "1,2,6"], ["scatter", "b"], "there is no treatment 'b'; there are: a", code=2)
    says(["a,t,y", "0,1,5", "1,2,6"], ["means", "--name", "y"], "there is no experiment 'y'; there are: x")
    write(path("other.csv"), "a,t,y\n0,1,5\n1,3,6\n")
    spanloom("experiment", "import", "-d", path("x.db"), "--score", "y", "--time", "t", path("other.csv"))
    check("several experiments; say which with --name: other, x" in spanloom("experiment", "means", "-d", path("x.db"), code=1).err)
    equal(len(experiment("means", "--name", "other", store="x.db")), 1)


@test
def runs_without_a_time_and_with_a_key():
    rows = ["host,n,a,y", "h1,1,0,5", "h2,1,1,6", "h1,2,1,7", "h2,2,0,5"]
    write(path("x.csv"), "\n".join(rows) + "\n")
    bring(path("x.csv"), "--key", "host,n", score="y", time=None)
    equal([k for k, in query(path("spanloom.db"), "SELECT key FROM spans WHERE type = 'experiment.run' ORDER BY key")], ["h1 1", "h1 2", "h2 1", "h2 2"])
    equal([m["treatment"] for m in experiment("means")], ["a"])  # what names runs is no factor
    bring(path("x.csv"), score="y", time=None, store="lines.db")
    equal({f["factor"] for f in experiment("factors", store="lines.db")}, {"host", "n", "a"})


@test
def a_study_in_a_project_file():
    write(path("spanloom.yaml"), f"store: study.db\nexperiment:\n  name: parsl-perf\n  score: usec_per_task\n  time: unix_time\n"
          "  groups:\n    kind: ['sys_*', src_biglogs_remove]\n    rest: ['cfg_*']\n")
    spanloom("experiment", "import", RUNS)
    check("parsl-perf: 193 runs (7 more failed)" in spanloom("experiment", "means").out)
    steps = list(csv.DictReader(spanloom("experiment", "sequence", "--format", "csv").out.splitlines()))
    equal(steps[1]["treatment"], "src_biglogs_remove")
    write(path("spanloom.yaml"), "experiment: {scores: y}\n")
    check("experiment has no key 'scores'; did you mean 'score'?" in spanloom("experiment", "means", code=1).err)


@test
def times_are_dates_too():
    rows = [{**r, "unix_time": datetime.datetime.fromtimestamp(float(r["unix_time"]), datetime.timezone.utc).isoformat()} for r in read()[:50]]
    bring(put("dates.csv", rows, sep=","))
    put("seconds.csv", read()[:50])
    bring(path("seconds.csv"), store="seconds.db")
    equal([g["estimate"] for g in experiment("model")], [g["estimate"] for g in experiment("model", store="seconds.db")])


main()
