#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Threads that come and go, signal handlers, and every way out of a span."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

THREADS = r"""
static void *work(void *p) { char n[20]; snprintf(n, 20, "t%ld", (long)p); sl_thread_name(n); SPANLOOM_SPAN("thread"); sl_arg_int("n", (long)p); for (int i = 0; i < SPANS; i++) { SPANLOOM_SPAN("in"); } return 0; }
"""


@cases(*[(link, event) for link in ("so", "a") for event in ("verbose", "compact")])
def a_thousand_threads_that_come_and_go(link, event):
    ran(THREADS.replace("SPANS", "5") + "int main(void) { for (long i = 0; i < 1000; i++) { pthread_t t; if (pthread_create(&t, 0, work, (void *)i)) return 1; pthread_join(t, 0); } return 0; }", options=f"log-event={event}", link=link)
    t = trace()
    spans = t.spans()
    if event == "verbose":
        equal([s.args["n"] for s in spans if s.name == "thread"], list(range(1000)))
    equal(collections.Counter((s.name, s.depth) for s in spans), {("thread", 0): 1000, ("in", 1): 5000})
    equal(t.meta["lost"], 0)
    check(sum(os.path.getsize(f) for f in files()) < 3 << 20, "size")


@test
def each_thread_keeps_its_name():
    ran(THREADS.replace("SPANS", "1") + "int main(void) { pthread_t t[50]; for (long i = 0; i < 50; i++) pthread_create(t + i, 0, work, (void *)i); for (int i = 0; i < 50; i++) pthread_join(t[i], 0); return 0; }")
    t = trace()
    names = {e["tid"]: e["args"]["name"] for e in t.all if e["ph"] == "M" and e["name"] == "thread_name"}
    if len({s.tid for s in t.spans("thread")}) == 50:  # the kernel gives tids again only much later
        equal({s.tid: f"t{s.args['n']}" for s in t.spans("thread")}, names)


@test
def two_hundred_threads_at_once():
    ran(THREADS.replace("SPANS", "100") + "int main(void) { static pthread_t t[200]; for (long i = 0; i < 200; i++) if (pthread_create(t + i, 0, work, (void *)i)) return 1; for (int i = 0; i < 200; i++) pthread_join(t[i], 0); return 0; }")
    t = trace()
    equal(sorted(s.args["n"] for s in t.spans("thread")), list(range(200)))
    equal(collections.Counter(collections.Counter(s.tid for s in t.spans("in")).values()), {100: 200})


@test
def a_thousand_threads_do_not_fill_the_disk_or_the_memory():
    r = ran(THREADS.replace("SPANS", "1") + r"""
        int main(void) { long most = 0; for (long i = 0; i < 3000; i++) { pthread_t t; pthread_create(&t, 0, work, (void *)i); pthread_join(t, 0); }
        char b[4096]; int f = open("/proc/self/statm", O_RDONLY); ssize_t n = read(f, b, 4095); b[n] = 0; long v, r; sscanf(b, "%ld %ld", &v, &r); printf("%ld ", r * 4); fflush(stdout); (void)most; int rc = system("du -k *.slt"); _exit(rc); }""")
    rss, disk = r.out.split()[:2]
    check(int(rss) < 40_000, f"{rss} KiB of memory")
    check(int(disk) < 30_000, f"{disk} KiB on disk")
    equal(len(left().spans("thread")), 3000)


@test
def detached_threads_and_small_stacks():
    ran(THREADS.replace("SPANS", "5") + "int main(void) { pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setstacksize(&a, 16384); pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED); for (long i = 0; i < 100; i++) { pthread_t t; if (pthread_create(&t, &a, work, (void *)i)) return 1; } pthread_exit(0); }")
    equal(sorted(s.args["n"] for s in trace().spans("thread")), list(range(100)))


@test
def in_destructors_of_thread_specific_data():
    ran("""static pthread_key_t k; static void gone(void *p) { SPANLOOM_SPAN("destructor"); static __thread int again; if (again++ < 3) pthread_setspecific(k, p); }
        static void *t(void *p) { pthread_setspecific(k, &k); SPANLOOM_SPAN("t"); return p; }
        int main(void) { pthread_key_create(&k, gone); for (int i = 0; i < 10; i++) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); } return 0; }""")
    equal(collections.Counter(s.name for s in trace().spans()), {"t": 10, "destructor": 40})


