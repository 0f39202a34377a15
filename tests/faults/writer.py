#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that a task's try wrote without naming it: each stage lies in the right try, or nobody says in which.

The truth is computed here from monitoring.db alone: the try of the task with that standard output, during which the line was written.
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

DATA = f"{ROOT}/tests/data/parsl-2026-progress"
RECIPE = ("--recipe", f"{DATA}/progress.yaml")
OUTPUT = re.compile(r"(task_logs/.*|out/hello.*)$")


def get(*what, **more):
    return imported(*what, options=RECIPE, **more).store


def seconds(text):
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc).timestamp()


def truth():
    """{(end of the path, stage): (task, try)}, of the lines in the files and the status table."""
    with sqlite3.connect(f"file:{DATA}/runinfo/monitoring.db?mode=ro", uri=True) as db:
        tasks = {OUTPUT.search(out)[0]: task for task, out in db.execute("SELECT task_id, task_stdout FROM task") if out}
        began = {(t, y): seconds(at) for t, y, at in db.execute("SELECT task_id, try_id, min(timestamp) FROM status WHERE task_status_name = 'launched' GROUP BY 1, 2")}
        ended = {(t, y): seconds(at) for t, y, at in db.execute("SELECT task_id, try_id, max(timestamp) FROM status WHERE task_status_name LIKE 'fail%' OR task_status_name = 'exec_done' GROUP BY 1, 2")}
    found = {}
    for file, task in tasks.items():
        n = {}
        with open(f"{DATA}/{'runinfo/000/' if file.startswith('task') else ''}{file}") as f:
            for line in f:
                at, _, rest = line.partition(" ")
                if rest.startswith("STEP begin "):
                    stage = rest.split()[2]
                    n[stage] = n.get(stage, 0) + 1
                    tries = [k for k in began if k[0] == task and began[k] <= float(at) <= ended[k]]
                    equal(len(tries), 1, f"tries of {file} at {at}")
                    found[file, f"{stage} {n[stage]}"] = tries[0]
    return found


TRUTH = truth()


def stages(store, table="links"):
    """{(end of the path, stage): {(task, try)}} by any view of a try; a task alone is (task, None)."""
    known, found = paths(store), {}
    for left, right in query(store, f"SELECT left_span, right_span FROM {table} WHERE kind = 'in' AND rule = 'file.writer'"):
        (kind, key), *_ = reversed(known[right])
        if kind != "mycode.stage":
            continue
        who = {k.rpartition(".")[2]: int(v) for k, v in known[left] if k.endswith((".task", ".try"))}
        found.setdefault((OUTPUT.search(known[right][-2][1])[0], key), set()).add((who["task"], who.get("try")))
    return found


def run(to, change=lambda file, data: data, drop=()):
    """A copy of the run; change gives what a file holds, or None."""
    for folder, _, names in os.walk(DATA):
        for name in names:
            file = os.path.relpath(f"{folder}/{name}", DATA)
            if any(d in file for d in drop) or name.endswith(".yaml"):
                continue
            with open(f"{folder}/{name}", "rb") as f:
                data = change(file, f.read())
            if data is not None:
                write(f"{to}/{file}", data)
    return to


def database(file):
    return sqlite3.connect(file)


@test
def as_the_times_say():
    check(len(TRUTH) == 22 and len({y for _, y in TRUTH.values()}) == 2, f"{len(TRUTH)} stages in the truth")
    store = get(DATA)
    equal(stages(store), {k: {v} for k, v in TRUTH.items()})
    equal(query(store, "SELECT count(*) FROM doubts"), [(0,)])
    n = query(store, "SELECT count(DISTINCT right_span) FROM links l JOIN spans s ON s.id = l.right_span WHERE s.type = 'mycode.output' AND l.rule = 'file.writer'")
    equal(n, [(10,)], "files that lie in what wrote them")


