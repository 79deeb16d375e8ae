# SPDX-License-Identifier: GPL-2.0-only
"""Waits for SIGUSR1, then burns in the last lines of a function that nobody has seen before and whose line
table is too long for a record of the ring buffer. Prints the number of its lines first."""
import json
import os
import signal

LINES = 20000


def source():
    yield "def long(n):"
    for _ in range(LINES - 5):
        yield "    n += 1 if n else 2"
    yield "    while True:"
    yield "        for i in range(1000):"
    yield "            n += i"


def main():
    names = {}
    exec(compile("\n".join(source()), "generated.py", "exec"), names)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    print(json.dumps({"pid": os.getpid(), "lines": LINES - 1}), flush=True)
    signal.sigwait({signal.SIGUSR1})
    names["long"](0)


if __name__ == "__main__":
    main()
