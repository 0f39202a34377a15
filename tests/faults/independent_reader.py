#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An independent reader of the same runs: what it finds by itself must be in the store, with its time and its place, and nothing else."""
import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

MON, RUN, HTEX = "parsl.monitoring", "parsl.rundir", "parsl.executor.htex"


def ns(stamp):
    """1795162289.116514, or 2026-11-20 08:11:29.147 taken as UTC, in nanoseconds."""
    if re.fullmatch(r"\d{10}\.\d+", stamp):
        s, f = stamp.split(".")
        return int(s) * 10**9 + int(f.ljust(9, "0")[:9])
    whole_, _, f = stamp.partition(".")
    t = datetime.datetime.strptime(whole_, "%Y-%m-%d %H:%M:%S").replace(tzinfo=datetime.timezone.utc)
    return int(t.timestamp()) * 10**9 + int((f or "0").ljust(9, "0")[:9])


LINE = re.compile(r"(?:(\d{10}\.\d+) \S+ \S+ \S+ \S+ \S+ \S+ [A-Z]+: |(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) .*?\[[A-Z]+\]  ?)(.*)")


def lines_of(file):
    with open(file, errors="replace") as f:
        for n, line in enumerate(f, 1):
            m = LINE.match(line)
            if m and line.endswith("\n"):
                yield n, ns(m[1] or m[2]), m[3]


def read_run(rundir):
    """{(type, ids...): [(time, event, file, line)]}, and {(executor, xid): (task, try)}"""
    found, launched = collections.defaultdict(list), {}
    file = f"{rundir}/parsl.log"
    for n, t, text in lines_of(file) if os.path.exists(file) else ():
        if m := re.match(r"Task (\d+) (?:initializing state to|changing state from \w+ to) (\w+)", text):
            found[f"{RUN}.task", m[1]].append((t, m[2], file, n))
        elif m := re.match(r"Parsl task (\d+) try (\d+) launched on executor (\S+)(?: with executor id (\d+))?", text):
            found[f"{RUN}.try", m[1], m[2]].append((t, "launched", file, n))
            if m[4]:
                launched[m[3], m[4]] = (m[1], m[2])
    for executor in sorted(os.listdir(rundir)):
        file = f"{rundir}/{executor}/interchange.log"
        for n, t, text in lines_of(file) if os.path.exists(file) else ():
            for pattern, event in ((r"Put task (\d+) onto pending_task_queue", "interchange_put"), (r"Sent tasks: \[([\d, ]+)\] to manager", "interchange_to_manager"),
                                   (r"Removing task (\d+) from manager", "interchange_removing_task")):
                if m := re.match(pattern, text):
                    for x in m[1].split(", "):
                        found[f"{HTEX}.interchange.task", executor, x].append((t, event, file, n))
        for d, _, names in os.walk(f"{rundir}/{executor}"):
            if not re.fullmatch(r"block-\d+/\w+", os.path.relpath(d, f"{rundir}/{executor}")):
                continue
            for name in names:
                worker = re.fullmatch(r"worker_(\d+)\.log", name)
                for n, t, text in lines_of(f"{d}/{name}"):
                    if worker and (m := re.match(r"(Received|Completed|All processing finished for) executor task (\d+)", text)):
                        event = {"R": "worker_received_task", "C": "worker_completed_task", "A": "worker_all_finished_task"}[m[1][0]]
                        found[f"{HTEX}.worker.task", executor, m[2], worker[1]].append((t, event, f"{d}/{name}", n))
                    elif name == "manager.log" and (m := re.match(r"Got executor tasks: \[([\d, ]+)\], cumulative", text)):
                        for x in m[1].split(", "):
                            found[f"{HTEX}.manager.task", executor, x].append((t, "manager_got_task", f"{d}/{name}", n))
    return found, launched


def read_monitoring(file):
    found = collections.defaultdict(list)
    db = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    for row, task, a, b in db.execute("SELECT rowid, task_id, task_time_invoked, task_time_returned FROM task"):
        for t, event in ((a, "invoked"), (b, "returned")):
            if t:
                found[f"{MON}.task", str(task)].append((ns(t), event, file, row))
    for row, task, try_, t, event in db.execute("SELECT rowid, task_id, try_id, timestamp, task_status_name FROM status"):
        found[f"{MON}.try", str(task), str(try_)].append((ns(t), event, file, row))
    return found