@test
def seen_from_the_task():
    store = get(DATA)
    for task in (0, 3, 7):
        rows = spanloom("sql", "-d", store, "--format", "json", f"""SELECT s.key FROM spans t JOIN descendants(t.id) d
            JOIN spans s ON s.id = d.span WHERE t.type = 'parsl.rundir.task' AND t.key = '{task}' AND s.type = 'mycode.stage'""")
        seen = {row["key"] for row in json.loads(rows.out)}
        equal(seen, {stage for (_, stage), (t, _) in TRUTH.items() if t == task}, f"stages below task {task}")


@cases(("without monitoring", "monitoring.db"), ("without parsl.log", "parsl.log"), ("without any log of HTEX", "htex/"))
def with_a_part_of_the_run(name, drop):
    found = stages(get(run(path("r"), drop=(drop,))))
    equal({k for k, v in found.items() if v - {TRUTH[k], (TRUTH[k][0], None)}}, set(), "wrong tries")
    equal(set(found), set(TRUTH), "stages that lie in something")


@test
def copied_elsewhere():
    found = stages(get(run(path("far/away/from/home"))))
    equal(found, {k: {v} for k, v in TRUTH.items()})


@test
def moved_after_it_was_read():
    run(path("a"))
    store = get(path("a"))
    os.rename(path("a"), path("b"))
    get(path("b"))
    equal(stages(store), {k: {v} for k, v in TRUTH.items()})
    of = " AND key LIKE '%/task_logs/%'"  # others of so few bytes are not recognised as the same
    equal(query(store, f"SELECT count(*) FROM spans WHERE type = 'mycode.output'{of}"), [(6,)], "files")


