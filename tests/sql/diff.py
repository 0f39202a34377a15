#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""transitions() and `spanloom diff` against what Python works out from the views: medians and tails of every transition,
intervals by resampling, orderings, what the gate sees.  On random stores, made samples and real runs, of which some had
their times changed by a known amount."""
import bisect
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
from reference import *  # noqa

DATA = f"{ROOT}/tests/data"
STEP = ("parsl.executor.htex.worker.task", "worker_completed_task", "parsl.executor.htex.worker.task", "worker_all_finished_task")
_RUNS = {}


# ---- by the definitions

def steps(told):
    """Of each root, each pair of neighbours."""
    return [(root, i, *a[1:], *b[1:], a[0], Fraction(b[0] - a[0], 10**9)) for root, events in told.items()
            for i, (a, b) in enumerate(zip(events, events[1:]), 1)]


def below(db, span):
    """The ids of all that belongs to a span, itself too."""
    seen, border = {span}, {span}
    while border:
        more = set()
        for x in border:
            more |= {i for i, in db.execute("SELECT subspan_uuid FROM subspan WHERE superspan_uuid = ?1 UNION SELECT right_uuid FROM facet "
                                            "WHERE left_uuid = ?1 UNION SELECT left_uuid FROM facet WHERE right_uuid = ?1", (x,))}
        border = more - seen
        seen |= more
    return seen


def quantile(values, p):
    """Hyndman and Fan's definition 7; values ascend."""
    h = (len(values) - 1) * Fraction(p)
    k = int(h)
    return values[k] + (h - k) * (values[min(k + 1, len(values) - 1)] - values[k])


class Side:
    def __init__(self, store, kind, roots=None):
        db = sqlite3.connect(store)
        self.told = {root: events for root, events in stories(db, kind).items() if roots is None or root in roots}
        self.samples = collections.defaultdict(list)
        for _, _, *what, _, seconds in steps(self.told):
            self.samples[tuple(what)].append(seconds)
        for v in self.samples.values():
            v.sort()
        self.story = sorted(Fraction(e[-1][0] - e[0][0], 10**9) for e in self.told.values() if e)
        self.orderings = collections.Counter(" ".join(f"{s}/{e}" for _, s, e in events) for events in self.told.values())


def diff(*args, code=0):
    return json.loads(spanloom("diff", "--lens", "none", "--format", "json", *args, code=code).out)


def close(got, want, *what):
    check(got is not None and abs(Fraction(got) - want) <= Fraction(1, 10**11) * max(1, abs(want)), *what, f"got {got}, want {float(want)}")


def check_row(row, a, b, what):
    equal((row["n_a"], row["n_b"]), (len(a), len(b)), what)
    for name, p in (("median", "0.5"), ("p95", "0.95"), ("p99", "0.99")):
        change, low, high = (row[("" if name == "median" else name + "_") + x] for x in ("change_s", "low_s", "high_s"))
        for letter, v in (("a", a), ("b", b)):
            if v:
                close(row[f"{name}_{letter}_s"], quantile(v, p), what, name, letter)
            else:
                equal(row[f"{name}_{letter}_s"], None, what)
        if a and b:
            close(change, quantile(b, p) - quantile(a, p), what, name)
        least = min(len(a), len(b))
        enough = 1 - float(p)**least - (1 - float(p))**least >= 0.95
        check((low is not None) == (high is not None) == enough, what, name, least, low, high)
        if enough:
            check(low <= high, what, name, low, high)


