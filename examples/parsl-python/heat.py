# SPDX-License-Identifier: Apache-2.0
"""What the apps call: a module, so that the workers can import it."""
import time

import spanloom


@spanloom.critical_path(args="n")
def solve(n):
    grid = [0.0] * 1000
    for step in range(n):
        smooth(grid)
    return sum(grid)


@spanloom.critical_path
def smooth(grid):
    grid[0] = 1.0
    for i in range(1, len(grid) - 1):
        grid[i] = (grid[i - 1] + grid[i] + grid[i + 1]) / 3
    time.sleep(0.002)


if __name__ == "__main__":
    print(solve(5))
