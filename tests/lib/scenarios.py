# SPDX-License-Identifier: Apache-2.0
"""Stories: what a traced program does, step by step, and what a reader of its trace must find.

tests/peers/traced.c acts a story and tells when it took each step, by another clock than the runtime's reader sees.
"""
import glob
import math
import os
import signal
import subprocess
import tempfile

import trace_events
from harness import ROOT, check, environment, equal, path, spanloom

BUILD = os.environ.get("BUILD", f"{ROOT}/build-gcc")
NAMES = ["solve", "ünïcödé 計算 🌀", 'quotes " and \\ and /', "tab\tnew\nline\r", "\x01\x7f control", "</script><b>",
         "x" * 300, "a:b=c,d{e}[f]", "__proto__", "constructor", "123", "null", " spaces ", "%s %n", b"lat\xefn\xff",
         b"cut \xe2\x96", b"surrogate \xed\xa0\x80", "operator()<int, std::vector<T>>"]


def shown(name):
    """How bytes appear in a trace: those that are no UTF-8 as Latin-1."""
    if isinstance(name, str):
        return name
    out, i = "", 0
    while i < len(name):
        for n in (1, 2, 3, 4):
            try:
                out += name[i:i + n].decode()
                i += n
                break
            except UnicodeDecodeError:
                continue
        else:
            out += chr(name[i])
            i += 1
    return out


def _word(x):
    if isinstance(x, (str, bytes)):
        return "x" + (x.encode() if isinstance(x, str) else x).hex()
    return repr(x)


class Span:
    """begin and end are numbers of steps; end None: open until its thread ended."""

    def __init__(self, thread, name, category, begin, parent=None, inside=None):
        self.thread, self.name, self.category, self.begin, self.parent = thread, shown(name), category, begin, parent
        self.end, self.args, self.inside = None, {}, inside  # inside: of a burst, at both steps

    def left_open(self):
        """Itself, or what it lies in."""
        return self.end is None or self.parent is not None and self.parent.left_open()

    @property
    def depth(self):
        return 0 if self.parent is None else self.parent.depth + 1


class Story:
    """What is done, and what comes of it: spans, instants, counters, flows, asyncs, by the numbers of their steps."""

    def __init__(self):
        self.steps, self.open = [], {}
        self.spans, self.instants, self.counters, self.flows, self.asyncs = [], [], [], [], []
        self.threads, self.last = {0: None}, {}

    def step(self, thread, op, *words):
        self.threads.setdefault(thread, None)
        self.steps.append(" ".join([str(thread), op, *map(_word, words)]))
        return len(self.steps) - 1

    def begin(self, thread, name, category="app"):
        stack = self.open.setdefault(thread, [])
        span = Span(thread, name, category, self.step(thread, "B", name, category), stack[-1] if stack else None)
        span.key = name
        stack.append(span)
        self.spans.append(span)
        self.last[thread] = span.args
        return span

    def end(self, thread):
        span = self.open[thread].pop()
        span.end = self.step(thread, "E", span.key, span.category)
        self.last[thread] = None

    def burst(self, thread, outer, inner, n):
        at = self.step(thread, "R", outer, "burst", inner, n)
        stack = self.open.setdefault(thread, [])
        for _ in range(n):
            a = Span(thread, outer, "burst", at, stack[-1] if stack else None, True)
            b = Span(thread, inner, "burst", at, a, True)
            a.end = b.end = at
            self.spans += [a, b]
        self.last[thread] = None

    def arg(self, thread, key, value):
        to = self.last.get(thread)
        (self.open[thread][-1].args if to is None else to)[key] = shown(value) if isinstance(value, bytes) else value
        self.step(thread, "ai" if isinstance(value, int) else "ad" if isinstance(value, float) else "as", key, value)

    def instant(self, thread, name, category="app"):
        self.last[thread] = {}
        self.instants.append((thread, shown(name), category, self.step(thread, "i", name, category), self.last[thread]))

    def counter(self, thread, name, value, category="app"):
        self.counters.append((shown(name), category, value, self.step(thread, "C", name, category, value)))
        self.last[thread] = {}

    def flow(self, thread, end, name, number, category="flows"):
        self.flows.append((end, shown(name), category, number, self.open[thread][-1],
                           self.step(thread, end, name, category, number)))
        self.last[thread] = {}

    def async_begin(self, thread, name, number, category="async"):
        self.last[thread] = {}
        self.asyncs.append({"name": shown(name), "cat": category, "id": number, "key": name, "thread": thread, "steps": [],
                            "begin": self.step(thread, "b", name, category, number), "args": self.last[thread]})
        return self.asyncs[-1]

    def async_instant(self, thread, a):
        a["steps"].append(self.step(thread, "n", a["key"], a["cat"], a["id"]))
        self.last[thread] = {}

    def async_end(self, thread, a):
        a["end"] = self.step(thread, "e", a["key"], a["cat"], a["id"])
        self.last[thread] = None

    def close(self):
        for thread, stack in self.open.items():
            while stack:
                self.end(thread)

    def name_thread(self, thread, name):
        self.threads[thread] = shown(name)
        self.step(thread, "N", name)

    def pause(self, thread, us):
        self.step(thread, "Z", us)

    def times(self, span):
        """(from, to) of where a span may begin, and of where it may end: with its thread, if it was left open."""
        last = max(i for i, s in enumerate(self.steps) if s.split()[0] == str(span.thread))
        return self.at[span.begin], self.at[span.end] if span.end is not None else (self.at[last][0], math.inf)

    def args(self, span):
        """What is left open by the main thread ends at the exit."""
        return dict(span.args, **({"unfinished": True} if span.end is None and span.thread == 0 else {}))


