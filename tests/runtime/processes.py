#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processes that make others, in every way there is; plugins that come and go; and what a program may see of being traced: nothing."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

LINKS = ("so", "a")


def names_by_pid(found):
    return {t.meta["pid"]: [s.name for s in t.spans()] for t in found}


# ---- fork

@cases(*LINKS)
def children_and_grandchildren(link):
    r = ran("""
    static void span(const char *n) { struct sl_site *s = sl_site_of(n, 0); sl_begin(s); usleep(100); sl_end(s); }
    int main(void) {
        SPANLOOM_SPAN("main"); span("before");
        pid_t c = fork();
        if (!c) {
            span("child"); SPANLOOM_SPAN("child open");
            pid_t g = fork();
            if (!g) { span("grandchild"); exit(0); }
            waitpid(g, 0, 0); printf("%d %d ", getpid(), g); fflush(stdout); span("child again"); exit(0);
        }
        waitpid(c, 0, 0); span("after"); return 0;
    }""", link=link)
    c, g = map(int, r.out.split())
    found = traces(n=3)
    by = names_by_pid(found)
    equal(by, {r.pid: ["main", "before", "after"], c: ["child", "child open", "child again"], g: ["grandchild"]})
    meta = {t.meta["pid"]: t.meta for t in found}
    equal((meta[c]["ppid"], meta[g]["ppid"]), (r.pid, c), "parents")
    equal(len({m["trace_id"] for m in meta.values()}), 1, "one trace")
    equal(len({m["span_id"] for m in meta.values()}), 3, "processes are told apart")
    for t in found:
        equal({e["pid"] for e in t.all}, {t.meta["pid"]}, "pids")
        check(all(s.end - s.begin >= 100_000 for s in t.spans()), "lengths")
    t = next(t for t in found if t.meta["pid"] == c)
    check([s.unfinished for s in t.spans("child open")] == [True], "exit in a child")
    equal(files("*.slt"), [], ".slt that are left")


@test
def a_child_that_records_nothing_has_no_file():
    ran("""int main(void) { SPANLOOM_SPAN("m"); for (int i = 0; i < 5; i++) { pid_t p = fork(); if (!p) { if (i % 2) _exit(0); exit(0); } waitpid(p, 0, 0); } return 0; }""")
    equal(names_by_pid(traces(n=1)).popitem()[1], ["m"])
    equal(files("*.slt"), [])


@test
def a_child_that_is_killed_leaves_its_own():
    """And its parent, which ends later, makes the .pfw of it."""
    r = ran("""int main(void) { SPANLOOM_SPAN("m"); pid_t p = fork(); if (!p) { SPANLOOM_SPAN("c"); { SPANLOOM_SPAN("d"); } raise(SIGKILL); } waitpid(p, 0, 0); return 0; }""")
    equal(files("*.slt"), [])
    t, = [t for t in traces(n=2) if t.meta["pid"] != r.pid]
    equal(t.meta["ended"], False)
    equal([(s.name, s.unfinished) for s in t.spans()], [("c", True), ("d", False)])



@test
def a_copy_of_the_library_within_and_one_in_front():
    """Linked from the archive, and LD_PRELOAD besides: one process, one instance."""
    for env in ({}, {"PERFFLOW_INSTANCE_PATH": "above"}):
        r = ran('int main(void) { SPANLOOM_SPAN("m"); puts(getenv("PERFFLOW_INSTANCE_PATH")); return 0; }', link="a", env={**env, "LD_PRELOAD": f"{BUILD}/libspanloom-trace.so"})
        equal(r.out, "above.356a192b\n" if env else "356a192b\n")
    r = ran('int main(void) { setenv("PERFFLOW_INSTANCE_PATH", "mine", 1); void *h = dlopen("%s/libspanloom-trace.so", RTLD_NOW); puts(h ? getenv("PERFFLOW_INSTANCE_PATH") : dlerror()); return 0; }' % BUILD, link=None)
    equal(r.out, "mine.356a192b\n")


@test
def ends_in_a_child_of_spans_of_its_parent():
    r = ran("""static struct sl_site m = SL_SITE("m", 0); int main(void) { sl_begin(&m); pid_t p = fork(); if (!p) { sl_end(&m); { SPANLOOM_SPAN("c"); } sl_end(&m); exit(0); } waitpid(p, 0, 0); usleep(1000); sl_end(&m); return 0; }""")
    by = names_by_pid(traces(n=2))
    equal(by.pop(r.pid), ["m"])
    equal(list(by.values()), [["c"]])


@test
def fifty_children_as_of_multiprocessing():
    r = ran("""int main(void) { SPANLOOM_SPAN("m"); pid_t p[50]; for (int i = 0; i < 50; i++) if (!(p[i] = fork())) { for (int j = 0; j < 100; j++) { SPANLOOM_SPAN("c"); sl_arg_int("i", i); } exit(0); }
        for (int i = 0; i < 50; i++) waitpid(p[i], 0, 0); return 0; }""", options="log-filename-include=hostname,pid")
    found = traces(n=51)
    equal(sorted(t.spans()[0].args.get("i", -1) for t in found), [-1, *range(50)])
    equal(sorted(len(t.spans()) for t in found), [1] + [100] * 50)
    equal(files("*.slt"), [])


