# SPDX-License-Identifier: Apache-2.0
"""Stores that hold workflows made up for a test: spans, events and links are put straight into the tables of a store which
the program made.  Times are integers, nanoseconds after T0, so that sums are exact."""
import csv
import io

from harness import *  # noqa

T0 = 1795162300 * 10**9
S, MS, US = 10**9, 10**6, 10**3
PARSL, INTERCHANGE, MANAGER, MONITORING, WORKER = 1, 2, 3, 4, 10  # sources; that of worker N is WORKER + N
TASK, TRY, WORKFLOW, EXECUTOR = "parsl.rundir.task", "parsl.rundir.try", "parsl.rundir.workflow", "parsl.rundir.executor"
IX_TASK, MGR_TASK, WORKER_TASK = ("parsl.executor.htex.interchange.task", "parsl.executor.htex.manager.task",
                                  "parsl.executor.htex.worker.task")
IN, FACET, AFTER, FLOW = 1, 2, 3, 4
_template = []


def template():
    """A store without spans, which knows roles, phases and handovers."""
    if not _template:
        line = ("1795162289.116514 2026-11-20 08:11:29 MainProcess-1 MainThread-1 parsl.dataflow.dflow:123 __init__ INFO: "
                "Starting DataFlowKernel with config\n")
        write(path("template/runinfo/000/parsl.log"), line)
        store = imported(path("template"), store="template.db").store
        db = sqlite3.connect(store)
        for table in ("sl_span", "sl_event", "sl_link", "sl_root", "sl_seen", "sl_shared", "sl_zone", "sl_attr", "sl_alike", "sl_shape", "sl_source"):
            db.execute(f"DELETE FROM {table}")
        db.commit()
        db.close()
        names = {n: i for i, n in query(store, "SELECT id, name FROM sl_name")}
        with open(store, "rb") as f:
            _template.append((f.read(), names))
    return _template[0]


class Store:
    """Rows are collected and written by done()."""

    def __init__(self, file="spanloom.db"):
        self.file = path(file)
        data, names = template()
        write(self.file, data)
        self.names = dict(names)
        self.new_names, self.spans, self.events, self.links, self.attrs, self.shapes = [], [], [], [], [], {}
        self.sources, self.last, self.place, self.tasks = {}, 0, 0, {}

    def name(self, text):
        if text not in self.names:
            self.names[text] = max(self.names.values(), default=0) + 1
            self.new_names.append((self.names[text], text))
        return self.names[text]

    def source(self, n):
        if n not in self.sources:
            component = {PARSL: "parsl", INTERCHANGE: "htex interchange", MANAGER: "htex manager", MONITORING: "parsl monitoring"}
            self.sources[n] = (n, f"/run/source{n}.log", "made.up", component.get(n, "htex worker" if n >= WORKER else "other"))
        return n

    def span(self, kind, key, parent=None, source=PARSL, **events):
        """The id of a new span with these events, name=time."""
        self.last += 1
        self.spans.append((self.last, self.name(kind), str(key), parent, self.source(source)))
        for event, t in events.items():
            self.event(self.last, event, t, source)
        return self.last

    def event(self, span, event, t, source=PARSL):
        self.place += 1
        self.events.append((span, T0 + t, self.name(event), self.source(source), self.place))

    def link(self, left, kind, right, source=PARSL):
        self.place += 1
        self.links.append((left, kind, right, self.name("made.up:1"), self.source(source), self.place))

    def attr(self, span, name, value, source=PARSL):
        shape = self.shapes.setdefault(name, len(self.shapes) + 1)
        self.place += 1
        self.attrs.append((span, shape, self.source(source), self.place, json.dumps([value])))

    def workflow(self, key="w", kind=WORKFLOW, **events):
        return self.span(kind, key, **events)

    def task(self, workflow, key, after=(), kind=TASK, source=PARSL, **events):
        """after: ids of tasks."""
        i = self.span(kind, key, workflow, source, **events)
        for d in after:
            self.link(i, AFTER, d)
        return i

    def htex(self, task, number=0, launched=None, put=None, to_manager=None, got=None, received=None, completed=None, finished=None,
             removed=None, lost=None, failed=None, executor=None, manager=None, worker=None, worker_source=WORKER):
        """A try of a task in the HighThroughputExecutor; workers are spans (None: the task's stands in the manager's alone)."""
        y = self.span(TRY, number, task, PARSL)
        if launched is not None:
            self.event(y, "launched", launched)
        if failed is not None:
            self.event(y, "try_failed", failed)
        above = y
        for kind, parent, source, events in (
                (IX_TASK, executor, INTERCHANGE, {"interchange_put": put, "interchange_to_manager": to_manager, "interchange_removing_task": removed}),
                (MGR_TASK, manager, MANAGER, {"manager_got_task": got, "manager_lost_worker": lost}),
                (WORKER_TASK, worker, worker_source, {"worker_received_task": received, "worker_completed_task": completed, "worker_all_finished_task": finished})):
            events = {k: v for k, v in events.items() if v is not None}
            if events:
                i = self.span(kind, f"{task}.{number}", parent, source, **events)
                self.link(above, IN, i)
                above = i
        return y

    def done(self):
        db = sqlite3.connect(self.file)
        db.execute("PRAGMA journal_mode = MEMORY")
        db.execute("PRAGMA synchronous = OFF")
        db.executemany("INSERT INTO sl_name (id, name) VALUES (?, ?)", self.new_names)
        db.executemany("INSERT INTO sl_source (id, path, recipe, component) VALUES (?, ?, ?, ?)", self.sources.values())
        db.executemany("INSERT INTO sl_span (id, type, key, parent, source) VALUES (?, ?, ?, ?, ?)", self.spans)
        db.executemany("INSERT INTO sl_event (span, time_ns, type, source, place) VALUES (?, ?, ?, ?, ?)", sorted(self.events))
        db.executemany("INSERT INTO sl_link (left_span, kind, right_span, rule, source, place) VALUES (?, ?, ?, ?, ?, ?)", sorted(self.links))
        db.executemany("INSERT INTO sl_shape (id, pos, name, path) VALUES (?, 0, ?, '$[0]')", [(i, n) for n, i in self.shapes.items()])
        db.executemany("INSERT INTO sl_attr (span, shape, source, place, vals) VALUES (?, ?, ?, ?, ?)", self.attrs)
        db.commit()
        db.executescript("PRAGMA analysis_limit = 400; ANALYZE sl_span")  # as an import does, lest SQLite believe it has the template's one
        db.close()
        return self.file


