#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""two_events(), occupancy(), event_rate() and utilisation() against what tests/lib/reference.py works out from the views."""
import math
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
from reference import *  # noqa

WORKQUEUE = f"{ROOT}/tests/data/parsl-2026-workqueue/runinfo"
LEAST, MOST = -2**63, 2**63 - 1
CHOICES = [("e0", "e1"), ("e*", "e3"), ("task/e*", "*/e2"), ("*y/e4", "Work/e*"), ("é/e1", "e1")]


def types(db):
    return [t for t, in db.execute("SELECT DISTINCT type FROM span ORDER BY 1")]


def there_is(db, pattern):
    """Of the spans that exist: an event of one that does not is in no story."""
    return any(means(pattern, s, e) for s, e in db.execute("SELECT s.type, e.type FROM events e JOIN spans s ON s.id = e.span"))


def check_two_events(db, store, pairs):
    told = {kind: stories(db, kind) for kind in types(db)}
    cases = [(kind, a, b) for kind in told for a, b in pairs]
    any_event = db.execute("SELECT count(*) FROM events e JOIN spans s ON s.id = e.span").fetchone()[0]
    for (kind, a, b), got in zip(cases, ask(store, *(f"SELECT * FROM two_events('{a}', '{b}', '{kind}')" for kind, a, b in cases))):
        lacking = [p for p in (a, b) if any_event and not there_is(db, p)]
        if lacking:
            equal(re.sub(r"; did you mean .*\?", ";", got), f"two_events: no event is called {lacking[0]}; see what there is with: spanloom types --events", f"{kind} {a} {b}")
        else:
            near(got, two_events(told[kind], a, b), f"two_events {kind} {a} {b}")
    return told


def check_occupancy(store, told, widths):
    for kind, told_of in told.items():
        got = ask(store, f"SELECT * FROM occupancy('{kind}')", *(f"SELECT * FROM occupancy('{kind}', {w / 1e9!r})" for w in widths))
        near(got[0], changes(told_of), f"occupancy {kind}")
        for w, rows in zip(widths, got[1:]):
            near(rows, occupancy(told_of, w), f"occupancy {kind}, bins of {w} ns")


def check_rate(db, store, patterns, widths):
    cases = [(p, w) for p in patterns for w in widths]
    for (p, w), got in zip(cases, ask(store, *(f"SELECT * FROM event_rate('{p}', {w / 1e9!r})" for p, w in cases))):
        want = event_rate(db, p, w)
        if not want and db.execute("SELECT count(*) FROM events").fetchone()[0]:
            check(isinstance(got, str) and "spanloom types --events" in got, p, got)
        else:
            near(got, want, f"event_rate {p} {w}")


def check_utilisation(db, store, kinds, widths):
    cases = [(k, w) for k in kinds for w in widths]
    for (k, w), got in zip(cases, ask(store, *(f"SELECT * FROM utilisation('{k}', {w / 1e9!r})" for k, w in cases))):
        near(got, utilisation(db, k, w), f"utilisation {k} {w}")


# ---- random stores

@cases(*range(25))
def random_stores(seed):
    r = random.Random(seed)
    store = path("r.db")
    db = random_store(store, r, states=seed % 4 != 0)
    widths = [r.choice([10**9, 5 * 10**8]), 7 * 10**9, 60 * 10**9]
    told = check_two_events(db, store, CHOICES)
    check_occupancy(store, told, widths)
    check_rate(db, store, [p for pair in CHOICES for p in pair], widths)
    check_utilisation(db, store, types(db), widths)


