# SPDX-License-Identifier: GPL-2.0-only
"""tests/lib/otlp.py takes a message that is right, and refuses it with any one thing wrong."""
import pytest

import otlp

pytest.importorskip("opentelemetry.proto.profiles", reason="SKIP venv: no opentelemetry-proto")

from google.protobuf.unknown_fields import UnknownFieldSet  # noqa: E402
from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2  # noqa: E402
from opentelemetry.proto.common.v1 import common_pb2  # noqa: E402

START = 1_700_000_000_000_000_000


def right():
    """One process, one stack of two frames, one of them of a file with a build id."""
    message = profiles_service_pb2.ExportProfilesServiceRequest()
    d = message.dictionary
    d.string_table.extend(["", "cpu", "nanoseconds", "f", "/srv/x.py", "profile.frame.type", "thread.name",
                           "deflate", "/lib/libz.so", "process.executable.build_id.gnu"])
    for table in (d.mapping_table, d.location_table, d.function_table, d.link_table, d.attribute_table,
                  d.stack_table):
        table.add()
    for key, value in (5, "cpython"), (6, "main"), (9, "c0ffee"), (5, "native"):
        d.attribute_table.add(key_strindex=key, value=common_pb2.AnyValue(string_value=value))
    d.mapping_table.add(memory_limit=1 << 32, filename_strindex=8, attribute_indices=[3])
    d.function_table.add(name_strindex=3, filename_strindex=4, start_line=1)
    d.function_table.add(name_strindex=7)
    d.location_table.add(attribute_indices=[1]).lines.add(function_index=1, line=3)
    d.location_table.add(mapping_index=1, address=0x10, attribute_indices=[4]).lines.add(function_index=2)
    d.stack_table.add(location_indices=[2, 1])
    of_resource = message.resource_profiles.add()
    of_resource.resource.attributes.add(key="service.name", value=common_pb2.AnyValue(string_value="shop"))
    scope = of_resource.scope_profiles.add()
    scope.scope.name, scope.scope.version = "pyperf-bpf", "0"
    profile = scope.profiles.add(time_unix_nano=START, duration_nano=10, period=7)
    profile.sample_type.type_strindex = profile.period_type.type_strindex = 1
    profile.sample_type.unit_strindex = profile.period_type.unit_strindex = 2
    profile.samples.add(stack_index=1, attribute_indices=[2], values=[14])
    return message


def profile_of(message):
    return message.resource_profiles[0].scope_profiles[0].profiles[0]


def sample_of(message):
    return profile_of(message).samples[0]


def test_right():
    profiles = otlp.parse(right().SerializeToString())
    sample, = profiles.samples
    assert sample.values == {("cpu", "nanoseconds"): 14} and sample.attributes == {"thread.name": "main"}
    assert [frame.function for frame in sample.frames] == ["deflate", "f"]
    assert sample.frames[0].mapping == ("/lib/libz.so", "c0ffee") and sample.frames[1].type == "cpython"
    assert profiles.times == {(START, 10)}


def with_times(message, *times):
    sample_of(message).timestamps_unix_nano.extend(times)


def test_times_inside_are_right():
    message = right()
    with_times(message, START)
    assert otlp.parse(message.SerializeToString()).samples[0].values["cpu", "nanoseconds"] == 14
    message = right()
    del sample_of(message).values[:]
    with_times(message, START, START + 9)
    assert otlp.parse(message.SerializeToString()).samples[0].values["cpu", "nanoseconds"] == 2


def duplicate(table):
    def change(message):
        entries = getattr(message.dictionary, table)
        entries.append(entries[-1])
    return change


def orphan(table, **fields):
    return lambda message: getattr(message.dictionary, table).add(**fields)


def add_sample(**fields):
    return lambda message: profile_of(message).samples.add(**fields)


def set_fields(where, **fields):
    def change(message):
        for name, value in fields.items():
            setattr(where(message), name, value)
    return change


def second_resource(message):
    message.resource_profiles.add().CopyFrom(message.resource_profiles[0])


