#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stores of all schemas there were become what a new store is."""
import contextlib
import glob
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa


@test
def an_older_schema():
    """A store of each earlier schema gets what a new one has, to the letter, when something is imported into it."""
    small_run(path("a"))
    imported(path("a"), store="new.db")

    def made(store):
        with contextlib.closing(sqlite3.connect(path(store))) as db:
            return sorted(db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    files = sorted(glob.glob(f"{ROOT}/src/store/schema/0*.sql"))
    check(len(files) > 5, files)
    for n in range(1, len(files)):
        with contextlib.closing(sqlite3.connect(path(f"{n}.db"))) as db:
            for file in files[:n]:
                db.executescript(open(file, encoding="utf-8").read())
            db.execute("INSERT INTO sl_meta VALUES ('schema', ?)", (n,))
            db.commit()
        imported(path("a"), store=f"{n}.db")
        same(list(map(repr, made(f"{n}.db"))), list(map(repr, made("new.db"))), f"schema {n}")
        same(dump(path(f"{n}.db"), places=True), dump(path("new.db"), places=True), f"what a store of schema {n} holds")


main()