# ---- ways out of a span

@cases("c", "cpp")
def pthread_exit(lang):
    ran("""static void deeper(void) { SPANLOOM_SPAN("deep"); usleep(1000); pthread_exit(0); }
        static void *t(void *p) { (void)p; SPANLOOM_SPAN("t"); deeper(); return 0; }
        int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); usleep(20000); return 0; }""", lang=lang)
    spans = trace().spans()
    equal([(s.name, s.unfinished) for s in spans], [("t", False), ("deep", False)])
    check(all(s.end - s.begin < 19_000_000_000 for s in spans) and spans[0].end >= spans[1].end, spans)


@cases("c", "cpp")
def pthread_cancel(lang):
    ran("""static volatile int in; static void *t(void *p) { (void)p; SPANLOOM_SPAN("t"); { SPANLOOM_SPAN("sleeping"); in = 1; for (;;) pause(); } return 0; }
        int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); while (!in) usleep(100); pthread_cancel(p); pthread_join(p, 0); { SPANLOOM_SPAN("then"); } return 0; }""", lang=lang)
    spans = trace().spans()
    equal([(s.name, s.unfinished) for s in spans], [("t", False), ("sleeping", False), ("then", False)])
    check(spans[0].end <= spans[2].begin, "ended where the thread did")


@test
def spans_of_a_thread_end_with_it():
    """Without a block: nothing ends them but the end of the thread."""
    ran("""static struct sl_site a = SL_SITE("a", 0), b = SL_SITE("b", 0); static void *t(void *p) { sl_begin(&a); sl_begin(&b); usleep(1000); return p; }
        int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); SPANLOOM_SPAN("then"); usleep(1000); return 0; }""")
    a, b, then = trace().spans()
    check(a.name == "a" and b.name == "b" and a.end >= b.end >= b.begin + 1_000_000, (a, b))
    check(a.end <= then.begin, "ended where the thread did")


@test
def exceptions():
    ran("""static void thrower(int n) { SPANLOOM_SPAN("thrower"); sl_arg_int("n", n); if (!n) throw 5; thrower(n - 1); }
        int main() { for (int i = 0; i < 100; i++) { SPANLOOM_SPAN("loop"); try { SPANLOOM_SPAN("try"); thrower(3); } catch (int) { SPANLOOM_SPAN("catch"); } }
            for (int i = 0; i < 10; i++) { SPANLOOM_SPAN("for"); if (i % 2) continue; if (i == 8) break; } goto out; { SPANLOOM_SPAN("never"); } out: return 0; }""", lang="cpp", flags=("-fpermissive", "-w"))
    t = trace()
    equal(collections.Counter((s.name, s.depth) for s in t.spans()), {("loop", 0): 100, ("try", 1): 100, ("catch", 1): 100, ("for", 0): 9, **{("thrower", 2 + i): 100 for i in range(4)}})
    equal({s.unfinished for s in t.spans()}, {False})


@test
def return_goto_break_and_continue():
    ran("""static int f(int n) { SPANLOOM_FUNCTION(); for (int i = 0; i < 10; i++) { SPANLOOM_SPAN("i"); if (i < 3) continue; if (n && i > 6) goto out; if (!n && i > 4) return 1; { SPANLOOM_SPAN("inner"); if (i == 5) break; } } out:; return 0; }
        int main(void) { f(0); f(1); return 0; }""")
    equal(collections.Counter((s.name, s.depth) for s in trace().spans()), {("f", 0): 2, ("i", 1): 12, ("inner", 2): 5})


