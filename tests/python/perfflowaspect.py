#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs written for PerfFlowAspect's Python package, with the package of that name that is ours."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pythons import *  # noqa: E402,F403
from perfflow_programs import COUNTS, DIRECT, HEAD, INCORRECT, PROGRAMS, of_threads  # noqa: E402


def told(program, version=None, **more):
    """Runs it; gives its traces."""
    return script(HEAD + program, version=version, **more)


@cases(*((v, name) for v in VERSIONS for name in PROGRAMS))
def documented(version, name):
    source, wanted = PROGRAMS[name]
    r = told(source, version, err=INCORRECT if name == "future_incorrect" else "")
    found = traces(n=COUNTS[name] if name == "multiprocessing" else 1)
    for t in found:
        pid = t.meta["pid"]
        main_thread, others = of_threads(t.events, pid)
        equal(main_thread, wanted["main"], "events of the main thread")
        equal(others, [wanted["other"]] * COUNTS.get(name, 1) if "other" in wanted else [], "events of the others")
        equal({e["cat"] for e in t.events}, {"prog.py" if name in DIRECT else "__main__"})
        equal({e["pid"] for e in t.events}, {pid})
        equal([e for e in t.events if e.get("args")], [], "arguments")
        if name != "multiprocessing":
            equal(pid, r.pid)
        t.spans()
    scopes = {(e["name"], e.get("scope"), e["id"] if name in DIRECT else 0) for t in found for e in t.of("bne")}
    equal(scopes, {"future": {("bar", None, 0)}, "future2": {("begins", "foo", 0), ("bar", "foo", 0)}, "future_direct": {("bar", None, 123)},
                   "scopes": {("job", "batch", 7)}}.get(name, set()), "scopes and ids")


@cases("fork", "spawn", "forkserver")
def processes_however_begun(method):
    source, wanted = PROGRAMS["multiprocessing"]
    """Where they do not fork, what started them tells only that they are its own."""
    r = told(source, env={"METHOD": method})
    found = {t.meta["pid"]: t for t in traces()}
    mine = found.pop(r.pid, None)
    equal([e["name"] for e in mine.events] if mine else [], [] if method == "fork" else ["traceparent"] * 4)
    equal(len(found), 4)
    for t in found.values():
        equal(of_threads(t.events, t.meta["pid"]), (wanted["main"], []))
        equal({e["cat"] for e in t.events}, {"__main__" if method == "fork" else "__mp_main__"})


# ---- PERFFLOW_OPTIONS, as its own tests have it

NESTED = PROGRAMS["nested"][0]


@cases(*VERSIONS)
def off(version):
    """Functions are what they are, and no file comes of it."""
    told("""
def f(x): return x + 1
g = aspect.critical_path()(f)
h = aspect.critical_path(pointcut="typo")(f)
assert g is f and h is f and g(1) == 2
assert aspect.sync_event("before", "a", "b") is None and aspect.async_event("typo", "a", "b") is None
from perfflowaspect.advice_chrome import ChromeTracingAdvice
assert ChromeTracingAdvice.enable_logging is False
""" + NESTED, version, options="log-enable=False")
    equal(files("*.pfw") + files("*.slt"), [])


@cases("log-event=compact", "log-event=Verbose", "cpu-mem-usage=True", "cpu-mem-usage=True:log-event=Compact", "log-dir=below/it")
def options_of_its_tests(options):
    told(NESTED, options=options)
    [t] = traces(path("below/it") if "log-dir" in options else None, 1)
    equal([s.name for s in t.spans()], ["outer", "middle", "inner"] * 4)
    equal(len(t.of("X")) if "ompact" in options else len(t.of("BE")), 12 if "ompact" in options else 24)
    equal(len(t.of("C")), 24 if "cpu" in options else 0)
    for e in t.of("C"):
        equal(sorted(e["args"]), ["cpu_usage", "memory_usage"])


@cases("log-enable=Maybe", "log-event=Terse", "cpu-mem-usage=2")
def options_that_are_none(options):
    """One line says so, and the default holds: a word in the environment does not stop the program."""
    r = told(NESTED, options=options, err=None)
    check(options.partition("=")[0] in r.err and r.err.count("\n") == 1, r.err)
    equal(len(trace().of("BE")), 24)


@test
def the_environment_of_children():
    """PERFFLOW_INSTANCE_PATH is in os.environ, for those who copy that."""
    r = told('import subprocess, sys\nprint(os.environ["PERFFLOW_INSTANCE_PATH"], flush=True)\nsubprocess.run([sys.executable, "-c", "import perfflowaspect, os; print(os.environ[\'PERFFLOW_INSTANCE_PATH\'])"], env={**os.environ, "A": "b"})\n', env={"FLUX_JOB_ID": "j1"})
    equal(r.out.split(), ["j1", "j1.j1"])


