#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The statistics of experiments against R (p.adjust, pf and others), brute force, and made runs whose truth is known.

What is compared is never computed by the program itself.
"""
import collections
import csv
import math
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
from experiments import NEAR, R, bring, experiment, near, put, query_extension, read  # noqa: E402


# ---- many comparisons

def compare_adjusted(families):
    """{name: [(p, p_holm, p_bh)]} against p.adjust."""
    script = "".join(f"p <- c({', '.join(p or 'NA' for p, _, _ in rows)})\nsay('{name} holm', p.adjust(p, 'holm'))\nsay('{name} BH', p.adjust(p, 'BH'))\n"
                     for name, rows in families.items())
    want = R(script)
    for name, rows in families.items():
        for (p, holm, bh), h, b in zip(rows, want[f"{name} holm"], want[f"{name} BH"]):
            near(holm, h, f"{name}: Holm of {p}")
            near(bh, b, f"{name}: Benjamini & Hochberg of {p}")


@test
def many_comparisons_are_p_adjust():
    bring()
    three = lambda rows, p: [(r[p], r[f"{p}_holm"], r[f"{p}_bh"]) for r in rows]
    means, tiles = experiment("means"), experiment("tiles", "--log")
    families = {"model": three(experiment("model", "--interactions")[1:], "p"), "differences": three(means, "difference_p"), "pairs": three(means, "p"),
                "tiles": three([t for t in tiles if t["treatment"] < t["other"]], "p")}
    compare_adjusted(families)
    equal([len(v) for v in families.values()], [106, 14, 14, 91])
    check(any(p and float(h) < 0.05 for p, h, _ in families["differences"]), "nothing is sure")



# ---- variance

FACTORS = {"cache": [0, 1], "logs": [0, 1], "threads": [1, 2, 16], "python": ["3.11", "3.13t", "pypy"], "lazy": ["no", "yes"]}


def made(n, days=3.0):
    """Random runs of boolean, numeric and categorical factors; `also` says the same as cache and logs together."""
    r = rng()
    rows = []
    for i in range(n):
        x = {f: r.choice(levels) for f, levels in FACTORS.items()}
        x["also"] = x["cache"] + x["logs"]
        y = 500 + 80 * x["cache"] - 120 * x["logs"] + 3 * x["threads"] + 60 * (x["python"] == "pypy") + r.expovariate(1 / 50)
        rows.append({**x, "unix_time": f"{1.7e9 + (i + r.random()) * days * 86400 / n:.3f}", "usec_per_task": f"{y:.3f}"})
    return rows


LMG = """
d <- read.csv(file, sep=';', colClasses=c(python='character'))
d$lazy <- as.integer(d$lazy == 'yes')
turn <- 2 * pi * (d$unix_time %% 86400) / 86400
y <- YOF
g <- list(cache=d$cache, logs=d$logs, threads=d$threads, python=model.matrix(~ d$python)[, -1], lazy=d$lazy, also=d$also,
          '(time)'=cbind(d$unix_time - d$unix_time[1], cos(turn), sin(turn)))
