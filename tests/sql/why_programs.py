#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom why of traced programs without a workflow: causes that are planted, and what must not be told as one; where the
time went against a look at each moment."""
import collections
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import *  # noqa


class Programs(Store):
    """Calls of a thread are put one behind the other, from where it is: run(name, ms), or enter() and leave()."""

    def __init__(self):
        super().__init__()
        self.at, self.stack, self.counts, self.calls, self.first = {}, {}, collections.Counter(), [], {}

    def process(self, program="prog", rank=None, caller=None, ended=True, host="n1"):
        key = len(self.first) + 1
        p = self.span("trace.process", f"{host}:{key}@{key}")
        self.first[p] = None
        for name, value in (("program", program), ("hostname", host), ("ended", "true" if ended else "false"), ("rank", rank)):
            if value is not None:
                self.attr(p, name, str(value))
        if caller:
            self.link(caller, IN, p)
        return p

    def thread(self, process, at=0, caller=None):
        t = self.span("trace.thread", len(self.at) + 1, process)
        self.at[t], self.stack[t] = at, [caller] if caller else []
        self.first[process] = self.first[process] or t
        return t

    def enter(self, thread, name):
        self.counts[thread, name] += 1
        n = self.counts[thread, name]
        c = self.span("trace.call", name if n == 1 else f"{name}#{n}", thread, begin=self.at[thread])
        if self.stack[thread] and [k for k in self.calls if k[0] == self.stack[thread][-1] and k[2] == thread]:
            self.link(self.stack[thread][-1], IN, c)
        self.calls.append([c, name, thread, self.stack[thread][-1] if self.stack[thread] else None, self.at[thread], None])
        self.stack[thread].append(c)
        return c

    def leave(self, thread):
        c = self.stack[thread].pop()
        self.event(c, "end", self.at[thread])
        next(k for k in self.calls if k[0] == c)[5] = self.at[thread]

    def run(self, thread, name, ms, until=None):
        c = self.enter(thread, name)
        self.at[thread] = until if until is not None else self.at[thread] + round(ms * MS)
        self.leave(thread)
        return c

    def ranks(self, n):
        return [self.thread(self.process("solver", rank=r)) for r in range(n)]

    def barrier(self, threads, name="MPI_Barrier"):
        last = max(self.at[t] for t in threads)
        for t in threads:
            self.run(t, name, 0, until=last + 10 * US)


def why(store, code=0):
    store.done()
    told = json.loads(spanloom("why", "-d", store.file, "--format", "json", code=code).out)
    return told, {f["finding"]: f for f in told["findings"]}


def close(got, want, share=0.01):
    check(abs(got - want) <= share * abs(want), got, want)


@test
def one_slow_rank():
    s = Programs()
    ranks = s.ranks(4)
    for _ in range(20):
        for r, t in enumerate(ranks):
            s.run(t, "compute", 250 if r == 2 else 60)
        s.barrier(ranks, "MPI_Allreduce")
    told, found = why(s)
    equal(list(found), ["rank-imbalance"])
    f = found["rank-imbalance"]
    close(f["seconds"], 5 - (5 + 3 * 1.2) / 4)
    check(f["text"].startswith("compute took rank 2 5.00 s, others 1.20 s (median), and the 3 others waited for it in MPI_Allreduce"), f["text"])
    equal(told["problems"], [])


def workflow_of_ranks(s, slow):
    """A task that is a program of four ranks, and one that waits for it, on a worker of Parsl's."""
    w = s.workflow("w")
    ex = s.span(EXECUTOR, "htex", w)
    m = s.span("parsl.executor.htex.manager", "m0", ex, MANAGER, started=0)
    worker = s.span("parsl.executor.htex.worker", "0", m, WORKER, started=S)
    ranks = s.ranks(4)
    for t in ranks:
        s.at[t] = 2 * S + 100 * MS
    for _ in range(20):
        for r, t in enumerate(ranks):
            s.run(t, "compute", slow if r == 2 else 60)
        s.barrier(ranks, "MPI_Allreduce")
    over, ids = s.at[ranks[0]] + 100 * MS, []
    for key, app, begin, end in ((0, "solve", 2 * S, over), (1, "reduce", over + 100 * MS, over + 1100 * MS)):
        ids.append(s.task(w, key, ids, submitted=1500 * MS + key, pending=1500 * MS + 10 + key))
        s.attr(ids[-1], "app", app)
        y = s.htex(ids[-1], 0, launched=begin - 5 * MS, put=begin - 4 * MS, to_manager=begin - 3 * MS, got=begin - 2 * MS, received=begin, completed=end, finished=end, removed=end + MS, executor=ex, manager=m, worker=worker)
        s.event(ids[-1], "exec_done", end + 2 * MS)
        for p in s.first if app == "solve" else ():
            s.link(y, IN, p)
    s.event(w, "started", 0)
    s.event(w, "cleanup_completed", over + 1200 * MS)