@cases("async_event", "def x(): pass", "class x: pass")
def a_scope_that_is_not_text(word):
    """Is told as the text that it comes to."""
    told({"async_event": """for p in "before", "after": aspect.async_event(p, "x", "c", scope=5)\n"""}.get(word,
         f"@aspect.critical_path(pointcut='before_async', scope=5)\n{word}\nx()\n"))
    equal({e["scope"] for e in trace().of("be")}, {"5"})


# ---- its faults are not ours

@cases(*VERSIONS)
def usage_of_calls_that_take_no_time(version):
    """Theirs divides by the time."""
    told("@aspect.critical_path()\ndef f(): return 1\nfor _ in range(2000): assert f() == 1\n", version, options="cpu-mem-usage=True")
    equal(len(trace().spans("f")), 2000)


@cases(*((v, p) for v in VERSIONS for p in ("around", "before", "after", "around_async", "before_async", "after_async")))
def exceptions(version, pointcut):
    """Each goes through, and the span is closed."""
    r = told(f"""
@aspect.critical_path(pointcut={pointcut!r}, scope="s")
def f():
    raise KeyError("mine")
try: f()
except KeyError as e: print(e.args[0])
""", version)
    equal(r.out, "mine\n")
    t = trace()
    equal([e["ph"] for e in t.events], {"around_async": ["b", "e"], "before_async": ["b"], "after_async": ["e"]}.get(pointcut, ["B", "E"]))
    t.spans()


@cases(*VERSIONS)
def sys_exit_in_a_call(version):
    """Theirs leaves a B without an E, also of the functions that are cancelled by an exit of another kind."""
    told("""
import signal
@aspect.critical_path()
def leaves(): sys.exit(3)
@aspect.critical_path()
def interrupted():
    try: leaves()
    finally: raise KeyboardInterrupt
import sys
try: interrupted()
except KeyboardInterrupt: leaves()
""", version, code=3)
    equal([(s.name, s.unfinished, s.args) for s in trace().spans()], [("interrupted", False, {"exception": "KeyboardInterrupt"}), ("leaves", False, {"exception": "SystemExit"}), ("leaves", False, {"exception": "SystemExit"})])


@cases(*VERSIONS)
def names_of_any_kind(version):
    told(r"""
def f(): pass
names = "a \"quoted\" name", "line\nbreak", "\u00e9\u4e2d\U0001f600", "half \udc80", "", "x" * 3000, "</script>", "{}],"
for name in names:
    aspect.sync_event("before", name, name)
    aspect.sync_event("after", name, name)
f.__qualname__ = names[0]
aspect.critical_path()(f)()
""", version)
    t = trace()
    equal([s.name for s in t.spans()], ['a "quoted" name', "line\nbreak", "é中😀", "half \\udc80", "", "x" * 3000, "</script>", "{}],", 'a "quoted" name'])
    equal([s.cat for s in t.spans()][:3], ['a "quoted" name', "line\nbreak", "é中😀"])


@test
def a_KeyError_of_the_function_is_its_own():
    """It is no unknown pointcut, and the function is called once."""
    r = told("calls = []\n@aspect.critical_path('typo')\ndef f():\n    calls.append(1)\n    raise KeyError('x')\ntry: f()\nexcept KeyError: print(len(calls))\n", err=None)
    equal((r.out, r.err), ("1\n", "perfflow error: ('unknown pointcut', 'typo')\n"))


@cases(*VERSIONS)
def coroutines_and_generators(version):
    """Theirs measures how long it takes to make one; ours, when it runs and until it is done."""
    told("""
import asyncio
@aspect.critical_path()
async def co(): await asyncio.sleep(0.02)
@aspect.critical_path()
def gen():
    time.sleep(0.01)
    yield 1
    time.sleep(0.01)
@aspect.critical_path()
async def agen():
    await asyncio.sleep(0.01)
    yield 1
async def all_of_it():
    await co()
    async for _ in agen(): pass
asyncio.run(all_of_it())
assert list(gen()) == [1]
unused = gen()
""", version)
    t = trace()
    for name, least in ("co", 20e6), ("gen", 20e6), ("agen", 10e6):
        begin, end = t.of("be", name)
        check(ns(end["ts"]) - ns(begin["ts"]) >= least, name, begin, end)
        check(len(t.spans(name)) >= 2, name)


