# SPDX-License-Identifier: Apache-2.0
"""What tracing costs programs in Python, for bench/run --python: CPU time of the thread, the least of some repetitions."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ["PATH"] = f"{ROOT}/build:{os.environ['PATH']}"
sys.path.insert(0, f"{ROOT}/tests/lib")
from pythons import PACKAGES, PYTHONS  # noqa: E402

CALLS = """
import sys, time

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

class Number:
    def __init__(self, value): self.value = value
    def get(self): return self.value
    def plus(self, other): return Number(self.value + other.get())

def methods(n):
    number, one = Number(0), Number(1)
    for _ in range(n): number = number.plus(one)
    return number.value

class Index:
    def __init__(self): self.lines, self.longest = {}, 0
    def add(self, number, line):
        for word in line.split():
            self.note(word.lower(), number)
    def note(self, word, number):
        self.longest = max(self.longest, len(word))
        self.lines.setdefault(word, []).append(number)

def index(n):
    i = Index()
    for number in range(n): i.add(number, "What a small index of words does per line")

def seconds(f, n):
    begin = time.thread_time()
    f(n)
    return time.thread_time() - begin

profile = None
if sys.argv[1:] == ["cProfile"]:
    import cProfile
for f, n, calls in (fib, 22, 57313), (methods, 12000, 36003), (index, 4000, 36002):
    least = 9
    for _ in range(9):
        if sys.argv[1:] == ["cProfile"]:
            profile = cProfile.Profile()
            profile.enable()
        least = min(least, seconds(f, n))
        if profile:
            profile.disable()
    print(least / calls * 1e9)
"""


def trace(tmp, row):
    """Functions without a decorator, beside cProfile."""
    program = f"{tmp}/calls.py"
    with open(program, "w") as f:
        f.write(CALLS)
    env = {**os.environ, "PYTHONPATH": PACKAGES, "SPANLOOM_OPTIONS": f"log-format=binary:log-dir={tmp}/traces"}

    def ns(*command):
        runs = [subprocess.check_output(command, env=env, text=True).split() for _ in range(3)]
        return [min(float(r[i]) for r in runs) for i in range(3)]

    for version, python in sorted(PYTHONS.items()):
        plain, ours, peer = ns(python, program), ns(python, "-m", "spanloom", program), ns(python, program, "cProfile")
        for i, what in enumerate(("a recursive function", "small methods", "an index of words")):
            added, theirs = ours[i] - plain[i], peer[i] - plain[i]
            row(f"spanloom trace, {'.'.join(map(str, version))}, {what}", f"{added:.0f}", "ns/call",
                f"{theirs / added:.1f} times less than cProfile ({theirs:.0f}); untraced {plain[i]:.0f}")
