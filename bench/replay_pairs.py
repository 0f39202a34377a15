#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""replay_pairs.py [EXECUTOR...]: what `spanloom what-if` says of a real run with another number of workers, and what such a run really took.

Each workflow runs with each number of workers; two of these runs are the bases from which all others are predicted.  Seconds are from the first
task's begin on: how long workers take to start differs from run to run.  Needs what plan_faults.py needs.
"""
import statistics
import sys
import tempfile

import plan_faults as real

SHAPES = {"pipeline": {}, "barrier": {"barrier": True}, "long last": {"long_last": 3}, "flaky": {"flaky": True}}
WORKERS, BASES = [2, 3, 4, 6, 8], [4, 8]


def makespan(store):
    return real.ask(store, "plan")["run"][0]["makespan_s"]


def main(executors):
    offs = []
    print("| executor | workflow | workers | predicted with | was | predicted | came | error |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for executor in executors:
        for name, shape in SHAPES.items():
            with tempfile.TemporaryDirectory() as d:
                stores = {n: real.run(f"{d}/n{n}", shape | {"executor": executor, "workers": n, "tasks": 16}) for n in WORKERS}
                took = {n: makespan(s) - real.start_up(s) for n, s in stores.items()}
                for base in BASES:
                    for n in WORKERS:
                        if n == base:
                            continue
                        said = real.ask(stores[base], "what-if", f"workers x{n / base:.6f}")[0]["new_makespan_s"] - real.start_up(stores[base])
                        offs.append(said / took[n] - 1)
                        print(f"| {executor} | {name} | {base} | {n} | {took[base]:.2f} | {said:.2f} | {took[n]:.2f} | {100 * offs[-1]:+.1f} % |", flush=True)
    sizes = sorted(abs(x) for x in offs)
    print(f"\n{len(sizes)} pairs: median error {100 * statistics.median(sizes):.1f} %, {sum(x < 0.1 for x in sizes)} below 10 %, at most {100 * sizes[-1]:.1f} %")


if __name__ == "__main__":
    main(sys.argv[1:] or ["htex", "threads"])
