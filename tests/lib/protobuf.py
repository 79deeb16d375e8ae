# SPDX-License-Identifier: GPL-2.0-only
"""Messages of protobuf, written byte by byte: for tests of those that read them."""


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data