@test
def children_of_one_name_have_the_pid_appended():
    r = ran("""int main(void) { SPANLOOM_SPAN("m"); for (int i = 0; i < 3; i++) { pid_t p = fork(); if (!p) { SPANLOOM_SPAN("c"); exit(0); } waitpid(p, 0, 0); } return 0; }""", options="log-filename-include=name")
    found = [os.path.basename(f) for f in files()]
    equal(len(found), 4)
    check("perfflow.array.generic.pfw" in found and load(path("perfflow.array.generic.pfw")).meta["pid"] == r.pid, found)
    check(all(re.fullmatch(r"perfflow\.array\.generic\.\d+\.pfw", f) for f in found if f != "perfflow.array.generic.pfw"), found)


@test
def fork_in_a_thread_and_with_many_threads():
    """Also while others record all the time: the child is never stuck, and has what it did."""
    r = ran("""
    static volatile int stop; static struct sl_site b = SL_SITE("busy", 0);
    static void *busy(void *p) { (void)p; char n[30]; for (int i = 0; !stop; i++) if (i % 100 || more()) { snprintf(n, 30, "n%d", i % 5000); sl_site_of(n, 0); if (i % 100 == 0) { sl_begin(&b); sl_end(&b); } } return 0; }
    static void *forker(void *p) { SPANLOOM_SPAN("forker");
        for (int i = 0; i < 15; i++) { pid_t c = fork(); if (!c) { alarm(600); char n[30]; snprintf(n, 30, "c%d", i); struct sl_site *s = sl_site_of(n, 0); for (int j = 0; j < 10; j++) { sl_begin(s); sl_end(s); } exit(0); }
            int st; waitpid(c, &st, 0); if (st) *(int *)p = st; } return 0; }
    int main(void) { int bad = 0; pthread_t t[4], f; for (int i = 0; i < 4; i++) pthread_create(t + i, 0, busy, 0); pthread_create(&f, 0, forker, &bad); pthread_join(f, 0); stop = 1; for (int i = 0; i < 4; i++) pthread_join(t[i], 0); return bad; }
    """, spanloom="buffer-size=16K")
    found = traces(n=16)
    equal(sorted(t.spans()[0].name for t in found if t.meta["pid"] != r.pid), sorted(f"c{i}" for i in range(15)))
    for t in found:
        if t.meta["pid"] != r.pid:
            equal(len(t.spans()), 10, "spans of a child")
            equal({s.tid for s in t.spans()}, {t.meta["pid"]}, "tid of a child")


@test
def fork_in_a_signal_handler_that_interrupts_an_event():
    """The child comes back into the middle of an event that was the parent's."""
    ran("""
    static volatile int forks; static pid_t me; static volatile pid_t children[200];
    static void on(int s) { (void)s; if (getpid() != me || forks >= 200) return; pid_t p = fork(); if (p > 0) children[forks++] = p; }
    int main(void) { me = getpid(); signal(SIGALRM, on); struct itimerval it = {{0, 300}, {0, 300}}; setitimer(ITIMER_REAL, &it, 0);
        while (forks < 200 && getpid() == me) { SPANLOOM_SPAN("w"); sl_arg_int("k", 1); }
        if (getpid() != me) { for (int i = 0; i < 5; i++) { SPANLOOM_SPAN("child"); } exit(0); }
        signal(SIGALRM, SIG_IGN); int bad = 0, st; for (int i = 0; i < 200; i++) { while (waitpid(children[i], &st, 0) < 0) ; bad += st != 0; } return bad; }
    """)
    found = [t for t in traces() if t.spans("child")]
    check(len(found) >= 190, f"{len(found)} of 200 children have a trace")
    for t in found:
        equal(len(t.spans("child")), 5)


@test
def plugins_with_the_library_inside_leave_nothing_behind():
    """Descriptors and mappings, however often they are loaded."""
    plugin = compiled('void run(void) { SPANLOOM_SPAN("plugged"); }', shared=True, link="a")
    r = ran("""
    #include <dirent.h>
    #include <dlfcn.h>
    static int count(void) { int n = 0, c; DIR *d = opendir("/proc/self/fd"); while (readdir(d)) n++; closedir(d);
        FILE *m = fopen("/proc/self/maps", "r"); while ((c = fgetc(m)) != EOF) n += c == 10; fclose(m); return n; }
    int main(int c, char **v) { (void)c; int first = 0; for (int i = 0; i < 40; i++) { void *h = dlopen(v[1], RTLD_NOW); if (!h) return 9;
            ((void (*)(void))dlsym(h, "run"))(); dlclose(h); if (i == 1) first = count(); } printf("%d", count() - first); return 0; }
    """, plugin, link=None)
    check(int(r.out) <= 2, f"{r.out.strip()} descriptors and mappings more after 38 loads")
    equal(len(traces()), 40)


@cases(("vfork", "pid_t p = vfork(); if (!p) { execv(v[1], v + 1); _exit(9); }"), ("posix_spawn", "pid_t p; if (posix_spawn(&p, v[1], 0, 0, v + 1, environ)) return 8;"), ("fork and exec", "pid_t p = fork(); if (!p) { SPANLOOM_SPAN(\"between\"); execv(v[1], v + 1); _exit(9); }"),
       ("clone vfork", "pid_t p = syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0); if (!p) { execv(v[1], v + 1); _exit(9); }"))
