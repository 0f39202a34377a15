#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One call of the system fails, whichever it is: the result is whole, or it is said what failed, in the system's words.
Nothing under a final name is less than whole, nothing is left behind, and what was there before stays until it can be replaced.

FAILURES is how many of each kind of call, in each command, have to fail (`make failures`: 300); TRACE=1 tells where they did.
"""
import contextlib
import errno
import gzip
import math
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

FAILURES = int(os.environ.get("FAILURES", 1))
KINDS = {"alloc": [errno.ENOMEM], "open": [errno.EMFILE, errno.EIO, errno.ENOMEM, errno.ENOSPC], "read": [errno.EIO],
         "write": [errno.ENOSPC, errno.EIO], "sync": [errno.EIO], "map": [errno.ENOMEM], "dir": [errno.EIO]}
SPANS = 3000
PROG = """
static void *work(void *p) { for (int i = 0; i < %d; i++) { SPANLOOM_SPAN("inner"); } return p; }
int main(void)
{
    pthread_t t;
    if (pthread_create(&t, 0, work, 0))
        work(0);
    else
        pthread_join(t, 0);
    work(0);
    return puts("done") < 0;
}
""" % (SPANS // 2)


def shim():
    return compiled(open(f"{ROOT}/tests/lib/fail.c").read(), "-fno-builtin", "-w", shared=True, link=None, prelude=False)


def seen():
    """How many calls failed, and how many there were of each kind."""
    with open(path("seen"), "rb") as f:
        failed, *calls = struct.unpack("8q", f.read())
    return failed, dict(zip(KINDS, calls))


def fresh(*folders):
    for folder in folders:
        shutil.rmtree(path(folder), ignore_errors=True)
        os.makedirs(path(folder))


class Command:
    """A command in the empty folder `out`; its result is what it prints, and the file that it makes there."""
    program, old = "spanloom", False  # old: something of that name is there before, as in every second run

    def __init__(self, *args, makes=None, replaces=True):
        self.args, self.makes, self.replaces = args, makes, replaces

    def prepare(self):
        """Once, before all runs."""
        imported(EXAMPLE, store=path("s.db"))

    def before(self):
        if self.makes and self.old and self.replaces:
            write(path("out", self.makes), "old")

    def start(self, env):
        return spanloom(*self.args, cwd=path("out"), env=env, code=None)

    def result(self, r):
        return r.out, self.file()

    def file(self):
        return read_all(path("out", self.makes)) if self.makes else None

    def afterwards(self, r, want):
        """What must hold where something failed."""
        if self.makes:
            got = self.file()
            check(got in (b"old" if self.old and self.replaces else None, want[1]), f"{self.makes} is neither what it was nor whole")

    def may_lie_there(self):
        return {self.makes}


def read_all(name):
    """The bytes of a file, or of all in a folder; None: there is none."""
    if os.path.isdir(name):
        return {f: read_all(os.path.join(name, f)) for f in sorted(os.listdir(name))}
    if not os.path.exists(name):
        return None
    with open(name, "rb") as f:
        return f.read()


class Import(Command):
    """Of folders, plain, compressed and in an archive, into a new store or one that has another run."""
    stored = False

    def prepare(self):
        small_run(path("in"))
        rewritten_run(path("in/more"), move=1000, run_id="1" * 8 + "-2222-3333-4444-" + "5" * 12, share=.05, number="001", db=False)
        rewritten_run(path("in/other"), move=2000, run_id="2" * 8 + "-2222-3333-4444-" + "5" * 12, share=.05, number="002", db=False)
        log = path("in/more/001/parsl.log")
        with open(log, "rb") as f, gzip.open(f"{log}.gz", "wb") as z:
            z.write(f.read())
        os.remove(log)
        subprocess.run(["tar", "czf", path("in/other.tar.gz"), "-C", path("in"), "other"], check=True)
        shutil.rmtree(path("in/other"))
        imported(path("in/more"), store=path("old.db"))

    def before(self):
        if self.old:
            shutil.copyfile(path("old.db"), path("out/s.db"))

    def result(self, r):
        whole(path("out/s.db"))
        return dump(path("out/s.db"), places=True)

    def afterwards(self, r, want):
        store = path("out/s.db")
        with contextlib.closing(sqlite3.connect(store)) as db:  # which applies a journal that lies there
            there = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if self.old or there:
            whole(store)
            lost = set(dump(path("old.db"), places=True)) - set(dump(store, places=True)) if self.old else ()
            check(not lost, f"lost what the store had: {sorted(lost)[:3]}")
        same(dump(imported(path("in"), store=store).store, places=True), want, "imported again")

    def may_lie_there(self):
        return {"s.db", "s.db-journal"}  # a journal which could not be applied is, when the store is opened next


class Monitor(Command):
    """The command's exit status is passed on; what failed of the monitor itself is said."""

    def prepare(self):
        pass

    def start(self, env):
        r = super().start(env)
        r.code = r.code or int(bool(r.err))
        return r

    def result(self, r):
        lines = [json.loads(line)["record"] for line in self.file().splitlines()]
        return lines[0], lines[-1]

    def afterwards(self, r, want):
        for line in (self.file() or b"").splitlines():
            json.loads(line)

    def before(self):
        pass