def check_diff(rows, a, b):
    of = collections.defaultdict(list)
    for row in rows:
        of[row["what"]].append(row)
    check_row(of["story"][0], a.story, b.story, "story")
    names = [(r["from_type"], r["from_event"], r["to_type"], r["to_event"]) for r in of["transition"]]
    equal(sorted(names), sorted(a.samples.keys() | b.samples.keys()), "transitions")
    for name, row in zip(names, of["transition"]):
        check_row(row, a.samples.get(name, []), b.samples.get(name, []), name)
    weights = []
    for row in of["transition"]:
        shares = row["n_a"] / len(a.told), row["n_b"] / len(b.told)
        both = min(shares) > 0
        alike = min(shares) >= 0.9 * max(shares)  # else other tasks are compared
        sure = both and alike and row["low_s"] is not None and (row["low_s"] > 0 or row["high_s"] < 0)
        weights.append((both + sure, abs(row["change_s"]) * min(shares) if both else (row["median_a_s"] or 0) * shares[0] + (row["median_b_s"] or 0) * shares[1]))
    for x, y in zip(weights, weights[1:]):
        check(x[0] > y[0] or x[0] == y[0] and x[1] >= y[1] * (1 - 1e-9), "not in order", x, y)
    want = {(o, n, 0) for o, n in a.orderings.items() if o not in b.orderings} | {(o, 0, n) for o, n in b.orderings.items() if o not in a.orderings}
    equal({(r["events"], r["n_a"], r["n_b"]) for r in of["sequence"]}, want, "orderings")
    equal(len(of["sequence"]), len(want), "orderings twice")
    return of


# ---- runs

def moved(log, data, words, seconds):
    """Lines with these words, later."""
    def later(m):
        us = int(m[1]) * 10**6 + int(m[2]) + round(seconds * 10**6)
        return b"%d.%06d" % divmod(us, 10**6) + m[3]
    return re.sub(rb"(?m)^(\d{10})\.(\d{6})(.*" + words + rb".*)$", later, data)


def stretched(data, factor, begin=1795162290):
    """All times further from the beginning."""
    def longer(m):
        us = begin * 10**6 + round(factor * ((int(m[1]) - begin) * 10**6 + int(m[2])))
        return b"%d.%06d" % divmod(us, 10**6)
    return re.sub(rb"(?m)^(\d{10})\.(\d{6})", longer, data)


def run(name):
    """A store of each, made once."""
    if name not in _RUNS:
        where = tempfile.mkdtemp(prefix="spanloom-diff-", dir=SCRATCH)
        at = {"example": lambda: EXAMPLE,
              "late": lambda: copy_run(f"{where}/r", change=lambda log, data: moved(log, data, b"All processing finished", 0.02) if "worker_" in log else data),
              "logs": lambda: copy_run(f"{where}/r", db=False),
              "slow": lambda: copy_run(f"{where}/r", db=False, change=lambda log, data: stretched(data, 1.12))}.get(name, lambda: f"{DATA}/{name}")()
        _RUNS[name] = imported(at, store=f"{where}/s.db").store
    return _RUNS[name]


# ---- transitions()

@cases(*range(20))
def transitions_of_random_stores(seed):
    r = random.Random(seed)
    store = path("r.db")
    db = random_store(store, r)
    for kind in [t for t, in db.execute("SELECT DISTINCT type FROM span")]:
        told = steps(stories(db, kind))
        spans = [i for i, in db.execute("SELECT uuid FROM span")]
        top, low = r.choice(spans), r.choice(spans)
        inside = below(db, top)
        got = ask(store, f"SELECT * FROM transitions('{kind}')", f"SELECT * FROM transitions('{kind}', {top})",
                  f"SELECT * FROM transitions('{kind}') WHERE span >= {low}", f"SELECT * FROM transitions('{kind}') WHERE span = {low}",
                  f"SELECT t.* FROM span s JOIN transitions('{kind}', {top}) t ON t.span = s.uuid ORDER BY t.span, t.position")
        near(got[0], told, f"{kind}")
        near(got[1], [x for x in told if x[0] in inside], f"{kind} within {top}")
        near(got[2], [x for x in told if x[0] >= low], f"{kind} from {low}")
        near(got[3], [x for x in told if x[0] == low], f"{kind} {low}")
        near(got[4], [x for x in told if x[0] in inside], f"{kind} joined")