def read_store(store):
    """The same shape, from the store; and for each span its closure."""
    db = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    where = dict(db.execute("SELECT id, path FROM sources"))
    known = paths(store)
    events = collections.defaultdict(list)
    for span, t, kind, src, n in db.execute("SELECT span, time_ns, type, source, place FROM events"):
        events[span].append((t, kind, where[src], n))
    near = collections.defaultdict(set)
    for a, b in db.execute("SELECT superspan_uuid, subspan_uuid FROM subspan"):
        near[a].add(b)
    for a, b in db.execute("SELECT left_uuid, right_uuid FROM facet"):
        near[a].add(b), near[b].add(a)

    def below(span):
        seen, todo = {span}, [span]
        while todo:
            fresh = near[todo.pop()] - seen
            seen |= fresh
            todo += fresh
        return seen
    return known, events, below


def ids(identity):
    """(type, ids...) as read_run has them, of a path in the store."""
    kind, by = identity[-1][0], dict(identity)
    key = identity[-1][1]
    executor = by.get(f"{RUN}.executor")
    if kind in (f"{RUN}.task", f"{MON}.task"):
        return (kind, key)
    if kind in (f"{RUN}.try", f"{MON}.try"):
        return (kind, identity[-2][1], key)
    if kind in (f"{HTEX}.interchange.task", f"{HTEX}.manager.task"):
        return (kind, executor, key)
    if kind == f"{HTEX}.worker.task":
        return (kind, executor, key, by[f"{HTEX}.worker"])
    return None


def compare(store, rundir, monitoring=None):
    """Every event that the reader knows how to find, in both directions; counts by type."""
    want, launched = read_run(rundir)
    if monitoring:
        want.update(read_monitoring(monitoring))
    known, events, below = read_store(store)
    got = collections.defaultdict(list)
    names = {(k[0], e[1]) for k, es in want.items() for e in es}
    for span, identity in known.items():
        k = ids(identity)
        if k:
            got[k] += [e for e in events[span] if (k[0], e[1]) in names]
    count = lambda found: collections.Counter((k[0], e[1]) for k, es in found.items() for e in es)
    equal(count(got), count(want), "counts of events")
    for k, es in want.items():
        equal(sorted(got[k]), sorted(es), f"events of {k}")
    extra = [k for k, es in got.items() if es and k not in want]
    check(not extra, f"spans with events that are not in the run: {extra[:5]}")
    return want, launched, known, events, below


@test
def counts_of_the_example():
    s = imported(EXAMPLE).store
    want, launched, known, *_ = compare(s, f"{EXAMPLE}/000", f"{EXAMPLE}/{DB}")
    note(f"{sum(map(len, want.values()))} events of {len(want)} spans agree, with their files and lines")
    check(len(want) > 1000 and len(launched) == 220, f"the reader itself found too little: {len(want)}, {len(launched)}")
    db = sqlite3.connect(f"file:{EXAMPLE}/{DB}?mode=ro", uri=True)
    spans = collections.Counter(p[-1][0] for p in known.values())
    for kind, sql in ((f"{MON}.workflow", "workflow"), (f"{MON}.task", "task"), (f"{MON}.try", "try")):
        equal(spans[kind], db.execute(f"SELECT count(*) FROM {sql}").fetchone()[0], kind)
    equal(spans[f"{RUN}.task"], 198, "tasks of parsl.log")
    equal(spans[f"{HTEX}.manager"], 1, "managers")
    equal(spans[f"{HTEX}.worker"], 2, "workers")


