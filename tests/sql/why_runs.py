#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom why around its findings: runs that go on or were cut short, two runs, where the time went, names of runs."""
import contextlib
import glob
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from schedules import *  # noqa


@cases((True, 7200, "cut short"), (True, 20, "goes on"), (False, 20, "done"))
def no_log_has_the_end_of_the_run(undone, ago, state):
    run(bag(40), end=None, undone=range(30, 40) if undone else ())
    db = sqlite3.connect(path("why.db"))
    [last] = db.execute("SELECT max(time_ns) FROM sl_event").fetchone()
    db.execute("UPDATE sl_event SET time_ns = time_ns + ?", (time.time_ns() - ago * S - last,))
    db.commit()
    db.close()
    told = why()
    equal(told["run"][0]["state"], state)
    equal([f["finding"] for f in told["findings"]], ["unfinished"] if undone else ["more-workers"])
    out = re.sub(r"\s+", " ", spanloom("why", "-d", path("why.db")).out)
    want = {"cut short": "was cut short after 6.", "goes on": "s so far, since 20", "done": "UTC; no log has its end"}
    check(want[state] in out and ("40 tasks: 30 done, 10 not done" in out or not undone), out)
    if undone:
        check("no log has the end of the run, and 10 of 40 tasks are not done" in out and "what was still to come is in no number" in out, out)


@test
def a_copy_of_a_run_is_said_to_be_one():
    imported(EXAMPLE, store="why.db")
    shutil.copytree(EXAMPLE, path("copy"))
    r = spanloom("why", path("copy"), "-d", path("why.db"), code=1)
    check(f"{path('copy')} is a copy: the store knows its files by another path" in re.sub(r"\s+", " ", r.err), r)


@cases((24, ("memo_done", "parsl log")), (1, ("memo_done", "monitoring")), (0, ("exec_done", "no")))
def tasks_whose_result_was_there_already(n, how):
    """Of a task itself, or of a try of it as monitoring has it; what never ran for another reason is none."""
    def more_of(s, w, ex, *_):
        for i in range(100, 100 + max(n, 3)):
            t = s.task(w, i, submitted=S + i, pending=S + i, **({"exec_done": S + MS + i} if how[1] != "parsl log" else {"memo_done": S + MS + i}))
            if how[1] == "monitoring" and i < 100 + n:
                seen = s.span("parsl.monitoring.task", i, None, MONITORING)
                s.span("parsl.monitoring.try", 0, seen, MONITORING, memo_done=S + MS + i)
                s.link(seen, FACET, t)
    run(bag(60), more_of=more_of)
    equal(why()["run"][0]["from_memo"], n)
    out = re.sub(r"\s+", " ", spanloom("why", "-d", path("why.db")).out)
    done = 60 + max(n, 3)
    check(f"{done} tasks: {done} done ({n} of them from memo); 4 workers" in out if n else f"{done} done; 4 workers" in out, out[:400])


@cases(("killed", dict(undone=range(20, 60)), 20, True), ("waits for its tasks", dict(running=range(56, 60)), 20, False), ("killed a moment before the others", dict(undone=range(50, 60)), 20, False),
       ("killed long ago", dict(undone=range(20, 60)), 7200, True))
def a_driver_that_takes_no_more_results(name, how, ago, silent):
    """Though workers go on, as do those of a driver that was killed (kill -9): the run does not."""
    run(bag(60, 5), end=None, **how)
    db = sqlite3.connect(path("why.db"))
    [last] = db.execute("SELECT max(time_ns) FROM sl_event").fetchone()
    db.execute("UPDATE sl_event SET time_ns = time_ns + ?", (time.time_ns() - ago * S - last,))
    db.commit()
    [begun, done] = db.execute("SELECT (SELECT min(time_ns) FROM sl_event), (SELECT max(e.time_ns) FROM sl_event e JOIN sl_name n ON n.id = e.type WHERE n.name = 'exec_done')").fetchone()
    db.close()
    told = why()
    equal((told["run"][0]["state"] == "driver silent", told["run"][0]["silent_ns"]), (silent, str(done) if silent else None))
    out = re.sub(r"\s+", " ", spanloom("why", "-d", path("why.db")).out)
    found = [f["finding"] for f in told["findings"]]
    if silent:
        check("silent-driver" in found and "unfinished" not in found, found)
        check(f"after {(done - begun) / S:.1f} s, at " in out and "its driver fell silent, and others went on until" in out and "has run for" not in out, out)
        check("results of 40 tasks came back from workers after that" in out, out)
    else:
        check("silent-driver" not in found and "silent" not in out, out)


