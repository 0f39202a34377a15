#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clock_skew() and --correct-skew: offsets that were planted in copies of real runs are found within the bounds, and bounds are
those of an own solver of difference constraints."""
import itertools
import sys
import os

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import *  # noqa

DATA = f"{ROOT}/tests/data"
RUNS = [EXAMPLE] + [f"{DATA}/{d}" for d in sorted(os.listdir(DATA)) if os.path.isdir(f"{DATA}/{d}")]
HTEX = [EXAMPLE] + [f"{DATA}/{d}" for d in ("parsl-2026-nomonitoring", "parsl-2026-dual", "parsl-2026-lost", "parsl-2026-progress", "slurm")]
NARROW = HTEX[:3]  # all logs of these have both bounds, a few milliseconds apart


def skew(store, options=()):
    """{source: row}, and the reference"""
    rows = sql(store, "SELECT * FROM clock_skew()", options=options)
    for r in rows:
        r["offset_ns"] = int(r["offset_ns"])
    check(len({r["reference"] for r in rows}) <= 1, "two references")
    for r in rows:
        equal(round(r["offset_s"] * S), r["offset_ns"], "offset_s and offset_ns")
        low = -float("inf") if r["lower_s"] is None else r["lower_s"]
        high = float("inf") if r["upper_s"] is None else r["upper_s"]
        check(low <= high and low - 2e-9 <= r["offset_s"] <= high + 2e-9, r)
        check(0 <= r["backwards"] <= r["pairs"] and r["relaxed_s"] >= 0, r)
        if low <= 0 <= high:
            equal(r["offset_ns"], 0, f"a clock that can be right: {r}")
        else:
            check(abs(r["offset_s"] - (low if low > 0 else high)) < 2e-9, f"not the least that will do: {r}")
        if r["source"] == r["reference"]:
            equal((r["offset_ns"], r["lower_s"], r["upper_s"]), (0, 0, 0), "the reference")
    return {r["source"]: r for r in rows}, rows[0]["reference"] if rows else None


def shift(store, offsets):
    """Other clocks: all that a source tells is later by its offset, nanoseconds."""
    db = sqlite3.connect(store)
    for source, ns in offsets.items():
        db.execute("CREATE TEMP TABLE moved AS SELECT * FROM sl_event WHERE source = ?", (source,))
        db.execute("DELETE FROM sl_event WHERE source = ?", (source,))
        db.execute("INSERT INTO sl_event SELECT span, time_ns + ?, type, source, place, zone FROM moved", (ns,))
        db.execute("DROP TABLE moved")
    db.commit()
    db.close()


def times(store, options=()):
    """{(source, place, span, type): time} of all events below workflows, as the lens shows them, which looks at times as analyses do."""
    rows = sql(store, "SELECT l.source, l.place, l.span, l.event_type, printf('%d', l.time_ns) AS t FROM spans w JOIN sl_role r ON r.type = w.type AND r.role = 'workflow', lens_events(w.id) l",
               options=options)
    return {(r["source"], r["place"], r["span"], r["event_type"]): int(r["t"]) for r in rows}


@cases(*RUNS)
def unshifted(run):
    """All logs of these runs were written on one machine: nothing is off, and nothing changes."""
    f = imported(run).store
    rows, _ = skew(f)
    for r in rows.values():
        check((r["lower_s"] is None or r["lower_s"] <= 0) and (r["upper_s"] is None or r["upper_s"] >= 0), r)
        equal((r["offset_ns"], r["backwards"], r["relaxed_s"]), (0, 0, 0), r["path"])
    for w, in query(f, "SELECT s.id FROM spans s JOIN sl_role r ON r.type = s.type AND role = 'workflow'"):
        equal(critical(f, w, ("--correct-skew",)), critical(f, w), "corrected by nothing")
    for form in ("table", "csv", "tsv", "json"):
        spanloom("skew", "-d", f, "--format", form)


@cases(*HTEX)
def planted(run):
    r = rng()
    f = imported(run).store
    before, reference = skew(f)
    raw = dump(f)
    w = query(f, f"SELECT id FROM spans WHERE type = '{WORKFLOW}'")[0][0]
    path = critical(f, w)[0]
    for scale in (100 * MS, 10 * S, 3600 * S):
        offsets = {s: r.randrange(-scale, scale) for s in before if s != reference}
        copy = f"{f}.{scale}"
        shutil.copyfile(f, copy)
        shift(copy, offsets)
        after, reference2 = skew(copy)
        equal((reference2, set(after)), (reference, set(before)), "the reference and the logs")
        wide = 0
        for s, ns in offsets.items():
            a, b = before[s], after[s]
            # handovers only differ by the offset, and so do their bounds
            for c in ("lower_s", "upper_s"):
                check((a[c] is None) == (b[c] is None) and (a[c] is None or abs(a[c] - ns / 1e9 - b[c]) < 1e-6), f"{a['path']} by {ns}: {c} was {a[c]}, is {b[c]}")
            check((b["lower_s"] is None or b["lower_s"] - 1e-6 <= -ns / 1e9) and (b["upper_s"] is None or -ns / 1e9 <= b["upper_s"] + 1e-6), f"{ns}: {b}")
            equal((b["pairs"], b["relaxed_s"]), (a["pairs"], 0), a["path"])
            if a["lower_s"] is not None and a["upper_s"] is not None:
                wide = max(wide, a["upper_s"] - a["lower_s"])
        kept = dump(copy)
        uncorrected = critical(copy, w)
        if run not in NARROW:
            parts, _ = critical(copy, w, ("--correct-skew",))
            sound(parts, parts[0][0], parts[-1][1])
            same(dump(copy), kept, "the store after --correct-skew")
            os.remove(copy)
            continue
        check(0 < wide < 0.1, wide)
        # and so is the critical path: by component, and in all
        parts, _ = critical(copy, w, ("--correct-skew",))
        check(abs((parts[-1][1] - parts[0][0]) - (path[-1][1] - path[0][0])) <= 2 * wide * S + 1000, "makespan", parts[-1][1] - parts[0][0])
        sound(parts, parts[0][0], parts[-1][1])
        same_tasks = {p[2] for p in parts} == {p[2] for p in path}
        note(f"{scale / 1e9} s: bounds {wide:.6f} s wide, {'the same' if same_tasks else 'other'} tasks on the path")
        if same_tasks:
            sums = [{}, {}]
            for total, of in zip(sums, (parts, path)):
                for a, b, task, component, state in of:
                    total[component] = total.get(component, 0) + b - a
            for component in set(sums[0]) | set(sums[1]):
                a, b = sums[0].get(component, 0), sums[1].get(component, 0)
                check(abs(a - b) <= len(path) * wide * S, f"{component}: {a / 1e9} s, was {b / 1e9} s")
        # nothing was changed in the store, and nothing is corrected that was not asked to be
        same(dump(copy), kept, "the store after --correct-skew")
        equal(query(copy, "SELECT count(*) FROM sqlite_master WHERE name = 'sl_skew'"), [(0,)])
        equal(critical(copy, w), uncorrected, "times as the logs have them")
        # a table of the store does the same for all; without it, all is as it was
        sql(copy, "CREATE TABLE sl_skew AS SELECT source, offset_ns FROM clock_skew()", options=("--write",))
        equal(critical(copy, w)[0], parts, "with a table of the store")
        sql(copy, "DROP TABLE sl_skew", options=("--write",))
        equal(critical(copy, w), uncorrected, "without it")
        os.remove(copy)
    same(dump(f), raw, "the store")


@cases(*NARROW)
def each_event(run):
    """lens_events() gives the events of the corrected copy when they were, as exact as the bounds; only those of logs that take part."""
    f = imported(run).store
    rows, reference = skew(f)
    first = times(f)
    shift(f, {s: (n + 1) * 77 * S for n, s in enumerate(rows) if s != reference})
    got = times(f, ("--correct-skew",))
    equal(set(got), set(first), "events")
    for key, t in got.items():
        wide = rows[key[0]]["upper_s"] - rows[key[0]]["lower_s"] if key[0] in rows else 0
        check(abs(t - first[key]) <= wide * S + 1000, f"{key}: {first[key]}, corrected {t}, bounds {rows.get(key[0])}")


@test
def planted_in_the_logs():
    # The manager's node is 90.25 s ahead, the interchange's 7.5 s behind.
    moved = {INTERCHANGE_LOG: -7.5, MANAGER_LOG: 90.25, WORKER0: 90.25, WORKER1: 90.25}

    def change(log, data):
        def move(m):
            t = int(m[1]) * 10**6 + int(m[2]) + round(moved[log] * 10**6)
            local = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=t)
            return b"%d.%06d %s " % (t // 10**6, t % 10**6, local.strftime("%Y-%m-%d %H:%M:%S").encode())
        return re.sub(rb"(?m)^(\d{10})\.(\d{6}) \d{4}-\d\d-\d\d \d\d:\d\d:\d\d ", move, data) if log in moved else data
    plain, store = imported(EXAMPLE, store="plain.db").store, imported(copy_run(path("runinfo"), change=change), store="moved.db").store
    rows, reference = skew(store)
    was, _ = skew(plain)
    names = {r["path"].partition("/000/")[2]: r for r in rows.values()}
    check(rows[reference]["path"].endswith("parsl.log"), rows[reference])
    for log, s in moved.items():
        r = names[log]
        check(r["lower_s"] <= -s <= r["upper_s"] and r["upper_s"] - r["lower_s"] < 0.05, f"{log}: {r}")
        check(abs(r["offset_s"] + s) < 0.01, r)
    task = "SELECT x.* FROM spans w JOIN critical_path(w.id) x WHERE w.type = 'parsl.rundir.workflow'"
    a, b = sql(plain, task), sql(store, task, options=("--correct-skew",))
    check(abs(sum(r["seconds"] for r in a) - sum(r["seconds"] for r in b)) < 0.02, "makespan")
    check(sum(r["seconds"] for r in sql(store, task)) > sum(r["seconds"] for r in a) + 7, "the uncorrected one should be longer")
    # orderings of a task's steps: means of steps between logs are right again
    steps = "SELECT count, mean_s, span_type || '/' || event_type AS e FROM event_sequences('parsl.executor.htex.interchange.task')"
    right = lambda rows: sum(r["count"] * r["mean_s"] for r in rows)
    check(abs(right(sql(plain, steps)) - right(sql(store, steps, options=("--correct-skew",)))) < 220 * 4 * 0.01, "lengths of tasks")
    check(right(sql(store, steps)) > right(sql(plain, steps)) + 1000, "lengths of tasks as the clocks have them")
    r = spanloom("sql", "-d", store, "--correct-skew", "SELECT 1")
    check("the clocks of 4 of 5 sources were corrected" in r.err, r)


INTERCHANGE_LOG, MANAGER_LOG = "htex_Local/interchange.log", "htex_Local/block-0/1954f1261cd1/manager.log"


# ---- made-up clocks

PENDING, PUT, GOT, RECEIVED, COMPLETED, REMOVED, DONE = range(7)
# the handovers of recipes/states.yaml
HANDOVERS = [(PENDING, PUT), (PENDING, GOT), (PUT, GOT), (GOT, RECEIVED), (COMPLETED, REMOVED), (COMPLETED, DONE), (REMOVED, DONE)]


def handed(s, w, key, sources, *at, executor=None):
    """A task: at is when each of the seven steps was, seconds by the clock of its log, or None; sources of interchange, manager, worker."""
    at = [None if t is None else round(t * S) for t in at]
    i = s.task(w, key, **{k: v for k, v in {"submitted": at[PENDING], "pending": at[PENDING], "exec_done": at[DONE]}.items() if v is not None})
    ix, mgr, wrk = sources
    y = s.span(TRY, 0, i)
    above = y
    for kind, source, events in ((IX_TASK, ix, {"interchange_put": at[PUT], "interchange_removing_task": at[REMOVED]}),
                                 (MGR_TASK, mgr, {"manager_got_task": at[GOT]}),
                                 (WORKER_TASK, wrk, {"worker_received_task": at[RECEIVED], "worker_completed_task": at[COMPLETED]})):
        events = {k: v for k, v in events.items() if v is not None}
        if events:
            x = s.span(kind, f"{w}.{key}", None, source, **events)
            s.link(above, IN, x)
            above = x
    return [PARSL, ix, mgr, wrk, wrk, ix, PARSL], at


def solve(tasks):
    """Bounds of what is to be added to each source's times relative to each other: {(a, b): least of b's correction less a's is -d}."""
    far = {}
    for sources, at in tasks:
        for x, y in HANDOVERS:
            if at[x] is not None and at[y] is not None and sources[x] != sources[y]:
                # at[x] + c[x] <= at[y] + c[y], so that c[x] - c[y] <= at[y] - at[x]
                key = (sources[x], sources[y])
                far[key] = min(far.get(key, 1 << 62), at[y] - at[x])
    return far