@test
def every_event_of_twenty_tasks():
    """From the task through every component: each event, the line that it came from, its time there, and who is meant."""
    s = imported(EXAMPLE).store
    want, launched = read_run(f"{EXAMPLE}/000")
    want.update(read_monitoring(f"{EXAMPLE}/{DB}"))
    known, events, below = read_store(s)
    of_task = collections.defaultdict(set)
    for (executor, xid), (task, _) in launched.items():
        of_task[task].add(xid)
    root = {p[-1][1]: i for i, p in known.items() if p[-1][0] == f"{MON}.task"}
    text = {log: read(log).decode(errors="replace").split("\n") for log in LOGS}
    chosen = rng().sample(sorted(root), 20) + [t for t, x in of_task.items() if len(x) > 1][:3]
    n = 0
    for task in chosen:
        reached = below(root[task])
        got = sorted(e for i in reached for e in events[i])
        mine = sorted(e for k, es in want.items() for e in es
                      if k[0] in (f"{MON}.task", f"{MON}.try", f"{RUN}.task", f"{RUN}.try") and k[1] == task or k[0].startswith(HTEX) and k[2] in of_task[task])
        lost = set(mine) - set(got)
        check(not lost, f"task {task} lacks {sorted(lost)[:3]}")
        for i in reached:
            for t, kind, file, place in events[i]:
                n += 1
                if file.endswith(DB):
                    continue  # compared above with the row
                line = text[os.path.relpath(file, f"{EXAMPLE}/000")][place - 1]
                m = LINE.match(line)
                check(m, f"{file}:{place} is no record: {line[:100]}")
                equal(t, ns(m[1]), f"{kind} at {file}:{place}")
                kind_, key = known[i][-1]
                number = key if kind_ != f"{RUN}.try" else task
                check(re.search(rf"\b{number}\b", m[3]), f"{kind} of {say(known[i][-1:])} at {file}:{place}, which says {m[3][:100]}")
        strangers = {known[i] for i in reached if known[i][-1][0].startswith(HTEX) and known[i][-1][0].endswith(".task")} and \
            {known[i][-1][1] for i in reached if known[i][-1][0].startswith(HTEX) and known[i][-1][0].endswith(".task")} - of_task[task]
        check(not strangers, f"task {task} reaches executor tasks {strangers}, launched were {of_task[task]}")
    note(f"{n} events of {len(chosen)} tasks")


@test
def how_far_each_task_came():
    """Reached by the closure: as far as the logs say, and for those that never reached a worker no further."""
    s = imported(EXAMPLE).store
    want, launched = read_run(f"{EXAMPLE}/000")
    known, events, below = read_store(s)
    received = {k[2] for k in want if k[0] == f"{HTEX}.worker.task"}
    xids = collections.defaultdict(set)
    for (_, x), (task, _) in launched.items():
        xids[task].add(x)
    for i, p in known.items():
        if p[-1][0] == f"{MON}.task":
            got = {known[j][-1][1] for j in below(i) if known[j][-1][0] == f"{HTEX}.worker.task" and events[j]}
            equal(got, xids[p[-1][1]] & received, f"executor tasks that a worker received of task {p[-1][1]}")


@test
def the_lost_worker():
    """One task kills its worker: received there, never completed, tried again; the worker is one span, with two starts."""
    s = imported(EXAMPLE).store
    rows = query(s, """SELECT s.key FROM spans s WHERE s.type = 'parsl.executor.htex.worker.task'
        AND NOT EXISTS (SELECT 1 FROM events e WHERE e.span = s.id AND e.type = 'worker_completed_task')""")
    equal(len(rows), 1, "tasks that were never completed")
    _, launched = read_run(f"{EXAMPLE}/000")
    task, try_ = launched["htex_Local", rows[0][0]]
    tries = [k for k in launched.values() if k[0] == task]
    check(len(tries) == 2 and try_ == "0", f"tries {tries}")


# ---- made runs, whose truth is known

