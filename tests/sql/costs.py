#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What questions cost, in steps of SQLite's virtual machine, which no clock and no other work on the machine changes: a question
about one run or one task must not cost what else is in the store."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import *  # noqa

COUNTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static long long steps;

int sqlite3_finalize(sqlite3_stmt *q)
{
    int (*next)(sqlite3_stmt *);
    *(void **)&next = dlsym(RTLD_NEXT, "sqlite3_finalize");
    steps += q ? sqlite3_stmt_status(q, SQLITE_STMTSTATUS_VM_STEP, 0) : 0;
    return next(q);
}

__attribute__((destructor)) static void tell(void)
{
    FILE *f = fopen(getenv("STEPS"), "w");
    if (f && fprintf(f, "%lld\n", steps) > 0)
        fclose(f);
}
"""


def counter():
    library = path("counter.so")
    if not os.path.exists(library):
        write(path("counter.c"), COUNTER)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, path("counter.c")], check=True)
    return library


def steps(store, *words):
    """Steps of all statements of a command, of those, too, by which it opens the store and table functions ask."""
    if SANITIZED:
        skip("a sanitizer wants to be loaded first")
    spanloom(*words, "-d", store, env={"LD_PRELOAD": counter(), "STEPS": path("steps")})
    with open(path("steps")) as f:
        return int(f.read())


def done(store):
    """With what an import would know of the tables' sizes."""
    db = sqlite3.connect(store.done())
    db.executescript("PRAGMA analysis_limit = 400; ANALYZE sl_span")
    db.close()
    return store.file


def store_of(runs, tasks, file):
    """Runs of so many tasks each, run0 with 5."""
    s = Store(file)
    for run in range(runs):
        w, before = s.workflow(f"run{run}"), []
        executor = s.span(EXECUTOR, "htex", w)
        manager = s.span("parsl.executor.htex.manager", "m", executor, MANAGER)
        worker = s.span("parsl.executor.htex.worker", "0", manager, WORKER)
        for i in range(5 if not run else tasks):
            at = i * S
            t = s.task(w, i, before[-1:], submitted=at, pending=at, launched=at + MS, exec_done=at + 9 * MS)
            s.htex(t, 0, at + MS, at + 2 * MS, at + 3 * MS, at + 4 * MS, at + 5 * MS, at + 6 * MS, at + 6 * MS, at + 7 * MS,
                   executor=executor, manager=manager, worker=worker)
            before.append(t)
    return done(s)


@cases("show --run run0 task 3", "show --run run0 task 3 --format json", "critical-path --run run0", "critical-path --run run0 --slack", "sequences --run run0",
       "states --run run0", "utilisation --run run0", "durations submitted exec_done --run run0", "diff run0 run1", "sequences task --run run0", "graph --run run0", "graph task --run run0")
def one_run_costs_what_it_has(command):
    """A root more is a name more to look at; show, too, meets a task of that key in each run.  All of a run would be 5,000 steps and more.
    What a run is called in a heading depends on what others are called."""
    of_one = 1500 if command == "critical-path --run run0" else 80
    small, large = store_of(30, 20, "small.db"), store_of(66, 20, "large.db")
    a, b = steps(small, *command.split()), steps(large, *command.split())
    note(f"{a} steps, {b}")
    check(b - a < 36 * of_one, f"{command}: {a} steps in a store of 30 runs, {b} in one of 66")


def traced(processes, calls, file):
    """Processes of so many calls each, p0 with 5, of which one did not end; p0 started p1, and a command that did not end all others.  Something waited in each."""
    s = Store(file)
    command = s.span("trace.call", "make", s.span("trace.thread", "1", s.span("trace.process", "n1:1@1")), begin=0)
    main = None
    for p in range(processes):
        process = s.span("trace.process", f"p{p}:{p + 2}@{p}")
        s.attr(process, "program", "prog")
        if p:
            s.link(main if p == 1 else command, IN, process)
        thread = s.span("trace.thread", str(p), process)
        for i in range(calls if p else 5):
            begin = p * S + i * MS
            call = s.span("trace.call", f"f#{i + 1}", thread, begin=begin, **({"end": begin + MS} if i else {}))
            main = main or call
            s.attr(call, "id", p * 1000 + i)
        if p:
            s.attr(s.span("trace.async", f"wait {p}", process, begin=p * S, end=p * S + MS), "name", "wait")
    return done(s)


@cases("profile trace.process p0:2@0", "profile trace.process p0:2@0 --by thread --format json", "profile trace.process p1:3@1", "profile trace.call f#3 --run p0:2@0")
def one_process_costs_what_it_has(command):
    """With --run, a process more is a name more to look at, as a run is."""
    small, large = traced(40, 25, "small.db"), traced(400, 25, "large.db")
    a, b = steps(small, *command.split()), steps(large, *command.split())
    note(f"{a} steps, {b}")
    check(b - a < 360 * 200 * command.count('--run') + 100, f"{command}: {a} steps in a store of 40 processes, {b} in one of 400")


