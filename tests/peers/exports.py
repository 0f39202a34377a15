#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports of stores, read by others: Perfetto's own trace processor and protocol, babeltrace, Python's csv."""
import collections
import csv
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, cases, check, equal, imported, main, path, query, skip, spanloom, test  # noqa: E402
import peers  # noqa: E402
from perfetto_page import Trace  # noqa: E402

HOSTILE = ['quote " \\ \' <script>', "line\nend\r\ttab", "comma, {json: [", "\U0001f600 \u202e", "%s%n$(id)"]


def hostile():
    """A store with what no log would hold: names of any bytes, zero and negative length, no time, what lies over another."""
    store = imported(f"{ROOT}/tests/data/traces/verbose.pfw", store="hostile.db").store
    import sqlite3
    db = sqlite3.connect(store)
    for n, text in enumerate(HOSTILE):
        db.execute("INSERT INTO span (uuid, type, note) VALUES (?, ?, ?)", (f"u{n}", text, text))
        for t in (10.0 + n, 12.0 + n, 11.5):
            db.execute("INSERT INTO event (uuid, span_uuid, time, type, note) VALUES (?, ?, ?, ?, ?)", (f"e{n}{t}", f"u{n}", t, text, text))
    db.execute("INSERT INTO span (uuid, type, note) VALUES (CAST(x'ff41fe' AS TEXT), 'bytes', 'x')")
    db.commit()
    db.close()
    return store


def export(store, form, *more):
    out = path(f"out.{form}")
    r = spanloom("export", form, "-d", store, "-o", out, *more)
    return out, r.err


def timed(store):
    """{span: (type, first event, last)}"""
    return {i: rest for i, *rest in query(store, """SELECT s.id, s.type, min(time_ns), max(time_ns) FROM spans s JOIN events e ON e.span = s.id
        GROUP BY s.id""")}


def slices(trace):
    """{span: (category, begin, end, name)} of those that are spans"""
    found = {}
    for span, category, ts, dur, name in trace.ask(
            """SELECT coalesce(a.int_value, b.int_value), category, ts, dur, s.name FROM slice s
               LEFT JOIN args a ON a.arg_set_id = s.arg_set_id AND a.key = 'debug.span'
               LEFT JOIN args b ON b.arg_set_id = s.arg_set_id AND b.key = 'args.spanloom.id' WHERE category NOT IN ('event', 'sample')"""):
        check(span not in found, f"span {span} twice")
        found[span] = (category, ts, ts + dur, name)
    return found


@cases("perfetto", "chrome")
def the_example(form):
    store = imported(EXAMPLE).store
    out, err = export(store, form)
    with open(out, "rb") as file:
        trace = Trace(file.read())
    equal(trace.ask("SELECT name, value FROM stats WHERE value > 0 AND severity <> 'info'"), [], "errors")
    found, want = slices(trace), timed(store)
    equal(set(found), set(want), "spans")
    slack = 0 if form == "perfetto" else 256  # a double has so many ns since the epoch
    for span, (kind, begin, end) in want.items():
        category, ts, till, _ = found[span]
        check(category == kind and abs(ts - begin) <= slack and abs(till - end) <= slack, f"span {span}: {found[span]}, want {want[span]}")
    # slices lie in one another only where the store says so
    inside = {(a, b) for a, b in query(store, "SELECT left_span, right_span FROM links WHERE kind = 'in'")}
    id_of = "(SELECT int_value FROM args WHERE arg_set_id = %s.arg_set_id AND key IN ('debug.span', 'args.spanloom.id'))"
    nested = {tuple(r) for r in trace.ask(f"""SELECT {id_of % 'p'}, {id_of % 's'} FROM slice s JOIN slice p ON p.id = s.parent_id
        WHERE s.category NOT IN ('event', 'sample')""")}
    equal(nested - inside, set(), "what lies in what")
    check(len(nested) > 30, f"{len(nested)} slices are nested")
    # events are on their span, or beside it
    equal(trace.ask(f"""SELECT count(*) FROM slice s JOIN slice p ON p.id = s.parent_id WHERE s.category = 'event'
        AND (SELECT int_value FROM args WHERE arg_set_id = s.arg_set_id AND key IN ('debug.span', 'args.span')) <> {id_of % 'p'}"""), [[0]])
    equal(trace.ask("SELECT count(*) FROM slice WHERE category = 'event'"), query_rows(store, """SELECT count(*) FROM
        (SELECT DISTINCT span, time_ns, type FROM events)"""), "events")
    apps = dict(query(store, "SELECT span, value FROM attributes WHERE name = 'app'"))
    equal({found[s][3] for s in apps}, set(apps.values()), "names")
    equal(collections.Counter(found[s][3] == a for s, a in apps.items()), {True: len(apps)})
    workers = [s for s, v in want.items() if v[0] == "parsl.executor.htex.worker.task"]
    check(all(found[s][3] in set(apps.values()) for s in workers), "tasks of workers are called by their app")
    flows = trace.ask("SELECT count(*) FROM flow")[0][0]
    equal(flows, int(re.search(r"([\d,]+) arrows", err)[1].replace(",", "")), "arrows")
    check(flows > 900, f"{flows} arrows")


def query_rows(store, sql):
    return [list(r) for r in query(store, sql)]