@cases("longjmp", "siglongjmp", "__builtin_longjmp")
def out_by(how):
    buf, jmp = {"longjmp": ("jmp_buf b", ("setjmp(b)", "longjmp(b, 1)")), "siglongjmp": ("sigjmp_buf b", ("sigsetjmp(b, 1)", "siglongjmp(b, 1)")),
                "__builtin_longjmp": ("void *b[5]", ("__builtin_setjmp(b)", "__builtin_longjmp(b, 1)"))}[how]
    ran("""static %s; static struct sl_site outer = SL_SITE("outer", 0);
        __attribute__((noinline)) static void down(int n) { SPANLOOM_SPAN("down"); if (n) down(n - 1); else { usleep(100); %s; } }
        int main(void) { for (volatile int i = 0; i < 50; i++) { sl_begin(&outer); if (!%s) down(3); sl_end(&outer); } { SPANLOOM_SPAN("then"); } return 0; }""" % (buf, jmp[1], jmp[0]))
    spans = trace().spans()
    # Seen about once in 40 runs: the first two begins in the other order. Why is not known; only where no nanosecond lies
    # between them it is let pass, twice at most.
    tied = sum((a.name, a.depth, b.name, b.depth) == ("down", 0, "outer", 1) and abs(b.begin - a.begin) <= 1 for a, b in zip(spans, spans[1:]))
    check(tied <= 2, f"{tied} begins in the wrong order")
    want = collections.Counter({("outer", 0): 50 - tied, ("outer", 1): tied, ("down", 0): tied, ("down", 1): 50 - tied, **{("down", d): 50 for d in range(2, 5)}, ("then", 0): 1})
    equal(+collections.Counter((s.name, s.depth) for s in spans), +want)
    check(all(s.end <= spans[-1].begin for s in spans[:-1]), "order")


@test
def siglongjmp_out_of_a_handler_in_the_middle_of_anything():
    """A timer's signal leaves whatever is being done, the runtime itself too, a thousand times."""
    r = ran("""static sigjmp_buf b; static volatile sig_atomic_t n; static struct sl_site outer = SL_SITE("outer", 0), in = SL_SITE("in", 0);
        static void h(int s) { SPANLOOM_INSTANT("tick"); n++; (void)s; siglongjmp(b, 1); }
        int main(void) { signal(SIGALRM, h); struct itimerval t = {{0, 1000}, {0, 1000}}; sl_begin(&outer); sl_end(&outer); if (!sigsetjmp(b, 1)) setitimer(ITIMER_REAL, &t, 0);
            while (n < 150) { sl_begin(&outer); if (!sigsetjmp(b, 1)) for (int i = 0;; i++) { sl_begin(&in); if (i % 64 == 0) sl_arg_string("s", "text"); sl_end(&in); for (volatile int k = 0; k < 10000; k++) ; } sl_end(&outer); }
            struct itimerval z = {{0, 0}, {0, 0}}; setitimer(ITIMER_REAL, &z, 0); { SPANLOOM_SPAN("last"); } return 0; }""", spanloom="buffer-size=16K")
    t = trace()
    equal([s.name for s in t.spans()][-1], "last")
    ticks = len(t.of("i", "tick"))
    check(ticks >= 148, f"{ticks} ticks of 150")
    # A signal between one outer span and the next leaves to the end of the one before: then there is one less.
    check(130 <= len(t.spans("outer")) <= 155, f"{len(t.spans('outer'))} outer spans of about 150")


# ---- signal handlers

