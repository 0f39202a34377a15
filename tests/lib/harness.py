# SPDX-License-Identifier: Apache-2.0
"""What the fault tests share: a test is a function with @test; main() runs them and prints TAP.

Every test has an empty working directory of its own.  A test file takes words as arguments: only tests whose
name contains one of them are run.  KEEP=1 keeps the directories, TIMES=1 tells the CPU time of each, SEED=N is for
other random numbers, QUICK=1 takes one case of each test.
"""
import ctypes
import datetime
import difflib
import gc
import json
import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import types

gc.set_threshold(100_000, 50, 50)  # what tests read is large and has no cycles, and to look for some took a tenth of their time

ROOT = os.environ.get("ROOT") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = f"{ROOT}/examples/parsl-htex/runinfo"
PROGRAM = shutil.which("spanloom") or sys.exit("Bail out! no spanloom in PATH")
_tests, _here = [], types.SimpleNamespace()
_readers, _reading = {}, threading.RLock()
_waited, _late, _watching, _watch_thread = {}, set(), threading.Lock(), []


def _scratch():
    """Memory where there is enough of it: a commit to a disk takes ten times as long as these small imports."""
    try:
        s = os.statvfs("/dev/shm")
        return "/dev/shm" if s.f_bavail * s.f_frsize > 3 << 30 and os.access("/dev/shm", os.W_OK) and "TMPDIR" not in os.environ else None
    except OSError:
        return None


SCRATCH = _scratch()
PATIENCE = 600  # seconds, for anything that must end; far more than any needs beside other work


def _sanitized():
    try:
        with open(PROGRAM, "rb") as f:
            return b"__asan_init" in f.read()
    except OSError:
        return False


SANITIZED = _sanitized()  # then limits of memory mean nothing, and all is slower


# ---- running tests

def test(f):
    _tests.append((f.__name__.replace("_", " "), f, ()))
    return f


def cases(*values):
    """@cases(a, b): f(a) and f(b) are two tests; for the time between two changes (QUICK) the first is enough."""
    def add(f):
        f.__name__ = f.__name__.replace("_", " ")
        for v in values[:1 if os.environ.get("QUICK") else None]:
            v = v if isinstance(v, tuple) else (v,)
            words = re.sub(r"[^ -~]|#", "?", " ".join(str(x).rpartition("/")[2][:40] for x in v))
            _tests.append((f"{f.__name__} {words}".strip(), f, v))
        return f
    return add


def check(truth, *what):
    if not truth:
        raise AssertionError(" ".join(str(w) for w in what))


def equal(got, want, what=""):
    if not got == want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")


class Skipped(Exception):
    pass


def skip(reason):
    """This test cannot be run here; tests/skips.allow must know it."""
    raise Skipped(reason)


def note(*words):
    """Shown below the test, passed or not."""
    _here.notes.append(" ".join(str(w) for w in words))


def until(truth, what):
    """Waits for a sign. The limit is there so that a fault ends, and not for a machine that is slow."""
    end = time.monotonic() + PATIENCE
    while not (got := truth()):
        check(time.monotonic() < end, f"waited {PATIENCE} s for {what}")
        time.sleep(0.002)
    return got


def path(*parts):
    """Below this test's own directory."""
    return os.path.join(_here.dir, *parts)


def rng():
    """The same random numbers each time, unless SEED says otherwise."""
    return random.Random(f"{os.environ.get('SEED', 1)} {_here.name}")


