#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PerfFlowAspect's documented examples and the facts of its own test suite, and each of its faults as absent.

The programs call what its compiler plugin would have put into them.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

WOVEN = """
#define BEFORE(f) perfflow_weave_before(0, "/src/smoketest.cpp", f, "", "NA", "around")
#define AFTER(f) perfflow_weave_after(0, "/src/smoketest.cpp", f, "", "NA", "around")
"""
SMOKE = WOVEN + """
static void bas(void) { BEFORE("bas"); printf("bas\\n"); AFTER("bas"); }
static void bar(void) { BEFORE("bar"); printf("bar\\n"); usleep(1000); bas(); AFTER("bar"); }
static int foo(const char *msg) { BEFORE("foo"); printf("foo\\n"); usleep(1000); bar(); int r = !strcmp(msg, "hello"); AFTER("foo"); return r; }
int main(void) { printf("Inside main\\n"); for (int i = 0; i < 4; i++) foo("hello"); return 0; }
"""
OUTPUT = "Inside main\n" + "foo\nbar\nbas\n" * 4


def smoke(**more):
    r = ran(SMOKE, **more)
    equal(r.out, OUTPUT, "output")
    return r


def sha8(text):
    return hashlib.sha1(text.encode()).hexdigest()[:8]


# ---- examples

@test
def smoketest_gives_its_24_events_in_the_documented_order():
    r = smoke()
    t = trace()
    equal(t.names("BEXC"), ["foo B", "bar B", "bas B", "bas E", "bar E", "foo E"] * 4)
    equal(len(t.events), 24, "events")
    for e in t.events:
        equal((e["cat"], e["pid"], e["tid"]), ("/src/smoketest.cpp", r.pid, r.pid), "category, pid, tid")
        check(set(e) == {"name", "cat", "pid", "tid", "ts", "ph"}, f"keys of {e}")
    for s in t.spans("bar"):
        check(1_000_000 <= s.end - s.begin, f"{s} is shorter than its sleep")


@test
def the_file_is_named_by_host_and_pid():
    r = smoke()
    equal(os.listdir(path()), [f"perfflow.array.{HOST}.{r.pid}.pfw"])


@test
def compact_gives_an_X_for_each_call_where_it_ends():
    smoke(options="log-event=Compact")
    t = trace()
    equal(t.names("BEXC"), ["bas X", "bar X", "foo X"] * 4)
    for bas, bar, foo in zip(t.events[::3], t.events[1::3], t.events[2::3]):
        check(foo["ts"] <= bar["ts"] <= bas["ts"], "order of begins")
        check(bas["ts"] + bas["dur"] <= bar["ts"] + bar["dur"] <= foo["ts"] + foo["dur"], "order of ends")
        check(1000 <= bar["dur"] < 30_000_000 and 2000 <= foo["dur"], f"lengths {bar['dur']} {foo['dur']}")


@test
def compact_with_cpu_mem_usage_has_two_C_before_each_X():
    smoke(options="log-event=Compact:cpu-mem-usage=True")
    t = trace()
    equal(t.names("BEXC"), ["bas C", "bas C", "bas X", "bar C", "bar C", "bar X", "foo C", "foo C", "foo X"] * 4)
    for one, two, x in zip(t.events[::3], t.events[1::3], t.events[2::3]):
        equal((one["ts"], two["ts"]), (x["ts"], x["ts"] + x["dur"]), "times of the C events")
        equal(two["args"], {"cpu_usage": 0, "memory_usage": 0}, "the second C")
        equal(set(one["args"]), {"cpu_usage", "memory_usage"}, "the first C")
        check(0 <= one["args"]["cpu_usage"] <= 130, f"cpu_usage {one['args']}")
        check(isinstance(one["args"]["memory_usage"], int) and 500 < one["args"]["memory_usage"] < 200_000, f"memory_usage {one['args']}")


