#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What was written for dnpcsql runs on a store unchanged: its four tables by name and column, its queries, its inserts.

The scripts here are written as dnpcsql's are, with Python's sqlite3 and nothing of ours.
"""
import collections
import datetime
import os
import pickle
import shutil
import sys
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

SCHEMA = """
    CREATE TABLE IF NOT EXISTS span (uuid TEXT PRIMARY KEY, type TEXT, note TEXT);
    CREATE TABLE IF NOT EXISTS event (uuid TEXT PRIMARY KEY, span_uuid TEXT, time REAL, type TEXT, note TEXT);
    CREATE TABLE IF NOT EXISTS subspan (superspan_uuid TEXT, subspan_uuid TEXT, key TEXT, note TEXT);
    CREATE TABLE IF NOT EXISTS facet (left_uuid TEXT, right_uuid TEXT, note TEXT)"""
COLUMNS = {"span": ["uuid", "type", "note"], "event": ["uuid", "span_uuid", "time", "type", "note"],
           "subspan": ["superspan_uuid", "subspan_uuid", "key", "note"], "facet": ["left_uuid", "right_uuid", "note"]}
CLOSURE = """
    WITH RECURSIVE descendants(root_span_uuid, span_uuid) AS (
        SELECT uuid, uuid FROM span WHERE type = "{root}"
        UNION SELECT d.root_span_uuid, subspan.subspan_uuid FROM descendants d, subspan WHERE subspan.superspan_uuid = d.span_uuid
        UNION SELECT d.root_span_uuid, facet.right_uuid FROM descendants d, facet WHERE facet.left_uuid = d.span_uuid
        UNION SELECT d.root_span_uuid, facet.left_uuid FROM descendants d, facet WHERE facet.right_uuid = d.span_uuid)
    SELECT descendants.root_span_uuid, event.time, span.type, event.type
    FROM descendants, span, event
    WHERE span.uuid = descendants.span_uuid AND event.span_uuid = span.uuid
    ORDER BY descendants.root_span_uuid, event.time, span.type, event.type"""


def store():
    return imported(small_run(path("runinfo"), 60), store="dnpc.sqlite3").store


def new():
    return str(uuid.uuid4())


@test
def the_four_tables():
    db = sqlite3.connect(store())
    for table, columns in COLUMNS.items():
        equal([r[1] for r in db.execute(f"PRAGMA table_info({table})")], columns, f"columns of {table}")
        check(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] > 20, f"{table} is empty")
    n, unlike = db.execute("SELECT count(*), count(DISTINCT uuid) FROM event").fetchone()
    equal(unlike, n, "uuids of events")
    equal(db.execute("SELECT count(*) FROM event WHERE span_uuid NOT IN (SELECT uuid FROM span)").fetchone(), (0,), "events of no span")
    equal(db.execute("SELECT count(*) FROM subspan WHERE superspan_uuid NOT IN (SELECT uuid FROM span) OR subspan_uuid NOT IN (SELECT uuid FROM span)").fetchone(), (0,),
          "subspans of no span")
    equal(db.execute("SELECT count(*) FROM event WHERE typeof(time) <> 'real' OR time NOT BETWEEN 1795162000 AND 1795163000").fetchone(), (0,), "times that are no unix seconds")
    far = db.execute("SELECT max(abs(e.time - f.time_ns / 1e9)) FROM event e JOIN events f ON f.span = e.span_uuid AND f.type = e.type AND abs(f.time_ns / 1e9 - e.time) < 0.001").fetchone()
    check(far[0] < 1e-6, f"times differ by {far[0]} s")


@test
def its_schema_does_no_harm():
    """dnpcsql's importers begin with CREATE TABLE IF NOT EXISTS."""
    s = store()
    want = dump(s)
    db = sqlite3.connect(s)
    db.executescript(SCHEMA)
    db.commit()
    db.close()
    same(dump(s), want)


@test
def keys_of_subspans_are_ids():
    """subspan.key is the task id in its workflow, the try id in its task."""
    db = sqlite3.connect(store())
    n = 0
    for super_type, sub_type, keys in (("parsl.monitoring.workflow", "parsl.monitoring.task", None), ("parsl.monitoring.task", "parsl.monitoring.try", {"0", "1", "2"})):
        got = db.execute("""SELECT subspan.key FROM subspan, span AS a, span AS b WHERE a.uuid = superspan_uuid AND b.uuid = subspan_uuid
            AND a.type = ? AND b.type = ?""", (super_type, sub_type)).fetchall()
        check(got and all(str(k).isdigit() for k, in got), f"keys of {sub_type}: {got[:5]}")
        check(keys is None or {str(k) for k, in got} <= keys, f"keys of {sub_type}: {got[:5]}")
        n += len(got)
    check(n > 60, n)


