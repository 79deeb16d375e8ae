# SPDX-License-Identifier: GPL-2.0-only
"""What the programs of this directory share: how they begin and end, and what they do at the bottom of a
stack.

  --call         every tick() is os.getppid(), the system call that drives tests/bench/hot
  --record       the same, and count the true stack of each: the last line printed has them. A round of the
                 program begins when a line is read.
  --rounds N     end after N rounds and print the seconds they took; default: run until killed
  --progress F   keep (rounds done, time in ns) in file F, for another process to read
Otherwise tick() is a cheap call of C code. All print one line of JSON when they are ready.
"""
import argparse
import collections
import json
import mmap
import os
import struct
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("size", nargs="?", type=int)
parser.add_argument("--call", action="store_true")
parser.add_argument("--record", action="store_true")
parser.add_argument("--rounds", type=int, default=0)
parser.add_argument("--progress")
options = parser.parse_args()
seen = []  # appending is atomic, counting would not be
texts = {}
recording = False


def record():
    """os.getppid() with this function as the leaf; the harness takes it away again."""
    if not recording:
        return
    names, frame = [], sys._getframe(1)
    while frame:
        names.append(frame.f_code.co_qualname)
        frame = frame.f_back
    text = ";".join(reversed(names))
    seen.append(texts.setdefault(text, text))
    os.getppid()


tick = record if options.record else os.getppid if options.call else int


def ready(**about):
    print(json.dumps({"pid": os.getpid(), "version": sys.version_info[:3], **about}), flush=True)


def rounds(**about):
    """Counts rounds. Its frame is not on the stack while a round runs."""
    global recording
    page = None
    if options.progress:
        with open(options.progress, "r+b") as f:
            page = mmap.mmap(f.fileno(), 4096)
    ready(**about)
    if options.record:
        sys.stdin.readline()
        recording = True
    done, begin = 0, time.perf_counter()
    while done < (options.rounds or sys.maxsize):
        yield done
        done += 1
        if page:
            struct.pack_into("<QQ", page, 0, done, time.monotonic_ns())
    seconds = time.perf_counter() - begin
    if options.record:
        recording = False
        time.sleep(0.2)  # other threads may be inside record()
    print(json.dumps({"seconds": seconds, "stacks": collections.Counter(seen)}), flush=True)
    if options.record:
        sys.stdin.readline()