@cases(("workqueue", "parsl-2026-workqueue", "runinfo/000/wq.1/debug_log", "work_queue_python"), ("taskvine", "taskvine", "vine-run-info/2026-*/vine-logs/debug", "vine_manager"))
def warnings_of_other_systems(component, data, log, program):
    """Of a real run, with lines behind its debug log as cctools writes them: a level where the subsystem stands."""
    shutil.copytree(f"{ROOT}/tests/data/{data}", path("warned"))
    [folder] = glob.glob(path("warned/" + os.path.dirname(log)))
    sound = [f["finding"] for f in why("sound.db", path("warned"))["findings"]]
    check("log-messages" not in sound, sound)
    at = "13:16:30" if component == "taskvine" else "13:28:30"
    with open(f"{folder}/{os.path.basename(log)}", "a") as f:
        f.write(f"2026/11/20 {at}.44 {program}[23309] notice: a worker was removed\n2026/11/20 {at}.54 {program}[23309]error: no room for the log\n")
    [f] = [f for f in why("warned.db", path("warned"))["findings"] if f["finding"] == "log-messages"]
    equal(f["text"], f"logs say: no room for the log (an error of {component}); a worker was removed (a warning of {component})".replace("of workqueue", "of work queue"))


@test
def logs_have_warnings_and_errors():
    """Of the same words a line once, errors first."""
    shutil.copytree(f"{ROOT}/examples/parsl-htex/runinfo", path("warned"))
    equal([f["finding"] for f in why("sound.db", path("warned"))["findings"] if f["finding"] == "log-messages"], [])
    full = "Got a database OperationalError. Ignoring and retrying on the assumption that it is recoverable: (sqlite3.OperationalError) database or disk is full"
    write(path("warned/000/database_manager.log"), "".join(f"2026-11-20 08:11:4{i}.142 parsl.monitoring.db_manager:645 [{level}] [MainThread 140199286820928] {text}\n" for i, (level, text) in enumerate(
        (("DEBUG", "Inserting 4 TASK_INFO to task table"), ("WARNING", full), ("WARNING", full), ("ERROR", "cannot go on"), ("WARNING", "one"), ("WARNING", "two")))))
    with open(path("warned/000/parsl.log"), "a") as f:
        f.write("1795162310.5 2026-11-20 08:11:50 MainProcess-1 T-1 parsl.utils:374 make_callback ERROR: Callback threw an exception\nTraceback (most recent call last):\n  File \"x.py\", line 1, in f\nKeyError: 'x'\n")
    [f] = [f for f in why("warned.db", path("warned"))["findings"] if f["finding"] == "log-messages"]
    equal((f["seconds"], f["text"]), (None, "logs say: Callback threw an exception: KeyError: 'x' (an error of parsl); cannot go on (an error of parsl monitoring); " + full + ", 2 times (a warning of parsl monitoring); and 2 more"))
    out = spanloom("events", "log.message", "-d", path("warned.db")).out
    check(out.count("database_manager.log:2") == 1 and out.count("database_manager.log:3") == 1 and "DEBUG" not in out, out)


@cases((0.95, True, True), (0.3, True, False), (0.95, False, False))
def what_logs_say_as_a_run_is_cut_short_comes_first(at, cut, is_first):
    def more_of(s, w, ex, blocks, mans, last):
        s.event(s.span("log.message", "database or disk is full", w), "WARNING", round(at * last * S))
    run(bag(40), worker_start=10.0, more_of=more_of, **(dict(end=None, undone=range(30, 40)) if cut else {}))
    equal(faults()[0] == "log-messages", is_first, faults())
    [f] = [f for f in why()["findings"] if f["finding"] == "log-messages"]
    equal(f["text"], f"{'shortly before logs end they say' if is_first else 'logs say'}: database or disk is full (a warning of parsl)")


@cases((20, False, "goes on"), (3600, False, "cut short"), (20, True, "cut short"))
def a_run_goes_on_while_its_logs_are_written_to(ago, copied, state):
    """Though its last event may be long ago; all files of a copy are younger than that."""
    grow(0.6)
    for folder, _, files in os.walk(path("grown")):
        for name in files:
            began = name == "interchange.log" and not copied
            os.utime(f"{folder}/{name}", (1795162291 if began else time.time() - ago,) * 2)
    told = why("grown.db", path("grown"))
    equal(told["run"][0]["state"], state)


