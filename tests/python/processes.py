#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processes and threads of Python programs, however they begin and end: each has its trace, whole, and lies where it belongs."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pythons import *  # noqa: E402,F403

METHODS = "fork", "spawn", "forkserver"
HEAD = """
import os, sys, time, threading, subprocess, multiprocessing
import concurrent.futures
import spanloom
@spanloom.critical_path()
def inner(n): return n * n
@spanloom.critical_path(args="n")
def work(n): return inner(n)
"""


def both(version=None, **more):
    """Runs it: what it printed, the traces of the main process, and those of the others."""
    r = script(*more.pop("source"), version=version, **more)
    found = traces()
    equal(files("*.slt"), [], "traces that were not ended")
    for t in found:
        equal((t.meta["ended"], t.meta["lost"]), (True, 0))
        t.spans()
    return r, [t for t in found if t.meta["pid"] == r.pid], [t for t in found if t.meta["pid"] != r.pid]


# ---- multiprocessing

@cases(*((v, m) for v in VERSIONS for m in METHODS))
def processes(version, method):
    """Those that end well, by an exception, by sys.exit(), as daemons: all but os._exit() are complete."""
    r, [mine], others = both(version, source=(HEAD + """
def ends_well(n): work(n)
def raises(n): work(n); raise ValueError("meant")
def exits(n):
    work(n)
    sys.exit(3)
def in_span(n):
    with spanloom.span("open"): work(n); sys.exit(4)
class Own(multiprocessing.Process):
    def run(self): work(9)
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    with spanloom.span("starts"):
        all_ = [multiprocessing.Process(target=f, args=(i,), daemon=i % 2 == 0) for i, f in enumerate((ends_well, raises, exits, in_span, ends_well))]
        all_.append(Own())
        for p in all_: p.start()
        for p in all_: p.join()
        print(*(p.exitcode for p in all_))
""", method), err=None)
    equal(r.out, "0 1 3 4 0 0\n", r.err)
    equal(sorted(s.args["n"] for t in others for s in t.spans("work")), [0, 1, 2, 3, 4, 9])
    for t in others:
        equal([(s.name, s.unfinished) for s in t.spans()], [("open", False)] * (t.spans("work")[0].args["n"] == 3) + [("work", False), ("inner", False)])
    equal([(s.name, s.unfinished) for s in mine.spans()], [("starts", False)])


@cases(*((v, m) for v in VERSIONS for m in METHODS))
def they_lie_in_the_span_that_started_them(version, method):
    r, [mine], others = both(version, source=(HEAD + """
@spanloom.critical_path()
def first(): start()
@spanloom.critical_path()
def second(): start()
def start():
    p = multiprocessing.Process(target=work, args=(1,))
    p.start()
    p.join()
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    first()
    second()
""", method))
    equal(len(others), 2)
    equal({t.meta["trace_id"] for t in others}, {mine.meta["trace_id"]})
    store = imported(path()).store
    equal(query(store, "SELECT place, reason FROM rejects"), [])
    inside = query(store, "SELECT p.name, c.name FROM links l JOIN trace_process c ON c.id = l.right_span JOIN trace_call p ON p.id = l.left_span WHERE l.kind = 'in'")
    equal(sorted(a for a, _ in inside), ["first", "second"], inside)


@cases(*((v, m) for v in VERSIONS for m in METHODS))
def pools(version, method):
    """Closed, and terminated by the with statement: calls that were done are there."""
    r, _, others = both(version, source=(HEAD + """
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    p = multiprocessing.Pool(3)
    assert p.map(work, range(20), chunksize=1) == [i * i for i in range(20)]
    p.close(); p.join()
""", method))
    equal(sorted(s.args["n"] for t in others for s in t.spans("work")), list(range(20)))
    check(1 <= len(others) <= 3, len(others))


@cases(*((v, m) for v in VERSIONS for m in METHODS))
def process_pool_executors(version, method):
    r, _, others = both(version, source=(HEAD + """
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(sys.argv[1])) as pool:
        assert list(pool.map(work, range(20))) == [i * i for i in range(20)]
""", method))
    equal(sorted(s.args["n"] for t in others for s in t.spans("work")), list(range(20)))


