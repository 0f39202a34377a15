#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""trace_futures(): what is submitted to executors, from submission to end, on every Python that is here."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pythons import *  # noqa

CATEGORY = "concurrent.futures"
HEAD = """
import asyncio, functools, os, sys, threading, time
import concurrent.futures as cf
import spanloom
spanloom.trace_futures()

def slow(n, by=0.02):
    time.sleep(by)
    return n

def bad():
    raise KeyError("x")

@spanloom.critical_path(args=True)
def decorated(n):
    time.sleep(0.005)
    return n

class Thing:
    @spanloom.critical_path
    def traced(self, n):
        return n
    def plain(self, n):
        return n
    def __call__(self, n):
        return n
"""


def program(body, version, *args, **more):
    script(HEAD + "\ndef main():\n" + "".join(f"    {line}\n" for line in body.strip("\n").splitlines()) +
           "\nif __name__ == '__main__':\n    main()\n", *args, version=version, **more)
    found = traces()
    return found[0] if len(found) == 1 else found


class Future:
    """One submission, from its events in all processes."""

    def __init__(self, all_traces, begin):
        self.name, self.id = begin["name"], begin["id"]
        mine = [(t, e) for t in all_traces for e in t.events if e.get("id") == self.id and e["cat"] == CATEGORY]
        one = {}
        for t, e in mine:
            check(e["ph"] not in one, f"{e['ph']} twice: {mine}")
            one[e["ph"]] = e
        check({"b", "e", "s"} <= set(one), f"{self.name}: {sorted(one)}")
        self.begin, self.end = ns(one["b"]["ts"]), ns(one["e"]["ts"])
        self.running = ns(one["n"]["ts"]) if "n" in one else None
        self.exception = one["e"].get("args", {}).get("exception")
        self.out, self.into = one["s"], one.get("f")
        equal({e["name"] for ph, e in one.items() if ph != "n"}, {self.name}, "names")
        self.spans = [s for t in all_traces for s in t.spans() if s.args.get("id") == self.id]
        if self.running:
            equal(one["n"]["name"], "running")
            check(self.begin <= self.running <= self.end, "the order of begin, running, end")
            check(self.into and len(self.spans) == 1, f"{self.name}: spans {self.spans}")
            span = self.spans[0]
            check(self.running <= span.begin <= ns(self.into["ts"]) <= span.end, "the arrow ends in the span")
            equal((span.tid, span.name), (self.into["tid"], self.name), "thread and name of the span")
            between = [s for t in all_traces for s in t.spans() if s.tid == span.tid and self.running < s.begin < span.begin]
            check(not between, "running, but no span", between)


def futures(found):
    found = found if isinstance(found, list) else [found]
    all_begins = sorted((e for t in found for e in t.of("b") if e["cat"] == CATEGORY), key=lambda e: e["ts"])
    list_ = [Future(found, e) for e in all_begins]
    equal(sum(len([e for e in t.events if e["cat"] == CATEGORY and e["ph"] in "ben"]) for t in found),
          sum(2 + bool(f.running) for f in list_), "events of no submission")
    return list_


@cases(*VERSIONS)
def thread_pool(version):
    t = program("""
with cf.ThreadPoolExecutor(1) as pool, spanloom.span("submitting"):
    first, second, third = pool.submit(slow, 1), pool.submit(slow, 2, by=0.03), pool.submit(slow, 3)
    assert third.cancel() and third.cancelled()
    assert (first.result(), second.result()) == (1, 2)
    try:
        pool.submit(bad).result()
        sys.exit("no exception")
    except KeyError as e:
        assert e.args == ("x",)
""", version)
    a, b, c, d = futures(t)
    equal([f.name for f in (a, b, c, d)], ["slow", "slow", "slow", "bad"])
    equal([f.exception for f in (a, b, c, d)], [None, None, "CancelledError", "KeyError"])
    check(c.running is None and not c.spans, "a cancelled one does not run")
    check(b.running >= a.spans[0].end, f"the second waits for the first: {b.running - b.begin}")
    check(a.spans[0].end - a.spans[0].begin >= 20e6 and b.spans[0].end - b.spans[0].begin >= 30e6, "lengths")
    equal(d.spans[0].args.get("exception"), "KeyError", "of the span")
    submits = t.spans("submit")
    equal(len(submits), 4)
    for f, s in zip((a, b, c, d), submits):
        equal(s.parent, "submitting")
        check(s.begin <= ns(f.out["ts"]) <= s.end and s.tid == f.out["tid"], "the arrow begins where it was submitted")


