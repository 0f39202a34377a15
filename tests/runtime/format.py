#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is in the files: each event of the interface as the Trace Event Format has it, with the right times, nesting and arguments."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from traced import *  # noqa

KINDS = ("verbose", "compact")
ALL = r"""
static struct sl_site own = SL_SITE("own", "mine");
static void inner(void) { SPANLOOM_FUNCTION(); SPANLOOM_INSTANT("tick"); }
int main(void)
{
    sl_thread_name("the main one");
    SPANLOOM_SPAN("main");
    sl_arg_string("key", "value");
    for (int i = 0; i < 3; i++) { SPANLOOM_SPAN_IN("step", "cat"); sl_arg_int("i", i); inner(); SPANLOOM_COUNTER("depth", i + 0.5); }
    sl_begin(&own); sl_arg_double("x", 2.5); sl_end(&own);
    struct sl_site *s = sl_site_of("made", "at run time"); sl_begin(s); sl_end(s);
    uint64_t a = sl_new_id(), b = sl_new_id();
    SPANLOOM_ASYNC_BEGIN("async", a); SPANLOOM_ASYNC_BEGIN("async", b); SPANLOOM_ASYNC_INSTANT("async", a); SPANLOOM_ASYNC_END("async", a); SPANLOOM_ASYNC_END("async", b);
    SPANLOOM_FLOW_OUT("flow", a); SPANLOOM_FLOW_STEP("flow", a); SPANLOOM_FLOW_IN("flow", a);
    printf("%llu %llu", (unsigned long long)a, (unsigned long long)b);
    return 0;
}
"""


@cases(*[(e, f) for e in KINDS for f in ("array", "object")])
def all_of_it(event, form):
    r = ran(ALL, options=f"log-event={event}:log-format={form}")
    t = trace()
    equal(t.object, form == "object", "is an object")
    spans = t.spans()
    equal(collections.Counter((s.name, s.cat, s.depth) for s in spans),
          {("main", "prog.c", 0): 1, ("step", "cat", 1): 3, ("inner", "prog.c", 2): 3, ("own", "mine", 1): 1, ("made", "at run time", 1): 1})
    equal([(s.args, s.unfinished) for s in spans if s.name in ("main", "step", "own")],
          [({"key": "value"}, False), ({"i": 0}, False), ({"i": 1}, False), ({"i": 2}, False), ({"x": 2.5}, False)])
    equal([list(e["args"].values()) for e in t.of("C", "depth")], [[0.5], [1.5], [2.5]])
    equal(len(t.of("i", "tick")), 3, "instants")
    a, b = map(int, r.out.split())
    check(a and b and a != b, r.out)
    equal([(e["ph"], int(e["id"])) for e in t.of("bne", "async")], [("b", a), ("b", b), ("n", a), ("e", a), ("e", b)])
    equal([(e["ph"], int(e["id"])) for e in t.of("stf", "flow")], [("s", a), ("t", a), ("f", a)])
    equal([e["args"]["name"] for e in t.all if e["ph"] == "M" and e["name"] == "thread_name"], ["the main one"])
    equal([e["args"]["name"] for e in t.all if e["ph"] == "M" and e["name"] == "process_name"], ["prog"])


@test
def the_first_event_says_whose_trace_it_is():
    start = time.time_ns()
    r = ran(ALL, options="name=part", env={"SLURM_JOB_ID": "77", "SLURM_STEP_ID": "3", "SLURM_PROCID": "5", "SLURM_JOB_NAME": "jn"})
    end, m = time.time_ns(), trace().meta
    equal((m["pid"], m["ppid"], m["ended"], m["lost"], m["hostname"], m["name"], m["program"], m["instance_path"]),
          (r.pid, os.getpid(), True, 0, HOST, "part", "prog", hashlib.sha1(b"77.3").hexdigest()[:8]))
    check(start - 1_000_000 <= int(m["start_ns"]) <= int(m["end_ns"]) <= end + 1_000_000, f"{start} {m['start_ns']} {m['end_ns']} {end}")
    check(re.fullmatch(r"[0-9a-f]{32}", m["trace_id"]) and re.fullmatch(r"[0-9a-f]{16}", m["span_id"]), m)
    text = json.dumps(m, default=str)
    check('"5"' in text or ": 5" in text, f"rank in {text}")
    check("77" in text, f"the job in {text}")