@test
def files_one_by_one():
    want = sorted(re.sub(r"/\S*/r/", "", x) for x in dump(get(run(path("r")), store="fresh.db")))
    files = sorted(os.path.join(d, f) for d, _, names in os.walk(path("r")) for f in names)
    for i in range(3):
        rng().shuffle(files)
        files = files[len(files) // 3:] + files[:len(files) // 3]
        for f in files:
            get(f, store=f"{i}.db")
        same(sorted(re.sub(r"/\S*/r/", "", x) for x in dump(path(f"{i}.db"))), want)


@test
def stages_first_and_more_later():
    """The output of a running task: it grows, and its task is known only later."""
    run(path("r"), lambda file, d: d[:d.find(b"\n", 60) + 1] if "task_" in file else d, drop=(".db", ".log"))
    store = get(path("r"))
    equal(stages(store), {})
    run(path("r"))
    get(path("r"))
    equal(stages(store), {k: {v} for k, v in TRUTH.items()})
    same(store, get(path("r"), store="fresh.db"))


@test
def a_file_that_no_record_names():
    run(path("r"))
    shutil.copy(path("r/out/hello_1.txt"), path("r/out/hello_77.txt"))
    write(path("r/runinfo/000/task_logs/0000/task_0099_simulate.stdout"), "1795182554.2 STEP begin solve\n1795182554.3 STEP end solve\n")
    store = get(path("r"))
    equal(stages(store), {k: {v} for k, v in TRUTH.items()})
    equal(query(store, "SELECT count(*) FROM doubts"), [(0,)])


@test
def two_runs_wrote_the_same_path():
    """Another workflow, a day later, whose hello_*.txt are at the same path; the file holds what one of them wrote."""
    run(path("a"))
    run(path("b"), lambda file, d: d if file.endswith(".db") else None)
    with database(path("b/runinfo/monitoring.db")) as db:
        for table, columns in DATES.items():
            for c in columns:
                db.execute(f"UPDATE {table} SET {c} = replace({c}, '2026-11-20', '2026-11-21')")
            db.execute(f"UPDATE {table} SET run_id = '11111111-2222-3333-4444-555555555555'")
    store = get(path("a"), path("b"))
    runs = {}
    known = paths(store)
    for left, right in query(store, "SELECT left_span, right_span FROM links WHERE rule = 'file.writer'"):
        runs[known[left][0][1]] = runs.get(known[left][0][1], 0) + 1
    check("11111111-2222-3333-4444-555555555555" not in runs, f"lines of the first run lie in the second: {runs}")
    found = stages(store)
    equal({k: v for k, v in found.items() if v != {TRUTH[k]}}, {}, "wrong")
    undecided = set(TRUTH) - set(found) - set(stages(store, "doubts"))
    equal(undecided, set(), "neither linked nor in doubt")


@test
def two_runs_wrote_at_once():
    """Two workflows with equal paths and equal times: nobody can tell."""
    run(path("a"))
    run(path("b"), lambda file, d: d if file.endswith(".db") else None)
    with database(path("b/runinfo/monitoring.db")) as db:
        for table in DATES:
            db.execute(f"UPDATE {table} SET run_id = '11111111-2222-3333-4444-555555555555'")
    store = get(path("a"), path("b"))
    sides = query(store, "SELECT count(*), count(DISTINCT right_span) FROM links WHERE rule = 'file.writer'")[0]
    equal(sides[0], sides[1], "a stage in the tries of two runs")
    known = paths(store)
    wrong = [say(known[left]) for left, in query(store, "SELECT left_span FROM links WHERE rule = 'file.writer'") if known[left][0][1].startswith("1111")]
    check(not wrong, f"in the run that did not write it: {wrong[:3]}")


@test
def near_the_border_of_two_tries():
    """A stage within a second after a try has ended and the next begun is in doubt; elsewhere it is not."""
    edge = 1795182557.069  # try 0 of task 0 ends, try 1 begins a millisecond later
    before = ((-.9, (0, 0)), (-.3, (0, 0)))
    for offset, sure in ((-1.7, (0, 0)), (1.7, (0, 1)), (.3, None), (.9, None), (0, None), *before):
        lines = f"{edge + offset:.6f} STEP begin edge\n{edge + offset + .0001:.6f} STEP end edge\n".encode()
        name = f"r{offset}"
        run(path(name), lambda file, d: lines if file.endswith("task_0000_simulate.stdout") else d, drop=(".log",))
        store = get(path(name), store=f"{name}.db")
        at = (next(f for f, _ in TRUTH if f.endswith("task_0000_simulate.stdout")), "edge 1")
        got, doubtful = stages(store).get(at), stages(store, "doubts").get(at)
        if sure:
            equal(got, {sure}, f"{offset} s from the border")
        else:
            check(not got or got == {(0, None)}, f"{offset} s from the border it lies in {got}")
            equal(doubtful, {(0, 0), (0, 1)}, f"{offset} s from the border: candidates")


@test
def before_and_after_all_tries():
    """Times at which the task did not run: an hour before, an hour after."""
    for name, t in (("before", 1795182547 - 3600), ("after", 1795182547 + 3600)):
        lines = f"{t} STEP begin odd\n{t + 1} STEP end odd\n".encode()
        run(path(name), lambda file, d: lines if file.endswith("task_0000_simulate.stdout") else d)
        got = [v for (f, stage), v in stages(get(path(name), store=f"{name}.db")).items() if stage == "odd 1"]
        check(got in ([], [{(0, None)}]), f"{name} all of its tries it lies in {got}")


@test
def unbound_and_bound():
    store = get(run(path("r")))
    want = dump(store)
    spanloom("unbind", "-d", store, "file.writer")
    equal(stages(store), {})
    get(path("r"))
    equal(stages(store), {}, "after another import")
    spanloom("bind", "-d", store, "file.writer")
    same(store, want)


@test
def in_the_tables():
    """A user's types have tables, too."""
    store = get(DATA)
    rows = query(store, "SELECT key, [begin], [end] FROM mycode_stage")
    events = {}
    for span, kind, t in query(store, "SELECT s.id, e.type, min(e.time_ns) FROM spans s JOIN events e ON e.span = s.id WHERE s.type = 'mycode.stage' GROUP BY 1, 2"):
        events.setdefault(span, {})[kind] = t / 1e9
    equal(len(rows), 22)
    equal(sorted((b, e) for _, b, e in rows if e), sorted((e["begin"], e["end"]) for e in events.values() if len(e) == 2))
    equal([k for k, _, e in rows if e is None], ["solve 1"] * 3, "stages that did not end")


if __name__ == "__main__":
    main()
