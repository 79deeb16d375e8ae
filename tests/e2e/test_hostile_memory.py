# SPDX-License-Identifier: GPL-2.0-only
"""A process that forges frames in its own memory, so that each tick in it would read for milliseconds, with
interrupts off. The bytes that a tick may read are bounded, whatever the memory holds, and whoever runs beside
it loses nothing."""
import contextlib
import json
import os
import pathlib
import struct
import subprocess

import pytest

import interpreters as known
import profiler

SHOW = pathlib.Path(profiler.BINARY).parent / "tests" / "layouts" / "show"
CHUNK, CHUNKS = 16384, 6000  # a data-stack chunk, and how many there are: more than any cache holds
AT = CHUNK - 512  # a chunk's only frame, so near its end that all of it could be read with the frame
VERSIONS = [i for i in known.one_per_version() if i.version[:2] >= (3, 13)]

PROGRAM = """
import ctypes, json, mmap, os, sys
room = mmap.mmap(-1, %d)
print(json.dumps({"room": ctypes.addressof(ctypes.c_char.from_buffer(room))}), flush=True)
os.read(0, 1)
while True:
    pass
""" % (CHUNK * CHUNKS)

BESIDE = """
import json
def busy():
    while True:
        pass
print(json.dumps({}), flush=True)
busy()
"""

# bpf/python/walk.h: blocks of BLOCK_BYTES_MIN and BLOCK_BYTES a frame, one more, then a frame at a time in at
# most four rounds of two steps for each frame.
def allowed(depth):
    return (128 << 10) + 512 * depth + CHUNK + 128 * 4 * 2 * (2 * depth + 64)


def layout_of(pid):
    done = subprocess.run([str(SHOW), str(pid)], capture_output=True, text=True, timeout=60, check=True)
    said = dict(line.split("=", 1) for line in done.stdout.splitlines())
    return {name: int(value) for name, value in said.items() if value.isdigit()}


class Memory:
    def __init__(self, pid):
        self.file = open("/proc/%d/mem" % pid, "r+b", buffering=0)  # pylint: disable=consider-using-with

    def word(self, address):
        self.file.seek(address)
        return struct.unpack("<Q", self.file.read(8))[0]

    def put(self, address, data):
        self.file.seek(address)
        assert self.file.write(data) == len(data)


def forge(target, shims):
    """The running thread's frames become a ring of chunks that lead from one to the next."""
    memory, l, room = Memory(target.pid), layout_of(target.pid), target.about["room"]
    room = (room + CHUNK - 1) // CHUNK * CHUNK
    tstate = memory.word(memory.word(l["runtime"] + l["runtime_interpreters"]) + l["interp_threads"])
    memory.file.seek(memory.word(tstate + l["tstate_frame"]))
    frame = bytearray(memory.file.read(128))
    if shims:
        frame[l["frame_owner"]] = l["owner_shim"]
    count = CHUNKS - 1
    for i in range(count):
        after = room + (i * 7919 + 7919) % count * CHUNK  # not in the order of their addresses
        here = room + i * 7919 % count * CHUNK
        struct.pack_into("<Q", frame, l["frame_previous"], after + AT)
        memory.put(here, struct.pack("<QQQ", after, CHUNK, AT))
        memory.put(here + AT, bytes(frame))
    memory.put(tstate + l["tstate_chunk"], struct.pack("<Q", room))
    memory.put(tstate + l["tstate_frame"], struct.pack("<Q", room + AT))


def samples_are_taken(run):
    files = pathlib.Path("/proc/%d/fd" % run.process.pid)
    for name in os.listdir(files):
        with contextlib.suppress(FileNotFoundError):  # it is closed meanwhile
            if "perf_event" in os.readlink(files / name):
                return True
    return False


@pytest.mark.parametrize("depth", (1024, 4000))
@pytest.mark.parametrize("shims", (True, False), ids=("shims", "frames"))
@pytest.mark.parametrize("python", VERSIONS, ids=str)
def test_a_tick_is_bounded(python, shims, depth, tmp_path):
    with profiler.target(python.path, "-IS", "-c", PROGRAM, stdin=subprocess.PIPE) as hostile, \
            profiler.target(python.path, "-IS", "-c", BESIDE) as beside:
        run = profiler.Run(tmp_path, "-p", "%d,%d" % (hostile.pid, beside.pid), "-F", 199, "-d", 6,
                           "--max-depth", depth)
        profiler.wait_until(lambda: samples_are_taken(run))
        forge(hostile, shims)
        hostile.tell()
        run.finish()
    run.check_books()
    stats = {**run.stats["kernel"], **run.stats["counters"]}
    print(json.dumps({key: stats[key] for key in stats if key.endswith("_ns") or key == "read_bytes"}))
    theirs = [s for s in run.samples if s.pid == hostile.pid]
    assert profiler.total(theirs) > 100
    cut = [s for s in theirs if profiler.marker_of(s.stack) in ("over_budget", "truncated")]
    assert profiler.total(cut) > 0.5 * profiler.total(theirs)
    assert stats["read_bytes"] <= allowed(depth) * stats["ticks"]
    ours = [s for s in run.samples if s.pid == beside.pid]
    assert profiler.total(ours) > 100
    assert all(not profiler.marker_of(s.stack) for s in ours)