@test
def a_file_system_without_times_of_birth():
    """All logs were written to just now, as those of a run are that goes on: it is not told as cut short for that."""
    grow(0.6)
    for folder, _, files in os.walk(path("grown")):
        for name in files:
            os.utime(f"{folder}/{name}", (time.time() - 20,) * 2)
    write(path("birth.c"), b"""#define _GNU_SOURCE
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int statx(int folder, const char *restrict name, int flags, unsigned mask, struct statx *restrict x)
{
    int rc = (int)syscall(SYS_statx, folder, name, flags, mask, x);
    x->stx_mask &= ~STATX_BTIME;
    return rc;
}
""")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", path("birth.so"), path("birth.c")], check=True)
    env = {"LD_PRELOAD": path("birth.so"), "ASAN_OPTIONS": "verify_asan_link_order=0"}
    out = spanloom("why", "-d", path("grown.db"), path("grown"), env=env).out
    check("so far" in out and "cut short" not in out, out)
    check("cut short" in spanloom("why", "-d", path("grown.db"), path("grown")).out, "by their times of birth")


@cases((20, 20, 60), (7200, 1.9, 2.1))
def a_task_that_still_runs_counts_until_now_while_the_run_goes_on(ago, least, most):
    """And until the last event where it was cut short."""
    run(bag(30) + [Task("work", 3)] + bag(10), end=None, running=[30])
    db = sqlite3.connect(path("why.db"))
    [last] = db.execute("SELECT max(time_ns) FROM sl_event").fetchone()
    db.execute("UPDATE sl_event SET time_ns = time_ns + ?", (time.time_ns() - ago * S - last,))
    db.commit()
    db.close()
    found = {f["finding"]: f for f in why()["findings"]}
    seconds = re.match(r"task 30 \(work\) has run for ([\d.]+) s and is not done, [\d.]+ times the median of its app \(0.500 s\)", found["still-running"]["text"])
    check(seconds and least < float(seconds[1]) < most, found["still-running"]["text"])


@test
def a_driver_that_failed_before_it_submitted_a_task():
    """Its log was read, and an executor is no task."""
    lines = open(f"{EXAMPLE}/000/parsl.log", encoding="utf-8").readlines()
    first = next(i for i, line in enumerate(lines) if "submit DEBUG: Task 0 " in line)
    write(path("failed/000/parsl.log"), "".join(lines[:first]))
    told = why("failed.db", path("failed"))
    equal((told["run"][0]["tasks"], told["ended"]), (0, []))
    [f] = [f for f in told["findings"] if f["finding"] in ("unfinished", "unread")]
    equal(f["text"], "no log has the end of the run, and no task was submitted, as far as logs tell: did the driver fail before that? What it printed, and the last lines of its log, say why")
    check("\n0 tasks\n" in spanloom("why", "-d", path("failed.db")).out, "0 tasks")
    check(spanloom(*f["command"].split()[1:]).out.startswith("what "), "its command works")
    with open(path("failed/000/parsl.log"), "a") as f:
        f.write("1795162409.5 2026-11-20 08:13:29 MainProcess-1 MainThread-1 parsl.monitoring.radios.zmq_router:191 start_zmq_receiver ERROR: the router has not reported its port\n")
    equal({f["finding"] for f in why("failed.db", path("failed"))["findings"]}, {"log-messages", "unfinished"})  # a driver that has no task submits none slowly


@test
def a_folder_without_logs_is_told_in_a_line():
    """Also beside a store that holds something else."""
    run(bag(4))
    os.makedirs(path("empty"))
    for command in ("why", "report"):
        r = spanloom(command, path("empty"), "-d", path("why.db"), *(["--json", "-o", path("r.json")] if command == "report" else []), code=1)
        check(r.err.startswith(f"spanloom: no recipe knows any file below {path('empty')}") and r.err.count("\n") == 1 and not r.out, r.err + r.out)


