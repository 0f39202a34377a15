#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The functions of the package besides the decorator: events by hand, options, spans across awaits."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa
from sections import *  # noqa


@cases(*VERSIONS)
def events_by_hand(version):
    sections(version, r"""
import asyncio, os, re, threading

with section("span"):
    with spanloom.span("a"):
        with spanloom.span("b", "cat", x=1, y="t", z=None):
            spanloom.instant("in")
    with spanloom.span("c") as s: s.args(n=1); s.args(t="x", l=[2])
    with spanloom.span("d", category="k", name="n"): pass
    with spanloom.span("e", None): pass
    want("B a", 'B b @cat x=1 y="t" z="None"', "i in", "E b @cat", "E a", 'B c n=1 t="x" l="[2]"', "E c", 'B d @k name="n"', "E d @k", "B e", "E e")

with section("span with an exception"):
    for e in (KeyError("k"), KeyboardInterrupt(), StopIteration(), GeneratorExit()):
        try:
            with spanloom.span("s"): raise e
        except BaseException as x: eq(x is e, True); eq(x.__context__, None)
    want(*(x for n in ("KeyError", "KeyboardInterrupt", "StopIteration", "GeneratorExit") for x in (f'B s exception="{n}"', "E s")))

with section("exception after other events of the block"):
    try:
        with spanloom.span("s") as s:
            spanloom.instant("i")
            spanloom.counter("c", 1)
            s.args(late=2)
            raise KeyError
    except KeyError: pass
    want('B s late=2 exception="KeyError"', "i i", "C c value=1.0", "E s")

with section("args after other events go to the innermost span"):
    with spanloom.span("outer"):
        with spanloom.span("inner"): pass
        spanloom.args(a=1)
        spanloom.instant("i", own=1)
        spanloom.args(b=2)
        spanloom.counter("c", 1)
        spanloom.args(c=3)
        spanloom.async_event("before", "x")
        spanloom.args(d=4)
        spanloom.flow("f", 5)
        spanloom.args(e=5)
        with spanloom.span("inner"): spanloom.args(z=26)
        spanloom.args(f=6)
    want("B outer a=1 b=2 c=3 d=4 e=5 f=6", "B inner", "E inner", "i i own=1", "C c value=1.0", "b x #0", "s f @f #1", "B inner z=26", "E inner", "E outer")

with section("args"):
    with spanloom.span("s"):
        spanloom.args(i=-1, f=1.5, t="é \"", n=None, l=[1], b=b"x")
        spanloom.args()
        spanloom.args(**{"odd key": 1, "é": 2})
    raises(TypeError, spanloom.args, 1)
    raises(TypeError, spanloom.args, {"a": 1})
    want('B s i=-1 f=1.5 t="é \\"" n="None" l="[1]" b="b\'x\'" odd key=1 é=2', "E s")

with section("span is a context manager of one block after another"):
    s = spanloom.span("again")
    for _ in range(2):
        with s: pass
    with s: pass
    want("B again", "E again", times=3)

with section("span in functions, generators and by hand"):
    def f():
        with spanloom.span("f"): return 1
    eq(f(), 1)
    s = spanloom.span("hand")
    eq(s.__enter__() is not None, True)
    eq(not s.__exit__(None, None, None), True)
    want("B f", "E f", "B hand", "E hand")

with section("wrong spans"):
    raises(TypeError, spanloom.span)
    raises(TypeError, spanloom.span, 3)
    raises(TypeError, spanloom.span, None)
    raises(TypeError, spanloom.span, b"x")
    raises(TypeError, spanloom.span, "x", 3)
    raises(TypeError, spanloom.span, "x", "y", "z")
    with spanloom.span("s") as s: raises(TypeError, s.args, 3)
    want("B s", "E s")

with section("spans that end without their begin"):
    s = spanloom.span("never")
    try: s.__exit__(None, None, None)
    except RuntimeError: pass
    want(loose=True)

with section("sync_event"):
    spanloom.sync_event("before", "a")
    spanloom.sync_event("before", "b", "cat")
    spanloom.sync_event("after", "b", "cat")
    spanloom.sync_event("after", "a")
    spanloom.sync_event(pointcut="before", name="c", category="k")
    spanloom.sync_event(pointcut="after", name="c", category="k")
    want("B a", "B b @cat", "E b @cat", "E a", "B c @k", "E c @k")

with section("an end without a begin is a moment"):
    spanloom.sync_event("after", "lonely", "k")
    with spanloom.span("s"): spanloom.sync_event("after", "lonely")
    want("B lonely @k", "E lonely @k", "B s", "B lonely", "E lonely", "E s")

with section("sync_event and decorated functions"):
    @critical_path()
    def f(): spanloom.instant("in")
    spanloom.sync_event("before", "x"); f(); spanloom.sync_event("after", "x")
    want("B x", "B f", "i in", "E f", "E x")

with section("wrong pointcuts"):
    for wrong in ("around", "", "Before", "instant", "before ", None, 3, b"before"):
        raises((ValueError, TypeError) if not isinstance(wrong, str) else ValueError, spanloom.sync_event, wrong, "n", what=f"sync {wrong!r}")
    for wrong in ("around", "", "Before", "before ", None, 3, b"before"):
        raises((ValueError, TypeError) if not isinstance(wrong, str) else ValueError, spanloom.async_event, wrong, "n", what=f"async {wrong!r}")
    for f in (spanloom.sync_event, spanloom.async_event):
        raises(TypeError, f)
        raises(TypeError, f, "before")
        raises(TypeError, f, "before", 3)
        raises(TypeError, f, "before", None)
        raises(TypeError, f, "before", "n", 3)
        raises(TypeError, f, "before", "n", "c", nope=1)
    raises(TypeError, spanloom.async_event, "before", "n", "c", 3)
    want()

with section("async_event"):
    spanloom.async_event("before", "a")
    spanloom.async_event("instant", "a")
    spanloom.async_event("after", "a")
    spanloom.async_event("before", "b", "cat", "scope", 7)
    spanloom.async_event("after", "b", category="cat", scope="scope", id=7)
    for i in ("text", (1, "x"), "text"): spanloom.async_event("instant", "i", id=i)
    spanloom.async_event("instant", "i", id=0)
    spanloom.async_event("instant", "i", id=2**63 - 1)
    want("b a #0", "n a #0", "e a #0", "b b @cat #1 ~scope", "e b @cat #1 ~scope", "n i #2", "n i #3", "n i #2", "n i #4", "n i #5")

with section("the id that stands for none is 123"):
    spanloom.async_event("before", "a")
    spanloom.async_event("after", "a", None, None, 123)
    spanloom.async_event("before", "a", id=None)
    spanloom.async_event("after", "a", id=123)
    want("b a #0", "e a #0", "b a #0", "e a #0")

with section("ids across processes"):
    import subprocess
    spanloom.async_event("instant", "i", id="shared text")
    subprocess.run([sys.executable, "-c", "import spanloom; spanloom.async_event('instant', 'i', id='shared text')"],
                   env={**os.environ, "PERFFLOW_OPTIONS": "log-dir=child", "PYTHONHASHSEED": "99"}, check=True)
    want(loose=True)  # and what the fork tells

with section("instant, counter, flow"):
    spanloom.instant("i")
    spanloom.instant("i", "cat", n=1, t="x", o=(1,))
    spanloom.instant("i", category="cat", name="n")
    spanloom.counter("c", 3)
    spanloom.counter("c", -1.5, "cat")
    spanloom.counter(name="c", value=0, category=None)
    with spanloom.span("s"):
        spanloom.flow("f", 9)
        spanloom.flow("f", 9, "step", "cat")
        spanloom.flow("f", id=9, end="in", category="cat")
    want("i i", 'i i @cat n=1 t="x" o="(1,)"', 'i i @cat name="n"', "C c value=3.0", "C c @cat value=-1.5", "C c value=0.0",
         "B s", "s f @f #0", "t f @cat #0", "f f @cat #0", "E s")

with section("wrong instants, counters, flows"):
    raises(TypeError, spanloom.instant)
    raises(TypeError, spanloom.instant, 3)
    raises(TypeError, spanloom.instant, "x", 3)
    raises(TypeError, spanloom.counter, "x")
    raises(TypeError, spanloom.counter, "x", "text")
    raises(TypeError, spanloom.counter, "x", None)
    raises(TypeError, spanloom.counter, 3, 3)
    raises(TypeError, spanloom.counter, "x", 1j)
    raises(TypeError, spanloom.counter, "x", 1, 3)
    raises(TypeError, spanloom.flow, "x")
    raises(TypeError, spanloom.flow, 3, 3)
    raises(ValueError, spanloom.flow, "x", 1, "sideways")
    raises(ValueError, spanloom.flow, "x", 1, "")
    raises((ValueError, TypeError), spanloom.flow, "x", 1, None)
    raises(TypeError, spanloom.new_id, 3)
    raises(TypeError, spanloom.thread_name)
    raises(TypeError, spanloom.thread_name, 3)
    raises(TypeError, spanloom.traceparent, 3)
    raises(TypeError, spanloom.advise)
    raises(TypeError, spanloom.advise, 3)
    raises(TypeError, spanloom.advise, after="x")
    raises(TypeError, spanloom.advise, before=print, match=3)
    raises(TypeError, spanloom.flush, 3)
    raises(TypeError, spanloom.enable, True, 2)
    class Hostile:
        def __bool__(self): raise ZeroDivisionError
        def __float__(self): raise ZeroDivisionError
        __int__ = __index__ = __float__
    raises(ZeroDivisionError, spanloom.enable, Hostile())
    raises((ZeroDivisionError, TypeError), spanloom.counter, "x", Hostile())
    want()

with section("counters of odd values"):
    class Float:
        def __float__(self): return 2.5
    spanloom.counter("c", Float())
    spanloom.counter("c", True)
    spanloom.counter("c", 2**70)
    raises((OverflowError, ValueError), spanloom.counter, "c", 10**400)
    want("C c value=2.5", "C c value=1.0", f"C c value={float(2**70)!r}")

with section("texts of all kinds as names"):
    for t in ("é \U0001f600", "a\"b\\c\n\t", "\x01", "", "x" * 5000): spanloom.instant(t)
    for t in ("\ud800", "nul\0nul"): spanloom.instant(t)
    want(loose=True)

with section("new_id"):
    ids = {spanloom.new_id() for _ in range(10000)}
    found = []
    ts = [threading.Thread(target=lambda: found.extend(spanloom.new_id() for _ in range(5000))) for _ in range(4)]
    for t in ts: t.start()
    for t in ts: t.join()
    eq(len(ids | set(found)), 30000)
    eq({type(i) for i in ids}, {int})
    i = spanloom.new_id()
    spanloom.async_event("before", "n", id=i); spanloom.async_event("after", "n", id=i)
    spanloom.flow("f", i); spanloom.flow("f", i, "in")
    want("b n #0", "e n #0", "s f @f #0", "f f @f #0")

with section("traceparent"):
    tp = []
    with spanloom.span("s"): tp.append(spanloom.traceparent())
    tp.append(spanloom.traceparent())
    for x in tp: eq(bool(re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-01", x)), True, x)
    eq(len({x[3:35] for x in tp}), 1)
    eq(len({x[36:52] for x in tp}), 2)
    want(f'B s span_id="{tp[0][36:52]}"', "E s", f'i traceparent @spanloom span_id="{tp[1][36:52]}"')

with section("traceparent for two children of one span"):
    ids = []
    with spanloom.span("s"):
        for _ in range(2): ids.append(spanloom.traceparent()[36:52])
    want(loose=True)
    with open("ids", "w") as f: f.write(" ".join(ids))

with section("enable"):
    eq(spanloom.enable(False), True)
    eq(spanloom.enable(False), False)
    @critical_path(args=True)
    def off(n): spanloom.args(x=1); return n
    eq(off(3), 3)
    with spanloom.span("off") as s: s.args(x=1)
    spanloom.instant("off"); spanloom.counter("off", 1); spanloom.sync_event("before", "off"); spanloom.sync_event("after", "off")
    spanloom.async_event("before", "off"); spanloom.flow("off", 1)
    def gen(): yield 1
    eq(list(critical_path()(gen)()), [1])
    async def co(): return 2
    eq(asyncio.run(critical_path()(co)()), 2)
    raises(ValueError, spanloom.sync_event, "nope", "off")
    raises(KeyError, critical_path()({}.__getitem__), 1)
    eq(spanloom.enable(), False)
    eq(spanloom.enable(on=True), True)
    eq(off(4), 4)
    want("B off n=4 x=1", "E off")

with section("enable within spans"):
    @critical_path()
    def f(n):
        spanloom.enable(False)
        g()
        spanloom.enable(True)
        g()
    @critical_path()
    def g(): pass
    f(1)
    spanloom.enable(False)
    @critical_path()
    def h(): spanloom.enable(True)
    h()
    g()
    want(loose=True)
    eq(spanloom.enable(True), True)

with section("flush"):
    spanloom.flush()
    eq([f for f in os.listdir(".") if f.endswith((".slt", ".pfw"))] != [], True)
    spanloom.instant("after flush")
    with spanloom.span("open"): spanloom.flush()
    want("i after flush", "B open", "E open")

with section("threads"):
    def work():
        spanloom.thread_name("my \U0001f600 name")
        with spanloom.span("in thread"): pass
    t = threading.Thread(target=work); t.start(); t.join()
    t = threading.Thread(target=lambda: spanloom.instant("in named"), name="Named"); t.start(); t.join()
    t = threading.Thread(target=work); t.name = "Renamed"; t.start(); t.join()
    want("B in thread", "E in thread", "i in named", "B in thread", "E in thread")
""", extra=names_and_ids, balance=True)


