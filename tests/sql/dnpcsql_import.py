#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A database as dnpcsql makes it, imported: every span, event, subspan and facet is in the store's own views."""
import os
import sys
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa


def make(file, time_type, tasks=50):
    """dnpcsql's tables, with the columns and the habits that its scripts rely on; uuids are uuid4 texts."""
    r = rng()
    new = lambda: str(uuid.UUID(int=r.getrandbits(128), version=4))
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with sqlite3.connect(file) as db:
        db.executescript(f"""
            CREATE TABLE span (uuid TEXT PRIMARY KEY, type TEXT NOT NULL, note TEXT);
            CREATE TABLE event (uuid TEXT PRIMARY KEY, span_uuid TEXT REFERENCES span (uuid), time {time_type} NOT NULL, type TEXT NOT NULL, note TEXT);
            CREATE TABLE subspan (superspan_uuid TEXT REFERENCES span (uuid), subspan_uuid TEXT REFERENCES span (uuid), key TEXT NOT NULL, note TEXT);
            CREATE TABLE facet (left_uuid TEXT REFERENCES span (uuid), right_uuid TEXT REFERENCES span (uuid), note TEXT);""")

        def span(kind, note=None):
            u = new()
            db.execute("INSERT INTO span VALUES (?, ?, ?)", (u, kind, note))
            return u

        def event(u, time, kind, note=None):
            db.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", (new(), u, time, kind, note))
        w = span("parsl.monitoring.workflow", "Parsl workflow from monitoring.db")
        other = span("parsl.rundir.workflow")
        db.execute("INSERT INTO facet VALUES (?, ?, ?)", (w, other, "same run"))
        lonely = span("lonely")
        block = span("block")
        for i in range(tasks):
            t, d = span("parsl.monitoring.task"), span("parsl.rundir.task", f"note {i}" if i % 7 == 0 else None)
            db.execute("INSERT INTO subspan (superspan_uuid, subspan_uuid, key) VALUES (?, ?, ?)", (w, t, i))
            db.execute("INSERT INTO subspan VALUES (?, ?, ?, ?)", (other, d, f"task {i}", "by log"))
            db.execute("INSERT INTO subspan VALUES (?, ?, ?, ?)", (block, d, str((i, "x")), None))  # a span has many parents
            db.execute("INSERT INTO facet (left_uuid, right_uuid) VALUES (?, ?)", (t, d))
            start = 1795162300 + r.randrange(10 ** 10) / 1e6
            for k in range(5):
                event(t if k % 2 else d, round(start + r.random() * 100, 6), r.choice(["invoked", "returned", "running"]), "seen" if k == 3 else None)
        event(block, 1795162300, "up")  # an integer
        event(lonely, 1795162299.000001, "alone")
    return file


def original(file):
    """What it says, by type and uuid; times in microseconds, as its own program would round them."""
    db = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    kinds = dict(db.execute("SELECT uuid, type FROM span"))
    at = lambda u: (kinds[u], u)
    us = lambda t: round(float(t) * 1e6)
    return {"span": sorted(at(u) for u in kinds),
            "event": sorted((*at(u), us(t), kind) for u, t, kind in db.execute("SELECT span_uuid, time, type FROM event")),
            "subspan": sorted((at(a), at(b)) for a, b in db.execute("SELECT superspan_uuid, subspan_uuid FROM subspan")),
            "facet": sorted(tuple(sorted((at(a), at(b)))) for a, b in db.execute("SELECT left_uuid, right_uuid FROM facet")),
            "key": sorted((*at(b), key) for b, key in db.execute("SELECT subspan_uuid, key FROM subspan")),
            "note": sorted((*at(u), note) for u, note in db.execute(
                "SELECT uuid, note FROM span UNION ALL SELECT span_uuid, note FROM event UNION ALL SELECT subspan_uuid, note FROM subspan "
                "UNION ALL SELECT left_uuid, note FROM facet") if note is not None)}


