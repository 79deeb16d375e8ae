# SPDX-License-Identifier: GPL-2.0-only
"""Every way in which CPython makes, leaves, suspends and resumes a frame, in rounds of a few ten thousand
machine instructions each, for tests/oracle/step.c. It runs below some frames that stay, so that a stack which
has lost its callers cannot pass for a return. After a warm-up it stops itself; what it does then it does for
ever, beginning with the shape of the number given."""
import os
import signal
import sys

import steps_async

BELOW = 6


def plain(a, b=2):
    return a + b


def recurse(n):
    return recurse(n - 1) + 1 if n else 0


def closure(n):
    def inner(m):
        return n + m

    return inner


def variadic(*args, **kwargs):
    return len(args) + len(kwargs)


def functions():
    plain(1)
    plain(b=1, a=2)
    plain(*(1, 2))
    plain(**{"a": 1})
    variadic(1, 2, x=3)
    variadic(*[1, 2, 3], **{"y": 1})
    closure(1)(2)
    recurse(5)
    (lambda x: plain(x))(1)


def count(n):
    for i in range(n):
        yield plain(i)


def echo():
    got = None
    while True:
        try:
            got = yield got
        except KeyError:
            got = plain(1)


def generators():
    for _ in count(2):
        pass
    list(count(3))
    sum(plain(i) for i in count(2))
    [plain(i) for i in range(2)]
    {plain(i): i for i in range(2)}
    left = count(3)
    next(left)
    left.close()
    a = echo()
    next(a)
    a.send(1)
    a.throw(KeyError())
    first, *_ = count(3)
    return first, max(count(2)), tuple(map(plain, count(2)))


def raiser(n):
    if n:
        raiser(n - 1)
    raise ValueError(n)


class Context:
    def __enter__(self):
        return plain(1)

    def __exit__(self, *args):
        return plain(1)


def exceptions():
    try:
        raiser(4)
    except ValueError:
        plain(1)
    try:
        next(count("no number"))
    except TypeError:
        pass
    with Context():
        raiser(1)
    try:
        raiser(0)
    except ValueError as error:
        try:
            raise KeyError from error
        except KeyError:
            plain(2)
    finally:
        plain(3)


class Base:
    def __init__(self, value):
        self.value = plain(value)


class Item(Base):
    def __init__(self, value):
        super().__init__(value)

    @property
    def double(self):
        return plain(self.value, self.value)

    def __getattr__(self, name):
        return plain(1)

    def __getitem__(self, index):
        return plain(index)

    def __setitem__(self, index, value):
        plain(index)

    def __lt__(self, other):
        return self.value < other.value

    def __eq__(self, other):
        return plain(1) == other

    def __hash__(self):
        return plain(7)

    def __len__(self):
        return plain(0)

    def __contains__(self, value):
        return plain(0)

    def __iter__(self):
        return count(2)

    def __del__(self):
        plain(1)

    @staticmethod
    def fixed(n):
        return plain(n)

    @classmethod
    def make(cls, n):
        return cls(n)


class Refuses(Base):
    def __init__(self):
        raiser(1)


def objects():
    item = Item(1)
    item.double
    item.missing
    item[0]
    item[1] = 2
    item == 3
    3 in item
    bool(item)
    list(item)
    {item: 1}[item]
    Item.fixed(1)
    Item.make(2)
    try:
        Refuses()
    except ValueError:
        pass


def key(x):
    return plain(-x)


def natives():
    sorted([3, 1, 2], key=key)
    sorted([Item(2), Item(1)])
    list(map(key, [1, 2]))
    list(filter(key, [1, 2]))
    min([1, 2], key=lambda x: key(x))
    "%s" % Item(3).double
    getattr(Item(1), "double")


ROUND = (functions, generators, exceptions, objects, natives, steps_async.delegation, steps_async.coroutines)


def rounds(number, first=0):
    while number:
        for shape in ROUND[first:]:
            shape()
        number -= 1
        first = 0


def below(n, call):
    if n:
        below(n - 1, call)
    else:
        call()


def main():
    first = int(sys.argv[1])
    rounds(30)  # every bytecode is specialized by now
    os.kill(os.getpid(), signal.SIGSTOP)
    rounds(-1, first)


def main_from_c():
    list(map(lambda _: below(BELOW, main), [0]))


below(BELOW, main_from_c)
