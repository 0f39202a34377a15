# SPDX-License-Identifier: Apache-2.0
"""Programs that call PerfFlowAspect's Python package as its documentation does, and the events that it says come of them.

PROGRAMS: {name: (source, {thread: [events]})}; an event is "phase name" on a thread, which is "main" or "other" (each of
those has the events); the programs of DIRECT give __file__ as the category, the others have that of the module.
"""
HEAD = """import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
import perfflowaspect
import perfflowaspect.aspect
from perfflowaspect import aspect
"""

NESTED = """
@perfflowaspect.aspect.critical_path(pointcut="around")
def inner(): pass
@perfflowaspect.aspect.critical_path(pointcut="around")
def middle(): inner()
@perfflowaspect.aspect.critical_path()
def outer(message):
    middle()
    return message == "hello"
def main():
    for _ in range(4): assert outer("hello") is True
if __name__ == "__main__": main()
"""

METHODS = """
class Solver:
    @aspect.critical_path()
    def step(self, n, *, by=1):
        "Makes a step."
        return n + by
    @staticmethod
    @aspect.critical_path()
    def check(): pass
    class Inner:
        @aspect.critical_path()
        def work(self): pass
def main():
    assert Solver().step(1, by=2) == 3
    assert Solver.step.__doc__ == "Makes a step." and Solver.step.__name__ == "step"
    Solver.check()
    Solver.Inner().work()
if __name__ == "__main__": main()
"""

DIRECT_EVENTS = """
def inner(where):
    aspect.sync_event("before", "inner", where)
    aspect.sync_event("after", "inner", where)
def main(where):
    aspect.sync_event("before", "main", where)
    inner(where)
    aspect.sync_event("after", "main", where)
if __name__ == "__main__": main(os.path.basename(__file__))
"""

FUTURE = """
@perfflowaspect.aspect.critical_path(pointcut="around_async")
def bar(message):
    time.sleep(0.02)
    return message
@perfflowaspect.aspect.critical_path(pointcut="around")
def foo():
    future = pool.submit(bar, ("hello"))
    while not future.done(): time.sleep(0.002)
    assert future.result() == "hello"
if __name__ == "__main__":
    pool = ThreadPoolExecutor(3)
    foo()
"""

SEVERAL_FUTURES = """
@perfflowaspect.aspect.critical_path(pointcut="before_async", scope="foo")
def begins(): pass
@perfflowaspect.aspect.critical_path(pointcut="after_async", scope="foo")
def bar(message):
    time.sleep(0.02)
    return message
@perfflowaspect.aspect.critical_path()
def foo():
    futures = []
    for _ in range(5):
        begins()
        futures.append(pool.submit(bar, ("hello")))
    assert [f.result() for f in futures] == ["hello"] * 5
if __name__ == "__main__":
    pool = ThreadPoolExecutor(1)
    foo()
"""

FUTURE_DIRECT = """
def bar(message):
    aspect.async_event("before", "bar", where)
    aspect.async_event("instant", "bar", where)
    time.sleep(0.02)
    aspect.async_event("after", "bar", where)
    return message
def foo():
    aspect.sync_event("before", "foo", where)
    future = pool.submit(bar, ("hello"))
    assert future.result() == "hello"
    aspect.sync_event("after", "foo", where)
if __name__ == "__main__":
    pool, where = ThreadPoolExecutor(3), os.path.basename(__file__)
    foo()
"""

FUTURE_INCORRECT = """
@perfflowaspect.aspect.critical_path(pointcut="around_async_typo")
def bar(message): return message
@perfflowaspect.aspect.critical_path()
def foo():
    future = pool.submit(bar, ("hello"))
    assert future.result() == "hello"
if __name__ == "__main__":
    pool = ThreadPoolExecutor(3)
    foo()
"""

SCOPES = """
if __name__ == "__main__":
    where = os.path.basename(__file__)
    aspect.async_event("before", "job", where, scope="batch", id=7)
    aspect.async_event("instant", "job", where, "batch", 7)
    aspect.async_event("after", "job", where, id=7, scope="batch")
"""

THREADS = """
@perfflowaspect.aspect.critical_path()
def bar(message): time.sleep(0.005)
@perfflowaspect.aspect.critical_path()
def foo(message): bar(message)
@perfflowaspect.aspect.critical_path()
def work(number): foo("Hello from thread " + str(number))
def main():
    threads = [threading.Thread(target=work, args=(i,)) for i in range(5)]
    for t in threads: t.start()
    for t in threads: t.join()
if __name__ == "__main__": main()
"""

PROCESSES = """
import multiprocessing
@perfflowaspect.aspect.critical_path()
def bar(message): time.sleep(0.005)
@perfflowaspect.aspect.critical_path()
def foo(message): bar(message)
@perfflowaspect.aspect.critical_path()
def work(number): foo("Hello from process " + str(number))
def main():
    multiprocessing.set_start_method(os.environ.get("METHOD", "fork"))
    processes = [multiprocessing.Process(target=work, args=(i,)) for i in range(4)]
    for p in processes: p.start()
    for p in processes: p.join()
    assert [p.exitcode for p in processes] == [0] * 4
if __name__ == "__main__": main()
"""

NEST = ["B work", "B foo", "B bar", "E bar", "E foo", "E work"]
PROGRAMS = {
    "nested": (NESTED, {"main": ["B outer", "B middle", "B inner", "E inner", "E middle", "E outer"] * 4}),
    "methods": (METHODS, {"main": ["B Solver.step", "E Solver.step", "B Solver.check", "E Solver.check", "B Solver.Inner.work", "E Solver.Inner.work"]}),
    "direct": (DIRECT_EVENTS, {"main": ["B main", "B inner", "E inner", "E main"]}),
    "future": (FUTURE, {"main": ["B foo", "E foo"], "other": ["b bar", "e bar"]}),
    "future2": (SEVERAL_FUTURES, {"main": ["B foo", *["b begins"] * 5, "E foo"], "other": ["e bar"] * 5}),
    "future_direct": (FUTURE_DIRECT, {"main": ["B foo", "E foo"], "other": ["b bar", "n bar", "e bar"]}),
    "future_incorrect": (FUTURE_INCORRECT, {"main": ["B foo", "E foo"]}),
    "scopes": (SCOPES, {"main": ["b job", "n job", "e job"]}),
    "multithreading": (THREADS, {"main": [], "other": NEST}),
    "multiprocessing": (PROCESSES, {"main": NEST}),
}
COUNTS = {"multithreading": 5, "multiprocessing": 4}  # how many of the threads, or processes, have the events
DIRECT = ("direct", "future_direct", "scopes")
INCORRECT = "perfflow error: ('unknown pointcut', 'around_async_typo')\n"


def of_threads(events, pid):
    """{"main": [...], "other": [[...], ...]}: what each thread has, as "phase name"."""
    threads = {}
    for e in events:
        threads.setdefault(e["tid"], []).append(f"{e['ph']} {e['name']}")
    return threads.pop(pid, []), sorted(threads.values())
