# SPDX-License-Identifier: GPL-2.0-only
"""Greenlets that switch, begin and end, for tests/oracle/step.c: each at another depth, with calls through C
in between, so that each has shims of its own on the C stack. After a warm-up it stops itself; what it does
then it does for ever. Usage: steps_greenlets.py DIRECTORY-WITH-GREENLET."""
import os
import signal
import sys

sys.path.insert(1, sys.argv[1])
import greenlet  # noqa: E402

BELOW = 12
WARM = 300  # rounds: every bytecode is specialized by then


def down(level, call):
    if level:
        return down(level - 1, call)
    return call()


def through_c(level, call):
    if level:
        return max(map(through_c, (level - 1,), (call,)))
    return call()


def generates(call):
    yield call()


def switch_a():
    GREENLETS[0].switch()
    return 0


def switch_b():
    GREENLETS[1].switch()
    return 0


def switch_c():
    GREENLETS[2].switch()
    return 0


def task_a():
    while True:
        down(3, switch_b)
        through_c(3, switch_b)


def task_b():
    while True:
        through_c(1, switch_c)
        list(generates(switch_c))
        for _ in generates(switch_c):
            pass


def brief():
    return 0


def task_main():
    rounds = 0
    while True:
        rounds += 1
        if rounds == WARM:
            os.kill(os.getpid(), signal.SIGSTOP)
        through_c(2, switch_a)
        down(1, switch_a)
        greenlet.greenlet(brief).switch()


GREENLETS = [greenlet.greenlet(task_a), greenlet.greenlet(task_b), greenlet.getcurrent()]
down(BELOW, task_main)