def _cpu():
    """Seconds of ours and of all that we waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _run(number, name, f, args):
    _here.dir, _here.name, _here.notes = tempfile.mkdtemp(prefix="spanloom-test-", dir=SCRATCH), name, []
    start, failure, skipped = _cpu(), None, ""
    try:
        f(*args)
    except Skipped as e:
        skipped = f" # SKIP {e}"
    except AssertionError as e:
        where = [s for s in traceback.extract_tb(e.__traceback__) if s.filename != os.path.abspath(__file__)]
        failure = f"{os.path.basename(where[-1].filename)}:{where[-1].lineno}: {where[-1].line}\n{e}" if where else str(e)
    except Exception:  # noqa: a broken test is a failed test
        failure = traceback.format_exc()
    _no_reader()
    if not os.environ.get("KEEP"):
        shutil.rmtree(_here.dir, ignore_errors=True)
    lines = [f"{'not ' if failure else ''}ok {number} - {name}{skipped}"]
    lines += [f"# {line}" for line in _here.notes]
    if failure:
        lines += [f"# {line}" for line in failure.splitlines()[:60]]
    if os.environ.get("TIMES"):
        lines.append(f"# {_cpu() - start:.2f} s")
    return "\n".join(lines), not failure


def main():
    chosen = [t for t in _tests if not sys.argv[1:] or any(w in t[0] for w in sys.argv[1:])]
    print(f"1..{len(chosen)}", flush=True)
    bad = 0
    for i, (name, f, args) in enumerate(chosen, 1):
        text, good = _run(i, name, f, args)
        bad += not good
        print(text, flush=True)
    sys.exit(1 if bad else 0)


# ---- running spanloom

class Result:
    def __init__(self, args, code, out, err, seconds, cpu, peak):
        self.args, self.code, self.out, self.err = args, code, out, err
        self.seconds, self.cpu, self.peak_bytes = seconds, cpu, peak  # a limit is one of cpu: seconds are the machine's

    def __str__(self):
        return f"$ spanloom {' '.join(map(str, self.args))}\n{self.out[-1500:]}{self.err[-3000:]}[exit {self.code}]"


def environment(**more):
    return {**os.environ, "TZ": "UTC", "NO_COLOR": "1", **more}


def without_rights():
    """For preexec_fn: root becomes as others are, whom permissions stop. It stays the owner of the program, which may lie
    where only its owner may go; a process that became another user could not begin."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2) if os.geteuid() == 0 else ():  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        if libc.prctl(24, capability, 0, 0, 0):  # PR_CAPBSET_DROP
            raise OSError(ctypes.get_errno(), "root may not give up its rights")


def namespace(*options):
    """A prefix of commands that have mounts, clocks ... of their own, and are root there."""
    command = ("unshare", *(() if os.geteuid() == 0 else ("-r",)), *options)
    # Where / is no mount point (chroot), the propagation of mounts cannot be changed, and need not be.
    for c in (command, (*command, "--propagation", "unchanged")):
        if subprocess.run([*c, "true"], capture_output=True).returncode == 0:
            return c
    skip(f"{' '.join(command)} is not permitted here")


def in_memory():
    """A file for what a process prints."""
    return open(os.memfd_create("printed"), "w+b")


def _watch():
    """One thread for all that are waited for: one for each took as long as all else that is done for a process here."""
    while True:
        time.sleep(1)
        for p, end in list(_waited.items()):
            if time.monotonic() > end:
                _late.add(p)
                p.kill()


def ended(p, timeout=PATIENCE):
    """Waits for p: (what it used, whether it had to be ended).  To wait with subprocess's timeout is to look every 50 ms."""
    with _watching:
        if not _watch_thread:
            _watch_thread.append(threading.Thread(target=_watch, daemon=True))
            _watch_thread[0].start()
    _waited[p] = time.monotonic() + timeout
    _, status, usage = os.wait4(p.pid, 0)
    del _waited[p]
    p.returncode = os.waitstatus_to_exitcode(status)
    return usage, p in _late


