#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom.critical_path() on everything that can be called: what the trace says, and that the program sees no difference.

A program is a list of sections: what happens in one must record exactly the events that it names with want().
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa
from sections import *  # noqa


# ---- what can be decorated

@cases(*VERSIONS)
def callables_of_every_kind(version):
    sections(version, r"""
import abc, contextlib, dataclasses, enum, functools, operator, threading, typing

@critical_path()
def plain(a, b=2, *rest, c=3, **more):
    return a, b, rest, c, more

with section("forms of calls"):
    eq(plain(1), (1, 2, (), 3, {}))
    eq(plain(1, 5, 6, 7, c=8, d=9), (1, 5, (6, 7), 8, {"d": 9}))
    eq(plain(*[1, 2, 3], **{"c": 1}), (1, 2, (3,), 1, {}))
    eq(plain(b=1, a=0), (0, 1, (), 3, {}))
    eq(plain.__call__(4), (4, 2, (), 3, {}))
    eq(list(map(plain, [1])), [(1, 2, (), 3, {})])
    want("B plain", "E plain", times=6)

@critical_path
def bare():
    return "bare"

@critical_path(name="other name")
def named(): pass

@critical_path(name="é \U0001f600 \" \\ <&> \n")
def odd(): pass

with section("names"):
    eq(bare(), "bare")
    named()
    odd()
    want("B bare", "E bare", "B other name", "E other name",
         "B é \U0001f600 \" \\ <&> \n", "E é \U0001f600 \" \\ <&> \n")

@critical_path()
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)

with section("recursion"):
    eq(factorial(30), 265252859812191058636308480000000)
    want(*["B factorial"] * 30, *["E factorial"] * 30)

def make(n):
    @critical_path()
    def inner(): return n
    return inner

with section("functions in functions are told by their qualified names"):
    eq([f() for f in [make(1), make(2), make(1)]], [1, 2, 1])
    want("B make.<locals>.inner", "E make.<locals>.inner", times=3)

with section("lambdas"):
    f = critical_path()(lambda *a: sum(a))
    eq(f(1, 2, 3), 6)
    eq(sorted([3, 1, 2], key=critical_path()(lambda x: -x)), [3, 2, 1])
    want("B <lambda>", "E <lambda>", times=4)

class Base:
    kind = "base"
    @critical_path()
    def method(self, x=1):
        "Of Base."
        return self.kind, x
    @critical_path()
    @classmethod
    def under_class(cls): return cls.kind
    @classmethod
    @critical_path()
    def over_class(cls): return cls.kind
    @critical_path()
    @staticmethod
    def under_static(x): return x
    @staticmethod
    @critical_path()
    def over_static(x): return x
    @critical_path()
    @property
    def under_property(self): return self.kind
    @property
    @critical_path()
    def over_property(self): return self.kind
    @critical_path()
    def __len__(self): return 5
    @critical_path()
    def __getitem__(self, i): return i * 2
    @critical_path()
    def __call__(self, *a): return a
    @critical_path()
    def __eq__(self, other): return True
    @critical_path()
    def __enter__(self): return self
    @critical_path()
    def __exit__(self, *a): return True
    @critical_path()
    def __iter__(self): return iter([1, 2])
    @critical_path()
    def __hash__(self): return 7
    @critical_path()
    def __bool__(self): return False
    @critical_path()
    def __add__(self, other): return 11

with section("methods"):
    b = Base()
    eq(b.method(), ("base", 1))
    eq(b.method(x=3), ("base", 3))
    eq(Base.method(b, 4), ("base", 4))
    m = b.method
    eq(m(5), ("base", 5))
    eq(m.__self__ is b, True)
    eq(m.__func__ is Base.__dict__["method"], True, "__func__")
    eq(m.__name__, "method")
    eq(m == b.method, True)
    eq(operator.methodcaller("method", 6)(b), ("base", 6))
    eq(getattr(b, "method").__doc__, "Of Base.")
    want("B Base.method", "E Base.method", times=5)

with section("class methods, static methods, properties, in either order"):
    eq((b.under_class(), Base.under_class(), b.over_class(), Base.over_class()), ("base",) * 4)
    eq((b.under_static(1), Base.under_static(2), b.over_static(3), Base.over_static(4)), (1, 2, 3, 4))
    eq((b.under_property, b.over_property), ("base", "base"))
    want(*(f"{p} Base.{n}" for n in ["under_class"] * 2 + ["over_class"] * 2 + ["under_static"] * 2 + ["over_static"] * 2
           + ["under_property", "over_property"] for p in "BE"))
    eq(isinstance(Base.__dict__["under_class"], classmethod), True)
    eq(isinstance(Base.__dict__["under_static"], staticmethod), True)
    eq(isinstance(Base.under_property, property), True)

with section("special methods"):
    eq((len(b), b[4], b(1, 2), b == 3, [*b], hash(b), bool(b), b + 1), (5, 8, (1, 2), True, [1, 2], 7, False, 11))
    with b as c:
        eq(c is b, True)
        raise ValueError("swallowed by __exit__")
    names = "len getitem call eq iter len hash bool add enter exit".split()
    want(*(f"{p} Base.__{n}__" for n in names for p in "BE"))

with section("methods that are class methods by their names"):
    class Implicit:
        @critical_path()
        def __init_subclass__(cls, **more):
            cls.marked = more
            super().__init_subclass__()
        @critical_path()
        def __class_getitem__(cls, item): return cls, item
    class Marked(Implicit, key=3): pass
    eq(Marked.marked, {"key": 3})
    eq(Marked[4], (Marked, 4))
    eq(Implicit[4], (Implicit, 4))
    want("B Implicit.__init_subclass__", "E Implicit.__init_subclass__", *["B Implicit.__class_getitem__", "E Implicit.__class_getitem__"] * 2)

class Child(Base):
    kind = "child"
    @critical_path()
    def method(self, x=1):
        return "child's", super().method(x)
    @classmethod
    @critical_path()
    def over_class(cls): return "child's", super().over_class()
    @critical_path()
    @property
    def under_property(self): return "child's " + super().under_property

with section("inheritance and super()"):
    c = Child()
    eq(c.method(2), ("child's", ("child", 2)))
    eq(Child.over_class(), ("child's", "child"))
    eq(c.under_property, "child's child")
    eq(c.under_class(), "child")
    want("B Child.method", "B Base.method", "E Base.method", "E Child.method",
         "B Child.over_class", "B Base.over_class", "E Base.over_class", "E Child.over_class",
         "B Child.under_property", "B Base.under_property", "E Base.under_property", "E Child.under_property",
         "B Base.under_class", "E Base.under_class")

class Abstract(abc.ABC):
    @critical_path()
    @abc.abstractmethod
    def one(self): return 1
    @abc.abstractmethod
    @critical_path()
    def two(self): return 2
    @property
    @abc.abstractmethod
    @critical_path()
    def three(self): return 3

with section("abstract methods"):
    eq(Abstract.__abstractmethods__, frozenset(["one", "two", "three"]))
    raises(TypeError, Abstract)
    class Real(Abstract):
        @critical_path()
        def one(self): return super().one()
        def two(self): return super().two()
        three = 4
    eq(Real.__abstractmethods__, frozenset())
    r = Real()
    eq((r.one(), r.two(), r.three), (1, 2, 4))
    want("B Real.one", "B Abstract.one", "E Abstract.one", "E Real.one", "B Abstract.two", "E Abstract.two")

with section("property with setter and deleter"):
    class P:
        v = 1
        @critical_path()
        @property
        def x(self):
            "The x."
            return self.v
        @x.setter
        @critical_path()
        def x(self, v): self.v = v
        @x.deleter
        def x(self): self.v = None
    p = P()
    p.x = 5
    eq(p.x, 5)
    del p.x
    eq(p.x, None)
    eq(P.x.__doc__, "The x.")
    want("B P.x", "E P.x", times=3)

with section("functools"):
    @functools.lru_cache(maxsize=None)
    @critical_path()
    def cached(n): return n + 1
    eq([cached(1), cached(1), cached(2)], [2, 2, 3])
    eq(cached.cache_info().hits, 1)
    @critical_path()
    @functools.lru_cache(maxsize=None)
    def traced_cache(n): return n + 1
    eq([traced_cache(1), traced_cache(1)], [2, 2])
    eq(traced_cache.cache_info().hits, 1)
    traced_cache.cache_clear()
    eq(traced_cache.cache_info().hits, 0)
    @critical_path()
    def wrapped(): "doc"; return 1
    @functools.wraps(wrapped)
    def wrapper(*a): return wrapped(*a) + 1
    eq((wrapper.__name__, wrapper.__doc__, wrapper.__wrapped__ is wrapped, wrapper()), ("wrapped", "doc", True, 2))
    @critical_path()
    @functools.wraps(wrapped)
    def above(): return wrapped() + 2
    eq(above(), 3)
    want(*"B cached,E cached,B cached,E cached,B traced_cache,E traced_cache,B traced_cache,E traced_cache,"
         "B wrapped,E wrapped,B wrapped,B wrapped,E wrapped,E wrapped".split(","))

@functools.singledispatch
@critical_path()
def dispatched(x): return "object"

@dispatched.register(int)
@critical_path()
def of_int(x): return "int"

@critical_path()
@functools.singledispatch
def dispatched2(x): return "object"

@dispatched2.register
def of_str(x: str): return "str"

class Dispatch:
    @functools.singledispatchmethod
    @critical_path()
    def f(self, x): return "object"
    @f.register
    @critical_path()
    def of_int(self, x: int): return "int"

with section("single dispatch"):
    eq((dispatched("a"), dispatched(1), dispatched2(1), dispatched2("a")), ("object", "int", "object", "str"))
    eq((Dispatch().f(1), Dispatch().f("a")), ("int", "object"))
    want("B dispatched", "E dispatched", "B of_int", "E of_int", "B dispatched2", "E dispatched2", "B dispatched2", "E dispatched2",
         "B Dispatch.of_int", "E Dispatch.of_int", "B Dispatch.f", "E Dispatch.f")

class Lazy:
    @functools.cached_property
    @critical_path()
    def x(self): return [1]
    def __init__(self): self.n = 0
    def raw(self, a, b): return a, b
    half = functools.partialmethod(critical_path()(raw), 1)

with section("cached property, partial method, reduce"):
    l = Lazy()
    eq(l.x is l.x, True)
    eq(l.half(2), (1, 2))
    eq(functools.reduce(critical_path(name="add")(lambda a, b: a + b), [1, 2, 3]), 6)
    want("B Lazy.x", "E Lazy.x", "B Lazy.raw", "E Lazy.raw", "B add", "E add", "B add", "E add")

class Adder:
    def __init__(self, n): self.n = n
    def __call__(self, x): return self.n + x
    def method(self, x): return self.n - x

with section("other callables"):
    eq(critical_path()(len)([1, 2]), 2)
    eq(critical_path()([3, 1].index)(1), 1)
    eq(critical_path(name="adder")(Adder(3))(4), 7)
    eq(critical_path(name="bound")(Adder(3).method)(4), -1)
    eq(critical_path(name="partial")(functools.partial(int, base=2))("101"), 5)
    eq(functools.partial(critical_path(name="in partial")(pow), 3)(2), 9)
    for kind in (int, Adder, type): raises(TypeError, critical_path(), kind)  # isinstance() of it would be wrong
    eq(critical_path(name="str.upper")(str.upper)("a"), "A")
    want("B len @builtins", "E len @builtins", "B list.index", "E list.index", "B adder", "E adder", "B bound", "E bound",
         "B partial @functools", "E partial @functools", "B in partial @builtins", "E in partial @builtins",
         "B str.upper", "E str.upper", categories=False)

with section("twice"):
    f = critical_path(name="outer")(critical_path(name="inner")(lambda: 1))
    eq(f(), 1)
    want("B outer", "B inner", "E inner", "E outer")

@dataclasses.dataclass
class Data:
    x: int
    y: list = dataclasses.field(default_factory=critical_path(name="factory")(lambda: []))
    @critical_path()
    def __post_init__(self): self.x += 1
    @critical_path()
    def total(self): return self.x + len(self.y)

class Color(enum.Enum):
    RED = 1
    @critical_path()
    def f(self): return self.name

class Slots:
    __slots__ = ("a",)
    @critical_path()
    def get(self): return self.a

class Typed(typing.NamedTuple):
    x: int
    @critical_path()
    def f(self): return self.x

with section("data classes, enums, slots, named tuples"):
    eq(Data(1).total(), 2)
    eq(dataclasses.replace(Data(1, [3])), Data(2, [3]))
    eq((Color.RED.f(), list(Color)), ("RED", [Color.RED]))
    s = Slots(); s.a = 3
    eq(s.get(), 3)
    eq(Typed(4).f(), 4)
    post = ["B Data.__post_init__", "E Data.__post_init__"]
    want("B factory", "E factory", *post, "B Data.total", "E Data.total", *post, *post, *post,
         "B Color.f", "E Color.f", "B Slots.get", "E Slots.get", "B Typed.f", "E Typed.f", categories=False)

with section("set on classes and instances later"):
    class Late: pass
    Late.f = critical_path(name="late")(lambda self: 5)
    o = Late()
    eq(o.f(), 5)
    o.g = critical_path(name="late2")(lambda: 6)
    eq(o.g(), 6)
    class Meta(type):
        @critical_path(name="meta")
        def __call__(cls, *a): return super().__call__(*a)
    class WithMeta(metaclass=Meta): pass
    eq(type(WithMeta()).__name__, "WithMeta")
    class Desc:
        def __set_name__(self, owner, name): self.name = name
        @critical_path(name="get")
        def __get__(self, o, t=None): return self.name
    class HasDesc: d = Desc()
    eq(HasDesc().d, "d")
    class New:
        @critical_path(name="new")
        def __new__(cls, *a): return super().__new__(cls)
        @critical_path(name="init")
        def __init__(self, a): self.a = a
        @critical_path(name="getattr")
        def __getattr__(self, name):
            if name.startswith("_"): raise AttributeError(name)
            return name
    eq((New(1).a, New(2).zzz), (1, "zzz"))
    want(*(f"{p} {n}" for n in "late late2 meta get new init new init getattr".split() for p in "BE"))
""")