@cases("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "FLUX_TASK_RANK")
def the_rank_is_of(variable):
    ran("int main(void) { SPANLOOM_SPAN(\"m\"); return 0; }", env={variable: "13"})
    equal(str(trace().meta.get("rank")), "13")


@test
def the_first_rank_that_is_set_wins():
    ran("int main(void) { SPANLOOM_SPAN(\"m\"); return 0; }", env={"OMPI_COMM_WORLD_RANK": "1", "PMI_RANK": "2", "SLURM_PROCID": "3", "FLUX_TASK_RANK": "4"})
    equal(str(trace().meta.get("rank")), "1")


@test
def no_rank_where_none_is_set():
    ran("int main(void) { SPANLOOM_SPAN(\"m\"); return 0; }")
    check("rank" not in trace().meta, trace().meta)


@test
def trace_context_is_that_of_TRACEPARENT():
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    r = ran("""int main(void) { char a[56], b[56]; SPANLOOM_INSTANT("x"); sl_traceparent(a); printf("%s %s ", a, getenv("TRACEPARENT"));
        { SPANLOOM_SPAN("m"); sl_traceparent(a); printf("%s ", a); { SPANLOOM_SPAN("n"); sl_traceparent(b); printf("%s", b); } } return 0; }""", env={"TRACEPARENT": parent})
    t, four = trace(), r.out.split()
    m = t.meta
    equal(m["trace_id"], "0af7651916cd43dd8448eb211c80319c")
    equal(m["parent_id"], "b7ad6b7169203331", "the span that the process lies in")
    for one in four:
        check(re.fullmatch(r"00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01", one), one)
    ids = [one[36:52] for one in four]
    equal(ids[1], m["span_id"], "TRACEPARENT is the process")
    equal(len(set(ids)), 4, "ids are told apart")
    equal([s.name for i in ids[2:] for s in t.spans() if s.args.get("span_id") == i], ["m", "n"], "whose they are")
    equal([e["name"] for e in t.of("i") if e.get("args", {}).get("span_id") == ids[0]], ["traceparent"], "that of no span")


@cases("garbage", "00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
       "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "")
def a_TRACEPARENT_that_is_none(parent):
    r = ran('int main(void) { SPANLOOM_SPAN("m"); printf("%s", getenv("TRACEPARENT")); return 0; }', env={"TRACEPARENT": parent})
    m = trace().meta
    check(re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01", r.out) and r.out[3:35] == m["trace_id"], r.out)
    check(m["trace_id"] not in parent and int(m["trace_id"], 16), m)


# ---- times

@cases(*[(e, c) for e in KINDS for c in ("", "clock=tsc", "clock=monotonic")])
def times_are_those_of_the_clock(event, clock):
    """Of many, most are within microseconds: others may have had the processor in between."""
    r = ran("""int main(void) { static struct sl_site s = SL_SITE("s", 0);
        static long long t[400][4];
        for (int i = -20; i < 400; i++) { int j = i < 0 ? 0 : i; t[j][0] = now_ns(); sl_begin(&s); t[j][1] = now_ns(); for (volatile int k = 0; k < 2000; k++) ; t[j][2] = now_ns(); sl_end(&s); t[j][3] = now_ns(); }
        for (int i = 0; i < 400; i++) printf("%lld %lld %lld %lld\\n", t[i][0], t[i][1], t[i][2], t[i][3]);
        return 0; }""", options=f"log-event={event}", spanloom=clock)
    rows = [list(map(int, line.split())) for line in r.out.splitlines()]
    spans = trace().spans()[20:]
    equal(len(spans), 400)
    # constant: the epoch is found once; microseconds of it are allowed, more is not
    off = [max(t0 - s.begin, s.begin - t1, t2 - s.end, s.end - t3) for s, (t0, t1, t2, t3) in zip(spans, rows)]
    good = sum(o < 5_000 for o in off)
    check(good >= 380, f"only {good} of 400 within 5 us; off by {sorted(off)[::40]} ns")
    tight = sorted(abs((s.end - s.begin) - (t2 - t1)) for s, (t0, t1, t2, t3) in zip(spans, rows))
    check(tight[200] < 500, f"lengths are off by {tight[::40]} ns")


@test
def nanoseconds_are_not_rounded():
    ran("""int main(void) { static struct sl_site s = SL_SITE("s", 0); for (int i = 0; i < 1000; i++) { sl_begin(&s); sl_end(&s); } return 0; }""")
    t = trace()
    last = collections.Counter(ns(e["ts"]) % 1000 // 10 for e in t.of("BE"))
    check(len(last) > 40, f"the last three digits are few: {last}")
    check(all(re.fullmatch(r"\d+\.\d{3}", str(e["ts"])) for e in t.of("BE")), "three decimals")
    lasted = [s.end - s.begin for s in t.spans()]
    check(min(lasted) >= 0 and sum(x > 0 for x in lasted) > 900, "begin is before end, but where the counter moved too little for a nanosecond")


# ---- arguments

def c_string(data):
    return '"' + "".join(f"\\{b:03o}" for b in data) + '"'


STRINGS = {"quotes": b'a "quoted" \\ text / \'', "controls": bytes(range(1, 32)) + b"\x7f", "empty": b"", "UTF-8": "grüß — ƒ 😀".encode(), "html": b"</script><!-- & \xe2\x80\xa8 \xe2\x80\xa9",
           "latin": b"caf\xe9", "cut char": b"ab\xe2\x82", "surrogate": b"\xed\xa0\x80", "overlong": b"\xc0\x80\xe0\x80\xaf", "too high": b"\xf4\x90\x80\x80\xff"}


@cases(*[(k, e) for k in STRINGS for e in KINDS])
def a_string_with(what, event):
    data = STRINGS[what]
    ran("int main(void) { const char *s = %s; static struct sl_site x; x.name = s; x.category = s; { SPANLOOM_SPAN(\"a\"); sl_arg_string(s, s); } sl_begin(&x); sl_end(&x); sl_thread_name(s); return 0; }" % c_string(data), options=f"log-event={event}")
    t = trace()
    s = t.spans()
    try:
        want = data.decode("utf-8")
        equal(list(s[0].args.items()), [(want, want)], "argument")
        equal((s[1].name, s[1].cat), (want, want), "name, category")
        equal([e["args"]["name"] for e in t.all if e["name"] == "thread_name"], [want])
    except UnicodeDecodeError:
        (key, value), = s[0].args.items()
        equal(len({key, value, s[1].name, s[1].cat}), 1, "key, value, name and category")
        check("�" not in value, f"bytes were lost: {value!r}")
        # what is no UTF-8 is Latin-1
        back = lambda text: b"".join(bytes([ord(c)]) if 127 < ord(c) < 256 else c.encode() for c in text)
        equal(back(value), data, f"the bytes again of {value!r}")


@cases(*KINDS)
def strings_are_cut_after_4096_bytes(event):
    ran("""int main(void) { for (int n = 4094; n < 4100; n++) { SPANLOOM_SPAN("a"); char *s = malloc(6000); memset(s, 'x', 6000); s[n] = 0; sl_arg_string("k", s); memset(s, 'y', 6000); free(s); }
        { SPANLOOM_SPAN("a"); char s[5001]; memset(s, 'z', 5000); s[5000] = 0; sl_arg_string("k", s); sl_arg_int("after", 1); }
        { SPANLOOM_SPAN("u"); char s[5001]; for (int i = 0; i < 5000; i++) s[i] = i < 4095 ? 'z' : i % 2 ? '\\303' : '\\274'; s[5000] = 0; sl_arg_string("k", s); }
        return 0; }""", options=f"log-event={event}")
    spans = trace().spans()
    equal([len(s.args["k"]) for s in spans[:7]], [4094, 4095, 4096, 4096, 4096, 4096, 4096])
    equal((spans[6].args["after"], set(spans[6].args["k"])), (1, {"z"}))
    equal({len(s.args["k"].lstrip("xyz")) <= 1 for s in spans}, {True}, "a character that was cut in two")


@cases(*KINDS)
def numbers_of_all_kinds(event):
    ran("""int main(void) { SPANLOOM_SPAN("a");
        sl_arg_int("min", INT64_MIN); sl_arg_int("max", INT64_MAX); sl_arg_int("zero", 0); sl_arg_int("minus", -1); sl_arg_int("big", 9007199254740993);
        sl_arg_double("third", 1.0 / 3); sl_arg_double("tiny", 5e-324); sl_arg_double("huge", 1.7976931348623157e308); sl_arg_double("-0", -0.0); sl_arg_double("one", 1); sl_arg_double("e", 1e22);
        sl_arg_double("nan", NAN); sl_arg_double("inf", INFINITY); sl_arg_double("-inf", -INFINITY);
        return 0; }""", options=f"log-event={event}")
    a = trace().spans()[0].args
    equal([a[k] for k in ("min", "max", "zero", "minus", "big")], [-2 ** 63, 2 ** 63 - 1, 0, -1, 9007199254740993])
    equal([float(a[k]) for k in ("third", "tiny", "huge", "one", "e")], [1 / 3, 5e-324, 1.7976931348623157e308, 1.0, 1e22])
    equal(float(a["-0"]), 0.0)
    for k, words in (("nan", ("NaN", "nan", None)), ("inf", ("Infinity", "inf", None)), ("-inf", ("-Infinity", "-inf", None))):
        check(k in a and a[k] in words, f"{k} is {a.get(k)!r}")


@test
def counters_that_are_no_number():
    ran("int main(void) { SPANLOOM_COUNTER(\"c\", NAN); SPANLOOM_COUNTER(\"c\", INFINITY); SPANLOOM_COUNTER(\"c\", -1e308); SPANLOOM_COUNTER(\"c\", 7); return 0; }", options="")
    t = trace(rules=False)  # json.loads took it already
    check(float(t.of("C")[-1]["args"]["value"]) == 7, t.of("C"))


@test
def an_argument_belongs_to_the_event_before_it_if_that_was_no_end():
    ran("""int main(void) { SPANLOOM_SPAN("a"); SPANLOOM_INSTANT("i"); sl_arg_int("of", 1); { SPANLOOM_SPAN("b"); sl_arg_int("of", 2); } sl_arg_int("of", 3);
        SPANLOOM_ASYNC_BEGIN("c", 4); sl_arg_int("of", 4); SPANLOOM_FLOW_OUT("d", 4); sl_arg_int("of", 5); SPANLOOM_ASYNC_INSTANT("c", 4); sl_arg_int("of", 6); SPANLOOM_COUNTER("e", 1); sl_arg_int("of", 7); return 0; }""")
    t = trace()
    equal({s.name: s.args.get("of") for s in t.spans()}, {"a": 3, "b": 2})
    equal([(e["name"], e["args"]["of"]) for e in t.of("ibsn")], [("i", 1), ("c", 4), ("d", 5), ("c", 6)])


@test
def an_argument_without_any_event():
    ran("""int main(void) { sl_arg_int("x", 1); sl_arg_string("y", "z"); { SPANLOOM_SPAN("a"); } sl_arg_int("x", 2); { SPANLOOM_SPAN("b"); } return 0; }""")
    equal([(s.name, s.args) for s in trace().spans()], [("a", {}), ("b", {})])


@test
def NULL_texts():
    ran("""int main(void) { static struct sl_site n; n.name = 0; sl_begin(&n); sl_arg_string("k", 0); sl_arg_int(0, 1); sl_end(&n); sl_thread_name(0);
        struct sl_site *s = sl_site_of(0, 0); sl_begin(s); sl_end(s); return 0; }""")
    equal(len(trace().spans()), 2)


@test
def one_name_twice_as_a_key():
    """JSON readers disagree about it; each key is there once (the reader of these tests checks)."""
    ran("""int main(void) { SPANLOOM_SPAN("a"); sl_arg_int("k", 1); sl_arg_int("k", 2); sl_arg_int("l", 3); return 0; }""")
    a = trace().spans()[0].args
    equal(a["l"], 3)


@test
def many_arguments():
    ran("""int main(void) { SPANLOOM_SPAN("a"); char k[30]; for (int i = 0; i < 1000; i++) { snprintf(k, 30, "key%d", i); sl_arg_int(k, i); } return 0; }""")
    equal(trace().spans()[0].args, {f"key{i}": i for i in range(1000)})


@test
def ten_thousand_names_made_at_run_time():
    ran("""int main(void) { for (int j = 0; j < 2; j++) for (int i = 0; i < 10000; i++) { char n[40], c[40]; snprintf(n, 40, "name%d", i); snprintf(c, 40, "cat%d", i % 7); struct sl_site *s = sl_site_of(n, c); memset(n, 'x', 39);
        if (s != sl_site_of(s->name, c)) return 9; sl_begin(s); sl_end(s); } return 0; }""")
    equal([(s.name, s.cat) for s in trace().spans()], [(f"name{i}", f"cat{i % 7}") for i in range(10000)] * 2)


@test
def ids_of_64_bits_are_kept_apart():
    """As numbers, readers in JavaScript would round them: these must be texts, or exact."""
    ran("""int main(void) { uint64_t n[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, 1ULL << 63, (1ULL << 53) + 1}; for (int i = 0; i < 6; i++) { SPANLOOM_ASYNC_BEGIN("a", n[i]); SPANLOOM_ASYNC_END("a", n[i]); } return 0; }""")
    ids = [e["id"] for e in trace().of("b")]
    equal(len(set(ids)), 6)
    value = [int(i, 0) if isinstance(i, str) else i for i in ids]
    equal(value, [0, 1, 2 ** 64 - 1, 2 ** 64 - 2, 2 ** 63, 2 ** 53 + 1])
    check(all(isinstance(i, str) or i <= 2 ** 53 for i in ids), f"numbers that a double cannot hold: {ids}")


@test
def asynchronous_spans_may_end_on_another_thread():
    ran("""static void *end(void *p) { SPANLOOM_ASYNC_END("a", *(uint64_t *)p); return 0; }
        int main(void) { uint64_t n[20]; for (int i = 0; i < 20; i++) { n[i] = sl_new_id(); SPANLOOM_ASYNC_BEGIN("a", n[i]); }
        for (int i = 0; i < 20; i++) { pthread_t t; pthread_create(&t, 0, end, n + 19 - i); pthread_join(t, 0); } return 0; }""")
    t = trace()
    equal([e["id"] for e in t.of("b")], [e["id"] for e in sorted(t.of("e"), key=lambda e: e["ts"])][::-1])
    for e in t.of("e"):
        check(e["tid"] != t.of("b")[0]["tid"] and next(b for b in t.of("b") if b["id"] == e["id"])["ts"] < e["ts"], e)


@test
def more_than_the_buffer_holds():
    r = ran("""static struct sl_site a = SL_SITE("a", 0), b = SL_SITE("b", 0);
        int main(void) { for (int i = 0; i < 10000; i++) { sl_begin(&a); if (i % 10 == 0) sl_arg_int("i", i); sl_begin(&b); sl_end(&b); sl_end(&a); } return 0; }""", spanloom="buffer-size=16K")
    spans = trace().spans()
    equal([s.args["i"] for s in spans if s.name == "a" and s.args], list(range(0, 10000, 10)))
    equal((len(spans), trace().meta["lost"]), (20000, 0))


@test
def spans_nested_deeply():
    ran("""static struct sl_site a = SL_SITE("a", 0); static void down(int n) { sl_begin(&a); if (n) down(n - 1); sl_end(&a); } int main(void) { down(1999); return 0; }""")
    equal(sorted(s.depth for s in trace().spans()), list(range(2000)))


@test
def an_end_without_a_begin_ends_nothing():
    ran("""static struct sl_site a = SL_SITE("a", 0), b = SL_SITE("b", 0); int main(void) { sl_end(&a); sl_begin(&b); sl_end(&a); usleep(1000); sl_end(&b); sl_end(&b); return 0; }""")
    spans = trace().spans()
    equal([s.name for s in spans], ["b"])
    check(spans[0].end - spans[0].begin >= 1_000_000, spans)


@cases(*KINDS)
def an_end_ends_those_inside(event):
    ran("""static struct sl_site a = SL_SITE("a", 0), b = SL_SITE("b", 0), c = SL_SITE("c", 0); int main(void) { sl_begin(&a); sl_begin(&b); sl_begin(&c); sl_begin(&b); sl_end(&a); sl_begin(&c); sl_end(&c); return 0; }""", options=f"log-event={event}")
    equal([(s.name, s.depth) for s in trace().spans()], [("a", 0), ("b", 1), ("c", 2), ("b", 3), ("c", 0)])


@test
def binary_leaves_the_slt_and_export_makes_the_rest():
    for form in ("array", "object"):
        for event in KINDS:
            ran(ALL, options=f"log-event={event}", spanloom="log-format=Binary", cwd=os.makedirs(path(form + event)) or path(form + event))
            slt, = files("perfflow.binary.*.slt", path(form + event))
            equal(os.listdir(path(form + event)), [os.path.basename(slt)])
            t = exported(slt, "--format", form, "--event", event)
            equal((t.object, t.meta["ended"], len(t.spans())), (form == "object", True, 9))
            equal(bool(t.of("X")), event == "compact")


@test
def flush_writes_what_is_there_so_far():
    r = ran("""int main(void) { SPANLOOM_SPAN("main"); { SPANLOOM_SPAN("one"); } int rc = sl_trace_flush(); { SPANLOOM_SPAN("two"); } printf("%d ", rc); fflush(stdout); rc = system("cat *.pfw"); { SPANLOOM_SPAN("three"); } return rc; }""")
    rc, text = r.out.split(" ", 1)
    equal(rc, "0")
    early = Trace(text)
    check([s.name for s in early.spans("one")] == ["one"] and not early.of("BEX", "two"), early.names())
    equal([s.name for s in trace().spans()], ["main", "one", "two", "three"])


@test
def without_an_event_there_is_no_file():
    ran("int main(void) { sl_trace_enable(1); return 0; }")
    equal(os.listdir(path()), [])


@test
def log_close_False_has_no_metadata_and_ends_in_a_comma():
    ran(ALL, spanloom="log-close=False")
    data = open(files()[0], "rb").read()
    check(data.rstrip().endswith(b",") and b'"M"' not in data, data[-100:])
    Trace(data + b"{}]", rules=False)


@test
def export_says_what_it_made_and_leaves_the_slt():
    ran(ALL, spanloom="log-format=binary")
    slt, = files("*.slt")
    before = open(slt, "rb").read()
    r = spanloom("export", "chrome", slt)
    made = slt[:-4] + ".pfw"
    check(os.path.basename(made) in r.err, r.err)
    equal(sorted(os.listdir(path())), sorted(map(os.path.basename, (slt, made))))
    equal(len(load(made).spans()), 9)
    check(open(slt, "rb").read() == before, "the .slt was changed")
    spanloom("export", "chrome", "-o", path("x.json"), slt)
    equal(open(path("x.json"), "rb").read(), open(made, "rb").read(), "-o")


@test
def export_of_what_is_no_trace_fails_and_makes_nothing():
    for name, data in (("empty.slt", b""), ("text.slt", b"hello\n" * 1000), ("zeros.slt", bytes(100_000)), ("noise.slt", rng().randbytes(100_000))):
        write(path(name), data)
        r = spanloom("export", "chrome", path(name), code=None)
        check(r.code not in (0, 2) and r.err, f"{name}: {r}")
    r = spanloom("export", "chrome", path("absent.slt"), code=None)
    check(r.code and "absent.slt" in r.err, r)
    equal(files("*.pfw"), [])


@test
def export_of_a_damaged_trace_neither_crashes_nor_lies():
    """Cut at any place or with bytes changed: valid JSON, or an error."""
    ran(ALL.replace("i < 3", "i < 60"), spanloom="log-format=binary")
    slt, = files("*.slt")
    data, random_ = open(slt, "rb").read(), rng()
    whole = len(data.rstrip(b"\0"))
    for i in range(80):
        damaged = bytearray(data)
        if i % 2:
            del damaged[random_.randrange(whole):]
        else:
            for _ in range(random_.choice((1, 10, 100))):
                damaged[random_.randrange(whole)] = random_.randrange(256)
        write(path("d.slt"), bytes(damaged))
        r = spanloom("export", "chrome", "-o", "-", path("d.slt"), code=None, text=False, timeout=PATIENCE)
        if r.code == 0:
            Trace(r.out, rules=False)
        else:
            check(r.err, f"{i}: exit {r.code} without a word")


@test
def export_of_several():
    for i in range(3):
        ran(ALL, spanloom="log-format=binary", cwd=os.makedirs(path(str(i))) or path(str(i)))
    slts = [files("*.slt", path(str(i)))[0] for i in range(3)]
    r = spanloom("export", "chrome", "-o", path("x"), *slts, code=None)
    check(r.code and not os.path.exists(path("x")), r)
    spanloom("export", "chrome", *slts)
    equal([len(t.spans()) for i in range(3) for t in traces(path(str(i)), 1)], [9, 9, 9])
    write(path("bad.slt"), b"no trace")
    for s in slts:
        os.unlink(s[:-4] + ".pfw")
    r = spanloom("export", "chrome", slts[0], path("bad.slt"), slts[2], code=None)
    check(r.code and "bad.slt" in r.err, r)
    equal([len(traces(path(str(i)))) for i in range(3)], [1, 0, 1], "those that are whole, though one is not")


@test
def export_to_where_nothing_can_be_written():
    ran(ALL, spanloom="log-format=binary")
    slt, = files("*.slt")
    for to in ("/nonexistent/x", path()):
        r = spanloom("export", "chrome", "-o", to, slt, code=None)
        check(r.code and r.err, f"{to}: {r}")
    with open("/dev/full", "w") as full:
        equal(subprocess.run([PROGRAM, "export", "chrome", "-o", "-", slt], stdout=full, stderr=subprocess.DEVNULL).returncode != 0, True, "fails where standard output is full")


@test
def export_to_what_is_no_file_does_not_replace_it():
    """Such as /dev/stdout and /dev/null: root may replace them."""
    ran(ALL, spanloom="log-format=binary")
    slt, = files("*.slt")
    os.mkfifo(path("fifo"))
    reader = subprocess.Popen(["cat", path("fifo")], stdout=subprocess.PIPE)
    try:
        spanloom("export", "chrome", "-o", path("fifo"), slt, code=None)
        check(not os.path.isfile(path("fifo")), "the FIFO is a file now")
        reader.wait(PATIENCE)
        equal(len(Trace(reader.stdout.read()).spans()), 9)
    finally:
        reader.kill()
        reader.wait()
        reader.stdout.close()
    write(path("target"), "")
    os.symlink("target", path("link"))
    spanloom("export", "chrome", "-o", path("link"), slt)
    check(os.path.islink(path("link")), "the symbolic link was replaced")
    equal(len(load(path("target")).spans()), 9)


@test
def arguments_of_the_span():
    """Others go to the event before; after sl_args_of_span() they do not, until the next event, texts that fill a buffer included."""
    ran("""static struct sl_site o = SL_SITE("outer", 0), s = SL_SITE("inner", 0), i = SL_SITE("i", 0);
        int main(void) {
            sl_begin(&o); sl_begin(&s); sl_instant(&i); sl_arg_int("moment", 1); sl_args_of_span(); sl_arg_int("a", 2); sl_arg_string("b", "text"); sl_end(&s);
            sl_args_of_span(); sl_arg_int("of outer", 3); sl_async_begin(&s, 5); sl_arg_int("async", 4); sl_end(&o); sl_args_of_span(); sl_arg_int("nobody's", 5);
            for (int k = 0; k < 3000; k++) { sl_begin(&s); sl_instant(&i); sl_args_of_span(); sl_arg_string("long", "0123456789012345678901234567890123456789"); sl_end(&s); } return 0; }""", spanloom="buffer-size=16K")
    t = trace()
    inner, = [x for x in t.spans("inner") if x.args.get("a")]
    outer, = t.spans("outer")
    equal((inner.args, outer.args), ({"a": 2, "b": "text"}, {"of outer": 3}))
    equal([e.get("args") for e in t.of("i", "i")], [{"moment": 1}] + [None] * 3000)
    equal(t.of("b")[0]["args"], {"async": 4})
    equal(sum(x.args == {"long": "0123456789" * 4} for x in t.spans("inner")), 3000)
    check("nobody's" not in str(t.data))


if __name__ == "__main__":
    main()