@test
def commands_that_are_offered_run_as_they_stand():
    """Also where the store's path has blanks and quotes."""
    run(bag(16), end=9)
    os.makedirs(path("it's a"))
    os.rename(path("why.db"), path("it's a/why.db"))
    [f] = [f for f in why("it's a/why.db")["findings"] if f["finding"] == "shut-down"]
    where = {**environment(), "PATH": f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"}
    ran = subprocess.run(f["command"], shell=True, env=where, capture_output=True, text=True)
    check(ran.returncode == 0 and "after the last task" in ran.stdout, f["command"], ran.stdout, ran.stderr)


# ---- a run that goes on

def grow(share):
    """Each log of the example up to this share of its bytes."""
    for folder, _, files in os.walk(f"{ROOT}/examples/parsl-htex/runinfo/000"):
        for name in files:
            with open(f"{folder}/{name}", "rb") as file:
                data = file.read()
            to = path(f"grown/{os.path.relpath(folder, f'{ROOT}/examples/parsl-htex')}/{name}")
            os.makedirs(os.path.dirname(to), exist_ok=True)
            have = os.path.getsize(to) if os.path.exists(to) else 0
            with open(to, "ab") as file:
                file.write(data[have:int(len(data) * share)])


@contextlib.contextmanager
def followed(waits=False, says="(wf_mixed) has run for", ago=0):
    if not waits:
        grow(0.6)
    for folder, _, files in os.walk(path("grown")):
        for name in files:
            os.utime(f"{folder}/{name}", (time.time() - ago,) * 2)
    process = subprocess.Popen([PROGRAM, "why", "--follow", "-d", path("grown.db"), path("grown")], env=environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE if waits else subprocess.DEVNULL, text=True)
    try:
        if waits:
            line = process.stderr.readline()
            check(f"waiting for {path('grown')}, which is not there so far" in line, line)
            grow(0.6)
        line = process.stdout.readline()
        check(says in line, line)
        yield process
    finally:
        process.kill()
        process.wait()


@test
def follow_until_the_run_has_ended():
    with followed() as process:
        grow(1)
        rest = process.communicate(timeout=PATIENCE)[0]
        equal(process.returncode, 0)
    check("(wf_mixed) took 31.4 s" in rest and rest.endswith("\nthe run has ended\n") and "\033" not in rest, rest)
    equal(json.loads(spanloom("why", "--format", "json", "-d", path("grown.db")).out)["run"][0]["state"], "ended")


@test
def follow_waits_for_what_is_not_there_yet():
    with followed(waits=True) as process:
        grow(1)
        rest = process.communicate(timeout=PATIENCE)[0]
        check(process.returncode == 0 and rest.endswith("\nthe run has ended\n"), rest)


@test
def followed_files_that_nobody_writes_to_any_more_are_of_a_run_that_was_cut_short():
    with followed(says="(wf_mixed) was cut short after", ago=3600):
        pass


@test
def commands_that_are_offered_can_be_pasted():
    """Where nothing stands out, too."""
    run([Task("work", 0.5) for i in range(4)], file="a store.db")
    out = spanloom("why", "-d", path("a store.db")).out
    check("nothing stands out" in out, out)
    commands = [line.split(": ", 1)[1] for line in out.split("\n") if ": spanloom " in line]
    equal(len(commands), 2, out)
    for c in commands:
        check(spanloom(*shlex.split(c)[1:], cwd="/").out, c)


@test
def follow_until_control_c():
    with followed() as process:
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=PATIENCE)[0]
        equal(process.returncode, 0)
    check(rest.endswith("\nstopped; the run may go on\n"), rest)


@cases(((), "needs the one path that grows"), ((".", "--format", "json"), "then ask for --format"),
       ((".", "--fail-on", "5%"), "then ask for --fail-on"))
def follow_needs_a_path(more, said):
    check(said in spanloom("why", "--follow", *more, code=2).err, said)


# ---- two runs, gates, failures, names

@test
def two_runs_beside_each_other():
    a = run(bag(48), file="a.db")
    b = run(bag(30) + [Task("work", 15)] + bag(17), file="b.db")
    told = json.loads(spanloom("why", path("a.db"), path("b.db"), "--format", "json").out)
    equal([round(r["makespan_s"], 6) for r in told["runs"]], [round(a, 6), round(b, 6)])
    changes = [c for c in told["changes"] if c["what"] == "finding"]
    equal([(c["name"], c["a_s"]) for c in changes if c["change_s"] is not None and c["name"] != "more-workers"], [("straggler", None)])
    parts = sum(c["change_s"] for c in told["changes"] if c["what"] == "path")
    check(abs(parts - (b - a)) < 1e-6, "parts of the path add up to the change:", parts, b - a)
    out = spanloom("why", path("a.db"), path("b.db")).out
    check("B took" in out and "longer than A" in out and "came: task 30 (work)" in out, out)
    check(all(len(line) <= 80 for line in out.splitlines()), out)
    equal(spanloom("why", path("a.db"), path("b.db"), "--fail-on", "5%", code=3).code, 3)
    equal(spanloom("why", path("b.db"), path("a.db"), "--fail-on", "5%").code, 0)
    equal(spanloom("why", "-d", path("b.db"), "--fail-on", "1s", code=3).code, 3)
    equal(spanloom("why", "-d", path("a.db"), "--fail-on", "1%").code, 0)


@test
def where_the_time_went():
    """A slow app is no finding of a run alone; it is said where the time went, and first of what differs from another run."""
    tasks = lambda s: [Task("prep", 0.3) for _ in range(16)] + [Task("solve", s, after=[i]) for i in range(16)]
    a, b = run(tasks(0.5), file="a.db"), run(tasks(2.5), file="b.db")
    told = why("b.db")
    seconds = {r["what"]: r["seconds"] for r in told["went"]}
    check(abs(sum(seconds.values()) - b) < 1e-6, "they add up to the run:", seconds, b)
    check(9.9 < seconds["app solve"] < 10.2 and 1.1 < seconds["app prep"] < 1.3, seconds)  # 4 x 2.5, and 4 x 0.3
    check(0.45 < seconds["until workers were there"] < 0.5, seconds)
    out = spanloom("why", "-d", path("b.db")).out
    check(re.search(r"^critical path: 81 % app solve; 10 % app prep", out, re.M), out)
    out = spanloom("why", path("a.db"), path("b.db")).out
    check(re.search(r"^where the time went, along the critical path;.*\n +\+8(\.0\d)? s  app solve: 2\.00 s -> 10\.0 s", out, re.M), out)