def starts_another_program_by(word, how):
    exe = compiled('int main(void) { { SPANLOOM_SPAN("second"); } return 4; }')
    r = ran('int main(int n, char **v) { (void)n; SPANLOOM_SPAN("first"); { SPANLOOM_SPAN("in"); %s int s; if (waitpid(p, &s, 0) != p || WEXITSTATUS(s) != 4) return 7; } { SPANLOOM_SPAN("then"); } return 0; }' % how, exe)
    found = [t for t in traces(n=2 + (word == "fork and exec")) if not t.spans("between")]
    by = names_by_pid(found)
    equal(by.pop(r.pid), ["first", "in", "then"])
    equal(list(by.values()), [["second"]])
    a, b = sorted((t.meta for t in found), key=lambda m: m["pid"] != r.pid)
    equal(a["trace_id"], b["trace_id"], "trace id is passed on by the environment")


@cases(("_Fork", "_Fork()"), ("clone", "syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)"), ("clone3", "syscall(SYS_clone3, (uint64_t[11]){[4] = SIGCHLD}, 88)"))
def a_child_made_behind_the_back_of_libc_by(word, how):
    r = ran("""extern pid_t _Fork(void);
    int main(void) { { SPANLOOM_SPAN("before"); } SPANLOOM_SPAN("main"); pid_t p = %s;
        if (!p) { { SPANLOOM_SPAN("child"); } { SPANLOOM_SPAN("child"); } exit(0); }
        int st; waitpid(p, &st, 0); { SPANLOOM_SPAN("after"); } printf("%%d", p); return st; }""" % how)
    by = names_by_pid(traces(n=2))
    equal(by, {r.pid: ["before", "main", "after"], int(r.out): ["child", "child"]})


@test
def clone_with_shared_memory():
    """A thread that pthreads does not know: nothing must break; its events may be lost, no others may."""
    r = ran("""static struct sl_site s = SL_SITE("s", 0); static volatile int done; extern int clone(int (*)(void *), void *, int, void *, ...);
    static int other(void *p) { (void)p; done = 1; return 0; }
    int main(void) { SPANLOOM_SPAN("main"); char *st = malloc(1 << 20); int p = clone(other, st + (1 << 20), CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, 0); { SPANLOOM_SPAN("beside"); } waitpid(p, 0, 0); sl_begin(&s); sl_end(&s); return !done; }""")
    equal([s.name for s in trace().spans()], ["main", "beside", "s"])


DAEMON = """
int main(void) {
    { SPANLOOM_SPAN("parent"); }
    if (fork()) { usleep(1000); return 0; }
    setsid();
    if (fork()) exit(0);
    if (chdir("/")) return 1;
    umask(%s);
    for (int i = 0; i < 1024; i++) close(i);
    %s
    for (int i = 0; i < 10000; i++) { SPANLOOM_SPAN("daemon"); sl_arg_int("i", i); }
    int f = open(DONE, O_WRONLY | O_CREAT, 0644);
    if (f != 0 && f != 3) abort();
    %s
}
"""


@cases(("exits", "027", "", "exit(0);"), ("is killed", "0", "", "raise(SIGKILL); return 0;"), ("has its own descriptors", "077", 'open("/dev/null", O_RDWR); dup(0); dup(0);', "return 0;"))
def daemon_that(word, mask, fds, end):
    os.mkdir(path("log"))
    os.mkdir(path("start"))
    ran(DAEMON.replace("DONE", f'"{path("done")}"') % (mask, fds, end), cwd=path("start"), options="log-dir=../log", spanloom="buffer-size=16K", flags=("-Wno-unused-result",))
    until(lambda: os.path.exists(path("done")), "the daemon's last event")
    until(lambda: "KILL" in end or not files("*.slt", path("log")) and len(files("*.pfw", path("log"))) == 2, "the daemon's trace")
    found = [load(f) for f in files("*.pfw", path("log"))] + [exported(f) for f in files("*.slt", path("log"))]
    by = sorted(([s.args.get("i") for s in t.spans()] for t in found), key=len)
    equal(by, [[None], list(range(10000))])
    equal(os.listdir(path("start")), [], "where it began")


@test
def closing_all_descriptors_between_events():
    r = ran("""static struct sl_site s = SL_SITE("s", 0); int main(void) { for (int i = 0; i < 15000; i++) { if (i % 5000 == 100) for (int f = 3; f < 200; f++) close(f); sl_begin(&s); sl_arg_int("i", i); sl_end(&s); } return 0; }""", spanloom="buffer-size=16K")
    equal([s.args["i"] for s in trace().spans()], list(range(15000)))


@test
def descriptors_that_the_program_reuses_are_left_alone():
    """It closes all, opens its own files, and what is in them is its own."""
    ran("""static struct sl_site s = SL_SITE("s", 0); int main(void) { sl_begin(&s); sl_end(&s); for (int f = 3; f < 1024; f++) close(f);
        int fd[60]; for (int i = 0; i < 60; i++) { char n[20]; snprintf(n, 20, "own%d", i); fd[i] = open(n, O_RDWR | O_CREAT, 0600); if (fd[i] != 3 + i) return 2; }
        for (int i = 0; i < 15000; i++) { sl_begin(&s); sl_end(&s); }
        for (int i = 0; i < 60; i++) if (write(fd[i], "mine", 4) != 4 || lseek(fd[i], 0, SEEK_END) != 4) return 3;
        return 0; }""", spanloom="buffer-size=16K")
    equal(len(trace(path()).spans()), 15001)
    for i in range(60):
        equal(open(path(f"own{i}")).read(), "mine")


