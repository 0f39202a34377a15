#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plan: its steps against all sets of them, against runs in which they were really made, and its bounds against Python."""
import itertools
import json
import os
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import *  # noqa

WORKFLOW_ID = "(SELECT id FROM spans WHERE type = 'parsl.rundir.workflow')"


def run(name):
    with tarfile.open(f"{ROOT}/tests/data/replay.tar.gz") as t:
        t.extractall(path("."), [m for m in t.getmembers() if m.name.startswith(f"replay/{name}/")])
    return imported(path(f"replay/{name}"), store=f"{name}.db").store


def data(name):
    return imported(f"{ROOT}/tests/data/{name}", store=f"{name}.db").store


def close(got, want, most):
    check(abs(got - want) <= most, got, want)


def plan(store, *args):
    return json.loads(spanloom("plan", "-d", store, "--format", "json", *args).out)


def makespan(store, changes):
    answer = json.loads(spanloom("what-if", "-d", store, "--format", "json", changes).out)
    row = answer[0] if isinstance(answer, list) else answer["change"][0]
    return row["new_makespan_s"]


@cases(("straggler", "straggler-repaired", "straggler", 0.1), ("flaky", "flaky-repaired", "failed-tries", 0.1), ("diamond-1", "diamond-4", "too-few-workers", 0.1))
def a_step_that_was_really_made(one, other, finding, most):
    f = run(one)
    args = ["--keep", "straggler"] if one == "diamond-1" else []
    p = plan(f, *args)
    equal(p["steps"][0]["finding"], finding)
    got = p["steps"][0]["makespan_s"]
    if one == "diamond-1":  # the other run has four workers
        got = makespan(f, "workers = 4")
    row, = sql(run(other), "SELECT (max(done_ns) - min(first_ns)) / 1e9 AS s FROM task_times(" + WORKFLOW_ID + ")")
    start, = sql(f, f"SELECT (min(first_ns) - (SELECT min(time_ns) FROM events)) / 1e9 AS s FROM task_times({WORKFLOW_ID})")
    note(f"{one}: {p['run'][0]['makespan_s']:.2f} s, planned {got:.2f}, measured {row['s']:.2f} after {start['s']:.2f}")
    check(abs(got - start["s"] - row["s"]) < most * row["s"] + 0.5, got, start, row)


@cases("parsl-2026-shell", "parsl-2026-dual", "parsl-2026-progress")
def steps_add_up_and_no_other_set_is_better(name):
    f = data(name)
    p = plan(f)
    before = p["run"][0]["makespan_s"]
    for i, step in enumerate(p["steps"]):
        equal(step["step"], i + 1)
        equal(step["all_changes"], ", ".join(s["changes"] for s in p["steps"][:i + 1]))
        close(step["makespan_s"], makespan(f, step["all_changes"]), 1e-6)
        close(step["gain_s"], before - step["makespan_s"], 1e-6)
        check(step["gain_low_s"] <= step["gain_s"] <= step["gain_high_s"], step)
        check(step["low_s"] <= step["makespan_s"] <= step["high_s"], step)
        check(step["gain_s"] >= 0.01 * p["run"][0]["makespan_s"], step)
        before = step["makespan_s"]
    # all sets of what findings have replayed, one value of each
    why = json.loads(spanloom("why", "-d", f, "--format", "json").out)
    values = {}
    names = {s["finding"] for s in p["steps"]}
    for r in why["replays"]:
        if r["finding"] in names:
            values.setdefault(r["rank"], [""]).append(r["changes"])
    best = min(makespan(f, changes) for some in itertools.product(*values.values())
               if (changes := ", ".join(c for c in some if c))) if values else before
    check(before <= best + 0.1 * (p["run"][0]["makespan_s"] - best) + 1e-6, f"plan {before}, best {best}")


@test
def the_bounds_are_those_of_the_tasks():
    for f in (run("diamond-1"), run("flaky")):
        p = plan(f)["run"][0]
        tasks = {r["span"]: r for r in sql(f, f"SELECT span, done_ns, run_s - ifnull(retried_s, 0) AS s FROM task_times({WORKFLOW_ID}) ORDER BY done_ns")}
        needs = {}
        for r in sql(f, f"SELECT span, after_span FROM task_graph({WORKFLOW_ID}) WHERE after_span NOTNULL"):
            needs.setdefault(r["span"], []).append(r["after_span"])
        path = {}
        for span, r in tasks.items():
            path[span] = r["s"] + max((path.get(o, 0) for o in needs.get(span, [])), default=0)
        check(p["path_s"] <= max(path.values()) * 1.02 + 0.01, p, max(path.values()))
        check(p["work_s"] <= p["makespan_s"] * 1.0001, p)
        work = sum(r["s"] for r in tasks.values())
        places, = sql(f, "SELECT count(*) AS n FROM spans WHERE type GLOB '*worker' OR type = 'parsl.executors.threads.thread'")
        close(p["work_s"], work / places["n"], 0.02 * work / places["n"] + 0.01)


