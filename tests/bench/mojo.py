# SPDX-License-Identifier: GPL-2.0-only
"""Reads the binary samples that austin 4 writes (its MOJO format),
as far as stacks of function names need it."""
import collections

(METADATA, STACK, FRAME, INVALID, REFERENCE, KERNEL, GC, IDLE, TIME, MEMORY, STRING,
 STRING_REFERENCE) = range(1, 13)
UNKNOWN = 1  # string number of a name that could not be read


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        """Six bits and a sign in the first byte, seven in each that follows;
        the top bit says whether one does."""
        byte = self.byte()
        negative, value, shift = byte & 0x40, byte & 0x3F, 6
        while byte & 0x80:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
        return -value if negative else value

    def string(self):
        end = self.data.index(b"\0", self.at)
        text, self.at = self.data[self.at:end].decode(errors="replace"), end + 1
        return text


def read(path):
    """{function names from the root: samples}"""
    with open(path, "rb") as f:
        r = Reader(f.read())
    if r.data[:3] != b"MOJ":
        raise ValueError("not a MOJO file")
    r.at = 3
    version = r.number()
    stacks, strings, frames, stack = collections.Counter(), {UNKNOWN: "?"}, {}, None
    while r.at < len(r.data):
        event = r.byte()
        if event == METADATA:
            r.string(), r.string()
        elif event == STACK:
            if stack is not None:
                stacks[tuple(stack)] += 1
            stack = []
            r.number()  # process
            if version >= 3:
                r.number()  # interpreter
            r.string()  # thread
        elif event == FRAME:
            key, _, scope = r.number(), r.number(), r.number()
            for _ in range(4 if version >= 2 else 1):
                r.number()  # lines and columns
            frames[key] = scope
        elif event == REFERENCE:
            stack.append(strings.get(frames[r.number()], "?"))
        elif event == INVALID:
            stack.append("?")
        elif event == KERNEL:
            r.string()
        elif event in (TIME, MEMORY):
            r.number()
        elif event == STRING:
            key = r.number()
            strings[key] = r.string()
        elif event == STRING_REFERENCE:
            r.number()
        elif event not in (GC, IDLE):
            raise ValueError("unknown event %d at byte %d" % (event, r.at - 1))
    if stack is not None:
        stacks[tuple(stack)] += 1
    return stacks
