# SPDX-License-Identifier: GPL-2.0-only
"""Debug offsets (3.13+) that lie, in a live process's own memory: each is refused with a reason or changes
nothing that is used, and the processes beside it are profiled as ever."""
import contextlib
import os
import struct
import subprocess

import pytest

import profiler

SHOW = profiler.BUILD / "tests/layouts/show"
WITH_TABLE = ("3.13", "3.13t", "3.14", "3.15")
SIZES = {"3.13": 584, "3.13t": 584, "3.14": 760, "3.15": 888}
VALUES = (0, 1, 2, 1 << 15, 1 << 31, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
HEADER = 3  # words: cookie, version, free_threaded
GC_WORDS = (88, 768)  # bytes; 3.15: interpreter_state.gc, gc.frame: out of reach, they take a label away

PROGRAM = """
import json, os
def busy():
    while True:
        for i in range(1000):
            pass
def outer():
    busy()
print(json.dumps({"pid": os.getpid()}), flush=True)
outer()
"""
ABOUT = ("reason", "text_version", "version", "hexversion", "first_us", "cached_us")


def show(pid):
    """What identify() says of a process, and apart from it the reason."""
    done = subprocess.run([str(SHOW), str(pid)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, "show: %s %s" % (done.returncode, done.stderr)
    said = dict(line.split("=", 1) for line in done.stdout.splitlines())
    return {name: value for name, value in said.items() if name not in ABOUT}, said["reason"]


class Table:
    """The debug offsets of a running program, to be spoilt."""

    def __init__(self, target, size):
        assert os.access(SHOW, os.X_OK), "not built: %s (make tests)" % SHOW
        self.truth, reason = show(target.pid)
        assert (self.truth["verdict"], reason) == ("Python", "")
        self.pid, self.address, self.size = target.pid, int(self.truth["runtime"]), size
        # pylint: disable=consider-using-with
        self.memory = open("/proc/%d/mem" % target.pid, "r+b", buffering=0)
        self.bytes = self.read()
        assert self.bytes[:8] == b"xdebugpy"

    def read(self):
        self.memory.seek(self.address)
        return self.memory.read(self.size)

    def write(self, offset, data):
        self.memory.seek(self.address + offset)
        assert self.memory.write(data) == len(data)

    @contextlib.contextmanager
    def spoilt(self, offset, data):
        self.write(offset, data)
        try:
            yield
        finally:
            self.write(0, self.bytes)


@contextlib.contextmanager
def table(version):
    with profiler.target(version.path, "-IS", "-c", PROGRAM) as target:
        found = Table(target, SIZES[version.minor])
        with found.memory:
            yield found


def judge(spoilt, offset, value):
    """What a word may do: be refused with a reason, or nothing, or take the label gc away. Returns whether it
    was refused."""
    shown, reason = show(spoilt.pid)
    if shown["verdict"] == "no layout":
        assert reason, (offset, value)
        return True
    expected = dict(spoilt.truth, interp_gc_frame="0") if offset in GC_WORDS else spoilt.truth
    assert shown == expected, (offset, value, reason)
    return False


def damage(version, values):
    refused = 0
    with table(version) as spoilt:
        words = struct.unpack("<%dQ" % (spoilt.size // 8), spoilt.bytes)
        for i in range(HEADER, len(words)):
            for value in values:
                if value != words[i]:
                    with spoilt.spoilt(8 * i, struct.pack("<Q", value)):
                        refused += judge(spoilt, 8 * i, value)
        assert not judge(spoilt, 0, 0), "the table is whole again"
    return refused, len(words) - HEADER


def test_wrong_words(version):
    refused, words = damage(version, (1 << 15,))
    assert refused > words / 4  # what is used


def test_each_word_at_each_value(version):
    refused, words = damage(version, VALUES)
    assert refused > words * len(VALUES) * 0.6


test_wrong_words.versions = test_each_word_at_each_value.versions = WITH_TABLE
test_each_word_at_each_value = pytest.mark.long(test_each_word_at_each_value)


def other_versions(word):
    """PY_VERSION_HEX values that are not the process's: pre-releases, other minor versions,
    more than 32 bits."""
    return [word & ~0xff | 0xa1, word & ~0xff | 0xb4, word ^ 0x10000, word ^ 0x30000, 0x030c01f0, 0x040000f0,
            word | 1 << 32, 0, (1 << 64) - 1]


def test_forged_header(version):
    with table(version) as spoilt:
        cookie, number, threaded = struct.unpack_from("<8sQQ", spoilt.bytes)
        for i in range(8):
            with spoilt.spoilt(i, bytes([cookie[i] ^ 0x20])):
                assert judge(spoilt, i, "cookie")
        for forged in other_versions(number):
            with spoilt.spoilt(8, struct.pack("<Q", forged)):
                assert judge(spoilt, 8, hex(forged))
        for forged in (1 - threaded, 2, 1 << 63):
            with spoilt.spoilt(16, struct.pack("<Q", forged)):
                assert judge(spoilt, 16, forged)


test_forged_header.versions = WITH_TABLE


def test_others_are_unaffected(version, tmp_path):
    """One process lies in its table, of the same binary as another:
    that one is profiled and the liar is named."""
    with table(version) as liar, profiler.target(version.path, "-IS", "-c", PROGRAM) as honest:
        liar.write(8 * HEADER, struct.pack("<Q", 1 << 63))
        ran = profiler.Run(tmp_path, "--pid", "%d,%d" % (liar.pid, honest.pid))
        profiler.let_use_cpu(ran, [honest.pid], 1)
        ran.interrupt()
        ran.finish()
    assert "debug offsets: bad runtime_state.size" in ran.err
    whole = [s for s in ran.of(honest.pid) if profiler.marker_of(s.stack) is None]
    assert profiler.total(whole) > 20
    assert {tuple(profiler.functions(s)) for s in whole} <= {("busy", "outer", "<module>"),
                                                             ("outer", "<module>"), ("<module>",)}
    assert not [s for s in ran.of(liar.pid) if profiler.marker_of(s.stack) is None]


test_others_are_unaffected.versions = WITH_TABLE