@test
def verbose_with_cpu_mem_usage_has_C_events_of_both_ends():
    smoke(options="cpu-mem-usage=true")
    t = trace()
    equal(t.names("BE"), ["foo B", "bar B", "bas B", "bas E", "bar E", "foo E"] * 4)
    for s in t.spans():
        at = {ns(c["ts"]): c["args"] for c in t.of("C", s.name)}
        check(s.begin in at and s.end in at, f"no C at the ends of {s}")
        equal(at[s.end], {"cpu_usage": 0, "memory_usage": 0}, "at the end")
        check(at[s.begin]["memory_usage"] > 500, f"at the begin {at[s.begin]}")


@test
def cpu_usage_is_of_the_own_thread_and_memory_usage_grows():
    ran(WOVEN + """
    static void *burn(void *stop) { while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) ; return 0; }
    static long long cpu(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
    int main(void)
    {
        int stop = 0; pthread_t t;
        pthread_create(&t, 0, burn, &stop);
        BEFORE("idle"); usleep(60000); AFTER("idle");
        stop = 1; pthread_join(t, 0);
        long long c = cpu(), w = now_ns();
        BEFORE("busy");
        char *p = malloc(100 << 20); memset(p, 1, 100 << 20);
        while (cpu() - c < 60000000) ;
        AFTER("busy");
        printf("%f %d", 100.0 * (cpu() - c) / (now_ns() - w), p[5]);
    }""", options="log-event=compact", spanloom="cpu-mem-usage=THREAD")
    t = trace()
    idle, busy = t.of("C", "idle")[0]["args"], t.of("C", "busy")[0]["args"]
    check(idle["cpu_usage"] < 25, f"a thread that slept beside a busy one: {idle}")
    check(busy["cpu_usage"] > 3 * idle["cpu_usage"] and busy["cpu_usage"] <= 110, f"a thread that was busy: {busy}, {idle}")
    check(busy["memory_usage"] >= 100 << 10 > idle["memory_usage"], f"KiB before and after 100 MiB more: {idle}, {busy}")


@cases(("around", 0), ("before", 1))
def threads_that_leave_by_pthread_exit(word, main_too):
    """smoketest_MT: the after is never called."""
    ran("""
    #define N 3
    static void *foo(void *id) { perfflow_weave_before(0, "mt.cpp", "foo", "", "NA", "around");
        printf("This is worker_thread() %ld \\n", (long)id); usleep(2000); pthread_exit(NULL); }
    int main(void) { pthread_t t[N + 1]; setvbuf(stdout, 0, _IONBF, 0);
        for (long id = 1; id <= N; id++) if (pthread_create(&t[id], NULL, &foo, (void *)id)) exit(1);
        pthread_exit(NULL); }""")
    spans = trace().spans()
    equal([s.name for s in spans], ["foo"] * 3)
    equal(len({s.tid for s in spans}), 3, "threads")
    check(all(s.end - s.begin >= 2_000_000 for s in spans), f"lengths {[s.end - s.begin for s in spans]}")


@cases(("verbose", ""), ("compact", "log-event=compact"))
def a_method_is_demangled_and_cut(word, options):
    ran("""
    int main() {
        const char *all[] = {"_ZN9SmokeTest3fooEv", "_Z3barIiEvT_", "_ZN1AC1Ei", "_Zbad", "plain"};
        for (const char *f : all) {
            perfflow_weave_before(0, "class.cpp", f, "", "NA", "around");
            perfflow_weave_after(0, "class.cpp", f, "", "NA", "around"); }
    }""", lang="cpp", options=options)
    equal([s.name for s in trace().spans()], ["SmokeTest::foo", "void bar<int>", "A::A", "_Zbad", "plain"])


@test
def an_operator_call_keeps_its_name():
    ran("""int main() { perfflow_weave_before(0, "m", "_ZN1AclEv", "", "NA", "around"); perfflow_weave_after(0, "m", "_ZN1AclEv", "", "NA", "around"); }""", lang="cpp")
    check(trace().spans()[0].name in ("A::operator()", "A::operator"), trace().spans())


@test
def NULL_for_any_argument():
    ran("""int main(void) {
        for (int i = 0; i < 64; i++) {
            const char *m = i & 1 ? 0 : "m", *f = i & 2 ? 0 : "f", *s = i & 4 ? 0 : "s", *w = i & 8 ? 0 : "NA", *p = i & 16 ? 0 : "around";
            perfflow_weave_before(i >> 5, m, f, s, w, p); perfflow_weave_after(i >> 5, m, f, s, w, p); }
        return 0; }""")
    t = trace()
    equal(len(t.spans()), 32, "spans")
    equal((len(t.of("b")), len(t.of("e"))), (32, 32), "asynchronous")


