#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom why with findings of users: they count beside ours and in their place, and what is none is told."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from schedules import *  # noqa


def own(name, text):
    write(path(f"config/spanloom/findings/{name}.yaml"), text)
    return {"XDG_CONFIG_HOME": path("config")}


@test
def findings_of_users_count_beside_ours_and_in_their_place():
    run(bag(16), end=9)
    env = own("long", "about: tasks\nsql: SELECT 3 AS seconds, count(*) AS n, span AS spans FROM task\ntext: '{n} tasks, {seconds}, {none}'\n")
    r = spanloom("why", "-d", path("why.db"), env=env, code=1)
    check("long.yaml: its SQL has no column {none}" in r.err and "went on for" in r.out, r.out + r.err)
    env = own("long", "about: tasks\nsql: SELECT 3 AS seconds, 2.5 AS took_s, 0.25 AS a_share, count(*) AS n, span AS spans FROM task\ntext: '{n} tasks, {took_s}, {a_share}'\n")
    found = {f["finding"]: f for f in json.loads(spanloom("why", "--format", "json", "-d", path("why.db"), env=env).out)["findings"]}
    equal((found["long"]["text"], found["long"]["seconds"], found["long"]["sure"]), ("16 tasks, 2.50 s, 25 %", 3, "by estimate"))
    env = own("shut-down", "about: ours\nsql: SELECT 1 AS seconds WHERE 0\ntext: never\n")
    write(path("config/spanloom/findings/slow.yml"), "about: never read")
    r = spanloom("why", "--format", "json", "-d", path("why.db"), env=env)
    equal([f["finding"] for f in json.loads(r.out)["findings"] if f["finding"] != "more-workers"], ["long"])
    check("shut-down.yaml takes the place of ours of that name" in r.err and "slow.yml is not read: its name does not end in .yaml" in r.err and "long.yaml" not in r.err, r.err)


@cases(("sqll: x", "bad.yaml:2: a finding has no key 'sqll'; did you mean 'sql'? Known: about, sql, text"), ("of: traces", "'of' is workflows or programs"), ("threshold: many", "'threshold' is a number of '%'"), ("at least: 5 %", "'at least' is a number of 's'"),
       ("text: [a]", "'text' is a text"), ("note: maybe", "'note' is yes or no"),
       ("words: x", "'words' must be a map of columns"), ("words: {n: x}", "words of a column must be a map of what it may hold"), ("words: {n: {a: [b]}}", "'words of a column' is a text"))
def what_is_no_finding_is_told(line, said):
    run(bag(4))
    text = f"about: x\n{line}\nsql: SELECT 1 AS seconds\n" + ("text: x\n" if "text" not in line else "")
    r = spanloom("why", "-d", path("why.db"), env=own("bad", text), code=1)
    check(said in r.err and "4 tasks: 4 done" in r.out, r.err + r.out)


@cases(("{n} task{n#|s} {n#is|are}", "1 task is"), ("{m} task{m#|s} {m#is|are}", "1,200 tasks are"), ("a{z?b|c}{e?d}{u?no} f", "ac f"), ("a{z?b|c}{e?d}{x?, {n#{m} of one|of many}}", "ac, 1,200 of one"),
       ("{how}{u}", "it fell, 1 time"), ("{how", "{how"), ("{n?{none}}", None), ("{n#x|{none}}", "x"), ("{again}", None))
def words_depend_on_what_columns_hold(text, said):
    run(bag(16), end=9)
    env = own("words", "about: x\nsql: SELECT 3 AS seconds, 1 AS n, 1200 AS m, 0 AS z, 0.0 AS f, '' AS e, NULL AS u, 'x' AS x, 'fell' AS how, 'again' AS again\n"
              f"text: {json.dumps(text)}\nwords: {{how: {{fell: 'it fell, {{n}} time{{n#|s}}', rose: it rose}}, again: {{again: '{{again}}'}}}}\n")
    r = spanloom("why", "--format", "json", "-d", path("why.db"), env=env, code=None)
    found = {f["finding"]: f["text"] for f in json.loads(r.out)["findings"]}
    equal(found.get("words"), said)
    if not said:
        check("its SQL has no column {none}" in r.err or "words of {again} contain themselves" in r.err, r.err)


@cases("SELEKT 1", "SELECT 1; SELECT 2", "DELETE FROM task", "SELECT 1 AS seconds, 'nonsense x2' AS changes FROM nowhere")
def what_is_no_sql_is_told_and_the_others_are_printed(sql):
    run(bag(16), end=9)
    r = spanloom("why", "-d", path("why.db"), env=own("bad", f"about: x\nsql: {json.dumps(sql)}\ntext: x\n"), code=1)
    check("bad.yaml: sql:" in r.err and "went on for 9" in r.out, r.out + r.err)


@cases(("9e999", "seconds of a row are Inf, which is no number of seconds"), ("'12 s'", "seconds of a row are '12 s', which is no number of seconds"), ("x'00'", "which is no number of seconds"),
       ("NULL", "a row has no seconds (NULL); where there is nothing to be told give no row"), ("NULL AS changes, NULL", "a row has no seconds (NULL), nor changes"))
def seconds_that_are_none_are_told(seconds, said):
    run(bag(16), end=9)
    r = spanloom("why", "-d", path("why.db"), env=own("bad", f"about: x\nsql: SELECT {seconds} AS seconds\ntext: never told\n"), code=1)
    check("bad.yaml: " in r.err and said in r.err and "went on for 9" in r.out and "never told" not in r.out, r.out + r.err)


