#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""call_profile(), call_tree() and call_times() against sums that this file makes itself, on random trees of calls over threads and
processes; and by hand."""
import collections
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import *  # noqa
from reference import Fraction, ask, near  # noqa

FLAT = "SELECT part, name, calls, unfinished, inclusive_s, exclusive_s, share, min_s, mean_s, max_s FROM call_profile({})"
TREE = "SELECT path, depth, part, calls, unfinished, inclusive_s, exclusive_s, share, min_s, mean_s, max_s FROM call_tree({})"


class Call:
    def __init__(self, name, begin, end, by, thread):
        self.name, self.begin, self.end, self.by, self.thread = name, begin, end, by, thread
        self.below, self.span = [], None


class Traces(Store):
    """A store of calls, and the same calls as objects."""

    def __init__(self, r):
        super().__init__()
        self.r, self.calls, self.counts, self.processes = r, [], collections.Counter(), 0
        self.latest, self.ended, self.above, self.around = {}, {}, {}, {}  # by process: its last event; its end; the call, the process it lies in

    def process(self, call=None, around=None, rank=None):
        self.processes += 1
        p = self.span("trace.process", f"host:{self.processes}@{self.processes}")
        self.latest[p], self.above[p], self.around[p] = -1, call, around
        if call or around:
            self.link(call.span if call else around, IN, p)
        if rank is not None:
            self.attr(p, "rank", str(rank))
        return p, f"host:{self.processes}@{self.processes}", rank

    def thread(self, process, tid):
        return self.span("trace.thread", tid, parent=process[0]), process, tid

    def call(self, name, begin, end, by, thread):
        c = Call(name, begin, end, by, thread)
        self.counts[thread[0], name] += 1
        n = self.counts[thread[0], name]
        c.span = self.span("trace.call", name if n == 1 and not re.search(r"#\d+$", name) else f"{name}#{n}", parent=thread[0], begin=begin)
        p = thread[1][0]
        self.latest[p] = max(self.latest[p], begin, -1 if end is None else end)
        if end is not None:
            self.event(c.span, "end", end)
        if by:
            by.below.append(c)
            if by.thread == thread:
                self.link(by.span, IN, c.span)
        self.calls.append(c)
        return c

    def grow(self, thread, by, begin, end, depth):
        """Calls one after another between begin and end."""
        r, t = self.r, begin
        while t < end and r.random() < 0.8:
            t += r.randrange(0, (end - t) // 2 + 1)
            stop = t + r.randrange(0, end - t + 1)
            c = self.call(r.choice(["f", "g", "h", "a#b", "f#2", "#7", "é"]), t, None if r.random() < 0.05 else stop, by, thread)
            if depth < 6:
                self.grow(thread, c, t, stop, depth + 1)
            if r.random() < 0.08 and depth < 6:
                self.start(c, t, stop + r.choice([0, 0, 50, -50]), depth + 1)
            t = stop
        return self

    def start(self, by, begin, end, depth):
        for _ in range(self.r.randrange(1, 3)):
            p = self.process(by, rank=self.r.choice([None, 0, 1]))
            if self.r.random() < 0.2:  # a process of no calls in between: those of the next are still called by `by`
                p = self.process(around=p[0])
            for tid in range(self.r.randrange(1, 3)):
                self.grow(self.thread(p, tid), by, begin, max(begin, end), depth)
            if self.r.random() < 0.3:
                self.end(p[0], max(begin, self.latest[p[0]]) + self.r.randrange(0, 100))

    def end(self, process, t):
        self.event(process, "end", t)
        self.latest[process] = max(self.latest[process], t)
        self.ended[process] = t


def part_of(c, by):
    (_, key, rank), tid = c.thread[1], c.thread[2]
    return (f"{key}/{tid}" if by == "thread" else key if by == "process" else None if by is None
            else "" if rank is None else str(rank))


def call_above(store, process):
    while process and not store.above[process]:
        process = store.around[process]
    return process and store.above[process]


def over(store, process):
    """When it was over at the latest: at its end, else with the call that it lies in."""
    call = call_above(store, process)
    if process in store.ended or not call:
        return store.ended.get(process, -1)
    return over(store, call.thread[1][0]) if call.ended is None else call.ended


def finish(store):
    below = collections.defaultdict(lambda: -1)  # by call: the last event of all processes below
    for p in store.latest:
        c = call_above(store, p)
        while c:
            below[c] = max(below[c], store.latest[p])
            c = c.by
    for c in store.calls:
        c.ended, c.unfinished = c.end, c.end is None
    for c in store.calls:
        if c.unfinished:
            p = c.thread[1][0]
            c.end = max(c.begin, store.latest[p], over(store, p), below[c])
            if c.by and c.by.thread == c.thread:
                c.end = max(c.begin, min(c.end, c.by.end))
        c.length = c.end - c.begin
    for c in store.calls:
        c.own = c.length - len(union([(max(d.begin, c.begin), min(d.end, c.end)) for d in c.below]))


class union:
    def __init__(self, stretches):
        self.n, reach = 0, None
        for a, b in sorted(s for s in stretches if s[1] > s[0]):
            a = a if reach is None else max(a, reach)
            self.n += max(0, b - a)
            reach = b if reach is None else max(reach, b)

    def __len__(self):
        return self.n


def names_above(c):
    c = c.by
    while c:
        yield c.name
        c = c.by


def row(calls, inclusive, whole):
    own = sum(c.own for c in calls)
    done = [c.length for c in calls if not c.unfinished]
    return [len(calls), len(calls) - len(done), Fraction(inclusive, S), Fraction(own, S), Fraction(own, whole) if whole else None,
            *([Fraction(min(done), S), Fraction(sum(done), S * len(done)), Fraction(max(done), S)] if done else [None] * 3)]


def flat(calls, by):
    groups = collections.defaultdict(list)
    for c in calls:
        groups[c.name, part_of(c, by)].append(c)
    whole = sum(c.own for c in calls)
    rows, sums = [], collections.defaultdict(lambda: [0, 0])
    for (name, part), some in groups.items():
        inclusive = sum(c.length for c in some if name not in names_above(c))
        sums[name][0] -= sum(c.own for c in some)
        sums[name][1] -= inclusive
        rows.append((name, natural(part), [part, name] + row(some, inclusive, whole)))
    return [tuple(r[-1]) for r in sorted(rows, key=lambda r: (sums[r[0]], r[0].encode(), r[1]))]


def natural(part):
    return [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", part or "")]


def tree(calls, by):
    @functools.cache
    def path(c):
        return (path(c.by) if c.by else ()) + ((c.name, part_of(c, by)),)

    groups = collections.defaultdict(list)
    for c in calls:
        groups[path(c)].append(c)
    whole = sum(c.own for c in calls)
    sums = collections.Counter()  # by caller's path and function
    for p, some in groups.items():
        sums[p[:-1], p[-1][0]] -= sum(c.length for c in some)
    order = {p: (sums[p[:-1], p[-1][0]], p[-1][0].encode(), natural(p[-1][1])) for p in groups}
    rows = []
    for p in sorted(groups, key=lambda p: [order[p[:k]] for k in range(1, len(p) + 1)]):
        rows.append((";".join(n for n, _ in p), len(p) - 1, p[-1][1], *row(groups[p], sum(c.length for c in groups[p]), whole)))
    return rows


def compare(store, calls=None, within="NULL"):
    calls = store.calls if calls is None else calls
    kinds = [None, "thread", "process", "rank"]
    args = [f"{within}, " + (f"'{k}'" if k else "NULL") for k in kinds]
    got = ask(store.file, *(q.format(a) for a in args for q in (FLAT, TREE)))
    for k, kind in enumerate(kinds):
        near(got[2 * k], flat(calls, kind), f"flat by {kind}")
        near(got[2 * k + 1], tree(calls, kind), f"tree by {kind}")


def compare_times(store):
    threads = {c.thread[0]: c.thread[1][0] for c in store.calls}
    want = sorted((c.span, c.by and c.by.span, c.thread[0], threads[c.thread[0]], c.name, T0 + c.begin, T0 + c.end, int(c.unfinished)) for c in store.calls)
    got, = ask(store.file, "SELECT span, caller, thread, process, name, begin_ns, end_ns, unfinished FROM call_times()")
    equal(sorted(got), want)
    seen = {None}
    for span, caller, *_ in got:
        check(caller in seen, "a caller stands before what it calls")
        seen.add(span)


@cases(*range(30))
def random_calls(seed):
    store = Traces(random.Random(seed))
    store.start(None, 0, 10**6, 0)
    while len(store.calls) < 20:
        store.start(None, 0, 10**6, 0)
    store.done()
    finish(store)
    compare(store)
    compare_times(store)


@cases(*range(5))
def of_one_process(seed):
    store = Traces(random.Random(100 + seed))
    for _ in range(3):
        store.start(None, 0, 10**6, 0)
    store.done()
    finish(store)
    below = collections.defaultdict(list)
    for i, _, _, parent, _ in store.spans:
        below[parent].append(i)
    for left, _, right, *_ in store.links:
        below[left].append(right)

    def closure(span):
        found, new = {span}, [span]
        while new:
            new = [d for s in new for d in below[s] if d not in found and not found.add(d)]
        return found

    at = collections.defaultdict(list)
    for i, c in enumerate(store.calls):
        at[c.span].append(i)
    whole = {}  # by process: its calls, where all their callers are among them
    for p in store.latest:
        spans = closure(p)
        inside = dict.fromkeys(store.calls[i] for i in sorted(i for s in spans & at.keys() for i in at[s]))
        if all(c.by is None or c.by in inside for c in inside):
            whole[p] = list(inside)
    by_size = sorted(whole, key=lambda p: len(whole[p]))
    for p in by_size[::len(by_size) // 12 + 1]:  # small ones and big ones
        compare(store, whole[p], p)


@test
def by_hand():
    store = Traces(random.Random(1))
    p = store.process()
    t = store.thread(p, 1)
    main = store.call("main", 0, 100, None, t)
    f = store.call("fib", 10, 60, main, t)
    g = store.call("fib", 20, 50, f, t)
    store.call("fib", 30, 40, g, t)
    q = store.process(main)
    store.call("work", 50, 120, main, store.thread(q, 2))  # beside fib from 50 to 60, and longer than main
    store.done()
    finish(store)
    compare(store)
    got = {name: (n, inc, exc) for name, n, inc, exc in ask(store.file, "SELECT name, calls, inclusive_s * 1e9, exclusive_s * 1e9 FROM call_profile()")[0]}
    near([got["main"], got["fib"], got["work"]], [(1, Fraction(100), Fraction(10)), (3, Fraction(50), Fraction(50)), (1, Fraction(70), Fraction(70))])


@test
def what_hangs_when_it_is_killed():
    """The time until the kill is of the function that hung, also where only that one process is asked for."""
    store = Traces(random.Random(1))
    p = store.process()
    run = store.call("run", 0, 3000, None, store.thread(p, 1))
    p = store.process(run)
    t = store.thread(p, 2)
    main = store.call("main", 10, None, run, t)
    store.call("read", 20, 200, main, t)
    store.call("hangs", 210, None, main, t)
    u = store.thread(store.process(), 3)  # nobody knows how long
    outer = store.call("outer", 0, None, None, u)
    store.call("alone", 5, None, outer, u)
    store.call("slow", 10, 500, outer, store.thread(store.process(outer), 4))
    store.done()
    finish(store)
    compare(store)
    for within in ("NULL", p[0]):
        got = {n: (i, x, u) for n, i, x, u in ask(store.file, f"SELECT name, inclusive_s * 1e9, exclusive_s * 1e9, unfinished FROM call_profile({within})")[0]}
        near([got["main"], got["hangs"]], [(Fraction(2990), Fraction(20), 1), (Fraction(2790), Fraction(2790), 1)])
    got = {n: i for n, i in ask(store.file, "SELECT name, inclusive_s * 1e9 FROM call_profile()")[0]}
    near([[got["outer"], got["slow"], got["alone"]]], [[Fraction(500), Fraction(490), Fraction(0)]])


@test
def an_open_call_alone():
    """Asked for alone, it has the time that it has in all: until the last its process did, in another thread; its process, rank and thread, too."""
    store = Traces(random.Random(1))
    p = store.process(rank=3)
    hangs = store.call("hangs", 10, None, None, store.thread(p, 1))
    store.call("busy", 0, 1500, None, store.thread(p, 2))
    p = store.process(hangs)
    store.call("below", 20, 900, hangs, store.thread(p, 3))
    store.done()
    for by, part in (("rank", "3"), ("process", "host:1@1"), ("thread", "host:1@1/1")):
        got, = ask(store.file, f"SELECT part, name, inclusive_s * 1e9 FROM call_tree({hangs.span}, '{by}')")
        near(got[:1], [(part, "hangs", Fraction(1490))])
    shown = spanloom("profile", "span", hangs.span, "-d", store.file).out
    check(shown.startswith("2 calls in 2 processes and 2 threads\n"), shown)


@test
def parts_stand_together():
    """Functions by their whole time, and their ranks in the order of numbers."""
    store = Traces(random.Random(1))
    for rank in range(12):
        t = store.thread(store.process(rank=rank), rank)
        store.call("solve", 0, 100 + 7 * rank % 5, None, t)
        store.call("wait", 200, 210 + 200 * (rank == 3), None, t)
    store.done()
    finish(store)
    compare(store)
    want = [(n, str(r)) for n in ("solve", "wait") for r in range(12)]
    equal(ask(store.file, "SELECT name, part FROM call_profile(NULL, 'rank')", "SELECT name, part FROM call_tree(NULL, 'rank')"), [want, want])


@test
def dirty_calls():
    """Calls in each other, ends before begins, no begin at all, links to themselves: each counts once."""
    store = Traces(random.Random(1))
    t = store.thread(store.process(), 1)
    a, b = store.call("a", 0, 100, None, t), store.call("b", 10, 50, None, t)
    store.link(a.span, IN, b.span)
    store.link(b.span, IN, a.span)
    store.link(a.span, IN, a.span)
    store.call("back", 50, 20, None, t)
    none = store.span("trace.call", "none", parent=t[0])
    lone = store.span("trace.call", "lone")
    store.event(store.span("trace.call", "late", parent=t[0]), "end", 70)
    p, q = store.process(), store.process()
    store.link(p[0], IN, q[0])
    store.link(q[0], IN, p[0])
    store.call("round", 0, 5, None, store.thread(p, 3))
    store.done()
    got = ask(store.file, "SELECT name, calls, unfinished FROM call_profile()", "SELECT name, calls FROM call_tree()")
    equal(sorted(got[0]), sorted([("a", 1, 0), ("b", 1, 0), ("back", 1, 0), ("none", 1, 1), ("lone", 1, 1), ("late", 1, 1), ("round", 1, 0)]))
    equal(sorted(got[1]), sorted((n, c) for n, c, _ in got[0]))


@test
def nothing_and_nonsense():
    store = Traces(random.Random(1))
    store.done()
    equal(ask(store.file, "SELECT * FROM call_profile()", "SELECT * FROM call_tree(12)"), [[], []])
    errors = ask(store.file, "SELECT * FROM call_profile(NULL, 'core')", "SELECT * FROM call_tree('x')", "SELECT * FROM call_tree(NULL, NULL, 5)")
    equal(errors, ["call_profile: 'core' is none of: thread, process, rank",
                   "call_tree: the first argument is the id of a span, or NULL for all",
                   "call_tree takes at most 2 arguments, such as call_tree() or call_tree(NULL, 'rank') (and hidden columns of its result are not compared by =)"])


@test
def deep_recursion():
    store = Traces(random.Random(1))
    t = store.thread(store.process(), 1)
    by = None
    for i in range(20000):
        by = store.call("f", i, 40000 - i, by, t)
    store.done()
    got = ask(store.file, "SELECT calls, inclusive_s, exclusive_s FROM call_profile()",
              "SELECT max(depth), count(*), max(length(path)) FROM call_tree()")
    near(got[0], [(20000, Fraction(40000, S), Fraction(40000, S))])
    equal(got[1], [(19999, 20000, 4 + 199)])


main()
