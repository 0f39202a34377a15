#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What lies in executors: Work Queue's managers, workers and blocks, threads, and what ran on them, as the tasks themselves saw it (TRUTH.tsv)."""
import contextlib
import glob
import os
import re
import shutil
import sqlite3
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

DATA = f"{ROOT}/tests/data/workqueue-blocks"
with open(f"{DATA}/TRUTH.tsv") as truth:
    TRUTH = {task: (executor, where) for executor, task, where in (line.rstrip("\n").split("\t") for line in truth if not line.startswith("executor\t"))}
UP = "JOIN links {0}l ON {0}l.kind = 'in' AND {0}l.right_span = {1}.id JOIN spans {0} ON {0}.id = {0}l.left_span AND {0}.type = '{2}' "
DOWN = "JOIN links {0}l ON {0}l.kind = 'in' AND {0}l.left_span = {1}.id JOIN spans {0} ON {0}.id = {0}l.right_span AND {0}.type = '{2}' "
BLOCKS = ("SELECT r.key, e.key, b.key FROM spans r JOIN spans y ON y.parent = r.id AND y.type = 'parsl.rundir.try' "
          + DOWN.format("x", "y", "parsl.executors.workqueue.executor_task") + DOWN.format("q", "x", "workqueue.task")
          + UP.format("w", "q", "workqueue.worker") + UP.format("s", "w", "parsl.submit_script") + UP.format("b", "s", "parsl.rundir.block")
          + "JOIN spans e ON e.id = b.parent WHERE r.type = 'parsl.rundir.task'")
THREADS = ("SELECT r.key, e.key, h.key FROM spans r JOIN spans y ON y.parent = r.id AND y.type = 'parsl.rundir.try' "
           + DOWN.format("t", "y", "parsl.executors.threads.task") + "JOIN spans h ON h.id = t.parent JOIN spans e ON e.id = h.parent "
           "WHERE r.type = 'parsl.rundir.task'")
TRIES = ("SELECT r.key, e.key, '' FROM spans r JOIN spans y ON y.parent = r.id AND y.type = 'parsl.rundir.try' "
         + UP.format("e", "y", "parsl.rundir.executor") + "WHERE r.type = 'parsl.rundir.task'")