@test
def a_second_run_with_the_name_of_the_first():
    for _ in range(2):
        told(NESTED, options="name=mine:log-filename-include=name")
        equal(os.listdir(path()).count("perfflow.array.mine.pfw"), 1)
        equal(len(trace().of("BE")), 24)  # which is one JSON array, closed


@cases(*VERSIONS)
def moments_take_nothing_in(version):
    """Theirs leaves a B without an E for before, and an E without a B for after."""
    told("""
@aspect.critical_path("before")
def begins(): inside()
@aspect.critical_path("after")
def ends(): inside()
@aspect.critical_path()
def inside(): pass
@aspect.critical_path()
def all_of_it(): begins(); ends()
all_of_it()
""", version)
    t = trace()
    equal(t.names(), ["all_of_it B", "begins B", "begins E", "inside B", "inside E", "inside B", "inside E", "ends B", "ends E", "all_of_it E"])


@cases(*VERSIONS)
def asynchronous_calls_at_once(version):
    """Each has an id of its own: theirs has that of the thread."""
    told("""
import asyncio
@aspect.critical_path("around_async")
def f(n): return f(n - 1) if n else 0
f(3)
@aspect.critical_path("around_async")
async def g(): await asyncio.sleep(0.005)
async def all_of_it(): await asyncio.gather(*(g() for _ in range(4)))
asyncio.run(all_of_it())
""", version)
    t = trace()
    for name in "f", "g":
        equal(len({e["id"] for e in t.of("b", name)}), 4)
        equal({e["id"] for e in t.of("b", name)}, {e["id"] for e in t.of("e", name)})


@cases(*VERSIONS)
def forks(version):
    """Theirs writes on in its parent's file."""
    told("""
@aspect.critical_path()
def child(): pass
@aspect.critical_path()
def parent():
    pid = os.fork()
    if not pid:
        child()
        import spanloom
        spanloom.finish()
        os._exit(0)
    os.waitpid(pid, 0)
parent()
""", version)
    equal(sorted(t.names() for t in traces(n=2)), [["child B", "child E"], ["parent B", "parent E"]])


# ---- what user code may touch besides

@cases(*VERSIONS)
def wrong_event_pointcuts(version):
    r = told("""
for f in aspect.sync_event, aspect.async_event:
    for pointcut in "around", "typo", None, "":
        try: f(pointcut, "name", "category")
        except ValueError as e: print(e)
try: aspect.sync_event("instant", "name", "category")
except ValueError as e: print(e)
""", version)
    equal(r.out.splitlines(), [f"Invalid pointcut: {p}" for p in ("around", "typo", "None", "")] * 2 + ["Invalid pointcut: instant"])
    equal(files("*.pfw"), [])


@cases(*VERSIONS)
def names_that_are_no_text(version):
    """Anything that JSON has is a name there."""
    told('aspect.sync_event("before", 5, "c")\naspect.sync_event("after", 5, "c")\naspect.async_event("before", "x", None, id="job-1")\naspect.async_event("after", "x", None, id="job-1")\n', version)
    t = trace()
    equal([s.name for s in t.spans()], ["5"])
    equal(len({e["id"] for e in t.of("be", "x")}), 1)


@cases(*VERSIONS)
def advice_by_its_class(version):
    told("""
from perfflowaspect.advice_chrome import ChromeTracingAdvice
from perfflowaspect.advice_dispatch import AdviceDispatcher
from perfflowaspect.aspect_base import perfflowaspect as marks
assert ChromeTracingAdvice.enable_logging is True and AdviceDispatcher.get_advice("ChromeTracing") is ChromeTracingAdvice
def f(): return 1
for decorate in ChromeTracingAdvice.around, ChromeTracingAdvice.before_async("s"), AdviceDispatcher.get("ChromeTracing", "after", ""):
    assert decorate(f)() == 1
ChromeTracingAdvice.sync_event("before", "x", "c")
ChromeTracingAdvice.sync_event("after", "x", "c")
try: AdviceDispatcher.get("ChromeTracing", "typo", "")
except KeyError as e: assert e.args == ("unknown pointcut", "typo")
else: assert False

@marks
class Mine:
    @staticmethod
    def around(func): return lambda *a: ("mine", func(*a))
AdviceDispatcher.advice_dict["Mine"] = Mine
aspect.advice_kind = "Mine"
assert aspect.critical_path()(f)() == ("mine", 1)
aspect.advice_kind = "ChromeTracing"
ChromeTracingAdvice.enable_logging = False
assert aspect.critical_path()(f) is f
aspect.sync_event("before", "not told", "c")
""", version)
    equal([f"{e['ph']} {e['name']}" for e in trace().events], ["B f", "E f", "b f", "B f", "E f", "B x", "E x"])


