#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every input, head, pattern and rule of the built-in recipes has a sample; and what has none would be told.

The second by mutation: to a recipe that is covered, something is added that no sample has.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("SPANLOOM") or shutil.which("spanloom") or "spanloom"
MUTATIONS = [  # recipe, the line (a pattern) before which there is more, what is more, what must be told
    ("parsl/htex-worker.yaml", r"  - match: '\^Received executor task",
     "  - {match: '^Lost executor task', span: worker, event: lost}\n", "match: ^Lost executor task"),
    ("parsl/htex-manager.yaml", r"(?<=  - match: \[)'\^Manager initializing'",
     "'^Manager begins', ", "match: ^Manager begins"),
    ("parsl/htex-interchange.yaml", r"  - match: '\\btask",
     "  - {match: 'the task (?<xid>\\d+) of old', mention: ~ix_task}\n", "match: the task (?<xid>\\d+) of old"),
    ("parsl/log.yaml", r"(?<=when: \{kind: \[)HighThroughputExecutor", "OtherExecutor, ", "kind: OtherExecutor"),
    ("parsl/htex-worker.yaml", r"      - '\^\(\?<epoch>", "      - '^(?<epoch>\\d+) never '\n",
     "head: ^(?<epoch>\\d+) never "),
    ("parsl/tracing.yaml", r"contexts:", "  - {files: '{rundir}/tracing.csv', reader: csv}\n",
     "files: {rundir}/tracing.csv"),
    ("parsl/monitoring.yaml", r"  - when: \{table: task\}", "  - {when: {table: files}, span: mon_workflow}\n",
     "this rule"),
    ("parsl/log.yaml", r"    each: \{of: deps", "    each: {of: deps, find: '\\bjob (?<dep>\\d+)'}\n#", "each: \\bjob (?<dep>\\d+)"),
]


def missing(*args):
    done = subprocess.run([PROGRAM, "recipes", "--test", *args], capture_output=True, text=True)
    if "\n1.." not in done.stdout:
        return None, done.stdout + done.stderr
    return [line[2:] for line in done.stdout.split("\n") if ": no sample for " in line], done.stderr


def say(n, good, name, *why):
    print(f"{'ok' if good else 'not ok'} {n} - {name}")
    for line in why if not good else ():
        print(f"# {line}")
    return good


def main():
    print(f"1..{1 + len(MUTATIONS)}")
    told, err = missing()
    good = say(1, told == [], "every wording has a sample", *(told or [err]))
    for n, (path, before, more, wanted) in enumerate(MUTATIONS, 2):
        with open(f"{ROOT}/recipes/{path}", encoding="utf-8") as file:
            text = file.read()
        changed, hits = re.subn(before, lambda m: more + m[0], text, count=1)
        with tempfile.TemporaryDirectory() as work:
            with open(f"{work}/r.yaml", "w", encoding="utf-8") as file:
                file.write(changed)
            told, err = missing(f"{work}/r.yaml")
            line = changed[:changed.find(more)].count("\n") + 1
            expected = [f"{work}/r.yaml:{line}: no sample for {wanted}"]
        good &= say(n, hits == 1 and told == expected, f"told: {path}, {wanted}", f"expected {expected}", f"told {told}", err)
    return not good


sys.exit(main())
