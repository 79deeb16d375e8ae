# SPDX-License-Identifier: GPL-2.0-only
"""900 frames of recursion and nothing but waiting at the bottom."""
import sys
import time

from tick import options, rounds, tick

DEPTH = 900


def wait():
    for _ in rounds():
        if options.call or options.record:
            tick()
        else:
            time.sleep(0.001)


def factorial(n):
    if n > 1:
        return n * factorial(n - 1)
    wait()
    return 1


if __name__ == "__main__":
    sys.setrecursionlimit(DEPTH + 200)
    factorial(DEPTH - 2)  # and <module> and wait()
