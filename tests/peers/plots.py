#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures: what spanloom-render draws, and what Chromium makes of the HTML, which asks nothing of the network."""

import base64
import json
import os
import re
import resource
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, cases, check, equal, imported, main, path, spanloom, test, until, write  # noqa: E402
import peers  # noqa: E402

LITE, VEGA = (f"https://vega.github.io/schema/{x}/v6.json" for x in ("vega-lite", "vega"))
RENDER, BUNDLE = f"{os.environ['BUILD']}/spanloom-render", f"{ROOT}/page/dist/headless.js"
SVG, GIB = "http://www.w3.org/2000/svg", 1 << 30

if not os.path.exists(f"{ROOT}/page/dist/made-of"):
    peers.skip("there is no npm, or its registry does not answer")
if not os.path.exists(RENDER):
    peers.skip("there is no JavaScriptCore to build spanloom-render with")


def spec(rows, mark="bar", x="x:N", y="y:Q", **more):
    kinds = {"N": "nominal", "Q": "quantitative", "T": "temporal"}
    encoding = {c: {"field": f[:-2], "type": kinds[f[-1]]} for c, f in (("x", x), ("y", y)) if f}
    encoding.update(more.pop("encoding", {}))
    return {
        "$schema": LITE,
        "width": 300,
        "height": 200,
        "data": {"name": "rows"},
        "datasets": {"rows": rows},
        "mark": mark,
        "encoding": encoding,
        "config": {"aria": False, "font": "DejaVu Sans", "view": {"stroke": None}},
        **more,
    }


def draw(what, form="svg", code=0, **more):
    """The picture, and what was said of it."""
    text = what if isinstance(what, bytes) else json.dumps(what).encode()
    r = subprocess.run([RENDER, form, BUNDLE], input=text, capture_output=True, **more)
    equal(r.returncode, code, r.stderr.decode()[-1000:])
    return r.stdout, r.stderr.decode()


def svg(what):
    picture, said = draw(what)
    equal(said, "")
    return ET.fromstring(picture)


def texts(root):
    return [t.text for t in root.iter(f"{{{SVG}}}text")]


def bars(root):
    """[(x, top, width, height)] of the marks that are rectangles."""
    found = []
    for g in root.iter(f"{{{SVG}}}g"):
        if "mark-rect" in g.get("class", "") and "role-mark" in g.get("class", ""):
            for p in g.iter(f"{{{SVG}}}path"):
                x, y, w, h = re.fullmatch(r"M([-\d.]+),([-\d.]+)h([-\d.]+)v([-\d.]+)h[-\d.]+Z", p.get("d")).groups()
                found.append(tuple(map(float, (x, y, w, h))))
    return found


