#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/from-perfflowaspect.md says that differs, done by PerfFlowAspect's own Python package and by ours.

`Differs: WORDS.` in the documentation of a test names a line of that page; tests/python/perfflowaspect.py sees that each
line has a test.
"""
import glob
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import check, equal, main, path, test  # noqa: E402
import peers  # noqa: E402
from perfflow_peers import by, environment  # noqa: E402
from perfflow_programs import HEAD, PROGRAMS  # noqa: E402

ONE = '@aspect.critical_path("around")\ndef f(): pass\nf()\n'


def both(program, options="", **more):
    """The events of theirs, and of ours."""
    return [by(package, program, options, **more) for package in ("theirs", "ours")]


def told(events):
    return [f"{e['ph']} {e['name']}" for e in events]


def outcome(package, program, where="", options="", kill=False, **env):
    """The process, as it ended, and {name: text} of the files in its folder, with PID for its number."""
    folder = path(where or package)
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/prog.py", "w", encoding="utf-8") as file:
        file.write(HEAD + program)
    p = subprocess.Popen([peers.python(), "prog.py"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env={**environment(package, options), **env})
    p.out, p.err = p.communicate(timeout=60)
    if not kill:
        check(p.returncode == 0, p.err)
    found = {}
    for name in glob.glob(f"{glob.escape(folder)}/**/*.pfw", recursive=True) + glob.glob(f"{glob.escape(folder)}/**/*.slt", recursive=True):
        with open(name, encoding="utf-8", errors="replace") as file:
            found[os.path.relpath(name, folder).replace(str(p.pid), "PID").replace(os.uname().nodename, "HOST")] = file.read()
    return p, found


# ---- files

@test
def closed():
    """Differs: closed JSON."""
    _, theirs = outcome("theirs", ONE)
    check(theirs["perfflow.HOST.PID.pfw"].endswith("},\n"), theirs)
    _, ours = outcome("ours", ONE)
    equal([e["ph"] for e in json.loads(ours["perfflow.array.HOST.PID.pfw"])], ["M", "M", "M", "B", "E"])
    _, open_ = outcome("ours", ONE, "open", SPANLOOM_OPTIONS="log-close=False")
    equal([e.get("ph") for e in json.loads(open_["perfflow.array.HOST.PID.pfw"] + " {}]")], ["B", "E", None])


@test
def killed():
    """Differs: made at the end."""
    program = ONE + "import signal\nos.kill(os.getpid(), signal.SIGKILL)\n"
    equal([sorted(outcome(package, program, kill=True)[1]) for package in ("theirs", "ours")],
          [["perfflow.HOST.PID.pfw"], ["perfflow.array.HOST.PID.slt"]])
    subprocess.run(["sh", "-c", "spanloom export chrome *.slt"], cwd=path("ours"), capture_output=True, check=True)
    [pfw] = glob.glob(path("ours", "*.pfw"))
    with open(pfw, encoding="utf-8") as file:
        equal([e["ph"] for e in json.load(file) if e["ph"] != "M"], ["B", "E"])


@test
def the_name_of_a_file_that_is_there():
    """Differs: a file of that name."""
    for package, begins in ("theirs", 2), ("ours", 1):
        for _ in range(2):
            _, found = outcome(package, ONE, options="log-filename-include=name")
        [text] = found.values()
        equal(text.count('"ph": "B"'), begins, package)


@test
def children_of_a_fork():
    """Differs: children of a fork."""
    program = ONE + "if not os.fork():\n    f()\n    import sys\n    sys.exit()\nos.wait()\n"
    equal([sorted(text.count('"ph": "B"') for text in outcome(package, program)[1].values()) for package in ("theirs", "ours")], [[2], [1, 1]])


@test
def the_folder():
    """Differs: the folder."""
    for package, made in ("theirs", True), ("ours", False):
        outcome(package, "", options="log-dir=there")
        equal(os.path.exists(path(package, "there")), made, package)


@test
def ill_formed_options():
    """Differs: options that are none."""
    for options in "log-enable=Maybe", "log-event=Terse", "cpu-mem-usage=2":
        p, _ = outcome("theirs", ONE, options, options, kill=True)
        check(p.returncode == 1 and "ValueError: perfflow invalid option" in p.err, p.err)
        p, found = outcome("ours", ONE, options + " ours", options)
        equal((p.err.count("\n"), len(found)), (1, 1), p.err)


@test
def the_clock():
    """Differs: times."""
    program = "time.time = lambda: 1.5\n" + ONE
    [theirs], [ours] = (outcome(package, program)[1].values() for package in ("theirs", "ours"))
    equal(set(re.findall(r'"ts": ([^,]+),', theirs)), {"1500000.0"})
    check(all(re.fullmatch(r"\d{16}\.\d{3}", ts) for ts in re.findall(r'"ts": ([^,]+),', ours)), ours)


@test
def what_children_are_told():
    """Differs: the environment of children."""
    program = ONE + "print(os.environ.get('PERFFLOW_INSTANCE_PATH'), len(os.environ.get('TRACEPARENT', '')))\n"
    equal([outcome(package, program)[0].out for package in ("theirs", "ours")], ["356a192b 0\n", "356a192b 55\n"])


# ---- what is recorded

POINTCUTS = """
@aspect.critical_path(pointcut="around_async", scope="here")
def inside(): pass
@aspect.critical_path(pointcut="before")
def begins(): inside()
@aspect.critical_path(pointcut="after")
def ends(): inside()
begins()
ends()
"""
EXCEPTION = """
@aspect.critical_path()
def f(n):
    if n: raise ValueError(n)
