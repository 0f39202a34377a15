# SPDX-License-Identifier: Apache-2.0
"""Whether a text is a trace in Trace Event Format, by the public description of that format, and no more of it.

What each phase must have and may have; types; ids; that begins and ends pair, on each thread and for each id.
"""
import decimal
import json

NUMBER, TEXT, ID = "a number", "a text", "a text or a whole number"
COMMON = {"name": TEXT, "cat": TEXT, "ph": TEXT, "ts": NUMBER, "pid": ID, "tid": ID, "args": dict, "tts": NUMBER, "cname": TEXT}
# phase: (what it must have, what it may have besides)
PHASES = {
    "B": (("name", "ts", "pid", "tid"), ("cat", "args")),
    "E": (("ts", "pid", "tid"), ("name", "cat", "args")),
    "X": (("name", "ts", "pid", "tid", "dur"), ("cat", "args", "tdur")),
    "i": (("name", "ts", "pid", "tid"), ("cat", "args", "s")),
    "I": (("name", "ts", "pid", "tid"), ("cat", "args", "s")),
    "C": (("name", "ts", "pid", "args"), ("cat", "tid", "id")),
    "b": (("name", "cat", "ts", "pid", "tid", "id"), ("args", "scope")),
    "n": (("name", "cat", "ts", "pid", "tid", "id"), ("args", "scope")),
    "e": (("name", "cat", "ts", "pid", "tid", "id"), ("args", "scope")),
    "s": (("name", "cat", "ts", "pid", "tid", "id"), ("args", "bp")),
    "t": (("name", "cat", "ts", "pid", "tid", "id"), ("args", "bp")),
    "f": (("name", "cat", "ts", "pid", "tid", "id"), ("args", "bp")),
    "M": (("name", "pid", "args"), ("cat", "tid", "ts")),
}
METADATA = {"process_name": ("name", TEXT), "process_labels": ("labels", TEXT), "process_sort_index": ("sort_index", NUMBER),
            "thread_name": ("name", TEXT), "thread_sort_index": ("sort_index", NUMBER)}
TYPES = {**COMMON, "dur": NUMBER, "tdur": NUMBER, "s": TEXT, "bp": TEXT, "scope": TEXT, "id": ID}


def _is(kind, value):
    if kind is TEXT:
        return isinstance(value, str)
    if kind is NUMBER:
        return isinstance(value, (int, decimal.Decimal)) and not isinstance(value, bool)
    if kind is ID:
        # JavaScript's numbers are exact to 2^53 only
        return isinstance(value, str) or type(value) is int and abs(value) <= 2 ** 53
    return isinstance(value, kind)


def _strict(pairs):
    keys = [k for k, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f"a key is there twice: {keys}")
    return dict(pairs)


def _constant(text):
    raise ValueError(f"{text} is not JSON")


def parsed(text):
    """Numbers with a point are exact; what JSON does not know is an error, such as NaN."""
    return json.loads(text, object_pairs_hook=_strict, parse_constant=_constant, parse_float=decimal.Decimal)


def events(text):
    """Those of an array or an object."""
    trace = parsed(text)
    return trace["traceEvents"] if isinstance(trace, dict) else trace


def faults(text, pairs=True):
    """What is wrong with a whole trace, as a list of texts; without pairs, what has no other end is not wrong."""
    try:
        trace = parsed(text)
    except ValueError as error:
        return [f"no JSON: {error}"]
    bad = []
    if isinstance(trace, dict):
        if not isinstance(trace.get("traceEvents"), list):
            return ["an object without traceEvents"]
        if trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
            bad.append(f"displayTimeUnit: {trace['displayTimeUnit']!r}")
        trace = trace["traceEvents"]
    if not isinstance(trace, list):
        return ["neither an array nor an object"]
    for number, event in enumerate(trace):
        bad += [f"event {number}, {str(event)[:200]}: {why}" for why in _event(event)]
    return bad + (_pairs(trace) if pairs and not bad else [])


def _event(e):
    if not isinstance(e, dict):
        return ["no object"]
    if e.get("ph") not in PHASES:
        return [f"unknown phase {e.get('ph')!r}"]
    must, may = PHASES[e["ph"]]
    bad = [f"no {key}" for key in must if key not in e]
    bad += [f"{key} has no place in phase {e['ph']}" for key in e
            if key not in must and key not in may and key not in ("ph", "tts", "cname")]
    bad += [f"{key} is not {TYPES[key]}" for key in e if key in TYPES and not _is(TYPES[key], e[key])]
    if bad:
        return bad
    if e.get("dur", 0) < 0:
        bad.append("negative duration")
    if e.get("s", "t") not in ("g", "p", "t"):
        bad.append("s is none of g, p, t")
    if e.get("bp", "e") != "e":
        bad.append("bp is not e")
    if e["ph"] == "C":
        bad += ["no series"] if not e["args"] else []
        # null is how JSON says that there is no number, such as infinity
        bad += [f"series {k} is no number" for k, v in e["args"].items() if v is not None and not _is(NUMBER, v)]
    if e["ph"] == "M" and e["name"] in METADATA:
        key, kind = METADATA[e["name"]]
        bad += [f"{e['name']} without {key}, or it is not {kind}"] if not _is(kind, e["args"].get(key)) else []
    return bad


def _pairs(trace):
    """B and E nest on each thread, X nest within their thread's other X; b and e pair by id; flows begin before they go on."""
    bad, stacks, asyncs, flows, complete = [], {}, {}, {}, {}
    for e in trace:
        thread, ph = (e["pid"], e.get("tid")), e["ph"]
        if ph == "B":
            stacks.setdefault(thread, []).append(e)
        elif ph == "E":
            if not stacks.get(thread):
                bad.append(f"an end without a begin: {e}")
            else:
                b = stacks[thread].pop()
                bad += [f"{b} is ended by {e}"] if e.get("name", b["name"]) != b["name"] else []
                bad += [f"{b} ends before it begins: {e}"] if e["ts"] < b["ts"] else []
        elif ph == "X":
            complete.setdefault(thread, []).append((e["ts"], e["ts"] + e["dur"], e))
        elif ph in "be":
            key = (e["cat"], e.get("scope"), str(e["id"]), e["name"])
            asyncs[key] = asyncs.get(key, 0) + (1 if ph == "b" else -1)
            bad += [f"an end without a begin: {e}"] if asyncs[key] < 0 else []
        elif ph in "stf":
            flows.setdefault((e["cat"], e["name"], str(e["id"])), []).append((e["ts"], ph))
    bad += [f"never ended: {b}" for stack in stacks.values() for b in stack]
    bad += [f"never ended: {key}" for key, n in asyncs.items() if n]
    for key, ends in flows.items():
        ends.sort(key=lambda x: x[0])
        shape = "".join(ph for _, ph in ends)
        bad += [f"flow {key} goes {shape}"] if shape[0] != "s" or "s" in shape[1:] or "f" in shape[:-1] else []
    for spans in complete.values():
        stack = []
        for begin, end, e in sorted(spans, key=lambda x: (x[0], -x[1])):
            while stack and stack[-1] <= begin:
                stack.pop()
            bad += [f"overlaps with what it begins in: {e}"] if stack and end > stack[-1] else []
            stack.append(end)
    return bad