@cases(*range(4))
def parts_are_parts_of_the_whole(seed):
    """Bounds and joins give what filtering all rows gives."""
    r = random.Random(seed)
    store = path("r.db")
    db = random_store(store, r)
    spans = [i for i, in db.execute("SELECT id FROM spans WHERE type = 'task' ORDER BY 1")] or [1]
    some = r.choice(spans)
    whole = stories(db, "task")
    low, high = 2 * 10**9, 9 * 10**9
    if not db.execute("SELECT count(*) FROM events e JOIN spans s ON s.id = e.span").fetchone()[0]:
        return
    pairs = two_events(whole, "e*", "*/e*")
    change, bins, util = changes(whole), occupancy(whole, 10**9), utilisation(db, "worker", 10**9)
    rate = event_rate(db, "e*", 10**9)
    within = {s for s, in db.execute("WITH RECURSIVE d(x) AS (SELECT ? UNION SELECT subspan_uuid FROM subspan JOIN d ON superspan_uuid = x "
                                     "UNION SELECT right_uuid FROM facet JOIN d ON left_uuid = x UNION SELECT left_uuid FROM facet "
                                     "JOIN d ON right_uuid = x) SELECT x FROM d", (some,))}
    between = lambda rows: [x for x in rows if low <= x[0] <= high]
    wanted = [
        (f"SELECT * FROM two_events('e*', '*/e*', 'task') WHERE span = {some}", [x for x in pairs if x[0] == some]),
        (f"SELECT * FROM two_events('e*', '*/e*', 'task') WHERE span > {some}", [x for x in pairs if x[0] > some]),
        (f"SELECT * FROM two_events('e*', '*/e*', 'task') WHERE span <= {some} AND span > 2", [x for x in pairs if 2 < x[0] <= some]),
        ("SELECT t.* FROM spans s JOIN two_events('e*', '*/e*', 'task') t ON t.span = s.id ORDER BY s.id", pairs),
        ("SELECT t.* FROM spans s CROSS JOIN two_events('e*', '*/e*', s.type) t ON t.span = s.id WHERE s.type = 'task' ORDER BY s.id", pairs),
        (f"SELECT * FROM two_events('e*', '*/e*', 'task', {some})", [x for x in pairs if x[0] in within]),
        (f"SELECT * FROM occupancy('task', NULL, {some})", changes({k: v for k, v in whole.items() if k in within})),
        (f"SELECT * FROM occupancy('task', 1, {some})", occupancy({k: v for k, v in whole.items() if k in within}, 10**9)),
        (f"SELECT * FROM occupancy('task') WHERE time_ns BETWEEN {low} AND {high}", between(change)),
        (f"SELECT * FROM occupancy('task', 1) WHERE time_ns BETWEEN {low} AND {high}", between(bins)),
        (f"SELECT * FROM occupancy('task', 1) WHERE time_ns BETWEEN {low + 1} AND {high - 1}", [x for x in bins if low < x[0] < high]),
        (f"SELECT * FROM event_rate('e*', 1) WHERE time_ns > {low} AND time_ns < {high}", [x for x in rate if low < x[0] < high]),
        (f"SELECT * FROM event_rate('e*', 1) WHERE time_ns = {low}", [x for x in rate if low == x[0]]),
        (f"SELECT * FROM utilisation('worker', 1) WHERE time_ns >= {low} AND time_ns <= {high}", between(util)),
    ]
    for (sql, want), got in zip(wanted, ask(store, *(sql for sql, _ in wanted))):
        near(got, want, sql)


# ---- real runs

def pairs_of(db, kind, n):
    told = stories(db, kind)
    seen = sorted({(s, e) for events in told.values() for _, s, e in events})
    r = rng()
    return [(f"{a[0]}/{a[1]}", b[1]) for a, b in ((r.choice(seen), r.choice(seen)) for _ in range(n))] if seen else []


@cases((EXAMPLE, "parsl.executor.htex.worker"), (WORKQUEUE, "workqueue.worker"))
def real_runs(run, worker):
    store = imported(run).store
    db = sqlite3.connect(store)
    told = {kind: stories(db, kind) for kind in types(db) if kind.endswith(("task", "try", "worker"))}
    for kind in told:
        check_two_events_of(db, store, kind, told[kind], pairs_of(db, kind, 4))
    check_occupancy(store, told, [10**9, 5 * 10**9, 333333333])
    check_rate(db, store, ["*", "parsl.rundir.task/*", "RUNNING", "*.task/worker_received_task"], [10**9, 250 * 10**6])
    check_utilisation(db, store, [worker, "parsl.rundir.executor", "parsl.rundir.task"], [10**9, 7 * 10**9])
    check(len(utilisation(db, worker, 10**9)) > 20, "no workers")