@test
def transitions_of_a_run():
    store = run("example")
    db = sqlite3.connect(store)
    for kind in ("parsl.monitoring.task", "parsl.rundir.try", "parsl.rundir.workflow"):
        near(ask(store, f"SELECT * FROM transitions('{kind}')")[0], steps(stories(db, kind)), kind)
    equal(ask(store, "SELECT count(*) FROM transitions('none')"), [[(0,)]])
    check("given by its id, a whole number" in ask(store, "SELECT * FROM transitions('parsl.rundir.try', 'x')")[0])
    check("arguments are missing" in ask(store, "SELECT * FROM transitions")[0])


# ---- numbers

@cases(("example", "late", "parsl.monitoring.task"), ("example", "logs", "parsl.rundir.task"), ("slow", "late", "parsl.executor.htex.worker.task"),
       ("parsl-2024-lost", "parsl-2025-lost", "parsl.monitoring.try"), ("parsl-2026-threads", "parsl-2026-nomonitoring", "parsl.rundir.task"),
       ("workqueue-bare", "workqueue-two", "workqueue.task"), ("example", "example", "parsl.rundir.workflow"))
def real_runs(a, b, kind):
    rows = diff(run(a), run(b), "--type", kind)
    of = check_diff(rows, Side(run(a), kind), Side(run(b), kind))
    path_of(of, [run(a), run(b)])


def path_of(of, stores):
    """The makespan is that of the workflow; on the critical path every moment is once."""
    sums, spans = [], []
    for letter, store in zip("ab", stores):
        sums.append(sum(r[f"median_{letter}_s"] for r in of["critical_path"]))
        roots = [i for i, in query(store, "SELECT id FROM spans WHERE parent IS NULL AND type IN (SELECT type FROM sl_role WHERE role = 'workflow')")]
        db = sqlite3.connect(store)
        inside = [below(db, i) for i in roots]
        flows = {frozenset(x) for x in inside}
        if len(flows) != 1:
            return equal((of["makespan"][0]["median_a_s"], of["critical_path"]), (None, []), "several workflows")
        times = [t for i, t in db.execute("SELECT span, time_ns FROM events") if i in inside[0]]
        spans.append(Fraction(max(times) - min(times), 10**9))
        close(of["makespan"][0][f"median_{letter}_s"], spans[-1], "makespan")
        close(sums[-1], spans[-1], "critical path")
    close(of["makespan"][0]["change_s"], spans[1] - spans[0], "makespan")


@cases(*range(6))
def random_stores(seed):
    """Cycles, roots without events, equal times; some events are in one store only."""
    r = random.Random(f"diff {seed}")
    stores = [path("a.db"), path("b.db")]
    dbs = [random_store(s, r) for s in stores]
    for kind in set.intersection(*({t for t, in db.execute("SELECT DISTINCT type FROM span")} for db in dbs)):
        check_diff(diff(*stores, "--type", kind), Side(stores[0], kind), Side(stores[1], kind))


@test
def runs_of_one_store():
    """A run is only what belongs to it."""
    other = rewritten_run(path("other"), move=3600, run_id=RUN_ID[:-1] + "6", number="001", share=0.6)
    store = imported(EXAMPLE, other).store
    db = sqlite3.connect(store)
    flows = dict(db.execute("SELECT key, id FROM spans WHERE type = 'parsl.monitoring.workflow'"))
    sides = [Side(store, "parsl.monitoring.task", below(db, flows[key])) for key in (RUN_ID, RUN_ID[:-1] + "6")]
    check(0 < len(sides[1].told) < len(sides[0].told), "the second run is no shorter")
    for args in (("-d", store, RUN_ID, "001"), (f"{store}:000", f"{store}:{RUN_ID[:-1]}6")):
        check_diff(diff(*args), *sides)
    whole = diff(store, store)
    equal((whole[1]["n_a"], whole[0]["median_a_s"]), (len(sides[0].story) + len(sides[1].story), None), "all runs")
    r = spanloom("diff", "-d", store, RUN_ID[:8], "001", code=1)
    check("2 spans answer to that" in r.err and RUN_ID in r.err, r)


