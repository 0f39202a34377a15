#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""import --campaign: what is in it, however and whenever its files were named."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

DATA = f"{ROOT}/tests/data"
THREADS, PLAIN, LOST, SLURM = (f"{DATA}/{d}" for d in ("parsl-2026-threads", "parsl-2026-nomonitoring", "parsl-2026-lost", "slurm"))


def campaign(name, *what, **more):
    return imported(*what, options=("--campaign", name), **more).store


def members(store):
    """{campaign: {(type, key) of its roots}}"""
    known, found = paths(store), {}
    for i, p in known.items():
        if p[-1][0] == "campaign":
            equal(len(p), 1, "a campaign is a root")
            found[p[-1][1]] = {known[b][-1] for b, in query(store, "SELECT right_span FROM links WHERE left_span = ? AND kind = 'in'", i)}
    return found


def roots(*what):
    """All roots that a store of these files has, but no databases, which are collections themselves."""
    store = imported(*what, store="roots.db").store
    got = {p[0] for p in paths(store).values()}
    os.remove(store)
    return got


def workflows(things):
    return {t for t in things if t[0].endswith("workflow")}


@test
def two_runs():
    store = campaign("spring", THREADS, PLAIN)
    equal(workflows(members(store)["spring"]), workflows(roots(THREADS, PLAIN)))
    equal(len(workflows(members(store)["spring"])), 3)
    same(store, campaign("spring", THREADS, PLAIN))


@test
def one_after_the_other():
    campaign("spring", THREADS)
    campaign("spring", PLAIN)
    same(path("spanloom.db"), campaign("spring", PLAIN, THREADS, store="fresh.db"))


@test
def files_that_are_known_already():
    store = imported(THREADS, PLAIN).store
    equal(members(store), {})
    campaign("spring", THREADS)
    equal(workflows(members(store)["spring"]), workflows(roots(THREADS)))
    campaign("spring", PLAIN)
    same(store, campaign("spring", PLAIN, THREADS, store="fresh.db"))


@test
def one_file_of_a_known_run():
    store = imported(THREADS).store
    campaign("spring", f"{THREADS}/runinfo/000/parsl.log")
    check(workflows(members(store)["spring"]), "its run is not in it")


@test
def in_several_campaigns():
    store = campaign("spring", THREADS, PLAIN)
    campaign("all", THREADS, PLAIN, LOST)
    campaign("one", LOST)
    got = members(store)
    equal({c: workflows(x) for c, x in got.items()}, {"spring": workflows(roots(THREADS, PLAIN)), "all": workflows(roots(THREADS, PLAIN, LOST)), "one": workflows(roots(LOST))})
    before = dump(store)
    spanloom("unbind", "-d", store, "--campaign", "all")
    equal(set(members(store)), {"spring", "one"}, "campaigns")
    imported(THREADS, PLAIN, LOST)
    equal(set(members(store)), {"spring", "one"}, "campaigns after another import")
    campaign("all", THREADS, PLAIN, LOST)
    same(store, before)
    spanloom("unbind", "-d", store, "--campaign", "no such", code=1)


@test
def without_a_campaign_nothing_is_in_it():
    store = campaign("spring", THREADS)
    imported(PLAIN)
    equal(workflows(members(store)["spring"]), workflows(roots(THREADS)))


@cases("copied before", "copied later", "moved")
def runs_in_two_places(how):
    """A copy is the run itself, wherever it was named."""
    shutil.copytree(f"{LOST}/runinfo", path("a/runinfo"))
    if how == "copied before":
        shutil.copytree(path("a"), path("b"))
        store = campaign("spring", path("a"))
        campaign("spring", path("b"))
    else:
        store = campaign("spring", path("a"))
        (os.rename if how == "moved" else shutil.copytree)(path("a"), path("b"))
        campaign("spring", path("b"))
    got = workflows(members(store)["spring"])
    equal(got, workflows(roots(LOST)))
    check(query(store, "SELECT count(*) FROM spans WHERE type = 'campaign'") == [(1,)], "campaigns")


