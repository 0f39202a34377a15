#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A full disk, RLIMIT_FSIZE, no memory: the program goes on, keeps what there was room for, says how much was lost, and so does each
answer that counts calls."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

FILL = r"""
static struct sl_site a = SL_SITE("a", 0);
int main(int argc, char **argv)
{
    long n = atol(argv[1]);
    for (long i = 0; i < n; i++) { sl_begin(&a); sl_arg_int("i", i); sl_end(&a); }
    puts("done"); (void)argc;
    return 3;
}
"""


def on_disk(size, first="", then="cp -r disk kept"):
    """A prefix of a command, which finds a file system of this size in disk/.  It is gone when that has ended."""
    return (*namespace("-m"), "sh", "-c",
            f'mkdir -p disk && mount -t tmpfs -o size={size} tmpfs disk || exit 99; {first}\n"$@"; s=$?; {then}; umount disk; exit $s', "sh")


def first_ones(t, least):
    got = [s.args["i"] for s in t.spans("a") if "i" in s.args]
    check(len(got) >= least, f"{len(got)} are there, {least} had room")
    equal(got, list(range(len(got))), "those that came first")
    return len(got)


def said(err, what, why, times=1):
    """That a line on standard error says it so often, and nothing else does; gives the events that it names."""
    got = re.findall(rf"^spanloom: \S*/perfflow\.\S+: (\d* ?){what}: {why}$", err, re.M)
    equal((len(got), err.count("\n")), (times, times), err)
    return [int(n or 0) for n in got]


LOST = "events? could not be recorded"
FULL = "No space left on device"


@cases(("400k", 1000), ("1m", 3000))
def full_disk(size, least):
    r = run(compiled(FILL), 300_000, options="log-dir=disk", prefix=on_disk(size), code=3, err=None)
    equal(r.out, "done\n")
    slt = files("*.slt", path("kept"))
    equal((len(slt), files("*.pfw", path("kept"))), (1, []), "the .slt stays where the .pfw has no room")
    t = exported(slt[0])
    n = first_ones(t, least)
    spans = t.spans("a")
    kept = len(spans) + n + sum(not s.unfinished for s in spans)  # begins, arguments, ends
    equal((t.meta["lost"], t.meta["lost_why"], said(r.err, LOST, FULL)), (900_000 - kept, FULL, [900_000 - kept]))


@test
def full_disk_from_the_start():
    r = run(compiled(FILL), 1000, options="log-dir=disk", code=3, err=None,
            prefix=on_disk("64k", "cat /dev/zero >disk/zero 2>/dev/null", ":"))
    equal(r.out, "done\n")
    check(r.err.count("\n") <= 1, r.err)


@test
def room_for_the_slt_but_not_for_the_pfw():
    r = run(compiled(FILL), 20_000, options="log-dir=disk", prefix=on_disk("2m"), code=3, err=None)
    said(r.err, "no .pfw could be made of it", FULL)
    equal(files("*.pfw", path("kept")), [])
    slt, = files("*.slt", path("kept"))
    equal(first_ones(exported(slt), 20_000), 20_000)
    equal(os.listdir(path("kept")), [os.path.basename(slt)], "nothing half-made is left")


@test
def full_disk_with_many_threads():
    r = ran("""static struct sl_site a = SL_SITE("a", 0); static void *t(void *p) { (void)p; for (long i = 0; i < 20000; i++) { sl_begin(&a); sl_arg_int("i", i); sl_end(&a); } return 0; }
        int main(void) { pthread_t p[8]; for (int i = 0; i < 8; i++) pthread_create(p + i, 0, t, 0); for (int i = 0; i < 8; i++) pthread_join(p[i], 0); puts("done"); return 3; }""",
            options="log-dir=disk", spanloom="buffer-size=16K", prefix=on_disk("300k"), code=3, err=None)
    equal(r.out, "done\n")
    t = exported(files("*.slt", path("kept"))[0])
    per = {}
    for s in t.spans():
        per.setdefault(s.tid, []).append(s.args.get("i"))
    for values in per.values(): # the last words of a full buffer have room for a span, not for its argument
        while values[-1:] == [None]:
            values.pop()
    # A thread that found no room for its buffer takes over that of one that has ended.
    gaps = {tid: [(a, b) for a, b in zip(v, v[1:]) if b != a + 1] for tid, v in per.items()}
    check(per and not any(gaps.values()), gaps)
    check(any(v[:1] == [0] for v in per.values()), "those that came first")
    check(t.meta["lost"] > 0, "lost")
    equal(said(r.err, LOST, FULL), [t.meta["lost"]])