@test
def double_quoted_strings():
    """SQLite's old habit, which dnpcsql uses."""
    s = store()
    n = query(s, "SELECT count(*) FROM span WHERE type = 'parsl.monitoring.task'")[0][0]
    db = sqlite3.connect(s)
    equal(db.execute('SELECT count(*) FROM span WHERE type = "parsl.monitoring.task"').fetchone()[0], n, "tasks, by sqlite3")
    out = spanloom("sql", "-d", s, "--format", "tsv", 'SELECT count(*) AS n FROM span WHERE type = "parsl.monitoring.task"').out
    equal(out, f"n\n{n}\n", "tasks, by spanloom sql")


# ---- inserts

def dnpc_importer(db, positional):
    """Inserts as dnpcsql's importers do: a workflow with two tasks, each with events; returns their uuids."""
    cursor = db.cursor()
    span = "INSERT INTO span VALUES (?, ?, ?)" if positional else "INSERT INTO span (uuid, type, note) VALUES (?, ?, ?)"
    event = "INSERT INTO event VALUES (?, ?, ?, ?, ?)" if positional else "INSERT INTO event (uuid, span_uuid, time, type, note) VALUES (?, ?, ?, ?, ?)"
    sub = "INSERT INTO subspan VALUES (?, ?, ?, ?)" if positional else "INSERT INTO subspan (superspan_uuid, subspan_uuid, key) VALUES (?, ?, ?)"
    facet = "INSERT INTO facet VALUES (?, ?, ?)" if positional else "INSERT INTO facet (left_uuid, right_uuid, note) VALUES (?, ?, ?)"
    ids = [new() for _ in range(4)]
    workflow, one, two, view = ids
    cursor.execute(span, (workflow, "mine.workflow", "Workflow of a test"))
    for i, u in enumerate((one, two)):
        cursor.execute(span, (u, "mine.task", None))
        cursor.execute(sub, (workflow, u, i, None) if positional else (workflow, u, i))
        for t, e in ((1795162300.125, "start"), (1795162300.125, "start"), (1795162301, "end"), (1795162300.5 + i, "note")):
            cursor.execute(event, (new(), u, t, e, f"task {i}"))
    cursor.execute(span, (view, "mine.view", "another view of one"))
    cursor.execute(facet, (one, view, "note"))
    cursor.execute(event, (new(), view, 1795162300.25, "seen", None))
    db.commit()
    return ids


@cases("named columns", "positional")
def inserts(how):
    s = store()
    before = dump(s)
    db = sqlite3.connect(s)
    dnpc_importer(db, how == "positional")
    equal(db.execute("SELECT type, note FROM span WHERE type LIKE 'mine.%' ORDER BY type").fetchall(),
          [("mine.task", None), ("mine.task", None), ("mine.view", "another view of one"), ("mine.workflow", "Workflow of a test")], "spans")
    rows = db.execute("SELECT s.type, e.time, e.type, e.note FROM event e, span s WHERE s.uuid = e.span_uuid AND s.type LIKE 'mine.%' ORDER BY s.type, e.note, e.time, e.type").fetchall()
    want = [("mine.task", t, e, f"task {i}") for i in (0, 1) for t, e in sorted([(1795162300.125, "start"), (1795162300.125, "start"), (1795162301.0, "end"), (1795162300.5 + i, "note")])]
    equal(rows, want + [("mine.view", 1795162300.25, "seen", None)], "events")
    closure = db.execute(CLOSURE.format(root="mine.workflow")).fetchall()
    equal(len(closure), 9, "events below the workflow")
    lost = set(before) - set(dump(s))
    check(not lost, f"lost {sorted(lost)[:3]}")
    db.close()
    spanloom("info", "-d", s)
    check("mine.task" in spanloom("types", "-d", s).out, "types does not name it")
    imported(path("runinfo"), store="dnpc.sqlite3")
    equal(len(query(s, CLOSURE.format(root="mine.workflow"))), 9, "events after another import")
    whole(s)


@test
def into_a_store_of_its_own():
    """A store made by an import of nothing else than a small file; then dnpcsql's importers fill it."""
    s = imported(write(path("runinfo/000/htex/block-0/m/worker_0.log"), b""), store="dnpc.sqlite3").store
    db = sqlite3.connect(s)
    dnpc_importer(db, True)
    equal(len(db.execute(CLOSURE.format(root="mine.workflow")).fetchall()), 9, "events")
    db.close()
    imported(small_run(path("more")), store="dnpc.sqlite3")
    equal(len(query(s, CLOSURE.format(root="mine.workflow"))), 9, "events after an import")
    equal({x for x in dump(s) if "mine." not in x and "block-0" not in x} >= {x for x in dump(imported(path("more"), store="plain.db").store)}, True, "what was imported")


