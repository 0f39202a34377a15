#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""show --lines passes over most records of the logs: it has the lines that events --lines has, which reads all of them."""
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

RUNS = sorted(glob.glob(f"{ROOT}/tests/data/*/"))
EACH = 3  # spans of a type


def rows(store, *words):
    out = spanloom(*words, "--lines", "--format", "json", "-d", store, code=(0, 1), env={"HOME": path("home")}).out
    return json.loads(out or "[]")


def the_same_lines(store, r, options=()):
    """Of some spans of each type; how many lines that were."""
    seen = 0
    for kind, in query(store, "SELECT DISTINCT type FROM spans ORDER BY type"):
        roots = {}
        for row in rows(store, "events", kind, *options):
            roots.setdefault(str(row["root"]), []).append(row)
        for root in r.sample(sorted(roots), min(EACH, len(roots))):
            if not any(row["event"] for row in roots[root]):
                continue  # then show does not know which files to read
            shown = rows(store, "show", "span", root, *options)["events"]
            equal(shown, roots[root], f"{kind}, span {root}")
            seen += sum(1 for row in shown if row["line"])
    return seen


@cases(*(d.rstrip("/") for d in RUNS))
def of_real_runs(run):
    note(the_same_lines(imported(run, store="s.db", code=(0, 1)).store, rng()), "lines")


RECIPE = r"""
recipe: my.log
about: Whatever a key can come from.
component: mine
fields: {n: int}
spans:
  my_run:  {type: my.run, key: "{run}"}
  my_step: {type: my.step, key: "{n}", in: my_run}
  my_part: {type: my.part, key: "{part}", in: my_step}
  my_both: {type: my.both, key: "{n}.{part}", in: my_run}
  my_who:  {type: my.who, key: "{who}", in: my_run}
inputs:
  - files: "{run}/my.log"
    reader: lines
    head: ['^(?<t>\d+\.\d+) (?<who>\w+) ']
    times: {t: unix}
records:
  - {match: '^begin (?<n>-?\d+) as (?<part>\w+)', span: my_step, event: begun, keep: {n: who}}
  - {match: '^now (?<part>\w+)', look: {n: who}, span: my_part, event: now}
  - {match: '^both (?<n>-?\d+) (?<part>\w+)', span: my_both, event: both}
  - {match: '^list (?<all>.*)', each: {of: all, find: '(?<n>\d+)'}, span: my_step, event: listed}
  - {match: '^I am', span: my_who, event: known}
naming:
  - {match: 'step (?<n>-?\d+)', span: my_step}
"""


def my_log(r):
    parts = ["a", "bb", "c7", "12"]
    say = [lambda: f"begin {r.choice(['', '0', '00'])}{r.randrange(40)} as {r.choice(parts)}", lambda: f"begin -{r.randrange(9)} as a",
           lambda: f"now {r.choice(parts)}", lambda: f"both {r.randrange(40)} {r.choice(parts)}", lambda: "I am", lambda: "nothing",
           lambda: f"list [{', '.join(str(r.randrange(40)) for _ in range(5))}]", lambda: f"and\nso of step 0{r.randrange(40)}\nhere"]
    return "".join(f"{1795162300 + i}.25 {r.choice(['ann', 'bob', '7'])} {r.choice(say)()}\n" for i in range(300)) + "1795162999.0 cut off"


@cases(1, 2, 3, 4)
def of_keys_from_anywhere(seed):
    r = random.Random(seed)
    write(path("mine.yaml"), RECIPE)
    write(path("run/my.log"), my_log(r))
    options = ("--recipe", path("mine.yaml"))
    store = imported(path("run"), store="s.db", options=options).store
    check(the_same_lines(store, r, options) > 200)


if __name__ == "__main__":
    main()
