# SPDX-License-Identifier: GPL-2.0-only
"""Work in tasks of AnyIO's task groups: of one, of one in another, and begun by start(). For ever."""
import asyncio
import json
import os
import time

import anyio
import anyio.lowlevel


def burn():
    end = time.perf_counter() + 0.002
    while time.perf_counter() < end:
        pass


async def work(task_status=None):
    if task_status:
        task_status.started()
    for _ in range(5):
        burn()
        await anyio.lowlevel.checkpoint()


async def plain():
    async with anyio.create_task_group() as group:
        group.start_soon(work, name="plain")


async def inner():
    async with anyio.create_task_group() as group:
        group.start_soon(work, name="nested")


async def nested():
    async with anyio.create_task_group() as group:
        group.start_soon(inner, name="inner")


async def started():
    async with anyio.create_task_group() as group:
        await group.start(work, name="started")


async def main():
    print(json.dumps({"pid": os.getpid()}), flush=True)
    while True:
        await plain()
        await nested()
        await started()


asyncio.run(main())
