#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed_sql.py FOLDER FILE.sql...: the statements of each FOLDER_OF_FILE/FILE.sql as C texts, in FOLDER/FOLDER_OF_FILE_FILE.sql.h.

In the file, a line `-- name: NAME` begins each; it becomes `static const char sql_NAME[]`, and gcc warns of one that
nobody uses (-Wunused-const-variable=2). Comments, blank lines and the last semicolon of a single statement are left
out. Kinds of links are written as in C (SL_FACET): numbers take their place, from the enum in src/store/store.h; what
is left SQLite would refuse.
"""
import os
import re
import sys

STORE = os.path.join(os.path.dirname(__file__), "..", "src", "store", "store.h")


def literal(line):
    special = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "?": "\\?"}  # two ? would begin a trigraph
    return '"' + "".join(special.get(c, c) for c in line) + '"'


def link_kinds():
    with open(STORE, encoding="utf-8") as file:
        enum = re.search(r"enum sl_link_kind \{(.*?)\}", file.read(), re.S)
    return dict(re.findall(r"(\w+) = (\d+)", enum[1]))


def texts_of(source, kinds):
    with open(source, encoding="utf-8") as file:
        parts = re.split(r"(?m)^-- name: (\w+)[ \t]*$", file.read())
    if re.sub(r"(?m)^--.*$", "", parts[0]).strip() or len(parts) < 3:
        sys.exit(f"{source}: every statement stands below a line `-- name: NAME`")
    result = "/* Written by tools/embed_sql.py. */\n"
    for name, text in zip(parts[1::2], parts[2::2]):
        text = re.sub(r"\bSL_[A-Z_]+\b", lambda word: kinds.get(word[0], word[0]), text)
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("--")]
        if not lines:
            sys.exit(f"{source}: {name} is empty")
        if ";" not in "".join(lines)[:-1]:
            lines[-1] = lines[-1].rstrip().rstrip(";")
        texts = [literal(line + "\n") for line in lines[:-1]] + [literal(lines[-1])]
        result += f"static const char sql_{name}[] =\n    " + "\n    ".join(texts) + ";\n"
    return result


def main(folder, *sources):
    """What is as it was is not written, so that only what includes the others is compiled anew."""
    kinds = link_kinds()
    for source in sources:
        room, file = source.split(os.sep)[-2:]
        output, text = os.path.join(folder, f"{room}_{file}.h"), texts_of(source, kinds)
        if not os.path.exists(output) or open(output, encoding="utf-8").read() != text:
            with open(output, "w", encoding="utf-8") as out:
                out.write(text)


main(*sys.argv[1:])
