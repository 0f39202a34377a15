#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imports each run of tests/data and compares all that the store then holds with tests/recipes/expected/RUN.txt.

BLESS=1 writes the expected files anew.  The program is $SPANLOOM, or spanloom in PATH.
"""
import difflib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(os.path.dirname(HERE), "data")
PROGRAM = os.environ.get("SPANLOOM") or shutil.which("spanloom") or "spanloom"


def short(value):
    text = str(value).replace("\n", " ")
    return text if len(text) <= 60 else text[:57] + "..."


def dump(store, top):
    db = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    span = {}
    for i, kind, key, parent in db.execute("SELECT id, type, key, parent FROM spans ORDER BY id"):
        above = span[parent][1] if parent else ()
        span[i] = (kind, above + (key.replace(top, "TOP"),))
    name = {i: f"{kind} {'/'.join(keys[1:]) or keys[0]}" for i, (kind, keys) in span.items()}
    source = {i: os.path.relpath(path, top) + (f"#{part}" if part else "")
              for i, path, part in db.execute("SELECT id, path, part FROM sources")}
    lines = [f"source {source[i]} {recipe}: {records} = {used} used + {skipped} skipped + {rejected} rejected"
             for i, recipe, records, used, skipped, rejected in
             db.execute("SELECT id, recipe, records, used, skipped, rejected FROM sources")]
    lines += [f"span {n}" for n in name.values()]
    lines += [f"event {name[s]} {kind} {time} {source[src]}:{place}"
              for s, kind, time, src, place in db.execute("SELECT span, type, time, source, place FROM events")]
    lines += [f"link {name[b if kind == 'in' else a]} {kind} {name[a if kind == 'in' else b]} ({re.sub(':[0-9]+$', '', rule)})"
              for kind, a, b, rule in db.execute("SELECT kind, left_span, right_span, rule FROM links WHERE rule <> 'name'")]
    lines += [f"attr {name[s]} {a} = {short(str(v).replace(top, 'TOP'))}"
              for s, a, v in db.execute("SELECT span, name, value FROM attributes")]
    lines += [f"samples {name[s]} {m}: {n}"
              for s, m, n in db.execute("SELECT span, metric, count(*) FROM samples GROUP BY 1, 2")]
    lines += [f"zone {name[r]} {offset} {how}" for r, offset, how in db.execute("SELECT root, offset_s, how FROM zones")]
    lines += [f"reject {os.path.relpath(path, top)}:{place} {reason}"
              for path, place, reason in db.execute("SELECT path, place, reason FROM rejects")]
    return sorted(lines)


def main():
    runs = sorted(d for d in os.listdir(DATA) if os.path.isdir(f"{DATA}/{d}"))
    failed = 0
    print(f"1..{len(runs)}")
    for n, run in enumerate(runs, 1):
        expected = f"{HERE}/expected/{run}.txt"
        with tempfile.TemporaryDirectory() as work:
            store = f"{work}/spanloom.db"
            done = subprocess.run([PROGRAM, "import", "-d", store, f"{DATA}/{run}"], capture_output=True, text=True)
            got = dump(store, os.path.realpath(f"{DATA}/{run}")) if done.returncode == 0 else [done.stderr]
        if os.environ.get("BLESS") and done.returncode == 0:
            with open(expected, "w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in got)
        want = []
        if os.path.exists(expected):
            with open(expected, encoding="utf-8") as file:
                want = file.read().splitlines()
        bad = got != want
        failed += bad
        print(f"{'not ok' if bad else 'ok'} {n} - {run}")
        if bad:
            for line in list(difflib.unified_diff(want, got, "expected", "now", lineterm="", n=0))[:40]:
                print(f"# {line}")
    return 1 if failed else 0


sys.exit(main())
