#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same files give the same store: twice, in any order, by any number of threads, moved, copied, grown or replaced."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

HTEX = LOGS[1:]


def fresh(*where, **more):
    """What a new store says of these paths."""
    fresh.count = getattr(fresh, "count", 0) + 1
    return dump(imported(*where, store=f"fresh{fresh.count}.db", **more).store, places=True, rejects=True)


def now(store):
    return dump(store, places=True, rejects=True)


@test
def twice():
    first = imported(EXAMPLE)
    before, ids = now(first.store), paths(first.store)
    sources = query(first.store, "SELECT path, part FROM sources ORDER BY 1, 2")
    for _ in range(2):
        again = imported(EXAMPLE)
        same(now(again.store), before)
        check(paths(again.store) == ids, "ids changed")
        check("0 new spans" in again.out, again)
    again = imported(f"{EXAMPLE}/000", f"{EXAMPLE}/{DB}", f"{EXAMPLE}/000/{PARSL}", EXAMPLE + "/")
    same(now(again.store), before)
    equal(query(again.store, "SELECT path, part FROM sources ORDER BY 1, 2"), sources, "sources")


@test
def spelt_differently():
    """Relative, with dots, through a symbolic link: one run."""
    small_run(path("runinfo"))
    want = fresh(path("runinfo"))
    os.symlink(path("runinfo"), path("link"))
    for spelling in ("runinfo", "./runinfo//000", path("runinfo/../runinfo"), "link", "link/000"):
        s = imported(spelling).store
    same(now(s), want)


@test
def order_of_paths():
    want = fresh(EXAMPLE)
    files = claimed(EXAMPLE)
    r = rng()
    for i in range(4):
        r.shuffle(files)
        same(now(imported(*files, store=f"{i}.db").store), want, f"files in the order {files}")


@test
def several_commands():
    want = fresh(EXAMPLE)
    parts = [f"{EXAMPLE}/{DB}", f"{EXAMPLE}/000"]
    for order in (parts, parts[::-1]):
        name = f"{os.path.basename(order[0])}-first.db"
        for p in order:
            s = imported(p, store=name).store
        same(now(s), want, f"commands in the order {order}")


@test
def one_command_a_file():
    small_run(path("runinfo"), 60)
    files = claimed(path("runinfo"))
    want = fresh(path("runinfo"))
    r = rng()
    orders = [sorted(files), sorted(files, reverse=True)] + [r.sample(files, len(files)) for _ in range(8)]
    for i, order in enumerate(orders):
        for f in order:
            s = imported(f, store=f"{i}.db").store
        short = [os.path.basename(f) for f in order]
        same(now(s), want, f"commands in the order {short}")
        same(now(imported(path("runinfo"), store=f"{i}.db").store), want, f"and the whole again, after {short}")


@cases(1, 2, 4)
def jobs(n):
    want = fresh(EXAMPLE, options=("--jobs", 1))
    for i in range(3):
        same(now(imported(EXAMPLE, store=f"{i}.db", options=("--jobs", n)).store), want)


@test
def moved():
    os.mkdir(path("old"))
    small_run(path("old/runinfo"))
    want = fresh(path("old/runinfo"))
    imported(path("old/runinfo"))
    os.rename(path("old"), path("new"))
    r = imported(path("new/runinfo"))
    same(now(r.store), want)
    check("0 new spans" in r.out, r)


@test
def moved_before_its_database_came():
    """runinfo/000 from one place, monitoring.db from another."""
    small_run(path("a/runinfo"))
    want = dump(imported(path("a/runinfo"), store="fresh.db").store)
    os.makedirs(path("b"))
    imported(path("a/runinfo/000"))
    os.rename(path("a/runinfo/monitoring.db"), path("b/monitoring.db"))
    same(dump(imported(path("b")).store), want)


@cases("with monitoring", "without monitoring")
def copied(which):
    small_run(path("a"), db=which == "with monitoring")
    want = fresh(path("a"))
    shutil.copytree(path("a"), path("b"))
    shutil.copytree(path("a"), path("a2/deep/er"))
    same(now(imported(path("a")).store), want)
    for p in ("b", "a2"):
        same(now(imported(path(p)).store), want, f"after the copy {p}")
    same(now(imported(path("a"), path("b"), path("a2"), store="at-once.db").store), want, "all at once")


