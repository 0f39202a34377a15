#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_trace.py FILE EVENTS [whole]: a trace as PerfFlowAspect writes it: begins and ends, or whole calls when they end."""
import random
import sys


def main():
    path, events, whole = sys.argv[1], int(sys.argv[2]), len(sys.argv) > 3
    r, t, depth, made = random.Random(1), 1795162300000000000, [], 0
    line = '{"name": "%s", "cat": "/home/user/src/solver.c", "pid": 4711, "tid": 4711, "ts": %d.%03d, "ph": "%s"%s},\n'
    with open(path, "w", encoding="ascii") as f:
        f.write("[\n")
        while made < events or depth:
            t += r.randint(50, 3000)
            if depth and (made >= events or len(depth) > 8 or r.random() < .5):
                name, begin = depth.pop()
                if whole:
                    f.write(line % (name, *divmod(begin, 1000), "X", ', "dur": %d.%03d' % divmod(t - begin, 1000)))
                else:
                    f.write(line % (name, *divmod(t, 1000), "E", ""))
                made += 1
            else:
                depth.append((f"function_{r.randrange(50)}", t))
                if not whole:
                    f.write(line % (depth[-1][0], *divmod(t, 1000), "B", ""))
                    made += 1


main()
