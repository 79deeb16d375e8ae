# SPDX-License-Identifier: GPL-2.0-only
"""Spans of ddtrace, in each of which a function runs that its ids choose, so that a stack says which they
were: in threads, in tasks that take turns, and in spans within others. Functions that run in no span are
called idle. With "fork" a child that was begun within a span does the same, and ends with its parent. Prints
the pids as JSON."""
import asyncio
import json
import os
import sys
import threading
import time

from ddtrace import tracer

functions = {}
for high in range(16):
    for low in range(16):
        name = "span_%x_%x" % (high, low)
        exec("def %s(spend):\n    spend()" % name, functions)


def spin():
    end = time.perf_counter() + 0.0007
    while time.perf_counter() < end:
        pass


def rest():
    time.sleep(0.002)


def work(span, spend=spin):
    functions["span_%x_%x" % (span.trace_id % 16, span.span_id % 16)](spend)


def idle():
    spin()


def request():
    with tracer.trace("request") as span:
        work(span)
        with tracer.trace("within") as inner:
            work(inner)
            work(inner, rest)
        work(span)
    idle()


def thread():
    while True:
        request()


async def task():
    while os.getppid() == parent:
        with tracer.trace("request") as span:
            work(span)
            await asyncio.sleep(0)
            with tracer.trace("within") as inner:
                work(inner)
                await asyncio.gather(child(inner), child(inner))
            work(span)
        await asyncio.sleep(0)
        idle()


async def child(span):
    work(span)
    await asyncio.sleep(0)
    work(span)


async def main():
    await asyncio.gather(*(task() for _ in range(4)))


if __name__ == "__main__":
    parent, pids = os.getppid(), [os.getpid()]
    if "fork" in sys.argv:
        with tracer.trace("before"):
            pids.append(os.fork())
        if not pids[1]:
            parent = pids[0]
            os.close(1)
    for _ in range(2):
        threading.Thread(target=thread, daemon=True).start()
    if pids[-1]:
        print(json.dumps(pids), flush=True)
    asyncio.run(main())