def names_and_ids(t, by):
    names = {e["args"]["name"] for e in t.all if e["ph"] == "M" and e["name"] == "thread_name"}
    check({"MainThread", "my \U0001f600 name", "Named"} <= names, names)
    equal([e["id"] for e in by["the id that stands for none is 123"]], [123] * 4)
    told = json.dumps([e.get("args", {}) for e in by["traceparent for two children of one span"]])
    for i in open(path("ids")).read().split():
        check(i in told, f"the trace does not know the parent {i} that a child was told: {told}")
    mine = by["ids across processes"][0]["id"]
    equal([e["id"] for e in trace(path("child")).of("n")], [mine], "the id of a text in another process")
    odd = [e["name"] for e in by["texts of all kinds as names"]]
    equal(odd[:3], ["é \U0001f600", "a\"b\\c\n\t", "\x01"])
    equal(len(odd), 7, "instants with odd names")
    check(odd[4].startswith("xxxx"), "a long name")
    check(odd[6].startswith("nul") and odd[6].endswith("nul"), f"a name with NUL: {odd[6]!r}")


PROGRAM = """
import spanloom, json, sys
def raw(n): return n
f = spanloom.critical_path(args=True)(raw)
@spanloom.critical_path()
def gen(): yield 1
f(1)
list(gen())
class C:
    def m(self): return 1
    d = spanloom.critical_path()(m)
    k = classmethod(m)
    dk = spanloom.critical_path("around_async", "scope", name="x", args=True)(k)
    p = property(m)
    dp = spanloom.critical_path()(p)
with spanloom.span("s", x=1) as s:
    s.args(y=2)
    spanloom.args(z=3)
spanloom.instant("i"); spanloom.counter("c", 1); spanloom.flow("f", 1)
spanloom.sync_event("before", "b"); spanloom.sync_event("after", "b")
spanloom.async_event("before", "b"); spanloom.async_event("after", "b")
try: spanloom.sync_event("nope", "b"); wrong = False
except ValueError: wrong = True
try: spanloom.critical_path("nope"); wrong = False
except ValueError: pass
try: f(); wrong = False
except TypeError: pass
print(json.dumps([f is raw, C.__dict__["d"] is C.__dict__["m"], C.__dict__["dk"] is C.__dict__["k"], C.__dict__["dp"] is C.__dict__["p"], wrong,
                  spanloom.critical_path(raw) is raw, hasattr(f, "__wrapped__"), type(spanloom.new_id()).__name__]))
"""


