# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf dump` asked about a program, and workloads/hung.py, whose threads all wait."""
import json
import subprocess

import profiler

# The system calls that each thread of hung.py may wait in.
WAITS = {"first": ["futex"], "second": ["futex"], "writer": ["write"], "asker": ["recvfrom"],
         "poller": ["poll", "ppoll"], "deep": ["clock_nanosleep", "pselect6", "select"],
         "main": ["clock_nanosleep", "pselect6", "select"]}


def dump(*arguments, code=0):
    done = subprocess.run([profiler.BINARY, "dump", *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == code, done.stderr
    return done


def look(pid):
    process, = json.loads(dump("--json", "--pid", pid).stdout)["processes"]
    assert process["pid"] == pid
    return {thread["tid"]: thread for thread in process["threads"]}


def hangs(pid, numbers):
    threads = look(pid)
    return all(threads[numbers[name]].get("syscall") in calls for name, calls in WAITS.items())
