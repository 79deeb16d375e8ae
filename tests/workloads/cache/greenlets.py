# SPDX-License-Identifier: GPL-2.0-only
"""Greenlets: three stacks of calls take turns on one thread, at the same C stack and with equal frames.
Usage: greenlets.py DIRECTORY-WITH-GREENLET."""
import sys

import harness

try:
    sys.path.insert(1, sys.argv[1])
    import greenlet
except ImportError as error:
    harness.skip("no greenlet for this interpreter: %s" % error)


def burn(who):
    total = 0
    if who == 0:
        for i in range(40):
            total += i  # -> - | under task_a
    elif who == 1:
        for i in range(40):
            total += i  # -> - | under task_b
    else:
        for i in range(40):
            total += i  # -> - | under task_main
    return total


def pause(n, who):
    if n:
        return pause(n - 1, who)  # -> pause
    burn(who)  # -> burn
    NEXT[who].switch()  # -> task_a, task_b
    return burn(who)  # -> burn


def through_c(n, who):
    return max(map(pause, (n,), (who,)))  # -> pause


def task_a():
    while True:
        pause(5, 0)  # -> pause
        through_c(5, 0)  # -> through_c


def task_b():
    while True:
        pause(5, 1)  # -> pause
        through_c(5, 1)  # -> through_c


def task_main():
    while True:
        pause(5, 2)  # -> pause
        through_c(3, 2)  # -> through_c


NEXT = [greenlet.greenlet(task_b), greenlet.getcurrent(), greenlet.greenlet(task_a)]

if __name__ == "__main__":
    harness.ready(__file__, roots=["task_a", "task_b"])
    task_main()  # -> task_main