# ---- options, as its test suite has them

@test
def log_dir_is_created():
    smoke(options="log-dir=./logdir")
    equal(len(trace(path("logdir")).events), 24)
    equal(os.listdir(path()), ["logdir"])


@test
def log_dir_is_created_with_its_parents():
    smoke(options="log-dir=a/b/c/")
    equal(len(trace(path("a/b/c")).events), 24)


@test
def log_dir_may_exist_and_be_absolute():
    os.mkdir(path("here"))
    smoke(options=f"log-dir={path('here')}")
    equal(len(trace(path("here")).events), 24)


@cases(
    ("name", "name=mycomponent:log-filename-include=name", {}, "perfflow.array.mycomponent.pfw"),
    ("name by default", "log-filename-include=name", {}, "perfflow.array.generic.pfw"),
    ("instance", "log-filename-include=instance-path", {}, "perfflow.array.{356a192b}.pfw"),
    ("all", "log-filename-include=name,instance-path,hostname,pid", {}, "perfflow.array.generic.{356a192b}.HOST.PID.pfw"),
    ("all in another order", "log-filename-include=hostname,instance-path,pid,name", {}, "perfflow.array.HOST.{356a192b}.PID.generic.pfw"),
    ("pid alone", "log-filename-include=pid", {}, "perfflow.array.PID.pfw"),
    ("object", "log-format=Object", {}, "perfflow.object.HOST.PID.pfw"),
    ("Slurm", "log-filename-include=instance-path", {"SLURM_JOB_ID": "123456", "SLURM_STEP_ID": "1"}, "perfflow.array.{%s}.pfw" % sha8("123456.1")),
    ("LSF", "log-filename-include=instance-path", {"LSB_JOBID": "123456", "LS_JOBPID": "1"}, "perfflow.array.{%s}.pfw" % sha8("123456.1")),
    ("Slurm without its step", "log-filename-include=instance-path", {"SLURM_JOB_ID": "123456"}, "perfflow.array.{356a192b}.pfw"),
    ("Slurm step alone", "log-filename-include=instance-path", {"SLURM_STEP_ID": "1"}, "perfflow.array.{356a192b}.pfw"),
    ("LSF without its pid", "log-filename-include=instance-path", {"LSB_JOBID": "123456"}, "perfflow.array.{356a192b}.pfw"),
    ("LSF pid alone", "log-filename-include=instance-path", {"LS_JOBPID": "123456"}, "perfflow.array.{356a192b}.pfw"),
    ("Flux", "log-filename-include=instance-path", {"FLUX_JOB_ID": "123456"}, "perfflow.array.{123456}.pfw"),
    ("Flux f58", "log-filename-include=instance-path", {"FLUX_JOB_ID": "ƒeF9QZG3"}, "perfflow.array.{ƒeF9QZG3}.pfw"),
    ("Flux before Slurm", "log-filename-include=instance-path", {"FLUX_JOB_ID": "7", "SLURM_JOB_ID": "1", "SLURM_STEP_ID": "2"}, "perfflow.array.{7}.pfw"),
    ("Slurm before LSF", "log-filename-include=instance-path", {"SLURM_JOB_ID": "1", "SLURM_STEP_ID": "2", "LSB_JOBID": "3", "LS_JOBPID": "4"}, "perfflow.array.{%s}.pfw" % sha8("1.2")),
    ("Flux URI", "log-filename-include=instance-path", {"FLUX_URI": "local:///tmp/flux-yAB/local-0"}, "perfflow.array.{%s}.pfw" % sha8("/tmp/flux-yAB")),
    ("nested", "log-filename-include=instance-path", {"FLUX_JOB_ID": "123456", "PERFFLOW_INSTANCE_PATH": "fffffff.444444"}, "perfflow.array.{fffffff.444444.123456}.pfw"),
    ("nested in nothing else", "log-filename-include=instance-path", {"PERFFLOW_INSTANCE_PATH": "fffffff"}, "perfflow.array.{fffffff.356a192b}.pfw"),
)
def file_name(words, options, env, want):
    r = smoke(options=options, env=env)
    equal(os.listdir(path()), [want.replace("HOST", HOST).replace("PID", str(r.pid))])
    equal(len(trace().events), 24, "events")


