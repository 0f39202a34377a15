#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Batch jobs and Parsl's blocks: the facets are those that Parsl's provider knew (TRUTH.tsv), from whatever there is of the run."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

DATA = f"{ROOT}/tests/data/slurm"
with open(f"{DATA}/TRUTH.tsv") as truth:
    TRUTH = {(e, b): {("slurm", job)} for e, b, job in (line.rstrip("\n").split("\t") for line in truth if not line.startswith("executor\t"))}
PAIRS = """SELECT DISTINCT e.key, b.key, c.key, j.key, f.rule FROM (SELECT left_span AS x, right_span AS y, rule, kind FROM {0}
      UNION ALL SELECT right_span, left_span, rule, kind FROM {0}) f
    JOIN spans b ON b.id = f.x AND b.type IN ('parsl.rundir.block', 'parsl.monitoring.block') JOIN spans e ON e.id = b.parent
    JOIN spans j ON j.id = f.y AND j.type = 'slurm.job' JOIN spans c ON c.id = j.parent WHERE f.kind = 'facet'"""


def pairs(store, table="links"):
    """{(executor, block): {(cluster, job)}}"""
    found = {}
    for e, b, cluster, job, _ in query(store, PAIRS.format(table)):
        found.setdefault((e, b), set()).add((cluster, job))
    return found


def sacct(change=lambda row: row, cluster=None, columns=None):
    """The accounting, with a column Cluster or with few columns; change gets {column: text} and gives it, or None."""
    with open(f"{DATA}/jobs.sacct") as f:
        names, *rows = [line.rstrip("\n").split("|") for line in f]
    rows = [change(dict(zip(names, row))) for row in rows]
    columns = columns or names
    head = (["Cluster"] if cluster else []) + columns
    return "".join("|".join(([cluster] if cluster else []) + [row[c] for c in columns]) + "\n" for row in rows if row).join(["|".join(head) + "\n", ""])


def run(to, jobs=None, drop=()):
    """The run without the files whose path has a word of drop; jobs: {file: text} instead of its accounting."""
    shutil.copytree(DATA, to)
    for folder, _, names in os.walk(to):
        for name in names:
            file = f"{folder}/{name}"
            if name == "jobs.sacct" and jobs is not None or any(d in os.path.relpath(file, to) for d in drop):
                os.remove(file)
    for name, text in (jobs or {}).items():
        write(f"{to}/{name}", text)
    return to


def never_wrong(store, true=None):
    """How many blocks have their job; others may be in doubt, with the right one among the candidates."""
    true = true or TRUTH
    found, doubtful = pairs(store), pairs(store, "doubts")
    wrong = {b: j for b, j in found.items() if j != true.get(b)}
    check(not wrong, f"wrong: {wrong}")
    for b, j in doubtful.items():
        check(b not in found and true[b] <= j, f"block {b}: candidates {j}, linked {found.get(b)}")
    return len(found)


@test
def as_the_provider_says():
    store = imported(DATA).store
    equal(pairs(store), TRUTH)
    equal(pairs(store, "doubts"), {}, "doubts")
    check(all(c < 1 for c, in query(store, "SELECT confidence FROM links WHERE rule = 'slurm.block'")), "as sure as if it were said")
    same(dump(imported(DATA, store="spanloom.db").store), dump(imported(DATA, store="fresh.db").store), "imported twice")


@cases(("only the database", "000"), ("only logs", "monitoring.db"), ("no parsl.log", "parsl.log"), ("no submit scripts", "submit_scripts"),
       ("only parsl.log", "htex_slurm,submit_scripts,monitoring.db"))
def with_a_part_of_the_run(name, drop):
    equal(pairs(imported(run(path("r"), drop=drop.split(","))).store), TRUTH)


@test
def accounting_first():
    imported(f"{DATA}/jobs.sacct")
    equal(pairs(path("spanloom.db")), {})
    imported(f"{DATA}/runinfo")
    equal(pairs(path("spanloom.db")), TRUTH)
    same(path("spanloom.db"), imported(DATA, store="fresh.db").store)


@test
def in_any_order():
    files = sorted(os.path.join(d, f) for d, _, names in os.walk(DATA) for f in names if f.endswith((".log", ".db", ".sacct")))
    want = dump(imported(*files, store="fresh.db").store)
    for i in range(4):
        for f in rng().sample(files, len(files))[i:] + files:
            imported(f, store=f"{i}.db")
        same(dump(path(f"{i}.db")), want)