def closed(far, relax=0):
    """Of all pairs; None where they contradict each other."""
    nodes = sorted({n for k in far for n in k})
    d = {k: v + relax for k, v in far.items()}
    for m, a, b in itertools.product(nodes, nodes, nodes):
        if (a, m) in d and (m, b) in d and d[a, m] + d[m, b] < d.get((a, b), 1 << 62):
            d[a, b] = d[a, m] + d[m, b]
    return None if any(d.get((n, n), 0) < 0 for n in nodes) else d


def pairs_of(tasks):
    """{source: (handovers to and from it, of these backwards)}"""
    n = {}
    for sources, at in tasks:
        for x, y in HANDOVERS:
            if at[x] is not None and at[y] is not None and sources[x] != sources[y]:
                for s in {sources[x], sources[y]}:
                    a, b = n.get(s, (0, 0))
                    n[s] = a + 1, b + (at[y] < at[x])
    return n


def bounds(row):
    return tuple(None if row[c] is None else round(row[c], 6) for c in ("lower_s", "upper_s", "offset_s", "relaxed_s"))


def of_tasks(*tasks, sources=(INTERCHANGE, MANAGER, WORKER)):
    s = Store()
    w = s.workflow(started=0)
    for i, at in enumerate(tasks):
        handed(s, w, i, sources, *at)
    f = s.done()
    for form in ("table", "csv", "tsv", "json"):
        out = spanloom("skew", "-d", f, "--format", form).out
        check("nan" not in out.lower() and "inf" not in out.lower() and "e+" not in out.lower(), out)
    return f, skew(f)[0]


