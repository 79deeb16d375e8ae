# SPDX-License-Identifier: GPL-2.0-only
"""crowd.py PROCESSES SECONDS: makes processes that are each busy for a moment and then sleep, until there are
so many, or the time is over, or memory is short. Says how many there are, and in which time."""
import os
import select
import signal
import sys
import time

AT_ONCE = 256
BUSY = 0.03  # s of the CPU
SPARE = 400  # MiB


def available():
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("MemAvailable"))


def burn():
    while time.process_time() < BUSY:
        sum(range(500))


def child(ready):
    try:
        burn()
        os.write(ready, b".")
        while True:
            signal.pause()
    finally:
        os._exit(1)


def main():
    goal, limit = int(sys.argv[1]), float(sys.argv[2])
    began = time.monotonic()
    came, ready = os.pipe()
    count = 0
    while count < goal and time.monotonic() - began < limit and available() > SPARE:
        waited = min(AT_ONCE, goal - count)
        for _ in range(waited):
            if not os.fork():
                child(ready)
        count += waited
        while waited and select.select([came], [], [], max(0, began + limit - time.monotonic()))[0]:
            waited -= len(os.read(came, waited))
    print(count, round(time.monotonic() - began), available(), flush=True)


main()