@test
def a_slash_in_a_part_of_the_name_leads_nowhere_else():
    r = smoke(options="name=../up:log-dir=in:log-filename-include=name", err=None)
    check(r.err.count("\n") <= 1, r.err)
    equal(os.listdir(path()), ["in"], "what was made")
    equal(len(trace(path("in")).events), 24)


@cases(("after an event", "SPANLOOM_INSTANT(\"x\");"), ("before any event", "if (getppid() == 1) sl_trace_flush();"))
def the_instance_path_is_passed_on(word, first):
    r = ran("int main(void) { %s return system(\"echo $PERFFLOW_INSTANCE_PATH\"); }" % first, env={"FLUX_JOB_ID": "9", "PERFFLOW_INSTANCE_PATH": "8"})
    equal(r.out, "8.9\n")
    r = ran("int main(void) { %s return system(\"echo $PERFFLOW_INSTANCE_PATH\"); }" % first)
    equal(r.out, "356a192b\n")


@cases("False", "false", "FALSE")
def without_log_enable_there_is_no_file(word):
    smoke(options=f"log-enable={word}")
    equal(os.listdir(path()), [])


@cases("True", "true", "TRUE")
def with_log_enable_there_is_one(word):
    smoke(options=f"log-enable={word}:cpu-mem-usage={word}")
    equal((len(trace().of("BE")), len(trace().of("C"))), (24, 24))


@cases("Verbose", "verbose", "VERBOSE", "Compact", "compact", "COMPACT")
def log_event_is_written_any_way(word):
    smoke(options=f"log-event={word}")
    equal(len(trace().events), 24 if word[0] in "Vv" else 12)


@cases("Array", "array", "ARRAY", "Object", "object", "OBJECT")
def log_format_is_written_any_way(word):
    """Differs: log-format=Object."""
    r = smoke(options=f"log-format={word}")
    equal(os.listdir(path()), [f"perfflow.{word.lower()}.{HOST}.{r.pid}.pfw"])
    equal((trace().object, len(trace().events)), (word[0] in "Oo", 24))


@test
def what_log_close_False_leaves_is_closed_by_its_test_suite():
    r = smoke(options="name=a", spanloom="log-close=False:log-filename-include=name")
    with open(path("perfflow.array.a.pfw"), "a") as f:
        f.write(" {}]\n")
    with open(path("perfflow.array.a.pfw")) as f:
        events = json.load(f)
    equal(len(events), 25, "length")
    equal(sorted({str(e.get("name")) for e in events}), ["None", "bar", "bas", "foo"])


@test
def its_option_is_spelt_with_hyphens_as_documented():
    smoke(options="cpu-mem-usage=True:name=x:log-event=Verbose")
    equal(len(trace().of("C")), 24)


ILL = ["nothing", "=", "=x", "log-enable=maybe", "log-enable=", "cpu-mem-usage=2", "log-event=loud", "log-format=xml", "unknown=1",
       "log-filename-include=date", "log-filename-include=pid,,x"]


@cases(*[(w,) for w in ILL])
def one_line_about(option):
    """And the rest is honoured."""
    r = smoke(options=f"name=ok:{option}:log-dir=there", err=None)
    equal(r.err.count("\n"), 1, f"lines on standard error: {r.err!r}")
    check(r.err.endswith("\n") and "spanloom" in r.err, r.err)
    equal(os.listdir(path()), ["there"])
    equal((len(trace(path("there")).events), trace(path("there")).meta["name"]), (24, "ok"))


@cases("buffer-size=0", "buffer-size=1T", "buffer-size=x", "buffer-size=", "clock=sundial", "log-close=perhaps", "log-format=", "what=ever", "noequals", "caliper-enable=True")
def one_line_about_a_new_option(option):
    """Differs: caliper-enable."""
    r = smoke(options="name=ok", spanloom=f"{option}:log-dir=there", err=None)
    equal(r.err.count("\n"), 1, f"lines on standard error: {r.err!r}")
    equal((len(trace(path("there")).events), trace(path("there")).meta["name"]), (24, "ok"))


