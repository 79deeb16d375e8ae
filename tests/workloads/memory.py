# SPDX-License-Identifier: GPL-2.0-only
"""Grows and shrinks by known amounts, when told to: memory.py

Prints a line of JSON when it is ready, and for each line that it reads: a scene, whose result is a line of
JSON with the resident memory before and after it, in bytes.
"""
import json
import mmap
import os
import sys
import threading

MIB = 1 << 20
CHUNK = b"x" * 65536
kept = []


def resident():
    """By walking over the page tables: exact, other than /proc/PID/statm."""
    with open("/proc/self/smaps_rollup") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("Rss:")) * 1024


def take(size):
    return bytearray(size)


def most():
    kept.append(take(7 * MIB))


def some():
    kept.append(take(2 * MIB))


def few():
    kept.append(take(MIB))


def grow():
    """70, 20 and 10 % of 200 MiB."""
    for _ in range(20):
        most()
        some()
        few()


def drop():
    kept.clear()


def objects():
    """Small objects, from CPython's own allocator."""
    kept.append([(n, str(n)) for n in range(300000)])


def shared():
    """Memory that belongs to a file, and so is counted apart by the kernel."""
    area = mmap.mmap(-1, 40 * MIB)
    for at in range(0, len(area), mmap.PAGESIZE):
        area[at] = 1
    kept.append(area)


def in_turns():
    """The same memory again and again."""
    for _ in range(50):
        area = mmap.mmap(-1, 4 * MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for _ in range(0, len(area), len(CHUNK)):
            area.write(CHUNK)
        area.close()


def first():
    kept.append(take(60 * MIB))


def second():
    kept.append(take(40 * MIB))


def threads():
    both = [threading.Thread(target=function) for function in (first, second)]
    for one in both:
        one.start()
    for one in both:
        one.join()


def in_child():
    kept.append(take(30 * MIB))


def fork():
    """The child writes to what it has in common with us, which makes it no larger; and then it grows."""
    before = resident()
    child = os.fork()
    if not child:
        for one in kept:
            one[::mmap.PAGESIZE] = bytes(len(range(0, len(one), mmap.PAGESIZE)))
        common = resident()
        in_child()
        print(json.dumps({"pid": os.getpid(), "before": common, "after": resident()}), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    return before


def main():
    print(json.dumps({"pid": os.getpid()}), flush=True)
    for line in sys.stdin:
        before = resident()
        globals()[line.strip()]()
        print(json.dumps({"before": before, "after": resident()}), flush=True)


main()
