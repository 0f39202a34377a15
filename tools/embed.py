#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py [--mandoc PROGRAM] OUTPUT ARRAY BASE FILE...: write FILEs as a C array of struct sl_embedded, named relative to BASE.

The data are string literals, which compilers read far faster than lists of numbers, and a NUL follows each.
With --mandoc, FILEs are manual pages, and the data are their text as PROGRAM formats it.
"""
import argparse
import os
import re
import subprocess


def literal(line):
    # Octal escapes always have three digits, so what follows cannot be taken for a part of them. `?` would start trigraphs.
    special = {0x0A: "\\n", 0x22: '\\"', 0x5C: "\\\\", 0x3F: "\\?"}
    return '"' + "".join(special.get(c) or (chr(c) if 32 <= c < 127 else f"\\{c:03o}") for c in line) + '"'


# What a terminal of any locale can show, and a shell takes.
PLAIN = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "--", "•": "-", "−": "-", "‐": "-"})


def manual_text(mandoc, path):
    """The page in 78 columns, without mandoc's lines at the top and the bottom, which have the date and the system."""
    text = subprocess.run([mandoc, "-T", "utf8", "-O", "width=78", path], check=True, capture_output=True).stdout.decode()
    text = re.sub(".\b", "", text).translate(PLAIN)  # nothing bold or underlined
    return "\n".join([*text.strip("\n").split("\n")[1:-1], ""]).lstrip("\n").encode()


def content(path):
    with open(path, "rb") as file:
        return file.read()


def main(mandoc, output, array, base, paths):
    with open(output, "w", encoding="ascii") as out:
        out.write(f'/* Written by tools/embed.py. */\n#include "base/embed.h"\n')
        out.write(f"const struct sl_embedded {array}[] = {{\n")
        for path in sorted(paths):
            data = manual_text(mandoc, path) if mandoc else content(path)
            # what another tool made lies in the build
            name = literal((os.path.relpath(path, base) if os.path.realpath(path).startswith(os.path.realpath(base) + os.sep)
                            else os.path.basename(path)).encode())
            lines = "\n     ".join(map(literal, data.splitlines(keepends=True))) or '""'
            out.write(f"    {{{name},\n     {lines},\n     {len(data)}}},\n")
        out.write("    {0},\n};\n")


parser = argparse.ArgumentParser()
parser.add_argument("--mandoc")
for argument in ["output", "array", "base"]:
    parser.add_argument(argument)
parser.add_argument("paths", nargs="*")
main(**vars(parser.parse_args()))
