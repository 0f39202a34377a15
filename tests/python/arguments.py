#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is recorded of the arguments of decorated functions.

A program is a list of sections: what happens in one must record exactly the events that it names with want().
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa
from sections import *  # noqa


@cases(*VERSIONS)
def arguments_that_are_recorded(version):
    sections(version, r"""
import decimal, enum, fractions, sys
unraised = []
sys.unraisablehook = lambda u: unraised.append(u.exc_type.__name__)

@critical_path(args=True)
def f(a, b=2, *rest, k=4, **kw): return a

with section("all"):
    f(1)
    f(1.5, "text", k=None)
    f(-1, b=[1, "é"], k={"x": (1,)})
    want('B f a=1 b=2 rest="()" k=4 kw="{}"', "E f", 'B f a=1.5 b="text" rest="()" k="None" kw="{}"', "E f",
         r'''B f a=-1 b="[1, 'é']" rest="()" k="{'x': (1,)}" kw="{}"''', "E f")

with section("rest and more"):
    f(1, 2, 3, 4, z=5)
    want('''B f a=1 b=2 rest="(3, 4)" k=4 kw="{'z': 5}"''', "E f")

with section("wrong calls"):
    raises(TypeError, f)
    raises(TypeError, f, 1, a=2)
    want('B f exception="TypeError"', "E f", loose=True)

g = lambda a, b, *, c=3: a
g.__qualname__ = "g"
for what, args, kw, events in [
        ("a name", "a", {}, "a=1"), ("two in a list", ["a", "c"], {}, "a=1 c=3"), ("a tuple", ("b",), {}, "b=2"),
        ("a dict", {"x": 1, "y": "t", "z": 2.5}, {}, 'x=1 y="t" z=2.5'), ("none", None, {}, ""), ("an empty list", [], {}, ""),
        ("an empty dict", {}, {}, ""), ("false", False, {}, ""), ("a function", lambda a, b, c=0: {"s": a + b + c}, {"c": 9}, "s=12"),
        ("a set", {"b"}, {}, "b=2"), ("an iterator", iter(["a"]), {}, "a=1"), ("empty by function", lambda *a, **k: {}, {}, "")]:
    with section(what):
        t = critical_path(args=args)(g)
        eq(t(1, 2, **kw), 1)
        eq(t(1, b=2, **kw), 1)
        want(f"B g {events}".strip(), "E g", times=2)

with section("a function that fails harms nobody"):
    for bad in (lambda a: 1 / 0, lambda: {}, lambda a: 3, lambda a: {1: 2}, lambda a: None, lambda a: {"x": object.__new__(object)}):
        eq(critical_path(name="h", args=bad)(lambda a: a)(7), 7)
    want(loose=True)
    eq(set(unraised) >= {"ZeroDivisionError", "TypeError"}, True, unraised)

class Bad:
    def __init__(self, how): self.how = how
    def __repr__(self):
        if self.how == "raise": raise ValueError("hostile")
        if self.how == "exit": raise SystemExit(3)
        if self.how == "recurse": return repr([self])
        if self.how == "type": return 3
        if self.how == "traced": return "traced %d" % helper(4)
        if self.how == "args": spanloom.args(sneaky=1); return "x"
        return self.how
    __str__ = None
helper = critical_path(name="helper")(lambda n: n)

with section("hostile objects"):
    one = critical_path(args=True, name="one")(lambda x: x)
    for how in ("raise", "type", "recurse", "traced", "args", "\ud800", "a" * 100000, "nul \0 nul", "", "\n\t\"\\"):
        b = Bad(how)
        eq(one(b) is b, True, how[:10])
    eq(sys.exc_info(), (None, None, None))
    want(loose=True)

with section("a caller's exception stays his"):
    try: {}["mine"]
    except KeyError as e:
        one(Bad("raise"))
        eq(sys.exc_info()[1] is e, True)
        eq(e.__context__, None)
    want(loose=True)

class Whole(int):
    def __repr__(self): return "whole"
class E(enum.IntEnum): A = 3
with section("numbers stay numbers"):
    for n, text in [(0, "0"), (-1, "-1"), (2**63 - 1, str(2**63 - 1)), (-2**63, str(-2**63)), (1.5, "1.5"), (-0.0, "-0.0"), (1e300, "1e+300"),
                    (5e-324, "5e-324"), (0.1, "0.1"), (1 / 3, repr(1 / 3)), (Whole(5), "5"), (E.A, "3")]:
        eq(one(n), n)
    want(*(x for n in ("0", "-1", str(2**63 - 1), str(-2**63), "1.5", "-0.0", "1e+300", "5e-324", "0.1", repr(1 / 3), "5", "3")
           for x in (f"B one x={n}", "E one")))

with section("numbers that are too large for the file's"):
    for n in (2**63, 2**64, -2**63 - 1, 10**30): eq(one(n), n)
    want(*(x for n in (2**63, 2**64, -2**63 - 1, 10**30) for x in (f'B one x={n}', "E one")), numbers="either")

with section("numbers that are none, and huge ones"):
    nan = float("nan")
    eq(one(nan) is nan, True)
    one(float("inf")); one(-float("inf"))
    n = 10 ** 5000
    eq(one(n) is n, True)
    want(loose=True)

with section("other values are their repr"):
    values = [None, [1], (2,), {"a": 1}, 1j, decimal.Decimal("1.50"), fractions.Fraction(1, 3), b"bytes\0", range(3), Ellipsis, int, frozenset([1])]
    for v in values: eq(one(v) is v, True)
    want(*(x for v in values for x in (f"B one x={json.dumps(repr(v))}", "E one")))

with section("texts"):
    for t in ["", "x", "é \U0001f600", "\"quoted\" \\ \n \t \x01 \x7f", "y" * 300]: one(t)
    want(*(x for t in ["", "x", "é \U0001f600", "\"quoted\" \\ \n \t \x01 \x7f", "y" * 300] for x in (f"B one x={json.dumps(t)}", "E one")))

with section("NUL characters and surrogates"):
    for t in ["a\0b", "\0", "\ud800", "x\udcffy"]: eq(one(t) is t, True)
    got("nul")

with section("odd names of arguments"):
    k = critical_path(name="k", args={"é": 1, "a b": 2, "": 3, "q\"": 4, "exception": "mine"})(lambda: 0)
    k()
    want('B k é=1 a b=2 =3 q"=4 exception="mine"', "E k")

with section("many, and long"):
    many = critical_path(name="many", args={f"k{i}": i for i in range(300)})(lambda: 1)
    eq(many(), 1)
    big = critical_path(name="big", args=True)(lambda x: len(x))
    eq(big("z" * 1_000_000), 1_000_000)
    eq(big(list(range(100_000))), 100_000)
    eq(helper(3), 3)
    want(loose=True)

with section("of methods, generators and coroutines"):
    class C:
        @critical_path(args=["x"])
        def m(self, x): return x
        @critical_path(args=["x"])
        @classmethod
        def c(cls, x): return x
        @critical_path(args=["x"])
        @staticmethod
        def s(x): return x
    eq((C().m(1), C.c(2), C().s(3)), (1, 2, 3))
    @critical_path(args=True)
    def gen(n): yield n
    eq(list(gen(4)), [4])
    @critical_path(args=True)
    async def co(n): return n
    try: co(5).send(None)
    except StopIteration as e: eq(e.value, 5)
    b = ["b gen #0 n=4", "B gen id=#0", "E gen", "B gen id=#0", "E gen", "e gen #0", "b co #1 n=5", "B co id=#1", "E co", "e co #1"]
    want("B C.m x=1", "E C.m", "B C.c x=2", "E C.c", "B C.s x=3", "E C.s", *b)

with section("spanloom.args within"):
    @critical_path()
    def a():
        spanloom.args(n=1, t="x")
        b()
        spanloom.args(after=2.5)
    @critical_path()
    def b(): spanloom.args(inner=[1])
    a()
    want('B a n=1 t="x" after=2.5', 'B b inner="[1]"', "E b", "E a")
""", extra=nul_and_many)


