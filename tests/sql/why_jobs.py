#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs of Slurm and Flux where no workflow says what its tasks were: they are the tasks.  What waited in the queue, what waited
for what, what failed, by times that this file makes up; and beside a workflow of Parsl they are no run."""
import collections
import datetime
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

HEAD = "JobID|JobName|State|Submit|Eligible|Start|End|ExitCode|NodeList|SubmitLine"


def clock(s):
    return "Unknown" if s is None else (datetime.datetime(2026, 11, 20, 8) + datetime.timedelta(seconds=s)).isoformat()


def row(job, name, submit, eligible, start, end, state="COMPLETED", code="0:0", line="sbatch x.sh"):
    return "|".join((job, name, state, *map(clock, (submit, eligible, start, end)), code, "n1" if start is not None else "None assigned", line))


def why(store, *more):
    r = spanloom("why", "-d", store, *more, "--format", "json")
    told = json.loads(r.out)
    return told, {f["finding"]: f for f in told["findings"]}


def pipeline():
    """prep, then an array of four of which the second is the last to end and the third fails, then post; one waits still."""
    array = "sbatch --array=0-3 -d afterok:100 sim.sh"
    rows = [HEAD, row("100", "prep", 0, 0, 5, 605), row("100.batch", "batch", 5, 5, 5, 605)]
    rows += [row(f"101_{i}", "sim", 1, 605, 4205, 4205 + length, *("FAILED", "2:0") if i == 2 else (), line=array) for i, length in enumerate((1800, 1860, 60, 1700))]
    rows += [row("102", "post", 2, 6065, 6075, 6375, line="sbatch -d afterany:101 post.sh"), row("103", "plot", 6300, 6300, None, None, "PENDING")]
    write(path("jobs/jobs.sacct"), "\n".join(rows) + "\n")
    return imported(path("jobs")).store


@test
def jobs_that_waited_in_slurms_queue():
    store = pipeline()
    told, found = why(store)
    run, = told["run"]
    equal([run["tasks"], run["makespan_s"]], [7, 6375.0])
    equal({e["ended"]: e["tasks"] for e in told["ended"]}, {"done": 5, "failed": 1, None: 1})
    f = found["job-queue"]
    equal(f["seconds"], 5 + 3600 + 10)
    check("job 101_1 (sim) waited 60 min 00 s" in f["text"] and "the queue of Slurm" in f["text"], f["text"])
    check("component" not in found and found["unfinished"]["text"].startswith("1 of 7 jobs is not done"), found)
    went = {w["what"]: w["seconds"] for w in told["went"]}
    equal([went["app prep"], went["app sim"], went["app post"]], [600, 1860, 300])


@test
def through_an_array_to_what_depends_on_it():
    store = pipeline()
    r = json.loads(spanloom("critical-path", "-d", store, "--format", "json").out)
    rows = next(v for v in r.values() if isinstance(v, list) and v and "task" in v[0]) if isinstance(r, dict) else r
    tasks = [x["task"] for x in rows if x["task"]]
    equal(list(dict.fromkeys(tasks)), ["100", "101_1", "102"])


@test
def an_element_of_an_array_that_failed():
    r = spanloom("failures", "-d", pipeline())
    check("job 101_2 (sim): FAILED, exit code 2:0" in " ".join(r.out.split()), r.out)


@test
def jobs_that_were_cancelled_failed_for_that():
    store = imported(f"{ROOT}/tests/data/slurm/jobs.sacct").store
    rows = json.loads(spanloom("failures", "-d", store, "--format", "json").out)
    equal(collections.Counter(r["exception"] for r in rows), {"cancelled": 4, "FAILED, exit code 3:0": 1})


@test
def jobs_that_were_submitted_late():
    """They have no workers."""
    told, found = why(imported(f"{ROOT}/tests/data/slurm/jobs.sacct").store)
    check(found["slow-driver"]["text"].startswith("jobs were submitted one after the other: 4.00 s between submissions of 9 jobs"), found["slow-driver"])
    check("worker" not in json.dumps(list(found.values())), found)


@test
def runs_counts_jobs():
    told, = json.loads(spanloom("runs", "-d", pipeline(), "--format", "json").out)
    equal([told["run"], told["tasks"], told["not done"]], ["slurm", 7, 2])


@test
def elements_of_an_array_that_still_wait():
    """One row of sacct's is all of them, as numbers, ranges and ranges with a step; %2 says how many may run at once."""
    waits = dict(eligible=1, start=None, end=None, state="PENDING")
    rows = [HEAD, row("27_0", "sim", 1, 1, 605, 1205), row("27_2", "sim", 1, 1, 1205, None, "RUNNING"), row("27_[1,3-9%2]", "sim", 1, **waits), row("28_[0-9]", "post", 1, **waits)]
    rows += [row("29_[0-12:4]", "each", 1, **waits), row("30_[5-6]", "gone", 1, None, None, 300, "CANCELLED by 1000")]
    write(path("array/jobs.sacct"), "\n".join(rows) + "\n")
    store = imported(path("array")).store
    told, = json.loads(spanloom("runs", "-d", store, "--format", "json").out)
    equal([told["tasks"], told["not done"]], [26, 25])
    told, found = why(store)
    equal({e["ended"]: e["tasks"] for e in told["ended"]}, {"done": 1, "cancelled": 2, None: 23})
    check(found["unfinished"]["text"].startswith("23 of 26 jobs are not done (1 had begun)"), found)
    equal(found["job-queue"]["without_s"], 600.0)  # no less than the longest of them ran
    elements = spanloom("sql", "-d", store, "--format", "csv", "SELECT job, group_concat(e, ' ') FROM (SELECT job.key AS job, CAST(e.key AS INTEGER) AS e FROM sl_span e JOIN sl_name n ON n.id = e.type AND n.name = 'slurm.job.element' JOIN sl_span job ON job.id = e.parent ORDER BY 1, 2) GROUP BY 1").out
    equal(elements.split("\n")[1:-1], ["27,0 1 2 3 4 5 6 7 8 9", "28,0 1 2 3 4 5 6 7 8 9", "29,0 4 8 12", "30,5 6"])
    write(path("many/jobs.sacct"), "\n".join([HEAD, row("31_[0-9999999]", "sim", 1, **waits), row("32_[1-3]", "sim", 1, **waits)]) + "\n")
    store = imported(path("many")).store
    check("0 to 9999999 are more than 1000000" in spanloom("rejects", "-d", store).out)
    equal(json.loads(spanloom("runs", "-d", store, "--format", "json").out)[0]["tasks"], 26 + 3)  # in the store of the others


