# SPDX-License-Identifier: GPL-2.0-only
"""Forges who awaits the task that it runs: tasks, coroutines and what is called at their end, in rings and
without end, and all of it changing. It runs, or with "sleeps" sleeps all the time; with "deep", what awaits
it is as much work as can be. With "honestly" nothing is forged: all objects are real."""
import asyncio
import functools
import json
import sys
import time

import forge

kept = []
KINDS = {"Task", "Future", "TaskWakeupMethWrapper", "builtin_function_or_method", "method", "partial",
         "function", "cell", "tuple", "list", "set", "TaskGroup", "CancelScope", "coroutine", "generator",
         "frame", "coroutine_wrapper", "FutureIter", "str", "_GatheringFuture"}


class CancelScope:
    """Called as AnyIO's is, with a task among its attributes."""

    def __init__(self, things):
        for i in range(14):
            setattr(self, "at%d" % i, things[i % len(things)])


class TaskGroup:
    def __init__(self, scope):
        self.cancel_scope = scope


class Other:
    __slots__ = ("first",)


def closure(things):
    """A function with these in its cells."""
    names = ["c%d" % i for i in range(len(things))]
    text = "def make(%s):\n    def called(task):\n        return (%s)\n    return called\n" % (
        ", ".join(names), ", ".join(names))
    scope = {}
    exec(text, scope)
    return scope["make"](*things)


async def of(task):
    await task


async def of_gather(task):
    await asyncio.gather(task)


async def of_wait(task):
    await asyncio.wait({task})


async def of_wait_for(task):
    await asyncio.wait_for(task, 5000)


async def of_group(task):
    async with asyncio.TaskGroup() as group:
        group.create_task(of(task))


def start(coroutine):
    task = asyncio.ensure_future(coroutine)
    kept.append(task)
    return task


def add_callbacks(task, everyone):
    """Of each, eight cells are looked at, the last of which has a group as AnyIO's, with a scope without a
    task."""
    others = [Other() for _ in range(7)]
    for thing in others:
        thing.first = everyone[0]
    scope = CancelScope(others)
    for _ in range(8):
        task.add_done_callback(closure(others + [TaskGroup(scope)]))
    task.add_done_callback(functools.partial(print, everyone[-1]))
    task.add_done_callback(set().discard)


def leads_to(made, runs):
    """Where the interpreter has the task that runs, it has a copy."""
    if sys.version_info >= (3, 14):
        for at in range(0, 2048, 8):
            if forge.word(forge.tstate() + at) & ~1 == id(runs):
                forge.put(forge.tstate() + at, made.one(id(runs)))
    elif sys.version_info >= (3, 12):
        current = sys.modules["_asyncio"]._current_tasks
        forge.put(id(current) + 32, made.one(forge.word(id(current) + 32)))
    else:
        current = asyncio.tasks._current_tasks
        forge.put(id(current) + 32, made.one(forge.word(id(current) + 32)))


async def runs():
    me = asyncio.current_task()
    ways = [of, of, of_gather, of_wait, of_wait_for] + [of_group] * hasattr(asyncio, "TaskGroup")
    for make in ways:
        outer = start(make(me))
        for _ in range(16):
            outer = start(of(outer))
    for _ in range(20):
        await asyncio.sleep(0)
    print(json.dumps({}), flush=True)
    forge.wait_to_begin()
    if "deep" in sys.argv:
        for task in kept:
            add_callbacks(task, kept)
    if "honestly" in sys.argv:
        told = {}
    else:
        told = forge_all(me)
    print(json.dumps(told), flush=True)
    sleep = time.sleep
    while "sleeps" in sys.argv:
        sleep(0.0002)
    forge.spin()


def forge_all(me):
    made = forge.Forge(8192)
    tables = [sys.modules["_asyncio"]._current_tasks] if (3, 12) <= sys.version_info < (3, 14) else \
        [asyncio.tasks._current_tasks] if sys.version_info < (3, 12) else []
    for table in tables:
        made.add_object(table)
    made.add_reachable([me], KINDS | {"Other"}, 10)
    made.copy(keep=("coroutine", "frame"))
    made.change()
    leads_to(made, me)
    return {"kinds": {kind: len(copies) for kind, copies in made.copies.items()}}


async def main():
    outer = start(runs())
    outer.set_name("hostile")
    for _ in range(15):
        outer = start(of(outer))
    await outer


if __name__ == "__main__":
    asyncio.run(main())
