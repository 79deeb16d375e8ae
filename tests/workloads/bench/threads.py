# SPDX-License-Identifier: GPL-2.0-only
"""Threads that compute and wait in turn, and end and are replaced after a while. Usage: threads.py [N],
default 16."""
import math
import random
import threading
import time

from tick import options, rounds, tick

COUNT = options.size or 16


def compute():
    total = 0.0
    for i in range(500):
        total += math.sin(i) * math.cos(i)
    tick()
    return total


def wait():
    time.sleep(0.002)


def mixed(steps):
    for _ in range(steps):
        wait() if random.random() < 0.5 else compute()


def start():
    thread = threading.Thread(target=mixed, args=(random.randint(50, 500),), daemon=True)
    thread.start()
    return thread


def main():
    running = [start() for _ in range(COUNT)]
    for _ in rounds():
        running = [thread if thread.is_alive() else start() for thread in running]
        compute()


if __name__ == "__main__":
    main()