class Experiment(Command):
    PLAN = """
experiment: sweep
command: 'echo "score $A"'
score: {regex: 'score (.*)'}
factors:
  a: {levels: {1: {environment: {A: 1}}, 2: {environment: {A: 2}}}}
"""

    def prepare(self):
        write(path("plan/experiment.yaml"), self.PLAN)
        spanloom("experiment", "design", "full", cwd=path("plan"))

    def before(self):
        shutil.copytree(path("plan"), path("out"), dirs_exist_ok=True)

    def runs(self):
        lines = (read_all(path("out/sweep.runs.jsonl")) or b"").decode().splitlines()
        return sorted((r["a"], r["score"], r["outcome"]) for r in map(json.loads, lines) if r["record"] == "run")

    def result(self, r):
        store = path("out/spanloom.db")
        return self.runs(), query(store, "SELECT count(*) FROM spans") if os.path.exists(store) else None

    def afterwards(self, r, want):
        runs = self.runs()
        check(set(runs) <= set(want[0]), f"made {runs}, of {want[0]}")
        spanloom("experiment", "run", cwd=path("out"))
        equal(self.result(r), want, "run again")

    def may_lie_there(self):
        return {"experiment.yaml", "sweep.design.csv", "sweep.runs.jsonl", "spanloom.db", "spanloom.db-journal", ".sweep.lock"}


class Traced(Command):
    """The program notices nothing. What its trace lacks is said at its end."""
    program = "prog"

    def prepare(self):
        self.exe = compiled(PROG)

    def before(self):
        pass

    def start(self, env):
        r = run(self.exe, cwd=path("out"), env=env, err=None)
        equal(r.out, "done\n", "it printed")
        r.code = bool(r.err)
        return r

    def result(self, r):
        fresh("traces")
        imported(path("out"), store=path("traces/t.db"))
        [(calls,)] = query(path("traces/t.db"), "SELECT count(*) FROM spans WHERE type = 'trace.call'")
        equal(calls, SPANS, "calls, and no word of a loss")
        return calls, os.listdir(path("out")) == []

    def afterwards(self, r, want):
        """A trace is whole, or what the buffer has, of which no more is told than there was."""
        for name in self.may_lie_there():
            if name.endswith(".pfw"):
                with open(path("out", name), encoding="utf-8") as f:
                    json.load(f)
        fresh("traces")
        imported(path("out"), store=path("traces/t.db"), code=None if self.may_lie_there() else 1)
        if os.path.exists(path("traces/t.db")):
            [(calls,)] = query(path("traces/t.db"), "SELECT count(*) FROM spans WHERE type = 'trace.call'")
            check(calls <= SPANS, f"{calls} of {SPANS} calls")

    def may_lie_there(self):
        return {f for f in os.listdir(path("out")) if re.fullmatch(r"(perfflow|spanloom)[\w.-]*\.(pfw|slt)", f)}


COMMANDS = {
    "import": Import("import", "-d", "s.db", "../in"),
    "why": Command("why", "-d", "../s.db"),
    "report json": Command("report", "-d", "../s.db", "-o", "r.json", makes="r.json"),
    "export csv": Command("export", "csv", "-d", "../s.db", "-o", "o.csv", makes="o.csv", replaces=False),
    "export perfetto": Command("export", "perfetto", "-d", "../s.db", "-o", "o.pftrace", makes="o.pftrace"),
    "export chrome": Command("export", "chrome", "-d", "../s.db", "-o", "o.json", makes="o.json"),
    "plot json": Command("plot", "durations", "invoked", "returned", "-d", "../s.db", "-o", "p.json", makes="p.json"),
    "monitor": Monitor("monitor", "--quiet", "--interval", "20ms", "-o", "m.jsonl", "--", "sleep", "0.06", makes="m.jsonl"),
    "experiment run": Experiment("experiment", "run"),
    "traced program": Traced(),
}
if os.path.exists(f"{ROOT}/page/dist/run.html"):  # `make plots`
    COMMANDS["report"] = Command("report", "-d", "../s.db", "-o", "r.html", makes="r.html")
    COMMANDS["plot"] = Command("plot", "durations", "invoked", "returned", "-d", "../s.db", "-o", "p.html", makes="p.html")


