#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A trace that the program ends itself; single begins and ends; the scopes of asynchronous events."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

SITE = 'static struct sl_site s = SL_SITE("s", 0), late = SL_SITE("late", 0);\n'
BUSY = SITE + """static volatile int stop; static int begun; static void *busy(void *p) { SPANLOOM_SPAN("thread"); for (int i = 0; !stop; i++) if (more()) { sl_begin(&s); sl_arg_int("i", 1); sl_end(&s); if (i == 500) __atomic_add_fetch(&begun, 1, 5); for (volatile int k = 0; k < 1000; k++) ; } return p; }
static void *brief(void *p) { sl_begin(&s); sl_end(&s); return p; } static void *finish(void *p) { sl_trace_finish(); return p; } static void *flush(void *p) { while (!stop) sl_trace_flush(); return p; }
static pthread_t start(void *(*f)(void *)) { pthread_t t; if (pthread_create(&t, 0, f, 0)) _exit(9); return t; }
"""
ENDS = {"_exit": "_exit(0);", "exit": "exit(0);", "return": "return 0;", "SIGKILL": "raise(SIGKILL);"}


@cases(*((end, link) for end in ENDS for link in ("so", "a")))
def it_is_complete(end, link):
    ran(SITE + f"""int main(void) {{ SPANLOOM_SPAN("main"); sl_begin(&s); sl_end(&s); sl_begin(&s); sl_trace_finish(); sl_end(&s);
        sl_begin(&late); sl_arg_int("x", 1); sl_end(&late); SPANLOOM_INSTANT("late"); sl_thread_name("late"); sl_trace_finish(); {ENDS[end]} }}""", link=link, code=-9 if end == "SIGKILL" else 0)
    t = trace()
    equal([(s.name, s.unfinished) for s in t.spans()], [("main", True), ("s", False), ("s", True)])
    equal(t.data.count(b"late"), 0)


@test
def nothing_comes_after_it():
    r = ran(SITE + """int main(void) { sl_begin(&s); sl_end(&s); sl_trace_finish(); int was = sl_trace_enable(1); char t[56] = "?"; sl_traceparent(t);
        printf("%d %d [%s] %d %d", was, sl_trace_on, t, sl_trace_flush() == ENOENT, sl_site_of("a", "b") == sl_site_of("a", "b")); sl_begin(&late); sl_end(&late); return 0; }""")
    equal(r.out, "0 0 [] 1 1")
    equal([s.name for s in trace().spans()], ["s"])


@test
def without_events_there_is_no_file():
    ran(SITE + "int main(void) { sl_trace_finish(); sl_begin(&s); sl_end(&s); return 0; }")
    equal(os.listdir(path()), [])


@test
def of_a_binary_trace():
    ran(SITE + "int main(void) { sl_begin(&s); sl_end(&s); sl_trace_finish(); sl_begin(&late); sl_trace_finish(); _exit(0); }", spanloom="log-format=binary")
    [file] = files("*.slt")
    t = exported(file)
    equal((t.meta["ended"], t.meta["lost"], t.names()), (True, 0, ["s B", "s E"]))


@cases(*((link, usage) for link in ("so", "a") for usage in ("", "cpu-mem-usage=True")))
def while_others_record(link, usage):
    """By two threads at once, while four record: each has what it did until then, and goes on."""
    ran(BUSY + """int main(void) { pthread_t t[6]; for (int i = 0; i < 4; i++) t[i] = start(busy); while (__atomic_load_n(&begun, 5) < 4) sched_yield(); t[4] = start(finish); t[5] = start(finish); sl_trace_finish();
        usleep(5000); stop = 1; for (int i = 0; i < 6; i++) pthread_join(t[i], 0); sl_trace_finish(); return 0; }""", link=link, options=usage or None, spanloom="buffer-size=16K")
    t = trace()
    spans = t.spans()
    equal([s.unfinished for s in spans if s.name == "thread"], [True] * 4)
    check(len(spans) > 100 and all(sum(s.unfinished for s in spans if s.tid == tid and s.name == "s") <= 1 for tid in {s.tid for s in spans}), "more than the last is unfinished")