def spanloom(*args, code=0, env=None, cwd=None, stdin=subprocess.DEVNULL, before=None, timeout=PATIENCE, prefix=(), text=True):
    """Run it; code is the exit status it must have, or a tuple of those it may have, or None for any that is no crash."""
    args = [str(a) for a in args]
    start = time.time()
    with in_memory() as out, in_memory() as err:
        p = subprocess.Popen([*prefix, PROGRAM, *args], env=environment(**(env or {})), cwd=cwd or path(), stdin=stdin,
                             stdout=out, stderr=err, preexec_fn=before)
        usage, timed_out = ended(p, timeout)
        out.seek(0), err.seek(0)
        o, e = out.read(), err.read().decode(errors="replace")
    r = Result(args, p.returncode, o.decode(errors="replace") if text else o, e, time.time() - start, usage.ru_utime + usage.ru_stime,
               usage.ru_maxrss * 1024)
    check(not timed_out, f"still running after {timeout} s\n{r if text else ''}")
    no_crash(r)
    if code is not None:
        check(r.code in (code if isinstance(code, tuple) else (code,)), f"exit {r.code}, want {code}\n{r if text else r.err}")
    return r


def no_crash(r):
    for sign in ("AddressSanitizer", "runtime error:", "LeakSanitizer", "stack smashing", "double free", "malloc()", "corrupted"):
        if sign in r.err and not r.err.startswith("spanloom: "):
            raise AssertionError(f"crashed\n{r}")
    check(r.code >= 0, f"killed by signal {-r.code}\n{r}")


def imported(*paths, store="spanloom.db", code=0, **more):
    """Import, check the bookkeeping, and give the name of the store."""
    s = store if os.path.isabs(store) else path(store)
    options = more.pop("options", ())
    r = spanloom("import", "-d", s, *options, *paths, code=code, **more)
    if os.path.exists(s):
        bookkeeping(s)
    r.store = s
    return r


def _reader(store):
    """A connection that reads it, kept as long as the file is as it is: to open a store is to parse 100 KB of views."""
    stat = os.stat(store) if os.path.exists(store) else None
    kept = stat and (store, stat.st_ino, stat.st_size, stat.st_mtime_ns)
    if _readers.get("kept") != kept or not kept:
        _no_reader()
        _readers["db"] = sqlite3.connect(f"file:{store}?mode=ro", uri=True, check_same_thread=False)
        _readers["kept"] = kept
    return _readers["db"]


def _no_reader():
    if _readers:
        _readers["db"].close()
        _readers.clear()


def query(store, sql, *args):
    with _reading:
        try:
            return _reader(store).execute(sql, args).fetchall()
        except sqlite3.Error:
            _no_reader()
            raise


def bookkeeping(store):
    """records = used + skipped + rejected for every source, and each reject can be seen."""
    for p, part, records, used, skipped, rejected in query(
            store, "SELECT path, part, records, used, skipped, rejected FROM sources"):
        check(records == used + skipped + rejected,
              f"{p} {part or ''}: {records} records are not {used} used + {skipped} skipped + {rejected} rejected")
    for p, part, rejected, seen in query(store, """SELECT path, part, rejected,
            (SELECT count(*) FROM rejects r WHERE r.source = s.id) FROM sources s WHERE replaced_by IS NULL"""):
        # rows of a damaged database may share a rowid
        check(rejected == seen or p.endswith(".db") and 0 < seen < rejected, f"{p} {part or ''}: {rejected} rejected, but {seen} in the view rejects")


# ---- the dump: what a store says, free of ids and of the order in which it was learnt

def _tables(store):
    with _reading:
        db = _reader(store)
        db.execute("BEGIN")
        try:
            return [db.execute(sql).fetchall() for sql in (
                "SELECT id, type, key, parent, note FROM spans", "SELECT span, time_ns, type, source, place FROM events",
                "SELECT kind, left_span, right_span, source, place FROM links", "SELECT span, name, value, source, place FROM attributes",
                "SELECT span, time_ns, metric, value, source, place FROM samples", "SELECT id, path, part FROM sources",
                "SELECT path, place, reason, text FROM rejects")]
        finally:
            db.rollback()


def paths(store):
    """{span id: ((type, key), ...) from the root}"""
    return _paths(query(store, "SELECT id, type, key, parent, note FROM spans"))


