# SPDX-License-Identifier: Apache-2.0
"""What the tests of the tracing runtime share: compile a small program, run it, read the trace that it left.

A program begins with PRELUDE (all headers that any of them needs).  Times are nanoseconds since the epoch, whole numbers.
"""
import atexit
import collections
import decimal
import glob
import hashlib
import socket

from harness import *  # noqa

BUILD = os.environ.get("BUILD") or f"{ROOT}/build"
HOST = socket.gethostname()
PRELUDE = """#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <spanloom/trace.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
/* For threads that record until they are stopped: they record no more than this, however late they are stopped. */
#ifndef MOST
#define MOST 20000
#endif
static inline int more(void)
{
    static __thread int n;
    if (n < MOST) return ++n;
    usleep(1000);
    return 0;
}
static inline long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
#line 1 "prog.c"
"""
_made = {}
_programs = tempfile.mkdtemp(prefix="spanloom-programs-", dir=SCRATCH)
atexit.register(shutil.rmtree, _programs, True)


def runtime(cc, *flags):
    """The runtime as a static library of objects that this compiler made with these flags; without optimization, as nothing is
    left out then that a sanitizer would see, and it is compiled in a third of the time."""
    key = repr((cc, flags))
    if key not in _made:
        folder = tempfile.mkdtemp(dir=_programs)
        sources = sorted(glob.glob(f"{ROOT}/src/runtime/*.c") + glob.glob(f"{ROOT}/src/trace/*.c") + [f"{ROOT}/src/base/files/whole_file.c"])
        command = [cc, "-c", "-O0", "-g1", "-w", "-std=gnu17", "-D_GNU_SOURCE", f"-I{ROOT}/include", f"-I{ROOT}/src", f"-I{BUILD}", *flags]
        subprocess.run([*command, *sources], cwd=folder, check=True)
        subprocess.run(["ar", "rcs", "runtime.a", *sorted(os.listdir(folder))], cwd=folder, check=True)
        _made[key] = f"{folder}/runtime.a"
    return _made[key]


def compiled(source, *flags, cc="gcc", link="so", lang="c", prelude=True, shared=False, name=None):
    """The path of the program (or with shared, of the library) made of source; link is so, a or None."""
    key = hashlib.sha1(repr((source, flags, cc, link, lang, prelude, shared, name)).encode()).hexdigest()[:16]
    if key not in _made:
        folder = f"{_programs}/{key}"
        os.makedirs(folder, exist_ok=True)
        file, to = f"{folder}/prog.{lang}", f"{folder}/{name or ('lib.so' if shared else 'prog')}"
        write(file, (PRELUDE if prelude else "") + source)
        if cc in ("gcc", "clang") and lang != "c":
            cc = {"gcc": "g++", "clang": "clang++"}[cc]
        command = [cc, "-O1", "-g", f"-I{ROOT}/include", *(["-fexceptions"] if lang == "c" else []), *(["-shared", "-fPIC"] if shared else []), "-o", to, file]
        command += {"so": [f"-L{BUILD}", "-lspanloom-trace", f"-Wl,-rpath,{BUILD}"], "a": [f"{BUILD}/libspanloom-trace.a"], None: []}[link]
        r = subprocess.run([*command, *flags, "-pthread", "-ldl", "-lm"], capture_output=True, text=True, errors="replace")
        check(r.returncode == 0, f"does not compile: {' '.join(command)}\n{r.stdout}{r.stderr}")
        _made[key] = to
    return _made[key]


def bare_environment(**more):
    """Nothing that says who the process is or belongs to."""
    ours = re.compile(r"SPANLOOM_|PERFFLOW_|TRACE(PARENT|STATE)$|SLURM_|LSB_|LS_|FLUX_|OMPI_|PMI|PMIX")
    return {**{k: v for k, v in os.environ.items() if not ours.match(k)}, **more}


