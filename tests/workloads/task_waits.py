# SPDX-License-Identifier: GPL-2.0-only
"""Asyncio tasks whose waits are known: one for each argument, or for all of them. Prints a JSON object, and
goes on for ever. Line comments name the places."""
import asyncio
import collections
import json
import os
import random
import signal
import sys
import threading
import time


waited = collections.Counter()  # seconds, by the place


async def waits(place, awaitable):
    begin = time.monotonic()
    await awaitable
    waited[place] += time.monotonic() - begin


def about(seconds):
    """So that several tasks do not keep step, not even after the machine had no time for them."""
    return seconds * random.uniform(0.5, 1.5)


async def alternates():
    """Waits three times as long in one line as in the other."""
    while True:
        await waits("long", asyncio.sleep(about(0.075)))  # waits: long
        await waits("short", asyncio.sleep(about(0.025)))  # waits: short


async def shares():
    """On SIGTERM it ends, and prints what they have waited."""
    tasks = [asyncio.create_task(alternates()) for _ in range(20)]
    ends = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ends.set)
    await ends.wait()
    print(json.dumps(waited), flush=True)
    os._exit(0 if tasks else 1)


async def innermost():
    await asyncio.get_running_loop().create_future()  # waits: innermost


async def gathers():
    await asyncio.gather(innermost(), innermost())  # waits: gathers


async def of(task):
    await task  # waits: of


async def chain():
    """A task that awaits a task that awaits a gather."""
    await of(asyncio.create_task(gathers(), name="gathers"))  # waits: chain


async def group():
    async with asyncio.TaskGroup() as tasks:
        for _ in range(3):
            tasks.create_task(innermost())


async def shared():
    """Two tasks await one."""
    one = asyncio.create_task(innermost())
    await asyncio.gather(of(one), of(one))


async def acquires(lock):
    async with lock:  # waits: acquires
        pass


async def queue():
    """Nobody gives the lock back."""
    lock = asyncio.Lock()
    await lock.acquire()
    await asyncio.gather(*(acquires(lock) for _ in range(3)))


async def cycle():
    """Two tasks await each other."""
    tasks = []

    async def other(number):
        await asyncio.sleep(0)
        await tasks[number]  # waits: other
    tasks += [asyncio.create_task(other(1)), asyncio.create_task(other(0))]
    await asyncio.get_running_loop().create_future()


async def deep(count=100):
    """Each of so many tasks awaits the next."""
    if count:
        await asyncio.create_task(deep(count - 1))
    else:
        await innermost()


async def busy():
    """Runs from some time on, so that no other task goes on."""
    await asyncio.sleep(0.5)
    while True:
        pass


async def many(count):
    """Of so many tasks nobody awaits any."""
    kept = [asyncio.create_task(of(asyncio.get_running_loop().create_future())) for _ in range(count)]
    await asyncio.get_running_loop().create_future()
    return kept


async def apart():
    await asyncio.gather(*(of(asyncio.get_running_loop().create_future()) for _ in range(2)))  # waits: apart


async def two_loops():
    """Another thread has a loop of its own."""
    threading.Thread(target=lambda: asyncio.run(apart()), name="apart", daemon=True).start()
    await innermost()  # waits: two_loops


async def begin(names):
    tasks = [asyncio.create_task(many(int(name)) if name.isdigit() else globals()[name](), name=name)
             for name in names]
    await asyncio.sleep(0.2)
    print(json.dumps({"pid": os.getpid()}), flush=True)
    for task in tasks:
        await task  # waits: root


asyncio.run(begin(sys.argv[1:]))
