#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Experiments over time: drift against a search over all ways to part the runs, estimates by ever more runs against R,
factors that were not always there against files in which they were, and intervals against made studies.

What is compared is never computed by the program itself.
"""
import contextlib
import csv
import math
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
import studies  # noqa: E402
from experiments import R, bring, connect_extension, experiment, near, put, query_extension, read  # noqa: E402


# ---- drift

def type7(v, p):
    v, h = sorted(v), (len(v) - 1) * p
    return v[int(h)] + (h - int(h)) * (v[min(int(h) + 1, len(v) - 1)] - v[int(h)])


def noise(v):
    """(sigma, how much of it the next run has again)"""
    def spread(lag):
        d = [b - a for a, b in zip(v, v[lag:])]
        middle = type7(d, 0.5)
        d = [abs(x - middle) for x in d]
        most = 2 * 1.482602218505602 * type7(d, 0.5)
        return statistics.fmean(min(x * x, most * most) for x in d) / 0.9205369256363231
    together = min(max(spread(2) / spread(1) - 1, 0), 0.9)
    return math.sqrt(spread(1) / 2 / (1 - together)), together


def stretches_of(v):
    """[(begin, end, level)], by a search over all ends and beginnings."""
    sigma, together = noise(v)
    around = [type7(v[max(0, i - 10):i + 11], 0.5) for i in range(len(v))]
    x = [min(max(a, m - 3 * sigma), m + 3 * sigma) for a, m in zip(v, around)]
    most = min(together + 1 / math.sqrt(len(v)), 0.9)
    whole = sigma * math.sqrt((1 + most) / (1 - most))
    penalty = 3 * math.log(len(v)) * whole**2
    cost = lambda a, b: math.fsum((e - math.fsum(x[a:b]) / (b - a))**2 for e in x[a:b])
    best = [(-penalty, [])]
    for end in range(1, len(x) + 1):
        best.append(min((best[begin][0] + cost(begin, end) + penalty, best[begin][1] + [begin]) for begin in range(end)))
    begins = best[-1][1] + [len(x)]
    slope, at0 = statistics.linear_regression(range(len(x)), x)
    if sum((e - at0 - slope * i)**2 for i, e in enumerate(x)) + penalty < best[-1][0]:
        begins = [0, len(x)]  # a line says it better
    return [(a, b, statistics.fmean(x[a:b])) for a, b in zip(begins, begins[1:])], sigma, together, whole


@cases((0, 0.0), (1, 0.0), (3, 0.0), (2, 0.6), (0, 0.0, 0.01))
def changes_are_those_of_all_ways_to_part(changes, autocorrelation, slope=0):
    """Scores with so many changes, or a trend, noise that comes again in the next run or not, and outliers."""
    r, rows, error, n = rng(), [], 0.0, 90
    levels = [0.0, 0.35, 0.0, -0.5][:changes + 1]
    for i in range(n):
        a = r.randrange(2)
        error = autocorrelation * error + r.gauss(0, 0.08)
        y = math.exp(6 + 0.4 * a + slope * i + levels[i * len(levels) // n] + error + (r.random() < 0.04) * 1.5)
        rows.append({"a": a, "unix_time": 1_700_000_000 + 600 * i, "usec_per_task": f"{y:.6f}"})
    bring(put("drift.csv", rows))
    mean = {a: statistics.fmean(math.log(float(x["usec_per_task"])) for x in rows if x["a"] == a) for a in (0, 1)}
    left = [math.log(float(x["usec_per_task"])) - mean[x["a"]] for x in rows]
    runs = query_extension("SELECT residual, stretch, level, time_ns FROM experiment_residuals()")
    for (residual, *_), w in zip(runs, left):
        check(abs(residual - w) < 1e-9, "residual", residual, w)
    want, sigma, together, whole = stretches_of(left)
    got = experiment("drift")
    note("stretches:", [w[:2] for w in want], "sigma", round(sigma, 4), "together", round(together, 2))
    equal([int(g["runs"]) for g in got], [b - a for a, b, _ in want])
    if not autocorrelation:
        equal(len(want), changes + 1, "what was put in")
    for i, (g, (a, b, level)) in enumerate(zip(got, want)):
        equal((int(g["first_ns"]), int(g["last_ns"])), (runs[a][3], runs[b - 1][3]))
        near(g["level"], level, "level", 1e-6)
        near(g["upper"], level + 1.959963984540054 * whole / math.sqrt(b - a), "upper", 1e-6)
        near(g["change"], level - want[i - 1][2] if i else None, "change", 1e-6)
    near(got[0]["sigma"], sigma, "sigma", 1e-6)
    check(abs(float(got[0]["together"]) - together) < 1e-6, got[0]["together"], together)
    equal([x[1:3] for x in runs], [(i + 1, float(g["level"])) for i, g in enumerate(got) for _ in range(int(g["runs"]))])


@test
def a_trend_is_found():
    """Its slope by least squares on what treatments leave; and what is not there is not found."""
    r, rows = rng(), []
    for i in range(300):
        a = r.randrange(2)
        y = math.exp(5 + 0.2 * a + 0.01 * i * 0.5 + r.gauss(0, 0.1))
        rows.append({"a": a, "unix_time": 1_700_000_000 + 1800 * i, "usec_per_task": f"{y:.6f}"})
    bring(put("trend.csv", rows))
    left = [x for x, in query_extension("SELECT residual FROM experiment_residuals()")]
    slope = statistics.linear_regression([0.5 * i for i in range(300)], left).slope
    got = experiment("drift")[0]
    near(got["trend"], slope, "trend", 0.01)  # a few outliers count as less
    check(float(got["trend_lower"]) < 0.01 < float(got["trend_upper"]) and float(got["trend_p"]) < 1e-6, got)
    out = spanloom("experiment", "drift", "-d", path("spanloom.db")).out
    check("a day, 95 % interval" in out, out)
    write(path("x.csv"), "a,y\n" + "".join(f"{i % 2},{5 + i}\n" for i in range(20)))
    bring(path("x.csv"), score="y", time=None, store="x.db")
    check("nothing says when runs began" in spanloom("experiment", "drift", "-d", path("x.db"), code=2).err)
    write(path("few.csv"), "a,t,y\n" + "".join(f"{i % 2},{i},{5 + i % 3}\n" for i in range(8)))
    bring(path("few.csv"), score="y", time="t", store="few.db")
    check("8 runs are too few to tell drift from noise: that needs 10" in spanloom("experiment", "drift", "-d", path("few.db"), code=2).err)



# ---- how many runs

PREFIXES = """
d <- read.csv(file, sep=';')
d <- d[!is.na(d$usec_per_task), ]
d$hours <- (d$unix_time - min(d$unix_time)) / 3600
d$y <- SCORE
d$unix_time <- NULL; d$usec_per_task <- NULL
for (k in 17:nrow(d)) {
  m <- lm(y ~ ., d[1:k, ])
  ci <- confint(m)
  t <- names(coef(m))[2:15]
  say(k, rbind(coef(m)[t], ci[t, 1], ci[t, 2]))
}
"""


@cases(("d$usec_per_task",), ("log(d$usec_per_task)", "--log"))
def precision_is_that_of_the_first_runs(score, *options):
    """Least squares and its intervals by the first 17, 18, ... of the real runs; since when they are without 0; how wide after 100 more."""
    bring(put("whole.csv", [{**r, "unix_time": round(float(r["unix_time"]))} for r in read()]))
    want = R(PREFIXES.replace("SCORE", score), file=path("whole.csv"))
    names = list(read()[0])[:14]
    got = {(t, n): rest for t, n, *rest in query_extension("SELECT term, runs, estimate, lower, upper FROM experiment_precision(NULL, ?)", "log" if options else "")}
    equal(set(got), {(t, int(n)) for t in names for n in want}, "points")
    sides = {t: {} for t in names}
    for n, v in want.items():
        for t, (estimate, low, high) in zip(names, zip(v[0::3], v[1::3], v[2::3])):
            mine = got[t, int(n)]
            for a, b in zip(mine, (estimate, low, high)):
                check(a is None if math.isnan(b) else abs(a - b) < 1e-7 * max(abs(b), high - low), t, n, a, b)
            sides[t][int(n)] = 0 if math.isnan(low) else (low > 0) - (high < 0)
    t975 = R("say('t', qt(0.975, c(193 - 16, 293 - 16)))")["t"]
    enough = {g["term"]: g for g in experiment("enough", *options)}
    equal(list(enough), names)
    for t, g in enough.items():
        last = sides[t][193]
        since = 193 + 1
        while last and since > 17 and sides[t][since - 1] == last:
            since -= 1
        equal(g["sure_since"], str(since) if last else "", t)
        estimate, low, high = got[t, 193]
        near(g["half_width"], (high - low) / 2, t)
        near(g["next_half_width"], (high - low) / 2 * math.sqrt(193 / 293) * t975[1] / t975[0], t)
        near(g["needed"], 193 * ((high - low) / 2 / estimate) ** 2, t)
    check(sum(bool(g["sure_since"]) for g in enough.values()) in range(3, 10), "which are sure")


@test
def runs_that_are_too_few_tell_nothing():
    bring(put("few.csv", read()[:14]))
    check("14 runs cannot tell 16 terms apart, so nothing is sure yet" in spanloom("experiment", "enough", "-d", path("spanloom.db"), code=2).err)



# ---- factors that were not always there

def split_rows():
    """`late` joins after 50 runs; python is one factor for 120 runs, then two: what is empty, and what it stands for."""
    r, told, meant = rng(), [], []
    for i in range(200):
        late, log, old, parts = r.randrange(2), r.randrange(2), r.randrange(2), [r.randrange(2), r.randrange(2)]
        if i < 120:
            parts = [old, old]
        late = late if i >= 50 else 0
        y = f"{900 - 300 * log - 50 * parts[0] - 120 * parts[1] + 40 * late + r.gauss(0, 20):.4f}"
        rest = {"unix_time": 1_700_000_000 + 60 * i, "usec_per_task": y}
        told.append({"log": log, "python": old if i < 120 else "", "py313": "" if i < 120 else parts[0], "nogil": "" if i < 120 else parts[1], "late": late if i >= 50 else "", **rest})
        meant.append({"log": log, "py313": parts[0], "nogil": parts[1], "late": late, **rest})
    return told, meant


@test
def what_joined_later_or_was_split_is_as_if_it_had_been_there():
    told, meant = split_rows()
    bring(put("told.csv", told))
    bring(put("meant.csv", meant), store="meant.db")
    for command in (["means"], ["model"], ["model", "--interactions", "--log"], ["variance"], ["failures"]):
        got, want = ({tuple(sorted(next(iter(x.values())).split(":"))): x for x in rows}
                     for rows in (experiment(*command, "--split", "python=py313,nogil"), experiment(*command, store="meant.db")))
        equal(set(got), set(want), command)
        for key, w in want.items():
            for column in w:
                g = got[key][column]
                with contextlib.suppress(ValueError):
                    check(abs(float(g) - float(w[column])) < 1e-7 * max(1, abs(float(g))), command, key, column, g, w[column])
    sql = "SELECT term, estimate FROM experiment_model(NULL, 'split=python=py313,nogil')"
    equal({t for t, _ in query_extension(sql)}, {g["term"] for g in experiment("model", store="meant.db")})
    out = spanloom("experiment", "model", "-d", path("spanloom.db")).out
    for words in ("of 80 runs the level of python is not known; models leave them out\n", "late joined later: the 50 runs before it count as without\n",
                  "was python split? Then say --split 'python=py313,nogil'\n", "(120 runs)"):
        check(words in out, words, out)
    out = spanloom("experiment", "model", "--split", "python=py313,nogil", "-d", path("spanloom.db")).out
    check("split" not in out and "(200 runs)" in out, out)
    factors = {(f["factor"], f["level"]): (f["runs"], f["joined"], f["unknown"]) for f in experiment("factors")}
    equal(factors["late", "0"], (str(sum(x["late"] == 0 for x in meant)), "50", "0"))
    equal(factors["python", "1"][1:], ("0", "80"))
    write(path("spanloom.yaml"), "store: spanloom.db\nexperiment:\n  name: told\n  split:\n    python: [py313, nogil]\n")
    check("(200 runs)" in spanloom("experiment", "model").out)
    os.unlink(path("spanloom.yaml"))
    # what is exported is as it was told
    out = list(csv.DictReader(spanloom("experiment", "export", "runs", "--split", "python=py313,nogil", "-d", path("spanloom.db")).out.splitlines(), delimiter=";"))
    equal([(x["python"], x["late"]) for x in out], [(str(x["python"]), str(x["late"])) for x in told])


@test
def splits_that_are_none():
    told, _ = split_rows()
    for x in told:
        x["threads"] = x["log"] + 2
    bring(put("told.csv", told))
    says = lambda split, words: check(words in spanloom("experiment", "model", "--split", split, "-d", path("spanloom.db"), code=2).err, split)
    says("pyton=py313", "there is no factor 'pyton' to split")
    says("python=py313,nogl", "there is no factor 'nogl' that python was split into")
    says("python", "which factors was 'python' split into? Say OLD=NEW,NEW")
    says("threads=py313", "'threads' cannot have been split: it is no factor of 0 and 1")
    says("python=threads", "'threads' is no factor of 0 and 1 that python could have been split into")
    # numbers that joined later have no base to be: their runs are left out
    rows = [{"a": i % 2, "n": "" if i < 20 else i % 3, "unix_time": 1_700_000_000 + i, "usec_per_task": 5 + i % 7} for i in range(60)]
    bring(put("n.csv", rows), store="n.db")
    check("of 20 runs the level of n is not known; models leave them out" in spanloom("experiment", "model", "-d", path("n.db")).out)
    # one ends before another begins, and neither is of 0 and 1
    rows = [{"a": i % 3 if i < 30 else "", "b": i % 4 if i >= 30 else "", "unix_time": 1_700_000_000 + i, "usec_per_task": 5 + i % 7} for i in range(60)]
    bring(put("never.csv", rows), store="never.db")
    check("of each of these 60 runs the level of some factor is not known; was one split into others? Say --split 'a=b'" in
          spanloom("experiment", "model", "-d", path("never.db"), code=2).err)



# ---- do intervals hold the truth?

@cases(("heavy tails",), ("drift",), ("time-outs",))
def intervals_hold_the_truth_of_made_studies(kind):
    """A short bench/coverage: of 20 studies of each kind; nothing narrower than it ought to be would pass."""
    r, tally, n, count = rng(), studies.Tally(), 120, 20
    rows = [{"study": k, **x, "unix_time": x["unix_time"] + k * n * studies.STEP_S} for k in range(count) for x in studies.study(kind, r, n)]
    bring(put("studies.csv", rows), score="y")
    db = connect_extension()
    for k in range(count):
        query = lambda sql, *args: db.execute(sql, args).fetchall()
        studies.hold(tally, kind, query, f"study = {k}", n)
        studies.mark(tally, kind, query, f"study = {k}")
    db.close()
    for (_, what), (total, of) in tally.of.items():
        note(f"{what}: {total:.3g} of {of}")
        if "where" in what or "of *" in what:
            check(total <= 6, f"{what}: {total} of {of}")
        elif what != "model, failed runs left out":
            nominal = 0.89 if what == "variance" else 0.93
            check(total >= of * nominal - 3.3 * math.sqrt(of * nominal * (1 - nominal)), f"{what}: {total} of {of}")  # by chance 1 in 2000
    check(len(tally.of) > 8, "few were judged")


@test
def settings_that_stay_are_told():
    r = rng()
    bring(put("blocks.csv", studies.study("drift, blocks", r, 120)), score="y")
    out = spanloom("experiment", "model", "-d", path("spanloom.db")).out
    check(re.search(r"settings stay for (9|10|11) runs on end: if the machine wanders, intervals are too narrow\n", out), out)
    bring(put("random.csv", studies.study("normal", r, 120)), score="y", store="random.db")
    check("on end" not in spanloom("experiment", "model", "-d", path("random.db")).out)


main()