@cases(*VERSIONS)
def options(version):
    for i, (option, same) in enumerate({"log-enable=False": True, "log-enable=True": False, "log-enable=false": True, "log-enable=FALSE": True}.items()):
        r = script(PROGRAM, version=version, options=f"{option}:log-dir={path(str(i))}")
        equal(json.loads(r.out), [same] * 4 + [True, same, not same, "int"], option)
        equal(bool(files("*", path(str(i)))), not same, f"files with {option}")
    r = script(PROGRAM, version=version, spanloom="log-enable=False")
    equal(json.loads(r.out)[0], True, "SPANLOOM_OPTIONS")
    equal(files("*.pfw"), [], "files")

    script(PROGRAM, version=version, options=f"log-event=Compact:log-format=Object:log-dir={path('compact')}")
    t = trace(path("compact"))
    check(t.object, "an object")
    equal([(e["ph"], e["name"]) for e in t.of("BEX")], [("X", n) for n in ("raw", "gen", "gen", "s", "b", "raw")], "spans")
    equal([s.args for s in t.spans("raw")], [{"n": 1}, {"exception": "TypeError"}], "args")
    equal(t.spans("s")[0].args, {"x": 1, "y": 2, "z": 3}, "args")
    equal([e["ph"] for e in t.of("bnestfCi")], ["b", "e", "i", "C", "s", "b", "e"], "the others")

    script(PROGRAM, version=version, options=f"cpu-mem-usage=True:log-dir={path('usage')}")
    t = trace(path("usage"))
    equal([s.name for s in t.spans()], ["raw", "gen", "gen", "s", "b", "raw"])
    usage = [e for e in t.of("C") if "cpu_usage" in e["args"] or "memory_usage" in e["args"]]
    equal(len(usage), 12 if len(usage) != 24 else 24, "counters of use")
    check(any(e["args"].get("memory_usage", 0) > 1000 for e in usage), "memory")

    script(PROGRAM, version=version, spanloom=f"log-format=Binary:log-dir={path('binary')}")
    equal(len(files("*.slt", path("binary"))), 1), equal(files("*.pfw", path("binary")), [])
    t = exported(files("*.slt", path("binary"))[0])
    equal([s.name for s in t.spans()], ["raw", "gen", "gen", "s", "b", "raw"])

    script(PROGRAM, version=version, options=f"name=my:log-filename-include=name:log-dir={path('named')}")
    equal(os.listdir(path("named")), ["perfflow.array.my.pfw"])