@test
def both_sides():
    # The interchange's clock is 3 s behind, says what it puts (at 8, pending was 10: at least 2) and removes (at 20, done 24: at most 4).
    f, rows = of_tasks((10, 8, None, None, None, 20, 24))
    equal(bounds(rows[INTERCHANGE]), (2, 4, 2, 0))
    equal((rows[INTERCHANGE]["pairs"], rows[INTERCHANGE]["backwards"], rows[INTERCHANGE]["reference"]), (2, 1, PARSL))
    equal(bounds(rows[PARSL]), (0, 0, 0, 0))
    equal(set(rows), {PARSL, INTERCHANGE})


@test
def one_side():
    # Only what parsl handed over: put at 8, pending at 10: at least 2 s behind, who knows how much.
    f, rows = of_tasks((10, 8, None, None, None, None, 24))
    equal(bounds(rows[INTERCHANGE]), (2, None, 2, 0))
    # Only what it got: removed at 26 and done at 24, by 2 s ahead at least.
    f, rows = of_tasks((10, None, None, None, None, 26, 24))
    equal(bounds(rows[INTERCHANGE]), (None, -2, -2, 0))
    # The same with a clock that can be right.
    f, rows = of_tasks((10, 12, None, None, None, None, 24))
    equal(bounds(rows[INTERCHANGE]), (-2, None, 0, 0))


