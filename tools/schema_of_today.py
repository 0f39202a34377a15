#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schema_of_today.py OUTPUT FILE.sql...: the tables and indexes that FILEs leave, one after the other, as one statement each.

A new store is made of these, and not of each change since the first schema: altering a table makes SQLite read all of them anew.
"""
import sqlite3
import sys


def main(output, *files):
    db = sqlite3.connect(":memory:")
    for file in sorted(files):
        with open(file, encoding="utf-8") as text:
            db.executescript(text.read())
    made = db.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
    for kind, name, _ in made:
        if kind == "table" and db.execute(f"SELECT 1 FROM {name}").fetchone():
            sys.exit(f"tools/schema_of_today.py: {name} has rows, which a new store would lack")
    with open(output, "w", encoding="utf-8") as out:
        out.write("".join(f"{sql};\n" for _, _, sql in made))


main(*sys.argv[1:])
