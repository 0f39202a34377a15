# SPDX-License-Identifier: Apache-2.0
"""What tests of experiments share: runs brought into a store, answers as rows, and R to compare them with."""
import contextlib
import csv
import math
import os
import sqlite3
import sys

DEBIAN = "/usr/bin/python3"  # other Pythons may be built without extensions
if not hasattr(sqlite3.Connection, "enable_load_extension") and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN):
    os.execv(DEBIAN, [DEBIAN, *sys.argv])

from harness import PROGRAM, ROOT, bookkeeping, check, path, spanloom  # noqa: E402
from r import R  # noqa: E402, F401

RUNS = f"{ROOT}/examples/experiment/runs.csv"
EXTENSION = os.path.join(os.environ.get("BUILD") or os.path.dirname(os.path.abspath(PROGRAM)), "spanloom.so")
NEAR = 1e-8


def near(got, want, what, relative=NEAR):
    if want is None or (isinstance(want, float) and math.isnan(want)):
        return check(got is None or got == "", f"{what}: got {got!r}, want nothing")
    check(got not in (None, "") and abs(float(got) - want) <= relative * max(abs(want), 1e-6), f"{what}: got {got!r}, want {want!r}")


def experiment(*args, store="spanloom.db", code=0):
    """The rows of an answer."""
    out = spanloom("experiment", *args, "-d", path(store), "--format", "csv", code=code).out
    return list(csv.DictReader(out.splitlines()))


def bring(file=RUNS, *options, score="usec_per_task", time="unix_time", store="spanloom.db"):
    r = spanloom("experiment", "import", "-d", path(store), "--score", score, *(["--time", time] if time else []), *options, file)
    bookkeeping(path(store))
    return r


def read(file=RUNS, sep=";"):
    with open(file) as f:
        return list(csv.DictReader(f, delimiter=sep))


def put(name, rows, sep=";"):
    with open(path(name), "w", newline="") as f:
        w = csv.DictWriter(f, rows[0].keys(), delimiter=sep, lineterminator="\n")
        w.writeheader()
        w.writerows(rows)
    return path(name)


def connect_extension(store="spanloom.db"):
    db = sqlite3.connect(path(store))
    db.enable_load_extension(True)
    db.load_extension(EXTENSION)
    return db


def query_extension(sql, *args):
    with contextlib.closing(connect_extension()) as db:
        return db.execute(sql, args).fetchall()