@test
def of_one_cause_the_costliest_is_told():
    run(bag(16), end=9)
    env = own("cheap", "about: x\nsql: SELECT 3 AS seconds, 'wait' AS cause\ntext: cheap\n")
    for name, seconds, cause in ("dear", 4, "'wait'"), ("other", 2, "'file'"), ("none", 2, "NULL"), ("neither", 2, "NULL"):
        own(name, f"about: x\nsql: SELECT {seconds} AS seconds, {cause} AS cause\ntext: {name}\n")
    told = json.loads(spanloom("why", "-d", path("why.db"), "--format", "json", env=env).out)
    equal([f["finding"] for f in told["findings"] if f["text"] == f["finding"]], ["dear", "neither", "none", "other"])
    equal([f["rank"] for f in told["findings"]], list(range(1, len(told["findings"]) + 1)))


@test
def findings_of_the_same_seconds_say_so():
    """Of any two: what `what-if` says of both together; of different ones seconds add up."""
    tasks = bag(20) + [Task("work", 15)] + [Task("prep", 4), Task("last", 4, after=[21])] + bag(20)
    took = run(tasks, launched=0.6, manager=2, worker_start=5)
    for name, changes in (("twice", "workers x2"), ("there", "workers, start-up x0"), ("long", "task 20 x0.05"), ("apps", "app work x0.5"), ("other", "app prep x0.1")):
        env = own(name, f"about: x\nthreshold: 0 %\nsql: SELECT '{changes}' AS changes\ntext: {name} it is\n")
    r = spanloom("why", "-d", path("why.db"), "--all", env=env)
    found = [f for f in json.loads(spanloom("why", "-d", path("why.db"), "--format", "json", env=env).out)["findings"] if f["changes"]]
    would = lambda *changes: took - json.loads(spanloom("what-if", ", ".join(changes), "-d", path("why.db"), "--format", "json").out)[0]["new_makespan_s"]
    alone = [would(f["changes"]) for f in found]
    same = {}
    for j, f in enumerate(found):
        shared = [k for k in range(j) if would(found[k]["changes"], f["changes"]) < max(alone[k], alone[j]) + 0.5 * min(alone[k], alone[j])]
        same[f["finding"]] = found[shared[0]]["rank"] if shared else None
    equal({f["finding"]: f["same_as"] for f in found}, same)
    rank = {f["finding"]: f["rank"] for f in found}
    equal((same["straggler"], same["there"], same["first-worker"]), (rank["apps"], rank["first-worker"], None))
    for f in found:
        told = re.search(rf"^ *{f['rank']}\. [\d.]+ s \(\d+ %\)(?:, of the same\s+seconds\s+as (\d+))?:", r.out, re.M)
        equal(told and told[1], f["same_as"] and str(f["same_as"]), r.out)


@test
def a_pause_before_tries_is_told_once():
    """The results that wait meanwhile are no cause of their own; what runs on a lost manager has no result on its way."""
    run([Task("breaks", 1, fails=1, failed_s=0.3, pause=3.0) for _ in range(4)] + bag(8))
    found = [f["finding"] for f in why()["findings"]]
    check("retry-handler" in found and "component" not in found and "hand-over" not in found, found)


@cases("'nothing'", "json_array(1)", "json_object('workers x2', 'soon')")
def replays_that_are_none_are_told(replays):
    run(bag(16), end=9)
    r = spanloom("why", "-d", path("why.db"), env=own("bad", f"about: x\nsql: SELECT 3 AS seconds, {replays} AS replays\ntext: x\n"), code=1)
    check("bad.yaml: its column replays is no JSON object of changes and seconds" in r.err and "went on for 9" in r.out, r.out + r.err)


@test
def where_there_are_several_types_of_workers_the_command_says_which():
    """Of a driver of threads and workers; the type of those that did most."""
    env = own("busy", "about: workers\nsql: SELECT 3 AS seconds\ntext: workers\ncommand: spanloom utilisation\n")
    imported(f"{ROOT}/tests/data/workqueue-blocks", store="types.db")
    told = json.loads(spanloom("why", "--format", "json", "-d", path("types.db"), env=env).out)
    [f] = [f for f in told["findings"] if f["finding"] == "busy"]
    equal(f["command"], f"spanloom utilisation workqueue.worker -d {path('types.db')}")
    check("workers of type workqueue.worker" in spanloom(*f["command"].split()[1:]).out, f["command"])


SCREENS = {"one": lambda: run(bag(16), start=12), "several": lambda: run(bag(40) + [Task("work", 9)] + bag(40)),
           "estimates": lambda: run(bag(60), halt=(4, 12), end=None), "in a text": lambda: run([Task("work", 0.3 + 0.05 * i) for i in range(60)])}


@cases(("one", 1), ("several", 1), ("estimates", 0), ("in a text", 1))
def what_by_replay_means_is_said_once_where_the_words_are(screen, times):
    SCREENS[screen]()
    out = " ".join(spanloom("why", "--all", "-d", path("why.db")).out.split())
    equal((out.count("By replay: the run without it, its tasks scheduled anew."), "by replay" in out), (times, bool(times)), out)
    equal([t["term"] for t in why()["terms"]], ["by replay"] * times)


@test
def what_by_replay_means_is_said_of_two_runs_too():
    run(bag(60))
    run([Task("work", 0.3 + 0.05 * i) for i in range(60)], file="other.db")
    two = lambda a, b: " ".join(spanloom("why", path(a), path(b)).out.split())  # noqa: E731
    check(two("why.db", "other.db").count("By replay: ") == 1 and "By replay" not in two("why.db", "why.db"), two("why.db", "other.db"))


main()
