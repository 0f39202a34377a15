#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom.critical_path() on functions and all else that can be called, with all its parameters.

A program is a list of sections: what happens in one must record exactly the events that it names with want().
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa
from sections import *  # noqa


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