# ---- what the program sees

@test
def descriptors_have_the_same_numbers():
    exe = compiled("""static struct sl_site s = SL_SITE("s", 0); int main(void) { int a = open("/dev/null", O_RDONLY); sl_begin(&s); sl_end(&s); int b = open("/dev/null", O_RDONLY); for (int i = 0; i < 30000; i++) { sl_begin(&s); sl_arg_string("x", "y"); sl_end(&s); }
        int c = open("/dev/null", O_RDONLY); int p[2]; if (pipe(p)) return 1; sl_trace_flush(); pid_t f = fork(); if (!f) { sl_begin(&s); sl_end(&s); printf("%d ", dup(0)); exit(0); } waitpid(f, 0, 0);
        printf("%d %d %d %d %d %d", a, b, c, p[0], p[1], dup(0)); close(0); sl_begin(&s); sl_end(&s); printf(" %d", open("/dev/null", O_RDONLY)); return 0; }""")
    one = run(exe, options="log-enable=False").out
    two = run(exe, spanloom="buffer-size=16K").out
    equal(two, one, "numbers with and without tracing")
    equal(one, "8 3 4 5 6 7 8 0")


@test
def standard_streams_that_are_closed_stay_free_for_the_program():
    def before():
        os.close(0), os.close(1), os.close(2)
    exe = compiled("""int main(void) { { SPANLOOM_SPAN("m"); } int a = open("a", O_WRONLY | O_CREAT, 0600), b = open("b", O_WRONLY | O_CREAT, 0600), c = open("c", O_WRONLY | O_CREAT, 0600); dprintf(a, "%d %d %d", a, b, c); { SPANLOOM_SPAN("m"); } return 0; }""")
    run(exe, before=before, stdin=None, stdout=None, stderr=None)
    equal([open(path(f)).read() for f in "abc"], ["0 1 2", "", ""])
    equal(len(trace().spans()), 2)


@test
def the_environment_has_two_more():
    exe = compiled('int main(void) { SPANLOOM_SPAN("m"); for (char **e = environ; *e; e++) puts(*e); return 0; }')
    own = run("/usr/bin/env", options="name=x").out.splitlines()
    traced = run(exe, options="name=x").out.splitlines()
    more = [e for e in traced if e not in own]
    equal(sorted(e.split("=")[0] for e in more), ["PERFFLOW_INSTANCE_PATH", "TRACEPARENT"])
    equal([e for e in own if e not in traced and not e.startswith("_=")], [], "what is gone")


@test
def what_the_program_does_to_its_environment_is_kept():
    r = ran("""int main(void) { setenv("A", "1", 1); { SPANLOOM_SPAN("m"); } setenv("B", "2", 1); unsetenv("TRACEPARENT"); { SPANLOOM_SPAN("m"); } setenv("PERFFLOW_INSTANCE_PATH", "own", 1); { SPANLOOM_SPAN("m"); }
        printf("%s %s %s %s", getenv("A"), getenv("B"), getenv("PERFFLOW_INSTANCE_PATH"), getenv("TRACEPARENT") ? "back" : "gone"); fflush(stdout); clearenv(); { SPANLOOM_SPAN("m"); } printf(" %d", environ && *environ); return 0; }""")
    equal(r.out, "1 2 own gone 0")
    equal(len(trace().spans()), 4)


@test
def an_empty_environment_and_no_arguments():
    exe = compiled('int main(int n, char **v, char **e) { { SPANLOOM_SPAN("m"); } return !(e && n >= 0 && v); }')
    script = 'import os, sys\nos.execve(sys.argv[1], ["x"], {})'
    equal(subprocess.call([sys.executable, "-c", script, exe], cwd=path()), 0)
    trace()


@test
def errno_is_preserved():
    ran("""
    #define OK(call) do { errno = 4711; call; if (errno != 4711) { printf("%s: errno %d\\n", #call, errno); bad = 1; } } while (0)
    static struct sl_site s = SL_SITE("s", 0); static int bad; static char to[56];
    static void all(void) {
        OK(sl_begin(&s)); OK(sl_arg_int("k", 1)); OK(sl_arg_double("k2", NAN)); OK(sl_arg_string("k3", "v")); OK(sl_end(&s)); OK(sl_site_of("new", "cat")); OK(sl_async_begin(&s, 1)); OK(sl_async_instant(&s, 1)); OK(sl_async_end(&s, 1));
        OK(sl_instant(&s)); OK(sl_counter(&s, 1)); OK(sl_flow(&s, 1, SL_FLOW_OUT)); OK(sl_flow(&s, 1, SL_FLOW_IN)); OK(sl_new_id()); OK(sl_thread_name("n")); OK(sl_traceparent(to));
        OK(perfflow_weave_before(0, "m", "f", "s", "in", "around")); OK(perfflow_weave_after(0, "m", "f", "s", "out", "around")); OK(perfflow_weave_before(1, "m", "f", "s", "NA", "around_async")); OK(perfflow_weave_after(1, "m", "f", "s", "NA", "around_async"));
        OK(sl_trace_enable(0)); OK(sl_begin(&s)); OK(sl_trace_enable(1)); }
    static void *thread(void *p) { for (int i = 0; i < 500; i++) all(); return p; }
    int main(void) { thread(0); OK(sl_trace_flush()); pthread_t t; pthread_create(&t, 0, thread, 0); pthread_join(t, 0); pid_t p = fork(); if (!p) { all(); fflush(stdout); _exit(bad); } int st; waitpid(p, &st, 0); return bad || st; }""", spanloom="buffer-size=16K")


