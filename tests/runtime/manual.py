#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`spanloom help NAME` says what mandoc makes of the manual page, and fits the terminal."""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "—": "-", "–": "-", "•": "-", "−": "-", "‐": "-", "²": "2"})


def words(text):
    """Without what depends on how wide the lines are: blanks, and how many dashes a dash is."""
    return re.sub(r"-+", "-", re.sub(r"\s+", "", text.translate(QUOTES)))


def body(text):
    """Without the lines at the top and the bottom, which mandoc adds."""
    return "\n".join(text.strip("\n").split("\n")[1:-1])


@cases(*sorted(glob.glob(f"{ROOT}/docs/man/*")))
def page(file):
    name = os.path.basename(file).rsplit(".", 1)[0].removeprefix("spanloom").removeprefix("-") or "spanloom"
    others = glob.glob(f"{ROOT}/docs/man/{os.path.basename(file)[:-1]}*")
    if others[0] != file and len(others) > 1:
        return  # trace(1) goes before trace(7)
    got = spanloom("help", name, env={"COLUMNS": "78"}).out
    want = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=78", file], capture_output=True, check=True).stdout.decode()
    want = re.sub(".\b", "", want)
    a, b = words(got), words(body(want))
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    check(a == b, f"{name}: ...{a[max(0, at - 60):at + 40]}\n  mandoc: ...{b[max(0, at - 60):at + 40]}")
    with open(file) as f:
        bare = lambda x: re.sub(r"\\\(..|\\e|\W", "", x)
        source = bare(f.read())
    long = [x for x in got.split("\n") if len(x) > 78 and bare(x) not in source]  # literal lines stay whole
    check(not long, *long)


@test
def none():
    r = spanloom("help", "imprt", code=2)
    check("there is no command 'imprt'; did you mean 'import'" in r.err, r.err)


main()
