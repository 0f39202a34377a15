#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One run whose every component logged as text and as JSON at once: each form, a mixture, and both together say the same.

tests/data/parsl-2026-dual is that run. A worker was killed and came back: its text log was continued, its JSON log began
anew. So JSON is compared with text from which the lines before that were cut away.
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

DATA = f"{ROOT}/tests/data/parsl-2026-dual/runinfo"
TEXT = sorted(os.path.relpath(os.path.join(d, f), DATA) for d, _, names in os.walk(DATA) for f in names if f.endswith(".log"))
PARSL_LOG = "000/parsl.log"
KILLED, = [log for log in TEXT if log.endswith("worker_0.log")]


def json_of(log):
    return log[:-4] + ".jsonlog"


def data_of(file):
    with open(f"{DATA}/{file}", "rb") as f:
        return f.read()


def since_restart(data):
    """What the last process wrote: its first record is not there, as the log was not read by a recipe."""
    process = data.rstrip(b"\n").rpartition(b"\n")[2].split()[3]
    return b"".join(line for line in data.splitlines(keepends=True) if line.split()[3] == process)


def run(name, forms, change=lambda file, data: data):
    """The run below `name`, each log in the forms that forms(log) gives: "text", "json", "both"."""
    shutil.copytree(DATA, path(name), ignore=shutil.ignore_patterns("*.log", "*.jsonlog"))
    for log in TEXT:
        form = forms(log)
        for file in [log] * (form != "json") + [json_of(log)] * (form != "text"):
            write(path(name, file), change(file, data_of(file)))
    return path(name)


def said(store):
    """All that the store says; the same value of an attribute from two forms is one."""
    lines = dump(store)
    attrs = {x for x in lines if x.startswith("attr ")}
    return sorted([x for x in lines if not x.startswith("attr ")] + list(attrs))


def shown(store):
    """What commands print, without ids and places."""
    out = [spanloom(*command, "-d", store).out for command in (["sequences"], ["sequences", "parsl.rundir.task"], ["types"],
                                                               *(["show", "task", str(n)] for n in (0, 1, 3, 4, 6, 7, 9)))]
    return [re.sub(r"\(span \d+\)|\S+/\S+:\d+$|\S+#\w+:\d+$| +", " ", x, flags=re.M) for x in out]


def facts(name, forms, **more):
    store = imported(run(name, forms, **more), store=f"{name}.db").store
    return said(store), shown(store)


def cut_like_json(file, data):
    return since_restart(data) if file == KILLED else data


def waiting(store):
    return query(store, "SELECT count(*) FROM sl_event_also")[0][0]


@test
def the_run_is_what_this_test_needs():
    states = {k for k, in query(imported(run("text", lambda log: "text")).store, "SELECT DISTINCT type FROM events")}
    check({"fail_retryable", "failed", "dep_fail", "memo_done", "joining", "worker_received_task", "died", "restarted"} <= states, states)
    check(len(data_of(KILLED)) > len(since_restart(data_of(KILLED))) > 0, "no worker came back")
    check(b'"name": "root"' in b"".join(data_of(json_of(log)) for log in TEXT), "no record of another logger")


FORMS = {"json": lambda log: "json", "only parsl.log in text": lambda log: "text" if log == PARSL_LOG else "json",
         "only parsl.log in JSON": lambda log: "json" if log == PARSL_LOG else "text",
         "workers in JSON": lambda log: "json" if "worker_" in log else "text"}


@cases(*FORMS)
def says_what_text_says(form):
    want, want_shown = facts("text", lambda log: "text", change=cut_like_json)
    got, got_shown = facts("form", FORMS[form], change=cut_like_json)
    same(got, want)
    equal(got_shown, want_shown, "what is shown")


@test
def both_forms_are_told_once():
    want, want_shown = facts("text", lambda log: "text")
    r = imported(run("both", lambda log: "both"), store="both.db")
    same(said(r.store), want)
    equal(shown(r.store), want_shown, "what is shown")
    in_json = sum(n for n, in query(imported(run("json", lambda log: "json"), store="json.db").store,
                                    "SELECT count(*) FROM events e JOIN sources s ON s.id = e.source WHERE s.path LIKE '%.jsonlog' GROUP BY s.id"))
    equal(waiting(r.store), in_json, "events of the JSON logs, all of which the text logs have")
    check(f"{in_json:,} events stood in two forms of a log" in r.out, r)
    check(all(p.endswith(".log") for p, in query(r.store, "SELECT DISTINCT path FROM sources s JOIN events e ON e.source = s.id WHERE path LIKE '%log'")),
          "an event comes from JSON, though text has it")