def sql(store, text, code=0, options=(), timeout=PATIENCE):
    """Rows of a query that the program answers, as it prints JSON."""
    r = spanloom("sql", "-d", store, "--format", "json", *options, text, code=code, timeout=timeout)
    return json.loads(r.out) if code == 0 and r.out.strip() else []


PATH = "SELECT start_ns - %d AS a, end_ns - %d AS b, seconds, task, component, state, span, task_span FROM critical_path(%d)"


def critical(store, workflow, options=()):
    """[(start, end, task, component, state)] after T0, and the rows themselves."""
    rows = sql(store, PATH % (T0, T0, workflow), options=options)
    return [(r["a"], r["b"], r["task"], r["component"], r["state"]) for r in rows], rows


def joined(parts):
    """Parts of one kind that follow each other as one; none of no length."""
    out = []
    for a, b, *what in parts:
        if out and out[-1][2:] == (*what,) and out[-1][1] == a:
            out[-1] = (out[-1][0], b, *what)
        elif b > a:
            out.append((a, b, *what))
    return out


def sound(parts, start, end, what=""):
    """Without a gap or an overlap from start to end."""
    if start == end and not parts:
        return
    check(parts, f"{what}: no parts from {start} to {end}")
    equal(parts[0][0], start, f"{what}: the first part's start")
    equal(parts[-1][1], end, f"{what}: the last part's end")
    for p, q in zip(parts, parts[1:]):
        check(p[1] == q[0], f"{what}: {p} is followed by {q}")
    for p in parts:
        check(p[0] <= p[1], f"{what}: {p} ends before it begins")
    equal(sum(p[1] - p[0] for p in parts), end - start, f"{what}: sum")


def shown(parts, unit=S):
    return "\n".join(f"  {a / unit:12.6f} {b / unit:12.6f}  {t or 'driver'}  {c}, {s}" for a, b, t, c, s in parts)


def is_path(store, workflow, want, what="", options=()):
    """want: (start, end, task, component, state), seconds."""
    got = joined(critical(store, workflow, options)[0])
    want = [(round(a * S), round(b * S), t, c, s) for a, b, t, c, s in want]
    check(got == want, f"{what}: got\n{shown(got)}\nwant\n{shown(want)}")


def csv_rows(text):
    return list(csv.DictReader(io.StringIO(text)))


# ---- what the tests of critical paths share

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
