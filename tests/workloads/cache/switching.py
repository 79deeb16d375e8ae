# SPDX-License-Identifier: GPL-2.0-only
"""Greenlets that do nothing but switch, each at another depth, and with calls through C in between. A tick
mostly finds their frames as greenlet has linked them for the moment. Usage: switching.py
DIRECTORY-WITH-GREENLET."""
import sys

import harness

try:
    sys.path.insert(1, sys.argv[1])
    import greenlet
except ImportError as error:
    harness.skip("no greenlet for this interpreter: %s" % error)


def switch(who):
    if who == 0:
        NEXT[0].switch()  # -> - | under task_a
    elif who == 1:
        NEXT[1].switch()  # -> - | under task_b
    elif who == 2:
        NEXT[2].switch()  # -> - | under task_c
    else:
        NEXT[3].switch()  # -> - | under task_main
    return 0


def down(level, who):
    if level:
        return down(level - 1, who)  # -> down
    return switch(who)  # -> switch


def through_c(level, who):
    if level:
        return max(map(through_c, (level - 1,), (who,)))  # -> through_c
    return switch(who)  # -> switch


def task_a():
    while True:
        down(1, 0)  # -> down
        through_c(4, 0)  # -> through_c


def task_b():
    while True:
        down(9, 1)  # -> down
        through_c(2, 1)  # -> through_c


def task_c():
    while True:
        switch(2)  # -> switch


def task_main():
    while True:
        through_c(1, 3)  # -> through_c


NEXT = [greenlet.greenlet(task_b), greenlet.greenlet(task_c), greenlet.getcurrent(),
        greenlet.greenlet(task_a)]

if __name__ == "__main__":
    harness.ready(__file__, roots=["task_a", "task_b", "task_c"])
    task_main()  # -> task_main
