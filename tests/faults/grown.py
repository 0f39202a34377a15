#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real runs that are imported while they go on, cut anywhere, say in the end what one import of the whole says."""
import glob
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

RUNS = sorted(glob.glob(f"{ROOT}/tests/data/*/"))
ROUNDS = 3
AT_ONCE = (".db", ".gz", ".pkl")  # part of such a file is damage, not a beginning


def grow(whole, run, store, r):
    """Imports run two to four times, as each file of it gets longer, by bytes."""
    steps = r.randint(2, 4)
    lengths = {}
    for folder, _, names in os.walk(whole):
        for file in sorted(os.path.join(folder, name) for name in names):
            size = os.path.getsize(file)
            some = sorted(r.choice((0, r.randint(0, size), size)) for _ in range(steps - 1))
            lengths[file] = [*([0] * (steps - 1) if file.endswith(AT_ONCE) else some), size]
    for step in range(steps):
        for file, length in lengths.items():
            if length[step] or step == steps - 1:
                with open(file, "rb") as f:
                    write(f"{run}/{os.path.relpath(file, whole)}", f.read(length[step]))
        imported(run, store=store, code=(0, 1))


@cases(*(d.rstrip("/") for d in RUNS))
def grown(whole):
    r = rng()
    for i in range(ROUNDS):
        run = path("run")
        grow(whole, run, f"{i}.db", r)
        imported(run, store="whole.db", code=(0, 1))
        got, want = everything(path(f"{i}.db")), everything(path("whole.db"))
        for what in want:
            (same if what == "dump" else equal)(got[what], want[what], f"{what} after {i + 1} of {ROUNDS} rounds")
        shutil.rmtree(run)
        os.remove(path("whole.db"))


ALIKE = b"""recipe: my.steps
spans:
  step: {type: my.step, key: "{n}", in: job}
  job: {type: my.job, key: "{dir}"}
inputs:
  - files: "{dir}/steps.log"
    reader: lines
    head: '^(?<t>[0-9.]+) '
    times: {t: unix}
records:
  - {match: '^step (?<n>\\d+) of (?<app>\\w+) at (?<place>\\w+) (?<note>\\w+)$', span: step, event: begun, alike: [app, place], attrs: [note]}
"""


@test
def what_records_have_in_common():
    """Whichever import brings them: it has one row, and a record that is told again has what it had."""
    r, lines = rng(), []
    write(path("steps.yaml"), ALIKE)
    for i in range(8):
        lines += [f"{1795162300 + len(lines) + k} step {(len(lines) + k) % 20} of {r.choice('ab')} at {r.choice('cd')} n{r.randint(0, 3)}\n" for k in range(r.randint(1, 9))]
        write(path("job/steps.log"), "".join(lines).encode())
        s = imported(path("job"), store="s.db", options=("--recipe", path("steps.yaml"))).store
    new = imported(path("job"), store="new.db", options=("--recipe", path("steps.yaml"))).store
    same(dump(s, places=True), dump(new, places=True))
    equal(query(s, "SELECT count(*) FROM attributes"), [(3 * len(lines),)])
    for store in (s, new):
        whole(store)
        values = query(store, "SELECT vals FROM sl_alike")
        equal(len(values), len(set(values)))
        check(0 < len(values) <= 4, values)


if __name__ == "__main__":
    main()