@test
def over_other_logs():
    # The manager hears from the interchange alone (PUT 8 -> GOT 5: at least 3 more than that), and its worker, of the manager's
    # node, is heard by parsl alone (COMPLETED 19 -> DONE 24).
    f, rows = of_tasks((10, 8, 5, 6, 19, None, 24))
    equal(bounds(rows[INTERCHANGE]), (2, 3, 2, 0))
    # pending (10) before got (5): at least 5, as by way of the interchange; got before received (6): the worker's correction is
    # at least the manager's less 1, at most 5; the manager's therefore at most 6, the interchange's 3.
    equal(bounds(rows[MANAGER]), (5, 6, 5, 0))
    equal(bounds(rows[WORKER]), (4, 5, 4, 0))


@test
def contradictory():
    # A clock that was set in between: at least 2, says the first, and at most 1, says the second.  Half a second more for each.
    f, rows = of_tasks((10, 8, None, None, None, 20, 24), (30, 29, None, None, None, 33, 34))
    equal(bounds(rows[INTERCHANGE]), (1.5, 1.5, 1.5, 0.5))
    equal((rows[INTERCHANGE]["pairs"], rows[INTERCHANGE]["backwards"]), (4, 2))


@test
def a_bound_that_is_missing():
    # For people, too: a bound that is not there is not 0.
    f, rows = of_tasks((10, 12, None, None, None, None, 24))
    equal(bounds(rows[INTERCHANGE]), (-2, None, 0, 0))
    line = [x for x in spanloom("skew", "-d", f).out.splitlines() if "source2" in x][0]
    check("-2.0" in line and "0.000000" not in line, line)
    rows = csv_rows(spanloom("skew", "-d", f, "--format", "csv").out)
    equal([(r["lower_s"], r["upper_s"]) for r in rows if r["source"] == "2"], [("-2.0", "")], "csv")