@test
def tied_to_what_was_imported():
    """A script selects spans of ours, and binds its own to them."""
    s = store()
    db = sqlite3.connect(s)
    (task,), = db.execute("SELECT subspan.subspan_uuid FROM subspan, span WHERE span.uuid = subspan_uuid AND span.type = 'parsl.monitoring.task' AND subspan.key = '3'").fetchall()
    mine, other = new(), new()
    db.execute("INSERT INTO span VALUES (?, 'mine.context', '')", (mine,))
    db.execute("INSERT INTO span VALUES (?, 'mine.facet', '')", (other,))
    db.execute("INSERT INTO event VALUES (?, ?, 1795162305.5, 'seen', '')", (new(), mine))
    db.execute("INSERT INTO event VALUES (?, ?, 1795162305.75, 'seen too', '')", (new(), other))
    db.execute("INSERT INTO subspan VALUES (?, ?, 'c', '')", (task, mine))
    db.execute("INSERT INTO facet VALUES (?, ?, '')", (other, task))
    db.commit()
    found = [r for r in db.execute(CLOSURE.format(root="parsl.monitoring.task")) if r[0] == task]
    check({"seen", "seen too"} <= {r[3] for r in found}, f"not reached from the task: {found[:5]}")
    check([r for r in db.execute(CLOSURE.format(root="mine.facet")) if r[2] == "parsl.monitoring.task"], "the task is not reached from its facet")


@test
def found_by_its_own_uuid():
    """The tables give back integers; sl_uuid says which, for a script that kept its texts."""
    db = sqlite3.connect(store())
    ids = dnpc_importer(db, True)
    ours = dict(db.execute("SELECT uuid, span FROM sl_uuid"))
    for u in ids:
        check(db.execute("SELECT type FROM span WHERE uuid = ?", (ours[u],)).fetchone(), f"no span has the uuid {u}")
    n = db.execute("SELECT count(*) FROM event WHERE span_uuid = ?", (ours[ids[1]],)).fetchone()[0]
    equal(n, 4, "events of a span by its uuid")
    equal(db.execute("SELECT count(*) FROM subspan WHERE superspan_uuid = ?", (ours[ids[0]],)).fetchone()[0], 2, "subspans of a span by its uuid")


@test
def in_any_order():
    """dnpcsql's tables have no constraints: an event may come before its span."""
    db = sqlite3.connect(store())
    a, b = new(), new()
    db.execute("INSERT INTO event VALUES (?, ?, 1795162305.5, 'early', '')", (new(), b))
    db.execute("INSERT INTO subspan VALUES (?, ?, 'k', '')", (a, b))
    db.execute("INSERT INTO span VALUES (?, 'mine.inner', '')", (b,))
    db.execute("INSERT INTO span VALUES (?, 'mine.outer', '')", (a,))
    db.commit()
    equal([r[3] for r in db.execute(CLOSURE.format(root="mine.outer"))], ["early"], "events below the outer span")


@test
def undone():
    s = store()
    want = dump(s)
    db = sqlite3.connect(s)
    db.execute("INSERT INTO span VALUES (?, 'mine.lost', '')", (new(),))
    db.execute("INSERT INTO event VALUES (?, (SELECT max(uuid) FROM span), 1795162305.5, 'lost', '')", (new(),))
    db.rollback()
    db.close()
    same(dump(s), want)


@test
def many():
    """executemany of 20,000 rows takes seconds, not minutes."""
    s = store()
    db = sqlite3.connect(s)
    u = [new() for _ in range(2000)]
    start = time.process_time()
    db.executemany("INSERT INTO span VALUES (?, 'mine.many', ?)", [(x, "n") for x in u])
    db.executemany("INSERT INTO event VALUES (?, ?, ?, 'e', '')", [(new(), x, 1795162300 + i / 7) for x in u for i in range(9)])
    db.commit()
    took = time.process_time() - start
    equal(db.execute("SELECT count(*) FROM event, span WHERE span.uuid = span_uuid AND span.type = 'mine.many'").fetchone()[0], 18000, "events")
    check(took < 15, f"{took:.1f} s")
    note(f"{took:.1f} s")


