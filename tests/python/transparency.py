#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program sees no difference between a function and the decorated one: inspection, exceptions, references, memory.

A program is a list of sections: what happens in one must record exactly the events that it names with want().
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa
from sections import *  # noqa


@cases(*VERSIONS)
def inspection_says_what_it_said_of_the_function(version):
    sections(version, r'''
import ast, asyncio, copy, doctest, functools, gc, inspect, io, contextlib, pickle, pydoc, sys, types, typing, weakref
from unittest import mock

def plain(a: int, b: "str" = "x", /, c=None, *rest: float, d: typing.Optional[int] = 3, **more) -> typing.List[int]:
    """The doc of it.

    >>> plain(1)
    (1, 'x', None, (), 3, {})
    >>> plain()
    Traceback (most recent call last):
    TypeError: plain() missing 1 required positional argument: 'a'
    """
    return a, b, c, rest, d, more
raw = plain
plain = critical_path()(plain)

def gen(a):
    """Doc of gen."""
    yield a
raw_gen = gen
gen = critical_path(name="g")(gen)

async def co(a):
    return a
raw_co = co
co = critical_path()(co)

async def ag(a):
    yield a
raw_ag = ag
ag = critical_path()(ag)

class C:
    """Class doc."""
    @critical_path()
    def m(self, x: int = 1) -> str:
        """Method doc."""
        return x
    def raw_m(self, x: int = 1) -> str:
        """Method doc."""
        return x
    @critical_path()
    def g(self): yield 1
    @critical_path()
    async def c(self): pass
    @critical_path()
    @classmethod
    def k(cls, y): return cls
    @critical_path()
    @staticmethod
    def s(y): return y
    @critical_path()
    @property
    def p(self):
        """Property doc."""
        return 1

pairs = [(plain, raw), (gen, raw_gen), (co, raw_co), (ag, raw_ag), (C.m, None), (C().m, None)]
with section("attributes"):
    for new, old in pairs[:4]:
        n = old.__name__
        for a in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__", "__defaults__", "__kwdefaults__", "__code__",
                  "__globals__", "__closure__"):
            eq(getattr(new, a), getattr(old, a), f"{a} of {n}")
        eq(new.__wrapped__ is old, True, "__wrapped__ of " + n)
        eq(callable(new), True)
        eq(n in repr(new), True, "repr of " + n)
        eq(bool(new), True)
        eq(set(dir(old)) - set(dir(new)), set(), "dir of " + n)
        eq(hash(new) == hash(new) and new == new and new != old, True)
    want()

with section("inspect"):
    for new, old in pairs[:4]:
        n = old.__name__
        for f in (inspect.signature, inspect.getsource, inspect.getdoc, inspect.getfile, inspect.getsourcefile, inspect.getsourcelines,
                  inspect.getmodule, inspect.getfullargspec, inspect.getcomments, inspect.isfunction, inspect.isroutine, inspect.ismethod,
                  inspect.isbuiltin, inspect.isclass, inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction,
                  inspect.isgenerator, inspect.iscoroutine, inspect.isawaitable, inspect.isdatadescriptor, inspect.ismethoddescriptor,
                  inspect.isabstract, inspect.iscode, inspect.getclosurevars, asyncio.iscoroutinefunction, asyncio.iscoroutine,
                  typing.get_type_hints, callable, pydoc.getdoc,
                  lambda f: isinstance(f, types.FunctionType), lambda f: isinstance(f, typing.Callable), lambda f: f.__class__):
            try: expected = f(old)
            except Exception as e: expected = type(e)
            try: got = f(new)
            except Exception as e: got = type(e)
            eq(got, expected, f"{getattr(f, '__name__', f)} of {n}")
        eq(inspect.unwrap(new) is old, True)
        eq(str(inspect.signature(new)), str(inspect.signature(old)))
    eq(inspect.signature(plain).bind(1, 2).args, (1, 2))
    want()

with section("methods"):
    eq(str(inspect.signature(C.m)), "(self, x: int = 1) -> str")
    eq(str(inspect.signature(C().m)), "(x: int = 1) -> str")
    eq(str(inspect.signature(C.k)), "(y)")
    eq(str(inspect.signature(C.s)), "(y)")
    eq(inspect.ismethod(C().m), True)
    eq(inspect.ismethod(C.k), True)
    eq(inspect.isfunction(C.m), True)
    eq(inspect.isfunction(C.s), True)
    eq(type(C().m), types.MethodType)
    eq(C().m.__func__ is C.m, True)
    eq(inspect.getdoc(C.m), "Method doc."); eq(C.p.__doc__, "Property doc.")
    eq(inspect.isgeneratorfunction(C().g), True); eq(inspect.iscoroutinefunction(C().c), True)
    eq(inspect.getfullargspec(C().m), inspect.getfullargspec(C().raw_m))
    eq(inspect.getsource(C.m).strip().splitlines()[0], "@critical_path()")
    eq([a.kind for a in inspect.classify_class_attrs(C) if a.name in ("m", "k", "s", "p")],
       ["class method", "method", "property", "static method"])
    eq({n for n, _ in inspect.getmembers(C, inspect.isfunction)}, {"m", "raw_m", "g", "c", "s"})
    eq(typing.get_type_hints(C.m), {"x": int, "return": str})
    eq(weakref.WeakMethod(C().m)(), None)
    want()

with section("help and doctest"):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        help(plain)
        help(C)
    eq("The doc of it." in out.getvalue(), True)
    eq("plain(a: int" in out.getvalue().replace("(\n    ", "("), True, out.getvalue()[:300])
    eq("Method doc." in out.getvalue() and "m(self, x: int = 1)" in out.getvalue(), True)
    eq(pydoc.render_doc(plain, renderer=pydoc.plaintext), pydoc.render_doc(raw, renderer=pydoc.plaintext))
    me = sys.modules["__main__"]
    found = [t.name for t in doctest.DocTestFinder(exclude_empty=True).find(me, globs=vars(me)) if t.examples]
    eq("__main__.plain" in found, True, f"doctests that are found: {found}")
    runner = doctest.DocTestRunner(verbose=False)
    [test] = [t for t in doctest.DocTestFinder(recurse=False).find(plain, "plain", globs=dict(vars(me))) if t.examples]
    eq((test.lineno is not None, len(test.examples)), (True, 2))
    eq(tuple(runner.run(test))[:2], (0, 2))
    eq(tuple(doctest.testmod(me))[0], 0)
    want("B plain", "E plain", 'B plain exception="TypeError"', "E plain", loose=True)

with section("copy"):
    eq(copy.copy(plain) is plain, True)
    eq(copy.deepcopy(plain) is plain, True)
    eq(copy.deepcopy({"f": [plain]})["f"][0] is plain, True)
    o = C()
    eq(copy.deepcopy(o).m(3), 3)
    eq(copy.copy(C.m) is C.m, True)
    want("B C.m", "E C.m")

with section("pickle"):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        for f in (plain, gen, co, ag):
            eq(pickle.loads(pickle.dumps(f, protocol)) is f, True, f"protocol {protocol}")
            eq(pickle.loads(pickle._dumps(f, protocol)) is f, True, f"Python's pickle, protocol {protocol}")
            eq(pickle.dumps(f, protocol).count(b"spanloom"), 0, "by name")
        if protocol >= 2:
            eq(pickle.loads(pickle.dumps(C.m, protocol)) is C.m, True, f"method, protocol {protocol}")
            eq(pickle.loads(pickle.dumps(C().m, protocol))(7), 7)
            eq(pickle.loads(pickle.dumps(functools.partial(plain, 1), protocol))()[0], 1)
        raises((pickle.PicklingError, AttributeError), pickle.dumps, critical_path()(lambda: 1), protocol)
    want(loose=True)

with section("weak references, attributes, dictionaries"):
    f = critical_path()(lambda: 1)
    r = weakref.ref(f)
    called = []
    weakref.finalize(f, called.append, 1)
    f.colour = "red"
    eq((f.colour, vars(f).get("colour"), hasattr(f, "nope")), ("red", "red", False))
    del f.colour
    eq(hasattr(f, "colour"), False)
    raises(AttributeError, getattr, f, "colour")
    raises(AttributeError, delattr, f, "colour")
    f.self = f
    eq({f: 1}[f], 1)
    del f
    gc.collect()
    eq((r(), called), (None, [1]), "collected")
    def has(): pass
    has.tag = [1]
    d = critical_path()(has)
    eq(d.tag is has.tag, True)
    s = weakref.WeakSet([plain])
    eq(plain in s, True)
    k = functools.update_wrapper(lambda: 0, d)
    eq(k.tag is has.tag, True)
    want()

with section("written attributes work"):
    def f(a=1, *, b=2): return a, b
    f = critical_path()(f)
    f.__defaults__ = (10,)
    f.__kwdefaults__ = {"b": 20}
    eq((f.__defaults__, f.__kwdefaults__), ((10,), {"b": 20}))
    eq(f(), (10, 20), "new defaults")
    def g(a=1, *, b=2): return "new code", a, b
    f.__code__ = g.__code__
    eq(f(), ("new code", 10, 20), "new code")
    f.__name__ = "renamed"
    f.__qualname__ = "Q.renamed"
    f.__doc__ = "new doc"
    f.__module__ = "mod"
    f.__annotations__ = {"a": int}
    eq((f.__name__, f.__qualname__, f.__doc__, f.__module__, f.__annotations__), ("renamed", "Q.renamed", "new doc", "mod", {"a": int}))
    eq(str(inspect.signature(f)), "(a: int = 10, *, b=20)")
    raises(TypeError, setattr, f, "__name__", 3)
    raises(TypeError, setattr, f, "__defaults__", 3)
    del f.__defaults__
    eq(f.__defaults__, None)
    want("B f", "E f", times=2)

with section("unittest.mock"):
    with mock.patch("__main__.plain") as m:
        m.return_value = 5
        eq(plain(1), 5)
    eq(plain(1)[0], 1)
    spec = mock.create_autospec(plain)
    spec.return_value = 6
    eq(spec(1, 2), 6)
    raises(TypeError, spec)
    spec.assert_called_once_with(1, 2)
    with mock.patch.object(C, "m", autospec=True) as m:
        m.return_value = 8
        o = C()
        eq(o.m(2), 8)
        m.assert_called_once_with(o, 2)
        raises(TypeError, o.m, 1, 2, 3)
    eq(C().m(4), 4)
    with mock.patch.object(C, "s", return_value=1): eq(C.s(3), 1)
    eq(C.s(3), 3)
    c = mock.create_autospec(co)
    eq(isinstance(c, mock.NonCallableMock) or callable(c), True)
    eq(asyncio.iscoroutinefunction(c), asyncio.iscoroutinefunction(mock.create_autospec(raw_co)))
    w = mock.Mock(wraps=plain)
    eq(w(2)[0], 2)
    with mock.patch.object(plain, "__defaults__", ("p", )): eq(plain.__defaults__, ("p",))
    want("B plain", "E plain", "B C.m", "E C.m", "B C.s", "E C.s", "B plain", "E plain")

with section("garbage collection"):
    class Owner:
        def __init__(self): self.f = critical_path()(self.m)
        def m(self): return self
    o = Owner(); r = weakref.ref(o)
    del o
    gc.collect()
    eq(r(), None, "a cycle through a decorated function")
    def cycle():
        def f(): return f
        f = critical_path()(f)
        return weakref.ref(f)
    r = cycle(); gc.collect()
    eq(r(), None, "a closure over itself")
    eq(gc.is_tracked(plain), True)
    eq(any(x is raw for x in gc.get_referents(plain)), True)
    want()

with section("other ways to look"):
    eq(isinstance(plain, object), True)
    eq(plain.__get__(5).__self__, 5)
    eq(plain.__get__(None, C) is plain, True)
    eq(types.MethodType(plain, 1)()[0], 1)
    eq(sys.getsizeof(plain) > 0, True)
    class Sub(typing.Protocol):
        def m(self): ...
    eq(repr(C().m).startswith("<bound method C.m of"), True, repr(C().m))
    eq(format(plain) == str(plain), True)
    raises(TypeError, lambda: plain < plain)
    raises(TypeError, lambda: type(plain)())
    raises(TypeError, lambda: type(plain).__new__(type(plain)))
    step = ag(1).__anext__()
    for o in (gen(1), ag(1), step):
        raises(TypeError, type(o))
        raises(TypeError, type(o).__new__, type(o))
    try: step.send(None)
    except StopIteration as e: eq(e.value, 1)
    try: type("X", (type(plain),), {}); sub = True
    except TypeError: sub = False
    eq(sub, False, "as a function's type it cannot be inherited from")
    import dis
    eq(dis.Bytecode(plain).codeobj is raw.__code__, True, "dis")
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(1) as e: eq(e.submit(plain, 3).result()[0], 3)
    want("B plain", "E plain", loose=True)
''')