def check_two_events_of(db, store, kind, told, pairs):
    for (a, b), got in zip(pairs, ask(store, *(f"SELECT * FROM two_events('{a}', '{b}', '{kind}')" for a, b in pairs))):
        near(got, two_events(told, a, b), f"two_events {kind} {a} {b}")


@cases(*range(3))
def calls_in_calls(seed):
    """The own begin and end of each call, not those of what it called."""
    r = rng()
    calls, lines = [], []

    def grow(depth, at):
        begin, name = at, f"f{r.randint(0, 3)}"
        for _ in range(r.randint(0, 4) if depth < 5 else 0):
            at = grow(depth + 1, at + r.randint(1, 9))
        calls.append(at + r.randint(1, 9) - begin)
        lines.append(json.dumps({"name": name, "ph": "X", "pid": 7, "tid": 7, "ts": begin, "dur": calls[-1]}))
        return begin + calls[-1]
    at = 1795162300_000000
    while len(calls) < 300:
        at = grow(0, at) + 1
    with open(path("a.pfw"), "w") as f:
        f.write("[\n" + "\n".join(lines))
    store = imported(path("a.pfw")).store
    got, = ask(store, "SELECT CAST(round(duration_s * 1e6) AS INTEGER), starts, ends FROM two_events('begin', 'end', 'trace.call') ORDER BY 1")
    equal(got, [(d, 1, 1) for d in sorted(calls)])
    check("several" not in spanloom("durations", "-d", store, "begin", "end", "trace.call").out)


@test
def plain_sql_says_the_same():
    """Events of the tasks themselves need no closure; those of the worker go by the try's executor id."""
    store = imported(EXAMPLE).store
    db = sqlite3.connect(store)
    want = db.execute("SELECT a.span, a.time_ns, b.time_ns FROM events a JOIN events b ON b.span = a.span AND b.type = 'returned' JOIN spans s ON "
                      "s.id = a.span WHERE s.type = 'parsl.monitoring.task' AND a.type = 'invoked' ORDER BY 1").fetchall()
    check(len(want) > 190)
    got, default, mean = ask(store, "SELECT span, start_ns, end_ns FROM two_events('invoked', 'returned', 'parsl.monitoring.task')",
                             "SELECT span, start_ns, end_ns FROM two_events('invoked', 'returned')",
                             "SELECT avg(duration_s) FROM two_events('invoked', 'returned')")
    equal(got, want), equal(default, want)
    near(mean, [(Fraction(sum(b - a for _, a, b in want), len(want) * 10**9),)])
    received = db.execute("SELECT time_ns / 2000000000 * 2000000000, count(*) FROM events WHERE type = 'worker_received_task' GROUP BY 1").fetchall()
    equal(ask(store, "SELECT time_ns, events FROM event_rate('worker_received_task', 2) WHERE events > 0")[0], received)


@test
def shell_program_and_python_agree_with_the_truth():
    store = imported(EXAMPLE).store
    db = sqlite3.connect(store)
    told = stories(db, "parsl.monitoring.task")
    sql = "SELECT * FROM two_events('invoked', 'worker_received_task', 'parsl.monitoring.task')"
    want = two_events(told, "invoked", "worker_received_task")
    for got in (shell(store, sql), ask(store, sql)[0]):
        near([tuple(r) for r in got], want)
    by_program = json.loads(spanloom("sql", "-d", store, "--format", "json", sql).out)
    near([(r["span"], int(r["start_ns"]), r["end_ns"] and int(r["end_ns"]), r["duration_s"], r["starts"], r["ends"]) for r in by_program], want)
    near(shell(store, "SELECT * FROM occupancy('parsl.monitoring.task', 2)"), occupancy(told, 2 * 10**9))
    near(shell(store, "SELECT * FROM utilisation('parsl.executor.htex.worker', 2)"), utilisation(db, "parsl.executor.htex.worker", 2 * 10**9))
    near(shell(store, "SELECT * FROM event_rate('*/worker_*', 2)"), event_rate(db, "*/worker_*", 2 * 10**9))


def seconds(text):
    """What people read, 3 digits exact."""
    number, unit = re.fullmatch(r"(-?[0-9.]+) (us|ms|s)", text.strip()).groups()
    return float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1}[unit]