@test
def errno_is_preserved_where_nothing_can_be_recorded():
    write(path("file"), "")
    r = ran("""static struct sl_site s = SL_SITE("s", 0); int main(void) { for (int i = 0; i < 100; i++) { errno = 4711; sl_begin(&s); sl_arg_string("x", "y"); sl_end(&s); sl_thread_name("n"); if (errno != 4711) return errno; } return 0; }""", options="log-dir=file", err=None)
    equal(r.err.count("\n"), 1)


@test
def signals_and_their_mask_are_as_they_were():
    exe = compiled("""static void *t(void *p) { SPANLOOM_SPAN("t"); return p; } int main(void) { { SPANLOOM_SPAN("m"); } pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0);
        for (int i = 1; i < 65; i++) { struct sigaction a; if (!sigaction(i, 0, &a)) printf("%d", a.sa_handler == SIG_DFL ? 0 : a.sa_handler == SIG_IGN ? 1 : 2); }
        sigset_t m; sigprocmask(SIG_BLOCK, 0, &m); for (int i = 1; i < 65; i++) printf("%d", sigismember(&m, i)); stack_t s; sigaltstack(0, &s); printf(" %d", s.ss_flags);
        char b[4096] = ""; int f = open("/proc/self/status", O_RDONLY); ssize_t n = read(f, b, 4095); (void)n; printf("%.12s", strstr(b, "Threads:")); return 0; }""")
    equal(run(exe).out, run(exe, options="log-enable=False").out)


@test
def on_and_off_at_run_time():
    r = ran("""static struct sl_site a = SL_SITE("a", 0), b = SL_SITE("b", 0); int main(void) {
        sl_begin(&a); sl_end(&a); int w = sl_trace_enable(0); sl_begin(&b); sl_arg_int("x", 1); sl_instant(&b); sl_end(&b); SPANLOOM_COUNTER("c", 1); int v = sl_trace_enable(1); sl_begin(&a); sl_end(&a); printf("%d %d %d", w, v, sl_trace_on); return 0; }""")
    equal(r.out, "1 0 1")
    t = trace()
    equal(([s.name for s in t.spans()], [s.args for s in t.spans()]), (["a", "a"], [{}, {}]))
    check(not t.of("C"), "a counter while off")


@test
def off_in_mid_span():
    """Spans that are open when it is put off, or begun while it is off: the file is balanced."""
    ran("""static struct sl_site a = SL_SITE("a", 0), b = SL_SITE("b", 0), c = SL_SITE("c", 0); int main(void) {
        sl_begin(&a); sl_trace_enable(0); sl_end(&a); sl_begin(&b); sl_trace_enable(1); sl_end(&b); sl_begin(&c); sl_end(&c);
        { SPANLOOM_SPAN("x"); sl_trace_enable(0); } { SPANLOOM_SPAN("y"); sl_trace_enable(1); } sl_begin(&c); sl_end(&c); return 0; }""")
    equal(len(trace().spans("c")), 2)


@test
def log_enable_False_stays():
    r = ran('int main(void) { int a = sl_trace_enable(1); { SPANLOOM_SPAN("m"); } char t[56] = "?"; sl_traceparent(t); printf("%d %d [%s] %d", a, sl_trace_on, t, sl_trace_flush()); return 0; }', options="log-enable=False")
    equal(r.out.rpartition(" ")[0], "0 0 []")
    equal(os.listdir(path()), [])


@test
def set_user_id_programs_ignore_the_environment():
    os.geteuid() == 0 or skip("must be root to try")
    source = 'int main(int n, char **v) { (void)v; if (n > 1) sl_trace_enable(1); { SPANLOOM_SPAN("m"); } printf("%s", getenv("TRACEPARENT") ? "set" : "none"); return 0; }'
    folder = tempfile.mkdtemp(prefix="spanloom-suid-", dir="/tmp")
    try:
        os.chmod(folder, 0o777)
        exe = f"{folder}/prog"
        shutil.copy(compiled(source, link="a"), exe)
        os.chown(exe, 1, 1)
        os.chmod(exe, 0o6755)
        os.mkdir(f"{folder}/work")
        os.chmod(f"{folder}/work", 0o777)
        flags = os.statvfs(folder).f_flag
        check(not flags & os.ST_NOSUID, "file system without set-user-ID")
        parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        run(exe, options=f"log-dir={folder}/given", before=as_nobody, cwd=f"{folder}/work", env={"TRACEPARENT": parent})
        equal(sorted(os.listdir(folder)), ["prog", "work"], "log-dir of the environment")
        equal(os.listdir(f"{folder}/work"), [], "a trace that nobody asked for")
        r = run(exe, "on", options=f"log-dir={folder}/given:name=evil:log-filename-include=name", before=as_nobody, cwd=f"{folder}/work", env={"TRACEPARENT": parent})
        equal(sorted(os.listdir(folder)), ["prog", "work"], "log-dir of the environment")
        t = traces(f"{folder}/work", 1)[0]
        check("0af7651916cd43dd8448eb211c80319c" not in json.dumps(t.meta, default=str) and "evil" not in json.dumps(t.meta, default=str), t.meta)
    finally:
        shutil.rmtree(folder)


