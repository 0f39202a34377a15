#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom.critical_path() on generators, coroutines and asynchronous generators.

A program is a list of sections: what happens in one must record exactly the events that it names with want().
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa
from sections import *  # noqa


@cases(*VERSIONS)
def generators_coroutines_and_asynchronous_generators(version):
    sections(version, r"""
import asyncio, collections.abc, contextlib, gc, inspect, sys, types

@critical_path()
def gen(n, log=None):
    "Doc."
    try:
        for i in range(n):
            got = yield i
            if log is not None: log.append(got)
    except KeyError as e:
        yield ("caught", e.args)
    finally:
        spanloom.instant("finally")
    return "returned"

def step(n="0", name="gen"): return [f"B {name} id=#{n}", f"E {name}"]

with section("a generator that nobody runs"):
    gen(3)
    g = gen(3)
    g.close()
    raises(StopIteration, next, g)
    want()

with section("to its end"):
    eq(list(gen(2)), [0, 1])
    want("b gen #0", *step(), *step(), "B gen id=#0", "i finally", "E gen", "e gen #0")

with section("send, return value"):
    log = []
    g = gen(2, log)
    raises(TypeError, g.send, "too early")
    eq(next(g), 0)
    eq(g.send("x"), 1)
    try:
        g.send("y")
        fault("no StopIteration")
    except StopIteration as e:
        eq(e.value, "returned")
        eq(e.__context__, None)
    eq(log, ["x", "y"])
    for _ in range(3): raises(StopIteration, next, g)
    raises(StopIteration, g.send, 3)
    raises(KeyError, g.throw, KeyError("after the end"))
    g.close()
    want("b gen #0", *step(), *step(), "B gen id=#0", "i finally", "E gen", "e gen #0")

with section("throw that is caught, and one that is not"):
    g = gen(5)
    next(g)
    eq(g.throw(KeyError("k")), ("caught", ("k",)))
    try:
        g.throw(ValueError("v"))
    except ValueError as e:
        eq(e.args, ("v",))
        eq(type(e.__context__), KeyError)
    want("b gen #0", *step(), *step(), "B gen id=#0", "i finally", "E gen", 'e gen #0 exception="ValueError"')

with section("throw by type, with value and traceback"):
    import warnings
    warnings.simplefilter("ignore")
    g = gen(5); next(g)
    eq(g.throw(KeyError), ("caught", ()))
    g = gen(5); next(g)
    eq(g.throw(KeyError, "v"), ("caught", ("v",)))
    g = gen(5); next(g)
    eq(g.throw(KeyError, KeyError("w"), None), ("caught", ("w",)))
    raises(TypeError, g.throw, 3)
    raises(TypeError, g.throw)
    del g; gc.collect()
    want("b gen #0", *step(), *step(), "B gen id=#0", "i finally", "E gen", "e gen #0", loose=True)

with section("throw before it began"):
    g = gen(5)
    raises(ValueError, g.throw, ValueError("v"))
    raises(StopIteration, next, g)
    want(loose=True)

with section("close"):
    g = gen(5)
    next(g)
    eq(g.close(), None)
    g.close()
    raises(StopIteration, next, g)
    want("b gen #0", *step(), "B gen id=#0", "i finally", "E gen", "e gen #0")

with section("close of one that goes on"):
    @critical_path()
    def stubborn():
        while True:
            try: yield 1
            except GeneratorExit: pass
    g = stubborn(); next(g)
    raises(RuntimeError, g.close)
    eq(next(g), 1)
    unraised = []
    sys.unraisablehook = lambda u: unraised.append(str(u.exc_value))
    g = None
    gc.collect()
    sys.unraisablehook = sys.__unraisablehook__
    eq(unraised, ["generator ignored GeneratorExit"])
    want(loose=True)

with section("left alone"):
    g = gen(5)
    next(g)
    del g
    gc.collect()
    want("b gen #0", *step(), "B gen id=#0", "i finally", "E gen", "e gen #0")

with section("exceptions of its own"):
    @critical_path()
    def bad():
        yield 1
        {}["x"]
    g = bad()
    next(g)
    try: next(g)
    except KeyError as e:
        frames = []
        t = e.__traceback__
        while t: frames.append(t.tb_frame.f_code.co_name); t = t.tb_next
        eq(frames, ["<module>", "bad"])
    raises(StopIteration, next, g)
    @critical_path()
    def pep479():
        yield 1
        raise StopIteration(3)
    g = pep479()
    next(g)
    try: next(g); fault("no error")
    except RuntimeError as e:
        eq(str(e), "generator raised StopIteration")
        eq(type(e.__cause__), StopIteration)
    s = lambda n, x: [f"b {n} #{x}", *step(x, n), *step(x, n)]
    want(*s("bad", 0), 'e bad #0 exception="KeyError"', *s("pep479", 1), 'e pep479 #1 exception="RuntimeError"')

@critical_path()
def outer(*a):
    r = yield from gen(*a)
    yield ("outer", r)

with section("yield from"):
    eq(list(outer(1)), [0, ("outer", "returned")])
    want("b outer #0", "B outer id=#0", "b gen #1", "B gen id=#1", "E gen", "E outer",
         "B outer id=#0", "B gen id=#1", "i finally", "E gen", "e gen #1", "E outer",
         "B outer id=#0", "E outer", "e outer #0")

with section("send, throw and close through yield from"):
    log = []
    g = outer(5, log)
    next(g)
    eq(g.send("s"), 1)
    eq(g.throw(KeyError(3)), ("caught", (3,)))
    g.close()
    eq(log, ["s"])
    both = ["B outer id=#0", "B gen id=#1", "E gen", "E outer"]
    want("b outer #0", "B outer id=#0", "b gen #1", "B gen id=#1", "E gen", "E outer", *both, *both,
         "B outer id=#0", "B gen id=#1", "i finally", "E gen", "e gen #1", "E outer", "e outer #0")

with section("plain generator over a decorated one, and a decorated one over a list"):
    def over():
        return (yield from gen(1))
    def value():
        r = yield from over()
        yield r
    eq(list(value()), [0, "returned"])
    @critical_path(name="list")
    def of_list(): yield from [1, 2]
    eq(list(of_list()), [1, 2])
    want("b gen #0", *step(), "B gen id=#0", "i finally", "E gen", "e gen #0",
         "b list #1", *step("1", "list"), *step("1", "list"), *step("1", "list"), "e list #1")

with section("what a generator says of itself"):
    g = gen(2)
    eq(iter(g) is g, True)
    eq(g.__name__, "gen"); eq(g.__qualname__, "gen")
    eq(g.gi_code.co_name, "gen")
    eq(g.gi_running, False)
    eq(g.gi_frame is not None, True)
    eq(g.gi_yieldfrom, None)
    eq(inspect.getgeneratorstate(g), "GEN_CREATED")
    next(g)
    eq(inspect.getgeneratorstate(g), "GEN_SUSPENDED")
    eq(inspect.getgeneratorlocals(g)["n"], 2)
    eq(isinstance(g, collections.abc.Generator), True)
    eq(isinstance(g, types.GeneratorType), True, "types.GeneratorType")
    eq(inspect.isgenerator(g), True)
    eq(inspect.isgeneratorfunction(gen), True)
    g.close()
    eq(inspect.getgeneratorstate(g), "GEN_CLOSED")
    eq(g.gi_frame, None)
    @critical_path()
    def self_caller():
        try: next(me)
        except ValueError as e: yield str(e)
    me = self_caller()
    eq(next(me), "generator already executing")
    me.close()
    want(loose=True)

with section("deep recursion of generators"):
    class Tree:
        def __init__(self, l, v, r): self.l, self.v, self.r = l, v, r
        @critical_path(name="tree")
        def __iter__(self):
            if self.l: yield from self.l
            yield self.v
            if self.r: yield from self.r
    t = Tree(Tree(None, 1, None), 2, Tree(None, 3, None))
    eq(list(t), [1, 2, 3])
    want(loose=True)

with section("contextmanager"):
    @contextlib.contextmanager
    @critical_path()
    def manager(x):
        try: yield x
        except ValueError: pass
        spanloom.instant("after")
    with manager(3) as x:
        eq(x, 3)
    with manager(4):
        raise ValueError("swallowed")
    try:
        with manager(5): raise KeyError("passed on")
    except KeyError as e:
        eq(e.args, ("passed on",))
    with contextlib.ExitStack() as stack:
        stack.enter_context(manager(1))
    s = lambda n: [f"b manager #{n}", *step(n, "manager"), f"B manager id=#{n}", "i after", "E manager", f"e manager #{n}"]
    want(*s(0), *s(1), "b manager #2", *step(2, "manager"), *step(2, "manager"), 'e manager #2 exception="KeyError"', *s(3))

with section("contextmanager below, and a StopIteration in it"):
    @critical_path()
    @contextlib.contextmanager
    def below(): yield 1
    with below() as x: eq(x, 1)
    @contextlib.contextmanager
    @critical_path(name="m")
    def m(): yield
    try:
        with m(): raise StopIteration("mine")
    except StopIteration as e: eq(e.args, ("mine",))
    try:
        with m(): raise RuntimeError("mine")
    except RuntimeError as e: eq(e.args, ("mine",))
    want(loose=True)

with section("args, name and pointcuts of generators"):
    @critical_path(name="named", args=True)
    def g2(n): yield n
    eq(list(g2(7)), [7])
    want(loose=True)
    got = list(critical_path("before", name="x")(g2.__wrapped__)(3))
    eq(got, [3])
    for cut in ("after", "around_async", "before_async", "after_async"):
        eq(list(critical_path(cut, name="x")(g2.__wrapped__)(3)), [3])

# ---- coroutines

T = lambda n=1: f' task="Task-{n}"'
@critical_path()
async def co(n):
    "Doc."
    await asyncio.sleep(0)
    spanloom.instant("in")
    return n

with section("a coroutine"):
    async def main(): return await co(3)
    eq(asyncio.run(main()), 3)
    want(f"b co #0 task=*", *step("0", "co"), "B co id=#0", "i in", "E co", "e co #0")

with section("a coroutine that nobody awaits"):
    c = co(1)
    eq(inspect.iscoroutine(c), True)
    eq(isinstance(c, collections.abc.Coroutine), True)
    eq(isinstance(c, types.CoroutineType), True, "types.CoroutineType")
    eq(inspect.isawaitable(c), True)
    eq(asyncio.iscoroutine(c), True)
    eq(inspect.getcoroutinestate(c), "CORO_CREATED")
    eq((c.__name__, c.__qualname__, c.cr_code.co_name, c.cr_await, c.cr_running), ("co", "co", "co", None, False))
    c.close()
    want()

with section("never awaited warns as ever"):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        co(1)
        gc.collect()
    eq([str(x.message) for x in w], ["coroutine 'co' was never awaited"])
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        c = co(1); c.close(); del c
        gc.collect()
    eq([str(x.message) for x in w], [])
    want()

with section("awaited twice"):
    async def main():
        c = co(1)
        await c
        try: await c; fault("no error")
        except RuntimeError as e: eq(str(e), "cannot reuse already awaited coroutine")
    asyncio.run(main())
    want(loose=True)

with section("driven by hand"):
    class Awaitable:
        def __await__(self):
            x = yield "request"
            return x
    @critical_path()
    async def hand(): return await Awaitable()
    c = hand()
    eq(c.send(None), "request")
    try: c.send("answer"); fault("no end")
    except StopIteration as e: eq(e.value, "answer")
    c = hand(); c.send(None)
    raises(KeyError, c.throw, KeyError("k"))
    c = hand(); c.send(None); c.close()
    i = hand().__await__()
    eq(next(i), "request")
    i.close()
    s = lambda n: [f"b hand #{n}", *step(n, "hand"), *step(n, "hand"), f"e hand #{n}"]
    want(*s(0), *s(1)[:-1], 'e hand #1 exception="KeyError"', *s(2), *s(3))

with section("exceptions and cancelling"):
    @critical_path()
    async def fails():
        await asyncio.sleep(0)
        raise ValueError("v")
    @critical_path()
    async def sleeps():
        try: await asyncio.sleep(100)
        finally: spanloom.instant("cleaned")
    async def main():
        try: await fails()
        except ValueError as e:
            names = []
            t = e.__traceback__
            while t: names.append(t.tb_frame.f_code.co_name); t = t.tb_next
            eq(names, ["main", "fails"])
        t = asyncio.ensure_future(sleeps())
        await asyncio.sleep(0.001)
        t.cancel()
        try: await t
        except asyncio.CancelledError: pass
        eq(t.cancelled(), True)
        try: await asyncio.wait_for(sleeps(), 0.001)
        except asyncio.TimeoutError: pass
    asyncio.run(main())
    s = lambda n: [f"b sleeps #{n} task=*", *step(n, "sleeps"), f"B sleeps id=#{n}", "i cleaned", "E sleeps", f'e sleeps #{n} exception="CancelledError"']
    want(f"b fails #0 task=*", *step("0", "fails"), *step("0", "fails"), 'e fails #0 exception="ValueError"', *s(1), *s(2))

with section("tasks by name, gather"):
    @critical_path()
    async def work(n):
        for _ in range(n): await asyncio.sleep(0)
        return n
    async def main():
        a = asyncio.create_task(work(1), name="A")
        b = asyncio.create_task(work(1), name="B \U0001f600")
        eq(await asyncio.gather(a, b), [1, 1])
        eq(a.get_name(), "A")
        eq(a.get_coro().__name__, "work")
        eq("work" in repr(b), True)
    asyncio.run(main())
    want('b work #0 task="A"', *step(0, "work"), 'b work #1 task="B \U0001f600"', *step(1, "work"),
         *step(0, "work"), "e work #0", *step(1, "work"), "e work #1")

with section("nested coroutines, asyncio tools"):
    @critical_path()
    async def deep(n): return n if not n else await deep(n - 1)
    async def main():
        await deep(2)
        await asyncio.shield(co(1))
        eq([await f for f in asyncio.as_completed([co(2)])], [2])
        eq(asyncio.iscoroutinefunction(co), True)
        loop = asyncio.get_running_loop()
        loop.call_soon(critical_path(name="soon")(lambda: None))
        await asyncio.sleep(0.001)
        eq(await loop.run_in_executor(None, critical_path(name="executor")(lambda: 5)), 5)
    asyncio.run(main())
    want("b deep #0 task=*", "B deep id=#0", "b deep #1 task=*", "B deep id=#1", "b deep #2 task=*", "B deep id=#2",
         "E deep", "e deep #2", "E deep", "e deep #1", "E deep", "e deep #0", loose=True)

with section("methods that are coroutines"):
    class Svc:
        @critical_path()
        async def m(self): return self
        @critical_path()
        @classmethod
        async def c(cls): return cls
        @staticmethod
        @critical_path()
        async def s(): return 1
        @critical_path()
        async def __aenter__(self): return self
        @critical_path()
        async def __aexit__(self, *a): return None
        @critical_path()
        def __await__(self):
            yield
            return "awaited"
    async def main():
        async with Svc() as s:
            eq(await s.m() is s, True)
            eq(await s.c() is Svc, True)
            eq(await s.s(), 1)
            eq(await s, "awaited")
    asyncio.run(main())
    s = lambda n, i: [f"b Svc.{n} #{i} task=*", *step(i, "Svc." + n), f"e Svc.{n} #{i}"]
    want(*s("__aenter__", 0), *s("m", 1), *s("c", 2), *s("s", 3), "b Svc.__await__ #4", *step(4, "Svc.__await__") * 2, "e Svc.__await__ #4",
         *s("__aexit__", 5))

for above in (True, False):
    with section(f"types.coroutine {'above' if above else 'below'}"):
        def old(): return (yield from asyncio.sleep(0, 5).__await__())
        old = types.coroutine(critical_path(name="old")(old)) if above else critical_path(name="old")(types.coroutine(old))
        async def main(): eq(await old(), 5)
        asyncio.run(main())
        want("b old #0", *step(0, "old"), *step(0, "old"), "e old #0", tasks=False)

with section("asynccontextmanager"):
    @contextlib.asynccontextmanager
    @critical_path()
    async def actx(x):
        try: yield x
        except ValueError: pass
    async def main():
        async with actx(3) as x: eq(x, 3)
        async with actx(3) as x: raise ValueError
        try:
            async with actx(3) as x: raise KeyError
        except KeyError: pass
        try:
            async with actx(3) as x: raise StopAsyncIteration("mine")
        except StopAsyncIteration as e: eq(e.args, ("mine",))
    asyncio.run(main())
    s = lambda n, x="": [f"b actx #{n} task=*", *step(n, "actx"), *step(n, "actx"), f"e actx #{n}{x}"]
    # contextlib tells apart its own StopAsyncIteration: what left the generator is a RuntimeError
    want(*s(0), *s(1), *s(2, ' exception="KeyError"'), *s(3, ' exception="RuntimeError"'))

# ---- asynchronous generators

@critical_path()
async def ag(n):
    try:
        for i in range(n):
            await asyncio.sleep(0)
            x = yield i
            if x: spanloom.instant(x)
    finally:
        spanloom.instant("finally")

with section("an asynchronous generator"):
    async def main(): return [i async for i in ag(1)]
    eq(asyncio.run(main()), [0])
    want("b ag #0 task=*", *step(0, "ag"), *step(0, "ag"), "B ag id=#0", "i finally", "E ag", "e ag #0")

with section("asend, athrow, aclose"):
    async def main():
        a = ag(5)
        eq(a.__aiter__() is a, True)
        eq(await a.__anext__(), 0)
        eq(await a.asend("sent"), 1)
        try: await a.athrow(KeyError("k")); fault("no KeyError")
        except KeyError as e: eq(e.args, ("k",))
        try: await a.__anext__(); fault("no end")
        except StopAsyncIteration: pass
        a = ag(5)
        await a.__anext__()
        await a.aclose()
        await a.aclose()
        eq([x async for x in a], [])
        a = ag(5)
        await a.aclose()
        a = ag(1)
        if sys.version_info >= (3, 10):
            eq(await anext(a), 0)
            eq(await anext(a, "default"), "default")
            eq(aiter(a) is a, True)
    asyncio.run(main())
    s = ["b ag #0 task=*", *step(0, "ag"), *step(0, "ag"), "B ag id=#0", "i sent", "E ag", *step(0, "ag"),
         "B ag id=#0", "i finally", "E ag", 'e ag #0 exception="KeyError"',
         "b ag #1 task=*", *step(1, "ag"), *step(1, "ag"), "B ag id=#1", "i finally", "E ag", "e ag #1"]
    if sys.version_info >= (3, 10): s += ["b ag #2 task=*", *step(2, "ag") * 2, "B ag id=#2", "i finally", "E ag", "e ag #2"]
    want(*s)

with section("left alone within the loop"):
    async def main():
        async for i in ag(5): break
        gc.collect()
        await asyncio.sleep(0.001)
    asyncio.run(main())
    want("b ag #0 task=*", *step(0, "ag"), *step(0, "ag"), "B ag id=#0", "i finally", "E ag", "e ag #0")

with section("left to the end of the loop"):
    keep = []
    async def main():
        keep.append(ag(5))
        await keep[0].__anext__()
    asyncio.run(main())
    want("b ag #0 task=*", *step(0, "ag"), *step(0, "ag"), "B ag id=#0", "i finally", "E ag", "e ag #0")
    keep.clear()

with section("what an asynchronous generator says of itself"):
    a = ag(1)
    eq(inspect.isasyncgen(a), True)
    eq(isinstance(a, collections.abc.AsyncGenerator), True)
    eq(isinstance(a, types.AsyncGeneratorType), True, "types.AsyncGeneratorType")
    eq(inspect.isasyncgenfunction(ag), True)
    eq((a.__name__, a.ag_code.co_name, a.ag_running, a.ag_await), ("ag", "ag", False, None))
    eq(inspect.iscoroutinefunction(ag), False)
    want()

with section("asynchronous generators in asynchronous generators, errors"):
    @critical_path()
    async def over(n):
        async for i in ag(n): yield i * 2
    @critical_path()
    async def broken():
        yield 1
        raise KeyError("k")
    async def main():
        eq([i async for i in over(2)], [0, 2])
        try:
            async for i in broken(): pass
        except KeyError as e:
            names = []
            t = e.__traceback__
            while t: names.append(t.tb_frame.f_code.co_name); t = t.tb_next
            eq(names, ["main", "broken"])
        async def stops():
            yield 1
            raise StopAsyncIteration
        try:
            async for i in critical_path()(stops)(): pass
        except RuntimeError as e: eq(str(e), "async generator raised StopAsyncIteration")
    asyncio.run(main())
    want(loose=True)
""")


@cases(*VERSIONS)
def blocks_of_helpers(version):
    """A block that contextlib enters for a coroutine is the coroutine's, and nests in a function."""
    script(r"""
import asyncio, contextlib, spanloom
@contextlib.contextmanager
def block(name):
    with spanloom.span(name): yield
async def task(name, s):
    with block(name): await asyncio.sleep(s)
    with contextlib.ExitStack() as stack:
        stack.enter_context(spanloom.span(name + " stack"))
        await asyncio.sleep(s)
async def main(): await asyncio.gather(task("one", 0.02), task("two", 0.05))
asyncio.run(main())
def plain():
    with block("outer"), contextlib.ExitStack() as stack:
        stack.enter_context(block("inner"))
plain()
""", version=version)
    t = trace()
    equal([s.name for s in t.spans()], ["outer", "inner"])
    begin, end = ({e["name"]: ns(e["ts"]) for e in t.of(ph)} for ph in "be")
    equal(sorted(begin), ["one", "one stack", "two", "two stack"])
    check(all(end[n] - begin[n] >= (19 if "one" in n else 49) * 10**6 for n in begin), "each lasted as long as it slept", begin, end)



main()
