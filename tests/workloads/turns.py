# SPDX-License-Identifier: GPL-2.0-only
"""Two threads that want to run all the time, so that one of them has the GIL and the other waits for it."""
import os
import sys
import threading


def turn():
    numbers.append(int(os.readlink("/proc/thread-self").split("/")[-1]))
    while True:
        count()


def count():
    total = 0
    for i in range(100000):
        total += i
    return total


numbers = []
threads = [threading.Thread(target=turn) for _ in range(2)]
for thread in threads:
    thread.daemon = True
    thread.start()
while len(numbers) < 2:
    pass
print(numbers)
sys.stdout.flush()
threads[0].join()