@cases(*VERSIONS)
def exceptions_pass_unchanged(version):
    sections(version, r"""
import contextlib, sys, traceback, threading
def names(e):
    t, found = e.__traceback__, []
    while t: found.append(t.tb_frame.f_code.co_name); t = t.tb_next
    return found

class Mine(Exception):
    def __init__(self, a, b): super().__init__(a, b)
class Outer:
    class Nested(BaseException): pass

def thrower(e): raise e
traced = critical_path(name="f")(thrower)
kinds = [ValueError("v"), KeyError("k"), Mine(1, 2), Outer.Nested(), KeyboardInterrupt(), SystemExit(3), StopIteration(4), GeneratorExit(),
         StopAsyncIteration(5), MemoryError(), RecursionError("r"), OSError(2, "no"), AssertionError(), UnicodeDecodeError("utf-8", b"x", 0, 1, "r"),
         ImportError("x", name="n")]
with section("the same object, its traceback, its context"):
    for e in kinds:
        try: traced(e); fault("nothing raised")
        except BaseException as x:
            eq(x is e, True, repr(e))
            eq(names(x), ["<module>", "thrower"], repr(e))
            eq((x.__context__, x.__cause__, x.__suppress_context__), (None, None, False), repr(e))
    eq(sys.exc_info(), (None, None, None))
    want(*(line for e in kinds for line in (f'B f exception="{type(e).__name__}"', "E f")))

with section("context and cause"):
    def chained():
        try: {}["x"]
        except KeyError as k:
            raise ValueError("v") from k
    try: critical_path(name="f")(chained)()
    except ValueError as v:
        eq(type(v.__cause__), KeyError); eq(v.__context__ is v.__cause__, True)
    def in_handler(): raise ValueError("inner")
    try:
        try: raise KeyError("outer")
        except KeyError: critical_path(name="f")(in_handler)()
    except ValueError as v: eq((type(v.__context__), v.__cause__), (KeyError, None))
    try:
        try: raise KeyError("outer")
        except KeyError:
            eq(critical_path(name="f")(lambda: sys.exc_info()[0])(), KeyError)
            raise
    except KeyError as k: eq((names(k), k.__context__), (["<module>"], None))
    want('B f exception="ValueError"', "E f", 'B f exception="ValueError"', "E f", "B f", "E f")

with section("caught inside, raised again, through several"):
    @critical_path()
    def a(): b()
    @critical_path()
    def b():
        try: c()
        except ValueError: raise
    @critical_path()
    def c(): raise ValueError
    @critical_path()
    def d():
        with contextlib.suppress(ValueError): a()
        return 1
    eq(d(), 1)
    try: a()
    except ValueError as e: eq(names(e), ["<module>", "a", "b", "c"])
    x = ' exception="ValueError"'
    abc = [f"B a{x}", f"B b{x}", f"B c{x}", "E c", "E b", "E a"]
    want("B d", *abc, "E d", *abc)

with section("recursion without end"):
    @critical_path(name="deep")
    def deep(n=0): return deep(n + 1)
    for _ in range(2):
        try: deep(); fault("no RecursionError")
        except RecursionError as e: eq(str(e).startswith("maximum recursion depth exceeded"), True)
    @critical_path(name="down")
    def down(n): return n and down(n - 1)
    eq(down(200), 0)
    want(loose=True)

with section("returns in finally"):
    @critical_path(name="f")
    def f():
        try: raise ValueError
        finally: return 3
    eq(f(), 3)
    want("B f", "E f")

with section("str() of a missing argument"):
    try: critical_path(name="f")(lambda a: 1)()
    except TypeError as e: eq(str(e), "<lambda>() missing 1 required positional argument: 'a'"); eq(names(e), ["<module>"])
    want('B f exception="TypeError"', "E f")

with section("traceback text"):
    try: traced(ValueError("text"))
    except ValueError as e:
        lines = "".join(traceback.format_exception(type(e), e, e.__traceback__))
        eq(lines.count("File "), 2)
        eq("raise e" in lines, True)
    want('B f exception="ValueError"', "E f")

with section("sys.settrace and sys.setprofile see what they saw"):
    def seen(setter, function):
        log = []
        def hook(frame, event, arg):
            if frame.f_code.co_filename == __file__ and frame.f_code.co_name in ("body", "inner", "gen") and event != "line" and not event.startswith("c_"):
                log.append((frame.f_code.co_name, event))
            return hook
        setter(hook)
        try: function()
        finally: setter(None)
        return log
    def inner(): return 1
    def body(): return inner(), inner()
    for setter in (sys.settrace, sys.setprofile):
        eq(seen(setter, critical_path(name="f")(body)), seen(setter, body), setter.__name__)
    def gen(): yield 1; yield 2
    for setter in (sys.settrace, sys.setprofile):
        eq(seen(setter, lambda: list(critical_path(name="g")(gen)())), seen(setter, lambda: list(gen())), setter.__name__)
    import cProfile, pstats, io
    p = cProfile.Profile()
    eq(p.runcall(critical_path(name="f")(body)), (1, 1))
    eq(any(k[2] == "body" for k in pstats.Stats(p, stream=io.StringIO()).stats), True)
    want(loose=True)
""")
    # a program that ends by each of them
    for raised, code, err in (("KeyboardInterrupt()", -2, None), ("SystemExit(3)", 3, ""), ("SystemExit('bye')", 1, "bye\n"), ("SystemExit()", 0, "")):
        folder = path(raised.replace("'", ""))
        script(f"import spanloom\n@spanloom.critical_path()\ndef f(): raise {raised}\nf()\n", version=version, code=code, err=err,
               options=f"log-dir={folder}")
        t = trace(folder)
        equal([(e["ph"], e["name"]) for e in t.events], [("B", "f"), ("E", "f")], raised)
        equal(t.spans("f")[0].args, {"exception": raised.partition("(")[0]}, raised)