@cases(*((v, m) for v in VERSIONS for m in METHODS))
def children_that_are_killed(version, method):
    """terminate() and kill() end no trace: what was finished is in the .pfw that the parent makes of it at its end."""
    script(HEAD + """
def stays(n, ready):
    work(n)
    with spanloom.span("open"):
        ready.set()
        time.sleep(60)
def leaves(n, ready):
    work(n)
    ready.set()
    os._exit(0)
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    for i, (f, end) in enumerate(((stays, "terminate"), (stays, "kill"), (leaves, "join"))):
        ready = multiprocessing.Event()
        p = multiprocessing.Process(target=f, args=(i, ready))
        p.start()
        ready.wait()
        getattr(p, end)()
        p.join()
""", method, version=version)
    equal(files("*.slt"), [])
    found = [t for t in traces() if t.spans("work")]
    equal(sorted((s.args["n"], t.meta["ended"]) for t in found for s in t.spans("work")), [(0, False), (1, False), (2, True)])
    for t in found:
        equal([s.name for s in t.spans() if s.unfinished], ["open"] * (t.spans("work")[0].args["n"] != 2))


@cases(*((v, m) for v in VERSIONS for m in METHODS))
def terminated_pools_lose_no_call(version, method):
    """The with statement terminates: its workers are killed, and the parent, which records nothing itself, makes their .pfw."""
    script(HEAD + """
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as p:
        assert p.map(work, range(10)) == [i * i for i in range(10)]
""", method, version=version)
    equal(files("*.slt"), [])
    equal(sorted(s.args["n"] for t in traces() for s in t.spans("work")), list(range(10)))


@cases(*VERSIONS)
def os_exit_ends_the_trace(version):
    """In a program and in the child of a fork; what is wrong with the call is as it was."""
    r = script(HEAD + """
import pickle
assert pickle.loads(pickle.dumps(os._exit)) is os._exit and os._exit.__name__ == "_exit"
work(1)
pid = os.fork()
if not pid:
    work(2)
    os._exit(0)
os.waitpid(pid, 0)
try:
    os._exit("0")
except TypeError:
    work(3)
with spanloom.span("open"):
    os._exit(status=5)
""", version=version, code=5)
    equal(files("*.slt"), [])
    equal(sorted((t.meta["pid"] == r.pid, t.meta["ended"], [s.args["n"] for s in t.spans("work")]) for t in traces(n=2)), [(False, True, [2]), (True, True, [1, 3])])


@test
def the_next_run_makes_the_pfw_of_one_that_was_killed():
    """SIGTERM ends a program as it always did; whoever ends next in its folder makes the .pfw, without a word."""
    r = script(HEAD + "import signal\nwork(1)\nwith spanloom.span('open'): os.kill(os.getpid(), signal.SIGTERM)\n", code=-15)
    equal([t.spans("open")[0].unfinished for t in [left()]], [True])
    again = script(HEAD + "work(2)\n")
    equal(files("*.slt"), [])
    equal({t.meta["pid"]: (t.meta["ended"], t.spans("work")[0].args["n"]) for t in traces(n=2)}, {r.pid: (False, 1), again.pid: (True, 2)})


@cases(*VERSIONS)
def a_server_that_has_the_package_loaded(version):
    """Its children are forks of it, but lie in the span that asked for them, of a thread of its own each."""
    write(path("mine.py"), HEAD + "def twice(n): work(n); work(n)\n")
    script("""
import multiprocessing, threading, spanloom
from mine import twice
def asks(n):
    with spanloom.span(f"asks {n}"):
        p = multiprocessing.Process(target=twice, args=(n,))
        p.start()
        p.join()
if __name__ == "__main__":
    multiprocessing.set_start_method("forkserver")
    multiprocessing.set_forkserver_preload(["mine"])
    all_ = [threading.Thread(target=asks, args=(n,)) for n in range(3)]
    for t in all_: t.start()
    for t in all_: t.join()
""", version=version)
    store = imported(path()).store
    equal(query(store, "SELECT p.name, count(*) FROM links l JOIN trace_process c ON c.id = l.right_span JOIN trace_call p ON p.id = l.left_span WHERE l.kind = 'in' GROUP BY 1"), [(f"asks {n}", 1) for n in range(3)])
    for t in traces(n=4):
        equal(len({s.args["n"] for s in t.spans("work")}), 1 if t.spans("work") else 0)


@test
def multiprocessing_within_multiprocessing():
    r, _, others = both(source=(HEAD + """
def child(n):
    with spanloom.span("child"):
        p = multiprocessing.Process(target=work, args=(n,))
        p.start()
        p.join()
if __name__ == "__main__":
    with spanloom.span("main"):
        all_ = [multiprocessing.get_context(m).Process(target=child, args=(i,)) for i, m in enumerate(("fork", "spawn", "forkserver"))]
        for p in all_: p.start()
        for p in all_: p.join()
""",))
    equal(sorted(s.args["n"] for t in others for s in t.spans("work")), [0, 1, 2])
    ids = {e["args"]["span_id"] for t in others for e in t.events if "span_id" in e.get("args", {})}
    for t in others:
        if t.spans("work"):
            check(t.meta["parent_id"] in ids, "a process that does not lie in its parent's span")


