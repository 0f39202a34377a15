# SPDX-License-Identifier: Apache-2.0
"""Python programs of sections, each of which says what it must have recorded.

    with section("what"):
        f(1)
        want("B f n=1", "E f")        PHASE NAME [@CATEGORY] [#ID] [~SCOPE] [KEY=JSON]...

Ids are numbered as they come, #t is the thread's; task=* is any name of a task.  eq(), raises() and fault() report and go on.
"""
import re

from pythons import *  # noqa

PROGRAM_HEAD = r"""
import json, sys, traceback
import spanloom
from spanloom import critical_path
_wants, _faults, _here = {}, [], None

def fault(*words):
    f = sys._getframe(1)
    while f.f_globals.get("_faults") is _faults and f.f_code.co_name in ("eq", "raises", "fault", "__exit__"): f = f.f_back
    _faults.append(f"[{_here}] line {f.f_lineno}: " + " ".join(map(str, words)))

def eq(got, expected, what=""):
    try: same = got == expected and type(got) == type(expected)
    except Exception as e: same, what = False, f"{what} {e!r}"
    if not same: fault(f"{what}: got {str(repr(got))[:300]}, want {str(repr(expected))[:300]}")

def raises(kinds, f, *args, what="", **more):
    try: r = f(*args, **more)
    except kinds: return
    except BaseException as e: return fault(f"{what}: raised {e!r}, want {kinds}")
    fault(f"{what}: gave {r!r}, want {kinds}")

def want(*lines, times=1, loose=False, **how):
    _wants[_here] = {"lines": [str(x) for x in lines] * times, "loose": loose, **how}

def got(*a):
    _wants[_here] = {"lines": [], "loose": True}

class section:
    def __init__(self, name): self.name = name
    def __enter__(self):
        global _here
        _here = self.name
        assert _here not in _wants, _here
        spanloom.instant("section", "test", name=_here)
    def __exit__(self, kind, error, tb):
        if error is not None and not isinstance(error, GeneratorExit):
            fault("".join(traceback.format_exception(kind, error, tb))[-1500:])
        spanloom.instant("section", "test", name="")
        return True

def _done():
    sys.stdout.write(json.dumps({"wants": _wants, "faults": _faults}) + "\n")
import atexit
atexit.register(_done)
#line
"""


def line_of(e, ids):
    """An event as want() writes it."""
    def known(i):
        return f"#{'t' if i == e['tid'] else ids.setdefault(i, len(ids))}"
    words = [e["ph"], e["name"]]
    if e["cat"] != "__main__":
        words.append("@" + e["cat"])
    if "id" in e:
        words.append(known(e["id"]))
    if "scope" in e:
        words.append("~" + e["scope"])
    for k, v in e.get("args", {}).items():
        words.append(f"{k}={known(v)}" if k == "id" and e["ph"] in "BX" else
                     f"{k}={v if isinstance(v, decimal.Decimal) else json.dumps(v, ensure_ascii=False)}")
    return " ".join(words)


def normal(line):
    """Numbers as Python prints them."""
    if "=" not in line:
        return line
    line = re.sub(r'task="Task-\d+"', "task=*", line)

    def number(m):
        return f"={float(m[1])!r}" if re.search("[.eE]", m[1]) else m[0]
    line = re.sub(r"=(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?= |$)", number, line)
    return re.sub(r'="((?:[^"\\]|\\.)*)"', lambda m: f'={json.dumps(json.loads(chr(34) + m[1] + chr(34)), ensure_ascii=False)}', line)


def by_section(t):
    found, here, main_tid = {}, None, None
    for e in t.events:
        if e["name"] == "section" and e["cat"] == "test":
            here, main_tid = e["args"]["name"], e["tid"]
            if here:
                found[here] = []
        elif here:
            found[here].append(e)
    return found, main_tid


def with_ends_args(events):
    """What an end tells is its begin's, wherever the file has it."""
    open_, moved = {}, []
    for e in events:
        if e["ph"] in "BE":
            stack = open_.setdefault(e["tid"], [])
            if e["ph"] == "B":
                e = {**e, "args": dict(e.get("args", {}))}
                stack.append(e)
            elif stack:
                stack.pop()["args"].update(e.get("args", {}))
                e = {k: v for k, v in e.items() if k != "args"}
        moved.append(e)
    return moved


def compared(name, want, events, faults):
    if want["loose"]:
        return
    ids = {}
    have = [normal(line_of(e, ids)) for e in with_ends_args(events)]
    lines = [normal(x) for x in want["lines"]]
    if not want.get("categories", True):
        have = [re.sub(r" @[\w.]+", "", x) for x in have]
        lines = [re.sub(r" @[\w.]+", "", x) for x in lines]
    if want.get("numbers") == "either":  # a number, or its digits as a text
        have = [re.sub(r'="(-?\d+)"', r"=\1", x) for x in have]
    if not want.get("tasks", True):
        have = [x.replace(" task=*", "") for x in have]
    if want.get("first"):  # as many as are named, ids aside
        have, lines = ([re.sub(r" #\d+", " #", x) for x in k] for k in (have[:len(lines)], lines))
    if have != lines:
        diff = list(difflib.unified_diff(lines, have, "wanted", "recorded", lineterm="", n=1))[2:]
        faults.append(f"[{name}]\n    " + "\n    ".join(diff[:24]))


def balanced(t, faults):
    """Every begin has its end, each B the E of its name, and no span laps over another."""
    try:
        t.spans()
    except AssertionError as e:
        faults.append(f"[spans] {str(e)[:500]}")
    open_ = collections.Counter()
    for e in t.of("be"):
        open_[e["name"], e["cat"], e.get("scope"), e["id"]] += 1 if e["ph"] == "b" else -1
    for key, n in open_.items():
        if n and key[3] not in {e["tid"] for e in t.events} and key[3] != 123:
            faults.append(f"[async] {key}: {n} more begins than ends")


def sections(version, source, extra=None, balance=True, **more):
    """Runs the program, and compares all that it recorded."""
    head = PROGRAM_HEAD[:PROGRAM_HEAD.index("#line")]
    r = script(head + source, version=version, **{"env": {"PYTHONIOENCODING": "utf-8"}, "err": None, **more})
    last = r.out.splitlines()[-1] if r.out else "{}"
    told = json.loads(last)
    offset = head.count("\n") + 1
    faults = [re.sub(r"line (\d+)", lambda m: f"line {int(m[1]) - offset}", f, count=1) for f in told["faults"]]
    if r.err:
        faults.append(f"standard error: {r.err[-1500:]}")
    t = trace(options_of(more))
    by, _ = by_section(t)
    for name, w in told["wants"].items():
        if name not in by:
            faults.append(f"[{name}] is not in the trace")
        else:
            compared(name, w, by[name], faults)
    if balance:
        balanced(t, faults)
    if extra:
        try:
            extra(t, by)
        except (AssertionError, KeyError, IndexError) as e:
            faults.append(f"[extra] {type(e).__name__} {str(e)[:600]}")
    check(told["wants"], "no sections")
    check(not faults, f"{len(faults)} faults (lines of the program in the test)\n" + "\n".join(faults))
    return t


def options_of(more):
    m = re.search("log-dir=([^:]+)", more.get("options") or "")
    return m[1] if m else None