@cases(*VERSIONS)
def kinds_of_callables(version):
    t = program("""
thing = Thing()
with cf.ThreadPoolExecutor(2) as pool:
    calls = [pool.submit(lambda n: n, 1), pool.submit(functools.partial(slow, by=0), 1), pool.submit(thing.plain, n=1),
             pool.submit(thing.traced, 1), pool.submit(decorated, 1), pool.submit(functools.partial(decorated, 1)), pool.submit(thing, 1),
             pool.submit(max, 1, 0)]
    assert [c.result() for c in calls] == [1] * 8
    assert list(pool.map(decorated, [5, 6])) == [5, 6]
    try:
        pool.submit(None).result()
    except TypeError as e:
        assert "not callable" in str(e)
""", version)
    found = futures(t)
    equal([f.name for f in found], ["main.<locals>.<lambda>", "slow", "Thing.plain", "Thing.traced", "decorated", "decorated", "Thing", "max",
                                    "decorated", "decorated", "NoneType"])
    equal([f.spans[0].cat for f in found], [CATEGORY] * 3 + ["__main__"] * 3 + [CATEGORY] * 2 + ["__main__"] * 2 + [CATEGORY], "whose span")
    equal(len(t.spans("decorated")), 4, "no second span around a decorated function")
    equal(sorted(int(s.args["n"]) for s in t.spans("decorated")), [1, 1, 5, 6])
    equal(found[-1].exception, "TypeError")


@cases(*((v, m) for v in VERSIONS for m in ("fork", "spawn", "forkserver")))
def process_pool(version, method):
    found = program("""
import multiprocessing
context = multiprocessing.get_context(sys.argv[1])
with cf.ProcessPoolExecutor(2, context, initializer=slow, initargs=(0, 0)) as pool:
    assert pool.submit(slow, 1).result() == 1
    assert pool.submit(decorated, 2).result() == 2
    assert pool.submit(Thing().traced, 3).result() == 3
    assert list(pool.map(slow, range(4), chunksize=2)) == [0, 1, 2, 3]
    assert type(pool.submit(bad).exception()) is KeyError
    assert pool.submit(lambda: 1).exception() is not None  # cannot be pickled
""", version, method)
    check(len(found) in (2, 3), "the pool's processes have traces")
    list_ = futures(found)
    equal([f.name for f in list_], ["slow", "decorated", "Thing.traced", "slow", "slow", "bad", "main.<locals>.<lambda>"])
    equal([bool(f.running) for f in list_], [True] * 6 + [False])
    equal([bool(f.exception) for f in list_], [False] * 5 + [True, True])
    pids = {e["pid"] for t in found for e in t.events if e["ph"] == "f"}
    check(found and not pids & {e["pid"] for t in found for e in t.events if e["ph"] == "s"}, "arrows go to other processes")
    equal(files("*.slt"), [], "traces that are not complete")


@cases(*VERSIONS)
def asyncio_uses_it(version):
    t = program("""
import contextvars
var = contextvars.ContextVar("var")
def see():
    return var.get("nothing")
async def run():
    loop = asyncio.get_running_loop()
    loop.slow_callback_duration = 60 # on a busy machine nothing is said of slow ones
    var.set("set")
    with cf.ThreadPoolExecutor(1) as pool:
        assert await loop.run_in_executor(pool, see) == "nothing"
    assert await asyncio.to_thread(see) == "set"
    assert await asyncio.to_thread(decorated, 7) == 7
    assert await loop.run_in_executor(None, slow, 2) == 2
asyncio.run(run(), debug=True)
""", version)
    list_ = futures(t)
    equal([f.name for f in list_], ["main.<locals>.see", "main.<locals>.see", "decorated", "slow"])
    equal(list_[2].spans[0].cat, "__main__")


