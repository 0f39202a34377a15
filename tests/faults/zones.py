#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Naive local times land on the right instant, untold, whatever the order of files and the zone of this machine.

The same run is written as if its machine had stood elsewhere: parsl.log keeps its epoch and gets another local time, all
that is in monitoring.db is shifted, and so are the HTEX logs in the form of 2023, which have no epoch.  The dump must not change.
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

HOUR = 3600
ZONES = {"+05:30": 5.5 * HOUR, "-06:00": -6 * HOUR, "-02:30": -2.5 * HOUR, "+05:45": 5.75 * HOUR, "+14:00": 14 * HOUR, "-12:00": -12 * HOUR}
ELSEWHERE = "JST-9"  # the zone of the machine that imports: that of none of the runs
STYLES = ("2026", "2023")
_expected = {}


def expected(style, share=.3):
    """The dump of the run as it was, in UTC, said to be so."""
    if (style, share) not in _expected:
        d = rewritten_run(path(f"utc-{style}-{share}"), old=style == "2023", share=share)
        _expected[style, share] = dump(imported(d, store=f"utc-{style}-{share}.db").store)
    return _expected[style, share]


def place(style, zone, share=.3):
    return rewritten_run(path("runinfo"), offset=ZONES[zone], old=style == "2023", share=share)


@test
def the_form_of_2023_says_the_same():
    """The tests below rest on this rewriting: but for microseconds it changes nothing."""
    def rough(lines):
        out = []
        for x in lines:
            w = x.split(" ")
            if x.startswith("event ") and "executor=htex" in x:
                w[2] = w[2][:-6]
            if "executor.htex.manager=" in x and w[0] == "attr":
                continue  # the details of a manager are other words
            out.append(" ".join(w))
        return sorted(out)
    same(rough(expected("2023")), rough(expected("2026")))


@cases(*((s, z) for s in STYLES for z in ZONES))
def untold(style, zone):
    want = expected(style)
    d = place(style, zone)
    same(dump(imported(d, env={"TZ": ELSEWHERE}).store), want)


@cases(*((s, z) for s in STYLES for z in ("+05:30", "-06:00", "-02:30")))
def in_any_order(style, zone):
    want = expected(style, .1)
    d = place(style, zone, .1)
    files = files_of(d)
    r = rng()
    orders = [[f"{d}/{DB}", f"{d}/000"], [f"{d}/000", f"{d}/{DB}"], sorted(files), sorted(files, reverse=True)]
    orders += [r.sample(files, len(files)) for _ in range(2)]
    for i, order in enumerate(orders):
        for p in order:
            s = imported(p, store=f"{i}.db", env={"TZ": ELSEWHERE}).store
        same(dump(s), want, f"a command for each of {[os.path.basename(p) for p in order]}")
        s = imported(*order, store=f"at-once-{i}.db", env={"TZ": ELSEWHERE}).store
        same(dump(s), want, f"one command with {[os.path.basename(p) for p in order]}")


@test
def events_of_facets_differ_by_milliseconds():
    """Seen from a user's side: monitoring.db's and parsl.log's launch of each try."""
    s = imported(place("2026", "+05:30", 1), env={"TZ": ELSEWHERE}).store
    gaps = query(s, """SELECT abs(a.time - b.time) FROM facet f JOIN event a ON a.span_uuid = f.left_uuid AND a.type = 'launched'
        JOIN event b ON b.span_uuid = f.right_uuid AND b.type = 'launched'""")
    check(len(gaps) >= 25, f"{len(gaps)} pairs")
    check(max(g[0] for g in gaps) < 1, f"{max(g[0] for g in gaps)} s between two views of one launch")


@cases("+05:30", "-06:00", "-02:30")
def a_bare_database_told(zone):
    small_run(path("utc"), logs=())
    want = dump(imported(path("utc"), store="utc.db", options=("--zone", "Z")).store)
    rewritten_run(path("there"), offset=ZONES[zone], share=.05, logs=())
    r = imported(path("there"), options=("--zone", zone), env={"TZ": ELSEWHERE})
    same(dump(r.store), want)
    check("assumed" not in r.err and "were taken as" not in r.err, f"it was told, and complains:\n{r}")
    same(dump(imported(path("there"), store="equals.db", options=(f"--zone={zone}",)).store), want)