@test
def the_same_accounting_twice():
    store = imported(run(path("r"), {"jobs.sacct": sacct(), "later.sacct": sacct()})).store
    equal(pairs(store), TRUTH)


@test
def queried_while_the_jobs_were_pending():
    """As sacct shows them before they start: no times yet."""
    early = sacct(lambda row: {**row, "Start": "Unknown", "End": "Unknown", "State": "PENDING", "NodeList": "None assigned", "Elapsed": "00:00:00"}
                  if "." not in row["JobID"] else None)
    store = imported(run(path("r"), {"early.sacct": early})).store
    equal(pairs(store), TRUTH)
    write(path("r/late.sacct"), sacct())
    imported(path("r"))
    equal(pairs(store), TRUTH)


@test
def another_cluster_with_these_numbers():
    other = sacct(lambda row: {**row, "JobName": "gromacs" if row["JobName"].startswith("parsl") else row["JobName"]}, cluster="beta")
    store = imported(run(path("r"), {"a.sacct": sacct(cluster="alpha"), "b.sacct": other})).store
    equal(pairs(store), {b: {("alpha", job) for _, job in j} for b, j in TRUTH.items()})


@cases("JobID,State,Submit,Start,End", "JobID,Start,End", "JobID,State")
def two_clusters_without_names_of_jobs(columns):
    true = {b: {("alpha", job) for _, job in j} for b, j in TRUTH.items()}
    columns = columns.split(",")
    store = imported(run(path("r"), {f"{c}.sacct": sacct(cluster=c, columns=columns) for c in ("alpha", "beta")}), options=("--zone", "-05:00")).store
    equal(never_wrong(store, true), 0, "links, where either cluster could be meant")
    equal(set(pairs(store, "doubts")), set(TRUTH), "blocks in doubt")


@test
def the_numbers_come_again():
    """The same cluster began anew, a year before: other jobs had these numbers."""
    def old(row):
        return {c: x.replace("2026-", "2025-") if c in ("Submit", "Eligible", "Start", "End") else x for c, x in row.items()}
    columns = ["JobID", "State", "Submit", "Start", "End"]
    store = imported(run(path("r"), {"a.sacct": sacct(old, cluster="alpha", columns=columns)}), options=("--zone", "-05:00")).store
    equal(pairs(store), {}, "jobs of a year before")


@test
def names_of_jobs_differ():
    """Same numbers, same time, other names: not these."""
    other = sacct(lambda row: {**row, "JobName": row["JobName"].replace("htex_slurm", "other")})
    store = imported(run(path("r"), {"jobs.sacct": other})).store
    equal(pairs(store), {})


@test
def jobs_of_another_provider():
    """Numbers of processes are no jobs of Slurm: the example's blocks ran on the local machine."""
    copy_run(path("runinfo"))
    numbers = [n for n, in query(imported(path("runinfo"), store="x.db").store, "SELECT DISTINCT job_id FROM parsl_block WHERE job_id IS NOT NULL")]
    check(numbers, "no block has a number")
    jobs = "JobID|State|Submit|Start|End\n" + "".join(f"{n}|COMPLETED|2026-11-20T08:11:30|2026-11-20T08:11:31|2026-11-20T08:13:00\n" for n in numbers)
    write(path("jobs.sacct"), jobs)
    store = imported(path("runinfo"), path("jobs.sacct"), options=("--zone", "Z")).store
    equal(pairs(store), {}, f"blocks of the local provider with the numbers {numbers}")


@test
def unbound_and_bound():
    store = imported(DATA).store
    want = dump(store)
    spanloom("unbind", "-d", store, "slurm.block")
    equal(pairs(store), {})
    write(path("more/jobs.sacct"), sacct(lambda row: {**row, "JobID": "9" + row["JobID"]}, cluster="beta"))
    imported(path("more"))
    equal(pairs(store), {}, "after another import")
    spanloom("bind", "-d", store, "slurm.block")
    same(store, imported(DATA, path("more"), store="fresh.db").store)
    check(set(want) <= set(dump(store)), "something is gone")


if __name__ == "__main__":
    main()
