# -*- coding: utf-8 -*-
# SPDX-License-Identifier: GPL-2.0-only
"""The part of edges27.py that is about classes, what C code calls back, exceptions,
and code made at run time."""
import contextlib
import functools
import operator
import re
import types

from edges27_calls import numbers, pattern, spin

# --- classes of the old and of the new style


class Meta(type):
    def __new__(mcs, name, bases, namespace):
        spin(20)  # -> spin
        return super(Meta, mcs).__new__(mcs, name, bases, namespace)

    def __call__(cls, *args):
        spin(20)  # -> spin
        return super(Meta, cls).__call__(*args)  # -> __init__


class Old:
    def __init__(self, n):
        self.n = n
        spin(n)  # -> spin

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return spin(20)  # -> spin

    def __cmp__(self, other):
        return spin(20) and cmp(self.n, other.n)  # -> spin

    def __call__(self, n):
        return spin(n)  # -> spin

    def __getitem__(self, i):
        if i > 2:
            raise IndexError
        return spin(10 + i)  # -> spin

    def __del__(self):
        spin(20)  # -> spin

    def method(self):
        return spin(self.n)  # -> spin


class New(object):
    def __init__(self, n):
        self.n = n
        spin(n)  # -> spin

    def __lt__(self, other):
        return self.n < other.n + spin(10)  # -> spin

    def __iter__(self):
        return numbers(2)

    def __hash__(self):
        return spin(20)  # -> spin

    def __eq__(self, other):
        return spin(10) == 0  # -> spin

    @property
    def twice(self):
        return 2 * spin(self.n)  # -> spin

    @staticmethod
    def fixed(n):
        return spin(n)  # -> spin

    @classmethod
    def made(cls, n):
        return cls(n)  # -> __init__


class Derived(New):
    def __init__(self, n):
        super(Derived, self).__init__(n)  # -> __init__
        New.__init__(self, n)  # -> __init__


@pattern
def old_classes():
    old = Old(30)  # -> __init__
    old.missing  # -> __getattr__
    old == Old(20)  # -> __init__, __cmp__, __getattr__, __del__
    sorted([old, old, old])  # -> __cmp__, __getattr__
    old(30)  # -> __call__
    list(old)  # -> __getitem__, __getattr__
    old.method()  # -> method
    del old  # -> __del__


@pattern
def new_classes():
    new = Derived.made(20)  # -> made
    sorted([new, New(10)])  # -> __lt__, __init__
    list(new)  # -> __iter__, numbers
    {new: 1}.get(New(20))  # -> __hash__, __eq__, __init__
    new.twice  # -> twice
    New.fixed(30)  # -> fixed
    operator.attrgetter("twice")(new)  # -> twice


@pattern
def class_body():
    class Local(object):  # -> Local, __new__
        __metaclass__ = Meta
        spin(30)  # -> spin

        def __init__(self):
            spin(20)  # -> spin

    Local()  # -> __call__


# --- context managers, callbacks out of C, decorators


@contextlib.contextmanager
def managed():
    spin(20)  # -> spin
    yield
    spin(20)  # -> spin


class Manager(object):
    def __enter__(self):
        return spin(20)  # -> spin

    def __exit__(self, *args):
        return spin(20)  # -> spin


@pattern
def context_managers():
    with Manager():  # -> __enter__, __exit__
        spin(20)  # -> spin, __exit__
    with managed():  # -> *stdlib
        spin(20)  # -> spin, *stdlib


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
    sorted((3, 1, 2), cmp=compare)  # -> compare
    min((3, 1, 2), key=lambda n: by_key(n))  # -> <lambda>, by_key
    filter(by_key, (1, 2))  # -> by_key
    map(None, numbers(2), numbers(3))  # -> numbers
    reduce(compare, (1, 2, 3))  # -> compare
    DIGITS.sub(replace, "a1b2")  # -> replace


def logged(function):
    @functools.wraps(function)  # -> *stdlib
    def wrapper(*args):  # -> *stdlib
        spin(10)  # -> spin
        return function(*args)  # -> decorated_a, decorated_b, wrapper

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
    decorated_a(30)  # -> wrapper
    decorated_b(30)  # -> wrapper

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


# --- code made at run time: bytes for names, and code objects at recycled addresses


def renamed(code, name):
    return types.CodeType(code.co_argcount, code.co_nlocals, code.co_stacksize, code.co_flags, code.co_code,
                          code.co_consts, code.co_names, code.co_varnames, code.co_filename, name,
                          code.co_firstlineno,
                          code.co_lnotab, code.co_freevars, code.co_cellvars)


EXEC_FILE = "<größe-€-𠀀>"
EXEC_LATIN = "<gr\xf6\xdfe>"  # as it was compiled on a system of that encoding
EXEC_SOURCE = '''
def outer(n):
    return middle(n)  # -> функция
def middle(n):
    return inner(n) + spin(n)  # -> 𠀀, spin
def inner(n):
    return spin(n)  # -> spin
for f, name in (outer, 'größe'), (middle, 'функция'), (inner, '𠀀'):
    f.__code__ = renamed(f.__code__, name)  # -> renamed
outer(30)  # -> größe
'''
EXEC_NAMES = {"outer": u"größe", "middle": u"функция", "inner": u"𠀀"}  # as they are after that
EXEC_CODE = [compile(EXEC_SOURCE, name, "exec") for name in (EXEC_FILE, EXEC_LATIN)]


@pattern
def executed():
    for code in EXEC_CODE:
        exec code in {"spin": spin, "renamed": renamed}  # -> <module>
    eval("spin(30)", {"spin": spin})  # -> <module>, spin


def churn_source(k):
    return ("def churn_%d():\n    spin(30)  # -> spin\n    return inner_%d()  # -> inner_%d\n"
            "def inner_%d():\n    return spin(30)  # -> spin\n"
            "churn_%d()  # -> churn_%d\n" % (k, k, k, k, k, k))


CHURN_SOURCES = {"<churn-%d>" % k: churn_source(k) for k in range(10)}


@pattern
def churn():
    for name, text in CHURN_SOURCES.items():
        exec compile(text, name, "exec") in {"spin": spin}  # -> <module>
