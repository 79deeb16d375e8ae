# SPDX-License-Identifier: GPL-2.0-only
"""Programs of which the right answer is known: answers.py SCENE --progress FILE

FILE gets the rounds done and the time in ns, as tick.py writes them, and then what each function has had so
far: ns of a CPU, which with the GIL are those of C code that keeps it, ns asleep, or bytes. A line of JSON
says in which order they are.
"""
import argparse
import ctypes
import json
import mmap
import os
import signal
import struct
import sys
import threading
import time

MIB = 1 << 20
had = {}  # what each function has had, by its name


def heavy():
    for n in range(20000):
        n * n


def light():
    for n in range(20000):
        n * n


def long_sleep():
    time.sleep(0.010)


def middle_sleep():
    time.sleep(0.001)


def short_sleep():
    time.sleep(0.0002)


def holds_long():
    sum(range(2000000))  # C code that keeps the GIL


def holds_short():
    sum(range(500000))


def most():
    return bytearray(7 * MIB)


def some():
    return bytearray(2 * MIB)


def few():
    return bytearray(MIB)


def of_cpu(function):
    begin = time.thread_time_ns()
    function()
    return time.thread_time_ns() - begin


def asleep(function):
    begin = time.monotonic_ns(), time.thread_time_ns()
    function()
    return time.monotonic_ns() - begin[0] - (time.thread_time_ns() - begin[1])


def in_parts(wanted, measure):
    """Whichever has had least of its part comes next, so that the parts hold on a busy machine too."""
    had.update((function.__name__, 0) for function in wanted)

    def one_round():
        function = min(wanted, key=lambda one: had[one.__name__] / wanted[one])
        had[function.__name__] += measure(function)
    return one_round


def holds():
    """Two threads; the rounds are those of the one that is not the main thread."""
    had.update(holds_long=0, holds_short=0)

    def again(function):
        while True:
            had[function.__name__] += of_cpu(function)

    threading.Thread(target=again, args=(holds_short,), daemon=True).start()

    def one_round():
        had["holds_long"] += of_cpu(holds_long)
    return one_round


def grows():
    """70, 20 and 10 % of 40 MiB that are then given back, besides some Python objects."""
    had.update(most=0, some=0, few=0)
    ctypes.CDLL(None).mallopt(-3, MIB)  # M_MMAP_THRESHOLD: such memory is always new and always given back

    def one_round():
        kept = []
        for function in 4 * (most, some, few):
            kept.append(function())
            had[function.__name__] += len(kept[-1])
        kept = [(n, str(n)) for n in range(5000)]
    return one_round


SCENES = {"cpu": lambda: in_parts({heavy: 3, light: 1}, of_cpu),
          "offcpu": lambda: in_parts({long_sleep: 5, middle_sleep: 3, short_sleep: 2}, asleep),
          "gil": holds, "memory": grows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scene", choices=SCENES)
    parser.add_argument("--progress", required=True)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with open(options.progress, "r+b") as f:
        page = mmap.mmap(f.fileno(), 4096)
    one_round = SCENES[options.scene]()
    print(json.dumps({"pid": os.getpid(), "functions": list(had)}), flush=True)
    done = 0
    while True:
        one_round()
        done += 1
        struct.pack_into("<QQ%dQ" % len(had), page, 0, done, time.monotonic_ns(), *had.values())


if __name__ == "__main__":
    main()