def nul_and_many(t, by):
    nul = [e["args"]["x"] for e in by["NUL characters and surrogates"] if e["ph"] == "B"]
    equal(len(nul), 4, "texts")
    # what stands for a character that the file cannot hold is free; the rest of the text must be there
    check(nul[0].startswith("a") and nul[0].endswith("b") and len(nul[0]) > 2, f"a text with NUL is {nul[0]!r}")
    check(nul[1] != "", "a text that is a NUL is told as empty")
    check(nul[3].startswith("x") and nul[3].endswith("y") and len(nul[3]) > 2, f"a text with a surrogate is {nul[3]!r}")
    many = [e for e in by["many, and long"] if e["name"] == "many"]
    got = {**many[0].get("args", {}), **many[1].get("args", {})}
    equal({k: v for k, v in got.items()}, {f"k{i}": i for i in range(300)}, "300 arguments")
    big = [e["args"]["x"] for e in by["many, and long"] if e["name"] == "big" and e["ph"] == "B"]
    equal(len(big), 2, "long ones")
    check(big[0].startswith("zzzz") and big[1].startswith("[0, 1, 2"), "long values begin as they do")
    equal([e["ph"] for e in by["many, and long"] if e["name"] == "helper"], ["B", "E"], "the event after long ones")


@cases(*VERSIONS)
def interruptions_while_they_are_asked_for(version):
    """Ctrl-C goes to the program, also where a repr(), a function of args= or advice was running."""
    r = script(r"""
import os, signal, spanloom, sys, threading, time
class Slow:
    def __repr__(self):
        for i in range(20000): pass
        return "slow"
slow = Slow()
@spanloom.critical_path(args=True)
def f(x): pass
@spanloom.critical_path(args=True)
def g(x): yield 1
@spanloom.critical_path(args=lambda: [repr(slow)] and {})
def h(): pass
def advised():
    with spanloom.advise(before=lambda *a: repr(slow)): h()
def interrupt():
    time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGINT)
def go_on(): # within one call: Python 3.13 may raise at the test of a loop, as if that lay outside of the `try` around it
    end = time.monotonic() + 80
    while time.monotonic() < end: what()
for what in (lambda: f(slow), lambda: list(g(slow)), h, advised, lambda: spanloom.instant("i", x=slow), lambda: spanloom.args(x=slow), lambda: spanloom.span("s", x=slow)):
    threading.Thread(target=interrupt).start()
    try:
        go_on()
        print("not interrupted")
    except KeyboardInterrupt:
        print("ok")
""", version=version, spanloom="log-format=binary")
    equal(r.out, "ok\n" * 7)


@cases(*VERSIONS)
def what_telling_them_runs_is_traced_before(version):
    """The repr() of an argument may be decorated itself; numbers of other libraries are numbers."""
    script(r"""
import asyncio, spanloom
class P:
    @spanloom.critical_path()
    def __repr__(self): return "P!"
class Index:
    def __index__(self): return 5
@spanloom.critical_path(args=True)
async def f(a, p, z): pass
@spanloom.critical_path("around_async", args=True)
def g(p, z=Index()): pass
with spanloom.span("outer"):
    asyncio.run(f(1, P(), 3))
    g(P())
    spanloom.instant("i", q0=1, p=P(), q=2)
    spanloom.async_event("before", "x", "c", id=Index())
""", version=version)
    t = trace()
    equal(t.of("b", "f")[0]["args"], {"task": "Task-1", "a": 1, "p": "P!", "z": 3})
    equal(t.of("b", "g")[0]["args"], {"p": "P!", "z": 5})
    equal(t.of("i", "i")[0]["args"], {"q0": 1, "p": "P!", "q": 2})
    equal(t.of("b", "x")[0]["id"], 5)
    equal([s.args for s in t.spans("outer")], [{}])



main()
