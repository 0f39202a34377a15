#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""critical_path(), slack() and what_if() on graphs worked out by hand, on random ones against a brute force, and on real runs."""
import sys
import os

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import *  # noqa

DEP = ("parsl", "waiting for dependencies or its launch")
QUEUE = ("executor", "in the executor's queue")
IX = ("htex interchange", "in the interchange's queue")
WAY = ("htex interchange", "on its way to a manager")
HERE = ("htex manager", "in the manager's queue")
RUN = ("htex worker", "running on a worker")
BACK = ("htex manager", "result on its way back")
BACK_IX = ("htex interchange", "result on its way back")
TRIES = ("parsl", "between two tries")
JOIN = ("parsl", "waiting for the tasks that it joined")
FIRST, LAST = (None, "driver", "before the first task"), (None, "driver", "after the last task")
IDLE, BETWEEN = (None, "driver", "idle"), (None, "driver", "between submissions")


def sec(**times):
    return {k: round(v * S) for k, v in times.items() if v is not None}


def simple(s, w, key, at, launched, done, after=(), end="exec_done", **more):
    """A task that tells no more than parsl.log does: it waits for dependencies, then is in the executor's queue."""
    return s.task(w, key, after, **sec(submitted=at, pending=at, launched=launched, **{end: done}, **more))


def slacks(store, workflow):
    """{task: (slack, path)}, seconds"""
    return {r["task"]: (r["slack_s"], r["path_s"]) for r in sql(store, f"SELECT * FROM slack({workflow})")}


def is_slack(store, workflow, **want):
    got = {k: round(v[0], 9) for k, v in slacks(store, workflow).items()}
    equal(got, want, "slack")


# ---- worked out by hand.  Rows are (start, end, task, component, state), in seconds

@test
def chain():
    # a waits for nothing: what passes until it is launched is its own.  interchange_put is told before launched, a later
    # state before an earlier one: in the executor's queue counts for nothing.  worker_all_finished_task at 5.8 is told late.
    # b waits for a (1.001 to 6.25), which is done at 6.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=12))
    a = s.task(w, "a", **sec(submitted=1, pending=1.0005, launched=2.01, exec_done=6))
    s.htex(a, **sec(launched=2.02, put=2, to_manager=3, got=3.25, received=3.5, completed=5.5, removed=5.75, finished=5.8))
    b = s.task(w, "b", [a], **sec(submitted=1.001, pending=1.001, launched=6.25, exec_done=9.5))
    s.htex(b, **sec(launched=6.25, received=7, completed=9))
    f = s.done()
    is_path(f, w, [(0, 1, *FIRST), (1, 1.0005, "a", "parsl", "being submitted"), (1.0005, 2, "a", *DEP), (2, 3, "a", *IX),
                   (3, 3.25, "a", *WAY), (3.25, 3.5, "a", *HERE), (3.5, 5.5, "a", *RUN), (5.5, 5.75, "a", *BACK),
                   (5.75, 6, "a", *BACK_IX), (6, 6.25, "b", *DEP), (6.25, 7, "b", *QUEUE), (7, 9, "b", *RUN),
                   (9, 9.5, "b", *BACK), (9.5, 12, *LAST)])
    equal(slacks(f, w), {"a": (0, 5), "b": (0, 3.5)}, "slack and path")
    # span: whose event began the state; task_span: the task; both of the driver's time: the workflow, and none
    types = dict(query(f, "SELECT id, type FROM spans"))
    for r in critical(f, w)[1]:
        want = WORKFLOW if r["task"] is None else {IX[0]: IX_TASK, HERE[0]: MGR_TASK, RUN[0]: WORKER_TASK, "parsl": TASK}.get(r["component"])
        if (r["component"], r["state"]) == BACK:
            want = WORKER_TASK
        if (r["component"], r["state"]) == QUEUE:
            check(types[r["span"]] in (TASK, TRY), r)
        else:
            equal(types[r["span"]], want, str(r))
        equal(r["task_span"], {"a": a, "b": b, None: None}[r["task"]], str(r))
        check(abs(r["seconds"] - (r["b"] - r["a"]) / 1e9) < 1e-9, r)


@test
def diamond():
    # d waits for b (done at 4) and c (done at 6): on with c, which waits for a.  b could have been done two seconds later.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=8))
    a = simple(s, w, "a", 1, 1, 3)
    b = simple(s, w, "b", 1.001, 3, 4, [a])
    c = simple(s, w, "c", 1.002, 3.125, 6, [a])
    simple(s, w, "d", 1.003, 6.25, 7, [b, c])
    f = s.done()
    is_path(f, w, [(0, 1, *FIRST), (1, 3, "a", *QUEUE), (3, 3.125, "c", *DEP), (3.125, 6, "c", *QUEUE), (6, 6.25, "d", *DEP),
                   (6.25, 7, "d", *QUEUE), (7, 8, *LAST)])
    is_slack(f, w, a=0, b=2, c=0, d=0)


@test
def a_dependency_done_long_before_is_no_wait():
    # b is submitted at 5, when a is done (3) and nothing is open: the driver was idle, and the path goes on in a.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=8))
    a = simple(s, w, "a", 1, 1, 3)
    simple(s, w, "b", 5, 6, 7, [a])
    f = s.done()
    is_path(f, w, [(0, 1, *FIRST), (1, 3, "a", *QUEUE), (3, 5, *IDLE), (5, 6, "b", *DEP), (6, 7, "b", *QUEUE), (7, 8, *LAST)])


@test
def retry():
    # The first try fails at 2.65 (try_failed; the task says so at 2.7, which changes nothing); it is pending again at 2.8.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=5.5))
    r = s.task(w, "r", **sec(submitted=1, pending=1, launched=1.1, fail_retryable=2.7, exec_done=5))
    s.event(r, "pending", round(2.8 * S))
    s.event(r, "launched", 3 * S)
    s.htex(r, 0, **sec(launched=1.1, put=1.2, to_manager=1.3, got=1.4, received=1.5, completed=2.5, removed=2.6, failed=2.65))
    s.htex(r, 1, **sec(launched=3, received=3.5, completed=4.5))
    f = s.done()
    is_path(f, w, [(0, 1, *FIRST), (1, 1.1, "r", *DEP), (1.1, 1.2, "r", *QUEUE), (1.2, 1.3, "r", *IX), (1.3, 1.4, "r", *WAY),
                   (1.4, 1.5, "r", *HERE), (1.5, 2.5, "r", *RUN), (2.5, 2.6, "r", *BACK), (2.6, 2.65, "r", *BACK_IX),
                   (2.65, 2.8, "r", *TRIES), (2.8, 3, "r", *DEP), (3, 3.5, "r", *QUEUE), (3.5, 4.5, "r", *RUN), (4.5, 5, "r", *BACK),
                   (5, 5.5, *LAST)])
    equal(slacks(f, w), {"r": (0, 4)})


@test
def retry_that_waits_for_dependencies_once():
    # Dependencies (a, done at 2) hold up the first try only: what passes in `pending` before the second is the task's own.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=7))
    a = simple(s, w, "a", 1, 1, 2)
    r = s.task(w, "r", [a], **sec(submitted=1.001, pending=1.001, launched=2.5, fail_retryable=4, exec_done=6))
    s.event(r, "pending", round(4.5 * S))
    s.event(r, "launched", 5 * S)
    f = s.done()
    is_path(f, w, [(0, 1, *FIRST), (1, 2, "a", *QUEUE), (2, 2.5, "r", *DEP), (2.5, 4, "r", *QUEUE), (4, 4.5, "r", *TRIES),
                   (4.5, 5, "r", *DEP), (5, 6, "r", *QUEUE), (6, 7, *LAST)])


