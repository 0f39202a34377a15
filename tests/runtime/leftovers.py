#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of dead processes, which another one that ends in their folder turns into .pfw; and those that it leaves alone."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

KILLED = 'int main(void) { { SPANLOOM_SPAN("killed"); } raise(SIGKILL); return 0; }'
ENDS = 'int main(void) { SPANLOOM_SPAN("ends"); return 0; }'


@cases("_exit(0);", "raise(SIGTERM);", "abort();")
def children_that_nobody_has_waited_for(end):
    ran("""int main(void) { for (int i = 0; i < 3; i++) { pid_t p = fork(); if (!p) { { SPANLOOM_SPAN("c"); } %s }
        siginfo_t s; waitid(P_PID, p, &s, WEXITED | WNOWAIT); } return 0; }""" % end)
    equal(files("*.slt"), [])
    equal([[s.name for s in t.spans()] for t in traces(n=3)], [["c"]] * 3)


@test
def what_the_last_program_left():
    """Differs: after a signal."""
    killed = ran(KILLED, code=-9)
    r = ran(ENDS)
    equal({t.meta["pid"]: [s.name for s in t.spans()] for t in traces(n=2)}, {killed.pid: ["killed"], r.pid: ["ends"]})
    equal((len(os.listdir(path())), {t.meta["ended"] for t in traces()}), (2, {True, False}))


@cases(("binary", dict(spanloom="log-format=binary")), ("a rank", dict(env={"PMI_RANK": "3"})), ("a child", dict(env={"TRACEPARENT": "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"})),
       ("nothing recorded", dict(options="log-enable=False")))
def what_is_not_for(word, how):
    ran(KILLED, code=-9)
    ran(ENDS, **how)
    equal([[s.name for s in exported(f).spans()] for f in files("perfflow.array*.slt")], [["killed"]])


@test
def what_is_left_of_a_binary_trace_stays():
    ran(KILLED, code=-9, spanloom="log-format=binary")
    ran(ENDS)
    equal((len(files("*.slt")), len(files())), (1, 1))


@cases("of another host", "alive", "another namespace of processes", "garbage", "a pipe of its name")
def what_is_not_known_to_be_dead(word):
    ran(KILLED, code=-9)
    slt, = files("*.slt")
    with open(slt, "r+b") as f:
        if word == "of another host":
            data = f.read(16384).replace(b"hostname=" + HOST.encode(), b"hostname=" + HOST[:-1].encode() + b"_")
            f.seek(0), f.write(data)
        elif word == "alive":
            f.seek(16), f.write(os.getpid().to_bytes(4, "little"))
        elif word == "another namespace of processes":
            f.seek(28), f.write(b"\1\2\3\4")
        elif word == "garbage":
            f.write(b"garbage!")
        else:
            os.mkfifo(slt[:-4] + ".pfw")
    ran(ENDS)
    equal(files("*.slt"), [slt])
    equal(len([f for f in files() if os.path.isfile(f)]), 1)


@cases(1, 0)
def what_is_much_stays_for_export(little):
    """The exit of a program is no place to work for others. Differs: what is much."""
    killed = 'static struct sl_site s = SL_SITE("s", 0); int main(void) { for (int i = 0; i < %d; i++) { sl_begin(&s); sl_end(&s); } raise(SIGKILL); return 0; }'
    ran(killed % (1000 if little else 1500000), code=-9)
    ran(ENDS)
    equal(len(files("*.slt")), 1 - little)


@test
def an_import_says_how_to_make_it():
    """Nobody else would. Differs: after a signal."""
    ran(KILLED, code=-9)
    ran(KILLED, code=-9, spanloom="log-format=binary")
    ran(ENDS, spanloom="log-format=binary")
    slt, = files("perfflow.array*.slt")
    line = f"its process did not end in order, or still runs; where a .pfw is wanted, this makes it: spanloom export chrome {slt}"
    equal(imported(path()).err, f"spanloom: {slt}: {line}\n")
    equal((imported(path()).err, imported(path(), store="quiet.db", options=["--quiet"]).err), ("", ""))
    ran(KILLED, code=-9, env={"PMI_RANK": "3"})  # a rank leaves the one before alone
    r = imported(path(), store="two.db").err
    check(" and 1 more file: these processes did not end in order, or still run; " in r and r.endswith(": spanloom export chrome FILE.slt\n"), r)


if __name__ == "__main__":
    main()
