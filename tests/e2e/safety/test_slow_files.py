# SPDX-License-Identifier: GPL-2.0-only
"""Programs of a user who makes the profiler's worker slow by files that are within every limit, and a Python
that starts beside them, of another user or his own. It has at least half of the samples that it has beside
programs which are as busy and have no such files.

What is slow: a file of 16 MiB of zeros with a runtime in it, in which the version of Python is looked for;
and half a million symbols of functions, which are sorted. It takes a tenth of a second each time and more,
but not so long that the worker is late, and each file is another one.
"""
import os
import platform
import random
import re
import struct
import subprocess
import tempfile

import pytest

import crowds
import interpreters as known
import profiler

NEWEST = known.newest()
PROCESSES, ZEROS = 300, 16 << 20
FILES, SYMBOLS = 64, 500000
CPU = 5  # seconds of it, of the honest program: to learn who it is may take one of them where much else runs
FREQUENCY = 997

# It runs the code of all its files in turn.
CALLS = """
import ctypes, json, os, sys
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]
def map_code(path):
    at = libc.mmap(None, 8192, 5, 2, os.open(path, os.O_RDONLY), 0)
    assert at != ctypes.c_void_p(-1).value
    return at
os.setgid(int(sys.argv[1]))
os.setuid(int(sys.argv[1]))
functions = [ctypes.CFUNCTYPE(None)(map_code(path) + 4096) for path in sys.argv[2:]]
print(json.dumps({}), flush=True)
while True:
    for function in functions:
        function()
"""

HONEST = """
import json, os, sys
os.setgid(int(sys.argv[1]))
os.setuid(int(sys.argv[1]))
def leaf():
    while True:
        pass
def middle():
    leaf()
print(json.dumps({}), flush=True)
middle()
"""

MACHINE, COUNT_DOWN = {  # of e_machine, and a function that takes some 20 us
    "x86_64": (62, bytes.fromhex("b9ffff0000 ffc9 75fc c3")),
    "aarch64": (183, struct.pack("<4I", 0x529fffe0, 0x71000400, 0x54ffffe1, 0xd65f03c0)),
}[platform.machine()]


def header(segments, sections, names):
    return struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, MACHINE, 1, 0, 64, 512, 0, 64, 56, segments,
                       64, sections, names)


def segment(flags, offset, size):
    return struct.pack("<IIQQQQQQ", 1, flags, offset, offset, offset, size, size, 4096)


def section(kind, offset, size, link=0, name=0, flags=0):
    return struct.pack("<IIQQQQIIQQ", name, kind, flags, offset, offset, size, link, 0, 8, 24)


def runtime_without_version(path):
    """Has the section of a runtime, and behind its headers zeros that take no room on a disk."""
    start = header(2, 3, 1) + segment(5, 0, ZEROS) + segment(6, ZEROS, 4096)
    names = b"\0.PyRuntime\0"
    sections = section(0, 0, 0) + section(3, 256, len(names)) + section(1, ZEROS, 8, name=1, flags=2)
    with open(path, "wb") as out:
        out.write((start.ljust(256, b"\0") + names).ljust(512, b"\0") + sections)
        out.truncate(ZEROS + 4096)


def library_of_symbols(count):
    """A library of so many symbols over a few thousand places, in no order."""
    dice = random.Random(count)
    table = b"".join(struct.pack("<IBBHQQ", 1 + dice.randrange(300), 2, 0, 1, 16 * dice.randrange(4096), 16)
                     for _ in range(count))
    names = b"\0".ljust(400, b"a") + b"\0"
    sections = section(0, 0, 0) + section(3, 8192 + len(table), len(names)) + section(2, 8192, len(table), 1)
    start = (header(1, 3, 0) + segment(5, 0, 1 << 16)).ljust(512, b"\0") + sections
    return (start.ljust(4096, b"\0") + COUNT_DOWN).ljust(8192, b"\0") + table + names.ljust(1 << 16, b"\0")


@pytest.fixture
def folder():
    """One into which everybody may look."""
    with tempfile.TemporaryDirectory() as path:
        os.chmod(path, 0o755)
        yield path


@pytest.fixture
def honest_native(folder, workloads):
    """The command of a program with functions in C."""
    library = os.path.join(folder, "a_lib.so")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-pthread", "-DPREFIX=a_",
                    workloads / "native" / "burn.c", "-o", library], check=True)
    return [NEWEST.path, workloads / "native" / "native.py", library, "shares"]


