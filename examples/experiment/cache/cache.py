#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A cache of pages and what is asked of it, simulated: the same numbers everywhere. Prints misses per 1000 accesses."""
import argparse
import collections
import os
import random

ACCESSES = 20000
WORKLOADS = {
    "skewed": lambda r, i: int(r.paretovariate(1)) % 500,   # few pages are asked for often
    "loop": lambda r, i: i % 100,                           # one after the other, again and again
}

parser = argparse.ArgumentParser()
parser.add_argument("--pages", type=int, default=64)
parser.add_argument("--prefetch", action="store_true")
parser.add_argument("--workload", choices=WORKLOADS, default="skewed")
args = parser.parse_args()
policy = os.environ.get("CACHE_POLICY", "lru")
chance = random.Random(1)
cache = collections.OrderedDict()
misses = 0


def load(page):
    if len(cache) >= args.pages:
        if policy == "random":
            del cache[chance.choice(list(cache))]
        else:
            cache.popitem(last=False)  # the oldest: by its use, or by when it came
    cache[page] = True


for i in range(ACCESSES):
    page = WORKLOADS[args.workload](chance, i)
    if page in cache:
        if policy == "lru":
            cache.move_to_end(page)
        continue
    misses += 1
    load(page)
    if args.prefetch and page + 1 not in cache:
        load(page + 1)
print(f"{1000 * misses / ACCESSES:.1f} misses per 1000 accesses")
