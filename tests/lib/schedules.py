# SPDX-License-Identifier: Apache-2.0
"""Stores of workflows that were worked out here.

The schedule of a workflow is made by `run()`, which knows nothing of the replay: the first come is the first served, by
workers that are free.
"""
import heapq

from graphs import *  # noqa

STEP = 1 * MS  # between the components of the executor


class Task:
    def __init__(self, app, seconds, after=(), fails=0, failed_s=0.0, error="OSError('no route to host')", slow_on=None, barrier=False, gap=0.0, on="htex", tried_on=None, cold=0.0, held=0.0, beside=0.0, pause=0.0, kept=None, ended="exec_done", starts=0.0, ends=0.0, lost=False):
        self.app, self.seconds, self.after = app, seconds, list(after)  # after: numbers of tasks
        self.fails, self.failed_s, self.error = fails, failed_s, error
        self.slow_on, self.barrier, self.gap, self.on = slow_on, barrier, gap, on
        self.beside = beside  # by what part it takes longer for each other that runs when it begins
        self.pause = pause  # how long the driver does nothing else before it makes a try again
        self.ended = ended  # how its last try did
        self.kept = kept  # the manager that takes it as soon as it is ready, whoever is free
        self.lost = lost  # where it fails it is done after seconds, but its result never comes, which is noticed after failed_s
        self.held = held  # for so long at its end it has the lock that all such tasks take
        self.cold = cold  # how much longer it takes where its worker ran nothing before
        self.starts, self.ends = starts, ends  # of its seconds, those before and after what it runs, as Parsl's monitoring tells
        self.tried_on = tried_on or on  # where it fails; barrier: submitted when all before are done


