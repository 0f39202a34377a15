#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""async_profile() against sums that this file makes itself, of random asynchronous spans and the calls in which they ran."""
import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import *  # noqa
from reference import Fraction, ask, near  # noqa

COLUMNS = "name, spans, unfinished, total_s, ran_s, waited_s, mean_s, max_s"


class Asyncs(Store):
    def __init__(self, r):
        super().__init__()
        self.r, self.all = r, []  # (process, name, begin, end, ran or None)

    def fill(self, processes=3, each=40):
        for p in range(processes):
            process = self.span("trace.process", f"host:{p}@{p}")
            thread = self.span("trace.thread", str(p), parent=process)
            for i in range(each):
                self.add(process, thread, self.r.choice(("fetch", "a name with spaces", "q#2", "only queued", "")), p * 1000 + i + 1)
        self.done()

    def add(self, process, thread, name, number):
        begin = self.r.randrange(10**9)
        end = begin + self.r.randrange(10**9) if self.r.random() < 0.9 else None
        span = self.span("trace.async", f"{name} {number}", parent=process, begin=begin, **({} if end is None else {"end": end}))
        self.attr(span, "name", name)
        ran = None
        for k in range(0 if name == "only queued" else self.r.randrange(4)):
            at, length = begin + k, self.r.randrange(1000)
            call = self.span("trace.call", f"{name}#{number}{k}", parent=thread, begin=at, end=at + length)
            self.attr(call, "id", number)
            ran = (ran or 0) + length
        if self.r.random() < 0.3:  # a stretch that did not end says nothing
            self.attr(self.span("trace.call", f"{name}#{number}x", parent=thread, begin=begin), "id", number)
        self.all.append((process, name, begin, end, ran))

    def want(self, within=None):
        rows, groups = [], collections.defaultdict(list)
        for process, name, begin, end, ran in self.all:
            if within is None or process in within:
                groups[name].append((None if end is None else end - begin, ran))
        for name, spans in groups.items():
            lengths = [n for n, _ in spans if n is not None]
            with_ran = [(n, ran) for n, ran in spans if n is not None and ran is not None]
            ran, waited = sum(r for _, r in with_ran), sum(n - r for n, r in with_ran)
            s = lambda ns: Fraction(ns) / S  # noqa
            rows.append((name, len(spans), len(spans) - len(lengths), s(sum(lengths)), s(ran) if with_ran else None, s(waited) if with_ran else None,
                         s(sum(lengths)) / len(lengths) if lengths else None, s(max(lengths)) if lengths else None))
        return sorted(rows, key=lambda r: (r[5] is None, -(r[5] or 0), -r[3], r[0]))


@cases(1, 2, 3)
def random_spans(seed):
    store = Asyncs(random.Random(seed))
    store.fill()
    near(ask(store.file, f"SELECT {COLUMNS} FROM async_profile()")[0], store.want(), "all")
    processes = sorted({p for p, *_ in store.all})
    one, two = ask(store.file, f"SELECT {COLUMNS} FROM async_profile({processes[0]})",
                   f"SELECT {COLUMNS} FROM async_profile(json_array({processes[1]}, {processes[2]}))")
    near(one, store.want(processes[:1]), "of one process")
    near(two, store.want(processes[1:]), "of two")
    got, = ask(store.file, f"SELECT p.id, {COLUMNS} FROM spans p, async_profile(p.id) WHERE p.type = 'trace.process' ORDER BY p.id")
    near([r[1:] for r in got], [row for p in processes for row in store.want([p])], "joined")


@test
def nothing_and_nonsense():
    store = Asyncs(random.Random(1))
    store.done()
    equal(ask(store.file, "SELECT * FROM async_profile()", "SELECT * FROM async_profile(12)", "SELECT * FROM async_profile('[]')"), [[], [], []])
    store = Asyncs(random.Random(1))
    store.fill()
    errors = ask(store.file, "SELECT * FROM async_profile(1.5)", "SELECT * FROM async_profile('x')")
    equal(errors[0], "async_profile: the argument is the id of a span, a JSON list of such, or NULL for all")
    check(isinstance(errors[1], str) and "malformed JSON" in errors[1], errors[1])


main()