@cases(*VERSIONS)
def pointcuts_scopes_and_wrong_arguments(version):
    sections(version, r"""
import os, threading
for cut, events in {"around": ["B f", "i in", "E f"], "before": ["B f", "E f", "i in"], "after": ["i in", "B f", "E f"],
                    "around_async": ["b f #0 ~sc", "i in", "e f #0 ~sc"], "before_async": ["b f #t ~sc", "i in"],
                    "after_async": ["i in", "e f #t ~sc"]}.items():
    with section(cut):
        @critical_path(cut, "sc")
        def f(n): spanloom.instant("in"); return n
        eq(f(3), 3)
        want(*events)
    with section(cut + " by keywords, and twice"):
        f = critical_path(pointcut=cut, scope="sc", name="f")(f.__wrapped__)
        eq((f(n=3), f(4)), (3, 4))
        want(*events, *(e.replace("#0", "#1") for e in events))
    with section(cut + " with an exception"):
        @critical_path(cut, "sc", "f")
        def f(): spanloom.instant("in"); raise KeyError(1)
        raises(KeyError, f)
        x = ' exception="KeyError"'
        want(*{"around": ["B f" + x, "i in", "E f"], "before": ["B f", "E f", "i in"], "after": ["i in", "B f" + x, "E f"],
               "around_async": ["b f #0 ~sc", "i in", "e f #0 ~sc" + x], "before_async": ["b f #t ~sc", "i in"],
               "after_async": ["i in", "e f #t ~sc" + x]}[cut])
    with section(cut + " of a method"):
        class C:
            @critical_path(cut, "sc", name="f")
            def f(self, x): spanloom.instant("in"); return self, x
        c = C()
        eq(c.f(3), (c, 3))
        want(*events)

with section("no scope"):
    critical_path("around_async", name="f")(lambda: 0)()
    critical_path("around_async", "", "f")(lambda: 0)()
    want("b f #0", "e f #0", "b f #1", "e f #1")

for cut in ("around", "before", "after", "around_async", "before_async", "after_async"):
    with section("args with " + cut):
        f = critical_path(cut, args=True, name="f")(lambda a, b=2: a)
        eq(f(1), 1)
        a = " a=1 b=2"
        lines = {"around": [f"B f{a}", "E f"], "around_async": [f"b f #0{a}", "e f #0"], "before_async": [f"b f #t{a}"], "after_async": [f"e f #t{a}"]}
        want(*lines.get(cut, lines["around"]))
    with section("args and exceptions with " + cut):
        f = critical_path(cut, args=["a"], name="f")(lambda a, b=2: a / 0)
        for _ in range(3): raises(ZeroDivisionError, f, 1)
        raises(TypeError, f, what="a missing argument")
        a, x = " a=1", ' exception="ZeroDivisionError"'
        want(*{"around": [f"B f{a}{x}", "E f"], "before": [f"B f{a}", "E f"], "after": [f"B f{a}{x}", "E f"],
               "around_async": [f"b f #0{a}", f"e f #0{x}"], "before_async": [f"b f #t{a}"], "after_async": [f"e f #t{a}{x}"]}[cut],
             times=3, first=True)

with section("async spans overlap by their ids: recursion"):
    @critical_path("around_async")
    def r(n): return n and r(n - 1)
    r(2)
    want("b r #0", "b r #1", "b r #2", "e r #2", "e r #1", "e r #0")

with section("wrong arguments"):
    for cut in ("", "Around", "around ", "async", "instant", 3, None, b"around", ("around",), "around\0"):
        raises(ValueError, critical_path, cut, what=repr(cut))
        raises(ValueError, critical_path, pointcut=cut, what=repr(cut))
    raises(TypeError, critical_path, "around", "", "n", None, 5)
    raises(TypeError, critical_path, nope=1)
    for wrong in (3, None, "f", [], object()):
        raises(TypeError, critical_path(), wrong)
    raises(TypeError, critical_path())
    raises(TypeError, critical_path(), len, len)
    for wrong in (3, b"x", ["x"]): raises(TypeError, lambda: critical_path(name=wrong)(len))
    raises(TypeError, lambda: critical_path(args=3)(lambda a: 1))
    raises((TypeError, ValueError), lambda: critical_path(args=[3])(lambda a: 1))
    raises(ValueError, lambda: critical_path(args="b")(lambda a: 1))
    raises(ValueError, lambda: critical_path(args=["a", "b"])(lambda a: 1))
    raises(TypeError, lambda: critical_path("around_async", scope=3)(lambda a: 1))
    want()
""")


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
""", timeout=60)


# ---- nothing looks different

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
''', timeout=60)


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


# ---- exceptions, counts, threads

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
        for attempt in range(4):
            tracemalloc.start()
            w(); gc.collect()
            x = tracemalloc.get_traced_memory()[0]
            for _ in range(150): w()
            gc.collect()
            y = tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
            if y - x < 150 * 12: break
        eq(y - x < 150 * 12, True, f"{name}: {y - x} bytes more after 150 runs")
    want(loose=True)

with section("identity of what goes through"):
    x = Thing()
    d = {"k": x}
    def same(*a, **k): return a, k
    a, k = critical_path()(same)(x, **d)
    eq((a[0] is x, k["k"] is x, k is d), (True, True, False))
    want("B same", "E same")
""", timeout=60)


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


