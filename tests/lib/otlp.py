# SPDX-License-Identifier: GPL-2.0-only
"""Reads OTLP profiles by OpenTelemetry's own definitions (PyPI's opentelemetry-proto), and checks what these
only say in words: what element 0 of a table is, that nothing is there twice or for nobody, that samples have
one shape and times that lie in their profile, and more. What is wrong is a ValueError.

    for sample in otlp.parse(data).samples:
        sample.resource["process.pid"], sample.attributes["thread.name"], sample.values["cpu", "nanoseconds"]
"""
import collections
import dataclasses
import gzip
from typing import NamedTuple

import pprof

# Labels of ours under the names that OpenTelemetry has for them; others are the same in both.
RESOURCE = {"process.pid": "pid", "process.title": "comm", "container.id": "container_id",
            "k8s.container.name": "container", "k8s.pod.name": "pod", "k8s.namespace.name": "namespace",
            "k8s.pod.uid": "pod_uid", "service.instance.id": "service_instance",
            "deployment.environment.name": "environment"}
SAMPLE = {"thread.id": "tid", "thread.name": "thread"}

TABLES = ("mapping_table", "location_table", "function_table", "link_table", "string_table",
          "attribute_table", "stack_table")


class Frame(NamedTuple):
    function: str
    filename: str
    start_line: int
    line: int
    column: int
    type: str  # profile.frame.type of its location; "" = none
    address: int
    mapping: tuple  # (file, build id), or None


class Sample(NamedTuple):
    frames: tuple  # leaf first
    resource: dict
    attributes: dict
    values: dict  # {(type, unit): value}
    times: dict  # {(type, unit): [(time in ns since 1970, value)]}, where there are times


    @property
    def labels(self):
        """As pprof has them."""
        found = {RESOURCE[key]: value for key, value in self.resource.items() if key in RESOURCE}
        return {**found, **{SAMPLE.get(key, key): value for key, value in self.attributes.items()}}


@dataclasses.dataclass
class Profiles:
    samples: list = dataclasses.field(default_factory=list)
    types: dict = dataclasses.field(default_factory=dict)  # {(type, unit): (period type or None, period)}
    times: set = dataclasses.field(default_factory=set)  # {(start, duration)}, in ns
    comments: set = dataclasses.field(default_factory=set)
    resources: list = dataclasses.field(default_factory=list)
    messages: int = 0  # of the type Profile

    def total(self, type_, unit):
        return sum(sample.values.get((type_, unit), 0) for sample in self.samples)


    def as_pprof(self):
        types = sorted(self.types, key=lambda type_: (type_ != ("samples", "count"), type_))
        (start, duration), = self.times
        found = pprof.Profile(sample_types=types, time_nanos=start, duration_nanos=duration,
                              comments=sorted(self.comments))
        for sample in self.samples:
            frames = [pprof.Frame(*frame[:5]) for frame in sample.frames]
            found.samples.append(pprof.Sample(frames, sample.labels,
                                              [sample.values.get(type_, 0) for type_ in types]))
        return found


def demand(condition, text, *values):
    if not condition:
        raise ValueError(text % values if values else text)


def check_fields(message):
    """No field that this version does not know: it would be one of another version."""
    from google.protobuf.unknown_fields import UnknownFieldSet
    demand(not len(UnknownFieldSet(message)), "unknown fields in %s", message.DESCRIPTOR.name)
    for field, value in message.ListFields():
        if field.message_type:
            for one in value if isinstance(value, collections.abc.Sequence) else (value,):
                check_fields(one)


