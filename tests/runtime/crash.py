#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing that was finished is lost, however the process ends, and the process does not notice that it is traced.

KILLS is the number of random kills (`make soak`: 10,000).
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

KILLS = int(os.environ.get("KILLS", 200))

# A timer's kill: who sends one from outside comes too late on a busy machine, when all is done.
KILLED_AFTER = r"""
static void killed_after(long ns)
{
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    timer_t t;
    if (ns && !timer_create(CLOCK_MONOTONIC, &e, &t)) timer_settime(t, 0, &(struct itimerspec){.it_value.tv_nsec = ns}, 0);
}
"""

# Threads that work, and say in a shared mapping how many events each has finished: after the event, before the next.
# They stop at `most`, which is there too: however slow the machine is, there is not more to read. With a fourth argument it
# is killed so many nanoseconds after the first event.
WORK = KILLED_AFTER + r"""
struct shared { unsigned long long done[64], most; };
static struct shared *shared;
static void told(int n, unsigned long long i) { __atomic_store_n(&shared->done[n], i, __ATOMIC_SEQ_CST); }
static long after;
static void *work(void *p)
{
    int n = (int)(long)p, kind = n % 4;
    char name[20]; snprintf(name, sizeof name, "work %d", n);
    struct sl_site *s = sl_site_of(name, "work");
    static struct sl_site outer = SL_SITE("outer", "work");
    sl_begin(&outer);
    for (unsigned long long i = 1;; i++) {
        while (i > __atomic_load_n(&shared->most, __ATOMIC_RELAXED)) usleep(1000);
        if (kind == 0) { sl_begin(s); sl_end(s); }
        if (kind == 1) { sl_begin(s); sl_arg_int("i", i); sl_end(s); }
        if (kind == 2) { sl_instant(s); sl_arg_string("s", "0123456789abcdef0123456789abcdef"); }
        if (kind == 3) sl_counter(s, i);
        told(n, i);
        if (i == 1) killed_after(__atomic_exchange_n(&after, 0, __ATOMIC_SEQ_CST));
        for (volatile int k = 0; k < PAUSE; k++) ;
    }
    return 0;
}
int main(int argc, char **argv)
{
    int f = open(argv[1], O_RDWR), n = atoi(argv[2]);
    shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    close(f);
    after = argc > 4 ? atol(argv[4]) : 0;
    for (long i = 1; i < n; i++) { pthread_t t; pthread_create(&t, 0, work, (void *)(i + atoi(argv[3]))); }
    work((void *)(long)atoi(argv[3]));
}
"""


def let(file, most):
    with open(file, "r+b" if os.path.exists(file) else "wb") as f:
        f.seek(512)
        f.write(most.to_bytes(8, "little"))


def done(file):
    with open(file, "rb") as f:
        return [int.from_bytes(f.read(8), "little") for _ in range(64)]


def kept(t, counts):
    """What was told as done is in the trace, in order, and of what came after there is at most the event that was being made."""
    ends, values, opened = collections.Counter(), {}, collections.Counter()
    open_ = {}
    for e in t.events:
        ph, name = e["ph"], e["name"]
        if ph == "B":
            open_.setdefault(e["tid"], []).append(e)
        elif ph == "E":
            b = open_[e["tid"]].pop()
            if b["name"] != name:
                raise AssertionError(f"{e} ends {b}")
            if e.get("args", {}).get("unfinished"):
                opened[name] += 1
            else:
                ends[name] += 1
                check(name != "outer", "outer is finished")
                if "args" in b:
                    values.setdefault(name, []).append(b["args"]["i"])
        elif ph in "iC":
            ends[name] += 1
            if ph == "C":
                values.setdefault(name, []).append(e["args"]["value"])
            elif "args" in e:
                equal(e["args"], {"s": "0123456789abcdef0123456789abcdef"}, "argument")
    check(not any(open_.values()), "B without E")
    for n, count in enumerate(counts):
        name = f"work {n}"
        check(count <= ends[name] <= count + 1, f"{name}: {count} were done, {ends[name]} are in the trace")
        check(opened[name] <= 1, f"{name}: {opened[name]} open")
        if name in values:
            got = [int(v) for v in values[name]]
            check(got == list(range(1, len(got) + 1)) and len(got) >= count, f"{name}: values {got[:3]} ... {got[-3:]}, {count} done")
    check(opened["outer"] >= sum(c > 0 for c in counts), f"{opened['outer']} outer spans are unfinished")
    equal(t.meta["lost"], 0, "lost")


