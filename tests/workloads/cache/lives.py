# SPDX-License-Identifier: GPL-2.0-only
"""A stack of frames of one code object, which has been there for so long that it is cached where there is no
code epoch. Then it is freed, and another one is made at its address, of the same file and line, with another
name. Its frames look the same and stand at the same places, below the same leaf, and nothing else is new. The
profiler can be mistaken about that once for each process, so the program begins anew then. Its command line
has how many lives it has had, and in how many of them the address was the same. Usage: lives.py [LIVES SAME]
"""
import json
import os
import sys
import time
import types

SOURCE = """
def %s(depth, inner, leaf):
    return inner(depth - 1, inner, leaf) if depth else leaf()
"""


SETTLES = 2  # seconds: SETTLED_SECONDS of bpf/python/settled.h


def template(name):
    scope = {}
    exec(compile(SOURCE % name, "made.py", "exec"), scope)
    return scope[name].__code__


BEFORE, BEHIND = template("before"), template("behind")


def made(code):
    """A function of a copy of the code object, which goes when the caller drops the function."""
    return types.FunctionType(code.replace(co_filename="made.py"), {"range": range})


def leaf():
    total, end = 0, time.time() + 0.02
    while time.time() < end:
        for i in range(200):
            total += i
    return total


def spin(call, seconds):
    end = time.time() + seconds
    while time.time() < end:
        call(6, call, leaf)


def life(number):
    """Whether the second code object stood where the first one had."""
    call, addresses = None, set()
    for code, seconds in (BEFORE, SETTLES + (0.3, 0.7, 1.1, 1.9)[number % 4]), (BEHIND, 0.6):
        call = None  # memory that has just been given back is given out first
        call = made(code)
        addresses.add(id(call.__code__))
        spin(call, seconds)
    return len(addresses) == 1


def main(lives, same):
    if not lives:
        print(json.dumps({"pid": os.getpid()}), flush=True)
    same += life(lives)
    os.execv(sys.executable, [sys.executable, __file__, str(lives + 1), str(same)])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3] or (0, 0)))