@cases(*VERSIONS)
def threads_each_have_their_calls(version):
    r = script(r"""
import spanloom, threading, sys, asyncio, contextvars
sys.setswitchinterval(1e-5)
@spanloom.critical_path()
def outer(n):
    for i in range(n): inner(i)
    return list(gen(n))
@spanloom.critical_path(args=True)
def inner(i): return i
@spanloom.critical_path()
def gen(n):
    for i in range(n): yield inner(i)
shared = iter(gen(40))
lock = threading.Lock()
def work(k):
    for _ in range(50): outer(5)
    for _ in range(10):
        with lock: next(shared)  # one generator, stepped by several threads
threads = [threading.Thread(target=work, args=(k,), name=f"worker {k}") for k in range(4)]
for t in threads: t.start()
for t in threads: t.join()
try: next(shared)
except StopIteration: pass
async def co(n):
    for _ in range(n): await asyncio.sleep(0)
co = spanloom.critical_path()(co)
def loops():
    async def main(): await asyncio.gather(*(co(3) for _ in range(5)))
    asyncio.run(main())
threads = [threading.Thread(target=loops) for k in range(3)]
for t in threads: t.start()
for t in threads: t.join()
""", version=version)
    t = trace()
    equal(len(t.spans("outer")), 200, "calls of outer")
    equal(len(t.spans("inner")), 200 * 10 + 40, "calls of inner")
    equal({s.args.get("i") for s in t.spans("inner")} >= {0, 1, 2, 3, 4, 39}, True)
    tids = {s.tid for s in t.spans("outer")}
    equal(len(tids), 4, "threads")
    for tid in tids:
        equal(sum(s.tid == tid for s in t.spans("outer")), 50, "calls of one thread")
    names = {e["args"]["name"] for e in t.all if e["ph"] == "M" and e["name"] == "thread_name"}
    check({"MainThread", *(f"worker {k}" for k in range(4))} <= names, names)
    begins, ends = t.of("b", "gen"), t.of("e", "gen")
    equal(len(begins), 201), equal(sorted(e["id"] for e in begins), sorted(e["id"] for e in ends)), equal(len({e["id"] for e in begins}), 201)
    stretches = collections.Counter(s.args["id"] for s in t.spans("gen"))
    equal(sorted(stretches.values()), [6] * 200 + [41], "stretches of generators")
    equal(sorted(collections.Counter(s.args["id"] for s in t.spans("co")).values()), [4] * 15, "stretches of coroutines")
    equal(r.out, "")


main()