def run(exe, *args, options=None, spanloom=None, env=None, cwd=None, code=0, err="", before=None, timeout=PATIENCE, prefix=(), **more):
    """Run a traced program in this test's directory.  code and err are what must come of it; None: anything."""
    e = bare_environment(**(env or {}))
    if options is not None:
        e["PERFFLOW_OPTIONS"] = options
    if spanloom is not None:
        e["SPANLOOM_OPTIONS"] = spanloom
    with in_memory() as out, in_memory() as errors:
        p = subprocess.Popen([*prefix, exe, *map(str, args)], cwd=cwd or path(), env=e, preexec_fn=before,
                             **{"stdin": subprocess.DEVNULL, "stdout": out, "stderr": errors, **more})
        check(not ended(p, timeout)[1], f"still running after {timeout} s")
        out.seek(0), errors.seek(0)
        r = types.SimpleNamespace(code=p.returncode, out=out.read().decode(errors="replace"), err=errors.read().decode(errors="replace"), pid=p.pid)
    if code is not None:
        equal(r.code, code, f"exit status\n{r.out[-1000:]}{r.err[-3000:]}\n")
    if err is not None:
        equal(r.err, err, "standard error")
    return r


def ran(source, *args, flags=(), cc="gcc", link="so", lang="c", **more):
    return run(compiled(source, *flags, cc=cc, link=link, lang=lang), *args, **more)


# ---- traces

NUMBERS = (int, decimal.Decimal)
METADATA = {"spanloom", "process_name", "process_labels", "process_sort_index", "thread_name", "thread_sort_index"}
KEYS = {"name", "cat", "pid", "tid", "ts", "ph", "args", "dur", "id", "scope", "bp", "s"}
Span = collections.namedtuple("Span", "name cat tid begin end args depth parent unfinished")


def _object(pairs):
    d = dict(pairs)
    if len(d) != len(pairs):
        raise AssertionError(f"a key twice in {pairs}")
    return d


def _constant(word):
    raise AssertionError(f"{word} is no JSON")


def parse(data):
    data = data if isinstance(data, str) else data.decode("utf-8")
    return json.loads(data, object_pairs_hook=_object, parse_constant=_constant, parse_float=decimal.Decimal)


def ns(number):
    if type(number) is int:
        return number * 1000
    n = number * 1000
    if n != int(n):
        raise AssertionError(f"{number} is finer than a nanosecond")
    return int(n)


