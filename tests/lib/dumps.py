# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf dump` asked about a program, and workloads/hung.py, whose threads all wait."""
import json

import profiler

# The system calls that each thread of hung.py may wait in.
WAITS = {"first": ["futex"], "second": ["futex"], "writer": ["write"], "asker": ["recvfrom"],
         "poller": ["poll", "ppoll"], "deep": ["clock_nanosleep", "pselect6", "select"],
         "main": ["clock_nanosleep", "pselect6", "select"]}


def dump(*arguments, code=0):
    return profiler.command("dump", *arguments, code=code)


def look(pid):
    process, = json.loads(dump("--json", "--pid", pid).stdout)["processes"]
    assert process["pid"] == pid
    return {thread["tid"]: thread for thread in process["threads"]}


def hangs(pid, numbers):
    threads = look(pid)
    return all(threads[numbers[name]].get("syscall") in calls for name, calls in WAITS.items())