@test
def tries():
    # The second try's `pending` (30) is no handover to the first one's queue (12), even where the first `pending` is not told.
    for told in (True, False):
        s = Store(f"{told}.db")
        w = s.workflow(started=0)
        i = s.task(w, "a", submitted=10 * S, pending=30 * S, exec_done=40 * S)
        if told:
            s.event(i, "pending", 11 * S)
        s.htex(i, 0, launched=12 * S, put=12 * S, to_manager=13 * S, removed=20 * S, failed=21 * S)
        s.htex(i, 1, launched=31 * S, put=31 * S, to_manager=33 * S, removed=39 * S)
        rows = skew(s.done())[0]
        row = rows[INTERCHANGE]
        equal((row["backwards"], row["offset_ns"], row["relaxed_s"]), (0, 0, 0), f"first told: {told}: {row}")


@test
def nothing_to_go_by():
    s = Store()
    w = s.workflow(started=0)
    s.task(w, "a", submitted=1, pending=1, launched=2, exec_done=3)
    f = s.done()
    equal(skew(f)[0], {})
    equal(spanloom("skew", "-d", f, "--format", "json").code, 0)
    spanloom("skew", "-d", f)
    spanloom("critical-path", "-d", f, "--correct-skew")
    empty = Store("empty.db").done()
    equal(skew(empty)[0], {})
    spanloom("skew", "-d", empty, code=(0, 1))
    # one log that tells both sides
    f, rows = of_tasks((10, 8, 7, 6, 5, 4, 3), sources=(PARSL, PARSL, PARSL))
    check(all(r["offset_ns"] == 0 for r in rows.values()), rows)


