# SPDX-License-Identifier: GPL-2.0-only
"""Publishes the ids of spans as OTEP 4947 has it, while functions run that belong to them:
thread_context.py LIBRARY WAY. WAY is "pointer", which sets the thread's variable anew for each span, "valid",
which changes one record, "hostile", whose records are none, or "silent", which does not say that there are
any. Prints as JSON which: {function: [trace id, span id], or null}."""
import ctypes
import itertools
import json
import struct
import sys
import threading
import time

import publish

IDS = [(1, 1), (2 ** 64, 2 ** 63), (2 ** 120 - 1, 77), (2 ** 128 - 1, 2 ** 64 - 1)]
IDS += [(0x1234567890abcdef1234567890abcde0 + i, 0x1122334455667700 + i) for i in range(20)]
WILD = [1, 8, 4095, 0xdead0000, 0x7ffffffff000, 1 << 47, 1 << 63, 2 ** 64 - 8]
truth = {}


def spin():
    end = time.perf_counter() + 0.0007
    while time.perf_counter() < end:
        pass


def make(name, ids=None):
    scope = {"spin": spin}
    exec("def %s():\n    spin()" % name, scope)
    truth[name] = ["%032x" % ids[0], "%016x" % ids[1]] if ids else None
    return scope[name]


def record(ids, valid=1, size=6):
    """With an attribute behind it, which is nobody's business."""
    data = ids[0].to_bytes(16, "big") + ids[1].to_bytes(8, "big") + struct.pack("<BBH", valid, 1, size)
    return ctypes.create_string_buffer(data + b"\0\4name")


def run(slot, where, function):
    """Where: a record, or what is taken for an address of one."""
    slot[0] = where if isinstance(where, int) else ctypes.addressof(where)
    function()
    slot[0] = None


def with_pointers(slot, works):
    for ids, work in works:
        run(slot, record(ids), work)
        idle()


def with_one_record(slot, works):
    own = ctypes.create_string_buffer(32)
    slot[0] = ctypes.addressof(own)
    for ids, work in works:
        own[:24] = ids[0].to_bytes(16, "big") + ids[1].to_bytes(8, "big")
        own[24] = 1
        work()
        own[24] = 0
        idle()


def with_what_is_none(slot, works):
    bad = [record(IDS[5], valid=2), record(IDS[5], valid=255), record((0, 5)), record((5, 0)),
           record(IDS[5], valid=0), record((0, 0)), *WILD]
    for (ids, work), where in zip(works, itertools.cycle(bad)):
        run(slot, where, idle)
        run(slot, record(ids, size=65535), work)


def thread():
    lib.variable.restype = ctypes.POINTER(ctypes.c_void_p)
    slot = lib.variable()
    ways = {"valid": with_one_record, "hostile": with_what_is_none}
    ways.get(sys.argv[2], with_pointers)(slot, itertools.cycle(works))


def onlooker():
    """It never touches the variable, and has begun before that was there."""
    while True:
        idle()


def attribute(key, text):
    return publish.field(2, publish.field(1, key) + publish.field(2, publish.field(1, text)))


if __name__ == "__main__":
    idle = make("idle")
    works = [(ids, make("work%d" % i, ids)) for i, ids in enumerate(IDS)]
    threading.Thread(target=onlooker, daemon=True).start()
    lib = ctypes.CDLL(sys.argv[1])
    payload = publish.message("whole", "one", "test")
    if sys.argv[2] != "silent":
        payload += attribute(b"threadlocal.schema_version", b"tlsdesc_v1_dev")
    publish.Context().publish(payload)
    for _ in range(2):
        threading.Thread(target=thread, daemon=True).start()
    print(json.dumps(truth), flush=True)
    thread()