def compiled():
    program = path("traced")
    command = ["gcc", "-O1", "-g", "-pthread", "-fexceptions", f"-I{ROOT}/include", f"{ROOT}/tests/peers/traced.c",
               "-o", program, f"-L{BUILD}", "-lspanloom-trace", f"-Wl,-rpath,{BUILD}"]
    r = subprocess.run(command, capture_output=True, text=True)
    check(r.returncode == 0, r.stderr)
    return program


def act(story, options="", killed=False, pairs=True):
    """Run a story; gives the text of its trace, and story.at has the times of its steps in ns: (before, after).
    When it was killed at its end, the trace is what `spanloom export` makes of what it left."""
    program, where = compiled(), tempfile.mkdtemp(prefix="trace-", dir=path())
    r = subprocess.run([program] + ["killed"] * killed, input="\n".join(story.steps) + "\n", capture_output=True, text=True,
                       timeout=600, env=environment(PERFFLOW_OPTIONS=f"log-dir={where}" + (f":{options}" if options else "")))
    check(r.returncode == (-signal.SIGKILL if killed else 0) and not r.stderr, f"exit {r.returncode}: {r.stderr}")
    lines = [line.split() for line in r.stdout.splitlines()]
    story.pid = next(int(w[1]) for w in lines if w[0] == "pid")
    story.tids = {int(w[1]): int(w[2]) for w in lines if w[0] == "thread"}
    story.at = [(int(w[2]), int(w[3])) for w in lines if w[0] == "step"]
    equal(len(story.at), len(story.steps), "steps taken")
    if killed:
        [left] = glob.glob(f"{where}/*")
        check(left.endswith(".slt"), left)
        spanloom("export", "chrome", left)
        os.remove(left)
    [file] = glob.glob(f"{where}/*")
    check(file.endswith(".pfw"), file)
    with open(file, encoding="utf-8") as f:
        text = f.read()
    equal(trace_events.faults(text, pairs), [], "what the format does not allow")
    return text


def merged(*texts):
    """Traces of several processes as one."""
    text = "[" + ",".join(text.strip()[1:-1].strip() for text in texts) + "]"
    equal(trace_events.faults(text), [], "what the format does not allow")
    return text


def within(got, window, slack, what):
    low, high = window
    check(low - slack <= got <= high + slack, f"{what}: at {got}, but the step was from {low} to {high}")


# ---- stories

