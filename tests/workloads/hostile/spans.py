# SPDX-License-Identifier: GPL-2.0-only
"""Forges the span that is current in it: spans.py WAY [LIBRARY] [sleeps]. WAY is "sdk", by the objects of
OpenTelemetry's SDK, the tree and the dict that lead to them, or "records", by records as OTEP 4947 has them,
in LIBRARY's variable, to which nothing in it gives a place. All of it changes while it is read. It runs, or
with "sleeps" sleeps all the time."""
import contextvars
import ctypes
import json
import pathlib
import struct
import sys
import time

import forge

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import publish  # noqa: E402

TRACE, SPAN = int.from_bytes(b"hostile program!", "big"), int.from_bytes(b"hostile!", "big")
KINDS = {"Context", "hamt", "hamt_bitmap_node", "hamt_array_node", "hamt_collision_node", "_Span",
         "SpanContext", "NonRecordingSpan", "int", "str", "dict"}
INSTANCE = 320  # bytes of a span: its values may lie behind it


def work():
    sleep = time.sleep
    while "sleeps" in sys.argv:
        sleep(0.0002)
    forge.spin()


def copied(context):
    made = forge.Forge(8192)
    made.add_reachable([context], KINDS, 8)
    for thing in made.kept:
        if type(thing).__name__ in ("_Span", "NonRecordingSpan"):
            made.blocks = [block for block in made.blocks if block[0] != id(thing)]
            made.add(id(thing), INSTANCE, "span")
    made.copy()
    made.change()
    return made


def run_sdk(context):
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider, id_generator

    class Ids(id_generator.IdGenerator):
        def generate_trace_id(self):
            return TRACE

        def generate_span_id(self):
            return SPAN

    trace.set_tracer_provider(TracerProvider(id_generator=Ids()))
    more = [contextvars.ContextVar("other%d" % i) for i in range(300)]
    with trace.get_tracer("hostile").start_as_current_span("hostile"):
        for i, variable in enumerate(more):
            variable.set(trace.get_current_span() if i % 2 else 2 ** (i % 130))
        print(json.dumps({}), flush=True)
        forge.wait_to_begin()
        made = copied(context)
        for at in range(0, 64, 8):  # where the context has its tree
            value = forge.word(id(context) + at)
            if value in made.of and value != id(context):
                forge.put(id(context) + at, made.one(value))
        print(json.dumps({"kinds": {kind: len(copies) for kind, copies in made.copies.items()}}), flush=True)
        work()


def attribute(key, text):
    return publish.field(2, publish.field(1, key) + publish.field(2, publish.field(1, text)))


def run_records(library):
    """The record changes between whole, invalid and half of it, and has others behind it."""
    library.variable.restype = ctypes.POINTER(ctypes.c_void_p)
    slot = library.variable()
    published = publish.Context()
    published.publish(publish.message("hostile", "one", "test") +
                      attribute(b"threadlocal.schema_version", b"tlsdesc_v1_dev"))
    print(json.dumps({}), flush=True)
    forge.wait_to_begin()
    made = forge.Forge(512)
    data = TRACE.to_bytes(16, "big") + SPAN.to_bytes(8, "big") + struct.pack("<BBH", 1, 1, 65535)
    own = ctypes.create_string_buffer(data + bytes(64))
    made.add(ctypes.addressof(own), 64, "record")
    made.copy()
    made.change()
    slot[0] = made.one(ctypes.addressof(own))
    print(json.dumps({"kinds": {"record": 512}}), flush=True)
    work()


if __name__ == "__main__":
    if sys.argv[1] == "records":
        run_records(ctypes.CDLL(sys.argv[2]))
    first = contextvars.Context()
    first.run(run_sdk, first)
