#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--by: what spans belong to, and what commands say of each, against plain SQL and Python on the store."""
import collections
import csv
import io
import os
import shutil
import sqlite3
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, check, equal, imported, main, path, spanloom, test

TASK = "parsl.monitoring.task"
BY = "app", "executor", "node", "worker", "type"


def close(got, want, within, what=""):
    check(abs(got - want) <= within, f"{what}: got {got}, want {want}")


def rows(*words):
    return list(csv.DictReader(io.StringIO(spanloom(*words, "--format", "csv").out)))


def truth(file):
    """{task: {app, executor, node, worker}}, by the attributes and links that records assert."""
    db = sqlite3.connect(file)
    types = dict(db.execute("SELECT id, name FROM sl_name"))
    span = {i: (types[t], k, p) for i, t, k, p in db.execute("SELECT id, type, key, parent FROM sl_span")}
    said = collections.defaultdict(dict)
    for i, name, value in db.execute("SELECT span, name, value FROM attributes"):
        said[i][name] = value
    parts, views = collections.defaultdict(set), collections.defaultdict(set)
    for left, right in db.execute("SELECT superspan_uuid, subspan_uuid FROM subspan"):
        parts[left].add(right)
    for left, right in db.execute("SELECT left_uuid, right_uuid FROM facet"):
        views[left].add(right)
        views[right].add(left)
    last = dict(db.execute("SELECT span, max(time_ns) FROM sl_event GROUP BY 1"))
    out = {}
    for i, (kind, _, _) in span.items():
        if kind != TASK:
            continue
        both = {i} | views[i]
        tries = {t for v in both for t in parts[v] if span[t][0].endswith(".try")}
        tries = sorted(tries | {v for t in tries for v in views[t]}, key=lambda t: int(span[t][1]))
        runs = [w for t in tries for x in parts[t] for m in parts[x] for w in parts[m] if span[w][0] == "parsl.executor.htex.worker.task"]
        worker = max(runs, key=lambda w: last[w], default=None)
        name = None
        if worker is not None:
            home = span[worker][2]
            name = f"{span[span[home][2]][1]}/{span[home][1]}"
        of = [[said[t].get(n) for t in tries if said[t].get(n)] for n in ("executor", "hostname")]
        out[i] = {"app": next(said[v][n] for v in both for n in ("app", "task_func_name") if n in said[v]),
                  "executor": of[0][-1] if of[0] else None, "node": of[1][-1] if of[1] else None, "worker": name, "type": TASK}
    return out


@test
def what_tasks_belong_to():
    file = imported(EXAMPLE).store
    want = truth(file)
    got = {int(r["span"]): r for r in rows("sql", "-d", file, f"SELECT span, app, executor, node, worker, type FROM span_groups('{TASK}')")}
    equal(len(got), 198)
    for task, belongs in want.items():
        equal({k: got[task][k] or None for k in BY}, belongs, str(task))
    check({w["worker"] for w in want.values()} >= {None, "1954f1261cd1/0", "1954f1261cd1/1"}, "workers")
    # what has workers of its own is on none of them
    db = {r["type"]: r for r in rows("sql", "-d", file, "SELECT type, worker, app FROM span_groups() GROUP BY type")}
    equal([db[t]["worker"] for t in ("parsl.rundir.workflow", "parsl.executor.htex.manager", "parsl.rundir.block")], ["", "", ""])
    equal(rows("sql", "-d", file, "SELECT count(*) AS n FROM span_groups() WHERE span = 99999 UNION ALL SELECT count(*) FROM span_groups('nothing')"), [{"n": "0"}] * 2)
    joined = rows("sql", "-d", file, "SELECT g.worker, count(*) AS n FROM spans s JOIN span_groups() g ON g.span = s.id WHERE s.type = 'parsl.executor.htex.worker.task' GROUP BY 1")
    equal({r["worker"]: int(r["n"]) for r in joined}, {"1954f1261cd1/0": 122, "1954f1261cd1/1": 98})


