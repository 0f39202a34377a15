#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stores that no import made: damaged, or made to do harm. Every command on each: a result or a clear message, soon, and no crash.

A store is one that was imported, and one kind of damage done to it by SQL. FAULTS_DAMAGE='TEXT|TEXT': only those with a TEXT in their name.
Each meets every TURNS-th command, so that all damages meet all kinds of commands; FAULTS_ALL=1: every command on each, ten minutes.
"""
import atexit
import contextlib
import os
import resource
import shutil
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

ONLY = os.environ.get("FAULTS_DAMAGE", "")
ALL = os.environ.get("FAULTS_ALL")  # every command on every damage; else each damage meets some, in turn
TURNS = 9
CPU = 60 if SANITIZED else 8       # seconds, of one command
MEMORY = None if SANITIZED else 1 << 30

ODD = {"null": "NULL", "real": "1.5", "text": "'x'", "blob": "x'00ff41'", "negative": "-5", "huge": "9223372036854775807", "least": "-9223372036854775808",
       "big": "4294967297", "infinite": "9e999", "empty": "''", "long": "printf('%.*c', 100000, 'y')", "nul": "CAST(x'610062' AS TEXT)", "no UTF-8": "CAST(x'fffe41' AS TEXT)",
       "JSON": """'{"place": 1, "hash": 1.5, "spans": ["a", null, {}, -1, 9e99]}'""", "JSON of a place": """'{"place": -1, "hash": null, "spans": 7}'"""}

# Columns worth damaging: of each, some values that have no business there.
COLUMNS = {
    "sl_meta.value": ("null", "text", "blob", "negative", "huge"),
    "sl_name.id": ("negative", "huge", "big"),
    "sl_name.name": ("blob", "real", "empty", "long", "nul", "no UTF-8", "null"),
    "sl_source.id": ("negative", "huge"),
    "sl_source.path": ("null", "blob", "long", "no UTF-8"),
    "sl_source.recipe": ("null", "blob"),
    "sl_source.component": ("null", "blob"),
    "sl_source.bytes": ("null", "text", "negative", "huge"),
    "sl_source.hash": ("null", "blob"),
    "sl_source.context": ("null", "text", "blob"),
    "sl_source.records": ("text", "least"),
    "sl_source.replaced_by": ("real", "text", "huge"),
    "sl_source.input": ("text", "huge"),
    "sl_span.id": ("negative", "huge", "big"),
    "sl_span.type": ("null", "real", "text", "blob", "negative", "huge", "big"),
    "sl_span.key": ("null", "real", "blob", "long", "nul", "no UTF-8"),
    "sl_span.parent": ("real", "text", "blob", "negative", "huge", "big"),
    "sl_span.source": ("null", "text", "blob", "huge"),
    "sl_span.place": ("text", "huge"),
    "sl_span.alike": ("text", "negative", "huge"),
    "sl_event.span": ("real", "text", "blob", "negative", "big"),
    "sl_event.time_ns": ("real", "text", "blob", "negative", "huge", "least", "infinite"),
    "sl_event.type": ("real", "text", "blob", "huge"),
    "sl_event.source": ("text", "blob", "huge"),
    "sl_event.place": ("text", "blob", "least"),
    "sl_event.zone": ("text", "huge"),
    "sl_link.left_span": ("real", "text", "blob", "huge", "big"),
    "sl_link.kind": ("real", "text", "blob", "huge"),
    "sl_link.right_span": ("real", "blob", "least", "big"),
    "sl_link.rule": ("text", "blob", "huge", "null"),
    "sl_link.source": ("text", "blob", "huge"),
    "sl_link.confidence": ("text", "blob", "infinite"),
    "sl_link.weak": ("text", "huge"),
    "sl_shape.id": ("text", "negative", "huge", "big"),
    "sl_shape.name": ("null", "blob", "real"),
    "sl_shape.path": ("null", "text", "blob"),
    "sl_attr.span": ("text", "huge"),
    "sl_attr.shape": ("text", "huge"),
    "sl_attr.vals": ("null", "text", "blob", "real", "long"),
    "sl_alike.id": ("negative", "huge"),
    "sl_alike.source": ("text", "blob", "huge"),
    "sl_alike.shape": ("text", "huge"),
    "sl_alike.vals": ("null", "text", "blob", "real", "long"),
    "sl_sample.time_ns": ("text", "huge", "least"),
    "sl_sample.vals": ("text", "blob"),
    "sl_reject.reason": ("blob", "nul"),
    "sl_zone.root": ("text", "null", "huge"),
    "sl_zone.since_ns": ("text", "least", "huge"),
    "sl_zone.offset_s": ("text", "least", "huge"),
    "sl_zone.how": ("null", "blob"),
    "sl_ghost.id": ("negative", "huge"),
    "sl_ghost.type": ("null", "text", "huge"),
    "sl_ghost.key": ("null", "blob", "long"),
    "sl_weak.left_span": ("text", "huge"),
    "sl_weak.kind": ("text", "huge"),
    "sl_weak.rule": ("null", "huge"),
    "sl_shared.value": ("null", "blob", "nul"),
    "sl_bind.name": ("null", "blob", "empty"),
    "sl_bind.rule": ("null", "blob", "text", "long"),
    "sl_bind.project": ("blob", "text"),
    "sl_source.head": ("blob", "real", "long"),
    "sl_source.tail": ("text", "blob", "real", "huge", "JSON", "JSON of a place"),
    "sl_root.root": ("text", "huge", "negative"),
    "sl_root.source": ("text", "huge", "null"),
    "sl_root.weak": ("text", "huge"),
    "sl_handle.span": ("text", "huge", "negative"),
    "sl_handle.name": ("null", "blob"),
    "sl_handle.source": ("text", "huge"),
    "sl_handle.place": ("text", "least"),
    "sl_handle.value": ("null", "real", "blob", "long", "no UTF-8"),
    "sl_seen.type": ("text", "huge"),
    "sl_seen.what": ("text", "huge"),
    "sl_wrote.span": ("text", "huge"),
    "sl_wrote.of_type": ("text", "huge"),
    "sl_lens.kind": ("null", "blob", "real", "text"),
    "sl_lens.what": ("null", "blob", "empty", "long"),
    "sl_lens.becomes": ("null", "blob", "empty", "nul"),
    "sl_lens.within_ns": ("text", "huge", "least", "infinite"),
    "sl_event_also.time_ns": ("text", "huge"),
    "sl_role.role": ("null", "blob"),
    "sl_role.type": ("blob", "nul"),
    "sl_state.kind": ("null", "blob"),
    "sl_state.state": ("null", "blob", "long"),
    "sl_state.component": ("blob", "long"),
    "sl_state.rank": ("text", "huge", "least"),
    "sl_handover.from_type": ("blob", "nul"),
    "sl_old_event.span": ("null", "blob"),
}

_N = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {})"
_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
_TYPE = "(SELECT id FROM sl_name WHERE name = '{}')"
_TASK, _ROOT = _TYPE.format("parsl.rundir.task"), _TYPE.format("parsl.rundir.workflow")
_SPANS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)" + " INSERT INTO sl_span (id, type, key, parent, source) SELECT 100000 + i, {}, {}, {}, 1 FROM n"
_BIND = "INSERT OR REPLACE INTO sl_bind VALUES ('{}', '{}', NULL)"

WHOLE = {
    "every time is another extreme": "UPDATE OR IGNORE sl_event SET time_ns = CASE rowno % 4 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775808 WHEN 2 THEN 9223372036854775806 ELSE 0 END "
                                     "FROM (SELECT span s, time_ns t, type y, row_number() OVER () rowno FROM sl_event) WHERE span = s AND time_ns = t AND type = y",
    "every time is far behind": "UPDATE OR IGNORE sl_event SET time_ns = -9223372036854775808 + place",
    "every time is far ahead": "UPDATE OR IGNORE sl_event SET time_ns = 9223372036854775807 - place",
    "half of the times are far ahead": "UPDATE OR IGNORE sl_event SET time_ns = 9223372036854775807 - place WHERE place % 2",
    "all at one time": "UPDATE OR IGNORE sl_event SET time_ns = 1790000000000000000",
    "every sample is at an extreme": "UPDATE OR IGNORE sl_sample SET time_ns = CASE place % 2 WHEN 0 THEN 9223372036854775807 ELSE -9223372036854775808 END",
    "a span is its own parent": "UPDATE sl_span SET parent = id WHERE id IN (SELECT id FROM sl_span WHERE parent IS NOT NULL)",
    "all spans are their own parents": "UPDATE sl_span SET parent = id",
    "two spans are each other's parents": "UPDATE sl_span SET parent = (SELECT max(id) FROM sl_span) WHERE id = 1; UPDATE sl_span SET parent = 1 WHERE id = (SELECT max(id) FROM sl_span)",
    "parents in a ring": "UPDATE sl_span SET parent = ifnull((SELECT min(o.id) FROM sl_span o WHERE o.id > sl_span.id), 1)",
    "parents behind their children": "UPDATE sl_span SET parent = (SELECT max(id) FROM sl_span) WHERE parent IS NOT NULL",
    "a chain of 1500 spans": _SPANS.format(_TASK, "i", "99999 + i"),
    "1500 spans of one name": _SPANS.format(_TASK, "'5'", "1"),
    "1500 roots of one name": _SPANS.format(_ROOT, "'x'", "NULL"),
    "1500 spans below themselves": _SPANS.format(_TASK, "'5'", "100000 + i"),
    "a span in 1500 others, which are in it": _SPANS.format(_TASK, "i", "1") + "; INSERT OR IGNORE INTO sl_link (left_span, kind, right_span) SELECT 1, 1, id FROM sl_span UNION SELECT id, 1, 1 FROM sl_span",
    "everything in everything": "INSERT OR IGNORE INTO sl_link (left_span, kind, right_span) SELECT a.id, 1, b.id FROM sl_span a, sl_span b",
    "everything is a facet of everything": "INSERT OR IGNORE INTO sl_link (left_span, kind, right_span) SELECT a.id, 2, b.id FROM sl_span a, sl_span b",
    "400 spans that are one": _SPANS.format(_TASK, "i", "1") + "; INSERT OR IGNORE INTO sl_link (left_span, kind, right_span) SELECT a.id, 2, b.id FROM sl_span a, sl_span b WHERE a.id BETWEEN 100000 AND 100400 AND b.id BETWEEN 100000 AND 100400",
    "400 roots that are one": _SPANS.format(_ROOT, "i", "NULL") + "; INSERT OR IGNORE INTO sl_link (left_span, kind, right_span) SELECT a.id, 2, b.id FROM sl_span a, sl_span b WHERE a.id BETWEEN 100000 AND 100400 AND b.id BETWEEN 100000 AND 100400",
    "400 roots that are one, with children of one name": _SPANS.format(_ROOT, "i", "NULL") + "; INSERT OR IGNORE INTO sl_link (left_span, kind, right_span) SELECT a.id, 2, b.id FROM sl_span a, sl_span b WHERE a.id BETWEEN 100000 AND 100400 AND b.id BETWEEN 100000 AND 100400; "
                                                         f"INSERT INTO sl_span SELECT id + 10000, {_TASK}, '7', id, 1, NULL, NULL, NULL FROM sl_span WHERE id > 100000",
    "everything waits for everything": "INSERT OR IGNORE INTO sl_link (left_span, kind, right_span) SELECT a.id, 3, b.id FROM sl_span a, sl_span b",
    "everything flows to everything": "INSERT OR IGNORE INTO sl_link (left_span, kind, right_span) SELECT a.id, 4, b.id FROM sl_span a, sl_span b",
    "all links at once": "INSERT OR IGNORE INTO sl_link (left_span, kind, right_span) SELECT a.id, k.value, b.id FROM sl_span a, sl_span b, json_each('[1,2,3,4,5,0]') k",
    "everything is weakly linked": "INSERT OR IGNORE INTO sl_weak SELECT a.id, 2, b.id, 1, 1, 1, 3 FROM sl_span a, sl_span b",
    "a ghost is a span": "INSERT OR REPLACE INTO sl_ghost SELECT id, type, key, parent FROM sl_span",
    "ghosts in a ring": "UPDATE sl_ghost SET parent = ifnull((SELECT min(o.id) FROM sl_ghost o WHERE o.id > sl_ghost.id), (SELECT min(id) FROM sl_ghost))",
    "a span has the largest id": "UPDATE sl_span SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM sl_span)",
    "ids of spans swapped": "UPDATE sl_span SET id = -id; UPDATE sl_span SET id = 1 + (SELECT max(-id) FROM sl_span) + id WHERE id < 0",
    "types of spans swapped": "UPDATE sl_span SET type = 1 + (SELECT max(id) FROM sl_name) - type",
    "names swapped": "UPDATE sl_name SET id = -id; UPDATE sl_name SET id = 1 + (SELECT max(-id) FROM sl_name) + id WHERE id < 0",
    "all spans of one type": f"UPDATE sl_span SET type = {_TASK}",
    "all spans are roots": "UPDATE sl_span SET parent = NULL",
    "a parent that is not there": "UPDATE sl_span SET parent = 77777 WHERE parent IS NOT NULL",
    "sources replace each other": "UPDATE sl_source SET replaced_by = ifnull((SELECT min(o.id) FROM sl_source o WHERE o.id > sl_source.id), 1)",
    "all sources replace themselves": "UPDATE sl_source SET replaced_by = id",
    "all sources are copies": "UPDATE sl_source SET hash = 'x', recipe = 'parsl.log', input = id, bytes = 5000",
    "the highest number of a place": "INSERT INTO sl_note SELECT 0, 9223372036854775807, 'x', 'x', NULL",
    "no sources": "DELETE FROM sl_source", "no names": "DELETE FROM sl_name", "no spans": "DELETE FROM sl_span", "no roots": "DELETE FROM sl_root; DELETE FROM sl_span WHERE parent IS NULL",
    "no states": "DELETE FROM sl_state; DELETE FROM sl_role; DELETE FROM sl_handover", "no schema": "DELETE FROM sl_meta", "no shapes": "DELETE FROM sl_shape",
    "all states are one": "UPDATE sl_state SET state = 'x', kind = 'work', rank = 0",
    "everything is a task": "INSERT OR REPLACE INTO sl_role SELECT name, 'task' FROM sl_name",
    "everything is a worker": "INSERT OR REPLACE INTO sl_role SELECT name, 'worker' FROM sl_name",
    "everything is a workflow": "INSERT OR REPLACE INTO sl_role SELECT name, 'workflow' FROM sl_name",
    "everything is handed over": "INSERT OR REPLACE INTO sl_handover SELECT a.name, '*', b.name, '*' FROM sl_name a, sl_name b",
    "everything is zoned": "UPDATE sl_event SET zone = 1; INSERT OR REPLACE INTO sl_zone VALUES (1, 1, NULL, NULL, 9223372036854775807, 'assumed')",
    "shapes without end": _N.format(3000) + " INSERT OR IGNORE INTO sl_shape SELECT 1, i, 'a' || i, '$[' || i || ']' FROM n",
    "values nested deeply": "UPDATE sl_attr SET vals = replace(hex(zeroblob(100000)), '00', '[')",
    "bindings in a loop": "; ".join(_BIND.format(f"b{i}", f"{a} facet {b} where a.key = b.key") for i, (a, b) in
                                    enumerate((("parsl_task", "htex_task"), ("htex_task", "worker_task"), ("worker_task", "parsl_task"), ("parsl_task", "parsl_task")))),
    "bindings of everything": "; ".join(_BIND.format(f"c{i}", f"htex_task {k} parsl_task where 1") for i, k in enumerate(("in", "facet", "after", "flow"))),
    "a lens that turns in a circle": "DELETE FROM sl_lens; INSERT INTO sl_lens VALUES (1, 'rename', '*/*', 'a/b', NULL, NULL), (2, 'rename', 'a/b', 'b/a', NULL, NULL), (3, 'merge', '*/* a*', 'a', 0, NULL), (4, 'ignore', '*', NULL, NULL, NULL)",
    "2000 lenses": _N.format(2000) + " INSERT INTO sl_lens SELECT 100 + i, CASE i % 3 WHEN 0 THEN 'merge' WHEN 1 THEN 'rename' ELSE 'ignore' END, CASE i % 3 WHEN 2 THEN 'n/*' || i ELSE '*/*' || i END, 'x' || i, i, NULL FROM n",
    "a lens that looks long": "UPDATE sl_lens SET what = replace(hex(zeroblob(2000)), '00', '*a') || 'b'",
    "no indexes": "DROP INDEX sl_span_type; DROP INDEX sl_span_parent; DROP INDEX sl_link_right; DROP INDEX sl_link_bound; DROP INDEX sl_source_path; DROP INDEX sl_source_recipe",
    "an index that is something else": "DROP INDEX sl_span_type; CREATE TABLE sl_span_type (x)",
    "no view span": "DROP VIEW span", "no view links": "DROP VIEW links", "no view attributes": "DROP VIEW attributes", "no view events": "DROP VIEW events",
    "a view is a table": "DROP VIEW spans; CREATE TABLE spans (x)",
    **{f"view {v} never ends": f"DROP VIEW {v}; CREATE VIEW {v} AS {_ENDLESS} SELECT {', '.join(f'i AS {c}' for c in columns.split())} FROM n" for v, columns in
       {"span": "uuid type note", "spans": "id type key parent source note", "links": "kind left_span right_span rule source place confidence", "attributes": "span name value source place",
        "sl_value": "span name value", "sl_near": "span near type", "facet": "left_uuid right_uuid note", "rejects": "path place reason text source", "zones": "root type key since_ns offset_s how"}.items()},
    "a table is a view that never ends": f"DROP TABLE sl_name; CREATE VIEW sl_name AS {_ENDLESS} SELECT i AS id, 'n' || i AS name FROM n",
    "a trigger that never ends": f"CREATE TRIGGER t AFTER INSERT ON sl_span BEGIN INSERT INTO sl_meta {_ENDLESS} SELECT i, i FROM n; END",
    "a table is a view of itself": "DROP TABLE sl_name; CREATE VIEW sl_name AS SELECT * FROM sl_name",
    "a trigger that writes on": "CREATE TRIGGER t AFTER INSERT ON sl_span BEGIN INSERT INTO sl_event VALUES (NEW.id, 1, 1, 1, NEW.id, NULL); DELETE FROM sl_source; END",
    "a table lacks a column": "DROP INDEX sl_source_damaged; ALTER TABLE sl_source DROP COLUMN input",
    "ids are no keys": "CREATE TABLE o AS SELECT * FROM sl_span; INSERT INTO o SELECT * FROM o; DROP TABLE sl_span; ALTER TABLE o RENAME TO sl_span",
    "names are no keys": "CREATE TABLE o AS SELECT * FROM sl_name; INSERT INTO o SELECT * FROM o; INSERT INTO o VALUES (NULL, NULL), ('x', 'x'), (1.5, 'y'), (-7, 'z'); DROP TABLE sl_name; ALTER TABLE o RENAME TO sl_name",
    "events are in no order": "CREATE TABLE o AS SELECT * FROM sl_event ORDER BY random(); DROP TABLE sl_event; ALTER TABLE o RENAME TO sl_event",
    "links are no keys": "CREATE TABLE o AS SELECT * FROM sl_link; INSERT INTO o SELECT * FROM o; INSERT INTO o SELECT * FROM o; DROP TABLE sl_link; ALTER TABLE o RENAME TO sl_link",
}
TABLES = ("sl_name", "sl_source", "sl_span", "sl_event", "sl_link", "sl_link_also", "sl_shape", "sl_attr", "sl_sample", "sl_reject", "sl_zone", "sl_ghost", "sl_weak", "sl_shared",
          "sl_bind", "sl_doubt", "sl_root", "sl_seen", "sl_lens", "sl_event_also", "sl_role", "sl_state", "sl_handover", "sl_meta", "sl_old_event", "sl_raw", "sl_handle", "sl_alike")

TASK, QUERY = "parsl.monitoring.task", "select * from {}"
COMMANDS = [
    ["info"], ["types"], ["types", "--events"], ["sequences", TASK], ["sequences", "--all", "parsl.rundir.task"], ["durations", "invoked", "returned", TASK], ["durations", "--list", "pending", "exec_done", "parsl.rundir.task"],
    ["states", TASK], ["states", "--bin", "1", "parsl.rundir.task"], ["rate", "running"], ["utilisation", "parsl.executor.htex.worker"], ["critical-path", "--run", RUN_ID], ["critical-path", "--slack", "--run", RUN_ID], ["what-if", "--run", RUN_ID, "* x0.5"], ["skew"],
    ["diff", "{store}", "{good}"], ["graph"], ["show", "task", "1"], ["show", "--lines", "--correct-skew", "parsl.rundir.task", "1"], ["events", TASK], ["events", "--lines", "parsl.rundir.task"], ["links"], ["links", "--doubtful"],
    ["bind"], ["bind", "htex_worker in parsl_task where a.key > 0"], ["unbind", "mine"], ["rejects"], ["rejects", "--summary"], ["profile", "--tree"], ["forget", "{log}"], ["forget", "--replaced"],
    ["import", "{new}"], ["import", "--jobs", "1", "{grown}"],
    ["why", "--run", RUN_ID], ["failures", "--run", RUN_ID], ["runs"], ["metrics"], ["usage", "--by", "task"],
    ["export", "perfetto", "-o", "-"], ["export", "otlp", "-o", "-"], ["plot", "states", "-o", "-", "--format", "json"],
    ["sql", ";".join(QUERY.format(v) for v in ("spans", "events", "links", "attributes", "samples", "rejects", "zones", "doubts"))],
    ["sql", ";".join(QUERY.format(f) for f in ("descendants(1)", "event_sequences('parsl.rundir.task')", "call_profile()", "clock_skew()", "occupancy('parsl.rundir.task')", "lens_events(1)"))],
]
WRITES = {"bind", "unbind", "forget", "import"}


def damages(only=ONLY):
    """{name: SQL, or (table, column, value)}"""
    kinds = {f"{column}: {kind}": (*column.split("."), ODD[kind]) for column, odd in COLUMNS.items() for kind in odd}
    kinds.update(WHOLE)
    kinds.update({f"no table {t}": f"DROP TABLE {t}" for t in TABLES})
    return {name: how for name, how in kinds.items() if any(o in name for o in only.split("|"))}


def unbound(db, table, change):
    """change() while the table has no constraints: a damaged file knows none."""
    version, = db.execute("PRAGMA schema_version").fetchone()
    sql, = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    put = "UPDATE sqlite_schema SET sql = ? WHERE name = ?"
    db.execute("PRAGMA writable_schema = ON")
    for text, act in ((re.sub(rb" NOT NULL| TEXT(?=[, \n])", b"", sql), change), (sql, lambda: None)):
        version += 1
        db.execute(put, (text.decode(), table))
        db.execute(f"PRAGMA schema_version = {version}")
        act()


def damage(store, how):
    """Does it to the file."""
    with contextlib.closing(sqlite3.connect(store, isolation_level=None)) as db:
        db.text_factory = bytes
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("PRAGMA legacy_alter_table = ON")
        if isinstance(how, str):
            db.executescript(how)
            return
        table, column, value = how
        keys = [k.decode() for _, k, _, _, _, key in db.execute(f"PRAGMA table_info({table})") if key]
        rows = db.execute(f"SELECT {', '.join(keys)} FROM {table}").fetchall() if keys else db.execute(f"SELECT rowid FROM {table}").fetchall()
        where = " AND ".join(f"{k} IS CAST(? AS {'TEXT' if isinstance(v, bytes) else 'INTEGER'})" for k, v in zip(keys or ["rowid"], rows[0])) if rows else ""
        check(rows, f"nothing is in {table}: the test does nothing")
        unbound(db, table, lambda: [db.execute(f"UPDATE OR IGNORE {table} SET {column} = {value} WHERE {where}", row) for row in rows[::-2]])


# ---- the store that is damaged

_made = []


def at(name):
    """What was made once for all tests, which only read it."""
    return f"{_made[0]}/{name}"


def prepare():
    """A small store that has something of everything, good.db, which is this test's own; and what imports shall find."""
    if not _made:
        _made.append(tempfile.mkdtemp(prefix="spanloom-damage-", dir=SCRATCH))
        atexit.register(shutil.rmtree, _made[0], True)
        make(at)
    shutil.copyfile(at("good.db"), path("good.db"))