@test
def what_the_user_wants():
    f = data("parsl-2026-shell")
    equal([s["finding"] for s in plan(f)["steps"]], ["late-workers", "too-few-workers"])
    equal([s["repair"] for s in plan(f)["steps"]], ["setting", "nodes"])
    kept = plan(f, "--keep", "late-workers")
    check("late-workers" not in [s["finding"] for s in kept["steps"]] and kept["run"][0]["refused"] > 0, kept)
    cheap = plan(f, "--budget", "0.0016")
    equal([(s["finding"], s["repair"]) for s in cheap["steps"]], [("late-workers", "setting"), ("too-few-workers", "setting")])
    check("2 workers instead of 1" in cheap["steps"][1]["assumed"], cheap)  # that still fits on the node of 2 CPUs
    check(cheap["run"][0]["refused"] > 0 and all(s["node_hours"] <= 0.0016 for s in cheap["steps"]), cheap)
    check("--budget: no log tells on which nodes" in spanloom("plan", "-d", data("workqueue-gaps"), "--budget", "1", code=1).err)
    reached = plan(f, "--target", "90%")
    equal([len(reached["steps"]), reached["run"][0]["ends"]], [1, "target"])
    # nothing that costs more and takes longer than another
    options = plan(f)["options"]
    check(len(options) > 1 and all(a["makespan_s"] < b["makespan_s"] and a["node_hours"] > b["node_hours"] for a, b in zip(options, options[1:])), options)


@test
def sound_runs_have_no_cheap_steps():
    for f in (run("pipeline"), run("bag-4"), data("workqueue-blocks"), data("taskvine")):
        equal(plan(f)["steps"], [])
        check("No change that findings name" in spanloom("plan", "-d", f).out)
    nodes = plan(run("bag-2"), "--target", "80%")["steps"]  # who asks for it is told what nodes bring
    equal([s["repair"] for s in nodes], ["nodes"])


@test
def a_later_run_beside_the_plan():
    """flaky, and the run in which no try failed: of one store, by their directories."""
    for name in "flaky", "flaky-repaired":
        run(name)
    f = imported(path("replay"), store="both.db").store
    spanloom("plan", "-d", f, "--run", "flaky")
    p = plan(f, "--run", "flaky", "--check", "flaky-repaired")
    equal([c["step"] for c in p["check"]], list(range(len(p["steps"]) + 1)))
    came, = {c["came_s"] for c in p["check"]}
    close(came, plan(f, "--run", "flaky-repaired")["run"][0]["makespan_s"], 1e-9)
    last = p["check"][-1]
    close(last["off"], p["steps"][-1]["makespan_s"] / came - 1, 1e-9)
    check(abs(last["off"]) < 0.1, last)
    # parts of both critical paths add up to the runs
    close(sum(x["was_s"] or 0 for x in p["parts"]), p["run"][0]["makespan_s"], 0.01)
    close(sum(x["came_s"] or 0 for x in p["parts"]), came, 0.01)
    out = spanloom("plan", "-d", f, "--run", "flaky", "--check", "flaky-repaired").out
    check("flaky-repaired took" in out and "What differs on the critical path" in out, out)
    check("no-such" in spanloom("plan", "-d", f, "--run", "flaky", "--check", "no-such", code=1).err)


@test
def a_path_is_imported_and_what_fails_is_said():
    run("flaky")
    told = spanloom("plan", "-d", "new.db", path("replay/flaky"))
    check("1. change what tasks run: failed-tries" in told.out, told.out)
    equal(told.out, spanloom("plan", "-d", "new.db").out)
    os.makedirs(path("config/spanloom/findings"))
    with open(path("config/spanloom/findings/broken.yaml"), "w") as f:
        f.write("about: broken\nrepair: app\nsql: SELECT missing AS seconds\ntext: x\n")
    broken = spanloom("plan", "-d", "new.db", env={"XDG_CONFIG_HOME": path("config")}, code=1)
    check("broken.yaml: sql: no such column: missing" in broken.err and "failed-tries" in broken.out, broken.err)
    with open(path("config/spanloom/findings/broken.yaml"), "w") as f:
        f.write("about: broken\nrepair: luck\nsql: SELECT 1 AS seconds\ntext: x\n")
    luck = spanloom("plan", "-d", "new.db", env={"XDG_CONFIG_HOME": path("config")}, code=None)
    check("a repair is setting, workflow, app or nodes, not 'luck'" in luck.err, luck.err)
    os.remove(path("config/spanloom/findings/broken.yaml"))
    # a finding of the user's own is a candidate as well
    with open(path("config/spanloom/findings/own.yaml"), "w") as f:
        f.write("about: own\nrepair: setting\nsql: SELECT 'app flaky x0.1' AS changes\ntext: the app is slow\nadvice: mend it\n")
    steps = json.loads(spanloom("plan", "-d", "new.db", "--format", "json", env={"XDG_CONFIG_HOME": path("config")}).out)["steps"]
    equal([steps[0]["finding"], steps[0]["what"], steps[0]["edit"]], ["own", "the app is slow", "mend it"])
    # workers that come later are of further blocks, whose nodes are counted
    with open(path("config/spanloom/findings/own.yaml"), "w") as f:
        f.write("about: own\nrepair: setting\nsql: SELECT 'workers +0.5 s x3' AS changes\ntext: few\n")
    [step] = json.loads(spanloom("plan", "-d", run("bag-2"), "--format", "json", env={"XDG_CONFIG_HOME": path("config")}).out)["steps"]
    equal([step["finding"], step["repair"], step["nodes"]], ["own", "nodes", 3])