def _paths(spans):
    by_id = {s[0]: s for s in spans}
    known = {}

    def identity(i, depth=0):
        if i not in known:
            if i not in by_id:
                return (("?", f"span {i} is not in the view"),)
            if depth > 50:
                return (("?", "a cycle of parents"),)
            _, kind, key, parent, _ = by_id[i]
            known[i] = (identity(parent, depth + 1) if parent is not None else ()) + ((kind, key),)
        return known[i]
    return {i: identity(i) for i in by_id}


def say(identity):
    return "/".join(f"{kind}={key}" for kind, key in identity)


def dump(store, places=False, rejects=False):
    """Sorted lines.  With places, also where each thing was read (the end of the source's path, its table, the line)."""
    spans, events, links, attributes, samples, sources, rejected = _tables(store)
    known = _paths(spans)
    name = {i: say(p) for i, p in known.items()}
    at = lambda i: name.get(i, f"?{i}")
    where = {i: f"{'/'.join(p.split('/')[-2:])}{'#' + part if part else ''}" for i, p, part in sources}
    place = (lambda s, n: f" @{where.get(s, s)}:{n}") if places else lambda s, n: ""
    lines = [f"span {name[i]} {note or ''}".rstrip() for i, _, _, _, note in spans]
    lines += [f"event {at(s)} {t} {kind}{place(src, n)}" for s, t, kind, src, n in events]
    lines += [f"{kind} {at(left)} -> {at(right)}" for kind, left, right, src, n in links]  # a facet has its sides, too
    lines += [f"attr {at(s)} {k} = {v!r}{place(src, n)}" for s, k, v, src, n in attributes]
    lines += [f"sample {at(s)} {t} {m} = {v!r}{place(src, n)}" for s, t, m, v, src, n in samples]
    if rejects:
        lines += [f"reject {'/'.join(p.split('/')[-2:])}:{n} {reason} {text!r}" for p, n, reason, text in rejected]
    lines.sort()
    twice = [a for a, b in zip(lines, lines[1:]) if a == b and a.startswith("span ")]
    check(not twice, f"two spans of one identity: {twice[:3]}")
    return lines


def everything(store):
    """The dump, and what is in no dump: how sure a link is, what waits, what is doubtful, the books of each source."""
    name = {i: say(p) for i, p in paths(store).items()}
    ends = lambda sql: sorted((name.get(left, "?"), name.get(right, "?"), *map(str, more))
                              for left, right, *more in query(store, sql))
    return {
        "dump": dump(store, places=True, rejects=True),
        "confidence": ends("SELECT left_span, right_span, kind, confidence FROM sl_link"),
        "doubts": ends("SELECT left_span, right_span, kind FROM sl_doubt"),
        "roots": ends("""SELECT root, NULL, path, part FROM sl_root r JOIN sl_source s ON s.id = r.source
            WHERE weak IS NULL"""),
        "unresolved": query(store, """SELECT kind, n.name, path, part, place FROM sl_weak w
            LEFT JOIN sl_name n ON n.id = rule LEFT JOIN sl_source s ON s.id = source ORDER BY 1, 2, 3, 4, 5"""),
        "sources": query(store, """SELECT path, part, recipe, bytes, hash, records, used, skipped, rejected
            FROM sl_source ORDER BY 1, 2"""),
    }


def same(got, want, what="the dumps differ"):
    """Two dumps, or two stores."""
    got, want = (dump(x) if isinstance(x, str) else x for x in (got, want))
    if got != want:
        lines = [d for d in difflib.unified_diff(want, got, "expected", "got", n=0, lineterm="") if not d.startswith("@@")] \
            if len(got) + len(want) < 8000 else \
            [f"-{x}" for x in sorted(set(want) - set(got))][:20] + [f"+{x}" for x in sorted(set(got) - set(want))]
        note_counts = {}
        for d in lines:
            if d[:3] not in ("---", "+++"):
                k = f"{d[0]}{d[1:].split(' ')[0]}"
                note_counts[k] = note_counts.get(k, 0) + 1
        raise AssertionError(f"{what}: {note_counts}\n" + "\n".join(x[:300] for x in lines[:16]))