@test
def a_bare_database_untold():
    """This machine's zone is assumed, and that is said, with the remedy."""
    small_run(path("utc"), logs=())
    want = dump(imported(path("utc"), store="utc.db", env={"TZ": "UTC"}).store)
    rewritten_run(path("tokyo"), offset=9 * HOUR, share=.05, logs=())
    r = imported(path("tokyo"), env={"TZ": "JST-9"})
    same(dump(r.store), want)
    check("+09:00" in r.err and "--zone" in r.err, f"does not say what it assumed:\n{r}")


@test
def a_machine_zone_with_summer_time():
    """The assumed zone is that of the time of the run, not of today."""
    summer = 1795162289 - 120 * 86400
    small_run(path("utc"), logs=())
    rewrite_db(path(f"utc/{DB}"), move=-120 * 86400)
    want = dump(imported(path("utc"), store="utc.db", options=("--zone", "Z")).store)
    rewritten_run(path("chicago"), offset=-5 * HOUR, move=-120 * 86400, share=.05, logs=())
    r = imported(path("chicago"), env={"TZ": "CST6CDT,M3.2.0,M11.1.0"})
    same(dump(r.store), want, f"a run of {summer}, in July")
    check("-05:00" in r.err, r)


@cases(*STYLES)
def assumed_first_and_learnt_later(style):
    """Sources that teach nothing came first and were placed wrongly; what comes later puts them right."""
    want = expected(style, .1)
    d = place(style, "-06:00", .1)
    teacher = path("parsl.log")
    os.rename(f"{d}/000/{PARSL}", teacher)
    imported(d, env={"TZ": ELSEWHERE})
    os.rename(teacher, f"{d}/000/{PARSL}")
    same(dump(imported(d, env={"TZ": ELSEWHERE}).store), want)


@test
def an_assumption_is_made_anew():
    """What a run of another directory teaches of this machine counts alike in one command and in two."""
    rewritten_run(path("r"), ZONES["-06:00"], True, share=.1, db=False, logs=(WORKER1,), move=1000, number="001")
    rewritten_run(path("r"), ZONES["-06:00"], True, share=.1, db=False, logs=(INTERCHANGE,))
    want = dump(imported(path("r"), store="at-once.db", env={"TZ": ELSEWHERE}).store)
    imported(path("r/001"), env={"TZ": ELSEWHERE})
    same(dump(imported(path("r"), env={"TZ": ELSEWHERE}).store), want)


@cases(*STYLES)
def told_wrongly_and_learnt_later(style):
    """--zone is for where no record tells."""
    want = expected(style, .1)
    d = place(style, "-06:00", .1)
    imported(f"{d}/{DB}", options=("--zone", "+03:00"), env={"TZ": ELSEWHERE})
    same(dump(imported(d, env={"TZ": ELSEWHERE}).store), want)
    same(dump(imported(d, store="at-once.db", options=("--zone", "+03:00"), env={"TZ": ELSEWHERE}).store), want, "--zone beside what tells")


@test
def htex_logs_of_2023_alone():
    """No parsl.log: the heartbeats in interchange.log are Unix times."""
    logs = LOGS[1:]
    rewritten_run(path("utc"), old=True, share=.2, logs=logs, db=False)
    want = dump(imported(path("utc"), store="utc.db", options=("--zone", "Z")).store)
    rewritten_run(path("there"), offset=ZONES["+05:30"], old=True, share=.2, logs=logs, db=False)
    rename = lambda lines: [x.replace("/utc/", "/there/") for x in lines]
    same(dump(imported(path("there"), env={"TZ": ELSEWHERE}).store), rename(want))
    for order in (logs, logs[::-1]):
        for log in order:
            s = imported(path("there/000", log), store=f"{os.path.basename(order[0])}.db", env={"TZ": ELSEWHERE}).store
        same(dump(s), rename(want), f"in the order {order}")