@cases(*VERSIONS)
def reference_counts_stay(version):
    sections(version, r"""
import asyncio, gc, sys, tracemalloc
class Thing: pass
def counts(*objects): return [sys.getrefcount(o) for o in objects]
shared, thing, key = [object()], Thing(), Thing()
text = "a text that is no constant " + str(id(thing))
error = ValueError("kept")

def plain(a, b=None, *rest, k=None, **kw): return shared
def throws(a):
    try: raise error
    finally: error.__traceback__ = None
def gen(a): yield a; yield shared
async def co(a): return shared
async def ag(a): yield a
class C:
    @critical_path()
    def m(self, a): return a
    @critical_path()
    @classmethod
    def c(cls, a): return a
    @critical_path()
    @property
    def p(self): return shared
    @critical_path(args=True)
    def r(self, a): return a

f, t, g, c, a = (critical_path()(x) for x in (plain, throws, gen, co, ag))
fa = critical_path(args=True, name="fa")(plain)
ff = critical_path(args=lambda *a, **k: {"x": text}, name="ff")(plain)
@critical_path()
def kept(): pass
others = [critical_path(p, "scope", name=p)(plain) for p in ("before", "after", "around_async", "before_async", "after_async")]
o = C()
def drive(x):
    try: x.send(None)
    except (StopIteration, StopAsyncIteration): pass
def wrong(f, *a, **k):
    try: f(*a, **k)
    except Exception as e: e.__traceback__ = None
def half():
    x = g(thing); next(x)
def thrown():
    x = g(thing); next(x)
    wrong(x.throw, error)
    error.__traceback__ = error.__context__ = None
work = {
    "call": lambda: f(thing), "many": lambda: f(thing, text, key, text, k=thing, z=text), "args": lambda: fa(thing, text, 1, k=text, z=key),
    "function": lambda: ff(thing, k=text), "exception": lambda: wrong(t, thing), "wrong": lambda: wrong(f), "wrong args": lambda: wrong(fa, z=thing),
    "generator": lambda: list(g(thing)), "unused": lambda: g(thing), "half": half, "thrown": thrown, "close": lambda: g(thing).close(),
    "coroutine": lambda: drive(c(thing)), "asyncgen": lambda: drive(a(thing).__anext__()),
    "aclose": lambda: drive(a(thing).aclose()), "method": lambda: o.m(thing), "bound": lambda: (o.m, C.m), "class": lambda: o.c(thing),
    "property": lambda: o.p, "args of method": lambda: o.r(thing), "attributes": lambda: (f.__name__, f.__doc__, f.__wrapped__, f.__code__, repr(f), dir(f)),
    "set": lambda: (setattr(f, "x", thing), delattr(f, "x")), "decorate": lambda: critical_path(name=text)(plain), "pickle": lambda: __import__("pickle").dumps(kept),
    "span": lambda: spanloom.span(text, x=thing).__enter__().__exit__(None, None, None), "instant": lambda: spanloom.instant("i", text, x=text, y=thing),
    "counter": lambda: spanloom.counter("c", 1.5), "sync": lambda: (spanloom.sync_event("before", "s", "c"), spanloom.sync_event("after", "s", "c")),
    "async": lambda: (spanloom.async_event("before", "s", "c", text, text), spanloom.async_event("after", "s", "c", text, text)),
    "flow": lambda: (spanloom.flow("f", 1), spanloom.flow("f", 1, "in")), "wrong event": lambda: wrong(spanloom.sync_event, "no", text),
    "advise": lambda: spanloom.advise(before=lambda *a: None, match=text + "x").remove(), "traceparent": lambda: spanloom.traceparent(),
    "thread": lambda: spanloom.thread_name("MainThread"), "new": lambda: spanloom.new_id(), "enable": lambda: spanloom.enable(True),
    "args()": lambda: spanloom.args(x=text)}
work.update({x.__wrapped__ and f"cut {i}": (lambda x=x: x(thing, k=text)) for i, x in enumerate(others)})
watched = [shared, thing, key, text, error, plain, throws, gen, co, ag, f, t, g, c, a, fa, ff, o, C, ValueError, TypeError, str, dict, tuple, type(f)]
if sys.version_info < (3, 12): watched += [None, True, False, ()]
names = {id(x): n for n, x in globals().items()}
for name, w in work.items():
    with section("counts " + name):
        for attempt in range(4):  # what the collector frees of others may be seen once
            gc.collect()
            before = counts(*watched)
            for _ in range(150): w()
            gc.collect()
            after = counts(*watched)
            bad = [(names.get(id(o), repr(o)), y - x) for o, x, y in zip(watched, before, after) if abs(y - x) > 9]
            if not bad: break
        eq(bad, [], "counts that changed in 150 runs")
        want(loose=True)

with section("memory"):
    for name, w in work.items():
        if name in ("decorate",): continue
        for _ in range(50): w()
        gc.collect()
        for runs in (150, 150, 600, 2400):  # what is kept once, such as a larger table, is less and less of each
            tracemalloc.start()
            w(); gc.collect()
            x = tracemalloc.get_traced_memory()[0]
            for _ in range(runs): w()
            gc.collect()
            y = tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
            if y - x < runs * 12: break
        eq(y - x < runs * 12, True, f"{name}: {y - x} bytes more after {runs} runs")
    want(loose=True)

with section("identity of what goes through"):
    x = Thing()
    d = {"k": x}
    def same(*a, **k): return a, k
    a, k = critical_path()(same)(x, **d)
    eq((a[0] is x, k["k"] is x, k is d), (True, True, False))
    want("B same", "E same")
""")


