# SPDX-License-Identifier: GPL-2.0-only
"""Three threads that burn CPU time, in one(), two() and three(), at once where there is no GIL. Runs until
SIGTERM, then prints the CPU seconds of each thread and those on the clock."""
import json
import os
import signal
import threading
import time

USED = {}
BEGIN = time.monotonic()


def burn(end):
    n = 0
    while time.thread_time() < end:
        for i in range(200):
            n += i
    return n


def forever(name):
    while True:
        burn(time.thread_time() + 0.002)
        USED[name] = time.thread_time()


def one():
    forever("one")


def two():
    forever("two")


def three():
    forever("three")


def report(*_):
    print(json.dumps({"used": USED, "seconds": time.monotonic() - BEGIN}), flush=True)
    os._exit(0)


def main():
    signal.signal(signal.SIGTERM, report)
    for function in (one, two, three):
        threading.Thread(target=function, daemon=True).start()
    print(json.dumps({"pid": os.getpid()}), flush=True)
    while True:
        time.sleep(0.1)


if __name__ == "__main__":
    main()
