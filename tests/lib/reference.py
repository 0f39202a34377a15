# SPDX-License-Identifier: Apache-2.0
"""What the table functions over stories must give, worked out from the views in Python: whole numbers, nothing shared
with the program.  And stores of random spans, and queries through the extension."""
import collections
import functools
import json
import os
import re
import sqlite3
import subprocess
from fractions import Fraction

from harness import ROOT, PROGRAM, check, path

EXTENSION = os.path.join(os.environ.get("BUILD") or os.path.dirname(os.path.abspath(PROGRAM)), "spanloom.so")
BIN_NS = 10**9

CLOSURE = """
    WITH RECURSIVE d(root, span) AS (
        SELECT uuid, uuid FROM span WHERE type = ?
        UNION SELECT root, subspan_uuid FROM subspan JOIN d ON superspan_uuid = span
        UNION SELECT root, right_uuid FROM facet JOIN d ON left_uuid = span
        UNION SELECT root, left_uuid FROM facet JOIN d ON right_uuid = span)
    SELECT d.root, e.time_ns, s.type, e.type, d.span FROM d JOIN spans s ON s.id = d.span LEFT JOIN events e ON e.span = s.id
"""

ASK = """
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.enable_load_extension(True)
db.load_extension(sys.argv[2])
for sql in json.load(sys.stdin):
    try:
        print(json.dumps(db.execute(sql).fetchall()))
    except sqlite3.Error as e:
        print(json.dumps(str(e)))
"""


def ask(store, *queries):
    """Rows of each query by Debian's Python with the extension; the text of an error instead."""
    done = subprocess.run(["/usr/bin/python3", "-c", ASK, store, EXTENSION], input=json.dumps(queries), capture_output=True, text=True)
    check(done.returncode == 0 and not done.stderr, done.stderr)
    got = [json.loads(line) for line in done.stdout.splitlines()]
    return [g if isinstance(g, str) else [tuple(r) for r in g] for g in got]


def shell(store, query):
    """Rows by the sqlite3 shell."""
    done = subprocess.run(["sqlite3", "-json", "-cmd", f".load {EXTENSION}", store, query], capture_output=True, text=True)
    check(done.returncode == 0 and not done.stderr, query, done.stderr)
    return [tuple(r.values()) for r in json.loads(done.stdout or "[]")]


def _near(x, y):
    if isinstance(y, Fraction):
        if x is None:
            return False
        about = float(y)  # what is as near as this need not be told exactly
        return abs(x - about) <= 9e-14 * abs(about) or abs(Fraction(x) - y) <= abs(y) * Fraction(1, 10**13)
    return x == y and isinstance(y, type(x))


def near(got, want, what=""):
    """Rows; numbers that are fractions in want may differ by the bits of a double."""
    check(not isinstance(got, str), what, got)
    for k, (a, b) in enumerate(zip(got, want)):
        if len(a) != len(b) or not all(map(_near, a, b)):
            raise AssertionError(f"{what} row {k}: got {a}, want {tuple(map(str, b))}")
    check(len(got) == len(want), what, f"{len(got)} rows, want {len(want)}")


# ---- by the definitions

class Event(str):
    """The type of an event.  own: of the root itself; over: the rank of what says that the root is over, else None;
    again: it may come again."""
    own, over, again = False, None, False


class Ends:
    """What sl_state and sl_role say of who is over when."""

    def __init__(self, db):
        q = lambda sql: db.execute(sql).fetchall()
        has = q("SELECT 1 FROM pragma_table_info('sl_state') WHERE name = 'again'")
        self.said = {(s, e): (kind, rank, again) for s, e, kind, rank, again in
                     (q("SELECT span_type, event_type, kind, rank, again FROM sl_state") if has else [])}
        self.attempts = {t for t, in q("SELECT type FROM sl_role WHERE role = 'attempt'")} if has else set()
        self.facets, self.sub = collections.defaultdict(set), collections.defaultdict(set)
        for a, b in q("SELECT left_uuid, right_uuid FROM facet"):
            self.facets[a].add(b)
            self.facets[b].add(a)
        for a, b in q("SELECT superspan_uuid, subspan_uuid FROM subspan"):
            self.sub[a].add(b)
        self.group = {}

    def itself(self, root):
        if root not in self.group:
            group, new = set(), {root}
            while new:
                group |= new
                new = {f for g in new for f in self.facets[g]} - group
            self.group[root] = group
        return self.group[root]

    def mark(self, root, span, span_type, event):
        event = Event(event)
        event.own = root == span
        kind, rank, again = self.said.get((span_type, event), (None, None, False))
        event.again = again and kind != "done"
        if kind == "done" and (span in self.itself(root) or (
                span_type in self.attempts and any(span in self.sub[g] for g in self.itself(root)))):
            event.over = rank
        return event


