# SPDX-License-Identifier: GPL-2.0-only
"""The line oracle: names of every code object of the standard library and the line of every instruction, as we
read them out of a live interpreter, against what the interpreter says itself (tests/oracle)."""
import contextlib
import os
import pathlib
import struct
import subprocess

import pytest

import profiler

ORACLE = pathlib.Path(profiler.BINARY).parent / "tests" / "oracle" / "oracle"
DUMP = profiler.ROOT / "tests" / "oracle" / "dump.py"


@contextlib.contextmanager
def dumped(interpreter, path, what):
    """The interpreter's process, alive with all its code objects; it has written `path`."""
    with subprocess.Popen([interpreter.path, "-IS", "-B", str(DUMP), str(path), what], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline().startswith("ready ")
            yield process
        finally:
            process.kill()


def compare(process, path):
    """The oracle's exit status and its counts by name."""
    assert os.access(ORACLE, os.X_OK), "not built: %s (make tests)" % ORACLE
    done = subprocess.run([str(ORACLE), str(process.pid), str(path)], stdout=subprocess.PIPE, text=True, timeout=600)
    assert done.stdout, "nothing was compared"
    print(done.stdout)
    words = done.stdout.splitlines()[-1].split()
    return done.returncode, dict(zip(words[::2], map(int, words[1::2])))


def check(interpreter, path, what):
    with dumped(interpreter, path, what) as process:
        status, counts = compare(process, path)
    assert counts["codes"] >= 10000
    assert counts["instructions"] >= 500000
    assert counts["large"]
    assert bool(counts["none"]) == (interpreter.version >= (3, 10))  # before, every instruction has a line
    assert (status, counts["differences"]) == (0, 0)


def test_every_line_of_the_library(interpreter, tmp_path):
    check(interpreter, tmp_path / "dump", "library")


@pytest.mark.long
def test_every_line_of_the_library_and_its_tests(interpreter, tmp_path):
    check(interpreter, tmp_path / "dump", "all")


def test_one_forged_line_is_found(version, tmp_path):
    """A comparison that cannot fail proves nothing: the last line one higher must be found, and it alone."""
    path = tmp_path / "dump"
    with dumped(version, path, "own") as process:
        assert compare(process, path)[0] == 0
        data = bytearray(path.read_bytes())
        units, line = struct.unpack_from("<Ii", data, len(data) - 8)
        struct.pack_into("<i", data, len(data) - 4, line + 1)
        path.write_bytes(data)
        status, counts = compare(process, path)
    assert status == 1
    # Each instruction by the decoder, every fifth also by the store.
    assert units <= counts["differences"] <= 2 * units
