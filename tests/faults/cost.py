#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an import costs follows what is new in it, not what is stored: instructions with a small and with a large store.

A pass over the spans of the large store costs more than SLACK allows, as 8,000 tasks are 40,000 spans.
"""
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from callgrind import *  # noqa

sys.path.insert(0, f"{ROOT}/bench")
import make_run  # noqa: E402
import make_workqueue  # noqa: E402

TASKS = {"small.db": 500, "large.db": 8000}
SLACK = 1.05


_filled = {}


def made(number, tasks):
    """A run that is no copy of one of another number."""
    folder = path(f"run{number}")
    make_run.main(folder, tasks, quiet=True, number=number)
    return folder


def fill(store):
    """One with a run, which is imported once."""
    if store not in _filled:
        spanloom("import", "--quiet", "-d", store, made(TASKS[store], TASKS[store]))
        with open(path(store), "rb") as f:
            _filled[store] = f.read()
    return write(path(store), _filled[store])


def cost_of_import(store, folder):
    return cost("import", "--quiet", "--jobs", "1", "-d", store, folder)


def at_most(times, got, other, what):
    note(f"{what}: {got:,} instructions, {got / other:.3f} times {other:,}")
    check(got <= times * other, f"{what} costs {got:,} instructions, more than {times} times {other:,}")


def large_as_small(costs, what):
    at_most(SLACK, costs["large.db"], costs["small.db"], f"{what}, in a store of {TASKS['large.db']:,} tasks")


@test
def a_small_run():
    run = made(1, 20)
    empty = cost_of_import("empty.db", run)
    costs = {}
    for store in TASKS:
        fill(store)
        costs[store] = cost_of_import(store, run)
    large_as_small(costs, "import of 20 tasks")
    at_most(1.5, costs["large.db"], empty, "the same, and into no store")


def one_more_line(run, worker=0):
    (log,) = glob.glob(f"{run}/000/htex_Local/block-0/*/worker_{worker}.log")
    with open(log) as f:
        last = f.readlines()[-1]
    with open(log, "a") as f:
        f.write(last)
    return log


@test
def a_line_more():
    costs = {}
    for store in TASKS:
        spanloom("import", "--quiet", "-d", fill(store), run := made(1, 20))
        one_more_line(run)
        costs[store] = cost_of_import(store, run)
        shutil.rmtree(run)
    large_as_small(costs, "import of one line more")


LONG = 2500
_whole = []


def imported_whole(run):
    """In s.db, of LONG tasks: what that costs is measured once."""
    if _whole:
        spanloom("import", "--quiet", "-d", "s.db", run)
    else:
        _whole.append(cost_of_import("s.db", run))
    return _whole[0]


@test
def a_line_more_of_a_long_log():
    """It is parsed from its beginning, and no more."""
    whole = imported_whole(run := made(1, LONG))
    one_more_line(run)
    at_most(0.3, cost_of_import("s.db", run), whole, "a line more of a log, and its whole run")


@test
def forgetting():
    costs = {}
    for store in TASKS:
        spanloom("import", "--quiet", "-d", fill(store), run := made(1, 20))
        costs[store] = cost("forget", "-d", store, f"{run}/000/parsl.log")
        shutil.rmtree(run)
    large_as_small(costs, "forget of a small file")


@test
def many_small_runs():
    costs = {}
    for n in range(30):
        run = made(n, 20)
        if n in (4, 29):
            costs[n] = cost_of_import("s.db", run)
        else:
            spanloom("import", "--quiet", "-d", "s.db", run)
    at_most(1.14, costs[29], costs[4], "the 30th run, and the 5th")


@test
def lines_of_one_task():
    """Of a log's records most are passed over: of an import of the run, which parses each, a third."""
    whole = imported_whole(made(1, LONG))
    at_most(0.35, cost("show", "task", LONG - 1, "--lines", "-d", "s.db"), whole,
            "the lines of one task, and an import of its run")


@test
def causes():
    """What findings ask follows the tasks, and not pairs of them."""
    costs = {}
    for tasks in (100, 1000):
        spanloom("import", "--quiet", "-d", f"{tasks}.db", made(1, tasks))
        costs[tasks] = cost("why", "-d", f"{tasks}.db")
        shutil.rmtree(path("run1"))
    at_most(4, costs[1000], costs[100], "why of 1,000 tasks, and of 100")


@test
def many_small_runs_of_work_queue():
    """Their tasks are bound: those of a run, whatever else there is."""
    costs = {}
    for n in range(20):
        run = path(f"run{n}")
        make_workqueue.main(run, 20, n)
        if n in (4, 19):
            costs[n] = cost_of_import("s.db", run)
        else:
            spanloom("import", "--quiet", "-d", "s.db", run)
    equal(query(path("s.db"), "SELECT count(*) FROM links WHERE rule = 'workqueue.order'"), [(400,)])
    at_most(1.043, costs[19], costs[4], "the 20th run of Work Queue, and the 5th")


@test
def many_traced_commands():
    costs = {}
    for n in range(50):
        if n in (5, 49):
            costs[n] = cost("run", "--quiet", "-d", "s.db", "true")
        else:
            spanloom("run", "--quiet", "-d", path("s.db"), "true")
    at_most(1.023, costs[49], costs[5], "the 50th traced command, and the 6th")


@cases(("with its profile", "--report", "/dev/null"), ("without it", "--quiet"))
def a_traced_command(what, *options):
    costs = {}
    for store, tasks in TASKS.items():
        if (calls := f"calls-{store}") not in _filled:
            subprocess.run([sys.executable, f"{ROOT}/bench/make_trace.py", path("t.pfw"), str(10 * tasks)], check=True)
            spanloom("import", "--quiet", "-d", store, "t.pfw")
            with open(path(store), "rb") as f:
                _filled[calls] = f.read()
        write(path(store), _filled[calls])
        costs[store] = cost("run", *options, "-d", store, "true")
    at_most(SLACK, costs["large.db"], costs["small.db"],
            f"run of a command {what}, in a store of {5 * TASKS['large.db']:,} calls")


if __name__ == "__main__":
    main()
