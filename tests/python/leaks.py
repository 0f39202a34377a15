#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Four million decorated calls of every kind: neither references, nor objects, nor memory are left behind."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pythons import *  # noqa: E402,F403

PROGRAM = r'''
import asyncio, gc, os, sys, tracemalloc
import spanloom

class Key(str): pass
a, b, key, error = object(), object(), Key("k" * 50), ValueError("meant")

@spanloom.critical_path()
def function(x, y=None): return x
@spanloom.critical_path(args=True)
def with_args(x, y=None): return x
@spanloom.critical_path(args=lambda *x, **y: {"n": len(x), "k": key})
def with_function(x, y=None): return x
@spanloom.critical_path(pointcut="around_async", scope="scope")
def asynchronous(x): return x
@spanloom.critical_path(pointcut="before")
def before(x): return x
@spanloom.critical_path(pointcut="after")
def after(x): return x
@spanloom.critical_path()
def raises(x): raise error
class C:
    @spanloom.critical_path()
    def method(self, x, *, y=None): return x
    @spanloom.critical_path()
    @classmethod
    def class_method(cls, x): return x
    @staticmethod
    @spanloom.critical_path()
    def static_method(x): return x
    @property
    @spanloom.critical_path()
    def prop(self): return a
    @spanloom.critical_path()
    def __call__(self, *args, **kwargs): return args
@spanloom.critical_path()
def generator(x):
    got = yield x
    yield got
@spanloom.critical_path()
async def coroutine(x): return x
@spanloom.critical_path()
async def waits(x):
    await asyncio.sleep(0)
    return x
@spanloom.critical_path()
async def async_generator(x):
    yield x
    yield x
c = C()

def finishes(co):
    try: co.send(None)
    except StopIteration as e: return e.value

def functions(n):
    for _ in range(n):
        function(a); function(a, b); function(x=a, y=b)
def methods(n):
    for _ in range(n):
        c.method(a); c.method(a, y=b); C.method(c, a); c.class_method(a); C.static_method(a); c.prop; c(a, b, **{"key": key})
def exceptions(n):
    for _ in range(n):
        try: raises(a)
        except ValueError as e: e.__traceback__ = None
        try: function()
        except TypeError: pass
def arguments(n):
    for _ in range(n):
        with_args(a); with_args(x=1, y=2.5); with_function(a, y=key)
        try: with_args(a, wrong=b)
        except TypeError: pass
def pointcuts(n):
    for _ in range(n):
        asynchronous(a); before(a); after(x=a)
def generators(n):
    for _ in range(n):
        g = generator(a); next(g); g.send(b)
        try: g.send(None)
        except StopIteration: pass
        g = generator(a); next(g); g.close()
        g = generator(a); next(g)
        try: g.throw(error)
        except ValueError as e: e.__traceback__ = None
        generator(a)
        for _ in generator(a): pass
def coroutines(n):
    for _ in range(n):
        finishes(coroutine(a))
        co = waits(a); co.send(None); co.close()
        coroutine(a).close()
def async_generators(n):
    async def all_of_it():
        for _ in range(n):
            async for x in async_generator(a): pass
            g = async_generator(a); await g.__anext__(); await g.aclose()
            await waits(a)
    asyncio.run(all_of_it())
def spans(n):
    for _ in range(n):
        with spanloom.span("span", n=1, key=key): pass
        with spanloom.span("span", "category") as s: s.args(x=a)
        try:
            with spanloom.span("span"): raise error
        except ValueError as e: e.__traceback__ = None
def async_spans(n):
    async def all_of_it():
        for _ in range(n):
            async with spanloom.span("span", n=1) as s: s.args(x=a)
            with spanloom.span("span"): pass
    asyncio.run(all_of_it())
def events(n):
    for _ in range(n):
        spanloom.sync_event("before", "e", "c"); spanloom.sync_event("after", "e", "c")
        spanloom.async_event("before", "e", "c", scope="s", id=key); spanloom.async_event("after", "e", id=7)
        spanloom.instant("i", key=key, n=1); spanloom.counter("n", 1.5); spanloom.flow("f", 3, "in"); spanloom.args(x=1)
        spanloom.new_id(); spanloom.enable()
        try: spanloom.sync_event("typo", "e")
        except ValueError: pass
        try: spanloom.counter("n", "no number")
        except TypeError: pass
def decorators(n):  # each object goes; of one place in the source, one site is kept
    for _ in range(n):
        f = spanloom.critical_path(args="x")(lambda x: x)
        f(a); f.itself = f
        repr(f), f.__name__, f.__wrapped__, f.__class__
def advised(n):
    with spanloom.advise(before=lambda f, a, k: None, after=lambda f, r, e: None, match="func*"):
        for _ in range(n): function(a); function(a, y=b); methods(1)

WORK = {functions: (3, 12), methods: (7, 6), exceptions: (2, 2), arguments: (4, .5), pointcuts: (3, 4), generators: (5, 1), coroutines: (3, 1),
        async_generators: (3, .2), spans: (3, 1), async_spans: (2, .5), events: (12, .5), decorators: (1, .03), advised: (9, .2)}

def rss():
    with open("/proc/self/statm") as f: return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE") >> 10

def watched():
    """What must be the same before and after."""
    objects = a, b, key, error, c, C, function, with_args, asynchronous, raises, generator, coroutine, async_generator, None.__class__, spanloom.span, function.__wrapped__, generator.__wrapped__
    return [sys.getrefcount(x) for x in objects]

total = float(sys.argv[1])
scale = total / sum(calls * share for calls, share in WORK.values())
for f in WORK: f(200)  # caches, free lists, file
calls = 0
for f, (each, share) in WORK.items():
    n = int(scale * share)
    f(n // 10 + 100)
    gc.collect()
    before_ = watched(), len(gc.get_objects()), rss()
    f(n)
    gc.collect()
    after_ = watched(), len(gc.get_objects()), rss()
    calls += each * n
    if before_[0] != after_[0]: print(f.__name__, "references", [y - x for x, y in zip(before_[0], after_[0])])
    if abs(after_[1] - before_[1]) > 20: print(f.__name__, "objects", before_[1], after_[1])
    if after_[2] - before_[2] > 1024: print(f.__name__, "KiB of memory", before_[2], after_[2], "in", each * n, "calls")
for f in WORK:
    n = 1000
    tracemalloc.start()
    f(n); gc.collect()
    before_ = tracemalloc.get_traced_memory()[0]
    f(n); gc.collect()
    after_ = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    if after_ - before_ > 30_000: print(f.__name__, "bytes that Python allocated", after_ - before_, "in", n, "times")
print("calls", calls)
'''


def grows_not(version, calls):
    """In memory: a gigabyte of it is too much for a trace, so it goes into a file that nobody keeps."""
    r = script(PROGRAM, calls, version=version, spanloom="log-format=binary", env={"MALLOC_ARENA_MAX": "1"})
    lines = r.out.splitlines()
    equal(lines[:-1], [], "what grew")
    check(int(lines[-1].split()[1]) >= calls * 0.98, lines[-1])
    for f in files("*.slt"):
        os.unlink(f)


@test
def four_million_calls():
    grows_not(None, 4e6)


@cases(*VERSIONS)
def many_calls(version):
    grows_not(version, 3e5)


if __name__ == "__main__":
    main()