@test
def three_databases():
    """Monitoring databases only: one collection each, in a campaign."""
    for n, run in enumerate((THREADS, LOST, SLURM)):
        if os.path.exists(f"{run}/runinfo/monitoring.db"):
            os.makedirs(path(f"d{n}"))
            shutil.copy(f"{run}/runinfo/monitoring.db", path(f"d{n}/monitoring.db"))
    databases = [d for d in os.listdir(path()) if d.startswith("d")]
    check(len(databases) == 3, databases)
    store = campaign("spring", *map(path, databases))
    runs = {("parsl.monitoring.workflow", r) for d in databases for r, in query(path(d, "monitoring.db"), "SELECT run_id FROM workflow")}
    inside = {tuple(x) for x in query_in(store, "spring")}
    check(runs <= inside, f"not in it: {runs - inside}")
    equal({k for k in inside if k[0] == "parsl.monitoring.workflow"}, runs)


def query_in(store, name):
    rows = spanloom("sql", "-d", store, "--format", "json", f"SELECT s.type, s.key FROM spans c JOIN descendants(c.id) d JOIN spans s ON s.id = d.span WHERE c.type = 'campaign' AND c.key = '{name}'")
    return [(r["type"], r["key"]) for r in json.loads(rows.out)]


@test
def grown_and_replaced():
    """The run is in its campaign still when its log has grown, with and without --campaign."""
    small_run(path("runinfo"), 20)
    store = campaign("spring", path("runinfo"))
    small_run(path("runinfo"), 40)
    imported(path("runinfo"))
    got = workflows(members(store)["spring"])
    equal({t for t, _ in got}, {"parsl.rundir.workflow", "parsl.monitoring.workflow"})
    small_run(path("runinfo"), 10)
    imported(path("runinfo"))
    equal(workflows(members(store)["spring"]), got)


@test
def forgotten():
    store = campaign("spring", THREADS, PLAIN)
    for p, in query(store, "SELECT DISTINCT path FROM sources WHERE path LIKE ?", f"%{os.path.basename(PLAIN)}%"):
        spanloom("forget", "-d", store, p)
    whole(store)
    imported(THREADS)
    left = workflows(members(store)["spring"]) - workflows(roots(THREADS))
    equal(left, set(), "still in it")
    same(store, campaign("spring", THREADS, store="fresh.db"))


@test
def analyses():
    store = campaign("spring of '26", THREADS, PLAIN)
    out = spanloom("sequences", "-d", store, "campaign").out
    check("1 span of type campaign" in out, out[:300])
    out = spanloom("show", "-d", store, "campaign", "spring of '26").out
    check(out.startswith("campaign spring of '26") and "parsl.rundir.workflow" in out, out[:300])
    events = [n for n, in query(store, "SELECT count(*) FROM events e JOIN spans s ON s.id = e.span")]
    seen = spanloom("sql", "-d", store, "--format", "json", "SELECT count(*) AS n FROM spans c JOIN descendants(c.id) d JOIN events e ON e.span = d.span WHERE c.type = 'campaign'").out
    equal(json.loads(seen)[0]["n"], events[0], "events below the campaign")


@cases("it's", 'a "b"', "x; DROP TABLE sl_span", "ünï", "%s", "a/b")
def names(name):
    store = campaign(name, THREADS)
    equal(list(members(store)), [name])
    spanloom("show", "-d", store, "campaign", name)
    spanloom("unbind", "-d", store, "--campaign", name)
    equal(members(store), {})
    same(store, imported(THREADS, store="fresh.db").store)


@test
def no_name():
    spanloom("import", "-d", path("s.db"), "--campaign", "", THREADS, code=(1, 2))


@test
def files_in_steps():
    want = dump(campaign("spring", LOST, store="fresh.db"))
    files = sorted(os.path.join(d, f) for d, _, names in os.walk(LOST) for f in names)
    files = [f for f in files if f in claimed(LOST)]
    rng().shuffle(files)
    for f in files:
        campaign("spring", f)
    same(path("spanloom.db"), want)


if __name__ == "__main__":
    main()
