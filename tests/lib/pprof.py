# SPDX-License-Identifier: GPL-2.0-only
"""Reads a pprof profile into plain objects, with nothing but the standard library.

The tests run under many interpreters, few of which have a protobuf module. It is strict where the profiler
could be wrong: a truncated message, a wrong wire type or an index that leads nowhere is a ValueError.

    profile = pprof.read(path)
    for sample in profile.samples:
        sample.frames[0].function, sample.labels.get("pid"), sample.count

A Frame and a Sample are tuples too: (function, filename, start_line, line, column),
(frames, labels, values).
"""

import gzip
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class Frame(NamedTuple):
    function: str
    filename: str
    start_line: int
    line: int
    column: int = 0


class Mapping(NamedTuple):
    filename: str
    build_id: str
    has_symbols: bool  # functions, file names and line numbers


class Sample(NamedTuple):
    frames: list[Frame]  # leaf first
    labels: dict[str, int | str]
    values: list[int]  # as Profile.sample_types

    @property
    def count(self):
        return self.values[0]

    @property
    def names(self):
        """Function names, root first."""
        return [frame.function for frame in reversed(self.frames)]


@dataclass
class Profile:
    samples: list[Sample] = field(default_factory=list)
    mappings: list[Mapping] = field(default_factory=list)
    sample_types: list[tuple[str, str]] = field(default_factory=list)
    default_sample_type: str = ""
    period_type: tuple[str, str] = ("", "")
    period: int = 0
    time_nanos: int = 0
    duration_nanos: int = 0
    comments: list[str] = field(default_factory=list)

    @property
    def total(self):
        return sum(sample.count for sample in self.samples)


def _varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("varint without an end")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def decode(data):
    """The fields of one message: {number: [int or bytes, in order]}."""
    fields, at = defaultdict(list), 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if number == 0:
            raise ValueError("field number 0")
        if wire == VARINT:
            value, at = _varint(data, at)
        elif wire in (BYTES, FIXED64, FIXED32):
            size = {FIXED64: 8, FIXED32: 4}.get(wire)
            if size is None:
                size, at = _varint(data, at)
            if at + size > len(data):
                raise ValueError(f"field {number} ends behind the message")
            value, at = bytes(data[at : at + size]), at + size
        else:
            raise ValueError(f"wire type {wire} of field {number}")
        fields[number].append(value)
    return fields


def _integer(fields, number):
    """The last value of a scalar field as int64; 0 when absent."""
    value = fields[number][-1] if number in fields else 0
    if not isinstance(value, int):
        raise ValueError(f"field {number} is not an integer")
    return value - (1 << 64) if value >= 1 << 63 else value


def _integers(fields, number):
    """A repeated scalar field, packed or not."""
    values = []
    for value in fields.get(number, []):
        if isinstance(value, int):
            values.append(value)
            continue
        at = 0
        while at < len(value):
            item, at = _varint(value, at)
            values.append(item)
    return [value - (1 << 64) if value >= 1 << 63 else value for value in values]


def _messages(fields, number):
    values = fields.get(number, [])
    if not all(isinstance(value, bytes) for value in values):
        raise ValueError(f"field {number} is not a message")
    return [decode(value) for value in values]


def _by_id(messages, what):
    records = {}
    for message in messages:
        id_ = _integer(message, 1)
        if id_ == 0 or id_ in records:
            raise ValueError(f"{what} id {id_} is 0 or not unique")
        records[id_] = message
    return records


class _Reader:
    def __init__(self, data):
        self.root = decode(data)
        self.strings = [value.decode("utf-8") for value in self.root.get(6, [])]
        if not self.strings or self.strings[0] != "":
            raise ValueError("the string table does not begin with ''")
        self.mappings = _by_id(_messages(self.root, 3), "mapping")
        self.functions = _by_id(_messages(self.root, 5), "function")
        self.locations = {
            id_: self.frames_of(message)
            for id_, message in _by_id(_messages(self.root, 4), "location").items()
        }

    def string(self, message, number):
        index = _integer(message, number)
        if not 0 <= index < len(self.strings):
            raise ValueError(f"string {index} of {len(self.strings)}")
        return self.strings[index]

    def find(self, records, id_, what):
        if id_ not in records:
            raise ValueError(f"no {what} {id_}")
        return records[id_]

    def frames_of(self, location):
        """Inlined functions make one location several frames."""
        mapping = _integer(location, 2)
        if mapping:
            self.find(self.mappings, mapping, "mapping")
        frames = []
        for line in _messages(location, 4):
            function = self.find(self.functions, _integer(line, 1), "function")
            name, filename = self.string(function, 2), self.string(function, 4)
            frames.append(Frame(name, filename, _integer(function, 5), _integer(line, 2), _integer(line, 3)))
        return frames

    def value_type(self, message):
        return self.string(message, 1), self.string(message, 2)

    def labels(self, sample):
        labels = {}
        for label in _messages(sample, 3):
            key, text = self.string(label, 1), self.string(label, 2)
            if key in labels:
                raise ValueError(f"label {key} twice")
            labels[key] = text or _integer(label, 3)
        return labels

    def sample(self, message, width):
        frames = []
        for id_ in _integers(message, 1):
            frames += self.find(self.locations, id_, "location")
        values = _integers(message, 2)
        if len(values) != width:
            raise ValueError(f"{len(values)} values for {width} sample types")
        return Sample(frames, self.labels(message), values)

    def profile(self):
        types = [self.value_type(message) for message in _messages(self.root, 1)]
        mappings = [
            Mapping(self.string(m, 5), self.string(m, 6), all(_integer(m, n) for n in (7, 8, 9)))
            for m in self.mappings.values()
        ]
        period_types = [self.value_type(message) for message in _messages(self.root, 11)]
        return Profile(
            samples=[self.sample(message, len(types)) for message in _messages(self.root, 2)],
            mappings=mappings,
            sample_types=types,
            default_sample_type=self.string(self.root, 14),
            period_type=period_types[-1] if period_types else ("", ""),
            period=_integer(self.root, 12),
            time_nanos=_integer(self.root, 9),
            duration_nanos=_integer(self.root, 10),
            comments=[self.strings[index] for index in _integers(self.root, 13)],
        )


def parse(data):
    """A profile from bytes, compressed or not."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return _Reader(data).profile()


def read(path):
    with open(path, "rb") as f:
        return parse(f.read())
