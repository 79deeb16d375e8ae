# SPDX-License-Identifier: GPL-2.0-only
"""The line oracle: names of every code object of the standard library and the line of every instruction, as we
read them out of a live interpreter, against what the interpreter says itself (tests/oracle)."""
import struct

import pytest

from line_oracle import check, compare, dumped


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
