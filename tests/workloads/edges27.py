# SPDX-License-Identifier: GPL-2.0-only
"""edges.py for Python 2.7, with the same notes: a line that can have another Python frame above it says
which. What 3.x does not have: old-style classes, __cmp__, sorted(cmp=), names and file names that are bytes
of one encoding or another.

Usage: edges27.py [--steady | --trace], as edges.py.
"""
import collections
import json
import os
import sys
import threading
import time

sys.dont_write_bytecode = True
import edges27_calls  # noqa: E402
import edges27_objects  # noqa: E402
from code_table27 import code_table, decoded  # noqa: E402
from edges27_calls import PATTERNS, recursion, spin  # noqa: E402
from edges27_objects import (  # noqa: E402
    CHURN_SOURCES, EXEC_FILE, EXEC_LATIN, EXEC_NAMES, EXEC_SOURCE, churn, executed)

ENTRIES = {
    "Thread.run": ["worker", "short_lived"],
    "GeneratorContextManager.__enter__": ["managed"],
    "GeneratorContextManager.__exit__": ["managed"],
}

# --- threads

# the last reference to a finished thread is dropped here, not in the thread
KEPT = collections.deque(maxlen=8)


def short_lived():
    for _ in range(60):
        recursion()  # -> recursion


def started(function):
    made = threading.Thread(target=function)  # -> *stdlib
    made.daemon = True  # -> *stdlib
    made.start()  # -> *stdlib
    return made


def short_threads():
    made = started(short_lived)  # -> started
    spin(2000)  # -> spin
    while made.isAlive():  # -> *stdlib
        time.sleep(0.001)
    KEPT.append(made)


# --- the driver


def repeat(function, seconds):
    end = time.time() + seconds
    while time.time() < end:
        function()  # -> *patterns, short_threads


def drive(functions):
    while True:
        for function in functions:
            repeat(function, 0.003)  # -> repeat


def worker():
    drive(PATTERNS)  # -> drive


def read(path):
    with open(path) as source:
        return source.read()


def describe():
    sources = dict(CHURN_SOURCES)
    sources.update({path: read(path) for path in (__file__, edges27_calls.__file__,
                                                  edges27_objects.__file__)})
    sources.update({EXEC_FILE: EXEC_SOURCE, EXEC_LATIN: EXEC_SOURCE, "<string>": "spin(30)  # -> spin"})
    described = collections.OrderedDict()
    for name in sorted(sources, key=lambda name: name != __file__):  # the first one is the program
        code = compile(sources[name], name, "eval" if name == "<string>" else "exec")
        names = EXEC_NAMES if sources[name] is EXEC_SOURCE else {}
        described[decoded(name)] = {"source": decoded(sources[name]), "codes": code_table(code, [], names)}
    return {
        "pid": os.getpid(),
        "version": sys.version_info[:3],
        "qualified": False,
        "patterns": [function.__name__ for function in PATTERNS],
        "entries": ENTRIES,
        "thread_roots": ["Thread.__bootstrap"],
        "files": described,
    }


def trace_once(functions):
    """What Python itself says the stacks are: [[[function, file, first line, line], ...], ...],
    leaf first."""
    stacks = set()

    def trace(frame, event, _):
        if event in ("call", "line"):
            stack = []
            while frame:
                code = frame.f_code
                stack.append((decoded(code.co_name), decoded(code.co_filename), code.co_firstlineno,
                              frame.f_lineno))
                frame = frame.f_back
            stacks.add(tuple(stack))
        return trace

    threading.settrace(trace)
    sys.settrace(trace)
    for function in functions:
        function()  # -> *patterns, short_threads
    sys.settrace(None)
    return sorted(stacks)


def main():
    everything = PATTERNS + [short_threads]
    for function in everything:
        function()
    print json.dumps(describe())
    sys.stdout.flush()
    if "--trace" in sys.argv:
        print json.dumps(trace_once(everything))  # -> trace_once
        return
    if "--steady" in sys.argv:
        for function in (churn, executed, short_threads):
            everything.remove(function)
        drive(everything)  # -> drive
    started(worker)  # -> started
    started(worker)  # -> started
    drive(everything)  # -> drive


if __name__ == "__main__":
    main()  # -> main
