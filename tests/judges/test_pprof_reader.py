# SPDX-License-Identifier: GPL-2.0-only
"""The reader that judges the profiler is itself judged, by profiles written byte by byte."""
import gzip

import pytest

import pprof
from protobuf import number, text, varint

STRINGS = [b"", b"samples", b"count", b"f", b"/x/a.py", b"pid", b"comm", b"py\xc3\xa4", b"g"]
STRING_TABLE = b"".join(text(6, s) for s in STRINGS)
SAMPLE_TYPE = text(1, number(1, 1) + number(2, 2))
FUNCTIONS = (text(5, number(1, 1) + number(2, 3) + number(4, 4) + number(5, 10)) +
             text(5, number(1, 2) + number(2, 8)))
MAPPING = text(3, number(1, 9) + number(5, 4) + number(7, 1) + number(8, 1) + number(9, 1))
LOCATIONS = (text(4, number(1, 5) + number(2, 9) + text(4, number(1, 1) + number(2, 300) + number(3, 17))) +
             text(4, number(1, 6) + text(4, number(1, 2))))
LABELS = text(3, number(1, 5) + number(3, 1234)) + text(3, number(1, 6) + number(2, 7))
SAMPLE = text(2, text(1, varint(5) + varint(6)) + text(2, varint(7)) + LABELS)
WHOLE = SAMPLE_TYPE + SAMPLE + MAPPING + LOCATIONS + FUNCTIONS + STRING_TABLE


def test_reads_every_part():
    tail = (number(9, 111) + number(10, 222) + text(11, number(1, 1) + number(2, 2)) + number(12, 333) +
            number(14, 1))
    profile = pprof.parse(gzip.compress(WHOLE + tail))
    (sample,) = profile.samples
    assert sample.frames == [("f", "/x/a.py", 10, 300, 17), ("g", "", 0, 0, 0)]
    assert sample.names == ["g", "f"]
    assert sample.labels == {"pid": 1234, "comm": "py\u00e4"}
    assert sample.values == [7] and sample.count == 7 and profile.total == 7
    assert profile.sample_types == [("samples", "count")]
    assert profile.mappings == [("/x/a.py", "", True)]
    assert (profile.time_nanos, profile.duration_nanos, profile.period) == (111, 222, 333)
    assert profile.period_type == ("samples", "count") and profile.default_sample_type == "samples"


def test_reads_from_a_file_and_uncompressed(tmp_path):
    path = tmp_path / "profile"
    path.write_bytes(WHOLE)
    assert pprof.read(path) == pprof.parse(gzip.compress(WHOLE))


def test_repeated_numbers_need_not_be_packed_and_may_be_negative():
    sample = text(2, number(1, 6) + number(1, 5) + number(2, -3))
    (read,) = pprof.parse(SAMPLE_TYPE + sample + MAPPING + LOCATIONS + FUNCTIONS + STRING_TABLE).samples
    assert [frame.function for frame in read.frames] == ["g", "f"]
    assert read.values == [-3] and read.labels == {}


def test_unknown_fields_are_skipped():
    unknown = text(99, b"x") + varint(98 << 3 | 1) + bytes(8) + varint(97 << 3 | 5) + bytes(4) + number(96, 1)
    assert pprof.parse(unknown + WHOLE) == pprof.parse(WHOLE)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "string table"),
        (text(6, b"x"), "string table"),
        (WHOLE[:-1], "ends behind"),
        (WHOLE + b"\x80", "varint"),
        (WHOLE + b"\x48" + b"\xff" * 11, "varint"),
        (WHOLE + b"\x00\x00", "field number 0"),
        (WHOLE + b"\x0b", "wire type 3"),
        (WHOLE + number(14, 99), "string 99"),
        (WHOLE + number(14, -1), "string -1"),
        (WHOLE + number(2, 1), "not a message"),
        (WHOLE + text(9, b""), "not an integer"),
        (WHOLE + text(2, text(1, varint(7)) + number(2, 1)), "no location 7"),
        (WHOLE + text(2, number(1, 5)), "0 values"),
        (WHOLE + text(4, number(1, 7) + text(4, number(1, 3))), "no function 3"),
        (WHOLE + text(4, number(1, 7) + number(2, 8)), "no mapping 8"),
        (WHOLE + text(4, number(1, 6)), "location id 6"),
        (WHOLE + text(5, number(2, 3)), "function id 0"),
        (WHOLE + text(2, number(2, 1) + LABELS + LABELS), "label pid twice"),
        (WHOLE + text(6, b"\xff"), "utf-8"),
    ],
)
def test_a_broken_profile_is_refused(data, reason):
    with pytest.raises(ValueError, match=reason):
        pprof.parse(data)
