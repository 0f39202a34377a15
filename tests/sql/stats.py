#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Statistics in SQL against Python's statistics module, plain sums of fractions, and R, on real and made data.

What is compared is never computed by the functions themselves.  R gives quantile(type = 7), sd, cor, lm, bw.nrd0, density
and hist; where R is less exact than we are (sd of large offsets, density), fractions or the plain sum are.
"""
import itertools
import math
import operator
import os
import random
import sqlite3
import statistics
import sys
from fractions import Fraction

DEBIAN = "/usr/bin/python3"  # other Pythons may be built without extensions
if not hasattr(sqlite3.Connection, "enable_load_extension") and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN):
    os.execv(DEBIAN, [DEBIAN, *sys.argv])

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
from r import R  # noqa

EXTENSION = os.path.join(os.environ.get("BUILD") or os.path.dirname(os.path.abspath(PROGRAM)), "spanloom.so")
NS = 1_795_162_300_652_329_000
P = [0, 0.01, 0.1, 0.25, 1 / 3, 0.5, 0.75, 0.9, 0.999, 1]
SLOW = 20  # seconds; what is quadratic takes hours


def connect(store=":memory:"):
    db = sqlite3.connect(store)
    db.enable_load_extension(True)
    db.load_extension(EXTENSION)
    return db


def table(*columns):
    """A database with t(c0, c1, ...)."""
    db = connect()
    db.execute(f"CREATE TABLE t ({', '.join(f'c{i}' for i in range(len(columns)))})")
    db.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})", zip(*columns))
    return db


def one(db, what, rest="FROM t"):
    return db.execute(f"SELECT {what} {rest}").fetchone()[0]


def near(got, want, relative, what=""):
    check(got is not None and abs(got - want) <= relative * abs(want), f"{what}: got {got!r}, want {want!r}")


def refused(db, sql, *words):
    try:
        got = db.execute(sql).fetchall()
    except sqlite3.OperationalError as error:
        check(all(w in str(error) for w in words), f"{sql}: {error}, without {words}")
    else:
        raise AssertionError(f"{sql} gave {got}")


def real_run():
    """Per try of the example: how long it waited and ran, in seconds, and its task's number; and all memory samples."""
    store = imported(EXAMPLE).store
    tries = query(store, """SELECT b.time_ns - a.time_ns, c.time_ns - b.time_ns, s.parent FROM events a JOIN events b ON b.span = a.span AND b.type = 'running'
        JOIN events c ON c.span = a.span AND c.type = 'running_ended' JOIN spans s ON s.id = a.span WHERE a.type = 'launched'""")
    memory = [v for v, in query(store, "SELECT value FROM samples WHERE metric = 'psutil_process_memory_resident'")]
    check(len(tries) > 150 and len(memory) > 20, len(tries), len(memory))
    return store, [[r[i] / (1e9 if i < 2 else 1) for r in tries] for i in range(3)], memory


def made():
    """Names and lists of numbers of all kinds."""
    r = rng()
    return {
        "normal": [r.gauss(3, 2) for _ in range(1000)],
        "heavy": [math.exp(r.gauss(0, 2)) for _ in range(777)],
        "whole": [r.randrange(20) for _ in range(500)],
        "offset": [1e9 + r.gauss(0, 1e-3) for _ in range(2000)],
        "sorted": [i / 7 for i in range(3000)],
        "reversed": [-i / 7 for i in range(3000)],
        "two": [3.5, -1.25],
        "mostly equal": [1.5] * 900 + [2.5, 3.5, -7] * 30,
        "far first": [1e6] + [r.gauss(0, 1) for _ in range(300)],
        "far": [r.gauss(0, 1) for _ in range(300)] + [1e7],
    }