@cases(("empty", ""), ("colons", ":::"), ("a colon at the end", "name=a:"))
def nothing_to_complain_of(word, options):
    smoke(options=options)
    equal(len(trace().events), 24)


@test
def options_of_any_length():
    for text in ("name=" + "x" * 100_000, "x" * 100_000, ":" * 100_000, "log-filename-include=" + "pid," * 1000 + "pid"):
        r = ran(SMOKE, options=text, err=None)
        equal((r.out, r.err.count("\n") <= 1), (OUTPUT, True), text[:30])


@test
def the_later_of_two_wins_and_SPANLOOM_OPTIONS_is_later():
    smoke(options="name=a:name=b:log-event=compact", spanloom="name=c:log-event=verbose")
    equal((trace().meta["name"], len(trace().events)), ("c", 24))


# ---- faults that it has

TWO = WOVEN + """
static void rec(int n) { BEFORE("rec"); usleep(200); if (n) rec(n - 1); AFTER("rec"); }
static void *thread(void *p) { (void)p; for (int i = 0; i < 20; i++) rec(4); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, thread, 0); thread(0); pthread_join(t, 0); return 0; }
"""


@cases("verbose", "compact")
def recursion_in_two_threads(word):
    start = time.time_ns()
    ran(TWO, options=f"log-event={word}")
    spans = trace().spans()
    equal(len(spans), 200, "spans")
    for s in spans:
        check(start <= s.begin <= s.end <= time.time_ns(), f"{s}")
        check((5 - s.depth) * 200_000 <= s.end - s.begin < 30_000_000_000, f"length of {s}")
    equal(sorted(collections.Counter((s.tid, s.depth) for s in spans).values()), [20] * 10)


@cases("verbose", "compact")
def pointcuts_before_and_after(word):
    ran(WOVEN + """
    int main(void) {
        BEFORE("main"); usleep(1000);
        perfflow_weave_before(0, "m", "left", "", "NA", "before"); usleep(1000);
        perfflow_weave_after(0, "m", "came", "", "NA", "after"); usleep(1000);
        AFTER("main"); return 0; }""", options=f"log-event={word}")
    t = trace()
    check({"left", "came"} <= {e["name"] for e in t.events}, "both are in the trace")
    main = [e for e in t.events if e["name"] == "main"]
    length = ns(main[0]["dur"]) if word == "compact" else ns(main[1]["ts"]) - ns(main[0]["ts"])
    check(length >= 3_000_000, f"the length of main, {length}")


@cases("verbose", "compact")
def an_after_alone_ends_no_other_span(word):
    """Readers end the innermost B by an E, whatever its name (chrome://tracing does)."""
    ran(WOVEN + """
    int main(void) {
        BEFORE("main"); usleep(1000);
        perfflow_weave_after(0, "m", "came", "", "NA", "after"); usleep(1000);
        AFTER("main"); return 0; }""", options=f"log-event={word}")
    main = trace().spans("main")
    equal(len(main), 1, "main")
    check(main[0].end - main[0].begin >= 2_000_000, main)


@test
def around_async_has_b_and_e_of_one_id():
    ran("""
    static void *thread(void *p) { (void)p;
        for (int i = 0; i < 50; i++) {
            perfflow_weave_before(1, "m.c", "bar", "scope", "NA", "around_async"); usleep(100);
            perfflow_weave_before(1, "m.c", "bar", "scope", "NA", "around_async"); usleep(100);
            perfflow_weave_after(1, "m.c", "bar", "scope", "NA", "around_async");
            perfflow_weave_after(1, "m.c", "bar", "scope", "NA", "around_async"); }
        return 0; }
    int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(t + i, 0, thread, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }""")
    t = trace()
    open_, ids = {}, set()
    for e in sorted(t.of("be"), key=lambda e: (e["ts"], e["ph"] == "e")):
        equal((e["name"], e["cat"], e["scope"]), ("bar", "m.c", "scope"))
        if e["ph"] == "b":
            check(e["id"] not in ids, f"id {e['id']} twice")
            ids.add(e["id"])
            open_[e["id"]] = e
        else:
            b = open_.pop(e["id"], None)
            check(b is not None, f"e without b: {e}")
            equal(b["tid"], e["tid"], "thread")
            check(ns(e["ts"]) - ns(b["ts"]) >= 100_000, "length")
    equal((len(ids), open_), (300, {}))


