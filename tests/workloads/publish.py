# SPDX-License-Identifier: GPL-2.0-only
"""Publishes about itself what it is told, as OpenTelemetry's process context (OTEP 4719), and computes:
publish.py [MODE]. Lines of stdin: "publish SERVICE INSTANCE ENVIRONMENT", "fork" (prints the child's pid; the
child does the same as its parent from then on, and ends with it), "drop".
MODE is a way not to keep to the specification."""
import ctypes
import itertools
import json
import mmap
import os
import select
import struct
import sys
import threading
import time

PAGE = 4096
PR_SET_VMA, PR_SET_VMA_ANON_NAME, MADV_DONTFORK = 0x53564D41, 0, 10
MFD_CLOEXEC, MFD_ALLOW_SEALING = 1, 2
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_char_p]


def field(number, data):
    assert len(data) < 1 << 14
    length = bytes([len(data)]) if len(data) < 128 else bytes([len(data) & 127 | 128, len(data) >> 7])
    return bytes([number << 3 | 2]) + length + data


def message(service, instance, environment):
    pairs = {"service.name": service, "service.instance.id": instance,
             "deployment.environment.name": environment, "telemetry.sdk.language": "python"}
    return field(1, b"".join(field(1, field(1, key.encode()) + field(2, field(1, value.encode())))
                             for key, value in pairs.items()))


class Context:
    """A header in one page, and a message in the next."""

    def __init__(self, inherited=False):
        fd = libc.memfd_create(b"OTEL_CTX", MFD_CLOEXEC | MFD_ALLOW_SEALING)
        os.ftruncate(fd, 2 * PAGE)
        self.address = libc.mmap(None, 2 * PAGE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE, fd, 0)
        os.close(fd)
        if not inherited:
            libc.madvise(self.address, 2 * PAGE, MADV_DONTFORK)

    def write(self, offset, form, *values):
        data = struct.pack(form, *values)
        ctypes.memmove(self.address + offset, data, len(data))

    def publish(self, payload, size=None, address=None, at=None):
        self.write(16, "<Q", 0)
        ctypes.memmove(self.address + PAGE, payload, len(payload))
        self.write(8, "<II", 2, len(payload) if size is None else size)
        self.write(24, "<Q", self.address + PAGE if address is None else address)
        self.write(0, "8s", b"OTEL_CTX")
        self.write(16, "<Q", time.clock_gettime_ns(time.CLOCK_BOOTTIME) if at is None else at)
        libc.prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, self.address, 2 * PAGE, b"OTEL_CTX")

    def drop(self):
        libc.munmap(self.address, 2 * PAGE)


GOOD = message("whole", "one", "test")


def flip(context):
    for i in itertools.count():
        context.publish(message("whole" * (1 + i % 40), "i" * (i % 90), "test"))
        time.sleep(0)


def come_and_go(context):
    while True:
        context.drop()
        context = Context()
        context.publish(GOOD)


MODES = {
    "size": lambda c: c.publish(GOOD, size=0xFFFFFFFF),
    "size of the mapping": lambda c: c.publish(GOOD, size=60000),
    "address": lambda c: c.publish(GOOD, address=0xFFFF800000000000),
    "no address": lambda c: c.publish(GOOD, address=8),
    "never ready": lambda c: c.publish(GOOD, at=0),
    "no message": lambda c: c.publish(b"\xff" * 200),
    "half a message": lambda c: c.publish(GOOD, size=len(GOOD) - 5),
    "a long name": lambda c: c.publish(message("\u20ac" * 1000, "one", "test")),
    "no text": lambda c: c.publish(message("\x1b[2J\n\x01", "one", "test").replace(b"\x01", b"\xff")),
    "changes": flip,
    "comes and goes": come_and_go,
}


def compute(until):
    while not select.select([until], [], [], 0)[0]:
        for _ in range(20000):
            pass


def lines():
    """Of stdin, as they come: not those that a buffer holds back."""
    left = b""
    while True:
        while b"\n" in left:
            line, _, left = left.partition(b"\n")
            yield line.decode()
        compute(0)
        more = os.read(0, 4096)
        if not more:
            return
        left += more


def serve(context):
    for words in map(str.split, lines()):
        if words[0] == "publish":
            context.publish(message(*words[1:]))
        elif words[0] == "drop":
            context.drop()
        elif words[0] == "fork":
            child(context)


def child(context):
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(theirs)  # of its parent; it ends with it
        compute(ours)
        os._exit(0)
    os.close(ours)
    print(json.dumps({"child": pid}), flush=True)


def main():
    mode = sys.argv[1] if len(sys.argv) > 1 else None
    context = Context(inherited=mode == "inherited")
    if mode in MODES:
        threading.Thread(target=MODES[mode], args=(context,), daemon=True).start()
    print(json.dumps({"modes": [*MODES]}), flush=True)
    serve(context)


if __name__ == "__main__":
    main()
