#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The SQL functions that plots need: seconds_text(), time_unit(), kde2d(), worker_runs(), task_graph() and the places of
call_tree(), each against what their pages in docs/sql.md say, worked out in Python, and R's MASS."""
import collections
import math
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
from r import R  # noqa
from reference import *  # noqa
from graphs import *  # noqa


def one(sql):
    if not os.path.exists(path("none.db")):
        empty_store(path("none.db"))
    [rows] = ask(path("none.db"), sql)
    return rows


# ---- seconds

@test
def seconds():
    cases = [(0, "0 s", "s", 1), (7e-10, "1 ns", "ns", 1e-9), (4.12e-7, "412 ns", "ns", 1e-9), (1e-6, "1 us", "us", 1e-6),
             (0.000412, "412 us", "us", 1e-6), (0.0123, "12.3 ms", "ms", 1e-3), (3.2, "3.2 s", "s", 1), (119.4, "119 s", "s", 1),
             (125, "2 min 05 s", "s", 1), (300, "5 min 00 s", "min", 60), (3720, "62 min 00 s", "min", 60), (10800, "3 h 00 min", "h", 3600),
             (259200, "72 h 00 min", "d", 86400), (-3.2, "-3.2 s", "s", 1), (-7260, "-2 h 01 min", "min", 60)]
    # rounded, not cut off, and never to more of a unit than there is
    cases += [(314.94, "5 min 15 s", "min", 60), (-314.94, "-5 min 15 s", "min", 60), (3599.7, "60 min 00 s", "min", 60), (7199.7, "2 h 00 min", "min", 60),
              (7290, "2 h 02 min", "min", 60), (0.9996, "1 s", "ms", 1e-3), (0.0009997, "1 ms", "us", 1e-6), (9.996e-7, "1 us", "ns", 1e-9), (119.6, "2 min 00 s", "s", 1),
              (-1e-10, "0 s", "ns", 1e-9)]
    for s, text, unit, size in cases:
        equal(one(f"SELECT seconds_text({s!r}), time_unit({s!r}), time_unit_s({s!r})"), [(text, unit, size)], s)
    equal(one("SELECT seconds_text(NULL), time_unit(NULL), time_unit_s(NULL), seconds_text('1.5')"), [(None, None, None, "1.5 s")])
    check("seconds_text" in one("SELECT seconds_text('soon')"), one("SELECT seconds_text('soon')"))


# ---- kde2d

def bandwidth(values):
    """MASS's bandwidth.nrd, by 4."""
    q = statistics.quantiles(values, n=4, method="inclusive")
    return 1.06 * min(statistics.stdev(values), (q[2] - q[0]) / 1.34) * len(values) ** -0.2


def kde2d(x, y, nx, ny, hx=None, hy=None):
    """The sum over all pairs, for each point of the grid."""
    hx, hy = hx or bandwidth(x), hy or bandwidth(y)
    def grid(v, n):
        return [min(v) + (max(v) - min(v)) * i / (n - 1) for i in range(n)]
    norm = 2 * math.pi * hx * hy * len(x)
    return [(a, b, math.fsum(math.exp(-((a - p) / hx) ** 2 / 2 - ((b - q) / hy) ** 2 / 2) for p, q in zip(x, y)) / norm)
            for b in grid(y, ny) for a in grid(x, nx)]


def pairs(x, y):
    return "(SELECT " + " UNION ALL SELECT ".join(f"{a!r} AS x, {b!r} AS y" for a, b in zip(x, y)) + ")"


def cells(x, y, arguments=""):
    [[text]] = one(f"SELECT kde2d(x, y{arguments}) FROM {pairs(x, y)}")
    return text and [(c["x"], c["y"], c["density"]) for c in json.loads(text)]


def alike(got, want):
    equal(len(got), len(want))
    most = max(w[2] for w in want)
    for g, w in zip(got, want):
        check(abs(g[0] - w[0]) < 1e-9 * (1 + abs(w[0])) and abs(g[1] - w[1]) < 1e-9 * (1 + abs(w[1])) and abs(g[2] - w[2]) < 1e-12 * most, g, w)


def clouds():
    r = rng()
    for n in 2, 5, 120:
        x = [r.gauss(0, 1) for _ in range(n)]
        yield x, [r.gauss(3, 1e-3) + 1e-4 * v for v in x]
        yield [float(i) for i in range(n)], [math.exp(r.gauss(0, 2)) for _ in range(n)]


