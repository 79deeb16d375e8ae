# SPDX-License-Identifier: GPL-2.0-only
"""N distinct stacks, one after the other: a path through 20 calls, each made from one of two lines. Usage:
stacks.py N.

A round visits every stack once, in an order that leaves little of the path from one to the next.
"""
from tick import options, rounds, tick

LEVELS = 20


def step(path, level):
    if not level:
        tick()
    elif path & 1:
        step(path >> 1, level - 1)
    else:
        step(path >> 1, level - 1)


def main():
    count = options.size or 1
    for _ in rounds():
        for path in range(count):
            step(path, LEVELS)


if __name__ == "__main__":
    main()
