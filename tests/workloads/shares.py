# SPDX-License-Identifier: GPL-2.0-only
"""Burns CPU time in heavy() and light(), 3 to 1 by construction: whichever is behind its share runs next.

Runs until SIGTERM, then prints the CPU seconds spent in each. Slices have random lengths, so that they cannot
beat with the sampling clock.
"""
import json
import os
import random
import signal
import sys
from functools import partial

if sys.version_info >= (3, 7):
    from time import thread_time
elif sys.version_info >= (3,):
    from time import CLOCK_THREAD_CPUTIME_ID, clock_gettime
    thread_time = partial(clock_gettime, CLOCK_THREAD_CPUTIME_ID)
else:
    from time import clock as thread_time  # of the process, which has one thread

RATIO = 3
USED = {"heavy": 0.0, "light": 0.0}


def heavy(end):
    n = 0
    while thread_time() < end:
        for i in range(100):
            n += i
    return n


def light(end):
    n = 0
    while thread_time() < end:
        for i in range(100):
            n += i
    return n


def say(what):
    print(json.dumps(what))
    sys.stdout.flush()


def report(*_):
    say(USED)
    os._exit(0)


def main():
    signal.signal(signal.SIGTERM, report)
    say({"pid": os.getpid()})
    draw = random.Random(int(sys.argv[1]))
    while True:
        function = heavy if USED["heavy"] <= RATIO * USED["light"] else light
        start = thread_time()
        function(start + draw.uniform(0.0005, 0.003))
        USED[function.__name__] += thread_time() - start


if __name__ == "__main__":
    main()