def stories(db, kind, lens=lambda span_type, event_type: event_type):
    """{root: [(time, span type, event type), ...] in order}; lens: how an event appears, None: not at all"""
    found, ends = collections.defaultdict(list), Ends(db)
    for root, t, span_type, event_type, span in db.execute(CLOSURE, (kind,)):
        seen = None if t is None else lens(span_type, event_type)
        found[root] += [] if seen is None else [(t, span_type, ends.mark(root, span, span_type, seen))]
    return {root: sorted(events) for root, events in sorted(found.items())}


def until_over(events):
    """Without what is told when all is over."""
    kept, over = [], None
    for t, s, e in events:
        over = None if e.again else over
        if e.over is not None and (over is None or e.over >= over):
            over = e.over
        elif over is not None:
            continue
        kept.append((t, s, e))
    return kept


@functools.lru_cache(maxsize=10_000)
def glob(pattern, text):
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.S) is not None


def means(pattern, span_type, event_type):
    a, slash, b = pattern.partition("/")
    return glob(a, span_type) and glob(b, event_type) if slash else glob(pattern, event_type)


def two_events(told, start, end):
    rows = []
    for root, events in told.items():
        a, b = ([t for t, s, e in events if e.own and means(p, s, e)] for p in (start, end))
        if not a or not b:
            a, b = ([t for t, s, e in events if means(p, s, e)] for p in (start, end))
        first = [min(x) if x else None for x in (a, b)]
        rows.append((root, *first, Fraction(first[1] - first[0], 10**9) if a and b else None, len(a), len(b)))
    return rows


def lives(told):
    """Of each root [(from, to, state)]; the last for ever: None."""
    for events in told.values():
        last = {}
        for t, s, e in until_over(events):  # in order: the last of a time stays
            last[t] = (s, e)
        times = list(last)
        yield [(t, times[i + 1] if i + 1 < len(times) else None, last[t]) for i, t in enumerate(times)]


def changes(told):
    """occupancy() without bins: counts at each time, from scratch."""
    all_lives = [x for life in lives(told) for x in life]
    steps = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for since, until, state in all_lives:
        steps[since][state][0] += 1
        if until is None:
            steps[since][state][1] += 1
        else:
            steps[until][state][0] -= 1
    now, rows = collections.defaultdict(lambda: [0, 0]), []
    for t in sorted(steps):
        for state in sorted(steps[t]):
            by = steps[t][state]
            if by != [0, 0]:
                now[state] = [now[state][0] + by[0], now[state][1] + by[1]]
                rows.append((t, *state, *now[state]))
    return rows


def overlap(since, until, begin, end):
    return max(0, min(until, end) - max(since, begin))


