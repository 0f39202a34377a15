#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decorated coroutines and asynchronous generators: what runs and what waits, on every Python that is here."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pythons import *  # noqa

HEAD = """
import asyncio, contextlib, contextvars, gc, sys, time, warnings
import spanloom

def busy(seconds):
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass

@spanloom.critical_path
async def nap(seconds, work=0):
    busy(work)
    await asyncio.sleep(seconds)
    busy(work)
    return seconds

@spanloom.critical_path
async def fails(seconds):
    await asyncio.sleep(seconds)
    raise KeyError("x")

@spanloom.critical_path
async def outer(seconds):
    return await nap(seconds) + 1

@spanloom.critical_path
async def numbers(n):
    try:
        for i in range(n):
            await asyncio.sleep(0.01)
            yield i
    finally:
        spanloom.instant("cleaned up")
"""


def program(body, version, debug=False, **more):
    """body is a coroutine's."""
    script(HEAD + "\nasync def main():\n" + "".join(f"    {line}\n" for line in body.strip("\n").splitlines()) +
           f"\nasyncio.run(main(), debug={debug})\n", version=version, **more)
    return trace()


class Whole:
    """An asynchronous span and the stretches in which it ran."""

    def __init__(self, t, b):
        self.name, self.args, id = b["name"], b.get("args", {}), b["id"]
        ends = [e for e in t.of("e") if e["id"] == id and e["name"] == b["name"]]
        equal(len(ends), 1, f"ends of {b}")
        self.begin, self.end = ns(b["ts"]), ns(ends[0]["ts"])
        self.exception = ends[0].get("args", {}).get("exception")
        self.task = self.args.get("task")
        self.stretches = [s for s in t.spans(self.name) if s.args.get("id") == id]
        *before, last = self.stretches  # the last ends a moment after the whole, or longer where others are let run then
        check(self.begin <= last.begin <= self.end and all(self.begin <= s.begin and s.end <= self.end for s in before), f"stretches of {b}: {self.stretches}")
        self.ran = sum(s.end - s.begin for s in self.stretches)
        self.waited = self.end - self.begin - self.ran


def wholes(t, name=None):
    found = [Whole(t, b) for b in t.of("b") if name in (None, b["name"])]
    equal(len(t.of("e", name)), len(found), "ends without a begin")
    if not name:
        equal(sum(len(w.stretches) for w in found), len([s for s in t.spans() if "id" in s.args]), "stretches of nothing")
    return found


@cases(*VERSIONS)
def running_and_awaiting(version):
    """A timer begins while the coroutine still runs, so it may wait for less than it asked for; in all it is as long as both.
    What others do meanwhile lies between its stretches, however long each takes."""
    t = program("""
task = asyncio.create_task(nap(0.06, work=0.02))
while not task.get_coro().cr_await:  # until it waits
    await asyncio.sleep(0)
spanloom.instant("meanwhile")
busy(0.02)
spanloom.instant("meanwhile")
assert await task == 0.06
""", version)
    [w] = wholes(t)
    equal((len(w.stretches), w.exception), (2, None))
    first, second = w.stretches
    check(all(s.end - s.begin >= 19e6 for s in w.stretches), "ran", w.stretches)
    check(w.end - w.begin >= 99e6, f"all: {w.end - w.begin}")
    seen = [ns(e["ts"]) for e in t.of("i", "meanwhile")]
    check(first.end <= seen[0] < seen[1] <= second.begin, "what ran while it waited", w.stretches, seen)