@cases("rundir first", "database first", "at once", "8 threads")
def sides(how):
    """Monitoring stands left, and tracing, as its importer puts them."""
    parts = [f"{EXAMPLE}/000", f"{EXAMPLE}/monitoring.db"]
    for p in parts if how == "rundir first" else parts[::-1] if how == "database first" else [parts]:
        s = imported(*([p] if isinstance(p, str) else p), store="dnpc.sqlite3", options=("--jobs", 8) if "threads" in how else ()).store
    db = opened(s)
    pairs = dict(((a, b), n) for a, b, n in db.execute("SELECT a.type, b.type, count(*) FROM span a, span b, facet WHERE a.uuid = left_uuid AND b.uuid = right_uuid GROUP BY 1, 2"))
    equal(pairs, {("parsl.monitoring.workflow", "parsl.rundir.workflow"): 1, ("parsl.monitoring.task", "parsl.rundir.task"): 198,
                  ("parsl.monitoring.try", "parsl.rundir.try"): 228, ("parsl.monitoring.executor", "parsl.rundir.executor"): 2,
                  ("parsl.monitoring.block", "parsl.rundir.block"): 1, ("parsl.monitoring.node", "parsl.executor.htex.manager"): 1})


@test
def sides_of_traces():
    pickled = path("run/000/parsl_tracing.pickle")
    os.makedirs(path("run/000"))
    shutil.copyfile(f"{EXAMPLE}/000/parsl.log", path("run/000/parsl.log"))
    write(pickled, pickle.dumps({"events": [(1795162300.5, "BEGIN", "TASK", i) for i in range(5)], "binds": []}))
    for order in ((path("run/000/parsl.log"), pickled), (pickled, path("run/000/parsl.log"))):
        name = f"{os.path.basename(order[0])}.db"
        for p in order:
            s = imported(p, store=name).store
        equal(query(s, "SELECT a.type, b.type, count(*) FROM span a, span b, facet WHERE a.uuid = left_uuid AND b.uuid = right_uuid GROUP BY 1 ORDER BY 1"),
              [("parsl.tracing.TASK", "parsl.rundir.task", 5), ("parsl.tracing.workflow", "parsl.rundir.workflow", 1)])


# ---- conflicts, as on tables with uuid as primary key

@test
def replaced_and_ignored():
    """INSERT OR REPLACE replaces under the same uuid, OR IGNORE keeps what is there, and a plain INSERT fails; all else stays."""
    s = store()
    before = dump(s)
    db = opened(s)
    a, b, e, f = (new() for _ in range(4))
    dnpc = sqlite3.connect(":memory:")
    dnpc.executescript(SCHEMA)
    for verb, n in (("INSERT", 1), ("INSERT OR REPLACE", 2), ("INSERT OR IGNORE", 3), ("REPLACE", 4), ("INSERT OR FAIL", 5), ("INSERT OR ABORT", 6), ("INSERT", 7)):
        for d in (db, dnpc):
            for sql, values in (("span VALUES (?, ?, ?)", (a, f"mine.{n}", f"note {n}")), ("event VALUES (?, ?, ?, ?, ?)", (e, a, 1795162300.0 + n, f"e{n}", f"note {n}"))):
                try:
                    d.execute(f"{verb} INTO {sql}", values)
                    check(n < 5, f"{verb} INTO {sql} went through")
                except sqlite3.IntegrityError as x:
                    check(n >= 5 and "UNIQUE constraint failed" in str(x), f"{verb} INTO {sql}: {x}")
            d.execute(f"{verb} INTO span VALUES (?, 'mine.other', NULL)", (f"{b}{n}",))
            d.execute(f"{verb} INTO event VALUES (?, ?, 1795162300.0, 'other', NULL)", (f"{f}{n}", f"{b}{n}"))
            if n == 1:
                d.execute("INSERT INTO subspan VALUES (?, ?, 'its name', NULL)", (f"{b}1", a))
    rows = ("SELECT s.type, s.note, e.time, e.type, e.note FROM span s LEFT JOIN event e ON e.span_uuid = s.uuid WHERE s.type LIKE 'mine.%' ORDER BY 1, 2, 3, 4",
            "SELECT b.type, key FROM subspan, span a, span b WHERE a.uuid = superspan_uuid AND b.uuid = subspan_uuid AND a.type LIKE 'mine.%'")
    for sql in rows:
        got, want = ([tuple(float(x) if i == 2 and len(r) > 2 else x for i, x in enumerate(r)) for r in d.execute(sql)] for d in (db, dnpc))
        equal(got, want, sql)
    equal(len(got), 1, "relations")
    equal(db.execute("SELECT key FROM spans WHERE type = 'mine.4'").fetchall(), [("its name",)], "the key of what was replaced")
    db.commit()
    whole(s)
    check(set(before) <= set(dump(s)), "what was imported has changed")


