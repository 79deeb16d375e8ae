# SPDX-License-Identifier: GPL-2.0-only
"""A fixed program for every version from 3.6 on. All its CPU time is in spin(), under stacks that are the
same for ever: tests/golden/stacks.txt has them. What versions disagree about is left out: calls over several
lines, the line of a decorator, the end of a with block. No line may move."""
import json
import os


def spin():
    for _ in range(20000): pass


# --- functions, recursion


def outermost():
    spin()
    inner()


def inner():
    innermost()


def innermost():
    spin()


def down(n):
    if n:
        return down(n - 1)
    return spin()


def functions():
    outermost()
    down(4)


# --- closures, lambdas, nested functions


def closure_of(function):
    def closure():
        def nested():
            function()
        nested()
        spin()
    return closure


def closures():
    closure_of(spin)()
    (lambda: spin())()


# --- comprehensions: frames of their own before 3.12; a generator expression is one always


def comprehensions():
    [spin() for _ in (1, 2)]
    {spin() for _ in (1, 2)}
    {n: spin() for n in (1, 2)}
    [[spin() for _ in (1,)] for _ in (1,)]


def expressions():
    list(spin() for _ in (1, 2))


# --- generators


def counting():
    spin()
    yield 1
    spin()
    yield 2


def delegating():
    yield from counting()
    spin()


def generators():
    for _ in delegating():
        spin()


def caught():
    try:
        yield spin()
    except KeyError:
        spin()
        yield


def thrown():
    generator = caught()
    next(generator)
    generator.throw(KeyError())


# --- classes


def class_body():
    class Body:
        spin()

        def method(self):
            spin()

    Body().method()


class Base:
    def __init__(self):
        spin()


class Derived(Base):
    def __init__(self):
        super().__init__()
        spin()

    @property
    def value(self):
        spin()

    def __getattr__(self, name):
        spin()

    def __lt__(self, other):
        spin()
        return False


def instances():
    Derived()


def attributes(made=[]):
    if not made:
        made.append(Derived.__new__(Derived))
    made[0].value
    made[0].absent
    made[0] < made[0]


# --- C code that calls back


def key(n):
    spin()
    return n


def callbacks():
    sorted((2, 1), key=key)
    list(map(key, (1, 2)))
    max((1, 2), key=lambda n: key(n))


# --- coroutines, driven by hand


class Pause:
    def __await__(self):
        spin()
        yield


async def awaited():
    spin()
    await Pause()


async def awaiting():
    await awaited()
    spin()


def coroutines():
    coroutine = awaiting()
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        spin()


# --- exceptions


def raising():
    try:
        spin()
        raise ValueError
    finally:
        spin()


def exceptions():
    try:
        raising()
    except ValueError:
        spin()


PHASES = (functions, closures, comprehensions, expressions, generators, thrown, class_body, instances,
          attributes, callbacks, coroutines, exceptions)


def main():
    print(json.dumps({"pid": os.getpid()}), flush=True)
    while True:
        for phase in PHASES:
            phase()


main()
