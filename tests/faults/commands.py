#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands as programs meet them: exit status, which stream, formats that parse, closed pipes, full outputs, no colours."""
import csv
import io
import os
import pty
import select
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

KNOWN = [w for w in ("import", "info", "types", "sequences", "show", "events", "sql", "rejects", "recipes", "forget",
                       "durations", "states", "rate", "utilisation")
         if f"\n  {w} " in subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout]
ISSUE = ("import", "info", "types", "sql", "rejects", "recipes", "sequences", "show", "events")


def store():
    """A store with everything in it, rejects too."""
    d = copy_run(path("runinfo"))
    with open(f"{d}/000/{WORKER0}", "ab") as f:
        f.write(b"1795162315.000001 2026-11-20 08:11:55 HTEX-Worker-0-3775 MainThread-1 a.b:1 worker INFO: Received executor task 99999999999999999999999\n")
        f.write(b"1795162315.577806 2026-11-20 08:11:55 HTEX-Worker-0-3775 \"quoted\",\twith <tab> & more")
    return imported(d, store="s.db").store


READS = {"info": ((),), "types": ((), ("--events",)), "rejects": ((), ("--summary",)), "recipes": ((),),
         "sequences": ((), ("--all",), ("parsl.rundir.task",)), "show": (("task", "42"), ("task", "42", "--lines"), ("worker.task", "17"), ("span", "1")),
         "events": ((), ("parsl.executor.htex.worker.task",), ("--lines",)),
         "durations": (("invoked", "returned"), ("invoked", "worker_received_task", "--list")), "states": ((), ("--bin", "5")),
         "rate": (("worker_received_task",),), "utilisation": ((),),
         "sql": (("select * from events",), ("select * from attributes",), ("select * from rejects",), ("select 1 where 0",),
                 ("select 'a,b' as \"x,y\", 'c\"d' as \"q\"\"q\", char(10) || char(13) || char(9) || char(92) as e, null as n, 1.5 as f, -9223372036854775808 as i, 'ünï' as u",))}
CASES = [(c, *a) for c, many in READS.items() if c in KNOWN for a in many]


def parse(kind, out):
    """Rows as lists of dicts, and complaints of Python's readers are failures."""
    if kind == "json":
        return json.loads(out)
    if kind == "csv":
        rows = list(csv.DictReader(io.StringIO(out, newline=""), strict=True))
    else:
        lines = out.split("\n")
        check(lines.pop() == "", "the last line does not end")
        check("\r" not in out, "a bare carriage return")
        head = lines[0].split("\t")
        rows = []
        for line in lines[1:]:
            cells = line.split("\t")
            check(len(cells) == len(head), f"{len(cells)} cells below {len(head)} names: {line[:200]!r}")
            rows.append(dict(zip(head, cells)))
    for r in rows:
        check(None not in r and None not in r.values(), f"a row of another length: {r}")
    return rows


# ---- formats

def rows_of(kind, command, out):
    """show as json is an object of tables; csv and tsv have its events."""
    rows = parse(kind, out)
    return rows["events"] if (kind, command) == ("json", "show") else rows


@test
def every_command_of_the_issue_is_there():
    equal([c for c in ISSUE if c not in KNOWN], [], "missing commands")


@cases("json", "csv", "tsv")
def formats_parse(kind):
    s = store()
    seen = {}
    for c, *args in CASES:
        r = spanloom(c, "-d", s, "--format", kind, *args, text=False)
        rows = rows_of(kind, c, r.out.decode("utf-8"))
        check(isinstance(rows, list), f"{c} {args}: not a list of rows: {str(rows)[:100]}")
        check(all(isinstance(x, dict) for x in rows), f"{c} {args}: rows without names")
        check(not r.err, f"{c} {args}: {r.err}")
        seen[c, *args] = len(rows)
        if rows:
            names = list(rows[0])
            check(all(list(x) == names for x in rows), f"{c} {args}: rows with other names")
    note(", ".join(f"{' '.join(k)[:30]}: {n}" for k, n in list(seen.items())[:12]))
    for k, n in seen.items():
        check(n or "where 0" in k[-1], f"{' '.join(k)} gives no rows")


