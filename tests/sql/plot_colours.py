#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Colours that stand side by side in a plot are told apart by people who see red, green or blue less, too.

What they see is simulated by the matrices of Machado, Oliveira and Fernandes, "A Physiologically-based Model for
Simulation of Color Vision Deficiency", IEEE TVCG 15 (2009), for the severest cases; how far two colours are apart is
their distance in CIELAB (1976), of which 2.3 is just noticeable.
"""
import itertools
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

SEES = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))  # of sRGB: IEC 61966-2-1
WHITE = (0.9505, 1, 1.089)
LEAST = 10


def times(matrix, v):
    return [sum(a * b for a, b in zip(row, v)) for row in matrix]


def lab(colour, sees):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    seen = [min(1, max(0, c)) for c in times(SEES[sees], light)]
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else t * 841 / 108 + 4 / 29 for t in (c / w for c, w in zip(times(XYZ, seen), WHITE)))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def spec_of(name, *words):
    imported(EXAMPLE)
    spanloom("plot", name, *words, "-o", path("x.json"))
    with open(path("x.json"), encoding="utf-8") as file:
        return json.load(file)


def check_apart(colours, what):
    for sees in SEES:
        for a, b in itertools.combinations(sorted(set(colours)), 2):
            far = math.dist(lab(a, sees), lab(b, sees))
            check(far >= LEAST, what, f"{a} and {b} are {far:.1f} apart with {sees}")


@cases("states", "critical-path", "workers", "durations-over-time")
def legends_of_data(name):
    colours = [row["colour"] for row in spec_of(name)["datasets"]["legend"]]
    check(len(colours) > 4, colours)
    idle = ["#dce0e3", "#434b52"] if name == "workers" else []  # what the grey of idle workers is on light, on dark
    check_apart(colours + idle, name)


@cases(("rate", "exec_done"), ("skew",), ("durations", "invoked", "returned"), ("diff", "spanloom.db", "spanloom.db"))
def ranges(*words):
    ranges = re.findall(r'"range":\s*(\["#[^]]*\])', json.dumps(spec_of(*words)["encoding" if words[0] in ("rate", "skew") else "layer"]))
    equal(len(ranges), 1, ranges)
    check_apart(json.loads(ranges[0]), words[0])


@cases("light", "dark")
def of_any_plot(scheme):
    """The first eight."""
    with open(f"{ROOT}/plots/look.json", encoding="utf-8") as file:
        check_apart(json.load(file)[scheme]["range"]["category"][:8], scheme)


main()
