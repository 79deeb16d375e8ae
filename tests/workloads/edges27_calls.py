# SPDX-License-Identifier: GPL-2.0-only
"""The part of edges27.py that is about calls: recursion, callers of equal size, closures, generators."""
import collections
import functools
import itertools
import thread

PATTERNS = []


def pattern(function):
    PATTERNS.append(function)
    return function


def spin(n):
    total = 0
    for i in xrange(n):
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


# --- closures, lambdas, partial, star calls, tuple parameters


def adder(k):
    def add(x):
        return spin(x + k)  # -> spin

    return add


def star(*args, **kwargs):
    return spin(len(args) + kwargs["n"])  # -> spin


def pair((a, b), c=3):
    return spin(a + b + c)  # -> spin


@pattern
def closures():
    adder(30)(20)  # -> adder, add
    twice = lambda n: spin(n)  # -> spin  # noqa: E731
    twice(50)  # -> <lambda>
    functools.partial(star, 1, n=50)(2)  # -> star
    star(*(1, 2, 3), **{"n": 60})  # -> star
    apply(star, (1,), {"n": 60})  # -> star
    pair((20, 30))  # -> pair


# --- generators


def numbers(n):
    for i in range(n):
        spin(20)  # -> spin
        yield i


def delegating(n):
    for i in numbers(n):  # -> numbers
        yield i
    yield spin(20)  # -> spin


def echo():
    received = 0
    for _ in range(3):
        received = yield spin(30)  # -> spin
        spin(received)  # -> spin


def catcher():
    while True:
        try:
            yield spin(10)  # -> spin
        except KeyError:
            spin(30)  # -> spin | under throw_a
        except ValueError:
            spin(30)  # -> spin | under throw_b
            continue  # here is also what follows the block, when nothing was caught


def throw_a(g):
    g.throw(KeyError)  # -> catcher


def throw_b(g):
    return g.throw(ValueError())  # -> catcher


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
    sum(spin(i) for i in range(20, 24))  # -> <genexpr>, spin
    collections.deque(itertools.imap(spin, numbers(4)), maxlen=0)  # -> numbers, spin
    {spin(n): n for n in (10, 20)}  # -> <dictcomp>, spin
    [spin(n) for n in (10, 20)]  # -> spin


@pattern
def generator_send():
    g = echo()
    next(g)  # -> echo
    g.send(30)  # -> echo
    g.send(40)  # -> echo
    try:
        g.throw(KeyError)  # -> echo
    except KeyError:
        spin(10)  # -> spin


@pattern
def generator_throw():
    g = catcher()
    next(g)  # -> catcher
    for _ in range(3):
        throw_a(g)  # -> throw_a
        throw_b(g)  # -> throw_b
    g.close()  # -> catcher


@pattern
def generator_of_two_callers():
    g = TURNS.setdefault(thread.get_ident(), None)
    if g is None:
        g = TURNS[thread.get_ident()] = taken_in_turn()
    for _ in range(3):
        taker_a(g)  # -> taker_a
        taker_b(g)  # -> taker_b