def close(a, b, what):
    check(abs(a - b) <= abs(b) * 0.006 + 6e-7, what, a, "is not", b)


@cases((EXAMPLE, "parsl.monitoring.task", "invoked", "worker_received_task"), (EXAMPLE, "parsl.monitoring.try", "running", "running_ended"),
       (WORKQUEUE, "parsl.rundir.task", "submitted", "DONE"))
def durations_for_people(run, kind, a, b):
    store = imported(run).store
    rows = two_events(stories(sqlite3.connect(store), kind), a, b)
    got = spanloom("durations", "-d", store, a, b, kind).out
    v = sorted(float(x[3]) for x in rows if x[3] is not None)
    check(f": {len(v)} of {len(rows)} spans of type {kind}\n" in got, got)
    for text, n in (("without a start", sum(x[1] is None for x in rows)), ("without an end", sum(x[2] is None for x in rows)),
                    ("with several starts", sum(x[4] > 1 for x in rows)), ("with several ends", sum(x[5] > 1 for x in rows)),
                    ("negative", sum(x < 0 for x in v))):
        equal([int(x) for x in re.findall(rf"^ +(\d+) {text}", got, re.M)], [n] if n else [], text)
    numbers = re.findall(r"(?<= )[0-9.]+ [mu]?s(?= |$)", got.split("maximum\n")[1].split("\n")[0])
    cuts = statistics.quantiles(v, n=20, method="inclusive")
    for x, want in zip(numbers, (statistics.fmean(v), statistics.stdev(v), v[0], cuts[4], cuts[9], cuts[14], cuts[18], v[-1]), strict=True):
        close(seconds(x), want, numbers)
    bars = re.findall(r"^ *([0-9.]+ [mu]?s) to ([0-9.]+ [mu]?s) +(\d+)", got, re.M)
    equal([int(n) for _, _, n in bars], [sum(seconds(low) <= x < seconds(high) for x in v) for low, high, _ in bars])
    equal(sum(int(n) for _, _, n in bars), len(v))
    listed = json.loads(spanloom("durations", "-d", store, a, b, kind, "--missing", "--format", "json").out)
    equal(sorted(x["span"] for x in listed), [x[0] for x in rows if x[3] is None])


