#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""min-duration: short spans become counts, none is lost, and nothing else is touched.

The first call of a place is recorded always, and others are where the clock is compared or a buffer is full.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

LONG, SHORT = "min-duration=1000ms", "min-duration=1ns"


def calls(t):
    """{name: (begins, ends, calls that were counted)}"""
    names = sorted({e["name"] for e in t.of("BEi")})
    return {n: (len(t.of("B", n)), len(t.of("E", n)), sum(e["args"]["short_calls"] for e in t.of("i", n))) for n in names}


def whole(t):
    """{name: calls}, recorded or counted"""
    for e in t.of("i"):
        equal(set(e["args"]), {"short_calls", "short_ns"}, e)
        check(e["args"]["short_ns"] >= 0, e)
    t.spans()  # which nest
    return {n: b + c for n, (b, e, c) in calls(t).items() if b == e or check(False, f"{n}: {b} begins, {e} ends")}


TREE = """
static void leaf(int n) { SPANLOOM_SPAN("leaf"); (void)n; }
static int fib(int n) { SPANLOOM_SPAN("fib"); leaf(n); return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static void nap(void) { SPANLOOM_SPAN("nap"); leaf(0); usleep(3000); leaf(1); }
static void *thread(void *p) { SPANLOOM_SPAN("thread"); fib(10); nap(); fib(10); return p; }
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(t + i, 0, thread, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    fib(12);
    return 0;
}
"""
TREE_CALLS = {"fib": 4 * 2 * 177 + 465, "leaf": 4 * 2 * 177 + 465 + 4 * 2, "nap": 4, "thread": 4}


@cases("1ns", "100ns", "1us", "20us", "1000us", "1000ms")
def no_call_is_lost(least):
    ran(TREE, spanloom=f"min-duration={least}")
    t = trace()
    equal(whole(t), TREE_CALLS)
    equal((t.meta["lost"], t.meta.get("damaged"), int(t.meta["min_duration_ns"])), (0, None, {"n": 1, "u": 1000, "m": 10**6}[least[-2]] * int(least[:-2])))


@test
def answers_say_what_was_only_counted():
    ran(TREE, spanloom=LONG)
    spanloom("import", *files("*.pfw"))
    [(kept,)] = query(path("spanloom.db"), "SELECT count(*) FROM spans WHERE type = 'trace.call'")
    short = f"{sum(TREE_CALLS.values()) - kept:,} calls"
    for words in ("profile --format csv", "profile --tree --format json", f"profile --format tsv {files('*.pfw')[0]}"):
        check(f"spanloom: {short} were shorter than min-duration, and only counted: --format table has them" in spanloom(*words.split()).err, words)
    told, = [f for f in json.loads(spanloom("why", "--format", "json").out)["findings"] if f["finding"] == "call-short"]
    check(told["text"].startswith(f"{short} of prog, shorter than min-duration, were only counted, and took "), told["text"])


@test
def nothing_is_counted_that_is_longer():
    ran(TREE, spanloom="min-duration=2ms")
    t = trace()
    got = calls(t)
    equal((got["nap"][0], got["thread"][0]), (4, 4))
    check(all(e["args"]["short_ns"] < 2_000_000 * e["args"]["short_calls"] for e in t.of("i")), "times")
    equal({s.name for s in t.spans() if s.end - s.begin < 1_000_000} - {"fib", "leaf"}, set(), "short spans that hold nothing")


@test
def counts_are_told_where_the_caller_ends():
    ran("""static void f(void) { SPANLOOM_SPAN("f"); } static void g(void) { SPANLOOM_SPAN("g"); }
        static void part(int n) { SPANLOOM_SPAN("part"); sl_arg_int("n", n); for (int i = 0; i < n; i++) { f(); if (i % 2) g(); } }
        int main(void) { SPANLOOM_SPAN("main"); sl_arg_int("x", 1); part(10); part(1000); f(); return 0; }""", spanloom=LONG)
    t = trace()
    equal(whole(t), {"main": 1, "part": 2, "f": 1011, "g": 505})
    ends = [e["ts"] for e in t.of("E", "part")] + [t.of("E", "main")[0]["ts"]]
    for name in "fg":
        at = [(e["ts"], e["args"]["short_calls"]) for e in t.of("i", name)]
        check({ts for ts, n in at} <= set(ends) and [n for ts, n in at if ts == ends[1]][0] > 400, f"{name}: {at}, {ends}")


@test
def what_says_more_than_that_it_was_is_kept():
    ran("""static void with(int n) { SPANLOOM_SPAN("argument"); sl_arg_int("n", n); }
        static void moment(void) { SPANLOOM_SPAN("moment"); SPANLOOM_INSTANT("here"); }
        static void sends(void) { SPANLOOM_SPAN("sends"); SPANLOOM_FLOW_OUT("x", 7); }
        static void outer(void) { SPANLOOM_SPAN("outer"); with(2); }
        static void tells(void) { SPANLOOM_SPAN("tells"); char c[56]; sl_traceparent(c); }
        int main(void) { for (int i = 0; i < 3; i++) { with(i); moment(); sends(); outer(); tells(); } return 0; }""", spanloom=LONG)
    t = trace()
    equal({s.name: len(t.spans(s.name)) for s in t.spans()}, {"argument": 6, "moment": 3, "sends": 3, "outer": 3, "tells": 3})
    equal([e["name"] for e in t.of("i")], ["here"] * 3)