CHILDREN = """int main(void) { for (int i = 0; i < 300; i++) { pid_t p = fork(); if (!p) { alarm(600); pthread_t t[8]; for (int k = 0; k < 8; k++) t[k] = start(%s); for (volatile int k = 0; k < i * 40; k++) ; sl_trace_finish(); stop = 1; for (int k = 0; k < 8; k++) pthread_join(t[k], 0); %s }
    int status; waitpid(p, &status, 0); if (status) { printf("child %%d: %%x", i, status); return 1; } } return 0; }"""


@cases("_exit(0);", "exit(0);")
def while_threads_come_and_go(end):
    ran(BUSY + CHILDREN % ("brief", end))
    for t in traces():
        equal((t.meta["ended"], len(t.spans("s")) <= 8), (True, True))
    equal(files("*.slt"), [])


@test
def while_another_thread_flushes():
    """The file that is left is the complete one."""
    ran(BUSY + """int main(void) { for (int i = 0; i < 40; i++) { pid_t p = fork(); if (!p) { alarm(600); for (int k = 0; k < 200; k++) { sl_begin(&s); sl_end(&s); } pthread_t t = start(flush); usleep(300 + i * 50); for (int k = 0; k < 2000; k++) { sl_begin(&s); sl_end(&s); } sl_trace_finish(); stop = 1; pthread_join(t, 0); _exit(0); }
        int status; waitpid(p, &status, 0); if (status) return 1; } return 0; }""")
    equal([len(t.spans("s")) for t in traces(n=40)], [2200] * 40)
    equal(files("*.slt"), [])


@test
def by_children_of_a_fork():
    """The child's end is its own: its parent's spans are neither in it nor ended by it."""
    r = ran(SITE + """int main(void) { SPANLOOM_SPAN("main"); for (int i = 0; i < 3; i++) { pid_t p = fork(); if (!p) { if (i) { sl_begin(&s); sl_end(&s); } sl_trace_finish(); sl_trace_finish(); if (i == 2) exit(0); _exit(0); } int status; waitpid(p, &status, 0); if (status) return 1; }
        sl_begin(&s); sl_end(&s); return 0; }""")
    found = traces(n=3)
    equal([[s.name for s in t.spans()] for t in found if t.meta["pid"] == r.pid], [["main", "s"]])
    equal([[(s.name, s.unfinished) for s in t.spans()] for t in found if t.meta["pid"] != r.pid], [[("s", False)]] * 2)


@test
def a_fork_after_it():
    ran(SITE + """int main(void) { sl_begin(&s); sl_end(&s); sl_trace_finish(); pid_t p = fork(); if (!p) { sl_begin(&late); sl_end(&late); sl_trace_finish(); exit(0); } int status; waitpid(p, &status, 0); return status != 0; }""")
    equal([s.name for s in trace().spans()], ["s"])


@test
def by_Fortran():
    write(path("prog.f90"), "program p\nuse spanloom_trace\ncall sl_begin('a')\ncall sl_end('a')\ncall sl_trace_finish()\ncall sl_begin('late')\nend program\n")
    r = subprocess.run(["gfortran", f"{ROOT}/include/spanloom/spanloom_trace.f90", "prog.f90", "-o", "prog", f"-L{BUILD}", "-lspanloom-trace", f"-Wl,-rpath,{BUILD}"], cwd=path(), capture_output=True, text=True)
    equal(r.returncode, 0, r.stderr)
    run(path("prog"))
    equal([s.name for s in trace().spans()], ["a"])


# ---- a process that is told later where it lies