@test
def relations_again():
    """Two equal rows count once, whatever the verb; a relation that a log tells stays the log's."""
    s = store()
    db = opened(s)
    a, b = new(), new()
    for u in (a, b):
        db.execute("INSERT OR REPLACE INTO span VALUES (?, 'mine.span', NULL)", (u,))
    left, right = db.execute("SELECT left_span, right_span FROM links WHERE kind = 'facet' LIMIT 1").fetchone()
    rule = db.execute("SELECT rule FROM links WHERE left_span = ? AND right_span = ?", (left, right)).fetchall()
    for verb in ("INSERT", "INSERT OR REPLACE", "REPLACE", "INSERT OR IGNORE", "INSERT OR FAIL"):
        db.execute(f"{verb} INTO facet VALUES (?, ?, 'mine')", (a, b))
        db.execute(f"{verb} INTO subspan VALUES (?, ?, 'key', 'mine')", (a, b))
        db.execute(f"{verb} INTO facet VALUES (?, ?, 'mine')", (left, right))
    equal(db.execute("SELECT count(*) FROM facet WHERE note = 'mine'").fetchone()[0], 1, "facets")
    equal(db.execute("SELECT count(*) FROM subspan WHERE note = 'mine'").fetchone()[0], 1, "subspans")
    equal(db.execute("SELECT rule FROM links WHERE left_span = ? AND right_span = ?", (left, right)).fetchall(), rule, "a log's facet")
    db.commit()
    whole(s)


@test
def what_cannot_be_replaced():
    """A span that a log tells of, and what stands on a view: said so, and nothing is changed."""
    s = store()
    want = dump(s)
    db = opened(s)
    for sql, words in (("INSERT OR REPLACE INTO span VALUES (3, 'mine', NULL)", "a span that was imported cannot be replaced"),
                       ("INSERT INTO span VALUES (3, 'mine', NULL)", "UNIQUE constraint failed"), ("INSERT OR IGNORE INTO span VALUES (3, 'mine', NULL)", ""),
                       ("INSERT INTO span VALUES ('x', 'mine', NULL) ON CONFLICT DO NOTHING", "cannot UPSERT a view"),
                       ("INSERT INTO event VALUES ('x', 3, 1, 'e', NULL) ON CONFLICT (uuid) DO UPDATE SET time = 2", "cannot UPSERT a view")):
        try:
            db.execute(sql)
            check(not words, f"went through: {sql}")
        except sqlite3.Error as x:
            check(words and words in str(x), f"{sql}: {x}")
    db.commit()
    db.close()
    same(dump(s), want)
    whole(s)


# ---- habits of its scripts

def opened(s):
    """As all its tools open the file."""
    return sqlite3.connect(s, detect_types=sqlite3.PARSE_DECLTYPES | sqlite3.PARSE_COLNAMES)


@test
def opened_with_declared_types():
    """Rows are what its Python expects: times are numbers, or texts that float() takes; the other columns can be compared and printed."""
    db = opened(store())
    rows = db.execute("select span.uuid, event.time, span.type, event.type, event.uuid from span, event where event.span_uuid = span.uuid order by span.uuid, event.time;").fetchall()
    check(len(rows) > 200, len(rows))
    for kind, column in zip((int, float, str, str, str), zip(*rows)):
        equal({type(x) for x in column}, {kind}, f"types of {column[0]!r}")
    equal(sorted(rows, key=lambda r: (r[0], float(r[1]))), sorted(rows, key=lambda r: r[0]), "the order of times")
    equal({type(k) for k, in db.execute("SELECT key FROM subspan")}, {str}, "types of keys")


@cases("text", "integer", "real")
def times_as_scripts_give_them(kind):
    """The column was a TEXT, and importers gave str(time): what is read back is the same number, to the microsecond."""
    give = {"text": str, "integer": int, "real": float}[kind]
    times = [1795162300.123457, 1795162300.0, 1680018839.952707, 0.5, 1795162300.1]
    db = opened(store())
    u = new()
    db.execute("INSERT INTO span (uuid, type, note) VALUES (?, ?, ?)", (u, "mine.timed", "x"))
    for i, t in enumerate(times):
        db.execute("INSERT INTO event (uuid, span_uuid, time, type, note) VALUES (?, ?, ?, ?, ?)", (new(), u, give(t), f"e{i}", "x"))
    got = dict(db.execute("SELECT event.type, event.time FROM event, span WHERE span_uuid = span.uuid AND span.type = 'mine.timed'"))
    equal(got, {f"e{i}": float(give(t)) for i, t in enumerate(times)}, "times")
    half = 1795162300.05
    n = sum(float(give(t)) > half for t in times)
    for quoted in (f"{half}", f"'{half}'", f'"{half}"'):
        equal(db.execute(f"SELECT count(*) FROM event, span WHERE span_uuid = span.uuid AND span.type = 'mine.timed' AND event.time > {quoted}").fetchone()[0], n, f"later than {quoted}")


