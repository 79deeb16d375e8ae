# SPDX-License-Identifier: GPL-2.0-only
"""Requests of asyncio, each of which works in a function of its own: with a value of a context variable, in
a task with a name, that a parent with a name awaits. Prints {function: what the sample of it has to say}."""
import asyncio
import contextvars
import json
import time

REQUESTS = 12
tenant = contextvars.ContextVar("tenant")
truth, scope = {}, {"time": time}
for n in range(REQUESTS):
    text = ("def work%d():\n    end = time.perf_counter() + 0.001\n"
            "    while time.perf_counter() < end: pass\n"
            "async def parent%d(child):\n    await child\n" % (n, n))
    exec(text, scope)
    truth["work%d" % n] = {"tenant": "kept for %d" % n, "task": "honest-%d" % n, "parent": "parent%d" % n}


async def child(number):
    while True:
        scope["work%d" % number]()
        await asyncio.sleep(0)


def named(coroutine, name):
    task = asyncio.ensure_future(coroutine)
    task.set_name(name)
    return task


async def main():
    parents = []
    for number in range(REQUESTS):
        tenant.set("kept for %d" % number)
        parents.append(named(scope["parent%d" % number](named(child(number), "honest-%d" % number)),
                             "parent-%d" % number))
    print(json.dumps(truth), flush=True)
    await asyncio.gather(*parents)


if __name__ == "__main__":
    asyncio.run(main())