def failing(command, kind="", at=0, error=0, on=False):
    """Runs it, with the at-th call of this kind failing; 0: none."""
    fresh("out", "tmp")
    command.before()
    write(path("seen"), bytes(64))
    env = {"LD_PRELOAD": shim(), "FAIL": kind, "FAIL_AT": str(at), "FAIL_WITH": str(error), "FAIL_IN": command.program,
           "FAIL_LOG": path("seen"), "TMPDIR": path("tmp"), **({"FAIL_ON": "1"} if on else {}),
           **({"FAIL_TRACE": "1"} if os.environ.get("TRACE") else {})}
    return command.start(env)


def judge(command, r, error, want):
    if r.code == 0:
        got = command.result(r)
        same(got, want, "exit 0") if isinstance(want, list) else check(got == want, f"exit 0, and another result: {got!r:.300}")
    else:
        check(os.strerror(error) in r.err or "out of memory" in r.err or "cannot write the output" in r.err, "the message does not say what the system said")
    behind = sorted({*os.listdir(path("out"))} - command.may_lie_there()) + os.listdir(path("tmp"))
    check(not behind, f"left behind: {behind}")
    if r.code:
        command.afterwards(r, want)


@test
def a_traced_program_ends_however_little_memory_there_is():
    """From any allocation on there is none: to write its trace, too."""
    command = COMMANDS["traced program"]
    command.prepare()
    failing(command)
    for at in range(1, seen()[1]["alloc"] + 1):
        command.afterwards(failing(command, "alloc", at, errno.ENOMEM, on=True), None)


@cases(*COMMANDS)
def a_call_fails(name):
    command, r, wrong, ended, all_ = COMMANDS[name], rng(), collections.Counter(), 0, 0
    command.prepare()
    good = failing(command)
    equal(good.code, 0, good.err)
    want = command.result(good)
    calls = seen()[1]
    for kind, errors in KINDS.items():
        hit = tries = 0
        while calls[kind] and hit < FAILURES and tries < 3 * FAILURES + 3:
            tries += 1
            at = round(calls[kind] ** r.random()) if tries % 2 else r.randint(1, calls[kind])
            error, on, command.old = r.choice(errors), r.random() < .3, hit % 2 > 0
            result = failing(command, kind, at, error, on)
            if not seen()[0]:
                continue
            hit += 1
            all_ += 1
            ended += result.code != 0
            try:
                judge(command, result, error, want)
            except AssertionError as e:
                what = f"{kind} {at} of {calls[kind]} {errno.errorcode[error]}{' and all after it' if on else ''}{', old' if command.old else ''}"
                wrong[kind] += 1
                if wrong[kind] <= 3:
                    note(what, str(e)[:500], "|", result.code, "|", result.err.strip()[-(3000 if os.environ.get("TRACE") else 300):])
    note(f"{all_} failed, which ended {ended}")
    check(not wrong, f"of {all_}: {dict(wrong)}")


# What is decided by files and rows that were not all there: each call, one after the other.
EVERY = {
    "what lies there, folders": (Command("import", "--dry-run", "--format", "json", "../in"), "dir"),
    "what lies there, files": (Command("import", "--dry-run", "--format", "json", f"{ROOT}/examples"), "open"),
    "an import": (Import("import", "-d", "s.db", "--jobs", "1", "../in"), "open"),
    "show": (Command("show", "task", "5", "-d", "../s.db"), "read"),
    "sequences": (Command("sequences", "-d", "../s.db"), "read"),
    "an experiment": (Experiment("experiment", "run"), "read"),
}


@cases(*EVERY)
def each_call_fails(name):
    command, kind = EVERY[name]
    command.prepare()
    if kind == "dir":
        Import.prepare(command)
    good = failing(command)
    equal(good.code, 0, good.err)
    want, calls = command.result(good), seen()[1][kind]
    check(calls > 3, f"{calls} calls")
    for at in range(1, calls + 1):
        r = failing(command, kind, at, KINDS[kind][0])
        try:
            judge(command, r, KINDS[kind][0], want)
            check("malformed" not in r.err and "damaged" not in r.err, "a failing disk is no damage")
        except AssertionError as e:
            raise AssertionError(f"{kind} {at} of {calls}: {e}\n{r.err[-500:]}") from None
    note(f"{calls} calls")


main()