@test
def copied_beside_itself():
    """cp -r runinfo/000 runinfo/001: one run."""
    small_run(path("runinfo"))
    want = fresh(path("runinfo"))
    shutil.copytree(path("runinfo/000"), path("runinfo/001"))
    same(now(imported(path("runinfo")).store), want)


@test
def moved_without_parsl_log():
    """HTEX logs alone tell no run id: the content must."""
    small_run(path("a"), logs=HTEX, db=False)
    s = imported(path("a")).store
    want = now(s)
    check(sum(" worker_received_task " in x for x in want) >= 5, "too little was read")
    os.rename(path("a"), path("b"))
    same(now(imported(path("b")).store), want)
    shutil.copytree(path("b"), path("c"))
    same(now(imported(path("c")).store), want)


@test
def parsl_log_came_after_the_move():
    """HTEX logs, then the same files elsewhere together with parsl.log and monitoring.db: as if all had come at once."""
    small_run(path("a"), logs=HTEX, db=False)
    imported(path("a"))
    small_run(path("b"))
    want = dump(imported(path("b"), store="fresh.db").store)
    same(dump(imported(path("b")).store), want)


@test
def parsl_log_came_later():
    small_run(path("a"))
    want = fresh(path("a"))
    os.rename(path(f"a/000/{PARSL}"), path("parsl.log"))
    os.rename(path(f"a/{DB}"), path(DB))
    imported(path("a"))
    os.rename(path("parsl.log"), path(f"a/000/{PARSL}"))
    imported(path("a"))
    os.rename(path(DB), path(f"a/{DB}"))
    same(now(imported(path("a")).store), want)


@test
def two_runs_with_equal_files():
    """Two runs whose empty or very small logs are byte for byte the same stay two runs."""
    for run in "ab":
        small_run(path(run, "runinfo"), logs=HTEX, db=False)
        write(path(run, "runinfo/000", WORKER1), b"")
        write(path(run, "runinfo/000", WORKER0), rewrite_log(WORKER0, cut(read(WORKER0), .05), move=0 if run == "a" else 1000))
        write(path(run, "runinfo/000", INTERCHANGE), rewrite_log(INTERCHANGE, cut(read(INTERCHANGE), .05), move=0 if run == "a" else 1000))
        write(path(run, "runinfo/000", MANAGER), rewrite_log(MANAGER, cut(read(MANAGER), .05), move=0 if run == "a" else 1000))
    one = len(query(imported(path("a"), store="a.db").store, "SELECT * FROM spans"))
    both = imported(path("a"), path("b"))
    equal(len(query(both.store, "SELECT * FROM spans")), 2 * one, "spans of two runs")
    for p in ("b", "a"):
        later = imported(path(p), store="later.db")
    same(later.store, both.store, "one after the other")


@test
def grown():
    """Cut at half, then whole, at the same place."""
    want = fresh(copy_run(path("whole/runinfo")))
    copy_run(path("runinfo"), share=.5)
    first = imported(path("runinfo"))
    ids = paths(first.store)
    check(len(ids) > 300, "too little was read at first")
    for log in LOGS:
        write(path("runinfo/000", log), read(log))
    shutil.copyfile(f"{EXAMPLE}/{DB}", path(f"runinfo/{DB}"))
    s = imported(path("runinfo")).store
    same(now(s), want)
    later = {v: k for k, v in paths(s).items()}
    check(all(later.get(p) == i for i, p in ids.items()), "ids changed as the files grew")
    same(now(imported(path("runinfo")).store), want, "once more")


@test
def grown_in_many_steps():
    """A run that is imported while it goes on, logs growing at different paces, cut in mid-line too."""
    want = fresh(copy_run(path("whole/runinfo"), db=False))
    r = rng()
    at = dict.fromkeys(LOGS, 0)
    for step in range(12):
        for log in r.sample(LOGS, r.randint(1, 5)):
            data = read(log)
            at[log] = min(len(data), at[log] + int(r.random() * len(data) / 3)) if step < 11 else len(data)
            write(path("runinfo/000", log), data[:at[log]])
        s = imported(path("runinfo"), options=("--jobs", r.choice((1, 2)))).store
    for log in LOGS:
        write(path("runinfo/000", log), read(log))
    same(now(imported(path("runinfo")).store), want)