@test
def two_runs_of_which_one_has_failed_tries():
    """What ends at a time limit tells nothing of how long an app takes; what came and went has its words, notes too."""
    a = run([Task("limited", 0.5) for _ in range(15)] + [Task("limited", 0.5, fails=1, failed_s=20.0)] + [Task("broken", 1, ended="failed")], file="a.db")
    b = run([Task("limited", 0.5) for _ in range(16)] + [Task("broken", 1)], file="b.db")
    told = json.loads(spanloom("why", path("a.db"), path("b.db"), "--format", "json").out)
    apps = {c["name"]: c for c in told["changes"] if c["what"] == "app"}
    equal((apps["limited"]["a"], apps["limited"]["b"]), ("16 tasks, median 0.500 s", "16 tasks, median 0.500 s"))
    check(abs(apps["limited"]["change_s"]) < 0.01 and abs(apps["failed tries of limited"]["change_s"] + 20 / 4) < 0.1, apps)
    equal(apps["broken"]["a"], "1 task, none done")
    notes = [c for c in told["changes"] if c["what"] == "finding" and c["change_s"] is None]
    equal([(c["name"], c["a_s"], c["b_s"], c["b"]) for c in notes if c["name"] == "failed-tasks"], [("failed-tasks", None, None, None)])
    out = spanloom("why", path("a.db"), path("b.db")).out
    check(re.search(r"^A  .*, 17 tasks, 16 of them done, 4 workers$", out, re.M) and re.search(r"^ +gone: 1 task failed at last", out, re.M), out)
    check(re.search(r"^ +-5\.\d\d s  failed tries of limited: 5\.\d\d s -> none$", out, re.M), out)
    for side, name in ("a", "a.db"), ("b", "b.db"):  # every time of the screen in one unit
        check(not re.search(r"\d (ms|us|min)\b", spanloom("why", "-d", path(name)).out), side)
    check(not re.search(r"\d (ms|us|min)\b", out), out)


@test
def where_failed_tries_went():
    """They are no work of their app."""
    took = run([Task("flaky", 1, fails=3, failed_s=2.0) for _ in range(4)] + bag(8))
    seconds = {r["what"]: r["seconds"] for r in why()["went"]}
    check(abs(sum(seconds.values()) - took) < 1e-6, seconds, took)
    check(5.9 < seconds["failed tries of flaky"] < 6.1 and 0.9 < seconds["app flaky"] < 1.6, seconds)  # and while others wait for its workers
    out = re.sub(r"\s+", " ", spanloom("why", "-d", path("why.db")).out)
    check(re.search(r"critical path: \d+ % failed tries of flaky; ", out), out)


@test
def tasks_that_wait_while_workers_are_idle_are_not_in_an_app():
    run(bag(12, 0.5), hand=2.0)
    went = {r["what"]: r["seconds"] for r in why()["went"]}
    check(went["app work"] < 2 and went["parsl, waiting for dependencies or its launch"] > 20, went)


@test
def two_runs_that_took_as_long():
    run(bag(8), file="a.db")
    check("\nB took as long as A\n" in spanloom("why", path("a.db"), path("a.db")).out, "as long")


@test
def workers_of_each_executor():
    run([Task("work", 0.5) for _ in range(40)] + [Task("other", 0.1, on="spare")], more={"spare": 3})
    out = re.sub(r"\s+", " ", spanloom("why", "-d", path("why.db")).out)
    # nothing is heard of the manager of spare after its only task
    check("; 7 workers: 4 of htex (100 % busy), 3 of spare (33 % busy); the first task ran" in out, out)


@test
def failures_by_app_and_exception():
    run([Task("flaky", 1, fails=3, failed_s=2.0) for _ in range(4)])
    rows = json.loads(spanloom("failures", "-d", path("why.db"), "--format", "json").out)
    equal([(r["tasks"], r["tries"], r["then done"], r["failed"], r["app"], r["exception"]) for r in rows], [(4, 12, 4, 0, "flaky", "OSError('no route to host')")])
    check(abs(rows[0]["seconds"] - 24) < 0.01, rows)  # 4 x 3 x 2 s
    run(bag(4))
    check("nothing failed" in spanloom("failures", "-d", path("why.db")).out, "nothing")