@cases(("one thread", 1), ("three threads", 3))
def a_handler_with_spans_at_1_kHz(word, n):
    r = ran(r"""
    static struct sl_site busy = SL_SITE("busy", 0), in = SL_SITE("in handler", 0); static volatile int count, stop; static volatile long long work[8];
    static void h(int s) { int e = errno; sl_begin(&in); sl_arg_int("sig", s); { SPANLOOM_SPAN("deeper"); SPANLOOM_COUNTER("c", 1); } sl_end(&in); if (errno != e) abort(); __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST); }
    static void *loop(void *p) { int n = (int)(long)p; while (!stop) { sl_begin(&busy); sl_arg_int("i", work[n]); sl_end(&busy); work[n]++; for (volatile int k = 0; k < 20000; k++) ; } return 0; }
    int main(int argc, char **v) { int n = atoi(v[1]); (void)argc; struct sigaction a = {.sa_handler = h, .sa_flags = SA_RESTART}; sigaction(SIGALRM, &a, 0); sigaction(SIGVTALRM, &a, 0);
        struct itimerval t = {{0, 1000}, {0, 1000}}; setitimer(ITIMER_REAL, &t, 0); setitimer(ITIMER_VIRTUAL, &t, 0);
        pthread_t p[8]; for (long i = 1; i < n; i++) pthread_create(p + i, 0, loop, (void *)i);
        long long end = now_ns() + 600000000; while (now_ns() < end && (count < 200)) { sl_begin(&busy); sl_arg_int("i", work[0]); sl_end(&busy); work[0]++; for (volatile int k = 0; k < 20000; k++) ; }
        stop = 1; for (int i = 1; i < n; i++) pthread_join(p[i], 0);
        struct itimerval z = {{0, 0}, {0, 0}}; setitimer(ITIMER_REAL, &z, 0); setitimer(ITIMER_VIRTUAL, &z, 0); long long all = 0; for (int i = 0; i < 8; i++) all += work[i]; printf("%d %lld", count, all); return 0; }""", n, spanloom="buffer-size=16K")
    count, work = map(int, r.out.split())
    t = trace()
    spans = t.spans()
    per = collections.Counter(s.name for s in spans)
    equal((per["busy"], per["in handler"], per["deeper"], len(t.of("C"))), (work, count, count, count), "spans")
    check(count > 20, f"only {count} signals")
    check(all(s.args.get("sig") in (14, 26) for s in spans if s.name == "in handler"), "arguments of the handler's span")
    for tid in {s.tid for s in spans}:
        got = [s.args.get("i") for s in spans if s.name == "busy" and s.tid == tid]
        if got:
            equal(got, list(range(len(got))), "arguments of the span that was interrupted")


@test
def a_handler_before_the_first_event_of_the_thread():
    ran(r"""static volatile int n; static void h(int s) { (void)s; SPANLOOM_SPAN("handler"); n++; } static void *t(void *p) { pthread_kill(pthread_self(), SIGUSR1); return p; }
        int main(void) { signal(SIGUSR1, h); raise(SIGUSR1); for (int i = 0; i < 50; i++) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); } return n != 51; }""")
    equal(collections.Counter(s.name for s in trace().spans()), {"handler": 51})


@test
def a_handler_on_an_alternative_stack():
    ran(r"""static void h(int s) { (void)s; SPANLOOM_SPAN("handler"); sl_arg_string("k", "v"); }
        int main(void) { static char st[16384]; stack_t a = {.ss_sp = st, .ss_size = sizeof st}; sigaltstack(&a, 0); struct sigaction x = {.sa_handler = h, .sa_flags = SA_ONSTACK}; sigaction(SIGUSR1, &x, 0); SPANLOOM_SPAN("m"); for (int i = 0; i < 10; i++) raise(SIGUSR1); return 0; }""")
    equal(collections.Counter((s.name, s.depth) for s in trace().spans()), {("m", 0): 1, ("handler", 1): 10})


@test
def names_made_in_a_handler_while_names_are_made():
    """sl_site_of in both: no deadlock, no name twice."""
    r = ran(r"""static volatile int n; static void h(int s) { (void)s; char b[30]; snprintf(b, 30, "name%d", n++ % 500); struct sl_site *x = sl_site_of(b, "c"); if (x != sl_site_of(b, "c")) abort(); sl_begin(x); sl_end(x); }
        int main(void) { alarm(600); signal(SIGVTALRM, h); struct itimerval t = {{0, 1000}, {0, 1000}}; setitimer(ITIMER_VIRTUAL, &t, 0); long long end = now_ns() + 10000000000LL; int i; for (i = 0; (n < 30 && now_ns() < end) || i < 3000; i++) { char b[30]; snprintf(b, 30, "name%d", i % 3000); struct sl_site *x = sl_site_of(b, "c"); if (strcmp(x->name, b)) abort(); if (i < 3000) { sl_begin(x); sl_end(x); } }
            t.it_value.tv_usec = t.it_interval.tv_usec = 0; setitimer(ITIMER_VIRTUAL, &t, 0); printf("%d", n); return 0; }""")
    equal(len(trace().spans()), 3000 + int(r.out))


