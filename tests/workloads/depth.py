# SPDX-License-Identifier: GPL-2.0-only
"""Burns CPU time under a stack of exactly N frames, until killed. Usage: depth.py N.

The frames are <module>, N - 2 times descend, leaf.
"""
import json
import os
import sys


def leaf():
    print(json.dumps({"pid": os.getpid(), "version": sys.version_info[:2]}), flush=True)
    n = 0
    while True:
        for i in range(1000):
            n += i


def descend(n):
    return descend(n - 1) if n > 1 else leaf()


if __name__ == "__main__":
    sys.setrecursionlimit(20000)
    descend(int(sys.argv[1]) - 2)