@test
def the_same_rows_in_every_format():
    s = store()
    for c, *args in CASES:
        n = {kind: len(rows_of(kind, c, spanloom(c, "-d", s, "--format", kind, *args).out)) for kind in ("json", "csv", "tsv")}
        check(len(set(n.values())) == 1, f"{c} {args}: rows {n}")


@test
def values_are_not_changed():
    """What SQL gives is what a program reads."""
    s = store()
    q = "select 'a,b' as a, 'c\"d' as b, char(10) || 'x' || char(9) as c, 9223372036854775807 as d, 1.0 / 3 as e, 1e300 as f, '' as g, ' lead' as h, 'null' as i, null as j, 0.1 as k, 'é😀' as l"
    want = query(s, q)[0]
    got = list(parse("json", spanloom("sql", "-d", s, "--format", "json", q).out)[0].values())
    equal([str(x) for x in got], [str(x) for x in want], "JSON")
    got = list(parse("csv", spanloom("sql", "-d", s, "--format", "csv", q).out)[0].values())
    equal(got[:4] + [float(got[4]), float(got[5])] + got[6:9], list(want[:3]) + [str(want[3])] + list(want[4:6]) + list(want[6:9]), "CSV")
    for kind, back in (("json", lambda v: float(v)), ("csv", lambda v: float(v)), ("tsv", lambda v: float(v))):
        r = rng()
        floats = [r.uniform(-1, 1) * 10 ** r.randint(-20, 20) for _ in range(200)] + [1795162300.123456789, 5e-324, 1.7976931348623157e308]
        sql = " union all ".join(f"select {i} as i, {x!r} as x" for i, x in enumerate(floats)) + " order by i"
        rows = parse(kind, spanloom("sql", "-d", s, "--format", kind, sql).out)
        off = [(x, row["x"]) for x, row in zip(floats, rows) if abs(back(row["x"]) - x) > 1e-14 * abs(x)]
        check(not off, f"{kind}: numbers are changed: {off[:3]}")


@test
def times_keep_their_microseconds():
    """event.time is Unix seconds: ten digits before the point, six behind it."""
    s = store()
    want = [t for t, in query(s, "SELECT time FROM event ORDER BY uuid LIMIT 500")]
    for kind in ("json", "csv", "tsv", "table"):
        out = spanloom("sql", "-d", s, "--format", kind, "select time from event order by uuid limit 500").out
        got = [float(x) for x in re.findall(r"\d{10}\.\d+", out)] if kind == "table" else [float(r["time"]) for r in parse(kind, out)]
        equal(len(got), len(want), f"times in {kind}")
        far = max(abs(a - b) for a, b in zip(got, want))
        check(far < 1e-6, f"{kind}: times differ by {far:.9f} s")


@test
def integers_beyond_doubles():
    """JSON has *_ns as strings; other whole numbers are numbers."""
    s = store()
    row = parse("json", spanloom("sql", "-d", s, "--format", "json", "select time_ns, time, span from events limit 1").out)[0]
    check(isinstance(row["time_ns"], str) and row["time_ns"].isdigit(), row)
    check(isinstance(row["span"], int), row)
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", row["time"]), row)
    if "show" in KNOWN:
        rows = parse("json", spanloom("show", "-d", s, "--format", "json", "task", "42").out)
        check(all(isinstance(v, str) for t in rows.values() for r in t for k, v in r.items() if k.endswith("_ns")), rows["events"][:1])


@test
def odd_values_in_json():
    """Infinity is not JSON, and bytes are no text."""
    s = store()
    for q in ("select 9e999 as x", "select -9e999 as x", "select x'00ff' as x", "select x'' as x", "select 'a' || char(0) || 'b' as x", "select cast(x'ff' as text) as x", "select 1 as a, 2 as a",
              "select '\u2028\u2029\x7f' as x"):
        out = spanloom("sql", "-d", s, "--format", "json", q, text=False).out.decode("utf-8")
        json.loads(out, parse_constant=lambda c: check(False, f"{q} gives {c}, which is not JSON"))
    for kind in ("csv", "tsv", "table"):
        for q in ("select x'00ff' as x", "select 'a' || char(0) || 'b' as x", "select cast(x'ff' as text) as x"):
            out = spanloom("sql", "-d", s, "--format", kind, q, text=False).out
            check(b"\0" not in out, f"{kind}: a NUL byte for {q}")
            out.decode("utf-8")
    out = spanloom("sql", "-d", s, "--format", "csv", "select x'00ff' as x").out
    check(len(out.splitlines()) == 2 and out.splitlines()[1].strip('"'), f"bytes are shown as nothing: {out!r}")


