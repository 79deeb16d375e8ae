# SPDX-License-Identifier: GPL-2.0-only
"""The part of steps.py that Python 2 has no syntax for: yield from, coroutines, asynchronous generators."""


def leaf(n):
    total = 0
    for i in range(n):
        try:
            total += yield i
        except KeyError:
            total = 100
    return total


def middle(n):
    got = yield from leaf(n)
    yield got


def outer(n):
    try:
        yield from middle(n)
    except ValueError:
        yield from leaf(1)


def delegation():
    g = outer(3)
    next(g)
    g.send(1)
    g.throw(KeyError())
    g.send(1)
    g.throw(ValueError())
    g.close()
    g = outer(2)
    next(g)
    g.close()
    list(middle(0))


class Pause:
    def __await__(self):
        return (yield 1)


async def worker(n):
    if n:
        return await worker(n - 1)
    return await Pause()


async def stream(n):
    for i in range(n):
        await Pause()
        yield i


class Resource:
    async def __aenter__(self):
        await Pause()

    async def __aexit__(self, *args):
        await Pause()


async def consumer():
    total = await worker(2) or 0
    async for i in stream(2):
        total += i
    async with Resource():
        total += sum([i async for i in stream(1)])
    return total


def drive(coroutine):
    try:
        while True:
            coroutine.send(None)
    except StopIteration as done:
        return done.value


def coroutines():
    drive(worker(3))
    drive(consumer())
    c = worker(2)
    c.send(None)
    try:
        c.throw(KeyError())
    except KeyError:
        pass
    c = worker(1)
    c.send(None)
    c.close()
    worker(0).close()
