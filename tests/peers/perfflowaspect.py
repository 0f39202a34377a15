#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PerfFlowAspect's own Python package, our runtime and our package, doing the same: the same events and names of files."""
import glob
import hashlib
import itertools
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, cases, check, equal, imported, main, path, query, test  # noqa: E402
import peers  # noqa: E402
import trace_events  # noqa: E402
from perfflow_peers import SCHEDULERS, by  # noqa: E402
from perfflow_programs import DIRECT, INCORRECT, PROGRAMS  # noqa: E402

BUILD = os.environ.get("BUILD", f"{ROOT}/build-gcc")
THEIRS = '''
import os
import time
from perfflowaspect import aspect

@aspect.critical_path(pointcut="around")
def bas():
    pass

@aspect.critical_path(pointcut="around")
def bar():
    time.sleep(0.001)
    bas()

@aspect.critical_path()
def foo():
    time.sleep(0.001)
    bar()

@aspect.critical_path(pointcut="around_async")
def later():
    pass

@aspect.critical_path(pointcut="before_async", scope="here")
def begun():
    pass

@aspect.critical_path(pointcut="after_async", scope="here")
def ended():
    pass

if __name__ == "__main__":
    for _ in range(4):
        foo()
    if os.environ.get("ASYNC"):
        later()
        begun()
        ended()
    print(os.environ["PERFFLOW_INSTANCE_PATH"])
'''
OURS = '''
#include <spanloom/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define AROUND(f, ...) \\
    static void f(void) \\
    { \\
        perfflow_weave_before(0, "__main__", #f, "", "NA", "around"); \\
        __VA_ARGS__; \\
        perfflow_weave_after(0, "__main__", #f, "", "NA", "around"); \\
    }
AROUND(bas, (void)0)
AROUND(bar, usleep(1000), bas())
AROUND(foo, usleep(1000), bar())

int main(void)
{
    for (int i = 0; i < 4; i++)
        foo();
    if (getenv("ASYNC")) {
        perfflow_weave_before(1, "__main__", "later", "", "NA", "around_async");
        perfflow_weave_after(1, "__main__", "later", "", "NA", "around_async");
        perfflow_weave_before(1, "__main__", "begun", "here", "NA", "before_async");
        perfflow_weave_after(1, "__main__", "ended", "here", "NA", "after_async");
    }
    const char *instance = getenv("PERFFLOW_INSTANCE_PATH");
    puts(instance ? instance : "");
}
'''


def programs():
    """The commands of theirs and ours."""
    with open(path("smoke.py"), "w", encoding="utf-8") as file:
        file.write(THEIRS)
    with open(path("smoke.c"), "w", encoding="utf-8") as file:
        file.write(OURS)
    r = subprocess.run(["gcc", f"-I{ROOT}/include", path("smoke.c"), "-o", path("smoke"), f"-L{BUILD}", "-lspanloom-trace",
                        f"-Wl,-rpath,{BUILD}"], capture_output=True, text=True)
    check(r.returncode == 0, r.stderr)
    return [peers.python(), path("smoke.py")], [path("smoke")]


def run(command, where, options="", **env):
    """Gives the trace's file, what is in it, the process's number and what it printed."""
    os.makedirs(path(where))
    clean = {k: v for k, v in os.environ.items() if not k.startswith(SCHEDULERS)}
    process = subprocess.Popen(command, cwd=path(where), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**clean, **({"PERFFLOW_OPTIONS": options} if options else {}), **env})
    out, err = process.communicate(timeout=600)
    check(process.returncode == 0 and not err, f"{command}: exit {process.returncode}\n{err}")
    found = glob.glob(f"{glob.escape(path(where))}/**/*.pfw", recursive=True)
    check(len(found) <= 1, found)
    if not found:
        return None, None, process.pid, out.strip()
    with open(found[0], encoding="utf-8") as file:
        text = file.read()
    return os.path.relpath(found[0], path(where)), text, process.pid, out.strip()


def both(options="", **env):
    """The events of theirs and ours, as lists of keys and values in their order, without those about the process."""
    theirs, ours = programs()
    _, text, _, _ = run(theirs, "theirs", options, **env)
    a = json.loads(text + "{}]")[:-1]  # they leave the array open
    _, text, _, _ = run(ours, "ours", options, **env)
    equal(trace_events.faults(text, pairs="ASYNC" not in env), [], "our trace")
    return a, [e for e in json.loads(text) if e["ph"] != "M"]


def shape(events):
    return [(e["ph"], e["name"], e["cat"]) for e in events]


def keys(events):
    return {(e["ph"], tuple(e), tuple(e.get("args", ()))) for e in events}


