#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is exported and imported again is the same: spans, their times to the nanosecond, parents, attributes, links, samples."""
import contextlib
import csv
import decimal
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, cases, check, dump, environment, equal, everything, imported, main, path, query, same, spanloom, test, whole, write  # noqa: E402
import hostile_store  # noqa: E402
from monitors import compiled  # noqa: E402

FORMATS = {"chrome": "trace.json", "otlp": "otlp.jsonl"}


def once(store):
    """Several sources may say one thing; in an export it is said once."""
    return sorted(set(dump(store)))


def exported(name, store, *more):
    out = path(f"{os.path.basename(store)}.{FORMATS[name]}")
    spanloom("export", name, "-d", store, "-o", out, *more)
    return out


def arrows_have_two_ends(trace):
    """One each, the end later than the beginning."""
    with open(trace, encoding="utf-8") as file:
        events = json.load(file, parse_float=decimal.Decimal)["traceEvents"]
    ends = {ph: sorted((e["id"], e["ts"]) for e in events if e["ph"] == ph) for ph in "sf"}
    equal(*([i for i, _ in ends[ph]] for ph in "sf"), "arrows with one end")
    equal(len({i for i, _ in ends["s"]}), len(ends["s"]), "arrows of one number")
    check(all(begin < end for (_, begin), (_, end) in zip(ends["s"], ends["f"])), "arrows back in time")


def compare(name, *paths):
    there = imported(*paths, store="there.db").store
    out = exported(name, there)
    if name == "chrome":
        arrows_have_two_ends(out)
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


NAMELESS = {"nameless": {}, "named": None}  # how files are written that are not whole yet: what the environment has


def writing(how):
    """The environment of a file system of that kind."""
    return NAMELESS[how] if NAMELESS[how] is not None else {"LD_PRELOAD": compiled("no_tmpfile.c", "-shared", "-fPIC")}


def began(p, folder):
    """Whether it has something open in the folder."""
    with contextlib.suppress(OSError):
        return any(os.readlink(f"/proc/{p.pid}/fd/{fd}").startswith(f"{folder}/") for fd in os.listdir(f"/proc/{p.pid}/fd"))


def started(command, how, folder):
    """Once it writes, or has ended."""
    p = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment(**writing(how)))
    while p.poll() is None and not began(p, folder):
        pass
    return p


@cases(*((f, how, by) for how in NAMELESS for f, by in (("otlp", signal.SIGTERM), ("chrome", signal.SIGINT))))
def stopped_it_leaves_nothing(name, how, by):
    """It may be done before the signal comes: until one was stopped."""
    store, folder = imported(EXAMPLE, store="whole.db").store, path("stopped")
    os.mkdir(folder)
    for _ in range(100):
        with started(["spanloom", "export", name, "-d", store, "-o", f"{folder}/out"], how, folder) as p:
            p.send_signal(by)
        if p.returncode == -by:
            break
    equal(p.returncode, -by)
    equal([f for f in os.listdir(folder) if f != "out"], [])


@cases(*NAMELESS)
def killed_it_leaves_nothing_to_the_next(how):
    """What SIGKILL leaves has a name in some file systems; who writes the file next takes it away, and only that."""
    store, folder = imported(EXAMPLE, store="whole.db").store, path("killed")
    os.mkdir(folder)
    command = ["spanloom", "export", "chrome", "-d", store, "-o", f"{folder}/out"]
    other = started(command, how, folder)  # which goes on to write
    other.send_signal(signal.SIGSTOP)
    there = {"out.spanloom-new": "its", "out.spanloom-new2": "the killed one's"} if how == "named" else {}
    for _ in range(100):
        with started(command, how, folder) as p:
            p.send_signal(signal.SIGKILL)
        left = {f for f in os.listdir(folder) if f != "out"}
        if p.returncode == -signal.SIGKILL and left == set(there):
            break
    equal(left, set(there))
    write(f"{folder}/out.spanloom-news", b"the user's")
    spanloom(*command[1:], env=writing(how))
    equal(sorted(os.listdir(folder)), ["out", *list(there)[:1], "out.spanloom-news"])
    want = content(f"{folder}/out")
    other.send_signal(signal.SIGCONT)
    equal(other.wait(), 0)
    equal(sorted(os.listdir(folder)), ["out", "out.spanloom-news"])
    equal(content(f"{folder}/out"), want)


