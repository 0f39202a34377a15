#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures: what spanloom-render draws."""

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
from harness import EXAMPLE, ROOT, cases, check, equal, imported, main, path, spanloom, test, write  # noqa: E402
import peers  # noqa: E402
from specs import LITE, ROWS, VEGA, spec  # noqa: E402

RENDER, BUNDLE = f"{os.environ['BUILD']}/spanloom-render", f"{ROOT}/page/dist/headless.js"
SVG, GIB = "http://www.w3.org/2000/svg", 1 << 30

if not os.path.exists(f"{ROOT}/page/dist/made-of"):
    peers.skip("there is no npm, or its registry does not answer")
if not os.path.exists(RENDER):
    peers.skip("there is no JavaScriptCore to build spanloom-render with")


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


def many(n, y, mark):
    """Rows (i, y(i)) as a mark, as bytes."""
    rows = ",".join(f'{{"x":{i},"y":{y(i)}}}' for i in range(n))
    return json.dumps(spec([], mark, "x:Q")).replace('"rows": []', f'"rows": [{rows}]').encode()


@test
def a_line_of_a_million_points():
    """What nobody sees is not drawn: each column of pixels has its first, last, least and greatest value."""
    n, peak = 1000000, 543210
    what = many(n, lambda i: 5000 if i == peak else i * 7919 % 1000, "line")
    root = ET.fromstring(draw(what, preexec_fn=limit(resource.RLIMIT_CPU, 30))[0])
    [line] = (g for g in root.iter(f"{{{SVG}}}g") if "mark-line" in g.get("class", ""))
    points = [tuple(map(float, p)) for p in re.findall(r"([-\d.]+),([-\d.]+)", line[0].get("d"))]
    check(600 <= len(points) <= 4 * 601, len(points))
    top = min(points, key=lambda p: p[1])
    check(abs(top[0] - 300 * peak / n) < 0.01 and abs(top[1]) < 0.01, top)
    for column in range(600):
        inside = [y for x, y in points if int(2 * x) == column]
        check(max(inside) == 200 and min(inside) <= 160 + 0.1, column, inside)  # from 0 to 999 of 5000
    equal(png_size(draw(what, "png", preexec_fn=limit(resource.RLIMIT_CPU, 30))[0])[0], 2 * float(root.get("width")))


@test
def too_much_for_a_picture_is_told():
    said = draw(many(310000, lambda i: i % 97, "point"), code=1)[1]
    check(re.search(r"would have 310,\d{3} marks.* in SQL", said) and said.count("\n") == 1, said)
    circle = {"order": {"field": "t", "type": "quantitative"}}
    rows = [{"t": i, "x": i * 7919 % 1009, "y": i % 97} for i in range(40000)]
    for form, code in (("svg", 0), ("png", 1)):
        said = draw(spec(rows, "line", "x:Q", encoding=circle), form, code)[1]
        check(code == 0 or "a line of 40,000 points that goes to and fro" in said, said)


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
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 290000) SELECT x, x % 97 AS y FROM n"
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


main()
