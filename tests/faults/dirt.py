#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dirty logs: what can be used is used, the rest is rejected by name, line and reason, and everything is counted.

Longer than 600 lines: each kind of dirt is a short test of its own, and they share the helpers at the top.
"""
import csv
import io
import os
import resource
import shutil
import socket
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

MB = 1 << 20
NAMES = {os.path.basename(log): log for log in LOGS}


def as_json(log, data):
    """The log as JSONLogging would have written it."""
    out = []
    for head, text in records(data):
        s, us, _, process, pid, thread, tid, module, number, function, level = (x.decode() for x in head.groups())
        out.append(json.dumps({"created": float(f"{s}.{us}"), "process": int(pid), "processName": process, "threadName": thread,
                               "thread": int(tid), "name": module, "lineno": int(number), "funcname": function,
                               "levelname": level, "msg": "%s", "formatted": text}))
    return "".join(x + "\n" for x in out).encode()


def records(data):
    """[(head, text)]: this test's own reading of where records begin."""
    found = []
    for line in data.splitlines():
        m = HEAD.match(line)
        if m:
            found.append([m, line[m.end():]])
        elif found:
            found[-1][1] += b"\n" + line
    return [(m, text.decode(errors="replace")) for m, text in found]


HEAD = re.compile(rb"(\d{10})\.(\d{6}) (\S+ \S+) (\S+)-(\d+) (\S+)-(\d+) ([\w.]+):(\d+) (\S+) ([A-Z]+): ")


def tail(log, n=12):
    """The first and some of the last lines of a log: small, whole records, the last of which says something."""
    says = re.compile(rb": (Task \d+ changing state|Removing task \d|Got executor tasks: \[\d|All processing finished)")
    data = read(log)
    heads = [m.start() for m in re.finditer(rb"(?m)^\d{10}\.\d{6} ", data)] + [len(data)]
    while not says.search(data, heads[-2], heads[-1]):
        heads.pop()
    return data[:heads[1]] + data[heads[-1 - n]:heads[-1]]


def alone(log, data, name="runinfo", store=None, **more):
    """Import one log alone in a fresh run directory (monitoring.db is left out) into a fresh store."""
    file = write(path(name, "000", log), data)
    return imported(file, store=store or f"{name}.db", **more), file


def counts(store, file):
    rows = query(store, "SELECT records, used, skipped, rejected FROM sources WHERE path LIKE ? AND replaced_by IS NULL", "%" + file[-40:])
    check(len(rows) == 1, f"{len(rows)} sources for {file}")
    return rows[0]


def rejects(store):
    return query(store, "SELECT path, place, reason, text FROM rejects ORDER BY path, place")


def head(text, epoch="1795162300.000001"):
    return f"{epoch} 2026-11-20 08:11:40 HTEX-Worker-0-2670 MainThread-1400 parsl.x:1 worker INFO: {text}\n".encode()


# ---- counts

@test
def counts_of_the_clean_run():
    """Records are what begins with a head, or rows; each has an outcome."""
    s = imported(EXAMPLE).store
    for log in LOGS:
        n, used, skipped, rejected = counts(s, f"/000/{log}")
        equal(n, len(records(read(log))), f"records of {log}")
        equal(rejected, 0, f"rejected of {log}")
    db = sqlite3.connect(f"file:{EXAMPLE}/{DB}?mode=ro", uri=True)
    for part, n in query(s, "SELECT part, records FROM sources WHERE part IS NOT NULL"):
        equal(n, db.execute(f"SELECT count(*) FROM {part}").fetchone()[0], f"rows of {part}")


@cases(*LOGS)
def every_other_line_is_dirt(log):
    """Junk between the lines continues the record before it: no event is lost, and the counts hold."""
    junk = [b"", b"\x00\x01\x02", b"\xff\xfe", b"   ", b"}{", b"1795162300", b"Traceback (most recent call last):", b"\r", b"x" * 5000]
    r = rng()
    lines = cut(read(log), .1).splitlines(keepends=True)
    dirty = b"".join(x + r.choice(junk) + b"\n" for x in lines)
    clean, _ = alone(log, b"".join(lines), "clean")
    got, file = alone(log, dirty, "dirty")
    keep = lambda s: [x.replace("/dirty/", "/clean/") for x in dump(s) if not x.startswith("attr ")]
    same(keep(got.store), keep(clean.store))
    equal(counts(got.store, file)[0], len(records(b"".join(lines))), "records")


# ---- the cut last line

