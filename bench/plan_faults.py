#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plan_faults.py [CASE|EXECUTOR|EXECUTOR:CASE...]: real runs of Parsl with planted faults; what `spanloom plan` says of them, and what came when its steps were taken.

Needs parsl (PEERS, or build-peers, has it) and spanloom (SPANLOOM, or build/spanloom).  A case is a workflow whose faults are keywords: each is
repaired by a keyword of its own.  All runs are of one machine, with tasks that sleep, so that their CPUs do not matter.
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SPANLOOM = os.environ.get("SPANLOOM", f"{ROOT}/build/spanloom")
PYTHON = os.environ.get("PEERS", f"{ROOT}/build-peers") + "/bin/python"
WORKFLOW = '''
import json, os, sys, time
from functools import partial
import parsl
from parsl.config import Config
from parsl.executors import HighThroughputExecutor, ThreadPoolExecutor
from parsl.executors import WorkQueueExecutor
from parsl.executors.taskvine import TaskVineExecutor, TaskVineFactoryConfig, TaskVineManagerConfig
from parsl.providers import LocalProvider

@parsl.python_app
def prep_app(i, s, marker=None, parsl_resource_specification={}):
    import os, time
    time.sleep(s)
    if marker and not os.path.exists(marker):
        open(marker, "w").close()
        raise RuntimeError("planted")
    return i

@parsl.python_app
def work_app(x, s, parsl_resource_specification={}):
    import time
    time.sleep(s)
    return x

def main(o):
    workers, one = o.get("workers", 4), LocalProvider(init_blocks=1, min_blocks=1, max_blocks=1)
    kind, needs, scale = o.get("executor", "htex"), {}, o.get("scale", 1)
    if kind == "htex":
        executor = HighThroughputExecutor(label="htex", address="127.0.0.1", cores_per_worker=0.01, max_workers_per_node=workers, provider=one)
    elif kind == "threads":
        executor = ThreadPoolExecutor(label="threads", max_threads=workers)
    elif kind == "workqueue":
        executor = WorkQueueExecutor(label="WQ", address="127.0.0.1", port=0, shared_fs=True, full_debug=True, provider=one, worker_options=f"--cores={workers} --memory=4000 --disk=4000")
        needs = {"parsl_resource_specification": {"cores": 1, "memory": 100, "disk": 100}}
    elif kind == "taskvine":
        executor = TaskVineExecutor(label="TV", worker_launch_method="provider", provider=one, manager_config=TaskVineManagerConfig(port=0, address="127.0.0.1"),
                                    factory_config=TaskVineFactoryConfig(cores=workers, memory=4000, disk=4000, worker_options=f"--cores={workers} --memory=4000 --disk=4000"))
        needs = {"parsl_resource_specification": {"cores": 1, "memory": 100, "disk": 100}}
    prep, work = (partial(f, **needs) for f in (prep_app, work_app))
    config = Config(executors=[executor], strategy="none", retries=2, initialize_logging=True, run_dir="runinfo")
    with parsl.load(config):
        first = []
        for i in range(o.get("tasks", 24)):
            s = scale * (o["straggler"] if o.get("straggler") and i == 10 else 0.5 + 0.02 * (i % 7))
            first.append(prep(i, s, os.path.abspath(f"flag-{i}") if i % 4 == 1 and o.get("flaky") else None))
            time.sleep(o.get("submit_s", 0))
            if o.get("barrier") and i % 4 == 3:
                [f.result() for f in first]
        if o.get("idle_s"):
            [f.result() for f in first]
            time.sleep(o["idle_s"])
        second = [work(f, scale * 0.4) for f in first]
        if o.get("long_last"):
            second.append(work(0, o["long_last"]))
        [f.result() for f in second]

if __name__ == "__main__":  # the executors of cctools spawn processes
    main(json.loads(sys.argv[1]))
'''
FAULTS = {  # what plants it, the finding that should name it, and what repairs it
    "workers": ({"workers": 2}, "workers", {"workers": 4}),
    "barrier": ({"barrier": True}, "barrier", {"barrier": False}),
    "straggler": ({"straggler": 9}, "straggler", {"straggler": None}),
    "flaky": ({"flaky": True}, "failed-tries", {"flaky": False}),
    "idle": ({"idle_s": 5}, "idle-driver", {"idle_s": 0}),
    "slow": ({"submit_s": 0.7}, "slow-driver", {"submit_s": 0}),
}
CASES = [("straggler", "idle"), ("flaky", "idle"), ("straggler", "flaky"), ("barrier", "idle"), ("slow", "idle"), ("slow", "flaky"),
         ("barrier", "flaky"), ("idle",), ("straggler", "idle", "flaky"), ("barrier", "straggler"), ("slow", "straggler"), ()]

