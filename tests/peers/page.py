#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures as HTML: what Chromium makes of them, which ask nothing of the network."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, cases, check, equal, imported, main, path, spanloom, test, until, write  # noqa: E402
import peers  # noqa: E402
from specs import PLOTS, ROWS, plot, spec  # noqa: E402

if not os.path.exists(f"{ROOT}/page/dist/made-of"):
    peers.skip("there is no npm, or its registry does not answer")


class Shown:
    """A picture in Chromium, and all that it asked and said."""

    def __init__(self, file, dark=False):
        peers.needs_chromium()
        self.browser = peers.browser()
        self.page = self.browser.open("about:blank")
        self.browser.messages.clear()
        for method in "Runtime.enable", "Log.enable", "Network.enable", "Page.enable":
            self.call(method)
        self.call("Emulation.setDeviceMetricsOverride", width=1000, height=700, deviceScaleFactor=1, mobile=False)
        self.scheme("dark" if dark else "light")
        self.call("Page.navigate", url=f"file://{file}")
        self.page.wait("!!document.querySelector('#plot canvas, .error')")

    def call(self, method, **more):
        return self.browser.call(method, self.page.session, **more)

    def scheme(self, value):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def run(self, script):
        return self.page.run(script)

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def move(self, x, y, kind="mouseMoved", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def pixels(self):
        """How many there are of each colour of the canvas."""
        return self.run("""(() => {
            const c = document.querySelector('#plot canvas'), copy = document.createElement('canvas'), n = {};
            copy.width = c.width, copy.height = c.height;
            const context = copy.getContext('2d', {willReadFrequently: true});
            context.drawImage(c, 0, 0);
            const d = context.getImageData(0, 0, c.width, c.height).data;
            for (let i = 0; i < d.length; i += 4) {
                const k = [d[i], d[i + 1], d[i + 2]].join();
                n[k] = (n[k] || 0) + 1;
            }
            return n; })()""")

    def silent(self):
        said = [
            m
            for m in self.browser.messages
            if m.get("sessionId") == self.page.session
            and m.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        ]
        equal(said, [])
        asked = [
            m["params"]["request"]["url"]
            for m in self.browser.messages
            if m.get("sessionId") == self.page.session and m.get("method") == "Network.requestWillBeSent"
        ]
        check(len(asked) == 1 and asked[0].startswith("file://"), asked)


def html(what, sql=None, name="x.html"):
    """A page of this specification, with the rows of a query, or its own."""
    if not os.path.exists(path("spanloom.db")):
        imported(EXAMPLE)
    rows = what["datasets"]["rows"]
    columns = ", ".join(f"value ->> '{name}' AS {name}" for name in rows[0])
    sql = f"SELECT {columns} FROM json_each('{json.dumps(rows)}')" if sql is None else sql
    write(path("x.json"), json.dumps({**what, "datasets": {}}))
    spanloom("plot", "--spec", path("x.json"), "--sql", sql, "-o", path(name))
    return path(name)


@cases(*PLOTS)
def each_of_our_plots(name):
    """In light and dark it says nothing and asks for nothing; it has what the JSON form has, of which plot_figures.py
    compares the figures with the command's."""
    file = plot(name, "x.html")
    with open(file, encoding="utf-8") as page, open(plot(name, "x.json"), encoding="utf-8") as form:
        text = re.search(r'<script id="spec" type="application/json">(.*?)</script>', page.read(), re.S)[1]
        equal(json.loads(text), json.load(form))
    for dark in False, True:
        shown = Shown(file, dark)
        equal(shown.text("#messages"), "")
        check(len(shown.pixels()) > 20, name, "is empty")
        shown.silent()


@test
def a_page_is_shown_without_a_word():
    shown = Shown(html(spec(ROWS, title="Three bars")))
    equal((shown.text("#messages"), shown.run("document.title")), ("", "Three bars"))
    equal(shown.run("JSON.parse(document.getElementById('spec').textContent).datasets.rows"), ROWS)
    check(shown.pixels().get("0,114,178", 0) > 10000, "no bars")
    for name in "svg", "png":
        shown.run(f"document.getElementById('{name}').click()")
    shown.page.wait("true")
    shown.silent()


@test
def what_is_under_the_pointer_is_told():
    shown = Shown(html(spec(ROWS)))
    x, y, width, height = shown.run(
        "(r => [r.x, r.y, r.width, r.height])(document.querySelector('canvas').getBoundingClientRect())"
    )

    def tip():
        for i in range(2):
            shown.move(x + width / 2 + i, y + height * 0.7)
        return re.fullmatch(r"x\s+b\s+y\s+55\s*", shown.text("#vg-tooltip-element.visible"))

    until(tip, "a tooltip")
    shown.silent()


@test
def dark_where_the_reader_wants_it():
    file = html(spec(ROWS))
    shown = Shown(file, dark=True)
    with open(f"{ROOT}/plots/look.json", encoding="utf-8") as look:
        dark = json.load(look)["dark"]["background"]
    want = ",".join(str(b) for b in bytes.fromhex(dark[1:]))
    check(shown.pixels().get(want, 0) > 10000 and shown.pixels().get("255,255,255", 0) < 1000, "no dark")
    shown.scheme("light")
    until(lambda: shown.pixels().get("255,255,255", 0) > 10000 and want not in shown.pixels(), "light")
    shown.silent()


@test
def the_wheel_zooms_and_a_double_click_goes_back():
    rows = [{"x": i, "y": i % 10} for i in range(100)]
    shown = Shown(
        html(
            spec(rows, "point", "x:Q"),
            "WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n WHERE x < 99) SELECT x, x % 10 AS y FROM n",
        )
    )
    before = shown.pixels()
    shown.move(400, 150)
    shown.move(400, 150, "mouseWheel", deltaX=0, deltaY=-300)
    until(lambda: shown.pixels() != before, "zoom")

    def back():
        for n in 1, 2:
            for kind in "mousePressed", "mouseReleased":
                shown.move(400, 150, kind, button="left", clickCount=n)
        return shown.pixels() == before

    until(back, "all of it again")
    shown.silent()


@test
def the_legend_picks():
    what = spec(ROWS, encoding={"color": {"field": "x", "type": "nominal"}})
    shown = Shown(html(what))
    full = shown.pixels()["230,159,0"]
    x, y = shown.run("""(() => { // the rightmost of the first colour is its symbol in the legend
        const c = document.querySelector('#plot canvas'), copy = document.createElement('canvas');
        const r = c.getBoundingClientRect();
        copy.width = c.width, copy.height = c.height;
        const context = copy.getContext('2d', {willReadFrequently: true});
        context.drawImage(c, 0, 0);
        const d = context.getImageData(0, 0, c.width, c.height).data;
        for (let x = c.width - 1; x > 0; x--) for (let y = 0; y < c.height; y++)
            if ([0, 1, 2].every(i => d[4 * (y * c.width + x) + i] === [0, 114, 178][i])) return [r.x + x - 4, r.y + y];
    })()""")
    shown.move(x, y)
    for kind in "mousePressed", "mouseReleased":
        shown.move(x, y, kind, button="left", clickCount=1)
    until(lambda: shown.pixels().get("230,159,0", 0) < full / 2, "another one to fade")
    check(shown.pixels()["0,114,178"] > 10000, "the one that was picked stays")
    shown.silent()


@test
def hostile_texts_are_shown_and_not_run():
    texts_ = [
        "<script>document.title='run'</script>",
        "</script><script>document.title='run'</script>",
        "<img src=x onerror=alert(1)>",
        "<!--",
    ]
    sql = " UNION ALL ".join(
        "SELECT '{}' AS x, {} AS y".format(t.replace("'", "''"), i + 1) for i, t in enumerate(texts_)
    )
    file = html(spec([{"x": t, "y": i + 1} for i, t in enumerate(texts_)], title=texts_[1]), sql)
    shown = Shown(file)
    equal(shown.run("JSON.parse(document.getElementById('spec').textContent).datasets.rows.map(r => r.x)"), texts_)
    equal(shown.run("document.title"), texts_[1])
    x, y, width, height = shown.run(
        "(r => [r.x, r.y, r.width, r.height])(document.querySelector('canvas').getBoundingClientRect())"
    )

    def tip():
        for i in range(2):
            shown.move(x + width * 0.9 + i, y + 225)
        return shown.text("#vg-tooltip-element.visible")

    got = until(tip, "a tooltip")
    check(any(t in got for t in texts_), got)
    equal(shown.run("document.querySelectorAll('img').length"), 0)
    shown.silent()


@test
def mistakes_are_told_in_the_page():
    shown = Shown(html(spec(ROWS, encoding={"x": {"field": "z", "type": "nominal"}})))
    equal(shown.text("#messages .warning"), 'no row has a field "z"')
    shown = Shown(html(spec(ROWS, "blob"), name="y.html"))
    check('"blob" is no mark' in shown.text("#messages .error"), shown.text("#messages"))
    shown.silent()


@test
def the_page_allows_itself_alone():
    with open(html(spec(ROWS)), encoding="utf-8") as file:
        page = file.read()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    check(
        policy.startswith("default-src 'none';") and "unsafe" not in policy and not re.search(r"https?:|\*", policy),
        policy,
    )
    for licence in "Redistribution and use in source and binary forms", "Copyright (c) 2015", "Mike Bostock", "vega 6":
        check(licence in page, licence)
    check(len(page) < 450000, "a page without rows", len(page))
    # What is inside cannot be exchanged for something else.
    broken = write(path("broken.html"), page.replace("document", "documenT", 1) if "documenT" not in page else page)
    peers.needs_chromium()
    shown = peers.browser().open(f"file://{broken}")
    shown.wait("document.readyState === 'complete'")
    equal(shown.run("!!document.querySelector('canvas')"), False)


main()
