#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""critical_path(), slack() and what_if() on random graphs, drivers and workers, against a brute force and a simulator."""
import functools
import heapq
import itertools
import sys
import os

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import *  # noqa


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

    @functools.cached_property
    def own_pause(self):
        """Up to how long it pauses by itself, by the manual; None: nothing shows that it does."""
        quarter = lambda values, of4: sorted(values)[of4 * len(values) // 4]
        unlike = lambda values: quarter(values, 3) - quarter(values, 1)
        nothing_done, looks = [], []
        for before, t in itertools.pairwise(sorted(set(self.at))):
            if t - before >= 10 * MS:
                seen = [self.done[j] for j in range(self.n) if self.done[j] <= t and self.at[j] < t]
                if self.inferred(t)[1] is not None:
                    looks.append((t - before, t - max(seen)))
                elif not seen or max(seen) <= before:
                    nothing_done.append(t - before)
        if len(nothing_done) >= 5:
            return quarter(nothing_done, 3) * 1.25
        if len(looks) >= 5:
            pauses, left = zip(*looks)
            if unlike(pauses) <= quarter(pauses, 2) / 20 and unlike(pauses) < unlike(left) / 2:
                return quarter(pauses, 3) * 1.25
        return None

    def driver(self, t):
        """What it did before it submitted something at t, by the manual: (since, task that it waited for or None, state)."""
        last = max((a for a in self.at if a < t), default=None)
        pause = self.own_pause
        if last is not None and pause is not None and 10 * MS <= t - last <= pause:
            return last, None, "between submissions"
        return self.inferred(t)

    def inferred(self, t):
        """The same, without what shows that it pauses by itself."""
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


# ---- what_if() against a simulator

class Farm:
    """Tasks on workers.  A task is launched its own while after it is submitted and its dependencies are done; received its own
    while after that, by the worker that is free first, which serves them in the order in which they were launched; and done its
    own while after it has run.  The driver submits its tasks in rounds: it waits until all are done, works, and submits the next."""

    def __init__(self, r, rounds):
        self.n, self.workers = r.randint(1, 40), r.randint(1, 5)
        self.after = dag(r, self.n, r.choice((3, 10, 40)))
        even = lambda most: 2 * r.randrange(most // 2)  # so that half of it is an integer
        # of a task that was held up it is not known how long it would have taken otherwise, and of one that was not, how long
        # it takes after that: (almost) nothing, here
        self.own = [2 if after else 2 + even(r.choice((4, 20 * MS))) for after in self.after]
        self.back = [even(r.choice((4, 20 * MS))) for _ in range(self.n)]
        self.runs = [even(r.choice((10 * MS, 3 * S))) + 2 * US for _ in range(self.n)]
        self.rounds = [i == 0 or rounds and r.random() < 0.2 for i in range(self.n)]
        self.works = [even(r.choice((20 * MS, S))) + 2 if first else 2 * US for first in self.rounds]
        self.app = [r.choice("ab") for _ in range(self.n)]
        self.there = sorted(even(r.choice((4, 3 * S))) for _ in range(self.workers))
        self.order = list(range(self.n))
        self.order, self.worker, _ = self.schedule()

    def schedule(self, factor=lambda i: (1, 1), driver=(1, 1), workers=None):
        """Step by step: (tasks in the order in which they begin, whose they are, and of each task when it was submitted, launched,
        received, completed, done).  Factors are (numerator, denominator).  More workers are there when those were, in turn."""
        m = workers or self.workers
        free = [(self.there[k * self.workers // m], k) for k in range(m)]
        heapq.heapify(free)
        times = lambda x, f: x * f[0] // f[1]
        place = {i: k for k, i in enumerate(self.order)}
        at, launched, received, completed, done, order, worker = {}, {}, {}, {}, {}, [], {}
        t, waiting, ready = 0, [], []  # waiting: submitted; ready: launched, and not done
        while len(order) < self.n:
            for i in range(len(at), self.n):  # in the order of submission; a round is submitted when all before are done
                if self.rounds[i] and len(done) < i:
                    break
                t = max([t, *done.values()] if self.rounds[i] else [t]) + times(self.works[i], driver)
                at[i] = t
                waiting.append(i)
            for i in [i for i in waiting if all(j in done for j in self.after[i])]:
                launched[i] = max([at[i]] + [done[j] for j in self.after[i]]) + self.own[i]
                waiting.remove(i)
                ready.append(i)
            i = min(ready, key=lambda i: (launched[i], place[i]))
            ready.remove(i)
            since, k = free[0]
            received[i] = max(launched[i], since) + 2
            completed[i] = received[i] + times(self.runs[i], factor(i))
            heapq.heapreplace(free, (completed[i], k))
            done[i] = completed[i] + self.back[i]
            worker[i] = k
            order.append(i)
        return order, worker, [(at[i], launched[i], received[i], completed[i], done[i]) for i in range(self.n)]

    def times(self, *args, **options):
        return self.schedule(*args, **options)[2]

    def put(self, s, key):
        times = self.was = self.times()
        self.end = max([x[4] for x in times] + self.there) + 1000
        w = s.workflow(key, started=0, cleanup_completed=self.end)
        x = s.span(EXECUTOR, "htex", w)
        m = s.span("parsl.executor.htex.manager", "m", s.span("parsl.rundir.block", "0", x))
        workers = [s.span("parsl.executor.htex.worker", k, m, WORKER + k, started=self.there[k]) for k in range(self.workers)]
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
                    old, new = farm.was, farm.times(of, driver)
                    tasks, makespan, new_makespan = got[w]
                    check(abs(makespan - farm.end / 1e9) < 1e-9, f"{store}.db {w}: makespan is {makespan}, not {farm.end / 1e9}")
                    base = 0 if driver == (1, 1) else tasks["0"][2] - new[0][0]  # whether time before the first task is the driver's own
                    for i in range(farm.n):
                        want = (old[i][0], old[i][4], new[i][0] + base, new[i][4] + base)
                        near = all(abs(a - b) <= 4 * farm.n for a, b in zip(tasks[str(i)], want))
                        check(near, f"{store}.db, workflow {w}, {changes}: task {i} is {tasks[str(i)]}, want {want}")
                    if driver == (1, 1):
                        want = max(x[4] for x in new) + farm.end - max(x[4] for x in farm.was)
                        check(abs(new_makespan - want / 1e9) < farm.n * 5e-9, f"{store}.db {w} {changes}: new makespan is {new_makespan}, not {want / 1e9}")


@cases("one round", "rounds")
def what_if_other_workers(how):
    r = rng()
    for store in range(3):
        s = Store(f"{store}.db")
        farms = {}
        for n in range(25):
            farm = Farm(r, how == "rounds")
            farms[farm.put(s, n)] = farm
        f = s.done()
        for change, workers in (("x1", lambda n: n), ("= 1", lambda n: 1), ("= 3", lambda n: 3), ("= 17", lambda n: 17), ("= 1000000000", lambda n: 1000 * n),
                                ("x2", lambda n: 2 * n), ("x8", lambda n: 8 * n), ("x0.5", lambda n: (n + 1) // 2), ("x0.01", lambda n: 1)):
            got = replayed(f, f"workers {change}")
            for w, farm in farms.items():
                new = farm.times(workers=workers(farm.workers))
                tasks, _, new_makespan = got[w]
                for i in range(farm.n):
                    near = all(abs(a - b) <= 4 * farm.n for a, b in zip(tasks[str(i)][2:], (new[i][0], new[i][4])))
                    check(near, f"{store}.db, workflow {w}, {farm.workers} workers {change}: task {i} is {tasks[str(i)]}, want {new[i]}")
                want = max(x[4] for x in new) + farm.end - max(x[4] for x in farm.was)
                check(abs(new_makespan - want / 1e9) < farm.n * 5e-9, f"{store}.db {w} {change}: new makespan is {new_makespan}, not {want / 1e9}")


@cases(*range(2))
def what_if_in_general(number):
    """Random drivers and farms: x1 is what was.  Less time for anything never makes anything later where nothing waits for workers; where
    it does, tasks may then begin in an order that is worse, but not twice as long (Graham)."""
    r = rng()
    for store in range(2):
        s = Store(f"{store}.db")
        farms = {}
        for n in range(20):
            case = program(r) if n % 2 else Farm(r, r.random() < 0.7)
            w = case.put(s, n)
            if n % 2 == 0:
                farms[str(w)] = case.workers
        f = s.done()
        for what in ("*", "driver", "in the executor*", "running on a worker", "parsl/waiting for dependencies or its launch", "htex*", "*,driver", "parsl*"):
            pattern = lambda x: ",".join(f"{p} x{x}" for p in what.split(","))
            before = None
            for x in (0, 0.25, 0.999, 1, 1.001, 3):
                got = replayed_or_none(f, pattern(x))
                if got is None:
                    continue
                for w, (tasks, makespan, new_makespan) in got.items():
                    workers = farms.get(str(w))
                    worst = 1 if not workers or what == "*" else 2
                    check(x >= 1 and new_makespan * worst >= makespan - 1e-9 or x <= 1 and new_makespan <= makespan * worst + 1e-9,
                          f"{store}.db {w}: {pattern(x)}: {makespan} -> {new_makespan}")
                    for i, t in tasks.items():
                        check(x != 1 or t[:2] == t[2:], f"{store}.db {w} {pattern(x)}: task {i} is {t}")
                        check(t[2] <= t[3], f"{store}.db {w} {pattern(x)}: task {i} is done before it is submitted: {t}")
                        if before and not workers:
                            was = before[w][0][i]
                            check(was[2] <= t[2] and was[3] <= t[3], f"{store}.db {w}: {pattern(x)}: task {i} is {t}, and with less time {was}")
                before = got


def replayed_or_none(f, changes):
    try:
        return replayed(f, changes)
    except AssertionError as e:
        check("no task does anything" in str(e), e)


if __name__ == "__main__":
    main()