@cases("json", "csv", "tsv")
def import_says_its_summary(kind):
    small_run(path("runinfo"))
    want = {"recipe", "files", "records", "used", "skipped", "rejects", "spans", "events", "seconds"}
    rows = parse(kind, spanloom("import", "-d", "x.db", "--format", kind, "runinfo").out)
    check(len(rows) == 5 and want <= set(rows[0]), rows)
    equal(sum(int(r["files"]) for r in rows), 6, "files")
    n = query(path("x.db"), "SELECT sum(records), sum(used), sum(skipped), sum(rejected) FROM sources")[0]
    equal(tuple(sum(int(r[k]) for r in rows) for k in ("records", "used", "skipped", "rejects")), n, "sums")
    equal(sum(int(r["spans"]) for r in rows), query(path("x.db"), "SELECT count(*) FROM span")[0][0], "spans")
    equal(sum(int(r["events"]) for r in rows), query(path("x.db"), "SELECT count(*) FROM event")[0][0], "events")
    again = spanloom("import", "-d", "x.db", "--format", kind, "runinfo").out
    if kind == "json":
        equal(json.loads(again), [], "the summary of nothing new")
    rows = parse(kind, spanloom("import", "-d", "y.db", "--format", kind, "--dry-run", "runinfo").out)
    equal(sum(bool(r["recipe"]) for r in rows), 6, "files of --dry-run")
    check(not os.path.exists(path("y.db")), "--dry-run made a store")


@test
def import_quiet():
    small_run(path("runinfo"))
    r = spanloom("import", "-d", "x.db", "--quiet", "runinfo")
    equal((r.out, r.err), ("", ""), "output")


# ---- exit status

@test
def usage_errors():
    """Exit 2, a message on stderr that names what was wrong, and the way on; nothing on stdout."""
    s = store()
    wrong = [(["nope"], "nope"), (["--nope"], "--nope"), (["-x"], "-x"), (["import"], "import"), (["import", "--jobs"], "jobs"), (["import", "--jobs", "0", "x"], "jobs"),
             (["import", "--jobs", "-1", "x"], "jobs"), (["import", "--jobs", "many", "x"], "jobs"), (["import", "--jobs", "2x", "x"], "jobs"), (["import", "--zone", "Mars", "x"], "zone"),
             (["import", "--set", "novalue", "x"], "set"), (["import", "--set", "=x", "x"], "set"), (["import", "--quiet=yes", "x"], "quiet"), (["import", "--unknown", "x"], "--unknown"),
             (["info", "--format"], "format"), (["info", "--format", "xml"], "xml"), (["info", "--format", ""], "format"), (["info", "extra"], "extra"), (["types", "extra"], "extra"),
             (["info", "-d"], "database"), (["rejects", "a", "b"], "rejects"), (["forget"], "forget"), (["sql", "select 1", "select 2"], "sql"), (["recipes", "a", "b"], "recipes"),
             (["import", "-j", "2", "x"], "-j"), (["info", "--form", "csv"], "--form")]
    if "show" in KNOWN:
        wrong += [(["show"], "show"), (["show", "task", "1", "2"], "show"), (["show", "--run", "x"], "show"), (["sequences", "a", "b"], "sequences"), (["events", "a", "b"], "events")]
    failed = []
    for args, word in wrong:
        r = spanloom(*args, env={"SPANLOOM_DB": s}, code=None)
        if r.code != 2 or r.out or word not in r.err or "--help" not in r.err:
            failed.append(f"{' '.join(args)}: exit {r.code}, stdout {r.out[:60]!r}, stderr {r.err[:150]!r}")
    check(not failed, "\n".join(failed))


@test
def no_command():
    r = spanloom(code=2)
    check("usage" in r.err and not r.out, f"usage belongs on stderr when it was not asked for:\n{r}")


