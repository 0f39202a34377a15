#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parsl, with apps and launcher of spanloom.parsl: each call lies in the try of the task that made it."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, cases, check, environment, equal, imported, main, path, query, spanloom, test  # noqa: E402
import peers  # noqa: E402
import tasks  # noqa: E402

BUILD = os.environ.get("BUILD", f"{ROOT}/build-gcc")
EXAMPLE = f"{ROOT}/examples/parsl-python"
FUNCTIONS = '''
import asyncio, concurrent.futures, multiprocessing, os, sys, time
import spanloom

@spanloom.critical_path(args="n")
def work(n):
    time.sleep(0.02)
    step()

@spanloom.critical_path
def step():
    time.sleep(0.01)

@spanloom.critical_path
async def wait(n):
    await asyncio.sleep(n)

async def both():
    await asyncio.gather(wait(0.01), wait(0.02))

def children():
    asyncio.run(both())
    context = multiprocessing.get_context("fork")
    process = context.Process(target=work, args=(70,))
    process.start()
    process.join()
    return process.pid

if __name__ == "__main__":
    work(int(sys.argv[1]))
'''
WORKFLOW = '''
import json
import parsl
import spanloom.parsl
from parsl import bash_app, join_app, python_app
from parsl.config import Config
from parsl.executors import HighThroughputExecutor, ThreadPoolExecutor
from parsl.launchers import SingleNodeLauncher
from parsl.providers import LocalProvider

@python_app(executors=["htex"])
@spanloom.parsl.app()
def below(n):
    import functions, os, time
    begin = time.time_ns()
    functions.work(n)
    return os.getpid(), begin, time.time_ns()

@spanloom.parsl.app(args=True)
@python_app(executors=["htex"])
def above(n):
    import functions, os, time
    begin = time.time_ns()
    functions.work(n)
    return os.getpid(), begin, time.time_ns()

@spanloom.parsl.app()
@bash_app(executors=["htex"])
def shell(n, stdout):
    return f"echo $$; python3 functions.py {n}; exit 0"

@bash_app(executors=["htex"])
@spanloom.parsl.app(name="command")
def shell_below(n, stdout):
    return f"echo $$; python3 functions.py {n}; exit 0"

@python_app(executors=["threads"])
@spanloom.parsl.app()
def local(n):
    import threading, time
    begin = time.time_ns()
    time.sleep(0.02)
    return threading.get_native_id(), begin, time.time_ns()

@spanloom.parsl.app()
@join_app
def joined(n):
    return above(n)

@spanloom.parsl.app()
@python_app(executors=["htex"])
def failing():
    raise ValueError("no")

@python_app(executors=["htex"])
@spanloom.parsl.app()
def family():
    import functions, os, time
    begin = time.time_ns()
    child = functions.children()
    return os.getpid(), begin, time.time_ns(), child

if __name__ == "__main__":
    parsl.load(Config(strategy="none", executors=[
        HighThroughputExecutor(label="htex", address="127.0.0.1", encrypted=False, max_workers_per_node=2, worker_debug=True,
                               provider=LocalProvider(max_blocks=1, launcher=spanloom.parsl.Launcher(SingleNodeLauncher()))),
        ThreadPoolExecutor(label="threads", max_threads=2)]))
    runs = [("below", below(i)) for i in range(4)] + [("above", above(i)) for i in range(10, 14)]
    runs += [("local", local(1)), ("family", family()), ("shell", shell(50, stdout="shell.out")), ("command", shell_below(60, stdout="command.out"))]
    joins, fails = joined(20), failing()
    told = {f.tid: [name, f.result()] for name, f in runs}
    joins.result()
    told[fails.tid] = ["failing", type(fails.exception()).__name__]
    parsl.dfk().cleanup()
    print(json.dumps(told))
'''


def run(program, folder=None):
    env = environment(PYTHONPATH=f"{ROOT}/python:{BUILD}/python:{folder or path()}", PATH=f"{peers.VENV}/bin:{os.environ['PATH']}")
    r = subprocess.run(program, cwd=folder or path(), env=env, capture_output=True, text=True, timeout=600, shell=isinstance(program, str))
    equal(r.returncode, 0, r.stderr[-3000:])
    return r.stdout


def name_of(key):
    return re.sub(r"#\d+$", "", key)


def write(name, text):
    with open(path(name), "w") as f:
        f.write(text)