def quantile(v, p):
    v = sorted(v)
    at = (len(v) - 1) * p
    low = int(at)
    return v[low] + (v[min(low + 1, len(v) - 1)] - v[low]) * (at - low)


@test
def durations_of_each():
    file = imported(EXAMPLE).store
    want = truth(file)
    alone = {r["span"]: r for r in rows("durations", "running", "running_ended", "-d", file)}
    for by in BY:
        grouped = rows("durations", "running", "running_ended", "-d", file, "--by", by)
        equal(len(grouped), 198, by)
        for r in grouped:
            equal(r[by], want[int(r["span"])][by] or "(none)", f"{by} of {r['span']}")
            equal({k: v for k, v in r.items() if k != by}, alone[r["span"]], by)
        check(next(iter(grouped[0])) == by and (by in ("type", "app", "node", "executor") or grouped[-1][by] == "(none)"), by)
    took = collections.defaultdict(list)
    for r in alone.values():
        if r["duration_s"]:
            took[want[int(r["span"])]["app"]].append(float(r["duration_s"]))
    screen = spanloom("durations", "running", "running_ended", "-d", file, "--by", "app").out
    for app, v in took.items():
        line = next(x for x in screen.splitlines() if x.split()[:1] == [app]).split()
        equal(line[2], str(len(v)), app)
        for text, unit, number in zip(line[3::2], line[4::2], (statistics.median(v), quantile(v, 0.95), max(v), sum(v))):
            close(float(text) * {"s": 1, "ms": 1e-3, "us": 1e-6}[unit], number, 0.01 * number, f"{app}: {line}")
    check(all(len(line) <= 80 for line in screen.splitlines()[9:]), screen)