def cut_everywhere(log, data, text=True):
    """Runs 0000, 0001, ...: the log cut after so many bytes of its last line; each is another run, by the time of its first record."""
    begin = data.rfind(b"\n", 0, len(data) - 1) + 1
    line = data.count(b"\n", 0, begin) + 1
    length = len(data) - begin
    for k in range(length + 1):
        stamp = b"1795100000.%06d" % k
        start = stamp + data[len(stamp):begin] if text else data[:begin].replace(data[12:29], stamp, 1)
        write(path(f"runinfo/{k:04}", log), start + data[begin:begin + k])
    store = imported(path("runinfo")).store
    said = {k: [] for k in range(length + 1)}
    for x in dump(store):
        k = re.search(r"/runinfo/(\d{4})", x)[1]
        said[int(k)].append(re.sub(r" 17951000000?\d*", " FIRST", x.replace(f"/runinfo/{k}", "")))
    bad = {int(re.search(r"/runinfo/(\d{4})/", p)[1]): (place, text) for p, place, _, text in rejects(store)}
    counted = {int(re.search(r"/runinfo/(\d{4})/", p)[1]): n for p, *n in query(store, "SELECT path, records, used, skipped, rejected FROM sources")}
    n = counted[0]
    check(said[0] and n[0] > 2, f"too little was read: {n}, {said[0]}")
    check(len(said[length]) > len(said[0]), "the last line says nothing")
    equal(sorted(bad), list(range(1, length)), "the runs with a reject")
    for k in range(1, length):
        same(said[k], said[0], f"cut after {k} of {length} bytes")
        equal(bad[k][0], line, f"the line of the reject, cut after {k} of {length} bytes")
        check(bad[k][1] and data[begin:begin + k].decode().startswith(bad[k][1][:20]), bad[k])
        equal(counted[k], [n[0] + 1, n[1], n[2], n[3] + 1], "counts")
    equal(counted[length][0], n[0] + 1, "records of the whole log")
    whole_log, _ = alone(log, data, "whole")
    equal(len(said[length]), len(dump(whole_log.store)), "things said of the whole log")


@cases(*LOGS)
def cut_at_every_byte_of_the_last_line(log):
    data = tail(log)
    cut_everywhere(log, data)
    for k in rng().sample(range(data.rfind(b"\n", 0, len(data) - 1) + 2, len(data)), 5):  # and some of them alone
        r, file = alone(log, data[:k], f"alone{k}")
        equal(len(rejects(r.store)), 1, "rejects")


@cases(*LOGS)
def json_cut_at_every_byte_of_the_last_line(log):
    cut_everywhere(log[:-4] + ".jsonlog", as_json(log, tail(log, 4)), text=False)


@test
def json_says_the_same_as_text():
    small_run(path("text"))
    want = dump(imported(path("text"), store="text.db").store)
    small_run(path("json"))
    for log in LOGS:
        file = path("json/000", log)
        with open(file, "rb") as f:
            write(file[:-4] + ".jsonlog", as_json(log, f.read()))
        os.remove(file)
    s = imported(path("json")).store
    # a double holds a Unix time to a quarter of a microsecond
    near = lambda lines: [re.sub(r"^(event .* )(\d{15,19})( .*)$", lambda m: f"{m[1]}{round(int(m[2]), -3)}{m[3]}", x) for x in lines]
    same(sorted(near(dump(s))), sorted(near(want)))


@test
def json_dirt():
    good = as_json(WORKER0, cut(read(WORKER0), .1)).splitlines()
    dirt = [b"", b"{}", b"[]", b"null", b"3", b"\"text\"", b"{\"created\": 1}", b"{\"formatted\": \"Received executor task 5\"}",
            b"{\"created\": \"x\", \"formatted\": \"Received executor task 5\"}", b"{\"created\": null, \"formatted\": null}",
            b"{\"created\": 1e400, \"formatted\": \"Received executor task 5\"}", b"not json", b"{\"a\": {\"b\": [1, 2, {}]}}", b"{" * 5000,
            b"[" * 100000, b"{\"created\": 1795162300.5, \"formatted\": [1, 2]}", b"{\"created\": 1795162300.5, \"formatted\": \"\\ud800\"}",
            b"{\"created\": 1795162300.5, \"created\": 1795162301.5, \"formatted\": \"Received executor task 77\"}", b"\xff\xfe{}", b"{\"x\": \"\x00\"}",
            b"{\"created\": 1795162300.5} {\"created\": 1795162300.5}", b"{\"created\": 1795162300.5,", b"\xef\xbb\xbf{}"]
    log = WORKER0[:-4] + ".jsonlog"
    clean, _ = alone(log, b"\n".join(good) + b"\n", "clean")
    mixed = [y for i, x in enumerate(good) for y in ((dirt[i], x) if i < len(dirt) else (x,))]
    check(len(good) > len(dirt), "too few lines")
    got, file = alone(log, b"\n".join(mixed) + b"\n", "dirty")
    lost = {x for x in dump(clean.store)} - {x.replace("/dirty/", "/clean/") for x in dump(got.store)}
    check(not lost, f"lost: {sorted(lost)[:5]}")
    n = counts(got.store, file)
    check(n[0] >= len(good) + len(dirt) - 2, f"{n} for {len(good)} good and {len(dirt)} bad lines")