@test
def every_call_lies_in_the_try_of_its_task():
    write("functions.py", FUNCTIONS), write("workflow.py", WORKFLOW)
    told = json.loads(run(["python3", "workflow.py"]))
    traces = os.listdir(path("runinfo/000/traces"))
    check(any(t.endswith(".slt") for t in traces), "workers end by a signal:", traces)
    store = imported("runinfo", *[f for f in os.listdir(path()) if f.endswith(".pfw")]).store
    equal(query(store, "SELECT * FROM rejects"), [], "rejects")
    found = {}
    for task, span, key, begin, end, kind in query(store, tasks.IN_TASK):
        found.setdefault(task, []).append((name_of(key), begin, end, kind, span))
    pid_of = {span: int(pid) for span, pid in query(store, """
        SELECT c.id, (SELECT value FROM attributes WHERE span = p.id AND name = 'pid') FROM spans c JOIN spans t ON t.id = c.parent
        JOIN spans p ON p.id = t.parent WHERE c.type = 'trace.call'""")}
    for task, (name, result) in told.items():
        calls = [c for c in found.get(task, ()) if c[3] == "trace.call"]
        names = sorted(c[0] for c in calls)
        if name == "local":  # no log says which thread ran which task
            continue
        of_app = [c for c in calls if c[0] == name]
        equal(len(of_app), 1, f"calls of {name} in task {task} with {names}")
        _, begin, end, _, span = of_app[0]
        if name in ("below", "above", "family"):
            pid, told_begin, told_end = result[:3]
            equal(pid_of[span], pid, f"process of {name} in task {task}")
            check(begin <= told_begin + 100000 and told_end <= end + 100000, f"{name}: {begin} to {end}, and its own clock had {told_begin} to {told_end}")
            check(told_begin - begin < 3e9 and end - told_end < 3e9, f"{name}: too long")
        expected = {"below": ["below", "step", "work"], "above": ["above", "step", "work"], "shell": ["shell", "step", "work"],
                    "command": ["command", "step", "work"], "failing": ["failing"]}
        if name == "family":  # in each stretch, `wait` is a call
            equal([n for n in names if n != "wait"], ["family", "step", "work"], f"calls in task {task}")
            check(result[3] in {pid_of[c[4]] for c in calls if c[0] == "work"}, "the child of multiprocessing")
            check(names.count("wait") >= 4, "stretches of coroutines:", names)
        else:
            equal(names, expected[name], f"calls in task {task}")
        if name in ("shell", "command"):
            equal(query(store, "SELECT CAST(value AS TEXT) FROM attributes WHERE name = 'n' AND span IN (%s)" % ",".join(str(c[4]) for c in calls)),
                  [("50" if name == "shell" else "60",)], "which program")
    # what the join app launched is a task of its own
    equal(sum(n == "above" for calls in found.values() for n, *_ in calls), 5, "calls of above")
    [(exception,)] = query(store, "SELECT a.value FROM spans s JOIN attributes a ON a.span = s.id AND a.name = 'exception' WHERE s.type = 'trace.call' AND s.key = 'failing'")
    equal(exception, "ValueError")
    [(_, thread)] = query(store, "SELECT c.key, t.key FROM spans c JOIN spans t ON t.id = c.parent WHERE c.type = 'trace.call' AND c.key = 'local'")
    equal(int(thread), [r for n, r in told.values() if n == "local"][0][0], "thread of the app in a thread pool")
    shown = spanloom("show", "-d", store, "task", "0").out
    for part in "trace.call below", "trace.call work", "trace.call step":
        check(part in shown, f"no {part} in\n{shown}")


@test
def the_example_is_as_its_readme_says():
    for name in os.listdir(EXAMPLE):
        with open(f"{EXAMPLE}/{name}") as f:
            write(name, f.read())
    with open(f"{EXAMPLE}/README.md") as f:
        commands = re.findall(r"^    \$ (.*(?:\n    > .*)*)", f.read(), re.M)
    check(len(commands) >= 4, commands)
    out = [run(c.replace("\n    > ", "\n")) for c in commands]
    equal(out[0], "True 0\n", commands[0])
    check(re.search(r" 75 +\S+ ms +\S+ ms +\S+ ms +smooth$", out[2], re.M | re.I) or " smooth" in out[2], out[2])
    check("trace.call simulate" in out[3] and "trace.call solve" in out[3], out[3])
    equal(re.findall(r"^ *(\d+) +\d", out[4], re.M), ["5", "10", "20", "40"], out[4])
    path_ = spanloom("critical-path", "-d", path("spanloom.db")).out
    check("program, in smooth" in path_, path_)


