# SPDX-License-Identifier: GPL-2.0-only
"""Asyncio tasks that run, each awaited in another way by others. Prints a JSON object, and goes on for ever.
Line comments name the places."""
import asyncio
import json
import os
import time

kept = []  # tasks that nobody awaits


def spin():
    end = time.perf_counter() + 0.002
    while time.perf_counter() < end:
        pass


async def leaf():
    while True:
        spin()  # runs: leaf
        await asyncio.sleep(0)


def start(coroutine, name):
    task = asyncio.create_task(coroutine, name=name)
    kept.append(task)
    return task


async def of(task):
    await task  # runs: of


async def alone():
    start(leaf(), "alone")


async def chain():
    """A task that awaits, in an inner coroutine, a task that awaits another."""
    await of(start(of(start(leaf(), "chain")), "between"))  # runs: chain


async def gathers():
    await asyncio.gather(of(start(leaf(), "gathered")), asyncio.sleep(3600))  # runs: gathers


async def nested():
    """A gather() in another one."""
    await asyncio.gather(asyncio.gather(start(leaf(), "nested")), asyncio.sleep(3600))  # runs: nested


async def shields():
    await asyncio.shield(asyncio.gather(start(leaf(), "shielded")))  # runs: shields


async def timed():
    await asyncio.wait_for(start(leaf(), "timed"), 3600)  # runs: timed


async def told():
    """A task whose end others are told of, who do not wait for it."""
    task = start(leaf(), "told")
    for _ in range(2):
        task.add_done_callback(set().discard)
    await task  # runs: told


async def grouped():
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(leaf(), name="grouped")


async def shared():
    """Two tasks await one."""
    one = start(leaf(), "shared")
    start(of(one), "first")
    start(of(one), "second")


async def items(task):
    await task  # runs: items
    yield 1


async def generates():
    async for _ in items(start(leaf(), "generator")):  # runs: generates
        pass


async def cycle():
    """Of two tasks that await each other, one awaits a third as well."""
    tasks = []

    async def both():
        await asyncio.gather(tasks[0], tasks[1])  # runs: both

    async def other():
        await tasks[2]  # runs: other
    tasks += [start(leaf(), "cycle"), start(other(), "other")]
    tasks.append(start(both(), "both"))


async def deep(count=30):
    """Each of so many tasks awaits the next."""
    await start(deep(count - 1) if count else leaf(), "deep" if not count else "above")  # runs: deep


async def unnamed():
    for _ in range(3):
        kept.append(asyncio.create_task(leaf()))


async def begin():
    scenes = [alone, chain, gathers, nested, shields, timed, told, shared, generates, cycle, deep, unnamed]
    if hasattr(asyncio, "TaskGroup"):
        scenes.append(grouped)
    for scene in scenes:
        start(scene(), scene.__name__ + " scene")
    await asyncio.sleep(0.3)
    start(leaf(), "n\u00e4me \u2603 " + 100 * "x")
    print(json.dumps({"pid": os.getpid()}), flush=True)
    await asyncio.get_running_loop().create_future()


asyncio.run(begin())  # runs: run
