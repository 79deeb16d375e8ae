# SPDX-License-Identifier: GPL-2.0-only
"""What edges.py runs, second part: classes, C code that calls back, exceptions, code made at run time."""
import contextlib
import functools
import itertools
import operator
import re

from edges_calls import pattern, spin

# --- classes


class Meta(type):
    def __new__(mcs, name, bases, namespace):
        spin(20)  # -> spin
        return super().__new__(mcs, name, bases, namespace)  # -> Descriptor.__set_name__, Base.__init_subclass__  # noqa: E501

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
            "def inner_%d():\n    return spin(30)  # -> spin\n"
            "churn_%d()  # -> churn_%d\n" % (k, k, k, k, k, k))


CHURN_SOURCES = {"<churn-%d>" % k: churn_source(k) for k in range(10)}


@pattern
def churn():
    for name, text in CHURN_SOURCES.items():
        exec(compile(text, name, "exec"), {"spin": spin})  # -> <module>
