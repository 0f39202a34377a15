#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The header with all compilers and standards, the runtime under sanitizers and valgrind, and MPI."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

# ---- the header

HEADER = r"""
#include <spanloom/trace.h>
#include <spanloom/trace.h>
static struct sl_site site = SL_SITE("site", "category");
static struct sl_site plain = SL_SITE("site", 0);
int f(int n);
int f(int n)
{
    SPANLOOM_FUNCTION();
    SPANLOOM_SPAN("one");
    SPANLOOM_SPAN_IN("two", "category");
    if (n > 3)
        SPANLOOM_INSTANT("in an if");
    else
        SPANLOOM_COUNTER("in an else", n);
    for (int i = 0; i < 2; i++)
        SPANLOOM_INSTANT("in a loop");
    SPANLOOM_ASYNC_BEGIN("a", sl_new_id()); SPANLOOM_ASYNC_INSTANT("a", 1); SPANLOOM_ASYNC_END("a", 1);
    SPANLOOM_FLOW_OUT("f", 1); SPANLOOM_FLOW_STEP("f", 1); SPANLOOM_FLOW_IN("f", 1);
    sl_begin(&site); sl_arg_int("i", 1); sl_arg_double("d", 1.5); sl_arg_string("s", "t"); sl_end(&site);
    sl_begin(&plain); sl_end(&plain); sl_thread_name("main");
    char to[56]; sl_traceparent(to);
    return n ? f(n - 1) : 0;
}
int main(void) { return f(5) + sl_trace_flush(); }
"""
STANDARDS = [("gcc", "c", s) for s in ("c99", "c11", "c17", "gnu2x")] + [("clang", "c", s) for s in ("c99", "c11", "c17", "c2x")] + \
            [("gcc", "cpp", f"c++{s}") for s in ("11", "14", "17", "20", "23")] + [("clang", "cpp", f"c++{s}") for s in ("11", "14", "17", "20", "2b")]


@cases(*STANDARDS)
def header(cc, lang, standard):
    exe = compiled(HEADER, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wshadow", "-Wconversion", "-Wcast-qual", "-Wundef",
                   *(["-Wstrict-prototypes", "-Wmissing-prototypes"] if lang == "c" else []), cc=cc, lang=lang, prelude=False)
    run(exe)
    t = trace()
    equal(collections.Counter(s.name for s in t.spans()), {"f": 6, "one": 6, "two": 6, "site": 12})
    equal((len(t.of("i", "in a loop")), len(t.of("b")), len(t.of("s"))), (12, 6, 6))


@cases("-O0", "-O2", "-O3", "-Os", "-O2 -flto", "-O2 -fno-plt -fPIE -pie")
def options_of_gcc(flags):
    exe = compiled(HEADER, *flags.split(), prelude=False, link="a")
    run(exe)
    equal(len(trace().spans()), 30)


@test
def static_programs():
    exe = compiled(HEADER, "-static", prelude=False, link="a")
    run(exe)
    equal(len(trace().spans()), 30)


@test
def the_library_needs_libc_only():
    out = subprocess.run(["readelf", "-d", f"{BUILD}/libspanloom-trace.so"], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(.*?)\]", out))
    check(needed <= {"libc.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0", "libdl.so.2", "ld-linux-aarch64.so.1"}, needed)


@test
def the_library_exports_its_interface_only():
    out = subprocess.run(["nm", "-D", "--defined-only", f"{BUILD}/libspanloom-trace.so"], capture_output=True, text=True, check=True).stdout
    names = {line.split()[2].split("@")[0] for line in out.splitlines()}
    with open(f"{ROOT}/include/spanloom/trace.h") as f:
        header_ = f.read()
    unknown = {n for n in names if not re.search(rf"\b{re.escape(n)}\b", header_) and not n.startswith("_")}
    check(not unknown, f"not in the header: {unknown}")
    check({"sl_span_begin", "perfflow_weave_before", "sl_trace_on"} <= names, names)


@test
def names_of_the_static_library_do_not_clash():
    """All that it defines for others begins with sl_, spanloom_ or perfflow_."""
    out = subprocess.run(["nm", "-g", "--defined-only", f"{BUILD}/libspanloom-trace.a"], capture_output=True, text=True, check=True).stdout
    names = {p[2] for p in (line.split() for line in out.splitlines()) if len(p) == 3}
    bad = {n for n in names if not re.match(r"_*(sl_|spanloom_|perfflow_)", n)}
    check(not bad, bad)