def png_size(data):
    equal(data[:8], b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", data[16:24])


ROWS = [{"x": "a", "y": 28}, {"x": "b", "y": 55}, {"x": "c", "y": 43}]


# ---- pictures


@test
def bars_are_as_high_as_their_values():
    found = bars(svg(spec(ROWS)))
    equal(len(found), 3)
    for row, (_, _, _, height) in zip(ROWS, found):
        check(abs(height - row["y"] / 55 * 200) < 0.01, row, height)  # the axis ends at the largest


@test
def all_forms_are_one_picture():
    root = svg(spec(ROWS, title="Three bars"))
    width, height = float(root.get("width")), float(root.get("height"))
    check("Three bars" in texts(root), texts(root))
    equal(png_size(draw(spec(ROWS, title="Three bars"), "png")[0]), (2 * width, 2 * height))
    pdf = draw(spec(ROWS, title="Three bars"), "pdf")[0]
    check(pdf.startswith(b"%PDF-1."), pdf[:20])
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    check(all(abs(float(got) - 0.75 * want) < 0.01 for got, want in zip(box.groups(), (width, height))), box[0])
    check(pdf.count(b"/FontDescriptor") >= 1, "no font is embedded")


@test
def vega_is_drawn_as_well():
    what = {
        "$schema": VEGA,
        "width": 100,
        "height": 100,
        "padding": 0,
        "data": [{"name": "rows", "values": [{"v": 1}, {"v": 2}]}],
        "scales": [{"name": "x", "domain": [0, 2], "range": "width"}],
        "marks": [
            {
                "type": "rect",
                "from": {"data": "rows"},
                "encode": {
                    "enter": {
                        "x": {"value": 0},
                        "x2": {"scale": "x", "field": "v"},
                        "y": {"value": 5},
                        "height": {"value": 9},
                    }
                },
            }
        ],
    }
    equal([bar[2] for bar in bars(svg(what))], [50, 100])


@test
def times_are_utc_to_the_millisecond():
    begin = 1795162300000  # 2026-11-20T08:11:40Z
    rows = [{"t": begin + 100 * i, "y": i} for i in range(5)]
    more = {"encoding": {"x": {"field": "t", "type": "temporal", "axis": {"tickCount": 5, "format": "%H:%M:%S.%L"}}}}
    found = texts(svg(spec(rows, "point", **more)))
    equal(found[:5], ["08:11:40.000", "08:11:40.100", "08:11:40.200", "08:11:40.300", "08:11:40.400"])
    for zone in "Asia/Tokyo", "America/New_York":
        equal(
            draw(spec(rows, "point", **more), env={**os.environ, "TZ": zone})[0], draw(spec(rows, "point", **more))[0]
        )


@test
def the_same_picture_is_the_same_file():
    what = spec(
        [{"x": i / 7, "y": (i * i) % 13} for i in range(200)],
        "point",
        "x:Q",
        encoding={"color": {"field": "y", "type": "nominal"}},
        transform=[{"sample": 150}],
    )
    for form in "svg", "png", "pdf":
        equal(draw(what, form)[0], draw(what, form)[0], form)
    dates = []
    for env in ({}, {"SOURCE_DATE_EPOCH": "1795162300"}):
        pdf = draw(what, "pdf", env={**{k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"}, **env})[0]
        streams = b"".join(
            zlib.decompress(s) for s in re.findall(rb"/Type /ObjStm.*?stream\r?\n(.*?)\r?\nendstream", pdf, re.S)
        )
        dates.append(re.search(rb"/CreationDate \((?:D:)?(\d+)", pdf + streams)[1])
    equal(dates, [b"19700101000000", b"20261120081140"])


@test
def texts_are_as_wide_as_in_a_browser():
    peers.needs_chromium()
    page = peers.browser().open("about:blank")
    for font, weight, words in (
        ("DejaVu Sans", 400, "Where the time went, iiiiiiiiii WWWWW"),
        ("DejaVu Sans", 700, "parsl.executor.htex"),
        ("sans-serif", 400, "0123456789 äöü ∑"),
        ("Nothing like it, DejaVu Sans", 400, "fallback"),
        ("DejaVu Sans Mono", 400, "iiiWWW"),
    ):
        what = {
            "$schema": VEGA,
            "width": 1,
            "height": 1,
            "padding": 0,
            "config": {"aria": False},
            "marks": [
                {
                    "type": "text",
                    "encode": {
                        "enter": {
                            "text": {"value": words},
                            "font": {"value": font},
                            "fontWeight": {"value": weight},
                            "fontSize": {"value": 40},
                        }
                    },
                }
            ],
        }
        width = float(svg(what).get("width"))
        want = page.run(
            f"(c => {{ c.font = `{weight} 40px {font}`; return c.measureText({json.dumps(words)}).width; }})"
            "(document.createElement('canvas').getContext('2d'))"
        )
        check(abs(width - want) <= 0.02 * want + 1, font, words, width, want)


# ---- what is wrong

MISTAKES = [
    (b"", r"JSON"),
    (b"{", r"JSON"),
    (b"[]", r"a specification is a JSON object"),
    (b"null", "JSON object"),
    (b"\xff\xfe", "JSON"),
    ({}, "Invalid specification"),
    (spec(ROWS, "blob"), r'"blob" is no mark; there are .*bar'),
    (spec(ROWS, {"type": "blob"}), '"blob" is no mark'),
    (spec(ROWS, encoding={"x": {"field": "x", "type": "sort of"}}), "Invalid field type"),
    (spec(ROWS, transform=[{"calculate": "datum.y +* 1", "as": "z"}]), r"Unexpected token"),
    (spec(ROWS, transform=[{"filter": "datum.q.r > 1"}]), "q"),
    (spec(ROWS, transform=[{"calculate": "nothing(1)", "as": "z"}]), "nothing"),
    ({**spec(ROWS), "data": {"url": "http://127.0.0.1:1/x.json"}}, r"may not read http://127.0.0.1:1/x.json"),
    ({**spec(ROWS), "data": {"url": "file:///etc/passwd"}}, r"may not read file:///etc/passwd"),
    ({**spec(ROWS), "data": {"url": "/etc/passwd"}}, r"may not read /etc/passwd"),
    ({"$schema": VEGA, "marks": [{"type": "blob"}]}, "blob"),
    ({"$schema": VEGA, "scales": [{"name": "x", "type": "blob"}], "marks": []}, "blob"),
    (b"[" * 100000, "."),
]


@test
def a_mistake_is_told_in_one_line():
    for what, want in MISTAKES:
        for form in ("svg", "pdf") if what == MISTAKES[6][0] else ("svg",):
            picture, said = draw(what, form, code=1)
            check(picture == b"" and re.search(want, said) and said.count("\n") == 1, str(what)[-200:], "said", said)


@test
def what_does_nothing_is_told():
    for more, want in (
        ({"encodng": {}}, 'Vega-Lite has no key "encodng"; it does nothing'),
        ({"encoding": {"xx": {"field": "x"}}}, "xx"),
        ({"encoding": {"x": {"field": "z", "type": "quantitative"}}}, 'no row has a field "z"'),
        ({"encoding": {"color": {"field": "a.b", "type": "nominal"}}}, 'no row has a field "a.b"'),
        ({"data": {"name": "others"}}, 'there is no data set "others"'),
        ({"datasets": {"rows": []}}, 'the data set "rows" has no rows'),
        ({"$schema": LITE.replace("v6", "v5")}, "version 5"),
    ):
        picture, said = draw({**spec(ROWS), **more})
        check(ET.fromstring(picture).tag.endswith("svg") and want in said, more, said)
    equal(
        draw({**spec([{"x.y": 1, "y": 2}], x=""), "encoding": {"x": {"field": "x\\.y", "type": "quantitative"}}})[1], ""
    )
    equal(draw(spec([{"x": "a", "y": None}, {"x": "b", "y": 1}]))[1], "")
    equal(draw(spec([{"x": "a"}, {"x": "b", "y": 1}]))[1], "")


HOSTILE = [
    "<script>alert(1)</script>",
    "</script><!--",
    "]]>&amp;&",
    "a\0b\x01\x1f\x7f",
    "\ud800 half",
    "half \udfff",
    "\ufffe\uffff",
    "\u202eright to left \u05d0\u05d1",
    "\U0001f600",
    "x" * 100000,
    "'\"`${1}\\",
    "__proto__",
    "\u2028\n\t",
]


@cases("svg", "png", "pdf")
def hostile_texts_are_drawn(form):
    rows = [{"x": text, "y": i + 1} for i, text in enumerate(HOSTILE)]
    what = spec(rows, title=HOSTILE[0], encoding={"color": {"field": "x", "type": "nominal"}})
    picture, said = draw(what, form)
    equal(said, "")
    if form == "svg":
        root = ET.fromstring(picture)
        equal(len(bars(root)), len(rows))
        check(not list(root.iter(f"{{{SVG}}}script")) and HOSTILE[0] in texts(root), "the title")
        check(len(picture) < 400000, "long texts are cut", len(picture))


@test
def a_million_rows():
    rows = ",".join(f'{{"x":{i},"y":{i * 7919 % 1000}}}' for i in range(1000000))
    what = json.dumps(
        {
            **spec([], {"type": "bar"}, "x:Q"),
            "encoding": {
                "x": {"field": "x", "type": "quantitative", "bin": {"maxbins": 20}},
                "y": {"aggregate": "count"},
            },
        }
    ).replace('"rows": []', f'"rows": [{rows}]')
    found = bars(ET.fromstring(draw(what.encode())[0]))
    equal(len(found), 20)
    check(max(b[3] for b in found) - min(b[3] for b in found) < 0.01, found)


# ---- the machine


def limit(what, value):
    return lambda: resource.setrlimit(what, (value, value))


@test
def too_little_address_space():
    for gib in 1, 4, 5.9:
        said = draw(spec(ROWS), code=1, preexec_fn=limit(resource.RLIMIT_AS, int(gib * GIB)))[1]
        check("`ulimit -v unlimited`" in said and ".html" in said and said.count("\n") == 1, said)
    draw(spec(ROWS), "png", preexec_fn=limit(resource.RLIMIT_AS, 6 * GIB))  # as much as it says that it needs


@test
def no_fonts():
    os.mkdir(path("fonts"))
    write(
        path("fonts.conf"), f"<fontconfig><dir>{path('fonts')}</dir><cachedir>{path('cache')}</cachedir></fontconfig>"
    )
    said = draw(spec(ROWS), code=1, env={**os.environ, "FONTCONFIG_FILE": path("fonts.conf")})[1]
    check("no fonts are installed" in said and "fonts-dejavu-core" in said and said.count("\n") == 1, said)


@test
def an_engine_that_is_ended_is_an_ordinary_error():
    imported(EXAMPLE)
    sql = (
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300000) SELECT x, x % 97 AS y FROM n"
    )
    write(path("x.json"), json.dumps({**spec([], "point", "x:Q"), "datasets": {}}))
    r = spanloom(
        "plot",
        "--spec",
        path("x.json"),
        "--sql",
        sql,
        "-o",
        path("x.svg"),
        code=1,
        before=limit(resource.RLIMIT_CPU, 1),
    )
    check("the drawing engine was ended by signal" in r.err and not os.path.exists(path("x.svg")), r)


@test
def nothing_can_be_written():
    for form in "svg", "png", "pdf":
        with open("/dev/full", "wb") as full:
            r = subprocess.run(
                [RENDER, form, BUNDLE], input=json.dumps(spec(ROWS)).encode(), stdout=full, stderr=subprocess.PIPE
            )
        check(r.returncode == 1 and b"cannot be written" in r.stderr, form, r)


# ---- HTML


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
    for licence in "BSD", "Copyright (c) 2015", "Mike Bostock", "vega 6":
        check(licence in page, licence)
    check(len(page) < 450000, "a page without rows", len(page))
    # What is inside cannot be exchanged for something else.
    broken = write(path("broken.html"), page.replace("document", "documenT", 1) if "documenT" not in page else page)
    peers.needs_chromium()
    shown = peers.browser().open(f"file://{broken}")
    shown.wait("document.readyState === 'complete'")
    equal(shown.run("!!document.querySelector('canvas')"), False)


main()