@test
def densities():
    for x, y in clouds():
        alike(cells(x, y, ", 7, 4"), kde2d(x, y, 7, 4))
    x, y = [1.0, 2.0, 4.0], [0.0, 1.0, 5.0]
    alike(cells(x, y), kde2d(x, y, 25, 25))
    alike(cells(x, y, ", NULL, 3"), kde2d(x, y, 25, 3))
    alike(cells(x, y, ", 4, 3, 0.5"), kde2d(x, y, 4, 3, hx=0.5))
    alike(cells(x, y, ", 4, 3, NULL, 7"), kde2d(x, y, 4, 3, hy=7))
    for x, y in ([1.0], [2.0]), ([1.0, 1.0], [2.0, 3.0]):
        equal(cells(x, y), None)
    equal(one("SELECT kde2d(1, 2) FROM (SELECT 1) WHERE 0"), [(None,)])
    equal(one("SELECT kde2d(NULL, 2)"), [(None,)])
    for wrong, said in (("1, 2, 1", "2 to 1000"), ("1, 2, 2.5", "whole"), ("1, 'x'", "number"), ("1, 9e999", "kde2d"),
                        ("1, 2, 3, 3, 0", "above 0"), ("1, 2, 3, 3, 1, 'x'", "number"), ("1, 2, 3, 3, 9e999", "kde2d")):
        check(said in one(f"SELECT kde2d({wrong})"), wrong, one(f"SELECT kde2d({wrong})"))
    for differ in "n + 5", "5, 5, n", "5, 5, 1, n":
        check("same in all rows" in one(f"SELECT kde2d(n, n, {differ}) FROM (SELECT 1 AS n UNION ALL SELECT 2)"), differ)


@test
def densities_of_r():
    for k, (x, y) in enumerate(list(clouds())[2:]):
        z = R("say('z', MASS::kde2d(x, y, n = c(9, 6))$z)", x=x, y=y)["z"]
        got = cells(x, y, ", 9, 6")
        most = max(z)
        check(len(z) == 54 and all(abs(g[2] - w) < 1e-10 * most for g, w in zip(got, z)), x, got, z)


# ---- worker_runs

def check_runs(db, store, kind):
    workers = Workers(db, kind)
    [rows] = ask(store, f"SELECT * FROM worker_runs('{kind}')")
    got, want = collections.defaultdict(list), {}
    for worker, since, until, span, task in rows:
        got[worker].append((since, until, span, task))
    for w in workers.workers:
        present, runs = workers.of(w)
        if present:
            want[w] = present, sorted(runs)
    equal(got.keys(), want.keys(), kind)
    for w, (present, runs) in want.items():
        equal(got[w][0][:3], (*present, None), w)
        equal([r[:2] for r in got[w][1:]], sorted(runs), w)
        check(all(r[2] in workers.sub[w] for r in got[w][1:]), got[w])
    return rows


@cases(*range(1, 41))
def runs_of_workers(number):
    store = path("random.db")
    db = random_store(store, rng())
    for kind in "worker", "task", "Work":
        check_runs(db, store, kind)


@test
def runs_of_the_example():
    store = imported(EXAMPLE).store
    db = sqlite3.connect(store)
    rows = check_runs(db, store, "parsl.executor.htex.worker")
    task_of = {}  # by what names it: the interchange's number of a task is in both logs
    for span, task in db.execute("""SELECT w.id, t.key FROM htex_task h JOIN parsl_try y ON h.xid = y.executor_id AND h.executor = y.executor
            JOIN spans w ON w.type = 'parsl.executor.htex.worker.task' AND w.key = h.key JOIN spans t ON t.type = 'parsl.rundir.task' AND t.key = y.task"""):
        task_of[span] = task
    key = dict(db.execute("SELECT id, key FROM spans"))
    runs = [(span, key[task]) for *_, span, task in rows if span]
    check(len(runs) > 200 and all(task_of[span] == str(task) or task_of[span] == int(task) for span, task in runs), len(runs))
    equal(ask(store, "SELECT count(*) FROM worker_runs('none.such')"), [[(0,)]])
    [within] = ask(store, "SELECT count(*) FROM spans s JOIN worker_runs('parsl.executor.htex.worker', s.id) WHERE s.type = 'parsl.rundir.workflow'")
    equal(within, [(len(rows),)])


# ---- task_graph

def layers(after):
    """The longest chains, by the definition; of graphs without circles."""
    known = {}
    def layer(i):
        if i not in known:
            known[i] = max((layer(j) + 1 for j in after[i]), default=0)
        return known[i]
    return [layer(i) for i in range(len(after))]