# ---- bytes that should not be there

@cases(*LOGS)
def crlf(log):
    data = cut(read(log), .1)
    unix, _ = alone(log, data, "unix")
    dos, _ = alone(log, data.replace(b"\n", b"\r\n"), "dos")
    same([x.replace("/dos/", "/unix/").replace("\\r", "") for x in dump(dos.store, places=True)], dump(unix.store, places=True))
    equal(rejects(dos.store), [], "rejects")


@test
def nul_bytes():
    lines = cut(read(WORKER0), .1).splitlines(keepends=True)
    plain, _ = alone(WORKER0, b"".join(lines), "plain")
    more = [b"\0" * 4096 + b"\n", head("Received executor task 3\0").replace(b"\n", b"") + b"\n", head("\0Received executor task 901"),
            head("Received executor task 9\x0002"), b"\0\n\0\n", head("Worker 0 started\0\0\0")]
    got, file = alone(WORKER0, b"".join(lines) + b"".join(more), "nul")
    lost = set(dump(plain.store)) - {x.replace("/nul/", "/plain/") for x in dump(got.store)}
    check(not lost, f"lost: {sorted(lost)[:5]}")
    check("worker.task=901 " not in "\n".join(dump(got.store)), "a message that begins with NUL was matched")
    text = spanloom("rejects", "-d", got.store).out + spanloom("sql", "-d", got.store, "select * from attributes").out
    check("\0" not in text, "NUL on the terminal")


@test
def a_hole_of_nul_bytes():
    """What a crash leaves of a file whose pages were not yet written."""
    lines = cut(read(WORKER0), .2).splitlines(keepends=True)
    data = b"".join(lines[:40]) + b"\0" * 100000 + b"".join(lines[40:])
    want = {x for x in dump(alone(WORKER0, b"".join(lines), "whole")[0].store)}
    got = {x.replace("/hole/", "/whole/") for x in dump(alone(WORKER0, data, "hole")[0].store)}
    check(len(want - got) <= 4, f"more than one record was lost: {sorted(want - got)[:8]}")


@test
def invalid_utf8():
    """It ends up as valid text, and programs can read what we print."""
    bad = b"\xff\xfe\xc3\x28\xed\xa0\x80\xf8\x88\xf0\x80\x80\x80"
    log = (head("Run id is: 3d9e0d70-39a8-4383-9c87-0c3e06c8c255") + head("Parsl version: 1.0@") + head("Task 1 submitted for App f@, not waiting")
           + head("Adding executor h@ of type t@") + head("Task 1 changing state from pending to launched@")
           + head("Parsl task 1 try 0 launched on executor h@ with executor id 1") + b"@ no head\n" + head("Task 2 submitted for App g, not waiting"))
    got, file = alone(PARSL, log.replace(b"@", bad) + b"@@@".replace(b"@", bad))
    everything = dump(got.store)  # sqlite3 would not decode what is no UTF-8
    check(any("task=1 app = 'f" in x for x in everything), "the app's name is gone")
    check(any("task=2 app = 'g'" in x for x in everything), "what follows is gone")
    for table in ("spans", "attributes", "rejects", "links", "sources", "events"):
        out = spanloom("sql", "-d", got.store, "--format", "json", f"select * from {table}", text=False).out
        json.loads(out.decode("utf-8"))
    for command in ("info", "types", "rejects"):
        json.loads(spanloom(command, "-d", got.store, "--format", "json", text=False).out.decode("utf-8"))


@test
def a_byte_order_mark():
    """It may cost the first record, which is then rejected, and no more."""
    data = cut(read(WORKER0), .1)
    plain, _ = alone(WORKER0, data, "plain")
    got, file = alone(WORKER0, b"\xef\xbb\xbf" + data, "marked")
    lost = set(dump(plain.store)) - {x.replace("/marked/", "/plain/") for x in dump(got.store)}
    events = sum(x.startswith("event ") for x in lost)  # a record has one, and what else it says goes with it
    check(events <= 1 and events == counts(got.store, file)[3], f"lost: {sorted(lost)[:5]}, counts {counts(got.store, file)}")


