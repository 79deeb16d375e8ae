# SPDX-License-Identifier: GPL-2.0-only
"""Functions that threads of C call, each with a thread state of its own.

The library is callbacks.c. Usage: callbacks.py LIBRARY works|sleeps THREADS"""
import ctypes
import json
import os
import sys
import time


def work():
    n = 0
    for i in range(100000):  # a call that is long beside the C that makes it: 3.15 takes some for its state
        n += i * i
    return n


def called_to_work():
    work()


def called_to_sleep():
    time.sleep(0.01)


if __name__ == "__main__":
    print(json.dumps({"pid": os.getpid()}), flush=True)
    kind = ctypes.CFUNCTYPE(None)
    ctypes.CDLL(sys.argv[1]).run(kind({"works": called_to_work, "sleeps": called_to_sleep}[sys.argv[2]]),
                                 int(sys.argv[3]))
