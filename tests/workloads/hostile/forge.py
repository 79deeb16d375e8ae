# SPDX-License-Identifier: GPL-2.0-only
"""How a program forges what the interpreter keeps of it: copies of its objects, each in a page of its own,
that lead to each other as chance has it, while a child changes them all the time. The child shares the
memory, so it needs no lock of the interpreter's, and changes words in the middle of a look at them."""
import bisect
import ctypes
import gc
import mmap
import os
import random
import select
import struct
import sys

PAGE = 4096
BEFORE = 32  # bytes in front of an object that belong to it
TAGS = 7
WORD = struct.Struct("<Q")


def word(address):
    return ctypes.c_uint64.from_address(address).value


def put(address, value):
    ctypes.c_uint64.from_address(address).value = value


def tstate():
    get = ctypes.pythonapi.PyThreadState_Get
    get.restype = ctypes.c_void_p
    return get()


class Forge:
    def __init__(self, pages, seed=1):
        self.room = mmap.mmap(-1, pages * PAGE)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.room))
        self.pages, self.used = pages, 0
        self.rng = random.Random(seed)
        self.blocks = []   # (address, size, kind) of what is copied
        self.copies = {}   # kind: [address of each copy]
        self.of = {}       # address of what is copied: [addresses of its copies]
        self.kept = []

    def add(self, address, size, kind):
        """What is at this address is to be copied."""
        if address and not any(a == address for a, _, _ in self.blocks):
            self.blocks.append((address, min(size, PAGE - 128), kind))

    def add_object(self, thing):
        self.kept.append(thing)
        self.add(id(thing), max(thing.__sizeof__(), 48), type(thing).__name__)
        if isinstance(thing, dict):
            self.add(word(id(thing) + 32), 320, "keys")
        elif isinstance(thing, list):
            self.add(word(id(thing) + 24), 8 * max(1, len(thing)), "items")
        elif isinstance(thing, set):
            self.add(word(id(thing) + 40), 16 * (word(id(thing) + 32) + 1), "slots")

    def add_reachable(self, roots, types, depth):
        """Objects of these types, or of types of these names, by which others are reached."""
        met, level = set(), list(roots)
        for _ in range(depth):
            for thing in level:
                self.add_object(thing)
            met.update(map(id, level))
            level = [o for o in gc.get_referents(*level)
                     if id(o) not in met and (type(o) in types or type(o).__name__ in types)]
            level = list({id(o): o for o in level}.values())
        gc.collect()

    def copy(self, keep=()):
        """Makes as many copies of each as there is room for. keep: kinds whose own objects are led to as
        well."""
        self.blocks.sort()
        each = self.pages // len(self.blocks)
        starts = [address for address, _, _ in self.blocks]
        for address, size, kind in self.blocks:
            for _ in range(each):
                at = self.used * PAGE + BEFORE + 16 * self.rng.randrange((PAGE - BEFORE - size) // 16)
                self.used += 1
                self.copies.setdefault(kind, []).append(self.base + at)
                self.of.setdefault(address, []).append(self.base + at)
        for address, size, kind in self.blocks:
            data = ctypes.string_at(address - BEFORE, size + BEFORE)
            for copy in self.of[address]:
                made = bytearray(data)
                for at in range(0, len(made) - 7, 8):
                    value = WORD.unpack_from(made, at)[0]
                    i = bisect.bisect(starts, value) - 1
                    if i < 0 or value >= starts[i] + self.blocks[i][1]:
                        continue
                    start, _, other = self.blocks[i]
                    if start == address:
                        goal = copy
                    elif other in keep and self.rng.randrange(2):
                        goal = start
                    elif self.rng.randrange(8):
                        goal = self.rng.choice(self.copies[other])
                    else:
                        goal = self.rng.choice(self.rng.choice(list(self.copies.values())))
                    WORD.pack_into(made, at, goal + value - start)
                at = copy - BEFORE - self.base
                self.room[at:at + len(made)] = bytes(made)

    def one(self, address):
        """One of the copies of what is at this address."""
        return self.rng.choice(self.of[address])

    def change(self):
        """A child changes a word of a copy, and then mends one, without end."""
        if os.fork():
            return
        ctypes.CDLL(None).prctl(1, 9)
        good, rng, room = bytes(self.room), self.rng, self.room
        where = [(copy - BEFORE - self.base, size + BEFORE) for address, size, _ in self.blocks
                 for copy in self.of[address]]
        every = [copy for copies in self.copies.values() for copy in copies]
        rng.shuffle(where)
        while True:
            for _ in range(1000):
                at, size = where[int(rng.random() * len(where))]
                at += 8 * int(rng.random() * (size // 8))
                way = int(rng.random() * 8)
                goal = every[int(rng.random() * len(every))]
                value = (goal, goal + 8 * way, 0, rng.getrandbits(47), 1 << 63, 2 ** 64 - 1,
                         rng.getrandbits(16), goal | 1)[way]
                WORD.pack_into(room, at, value)
                at, size = where[int(rng.random() * len(where))]
                room[at:at + size] = good[at:at + size]
            if os.getppid() == 1:
                os._exit(0)


def wait_to_begin():
    """Runs until whoever started this says so: what it has is honest up to then, and found."""
    while not select.select([sys.stdin], [], [], 0)[0]:
        pass
    sys.stdin.readline()


def spin():
    """Without a call or an allocation, by which the interpreter would use what is forged."""
    gc.disable()
    while True:
        pass
