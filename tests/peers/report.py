#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `spanloom report` in Chromium: it shows what `spanloom sql` says, answers to what is chosen, asks nothing of
anybody, runs nothing that came out of a log, and can be used without a mouse."""
import json
import math
import os
import re
import sqlite3
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, cases, check, equal, imported, main, note, path, small_run, spanloom, test, until, write  # noqa: E402
import peers  # noqa: E402

PAGE = f"{ROOT}/page/dist/run.html"
if not os.path.exists(PAGE):
    peers.skip("there is no npm, or its registry does not answer")
AXE = f"{ROOT}/page/node_modules/axe-core/axe.min.js"
RUNS = {
    "parsl-htex": EXAMPLE,
    **{
        name: f"{ROOT}/tests/data/{name}"
        for name in sorted(os.listdir(f"{ROOT}/tests/data"))
        if os.path.isdir(f"{ROOT}/tests/data/{name}") and name != "traces"
    },
}


class Shown:
    """A report in Chromium, and all that it asked and said."""

    def __init__(self, file, dark=False, width=1280):
        peers.needs_chromium()
        self.browser = peers.browser()
        self.page = self.browser.open("about:blank")
        self.browser.messages.clear()
        for method in "Runtime.enable", "Log.enable", "Network.enable", "Page.enable":
            self.call(method)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.media(dark)
        self.call("Page.navigate", url=f"file://{file}")
        self.page.wait("document.documentElement?.dataset.ready === 'yes'", 60)

    def call(self, method, **more):
        return self.browser.call(method, self.page.session, **more)

    def media(self, dark=False, media=""):
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features, media=media)

    def run(self, script):
        return self.page.run(script)

    def values(self, figure, column, within=""):
        """What data-value says of a column that is shown."""
        return self.run(
            f"[...document.querySelectorAll('{within} [data-figure=\"{figure}\"] td[data-column=\"{column}\"]')].map(e => e.dataset.value ?? null)"
        )

    def sum(self, column):
        value = self.run(
            f"document.querySelector('[data-figure=\"selection\"][data-column=\"{column}\"]')?.dataset.value ?? null"
        )
        return None if value is None else float(value)

    def click(self, selector, text=None):
        self.run(
            f"[...document.querySelectorAll({json.dumps(selector)})].find(e => {json.dumps(text)} === null || e.innerText.trim() === {json.dumps(text)}).click()"
        )
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def key(self, key):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def drag(self, selector, share_from, share_to):
        """Over a chart, by shares of its axis."""
        x, y, width = self.run(
            f"(c => {{ c.scrollIntoView({{block: 'center'}}); const r = c.getBoundingClientRect(); return [r.x + 64, r.y + r.height / 2, r.width - 76]; }})(document.querySelector('{selector}'))"
        )
        for kind, at in ("mousePressed", share_from), ("mouseMoved", share_to), ("mouseReleased", share_to):
            self.call("Input.dispatchMouseEvent", type=kind, x=x + at * width, y=y, button="left", buttons=1, clickCount=1)
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def tip(self, selector, share):
        """What is said of a place of a chart."""
        x, y, width = self.run(f"(c => {{ c.scrollIntoView({{block: 'center'}}); const r = c.getBoundingClientRect(); return [r.x + 64, r.y + r.height / 2, r.width - 76]; }})(document.querySelector('{selector}'))")
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + share * width, y=y)
        return self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelector('.tip').innerText))))")

    def silent(self):
        mine = [m for m in self.browser.messages if m.get("sessionId") == self.page.session]
        words = "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening"
        equal([m for m in mine if m.get("method") in words], [])
        asked = [m["params"]["request"]["url"] for m in mine if m.get("method") == "Network.requestWillBeSent"]
        check(len(asked) == 1 and asked[0].startswith("file://"), asked)

    def faults(self):
        """What axe finds, but for what is of the least weight."""
        with open(AXE, encoding="utf-8") as file:
            self.run(file.read() + "; 1")
        found = self.run(
            "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary)]))"
        )
        return [v for v in found if v[0] != "minor"]


def report(store="spanloom.db", *options, file="report.html"):
    spanloom("report", "-d", path(store), "-o", path(file), *options)
    return path(file)


def figures(store="spanloom.db", *options):
    """{section: {figure: it}} of the first run."""
    run = json.loads(spanloom("report", "-d", path(store), "--json", *options).out)["runs"][0]
    return run, {s["name"]: {f["name"]: f for f in s["figures"]} for s in run["sections"]}


def rows(figure):
    return [dict(zip(figure["columns"], row)) for row in zip(*(figure["data"][c] for c in figure["columns"]))]


def near(got, want):
    return got == want or (isinstance(got, float) and isinstance(want, (int, float)) and abs(got - want) <= 1e-9 * abs(want))


def one_unit_a_column(page):
    """Beside seconds no milliseconds; what is less than half a thousandth of the unit may have its own."""
    columns = page.run("""Object.entries([...document.querySelectorAll('td[data-column]')].filter(e => /(_s|^seconds)$/.test(e.dataset.column) && e.textContent.trim())
        .reduce((all, e) => { (all[[...document.querySelectorAll('table')].indexOf(e.closest('table')) + ' ' + e.dataset.column] ??= []).push(e.textContent.trim()); return all; }, {}))""")
    for column, texts in columns:
        units = {unit for text in texts for unit in re.findall(r"\b(d|h|min|s|ms)\b", text) if re.search(r"[1-9]", text)}
        check("ms" not in units or units == {"ms"}, column, texts)


@cases(*RUNS)
def each_run(name):
    """In light and dark it says nothing and asks for nothing, axe finds no fault, and its tables have what SQL has."""
    imported(RUNS[name])
    found = json.loads(spanloom("runs", "-d", path("spanloom.db"), "--format", "json").out)
    option = ["--run", found[-1]["run"]] if found else []
    shown = Shown(report("spanloom.db", *option))
    run, sections = figures("spanloom.db", *option)
    equal(run["run"], found[-1]["run"] if found else None)
    compared = 0
    for section in sections.values():
        for figure in section.values():
            check("problem" not in figure, figure)
            if "sql" not in figure or not figure["rows"]:
                continue
            again = json.loads(spanloom("sql", "-d", path("spanloom.db"), *option, "--format", "json", figure["sql"]).out)
            equal(rows(figure), [{c: row[c] for c in figure["columns"]} for row in again], figure["name"])
            compared += 1
    check(compared > 0, "no figure at all")
    for section, figure, column in ("makespan", "parts", "seconds"), ("apps", "apps", "tasks"), ("tasks", "slowest", "run_s"), ("profile", "functions", "exclusive_s"):
        if sections.get(section, {}).get(figure, {}).get("rows"):
            got, want = shown.values(figure, column), sections[section][figure]["data"][column]
            check(got and all(near(float(g), w) for g, w in zip(got, want)), figure, got[:5], want[:5])
    one_unit_a_column(shown)
    a_task_in_all_sections(shown, sections, option)
    equal(shown.faults(), [])
    # No picture is cut off by what it stands in.
    equal(shown.run("[...document.querySelectorAll('td svg, th svg')].filter(s => s.parentElement.clientWidth < s.clientWidth).length"), 0)
    shown.silent()
    dark = Shown(report("spanloom.db", *option), dark=True, width=400)
    equal(dark.faults(), [])
    check(dark.run("document.documentElement.scrollWidth") <= 400, "wider than the window")
    dark.media(media="print")
    dark.silent()


@test
def what_failed_alone_is_red():
    imported(EXAMPLE)
    parts = Shown(report()).run("[...document.querySelectorAll('.facts dd:not(.more), .facts dd.more > span')].map(e => [e.innerText, ...getComputedStyle(e).color.match(/\\d+/g).map(Number)])")
    equal({text for text, r, g, b in parts if r > 2 * max(g, b)}, {"13 failed", "4 dependency failed"}, parts)


def asked(sql, *option):
    return json.loads(spanloom("sql", "-d", path("spanloom.db"), *option, "--format", "json", sql).out)


def tasks_and_states(option):
    """What is told of each task, and after how many seconds it came into each state; from its events, one by one."""
    names = {(k["span_type"], k["event_type"]): k for k in asked("SELECT span_type, event_type, state, kind FROM sl_state", *option)}
    tasks = {t["span"]: {**t, "states": {}} for t in asked("SELECT span, task, app, executor, ended, first_ns, done_ns, (first_ns - r.start_ns) / 1e9 AS first_s, (done_ns - r.start_ns) / 1e9 AS done_s FROM task t JOIN run r", *option)}
    for e in asked("""SELECT t.span AS task, s.type, e.type AS event, CAST(e.time_ns - t.first_ns AS REAL) / 1e9 AS after_s FROM task t CROSS JOIN descendants(t.span) d JOIN spans s ON s.id = d.span CROSS JOIN events e ON e.span = d.span
        WHERE s.type NOT LIKE 'trace.%'""", *option):
        known, task = names.get((e["type"], e["event"])), tasks[e["task"]]
        state = f"after {e['event']}" if known is None else task["ended"] if known["kind"] == "done" and task["ended"] else known["state"]
        task["states"][state] = min(e["after_s"], task["states"].get(state, float("inf")))
    return list(tasks.values())


def same_states(shown, tasks, column="median_s"):
    """From state to state: of these tasks, the median of the seconds after which they came into each state, and the share that did."""
    shown.run("[...document.querySelectorAll('#sequence .more button')].forEach(b => b.click())")
    states = shown.run("[...document.querySelectorAll('#sequence tbody th')].map(e => e.innerText)")
    got = {s: float(v) for s, v in zip(states, shown.values("reached", column, "#sequence")) if v not in (None, "undefined")}
    shares = dict(zip(states, shown.values("reached", "share", "#sequence")))
    want = {s: [t["states"][s] for t in tasks if s in t["states"]] for t in tasks for s in t["states"]}
    equal(set(got), set(want))
    for state, times in want.items():
        check(abs(got[state] - statistics.median(times)) <= 1e-3 * statistics.median(times) + 1e-9, state, got[state], statistics.median(times))
        check(column == "own_s" or abs(float(shares[state]) - len(times) / len(tasks)) < 1e-9, state, shares[state], len(times), len(tasks))


def a_task_in_all_sections(shown, sections, option):
    """The task that is chosen: when its events came, and what it has of the critical path."""
    slowest = sections.get("tasks", {}).get("slowest")
    if not slowest or not slowest["rows"]:
        return
    task = slowest["data"]["task"][0]
    shown.click("#tasks button.pick", str(task))
    if sections["sequence"]["each"]["rows"] <= 20_000:
        same_states(shown, [t for t in tasks_and_states(option) if t["span"] == slowest["data"]["span"][0]], "own_s")
    path_s = slowest["data"]["path_s"][0]
    if any(sections["makespan"]["path"]["data"]["task"]):
        got = float(shown.run("document.querySelector('#makespan [data-figure=path]')?.dataset.value ?? 0"))
        check(abs(got - path_s) < 1e-4, "critical path of the task", got, path_s)
    shown.key("Escape")


@test
def what_is_chosen_is_what_all_sections_show():
    """An app, then a time with it: each section has what SQL has of these, or says that it shows the whole run."""
    imported(EXAMPLE)
    option = ["--run", figures()[0]["run"]]
    shown = Shown(report())
    scopes = "Object.fromEntries([...document.querySelectorAll('.part')].map(p => [p.dataset.section, p.querySelector('.scope')?.hidden === false ? p.querySelector('.scope').innerText : '']))"
    equal(set(shown.run(scopes).values()), {""})
    shown.click("#apps button.pick", "memo")

    def same_path(range_ns=None):
        a, b = range_ns or (0, 1 << 62)
        want = asked(f"""SELECT component || ': ' || p.state AS part, sum(min(p.end_ns, r.start_ns + {b}) - max(p.start_ns, r.start_ns + {a})) / 1e9 AS s, count(DISTINCT p.task) AS tasks FROM run r JOIN path p JOIN task t ON t.span = p.task
            WHERE t.app = 'memo' AND p.end_ns > r.start_ns + {a} AND p.start_ns < r.start_ns + {b} AND p.seconds > 0 GROUP BY 1 ORDER BY 2 DESC""", *option)
        got = [list(x) for x in zip(*(shown.values("parts", c, "#makespan") for c in ("component", "state", "seconds", "tasks")))]
        equal([(f"{g[0]}: {g[1]}", int(g[3])) for g in got], [(w["part"], w["tasks"]) for w in want][: len(got)])
        check(want and all(abs(float(g[2]) - w["s"]) < 1e-5 for g, w in zip(got, want)), got, want)

    same_path()
    shown.drag("#states canvas", 0.2, 0.5)
    same_path([round(s * 1e9) for s in shown.run("document.querySelector('.timeline').timeline.view")])
    shown.key("Escape")
    shown.click("#apps button.pick", "sleeper")
    same_states(shown, [t for t in tasks_and_states(option) if t["app"] == "sleeper"])
    # states over time: what is pointed at, and as long as these tasks ran in all
    states = rows(figures()[1]["states"]["apps"])
    ran = sum(s["tasks"] * s["width_s"] for s in states if s["name"] == "sleeper" and s["kind"] == "run")
    [want] = asked("SELECT sum(run_s) AS s FROM task WHERE app = 'sleeper'", *option)
    check(abs(ran - want["s"]) < 0.01 * want["s"], ran, want)
    moment = max((s for s in states if s["name"] == "sleeper" and s["kind"] == "run"), key=lambda s: s["tasks"])
    text = shown.tip("#states canvas", (moment["time_s"] + moment["width_s"] / 2) / shown.run("document.querySelector('[data-figure=run][data-column=makespan_s]').dataset.value * 1"))
    here = {s["state"]: s["tasks"] for s in states if s["name"] == "sleeper" and s["time_s"] == moment["time_s"]}
    equal(sorted(line.partition(" ")[2] for line in text.splitlines()[1:]), sorted(here))
    # workers: what they ran of it
    want = asked("SELECT count(*) AS n, sum(x.to_ns - x.from_ns) / 1e9 AS s FROM worker_run x JOIN worker w ON w.span = x.worker JOIN task t ON t.span = x.task WHERE t.app = 'sleeper' AND x.span NOTNULL GROUP BY w.span ORDER BY w.executor, w.block, w.host, w.manager, CAST(w.worker AS INTEGER)", *option)
    equal(list(map(int, shown.values("workers", "runs", "#workers"))), [w["n"] for w in want])
    check(all(abs(float(g) - w["s"]) < 1e-4 for g, w in zip(shown.values("workers", "busy_s", "#workers"), want)), want)
    told = shown.run(scopes)
    equal({s for s, text in told.items() if text}, {"findings", "plan"})
    equal(told["findings"], "Whole run, whatever app is chosen.")
    # and a time
    shown.drag("#states canvas", 0.5, 0.75)
    a, b = (round(s * 1e9) for s in shown.run("document.querySelector('.timeline').timeline.view"))
    [want] = asked(f"""SELECT sum(max(0, min(x.to_ns, r.start_ns + {b}) - max(x.from_ns, r.start_ns + {a}))) / 1e9 AS s, (SELECT count(*) FROM task WHERE app = 'sleeper' AND first_ns <= r.start_ns + {b} AND done_ns >= r.start_ns + {a}) AS n
        FROM run r JOIN worker_run x JOIN task t ON t.span = x.task WHERE t.app = 'sleeper' AND x.span NOTNULL""", *option)
    equal(shown.sum("tasks"), want["n"])
    check(abs(shown.sum("run_s") - want["s"]) < 1e-3, shown.sum("run_s"), want)
    told = shown.run(scopes)
    equal({s for s, text in told.items() if text}, {"findings", "plan"})
    equal(told["findings"], "Whole run, whatever time and app are chosen.")
    shown.silent()


FILTERS = {
    "time": {"range": [16, 22.4]}, "app": {"app": "always_fails"}, "executor": {"executor": "_parsl_internal"}, "task": {"task": "170"},
    "time and app": {"range": [18.5, 23], "app": "shell"}, "app and executor": {"app": "add", "executor": "htex_Local"}, "all": {"range": [18, 24], "app": "always_fails", "executor": "htex_Local", "task": "158"},
}


@cases(*FILTERS)
def every_section_follows_every_filter(name):
    """Whatever is chosen: each section that shows tasks shows those, as SQL has them, or says that it shows the whole run."""
    imported(EXAMPLE)
    option, now = ["--run", figures()[0]["run"]], FILTERS[name]
    low, high = now.get("range", (-1e9, 1e9))
    shown = Shown(report())
    chosen = {**now, **({"task": {"run": 0, "task": now["task"]}} if "task" in now else {})}
    shown.run(f"document.querySelector('.timeline').timeline.context.choice.set({json.dumps(chosen)}); new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
    app, executor, task = (now.get(k) for k in ("app", "executor", "task"))

    def of(row, prefix=""):
        return (app is None or row[f"{prefix}app"] == app) and (executor is None or row[f"{prefix}executor"] == executor)
    every = tasks_and_states(option)
    mine = [t for t in every if of(t) and t["first_s"] <= high and t["done_s"] >= low]
    one = [t for t in mine if task in (None, t["task"])]
    check(one, "a test of nothing")
    # the line at the top, apps, states and events, of all that answer but for the task
    equal(shown.sum("tasks"), len(one))
    counts = {a: len([t for t in every if t["app"] == a and (executor is None or t["executor"] == executor) and t["first_s"] <= high and t["done_s"] >= low]) for a in {t["app"] for t in every}}
    equal({a: int(n) for a, n in zip(shown.values("apps", "app"), shown.values("apps", "tasks"))}, counts)
    same_states(shown, mine)
    if task:
        same_states(shown, one, "own_s")
    # tables of tasks
    slowest = [t["task"] for t in rows(figures()[1]["tasks"]["slowest"]) if t["task"] in {m["task"] for m in mine}]
    equal(shown.run("(b => b && b.click())([...document.querySelectorAll('#tasks .more button')].at(-1)); 1"), 1)
    got = shown.values("slowest", "task", "#tasks")
    check(bool(got) == bool(slowest) and set(got) <= set(slowest), got, slowest)
    # tries that failed, by exception, app and host
    tries = asked("""SELECT t.task, t.app, t.executor, t.ended, t.vain_s, a.host, substr(a.exception, 1, instr(a.exception || '(', '(') - 1) AS kind, (a.to_ns - r.start_ns) / 1e9 AS failed_s
        FROM attempt a JOIN task t ON t.span = a.task JOIN run r WHERE a.failed AND a.exception IS NOT 'dep_fail' AND t.ended IS NOT 'dependency failed'""", *option)
    tries = [t for t in tries if of(t) and low <= t["failed_s"] <= high and task in (None, t["task"])]
    want = {}
    for t in tries:
        key = (t["app"], t["kind"])
        want.setdefault(key, []).append(t)
    got = {(a, e.split("(")[0]): (int(n), int(k), None if s in (None, "null") else float(s)) for a, e, n, k, s in zip(*(shown.values("failures", c, "#failures") for c in ("app", "exception", "tries", "tasks")), shown.values("failures", "seconds", "#failures") or [None] * 99)}
    equal(set(got), set(want))
    for key, each in want.items():
        equal(got[key][:2], (len(each), len({t["task"] for t in each})), key)
        lost = {t["task"]: t["vain_s"] for t in each}
        check(got[key][2] is None if "range" in now else abs(got[key][2] - sum(lost.values())) < 1e-5, key, got[key], lost)
    never = asked("""SELECT t.task, t.app, t.executor, (t.done_ns - r.start_ns) / 1e9 AS done_s, b.name AS because, b.task AS because_task, b.app AS because_app, b.executor AS because_executor
        FROM never_ran n JOIN task t ON t.span = n.task JOIN task b ON b.span = n.because JOIN run r""", *option)
    want = {}
    for n in never:
        if low <= n["done_s"] <= high and ((of(n) and task in (None, n["task"])) or (of(n, "because_") and task in (None, n["because_task"]))):
            want[n["because"]] = want.get(n["because"], 0) + 1
    equal(dict(zip(shown.values("dependents", "because of"), map(int, shown.values("dependents", "never ran")))), want)
    # workers: runs of what is chosen
    if task is None:
        runs = asked("SELECT x.worker, t.app, t.executor, (x.from_ns - r.start_ns) / 1e9 AS a, (x.to_ns - r.start_ns) / 1e9 AS b FROM worker_run x JOIN task t ON t.span = x.task JOIN run r WHERE x.span NOTNULL", *option)
        equal(sum(map(int, shown.values("workers", "runs", "#workers"))), len([r for r in runs if of(r) and r["b"] >= low and r["a"] <= high]))
    # who does not follow says so; no section of tasks is among them
    told = shown.run("Object.fromEntries([...document.querySelectorAll('.part')].map(p => [p.dataset.section, p.querySelector('.scope')?.hidden === false ? p.querySelector('.scope').innerText : '']))")
    equal({s for s, text in told.items() if text}, {"findings", "plan"} | ({"states"} if app and executor else set()))
    check(told["findings"].startswith("Whole run, whatever "), told)
    shown.silent()


@test
def large_runs_are_put_together():
    """What is reduced of many tasks says the same in all; here it is reduced above 20 of them and not above 20,000."""
    imported(EXAMPLE)
    whole = figures()[1]
    for section in "failures", "sequence", "tasks":
        with open(f"{ROOT}/report/{section}.yaml", encoding="utf-8") as file:
            text = file.read()
        write(path("config", "spanloom", "report", f"{section}.yaml"), re.sub(r"\b20000\b", "20", text))
    os.environ["XDG_CONFIG_HOME"] = path("config")
    try:
        few = figures()[1]
        shown = Shown(report())
    finally:
        del os.environ["XDG_CONFIG_HOME"]
    tries, never = rows(few["failures"]["tries"]), whole["failures"]["never"]
    check(len(tries) < whole["failures"]["tries"]["rows"] and {t["task"] for t in tries} == {None}, tries)
    for key in {(t["app"], t["kind"]) for t in rows(whole["failures"]["tries"])}:
        for column in "tries", "lost_s":
            got, want = (sum(t[column] for t in of if (t["app"], t["kind"]) == key) for of in (tries, rows(whole["failures"]["tries"])))
            check(abs(got - want) < 1e-4, key, column, got, want)
    equal(rows(few["failures"]["never"]), rows(never), "few tasks never ran")
    # some tasks, evenly drawn, and each of these as it is
    each = {t["task"]: t for t in rows(whole["sequence"]["each"])}
    states = {s["n"]: s["state"] for s in rows(whole["sequence"]["reached"])}
    drawn, named = rows(few["sequence"]["each"]), {s["n"]: s["state"] for s in rows(few["sequence"]["reached"])}
    equal(len(drawn), len(range(0, 198, 1 + 198 // 20)))
    for t in drawn:
        equal({named[int(n)]: x for n, x in json.loads(t["after_s"]).items()}, {states[int(n)]: x for n, x in json.loads(each[t["task"]]["after_s"]).items()}, t["task"])
    # on the page an app still narrows; a task cannot, which is said
    shown.click("#apps button.pick", "always_fails")
    equal(shown.values("failures", "tries", "#failures"), [str(sum(t["app"] == "always_fails" for t in rows(whole["failures"]["tries"])))])
    shown.key("Escape")
    shown.click("#tasks button.pick", "170")
    told = shown.run("Object.fromEntries([...document.querySelectorAll('.part')].map(p => [p.dataset.section, p.querySelector('.scope')?.hidden === false ? p.querySelector('.scope').innerText : '']))")
    equal({s for s, text in told.items() if text}, {"findings", "plan", "failures", "states"} | (set() if any(t["task"] == "170" for t in drawn) else {"sequence"}))
    shown.silent()


@test
def an_empty_store():
    imported(f"{ROOT}/tests/data/slurm")
    spanloom("forget", "-d", path("spanloom.db"), f"{ROOT}/tests/data/slurm")
    shown = Shown(report())
    check("holds nothing yet" in shown.run("document.querySelector('main').innerText"))
    equal(shown.run("[...document.querySelectorAll('.top')].map(e => e.offsetHeight)"), [0])
    equal(shown.faults(), [])
    shown.silent()


@test
def one_task():
    with open(f"{ROOT}/tests/data/workqueue-bare/my.tr.log", encoding="utf-8") as log:
        lines = [line for line in log if not re.search(r" (TASK|TRANSFER \w+) (?!1 )", line)]
    write(path("one", "my.tr.log"), "".join(lines))
    imported(path("one"))
    shown = Shown(report())
    equal(shown.run("document.querySelector('[data-figure=run][data-column=tasks]').dataset.value"), "1")
    equal(shown.values("apps", "tasks"), ["1"])
    equal(shown.faults(), [])
    shown.silent()


@test
def what_is_chosen_is_what_all_figures_show():
    imported(EXAMPLE)
    cells = rows(figures()[1]["tasks"]["cells"])
    shown = Shown(report())
    equal(shown.sum("tasks"), None)
    # An app.
    shown.click("#apps button.pick", "sleeper")
    mine = [c for c in cells if c["app"] == "sleeper"]
    equal(shown.sum("tasks"), len(mine))
    check(abs(shown.sum("run_s") - sum(c["run_s"] for c in mine)) < 1e-6, shown.sum("run_s"))
    check(set(shown.run("[...document.querySelectorAll('#tasks [data-figure=slowest] td[data-column=app]')].map(e => e.innerText)")) == {"sleeper"})
    executors = dict(zip(shown.values("executors", "executor"), shown.values("executors", "tasks")))
    equal(executors["htex_Local"], str(len(mine)))
    # And a time, by dragging.
    shown.drag("#states canvas", 0.5, 0.75)
    end = max(c["done_s"] for c in cells)
    text = shown.run("document.querySelector('.selection .chip').innerText")
    check(re.match(r"15\.7 s to 23\.\d s", text), text, end)
    low, high = 15.703, 23.555
    want = [c for c in mine if c["first_s"] <= high and c["done_s"] >= low]
    check(abs(shown.sum("tasks") - len(want)) <= 1, shown.sum("tasks"), len(want))
    # Of what is chosen, figures of apps are worked out anew.
    shown.click(".selection .chip", "app sleeper ✕")
    tasks = dict(zip(shown.values("apps", "app"), shown.values("apps", "tasks")))
    medians = dict(zip(shown.values("apps", "app"), shown.values("apps", "median_s")))
    for app in "sleeper", "add", "cpu":
        there = [c for c in cells if c["app"] == app and c["first_s"] <= high and c["done_s"] >= low]
        check(abs(int(tasks[app]) - len(there)) <= 1, app, tasks[app], len(there))
        if int(tasks[app]) == len(there):
            ran = [c["run_s"] for c in there if c["start_s"] is not None]
            check(abs(float(medians[app]) - statistics.median(ran)) < 1e-6, app, medians[app])
    shown.key("Escape")
    equal(shown.sum("tasks"), None)
    # A task: what is known of it is shown.
    shown.click("#tasks button.pick", "170")
    text = shown.run("document.querySelector('#tasks .details').innerText")
    check("slow_with_walltime" in text and "AppTimeout()" in text and "spanloom show task 170" in text, text)
    equal(shown.run("document.querySelector('#tasks tr.chosen td').innerText"), "170")
    shown.silent()


def seen(colour):
    """CIELAB of rgb(r, g, b), D65, as seen without red cones, without green ones, and by all (Machado et al. 2009)."""
    r, g, b = (x / 255 / 12.92 if x <= 0.04045 * 255 else ((x / 255 + 0.055) / 1.055) ** 2.4 for x in colour)
    for m in ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)), ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)), ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        x, y, z = (min(1, max(0, m[i][0] * r + m[i][1] * g + m[i][2] * b)) for i in range(3))
        x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in ((0.4124 * x + 0.3576 * y + 0.1805 * z) / 0.9505, 0.2126 * x + 0.7152 * y + 0.0722 * z, (0.0193 * x + 0.1192 * y + 0.9505 * z) / 1.089))
        yield 116 * y - 16, 500 * (x - y), 200 * (y - z)


@cases("light", "dark")
def what_failed_has_a_colour_that_no_app_has(look):
    imported(EXAMPLE)
    shown = Shown(report(), dark=look == "dark")
    legend = shown.run("[...document.querySelectorAll('#workers .legend li')].map(e => [e.innerText.trim(), getComputedStyle(e.querySelector('i')).backgroundColor])")
    of = {name: [int(x) for x in re.findall(r"\d+", colour)] for name, colour in legend}
    failed = of.pop("failed, below the bar")
    check(len(of) > 10, of)
    for name, colour in of.items():
        apart = [math.dist(a, b) for a, b in zip(seen(failed), seen(colour))]
        check(min(apart) > 10 and apart[2] > 25, name, apart)


@test
def without_a_mouse():
    imported(EXAMPLE)
    shown = Shown(report())
    shown.run("document.querySelector('#states canvas').focus()")
    shown.key("+")
    check("to" in shown.run("document.querySelector('.selection .chip').innerText"))
    first = shown.run("document.querySelector('.selection .chip').innerText")
    shown.key("ArrowRight")
    check(shown.run("document.querySelector('.selection .chip').innerText") != first, first)
    shown.key("Escape")
    equal(shown.run("document.querySelectorAll('.selection .chip').length"), 0)
    # by Tab alone to all that can be used, each of which is seen to have the focus, and out at the end; nothing moves by itself
    shown.run("document.activeElement.blur(); scrollTo(0, 0); window.want = [...document.querySelectorAll('a[href], button, canvas, input, select, summary, textarea, [tabindex=\"0\"]')].filter(e => e.checkVisibility() && !e.disabled); 1")
    reached = set()
    for _ in range(shown.run("want.length") + 5):  # from where the focus was to the end, and from the top
        shown.page.press("Tab")
        [at, outlined] = shown.run("(e => [want.indexOf(e), e === document.body || e.matches(':focus-visible') && getComputedStyle(e).outlineStyle !== 'none'])(document.activeElement)")
        check(outlined, shown.run("document.activeElement.outerHTML.slice(0, 200)"))
        reached.add(at)
    equal([shown.run(f"want[{i}].outerHTML.slice(0, 200)") for i in range(shown.run("want.length")) if i not in reached], [])
    equal(shown.run("document.getAnimations().length"), 0)
    # Charts can be reached, and all that is clicked is a button or a link.
    equal(shown.run("[...document.querySelectorAll('canvas')].filter(c => c.tabIndex !== 0 || !c.getAttribute('aria-label')).length"), 0)
    shown.silent()


@test
def the_sql_behind_a_figure_is_shown_and_can_be_asked():
    imported(EXAMPLE)
    shown = Shown(report())
    shown.run("document.querySelectorAll('#apps details').forEach(d => d.open = true)")
    until(lambda: shown.run("document.querySelectorAll('#apps details pre').length") == 2, "SQL")
    sql = shown.run("document.querySelector('#apps details pre').innerText")
    command = shown.run("document.querySelector('#apps details code').innerText")
    check(command.startswith("spanloom sql -d ") and command.endswith(" --run " + figures()[0]["run"]), command)
    again = json.loads(spanloom(*command.split()[1:], "--format", "json", sql).out)
    equal(shown.values("apps", "tasks", "#apps .part >"), [str(row["tasks"]) for row in again][: len(shown.values("apps", "tasks", "#apps .part >"))])
    equal(shown.faults(), [])
    shown.silent()


@test
def hostile_texts_are_shown_and_not_run():
    texts = [
        "<script>document.title='run'</script>",
        "</script><script>document.title='run'</script>",
        "<img src=x onerror=\"document.title='run'\">",
        "' onclick='document.title=1",
        "javascript:document.title='run'",
        "<!--",
        "‮evil",
        "__proto__",
        "\"><svg onload=document.title='run'>",
        "\u202e\u2066abc\u2069 \u0007\x1b[31mred",
        "long" * 25_000,
    ]
    small_run(path("runinfo"), tasks=20)
    db = sqlite3.connect(path("runinfo", "monitoring.db"))
    for i, text in enumerate(texts):
        db.execute("UPDATE task SET task_func_name = ? WHERE task_id % ? = ?", (text, len(texts), i))
    db.execute("UPDATE try SET hostname = ?, task_fail_history = ?", (texts[2], texts[1]))
    db.commit()
    db.close()
    imported(path("runinfo"))
    shown = Shown(report())
    equal(sorted(shown.values("apps", "app")), sorted(texts))
    check(shown.run("document.documentElement.scrollWidth") <= 1280, "a name makes the page wider")
    equal(shown.faults(), [])
    for text in shown.values("apps", "app"):
        if text not in (texts[6], texts[9], texts[10]):
            shown.click("#apps button.pick", text)
            equal(shown.run("document.querySelector('.selection .chip').innerText"), f"app {text} ✕")
            shown.key("Escape")
    check(shown.run("document.title").startswith("Spanloom: "))
    equal(shown.run("document.querySelectorAll('img, iframe, object, embed, link, form').length"), 0)
    equal(shown.run("[...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length"), 0)
    equal(shown.run("document.querySelectorAll('script').length"), 4)
    # all that can be unfolded and clicked, and spans of the timeline
    shown.run("document.querySelectorAll('details').forEach(d => (d.open = true)); (T => { T.find('evil'); T.next(1); T.choose(3, true); })(document.querySelector('.timeline').timeline); 1")
    shown.run("document.querySelectorAll('#tasks button.pick').forEach(b => b.click()); new Promise(done => setTimeout(() => done(1), 300))")
    check(shown.run("document.title").startswith("Spanloom: "))
    equal(shown.run("document.querySelectorAll('img, iframe, object, embed, link, form, a:not([href^=\"#\"])').length"), 0)
    shown.silent()
    # beside another run
    imported(EXAMPLE, store="other.db")
    spanloom("report", path("spanloom.db"), path("other.db"), "-o", path("both.html"))
    both = Shown(path("both.html"))
    equal(both.run("document.querySelectorAll('img, svg[onload], iframe, object, embed, link, form').length"), 0)
    check(both.run("document.title").startswith("Spanloom: ") and both.run("document.documentElement.scrollWidth") <= 1280)
    both.silent()


@test
def two_runs_beside_each_other():
    imported(EXAMPLE, store="a.db")
    imported(f"{ROOT}/tests/data/parsl-2026-dual", store="b.db")
    spanloom("report", path("a.db"), path("b.db"), "-o", path("report.html"))
    both = json.loads(spanloom("report", path("a.db"), path("b.db"), "--json").out)
    why = json.loads(spanloom("why", path("a.db"), path("b.db"), "--format", "json").out)
    changes = rows(both["compared"]["changes"])
    equal([{k: str(v) for k, v in row.items()} for row in changes], [{k: str(v) for k, v in row.items()} for row in why["changes"]])
    shown = Shown(path("report.html"))
    equal(shown.run("document.querySelectorAll('#states .part').length"), 2)
    for kind in {row["what"] for row in changes}:
        of = [row["change_s"] for row in changes if row["what"] == kind]
        equal([v if v is None else float(v) for v in shown.values(f"changes.{kind}", "change_s")], of[:8], kind)
    widths = shown.run("[...document.querySelectorAll('#makespan canvas')].map(c => c.clientWidth)")
    check(len(widths) == 2 and widths[0] == widths[1] > 400, widths)
    shown.drag("#makespan canvas", 0.2, 0.6)
    check(shown.run("document.querySelector('.selection').innerText").count("tasks") == 2)
    equal(shown.faults(), [])
    shown.silent()


@test
def the_page_allows_itself_alone():
    imported(EXAMPLE)
    with open(report(), encoding="utf-8") as file:
        page = file.read()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    check(policy.startswith("default-src 'none';") and "unsafe" not in policy and not re.search(r"https?:|\*", policy), policy)
    check(len(page) < 250_000, "a page of 198 tasks", len(page))
    note(f"a page of 198 tasks has {len(page):,} bytes, without a run {os.path.getsize(PAGE):,}")


main()