def join_app(flow):
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=6))
    j = s.task(w, "j", **sec(submitted=1, pending=1, launched=1, joining=2.75, exec_done=5.125))
    s.htex(j, **sec(launched=1, received=1.5, completed=2.5))
    simple(s, w, "x", 1.001, 5.25, 5.5, [j])
    for key, at, done in (("i", 2, 5), ("k", 2.004, 4)):
        inner = simple(s, w, key, at, 2.25, done)
        s.link(j, AFTER, inner)
        if flow:
            s.link(j, FLOW, inner)
    return s.done(), w


@test
def join_app_that_began_its_tasks():
    # j runs from 1.5 and begins i (2) and k (2.004), says a flow; it joins them until i is done (5), x waits for j.
    f, w = join_app(True)
    is_path(f, w, [(0, 1, *FIRST), (1, 1.5, "j", *QUEUE), (1.5, 2, "j", *RUN), (2, 2.25, "i", *DEP), (2.25, 5, "i", *QUEUE),
                   (5, 5.125, "j", *JOIN), (5.125, 5.25, "x", *DEP), (5.25, 5.5, "x", *QUEUE), (5.5, 6, *LAST)])
    is_slack(f, w, j=0, x=0, i=0, k=1)


@test
def join_app_whose_tasks_nobody_began():
    # Without the flow the driver submitted i: nothing was done right before it, so the time since x (1.001) is the driver's.
    f, w = join_app(False)
    is_path(f, w, [(0, 1, *FIRST), (1, 2, *BETWEEN), (2, 2.25, "i", *DEP), (2.25, 5, "i", *QUEUE),
                   (5, 5.125, "j", *JOIN), (5.125, 5.25, "x", *DEP), (5.25, 5.5, "x", *QUEUE), (5.5, 6, *LAST)])
    is_slack(f, w, j=0, x=0, i=0, k=1)


@test
def failure():
    # g never runs, since f failed (at 3): dep_fail at 3.25, and h because of g at 3.5.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=4))
    a = simple(s, w, "f", 1, 1, 3, end="failed")
    g = s.task(w, "g", [a], **sec(submitted=1.001, pending=1.001, dep_fail=3.25))
    s.task(w, "h", [g], **sec(submitted=1.002, pending=1.002, dep_fail=3.5))
    f = s.done()
    is_path(f, w, [(0, 1, *FIRST), (1, 3, "f", *QUEUE), (3, 3.25, "g", *DEP), (3.25, 3.5, "h", *DEP), (3.5, 4, *LAST)])
    is_slack(f, w, f=0, g=0, h=0)


@test
def many_parents():
    # 2000 parents, of which the one of number 777 is done last.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=6))
    parents = [simple(s, w, i, 1 + i * 1e-6, 1.5, 4 if i == 777 else 2 + i * 1e-4) for i in range(2000)]
    simple(s, w, "child", 1.1, 4.5, 5, parents)
    f = s.done()
    got = joined(critical(f, w)[0])
    equal([p for p in got if p[2]], [(1 * S + 777 * US, 1500 * MS, "777", *DEP), (1500 * MS, 4 * S, "777", *QUEUE),
                                     (4 * S, 4500 * MS, "child", *DEP), (4500 * MS, 5 * S, "child", *QUEUE)])
    sound(got, 0, 6 * S)
    equal({k: v[0] for k, v in slacks(f, w).items() if k in ("0", "777", "child", "1999")}, {"0": 2, "777": 0, "child": 0, "1999": 4 - 2.1999})


@test
def skewed_clock():
    # a is done at 5, says its log, and b, which waited for it, was launched at 4.5: on in a, where it was then.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=8))
    a = simple(s, w, "a", 1, 1, 5)
    simple(s, w, "b", 1.001, 4.5, 7, [a])
    f = s.done()
    is_path(f, w, [(0, 1, *FIRST), (1, 4.5, "a", *QUEUE), (4.5, 7, "b", *QUEUE), (7, 8, *LAST)])


@test
def the_worker_of_another_clock():
    # The worker's clock is 10 s fast: a is running (13.5) and completed (15.5) after it is done (6).  No second is told twice.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=9))
    a = s.task(w, "a", **sec(submitted=1, pending=1, launched=2, exec_done=6))
    s.htex(a, **sec(launched=2, put=2, to_manager=3, got=3.25, received=13.5, completed=15.5, removed=5.75))
    simple(s, w, "b", 1.001, 6, 8, [a])
    f = s.done()
    got, _ = critical(f, w)
    sound(got, 0, round(15.5 * S))
    check([p for p in joined(got) if p[2] == "b"] == [(6 * S, 8 * S, "b", *QUEUE)], shown(got))
    check(not any(p[1] > 6 * S for p in got if p[2] == "a"), shown(got))


@test
def equal_times():
    # Everything at one of three moments: the parts sum, and both of two tasks that are done at once have no slack.
    s = Store()
    w = s.workflow(**sec(started=1, cleanup_completed=3))
    a = simple(s, w, "a", 1, 1, 2)
    b = simple(s, w, "b", 1, 1, 2)
    simple(s, w, "c", 1, 2, 3, [a, b])
    f = s.done()
    got = joined(critical(f, w)[0])
    sound(got, S, 3 * S)
    check(got in [[(S, 2 * S, t, *QUEUE), (2 * S, 3 * S, "c", *QUEUE)] for t in "ab"], shown(got))
    is_slack(f, w, a=0, b=0, c=0)


@test
def zero_length():
    # b and c take no time; c is done when a is, on which it waits by way of b.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=4))
    a = simple(s, w, "a", 1, 1, 3)
    b = simple(s, w, "b", 1, 3, 3, [a])
    simple(s, w, "c", 1, 3, 3, [b])
    z = s.workflow("z", started=5 * S, cleanup_completed=5 * S)
    simple(s, z, "a", 5, 5, 5)
    f = s.done()
    is_path(f, w, [(0, 1, *FIRST), (1, 3, "a", *QUEUE), (3, 4, *LAST)])
    is_slack(f, w, a=0, b=0, c=0)
    is_path(f, z, [])
    is_slack(f, z, a=0)


@test
def no_tasks():
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=5))
    one = s.workflow("one", started=7 * S)
    none = s.workflow("none")
    empty = s.span("other.type", "x")
    f = s.done()
    got, rows = critical(f, w)
    sound(got, 0, 5 * S)
    check(all(p[2:4] in ((None, "driver"), ("w", WORKFLOW)) for p in got), shown(got))  # whose time it is but the workflow's own
    equal([r["task"] for r in sql(f, f"SELECT * FROM slack({w})") if r["span"] != w], [])
    equal(joined(critical(f, one)[0]), [], "a path")
    equal([r["task"] for r in sql(f, f"SELECT * FROM slack({one})") if r["span"] != one], [])
    for i in (none, empty, 987654):  # without events, or not there
        for text in (f"critical_path({i})", f"slack({i})", f"what_if({i}, '* x1')"):
            r = spanloom("sql", "-d", f, "--format", "json", f"SELECT * FROM {text}", code=(0, 1))
            check(r.code == 0 and json.loads(r.out) == [] or r.code and r.err.startswith("spanloom: "), r)
    for name, key in (("one", "one"), ("none", "none"), ("w", "w")):  # a right answer or a clear message
        r = spanloom("critical-path", "-d", f, "--run", key, code=(0, 1))
        check(r.out.strip() or r.err.startswith("spanloom: "), r)
        check("nan" not in r.out.lower() and "inf " not in r.out.lower(), r)