WRONG = {
    "no dictionary": lambda m: m.ClearField("dictionary"),
    "element 0 of strings": lambda m: m.dictionary.string_table.__setitem__(0, "x"),
    "element 0 of links": lambda m: m.dictionary.link_table[0].MergeFrom(
        type(m.dictionary.link_table[0])(trace_id=bytes(16), span_id=bytes(8))),
    "element 0 of mappings": set_fields(lambda m: m.dictionary.mapping_table[0], memory_limit=1),
    "a string twice": lambda m: m.dictionary.string_table.append("f"),
    **{"a %s twice" % table: duplicate(table)
       for table in otlp.TABLES if table not in ("string_table", "link_table")},
    "an orphan string": lambda m: m.dictionary.string_table.append("nobody"),
    "an orphan link": orphan("link_table", trace_id=b"1" * 16, span_id=b"1" * 8),
    "an orphan stack": orphan("stack_table", location_indices=[1]),
    "an orphan function": orphan("function_table", name_strindex=1),
    "an index too large": set_fields(sample_of, stack_index=2),
    "a negative index": set_fields(sample_of, stack_index=-1),
    "a stack that is none": add_sample(attribute_indices=[2], values=[1]),
    "one sample as two": add_sample(stack_index=1, attribute_indices=[2], values=[1]),
    "another shape": add_sample(stack_index=1, values=[1], timestamps_unix_nano=[START]),
    "no values": lambda m: sample_of(m).ClearField("values"),
    "two values": lambda m: sample_of(m).values.append(1),
    "a value of 0": lambda m: sample_of(m).values.__setitem__(0, 0),
    "a time before": lambda m: with_times(m, START - 1),
    "a time behind": lambda m: with_times(m, START + 10),
    "more times than values": lambda m: with_times(m, START, START + 1),
    "no type": lambda m: profile_of(m).ClearField("sample_type"),
    "a period without a type": lambda m: profile_of(m).ClearField("period_type"),
    "a type without a period": lambda m: profile_of(m).ClearField("period"),
    "no time": lambda m: profile_of(m).ClearField("time_unix_nano"),
    "no samples": lambda m: profile_of(m).ClearField("samples"),
    "an id of 3 bytes": set_fields(profile_of, profile_id=b"abc"),
    "a payload": set_fields(profile_of, original_payload_format="pprof", original_payload=b"x"),
    "an attribute twice": lambda m: sample_of(m).attribute_indices.append(2),
    "an attribute that is none": lambda m: sample_of(m).attribute_indices.append(0),
    "an attribute without a value": lambda m: m.dictionary.attribute_table[2].ClearField("value"),
    "an address outside": set_fields(lambda m: m.dictionary.location_table[2], address=1 << 32),
    "an address nowhere": set_fields(lambda m: m.dictionary.location_table[1], address=1),
    "a function without a name": lambda m: m.dictionary.function_table[2].ClearField("name_strindex"),
    "no service": lambda m: m.resource_profiles[0].resource.ClearField("attributes"),
    "a resource twice": second_resource,
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG.keys())
def test_wrong(change):
    message = right()
    change(message)
    with pytest.raises(ValueError):
        otlp.parse(message.SerializeToString())


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05abc", right().SerializeToString()[:-1]], ids=repr)
def test_no_message(data):
    with pytest.raises(ValueError):
        otlp.parse(data)


def test_unknown_fields():
    """Samples as they were numbered before 1.10: a reader would take them for something else."""
    message = right()
    sample_of(message).MergeFromString(b"\x32\x01\x07")  # field 6
    assert len(UnknownFieldSet(sample_of(message))) == 1
    with pytest.raises(ValueError, match="unknown"):
        otlp.parse(message.SerializeToString())


def test_more_bytes_than_needed():
    """A field of 0 that is written all the same."""
    with pytest.raises(ValueError, match="bytes"):
        otlp.parse(right().SerializeToString() + b"\x0a\x00"[:0] + sloppy())


def sloppy():
    """A resource whose only field is a varint of two bytes where one would do."""
    return b"\x12\x84\x00" + b"\x0a\x02\x08\x00"
