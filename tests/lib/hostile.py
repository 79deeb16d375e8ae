# SPDX-License-Identifier: GPL-2.0-only
"""Programs that harm a profiler, or their neighbours through it, and how their memory is forged while they
run."""
import random
import struct
import subprocess
import threading

import profiler

SHOW = profiler.BUILD / "tests/layouts/show"
CHUNK, CHUNKS = 16384, 6000  # a data-stack chunk, and how many there are: more than any cache holds
AT = CHUNK - 512  # a chunk's only frame, so near its end that all of it could be read with the frame

# Has room for a ring of forged frames, and burns without calling anything that would see them.
RING = """
import ctypes, json, mmap, os, sys
room = mmap.mmap(-1, %d)
print(json.dumps({"room": ctypes.addressof(ctypes.c_char.from_buffer(room))}), flush=True)
os.read(0, 1)
while True:
    pass
""" % (CHUNK * CHUNKS)

# The same, whose thread sleeps all the time.
SLEEPS = RING.replace("import ctypes", "import time, ctypes").replace("while True:\n    pass", """\
sleep = time.sleep
while True:
    sleep(0.0002)""")

# Two functions that call each other at random.
LEFT_RIGHT = """
def left(depth, way):
    if depth:
        return left(depth - 1, way >> 1) if way & 1 else right(depth - 1, way >> 1)
    return sum(range(3000))
def right(depth, way):
    if depth:
        return left(depth - 1, way >> 1) if way & 1 else right(depth - 1, way >> 1)
    return sum(range(3000))
"""
# Each stack is another, 900 deep.
GREEDY = """
import json, random, sys
sys.setrecursionlimit(5000)
""" + LEFT_RIGHT + """
print(json.dumps({}), flush=True)
while True:
    left(900, random.getrandbits(900))
"""

# Makes code objects without end, whose names have line breaks, escape sequences and bytes that are no text,
# and are a mebibyte long now and then.
NAMES = """
import json, types
def burn():
    sum(range(300))
print(json.dumps({}), flush=True)
n = 0
while True:
    n += 1
    name = "\\n\\x1b[2J%d\\udc80;" % n + "x" * (1 << 20 if n % 500 == 0 else n % 300)
    types.FunctionType(burn.__code__.replace(co_name=name, co_filename=name), globals())()
"""

# Programs that come and go, most of which are no Python: as many as it can start.
STARTS = """
import json, os, sys
print(json.dumps({}), flush=True)
n = 0
while True:
    n += 1
    command = [sys.executable, "-ISc", "pass"] if n % 50 == 0 else ["/bin/true"]
    os.waitpid(os.posix_spawn(command[0], command, {}), 0)
"""


def layout_of(pid):
    """{offset or address: where it is}, of an interpreter."""
    done = subprocess.run([str(SHOW), str(pid)], capture_output=True, text=True, timeout=300, check=True)
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


class Ring:
    """Of a program RING: its running thread's frames become a ring of chunks that lead from one to the next.
    shims: its frames are none of Python code, where there are such (3.12). thread: which of its threads, from
    the newest on."""

    def __init__(self, target, shims, thread=0):
        self.memory, self.layout, room = Memory(target.pid), layout_of(target.pid), target.about["room"]
        self.room = (room + CHUNK - 1) // CHUNK * CHUNK
        memory, l = self.memory, self.layout
        self.tstate = memory.word(memory.word(l["runtime"] + l["runtime_interpreters"]) +
                                  l["interp_threads"])
        for _ in range(thread):
            self.tstate = memory.word(self.tstate + l["tstate_next"])
        self.top = self.tstate + l["tstate_frame"]
        if l["has_cframe"]:
            self.top = memory.word(self.top) + l["cframe_frame"]
        self.own = memory.word(self.top)
        memory.file.seek(self.own)
        frame = bytearray(memory.file.read(128))
        if shims and l["owner_shim"] < 256:
            frame[l["frame_owner"]] = l["owner_shim"]
        count = CHUNKS - 1
        chunks = bytearray(count * CHUNK)
        for i in range(count):
            after = self.room + (i * 7919 + 7919) % count * CHUNK  # not in the order of their addresses
            here = i * 7919 % count * CHUNK
            struct.pack_into("<Q", frame, l["frame_previous"], after + AT)
            struct.pack_into("<QQQ", chunks, here, after, CHUNK, AT)
            chunks[here + AT:here + AT + len(frame)] = frame
        memory.put(self.room, chunks)
        if l["tstate_chunk"]:  # before 3.11, frames are objects
            memory.put(self.tstate + l["tstate_chunk"], struct.pack("<Q", self.room))
        self.lead_to(self.room + AT)

    def expose(self):
        """Each of its frames has an object that names it, as a greenlet's that is about to switch (3.12)."""
        for here in range(self.room, self.room + (CHUNKS - 1) * CHUNK, CHUNK):
            frame, thing = here + AT, here + CHUNK // 4
            self.memory.put(frame + self.layout["frame_object"], struct.pack("<Q", thing))
            self.memory.put(thing + self.layout["object_frame"], struct.pack("<Q", frame))
            self.memory.put(thing + self.layout["object_data"], struct.pack("<Q", here + 64))

    def lead_to(self, frame):
        self.memory.put(self.top, struct.pack("<Q", frame))

    def change(self, rng):
        """One word: where the thread's frames begin, or where one of them leads; to a frame, into the middle
        of one, or nowhere."""
        frame = self.room + rng.randrange(CHUNKS - 1) * CHUNK + AT
        goal = rng.choice((self.own, frame, frame + 8 * rng.randrange(16), rng.getrandbits(48), 0))
        if rng.randrange(4) == 0:
            self.lead_to(goal)
            return
        changed = self.room + rng.randrange(CHUNKS - 1) * CHUNK + AT
        self.memory.put(changed + self.layout["frame_previous"], struct.pack("<Q", goal))


class Changer(threading.Thread):
    """Changes a ring some thousand times a second, until it is told to stop or the program is gone."""

    def __init__(self, ring, seed=1):
        super().__init__(daemon=True)
        self.ring, self.rng, self.over = ring, random.Random(seed), threading.Event()
        self.changes = 0
        self.start()

    def run(self):
        while not self.over.wait(0.001):
            try:
                for _ in range(8):
                    self.ring.change(self.rng)
                    self.changes += 1
            except (OSError, AssertionError):
                return

    def stop(self):
        self.over.set()
        self.join()
