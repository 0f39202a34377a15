#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions that are traced without a decorator, by python3 -m spanloom and spanloom trace, in every Python that is here."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa

COUNT = """
import atexit, collections, json, os, runpy, sys, threading
calls, root = collections.Counter(), os.getcwd() + os.sep
def profile(frame, event, arg):
    if event == "call" and os.path.realpath(frame.f_globals.get("__file__") or "/").startswith(root):
        calls[frame.f_code.co_name] += 1
sys.argv = sys.argv[1:]
atexit.register(lambda: json.dump(calls, open("count.json", "w")))
threading.setprofile(profile)
sys.setprofile(profile)
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    sys.setprofile(None)
"""
CALLS = """
import asyncio, dataclasses, functools, sys, threading

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

class Shape:
    sides = 0
    class Inner:
        def deep(self): return 1
    def __init__(self, n): self.n = n
    @property
    def area(self): return self.n
    @classmethod
    def make(cls): return cls(3)
    @staticmethod
    def free(): return 4
    def größe(self): return self.area
    def closes(self):
        def inside(): return self
        return inside()

class Square(Shape):
    def make_more(self): return super().area

@dataclasses.dataclass(eq=False, repr=False)
class Point:
    x: int

def count(n):
    got = 0
    try:
        for i in range(n):
            try:
                got = yield i + (got or 0)
            except KeyError:
                yield -1
    finally:
        fib(1)

def delegate(n):
    return (yield from count(n))

def fails(depth):
    if depth: fails(depth - 1)
    raise ValueError(depth)

def survives():
    for depth in range(3):
        try: fails(depth)
        except ValueError: pass

@functools.lru_cache(None)
def cached(n): return n

async def wait(n):
    await asyncio.sleep(0.001)
    return n

async def numbers(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i

async def cancelled():
    try: await asyncio.sleep(60)
    finally: fib(2)

async def conduct():
    t = asyncio.ensure_future(cancelled())
    total = sum(await asyncio.gather(*map(wait, range(4))))
    async for i in numbers(3): total += i
    t.cancel()
    try: await t
    except asyncio.CancelledError: total += 100
    async for i in numbers(5): break
    return total

def main():
    print(fib(10))
    s = Shape.make(); s.größe(); s.closes(); Shape.free(); Shape.Inner().deep(); Square(1).make_more()
    print(Point(1).x, cached(1), cached(1), (lambda: 5)())
    g = count(9); next(g); g.send(3); g.throw(KeyError); next(g); g.close()
    g = delegate(3); next(g); g.send(1); g.throw(KeyError); print(list(g))
    g = delegate(2); next(g)
    try: g.throw(IndexError)
    except IndexError: pass
    count(2); count(3).close(); g = count(4); next(g); g.close()
    try: count(1).throw(OSError)
    except OSError: pass
    survives()
    for i in range(3):
        t = threading.Thread(target=fib, args=(5,), name=f"thread {i}"); t.start(); t.join()
    print(asyncio.run(conduct()), sorted([3, 1, 2], key=lambda x: -x), sum(x for x in range(5)))

if __name__ == "__main__":
    main()
"""
NAMES = {"<module>", "fib", "Shape", "Shape.Inner", "Shape.Inner.deep", "Shape.__init__", "Shape.area", "Shape.make", "Shape.free", "Shape.größe",
         "Shape.closes", "Shape.closes.<locals>.inside", "Square", "Square.make_more", "Point", "count", "delegate", "fails",
         "survives", "cached", "wait", "numbers", "cancelled", "conduct", "main", "main.<locals>.<lambda>", "main.<locals>.<genexpr>"}


def traced(version, *args, prog=None, env=None, **more):
    """By python3 -m spanloom, as a user without our program does it."""
    if prog is not None:
        write(path("prog.py"), prog)
    return run(python(version), "-m", "spanloom", *(args or ("prog.py",)), env={"PYTHONPATH": PACKAGES, "PYTHONDONTWRITEBYTECODE": "1", **(env or {})}, **more)


def plain(version, *args, **more):
    return run(python(version), *args, env={"PYTHONDONTWRITEBYTECODE": "1"}, **more)


def tally(*all_traces):
    return collections.Counter(s.name for t in all_traces for s in t.spans())