def places(store, sql):
    """Of tables: the views, of which it joins up to eleven, are asked once each."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        for table, columns in (("spans", "id, type, key, parent"), ("links", "kind, left_span, right_span")):
            db.execute(f"CREATE TABLE {table} ({columns})")
            db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns.split()))})", query(store, f"SELECT {columns} FROM {table}"))
        db.executescript("CREATE INDEX i ON spans (id); CREATE INDEX p ON spans (parent); CREATE INDEX l ON links (left_span, kind); CREATE INDEX r ON links (right_span, kind)")
        rows = db.execute(sql).fetchall()
    found = {task: (executor, where) for task, executor, where in rows}
    equal(len(rows), len(found), "places that tasks lie in")
    return found


def of(*executors):
    return {task: place for task, place in TRUTH.items() if place[0] in executors}


def run(to):
    shutil.copytree(DATA, to)
    return to


def text(file):
    with open(file) as f:
        return f.read()


def outputs(top):
    return sorted(glob.glob(f"{top}/runinfo/000/submit_scripts/*.sh.out"))


@test
def as_the_tasks_saw_it():
    store = imported(DATA).store
    equal(places(store, BLOCKS), of("wq.a", "wq_b"), "blocks")
    equal(places(store, THREADS), of("t1", "t2"), "threads")
    equal(places(store, TRIES), {task: (executor, "") for task, (executor, _) in TRUTH.items()}, "executors")
    equal(query(store, "SELECT count(*) FROM doubts")[0][0], 0, "doubts")


@test
def descendants_of_executors():
    store = imported(DATA).store
    for executor, kind, n in ("wq.a", "workqueue.worker", 2), ("wq_b", "workqueue.worker", 3), ("t1", "parsl.executors.threads.thread", 3), \
            ("t2", "parsl.executors.threads.thread", 2):
        rows = spanloom("sql", "-d", store, "--format", "csv", f"""SELECT count(DISTINCT s.id) FROM spans e JOIN descendants(e.id) d JOIN spans s
            ON s.id = d.span WHERE e.type = 'parsl.rundir.executor' AND e.key = '{executor}' AND s.type = '{kind}'""").out.split()
        equal(rows[-1], str(n), f"{kind} in {executor}")


@test
def binding_by_run_and_executor():
    store = imported(DATA).store
    spanloom("bind", "-d", store, "--name", "mine", "workqueue.worker in parsl_executor where a.run_id = b.run_id and a.executor = b.executor")
    equal(query(store, "SELECT count(*) FROM links WHERE rule = 'mine'")[0][0], 5)


@test
def any_order():
    top = run(path("r"))
    files = sorted(f for f in glob.glob(f"{top}/runinfo/000/**", recursive=True) if os.path.isfile(f))
    for f in reversed(files):
        imported(f, store="one.db")
    same(dump(path("one.db")), dump(imported(top, store="all.db").store))


@test
def a_port_that_came_again():
    """Two blocks whose outputs have the address: in doubt, and what ran on that worker is in no block."""
    top = run(path("r"))
    one, two = outputs(top)[:2]
    address = re.search(r"local address (\S+)", text(one)).group(1)
    write(two, text(two) + f"connected to manager 127.0.0.1:1 via local address {address}\n")
    store = imported(top).store
    equal(query(store, "SELECT count(*) FROM doubts WHERE rule = 'workqueue.block'")[0][0], 2)
    found = places(store, BLOCKS)
    check(found.items() < of("wq.a", "wq_b").items(), "wrong or all")


@test
def without_output():
    """No output says whose worker it is: a single block does not, either, as anyone may start workers."""
    top = run(path("r"))
    for f in outputs(top):
        os.remove(f)
    store = imported(top).store
    equal(places(store, BLOCKS), {})
    equal(query(store, "SELECT count(*) FROM links WHERE rule LIKE 'workqueue.transactions%' AND left_span IN (SELECT id FROM spans "
                       "WHERE type = 'parsl.rundir.executor')")[0][0], 2)


@test
def scripts_of_2023():
    """Their names have no block."""
    top = run(path("r"))
    for f in glob.glob(f"{top}/runinfo/000/submit_scripts/*"):
        os.rename(f, re.sub(r"parsl\.[^/]*block-\d+\.", "parsl.localprovider.", f))
    found = places(imported(top).store, BLOCKS)
    check(found.items() <= of("wq.a", "wq_b").items(), "wrong")
    check(len(found) == 48, f"{len(found)} of 48")


@test
def a_thread_that_hands_over():
    """Who ran a try is not told by whoever launched it."""
    top = run(path("r"))
    log = f"{top}/runinfo/000/parsl.log"
    launcher = re.search(r"(Task-Launch_0-\d+) parsl.dataflow.dflow:\d+ launch_task INFO: Parsl task 2 try 0", text(log)).group(1)
    write(log, re.sub(r"\S+(?= parsl.dataflow.dflow:\d+ _update_task_state INFO: Task 2 changing state from launched)", launcher, text(log)))
    store = imported(top).store
    want = of("t1", "t2")
    equal(want.pop("2")[0], "t1")
    equal(places(store, THREADS), want)
    equal(query(store, "SELECT count(*) FROM events e JOIN spans s ON s.id = e.span WHERE s.type = 'parsl.rundir.task' AND e.type = 'exec_done'")[0][0], 96)


@test
def one_at_a_time():
    """A thread runs one task after the other, whatever waits for it."""
    rows = query(imported(DATA).store, """SELECT s.parent, min(e.time_ns), max(e.time_ns) FROM spans s JOIN events e ON e.span = s.id
        WHERE s.type = 'parsl.executors.threads.task' GROUP BY s.id ORDER BY 1, 2""")
    equal(len(rows), 48)
    for a, b in zip(rows, rows[1:]):
        check(a[0] != b[0] or a[2] <= b[1], "two tasks at once on a thread", a, b)


@test
def the_next_run_of_a_process():
    """A DataFlowKernel that was not cleaned up has the next one's lines in its log, whose tasks have the same numbers."""
    alone, both = path("alone/runinfo"), path("both/runinfo")
    first = text(f"{ROOT}/tests/data/parsl-2026-threads/runinfo/000/parsl.log").split("DFK cleanup initiated")[0].rsplit("\n", 1)[0] + "\n"
    run_id = re.search(r"Run id is: (\S+)", first).group(1)
    later = re.sub(r"(?m)^(\d{10})(?=\.\d+ )", lambda m: str(int(m.group(1)) + 1000), first).replace(run_id, "f" + run_id[1:])
    check(later.startswith(first[:2]) and "Task 0 " in later, later[:100])
    write(f"{alone}/000/parsl.log", first)
    write(f"{alone}/001/parsl.log", later)
    write(f"{both}/000/parsl.log", first + later)
    write(f"{both}/001/parsl.log", later)
    tell = ("SELECT r.value, s.type, s.key, e.type, e.time_ns FROM attributes r JOIN descendants(r.span) d JOIN spans s ON s.id = d.span "
            "JOIN events e ON e.span = s.id WHERE r.name = 'run_id' ORDER BY 1, 2, 3, 4, 5")
    want = spanloom("sql", "-d", imported(alone, store="alone.db").store, "--format", "csv", tell).out
    check(run_id in want and "f" + run_id[1:] in want, want[:300])
    store = imported(both, store="both.db").store
    equal(spanloom("sql", "-d", store, "--format", "csv", tell).out, want, "what both runs are said to be")
    (place, reason), = query(store, "SELECT place, reason FROM rejects")
    equal(place, first.count("\n") + 1)
    check("another DataFlowKernel" in reason, reason)


