#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom.advise(): callables of Python and C at join points, and what of it reaches the program."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa
from sections import *  # noqa


@cases(*VERSIONS)
def advice(version):
    sections(version, r"""
import asyncio, ctypes, fnmatch, gc, sys, threading, weakref
log, unraised = [], []
sys.unraisablehook = lambda u: unraised.append((u.exc_type.__name__, str(u.exc_value)))
@critical_path()
def f(*a, **k): log.append("f"); return sum(a)
@critical_path(name="special name")
def g(x=None): log.append("g"); return f(1)
@critical_path()
def bad(): raise KeyError("b")

with section("before and after"):
    b = lambda *a: log.append(("before", *a))
    a = lambda *a: log.append(("after", *a))
    advice = spanloom.advise(b, a)
    eq(f(1, 2, k=3), 3)
    advice.remove()
    eq(f(5), 5)
    eq(log, [("before", f.__wrapped__, (1, 2), {"k": 3}), "f", ("after", f.__wrapped__, 3, None), "f"])
    advice.remove()
    want("B f", "E f", times=2)

with section("exceptions are told"):
    log.clear()
    with spanloom.advise(after=a) as advice:
        raises(KeyError, bad)
    [(_, fn, result, e)] = log
    eq((fn.__name__, result, type(e), e.args), ("bad", None, KeyError, ("b",)))
    raises(KeyError, bad)
    eq(len(log), 1)
    del e; log.clear()
    want('B bad exception="KeyError"', "E bad", times=2)

with section("match"):
    for match, expected in [(None, ["f", "special name", "f"]), ("f", ["f", "f"]), ("special*", ["special name"]), ("*", ["f", "special name", "f"]), ("?", ["f", "f"]),
                            ("[a-f]", ["f", "f"]), ("nothing", []), ("F", []), ("special", []), ("* name", ["special name"]), ("", [])]:
        seen = []
        names = {"f": "f", "g": "special name"}
        with spanloom.advise(before=lambda fn, a, k: seen.append(names[fn.__name__]), match=match):
            f(); g()
        eq(seen, expected, repr(match))
    want(loose=True)

with section("functions decorated later are advised, too"):
    seen = []
    with spanloom.advise(before=lambda fn, a, k: seen.append(fn.__name__), match="later*"):
        @critical_path()
        def later1(): pass
        later1()
    @critical_path()
    def later2(): pass
    later2()
    eq(seen, ["later1"])
    want("B later1", "E later1", "B later2", "E later2")

with section("several, in order"):
    log.clear()
    one = spanloom.advise(lambda *a: log.append("b1"), lambda *a: log.append("a1"))
    two = spanloom.advise(lambda *a: log.append("b2"), lambda *a: log.append("a2"))
    f()
    one.remove()
    f()
    two.remove()
    f()
    eq(sorted(log[:2]), ["b1", "b2"]); eq(log[2], "f"); eq(sorted(log[3:5]), ["a1", "a2"])
    eq(log[5:], ["b2", "f", "a2", "f"])
    want("B f", "E f", times=3)

with section("advice that raises stops nothing"):
    log.clear(); unraised.clear()
    def boom(*a): raise ZeroDivisionError("boom")
    with spanloom.advise(boom, boom):
        eq(f(4), 4)
        raises(KeyError, bad)
    eq(unraised, [("ZeroDivisionError", "boom")] * 4)
    with spanloom.advise(before=lambda: None): eq(f(4), 4)
    eq([u[0] for u in unraised[4:]], ["TypeError"])
    def leave(*a): raise SystemExit(3)
    with spanloom.advise(before=leave): raises(SystemExit, f, 4, what="what no program takes for an error goes on")
    eq(sys.exc_info(), (None, None, None))
    want("B f", "E f", 'B bad exception="KeyError"', "E bad", "B f", "E f")

with section("an exception has no context of the advice"):
    with spanloom.advise(boom, boom):
        try: bad()
        except KeyError as e: eq((e.__context__, e.__cause__), (None, None))
    want('B bad exception="KeyError"', "E bad")

with section("advice that removes itself and others"):
    log.clear()
    def once(*a): log.append("once"); me.remove()
    me = spanloom.advise(before=once)
    f(); f()
    eq(log, ["once", "f", "f"])
    log.clear()
    x = spanloom.advise(before=lambda *a: (log.append("x"), y.remove()), after=lambda *a: log.append("x after"))
    y = spanloom.advise(before=lambda *a: (log.append("y"), x.remove()), after=lambda *a: log.append("y after"))
    f(); f()
    x.remove(); y.remove()
    eq(log.count("f"), 2)
    want("B f", "E f", times=4)

with section("what advice calls is not advised, but recorded"):
    log.clear()
    with spanloom.advise(lambda fn, a, k: log.append(("b", fn.__name__)) or helper(), lambda fn, r, e: log.append(("a", fn.__name__)) or helper()):
        @critical_path()
        def helper(): log.append("helper")
        eq(f(1), 1)
    eq(log, [("b", "f"), "helper", "f", ("a", "f"), "helper"])
    want(loose=True)

with section("advice that advises, that spans, that decorates"):
    log.clear()
    def b(fn, a, k):
        with spanloom.span("by advice"): spanloom.args(n=len(a))
        spanloom.advise(before=print).remove()
        critical_path(name="tmp")(lambda: 1)()
    with spanloom.advise(before=b): eq(f(1, 2), 3)
    want(loose=True)

with section("generators, coroutines, recursion, threads"):
    seen = []
    @critical_path()
    def gen(n): yield n
    @critical_path()
    async def co(n): await asyncio.sleep(0); return n
    @critical_path()
    def rec(n): return n and rec(n - 1)
    with spanloom.advise(lambda fn, a, k: seen.append(("b", fn.__name__, a)), lambda fn, r, e: seen.append(("a", fn.__name__, r if isinstance(r, int) else None))):
        rec(2)
        eq(seen, [("b", "rec", (2,)), ("b", "rec", (1,)), ("b", "rec", (0,)), ("a", "rec", 0), ("a", "rec", 0), ("a", "rec", 0)])
        seen.clear()
        eq(list(gen(1)), [1])
        eq(asyncio.run(co(3)), 3)
        eq([s[:2] for s in seen if s[0] == "b"], [("b", "gen"), ("b", "co")])
        eq(sum(s[0] == "a" for s in seen), 2)
        seen.clear()
        ts = [threading.Thread(target=lambda: [f() for _ in range(200)]) for _ in range(4)]
        for t in ts: t.start()
        for t in ts: t.join()
        eq(len(seen), 1600)
    eq(f(1), 1)
    want(loose=True)

with section("advice is freed"):
    class B:
        def __call__(self, *a): pass
    b = B(); r = weakref.ref(b)
    advice = spanloom.advise(before=b)
    f()
    del b
    eq(r() is not None, True)
    advice.remove(); del advice; gc.collect()
    eq(r(), None)
    b = B(); r = weakref.ref(b)
    spanloom.advise(before=b)  # the advice stays, though nobody has its handle
    del b; gc.collect()
    eq(r() is not None, True)
    with spanloom.advise(before=lambda *a: 1 / 0) as x: pass
    f()
    want(loose=True)

with section("enable(False) and advice"):
    seen = []
    with spanloom.advise(before=lambda *a: seen.append(1)):
        spanloom.enable(False); f(); spanloom.enable(True)
        f()
    eq(len(seen) in (1, 2), True)
    want("B f", "E f")

ADVICE = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p)
new = ctypes.pythonapi.PyCapsule_New
new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
set_context = ctypes.pythonapi.PyCapsule_SetContext
set_context.restype, set_context.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_void_p]
calls = []
@ADVICE
def c_advice(name, category, context): calls.append((name.decode(), category.decode(), context))
def capsule(name=b"spanloom.advice", context=None):
    c = new(ctypes.cast(c_advice, ctypes.c_void_p), name, None)
    if context: set_context(c, context)
    return c

with section("C functions in capsules"):
    with spanloom.advise(capsule(context=77), capsule()):
        f(); g()
        raises(KeyError, bad)
    f()
    m = "__main__"
    b = lambda n: (n, m, 77)
    a = lambda n: (n, m, None)
    eq(calls, [b("f"), a("f"), b("special name"), b("f"), a("f"), a("special name"), b("bad"), a("bad")])
    calls.clear()
    with spanloom.advise(capsule(), lambda *a: calls.append("python"), match="f"): g()
    eq(calls, [("f", "__main__", None), "python"])
    want(loose=True)

with section("wrong capsules"):
    name = ctypes.create_string_buffer(b"other.name")
    wrong = capsule(name)
    raises((TypeError, ValueError), spanloom.advise, wrong)
    raises((TypeError, ValueError), spanloom.advise, None, wrong)
    raises((TypeError, ValueError), spanloom.advise, capsule(None))
    eq(f(2), 2)
    want("B f", "E f")
""", env={"PYTHONIOENCODING": "utf-8"})


main()