def as_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


@test
def a_program_that_gives_up_its_rights():
    """The directory may be written by root only: what was begun goes on, and the trace is not lost."""
    os.geteuid() == 0 or skip("must be root to try")
    os.mkdir(path("log"), 0o700)
    ran("""static struct sl_site s = SL_SITE("s", 0); int main(void) { sl_begin(&s); sl_end(&s); if (setgid(65534) || setuid(65534)) return 1; for (int i = 0; i < 15000; i++) { sl_begin(&s); sl_end(&s); } return 0; }""", options="log-dir=log", spanloom="buffer-size=16K", err=None)
    found = [load(f) for f in files("*.pfw", path("log"))] or [exported(f) for f in files("*.slt", path("log"))]
    n = sum(len(t.spans()) for t in found)
    check(n + sum(t.meta["lost"] for t in found) >= 15001 and n >= 1, f"{n} spans, lost {[t.meta['lost'] for t in found]}")


@test
def chroot():
    os.mkdir(path("jail"))
    ran("""static struct sl_site s = SL_SITE("s", 0); int main(void) { sl_begin(&s); sl_end(&s); if (chroot("jail") || chdir("/")) return 1; for (int i = 0; i < 15000; i++) { sl_begin(&s); sl_end(&s); } return 0; }""", spanloom="buffer-size=16K", err=None, prefix=namespace("-m"))
    found = [load(f) for f in files()] + [load(f) for f in files("*.pfw", path("jail"))] or [exported(f) for f in files("*.slt")]
    equal(sum(len(t.spans()) for t in found), 15001)


# ---- plugins

PLUGIN = """
static void *other(void *p) { SPANLOOM_SPAN("plugin thread"); return p; }
void work(int);
void work(int i) { SPANLOOM_SPAN_IN("plugin span", "plugin category"); sl_arg_int("i", i); SPANLOOM_INSTANT("plugin instant"); SPANLOOM_COUNTER("plugin counter", i); pthread_t t; pthread_create(&t, 0, other, 0); pthread_join(t, 0); }
"""
LOADS = """
int main(int n, char **v) { (void)n;
    for (int i = 0; i < 20; i++) { void *h = dlopen(v[1], RTLD_NOW | RTLD_LOCAL); if (!h) { puts(dlerror()); return 1; } void (*f)(int) = (void (*)(int))dlsym(h, "work"); f(i); dlclose(h);
        void *m = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memset(m, 'x', 1 << 20); if (i & 1) munmap(m, 1 << 20); %s }
    return 0; }
"""
HOST_SPAN = 'SPANLOOM_SPAN("host span");'


def plugin_events(t, n=20):
    equal([(s.name, s.cat, s.args) for s in t.spans("plugin span")], [("plugin span", "plugin category", {"i": i}) for i in range(n)])
    equal((len(t.spans("plugin thread")), len(t.of("i", "plugin instant")), len(t.of("C", "plugin counter"))), (n, n, n))


@cases("exits", "is killed")
def plugins_that_are_unloaded(how):
    plugin = compiled(PLUGIN, shared=True)
    source = LOADS % HOST_SPAN
    if how == "is killed":
        ran(source.replace("return 0; }\n", "raise(SIGKILL); return 0; }\n"), plugin, code=-9)
        t = left()
    else:
        ran(source, plugin)
        t = trace()
    plugin_events(t)
    equal(len(t.spans("host span")), 20)


@test
def the_runtime_comes_with_a_plugin_and_goes_with_it():
    """The program is not linked with it; the plugin has it as a shared library."""
    plugin = compiled(PLUGIN, shared=True)
    ran(LOADS % "", plugin, link=None)
    found = traces()
    spans = [s for t in found for s in t.spans("plugin span")]
    equal(sorted(s.args["i"] for s in spans), list(range(20)))


@cases("exits", "forks", "has a thread left")
def the_static_runtime_within_a_plugin_that_is_unloaded(how):
    plugin = compiled(PLUGIN, "-Wl,-z,defs", shared=True, link="a")
    more = {"exits": "", "forks": "pid_t p = fork(); if (!p) exit(0); waitpid(p, 0, 0);", "has a thread left": ""}[how]
    source = LOADS % more
    if how == "has a thread left":
        source = "static void (*volatile hook)(int); static volatile int go; static void *t(void *p) { while (!go) sched_yield(); hook(0); go = 2; while (go != 3) sched_yield(); return p; }\n" + source.replace("int main(int n, char **v) { (void)n;", "int main(int n, char **v) { (void)n; pthread_t x; pthread_create(&x, 0, t, 0); void *q = dlopen(v[1], RTLD_NOW); hook = (void (*)(int))dlsym(q, \"work\"); go = 1; while (go != 2) sched_yield(); dlclose(q); go = 3; pthread_join(x, 0);")
    ran(source, plugin, link=None)
    found = traces()
    spans = [s for t in found for s in t.spans("plugin span")]
    equal(sorted(s.args["i"] for s in spans), ([0] if "thread" in how else []) + list(range(20)))


