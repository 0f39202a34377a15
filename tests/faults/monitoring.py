#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""monitoring.db in every state in which it is found: corrupt, locked, in WAL mode, of another year, of a run that never ended."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

TABLES = ("workflow", "task", "try", "status", "block", "node", "resource")


def small(name="runinfo", **more):
    return small_run(path(name), 60, **more)


def logs_alone():
    """What the run says without its database."""
    d = small("logs", db=False)
    return dump(imported(d, store="logs.db").store)


def without_monitoring(lines):
    return [x for x in lines if "parsl.monitoring." not in x]


def rest(r, name=DB):
    check(name in r.err, f"the message does not name {name}:\n{r}")
    check(len(r.err.strip().splitlines()) <= 6, f"too many words:\n{r}")
    same(without_monitoring(dump(r.store)), logs_alone(), "the logs")
    whole(r.store)


# ---- not what it should be

@cases("text", "zero bytes", "16 bytes", "100 bytes", "one page", "noise")
def not_a_database(what):
    d = small()
    with open(f"{d}/{DB}", "rb") as f:
        good = f.read()
    data = {"text": b"This is not a database.\n" * 500, "zero bytes": b"", "16 bytes": good[:16], "100 bytes": good[:100],
            "one page": good[:4096], "noise": rng().randbytes(100000)}[what]
    write(f"{d}/{DB}", data)
    r = imported(d, code=(0, 1) if what == "zero bytes" else 1)
    if what == "zero bytes":  # Parsl makes the file before its tables
        same(without_monitoring(dump(r.store)), logs_alone())
    else:
        rest(r)


@test
def pages_overwritten():
    """At random, in the middle: no crash, the logs are imported, and what is damaged is named."""
    d = small()
    with open(f"{d}/{DB}", "rb") as f:
        good = f.read()
    want = logs_alone()
    r = rng()
    pages = len(good) // 4096
    named = 0
    for i in range(25):
        data = bytearray(good)
        for _ in range(r.choice((1, 2, 5))):
            at = 4096 * r.randrange(1, pages) + r.choice((0, 0, 0, 8, 100, 2000))
            n = r.choice((8, 100, 4096))
            data[at:at + n] = r.choice((bytes(n), b"\xff" * n, r.randbytes(n)))[:len(data) - at]
        write(f"{d}/{DB}", bytes(data[:len(good)]))
        done = imported(d, store=f"{i}.db", code=(0, 1))
        whole(done.store)
        same(without_monitoring(dump(done.store)), want, f"the logs, with damage {i}")
        if done.code:
            named += 1
            check(DB in done.err, f"the message does not name it:\n{done}")
    note(f"{named} of 25 were noticed")
    check(named >= 8, "damage is not noticed")


@test
def cut_short():
    """As a full disk or an unfinished copy leaves it."""
    d = small()
    with open(f"{d}/{DB}", "rb") as f:
        good = f.read()
    for share in (.2, .5, .9):
        write(f"{d}/{DB}", good[:int(len(good) * share)])
        os.path.exists(path("spanloom.db")) and os.remove(path("spanloom.db"))
        r = imported(d, code=(0, 1))
        same(without_monitoring(dump(r.store)), logs_alone())
        check(r.code == 0 or DB in r.err, r)
        note(f"cut at {share}: exit {r.code}")


