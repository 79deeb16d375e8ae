# SPDX-License-Identifier: GPL-2.0-only
"""Runs tests/oracle: an interpreter that says what its code objects are, and the program that compares."""
import contextlib
import os
import subprocess

import profiler

ORACLE = profiler.BUILD / "tests/oracle/oracle"
DUMPS = profiler.ROOT / "tests" / "oracle"


@contextlib.contextmanager
def dumped(interpreter, path, what):
    """The interpreter's process, alive with all its code objects; it has written `path`. what:
    see dump.py."""
    command = [interpreter.path, interpreter.isolated, "-S", "-B", str(DUMPS / interpreter.program("dump")),
               str(path), what]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline().startswith("ready ")
            yield process
        finally:
            process.kill()


def compare(process, path):
    """The oracle's exit status and its counts by name."""
    assert os.access(ORACLE, os.X_OK), "not built: %s (make tests)" % ORACLE
    done = subprocess.run([str(ORACLE), str(process.pid), str(path)], stdout=subprocess.PIPE, text=True,
                          timeout=600)
    assert done.stdout, "nothing was compared"
    print(done.stdout)
    words = done.stdout.splitlines()[-1].split()
    return done.returncode, dict(zip(words[::2], map(int, words[1::2])))


def check(interpreter, path, what):
    """All counts, after it has been found that nothing differs and that there was enough to compare."""
    with dumped(interpreter, path, what) as process:
        status, counts = compare(process, path)
    assert counts["codes"] >= 10000
    assert counts["instructions"] >= 500000
    assert counts["large"]
    assert bool(counts["none"]) == (interpreter.version >= (3, 10))  # before, every instruction has a line
    if interpreter.version >= (3, 11):
        assert counts["columns"] > counts["instructions"] / 2
    else:
        assert not counts["columns"]
    assert (status, counts["differences"]) == (0, 0), counts
    return counts