@cases(*VERSIONS)
def subclasses_shutdown_and_off(version):
    t = program("""
original = cf.ThreadPoolExecutor.submit.__wrapped__, cf.ProcessPoolExecutor.submit.__wrapped__
class Mine(cf.ThreadPoolExecutor):
    def submit(self, fn, *args, **kwargs):
        return super().submit(fn, *args, **kwargs)
with Mine(1) as pool:
    assert pool.submit(slow, 1, 0).result() == 1
try:
    pool.submit(slow, 1)
    sys.exit("submitted after the shutdown")
except RuntimeError:
    pass
assert spanloom.trace_futures() is True       # twice is once
with cf.ThreadPoolExecutor(1, initializer=bad) as pool:
    import logging
    logging.disable()
    assert type(pool.submit(slow, 1).exception()) is cf.thread.BrokenThreadPool
assert spanloom.trace_futures(False) is True
assert (cf.ThreadPoolExecutor.submit, cf.ProcessPoolExecutor.submit) == original
with cf.ThreadPoolExecutor(1) as pool:
    pool.submit(decorated, 1).result()
assert spanloom.trace_futures(False) is False
spanloom.trace_futures()
assert cf.ThreadPoolExecutor.submit is not original[0] and cf.ThreadPoolExecutor.submit.__name__ == "submit"
""", version)
    list_ = futures(t)
    equal([(f.name, f.exception) for f in list_], [("slow", None), ("slow", "RuntimeError"), ("slow", "BrokenThreadPool")])
    equal(len(t.spans("decorated")), 1)


@cases(VERSIONS[0], VERSIONS[-1])
def nothing_is_kept(version):
    program("""
import gc, weakref
class Big: pass
def take(x): return None
big = Big()
with cf.ThreadPoolExecutor(1) as pool:
    kept = pool.submit(take, big)
    kept.result()
    there = weakref.ref(big)
    del big
    pool.submit(slow, 1, 0).result()
    gc.collect()
    assert there() is None, gc.get_referrers(there())
""", version)


@test
def the_store_knows_how_long_they_waited():
    program("""
go = threading.Event()
def slow(n): go.wait(); time.sleep(.02)
with spanloom.span("all"), cf.ThreadPoolExecutor(1) as pool:
    done = pool.map(slow, range(3))
    time.sleep(.02); go.set()  # all of them wait, however slowly they were submitted
    list(done)
""", VERSIONS[-1])
    store = imported(*files()).store
    equal(query(store, "SELECT * FROM rejects"), [])
    waits = query(store, """
        SELECT (r.time_ns - b.time_ns) / 1e6 FROM spans s JOIN events b ON b.span = s.id AND b.type = 'begin'
        JOIN events r ON r.span = s.id AND r.type = 'running' WHERE s.type = 'trace.async' ORDER BY 1""")
    equal(len(waits), 3)
    check(waits[1][0] > 15 and waits[2][0] > 35, waits)
    equal(query(store, """SELECT l.key, count(DISTINCT r.key), count(*) FROM links k JOIN spans l ON l.id = k.left_span JOIN spans r ON r.id = k.right_span
        WHERE k.kind = 'flow' AND r.key LIKE '%slow%' GROUP BY l.key ORDER BY 1"""), [("submit", 1, 1), ("submit#2", 1, 1), ("submit#3", 1, 1)])


@test
def arrows_from_process_to_process():
    program("""
with spanloom.span("all"), cf.ProcessPoolExecutor(2) as pool:
    list(pool.map(decorated, range(6)))
    pool.submit(slow, 1).result()
""", VERSIONS[-1])
    for order in files(), files()[::-1]:  # whichever comes first
        store = path(f"{len(os.listdir(path()))}.db")
        for file in order:
            imported(file, store=store)
        equal(query(store, "SELECT * FROM rejects"), [])
        rows = query(store, """
            SELECT l.key, r.key, k.rule, (SELECT value FROM attributes WHERE span = r.id AND name = 'n'),
                (SELECT min(time_ns) FROM events WHERE span = r.id) > (SELECT min(time_ns) FROM events WHERE span = l.id)
            FROM links k JOIN spans l ON l.id = k.left_span JOIN spans r ON r.id = k.right_span WHERE k.kind = 'flow'""")
        name = lambda key: key.partition("#")[0]
        number = lambda key: int(key.partition("#")[2] or 1)
        equal(sorted((number(l), name(r), n) for l, r, _, n, _ in rows), [(i + 1, "decorated", i) for i in range(6)] + [(7, "slow", None)])
        equal({(name(l), rule, later) for l, _, rule, _, later in rows}, {("submit", "trace.flow", 1)})


if __name__ == "__main__":
    main()
