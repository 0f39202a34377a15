#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a terminal shows: no line is wider than it, in columns and not in bytes; --wide cuts nothing; a pipe gets all."""
import fcntl
import os
import pty
import struct
import sys
import termios
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

COMMANDS = ["types", "info", "runs", "links", "skew", "recipes", "rejects", "states", "failures", "utilisation", "help rejects",
            "critical-path", "critical-path --all", "critical-path --by task", "show task 5", "show task 159", "events parsl.rundir.task",
            "durations", "durations --by worker", "sequences", "sequences --all", "rate launched", "durations invoked returned", "durations submitted exec_done", "plot --list", "--help",
            "sql select+path,recipe,hash+from+sl_source", "sql .tables", "import --dry-run runinfo"]


def on_terminal(columns, *args, env=None):
    pid, fd = pty.fork()
    if not pid:
        os.chdir(path())
        env = {**environment(), **(env or {})}
        env.pop("COLUMNS", None)
        os.execve(PROGRAM, [PROGRAM, *args], env)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    out = b""
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    os.close(fd)
    os.waitpid(pid, 0)
    return out.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")


def width(line):
    line = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


@test
def fits():
    """At 80 columns all of these; what is wide by its numbers alone stays whole."""
    copy_run(path("runinfo"))
    write(path("runinfo/000/htex_Local/interchange.log"), read("htex_Local/interchange.log")[:-30])
    imported("runinfo")
    for command in COMMANDS:
        args = [a.replace("+", " ") for a in command.split()]
        shown = on_terminal(80, *args)
        check(len(shown) > 40, command, shown)
        for line in shown.split("\n"):
            check(width(line) <= 80, command, f"{width(line)} columns:", line)
    cut, wide = on_terminal(80, "skew"), on_terminal(80, "skew", "--wide")
    check("…" in cut and "…" not in wide and "/runinfo/000/parsl.log" in wide, cut, wide)
    check("…" not in spanloom("skew").out, "what goes into a pipe is whole")
    check("worker_0.log" in cut, "of a path its end is told", cut)


@test
def columns_of_characters():
    """East Asian letters take two columns, combining marks none: tables stay straight, and are cut between characters."""
    imported(copy_run(path("runinfo"), db=False))
    sql = "WITH t(name, n) AS (VALUES ('日本語のタスク名前がとても長いものです', 1), ('e\u0301te\u0301', 2), ('plain', 3)) SELECT name, n, name AS again, name AS more FROM t"
    for columns in 60, 80, 200:
        lines = on_terminal(columns, "sql", sql).rstrip("\n").split("\n")
        for line in lines:
            check(width(line) <= columns, line)
        where = [width(x[:re.search(r" (n|1|2|3)  ", x).start()]) for x in lines]
        equal(len(set(where)), 1, f"the second column, at {columns}")


@test
def progress():
    """It names the file at hand, in one line that fits."""
    copy_run(path("runinfo"))
    lines = on_terminal(100, "import", "runinfo").split("\n")
    shown = [x for x in lines if "left;" in x]
    check(shown and all(width(x) < 100 for x in shown), *lines)
    check(any(re.search(r" events; .*(\.log|monitoring\.db)$", x) for x in shown), *shown)


@test
def meant():
    """A name that is none gets those that are near it."""
    imported(copy_run(path("runinfo")))
    for args, want in {("statez",): "'states'", ("info", "--databse", "x"): "'--database'",
                       ("states", "parsl.monitoring.tsk"): "'parsl.monitoring.task'",
                       ("sql", "select * from parsl_taks"): "'parsl_task'", ("sql", "select nmae from span_type"): None,
                       ("sql", "select pth from sources"): "'path'",
                       ("show", "task", "1234"): "there are 0 to 197;",
                       ("show", "worker.taks", "3"): "'parsl.executor.htex.worker.task'", ("sql", ".schema parsl_taks"): "'parsl_task'",
                       ("plot", "statez", "-o", "x.json"): "states"}.items():
        r = spanloom(*args, code=(1, 2))
        check(want is None or want in r.err, args, r.err)


@test
def colours():
    """On a terminal, or where asked for; never where NO_COLOR is set, in a pipe or for programs. Colour takes no column."""
    imported(copy_run(path("runinfo")))
    for args in ("critical-path",), ("failures",), ("why",):
        plain = on_terminal(80, *args)
        shown = on_terminal(80, *args, "--color", "always")
        check("\x1b[" not in plain, "NO_COLOR is set here, and TERM is dumb", plain)
        check("\x1b[31m" in shown and shown.count("\x1b[0m") > 1, args, shown)
        equal(re.sub(r"\x1b\[[0-9]*m", "", shown), plain, args)
        env = {"NO_COLOR": "", "TERM": "xterm"}
        check("\x1b[31m" in on_terminal(80, *args, env=env), args, "a terminal alone")
        check("\x1b[" not in on_terminal(80, *args, "--color", "never", env=env), args)
        check("\x1b[" not in spanloom(*args, env=env).out, args, "a pipe")
        check("\x1b[" not in spanloom(*args, "--color", "always", "--format", "csv").out, args, "for programs")
    check("auto, always or never" in spanloom("info", "--color", "sometimes", code=2).err, "a value that is none")


main()