@test
def two_runs_of_clocks_that_never_met():
    # Two workflows with logs of their own; nothing ties their clocks together, and each has its answer.
    s = Store()
    for n, base in ((0, 0), (1, 30)):
        w = s.workflow(n, started=0)
        i = s.span(TASK, "t", w, base + PARSL, submitted=10 * S, exec_done=24 * S)
        y = s.span(TRY, 0, i, base + PARSL)
        x = s.span(IX_TASK, n, None, base + INTERCHANGE, interchange_put=8 * S if n else 9 * S, interchange_removing_task=20 * S)
        s.link(y, IN, x)
    f = s.done()
    rows = {r["source"]: r for r in sql(f, "SELECT * FROM clock_skew()")}
    equal(set(rows), {PARSL, INTERCHANGE, 30 + PARSL, 30 + INTERCHANGE})
    for low, base in ((1, 0), (2, 30)):
        a, b = rows[base + PARSL], rows[base + INTERCHANGE]
        check(a["reference"] == b["reference"] and a["reference"] in (base + PARSL, base + INTERCHANGE), (a, b))
        equal(b["upper_s"] - a["upper_s"] if a["reference"] == base + PARSL else None, 4 if a["reference"] == base + PARSL else None)
        equal(round(b["lower_s"] - a["lower_s"], 9), low)


@cases("agree", "contradict")
def random_clocks(how):
    """Several managers and workers, each with a clock of its own, random waits: bounds against an own solver."""
    r, wrong = rng(), []
    for store in range(60):
        s = Store(f"{store}.db")
        w = s.workflow(started=0)
        managers = r.randint(1, 4)
        clock = {n: r.choice((0, r.randrange(-5 * S, 5 * S))) for n in [PARSL, INTERCHANGE, *range(20, 20 + managers), *range(30, 30 + 2 * managers)]}
        tasks = []
        for i in range(r.randint(1, 25)):
            m = r.randrange(managers)
            ix, mgr, wrk = INTERCHANGE, 20 + m, 30 + 2 * m + r.randrange(2)
            t, at = r.randrange(100 * S), []
            for n in (PARSL, ix, mgr, wrk, wrk, ix, PARSL):
                t += r.randrange(1, r.choice((MS, S)))
                if how == "contradict" and r.random() < 0.05:
                    clock[n] += r.randrange(-S, S)  # it is set
                at.append((t + clock[n]) / S if r.random() < 0.9 else None)
            if at[PENDING] is None:
                at[PENDING] = (t - 10 * S + clock[PARSL]) / S
            tasks.append(handed(s, w, i, (ix, mgr, wrk), *at))
        f = s.done()
        rows, reference = {r["source"]: r for r in sql(f, "SELECT * FROM clock_skew()")}, None
        far, relax = solve(tasks), 0
        d = closed(far)
        if d is None:  # the least that makes them agree
            low, high = 0, 1 << 42
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if closed(far, middle) else (middle, high)
            relax = high
            said = max(r["relaxed_s"] for r in rows.values())
            check(said * S >= relax - US, f"{store}.db: relaxed by {said}, which does not make them agree; by {relax} does")
            if abs(said - relax / 1e9) > 2e-6:
                wrong.append(f"{store}.db: relaxed by {said} s, and {relax / 1e9} s are enough")
                relax = round(said * S)
            d = closed(far, relax)
        counts = pairs_of(tasks)
        equal(set(rows), set(counts), f"{store}.db: sources")
        for n, row in rows.items():
            ref = row["reference"]
            equal((row["pairs"], row["backwards"]), counts[n], f"{store}.db: {row}")
            # c[n] - c[ref] <= d[n, ref]; c[ref] - c[n] <= d[ref, n]
            for got, want in ((row["upper_s"], d.get((n, ref)) if n != ref else 0), (row["lower_s"], -d[ref, n] if (ref, n) in d and n != ref else None if n != ref else 0)):
                check((got is None) == (want is None) and (got is None or abs(got - want / 1e9) < 2e-6), f"{store}.db: source {n}: {row}, want {want}, relaxed {relax}")
            check(abs(row["relaxed_s"] - relax / 1e9) < 2e-6, f"{store}.db: {row}, relaxed by {relax}")
            if how == "agree":
                truth = clock[ref] - clock[n]
                check((row["lower_s"] is None or row["lower_s"] * S <= truth + 1) and (row["upper_s"] is None or truth <= row["upper_s"] * S + 1), f"{row}, truly {truth}")
        os.remove(f)
    check(not wrong, len(wrong), "stores, the first", *wrong[:1])


