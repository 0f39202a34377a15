#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is exported and imported again is the same: spans, their times to the nanosecond, parents, attributes, links, samples."""
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, cases, check, dump, equal, everything, imported, main, path, query, same, spanloom, whole, write  # noqa: E402

FORMATS = {"chrome": "trace.json", "otlp": "otlp.jsonl"}


def once(store):
    """Several sources may say one thing; in an export it is said once."""
    return sorted(set(dump(store)))


def exported(name, store, *more):
    out = path(f"{os.path.basename(store)}.{FORMATS[name]}")
    spanloom("export", name, "-d", store, "-o", out, *more)
    return out


def compare(name, *paths):
    there = imported(*paths, store="there.db").store
    out = exported(name, there)
    back = imported(out, store="back.db").store
    equal(query(back, "SELECT path, reason, text FROM rejects"), [], "rejects")
    same(once(back), once(there))
    # what a rule inferred, it infers again, but for writers of files, whose records are in no export
    inferred = "SELECT l.kind, a.type, a.key, b.type, b.key, rule, confidence FROM links l JOIN spans a ON a.id = left_span JOIN spans b ON b.id = right_span " \
        "WHERE confidence < 1 AND rule <> 'file.writer' ORDER BY 1, 2, 3, 4, 5"
    equal(query(back, inferred), query(there, inferred), "what links were inferred by")
    if not query(there, "SELECT 1 FROM links WHERE rule = 'file.writer'"):
        equal(everything(back)["confidence"], everything(there)["confidence"], "how sure links are")
    return back


def each(*names):
    return cases(*((f, n) for f in FORMATS for n in names))


@each("example")
def the_example(name, _):
    whole(compare(name, EXAMPLE))


@each(*sorted(d for d in os.listdir(f"{ROOT}/tests/data") if os.path.isdir(f"{ROOT}/tests/data/{d}")))
def what_is_imported(name, data):
    compare(name, f"{ROOT}/tests/data/{data}")


@cases(("otlp", signal.SIGTERM), ("chrome", signal.SIGINT))
def stopped_it_leaves_nothing(name, by):
    """It may be done before the signal comes: until one was stopped."""
    store, folder = imported(EXAMPLE, store="whole.db").store, path("stopped")
    os.mkdir(folder)
    for _ in range(100):
        with subprocess.Popen(["spanloom", "export", name, "-d", store, "-o", f"{folder}/out"], stderr=subprocess.DEVNULL) as p:
            while p.poll() is None and not any(f.endswith(".new") for f in os.listdir(folder)):
                pass
            p.send_signal(by)
        if p.returncode == -by:
            break
    equal(p.returncode, -by)
    equal([f for f in os.listdir(folder) if f != "out"], [])


def content(file):
    with open(file, "rb") as f:
        return f.read()


FOLDERS = {"csv": ["attributes.csv", "events.csv", "links.csv", "samples.csv", "sources.csv", "spans.csv"], "ctf": ["metadata", "stream"]}


@cases(*((f, how) for f in FOLDERS for how in ("stopped", "full")))
def folders_are_whole_or_not_there(form, how):
    """Neither a new one, nor what stands in one that is there, is half: by a signal at any time, or no room."""
    store, folder = imported(EXAMPLE, store="whole.db").store, path("f")
    os.mkdir(folder)
    spanloom("export", form, "-d", store, "-o", f"{folder}/there")
    equal(sorted(os.listdir(f"{folder}/there")), FOLDERS[form])
    for file in FOLDERS[form]:
        write(f"{folder}/there/{file}", b"before")
    write(f"{folder}/there/mine", b"before")
    stopped = 0
    for i in range(6 if how == "full" else 60):
        name = f"{folder}/{('new', 'there')[i % 2]}"
        command = ["spanloom", "export", form, "-d", store, "-o", name]
        if how == "full":
            r = subprocess.run(["prlimit", f"--fsize={4096 * 4 ** (i // 2)}", *command], capture_output=True, text=True)
            equal(r.returncode, 1, r.stderr)
            check(re.fullmatch(rf"spanloom: {name}/[a-z.]+: cannot be written: File too large\n", r.stderr), r.stderr)
        else:
            with subprocess.Popen(command, stderr=subprocess.DEVNULL) as p:
                while p.poll() is None and not any(f.endswith(".new") for d in (folder, f"{folder}/there") for f in os.listdir(d)):
                    pass
                p.send_signal(signal.SIGINT)
            if not p.returncode:  # it was quicker
                whole_folder = sorted(os.listdir(name))
                equal([f for f in whole_folder if f != "mine"], FOLDERS[form])
                for file in FOLDERS[form]:
                    if i % 2:
                        write(f"{name}/{file}", b"before")
                    else:
                        os.unlink(f"{name}/{file}")
                if not i % 2:
                    os.rmdir(name)
            stopped += p.returncode == -signal.SIGINT
        equal(os.listdir(folder), ["there"], "left behind")
        equal(sorted(os.listdir(f"{folder}/there")), sorted([*FOLDERS[form], "mine"]), "left behind")
        equal({content(f"{folder}/there/{f}") for f in os.listdir(f"{folder}/there")}, {b"before"}, "what was there")
        if stopped == 6:
            break
    check(how == "full" or stopped == 6, f"{stopped} were stopped in the middle")


main()