@test
def cycles():
    # a waits for b, b for c, c for a; d for itself; a flow in a circle; spans that lie in each other.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=20))
    a, b, c = (simple(s, w, k, 1 + i / 1000, 2 + i, 6 + i) for i, k in enumerate("abc"))
    for x, y in ((a, b), (b, c), (c, a)):
        s.link(x, AFTER, y)
        s.link(x, FLOW, y)
    d = simple(s, w, "d", 9, 11, 13)
    s.link(d, AFTER, d)
    s.link(d, FLOW, d)
    s.htex(d, **sec(received=11.5, completed=12))
    t = s.span("stage", "1", d, **sec(begin=11.75, end=11.8))
    u = s.span("stage", "2", t, **sec(begin=11.76, end=11.78))
    s.link(u, IN, t)
    s.link(u, IN, d)
    s.link(t, IN, w)
    s.link(d, IN, w)
    # flow and after contradict each other
    e, g = simple(s, w, "e", 14, 15, 16), simple(s, w, "g", 14.1, 15.2, 17)
    s.link(e, AFTER, g), s.link(g, AFTER, e), s.link(e, FLOW, g)
    f = s.done()
    got, _ = critical(f, w)
    sound(got, 0, 20 * S)
    equal(len(slacks(f, w)), 6)
    # x1 is what was, whatever the links say
    for r in sql(f, f"SELECT * FROM what_if({w}, '* x1')"):
        equal((r["new_first_ns"], r["new_done_ns"]), (r["first_ns"], r["done_ns"]), r["task"])
    for factor in (0, 0.5, 2):
        sql(f, f"SELECT * FROM what_if({w}, '* x{factor}')")


@test
def random_links_and_times():
    # Whatever stands in a store: the parts sum, and nothing hangs.
    r = rng()
    s = Store()
    flows = []
    for n in range(150):
        w = s.workflow(n)
        spans, times = [w], []
        for i in range(r.randint(1, 12)):
            t = [r.randrange(0, 40) * r.choice((1, MS, S)) for _ in range(7)]
            i = s.task(w, i)
            for event, x in zip(("submitted", "pending", "launched", r.choice(("exec_done", "failed", "joining")), "pending", "launched", "exec_done"), t):
                if r.random() < 0.7:
                    s.event(i, event, x), times.append(x)
            spans.append(i)
            if r.random() < 0.5:
                x = s.span(r.choice((TRY, IX_TASK, WORKER_TASK, MGR_TASK, "other", TASK)), f"{n}.{i}", r.choice(spans))
                for event in r.sample(("launched", "interchange_put", "worker_received_task", "worker_completed_task", "manager_got_task", "begin", "end", "try_failed"), 3):
                    t = r.randrange(0, 40) * r.choice((1, MS, S))
                    s.event(x, event, t), times.append(t)
                spans.append(x)
        links = {(r.choice(spans), r.choice((IN, FACET, AFTER, FLOW)), r.choice(spans)) for _ in range(r.randint(0, 12))}
        for x, kind, y in links:
            if x != w and (kind != FACET or y != w):
                s.link(x, kind, y)
        flows.append((w, times))
    f = s.done()
    rows = sql(f, f"SELECT w.id AS w, start_ns - {T0} AS a, end_ns - {T0} AS b, task, component, state FROM sl_span w JOIN sl_name n ON n.id = w.type, critical_path(w.id) WHERE n.name = '{WORKFLOW}'")
    by = {}
    for x in rows:
        by.setdefault(x["w"], []).append((x["a"], x["b"], x["task"], x["component"], x["state"]))
    for w, times in flows:
        if times:
            sound(by.get(w, []), min(times), max(times), f"workflow {w}")
    for r_ in sql(f, f"SELECT w.id AS w, i.* FROM sl_span w JOIN sl_name n ON n.id = w.type, what_if(w.id, '* x1') i WHERE n.name = '{WORKFLOW}'"):
        equal((r_["new_first_ns"], r_["new_done_ns"]), (r_["first_ns"], r_["done_ns"]), f"{r_}")


@test
def tasks_without_an_end():
    # b never is done; a is, at 3.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=10))
    a = simple(s, w, "a", 1, 2, 3)
    simple(s, w, "b", 1.001, 3, None, [a])
    v = s.workflow("v", **sec(started=0))
    s.task(v, "only", **sec(submitted=4))
    f = s.done()
    got, _ = critical(f, w)
    sound(got, 0, 10 * S)
    sound(critical(f, v)[0], 0, 4 * S)
    rows = sql(f, f"SELECT * FROM slack({w})")
    equal(sorted(r["task"] for r in rows), ["a", "b"])
    for r in sql(f, f"SELECT * FROM what_if({w}, '* x1')"):
        equal((r["new_first_ns"], r["new_done_ns"]), (r["first_ns"], r["done_ns"]), r["task"])


@test
def other_types_by_after():
    # Types that no recipe declares: x (1 to 3), y waits for it (3.5 to 6, a mark at 4).
    s = Store()
    w = s.workflow("1", kind="my.flow", **sec(begin=0, end=7))
    x = s.span("my.step", "x", w, **sec(begin=1, end=3))
    y = s.span("my.step", "y", w, **sec(begin=3.5, mark=4, end=6))
    s.link(y, AFTER, x)
    f = s.done()
    got = joined(critical(f, w)[0])
    sound(got, 0, 7 * S)
    got = [p for p in got if p[1] <= 3 * S or p[0] >= 3500 * MS]  # what is between x and y, the manual does not say
    equal([p for p in got if p[3] == "my.step"],
          [(S, 3 * S, "x", "my.step", "after begin"), (3500 * MS, 4 * S, "y", "my.step", "after begin"), (4 * S, 6 * S, "y", "my.step", "after mark")])
    is_slack(f, w, x=0, y=0)
    r = csv_rows(spanloom("critical-path", "-d", f, "--format", "csv", "my.flow", "1").out)
    equal([(p["task"], p["component"]) for p in r if p["task"] and p["state"].startswith("after ")], [("x", "my.step"), ("y", "my.step"), ("y", "my.step")])


@test
def other_types_by_flow():
    # A thread begins another (flow), which ends last: until it began, the path is in the first.  c is on no path.
    s = Store()
    w = s.workflow("1", kind="my.flow", **sec(begin=0, end=8))
    a = s.span("my.thread", "a", w, **sec(begin=1, end=4))
    b = s.span("my.thread", "b", w, **sec(begin=3, end=7))
    s.span("my.thread", "c", w, **sec(begin=3.5, end=5))
    s.link(a, FLOW, b)
    f = s.done()
    is_path(f, w, [(0, 1, *FIRST), (1, 3, "a", "my.thread", "after begin"), (3, 7, "b", "my.thread", "after begin"), (7, 8, *LAST)])


@test
def stage_in_a_task():
    # A stage of the application, told by it while the task runs (2 to 5), shows from its first to its last event.
    for how in ("parent", "link"):
        s = Store(f"{how}.db")
        w = s.workflow(**sec(started=0, cleanup_completed=6))
        a = s.task(w, "a", **sec(submitted=1, pending=1, launched=1, exec_done=5.5))
        s.htex(a, **sec(launched=1, received=2, completed=5))
        worker_task = s.last
        t = s.span("mycode.stage", "solve", worker_task if how == "parent" else None, 20, **sec(start=3, end=4))
        if how == "link":
            s.link(worker_task, IN, t)
        f = s.done()
        is_path(f, w, [(0, 1, *FIRST), (1, 2, "a", *QUEUE), (2, 3, "a", *RUN), (3, 4, "a", "mycode.stage", "after start"),
                       (4, 5, "a", *RUN), (5, 5.5, "a", *BACK), (5.5, 6, *LAST)], how)


