#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logs that are compressed, and archives of them, say what the logs say; cut, damaged and hostile ones lose nothing in silence."""
import bz2
import gzip
import io
import itertools
import json
import lzma
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa


def raw(file):
    with open(file, "rb") as f:
        return f.read()


def zstd(data):
    return subprocess.run(["zstd", "-q"], input=data, capture_output=True, check=True).stdout


PACK = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstd, ".bz2": bz2.compress}


def lines(store, root, endings=()):
    """All that a store says, with paths relative to root; names of compressed files as those of what they hold."""
    out = everything(path(store))
    sources = [(p.removeprefix(root), *more) for p, *more in out["sources"]]
    for e in endings:
        sources = [(p.removesuffix(e), part, recipe, None, None, *more) for p, part, recipe, _, _, *more in sources]
    out["sources"] = sorted(sources, key=str)
    return {k: [str(x).replace(root, "") for x in v] for k, v in out.items()}


def log_lines(store, *without):
    """What the logs say of a task, as a sorted list of words: places are cut to fit."""
    shown = json.loads(spanloom("show", "task", "5", "--lines", "-d", store, "--format", "json").out)
    text = json.dumps(shown["events"])
    check(sum("line" in x for x in shown["events"]) > 5)
    for w in without:
        text = text.replace(w, "")
    # ids, and how far in front of two that are at one time, may be others
    return sorted(json.dumps([x.get(k) for k in ("time_ns", "component", "event", "path", "place", "line")]) for x in json.loads(text))


def alike(got, want):
    for what in want:
        (same if what == "dump" else equal)(got[what], want[what], what)


@cases(*PACK)
def each_file_compressed(ending):
    """Logs and the database, in the run's folder: the same spans, events and lines."""
    copy_run(path("runinfo"))
    imported("runinfo", store="plain.db")
    want = lines("plain.db", path("runinfo"))
    shown = log_lines("plain.db")
    for f in claimed(path("runinfo")):
        write(f + ending, PACK[ending](raw(f)))
        os.remove(f)
    imported("runinfo", store="packed.db")
    got = lines("packed.db", path("runinfo"), [ending])
    want["sources"] = [str((p, part, recipe, None, None, *more)) for p, part, recipe, _, _, *more in map(eval, want["sources"])]
    for what in ("dump", "roots", "unresolved"):  # these say where each thing stands
        got[what] = [x.replace(ending, "") for x in got[what]]
    alike(got, want)
    equal(log_lines("packed.db", ending), shown, "its lines")
    check("0 new spans" in spanloom("import", "runinfo", "-d", "packed.db").out, "nothing is read again")


def tar(to, folder, name, mode):
    if mode == "zst":
        tar(to + ".plain", folder, name, "")
        write(to, zstd(raw(to + ".plain")))
        return
    with tarfile.open(to, f"w:{mode}") as t:
        t.add(folder, arcname=name)


@cases("gz", "zst", "xz", "")
def a_whole_archive(mode):
    """As the folder that it holds; again, nothing; beside the folder itself, a copy of it; and a part of it by name."""
    copy_run(path("runinfo"))
    imported("runinfo", store="plain.db")
    archive = path(f"all.tar.{mode}".rstrip("."))
    tar(archive, path("runinfo"), "runinfo", mode)
    imported(archive, store="packed.db")
    alike(lines("packed.db", archive + "/runinfo"), lines("plain.db", path("runinfo")))
    for store in "packed.db", "plain.db":
        check("0 new spans, 0 events from 0 files" in spanloom("import", archive, "-d", store).out, store)
    check("0 new spans, 0 events from 0 files" in spanloom("import", "runinfo", "-d", "packed.db").out, "the folder")
    check("known already" in spanloom("import", archive, "-d", "packed.db").out, "the archive after the folder")
    equal(log_lines("packed.db", archive), log_lines("plain.db", path()), "its lines")
    imported(f"{archive}/runinfo/000/parsl.log", store="part.db")
    equal([os.path.basename(p) for p, in query(path("part.db"), "SELECT path FROM sl_source")], ["parsl.log"])
    check("the archive holds no such member" in spanloom("import", f"{archive}/runinfo/7", "-d", "part.db", code=1).err)
    check("not looked into" in spanloom("import", path("."), "-d", "part.db").err, "one that lies in a folder is named")