# ---- everything at once, for tools that look for mistakes

STRESS = r"""
static struct sl_site a = SL_SITE("a", 0), b = SL_SITE("b", "cat");
static void handler(int s) { int e = errno; SPANLOOM_SPAN("handler"); sl_arg_int("s", s); errno = e; }
static void rec(int n) { SPANLOOM_FUNCTION(); if (n) rec(n - 1); }
static void *work(void *p)
{
    long n = (long)p; char name[40]; snprintf(name, 40, "thread %ld", n); sl_thread_name(name);
    for (int i = 0; i < ROUNDS; i++) {
        sl_begin(&a); sl_arg_int("i", i); sl_begin(&b); sl_arg_double("d", i / 3.0); sl_arg_string("s", i % 7 ? "short" : "a rather longer text \xff with \"quotes\"\n"); sl_end(&b); sl_end(&a);
        snprintf(name, 40, "name %d", i % 50); struct sl_site *s = sl_site_of(name, i % 3 ? "c" : 0); sl_begin(s); sl_end(s);
        uint64_t id = sl_new_id(); SPANLOOM_ASYNC_BEGIN("as", id); SPANLOOM_ASYNC_END("as", id); SPANLOOM_FLOW_OUT("fl", id); SPANLOOM_FLOW_IN("fl", id); SPANLOOM_INSTANT("in"); SPANLOOM_COUNTER("co", i);
        perfflow_weave_before(0, "m", "_ZN9SmokeTest3fooEv", "", i % 2 ? "out" : "in", "around"); perfflow_weave_after(0, "m", "_ZN9SmokeTest3fooEv", "", "NA", "around");
        perfflow_weave_before(1, "m", "async", "s", "NA", "around_async"); perfflow_weave_after(1, "m", "async", "s", "NA", "around_async");
        char to[56]; if (i % 10 == 0) sl_traceparent(to);
        rec(3);
        if (i % 100 == 50) pthread_kill(pthread_self(), SIGUSR1);
        if (n == 1 && i % 100 == 3) sl_trace_flush();
    }
    sl_begin(&a);
    return 0;
}
int main(void)
{
    signal(SIGUSR1, handler);
    for (int round = 0; round < 3; round++) {
        pthread_t t[4];
        for (long i = 0; i < 4; i++) pthread_create(t + i, 0, work, (void *)i);
        for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    }
    FORK
    sl_trace_enable(0); sl_begin(&a); sl_trace_enable(1);
    work((void *)9);
    return 0;
}
"""
FORKS = "pid_t p = fork(); if (!p) { work((void *)5); exit(0); } int st; waitpid(p, &st, 0); if (st) return 1;"


ADDRESS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
THREAD = ("-fsanitize=thread", "-fno-omit-frame-pointer")


def sanitized(source, cc, sanitize, *flags):
    return compiled(source, runtime(cc, *sanitize), "-w", "-std=gnu17", *sanitize, *flags, cc=cc, link=None)


def stress(cc, sanitize, rounds, fork, event="verbose", env=()):
    exe = sanitized(STRESS.replace("ROUNDS", str(rounds)).replace("FORK", FORKS if fork else ""), cc, sanitize)
    r = run(exe, options=f"log-event={event}:cpu-mem-usage={'true' if event == 'compact' else 'false'}", spanloom="buffer-size=16K", code=None, err=None, env=dict(env))
    check(r.code == 0 and not r.err, f"exit {r.code}\n{r.err[:20000]}")
    for t in traces(n=1 + fork):
        check(len(t.spans()) > rounds * 6, "spans")


@cases(*[(cc, e) for cc in ("gcc", "clang") for e in ("verbose", "compact")])
def address_and_undefined_behaviour_sanitizer(cc, event):
    stress(cc, ADDRESS, 100, True, event, env={"ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1"})


@cases("gcc", "clang")
def thread_sanitizer(cc):
    stress(cc, THREAD, 80, True, env={"TSAN_OPTIONS": "die_after_fork=0"})


