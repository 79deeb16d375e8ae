# SPDX-License-Identifier: GPL-2.0-only
"""What edges.py runs, first part: functions, generators and coroutines; the rules of the notes are there."""
import collections
import functools
import threading

PATTERNS = []


def pattern(function):
    PATTERNS.append(function)
    return function


def spin(n):
    total = 0
    for i in range(n):
        total += i * i & 7
    return total

# --- recursion


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)  # -> fib


def descend(n):
    if n == 0:
        return spin(200)  # -> spin
    return descend(n - 1)  # -> descend


def is_even(n):
    return True if n == 0 else is_odd(n - 1)  # -> is_odd


def is_odd(n):
    return spin(50) if n == 0 else is_even(n - 1)  # -> is_even, spin


@pattern
def recursion():
    fib(8)  # -> fib
    descend(60)  # -> descend
    is_even(21)  # -> is_even


def descend_through_c(n):
    if n == 0:
        return spin(200)  # -> spin
    return max(map(descend_through_c, (n - 1,)))  # -> descend_through_c


@pattern
def recursion_through_c():
    descend_through_c(20)  # -> descend_through_c


# --- callers with frames of equal size: what a prefix cache must not confuse


def mid(flag):
    if flag:
        return spin(60)  # -> spin | under top_a
    return spin(60)  # -> spin | under top_b


def top_a():
    return mid(True)  # -> mid


def top_b():
    return mid(False)  # -> mid


@pattern
def equal_frames():
    for _ in range(4):
        top_a()  # -> top_a
        top_b()  # -> top_b


def leaf_of(n):
    total = n
    for i in range(40):
        total += i
    return total


def hot_a():
    leaf_of(1)  # -> leaf_of
    leaf_of(2)  # -> leaf_of
    return leaf_of(3)  # -> leaf_of


def hot_b():
    leaf_of(4)  # -> leaf_of
    leaf_of(5)  # -> leaf_of
    return leaf_of(6)  # -> leaf_of


@pattern
def hot_lines():
    hot_a()  # -> hot_a
    hot_b()  # -> hot_b


def base_of(n, flag):
    if n:
        return base_of(n - 1, flag)  # -> base_of
    if flag:
        return spin(60)  # -> spin | under deep_a
    return spin(60)  # -> spin | under deep_b


def deep_a():
    return base_of(12, True)  # -> base_of


def deep_b():
    return base_of(12, False)  # -> base_of


@pattern
def deep_callers():
    deep_a()  # -> deep_a
    deep_b()  # -> deep_b


# --- closures, lambdas, partial, star calls


def adder(k):
    def add(x):
        return spin(x + k)  # -> spin

    return add


def star(*args, **kwargs):
    return spin(len(args) + kwargs["n"])  # -> spin


@pattern
def closures():
    adder(30)(20)  # -> adder, adder.<locals>.add
    twice = lambda n: spin(n)  # -> spin  # noqa: E731
    twice(50)  # -> closures.<locals>.<lambda>
    functools.partial(star, 1, n=50)(2)  # -> star
    star(*(1, 2, 3), **{"n": 60})  # -> star


# --- generators


def numbers(n):
    for i in range(n):
        spin(20)  # -> spin
        yield i


def delegating(n):
    yield from numbers(n)  # -> numbers
    yield spin(20)  # -> spin


def echo():
    received = 0
    for _ in range(3):
        received = yield spin(30)  # -> spin
        spin(received)  # -> spin


def taken_in_turn():
    while True:
        spin(30)  # -> spin | under taker_a
        yield
        spin(30)  # -> spin | under taker_b
        yield


TURNS = {}  # thread -> its generator


def taker_a(g):
    next(g)  # -> taken_in_turn


def taker_b(g):
    return next(g)  # -> taken_in_turn


@pattern
def generators():
    for _ in delegating(3):  # -> delegating
        pass
    list(numbers(4))  # -> numbers
    sum(spin(i) for i in range(20, 24))  # -> generators.<locals>.<genexpr>, spin
    collections.deque(map(spin, numbers(4)), maxlen=0)  # -> numbers, spin


@pattern
def generator_send():
    g = echo()  # -> echo
    next(g)  # -> echo
    g.send(30)  # -> echo
    g.send(40)  # -> echo
    try:
        g.throw(KeyError)  # -> echo
    except KeyError:
        spin(10)  # -> spin


@pattern
def generator_of_two_callers():
    g = TURNS.setdefault(threading.get_ident(), None)
    if g is None:
        g = TURNS[threading.get_ident()] = taken_in_turn()  # -> taken_in_turn
    for _ in range(3):
        taker_a(g)  # -> taker_a
        taker_b(g)  # -> taker_b


# --- coroutines, driven by hand


class Pause:
    def __await__(self):
        spin(20)  # -> spin
        yield self
        return spin(20)  # -> spin


async def inner_coroutine():
    spin(20)  # -> spin
    return await Pause()  # -> Pause.__await__


async def middle_coroutine():
    await inner_coroutine()  # -> inner_coroutine
    return await inner_coroutine()  # -> inner_coroutine


async def async_numbers(n):
    for i in range(n):
        spin(20)  # -> spin
        await Pause()  # -> Pause.__await__
        yield i


class AsyncManager:
    async def __aenter__(self):
        return spin(20)  # -> spin

    async def __aexit__(self, *_):
        await Pause()  # -> Pause.__await__


async def outer_coroutine():
    await middle_coroutine()  # -> middle_coroutine
    async for _ in async_numbers(2):  # -> async_numbers
        spin(20)  # -> spin
    async with AsyncManager():  # -> AsyncManager.__aenter__, AsyncManager.__aexit__
        spin(20)  # -> spin, AsyncManager.__aexit__
    return [i async for i in async_numbers(2)]  # -> async_numbers, outer_coroutine.<locals>.<listcomp>


def finish(coroutine):
    try:
        while True:
            coroutine.send(None)  # -> outer_coroutine
    except StopIteration:
        return spin(10)  # -> spin


@pattern
def coroutines():
    finish(outer_coroutine())  # -> finish, outer_coroutine