@test
def processes_in_processes():
    # A process (1 to 9) starts another (2 to 6), which lies in it and starts a thread (3 to 5), which lies in that.
    s = Store()
    w = s.workflow("1", kind="my.job", **sec(begin=0, end=10))
    a = s.span("my.process", "a", w, **sec(begin=1, end=9))
    b = s.span("my.child", "b", a, **sec(begin=2, end=6))
    s.span("my.thread", "c", b, **sec(begin=3, end=5))
    f = s.done()
    got = joined(critical(f, w)[0])
    sound(got, 0, 10 * S)
    equal([(x / S, y / S, c) for x, y, _, c, _ in got if c.startswith("my.")],
          [(1, 2, "my.process"), (2, 3, "my.child"), (3, 5, "my.thread"), (5, 6, "my.child"), (6, 9, "my.process")])


@test
def driver_that_reacts():
    # c is open until 2.5.  Nothing is submitted for a second; then a is done (2) and b submitted (2.05, a twentieth of that).
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=6))
    simple(s, w, "a", 1, 1, 2)
    simple(s, w, "c", 1, 1, 2.5)
    simple(s, w, "b", 2.05, 2.05, 5)
    f = s.done()
    got = joined(critical(f, w)[0])
    equal([p for p in got if p[2]], [(S, 2 * S, "a", *QUEUE), (2050 * MS, 5 * S, "b", *QUEUE)])
    sound(got, 0, 6 * S)
    is_slack(f, w, a=0, b=0, c=2.5)


@test
def slack_behind_a_reaction():
    # z is submitted (2.02) right after x was done (2), but waits for y until 5: x could have been done 2.98 s later.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=7))
    simple(s, w, "x", 1, 1, 2)
    y = simple(s, w, "y", 1, 1, 5)
    simple(s, w, "z", 2.02, 5, 6, [y])
    f = s.done()
    is_path(f, w, [(0, 1, *FIRST), (1, 5, "y", *QUEUE), (5, 6, "z", *QUEUE), (6, 7, *LAST)])
    is_slack(f, w, x=2.98, y=0, z=0)


@test
def driver_that_does_not_react():
    # 1. The same with b at 2.25, a quarter of a second after a: not within a tenth of 1.25 s.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=6))
    simple(s, w, "a", 1, 1, 2)
    simple(s, w, "c", 1, 1, 2.5)
    simple(s, w, "b", 2.25, 2.25, 5)
    # 2. It submitted something 9 ms before b.
    v = s.workflow("v", **sec(started=0, cleanup_completed=6))
    simple(s, v, "c", 1, 1, 2.5)
    simple(s, v, "d", 1.991, 2, 2.3)
    simple(s, v, "a", 1, 1, 2)
    simple(s, v, "b", 2, 2, 5)
    f = s.done()
    is_path(f, w, [(0, 1, *FIRST), (1, 2.25, *BETWEEN), (2.25, 5, "b", *QUEUE), (5, 6, *LAST)])
    is_slack(f, w, a=3, b=0, c=2.5)
    is_path(f, v, [(0, 1, *FIRST), (1, 2, *BETWEEN), (2, 5, "b", *QUEUE), (5, 6, *LAST)])


@test
def driver_that_waits_for_all():
    # Two rounds, with nothing open between 3 and 3.5: idle, and on with a, which was done last.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=6))
    simple(s, w, "a", 1, 1, 3)
    simple(s, w, "b", 1.001, 1.001, 2)
    simple(s, w, "c", 3.5, 3.5, 4)
    simple(s, w, "d", 3.501, 3.501, 5)
    f = s.done()
    is_path(f, w, [(0, 1, *FIRST), (1, 3, "a", *QUEUE), (3, 3.5, *IDLE), (3.5, 3.501, *BETWEEN), (3.501, 5, "d", *QUEUE), (5, 6, *LAST)])
    got = slacks(f, w)
    equal({k: round(got[k][0], 9) for k in "acd"}, {"a": 0, "c": 1, "d": 0})
    check(got["b"][0] > 0, got)


@test
def of_one_task():
    # critical_path() of a span that is a task: from its first event to its last.  All of it until it is done is the task's.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=12))
    a = simple(s, w, "a", 1, 1, 6)
    b = s.task(w, "b", [a], **sec(submitted=1.001, pending=1.001, launched=6.25, exec_done=9.5))
    s.htex(b, **sec(launched=6.25, received=7, completed=9, finished=9.75))
    f = s.done()
    got, _ = critical(f, b)
    sound(got, 1001 * MS, 9750 * MS)
    got = joined(got)
    equal([p for p in got if p[3:] in (DEP, QUEUE, RUN)], [(1001 * MS, 6250 * MS, "b", *DEP), (6250 * MS, 7 * S, "b", *QUEUE), (7 * S, 9 * S, "b", *RUN)])


# ---- random graphs

class Case:
    """A workflow: times, and the numbers of the tasks that each waited for.  A task is pending once submitted."""

    def __init__(self, at, launched, done, after, start, end):
        self.at, self.launched, self.done, self.after, self.start, self.end = at, launched, done, after, start, end
        self.n, self.vague = len(at), False

    def put(self, s, key):
        w = s.workflow(key, started=self.start, cleanup_completed=self.end)
        self.tasks = []
        for i in range(self.n):
            self.tasks.append(s.task(w, i, [self.tasks[j] for j in self.after[i]], submitted=self.at[i], pending=self.at[i],
                                     launched=self.launched[i], exec_done=self.done[i]))
        return w

    def waited(self, i):
        """The dependencies that held it up, the last one first."""
        return sorted((j for j in self.after[i] if self.done[j] > self.at[i]), key=lambda j: -self.done[j])

    def driver(self, t):
        """What it did before it submitted something at t, by the manual: (since, task that it waited for or None, state)."""
        before = [a for a in self.at if a < t]
        if not before:
            return self.start, None, "before the first task"
        done = max((j for j in range(self.n) if self.done[j] <= t), key=lambda j: self.done[j], default=None)
        if done is not None and not any(self.at[j] < t < self.done[j] for j in range(self.n)):
            return self.done[done], done, "idle"
        last = max(before)
        # "that while" can be meant to end with the task or with the submission: what both agree on counts
        self.vague |= done is not None and self.done[done] > last and (
            self.done[done] - last < 10 * MS <= t - last or t - last < (t - self.done[done]) * 11 < 1.1 * (t - last) + 11)
        if t - last >= 10 * MS and done is not None and self.done[done] > last and (t - self.done[done]) * 10 <= t - last:
            return self.done[done], done, "between submissions"  # the manual does not call it anything
        return last, None, "between submissions"

    def path(self):
        """As the manual tells it."""
        i = max(range(self.n), key=lambda i: self.done[i])
        parts = [(self.done[i], self.end, *LAST)]
        while i is not None:
            parts.append((self.launched[i], self.done[i], str(i), *QUEUE))
            waited = self.waited(i)
            if waited:
                parts.append((self.done[waited[0]], self.launched[i], str(i), *DEP))
                i = waited[0]
                continue
            parts.append((self.at[i], self.launched[i], str(i), *DEP))
            t, i = self.at[i], None
            while i is None and t > self.start:
                since, i, state = self.driver(t)
                parts.append((since, t, None, "driver", state))
                t = since
        return parts[::-1]

    def slack(self):
        """Latest times, backwards: of each task's end, and of each submission."""
        end = max(self.done)
        late, late_at = [None] * self.n, [None] * self.n
        order = sorted(range(self.n), key=lambda i: self.at[i])
        next_of = dict(zip(order, order[1:]))
        waits = {i: self.driver(self.at[i]) for i in order}
        events = sorted([(self.done[i], 1, i) for i in range(self.n)] + [(self.at[i], 0, i) for i in range(self.n)], reverse=True)
        for _, is_done, i in events:
            if is_done:
                late[i] = end
                for k in range(self.n):
                    if i in self.after[k]:
                        ready = max([self.at[k]] + [self.done[j] for j in self.after[k]])
                        late[i] = min(late[i], late[k] - self.done[k] + ready)
                    last = waits[k][1]
                    if last == i or waits[k][2] == "idle" and self.done[i] <= self.at[k]:  # then it waited for all
                        late[i] = min(late[i], self.done[last] + late_at[k] - self.at[k])
            else:
                ready = max([self.at[i]] + [self.done[j] for j in self.after[i]])
                late_at[i] = late[i] - self.done[i] + ready
                k = next_of.get(i)
                if k is not None:  # the next one comes later, and not before the task that it waited for
                    since = self.at[i] if waits[k][1] is None else self.done[waits[k][1]]
                    late_at[i] = min(late_at[i], since + late_at[k] - self.at[k])
        return [late[i] - self.done[i] for i in range(self.n)]


