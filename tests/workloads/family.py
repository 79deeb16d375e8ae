# SPDX-License-Identifier: GPL-2.0-only
"""A parent, a forked child, a child started by exec and a grandchild by way of a shell, each with a burn
function of its own. Usage: family.py SECONDS. Prints {"parent": pid, ...} when all have ended."""
import json
import os
import subprocess
import sys

CLOCK = """
from functools import partial
from time import CLOCK_THREAD_CPUTIME_ID, clock_gettime
thread_time = partial(clock_gettime, CLOCK_THREAD_CPUTIME_ID)  # time.thread_time() is of 3.7
"""
exec(CLOCK)

BURN = CLOCK + """
def %s(seconds):
    end = thread_time() + seconds
    while thread_time() < end:
        sum(range(1000))
%s(%s)
"""


def burn_in_parent(seconds):
    end = thread_time() + seconds
    while thread_time() < end:
        sum(range(1000))


def burn_in_fork(seconds):
    end = thread_time() + seconds
    while thread_time() < end:
        sum(range(1000))


def program(name, seconds):
    return BURN % (name, name, seconds)


def main():
    seconds = float(sys.argv[1])
    pids = {"parent": os.getpid()}
    pids["fork"] = os.fork()
    if not pids["fork"]:
        burn_in_fork(seconds)
        os._exit(0)
    child = subprocess.Popen([sys.executable, "-c", program("burn_in_child", seconds)])
    pids["child"] = child.pid
    script = '"$0" -c "$1" & echo $!; wait'
    grandchild = subprocess.Popen(["/bin/sh", "-c", script, sys.executable,
                                   program("burn_in_grandchild", seconds)],
                                  stdout=subprocess.PIPE, universal_newlines=True)
    pids["shell"] = grandchild.pid  # Python code until its exec
    pids["grandchild"] = int(grandchild.stdout.readline())
    burn_in_parent(seconds)
    os.waitpid(pids["fork"], 0)
    child.wait()
    grandchild.wait()
    print(json.dumps(pids), flush=True)


if __name__ == "__main__":
    main()