@cases(*VERSIONS)
def it_is_the_function_still(version):
    told('''
import inspect, pickle
@aspect.critical_path(pointcut="around")
def f(a, b=2, *c, d: int = 3, **e) -> int:
    "What it does."
    return a
assert str(inspect.signature(f)) == "(a, b=2, *c, d: int = 3, **e) -> int" and f.__doc__ == "What it does."
assert (f.__name__, f.__qualname__, f.__module__) == ("f", "f", "__main__") and inspect.isfunction(f)
assert pickle.loads(pickle.dumps(f)) is f and f.__wrapped__.__name__ == "f"
@aspect.critical_path("typo")
def g(a, b): "Wrong."
assert str(inspect.signature(g)) == "(a, b)" and g.__doc__ == "Wrong."
@aspect.critical_path
def bare(): return 4
assert bare() == 4
class C:
    @aspect.critical_path("typo")
    @classmethod
    def h(cls): return cls
''', version)


# ---- beside its own, which a package here stands for that writes a file as it does

THEIRS = """import os
open(f"perfflow.host.{os.getpid()}.pfw", "w").write("[\\n")
def critical_path(): return lambda function: function
"""
BOTH = ("import spanloom", "from perfflowaspect import aspect", "from perfflowaspect import aspect_base")


def with_theirs(*lines, **more):
    os.makedirs(path("their s/perfflowaspect"), exist_ok=True)
    write(path("their s/perfflowaspect/__init__.py"), "")
    write(path("their s/perfflowaspect/aspect_base.py"), "")
    write(path("their s/perfflowaspect/aspect.py"), THEIRS)
    return script("\n".join(lines), env={"PYTHONPATH": f"{path('their s')}:{PACKAGES}"}, err=None, **more)


@cases(*((v, n) for v in VERSIONS for n in range(3)))
def theirs_before_ours_in_the_path(version, n):
    """One line says so, in whatever order a program imports both, and none where theirs is not imported or alone."""
    r = with_theirs(*BOTH[n:], *BOTH[:n], version=version)
    equal((r.err.count("\n"), path("their s/perfflowaspect/__init__.py") in r.err), (1, True), r.err)
    equal(with_theirs(BOTH[0], version=version).err, "")
    equal(with_theirs(*BOTH[1:], version=version).err, "")
    equal(with_theirs(*BOTH, version=version, options="log-enable=False").err, "")
    equal(told("import spanloom\n", version).err, "")


@cases("", "log-dir=else where")
def spanloom_run_names_what_it_wrote(options):
    """Its trace is not imported; one that was there before is none of this."""
    os.makedirs(path("else where"))
    write(path("perfflow.host.1.pfw"), "[\n")
    os.utime(path("perfflow.host.1.pfw"), (1, 1))
    with_theirs()
    write(path("their s/perfflowaspect/aspect.py"), THEIRS.replace("perfflow.", f"{'else where' if options else '.'}/perfflow."))
    e = bare_environment(PYTHONPATH=path("their s"), PERFFLOW_OPTIONS=options)
    write(path("prog.py"), "from perfflowaspect import aspect\nimport os\nprint(os.getpid())\n")
    r = subprocess.run([f"{BUILD}/spanloom", "run", "--", sys.executable, "prog.py"], cwd=path(), env=e, capture_output=True, text=True)
    [line] = [line for line in r.stderr.splitlines() if "not imported:" in line]
    check(f"{'else where' if options else '.'}/perfflow.host.{r.stdout.strip()}.pfw," in line, line)
    r = subprocess.run([f"{BUILD}/spanloom", "run", "--", "true"], cwd=path(), env=e, capture_output=True, text=True)
    check("only the command itself" in r.stderr and "not imported:" not in r.stderr, r.stderr)


# ---- the names that it has besides

@cases(*VERSIONS)
def events_that_are_made_and_not_told(version):
    told("""
import threading, time
from perfflowaspect.advice_chrome import ChromeTracingAdvice as C
def same(event, **wanted):
    assert abs(event.pop("ts") - time.time() * 1e6) < 60e6
    assert event == {"name": "n", "cat": "c", "pid": os.getpid(), "tid": threading.get_native_id(), **wanted}, event
for ph in "BE": same(C.create_sync_event("n", "c", ph), ph=ph)
for ph in "bnestf": same(C.create_async_event("n", "c", ph), ph=ph, id=123)
same(C.create_async_event("n", "c", "b", scope="s", id="j"), ph="b", id="j", scope="s")
same(C.create_async_event("n", "c", "b", "s", 7), ph="b", id=7, scope="s")
for make in C.create_sync_event, C.create_async_event:
    try: make("n", "c", "X")
    except ValueError as e: assert str(e) == "Invalid Phase: X"
    else: assert False
""", version)
    equal(files("*.pfw"), [])