@test
def flows_have_times_and_ids():
    start = time.time_ns()
    ran("""
    #define F(f, flow) perfflow_weave_before(0, "m", f, "", flow, "around"); usleep(200); perfflow_weave_after(0, "m", f, "", flow, "around");
    int main(void) { for (int i = 0; i < 3; i++) { F("source", "out") F("both", "inout") F("sink", "in") } F("turn", "outin") return 0; }""")
    end = time.time_ns()
    t = trace()
    flows = t.of("stf")
    for e in flows:
        check(start <= ns(e["ts"]) <= end, f"time of {e}")
        check(any(s.begin <= ns(e["ts"]) <= s.end and s.tid == e["tid"] for s in t.spans()), f"{e} lies in no span")
    ids = {}
    for e in sorted(flows, key=lambda e: e["ts"]):
        ids.setdefault(e["id"], []).append(e["ph"])
    check(len(ids) > 3, f"ids are told apart: {ids}")
    where = lambda e: next(s.name for s in t.spans() if s.begin <= ns(e["ts"]) <= s.end)
    check({where(e) for e in flows if e["ph"] == "s"} >= {"source", "both", "turn"}, "outs")
    check({where(e) for e in flows if e["ph"] == "f"} >= {"sink", "both", "turn"}, "ins")
    for n, phases in ids.items():
        equal(phases[0], "s", f"what the flow {n} begins with, of {phases}")


@test
def nothing_is_leaked_in_a_million_pairs():
    r = ran(WOVEN + """
    static long rss(void) { char b[4096]; int f = open("/proc/self/statm", O_RDONLY); long a = 0, r = 0; ssize_t n = read(f, b, 4095); close(f); b[n > 0 ? n : 0] = 0; sscanf(b, "%ld %ld", &a, &r); return r * 4; }
    int main(void) {
        for (int i = 0; i < 100000; i++) { BEFORE("foo"); AFTER("foo"); }
        long a = rss();
        for (int i = 0; i < 1000000; i++) { BEFORE("foo"); AFTER("foo"); }
        long b = rss();
        printf("%ld %ld\\n", b - a, b); fflush(stdout); _exit(0); }""", spanloom="log-format=binary")
    grown, peak = map(int, r.out.split())
    check(grown < 2000 and peak < 40_000, f"KiB more after a million pairs: {grown}; in all: {peak}")


@test
def a_forked_child_has_its_own_file_without_the_events_of_its_parent():
    r = ran(WOVEN + """
    int main(void) { BEFORE("parent"); AFTER("parent"); fflush(stdout);
        pid_t p = fork(); if (!p) { BEFORE("child"); AFTER("child"); exit(0); }
        waitpid(p, 0, 0); BEFORE("parent"); AFTER("parent"); printf("%d", p); return 0; }""")
    by_pid = {t.meta["pid"]: t for t in traces(n=2)}
    equal({p: [s.name for s in t.spans()] for p, t in by_pid.items()}, {r.pid: ["parent", "parent"], int(r.out): ["child"]})
    for p, t in by_pid.items():
        equal({e["pid"] for e in t.all}, {p}, "pids in a file")


@test
def names_that_are_no_UTF_8_are_kept():
    """Differs: names that are no UTF-8."""
    ran(WOVEN + r"""
    int main(void) { const char *n[] = {"caf\xe9", "\xff\xfe", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf", "gr\xc3\xbc\xc3\x9f", ""};
        for (int i = 0; i < 8; i++) { perfflow_weave_before(0, n[i], n[i], "", "NA", "around"); perfflow_weave_after(0, n[i], n[i], "", "NA", "around"); }
        return 0; }""")
    names = [s.name for s in trace().spans()]
    equal(len(names), 8, names)
    equal([names[0], names[1], names[6]], ["café", "ÿþ", "grüß"])
    equal(names[2], "Ã")
    equal(len(set(names)), 8, f"names that were made the same: {names}")


