#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""factorial.py DIRECTORY [REPEATS]: a small experiment with Parsl, all combinations of three settings, in random order.

  monitoring   Parsl's monitoring is on (needs parsl[monitoring])
  one_worker   one worker instead of two
  slow_app     every task sleeps half a second longer

Each run is a chain of four tasks among eight others. DIRECTORY/runs.csv gets a row a run: the settings, when it began,
where its logs are, and how many seconds it took; a run that failed has no seconds. Then:

  spanloom experiment import --score seconds --time unix_time --logs logs DIRECTORY/runs.csv
  spanloom experiment components
"""
import csv
import itertools
import os
import random
import subprocess
import sys
import time

FACTORS = "monitoring", "one_worker", "slow_app"
OTHERS, CHAIN = 8, 4


def workflow(rundir, monitoring, one_worker, slow_app):
    """Runs in a process of its own; the seconds from the first submission to the last result."""
    import parsl
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor
    from parsl.monitoring import MonitoringHub
    from parsl.providers import LocalProvider

    @parsl.python_app
    def step(before, seconds):
        import time

        time.sleep(seconds)
        return before

    hub = MonitoringHub(hub_address="127.0.0.1", resource_monitoring_enabled=False, logging_endpoint=f"sqlite:///{rundir}/monitoring.db")
    executor = HighThroughputExecutor(
        label="htex", address="127.0.0.1", encrypted=False, worker_debug=True, max_workers_per_node=1 if one_worker else 2, provider=LocalProvider(max_blocks=1)
    )
    seconds = 0.6 if slow_app else 0.1
    with parsl.load(Config(run_dir=rundir, strategy="none", executors=[executor], monitoring=hub if monitoring else None)):
        step(0, 0).result()  # the workers are there
        begin = time.time()
        others = [step(i, seconds) for i in range(OTHERS)]
        last = 0
        for _ in range(CHAIN):
            last = step(last, seconds)
        for future in (last, *others):
            future.result()
        return time.time() - begin


def experiment(directory, repeats):
    runs = [levels for levels in itertools.product((0, 1), repeat=len(FACTORS)) for _ in range(repeats)]
    random.Random(1).shuffle(runs)
    os.makedirs(directory, exist_ok=True)
    with open(f"{directory}/runs.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, delimiter=";", lineterminator="\n")
        table.writerow([*FACTORS, "unix_time", "logs", "seconds"])
        for number, levels in enumerate(runs):
            logs, begin = f"run-{number:02}", time.time()
            os.makedirs(f"{directory}/{logs}")
            with open(f"{directory}/{logs}/output.txt", "w", encoding="utf-8") as output:
                command = [sys.executable, os.path.abspath(__file__), "--one", os.path.abspath(f"{directory}/{logs}"), *map(str, levels)]
                took = subprocess.run(command, stdout=subprocess.PIPE, stderr=output, text=True, check=False)
            seconds = took.stdout.strip() if took.returncode == 0 else ""
            table.writerow([*levels, f"{begin:.3f}", logs, seconds])
            file.flush()
            print(*(f"{f}={x}" for f, x in zip(FACTORS, levels)), seconds or "failed")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(f"{workflow(sys.argv[2], *map(int, sys.argv[3:])):.6f}")
    elif len(sys.argv) in (2, 3):
        experiment(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 3)
    else:
        sys.exit(__doc__)