@cases("", "log-event=verbose", "log-event=Compact", "log-event=Compact:cpu-mem-usage=True", "name=x:log-event=COMPACT")
def the_same_events(options):
    theirs, ours = both(options)
    equal(shape(ours), shape(theirs), "phases, names and categories in their order")
    equal(keys(ours), keys(theirs), "keys in their order")
    for kind in ("pid", "tid", "name", "cat", "ph"):
        equal({type(e[kind]) for e in ours}, {type(e[kind]) for e in theirs}, kind)
    for events in (theirs, ours):  # both since the epoch in microseconds, both of a millisecond or two
        for i in range(4):
            if "ompact" in options.lower():
                foo = [e for e in events if e["name"] == "foo" and e["ph"] == "X"][i]
                length = foo["dur"]
            else:
                begin, end = [e["ts"] for e in events if e["name"] == "foo" and e["ph"] in "BE"][2 * i:2 * i + 2]
                length = end - begin
            check(2000 <= length < 10 ** 6, f"foo took {length} us")
    check(abs(ours[0]["ts"] - theirs[0]["ts"]) < 60e6, "the same minute")


@test
def the_same_events_with_usage():
    """What a span used is before its end or behind it; the times are the same. Differs: order of events."""
    theirs, ours = both("cpu-mem-usage=True")
    equal(sorted(shape(ours)), sorted(shape(theirs)), "events")
    equal(keys(ours), keys(theirs), "keys in their order")
    for phase in "BCE":
        equal([s for s in shape(ours) if s[0] == phase], [s for s in shape(theirs) if s[0] == phase], f"events of phase {phase}")


@test
def the_same_asynchronous_events():
    """Theirs have the thread's id and an empty scope of null, ours an id for each span."""
    theirs, ours = both(ASYNC="1")
    equal([s for s in shape(ours) if s[0] in "be"], [s for s in shape(theirs) if s[0] in "be"], "events")
    for a, b in zip([e for e in ours if e["ph"] in "be"], [e for e in theirs if e["ph"] in "be"]):
        equal(sorted(a), sorted(k for k in b if b[k] is not None), f"keys of {a}")
        equal(a.get("scope"), b["scope"], f"scope of {a}")


INSTANCES = {
    "none": {},
    "Slurm": {"SLURM_JOB_ID": "123456", "SLURM_STEP_ID": "1"},
    "Slurm step 0": {"SLURM_JOB_ID": "9", "SLURM_STEP_ID": "0"},
    "Slurm job only": {"SLURM_JOB_ID": "123456"},
    "Slurm step only": {"SLURM_STEP_ID": "1"},
    "LSF": {"LSB_JOBID": "123456", "LS_JOBPID": "77"},
    "LSF job only": {"LSB_JOBID": "123456"},
    "LSF pid only": {"LS_JOBPID": "77"},
    "Slurm and LSF": {"SLURM_JOB_ID": "1", "SLURM_STEP_ID": "2", "LSB_JOBID": "3", "LS_JOBPID": "4"},
    "Slurm job and LSF": {"SLURM_JOB_ID": "1", "LSB_JOBID": "3", "LS_JOBPID": "4"},
    "Slurm job and Flux URI": {"SLURM_JOB_ID": "1", "FLUX_URI": "local:///tmp/flux-a/local-0"},
    "Flux": {"FLUX_JOB_ID": "123456"},
    "Flux f58": {"FLUX_JOB_ID": "ƒeF9QZG3"},
    "Flux and Slurm": {"FLUX_JOB_ID": "ab", "SLURM_JOB_ID": "1", "SLURM_STEP_ID": "2"},
    "Flux URI": {"FLUX_URI": "local:///tmp/flux-yGmDxM/local-0"},
    "Flux URI of two": {"FLUX_URI": "local:///a/b"},
    "Flux URI slash at the end": {"FLUX_URI": "local:///tmp/flux/"},
    "Flux URI with a host": {"FLUX_URI": "ssh://host.example/tmp/flux-yGmDxM/local-0"},
    "Flux URI with a query": {"FLUX_URI": "ssh://h/tmp/x/local-0?local=/usr/bin/flux#part"},
    "Flux URI with slashes": {"FLUX_URI": "local:///tmp//flux//local-0"},
    "Flux URI of one": {"FLUX_URI": "local:///a"},
    "Flux URI of the root": {"FLUX_URI": "local:///"},
    "nested": {"PERFFLOW_INSTANCE_PATH": "fffffff.444444", "FLUX_JOB_ID": "123456"},
    "nested in Slurm": {"PERFFLOW_INSTANCE_PATH": "c0ffee", "SLURM_JOB_ID": "5", "SLURM_STEP_ID": "6"},
    "nested in nothing else": {"PERFFLOW_INSTANCE_PATH": "fffffff"},
}

# Their C++ runtime takes what is behind "://", to the last slash, and does not agree with their Python, nor with the words
# "the directory of the path", about hosts and more: there we follow the Python.  It alone hashes nothing for no path.
NO_PATHS = {"local://host": "1", "word": "1", "": "1"}