@cases(*LOGS)
def empty(log):
    """No records, no fault; the rest is imported."""
    small_run(path("runinfo"))
    os.remove(path("runinfo/000", log))
    imported(path("runinfo"), store="without.db")
    write(path("runinfo/000", log), b"")
    s = imported(path("runinfo")).store
    equal(counts(s, f"/000/{log}"), (0, 0, 0, 0), "counts")
    events = lambda s: [x for x in dump(s) if x.startswith("event ")]
    same(events(s), events(path("without.db")))


@test
def a_run_of_empty_files():
    for log in LOGS:
        write(path("runinfo/000", log), b"")
    r = imported(path("runinfo"))
    equal(query(r.store, "SELECT count(*) FROM events"), [(0,)], "events")
    equal(query(r.store, "SELECT count(*) FROM sources"), [(5,)], "sources")


@test
def only_line_ends():
    alone(PARSL, b"\n" * 10000)
    alone(WORKER0, b"\r\n" * 10000, "dos")
    alone(MANAGER, b"\r" * 10000, "mac", code=1)


@test
def what_is_no_log_makes_no_spans():
    """A name alone is no run: where nothing in a file is a record, it is said and nothing comes of its path, until it has grown."""
    junk = b"\n".join(rng().randbytes(60).replace(b"\n", b"") for _ in range(5000)) + b"\n"
    for name, data in (("junk", junk), ("few", junk[:200]), ("cut", b"x"), ("continued", b"  at line 1\n" * 3)):
        r, file = alone(PARSL, data, name, code=1)
        check("parsl.log: nothing in it is a record of parsl.log; rejected " in r.err, r)
        equal([query(r.store, f"SELECT count(*) FROM {t}")[0][0] for t in ("sl_span", "sl_ghost", "sl_root")], [0, 0, 0], name)
        check(rejects(r.store), "nothing was rejected")
        check("nothing in it is" in imported(path(name), store=f"{name}.db", code=1).err, "it is not said again")
        write(file, data + read(PARSL))
        want, _ = alone(PARSL, data + read(PARSL), name, store=f"{name}-fresh.db")
        same(dump(imported(path(name), store=f"{name}.db").store), dump(want.store))
    small_run(path("runinfo"), db=False)
    write(path("runinfo/000", WORKER0), junk)
    r = imported(path("runinfo"))
    check("worker_0.log: nothing in it is" in r.err, r)
    check(not any(p[-1] == ("parsl.executor.htex.worker", "0") and len(p) < 3 for p in paths(r.store).values()), "spans of the junk's path")
    for name, data in (("empty", b""), ("dull", head("Nothing that a rule is about"))):
        r, _ = alone(WORKER0, data, name)
        check(not r.err and any(p[-1] == ("parsl.executor.htex.worker", "0") for p in paths(r.store).values()), r)


@test
def garbage_under_known_names():
    """Two that are equal are no better than one; a script that sets no JOBNAME is none; and of no database nothing is imported."""
    noise = bytes(rng().randrange(256) for _ in range(3000))
    for name in ("a/parsl.log", "b/parsl.log", "c/submit_scripts/parsl.htex.block-0.1234.sh", "d/monitoring.db", "e/parsl_tracing.pickle"):
        os.makedirs(os.path.dirname(path(name)), exist_ok=True)
        write(path(name), noise)
    r = imported(path("a"), path("b"), store="s.db", code=1)
    equal(query(r.store, "SELECT count(*) FROM sl_span"), [(0,)])
    check("no recipe knows any file" in spanloom("import", "-d", "c.db", path("c"), code=1).err)
    check("monitoring.db: file is not a database; nothing of it was imported" in imported(path("d"), store="d.db", code=1).err)
    for data, words in ((noise, "this is no pickle"), (b"", "empty; no pickle was written here"), (b"\x80\x04]\x94.", "holds no dict of tables")):
        write(path("e/parsl_tracing.pickle"), data)
        r = imported(path("e"), store="e.db", code=1)
        check(words in r.err, r)
        equal(query(r.store, "SELECT count(*) FROM sl_span"), [(0,)], words)


