# SPDX-License-Identifier: GPL-2.0-only
"""Threads that want the GIL: gil.py SCENE LIBRARY ACCOUNT

Prints a line of JSON when it is ready: its pid, and lines by their names. LIBRARY is gil.c. The nanoseconds
that holds_long and holds_short have held the GIL go into the file ACCOUNT, one 64-bit number each. The scene
"calls" needs neither, nor ctypes.
"""
import json
import os
import sys
import threading
import time

if sys.argv[1] == "shares":
    import ctypes
    import mmap

    library = ctypes.PyDLL(sys.argv[2])  # a PyDLL's functions are called with the GIL
    library.hold.restype = ctypes.c_long
    with open(sys.argv[3], "r+b") as f:
        account = (ctypes.c_int64 * 2).from_buffer(mmap.mmap(f.fileno(), 16))


def holds_long():
    while True:
        account[0] += library.hold(40000)  # line: holds_long


def holds_short():
    while True:
        account[1] += library.hold(10000)  # line: holds_short


def outer(depth):
    """Calls come and go all the time while the others look."""
    return inner(depth) + inner(depth - 1)


def inner(depth):
    return outer(depth - 1) if depth > 1 else 1


def calls():
    while True:
        outer(8)


SCENES = {"shares": (holds_long, holds_short), "calls": (calls, calls, calls, calls)}


def main():
    for function in SCENES[sys.argv[1]]:
        thread = threading.Thread(target=function)
        thread.daemon = True
        thread.start()
    lines = {text.split("# line: ")[1].strip(): number
             for number, text in enumerate(open(__file__).read().splitlines(), 1)
             if "# line: " in text and "split" not in text}
    print(json.dumps({"pid": os.getpid(), "lines": lines}))
    sys.stdout.flush()
    while True:
        time.sleep(1000)


if __name__ == "__main__":
    main()