OF_ALL = f"SELECT w.id AS w, x.* FROM sl_span w JOIN sl_name n ON n.id = w.type, %s x WHERE n.name = '{WORKFLOW}'"


def run(cases, many=40):
    """Put them into stores, each with many of them; give [(case, its id, parts, {task: slack row})]."""
    out = []
    for first in range(0, len(cases), many):
        s = Store(f"{first}.db")
        ids = [c.put(s, n) for n, c in enumerate(cases[first:first + many])]
        f = s.done()
        paths, slack = {}, {}
        for r in sql(f, OF_ALL % "critical_path(w.id)"):
            paths.setdefault(r["w"], []).append((int(r["start_ns"]) - T0, int(r["end_ns"]) - T0, r["task"], r["component"], r["state"]))
        for r in sql(f, OF_ALL % "slack(w.id)"):
            slack.setdefault(r["w"], {})[r["task"]] = r
        out += [(c, f"{i} of {first}.db", paths.get(i, []), slack.get(i, {})) for c, i in zip(cases[first:], ids)]
        os.remove(f)
    return out


def dag(r, n, wide):
    """after[i] < i"""
    return [sorted({r.randrange(max(0, i - wide), i) for _ in range(r.choice((0, 1, 1, 2, 3)))}) if i else [] for i in range(n)]


def burst(r):
    """All submitted at the start, each launched when its last dependency is done."""
    n = r.randint(1, 40)
    after = dag(r, n, r.choice((3, 10, 40)))
    at, launched, done = [], [], []
    for i in range(n):
        at.append(i * US)
        launched.append(max([at[i]] + [done[j] for j in after[i]]))
        done.append(launched[i] + r.randrange(100 * US, 5 * S))
    return Case(at, launched, done, after, 0, max(done) + r.choice((0, 1, S)))


def longest(c):
    """Of the chain of tasks that is longest: no other thing that this could be mistaken for."""
    best = {}
    for i in range(c.n):
        best[i] = max([c.at[i]] + [best[j] for j in c.after[i]]) + c.done[i] - c.launched[i]
    return max(best.values())


def cpm(c):
    """Slack as textbooks have it: the latest finish less the earliest."""
    duration = [c.done[i] - c.launched[i] for i in range(c.n)]
    early, late = [0] * c.n, [None] * c.n
    for i in range(c.n):
        early[i] = max([c.at[i]] + [early[j] for j in c.after[i]]) + duration[i]
    for i in reversed(range(c.n)):
        late[i] = min([max(early)] + [late[k] - duration[k] for k in range(c.n) if i in c.after[k]])
    return [a - b for a, b in zip(late, early)]


def invariants(c, parts, slack, what):
    sound(parts, c.start, c.end, what)
    for a, b, task, component, state in parts:
        check(task is None or slack[task]["slack_s"] == 0, f"{what}: task {task} is on the path and has slack {slack.get(task)}")
        check((task is None) == (component == "driver"), what, component)
    own = {}
    for a, b, task, *_ in parts:
        own[task] = own.get(task, 0) + b - a
    for i in range(c.n):
        row = slack[str(i)]
        check(abs(row["path_s"] - own.get(str(i), 0) / 1e9) < 1e-9, f"{what}: path_s of {row}, want {own.get(str(i), 0)}")
        equal((int(row["first_ns"]) - T0, int(row["done_ns"]) - T0), (c.at[i], c.done[i]), f"{what}: task {i}")
        check(row["slack_s"] >= 0, f"{what}: {row}")


@cases(*range(5))
def bursts(number):
    r = rng()
    results = run([burst(r) for _ in range(600)])
    for c, w, parts, slack in results:
        what = f"workflow {w}"
        invariants(c, parts, slack, what)
        tasks = [p for p in parts if p[2]]
        equal(max(p[1] for p in tasks), longest(c), f"{what}: length of the path")
        on = {int(p[2]) for p in tasks}
        want = cpm(c)
        for i in range(c.n):
            check(abs(slack[str(i)]["slack_s"] - want[i] / 1e9) < 1e-9, f"{what}: slack of {i} is {slack[str(i)]['slack_s']}, want {want[i] / 1e9}")
        check(all(want[i] == 0 for i in on), what)
        chain = sorted(on, key=lambda i: c.done[i])
        check(all(a in c.after[b] for a, b in zip(chain, chain[1:])), f"{what}: {chain} is no chain")
        equal(sum(p[1] - p[0] for p in tasks if p[4] == QUEUE[1]), sum(c.done[i] - c.launched[i] for i in chain), what)
    note(sum(c.n for c, *_ in results), "tasks")


def program(r):
    """A driver that submits, works, reacts to the end of some task or waits for all of them; own time before each launch."""
    n = r.randint(1, 40)
    after = dag(r, n, r.choice((3, 10, 40)))
    start = 0
    t, at, launched, done = r.randrange(S), [], [], []
    style = r.choice(("any", "barrier", "react", "slow"))
    for i in range(n):
        what = r.choice(("burst", "burst", "work", "barrier", "react")) if style == "any" else \
            {"slow": "work"}.get(style, style) if r.random() < 0.3 else "burst"
        if what == "work" or not i:
            t += r.randrange(1, r.choice((MS, 20 * MS, 3 * S)))
        elif what == "barrier":
            t = max(t, max(done)) + r.randrange(1, r.choice((MS, S)))
        elif what == "react":
            later = [d for d in done if d > t]
            t = (r.choice(later) if later else t) + r.randrange(1, 5 * MS)
        else:
            t += r.randrange(1, 500 * US)
        at.append(t)
        launched.append(max([t] + [done[j] for j in after[i]]) + r.randrange(10 * MS))
        done.append(launched[i] + r.randrange(1, r.choice((20 * MS, 2 * S))))
    return Case(at, launched, done, after, start, max(done) + r.randrange(S))


@cases(*range(3))
def drivers(number):
    r = rng()
    results = run([program(r) for _ in range(400)])
    vague, wrong = 0, []
    for c, w, parts, slack in results:
        what = f"workflow {w}"
        invariants(c, parts, slack, what)
        want, got, slack_of = joined(c.path()), joined(parts), c.slack()
        vague += c.vague
        if c.vague:
            continue
        check(got == want, f"{what}: got\n{shown(got)}\nwant\n{shown(want)}")
        wrong += [f"{what}: slack of {i} is {slack[str(i)]['slack_s']}, want {slack_of[i] / 1e9}" for i in range(c.n)
                  if abs(slack[str(i)]["slack_s"] - slack_of[i] / 1e9) >= 1e-9]
    check(vague < 100, vague, "are skipped")
    check(not wrong, len(wrong), "wrong, the first is", *wrong[:1])


# ---- what_if() by hand

