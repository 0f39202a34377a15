#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed_sql.py FILE.sql OUTPUT.h: the statements of an SQL file as C texts.

In the file, a line `-- name: NAME` begins each; it becomes `static const char sql_NAME[]`, so that what nobody uses is a
warning of the compiler. Comments, blank lines and the last semicolon of a single statement are left out.
"""
import re
import sys


def literal(line):
    special = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "?": "\\?"}  # two ? would begin a trigraph
    return '"' + "".join(special.get(c, c) for c in line) + '"'


def main(source, output):
    with open(source, encoding="utf-8") as file:
        parts = re.split(r"(?m)^-- name: (\w+)[ \t]*$", file.read())
    if re.sub(r"(?m)^--.*$", "", parts[0]).strip() or len(parts) < 3:
        sys.exit(f"{source}: every statement stands below a line `-- name: NAME`")
    with open(output, "w", encoding="utf-8") as out:
        out.write("/* Written by tools/embed_sql.py. */\n")
        for name, text in zip(parts[1::2], parts[2::2]):
            lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("--")]
            if not lines:
                sys.exit(f"{source}: {name} is empty")
            if ";" not in "".join(lines)[:-1]:
                lines[-1] = lines[-1].rstrip().rstrip(";")
            texts = [literal(line + "\n") for line in lines[:-1]] + [literal(lines[-1])]
            out.write(f"static const char sql_{name}[] =\n    " + "\n    ".join(texts) + ";\n")


main(*sys.argv[1:])
