# SPDX-License-Identifier: GPL-2.0-only
"""Calls the functions of tests/workloads/native/chains, and says which calls each of them makes; for Python
2.7 as well.

chains.py LIBRARY ITERATIONS MODE [LEVELS]. Prints a line of JSON when it is ready.
  chains   one chain after the other, each for so many iterations of an empty loop
  within   C that calls Python that calls C, so many levels of it
  sorted   C of the interpreter that calls Python that calls C
  greenlet two greenlets in turns, each with such levels of its own (greenlet is to be importable)
  clock    what asks for the time
  thread   a thread of C beside a Python that sleeps"""
import ctypes
import json
import os
import sys
import time

# Leaf first; the last one is what Python calls.
# {libc}: a function of the C library, of any name. What a handler returns to is the kernel's on arm64.
ARM64 = os.uname()[4] == "aarch64"
SIGNAL = ["spin", "on_signal", "[vdso]" if ARM64 else "{libc}", "raises", "with_handler"]
CHAINS = {
    "recursion": ["spin"] + 61 * ["deep"],
    "leaf_with_alloca": ["with_alloca"],
    "large_frame": ["spin"],
    "realigns": ["spin", "realigned"],
    "realigns_leaf": ["realigned_leaf"],
    "frame_pointers": ["spin"] + 4 * ["without_pointer", "with_pointer"],
    "static_function": ["spin", "hidden"],
    "other_library": ["spin", "calls_far_away"],
    "through_plt": ["{stub or} far_away"],
    "long_jump": ["spin", "jumps", "ends_with_call"],
    "signal_handler": SIGNAL,
    "signal_stack": SIGNAL,
    "made_code": ["spin", "[JIT]", "[JIT]"],
}
CPP = {
    "destructor": ["spin", "(anonymous namespace)::Guard::~Guard", "passes"],
    "handler": ["spin"],
}
# Of these the callers cannot be found.
BROKEN = {
    "huge_frame": ["spin", "huge_frame", "[native incomplete]"],
    "without_rows": ["bare_leaf", "[native incomplete]"],
    "without_rows_within": ["spin", "bare_middle", "[native incomplete]"],
}
THREAD = ["spin", "works", "thread", "{libc}", "{libc}", "[C thread]"]


class Library(object):
    def __init__(self, path):
        self.functions = ctypes.CDLL(path)
        self.chains = dict(CHAINS)
        if hasattr(self.functions, "destructor"):
            self.chains.update(CPP)
        for name in list(self.chains) + list(BROKEN):
            getattr(self.functions, name).argtypes = [ctypes.c_uint64]

    def about(self):
        whole = dict((entry, calls + [entry]) for entry, calls in self.chains.items())
        return {"whole": whole, "broken": BROKEN, "thread": THREAD}

    def call_all(self, names, iterations):
        for name in names:
            call(getattr(self.functions, name), iterations)


def every_chain_once(path):
    """A function that goes through all of which the callers can be found, without much time."""
    library = Library(path)
    return lambda: library.call_all(sorted(library.chains, key=lambda name: (name in CPP, name)), 20)


def call(function, iterations):
    function(iterations)


def even(library, level, iterations):
    goes_on(library, odd, level, iterations)


def odd(library, level, iterations):
    goes_on(library, even, level, iterations)


def goes_on(library, other, level, iterations):
    if not level:
        call(library.functions.static_function, iterations)
        return

    def again(_):
        other(library, level - 1, iterations)
        return 0

    kind = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)
    library.functions.calls_back(ctypes.c_uint64(1), kind(again))


def is_key(item):
    library, iterations = item
    call(library.functions.static_function, iterations)
    return 0


def sorts(library, iterations):
    sorted([(library, iterations)], key=is_key)


def in_turns(library, levels, iterations):
    import greenlet

    def runs(other, level):
        while True:
            even(library, level, iterations)
            other().switch()

    first = greenlet.greenlet(lambda: runs(lambda: second, levels))
    second = greenlet.greenlet(lambda: runs(lambda: first, levels + 1))
    first.switch()


def main():
    library, iterations, mode = Library(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    library.call_all(library.chains, 10)
    if mode == "thread":
        library.functions.start_thread_of_c(ctypes.c_uint64(iterations))
    print(json.dumps(library.about()))
    sys.stdout.flush()
    while mode == "thread":
        time.sleep(1)
    while mode == "chains":
        library.call_all(sorted(library.chains) + sorted(BROKEN), iterations)
    while mode == "within":
        even(library, int(sys.argv[4]), iterations)
    while mode == "clock":
        library.functions.reads_clock(ctypes.c_uint64(iterations))
    while mode == "sorted":
        sorts(library, iterations)
    in_turns(library, int(sys.argv[4]), iterations)


if __name__ == "__main__":
    main()