def new_times(f, w, changes, **options):
    """{task: (new first, new done)}, seconds"""
    return {r["task"]: (round((int(r["new_first_ns"]) - T0) / S, 6), round((int(r["new_done_ns"]) - T0) / S, 6))
            for r in sql(f, f"SELECT * FROM what_if({w}, '{changes}')", **options)}


def two_on_a_worker(pause, wait=0.25):
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=8))
    x = s.span(EXECUTOR, "htex", w)
    m = s.span("parsl.executor.htex.manager", "m", x)
    k = s.span("parsl.executor.htex.worker", "0", m, WORKER)
    a = s.task(w, "a", **sec(submitted=1, pending=1, launched=1, exec_done=3.5))
    b = s.task(w, "b", **sec(submitted=1.001, pending=1.001, launched=1.002, exec_done=6))
    s.htex(a, **sec(launched=1, received=1 + wait, completed=3), worker=k, manager=m, executor=x)
    s.htex(b, **sec(launched=1.002, received=3 + pause, completed=5), worker=k, manager=m, executor=x)
    return s.done(), w


@cases((0, 0.25), (0.001, 0.25), (0, 0), (0.001, 0))
def what_if_a_place_is_taken_at_once(pause, wait):
    # b has a's place: it begins when a is completed (3), or a millisecond later.  a begins at once (wait 0), or does not.
    f, w = two_on_a_worker(pause, wait)
    got = new_times(f, w, "running on a worker x0.5")
    completed = 1 + wait + (2 - wait) / 2
    equal(got, {"a": (1, completed + 0.5), "b": (1.001, round(completed + pause + (2 - pause) / 2 + 1, 6))})


@cases(0, 0.001)
def what_if_a_task_is_launched_at_once(pause):
    # b is submitted at 4, idle since c was done at 3.  It waits for a, done at 2, no more: with running x0.5 (a from 2 to 1.5, c
    # from 3 to 2) it is submitted at 3 and launched at once.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=8))
    a, c = (s.task(w, k, **sec(submitted=1, pending=1, launched=1, exec_done=t)) for k, t in (("a", 2), ("c", 3)))
    s.htex(a, **sec(launched=1, received=1, completed=2))
    s.htex(c, **sec(launched=1, received=1, completed=3))
    b = s.task(w, "b", [a], **sec(submitted=4, pending=4, launched=4 + pause, exec_done=6 + pause))
    s.htex(b, **sec(launched=4 + pause, received=4 + pause, completed=6 + pause))
    f = s.done()
    equal(new_times(f, w, "running on a worker x0.5"), {"a": (1, 1.5), "c": (1, 2), "b": (3, 4 + pause)})


@test
def what_if_a_round_takes_longer():
    # The driver waits until a (3) and b (2) are done, and then submits c (3.5).  b could be done a second later, says slack();
    # two seconds later it is the one that the driver waits for: until 4.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=6))
    a, b, c = (s.task(w, k, **sec(submitted=at, pending=at, launched=at, exec_done=t)) for k, at, t in (("a", 1, 3), ("b", 1.001, 2), ("c", 3.5, 5)))
    for task, at, t in ((a, 1, 3), (b, 1.001, 2), (c, 3.5, 5)):
        s.htex(task, **sec(launched=at, received=at, completed=t))
    s.attr(b, "app", "slow")
    f = s.done()
    is_slack(f, w, a=0, b=1, c=0)
    equal(new_times(f, w, "app=slow x3"), {"a": (1, 3), "b": (1.001, 3.998), "c": (4.498, 5.998)})


@test
def what_if_changes_what_it_says():
    # a: 1 s in the executor's queue, 2 s running, 0.5 s back; b waits for it: 0.25 s until it is launched, 1 s running.
    s = Store()
    w = s.workflow(**sec(started=0, cleanup_completed=7))
    a = s.task(w, "a", **sec(submitted=1, pending=1, launched=1, exec_done=4.5))
    s.htex(a, **sec(launched=1, received=2, completed=4))
    b = s.task(w, "b", [a], **sec(submitted=1.001, pending=1.001, launched=4.75, exec_done=5.75))
    s.htex(b, **sec(launched=4.75, received=4.75, completed=5.75))
    s.attr(a, "task_func_name", "align_2")
    f = s.done()
    for changes, first, done, next_done, end in (
            ("running on a worker x0.5", 1, 3.5, 4.25, 5.5), ("htex worker x0.5", 1, 3.5, 4.25, 5.5), ("htex worker/running on a worker x0.5", 1, 3.5, 4.25, 5.5),
            ("*/running* x0.5", 1, 3.5, 4.25, 5.5), ("task_func_name=align* x0.5", 1, 3.5, 4.75, 6), ("task_func_name=align* x1.5", 1, 5.5, 6.75, 8),
            ("running on a worker x0.5, htex worker x0.5", 1, 3, 3.5, 4.75), ("running on a worker x4, htex worker x0.25", 1, 4.5, 5.75, 7),
            ("in the executor''s queue x0", 1, 3.5, 4.75, 6), ("executor x3", 1, 6.5, 7.75, 9), ("htex manager x0", 1, 4, 5.25, 6.5),
            ("parsl.executor.htex.worker.task x0", 1, 2, 2.25, 3.5), ("parsl.executor.htex.* x0", 1, 2, 2.25, 3.5), ("running on a worker x1e0", 1, 4.5, 5.75, 7)):
        got = new_times(f, w, changes)
        equal({k: got[k][1] for k in got}, {"a": done, "b": next_done}, changes)
        equal(got["a"][0], first, changes)
        row = sql(f, f"SELECT DISTINCT makespan_s, new_makespan_s FROM what_if({w}, '{changes}')")
        equal([(r["makespan_s"], round(r["new_makespan_s"], 6)) for r in row], [(7, end)], changes)
    # the driver's own time: before the first task, between the two submissions, after the last task
    got = sql(f, f"SELECT DISTINCT new_makespan_s FROM what_if({w}, 'driver x0')")
    equal([round(r["new_makespan_s"], 6) for r in got], [4.75], "driver x0")
    # all of it
    for x in (2, 0.5, 0):
        got = sql(f, f"SELECT DISTINCT new_makespan_s FROM what_if({w}, '* x{x}')")
        equal([round(r["new_makespan_s"], 6) for r in got], [7 * x], f"* x{x}")


@test
def what_if_says_what_is_wrong():
    f, w = two_on_a_worker(0.001)
    for changes in ("", " ", "x", "x0.5", "running on a worker", "running on a worker x", "running on a worker x-1", "running on a worker xnan",
                    "running on a worker xinf", "running on a worker x1e999", "running on a worker x0.5x", "running on a worker x0.5 y", "no such state x2",
                    "app=nothing x2", "=x x2", "running on a worker x0.5,", ",", "running on a worker 0.5"):
        r = spanloom("sql", "-d", f, f"SELECT count(*) FROM what_if({w}, '{changes}')", code=1)
        check(r.err.startswith("spanloom: ") and "what_if" in r.err, f"{changes!r}: {r}")
        equal(r.err.count("\n"), 1, f"{changes!r}: lines")
        if changes.strip():
            r = spanloom("what-if", "-d", f, changes, code=(1, 2))
            check(r.err.startswith("spanloom: ") and not r.out, r)
    spanloom("what-if", "-d", f, code=(1, 2))
    for text in ("what_if()", f"what_if({w})", "critical_path()", "slack()"):
        r = spanloom("sql", "-d", f, f"SELECT * FROM {text}", code=1)
        check(r.err.startswith("spanloom: "), r)
    for i in ("NULL", "'x'", "-1", "1e99", "x''"):  # no such span: no rows, or a clear message
        for text in (f"what_if({i}, 'running on a worker x0.5')", f"critical_path({i})", f"slack({i})"):
            r = spanloom("sql", "-d", f, f"SELECT * FROM {text}", code=(0, 1))
            check(r.code == 0 and not r.out.strip() or r.code and r.err.startswith("spanloom: ") or r.out.count("\n") == 1, r)


