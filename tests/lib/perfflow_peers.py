# SPDX-License-Identifier: Apache-2.0
"""Programs for PerfFlowAspect's Python package, run with theirs, which is in build-peers, and with ours."""
import glob
import json
import os
import subprocess

import peers
import trace_events
from harness import ROOT, equal, path
from perfflow_programs import HEAD

BUILD = os.environ.get("BUILD", f"{ROOT}/build-gcc")
SCHEDULERS = ("FLUX_", "SLURM_", "LSB_", "LS_", "PERFFLOW_", "SPANLOOM_", "TRACEPARENT", "OMPI_", "PMI")


def environment(package, options):
    clean = {k: v for k, v in os.environ.items() if not k.startswith((*SCHEDULERS, "PYTHON"))}
    if package.startswith("ours"):
        clean["PYTHONPATH"] = f"{ROOT}/python:{BUILD}/python"
    return {**clean, "PYTHONDONTWRITEBYTECODE": "1", **({"PERFFLOW_OPTIONS": options} if options else {})}


def by(package, program, options="", err=""):
    """The events of all processes, by whose package it is: in a file of theirs, there may be those of several."""
    where = path(package)
    os.makedirs(where)
    with open(f"{where}/prog.py", "w", encoding="utf-8") as file:
        file.write(HEAD + program)
    r = subprocess.run([peers.python(), "prog.py"], cwd=where, capture_output=True, text=True, timeout=600, env=environment(package, options))
    equal((r.returncode, r.stderr), (0, err), f"{package}: exit and standard error")
    events = []
    for found in glob.glob(f"{glob.escape(where)}/*.pfw"):
        with open(found, encoding="utf-8") as file:
            text = file.read()
        if package.startswith("ours"):
            equal(trace_events.faults(text, pairs=False), [], "our trace")
        for line in text.splitlines():
            if line.startswith("{"):
                e = json.loads(line.rstrip(","))
                events += [e] if e["ph"] != "M" else []
    return events