def whole(values):
    """All of them times one power of two: numbers without a fraction, whose sums are exact."""
    ratios = [v.as_integer_ratio() for v in values]
    unit = max(below for _, below in ratios)
    return [above * (unit // below) for above, below in ratios], unit


def exact_variance(values):
    (v, unit), n = whole(values), len(values)
    return Fraction(n * sum(x * x for x in v) - sum(v) ** 2, n * (n - 1) * unit**2)


def exact_root(x):
    """sqrt of a Fraction, to 40 digits."""
    return Fraction(math.isqrt(x.numerator * 10**80 // x.denominator), 10**40)


def exact_corr(x, y):
    (x, _), (y, _), n = whole(x), whole(y), len(x)
    products = lambda a, b: n * sum(map(operator.mul, a, b)) - sum(a) * sum(b)
    return float(products(x, y) / exact_root(Fraction(products(x, x) * products(y, y))))


# ---- quantile, median, stddev, corr

@test
def quantiles_of_made_data():
    for name, values in made().items():
        want = R(f"say('q', quantile(x, c({', '.join(map(repr, P))}), type=7, names=FALSE))", x=values)["q"]
        db, size = table(values), max(map(abs, values))
        got = db.execute(f"SELECT {', '.join(f'quantile(c0, {p!r})' for p in P)} FROM t").fetchone()
        for p, g, w in zip(P, got, want):
            check(abs(g - w) <= 4e-16 * size, f"{name} {p}: {g}, not {w}")
            check(abs(g - exact_quantile(values, p)) <= 4e-16 * size, f"{name} {p}: {g}, not {exact_quantile(values, p)}")
        near(one(db, "median(c0)"), statistics.median(values), 3e-16, f"median of {name}")


def exact_quantile(values, p):
    v = sorted(values)
    h = Fraction((len(v) - 1) * p)
    k = math.floor(h)
    low, high = Fraction(v[k]), Fraction(v[min(k + 1, len(v) - 1)])
    return float(low + (h - k) * (high - low))


@test
def deviations_of_made_data():
    for name, values in made().items():
        db = table(values)
        near(one(db, "stddev(c0)"), float(exact_root(exact_variance(values))), 1e-14, name)
        near(one(db, "stddev(c0)"), R("say('sd', sd(x))", x=values)["sd"][0], 1e-7 if "offset" in name else 1e-12, f"{name}, R")


@test
def correlations_of_made_data():
    r = rng()
    for name, x in made().items():
        for noise in (0.01, 10):
            y = [1e9 - noise * r.gauss(0, 1) + 3 * v for v in x]
            got = one(table(x, y), "corr(c0, c1)")
            check(abs(got - exact_corr(x, y)) < 1e-14, f"{name}: {got}, not {exact_corr(x, y)}")
            check(abs(got - R("say('r', cor(x, y))", x=x, y=y)["r"][0]) < (1e-6 if "offset" in name else 1e-11), f"{name}, R")
    equal(one(table([1, 2, 4], [-2, -4, -8]), "corr(c0, c1)"), -1.0)


def rank_sums(rows):
    """The sum of twice the ranks where `here`, and how probable each is, of all choices in each stratum."""
    chances, sum_, both = {0: Fraction(1)}, 0, False
    for stratum in {s for _, _, s in rows}:
        values = [(x, here) for x, here, s in rows if s == stratum]
        in_order, n = sorted(x for x, _ in values), sum(here for _, here in values)
        ranks = [2 * in_order.index(x) + 1 + in_order.count(x) for x, _ in values]
        choices, more = list(itertools.combinations(ranks, n)), {}
        if 0 < n < len(values):
            both = True
            for a, p in chances.items():
                for c in choices:
                    more[a + sum(c)] = more.get(a + sum(c), 0) + p / len(choices)
            chances, sum_ = more, sum_ + sum(r for r, (_, here) in zip(ranks, values) if here)
    return float(sum(p for a, p in chances.items() if a >= sum_)) if both else None


@test
def ranks_by_all_choices():
    r = random.Random(20)
    for _ in range(60):
        rows = [(r.randint(0, 5), r.random() < 0.4, r.randint(0, 3)) for _ in range(r.randint(1, 18))]
        got, want = one(table(*zip(*rows)), "rank_sum_p(c0, c1, c2)"), rank_sums(rows)
        check(got == want or abs(got - want) < 1e-12, f"{rows}: {got}, not {want}")


@cases((12, 9, True), (400, 300, False))
def ranks_as_R(here, there, exact):
    r = random.Random(here)
    x, y = [r.gauss(0.4, 1) for _ in range(here)], [r.gauss(0, 1) for _ in range(there)]
    want = R(f"say('p', wilcox.test(x, y, alternative='greater', exact={'TRUE' if exact else 'FALSE'}, correct=FALSE)$p.value)", x=x, y=y)["p"][0]
    near(one(table(x + y, [1] * here + [0] * there, [7] * (here + there)), "rank_sum_p(c0, c1, c2)"), want, 1e-9, "rank_sum_p")


@test
def times_in_nanoseconds():
    r = rng()
    times = [NS + r.randrange(1000) for _ in range(5000)]
    late = [t + r.randrange(50) for t in times]
    db = table(times, late)
    near(one(db, "stddev(c0)"), float(exact_root(exact_variance(times))), 1e-14, "stddev")
    near(one(db, "corr(c0, c1)"), exact_corr(times, late), 1e-13, "corr")
    near(one(db, "stddev(c0)", "FROM (SELECT CAST(c0 AS TEXT) AS c0 FROM t)"), statistics.stdev(t - NS for t in times), 1e-13, "stddev of texts")
    near(one(db, "median(c0)"), statistics.median(times), 1.2e-16, "median")
    fit = json.loads(one(db, "ols(c1, c0)"))
    slope = lm(R, y=[t - NS for t in late], x1=[t - NS for t in times])
    near(fit["coefficients"][1], slope["b"][1], 1e-11, "slope")
    near(fit["stderr"][1], slope["se"][1], 1e-11, "its error")
    near(fit["residual_stddev"], slope["sigma"][0], 1e-11, "residuals")
    near(fit["coefficients"][0], NS - slope["b"][1] * NS + slope["b"][0], 1e-9, "intercept")
    bins = json.loads(one(db, "histogram(c0)"))
    equal(sum(b["count"] for b in bins), 5000, "histogram")
    check(abs(bins[0]["low"] - min(times)) <= 128 and abs(bins[-1]["high"] - max(times)) <= 128, "its ends")


@test
def real_data():
    store, (wait, run, task), memory = real_run()
    db = connect(store)
    db.execute("""CREATE TEMP TABLE y AS SELECT (b.time_ns - a.time_ns) / 1e9 AS wait, (c.time_ns - b.time_ns) / 1e9 AS run, s.parent AS task FROM events a
        JOIN events b ON b.span = a.span AND b.type = 'running' JOIN events c ON c.span = a.span AND c.type = 'running_ended'
        JOIN spans s ON s.id = a.span WHERE a.type = 'launched'""")
    got = db.execute("SELECT median(wait), quantile(wait, 0.9), stddev(wait), median(run), stddev(run), corr(wait, run) FROM y").fetchone()
    r = R("""say('a', c(quantile(wait, c(0.5, 0.9), type=7), sd(wait), median(run), sd(run), cor(wait, run)))
        say('bw', bw.nrd0(wait))""", wait=wait, run=run)
    for g, w in zip(got, r["a"]):
        near(g, w, 1e-12, "tries")
    check_fit(json.loads(one(db, "ols(wait, run, task)", "FROM y")), lm(R, y=wait, x1=run, x2=task))
    check_histogram(db, "wait", "y", wait)
    check_kde(db, "wait", "y", wait)
    db.execute("CREATE TEMP VIEW m AS SELECT value FROM samples WHERE metric = 'psutil_process_memory_resident'")
    near(one(db, "median(value)", "FROM m"), statistics.median(memory), 0, "memory")
    near(one(db, "stddev(value)", "FROM m"), float(exact_root(exact_variance(memory))), 1e-14, "memory")
    check_histogram(db, "value", "m", memory)
    check_kde(db, "value", "m", memory)
    # the same in the program and in the shell
    sql = "SELECT median(key), quantile(key, 0.9), stddev(key), count(key), json_array_length(histogram(key)) FROM spans WHERE type = 'parsl.monitoring.task'"
    keys = [int(k) for k, in query(store, "SELECT key FROM spans WHERE type = 'parsl.monitoring.task'")]
    mine = [statistics.median(keys), exact_quantile(keys, 0.9), statistics.stdev(keys), len(keys)]
    program = json.loads(spanloom("sql", "-d", store, "--format", "json", sql).out)[0]
    shell = subprocess.run(["sqlite3", "-json", store, "-cmd", f".load {EXTENSION}", sql], stdout=subprocess.PIPE, text=True, check=True)
    for a, b, w in zip(list(program.values()), json.loads(shell.stdout)[0].values(), mine + [None]):
        near(a, b, 1e-14, "program and shell")
        near(a, b if w is None else w, 1e-14, "keys, which are text")


# ---- least squares

def lm(run, **columns):
    xs = " + ".join(c for c in columns if c != "y")
    return run(f"""m <- lm(y ~ {xs}); s <- summary(m); a <- coef(m); k <- !is.na(a)
        full <- function(j) {{ v <- rep(NA, length(a)); v[k] <- s$coefficients[, j]; v }}
        say('b', a); say('se', full(2)); say('t', full(3)); say('p', full(4)); say('df', s$df[2]); say('sigma', s$sigma)
        say('r2', c(s$r.squared, s$adj.r.squared)); f <- s$fstatistic
        if (!is.null(f)) say('f', c(f[1], pf(f[1], f[2], f[3], lower.tail=FALSE)))""", **columns)


def check_fit(got, want, relative=1e-9):
    def same_all(name, g, w):
        equal(len(g), len(w), name)
        for a, b in zip(g, w):
            if math.isnan(b):
                equal(a, None, name)
            else:
                near(a, b, relative * (100 if name == "p" else 1), name)
    same_all("coefficients", got["coefficients"], want["b"])
    same_all("stderr", got["stderr"], want["se"])
    same_all("t", got["t"], want["t"])
    same_all("p", got["p"], want["p"])
    same_all("r", [got["r_squared"], got["adj_r_squared"]], want["r2"])
    same_all("sigma", [got["residual_stddev"], got["df"]], want["sigma"] + want["df"])
    same_all("f", [got["f"]], want["f"][:1])
    near(got["f_p"], want["f"][1], relative * 100, "p of f")


@test
def least_squares():
    r = rng()
    for n in (4, 10, 255, 256, 257, 5000):
        x1, x2 = [r.gauss(0, 1) for _ in range(n)], [r.uniform(1e6, 2e6) for _ in range(n)]
        y = [3 - 2 * a + 1e-6 * b + r.gauss(0, 1) for a, b in zip(x1, x2)]
        db = table(y, x1, x2)
        check_fit(json.loads(one(db, "ols(c0, c1, c2)")), lm(R, y=y, x1=x1, x2=x2))
        check_fit(json.loads(one(db, "ols(c0, c1)")), lm(R, y=y, x1=x1))


@test
def least_squares_as_certified():
    """R's copy of Longley's data, and polynomials."""
    columns = R("for (n in names(longley)) say(n, longley[[n]])")
    names = ["GNP.deflator", "GNP", "Unemployed", "Armed.Forces", "Population", "Year"]
    y, xs = columns["Employed"], [columns[n] for n in names]
    check_fit(json.loads(one(table(y, *xs), "ols(c0, c1, c2, c3, c4, c5, c6)")), lm(R, y=y, **{f"x{i}": x for i, x in enumerate(xs)}))
    x = [i / 10 for i in range(60)]
    y = [1 + a - a**2 / 7 + a**3 / 90 - a**4 / 1000 + math.sin(37 * a) for a in x]
    powers = [[a**k for a in x] for k in range(1, 6)]
    check_fit(json.loads(one(table(y, *powers), "ols(c0, c1, c2, c3, c4, c5)")), lm(R, y=y, **{f"x{i}": x for i, x in enumerate(powers)}), 1e-7)


@test
def columns_that_follow_from_others():
    r = rng()
    a, c = [r.gauss(5, 1) for _ in range(300)], [r.random() for _ in range(300)]
    both, same_, flat = [u + 2 * v for u, v in zip(a, c)], [7 * u + 1 for u in a], [4.25] * 300
    y = [u - v + r.gauss(0, 0.1) for u, v in zip(a, c)]
    for xs in ([a, same_], [flat, a], [a, c, both], [both, a, c], [flat], [a, same_, flat, both, c]):
        got = json.loads(one(table(y, *xs), f"ols({', '.join(f'c{i}' for i in range(len(xs) + 1))})"))
        want = lm(R, y=y, **{f"x{i}": x for i, x in enumerate(xs)})
        if "f" in want:
            check_fit(got, want)
        else:
            equal((got["coefficients"][1], got["f"], got["r_squared"]), (None, None, 0), "of nothing")
            near(got["coefficients"][0], statistics.fmean(y), 1e-14, "the mean")
            near(got["residual_stddev"], statistics.stdev(y), 1e-13, "its deviation")
    exact = json.loads(one(table([2, 4, 6], [1, 2, 3]), "ols(c0, c1)"))
    equal((exact["coefficients"], exact["r_squared"], exact["df"]), ([0, 2], 1, 1), "all on a line")
    few = json.loads(one(table([2, 5], [1, 2]), "ols(c0, c1)"))
    equal((few["df"], few["stderr"], few["f"], few["residual_stddev"]), (0, [None, None], None, None), "two points")
    near(few["coefficients"][1], 3, 1e-14, "two points")
    level = json.loads(one(table([2, 2, 2], [1, 2, 4]), "ols(c0, c1)"))
    equal((level["coefficients"], level["r_squared"], level["f"]), ([2, 0], None, None), "y is constant")


# ---- histogram, kde, spark

def check_histogram(db, column, of, values):
    """R counts between the edges that we give; how many these are, it knows where it does not round to pretty ones."""
    for arguments in ("", ", 1", ", 7", ", 100"):
        got = json.loads(one(db, f"histogram({column}{arguments})", f"FROM {of}"))
        edges = [b["low"] for b in got] + [got[-1]["high"]]
        equal([b["high"] for b in got[:-1]], edges[1:-1], "edges")
        equal((edges[0], edges[-1]), (min(values), max(values)), "ends")
        width = (edges[-1] - edges[0]) / len(got)
        for i, e in enumerate(edges):
            check(abs(e - (edges[0] + i * width)) <= 4e-16 * max(map(abs, edges)), f"edge {i}: {e}")
        r = R("""h <- hist(v, breaks=e, right=FALSE, include.lowest=TRUE, plot=FALSE); say('n', h$counts)
            q <- IQR(v, type=7); say('k', if (q > 0) ceiling(diff(range(v)) / (2 * q / length(v)^(1/3))) else nclass.Sturges(v))""", v=values, e=edges)
        # R moves its breaks by 1e-7 of a bin, so it may be one off where a value lies on one
        near_edge = sum(1 for v in values for e in edges if 0 < abs(v - e) < 2e-7 * width)
        if not near_edge:
            mine = [sum(a <= v < b for v in values) for a, b in zip(edges, edges[1:])]
            mine[-1] += values.count(edges[-1])
            equal([b["count"] for b in got], mine, "counts")
            equal([b["count"] for b in got], [int(c) for c in r["n"]], "counts, R")
        equal(len(got), int(arguments[2:] or min(r["k"][0], 1000)), "bins")


def check_kde(db, column, of, values):
    bw = R("say('bw', bw.nrd0(v)); d <- density(v); say('x', d$x); f <- density(v, n=2^17); say('y', approx(f$x, f$y, d$x)$y)", v=values)
    got = json.loads(one(db, f"kde({column})", f"FROM {of}"))
    h = bw["bw"][0]
    equal(len(got), 512, "points")
    grid = R(f"say('x', seq(min(v) - 3 * {h!r}, max(v) + 3 * {h!r}, length.out=512))", v=values)["x"]
    size = max(map(abs, grid))
    top = max(bw["y"])
    for g, x, rx, ry in zip(got, grid, bw["x"], bw["y"]):
        check(abs(g["x"] - x) <= 1e-11 * size and abs(g["x"] - rx) <= 1e-9 * size, f"x: {g['x']}, {x}, {rx}")
        check(abs(g["density"] - ry) < 5e-3 * top, f"density at {x}: {g['density']}, R's {ry}")
    for g in got[::37]:
        want = math.fsum(math.exp(-((g["x"] - v) / h) ** 2 / 2) for v in values) / (len(values) * h * math.sqrt(2 * math.pi))
        check(abs(g["density"] - want) <= 1e-9 * top, f"density at {g['x']}: {g['density']}, not {want}")
    few = json.loads(one(db, f"kde({column}, 9, {3 * h!r})", f"FROM {of}"))
    for g in few:
        want = math.fsum(math.exp(-((g["x"] - v) / 3 / h) ** 2 / 2) for v in values) / (len(values) * 3 * h * math.sqrt(2 * math.pi))
        check(abs(g["density"] - want) <= 1e-13 * top, f"density at {g['x']}: {g['density']}, not {want}")
    near(few[0]["x"], min(values) - 9 * h, 1e-13, "first")
    near(few[-1]["x"], max(values) + 9 * h, 1e-13, "last")


@cases(*["normal", "heavy", "whole", "sorted", "mostly equal", "far"])
def spread_of(name):
    values = made()[name]
    db = table(values)
    check_histogram(db, "c0", "t", values)
    if name != "far":  # a grid of 512 points does not see where R's values are
        check_kde(db, "c0", "t", values)


@test
def sparks():
    db = connect()
    for bins, want in (("[]", ""), ("[0, 1, 2, 4, 8]", " ▁▂▄█"), ("[8, 8]", "██"), ("[1, 1000000]", "▁█"), ("[0, 0]", "  "), ("[null, 1]", " █")):
        equal(one(db, f"spark('{bins}')", ""), want, bins)
    equal(one(db, "spark('[0, 1, 10, 100, 1000]', 1)", ""), " ▁▃▆█", "log")
    equal(one(db, "spark(NULL)", ""), None)
    equal(one(db, "spark(histogram(value, 4), 0)", "FROM json_each('[1, 1, 2, 3, 4, 4, 4, 4]')"), "▄▂▂█", "of a histogram")
    equal(len(one(db, "spark(kde(value, 33))", "FROM json_each('[1, 1, 2, 3, 4, 4, 4, 4]')")), 33, "of a kde")
    for bad in ("no", "[[1]]", '["a"]', '[{"low": 1}', "[-1]"):
        refused(db, f"SELECT spark('{bad}')", "spark(): ")


# ---- what is no number, and what there is little of

@test
def little():
    db = table([None, None], ["a", None])
    for rest in ("FROM t", "FROM t WHERE 0"):
        for f in ("quantile(c0, 0.5)", "median(c0)", "stddev(c0)", "corr(c0, c1)", "ols(c0, c1)"):
            equal(one(db, f, rest), None, f)
        for f in ("histogram(c0)", "histogram(c0, 3)", "kde(c0)", "kde(c0, 4, 1)"):
            equal(one(db, f, rest), "[]", f)
    db = table([2.5], [7])
    equal(db.execute("SELECT median(c0), quantile(c0, 0), quantile(c0, 1), stddev(c0), corr(c0, c1), kde(c0), histogram(c0) FROM t").fetchall(),
          [(2.5, 2.5, 2.5, None, None, None, '[{"low":2.5,"high":2.5,"count":1}]')], "one")
    equal(json.loads(one(db, "ols(c1, c0)"))["coefficients"], [7, None], "one")
    peak = json.loads(one(db, "kde(c0, 3, 0.5)"))
    equal([g["x"] for g in peak], [1.0, 2.5, 4.0], "one")
    near(peak[1]["density"], 1 / (0.5 * math.sqrt(2 * math.pi)), 1e-15, "one")
    db = table([0.1] * 1000, range(1000))
    equal(db.execute("SELECT median(c0), quantile(c0, 0.37), stddev(c0), corr(c0, c1), kde(c0), histogram(c0), histogram(c0, 9) FROM t").fetchall(),
          [(0.1, 0.1, 0.0, None, None, *['[{"low":0.1,"high":0.1,"count":1000}]'] * 2)], "constant")


@test
def nulls_and_texts():
    db = table([1, None, "3", 4.0, "5e0", "-006", " 7"[1:], "9007199254740993"], [2, 9, None, 3, "8", "1", 1, 0])
    rest = "FROM t WHERE rowid < 8"
    equal(one(db, "median(c0)", rest), statistics.median([1, 3, 4, 5, -6, 7]))
    near(one(db, "corr(c0, c1)", rest), exact_corr([1, 4, 5, -6, 7], [2, 3, 8, 1, 1]), 1e-15)
    equal(json.loads(one(db, "ols(c0, c1)", rest))["n"], 5)
    equal(one(db, "stddev(c0)", "FROM (SELECT c0 FROM t WHERE rowid = 8 UNION ALL SELECT 9007199254740994 UNION ALL SELECT 9007199254740995)"), 1.0, "digits of texts")
    equal(db.execute("SELECT typeof(c0) FROM t WHERE rowid = 3").fetchall(), [("text",)])
    for bad in ("abc", "", " 1", "1 ", "0x10", "inf", "nan", "1e", "--1", ".", "1_000", "é" * 300, "1\0002"):
        for f, name in (("median(?)", "median"), ("quantile(?, 0.5)", "quantile"), ("stddev(?)", "stddev"), ("corr(1, ?)", "corr"),
                        ("ols(1, 2, ?)", "ols"), ("histogram(?)", "histogram"), ("kde(?)", "kde")):
            try:
                got = db.execute(f"SELECT {f}", (bad,)).fetchall()
            except sqlite3.OperationalError as error:
                shown = bad.replace("\0", "\\x00") if len(bad) < 20 else bad[:20] + "..."
                equal(str(error), f"{name}(): '{shown}' is not a number")
            else:
                raise AssertionError(f"{f} of {bad!r} gave {got}")
    refused(db, "SELECT kde(x'3132')", "kde(): a blob is not a number")


@test
def infinities():
    db = connect()
    values = "FROM (SELECT 1.0 AS v UNION ALL SELECT 9e999 UNION ALL SELECT 2 UNION ALL SELECT '1e999')"
    equal(db.execute(f"SELECT median(v), quantile(v, 0), quantile(v, 0.25), quantile(v, 1) {values}").fetchall(), [(math.inf, 1.0, 1.75, math.inf)])
    equal(one(db, "median(v)", "FROM (SELECT 9e999 AS v UNION ALL SELECT -9e999)"), None, "between")
    for f in ("stddev(v)", "corr(v, v)", "ols(v, v)", "histogram(v)", "kde(v)"):
        refused(db, f"SELECT {f} {values}", f[:3], "(): a value is infinite")
    far = "FROM (SELECT 1.7e308 AS v UNION ALL SELECT -1.7e308)"
    for f in ("stddev(v)", "corr(v, v)", "ols(v, v)", "kde(v)"):
        refused(db, f"SELECT {f} {far}", f[:3], "(): the values are too far apart")
    later = "FROM (SELECT value AS i, CASE WHEN value < 400 THEN value ELSE 1e250 END AS v FROM json_each(?))"
    for f in ("stddev(v)", "corr(v, i)", "ols(i, v)", "ols(v, i)"):
        try:
            got = db.execute(f"SELECT {f} {later}", (json.dumps(list(range(999))),)).fetchall()
        except sqlite3.OperationalError as error:
            check("too far apart" in str(error), f, error)
        else:
            raise AssertionError(f"{f} gave {got}")
    equal([b["count"] for b in json.loads(one(db, "histogram(v, 4)", far))], [1, 0, 0, 1], "far apart")


@test
def arguments():
    db = table([1, 2, 3], [0.5, 0.5, 0.6])
    for p in ("-0.1", "1.0001", "9e999", "'x'", "NULL", "x'00'"):
        refused(db, f"SELECT quantile(c0, {p}) FROM t", "quantile(): ")
    refused(db, "SELECT quantile(c0, c1) FROM t", "p must be the same in all rows")
    equal(one(db, "quantile(c0, '0.5')"), 2.0)
    equal(db.execute("SELECT quantile(c0, c1) FROM t GROUP BY c1 ORDER BY 1").fetchall(), [(1.5,), (3.0,)], "a group, a p")
    for bins in ("0", "-1", "1.5", "100001", "9e999", "'x'"):
        refused(db, f"SELECT histogram(c0, {bins}) FROM t", "histogram(): ")
    for points in ("1", "0", "2.5", "100001", "c0 + 1"):
        refused(db, f"SELECT kde(c0, {points}) FROM t", "kde(): ")
    for h in ("0", "-1", "9e999", "c0", "1e-301"):
        refused(db, f"SELECT kde(c0, 9, {h}) FROM t", "kde(): ")
    equal(one(db, "histogram(c0, NULL)"), one(db, "histogram(c0)"), "NULL is the default")
    equal(one(db, "kde(c0, NULL, NULL)"), one(db, "kde(c0, 512)"), "NULL is the default")
    refused(db, "SELECT ols(c0) FROM t", "ols(): takes y")
    refused(db, "SELECT ols() FROM t", "ols(): takes y")
    many = ", ".join(["c0"] * 127)
    equal(json.loads(one(db, f"ols({many})"))["coefficients"][2:], [None] * 125, "127 arguments")


@test
def groups_and_json():
    r = rng()
    rows = [(r.choice("abc"), r.gauss(0, 1)) for _ in range(3000)]
    db = table(*zip(*rows))
    got = db.execute("""SELECT c0, median(c1), quantile(c1, 0.9), stddev(c1), corr(c1, c1 * c1), json_object('h', histogram(c1, 5), 'o', ols(c1, c1 * c1)),
        median(c1) FILTER (WHERE c1 > 0), count(DISTINCT c1) FROM t GROUP BY c0 ORDER BY c0""").fetchall()
    for key, median, p90, sd, corr, text, positive, n in got:
        values = [v for k, v in rows if k == key]
        equal(n, len(values), "rows")
        near(median, statistics.median(values), 1e-15, "median")
        near(p90, exact_quantile(values, 0.9), 1e-15, "quantile")
        near(sd, statistics.stdev(values), 1e-14, "stddev")
        near(corr, exact_corr(values, [v * v for v in values]), 1e-12, "corr")
        near(positive, statistics.median(v for v in values if v > 0), 1e-15, "FILTER")
        inside = json.loads(text)
        equal(sum(b["count"] for b in inside["h"]), n, "JSON in JSON")
        equal(inside["o"]["n"], n, "JSON in JSON")
    equal(db.execute("""SELECT h.key, sum(json_extract(j.value, '$.count')) FROM (SELECT c0 AS key, histogram(c1) AS h FROM t GROUP BY 1) h, json_each(h.h) j
        GROUP BY 1""").fetchall(), [(k, sum(1 for r in rows if r[0] == k)) for k in "abc"], "json_each")


@test
def where_a_program_has_such_a_function():
    """As RSQLite has a median(), and `SELECT load_extension()` is a statement: SQLite then refuses to replace it."""
    class Mine:
        def step(self, x):
            pass

        def finalize(self):
            return "mine"

    def theirs():
        db = sqlite3.connect(":memory:")
        db.create_aggregate("median", 1, Mine)
        db.enable_load_extension(True)
        return db
    db = theirs()
    db.execute("SELECT load_extension(?)", (EXTENSION,)).fetchall()
    equal(db.execute("SELECT median(1), quantile(1, 0.5), spark(histogram(1))").fetchall(), [("mine", 1.0, "█")])
    db = theirs()
    db.load_extension(EXTENSION)
    equal(one(db, "median(1)", ""), 1.0, "without a statement ours is there")


# ---- many

@cases("random", "ascending", "descending", "equal", "up and down", "few")
def a_million(order):
    n = 1_000_000
    r = rng()
    values = {"random": lambda i: r.random(), "ascending": lambda i: i, "descending": lambda i: -i, "equal": lambda i: 7,
              "up and down": lambda i: min(i, n - i), "few": lambda i: i * 7919 % 3}[order]
    values = [values(i) for i in range(n)]
    db = table(values)
    start = time.process_time()
    got = db.execute("SELECT median(c0), quantile(c0, 0.999), stddev(c0), corr(c0, rowid), ols(c0, rowid), histogram(c0), kde(c0) FROM t").fetchone()
    seconds = time.process_time() - start
    note(f"all seven of a million: {seconds:.2f} s")
    check(seconds < SLOW, f"{seconds} s")
    ordered = sorted(values)
    equal(got[0], (ordered[n // 2 - 1] + ordered[n // 2]) / 2, "median")

    def quantile(p):
        k, share = divmod((n - 1) * p, 1)
        return ordered[int(k)] + share * (ordered[int(k) + 1] - ordered[int(k)])
    near(got[1], quantile(0.999), 1e-12, "quantile")
    mean = math.fsum(values) / n
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
    check(abs(got[2] - sd) <= 1e-12 * sd, f"stddev {got[2]}, not {sd}")
    equal(sum(b["count"] for b in json.loads(got[5])), n, "histogram")
    if order == "equal":
        equal((got[3], got[6]), (None, None), "constant")
        return
    near(json.loads(got[4])["r_squared"], got[3] ** 2, 1e-9 if got[3] ** 2 > 1e-3 else 1e-3, "corr and ols")
    grid = json.loads(got[6])
    h = 0.9 * min(sd, (quantile(0.75) - quantile(0.25)) / 1.34) * n ** -0.2
    near(max(values) + 3 * h, grid[-1]["x"], 1e-9, "last point")
    if order != "few":
        area = sum(a["density"] for a in grid) * (grid[1]["x"] - grid[0]["x"])
        near(area, 1, 1e-3, "area")


@test
def p_values_of_many():
    """Whether t and F are right far out and with many rows: R's pt and pf."""
    n = 200_000
    for slope in (0, 2e-5, 1e-4, 1e-3):
        r = rng()
        x = [i / 1000 for i in range(n)]
        y = [slope * a + r.gauss(0, 1) for a in x]
        check_fit(json.loads(one(table(y, x), "ols(c0, c1)")), lm(R, y=y, x1=x), 1e-9)


main()