@cases(*NAMELESS)
def a_name_may_be_as_long_as_names_are(how):
    store = imported(EXAMPLE, store="whole.db").store
    os.mkdir(path("long"))
    for _ in range(2):  # a new one, and one that is replaced
        spanloom("export", "chrome", "-d", store, "-o", path("long", "n" * 255), env=writing(how))
        equal(os.listdir(path("long")), ["n" * 255])


@cases(*NAMELESS)
def it_stays_what_it_is_to_others(how):
    """A file that is written anew keeps its permissions, and a link stays one; a new one has those of the umask."""
    store, folder = imported(EXAMPLE, store="whole.db").store, path("rights")
    os.mkdir(folder)
    write(f"{folder}/out", b"before")
    os.chmod(f"{folder}/out", 0o640)
    os.symlink("out", f"{folder}/link")
    for name in "link", "new":
        spanloom("export", "otlp", "-d", store, "-o", f"{folder}/{name}", env=writing(how), before=lambda: os.umask(0o027) and None)
    check(os.path.islink(f"{folder}/link"))
    equal([oct(os.stat(f"{folder}/{f}").st_mode & 0o7777) for f in ("out", "new")], ["0o640", "0o640"])
    equal(content(f"{folder}/out"), content(f"{folder}/new"))


def content(file):
    with open(file, "rb") as f:
        return f.read()


FOLDERS = {"csv": ["attributes.csv", "events.csv", "links.csv", "samples.csv", "sources.csv", "spans.csv"], "ctf": ["metadata", "stream"]}


@cases(*((f, how, named) for f in FOLDERS for how in ("stopped", "full") for named in NAMELESS))
def folders_are_whole_or_not_there(form, how, named):
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
            r = subprocess.run(["prlimit", f"--fsize={4096 * 4 ** (i // 2)}", *command], capture_output=True, text=True,
                               env=environment(**writing(named)))
            equal(r.returncode, 1, r.stderr)
            check(re.fullmatch(rf"spanloom: {name}/[a-z.]+: cannot be written: File too large\n", r.stderr), r.stderr)
        else:
            with started(command, named, folder) as p:
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


@test
def nodes_of_a_run():
    """Those that lie in it come along; of others that were watched meanwhile it is said."""
    store = imported(EXAMPLE, f"{ROOT}/tests/data/nodes", store="n.db").store
    [[run, node]] = query(store, """SELECT r.key, n.id FROM links l JOIN spans r ON r.id = left_span JOIN spans n ON n.id = right_span
        WHERE n.type = 'node' AND r.type = 'parsl.rundir.workflow'""")
    r = spanloom("export", "csv", "-d", store, "--run", run, "-o", path("c"))
    with open(path("c/samples.csv"), encoding="utf-8", newline="") as file:
        exported = [row for row in csv.DictReader(file) if row["span"] == str(node)]
    equal(len(exported), query(store, f"SELECT count(*) FROM samples WHERE span = {node}")[0][0])
    check(exported and "not in it: what 2 nodes did meanwhile of which nothing says that they were part of the run" in r.err, r)
    with contextlib.closing(sqlite3.connect(store)) as db:
        db.execute(f"DELETE FROM sl_link WHERE right_span = {node} AND kind = 1")
        db.commit()
    r = spanloom("export", "csv", "-d", store, "--run", run, "-o", path("c"))
    check("not in it: what 3 nodes did" in r.err, r)
    with open(path("c/samples.csv"), encoding="utf-8", newline="") as file:
        equal([row for row in csv.DictReader(file) if row["span"] == str(node)], [])
    check("not in it" not in spanloom("export", "csv", "-d", store, "-o", path("c")).err, "all is in an export of all")


def add(found, span, what, value):
    found[span].setdefault(what, set()).add(value)


