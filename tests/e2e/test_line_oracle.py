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
    done = subprocess.run([str(ORACLE), str(process.pid), str(path)], stdout=subprocess.PIPE, text=True, timeout=600)
    assert done.stdout, "nothing was compared"
    print(done.stdout)
    words = done.stdout.splitlines()[-1].split()
    return done.returncode, dict(zip(words[::2], map(int, words[1::2])))


def check(interpreter, path, what, codes):
    assert os.access(ORACLE, os.X_OK), "not built: %s (make tests)" % ORACLE
    with dumped(interpreter, path, what) as process:
        status, counts = compare(process, path)
        assert counts["codes"] >= codes
        assert counts["instructions"] >= 50 * codes
        assert counts["none"] and counts["large"]
        assert (status, counts["differences"]) == (0, 0)
        # A comparison that cannot fail proves nothing: the last line one higher must be found, it alone.
        data = bytearray(path.read_bytes())
        line, = struct.unpack_from("<i", data, len(data) - 4)
        struct.pack_into("<i", data, len(data) - 4, line + 1)
        path.write_bytes(data)
        status, forged = compare(process, path)
        assert status == 1
        units, = struct.unpack_from("<I", data, len(data) - 8)
        assert units <= forged["differences"] <= 2 * units


def test_every_line_of_the_library(interpreter, tmp_path):
    check(interpreter, tmp_path / "dump", "library", 10000)


@pytest.mark.long
def test_every_line_of_the_library_and_its_tests(interpreter, tmp_path):
    check(interpreter, tmp_path / "dump", "all", 10000)
