# SPDX-License-Identifier: GPL-2.0-only
"""A task that runs, and writes into its own object, and those that await it, what cannot be there. Prints a
JSON object, and goes on for ever."""
import asyncio
import ctypes
import itertools
import json
import mmap
import os
import random
import sys
import time

SIZE = 176  # bytes of a task that are searched for a pointer
kept = []


def place_of(task, value):
    """The address of the word in the task's object that has this value."""
    words = ctypes.string_at(id(task), SIZE)
    return id(task) + 8 * [int.from_bytes(words[i:i + 8], "little") & ~7
                           for i in range(0, SIZE, 8)].index(value)


def spin():
    end = time.perf_counter() + 0.01
    while time.perf_counter() < end:
        pass


def lies():
    """Addresses where no such object is."""
    hole = mmap.mmap(-1, 1 << 16)
    kept.append(hole)
    text = ctypes.create_string_buffer(os.urandom(1 << 16))
    kept.append(text)
    fixed = [0, 8, 1 << 63, 2 ** 64 - 8, 1 << 47, id(type), id(kept), id(None), id(int), id("a" * 9)]
    yield from fixed
    for _ in itertools.count():
        yield (ctypes.addressof(text) + random.randrange(1 << 16)) & ~7
        yield random.choice(fixed)


async def runs():
    task = asyncio.current_task()
    await asyncio.sleep(0.1)
    # Up to 3.13 no word says who awaits it, but what is called when it is done (fut_callback0).
    awaiter = place_of(task, id(kept[0])) if sys.version_info >= (3, 14) else id(task) + 24
    words = [awaiter, place_of(task, id(name)), place_of(task, id(task.get_coro()))]
    print(json.dumps({"pid": os.getpid()}), flush=True)
    for lie in lies():
        for word in words:
            before = ctypes.c_uint64.from_address(word).value
            ctypes.c_uint64.from_address(word).value = lie
            spin()
            ctypes.c_uint64.from_address(word).value = before


async def begin():
    await asyncio.create_task(runs(), name=name)


async def main():
    kept.append(asyncio.create_task(begin()))
    await kept[0]


name = "lies".join(("", "!"))
asyncio.run(main())