def make(path):
    small_run(path("a"), 6)
    small_run(path("new"), 4, number="001", change=lambda log, data: data.replace(RUN_ID.encode(), RUN_ID.encode()[::-1]))
    copy_run(path("old"), share=.01, db=False, logs=(PARSL,))
    for kind in ("workqueue-bare/my.tr.log", "traces/usage.pfw"):
        shutil.copy(f"{ROOT}/tests/data/{kind}", path(os.path.basename(kind)))
    imported(path("old"), store=path("good.db"))
    write(path(f"old/000/{PARSL}"), b"x\n" + read(PARSL)[:600])
    imported(path("old"), path("a"), path("my.tr.log"), path("usage.pfw"), store=path("good.db"))
    with contextlib.closing(sqlite3.connect(path("good.db"))) as db:
        db.execute("INSERT INTO sl_lens VALUES (1, 'rename', 'parsl.monitoring.task/invoked', 'began', NULL, NULL), (2, 'merge', 'parsl.rundir.task/*', 'any', 5, NULL), (3, 'ignore', 'code', NULL, NULL, NULL)")
        db.execute("INSERT INTO span (uuid, type, note) VALUES ('u', 'mine', 'n')")
        db.execute("INSERT INTO event (span_uuid, time, type) VALUES ('u', 1795162300.5, 'mine')")
        db.execute("INSERT OR IGNORE INTO sl_reject VALUES (1, 1, 'bad', 'x'), (1, 2, 'bad', NULL)")
        db.execute("INSERT INTO sl_handle SELECT id, 'span_id', source, id, 'h' || id FROM sl_span WHERE id % 3 = 0")
        db.execute("INSERT OR IGNORE INTO sl_event_also SELECT span, time_ns + 1, type, source, place, zone FROM sl_event LIMIT 3")
        db.commit()
    spanloom("bind", "-d", path("good.db"), "--name", "mine", "parsl_task after parsl_task where a.key = b.key + 1")
    with open(path(f"a/000/{PARSL}"), "ab") as f:
        f.write(cut(read(PARSL), .02).splitlines(True)[-1])