@test
def exit_inside_of_a_call_gives_its_end():
    """Differs: exit within calls."""
    ran(WOVEN + 'int main(void) { BEFORE("foo"); BEFORE("bar"); exit(3); }', code=3)
    spans = trace().spans()
    equal([(s.name, s.unfinished) for s in spans], [("foo", True), ("bar", True)])


@test
def a_second_run_replaces_the_file():
    for _ in range(2):
        smoke(options="log-filename-include=name")
    equal(len(trace().events), 24)
    equal(os.listdir(path()), ["perfflow.array.generic.pfw"])


@test
def of_two_at_once_with_one_name_both_are_kept():
    exe = compiled(SMOKE.replace("printf(\"Inside main\\n\");", "printf(\"Inside main\\n\"); BEFORE(\"x\"); AFTER(\"x\"); if (mkdir(\"one\", 0700)) mkdir(\"two\", 0700); while (access(\"two\", F_OK)) usleep(1000);"))
    env = bare_environment(PERFFLOW_OPTIONS="log-filename-include=name")
    both = [subprocess.Popen([exe], cwd=path(), env=env, stdout=subprocess.DEVNULL) for _ in range(2)]
    equal([p.wait(PATIENCE) for p in both], [0, 0])
    equal([len(t.events) for t in traces(n=2)], [26, 26])


@cases("16K", "64K", "1M", "64M", "16k", "65536")
def buffer_size(size):
    smoke(spanloom=f"buffer-size={size}")
    equal(len(trace().events), 24)


@cases("15K", "65M", "-1", "1.5M", "K")
def buffer_size_that_is_none(size):
    r = smoke(spanloom=f"buffer-size={size}", err=None)
    equal((r.err.count("\n"), len(trace().events)), (1, 24))


@test
def several_ill_formed_options_have_a_line_each():
    r = smoke(options="nothing:log-enable=maybe:name=ok", spanloom="buffer-size=x:what=ever", err=None)
    equal((r.err.count("\n"), len(trace().events), trace().meta["name"]), (4, 24, "ok"))
    for word in ("nothing", "maybe", "buffer-size", "what"):
        check(word in r.err, f"{word} in {r.err}")


@test
def the_line_about_an_option_comes_once_though_there_are_children():
    r = ran("""int main(void) { { SPANLOOM_SPAN("m"); } for (int i = 0; i < 3; i++) { pid_t p = fork(); if (!p) { { SPANLOOM_SPAN("c"); } exit(0); } waitpid(p, 0, 0); } return 0; }""", options="nothing", err=None)
    equal(r.err.count("\n"), 1, r.err)


@test
def the_scope_and_the_flow_of_asynchronous_calls():
    ran("""int main(void) { perfflow_weave_before(1, "m", "a", "sc1", "out", "around_async"); perfflow_weave_before(1, "m", "a", "sc2", "NA", "around_async");
        perfflow_weave_after(1, "m", "a", "sc1", "NA", "around_async"); perfflow_weave_after(1, "m", "a", "sc2", "NA", "around_async");
        perfflow_weave_before(1, "m", "left", "s", "NA", "before_async"); perfflow_weave_after(1, "m", "came", "s", "NA", "after_async"); return 0; }""")
    t = trace()
    ids = {}
    for e in t.of("be", "a"):
        ids.setdefault(e["scope"], []).append((e["ph"], e["id"]))
    equal({k: [p for p, _ in v] for k, v in ids.items()}, {"sc1": ["b", "e"], "sc2": ["b", "e"]})
    for v in ids.values():
        equal(v[0][1], v[1][1], "id of both ends")
    check({"left", "came"} <= {e["name"] for e in t.events}, t.names("benBEi"))


BUSY = WOVEN + """
static volatile int stop;
static void *busy(void *p) { (void)p; while (!stop) ; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, busy, 0); BEFORE("waits"); usleep(300000); AFTER("waits"); stop = 1; pthread_join(t, 0); return 0; }
"""