@test
def help_is_no_error():
    for c in KNOWN:
        for args in ((c, "--help"), (c, "-h"), ("help", c), (c, "some", "words", "--help")):
            r = spanloom(*args)
            check(f"spanloom {c}" in r.out and not r.err, f"{args}:\n{r}")
        r = spanloom(c, "--help")
        check(all(len(x) <= 120 for x in r.out.splitlines()), f"long lines:\n{r}")
        check("--format" in r.out and "-d" in r.out, r)
    for args in (("--help",), ("-h",), ("help",)):
        r = spanloom(*args)
        check(all(f"\n  {c} " in r.out for c in KNOWN) and not r.err, r)
    r = spanloom("--version")
    check(re.fullmatch(r"spanloom \d+\.\d+\S*\n", r.out), r)


@test
def failures():
    """Exit 1, a message on stderr; nothing on stdout."""
    s = store()
    wrong = [["sql", "syntax error"], ["sql", "select * from nowhere"], ["sql", "select nosuch()"], ["sql", "select"], ["forget", "nosuch"], ["forget", "99999"], ["recipes", "nosuch"],
             ["recipes", "--test", "nosuch.yaml"], ["import", "nosuch"], ["import", "--recipe", "nosuch.yaml", path("runinfo")], ["info", "-d", "nosuch.db"]]
    if "show" in KNOWN:
        wrong += [["show", "task", "99999"], ["show", "nosuch", "1"], ["show", "span", "99999999"], ["show", "span", "x"], ["show", "task", "42", "--run", "nosuch"], ["sequences", "nosuch"], ["events", "nosuch"]]
    failed = []
    for args in wrong:
        r = spanloom(*args, env={"SPANLOOM_DB": s}, code=None)
        if r.code != 1 or r.out or not r.err.startswith("spanloom: ") or not r.err.endswith("\n"):
            failed.append(f"{' '.join(args)}: exit {r.code}, stdout {r.out[:60]!r}, stderr {r.err[:150]!r}")
    check(not failed, "\n".join(failed))


@test
def the_store_is_named_by_option_or_environment():
    s = store()
    want = spanloom("info", "-d", s).out
    for args, env in ((("-d" + s,), {}), (("--database", s), {}), (("--database=" + s,), {}), ((), {"SPANLOOM_DB": s}), (("-d", s), {"SPANLOOM_DB": "/nowhere"})):
        equal(spanloom("info", *args, env=env).out, want, f"{args} {env}")
    os.rename(s, path("spanloom.db"))
    equal(spanloom("info", env={"SPANLOOM_DB": ""}).out, want, "the default")
    os.rename(path("spanloom.db"), path("-odd name.db"))
    equal(spanloom("info", "-d", "-odd name.db").out, want, "a name with a dash")
    spanloom("import", "--quiet", "-d", "-odd name.db", "--", "runinfo")


@test
def names_of_stores():
    """The name is the file's, whatever it looks like to SQLite."""
    small_run(path("runinfo"))
    os.mkdir(path("w"))
    for name in ("file:x.db", "file:x.db?mode=memory", "a?mode=ro", "a b%20c#d.db", "ünï.db", ":memory:", "x.db;drop"):
        spanloom("import", "--quiet", "-d", name, path("runinfo"), cwd=path("w"))
        equal(os.listdir(path("w")), [name], "files")
        check("parsl.log" not in spanloom("info", "-d", name, cwd=path("w")).err, "info")
        os.remove(path("w", name))
    for args in (("info", "-d", ""), ("import", "-d", "", path("runinfo")), ("import", "--database=", path("runinfo"))):
        r = spanloom(*args, cwd=path("w"), code=(1, 2))
        check(r.err and not r.out, r)
        equal(os.listdir(path("w")), [], f"files after {args}")


# ---- selectors

@test
def a_span_of_several_runs():
    """Ambiguous: exit 1 and the candidates; --run chooses."""
    small_run(path("runinfo"))
    rewritten_run(path("other"), move=1000, run_id="11111111-2222-3333-4444-555555555555", number="001", share=.05, db=False)
    os.rename(path("other/001"), path("runinfo/001"))
    s = imported(path("runinfo"), store="s.db").store
    r = spanloom("show", "-d", s, "task", "5", code=1)
    check(RUN_ID in r.err + r.out and "11111111-2222" in r.err + r.out and "--run" in r.err, f"the candidates are not named:\n{r}")
    for run, there, away in (("001", "11111111-2222", RUN_ID), ("11111111", "11111111-2222", RUN_ID), (RUN_ID, RUN_ID, "11111111-2222"), ("000", RUN_ID, "11111111-2222")):
        r = spanloom("show", "-d", s, "task", "5", "--run", run)
        check(there in r.out and away not in r.out, f"--run {run}:\n{r}")
    spanloom("show", "-d", s, "task", "5", "--run", "007", code=1)


