#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`spanloom experiment report`: what its first screen says is what the commands say; in Chromium all pictures are drawn,
nothing is asked of anybody and nothing that came out of a file is run."""
import csv
import html
import json
import math
import os
import random
import re
import shlex
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, cases, check, equal, main, note, path, spanloom, test  # noqa: E402
import peers  # noqa: E402

if not os.path.exists(f"{ROOT}/page/dist/report.html"):
    peers.skip("there is no npm, or its registry does not answer")
RUNS = f"{ROOT}/examples/experiment/runs.csv"


def report(*options, store="spanloom.db", file="report.html"):
    spanloom("experiment", "report", "-d", path(store), "-o", path(file), *options)
    with open(path(file), encoding="utf-8") as f:
        return f.read()


def bring(file=RUNS, score="usec_per_task", time="unix_time", *options):
    return spanloom("experiment", "import", "-d", path("spanloom.db"), "--score", score, "--time", time, *options, file)


def experiment(*args):
    return list(csv.DictReader(spanloom("experiment", *args, "-d", path("spanloom.db"), "--format", "csv").out.splitlines()))


def words(page):
    """The text of the page, without its scripts."""
    body = re.sub(r"<script\b.*?</script>|<style\b.*?</style>", "", page, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", body)))


def specs(page):
    return [json.loads(x) for x in re.findall(r'<script id="spec-\d+" type="application/json">(.*?)</script>', page, flags=re.S)]


class Shown:
    def __init__(self, file):
        peers.needs_chromium()
        self.browser = peers.browser()
        self.page = self.browser.open("about:blank")
        self.browser.messages.clear()
        for method in "Runtime.enable", "Log.enable", "Network.enable", "Page.enable":
            self.call(method)
        self.call("Emulation.setDeviceMetricsOverride", width=1000, height=800, deviceScaleFactor=1, mobile=False)
        self.call("Page.navigate", url=f"file://{path(file)}")
        self.page.wait("document.body?.dataset.drawn")

    def call(self, method, **more):
        return self.browser.call(method, self.page.session, **more)

    def run(self, script):
        return self.page.run(script)

    def silent(self):
        mine = [m for m in self.browser.messages if m.get("sessionId") == self.page.session]
        equal([m for m in mine if m.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")], [])
        asked = [m["params"]["request"]["url"] for m in mine if m.get("method") == "Network.requestWillBeSent"]
        equal([u for u in asked if not u.startswith(("file:", "data:", "blob:"))], [])
        equal(self.run("[...document.querySelectorAll('.error, .warning')].map(x => x.innerText)"), [])


def percent(log):
    """As people read it: three digits."""
    v = 100 * math.expm1(float(log))
    return f"{v:+.{max(0, 2 - math.floor(math.log10(abs(v))))}f} %"


# ---- what it says


@test
def the_first_screen_is_the_model():
    bring()
    page = report()
    text, model = words(page), [m for m in experiment("model", "--log") if m["term"] not in ("(Intercept)", "hours")]
    sure = [m for m in model if float(m["p_holm"]) < 0.05]
    equal(len(sure), 4)
    check(f"Of 14 treatments, {len(sure)} matter for sure." in text, text[:800])
    for m in sure:
        check(f"{m['term']} {percent(m['estimate'])}" in text.split("What the others")[0], m, text[:800])
    rest = [m for m in model if m not in sure]
    low, high = min(float(m["lower"]) for m in rest), max(float(m["upper"]) for m in rest)
    check(f"their 95 % intervals all lie within {percent(low)} to {percent(high)}" in text, text[:800])
    rows = re.findall(r"<tr.*?</tr>", page.split("is it sure?")[1].split("</table>")[0], flags=re.S)
    got = [[words(c) for c in re.findall(r"<td.*?</td>", r, flags=re.S)] for r in rows if "<td" in r]
    equal({r[0]: (r[1], r[2], r[4]) for r in got},
          {m["term"]: (percent(m["estimate"]), f"{percent(m['lower'])} to {percent(m['upper'])}", "sure" if m in sure else "may be chance") for m in model})
    steps = experiment("sequence")
    check("bring us/task from 749 to 359, by a model: 2.09 times as good (of 3 of these it may be chance)" in text, text[:1500])
    equal([s["treatment"] for s in steps][1:], re.search(r"Applied one after the other, (.*?) bring", text)[1].split(", "))


@test
def all_sections_are_there():
    bring()
    page = report()
    ids = re.findall(r'<h2 id="([a-z]+)"', page)
    equal(ids, re.findall(r'<a href="#([a-z]+)"', page.split("<nav>")[1].split("</nav>")[0]))
    check({"runs", "means", "closer", "without", "scales", "order", "where", "model", "pairs", "components", "variance", "failures", "words"} <= set(ids), ids)
    titles = [s["title"]["text"] for s in specs(page)]
    check(len(titles) >= 18, titles)
    text = words(page)
    check("cfg_monitoring with app_big: -67.6 % (-78.2 % to -51.9 % with 95 % confidence) beyond what each does alone" in text)
    unsure = [s["treatment"] for s in experiment("shapley") if float(s["lower"]) < 0 < float(s["upper"])]
    check(len(unsure) == 3 and f"Of {', '.join(unsure)} it may be chance: their 95 % intervals contain no effect." in text, unsure)
    check("No picture" not in text and "cannot be said" not in text)
    # pictures are those of the commands that stand below them
    commands = [shlex.split(html.unescape(c)) for c in re.findall(r"<figcaption><code>(.*?)</code>", page)]
    equal(len(commands), len(titles))
    for spec, command in zip(specs(page), commands):
        spanloom(*command[1:], "-d", path("spanloom.db"), "-o", path("x.json"))
        with open(path("x.json"), encoding="utf-8") as f:
            equal(json.load(f), spec, command)


@test
def options_are_heeded():
    bring()
    text = words(report("--where", "cfg_monitoring = 0 AND app_big = 1", "--rate"))
    check("tasks/s, of which more is better" in text and "only runs where cfg_monitoring = 0 AND app_big = 1" in text, text[:600])
    model = {m["term"]: m for m in experiment("model", "--log", "--rate", "--where", "cfg_monitoring = 0 AND app_big = 1")}
    check(f"sys_affinity_cpu0 {percent(model['sys_affinity_cpu0']['estimate'])}" in text, text[:600])
    check("By groups" in words(report("--groups", "sys_*;cfg_*")))
    for options, says in [([], "where to? -o FILE.html"), (["-o", path("x.svg")], "a report is a page, so the name must end in .html"), (["--log", "-o", path("x.html")], "has no option --log")]:
        check(says in spanloom("experiment", "report", "-d", path("spanloom.db"), *options, code=2).err, options)


@test
def logs_tell_where():
    with tarfile.open(f"{ROOT}/examples/experiment/factorial.tar.xz") as archive:
        archive.extractall(path("."))
    bring(path("factorial/runs.csv"), "seconds", "unix_time", "--logs", "logs")
    page = report()
    check("slow_app makes runs 2.00 s longer (+2.00 to +2.01 with 95 % confidence): htex worker, running on a worker" in words(page).split("What was measured")[0])
    titles = [s["title"]["text"] for s in specs(page)]
    check("monitoring changes \u201cdriver, before the first task\u201d most: +3.5 s" in titles, titles)


@test
def few_runs_are_no_headline():
    """What an elastic net keeps is told as that; steps of which each may be chance are no gain."""
    bring()
    before = lambda t: ("--where", f"unix_time < {t}")
    page = report(*before(1795162400))
    text, net = words(page), [m for m in experiment("model", "--log", *before(1795162400)) if m["term"] != "(Intercept)"]
    kept = {m["term"]: m for m in net if float(m["estimate"]) and m["term"] != "hours"}
    check("16 runs cannot tell 16 terms of a model apart, so nothing is sure" in text, text[:800])
    rows = [[words(c) for c in re.findall(r"<td.*?</td>", r, flags=re.S)] for r in re.findall(r"<tr.*?</tr>", page.split(">kept<")[1].split("</table>")[0], flags=re.S)]
    equal({r[0]: (r[1], r[3]) for r in rows if r}, {t: (percent(m["estimate"]), f"{100 * float(m['kept']):.0f} %") for t, m in kept.items()})
    check("Kept: in so many of 100 drawings" in text and "Holm" not in text.split("What was measured")[0] and "Applied one after" not in text, text[:2500])
    check(f"(an elastic net); it explains {100 * float(net[0]['r_squared']):.1f} % of the variance, and of runs that it has not seen, {100 * float(net[0]['cv_r_squared']):.1f} %" in text, text)
    check("There is 1 such pair." in text and "too few runs for all pairs" in text)
    text = words(report(*before(1795162420)))
    check("none matters for sure" in text and "times as good" not in text, text[:1500])


@test
def what_fails_and_what_drifts_is_told_first():
    bring()
    first = words(report()).split("What was measured")[0]
    check("More runs fail with sys_affinity_cpu0: 7 of 80, 0 of 120 without it. That is sure" in first, first)
    r = random.Random(4)
    rows = [[i % 2, r.randrange(2), 1.7e9 + 20 * i, round(100 * math.exp(0.01 * i / 3 + r.gauss(0, 0.02)), 3)] for i in range(90)]
    bring(put("drift.csv", ["a", "b", "t", "y"], rows), "y", "t", "--name", "drift")
    first = words(report("--name", "drift")).split("What was measured")[0]
    said = re.search(r"scores changed by \+([0-9.]+) % a minute", first)
    check(said and abs(float(said[1]) - 100 * math.expm1(0.01)) < 0.05, first)
    check(f"trend: +{said[1]} % a minute" in spanloom("experiment", "drift", "-d", path("spanloom.db"), "--name", "drift").out)


# ---- in a browser


@test
def all_is_drawn_and_nothing_is_asked():
    bring()
    page, shown = report(), Shown("report.html")
    shown.silent()
    equal(shown.run("document.body.dataset.drawn"), str(len(specs(page))))
    equal(shown.run("[...document.querySelectorAll('[data-spec]')].filter(x => x.querySelector('canvas')?.height > 60).length"), len(specs(page)))
    csp = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    check("default-src 'none'" in csp and "unsafe" not in csp and "http" not in csp, csp)
    check(not re.search(r"<[^>]*\s(on\w+|style)\s*=", re.sub(r"<script\b.*?</script>", "", page, flags=re.S)), "inline handlers or styles")


HOSTILE = ["<script>alert(1)</script>", "a;b", "x\"y'z", "\u202eright \u05d0\u05d1", "long_" + "name_" * 60, "</title><b>", "100% & more", "-o", "unit=1", "\x1b[31mred", "a,b"]


def put(name, header, rows):
    with open(path(name), "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f, delimiter=";", lineterminator="\n")
        w.writerow(header)
        w.writerows(rows)
    return path(name)


@test
def hostile_names_are_shown_and_not_run():
    r = random.Random(1)
    rows = [[r.randrange(2) for _ in HOSTILE] for _ in range(120)]
    score = "usec_per_</script><script>alert(2)</script>"
    put("runs.csv", [*HOSTILE, "t", score], [[*x, 1.7e9 + i, f"{500 + 100 * x[0] - 80 * x[1] + r.gauss(0, 20):.3f}"] for i, x in enumerate(rows)])
    bring(path("runs.csv"), score, "t")
    page, shown = report(), Shown("report.html")
    shown.silent()
    text = words(page)
    check(f"{HOSTILE[0]} +2" in text and "\\x1b[31mred" in text and "\x1b" not in page, text[:500])
    equal(shown.run("document.scripts.length"), page.count("<script id=") + 2)  # the loader, and the bundle that it starts
    shown.call("Page.close")


@cases("two", "failed", "constant", "wide", "zero", "numbers")
def odd_runs_have_a_page_or_a_message(name):
    r = random.Random(2)
    header, rows = {
        "two": (["a", "t", "y"], [[0, 1.7e9, 5], [1, 1.7e9 + 1, 6]]),
        "failed": (["a", "t", "y"], [[i % 2, 1.7e9 + i, ""] for i in range(9)]),
        "constant": (["a", "t", "y"], [[1, 1.7e9 + i, 5 + i % 3] for i in range(20)]),
        "wide": ([*(f"f{i}" for i in range(200)), "t", "y"], [[*(r.randrange(2) for _ in range(200)), 1.7e9 + i, 100 + r.random()] for i in range(60)]),
        "zero": (["a", "b", "t", "y"], [[i % 2, i // 2 % 2, 1.7e9 + i, i % 5 - 1] for i in range(40)]),
        "numbers": (["threads", "mode", "t", "y"], [[r.choice([1, 2, 8]), r.choice(["on", "off", "auto"]), 1.7e9 + i, 50 + 3 * r.random()] for i in range(60)]),
    }[name]
    bring(put("runs.csv", header, rows), "y", "t")
    if name == "failed":
        return check("all 9 runs of experiment 'runs' failed: there is no score" in spanloom("experiment", "report", "-d", path("spanloom.db"), "-o", path("x.html"), code=1).err)
    text = words(report())
    says = {"two": "2 runs cannot tell", "constant": "no factor varies in these 20 runs", "wide": "so nothing is sure", "zero": "there is no logarithm",
            "numbers": "threads (each 1 more)"}[name]
    check(says in text, text[:1500])
    Shown("report.html").silent()
    note(len(specs(report())), "pictures")


main()