@test
def many_names_below_one_span():
    names = "".join(f'case {i}: {{ SPANLOOM_SPAN("f{i}"); }} break;' for i in range(40))
    ran("static void call(int i) { switch (i) { %s } } int main(void) { SPANLOOM_SPAN(\"main\"); for (int i = 0; i < 4000; i++) call(i %% 40); return 0; }" % names,
        spanloom=LONG)
    got = whole(trace())
    equal(got, {"main": 1, **{f"f{i}": 100 for i in range(40)}})


@test
def buffers_that_are_full():
    ran("""static void f(void) { SPANLOOM_SPAN("f"); } static void g(int n) { SPANLOOM_SPAN("g"); f(); if (n % 7 == 0) sl_arg_int("n", n); f(); }
        int main(void) { SPANLOOM_SPAN("main"); sl_arg_int("x", 1); for (int i = 0; i < 200000; i++) g(i); return 0; }""", spanloom=LONG + ":buffer-size=16K")
    t = trace()
    equal(whole(t), {"main": 1, "g": 200000, "f": 400000})
    check(0 <= len(t.of("B", "g")) - (200000 + 6) // 7 < 4000, f"{len(t.of('B', 'g'))} are recorded, {(200000 + 6) // 7} have arguments")


@test
def longjmp_signals_and_forks():
    r = ran("""static jmp_buf b; static volatile int hits;
        static void f(void) { SPANLOOM_SPAN("f"); }
        static void handler(int s) { SPANLOOM_SPAN("handler"); (void)s; hits++; f(); }
        static void jumps(int n) { static struct sl_site x = SL_SITE("jumps", 0); sl_begin(&x); f(); if (n) jumps(n - 1); else longjmp(b, 1); }
        int main(void) {
            SPANLOOM_SPAN("main"); sl_arg_int("x", 1);
            signal(SIGPROF, handler);
            struct itimerval every = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
            setitimer(ITIMER_PROF, &every, 0);
            for (volatile int i = 0; i < 300; i++) { if (!setjmp(b)) jumps(3); for (int k = 0; k < 100; k++) f(); }
            setitimer(ITIMER_PROF, &never, 0);
            pid_t p = fork();
            if (!p) { f(); f(); exit(hits > 1000000); }
            waitpid(p, 0, 0); printf("%d", hits); f(); return 0; }""", spanloom="min-duration=1000ms:buffer-size=16K")
    parent, child = sorted(traces(n=2), key=lambda t: -len(t.data))
    hits = int(r.out)
    equal(whole(parent), {k: v for k, v in {"main": 1, "jumps": 1200, "f": 1200 + 30000 + 1 + hits, "handler": hits}.items() if v} | ({"fork": 0} if "fork" in whole(parent) else {}))
    equal(whole(child)["f"], 2)


@test
def killed_at_any_moment():
    r = ran("""static void f(void) { SPANLOOM_SPAN("f"); }
        int main(void) { SPANLOOM_SPAN("main"); sl_arg_int("x", 1); for (int i = 0; i < 5000; i++) f(); kill(getpid(), SIGKILL); return 0; }""", spanloom=LONG, code=-9)
    t = left()
    equal(whole(t), {"main": 1, "f": 5000})
    check([s.unfinished for s in t.spans("main")] == [True], r)


@cases("x", "1", "us", "-1us", "2000ms", "1s", "1.5us", "0x1us")
def what_is_no_time(value):
    ran(TREE, spanloom=f"min-duration={value}", err=f"spanloom: SPANLOOM_OPTIONS: ill-formed option: min-duration={value}: say a time up to 1000ms, such as 500ns or 1us (ignored)\n")
    equal(calls(trace())["fib"][2], 0)


@test
def it_belongs_to_spanloom_and_not_beside_usage():
    ran(TREE, options="min-duration=1us", err="spanloom: PERFFLOW_OPTIONS: ill-formed option: min-duration=1us: belongs in SPANLOOM_OPTIONS (ignored)\n")
    clear = [os.remove(f) for f in files()]
    ran(TREE, spanloom="min-duration=1us:cpu-mem-usage=True", err="spanloom: min-duration does nothing where cpu-mem-usage measures each span\n")
    equal((calls(trace())["fib"][2], len(clear)), (0, 1))


@test
def profiles_tell_what_they_lack():
    ran(TREE, spanloom=LONG)
    counted = {n: c for n, (b, e, c) in calls(trace()).items() if c}
    for r in (spanloom("profile", *files()), spanloom("import", "--quiet", *files()) and spanloom("profile")):
        below = r.out.split("shorter than min-duration, and only counted\n")[1]
        equal({line.split()[-1]: int(line.split()[-2].replace(",", "")) for line in below.splitlines()}, counted, r.out)


if __name__ == "__main__":
    main()
