#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of spans: each type has one, and each of its cells is what the views spans, events and attributes say."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

DATA = f"{ROOT}/tests/data"
RUNS = [r for r in sorted(os.listdir(DATA)) if os.path.isdir(f"{DATA}/{r}")]
with open(f"{ROOT}/recipes/names.yaml") as names:
    NAMED = re.findall(r"^  (\w+): +\[", names.read().partition("\ntables:")[2].partition("\nbinds:")[0], re.M)
ODD = """recipe: odd
inputs:
  - {files: "{dir}/{file}.odd", reader: jsonl, times: {t: unix}}
spans:
  thing: {type: "{type}", key: "{key}"}
  part:  {type: "{part}", key: "{partkey}", in: thing}
records:
  - {when: {part: /./}, span: part, event: "{event}", attrs: {"{name}": "{value}"}}
  - {when: {type: /./, name: /./}, span: thing, event: "{event}", attrs: {"{name}": "{value}"}}
  - {when: {type: /./}, span: thing, event: "{event}"}
"""


def number(text):
    """A plain number is one in a table."""
    try:
        return float(text) if isinstance(text, str) and set(text) <= set("-.0123456789") else None
    except ValueError:
        return None


def table_of(kind):
    name = re.sub(rb"[^A-Za-z0-9]", b"_", kind.encode()).decode()
    return f"_{name}" if name[0].isdigit() else name


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def odd(*records, store="spanloom.db"):
    write(path("odd.yaml"), ODD)
    write(path("x.odd"), "".join(json.dumps({"t": 1795162300.5 + i, **r}) + "\n" for i, r in enumerate(records)))
    return imported(path("x.odd"), options=("--recipe", path("odd.yaml")), store=store).store


def rows(store, table):
    """{id: {column: value}}"""
    db = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    db.row_factory = sqlite3.Row
    try:
        got = db.execute(f"SELECT * FROM {quoted(table)}").fetchall()
    finally:
        db.close()
    check(len({r["id"] for r in got}) == len(got), f"{table}: two rows of one id")
    return {r["id"]: dict(zip(r.keys(), tuple(r))) for r in got}


def cells(store, kind):
    """Every cell of a type's own table against the views."""
    got = rows(store, table_of(kind))
    spans = {i: (key, parent) for i, key, parent in query(store, "SELECT id, key, parent FROM spans WHERE type = ?", kind)}
    equal(sorted(got), sorted(spans), f"{kind}: ids")
    events, values = {}, {}
    for span, name, t in query(store, "SELECT e.span, e.type, min(e.time_ns) FROM events e JOIN spans s ON s.id = e.span WHERE s.type = ? GROUP BY 1, 2", kind):
        events.setdefault(span, {})[name] = t
    last = dict(query(store, "SELECT e.span, max(e.time_ns) FROM events e JOIN spans s ON s.id = e.span WHERE s.type = ? GROUP BY 1", kind))
    for span, name, v in query(store, "SELECT a.span, a.name, a.value FROM attributes a JOIN spans s ON s.id = a.span WHERE s.type = ?", kind):
        values.setdefault(span, {}).setdefault(name, set()).add(v)
    event_names, attr_names = {e for x in events.values() for e in x}, {a for x in values.values() for a in x}
    close = lambda a, ns, what: check(a is not None and abs(a - ns / 1e9) < 2e-6, f"{kind} {what}: {a}, not {ns}")
    for i, row in got.items():
        equal(row["key"], spans[i][0], f"{kind} {i}: key")
        if i in last:
            close(row["first"], min(events[i].values()), f"{i} first")
            close(row["last"], last[i], f"{i} last")
            equal(row["seconds"], (last[i] - min(events[i].values())) / 1e9, f"{kind} {i}: seconds, to the last bit")
        else:
            equal((row["first"], row["last"], row["seconds"]), (None, None, None), f"{kind} {i}: first and last of no events")
        for e in event_names:
            cell = row[f"event_{e}"] if f"event_{e}" in row else row.get(e, "no column")
            if e in events.get(i, {}):
                close(cell, events[i][e], f"{i} event {e}")
            else:
                equal(cell, None, f"{kind} {i}: {e}, which did not happen")
        for a in attr_names:
            cell = row[f"attr_{a}"] if f"attr_{a}" in row else row.get(a, "no column")
            if a in values.get(i, {}):
                check(cell in values[i][a] or str(cell) in {str(v) for v in values[i][a]} or cell in map(number, values[i][a]), f"{kind} {i} attribute {a}: {cell!r}, not of {values[i][a]}")
            else:
                check(cell is None or f"attr_{a}" not in row and a in row and (a in event_names or a in ("id", "key")),
                      f"{kind} {i}: attribute {a} is {cell!r}, which nothing says")
    return len(got)


@cases(*RUNS)
def types_of(run):
    store = imported(f"{DATA}/{run}").store
    kinds = [k for k, in query(store, "SELECT DISTINCT type FROM spans")]
    n = sum(cells(store, k) for k in kinds)
    equal(n, query(store, "SELECT count(*) FROM spans")[0][0], "rows of all tables")
    for table in NAMED:
        rows(store, table)