def bins_of(times, width):
    return range(min(times) // width * width, max(times) // width * width + 1, width)


def occupancy(told, width):
    all_lives = [x for life in lives(told) for x in life]
    rows = []
    for begin in bins_of([x[0] for x in all_lives], width) if all_lives else []:
        end, area = begin + width, collections.defaultdict(lambda: [0, 0])
        for since, until, state in all_lives:
            if since >= end or until is not None and until <= begin:
                continue
            if d := overlap(since, end if until is None else until, begin, end):
                area[state][0] += d
                area[state][1] += d if until is None else 0
        rows += [(begin, *state, Fraction(a[0], width), Fraction(a[1], width)) for state, a in sorted(area.items())]
    return rows


def event_rate(db, pattern, width):
    events = db.execute("SELECT e.time_ns, s.type, e.type FROM events e LEFT JOIN spans s ON s.id = e.span").fetchall()
    times = [t for t, s, e in events if (s is not None or "/" not in pattern) and means(pattern, s or "", e)]
    count = collections.Counter(t // width * width for t in times)
    return [(b, count[b], Fraction(count[b] * 10**9, width)) for b in bins_of(times, width)] if times else []


class Workers:
    """Presence and runs of workers, as docs/sql.md says."""

    def __init__(self, db, kind):
        q = lambda sql: db.execute(sql).fetchall()
        self.type = dict(q("SELECT id, type FROM spans"))
        self.events = collections.defaultdict(list)
        for span, t, e in q("SELECT span, time_ns, type FROM events"):
            self.events[span].append((t, e))
        self.sub, self.facet = collections.defaultdict(set), collections.defaultdict(set)
        for a, b in q("SELECT superspan_uuid, subspan_uuid FROM subspan"):
            if a in self.type and b in self.type:
                self.sub[a].add(b)
        for a, b in q("SELECT left_uuid, right_uuid FROM facet"):
            self.facet[a].add(b)
            self.facet[b].add(a)
        has = q("SELECT 1 FROM sqlite_schema WHERE name = 'sl_state'")
        self.said = {(s, e): (kind, rank) for s, e, kind, rank in
                     (q("SELECT span_type, event_type, kind, rank FROM sl_state") if has else [])}
        self.stated = {s for (s, _), (kind, _) in self.said.items() if kind == "run"}
        self.workers = sorted(i for i, t in self.type.items() if t == kind)
        self.holders = collections.defaultdict(set)
        for w in self.workers:
            for x in self.sub[w] - {w}:
                self.holders[x].add(w)
        roles = dict(q("SELECT type, role FROM sl_role")) if q("SELECT 1 FROM sqlite_schema WHERE name = 'sl_role'") else {}
        self.only_said = roles.get(kind) == "worker" and any(self.type[x] in self.stated for x in self.holders)
        self.pool = {}  # what ends with all of its workers
        for w, parent in q("SELECT id, parent FROM spans"):
            if roles.get(kind) == "worker" and self.type[w] == kind and parent in self.type and roles.get(self.type[parent]) != "workflow":
                self.pool[w] = parent
        self.handed = collections.defaultdict(list)
        for w, x, t in q("SELECT l.left_span, l.right_span, e.time_ns FROM sl_link l JOIN sl_event e ON e.span = l.right_span "
                         "AND e.source = l.source AND e.place = l.place WHERE l.kind = 1"):
            if w in self.workers and w != x and len(self.holders[x]) > 1:
                self.handed[x].append((t, w))

    def runs(self, w, x):
        kind = self.type[x]
        if kind not in self.stated:
            if self.only_said:
                return []
            times = [t for t, _ in self.events[x]]
            return [(min(times), max(times))] if times else []
        known = sorted((t, self.said[kind, e][1], e) for t, e in self.events[x] if (kind, e) in self.said)
        found, begin = [], None
        for t, _, e in known:
            runs = self.said[kind, e][0] == "run"
            if runs and begin is None:
                begin = t
            elif not runs and begin is not None:
                found.append((begin, t))
                begin = None
        if begin is not None:
            later = [t for t, _ in self.events[w] if t > begin]
            found.append((begin, min(later) if later else None))
        return [r for r in found if self.owns(w, x, r[0])]

    def owns(self, w, x, t):
        before = [h for h in self.handed[x] if h[0] <= t]
        return not before or w in {h[1] for h in before if h[0] == max(before)[0]}

    def of(self, w):
        """(from, to) or None, runs"""
        present, runs = self.alone(w)
        if present and w in self.pool:
            mates = [self.alone(x)[0] for x, pool in self.pool.items() if pool == self.pool[w]]
            present = present[0], max([p[1] for p in mates if p] + [t for t, e in self.events[self.pool[w]] if e != "lost"])
        return present, runs

    @functools.cache
    def alone(self, w):
        held = {x for x in self.sub[w] - {w} if self.type[x] in self.stated}
        runs = [r for x in self.sub[w] - {w} for r in self.runs(w, x)]
        below, border = {w}, [w]
        while border:
            border = {y for x in border for y in self.sub[x] | self.facet[x] if y in self.type} - below - held
            below |= border
        heard = [t for x in below for t, _ in self.events[x]] + [t for r in runs for t in r if t is not None]
        if not heard:
            return None, []
        return (min(heard), max(heard)), [(a, max(heard) if b is None else b) for a, b in runs]


def union(intervals):
    merged = []
    for a, b in sorted(intervals):
        if merged and a <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], b)
        else:
            merged.append([a, b])
    return merged