def plain_name(name):
    """Attributes that are called like what says which span it is have args. before their name."""
    return name[5:] if re.match(r"(args\.)+spanloom(\.|$)", name) else name


def read_csv(out, ids):
    found = {}
    tables = {}
    for table in ("spans", "events", "attributes"):
        with open(f"{out}/{table}.csv", encoding="utf-8", newline="") as file:
            tables[table] = list(csv.DictReader(file, strict=True))
    for row in tables["spans"]:
        found[int(row["id"])] = {"type": row["type"], "key": row["key"]}
    for row in tables["events"]:
        add(found, int(row["span"]), "event", row["type"])
    for row in tables["attributes"]:
        add(found, int(row["span"]), "attr", (row["name"], row["value"]))
    return found


def read_otlp(out, ids):
    found, plain = {}, {"stringValue": str, "intValue": int, "doubleValue": float}
    with open(out, encoding="utf-8", newline="\n") as file:
        for line in file:
            for span in (s for r in json.loads(line)["resourceSpans"] for c in r["scopeSpans"] for s in c["spans"]):
                attrs = [(a["key"], plain[k](v)) for a in span["attributes"] for each in (a["value"].get("arrayValue", {}).get("values") or [a["value"]])
                         for k, v in each.items()]
                of = {"type": attrs[0][1], "key": attrs[1][1]}
                equal([a[0] for a in attrs[:3]], ["spanloom.type", "spanloom.key", "spanloom.times"])
                span_id = ids[of["type"], of["key"]]
                found[span_id] = {**of, "event": {e["name"] for e in span["events"]}, "attr": {(plain_name(k), v) for k, v in attrs[3:]}}
    return found


def read_chrome(out, ids):
    found = {}
    with open(out, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    for e in events:
        if e.get("name") == "spanloom.span" and e["ph"] == "M":
            found[e["args"]["id"]] = {"type": e["args"]["type"], "key": e["args"]["key"]}
    for e in events:
        if e["ph"] == "B":
            ours = e["args"].pop("spanloom")
            equal(e["cat"], found[ours["id"]]["type"])
            found[ours["id"]]["event"] = {name for name, _ in ours["events"]}
            found[ours["id"]]["attr"] = {(plain_name(k), x) for k, v in e["args"].items() for x in (v if isinstance(v, list) else [v])}
    return found


@cases("csv", "otlp", "chrome")
def hostile_texts(form):
    """Field by field, as Python's csv and json read them; and imported again."""
    csv.field_size_limit(2**30)
    store = imported(f"{ROOT}/tests/data/nodes", store="hostile.db").store
    with contextlib.closing(sqlite3.connect(store)) as db:
        for table in ("sl_span", "sl_event", "sl_attr", "sl_sample", "sl_link"):
            db.execute(f"DELETE FROM {table}")
        db.commit()
    want = hostile_store.make(store)
    out = path(f"out.{form}")
    spanloom("export", form, "-d", store, "-o", out)
    got = {"csv": read_csv, "otlp": read_otlp, "chrome": read_chrome}[form](out, {(w["type"], w["key"]): i for i, w in want.items()})
    if form == "csv":
        for w in want.values():
            w["attr"] = {(n, str(v)) for n, v in w["attr"]}
    equal(set(got), set(want), "spans")
    for span, w in want.items():
        for what in w:
            differ = sorted({*got[span][what]} ^ {*w[what]}, key=str)
            check(got[span][what] == w[what], what, "of", ascii(w["key"][:60]), *(ascii(d)[:200] for d in differ[:4]))
    if form != "csv":
        back = imported(out, store="back.db").store
        equal(query(back, "SELECT reason FROM rejects"), [], "rejects")
        attrs = "SELECT s.type, s.key, a.name, a.value FROM spans s JOIN attributes a ON a.span = s.id ORDER BY 1, 2, 3, 4"
        equal({(t, k, n, v) for t, k, n, v in query(back, attrs)}, {(w["type"], w["key"], *a) for w in want.values() for a in w["attr"]} , "back")


main()
