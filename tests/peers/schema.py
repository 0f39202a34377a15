#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is not as the schemas of Vega-Lite and Vega say: `spanloom-render check` finds it as Python's jsonschema does."""

import copy
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, cases, check, equal, imported, main, note, path, rng, spanloom, test, write  # noqa: E402
import peers  # noqa: E402

RENDER, DIST = f"{os.environ['BUILD']}/spanloom-render", f"{ROOT}/page/dist"
LITE, VEGA = (f"https://vega.github.io/schema/{x}/v6.json" for x in ("vega-lite", "vega"))
VARIANTS = 12

if not os.path.exists(f"{DIST}/schemas.json"):
    peers.skip("there is no npm, or its registry does not answer")
if not os.path.exists(RENDER):
    peers.skip("there is no JavaScriptCore to build spanloom-render with")

X, Y = {"field": "x", "type": "nominal"}, {"field": "y", "type": "quantitative", "aggregate": "mean"}
BASES = {
    "unit": {
        "$schema": LITE,
        "data": {"name": "rows"},
        "mark": {"type": "bar", "tooltip": True, "clip": True},
        "encoding": {"x": {**X, "axis": {"title": None, "grid": False}}, "y": {**Y, "scale": {"zero": True}}},
        "transform": [{"calculate": "1", "as": "z"}, {"filter": "datum.z > 0"}],
        "config": {"view": {"stroke": None}},
    },
    "layer": {
        "$schema": LITE,
        "data": {"name": "rows"},
        "width": 300,
        "params": [{"name": "zoom", "select": {"type": "interval", "encodings": ["x"]}, "bind": "scales"}],
        "layer": [
            {"mark": "line", "encoding": {"x": X, "y": Y, "color": {"condition": {"param": "zoom", "value": "#fff"}}}},
            {"mark": "rule", "encoding": {"x": {"datum": 3}}},
        ],
    },
    "facet": {
        "$schema": LITE,
        "data": {"name": "rows"},
        "facet": {"row": X},
        "spec": {"mark": "area", "encoding": {"y": Y, "order": {"field": "x", "sort": "descending"}}},
        "resolve": {"scale": {"y": "independent"}},
    },
    "vega": {
        "$schema": VEGA,
        "signals": [{"name": "s", "value": 1, "update": "2 * 3"}],
        "data": [{"name": "rows", "transform": [{"type": "filter", "expr": "datum.x > 0"}]}],
        "scales": [{"name": "x", "type": "linear", "domain": [0, 1], "range": "width"}],
        "axes": [{"orient": "bottom", "scale": "x"}],
        "marks": [{"type": "rect", "from": {"data": "rows"}, "encode": {"enter": {"x": {"scale": "x", "field": "x"}}}}],
    },
}
OTHERS = [None, True, 0, 2.5, -1, "", "bar", "nominal", "x", [], ["x"], {}, {"field": "x"}, {"expr": "1"}, [{"a": 1}]]


def places(x, at=()):
    """All places in it, as keys from the top."""
    items = x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, list) else ()
    for key, value in items:
        if at or key != "$schema":
            yield (*at, key)
            yield from places(value, (*at, key))


def changed(spec, r):
    """The specification with one thing taken away, put in another's place, or called otherwise."""
    spec = copy.deepcopy(spec)
    *path, key = r.choice(list(places(spec)))
    inside = spec
    for step in path:
        inside = inside[step]
    how = r.choice(["take away", "replace", "rename"])
    if how == "replace":
        inside[key] = copy.deepcopy(r.choice(OTHERS))
    else:
        value = inside.pop(key)
        if how == "rename" and isinstance(inside, dict):
            inside[r.choice([f"{key}x", "value", "title"])] = value
    return spec


UNIT = BASES["unit"]


