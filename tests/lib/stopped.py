# SPDX-License-Identifier: GPL-2.0-only
"""Programs that are stopped (SIGSTOP) when windows open and close, so that windows of different requests must
hold exactly the same samples."""
import os
import pathlib
import signal
import time

import profiler

RUN_SECONDS = 1  # CPU time of the targets between two stops


def state(pid):
    return pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()[0]


def stop(target):
    os.kill(target.pid, signal.SIGSTOP)
    profiler.wait_until(lambda: state(target.pid) == "T", what="stopped target")


def cpu_seconds(pid):
    return sum(map(int, pathlib.Path("/proc/%d/stat" %
                                     pid).read_text().rpartition(")")[2].split()[11:13])) / 100


def let_run(targets, seconds=RUN_SECONDS):
    """At most three seconds, which is less than the windows around it."""
    start, end = sum(cpu_seconds(target.pid) for target in targets), time.monotonic() + 3
    for target in targets:
        os.kill(target.pid, signal.SIGCONT)
    while sum(cpu_seconds(target.pid) for target in targets) < start + seconds and time.monotonic() < end:
        time.sleep(0.05)
    for target in targets:
        stop(target)