@cases(*VERSIONS)
def ends_of_programs(version):
    for name, end, want in [("finish", "spanloom.finish(); os._exit(0)", ["B f", "E f"]), ("os._exit", "os._exit(0)", ["B f", "E f"]), ("twice", "spanloom.finish(); spanloom.finish(); f(); os._exit(0)", ["B f", "E f"]),
                            ("exit in span", "s = spanloom.span('s'); s.__enter__(); sys.exit(0)", ["B f", "E f", "B s", "E s"]),
                            ("finish then exit", "spanloom.finish()", ["B f", "E f"]),
                            ("suspended", "g = gen(); next(g)", None), ("atexit", "import atexit; atexit.register(f)", ["B f", "E f"] * 2),
                            ("del", "class D:\n    def __del__(self, f=f): f()\nd = D()", None), ("cycle", "class D:\n    def __del__(self, f=f): f()\nd = D(); d.d = d", None),
                            ("daemon", "import threading, time\ndef loop():\n    while True: time.sleep(1e-4); spanloom.instant('x')\nthreading.Thread(target=loop, daemon=True).start(); time.sleep(.01)", None),
                            ("pending", "import asyncio\nloop = asyncio.new_event_loop()\nt = loop.create_task(co())\nloop.call_soon(loop.stop)\nloop.run_forever()\nt._log_destroy_pending = False", None),
                            ("sub-thread exit", "import threading\nt = threading.Thread(target=lambda: [f() for _ in range(100)])\nt.start()", ["B f", "E f"] * 101)]:
        folder = path(name)
        script(f"""
import os, sys, spanloom
@spanloom.critical_path()
def f(): pass
@spanloom.critical_path()
def gen():
    yield 1
    yield 2
@spanloom.critical_path()
async def co():
    import asyncio
    await asyncio.sleep(100)
f()
{end}
""", version=version, options=f"log-dir={folder}", err="" if name != "pending" else None)
        t = trace(folder)
        t.spans()
        if want:
            equal([f"{e['ph']} {e['name']}" for e in t.of("BE")], want, name)
        if name == "exit in span":
            equal([s.unfinished for s in t.spans("s")], [True], "unfinished")
    script("import os, signal, spanloom\nwith spanloom.span('s'): pass\nos.kill(os.getpid(), signal.SIGKILL)", version=version, code=-9, options=f"log-dir={path('kill')}")
    equal([s.name for s in left(path("kill")).spans()], ["s"], "after SIGKILL")
    script("import spanloom", version=version, options=f"log-dir={path('nothing')}")
    script("import os, spanloom\nspanloom.instant('i')", version=version, options=f"log-dir={path('file/x')}", before=lambda: open(path("file"), "w").close(), err=None)


