# SPDX-License-Identifier: GPL-2.0-only
"""Gives files in a profile other names. In pprof a name is an entry of a table of strings, which everything
else refers to by number, so only these entries change."""
from __future__ import annotations

import gzip
import pathlib
from typing import Callable, Iterator, Optional, Tuple

STRING_TABLE = 6  # the field of `message Profile`
LENGTH_DELIMITED = 2
VARINT = 0


def _varint(data: bytes, at: int) -> Tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _encoded(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _fields(data: bytes) -> Iterator[Tuple[int, int, bytes]]:
    """Of each field of the message: where it begins, its number, and what it holds, b"" for a number."""
    at = 0
    while at < len(data):
        begin = at
        key, at = _varint(data, at)
        value, at = _varint(data, at)
        if key & 7 == VARINT:
            yield begin, key >> 3, b""
        elif key & 7 == LENGTH_DELIMITED:
            yield begin, key >> 3, data[at:at + value]
            at += value
        else:
            raise ValueError("a field of type %d, which a profile has not" % (key & 7))
    yield at, 0, b""


def rename(path: pathlib.Path, new_name: Callable[[str], Optional[str]]) -> None:
    """Of a file that this package's program has written. new_name gives None for what keeps its name."""
    data = gzip.decompress(path.read_bytes())
    parts, begin, before = [], 0, (0, b"")
    for at, number, value in _fields(data):
        name = new_name(before[1].decode("utf-8", "replace")) if before[0] == STRING_TABLE else None
        if name is None:
            parts.append(data[begin:at])
        else:
            encoded = name.encode()
            parts.append(_encoded(STRING_TABLE << 3 | LENGTH_DELIMITED) + _encoded(len(encoded)) + encoded)
        begin, before = at, (number, value)
    path.write_bytes(gzip.compress(b"".join(parts)))