@cases(EXAMPLE, f"{DATA}/parsl-2026-nomonitoring")
def a_clock_that_was_set(run):
    # The interchange's clock is put forward by 5 s in the middle of the run.
    f = imported(run).store
    source, middle = query(f, "SELECT source, (min(time_ns) + max(time_ns)) / 2 FROM events WHERE source = (SELECT id FROM sources WHERE path LIKE '%interchange.log')")[0]
    db = sqlite3.connect(f)
    db.execute("UPDATE sl_event SET time_ns = time_ns + 5000000000 WHERE source = ? AND time_ns > ?", (source, middle))
    db.commit()
    db.close()
    rows = {r["source"]: r for r in sql(f, "SELECT * FROM clock_skew()")}
    check(-5 < rows[source]["offset_s"] < 0 and rows[source]["lower_s"] <= rows[source]["upper_s"], rows[source])
    spanloom("skew", "-d", f)
    w = query(f, f"SELECT id FROM spans WHERE type = '{WORKFLOW}'")[0][0]
    parts, _ = critical(f, w, ("--correct-skew",))
    sound(parts, parts[0][0], parts[-1][1])
    check(2.4 < rows[source]["relaxed_s"] <= 2.5 + 1e-6, "relaxed by", rows[source]["relaxed_s"])


@cases(300, 70000)
def many_sources_and_types(n):
    """Ids of sources and ranks of types that do not fit in one byte, or in two, are the same sources and types."""
    f = imported(EXAMPLE).store
    w = query(f, f"SELECT id FROM spans WHERE type = '{WORKFLOW}'")[0][0]
    rows, _ = skew(f)
    path, transitions = critical(f, w), sql(f, f"SELECT * FROM transitions('{TASK}')")
    db = sqlite3.connect(f)
    for table, column in (("sl_event", "source"), ("sl_source", "id")):
        db.execute(f"UPDATE {table} SET {column} = {column} + {n}")
    db.executemany("INSERT INTO sl_name (name) VALUES (?)", ((f"!{i}",) for i in range(n)))  # before all others
    db.commit()
    db.close()
    after, _ = skew(f)
    equal({s - n: {**r, "source": s - n, "reference": r["reference"] - n} for s, r in after.items()}, rows, "clock_skew()")
    equal(critical(f, w), path, "the critical path")
    equal(sql(f, f"SELECT * FROM transitions('{TASK}')"), transitions, "transitions")


@test
def odd_tables_of_skew():
    # A table of the user: what it does not name, names twice or names without a number.
    f, _ = of_tasks((10, 8, None, None, None, 20, 24))
    want = critical(f, 1)
    for rows in ("(99, 5)", "(NULL, 5)", "(2, NULL)", "(2, 'x')", "(2, 1), (2, 1)", "(2, 9223372036854775807)", "(2, 1.5)", "(-1, 0)", "(1, 0), (2, 0)"):
        sql(f, f"CREATE TABLE sl_skew (source, offset_ns); INSERT INTO sl_skew VALUES {rows}", options=("--write",))
        for text in ("SELECT * FROM critical_path(1)", "SELECT * FROM slack(1)", "SELECT * FROM what_if(1, '* x1')", "SELECT * FROM lens_events(1)",
                     f"SELECT * FROM event_sequences('{TASK}')", "SELECT * FROM clock_skew()"):
            r = spanloom("sql", "-d", f, text, code=(0, 1))
            check(r.code == 0 or r.err.startswith("spanloom: "), r)
        if rows in ("(99, 5)", "(-1, 0)", "(1, 0), (2, 0)"):
            equal(critical(f, 1), want, rows)
        sql(f, "DROP TABLE sl_skew", options=("--write",))
    sql(f, "CREATE TABLE sl_skew (a, b)", options=("--write",))
    r = spanloom("sql", "-d", f, "SELECT * FROM critical_path(1)", code=(0, 1))
    check(r.code == 0 or r.err.startswith("spanloom: "), r)


if __name__ == "__main__":
    main()
