# SPDX-License-Identifier: GPL-2.0-only
"""Programs that make the profiler work for nothing, each beside an honest one: so many mappings as the kernel
allows, programs without end, and an interpreter that is none. The honest one keeps its stacks, the books add
up, and no turn of the event loop takes long."""
import random
import shutil
import struct
import subprocess

import pytest

import hostile
import interpreters as known
import profiler
from edges import Judge

NEWEST = known.newest()
CPU = 1.5  # seconds of it, of each program that is waited for
TURN_CPU_SECONDS = 0.1

# Each page has other rights than its neighbours, so that each is a mapping of its own.
MAPPINGS = """
import ctypes, json, mmap
wanted = int(open("/proc/sys/vm/max_map_count").read())
libc = ctypes.CDLL(None)
libc.mprotect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
room = mmap.mmap(-1, 4096 * wanted)
begin = ctypes.addressof(ctypes.c_char.from_buffer(room))
made = 0
while made < wanted and not libc.mprotect(begin + 4096 * made, 4096, mmap.PROT_READ):
    made += 2
print(json.dumps({"mappings": sum(1 for _ in open("/proc/self/maps"))}), flush=True)
def burn():
    return sum(range(300))
while True:
    burn()
"""

# A function whose names have a gibibyte each. Before that it is known to be a Python: what has such names at
# first sight is taken for none (user/python/proof.c).
HUGE = """
import json, time, types
print(json.dumps({}), flush=True)
def burn():
    return sum(range(300))
while time.process_time() < 1:
    burn()
def named(code, **more):
    return types.FunctionType(code.replace(co_name=name, co_filename=name, **more), globals())
name = "x" * (1 << 30)
code = burn.__code__
function = named(code, co_qualname=name) if hasattr(code, "co_qualname") else named(code)
while True:
    function()
"""

# What CPython 3.13 and later say of themselves.
FAKE = """
#include <stdio.h>
__attribute__((section(".PyRuntime"))) char _PyRuntime[1 << 20] = { %s };
const unsigned long Py_Version = 0x%08x;
void Py_BytesMain(void) {}
int main(void) { puts("{}"); fflush(stdout); for (volatile unsigned long i = 0;; i++); }
"""


def assert_unharmed(run, honest):
    ours, judge = run.of(honest.pid), Judge(honest.about)
    whole = [s for s in ours if not profiler.marker_of(s.stack)]
    assert profiler.total(whole) >= 0.97 * profiler.total(ours) > 100  # test_stacks.py allows a hundredth
    assert not [fault for s in whole for fault in judge.faults(s.stack)]
    assert run.stats["loop"]["cpu_max_ns"] < TURN_CPU_SECONDS * 1e9


@pytest.fixture
def honest(workloads):
    with profiler.target(NEWEST.path, workloads / "edges.py") as started:
        yield started


def test_as_many_mappings_as_there_can_be(honest, tmp_path):
    with profiler.target(NEWEST.path, "-IS", "-c", MAPPINGS) as mapped:
        assert mapped.about["mappings"] > 60000
        run = profiler.run_while(tmp_path, [honest, mapped], CPU, "-F", 999)
    assert_unharmed(run, honest)
    assert profiler.share(run.of(mapped.pid), lambda s: "burn" in profiler.functions(s)) > 0.5


def test_programs_without_end(honest, tmp_path):
    with profiler.target(NEWEST.path, "-IS", "-c", hostile.STARTS) as starting:
        run = profiler.Run(tmp_path, "-a", "-F", 999)
        profiler.let_use_cpu(run, [honest.pid, starting.pid], CPU)
        run.interrupt()
        run.finish()
    assert_unharmed(run, honest)


def fake(directory, seed, model):
    """An ELF program that has an interpreter's names and its debug offsets, of which it changes none, one, or
    many. Nothing that they lead to is there."""
    rng = random.Random(seed)
    words = list(struct.unpack("<400Q", model))
    for _ in range((0, 1, 4, 100)[seed % 4]):
        words[rng.randrange(3, len(words))] = rng.getrandbits(rng.choice((6, 12, 30, 64)))
    data = struct.pack("<400Q", *words)
    source, path = directory / "fake.c", directory / str(seed) / "python3.15"
    path.parent.mkdir()
    source.write_text(FAKE % (", ".join("%d" % (b - 256 if b > 127 else b) for b in data), words[1]))
    subprocess.run(["gcc", "-rdynamic", "-o", path, source], check=True)
    return path


def test_an_interpreter_that_is_none(honest, tmp_path):
    if not shutil.which("gcc"):
        pytest.skip("SKIP not-applicable: gcc is not here")
    memory = hostile.Memory(honest.pid).file
    memory.seek(hostile.layout_of(honest.pid)["runtime"])
    model = memory.read(400 * 8)
    with profiler.targets([[fake(tmp_path, seed, model)] for seed in range(8)]) as fakes:
        run = profiler.run_while(tmp_path, [honest, *fakes], CPU / 3, "-F", 999)
    assert_unharmed(run, honest)
    theirs = run.of(*(one.pid for one in fakes))
    assert len({s.pid for s in theirs}) == len(fakes), "one was not taken for an interpreter"
    assert all(profiler.marker_of(s.stack) for s in theirs), "a stack of a program that has none"


def test_names_of_a_gibibyte(honest, tmp_path):
    """A name is cut, and what it takes in the profiler is what a cut one takes."""
    with profiler.target(NEWEST.path, "-IS", "-c", HUGE) as huge:
        run = profiler.run_while(tmp_path, [huge, honest], 5, "-F", 997)
    names = {sample.stack[0][0] for sample in run.of(huge.pid) if not profiler.marker_of(sample.stack)}
    longest = max(names, key=len)
    assert longest.startswith("x" * 1000) and len(longest) < 1100
    assert run.stats["user"]["rss_bytes"] < 256 << 20
    assert_unharmed(run, honest)