@test
def binary_junk():
    small_run(path("runinfo"))
    junk = rng().randbytes(2 * MB)
    os.remove(path("runinfo/000", PARSL))
    want = {x for x in dump(imported(path("runinfo"), store="without.db").store) if x.startswith("event ")}
    for data in (junk, b"\x1f\x8b\x08\x00" + junk[:100000], b"\x7fELF" + bytes(100000), b"\n".join(junk[i:i + 50] for i in range(0, 100000, 50))):
        write(path("runinfo/000", PARSL), data)
        packed = data[:2] == b"\x1f\x8b" # damaged, which is an error
        s = imported(path("runinfo"), store=f"{len(data)}.db", code=int(packed)).store
        lost = want - {x for x in dump(s) if x.startswith("event ")}
        check(not lost, f"lost {len(lost)} events of the other files")
        n = counts(s, f"/000/{PARSL}")
        check(n[1] == 0 and n[3] > 0, f"records, used, skipped, rejected of junk: {n}")


# ---- values that should not be there

@test
def ids_that_are_no_integers():
    bad = ["", "x", "1.5", "-1", "+1", "0x10", "1e3", "99999999999999999999999999", "9223372036854775808", "１２", "1 2", "[1]", "NaN"]
    good = {"7": "7", "007": "7", "0": "0", "000": "0", "9223372036854775807": "9223372036854775807"}
    log = b"".join(head(f"Received executor task {x}") for x in bad + list(good)) + head("Received executor task 5")
    r, file = alone(WORKER0, log)
    n = counts(r.store, file)
    equal(n[0], len(bad) + len(good) + 1, "records")
    keys = {k for k, in query(r.store, "SELECT key FROM spans WHERE type = 'parsl.executor.htex.worker.task'")}
    check(keys >= set(good.values()) | {"5"}, f"keys {keys}")
    huge = [b for b in rejects(r.store) if "99999999999999999999999999" in (b[3] or "") + b[2] or "9223372036854775808" in (b[3] or "") + b[2]]
    equal(len(huge), 2, "rejected ids beyond 64 bits")
    check(all(b[2] and "integer" in b[2] for b in huge), huge)


@test
def a_record_is_used_whole_or_rejected_whole():
    """One bad id in a list of good ones."""
    log = head("Got executor tasks: [1, 2, 3], cumulative count of tasks: 3") + \
        head("Got executor tasks: [4, 99999999999999999999999, 6], cumulative count of tasks: 6")
    r, file = alone(MANAGER, log)
    keys = {k for k, in query(r.store, "SELECT key FROM spans WHERE type = 'parsl.executor.htex.manager.task'")}
    equal(keys, {"1", "2", "3"}, "manager tasks")
    n = counts(r.store, file)
    equal((n[1], n[3]), (1, 1), "used, rejected")


@test
def times_that_are_none():
    cases_ = [("0000000000.000000", 0), ("9999999999.999999", 9999999999999999000), ("1795162300.1", 1795162300100000000),
              ("1795162300.123456789", 1795162300123456789), ("1795162300.1234567890123", 1795162300123456789)]
    log = b"".join(head(f"Received executor task {i}", t) for i, (t, _) in enumerate(cases_))
    r, file = alone(WORKER0, log)
    got = dict(query(r.store, "SELECT s.key, e.time_ns FROM events e JOIN spans s ON s.id = e.span WHERE e.type = 'worker_received_task'"))
    for i, (t, want) in enumerate(cases_):
        if want > 9223372036854775807:
            check(str(i) not in got, f"{t} became {got.get(str(i))}")
        else:
            equal(got.get(str(i)), want, f"the time {t}")
    old = "{} worker_log:584 6014 MainThread [INFO]  Received executor task {}\n"
    stamps = ["2026-13-20 08:12:36.858", "2026-02-30 08:12:36.858", "2026-11-20 25:12:36.858", "2026-11-20 08:60:36.858", "0000-00-00 00:00:00.000",
              "9999-12-31 23:59:59.999", "2026-11-20 08:12:60.000", "1969-12-31 23:59:59.500", "2024-02-29 00:00:00.001", "2026-11-20 08:12:36.859"]
    r, file = alone(WORKER0, "".join(old.format(t, i) for i, t in enumerate(stamps)), "old")
    got = dict(query(r.store, "SELECT s.key, e.time_ns FROM events e JOIN spans s ON s.id = e.span WHERE e.type = 'worker_received_task'"))
    equal(got.get("9"), 1795162356859000000, "a good time after the bad ones")
    equal(got.get("8"), 1709164800001000000, "a leap day")
    for i in (0, 1, 2, 3, 4):
        check(str(i) not in got, f"{stamps[i]} became {got.get(str(i))}")
    bad = {b[1] for b in rejects(r.store)}
    check({1, 2, 3, 4, 5} <= bad, f"rejected lines {sorted(bad)}")


