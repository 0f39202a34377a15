#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page.py FILE.html|URL...: how soon a report, or the page of `spanloom serve`, is there in Chromium, and what a frame costs.

Seconds since the navigation until all is drawn, and until the timeline has answered a zoom, which other work on the machine makes longer;
the processor's of the page's main thread until then; and milliseconds that the timeline takes to draw a frame while zooming, without the rest.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "lib"))
import browser as chromium  # noqa: E402

DRAWN = """new MutationObserver((_, o) => { if (document.documentElement?.dataset.ready === 'yes') { o.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => (window.drawn = performance.now()))); } }).observe(document, {subtree: true, attributes: true, childList: true})"""
ZOOM = """new Promise(done => { const T = document.querySelector('.timeline').timeline; T.box.scrollIntoView();
    T.zoom(0.5); requestAnimationFrame(() => requestAnimationFrame(() => done([T.spans.n, drawn, performance.now()]))); })"""
FRAMES = """(async () => { const T = document.querySelector('.timeline').timeline; T.go(T.whole); T.cost.length = 0;
    for (let i = 0; i < 200; i++) { T.zoom(i % 100 < 50 ? 0.9 : 1 / 0.9, T.whole[1] * (0.2 + 0.03 * (i % 20))); await new Promise(done => requestAnimationFrame(done)); }
    const c = T.cost.sort((a, b) => a - b); return [0.5, 0.95].map(p => c[Math.floor(p * (c.length - 1))]); })()"""

for what in sys.argv[1:]:
    with chromium.Browser() as b:
        page = b.open("about:blank")
        page.watch()

        def call(method, **more):
            return b.call(method, page.session, **more)
        call("Performance.enable", timeDomain="threadTicks")
        call("Emulation.setDeviceMetricsOverride", width=1280, height=900, deviceScaleFactor=1, mobile=False)
        call("Page.addScriptToEvaluateOnNewDocument", source=DRAWN)
        call("Page.navigate", url=what if "://" in what else f"file://{os.path.abspath(what)}")
        page.wait("!!window.drawn")
        spans, drawn, zoomed = page.run(ZOOM)
        spent = {m["name"]: m["value"] for m in call("Performance.getMetrics")["metrics"]}["TaskDuration"]
        half, most = page.run(FRAMES)
        bytes_ = f", {os.path.getsize(what) / 1e6:.2f} MB" if "://" not in what else ""
        print(f"{what}{bytes_}: {spans:,} spans in the timeline; drawn after {drawn / 1000:.2f} s, zoomed {zoomed / 1000:.2f} s; {spent:.2f} s CPU; a frame {half:.1f} ms (95 %: {most:.1f} ms); console: {len(page.said())}, requests: {len(page.asked())}")
