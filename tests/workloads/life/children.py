# SPDX-License-Identifier: GPL-2.0-only
"""Forks children that burn CPU time in burn() and end. Usage: children.py COUNT SECONDS AT_ONCE. Prints its
pid, begins when a line is read, and prints {pid: CPU seconds in burn()} at the end."""
import json
import os
import sys
from time import thread_time


def burn(seconds):
    begin = thread_time()
    while thread_time() < begin + seconds:
        sum(range(100))
    return thread_time() - begin


def child(seconds, pipe):
    os.write(pipe, b"%d %f\n" % (os.getpid(), burn(seconds)))
    os._exit(0)


def main():
    count, seconds, at_once = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    print(json.dumps({"pid": os.getpid()}), flush=True)
    sys.stdin.readline()
    reader, writer = os.pipe()
    running = 0
    for _ in range(count):
        if not os.fork():
            child(seconds, writer)
        running += 1
        if running == at_once:
            os.wait()
            running -= 1
    while running:
        os.wait()
        running -= 1
    os.close(writer)
    with open(reader) as told:
        print(json.dumps(dict(line.split() for line in told)), flush=True)


if __name__ == "__main__":
    main()
