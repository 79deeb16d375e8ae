# SPDX-License-Identifier: GPL-2.0-only
"""A chain of 30 calls, over and over, with equal work at each depth: call_00 calls call_01 and so on, so
every legal edge is known by name, and an honest profiler's samples are spread evenly over the depths."""
from tick import rounds

DEPTH = 30
SOURCE = """
def call_{0:02d}():
    total = 0
    for i in range(30):
        total += i
    {1}
    return total
"""


def define():
    names = {}
    for i in range(DEPTH, -1, -1):
        exec(compile(SOURCE.format(i, "call_%02d()" % (i + 1) if i < DEPTH else "pass"), "chain_calls.py",
                     "exec"),
             names)
    return names["call_00"]


def main():
    first = define()
    for _ in rounds():
        for _ in range(20):
            first()


if __name__ == "__main__":
    main()