def ours(store):
    """The same from dnpcsql's tables of the store."""
    keys = dict(query(store, "SELECT id, key FROM spans"))
    kinds = dict(query(store, "SELECT uuid, type FROM span"))
    at = lambda u: (kinds[u], keys[u])
    for t, ns in query(store, "SELECT e.time, x.time_ns FROM event e JOIN events x ON x.span = e.span_uuid AND e.time = x.time_ns / 1000000000 + (x.time_ns % 1000000000) / 1e9"):
        check(ns % 1000 == 0 and abs(t * 1e9 - ns) < 500, f"{ns} ns is no whole microsecond, or not {t!r}")
    values = lambda name: sorted((*at(s), str(v)) for s, v in query(store, "SELECT span, value FROM attributes WHERE name = ?", name))
    return {"span": sorted(at(u) for u in kinds),
            "event": sorted((*at(u), round(t * 1e6), kind) for u, t, kind in query(store, "SELECT span_uuid, time, type FROM event")),
            "subspan": sorted((at(a), at(b)) for a, b in query(store, "SELECT superspan_uuid, subspan_uuid FROM subspan")),
            "facet": sorted(tuple(sorted((at(a), at(b)))) for a, b in query(store, "SELECT left_uuid, right_uuid FROM facet")),
            "key": values("key"), "note": values("note")}


@cases("REAL", "TEXT", "")
def a_database_of_dnpcsql(time_type):
    """The column of times was a TEXT for years: SQLite then keeps fifteen digits of what Python gave it."""
    for name in ("dnpc.sqlite3", "last week.dnpc.sqlite3"):
        file = make(path("in", name), time_type)
        want, got = original(file), ours(imported(file, store=f"{name}.db").store)
        check(len(want["event"]) == 252 and len(want["facet"]) == 51 and len(want["subspan"]) == 150, "the test's own database")
        for table in want:
            equal(got[table], want[table], table)
        counts = dict(query(path(f"{name}.db"), "SELECT part, rejected FROM sources WHERE part IS NOT NULL"))
        equal(counts, dict.fromkeys(("span", "event", "subspan", "facet"), 0), "rejected")
        check("0 new spans" in imported(file, store=f"{name}.db").out, "the second import does not know it")


@test
def rows_that_name_no_span():
    """Foreign keys are not enforced by default: what is not there is a reject, and the rest is used."""
    file = make(path("in/dnpc.sqlite3"), "REAL", tasks=3)
    with sqlite3.connect(file) as db:
        db.execute("INSERT INTO event VALUES ('e', 'nowhere', 1.5, 'x', NULL)")
        db.execute("INSERT INTO subspan VALUES ('nowhere', (SELECT uuid FROM span LIMIT 1), 'k', NULL)")
        db.execute("INSERT INTO facet VALUES ((SELECT uuid FROM span LIMIT 1), 'nowhere', NULL)")
        db.execute("INSERT INTO event VALUES ('f', (SELECT uuid FROM span LIMIT 1), 'yesterday', 'x', NULL)")
    s = imported(file).store
    equal(sorted(query(s, "SELECT part, rejected FROM sources WHERE part IS NOT NULL")), [("event", 2), ("facet", 1), ("span", 0), ("subspan", 1)])
    equal(len(query(s, "SELECT * FROM event")), 17)


@test
def an_older_database_without_facets():
    file = make(path("in/dnpc.sqlite3"), "TEXT", tasks=3)
    with sqlite3.connect(file) as db:
        db.execute("DROP TABLE facet")
    equal(len(query(imported(file).store, "SELECT * FROM facet")), 0)


@test
def a_store_is_not_imported():
    """dnpcsql's users call it dnpc.sqlite3, and it may lie among the logs."""
    run = small_run(path("runinfo"), logs=LOGS[3:4])
    want = dump(imported(run, store="plain.db").store)
    s = imported(run, store=path("runinfo/dnpc.sqlite3")).store
    same(dump(s), want)
    again = imported(run, store=path("runinfo/dnpc.sqlite3"))
    check("0 new spans" in again.out, again)
    r = imported(run, store="other.db", code=1)
    check("a store of Spanloom's" in r.err and "dnpc.sqlite3" in r.err, r.err)
    same(dump(r.store), want)


main()
