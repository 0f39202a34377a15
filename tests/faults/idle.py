#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a recipe says and what can never do anything is refused, with its line: a key, a rule, a pattern."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

BEGIN = """recipe: my.ranks
spans:
  rank: {type: my.rank, key: "{rank}", in: job}
  job: {type: my.job, key: "{dir}"}
"""
INPUT = """inputs:
  - files: "{dir}/ranks.log"
    reader: lines
    head: '^(?<t>[0-9.]+) '
    times: {t: unix}
"""
RULE = "  - {match: '^rank (?<rank>\\d+) began', span: rank, event: began}\n"
RECORDS = "records:\n" + RULE
KEEP = "  - {match: '^rank (?<rank>\\d+) on (?<node>\\w+)', span: rank, event: on, keep: {node: rank}}\n"
LOOK = "  - {match: '^rank (?<rank>\\d+) left', look: {node: rank}, span: rank, event: left, attrs: [node]}\n"
FIRST = len((BEGIN + INPUT + RECORDS).splitlines())  # the line of the first rule

RULES = [  # behind the first rule; line behind it; what is said
    ("  - {match: [], span: job, event: x}", 1, "nothing stands behind 'match'"),
    ("  - match:\n    span: job\n    event: x", 1, "nothing stands behind 'match'"),
    ("  - {match: a, when: {}, span: job, event: x}", 1, "nothing stands behind 'when'"),
    ("  - {match: a, span: job, event: {}}", 1, "nothing stands behind 'event'"),
    ("  - {match: a, span: job, event: x,\n     attrs: []}", 2, "nothing stands behind 'attrs'"),
    ("  - {match: a, span: job, event: x,\n     alike: []}", 2, "nothing stands behind 'alike'"),
    ("  - {match: 'is (?<id>.)', mention: [job],\n     alike: [id]}", 2, "alike needs span"),
    ("  - {match: 'is (?<id>.)', span: job,\n     alike: [id, id]}", 2, "id is there twice"),
    ("  - {match: 'is (?<id>.)', span: job, attrs: [id],\n     alike: [id]}", 2, "id is in attrs and in alike"),
    ("  - {match: a, span: job, event: x, 'span event': y}", 1, "a record has no key 'span event'"),
    ("  - {match: a}", 1, "says nothing"),
    ("  - {match: a, look: {node: rank}}\n" + KEEP, 1, "says nothing"),
    ("  - {match: a, skip: true,\n     span: job}", 2, "'span' does nothing beside skip"),
    ("  - {match: a, skip: true, also: true}", 1, "'also' does nothing beside skip"),
    ("  - {match: a, reject: no,\n     event: x, span: job}", 2, "'event' does nothing beside reject"),
    (RULE, 1, f"the rule in line {FIRST}"),
    (RULE.replace("{match", "{when: {rank: 1}, match"), 1, f"the rule in line {FIRST}"),
    ("  - {span: job, event: x}\n  - {match: a, span: job, event: y}", 2, f"the rule in line {FIRST + 1}"),
    ("  - {match: [a, b], skip: true}\n  - {match: [b], span: job, event: y}", 2, f"the rule in line {FIRST + 1}"),
    (KEEP, 1, "no rule looks for 'node'"),
    (LOOK, 1, "no rule keeps or counts 'node'"),
    (KEEP + LOOK.replace("node: rank", "node: t"), 1, "no rule looks for 'node'"),
    ("  - {match: a, span: job, in: {job: job}}", 1, "no relation to itself"),
    ("  - {match: 'is (?<id>.)', share: {id: ['{id}', '{dir}']}}", 1, "no shared: says for which files the field 'id'"),
    ("  - {span: job, event: x}\nelse: raw", 2, f"the rule in line {FIRST + 1}"),
]
DECLARED = [  # before inputs
    ("fields: {rnak: int}", "nothing here has the field 'rnak'"),
    ("roles: {task: []}", "roles is a map"),
    ("phases: [{state: s, kind: run, after: []}]", "after is a list"),
    ("phases: [{state: s, kind: run, again: maybe, after: [rank/began]}]", "'again' is yes or no"),
]
READ = [  # behind the input
    ("    zone: Z", 1, "zone is for local times"),
    ("    'files named': x", 1, "an input has no key 'files named'"),
    ("  - {files: '{dir}/ranks.log', reader: jsonl, times: {t: iso}}", 1, "the input in line 6 reads these files already"),
]
WELL = [
    RULE.replace("{match", "{also: true, match") + RULE.replace("span: rank", "when: {t: '/^1/'}, span: rank") + RULE,
    KEEP + LOOK,
    LOOK.replace("look", "count") + LOOK.replace("left", "went"),
    "  - {match: '^rank (?<rank>\\d+) bad', reject: 'bad: {rank}'}\n  - {match: '^x', look: {node: rank}, when: {node: a}, skip: true}\n" + KEEP,
    "  - {span: job, event: x, also: true}\n" + RULE + "else: raw\nsamples: []\n",
]


def refused(text, line, word):
    write(path("ranks.yaml"), text + "\n")
    r = spanloom("recipes", "--test", "ranks.yaml", code=1)
    check(r.err.startswith(f"spanloom: ranks.yaml:{line}: ") and word in r.err, f"want line {line}: {word}\n{r}")


@test
def rules():
    for text, line, word in RULES:
        refused(BEGIN + INPUT + RECORDS + text, FIRST + line, word)


@test
def declarations():
    for text, word in DECLARED:
        refused(BEGIN + text + "\n" + INPUT + RECORDS, len(BEGIN.splitlines()) + 1, word)


@test
def inputs():
    for text, line, word in READ:
        refused(BEGIN + INPUT + text + "\n" + RECORDS, len((BEGIN + INPUT).splitlines()) + line, word)


@test
def what_does_something():
    for text in WELL:
        write(path("ranks.yaml"), BEGIN + INPUT + "records:\n" + text + "\n")
        spanloom("recipes", "--test", "ranks.yaml")


@test
def the_end_of_a_large_file():
    """It was not read: what stands there is said to be too much, not left out."""
    for file, text, args in (("ranks.yaml", BEGIN + INPUT + RECORDS, ["recipes", "--test", "ranks.yaml"]),
                             ("spanloom.yaml", "store: a.db\n", ["links"])):
        write(path(file), text + ("#" * 1023 + "\n") * (1 << 14) + "bogus: 1\n")
        r = spanloom(*args, code=(1, 2))
        check(file in r.err and "too large" in r.err, r)
        os.remove(path(file))


if __name__ == "__main__":
    main()
