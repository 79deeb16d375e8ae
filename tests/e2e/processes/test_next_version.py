# SPDX-License-Identifier: GPL-2.0-only
"""Versions that nobody here knows: a real interpreter whose binary says it is one, in Py_Version and in its
debug offsets. It is profiled as long as its own offsets are true, and refused with the reason when they are
not. Never another guess."""
import re
import struct
import subprocess

import pytest

import interpreters as known
import profiler

COOKIE = b"xdebugpy"
FREQUENCY = 499
NEXT = ((3, 15, 9), (3, 16, 0), (3, 17, 1))

PROGRAM = """
import json, os
class App:
    def busy(self):
        while True:
            for i in range(1000):
                pass
def outer():
    App().busy()
print(json.dumps({"pid": os.getpid()}), flush=True)
outer()
"""
STACKS = {("App.busy", "outer", "<module>"), ("outer", "<module>"), ("<module>",)}

# Words of 3.15's table to exchange, by their byte offsets.
PREVIOUS, EXECUTABLE, INSTR, CURRENT_FRAME, BASE_FRAME, NAME, QUALNAME = 320, 328, 336, 208, 216, 392, 400


def hexversion(version):
    return version[0] << 24 | version[1] << 16 | version[2] << 8 | 0xf0


def offset_of(binary, symbol):
    """Where in the file an exported symbol is."""
    said = subprocess.run(["readelf", "-W", "--dyn-syms", "-l", str(binary)], capture_output=True, text=True,
                          check=True)
    address = int(re.search(r"^\s*\d+: ([0-9a-f]+) .* %s$" % symbol, said.stdout, re.M)[1], 16)
    for load in re.findall(r"^\s*LOAD\s+(0x\w+) (0x\w+) 0x\w+ (0x\w+)", said.stdout, re.M):
        offset, start, size = (int(n, 16) for n in load)
        if start <= address < start + size:
            return address - start + offset
    raise AssertionError("%s is in no segment" % symbol)


@pytest.fixture(scope="module")
def newest():
    interpreter = known.find("debian-3.15.2")
    if not interpreter:
        pytest.skip("SKIP debian-3.15.2: %s" % known.reason("debian-3.15.2"))
    return interpreter


class Forged:
    """The interpreter's binary under another version, run by the libraries of the real one."""

    def __init__(self, interpreter, directory, version, swap=()):
        tree = known.HOME / interpreter.name
        libraries = tree / "usr" / "lib" / "x86_64-linux-gnu"
        real = tree / "usr" / "bin" / "python3.15"
        data = bytearray(real.read_bytes())
        number = offset_of(real, "Py_Version")
        table = data.index(COOKIE + struct.pack("<Q", hexversion(interpreter.version)))
        assert data[number:number + 4] == struct.pack("<I", hexversion(interpreter.version))
        struct.pack_into("<I", data, number, hexversion(version))
        struct.pack_into("<I", data, table + 8, hexversion(version))
        for one, other in swap:
            words = [struct.unpack_from("<Q", data, table + at)[0] for at in (one, other)]
            struct.pack_into("<Q", data, table + one, words[1])
            struct.pack_into("<Q", data, table + other, words[0])
        self.binary = directory / "python"
        self.binary.write_bytes(data)
        self.binary.chmod(0o755)
        self.command = [libraries / "ld-linux-x86-64.so.2", "--library-path", libraries, "--argv0",
                        interpreter.path,
                        self.binary, "-IS", "-c", PROGRAM]


def profile(tmp_path, *commands):
    with profiler.targets(commands) as started:
        run = profiler.run_while(tmp_path, started, 1, "-F", FREQUENCY)
        return run, [run.of(t.pid) for t in started]


def stacks(samples):
    return {tuple(profiler.functions(s)) for s in samples if profiler.marker_of(s.stack) is None}


@pytest.mark.parametrize("number", NEXT, ids=lambda v: "%d.%d.%d" % v)
def test_true_offsets_are_enough(newest, number, tmp_path):
    forged = Forged(newest, tmp_path, number)
    run, (samples,) = profile(tmp_path, forged.command)
    assert ("App.busy", "outer", "<module>") in stacks(samples) <= STACKS, run.err
    assert profiler.total(samples) > 50
    assert run.stats["outcomes"]["no_layout"] == 0


@pytest.mark.parametrize("swap, reason", (
    (((PREVIOUS, INSTR),), "the (stacks|frames) of its "),
    (((EXECUTABLE, INSTR),), "debug offsets: bad interpreter_frame.instr_ptr"),
    (((CURRENT_FRAME, BASE_FRAME),), "the (stacks|frames) of its "),
    (((NAME, EXECUTABLE),), "debug offsets: bad "),
), ids=("previous", "executable", "base", "name"))
def test_untrue_offsets_are_refused(newest, swap, reason, tmp_path):
    """Beside a process of the real interpreter, which is profiled."""
    forged = Forged(newest, tmp_path, (3, 16, 0), swap)
    run, (liar, honest) = profile(tmp_path, forged.command, [newest.path, "-IS", "-c", PROGRAM])
    assert not stacks(liar)
    assert re.search(r"\(3\.16\.0\): " + reason, run.err), run.err
    assert ("App.busy", "outer", "<module>") in stacks(honest) <= STACKS


def test_moved_offsets_of_a_known_release_are_refused(newest, tmp_path):
    forged = Forged(newest, tmp_path, newest.version, ((NAME, QUALNAME),))
    run, (samples,) = profile(tmp_path, forged.command)
    assert not stacks(samples)
    assert "(3.15.2): debug offsets: bad code_object.name" in run.err
