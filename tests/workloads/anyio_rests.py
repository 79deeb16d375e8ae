# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of AnyIO's task groups that wait: two of one, of which one waits for one of its own."""
import asyncio
import json
import os

import anyio


async def rest():
    await anyio.sleep(100000)


async def inner():
    async with anyio.create_task_group() as group:
        group.start_soon(rest, name="below")


async def main():
    async with anyio.create_task_group() as group:
        group.start_soon(rest, name="beside")
        group.start_soon(inner, name="inner")
        await anyio.sleep(0.1)
        print(json.dumps({"pid": os.getpid()}), flush=True)


asyncio.run(main())
