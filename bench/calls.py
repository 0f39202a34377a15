# SPDX-License-Identifier: Apache-2.0
"""bench/calls.py [cProfile]: nanoseconds a call of four programs, for spanloom trace. CPU time of the thread, the least of some
repetitions."""
import cProfile
import sys
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def same(n):
    return n


def loop(n):
    for i in range(n):
        same(i)


class Number:
    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value

    def plus(self, other):
        return Number(self.value + other.get())


def methods(n):
    number, one = Number(0), Number(1)
    for _ in range(n):
        number = number.plus(one)
    return number.value


class Index:
    def __init__(self):
        self.lines, self.longest = {}, 0

    def add(self, number, line):
        for word in line.split():
            self.note(word.lower(), number)

    def note(self, word, number):
        self.longest = max(self.longest, len(word))
        self.lines.setdefault(word, []).append(number)


def index(n):
    i = Index()
    for number in range(n):
        i.add(number, "What a small index of words does per line")


def seconds(f, n):
    begin = time.thread_time()
    f(n)
    return time.thread_time() - begin


for f, n, calls in (fib, 22, 57313), (loop, 60000, 60001), (methods, 12000, 36003), (index, 4000, 40002):
    least = 9
    for _ in range(9):
        profile = cProfile.Profile() if sys.argv[1:] == ["cProfile"] else None
        if profile:
            profile.enable()
        least = min(least, seconds(f, n))
        if profile:
            profile.disable()
    print(least / calls * 1e9)
