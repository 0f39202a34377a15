#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Debian's hyperfine writes is read, and what we write of it has the numbers that hyperfine computed."""
import json
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests/lib"))
from harness import equal, main, path, spanloom, test


def measure(*arguments):
    subprocess.run(["hyperfine", "--style", "none", "--runs", "4", "--export-json", "bench.json", *arguments], cwd=path(),
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(path("bench.json"), encoding="utf-8") as file:
        return json.load(file)["results"]


def same(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-15)


@test
def parameters_are_factors_and_come_back():
    ours = measure("-L", "n", "1,2", "-L", "word", "a,b", "echo {word}{n}")
    said = spanloom("experiment", "import", "bench.json").out
    assert "bench.runs.jsonl: 16 runs of bench.json" in said, said
    theirs = json.loads(spanloom("experiment", "export", "hyperfine").out)["results"]
    equal(len(theirs), 4)
    for result in theirs:
        was = next(r for r in ours if r["parameters"] == result["parameters"])
        for key in ("mean", "stddev", "median", "min", "max"):
            assert same(was[key], result[key]), (key, was[key], result[key])
        equal(result["exit_codes"], was["exit_codes"])
        assert all(map(same, result["times"], was["times"])), (result["times"], was["times"])


@test
def commands_are_a_factor_where_there_are_no_parameters():
    measure("--ignore-failure", "true", "false")
    spanloom("experiment", "import", "--name", "two", "bench.json")
    rows = spanloom("sql", "--format", "csv", "SELECT command, count(*), count(time_s) FROM experiment_run GROUP BY 1").out
    equal(rows.splitlines()[1:], ["false,4,0", "true,4,4"], "what failed has no score")


@test
def what_is_none_is_refused():
    with open(path("none.json"), "w", encoding="utf-8") as file:
        file.write('{"results": []}')
    spanloom("experiment", "import", "none.json", code=1)
    with open(path("runs.csv"), "w", encoding="utf-8") as file:
        file.write("t,us_per_task,a\n1,5,0\n2,6,1\n3,5,0\n4,7,1\n")
    spanloom("experiment", "import", "--score", "us_per_task", "--time", "t", "runs.csv")
    spanloom("experiment", "export", "hyperfine", code=2)


main()
