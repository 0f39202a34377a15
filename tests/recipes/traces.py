#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces: what a store says of them, against what made them and against what Python's json module reads.

A random tree of calls is written in every form that tracers are known to use; the store must say the tree.
"""
import collections
import gzip
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
from harness import whole as sound  # noqa
from traced import bare_environment, compiled, files  # noqa

DATA = f"{ROOT}/tests/data/traces"
BASE = 1795162300_000000000
Call = collections.namedtuple("Call", "tid name begin end parent")  # parent: the index of another


# ---- a program, and the forms of its trace

def program(r, calls=150, threads=3, tick=1000):
    """Calls of random trees; times are multiples of `tick` ns, all of them different on a thread."""
    out = []

    def grow(tid, parent, at, depth):
        mine = len(out)
        name = r.choice(["solve", "read", "näh", "a\"b\\c", "x::y<int>", "#2", "f#2"])
        begin = at
        out.append(None)
        at += tick * r.randint(1, 9)
        while depth < 6 and r.random() < .55 and len(out) < calls * (tid + 1 - 7) // threads:
            at = grow(tid, mine, at, depth + 1) + tick * r.randint(1, 9)
        out[mine] = Call(tid, name, begin, at, parent)
        return at
    for t in range(threads):
        at = BASE + r.randint(0, 10**6) * tick
        while len(out) < calls * (t + 1) // threads:
            at = grow(7 + t, None, at, 0) + tick * r.randint(1, 5)
    return out


def us(ns):
    return f"{ns // 1000}.{ns % 1000:03d}" if ns % 1000 else str(ns // 1000)


def event(call, ph, ts, **more):
    parts = [f'"name": {json.dumps(call.name)}', '"cat": "c"', f'"ph": "{ph}"', '"pid": 4711', f'"tid": {call.tid}', f'"ts": {ts}']
    return "{" + ", ".join(parts + [f'"{k}": {v}' for k, v in more.items()]) + "}"


def begins_and_ends(calls, stamp=us):
    """In the order in which each thread did it: an end before the begin of what follows, the outer one first."""
    marks = [(c.begin, 1, i, event(c, "B", stamp(c.begin))) for i, c in enumerate(calls)]
    marks += [(c.end, 0, -i, event(c, "E", stamp(c.end))) for i, c in enumerate(calls)]
    return [text for *_, text in sorted(marks)]


def whole(calls):
    """Each when it ends, as PerfFlowAspect and DFTracer do."""
    return [event(c, "X", us(c.begin), dur=us(c.end - c.begin)) for c in sorted(calls, key=lambda c: (c.end, -c.begin))]


def shuffled(calls):
    lines = whole(calls)
    random.Random(3).shuffle(lines)
    return lines


def array(lines):
    return "[\n" + ",\n".join(lines) + "\n]\n"


FORMS = {
    "closed": lambda c: array(begins_and_ends(c)),
    "open": lambda c: "[\n" + "".join(f"{x},\n" for x in begins_and_ends(c)),
    "with an empty object at the end": lambda c: "[\n" + "".join(f"{x},\n" for x in begins_and_ends(c)) + "{}]",
    "without commas": lambda c: "[\n" + "".join(f"{x}\n" for x in begins_and_ends(c)),
    "without a bracket": lambda c: "".join(f"{x}\n" for x in begins_and_ends(c)),
    "object": lambda c: '{"displayTimeUnit": "us", "traceEvents": ' + array(begins_and_ends(c)) + ', "otherData": {"a": [1, {"b": "]}"}]}}',
    "open object": lambda c: '{"displayTimeUnit": "us", "traceEvents": [\n' + ",\n".join(begins_and_ends(c)),
    "object with much before": lambda c: '{"big": [' + ",".join(['{"ph": "B", "x": "[{"}'] * 60000) + '], "traceEvents": ' + array(begins_and_ends(c)) + "}",
    "one line": lambda c: array(begins_and_ends(c)).replace("\n", ""),
    "many lines": lambda c: json.dumps(json.loads(array(begins_and_ends(c, lambda ns: f'"{us(ns)}"'))), indent=3),
    "times as texts": lambda c: array(begins_and_ends(c, lambda ns: f'"{us(ns)}"')),
    "times with exponents": lambda c: array(begins_and_ends(c, lambda ns: f"{ns // 10**9}.{ns % 10**9:09d}e6")),
    "Windows": lambda c: array(begins_and_ends(c)).replace("\n", "\r\n"),
    "UTF-8 mark": lambda c: "\ufeff" + array(begins_and_ends(c)),
    "escaped": lambda c: array(begins_and_ends(c)).replace("a", "\\u0061").replace('"c\\u0061t"', '"cat"').replace('"n\\u0061me"', '"name"'),
    "calls when they end": lambda c: array(whole(c)),
    "calls without commas": lambda c: "[\n" + "".join(f"{x}\n" for x in whole(c)),
    "calls in any order": lambda c: array(shuffled(c)),
    "begun twice": lambda c: "[\n" + "".join(f"{x},\n" for x in begins_and_ends(c)[:60]) + "[\n" + "".join(f"{x},\n" for x in begins_and_ends(c)[60:]),
    "object in a list": lambda c: '{"traceEvents": [\n' + ",\n".join(whole(c)[:60]) + '{"displayTimeUnit": "us", "traceEvents": [\n' + ",\n".join(whole(c)[60:]),
}


def truth(calls):
    """(thread, key, begin, end, key of the parent): keys are numbered by begin."""
    seen, key = collections.Counter(), {}
    for i in sorted(range(len(calls)), key=lambda i: (calls[i].tid, calls[i].begin, -calls[i].end)):
        c = calls[i]
        seen[c.tid, c.name] += 1
        n = seen[c.tid, c.name]
        key[i] = c.name if n == 1 and not re.search(r"#\d+$", c.name) else f"{c.name}#{n}"
    return sorted((str(c.tid), key[i], c.begin, c.end, key.get(c.parent, "")) for i, c in enumerate(calls))


def told(store):
    rows = query(store, """SELECT t.key, c.key, (SELECT time_ns FROM events WHERE span = c.id AND type = 'begin'),
        ifnull((SELECT time_ns FROM events WHERE span = c.id AND type = 'end'), 0),
        ifnull((SELECT o.key FROM links l JOIN spans o ON o.id = l.left_span WHERE l.right_span = c.id AND l.kind = 'in' AND o.type = 'trace.call'), '')
        FROM spans c JOIN spans t ON t.id = c.parent WHERE c.type = 'trace.call'""")
    return sorted(tuple(r) for r in rows)


def balanced(store):
    for p, n, used, skipped, rejected in query(store, "SELECT path, records, used, skipped, rejected FROM sources"):
        equal(n, used + skipped + rejected, p)


def rejects(store):
    return [(place, why) for place, why in query(store, "SELECT place, reason FROM rejects ORDER BY source, place, reason")]


def put(name, data):
    data = data if isinstance(data, bytes) else data.encode()
    write(path(name), data)
    return path(name)


def taken(name, data, store="s.db"):
    s = imported(put(name, data), store=store).store
    balanced(s)
    return s


@cases(*FORMS)
def the_tree_is_told(form):
    calls = program(rng(), tick=1 if form != "escaped" else 1000)
    data = FORMS[form](calls)
    s = taken("a.json" if "much before" not in form else "a.pfw", data)
    equal(rejects(s), [], "rejects")
    same(told(s), truth(calls))


@test
def compressed():
    calls = program(rng())
    text = array(begins_and_ends(calls)).encode()
    for name, data in (("one", gzip.compress(text)), ("members", b"".join(gzip.compress(text[i:i + 999]) for i in range(0, len(text), 999))),
                       ("padded", gzip.compress(text) + bytes(512))):
        s = taken(f"{name}.pfw.gz", data, store=f"{name}.db")
        equal(rejects(s), [], name)
        same(told(s), truth(calls))
    s = taken("cut.pfw.gz", gzip.compress(text)[:-300], store="cut.db")
    check(0 < len(told(s)) < len(calls), len(told(s)))
    check((any("compressed data is cut off" in why for _, why in rejects(s))), rejects(s))
    damaged = bytearray(gzip.compress(text))
    damaged[len(damaged) // 2] ^= 255
    taken("damaged.pfw.gz", bytes(damaged), store="damaged.db")


@test
def both_forms_are_told_once():
    """The trace as it was, and compressed beside it."""
    calls = program(rng())
    os.mkdir(path("d"))
    put("d/a.pfw", array(whole(calls)))
    put("d/a.pfw.gz", gzip.compress(array(whole(calls)).encode()))
    s = imported(path("d")).store
    same(told(s), truth(calls))
    equal(query(s, "SELECT count(*) FROM events WHERE type IN ('begin', 'end')"), [(2 * len(calls),)])


@test
def faults_cost_themselves():
    calls = program(rng(), calls=60)
    lines = begins_and_ends(calls)
    bad = ["{\"name\": \"x\", \"ph\": }", "no event at all", '{"name": "x", "ph": "B", "ts": "soon", "pid": 1, "tid": 1}', '{"name": "x", "ts": 1}',
           '{"name": "x", "ph": "Q", "ts": 1}', '{"name": "x", "ph": "B"}', '{"name": "x", "ph": "X", "ts": 5, "dur": -1}', '{"name": "bro', '"text"', "17",
           '{"name": "x", "ph": "E", "ts": 99, "pid": 4711, "tid": 7, "args": ' + '{"a":' * 50 + "1" + "}" * 51, '{"name": "never begun", "ph": "E", "ts": 99, "pid": 4711, "tid": 7}']
    for k, b in enumerate(bad):
        lines.insert(5 * k + 3, b)
    s = taken("a.pfw", "[\n" + "".join(f"{x}\n" for x in lines))
    same(told(s), truth(calls))
    equal([p for p, _ in rejects(s)], [5 * k + 5 for k in range(len(bad))], rejects(s))


@test
def broken_off_in_mid_event():
    """A process is killed, and the next one appends behind what it left."""
    a, b = program(rng(), calls=20), program(rng(), calls=40)[20:]
    b = [c._replace(parent=None) for c in b if c.parent is None]
    left = "[\n" + "".join(f"{x},\n" for x in whole(a)) + '{"name": "solve", "ph": "X", "ts": 17'
    s = taken("a.pfw", left + "".join(f"{x},\n" for x in whole(b)))
    equal(len(told(s)), len(a) + len(b))
    equal(len(rejects(s)), 1, rejects(s))


@test
def a_growing_file():
    calls = program(rng())
    text = "[\n" + "".join(f"{x},\n" for x in whole(calls))
    for part in (.3, .7, 1):
        s = taken("a.pfw", text[:int(len(text) * part)])
    same(told(s), truth(calls))
    equal(rejects(s), [], "rejects")
    again = imported(path("a.pfw"), store="s.db")
    check("0 new spans, 0 events" in again.out, again)
    shutil.copy(path("a.pfw"), path("b.pfw"))
    for _ in range(2):  # a copy says the same again, and that is told once; when the original goes, it stays
        same(told(imported(path("b.pfw"), store="s.db").store), truth(calls))
        equal(query(s, "SELECT count(*) FROM events WHERE type IN ('begin', 'end')"), [(2 * len(calls),)])
        spanloom("forget", path("a.pfw"), "-d", s, code=(0, 1))


@test
def kept_once():
    """What the calls of a name have in common has one row of a source; it goes with what told it, and comes back."""
    calls = program(rng())
    lines = [event(c, "X", us(c.begin), dur=us(c.end - c.begin), **({"args": '{"n": %d}' % i} if i % 3 == 0 else {})) for i, c in enumerate(calls)]
    lines.append('{"name": "process_name", "ph": "M", "pid": 4711, "args": {"name": "prog"}}')
    put("a.pfw", array(lines[:100]))
    put("b.pfw", array(lines))
    names = lambda some: len({c.name for c in some})
    rows = lambda s, table: query(s, f"SELECT count(*) FROM {table}")[0][0]
    values = "SELECT s.type, s.key, a.name, a.value, a.place, r.path FROM spans s JOIN attributes a ON a.span = s.id JOIN sources r ON r.id = a.source ORDER BY 1, 2, 3, 4, 5, 6"
    of_calls = "(SELECT span FROM sl_attr EXCEPT SELECT id FROM spans WHERE type <> 'trace.call')"

    s = imported(path("b.pfw"), store="s.db").store
    sound(s)
    equal((rows(s, "sl_alike"), rows(s, of_calls)), (names(calls), len(calls[::3])))
    records = query(s, "SELECT count(*) FROM (SELECT DISTINCT span, source, place FROM attributes)")[0]
    check(re.search(rf"records with attributes +{records[0]}\n", spanloom("info", "-d", s).out), records)
    once = query(s, values)
    got = query(s, "SELECT a.name, a.value, count(*) FROM attributes a JOIN spans s ON s.id = a.span AND s.type = 'trace.call' WHERE a.name <> 'n' GROUP BY 1, 2")
    equal(sorted(got), sorted([("category", "c", len(calls)), *(("name", name, n) for name, n in collections.Counter(c.name for c in calls).items())]))

    both = imported(path("a.pfw"), path("b.pfw"), store="both.db").store
    other = imported(path("b.pfw"), store="other.db").store
    imported(path("a.pfw"), store=other)
    same(query(both, values), query(other, values))
    for store in (both, other):
        spanloom("forget", "-d", store, path("a.pfw"))
        sound(store)
        same(query(store, values), once)
    spanloom("forget", "-d", s, path("b.pfw"))
    equal((rows(s, "sl_alike"), rows(s, "attributes")), (0, 0))
    imported(path("b.pfw"), store=s)
    same(query(s, values), once)
    put("b.pfw", array(lines[:120]))  # another version of it
    imported(path("b.pfw"), store=s)
    same(query(s, values), query(imported(path("b.pfw"), store="new.db").store, values))
    sound(s)


@test
def names_that_are_all_different():
    """What is alike is kept once up to a number, so that nobody's names fill memory."""
    n = 65540
    s = taken("a.pfw", array(f'{{"name": "f{i}", "ph": "X", "pid": 1, "tid": 1, "ts": {i}.5, "dur": 0.25}}' for i in range(n)))
    equal(query(s, "SELECT (SELECT count(*) FROM sl_alike), (SELECT count(*) FROM sl_attr WHERE span IN (SELECT id FROM spans WHERE type = 'trace.call'))"), [(65536, 4)])
    equal(query(s, "SELECT count(*) FROM spans s JOIN attributes a ON a.span = s.id AND a.name = 'name' AND a.value = s.key WHERE s.type = 'trace.call'"), [(n,)])