@test
def screens_call_them_jobs():
    """All words but those of users: an app that is called task, and an exception that speaks of one."""
    rows = [HEAD] + [row(str(200 + i), "task", 0, 0, 10 + 3 * i, 110 + 3 * i + (4000 if i == 7 else 0)) for i in range(8)]
    rows.append(row("300", "gone", 0, 0, 50, 90, "FAILED", "1:0"))
    write(path("called/jobs.sacct"), "\n".join(rows) + "\n")
    store = imported(path("called")).store
    for command in ("why", "critical-path", "failures"):
        screen = spanloom(command, "-d", store).out
        check("job" in screen and "task" not in screen.replace("(task)", "").replace("app task", ""), screen)
    told, found = why(store)
    equal([told["run"][0]["unit"], found["straggler"]["command"]], ["job", f"spanloom show job 207 -d {store}"])
    check(spanloom("show", "job", "207", "-d", store).out.startswith("slurm.job 207"), "its command works")
    store = pipeline()
    for word in ("job", "task"):
        check(spanloom("show", word, "101_1", "-d", store).out.startswith("slurm.job.element 1 of slurm.job 101"), "an element of an array")
    t = 1795181000.0
    job = {"id": 7, "name": "solve", "t_submit": t, "t_depend": t, "t_sched": t, "t_run": t + 1, "t_cleanup": t + 20, "t_inactive": t + 20, "state": "INACTIVE", "result": "FAILED",
           "returncode": "task 0 failed"}
    write(path("task0/flux-jobs.json"), json.dumps({"jobs": [job, {**job, "id": 8}]}))
    told, found = why(imported(path("task0"), store="task0.db").store)
    check(found["failed-tasks"]["text"].startswith("2 jobs failed at last") and "task 0 failed" in found["failed-tasks"]["text"], found)


@test
def long_runs_have_straight_columns():
    out = spanloom("critical-path", "-d", pipeline()).out
    table = out.split("\n\n")[2].splitlines()
    equal({line.index("slurm") for line in table[1:]}, {table[0].index("component")}, out)
    check("1 of them was never done" in out, out)


@test
def states_without_a_type():
    r = spanloom("states", "-d", pipeline(), "--format", "csv")
    check("slurm.job,start" in r.out, r.out)


@test
def beside_a_workflow_they_are_no_run():
    """Parsl's blocks are such jobs, and other jobs are in the same file."""
    store = imported(f"{ROOT}/tests/data/slurm").store
    told, = json.loads(spanloom("runs", "-d", store, "--format", "json").out)
    check(told["run"] != "slurm" or told["script"] == "wf_slurm", told)
    equal(told["tasks"], 15)
    told, found = why(store)
    equal([told["run"][0]["tasks"], "job-queue" in found], [15, False])


@test
def jobs_of_flux():
    t, jobs = 1795181000.0, []
    for i, (name, submit, run, end, result) in enumerate((("mesh", 0, 1, 60, 0), ("solve", 61, 900, 1500, 0), ("solve", 61, 905, 930, 1), ("post", 1501, 1502, 1600, 0))):
        jobs.append({"id": i + 10, "name": name, "t_submit": t + submit, "t_depend": t + submit, "t_sched": t + submit, "t_run": t + run, "t_cleanup": t + end,
                     "t_inactive": t + end, "state": "INACTIVE", "result": "FAILED" if result else "COMPLETED", "returncode": result})
    write(path("inst/flux-jobs.json"), json.dumps({"jobs": jobs}))
    store = imported(path("inst"), store="flux.db").store
    told, found = why(store)
    equal([told["run"][0]["tasks"], told["run"][0]["makespan_s"]], [4, 1600.0])
    equal(found["job-queue"]["seconds"], 1 + 839 + 1)
    check("FAILED, return code 1" in found["failed-tasks"]["text"], found)


main()