def problems(text):
    done = subprocess.run(
        [RENDER, "check", f"{DIST}/headless.js", f"{DIST}/schemas.json"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    equal(done.stdout, "")
    return done.stderr


@test
def what_is_not_as_the_schema_says_is_told_with_its_place():
    for what, want in (
        ({**UNIT, "encodng": {}}, ['$.encodng: there is no key "encodng" at this place; near it: "encoding"']),
        (
            {**UNIT, "encoding": {"x": {"field": "x", "type": "nominl"}}},
            ['$.encoding.x.type: "nominl" is not what can stand here: "quantitative", "ordinal", "temporal", "nominal"'],
        ),
        (
            {**UNIT, "mark": {"type": "bar", "opacity": 3, "tooltp": 1}},
            [
                "$.mark.opacity: 3 is more than 1, the most that can stand here",
                '$.mark.tooltp: there is no key "tooltp" at this place; near it: "tooltip"',
            ],
        ),
        (
            {"$schema": LITE, "data": {"name": "rows"}, "layer": [{"mark": "bar", "encoding": {"x": X, "size": 3}}]},
            ["$.layer[0].encoding.size: 3 is not what can stand here: an object"],
        ),
        ({**UNIT, "transform": {"calculate": "1", "as": "z"}}, ["$.transform: ", "a list"]),
        ({**UNIT, "width": "wide"}, ['$.width: "wide" is not what can stand here: a number, "container", an object']),
        (
            {"$schema": VEGA, "scales": [{"name": "x", "type": "blob"}]},
            ['$.scales[0].type: "blob" is not what can stand here: "identity", "ordinal", "band"'],
        ),
        ({"$schema": VEGA, "data": [{"nam": "a"}]}, ['$.data[0].nam: there is no key "nam"', 'near it: "name"']),
    ):
        said = problems(json.dumps(what))
        check(all(w in said for w in want) and said.count("\n") <= 5, what, said)
    # By spanloom with the name of the file, in each form.
    file = write(path("mine.json"), json.dumps({**UNIT, "encoding": {"x": {"field": "n", "type": "nominal"}}, "encodng": {}}))
    imported(EXAMPLE)
    for form in "svg", "html", "json":
        r = spanloom("plot", "--spec", file, "--sql", "SELECT 1 AS n", "-o", path(f"x.{form}"))
        equal(r.err, f'spanloom: {file}: $.encodng: there is no key "encodng" at this place; near it: "encoding"\n')


@test
def our_plots_are_as_the_schemas_say():
    for name in sorted(os.listdir(f"{ROOT}/plots")):
        if name == "look.json":
            continue
        with open(f"{ROOT}/plots/{name}", encoding="utf-8") as file:
            equal(problems(file.read()), "", name)


# ---- as jsonschema says

JUDGE = """
import json, sys, jsonschema
validators = {}
for name in "vega", "vega-lite":
    with open(f"{sys.argv[1]}/node_modules/{name}/build/{name}-schema.json") as file:
        schema = json.load(file)
    validators[name] = jsonschema.validators.validator_for(schema)(schema)
print(json.dumps([validators[kind].is_valid(spec) for kind, spec in json.load(sys.stdin)]))
"""


@cases(*BASES)
def they_agree(name):
    peers.needs("jsonschema")
    r = rng()
    kind = "vega" if name == "vega" else "vega-lite"
    specs = [BASES[name]] + [changed(BASES[name], r) for _ in range(VARIANTS)]
    judge = subprocess.run(
        [peers.python(), "-c", JUDGE, f"{ROOT}/page"],
        input=json.dumps([(kind, spec) for spec in specs]),
        capture_output=True,
        text=True,
        check=True,
    )
    valid = json.loads(judge.stdout)
    for spec, good in zip(specs, valid):
        said = problems(json.dumps(spec))
        check((said == "") == good, "valid" if good else "not valid", json.dumps(spec), said)
    check(valid[0] and 2 <= sum(valid) < VARIANTS, valid)
    note(f"{sum(valid)} of {len(valid)} are valid")


main()