SHELLS = '''
import json, random, subprocess, sys, time
import parsl
import spanloom
import spanloom.parsl
from parsl import bash_app, python_app
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.launchers import SingleNodeLauncher
from parsl.providers import LocalProvider

COMMANDS = {
    "plain": "spanloom begin pull image=x{i}; sleep {s}; spanloom end",
    "unended": "spanloom begin pull image=x{i}; sleep {s}",
    "replaced": "sh job.sh x{i} {s}",
    "several": "sh -c 'spanloom begin pull image=x{i}; spanloom end; true'; sh -c 'spanloom begin pull image=x{i}; sleep {s}; spanloom end; true'; true",
    "nested": "spanloom begin outer image=x{i}; sh -c 'spanloom begin pull image=x{i}; sleep {s}; spanloom end; true'; spanloom end",
    "command": "spanloom span pull image=x{i} -- sleep {s}",
    "left": "( sleep 0.02; spanloom begin pull image=x{i}; sleep {s}; spanloom end ) & true",
    "event": "spanloom event tick{i}",
    "program": "( sleep 0.02; python3 program.py x{i} {s} ) & true",
    "none": "sleep {s}"}

def shell(command):
    return command

def run(command):
    import subprocess
    subprocess.run(["bash", "-c", command])

def leave(command):
    import subprocess
    subprocess.Popen(["bash", "-c", command])

if __name__ == "__main__":
    workers, decorated, kinds = int(sys.argv[1]), sys.argv[2], sys.argv[3].split(",")
    traced = spanloom.parsl.app()
    bash = {"above": lambda f: traced(bash_app(f)), "below": lambda f: bash_app(traced(f)), "not": bash_app}[decorated]
    python = {"above": lambda f: traced(python_app(f)), "below": lambda f: python_app(traced(f)), "not": python_app}[decorated]
    apps = {kind: bash(shell) for kind in COMMANDS} | {"run": python(run), "leave": python(leave)}
    parsl.load(Config(strategy="none", executors=[
        HighThroughputExecutor(label="htex", address="127.0.0.1", encrypted=False, max_workers_per_node=workers,
                               provider=LocalProvider(max_blocks=1, launcher=spanloom.parsl.Launcher(SingleNodeLauncher())))]))
    random.seed(1)
    with spanloom.span("main"):
        for task in [apps[kind](COMMANDS.get(kind, COMMANDS["plain"]).format(i=i, s=random.choice([0, 0.003, 0.01, 0.03, 0.1])))
                     for i, kind in ((i, kinds[i % len(kinds)]) for i in range(30))]:
            task.result()
    time.sleep(0.5)
    parsl.dfk().cleanup()
'''
BASH = "plain,unended,replaced,several,nested,command,none"


@cases((1, "not", "plain"), (2, "not", "plain"), (8, "not", "plain"), (1, "above", "plain"), (2, "below", "plain"), (1, "not", BASH),
       (2, "not", BASH), (2, "above", f"{BASH},left,program"), (1, "not", f"{BASH},left,program,run,leave"))
def shells_lie_in_the_task_that_ran_them(workers, decorated, kinds):
    """In the right one, and where two fit, in doubt: which is left to what outlives its task, and to Python apps."""
    write("workflow.py", SHELLS)
    write("job.sh", "spanloom begin pull image=$1\nsleep $2\nspanloom end\n")
    write("program.py", "import spanloom, sys, time\nwith spanloom.span('pull', image=sys.argv[1]):\n    time.sleep(float(sys.argv[2]))\n")
    run(["python3", "workflow.py", str(workers), decorated, kinds])
    inside, doubtful = tasks.judge(imported("runinfo", *[f for f in os.listdir(path()) if f.endswith(".pfw")]).store)
    check(inside + doubtful >= 25, f"only {inside + doubtful} spans were there")
    if "leave" not in kinds:
        equal(doubtful, 0, "in doubt")


@cases(1, 4)
def a_shell_that_tells_of_one_event_lies_in_its_task(workers):
    """The shell runs it in its own place: it is not the worker's."""
    write("workflow.py", SHELLS)
    run(["python3", "workflow.py", str(workers), "not", "event"])
    store = imported("runinfo").store
    ticks = dict(query(store, "SELECT p.parent, substr(e.type, 5) FROM events e JOIN spans p ON p.id = e.span WHERE e.type LIKE 'tick%'"))
    equal(sorted((task, ticks[process]) for task, process, _, _, _, kind in query(store, tasks.IN_TASK) if process in ticks),
          sorted((str(i), str(i)) for i in range(30)), "(task, event)")


LAUNCHER = '''
import sys
from parsl.launchers import *
import spanloom.parsl
launcher = {"simple": SimpleLauncher(), "single": SingleNodeLauncher(debug=False), "wrapped": WrappedLauncher("nice")}[sys.argv[1]]
print(spanloom.parsl.Launcher(launcher, **eval(sys.argv[2]))(sys.argv[3], 1, 1, "/runs/000/submit_scripts"))
'''
TELL = "printenv PERFFLOW_OPTIONS PYTHONPATH"


@cases(("simple", "plain"), ("single", "plain"), ("wrapped", "plain"), ("simple", "compound"))
def launcher(which, form):
    write("launch.py", LAUNCHER)
    command = TELL if form == "plain" else f"true && {TELL}"
    for how, before, wanted in (
            ({}, None, "log-dir=/runs/000/traces"),
            ({"folder": "/tmp/it's $HOME"}, "log-event=Compact", "log-dir=/tmp/it's $HOME:log-event=Compact"),
            ({"folder": "/x", "options": "name=w"}, None, "log-dir=/x:name=w")):
        script = run(["python3", "launch.py", which, repr(how), command])
        env = {k: v for k, v in os.environ.items() if k not in ("PERFFLOW_OPTIONS", "PYTHONPATH")}
        if before:
            env.update(PERFFLOW_OPTIONS=before, PYTHONPATH="/mine")
        r = subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True)
        options, found = r.stdout.splitlines()
        equal(options, wanted, f"options by {which}: {script}{r.stderr}")
        equal(found.split(":"), (["/mine"] if before else []) + [f"{ROOT}/python", f"{BUILD}/python"], "PYTHONPATH")


if __name__ == "__main__":
    peers.needs("parsl")
    main()