# ---- os.fork, exec, subprocess

@cases(*VERSIONS)
def forks(version):
    """The child has its own file, with its own spans; the parent's open ones go on in the parent only."""
    r, [mine], others = both(version, source=(HEAD + """
def child(n):
    pid = os.fork()
    if pid: return os.waitpid(pid, 0)
    work(n)
    if n == 0: os._exit(0 if not spanloom.finish() else 1)
    if n == 1: sys.exit(0)
    if n == 2: raise SystemExit
with spanloom.span("outer"):
    for n in range(3): child(n)
    work(9)
""",))
    equal([(s.name, s.depth) for s in mine.spans()], [("outer", 0), ("work", 1), ("inner", 2)])
    equal(sorted(s.args["n"] for t in others for s in t.spans("work")), [0, 1, 2])
    for t in others:
        if t.spans("work")[0].args["n"]:  # they left the block by an exception: its end is not theirs
            equal([s.name for s in t.spans()], ["work", "inner"])
    ids = [s.args["span_id"] for s in mine.spans("outer")]
    check(all(t.meta["trace_id"] == mine.meta["trace_id"] for t in others) and len(ids) == 1)


@cases(*VERSIONS)
def forks_that_leave_at_once(version):
    script(HEAD + "work(1)\npid = os.fork()\nif not pid:\n    work(2)\n    os._exit(0)\nos.waitpid(pid, 0)\n", version=version)
    equal(sorted(s.args["n"] for t in traces(n=2) for s in t.spans("work")), [1, 2])


@cases(*VERSIONS)
def programs_that_are_started(version):
    """By subprocess with the environment as it is, or a copy of it, or a TRACEPARENT, and by os.system()."""
    r, [mine], others = both(version, source=(HEAD + """
if sys.argv[1:]:
    work(int(sys.argv[1]))
else:
    with spanloom.span("starts"):
        me = [sys.executable, __file__]
        subprocess.run([*me, "0"], check=True)
        subprocess.run([*me, "1"], check=True, env={**os.environ, "MORE": "1"})
        subprocess.run([*me, "2"], check=True, env=dict(os.environ, TRACEPARENT=spanloom.traceparent()))
        subprocess.run([*me, "3"], check=True, close_fds=False, start_new_session=True)
        assert os.system(" ".join([*me, "4"])) == 0
        os.waitpid(os.posix_spawn(me[0], [*me, "5"], os.environ), 0)
        subprocess.run([*me, "6"], check=True, preexec_fn=lambda: None)
""",))
    of = {t.spans("work")[0].args["n"]: t for t in others}
    equal(sorted(of), list(range(7)))
    equal({t.meta["trace_id"] for t in others}, {mine.meta["trace_id"]})
    known = {e["args"]["span_id"] for e in mine.events if "span_id" in e.get("args", {})}
    for n, t in of.items():  # by vfork(), which tells nobody, or by fork()
        check(t.meta["parent_id"] in known or n not in (2, 6) and t.meta["parent_id"] == mine.meta["span_id"], n)


@cases(*VERSIONS)
def exec_replaces_the_program(version):
    """Its trace stays in the .slt, as the process did not end; the new program's lies in it."""
    r = script(HEAD + """
work(len(sys.argv))
if len(sys.argv) == 1: os.execv(sys.executable, [sys.executable, __file__, "again"])
""", version=version)
    [first] = [exported(f) for f in files("*.slt")]
    [second] = traces(n=1)
    equal(([s.args["n"] for s in first.spans("work")], [s.args["n"] for s in second.spans("work")]), ([1], [2]))
    equal((first.meta["pid"], second.meta["pid"], second.meta["parent_id"]), (r.pid, r.pid, first.meta["span_id"]))


# ---- threads

