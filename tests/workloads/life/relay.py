# SPDX-License-Identifier: GPL-2.0-only
"""Burns in a function that belongs to this version of Python, then becomes the next interpreter, in the same
process. Usage: relay.py ROUNDS SECONDS INTERPRETER..."""
import os
import sys
from functools import partial
from time import CLOCK_THREAD_CPUTIME_ID, clock_gettime

thread_time = partial(clock_gettime, CLOCK_THREAD_CPUTIME_ID)  # before 3.7 there is none


NAME = "burn_%d_%d" % sys.version_info[:2]
SOURCE = """
def %s(end):
    while thread_time() < end:
        sum(range(100))
""" % NAME
exec(compile(SOURCE, __file__, "exec"))


def main():
    rounds, seconds, interpreters = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    globals()[NAME](thread_time() + seconds)
    if rounds > 1:
        path = interpreters[rounds % len(interpreters)]
        os.execv(path, [path, "-IS", __file__, str(rounds - 1), sys.argv[2], *interpreters])


if __name__ == "__main__":
    main()