n <- length(g)
fit <- function(s) if (any(s)) qr(cbind(1, do.call(cbind, g[s])), tol=1e-7) else qr(rep(1, length(y)))
sets <- lapply(0:(2^n - 1), function(k) bitwAnd(k, 2^(0:(n - 1))) > 0)
fits <- lapply(sets, fit)
r2 <- sapply(fits, function(q) 1 - sum(qr.resid(q, y)^2) / sum((y - mean(y))^2))
rank <- sapply(fits, function(q) q$rank)
for (i in 1:n) {
  without <- which(!sapply(sets, function(s) s[i]))
  k <- sapply(sets[without], sum)
  adds <- r2[without + 2^(i - 1)] - r2[without]
  w <- factorial(k) * factorial(n - k - 1) / factorial(n)
  all <- 2^n; but <- 2^n - 2^(i - 1)
  df <- rank[all] - rank[but]
  f <- if (df > 0) (r2[all] - r2[but]) / df / ((1 - r2[all]) / (length(y) - rank[all])) else NA
  say(names(g)[i], c(df, sum(w * adds), r2[2^(i - 1) + 1], r2[all] - r2[but], f, if (df > 0) pf(f, df, length(y) - rank[all], lower=FALSE) else NA, r2[all]))
}
"""


@cases(("d$usec_per_task",), ("log(d$usec_per_task)", "--log"))
def shares_of_variance_are_those_of_all_orders(y, *options):
    """LMG, by least squares on each of the 2^7 sets of factors; three of which are told by the others."""
    bring(put("made.csv", made(150)))
    want = R(LMG.replace("YOF", y), file=path("made.csv"))
    got = {g["factor"]: g for g in experiment("variance", *options)}
    equal(set(got), set(want))
    for name, (df, share, alone, unique, f, p, whole) in want.items():
        g = got[name]
        equal(int(g["df"]), df, name)
        for column, w in ("share", share), ("alone", alone), ("last", unique), ("r_squared", whole):
            check(abs(float(g[column]) - w) < 1e-10, f"{column} of {name}: {g[column]}, not {w}")
        near(g["f"], f, f"F of {name}")
        near(g["p"], p, f"p of {name}", 1e-7)
        check(0 <= float(g["lower"]) <= float(g["share"]) * 1.5 and float(g["upper"]) >= float(g["share"]) / 1.5, f"interval of {name}", g)
    near(sum(float(g["share"]) for g in got.values()), want["cache"][-1], "all shares")
    equal([g["factor"] for g in experiment("variance", *options)], sorted(got, key=lambda k: -float(got[k]["share"])))


@test
def shares_of_many_factors_are_of_some_orders():
    """Of a design that is nearly orthogonal, the order hardly matters, so a share lies beside what comes last."""
    r, rows = rng(), []
    for i in range(600):
        x = [r.randrange(2) for _ in range(18)]
        y = 500 + sum(10 * k * v for k, v in enumerate(x)) + r.gauss(0, 40)
        rows.append({**{f"f{k}": v for k, v in enumerate(x)}, "unix_time": 1_700_000_000 + 60 * i, "usec_per_task": f"{y:.4f}"})
    bring(put("many.csv", rows))
    got = experiment("variance", "--no-time")
    equal((len(got), got[0]["exact"]), (18, "0"))
    near(sum(float(g["share"]) for g in got), float(got[0]["r_squared"]), "all shares")
    for g in got:
        low, high = sorted((float(g["alone"]), float(g["last"])))
        check(low - 0.005 < float(g["share"]) < high + 0.005, g)
    near(got[0]["by_chance"], (1 - float(got[0]["r_squared"])) / 581, "by chance")



# ---- more terms than runs

GLMNET = """
suppressMessages(library(glmnet))
glmnet.control(fdev=0, devmax=1)
d <- read.csv(file, sep=';')
d <- d[!is.na(d$usec_per_task), ]
y <- YOF
d$hours <- (d$unix_time - min(d$unix_time)) / 3600
d$unix_time <- NULL; d$usec_per_task <- NULL
x <- model.matrix(FORMULA, d)[, -1]
fold <- findInterval(seq_along(y) - 1, floor(length(y) * (0:9) / 10))
for (alpha in c(0.2, 1)) for (lambda in c(LAMBDAS)) {
  m <- glmnet(x, y, alpha=alpha, lambda=lambda, thresh=1e-28, maxit=1e7)
  say(paste(alpha, lambda), as.vector(coef(m)))
}
for (alpha in 0.5) {
  path <- glmnet(x, y, alpha=alpha, thresh=1e-10, maxit=1e6)$lambda
  m <- cv.glmnet(x, y, alpha=alpha, lambda=path, foldid=fold, thresh=1e-10, maxit=1e6)
  best <- which(m$lambda == m$lambda.min)
  say(paste('cv', alpha), c(m$lambda.min, m$lambda.1se, 1 - m$cvm[best] / mean((y - mean(y))^2)))
}
say('terms', seq_len(ncol(x)))
cat(colnames(x), sep='\n', file=paste0(file, '.terms'))
"""


@cases(("d$usec_per_task", "30, 300", "--interactions"), ("log(d$usec_per_task)", "0.02, 0.2", "--log"))
def elastic_net_is_glmnet(y, lambdas, *options):
    """With 105 terms of 58 runs, and 15 of them; also the choice of lambda by stretches of time that are left out."""
    # times as R can hold them
    bring(put("few.csv", [{**r, "unix_time": round(float(r["unix_time"]))} for r in read()[:60]]))
    formula = "~ hours + (. - hours)^2" if "--interactions" in options else "~ ."
    want = R(GLMNET.replace("YOF", y).replace("FORMULA", formula).replace("LAMBDAS", lambdas), file=path("few.csv"))
    with open(path("few.csv.terms")) as f:
        names = ["(Intercept)", *f.read().split()]
    for what, values in want.items():
        if what == "terms":
            continue
        alpha, penalty = what.split()[-2:] if what[0] != "c" else (what.split()[1], None)
        got = {g["term"]: g for g in experiment("model", *options, "--elastic-net", "--alpha", alpha, *(["--lambda", penalty] if penalty else []))}
        equal(set(got), set(names), what)
        if penalty:
            for name, w in zip(names, values):
                check(abs(float(got[name]["estimate"]) - w) <= NEAR * max(abs(w), max(map(abs, values)) * 1e-3), what, name, got[name]["estimate"], w)
            continue
        for column, w, relative in zip(("lambda", "lambda_1se", "cv_r_squared"), values, (1e-9, 1e-9, 1e-5)):
            near(got["(Intercept)"][column], w, f"{what}: {column}", relative)


@test
def an_elastic_net_where_runs_are_few():
    """It is chosen by itself, and finds what there is; what is the same told twice is in both or none by halves."""
    r, rows = rng(), []
    for i in range(60):
        x = [r.randrange(2) for _ in range(14)]
        y = 500 + 200 * x[0] - 150 * x[1] + 120 * x[2] * x[3] + r.gauss(0, 15)
        rows.append({**{f"f{k}": v for k, v in enumerate(x)}, "f0_too": x[0], "unix_time": 1_700_000_000 + 60 * i, "usec_per_task": f"{y:.4f}"})
    bring(put("few.csv", rows))
    got = {g["term"]: g for g in experiment("model", "--interactions", "--no-time")}
    equal({(g["method"], g["std_error"], g["p"], g["df"]) for g in got.values()}, {("elastic net", "", "", "")})
    near(got["f0"]["estimate"], float(got["f0_too"]["estimate"]), "twins", 1e-6)
    check(float(got["f0"]["estimate"]) > 50 and float(got["f1"]["estimate"]) < -80 and float(got["f2:f3"]["estimate"]) > 40, got["f0"], got["f1"], got["f2:f3"])
    check(all(float(got[t]["kept"]) > 0.9 for t in ("f0", "f1")), got["f1"]["kept"])
    out = spanloom("experiment", "model", "--interactions", "--no-time", "-d", path("spanloom.db")).out
    check("60 runs cannot tell 121 terms apart, so all are shrunk towards 0 (elastic net)" in out, out)
    equal(experiment("model", "--no-time")[0]["method"], "least squares")
    tiles = {(t["treatment"], t["other"]): t["estimate"] for t in experiment("tiles", "--no-time")}
    equal(tiles["f2", "f3"], got["f2:f3"]["estimate"])
    rows = query_extension("SELECT term, estimate FROM experiment_model(NULL, 'interactions no-time elastic-net alpha=0.5')")
    equal([(t, str(e)) for t, e in rows[:3]], [(t, str(float(got[t]["estimate"]))) for t in ("(Intercept)", "f0", "f1")])



# ---- failed runs

SURVREG = """
suppressMessages(library(survival))
d <- read.csv(file, sep=';')
ok <- !is.na(d$usec_per_task)
y <- ifelse(ok, SCORE, LIMIT)
d$hours <- (d$unix_time - min(d$unix_time)) / 3600
d$unix_time <- NULL; d$usec_per_task <- NULL
m <- survreg(Surv(y, ok, type='TYPE') ~ FORMULA, d, dist='DIST', control=list(rel.tolerance=1e-15, maxiter=100))
t <- summary(m)$table
for (n in names(coef(m))) say(n, t[n, ])
say('sigma', m$scale)
"""


@cases(("d$usec_per_task", "20000", "right", "gaussian", "."), ("d$usec_per_task", "max(d$usec_per_task, na.rm=TRUE)", "right", "lognormal", ". - hours", "--log", "--no-time"),
       ("1e6 / d$usec_per_task", "min(1e6 / d$usec_per_task, na.rm=TRUE)", "left", "gaussian", ".", "--rate"))
def failed_runs_as_so_bad_or_worse_are_survreg(score, limit, side, distribution, formula, *options):
    rows = [{**r, "unix_time": round(float(r["unix_time"])), "usec_per_task": "" if i % 11 == 3 else r["usec_per_task"]} for i, r in enumerate(read())]
    bring(put("failed.csv", rows))
    script = SURVREG
    for word, value in ("SCORE", score), ("LIMIT", limit), ("TYPE", side), ("DIST", distribution), ("FORMULA", formula):
        script = script.replace(word, value)
    want = R(script, file=path("failed.csv"))
    got = {g["term"]: g for g in experiment("model", *options, "--limit", "20000" if limit == "20000" else "worst")}
    sigma = want.pop("sigma")[0]
    equal(set(got), set(want))
    failed = sum(not r["usec_per_task"] for r in rows)
    for term, (estimate, error, z, p) in want.items():
        g = got[term]
        check(abs(float(g["estimate"]) - estimate) < 1e-7 * error, term, g["estimate"], estimate)
        near(g["std_error"], error, f"error of {term}", 1e-7)
        near(g["p"], p, f"p of {term}", 1e-6) if p > 1e-12 else None
        near(g["upper"], estimate + 1.959963984540054 * error, term, 1e-6)
        equal((g["method"], g["censored"], g["runs"]), ("Tobit", str(failed), "200"))
    near(got["(Intercept)"]["residual_stddev"], sigma, "sigma", 1e-7)


@test
def failed_runs_beside_a_number_that_is_never_0():
    """A factor such as 1, 2, 4, 8 workers is a slope, and has no runs without it."""
    r = random.Random(16)
    rows = [{"fast": r.randint(0, 1), "workers": r.choice((1, 2, 4, 8)), "unix_time": 1_700_000_000 + 600 * i, "usec_per_task": 0} for i in range(90)]
    for i, row in enumerate(rows):
        row["usec_per_task"] = "" if i % 13 == 4 else round(500 - 120 * row["fast"] + 9 * row["workers"] + r.gauss(0, 25), 3)
    bring(put("failed.csv", rows))
    script = SURVREG
    for word, value in ("SCORE", "d$usec_per_task"), ("LIMIT", "max(d$usec_per_task, na.rm=TRUE)"), ("TYPE", "right"), ("DIST", "gaussian"), ("FORMULA", "fast + workers"):
        script = script.replace(word, value)
    want = R(script, file=path("failed.csv"))
    got = {g["term"]: g for g in experiment("model", "--limit", "worst", "--no-time")}
    for term in "(Intercept)", "fast", "workers":
        check(abs(float(got[term]["estimate"]) - want[term][0]) < 1e-6 * want[term][1], term, got[term]["estimate"], want[term])


@test
def failures_by_treatment():
    """Against fisher.test and prop.test of R, whose Wilson intervals make Newcombe's; who wins by all pairs."""
    rows = read()
    bring()
    got = {g["treatment"]: g for g in experiment("failures")}
    counts = {t: [(sum(r[t] == v for r in rows), sum(r[t] == v and not r["usec_per_task"] for r in rows)) for v in "01"] for t in list(rows[0])[:14]}
    equal({t: [(int(g["runs_without"]), int(g["failed_without"])), (int(g["runs_with"]), int(g["failed_with"]))] for t, g in got.items()}, counts)
    want = R("".join(f"say('{t}', c(fisher.test(matrix(c({a[1]}, {a[0] - a[1]}, {b[1]}, {b[0] - b[1]}), 2))$p.value, prop.test({a[1]}, {a[0]}, correct=FALSE)$conf.int, "
                     f"prop.test({b[1]}, {b[0]}, correct=FALSE)$conf.int))\n" for t, (a, b) in counts.items()))
    compare_adjusted({"failures": [(g["p"], g["p_holm"], g["p_bh"]) for g in got.values()]})
    score = lambda r: float(r["usec_per_task"] or math.inf)
    for t, (fisher, l0, u0, l1, u1) in want.items():
        g, (a, b) = got[t], counts[t]
        p0, p1 = a[1] / a[0], b[1] / b[0]
        near(g["p"], fisher, t)
        near(g["difference"], p1 - p0, t)
        near(g["lower"], p1 - p0 - math.hypot(p1 - l1, u0 - p0), t)
        near(g["upper"], p1 - p0 + math.hypot(u1 - p1, p0 - l0), t)
        won = [(score(x) < score(y)) + (score(x) == score(y)) / 2 for x in rows if x[t] == "1" for y in rows if x is not y and y[t] == "0"]
        near(g["better"], sum(won) / len(won), t)
        check(float(g["better_lower"]) < float(g["better"]) < float(g["better_upper"]), g)
    equal(experiment("failures", "--rate")[0]["better"], experiment("failures")[0]["better"])
    check(float(got["sys_affinity_cpu0"]["p_holm"]) < 0.05, "what fails on one core alone")