SIZES = {"workqueue": {"tasks": 12, "scale": 2, "workers": 2}}  # each of its tasks starts a Python, a second of CPU
EXECUTORS = ["htex", "threads", "workqueue", "taskvine"]  # the last two need cctools in PATH and PYTHONPATH


def run(where, options):
    os.makedirs(where)
    with open(f"{where}/wf.py", "w") as f:
        f.write(WORKFLOW)
    subprocess.run([PYTHON, "wf.py", json.dumps(options)], cwd=where, check=True, env=os.environ | {"PATH": os.path.dirname(PYTHON) + ":" + os.environ["PATH"]}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    subprocess.run([SPANLOOM, "import", "--quiet", "-d", f"{where}/s.db", f"{where}/runinfo"], check=True)
    return f"{where}/s.db"


def ask(store, *args):
    return json.loads(subprocess.run([SPANLOOM, *args, "-d", store, "--format", "json"], check=True, stdout=subprocess.PIPE).stdout)


def start_up(store):
    """Until the first task ran: never the same twice, and nothing was planted in it."""
    return ask(store, "sql", "SELECT (first_start_ns - start_ns) / 1e9 AS s FROM run", "--run", os.path.basename(os.path.dirname(store)))[0]["s"]


def main(names):
    print(f"{'planted':28s} {'named':>6s} {'steps of the plan':44s} {'was':>7s} {'plan':>7s} {'low':>7s} {'high':>7s} {'came':>7s}   error")
    for executor, case in [(e, c) for e in EXECUTORS for c in CASES]:
        name = f"{executor}:{'+'.join(case)}"
        if not {name, executor, name.split(":")[1]} & set(names or ["htex"]):
            continue
        with tempfile.TemporaryDirectory() as d:
            options, repaired = {"executor": executor} | SIZES.get(executor, {}), {}
            for fault in case:
                options |= FAULTS[fault][0]
                repaired |= FAULTS[fault][2]
            store = run(f"{d}/was", options)
            plan = ask(store, "plan")
            steps = [s["finding"] for s in plan["steps"]][:3]
            wanted = [FAULTS[f][1] for f in case]
            named = sum(w in steps + [x["finding"] for x in plan["same"]] for w in wanted)
            last = [s for s in plan["steps"][:3] if s["finding"] in wanted]
            changes = ", ".join(s["changes"] for s in last)
            other = run(f"{d}/then", options | repaired)
            was, came = plan["run"][0]["makespan_s"] - start_up(store), ask(other, "plan")["run"][0]["makespan_s"] - start_up(other)
            got = (ask(store, "what-if", changes)[0]["new_makespan_s"] if changes else plan["run"][0]["makespan_s"]) - start_up(store)
            row = plan["steps"][len(last) - 1] if last and len(last) == len(steps) else {}
            low, high = (row.get(k, float("nan")) - start_up(store) for k in ("low_s", "high_s"))
            print(f"{'+'.join(case) or 'sound':28s} {named}/{len(case):<4d} {', '.join(steps):44s} {was:7.2f} {got:7.2f} {low:7.2f} {high:7.2f} {came:7.2f} {100 * (got / came - 1):+6.1f} %", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
