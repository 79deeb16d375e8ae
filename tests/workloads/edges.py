# SPDX-License-Identifier: GPL-2.0-only
"""A program whose legal call edges are written next to the calls, so that every sampled stack can be judged.

A line that can have another Python frame above it says which: `# -> callee, callee`, by qualified name.
`*patterns` stands for the functions marked @pattern, `*stdlib` for any function outside of this program.
Up to 3.9 the end of a with block is on the line of the block's last statement, and in 3.8 to 3.10 a decorator is called
from the line of the def; the notes allow it in all versions.
`| under NAME` adds: whenever a frame is on this line, NAME is one of its callers; this catches stacks glued
together from two moments, whose edges are each legal. ENTRIES says which functions the standard library calls.

Usage: edges.py. Prints one line of JSON when it is warm, then runs until it is killed.
       edges.py --steady. The same in one thread, and without code that is made at run time.
       edges.py --trace. Runs everything once under sys.settrace and prints, as a second line, every distinct
       stack at every line executed: a test judges them, so that the notes are known to be right.
"""
import asyncio
import collections
import contextlib
import dis
import functools
import itertools
import json
import operator
import os
import re
import sys
import threading
import time

if not hasattr(time, "thread_time"):  # 3.6
    time.thread_time = functools.partial(time.clock_gettime, time.CLOCK_THREAD_CPUTIME_ID)

PATTERNS = []
ENTRIES = {
    "Thread.run": ["worker", "short_lived"],
    "_GeneratorContextManagerBase.__init__": ["managed"],  # makes the generator
    "_GeneratorContextManager.__enter__": ["managed"],
    "_GeneratorContextManager.__exit__": ["managed"],
    "Handle._run": ["loop_main", "loop_child"],
}


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


# --- classes


class Meta(type):
    def __new__(mcs, name, bases, namespace):
        spin(20)  # -> spin
        return super().__new__(mcs, name, bases, namespace)  # -> Descriptor.__set_name__, Base.__init_subclass__

    def __call__(cls, *args):
        spin(20)  # -> spin
        return super().__call__(*args)  # -> Base.__init__


class Descriptor:
    def __set_name__(self, owner, name):
        spin(20)  # -> spin

    def __get__(self, instance, owner):
        return spin(30)  # -> spin


class Base:
    def __init__(self):
        spin(20)  # -> spin

    def __init_subclass__(cls):
        spin(20)  # -> spin


@pattern
def class_creation():
    class Local(Base, metaclass=Meta):  # -> class_creation.<locals>.Local, Meta.__new__
        value = Descriptor()
        spin(20)  # -> spin

    Local().value  # -> Meta.__call__, Descriptor.__get__


class Shape:
    def __init__(self, n):
        self.n = n
        spin(20)  # -> spin

    @property
    def area(self):
        return spin(self.n)  # -> spin

    @classmethod
    def make(cls, n):
        return cls(n)  # -> Shape.__init__, Square.__init__

    @staticmethod
    def check(n):
        return spin(n)  # -> spin

    def __getattr__(self, name):
        return spin(30)  # -> spin

    def __call__(self, n):
        return spin(n)  # -> spin

    def __add__(self, other):
        return spin(30)  # -> spin

    def __lt__(self, other):
        spin(10)  # -> spin
        return self.n < other.n

    def __eq__(self, other):
        spin(10)  # -> spin
        return self.n == other.n

    def __hash__(self):
        spin(10)  # -> spin
        return 1

    def __len__(self):
        return 1 + spin(30) % 2  # -> spin

    def __iter__(self):
        spin(10)  # -> spin
        return iter((1, 2))

    def __getitem__(self, i):
        return spin(30)  # -> spin


class Square(Shape):
    def __init__(self, n):
        super().__init__(n)  # -> Shape.__init__
        spin(10)  # -> spin


@pattern
def methods():
    shape = Square(30)  # -> Square.__init__
    shape.area  # -> Shape.area
    shape.missing  # -> Shape.__getattr__
    Square.make(20)  # -> Shape.make
    shape.check(30)  # -> Shape.check
    shape(30)  # -> Shape.__call__
    operator.methodcaller("check", 30)(shape)  # -> Shape.check