class Trace:
    """A Chrome Trace file, which must be one by the rules."""

    def __init__(self, data, name="", rules=True):
        self.name, self.data = name, data
        try:
            tree = parse(data)
        except ValueError as e:
            raise AssertionError(f"{name} is no JSON: {e}\n...{data[-300:]!r}") from None
        if isinstance(tree, dict):
            check(tree.get("displayTimeUnit") in ("ns", "ms"), f"displayTimeUnit: {tree.get('displayTimeUnit')}")
            self.all = tree["traceEvents"]
        else:
            self.all = tree
        self.object, self.nested = isinstance(tree, dict), None
        self.events = [e for e in self.all if e.get("ph") != "M"]
        self.meta = next((e["args"] for e in self.all if e.get("ph") == "M" and e.get("name") == "spanloom"), None)
        if rules:
            self.rules()

    def rules(self):
        """Those of the Trace Event Format."""
        first = self.all[0]
        check(first["ph"] == "M" and first["name"] == "spanloom", f"the first event is {first}")
        last = {}
        for e in self.all:
            if wrong := self.wrong(e, last):
                raise AssertionError(f"{wrong} of {e}")

    def wrong(self, e, last):
        ph, t = e.get("ph"), e.get("ts")
        if type(ph) is not str or len(ph) != 1 or ph not in "BEXbneMCistf":
            return "phase"
        if type(e.get("name")) is not str or type(e.get("pid")) is not int or type(e.get("tid")) is not int:
            return "name, pid or tid"
        if not e.keys() <= KEYS or "args" in e and type(e["args"]) is not dict:
            return "keys"
        if ph == "M":
            return "metadata" if e["name"] not in METADATA or not e.get("args") else None
        if type(e.get("cat")) is not str:
            return "cat"
        if type(t) not in NUMBERS:
            return "ts"
        if not (type(e.get("dur")) in NUMBERS and e["dur"] >= 0) if ph == "X" else "dur" in e:
            return "dur"
        if type(e.get("id")) not in (int, str) if ph in "bnestf" else "id" in e:
            return "id"
        if ph == "i" and e.get("s") not in ("g", "p", "t"):
            return "scope"
        if ph == "f" and e.get("bp") != "e":
            return "binding point"
        if ph == "C" and not (e.get("args") and all(type(v) in NUMBERS for v in e["args"].values())):
            return "values"
        if ph in "BEist":
            if t < last.get(e["tid"], 0):
                return f"time, which is before {last[e['tid']]},"
            last[e["tid"]] = t
            ns(t)
        return None

    def of(self, ph, name=None):
        return [e for e in self.events if e["ph"] in ph and name in (None, e["name"])]

    def names(self, ph="BE"):
        return [f"{e['name']} {e['ph']}" for e in self.events if e["ph"] in ph]

    def spans(self, name=None):
        """In the order of their begins."""
        if self.nested is None:
            self.nested = self._spans()
        return [s for s in self.nested if name in (None, s.name)]

    def _spans(self):
        """Pairs are made as chrome://tracing does it, an E ends the innermost B."""
        found, open_ = [], {}
        for e in self.events:
            if e["ph"] == "B":
                open_.setdefault(e["tid"], []).append(e)
            elif e["ph"] == "E":
                stack = open_.get(e["tid"])
                check(stack, f"an E without a B: {e}") if not stack else None
                b = stack.pop()
                if (e["name"], e["cat"]) != (b["name"], b["cat"]):
                    raise AssertionError(f"{b} is followed by {e}")
                both = {**b.get("args", {}), **e.get("args", {})}
                found.append([b["name"], b["cat"], e["tid"], ns(b["ts"]), ns(e["ts"]), both])
            elif e["ph"] == "X":
                found.append([e["name"], e["cat"], e["tid"], ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e.get("args", {})])
        for tid, stack in open_.items():
            check(not stack, f"B without E on thread {tid}: {stack[-3:]}")
        found.sort(key=lambda s: (s[2], s[3], -s[4]))
        nested, stack = [], []
        for s in found:
            check(s[3] <= s[4], "ends before it begins:", s[:6])
            while stack and (stack[-1].tid != s[2] or stack[-1].end < s[4] or stack[-1].end <= s[3] < s[4]):
                if stack[-1].tid == s[2] and stack[-1].end > s[3]:
                    raise AssertionError(f"{s} laps over {stack[-1][:6]}")
                stack.pop()
            nested.append(Span(*s, len(stack), stack[-1].name if stack else None, s[5].get("unfinished") is True))
            stack.append(nested[-1])
        nested.sort(key=lambda s: s.begin)
        return nested


def load(file, **more):
    with open(file, "rb") as f:
        return Trace(f.read(), os.path.basename(file), **more)


def files(pattern="*.pfw", folder=None):
    """Names, braces and all."""
    import fnmatch
    folder = folder or path()
    return sorted(f"{folder}/{f}" for f in os.listdir(folder) if fnmatch.fnmatch(f, pattern)) if os.path.isdir(folder) else []


def traces(folder=None, n=None, **more):
    found = files("*.pfw", folder)
    if n is not None:
        equal(len(found), n, f"number of .pfw in {sorted(os.listdir(folder or path()))}")
    return [load(f, **more) for f in found]


def trace(folder=None, **more):
    """The only one; nothing else of ours is left."""
    t = traces(folder, 1, **more)[0]
    equal(files("*.slt", folder), [], ".slt that are left")
    if t.meta:
        equal(t.meta["ended"], True, "ended in order")
    return t


def exported(slt, *options, rules=True, code=0):
    """What spanloom export chrome makes of what a process left."""
    r = spanloom("export", "chrome", *options, "-o", "-", slt, code=code, text=False)
    return Trace(r.out, os.path.basename(slt), rules=rules) if code == 0 else r


def left(folder=None, n=1):
    """The traces of processes that are dead, exported."""
    found = files("*.slt", folder)
    equal(len(found), n, f"number of .slt in {sorted(os.listdir(folder or path()))}")
    t = [exported(f) for f in found]
    for x in t:
        equal(x.meta["ended"], False, "ended in order")
    return t if n != 1 else t[0]