@test
def named_tables_are_there_without_such_spans():
    check("htex_task" in NAMED and len(NAMED) > 8, NAMED)
    store = odd({"type": "mine", "key": "1", "event": "e"})
    for table in NAMED:
        equal(rows(store, table), {}, table)
    queries = re.findall(r'\n    \$ spanloom sql "\n((?:    > .*\n)+)', open(f"{ROOT}/docs/sql.md").read().partition("## Tables of spans")[2].partition("\n## ")[0])
    check(queries, "no query in the page")
    note(len(queries), "queries in the page, which the tests run on the example")


@cases("parsl-2026-lost", "parsl-2024-lost", "slurm", "parsl-2026-dual", "parsl-2026-nomonitoring", "parsl-2026-workqueue")
def rows_of_several_views(run):
    """One row a thing, however many speak of it: tasks are counted by their number, tries by task and number."""
    store = imported(f"{DATA}/{run}").store

    def things(*kinds):
        return {say(p)[len(say(p[:1])):].replace("parsl.monitoring.", "").replace("parsl.rundir.", "") for p in paths(store).values() if p[-1][0] in kinds}
    for table, *kinds in (("parsl_task", "parsl.rundir.task", "parsl.monitoring.task"), ("parsl_try", "parsl.rundir.try", "parsl.monitoring.try"),
                          ("parsl_block", "parsl.rundir.block", "parsl.monitoring.block"), ("parsl_executor", "parsl.rundir.executor", "parsl.monitoring.executor")):
        equal(len(rows(store, table)), len(things(*kinds)), table)
    known = paths(store)
    for i, row in rows(store, "parsl_try").items():
        keys = dict(known[i])
        equal((str(row["task"]), str(row["try"])), tuple(v for k, v in keys.items() if k.endswith((".task", ".try"))), "keys of a try")
        facets = {i} | {x for pair in query(store, "SELECT left_span, right_span FROM links WHERE kind = 'facet' AND ? IN (left_span, right_span)", i) for x in pair}
        want = query(store, f"SELECT min(time_ns), max(time_ns) FROM events WHERE span IN ({','.join(map(str, facets))})")[0]
        if want[0]:
            check(abs(row["first"] - want[0] / 1e9) < 2e-6 and abs(row["last"] - want[1] / 1e9) < 2e-6, f"try {i}: {row['first']} to {row['last']}, not {want}")
    for i, row in rows(store, "htex_task").items():
        inside, step = {i}, {i}
        while step:
            marks = ",".join(map(str, step))
            step = {x for x, in query(store, f"SELECT right_span FROM links WHERE kind = 'in' AND left_span IN ({marks})")} - inside
            inside |= step
        times = dict(query(store, f"SELECT type, min(time_ns) FROM events WHERE span IN ({','.join(map(str, inside))}) GROUP BY 1"))
        for e in ("interchange_put", "interchange_to_manager", "manager_got_task", "worker_received_task", "worker_completed_task"):
            got, want = row.get(e), times.get(e)
            check(got is None if want is None else got is not None and abs(got - want / 1e9) < 2e-6, f"htex_task {row['xid']}: {e} {got}, not {want}")


@test
def odd_names():
    things = [("my type", "a b", "went on", "x y"), ('quo"te', "it's", 'e"v', "a'b"), ("1st", "1", "2nd", "3rd"), ("select", "from", "where", "order"),
              ("ünï", "ö", "é", "ß"), ("a.b-c", "[x]", "e.v", "[y]"), ("end]", "]", "z]", "q]")]
    store = odd(*[{"type": t, "key": k, "event": e, "name": a, "value": "v"} for t, k, e, a in things])
    for kind, *_ in things:
        tables = [n for n, in query(store, "SELECT name FROM sqlite_master WHERE type IN ('view', 'table')")]
        check(table_of(kind) in tables, f"no table of {kind!r}: {[t for t in tables if not t.startswith('sl_')]}")
        equal(len(rows(store, table_of(kind))), 1, kind)
    for kind, key, e, a in things:
        if not set('"]') & set(e + a):
            cells(store, kind)


@test
def names_of_columns_that_are_taken():
    names = ["id", "key", "first", "last", "KEY", "went", "Went", "attr_key", "other", "parent", "type", "Seconds"]
    store = odd(*[{"type": "mine", "key": "k", "event": e, "name": a, "value": f"value of {a}"} for e, a in
                  zip(["went", "WENT", "Went", "id", "first", "last", "key", "wenT", "attr_id", "other", "OTHER", "seconds"], names)])
    (row,) = rows(store, "mine").values()
    equal(row["key"], "k")
    lower = [c.lower() for c in row]
    equal(len(set(lower)), len(lower), f"columns of one name {sorted(row)}")
    events = query(store, "SELECT type, time_ns / 1e9 FROM events")
    times = [v for c, v in row.items() if isinstance(v, float) and c not in ("first", "last", "seconds")]
    check("event_seconds" in row and row["attr_Seconds"] == "value of Seconds" and row["seconds"] == row["last"] - row["first"], row)
    note("columns:", *row)
    equal(sorted(round(t, 3) for t in times), sorted(round(t, 3) for _, t in events), "times of all events")
    texts = {v for v in row.values() if isinstance(v, str) and v.startswith("value of ")}
    equal(texts, {f"value of {n}" for n in names}, "values of all attributes")
    check(len(texts) > 6, f"attributes are missing: {sorted(texts)} of {names}")