def command(c, store):
    words = {"store": store, "good": path("good.db"), "log": at(f"a/000/{PARSL}"), "new": at("new"), "grown": at("a")}
    return [c[0], "-d", store] + [w.format(**words) if w.startswith("{") else w for w in c[1:]]


def spoils(name, how, which=None, only=""):
    """Faults of commands on a store with this damage; which: only every TURNS-th; only: one of them."""
    shutil.copyfile(path("good.db"), path("bad.db"))
    damage(path("bad.db"), how)
    faults = []
    for i, c in enumerate(COMMANDS):
        if which is not None and i % TURNS != which % TURNS or only not in c[0]:
            continue
        store = path("bad.db")
        if c[0] in WRITES:
            store = shutil.copyfile(store, path("s.db"))
        start = time.time()
        with open(path("out"), "wb") as out, open(path("err"), "wb") as err:
            p = subprocess.Popen([PROGRAM, *command(c, store)], stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment(), cwd=path())
            resource.prlimit(p.pid, resource.RLIMIT_CPU, (CPU, CPU + 1))
            if MEMORY:
                resource.prlimit(p.pid, resource.RLIMIT_AS, (MEMORY, MEMORY))
            _, status, used = os.wait4(p.pid, 0)
        p.returncode = code = os.waitstatus_to_exitcode(status)
        with open(path("err"), errors="replace") as f:
            said = f.read()
        why = ("killed by signal %d" % -code if code < 0 else "exit %d" % code if code not in (0, 1, 3) and not (code == 2 and re.search("sl_lens, id|say which|more than", said)) else "sanitizer" if "runtime error:" in said or "AddressSanitizer" in said or "LeakSanitizer" in said
               else "fails without a message" if code == 1 and not said.startswith("spanloom: ") and "\nspanloom: " not in said else "took %.1f s" % (used.ru_utime + used.ru_stime) if used.ru_utime + used.ru_stime > CPU / 4 else "")
        if why:
            faults.append(f"{name}: {' '.join(c)}: {why}\n" + (said[:1500] if "sanit" in why or "signal" in why else said[:300]))
        if os.environ.get("VERBOSE"):
            print("#", name, "|", " ".join(c)[:60], "|", code, "%.2f" % (used.ru_utime + used.ru_stime), "|", said[:200].replace("\n", "~"))
        if store == path("s.db"):
            for end in ("", "-journal"):
                if os.path.exists(path("s.db" + end)):
                    os.remove(path("s.db" + end))
    return faults