CONTEXT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@cases(("before", "gcc", "c"), ("after", "gcc", "c"), ("before", "clang", "cc"), ("after", "clang", "cc"))
def a_parent_that_is_told(when, cc, lang):
    """Before the first event or later; children and programs that are started lie in the same trace."""
    tell = f'sl_trace_parent("{CONTEXT}");'
    r = ran(SITE + f"""int main(void) {{ {tell if when == "before" else ""} sl_begin(&s); {tell if when == "after" else ""}
        printf("%s ", getenv("TRACEPARENT")); fflush(stdout); pid_t p = fork(); if (!p) {{ sl_begin(&s); sl_end(&s); exit(0); }} waitpid(p, 0, 0); sl_end(&s); return 0; }}""", cc=cc, lang=lang)
    found = {t.meta["pid"] == r.pid: t.meta for t in traces(n=2)}
    equal((found[True]["trace_id"], found[True]["parent_id"], found[False]["trace_id"]), (CONTEXT[3:35], CONTEXT[36:52], CONTEXT[3:35]))
    equal(r.out.split(), [f"00-{CONTEXT[3:35]}-{found[True]['span_id']}-01"])


@test
def a_parent_that_is_none():
    """Neither texts that are no context, nor one that comes too late."""
    wrong = ["", "00", CONTEXT[:-3], "ff" + CONTEXT[2:], CONTEXT.replace("a", "g"), "00-" + "0" * 32 + CONTEXT[35:], CONTEXT[:36] + "0" * 16 + "-01"]
    ran(SITE + "int main(void) { sl_trace_parent(0);" + "".join(f'sl_trace_parent("{w}");' for w in wrong) + f'sl_begin(&s); sl_end(&s); sl_trace_finish(); sl_trace_parent("{CONTEXT}"); return 0; }}', env={"TRACEPARENT": "00-" + "1" * 32 + "-" + "2" * 16 + "-01"})
    equal((trace().meta["trace_id"], trace().meta["parent_id"]), ("1" * 32, "2" * 16))


@test
def a_parent_that_is_told_to_a_fork_of_a_server():
    """Each worker lies where it is told, and not in the server, which leaves nothing."""
    other = CONTEXT.replace("b7", "c8")
    ran(SITE + f"""int main(void) {{ const char *to[] = {{"{CONTEXT}", "{other}"}}; for (int i = 0; i < 2; i++) {{ pid_t p = fork(); if (!p) {{ sl_trace_parent(to[i]); sl_begin(&s); sl_end(&s); sl_trace_finish(); _exit(0); }} waitpid(p, 0, 0); }} return 0; }}""")
    equal(sorted(t.meta["parent_id"] for t in traces(n=2)), [CONTEXT[36:52], other[36:52]])


# ---- single begins and ends

LOOSE = """struct sl_site *const x = sl_loose_site_of("x", "c"), *const y = sl_loose_site_of("y", "c"); """


@cases(("c", "gcc"), ("c", "clang"), ("cc", "gcc"), ("cc", "clang"))
def an_end_without_a_begin(lang, cc):
    """It is a moment, and ends nothing else."""
    r = ran(f"""int main(void) {{ {LOOSE} SPANLOOM_SPAN("main"); sl_end(x); sl_begin(y); sl_end(x); sl_arg_int("n", 1); sl_end(y); sl_end(y); sl_begin(x); sl_end(x);
        printf("%d %d", x == sl_loose_site_of("x", "c"), x == sl_site_of("x", "c")); return 0; }}""", lang=lang, cc=cc)
    equal(r.out, "1 0")
    t = trace()
    equal(t.names(), ["main B", "x B", "x E", "y B", "x B", "x E", "y E", "y B", "y E", "x B", "x E", "main E"])
    equal([(s.name, s.parent, s.args) for s in t.spans()], [("main", None, {}), ("x", "main", {}), ("y", "main", {}), ("x", "y", {"n": 1}), ("y", "main", {}), ("x", "main", {})])


