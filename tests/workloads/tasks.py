# SPDX-License-Identifier: GPL-2.0-only
"""Tasks that await each other in the ways that the arguments name. Prints a JSON object when all of them
wait, and waits for ever. Line comments name what stands still there. For each line that it is told it prints
another object: what it knows of its tasks itself (up to 3.13)."""
import asyncio
import gc
import json
import os
import sys
import threading
import time

kept = []  # tasks that nothing else would hold
waiting = []
loops = []


async def stand():
    """Where every chain ends: at a future that is never done."""
    waiting.append(asyncio.current_task().get_name())
    await asyncio.get_running_loop().create_future()  # stands: stand


async def middle():
    await stand()  # stands: middle


async def of(task):
    await task  # stands: of


def start(coroutine, name):
    task = asyncio.create_task(coroutine, name=name)
    kept.append(task)
    return task


async def diamond():
    shared = start(middle(), "shared")
    sides = start(of(shared), "left"), start(of(shared), "right")
    start(both(*sides), "top")
    return 1


async def both(*tasks):
    await asyncio.gather(*tasks)


async def group():
    start(grouped(), "group")
    return 3


async def grouped():
    async with asyncio.TaskGroup() as tasks:
        for number in range(3):
            kept.append(tasks.create_task(stand(), name="member-%d" % number))


# What awaits what, where no object of the program's says it: by the names of the tasks.
meant = {"group": [("group", "member-%d" % number) for number in range(3)],
         "shields": [("shields", "shielded"), ("shields all", "all-0"), ("shields all", "all-1")],
         "waits": [("waits", "waited-0"), ("waits", "waited-1")],
         "timed": [("timed", "timed-inner")]}


async def shields():
    """Of one task, and of the future of a gather()."""
    start(of(asyncio.shield(start(stand(), "shielded"))), "shields")
    all_of = asyncio.gather(start(stand(), "all-0"), start(stand(), "all-1"))
    start(of(asyncio.shield(all_of)), "shields all")
    return 3


async def waits():
    start(of_wait([start(stand(), "waited-%d" % number) for number in range(2)]), "waits")
    return 2


async def of_wait(tasks):
    await asyncio.wait(tasks)


async def timed():
    start(of_wait_for(start(stand(), "timed-inner")), "timed")
    return 1


async def of_wait_for(task):
    await asyncio.wait_for(task, 5000)


async def told():
    """Somebody is told of the end of these, and nobody awaits them but what no object leads to."""
    start(stand(), "kept").add_done_callback(set().discard)
    start(stand(), "logged").add_done_callback(print_name)
    start(stand(), "strange").add_done_callback(Told().hear)
    loop = asyncio.get_running_loop()
    kept.append(asyncio.run_coroutine_threadsafe(stand(), loop))
    return 4


def print_name(task):
    print(task)


class Told:
    def hear(self, task):
        pass


async def rows():
    """An async generator that waits before its first item."""
    await stand()
    yield 1


async def generator():
    start(consume(), "consumer")
    return 1


async def consume():
    async for _ in rows():  # stands: consume
        pass


class Awaitable:
    def __await__(self):
        yield from asyncio.get_running_loop().create_future()


async def awaitable():
    start(of(Awaitable()), "own-await")
    return 0


async def eager():
    loop = asyncio.get_running_loop()
    kept.append(asyncio.eager_task_factory(loop, middle(), name="eager"))
    return 1


NAMES = "n\N{LATIN SMALL LETTER A WITH DIAERESIS}me", "\N{SNOWMAN}" * 50, "\N{PILE OF POO}", "x" * 500, "a\nb"


async def names():
    for name in NAMES:
        start(stand(), name)
    kept.append(asyncio.create_task(stand()))
    kept.append(asyncio.create_task(stand(), name=type("Name", (str,), {})("derived")))
    return len(NAMES) + 2