class Reader:
    """One message. What of the dictionary is used is noted in `used`, so that the rest is known."""

    def __init__(self, message, whose):
        self.message, self.dictionary, self.whose = message, message.dictionary, whose
        self.used = {table: {0} for table in TABLES}
        check_fields(message)
        self.check_tables()

    def check_tables(self):
        for name in TABLES:
            table = getattr(self.dictionary, name)
            demand(len(table), "%s is empty", name)
            if name == "string_table":
                demand(table[0] == "", "string_table[0] is not empty")
                entries = list(table)
            else:
                demand(self.is_empty(table[0]), "%s[0] is not the empty one", name)
                entries = [entry.SerializeToString(deterministic=True) for entry in table]
            demand(len(set(entries)) == len(entries), "something is in %s twice", name)

    def is_left_empty(self, message):
        """A collector writes a message that is not there as an empty one."""
        return self.whose != "ours" and not message.ByteSize()

    def is_empty(self, message):
        return all(field.message_type and self.is_left_empty(value) for field, value in message.ListFields())

    def get(self, table, index):
        entries = getattr(self.dictionary, table)
        demand(0 <= index < len(entries), "%s has no %d", table, index)
        self.used[table].add(index)
        return entries[index]

    def string(self, index):
        return self.get("string_table", index)

    def value(self, any_value):
        kind = any_value.WhichOneof("value")
        demand(kind, "an attribute has no value")
        if kind == "string_value_strindex":  # a collector makes it of a plain one
            return self.string(any_value.string_value_strindex)
        if kind == "array_value":
            return tuple(self.value(one) for one in any_value.array_value.values)
        return getattr(any_value, kind)

    def attributes(self, indices):
        found = {}
        for index in indices:
            demand(index, "an attribute is number 0, which is none")
            attribute = self.get("attribute_table", index)
            key = self.string(attribute.key_strindex)
            self.string(attribute.unit_strindex)
            demand(key and key not in found, "the key %r is empty or there twice", key)
            found[key] = self.value(attribute.value)
        return found

    def pairs(self, attributes):
        found = {}
        for pair in attributes:
            demand(not (pair.key and pair.key_strindex), "a key twice")
            key = pair.key or self.string(pair.key_strindex)
            demand(key and key not in found, "the key %r is empty or there twice", key)
            found[key] = self.value(pair.value)
        return found

    def value_type(self, message):
        return self.string(message.type_strindex), self.string(message.unit_strindex)

    def mapping(self, index):
        if not index:
            return None
        mapping = self.get("mapping_table", index)
        demand(mapping.memory_start <= mapping.memory_limit, "a mapping ends before it begins")
        build_ids = [value for key, value in self.attributes(mapping.attribute_indices).items()
                     if key == "process.executable.build_id.gnu"]
        return self.string(mapping.filename_strindex), build_ids[0] if build_ids else ""

    def frames(self, index):
        demand(index, "a stack has location 0, which is none")
        location = self.get("location_table", index)
        mapping = self.mapping(location.mapping_index)
        if location.address:
            demand(mapping, "an address in no mapping")
            where = self.get("mapping_table", location.mapping_index)
            demand(where.memory_start <= location.address < where.memory_limit, "an address outside")
        demand(location.lines or (location.address and mapping[1]), "a location that says nothing")
        type_ = self.attributes(location.attribute_indices).get("profile.frame.type", "")
        found = []
        for line in location.lines:
            demand(line.function_index, "a line of function 0, which is none")
            function = self.get("function_table", line.function_index)
            name, file = self.string(function.name_strindex), self.string(function.filename_strindex)
            demand(name or file or self.string(function.system_name_strindex), "a function has no name")
            demand(min(line.line, line.column, function.start_line) >= 0, "a negative line")
            found.append(Frame(name, file, function.start_line, line.line, line.column, type_,
                               location.address, mapping))
        return found or [Frame("", "", 0, 0, 0, type_, location.address, mapping)]

    def stack(self, index):
        demand(index, "a sample has stack 0, which is none")
        stack = self.get("stack_table", index)
        demand(stack.location_indices, "a stack has no frames")
        return tuple(frame for location in stack.location_indices for frame in self.frames(location))

    def link(self, index):
        """The ids of a span, as labels have them."""
        link = self.get("link_table", index)
        if not index:
            return {}
        demand(len(link.trace_id) == 16 and len(link.span_id) == 8, "ids of a link have 16 and 8 bytes")
        demand(any(link.trace_id) and any(link.span_id), "a link to nothing")
        return {"trace_id": link.trace_id.hex(), "span_id": link.span_id.hex()}

    def samples(self, profile):
        """[(identity, stack, attributes, the sum of the values, when each of them was)]"""
        start, end = profile.time_unix_nano, profile.time_unix_nano + profile.duration_nano
        shapes, identities = set(), set()
        for sample in profile.samples:
            values, times = len(sample.values), len(sample.timestamps_unix_nano)
            demand(values or times, "a sample has neither values nor times")
            demand(values == times or not values or (not times and values == 1), "values and times differ")
            demand(all(start <= time < end for time in sample.timestamps_unix_nano), "a time lies outside")
            demand(all(value > 0 for value in sample.values), "a value is not positive")
            shapes.add((bool(values), bool(times)))
            identity = sample.stack_index, tuple(sorted(sample.attribute_indices)), sample.link_index
            demand(identity not in identities, "two samples are one")
            identities.add(identity)
            yield (identity, self.stack(sample.stack_index),
                   {**self.attributes(sample.attribute_indices), **self.link(sample.link_index)},
                   sum(sample.values) if values else times,
                   sorted(zip(sample.timestamps_unix_nano, sample.values or [1] * times)))
        demand(len(shapes) == 1, "a profile has samples of %d shapes", len(shapes))

    def profile(self, profile, resource, found, into):
        type_ = self.value_type(profile.sample_type)
        demand(all(type_), "a profile without a type")
        has_period = profile.HasField("period_type") and not self.is_left_empty(profile.period_type)
        period_type = self.value_type(profile.period_type) if has_period else None
        demand(bool(period_type) == (profile.period > 0), "a period without its type, or the other way")
        demand(into.types.setdefault(type_, (period_type, profile.period)) == (period_type, profile.period),
               "one type with two periods")
        demand(len(profile.profile_id) in (0, 16), "a profile's id")
        demand(not profile.original_payload_format and not profile.original_payload, "an original payload")
        demand(profile.time_unix_nano, "no time")
        into.times.add((profile.time_unix_nano, profile.duration_nano))
        into.comments.update(self.attributes(profile.attribute_indices).get("pprof.profile.comment", ()))
        into.messages += 1
        for identity, frames, attributes, value, times in self.samples(profile):
            sample = found.setdefault(identity, Sample(frames, resource, attributes, {}, {}))
            demand(type_ not in sample.values, "a type twice in a resource")
            sample.values[type_], sample.times[type_] = value, times

    def read(self):
        into = Profiles()
        for of_resource in self.message.resource_profiles:
            resource = self.pairs(of_resource.resource.attributes)
            demand(resource.get("service.name"), "a resource has no service.name")
            demand(resource not in into.resources, "a resource twice")
            into.resources.append(resource)
            found = {}
            demand(len(of_resource.scope_profiles) == 1, "several scopes")
            for scope in of_resource.scope_profiles:
                demand(scope.scope.name == "pyperf-bpf" and scope.scope.version, "a scope of somebody else")
                demand(scope.profiles, "a scope without profiles")
                for profile in scope.profiles:
                    self.profile(profile, resource, found, into)
            into.samples += found.values()
        for table, used in self.used.items():
            left = set(range(len(getattr(self.dictionary, table)))) - used
            demand(not left or self.whose != "ours", "nobody uses these of %s: %s", table, sorted(left)[:5])
        return into


def message_of(data, whose):
    """From bytes, compressed or not. Ours have to be as they would be written anew, but for the order."""
    from google.protobuf.message import DecodeError
    from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    try:
        message = profiles_service_pb2.ExportProfilesServiceRequest.FromString(data)
    except DecodeError as error:
        raise ValueError("OTLP: %s" % error) from error
    size = message.ByteSize()
    demand(size == len(data) or whose != "ours", "%d bytes, and %d would do", len(data), size)
    return message


def parse(data, whose="ours"):
    """whose: "collector" for a message of ours that has come through one, which writes it anew."""
    return Reader(message_of(data, whose), whose).read()