@cases(*VERSIONS)
def calls_are_those_that_Python_itself_counts(version):
    write(path("count/prog.py"), CALLS), write(path("count.py"), COUNT)
    expected = run(python(version), path("count.py"), "prog.py", cwd=path("count"), env={"PYTHONDONTWRITEBYTECODE": "1"}).out
    equal(traced(version, prog=CALLS).out, expected)
    with open(path("count/count.json")) as f:
        counted = collections.Counter(json.load(f))
    t = trace()
    short = collections.Counter(s.name.split(".")[-1] for s in t.spans())
    equal(short, counted)
    check(short["fib"] > 200 and short["count"] > 10)
    equal({n for n in tally(t) if "__create_fn__" not in n} - {"Point.__init__", "__init__"}, NAMES)  # dataclasses call it as they like
    equal({s.cat for s in t.spans()}, {"__main__"})


@cases(*VERSIONS)
def spans_nest_as_the_calls_do(version):
    traced(version, prog="def a(): b(); b()\ndef b(): c()\ndef c(): return [d(i) for i in (1, 2)]\ndef d(i): return i\na()\n")
    spans = [(s.name, s.parent) for s in trace().spans() if "comp" not in s.name]
    equal([n for n, _ in spans], ["<module>", "a", "b", "c", "d", "d", "b", "c", "d", "d"])
    equal(dict(spans[:4]), {"<module>": None, "a": "<module>", "b": "a", "c": "b"})


@cases(*VERSIONS)
def what_is_freed_ends_in_order(version):
    traced(version, prog="class A:\n    def __del__(self): f()\ndef f(): pass\ndef steps():\n    a = A()\n    try: yield 1\n    finally: f()\n"
           "def main():\n    g = steps(); next(g); del g\n    A()\n    h = steps(); next(h)\nmain()\nkept = A()\n")
    equal(tally(trace()), {"<module>": 1, "A": 1, "main": 1, "steps": 4, "A.__del__": 4, "f": 6})


@cases(*VERSIONS)
def exceptions_end_spans_and_are_named(version):
    r = traced(version, prog="class Bad(Exception): pass\ndef f(): g()\ndef g(): raise Bad('no')\nf()\n", code=1, err=None)
    equal(r.err.replace(path(), ""), plain(version, "prog.py", code=1, err=None).err.replace(path(), ""))
    equal({s.name: s.args.get("exception") for s in trace().spans()}, {"<module>": "Bad", "f": "Bad", "g": "Bad", "Bad": None})


SEES = """
import os, sys
print(__name__, __file__, __spec__, __package__, __builtins__ is __import__("builtins"), sys.argv, sys.path, sys.flags, sys.stdin.read(), sorted(globals()))
print("sitecustomize" in sys.modules, getattr(sys.modules.get("sitecustomize"), "theirs", None), sys.getprofile(), sys.gettrace())
import atexit, threading
atexit.register(print, "last")
print(threading.main_thread().name, sys.getrecursionlimit())
"""


@cases(*VERSIONS)
def the_program_sees_what_it_would_see(version):
    write(path("theirs/sitecustomize.py"), "theirs = 'here'\n"), write(path("in/prog.py"), SEES), write(path("in/pkg/__init__.py"), "")
    write(path("in/pkg/__main__.py"), SEES + "from . import other\nprint(other.f())\n"), write(path("in/pkg/other.py"), "def f(): return 1\n")
    for args in (["prog.py", "a", "--modules", "-m"], ["./prog.py"], [path("in/prog.py")], ["-m", "pkg", "-m", "b c"], ["-m", "prog"], ["pkg/../prog.py"]):
        told = []
        for front in [], ["-m", "spanloom"]:
            with open(write(path("stdin"), "to be read\n")) as stdin:
                told.append(run(python(version), *front, *args, cwd=path("in"), stdin=stdin, env={"PYTHONPATH": f"{path('theirs')}:{PACKAGES}"}).out)
        equal(*(re.sub("0x[0-9a-f]+", "", t) for t in told), args)
        check("True here" in told[0], told[0])


@cases(*VERSIONS)
def ends_as_the_program_ends(version):
    for source, code in (("import sys; sys.exit(7)", 7), ("raise SystemExit('why')", 1), ("import os; os._exit(9)", 9), ("1/0", 1),
                         ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -15), ("raise KeyboardInterrupt", -2), ("def f(:", 1)):
        r = traced(version, prog=source, code=code, err=None)
        equal(r.err, plain(version, "prog.py", code=code, err=None).err)
    equal(traced(version, "missing.py", code=2, err=None).err, plain(version, "missing.py", code=2, err=None).err)
    equal(traced(version, "-m", "missing.module", code=1, err=None).err, plain(version, "-m", "missing.module", code=1, err=None).err)