@test
def what_tasks_print_forges_nothing():
    """Lines of another program in a log, and messages that only contain what a recipe looks for."""
    log = (head("Worker 0 started") + head("note: Received executor task 801") + b"Received executor task 802\n"
           + b" 1795162300.000001 2026-11-20 08:11:40 HTEX-Worker-0-2670 MainThread-1400 parsl.x:1 worker INFO: Received executor task 803\n"
           + head("print\n" + head("Received executor task 804").decode()[1:].rstrip()) + head("Received executor task 5"))
    r, _ = alone(WORKER0, log)
    keys = {k for k, in query(r.store, "SELECT key FROM spans WHERE type = 'parsl.executor.htex.worker.task'")}
    equal(keys, {"5"}, "worker tasks")


@test
def a_record_of_very_many_lines():
    """A traceback of 200,000 lines is one record."""
    log = head("Task 1 try 0 failed with exception of type ValueError") + b"  File \"x.py\", line 1, in f\n" * 200000 + head("Task 2 submitted for App g, not waiting")
    r, file = alone(PARSL, log)
    n = counts(r.store, file)
    equal(n[0], 2, "records")
    check(any("rundir.task=2" in x for x in dump(r.store)), "what follows is gone")


# ---- files that cannot be read

def rest_imported(hide, r, message=True):
    """All but `hide` is as if that file were not there; the fault is named."""
    shown = r.err
    if message:
        check(hide in shown, f"the message does not name {hide}:\n{r}")
    small_run(path("without/runinfo"))
    os.remove(path("without/runinfo/000", hide) if hide != DB else path("without/runinfo", DB))
    without = dump(imported(path("without/runinfo"), store="without.db").store)
    events = lambda lines: [x for x in lines if x.startswith("event ")]
    same(events(dump(r.store)), events(without), f"all but {hide}")


@cases("worker_0.log", "parsl.log")
def a_directory_in_the_place_of_a_log(name):
    small_run(path("runinfo"))
    os.remove(path("runinfo/000", NAMES[name]))
    os.mkdir(path("runinfo/000", NAMES[name]))
    rest_imported(NAMES[name], imported(path("runinfo"), code=(0, 1)), message=False)


@cases("worker_0.log", "parsl.log", DB)
def a_dangling_link_in_the_place_of_a_log(name):
    small_run(path("runinfo"))
    file = NAMES.get(name, "../" + DB)
    os.remove(path("runinfo/000", file))
    os.symlink("/nowhere/at/all", path("runinfo/000", file))
    r = imported(path("runinfo"), code=1)
    rest_imported(NAMES.get(name, DB), r)


@test
def a_pipe_in_the_place_of_a_log():
    """Nobody writes into it: we must not wait."""
    small_run(path("runinfo"))
    os.remove(path("runinfo/000", WORKER0))
    os.mkfifo(path("runinfo/000", WORKER0))
    r = imported(path("runinfo"), code=(0, 1))
    rest_imported(WORKER0, r, message=False)
    spanloom("import", "-d", "x.db", path("runinfo/000", WORKER0), code=(0, 1))


@test
def a_socket_and_a_device():
    small_run(path("runinfo"))
    os.remove(path("runinfo/000", WORKER0))
    os.remove(path("runinfo/000", WORKER1))
    os.symlink("/dev/zero", path("runinfo/000", WORKER1))
    s = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(os.path.dirname(path("runinfo/000", WORKER0)))
    s.bind("worker_0.log")
    os.chdir(here)
    imported(path("runinfo"), code=(0, 1))
    s.close()


@test
def links_in_a_circle():
    small_run(path("runinfo"))
    want = dump(imported(path("runinfo"), store="plain.db").store)
    os.symlink("..", path("runinfo/000/up"))
    os.symlink(".", path("runinfo/self"))
    os.symlink("loop", path("runinfo/loop"))
    r = imported(path("runinfo"), code=(0, 1))
    same(dump(r.store), want)


@cases("worker_0.log", "parsl.log", "manager.log", DB)
def a_file_without_permission(name):
    small_run(path("runinfo"))
    os.chmod(path("runinfo/000", NAMES.get(name, "../" + DB)), 0)
    r = imported(path("runinfo"), code=1, before=without_rights)
    check("ermission denied" in r.err, r)
    rest_imported(NAMES.get(name, DB), r)