@test
def packed_later():
    """A log that is compressed, or not any more, after it was imported is told once; one beside its .gz, too."""
    copy_run(path("runinfo"))
    imported("runinfo", store="s.db")
    want = lines("s.db", path("runinfo"))
    events = query(path("s.db"), "SELECT count(*) FROM event")
    log = f"{path('runinfo')}/000/parsl.log"
    write(log + ".gz", gzip.compress(raw(log)))
    r = spanloom("import", "runinfo", "-d", "s.db")
    check("passed over, since parsl.log lies beside it" in r.err, r.err)
    alike(lines("s.db", path("runinfo")), want)
    os.remove(log)
    imported("runinfo", store="s.db")
    equal(query(path("s.db"), "SELECT count(*) FROM event"), events)
    write(log, gzip.decompress(raw(log + ".gz")))
    os.remove(log + ".gz")
    imported("runinfo", store="s.db")
    equal(query(path("s.db"), "SELECT count(*) FROM event"), events)


@test
def a_copy_that_is_compressed():
    """Of a run that is known, or comes in the same import: it is told once, and so is what grew before it was compressed."""
    copy_run(path("r/000"))
    copy_run(path("z/000"))
    for f in claimed(path("z/000")):
        write(f + ".gz", gzip.compress(raw(f)))
        os.remove(f)
    def told(store):
        return query(path(store), "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM spans), (SELECT count(*) FROM samples)")
    imported("r", store="one.db")
    want = told("one.db")
    r = spanloom("import", "z", "-d", "one.db")
    check(" 0 events from 0 files" in r.out, r.out)
    equal(told("one.db"), want, "a known run, and its copy")
    imported("r", "z", store="both.db")
    equal(told("both.db"), want, "both at once")
    copy_run(path("early/000"))
    for log in [f for f in claimed(path("early/000")) if f.endswith("parsl.log")]:
        write(log, raw(log)[:len(raw(log)) * 2 // 3].rsplit(b"\n", 1)[0] + b"\n")
    imported("early", store="grown.db")
    check(told("grown.db") != want, "less was told")
    imported("z", store="grown.db")
    equal(told("grown.db"), want, "a copy that has grown")
    imported("z", store="late.db")
    r = spanloom("import", "r", "-d", "late.db")
    check(" 0 events from 0 files" in r.out, r.out)
    equal(told("late.db"), want, "the copy first")
    os.rename(path("r"), path("elsewhere"))
    imported("z", store="one.db")
    equal(told("one.db"), want, "once the copy is what is left")


@cases(*itertools.product(("monitoring.db", "000/parsl.log"), "ab", (2, 3)))
def a_copy_of_this_import_of_which_a_file_is_compressed(file, which, copies):
    """Each log is read once, whichever of its copies comes first."""
    for name in "abc"[:copies]:
        shutil.copytree(EXAMPLE, path("k", name))
    with open(path("k", which, file), "rb") as f:
        write(path("k", which, f"{file}.gz"), gzip.compress(f.read()))
    os.remove(path("k", which, file))
    imported(path("k"))
    want = imported(EXAMPLE, store="want.db").store
    for what in "spans", "events":
        equal(query(path("spanloom.db"), f"SELECT count(*) FROM {what}"), query(want, f"SELECT count(*) FROM {what}"), what)


@test
def a_copy_of_earlier():
    """One made while the run went on, and its logs were shorter, says nothing new, whichever comes first."""
    copy_run(path("r/000"))
    copy_run(path("early/000"))
    for log in [f for f in claimed(path("early/000")) if f.endswith(".log")]:
        write(log, raw(log)[:len(raw(log)) * 2 // 3].rsplit(b"\n", 1)[0] + b"\n")
    events = [query(imported("r", store="one.db").store, "SELECT count(*) FROM events")]
    for k, paths in enumerate((["r", "early"], ["early", "r"])):
        for p in paths:
            imported(p, store=f"{k}.db")
        events.append(query(path(f"{k}.db"), "SELECT count(*) FROM events"))
    events.append(query(imported("r", "early", store="both.db").store, "SELECT count(*) FROM events"))
    equal(events, events[:1] * 4, "alone, then the copy, after the copy, both at once")


@cases(*itertools.permutations(("", ".gz"), 2), ("", ""), (".gz", ".gz"))
def one_log_of_earlier(now, then):
    """Of which nothing else tells that it is a copy, compressed or not, at once, before or after, and once more."""
    log = raw(f"{ROOT}/tests/data/parsl-2026-threads/runinfo/000/parsl.log")
    pack = {"": bytes, **PACK}
    write(f"{path('r')}/000/parsl.log" + now, pack[now](log))
    write(f"{path('early')}/000/parsl.log" + then, pack[then](log[:len(log) // 2].rsplit(b"\n", 1)[0] + b"\n"))
    events = [query(imported("r", store="one.db").store, "SELECT count(*) FROM events")]
    for k, paths in enumerate((["r"], ["early"], ["r", "early"])):
        imported(*paths, store=f"{k}.db")
        for again in range(2):
            imported("r", "early", store=f"{k}.db")
        events.append(query(path(f"{k}.db"), "SELECT count(*) FROM events"))
    equal(events, events[:1] * len(events), "alone, the run first, the copy first, both at once")


@test
def beside_each_other():
    """A log and a compressed one of its name: the one that holds more is read, and both if neither is the other's beginning."""
    log = raw(f"{ROOT}/tests/data/parsl-2026-threads/runinfo/000/parsl.log")
    n = log.index(b"\n", len(log) // 2) + 1
    events = []
    for k, (plain, packed, told) in enumerate(((log, None, ""), (log, log, "passed over"), (log, log[:n], "passed over"), (log[:n], log, "holds more"),
                                               (log[n:], log[:n], ""))):
        write(f"{path(str(k))}/000/parsl.log", plain)
        if packed:
            imported(str(k), store=f"{k}.later.db")
            write(f"{path(str(k))}/000/parsl.log.gz", gzip.compress(packed))
        for store in (f"{k}.db", f"{k}.later.db"):
            for again in range(2):
                r = spanloom("import", str(k), "-d", store)
                check(told in r.err if told else not r.err, r)
            events.append(query(path(store), "SELECT count(*) FROM events"))
    equal(events[:8], events[:1] * 8)
    # each half has less to go by than the whole
    write(f"{path('half')}/000/parsl.log", log[n:])
    alone = query(imported("half", store="half.db").store, "SELECT count(*) FROM events")
    check(events[8] == events[9] > alone, events, alone)


@test
def cut_and_damaged():
    """What is whole is imported, the file and the place are told, and the mended file is read again."""
    copy_run(path("runinfo"))
    tar(path("all.tar.gz"), path("runinfo"), "runinfo", "gz")
    whole_archive, log = raw(path("all.tar.gz")), raw(path("runinfo/000/parsl.log"))
    write(path("all.tar.gz"), whole_archive[:len(whole_archive) // 2])
    r = spanloom("import", "all.tar.gz", "-d", "cut.db", code=1)
    check(f"cut off or damaged at byte {len(whole_archive) // 2}" in r.err and "all.tar.gz/runinfo/" in r.err, r.err)
    check(query(path("cut.db"), "SELECT count(*) FROM event")[0][0] > 100, "what stands before it")
    write(path("all.tar.gz"), whole_archive)
    imported("all.tar.gz", store="cut.db")
    imported("all.tar.gz", store="all.db")
    equal(query(path("cut.db"), "SELECT count(*) FROM event"), query(path("all.db"), "SELECT count(*) FROM event"))
    for ending, pack in PACK.items():
        packed = pack(log)
        file = path(f"x{ending[1:]}/runinfo/000/parsl.log{ending}")
        write(file, packed[:len(packed) * 2 // 3])
        r = spanloom("import", file, "-d", f"x{ending}.db", code=1)
        check(f"parsl.log{ending}: " in r.err and "at byte" in r.err, ending, r.err)
        write(file, packed)
        imported(file, store=f"x{ending}.db")
        check(query(path(f"x{ending}.db"), "SELECT count(*) FROM event")[0][0] > 1000, ending)
    write(path("y/monitoring.db.gz"), gzip.compress(raw(path("runinfo/monitoring.db")))[:9000])
    r = spanloom("import", "y/monitoring.db.gz", "-d", "y.db", code=1)
    check("cut off at byte 9000; nothing of it was imported" in r.err, r.err)


@test
def hostile():
    """Names that lead out, links, a member told twice, a device: nothing is written, and what is left out is said."""
    copy_run(path("runinfo"))
    log = raw(path("runinfo/000/parsl.log"))
    with tarfile.open(path("evil.tar"), "w") as t:
        def add(name, data=None, **more):
            i = tarfile.TarInfo(name)
            i.size = len(data or b"")
            for k, v in more.items():
                setattr(i, k, v)
            t.addfile(i, io.BytesIO(data or b""))
        add("../runinfo/001/parsl.log", log)
        add("a/../../../runinfo/002/parsl.log", log)
        add("/runinfo/003/parsl.log", log[:5000])
        add("/runinfo/003/parsl.log", log)
        add("runinfo/004/parsl.log", type=tarfile.SYMTYPE, linkname="/etc/passwd")
        add("runinfo/005/parsl.log", type=tarfile.LNKTYPE, linkname="runinfo/none")
        add("runinfo/006/parsl.log", type=tarfile.CHRTYPE)
        add("runinfo/\x1b[2J/parsl.log", log[:9000])
    before = set(files_of(path(".")))
    r = spanloom("import", "evil.tar", "-d", "s.db", code=1)
    equal(set(files_of(path("."))) - before, {path("./s.db")} if path("./s.db") in files_of(path(".")) else {path("s.db")})
    equal(r.err.count("leads out of the archive"), 2)
    check("004/parsl.log: a link, which is not followed" in r.err, r.err)
    check("005/parsl.log: a link to runinfo/none" in r.err, r.err)
    check("\x1b" not in r.err + r.out, "no escape of a name reaches the terminal")
    equal(query(path("s.db"), "SELECT bytes FROM sl_source WHERE path LIKE '%/003/%'"), [(len(log),)])


@test
def bombs():
    """Data that fills memories and disks: it ends soon, in little memory, and is told."""
    size = 400 << 20
    bomb = subprocess.run(f"head -c {size} /dev/zero | zstd -q", shell=True, capture_output=True, check=True).stdout
    write(path("runinfo/000/parsl.log.zst"), bomb)
    info = tarfile.TarInfo("runinfo/000/parsl.log")
    info.size = size
    # a header, then zeros: the bomb of an archive
    write(path("bomb.tar.zst"), zstd(info.tobuf()) + bomb)
    for what in "runinfo", "bomb.tar.zst":
        r = spanloom("import", what, "-d", f"{what}.db", code=1,
                     before=None if SANITIZED else lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
        check("more than 1000 times" in r.err, r.err)


@cases(*PACK)
def damaged_within(ending):
    """Where it is damaged is told, as a byte that the file has; what was read before is kept, and shown by `why`, too."""
    copy_run(path("runinfo"))
    log = path("runinfo", "000", "htex_Local", "block-0", "1954f1261cd1", "worker_0.log")
    good = PACK[ending](raw(log))
    os.remove(log)
    for at in (len(good) // 2, len(good) // 4):
        write(log + ending, good[:at] + bytes([good[at] ^ 0x5A, good[at + 1] ^ 0xA5]) + good[at + 2:])
        r = spanloom("import", "runinfo", "-d", f"{at}.db", code=1)
        told = re.search(r"the compressed data is (damaged|cut off).* at byte (\d+); what stands before it was imported", r.err)
        check(told and int(told[2]) <= len(good), ending, at, r.err)
        check(query(path(f"{at}.db"), "SELECT count(*) FROM sl_event")[0][0] > 2000, "the rest is there")
        why = spanloom("why", "runinfo", "-d", f"{at}-why.db", code=1)
        check("198 tasks" in why.out and "damaged" in why.err or "cut off" in why.err, why.out, why.err)


@cases(".gz", ".xz", ".zst")
def archive_cut_in_its_first_bytes(ending):
    small_run(path("runinfo"), tasks=3)
    tar(path("run.tar" + ending), path(), "runinfo", ending[1:])
    data = raw(path("run.tar" + ending))
    for n in (20, len(data) // 20):
        write(path("cut.tar" + ending), data[:n])
        r = spanloom("import", "cut.tar" + ending, "-d", "none.db", code=1)
        check(f"at byte {n}" in r.err and "byte -" not in r.err, n, r.err)
        equal(r.err.count("\n"), 1, r.err)
        check(not os.path.exists(path("none.db")), "no store of nothing")


main()