@test
def states_rate_and_utilisation_for_people():
    store = imported(EXAMPLE).store
    db = sqlite3.connect(store)
    told = stories(db, "parsl.monitoring.task")
    rows, over = occupancy(told, 2 * 10**9), collections.Counter(until_over(events)[-1][1:] for events in told.values() if events)
    lines = re.findall(r"^(\S+)/(\S+) +([0-9.]+) +(\d+) +([0-9.]+ [mu]?s)  (.*)$", spanloom("states", "-d", store, "--bin", 2).out, re.M)
    check(len(lines) >= 10)
    times = sorted({x[0] for x in rows})
    for s, e, most, ended, mean, bars in lines:
        own = {x[0]: x for x in rows if x[1:3] == (s, e)}
        close(float(most), float(max(x[3] for x in own.values())), s + e)
        equal(int(ended), over[s, e])
        close(seconds(mean), float(sum(x[3] - x[4] for x in own.values()) * 2 / len(told)), s + e)
        equal("".join(" ▁▂▃▄▅▆▇█"[math.ceil(own[t][3] / max(x[3] for x in own.values()) * 8) if t in own else 0] for t in times).rstrip(), bars)
    got = re.findall(r"^(\d\d:\S+) +(\d+) +([0-9.]+)", spanloom("rate", "-d", store, "--bin", 2, "worker_received_task").out, re.M)
    stamp = lambda t: datetime.datetime.fromtimestamp(t // 10**9, datetime.timezone.utc).strftime("%H:%M:%S")
    equal([(t, int(n), float(x)) for t, n, x in got],
          [(stamp(t), n, float(x)) for t, n, x in event_rate(db, "worker_received_task", 2 * 10**9)])
    want = utilisation(db, "parsl.executor.htex.worker", 5 * 10**9)
    out = spanloom("utilisation", "-d", store, "--bin", 5).out
    got = re.findall(r"^\d\d:\S+ +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+)  ", out, re.M)
    equal(got, [(*(f"{float(x):.2f}" for x in w[1:4]), f"{float(w[4]) * 100:.1f}") for w in want])
    check(f"busy for {float(sum(w[2] for w in want) / sum(w[1] for w in want)) * 100:.1f} %" in out, out)


@test
def the_graph_counts_pairs():
    store = imported(EXAMPLE).store
    db = sqlite3.connect(store)
    want = collections.Counter()
    for kind, a, b in set(db.execute("SELECT l.kind, a.type || ' ' || a.id, b.type || ' ' || b.id FROM links l JOIN spans a ON a.id = l.left_span "
                                     "JOIN spans b ON b.id = l.right_span")):
        pair = (a.split()[0], b.split()[0])
        want[kind, *(sorted(pair) if kind == "facet" else pair)] += 1
    kinds = {"": "in", "dashed": "facet", "dotted": "after", "bold": "flow"}
    got = {}
    for line in spanloom("graph", "-d", store).out.splitlines():
        if edge := re.match(r' +"(.*?)" -> "(.*?)" \[label="([\d,]+)"', line):
            a, b, n = edge.groups()
            got[kinds["".join(re.findall(r"style=(\w+)", line))], a, b] = int(n.replace(",", ""))
    equal(got, dict(want))


@test
def one_of_several_runs():
    store = imported(EXAMPLE, f"{ROOT}/tests/data/parsl-2025-lost").store
    db = sqlite3.connect(store)
    runs = db.execute("SELECT w.key, min(t.id), count(*) FROM spans w JOIN spans t ON t.parent = w.id WHERE w.type = 'parsl.monitoring.workflow' "
                      "AND t.type = 'parsl.monitoring.task' GROUP BY 1").fetchall()
    equal(len(runs), 2)
    for key, _, n in runs:
        of_run = {i for i, in db.execute("SELECT t.id FROM spans w JOIN spans t ON t.parent = w.id WHERE w.key = ? AND t.type = 'parsl.monitoring.task'", (key,))}
        told = {root: events for root, events in stories(db, "parsl.monitoring.task").items() if root in of_run}
        as_json = lambda *args: json.loads(spanloom(*args, "-d", store, "--run", key[:13], "--format", "json").out)
        near([(r["span"], int(r["start_ns"]), r["end_ns"] and int(r["end_ns"]), r["duration_s"], r["starts"], r["ends"])
              for r in as_json("durations", "invoked", "returned")], two_events(told, "invoked", "returned"))
        near([(int(r["time_ns"]), *list(r.values())[1:]) for r in as_json("states", "--bin", "1")], occupancy(told, 10**9))
        equal(sum(r["count"] for r in as_json("sequences", "--all") if r["position"] <= 1), n)
        workers = {w for w, in db.execute("WITH RECURSIVE d(i) AS (SELECT id FROM spans WHERE key = ? UNION SELECT right_span FROM links JOIN d ON "
                                          "left_span = i AND kind IN ('in', 'facet') UNION SELECT left_span FROM links JOIN d ON right_span = i AND "
                                          "kind = 'facet') SELECT i FROM d", (key,))}
        of = Workers(db, "parsl.executor.htex.worker")
        there = [p for p, _ in (of.of(w) for w in of.workers if w in workers) if p]
        got = as_json("utilisation", "htex.worker", "--bin", "1")
        equal([int(r["time_ns"]) for r in got], list(bins_of([t for p in there for t in p], 10**9)))
        check(abs(sum(r["workers"] for r in got) - sum(b - a for a, b in there) / 1e9) < 1e-6)


@test
def the_lens_is_looked_through():
    store = imported(EXAMPLE).store
    sqlite3.connect(store).executescript("INSERT INTO sl_lens (kind, what) VALUES ('ignore', 'parsl.monitoring.try'); "
                                         "INSERT INTO sl_lens (kind, what, becomes) VALUES ('rename', '*/exec_done', 'over')")
    db = sqlite3.connect(store)
    told = stories(db, "parsl.monitoring.task",
                   lambda s, e: None if s == "parsl.monitoring.try" else "over" if e == "exec_done" else e)
    got = ask(store, "SELECT * FROM two_events('invoked', 'over')", "SELECT * FROM occupancy('parsl.monitoring.task', 3)",
              "SELECT * FROM two_events('invoked', 'nothing')")
    near(got[0], two_events(told, "invoked", "over"))
    near(got[1], occupancy(told, 3 * 10**9))
    check("no event is called nothing" in got[2], got[2])


# ---- little, much, dirty

@test
def empty_stores():
    store = path("e.db")
    db = empty_store(store)
    none = ("SELECT * FROM two_events('a', 'b')", "SELECT * FROM two_events('a', 'b', 't')", "SELECT * FROM occupancy('t')",
            "SELECT * FROM occupancy(NULL, 5)", "SELECT * FROM event_rate('a', 1)", "SELECT * FROM utilisation('t', 1)")
    for sql, got in zip(none, ask(store, *none)):
        equal(got, [], sql)
    db.execute("INSERT INTO span VALUES (7, 't', NULL)")
    got = ask(store, "SELECT * FROM two_events('a', 'b', 't')", *none[2:])
    equal(got, [[(7, None, None, None, 0, 0)], [], "occupancy: there are no tasks; name a type of spans, see: spanloom types", [], []])
    db.execute("INSERT INTO event VALUES ('x', 7, 1.5, 'a', NULL)")
    at = 1500000000
    got = ask(store, "SELECT * FROM two_events('a', '*', 't')", "SELECT * FROM occupancy('t')", "SELECT * FROM occupancy('t', 1)",
              "SELECT * FROM event_rate('a', 0.5)", "SELECT * FROM utilisation('t', 1)")
    equal(got, [[(7, at, at, 0.0, 1, 1)], [(at, "t", "a", 1, 1)], [(10**9, "t", "a", 0.5, 0.5)], [(at, 1, 2.0)], [(10**9, 0.0, 0.0, 0.0, None)]])


@test
def mistakes_are_named():
    store = imported(EXAMPLE).store
    said = {"SELECT * FROM two_events('invoked')": "arguments are missing", "SELECT * FROM two_events(NULL, 'returned')": "an event is named like",
            "SELECT * FROM two_events('invoked', 'return')": "no event is called return; did you mean 'returned'? see what there is with: spanloom types --events",
            "SELECT * FROM two_events('parsl.rundir.try/invoked', 'returned')": "no event is called parsl.rundir.try/invoked",
            "SELECT * FROM two_events('invoked', 'returned', NULL, 'x')": "the span to look in",
            "SELECT * FROM occupancy('parsl.monitoring.task', 0)": "the width of a bin is seconds, more than 0",
            "SELECT * FROM occupancy('parsl.monitoring.task', -1)": "not '-1'", "SELECT * FROM occupancy('parsl.monitoring.task', 'x')": "not 'x'",
            "SELECT * FROM event_rate('returned', NULL)": "not 'NULL'", "SELECT * FROM event_rate('returned', 1e-9)": "make them wider, or choose some",
            "SELECT * FROM event_rate('returned', 9e99)": "the width of a bin", "SELECT * FROM event_rate('retur', 1)": "spanloom types --events",
            "SELECT * FROM utilisation('parsl.executor.htex.worker', 1e-9)": "more than 10000000", "SELECT * FROM utilisation('x')": "arguments are missing"}
    for (sql, text), got in zip(said.items(), ask(store, *said)):
        check(isinstance(got, str) and text in got, sql, got)
    equal(ask(store, "SELECT * FROM two_events('nothing', 'at all', 'no.such.type')", "SELECT * FROM occupancy('no.such.type', 5)",
              "SELECT * FROM utilisation('no.such.type', 5)"), [[], [], []])


@test
def garbage_times():
    for seed in range(6):
        r = random.Random(seed)
        store = path(f"{seed}.db")
        pick = [LEAST, LEAST + 1, -1, 0, 1, 1795162300 * 10**9, MOST - 1, MOST]
        db = random_store(store, r, times=lambda: r.choice(pick))
        told = check_two_events(db, store, CHOICES)
        check_occupancy(store, told, [])
        for kind in (k for k in ("worker", "task") if changes(told.get(k, {}))):
            wide, silly, cut = ask(store, f"SELECT * FROM occupancy('{kind}', 4e9)", f"SELECT * FROM occupancy('{kind}', 1)",
                                   f"SELECT * FROM occupancy('{kind}', 1) WHERE time_ns BETWEEN 0 AND 3000000000")
            near(wide, [(max(x[0], LEAST), *x[1:]) for x in occupancy(told[kind], 4 * 10**18)], kind)
            times = [x[0] for x in changes(told[kind])]
            if max(times) - min(times) > 10**17:
                check("WHERE time_ns BETWEEN" in silly, silly)
            check(not isinstance(cut, str), cut)
        rows = ask(store, "SELECT * FROM utilisation('worker', 4e9)")[0]
        want = [(max(x[0], LEAST), *x[1:]) for x in utilisation(db, "worker", 4 * 10**18)]
        near(rows, want)


@test
def a_million_spans():
    store = path("m.db")
    db = empty_store(store)
    db.executescript("""
        BEGIN;
        INSERT INTO sl_name (id, name) VALUES (1, 'job'), (2, 'begin'), (3, 'end'), (4, 'node');
        INSERT INTO sl_source (id, path, recipe, component) VALUES (1, '/1', 'r', 'c');
        INSERT INTO sl_span (id, type, key, source) VALUES (1, 4, 'n', 1);
        WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i <= 1000000)
        INSERT INTO sl_span (id, type, key, parent, source) SELECT i, 1, i, 1, 1 FROM n;
        INSERT INTO sl_event (span, time_ns, type, source, place) SELECT id, id * 1000000 + e * 500000000, 2 + e, 1, id FROM sl_span
            JOIN (SELECT 0 AS e UNION ALL SELECT 1) WHERE id > 1;
        COMMIT""")
    start = sum(os.times()[:4])
    got = ask(store, "SELECT count(*), sum(duration_s), min(span), max(span) FROM two_events('begin', 'end', 'job')",
              "SELECT count(*), max(spans) FROM occupancy('job') WHERE event_type = 'begin'", "SELECT sum(events) FROM event_rate('job/*', 10)",
              "SELECT max(running) FROM utilisation('node', 10)",
              "SELECT count(*) FROM spans s JOIN two_events('begin', 'end', 'job') t ON t.span = s.id WHERE s.type = 'job'")
    equal([got[0], *got[2:]], [[(10**6, 500000.0, 2, 10**6 + 1)], [(2 * 10**6,)], [(500.0,)], [(10**6,)]])
    equal(got[1][0][1], 500)
    took = sum(os.times()[:4]) - start
    check(took < (60 if SANITIZED else 20), f"{took:.1f} s")


@test
def interrupted_queries():
    """A progress handler that says stop ends them at once, and the connection is good afterwards."""
    store = imported(EXAMPLE).store
    script = (
        "import sqlite3, sys, time\n"
        "db = sqlite3.connect(sys.argv[1]); db.enable_load_extension(True); db.load_extension(sys.argv[2])\n"
        "for sql in sys.argv[3:]:\n"
        "    want = db.execute(sql).fetchall()\n"
        "    for n in (1, 50, 500, 5000):\n"
        "        db.set_progress_handler(lambda: 1, n)\n"
        "        try: got = db.execute(sql).fetchall(); assert got == want, (sql, n)\n"
        "        except sqlite3.OperationalError as e: assert 'interrupt' in str(e), e\n"
        "        db.set_progress_handler(None, 0)\n"
        "    assert db.execute(sql).fetchall() == want\n"
        "print('good')\n")
    done = subprocess.run(["/usr/bin/python3", "-c", script, store, EXTENSION, "SELECT * FROM two_events('invoked', 'returned')",
                           "SELECT * FROM occupancy('parsl.monitoring.task', 1)", "SELECT * FROM event_rate('*', 1)",
                           "SELECT * FROM utilisation('parsl.executor.htex.worker', 1)"], capture_output=True, text=True)
    equal((done.stdout, done.stderr), ("good\n", ""))


main()