@test
def a_directory_without_permission():
    small_run(path("runinfo"))
    locked = path("runinfo/000/htex_Local/block-0")
    os.chmod(locked, 0)
    r = imported(path("runinfo"), code=1, before=without_rights)
    os.chmod(locked, 0o755)
    check("block-0" in r.err and "ermission denied" in r.err, r)
    check(any("interchange_put" in x for x in dump(r.store)), "the rest is not there")


@test
def a_path_that_is_not_there():
    small_run(path("runinfo"))
    r = imported(path("nowhere"), path("runinfo"), code=1)
    check("nowhere" in r.err and "No such file" in r.err, r)
    same(r.store, imported(path("runinfo"), store="plain.db").store, "the rest is not imported")
    spanloom("import", "-d", "none.db", path("nowhere"), code=1)
    check(not os.path.exists(path("none.db")), "a store was left behind")


NAMES_OF_DIRS = ("with space", "with\nnewline", "quo'te\"s", "{rundir}", "%s%n", "*[a-z]?", "-d", "ünï", "tab\there", "back\\slash", "$HOME;`ls`", "a" * 200)


@cases(*enumerate(NAMES_OF_DIRS))
def names_of_directories(i, name):
    """Whatever stands in a path: it is one run, and output stays readable."""
    for i in (i, i + 1):
        d = small_run(path(f"{i}", name), logs=LOGS[1:] if i % 2 else LOGS, db=not i % 2)
        s = imported(d, store=f"{i}.db").store
        plain = small_run(path(f"{i}-plain", "x" * 7), logs=LOGS[1:] if i % 2 else LOGS, db=not i % 2)
        equal(len(dump(s)), len(dump(imported(plain, store=f"{i}-plain.db").store)), f"lines of the dump under {name!r}")
        found = query(s, "SELECT DISTINCT path FROM sources")
        check(all(name in p for p, in found), f"{name!r} is not in {found}")
        equal({r["path"] for r in json.loads(spanloom("sql", "-d", s, "--format", "json", "select path from sources").out)}, {p for p, in found}, "paths in JSON")
        listed = json.loads(spanloom("import", "--dry-run", "--format", "json", d).out)
        check({p for p, in found} <= {x["path"] for x in listed}, f"--dry-run --format json: {listed[:2]}")
        for kind in ("csv", "tsv"):
            out = spanloom("import", "--dry-run", "--format", kind, d, text=False).out.decode()
            if kind == "csv":
                got = {row["path"] for row in csv.DictReader(io.StringIO(out, newline=""))}
                check({p for p, in found} <= got, f"--dry-run --format csv of {name!r}: {sorted(got)[:2]}")
            else:
                equal({x.count("\t") for x in out.splitlines()}, {2}, f"tabs in a line of --dry-run --format tsv of {name!r}")


@test
def a_name_that_is_no_utf8():
    d = small_run(os.fsdecode(os.fsencode(path()) + b"/bad\xff\xfename/runinfo"))
    r = imported(d)
    query(r.store, "SELECT path, context FROM sources")
    dump(r.store)
    json.loads(spanloom("sql", "-d", r.store, "--format", "json", "select * from sources", text=False).out.decode())
    json.loads(spanloom("import", "--dry-run", "--format", "json", d, text=False).out.decode())
    check("0 new spans" in imported(d).out, "the second import does not know it")


# ---- files that change under our hands

