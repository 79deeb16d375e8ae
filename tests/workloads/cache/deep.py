# SPDX-License-Identifier: GPL-2.0-only
"""Stacks deeper than the cache, on two roots with frames of equal size, that change at the leaf side; now and
then the root changes and nothing else. Usage: deep.py FRAMES."""
import sys
import time

import harness


def burn(who):
    total = 0
    if who:
        for i in range(300):
            total += i  # -> - | under root_a
    else:
        for i in range(300):
            total += i  # -> - | under root_b
    return total


def wiggle(n, who):
    if n:
        return wiggle(n - 1, who)  # -> wiggle
    return burn(who)  # -> burn


def bottom(who):
    end = time.thread_time() + 0.25
    while time.thread_time() < end:
        for n in 0, 5, 30, 2:
            wiggle(n, who)  # -> wiggle


def down(n, who):
    if n:
        return down(n - 1, who)  # -> down
    return bottom(who)  # -> bottom


def root_a(n):
    return down(n, True)  # -> down


def root_b(n):
    return down(n, False)  # -> down


def main(frames):
    while True:
        root_a(frames - 4)  # -> root_a
        root_b(frames - 4)  # -> root_b


if __name__ == "__main__":
    sys.setrecursionlimit(20000)
    harness.ready(__file__)
    main(int(sys.argv[1]))  # -> main
