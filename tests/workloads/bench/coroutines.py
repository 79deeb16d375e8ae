# SPDX-License-Identifier: GPL-2.0-only
"""asyncio: 20 tasks that await ten coroutines deep, resumed in turn by the event loop."""
import asyncio

from tick import rounds, tick

TASKS = 20
DEPTH = 10


def compute():
    total = 0
    for i in range(200):
        total += i
    tick()
    return total


async def deep(n):
    if n:
        return await deep(n - 1) + 1
    compute()
    await asyncio.sleep(0)
    return compute()


async def task():
    for _ in range(10):
        await deep(DEPTH)


async def all_tasks():
    await asyncio.gather(*(task() for _ in range(TASKS)))


async def main():
    for _ in rounds():
        await all_tasks()


if __name__ == "__main__":
    asyncio.run(main())