def sacct(name, jobs):
    """jobs: (id, name, submitted, started) in UTC; as sacct prints them in New York, in winter."""
    local = lambda t: datetime.datetime.fromtimestamp(t - 5 * HOUR, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") if t else "Unknown"
    with open(path(name), "w") as f:
        f.write("JobID|JobName|Submit|Start\n" + "".join(f"{i}|{n}|{local(a)}|{local(b)}\n" for i, n, a, b in jobs))
    return path(name)


def job_lines(jobs):
    return sorted(f"{i} {e} {t}" for i, _, a, b in jobs for e, t in (("submit", a), ("start", b)) if t)


def job_times(store):
    return sorted(f"{k} {e} {t // 10**9}" for k, e, t in query(store, "SELECT s.key, e.type, e.time_ns FROM events e JOIN spans s ON s.id = e.span WHERE s.type = 'slurm.job'"))


@test
def batch_jobs_named_by_their_time():
    """Parsl names a job after its submission, which teaches the zone of sacct's columns; the other jobs share it."""
    t = 1795181098
    jobs = [("80", "lammps", t - 50, t + 9000), ("81", f"parsl.htex.block-0.{t}.25", t + 2, t + 7000), ("82", f"parsl.slurm.{t + 9}.5", t + 9, 0)]
    s = imported(sacct("jobs.sacct", jobs), env={"TZ": ELSEWHERE}).store
    same(job_times(s), job_lines(jobs))


@test
def batch_jobs_that_were_queued_anew():
    """Then the name has the time of another submission, and teaches nothing."""
    t = 1795181098
    jobs = [("81", f"parsl.htex.block-0.{t}.25", t + 1700, t + 1800), ("82", "other", t, t + 1)]
    r = imported(sacct("jobs.sacct", jobs), options=("--zone", "-05:00"), env={"TZ": ELSEWHERE})
    same(job_times(r.store), job_lines(jobs))


@cases(*STYLES)
def one_database_two_runs_two_zones(style):
    """monitoring.db was carried from one machine to another: each workflow has the zone of its own run directory."""
    old, other = style == "2023", "11111111-2222-3333-4444-555555555555"

    def both(where, first, second):
        rewritten_run(where, offset=first, old=old, share=.2)
        rewritten_run(where + "-b", offset=second, old=old, share=.2, move=1000, run_id=other, number="001")
        shutil.move(f"{where}-b/001", f"{where}/001")
        with sqlite3.connect(f"{where}/{DB}") as db:
            db.execute("ATTACH ? AS b", (f"{where}-b/{DB}",))
            for t in DATES:
                columns = ",".join(r[1] for r in db.execute(f"PRAGMA table_info({t})") if not (t == "node" and r[1] == "id"))
                db.execute(f"INSERT INTO {t} ({columns}) SELECT {columns} FROM b.{t}")
    both(path("utc"), 0, 0)
    want = dump(imported(path("utc"), store="utc.db").store)
    check(any(other in x and x.startswith("event ") for x in want), "the second run is not there")
    both(path("there"), ZONES["+05:30"], ZONES["-06:00"])
    same(dump(imported(path("there"), env={"TZ": ELSEWHERE}).store), want)
    for part in ("001", DB, "000"):
        s = imported(path("there", part), store="parts.db", env={"TZ": ELSEWHERE}).store
    same(dump(s), want, "in three commands")


def summer_time(to, style, before, after, step_at):
    """The run is moved so that the clock is set at a whole hour, step_at seconds after its begin."""
    start = 1795162289  # of the example
    instant = start - start % HOUR + 3 * HOUR
    move = instant - start - step_at
    rewritten_run(path("utc"), old=style == "2023", move=move)
    want = dump(imported(path("utc"), store="utc.db").store)
    rewritten_run(path(to), offset=lambda t: before if t < instant else after, old=style == "2023", move=move)
    return want


@cases(*((s, step, at) for s in STYLES for step in ("spring", "autumn") for at in (12, 20)))
def the_clock_is_set_during_the_run(style, step, at):
    before, after = (-6 * HOUR, -5 * HOUR) if step == "spring" else (-5 * HOUR, -6 * HOUR)
    want = summer_time("runinfo", style, before, after, at)
    same(dump(imported(path("runinfo"), env={"TZ": ELSEWHERE}).store), want)
    for part in (DB, "000"):
        s = imported(path("runinfo", part), store="parts.db", env={"TZ": ELSEWHERE}).store
    same(dump(s), want, "in two commands")


@test
def the_clock_is_set_by_half_an_hour():
    """Lord Howe Island."""
    want = summer_time("runinfo", "2023", 10.5 * HOUR, 11 * HOUR, 15)
    same(dump(imported(path("runinfo"), env={"TZ": ELSEWHERE}).store), want)


@test
def zones_that_are_none():
    small_run(path("runinfo"), logs=())
    for bad in ("", "5", "+", "+5:3", "+24:00", "+05:60", "Mars", "+05:30x", "++5", "+ 5", "+-5:00", "05:30", "+05:-9"):
        r = spanloom("import", "-d", "x.db", "--zone", bad, "runinfo", code=2)
        check("--zone" in r.err, r)
    check(not os.path.exists(path("x.db")), "a store was made")


main()
