#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py OUTPUT ARRAY BASE FILE...: write FILEs as a C array of struct sl_embedded, named relative to BASE.

The data are string literals, which compilers read far faster than lists of numbers, and a NUL follows each.
"""
import os
import sys


def literal(line):
    # Octal escapes always have three digits, so what follows cannot be taken for a part of them. `?` would start trigraphs.
    special = {0x0A: "\\n", 0x22: '\\"', 0x5C: "\\\\", 0x3F: "\\?"}
    return '"' + "".join(special.get(c) or (chr(c) if 32 <= c < 127 else f"\\{c:03o}") for c in line) + '"'


def main(output, array, base, *paths):
    with open(output, "w", encoding="ascii") as out:
        out.write(f'/* Written by tools/embed.py. */\n#include "base/embed.h"\n')
        out.write(f"const struct sl_embedded {array}[] = {{\n")
        for path in sorted(paths):
            with open(path, "rb") as file:
                data = file.read()
            # what another tool made lies in the build
            name = literal((os.path.relpath(path, base) if os.path.realpath(path).startswith(os.path.realpath(base) + os.sep)
                            else os.path.basename(path)).encode())
            lines = "\n     ".join(map(literal, data.splitlines(keepends=True))) or '""'
            out.write(f"    {{{name},\n     {lines},\n     {len(data)}}},\n")
        out.write("    {0},\n};\n")


main(*sys.argv[1:])