# ---- intervals

def resampled(r, values, p):
    return float(quantile(sorted(r.choices(values, k=len(values))), p))


@cases(("0.5", ""), ("0.95", "p95_"))
def intervals_are_those_of_resampling(p, name):
    """The share of 4,000 differences of resamples that lie below an end; 1,000 rounds leave 0.005 of doubt, these 0.0025."""
    r, doubt, kind = rng(), 4 * 0.0056, "parsl.monitoring.task"
    a, b = Side(run("example"), kind), Side(run("late"), kind)
    rows = [x for x in diff(run("example"), run("late")) if x["what"] == "transition" and x[f"{name}low_s"] is not None]
    rows.sort(key=lambda x: (x["n_a"], x["from_event"], x["to_event"]))
    check(len(rows) > 8, len(rows))
    for row in rows[::max(1, len(rows) // 6)]:
        what = (row["from_type"], row["from_event"], row["to_type"], row["to_event"])
        v, w = ([float(x) for x in s.samples[what]] for s in (a, b))
        d = sorted(resampled(r, w, p) - resampled(r, v, p) for _ in range(4000))
        for end, share in (("low_s", 0.025), ("high_s", 0.975)):
            x = row[name + end]
            least, most = bisect.bisect_left(d, x - 1e-12) / len(d), bisect.bisect_right(d, x + 1e-12) / len(d)
            check(least <= share + doubt and most >= share - doubt, what, end, x, least, most)


def normal_store(to, r, mean, roots, kinds):
    """Each root goes through the same events; every step takes normal(mean, 1) seconds."""
    db = empty_store(to)
    db.execute("BEGIN")
    db.execute("INSERT INTO sl_source (id, path, recipe, component) VALUES (1, '/1', 'r', 'c')")
    db.executemany("INSERT INTO sl_name VALUES (?, ?)", [(1, "task")] + [(2 + k, f"e{k:04d}") for k in range(kinds + 1)])
    db.executemany("INSERT INTO sl_span (id, type, key, source) VALUES (?, 1, ?, 1)", [(i + 1, str(i)) for i in range(roots)])
    for i in range(roots):
        t = 0
        for k in range(kinds + 1):
            db.execute("INSERT INTO sl_event (span, time_ns, type, source, place) VALUES (?, ?, ?, 1, 1)", (i + 1, t, 2 + k))
            t += max(1, round(r.gauss(mean, 1) * 10**9))
    db.execute("COMMIT")
    return to


@test
def intervals_hold_the_truth_as_often_as_they_say():
    """600 pairs of normal samples, 30 and 40 for medians; the tails of 100 and 120."""
    r, kinds = rng(), 600
    for na, nb, name, least, most in ((30, 40, "", 0.92, 0.985), (100, 120, "p95_", 0.87, 0.98)):
        a, b = normal_store(path(f"a{na}.db"), r, 10, na, kinds), normal_store(path(f"b{nb}.db"), r, 10.4, nb, kinds)
        rows = [x for x in diff(a, b, "--type", "task") if x["what"] == "transition"]
        equal(len(rows), kinds)
        held = sum(x[f"{name}low_s"] <= 0.4 <= x[f"{name}high_s"] for x in rows) / kinds
        note(f"{name or 'median '}{na} and {nb}: {held:.3f} hold the true change")
        check(least <= held <= most, name, held)


# ---- known changes, and the gate

@test
def a_step_of_20_ms_is_found():
    a, b, kind = run("example"), run("late"), "parsl.executor.htex.worker.task"
    row, = (x for x in diff(a, b, "--type", kind) if (x["from_type"], x["from_event"], x["to_type"], x["to_event"]) == STEP)
    check(row["low_s"] <= 0.02 <= row["high_s"] and row["low_s"] > 0.019, row)
    check(abs(row["change_s"] - 0.02) < 1e-6 and row["p95_low_s"] <= 0.02 <= row["p95_high_s"], row)
    r = spanloom("diff", a, b, "--type", "worker.task", "--fail-on", "5%", code=3)
    check(f"{STEP[0]}/{STEP[1]} -> {STEP[2]}/{STEP[3]} went from" in r.err, r)
    for limit, code in (("0.0195s", 3), ("0.0205s", 0), ("3000%", 0), ("20%", 3)):
        spanloom("diff", a, b, "--type", "worker.task", "--fail-on", limit, code=code)
    equal(spanloom("diff", b, a, "--type", "worker.task", "--fail-on", "0%").err, "", "faster is not slower")


@test
def a_run_that_takes_12_percent_longer():
    a, b = run("logs"), run("slow")
    rows = diff(a, b)
    for row in rows:
        if row["what"] != "sequence" and row["median_a_s"] and row["n_a"] and row["what"] != "critical_path":
            check(abs(row["median_b_s"] / row["median_a_s"] - 1.12) < 0.12 or row["median_a_s"] < 2e-5, row)
    check(abs(rows[0]["median_b_s"] / rows[0]["median_a_s"] - 1.12) < 1e-5, rows[0])
    r = spanloom("diff", a, b, "--fail-on", "5%", code=3)
    check(r.out.startswith("B is 12 % slower: 31.4 s -> 35.2 s; most of it in: htex interchange, in the interchange's queue, +"), r)
    equal(r.err, "spanloom: --fail-on 5%: the makespan went from 31.4 s to 35.2 s, +12 %\n")
    spanloom("diff", a, b, "--fail-on", "12.5%", code=0)


@cases("example", "parsl-2026-lost", "workqueue-two")
def a_run_and_itself(name):
    rows = diff(run(name), run(name), "--fail-on", "0%")
    equal([x for x in rows if x["what"] == "sequence" or x["change_s"] not in (0, None) or (x["low_s"] or 0) > 0], [])
    check("takes as long as" in spanloom("diff", run(name), run(name)).out)


def seen(rows, roots):
    """What the gate looks at: (before, now)."""
    story = rows[1]
    for row in rows:
        share = max((row[f"median_{x}_s"] or 0) * row[f"n_{x}"] / (story[f"median_{x}_s"] * n) for x, n in zip("ab", roots)) \
            if row["what"] == "transition" else 1
        if row["what"] == "makespan" or row["what"] in ("story", "transition") and share >= 0.01 and (row["low_s"] or 0) > 0:
            yield row["median_a_s"], row["median_b_s"]


@cases(("example", "late", "parsl.monitoring.task"), ("example", "late", "parsl.executor.htex.worker.task"), ("logs", "slow", "parsl.rundir.task"),
       ("parsl-2026-threads", "parsl-2026-nomonitoring", "parsl.rundir.task"), ("parsl-2025-lost", "parsl-2024-lost", "parsl.rundir.task"))
def the_gate(a, b, kind):
    """Exit 3 where something is slower by more than the limit, and else 0."""
    rows = diff(run(a), run(b), "--type", kind)
    changes = list(seen(rows, [len(Side(run(x), kind).told) for x in (a, b)]))
    codes = set()
    for limit in ("0%", "1%", "5%", "11.9%", "20%", "100%", "1000%", "100000%", "0s", "0.00001s", "0.001s", "0.1s", "1s", "3s", "100s"):
        least = (lambda x: x * float(limit[:-1]) / 100) if limit[-1] == "%" else (lambda x: float(limit[:-1]))
        want = sum(now - before > least(before) for before, now in changes)
        r = spanloom("diff", "--lens", "none", run(a), run(b), "--type", kind, "--fail-on", limit, code=3 if want else 0)
        equal(len(r.err.splitlines()), want, f"{limit}: {r.err}")
        codes.add(r.code)
    note(f"{len(changes)} seen, exits {sorted(codes)}")


if __name__ == "__main__":
    try:
        main()
    finally:
        for s in _RUNS.values():
            shutil.rmtree(os.path.dirname(s), ignore_errors=True)