def graph(after):
    """What task_graph() says of tasks 0 to n - 1 that wait for those: {task: layer}, {(task, waited for)}."""
    s = Store("graph.db")
    w = s.workflow("w", started=0, cleanup_completed=10 * S)
    tasks = [s.task(w, i, submitted=i, pending=i, launched=1000 + i, exec_done=S + i) for i in range(len(after))]
    for i, waits in enumerate(after):
        for j in waits:
            s.link(tasks[i], AFTER, tasks[j])
    [rows] = ask(s.done(), f"SELECT * FROM task_graph({w})")
    number = {t: i for i, t in enumerate(tasks)}
    layer, edges = {}, set()
    for span, task, of, first, done, is_done, before in rows:
        i = number[span]
        equal((task, first - T0, done - T0, is_done), (str(i), i, S + i, 1))
        check(layer.setdefault(i, of) == of, "two layers", i)
        check((i, before and number[before]) not in edges, "an edge twice", i)
        edges.add((i, before and number[before]))
    equal(sorted(layer), list(range(len(after))))
    equal(edges, {(i, j) for i, waits in enumerate(after) for j in set(waits) or {None}})
    return [layer[i] for i in sorted(layer)]


@cases(*range(1, 16))
def layers_of_tasks(number):
    r = rng()
    n = r.choice([1, 2, 10, 60])
    after = [r.sample(range(i), min(i, r.choice([0, 0, 1, 2, 5]))) for i in range(n)]
    name = r.sample(range(n), n)  # so that a task may come before what it waits for
    mixed = [None] * n
    for i, waits in enumerate(after):
        mixed[name[i]] = [name[j] for j in waits]
    equal(graph(mixed), layers(mixed), mixed)


@test
def circles_of_tasks():
    """Each comes out once, and those outside are where they belong."""
    equal(graph([[2], [0], [1], [], [3]])[3:], [0, 1])
    equal(graph([[1], [0]]), [0, 1])
    equal(graph([[1], [2], [0], [0]]), [0, 2, 1, 1])
    deep = [[i - 1] if i else [] for i in range(3000)]
    equal(graph(deep), list(range(3000)))


@test
def graph_of_the_example():
    store = imported(EXAMPLE).store
    waits = {(int(a), int(b)) for a, b in query(store, """SELECT a.key, b.key FROM links l JOIN spans a ON a.id = l.left_span
        JOIN spans b ON b.id = l.right_span WHERE l.kind = 'after' AND a.type LIKE '%.task' AND b.type LIKE '%.task'""")}
    rows = sql(store, """SELECT g.task, g.layer, b.key FROM spans w JOIN task_graph(w.id) g LEFT JOIN spans b ON b.id = g.after_span
        WHERE w.type = 'parsl.rundir.workflow'""")
    got = {(int(r["task"]), int(r["key"])) for r in rows if r["key"] is not None}
    equal(got, waits)
    after = [[b for a, b in waits if a == i] for i in range(198)]
    equal({int(r["task"]): r["layer"] for r in rows}, dict(enumerate(layers(after))))
    equal(sql(store, "SELECT * FROM task_graph(999999)"), [])


# ---- call_tree

@test
def places_in_a_flame_graph():
    """A box is as wide as its own time and that of the boxes on it, which stand in it from the left, side by side."""
    for file in "parsl-2026-traced/runinfo", "traces/viztracer.json", "traces/chromium.json":
        store = imported(f"{ROOT}/tests/data/{file}", store=os.path.basename(file) + ".db").store
        rows = sql(store, "SELECT node, parent, exclusive_s, total_s, from_s FROM call_tree()")
        check(len(rows) > 5, file)
        inside = collections.defaultdict(list)
        for r in rows:
            inside[r["parent"]].append(r)
        by = {r["node"]: r for r in rows}
        for above, boxes in inside.items():
            at = by[above]["from_s"] if above else 0
            for b in boxes:
                check(abs(b["from_s"] - at) < 1e-6, file, b, at)
                at += b["total_s"]
            if above:
                check(abs(sum(b["total_s"] for b in boxes) + by[above]["exclusive_s"] - by[above]["total_s"]) < 1e-6, file, by[above])
        equal(sql(store, "SELECT round(sum(exclusive_s), 6) AS s FROM call_profile()"), [{"s": round(sum(b["total_s"] for b in inside[None]), 6)}])


main()