@pattern
def operators():
    a, b = Square(30), Square(20)  # -> Square.__init__
    a + b  # -> Shape.__add__
    a < b  # -> Shape.__lt__
    len(a)  # -> Shape.__len__
    a[0]  # -> Shape.__getitem__
    first, second = a  # -> Shape.__iter__
    {a: 1}.get(b)  # -> Shape.__hash__, Shape.__eq__
    sorted([a, b])  # -> Shape.__lt__


class Manager:
    def __enter__(self):
        return spin(30)  # -> spin

    def __exit__(self, *error):
        spin(30)  # -> spin
        return True


@contextlib.contextmanager
def managed():
    spin(30)  # -> spin
    yield
    spin(30)  # -> spin


@pattern
def context_managers():
    with Manager():  # -> Manager.__enter__, Manager.__exit__
        raise KeyError  # -> Manager.__exit__
    with managed():  # -> *stdlib
        spin(20)  # -> spin, *stdlib


class Counter:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        spin(20)  # -> spin
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        return self.n


@pattern
def iterators():
    for _ in Counter(2):  # -> Counter.__init__, Counter.__iter__, Counter.__next__
        pass
    list(itertools.chain(Counter(2), Counter(1)))  # -> Counter.__init__, Counter.__iter__, Counter.__next__


# --- comprehensions (functions of their own before 3.12) and C code that calls back


@pattern
def comprehensions():
    [spin(n) for n in (10, 20)]  # -> comprehensions.<locals>.<listcomp>, spin
    {spin(n) for n in (10, 20)}  # -> comprehensions.<locals>.<setcomp>, spin
    {n: spin(n) for n in (10, 20)}  # -> comprehensions.<locals>.<dictcomp>, spin
    any(spin(n) < 0 for n in (10, 20))  # -> comprehensions.<locals>.<genexpr>, spin
    NESTED()  # -> <lambda>


# fmt: off
NESTED = lambda: [[spin(n) for n in (i, 10)] for i in (10, 20)]  # -> <lambda>.<locals>.<listcomp>, <lambda>.<locals>.<listcomp>.<listcomp>, spin  # noqa: E501,E731
# fmt: on


def by_key(n):
    return spin(10 + n)  # -> spin


def compare(a, b):
    spin(10)  # -> spin
    return a - b


def replace(match):
    spin(20)  # -> spin
    return match.group()


DIGITS = re.compile(r"\d")


@pattern
def callbacks():
    sorted((3, 1, 2), key=by_key)  # -> by_key
    min((3, 1, 2), key=lambda n: by_key(n))  # -> callbacks.<locals>.<lambda>, by_key
    sorted((3, 1, 2), key=functools.cmp_to_key(compare))  # -> compare
    list(filter(by_key, (1, 2)))  # -> by_key
    functools.reduce(compare, (1, 2, 3))  # -> compare
    DIGITS.sub(replace, "a1b2")  # -> replace


# --- decorators


def logged(function):
    @functools.wraps(function)  # -> *stdlib
    def wrapper(*args):  # -> *stdlib
        spin(10)  # -> spin
        return function(*args)  # -> decorated_a, decorated_b, logged.<locals>.wrapper

    return wrapper


@logged
@logged
def decorated_a(n):
    return spin(n)  # -> spin


@logged
def decorated_b(n):
    return spin(n)  # -> spin


@pattern
def decorators():
    decorated_a(30)  # -> logged.<locals>.wrapper
    decorated_b(30)  # -> logged.<locals>.wrapper

    @logged  # -> logged
    def local():  # -> logged
        pass


# --- exceptions


def raising(n):
    if n == 0:
        spin(20)  # -> spin
        raise ValueError
    try:
        raising(n - 1)  # -> raising
    finally:
        spin(10)  # -> spin


@pattern
def exceptions():
    try:
        raising(5)  # -> raising
    except ValueError:
        spin(20)  # -> spin


# --- code made at run time: names of every width, and code objects at recycled addresses

EXEC_FILE = "<größe-€-𠀀>"
EXEC_SOURCE = '''
def größe(n):
    return функция(n)  # -> функция
def функция(n):
    return 𠀀(n) + spin(n)  # -> 𠀀, spin
def 𠀀(n):
    return spin(n)  # -> spin
größe(30)  # -> größe
'''
EXEC_CODE = compile(EXEC_SOURCE, EXEC_FILE, "exec")


@pattern
def executed():
    exec(EXEC_CODE, {"spin": spin})  # -> <module>
    eval("spin(30)", {"spin": spin})  # -> <module>, spin