@test
def lines_of_logs_that_are_gone():
    """show --lines of a run that was removed or changed since: the events stay, and no wrong line is shown as theirs."""
    small_run(path("runinfo"))
    s = imported(path("runinfo"), store="s.db").store
    spanloom("show", "-d", s, "--lines", "task", "3")
    write(path("runinfo/000", PARSL), b"short\n")
    os.remove(path("runinfo/000", WORKER0))
    write(path("runinfo/000", WORKER1), b"\0" * 100000)
    for args in (("show", "task", "3"), ("events", "parsl.rundir.task")):
        r = spanloom(args[0], "-d", s, "--lines", *args[1:], code=(0, 1))
        check("submitted" in r.out or "launched" in r.out, r)
        check("short" not in r.out and "\0" not in r.out, r)


# ---- outputs that fail

@test
def a_closed_pipe():
    """`| head -1` is no error, and no reason to speak."""
    s = store()
    jobs = [["sql", "-d", s, "--format", k, "select * from events, (select 1 union select 2)"] for k in ("table", "csv", "tsv", "json")] + [["types", "-d", s], ["recipes"], ["--help"]]
    jobs += [["events", "-d", s], ["events", "-d", s, "--format", "json"], ["events", "-d", s, "--lines"]] if "events" in KNOWN else []
    jobs += [["import", "--dry-run", EXAMPLE], ["sequences", "-d", s, "--all"], ["show", "-d", s, "parsl.monitoring.workflow", RUN_ID], ["import", "-d", path("new.db"), EXAMPLE]]
    for args in jobs:
        if args[0] not in KNOWN and args[0] != "--help":
            continue
        for early in (True, False):
            p = subprocess.Popen([PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
            if not early:
                p.stdout.readline()
            p.stdout.close()
            err = p.stderr.read().decode()
            code = p.wait(timeout=PATIENCE)
            check(code == 0 and not err, f"{' '.join(args)}: exit {code}, {err[:300]!r}")


@test
def a_full_output():
    s = store()
    for args in ([["sql", "-d", s, "--format", k, "select * from events"] for k in ("table", "csv", "tsv", "json")] + [["info", "-d", s], ["types", "-d", s], ["recipes"], ["--version"], ["--help"], ["info", "--help"]]
                 + [["import", "--dry-run", EXAMPLE], ["events", "-d", s], ["show", "-d", s, "task", "42"], ["sequences", "-d", s]]):
        with open("/dev/full", "w") as full:
            p = subprocess.run([PROGRAM, *args], stdout=full, stderr=subprocess.PIPE, text=True, env=environment())
        check(p.returncode == 1 and "write" in p.stderr and len(p.stderr.splitlines()) == 1, f"{' '.join(args)}: exit {p.returncode}, {p.stderr[:300]!r}")


@test
def closed_streams():
    """No stdin, stdout or stderr at all: no crash, and no store overwritten by a message."""
    small_run(path("runinfo"))
    for closed in ((0,), (1,), (2,), (0, 1, 2)):
        name = path(f"{''.join(map(str, closed))}.db")
        p = subprocess.Popen([PROGRAM, "import", "-d", name, path("runinfo"), path("nowhere")], env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=lambda: [os.close(i) for i in closed], close_fds=False)
        code = p.wait(timeout=PATIENCE)
        check(code in (0, 1), f"exit {code} without {closed}")
        if os.path.exists(name):
            whole(name)


# ---- terminals

def on_a_terminal(args, env=None, keys=()):
    """What it writes when stdout and stderr are a terminal; keys are pressed one after another, each when it has become quiet."""
    keys = list(keys)
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(PROGRAM, [PROGRAM, *args], environment(**(env or {})))
    out = b""
    while True:
        if not select.select([fd], [], [], .5 if keys else 30)[0]:
            if not keys:
                break
            os.write(fd, keys.pop(0))
            continue
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    os.close(fd)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out.decode(errors="replace")


@test
def typed_sql_with_and_without_libedit():
    """libedit is loaded when somebody types. An empty file in its place is none, as on machines that lack it."""
    s = store()
    os.mkdir(path("lacks"))
    write(path("lacks/libedit.so.2"), "")
    env = {"HOME": path(), "XDG_STATE_HOME": path("state"), "TERM": "xterm"}
    typed = [b"select 6 * 7\n", b"as x;\n", b".quit\n"]
    code, out = on_a_terminal(["sql", "-d", s], env, typed)
    check(code == 0 and re.search(r"^ *42\s*$", out, re.M) and "spanloom> " in out and "...> " in out, out)
    check("libedit" not in out, out)
    with open(path("state/spanloom/history")) as f:
        check("select" in f.read(), "what was typed is not in the history")
    # the line before, and twice as much of it: Ctrl-P, Ctrl-A, Ctrl-D six times
    code, out = on_a_terminal(["sql", "-d", s], env, [b"select 4;\n", b"\x10\x01" + b"\x04" * 6 + b"select 40 +\n", b".quit\n"])
    check(code == 0 and re.search(r"^ *44\s*$", out, re.M), out)
    code, out = on_a_terminal(["sql", "-d", s], {**env, "LD_LIBRARY_PATH": path("lacks")}, typed)
    check(code == 0 and re.search(r"^ *42\s*$", out, re.M) and "...> " in out, out)
    check("there is no libedit.so.2 on this machine" in out and "libedit2" in out, out)


@test
def no_colour_where_none_is_wanted():
    s = store()
    for args in (["info", "-d", s], ["types", "-d", s], ["sql", "-d", s, "select * from events limit 3"], ["nope"], ["show", "-d", s, "task", "42"], ["sequences", "-d", s]):
        if args[0] not in KNOWN and args[0] != "nope":
            continue
        _, out = on_a_terminal(args)
        check("\033[3" not in out and "\033[1m" not in out and "\033[9" not in out, f"colours in spite of NO_COLOR: {out[:200]!r}")
        r = spanloom(*args, code=None, env={"NO_COLOR": "", "CLICOLOR_FORCE": "", "TERM": "xterm-256color"})
        check("\033" not in r.out + r.err, f"escapes where there is no terminal: {r}")


@test
def progress_on_a_terminal_only():
    copy_run(path("runinfo"))
    code, out = on_a_terminal(["import", "-d", path("x.db"), path("runinfo")])
    equal(code, 0, "exit")
    check("new spans" in out, out)
    check("\033[K" not in out.split("recipe")[-1], "progress among the summary")
    r = spanloom("import", "-d", "y.db", "runinfo")
    check("\r" not in r.out + r.err and "\033" not in r.out + r.err, "progress where there is no terminal")


@test
def a_log_does_not_drive_the_terminal():
    """Escape sequences and line ends in what tasks print are shown, not obeyed."""
    evil = "\033]0;owned\007\033[2J\x9b31m\u202e\r\b"
    log = f"1795162300.000001 2026-11-20 08:11:40 M-2 T-1 a.b:1 f INFO: Task 1 submitted for App a{evil}b, not waiting\n" \
          f"1795162300.000002 2026-11-20 08:11:40 M-2 T-1 a.b:1 f INFO: Task 99999999999999999999999 submitted for App {evil}, not waiting\n"
    s = imported(write(path("runinfo/000/parsl.log"), log), store="s.db").store
    for args in (["sql", "-d", s, "select * from attributes"], ["rejects", "-d", s], ["show", "-d", s, "task", "1"], ["show", "-d", s, "--lines", "task", "1"], ["events", "-d", s, "--lines", "parsl.rundir.task"],
                 ["recipes", "--test", f"{ROOT}/recipes/parsl/log.yaml", path("runinfo/000/parsl.log")]):
        if args[0] in KNOWN:
            r = spanloom(*args, code=None)
            bad = [c for c in ("\033", "\007", "\b", "\x9b") if c in r.out + r.err]
            check(not bad, f"{args[0]}: {bad} in the output: {(r.out + r.err)[:300]!r}")


@test
def the_shell():
    """`sql` without a query reads queries to the end."""
    s = store()
    write(path("in.sql"), "select count(*) from span;\nselect 1 as a,\n  2 as b;\n-- a remark; no query\nselect ';' as c;")
    with open(path("in.sql")) as f:
        r = spanloom("sql", "-d", s, "--format", "csv", stdin=f)
    check("a,b\n1,2\n" in r.out.replace("\r", "") and "c\n;\n" in r.out, r)
    write(path("in.sql"), "select nonsense;\n")
    with open(path("in.sql")) as f:
        r = spanloom("sql", "-d", s, stdin=f, code=1)
    check("nonsense" in r.err, r)
    code, out = on_a_terminal(["sql", "-d", s], env={"HOME": path(), "XDG_STATE_HOME": path("state"), "TERM": "dumb"}, keys=(b"select 40 + 2 as answer;\n", b"\x04"))
    equal(code, 0, "exit of the shell")
    check("42" in out, out)
    write(path("w.sql"), "delete from sl_event;\n")
    with open(path("w.sql")) as f:
        spanloom("sql", "-d", s, stdin=f, code=(0, 1))
    check(query(s, "SELECT count(*) FROM event")[0][0] > 1000, "the shell wrote without --write")


# ---- --set, --recipe

@test
def a_field_for_all_files():
    """Logs that lie flat, told where they belong."""
    small_run(path("runinfo"), logs=(PARSL,), db=False)
    os.rename(path("runinfo/000/parsl.log"), path("parsl.log"))
    s = imported(path("parsl.log"), options=("--set", "rundir=/told/001")).store
    check(len(dump(s)) > 50, "too little was read")
    write(path("nothing.log"), cut(read(PARSL), .02).replace(RUN_ID.encode(), b""))
    flat = write(path("flat/parsl.log"), b"".join(x for x in cut(read(PARSL), .05).splitlines(keepends=True) if b"Run id is" not in x))
    s = imported(flat, store="flat.db", options=("--set", "rundir=/told/001")).store
    roots = {p[0] for p in paths(s).values()}
    equal(roots, {("parsl.rundir.workflow", "/told/001")}, "roots")


@test
def a_recipe_of_ones_own():
    """A made-up MPI code's log, by ten lines of YAML; a wrong recipe is named by file and line."""
    write(path("mine.yaml"), """recipe: my.mpi
about: Log of a made-up MPI code.
spans:
  my_job: {type: my.job, key: "{dir}"}
  my_rank: {type: my.rank, key: "{rank}", in: my_job}
inputs:
  - files: "{dir}/ranks.out"
    reader: lines
    head: '^(?<t>\\d+\\.\\d+) '
    times: {t: unix}
records:
  - match: '^rank (?<rank>\\d+) (?<what>\\w+)'
    span: my_rank
    event: "{what}"
samples:
  - file: /j/ranks.out
    lines: |
      1795162300.5 rank 3 began
    gives:
      - my.rank 3 began 1795162300.5
""")
    write(path("job/ranks.out"), "1795162300.5 rank 0 began\n1795162300.75 rank 1 began\n1795162309.5 rank 0 ended\n1795162310 rank 1 ended\n")
    r = spanloom("recipes", "--test", "mine.yaml", "job/ranks.out")
    check("rank 0" in r.out, r)
    s = imported(path("job"), options=("--recipe", path("mine.yaml"))).store
    equal(query(s, "SELECT count(*) FROM events")[0][0], 3, "events (of four records, one has no fraction)")
    equal(sorted(p[-1] for p in paths(s).values()), [("my.job", path("job")), ("my.rank", "0"), ("my.rank", "1")], "spans")
    for bad, line in (("recipe: x\n\trecords: y\n", 2), ("recipe: x\nabout: y\nnonsense: z\n", 3), ("recipe: x\nrecipe: y\n", 2), ("[1, 2", 2), ("", None), ("recipe: x\ninputs: 5\n", 2),
                      ("recipe: x\nabout: y\ninputs:\n  - files: 'a.log'\n    reader: nosuch\nrecords: []\n", 5), ("recipe: x\nabout: y\ninputs:\n  - files: 'a.log'\n    reader: lines\n    head: '('\nrecords: []\n", 6)):
        write(path("bad.yaml"), bad)
        for args in (["import", "-d", "x.db", "--recipe", "bad.yaml", "job"], ["recipes", "--test", "bad.yaml"]):
            r = spanloom(*args, code=1)
            check("bad.yaml" in r.err and (line is None or f":{line}" in r.err), f"{bad!r} wants bad.yaml:{line}:\n{r}")
        check(not os.path.exists(path("x.db")), "a store was made")


main()
