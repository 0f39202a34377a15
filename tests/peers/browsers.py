#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report and its live page by mouse and keys, the same in Chromium and in Firefox: what is dragged over, pressed and
clicked changes what is shown, and the figures are then those of `spanloom sql`."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, cases, check, environment, equal, imported, main, path, skip, spanloom  # noqa: E402
import browser as chromium  # noqa: E402
import firefox  # noqa: E402
import peers  # noqa: E402

if not os.path.exists(f"{ROOT}/page/dist/run.html"):
    peers.skip("there is no npm, or its registry does not answer")
NAMES = {"chromium": chromium.PROGRAM, "firefox": firefox.PROGRAM}
PLACE = "(c => { c.scrollIntoView({block: 'center'}); const r = c.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })(document.querySelector(%s))"
RUN = ["--run", "parsl-htex"]
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"


def opened(name, url):
    if not NAMES[name]:
        skip(f"there is no {name}")
    page = peers.browser_called(name).open("about:blank")
    if name == "chromium":
        page.watch()
        page.browser.call("Emulation.setDeviceMetricsOverride", page.session, width=1280, height=900, deviceScaleFactor=1, mobile=False)
        page.browser.call("Page.navigate", page.session, url=url)
    else:
        page.browser.call("browsingContext.navigate", context=page.context, url=url, wait="complete")
    page.wait("document.documentElement?.dataset.ready === 'yes'", 60)
    return page


def sql(query):
    return json.loads(spanloom("sql", "-d", path("spanloom.db"), *RUN, "--format", "json", query).out)


def steady(page, selector):
    """Where the element is, once it stays there and the mouse would reach it: what is above it may still be laid out."""
    before = None
    for _ in range(100):
        at = x, y, width, height = page.run(PLACE % json.dumps(selector))
        page.run(FRAMES)
        if at == before and page.run(f"document.elementFromPoint({x + width / 2}, {y + height / 2})?.closest({json.dumps(selector)}) != null"):
            return at
        before = at
    raise AssertionError(f"{selector} is still moving, or covered")


def drag(page, selector, share_from, share_to, left=64, right=12):
    x, y, width, height = steady(page, selector)
    page.drag(x + left + share_from * (width - left - right), y + height / 2, x + left + share_to * (width - left - right), y + height / 2)


def figure(page, name, column):
    value = page.run(f"document.querySelector('[data-figure=\"{name}\"][data-column=\"{column}\"]')?.dataset.value ?? null")
    return None if value is None else float(value)


def same_in_range(page, app=None):
    """The figures of what is chosen are those of SQL, of the range that the timeline shows."""
    page.wait("document.querySelector('.timeline').timeline.seen === document.querySelector('.timeline').timeline.context.choice.now.range", 10)
    a, b = (round(s * 1e9) for s in page.run("document.querySelector('.timeline').timeline.view"))
    of = "1" if app is None else f"t.app = '{app}'"
    [want] = sql(f"""SELECT (SELECT count(*) FROM task t WHERE {of} AND first_ns - r.start_ns <= {b} AND done_ns - r.start_ns >= {a}) AS tasks,
        (SELECT sum(max(0, min(x.to_ns - r.start_ns, {b}) - max(x.from_ns - r.start_ns, {a}))) / 1e9 FROM worker_run x JOIN task t ON t.span = x.task WHERE {of} AND x.span NOTNULL) + -- and what ran outside of workers
        (SELECT ifnull(sum(max(0, min(t.start_ns + t.run_s * 1e9 - r.start_ns, {b}) - max(t.start_ns - r.start_ns, {a}))) / 1e9, 0) FROM task t WHERE {of} AND t.start_ns NOTNULL AND t.span NOT IN (SELECT task FROM worker_run WHERE task NOTNULL)) AS run_s,
        (SELECT sum(max(0, min(p.end_ns - r.start_ns, {b}) - max(p.start_ns - r.start_ns, {a}))) / 1e9 FROM path p {"" if app is None else "JOIN task t ON t.span = p.task"} WHERE {of}) AS path_s FROM run r""")
    equal(figure(page, "selection", "tasks"), want["tasks"], f"{a} {b}")
    check(abs(figure(page, "selection", "run_s") - want["run_s"]) < 2e-3, figure(page, "selection", "run_s"), want)
    check(abs((figure(page, "path", "seconds") or 0) - (want["path_s"] or 0)) < 1e-4, figure(page, "path", "seconds"), want)
    return a / 1e9, b / 1e9


def silent(page, *asked):
    equal(page.said(), [])
    equal(set(page.asked()) - set(asked), set())


