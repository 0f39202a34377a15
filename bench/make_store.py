#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_store.py STORE [TASKS]: a store as an import of a large Parsl run would leave it, made with plain SQL.

Every task is 7 spans (monitoring task and try, the same two of the run directory as facets, and the interchange's,
manager's and worker's view of it) with 20 events.  Spans are numbered in the order in which files would name them:
source after source, and the worker logs one after another.  Times carry jitter, so that every fourth task has its
events in an unusual order, of which there are some thousands.  The same arguments give the same store.
500,000 tasks (default) are 10 million events, 570 MB, and take 15 s to make.

What it is for: sqlite3 -cmd '.load build/spanloom' -cmd '.timer on' STORE "SELECT max(sequence) FROM
event_sequences('parsl.monitoring.task')" (2.0 s, 250 MB of memory), and descendants(1000) (below 1 ms).
"""
import os
import sqlite3
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORKERS = 64
START_NS = 1_790_000_000_000_000_000
EXECUTOR = "parsl.executor.htex"

# The spans of one task: type, naming parent (an offset of its own block, or a root), and the events with the time in
# microseconds after the start of the task.
BLOCKS = [
    ("parsl.monitoring.task", "monitoring", [("invoked", 0), ("returned", 1_004_000)]),
    ("parsl.monitoring.try", 0, [("pending", 100), ("launched", 900), ("running", 20_100), ("running_ended", 1_000_200),
                                 ("exec_done", 1_002_000), ("joined", 1_003_000)]),
    ("parsl.rundir.task", "rundir", [("submitted", 50), ("done", 1_003_900)]),
    ("parsl.rundir.try", 2, [("launching", 800), ("launched", 910), ("completed", 1_002_100)]),
    (EXECUTOR + ".interchange.task", "interchange", [("interchange_to_manager", 10_000),
                                                     ("interchange_removing_task", 1_001_000)]),
    (EXECUTOR + ".manager.task", "manager", [("manager_got_task", 15_000), ("manager_sent_result", 1_000_600)]),
    (EXECUTOR + ".worker.task", "worker", [("worker_received_task", 20_000), ("worker_completed_task", 1_000_100),
                                           ("worker_all_finished_task", 1_000_400)]),
]
# block in block, and facets
CONTAINS = [(1, 4), (3, 4), (4, 5), (5, 6)]
FACETS = [(0, 2), (1, 3)]


def main(path, tasks):
    if os.path.exists(path):
        sys.exit(f"make_store.py: {path} exists already; remove it first")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA cache_size = -262144")
    parts = sorted({*os.listdir(f"{ROOT}/src/store/schema")} - {"check.sql", "index.sql"})
    for part in parts:
        with open(f"{ROOT}/src/store/schema/{part}", encoding="utf-8") as file:
            db.executescript(file.read())
    db.execute("INSERT INTO sl_meta VALUES ('schema', ?)", (sum(part[0] == "0" for part in parts),))
    db.execute("BEGIN")

    def name(text):
        db.execute("INSERT OR IGNORE INTO sl_name (name) VALUES (?)", (text,))
        return db.execute("SELECT id FROM sl_name WHERE name = ?", (text,)).fetchone()[0]

    def span(kind, key, parent, source):
        return db.execute("INSERT INTO sl_span (type, key, parent, source) VALUES (?, ?, ?, ?)",
                          (name(kind), key, parent, source)).lastrowid

    for source in range(1, len(BLOCKS) + 1):
        db.execute("INSERT INTO sl_source (id, path, recipe, component) VALUES (?, ?, 'bench', 'bench')",
                   (source, f"/bench/{source}.log"))
    roots = {"monitoring": span("parsl.monitoring.workflow", "run", None, 1)}
    roots["rundir"] = span("parsl.rundir.workflow", "run", None, 3)
    roots["interchange"] = span(EXECUTOR + ".interchange", "htex", roots["rundir"], 5)
    roots["manager"] = span(EXECUTOR + ".manager", "m0", roots["interchange"], 6)
    workers = [span(EXECUTOR + ".worker", str(w), roots["manager"], 7) for w in range(WORKERS)]

    db.execute("CREATE TEMP TABLE task (i INTEGER PRIMARY KEY)")
    db.execute("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1) INSERT INTO task "
               "SELECT i FROM n", (tasks,))
    # The place of task i among the spans of its block: as numbered, or, for workers, log after log.
    per = -(-tasks // WORKERS)
    full = tasks - (per - 1) * WORKERS  # so many workers have `per` tasks, the others one fewer
    order = {"worker": f"(i % {WORKERS}) * {per} - max(0, (i % {WORKERS}) - {full}) + i / {WORKERS}"}
    first = workers[-1] + 1
    at = []
    for number, (kind, parent, _) in enumerate(BLOCKS):
        at.append(f"({first + number * tasks} + {order.get(parent, 'i')})")
        up = at[parent] if isinstance(parent, int) else f"{workers[0]} + i % {WORKERS}" if parent == "worker" else roots[parent]
        db.execute(f"INSERT INTO sl_span (id, type, key, parent, source) SELECT {at[number]}, ?, "
                   f"{'0' if isinstance(parent, int) else 'i'}, {up}, ? FROM task ORDER BY 1", (name(kind), number + 1))
    rule, link = name("bench"), "INSERT INTO sl_link (left_span, kind, right_span, rule, source, place)"
    for left, right in CONTAINS:
        db.execute(f"{link} SELECT {at[left]}, 1, {at[right]}, ?, ?, i FROM task", (rule, right + 1))
    for left, right in FACETS:
        db.execute(f"{link} SELECT {at[left]}, 2, {at[right]}, ?, NULL, NULL FROM task", (rule,))
    for number, (_, _, events) in enumerate(BLOCKS):
        # A row per event and task, in the order of the primary key: appended, not inserted here and there.
        h = f"seq * 40503 + {number * 324101}"  # squared and cut: chance enough, and the same every time
        db.execute("CREATE TEMP TABLE kind (seq, type, us)")
        db.executemany("INSERT INTO kind VALUES (?, ?, ?)", [(s, name(e), us) for s, (e, us) in enumerate(events)])
        db.execute(f"""
            INSERT INTO sl_event (span, time_ns, type, source, place)
            SELECT {at[number]}, {START_NS} + 1000 * (i * 20000 + us * (90 + i * 7919 % 21) / 100 + us * seq / 100000
                    + CASE WHEN (i + {h}) * (i + {h}) % 1000003 % 50 = 0 THEN i * 31 % 15000 ELSE 0 END),
                type, {number + 1}, i * {len(events)} + seq + 1
            FROM task CROSS JOIN kind ORDER BY 1, 2, 3""")
        db.execute("DROP TABLE kind")
    with open(f"{ROOT}/src/store/schema/index.sql", encoding="utf-8") as file:
        index = file.read()
    db.execute("COMMIT")
    db.executescript(index)
    db.close()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500_000)