@test
def a_profile_is_linear_in_processes():
    a, b = (steps(traced(n, 4, f"{n}.db"), "profile") for n in (200, 1600))
    note(f"{a} steps, {b}")
    check(b < 9 * a, f"{a} steps of 200 processes, {b} of 1600")


def query_of(store, text):
    return list(sql(store, text)[0].values())


def made_run(tasks, number=0):
    folder = path(f"run{tasks}-{number}")
    if not os.path.exists(folder):
        subprocess.run([sys.executable, f"{ROOT}/bench/make_run.py", folder, str(tasks), "--quiet", "--number", str(number)], check=True)
    return folder


def imported_tasks(tasks):
    """The tables of spans are made by an import."""
    return imported(made_run(tasks), store=f"{tasks}.db").store


@cases("SELECT * FROM parsl_task LIMIT 10", "SELECT * FROM parsl_task WHERE key = '7'", "SELECT * FROM parsl_rundir_task WHERE key = '7'",
       "SELECT * FROM htex_task WHERE key LIKE '7' LIMIT 1", "SELECT * FROM parsl_try LIMIT 1")
def one_row_of_a_table_costs_no_other(query):
    a, b = (steps(imported_tasks(n), "sql", query) for n in (50, 400))
    note(f"{a} steps, {b}")
    check(b < a + 1000 if "LIKE" not in query else b < a + 350 * 40, f"{query}: {a} steps of 50 tasks, {b} of 400")


@cases("SELECT count(*) FROM parsl_task WHERE task = 7", "SELECT count(*), max(t.exec_done) FROM parsl_try JOIN parsl_task t USING (run_id, task)",
       "SELECT count(*) FROM parsl_rundir_task t LEFT JOIN parsl_rundir_try y USING (run_id, task)",
       "SELECT count(*) FROM spans s JOIN parsl_task t ON t.id = s.id")
def tables_cost_no_more_than_their_rows(query):
    """A join by keys, of tables of one member, too, has an index."""
    a, b = (steps(imported_tasks(n), "sql", query) for n in (50, 400))
    note(f"{a} steps, {b}")
    check(b < 9 * a, f"{query}: {a} steps of 50 tasks, {b} of 400")


KEYS = ("7", "07", "-7", "7.0", "7.50", "1795328173.083816", "1e3", "0x7", "+7", " 7", "7 ", "", "nan", "9" * 18, "9" * 19, "9" * 25, "-0", "--1", "1-2", "a7", "7_1")


def numbered(tasks, file):
    """A store which has so many ids that keys of tasks have an index by their number, and odd keys among them."""
    store = shutil.copy(imported_tasks(tasks), path(file))
    db = sqlite3.connect(store)
    db.execute("DELETE FROM sl_role")  # as before a first import
    db.execute("INSERT INTO sl_span (id, type, key, source) SELECT 200000, type, 'far', source FROM sl_span WHERE parent IS NULL LIMIT 1")
    db.commit()
    spanloom("import", "--quiet", "-d", store, made_run(20, number=1))
    db.executemany("INSERT INTO sl_span (type, key, parent, source) SELECT type, ?, parent, source FROM sl_span "
                   "WHERE type = (SELECT id FROM sl_name WHERE name = 'parsl.rundir.task') AND key = '0' LIMIT 1", [(k,) for k in KEYS])
    db.commit()
    equal(db.execute("SELECT count(*) > 0 FROM sqlite_schema WHERE name GLOB 'sl_number_*'").fetchone(), (1,), "an index")
    db.close()
    return store


@test
def a_task_by_its_number_costs_no_other():
    """In a large store; and the index finds what looking at each finds, whatever a key looks like."""
    small, large = numbered(50, "few.db"), numbered(400, "many.db")
    query = "SELECT * FROM parsl_task WHERE task = 7"
    a, b = steps(small, "sql", query), steps(large, "sql", query)
    note(f"{a} steps of 50 tasks, {b} of 400")
    check(b < a + 1000, f"{a} steps of 50 tasks, {b} of 400")
    for key in KEYS:
        for value in (f"'{key}'", key) if re.fullmatch(r"-?\d+(\.\d+)?", key) else (f"'{key}'",):
            by_index, by_each = (query_of(large, f"SELECT count(*), max(typeof(task)) FROM parsl_task WHERE {task} = {value}") for task in ("task", "+task"))
            equal(by_index, by_each, f"task = {value}")


@cases(("states", "occupancy('parsl.rundir.task', '36 bins')"), ("utilisation", "utilisation('parsl.executor.htex.worker', '30 bins')"))
def bins_of_a_round_width_cost_no_second_look(command, function):
    store = store_of(4, 50, "s.db")
    width, bins = query_of(store, f"SELECT max(width_s), count(DISTINCT time_ns) FROM {function}")
    check(width in (1, 2, 5, 10) and 15 <= bins <= 40, width, bins)
    equal(spanloom(command, "-d", store).out, spanloom(command, "--bin", width, "-d", store).out)
    a, b = steps(store, command, "--bin", width), steps(store, command)
    check(b < 1.1 * a, f"{command}: {a} steps in bins that were given, {b} in those that it chose")


main()
