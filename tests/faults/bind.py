#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom bind and unbind: the links are those that the rule says, computed here otherwise; they go without a trace and
come back the same; and no rule, however bad, harms a store."""
import os
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

DATA = f"{ROOT}/tests/data"
KILLS = int(os.environ.get("KILLS", 30))
BY_HAND = "parsl.rundir.task after parsl.rundir.task where b.task = a.task - 1"


_imported = {}


def slurm(name="spanloom.db"):
    """What an import of it makes, which is done once."""
    if not _imported:
        _imported["slurm"] = read_bytes(imported(f"{DATA}/slurm", store="first.db").store)
    return write(path(name), _imported["slurm"])


def read_bytes(file):
    with open(file, "rb") as f:
        return f.read()


def said(store):
    """All views."""
    lines = dump(store, places=True)
    name = {i: say(p) for i, p in paths(store).items()}
    lines += sorted(f"link {kind} {name[a]} {name[b]} {rule} {confidence}" for kind, a, b, rule, confidence in
                    query(store, "SELECT kind, left_span, right_span, rule, confidence FROM links"))
    lines += sorted(f"doubt {kind} {name[a]} {name[b]} {rule}" for kind, a, b, rule in query(store, "SELECT kind, left_span, right_span, rule FROM doubts"))
    for table, in query(store, "SELECT name FROM sqlite_master WHERE type = 'view' AND name LIKE 'parsl_%' ORDER BY name"):
        lines += sorted(f"{table} {name[row[0]]} {row[1:]}" for row in query(store, f"SELECT * FROM {table}"))
    return lines


def bind(store, *args, **more):
    return spanloom("bind", "-d", store, *args, **more)


def unbind(store, *args, **more):
    return spanloom("unbind", "-d", store, *args, **more)


def linked(store, rule):
    return set(query(store, "SELECT kind, left_span, right_span FROM links WHERE rule = ?", rule))


@test
def containment():
    """Workers in the batch job on whose node, and in whose time, they ran."""
    store = slurm()
    r = bind(store, "--name", "there", "htex_worker in slurm.job where a.first between b.start and b.end")
    got = linked(store, "there")
    jobs = {}
    for job, kind, t in query(store, "SELECT s.id, e.type, e.time_ns FROM spans s JOIN events e ON e.span = s.id WHERE s.type = 'slurm.job'"):
        jobs.setdefault(job, {})[kind] = t
    workers = query(store, "SELECT s.id, min(e.time_ns) FROM spans s JOIN events e ON e.span = s.id WHERE s.type = 'parsl.executor.htex.worker' GROUP BY 1")
    want = {("in", job, w) for w, t in workers for job, at in jobs.items() if "start" in at and "end" in at and at["start"] <= t <= at["end"]}
    check(len(want) > 8, f"only {len(want)} true links")
    equal(got, want)
    check(f"there: {len(want)} links" in r.out, r)


@test
def after():
    store = slurm()
    before = said(store)
    bind(store, "--name", "chain", BY_HAND)
    number = {int(k): i for i, k in query(store, "SELECT id, key FROM spans WHERE type = 'parsl.rundir.task'")}
    old = {(a, b) for a, b in query(store, "SELECT left_span, right_span FROM links WHERE kind = 'after' AND rule <> 'chain'")}
    want = {("after", number[n], number[n - 1]) for n in number if n - 1 in number}
    equal(linked(store, "chain") | {("after", a, b) for a, b in old if ("after", a, b) in want}, want)
    equal({c for c, in query(store, "SELECT confidence FROM links WHERE rule = 'chain'")}, {1.0}, "confidence")
    unbind(store, "chain")
    same(said(store), before)


@test
def a_facet_and_what_lies_below():
    """The facet of two views of a run, which the records say, set aside and bound by hand: left is what the binding says, and below it all is as before."""
    store = slurm()
    before = {x for x in dump(store) if x.startswith("facet ")}
    unbind(store, next(r for r, in query(store, "SELECT rule FROM links l JOIN spans s ON s.id = l.left_span WHERE kind = 'facet' AND s.type = 'parsl.monitoring.workflow'")))
    check(not [x for x in dump(store) if x.startswith("facet ") and ".task=" in x], "facets that follow from it are still there")
    bind(store, "--name", "mine", "parsl.rundir.workflow facet parsl.monitoring.workflow where a.run_id = b.run_id")
    turned = {"facet {2} -> {0}".format(*x.split(" ")[1:]) if ".task=" not in x and ".workflow=" in x and x.count("/") == 0 else x for x in before}
    equal(len(turned - before), 1, "workflows")
    equal({x for x in dump(store) if x.startswith("facet ")}, turned, "facets")


@test
def sides_of_facets():
    """Left is what a binding names first, also within a type, where both ways fit; and no link where a record says so the other way round."""
    a, b = f"{DATA}/slurm", f"{DATA}/parsl-2026-threads"
    rules = {"one": "worker facet parsl.rundir.block where a.key = b.key", "same": "slurm.node facet slurm.node where a.key <> b.key",
             "known": "parsl.rundir.workflow facet parsl.monitoring.workflow where a.key = b.key"}
    dumps = []
    for order in ((a, b), (b, a)):
        store = imported(order[0], store=f"{order[0] == a}.db").store
        for name, rule in rules.items():
            bind(store, "--name", name, rule)
        imported(order[1], store=store)
        types = query(store, "SELECT DISTINCT l.rule, x.type, y.type FROM links l JOIN spans x ON x.id = l.left_span JOIN spans y ON y.id = l.right_span "
                      "WHERE rule IN ('one', 'same', 'known') ORDER BY 1")
        equal(types, [("one", "parsl.executor.htex.worker", "parsl.rundir.block"), ("same", "slurm.node", "slurm.node")])
        equal(query(store, "SELECT count(*) FROM facet a JOIN facet b ON a.left_uuid = b.right_uuid AND a.right_uuid = b.left_uuid"), [(0,)], "both ways")
        dumps.append(said(store))
    same(*dumps)


@test
def a_facet_of_two_runs():
    """Two runs are one thing: their tasks of one number are facets; afterwards they are not."""
    a, b = f"{DATA}/parsl-2026-threads", f"{DATA}/parsl-2026-nomonitoring"
    store = imported(a, b).store
    before = said(store)
    bind(store, "--name", "mine", "parsl.rundir.workflow facet parsl.monitoring.workflow where a.key <> b.key")
    equal(len(linked(store, "mine")), 1)
    number = {}
    for i, p in paths(store).items():
        if p[-1][0] in ("parsl.rundir.task", "parsl.monitoring.task"):
            number.setdefault(p[-1], set()).add((p[0][1], i))
    (facet,) = linked(store, "mine")
    runs = {p[0][1] for i, p in paths(store).items() if i in facet[1:]}
    equal(len(runs), 2)
    want = {tuple(sorted((x, y))) for (kind, key), spans in number.items() if kind == "parsl.rundir.task"
            for r, x in spans for q, y in number.get(("parsl.monitoring.task", key), ()) if r != q}
    got = {tuple(sorted(l[1:])) for l in linked(store, "merge mon_task = task")}
    check(want and want <= got, f"{len(want - got)} of {len(want)} facets of tasks are missing")
    unbind(store, "mine")
    same(said(store), before)


@test
def guess_is_never_two():
    store = slurm()
    bind(store, "--name", "g", "guess slurm.job in slurm.node")
    equal(linked(store, "g"), set())
    jobs = {i for i, in query(store, "SELECT id FROM spans WHERE type = 'slurm.job'")}
    contained = {b for b, in query(store, "SELECT right_span FROM links l JOIN spans n ON n.id = l.left_span WHERE kind = 'in' AND n.type = 'slurm.node'")}
    equal({b for b, in query(store, "SELECT right_span FROM doubts WHERE rule = 'g'")}, jobs - contained, "jobs in doubt")
    unbind(store, "g")
    equal(query(store, "SELECT count(*) FROM doubts"), [(0,)])
    bind(store, "--name", "g", "guess slurm.job after slurm.node where b.key = 'node0' || (1 + a.key % 2)")
    equal(len(linked(store, "g")), len(jobs))
    equal({c for c, in query(store, "SELECT confidence FROM links WHERE rule = 'g'")}, {.9}, "confidence")


@cases("parsl.log:32", "parsl.monitoring:36", "merge mon_task = task", "merge mon_try = try", "parsl.log:116", "slurm.block", "parsl.htex.worker:22", "parsl.log:63")
def a_rule_goes_and_comes(rule):
    store = slurm()
    before, n = said(store), len(linked(store, rule))
    if not n:  # the lines of recipes move
        kinds = {"parsl.log:32": ("parsl.log:%", "in"), "parsl.monitoring:36": ("parsl.monitoring:%", "in"), "parsl.log:116": ("parsl.log:%", "facet"),
                 "parsl.htex.worker:22": ("parsl.htex.worker:%", "in"), "parsl.log:63": ("parsl.log:%", "after")}
        rule, = query(store, "SELECT rule FROM links WHERE rule LIKE ? AND kind = ? LIMIT 1", *kinds[rule])[0]
        n = len(linked(store, rule))
    r = unbind(store, rule)
    check(f"{rule}: {n} link" in r.out, r)
    equal(linked(store, rule), set())
    unbind(store, rule, code=1)
    imported(f"{DATA}/slurm")
    equal(linked(store, rule), set(), "after another import")
    bind(store, rule)
    same(said(store), before)
    imported(f"{DATA}/slurm")
    same(said(store), before)


@cases("parsl.log:32", "slurm.block", "by hand", "merge mon_task = task")
def unbound_while_more_comes(rule):
    """Unbind, import more, bind: as if it had never been unbound."""
    more = f"{DATA}/parsl-2026-lost"
    want = slurm("want.db")
    store = slurm()
    if rule == "by hand":
        for s in (want, store):
            bind(s, "--name", rule, BY_HAND)
    elif rule.startswith("parsl.log"):
        rule, = query(store, "SELECT rule FROM links WHERE rule LIKE 'parsl.log:%' AND kind = 'in' LIMIT 1")[0]
    imported(more, store="want.db")
    unbind(store, rule)
    imported(more)
    equal(linked(store, rule), set())
    bind(store, *(("--name", rule, BY_HAND) if rule == "by hand" else (rule,)))
    same(said(store), said(want))


@test
def applied_at_every_import():
    store = imported(f"{DATA}/parsl-2026-threads").store
    bind(store, "--name", "chain", BY_HAND)
    imported(f"{DATA}/parsl-2026-nomonitoring")
    want = imported(f"{DATA}/parsl-2026-nomonitoring", f"{DATA}/parsl-2026-threads", store="want.db").store
    bind(want, "--name", "chain", BY_HAND)
    same(said(store), said(want))


@test
def two_rules_for_one_pair():
    store = slurm()
    bind(store, "--name", "b", "slurm.job after slurm.node")
    bind(store, "--name", "a", "slurm.job after slurm.node where a.key = 81")
    bind(store, "--name", "c", "slurm.job after slurm.node where a.key = 82")
    n = query(store, "SELECT count(*) FROM links WHERE kind = 'after' AND rule IN ('a', 'b', 'c')")
    equal(n, [(16,)])
    unbind(store, "b")
    equal((len(linked(store, "a")), len(linked(store, "c"))), (2, 2))


BAD = ["", "guess", "slurm.job", "slurm.job in", "slurm.job within slurm.node", "slurm.job in slurm.node whereas 1", "slurm.job in slurm.node where",
       "slurm.job in slurm.node where a.nosuch = 1", "slurm.job in slurm.node where b.nosuch = 1", "slurm.job in slurm.node where a.key =",
       "slurm.job in slurm.node where a.key = 'x", "slurm.job in slurm.node where nosuch(a.key)", "slurm.job in slurm.node where a.key = 81 garbage",
       "slurm.job in slurm.node where key = 81", "slurm.job in slurm.node where c.key = 81", "slurm.job in slurm.node where count(*) > 1",
       "slurm.job in slurm.node where (SELECT 1, 2)", "slurm.job in slurm.node where a.key in (SELECT key FROM nosuch)"]
EVIL = ["1); DROP TABLE sl_span; --", "1; DROP TABLE sl_span", "1) UNION SELECT 1, 2; --", "1; DELETE FROM sl_event", "1)); DELETE FROM sl_event; --",
        "load_extension('x')", "writefile('x', 'y')", "readfile('/etc/hostname') IS NULL", "1; ATTACH 'evil.db' AS e; CREATE TABLE e.x (a)",
        "(SELECT 1 FROM pragma_journal_mode)", "1); PRAGMA user_version = 7; --", "1; VACUUM INTO 'evil.db'", "1) -- ", "1 /*", "fts3_tokenizer('x') IS NULL",
        "edit('x') IS NULL", "1) ON CONFLICT DO UPDATE SET kind = 2 --", "1; COMMIT; DROP TABLE sl_span", "0) RETURNING *; --"]


@cases(*BAD)
def bad_rules(rule):
    store = slurm()
    before = said(store)
    r = bind(store, rule, code=(1, 2))
    check(r.err.startswith("spanloom: ") and "locked" not in r.err, r)
    same(said(store), before)
    check(rule not in spanloom("bind", "-d", store).out or not rule.strip() or " " not in rule, "it was kept")
    imported(f"{DATA}/slurm")


@cases(*EVIL)
def evil_expressions(sql):
    store = slurm()
    tables = query(store, "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2")
    before = {x for x in said(store)}
    r = bind(store, "--name", "evil", f"slurm.job after slurm.node where {sql}", code=(0, 1, 2))
    note(r.code, (r.out + r.err).strip()[:110])
    equal(query(store, "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2"), tables, "tables")
    lost = before - set(said(store))
    check(not lost, f"{len(lost)} lines are gone: {sorted(lost)[:2]}")
    equal(sorted(os.listdir(path())), ["spanloom.db"])
    whole(store)
    if r.code == 0:
        unbind(store, "evil")
    same(sorted(said(store)), sorted(before))


@cases("0) OR (a.key = b.key", "1) OR (1")
def an_expression_that_ends_too_early(sql):
    """It is no expression by itself, though it would be one where ours stands in brackets."""
    bind(slurm(), f"slurm.job after slurm.node where {sql}", code=(1, 2))


@cases("it's", 'a "b"', "a; DROP TABLE sl_span; --", "ünï", "%s%n", "a\tb", "-x", "*", "where", "a" * 300)
def names_of_bindings(name):
    store = slurm()
    before = said(store)
    bind(store, f"--name={name}", "slurm.job after slurm.node where a.key = 81")
    equal(len(linked(store, name)), 2)
    rows = [json.loads(spanloom("bind", "-d", store, "--format", "json").out), json.loads(spanloom("links", "-d", store, "--format", "json", f"--rule={name}").out)]
    check(name in [r["name"] for r in rows[0]], f"{rows[0]}")
    equal(len(rows[1]), 2)
    bind(store, f"--name={name}", "slurm.job after slurm.node", code=2)
    unbind(store, "--", name)
    same(said(store), before)


@test
def quotes_in_values():
    odd = "it's \"odd\" ]; --"
    with sqlite3.connect(slurm()) as db:
        db.execute("INSERT INTO span VALUES ('u1', 'my \"type'' x', NULL)")
        db.execute("INSERT INTO span VALUES ('u2', 'mine', NULL)")
    store = path("spanloom.db")
    bind(store, "--name", "q", f"slurm.job after slurm.node where b.key || '{odd.replace(chr(39), chr(39) * 2)}' = 'node01{odd.replace(chr(39), chr(39) * 2)}' and a.key = '81'")
    equal(len(linked(store, "q")), 1)


@test
def interrupted():
    """Ctrl-C ends an expression that takes hours, within a second or two, and the store is as it was."""
    store = slurm()
    before = said(store)
    slow = "(WITH RECURSIVE c(x) AS (SELECT CAST(a.key AS INTEGER) UNION ALL SELECT x + 1 FROM c WHERE x < 1e12) SELECT count(*) FROM c) < 0"
    p = subprocess.Popen([PROGRAM, "bind", "-d", store, f"slurm.job after slurm.node where {slow}"], env=environment(), stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def cpu():
        with open(f"/proc/{p.pid}/stat") as f:
            check(p.poll() is None, "it was over at once")
            return sum(map(int, f.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    until(lambda: cpu() > 1, "the expression")
    before_, used = cpu(), 0
    p.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    p.stdout.close(), p.stderr.close()
    used = usage.ru_utime + usage.ru_stime - before_
    check(used < 5, f"{used:.1f} s of work after ctrl-C")
    whole(store)
    same(said(store), before)
    check("c(x)" not in spanloom("bind", "-d", store).out, "the rule was kept")


@cases("bind", "unbind")
def killed_at_any_moment(what):
    """kill -9: as before or as after, and the next command works."""
    shutil.copyfile(slurm(), path("a.db"))
    rule = "parsl.executor.htex.worker.task after parsl.rundir.task where 1"
    args = ["--name", "k", rule] if what == "bind" else ["merge mon_task = task"]
    before, start = said(path("a.db")), read_bytes(path("a.db"))
    shutil.copyfile(path("a.db"), path("b.db"))
    took = spanloom(what, "-d", path("b.db"), *args).seconds
    after = said(path("b.db"))
    r, seen = rng(), {"before": 0, "after": 0}
    for i in range(KILLS):
        for end in ("", "-journal", "-wal", "-shm"):
            if os.path.exists(path(f"s.db{end}")):
                os.remove(path(f"s.db{end}"))
        shutil.copyfile(path("a.db"), path("s.db"))
        p = subprocess.Popen([PROGRAM, what, "-d", path("s.db"), *args], env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(r.uniform(0, took * 1.2))
        p.kill()
        p.wait()
        spanloom("links", "-d", path("s.db"))
        whole(path("s.db"))
        # The same bytes say the same.
        got = before if read_bytes(path("s.db")) == start else said(path("s.db"))
        seen["after" if got == after else "before"] += 1
        if got != after:
            same(got, before, f"kill {i}")
    note(seen)


@test
def a_store_that_is_only_read():
    store = slurm()
    before = said(store)
    os.chmod(store, 0o444)
    os.chmod(path(), 0o555)
    try:
        for args in (["bind", "-d", store, "slurm.job after slurm.node"], ["unbind", "-d", store, "slurm.block"]):
            r = spanloom(*args, code=1, before=without_rights)
            check("Permission denied" in r.err or "readonly" in r.err, r)
        for args in (["bind", "-d", store], ["links", "-d", store], ["links", "-d", store, "--doubtful"]):
            spanloom(*args, before=without_rights)
    finally:
        os.chmod(path(), 0o755)
    same(said(store), before)


@test
def dry_run_changes_nothing():
    store = slurm()
    with open(store, "rb") as f:
        before = f.read()
    r = bind(store, "--dry-run", "slurm.job after slurm.node")
    check("would make 16 links" in r.out, r)
    with open(store, "rb") as f:
        check(f.read() == before, "the file changed")


@test
def links_in_a_circle():
    """All commands end, whatever lies in what."""
    store = slurm()
    bind(store, "--name", "in", "slurm.job in slurm.job")
    bind(store, "--name", "flow", "slurm.job flow slurm.job where a.key <> b.key")
    bind(store, "--name", "up", "parsl_workflow in parsl_task")
    equal(query(store, "SELECT count(*) FROM links WHERE left_span = right_span"), [(0,)], "links of a span with itself")
    for args in (["sequences", "slurm.job"], ["show", "slurm.job", "81"], ["sequences", "parsl.rundir.workflow"], ["types"], ["info"], ["links"], ["events", "slurm.job"]):
        spanloom(*args, "-d", store)
    imported(f"{DATA}/slurm")


if __name__ == "__main__":
    main()