@test
def failures_that_tell_nothing():
    bring(put("all.csv", [{"a": i % 2, "unix_time": 1_700_000_000 + i, "usec_per_task": ""} for i in range(20)]))
    got = experiment("failures")[0]
    equal((got["failed_with"], got["p"], got["better"], got["difference"]), ("10", "1.0", "0.5", "0.0"))
    for command, words in (["model", "--limit", "worst"], "all 20 runs of experiment 'all' failed"), (["model"], "all 20 runs"):
        check(words in spanloom("experiment", *command, "-d", path("spanloom.db"), code=1).err, command)
    rows = [{"a": i % 2, "b": i // 2 % 2, "unix_time": 1_700_000_000 + i, "usec_per_task": "" if i % 2 else 5 + i * i % 7} for i in range(30)]
    bring(put("a.csv", rows), store="a.db")
    says = lambda words, *options: check(words in spanloom("experiment", "model", *options, "-d", path("a.db"), code=2).err, words)
    says("every run with a failed, so how much worse it is cannot be told", "--limit", "worst")
    bring(put("none.csv", [{**r, "usec_per_task": 5 + i * i % 7} for i, r in enumerate(rows)]), store="none.db")
    check("no run failed, so there is nothing to take as 9 or worse" in spanloom("experiment", "model", "--limit", "9", "-d", path("none.db"), code=2).err)
    check("no run failed\n" in spanloom("experiment", "failures", "-d", path("none.db")).out)



# ---- continuous factors, and factors of many levels

def many_levels(n=240):
    r = rng()
    rows = []
    for i in range(n):
        cache, load, prefetch, host = r.randrange(2), round(r.random(), 4), r.choice([1, 2, 4, 8, 16, 32, 64, 100, 128, 256]), f"node{min(int(r.expovariate(0.25)), 30):02d}"
        y = 500 - 80 * cache + 0.5 * prefetch + 300 * load + r.gauss(0, 20)
        rows.append({"cache": cache, "prefetch": prefetch, "load": load, "host": host, "id": f"run {i}", "unix_time": 1_700_000_000 + 60 * i, "usec_per_task": f"{y:.4f}"})
    return rows


def quarter(values):
    """{value: name of its quarter}, by the runs below it and half of its own."""
    bins, below = collections.defaultdict(list), 0
    for v in sorted(set(values)):
        bins[int(4 * (below + values.count(v) / 2) / len(values))].append(v)
        below += values.count(v)
    return {v: f"{b[0]}..{b[-1]}" if len(b) > 1 else str(b[0]) for b in bins.values() for v in b}, [b[0] for _, b in sorted(bins.items())]


@test
def means_of_many_levels_are_those_of_few():
    """Numbers by quarters, texts without those that are rare; what tells runs apart is no factor."""
    rows = many_levels()
    bring(put("many.csv", rows))
    coarse = [{"cache": x["cache"]} for x in rows]
    first = {}
    for f in "prefetch", "load":
        names, firsts = quarter([x[f] for x in rows])
        first[f] = names[firsts[0]]
        for c, x in zip(coarse, rows):
            c[f] = names[x[f]]
    hosts = collections.Counter(x["host"] for x in rows)
    for c, x in zip(coarse, rows):
        c["host"] = x["host"] if hosts[x["host"]] >= 5 else "(others)"
    check("(others)" in {c["host"] for c in coarse} and len(hosts) > 12, hosts)
    first.update(cache=0, host=min(h for h in hosts if hosts[h] >= 5))
    score = [float(x["usec_per_task"]) for x in rows]
    got = {m["treatment"]: m for m in experiment("means")}
    equal(set(got), {f if f == "cache" else f"{f}={v}" for f in first for v in {c[f] for c in coarse} - {first[f]}})
    for name, m in got.items():
        f, _, v = name.partition("=")
        mine, base = ([s for s, c in zip(score, coarse) if str(c[f]) == x] for x in (v or "1", str(first[f])))
        equal((int(m["runs_with"]), int(m["runs_without"])), (len(mine), len(base)), name)
        near(m["difference"], statistics.fmean(mine) - statistics.fmean(base), name)
        pairs = [b - a for i, a in enumerate(score) for j, b in enumerate(score) if str(coarse[i][f]) == str(first[f]) and str(coarse[j][f]) == (v or "1")
                 and all(coarse[i][g] == coarse[j][g] for g in first if g != f)]
        equal(int(m["pairs"]), len(pairs), name)
        near(m["delta"], statistics.fmean(pairs) if pairs else None, name)
    out = spanloom("experiment", "means", "-d", path("spanloom.db")).out
    check("tells runs apart, so nothing can be said of it: id" in out, out)
    kinds = {f["factor"]: f["kind"] for f in experiment("factors")}
    equal(kinds, {"cache": "boolean", "prefetch": "numeric", "load": "numeric", "host": "categorical", "id": "identity"})
    check("load                         numeric      2" in spanloom("experiment", "factors", "-d", path("spanloom.db")).out)
    out = list(csv.DictReader(spanloom("experiment", "export", "runs", "-d", path("spanloom.db")).out.splitlines(), delimiter=";"))
    equal([x["id"] for x in out], [x["id"] for x in rows])
    for x in experiment("scatter", "cache", "--colour", "load"):
        check(x["colour"] in {c["load"] for c in coarse}, x)


@test
def a_continuous_factor_is_a_line():
    """And a factor of many levels a term each, and one test: lm() and drop1() of R."""
    bring(put("many.csv", many_levels()))
    want = R("""d <- read.csv(file, sep=';'); m <- lm(usec_per_task ~ cache + prefetch + load + host + unix_time, d); s <- summary(m)$coefficients
for (t in rownames(s)) say(t, s[t, ])
f <- drop1(m, test='F')
for (t in rownames(f)[-1]) say(paste('F', t), c(f[t, 1], f[t, 5], f[t, 6]))""", file=path("many.csv"))
    got = {g["term"]: g for g in experiment("model")}
    for t in [t for t in want if not t.startswith("F ") and t not in ("(Intercept)", "unix_time")]:
        near(got[t]["estimate"], want[t][0], t, 1e-8 * max(1, want[t][1] / abs(want[t][0])))
        near(got[t]["std_error"], want[t][1], t)
    equal(len(got), len([t for t in want if not t.startswith("F ")]))
    for g in experiment("variance"):
        df, f, p = want["F " + ("unix_time" if g["factor"] == "(time)" else g["factor"])]
        equal(int(g["df"]), df)
        near(g["f"], f, g["factor"], 1e-7)
        near(g["p"], p, g["factor"], 1e-6) if p > 1e-12 else None



# ---- runs that tell little

ODD = {  # name: (rows, {command: what it says, with !: and exits with 2})
    "collinear": ([f"{i % 2},{i % 2},{i},{5 + i % 3}" for i in range(40)],
                  {"model": "cannot be told: it is a", "model --elastic-net": "elastic net", "variance": "together", "enough": "b                            cannot be told: it follows from others",
                   "failures": "no run failed", "shapley": "cannot be told: it is a"}),
    "constant": ([f"1,3,{i},{5 + i % 7}" for i in range(40)],
                 {"variance": "!no factor varies in these 40 runs", "enough": "!no factor varies in these 40 runs", "model --elastic-net": "!no factor varies", "failures": "never varies, so nothing can be said of it: a, b",
                  "drift": "No change from one run to the next is sure"}),
    "two": (["0,0,1,5", "1,1,2,6"], {"variance": "!2 runs cannot tell 4 terms apart", "enough": "!2 runs cannot tell 4 terms", "drift": "!2 runs cannot tell 3 terms", "model --elastic-net": "!2 runs are too few",
                                     "failures": "no run failed"}),
    "one": (["0,0,1,5"], {"model": "!no factor varies in 1 run,", "drift": "!1 run is too few to tell drift from noise"}),
    "same": ([f"{i % 2},{i // 2 % 2},{i},5" for i in range(40)],
             {"variance": "!all scores are the same", "variance --log": "!all scores are the same", "model": "all scores are the same", "model --elastic-net": "all scores are the same", "drift": "No change", "enough": "a "}),
    "far": ([f"{i % 2},{i // 2 % 2},{i},{'1e300' if i == 7 else 5 + i % 7}" for i in range(40)],
            {"variance": "!too far apart, for least squares", "model --elastic-net": "!too far apart", "drift": "noise", "variance --log": "together"}),
    "exact": ([f"{i % 2},{i // 2 % 2},{i},{5 + 3 * (i % 2) + 2 * (i // 2 % 2)}" for i in range(40)],
              {"model": "100.0 % of the variance", "variance": "together                      100.0", "enough": "since run 5", "drift": "No change"}),
    "zero": ([f"{i % 2},{i // 2 % 2},{i},{i % 5}" for i in range(40)], {"drift": "!a run has the score 0, of which there is no logarithm", "variance": "together"}),
}


@test
def what_tells_little_is_told_clearly():
    for name, (rows, says) in ODD.items():
        write(path(f"{name}.csv"), "a,b,t,y\n" + "\n".join(rows) + "\n")
        bring(path(f"{name}.csv"), score="y", time="t", store=f"{name}.db")
        for command, words in says.items():
            r = spanloom("experiment", *command.split(), "-d", path(f"{name}.db"), code=2 if words[0] == "!" else 0)
            check(words.lstrip("!") in r.err + r.out, f"{name}: {command} lacks {words!r}: {r.err}{r.out}")
            check(not re.search(r"\b(nan|inf)\b", r.err + r.out), f"{name}: {command}: {r.out}")
    write(path("names.csv"), '"a;b","c d","e""f",t,y\n' + "".join(f"{i % 2},{i // 2 % 2},{i // 4 % 2},{i},{'' if i % 9 == 4 else 5 + i * i % 7}\n" for i in range(60)))
    bring(path("names.csv"), score="y", time="t", store="names.db")
    for command, column in ("means", "treatment"), ("model", "term"), ("variance", "factor"), ("failures", "treatment"), ("enough", "term"), ("tiles", "treatment"):
        check({"a;b", "c d", 'e"f'} <= {x[column] for x in experiment(command, store="names.db")}, command)


main()