@test
def runs_are_called_by_what_tells_their_directories_apart():
    data = f"{ROOT}/tests/data"
    two = imported(f"{data}/parsl-2026-dual", f"{data}/parsl-2026-lost", store="two.db").store
    rows = json.loads(spanloom("runs", "-d", two, "--format", "json").out)
    equal(sorted(r["run"] for r in rows), ["parsl-2026-dual", "parsl-2026-lost"])
    for r in rows:
        check(r["directory"].startswith(f"{os.path.realpath(data)}/{r['run']}/"), r)
        for word in (r["run"], r["run"][:-1]):
            check(spanloom("why", "--run", word, "-d", two, code=(0, 1)).out.startswith(r["run"]), word)
    for run_id in sql(two, "SELECT key FROM spans WHERE type = 'parsl.rundir.workflow'"):
        check(spanloom("why", "--run", run_id["key"][:3], "-d", two, code=(0, 1)).out, run_id)
    check("no run is called parsl-2026-lots; did you mean 'parsl-2026-lost'" in spanloom("why", "--run", "parsl-2026-lots", "-d", two, code=1).err, "meant")
    check("'' names no run" in spanloom("why", "", "-d", two, code=2).err, "empty")
    r = spanloom("why", "--run", "parsl-2026", "-d", two, code=1)
    check("the names of 2 runs begin with parsl-2026; say more of it:\n  parsl-2026-dual\n  parsl-2026-lost\n" in r.err, r.err)
    alone = imported(f"{data}/parsl-2026-dual", store="one.db").store
    equal([r["run"] for r in json.loads(spanloom("runs", "-d", alone, "--format", "json").out)], ["parsl-2026-dual"])



@test
def runs_count_what_failed_by_whatever_tells_it():
    """monitoring.db alone has only that tasks returned, and how their tries ended."""
    for what in ("", "/runinfo/monitoring.db"):
        store = imported(f"{ROOT}/tests/data/parsl-2026-dual{what}", store="ended.db").store
        equal([(r["tasks"], r["not done"]) for r in json.loads(spanloom("runs", "-d", store, "--format", "json").out)], [(15, 2)])


@cases("parsl-2026-dual", "parsl-2026-workqueue", "parsl-2026-lost", "slurm", "parsl-2026-threads")
def a_path_is_imported_and_its_run_told_of(run):
    """Of facets, and of what lies within it, the workflow itself."""
    told = why("path.db", f"{ROOT}/tests/data/{run}")["run"][0]
    store = imported(f"{ROOT}/tests/data/{run}", store="all.db").store
    [of] = json.loads(spanloom("runs", "-d", store, "--format", "json").out)
    equal((told["run"], told["tasks"]), (of["run"], of["tasks"]))
    check(told["tasks"] > 0, told)


@test
def of_several_runs_in_a_path_the_last_is_told_of():
    r = spanloom("why", "-d", path("two.db"), f"{ROOT}/tests/data")
    check(re.search(r"the last of \d+ runs is told of, ", r.err), r.err)
    [last] = [x["run"] for x in json.loads(spanloom("runs", "-d", path("two.db"), "--format", "json").out) if r.out.startswith(x["run"])][:1]
    check(f"--run {last}" in r.out and f"-d {path('two.db')}" in r.out, r.out)


@test
def runs_without_the_log_of_the_driver():
    """Tasks are those of monitoring.db; without that, too, nobody says how many there are, and why tells of each that workers had once."""
    logs = path("nolog/runinfo")
    shutil.copytree(EXAMPLE, logs)
    os.remove(f"{logs}/000/parsl.log")
    told, = json.loads(spanloom("runs", "-d", imported(logs).store, "--format", "json").out)
    db = sqlite3.connect(f"{EXAMPLE}/monitoring.db")
    last = [r[0] for r in db.execute("SELECT (SELECT task_status_name FROM status s WHERE s.task_id = t.task_id ORDER BY timestamp DESC LIMIT 1) FROM task t")]
    equal((told["tasks"], told["not done"]), (len(last), sum(s not in ("exec_done", "memo_done") for s in last)))
    os.remove(f"{logs}/monitoring.db")
    spanloom("import", "--quiet", "-d", path("workers.db"), logs)
    told, = json.loads(spanloom("runs", "-d", path("workers.db"), "--format", "json").out)
    equal((told["tasks"], told["not done"]), (None, None))
    told = why("workers.db")
    tasks = told["run"][0]["tasks"]
    check(tasks == sum(1 for _ in spanloom("sql", "-d", path("workers.db"), "--format", "csv", "SELECT key FROM sl_span s JOIN sl_name n ON n.id = s.type WHERE n.name = 'parsl.executor.htex.worker.task'").out.splitlines()) - 1, tasks)
    check("no log of who submits tasks was read" in str([f["text"] for f in told["findings"]]), told["findings"])


