# SPDX-License-Identifier: GPL-2.0-only
"""Many processes that live at the same time. Usage: crowd.py COUNT SECONDS. Prints its children's pids; when
a line is read, each of them burns so many CPU seconds in burn() and stays. A second line is printed when all
have. They end with it."""
import ctypes
import json
import os
import signal
import sys
from time import thread_time

libc = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def burn(seconds):
    end = thread_time() + seconds
    while thread_time() < end:
        sum(range(100))


def child(gate, done, seconds):
    os.read(gate, 1)  # ends when the last writer closes it
    burn(seconds)
    os.write(done, b".")
    signal.pause()


def main():
    count, seconds = int(sys.argv[1]), float(sys.argv[2])
    gate, opener = os.pipe()
    done, told = os.pipe()
    pids = []
    for _ in range(count):
        pid = os.fork()
        if not pid:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            os.close(opener)
            child(gate, told, seconds)
        pids.append(pid)
    print(json.dumps({"pid": os.getpid(), "children": pids}), flush=True)
    sys.stdin.readline()
    os.close(opener)
    have = 0
    while have < count:
        have += len(os.read(done, count))
    print("done", flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
