# SPDX-License-Identifier: GPL-2.0-only
"""Generators and coroutines that two drivers resume in turn, alone, through `yield from`, through throw() and
at the end of a chain of 200: the frame is the same object at the same address every time, its caller is
not."""
import harness


def echo():
    total = 0
    while True:
        who = yield total
        if who:
            for i in range(30):
                total += i  # -> - | under drive_a
        else:
            for i in range(30):
                total += i  # -> - | under drive_b


def outer():
    yield from echo()  # -> echo


def chain(depth):
    if depth:
        yield from chain(depth - 1)  # -> chain
    else:
        yield from echo()  # -> echo


class Pause:
    def __await__(self):
        return (yield)


async def coroutine(depth):
    total = 0
    if depth:
        return await coroutine(depth - 1)  # -> coroutine
    while True:
        who = await Pause()  # -> Pause.__await__
        if who:
            for i in range(30):
                total += i  # -> - | under drive_a
        else:
            for i in range(30):
                total += i  # -> - | under drive_b


def catcher():
    total = 0
    while True:
        try:
            yield total
        except KeyError:
            for i in range(30):
                total += i  # -> - | under throw_a
        except ValueError:
            for i in range(30):
                total += i  # -> - | under throw_b


def catcher_outer():
    yield from catcher()  # -> catcher


def drive_a(generator):
    generator.send(True)  # -> echo, outer, chain, coroutine


def drive_b(generator):
    generator.send(False)  # -> echo, outer, chain, coroutine


def throw_a(generator):
    generator.throw(KeyError())  # -> catcher, catcher_outer


def throw_b(generator):
    generator.throw(ValueError())  # -> catcher, catcher_outer


def fresh(n):
    for i in range(n):
        yield i


def make():
    """Frames that are made and go at once: the generator object gets the copy."""
    for _ in range(10):
        fresh(3)  # -> fresh
        for _ in fresh(3):  # -> fresh
            pass
        list(fresh(5))  # -> fresh


def main():
    resumed = echo(), outer(), chain(200), coroutine(0), coroutine(100)  # -> echo, outer, chain, coroutine
    thrown = catcher(), catcher_outer()  # -> catcher, catcher_outer
    for generator in resumed + thrown:
        generator.send(None)  # -> echo, outer, chain, coroutine, catcher, catcher_outer
    harness.ready(__file__)  # -> *stdlib
    while True:
        for generator in resumed:
            for _ in range(10):
                drive_a(generator)  # -> drive_a
                drive_b(generator)  # -> drive_b
        for generator in thrown:
            for _ in range(10):
                throw_a(generator)  # -> throw_a
                throw_b(generator)  # -> throw_b
        make()  # -> make


if __name__ == "__main__":
    main()  # -> main