@cases(*VERSIONS)
def spans_and_asyncio(version):
    sections(version, r"""
import asyncio, contextvars
with section("a span in a coroutine is asynchronous"):
    async def one(n):
        with spanloom.span("s", k=n) as s:
            await asyncio.sleep(0)
            s.args(late=n)
        async with spanloom.span("a", "cat", x=1) as s:
            await asyncio.sleep(0)
            s.args(late=n)
    async def main(): await asyncio.gather(one(1), one(2))
    asyncio.run(main())
    want("b s #0 k=1", "b s #1 k=2", "e s #0 late=1", "b a @cat #2 x=1", "e s #1 late=2", "b a @cat #3 x=1",
         "e a @cat #2 late=1", "e a @cat #3 late=2")

with section("exceptions and cancelling across awaits"):
    async def fails():
        with spanloom.span("s"): await asyncio.sleep(0); raise KeyError
    async def sleeps():
        async with spanloom.span("a"): await asyncio.sleep(10)
    async def main():
        try: await fails()
        except KeyError: pass
        t = asyncio.ensure_future(sleeps())
        await asyncio.sleep(0); t.cancel()
        await asyncio.wait([t])
    asyncio.run(main())
    want("b s #0", 'e s #0 exception="KeyError"', "b a #1", 'e a #1 exception="CancelledError"')

with section("functions that coroutines call have spans of the thread"):
    def plain():
        with spanloom.span("sync"): pass
    @critical_path()
    def decorated():
        with spanloom.span("sync"): pass
    async def main(): plain(); decorated()
    asyncio.run(main())
    want("B sync", "E sync", "B decorated", "B sync", "E sync", "E decorated")

with section("in decorated coroutines"):
    @critical_path()
    async def co(n):
        with spanloom.span("s"):
            await asyncio.sleep(0)
        spanloom.args(z=n)
        return n
    async def main(): return await asyncio.gather(co(1), co(2))
    eq(asyncio.run(main()), [1, 2])
    want('b co #0 task=*', "B co id=#0", "b s #1", "E co", "b co #2 task=*", "B co id=#2", "b s #3", "E co",
         "B co id=#0 z=1", "e s #1", "E co", "e co #0", "B co id=#2 z=2", "e s #3", "E co", "e co #2")

with section("spans in asynchronous generators"):
    async def ag():
        with spanloom.span("in ag"):
            yield 1
            yield 2
    async def main(): eq([x async for x in ag()], [1, 2])
    asyncio.run(main())
    want("b in ag #0", "e in ag #0")

with section("spans in generators may overlap"):
    def gen(n):
        with spanloom.span(f"g{n}"): yield n
    a, b = gen(1), gen(2)
    next(a); next(b)
    list(a); list(b)
    want("b g1 #0", "b g2 #1", "e g1 #0", "e g2 #1")

with section("but a context manager's is the thread's"):
    import contextlib
    @contextlib.contextmanager
    def manager(n):
        with spanloom.span(f"m{n}", x=n) as s:
            yield n
            s.args(y=n)
    with manager(1) as x:
        eq(x, 1)
        with manager(2): spanloom.instant("in")
    try:
        with manager(3): raise KeyError
    except KeyError: pass
    want("B m1 x=1 y=1", "B m2 x=2 y=2", "i in", "E m2", "E m1", 'B m3 x=3 exception="KeyError"', "E m3")

with section("a span across the yields of a decorated generator"):
    @critical_path()
    def across():
        with spanloom.span("s"):
            yield 1
            yield 2
    eq(list(across()), [1, 2])
    half = across(); next(half); half.close()
    step = lambda n, *x: [f"B across id=#{n}", *x, "E across"]
    want("b across #0", *step(0, "b s #1"), *step(0), *step(0, "e s #1"), "e across #0",
         "b across #2", *step(2, "b s #3"), *step(2, 'e s #3 exception="GeneratorExit"'), "e across #2")

with section("async with outside of asyncio"):
    async def hand():
        async with spanloom.span("hand"): pass
        return 3
    try: hand().send(None)
    except StopIteration as e: eq(e.value, 3)
    want("b hand #0", "e hand #0")
""")


main()