def compare_names(options, env, word):
    theirs, ours = programs()
    name, _, pid, instance = run(theirs, f"theirs {word}", options, **env)
    wanted = name.replace("perfflow.", "perfflow.array.", 1).replace(str(pid), "PID"), instance
    name, _, pid, instance = run(ours, f"ours {word}", options, **env)
    equal((name.replace(str(pid), "PID"), instance), wanted, f"file and instance path with {options} {env}")


@cases(*INSTANCES)
def the_same_instance_path(which):
    compare_names("log-filename-include=instance-path", INSTANCES[which], "x")


@test
def the_instance_path_of_URIs_without_a_path():
    _, ours = programs()
    for i, (uri, hashed) in enumerate(NO_PATHS.items()):
        name, _, _, instance = run(ours, f"ours {i}", "log-filename-include=instance-path", FLUX_URI=uri)
        digits = hashlib.sha1(hashed.encode()).hexdigest()[:8]
        equal((name, instance), (f"perfflow.array.{{{digits}}}.pfw", digits), uri)


@test
def the_same_names_of_files():
    """Differs: names of files."""
    parts = ("name", "instance-path", "hostname", "pid")
    ways = [w for n in (1, 2) for w in itertools.permutations(parts, n)] + [parts, parts[::-1], ("pid", "pid")]
    for i, way in enumerate(ways):
        compare_names(f"name=part-{i}:log-filename-include={','.join(way)}", {"FLUX_JOB_ID": "j1"}, i)


@cases("log-dir=below/it", "log-dir=./here/", "log-enable=False", "log-enable=FALSE", "log-enable=true:name=a.b")
def the_same_places(options):
    theirs, ours = programs()
    a, _, pid, _ = run(theirs, "theirs", options)
    a = a and a.replace("perfflow.", "perfflow.array.", 1).replace(str(pid), "PID")
    b, text, pid, _ = run(ours, "ours", options)
    equal(text and trace_events.faults(text), text and [], "our trace")
    equal(b and b.replace(str(pid), "PID"), a, "file")


def told(store):
    """What a store knows of the calls, but for times and numbers of processes; ours tells more of the process."""
    keys = {i: (kind, key if kind == "trace.call" else "") for i, kind, key in query(store, "SELECT id, type, key FROM spans")}
    links = sorted((kind, keys[a], keys[b]) for kind, a, b in query(store, "SELECT kind, left_span, right_span FROM links"))
    events = sorted((*keys[s], kind) for s, kind in query(store, "SELECT span, type FROM events") if keys[s][1])
    return sorted(keys.values()), links, events


@cases("log-event=Verbose", "log-event=Compact", "cpu-mem-usage=True")
def import_reads_theirs_as_ours(options):
    theirs, ours = programs()
    run(theirs, "theirs", options)
    run(ours, "ours", options)
    stores = [imported(path(name), store=f"{name}.db").store for name in ("theirs", "ours")]
    for store in stores:
        equal(query(store, "SELECT place, reason FROM rejects"), [], "rejects")
        equal(query(store, "SELECT count(*) FROM spans WHERE type = 'trace.call'"), [(12,)], "calls")
        inner = [(a[1], b[1]) for _, a, b in told(store)[1] if a[1] and b[1]]
        equal(sorted(inner), sorted((f"{a}{n}", f"{b}{n}") for a, b in (("foo", "bar"), ("bar", "bas")) for n in ("", "#2", "#3", "#4")),
              "what is called within what")
    for a, b, what in zip(told(stores[0]), told(stores[1]), ("spans", "links", "events")):
        equal(a, b, what)


# ---- our package of the name, and theirs

def threads_of(events, ids=True):
    """What each thread did, in its order, without times and numbers of threads and processes."""
    def plain(e):
        scope = () if e.get("scope") is None else (e["scope"],)
        return (e["ph"], e["name"], e["cat"], *scope, *((e["id"],) if ids and "id" in e else ()),
                sorted(e.get("args", ())), sorted(k for k in e if e[k] is not None))
    threads = {}
    for e in events:
        threads.setdefault((e["pid"], e["tid"]), []).append(plain(e))
    main_threads = sorted(v for (pid, tid), v in threads.items() if pid == tid)
    return main_threads, sorted(v for (pid, tid), v in threads.items() if pid != tid)


@cases(*((name, options) for name in PROGRAMS for options in ("", "log-event=Compact") if not (options and name in DIRECT)))
def documented_programs(name, options):
    """An id of critical_path() is the thread's there, and for each span another here."""
    err = INCORRECT if name == "future_incorrect" else ""
    theirs, ours = (by(package, PROGRAMS[name][0], options, err) for package in ("theirs", "ours"))
    check(theirs, "no events")
    equal(threads_of(ours, ids=name in DIRECT), threads_of(theirs, ids=name in DIRECT))


@test
def programs_with_usage():
    theirs, ours = (by(package, PROGRAMS["multithreading"][0], "cpu-mem-usage=True") for package in ("theirs", "ours"))
    equal(*([sorted(t) for t in threads_of(events)[1]] for events in (ours, theirs)))


peers.needs("perfflowaspect")
main()