@test
def a_slow_rank_in_a_task_of_a_workflow():
    """What it costs the run is what it costs the task, replayed; ranks alike are no finding."""
    s = Programs()
    workflow_of_ranks(s, 250)
    told, found = why(s)
    equal(told["problems"], [])
    f = found["rank-imbalance"]
    close(f["seconds"], 5 - (5 + 3 * 1.2) / 4)
    check(f["text"].startswith("in task 0 (solve): compute took rank 2 5.00 s, others 1.20 s (median), and the 3 others waited for it in MPI_Allreduce"), f["text"])
    check(f["sure"] == "by replay, if all ranks took as long" and f["changes"].startswith("task 0 x0.") and "call-lock" not in found, f, list(found))
    s = Programs()
    workflow_of_ranks(s, 62)
    found = why(s)[1]
    check("rank-imbalance" not in found, list(found))


def lose(s, process, lost, why=None, damaged=None):
    for name, value in (("lost", lost), ("lost_why", why), ("damaged", damaged)):
        if value is not None:
            s.attr(process, name, str(value))


@test
def events_that_could_not_be_recorded():
    """Of how many calls, and why; nothing of programs that lost nothing. What a full disk cut off is no damage."""
    s = Programs()
    processes = [s.process() for _ in range(5)]
    for p in processes:
        t = s.thread(p)
        for _ in range(10):
            s.run(t, "work", 100)
    lose(s, processes[0], 0)
    lose(s, processes[1], 100, "File too large", damaged=1)
    lose(s, processes[2], 61, "File too large")
    lose(s, processes[3], 0, damaged=2)
    told, found = why(s)
    lost = [f for f in told["findings"] if f["finding"] == "call-lost"]
    equal([f["text"] for f in lost], ["prog and 1 other process could not record 161 events, about 81 of 101 calls: File too large",
                                      "2 places of the trace of prog could not be read"])
    check(lost[0]["advice"].startswith("a higher limit for files (ulimit -f), or fewer events: "), lost[0]["advice"])
    equal(lost[0]["spans"], f"{processes[1]},{processes[2]}")
    equal((lost[1]["advice"], told["problems"]), (None, []))
    check("prog and 1 other process could not record 161 events (File too large): there were more calls" in spanloom("why", "-d", s.file).err)


@test
def events_of_a_task_that_could_not_be_recorded():
    s = Programs()
    workflow_of_ranks(s, 62)
    lose(s, next(iter(s.first)), 1000, "No space left on device")
    told, found = why(s)
    equal(found["unread"]["text"], "1,000 events of 1 traced process could not be recorded: No space left on device; there were more calls than are told of")
    equal(told["problems"], [])


@test
def the_rank_that_only_waits_for_a_neighbour_is_not_the_cause():
    """Of four in a ring, 3 waits for what 2 sends, and comes late to the collective with it."""
    s = Programs()
    ranks = s.ranks(4)
    for _ in range(20):
        for r, t in enumerate(ranks):
            s.run(t, "compute", 250 if r == 2 else 60)
        sent = {r: s.at[t] for r, t in enumerate(ranks)}
        for r, t in enumerate(ranks):
            s.run(t, "halo", 0, until=max(s.at[t], sent[(r - 1) % 4]) + 20 * US)
        s.barrier(ranks, "MPI_Allreduce")
    _, found = why(s)
    equal([f["text"].split(",")[0] for f in found.values()], ["compute took rank 2 5.00 s"])


