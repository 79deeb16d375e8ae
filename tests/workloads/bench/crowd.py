# SPDX-License-Identifier: GPL-2.0-only
"""Many processes or threads of which most sleep. Usage: crowd.py N [--threads] (before: options of tick.py).

Three of them are busy; the others wake up now and then and do a little.
"""
import os
import signal
import sys
import threading
import time

THREADS = "--threads" in sys.argv
if THREADS:
    sys.argv.remove("--threads")

from tick import options, ready  # noqa: E402

BUSY = 3
PAUSE = 5  # seconds between two wake-ups of one


def compute(n):
    total = 0
    for i in range(n):
        total += i
    return total


def busy():
    while True:
        compute(1000)


def sleepy():
    while True:
        time.sleep(PAUSE)
        compute(1000)


def role(i):
    return busy if i < BUSY else sleepy


def fork(i):
    pid = os.fork()
    if not pid:
        try:
            role(i)()
        finally:
            os._exit(0)
    return pid


def main():
    children = []
    if THREADS:
        threading.stack_size(128 << 10)
        # the busy ones last: they would keep the others from starting
        for i in reversed(range(1, options.size)):
            threading.Thread(target=role(i), daemon=True).start()
    else:
        children = [fork(i) for i in range(1, options.size)]
        signal.signal(signal.SIGTERM, lambda *_: [os.kill(pid, signal.SIGKILL) for pid in children] and
                      os._exit(0))
    ready(pids=[os.getpid(), *children])
    busy()


if __name__ == "__main__":
    main()
