#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that Python starts know whose they are, whatever their environment was made of."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pythons import *  # noqa

STARTED = """
import spanloom
with spanloom.span("started"):
    pass
"""
WAYS = {
    "of C": "subprocess.run(command)",
    "os.environ, by posix_spawn": "subprocess.run(command, close_fds=False)",
    "a copy": "subprocess.run(command, env={**os.environ, 'MORE': '1'})",
    "in a child": "p = multiprocessing.get_context('fork').Process(target=subprocess.run, args=(command,), kwargs={'close_fds': False}); p.start(); p.join()",
}
PROGRAM = """
import multiprocessing, os, subprocess, sys, threading
import spanloom
command = ["/bin/sh", "-c", f"{sys.executable} started.py; exit 0"]   # so that ppid says nothing
with spanloom.span("starting"):
    WAY
"""


# Until 3.10, Python forks there, and the child of the fork, which records nothing, is the one that the program knows.
@cases(*((v, w) for v in VERSIONS for w in WAYS if (v, w) != ("3.9", "of C")))
def environment_is(version, way):
    write(path("started.py"), STARTED)
    script(PROGRAM.replace("WAY", WAYS[way]), version=version, env={"TRACEPARENT": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
    found = traces()
    [started] = [t for t in found if t.spans("started")]
    if way == "in a child":  # which recorded nothing itself
        check(started.meta["parent_id"] not in ("b7ad6b7169203331", found[0].meta["span_id"]), "the child has an id of its own")
        return
    store = imported(*files()).store
    equal(query(store, """SELECT l.key FROM links k JOIN spans l ON l.id = k.left_span JOIN spans p ON p.id = k.right_span AND p.type = 'trace.process'
        JOIN spans t ON t.parent = p.id JOIN spans c ON c.parent = t.id WHERE c.key = 'started' AND k.rule = 'trace.parent'"""), [("starting",)], started.meta)


if __name__ == "__main__":
    main()
