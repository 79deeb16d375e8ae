# SPDX-License-Identifier: GPL-2.0-only
"""CPU time in C code that has released the GIL, on two marked lines, until killed. Both have their turn every
few dozen milliseconds, so that a short profile has both.

Usage: released.py [threads]. With "threads", another thread runs Python all the while, so that the GIL is
held by somebody else when the C code is sampled.
"""
import hashlib
import json
import os
import sys
import threading

try:
    from zlib import compress
    digest = hashlib.sha256
except ImportError:  # built without these libraries; blake2 is CPython's own
    compress = digest = hashlib.blake2b

DATA = os.urandom(1 << 17) + b"\0" * (1 << 17)


def compressing():
    return compress(DATA)  # in C


def hashing():
    return digest(DATA * 4)  # in C


def burn_c():
    while True:
        compressing()
        for _ in range(3):
            hashing()


def hold_gil():
    n = 0
    while True:
        for i in range(1000):
            n += i


def main():
    with open(__file__) as source:
        lines = [n for n, text in enumerate(source, 1) if text.endswith("# in C\n")]
    if "threads" in sys.argv:
        holder = threading.Thread(target=hold_gil)
        holder.daemon = True
        holder.start()
    print(json.dumps({"pid": os.getpid(), "lines": lines}))
    sys.stdout.flush()
    burn_c()


if __name__ == "__main__":
    main()