@test
def holes_on_a_full_disk():
    """To read a hole of a tmpfs through a mapping asks for a page: on a full one that is SIGBUS."""
    r = run(compiled(FILL), 20_000, options="log-dir=disk", spanloom="log-format=binary:buffer-size=16K", code=3, err=None, prefix=on_disk(
        "16m", then="fallocate -p -o 100000 -l 200000 disk/*.slt; cat /dev/zero >disk/zero 2>/dev/null; spanloom export chrome disk/*.slt -o kept.json || s=9"))
    check("places could not be read" in r.err, r.err)
    with open(path("kept.json")) as f:
        got = [e["args"]["i"] for e in json.load(f) if e.get("ph") in "BX" and "i" in e.get("args", {})]
    check(10_000 < len(got) < 20_000 and got[0] == 0 and got[-1] == 19_999, f"{len(got)} {got[:1]} {got[-1:]}")


@cases(20_000, 100_000, 1_000_000)
def RLIMIT_FSIZE(limit):
    """And no SIGXFSZ."""
    def before():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    r = ran(FILL, 100_000, before=before, code=3, err=None)
    equal(r.out, "done\n")
    check(r.err.count("\n") <= 1, r.err)
    for t in [load(f) for f in files("*.pfw")] + [exported(f) for f in files("*.slt")]:
        n = first_ones(t, 0 if limit < 1_000_000 else limit // 200)
        check(t.meta["lost"] >= 100_000 - n, f"lost: {t.meta['lost']}")
        equal((t.meta["lost_why"], said(r.err, LOST, "File too large")), ("File too large", [t.meta["lost"]]))


@test
def RLIMIT_FSIZE_still_is_the_programs_own():
    """A program that runs into its limit itself dies of SIGXFSZ, as without tracing."""
    def before():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
    ran("""int main(void) { SPANLOOM_SPAN("m"); int f = open("big", O_WRONLY | O_CREAT, 0600); for (int i = 0; i < 2000; i++) { SPANLOOM_SPAN("w"); char b[4096] = {0}; if (write(f, b, 4096) < 0) return 1; } return 0; }""", before=before, code=-signal_number("SIGXFSZ"))
    check(len(left().spans("w")) > 200, "spans")


def signal_number(name):
    import signal
    return getattr(signal, name)


@test
def RLIMIT_AS_and_no_more_file_descriptors():
    r = ran("""int main(void) { struct rlimit l = {3, 3}; setrlimit(RLIMIT_NOFILE, &l); { SPANLOOM_SPAN("m"); } puts("done"); return 3; }""", code=3, err=None)
    equal((r.out, r.err.count("\n") <= 1), ("done\n", True))
    r = ran("""int main(void) { struct rlimit l = {1 << 20, 1 << 20}; setrlimit(RLIMIT_AS, &l); for (int i = 0; i < 100000; i++) { SPANLOOM_SPAN("m"); } puts("done"); return 3; }""", code=3, err=None)
    equal((r.out, r.err.count("\n") <= 1), ("done\n", True))


@test
def a_disk_that_has_room_again():
    r = run(compiled("""static struct sl_site a = SL_SITE("a", 0), b = SL_SITE("b", 0);
        int main(void) { for (long i = 0; i < 1000; i++) { sl_begin(&a); sl_end(&a); } if (system("cat /dev/zero >disk/zero 2>/dev/null; true")) return 1;
            for (long i = 0; i < 100000; i++) { sl_begin(&a); sl_end(&a); } unlink("disk/zero"); for (long i = 0; i < 5000; i++) { sl_begin(&b); sl_end(&b); } puts("done"); return 0; }"""),
            options="log-dir=disk", spanloom="buffer-size=16K", prefix=on_disk("12m"), err=None)
    equal(r.out, "done\n")
    t, = [load(f) for f in files("*.pfw", path("kept"))] or [exported(f) for f in files("*.slt", path("kept"))]
    a, b = len(t.spans("a")), len(t.spans("b"))
    check(a >= 1000 and t.meta["lost"] >= 106_000 - a - b > 0, f"{a} before, {b} after, lost {t.meta['lost']}")
    check(b > 500, f"{b} of 5000 spans after there was room again")
    equal(said(r.err, LOST, FULL), [t.meta["lost"]])


@test
def a_limit_that_the_program_sets_itself():
    r = ran("""static struct sl_site a = SL_SITE("a", 0);
        int main(void) { for (long i = 0; i < 1000; i++) { sl_begin(&a); sl_arg_int("i", i); sl_end(&a); } struct rlimit l = {10, 10}; setrlimit(RLIMIT_FSIZE, &l); for (long i = 1000; i < 200000; i++) { sl_begin(&a); sl_arg_int("i", i); sl_end(&a); } return 0; }""", err=None)
    check(r.err.count("\n") <= 1, r.err)
    equal(files("*.pfw"), [])
    t = exported(files("*.slt")[0])
    n = first_ones(t, 1000)
    check(t.meta["lost"] > 0 or n == 200000, "lost")


# ---- who says it

def too_large(**more):
    """That the trace of a program that stands below is cut off, and its exit status is as it would be."""
    def before():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    return dict(before=before, code=3, err=None, **more)


MANY = """static struct sl_site a = SL_SITE("a", 0); static void many(void) { for (long i = 0; i < 50000; i++) { sl_begin(&a); sl_end(&a); } }
"""


@test
def a_descriptor_2_that_is_the_programs_file_by_now():
    """What a program opens once it has closed its standard error is not written into."""
    r = ran(MANY + """int main(void) { close(2); if (open("data", O_RDWR | O_CREAT, 0600) != 2 || write(2, "data", 4) != 4) return 1; many(); return 3; }""", **too_large())
    equal((open(path("data")).read(), r.err), ("data", ""))
    check(left_whole().meta["lost"] > 0, "lost")
    ran(MANY + """int main(void) { close(2); if (open("data", O_RDWR | O_APPEND) != 2) return 1; many(); return 3; }""", options="log-dir=/proc/nothing", code=3)
    equal(open(path("data")).read(), "data", "where there is no trace at all")


@test
def a_standard_error_that_nobody_reads():
    """Neither SIGPIPE nor, where it is a file that is as large as it may be, SIGXFSZ."""
    read, write_end = os.pipe()
    os.close(read)
    ran(MANY + "int main(void) { many(); return 3; }", **too_large(stderr=write_end))
    os.close(write_end)
    check(left_whole().meta["lost"] > 0, "lost")
    with open(path("full"), "wb") as f:
        f.write(bytes(200_000))
        f.flush()
        ran(MANY + "int main(void) { many(); return 3; }", **too_large(stderr=f))
    equal(os.path.getsize(path("full")), 200_000)


def left_whole():
    """What a process left that ended in order, as there was no room for the .pfw."""
    t = exported(files("*.slt")[0])
    equal(t.meta["ended"], True)
    return t


@test
def each_process_says_what_it_lost_itself():
    """Once, also where sl_trace_finish() is called before; a child of a fork that lost nothing says nothing."""
    r = ran(MANY + """int main(void) { many(); for (int i = 0; i < 3; i++) if (!fork()) { if (i) many(); if (i == 2) sl_trace_finish(); exit(0); } else wait(0);
        sl_trace_finish(); return 3; }""", **too_large())
    lost = sorted(exported(f).meta["lost"] for f in files("*.slt"))
    equal((sorted(said(r.err, LOST, "File too large", times=3)), len(lost)), (lost, 3))


@test
def every_answer_that_counts_calls_says_what_was_lost():
    """Of 300,000 calls, each a begin and an end."""
    exe = compiled("""static void work(void) { SPANLOOM_SPAN("work"); } int main(void) { for (int i = 0; i < 300000; i++) work(); return 0; }""")
    run(exe, options="log-dir=disk", prefix=on_disk("2m"), err=None)
    slt, = files("*.slt", path("kept"))
    first = spanloom("import", slt)
    [(kept,)] = query(path("spanloom.db"), "SELECT count(*) FROM spans WHERE type = 'trace.call'")
    lost = 600_000 - 2 * kept
    line = rf"spanloom: prog could not record {lost:,} events \({FULL}\): there were more calls than are counted here\n"
    for r in [first, *(spanloom(*words.split()) for words in (
            "info", "types", "types --events", "profile", "profile --format csv", f"profile {slt}", "why", "report --json", "durations begin end trace.call",
            "sequences trace.call", "rate begin"))]:
        check(len(re.findall(line, r.err)) == 1, r)
    check(f"events not recorded,{lost}\n" in spanloom("info", "--format", "csv").out, "info")
    told, = [f for f in json.loads(spanloom("why", "--format", "json").out)["findings"] if f["finding"] == "call-lost"]
    equal(told["text"], f"prog could not record {lost:,} events, about {300_000 - kept:,} of 300,000 calls: {FULL}")
    check("--dir DIRECTORY" in told["advice"] and "min-duration" in told["advice"], told["advice"])
    again = spanloom("import", slt)
    check("could not record" not in again.err, "nothing was imported", again)
    spanloom("export", "chrome", "-o", "kept.pfw", slt)
    spanloom("import", "-d", "chrome.db", "kept.pfw")
    check(re.search(line, spanloom("info", "-d", "chrome.db").err), "of the .pfw")
    r = spanloom("run", "-d", "run.db", "--dir", "disk", exe, prefix=on_disk("2m"))
    check(re.search(line.replace(f"{lost:,}", "[0-9,]+"), r.err), r)


main()
