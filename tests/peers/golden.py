#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each plot of plots/, as PNG of real runs, looks like tests/peers/golden/NAME.png, which somebody has looked at.

Pictures are compared as blocks of their mean colour, which heeds neither antialiasing nor hinting. With BLESS=1, those
that differ are written anew: look at them. What was drawn instead is in $BUILD/golden.
"""

import ctypes
import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, cases, check, equal, main, note, path, test, write  # noqa: E402
import peers  # noqa: E402
from specs import PLOTS, plot  # noqa: E402

GOLDEN, DRAWN = f"{ROOT}/tests/peers/golden", f"{os.environ['BUILD']}/golden"
RENDER, BUNDLE = f"{os.environ['BUILD']}/spanloom-render", f"{ROOT}/page/dist/headless.js"
SCALE = 3  # so many pixels of what is drawn, which are half of one of a page, are one of what is stored
BLOCK, LARGE = 4, 3  # pixels of a stored picture that a block is wide, and blocks that a large one is wide
# How far colours may differ, of 255: as a mean of blocks, and in any large block. What Chromium draws of the same SVG
# differs by up to 0.6 and 7, a legend without its words by 1.3 and 48.
MEAN, GREATEST = 1.0, 12.0
SIZE = 3  # so many pixels may a stored picture be larger, for fonts differ

if not os.path.exists(f"{ROOT}/page/dist/made-of"):
    peers.skip("there is no npm, or its registry does not answer")
if not os.path.exists(RENDER):
    peers.skip("there is no JavaScriptCore to build spanloom-render with")


# ---- pixels, by cairo, which spanloom-render needs anyway

RGB24, GOOD = 1, 1
cairo = ctypes.CDLL("libcairo.so.2")
for function in "image_surface_create", "image_surface_create_from_png", "create", "get_source":
    getattr(cairo, f"cairo_{function}").restype = ctypes.c_void_p
cairo.cairo_image_surface_get_data.restype = ctypes.POINTER(ctypes.c_char)


def call(function, *args):
    kinds = {bytes: ctypes.c_char_p, float: ctypes.c_double, int: ctypes.c_void_p}
    return getattr(cairo, f"cairo_{function}")(*(kinds[type(a)](a) for a in args))


class Picture:
    """A PNG file; scale: how many of its pixels are one of a stored picture."""

    def __init__(self, file, scale):
        self.surface, self.scale = call("image_surface_create_from_png", os.fsencode(file)), scale
        equal(call("surface_status", self.surface), 0, file)
        self.width, self.height = (
            call(f"image_surface_get_{side}", self.surface) // scale for side in ("width", "height")
        )

    def __del__(self):
        call("surface_destroy", self.surface)

    def reduced(self, by):
        """A surface of the mean colours of squares of so many pixels of a stored picture."""
        surface = call("image_surface_create", RGB24, self.width // by, self.height // by)
        context = call("create", surface)
        call("scale", context, 1 / (by * self.scale), 1 / (by * self.scale))
        call("set_source_surface", context, self.surface, 0.0, 0.0)
        call("pattern_set_filter", call("get_source", context), GOOD)
        call("paint", context)
        call("destroy", context)
        call("surface_flush", surface)
        return surface

    def store(self, file):
        surface = self.reduced(1)
        equal(call("surface_write_to_png", surface, os.fsencode(file)), 0, file)
        call("surface_destroy", surface)

    def blocks(self):
        """Rows of (red, green, blue)."""
        surface = self.reduced(BLOCK)
        width, height, stride = (call(f"image_surface_get_{x}", surface) for x in ("width", "height", "stride"))
        data = cairo.cairo_image_surface_get_data(ctypes.c_void_p(surface))[: stride * height]
        call("surface_destroy", surface)
        one = [int.from_bytes(data[i : i + 4], sys.byteorder) for i in range(0, stride * height, 4)]
        pixels = [(p >> 16 & 255, p >> 8 & 255, p & 255) for p in one]
        return [pixels[y * stride // 4 :][:width] for y in range(height)]


def differences(golden, drawn):
    """(of sizes in pixels, the mean, the greatest, where that is)"""
    sizes = max(abs(golden.width - drawn.width), abs(golden.height - drawn.height))
    a, b = golden.blocks(), drawn.blocks()
    height, width = min(len(a), len(b)), min(len(a[0]), len(b[0]))
    by_block = [[tuple(q - p for p, q in zip(a[y][x], b[y][x])) for x in range(width)] for y in range(height)]
    mean = sum(abs(c) for row in by_block for block in row for c in block) / (3 * width * height)
    greatest, where = 0, None
    for y in range(0, height - LARGE + 1):
        for x in range(0, width - LARGE + 1):
            inside = [block for row in by_block[y : y + LARGE] for block in row[x : x + LARGE]]
            most = max(abs(sum(c)) / LARGE**2 for c in zip(*inside))
            if most > greatest:
                greatest, where = most, (x * BLOCK, y * BLOCK)
    return sizes, mean, greatest, where


def different(golden, drawn):
    """What is, in words; or nothing."""
    sizes, mean, greatest, where = differences(golden, drawn)
    if sizes > SIZE:
        return f"{drawn.width} x {drawn.height} pixels, not {golden.width} x {golden.height}"
    if mean > MEAN or greatest > GREATEST:
        return f"colours differ by {mean:.2f} of 255, and by {greatest:.1f} at {where}"
    return ""


# ---- plots


@test
def every_plot_has_a_picture():
    names = {os.path.basename(file)[:-5] for file in glob.glob(f"{ROOT}/plots/*.json")} - {"look"}
    equal(set(PLOTS), names)
    equal({os.path.basename(file)[:-4] for file in glob.glob(f"{GOLDEN}/*")}, names)


@cases(*PLOTS)
def looks_as_it_did(name):
    golden, drawn = f"{GOLDEN}/{name}.png", Picture(plot(name, "x.png"), SCALE)
    what = different(Picture(golden, 1), drawn) if os.path.exists(golden) else "there is no such picture"
    if what and os.environ.get("BLESS"):
        os.makedirs(GOLDEN, exist_ok=True)
        drawn.store(golden)
    elif what:
        os.makedirs(DRAWN, exist_ok=True)
        drawn.store(f"{DRAWN}/{name}.png")
        check(False, f"{DRAWN}/{name}.png is not like {golden}: {what}")


# ---- what is seen, and what is not


def seen(change, name):
    """How a picture differs from itself with another specification."""
    with open(plot(name, "x.json"), encoding="utf-8") as file:
        text = file.read()
    spec = json.loads(text)
    changed = change(spec) or spec
    pictures = []
    for what in text, json.dumps(changed):
        drawn = subprocess.run([RENDER, "png", BUNDLE], input=what.encode(), stdout=subprocess.PIPE, check=True).stdout
        pictures.append(Picture(write(path(f"{len(pictures)}.png"), drawn), SCALE))
    return differences(*pictures), different(*pictures)


def recoloured(spec):
    return json.loads(json.dumps(spec).replace("#0072b2", "#cc79a7"))


def no_labels_of_the_legend(spec):
    spec["config"]["legend"]["labelOpacity"] = 0


def no_axis_labels(spec):
    spec["config"]["axis"]["labelOpacity"] = 0


def no_title(spec):
    spec["config"]["title"]["color"] = "#ffffff"


def no_legend(spec):
    spec["encoding"]["color"]["legend"] = None


def shifted(spec):
    rows = spec["datasets"]["states"]
    low, high = (f(r["time_ms"] for r in rows) for f in (min, max))
    spec["encoding"]["x"]["scale"]["domain"] = [low + 0.02 * (high - low), high + 0.02 * (high - low)]


def stretched(spec):
    spec["encoding"]["y"]["scale"] = {"domainMax": 1.05 * max(r["spans"] for r in spec["datasets"]["states"])}


CHANGES = recoloured, no_labels_of_the_legend, no_axis_labels, no_title, no_legend, shifted, stretched


@cases(*(change.__name__ for change in CHANGES))
def a_change_is_seen(name):
    [change] = (c for c in CHANGES if c.__name__ == name)
    how, what = seen(change, "states")
    note(what)
    check(what, "it is not:", how)


main()
