# SPDX-License-Identifier: GPL-2.0-only
"""Executes new files one after another; the code objects, names and file names of the last one have gone when
the next are made, so that all of them stand at the same addresses. File gen_N.py has the functions fn_N and
same, and a <module>. Usage: recycled.py [SECONDS]: every hundredth file runs that long, so that for as long
nothing is new."""
import sys
import time

import harness

SOURCE = """
def same(n):
    total = 0
    for i in range(n):
        total += i
    return total
def fn_%06d(n):
    total = 0
    while True:
        for i in range(n):
            total += i
        if clock() >= end:
            return same(n)
fn_%06d(600)
"""


def make(number, seconds):
    code = compile(SOURCE % (number, number), "gen_%06d.py" % number, "exec")
    exec(code, {"clock": time.monotonic, "end": time.monotonic() + seconds})  # -> *stdlib


def main(pause):
    number = 0
    while True:
        make(number, pause if number % 100 == 99 else 0)  # -> make
        number = (number + 1) % 1000000


if __name__ == "__main__":
    harness.ready(__file__)
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 0)  # -> main
