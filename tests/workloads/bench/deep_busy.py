# SPDX-License-Identifier: GPL-2.0-only
"""900 frames of recursion whose last few change all the time."""
import sys

from tick import rounds, tick

DEPTH = 900


def leaf(n):
    total = 0
    for i in range(n):
        total += i * i
    tick()
    return total


def left(n):
    return leaf(n) + 1


def right(n):
    return left(n) + leaf(n)


def busy():
    for _ in rounds():
        for i in range(20):
            left(10 + i)
            right(10 + i)


def descend(n):
    return descend(n - 1) if n > 1 else busy()


if __name__ == "__main__":
    sys.setrecursionlimit(DEPTH + 200)
    descend(DEPTH - 2)
