#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/trace do what their README says, by its own command lines."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from traced import *  # noqa

EXAMPLES = os.path.join(os.environ["ROOT"], "examples/trace")
LINES = dict(re.findall(r"^\| `([\w.]+)` .*\| `([^`]*)` \|$", open(f"{EXAMPLES}/README.md").read(), re.M))
MPI = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4"]
CALLS = {
    "heat.c": ([], [{"load": 1, "solve": 1, "step": 200, "report": 4}]),
    "heat.f90": ([], [{"load": 1, "solve": 1, "step": 200, "report": 4}]),
    "pipeline.cc": ([], [{"make": 50, "work": 50, "wait": 51}]),
    "ring.c": (MPI, [{"round": 5, "compute": 5, "receive": 5}] * 4),
    "halo.f90": (MPI, [{"halo": 1, "rod::exchange": 20, "rod::load": 1, "rod::step": 20}] * 4),
}


@cases(*CALLS)
def example(name):
    line = re.sub(rf"(?<= ){name.split('.')[0]}\.\w+", rf"{EXAMPLES}/\g<0>", LINES[name])
    env = bare_environment(LC_ALL="C.UTF-8", OMPI_MCA_btl="self,vader")
    r = subprocess.run(["bash", "-ec", line], cwd=path(), env=env, capture_output=True, text=True)
    equal((r.returncode, r.stderr), (0, ""), line)
    before, wanted = CALLS[name]
    r = subprocess.run([*before, "./" + line.split()[-1]], cwd=path(), env=env, capture_output=True, text=True)
    equal(r.returncode, 0, r.stderr)
    got = []
    for t in traces():
        names = [s.name for s in t.spans()]
        got.append({n: names.count(n) for n in sorted(set(names))})
    equal(got, [dict(sorted(w.items())) for w in wanted], "calls of each process")


if __name__ == "__main__":
    main()
