# SPDX-License-Identifier: GPL-2.0-only
"""Threads that live for a moment, as many a second as Python can start: their numbers, thread states, C
stacks and frames are used again by the next. Prints, when told to end, how many there were."""
import _thread
import json
import signal
import sys
import time

import harness

started = 0


def burn_a():
    total = 0
    for i in range(200):
        total += i  # -> - | under first
    return total


def burn_b():
    total = 0
    for i in range(200):
        total += i  # -> - | under second
    return total


def first(done):
    burn_a()  # -> burn_a
    done()


def second(done):
    burn_b()  # -> burn_b
    done()


def stop(*_):
    print(json.dumps({"started": started, "seconds": time.monotonic() - BEGIN}), flush=True)
    sys.exit(0)


def main():
    global started
    lock = _thread.allocate_lock()
    while True:
        for function in first, second:
            lock.acquire()
            _thread.start_new_thread(function, (lock.release,))
            started += 1
            lock.acquire()
            lock.release()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    BEGIN = time.monotonic()
    harness.ready(__file__, roots=["first", "second"])
    main()  # -> main, stop
