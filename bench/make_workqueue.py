#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_workqueue.py DIR [TASKS [NUMBER]]: what Parsl of 2026 and Work Queue log of so many short tasks, without debug_log: no
line ties a task of the one to that of the other.  Wordings are those of a real run.  Runs of other numbers are others."""
import heapq
import os
import random
import sys

HEAD = """{t:.6f} 2026-11-20 08:27:30 MainProcess-1 MainThread-1 parsl.dataflow.dflow:147 __init__ INFO: Run id is: 53375a91-9346-483b-b332-{run:012x}
{t:.6f} 2026-11-20 08:27:30 MainProcess-1 MainThread-1 parsl.dataflow.dflow:1091 add_executors INFO: Adding executor WQ of type parsl.executors.workqueue.executor.WorkQueueExecutor
"""


def main(out, tasks, number=0):
    rng, start = random.Random(5 + number), 1795163250.0 + 1000 * number
    folder = f"{out}/000/WQ"
    os.makedirs(folder, exist_ok=True)
    log, wq = [], []
    free = [start + 1 + i / 100 for i in range(8)]  # workers
    for i in range(tasks):
        t, app = start + i / 1000, rng.choice(["sleeper", "cpu", "add", "shell"])
        begin = max(heapq.heappop(free), t + 0.01)
        end = begin + 0.03 * rng.random()
        heapq.heappush(free, end)
        log += [(t, "MainThread-1", f"Task {i} submitted for App {app}, not waiting on any dependency"),
                (t + 0.0001, "MainThread-1", f"Task {i} initializing state to pending"),
                (t + 0.0005, "Task-Launch_0-2", f"Parsl task {i} try 0 launched on executor WQ with executor id {i}"),
                (end + 0.01, "WorkQueue-collector-3", f"Task {i} changing state from launched to exec_done")]
        wq += [(t + 0.002, f"TASK {i + 1} WAITING {app} FIRST_RESOURCES {{}}"),
               (begin, f"TASK {i + 1} RUNNING 127.0.0.1:35410  FIRST_RESOURCES {{}}"),
               (end, f"TASK {i + 1} WAITING_RETRIEVAL 127.0.0.1:35410 "),
               (end + 0.0005, f"TASK {i + 1} RETRIEVED SUCCESS  0  {{}} {{}}"),
               (end + 0.0006, f"TASK {i + 1} DONE SUCCESS  0  {{}} {{}}")]
    with open(f"{out}/000/parsl.log", "w") as f:
        f.write(HEAD.format(t=start, run=0xf8bd5a239d47 + number))
        f.writelines(f"{t:.6f} 2026-11-20 08:27:40 MainProcess-1 {thread} parsl.dataflow.dflow:1 f INFO: {m}\n" for t, thread, m in sorted(log))
    with open(f"{folder}/transaction_log", "w") as f:
        f.write("# time manager_pid MANAGER START|END\n")
        f.writelines(f"{int(t * 1e6)} 27942 {m}\n" for t, m in sorted(wq))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:] or (20000,)))
