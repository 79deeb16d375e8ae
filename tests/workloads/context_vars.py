# SPDX-License-Identifier: GPL-2.0-only
"""Functions that each run while context variables have certain values. Prints as JSON which:
{function: {variable: its text, or null}}.

The values are set in tasks that take turns, in children of gather and of groups, in threads of pools, in
contexts that are made and dropped, and are reset; there is a context of 100 variables, and one with two of
one hash."""
import asyncio
import concurrent.futures
import contextvars
import json
import sys
import threading
import time

SECONDS = 0.0007
request_id = contextvars.ContextVar("request_id", default="the default")
number = contextvars.ContextVar("number")
flag = contextvars.ContextVar("flag")
many = [contextvars.ContextVar("many%d" % i) for i in range(100)]
truth = {}
works = []


def spin():
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        pass


def make(text, count, yes):
    """A function that is to run while the variables have these values."""
    name = "work%d" % len(truth)
    scope = {"spin": spin}
    exec("def %s():\n    for _ in range(3): spin()" % name, scope)
    truth[name] = {"request_id": text[:64] + "..." if text and len(text) > 64 else text,
                   "number": None if count is None else str(count), "flag": None if yes is None else str(yes)}
    return scope[name]


def set_all(text, count, yes):
    return [(v, v.set(x)) for v, x in ((request_id, text), (number, count), (flag, yes)) if x is not None]


class Name(str):
    pass


VALUES = [("a", 0, True), ("000017", -1, False), ("17", 17, None), (Name("derived"), 2 ** 30, True),
          ("n\u00e4me", 2 ** 60 - 1, False), ("\u2603" * 8, -2 ** 60, True), (None, 2 ** 64 - 1, None),
          ("x" * 64, -2 ** 64 + 1, False), ("y" * 65, 1, True), ("with space;and: signs", None, False)]
VALUES += [("%08d" % i, i << 20, None) for i in range(40)]


def prepare():
    works.extend((values, make(*values)) for values in VALUES)
    works.append((("many", 100, True), make("many", 100, True)))


async def child(work, times):
    for _ in range(times):
        work()
        await asyncio.sleep(0)


async def handler(values, work):
    """A request: its children inherit its values."""
    set_all(*values)
    work()
    await asyncio.gather(child(work, 2), asyncio.ensure_future(child(work, 3)))
    if sys.version_info >= (3, 11):
        async with asyncio.TaskGroup() as group:
            group.create_task(child(work, 2))
            group.create_task(child(work, 1))
    work()
    if sys.version_info >= (3, 9):
        await asyncio.to_thread(work)
    else:
        await asyncio.get_event_loop().run_in_executor(None, contextvars.copy_context().run, work)


async def serve(first):
    while True:
        for at in range(first, len(works), 5):
            await asyncio.ensure_future(handler(*works[at]))


async def main():
    await asyncio.gather(*(serve(i) for i in range(5)))


def in_context(values, work, inner_values, inner):
    """Sets, sets again, resets: all within a context that is new."""
    set_all(*values)
    work()
    tokens = [(v, v.set(x)) for v, x in zip((request_id, number, flag), inner_values) if x is not None]
    if all(x is not None or y is None for x, y in zip(inner_values, values)):
        inner()
    for v, token in reversed(tokens):
        v.reset(token)
    work()


def with_many(values, work):
    for i, v in enumerate(many):
        v.set("other%d" % i)
    set_all(*values)
    work()


def thread_of_pool(i):
    while True:
        for at in range(i, len(works)):
            values, work = works[at]
            contextvars.Context().run(in_context, values, work, *works[(at * 7 + i) % len(works)])
        contextvars.Context().run(with_many, *works[-1])


def fold(variable):
    return (hash(variable) ^ hash(variable) >> 32) & 0xffffffff


def twins():
    """Two variables whose hashes lead to one place: one that is asked for, and another one."""
    mine = {fold(v): v for v in (contextvars.ContextVar("twin") for _ in range(200000))}
    kept = []  # or the next ones would be at the same addresses
    while True:
        kept.append(contextvars.ContextVar("other%d" % len(kept)))
        if fold(kept[-1]) in mine:
            return mine[fold(kept[-1])], kept[-1]


def thread_of_twins(pair):
    work = make(None, None, None)
    truth["work%d" % (len(truth) - 1)]["twin"] = "right"

    def run():
        pair[1].set("wrong")
        pair[0].set("right")
        pair[1].set("wrong")
        while True:
            work()

    threading.Thread(target=contextvars.Context().run, args=(run,), daemon=True).start()


if __name__ == "__main__":
    prepare()
    if "twins" in sys.argv:
        thread_of_twins(twins())
    if "threads" in sys.argv:
        pool = concurrent.futures.ThreadPoolExecutor(4)
        for n in range(4):
            pool.submit(thread_of_pool, n)
    print(json.dumps(truth), flush=True)
    asyncio.run(main())