@cases(*VERSIONS)
def names_of_threads(version):
    script(HEAD + """
def named(): work(1)
t = [threading.Thread(target=named, name="first"), threading.Thread(target=named)]
for x in t: x.start()
for x in t: x.join()
def renamed():
    spanloom.thread_name("solver \\u00e9")
    work(2)
x = threading.Thread(target=renamed); x.start(); x.join()
work(3)
with concurrent.futures.ThreadPoolExecutor(1, "pool") as p: p.submit(work, 4).result()
import _thread
done = threading.Event()
def foreign(): work(5); done.set()
_thread.start_new_thread(foreign, ()); done.wait()
assert [t.name for t in threading.enumerate()] == ["MainThread"]  # none was made up for the foreign one
""", version=version)
    t = trace()
    names = {e["tid"]: e["args"]["name"] for e in t.all if e["ph"] == "M" and e["name"] == "thread_name"}
    by = {s.args["n"]: names.get(s.tid) for s in t.spans("work")}
    equal((by[2], by[3], by[4]), ("solver é", "MainThread", "pool_0"))
    equal(len(t.spans("work")), 6)


@cases(*VERSIONS)
def daemon_threads_at_exit(version):
    """They run until the interpreter ends; the trace is closed, with all that was finished before."""
    r = script(HEAD + """
sys.setswitchinterval(0.0001)
count = 0
def busy():
    global count
    while True:
        if count > 20000: time.sleep(0.001)  # so many at most, however late the end is
        else: work(7)
        count += 1
for _ in range(3): threading.Thread(target=busy, daemon=True).start()
while count < 1000: time.sleep(0.001)
print(count, flush=True)
""", version=version)
    t = trace()
    check(len(t.spans("work")) >= 900 and t.meta["lost"] == 0, len(t.spans("work")), r.out)


@cases(*VERSIONS)
def fork_while_threads_record(version):
    r, [mine], others = both(version, source=(HEAD + """
sys.setswitchinterval(0.0001)
stop, most, done = False, 0, [0] * 3
def busy(k):
    while not stop:
        if done[k] == most: time.sleep(0.001)
        else:
            work(7)
            done[k] += 1
t = [threading.Thread(target=busy, args=(k,)) for k in range(3)]
for x in t: x.start()
import warnings
warnings.simplefilter("ignore")
for i in range(10):
    before, most = sum(done), most + 500  # of which they are in the midst when it forks
    while sum(done) == before: time.sleep(0)
    pid = os.fork()
    if not pid:
        work(i)
        spanloom.finish()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
stop = True
for x in t: x.join()
""",))
    equal(sorted(s.args["n"] for t in others for s in t.spans("work")), list(range(10)))
    equal({s.args["n"] for s in mine.spans("work")}, {7})


# ---- the end of the interpreter

@cases(*VERSIONS)
def what_runs_at_the_end(version):
    """atexit, finalizers of cyclic garbage, generators that are closed and coroutines that never ran: none crashes."""
    r = script(HEAD + """
import atexit, gc, weakref
gc.disable()
@atexit.register
def at_exit(): work(1)
class Cycle:
    def __init__(self): self.me = self
    @spanloom.critical_path()
    def __del__(self): inner(1)
Cycle()
kept = Cycle()
weakref.finalize(kept, work, 2)
@spanloom.critical_path()
def gen():
    try:
        while True: yield 1
    finally: work(3)
g = gen(); next(g)
s = spanloom.span("never closed").__enter__()
@spanloom.critical_path()
def loop(f): return f
loop.itself = loop  # a cycle through the decorated function
loop.generator = g
""", version=version, err=None)
    check("Traceback" not in r.err and "Error" not in r.err, r.err)
    t = trace()
    equal(sorted(s.args["n"] for s in t.spans("work"))[:2], [1, 2])
    equal([s.unfinished for s in t.spans("never closed")], [True])


@cases(*VERSIONS)
def uncaught_exceptions_and_interrupts(version):
    r = script(HEAD + """
import signal
@spanloom.critical_path()
def f():
    work(1)
    signal.raise_signal(signal.SIGINT)
    time.sleep(1)
signal.signal(signal.SIGINT, signal.default_int_handler)
f()
""", version=version, err=None, code=-2)
    check("KeyboardInterrupt" in r.err, r.err)
    [s] = trace().spans("f")  # though Python ends by the signal
    equal((s.args, s.unfinished), ({"exception": "KeyboardInterrupt"}, False))


@cases(*VERSIONS)
def finish_ends_it(version):
    script(HEAD + "work(1)\nspanloom.finish()\nwork(2)\nspanloom.finish()\nassert spanloom.enable() is False and not spanloom.flush() and spanloom.traceparent() == ''\nwith spanloom.span('late'): work(3)\nos._exit(0)\n", version=version)
    equal([s.args["n"] for s in trace().spans("work")], [1])


if __name__ == "__main__":
    main()
