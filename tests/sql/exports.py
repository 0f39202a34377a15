#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is exported and imported again is the same: spans, their times to the nanosecond, parents, attributes, links, samples."""
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, cases, dump, equal, imported, main, path, query, same, spanloom, whole  # noqa: E402

FORMATS = {"chrome": "trace.json", "otlp": "otlp.jsonl"}


def once(store):
    """Several sources may say one thing; in an export it is said once."""
    return sorted(set(dump(store)))


def exported(name, store, *more):
    out = path(f"{os.path.basename(store)}.{FORMATS[name]}")
    spanloom("export", name, "-d", store, "-o", out, *more)
    return out


def compare(name, *paths):
    there = imported(*paths, store="there.db").store
    out = exported(name, there)
    back = imported(out, store="back.db").store
    equal(query(back, "SELECT path, reason, text FROM rejects"), [], "rejects")
    same(once(back), once(there))
    return back


def each(*names):
    return cases(*((f, n) for f in FORMATS for n in names))


@each("example")
def the_example(name, _):
    whole(compare(name, EXAMPLE))


@each("parsl-2026-workqueue", "parsl-2026-threads", "parsl-2026-traced", "parsl-2026-shell", "slurm", "taskvine", "nodes", "traces")
def what_is_imported(name, data):
    compare(name, f"{ROOT}/tests/data/{data}")


@cases(("otlp", signal.SIGTERM), ("chrome", signal.SIGINT))
def stopped_it_leaves_nothing(name, by):
    """It may be done before the signal comes: until one was stopped."""
    store, folder = imported(EXAMPLE, store="whole.db").store, path("stopped")
    os.mkdir(folder)
    for _ in range(100):
        with subprocess.Popen(["spanloom", "export", name, "-d", store, "-o", f"{folder}/out"], stderr=subprocess.DEVNULL) as p:
            while p.poll() is None and not any(f.endswith(".new") for f in os.listdir(folder)):
                pass
            p.send_signal(by)
        if p.returncode == -by:
            break
    equal(p.returncode, -by)
    equal([f for f in os.listdir(folder) if f != "out"], [])


main()
