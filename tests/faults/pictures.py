#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spanloom and what draws pictures: others stand in for its page and its helper, so that nothing else is needed."""

import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import PARSL, PROGRAM, ROOT, cases, check, equal, imported, main, path, read, test, write  # noqa: E402

SPEC = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "mark": "point",
    "data": {"name": "rows"},
    "encoding": {"x": {"field": "x", "type": "quantitative"}},
}
PAGE = '<title>P</title><script id="spec">@SPEC@</script><script id="look">@LOOK@</script><p>@SPEC@'


def install(page=PAGE, helper="cat", bundle="", where="libexec/spanloom"):
    """Spanloom below usr, with this page and this shell script as spanloom-render; None: there is none."""
    parts = path("usr", where)
    os.makedirs(parts)
    os.makedirs(path("usr/bin"))
    shutil.copy(PROGRAM, path("usr/bin/spanloom"))
    helper = helper and f"#!/bin/sh\n{helper}\n"
    for name, text in ("page.html", page), ("spanloom-render", helper), ("headless.js", bundle):
        if text is not None:
            os.chmod(write(f"{parts}/{name}", text), 0o755)
    write(path("x.json"), json.dumps(SPEC))
    write(path("run/parsl.log"), read(PARSL)[:20000])
    imported(path("run"))


def plot(to, sql="SELECT 1 AS x", code=0, **more):
    """What was written, and what was said."""
    r = subprocess.run(
        [path("usr/bin/spanloom"), "plot", "--spec", path("x.json"), "--sql", sql, "-o", path(to)],
        cwd=path(),
        capture_output=True,
        **more,
    )
    said = r.stderr.decode()
    equal(r.returncode, code, said)
    if code:
        check(not os.path.exists(path(to)) and said.startswith("spanloom: "), said)
        return None, said
    with open(path(to), "rb") as file:
        return file.read(), said


def block(page, name):
    return page.split(f'<script id="{name}">')[1].split("</script>")[0]


def fresh(**more):
    for name in "usr", "run":
        shutil.rmtree(path(name), ignore_errors=True)
    install(**more)


@test
def html_is_the_page_with_the_specification_and_the_look():
    install()
    hostile = ["</script><script>alert(1)</script><!--", "a<b", "@LOOK@"]
    page = plot("x.html", " UNION ALL ".join(f"SELECT '{text}' AS x" for text in hostile))[0].decode()
    equal(page.count("<"), PAGE.count("<"), "some < came in")
    check(page.startswith("<title>P</title><script") and page.endswith("</script><p>@SPEC@"), page)
    equal([row["x"] for row in json.loads(block(page, "spec"))["datasets"]["rows"]], hostile)
    with open(f"{ROOT}/plots/look.json", encoding="utf-8") as file:
        equal(json.loads(block(page, "look")), json.load(file))


@test
def a_page_that_is_another_is_an_error():
    for page in "", "@SPEC@", "@LOOK@@SPEC@", "SPEC LOOK":
        fresh(page=page)
        check("page.html is not a page of ours" in plot("x.html", code=1)[1], page)


@cases("svg", "png", "pdf")
def the_helper_gets_all_and_gives_all(form):
    install(helper='printf "%s|%s|" "$1" "${2##*/}"; cat')
    numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 50000)"
    sql = f"{numbers} SELECT x, hex(randomblob(20)) AS y FROM n"
    got = plot(f"x.{form}", sql)[0]
    check(got.startswith(f"{form}|headless.js|".encode()), got[:60])
    rows = json.loads(got.split(b"|", 2)[2])["datasets"]["rows"]  # 3 MB: more than any pipe holds
    equal([row["x"] for row in rows], list(range(1, 50001)))


@test
def what_the_helper_says_is_told():
    install(helper="echo no row has a field y >&2; echo picture")
    equal(plot("x.svg"), (b"picture\n", f"spanloom: {path('x.json')}: no row has a field y\n"))


@test
def a_failure_of_the_helper_is_an_error():
    for helper, want in (
        ("echo half; echo it is wrong >&2; exit 1", "x.json: it is wrong\n"),
        ("exit 3", "does not say why"),
        ("kill -SEGV $$", "signal 11 (Segmentation fault)"),
        ("echo last words >&2; kill -ABRT $$", "last words"),
        ("kill -KILL $$", "signal 9 (Killed)"),
    ):
        fresh(helper=helper)
        said = plot("x.png", code=1)[1]
        check(want in said and said.count("\n") == 1, helper, said)
    fresh(helper="yes | head -c 100000 >&2; echo the end >&2; exit 1")
    said = plot("x.png", code=1)[1]
    check(said.endswith(": y\nspanloom: " + path("x.json") + ": the end\n") and len(said) < 1000, said)
    fresh(helper="exit 0")
    os.chmod(path("usr/libexec/spanloom/spanloom-render"), 0o755)
    write(path("usr/libexec/spanloom/spanloom-render"), "#!/no/such/program\n")
    check("cannot run" in plot("x.png", code=1)[1], "no interpreter")


@test
def what_is_missing_is_said_before_the_store_is_asked():
    for more, form in (
        ({"page": None}, "html"),
        ({"helper": None}, "svg"),
        ({"bundle": None}, "pdf"),
        ({"helper": None}, "png"),
    ):
        fresh(**more)
        said = plot(f"x.{form}", "SELECT nothing", code=1)[1]
        check("`make plots`" in said and ".json" in said, form, said)
        plot("y.json")
    fresh(helper=None, bundle=None)
    plot("x.html")  # needs the page alone
    fresh(page=None)
    plot("x.svg")  # and the others do not


@test
def parts_are_found_where_they_are_installed():
    install(helper=None, bundle=None, page=None)
    os.makedirs(path("usr/lib/python3/dist-packages/spanloom/page"))
    write(path("usr/lib/python3/dist-packages/spanloom/page/page.html"), PAGE)
    plot("x.html")


main()
