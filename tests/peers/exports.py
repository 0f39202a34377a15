#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports of stores, read by others: Perfetto's own trace processor and protocol, babeltrace, Python's csv."""
import collections
import contextlib
import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, cases, check, equal, imported, main, path, query, skip, spanloom, test  # noqa: E402
import hostile_store  # noqa: E402
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


def texts_alone(*longest):
    store = imported(f"{ROOT}/tests/data/nodes", store="texts.db").store
    with contextlib.closing(sqlite3.connect(store)) as db:
        for table in ("sl_span", "sl_event", "sl_attr", "sl_sample", "sl_link"):
            db.execute(f"DELETE FROM {table}")
        db.commit()
    return store, hostile_store.make(store, *longest)


def same_texts(got, want):
    equal(set(got), set(want), "spans")
    for span, w in want.items():
        for what in w:
            differ = [w[what], got[span][what]] if isinstance(w[what], str) else sorted(got[span][what] ^ w[what], key=str)[:4]
            check(got[span][what] == w[what], what, "of", ascii(w["key"][:60]), *(ascii(d)[:200] for d in differ))


@test
def hostile_texts_by_babeltrace():
    """Its text has strings in quotes, with C's escapes.  It is slow with long ones."""
    if not shutil.which("babeltrace2"):
        skip("there is no babeltrace2")
    store, want = texts_alone(20_000)
    out, _ = export(store, "ctf")
    r = subprocess.run(["babeltrace2", "--clock-seconds", "--no-delta", "--fields=all", out], capture_output=True)
    equal((r.returncode, r.stderr), (0, b""), "babeltrace2")
    escapes = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
    text = lambda s: re.sub(r"\\(x..|.)", lambda m: chr(int(m[1][1:], 16)) if m[1][0] == "x" else escapes.get(m[1], m[1]), s)
    got = {}
    for line in r.stdout.decode().split("\n"):
        found = re.match(r"\[[0-9.]+\] spanloom (span_begin|event|attribute_\w+): \{ (.*) \}$", line)
        if not found:
            check(not line or " spanloom span_end: " in line, line[:300])
            continue
        name, fields = found.groups()
        of = {k: text(s) if n is None else n for k, s, n in (m.groups() for m in re.finditer(r'([a-z]+) = (?:"((?:[^"\\]+|\\.)*)"|([^", }]+))', fields))}
        span = got.setdefault(int(of["span"]), {"event": set(), "attr": set()})
        if name == "span_begin":
            span.update(type=of["type"], key=of["key"])
        elif name == "event":
            span["event"].add(of["type"])
        else:
            span["attr"].add((of["name"], {"text": str, "integer": int, "real": float}[name[10:]](of["value"])))
    same_texts(got, want)


TEXTS = r"""
import json, sys
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
trace = Trace()
trace.ParseFromString(open(sys.argv[1], "rb").read())
events, categories, annotations, found = {}, {}, {}, {}
for p in trace.packet:
    for table, entries in ((events, p.interned_data.event_names), (categories, p.interned_data.event_categories), (annotations, p.interned_data.debug_annotation_names)):
        table.update((e.iid, e.name) for e in entries)
    e = p.track_event
    name = e.name or events.get(e.name_iid)
    value = lambda v: v.string_value if v.HasField("string_value") else v.int_value if v.HasField("int_value") else v.double_value
    args = [(a.name or annotations[a.name_iid], value(x)) for a in e.debug_annotations for x in (a.array_values or [a])]
    if e.type == e.TYPE_SLICE_BEGIN:
        found.setdefault(args[0][1], {"event": []}).update(type=categories[e.category_iids[0]] if e.category_iids else e.categories[0], key=args[1][1], attr=args[2:])
    elif e.type == e.TYPE_INSTANT:
        found.setdefault(args[0][1], {"event": []})["event"].append(name)
print(json.dumps(found))
"""


@test
def hostile_texts_by_perfettos_own_protocol():
    store, want = texts_alone()
    out, _ = export(store, "perfetto")
    r = subprocess.run([peers.python(), "-c", TEXTS, out], capture_output=True, text=True)
    check(r.returncode == 0, r.stderr[-1500:])
    same_texts({int(span): {**of, "event": set(of["event"]), "attr": {tuple(a) for a in of["attr"]}} for span, of in json.loads(r.stdout).items()}, want)


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
