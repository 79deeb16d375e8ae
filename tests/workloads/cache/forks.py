# SPDX-License-Identifier: GPL-2.0-only
"""Forks in the middle of a deep stack; the child goes on with it at the same addresses, returns from some of
it and calls others, while the parent does something else. Usage: forks.py SECONDS."""
import os
import sys
import time

import harness


def burn_parent():
    total = 0
    for i in range(300):
        total += i  # -> - | under parent
    return total


def burn_child():
    total = 0
    for i in range(300):
        total += i  # -> - | under child
    return total


def parent(pid):
    for _ in range(100):
        burn_parent()  # -> burn_parent
    os.waitpid(pid, 0)


def child():
    for _ in range(100):
        burn_child()  # -> burn_child


def down(n):
    """What fork() said, in both processes, from n frames deeper."""
    if not n:
        return os.fork()
    answer = down(n - 1)  # -> down
    if n == 15 and answer:
        parent(answer)  # -> parent
    if n in (5, 15) and not answer:
        child()  # -> child
    return answer


def main(end):
    while time.monotonic() < end:
        if down(35) == 0:  # -> down
            os._exit(0)


if __name__ == "__main__":
    harness.ready(__file__)
    main(time.monotonic() + float(sys.argv[1]))  # -> main