@test
def damage_and_repair():
    """The damaged file was imported as far as it goes; the good copy in its place then gives all."""
    d = small()
    want = dump(imported(d, store="good.db").store)
    with open(f"{d}/{DB}", "rb") as f:
        good = f.read()
    data = bytearray(good)
    for page in range(8, len(good) // 4096, 3):
        data[page * 4096:page * 4096 + 4096] = b"\xff" * 4096
    write(f"{d}/{DB}", bytes(data))
    imported(d, code=1)
    write(f"{d}/{DB}", good)
    same(dump(imported(d).store), want)


# ---- held by others

def hold(file, sql):
    """Another process that holds the database."""
    p = subprocess.Popen([sys.executable, "-c", f"""
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for s in {sql!r}: db.execute(s)
print('held', flush=True)
sys.stdin.read()""", file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    equal(p.stdout.readline(), "held\n", "the other process")
    return p


def let_go(p):
    p.stdin.close()
    p.wait()


@test
def locked_by_another():
    d = small()
    want = dump(imported(d, store="good.db").store)
    p = hold(f"{d}/{DB}", ["BEGIN EXCLUSIVE"])
    try:
        r = imported(d, code=1)
        check(r.seconds < PATIENCE / 4, f"waited {r.seconds:.0f} s")
        check("lock" in r.err, r)
        rest(r)
    finally:
        let_go(p)
    same(dump(imported(d).store), want, "once it was free again")


@test
def written_by_another():
    """A run that goes on: Parsl has a transaction open, in each of the journal's states. What is committed is read."""
    d = small()
    want = dump(imported(d, store="good.db").store)
    for mode in ("DELETE", "WAL"):
        p = hold(f"{d}/{DB}", [f"PRAGMA journal_mode={mode}", "BEGIN IMMEDIATE", "DELETE FROM status", "UPDATE task SET task_func_name = 'not committed'"])
        try:
            r = imported(d, store=f"{mode}.db")
            same(dump(r.store), want, mode)
        finally:
            let_go(p)


@test
def a_lock_that_goes_after_a_moment():
    d = small()
    want = dump(imported(d, store="good.db").store)
    p = hold(f"{d}/{DB}", ["BEGIN EXCLUSIVE"])
    t = threading.Timer(.3, lambda: let_go(p))
    t.start()
    r = imported(d, code=(0, 1))
    t.join()
    if r.code == 0:
        same(dump(r.store), want)
    else:
        rest(r)


# ---- the journal beside it

def wal_with_rows(d):
    """Rows of the second half are in the -wal file only: a copy taken while Parsl was at work."""
    copy_run(path("whole"), logs=())
    write(f"{d}/.keep", b"")
    shutil.copyfile(path(f"whole/{DB}"), path("live.db"))
    db = sqlite3.connect(path("live.db"))
    for t in TABLES:
        db.execute(f"CREATE TABLE kept_{t} AS SELECT * FROM {t}")
        db.execute(f"DELETE FROM {t}")
    db.commit()
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA wal_autocheckpoint=0")
    for t in TABLES:
        db.execute(f"INSERT INTO {t} SELECT * FROM kept_{t}")
        db.execute(f"DROP TABLE kept_{t}")
    db.commit()
    for end in ("", "-wal"):
        shutil.copyfile(path("live.db" + end), f"{d}/{DB}{end}")
    db.close()
    check(os.path.getsize(f"{d}/{DB}-wal") > 100000, "no rows in the -wal file")


def monitored():
    copy_run(path("plain"), logs=())
    return dump(imported(path("plain"), store="plain.db").store)


@test
def wal_rows_that_are_not_in_the_file():
    want = monitored()
    os.mkdir(path("runinfo"))
    wal_with_rows(path("runinfo"))
    before = {f: os.path.getsize(path("runinfo", f)) for f in os.listdir(path("runinfo"))}
    same(dump(imported(path("runinfo")).store), want)
    after = {f: os.path.getsize(path("runinfo", f)) for f in os.listdir(path("runinfo"))}
    check(all(after.get(f) == n for f, n in before.items()), f"reading changed the run: {before}, {after}")


@cases("with rights", "without")
def wal_in_a_directory_that_is_read_only(rights):
    want = monitored()
    os.mkdir(path("runinfo"))
    wal_with_rows(path("runinfo"))
    for f in os.listdir(path("runinfo")):
        os.chmod(path("runinfo", f), 0o444)
    os.chmod(path("runinfo"), 0o555)
    try:
        r = imported(path("runinfo"), before=without_rights if rights == "without" else None, code=(0, 1))
    finally:
        os.chmod(path("runinfo"), 0o755)
    if r.code == 0:
        same(dump(r.store), want)
    else:
        check(DB in r.err and re.search("WAL|-wal|write|copy", r.err), f"does not say what is wrong and what to do:\n{r}")


@test
def wal_mode_all_checkpointed():
    want = monitored()
    copy_run(path("runinfo"), logs=())
    with sqlite3.connect(path(f"runinfo/{DB}")) as db:
        db.execute("PRAGMA journal_mode=WAL")
    db.close()
    same(dump(imported(path("runinfo")).store), want)
    equal(sorted(os.listdir(path("runinfo"))), [DB], "files beside the run's")


@test
def wal_grows_between_imports():
    """The file itself stays byte for byte the same: the new rows are in -wal."""
    want = monitored()
    os.mkdir(path("runinfo"))
    wal_with_rows(path("runinfo"))
    os.rename(path(f"runinfo/{DB}-wal"), path("wal"))
    imported(path("runinfo"))
    os.rename(path("wal"), path(f"runinfo/{DB}-wal"))
    same(dump(imported(path("runinfo")).store), want)


@test
def a_hot_journal():
    """The run was killed in a transaction: the journal beside it says how to roll back."""
    copy_run(path("plain"), logs=())
    want = dump(imported(path("plain"), store="plain.db").store)
    shutil.copyfile(path(f"plain/{DB}"), path("live.db"))
    db = sqlite3.connect(path("live.db"), isolation_level=None)
    db.execute("PRAGMA cache_size=2")
    db.execute("PRAGMA cache_spill=1")
    db.execute("BEGIN")
    db.execute("UPDATE status SET task_status_name = task_status_name || ' and much more text that moves rows to other pages'")
    db.execute("UPDATE task SET task_func_name = 'not committed'")
    os.mkdir(path("runinfo"))
    for end in ("", "-journal"):
        shutil.copyfile(path("live.db" + end), path(f"runinfo/{DB}{end}"))
    db.execute("ROLLBACK")
    db.close()
    with open(path(f"runinfo/{DB}"), "rb") as f:
        check(b"much more text" in f.read(), "the transaction is not in the file")
    r = imported(path("runinfo"), code=(0, 1))
    if r.code == 0:
        same(dump(r.store), want)
    else:
        check(DB in r.err, r)
        note("not read, and said so")


# ---- other years, other shapes

def alter(name, *sql):
    copy_run(path(name), logs=())
    db = sqlite3.connect(path(name, DB), isolation_level=None)
    for s in sql:
        db.execute(s)
    db.close()
    return path(name)


@cases(*(t for t in TABLES if t != "workflow"))
def a_table_is_missing(table):
    d = alter("runinfo", f"DROP TABLE {table}")
    e = alter("emptied", f"DELETE FROM {table}")
    same(dump(imported(d).store), dump(imported(e, store="emptied.db").store))


@test
def the_table_workflow_is_missing():
    d = alter("runinfo", "DROP TABLE workflow")
    s = imported(d).store
    n = query(s, "SELECT count(*) FROM events e JOIN spans s ON s.id = e.span WHERE s.type = 'parsl.monitoring.try'")[0][0]
    check(n == 1133, f"{n} states of tries, not 1133")


OPTIONAL = {"task": ["task_depends", "task_memoize", "task_hashsum", "task_stdout", "task_stderr", "task_time_returned", "task_fail_cost", "task_inputs"],
            "try": ["block_id", "hostname", "task_fail_history", "task_joins", "task_try_time_running", "task_executor"],
            "workflow": ["workflow_name", "time_completed", "workflow_version", "host", "tasks_failed_count", "rundir"],
            "block": ["job_id"], "node": ["cpu_count", "total_memory", "python_v", "last_heartbeat", "active", "worker_count"],
            "resource": ["psutil_cpu_num", "psutil_process_num_ctx_switches_voluntary", "psutil_process_disk_read", "psutil_process_memory_percent"]}


@cases(*((t, c) for t in OPTIONAL for c in OPTIONAL[t]))
def a_column_is_missing(table, column):
    """As if it were NULL in each row. (Removed by making the table anew: sqlite cannot drop all columns.)"""
    db = sqlite3.connect(f"file:{EXAMPLE}/{DB}?mode=ro", uri=True)
    columns = ", ".join(r[1] for r in db.execute(f"PRAGMA table_info({table})") if r[1] != column)
    d = alter("runinfo", f"CREATE TABLE t AS SELECT {columns} FROM {table}", f"DROP TABLE {table}", f"ALTER TABLE t RENAME TO {table}")
    everything = ", ".join("NULL AS " + r[1] if r[1] == column else r[1] for r in db.execute(f"PRAGMA table_info({table})"))
    e = alter("nulls", f"CREATE TABLE t AS SELECT {everything} FROM {table}", f"DROP TABLE {table}", f"ALTER TABLE t RENAME TO {table}")
    same(dump(imported(d).store), dump(imported(e, store="nulls.db").store))


@test
def columns_that_nobody_knows():
    """A newer Parsl."""
    want = monitored()
    d = alter("runinfo", "ALTER TABLE task ADD COLUMN task_new TEXT DEFAULT 'x'", "ALTER TABLE status ADD COLUMN more BLOB",
              "CREATE TABLE files (file_name TEXT)", "CREATE TABLE input_files (file_id TEXT)", "CREATE VIEW v AS SELECT * FROM task",
              "CREATE TABLE misc_info (run_id TEXT, timestamp DATETIME, info TEXT)", "INSERT INTO misc_info VALUES ('a', 'b', 'c')")
    same(dump(imported(d).store), want)


KEYS = {"workflow": ["run_id"], "task": ["task_id", "run_id"], "try": ["try_id", "task_id", "run_id"], "status": ["task_id", "run_id", "try_id", "task_status_name"],
        "block": ["run_id", "executor_label", "block_id"], "node": ["run_id", "uid"], "resource": ["try_id", "task_id", "run_id"]}


@cases(*((t, c) for t in KEYS for c in KEYS[t]))
def a_key_is_null(table, column):
    """Such rows are rejected or used in part; the other rows are what they would be without them."""
    d = alter("runinfo", f"CREATE TABLE t AS SELECT * FROM {table}", f"DROP TABLE {table}", f"ALTER TABLE t RENAME TO {table}")
    e = path("fewer")
    shutil.copytree(d, e)
    where = "rowid % 5 = 1" if table != "workflow" else "1"
    for name, sql in ((d, f"UPDATE {table} SET {column} = NULL WHERE {where}"), (e, f"DELETE FROM {table} WHERE {where}")):
        with sqlite3.connect(f"{name}/{DB}") as db:
            db.execute(sql)
    got, want = imported(d).store, imported(e, store="fewer.db").store
    lost = set(dump(want)) - set(dump(got))
    check(not lost, f"lost {len(lost)}: {sorted(lost)[:4]}")
    more = [x for x in set(dump(got)) - set(dump(want)) if x.startswith("span")]
    check(not any("=None" in x or "=/" in x or x.endswith("=") or "=NULL" in x for x in more), f"spans with an empty key: {more[:4]}")


@cases("text", "real", "blob", "negative", "huge", "padded")
def a_task_id_of_another_kind(kind):
    value = {"text": "'seven'", "real": "7.5", "blob": "x'00ff'", "negative": "-7", "huge": "9223372036854775807", "padded": "'007'"}[kind]
    d = alter("runinfo", "CREATE TABLE t AS SELECT * FROM task", "DROP TABLE task", "ALTER TABLE t RENAME TO task",
              f"UPDATE task SET task_id = {value} WHERE task_id = 7")
    e = alter("fewer", "DELETE FROM task WHERE task_id = 7")
    r = imported(d)
    lost = set(dump(imported(e, store="fewer.db").store)) - set(dump(r.store))
    check(not lost, f"lost {len(lost)}: {sorted(lost)[:4]}")
    keys = {k for k, in query(r.store, "SELECT key FROM spans WHERE type = 'parsl.monitoring.task'")}
    if kind == "huge":
        check("9223372036854775807" in keys, "not there")
    if kind == "padded":
        same(dump(r.store), monitored(), "007 is 7")
    if kind in ("text", "real", "blob"):
        check(query(r.store, "SELECT count(*) FROM rejects WHERE path LIKE '%monitoring.db#task'") == [(1,)], "not rejected")
    json.loads(spanloom("rejects", "-d", r.store, "--format", "json").out)


@cases("''", "'yesterday'", "12345", "1795162291.25", "'2026-11-20'", "'2026-11-20T08:11:31'", "'2026-11-20 08:11:31.2'", "'2026-11-20 08:11:31.227329+00:00'", "x'00'", "'9999-99-99 99:99:99'")
def a_time_of_another_kind(value):
    d = alter("runinfo", f"UPDATE task SET task_time_invoked = {value} WHERE task_id = 3", f"UPDATE status SET timestamp = {value} WHERE task_id = 3 AND task_status_name = 'pending'")
    e = alter("fewer", "UPDATE task SET task_time_invoked = NULL WHERE task_id = 3", "DELETE FROM status WHERE task_id = 3 AND task_status_name = 'pending'")
    r = imported(d)
    lost = {x for x in set(dump(imported(e, store="fewer.db").store)) - set(dump(r.store)) if "task=3" not in x}
    check(not lost, f"lost {len(lost)}: {sorted(lost)[:4]}")
    got = {t for t, in query(r.store, "SELECT time_ns FROM events e JOIN spans s ON s.id = e.span WHERE s.type = 'parsl.monitoring.task' AND s.key = '3' AND e.type = 'invoked'")}
    right = {"'2026-11-20T08:11:31'": 1795162291000000000, "'2026-11-20 08:11:31.2'": 1795162291200000000, "'2026-11-20 08:11:31.227329+00:00'": 1795162291227329000,
             "1795162291.25": 1795162291250000000}
    if value in right:
        check(got <= {right[value]}, f"{value} became {got}")
    elif value not in ("12345", "'2026-11-20'"):
        equal(got, set(), f"{value} became a time")
    if not got and value != "''":
        check(query(r.store, "SELECT count(*) FROM rejects WHERE path LIKE '%monitoring.db#status'")[0][0] == 1, "a bad time is not rejected")


@test
def texts_of_every_kind():
    """Function names and messages: quotes, line ends, invalid UTF-8, NUL, a megabyte."""
    d = alter("runinfo", "UPDATE task SET task_func_name = 'a\"b''c\\d\ne\tf' WHERE task_id = 1", "UPDATE task SET task_func_name = CAST(x'66fffe67' AS TEXT) WHERE task_id = 2",
              "UPDATE task SET task_func_name = CAST(x'61006200' AS TEXT) WHERE task_id = 3", "UPDATE task SET task_func_name = replace(hex(zeroblob(500000)), '0', 'é') WHERE task_id = 4",
              "UPDATE task SET task_func_name = x'deadbeef' WHERE task_id = 5", "UPDATE task SET task_func_name = '' WHERE task_id = 6")
    r = imported(d)
    got = dict(query(r.store, "SELECT s.key, a.value FROM attributes a JOIN spans s ON s.id = a.span WHERE a.name = 'task_func_name'"))
    equal(got["1"], "a\"b'c\\d\ne\tf", "quotes")
    equal(len(got["4"]), 1000000, "a megabyte")
    for kind in ("json", "csv", "tsv", "table"):
        spanloom("sql", "-d", r.store, "--format", kind, "select * from attributes", text=False).out.decode()


# ---- several runs, unfinished runs

@test
def a_workflow_that_never_ended():
    copy_run(path("runinfo"), share=.6, logs=())
    s = imported(path("runinfo")).store
    equal(query(s, "SELECT e.type FROM events e JOIN spans s ON s.id = e.span WHERE s.type = 'parsl.monitoring.workflow'"), [("began",)], "events of the workflow")
    open_ = query(s, """SELECT count(*) FROM spans s WHERE type = 'parsl.monitoring.task'
        AND NOT EXISTS (SELECT 1 FROM events e WHERE e.span = s.id AND e.type = 'returned')""")[0][0]
    db = sqlite3.connect(path(f"runinfo/{DB}"))
    equal(open_, db.execute("SELECT count(*) FROM task WHERE task_time_returned IS NULL").fetchone()[0], "tasks that have not returned")


@test
def several_workflows():
    """Same task numbers in each: kept apart."""
    copy_run(path("runinfo"), logs=())
    sql = []
    for i in (2, 3):
        for t in TABLES:
            columns = [r[1] for r in sqlite3.connect(f"file:{EXAMPLE}/{DB}?mode=ro", uri=True).execute(f"PRAGMA table_info({t})") if not (t == "node" and r[1] == "id")]
            values = [f"'run{i}'" if c == "run_id" else f"'/scratch/runinfo/00{i}'" if c == "rundir" else c for c in columns]
            sql.append(f"INSERT INTO {t} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {t} WHERE run_id = '{RUN_ID}'")
    d = alter("runinfo", *sql)
    s = imported(d).store
    lines = [x for x in dump(s) if "parsl.monitoring.database" not in x]  # that they share
    parts = [[x.replace(k, "RUN").replace("/scratch/runinfo/002", "DIR").replace("/scratch/runinfo/003", "DIR").replace("/scratch/proj/A-htex-small/runinfo/000", "DIR")
              for x in lines if k in x] for k in (RUN_ID, "run2", "run3")]
    equal(sum(map(len, parts)), len(lines), "lines of the dump that belong to one run")
    equal(query(s, """SELECT count(*) FROM links l JOIN spans d ON d.id = l.left_span WHERE d.type = 'parsl.monitoring.database'
        AND d.key = ? AND l.kind = 'in'""", RUN_ID), [(3,)], "workflows in the database")
    same(parts[1], parts[0])
    same(parts[2], parts[0])


@test
def rows_of_a_run_that_the_database_does_not_know():
    """A workflow row is missing for some: crashed early, or deleted by hand."""
    d = alter("runinfo", "UPDATE status SET run_id = 'lost' WHERE task_id = 9", "UPDATE task SET run_id = 'lost' WHERE task_id = 9", "UPDATE try SET run_id = 'lost' WHERE task_id = 9")
    s = imported(d).store
    found = {(p[0][1], p[1][1]) for p in paths(s).values() if len(p) > 1 and p[1][0] == "parsl.monitoring.task"}
    check(("lost", "9") in found, "the task of the unknown run is gone")
    equal(query(s, """SELECT count(*) FROM events e JOIN spans t ON t.id = e.span JOIN spans w ON w.id = t.parent
        WHERE t.type = 'parsl.monitoring.task' AND t.key = '9' AND w.key = ?""", RUN_ID), [(0,)], "its events in the known run")


@test
def under_another_name():
    """--recipe or not: monitoring.db is found by its name; a second database beside it is no harm."""
    d = small()
    shutil.copyfile(f"{d}/{DB}", f"{d}/backup.db")
    want = dump(imported(small("other"), store="other.db").store)
    same(dump(imported(d).store), want)


main()