@test
def a_span_has_a_name_in_each_of_its_superspans():
    """Its importers call a task after its number in the manager, and "htex subtask" in the try; relations have notes of their own."""
    db = opened(store())
    a, b, c, d = (new() for _ in range(4))
    for u, t in ((a, "mine.try"), (b, "mine.worker"), (c, "mine.task"), (d, "mine.view")):
        db.execute("INSERT INTO span VALUES (?, ?, NULL)", (u, t))
    db.execute("INSERT INTO subspan VALUES (?, ?, ?, ?)", (a, c, "htex subtask", "bound by a log"))
    db.execute("INSERT INTO subspan (superspan_uuid, subspan_uuid, key) VALUES (?, ?, ?)", (b, c, 17))
    db.execute("INSERT INTO facet VALUES (?, ?, ?)", (c, d, "joined by a script"))
    db.commit()
    rows = "SELECT a.type, key, subspan.note FROM subspan, span a, span b WHERE a.uuid = superspan_uuid AND b.uuid = subspan_uuid AND b.type = 'mine.task' AND key {} ORDER BY 1"
    equal(db.execute(rows.format("NOTNULL")).fetchall(), [("mine.try", "htex subtask", "bound by a log"), ("mine.worker", "17", None)], "names and notes")
    for key in ("= 17", "= '17'", '= "17"', "IN (17)"):
        equal(len(db.execute(rows.format(key)).fetchall()), 1, f"key {key}")
    equal(db.execute("SELECT facet.note FROM facet, span WHERE span.uuid = left_uuid AND type = 'mine.task'").fetchall(), [("joined by a script",)], "note of a facet")


@test
def inserted_types_have_tables():
    """Events are columns: for spanloom bind at once, for the table of the type after the next import of something new; also where the event came before its span."""
    s = store()
    db = opened(s)
    a, b = new(), new()
    db.execute("INSERT INTO event VALUES (?, ?, 1795162291.5, 'begins', '')", (new(), a))
    for u, note in ((a, "first"), (b, "second")):
        db.execute("INSERT INTO span VALUES (?, 'mine.phase', ?)", (u, note))
    db.execute("INSERT INTO event VALUES (?, ?, '1795162300.25', 'ends', '')", (new(), b))
    db.commit()
    check(": would make 1 link" in spanloom("bind", "-d", s, "--dry-run", "mine.phase after mine.phase where a.ends > b.begins").out, "spanloom bind does not know the events")
    db.close()
    imported(write(path("more/solver.log"), "1795162300.5 METRIC SOLVER heat cells=1\n"), store="dnpc.sqlite3")
    equal(query(s, "SELECT round(begins, 3), round(ends, 3) FROM mine_phase ORDER BY id"), [(1795162291.5, None), (None, 1795162300.25)], "the table")


@test
def two_events_of_a_span():
    """What twoevents.py is given: a row for each span, with a time and a duration; statistics of it as numpy makes them."""
    s = imported(EXAMPLE, store="dnpc.sqlite3").store
    rows = opened(s).execute("""select e1.time, e2.time - e1.time from event as e1, event as e2
        where e1.span_uuid = e2.span_uuid and e1.type = "invoked" and e2.type = "returned";""").fetchall()
    with sqlite3.connect(f"file:{EXAMPLE}/monitoring.db?mode=ro&immutable=1", uri=True) as db:
        unix = lambda t: datetime.datetime.fromisoformat(t + "+00:00").timestamp()
        want = [(unix(a), unix(b) - unix(a)) for a, b in db.execute("SELECT task_time_invoked, task_time_returned FROM task")]
    equal(len(rows), 198, "tasks")
    for (a, b), (c, d) in zip(sorted(rows), sorted(want)):
        check(abs(a - c) < 1e-6 and abs(b - d) < 2e-6, f"{a} {b}, not {c} {d}")


