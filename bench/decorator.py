#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/decorator.py: what a decorated call costs more than the bare one, in this Python, beside a C callable that only calls
(functools.partial: the floor) and, where it can be imported, PerfFlowAspect. CPU time of the thread, the least of some
repetitions, as JSON. Traces go to PERFFLOW_OPTIONS' log-dir."""
import asyncio
import functools
import importlib.util
import json
import os
import sys
import time


def make():
    def f():
        pass
    return f


def cost(run, n, repetitions=9):
    """Nanoseconds a call; run(n) calls n times."""
    best = float("inf")
    for _ in range(repetitions):
        start = time.thread_time_ns()
        run(n)
        best = min(best, (time.thread_time_ns() - start) / n)
    return best


def calls(f):
    def run(n):
        for _ in range(n):
            f()
    return run


class Plain:
    def method(self):
        pass


def stretches(make_generator):
    def run(n):
        for _ in make_generator(n):
            pass
    return run


def count(n):
    yield from range(n)


async def nothing():
    pass


def awaits(f):
    async def main(n):
        for _ in range(n):
            await f()
    return lambda n: asyncio.run(main(n))


def theirs():
    """PerfFlowAspect's own package, not ours of the same name."""
    spec = importlib.util.find_spec("perfflowaspect")
    if not spec or not os.path.exists(os.path.join(os.path.dirname(spec.origin), "advice_dispatch.py")) or "spanloom" in open(
            os.path.join(os.path.dirname(spec.origin), "aspect.py")).read():
        return None
    import perfflowaspect.aspect
    return perfflowaspect.aspect.critical_path


def main():
    n, out = 200000, {"python": sys.version.split()[0]}
    out["bare"] = bare = cost(calls(make()), n)
    if sys.argv[1:] == ["peer"]:
        decorate = theirs()
        out["added"] = decorate and cost(calls(decorate()(make())), 2000, 5) - bare
        return print(json.dumps(out))
    import spanloom
    decorate = spanloom.critical_path()
    method, m = Plain().method, type("Decorated", (), {"method": decorate(Plain.method)})().method
    gen, coroutine = decorate(count), decorate(nothing)
    out["partial"] = cost(calls(functools.partial(make())), n) - bare
    out["added"] = cost(calls(decorate(make())), n) - bare
    out["added, method"] = cost(calls(m), n) - cost(calls(method), n)
    out["added, stretch of a generator"] = cost(stretches(gen), n) - cost(stretches(count), n)
    out["added, awaited coroutine"] = cost(awaits(coroutine), n // 10) - cost(awaits(nothing), n // 10)

    def spans(n):
        for _ in range(n):
            with spanloom.span("s"):
                pass
    out["span()"] = cost(spans, n)
    spanloom.enable(False)
    out["added, enable(False)"] = cost(calls(decorate(make())), n) - bare
    print(json.dumps(out))


main()