def whole(store):
    """The file is a sound database and every row names what exists."""
    db = sqlite3.connect(store)
    try:
        equal(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)], "integrity_check")
        for table, column, to in [("sl_span", "type", "sl_name"), ("sl_span", "source", "sl_source"), ("sl_event", "type", "sl_name"),
                                  ("sl_event", "source", "sl_source"), ("sl_event", "span", "sl_span"), ("sl_attr", "span", "sl_span"),
                                  ("sl_sample", "span", "sl_span"), ("sl_link", "left_span", "sl_span"),
                                  ("sl_link", "right_span", "sl_span"), ("sl_span", "parent", "sl_span"), ("sl_span", "alike", "sl_alike"),
                                  ("sl_alike", "source", "sl_source"), ("sl_alike", "shape", "sl_shape")]:
            n = db.execute(f"SELECT count(*) FROM {table} WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT id FROM {to})").fetchone()[0]
            check(n == 0, f"{n} rows of {table} have a {column} that is not in {to}")
    finally:
        db.close()


# ---- runs to import: the example, whole or in part or written differently

LOGS = ("parsl.log", "htex_Local/interchange.log", "htex_Local/block-0/1954f1261cd1/manager.log",
        "htex_Local/block-0/1954f1261cd1/worker_0.log", "htex_Local/block-0/1954f1261cd1/worker_1.log")
PARSL, INTERCHANGE, MANAGER, WORKER0, WORKER1 = LOGS
DB = "monitoring.db"
RUN_ID = "3d9e0d70-39a8-4383-9c87-0c3e06c8c255"


def read(log):
    with open(f"{EXAMPLE}/000/{log}", "rb") as f:
        return f.read()


def write(file, data):
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return file


def cut(data, share):
    """The first part of it, to a line's end."""
    return data[:data.rfind(b"\n", 0, int(len(data) * share)) + 1]


def copy_run(to, share=1.0, logs=LOGS, db=True, number="000", change=lambda log, data: data):
    """A copy of the example's run below `to` (a runinfo directory): logs cut to a share of their length."""
    for log in logs:
        data = read(log)
        write(f"{to}/{number}/{log}", change(log, data if share >= 1 else cut(data, share)))
    if db:
        os.makedirs(to, exist_ok=True)
        shutil.copyfile(f"{EXAMPLE}/{DB}", f"{to}/{DB}")
        if share < 1:
            thin_db(f"{to}/{DB}", share)
    return to


def small_run(to, tasks=20, **more):
    """The example's first tasks: of each log the records up to the time at which that task was submitted, and some more."""
    return copy_run(to, share=tasks / 400, **more)


def thin_db(file, share):
    """As if the run had been stopped at that share: rows of later times are gone, and nothing is said of the end."""
    with sqlite3.connect(file) as db:
        times = [r[0] for r in db.execute("SELECT timestamp FROM status ORDER BY timestamp")]
        end = times[int(len(times) * share)]
        for table in ("status", "resource", "node", "block"):
            db.execute(f"DELETE FROM {table} WHERE timestamp > ?", (end,))
        db.execute("DELETE FROM task WHERE task_time_invoked > ?", (end,))
        db.execute("UPDATE task SET task_time_returned = NULL WHERE task_time_returned > ?", (end,))
        db.execute("DELETE FROM try WHERE NOT EXISTS (SELECT 1 FROM status s WHERE s.task_id = try.task_id AND s.try_id = try.try_id)")
        db.execute("UPDATE workflow SET time_completed = NULL, tasks_failed_count = 0, tasks_completed_count = 0")
        db.commit()
        db.execute("VACUUM")


_HEAD = re.compile(rb"(\d{10})\.(\d{6}) (\S+ \S+) (\S+)-(\d+) (\S+)-(\d+) ([\w.]+):(\d+) (\S+) ([A-Z]+): ")
_NOON = datetime.datetime(1970, 1, 1)
DATES = {"workflow": ["time_began", "time_completed"], "task": ["task_time_invoked", "task_time_returned"],
         "try": ["task_try_time_launched", "task_try_time_running", "task_try_time_returned"], "status": ["timestamp"],
         "block": ["timestamp"], "node": ["timestamp", "last_heartbeat"], "resource": ["timestamp"]}