# ---- what_if() against a simulator

class Farm:
    """Tasks on workers.  A task is launched its own while after it is submitted and its dependencies are done; received by a
    worker its own while after that, and after what this worker had before is completed; and done its own while after it
    has run.  The driver submits its tasks in rounds: it waits until all are done, works, and submits the next."""

    def __init__(self, r, rounds):
        self.n, self.workers = r.randint(1, 40), r.randint(1, 5)
        self.after = dag(r, self.n, r.choice((3, 10, 40)))
        even = lambda most: 2 * r.randrange(most // 2)  # so that half of it is an integer
        # of a task that was held up it is not known how long it would have taken otherwise, and of one that was not, how long
        # it takes after that: (almost) nothing, here
        self.own = [2 if after else 2 + even(r.choice((4, 20 * MS))) for after in self.after]
        self.to_worker = [2] * self.n
        self.back = [even(r.choice((4, 20 * MS))) for _ in range(self.n)]
        self.runs = [even(r.choice((10 * MS, 3 * S))) + 2 * US for _ in range(self.n)]
        self.rounds = [i == 0 or rounds and r.random() < 0.2 for i in range(self.n)]
        self.works = [even(r.choice((20 * MS, S))) + 2 if first else 2 * US for first in self.rounds]
        self.app = [r.choice("ab") for _ in range(self.n)]
        self.worker, self.order = [None] * self.n, []
        self.plan()

    def plan(self):
        """Who runs what, and in which order: the task that is launched first gets the worker that is free first."""
        free, last_done, t = [0] * self.workers, 0, 0
        received = {}
        at, launched, done = {}, {}, {}
        waiting = list(range(self.n))
        while waiting:
            ready = []
            for i in waiting:  # in the order of submission; a round is submitted when all before are done
                if i not in at:
                    if self.rounds[i] and any(j not in done for j in range(i)):
                        break
                    t = max([t] + [done[j] for j in range(i)] if self.rounds[i] else [t]) + self.works[i]
                    at[i] = t
                if all(j in done for j in self.after[i]):
                    ready.append((max([at[i]] + [done[j] for j in self.after[i]]) + self.own[i], i))
            _, i = min(ready)
            k = min(range(self.workers), key=lambda k: free[k])
            self.worker[i] = k
            self.order.append(i)
            launched[i] = min(ready)[0]
            received[i] = max(launched[i], free[k]) + self.to_worker[i]
            free[k] = received[i] + self.runs[i]
            done[i] = free[k] + self.back[i]
            waiting.remove(i)

    def times(self, factor=lambda i: (1, 1), driver=(1, 1)):
        """Of all tasks: submitted, launched, received, completed, done.  Factors are (numerator, denominator)."""
        at, launched, received, completed, done = {}, {}, {}, {}, {}
        before, last = {}, {}
        for i in self.order:
            before[i] = last.get(self.worker[i])
            last[self.worker[i]] = i
        times = lambda x, f: x * f[0] // f[1]
        t, todo, submitted = 0, list(self.order), 0
        while todo or submitted < self.n:
            moved = False
            while submitted < self.n and (not self.rounds[submitted] or all(j in done for j in range(submitted))):
                i = submitted
                t = max([t] + ([done[j] for j in range(i)] if self.rounds[i] else [])) + times(self.works[i], driver)
                at[i], submitted, moved = t, i + 1, True
            for i in list(todo):
                if i in at and all(j in done for j in self.after[i]) and (before[i] is None or before[i] in completed):
                    launched[i] = max([at[i]] + [done[j] for j in self.after[i]]) + self.own[i]
                    received[i] = max(launched[i], completed.get(before[i], 0)) + self.to_worker[i]
                    completed[i] = received[i] + times(self.runs[i], factor(i))
                    done[i] = completed[i] + self.back[i]
                    todo.remove(i)
                    moved = True
            check(moved, "the simulator is stuck")
        return [(at[i], launched[i], received[i], completed[i], done[i]) for i in range(self.n)]

    def put(self, s, key):
        times = self.times()
        self.end = max(x[4] for x in times) + 1000
        w = s.workflow(key, started=0, cleanup_completed=self.end)
        x = s.span(EXECUTOR, "htex", w)
        m = s.span("parsl.executor.htex.manager", "m", s.span("parsl.rundir.block", "0", x))
        workers = [s.span("parsl.executor.htex.worker", k, m, WORKER + k) for k in range(self.workers)]
        ids = []
        for i, (at, launched, received, completed, done) in enumerate(times):
            ids.append(s.task(w, i, [ids[j] for j in self.after[i]], submitted=at, pending=at, launched=launched, exec_done=done))
            s.attr(ids[i], "app", self.app[i])
            s.htex(ids[i], launched=launched, received=received, completed=completed, manager=m, executor=x, worker=workers[self.worker[i]],
                   worker_source=WORKER + self.worker[i])
        return w


def replayed(f, changes):
    """{workflow: ({task: (first, done, new first, new done)}, makespan, new makespan)}"""
    out = {}
    for r in sql(f, f"SELECT w.id AS w, x.*, x.makespan_s, x.new_makespan_s FROM sl_span w JOIN sl_name n ON n.id = w.type, what_if(w.id, '{changes}') x WHERE n.name = '{WORKFLOW}'"):
        tasks = out.setdefault(r["w"], ({}, r["makespan_s"], r["new_makespan_s"]))[0]
        tasks[r["task"]] = tuple(int(r[c]) - T0 for c in ("first_ns", "done_ns", "new_first_ns", "new_done_ns"))
    return out


FACTORS = {"0": (0, 1), "0.5": (1, 2), "1": (1, 1), "2": (2, 1), "7": (7, 1)}


@cases("one round", "rounds")
def what_if_on_workers(how):
    r = rng()
    for store in range(6):
        s = Store(f"{store}.db")
        farms = {}
        for n in range(25):
            farm = Farm(r, how == "rounds")
            farms[farm.put(s, n)] = farm
        f = s.done()
        for x, factor in FACTORS.items():
            for changes, of, driver in ((f"running on a worker x{x}", lambda i: factor, (1, 1)), (f"app=a x{x}", lambda i: factor if farm.app[i] == "a" else (1, 1), (1, 1)),
                                        (f"parsl.executor.htex.worker.task x{x}, result on its way back x1", lambda i: factor, (1, 1))):
                if "worker.task" in changes:  # whose event began it: the way back is told by the same span
                    changes = f"htex worker/running* x{x},driver x{x}"
                    driver = factor
                try:
                    got = replayed(f, changes)
                except AssertionError as e:  # no task does such a thing
                    check("app=a" in changes and not all("a" in farm.app for farm in farms.values()), e)
                    continue
                for w, farm in farms.items():
                    old, new = farm.times(), farm.times(of, driver)
                    tasks, makespan, new_makespan = got[w]
                    check(abs(makespan - farm.end / 1e9) < 1e-9, f"{store}.db {w}: makespan is {makespan}, not {farm.end / 1e9}")
                    base = 0 if driver == (1, 1) else tasks["0"][2] - new[0][0]  # whether time before the first task is the driver's own
                    for i in range(farm.n):
                        want = (old[i][0], old[i][4], new[i][0] + base, new[i][4] + base)
                        near = all(abs(a - b) <= 4 * farm.n for a, b in zip(tasks[str(i)], want))
                        check(near, f"{store}.db, workflow {w}, {changes}: task {i} is {tasks[str(i)]}, want {want}")
                    if driver == (1, 1):
                        want = max(x[4] for x in new) + 1000
                        check(abs(new_makespan - want / 1e9) < farm.n * 5e-9, f"{store}.db {w} {changes}: new makespan is {new_makespan}, not {want / 1e9}")


@cases(*range(2))
def what_if_in_general(number):
    """Random drivers and farms: x1 is what was; less time for anything never makes anything later, more never sooner."""
    r = rng()
    for store in range(2):
        s = Store(f"{store}.db")
        for n in range(20):
            (program(r) if n % 2 else Farm(r, r.random() < 0.7)).put(s, n)
        f = s.done()
        for what in ("*", "driver", "in the executor*", "running on a worker", "parsl/waiting for dependencies or its launch", "htex*", "*,driver", "parsl*"):
            pattern = lambda x: ",".join(f"{p} x{x}" for p in what.split(","))
            before = None
            for x in (0, 0.25, 0.999, 1, 1.001, 3):
                got = replayed_or_none(f, pattern(x))
                if got is None:
                    continue
                for w, (tasks, makespan, new_makespan) in got.items():
                    check(x >= 1 and new_makespan >= makespan - 1e-9 or x <= 1 and new_makespan <= makespan + 1e-9, f"{store}.db {w}: {pattern(x)}: {makespan} -> {new_makespan}")
                    for i, t in tasks.items():
                        check(x != 1 or t[:2] == t[2:], f"{store}.db {w} {pattern(x)}: task {i} is {t}")
                        check(t[2] <= t[3], f"{store}.db {w} {pattern(x)}: task {i} is done before it is submitted: {t}")
                        if before:
                            was = before[w][0][i]
                            check(was[2] <= t[2] and was[3] <= t[3], f"{store}.db {w}: {pattern(x)}: task {i} is {t}, and with less time {was}")
                before = got


def replayed_or_none(f, changes):
    try:
        return replayed(f, changes)
    except AssertionError as e:
        check("no task does anything" in str(e), e)


# ---- real runs

DATA = f"{ROOT}/tests/data"
RUNS = [EXAMPLE] + [f"{DATA}/{d}" for d in sorted(os.listdir(DATA)) if os.path.isdir(f"{DATA}/{d}")]


@cases(*RUNS)
def run_of(run):
    f = imported(run).store
    n = 0
    for w, kind, key in query(f, "SELECT s.id, s.type, s.key FROM spans s JOIN sl_role r ON r.type = s.type AND role = 'workflow'"):
        n += 1
        start, end = [int(x) for x in sql(f, f"SELECT printf('%d', min(time_ns)) AS a, printf('%d', max(time_ns)) AS b FROM descendants({w}) d JOIN events e ON e.span = d.span")[0].values()]
        parts, rows = critical(f, w)
        sound(parts, start - T0, end - T0, f"{kind} {key}")
        for r in rows:
            check((r["task"] is None) == (r["task_span"] is None) == (r["component"] == "driver"), r)
            check(r["state"] and r["span"], r)
        own = {}
        for r in rows:
            own[r["task_span"]] = own.get(r["task_span"], 0) + r["b"] - r["a"]
        slack = sql(f, f"SELECT *, printf('%d', first_ns) AS first, printf('%d', done_ns) AS done FROM slack({w})")
        order = [int(r["first"]) for r in slack]
        equal(order, sorted(order), "the order of submission")
        for r in slack:
            check(abs(r["path_s"] - own.pop(r["span"], 0) / 1e9) < 1e-9, r)
            check(r["slack_s"] >= 0 and (not r["path_s"] or r["slack_s"] == 0), r)
        equal(set(own) - {None}, set(), "tasks on the path that slack() does not have")
        for i, r in enumerate(sql(f, f"SELECT *, makespan_s, new_makespan_s FROM what_if({w}, '* x1')")):
            equal((r["new_first_ns"], r["new_done_ns"], r["first_ns"], r["done_ns"]), (slack[i]["first_ns"], slack[i]["done_ns"]) * 2, f"x1: {r}")
            check(abs(r["makespan_s"] - (end - start) / 1e9) < 1e-9 and r["makespan_s"] == r["new_makespan_s"], r)
        before = None
        for x in (0, 0.3, 1, 1.5, 10):
            new = sql(f, f"SELECT DISTINCT new_makespan_s FROM what_if({w}, '*run* x{x}, *queue* x1')") if any("run" in r["state"] for r in rows) else []
            check(not new or before is None or before <= new[0]["new_makespan_s"], f"x{x}: {before}, then {new}")
            before = new[0]["new_makespan_s"] if new else None
            check(before is None or x != 1 or abs(before - (end - start) / 1e9) < 1e-9, "x1", before)
        # the command says the same
        out = spanloom("critical-path", "-d", f, "--format", "csv", "span", w).out
        check(out.startswith("start,end,seconds,task,component,state,span\n"), out[:100])
        got = csv_rows(out)
        ns = lambda text: round((datetime.datetime.fromisoformat(text[:19]) - datetime.datetime(1970, 1, 1)).total_seconds()) * S + int(text[20:29])
        equal([(ns(r["start"]) - T0, ns(r["end"]) - T0, r["task"] or None, r["component"], r["state"]) for r in got], parts, "csv")
        for r, p in zip(got, parts):
            check(abs(float(r["seconds"]) - (p[1] - p[0]) / 1e9) < 1e-9, r)
        for more in (("--by", "task"), ("--by", "component"), ("--by", "state"), ("--all",), ("--slack",)):
            check(spanloom("critical-path", "-d", f, *more, "span", w).out.strip(), more)
    check(n, "no workflow") if "slurm" not in run else None


@test
def in_other_programs():
    # sqlite3's shell and Python with the extension say what spanloom sql says.
    so = os.path.join(os.environ.get("BUILD") or f"{ROOT}/build", "spanloom.so")
    f = imported(EXAMPLE).store
    for text in ("SELECT * FROM critical_path(1)", "SELECT * FROM slack(1)", "SELECT *, makespan_s, new_makespan_s FROM what_if(1, 'parsl.executor.htex.* x0.5')",
                 "SELECT * FROM clock_skew()", "SELECT w.id, round(sum(seconds), 6) FROM spans w JOIN critical_path(w.id) WHERE w.type LIKE '%.workflow' GROUP BY 1"):
        want = [tuple(r.values()) for r in json.loads(spanloom("sql", "-d", f, "--format", "json", text).out)]
        plain = lambda rows: [tuple(str(float(v)) if str(v).replace(".", "").replace("-", "").replace("e", "").isdigit() else v for v in r) for r in rows]
        code = ("import json, sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.enable_load_extension(True); d.load_extension(sys.argv[2]); "
                "print(json.dumps(d.execute(sys.argv[3]).fetchall()))")
        r = subprocess.run(["/usr/bin/python3", "-c", code, f, so, text], capture_output=True, text=True, env=environment(), timeout=120)
        equal(r.returncode, 0, r.stderr)
        equal(plain(json.loads(r.stdout)), plain(want), f"python: {text}")
        r = subprocess.run(["sqlite3", "-json", f, "-cmd", f".load {so}", text], capture_output=True, text=True, env=environment(), timeout=120)
        equal(r.returncode, 0, r.stderr)
        shell = [tuple(x.values()) for x in json.loads(r.stdout)]
        equal(len(shell), len(want), text)
        for a, b in zip(plain(shell), plain(want)):  # the shell rounds reals to 15 digits
            check(all(x == y or abs(float(x) - float(y)) < 1e-6 for x, y in zip(a, b)), a, b)


if __name__ == "__main__":
    main()
