# SPDX-License-Identifier: GPL-2.0-only
"""Once it was told to, computes and sleeps in turn, and tells each time when: a line of JSON
[what, begin, end], Unix seconds."""
import json
import time


def compute(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))


def rest():
    time.sleep(0.2)


def tell(what, function, *arguments):
    begin = time.time()
    function(*arguments)
    print(json.dumps([what, begin, time.time()]), flush=True)


print(json.dumps({"ready": True}), flush=True)
input()
for _ in range(5):
    tell("compute", compute, 0.2)
    tell("rest", rest)
input()
