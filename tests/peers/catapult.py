#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Catapult, which is chrome://tracing, reads our traces: it has no warnings, and finds what the program did."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import cases, equal, main, random, test  # noqa: E402
import scenarios  # noqa: E402
import peers  # noqa: E402

SLACK = 10000  # ns; a double has a quarter of a microsecond since the epoch, and the clocks are two
READ = """(text => {
    const model = new tr.Model(), options = new tr.importer.ImportOptions();
    options.shiftWorldToZero = false;
    options.pruneEmptyContainers = false;
    new tr.importer.Import(model, options).importTraces([text]);
    const slice = s => ({name: s.title, cat: s.category, from: s.start, to: s.start + s.duration, args: s.args,
        tid: s.parentContainer ? s.parentContainer.tid : 0, open: !!s.didNotFinish, error: s.error,
        depth: (function depth(s) { return s.parentSlice ? 1 + depth(s.parentSlice) : 0; })(s),
        parent: s.parentSlice ? s.parentSlice.title : null});
    const result = {warnings: model.importWarnings.map(w => w.type + ': ' + w.message), threads: {}, slices: [], asyncs: [],
        counters: {}, flows: [], processes: Object.keys(model.processes)};
    for (const p of model.getAllProcesses()) {
        result.process = p.name;
        for (const t of Object.values(p.threads)) {
            result.threads[t.tid] = t.name;
            for (const s of t.sliceGroup.slices) result.slices.push(Object.assign(slice(s), {tid: t.tid}));
            const add = s => { result.asyncs.push(Object.assign(slice(s), {key: s.id, start: s.startThread.tid,
                end: s.endThread.tid, parts: s.subSlices.length})); };
            t.asyncSliceGroup.slices.forEach(add);
        }
        for (const c of Object.values(p.counters))
            result.counters[c.category + '.' + c.name] = c.series.map(s => [s.name, s.samples.map(x => [x.timestamp, x.value])]);
    }
    for (const f of model.flowEvents)
        result.flows.push({name: f.title, id: String(f.id), from: f.startSlice && f.startSlice.title,
            to: f.endSlice && f.endSlice.title, at: f.start, until: f.start + f.duration});
    return JSON.stringify(result);
})(%s)"""


def page():
    if not hasattr(page, "it"):
        page.it = peers.browser().open(peers.url("catapult_trace_viewer.html"))
        page.it.wait("typeof tr !== 'undefined' && !!tr.importer && !!tr.Model")
    return page.it


def read(text):
    return json.loads(page().run(READ % json.dumps(text)))


def ns(ms):
    return ms * 1e6


def own(warnings):
    """The process tells about itself in an event of its own, whose name no viewer knows."""
    return [w for w in warnings if w != "metadata_parse_error: Unrecognized metadata name: spanloom"]


