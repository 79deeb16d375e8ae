# SPDX-License-Identifier: GPL-2.0-only
"""A server of its own: dispatch() calls handlers, whose work is done in children of gather(). For ever."""
import asyncio
import json
import os
import time


def burn_orders():
    end = time.perf_counter() + 0.002
    while time.perf_counter() < end:
        pass


def burn_items():
    end = time.perf_counter() + 0.002
    while time.perf_counter() < end:
        pass


async def part(work):
    for _ in range(5):
        work()
        await asyncio.sleep(0)


async def orders():
    await asyncio.gather(part(burn_orders), part(burn_orders))


async def items():
    await asyncio.gather(part(burn_items), part(burn_items))


async def dispatch(handler):
    await handler()


async def serve():
    print(json.dumps({"pid": os.getpid()}), flush=True)
    while True:
        await asyncio.gather(dispatch(orders), dispatch(items))


asyncio.run(serve())
