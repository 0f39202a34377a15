#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The timeline of the report in Chromium: lanes have all spans, keys and search do what they say, what is chosen there is
chosen on the page and the other way round."""
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, cases, check, equal, imported, main, note, path, spanloom, test, write  # noqa: E402
import peers  # noqa: E402

if not os.path.exists(f"{ROOT}/page/dist/run.html"):
    peers.skip("there is no npm, or its registry does not answer")
FRAMES = "new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done(1))), %d))"


class Shown:
    def __init__(self, store, *options):
        peers.needs_chromium()
        spanloom("report", "-d", path(store), "-o", path("report.html"), *options)
        self.browser = peers.browser()
        self.page = self.browser.open("about:blank")
        self.call("Emulation.setDeviceMetricsOverride", width=1280, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Page.navigate", url=f"file://{path('report.html')}")
        self.page.wait("document.documentElement?.dataset.ready === 'yes'", 60)
        self.run("window.T = document.querySelector('.timeline').timeline; T.box.scrollIntoView({block: 'center'}); 1")
        self.rest()

    def call(self, method, **more):
        return self.browser.call(method, self.page.session, **more)

    def run(self, script):
        return self.page.run(script)

    def rest(self, ms=0):
        self.run(FRAMES % ms)

    def keys(self, *keys):
        for key in keys:
            more = {"text": key} if len(key) == 1 else {}
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **more)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.rest()

    def mouse(self, kind, x, y, **more):
        left, top = self.run("(r => [r.x, r.y])(document.querySelector('.timeline canvas').getBoundingClientRect())")
        self.call("Input.dispatchMouseEvent", type=kind, x=left + x, y=top + y, button="left", buttons=1, clickCount=1, **more)

    def place(self, i):
        """Where a span is drawn: its middle."""
        self.run(f"T.choose({i}, true); T.choose(-1)")
        self.rest()
        return self.run(
            f"(l => [(T.x(T.spans.from[{i}]) + T.x(T.spans.to[{i}])) / 2, l.y + l.height / 2 + 38 - T.scroll.scrollTop])(T.laneOf.get({i}))"
        )

    def view(self):
        return self.run("T.view")


def sql(query):
    return json.loads(spanloom("sql", "-d", path("spanloom.db"), "--format", "json", query).out)


@test
def each_span_is_on_a_lane():
    """By workers as by components all spans of the store that have events, once, from their first to their last."""
    imported(EXAMPLE)
    shown = Shown("spanloom.db")
    want = sql("SELECT span, (min(time_ns) - (SELECT min(time_ns) FROM sl_event)) / 1e9 AS a, (max(time_ns) - min(time_ns)) / 1e9 AS length FROM sl_event GROUP BY span ORDER BY span")
    for mode in "worker", "component":
        got = shown.run(f"T.by('{mode}'); T.groups.flatMap(g => g.lanes.flatMap(l => [...l.items, ...(l.holder < 0 ? [] : [l.holder])])).map(i => [T.spans.id[i], T.spans.from[i], T.spans.to[i] - T.spans.from[i]]).sort((a, b) => a[0] - b[0])")
        equal({g[0] for g in got} ^ {w["span"] for w in want}, set(), mode)
        equal(len(got), len(want), mode)
        check(all(abs(g[1] - w["a"]) < 2e-6 and abs(g[2] - w["length"]) < 2e-6 for g, w in zip(got, want)), mode)
    # on a worker's lane is what lies in the worker, and no more
    workers = sql("SELECT w.id, w.key, count(DISTINCT t.id) AS tasks FROM spans w JOIN spans t ON t.parent = w.id WHERE w.type = 'parsl.executor.htex.worker' AND EXISTS (SELECT 1 FROM sl_event WHERE span = t.id) GROUP BY 1 ORDER BY 2")
    got = shown.run("T.by('worker'); T.groups[0].lanes.map(l => [l.label, l.items.length])")
    equal(got, [[f"worker {w['key']}", w["tasks"]] for w in workers])
    # at once: the mean over the whole is the sum of all lengths by the whole
    mean, end = shown.run("[T.groups[1].together.mean(0, T.spans.end_s), T.spans.end_s]")
    lengths = shown.run("T.groups[1].lanes.flatMap(l => [...l.items]).reduce((s, i) => s + T.spans.to[i] - T.spans.from[i], 0)")
    check(abs(mean - lengths / end) < 1e-6 * mean, mean, lengths / end)


@cases("taskvine", "parsl-2026-threads")
def a_task_is_on_its_worker_while_it_runs(name):
    """Not from when it was submitted: what waits is no work, and a worker begins with what it is there for, also one that has no events."""
    imported(f"{ROOT}/tests/data/{name}")
    run = json.loads(spanloom("runs", "-d", path("spanloom.db"), "--format", "json").out)[-1]["run"]
    shown = Shown("spanloom.db", "--run", run)
    want = json.loads(spanloom("sql", "-d", path("spanloom.db"), "--run", run, "--format", "json", "SELECT w.span, s.key, count(DISTINCT w.worker) AS workers, (min(w.from_ns) - r.start_ns) / 1e9 AS a, (max(w.to_ns) - r.start_ns) / 1e9 AS b FROM worker_run w JOIN run r JOIN spans s ON s.id = w.worker WHERE w.task NOTNULL GROUP BY 1").out)
    got = dict(shown.run("T.by('worker'); T.groups.flatMap(g => g.lanes.flatMap(l => l.tracks.flatMap(t => [...t.items].map((i, k) => [T.spans.id[i], [t.from[k], t.to[k], l.label]]))))"))
    check(len(want) > 10 and all(abs(got[w["span"]][0] - w["a"]) < 1e-5 and abs(got[w["span"]][1] - w["b"]) < 1e-5 for w in want), [(w, got.get(w["span"])) for w in want][:5])
    equal({got[w["span"]][2].split()[0] for w in want}, {"thread" if "threads" in name else "worker"})
    once = [w for w in want if w["workers"] == 1]
    equal([got[w["span"]][2].split()[1] for w in once], [w["key"] for w in once])


@cases("slurm", "parsl-2026-workqueue", "workqueue-blocks", "parsl-2024-shell", "parsl-2026-traced")
def a_span_is_of_the_workflows_task(name):
    """Under its number and app, though what is between them has no events, and schedulers below have tasks and numbers of their own."""
    imported(f"{ROOT}/tests/data/{name}")
    run = json.loads(spanloom("runs", "-d", path("spanloom.db"), "--format", "json").out)[-1]["run"]
    shown = Shown("spanloom.db", "--run", run)
    want = json.loads(spanloom("sql", "-d", path("spanloom.db"), "--run", run, "--format", "json", "SELECT w.span, t.task, t.app FROM worker_run w JOIN task t ON t.span = w.task").out)
    got = dict(shown.run("Array.from({length: T.spans.n}, (_, i) => [T.spans.id[i], [T.spans.task[i] < 0 ? null : T.spans.key[T.spans.task[i]], T.spans.apps[T.spans.app[i]] ?? null, T.spans.label(i)]])"))
    check(len(want) >= 4, want)
    equal({w["span"]: got[w["span"]] for w in want}, {w["span"]: [str(w["task"]), w["app"], f"task {w['task']} ({w['app']})"] for w in want})
    # what is clicked chooses that task on all of the page
    w = want[-1]
    shown.run(f"T.choose(T.spans.find({w['span']}))")
    equal(shown.run("T.context.choice.now.task.task"), str(w["task"]))


@test
def keys_and_mouse():
    imported(EXAMPLE)
    shown = Shown("spanloom.db")
    shown.run("document.querySelector('.timeline canvas').focus({preventScroll: true}); 1")
    whole = shown.view()
    shown.keys("w")
    near = shown.view()
    check(abs((near[1] - near[0]) - 0.7 * (whole[1] - whole[0])) < 1e-6, near)
    shown.keys("d")
    check(shown.view()[0] > near[0], shown.view())
    shown.keys("a", "s", "s")
    equal(shown.view(), whole)
    # the range goes to the page when it rests, and comes from there
    shown.keys("w", "w")
    shown.rest(400)
    check(" to " in shown.run("document.querySelector('.selection').innerText"))
    shown.run("document.querySelector('.selection .chip').click()")
    shown.rest(50)
    equal(shown.view(), whole)
    # a click chooses a span, and its task on the whole page
    i = shown.run("T.groups[0].lanes[0].items[5]")
    x, y = shown.place(i)
    shown.mouse("mousePressed", x, y)
    shown.mouse("mouseReleased", x, y)
    shown.rest(50)
    equal(shown.run("T.chosen"), i)
    task = shown.run("T.spans.key[T.spans.task[T.chosen]]")
    check(f"task {task}" in shown.run("document.querySelector('.selection').innerText"))
    told = shown.run("document.querySelector('.timeline-details').innerText")
    span = shown.run(f"T.spans.id[{i}]")
    for event in sql(f"SELECT type, place FROM events WHERE span = {span}"):
        check(event["type"] in told and f"worker_0.log:{event['place']}" in told, told)
    # from span to span, and what is around it
    shown.keys("ArrowRight")
    equal(shown.run("T.chosen"), shown.run("T.groups[0].lanes[0].items[6]"))
    shown.keys("f")
    a, b = shown.run("[T.spans.from[T.chosen], T.spans.to[T.chosen]]")
    view = shown.view()
    check(view[0] <= a and view[1] >= b and view[1] - view[0] < 1.3 * (b - a), view)
    shown.keys("m")
    check("marked" in shown.run("document.querySelector('.timeline-said').textContent"))
    shown.keys("Escape", "Escape", "Escape", "Escape")
    equal(shown.run("T.chosen"), -1)
    equal(shown.view(), whole)
    # measured
    shown.mouse("mousePressed", 400, 60, modifiers=8)
    shown.mouse("mouseMoved", 600, 60, modifiers=8)
    shown.mouse("mouseReleased", 600, 60, modifiers=8)
    equal(shown.view(), whole)
    a, b = shown.run("T.measured")
    check(abs((b - a) / (shown.run("T.time(600) - T.time(400)")) - 1) < 1e-3, a, b)
    shown.keys("?")
    check(not shown.run("document.querySelector('.timeline-help').hidden"))


@test
def what_is_searched_is_lit():
    imported(EXAMPLE)
    shown = Shown("spanloom.db")
    shown.run("document.querySelector('.timeline canvas').focus({preventScroll: true}); 1")
    shown.keys("/")
    equal(shown.run("document.activeElement.type"), "search")
    shown.call("Input.insertText", text="slow_with_walltime")
    shown.rest()
    hits = shown.run("T.hits.length")
    lit = shown.run("T.lit.reduce((a, b) => a + b, 0)")
    equal(hits, lit)
    keys = {row["key"] for row in sql("SELECT s.key FROM spans s JOIN attributes a ON a.span = s.id WHERE a.name IN ('app', 'task_func_name') AND a.value = 'slow_with_walltime'")}
    equal(set(shown.run("T.hits.map(i => T.spans.task[i]).filter(t => t >= 0).map(t => T.spans.key[t])")), keys)
    check(hits > len(keys), hits)
    shown.keys("Enter")
    equal(shown.run("T.chosen"), shown.run("T.hits[0]"))
    shown.keys("Enter")
    equal(shown.run("T.chosen"), shown.run("T.hits[1]"))
    # and an attribute
    shown.run("T.find('always fails'); 1")
    shown.run("T.find('AppTimeout'); 1")
    check(shown.run("T.hits.length") > 0)
    shown.run("T.find('there is no such thing'); 1")
    equal(shown.run("[T.hits.length, T.lit.reduce((a, b) => a + b, 0)]"), [0, 0])


@test
def a_lane_as_a_table():
    imported(EXAMPLE)
    shown = Shown("spanloom.db")
    shown.run("T.lineAt = 1; T.box.querySelector('details.behind').open = true; 1")
    shown.rest(50)
    n = shown.run("T.groups[0].lanes[0].items.length")
    check(f"{n} spans" in shown.run("T.laneTable.innerText"), shown.run("T.laneTable.innerText")[:200])


@test
def two_hundred_thousand_spans():
    """All of them are there; how long frames take while zooming is told, and judged by nobody."""
    draw = random.Random(1)
    calls, t = [], [0.0] * 8
    while len(calls) < 200_000:
        lane = len(calls) % 8
        begin, long = t[lane], draw.uniform(200, 900)
        step = [(begin, begin + long)]
        for _ in range(24):  # halves of halves
            a, b = step[draw.randrange(max(0, len(step) - 6), len(step))]
            c = a + (b - a) * draw.uniform(0.05, 0.4)
            step.append((c, c + (b - c) * draw.uniform(0.2, 0.9)))
        calls += [{"ph": "X", "pid": 1 + lane // 4, "tid": lane, "ts": round(a, 3), "dur": round(b - a, 3), "name": f"f{k % 13}"} for k, (a, b) in enumerate(step)]
        t[lane] += long + 3
    calls = calls[:200_000]
    write(path("calls.json"), json.dumps(calls))
    spanloom("import", "--quiet", "-d", path("spanloom.db"), path("calls.json"))
    shown = Shown("spanloom.db")
    equal(shown.run("T.spans.n"), 200_000)
    check(os.path.getsize(path("report.html")) < 5_000_000, os.path.getsize(path("report.html")))
    cost, gaps = shown.run("""(async () => {
        const next = () => new Promise(done => requestAnimationFrame(done)), gaps = [];
        T.cost.length = 0;
        let last = performance.now();
        for (let i = 0; i < 120; i++) {
            T.zoom(i < 60 ? 0.9 : 1 / 0.9, T.whole[1] * 0.37);
            await next();
            gaps.push(performance.now() - last);
            last = performance.now();
        }
        const q = (v, p) => v.sort((a, b) => a - b)[Math.floor(p * (v.length - 1))];
        return [[q(T.cost, 0.5), q(T.cost, 0.95)], [q(gaps, 0.5), q(gaps, 0.95)]];
    })()""")
    shown.call("Performance.enable", timeDomain="threadTicks")  # of the processor, which other work does not take

    def spent():
        told = {m["name"]: m["value"] for m in shown.call("Performance.getMetrics")["metrics"]}
        return told["TaskDuration"], told["ScriptDuration"]
    before = spent()
    shown.run("""(async () => { for (let i = 0; i < 120; i++) {
        T.zoom(i < 60 ? 0.9 : 1 / 0.9, T.whole[1] * 0.37);
        await new Promise(done => requestAnimationFrame(done));
    } })()""")
    task, script = (1000 * (b - a) / 120 for a, b in zip(before, spent()))
    note(f"all that the page does for a frame takes {task:.1f} ms of the processor, {script:.1f} ms of it scripts")
    note(f"zooming over 200,000 spans: a frame is drawn in {cost[0]:.1f} ms (95 %: {cost[1]:.1f} ms), and comes after {gaps[0]:.1f} ms (95 %: {gaps[1]:.1f} ms)")


main()
