#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom why of a path that holds no run, or none so far."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa


@test
def follow_waits_for_a_file_that_it_knows():
    """What is there first need not be of a run, nor the first log have a whole line."""
    os.makedirs(path("grown", "000"))
    write(path("grown", "notes.txt"), b"not of a run\n")
    process = subprocess.Popen([PROGRAM, "why", "--follow", "-d", path("grown.db"), path("grown")], env=environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        says = process.stderr.readline().decode()
        check("waiting for" in says and "no file so far that a recipe knows" in says, says)
        log = read("parsl.log")
        write(path("grown", "000", "parsl.log"), log[:30])
        until(lambda: b"nothing in it" in process.stderr.readline(), "the beginning of a line to be read")
        check(process.poll() is None, "it goes on")
        until(lambda: not os.path.exists(path("grown.db")), "a store of nothing to be taken away")
        write(path("grown", "000", "parsl.log"), log)
        until(lambda: b"(wf_mixed)" in process.stdout.readline(), "the run to be told of")
    finally:
        process.kill()
        process.communicate()


@test
def a_path_without_a_run_leaves_no_store():
    os.makedirs(path("none"))
    write(path("none", "parsl.log"), b"nothing of Parsl's\n")
    spanloom("why", "-d", path("none.db"), path("none"), code=1)
    spanloom("report", "--json", "-d", path("none.db"), path("none"), code=1)
    check(not os.path.exists(path("none.db")), "no store")
    spanloom("import", "-d", path("none.db"), path("none"), code=1)
    check("no record begins here" in spanloom("rejects", "-d", path("none.db")).out, "who asks for a store can see why it is empty")


main()
