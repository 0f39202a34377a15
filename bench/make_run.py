#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_run.py DIR [TASKS] [--quiet] [--number N]: the files that a run of Parsl 2023.3.20 with TASKS short tasks would
leave in DIR.

Wordings, their numbers per task and the schema are those of a real run of 20,000 tasks (HTEX, one block, four workers,
debug logging, monitoring).  --quiet leaves out the lines that say nothing of a task (9 of 10 bytes), so that a million
tasks fit a disk.  --number is for several runs in one store: each has its own id, manager and begin.  Times are local,
at UTC-6, but in parsl.log, which has both.
"""
import argparse
import datetime
import os
import random
import sqlite3

ZONE = datetime.timedelta(hours=-6)
START = datetime.datetime(2026, 11, 20, 10, 59, 20)


def main(out, tasks, quiet, number):
    rng = random.Random(1)
    start = START + datetime.timedelta(minutes=number)
    run_id, manager_id = f"1fb678ed-8370-4bdf-bda9-{0x42e1c4ea43ff + number:012x}", f"{0xfab39af06ff8 + number:012x}"
    run = f"{out}/000"
    pool = f"{run}/htex_Local/block-0/{manager_id}"
    os.makedirs(pool, exist_ok=True)
    parsl = open(f"{run}/parsl.log", "w")
    interchange = open(f"{run}/htex_Local/interchange.log", "w")
    manager = open(f"{pool}/manager.log", "w")
    workers = [open(f"{pool}/worker_{w}.log", "w") for w in range(4)]
    task_rows, try_rows, status_rows = [], [], []
    db = sqlite3.connect(f"{out}/monitoring.db")
    db.executescript("""PRAGMA synchronous = OFF;
        CREATE TABLE workflow (run_id TEXT NOT NULL, workflow_name TEXT, workflow_version TEXT, time_began DATETIME NOT NULL,
            time_completed DATETIME, host TEXT NOT NULL, user TEXT NOT NULL, rundir TEXT NOT NULL,
            tasks_failed_count INTEGER NOT NULL, tasks_completed_count INTEGER NOT NULL, PRIMARY KEY (run_id));
        CREATE TABLE task (task_id INTEGER NOT NULL, run_id TEXT NOT NULL, task_depends TEXT, task_func_name TEXT NOT NULL,
            task_memoize TEXT NOT NULL, task_hashsum TEXT, task_inputs TEXT, task_outputs TEXT, task_stdin TEXT,
            task_stdout TEXT, task_stderr TEXT, task_time_invoked DATETIME, task_time_returned DATETIME,
            task_fail_count INTEGER NOT NULL, task_fail_cost FLOAT NOT NULL, PRIMARY KEY (task_id, run_id));
        CREATE TABLE try (try_id INTEGER NOT NULL, task_id INTEGER NOT NULL, run_id TEXT NOT NULL, block_id TEXT,
            hostname TEXT, task_executor TEXT NOT NULL, task_try_time_launched DATETIME, task_try_time_running DATETIME,
            task_try_time_returned DATETIME, task_fail_history TEXT, task_joins TEXT, PRIMARY KEY (try_id, task_id, run_id));
        CREATE TABLE status (task_id INTEGER NOT NULL, task_status_name TEXT NOT NULL, timestamp DATETIME NOT NULL,
            run_id TEXT NOT NULL, try_id INTEGER NOT NULL, PRIMARY KEY (task_id, run_id, task_status_name, timestamp));""")

    def local(t, digits=3):
        s = (start + ZONE + datetime.timedelta(microseconds=t)).isoformat(" ", "microseconds")
        return s if digits == 6 else s[:-3]

    def dfk(t, thread, where, level, text):
        at = start.replace(tzinfo=datetime.timezone.utc) + datetime.timedelta(microseconds=t)
        parsl.write(f"{int(at.timestamp())}.{at.microsecond:06d} {local(t)[:19]} MainProcess-25182 {thread} {where} {level}: {text}\n")

    main_thread = "MainThread-139899555009216"
    results = "HTEX-Queue-Management-Thread-139899348965056"
    dfk(0, main_thread, "parsl.dataflow.dflow:89 __init__", "INFO", "Starting DataFlowKernel with config\nConfig(\n    executors=[HighThroughputExecutor(\n        address='127.0.0.1', \n        label='htex_Local', \n    )]\n)")
    dfk(10, main_thread, "parsl.dataflow.dflow:113 __init__", "INFO", f"Run id is: {run_id}")
    interchange.write(f"{local(500)} interchange:130 HTEX-Interchange(25199) MainThread __init__ [DEBUG]  Initializing Interchange process\n")
    for w, f in enumerate(workers):
        f.write(f"{local(900)} worker_log:538 {25232 + w} MainThread [INFO]  Worker {w} started\n")
    group = []
    for i in range(tasks):
        t = 1000 + i * 1800 + rng.randrange(900)
        x = i + 1
        if not quiet:
            dfk(t, main_thread, "parsl.dataflow.dflow:860 submit", "DEBUG", f"Task {i} will be sent to executor htex_Local")
            dfk(t + 5, main_thread, "parsl.dataflow.dflow:702 _add_output_deps", "DEBUG", "Adding output dependencies")
        dfk(t + 10, main_thread, "parsl.dataflow.dflow:940 submit", "INFO", f"Task {i} submitted for App noop, not waiting on any dependency")
        dfk(t + 40, main_thread, "parsl.dataflow.dflow:948 submit", "DEBUG", f"Task {i} set to pending state with AppFuture: <AppFuture at 0x7f3cd88b34d0 state=pending>")
        if not quiet:
            dfk(t + 60, main_thread, "parsl.dataflow.dflow:1200 log_task_states", "INFO", "Standard output not redirected.")
            dfk(t + 90, main_thread, "parsl.dataflow.memoization:237 check_memo", "DEBUG", f"Task {i} will not be memoized")
            dfk(t + 100, main_thread, "parsl.executors.high_throughput.executor:591 submit", "DEBUG", f"Pushing function <function noop at 0x7f3ce3c91f80> to queue with args ({i},)")
            dfk(t + 110, main_thread, "parsl.executors.high_throughput.zmq_pipes:75 put", "DEBUG", "Putting task on the outgoing queue of the executor")
        dfk(t + 120, main_thread, "parsl.dataflow.dflow:646 launch_task", "INFO", f"Parsl task {i} try 0 launched on executor htex_Local with executor id {x}")
        if not quiet:
            for n, text in enumerate(("launching recv_pyobj", "putting message onto pending_task_queue", f"Fetched {x} tasks so far")):
                interchange.write(f"{local(t + 300 + n)} interchange:24{n} HTEX-Interchange(25199) Interchange-Task-Puller task_puller [DEBUG]  {text}\n")
        group.append((i, x, t))
        if len(group) < 4 and i + 1 < tasks:
            continue
        last, ids = group[-1][2], ", ".join(str(g[1]) for g in group)
        if not quiet:
            for n, text in enumerate(("Managers count (interesting/total): 1/1", f"Manager b'{manager_id}' has free capacity 4", "leaving _ready_managers section, with 1 managers still interesting",
                                      "entering results_incoming section", f"Current tasks on manager b'{manager_id}': [{ids}]", "leaving results_incoming section")):
                interchange.write(f"{local(last + 400 + n)} interchange:44{n} HTEX-Interchange(25199) MainThread process_tasks_to_send [DEBUG]  {text}\n")
        interchange.write(f"{local(last + 500)} interchange:466 HTEX-Interchange(25199) MainThread process_tasks_to_send [DEBUG]  Sent tasks: [{ids}] to manager b'{manager_id}'\n")
        manager.write(f"{local(last + 2900)} parsl:301 25220 Task-Puller [DEBUG]  Got executor tasks: [{ids}], cumulative count of tasks: {x}\n")
        for k, (task, xid, at) in enumerate(group):
            w, r = workers[k], last + 3600 + rng.randrange(4000)
            d = r + 4000 + rng.randrange(3000)
            w.write(f"{local(r)} worker_log:584 {25232 + k} MainThread [INFO]  Received executor task {xid}\n")
            w.write(f"{local(d)} worker_log:602 {25232 + k} MainThread [INFO]  Completed executor task {xid}\n")
            w.write(f"{local(d + 300)} worker_log:613 {25232 + k} MainThread [INFO]  All processing finished for executor task {xid}\n")
            if not quiet:
                for n in range(3):
                    manager.write(f"{local(d + 320 + n)} parsl:37{n} 25220 Result-Pusher [DEBUG]  Starting pending_result_queue get\n")
                    manager.write(f"{local(d + 330 + n)} parsl:38{n} 25220 Result-Pusher [DEBUG]  Got a result item\n")
                    manager.write(f"{local(d + 340 + n)} parsl:39{n} 25220 Result-Pusher [DEBUG]  Result send: check condition not met - deferring result send\n")
                    manager.write(f"{local(d + 350 + n)} parsl:12{n} 25240 MainThread [INFO]  htex-based monitoring channel initialising\n")
            interchange.write(f"{local(d + 900)} interchange:514 HTEX-Interchange(25199) MainThread process_results_incoming [DEBUG]  Removing task {xid} from manager record b'{manager_id}'\n")
            dfk(d + 1500, results, "parsl.dataflow.dflow:472 _complete_task", "INFO", f"Task {task} completed (launched -> exec_done)")
            if not quiet:
                dfk(d + 1510, results, "parsl.dataflow.dflow:480 _complete_task", "DEBUG", "Skipping checkpoint of the result of this task")
            task_rows.append((task, run_id, "", "noop", "0", None, None, None, None, None, None, local(at, 6), local(d + 1505, 6), 0, 0.0))
            try_rows.append((0, task, run_id, "0", "node-1", "htex_Local", local(at + 90, 6), local(r + 200, 6), local(d + 1500, 6), None, None))
            for state, when in (("pending", at + 20), ("launched", at + 130), ("running", r + 200), ("running_ended", d - 100), ("exec_done", d + 1520)):
                status_rows.append((task, state, local(when, 6), run_id, 0))
        group = []
        if len(task_rows) > 50000:
            flush(db, task_rows, try_rows, status_rows)
    flush(db, task_rows, try_rows, status_rows)
    end = local(1000 + tasks * 1800 + 60000, 6)
    db.execute("INSERT INTO workflow VALUES (?, 'bench', '1', ?, ?, 'node-1', 'user', ?, 0, ?)", (run_id, local(0, 6), end, run, tasks))
    db.commit()


def flush(db, *rows):
    for table, r in zip(("task", "try", "status"), rows):
        if r:
            db.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(r[0]))})", r)
            r.clear()
    db.commit()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out", metavar="DIR")
    options.add_argument("tasks", metavar="TASKS", type=int, nargs="?", default=20000)
    options.add_argument("--quiet", action="store_true")
    options.add_argument("--number", metavar="N", type=int, default=0)
    main(**vars(options.parse_args()))
