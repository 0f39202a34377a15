#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The statistics of experiments against R (p.adjust and others), brute force, and made runs whose truth is known.

What is compared is never computed by the program itself.
"""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
from experiments import EXTENSION, NEAR, R, RUNS, bring, experiment, near, put, query_extension, read  # noqa: E402


# ---- many comparisons

def compare_adjusted(families):
    """{name: [(p, p_holm, p_bh)]} against p.adjust."""
    script = "".join(f"p <- c({', '.join(p or 'NA' for p, _, _ in rows)})\nsay('{name} holm', p.adjust(p, 'holm'))\nsay('{name} BH', p.adjust(p, 'BH'))\n"
                     for name, rows in families.items())
    want = R(script)
    for name, rows in families.items():
        for (p, holm, bh), h, b in zip(rows, want[f"{name} holm"], want[f"{name} BH"]):
            near(holm, h, f"{name}: Holm of {p}")
            near(bh, b, f"{name}: Benjamini & Hochberg of {p}")


@test
def many_comparisons_are_p_adjust():
    bring()
    three = lambda rows, p: [(r[p], r[f"{p}_holm"], r[f"{p}_bh"]) for r in rows]
    means, tiles = experiment("means"), experiment("tiles", "--log")
    families = {"model": three(experiment("model", "--interactions")[1:], "p"), "differences": three(means, "difference_p"), "pairs": three(means, "p"),
                "tiles": three([t for t in tiles if t["treatment"] < t["other"]], "p")}
    compare_adjusted(families)
    equal([len(v) for v in families.values()], [106, 14, 14, 91])
    check(any(p and float(h) < 0.05 for p, h, _ in families["differences"]), "nothing is sure")


main()