@test
def what_is_wrong_is_said():
    f = run("flaky")
    for args, words in ((["--keep", "no-such"], "there is no finding 'no-such'"), (["--target", "fast"], "percent or seconds"), (["--budget", "-1"], "node hours")):
        r = spanloom("plan", "-d", f, *args, code=2)
        check(words in r.err, r.err)


SCRIPT = '''
import parsl, time

@parsl.python_app
def sleeper(s):
    # time.sleep() here is not the driver's
    time.sleep(s)

config = Config(max_workers_per_node=2,
                strategy == "none")
for i in range(9):
    time.sleep(1)
'''


@test
def lines_of_the_script_that_a_step_names():
    """Calls of the driver, definitions of apps, settings; without the script nothing is said."""
    def lines(words):
        write(path("config/spanloom/findings/made.yaml"), f"""about: made
repair: app
sql: SELECT 'app sleeper x0' AS changes
text: "{words}"
command: none
""")
        steps = plan(store)["steps"]
        mine = [s["at"] for s in steps if s["finding"] == "made"]
        return mine[0].split("\n") if mine and mine[0] else []
    os.environ["XDG_CONFIG_HOME"] = path("config")
    copy_run(path("here/runinfo"))
    store = imported(path("here/runinfo"), store="here.db").store
    name, = sql(store, "SELECT value AS v FROM attributes WHERE name = 'workflow_name' LIMIT 1")
    equal(lines("time, sleep() and max_workers_per_node"), [])
    write(path(f"here/{name['v']}"), SCRIPT)
    # changes name the app, which is defined in line 5
    equal(lines("time, sleep() and max_workers_per_node"), [f"{name['v']}:5: def sleeper(s):", f"{name['v']}:9: config = Config(max_workers_per_node=2,",
                                                              f"{name['v']}:12: time.sleep(1)"])
    equal(lines("strategy and Config"), [f"{name['v']}:5: def sleeper(s):"])
    write(path(f"here/{name['v']}"), b"\0" * 10)
    equal(lines("sleep()"), [])


@test
def a_later_run_says_which_steps_were_made():
    """The flaky run beside one without failures, and beside itself."""
    for name in ("flaky", "flaky-repaired"):
        with tarfile.open(f"{ROOT}/tests/data/replay.tar.gz") as t:
            t.extractall(path("."), [m for m in t.getmembers() if m.name.startswith(f"replay/{name}/")])
        imported(path(f"replay/{name}"), store="both.db")
    runs = [r["run"] for r in json.loads(spanloom("runs", "-d", "both.db", "--format", "json").out)]
    equal(len(runs), 2)
    one, other = sorted(runs, key=len)
    p = plan("both.db", one, "--check", other)
    equal([c["made"] for c in p["check"] if c["step"]][0], 1)
    p = plan("both.db", one, "--check", one)
    of = {c["step"]: c["made"] for c in p["check"]}
    check(of[0] is None and of[1] == 0 and None not in of, of)
    text = spanloom("plan", "-d", "both.db", one, "--check", one).out
    check("that run still has what it was to remove" in " ".join(text.split()), text)


@test
def checked_predictions_are_kept():
    """Each pair of runs once; where nothing was made there is none."""
    for name in ("flaky", "flaky-repaired"):
        with tarfile.open(f"{ROOT}/tests/data/replay.tar.gz") as t:
            t.extractall(path("."), [m for m in t.getmembers() if m.name.startswith(f"replay/{name}/")])
        imported(path(f"replay/{name}"), store="kept.db")
    one, other = sorted((r["run"] for r in json.loads(spanloom("runs", "-d", "kept.db", "--format", "json").out)), key=len)
    told = lambda *args: plan("kept.db", one, *args)["run"][0]
    equal(told()["checked"], 0)
    told("--check", one)
    equal(told()["checked"], 0)
    check_of = plan("kept.db", one, "--check", other)["check"]
    told("--check", other)
    said = max((c for c in check_of if c["made"] == 1 or c["step"] is None), key=lambda c: c["step"] or 99)
    equal(told()["checked"], 1)
    close(told()["checked_off"], abs(said["makespan_s"] / said["came_s"] - 1), 1e-6)
    check("Of 1 checked prediction of this workflow 1 was within" in " ".join(spanloom("plan", "-d", "kept.db", one).out.split()))
    equal(query(path("kept.db"), "SELECT run, later, changes FROM sl_prediction"), [(one, other, said["changes"])])


if __name__ == "__main__":
    main()
