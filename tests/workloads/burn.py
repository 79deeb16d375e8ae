# SPDX-License-Identifier: GPL-2.0-only
"""Burns CPU time in burn(). Usage: burn.py [SECONDS [EXIT_CODE]]; without SECONDS until killed.

Prints its pid first, unless $QUIET is set.
"""
import json
import os
import sys
from functools import partial

try:
    from time import thread_time
except ImportError:  # 3.6
    from time import CLOCK_THREAD_CPUTIME_ID, clock_gettime
    thread_time = partial(clock_gettime, CLOCK_THREAD_CPUTIME_ID)


def burn(seconds):
    end = thread_time() + seconds
    n = 0
    while thread_time() < end:
        for i in range(1000):
            n += i
    return n


def main():
    if "QUIET" not in os.environ:
        print(json.dumps({"pid": os.getpid()}), flush=True)
    burn(float(sys.argv[1]) if len(sys.argv) > 1 else 1e9)
    sys.exit(int(sys.argv[2]) if len(sys.argv) > 2 else 0)


if __name__ == "__main__":
    main()