@cases("process", "thread")
def usage_is_of_the(whose):
    """As PerfFlowAspect has it of the process, whichever of its threads it is that works."""
    ran(BUSY, **{"process": {"options": "cpu-mem-usage=True"}, "thread": {"spanloom": "cpu-mem-usage=Thread"}}[whose])
    used = max(c["args"]["cpu_usage"] for c in trace().of("C"))
    check(used > 15 if whose == "process" else used < 5, f"{used} per cent of the {whose}")  # of a machine that others use, too


@test
def usage_of_the_thread_is_ours_to_offer():
    """Differs: cpu-mem-usage=Thread."""
    r = smoke(options="cpu-mem-usage=Thread", err=None)
    check(r.err.count("\n") == 1 and "SPANLOOM_OPTIONS" in r.err, r.err)
    equal(len(trace().of("C")), 0)


@cases(("date", ""), ("pid,date", ".PID"), (",pid", ".PID"), ("name,hostname,x,pid,hostname,y", ".generic.HOST.PID.HOST"))
def of_the_parts_of_a_name_those_that_are_known(parts, want):
    """Differs: parts of file names."""
    r = smoke(options=f"log-filename-include={parts}", err=None)
    check(r.err.count("\n") == 1 and "left out" in r.err and "ignored" not in r.err, r.err)
    equal(os.listdir(path()), [f"perfflow.array{want}.pfw".replace("HOST", HOST).replace("PID", str(r.pid))])


@cases(4096, 4097, 70_000, 300_000)
def names_of_any_length(n):
    """All of it, also in a child and in a store. Differs: names above 1 MiB."""
    ran(WOVEN + """int main(void) { int n = %d; char *x = calloc(n + 20, 1); memset(x, 120, n);
        BEFORE(x); AFTER(x); x[n - 1] = 121; struct sl_site *s = sl_site_of(x, x); sl_begin(s); sl_end(s);
        pid_t p = fork(); if (!p) { sl_begin(s); sl_end(s); exit(0); } waitpid(p, 0, 0); return 0; }""" % n)
    names = ["x" * n, "x" * (n - 1) + "y"]
    check(sorted(([s.name for s in t.spans()] for t in traces(n=2)), key=len) == [names[1:], names], [[len(s.name) for s in t.spans()] for t in traces()])
    store = imported(path()).store
    equal(query(store, "SELECT length(name), count(*) FROM trace_call GROUP BY 1"), [(n, 3)])


TURN = WOVEN + """
#define F(f, flow) perfflow_weave_before(0, "m", f, "", flow, "around"); usleep(200); perfflow_weave_after(0, "m", f, "", flow, "around");
int main(int c, char **v) { (void)c; for (int i = 0; i < 3; i++) { F(v[1], v[1]) } return 0; }"""


def arrows(*ends):
    for end in ends:
        ran(TURN, end)
    store = imported(path()).store
    return [query(store, f"SELECT l.name, r.name FROM {what} k JOIN trace_call l ON l.id = k.left_span JOIN trace_call r ON r.id = k.right_span WHERE k.kind = 'flow'") for what in ("links", "doubts")]


@test
def flows_from_one_process_to_another():
    """What one process gives, in its order, another takes; readers know it by the id. Differs: ids of flows."""
    equal(arrows("out", "in"), [[("out", "in")] * 3, []])
    ids = {p: [e["id"] for t in traces() for e in t.of(p)] for p in "sf"}
    check(ids["s"] == ids["f"] and len(set(ids["s"])) == 6, ids)


@cases(("out", "out", "in"), ("out", "in", "in"))
def flows_that_may_come_from_several_are_in_doubt(*ends):
    """Differs: several ends of one flow."""
    found, doubts = arrows(*ends)
    equal((found, len(doubts) > 0), ([], True))


@test
def one_thread_uses_no_more_than_one_processor():
    """However short the span: CPU time and time are of two clocks."""
    ran(WOVEN + 'int main(void) { for (int i = 0; i < 5000; i++) { BEFORE("tight"); AFTER("tight"); } return 0; }', options="log-event=compact", spanloom="cpu-mem-usage=Thread")
    most = max(c["args"]["cpu_usage"] for c in trace().of("C"))
    check(most <= 100, f"cpu_usage {most} per cent")


if __name__ == "__main__":
    main()
