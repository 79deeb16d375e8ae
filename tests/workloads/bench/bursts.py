# SPDX-License-Identifier: GPL-2.0-only
"""Wakes up by a timer every 10 ms and works for 2 ms: a sampler whose ticks keep step with timers sees all of
it or nothing. Runs until killed."""
import json
import os
import time

PERIOD, WORK = 0.01, 0.002


def work(end):
    while time.thread_time() < end:
        pass


print(json.dumps({"pid": os.getpid()}), flush=True)
due = time.monotonic()
while True:
    work(time.thread_time() + WORK)
    due = max(due + PERIOD, time.monotonic())
    time.sleep(max(0, due - time.monotonic()))