@test
def in_any_order():
    files = claimed(run("both", lambda log: "both"))
    want = dump(imported(path("both"), store="want.db").store, places=True, rejects=True)
    r = rng()
    orders = [sorted(files), sorted(files, reverse=True)] + [r.sample(files, len(files)) for _ in range(3)]
    for i, order in enumerate(orders):
        for f in order:
            s = imported(f, store=f"{i}.db").store
        same(dump(s, places=True, rejects=True), want, f"one by one: {[os.path.basename(f) for f in order]}")
    for jobs in (1, 4):
        same(dump(imported(path("both"), store=f"jobs{jobs}.db", options=("--jobs", jobs)).store, places=True, rejects=True), want)
    again = imported(path("both"), store="want.db")
    check("0 new spans, 0 events" in again.out, again)


@test
def each_form_has_what_the_other_lacks():
    """Text ends early, JSON begins late: together they are whole."""
    want, _ = facts("text", lambda log: "text")

    def parts(file, data):
        lines = data.splitlines(keepends=True)
        if not file.startswith("000/parsl."):
            return data
        times = [re.match(rb'(?:\{"created": )?(\d{10}\.\d+)', x) for x in lines]
        middle = b"1795180992"  # after the tasks were submitted, before the block was
        first = next(i for i, t in enumerate(times) if t and t[1][:10] >= middle)
        return b"".join(lines[:first + 20] if file.endswith(".log") else lines[first:])
    store = imported(run("both", lambda log: "both", change=parts)).store
    got = said(store)
    same([x for x in got if not x.startswith("attr ")], [x for x in want if not x.startswith("attr ")])
    from_json = query(store, "SELECT count(*) FROM events e JOIN sources s ON s.id = e.source WHERE s.path LIKE '%/parsl.jsonlog'")[0][0]
    from_text = query(store, "SELECT count(*) FROM events e JOIN sources s ON s.id = e.source WHERE s.path LIKE '%/parsl.log'")[0][0]
    check(from_json > 20 and from_text > 20 and waiting(store) > 5, from_json, from_text, waiting(store))


@test
def the_other_form_takes_over():
    """When the text log is forgotten, what the JSON log says is there, and the other way round."""
    want, _ = facts("text", lambda log: "text", change=cut_like_json)
    for gone in (".log", ".jsonlog"):
        store = imported(run(f"both{gone}", lambda log: "both", change=cut_like_json), store=f"both{gone}.db").store
        for log in TEXT:
            spanloom("forget", path(f"both{gone}", log[:-4] + gone), "-d", store)
        same(said(store), want, f"without {gone}")
        equal(waiting(store), 0, "events that wait")


@test
def both_grow():
    want = dump(imported(run("whole", lambda log: "both"), store="whole.db").store, places=True)
    half = lambda file, data: cut(data, .5)
    for step in (half, lambda file, data: data if file.endswith(".log") else cut(data, .5), lambda file, data: data):
        shutil.rmtree(path("both"), ignore_errors=True)
        s = imported(run("both", lambda log: "both", change=step)).store
    same([x.replace("both/", "whole/") for x in dump(s, places=True)], want)


@test
def json_teaches_the_zone():
    """JSON has no local time beside each Unix time; the two records of the workflow's begin and end have."""
    def elsewhere(file, data):
        local = lambda m: m[1] + str(datetime.datetime.fromisoformat(m[2].decode()) + datetime.timedelta(hours=5.5)).encode()
        return re.sub(rb'(parsl\.workflow_info\.time_\w+": ")([^"]+)', local, data)
    want, _ = facts("utc", lambda log: "json")
    there = run("there", lambda log: "json", change=elsewhere)
    rewrite_db(f"{there}/monitoring.db", offset=19800)
    same(said(imported(there, store="there.db").store), want)
    equal(query(path("there.db"), "SELECT DISTINCT offset_s FROM zones"), [(19800,)], "zones")


@test
def a_record_broken_off():
    """A program logs what is no JSON: Parsl leaves the beginning of that record, and the next one follows in its line."""
    broken = b'{"created": 1795180990.5, "process": 7, "name": "mine", "levelname": "ERROR", "msg": '

    def glue(file, data):
        lines = data.splitlines(keepends=True)
        return b"".join((broken if i % 3 == 1 else b"") + x for i, x in enumerate(lines))
    want, _ = facts("json", lambda log: "json")
    store = imported(run("glued", lambda log: "json", change=lambda f, d: glue(f, d) if f.endswith(".jsonlog") else d), store="glued.db").store
    same(said(store), want)
    n = sum(len(range(1, data_of(json_of(log)).count(b"\n"), 3)) for log in TEXT)
    equal(query(store, "SELECT count(*), min(reason), max(reason) FROM rejects"), [(n, "not JSON", "not JSON")], "rejects")


main()