@cases("perfetto", "chrome")
def nodes(form):
    store = imported(f"{ROOT}/tests/data/nodes").store
    out, _ = export(store, form)
    with open(out, "rb") as file:
        trace = Trace(file.read())
    equal(trace.ask("SELECT name, value FROM stats WHERE value > 0 AND severity <> 'info'"), [], "errors")
    equal(trace.ask("SELECT count(*), sum(value) > 0 FROM counter")[0][0],
          query(store, "SELECT count(*) FROM samples WHERE typeof(value) <> 'text'")[0][0], "samples")


@cases("perfetto", "chrome")
def calls_and_hostile_names(form):
    store = hostile()
    out, _ = export(store, form)
    with open(out, "rb") as file:
        trace = Trace(file.read())
    equal(trace.ask("SELECT name, value FROM stats WHERE value > 0 AND severity <> 'info'"), [], "errors")
    equal(set(slices(trace)), set(timed(store)), "spans")
    calls = query(store, "SELECT count(*) FROM links WHERE kind = 'in' AND rule <> 'name'")[0][0]
    check(calls and trace.ask("SELECT count(*) FROM slice WHERE depth > 0 AND category = 'trace.call'")[0][0] >= calls * 0.99, f"{calls} calls lie in calls")


DECODE = r"""
import collections, json, sys
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
trace = Trace()
trace.ParseFromString(open(sys.argv[1], "rb").read())
unknown = [p for p in trace.packet if p.ByteSize() and not p.ListFields()]
stacks, tracks, names = collections.defaultdict(list), {}, {}
for p in trace.packet:
    if p.HasField("track_descriptor"):
        d = p.track_descriptor
        assert not d.parent_uuid or d.parent_uuid in tracks, d
        assert d.uuid not in tracks, d
        tracks[d.uuid] = d
    for e in p.interned_data.event_names:
        names[e.iid] = e.name
    if p.HasField("track_event"):
        e = p.track_event
        assert e.track_uuid in tracks, e
        assert not e.name_iid or e.name_iid in names, e
        if e.type == e.TYPE_SLICE_BEGIN:
            stacks[e.track_uuid].append(p.timestamp)
        elif e.type == e.TYPE_SLICE_END:
            assert stacks[e.track_uuid].pop() <= p.timestamp
assert not any(stacks.values())
print(json.dumps({"tracks": len(tracks), "packets": len(trace.packet), "unknown": len(unknown)}))
"""


@cases("example", "hostile")
def by_perfettos_own_protocol(what):
    out, err = export(hostile() if what == "hostile" else imported(EXAMPLE).store, "perfetto")
    r = subprocess.run([peers.python(), "-c", DECODE, out], capture_output=True, text=True)
    check(r.returncode == 0, r.stderr[-1500:])
    check(f'"tracks": {re.search(r"on ([0-9,]+) tracks", err)[1].replace(",", "")}' in r.stdout, (r.stdout, err))


@cases("example", "hostile")
def babeltrace(what):
    if not shutil.which("babeltrace2"):
        skip("there is no babeltrace2")
    store = hostile() if what == "hostile" else imported(EXAMPLE).store
    out, _ = export(store, "ctf")
    r = subprocess.run(["babeltrace2", "--clock-seconds", "--fields=all", out], capture_output=True, text=True)
    equal((r.returncode, r.stderr), (0, ""), "babeltrace2")
    kinds = collections.Counter(re.findall(r"^\[[^]]*\] (?:\([^)]*\) )?(?:[^ ]* )?(\w+): ", r.stdout, re.M))
    spans, events, samples = (query(store, q)[0][0] for q in (
        "SELECT count(DISTINCT span) FROM events", "SELECT count(*) FROM (SELECT DISTINCT span, time_ns, type FROM events)", "SELECT count(*) FROM samples"))
    equal([kinds[k] for k in ("span_begin", "span_end", "event", "sample")], [spans, spans, events, samples])
    equal(kinds["span_begin"] + kinds["span_without_time"], query(store, "SELECT count(*) FROM spans")[0][0])


@cases("example", "hostile")
def tables(what):
    store = hostile() if what == "hostile" else imported(EXAMPLE).store
    out, _ = export(store, "csv")
    for table in ("spans", "events", "links", "attributes", "samples", "sources"):
        with open(f"{out}/{table}.csv", encoding="utf-8", newline="") as file:
            names, *rows = csv.reader(file, strict=True)
        shared = [n for n in names if n not in ("begin_ns", "end_ns")]
        want = [["" if v is None else v for v in row] for row in query(store, f"SELECT {', '.join(shared)} FROM {table}")] if what != "hostile" else None
        got = [[row[names.index(n)] for n in shared] for row in rows]
        check(all(len(row) == len(names) for row in rows), table)
        if want is not None:
            as_text = lambda v: v if isinstance(v, str) else None
            equal(len(got), len(want), table)
            for a, b in zip(sorted(got), sorted([[str(v) for v in row] for row in want])):
                check(all(x == y or float(x) == float(y) for x, y in zip(a, b)), (table, a, b, as_text(b)))


@test
def one_run_of_two():
    store = imported(EXAMPLE, f"{ROOT}/tests/data/parsl-2026-threads").store
    runs = [r[0] for r in query(store, "SELECT key FROM spans WHERE type = 'parsl.rundir.workflow'")]
    total = 0
    for run in runs:
        out, _ = export(store, "csv", "--run", run)
        with open(f"{out}/spans.csv", encoding="utf-8", newline="") as file:
            keys = [row["key"] for row in csv.DictReader(file) if not row["parent"] and row["type"].endswith("workflow")]
        check(keys and set(keys) == {run}, (run, keys))
        total += 1
    equal(total, 2)


peers.needs_chromium()
peers.needs("viztracer")
peers.needs("perfetto")
main()
