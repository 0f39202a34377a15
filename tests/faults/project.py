#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom.yaml: an import without an argument is the study, again and again; what is wrong in it is said with its line."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

DATA = f"{ROOT}/tests/data"
ALL = """store: kept/spring.db
sources: [runs/*/runinfo, "batch/jo?s.sacct", prog]
recipes: [my/progress.yaml]
zone: "-05:00"
campaign: spring 2026
set: {JobName: here}
bind:
  one: slurm.job after slurm.node where a.key = 81
  "the 2nd": parsl.rundir.task after parsl.rundir.task where b.task = a.task - 1 and a.run_id = b.run_id
ignore: [parsl.rundir.try, "*/pending"]
rename: {parsl.rundir.task/submitted: begins}
merge:
  parsl.task/ended: {of: [parsl.rundir.task/exec_done, parsl.monitoring.task/returned], within: 0.5}
"""


def study(text=ALL):
    for d in ("parsl-2026-threads", "parsl-2026-nomonitoring"):
        shutil.copytree(f"{DATA}/{d}", path("p/runs", d))
    shutil.copytree(f"{DATA}/parsl-2026-progress", path("p/prog"))
    os.makedirs(path("p/my")), os.makedirs(path("p/batch")), os.makedirs(path("p/kept"))
    os.rename(path("p/prog/progress.yaml"), path("p/my/progress.yaml"))
    shutil.copy(f"{DATA}/slurm/jobs.sacct", path("p/batch"))
    project(text)
    return path("p/kept/spring.db")


def project(text):
    write(path("p/spanloom.yaml"), text)


def run(*args, **more):
    return spanloom(*args, cwd=path("p"), **more)


def said(store):
    lens = [f"lens {row}" for row in query(store, "SELECT kind, what, becomes, within_ns FROM sl_lens ORDER BY id")]
    rules = [f"rule {row}" for row in query(store, "SELECT l.rule, l.kind, count(*) FROM links l GROUP BY 1, 2 ORDER BY 1, 2")]
    return dump(store, places=True) + lens + rules


@test
def everything_by_hand():
    """The same as commands with all of it."""
    store = study()
    run("import")
    bookkeeping(store)
    other = path("hand.db")
    runs = sorted(path("p/runs", d, "runinfo") for d in os.listdir(path("p/runs")))
    spanloom("import", "-d", other, "--recipe", path("p/my/progress.yaml"), "--zone", "-05:00", "--campaign", "spring 2026", "--set", "JobName=here",
             *runs, path("p/batch/jobs.sacct"), path("p/prog"))
    for name, rule in re.findall(r'^  "?(one|the 2nd)"?: (.*)', ALL, re.M):
        spanloom("bind", "-d", other, "--recipe", path("p/my/progress.yaml"), "--name", name, rule)
    lens = lambda x: [line for line in x if not line.startswith("lens")]
    same(lens(said(store)), lens(said(other)))
    check(len(query(store, "SELECT 1 FROM links WHERE rule = 'the 2nd'")) > 10 and len(query(store, "SELECT 1 FROM links WHERE rule = 'one'")) == 2, "no links")
    equal(query(store, "SELECT kind, what, becomes, within_ns FROM sl_lens ORDER BY id"),
          [("ignore", "parsl.rundir.try", None, None), ("ignore", "*/pending", None, None), ("rename", "parsl.rundir.task/submitted", "begins", None),
           ("merge", "parsl.rundir.task/exec_done parsl.monitoring.task/returned", "parsl.task/ended", 500000000)])
    check(not os.path.exists(path("p/spanloom.db")), "a store of another name")


@test
def again_and_again():
    store = study()
    run("import")
    before, sources = said(store), query(store, "SELECT * FROM sources")
    for _ in range(2):
        r = run("import")
        check("0 new spans, 0 events from 0 files" in r.out, r)
        same(said(store), before)
        equal(query(store, "SELECT * FROM sources"), sources)


@test
def from_elsewhere():
    """Paths are relative to the file, wherever it is moved; -d and other commands use its store."""
    store = study()
    run("import")
    n = len(query(store, "SELECT 1 FROM spans"))
    equal(json.loads(run("sql", "--format", "json", "SELECT count(*) AS n FROM spans").out), [{"n": n}])
    check("the 2nd" in run("bind").out and "one" in run("links").out, "bindings")
    os.rename(path("p"), path("q"))
    spanloom("import", cwd=path("q"))
    equal(query(path("q/kept/spring.db"), "SELECT count(*) FROM links WHERE rule = 'one'"), [(2,)])


@test
def the_command_line_goes_first():
    study()
    run("import", "-d", "other.db")
    check(os.path.exists(path("p/other.db")) and not os.listdir(path("p/kept")), "-d was not heeded")
    run("import", env={"SPANLOOM_DB": "third.db"})
    check(os.path.exists(path("p/third.db")) and not os.listdir(path("p/kept")), "SPANLOOM_DB was not heeded")
    run("import", "--campaign", "autumn", "-d", "fourth.db")
    equal(query(path("p/fourth.db"), "SELECT key FROM spans WHERE type = 'campaign'"), [("autumn",)])
    run("import", "-d", "fifth.db", "batch")
    equal(query(path("p/fifth.db"), "SELECT DISTINCT recipe FROM sources WHERE id > 0 AND recipe <> ''"), [("slurm.sacct",)])