@test
def a_label_with_a_slash():
    """Its folder lies deeper; what is in it is of the run all the same, in any order, alone, and from an archive."""
    tell = "SELECT s.type, p.type, replace(p.key, 'cpu/small', 'htex_Local'), count(*) FROM spans s LEFT JOIN spans p ON p.id = s.parent GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
    shutil.copytree(f"{ROOT}/examples/parsl-htex/runinfo/000", path("runinfo/000"))
    shutil.rmtree(path("runinfo/000/submit_scripts"))  # whose names have the label, too: there are none of such an executor
    want = query(imported(path("runinfo"), store="plain.db").store, tell)
    os.makedirs(path("runinfo/000/cpu"))
    os.rename(path("runinfo/000/htex_Local"), path("runinfo/000/cpu/small"))
    write(path("runinfo/000/parsl.log"), text(path("runinfo/000/parsl.log")).replace("htex_Local", "cpu/small"))
    plain = lambda rows: [r for r in rows if r[2] is None or "/" not in r[2]]  # roots that are known by a path are not alike
    equal(plain(query(imported(path("runinfo"), store="slash.db").store, tell)), plain(want))
    equal(query(path("slash.db"), "SELECT key FROM spans WHERE type = 'parsl.rundir.executor' AND key LIKE 'cpu%'"), [("cpu/small",)])
    spanloom("import", "-d", "late.db", path("runinfo/000/cpu"))
    spanloom("import", "-d", "late.db", path("runinfo/000"))
    equal(plain(query(path("late.db"), tell)), plain(want))
    with tarfile.open(path("run.tar"), "w") as tar:
        tar.add(path("runinfo"), "runinfo")
    equal(plain(query(imported(path("run.tar"), store="tar.db").store, tell)), plain(want))


@test
def no_parsl():
    store = imported(f"{ROOT}/tests/data/workqueue-bare", f"{ROOT}/tests/data/taskvine").store
    equal(query(store, "SELECT DISTINCT type FROM spans WHERE type LIKE 'parsl%'"), [])
    equal(query(store, "SELECT count(*) FROM links WHERE right_span IN (SELECT id FROM spans WHERE type LIKE '%.manager')")[0][0], 0)


if __name__ == "__main__":
    main()
