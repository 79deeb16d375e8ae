# SPDX-License-Identifier: GPL-2.0-only
"""What a guest of old.sh profiles: shares of CPU time that it knows, and a sleep."""
import os
import time


def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def much():
    busy(0.06)


def little():
    busy(0.02)


def nap():
    time.sleep(0.02)


print("begun", os.getpid(), flush=True)
while time.process_time() < 20:
    much()
    little()
    nap()