@cases(*VERSIONS)
def memory_stays_over_many_calls(version):
    r = script(r"""
import spanloom, asyncio, gc, json, resource, sys, time
cp = spanloom.critical_path
def rss():
    gc.collect()
    with open("/proc/self/smaps_rollup") as f: return sum(int(l.split()[1]) for l in f if l.startswith(("Anonymous:", "Private_Dirty:"))) // 2
def plain(a, b=1): return a
def gen(n): yield n
async def co(n): return n
def throws(n): raise KeyError(n)
def caught(f):
    try: f(1)
    except KeyError: pass
def drive(c):
    try: c.send(None)
    except StopIteration: pass
f, g, c, t, fa = cp()(plain), cp()(gen), cp()(co), cp()(throws), cp(args=True)(plain)
fas = cp("around_async", "scope")(plain)
def span():
    with spanloom.span("s", n=1, t="text"): spanloom.args(z=1.5)
class C:
    m = cp()(plain)
o = C()
grown = {}
for name, n, work in [("function", 100_000, lambda: f(1)), ("keywords", 50_000, lambda: f(a=1, b=2)), ("method", 50_000, lambda: o.m(2)),
                      ("generator", 50_000, lambda: list(g(1))), ("coroutine", 50_000, lambda: drive(c(1))), ("exception", 50_000, lambda: caught(t)),
                      ("args", 10_000, lambda: fa(1, "x")), ("async", 50_000, lambda: fas(1)), ("span", 20_000, span), ("decorate", 5_000, lambda: cp(name="same")(plain)),
                      ("names", 5_000, lambda: spanloom.instant("one name", "cat")), ("left alone", 20_000, lambda: next(g(1)))]:
    for _ in range(n // 5): work()
    before = rss()
    for _ in range(n): work()
    grown[name] = rss() - before
print(json.dumps(grown))
""", version=version, spanloom="log-format=Binary")
    grown = json.loads(r.out)
    note(grown)
    for name, kib in grown.items():
        check(kib < 300, f"{name}: {kib} KiB more: {grown}")  # the buffer of the thread is of a file, and not among these


main()
