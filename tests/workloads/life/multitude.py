# SPDX-License-Identifier: GPL-2.0-only
"""Many processes that start one after the other and stay. Usage: multitude.py COUNT SECONDS. Each burns so
many CPU seconds in burn(), a few at a time, since a thousand at once would leave nothing to anybody else.
Prints their pids when all have. They end with it."""
import ctypes
import json
import os
import signal
import sys
from time import thread_time

AT_ONCE = 4
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def burn(seconds):
    end = thread_time() + seconds
    while thread_time() < end:
        sum(range(100))


def main():
    count, seconds = int(sys.argv[1]), float(sys.argv[2])
    done, told = os.pipe()
    pids, ended = [], 0
    while len(pids) < count:
        if len(pids) - ended == AT_ONCE:
            ended += len(os.read(done, AT_ONCE))
        pid = os.fork()
        if not pid:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            burn(seconds)
            os.write(told, b".")
            signal.pause()
        pids.append(pid)
    while ended < count:
        ended += len(os.read(done, AT_ONCE))
    print(json.dumps({"pid": os.getpid(), "children": pids}), flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
