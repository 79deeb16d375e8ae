# SPDX-License-Identifier: GPL-2.0-only
"""A crowd of programs that have files mapped in which Python is looked for in vain, and for a long time: each
has thousands of symbol tables, all of the same bytes. A Python that starts beside them has its stacks."""
import collections
import struct

import pytest

import interpreters as known
import profiler

NEWEST = known.newest()
CROWD, FILES = 100, 8
CPU = 2.5  # seconds of it, of the honest program

# It forks so many that burn with the lowest priority and end with it.
PROGRAM = """
import ctypes, json, os, sys, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]
for path in sys.argv[2:]:
    assert libc.mmap(None, 4096, 5, 2, os.open(path, os.O_RDONLY), 0)
for _ in range(int(sys.argv[1])):
    if not os.fork():
        libc.prctl(1, 9)
        os.nice(19)
        while True:
            pass
print(json.dumps({}), flush=True)
time.sleep(1000)
"""

HONEST = """
import json
def leaf():
    while True:
        pass
def middle():
    leaf()
print(json.dumps({}), flush=True)
middle()
"""


def section(kind, offset, size, link=0):
    return struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, offset, size, link, 0, 8, 24)


def many_tables(path):
    """A library of 4,000 tables of 2,500 symbols each, which all lie at one place: ten million symbols."""
    count, size = 4000, 2500 * 24
    symbols, names = 4096, 4096 + size
    sections = names + 64
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, sections, 0, 64, 56, 1, 64,
                         count, 1)
    code = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 4096, 4096, 4096)
    body = (header + code).ljust(names + 64, b"\0")
    tables = section(2, symbols, size, 1) * (count - 2)
    path.write_bytes(body + section(0, 0, 0) + section(3, names, 64) + tables)
    return path


@pytest.mark.all
@pytest.mark.alone  # so many busy programs leave the CPUs to nobody else
def test_an_honest_program_beside_a_crowd(tmp_path):
    files = [many_tables(tmp_path / f"library{i}.so") for i in range(FILES)]
    run = profiler.Run(tmp_path, "-a", "-F", 999)
    with profiler.target(NEWEST.path, "-IS", "-c", PROGRAM, CROWD, *files):
        with profiler.target(NEWEST.path, "-IS", "-c", HONEST) as honest:
            profiler.let_use_cpu(run, [honest.pid], CPU)
            run.interrupt()
            run.finish()
    stacks = collections.Counter()
    for sample in run.of(honest.pid):
        names = tuple(frame[0] for frame in sample.stack)
        if "leaf" in names:
            stacks[names] += sample.count
    assert set(stacks) == {("leaf", "middle", "<module>")}
    # All but what is lost until it is known, and that is a second at most. Before, it was all.
    assert sum(stacks.values()) > 400