@test
def two_runtimes_in_one_process():
    """The program has the shared library, a plugin the static one: both traces are whole, and neither replaces the other."""
    plugin = compiled(PLUGIN, "-Wl,-Bsymbolic", "-Wl,--exclude-libs,ALL", shared=True, link="a")
    ran((LOADS % HOST_SPAN), plugin)
    found = traces()
    spans = [s for t in found for s in t.spans()]
    equal(collections.Counter(s.name for s in spans), {"plugin span": 20, "plugin thread": 20, "host span": 20})
    equal(files("*.slt"), [])


@test
def two_runtimes_in_a_process_that_is_killed():
    plugin = compiled(PLUGIN, "-Wl,-Bsymbolic", "-Wl,--exclude-libs,ALL", shared=True, link="a")
    ran((LOADS % HOST_SPAN).replace("dlclose(h);", "").replace("return 0; }\n", "raise(SIGKILL); return 0; }\n"), plugin, code=-9)
    found = [exported(f) for f in files("*.slt")] + traces()
    equal(collections.Counter(s.name for t in found for s in t.spans()), {"plugin span": 20, "plugin thread": 20, "host span": 20})


# ---- who lies in whom

@test
def a_child_lies_in_the_span_that_forked():
    r = ran("""int main(void) { SPANLOOM_SPAN("main"); { SPANLOOM_SPAN("forks"); pid_t p = fork(); if (!p) { { SPANLOOM_SPAN("c"); } exit(0); } waitpid(p, 0, 0); } { SPANLOOM_SPAN("forks not"); } return 0; }""")
    parent, child = sorted(traces(n=2), key=lambda t: t.meta["pid"] != r.pid)
    equal(child.meta["trace_id"], parent.meta["trace_id"])
    equal([s.name for s in parent.spans() if s.args.get("span_id") == child.meta["parent_id"]], ["forks"])


@test
def a_program_lies_in_the_span_whose_traceparent_it_was_given():
    exe = compiled('int main(void) { { SPANLOOM_SPAN("second"); } return 0; }')
    r = ran("""int main(int n, char **v) { (void)n; SPANLOOM_SPAN("main"); for (int i = 0; i < 3; i++) { SPANLOOM_SPAN("starts"); sl_arg_int("i", i); char t[56]; sl_traceparent(t); setenv("TRACEPARENT", t, 1); pid_t p; posix_spawn(&p, v[1], 0, 0, v + 1, environ); int s; waitpid(p, &s, 0); } return 0; }""", exe)
    found = traces(n=4)
    parent = next(t for t in found if t.meta["pid"] == r.pid)
    ids = [s.args["span_id"] for s in parent.spans("starts")]
    equal(sorted(t.meta["parent_id"] for t in found if t is not parent), sorted(ids))
    equal(len(set(ids)), 3)
    equal({t.meta["trace_id"] for t in found}, {parent.meta["trace_id"]})
    equal({t.meta["instance_path"] for t in found if t is not parent}, {"356a192b.356a192b"}, "instance path")


@test
def a_program_without_a_span_that_is_open_lies_in_the_process():
    exe = compiled('int main(void) { { SPANLOOM_SPAN("second"); } return 0; }')
    r = ran('int main(int n, char **v) { (void)n; { SPANLOOM_SPAN("first"); } return system(v[1]); }', exe)
    parent, child = sorted(traces(n=2), key=lambda t: t.meta["pid"] != r.pid)
    equal((child.meta["trace_id"], child.meta["parent_id"]), (parent.meta["trace_id"], parent.meta["span_id"]))


@cases("pfw", "slt")
def several_children_of_one_span(what):
    """Each is told an id of its own, and the trace tells them all: of the span, and of moments in it."""
    ran("""int main(void) { { SPANLOOM_SPAN("other"); } SPANLOOM_SPAN("forks"); for (int i = 0; i < 3; i++) { SPANLOOM_SPAN("one"); for (int k = 0; k < 3; k++) { pid_t p = fork(); if (!p) { { SPANLOOM_SPAN("c"); } exit(0); } waitpid(p, 0, 0); } } return 0; }""", spanloom="log-format=binary" if what == "slt" else None)
    store = imported(path()).store
    equal(query(store, "SELECT p.name, count(*) FROM links l JOIN trace_process c ON c.id = l.right_span JOIN trace_call p ON p.id = l.left_span WHERE l.kind = 'in' GROUP BY p.id"), [("one", 3)] * 3)


@test
def a_program_that_a_fork_becomes():
    """A child that only execs has no trace: what it becomes lies in the span that forked. One that has is what it lies in."""
    exe = compiled('int main(void) { { SPANLOOM_SPAN("second"); } return 0; }')
    r = ran("""static struct sl_site s = SL_SITE("s", 0); int main(int n, char **v) { (void)n; for (int i = 0; i < 2; i++) { SPANLOOM_SPAN("forks"); sl_arg_int("i", i); pid_t p = fork(); if (!p) { if (i) { sl_begin(&s); sl_end(&s); } execv(v[1], v + 1); _exit(1); } int st; waitpid(p, &st, 0); if (st) return 1; } return 0; }""", exe)
    found = traces(n=4)
    parent, = [t for t in found if t.meta["pid"] == r.pid]
    forked, = [t for t in found if t.spans("s")]
    equal(forked.meta["ended"], False)
    ids = {x.args["span_id"]: f"forks {x.args['i']}" for x in parent.spans("forks")}
    ids[forked.meta["span_id"]] = "the fork"
    equal(ids[forked.meta["parent_id"]], "forks 1")
    equal(sorted(ids.get(t.meta["parent_id"]) for t in found if t not in (parent, forked)), ["forks 0", "the fork"])