@test
def every_damage():
    """All commands on stores with each of them."""
    prepare()
    faults = [f for f in spoils("nothing", "SELECT 1") if not ONLY]
    for turn, (name, how) in enumerate(damages().items()):
        found = spoils(name, how, None if ALL else turn)
        faults += found
        for f in found:
            print("#!! " + f.replace("\n", "\n#   "), flush=True)
    check(not faults, f"{len(faults)} faults, as\n" + "\n".join(faults[:5]))


@cases("sl_name.name: null", "sl_shape.name: null", "sl_meta.value: negative", "no table sl_lens")
def the_message(name):
    """It names the store and the table, and says that it is damaged."""
    prepare()
    shutil.copyfile(path("good.db"), path("bad.db"))
    damage(path("bad.db"), damages("")[name])
    for c in (["info"], ["graph"], ["import", at("new")]):
        r = spanloom(c[0], "-d", path("bad.db"), *c[1:], code=1)
        check("bad.db" in r.err and "damaged" in r.err and re.split(r"[.: ]", name)[-1 if name.startswith("no") else 0] in r.err, r)


@cases("sl_name.id: huge", "sl_span.key: null", "sl_span.parent: negative", "parents in a ring")
def the_message_of_an_import(name):
    """An import looks at what it names: the rest is none of its business."""
    prepare()
    shutil.copyfile(path("good.db"), path("bad.db"))
    damage(path("bad.db"), damages("")[name])
    r = spanloom("import", "-d", path("bad.db"), at("new"), code=1)
    check("damaged" in r.err and re.search("sl_span|sl_ghost|sl_name", r.err), r)