def utilisation(db, kind, width):
    workers = Workers(db, kind)
    there, busy, running = [], [], []
    for w in workers.workers:
        present, runs = workers.of(w)
        if present:
            there.append(present)
            running += runs
            busy += union(runs)
    rows = []
    for begin in bins_of([t for p in there for t in p], width) if there else []:
        a, b, c = (sum(overlap(*i, begin, begin + width) for i in x) for x in (there, busy, running))
        rows.append((begin, Fraction(a, width), Fraction(b, width), Fraction(c, width), Fraction(b, a) if a else None))
    return rows


# ---- stores that no recipe would make, but users can

@functools.lru_cache
def _schema(version):
    """What is copied for each: to run the files of it takes five times as long."""
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    numbered = sorted(part for part in os.listdir(f"{ROOT}/src/store/schema") if part[0] == "0")[:version]
    for part in [*numbered, "views.sql", "index.sql"]:
        with open(f"{ROOT}/src/store/schema/{part}", encoding="utf-8") as file:
            db.executescript(file.read())
    db.execute(f"INSERT INTO sl_meta VALUES ('schema', {len(numbered)})")
    return db


def empty_store(to, version=None):
    """Of this schema, or an older one."""
    db = sqlite3.connect(to, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    _schema(version).backup(db)
    return db


def random_store(to, r, times=None, states=True):
    """Cycles, equal times, links to nothing, spans without events, records that assert a link and an event."""
    db = empty_store(to, None if states else 2)
    names = ["task", "try", "worker", "Work", "é"] + [f"e{i}" for i in range(5)]
    db.execute("BEGIN")
    db.executemany("INSERT INTO sl_name VALUES (?, ?)", enumerate(r.sample(names, len(names)), r.choice([1, 40, 10**12])))
    name = {n: i for i, n in db.execute("SELECT id, name FROM sl_name")}
    db.executemany("INSERT INTO sl_source (id, path, recipe, component) VALUES (?, ?, 'r', 'c')", [(i, f"/{i}") for i in range(1, 4)])
    n, gap = r.choice([1, 4, 40, 150]), r.choice([1, 3, 10**9])
    ids, places = sorted(r.sample(range(1, n * gap + 1), n)), max(3, n // 2)
    db.executemany("INSERT INTO sl_span (id, type, key, parent, source) VALUES (?, ?, ?, ?, 1)",
                   [(i, name[r.choice(names[:5])], str(i), r.choice([None, None, None, r.choice(ids)])) for i in ids])
    nothing, when = n * gap + 10, times or (lambda: r.randint(-5, 60) * r.choice([1, 10**8, 3 * 10**8]))
    db.executemany("INSERT OR IGNORE INTO sl_link (left_span, kind, right_span, source, place) VALUES (?, ?, ?, ?, ?)",
                   [(r.choice(ids), r.choice([1, 1, 1, 2, 3, 4]), r.choice(ids), r.randint(1, 3), r.randint(1, places)) for _ in range(n)]
                   + [(r.choice(ids), 1, nothing, None, None), (nothing + 1, 2, r.choice(ids), None, None)])
    db.executemany("INSERT OR IGNORE INTO sl_event (span, time_ns, type, source, place) VALUES (?, ?, ?, ?, ?)",
                   [(r.choice(ids + [nothing]), when(), name[r.choice(names[-5:])], r.randint(1, 3), r.randint(1, places))
                    for _ in range(n * r.randint(0, 4))])
    if states:
        db.executemany("INSERT INTO sl_state (span_type, event_type, state, kind, rank, again) VALUES (?, ?, 's', ?, ?, ?)",
                       [(s, e, r.choice(["run", "run", "wait", "done"]), r.randint(1, 3), r.random() < 0.2)
                        for s in ("task", "try", "none") for e in names[-5:] if r.random() < 0.7])
        if r.random() < 0.7:
            db.execute("INSERT INTO sl_role VALUES ('try', 'attempt')")
    db.execute("COMMIT")
    return db