def whole(tight=True):
    """Each thing there is, with odd names, three threads; where it is tight, spans of some ns, and such as are left open."""
    s = Story()
    s.name_thread(0, "main thread")
    s.name_thread(1, "wörker \"1\"")
    s.begin(0, "run")
    for i, name in enumerate(NAMES):
        s.begin(0, name, "odd names")
        s.arg(0, "number", i)
        s.arg(0, "real", i + 0.5)
        s.arg(0, "text", name)
        s.end(0)
        s.instant(0, name, "odd names")
        s.async_end(0, s.async_begin(0, name, 1000 + i, "odd names"))
    s.begin(1, "outer")
    s.begin(1, "inner")
    s.arg(1, "deep", -5)
    s.pause(1, 300)
    s.end(1)
    s.arg(1, "after inner", 7)
    s.begin(2, "outer")
    s.pause(2, 200)
    for i in range(5):  # arrows from thread 0 over 1 to 2, and straight to 2
        s.begin(0, f"send {i}")
        s.flow(0, "s", "message", 100 + i)
        s.end(0)
        if i % 2:
            s.begin(1, f"pass {i}")
            s.flow(1, "t", "message", 100 + i)
            s.end(1)
        s.begin(2, f"receive {i}")
        s.flow(2, "f", "message", 100 + i)
        s.end(2)
    s.end(1)
    a, b = s.async_begin(0, "request", 1), s.async_begin(0, "request", 2)
    s.arg(0, "size", 5)
    c = s.async_begin(1, "request", 2 ** 60 + 1)
    s.async_instant(2, a)
    s.pause(0, 100)
    s.async_end(1, a)
    s.async_end(0, c)
    s.async_end(0, b)
    for i, value in enumerate([0.0, 1.0, -2.5, 1e-9, 12345678.25, 0.1]):
        s.counter(i % 3, "load", value)
    s.counter(0, "other", 3.0)
    s.instant(2, "tick", "ticks")
    s.arg(2, "n", 3)
    s.instant(1, "outside of all spans")
    s.begin(0, "never ended")
    s.begin(0, "nor this")
    if tight:
        s.burst(0, "tight", "tighter", 300)
    else:
        s.close()
    return s


def drawn(rng, tight=True, apart=False, steps=600, threads=4):
    """At random; tight as in whole(), apart: each end of a flow in a span of its own."""
    s = Story()

    def flow(t, end, number):
        if apart:
            s.begin(t, "ends")
        s.flow(t, end, "arrow", number)
        if apart:
            s.end(t)

    asyncs, ids, waiting = [], iter(range(1, 10 ** 6)), []
    for _ in range(steps):
        t = rng.randrange(threads)
        depth = len(s.open.get(t, []))
        do = rng.choices(["begin", "end", "instant", "counter", "async", "async end", "out", "in", "burst", "pause"],
                         [8 if depth < 12 else 0, 7 if depth else 0, 2, 2, 2, 2 if asyncs else 0, 2 if depth else 0,
                          2 if depth and waiting else 0, 1 if tight else 0, 1])[0]
        if do == "begin":
            s.begin(t, rng.choice(["load", "step", "solve", "write"]), rng.choice(["a", "b"]))
            if rng.random() < 0.3:
                s.arg(t, "n", rng.randrange(-10 ** 9, 10 ** 9))
        elif do == "end":
            s.end(t)
        elif do == "instant":
            s.instant(t, rng.choice(["tick", "tock"]))
        elif do == "counter":
            s.counter(t, rng.choice(["x", "y"]), rng.choice([0.0, rng.random(), float(rng.randrange(1000))]))
        elif do == "async":
            asyncs.append(s.async_begin(t, rng.choice(["request", "transfer"]), next(ids)))
        elif do == "async end":
            s.async_end(t, asyncs.pop(rng.randrange(len(asyncs))))
        elif do == "out":
            waiting.append(next(ids))
            flow(t, "s", waiting[-1])
        elif do == "in":
            flow(t, "f", waiting.pop(rng.randrange(len(waiting))))
        elif do == "burst":
            s.burst(t, "tight", "tighter", rng.randrange(1, 40))
        else:
            s.pause(t, rng.randrange(200))
    for t, a in enumerate(asyncs):
        s.async_end(t % threads, a)
    for i, number in enumerate(waiting):
        t = i % threads
        s.begin(t, "late")
        s.flow(t, "f", "arrow", number)
        s.end(t)
    if not tight:
        s.close()
    return s


def odd_numbers():
    """Those that JSON does not have."""
    s = Story()
    s.begin(0, "run")
    for value in (math.inf, -math.inf, math.nan):
        s.arg(0, f"x{value}", value)
        s.counter(0, "odd", value)
        s.counter(0, "odd", 1.0)
    s.end(0)
    return s


def used():
    """Spans that use the processor, for cpu-mem-usage."""
    s = Story()
    for name in ("first", "second"):
        s.begin(0, name)
        s.burst(0, "tight", "tighter", 200)
        s.begin(0, name + " inside")
        s.pause(0, 2000)
        s.end(0)
        s.end(0)
    return s


def sent(number):
    """Two processes, and an arrow from the first one to the second."""
    one, other = Story(), Story()
    for s, name, end in ((one, "sends", "s"), (other, "receives", "f")):
        s.begin(0, name)
        s.flow(0, end, "over", number)
        s.end(0)
    return one, other