@test
def what_one_rank_alone_does():
    s = Programs()
    ranks = s.ranks(4)
    for i in range(9):
        for t in ranks:
            s.run(t, "compute", 50)
        if i % 3 == 2:
            s.run(ranks[0], "write_checkpoint", 400)
        s.barrier(ranks)
    _, found = why(s)
    close(found["rank-imbalance"]["seconds"], 1.2 * 3 / 4)
    check("write_checkpoint took rank 0 1.20 s, no other calls it" in found["rank-imbalance"]["text"], found)


@test
def a_master_that_waits_for_workers_is_no_slow_rank():
    s = Programs()
    master, *workers = s.ranks(4)
    for n in (5, 7, 6):
        for t in workers:
            for _ in range(n):
                s.run(t, "work", 50)
    s.run(master, "MPI_Recv", 0, until=max(s.at[t] for t in workers))
    _, found = why(s)
    check("rank-imbalance" not in found, found)


@test
def even_ranks():
    s = Programs()
    ranks, r = s.ranks(8), random.Random(4)
    for _ in range(40):
        for t in ranks:
            s.run(t, "compute", r.uniform(50, 60))
        s.barrier(ranks)
    _, found = why(s)
    equal(found, {})


@test
def a_lock_convoy():
    """Six threads, 20 ms of their own, 30 ms under one lock, 25 times."""
    s = Programs()
    main = s.thread(p := s.process("convoy"))
    s.enter(main, "main")
    threads, free = [s.thread(p, MS) for _ in range(6)], 0
    left = {t: 25 for t in threads}
    ready = {}
    for t in threads:
        s.run(t, "compute", 20 + threads.index(t) * 0.1)
        ready[t] = s.at[t]
    while ready:
        t = min(ready, key=ready.get)
        free = max(free, ready.pop(t)) + 30 * MS
        s.run(t, "update", 0, until=free)
        left[t] -= 1
        if left[t]:
            s.run(t, "compute", 20)
            ready[t] = s.at[t]
    s.at[main] = max(s.at.values())
    s.leave(main)
    _, found = why(s)
    f = found["call-lock"]
    check("calls of update on 6 threads ended one at a time, every 30 ms" in f["text"], f["text"])
    lengths = [c[5] - c[4] for c in s.calls if c[1] == "update"]
    close(f["seconds"], (sum(lengths) - len(lengths) * 30 * MS) / 6 / S)


@test
def threads_without_a_lock():
    """Of any length, and of equal ones that began one after another."""
    for lengths in (lambda r: r.uniform(20, 60), lambda r: 60):
        s, r = Programs(), random.Random(3)
        p = s.process()
        for i in range(6):
            t = s.thread(p, i * 10 * MS)
            for _ in range(25):
                s.run(t, "work", lengths(r))
        _, found = why(s)
        check("call-lock" not in found, found)


@test
def one_long_call_and_a_part_alone():
    """A pool of four: 23 calls of 100 ms, one of 2.5 s; then 1.5 s of one function, while the rest has nothing to do."""
    s = Programs()
    main = s.thread(s.process("flow.py"))
    top = s.enter(main, "main")
    pool = [s.thread(s.process("python3", caller=top), 0, top) for _ in range(4)]
    for i in range(24):
        s.run(min(pool, key=s.at.get), "simulate", 2500 if i == 7 else 100)
    s.at[main] = max(s.at.values())
    s.run(main, "merge", 1500)
    s.leave(main)
    told, found = why(s)
    others = max(c[5] for c in s.calls if c[1] == "simulate" and c[5] - c[4] < S)
    long, = (c for c in s.calls if c[1] == "simulate" and c[5] - c[4] > S)
    close(found["call-long"]["seconds"], (long[5] - others) / S)
    check("simulate took 2.50 s, 25 times" in found["call-long"]["text"], found["call-long"]["text"])
    close(found["call-alone"]["seconds"], 1.5 * 3 / 4)
    check(found["call-alone"]["text"].startswith("merge ran for 1.50 s while no other"), found["call-alone"]["text"])
    equal(told["programs"][0]["processes"], 5)


@test
def one_that_crashed():
    """The first that is heard of no more is named, not the first by number."""
    s = Programs()
    ranks = [s.thread(s.process("solver", rank=r, ended=False)) for r in range(3)]
    for i in range(3):
        for t in ranks:
            s.run(t, "compute", 50)
    s.enter(ranks[1], "solve")
    for t in ranks[::2]:
        s.run(t, "compute", 50)
        s.enter(t, "MPI_Barrier")
    _, found = why(s)
    equal(found["call-unfinished"]["text"], "3 processes of solver were killed or crashed; the first that was no more heard of is rank 1, in solve")


