#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""On a terminal of 80 columns no line of any command, usage or error is wider, but for what is of no use in parts."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

COLUMNS = 80
TRACE = os.path.join(ROOT, "tests/data/traces/usage.pfw")
ALLOWED = [  # what may be wider, and why
    (r"^ *(spanloom: )?(\S+: )?\S*/\S*[:,;.]?$", "a path is not parted, so that it can be copied"),
    (r"^ *[(`]?spanloom \S.*", "neither is a command"),
]
PROGRAMS_READ = {"graph": "a description for graphviz", "flags": "options for a compiler"}


def on_terminal(*words):
    """What the command shows on a terminal: its lines, and how it ended."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    env = {k: v for k, v in environment(TERM="xterm").items() if k not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=its, stderr=its, env=env, cwd=path())
    os.close(its)
    out = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        out += data
    os.close(ours)
    return out.decode().replace("\r", "").split("\n"), process.wait(PATIENCE)


def width(line):
    line = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in line)


def check_width(*words, code=None):
    lines, ended = on_terminal(*words)
    wide = [x for x in lines if width(x) > COLUMNS and not any(re.match(p, x) for p, _ in ALLOWED)]
    check(not wide, " ".join(words), *wide[:3])
    check(len(lines) > 1 and (ended == code if code is not None else ended < 4), " ".join(words), ended, *lines[:3])


def commands():
    lines = spanloom("help").out.split("\n")
    return [x.split()[0] for x in lines[lines.index("commands:"):] if re.match(r"  [a-z]", x) and not x.startswith("  spanloom") and "--" not in x]


@test
def a_wide_line_is_seen():
    equal(width("x" * 81), 81)
    equal(width("\x1b[31m漢\x1b[0m"), 2)
    lines, code = on_terminal("graph")
    equal(code, 1, lines)


@test
def every_usage():
    check(len(commands()) > 35, commands())
    for c in commands():
        check_width(c, "--help", code=0)
    check_width("help", code=0)


def stores():
    """One run, and several in one store, with a path that is long."""
    if not os.path.exists(path("one.db")):
        imported(EXAMPLE, store="one.db")
        long = path("a-folder-with-a-long-name", "and-another-one-below-it-that-is-long-too", "runinfo")
        shutil.copytree(f"{ROOT}/tests/data/parsl-2026-dual/runinfo", long)
        imported(EXAMPLE, long, store="two.db")


OF_ONE = [
    "why", "why --all", "failures", "runs", "critical-path", "critical-path --by app", "critical-path --all", "critical-path --slack", "what-if", "plan", "plan --target 20%",
    "what-if|workers x2", "what-if|task 0 x0.1|app add x2", "sequences", "sequences --all", "sequences --by app", "sequences parsl.executor.htex.worker.task",
    "durations", "durations --by worker", "durations invoked returned", "durations invoked returned --by app", "durations --list invoked returned",
    "states", "states --by executor", "states parsl.rundir.block", "rate returned", "rate worker_* --by worker", "utilisation", "utilisation --by worker",
    "skew", "info", "types", "types --events", "show task 0", "show task 170", "show task 0 --lines", "show workflow",
    "events parsl.rundir.try", "links", "links --doubtful", "links --unresolved", "links --rule parsl.log:68", "rejects", "rejects --summary", "recipes",
    "bind", "plot --list", "plot --list durations", "sql|SELECT type, key, note FROM spans", "sql|.tables", "sql|.schema",
    "sql|.schema spans", "usage", "metrics", "import --dry-run " + os.path.join(ROOT, "examples"),
]
OF_TWO = ["runs", "info", "types", "states", "sequences", "rate returned", "diff RUN parsl-htex", "diff RUN parsl-htex --all", "diff RUN parsl-htex --by app",
          "why RUN parsl-htex", "profile", "skew", "links", "durations invoked returned"]
ERRORS = [
    "nothing", "show", "show task 999", "show tsk 1", "show task 1 --run parsl-htx", "states parsl.monitoring.tsk", "states --by colour", "states --lens nothing",
    "rate rturned", "rate", "durations a b", "durations invoked", "what-if|wrkers x2", "what-if|task 9999 x2", "what-if|app ad x2", "critical-path --by taks", "export",
    "export perfeto", "plot", "plot statess -o x.svg", "plot states", "plot states -o x.jpg", "diff", "diff a b", "report", "why nothing", "why --fail-on x", "plan nothing", "plan --target x", "plan --keep x",
    "sql|select * from taks", "sql|select tpe from spans", "sql|.schem", "forget parsl.lo", "bind nothing", "bind|a.b in c.d where a.x = b.y", "unbind nothing",
    "recipes parsl.lg", "links --rule nothing", "import", "import nothing", "import --zone x y", "experiment", "experiment meens", "experiment run", "profile nothing",
    "flags nothing", "run", "trace", "monitor --interval x", "metrics nothing", "serve --follow nothing", "runs x", "rejects nothing", "sequences --merge x",
]


def words_of(line, store):
    words = line.split("|")[0].split() + line.split("|")[1:]
    return [*(TRACE if w == "TRACE" else w for w in words), "-d", store]


@cases(*range(4))
def every_command(part):
    stores()
    for line in OF_ONE[part::4]:
        check_width(*words_of(line, "one.db"))


@test
def times_that_are_cut_keep_the_time_of_day():
    """Not the zeros at their end."""
    stores()
    for line in ("critical-path --slack", "durations --list invoked returned"):
        lines, _ = on_terminal(*words_of(line, "one.db"))
        times = [x for x in lines[1].split() if x.startswith("…")]
        check(len(times) == 2 and all(re.match(r"…\d\d:\d\d:\d\d\.\d+$", x) for x in times), line, lines[1])


@test
def names_that_are_cut_show_it():
    stores()
    lines, _ = on_terminal("metrics", "--by", "app", "-d", "one.db")
    check(any(x.startswith("slow_with_wallti… ") for x in lines), *lines)


@test
def stores_of_several_runs():
    stores()
    names = [r["run"] for r in json_of("runs", "two.db") if r["run"] != "parsl-htex"]
    equal([n.rpartition("/")[2] for n in names], ["and-another-one-below-it-that-is-long-too"])
    for line in OF_TWO:
        check_width(*words_of(line.replace("RUN", names[0]), "two.db"))


def json_of(command, store):
    import json
    return json.loads(spanloom(command, "-d", store, "--format", "json").out)


@test
def why_is_one_screen():
    """What does not fit is counted, and no more than what it costs; what failed, which costs no seconds, is always there."""
    stores()
    short, code = on_terminal("why", "-d", "one.db")
    whole, _ = on_terminal("why", "-d", "one.db", "--all")
    equal(code, 0)
    first = [[x for x in (re.sub(r"\x1b\[\d*m", "", x) for x in lines) if re.match(r" [ 0-9]\d?\. ", x)] for lines in (short, whole)]
    check(len(short) - 1 <= 40 < len(whole) - 1, len(short), len(whole))
    more = len(first[1]) - len(first[0])
    notes = [x for x in first[1] if not re.search(r"\. [\d.]+ s \(", x)]
    kept = len(first[0]) - len(notes)
    check(len(notes) == 1 and "tasks failed at last" in notes[0] and kept > 1, *first[1])
    equal(first[0], first[1][:kept] + notes)
    costs = re.match(r" \d\. ([\d.]+ s) ", first[1][kept])[1]
    equal(short[-2], f"{more} more finding{f's, of {costs} and less; --all has them' if more > 1 else f', of {costs}; --all has it'}")


@test
def errors():
    stores()
    for line in ERRORS:
        for store in ("one.db", "two.db", "none.db"):
            lines, code = on_terminal(*words_of(line, store))
            check(code in (1, 2) or store == "none.db", line, store, code, *lines[:3])
            check_width(*words_of(line, store), code=code)


@test
def every_command_is_here():
    """One that is new gets its lines."""
    told = {x.split("|")[0].split()[0] for x in OF_ONE + OF_TWO + ERRORS}
    without = {"help", "begin", "end", "event", "span"}  # print nothing but what a script asks for
    equal(sorted(set(commands()) - told - without - set(PROGRAMS_READ)), [])


main()