FINISH = r"""
static struct sl_site s = SL_SITE("s", 0); static int stop;
static int stopped(void) { return __atomic_load_n(&stop, 5); }
static void *busy(void *p) { while (!stopped()) if (more()) { sl_begin(&s); sl_arg_string("k", "text"); sl_end(&s); sl_end(sl_loose_site_of("x", "c")); sl_async_begin(&s, 1); sl_async_scope("scope"); } return p; }
static void *brief(void *p) { sl_begin(&s); sl_end(&s); return p; }
static void *flush(void *p) { while (!stopped()) sl_trace_flush(); return p; }
static void *finish(void *p) { sl_trace_finish(); return p; }
static void *(*const all[])(void *) = {busy, busy, flush, brief, brief, brief, finish, finish};
int main(void)
{
    for (int i = 0; i < 20; i++) {
        pid_t p = fork();
        if (!p) {
            pthread_t t[8];
            sl_trace_parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
            brief(0);
            for (int k = 0; k < 8; k++) pthread_create(t + k, 0, all[k], 0);
            usleep(i * 100);
            sl_trace_finish();
            __atomic_store_n(&stop, 1, 5);
            for (int k = 0; k < 8; k++) pthread_join(t[k], 0);
            exit(0);
        }
        int status;
        waitpid(p, &status, 0);
        if (status) return 1;
    }
    return 0;
}
"""


@cases(*[(cc, sanitize) for cc in ("gcc", "clang") for sanitize in ("thread", "address")])
def a_trace_that_is_ended_with_the_sanitizer(cc, sanitize):
    exe = sanitized(FINISH, cc, {"thread": THREAD, "address": ADDRESS}[sanitize], "-DMOST=300")
    run(exe, timeout=PATIENCE, env={"TSAN_OPTIONS": "die_after_fork=0", "ASAN_OPTIONS": "detect_leaks=1"})
    check(all(t.spans("s") and t.meta["ended"] for t in traces(n=20)), "spans")


def valgrind(*options, source, link="so", code=0):
    exe = compiled(source, link=link)
    r = run(exe, spanloom="buffer-size=16K", prefix=("valgrind", "-q", "--error-exitcode=99", "--trace-children=no", *options), code=None, err=None)
    check(r.code == code and not r.err, f"exit {r.code}\n{r.err[:4000]}")


@cases("so", "a")
def valgrind_memcheck(link):
    valgrind("--leak-check=full", "--show-leak-kinds=definite,indirect,possible", "--errors-for-leak-kinds=definite,indirect,possible", source=STRESS.replace("ROUNDS", "30").replace("FORK", ""), link=link)
    check(len(trace().spans()) > 30 * 6 * 13, "spans")


@test
def valgrind_sees_that_nothing_is_allocated():
    """The runtime takes nothing from malloc while the program records."""
    exe = compiled("int main(int n, char **v) { (void)v; char name[30]; for (int i = 0; i < (n > 1 ? 20000 : 1); i++) { SPANLOOM_SPAN(\"s\"); sl_arg_string(\"k\", \"v\"); snprintf(name, 30, \"n%d\", i); sl_site_of(name, \"c\"); SPANLOOM_FLOW_OUT(\"f\", sl_new_id()); } _exit(0); }")
    counts = [int(re.search(r"total heap usage: ([\d,]+) allocs", run(exe, *args, prefix=("valgrind", "--leak-check=no"), err=None, timeout=PATIENCE).err)[1].replace(",", "")) for args in ((), ("more",))]
    equal(counts[1], counts[0], "allocations with many events and with one")
    note(f"{counts[0]} allocations at the start")


# ---- MPI

@test
def ranks_of_MPI():
    exe = compiled("""
    #include <mpi.h>
    int main(int n, char **v) { MPI_Init(&n, &v); int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); { SPANLOOM_SPAN("work"); sl_arg_int("rank", r); usleep(1000 * r); MPI_Barrier(MPI_COMM_WORLD); } MPI_Finalize(); return 0; }
    """, *subprocess.run(["mpicc", "--showme:compile"], capture_output=True, text=True, check=True).stdout.split(), *subprocess.run(["mpicc", "--showme:link"], capture_output=True, text=True, check=True).stdout.split())
    env = bare_environment(OMPI_MCA_btl_base_warn_component_unused="0", OMPI_MCA_rmaps_base_oversubscribe="1", HOME=path())
    p = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "-n", "4", exe], cwd=path(), env=env, capture_output=True, text=True, timeout=PATIENCE)
    equal(p.returncode, 0, p.stderr)
    got = {}
    for f in files():
        t = load(f)
        got[str(t.meta.get("rank"))] = [s.args["rank"] for s in t.spans("work")]
    equal(got, {str(i): [i] for i in range(4)})
    equal(len(files()), 4)


if __name__ == "__main__":
    main()