@test
def a_script_of_which_a_command_fails_and_one_takes_long():
    script = "for i in 3 1 6; do spanloom span align -- sleep 0.$i & done; wait; spanloom span report -- sh -c 'exit 3'"
    spanloom("run", "--quiet", "--dir", path("traces"), "-d", path("sh.db"), "--", "sh", "-c", script, code=3)
    r = json.loads(spanloom("why", "-d", path("sh.db"), path("traces"), "--format", "json").out)
    equal(sorted(f["text"] for f in r["findings"] if f["finding"] == "call-exit"), ["report ended with exit status 3", "sh ended with exit status 3"])
    check(r["went"][0]["what"] == "align" and r["programs"][0]["programs"].startswith("sh"), r)
    check("spanloom why -d" in (said := spanloom("what-if", "workers x2", "-d", path("sh.db"), code=1).err), said)


@test
def the_last_of_two_runs():
    s = Programs()
    s.run(s.thread(s.process("before")), "f", 500)
    s.run(s.thread(s.process("after"), 10 * S), "g", 300)
    s.done()
    r = spanloom("why", "-d", s.file)
    check("after took 300 ms" in r.out and "before" not in r.out, r.out)
    check("the last of 2 runs of traced programs" in r.err, r.err)


@test
def a_program_within_a_task_is_the_tasks_running():
    """What it was in is no state of a component that holds tasks up."""
    s = Programs()
    w = s.workflow(workflow_started=0)
    m = s.span("parsl.executor.htex.manager", "m", w, manager_began=0)
    worker = s.span("parsl.executor.htex.worker", 0, m, worker_began=0)
    t = s.task(w, 1, submitted=0, exec_done=10 * S)
    y = s.htex(t, launched=0, put=0, to_manager=0, got=0, received=MS, completed=10 * S - MS, finished=10 * S - MS, removed=10 * S, worker=worker, manager=m)
    s.attr(t, "task_func_name", "solve")
    rank = s.thread(s.process("solver", rank=0, caller=y), 50 * MS)
    for _ in range(4):
        s.run(rank, "compute", 500)
        s.run(rank, "MPI_Barrier", 1900)
    told, found = why(s)
    check("component" not in found, found)
    check({"app solve"} == {x["what"] for x in told["went"] if x["seconds"] > 0.1}, told["went"])


@cases(*range(12))
def where_the_time_went(seed):
    """Against each unit of time: the calls that are open and of which none that they called is, each with its part."""
    r, s = random.Random(seed), Programs()

    def grow(t, until, depth):
        while s.at[t] < until and r.random() < 0.85:
            s.at[t] = r.randrange(s.at[t], until)
            begin, c = s.at[t], s.enter(t, r.choice("fgh"))
            end = r.randrange(begin, until + 1)
            if depth < 3 and end - begin > 4:
                grow(t, end, depth + 1)
                if r.random() < 0.3:
                    u = s.thread(s.process(caller=c), r.randrange(begin, end), c)
                    grow(u, end + r.randrange(10), depth + 1)
            s.at[t] = end
            s.leave(t)

    p = s.process()
    for k in range(r.randrange(1, 4)):
        t = s.thread(p, r.randrange(20))
        if k == 0:
            s.enter(t, "main")
        grow(t, 150, 0)
        if k == 0:
            s.at[t] = 160 + r.randrange(20)
            s.leave(t)
    extent = {t: (min(c[4] for c in s.calls if c[2] == t), max(c[5] for c in s.calls if c[2] == t)) for t in {c[2] for c in s.calls}}
    inner = collections.defaultdict(list)
    parent = {i: up for i, _, _, up, _ in s.spans}
    begun = {}
    for t in sorted(extent, key=lambda t: (extent[t][0], t)):
        begun.setdefault(parent[t], t)
    for c in s.calls:
        if c[3]:
            inner[c[3]].append((c[4], c[5]))
    for t, (a, b) in extent.items():
        first = begun[parent[t]]
        if t != first:
            around = [c for c in s.calls if c[2] == first and c[4] <= a and c[5] >= b]
            if around:
                inner[max(around, key=lambda c: c[4])[0]].append((a, b))
    want, start, end = collections.Counter(), min(c[4] for c in s.calls), max(c[5] for c in s.calls)
    for at in range(start, end):
        now = [c[1] for c in s.calls if c[4] <= at < c[5] and not any(a <= at < b for a, b in inner[c[0]])]
        for name in now:
            want[name] += 1 / len(now) / S
        if not now:
            want["outside of traced functions"] += 1 / S
    told, _ = why(s)
    got = {w["what"]: w["seconds"] for w in told["went"]}
    for name in want | got:
        check(abs(want[name] - got.get(name, 0)) < 1e-12, name, want[name], got.get(name))