def big(size=8 * MB):
    data = read(INTERCHANGE)
    write(path("runinfo/000", INTERCHANGE), data * (size // len(data)))
    copy_run(path("runinfo"), logs=(PARSL, WORKER0))
    return path("runinfo/000", INTERCHANGE)


@cases("shrinks", "vanishes", "grows", "is replaced")
def a_file_while_it_is_read(how):
    file = big()
    r = rng()
    data = read(INTERCHANGE)
    took = imported(path("runinfo"), store="first.db").seconds
    for i in range(6):
        write(file, data * (8 * MB // len(data)))
        delay = took * r.uniform(.05, .8)

        def change():
            time.sleep(delay)
            if how == "shrinks":
                os.truncate(file, r.choice((0, 1, 100, 5 * MB + 17)))
            elif how == "vanishes":
                os.remove(file)
            elif how == "is replaced":
                write(file + ".new", data)
                os.rename(file + ".new", file)
            else:
                with open(file, "ab") as f:
                    for _ in range(20):
                        f.write(data[:100000])
                        f.flush()
                        time.sleep(.001)
        t = threading.Thread(target=change)
        t.start()
        done = imported(path("runinfo"), store=f"{i}.db", code=(0, 1))
        t.join()
        check(done.code == 0 or "interchange.log" in done.err, f"the message does not name the file:\n{done}")
        whole(done.store)
        check(sum("worker_received_task" in x and x.startswith("event") for x in dump(done.store)) > 50, "the other files are not there")
        if os.path.exists(file):
            again = imported(path("runinfo"), store=f"{i}.db")
            same(dump(again.store), dump(imported(path("runinfo"), store=f"{i}-fresh.db").store), f"imported again, after the file {how} at {delay:.3f} s")


@test
def files_that_vanish_before_their_turn():
    for i in range(300):
        write(path(f"runinfo/000/htex_Local/block-0/m{i:03}/worker_0.log"), head(f"Received executor task {i}") * 300)
    gone = path("runinfo/000/htex_Local/block-0")
    t = threading.Thread(target=lambda: (time.sleep(.012), shutil.rmtree(gone)))
    t.start()
    r = imported(path("runinfo"), code=(0, 1), options=("--jobs", 1))
    t.join()
    if r.code:
        check("worker_0.log" in r.err or "block-0" in r.err or "no recipe knows any file" in r.err, r)


@test
def few_file_descriptors():
    """ulimit -n: hundreds of files with room for a few."""
    for i in range(200):
        write(path(f"runinfo/000/htex_Local/block-{i % 7}/m{i:03}/worker_{i % 3}.log"), head(f"Received executor task {i}"))
    want = dump(imported(path("runinfo"), store="want.db").store)
    for n in (16, 24, 64):
        r = imported(path("runinfo"), store=f"{n}.db", options=("--jobs", 4), before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
        same(dump(r.store), want, f"{n} descriptors")


@test
def many_threads():
    small_run(path("runinfo"))
    want = dump(imported(path("runinfo"), store="want.db").store)
    for n in (64, 1000, 100000):
        same(dump(imported(path("runinfo"), store=f"{n}.db", options=("--jobs", n)).store), want, f"--jobs {n}")


# ---- long lines

def memory(r, limit=200 * MB):
    note(f"{r.peak_bytes // MB} MB at most, {r.seconds:.1f} s")
    check(SANITIZED or r.peak_bytes < limit, f"{r.peak_bytes // MB} MB of memory")


@cases("of NUL bytes", "after a head", "in the middle")
def a_line_of_a_gigabyte(how):
    good = cut(read(WORKER0), .1)
    want = dump(alone(WORKER0, good, "want")[0].store)
    file = write(path("long/000", WORKER0), b"" if how == "of NUL bytes" else head("Received executor task 900").rstrip() if how == "after a head" else good)
    os.truncate(file, 1 << 30)
    if how == "in the middle":
        with open(file, "ab") as f:
            f.write(b"\n" + good.replace(b"executor task ", b"executor task 10"))
    r = imported(file, code=0 if how == "in the middle" else 1)
    memory(r)
    bad = rejects(r.store)
    check(bad and bad[0][0].endswith("worker_0.log"), f"rejects: {bad[:3]}")
    if how == "in the middle":
        got = [x.replace("/long/", "/want/") for x in dump(r.store)]
        lost = {x for x in want if x.startswith("event ") and "worker.task" in x} - set(got)
        check(len(lost) <= 1, f"lost {sorted(lost)[:5]}")
        check(any("worker.task=10" in x for x in got), "what follows the line is gone")
        line = good.count(b"\n") + 1
        check(any(line - 1 <= b[1] <= line + 1 for b in bad), f"rejects at {[b[1] for b in bad]}, the line is {line}")


@test
def a_record_of_a_gigabyte():
    """In many lines, none of which begins a record."""
    good = cut(read(WORKER0), .1)
    file = write(path("long/000", WORKER0), good)
    block = (b"x" * 199 + b"\n") * 50000
    with open(file, "ab") as f:
        for _ in range(30 if SANITIZED else 100):
            f.write(block)
        f.write(head("Received executor task 901"))
    r = imported(file)
    memory(r)
    check(any("worker.task=901" in x for x in dump(r.store)), "what follows is gone")


@test
def many_rejects():
    """Each is counted; a million do not need a million rows' memory."""
    n = 200000
    file = write(path("runinfo/000", WORKER0), head("Received executor task 99999999999999999999999999") * n + head("Received executor task 5"))
    r = imported(file)
    memory(r)
    equal(counts(r.store, file), (n + 1, 1, 0, n), "counts")


main()
