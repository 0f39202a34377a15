#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The readers of CSV, JSON and pickles, and the inputs with holds, beside Python's own modules and with dirt.

Longer than 600 lines: each kind of dirt is a short test of its own.
"""
import csv
import glob
import io
import math
import os
import pickle
import pickletools
import string
import struct
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

MB = 1 << 20
LIMIT = 16 << 20  # a longer row of JSON is rejected


def memory(n):
    """For before: no more than that, or the import fails.  (A child's peak holds that of this process.)"""
    return None if SANITIZED else lambda: resource.setrlimit(resource.RLIMIT_AS, (n, n))


RECIPE = """
recipe: t.{reader}
inputs:
  - files: "{{dir}}/*.{reader}"
    reader: {reader}
{keys}
records: []
else: raw
"""


def recipe(reader, *keys):
    return write(path(f"{reader}.yaml"), RECIPE.format(reader=reader, keys="\n".join("    " + k for k in keys)).encode())


def raws(store):
    """[(file, place, record)]"""
    return [(os.path.basename(os.path.dirname(p)), place, json.loads(text)) for p, place, text in query(
        store, "SELECT s.path, r.place, r.json FROM raw r JOIN sources s ON s.id = r.source ORDER BY 1, 2")]


def rejects(store):
    """[(directory, place, reason, text)]"""
    return [(os.path.basename(os.path.dirname(p)), *x) for p, *x in query(store, "SELECT path, place, reason, text FROM rejects ORDER BY path, place")]


def read(reader, data, *keys, code=None, **more):
    """Import one file alone: its records and rejects.  Where it has rejects only, nothing was imported: 1."""
    file = write(path("in", f"x.{reader}"), data)
    store = path("one.db")
    if os.path.exists(store):
        os.remove(store)
    r = imported(file, store=store, options=("--recipe", recipe(reader, *keys)), code=code or (0, 1), **more)
    r.records, r.rejects = [x[1:] for x in raws(store)], [x[1:] for x in rejects(store)]
    if code is None:
        equal(r.code, 1 if r.rejects and not r.records else 0, f"exit\n{r}")
    return r


def read_many(reader, datas, *keys, code=0):
    """Import many files at once: {name: [(place, record)]}, {name: [(place, reason, text)]}."""
    for name, data in datas.items():
        write(path("many", name, f"x.{reader}"), data)
    r = imported(path("many"), store="many.db", options=("--recipe", recipe(reader, *keys)), code=code)
    records, bad = {n: [] for n in datas}, {n: [] for n in datas}
    for name, *x in raws(r.store):
        records[name].append(tuple(x))
    for name, *x in rejects(r.store):
        bad[name].append(tuple(x))
    shutil.rmtree(path("many"))
    os.remove(r.store)
    return records, bad


# ---- CSV

def csv_text(rows, sep=",", end="\r\n", quoting=csv.QUOTE_MINIMAL):
    out = io.StringIO()
    csv.writer(out, delimiter=sep, lineterminator=end, quoting=quoting).writerows(rows)
    return out.getvalue().encode()


@cases(*[(sep, name) for sep in (",", ";", "|", "\t") for name in ("crlf", "lf")])
def csv_tables_as_python_reads_them(sep, name):
    r = rng()
    parts = ['"', '""', sep, "\n", " ", "ä", "x", "#", "'", "1.5", "a longer text", "\\"]
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        rows = [["".join(r.choice(parts) for _ in range(r.randrange(1, 9))) + "." for _ in range(5)] for _ in range(300)]
        data = csv_text([["a", "b c", "d.e", 'f"g', "h"]] + rows, sep, "\n" if name == "lf" else "\r\n", quoting)
        got = read("csv", data, f'sep: "{sep}"' if sep != "\t" else 'sep: "\\t"')
        want = list(csv.DictReader(io.StringIO(data.decode(), newline=""), delimiter=sep))
        equal(len(want), 300, "rows by Python")
        equal([x for _, x in got.records], want, f"rows of {data[:300]!r}")
        place, line = [], 1  # where each row begins, by counting the line ends before it
        for row in [["a", "b c", "d.e", 'f"g', "h"]] + rows:
            place.append(line)
            line += csv_text([row], sep, "\n", quoting).count(b"\n")
        equal([p for p, _ in got.records], place[1:], "places")
        equal(got.rejects, [], "rejects")


@test
def csv_keys():
    got = read("csv", "\ufeff# made by hand\r\na|b|c|d\r\n1|Unknown|-|4\r\n\r\n# none\r\n5\r\n6|7|8|9\r\n".encode(),
               'sep: "|"', 'comment: "#"', "empty: [Unknown, '-']", "defaults: {b: deflt, d: dd}")
    equal(got.records, [(3, {"a": "1", "b": "deflt", "c": None, "d": "4"}), (6, {"a": "5", "b": "deflt", "d": "dd"}),
                        (7, {"a": "6", "b": "7", "c": "8", "d": "9"})])
    got = read("csv", b"1,2\n3\n4,5,6\n", "columns: [one, two]")
    equal(got.records, [(1, {"one": "1", "two": "2"}), (2, {"one": "3"})])
    equal([(p, text) for p, _, text in got.rejects], [(3, "4,5,6")])
    check("3 columns" in got.rejects[0][1] and "2" in got.rejects[0][1], got.rejects)
    for bad in ('sep: ""', "sep: ab", "sep: '\"'"):
        spanloom("import", "-d", path("no.db"), "--recipe", recipe("csv", bad), path("in"), code=1)


@test
def csv_a_quote_that_is_never_closed():
    """It costs its own line, wherever it stands, and nothing else."""
    good = [b"%d,plain,%d\n" % (i, i) for i in range(200)]
    for at in (0, 1, 57, 199):
        for quote in (b'9,"never,closed\n', b'9,"he said "no", then,x\n', b'"\n'):
            lines = good[:at] + [quote] + good[at:]
            got = read("csv", b"a,b,c\n" + b"".join(lines))
            equal([x["a"] for _, x in got.records], [str(i) for i in range(200)], f"{quote} before line {at}")
            equal([p for p, *_ in got.rejects], [at + 2], f"{quote} before line {at}")
    got = read("csv", b'a,b\n1,"open\n' + b"2,x\n" * 400000 + b'3,"closed\nhere"\n4,cut')
    equal(len(got.records), 400001)
    equal(got.records[-1][1], {"a": "3", "b": "closed\nhere"})
    equal([p for p, *_ in got.rejects], [2, 400005])
    check(got.cpu < (60 if SANITIZED else 10), f"{got.cpu} s")


@test
def csv_a_header_that_cannot_be_read():
    got = read("csv", b'a,"b\n1,2\n3,4\n')
    equal(got.records, [], "data were taken for names")
    equal([p for p, *_ in got.rejects], [1, 2, 3])


@test
def csv_cut_after_every_byte():
    data = csv_text([["a", "b"], ["1", "x\ny"], ["2", 'q"q'], ["3", "é,"], ["4", "last"]], end="\n")
    datas = {f"{k:03}": data[:k] for k in range(len(data) + 1)}
    records, bad = read_many("csv", datas)
    whole = [x for _, x in records[f"{len(data):03}"]]
    equal(len(whole), 4)
    for k in range(len(data) + 1):
        got = [x for _, x in records[f"{k:03}"]]
        equal(got, whole[:len(got)], f"cut after {k} of {len(data)} bytes")
        ends = [i + 1 for i in range(k) if data[i:i + 1] == b"\n"]
        check(len(got) >= sum(e <= k for e in ends[1:]) - 2, f"lost rows: cut after {k}: {got}")
        equal(bool(bad[f"{k:03}"]), data[k - 1:k] != b"\n" and k > 0 or k == data.index(b"x\n") + 2, f"rejects, cut after {k} ({data[:k]!r}): {bad[f'{k:03}']}")


# ---- JSON

def flat(v, name=""):
    if isinstance(v, dict):
        return {k2: x for k, y in v.items() for k2, x in flat(y, f"{name}.{k}" if name else k).items()}
    if isinstance(v, list):
        return {k2: x for k, y in enumerate(v) for k2, x in flat(y, f"{name}.{k}" if name else str(k)).items()}
    return {name: "true" if v is True else "false" if v is False else v}


def random_json(r, depth=4):
    kind = r.randrange(9 if depth else 6)
    if kind == 0:
        return r.choice([None, True, False])
    if kind == 1:
        return r.choice([0, -1, 2 ** 53 + 1, -2 ** 63, 1.5e-7, -0.25])
    if kind < 6:
        return "".join(r.choice('ab"\\{}[],: ü\n\t☃') for _ in range(r.randrange(8)))
    if kind == 6:
        return [random_json(r, depth - 1) for _ in range(r.randrange(4))]
    return {f"k{i}": random_json(r, depth - 1) for i in range(r.randrange(4))}


def random_object(r):
    return {"n": r.randrange(1000), **{f"f{i}": random_json(r) for i in range(r.randrange(5))}}


@cases("a list", "events", "a/b/results", "a sequence", "lines")
def json_documents_as_python_reads_them(how):
    r = rng()
    for indent in (None, 2):
        rows = [random_object(r) for _ in range(200)]
        keys = [] if how in ("a list", "a sequence", "lines") else [f"rows: {how}"]
        other = {"events": 1, "x": [{"results": [1, {"n": 2}]}], "y": "events\": [{\"n\": 3}]", "b": {"results": [{"n": 4}]}}
        if how == "a list":
            data = json.dumps(rows, indent=indent)
        elif how == "events":
            data = json.dumps({"next": "}]{[", "z": other, "events": rows, "more": [other]}, indent=indent)
        elif how == "a/b/results":
            data = json.dumps({"z": {"b": {"results": [{"n": 5}]}}, "a": {"c": other, "b": {"results": rows, "results2": [{}]}, "d": []}}, indent=indent)
        else:
            data = ("\n" if how == "lines" else " ").join(json.dumps(x, indent=None if how == "lines" else indent) for x in rows)
        got = read("json", data.encode(), *keys)
        equal([p for p, _ in got.records], list(range(1, 201)), "places")
        equal([x for _, x in got.records], rows, "rows")
        equal(got.rejects, [], "rejects")


FLAT = """
recipe: t.flat
spans: {s: {type: t, key: "{_row}"}}
inputs: [{files: "{dir}/*.json", reader: json, json: [message, message.in]}, {files: "{dir}/*.jsonl", reader: jsonl, json: [message, message.in]}]
records: [{span: s, attrs: "*"}]
"""


def flattened(reader, rows):
    """{place: {name: value}}, from the attributes."""
    r = imported(write(path("flat", f"x.{reader}"), b"".join(json.dumps(x).encode() + b"\n" for x in rows)), store=f"flat-{reader}.db",
                 options=("--recipe", write(path("flat.yaml"), FLAT.encode())))
    equal(rejects(r.store), [], "rejects")
    got = {}
    for place, name, value in query(r.store, "SELECT place, name, value FROM attributes"):
        got.setdefault(place, {})[name] = value
    os.remove(r.store)
    return [got.get(i + 1, {}) for i in range(len(rows))]


@cases("json", "jsonl")
def json_nested_values_are_flattened(reader):
    r = rng()
    rows = [random_object(r) for _ in range(300)]
    some = lambda d: {k: v for k, v in d.items() if v is not None and v != "" and k != "text" and k[:1] != "_"}
    for got, row in zip(flattened(reader, rows), rows):
        equal(got, some(flat(row)), f"fields of {row}")


@cases("json", "jsonl")
def json_inside_of_texts(reader):
    r = rng()
    bad = ["{", "not json", '{"a": 1', '{"a": 1}}', "[1, 2", '{"a" 1}', "{}{}", "[" * 40 + "]" * 40, '"{', "123", ""]
    rows = []
    for i in range(100):
        inner = {"requestId": f"r{i}", "in": json.dumps({"deep": [i, {"x": "y"}]}), "v": random_json(r, 2)}
        rows += [{"n": i, "message": json.dumps(inner)}, {"n": i, "message": json.dumps(json.dumps(inner))},
                 {"n": i, "message": json.dumps(json.dumps({"requestId": f"r{i}"}))[1:-1]}]
    rows += [{"n": 1, "message": b} for b in bad]
    got = flattened(reader, rows)
    for row, fields in zip(rows[:300], got):
        message = row["message"]
        inner = json.loads(message) if not message.startswith('{\\') else json.loads(f'"{message}"')
        inner = json.loads(inner) if isinstance(inner, str) else inner
        want = {"n": row["n"], "message": message, **flat(inner, "message")}
        if "in" in inner:
            want.update(flat(json.loads(inner["in"]), "message.in"))
        equal(fields, {k: v for k, v in want.items() if v is not None and v != ""}, f"fields of {row}")
    for row, fields in zip(rows[300:], got[300:]):
        equal({k for k in fields if k != "n"}, {"message"} if row["message"] and row["message"] != "{}" else set(), f"fields of {row}")


@test
def json_rows_of_pairs():
    rows = [[{"field": "@timestamp", "value": "2026-11-20 08:11:36.731"}, {"field": "@message", "value": json.dumps({"a": {"b": 1}})},
             {"value": "no name"}, {"field": "no value"}, {"value": 3, "field": "three", "other": [{"field": "x", "value": 1}]}, "odd", {}],
            [], [{"field": "@ptr", "value": "x"}], {"an": "object"}, "a text"]
    r = imported(write(path("in/x.json"), json.dumps({"results": rows}).encode()), options=("--recipe", write(path("p.yaml"), b"""
recipe: t.pairs
spans: {s: {type: t, key: "{_row}"}}
inputs: [{files: "{dir}/*.json", reader: json, rows: results, pairs: {name: field, value: value}, json: ['@message']}]
records: [{span: s, attrs: "*", raw: true}]
""")))
    got = query(r.store, "SELECT place, name, value FROM attributes ORDER BY 1, 2")
    equal(got, [(1, "@message", json.dumps({"a": {"b": 1}})), (1, "@message.a.b", 1), (1, "@timestamp", "2026-11-20 08:11:36.731"), (1, "three", 3),
                (3, "@ptr", "x"), (4, "an", "object")])
    equal([json.loads(x) for x, in query(r.store, "SELECT json FROM raw ORDER BY place")], rows[:4], "kept whole")
    equal([x[1] for x in rejects(r.store)], [5])


@test
def json_cut_after_every_byte():
    rows = [{"n": i, "t": "a\"}\\"} for i in range(4)]
    for keys, document in (([], rows), (["rows: e"], {"x": [1], "e": rows, "y": {}})):
        data = json.dumps(document).encode()
        records, bad = read_many("json", {f"{k:03}": data[:k] for k in range(len(data) + 1)}, *keys)
        for k in range(len(data) + 1):
            got = [x for _, x in records[f"{k:03}"]]
            want = [x for x in rows if data.find(json.dumps(x).encode()) + len(json.dumps(x)) <= k]
            equal(got, want, f"cut after {k} of {len(data)} bytes")
            equal([p for p, *_ in bad[f"{k:03}"]], [len(want) + 1] if 0 < k < len(data) else [], f"rejects, cut after {k}")


@test
def json_that_is_none():
    for data, want in ((b"", []), (b"  \n", []), (b"]", [1]), (b'{"a": [1}', [1]), (b'{"a":1}\n}{', [2]), (b'[{"a":1},{"b" 2},{"c":3}]', [2]), (b"[1,2]", [1, 2]),
                       (b"\x00" * 1000, [1]), (b'[{"a": "x\ny"}, {"b": 1}]', [1]),
                       (b"[" * 2000000, [1]), (b"[" * 100 + b"]" * 100, [1])):
        got = read("json", data)
        equal([p for p, *_ in got.rejects], want, f"rejects of {data[:30]!r}: {got.rejects[:2]}")
    got = read("json", '{"ü": "\u2603"}'.encode("utf-16"))
    check(got.rejects and not got.records, got.records)
    got = read("json", b'{"x": [{"n": 1}]}', "rows: events")
    check(not got.records and "events" in got.rejects[0][1], got.rejects)
    got = read("json", b'[{"a": "\xe9\xff"}]')
    equal(got.records, [(1, {"a": "\\xe9\\xff"})])


@test
def json_a_row_of_twenty_megabytes():
    rows = [{"n": 1}, {"n": 2, "t": "x" * (20 * MB)}, {"n": 3, "t": "y" * (LIMIT - 100)}, {"n": 4}]
    got = read("json", json.dumps(rows).encode(), before=memory(500 * MB))
    equal([p for p, _ in got.records], [1, 3, 4])
    equal([(p, str(20 * MB + 17) in why) for p, why, _ in got.rejects], [(2, True)], got.rejects[0][1])


# ---- pickles

def random_python(r, protocol, depth=4):
    kind = r.randrange(12 if depth else 8)
    if kind == 0:
        return r.choice([None, True, False])
    if kind == 1:
        return r.choice([0, 1, 255, 256, 65535, 65536, -1, -128, -129, 2 ** 31 - 1, 2 ** 31, -2 ** 31 - 1, 2 ** 63 - 1, -2 ** 63, r.randrange(-10 ** 6, 10 ** 6)])
    if kind == 2:
        return r.choice([-1, 1]) * r.choice([2 ** 63, 2 ** 64, 10 ** 40, 256 ** 300, 256 ** 255 - 1, 2 ** 1000 + 7, r.getrandbits(500)])
    if kind == 3:
        return r.choice([0.0, -0.0, 1.5, 1e300, 5e-324, 1795162300.123457, math.inf, -math.inf, r.random(), r.random() * 10 ** r.randrange(-20, 20)])
    if kind < 7 or (kind == 7 and protocol < 3):
        return "".join(r.choice("ab\\\n\r'\"\x7f ü☃😀\t\x1a") for _ in range(r.choice([0, 1, 5, 300])))
    if kind == 7:
        return bytes(r.choice(b"abc \\'") for _ in range(r.choice([0, 1, 5, 300])))
    items = [random_python(r, protocol, depth - 1) for _ in range(r.choice([0, 1, 2, 3, 4, 7]))]
    if kind == 8:
        return items
    if kind == 9:
        return tuple(items)
    if kind == 10 and protocol >= 4:
        return r.choice([set, frozenset])(str(i) for i in range(len(items) if depth == 4 else 1))
    return {r.choice([f"k{i}", i, (i, "t"), None]): v for i, v in enumerate(items)}


def as_json(v):
    """What becomes of a value inside of another: this test's own idea of it."""
    if isinstance(v, bytes):
        return v.decode()
    if isinstance(v, float) and not math.isfinite(v):
        return str(v)
    if isinstance(v, (list, tuple)):
        return [as_json(x) for x in v]
    if isinstance(v, (set, frozenset)):
        return sorted(v)
    if isinstance(v, dict):
        return {k if isinstance(k, str) else json.dumps(as_json(k), separators=(",", ":")): as_json(x) for k, x in v.items()}
    return v


def same_value(got, v, where):
    if v is None or isinstance(v, str):
        equal(got, v, where)
    elif isinstance(v, bool):
        equal(got, str(v).lower(), where)
    elif isinstance(v, int):
        equal(int(got), v, where)
    elif isinstance(v, float):
        equal(float(got), v, where)
    elif isinstance(v, bytes):
        equal(got, v.decode(), where)
    else:
        have = json.loads(got)
        equal(sorted(have) if isinstance(v, (set, frozenset)) else have, as_json(v), where)


@cases(0, 1, 2, 3, 4, 5)
def pickles_as_python_reads_them(protocol):
    r = rng()
    shared = ["shared", {"x": 1}]
    rows = [tuple(random_python(r, protocol) for _ in range(r.randrange(5))) for _ in range(400)]
    rows += [(shared, shared, 7), ["a", "list"], ({"one": shared},), {"name": "dict", "v": 2, "_h": 3}]
    data = pickle.dumps(rows, protocol)
    for name, bytes_ in (("as it is", data), ("optimized", pickletools.optimize(data))):
        got = read("pickle", bytes_)
        equal(got.rejects, [], "rejects")
        equal([p for p, _ in got.records], list(range(1, len(rows) + 1)), "places")
        for (place, have), row in zip(got.records, pickle.loads(bytes_)):
            want = row if isinstance(row, dict) else {str(i): v for i, v in enumerate(row)}
            equal(set(have), set(want), f"fields of row {place}")
            for k, v in want.items():
                same_value(have[k], v, f"protocol {protocol}, {name}, row {place}, {v!r}")


@test
def pickles_written_by_hand():
    """Opcodes that today's Python reads, and writes no more."""
    one = lambda code: read("pickle", b"(" + code + b"l.").records
    for code in (b"(S'it''s'\nt", b"(S'it\\x27s'\n\x85", b"(U\x05a\\b'ct", b"(T\x02\x00\x00\x00xyt", b"(I01\nI00\nI7\nL7L\nL-99999999999999999999L\nt",
                 b"(\x8a\x00\x8a\x01\xff\x8b\x02\x00\x00\x00\x00\x01t", b"(F1e3\nF-.5\nt", b"(V\\u2603\\U0001F600\\x\xe9\nt", b"(K\x01202t", b"((K\x01K\x021K\x03t",
                 b"(S\"q\"\np5\n0g5\ng5\nt", b"(\x8f(K\x01K\x02\x90t", b"((K\x01K\x02\x91t", b"(\x96\x02\x00\x00\x00\x00\x00\x00\x00abt", b"(X\x01\x00\x00\x00aX\x01\x00\x00\x00bX\x01\x00\x00\x00at",
                 b"(\x95\x01\x00\x00\x00\x00\x00\x00\x00Nt"):
        try:
            want = pickle.loads(b"(" + code + b"l.", encoding="latin-1")
        except Exception as e:  # noqa: then there is nothing to compare with
            want = None
            note(f"{code!r}: {e}")
        got = one(code) if want is not None else []
        for (_, have), row in zip(got, want or []):
            for i, v in enumerate(row):
                same_value(have[str(i)], bytes(v) if isinstance(v, bytearray) else v, f"{code!r}")
        equal(len(got), len(want or []), f"rows of {code!r}")


class Evil:
    def __init__(self, how):
        self.how = how

    def __reduce__(self):
        return (os.system, (f"touch {path('executed')}",)) if self.how else (Evil, (1,))


REFUSED = {"GLOBAL": b"cos\nsystem\n", "STACK_GLOBAL": b"X\x02\x00\x00\x00osX\x06\x00\x00\x00system\x93", "REDUCE": b"Nc\n\nR"[:1] + b")R", "BUILD": b"N}b",
           "INST": b"(ios\nsystem\n", "OBJ": b"(No", "NEWOBJ": b"N)\x81", "NEWOBJ_EX": b"N)}\x92", "PERSID": b"Pid\n", "BINPERSID": b"NQ",
           "EXT1": b"\x82\x01", "EXT2": b"\x83\x01\x00", "EXT4": b"\x84\x01\x00\x00\x00", "NEXT_BUFFER": b"\x97", "READONLY_BUFFER": b"N\x98"}


@cases(*REFUSED)
def pickles_that_ask_for_code(name):
    check(name in {o.name for o in pickletools.opcodes}, name)
    code = REFUSED[name]
    at = len(b"](N") + code.index(next(o.code.encode("latin-1") for o in pickletools.opcodes if o.name == name))
    r = read("pickle", b"](N" + code + b"e.", code=1)
    check(f"at byte {at}: the opcode {name}" in r.err and "x.pickle" in r.err and "never run" in r.err, r.err)
    if name in ("GLOBAL", "STACK_GLOBAL", "INST"):
        check("os.system" in r.err, r.err)
    equal((r.records, r.rejects), ([], []))


@cases(0, 1, 2, 3, 4, 5)
def pickles_that_would_run_something(protocol):
    for evil in (Evil(True), Evil(False), {"events": [(1, Evil(True))]}, [datetime.datetime(2026, 11, 20)], [{1, 2}] if protocol < 4 else [complex(1)]):
        r = read("pickle", pickle.dumps(evil, protocol), code=1)
        check("asks for a class" in r.err, r.err)
        check(not os.path.exists(path("executed")), "it was run")


@test
def pickles_other_opcodes_are_known():
    """No opcode of Python's list is taken for damage."""
    for op in pickletools.opcodes:
        r = read("pickle", op.code.encode("latin-1") + b"\x00" * 20, code=(0, 1))
        check("is no opcode" not in r.err.partition("; this")[0] or "at byte 0" not in r.err, f"{op.name}: {r.err}")


@cases(0, 2, 4)
def pickles_cut_after_every_byte(protocol):
    data = pickle.dumps({"events": [(1795162300.5, "STARTED", "TASK", 1), (2.5, "é", "TASK", -10 ** 30)], "binds": [[None, True]]}, protocol)
    for k in range(len(data)):
        write(path("runs", f"{k:03}", "parsl_tracing.pickle"), data[:k])
    write(path("runs/whole/parsl_tracing.pickle"), data)
    r = imported(path("runs"), code=1)
    equal(len(r.err.splitlines()), len(data), "one message for each file that is cut")
    check(all("at byte" in x or "empty" in x for x in r.err.splitlines()), r.err[:500])
    equal(query(r.store, "SELECT count(*) FROM events"), [(2,)])


@test
def pickles_that_are_bombs():
    nest = b"]" * 3000000 + b"a" * 2999999 + b"."
    doubling = b"](K\x01K\x01t" + b"2\x86" * 60 + b"a."
    loop = b"]q\x00h\x00ah\x00h\x00\x86a."
    huge = b"\x8d" + struct.pack("<Q", 1 << 40) + b"x."
    frame = b"\x80\x04\x95" + struct.pack("<Q", 1 << 62) + b"]."
    memo = b"]r" + struct.pack("<I", 4000000000) + b"."
    long = b"](\x8b" + struct.pack("<I", 3000000) + b"\x7f" * 3000000 + b"te."
    many = b"](" + b"]" * 1000000 + b"e."
    same = b"](" + doubling[1:-2] + b"q\x00" + b"h\x00" * 300000 + b"e."
    for name, data in dict(nest=nest, doubling=doubling, loop=loop, huge=huge, frame=frame, memo=memo, long=long, many=many, same=same).items():
        r = read("pickle", data, code=(0, 1), before=memory(300 * MB + 64 * len(data)))
        check(r.cpu < (200 if SANITIZED else 30), f"{name}: {r.cpu:.1f} s")
        note(f"{name}: {r.cpu:.1f} s, exit {r.code}, {len(r.records)} records, {len(r.rejects)} rejects")
    equal([why for _, why, _ in read("pickle", loop, code=1).rejects], ["a value is nested too deeply, or into itself, or is too long"] * 2)


# ---- any reader, anything

SMALL = {"csv": b'a,b\n1,"x""\ny"\n2,z\n', "json": b'{"events": [{"a": 1, "message": "{\\"x\\": [1]}"}, {"a": "\\u00e9"}]}\n',
         "jsonl": b'{"a": 1, "message": "{\\"x\\": 1}"}\n{"a": 2}\n', "pickle": pickle.dumps({"events": [(1, "a", [2.5]), {"k": None}]}, 4)}
KEYS = {"csv": [], "json": ["rows: events", "json: [message]"], "jsonl": ["json: [message]"], "pickle": ["tables: {events: {t: 0, name: 1}}"]}


@cases(*SMALL)
def random_bytes(reader):
    r = rng()
    datas = {f"{i:03}": bytes(r.choices(b'abc,;"\n\r\\{}[]:0129.(\x00\xff\x80\x93\x8c' if i % 2 else bytes(range(256)), k=r.choice([1, 10, 100, 3000]))) for i in range(300)}
    read_many(reader, datas, *KEYS[reader], code=(0, 1))


@cases(*SMALL)
def damaged_bytes(reader):
    r = rng()
    datas = {}
    for i in range(300):
        data = bytearray(SMALL[reader])
        for _ in range(r.randrange(1, 4)):
            at = r.randrange(len(data))
            if r.randrange(2):
                data[at] = r.randrange(256)
            elif r.randrange(2):
                del data[at]
            else:
                data[at:at] = data[r.randrange(len(data)):][:r.randrange(20)]
        datas[f"{i:03}"] = bytes(data)
    read_many(reader, datas, *KEYS[reader], code=(0, 1))


@cases(*SMALL)
def other_encodings_and_nuls(reader):
    data = SMALL[reader]
    datas = {f"{i}": x for i, x in enumerate([b"\x00" * 5000, data.replace(b"1", b"\x00"), b"\x00" + data, data + b"\x00", data.replace(b"a", b"\xe9"),
                                              data.decode("latin-1").encode("utf-16"), data.decode("latin-1").encode("utf-32-be"), b"\xef\xbb\xbf" + data])}
    records, _ = read_many(reader, datas, *KEYS[reader], code=(0, 1))
    if reader in ("csv", "json"):
        equal(len(records["7"]), 2, "records behind a BOM")


@cases(*SMALL)
def empty_files(reader):
    got = read(reader, b"", *KEYS[reader], code=1 if reader == "pickle" else 0)
    equal((got.records, got.rejects), ([], []))
    check(reader != "pickle" or "empty" in got.err, got.err)


@cases("csv", "json", "jsonl")
def a_line_of_twenty_megabytes(reader):
    for filler in (b"x", b"\x00", b'"', b"[", b","):
        got = read(reader, SMALL[reader][:len(SMALL[reader]) // 2] + filler * (20 * MB) + b"\n" + SMALL[reader], *KEYS[reader], before=memory(300 * MB))
        check(got.rejects, "nothing was rejected")


# ---- inputs with holds

LINE = b"1795162300.5 METRIC T a x=1\n"


def claimed(*more):
    out = json.loads(spanloom("import", "--dry-run", "--format", "json", path("logs"), *more).out)
    return sorted((x["recipe"] or "", os.path.relpath(x["path"], path("logs"))) for x in out)


@test
def files_that_hold_a_metric():
    other = b"1795162300.5 nothing\n"
    for i, gap in enumerate([0, 1, 70, 128 * 1024 - 20] + list(range(128 * 1024 - 18, 128 * 1024 + 3)) + [3 * 128 * 1024 - 16, 1000000]):
        fill = b"y" * (gap - 1) + b"\n" if gap else b""
        write(path(f"logs/{i:02}.log"), fill + LINE + other * (i % 3))
        write(path(f"logs/no{i:02}.log"), fill + LINE.replace(b"METRIC ", b"METRIC_") + b"METRIC")
    for name in ("a.out", "a.err", "a.stdout", "a.stderr", "a.txt", "a.metrics", "a.dat", "000/parsl.log", "001/parsl.log"):
        write(path("logs", name), LINE if name != "001/parsl.log" else b"x\n")
    write(path("logs/b.jsonlog"), b'{"created": 1795162300.5, "formatted": "METRIC T b y=2"}\n')
    write(path("logs/empty.log"), b"")
    want = [("logmetric", f"{i:02}.log") for i in range(i + 1)] + [("logmetric", f"a.{x}") for x in ("out", "err", "stdout", "stderr", "txt", "metrics")]
    want += [("logmetric", "b.jsonlog"), ("logmetric", "000/parsl.log"), ("parsl.log", "000/parsl.log"), ("parsl.log", "001/parsl.log")]
    listed = claimed()
    equal([x for x in listed if x[0]], sorted(want))
    equal([p for r, p in listed if not r], sorted([f"no{k:02}.log" for k in range(i + 1)] + ["a.dat", "empty.log"]) if any(not r for r, _ in listed) else [], "listed as unclaimed")
    s = imported(path("logs")).store
    equal(query(s, "SELECT count(*), sum(value), count(DISTINCT span) FROM samples WHERE metric = 'x'"), [(i + 8, i + 8.0, i + 8)])
    equal(query(s, "SELECT sum(rejected) FROM sources WHERE recipe = 'logmetric'"), [(0,)])


@test
def metrics_without_a_time():
    """What a bash app prints into its output is a fact about the try that wrote it, or the task where it was tried again: no reject, no sample, no span that holds nothing."""
    run = shutil.copytree(f"{ROOT}/tests/data/parsl-2026-progress", path("run"))
    files = glob.glob(f"{run}/runinfo/000/task_logs/*/*.stdout")
    for i, name in enumerate(sorted(files)):
        write(name, f"hello\nMETRIC mycode.solver {i} residual=0.{i} iteration=2\n  INFO: METRIC mycode.solver {i} cells=7\n")
    s = imported(run).store
    equal(len(files), 6)
    equal(query(s, "SELECT sum(rejected) FROM sources WHERE recipe = 'logmetric'"), [(0,)], "rejects")
    equal(query(s, "SELECT count(*) FROM samples a JOIN spans m ON m.id = a.span WHERE m.type = 'mycode.solver'"), [(0,)], "samples")
    equal(query(s, "SELECT count(*), count(DISTINCT m.parent), sum(a.value) FROM attributes a JOIN spans m ON m.id = a.span WHERE m.type = 'mycode.solver' AND a.name <> 'residual'"), [(12, 6, 54)])
    equal(query(s, "SELECT m.key, iif(t.type LIKE '%.try', p.key, t.key) FROM spans m JOIN links l ON l.right_span = m.id AND l.rule = 'file.writer' JOIN spans t ON t.id = l.left_span "
                "LEFT JOIN spans p ON p.id = t.parent WHERE m.type = 'mycode.solver' ORDER BY 1"), [(str(i), str(i)) for i in range(6)], "the tasks that they lie in")
    out = spanloom("show", "task", 3, "-d", s).out
    check("mycode.solver 3" in out, out)


@test
def metrics_of_no_use():
    """A clock without a date, a word for a number: rejects that say why, and no span of a log that has nothing else."""
    write(path("logs/a.log"), "08:11:36 METRIC rank 0 x=1\nNov 20 08:11:36 node: METRIC rank 0 x=2\n1795162300.5 METRIC rank 0 x=fast\n")
    s = imported(path("logs")).store
    time = "METRIC: the time is neither seconds since 1970 nor a date and a time of day (2026-11-20 08:11:36)"
    equal(query(s, "SELECT place, reason FROM rejects ORDER BY 1"), [(1, time), (2, time), (3, "METRIC: 'x=fast' is not name=number")])
    equal(query(s, "SELECT count(*) FROM spans"), [(0,)], "spans")


CLOCK = r"""recipe: my.clock
about: x
component: clock
spans: {job: {type: my.job, key: "{id}"}}
inputs:
  - files: "*.clock"
    reader: lines
    head: ['^(?<t>[^|]+)\|(?<id>\d+)']
    times: {t: ["%H:%M:%S", "%b %d %H:%M:%S", "%d.%m.%Y %H:%M:%S"]}
  - files: "*.csv"
    reader: csv
    times: {t: iso}
  - files: "*.jsonl"
    reader: jsonl
    times: {t: iso}
records:
  - {when: {id: '/./'}, span: job, event: seen}
samples:
  - {file: a.clock, lines: "20.11.2026 08:11:36|1\n", gives: []}
"""


@test
def a_time_of_day():
    """Without a date it is of no day: a reject that says so, never 1970."""
    write(path("my.yaml"), CLOCK)
    write(path("logs/a.clock"), "08:11:36|1\nNov 20 08:11:36|2\n20.11.2026 08:11:36|3\nsoon|4\n")
    write(path("logs/b.csv"), "t,id\n08:11:36,5\n8:11,6\n2026-11-20 08:11:36,7\n\"08:11:36,5\",8\n99:11,9\n")
    write(path("logs/c.jsonl"), '{"t": "08:11:36", "id": 10}\n{"t": "2026-11-20T08:11:36", "id": 11}\n')
    s = imported(path("logs"), options=("--recipe", path("my.yaml"), "--zone", "+00:00")).store
    equal(query(s, "SELECT DISTINCT key, time FROM events e JOIN spans s ON s.id = e.span ORDER BY 1"), [(k, "2026-11-20T08:11:36.000000000Z") for k in ("11", "3", "7")])
    day, form = " is a time of day without a date; the field and its format must hold year, month and day", " is not a time of the declared format"
    equal(query(s, "SELECT reason FROM rejects ORDER BY path, place"), [(x,) for x in (
        "t='08:11:36'" + day, "t='Nov 20 08:11:36'" + day.replace("time of day without a date", "date without a year"), "t='soon'" + form,
        "t='08:11:36'" + day, "t='8:11'" + day, "t='08:11:36,5'" + day, "t='99:11'" + form, "t='08:11:36'" + day)])


@test
def a_log_of_a_run_keeps_its_recipe():
    """METRIC lines in parsl.log change nothing of what else it says, and a moved copy is the same log."""
    small = copy_run(path("runinfo"), logs=(PARSL, WORKER0))
    want = dump(imported(small, store="plain.db").store)
    with open(path("runinfo/000", PARSL), "ab") as f:
        f.write(b"1795162309.5 2026-11-20 08:11:49 MainProcess-1 MainThread-2 parsl.dataflow.strategy:217 _general_strategy DEBUG: METRIC STRATEGY htex_Local active_tasks=3\n")
    s = imported(small, store="more.db").store
    ours = lambda x: "metric.log" in x or "STRATEGY" in x
    same([x for x in dump(s) if not ours(x)], want)
    equal(len([x for x in dump(s) if x.startswith("sample") and ours(x)]), 1)
    again = imported(small, store="more.db")
    check("0 new spans" in again.out, again)
    os.rename(path("runinfo"), path("moved"))
    with open(path("moved/000", PARSL), "ab") as f:
        f.write(b"1795162310.5 METRIC STRATEGY htex_Local active_tasks=4\n")
    imported(path("moved"), store="more.db")
    equal(len({x.split(" ")[1] for x in dump(s) if x.startswith("sample") and ours(x)}), 1, "spans of the moved log")
    equal(len([x for x in dump(s) if x.startswith("sample") and ours(x)]), 2)


main()