async def cycle():
    named = {}

    async def of_named(name):
        await named[name]
    named.update(one=start(of_named("two"), "one"), two=start(of_named("one"), "two"))
    start(of(named["one"]), "onlooker")
    return 0


async def deep():
    """A chain of tasks that is deeper than a tree is drawn."""
    task = start(stand(), "deep-0")
    for number in range(1, 100):
        task = start(of(task), "deep-%d" % number)
    return 1


def plain():
    time.sleep(1000)  # stands: plain


async def inner():
    plain()  # stands: inner


async def outer():
    await inner()  # stands: outer


async def late(turns):
    """Runs when those that await it do so."""
    for _ in range(turns):
        await asyncio.sleep(0)
    await outer()


async def awaited():
    between = start(of(start(late(5), "worker")), "between")
    start(of(between), "other")
    await of(between)


async def nothing():
    return 0


def frames(coroutine):
    """What it has, and what is awaited, as far as its objects say: (function, line)."""
    while coroutine is not None:
        for prefix, following in ("cr", "await"), ("gi", "yieldfrom"), ("ag", "await"):
            if hasattr(coroutine, prefix + "_frame"):
                frame = getattr(coroutine, prefix + "_frame")
                yield getattr(frame.f_code, "co_qualname", frame.f_code.co_name), frame.f_lineno
                coroutine = getattr(coroutine, prefix + "_" + following)
                break
        else:
            inner = [o for o in gc.get_referents(coroutine)
                     if hasattr(o, "ag_frame") or hasattr(o, "cr_frame")]
            coroutine = inner[0] if type(coroutine).__name__ in WRAPPERS else None


WRAPPERS = "coroutine_wrapper", "async_generator_asend", "async_generator_athrow"


def awaits(task):
    """Those of its tasks that it awaits by itself, or in a gather()."""
    waiter = getattr(task, "_fut_waiter", None)
    for other in getattr(waiter, "_children", [waiter]):
        if isinstance(other, asyncio.Task):
            yield hex(id(other))


def truth():
    every = {task for loop in loops for task in asyncio.all_tasks(loop)}
    return {"tasks": {hex(id(task)): {"name": task.get_name(), "frames": list(frames(task.get_coro())),
                                      "awaits": list(awaits(task))} for task in every},
            "meant": [pair for name in wanted for pair in meant.get(name, [])]}


def serve(graphs, number, runs):
    """A loop for those graphs. runs: a coroutine of it that never lets go; None = none."""
    async def main():
        loops.append(asyncio.get_running_loop())
        count = sum([await globals()[name]() for name in graphs])
        while len(waiting) < count:
            await asyncio.sleep(0.01)
        ready[number].set()
        if runs:
            kept.append(asyncio.create_task(stand(), name="unbegun"))
            await globals()[runs]()
        await stand()
    asyncio.run(main())


def orphan():
    """Its thread ends while its task waits."""
    loop = asyncio.new_event_loop()
    loops.append(loop)
    kept.append(loop.create_task(stand(), name="orphan"))
    kept.append(loop)
    loop.run_until_complete(asyncio.sleep(0.05))


wanted = sys.argv[1:]
ready = [threading.Event(), threading.Event()]
if "orphan" in wanted:
    thread = threading.Thread(target=orphan)
    thread.start()
    thread.join()
    waiting.clear()
graphs = [name for name in wanted if name not in ("orphan", "two", "run", "chain")]
runs = {"run": "outer", "chain": "awaited"}
runs = next((runs[name] for name in wanted if name in runs), None)
if "two" in wanted or runs:
    threading.Thread(target=serve, args=(["nothing"], 1, runs), daemon=True).start()
    ready[1].wait()
    waiting.clear()


def tell():
    ready[0].wait()
    print(json.dumps({"pid": os.getpid()}), flush=True)
    for _ in sys.stdin:
        print(json.dumps(truth()), flush=True)


threading.Thread(target=tell, daemon=True).start()
serve(graphs or ["nothing"], 0, None)
