# SPDX-License-Identifier: GPL-2.0-only
"""The line oracle: names of every code object of the standard library, and line and column of every
instruction, as we read them out of a live interpreter, against what the interpreter says itself
(tests/oracle)."""
import struct

import pytest

from line_oracle import check, compare, dumped

ALSO_2_7 = True


def test_every_line_of_the_library(interpreter, tmp_path):
    check(interpreter, tmp_path / "dump", "library")


@pytest.mark.long
def test_every_line_of_the_library_and_its_tests(interpreter, tmp_path):
    check(interpreter, tmp_path / "dump", "all")


@pytest.mark.parametrize("field", ("line", "column"))
def test_one_forged_position_is_found(version, tmp_path, field):
    """A comparison that cannot fail proves nothing: the last line or column one higher must be found,
    and it alone."""
    path = tmp_path / "dump"
    with dumped(version, path, "own") as process:
        assert compare(process, path)[0] == 0
        data = bytearray(path.read_bytes())
        run = dict(zip(("units", "line", "column"), struct.unpack_from("<Iii", data, len(data) - 12)))
        units = run["units"]
        run[field] += 1
        struct.pack_into("<Iii", data, len(data) - 12, *run.values())
        path.write_bytes(data)
        status, counts = compare(process, path)
    assert status == 1
    # Each instruction by the decoder, every fifth also by the store.
    assert units <= counts["differences"] <= 2 * units