@cases(*LOGS)
def grown_from_a_cut_line(log):
    """The last line had been cut, anywhere: in its time, in its text, between the lines of one record."""
    data = cut(read(log), .02 if log != WORKER1 else .1)
    copy_run(path("whole/runinfo"), logs=(log,), db=False, change=lambda *_: data)
    want = fresh(path("whole/runinfo"))
    r = rng()
    places = [700, 1, len(data) - 1, data.rfind(b"\n", 0, len(data) - 1) + 1] + [r.randrange(len(data)) for _ in range(10)]
    for i, n in enumerate(p for p in places if p < len(data)):
        write(path(f"runinfo/000/{log}"), data[:n])
        imported(path("runinfo"), store=f"{i}.db", code=0 if b"\n" in data[:n] else 1)
        write(path(f"runinfo/000/{log}"), data)
        s = imported(path("runinfo"), store=f"{i}.db").store
        same([x.replace("/whole", "") for x in now(s)], [x.replace("/whole", "") for x in want], f"grown from {n} bytes")


@test
def grown_and_moved():
    """A copy of the logs, taken in mid-run, was imported; the finished run lies elsewhere."""
    copy_run(path("whole/runinfo"))
    want = dump(imported(path("whole/runinfo"), store="fresh.db").store)
    copy_run(path("snapshot/runinfo"), share=.5, db=False)
    imported(path("snapshot/runinfo"))
    same(dump(imported(path("whole/runinfo")).store), want)


@test
def a_new_log_after_the_move():
    """The run was imported, moved, and imported there; then another of its workers began to write."""
    small_run(path("a"), logs=(PARSL, INTERCHANGE), db=False)
    imported(path("a"))
    os.rename(path("a"), path("b"))
    imported(path("b"))
    small_run(path("b"), db=False)
    want = dump(imported(path("b"), store="fresh.db").store)
    same(dump(imported(path("b")).store), want)


@test
def copied_before_its_id_was_known():
    """A worker's log was imported alone; the run with its id, and a copy of it, come together."""
    small_run(path("a"), logs=(WORKER1,), db=False)
    imported(path("a"))
    small_run(path("a"), 40, logs=(WORKER1, PARSL), db=False)
    want = dump(imported(path("a"), store="fresh.db").store)
    shutil.copytree(path("a"), path("b"))
    same(dump(imported(path("b"), path("a")).store), want)


def replaced(log, data):
    """Import the small run, put data in the place of a log, import again: the views and what is left after forget."""
    small_run(path("runinfo"), 60)
    imported(path("runinfo"))
    write(path("runinfo/000", log), data)
    want = fresh(path("runinfo"))
    r = imported(path("runinfo"))
    same(now(r.store), want, "the views do not show the new version alone")
    whole(r.store)
    if query(r.store, "SELECT count(*) FROM sources WHERE replaced_by IS NOT NULL") != [(0,)]:
        spanloom("forget", "-d", r.store, "--replaced")
    same(now(r.store), want, "after forget --replaced")
    whole(r.store)
    for table in ("sl_span", "sl_event", "sl_link", "sl_attr", "sl_source", "sl_reject"):
        n = [query(s, f"SELECT count(*) FROM {table}") for s in (r.store, path(f"fresh{fresh.count}.db"))]
        equal(n[0], n[1], f"rows of {table} after forget --replaced")
    same(now(imported(path("runinfo")).store), want, "imported once more")


@cases(*LOGS)
def shrunk(log):
    replaced(log, cut(read(log), .06 if log != PARSL else .1))


@cases(*LOGS)
def emptied(log):
    replaced(log, b"")


@cases(*LOGS)
def written_anew(log):
    """Other lines under the same name: some spans are gone, others have other times."""
    data = rewrite_log(log, cut(read(log), .15), move=3)
    replaced(log, data.replace(b"task 7 ", b"task 907 ").replace(b"[7]", b"[907]"))


