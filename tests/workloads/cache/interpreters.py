# SPDX-License-Identifier: GPL-2.0-only
"""The main interpreter and two sub-interpreters take turns on one thread: a thread state each, on the same C
stack. The sub-interpreters also run files that are new every time, at recycled addresses (as recycled.py
does)."""
import sys

import harness

SUB = """
def same(n):
    total = 0
    for i in range(n):
        total += i
    return total
def fn_%06d(n):
    total = 0
    for i in range(n):
        total += i
    return same(n)
fn_%06d(200)
"""
SCRIPT = "exec(compile(%r, 'gen_%06d.py', 'exec'), {})"


def runner():
    """A function that runs a script in one of two interpreters by number."""
    try:
        if sys.version_info >= (3, 14):
            from concurrent import interpreters
            made = [interpreters.create(), interpreters.create()]
            return lambda i, script: made[i].exec(script)  # -> *stdlib
        if sys.version_info >= (3, 13):
            import _interpreters
            made = [_interpreters.create(), _interpreters.create()]
            return lambda i, script: _interpreters.exec(made[i], script)  # -> *stdlib
        import _xxsubinterpreters
        made = [_xxsubinterpreters.create(), _xxsubinterpreters.create()]
        return lambda i, script: _xxsubinterpreters.run_string(made[i], script)  # -> *stdlib
    except ImportError as error:
        harness.skip("no sub-interpreters: %s" % error)


def burn():
    total = 0
    for i in range(200):
        total += i
    return total


def main_a():
    return burn()  # -> burn


def main_b():
    return burn()  # -> burn


def main(run):
    number = 0
    while True:
        main_a()  # -> main_a
        run(0, SCRIPT % (SUB % (number, number), number))  # -> runner.<locals>.<lambda>
        main_b()  # -> main_b
        run(1, SCRIPT % (SUB % (number + 1, number + 1), number + 1))  # -> runner.<locals>.<lambda>
        number = (number + 2) % 1000000


if __name__ == "__main__":
    RUN = runner()
    harness.ready(__file__)
    main(RUN)  # -> main
