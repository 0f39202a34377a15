#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shells, and programs below them, in the tasks of Parsl's workers: in the right one, or in doubt.

Of the kept runs each traced span says which task it is of (image=xN): bash apps with one shell, several, nested ones, one
that is replaced by a program, one without `end`, children that outlive their task, Python apps that start shells and do
not wait, and tasks that trace nothing. `parsl-2024-shell` has times of whole milliseconds, and the program that called
Parsl is traced, too.
"""
import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
import tasks  # noqa: E402

DATA = f"{ROOT}/tests/data"
BUILD = os.environ.get("BUILD", f"{ROOT}/build-gcc")
RUNS = {"parsl-2026-shell": (20, 1), "parsl-2024-shell": (13, 0)}  # in their task, and in doubt


def said(store):
    name = {i: say(p) for i, p in paths(store).items()}
    return (sorted((kind, name[a], name[b], rule, c) for kind, a, b, rule, c in
                   query(store, "SELECT kind, left_span, right_span, rule, confidence FROM links WHERE rule LIKE 'trace.%'")),
            sorted((name[a], name[b], rule) for a, b, rule in query(store, "SELECT left_span, right_span, rule FROM doubts")))


@cases(*RUNS)
def each_span_in_its_task(run):
    equal(tasks.judge(imported(f"{DATA}/{run}").store), RUNS[run], "in their task, and in doubt")


@cases(*RUNS)
def whichever_comes_first(run):
    want = said(imported(f"{DATA}/{run}").store)
    store = path("parts.db")
    for part in "runinfo/000/traces", "runinfo/000/htex", "runinfo/000/parsl.log", "":
        imported(f"{DATA}/{run}/{part}", store=store)
    equal(said(store), want)
    imported(f"{DATA}/{run}", store=store)
    equal(said(store), want, "once more")


@cases(*RUNS)
def unbound(run):
    store = imported(f"{DATA}/{run}").store
    spanloom("unbind", "-d", store, "trace.worker")
    equal(query(store, "SELECT count(*) FROM links WHERE rule = 'trace.worker'"), [(0,)])
    equal(query(store, "SELECT count(*) FROM doubts WHERE rule = 'trace.worker'"), [(0,)])


@test
def with_workers_that_log_json():
    shutil.copytree(f"{DATA}/parsl-2026-shell", path("run"))
    for folder, _, files in os.walk(path("run")):
        for log in (os.path.join(folder, f) for f in files if f.startswith("worker_")):
            with open(log) as f, open(log[:-4] + ".jsonlog", "w") as out:
                for line in f:
                    m = re.match(r"(\S+) \S+ \S+ (\S+)-(\d+) (\S+)-(\d+) (\S+):(\d+) (\S+) (\S+): (.*)", line)
                    created, name, pid, thread_name, thread, logger, lineno, function, level, text = m.groups()
                    json.dump({"created": float(created), "process": int(pid), "processName": name, "threadName": thread_name,
                               "thread": int(thread), "name": logger, "lineno": int(lineno), "funcname": function, "levelname": level,
                               "msg": text, "formatted": text}, out)
                    out.write("\n")
            os.remove(log)
    equal(tasks.judge(imported(path("run")).store), RUNS["parsl-2026-shell"])


@test
def a_task_without_an_end():
    """Its worker was killed: the next one of that worker ends it."""
    shutil.copytree(f"{DATA}/parsl-2026-shell", path("run"))
    log, = [os.path.join(d, f) for d, _, files in os.walk(path("run")) for f in files if f == "worker_0.log"]
    with open(log) as f:
        lines = [line for line in f if not re.search(r"(Completed|finished for) executor task [47]$", line)]
    with open(log, "w") as f:
        f.writelines(lines)
    inside, doubtful = tasks.judge(imported(path("run")).store)
    check(inside >= 18, f"{inside} in their task, {doubtful} in doubt")


def ancestors(trace):
    """Those that the trace tells: pid, start, and how it was begun."""
    with open(trace) as f:
        told = re.search(r'"ancestors": ?"([^"]*)"', f.read())
    return [re.match(r"(\d+)@(\d+)(,bash)?$", w).groups() for w in told.group(1).split()] if told else []


@cases(0, 1)
def times_at_both_ends_of_all_there_are(odd):
    """A damaged store: what begins and what ends are as far apart as times can be. The sanitized build sees sums that are none."""
    store = imported(f"{DATA}/parsl-2026-shell").store
    with contextlib.closing(sqlite3.connect(store)) as db:
        db.execute("UPDATE OR IGNORE sl_event SET time_ns = CASE type % 2 WHEN ? THEN 9223372036854775807 - place ELSE -9223372036854775807 + place END", (odd,))
        db.commit()
    spanloom("unbind", "-d", store, "trace.worker")
    for words in ((), ("--tree",)):
        spanloom("profile", "-d", store, *words)


@test
def what_is_above_is_told_where_a_pool_is():
    """Of a shell, and of a program that took its place: who is above, and when each began."""
    with open(path("p.c"), "w") as f:
        f.write('#include <spanloom/trace.h>\nint main(void) { SPANLOOM_SPAN("main"); return 0; }\n')
    subprocess.run(["cc", "-o", path("p"), path("p.c"), *spanloom("flags", "c").out.split()], check=True)
    os.mkdir(path("traces"))
    env = environment(PERFFLOW_OPTIONS=f"log-dir={path('traces')}", PATH=f"{os.path.dirname(os.path.abspath(PROGRAM))}:{os.environ['PATH']}")
    env.pop("PARSL_WORKER_POOL_ID", None)
    for command in "spanloom begin x; spanloom end", path("p"):
        for pool in {}, {"PARSL_WORKER_POOL_ID": "p", "PARSL_WORKER_RANK": "0"}:
            shell = subprocess.Popen(command, shell=True, executable="/bin/bash", env={**env, **pool}, cwd=path())
            check(shell.wait() == 0, command)
            trace, = os.listdir(path("traces"))
            told = ancestors(path("traces", trace))
            os.remove(path("traces", trace))
            if not pool:
                equal(told, [], "ancestors without a pool")
                continue
            equal([int(t[0]) for t in told[:2]], [shell.pid, os.getpid()], command)
            check(told[0][2], "begun by bash")
            between = (int(told[0][1]) - int(told[1][1])) / 1e7
            check(abs(between - round(between)) < 0.01, f"both on the kernel's grid, {between} apart")
    child = subprocess.Popen([path("p")], env={**env, **pool}, cwd=path())
    child.wait()
    trace, = os.listdir(path("traces"))
    told = ancestors(path("traces", trace))
    equal((int(told[0][0]), told[0][2]), (child.pid, None), "begun by no bash")


SCRIPT = """
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    spanloom begin before; sleep 0.03; spanloom end
    sh -c "spanloom begin within; spanloom end; true"
done
"""


@test
def a_shell_that_a_shell_started_after_a_span():
    """The kernel says when it began in hundredths of a second, cut off: that is in the span, and it was not."""
    env = environment(PATH=f"{os.path.dirname(os.path.abspath(PROGRAM))}:{os.environ['PATH']}")
    subprocess.run(["bash", "-c", SCRIPT], env=env, cwd=path(), check=True)
    store = imported(*[f for f in os.listdir(path()) if f.endswith(".pfw")]).store
    inside = query(store, """SELECT o.type FROM links k JOIN spans o ON o.id = k.left_span JOIN spans p ON p.id = k.right_span
        WHERE k.kind = 'in' AND p.type = 'trace.process'""")
    equal(inside, 12 * [("trace.process",)], "what the shells lie in")


if __name__ == "__main__":
    main()