def run(tasks, workers=4, file="why.db", start=0.5, worker_start=1.0, end=0.1, launched=0.6, manager=None, managers=1, undone=(), more={}, hand=0.0, running=(), cpus=None, hosts=(), gone={}, more_start=None, more_host=None, config=None, halt=None, taken=0.0, still=None, more_of=None):
    """Writes a store; the makespan in seconds.  slow_on: (manager or worker, factor).  more: workers of further executors, more_start: when they are there, more_host: on that node, with as many cpus.  hand: how long Parsl
    needs to launch a task, one after the other.  running: tasks whose end nobody has told.  cpus: of each manager's node; hosts: their names.  gone: until when managers take
    tasks; halt: from when until when no task begins; taken: how long the driver needs for each result; still: from when until when it does nothing.  more_of: is called with the store, the ids of workflow, executor, blocks
    and managers, and when all was done, to add what it wants."""
    s = Store(file)
    ns = lambda t: round(t * S)
    w = s.workflow("w")
    s.attr(w, "workflow_name", "made")
    if config:
        s.attr(w, "config", config)
    ex = s.span(EXECUTOR, "htex", w)
    launches = launched if isinstance(launched, list) else [launched]  # of blocks; worker_start and manager: of each one
    worker_start = worker_start if isinstance(worker_start, list) else [worker_start] * max(1, len(launches))
    begun = manager if isinstance(manager, list) else [t - 0.2 if manager is None else manager for t in worker_start]
    blocks = [s.span("parsl.rundir.block", str(i), ex, launched=ns(t)) for i, t in enumerate(launches)]
    managers = max(managers, len(blocks))
    mans = [s.span("parsl.executor.htex.manager", f"m{i}", blocks[i % len(blocks)] if blocks else ex, MANAGER, started=ns(begun[i % len(begun)])) for i in range(managers)]
    for i, m in enumerate(mans):
        if cpus:
            s.attr(m, "cpu_count", cpus)
        if hosts:
            s.attr(m, "hostname", hosts[i % len(hosts)])
    places = []
    for i in range(workers):
        m = i % managers
        there = worker_start[m % len(worker_start)]
        p = s.span("parsl.executor.htex.worker", str(i), mans[m], WORKER + i, started=ns(there))
        heapq.heappush(places, (there, i, p, m))
    of = {i: (p, mans[m], m, ex) for _, i, p, m in places}
    free = {"htex": [(there, i) for there, i, _, _ in places]}
    for name, n in more.items():
        other = s.span(EXECUTOR, name, w)
        m = s.span("parsl.executor.htex.manager", f"m{name}", s.span("parsl.rundir.block", "0", other, launched=ns(0.6)), MANAGER, started=ns((more_start or worker_start[0]) - 0.2))
        if more_host:
            s.attr(m, "hostname", more_host)
            s.attr(m, "cpu_count", cpus)
        free[name] = [(more_start or worker_start[0], len(of) + i) for i in range(n)]
        for there, i in free[name]:
            of[i] = (s.span("parsl.executor.htex.worker", str(i), m, WORKER + i, started=ns(there)), m, None, other)
    for heap in free.values():
        heapq.heapify(heap)
    done, ids, at, warm, handed, unlocked, took = {}, {}, start, set(), 0.0, 0.0, 0.0
    # submissions, in order; a barrier needs what went before to be done, so go stage by stage
    stages, stage = [], []
    for n, t in enumerate(tasks):
        if t.barrier and stage:
            stages.append(stage)
            stage = []
        stage.append(n)
    stages.append(stage)
    last = 0
    for stage in stages:
        if stage is not stages[0]:
            at = max(done.values()) + 0.002
        ready = []
        waiting, behind = {}, {}  # behind: those that wait for it
        submitted = {}
        for n in stage:
            at += tasks[n].gap + 0.0001
            submitted[n] = at
            waiting[n] = {d for d in tasks[n].after if d not in done}
            for d in waiting[n]:
                behind.setdefault(d, []).append(n)
            if not waiting[n]:
                heapq.heappush(ready, (max([at] + [done[d] for d in tasks[n].after]), n, 0))
        while ready:
            since, n, number = heapq.heappop(ready)
            t = tasks[n]
            if n not in ids:
                ids[n] = s.task(w, n, [ids[d] for d in t.after], submitted=ns(submitted[n]), pending=ns(submitted[n]) + 1000)
                s.attr(ids[n], "app", t.app)
            pool = free[t.tried_on if number < t.fails else t.on]
            since = handed = max(since, handed) + hand if hand else since
            when, i = heapq.heappop(pool)
            kept = t.kept if any(of[x[1]][2] == t.kept for x in pool) and since < gone.get(t.kept, float("inf")) else None
            if kept is not None:
                heapq.heappush(pool, (when, i))
                when, i = min(x for x in pool if of[x[1]][2] == kept)
                pool.remove((when, i))
                heapq.heapify(pool)
            while max(since, when) >= gone.get(of[i][2], float("inf")):
                when, i = heapq.heappop(pool)
            begin = max(since + 3 * STEP / S, when + STEP / S)
            if halt and halt[0] <= begin < halt[1]:
                begin = halt[1]
            p, its, m, executor = of[i]
            fails = number < t.fails
            seconds = t.failed_s if fails else t.seconds * (t.slow_on[1] if t.slow_on and t.slow_on[0] in (m, ("worker", i)) else 1) + (t.cold if i not in warm else 0)
            warm.add(i)
            over = begin + seconds * (1 + t.beside * sum(there > begin and k in warm for there, k in pool))
            if t.held:
                over = unlocked = max(over, unlocked) + t.held
            heapq.heappush(pool, (over, i))
            y = s.htex(ids[n], number, launched=ns(since), put=ns(since) + STEP // 10, to_manager=(ns(begin) if kept is None else ns(since) + 8 * STEP // 10) - 2 * STEP // 10, got=(ns(begin) if kept is None else ns(since) + 8 * STEP // 10) - STEP // 10, received=ns(begin),
                       **({} if n in running else dict(completed=ns(begin + t.seconds)) if fails and t.lost else dict(completed=ns(over), finished=ns(over), removed=ns(over) + STEP // 2)), executor=executor, manager=its, worker=p, worker_source=WORKER + i,
                       failed=ns(over) + STEP if fails else None)
            if t.starts or t.ends:
                seen = s.span("parsl.monitoring.try", number, ids[n], MONITORING, running=ns(begin + t.starts), running_ended=ns(over - t.ends))
                s.link(seen, FACET, y)
            back = took = max(over + STEP / S, took) + taken if taken else over + STEP / S
            if still and still[0] <= back < still[1]:
                back = still[1] + 0.0001 * n
            if fails:
                s.attr(y, "exception", t.error)
                if t.pause:
                    s.event(ids[n], "fail_retryable", ns(back + t.pause))
                heapq.heappush(ready, (back + t.pause, n, number + 1))
                continue
            if n not in undone and n not in running:
                s.event(ids[n], t.ended, ns(back))
            done[n] = back
            for d in behind.pop(n, ()):
                waiting[d].discard(n)
                if not waiting[d]:
                    heapq.heappush(ready, (max([submitted[d]] + [done[x] for x in tasks[d].after]), d, 0))
        last = max(done.values())
    s.event(w, "started", 0)
    if more_of:
        more_of(s, w, ex, blocks, mans, last)
    if end is not None:
        s.event(w, "cleanup_completed", ns(last + end))
    s.done()
    return last + (end or 0)


_told = {}


def why(file="why.db", *more):
    """What is told of a store, asked once while it stays as it is."""
    stat = os.stat(path(file)) if os.path.exists(path(file)) and not more else None
    now = stat and (path(file), stat.st_ino, stat.st_size, stat.st_mtime_ns)
    if not now or _told.get(file, (None, ""))[0] != now:
        _told[file] = now, spanloom("why", "--format", "json", "-d", path(file), *more).out
    return json.loads(_told[file][1])


def faults(file="why.db", *more):
    """But what sound runs have, too: that more workers would help, and how long short ones took to have workers."""
    return [f["finding"] for f in why(file, *more)["findings"] if not f["usual"]]


def first(name, without, within=0.05, file="why.db", **also):
    """The first finding that sound runs lack has this name, and says that it would have been so long without it."""
    told = why(file)
    found = [f for f in told["findings"] if f["seconds"] is not None and not f["usual"]]
    check(found and found[0]["finding"] == name, [(f["finding"], f["seconds"]) for f in found])
    f = found[0]
    took = told["run"][0]["makespan_s"]
    gained = took - without
    check(abs(f["seconds"] - gained) <= within * gained + 0.02, f"{f['seconds']} s, not {gained}: {f['text']}")
    check(abs(f["without_s"] - (took - f["seconds"])) < 1e-6, f)
    for key, words in also.items():
        check(words in (f[key] or ""), f"{key}: {f[key]!r} lacks {words!r}")
    return f


def bag(n, seconds=0.5, app="work"):
    return [Task(app, seconds) for _ in range(n)]