@test
def a_living_process():
    """Its file is a shared mapping: neither size nor time tells that there is more in it."""
    exe = compiled("""
        static void step(int n) { SPANLOOM_SPAN("step"); sl_arg_int("n", n); }
        int main(void)
        {
            char line[10];
            SPANLOOM_SPAN("main");
            for (int n = 0; fgets(line, sizeof line, stdin) && *line != 'e'; n++) {
                if (*line == 'f')
                    for (int k = 0; k < 50000; k++)
                        step(n);
                else
                    step(n);
                puts(line);
                fflush(stdout);
            }
            return 0;
        }""")
    for how in ("killed", "ended"):
        os.mkdir(path(how))
        p = subprocess.Popen([exe], cwd=path(how), env=bare_environment(), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            seen = []
            for line in ("s\n", "s\n", "s\n", "f\n"):
                p.stdin.write(line)
                p.stdin.flush()
                p.stdout.readline()
                p.stdout.readline()
                s = imported(path(how), store=f"{how}.db").store
                seen.append(query(s, "SELECT count(*) FROM spans WHERE type = 'trace.call'")[0][0])
                check("0 new spans, 0 events" in imported(path(how), store=f"{how}.db").out, "imported again at once")
            equal(seen, [2, 3, 4, 50004], f"{how}: calls while it lives")
            p.stdin.write("s\n" if how == "killed" else "s\ne\n")
            p.stdin.flush()
            p.stdout.readline()
            p.stdout.readline()
        finally:
            if how == "killed":
                p.kill()
            p.wait()
        equal(len(files("*.slt" if how == "killed" else "*.pfw", path(how))), 1, f"what was {how} left")
        s = imported(path(how), store=f"{how}.db").store
        fresh = imported(path(how), store=f"{how}-fresh.db").store
        equal(len(told(s)), len(told(fresh)), how)
        same(told(s), told(fresh))
        for what in ("""s.type, s.key, e.type, e.time_ns FROM spans s JOIN events e ON e.span = s.id""",
                     """s.type, s.key, a.name, a.value FROM spans s JOIN attributes a ON a.span = s.id"""):
            same(query(s, f"SELECT {what} ORDER BY 1, 2, 3, 4"), query(fresh, f"SELECT {what} ORDER BY 1, 2, 3, 4"))
        balanced(s)


@test
def what_never_ended():
    calls = program(rng(), calls=90)
    lines = begins_and_ends(calls)
    cut_at = 40
    s = taken("a.pfw", "[\n" + "".join(f"{x},\n" for x in lines[:cut_at]))
    opened = sum('"B"' in x for x in lines[:cut_at]) - sum('"E"' in x for x in lines[:cut_at])
    equal(query(s, "SELECT count(*) FROM attributes WHERE name = 'unfinished' AND span IN (SELECT id FROM spans WHERE type = 'trace.call')"), [(opened,)])
    equal(sum(not t[3] for t in told(s)), opened)
    if opened:
        equal(query(s, "SELECT value FROM attributes WHERE name = 'unfinished' AND span IN (SELECT id FROM spans WHERE type = 'trace.process')"), [(opened,)])


@test
def many_processes_and_ids():
    """The same asynchronous id in each process; an id that begins in one and ends in another; local and global ids."""
    e = lambda ph, name, pid, ts, **more: json.dumps({"ph": ph, "name": name, "cat": "c", "pid": pid, "tid": 1, "ts": ts, **more})
    lines = [e("b", "req", p, 100 + p, id=1) for p in (1, 2, 3)] + [e("n", "mid", p, 200 + p, id=1) for p in (1, 2, 3)]
    lines += [e("e", "req", p, 300 + p, id=1) for p in (3, 1, 2)]
    lines += [e("b", "far", 1, 400, id="0xf"), e("e", "far", 2, 450, id="0xf")]
    lines += [e("b", "l", 1, 500, id2={"local": "7"}), e("e", "l", 2, 510, id2={"local": "7"}), e("e", "l", 1, 520, id2={"local": "7"})]
    lines += [e("b", "g", 1, 600, id2={"global": "7"}), e("e", "g", 2, 610, id2={"global": "7"})]
    lines += [e("S", "old", 1, 700, id="a"), e("T", "old", 1, 710, id="a", args={"step": "half"}), e("F", "old", 1, 720, id="a")]
    s = taken("a.pfw", array(lines))
    got = query(s, """SELECT p.value, a.key, (SELECT time_ns FROM events WHERE span = a.id AND type = 'begin') / 1000,
        (SELECT time_ns FROM events WHERE span = a.id AND type = 'end') / 1000 FROM spans a JOIN attributes p ON p.span = a.parent AND p.name = 'pid'
        WHERE a.type = 'trace.async' ORDER BY 3""")
    same([f"{p} {k} {b} {x}" for p, k, b, x in got],
         ["1 req 1 101 301", "2 req 1 102 302", "3 req 1 103 303", "1 far 0xf 400 450", "1 l 7 500 520", "1 g 7 600 610", "1 old a 700 720"])
    equal([why for _, why in rejects(s)], ["the end of an asynchronous span without a begin"])
    equal(query(s, "SELECT time_ns / 1000 FROM events WHERE type IN ('mid', 'half') ORDER BY 1"), [(201,), (202,), (203,), (710,)])


@test
def flows():
    e = lambda ph, name, tid, ts, **more: json.dumps({"ph": ph, "name": name, "cat": "c", "pid": 1, "tid": tid, "ts": ts, **more})
    lines = [e("X", "make", 1, 100, dur=50), e("s", "data", 1, 110, id=5), e("X", "step", 2, 200, dur=50), e("t", "data", 2, 210, id=5),
             e("X", "use", 3, 300, dur=50), e("f", "data", 3, 300, id=5, bp="e"), e("X", "late", 1, 400, dur=9), e("f", "data", 1, 390, id=5),
             e("f", "data", 1, 395, id=6), e("s", "none", 9, 100, id=1)]
    s = taken("a.pfw", array(lines))
    got = query(s, "SELECT a.key, b.key FROM links l JOIN spans a ON a.id = l.left_span JOIN spans b ON b.id = l.right_span WHERE l.kind = 'flow' ORDER BY 1, 2")
    equal(sorted(got), [("make", "step"), ("step", "late"), ("step", "use")])
    equal(sorted(why for _, why in rejects(s)), ["a flow that no call is around", "a flow without a beginning"])


@test
def counters():
    e = lambda name, ts, args, **more: json.dumps({"ph": "C", "name": name, "pid": 1, "tid": 1, "ts": ts, "args": args, **more})
    lines = [e("cpu_usage", 1, {"value": 7.5}), e("mem", 2, {"mem": 3}), e("net", 3, {"in": 1, "out": 2}), e("q", 4, {"value": 1}, id=2),
             e("f", 5, {"cpu_usage": 99.5, "memory_usage": 5000}), e("text", 6, {"value": "12"}), e("bad", 7, {"value": "x"}), e("none", 8, {})]
    s = taken("a.pfw", array(lines))
    equal(query(s, "SELECT metric, value, time_ns FROM samples ORDER BY time_ns, metric"),
          [("cpu_usage", 7.5, 1000), ("mem", 3, 2000), ("net.in", 1, 3000), ("net.out", 2, 3000), ("q[2]", 1, 4000), ("f.cpu_usage", 99.5, 5000),
           ("f.memory_usage", 5000, 5000), ("text", 12, 6000)])
    equal(len(rejects(s)), 2, rejects(s))


@test
def arguments():
    args = {"n": 3, "deep": {"a": [1, {"b": "x"}]}, "name": "clash", "_kind": "odd", "": "empty", "nothing": None, "t": True, "ü": "ß\n\u0001", "big": 12345678901234567890,
            "path": "C:\\dir", "pid": 99}
    s = taken("a.pfw", array([json.dumps({"ph": "B", "name": "f", "pid": 1, "tid": 1, "ts": 1, "args": args}),
                              json.dumps({"ph": "E", "name": "f", "pid": 1, "tid": 1, "ts": 2, "args": {"n": 4, "result": 1}})]))
    got = dict(query(s, "SELECT name, value FROM attributes WHERE span = (SELECT id FROM spans WHERE type = 'trace.call')"))
    for k, v in {"n": 4, "result": 1, "deep.a.0": 1, "deep.a.1.b": "x", "args.name": "clash", "args._kind": "odd", "t": "true", "path": "C:\\dir", "args.pid": 99, "ü": "ß\n\u0001"}.items():
        equal(got.get(k), v, k)
    check("nothing" not in got, got)


# ---- real ones, against Python

def events_of(file):
    """As lenient as needed for the real files here."""
    with open(file, "rb") as f:
        text = f.read().decode()
    if text.startswith("{"):
        return json.loads(text)["traceEvents"]
    return [json.loads(x.rstrip(",\n")) for x in text.splitlines() if x.strip(",\n ") not in ("[", "]", "{}", "{}]", "")]


REAL = sorted(f for f in os.listdir(DATA))


@cases(*REAL)
def real_trace(file):
    s = imported(f"{DATA}/{file}").store
    balanced(s)
    events = events_of(f"{DATA}/{file}")
    count = collections.Counter(e["ph"] for e in events)
    sums = [e for e in events if e["name"].startswith("Total ") and "avg ms" in e.get("args", {})]  # clang's, no calls
    equal((len(sums) > 0, query(s, "SELECT count(*) FROM spans WHERE type = 'trace.call' AND key LIKE 'Total %'")), (file == "clang.json", [(0,)]), "sums")
    begun = count["X"] + count["B"] - len(sums)
    equal(len(told(s)), begun, "calls")
    lasts = collections.Counter()
    for e in events:
        if e["ph"] == "X" and e not in sums:
            lasts[str(e["tid"]), e["name"], round(float(e["dur"]) * 1000)] += 1
    base = None
    got = collections.Counter()
    for tid, key, begin, end, parent in told(s):
        if count["B"] == 0:
            got[tid, re.sub(r"#\d+$", "", key), end - begin] += 1
    if count["B"] == 0:
        equal(got, lasts, "durations")
    equal(query(s, "SELECT count(*) FROM spans WHERE type = 'trace.async'"), [(count["b"],)], "asynchronous spans")
    # a call lies in one that is around it, give or take the rounding of its times
    for inner, outer in query(s, """SELECT c.id, o.id FROM links l JOIN spans c ON c.id = l.right_span JOIN spans o ON o.id = l.left_span
                                   WHERE c.type = 'trace.call' AND o.type = 'trace.call' AND l.kind = 'in'"""):
        (b, e), (B, E) = (query(s, f"SELECT min(time_ns), max(time_ns) FROM events WHERE span = {x}")[0] for x in (inner, outer))
        check(B <= b and e <= E + 1000 or query(s, f"SELECT 1 FROM attributes WHERE span = {outer} AND name = 'unfinished'"), inner, outer, B, b, e, E)


# ---- across processes

TRACED = f"{ROOT}/tests/data/parsl-2026-traced/runinfo"


def above(store, type, like):
    """{key of a span: keys of the tasks of workers that contain it, however far above}"""
    rows = query(store, """WITH RECURSIVE up(x, y) AS (SELECT id, id FROM spans WHERE type = ?1 AND key LIKE ?2 UNION
        SELECT up.x, l.left_span FROM up JOIN links l ON l.right_span = up.y AND l.kind = 'in')
        SELECT c.key, ifnull(group_concat(o.key), '') FROM up JOIN spans c ON c.id = up.x
        LEFT JOIN spans o ON o.id = up.y AND o.type = 'parsl.rundir.task' GROUP BY up.x ORDER BY 1""", type, like)
    return dict(rows)


@test
def calls_lie_in_the_try_that_ran_them():
    """Bash apps 0..2 trace step_0..2; Python apps 0..3 are tasks 3..6, and the worker that ran them traced app_0..3."""
    files = sorted(os.path.join(d, f) for d, _, names in os.walk(TRACED) for f in names)
    want = {f"step_{i}": str(i) for i in range(3)} | {f"app_{i}": str(i + 3) for i in range(4)}
    s = imported(TRACED).store
    for _ in range(2):
        got = above(s, "trace.call", "step%") | above(s, "trace.call", "app%")
        same([f"{k} {v}" for k, v in sorted(got.items())], [f"{k} {v}" for k, v in sorted(want.items())])
        files = sorted(files, key=lambda f: f[::-1])  # once more, one by one, in another order
        s = path("one.db")
        for f in files:
            spanloom("import", "--quiet", "-d", s, f, code=(0, 1))


def process(pid, host="n1", start=100, end=900, calls=(), **facts):
    """A .pfw as our runtime makes it; calls: (name, begin, end, args of the end)."""
    ns = lambda t: str(BASE + t * 1000)
    lines = [json.dumps({"name": "spanloom", "ph": "M", "pid": pid, "tid": pid, "args": {"version": 1, "hostname": host, "pid": pid, "start_ns": ns(start), "end_ns": ns(end),
                                                                                        "ended": True, "lost": 0, **facts}})]
    for tid, name, begin, end, args in calls:
        lines += [json.dumps({"name": name, "cat": "c", "ph": "X", "pid": pid, "tid": tid, "ts": BASE // 1000 + begin, "dur": end - begin, "args": args})]
    put(f"{host}.{pid}.{start}.pfw", array(lines))


def lies_in(store):
    rows = query(store, """SELECT b.key, a.type, a.key, l.rule, l.confidence FROM links l JOIN spans a ON a.id = l.left_span JOIN spans b ON b.id = l.right_span
        WHERE b.type = 'trace.process' AND l.kind = 'in' ORDER BY 1""")
    return {b.partition("@")[0]: (t.rpartition(".")[2], a.partition("@")[0], rule, c) for b, t, a, rule, c in rows}


@test
def processes_lie_in_what_started_them():
    inner = [(1, "main", 110, 890, {}), (1, "launch", 200, 400, {"span_id": "00000000000000aa"}), (1, "wait", 500, 600, {})]
    process(1, calls=inner, span_id="0000000000000001", instance_path="j")
    process(2, start=250, end=300, ppid=1, parent_id="00000000000000aa", instance_path="j.k")  # in the call that says so
    process(3, start=550, end=580, parent_id="0000000000000001", ppid=99)           # in the process: in what it did then
    process(4, start=520, end=530, ppid=1)                                          # without TRACEPARENT
    process(5, host="n2", start=520, end=530, ppid=1)                               # another machine
    process(6, host="n2", start=521, end=530, instance_path="j.x")                  # the path alone
    process(7, start=950, end=960, ppid=1)                                          # its parent was over: another of that number
    process(8, start=10, end=20, ppid=2)                                            # earlier than its parent
    process(9, start=260, end=270, ppid=2)                                          # in the grandchild
    process(10, host="n3", start=100, end=900, instance_path="two")
    process(11, host="n4", start=100, end=900, instance_path="two")
    process(12, host="n5", start=200, end=300, instance_path="two.x")               # of two, which?
    process(13, start=300, end=800, calls=[(1, "a", 310, 700, {}), (2, "b", 310, 700, {})])
    process(14, start=400, end=410, ppid=13)                                        # two threads were at work
    want = {"n1:2": ("call", "launch", "trace.parent", 1), "n1:3": ("call", "wait", "trace.parent", 1), "n1:4": ("call", "wait", "trace.ppid", .9),
            "n2:6": ("process", "n1:1", "trace.instance", .8), "n1:9": ("process", "n1:2", "trace.ppid", .9), "n1:14": ("process", "n1:13", "trace.ppid", .9)}
    files = sorted(f for f in os.listdir(path("")) if f.endswith(".pfw"))
    s = imported(*(path(f) for f in files)).store
    equal(lies_in(s), want)
    equal(query(s, "SELECT count(*) FROM sl_doubt"), [(2,)], "doubts")
    r = rng()
    for n in range(3):
        r.shuffle(files)
        for f in files:
            imported(path(f), store=f"o{n}.db")
        equal(lies_in(path(f"o{n}.db")), want, files)
    spanloom("unbind", "-d", s, "trace.instance")
    check("n2:6" not in lies_in(s), "unbound")
    spanloom("bind", "-d", s, "trace.instance")
    equal(lies_in(s), want, "bound again")


@test
def logs_of_workers_with_whole_milliseconds():
    """Parsl of 2023 and 2025 cuts times: a call that was over in the millisecond in which its task ended, came after it."""
    folder = path("runinfo/000/htex/block-0/ab12cd34ef56")
    os.makedirs(folder)
    calls = [("short", 11371, 11387), ("long", 16100, 54900), ("next", 56200, 96000), ("either", 99500, 99600), ("outside", 120000, 130000)]
    tasks = [(1, 10, 11), (2, 15, 55), (3, 55, 97), (4, 98, 99), (5, 99, 99)]
    stamp = lambda ms: (datetime.datetime.fromtimestamp(BASE // 10**9, datetime.timezone.utc) + datetime.timedelta(milliseconds=ms)).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    lines = [f"{stamp(t)} parsl.executors.high_throughput.process_worker_pool:600 31 MainThread [INFO]  {text}" for t, text in
             [(0, "Worker 0 started")] + [x for k, b, e in tasks for x in ((b, f"Received executor task {k}"), (e, f"Completed executor task {k}"),
                                                                          (e, f"All processing finished for executor task {k}"))]]
    with open(f"{folder}/worker_0.log", "w") as f:
        f.write("\n".join(lines) + "\n")
    process(31, start=5000, end=200000, calls=[(1, *c, {}) for c in calls], **{"env.PARSL_WORKER_POOL_ID": "ab12cd34ef56", "env.PARSL_WORKER_RANK": "0"})
    s = imported("runinfo", *[f for f in os.listdir(path()) if f.endswith(".pfw")]).store
    equal(query(s, """SELECT c.key, t.key FROM links l JOIN spans c ON c.id = l.right_span JOIN spans t ON t.id = l.left_span
        WHERE l.rule = 'trace.worker' ORDER BY 2"""), [("short", "1"), ("long", "2"), ("next", "3")], "calls and their tasks")


@test
def sandboxes_and_jobs():
    """A process knows the sandbox of Work Queue that it ran in, and its Slurm job."""
    data = f"{ROOT}/tests/data/workqueue-bare"
    s = imported(data).store
    task, begin = query(s, """SELECT t.key, e.time_ns FROM spans t JOIN events e ON e.span = t.id AND e.type = 'RUNNING' WHERE t.type = 'workqueue.task'
        AND (SELECT count(*) FROM spans x WHERE x.type = t.type AND x.key = t.key) = 1 ORDER BY 2 LIMIT 1""")[0]
    process(5, start=(begin - BASE) // 1000 + 1000, end=(begin - BASE) // 1000 + 2000, **{"env.WORK_QUEUE_SANDBOX": f"/w/worker-1/t.{task}"})
    jobs = imported(f"{ROOT}/tests/data/slurm", store=s).store
    job, = query(jobs, "SELECT key FROM spans WHERE type = 'slurm.job' ORDER BY key LIMIT 1")[0]
    process(6, start=7, end=9, **{"env.SLURM_JOB_ID": job})
    for f in sorted(f for f in os.listdir(path("")) if f.endswith(".pfw")):
        imported(path(f), store=s)
    equal(lies_in(s), {"n1:5": ("task", task, "trace.sandbox", .9), "n1:6": ("job", job, "trace.job", .9)})


@test
def flux_jobs():
    """A process knows its Flux job: by number, or as people read it (RFC 19), of those of that id the one that ran then."""
    alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
    f58 = lambda n: f58(n // 58) + alphabet[n % 58] if n else ""
    equal([f58(1234), f58(6731191091817518)], ["NH", "uZZybuNNy"], "of RFC 19")
    first, second = 6731191091817518, 2**53 + 1
    ids = {"monday": [(first, 100, 200), (second, 300, 400)], "tuesday": [(first, 1100, 1200)]}
    for folder, jobs in ids.items():
        os.mkdir(path(folder))
        with open(path(folder, "flux-jobs.json"), "w") as f:
            json.dump({"jobs": [{"id": i, "t_submit": BASE / 1e9 + b - 1, "t_run": BASE / 1e9 + b, "t_cleanup": BASE / 1e9 + e, "t_inactive": BASE / 1e9 + e,
                                 "name": folder} for i, b, e in jobs]}, f)
    for pid, start, value in ((5, 110, "ƒ" + f58(first)), (6, 310, "f" + f58(second)), (7, 1110, str(first)), (8, 500, "ƒ" + f58(first)), (9, 110, "ƒO0"), (10, 110, "s")):
        process(pid, start=start * 10**6, end=(start + 5) * 10**6, **{"env.FLUX_JOB_ID": value})
    s = imported(path("monday"), path("tuesday"), *[path(f) for f in sorted(os.listdir(path(""))) if f.endswith(".pfw")]).store
    equal(sorted(query(s, """SELECT substr(c.key, 1, instr(c.key, '@') - 1), j.key, (SELECT value FROM attributes WHERE span = j.id AND name = 'name')
        FROM links l JOIN spans c ON c.id = l.right_span JOIN spans j ON j.id = l.left_span WHERE l.rule = 'trace.flux'""")),
          [("n1:5", str(first), "monday"), ("n1:6", str(second), "monday"), ("n1:7", str(first), "tuesday")])


main()