@test
def what_is_taken_out_goes():
    store = study()
    run("import")
    for key in ("one", "the 2nd"):
        check(query(store, "SELECT 1 FROM links WHERE rule = ?", key), key)
    run("bind", "--name", "by hand", "slurm.job flow slurm.node where a.key = 82")
    project(re.sub(r"(?m)^  one: .*\n", "", ALL))
    run("import")
    equal({r for r, in query(store, "SELECT DISTINCT rule FROM links WHERE rule IN ('one', 'the 2nd', 'by hand')")}, {"the 2nd", "by hand"})
    project(ALL.partition("bind:")[0])
    run("import")
    equal({r for r, in query(store, "SELECT DISTINCT rule FROM links WHERE rule IN ('one', 'the 2nd', 'by hand')")}, {"by hand"})
    equal(query(store, "SELECT count(*) FROM sl_lens"), [(0,)], "rows of the lens")
    project(ALL)
    run("import")
    run("unbind", "by hand")
    have = said(store)
    os.rename(store, f"{store}.old")
    run("import")
    same(have, said(store))


@test
def changed_rules():
    store = study()
    run("import")
    project(ALL.replace("where a.key = 81", "where a.key = 82 or a.key = 83"))
    run("import")
    equal(query(store, "SELECT count(*) FROM links WHERE rule = 'one'"), [(4,)])
    run("unbind", "one")
    equal(query(store, "SELECT count(*) FROM links WHERE rule = 'one'"), [(0,)])
    run("import")
    equal(query(store, "SELECT count(*) FROM links WHERE rule = 'one'"), [(4,)], "it comes back with the next import")


@test
def a_lens_of_the_study():
    store = study()
    run("import")
    plain = run("sequences", "parsl.rundir.task", "--lens", "none").out
    seen = run("sequences", "parsl.rundir.task").out
    check("pending" in plain and "pending" not in seen and "begins" in seen and "parsl.task/ended" in seen, seen[:1500])
    check(store, store)


WRONG = [("bogus: 1", 1, "bogus"), ("store: a.db\nbogus: {a: 1}", 2, "bogus"), ("sources:\n  - a\nsource: b", 3, "source"), ("store: [a]", 1, "store"),
         ("store: a\nstore: b", 2, "store"), ("bind: [a]", 1, "bind"), ("bind:\n  a: slurm.job within x", 2, "slurm.job within x"), ("bind:\n  a: b\n  c: d", 2, "b"),
         ("bind:\n  a: slurm.job in slurm.node where", 2, "where"), ("bind:\n  a: x in y\n  a: x in y", 3, "a"), ("zone: [x]", 1, "zone"), ("set: [a]", 1, "set"),
         ("merge: {a/b: {within: 1}}", 1, "merge"), ("merge:\n  a/b: {of: [x/y], within: soon}", 2, "within"), ("x: [", None, "YAML"), ("[]", 1, "map"),
         ("rename: [a]", 1, "rename"), ("rename:\n  a: a", 2, "a is called so already"), ("merge:\n  a/b: {of: []}", 2, "merge"),
         ("\tx: y", 1, "YAML"), ("recipes: {a: b}", 1, "recipes")]


@cases(*WRONG)
def wrong_with_its_line(text, line, word):
    os.makedirs(path("p"))
    project(text + "\n")
    for args in (["import"], ["links"]):
        r = run(*args, code=(1, 2))
        check(r.err.startswith(f"spanloom: spanloom.yaml:{line or ''}") and word in r.err, r)
    equal(os.listdir(path("p")), ["spanloom.yaml"])
    for args in (["--help"], ["import", "--help"], ["--version"]):
        run(*args)


SLIPS = [("zone: nowhere", "zone"), ("rename: {a/b: '*'}", "*"), ("bind:\n  slurm.block: slurm.job in slurm.node", "slurm.block"),
         ("bind:\n  '': slurm.job after slurm.node", ""), ("merge: {end: [a/b]}", "end"), ("bind:\n  a: slurm.job in slurm.node where nosuch(", "nosuch(")]
LATE = [("bind:\n  a: slurm.job in slurm.node where nosuch()", "nosuch"), ("bind:\n  a: slurm.job in slurm.node where a.nosuch = 1", "nosuch")]


@cases(*SLIPS)
def wrong_in_the_file(text, word):
    """The file is refused."""
    study(f"sources: [batch]\n{text}\n")
    r = run("import", code=(1, 2))
    check("spanloom.yaml" in r.err and word in r.err, r)


@cases(*LATE)
def wrong_for_this_store(text, word):
    """What only the store can tell: the import is made, the rule is left out."""
    study(f"sources: [batch]\n{text}\n")
    r = run("import")
    check("binding a" in r.err and word in r.err, r)


@cases("", "# nothing\n", "sources: []\n", "bind: {}\n")
def nothing_in_it(text):
    """All keys may be left out."""
    study(text)
    run("import", "batch")
    equal(query(path("p/spanloom.db"), "SELECT count(*) FROM spans WHERE type = 'slurm.job'"), [(8,)])
    run("import", code=(1, 2))


@cases("sources: [nowhere]", "sources: ['nowhere/*.x']", "recipes: [no.yaml]\nsources: [batch]")
def files_that_are_not_there(text):
    study(text + "\n")
    r = run("import", code=1)
    check("no.yaml" in r.err or "nowhere" in r.err, r)


@test
def odd_paths():
    study()
    for name in ("a b", "it's", "ünï", "-x", "[1]", "a,b"):
        shutil.copytree(path("p/batch"), path("p/odd", name))
    project("sources:\n" + "".join(f"  - {json.dumps(f'odd/{n}', ensure_ascii=False)}\n" for n in os.listdir(path("p/odd"))) + "store: s t.db\n")
    run("import")
    equal(query(path("p/s t.db"), "SELECT count(*) FROM spans WHERE type = 'slurm.job'"), [(8,)])
    project(f"sources: [{path('p/batch')}]\nstore: {path('abs.db')}\n")
    run("import")
    check(os.path.exists(path("abs.db")), "an absolute path")


if __name__ == "__main__":
    main()