def run_beside(tmp_path, attack, honest, options, is_whole, head_start=0):
    """How many of an honest program's samples are whole, of how many, and what CPU time the profiler used. It
    is at work before the others begin. head_start: CPU time of the attack before the honest one begins."""
    run = profiler.Run(tmp_path, "-F", FREQUENCY, *options)
    try:
        profiler.wait_until(lambda: profiler.samples_cpus(run), what="perf event")
        with profiler.target(*attack) as other:
            profiler.let_use_cpu(run, [other.pid], head_start)
            with profiler.target(*honest) as one:
                profiler.let_use_cpu(run, [one.pid], CPU)
                run.interrupt()
                run.finish(120)
    except BaseException:
        run.kill()
        raise
    samples, user = run.of(one.pid), run.stats["user"]
    whole = sum(sample.count for sample in samples if is_whole(profiler.functions(sample)))
    return whole, profiler.total(samples), user["cpu_seconds"] - user["start_cpu_seconds"]


def judge(control, attacked, stacks):
    print("control: %d of %d, %.1f s; attacked: %d of %d, %.1f s" % (*control, *attacked))
    assert attacked[2] > control[2] + 1, "the worker was kept busy by nothing: nothing was tested"
    assert control[0] > stacks and attacked[0] >= control[0] / 2


@pytest.fixture
def crowd(folder, workloads):
    """The program that is a crowd."""
    program = os.path.join(folder, "crowd")
    subprocess.run(["gcc", "-O1", "-D_GNU_SOURCE", workloads / "slow_crowd.c", "-o", program], check=True)
    return program


@pytest.mark.all
@pytest.mark.alone  # so many busy programs leave the CPUs to nobody else
@pytest.mark.timeout(900)
def test_a_crowd(folder, crowd, tmp_path):
    """The question who each of them is takes long."""
    name = os.path.join(folder, "library")
    for i in range(PROCESSES):
        runtime_without_version(name + str(i))

    def beside(files):
        return run_beside(tmp_path, [crowd, PROCESSES, crowds.STRANGER, files],
                          [NEWEST.path, "-ISc", HONEST, 0], ["-a"],
                          lambda names: names == ["leaf", "middle", "<module>"])
    judge(beside(""), beside(name), 2000)


def said(run):
    """What the profiler has said so far."""
    return os.pread(run.streams[1].fileno(), 1 << 24, 0).decode()


@pytest.mark.all
@pytest.mark.alone
@pytest.mark.timeout(900)
def test_a_crowd_of_his_own(folder, crowd, tmp_path):
    """They are of the user whose program it is. Most of them wait for their first turn when it begins, and it
    is looked at before they are. Where processes are chosen, nobody is known from its exec on because another
    one of its file was."""
    name = os.path.join(folder, "library")
    for i in range(PROCESSES):
        runtime_without_version(name + str(i))
    run = profiler.Run(tmp_path, "-F", FREQUENCY, "-v", "-a", "--comm", "*")
    try:
        profiler.wait_until(lambda: profiler.samples_cpus(run), what="perf event")
        with profiler.target(crowd, PROCESSES, crowds.STRANGER, name):
            before = said(run)
            with profiler.target(NEWEST.path, "-ISc", HONEST, crowds.STRANGER) as one:
                is_known = re.compile(r"pid %d \(.*\) is CPython" % one.pid)
                profiler.wait_until(lambda: is_known.search(said(run)), what="verdict")
                then = said(run)
            run.interrupt()
            run.finish(120)
    except BaseException:
        run.kill()
        raise
    looked_at, all_looked_at = (set(re.findall(r"pid (\d+) \(crowd\) is", text))
                                for text in (then[len(before):is_known.search(then).start()], then))
    print("%d of %d were looked at meanwhile, %d in all" % (len(looked_at), PROCESSES, len(all_looked_at)))
    assert len(all_looked_at) < PROCESSES / 2, "most had their turn already: nothing was tested"
    assert len(looked_at) < PROCESSES / 6
    whose = r"\d+ processes could not be looked at \(.*\d of (uid %s|container|pod)" % crowds.STRANGER
    assert re.search(whose, run.err)


@pytest.mark.all
@pytest.mark.alone
@pytest.mark.timeout(900)
def test_one_program_with_native_code(folder, honest_native, tmp_path):
    """Questions about the code that it runs take long."""
    names = [os.path.join(folder, "library%d.so" % i) for i in range(FILES)]

    def beside(symbols):
        library = library_of_symbols(symbols)
        for name in names:
            with open(name, "wb") as out:
                out.write(library)
        attack = [NEWEST.path, "-ISc", CALLS, crowds.STRANGER, *names]
        return run_beside(tmp_path, attack, honest_native, ["-a", "--native", "full"],
                          lambda names: names[0] in ("a_heavy", "a_light"), head_start=0.5)
    judge(beside(1), beside(SYMBOLS), 2000)