@test
def event_rates():
    """Events of one type of a Work Queue, alone; transfers are events of the task."""
    log = "# time manager_pid TASK ...\n" + "".join(
        f"179516{2300 + i // 4}{i:06} 77 TASK {i} {state} {more}\n" for i in range(20)
        for state, more in (("WAITING", "f FIRST_RESOURCES {}"), ("RUNNING", "127.0.0.1:1 FIRST_RESOURCES {}")))
    s = imported(write(path("run/transaction_log"), log), store="dnpc.sqlite3").store
    times = [t for t, in opened(s).execute('SELECT event.time FROM event, span WHERE event.type = "RUNNING" AND event.span_uuid = span.uuid AND span.type = "workqueue.task"')]
    equal(collections.Counter(map(int, times)), collections.Counter({1795162300 + k: 4 for k in range(5)}), "events a second")


@test
def what_does_not_run():
    """Known: an index on its tables, as its newer schema makes, and a search by a text id. They say so, and harm nothing."""
    s = store()
    want = dump(s)
    db = opened(s)
    for sql in ("create index span_uuids on event (span_uuid)", "CREATE INDEX IF NOT EXISTS subspan_uuids_super ON subspan (superspan_uuid)"):
        try:
            db.execute(sql)
            check(False, f"an index was made: docs/from-dnpcsql.md says that this cannot be: {sql}")
        except sqlite3.OperationalError as e:
            equal(str(e), "views may not be indexed")
    for sql in ("DELETE FROM event", "UPDATE span SET note = 'x'"):
        try:
            db.execute(sql)
            check(False, f"this was done: {sql}")
        except sqlite3.OperationalError as e:
            check("because it is a view" in str(e), e)
    db.close()
    same(dump(s), want)


# ---- its analyses

def sequences_by_sql(s, root):
    """As dnpcsql's list_event_sequences: {sequence: [the times of each root]}"""
    db = sqlite3.connect(s)
    found = collections.OrderedDict()
    for r, t, span_type, event_type in db.execute(CLOSURE.format(root=root)):
        found.setdefault(r, []).append((t, f"{span_type}/{event_type}"))
    groups = collections.defaultdict(list)
    for events in found.values():
        groups[tuple(e for _, e in events)].append([t for t, _ in events])
    return groups


def sequences_by_hand(s, root):
    """The same from the tables alone, by walking."""
    db = sqlite3.connect(s)
    types = dict(db.execute("SELECT uuid, type FROM span"))
    next_ = collections.defaultdict(set)
    for a, b in db.execute("SELECT superspan_uuid, subspan_uuid FROM subspan"):
        next_[a].add(b)
    for a, b in db.execute("SELECT left_uuid, right_uuid FROM facet"):
        next_[a].add(b)
        next_[b].add(a)
    events = collections.defaultdict(list)
    for span, t, kind in db.execute("SELECT span_uuid, time, type FROM event"):
        events[span].append((t, types[span], kind))
    groups = collections.defaultdict(list)
    for start in [u for u, t in types.items() if t == root]:
        seen, todo = {start}, [start]
        while todo:
            for n in next_[todo.pop()] - seen:
                seen.add(n)
                todo.append(n)
        row = sorted(e for span in seen for e in events[span])
        if row:
            groups[tuple(f"{a}/{b}" for _, a, b in row)].append([t for t, _, _ in row])
    return groups


@cases("parsl.monitoring.task", "parsl.rundir.task", "parsl.monitoring.workflow", "parsl.executor.htex.manager")
def list_event_sequences(root):
    s = store()
    a, b = sequences_by_sql(s, root), sequences_by_hand(s, root)
    equal({k: sorted(v) for k, v in a.items()}, {k: sorted(v) for k, v in b.items()}, "sequences")
    check(len(a) >= 1, "no sequences")
    best = max(a.values(), key=len)
    note(f"{len(a)} different orderings, most common {len(best)}")


@cases("parsl.monitoring.task", "parsl.rundir.task", "parsl.monitoring.try", "parsl.executor.htex.worker", "parsl.monitoring.workflow")
def sequences_says_the_same(root):
    """spanloom sequences against dnpcsql's way: orderings, their numbers, and the times of each step."""
    s = store()
    want = sequences_by_hand(s, root)
    rows = json.loads(spanloom("sequences", "-d", s, "--lens", "none", "--all", "--format", "json", root).out)
    got = collections.defaultdict(list)
    for r in rows:
        got[r["sequence"]].append(r)
    counts = sorted((len(v) for v in want.values()), reverse=True)
    equal([v[0]["count"] for v in got.values()], counts, "counts of the orderings")
    for steps in got.values():
        names = tuple(f"{r['span_type']}/{r['event_type']}" for r in steps)
        check(names in want, f"no such ordering: {names[:5]}")
        total = 0
        for i, r in enumerate(steps):
            waits = [t[i] - t[i - 1] if i else 0 for t in want[names]]
            mean = sum(waits) / len(waits)
            total += mean
            for k, v in (("mean_s", mean), ("min_s", min(waits)), ("max_s", max(waits)), ("cumulative_s", total)):
                check(abs(r[k] - v) < 2e-6, f"{k} of {names[i]} is {r[k]}, not {v}")
    best = json.loads(spanloom("sequences", "-d", s, "--lens", "none", "--format", "json", root).out)
    equal(best, [r for r in rows if r["sequence"] == rows[0]["sequence"]], "the most common alone")


