# SPDX-License-Identifier: GPL-2.0-only
"""For Python 2.7, what cache/*.py are for 3.x: frames of equal size below different callers, and generators
that two drivers resume and throw into in turn, alone and at the end of a chain. Few functions, so that the
cache is soon in use. Notes as in edges.py; one with the callee "-" stands on a line that calls nothing, to
say under whom alone it runs."""
import json
import os
import sys

sys.dont_write_bytecode = True
from code_table27 import code_table  # noqa: E402


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
        total = 0


def chain(depth):
    got = None
    generator = chain(depth - 1) if depth else echo()
    generator.send(None)  # -> chain, echo
    while True:
        got = yield got
        generator.send(got)  # -> chain, echo


def catcher():
    total = 0
    while True:
        try:
            yield total
        except KeyError:
            for i in range(30):
                total += i  # -> - | under throw_a
            continue
        except ValueError:
            for i in range(30):
                total += i  # -> - | under throw_b
            continue


def drive_a(generator):
    generator.send(True)  # -> echo, chain


def drive_b(generator):
    generator.send(False)  # -> echo, chain


def throw_a(generator):
    generator.throw(KeyError())  # -> catcher


def throw_b(generator):
    generator.throw(ValueError())  # -> catcher


def fresh(n):
    for i in range(n):
        yield i


def make():
    for _ in range(10):
        fresh(3)  # -> fresh
        for _ in fresh(3):  # -> fresh
            pass
        list(fresh(5))  # -> fresh


def spin(n):
    total = n
    for i in range(60):
        total += i
    return total


def mid(flag):
    if flag:
        return spin(1)  # -> spin | under top_a
    return spin(2)  # -> spin | under top_b


def top_a():
    return mid(True)  # -> mid


def top_b():
    return mid(False)  # -> mid


class Old:
    def __getattr__(self, name):
        return spin(3)  # -> spin


def down(n, old):
    if n:
        return down(n - 1, old)  # -> down
    return old.missing  # -> __getattr__


def through_c(n):
    if n:
        return map(through_c, (n - 1,))  # -> through_c
    return spin(4)  # -> spin


def describe():
    with open(__file__) as source:
        text = source.read()
    codes = code_table(compile(text, __file__, "exec"), [])
    return {"pid": os.getpid(), "version": sys.version_info[:3], "qualified": False, "patterns": [],
            "entries": {},
            "roots": [], "files": {__file__: {"source": text, "codes": codes}}}


def main():
    resumed = echo(), chain(0), chain(100)
    thrown = catcher(), catcher()
    for generator in resumed + thrown:
        generator.send(None)  # -> echo, chain, catcher
    old = Old()
    print json.dumps(describe())  # -> *stdlib
    sys.stdout.flush()
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
        for _ in range(10):
            top_a()  # -> top_a
            top_b()  # -> top_b
            down(40, old)  # -> down
            through_c(20)  # -> through_c


if __name__ == "__main__":
    main()  # -> main