@test
def findings_name_their_tasks():
    """As Parsl's own table of states has them."""
    told = {f["finding"]: f["spans"] for f in why("example.db", EXAMPLE)["findings"]}
    with contextlib.closing(sqlite3.connect(f"{EXAMPLE}/monitoring.db")) as db:
        was = {name: {str(t) for t, in db.execute("SELECT task_id FROM status WHERE task_status_name = ?", (name,))} for name in ("failed", "fail_retryable")}

    def tasks(*findings):
        return {key for f in findings for key, in query(path("example.db"), f"SELECT key FROM spans WHERE id IN ({told[f]})")}
    equal(tasks("failed-tasks"), was["failed"])
    equal(tasks("failed-tries", "lost-workers"), was["fail_retryable"])


@test
def what_ran_meanwhile():
    """While a task of the critical path waited for a worker: what workers ran, of tasks that were tried again, too, not what lay between."""
    where = {r["what"]: r["seconds"] for r in why("example.db", EXAMPLE)["went"]}
    rows = lambda sql: json.loads(spanloom("sql", "-d", "example.db", "--run", "parsl-htex", "--format", "json", sql).out)  # noqa: E731
    app = {t["span"]: t["app"] for t in rows("SELECT span, app FROM task")}
    waits = [(p["a"], p["b"]) for p in rows("SELECT start_ns AS a, end_ns AS b FROM path WHERE state LIKE '% queue%' AND task NOTNULL")]
    seconds = {}
    for p in rows("SELECT * FROM path WHERE state LIKE 'running%' AND NOT lost"):
        seconds[app[p["task"]]] = seconds.get(app[p["task"]], 0) + p["seconds"]
    there = [(w["a"], w["b"]) for w in rows("SELECT from_ns AS a, to_ns AS b FROM worker")]
    first = min(a for a, _ in there)
    share = lambda a, b: sum(max(0, min(b, d) - max(a, c)) for c, d in there) / (b - max(a, first))  # workers that were there, on average  # noqa: E731
    running = {r["app"]: r["part"] for r in rows("SELECT app, sum(running_s) / sum(starting_s + running_s + ending_s) AS part FROM on_worker GROUP BY 1")}
    beside = sum(p["seconds"] for p in rows("SELECT seconds FROM path WHERE component = 'htex worker' AND NOT runs"))
    for r in rows("SELECT task, from_ns AS a, to_ns AS b FROM worker_run WHERE span NOTNULL"):
        part = sum(max(0, min(b, r["b"]) - max(a, r["a"])) / share(a, b) for a, b in waits if b > first) / 1e9
        name = app[r["task"]]
        seconds[name] = seconds.get(name, 0) + part * running[name]
        beside += part * (1 - running[name])
    for name, s in seconds.items():
        check(abs(where.get(f"app {name}", 0) - s) < 1e-6, name, s, where)
    check(abs(where["htex worker, starting the task"] + where["htex worker, result on its way back"] - beside) < 1e-6, beside, where)


# ---- two DataFlowKernels of one process

with open(f"{ROOT}/tests/data/parsl-2026-threads/runinfo/000/parsl.log") as log:
    THREADS = log.read()


def logs_of_two(ahead, only):
    """parsl.log of a DataFlowKernel that began while another one was alive, with the lines of both, and of that other one, which began so
    much sooner; what of its records `only` takes."""
    run_id = re.search(r"Run id is: (\S+)", THREADS)[1]
    records = lambda log, later: [(float(r[:17]) + later, r) for r in re.split(r"(?m)^(?=\d{10}\.\d+ )", log) if r]
    own = records(THREADS, 0)
    other = [(t, re.sub(r"^\d{10}\.\d+", f"{t:.6f}", r)) for t, r in records(THREADS.replace(run_id, "f" + run_id[1:]), -ahead)]
    began = own[0][0]
    write(path("two/001/parsl.log"), "".join(r for _, r in sorted(own + [(t, r) for t, r in other if t > began and only(r)], key=lambda r: r[0])))
    write(path("two/000/parsl.log"), "".join(r for _, r in sorted(other + own, key=lambda r: r[0])))