for n in 1, 0:
    try: f(n)
    except ValueError: pass
"""


@test
def moments():
    """A moment is a span without length, where theirs has half a span. Differs: before and after."""
    theirs, ours = both(POINTCUTS)
    equal(told(theirs), ["B begins", "b inside", "e inside", "b inside", "e inside", "E ends"])
    equal(told(ours), ["B begins", "E begins", "b inside", "e inside", "b inside", "e inside", "B ends", "E ends"])


@test
def ids():
    """Differs: ids of around_async; a scope of null."""
    theirs, ours = both(POINTCUTS)
    equal({e["id"] for e in theirs if e["ph"] in "be"}, {theirs[0]["pid"]})
    found = [e["id"] for e in ours if e["ph"] in "be"]
    equal((found[0], found[2], len(set(found))), (found[1], found[3], 2))
    equal([{e.get("scope", "none") for e in events if e["ph"] == "b"} for events in (theirs, ours)], [{None}, {"none"}])


@test
def direct_events():
    """Theirs are B and E still. Differs: compact events by hand."""
    theirs, ours = both(PROGRAMS["direct"][0], "log-event=Compact")
    equal([e["ph"] for e in theirs], ["B", "B", "E", "E"])
    equal(told(ours), ["X inner", "X main"])


@test
def exceptions():
    """Theirs leaves its B open, and the next call lies in it. Differs: exceptions."""
    theirs, ours = both(EXCEPTION)
    equal([e["ph"] for e in theirs], ["B", "B", "E"])
    equal([(e["ph"], e.get("args")) for e in ours], [("B", None), ("E", {"exception": "ValueError"}), ("B", None), ("E", None)])


@test
def coroutines_and_generators():
    """Theirs has the call that makes one, not what it does. Differs: generators and coroutines."""
    theirs, ours = both("""
@aspect.critical_path()
def inner(): pass
@aspect.critical_path()
def gen():
    inner()
    yield 1
    inner()
list(gen())
""")
    equal(told(theirs), ["B gen", "E gen", "B inner", "E inner", "B inner", "E inner"])
    stretch = ["B gen", "B inner", "E inner", "E gen"]
    equal([e for e in told(ours) if e[0] in "BE"], stretch * 2)
    equal([e for e in told(ours) if e[0] in "be"], ["b gen", "e gen"])


@test
def names_that_are_no_text():
    """Differs: names, categories and scopes; ids."""
    theirs, ours = both("""
aspect.async_event("before", 5, None, scope=True, id="job-1")
aspect.critical_path("before_async", scope=7)(lambda: 1)()
""")
    equal([[(e["name"], e["cat"], e["scope"]) for e in events][0] for events in (theirs, ours)], [(5, None, True), ("5", "None", "True")])
    equal([events[1]["scope"] for events in (theirs, ours)], [7, "7"])
    equal((theirs[0]["id"], type(ours[0]["id"])), ("job-1", int))


@test
def log_enable_False():
    """Theirs does not call the function. Differs: log-enable=False."""
    program = "@aspect.critical_path()\ndef f(): return 7\nprint(f())\n"
    equal([outcome(package, program, options="log-enable=False")[0].out for package in ("theirs", "ours")], ["None\n", "7\n"])


@test
def usage_of_short_calls():
    """Differs: calls that take no time."""
    program = "time.time = lambda: 1.0\n" + ONE
    check("ZeroDivisionError" in outcome("theirs", program, options="cpu-mem-usage=True", kill=True)[0].err)
    equal(len(by("ours 2", program, "cpu-mem-usage=True")), 4)


# ---- what is decorated

@test
def other_things_than_functions():
    """Differs: methods of a class; without parentheses."""
    for program in ("class C:\n    @aspect.critical_path()\n    @staticmethod\n    def f(): return 7\n    @aspect.critical_path()\n    @property\n    def g(self): return 8\n"
                    "print(C.f(), C().g)\n",
                    "@aspect.critical_path\ndef f(): return 7\nprint(f(), 8)\n"):
        equal([outcome(package, program, kill=True)[0].out for package in ("theirs", "ours")][1], "7 8\n")
        check(outcome("theirs", program, kill=True)[0].out != "7 8\n", program)


LATER = """
from perfflowaspect.advice_dispatch import AdviceDispatcher
class Mine:
    around = staticmethod(lambda func: lambda: "mine")