@cases(*LOGS)
def changed_in_the_middle(log):
    """The same length, the same end."""
    data = bytearray(cut(read(log), .15))
    at = data.find(b"\n17951622", len(data) // 2) + 1
    data[at:at + 17] = b"1795162200.000001"
    replaced(log, bytes(data))


@test
def replaced_twice_and_back():
    """A, B, then A again: the views show A."""
    small_run(path("runinfo"), 60)
    want = fresh(path("runinfo"))
    file = path("runinfo/000", WORKER0)
    with open(file, "rb") as f:
        a = f.read()
    imported(path("runinfo"))
    for data in (cut(a, .5).replace(b"task 1\n", b"task 11\n"), rewrite_log(WORKER0, a, move=9), a):
        write(file, data)
        s = imported(path("runinfo")).store
    same(now(s), want)
    spanloom("forget", "-d", s, "--replaced")
    same(now(s), want, "after forget --replaced")


@test
def another_run_in_the_same_directory():
    """The name stays, the run does not: runinfo was removed and Parsl began again with 000."""
    small_run(path("runinfo"))
    imported(path("runinfo"))
    shutil.rmtree(path("runinfo"))
    other = "11111111-2222-3333-4444-555555555555"
    rewritten_run(path("runinfo"), move=5000, run_id=other, share=.05)
    s = imported(path("runinfo")).store
    new = dump(s)
    got = [x for x in new if other in x]
    same(got, dump(imported(path("runinfo"), store="plain.db").store), "the new run")
    lost = [x for x in new if re.search(r"(^| )\?", x)]
    check(not lost, f"things without their spans: {lost[:5]}")


@test
def monitoring_db_changed():
    copy_run(path("runinfo"), share=.5)
    imported(path("runinfo"))
    shutil.copyfile(f"{EXAMPLE}/{DB}", path(f"runinfo/{DB}"))
    want = fresh(path("runinfo"))
    same(now(imported(path("runinfo")).store), want, "rows were added")
    with sqlite3.connect(path(f"runinfo/{DB}")) as db:
        db.execute("UPDATE task SET task_func_name = 'renamed' WHERE task_id = 3")
        db.execute("UPDATE task SET task_time_returned = '2026-11-20 08:11:59.999999' WHERE task_id = 4")
    want = fresh(path("runinfo"))
    same(now(imported(path("runinfo")).store), want, "values were changed")
    with sqlite3.connect(path(f"runinfo/{DB}")) as db:
        db.execute("DELETE FROM try WHERE task_id = 5")
        db.execute("DELETE FROM status WHERE task_id = 5")
    want = fresh(path("runinfo"))
    same(now(imported(path("runinfo")).store), want, "rows were deleted")
    spanloom("forget", "-d", path("spanloom.db"), "--replaced")
    same(now(path("spanloom.db")), want, "after forget --replaced")


@test
def a_second_workflow_in_one_monitoring_db():
    other = "11111111-2222-3333-4444-555555555555"
    rewritten_run(path("b"), move=100, run_id=other, number="001")
    copy_run(path("runinfo"))
    imported(path("runinfo"))
    shutil.copytree(path("b/001"), path("runinfo/001"))
    with sqlite3.connect(path(f"runinfo/{DB}")) as db:
        db.execute("ATTACH ? AS b", (path(f"b/{DB}"),))
        for t in DATES:
            if t != "node":
                db.execute(f"INSERT INTO {t} SELECT * FROM b.{t}")
    want = fresh(path("runinfo"))
    s = imported(path("runinfo")).store
    same(now(s), want)
    runs = {p[0][1] for p in paths(s).values()}
    equal(runs, {RUN_ID, other}, "runs")


@test
def forget_a_source():
    """What one file asserted goes, what others assert stays; importing it again brings it back."""
    small_run(path("runinfo"), 60)
    want = dump(imported(path("runinfo")).store)
    for log in LOGS:
        file = path("runinfo/000", log)
        spanloom("forget", "-d", path("spanloom.db"), file)
        left = dump(path("spanloom.db"))
        check(len(left) < len(want), f"nothing was forgotten of {log}")
        whole(path("spanloom.db"))
        same(dump(imported(path("runinfo")).store), want, f"after {log} came back")


@test
def forget_leaves_what_others_say():
    small_run(path("runinfo"), 60)
    imported(path("runinfo"))
    for log in (MANAGER, WORKER0, INTERCHANGE):
        file = path("runinfo/000", log)
        os.remove(file)
        spanloom("forget", "-d", path("spanloom.db"), file)
        same(dump(path("spanloom.db")), dump(imported(path("runinfo"), store=f"without-{os.path.basename(log)}.db").store), f"without {log}")


main()