@cases(("from the first task on", 0.01, lambda record: True), ("of others than the first ten", 0.5, lambda record: not re.search(r"\b[Tt]ask \d\b", record)))
def two_drivers_of_one_process(name, ahead, only):
    """Which line is of which cannot be told, so nothing is said of where the time went."""
    logs_of_two(ahead, only)
    r = spanloom("import", "-d", path("two.db"), path("two"))
    check("two/000/parsl.log:" in r.err and "another DataFlowKernel began to write here" in r.err, r.err)
    check(("two/001/parsl.log:" in r.err and "another DataFlowKernel writes here, too" in r.err) == ("first task" in name), r.err)
    for run, words in (("001", "began while another one of the same process was alive"), ("000", "another DataFlowKernel began in the same process")):
        told = json.loads(spanloom("why", run, "-d", path("two.db"), "--format", "json").out)
        equal([f["finding"] for f in told["findings"]], ["other-driver"], run)
        check(words in told["findings"][0]["text"], told["findings"])
        equal((told["run"][0]["state"], told["run"][0]["makespan_s"], told["run"][0]["tasks"]), ("in doubt", None, None))
        equal([t for t in told if told[t]], ["findings", "run"])
        out = spanloom("why", run, "-d", path("two.db")).out
        check("took" not in out.split("\n")[0] and words in re.sub(r"\s+", " ", out), out)
        spanloom("why", run, "-d", path("two.db"), "--fail-on", "5%", code=1)
        check("cannot be compared" in spanloom("why", run, run, "-d", path("two.db"), code=1).err, run)


@test
def a_driver_that_was_done_when_the_next_began():
    """As in a notebook, by parsl.clear(): nothing of its tasks is missing."""
    log = THREADS.split("DFK cleanup initiated")[0].rsplit("\n", 1)[0] + "\n"
    later = re.sub(r"(?m)^(\d{10})(?=\.\d+ )", lambda m: str(int(m[1]) + 1000), log)
    write(path("one/000/parsl.log"), log + later)
    told = json.loads(spanloom("why", path("one"), "-d", path("one.db"), "--format", "json").out)
    equal(told["run"][0]["state"], "done")
    check("other-driver" not in [f["finding"] for f in told["findings"]], told["findings"])


def begun_beside(*processes, after=30):
    """A run of seconds, and some of which there are but the first records, as such processes left them."""
    write(path("runinfo/000/parsl.log"), THREADS)
    head = re.split(r"(?m)^(?=\d{10}\.\d+ )", THREADS)[1:3]
    for n, process in enumerate(processes, 1):
        began = float(THREADS[:17]) + after + n / 100
        write(path(f"runinfo/00{n}/parsl.log"), "".join(f"{began:.6f}{r[17:].replace('MainProcess', process)}" for r in head))


@cases((("Monitoring-DBM-Process", "Monitoring-ZMQ-Router-Process"), "2 processes of the driver (Monitoring-DBM-Process, Monitoring-ZMQ-Router-Process) read its script again, and began runs 001, 002 instead of what they were started for"),
       (("Process-1",), "a process of the driver (Process-1) read its script again, and began run 001 instead of what it was started for"), (("MainProcess", "MainProcess"), None))
def the_last_run_that_did_anything_is_told_of(processes, text):
    """Processes of multiprocessing read a script again that lacks if __name__ == "__main__": of each there is a run that only began."""
    begun_beside(*processes)
    r = spanloom("why", path("runinfo"), "-d", path("main.db"), "--format", "json")
    empty = ", ".join(f"00{n}" for n in range(1, 1 + len(processes)))
    equal(r.err.splitlines()[-1], f"spanloom: of {1 + len(processes)} runs the last that did anything is told of, 000; only begun, as far as logs tell: {empty}; the others: spanloom runs -d {path('main.db')}")
    told = json.loads(r.out)
    begun_beside(*processes, after=0.5)  # before the first had ended, which is the last to be heard of
    check(f"the last of {1 + len(processes)} runs is told of, 000" in spanloom("why", path("runinfo"), "-d", path("beside.db")).err, "beside")
    equal((told["run"][0]["run"], [f["text"] for f in told["findings"] if f["finding"] == "script-again"]), ("000", [text] if text else []))
    spanloom("report", path("runinfo"), "-d", path("main.db"), "--json", "-o", path("report.json"))
    equal([run["run"] for run in json.load(open(path("report.json")))["runs"]], ["000"])
    check("001 lasted for no time" in spanloom("why", "--run", "001", "-d", path("main.db"), code=1).err, "asked for")


@cases((3600, "the run has ended"), (5, "no task has begun so far"))
def a_run_that_has_just_begun_is_followed(ago, says):
    begun_beside("MainProcess", after=time.time() - ago - float(THREADS[:17]))
    process = subprocess.Popen([PROGRAM, "why", "--follow", path("runinfo"), "-d", path("young.db")], stdout=subprocess.PIPE, text=True, env=environment())
    try:
        check(any(says in line for line in process.stdout), says)
    finally:
        process.kill()
        process.wait()


main()