@cases(*VERSIONS)
def tasks_and_their_names(version):
    t = program("""
one, two = asyncio.create_task(nap(0.03), name="first"), asyncio.create_task(outer(0.04), name="second")
assert await asyncio.gather(one, two, nap(0.02)) == [0.03, 1.04, 0.02]
assert await nap(0) == 0
assert one.get_coro().__name__ == "nap"
""", version)
    found = wholes(t)
    equal(sorted((w.name, w.task) for w in found if w.task in ("first", "second")), [("nap", "first"), ("nap", "second"), ("outer", "second")])
    [inner] = [w for w in found if (w.name, w.task) == ("nap", "second")]
    [around] = wholes(t, "outer")
    check(around.begin <= inner.begin and inner.end <= around.end, "what is awaited lies in what awaits it")
    check(all(s.parent == "outer" for s in inner.stretches), "and so do the stretches")
    check(all(w.task for w in found), "every coroutine tells its task")
    waiting = [w for w in found if w.task != found[-1].task]
    check(len(waiting) == 4 and max(w.begin for w in waiting) < min(w.end for w in waiting), "they wait at the same time", found)


@cases(*VERSIONS)
def exceptions_cancellation_timeouts(version):
    t = program("""
try:
    await fails(0.01)
    sys.exit("no exception")
except KeyError as e:
    assert e.args == ("x",)
task = asyncio.create_task(nap(500), name="cancelled")
await asyncio.sleep(0.01)
assert task.cancel()
try:
    await task
    sys.exit("not cancelled")
except asyncio.CancelledError:
    assert task.cancelled()
try:
    await asyncio.wait_for(nap(600), 0.02)
    sys.exit("no timeout")
except asyncio.TimeoutError:
    pass
assert await asyncio.wait_for(asyncio.shield(nap(0.01)), 1) == 0.01
never = asyncio.create_task(nap(700), name="never ran")
never.cancel()
results = await asyncio.gather(never, fails(0), return_exceptions=True)
assert [type(r).__name__ for r in results] == ["CancelledError", "KeyError"], results
""", version)
    equal([w.exception for w in wholes(t, "fails")], ["KeyError", "KeyError"])
    equal([w.exception for w in wholes(t, "nap")], ["CancelledError", "CancelledError", None])
    check(all(w.end - w.begin < 400e9 for w in wholes(t)), "they end when they are cancelled, and not when they would")


@cases(*(v for v in VERSIONS if int(v.split(".")[1]) >= 11))
def groups_of_tasks(version):
    t = program("""
async with asyncio.timeout(1):
    await nap(0.01)
try:
    async with asyncio.timeout(0.01):
        await nap(500)
    sys.exit("no timeout")
except TimeoutError:
    pass
async with asyncio.TaskGroup() as group:            # last: a group that fails leaves its task cancelling in 3.11.2
    a, b = group.create_task(nap(0.01), name="a"), group.create_task(nap(0.02), name="b")
assert (a.result(), b.result()) == (0.01, 0.02)
try:
    async with asyncio.TaskGroup() as group:
        group.create_task(nap(500), name="other")
        group.create_task(fails(0.01), name="bad")
    sys.exit("no exception")
except BaseExceptionGroup as e:
    assert [type(x) for x in e.exceptions] == [KeyError]
""", version)
    equal(sorted((w.task, w.exception or "") for w in wholes(t) if w.task in ("a", "b", "other", "bad")),
          [("a", ""), ("b", ""), ("bad", "KeyError"), ("other", "CancelledError")])
    equal([w.exception for w in wholes(t, "nap") if w.task not in ("a", "b", "other")], [None, "CancelledError"])


@cases(*VERSIONS)
def asynchronous_generators(version):
    t = program("""
assert [i async for i in numbers(3)] == [0, 1, 2]                # to its end
async for i in numbers(9):                                       # left
    break
gc.collect()
await asyncio.sleep(0.01)
g = numbers(9)                                                   # closed
assert await g.__anext__() == 0
await g.aclose()
await g.aclose()
g = numbers(9)                                                   # an exception thrown in
assert await g.asend(None) == 0
try:
    await g.athrow(ValueError("thrown"))
    sys.exit("no exception")
except ValueError as e:
    assert e.args == ("thrown",)
try:
    await g.__anext__()
    sys.exit("it is over")
except StopAsyncIteration:
    pass
await numbers(9).aclose()                                        # never begun
@contextlib.asynccontextmanager
@spanloom.critical_path
async def managed():
    yield 5
async with managed() as x:
    assert x == 5
    await asyncio.sleep(0.02)
""", version)
    found = wholes(t, "numbers")
    equal([w.exception for w in found], [None, None, None, "ValueError"])
    equal(len(t.of("i", "cleaned up")), 4, "finally")
    equal(len(found[0].stretches), 7, "it yields thrice and waits thrice")
    [m] = wholes(t, "main.<locals>.managed")
    check(m.end - m.begin >= 19e6, "the block lies in the generator", m.begin, m.end)
    check(all(w.task for w in found), "tasks of generators")


