# SPDX-License-Identifier: Apache-2.0
"""Made studies whose truth is known, and how often answers of spanloom hold it.

A study has six treatments: a and b change the score, the others (c, d, e, f) do nothing. What is between runs comes in
kinds: as one would wish it; with heavy tails; with errors of which the next run has a part again; with a trend; with
runs that fail because they take too long; and with treatments that stay for ten runs on end, as somebody does who hates
to change settings, beside errors of which the next run has a part.
"""
import collections
import itertools
import math

KINDS = ("normal", "heavy tails", "drift", "trend", "time-outs", "drift, blocks")
NAMES = "abcdef"
EFFECT = {"a": 0.20, "b": -0.15, **dict.fromkeys("cdef", 0.0)}  # of log(score)
FAILS = 0.05, 0.20  # shares of runs that fail, without a and with it
SPREAD, BASE, TREND, STEP_S = 0.15, 6.0, 0.3, 600
FAR, WIDER = 0.1, 4  # heavy tails: so many errors are so many times wider
LIMIT = math.exp(BASE + 0.25)  # of one in seven runs
CORE = SPREAD / math.sqrt(1 - FAR + FAR * WIDER**2)


def error(kind, r, last):
    """Of log(score), of the next run, and what the one after it knows of it."""
    if kind == "heavy tails":
        return CORE * r.gauss(0, 1) * (WIDER if r.random() < FAR else 1), 0.0
    if kind.startswith("drift"):
        now = 0.7 * last + SPREAD * math.sqrt(1 - 0.7**2) * r.gauss(0, 1)
        return now, now
    return SPREAD * r.gauss(0, 1), 0.0


def study(kind, r, n):
    """[{a: 0, ..., unix_time, y}]; y: empty where the run failed."""
    rows, last, x = [], 0.0, {}
    for i in range(n):
        if i % 10 == 0 or not kind.endswith("blocks"):
            x = {t: r.randrange(2) for t in NAMES}
        e, last = error(kind, r, last)
        y = math.exp(BASE + sum(EFFECT[t] * x[t] for t in NAMES) + e + (TREND * i / n if kind == "trend" else 0))
        failed = y > LIMIT if kind == "time-outs" else r.random() < FAILS[x["a"]]
        rows.append({**x, "unix_time": 1_700_000_000 + STEP_S * i, "y": "" if failed else f"{y:.6f}"})
    return rows


def difference(kind, treatment, n):
    """Of the mean scores with the treatment and without, of infinitely many studies."""
    of_errors = math.exp(SPREAD**2 / 2)
    if kind == "heavy tails":
        of_errors = (1 - FAR) * math.exp(CORE**2 / 2) + FAR * math.exp((WIDER * CORE)**2 / 2)
    if kind == "trend":
        of_errors *= sum(math.exp(TREND * i / n) for i in range(n)) / n
    others = math.prod((1 + math.exp(EFFECT[t])) / 2 for t in NAMES if t != treatment)
    return math.exp(BASE) * of_errors * others * math.expm1(EFFECT[treatment])


def share(treatment):
    """Of the variance of log(score), in studies without a trend: of independent columns of 0 and 1."""
    explained = {t: EFFECT[t]**2 / 4 for t in NAMES}
    return explained[treatment] / (sum(explained.values()) + SPREAD**2)


def shapley(names):
    """What each adds to exp(mean log(score)) of a run with none of the others, over all orders."""
    added, orders = collections.Counter(), list(itertools.permutations(names))
    for order in orders:
        before = math.exp(BASE)
        for t in order:
            now = before * math.exp(EFFECT[t])
            added[t] += (now - before) / len(orders)
            before = now
    return added


class Tally:
    """How often something was so, or how much, on average: {(kind, what): [sum, of]}."""

    def __init__(self):
        self.of = collections.defaultdict(lambda: [0.0, 0])

    def add(self, kind, what, value):
        self.of[kind, what][0] += value
        self.of[kind, what][1] += 1

    def mean(self, kind, what):
        total, of = self.of[kind, what]
        return total / of if of else math.nan


def hold(tally, kind, query, where, n):
    """Do the intervals of one study, of n runs that `where` chooses, hold the truth? By query(sql, *args)."""
    def held(what, low, high, truth):
        if low is not None:
            tally.add(kind, what, low <= truth <= high)
    if kind == "time-outs":  # without them all else is about the runs that were quick
        for what, how in ("model, failed runs left out", "log"), ("model, failed runs as the limit or worse", f"log limit={LIMIT!r}"):
            for t, low, high in query("SELECT term, lower, upper FROM experiment_model(?, ?)", where, how):
                if t in EFFECT:
                    held(what, low, high, EFFECT[t])
        return
    for t, low, high, dlow, dhigh in query("SELECT treatment, lower, upper, difference_lower, difference_upper FROM experiment_means(?)", where):
        held("means", dlow, dhigh, difference(kind, t, n))
        held("deltas", low, high, difference(kind, t, n))
    for t, low, high in query("SELECT term, lower, upper FROM experiment_model(?, 'log')", where):
        if t in EFFECT:
            held("model", low, high, EFFECT[t])
    if kind != "trend":  # which is told at its mean time
        for t, low, high in query("SELECT treatment, lower, upper FROM experiment_shapley(?, NULL, NULL, 'a,b,c')", where):
            held("shapley", low, high, shapley("abc")[t])
    for t, low, high, blow, bhigh in query("SELECT treatment, lower, upper, better_lower, better_upper FROM experiment_failures(?)", where):
        held("failures", low, high, FAILS[1] - FAILS[0] if t == "a" else 0)
        if EFFECT[t] == 0:
            held("failures: better", blow, bhigh, 0.5)
    if kind not in ("trend", "drift, blocks"):
        for t, low, high in query("SELECT factor, lower, upper FROM experiment_variance(?, 'log no-time')", where):
            if EFFECT[t]:
                held("variance", low, high, share(t))
    for low, high in query("SELECT trend_lower, trend_upper FROM experiment_drift(?) LIMIT 1", where):
        held("drift: trend", low, high, TREND * 3600 / STEP_S / n if kind == "trend" else 0)


def mark(tally, kind, query, where):
    """Of what does nothing, is anything marked as sure (Holm: in 5 % of studies), or as likely (5 % of the marked)?"""
    for what, name, p, sql in (("means", "treatment", "difference_p", "experiment_means(?)"), ("model", "term", "p", "experiment_model(?, 'log')"),
                               ("tiles", "treatment || other", "p", "experiment_tiles(?, 'log')"), ("failures", "treatment", "p", "experiment_failures(?)")):
        nothing = lambda t: t not in ("ab" if kind == "time-outs" else "a") if what == "failures" else what == "tiles" or t not in "ab"
        rows = [r for r in query(f"SELECT {name}, {p}_holm, {p}_bh FROM {sql}", where) if what == "tiles" or r[0] in EFFECT]
        tally.add(kind, f"{what}: **, where nothing is", any(nothing(t) and holm is not None and holm < 0.05 for t, holm, _ in rows))
        found = [t for t, _, bh in rows if bh is not None and bh < 0.05]
        tally.add(kind, f"{what}: of *, what is nothing", sum(map(nothing, found)) / max(1, len(found)))
    if kind != "trend":
        (changes,), = query("SELECT count(*) - 1 FROM experiment_drift(?)", where)
        tally.add(kind, "drift: changes, where none is", changes > 0)
