# SPDX-License-Identifier: GPL-2.0-only
"""A stack of exactly N frames, <module> and the leaf included. Usage: depth.py N [--call]."""
import sys

from tick import options, ready, tick


def leaf():
    ready()
    while True:
        tick()


def descend(n):
    return descend(n - 1) if n > 1 else leaf()


if __name__ == "__main__":
    sys.setrecursionlimit(options.size + 200)
    descend(options.size - 2)