@cases(("vfork", "vfork()"), ("clone with CLONE_VM and CLONE_VFORK", "vm()"))
def a_child_that_shares_the_memory_records(word, how):
    """Whatever becomes of its events, those of the parent are not hurt."""
    ran("""static struct sl_site s = SL_SITE("s", 0); extern int clone(int (*)(void *), void *, int, void *, ...);
    static int other(void *p) { for (int i = 0; i < 1000; i++) { SPANLOOM_SPAN("child"); } _exit(0); return p != 0; }
    static inline int vm(void) { static char st[1 << 18]; return clone(other, st + sizeof st, 0x100 | 0x4000 | SIGCHLD, 0); }
    int main(void) { SPANLOOM_SPAN("main"); for (int i = 0; i < 100; i++) { sl_begin(&s); sl_arg_int("i", i); sl_end(&s); }
        pid_t p = %s; if (!p) other(0); waitpid(p, 0, 0); for (int i = 100; i < 5000; i++) { sl_begin(&s); sl_arg_int("i", i); sl_end(&s); } return 0; }""" % how, spanloom="buffer-size=16K")
    found = [load(f) for f in files()] + [exported(f) for f in files("*.slt")]
    equal([s.args["i"] for t in found for s in t.spans("s")], list(range(5000)))
    equal(len([s for t in found for s in t.spans("main")]), 1)


@test
def fork_in_a_signal_handler():
    r = ran("""static void h(int s) { (void)s; SPANLOOM_SPAN("handler"); pid_t p = fork(); if (!p) { { SPANLOOM_SPAN("child"); } _exit(0); } waitpid(p, 0, 0); }
        int main(void) { signal(SIGUSR1, h); SPANLOOM_SPAN("m"); for (int i = 0; i < 5; i++) { SPANLOOM_SPAN("raises"); raise(SIGUSR1); } return 0; }""")
    mine = [t for t in traces(n=6) if t.meta["pid"] == r.pid]
    equal(collections.Counter((s.name, s.depth) for s in mine[0].spans()), {("m", 0): 1, ("raises", 1): 5, ("handler", 2): 5})
    equal([[s.name for s in t.spans()] for t in traces() if t.meta["pid"] != r.pid], [["child"]] * 5)


@test
def fork_until_the_fifth_generation():
    ran("""static void go(int n) { SPANLOOM_SPAN("g"); sl_arg_int("n", n); if (n == 5) return; for (int i = 0; i < 2; i++) { pid_t p = fork(); if (!p) { go(n + 1); exit(0); } waitpid(p, 0, 0); } }
        int main(void) { go(0); return 0; }""")
    found = traces(n=63)
    equal(collections.Counter(s.args["n"] for t in found for s in t.spans()), {n: 2 ** n for n in range(6)})
    ids = {t.meta["span_id"] for t in found}
    equal(len(ids), 63)


@test
def exec_by_a_thread_while_others_record():
    exe = compiled('int main(void) { { SPANLOOM_SPAN("second"); } return 4; }')
    ran("""static struct sl_site s = SL_SITE("s", 0); static void *busy(void *p) { (void)p; for (;;) if (more()) { sl_begin(&s); sl_end(&s); for (volatile int k = 0; k < 3000; k++) ; } return 0; } static void *ex(void *p) { char **v = p; { SPANLOOM_SPAN("before"); } execv(v[1], v + 1); return 0; }
        int main(int n, char **v) { (void)n; pthread_t t; for (int i = 0; i < 3; i++) pthread_create(&t, 0, busy, 0); usleep(2000); pthread_create(&t, 0, ex, v); pause(); return 0; }""", exe, code=4)
    equal([s.name for s in traces(n=1)[0].spans()], ["second"])
    t, = [exported(f) for f in files("*.slt")]
    equal(len(t.spans("before")), 1)


@test
def facts_of_any_bytes():
    """The name of the program, its directory, its options and its job: all of it in the first event, and that is JSON."""
    folder = path("d\"ir\n\\é").encode() + b"\xff"
    os.makedirs(folder)
    exe = folder + b"/pr\"og\xfe"
    shutil.copy(compiled('int main(void) { { SPANLOOM_SPAN("m"); } return 0; }'), exe)
    env = {**os.environb, b"PERFFLOW_OPTIONS": b"name=n\"\xfd\n:log-dir=" + path("log").encode(), b"SLURM_JOB_ID": b"1\"\xfc", b"SLURM_STEP_ID": b"0", b"SLURM_PROCID": b"\"x", b"FLUX_JOB_ID": b"\xc6\x92\"\xfb"}
    equal(subprocess.call([exe], cwd=folder, env=env), 0)
    t = trace(path("log"))
    check(t.meta["name"].startswith('n"') and 'pr"og' in t.meta["program"] and '\\é' in t.meta["cwd"], t.meta)


if __name__ == "__main__":
    main()