@cases(*NAMES)
def a_range_by_mouse_and_keys(name):
    imported(EXAMPLE)
    spanloom("report", "-d", path("spanloom.db"), "-o", path("report.html"))
    page = opened(name, f"file://{path('report.html')}")
    chips = "[...document.querySelectorAll('.selection .chip')].map(e => e.innerText)"
    # dragged over a chart
    drag(page, "#states canvas", 0.3, 0.6)
    a, b = same_in_range(page)
    end = figure(page, "run", "makespan_s")
    check(abs(a - 0.3 * end) < 0.01 * end and abs(b - 0.6 * end) < 0.01 * end, a, b)
    # and over another, which shows that range now: a part of it
    drag(page, "#workers canvas", 0.5, 1)
    c, d = same_in_range(page)
    check(abs(c - (a + b) / 2) < 0.01 * end and abs(d - b) < 1e-6, c, d)
    # an app beside it
    page.run("[...document.querySelectorAll('#apps button.pick')].find(e => e.innerText.trim() === 'memo').click()")
    page.wait(f"{chips}.length === 3", 10)
    same_in_range(page, "memo")
    page.press("Escape")
    equal(page.run(chips), [])
    # the chart by keys
    page.run("document.querySelector('#states canvas').focus()")
    page.press("+")
    a, b = same_in_range(page)
    check(abs(a - end / 4) < 0.01 and abs(b - 3 * end / 4) < 0.01, a, b)
    page.press("ArrowRight")
    check(same_in_range(page)[0] > a)
    page.press("-", "-", "-")
    equal(page.run(chips), [])
    # the timeline by Perfetto's keys; the page follows when it rests
    page.run("(T => { window.T = T; T.box.scrollIntoView({block: 'center'}); T.canvas.focus({preventScroll: true}); })(document.querySelector('.timeline').timeline)")
    whole = page.run("T.view")
    page.press("w", "w", "d")
    near = page.run("T.view")
    check(near[1] - near[0] < 0.6 * (whole[1] - whole[0]) and near[0] > whole[0], near)
    page.wait(f"{chips}.length === 1", 10)
    same_in_range(page)
    page.press("a", "s", "s")
    equal(page.run("T.view"), whole)
    page.press("ArrowRight")
    i = page.run("T.chosen")
    check(i >= 0)
    page.press("f")
    view, span = page.run("T.view"), page.run("[T.spans.from[T.chosen], T.spans.to[T.chosen]]")
    check(view[0] <= span[0] and span[1] <= view[1] < whole[1], view, span)
    page.press("m")
    check("marked" in page.run("document.querySelector('.timeline-said').textContent"))
    # Enter goes into what is told of it; keys are still the timeline's, and Escape comes back
    page.press("Enter")
    check(page.run("document.querySelector('.timeline-details').contains(document.activeElement)"))
    page.press("s")
    check(page.run("T.view[1] - T.view[0]") > view[1] - view[0])
    page.press("Escape")
    equal(page.run("[T.chosen, document.activeElement === T.canvas]"), [-1, True])
    page.press("/")
    equal(page.run("document.activeElement.type"), "search")
    page.press("m", "e", "m", "o", "Enter")
    check(page.run("T.hits.length") > 0 and page.run("T.chosen === T.hits[0]"))
    # dragged, it moves; with the wheel, once it was clicked, it zooms
    page.run("(T.canvas.focus({preventScroll: true}), T.go([10, 20]))")
    drag(page, ".timeline canvas", 0.5, 0.25, 168, 10)
    moved = page.run("T.view")
    check(abs(moved[0] - 12.5) < 0.1 and abs(moved[1] - 22.5) < 0.1, moved)
    silent(page, f"file://{path('report.html')}")


