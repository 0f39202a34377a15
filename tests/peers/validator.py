#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tests/lib/trace_events.py says of traces that are wrong: the other tests rely on it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import cases, check, equal, main, test  # noqa: E402
import scenarios  # noqa: E402
import trace_events  # noqa: E402

P = '"pid": 1, "tid": 1, "cat": "c"'
WRONG = {
    "no JSON": '[{]',
    "a comma at the end": '[{},]',
    "a number JSON does not have": '[{"name": "a", "ph": "C", "ts": 1, "pid": 1, "args": {"x": NaN}}]',
    "a key twice": '[{"name": "a", "name": "b", "ph": "i", "ts": 1, %s}]' % P,
    "an object without events": '{"events": []}',
    "a unit": '{"displayTimeUnit": "s", "traceEvents": []}',
    "an unknown phase": '[{"name": "a", "ph": "Q", "ts": 1, %s}]' % P,
    "no time": '[{"name": "a", "ph": "i", %s}]' % P,
    "a time as text": '[{"name": "a", "ph": "i", "ts": "1", %s}]' % P,
    "an X without duration": '[{"name": "a", "ph": "X", "ts": 1, %s}]' % P,
    "a negative duration": '[{"name": "a", "ph": "X", "ts": 1, "dur": -1, %s}]' % P,
    "a duration of a B": '[{"name": "a", "ph": "B", "ts": 1, "dur": 1, %s}, {"ph": "E", "ts": 1, %s}]' % (P, P),
    "a scope of instants": '[{"name": "a", "ph": "i", "s": "x", "ts": 1, %s}]' % P,
    "a binding point": '[{"name": "a", "ph": "s", "id": 1, "bp": "x", "ts": 1, %s}]' % P,
    "a flow without id": '[{"name": "a", "ph": "s", "ts": 1, %s}]' % P,
    "an id above 2^53": '[{"name": "a", "ph": "s", "id": 9007199254740993, "ts": 1, %s}]' % P,
    "a counter without series": '[{"name": "a", "ph": "C", "ts": 1, "args": {}, %s}]' % P,
    "a counter of text": '[{"name": "a", "ph": "C", "ts": 1, "args": {"x": "1"}, %s}]' % P,
    "a name of a thread without it": '[{"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {}}]',
    "a begin alone": '[{"name": "a", "ph": "B", "ts": 1, %s}]' % P,
    "an end alone": '[{"name": "a", "ph": "E", "ts": 1, %s}]' % P,
    "another's end": '[{"name": "a", "ph": "B", "ts": 1, %s}, {"name": "b", "ph": "E", "ts": 2, %s}]' % (P, P),
    "an end before": '[{"name": "a", "ph": "B", "ts": 2, %s}, {"name": "a", "ph": "E", "ts": 1, %s}]' % (P, P),
    "an asynchronous begin alone": '[{"name": "a", "ph": "b", "id": 1, "ts": 1, %s}]' % P,
    "an asynchronous end alone": '[{"name": "a", "ph": "e", "id": 1, "ts": 1, %s}]' % P,
    "a flow that only ends": '[{"name": "a", "ph": "f", "id": 1, "ts": 1, %s}]' % P,
    "an overlap": '[{"name": "a", "ph": "X", "ts": 1, "dur": 2, %s}, {"name": "b", "ph": "X", "ts": 2, "dur": 1.001, %s}]' % (P, P),
}


@cases(*WRONG)
def a_fault(what):
    check(trace_events.faults(WRONG[what]), "nothing found in", WRONG[what])


@cases("log-event=Verbose", "log-event=Compact:log-format=Object")
def a_line_that_is_missing(options):
    """Of a begin, an end, an asynchronous end, or the out of a flow."""
    text = scenarios.act(scenarios.whole(), options)
    for phase in ("B", "E", "e", "s", "b"):
        lines = text.splitlines()
        at = next((i for i, line in enumerate(lines) if f'"ph": "{phase}"' in line), None)
        if at is not None:
            check(trace_events.faults("\n".join(lines[:at] + lines[at + 1:])), f"the loss of {lines[at]} is not seen")


@test
def nothing_wrong():
    equal(trace_events.faults('{"displayTimeUnit": "ns", "traceEvents": []}'), [])
    equal(trace_events.faults("[]"), [])


main()
