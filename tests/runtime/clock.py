#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times are those of CLOCK_REALTIME, at the start, after seconds, and of processes that were killed.

LONG is the number of seconds.  The wall clock may be slewed while the test runs: then a millisecond is not exact, but
far more than an NTP daemon slews in seconds (500 ppm).
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

LONG = float(os.environ.get("LONG", 3))
CLOCKS = ("tsc", "monotonic", "")
# Says between which two times each event was made.
PROGRAM = """
static void tell(int i) { long long a = now_ns(); static struct sl_site s = SL_SITE("mark", 0); sl_instant(&s); sl_arg_int("i", i); long long b = now_ns(); printf("%lld %lld\\n", a, b); }
int main(int n, char **v) { (void)n; double s = atof(v[1]); SPANLOOM_SPAN("m");
    for (int i = 0; i < 20; i++) tell(i);
    for (int i = 20; i < 40; i++) { usleep(s * 1e6 / 20); tell(i); }
    for (int i = 40; i < 60; i++) tell(i);
    fflush(stdout); END }
"""


def near(t, out, limit):
    rows = [tuple(map(int, line.split())) for line in out.splitlines()]
    at = {e["args"]["i"]: ns(e["ts"]) for e in t.of("i", "mark")}
    equal(len(at), 60)
    off = [max(a - at[i], at[i] - b, 0) for i, (a, b) in enumerate(rows)]
    note(f"off by at most {max(off)} ns at the start {max(off[:20])}, at the end {max(off[40:])}")
    for part in (off[:20], off[20:40], off[40:]):
        check(sorted(part)[len(part) // 2] < limit, f"off by {sorted(part)} ns")


PARALLEL = {}


def start(clock, end, code):
    """All of these sleep most of the time: they are run together."""
    folder = tempfile.mkdtemp(prefix="spanloom-clock-", dir=SCRATCH)
    atexit.register(shutil.rmtree, folder, True)
    exe = compiled(PROGRAM.replace("END", end))
    out = open(f"{folder}/out", "w")
    p = subprocess.Popen([exe, str(LONG)], cwd=folder, stdout=out, env=bare_environment(SPANLOOM_OPTIONS=f"clock={clock}" if clock else "log-close=True"))
    PARALLEL[clock, end] = (folder, p, code)


@cases(*CLOCKS)
def agrees_with_the_wall_clock_at_the_start_and_seconds_later(clock):
    folder, p, code = PARALLEL[clock, "return 0;"]
    equal(p.wait(PATIENCE), code)
    near(trace(folder), open(f"{folder}/out").read(), 1_000_000)


@cases(*CLOCKS)
def of_a_process_that_was_killed(clock):
    folder, p, code = PARALLEL[clock, "raise(SIGKILL);"]
    equal(p.wait(PATIENCE), code)
    near(left(folder), open(f"{folder}/out").read(), 1_000_000)


@cases(("", ()), ("on a system whose monotonic clock says something else", ("--time", "--monotonic", "1000000", "--boottime", "1000000")))
def exported_long_after_the_death(where, clocks):
    """What the clock ran like is in the file, not asked of the system that exports."""
    prefix = namespace(*clocks) if clocks else ()
    for clock in CLOCKS:
        folder, p, code = PARALLEL[clock, "raise(SIGKILL);"]
        p.wait(PATIENCE)
        slt, = files("*.slt", folder)
        one = Trace(spanloom("export", "chrome", "-o", "-", slt, text=False).out)
        time.sleep(0.3)
        two = Trace(spanloom("export", "chrome", "-o", "-", slt, text=False, prefix=prefix).out)
        difference = max(abs(ns(a["ts"]) - ns(b["ts"])) for a, b in zip(one.events, two.events))
        check(difference <= 1000, f"clock={clock}: {difference} ns between two exports")


@test
def while_the_process_lives():
    exe = compiled(PROGRAM.replace("END", "for (;;) pause();"))
    with open(path("out"), "w") as out:
        p = subprocess.Popen([exe, "0.2"], cwd=path(), stdout=out, env=bare_environment())
    try:
        until(lambda: open(path("out")).read().count("\n") == 60, "what it made")
        slt, = files("*.slt")
        t = exported(slt)
        near(t, open(path("out")).read(), 1_000_000)
        equal((t.meta["ended"], [(s.name, s.unfinished) for s in t.spans()]), (False, [("m", True)]))
    finally:
        p.kill()
        p.wait()


@test
def children_share_the_clock_of_their_parent():
    r = ran("""int main(void) { SPANLOOM_SPAN("m"); for (int i = 0; i < 10; i++) { fflush(stdout); long long a = now_ns(); pid_t p = fork(); if (!p) { { SPANLOOM_SPAN("c"); } exit(0); } waitpid(p, 0, 0); printf("%lld %lld\\n", a, now_ns()); } return 0; }""")
    rows = [tuple(map(int, line.split())) for line in r.out.splitlines()]
    got = sorted((s.begin, s.end) for t in traces(n=11) for s in t.spans("c"))
    for (a, b), (x, y) in zip(rows, got):
        check(a - 100_000 <= x <= y <= b + 100_000, f"{x - a} ns, {b - y} ns")


@test
def times_of_threads_agree():
    """One thread hands over to another and back: effects come after causes, but for the error of the clock."""
    ran("""static volatile int turn; static struct sl_site s = SL_SITE("s", 0);
        static void play(int me) { for (int i = me; i < 1000; i += 2) { while (turn != i) sched_yield(); sl_instant(&s); sl_arg_int("i", i); __sync_synchronize(); turn = i + 1; } }
        static void *t(void *p) { play(1); return p; } int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); play(0); pthread_join(p, 0); return 0; }""")
    order = [ns(e["ts"]) for e in sorted(trace().of("i"), key=lambda e: e["args"]["i"])]
    equal(len(order), 1000)
    back = [a - b for a, b in zip(order, order[1:]) if a > b]
    check(len(back) == 0 or max(back) < 1000, f"{len(back)} of 1000 before their cause, by up to {max(back or [0])} ns")


if __name__ == "__main__":
    for c in CLOCKS:
        start(c, "return 0;", 0)
        start(c, "raise(SIGKILL);", -9)
    main()