@cases("id", "key", "first", "last")
def a_key_field_called_like_a_column(name):
    write(path("k.yaml"), f"""recipe: keyed
inputs: [{{files: "*.keyed", reader: jsonl, times: {{t: unix}}}}]
spans: {{thing: {{type: mine, key: "{{{name}}}"}}}}
records: [{{when: {{{name}: /./}}, span: thing, event: e}}]
""")
    write(path("x.keyed"), json.dumps({"t": 1795162300.5, name: "k7"}) + "\n")
    store = imported(path("x.keyed"), options=("--recipe", path("k.yaml"))).store
    (row,) = rows(store, "mine").values()
    equal(row["key"], "k7")
    equal((row["id"], row["first"], row["last"]), (query(store, "SELECT id FROM spans")[0][0], 1795162300.5, 1795162300.5))


@test
def two_types_of_one_name():
    store = odd({"type": "my.stage", "key": "1", "event": "a"}, {"type": "my_stage", "key": "2", "event": "b"}, {"type": "MY-STAGE", "key": "3", "event": "c"})
    got = [n for n, in query(store, "SELECT name FROM sqlite_master WHERE lower(name) LIKE 'my_stage%' AND type = 'view'")]
    check(got, "no table")
    seen = {r["key"] for t in got for r in rows(store, t).values()}
    note("tables:", *got, "with the keys", *sorted(seen))
    equal(seen, {"1", "2", "3"}, "keys in the tables")
    same(store, odd({"type": "my.stage", "key": "1", "event": "a"}, {"type": "my_stage", "key": "2", "event": "b"}, {"type": "MY-STAGE", "key": "3", "event": "c"}))


@cases("spans", "events", "links", "attributes", "sources", "sl_span", "sl_event", "span", "event", "sl_bind",
       "sqlite_master", "parsl_task")
def types_called_like_views(name):
    """A type may be called like a view of ours, which stays what it is."""
    before = odd({"type": "mine", "key": "1", "event": "a"}, store="before.db")
    columns = query(before, f"SELECT name FROM pragma_table_info('{name}')")
    store = odd({"type": name, "key": "1", "event": "a", "name": "n", "value": "v"})
    equal(query(store, f"SELECT name FROM pragma_table_info('{name}')"), columns, f"columns of {name}")
    equal(query(store, "SELECT type, key FROM spans"), [(name, "1")])
    odd({"type": name, "key": "1", "event": "a", "name": "n", "value": "v"}, {"type": name, "key": "2", "event": "a"})
    equal(query(store, "SELECT count(*) FROM spans"), [(2,)])


@cases("VIEW", "TABLE")
def a_view_of_the_users(what):
    store = imported(f"{DATA}/parsl-2026-threads").store
    for table in ("mine", "parsl_rundir_task", "parsl_task"):
        with sqlite3.connect(store) as db:
            if table != "mine":
                db.execute(f"DROP VIEW {table}")
            db.execute(f"CREATE {what} {table} AS SELECT 'own' AS own")
    imported(f"{DATA}/parsl-2026-nomonitoring", store=store)
    odd({"type": "mine", "key": "1", "event": "a"})
    for table in ("mine", "parsl_rundir_task", "parsl_task"):
        equal(query(store, f"SELECT * FROM {table}"), [("own",)], table)
    check(query(store, "SELECT count(*) FROM parsl_rundir_try")[0][0] > 2, "other tables")


@test
def made_anew():
    """A column comes with an event that no span had before, and goes with the file that had it."""
    store = odd({"type": "mine", "key": "1", "event": "a"})
    equal([c for c in next(iter(rows(store, "mine").values())) if c in "abc"], ["a"])
    odd({"type": "mine", "key": "1", "event": "b"}, {"type": "mine", "key": "1", "event": "c"}, {"type": "new", "key": "1", "event": "c"})
    row = next(iter(rows(store, "mine").values()))
    check("b" in row and "c" in row, f"columns {list(row)}")
    equal(len(rows(store, "new")), 1)


@test
def a_thousand_names():
    """Attributes that are data: a table cannot have that many columns, but what there is must work."""
    store = odd(*[{"type": "wide", "key": str(i % 3), "event": f"e{i}", "name": f"a{i}", "value": i} for i in range(3000)])
    equal(len(rows(store, "wide")), 3)
    cols = [c for c, in query(store, "SELECT name FROM pragma_table_info('wide')")]
    note(f"{len(cols)} columns of 6000")


if __name__ == "__main__":
    main()