@cases(*VERSIONS)
def what_nobody_awaits_warns_as_before(version):
    source = HEAD + """
@spanloom.critical_path
def plain(): pass
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    nap(1)
    gc.collect()
assert len(seen) == 1 and "coroutine 'nap' was never awaited" in str(seen[0].message), [str(w.message) for w in seen]
c = nap(1)
c.close()
plain()
"""
    script(source, version=version)
    equal([e["name"] for e in trace().events], ["plain", "plain"], "what never ran")


@cases(*VERSIONS)
def contexts_and_debug_mode(version):
    t = program("""
asyncio.get_running_loop().slow_callback_duration = 3600  # debug mode writes of each that takes over 100 ms, as any may beside other work
var = contextvars.ContextVar("var", default=0)
@spanloom.critical_path
async def changes(n):
    var.set(n)
    await asyncio.sleep(0.01)
    assert var.get() == n
await asyncio.gather(*(changes(n) for n in range(1, 6)))
assert var.get() == 0
await changes(9)
assert var.get() == 9
async with contextlib.AsyncExitStack() as stack:
    stack.push_async_callback(nap, 0.01)
async with spanloom.span("block", x=1):
    await asyncio.gather(nap(0.01), nap(0.01))
with spanloom.span("also"):
    await asyncio.sleep(0.01)
""", version, debug=True)
    equal(len(wholes(t, "main.<locals>.changes")), 6)
    equal([(b["name"], len([e for e in t.of("e", b["name"]) if e["id"] == b["id"]])) for b in t.of("b") if b["name"] in ("block", "also")],
          [("block", 1), ("also", 1)])


@cases(VERSIONS[0], VERSIONS[-1])
def many_tasks(version):
    t = program("""
async def several(n):
    for _ in range(n):
        await nap(0)
        async for _ in numbers(1):
            pass
await asyncio.gather(*(several(5) for _ in range(40)))
""", version)
    found = wholes(t)
    equal(len(found), 400)
    equal(len({b["id"] for b in t.of("b")}), 400, "ids")


@test
def the_store_tells_running_from_awaiting():
    program("await asyncio.gather(nap(0.05, work=0.01), outer(0.03))", VERSIONS[-1])
    store = imported(*files()).store
    equal(query(store, "SELECT * FROM rejects"), [])
    rows = query(store, """
        WITH t AS (SELECT s.id, s.type, s.key, a.value AS of, max(e.time_ns) - min(e.time_ns) AS ns FROM spans s JOIN events e ON e.span = s.id
                AND e.type IN ('begin', 'end') LEFT JOIN attributes a ON a.span = s.id AND a.name = 'id' GROUP BY s.id)
        SELECT w.key, w.ns / 1e6, sum(r.ns) / 1e6 FROM t w JOIN t r ON r.type = 'trace.call' AND w.key LIKE '% ' || r.of || '%'
        WHERE w.type = 'trace.async' GROUP BY w.id ORDER BY 2""")
    equal(sorted(k.split()[0] for k, *_ in rows), ["nap", "nap", "outer"])
    naps = [(stretched, whole) for key, whole, stretched in rows if key.startswith("nap")]
    check(all(stretched < whole for _, whole, stretched in rows), rows)
    check(any(long[0] >= 19 and long[1] >= 69 and short[1] >= 29 for long, short in (naps, naps[::-1])), rows)


if __name__ == "__main__":
    main()