@cases(("", ""), ("log-filename-include=name,instance-path:name=me:log-dir=below/it", ""), ("log-filename-include=pid:log-event=compact:cpu-mem-usage=TRUE", ""),
       ("log-dir=there", "log-dir=here/:log-format=object"), ("log-format=Object:log-filename-include=pid,hostname", "log-filename-include=instance-path"),
       ("log-event=Terse:what:log-filename-include=name", ""))
def what_is_said_of_the_options(options, ours):
    """fn is the trace's name, in a child of a fork as well."""
    r = told("""
from perfflowaspect.advice_chrome import ChromeTracingAdvice as C, perfflow_options, get_perfflow_instance_path
aspect.critical_path()(lambda: None)()
print(C.fn, flush=True)
print(C.enable_compact_log_event, C.enable_cpu_mem_usage, C.array_format, C.logger, C.inst_path == os.environ["PERFFLOW_INSTANCE_PATH"], flush=True)
assert (C.log_dir, C.log_event, C.log_format) == tuple(perfflow_options[o] for o in ("log-dir", "log-event", "log-format"))
import multiprocessing
def child():
    aspect.critical_path()(lambda: None)()
    print(C.fn, flush=True)
p = multiprocessing.get_context("fork").Process(target=child)
p.start(), p.join()
""", options=options, spanloom=ours, err=None)
    mine, flags, childs = r.out.splitlines()
    found = {os.path.relpath(f, path()) for folder, _, _ in os.walk(path()) for f in files(folder=folder)}
    equal({os.path.normpath(n) for n in (mine, childs)}, found)
    equal(len(found), 2)
    equal(flags, f"{'compact' in options} {'TRUE' in options} {'bject' not in options + ours} None True")


@cases(*VERSIONS)
def instance_paths(version):
    r = told("""
from perfflowaspect import advice_chrome as a
import subprocess, sys
print(a.ChromeTracingAdvice.inst_path, a.get_perfflow_instance_path(), a.get_foreign_wm(), a.get_uniq_id_from_foreign_wm())
a.set_perfflow_instance_path("mine")
print(os.environ["PERFFLOW_INSTANCE_PATH"], a.get_perfflow_instance_path(), flush=True)
subprocess.run([sys.executable, "-c", "import perfflowaspect.advice_chrome as a; print(a.ChromeTracingAdvice.inst_path)"])
os.system("echo $PERFFLOW_INSTANCE_PATH")
""", version, env={"SLURM_JOB_ID": "123456", "SLURM_STEP_ID": "1"})
    own = hashlib.sha1(b"123456.1").hexdigest()[:8]
    equal(r.out.split(), [own, f"{own}.{own}", "slurm", "123456.1", "mine", f"mine.{own}", f"mine.{own}", "mine"])


@cases(*VERSIONS)
def scopes_that_are_no_text(version):
    """What JSON has is a scope there, by the decorator as by hand; around_async has none."""
    told("""
class S:
    def __str__(self): return "said"
for scope in 5, None, "", True, S():
    for pointcut in "before_async", "around_async", "after_async", "around":
        assert aspect.critical_path(pointcut, scope)(lambda: 1)() == 1
    aspect.async_event("before", "by hand", "c", scope=scope)
""", version)
    scopes = [e.get("scope") for e in trace().of("bne")]
    equal(scopes, [x for s in ("5", None, None, "True", "said") for x in (s, None, None, s, s)])


# ---- what differs

@test
def what_differs_is_listed_and_tested():
    """Each line of the page, by its bold words, and `Differs: WORDS.` (or several, `WORDS; WORDS.`) in what tests say of themselves."""
    with open(f"{ROOT}/docs/from-perfflowaspect.md", encoding="utf-8") as f:
        listed = re.findall(r"^- \*\*(.+?)\*\*", f.read().partition("\n## What differs\n")[2], re.M)
    tested = set()
    for file in glob.glob(f"{ROOT}/tests/peers/perfflow*.py") + glob.glob(f"{ROOT}/tests/runtime/*.py"):
        with open(file, encoding="utf-8") as f:
            for words in re.findall(r'Differs: ([^`"]+?)\."""', f.read()):
                tested |= set(words.split("; "))
    equal((sorted(set(listed) - tested), sorted(tested - set(listed)), len(listed)), ([], [], len(set(listed))), "without a test, without a line")


if __name__ == "__main__":
    main()