def churn_source(k):
    return ("def churn_%d():\n    spin(30)  # -> spin\n    return inner_%d()  # -> inner_%d\n"
            "def inner_%d():\n    return spin(30)  # -> spin\nchurn_%d()  # -> churn_%d\n" % (k, k, k, k, k, k))


CHURN_SOURCES = {"<churn-%d>" % k: churn_source(k) for k in range(10)}


@pattern
def churn():
    for name, text in CHURN_SOURCES.items():
        exec(compile(text, name, "exec"), {"spin": spin})  # -> <module>


# --- threads, asyncio

KEPT = collections.deque(maxlen=8)  # the last reference to a finished thread is dropped here, not in the thread


def short_lived():
    for _ in range(60):
        recursion()  # -> recursion


def short_threads():
    thread = threading.Thread(target=short_lived, daemon=True)  # -> *stdlib
    thread.start()  # -> *stdlib
    thread.join()  # -> *stdlib
    KEPT.append(thread)  # -> *stdlib


LOOP = None


async def loop_child(n):
    spin(n)  # -> spin
    await asyncio.sleep(0)  # -> *stdlib
    spin(n)  # -> spin


async def loop_main():
    await loop_child(30)  # -> loop_child
    tasks = [LOOP.create_task(loop_child(20)), LOOP.create_task(loop_child(30))]  # -> *stdlib, loop_child
    for task in tasks:
        await task


def asyncio_tasks():
    LOOP.run_until_complete(loop_main())  # -> *stdlib, loop_main


# --- the driver


def repeat(function, seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        function()  # -> *patterns, short_threads, asyncio_tasks


def drive(functions):
    while True:
        for function in functions:
            repeat(function, 0.003)  # -> repeat


def worker():
    drive(PATTERNS)  # -> drive


def code_name(code):
    return getattr(code, "co_qualname", code.co_name)  # 3.11+


def code_lines(code):
    if hasattr(code, "co_lines"):  # 3.10+
        return {line for _, _, line in code.co_lines()} - {None}
    return {line for _, line in dis.findlinestarts(code)}


def code_table(code, table):
    """Every (name, first line, lines) in a code object and those nested in it."""
    table.append([code_name(code), code.co_firstlineno, sorted(code_lines(code))])
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            code_table(constant, table)
    return table


def describe():
    with open(__file__, encoding="utf-8") as source:
        sources = {__file__: source.read(), EXEC_FILE: EXEC_SOURCE, "<string>": "spin(30)  # -> spin", **CHURN_SOURCES}
    return {
        "pid": os.getpid(),
        "version": sys.version_info[:3],
        "qualified": hasattr(main.__code__, "co_qualname"),
        "patterns": [function.__name__ for function in PATTERNS],
        "entries": ENTRIES,
        "files": {name: {"source": text, "codes": code_table(compile(text, name, "eval" if name == "<string>" else "exec"), [])}
                  for name, text in sources.items()},
    }


def trace_once(functions):
    """What Python itself says the stacks are: [[[function, file, first line, line], ...], ...], leaf first."""
    stacks = set()

    def trace(frame, event, _):
        if event in ("call", "line"):
            stack = []
            while frame:
                code = frame.f_code
                stack.append((code_name(code), code.co_filename, code.co_firstlineno, frame.f_lineno))
                frame = frame.f_back
            stacks.add(tuple(stack))
        return trace

    threading.settrace(trace)
    sys.settrace(trace)
    for function in functions:
        function()  # -> *patterns, short_threads, asyncio_tasks
    sys.settrace(None)
    return sorted(stacks)


def main():
    global LOOP
    LOOP = asyncio.new_event_loop()
    everything = PATTERNS + [short_threads, asyncio_tasks]
    for function in everything:
        function()
    print(json.dumps(describe()), flush=True)
    if "--trace" in sys.argv:
        print(json.dumps(trace_once(everything)))  # -> trace_once
        return
    if "--steady" in sys.argv:
        for function in (churn, executed, short_threads):
            everything.remove(function)
        drive(everything)  # -> drive
    threading.Thread(target=worker, daemon=True).start()  # -> *stdlib
    threading.Thread(target=worker, daemon=True).start()  # -> *stdlib
    drive(everything)  # -> drive


if __name__ == "__main__":
    main()  # -> main