@cases(*NAMES)
def the_flame_graph_by_keys(name):
    """To what is called, beside it and back; Enter zooms, Escape takes that back before what is chosen on the page."""
    imported(f"{ROOT}/tests/data/parsl-2026-traced")
    spanloom("report", "-d", path("spanloom.db"), "-o", path("report.html"))
    tree = json.loads(spanloom("sql", "-d", path("spanloom.db"), "--format", "json", "SELECT name, depth, total_s, calls FROM call_tree() ORDER BY total_s DESC").out)
    page = opened(name, f"file://{path('report.html')}")
    page.run("(c => { c.scrollIntoView({block: 'center'}); c.focus(); })(document.querySelector('.flame canvas'))")
    said = "document.querySelector('.flame + p').textContent"
    # as wide as it is drawn: of a line of pixels in the first row, those of the colour of its first
    drawn = "(c => { const x = new OffscreenCanvas(c.width, 1).getContext('2d', {willReadFrequently: true}); x.drawImage(c, 0, -15); const d = x.getImageData(0, 0, c.width, 1).data; let n = 0; for (let i = 0; i < d.length; i += 4) if (d[i] === d[16] && d[i + 1] === d[17] && d[i + 2] === d[18]) n++; return n / c.width; })(document.querySelector('.flame canvas'))"
    top = [row for row in tree if row["depth"] == 0]
    whole = sum(row["total_s"] for row in top)
    page.press("ArrowDown")
    first = page.run(said)
    check(first.startswith(f"{top[0]['name']}, ") and f"{top[0]['calls']} calls" in first, first, top)
    page.press("ArrowDown")
    below = page.run(said).split(",")[0]
    check(below in {row["name"] for row in tree if row["depth"] == 1}, below)
    page.press("ArrowRight")
    check(page.run(said).split(",")[0] != below, below)
    page.press("ArrowUp")
    equal(page.run(said), first)
    page.run("(document.querySelector('#apps button.pick').click(), document.querySelector('.flame canvas').focus())")
    before = page.run(drawn)
    check(abs(before - top[0]["total_s"] / whole) < 0.02, before, top[0]["total_s"] / whole)
    page.press("Enter")
    check(page.run(drawn) > 0.97, page.run(drawn))
    page.press("Escape")
    check(abs(page.run(drawn) - before) < 0.02 and page.run(said) == "", page.run(said))
    chips = "document.querySelectorAll('.selection .chip').length"
    check(page.run(chips) > 0)
    page.press("Escape")
    equal(page.run(chips), 0)
    silent(page, f"file://{path('report.html')}")


@cases(*NAMES)
def printed_from_a_dark_screen(name):
    """Paper is white: all that is drawn has the colours of light."""
    imported(f"{ROOT}/tests/data/parsl-2026-traced")
    spanloom("report", "-d", path("spanloom.db"), "-o", path("report.html"))
    colours = "[getComputedStyle(document.documentElement).getPropertyValue('--accent').trim(), getComputedStyle(document.body).backgroundColor, ...[...document.querySelectorAll('.timeline canvas, .flame canvas')].map(c => [...c.getContext('2d').getImageData(0, 0, 1, 1).data].join()), document.querySelector('#tasks td rect').style.fill, document.querySelector('#apps .swatch').style.background]"
    watch = f"addEventListener('beforeprint', () => window.printed = {colours})"
    url = f"file://{path('report.html')}"
    if name == "chromium":
        page = opened(name, url)
        light = page.run(colours)
        page.browser.call("Emulation.setEmulatedMedia", page.session, features=[{"name": "prefers-color-scheme", "value": "dark"}])
        page.run(FRAMES)
        dark = page.run(colours)
        page.run(watch)
        page.browser.call("Page.printToPDF", page.session, printBackground=True)
        printed = page.run("window.printed")
    else:
        page = opened(name, url)
        light = page.run(colours)
        with firefox.Browser(**{"layout.css.prefers-color-scheme.content-override": 0}) as browser:
            page = browser.open(url)
            page.wait("document.documentElement?.dataset.ready === 'yes'", 60)
            page.run(FRAMES)
            dark = page.run(colours)
            page.run(watch)
            browser.call("browsingContext.print", context=page.context, background=True)
            printed = page.run("window.printed")
            page.run(FRAMES)
            equal(page.run(colours), dark)
    check(all(a != b for a, b in zip(light, dark)), light, dark)
    equal(printed, light)


@cases(*NAMES)
def the_live_page(name):
    imported(EXAMPLE)
    process = subprocess.Popen([f"{os.environ['BUILD']}/spanloom", "serve", "-d", path("spanloom.db")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment())
    try:
        url = process.stdout.readline().strip()
        page = opened(name, url)
        equal(page.run("document.querySelector('h1').innerText"), "parsl-htex")
        drag(page, "#states canvas", 0.3, 0.6)
        same_in_range(page)
        page.run("document.querySelector('#sql textarea').focus()")
        page.run("document.querySelector('#sql textarea').value = 'SELECT count(*) AS n FROM task'")
        page.press("Tab", "Enter")
        page.wait("!!document.querySelector('#sql td')", 30)
        equal(page.run("document.querySelector('#sql td').innerText"), "198")
        equal(page.said(), [])
        base = url.split("#")[0]
        check(page.asked() and all(u.startswith(base) for u in page.asked()), page.asked())
    finally:
        process.terminate()
        process.wait()


main()