def kill_once(random_, exe, folder, threads, kind, env, early):
    os.makedirs(folder)
    counts = f"{folder}/counts"
    let(counts, 1000)
    env = dict(env, PERFFLOW_OPTIONS=f"log-dir={folder}/log")
    after = random_.choice((1, random_.randrange(1, 300_000), random_.randrange(1, 1_200_000)))
    p = subprocess.Popen([exe, counts, str(threads), str(kind), *([] if early else [str(after)])], env=env, cwd=folder)
    try:
        time.sleep(random_.uniform(0, 0.03)) if early else p.wait(PATIENCE)
    finally:
        p.kill()
        p.wait()
    equal(p.returncode, -9, "exit status")
    told = done(counts)
    slts = files("*.slt", f"{folder}/log")
    if sum(told) == 0 and not slts:
        return 0
    equal(len(slts), 1, "traces")
    r = spanloom("export", "chrome", "-o", "-", slts[0], code=None, text=False)
    if r.code:
        check(sum(told) == 0, f"{sum(told)} events are lost: {r.err}")
        return 0
    kept(Trace(r.out), told)
    shutil.rmtree(folder)
    return sum(told)


def kills(part, of, threads, kind, spanloom_options="", early=False, link="so", pause=1000):
    exe = compiled(WORK.replace("PAUSE", str(pause)), link=link)
    env = bare_environment(SPANLOOM_OPTIONS=spanloom_options)
    random_, n, total = rng(), max(2, KILLS * part // of), 0
    for i in range(n):
        total += kill_once(random_, exe, path(str(i)), threads, kind if kind is not None else random_.randrange(4), env, early)
    note(f"{n} kills, {total} events done")
    check(early or total > n, "too little was done for this to mean something")


@test
def killed_at_random():
    kills(40, 100, 1, None)


@test
def killed_at_random_with_small_buffers():
    kills(20, 100, 1, None, "buffer-size=16K", pause=400)


@test
def killed_at_random_with_eight_threads():
    kills(15, 100, 8, 0, "buffer-size=16K", pause=3000)


@test
def killed_at_random_as_it_begins():
    kills(15, 100, 3, 0, early=True)


@test
def killed_at_random_with_the_static_library():
    kills(5, 100, 2, None, link="a")


@test
def killed_at_random_with_the_clock_of_the_system():
    kills(5, 100, 2, None, "clock=monotonic")


# ---- other ends

SOME = """
static struct sl_site a = SL_SITE("a", 0), b = SL_SITE("b", 0), c = SL_SITE("c", 0);
static void some(void) { SPANLOOM_INSTANT("first"); for (int i = 0; i < 1000; i++) { sl_begin(&a); sl_arg_int("i", i); sl_end(&a); } sl_begin(&b); sl_begin(&c); printf("out"); fflush(stdout); fprintf(stderr, "err"); }
"""


def some_are_there(t, unfinished=True):
    spans = t.spans()
    equal([s.args["i"] for s in spans if s.name == "a"], list(range(1000)))
    equal([(s.name, s.unfinished) for s in spans if s.name != "a"], [("b", unfinished), ("c", unfinished)])


@cases(("SIGSEGV", "*(volatile int *)0 = 1;", -11), ("SIGBUS", "raise(SIGBUS);", -7), ("SIGFPE", "raise(SIGFPE);", -8), ("abort", "abort();", -6), ("SIGTERM", "raise(SIGTERM);", -15), ("SIGKILL", "raise(SIGKILL);", -9),
       ("_exit", "_exit(5);", 5), ("exit_group", "syscall(SYS_exit_group, 6);", 6), ("quick_exit", "quick_exit(7);", 7), ("stack overflow", "extern int deep(volatile char *); deep(0);", -11))
def ends_by(word, how, code):
    r = ran(SOME + "int deep(volatile char *p) { volatile char b[4096]; b[0] = p ? p[0] : 0; return deep(b) + b[1]; }\nint main(void) { some(); %s return 0; }" % how, code=code, err="err", flags=("-w",))
    equal(r.out, "out")
    if files("*.pfw"):  # quick_exit may make it
        some_are_there(trace(), True)
    else:
        some_are_there(left())


@cases(("abort in a handler of it", "signal(SIGABRT, h);", "abort();", -6), ("exit in a handler of SIGSEGV", "signal(SIGSEGV, h);", "*(volatile int *)0 = 1;", 9))
def ends_by_a_handler(word, setup, how, code):
    ran(SOME + "static void h(int s) { SPANLOOM_SPAN(\"handler\"); if (s == SIGSEGV) exit(9); }\nint main(void) { %s some(); %s return 0; }" % (setup, how), code=code, err="err")
    t = left() if code < 0 else trace()
    equal([s.args["i"] for s in t.spans("a")], list(range(1000)))
    equal([(s.name, s.unfinished) for s in t.spans() if s.name in "bc"], [("b", True), ("c", True)])
    equal([s.unfinished for s in t.spans("handler")], [code > 0])


@test
def exec_in_mid_span():
    exe = compiled('int main(void) { { SPANLOOM_SPAN("second"); } puts("2"); return 4; }')
    r = ran(SOME + 'int main(int n, char **v) { (void)n; some(); execv(v[1], v + 1); return 1; }', exe, code=4, err="err")
    equal(r.out, "out2\n")
    one, = [exported(f) for f in files("*.slt")]
    some_are_there(one)
    two, = traces(n=1)
    equal([s.name for s in two.spans()], ["second"])
    equal((one.meta["pid"], two.meta["pid"]), (r.pid, r.pid), "pids: the name is free only when the trace was made")


@test
def exec_of_what_is_not_there_goes_on():
    ran(SOME + 'int main(void) { some(); execl("/nonexistent", "x", (char *)0); sl_end(&c); sl_end(&b); return 0; }', err="err")
    some_are_there(trace(), False)


@test
def exit_in_another_thread():
    r = ran(SOME + 'static void *t(void *p) { (void)p; SPANLOOM_SPAN("t"); exit(3); } int main(void) { some(); pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); return 0; }', code=3, err="err")
    t = trace()
    equal([(s.name, s.unfinished) for s in t.spans() if s.name != "a"], [("b", True), ("c", True), ("t", True)])


@test
def other_threads_at_exit():
    """They go on recording while main exits: what the file has is whole."""
    for i in range(6):
        ran("""static struct sl_site s = SL_SITE("s", 0); static volatile int going; static void *t(void *p) { (void)p; for (;;) if (more()) { sl_begin(&s); sl_arg_int("k", 1); sl_end(&s); going = 1; for (volatile int k = 0; k < 1000; k++) ; } return 0; }
            int main(void) { pthread_t p; for (int i = 0; i < 4; i++) pthread_create(&p, 0, t, 0); while (!going) usleep(3000); return 0; }""", cwd=os.makedirs(path(str(i))) or path(str(i)), spanloom="buffer-size=16K")
        check(len(trace(path(str(i))).spans()) > 0, "spans")


@test
def before_main_and_after_exit_began():
    ran("""__attribute__((constructor)) static void up(void) { SPANLOOM_SPAN("constructor"); }
        __attribute__((destructor)) static void down(void) { SPANLOOM_SPAN("destructor"); }
        static void at(void) { SPANLOOM_SPAN("atexit"); }
        int main(void) { atexit(at); SPANLOOM_SPAN("main"); return 0; }""")
    names = [s.name for s in trace().spans()]
    equal(names[:2], ["constructor", "main"])
    check("atexit" in names, names)
    check("destructor" in names, f"all functions may be called after exit() began: {names}")


@test
def objects_of_C_plus_plus_that_are_made_before_main_and_gone_after_it():
    ran("""struct X { ~X() { SPANLOOM_SPAN("gone"); } X() { SPANLOOM_SPAN("made"); } }; static X x; static thread_local X y; int main() { X *p = &y; SPANLOOM_SPAN("main"); return !p; }""", lang="cpp")
    names = [s.name for s in trace().spans()]
    equal(names, ["made", "made", "main", "gone", "gone"])


# ---- directories

@test
def log_dir_vanishes():
    """The whole tree goes while the process runs: it is made anew at exit."""
    ran(SOME + 'int main(void) { some(); if (system("rm -rf top")) return 1; for (int i = 0; i < 20000; i++) { sl_begin(&a); sl_end(&a); } sl_end(&c); sl_end(&b); return 0; }', options="log-dir=top/log", err="err")
    t = trace(path("top/log"))
    equal((len(t.spans("a")), t.meta["lost"]), (21_000, 0))


@test
def log_dir_vanishes_and_the_process_is_killed():
    ran(SOME + 'int main(void) { some(); if (system("rm -rf log")) return 1; for (int i = 0; i < 50000; i++) { sl_begin(&a); sl_end(&a); } raise(SIGKILL); return 0; }', options="log-dir=log", err="err", code=-9)
    equal(os.listdir(path()), [])


@test
def log_dir_vanishes_and_another_takes_its_name():
    ran(SOME + 'int main(void) { some(); if (system("mv log old; echo hello >log")) return 1; sl_end(&c); sl_end(&b); return 0; }', options="log-dir=log", err=None)
    equal(open(path("log")).read(), "hello\n", "a file that is not ours")
    equal(len(os.listdir(path("old"))), 1, "the trace is where it was")


@cases(("log-dir that may not be written", "log-dir=locked"), ("log-dir below what may not be written", "log-dir=locked/a/b"), ("log-dir that is a file", "log-dir=file"), ("log-dir below a file", "log-dir=file/a"), ("log-dir that does not exist", "log-dir=/proc/nothing"))
def a(what, options):
    os.mkdir(path("locked"), 0o555)
    write(path("file"), "text")
    exe = compiled(SOME + "int main(void) { some(); sl_end(&c); sl_end(&b); return 5; }")
    r = run(exe, options=options, before=without_rights, code=5, err=None)
    equal(r.out, "out")
    lines = re.sub("err$", "", r.err).splitlines()
    equal(len(lines), 1, f"lines on standard error: {r.err!r}")
    check(lines[0].startswith("spanloom") and options.split("=")[1].split("/")[0] in lines[0], r.err)
    equal((os.listdir(path("locked")), open(path("file")).read()), ([], "text"))


@test
def no_line_about_the_directory_where_nothing_is_recorded():
    r = ran("int main(void) { return 0; }", options="log-dir=/proc/nothing")
    r = ran('int main(void) { SPANLOOM_SPAN("m"); return 0; }', options="log-dir=/proc/nothing:log-enable=False")


@test
def relative_log_dir_is_where_the_process_began():
    os.mkdir(path("else"))
    ran(SOME + 'int main(void) { if (chdir("else")) return 1; some(); if (chdir("/")) return 1; sl_end(&c); sl_end(&b); return 0; }', options="log-dir=log", err="err")
    some_are_there(trace(path("log")), False)
    equal(os.listdir(path("else")), [])


@test
def the_trace_of_a_dead_process_is_not_overwritten_by_the_next():
    """The same name: a trace of which no .pfw was made stays, until who ends in order makes it."""
    opts = "log-filename-include=name"
    ran(SOME + "int main(void) { some(); _exit(0); }", options=opts, err="err")
    ran('int main(void) { { SPANLOOM_SPAN("next"); } _exit(0); }', options=opts)
    ran('int main(void) { { SPANLOOM_SPAN("third"); } return 0; }', options=opts)
    all_ = traces(n=3)
    some_are_there(next(t for t in all_ if t.spans("a")))
    names = [{s.name for s in t.spans()} for t in all_]
    check({"next"} in names and {"third"} in names, names)


# ---- while the .pfw is made

@cases("exit", "sl_trace_flush")
def killed_while_the_file_is_written(how):
    """Either the .pfw is whole, or there is none and the .slt has all."""
    exe = compiled(KILLED_AFTER + """static struct sl_site s = SL_SITE("s", 0); int main(int n, char **v) { for (int i = 0; i < 3000; i++) { sl_begin(&s); if (i %% 100 == 0) sl_arg_int("i", i); sl_end(&s); } killed_after(n > 1 ? atol(v[1]) : 0); %s return 0; }""" % ("sl_trace_flush(); pause();" if how == "sl_trace_flush" else ""))
    random_, seen = rng(), collections.Counter()
    for i in range(max(8, KILLS // 20)):
        folder = path(str(i))
        os.makedirs(folder)
        run(exe, random_.randrange(1, 2_000_000) if i else 1, cwd=folder, code=None)
        pfw, slt = files("*.pfw", folder), files("*.slt", folder)
        extra = [f for f in os.listdir(folder) if not f.endswith((".pfw", ".slt"))]
        seen[len(pfw), len(slt)] += 1
        check(pfw or slt, f"neither .pfw nor .slt: {os.listdir(folder)}")
        for t in [load(f) for f in pfw[:1]] + [exported(f) for f in slt]:
            spans = t.spans()
            equal((len(spans), [s.args["i"] for s in spans if s.args]), (3000, list(range(0, 3000, 100))), f"spans; {os.listdir(folder)}")
        check(len(extra) <= 1, f"left besides: {extra}")
        shutil.rmtree(folder)
    note(f"(.pfw, .slt): {dict(seen)}")
    check(seen[0, 1], "no kill came before the .pfw was whole")


@cases(("too long a name", "name=" + "n" * 250 + ":log-filename-include=name,hostname,name", True), ("a long name", "name=" + "n" * 200 + ":log-filename-include=name", False), ("a deep directory", "log-dir=" + "/".join(["d" * 100] * 20), False),
       ("too deep a directory", "log-dir=" + "/".join(["d" * 250] * 20), True), ("a name with spaces", "log-dir=with a space/and ü", False))
def directories_and_names(word, options, may_fail):
    r = ran('int main(void) { SPANLOOM_SPAN("m"); puts("done"); return 3; }', options=options, code=3, err=None)
    equal(r.out, "done\n")
    made = [f"{d}/{f}" for d, _, names in os.walk(path()) for f in names]
    if may_fail and not made:
        equal(r.err.count("\n"), 1, f"lines: {r.err[:300]!r}")
    else:
        equal((r.err.count("\n") <= may_fail, len(made)), (True, 1), r.err[:300])
        equal([s.name for s in load(made[0]).spans()], ["m"])


@test
def a_directory_of_work_that_is_gone():
    r = ran('int main(void) { char d[4096]; if (!getcwd(d, 4096) || mkdir("sub", 0700) || chdir("sub") || rmdir("../sub")) return 1; { SPANLOOM_SPAN("m"); } puts("done"); return 3; }', code=3, err=None)
    equal((r.out, r.err.count("\n") <= 1), ("done\n", True))
    equal([s.name for s in trace().spans()], ["m"])


@test
def begun_in_a_directory_that_is_gone():
    os.mkdir(path("sub"))
    exe = compiled('int main(void) { { SPANLOOM_SPAN("m"); } puts("done"); return 3; }')
    r = run("/bin/sh", "-c", 'rmdir ../sub && exec "$0"', exe, cwd=path("sub"), code=3, err=None)
    equal((r.out, r.err.count("\n") <= 1), ("done\n", True))
    r = run("/bin/sh", "-c", 'mkdir x && cd x && rmdir ../x && exec "$0"', exe, options=f"log-dir={path('log')}", code=3)
    equal([s.name for s in traces(path("log"), 1)[0].spans()], ["m"])


@cases("while it goes on", "and after a kill")
def exported_again_and_again_of_a_living_process(when):
    """Each time the JSON is valid, and what was done before is in it."""
    counts = path("counts")
    let(counts, 100)
    p = subprocess.Popen([compiled(WORK.replace("PAUSE", "100000")), counts, "8", "0"], cwd=path(), env=bare_environment(SPANLOOM_OPTIONS="buffer-size=16K"))
    try:
        until(lambda: all(done(counts)[:8]), "the first event of each")
        slt, = files("*.slt")
        for i in range(8):
            told = done(counts)
            let(counts, 150 * (i + 1))  # it goes on while we read, but not on and on
            t = exported(slt, rules=False)
            for n in (1, 5):
                i = [e["args"]["i"] for e in t.events if e["name"] == f"work {n}" and e["ph"] == "B" and "args" in e]
                check(i == list(range(1, len(i) + 1)), f"work {n}: missing {sorted(set(range(1, max(i, default=0))) - set(i))[:5]} ..., there are {len(i)}, the last is {max(i, default=0)}")
            ends = collections.Counter(e["name"] for e in t.events if e["ph"] in "EiC" and not e.get("args", {}).get("unfinished"))
            for n, count in enumerate(told):
                check(ends[f"work {n}"] >= count, f"work {n}: {count} were done, {ends[f'work {n}']} are in the trace")
            until(lambda: sum(done(counts)) > sum(told), "another event")
    finally:
        p.kill()
        p.wait()
    if when == "and after a kill":
        kept(exported(slt), done(counts))


if __name__ == "__main__":
    main()