@cases("'x'", "x'00ff41'", "7", "'[]'", "'{' || tail", "json_remove(tail, '$.spans')", "json_set(tail, '$.spans', json('[1, \"a\"]'))", "json_set(tail, '$.spans', json('[{}]'))", "json_set(tail, '$.place', 'x')")
def an_import_of_what_has_grown(tail):
    """Where the last record was is not what an import writes: the file is read whole, and gives the same."""
    prepare()
    shutil.copyfile(path("good.db"), path("bad.db"))
    damage(path("bad.db"), f"UPDATE sl_source SET tail = {tail} WHERE tail IS NOT NULL")
    for store in ("good.db", "bad.db"):
        spanloom("import", "-d", path(store), at("a"), code=0)
    same(dump(path("bad.db"), places=True), dump(path("good.db"), places=True))


@cases("400 spans that are one", "400 roots that are one", "400 roots that are one, with children of one name")
def an_import_of_many_facets(name):
    """Each of a span's facets was looked for among all of them."""
    prepare()
    faults = spoils(name, damages("")[name], only="import")
    check(not faults, *faults)


@test
def an_import_below_a_chain():
    """A span within a span, and so on: each was loaded by the one that lies in it, on one stack."""
    prepare()
    with contextlib.closing(sqlite3.connect(path("good.db"))) as db:
        db.execute("""WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000)
            INSERT INTO sl_span SELECT 100000 + i, (SELECT id FROM sl_name WHERE name = 'parsl.rundir.task'), i, iif(i > 1, 99999 + i, 1), 1, NULL, NULL, NULL FROM n""")
        db.execute("INSERT OR IGNORE INTO sl_link (left_span, kind, right_span) SELECT id, 2, 500000 FROM sl_span WHERE id < 100000")
        db.commit()
    spanloom("import", "-d", path("good.db"), at("a"), code=0)