def compare(story, got, compact=False):
    equal(own(got["warnings"]), [], "warnings")
    equal(got["processes"], [str(story.pid)], "processes")
    equal({int(t): n for t, n in got["threads"].items() if n}, {story.tids[t]: n for t, n in story.threads.items() if n}, "threads")

    # Instants of a thread are slices without length.
    expected = {}
    for s in story.spans:
        expected.setdefault(story.tids[s.thread], []).append(s)
    slices, instants = {}, {}
    names = {(story.tids[t], n, c) for t, n, c, _, _ in story.instants}
    for s in sorted(got["slices"], key=lambda s: (s["from"], -s["to"], s["depth"])):
        (instants if s["from"] == s["to"] and (s["tid"], s["name"], s["cat"]) in names else slices).setdefault(s["tid"], []).append(s)
    equal({t: len(x) for t, x in slices.items()}, {t: len(x) for t, x in expected.items()}, "slices of threads")
    for t, spans in expected.items():
        steady = [s for s in spans if not s.inside]
        found = [s for s in slices[t] if s["cat"] != "burst"]
        equal([s["name"] for s in found], [s.name for s in steady], f"names on thread {t}")
        for f, s in zip(found, steady):
            begin, end = story.times(s)
            scenarios.within(ns(f["from"]), begin, SLACK, f"begin of {s.name}")
            scenarios.within(ns(f["to"]), end, SLACK, f"end of {s.name}")
            equal(f["cat"], s.category, s.name)
            if not compact or not s.left_open():  # X events that end at one time may come beside each other
                equal((f["depth"], f["parent"]), (s.depth, s.parent.name if s.parent else None), s.name)
            equal((f["open"], f.get("error")), (False, None), s.name)
            equal(f["args"], story.args(s), f"arguments of {s.name}")
        # Catapult nests by times: what is shorter than their quarter of a microsecond is anywhere.
        bursts = sorted(s["name"] for s in slices[t] if s["cat"] == "burst")
        equal(bursts, sorted(s.name for s in spans if s.inside), f"what is tight on thread {t}")

    for t in story.tids.values():
        found, wanted = instants.get(t, []), [i for i in story.instants if story.tids[i[0]] == t]
        equal([(i["name"], i["cat"], i["args"]) for i in found], [(n, c, a) for _, n, c, _, a in wanted], f"instants on thread {t}")
        for f, (_, name, _, at, _) in zip(found, wanted):
            scenarios.within(ns(f["from"]), story.at[at], SLACK, f"instant {name}")

    wanted = {}
    for name, category, value, at in story.counters:
        wanted.setdefault(f"{category}.{name}", []).append((value, at))
    equal(sorted(got["counters"]), sorted(wanted), "counters")
    for name, values in wanted.items():
        [(series, samples)] = got["counters"][name]
        equal((series, [v for _, v in samples]), ("value", [v for v, _ in values]), f"counter {name}")
        for (t, _), (_, at) in zip(samples, values):
            scenarios.within(ns(t), story.at[at], SLACK, f"counter {name}")

    found = sorted(got["asyncs"], key=lambda a: (a["from"], a["name"]))
    wanted = sorted(story.asyncs, key=lambda a: a["begin"])
    equal([(a["name"], a["cat"], a["parts"]) for a in found], [(a["name"], a["cat"], len(a["steps"])) for a in wanted], "asyncs")
    for f, a in zip(found, wanted):
        scenarios.within(ns(f["from"]), story.at[a["begin"]], SLACK, f"begin of {a['name']}")
        scenarios.within(ns(f["to"]), story.at[a["end"]], SLACK, f"end of {a['name']}")
        equal((f["args"], f["start"]), (a["args"], story.tids[a["thread"]]), f"async {a['name']} {a['id']}")

    wanted, outs = [], {}
    for end, name, _, number, span, at in story.flows:
        if end != "s":
            wanted.append((str(number), name, outs[number].name, span.name))
        outs[number] = span
    equal(sorted((f["id"], f["name"], f["from"], f["to"]) for f in got["flows"]), sorted(wanted), "flows")


FORMATS = ["", "log-format=Object", "log-event=Compact", "log-event=Compact:log-format=Object"]


@cases(*FORMATS)
def everything(options):
    story = scenarios.whole()
    compare(story, read(scenarios.act(story, options)), "Compact" in options)


@cases(*((seed, options) for seed in (1, 2, 3) for options in ("log-event=Verbose", "log-event=Compact")))
def at_random(seed, options):
    story = scenarios.drawn(random.Random(seed))
    compare(story, read(scenarios.act(story, options)), "Compact" in options)


@cases("", "log-event=Compact")
def killed_and_exported(options):
    story = scenarios.whole()
    compare(story, read(scenarios.act(story, options, killed=True)), "Compact" in options)


@cases("log-event=Verbose", "log-event=Compact")
def usage_of_spans(options):
    story = scenarios.used()
    got = read(scenarios.act(story, options + ":cpu-mem-usage=True"))
    equal(own(got["warnings"]), [], "warnings")
    equal(sorted(s["name"] for s in got["slices"]), sorted(s.name for s in story.spans), "slices")
    for s in story.spans:
        series = dict(got["counters"][f"{s.category}.{s.name}"])
        equal(sorted(series), ["cpu_usage", "memory_usage"], f"series of {s.name}")
        equal({len(x) for x in series.values()}, {2 * sum(x.name == s.name for x in story.spans)}, f"samples of {s.name}")


@test
def an_arrow_between_two_processes():
    one, other = scenarios.sent(77)
    got = read(scenarios.merged(*(scenarios.act(s, pairs=False) for s in (one, other))))
    equal(own(got["warnings"]), [], "warnings")
    equal(sorted(got["processes"]), sorted([str(one.pid), str(other.pid)]), "processes")
    equal([(f["id"], f["name"], f["from"], f["to"]) for f in got["flows"]], [("77", "over", "sends", "receives")], "flows")


@test
def numbers_that_JSON_does_not_have():
    got = read(scenarios.act(scenarios.odd_numbers()))
    equal(own(got["warnings"]), [], "warnings")
    equal([s["name"] for s in got["slices"]], ["run"], "slices")
    [(_, samples)] = got["counters"]["app.odd"]
    equal([v for _, v in samples][1::2], [1, 1, 1], "the numbers between them")


peers.needs_chromium()
peers.needs("viztracer")
main()