@test
def a_task_is_followed_through_every_component():
    """Names and order of what a plain task does, as dnpcsql's users know them."""
    s = imported(EXAMPLE, store="dnpc.sqlite3").store
    groups = sequences_by_sql(s, "parsl.monitoring.task")
    common = max(groups, key=lambda k: len(groups[k]))
    for name in ("parsl.monitoring.task/invoked", "parsl.monitoring.task/returned", "parsl.monitoring.try/pending", "parsl.monitoring.try/launched", "parsl.monitoring.try/running",
                 "parsl.monitoring.try/running_ended", "parsl.monitoring.try/exec_done", "parsl.executor.htex.interchange.task/interchange_to_manager",
                 "parsl.executor.htex.interchange.task/interchange_removing_task", "parsl.executor.htex.manager.task/manager_got_task",
                 "parsl.executor.htex.worker.task/worker_received_task", "parsl.executor.htex.worker.task/worker_completed_task", "parsl.executor.htex.worker.task/worker_all_finished_task"):
        equal(common.count(name), 1, f"{name} in the most common sequence")
    equal(sum(map(len, groups.values())), 198, "tasks")
    for i, times in enumerate(zip(*groups[common])):
        check(max(times) - min(times) < 60, f"times of {common[i]}")
    for root in groups[common]:
        check(root[-1] - root[0] < 60, "a task of hours: times of its facets are not in one zone")


@test
def list_span_types():
    s = store()
    db = sqlite3.connect(s)
    types = {t for t, in db.execute("SELECT DISTINCT type FROM span")}
    check({"parsl.monitoring.workflow", "parsl.monitoring.task", "parsl.monitoring.try", "parsl.rundir.workflow", "parsl.rundir.task", "parsl.rundir.try",
           "parsl.executor.htex.interchange.task", "parsl.executor.htex.manager", "parsl.executor.htex.manager.task", "parsl.executor.htex.worker", "parsl.executor.htex.worker.task"} <= types, types)
    equal({x for x in spanloom("types", "-d", s, "--format", "tsv").out.split() if "." in x} & types, types, "spanloom types")
    graph = {(a, b) for a, b in db.execute("SELECT DISTINCT a.type, b.type FROM span a, span b, subspan WHERE a.uuid = superspan_uuid AND b.uuid = subspan_uuid")}
    for pair in (("parsl.monitoring.workflow", "parsl.monitoring.task"), ("parsl.monitoring.task", "parsl.monitoring.try"), ("parsl.rundir.try", "parsl.executor.htex.interchange.task"),
                 ("parsl.executor.htex.interchange.task", "parsl.executor.htex.manager.task"), ("parsl.executor.htex.manager", "parsl.executor.htex.manager.task"),
                 ("parsl.executor.htex.manager", "parsl.executor.htex.worker"), ("parsl.executor.htex.manager.task", "parsl.executor.htex.worker.task"),
                 ("parsl.executor.htex.worker", "parsl.executor.htex.worker.task")):
        check(pair in graph, f"no {pair[1]} is a subspan of a {pair[0]}")
    facets = {frozenset(r) for r in db.execute("SELECT DISTINCT a.type, b.type FROM span a, span b, facet WHERE a.uuid = left_uuid AND b.uuid = right_uuid")}
    for pair in (("parsl.monitoring.workflow", "parsl.rundir.workflow"), ("parsl.monitoring.task", "parsl.rundir.task")):
        check(frozenset(pair) in facets, f"{pair} are no facets")
    equal(db.execute("SELECT count(*) FROM subspan s, facet f WHERE (superspan_uuid = left_uuid AND subspan_uuid = right_uuid) OR (superspan_uuid = right_uuid AND subspan_uuid = left_uuid)").fetchone(),
          (0,), "pairs that are both")
    kinds = {k for k, in db.execute("SELECT DISTINCT kind FROM links")}
    check("after" in kinds, "no dependencies")
    dependencies = db.execute("SELECT count(*) FROM links l, subspan s WHERE l.kind = 'after' AND superspan_uuid = left_span AND subspan_uuid = right_span").fetchone()
    equal(dependencies, (0,), "dependencies stored as containment")


main()
