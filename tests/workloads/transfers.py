# SPDX-License-Identifier: GPL-2.0-only
"""Reads and writes so many bytes from functions of its own, when it is told to.

A line on stdin is what to do and how often: "writes 100". When it is done, a line of JSON says how many bytes
that were.
"""
import json
import os
import sys

NULL = os.open("/dev/null", os.O_WRONLY)
ZERO = os.open("/dev/zero", os.O_RDONLY)


def writes(times):
    return sum(os.write(NULL, b"x" * 4096) for _ in range(times))


def writes_more(times):
    return sum(os.write(NULL, b"x" * 8000) for _ in range(times))


def reads(times):
    return sum(len(os.read(ZERO, 1000)) for _ in range(times))


def writes_few(times):
    return sum(os.write(NULL, b"x" * 8) for _ in range(times))


def say(about):
    """In one call, and so long that it is not one of few bytes (tests/recipe/bpf/events/io.h)."""
    sys.stdout.write(json.dumps(about) + "\n")
    sys.stdout.flush()


def main():
    say({"moved_bytes": 0})
    for line in sys.stdin:
        name, times = line.split()
        say({"moved_bytes": globals()[name](int(times))})


main()