@test
def sites_are_found_from_many_threads():
    r = ran(r"""static struct sl_site *got[8][2000]; static pthread_barrier_t b;
        static void *t(void *p) { long n = (long)p; pthread_barrier_wait(&b); for (int i = 0; i < 2000; i++) { char x[30]; int k = (i * 7 + (int)n * 13) % 2000; snprintf(x, 30, "s%d", k); got[n][k] = sl_site_of(x, n % 2 ? "" : ""); } return 0; }
        int main(void) { pthread_barrier_init(&b, 0, 8); pthread_t p[8]; for (long i = 0; i < 8; i++) pthread_create(p + i, 0, t, (void *)i); for (int i = 0; i < 8; i++) pthread_join(p[i], 0);
            for (int k = 0; k < 2000; k++) for (int i = 1; i < 8; i++) if (got[i][k] != got[0][k]) { printf("%d differs\n", k); return 1; } return 0; }""")


@test
def ids_are_never_given_twice():
    ran(r"""static uint64_t id[4][20000]; static void *t(void *p) { uint64_t *x = p; for (int i = 0; i < 20000; i++) x[i] = sl_new_id(); return 0; } static int cmp(const void *a, const void *b) { uint64_t x = *(uint64_t *)a, y = *(uint64_t *)b; return x < y ? -1 : x > y; }
        int main(void) { pthread_t p[4]; for (int i = 0; i < 4; i++) pthread_create(p + i, 0, t, id[i]); for (int i = 0; i < 4; i++) pthread_join(p[i], 0); qsort(id, 80000, 8, cmp); uint64_t *a = id[0]; if (!a[0]) return 1; for (int i = 1; i < 80000; i++) if (a[i] == a[i - 1]) return 2; return 0; }""")


@test
def one_site_first_used_by_many_threads_at_once():
    ran(r"""static struct sl_site s[200]; static char names[200][20]; static pthread_barrier_t b;
        static void *t(void *p) { for (int i = 0; i < 200; i++) { pthread_barrier_wait(&b); sl_begin(s + i); sl_end(s + i); } return p; }
        int main(void) { for (int i = 0; i < 200; i++) { snprintf(names[i], 20, "site%d", i); s[i].name = names[i]; s[i].category = "c"; } pthread_barrier_init(&b, 0, 4); pthread_t p[4]; for (int i = 0; i < 4; i++) pthread_create(p + i, 0, t, 0); for (int i = 0; i < 4; i++) pthread_join(p[i], 0); return 0; }""")
    equal(collections.Counter(s.name for s in trace().spans()), {f"site{i}": 4 for i in range(200)})


@test
def enabled_and_disabled_by_one_thread_while_others_record():
    ran(r"""static volatile int stop; static struct sl_site s = SL_SITE("s", 0), u = SL_SITE("u", 0); static void *t(void *p) { while (!stop) if (more()) { sl_begin(&s); sl_begin(&u); sl_end(&u); sl_end(&s); for (volatile int k = 0; k < 2000; k++) ; } return p; }
        int main(void) { pthread_t p[3]; for (int i = 0; i < 3; i++) pthread_create(p + i, 0, t, 0); for (int i = 0; i < 300; i++) { sl_trace_enable(i & 1); usleep(100); } sl_trace_enable(1); usleep(1000); stop = 1; for (int i = 0; i < 3; i++) pthread_join(p[i], 0); return 0; }""")
    check(len(trace().spans()) > 100, "spans")


@test
def flushed_by_one_thread_while_others_record():
    ran(r"""static volatile int stop; static struct sl_site s = SL_SITE("s", 0); static void *t(void *p) { for (int i = 0; !stop; i++) if (more()) { sl_begin(&s); sl_arg_int("i", i); sl_end(&s); for (volatile int k = 0; k < 100000; k++) ; } return p; }
        int main(void) { sl_begin(&s); sl_arg_int("i", 0); sl_end(&s); pthread_t p[3]; for (int i = 0; i < 3; i++) pthread_create(p + i, 0, t, 0); for (int i = 0; i < 10; i++) { if (sl_trace_flush()) return 1; char n[90]; snprintf(n, 90, "cp *.pfw flushed%d.json", i); if (system(n)) return 2; } stop = 1; for (int i = 0; i < 3; i++) pthread_join(p[i], 0); return 0; }""", spanloom="buffer-size=16K")
    whole = {}
    for s in trace().spans():
        whole.setdefault(s.tid, []).append(s.args["i"])
    equal(list(whole.values()), [list(range(len(v))) for v in whole.values()])
    for f in files("flushed*.json"):
        load(f).spans()


if __name__ == "__main__":
    main()