# ---- spans of OpenTelemetry


def otlp(spans, file="spans.jsonl", service="shop"):
    """A store of spans (id, parent or None, name, begin, end in ns, and more of it)."""
    span = lambda i, up, name, a, b, **more: {"traceId": f"{1:032x}", "spanId": f"{i:016x}", "name": name, "startTimeUnixNano": str(T0 + a), "endTimeUnixNano": str(T0 + b), **({"parentSpanId": f"{up:016x}"} if up else {}), **more}  # noqa: E731
    line = {"resourceSpans": [{"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}, "scopeSpans": [{"scope": {"name": "t"}, "spans": [span(*x[:5], **(x[5] if len(x) > 5 else {})) for x in spans]}]}]}
    write(path(file), json.dumps(line) + "\n")
    return json.loads(spanloom("why", path(file), "-d", path(file + ".db"), "--format", "json").out)


@cases(*range(1, 9))
def where_spans_of_opentelemetry_were(seed):
    """Against each unit of time, as above; children may outlast their parents, and lie beside each other."""
    r, spans = random.Random(seed), []

    def grow(up, begin, end, depth):
        for _ in range(r.randrange(4)):
            a = r.randrange(begin, end + 5)
            b = a + r.randrange(40)
            spans.append((len(spans) + 1, up, r.choice("fgh"), a, b))
            if depth < 3:
                grow(len(spans), a, b, depth + 1)
    for _ in range(2):
        spans.append((len(spans) + 1, None, "main", r.randrange(10), 100 + r.randrange(60)))
        grow(len(spans), spans[-1][3], spans[-1][4], 0)
    want = collections.Counter()
    for at in range(min(x[3] for x in spans), max(x[4] for x in spans)):
        now = [x for x in spans if x[3] <= at < x[4] and not any(y[1] == x[0] and y[3] <= at < y[4] for y in spans)]
        for x in now:
            want[x[2]] += 1 / len(now) / S
        if not now:
            want["outside of traced functions"] += 1 / S
    got = {w["what"]: w["seconds"] for w in otlp(spans)["went"]}
    for name in want | got:
        check(abs(want[name] - got.get(name, 0)) < 1e-12, name, want[name], got.get(name))


@test
def spans_that_failed_and_one_that_all_waited_for():
    error = {"status": {"code": 2, "message": "card refused"}}
    spans = [(1, None, "checkout", 0, 20 * S, error), (2, 1, "pay", 19 * S, 20 * S, error)] + [(3 + i, 1, "price", i % 2 * 100 * MS + i // 2 * S, i % 2 * 100 * MS + i // 2 * S + 800 * MS) for i in range(8)] + [(20, 1, "price", 5 * S, 15 * S)]
    told = otlp(spans)
    found = {f["finding"]: f for f in told["findings"]}
    equal(told["problems"], [])
    equal(found["call-error"]["text"], "2 spans failed, first of all pay: card refused")
    check(found["call-long"]["text"].startswith("a call of price took 10.0 s, 12.5 times the median of 9 calls (0.800 s), and nothing else ran for 10.0"), found["call-long"]["text"])
    close(found["call-long"]["seconds"], 9.2)
    check(not any("profile" in (f["command"] or "") for f in told["findings"] + told["more"]), told)
    out = spanloom("why", path("spans.jsonl"), "-d", path("spans.jsonl.db")).out
    check(out.startswith("shop took 20.0 s, ") and "\n1 service, 11 spans of OpenTelemetry\n" in out, out)


main()