@cases(*VERSIONS)
def own_functions_only_unless_modules_say_otherwise(version):
    write(path("in/lib/__init__.py"), "from .sub import g\n"), write(path("in/lib/sub.py"), "import json\ndef g(): return json.dumps([1])\n")
    write(path("in/venv/lib/python3/site-packages/theirs.py"), "def t(): return 1\n"), write(path("out/beside.py"), "def h(): return 1\n")
    write(path("in/prog.py"), "import sys\nsys.path += ['venv/lib/python3/site-packages', '../out']\nimport lib, theirs, beside\nlib.g(), theirs.t(), beside.h()\n")

    def seen(*args):
        for f in files(folder=path("in")):
            os.remove(f)
        run(python(version), "-m", "spanloom", *args, cwd=path("in"), env={"PYTHONPATH": PACKAGES, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"})
        return {(s.cat, s.name) for s in trace(path("in")).spans()}

    own = {("lib.sub", "g"), ("lib.sub", "<module>"), ("lib", "<module>")}
    equal(seen("prog.py"), own | {("__main__", "<module>")})
    equal(seen("-m", "lib.sub"), own - {("lib.sub", "g")} | {("__main__", "<module>")})
    equal(seen("--modules", "theirs,bes*", "prog.py"), {("theirs", "<module>"), ("theirs", "t"), ("beside", "<module>"), ("beside", "h")})
    every = seen("--modules=*", "prog.py")
    check(own | {("theirs", "t"), ("json", "dumps"), ("json.encoder", "JSONEncoder.encode"), ("importlib._bootstrap", "_find_and_load")} <= every, sorted(every))
    equal({c for c, _ in every if c.startswith(("spanloom", "_spanloom"))}, set())


@cases(*VERSIONS)
def threads_and_their_names(version):
    for modules in [], ["--modules", "*"]:
        for f in files():
            os.remove(f)
        traced(version, *modules, "prog.py", prog="import threading\ndef f(): pass\nfor n in 'one', 'two':\n    t = threading.Thread(target=f, name=n); t.start(); t.join()\n")
        t = trace()
        names = {e["tid"]: e["args"]["name"] for e in t.all if e.get("ph") == "M" and e["name"] == "thread_name"}
        equal([names.get(s.tid) for s in t.spans("f")], ["one", "two"])
        equal([names.get(s.tid) for s in t.spans("<module>") if s.cat == "__main__"], ["MainThread"])


PROCESSES = """
import functools, multiprocessing, os, subprocess, sys
print = functools.partial(print, flush=True)
from concurrent.futures import ProcessPoolExecutor
def square(x): return x * x
def in_child(): square(2)
if __name__ == "__main__":
    for how in "fork", "spawn", "forkserver":
        c = multiprocessing.get_context(how)
        with ProcessPoolExecutor(2, mp_context=c) as e: print(sum(e.map(square, range(5))))
        p = c.Process(target=in_child); p.start(); p.join(); print(p.exitcode)
    if not os.fork(): in_child(); os._exit(0)
    os.wait()
    subprocess.run([sys.executable, "other.py"], check=True)
    subprocess.run([sys.executable, "-I", "-c", "print('isolated')"], check=True)
"""


@cases(*VERSIONS)
def processes_that_it_starts(version):
    write(path("other.py"), "def square(x): return x\nsquare(1)\n")
    equal(traced(version, prog=PROCESSES).out.split(), ["30", "0"] * 3 + ["isolated"])
    all_traces = traces(rules=False) + [exported(f) for f in files("*.slt")]
    equal([tally(*all_traces)[n] for n in ("square", "in_child")], [3 * 6 + 1 + 1, 4])
    check(len(all_traces) >= 9, len(all_traces))


@cases(*VERSIONS)
def decorated_functions_are_not_recorded_twice(version):
    traced(version, prog="import spanloom\n@spanloom.critical_path()\ndef f(): return g()\ndef g(): pass\n"
           "@spanloom.critical_path(name='special')\ndef steps(): yield 1; yield 2\nf(), list(steps())\n")
    equal(tally(trace()), {"<module>": 1, "f": 1, "g": 1, "special": 3})


@cases(*VERSIONS)
def other_tools_go_on(version):
    prog = ("import cProfile, pstats, io, sys\ndef f(n): return n if n < 2 else f(n - 1) + f(n - 2)\n"
            "p = cProfile.Profile(); p.runcall(f, 8)\nprint(sorted((k[2], v[1]) for k, v in pstats.Stats(p).stats.items() if k[2] == 'f'))\n"
            "seen = []\nsys.settrace(lambda frame, event, arg: seen.append(event)); f(1); sys.settrace(None); print(seen)\n")
    out = traced(version, prog=prog).out
    equal(out, plain(version, "prog.py").out)
    equal(tally(trace())["f"], 67 + 1)


@cases(*VERSIONS)
def an_interrupt_is_the_programs(version):
    prog = ("import os, signal, threading\nsources = [compile(f'def f(): return {i}', '<made>', 'exec') for i in range(4000)]\n"
            "def main():\n    while True:\n        for s in sources:\n            names = {'__name__': 'm', '__file__': __file__}\n"
            "            exec(s, names)\n            names['f']()\n"
            "try:\n    threading.Timer(.02, os.kill, (os.getpid(), signal.SIGINT)).start()\n    main()\n"
            "except KeyboardInterrupt: print('interrupted')\n")
    for _ in range(3):
        equal(traced(version, prog=prog).out, "interrupted\n")


@cases(*VERSIONS)
def nothing_is_recorded_where_the_environment_says_so(version):
    equal(traced(version, prog="def f(): return 1\nprint(f())", options="log-enable=False").out, "1\n")
    equal(files() + files("*.slt"), [])


@cases(*VERSIONS)
def nothing_is_kept_of_calls(version):
    prog = ("import resource, sys\ndef g(): yield 1\ndef f(n):\n    try:\n        for x in g(): pass\n        if n % 3 == 0: raise ValueError\n"
            "    except ValueError: pass\ndef many(n):\n    for i in range(n): f(i)\n"
            "def held(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, sys.getrefcount(f.__code__), sys.getrefcount(g), sys.getrefcount(ValueError)\n"
            "many(10000); a = held(); many(200000); b = held(); print(b[0] - a[0] < 1024, [y - x for x, y in zip(a[1:], b[1:])])\n")
    equal(traced(version, prog=prog, spanloom="log-format=binary").out, "True [0, 0, 0]\n")


@test
def usage_of_the_module():
    for args, code, words in ((["--help"], 0, "usage:"), ([], 2, "usage:"), (["--modules"], 1, "usage:"), (["-m"], 2, "usage:"), (["--other", "x"], 1, "unknown option --other")):
        r = run(python(), "-m", "spanloom", *args, env={"PYTHONPATH": PACKAGES}, code=code, err=None)
        check(words in r.out + r.err, r.out + r.err)


def by_program(version, *args, **more):
    return run(PROGRAM, "trace", *args, env={"PYTHONDONTWRITEBYTECODE": "1"}, **more)


@cases(*VERSIONS)
def by_the_program_with_a_profile(version):
    write(path("prog.py"), "import sys\ndef f(n):\n    if n: f(n - 1)\nf(3)\nprint(sys.argv)\nsys.exit(4)\n")
    r = by_program(version, "--python", python(version), "prog.py", "--quiet", "x", code=4, err=None)
    equal(r.out, "['prog.py', '--quiet', 'x']\n")
    check(re.search(r" 4 .* f\n", r.err) and "call tree" in r.err, r.err)
    rows = [r.split("\t") for r in spanloom("profile", "-d", path("spanloom.db"), "--format", "tsv").out.splitlines()]
    calls = {r[rows[0].index("name")]: r[rows[0].index("calls")] for r in rows[1:]}
    equal(calls, {"prog.py": "1", "<module>": "1", "f": "4"})


@test
def by_the_Python_of_the_first_line():
    for i, version in enumerate(VERSIONS):
        write(path("prog.py"), f"#!{python(version)} -u\nimport sys\nprint('%d.%d' % sys.version_info[:2])\n")
        equal(by_program(None, "--quiet", "prog.py").out, f"{version}\n")
    os.symlink(python(VERSIONS[-1]), path("python3.x"))
    write(path("prog.py"), "#!/usr/bin/env python3.x\nimport sys\nprint('%d.%d' % sys.version_info[:2])\n")
    equal(run(PROGRAM, "trace", "--quiet", "prog.py", env={"PATH": f"{path()}:{os.environ['PATH']}"}).out, f"{VERSIONS[-1]}\n")


@cases(*VERSIONS)
def in_a_virtual_environment_without_our_package(version):
    run(python(version), "-m", "venv", "--without-pip", "venv")
    write(path("prog.py"), "import sys\ndef f(): return sys.prefix\nprint(f())\n")
    write(path("out/.keep"), "")
    r = by_program(version, "--python", path("venv/bin/python"), "--report", "report", "prog.py")
    equal(r.out, f"{path('venv')}\n")
    with open(path("report")) as f:
        check(re.search(r" f$", f.read(), re.M))


main()
