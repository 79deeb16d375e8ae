# SPDX-License-Identifier: GPL-2.0-only
"""stacks.py [PROCESSES]: as many processes (1), each busy for ever in two million stacks that are all
different: one of 128 functions calls one of 128 others, and that one of 128 more, by chance."""
import os
import sys

WIDTH = 128


def functions(level, below):
    """WIDTH functions, each of which calls the one of those below that its argument names."""
    made = []
    for number in range(WIDTH):
        names = {"below": below, "WIDTH": WIDTH}
        exec(compile("def f_%d_%d(n):\n    return below[n %% WIDTH](n // WIDTH)\n" % (level, number),
                     "stacks.py", "exec"), names)
        made.append(names["f_%d_%d" % (level, number)])
    return made


def leaf(n):
    return sum(range(n % 50))


def run():
    first = functions(1, functions(2, functions(3, [leaf] * WIDTH)))
    n = os.getpid()
    while True:
        n = (n * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        first[n >> 57](n >> 20)


for _ in range(int(sys.argv[1]) - 1 if len(sys.argv) > 1 else 0):
    if not os.fork():
        break
print("busy", flush=True)
run()