@cases("log-event=Compact", "log-event=Verbose", "cpu-mem-usage=True")
def moments_with(options):
    ran(f"int main(void) {{ {LOOSE} sl_end(x); sl_begin(y); sl_end(x); sl_end(y); return 0; }}", options=options)
    equal([(s.name, s.depth) for s in sorted(trace().spans(), key=lambda s: (s.begin, s.depth))], [("x", 0), ("y", 0), ("x", 1)])


@test
def begins_and_ends_of_several_processes_and_threads():
    """What was begun in the parent or on another thread is not ended by an end elsewhere, which is a moment there."""
    r = ran(f"""static void *t(void *p) {{ sl_end((struct sl_site *)p); return p; }}
        int main(void) {{ {LOOSE} (void)y; sl_begin(x); pthread_t h; pthread_create(&h, 0, t, x); pthread_join(h, 0); pid_t p = fork(); if (!p) {{ sl_end(x); sl_begin(x); sl_end(x); exit(0); }} waitpid(p, 0, 0); SPANLOOM_SPAN("in"); return 0; }}""")
    found = {t.meta["pid"] == r.pid: t for t in traces(n=2)}
    equal(sorted((s.name, s.parent, s.unfinished) for s in found[True].spans()), [("in", "x", False), ("x", None, False), ("x", None, True)])
    equal([(s.name, s.parent, s.unfinished) for s in found[False].spans()], [("x", None, False)] * 2)


@test
def an_end_without_a_begin_of_other_sites_is_none():
    ran('int main(void) { struct sl_site *x = sl_site_of("x", "c"); sl_end(x); sl_begin(x); sl_end(x); return 0; }')
    equal(trace().names(), ["x B", "x E"])


# ---- scopes

@cases(("c", "gcc"), ("cc", "clang"))
def scopes_of_asynchronous_events(lang, cc):
    ran(r"""static struct sl_site s = SL_SITE("s", "c");
        int main(void) { sl_async_begin(&s, 1); sl_async_scope("one"); sl_async_instant(&s, 1); sl_async_scope("t\"w\xc3\xb6\n"); sl_arg_int("n", 2); sl_async_end(&s, 1); sl_async_begin(&s, 2); sl_arg_int("n", 3); sl_async_scope("after"); sl_async_end(&s, 2); sl_async_scope(""); return 0; }""", lang=lang, cc=cc)
    equal([(e["ph"], e["id"], e.get("scope") or None, e.get("args")) for e in trace().events],
          [("b", 1, "one", None), ("n", 1, 't"wö\n', {"n": 2}), ("e", 1, None, None), ("b", 2, "after", {"n": 3}), ("e", 2, None, None)])


@test
def a_scope_with_nothing_before_it():
    """After a span, at the start, in a child: there is no asynchronous event that it could be of."""
    r = ran(SITE + """int main(void) { sl_async_scope("lost"); sl_begin(&s); sl_async_scope("lost"); sl_end(&s); sl_async_scope("lost");
        pid_t p = fork(); if (!p) { sl_async_scope("lost"); sl_async_end(&s, 7); sl_async_scope("child"); exit(0); } waitpid(p, 0, 0); sl_async_scope("lost"); sl_async_begin(&s, 7); sl_async_scope("parent"); return 0; }""")
    found = {t.meta["pid"] == r.pid: t for t in traces(n=2)}
    equal([(e["ph"], e.get("scope")) for e in found[True].events], [("B", None), ("E", None), ("i", None), ("b", "parent")])
    equal([(e["ph"], e.get("scope")) for e in found[False].events], [("e", "child")])


@test
def a_long_scope_is_cut():
    ran('static char text[9000]; static struct sl_site s = SL_SITE("s", "c"); int main(void) { memset(text, 97, 8999); sl_async_begin(&s, 1); sl_async_scope(text); sl_async_end(&s, 1); return 0; }')
    equal([len(e.get("scope", "")) for e in trace().events], [4096, 0])


if __name__ == "__main__":
    main()