AdviceDispatcher.advice_dict["Mine"] = Mine
def f(): return "f"
before = aspect.critical_path()(f)
aspect.advice_kind = "Mine"
print(before(), aspect.critical_path()(f)())
"""


@test
def kinds_of_advice():
    """Differs: advice_kind."""
    equal([outcome(package, LATER)[0].out for package in ("theirs", "ours")], ["mine mine\n", "f mine\n"])


@test
def what_the_class_has():
    """Nothing but enable_logging does anything. Differs: attributes."""
    program = """
from perfflowaspect.advice_chrome import ChromeTracingAdvice as C
C.enable_compact_log_event, C.fn = True, "mine.pfw"
C()
@aspect.critical_path()
def f(): pass
f()
print(C.logger is None)
"""
    (p, theirs), (q, ours) = (outcome(package, program) for package in ("theirs", "ours"))
    equal((p.out, q.out), ("Decorator running\nFalse\n", "True\n"))
    equal((list(theirs), list(ours)), (["mine.pfw"], ["perfflow.array.HOST.PID.pfw"]))
    equal(['"ph": "X"' in text for text in (theirs["mine.pfw"], *ours.values())], [True, False])


NAMES = """
from perfflowaspect import advice_chrome, advice_dispatch, aspect, aspect_base
import inspect, json
C = advice_chrome.ChromeTracingAdvice
def names(of): return sorted(n for n in dir(of) if n[0] != "_" and not inspect.ismodule(getattr(of, n)))
print(json.dumps([names(of) for of in (advice_chrome, advice_dispatch, aspect, aspect_base, C, advice_dispatch.AdviceDispatcher)]))
for f in (C.create_sync_event, C.create_async_event, advice_chrome.get_perfflow_instance_path, advice_chrome.set_perfflow_instance_path):
    print(inspect.signature(f))
print({n: advice_chrome.perfflow_options[n] for n in ("name", "log-filename-include", "log-dir", "log-enable", "cpu-mem-usage", "log-event")})
"""


@test
def all_names():
    """Whatever they import or call is here, too, but for what is urllib's, and a variable of a loop."""
    (theirs, *more), (ours, *same) = (outcome(package, NAMES, options="name=x:log-event=COMPACT")[0].out.splitlines() for package in ("theirs", "ours"))
    equal([set(a) - set(b) for a, b in zip(json.loads(theirs), json.loads(ours))], [{"urlparse"}, set(), set(), set(), {"inc"}, set()])
    equal(same, more)


INSTANCE = """
from perfflowaspect.advice_chrome import *
from perfflowaspect import advice_chrome as a
print(ChromeTracingAdvice.inst_path, a.get_perfflow_instance_path(), repr(a.get_foreign_wm()), a.get_uniq_id_from_foreign_wm())
a.set_perfflow_instance_path("x")
print(os.environ["PERFFLOW_INSTANCE_PATH"], a.get_perfflow_instance_path())
"""


@test
def the_same_instance_paths():
    for i, env in enumerate(({}, {"FLUX_JOB_ID": "ƒeF9"}, {"SLURM_JOB_ID": "1", "SLURM_STEP_ID": "2"}, {"SLURM_JOB_ID": "1"}, {"LSB_JOBID": "3", "LS_JOBPID": "4"},
                             {"FLUX_URI": "local:///tmp/flux-a/local-0"}, {"PERFFLOW_INSTANCE_PATH": "up", "LSB_JOBID": "3"})):
        theirs, ours = (outcome(package, INSTANCE, f"{package} {i}", **env)[0].out for package in ("theirs", "ours"))
        equal(ours, theirs, env)


peers.needs("perfflowaspect")
main()
