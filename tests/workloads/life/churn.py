# SPDX-License-Identifier: GPL-2.0-only
"""Starts a program many times a second, and waits for each. Usage: churn.py RATE SECONDS PROGRAM. Prints its
pid, and how often it did at the end."""
import json
import os
import sys
import time


def main():
    rate, seconds, program = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    print(json.dumps({"pid": os.getpid()}), flush=True)
    begin = time.monotonic()
    done = 0
    while time.monotonic() < begin + seconds:
        ahead = done / rate - (time.monotonic() - begin)
        if ahead > 0:
            time.sleep(ahead)
        os.waitpid(os.posix_spawn(program, [program], {}), 0)
        done += 1
    print(json.dumps(done), flush=True)


if __name__ == "__main__":
    main()
