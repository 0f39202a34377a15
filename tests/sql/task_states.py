#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""task_states() and task_flow() against the seconds of each task (task_times), the critical path, and itself in finer bins, on kept runs; and
against schedules that were worked out."""
import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from schedules import *  # noqa

DATA = f"{ROOT}/tests/data"
RUNS = [EXAMPLE] + [f"{DATA}/{d}" for d in ("parsl-2024-lost", "parsl-2026-dual", "parsl-2026-threads", "parsl-2026-workqueue", "taskvine", "workqueue-two")]
OF_KIND = {"depend": "depend_s", "wait": "queue_s", "run": "run_s"}


def states(store, workflow, bins, by=None):
    more = f", '{by}'" if by else ""
    rows = sql(store, f"SELECT printf('%d', time_ns) AS a, width_s, component, state, kind, tasks, name FROM task_states({workflow}, {bins}{more})")
    return [(int(r["a"]), round(float(r["width_s"]) * S), (r["component"], r["state"], r["kind"]), float(r["tasks"]), r["name"] or "") for r in rows]


def near(got, want, what):
    check(abs(got - want) <= 1e-6 * max(1, abs(want)), what, got, want)


def seconds_of(rows):
    s = collections.Counter()
    for _, width, state, tasks, name in rows:
        s[state, name] += tasks * width / S
    return s


@cases(*RUNS)
def kept_runs(run):
    store = imported(run, code=(0, 1)).store
    looked = 0
    for workflow, in query(store, "SELECT id FROM spans WHERE type IN (SELECT type FROM sl_role WHERE role = 'workflow')"):
        tasks = sql(store, f"SELECT depend_s, queue_s, run_s, other_s, app, executor, printf('%d', first_ns) AS a, printf('%d', done_ns) AS b FROM task_times({workflow})")
        for by in (None, "app", "executor"):
            want, got = collections.Counter(), collections.Counter()
            for t in tasks:
                name = (t[by] or "(none)") if by else ""
                for column in ("depend_s", "queue_s", "run_s", "other_s"):
                    want[name, column] += float(t[column])
            for (state, name), s in seconds_of(states(store, workflow, "'100 bins'", by)).items():
                got[name, OF_KIND.get(state[2], "other_s")] += s
            for key in want.keys() | got.keys():
                near(got[key], want[key], key)
        if not tasks:
            equal(states(store, workflow, 1), [])
            continue
        # bins of other widths, also one for all, have as much
        fine = states(store, workflow, "'3000 bins'")
        for bins in (0.7, 86400):
            a, b = seconds_of(fine), seconds_of(states(store, workflow, bins))
            for key in a.keys() | b.keys():
                near(b[key], a[key], key)
        # and so have queues over all of it, but for what tasks wait for others
        flow = sql(store, f"SELECT component, state, kind, tasks * (b - a) / 1e9 AS s, busy, went FROM (SELECT min(first_ns) AS a, max(done_ns) AS b FROM task_times({workflow})) JOIN task_flow({workflow}, a, b)")
        got = {(r["component"], r["state"], r["kind"]): float(r["s"]) for r in flow}
        for (state, _), want in a.items():
            if state[2] == "depend":
                check(got.get(state, 0) <= want + 1e-6, state, got, want)
            else:
                near(got[state], want, state)
        check(got.keys() <= {state for state, _ in a} and all(0 <= float(r["busy"]) <= 1 + 1e-9 for r in flow), flow)
        # as many as there were at the time
        at = collections.Counter()
        for a, _, _, n, _ in fine:
            at[a] += n
        width = fine[0][1]
        for a in list(at)[::7]:
            near(at[a], sum(max(0, min(int(t["b"]), a + width) - max(int(t["a"]), a)) for t in tasks) / width, a)
        # who is on the critical path is in the state that it has there
        there = {(a, *state[:2]): n for a, _, state, n, _ in fine}
        for p in sql(store, f"SELECT printf('%d', start_ns) AS a, printf('%d', end_ns) AS b, component, state FROM critical_path({workflow}) WHERE task_span NOTNULL AND NOT lost"):
            for a in range(-(-int(p["a"]) // width) * width, int(p["b"]) - width + 1, width):
                check(there.get((a, p["component"], p["state"]), 0) >= 1 - 1e-9, a, p)
                looked += 1
    check(looked > 50, looked, "bins of the path")


@test
def worked_out():
    """Eight tasks of half a second by two workers: one runs for half a second after the other."""
    run(bag(8), workers=2, file="s.db")
    [(w,)] = query(path("s.db"), "SELECT id FROM spans WHERE type = 'parsl.rundir.workflow'")
    rows = [r for r in states("s.db", w, 0.1) if r[2][1] == "running on a worker"]
    near(sum(tasks * 0.1 for *_, tasks, _ in rows), 4, "seconds that tasks ran")
    equal(max(tasks for *_, tasks, _ in rows), 2)
    equal({r[4] for r in states("s.db", w, 0.1, "app")}, {"work"})
    # between two times: two run at once, and go one after the other
    [row] = sql("s.db", f"SELECT tasks, busy, went FROM task_flow({w}, {T0} + 1200000000, {T0} + 2200000000) WHERE state = 'running on a worker'")
    equal([round(float(row["tasks"]), 1), round(float(row["busy"]), 1), int(row["went"])], [2.0, 1.0, 4])


@test
def what_it_refuses():
    run(bag(8), workers=2, file="s.db")
    for call, said in (("1", "task_states"), ("1, 0", "bin"), ("1, 'some'", "bin"), ("1, 1, 'node'", "by is 'app' or 'executor', not 'node'"), ("1, 0.0000001", "bins")):
        r = spanloom("sql", "-d", "s.db", f"SELECT * FROM task_states({call})", code=1)
        check(said in r.err, call, r.err)
    equal(sql("s.db", "SELECT * FROM task_states(999999, 1)"), [])


main()
