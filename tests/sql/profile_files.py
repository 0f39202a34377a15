#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom profile FILE... against an import of the same files and spanloom profile of the store: the same tables, on all
traces that there are, on some that programs leave, whole, cut off and killed, and on random ones of several processes."""
import json
import os
import re
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

HOW = [["--top", "0"], ["--flat", "--by", "thread", "--top", "0"], ["--tree", "--by", "rank", "--top", "0"], ["--flat", "--format", "tsv"],
       ["--flat", "--format", "tsv", "--by", "process"], ["--tree", "--format", "tsv", "--by", "thread"]]
TRACES = (".slt", ".pfw", ".pfw.gz")


def said(args):
    r = spanloom("profile", *args, code=None)
    out = re.sub(r"\n[\d,]+ runs \(top processes\) are in this store; the last:\n.*\n", "", r.out)
    return out, "no calls" if re.search(r" holds? no calls", r.err) else ""


def same(*paths, note=""):
    """What an import of these says, and the files; gives the profile."""
    store = path("same.db")
    for suffix in ("", "-journal"):
        if os.path.exists(store + suffix):
            os.remove(store + suffix)
    spanloom("import", "--quiet", "-d", store, *paths, code=None)
    of_files = [said([*how, *paths]) for how in HOW]
    for how, of_these in zip(HOW, of_files):
        equal(of_these, said([*how, "-d", store]), f"{note} {paths[:3]} {how}")
    return of_files[0][0]


def trace_files(top):
    """Of each folder below it."""
    for folder, _, names in os.walk(top):
        found = sorted(os.path.join(folder, n) for n in names if n.endswith(TRACES) or folder.endswith("data/traces"))
        if found:
            yield found


@cases("tests/data", "examples")
def all_there_are(top):
    for found in trace_files(os.path.join(ROOT, top)):
        found = [f for f in found if not f.endswith("README.md")]
        same(*found)
        for f in found[:20 if found[0].startswith(f"{ROOT}/tests/data/traces") else 5]:  # those of one run are alike
            same(f)


# ---- made up

class Maker:
    """Traces of processes that start each other, as Spanloom's runtime writes them, some of them damaged."""

    def __init__(self, r):
        self.r, self.pid, self.files, self.lines, self.left = r, 100, {}, [], 1500
        self.mixed = r.choice(["", "", "now and then"])  # whole calls beside begins and ends: these are not added up

    def event(self, phase, name, t, args=None, written=None, **more):
        e = {"name": name, "cat": "a.c", "ph": phase, "ts": f"{t // 1000}.{t % 1000:03}", "pid": self.now[0], "tid": self.now[1], **more}
        if args:
            e["args"] = args
        if "dur" in e:
            e["dur"] = e["dur"] / 1000
        self.lines.append((t if written is None else written, len(self.lines), json.dumps(e).replace(f'"{e["ts"]}"', e["ts"])))

    def process(self, begin, end, parent=None, depth=0, host="node1"):
        """parent: (its pid, the identity of the call or none).  Gives the pid."""
        r, outer = self.r, (self.lines, getattr(self, "now", None), getattr(self, "whole", None))
        self.pid += 1
        pid, self.lines, self.now = self.pid, [], (self.pid, self.pid)
        ended = r.random() < 0.8
        facts = {"version": 1, "hostname": host, "pid": pid, "ppid": parent[0] if parent else 1, "start_ns": str(begin), "end_ns": str(end),
                 "ended": ended, "lost": 0, "trace_id": "0af7651916cd43dd8448eb211c80319c", "span_id": f"{pid:016x}"}
        if parent and parent[1]:
            facts["parent_id"] = parent[1]
        if r.random() < 0.3:
            facts["rank"] = str(r.randrange(3))
        if r.random() < 0.1:
            facts["start_ticks"] = "1"
        head = json.dumps({"name": "spanloom", "ph": "M", "pid": pid, "tid": pid, "args": facts})
        for tid in range(pid, pid + r.choice([1, 1, 2, 3])):
            self.now = (pid, tid)
            self.whole = r.choice(["", "", "at their end", "at their begin", self.mixed])
            self.calls(begin + r.randrange(0, 50), end, depth, 0, ended)
        rest = sorted(self.lines)
        if r.random() < 0.01:
            r.shuffle(rest)
        text = "[\n" + head + ",\n" + ",\n".join(line for _, _, line in rest)
        self.files[pid] = text[:r.randrange(len(text))] if r.random() < 0.1 else text + "\n]\n"
        self.lines, self.now, self.whole = outer
        return pid

    def calls(self, begin, end, depth, level, ended):
        r, t = self.r, begin
        while t < end and r.random() < 0.8 and self.left:
            t += r.randrange(0, (end - t) // 3 + 1)
            stop = t + r.randrange(0, (end - t) // (1 + r.randrange(3)) + 1)
            self.call(r.choice(["f", "g", "h", "main", "f#2", "Total h", "é", "begin"]), t, stop, depth, level, ended)
            t = stop

    def call(self, name, t, stop, depth, level, ended):
        r, self.left = self.r, max(self.left - 1, 0)
        whole = self.whole in ("at their end", "at their begin") or (self.whole and r.random() < 0.3)
        told = 0.05 if not whole else r.choice([0, 0, 0.02])
        identity = f"{r.getrandbits(64):016x}" if r.random() < (0.02 if whole else 0.2) else None
        args = {"n": 1, "nested": {"id": 5}} if r.random() < told else {"id": r.randrange(4)} if r.random() < told else {"n": 1} if r.random() < 0.1 else None
        if whole:  # begin and duration of some are rounded apart
            end = stop if r.random() < 0.8 or stop == t else stop + r.randrange(-(min(999, stop - t)), 999)
            args = {**(args or {}), "span_id": identity} if identity else args
            self.event("X", name, t, args, written=end if self.whole == "at their end" else t, dur=end - t)
        else:
            self.event("B", name, t, args)
        if r.random() < (0.002 if whole else 0.1):
            self.event("i", r.choice(["begin", "end", "converged"]), r.randrange(t, stop + 1), s=r.choice("tp"))
        if r.random() < 0.05:
            self.event("s", "q", t, id=7, bp="e")
        if r.random() < 0.05:
            at = r.randrange(t, stop + 1)
            self.event("b", "job", at, id=str(r.randrange(4)))
            self.event("e", "job", stop + r.randrange(100), id=str(r.randrange(4)))
        if level < 5:
            self.calls(t, stop, depth, level + 1, ended)
        if depth < 3 and stop - t > 20 and r.random() < 0.1:
            at = r.randrange(t, stop)
            until = r.choice([stop, stop + 500, (at + stop) // 2])
            child = self.process(at, max(at, until), (self.now[0], identity), depth + 1, r.choice(["node1", "node1", "node2"]))
            if r.random() < 0.5:
                self.event("i", "fork", at, {"child_pid": child}, s="t")
        if not whole and r.random() > (0.02 if ended else 0.1):
            end = "" if r.random() < 0.03 else name
            args = {"unfinished": True} if r.random() < 0.03 else {"span_id": identity} if identity else {"cpu_ns": 5} if r.random() < 0.1 else None
            self.event("E", end, stop, args)


@cases(*range(8))
def random_processes(seed):
    r = random.Random(seed)
    m = Maker(r)
    t0 = 1795162300 * 10**9
    for _ in range(r.randrange(1, 4)):
        m.process(t0, t0 + r.choice([200, 10**4, 10**6, 10**8]))
    os.makedirs(path("made"), exist_ok=True)
    names = []
    for pid, text in m.files.items():
        names.append(path(f"made/perfflow.array.node1.{pid}.pfw"))
        write(names[-1], text)
    same(path("made"), note=f"seed {seed}")
    for name in names[:3]:
        same(name, note=f"seed {seed}")


# ---- of programs

PROGRAM = r"""
    static __attribute__((noinline)) int fib(int n) { SPANLOOM_SPAN("fib"); return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static void *work(void *n) { SPANLOOM_SPAN("work"); fib(*(int *)n); return 0; }
    int main(int argc, char **argv) {
        int n[] = {7, 9}; pthread_t t[2];
        SPANLOOM_SPAN("main");
        for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, &n[i]);
        fib(8);
        for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
        pid_t p = fork();
        if (!p) { SPANLOOM_SPAN("child"); fib(5); exit(0); }
        { SPANLOOM_SPAN("wait"); fib(3); waitpid(p, 0, 0); }
        fib(4);
        if (argc > 1) { SPANLOOM_SPAN("hangs"); for (;;) { SPANLOOM_SPAN("step"); fib(3); if (!strcmp(argv[1], "abort")) raise(SIGKILL); } }
        return 0;
    }"""


@cases("array", "compact", "binary", "run")
def programs(how):
    if how == "run":
        program = compiled(PROGRAM)
        spanloom("run", "--keep", "--dir", path("kept"), "-d", path("run.db"), "--quiet", "sh", "-c", f"{program}; {program} && exit 3", code=3)
        found = path("kept")
    else:
        ran(PROGRAM, options={"array": "", "compact": "log-event=compact", "binary": ""}[how], spanloom="log-format=binary" if how == "binary" else "")
        found = os.path.dirname(files("*.slt" if how == "binary" else "*.pfw")[0])
    check("fib" in same(found), "the program's calls")


@test
def killed_and_cut_off():
    ran(PROGRAM, "abort", spanloom="log-format=binary", code=-signal.SIGKILL)
    found = files("*.slt")
    check("hangs" in same(*found), "what was open")
    for f in found:
        with open(f, "rb") as file:
            whole = file.read()
        for n in range(0, len(whole), max(4096, len(whole) // 9)):
            write(path("cut.slt"), whole[:n + 1])
            same(path("cut.slt"), note=f"cut at {n}")


main()