@cases(("a chain of 1500 spans", "events"), ("400 spans that are one", "events"), ("400 roots that are one", "diff"), ("view spans never ends", "graph"),
       ("view attributes never ends", "show"), ("view sl_value never ends", "import"), ("a table is a view that never ends", "info"), ("a trigger that never ends", "import"),
       ("sl_event.time_ns: least", "profile"))
def soon(name, words):
    """Each was slow, or endless, or beyond what a number holds (with sanitizers)."""
    prepare()
    faults = spoils(name, damages("")[name], only=words)
    check(not faults, *faults)


@test
def a_view_that_was_changed():
    """It has no data: it is made anew. A store that may not be written is told to be damaged, and the table that is none, too."""
    prepare()
    bad = shutil.copyfile(path("good.db"), path("bad.db"))
    damage(bad, damages("")["view spans never ends"])
    os.chmod(bad, 0o444)
    if os.geteuid():  # who may write anything, may this
        check("its views are not those of this program" in spanloom("graph", "-d", bad, code=1).err)
    os.chmod(bad, 0o644)
    ask = "select type, count(*) from spans group by 1 order by 1"
    equal(spanloom("sql", "-d", bad, ask, code=0).out, spanloom("sql", "-d", path("good.db"), ask).out)
    equal(query(bad, "SELECT sql FROM sqlite_schema WHERE name = 'spans'"), query(path("good.db"), "SELECT sql FROM sqlite_schema WHERE name = 'spans'"))
    damage(bad, damages("")["a trigger that never ends"])
    check("there is a trigger t, which no import makes; the store is damaged" in spanloom("info", "-d", bad, code=1).err)


@test
def a_binding_that_never_ends():
    """The import leaves it out and says which; what was imported stays."""
    rule = "parsl_task in parsl_task where (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n) > 0"
    prepare()
    with contextlib.closing(sqlite3.connect(path("good.db"))) as db:
        db.execute("INSERT INTO sl_bind VALUES ('endless', ?, NULL)", (rule,))
        db.commit()
    before = spanloom("bind", "-d", path("good.db"), code=0).out
    r = spanloom("import", "-d", path("good.db"), at("new"), code=0)
    check("binding endless: the expression of a binding does not end" in r.err, r)
    check(re.search(r"^mine +yes +[1-9]", before, re.M), before)
    check(re.search(r"^mine +yes +[1-9]", spanloom("bind", "-d", path("good.db"), code=0).out, re.M))


main()
