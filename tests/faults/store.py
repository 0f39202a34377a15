#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The store is whole at any moment: after kill -9, on a full disk, without memory, with two writers; and what is no store is left alone.
Above 600 lines, as each way to break it is a case of its own, on one pair of runs."""
import contextlib
import errno
import gzip
import os
import resource
import select
import shutil
import signal
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

KILLS = int(os.environ.get("KILLS", 200))
OTHER = "11111111-2222-3333-4444-555555555555"


def two_runs():
    """Runs a and b, and the dumps of a store that holds a, and a and b."""
    small_run(path("a"), 40)
    rewritten_run(path("b"), move=1000, run_id=OTHER, share=.25)
    imported(path("a"), store="a.db")
    shutil.copyfile(path("a.db"), path("ab.db"))
    took = imported(path("b"), store="ab.db").seconds
    return dump(path("a.db"), places=True), dump(path("ab.db"), places=True), took


def read_bytes(file):
    with open(file, "rb") as f:
        return f.read()


def leftovers(*known):
    """Files beside the store that no one asked for."""
    return sorted(f for f in os.listdir(path()) if f not in ("a", "b", "a.db", "ab.db", "s.db", *known))


def killed(args, delay):
    """Start it, kill it after a moment; whether it had come to its end."""
    ended, its = os.pipe()  # its end is closed when it ends, which select() waits for as long as is allowed
    try:
        p = subprocess.Popen([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(), pass_fds=[its])
        os.close(its)
        by_itself = select.select([ended], [], [], delay)[0]
    finally:
        os.close(ended)
    if not by_itself:
        p.kill()
    p.wait()
    check(not by_itself or p.returncode == 0, f"exit {p.returncode} by itself")
    return p.returncode != 0


_known = {}


def whole_dump(store):
    """Its dump, after whole(); once for files that are the same, byte for byte."""
    with contextlib.closing(sqlite3.connect(store)) as db:
        db.execute("SELECT count(*) FROM sl_meta").fetchall()  # a journal that lies there is applied
    data = read_bytes(store)
    if data not in _known:
        whole(store)
        _known[data] = dump(store, places=True)
    equal(read_bytes(store), data, "to read it changed it")
    return _known[data]


@cases("into a store", "into a new store")
def killed_at_any_moment(how):
    """kill -9: the store has what it had or all of the new, and the next import makes it whole."""
    before, after, took = two_runs()
    took = sorted(spanloom("import", "-d", shutil.copyfile(path("a.db"), path("t.db")), path("b")).seconds for _ in range(3))[0]
    r = rng()
    seen = {"killed": 0, "before": 0, "after": 0, "none": 0, "journal": 0}
    times = KILLS // 2
    start = read_bytes(path("a.db"))
    longest, i = took * (1.3 if how == "into a store" else 2.5), -1
    while seen["killed"] < times and i < times * 6:  # as many kills as promised: runs that were too quick do not count
        i += 1
        for end in ("", "-journal", "-wal", "-shm"):
            if os.path.exists(path("s.db" + end)):
                os.remove(path("s.db" + end))
        if how == "into a store":
            write(path("s.db"), start)
        hit = killed(["import", "-d", path("s.db"), path("b"), *([] if how == "into a store" else [path("a")])], r.uniform(0, longest))
        seen["killed"] += hit
        longest *= 1.02 if hit else .95  # the machine's speed changes
        seen["journal"] += any(os.path.exists(path("s.db" + end)) for end in ("-journal", "-wal"))
        if how == "into a store":
            if os.path.exists(path("s.db-journal")) or os.path.exists(path("s.db-wal")) or read_bytes(path("s.db")) != start:
                if i % 2:  # our own commands must bring it back as well as sqlite does
                    spanloom("info", "-d", path("s.db"))
                got = whole_dump(path("s.db"))
                which = "before" if got == before else "after"
                if which == "after":
                    same(got, after, f"kill {i}: neither what it had nor all of the new")
            else:
                which = "before"
            seen[which] += 1
        elif not os.path.exists(path("s.db")) or os.path.getsize(path("s.db")) == 0:
            seen["none"] += 1
        else:
            whole_or_empty = sqlite3.connect(path("s.db"))
            equal(whole_or_empty.execute("PRAGMA integrity_check").fetchall(), [("ok",)], f"kill {i}")
            tables = whole_or_empty.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            n = whole_or_empty.execute("SELECT count(*) FROM sl_event").fetchone()[0] if tables else 0
            whole_or_empty.close()
            if n:
                same(dump(path("s.db"), places=True), after, f"kill {i}: neither nothing nor all")
            seen["after" if n else "before"] += 1
        if i % 10 == 0:
            imported(path("a"), path("b"), store="s.db")
            same(dump(path("s.db"), places=True), after, f"imported again after kill {i}")
    note(", ".join(f"{n} {k}" for k, n in seen.items()), f"in {i + 1} runs")
    check(seen["killed"] == times and seen["before"] + seen["none"] > times * .2, f"the kills came too late or too early: {seen}")
    equal([f for f in leftovers("t.db") if not f.startswith("s.db")], [], "left behind")


@test
def killed_while_forgetting():
    two_runs()
    start = read_bytes(path("ab.db"))
    before = dump(path("ab.db"), places=True)
    file = path("b/000", PARSL)
    write(path("s.db"), start)
    spanloom("forget", "-d", path("s.db"), file)
    after = dump(path("s.db"), places=True)
    check(before != after, "nothing was forgotten")
    r = rng()
    for i in range(30):
        write(path("s.db"), start)
        killed(["forget", "-d", path("s.db"), file], r.uniform(0, .03 * (8 if SANITIZED else 1)))
        whole(path("s.db"))
        got = dump(path("s.db"), places=True)
        check(got in (before, after), f"kill {i}: half forgotten")


@cases(signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
def interrupted(sig):
    """Ctrl-C is like kill, but polite: the store is whole and nothing is left lying about."""
    before, after, took = two_runs()
    r = rng()
    for i in range(8):
        shutil.copyfile(path("a.db"), path("s.db"))
        p = subprocess.Popen([PROGRAM, "import", "-d", path("s.db"), path("b")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(r.uniform(0, took))
        p.send_signal(sig)
        _, err = p.communicate()
        check(p.returncode in (0, 1, -sig, 128 + sig), f"exit {p.returncode}: {err}")
        check("Sanitizer" not in err, err)
        whole(path("s.db"))
        check(dump(path("s.db"), places=True) in (before, after), "half written")


# ---- no room

@cases("limit", "file system")
def a_full_disk(how):
    """A message that says so, exit 1, and what was in the store is still there."""
    before, after, _ = two_runs()
    need = os.path.getsize(path("ab.db"))
    start = os.path.getsize(path("a.db"))
    mount = how == "file system" and os.geteuid() == 0
    messages = set()
    for room in (0, 4096, 20000, need // 3, need // 2, int(need * .8)):
        where = path("full")
        os.makedirs(where, exist_ok=True)
        size = -(-(start + room) // 4096) * 4096 + 8192
        if mount and subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", where], capture_output=True).returncode:
            mount = False
        try:
            store = shutil.copyfile(path("a.db"), where + "/s.db")

            def limit():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (start + room, start + room))
            r = imported(path("b"), store=store, code=(0, 1), before=None if mount else limit)
            whole(store)
            got = dump(store, places=True)
            if r.code == 0:
                same(got, after)
            else:
                same(got, before, f"with room for {room} bytes more")
                check(len(r.err.splitlines()) <= 4 and "s.db" in r.err, f"the message does not name the store:\n{r}")
                messages.add(r.err.strip())
            spanloom("info", "-d", store)
        finally:
            if mount:
                subprocess.run(["umount", "-l", where], check=True)
            shutil.rmtree(where, ignore_errors=True)
    check(messages, "the disk was never full")
    for m in messages:
        check(re.search("full|No space|too large|disk", m), f"the message does not say what is wrong: {m}")
    note(next(iter(messages))[:200])


@test
def a_full_disk_and_a_new_store():
    """Nothing that looks like a store stays behind."""
    small_run(path("a"), 40)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000))
    r = spanloom("import", "-d", "s.db", path("a"), code=1, before=limit)
    check("s.db" in r.err, r)
    equal(leftovers(), [], "left behind")
    equal({f: os.path.getsize(path(f)) for f in os.listdir(path()) if f.startswith("s.db") and os.path.getsize(path(f))}, {}, "left behind")
    imported(path("a"), store="s.db")


@test
def a_full_disk_kills_nobody():
    """SIGXFSZ as the shell leaves it."""
    before, _, _ = two_runs()
    shutil.copyfile(path("a.db"), path("s.db"))
    size = os.path.getsize(path("a.db")) + 20000
    r = imported(path("b"), store="s.db", code=1, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
    check("s.db" in r.err, r)
    same(dump(path("s.db"), places=True), before)


if not SANITIZED:  # whose shadow memory no limit admits
    @test
    def little_memory():
        """ulimit -v: a message and exit 1, or done; never a crash, never half a store."""
        before, after, _ = two_runs()
        outcomes = []
        for mb in (8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 128, 160, 200, 300):
            shutil.copyfile(path("a.db"), path("s.db"))
            r = spanloom("import", "-d", path("s.db"), path("b"), code=None,
                         before=lambda: resource.setrlimit(resource.RLIMIT_AS, (mb << 20, mb << 20)))
            if r.code == 127:  # not even the libraries could be loaded
                continue
            check(r.code in (0, 1), f"{mb} MB: exit {r.code}\n{r}")
            check(r.code == 0 or re.search("memory", r.err), f"{mb} MB: {r}")
            whole(path("s.db"))
            got = dump(path("s.db"), places=True)
            if r.code == 0:
                same(got, after, f"{mb} MB")
            elif got != before:  # one file could not be read, the others were imported
                check(path("b") in r.err, f"{mb} MB: the message names no file, and something was imported:\n{r}")
                same(dump(imported(path("b"), store="s.db").store, places=True), after, f"imported again, after {mb} MB")
            outcomes.append(f"{mb} MB: {r.code}")
        note(", ".join(outcomes))
        check(any(x.endswith("1") for x in outcomes) and outcomes[-1].endswith("0"), outcomes)


FAILING = """
#include <errno.h>
#include <stdlib.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static long n, at;
static int fails(void)
{
    if (!at) {
        const char *s = getenv("FAIL_AT");
        at = s ? atol(s) : -1;
    }
    if (at < 0 || __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED) != at)
        return 0;
    errno = ENOMEM;
    return 1;
}
void *malloc(size_t a) { return fails() ? NULL : __libc_malloc(a); }
void *calloc(size_t a, size_t b) { return fails() ? NULL : __libc_calloc(a, b); }
void *realloc(void *p, size_t a) { return a && fails() ? NULL : __libc_realloc(p, a); }
"""


if not SANITIZED:
    @test
    def one_allocation_fails():
        """Whichever it is, of ours or of a library: it is done, or out of memory is said and nothing is changed; or it was done,
        and only what to say of it had no memory."""
        before, after, _ = two_runs()
        write(path("m.c"), FAILING.encode())
        subprocess.run(["cc", "-shared", "-fPIC", "-o", path("m.so"), path("m.c")], check=True)
        r = rng()
        ended = untold = 0
        for i in range(60):
            at = int(10 ** r.uniform(1, 5))  # of some 90,000
            shutil.copyfile(path("a.db"), path("s.db"))
            p = imported(path("b"), store="s.db", code=(0, 1), env={"LD_PRELOAD": path("m.so"), "FAIL_AT": str(at)})
            check(p.code == 0 or "out of memory" in p.err or os.strerror(errno.ENOMEM) in p.err, f"allocation {at}: {p}")
            whole(path("s.db"))
            got = dump(path("s.db"), places=True)
            ended += p.code
            if p.code and got == after:
                untold += 1
            else:
                same(got, before if p.code else after, f"allocation {at}: exit {p.code}")
        note(f"{ended} of 60 ended it, {untold} when it was done")
        check(ended > 20 and untold < 5, (ended, untold))


# ---- stores that are none

def refuses(r, name, unchanged=None):
    check(name in r.err, f"the message does not name {name}:\n{r}")
    check(not r.out, f"something on stdout:\n{r}")
    if unchanged is not None:
        check(read_bytes(path(name)) == unchanged, "the file was changed")


COMMANDS = (("info",), ("types",), ("sql", "select 1"), ("rejects",), ("forget", "--replaced"), ("sql", "--write", "select 1"))


@test
def a_text_file():
    small_run(path("a"))
    text = b"dear diary, this is no database\n" * 1000
    write(path("s.db"), text)
    for c in COMMANDS + (("import", path("a")),):
        refuses(spanloom(c[0], "-d", "s.db", *c[1:], code=1), "s.db", text)


@test
def another_database():
    """It may belong to someone: nothing is added to it."""
    small_run(path("a"))
    with sqlite3.connect(path("s.db")) as db:
        db.execute("CREATE TABLE cats (name TEXT)")
        db.execute("INSERT INTO cats VALUES ('Mia')")
    db.close()
    data = read_bytes(path("s.db"))
    for c in COMMANDS + (("import", path("a")),):
        refuses(spanloom(c[0], "-d", "s.db", *c[1:], code=1), "s.db", data)
    shutil.copyfile(f"{EXAMPLE}/{DB}", path("m.db"))
    data = read_bytes(path("m.db"))
    for c in COMMANDS + (("import", path("a")),):
        refuses(spanloom(c[0], "-d", "m.db", *c[1:], code=1), "m.db", data)


@test
def a_newer_schema():
    """A store of a later version: said so, not touched."""
    small_run(path("a"))
    imported(path("a"), store="s.db")
    with sqlite3.connect(path("s.db")) as db:
        equal(db.execute("SELECT count(*) FROM sl_meta WHERE name = 'schema'").fetchone(), (1,), "schema in sl_meta")
        db.execute("UPDATE sl_meta SET value = 999 WHERE name = 'schema'")
    db.close()
    data = read_bytes(path("s.db"))
    for c in COMMANDS + (("import", path("a")),):
        r = spanloom(c[0], "-d", "s.db", *c[1:], code=1)
        refuses(r, "s.db", data)
        check(re.search("newer|version", r.err), r)


@test
def facets_of_schema_3():
    """There the smaller id stood left, and events had no uuids: all is as if it were imported anew."""
    s = imported(f"{EXAMPLE}/000", store="s.db").store
    imported(f"{EXAMPLE}/{DB}", f"{ROOT}/tests/data/slurm", store=s)
    spanloom("bind", "-d", s, "--name", "mine", "worker facet parsl.rundir.block where a.key = b.key")
    want, turned = dump(s), query(s, "SELECT left_span, right_span FROM sl_link WHERE kind = 2")
    with sqlite3.connect(s) as db:
        for kind in ("trigger", "view"):
            for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = ?", (kind,)).fetchall():
                db.execute(f'DROP {kind} "{name}"')
        db.executescript("ALTER TABLE sl_span DROP COLUMN alike; ALTER TABLE sl_span DROP COLUMN place; DROP TABLE sl_alike; DROP INDEX sl_root_root; ALTER TABLE sl_root DROP COLUMN weak; DROP INDEX sl_source_head; ALTER TABLE sl_source DROP COLUMN head;"
                         "ALTER TABLE sl_source DROP COLUMN tail; DROP TABLE sl_handle; DROP INDEX sl_note_uuid; DROP INDEX sl_event_inserted; ALTER TABLE sl_note DROP COLUMN uuid;"
                         "UPDATE sl_link SET left_span = min(left_span, right_span), right_span = max(left_span, right_span) WHERE kind = 2;"
                         "UPDATE sl_meta SET value = 3 WHERE name = 'schema'")
    db.close()
    check(query(s, "SELECT left_span, right_span FROM sl_link WHERE kind = 2") != turned, "no facet was turned")
    spanloom("info", "-d", s)
    same(dump(s), want)
    whole(s)


@test
def a_store_of_schema_4():
    """Written by that version, of /scratch/proj: what comes then is as if all were imported now."""
    with gzip.open(f"{ROOT}/tests/stores/schema-4.sql.gz", "rt") as f, contextlib.closing(sqlite3.connect(path("old.db"))) as db:
        db.executescript(f.read())
    shutil.copytree(f"{ROOT}/tests/data/parsl-2024-shell", path("proj"))
    new = imported(path("proj"), store="new.db").store
    with contextlib.closing(sqlite3.connect(path("old.db"))) as db:
        for table, column in (("sl_source", "path"), ("sl_shared", "scope"), ("sl_wrote", "path")):
            db.execute(f"UPDATE {table} SET {column} = replace({column}, '/scratch/proj/', ?)", (path("proj") + "/",))
        db.execute("UPDATE sl_source SET mtime_ns = 0")
        db.commit()
    spanloom("info", "-d", path("old.db"))
    handles = "SELECT n.name, s.key, h.name, h.value FROM sl_handle h JOIN sl_span s ON s.id = h.span JOIN sl_name n ON n.id = s.type ORDER BY 1, 2, 3, 4"
    equal(query(path("old.db"), handles), query(new, handles))
    check(query(new, handles), "no span is named by a value")
    spanloom("import", "-d", path("old.db"), path("proj"))  # with today's recipes, which may differ from those of then
    r = spanloom("import", "-d", path("old.db"), path("proj"))
    check("unchanged" in r.out + r.err or "known already" in r.out + r.err, r)
    same(dump(path("old.db")), dump(new))
    for s in (path("old.db"), new):  # sources of both versions, whose roots are known or not
        spanloom("forget", "-d", s, path("proj/runinfo/000/traces"))
        spanloom("forget", "-d", s, path("proj/runinfo/000/parsl.log"))
    same(dump(path("old.db")), dump(new))
    whole(path("old.db"))


@test
def a_store_of_schema_5():
    """Written by that version, of /scratch/traces: attributes of calls had a row each."""
    with gzip.open(f"{ROOT}/tests/stores/schema-5.sql.gz", "rt") as f, contextlib.closing(sqlite3.connect(path("old.db"))) as db:
        db.executescript(f.read())
        db.execute("UPDATE sl_source SET path = replace(path, '/scratch/traces', ?), mtime_ns = 0", (path("traces"),))
        db.commit()
    shutil.copytree(f"{ROOT}/tests/data/traces", path("traces"))
    new = imported(path("traces"), store="new.db").store
    spanloom("info", "-d", path("old.db"))
    same(dump(path("old.db"), places=True), dump(new, places=True))
    for file in ("usage.pfw", "chromium.json"):
        for s in (path("old.db"), new):
            spanloom("forget", "-d", s, path(f"traces/{file}"))
        same(dump(path("old.db"), places=True), dump(new, places=True))
    whole(path("old.db"))
    imported(path("traces"), store="old.db")
    same(dump(path("old.db"), places=True), dump(imported(path("traces"), store="again.db").store, places=True))
    whole(path("old.db"))


def unharmed(store):
    """SQLite finds nothing, and no table of its own invites it to: 3.40 takes the columns of others for one another."""
    with contextlib.closing(sqlite3.connect(store)) as db:
        for pragma in ("integrity_check", "quick_check"):
            equal(db.execute(f"PRAGMA {pragma}").fetchall(), [("ok",)], pragma)
        tables = [t for t, in db.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND wr")]
        check(len(tables) > 15, tables)
        for table in tables:
            keys = [pk for _, _, _, _, _, pk in db.execute(f"PRAGMA table_info({table})")]
            equal(keys, sorted(keys, key=lambda pk: pk or 99), f"the key of {table} is not its first columns, in order")


@test
def a_store_of_schema_6():
    """There two tables had columns out of the order of their keys, as 001-core.sql and 002-joins.sql make them."""
    new = imported(f"{ROOT}/tests/data/parsl-2026-shell", store="new.db").store
    want, rows = dump(new, places=True), {}
    unharmed(new)
    shutil.copyfile(new, path("old.db"))
    with contextlib.closing(sqlite3.connect(path("old.db"))) as db:
        for table, part in (("sl_doubt", "002-joins"), ("sl_weak", "001-core")):
            with open(f"{ROOT}/src/store/schema/{part}.sql", encoding="utf-8") as f:
                old = re.search(rf"CREATE TABLE {table} .*?;", f.read(), re.S)[0]
            columns = ", ".join(c for _, c, *_ in db.execute(f"PRAGMA table_info({table})"))
            rows[table] = db.execute(f"SELECT {columns} FROM {table}").fetchall()
            check(rows[table], f"nothing is in {table}")
            db.execute(f"DROP TABLE {table}")
            db.execute(old)
            db.executemany(f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(rows[table][0]))})", rows[table])
        db.execute("UPDATE sl_meta SET value = 6 WHERE name = 'schema'")
        db.commit()
    note(f"before: {query(path('old.db'), 'PRAGMA integrity_check')[0][0]}")
    spanloom("info", "-d", path("old.db"))
    unharmed(path("old.db"))
    for table, there in rows.items():
        equal(query(path("old.db"), f"SELECT * FROM {table}"), there, table)
    equal(query(path("old.db"), "SELECT * FROM doubts"), query(new, "SELECT * FROM doubts"))
    equal(*(query(s, "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' ORDER BY 1") for s in (path("old.db"), new)))
    same(dump(path("old.db"), places=True), want)
    whole(path("old.db"))


@test
def an_empty_file():
    """`touch s.db` is as good as no file."""
    small_run(path("a"))
    want = dump(imported(path("a"), store="a.db").store)
    write(path("s.db"), b"")
    same(dump(imported(path("a"), store="s.db").store), want)


@test
def no_store():
    """Commands that read make none."""
    for c in COMMANDS:
        refuses(spanloom(c[0], "-d", "s.db", *c[1:], code=1), "s.db")
    r = spanloom("info", code=1)
    check("spanloom.db" in r.err and "import" in r.err, f"does not say what to do:\n{r}")
    equal(os.listdir(path()), [], "left behind")


@test
def in_a_directory_that_is_not_there():
    small_run(path("a"))
    for c in COMMANDS + (("import", path("a")),):
        refuses(spanloom(c[0], "-d", "no/such/s.db", *c[1:], code=1), "no/such/s.db")
    equal(leftovers(), [], "left behind")


@test
def a_directory_as_store():
    small_run(path("a"))
    os.mkdir(path("s.db"))
    for c in COMMANDS + (("import", path("a")),):
        r = spanloom(c[0], "-d", "s.db", *c[1:], code=1)
        check("s.db" in r.err, r)
    check(os.path.isdir(path("s.db")), "it is gone")


@test
def corrupt():
    """Pages of the store overwritten: an error, no crash."""
    two_runs()
    good = read_bytes(path("ab.db"))
    page = int.from_bytes(good[16:18], "big")
    r = rng()
    bad = 0
    for i in range(30):
        data = bytearray(good)
        for _ in range(3):
            at = page * r.randrange(1, len(good) // page)
            n = r.choice((100, page))
            data[at:at + n] = r.choice((bytes(n), b"\xff" * n, r.randbytes(n)))
        write(path("s.db"), bytes(data))
        for c in (("info",), ("types", "--events"), ("import", path("b")), ("import", EXAMPLE), ("rejects",)):
            done = spanloom(c[0], "-d", "s.db", *c[1:], code=(0, 1))
            bad += done.code
            check(done.code == 0 or "s.db" in done.err, f"the message does not name the store:\n{done}")
    check(bad > 5, "damage is not noticed")


# ---- stores that cannot be written

@test
def read_only():
    small_run(path("a"))
    want = dump(imported(path("a"), store="s.db").store)
    os.chmod(path("s.db"), 0o444)
    os.chmod(path(), 0o555)
    os.path.isdir(path("a")) and os.chmod(path("a"), 0o755)
    try:
        for c in (("info",), ("types",), ("sql", "select count(*) from span"), ("rejects",)):
            spanloom(c[0], "-d", path("s.db"), *c[1:], before=without_rights)
        for c in (("import", EXAMPLE), ("forget", path("a/000", PARSL)), ("sql", "--write", "delete from sl_event")):
            r = spanloom(c[0], "-d", path("s.db"), *c[1:], before=without_rights, code=1)
            check(("s.db" in r.err or c[0] == "sql") and re.search("read-?only|ermission|cannot", r.err), r)
    finally:
        os.chmod(path(), 0o755)
    same(dump(path("s.db")), want)


@test
def sql_does_not_write_unless_told():
    small_run(path("a"))
    want = dump(imported(path("a"), store="s.db").store)
    for q in ("delete from sl_event", "drop table sl_span", "insert into span values ('x', 'y', 'z')", "create table t (x)", "pragma user_version = 7", "vacuum",
              "attach 'other.db' as o; create table o.t (x)", "pragma journal_mode = wal", "vacuum into 'other.db'", "attach 'file:other.db?mode=rwc' as o",
              "pragma query_only = 0; delete from sl_event", "pragma optimize", "pragma writable_schema = 1", "select load_extension('x')"):
        spanloom("sql", "-d", "s.db", q, code=(0, 1))
    for q in ("vacuum into 'other.db'", "attach 'other.db' as o", "pragma query_only = 0", "pragma journal_mode = wal"):
        r = spanloom("sql", "-d", "s.db", q, code=1)
        check("--write" in r.err, f"does not name the way:\n{r}")
    r = spanloom("sql", "-d", "s.db", "delete from sl_event", code=1)
    check("--write" in r.err, f"does not name the way:\n{r}")
    same(dump(path("s.db")), want)
    check(not os.path.exists(path("other.db")), "another database was made")
    spanloom("sql", "-d", "s.db", "--write", "insert into span (uuid, type) values ('11111111-0000-0000-0000-000000000000', 'mine')")
    check(any("mine" in x for x in dump(path("s.db"))), "--write did not write")


# ---- two at once

@cases("a new store", "an old store")
def two_imports_at_once(which):
    """Both are done, or one says that the store is busy; what is told as done is there."""
    before, after, took = two_runs()
    imported(path("b"), store="b.db")
    only = {"a": before, "b": dump(path("b.db"), places=True)}
    small_run(path("c"))
    both = failed = 0
    r = rng()
    for i in range(20):
        for end in ("", "-journal", "-wal", "-shm"):
            os.path.exists(path("s.db" + end)) and os.remove(path("s.db" + end))
        if which == "an old store":
            imported(path("c/" + DB), store="s.db")
        running = {}
        for run in r.sample("ab", 2):
            running[run] = subprocess.Popen([PROGRAM, "import", "--quiet", "-d", path("s.db"), path(run)], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(r.choice((0, 0, r.uniform(0, took))))
        done = {}
        for run, p in running.items():
            out, err = p.communicate(timeout=PATIENCE)
            done[run] = p.returncode
            check(p.returncode in (0, 1), f"exit {p.returncode}: {err}")
            check(p.returncode == 0 or re.search("busy|lock|another", err), f"{err}")
        check(os.path.exists(path("s.db")) or all(done.values()), f"{done}, and there is no store")
        whole(path("s.db"))
        got = set(dump(path("s.db"), places=True))
        for run, code in done.items():
            lost = set(only[run]) - got if code == 0 else set()
            check(not lost, f"round {i}: import {run} exit 0, but {len(lost)} things are not there, as {sorted(lost)[:3]}; exits {done}")
        both += all(c == 0 for c in done.values())
        failed += sum(done.values())
        if all(c == 0 for c in done.values()) and which == "a new store":
            same(sorted(got), after, "both at once")
    note(f"{both} of 20 times both were done, {failed} imports gave up")
    check(both > 0, "never both")


@test
def the_same_import_twice_at_once():
    before, _, _ = two_runs()
    for i in range(8):
        os.path.exists(path("s.db")) and os.remove(path("s.db"))
        ps = [subprocess.Popen([PROGRAM, "import", "--quiet", "-d", path("s.db"), path("a")], env=environment(), stderr=subprocess.PIPE, text=True) for _ in range(3)]
        codes = []
        for p in ps:
            _, err = p.communicate(timeout=PATIENCE)
            codes.append(p.returncode)
            check(p.returncode in (0, 1), f"exit {p.returncode}: {err}")
        check(0 in codes, f"none was done: {codes}, {err}")
        whole(path("s.db"))
        same(dump(path("s.db"), places=True), before, f"exits {codes}")


@test
def read_while_it_is_written():
    """Queries during an import see what was before, or after."""
    before, after, took = two_runs()
    shutil.copyfile(path("a.db"), path("s.db"))
    n = {query(path("a.db"), "SELECT count(*) FROM event")[0][0], query(path("ab.db"), "SELECT count(*) FROM event")[0][0]}
    p = subprocess.Popen([PROGRAM, "import", "--quiet", "-d", path("s.db"), path("b")], env=environment())
    while p.poll() is None:
        r = spanloom("sql", "-d", "s.db", "--format", "tsv", "select count(*) as n from event")
        check(int(r.out.split()[1]) in n, f"saw {r.out}, not {n}")
    equal(p.returncode, 0, "the import's exit")
    same(dump(path("s.db"), places=True), after)


@test
def locked_by_a_reader_or_a_writer():
    """Someone has the store open in another program."""
    before, after, _ = two_runs()
    shutil.copyfile(path("a.db"), path("s.db"))
    db = sqlite3.connect(path("s.db"), isolation_level=None)
    db.execute("BEGIN")
    db.execute("SELECT count(*) FROM sl_span").fetchone()
    r = spanloom("import", "-d", "s.db", path("b"), code=(0, 1))
    check(r.code == 0 or re.search("lock|busy", r.err), r)
    note(f"beside a reader: exit {r.code} after {r.seconds:.1f} s")
    db.execute("ROLLBACK")
    db.execute("BEGIN EXCLUSIVE")
    r = spanloom("import", "-d", "s.db", path("b"), code=(0, 1))
    check(r.code == 1 and re.search("lock|busy", r.err) and "s.db" in r.err, r)
    check(r.seconds < PATIENCE / 4, f"waited {r.seconds:.0f} s")
    db.execute("ROLLBACK")
    db.close()
    imported(path("b"), store="s.db")
    same(dump(path("s.db"), places=True), after)


main()
