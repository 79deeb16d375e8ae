# SPDX-License-Identifier: GPL-2.0-only
"""How long switches of a program's threads take in the profiler (tests/forge/longest.c)."""
import contextlib
import json
import subprocess

import profiler

PROGRAM = profiler.BUILD / "tests/forge/longest"


class Longest:
    """Begun before the profiler."""

    def __init__(self, pid):
        self.process = subprocess.Popen([PROGRAM, str(pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.is_ready()

    def is_ready(self):
        assert self.process.stdout.readline() == "ready\n"

    def begin(self):
        """The profiler is attached: what comes now counts."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.is_ready()

    def end(self):
        """{"switches": how many, "p50_ns", "p99_ns", "max_ns"}"""
        said, _ = self.process.communicate(timeout=60)
        return json.loads(said)


@contextlib.contextmanager
def of(pid):
    measuring = Longest(pid)
    try:
        yield measuring
    finally:
        measuring.process.kill()
        measuring.process.communicate()
