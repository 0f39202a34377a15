#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decorated functions that cloudpickle and dill take apart, because the other process cannot import them: they arrive decorated,
and those of modules arrive by name."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa
import peers  # noqa: E402

for _name in ("cloudpickle", "dill"):
    peers.needs(_name)

SENDS = """
import asyncio, sys, spanloom, PICKLER
import known
@spanloom.critical_path(name="renamed", args="n")
def plain(n, factor=2): return n * factor
def make(k):
    @spanloom.critical_path
    def closure(n): return plain(n) + k
    return closure
@spanloom.critical_path()
def generator(n): yield from range(n)
@spanloom.critical_path()
async def coroutine(n): return n
class C:
    @spanloom.critical_path()
    def method(self): return 7
with open("sent", "wb") as f: PICKLER.dump([plain, make(5), generator, coroutine, C, known.function], f)
"""
GETS = """
import asyncio, inspect, pickle, sys, spanloom, PICKLER
with open("sent", "rb") as f: plain, closure, generator, coroutine, C, known = PICKLER.load(f)
assert (plain(3), closure(1), list(generator(2)), asyncio.run(coroutine(4)), C().method(), known()) == (6, 7, [0, 1], 4, 7, "known")
assert inspect.iscoroutinefunction(coroutine) and inspect.isgeneratorfunction(generator) and inspect.isfunction(plain)
import known as module
assert known is module.function
"""


@cases("cloudpickle", "dill")
def they_arrive_decorated(pickler):
    env = {"PYTHONPATH": PACKAGES, "PYTHONDONTWRITEBYTECODE": "1"}
    write(path("known.py"), "import spanloom\n@spanloom.critical_path()\ndef function(): return 'known'\n")
    write(path("sends.py"), SENDS.replace("PICKLER", pickler))
    write(path("gets.py"), GETS.replace("PICKLER", pickler))
    run(peers.python(), "sends.py", env=env)
    equal(files(), [], "nothing ran")
    run(peers.python(), "gets.py", env=env)
    t = trace()
    equal(collections.Counter(s.name for s in t.spans()),
          {"renamed": 2, "make.<locals>.closure": 1, "generator": 3, "coroutine": 1, "C.method": 1, "function": 1})
    equal([s.args for s in t.spans("renamed")], [{"n": 3}, {"n": 1}])


if __name__ == "__main__":
    main()
