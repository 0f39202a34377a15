#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plain.py STORE RUNINFO: the import that one would write in an afternoon, for bench/run to compare with.

Reads the task lines of one Parsl run with Python's re and writes span and event tables with sqlite3, one executemany a
file: what scripts of this kind do, without zones, facets, sources, rejects, or being asked twice.
"""
import glob
import re
import sqlite3
import sys

PATTERNS = {
    "parsl.log": [r"Task (?P<id>\d+) submitted for App", r"Parsl task (?P<id>\d+) try \d+ launched on executor",
                  r"Task (?P<id>\d+) set to pending", r"Task (?P<id>\d+) completed \("],
    "interchange.log": [r"Sent tasks: \[(?P<ids>.+?)\] to manager", r"Removing task (?P<id>\d+) from manager"],
    "manager.log": [r"Got executor tasks: \[(?P<ids>.+?)\], cumul"],
    "worker_*.log": [r"(?P<w>Received|Completed|All processing finished for) executor task (?P<id>\d+)"],
}


def main(store, run):
    out = sqlite3.connect(store)
    out.executescript("CREATE TABLE span (id INTEGER PRIMARY KEY, type, key); CREATE TABLE event (span, time, type)")
    spans, rows = {}, []

    def span(kind, key):
        return spans.setdefault((kind, key), len(spans) + 1)

    for name, patterns in PATTERNS.items():
        compiled = [re.compile(p) for p in patterns]
        for path in glob.glob(f"{run}/**/{name}", recursive=True):
            for line in open(path, errors="replace"):
                for p in compiled:
                    m = p.search(line)
                    if m:
                        for key in (m["ids"].split(", ") if "ids" in p.groupindex else [m["id"]]):
                            rows.append((span(path, int(key)), line[:24], p.pattern))
                        break
    db = sqlite3.connect(f"file:{run}/monitoring.db?mode=ro", uri=True)
    for run_id, task, state, at in db.execute("SELECT run_id, task_id, task_status_name, timestamp FROM status"):
        rows.append((span(run_id, task), at, state))
    for run_id, task, began, ended in db.execute("SELECT run_id, task_id, task_time_invoked, task_time_returned FROM task"):
        rows += [(span(run_id, task), began, "invoked"), (span(run_id, task), ended, "returned")]
    out.executemany("INSERT INTO span VALUES (?, ?, ?)", ((n, k[0], k[1]) for k, n in spans.items()))
    out.executemany("INSERT INTO event VALUES (?, ?, ?)", rows)
    out.execute("CREATE INDEX event_span ON event (span)")
    out.commit()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