def rewrite_log(log, data, offset=0, old=False, move=0, run_id=None):
    """The log as written in another zone: offset in seconds, or a function of the Unix time.  With old, HTEX logs are in the
    form of 2023: local time with milliseconds, no epoch.  move shifts all times, in seconds."""
    offset_at = offset if callable(offset) else lambda t: offset
    plain = old and log != PARSL
    out, prefix = [], None
    for line in data.splitlines(keepends=True):
        m = _HEAD.match(line)
        if not m:
            if prefix and line.startswith(b"  "):  # then each of these lines was a record
                line = prefix + line.lstrip()
            out.append(line)
            continue
        s, us, _, process, pid, thread, tid, module, number, function, level = m.groups()
        s = int(s) + move
        local = _NOON + datetime.timedelta(seconds=s + offset_at(s))
        text = line[m.end():]
        if move:  # Unix times in messages, which teach the zone
            text = re.sub(rb"\b(17951\d{5})(\.\d+)", lambda g: b"%d%s" % (int(g[1]) + move, g[2]), text)
        if not plain:
            head = b"%d.%s %s %s-%s %s-%s %s:%s %s %s: " % (s, us, local.strftime("%Y-%m-%d %H:%M:%S").encode(), process, pid,
                                                          thread, tid, module, number, function, level)
        else:
            stamp = local.strftime("%Y-%m-%d %H:%M:%S").encode() + b"." + us[:3]
            if log == INTERCHANGE:
                head = b"%s interchange:%s HTEX-Interchange(%s) %s %s [%s]  " % (stamp, number, pid, thread, function, level)
            elif log == MANAGER:
                head = b"%s parsl:%s %s %s [%s]  " % (stamp, number, pid, thread, level)
                prefix = head
                if not text.strip():  # the first record of today is many lines
                    continue
            else:
                head = b"%s worker_log:%s %s %s [%s]  " % (stamp, number, pid, thread, level)
        out.append(head + text)
    data = b"".join(out)
    return data.replace(RUN_ID.encode(), run_id.encode()) if run_id else data


def rewrite_db(file, offset=0, move=0, run_id=None, rundir=None):
    offset_at = offset if callable(offset) else lambda t: offset

    def shift(text):
        if not text:
            return text
        t = datetime.datetime.fromisoformat(text) + datetime.timedelta(seconds=move)
        s = (t - _NOON).total_seconds()
        return str(t + datetime.timedelta(seconds=offset_at(s)))
    with sqlite3.connect(file) as db:
        db.create_function("shift", 1, shift)
        for table, columns in DATES.items():
            db.execute(f"UPDATE {table} SET {', '.join(f'{c} = shift({c})' for c in columns)}")
            if run_id:
                db.execute(f"UPDATE {table} SET run_id = ?", (run_id,))
        if rundir:
            db.execute("UPDATE workflow SET rundir = ?", (rundir,))


def rewritten_run(to, offset=0, old=False, move=0, run_id=None, share=1.0, number="000", logs=LOGS, db=True):
    copy_run(to, share=share, logs=logs, db=db, number=number,
             change=lambda log, data: rewrite_log(log, data, offset, old, move, run_id))
    if db:
        rewrite_db(f"{to}/{DB}", offset, move, run_id, rundir=number != "000" and f"/scratch/proj/A-htex-small/runinfo/{number}")
    return to


def files_of(runinfo):
    found = [os.path.join(d, f) for d, _, names in os.walk(runinfo) for f in names]
    return sorted(f for f in found if f.endswith((".log", ".jsonlog", ".db")))


def claimed(runinfo):
    """The files that some recipe would read."""
    return [x["path"] for x in json.loads(spanloom("import", "--dry-run", "--format", "json", runinfo).out) if x["recipe"]]