@test
def events_of_each():
    file = imported(EXAMPLE).store
    want, db = truth(file), sqlite3.connect(file)
    for by, type in (("app", "parsl.monitoring.task"), ("worker", "parsl.monitoring.task")):
        count = collections.Counter()
        for span, t in db.execute("SELECT e.span, e.time_ns FROM events e JOIN spans s ON s.id = e.span WHERE s.type = ? AND e.type = 'returned'", (type,)):
            count[want[span][by] or "(none)", t // 10**9 // 2 * 2 * 10**9] += 1
        got = rows("rate", f"{type}/returned", "--bin", "2", "--by", by, "-d", file)
        equal({(r[by], int(r["time_ns"])): int(r["events"]) for r in got}, dict(count), by)
    got = rows("rate", "*/exec_done", "--bin", "1000", "--by", "type", "-d", file)
    equal({r["type"]: int(r["events"]) for r in got}, {"parsl.monitoring.try": 180, "parsl.rundir.task": 180})


@test
def states_and_sequences_of_each():
    file = imported(EXAMPLE).store
    want = truth(file)
    tasks = collections.Counter(w["app"] for w in want.values())
    all_of = {(r["time_ns"], r["span_type"], r["event_type"]): float(r["spans"]) for r in rows("states", "--bin", "2", "-d", file)}
    parts = collections.Counter()
    for r in rows("states", "--bin", "2", "-d", file, "--by", "app"):
        parts[r["time_ns"], r["span_type"], r["event_type"]] += float(r["spans"])
        check(float(r["spans"]) <= tasks[r["app"]] + 1e-9, str(r))
    equal(set(parts), set(all_of))
    for key, n in all_of.items():
        close(parts[key], n, 1e-6, str(key))
    # orderings, by the events of each task as `events` tells them
    stories = collections.defaultdict(list)
    for r in rows("events", "-d", file):
        stories[int(r["root"])].append((r["span_type"], r["event"]))
    orders = collections.defaultdict(set)
    for task, events in stories.items():
        orders[want[task]["app"]].add(tuple(events))
    got = rows("sequences", "--all", "--lens", "none", "-d", file, "--by", "app")
    equal({app: len({r["sequence"] for r in got if r["app"] == app}) for app in tasks}, {app: len(v) for app, v in orders.items()})
    equal(collections.Counter({app: sum(int(r["count"]) for r in got if r["app"] == app and int(r["position"]) <= 1) for app in tasks}), tasks)
    # equal tasks that did not fail have one, as recipes see them
    seen = rows("sequences", "--all", "-d", file, "--by", "app")
    for app in "cpu", "sleeper", "writefile", "fan_join":
        equal({r["sequence"] for r in seen if r["app"] == app}, {"1"}, app)


@test
def workers_of_each():
    file = imported(EXAMPLE).store
    want, db = truth(file), sqlite3.connect(file)
    busy = collections.Counter()
    for worker, a, b in db.execute("""SELECT p.key || '/' || w.key, min(a.time_ns), min(b.time_ns) FROM spans s JOIN spans w ON w.id = s.parent JOIN spans p ON p.id = w.parent
            JOIN events a ON a.span = s.id AND a.type = 'worker_received_task' JOIN events b ON b.span = s.id AND b.type = 'worker_completed_task'
            WHERE s.type = 'parsl.executor.htex.worker.task' GROUP BY s.id"""):
        busy[worker] += (b - a) / 1e9
    sums = collections.Counter()
    for r in rows("utilisation", "--bin", "1", "-d", file, "--by", "worker"):
        sums[r["worker"]] += float(r["busy"])
        check(float(r["workers"]) <= 1 + 1e-9 and float(r["busy"]) <= float(r["workers"]) + 1e-9, str(r))
    equal(set(sums), set(busy))
    for worker, s in busy.items():  # results are sent back after the task is completed; a worker that died never said so
        check(0 <= sums[worker] - s < 4, f"{worker}: {sums[worker]}, {s}")
    total = sum(float(r["running"]) for r in rows("utilisation", "--bin", "1", "-d", file))
    for by in "app", "type", "node", "executor":
        got = rows("utilisation", "--bin", "1", "-d", file, "--by", by)
        close(sum(float(r["running"]) for r in got), total, 1e-6, by)
    equal({r["node"] for r in rows("utilisation", "-d", file, "--by", "node")}, {"vm"})
    apps = {r["app"] for r in rows("utilisation", "-d", file, "--by", "app")}
    check(apps <= {w["app"] for w in want.values()} and "(none)" not in apps, apps)


def sums(screen):
    """The rows of critical-path's first table; a line below tells of queues."""
    return [line for line in screen.split("\n\n")[1].splitlines()[1:] if not line.startswith("(")]


@test
def parts_of_the_path():
    file = imported(EXAMPLE).store
    plain = rows("critical-path", "-d", file)
    for by, known in (("executor", {"driver", "htex_Local"}), ("node", {"driver", "vm"}), ("worker", {"driver", "1954f1261cd1/0", "1954f1261cd1/1"})):
        got = rows("critical-path", "-d", file, "--by", by)
        equal([{k: r[k] for k in r if k != by} for r in got], [{k: r[k] for k in r if k != "app"} for r in plain], by)
        equal({r[by] for r in got}, known)
    app = {r["task"]: r["app"] for r in rows("sql", "-d", file, "SELECT task, task_func_name AS app FROM parsl_task")}
    for r in plain:
        equal(r["app"], app.get(r["task"], ""), str(r))
    # lost: what tries took that failed, from their queue on, by the database
    db = sqlite3.connect(file)
    ended = {k: [t for (t,) in db.execute("""SELECT e.time_ns FROM spans s JOIN spans p ON p.id = s.parent JOIN events e ON e.span = s.id
        WHERE s.type = 'parsl.monitoring.try' AND p.key = ? AND e.type IN ('fail_retryable', 'failed')""", (k,))] for k in app}
    equal({r["task"] for r in plain if r["lost"] == "1"}, {r["task"] for r in plain if ended.get(r["task"])})
    lost = sum(float(r["seconds"]) for r in plain if r["lost"] == "1" and r["state"] == "running on a worker")
    ran = sum(float(r["seconds"]) for r in plain if ended.get(r["task"]) and r["state"] == "running on a worker")
    close(lost, ran, 1e-9)
    screen = spanloom("critical-path", "-d", file).out
    check("htex worker, lost to a failed try" in screen and "166 (memo)" in screen, screen)
    # on the screen what follows each other in the same words is one row, also of the states of a try that was lost
    told = [line[23:].strip() for line in spanloom("critical-path", "-d", file, "--all", "--wide").out.split("\n\n")[2].splitlines()[1:]]
    check(any("lost to a failed try" in line for line in told), told)
    equal([a for a, b in zip(told, told[1:]) if a == b], [], "rows of one thing")
    states = sums(spanloom("critical-path", "-d", file, "--wide").out)
    shown = collections.Counter(line.split("  ")[-1] for line in told)
    equal({line.split("  ")[-1]: int(line.split("  ")[-2]) for line in states}, shown, "parts")
    by_app = collections.Counter()
    for r in plain:
        by_app[r["app"] or "driver"] += float(r["seconds"])
    head = sums(spanloom("critical-path", "-d", file, "--by", "app").out)
    for line in head:
        digits, unit = line.split()[:2]
        want = by_app[line.split()[-1]]
        close(float(digits) * {"s": 1, "ms": 1e-3, "us": 1e-6}[unit], want, 0.006 * want, line)
    equal(len(head), len(by_app))


@test
def durations_without_events():
    """Medians of each app's tasks, against Python's over the rows of task_times()."""
    file = imported(EXAMPLE, store="d.db").store
    got = rows("durations", "-d", file)
    of = collections.defaultdict(list)
    for t in rows("sql", "-d", file, "SELECT t.*, g.app FROM task_times((SELECT id FROM spans WHERE type = 'parsl.rundir.workflow')) t "
                  "LEFT JOIN span_groups() g ON g.span = t.span"):
        of[t["app"]].append({k: float(v or 0) for k, v in t.items() if k.endswith("_s")})
    equal({r["app"]: int(r["tasks"]) for r in got}, {a: len(v) for a, v in of.items()})
    for r in got:
        for shown, column in ("waiting_s", "depend_s"), ("queue_s", "queue_s"), ("run_s", "run_s"), ("between_s", "other_s"):
            close(float(r[shown]), statistics.median(t[column] for t in of[r["app"]]), 1e-9, r)
        close(float(r["longest_run_s"]), max(t["run_s"] for t in of[r["app"]]), 1e-9, r)
    check(len(of) > 5, of.keys())


@test
def words_that_are_none():
    file = imported(EXAMPLE).store
    for words in (["durations", "a", "b"], ["states"], ["rate", "returned"], ["utilisation"], ["sequences"], ["diff", file, file], ["critical-path"]):
        done = spanloom(*words, "-d", file, "--by", "colour", code=2)
        check("app, executor, node, worker" in done.err and "colour" in done.err, done.err)
    check("group its rows" in spanloom("states", "--sql", "SELECT 1", "--by", "app", "-d", file, code=2).err, "a query")
    check("sums up" in spanloom("durations", "a", "b", "--list", "--by", "app", "-d", file, code=2).err, "a list")
    done = spanloom("sql", "-d", file, "SELECT * FROM event_rate('returned', 1, NULL, 'colour')", code=1)
    check("app, executor" in done.err, done.err)


def changed(file, *statements):
    shutil.copy(file, path("other.db"))
    db = sqlite3.connect(path("other.db"))
    for s in statements:
        db.execute(s)
    db.commit()
    db.close()
    return path("other.db")


def run_s(file):
    return {r["task"]: float(r["run_s"]) for r in rows("sql", "-d", file, "SELECT task, run_s FROM spans w JOIN task_times(w.id) WHERE w.type = 'parsl.rundir.workflow'")}


@test
def tasks_that_moved():
    file = imported(EXAMPLE).store
    # task 42 stays on its worker for 3 s longer, task 60 for 0.5 s
    late = ["""UPDATE sl_event SET time_ns = time_ns + %d WHERE (SELECT name FROM sl_name WHERE id = type) IN ('running_ended', 'worker_completed_task', 'worker_all_finished_task',
        'interchange_removing_task', 'returned', 'exec_done') AND span IN (WITH RECURSIVE d(i) AS (SELECT id FROM spans WHERE type = 'parsl.rundir.task' AND key = '%d'
        UNION SELECT subspan_uuid FROM subspan JOIN d ON superspan_uuid = i UNION SELECT right_uuid FROM facet JOIN d ON left_uuid = i
        UNION SELECT left_uuid FROM facet JOIN d ON right_uuid = i) SELECT i FROM d)""" % x for x in ((3 * 10**9, 42), (5 * 10**8, 60))]
    other = changed(file, *late)
    was, now = run_s(file), run_s(other)
    got = [r for r in rows("diff", file, other) if r["what"] == "task"]
    want = {t: now[t] - was[t] for t in was if abs(now[t] - was[t]) > 1e-9}
    equal(set(want), {"42", "60"})
    moved = [r for r in got if abs(float(r["change_s"])) > 1e-9]
    equal([(r["name"], r["task_a"], r["task_b"]) for r in moved], [("sleeper", "42", "42"), ("shell", "60", "60")])
    for r in moved:
        close(float(r["change_s"]), want[r["task_a"]], 1e-9)
        close(float(r["median_a_s"]), was[r["task_a"]], 1e-9)
    check("+3 s  task 42 (sleeper)" in spanloom("diff", file, other).out, "the screen")
    groups = {r["name"]: r for r in rows("diff", file, other, "--by", "app") if r["what"] == "app"}
    apps = truth(file)
    equal({k: int(v["n_a"]) for k, v in groups.items()}, dict(collections.Counter(w["app"] for w in apps.values())))
    story = collections.defaultdict(list)
    for r in rows("sql", "-d", file, f"""SELECT s.id, (max(e.time_ns) - min(e.time_ns)) / 1e9 AS s FROM spans s JOIN descendants(s.id) d JOIN events e ON e.span = d.span
            WHERE s.type = '{TASK}' GROUP BY 1"""):
        story[apps[int(r["id"])]["app"]].append(float(r["s"]))
    plain = {r["name"]: r for r in rows("diff", file, file, "--by", "app", "--lens", "none") if r["what"] == "app"}
    for app, v in story.items():
        close(float(plain[app]["median_a_s"]), statistics.median(v), 1e-9, app)


@test
def a_gate_of_the_makespan_alone():
    file = imported(EXAMPLE).store
    slow = changed(file, "UPDATE sl_event SET time_ns = time_ns + 3000000000 WHERE time_ns > (SELECT max(time_ns) - 1000000000 FROM sl_event)")
    for limit, code in (("5%", 3), ("makespan=5%", 3), ("makespan=2s", 3), ("makespan=20%", 0), ("makespan=5s", 0)):
        spanloom("diff", file, slow, "--fail-on", limit, code=code)
    # tasks take longer on workers, and the makespan does not
    steps = changed(file, """UPDATE sl_event SET time_ns = time_ns + 2000000000 WHERE time_ns < (SELECT max(time_ns) - 8000000000 FROM sl_event) AND (SELECT name
        FROM sl_name WHERE id = type) IN ('running_ended', 'worker_completed_task', 'worker_all_finished_task', 'interchange_removing_task', 'returned', 'exec_done')""")
    spanloom("diff", file, steps, "--fail-on", "5%", code=3)
    spanloom("diff", file, steps, "--fail-on", "makespan=5%")
    for wrong in "makespan=", "makespan=x", "makespan=5", "story=5%":
        check("such as 5%" in spanloom("diff", file, slow, "--fail-on", wrong, code=2).err, wrong)
    check("two runs" in spanloom("why", "-d", file, "--fail-on", "makespan=5%", code=2).err, "why of one run")


main()
