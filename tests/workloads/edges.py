# SPDX-License-Identifier: GPL-2.0-only
"""A program whose legal call edges are written next to the calls, so that every sampled stack can be judged.

A line that can have another Python frame above it says which: `# -> callee, callee`, by qualified name.
`*patterns` stands for the functions marked @pattern, `*stdlib` for any function outside of this program.
Up to 3.9 the end of a with block is on the line of the block's last statement, and in 3.8 to 3.10 a decorator
is called from the line of the def; the notes allow it in all versions.
`| under NAME` adds: whenever a frame is on this line, NAME is one of its callers; this catches stacks glued
together from two moments, whose edges are each legal. ENTRIES says which functions the standard library
calls.

Usage: edges.py. Prints one line of JSON when it is warm, then runs until it is killed.
       edges.py --steady. The same in one thread, and without code that is made at run time.
       edges.py --calm. The same, and each thread rests three quarters of its time: for tests that wait for
       something else, and need some samples.
       edges.py --trace. Runs everything once under sys.settrace and prints, as a second line, every distinct
       stack at every line executed: a test judges them, so that the notes are known to be right.
"""
import asyncio
import collections
import functools
import json
import os
import sys
import threading
import time

import edges_calls
import edges_objects
from code_table import code_name, code_table
from edges_calls import PATTERNS, recursion, spin
from edges_objects import CHURN_SOURCES, EXEC_FILE, EXEC_SOURCE, churn, executed

if not hasattr(time, "thread_time"):  # 3.6
    time.thread_time = functools.partial(time.clock_gettime, time.CLOCK_THREAD_CPUTIME_ID)

ENTRIES = {
    "Thread.run": ["worker", "short_lived"],
    "_GeneratorContextManagerBase.__init__": ["managed"],  # makes the generator
    "_GeneratorContextManager.__enter__": ["managed"],
    "_GeneratorContextManager.__exit__": ["managed"],
    "Handle._run": ["loop_main", "loop_child"],
}

# --- threads, asyncio

# the last reference to a finished thread is dropped here, not in the thread
KEPT = collections.deque(maxlen=8)


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
    spin(20 * n)  # -> spin
    await asyncio.sleep(0)  # -> *stdlib
    spin(20 * n)  # -> spin


async def loop_main():
    await loop_child(30)  # -> loop_child
    tasks = [LOOP.create_task(loop_child(20)), LOOP.create_task(loop_child(30))]  # -> *stdlib, loop_child
    for task in tasks:
        await task


def asyncio_tasks():
    LOOP.run_until_complete(loop_main())  # -> *stdlib, loop_main


# --- the driver

REST = 0.009 if "--calm" in sys.argv else 0  # seconds


def repeat(function, seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        function()  # -> *patterns, short_threads, asyncio_tasks


def drive(functions):
    while True:
        for function in functions:
            repeat(function, 0.003)  # -> repeat
            if REST:
                time.sleep(REST)


def worker():
    drive(PATTERNS)  # -> drive


def read(path):
    with open(path, encoding="utf-8") as source:
        return source.read()


def mode(name):
    return "eval" if name == "<string>" else "exec"


def describe():
    sources = {path: read(path) for path in (__file__, edges_calls.__file__, edges_objects.__file__)}
    sources.update({EXEC_FILE: EXEC_SOURCE, "<string>": "spin(30)  # -> spin"}, **CHURN_SOURCES)
    return {
        "pid": os.getpid(),
        "version": sys.version_info[:3],
        "qualified": hasattr(main.__code__, "co_qualname"),
        "patterns": [function.__name__ for function in PATTERNS],
        "entries": ENTRIES,
        "files": {name: {"source": text, "codes": code_table(compile(text, name, mode(name)), [])}
                  for name, text in sources.items()},
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