def made_run(to, executors, old=False, tasks=60, r=None, blocks=2, workers=2, number="000", start=1795162300, run_id="aaaaaaaa-0000-4000-8000-000000000001"):
    """Executors whose ids all begin with 1, in blocks that come and go.  Returns {task: {(executor, xid): worker}}."""
    r = r or rng()
    run = f"{to}/{number}"
    files = collections.defaultdict(list)
    clock = [start * 10**6]

    def tick():
        clock[0] += r.randint(10, 5000)
        return clock[0]

    def stamp(us):
        return datetime.datetime.fromtimestamp(us // 10**6, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")

    def log(file, text, kind="parsl", us=None):
        us = us or tick()
        if not old or kind == "parsl":
            head = f"{us // 10**6}.{us % 10**6:06} {stamp(us)} MainProcess-1 MainThread-2 parsl.x:1 f DEBUG: "
        else:
            ms = f"{stamp(us)}.{us % 10**6 // 1000:03}"
            head = {"interchange": f"{ms} interchange:466 HTEX-Interchange(5981) MainThread f [DEBUG]  ", "manager": f"{ms} parsl:301 5997 Task-Puller [DEBUG]  ",
                    "worker": f"{ms} worker_log:584 6014 MainThread [INFO]  "}[kind]
        files[file].append(f"{head}{text}\n")
    log("parsl.log", f"Run id is: {run_id}")
    truth, next_id = {}, collections.Counter()
    for e in executors:
        log("parsl.log", f"Adding executor {e} of type parsl.executors.high_throughput.executor.HighThroughputExecutor")
    for task in range(tasks):
        e = r.choice(executors)
        log("parsl.log", f"Task {task} submitted for App f, not waiting on any dependency")
        log("parsl.log", f"Task {task} initializing state to pending")
        truth[task] = {}
        for try_ in range(r.choice((1, 1, 1, 2))):
            next_id[e] += 1
            x = next_id[e]
            block, worker = r.randrange(blocks), r.randrange(workers)
            manager = f"{abs(hash((e, block))) % 16**12:012x}" if False else f"{executors.index(e):06x}{block:06x}"
            at = f"{e}/block-{block}/{manager}"
            log("parsl.log", f"Task {task} changing state from pending to launched")
            log("parsl.log", f"Parsl task {task} try {try_} launched on executor {e} with executor id {x}")
            if r.random() < .1:  # it never got out of the driver
                truth[task][e, str(x)] = None
                continue
            log(f"{e}/interchange.log", f"Put task {x} onto pending_task_queue", "interchange")
            log(f"{e}/interchange.log", f"Sent tasks: [{x}] to manager b'{manager}'", "interchange")
            log(f"{at}/manager.log", f"Got executor tasks: [{x}], cumulative count of tasks: {x}", "manager")
            for text in ("Received executor task {}", "Completed executor task {}", "All processing finished for executor task {}"):
                log(f"{at}/worker_{worker}.log", text.format(x), "worker")
            log(f"{e}/interchange.log", f"Removing task {x} from manager", "interchange")
            truth[task][e, str(x)] = str(worker)
        log("parsl.log", f"Task {task} changing state from launched to exec_done")
    for file, text in files.items():
        write(f"{run}/{file}", "".join(text))
    return truth


@cases(*((labels, old) for labels in (("htex_A", "htex_B"), ("a", "b", "c", "d"), ("block-0", "worker_0", "000"), ("ex.1", "ex-1", "ex_1"), ("submit_scripts", "monitoring.db", "x"), ("é", "htex:2", "(x)")) for old in (False, True)))
def executors_whose_ids_repeat(labels, old):
    """Executor task 1 of each is another task's: work is kept apart, whatever the labels."""
    truth = made_run(path("runinfo"), labels, old)
    s = imported(path("runinfo")).store
    _, _, known, events, below = compare(s, path("runinfo/000"))
    roots = {int(p[-1][1]): i for i, p in known.items() if p[-1][0] == f"{RUN}.task"}
    equal(set(roots), set(truth), "tasks")
    for task, went in truth.items():
        got = {}
        for j in below(roots[task]):
            k = ids(known[j])
            if k and k[0] == f"{HTEX}.worker.task":
                got[k[1], k[2]] = k[3]
        equal(got, {k: w for k, w in went.items() if w is not None}, f"workers that task {task} reached")


@test
def several_runs_below_one_directory():
    """000, 001, 002 of one program: task 5 of each is its own."""
    for i in range(3):
        made_run(path("runinfo"), ("htex",), number=f"{i:03}", start=1795162300 + 1000 * i, run_id=f"aaaaaaaa-0000-4000-8000-00000000000{i}", tasks=20)
    s = imported(path("runinfo")).store
    known, events, below = read_store(s)
    for i, p in known.items():
        if p[-1][0] == f"{RUN}.task":
            check(len({known[j][0] for j in below(i)}) == 1, f"{say(p)} reaches another run")
    equal(collections.Counter(p[-1][0] for p in known.values())[f"{RUN}.task"], 60, "tasks")
    equal(collections.Counter(p[-1][0] for p in known.values())[f"{RUN}.workflow"], 3, "runs")


@test
def twenty_thousand_lines_in_wild_order():
    """File order is not time order: lines of parsl.log and manager.log change places."""
    truth = made_run(path("a"), ("htex",), tasks=300)
    want = dump(imported(path("a")).store)
    r = rng()
    for log in ("parsl.log", *[os.path.relpath(f, path("a/000")) for f in files_of(path("a")) if f.endswith("manager.log")]):
        with open(path("a/000", log)) as f:
            lines = f.readlines()
        for i in range(0, len(lines) - 30, 7):
            j = i + r.randrange(30)
            lines[i], lines[j] = lines[j], lines[i]
        write(path("b/000", log), "".join(lines))
    for f in files_of(path("a")):
        to = f.replace("/a/", "/b/")
        if not os.path.exists(to):
            with open(f, "rb") as g:
                write(to, g.read())
    same(dump(imported(path("b"), store="b.db").store), want)
    check(truth, "")


main()
