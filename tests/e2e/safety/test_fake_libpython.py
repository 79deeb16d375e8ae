# SPDX-License-Identifier: GPL-2.0-only
"""Libraries that pass for libpython: of each age, with the names that the profiler looks for, and memory that
leads to itself, to nothing, or to what a real interpreter has there. In a program that is none no stack comes
of it. Where they stand beside the real one, that one is chosen."""
import shutil
import struct
import subprocess

import pytest

import hostile
import interpreters as known
import profiler
from edges import Judge

NEWEST = known.newest()
pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="SKIP not-applicable: gcc is not here")
CPU = 1  # seconds, of each program

# Its runtime is filled with a lie of LIES, but for a model's first words.
LIBRARY = """
#include <pthread.h>
#include <string.h>
#define WORDS (1 << 17)
%(section)s unsigned long %(runtime)s[WORDS] = { 1 };
%(version)s
static const unsigned long model[] = { 0 %(model)s };
void Py_BytesMain(void) {}
void Py_Main(void) {}
static void *filled(void *unused)
{
    for (unsigned long i = 0; i < WORDS; i++)
        %(runtime)s[i] = %(lie)s;
    memcpy(%(runtime)s, model + 1, sizeof(model) - sizeof(*model));
    return unused;
}
__attribute__((constructor)) static void fill(void) { filled(0); }
"""
# The address of some word in the middle: whatever is followed there goes on for ever.
INSIDE = "(unsigned long)&%(runtime)s[(i * 7919 + 64) %% (WORDS / 2)]"
LIES = {"ring": INSIDE, "itself": "(unsigned long)%(runtime)s", "nothing": "0",
        "thread": "i & 1 ? (unsigned long)pthread_self() : " + INSIDE, "numbers": "i"}
SECTION = '__attribute__((section(".PyRuntime")))'
# Name: (of the runtime, the section that it is in, what says the version).
AGES = {
    "2.7": ("_PyThreadState_Current", "", 'const char Py_String[] = "2.7.18";'),
    "3.6": ("_PyThreadState_Current", "", 'const char Py_String[] = "3.6.15";'),
    "3.8": ("_PyRuntime", "", 'const char Py_String[] = "3.8.18";'),
    "3.10": ("_PyRuntime", SECTION, 'const char Py_String[] = "3.10.16";'),
    "3.11": ("_PyRuntime", SECTION, "const unsigned long Py_Version = 0x030b0bf0;"),
    "3.12": ("_PyRuntime", SECTION, "const unsigned long Py_Version = 0x030c03f0;"),
    "3.13": ("_PyRuntime", SECTION, "const unsigned long Py_Version = 0x030d01f0;"),
    "3.15": ("_PyRuntime", SECTION, "const unsigned long Py_Version = 0x%08x;"),
    "3.99": ("_PyRuntime", SECTION, "const unsigned long Py_Version = 0x036300f0;"),
    "none": ("_PyRuntime", "", ""),
}
# Maps them, and burns.
PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!dlopen(argv[i], RTLD_NOW | RTLD_LOCAL))
            return puts(dlerror()), 1;
    puts("{}");
    fflush(stdout);
    for (volatile unsigned long i = 0;; i++);
}
"""

# A real interpreter that maps them, too.
BESIDE = """
import ctypes, json, sys
kept = [ctypes.CDLL(path) for path in sys.argv[1:]]
def burn():
    while True:
        sum(range(300))
print(json.dumps({}), flush=True)
burn()
"""


def build(path, text, *options):
    subprocess.run(["gcc", "-O1", "-w", "-rdynamic", "-x", "c", "-", "-o", path, *options], input=text,
                   text=True, check=True)
    return path


def library(directory, age, lie, model=()):
    """model: the first words of a real runtime, the version among them."""
    runtime, section, version = AGES[age]
    words = {"runtime": runtime, "section": section, "model": "".join(", %dUL" % word for word in model)}
    words["version"] = version % model[1] if "%" in version else version
    words["lie"] = LIES[lie] % words
    path = directory / lie / age / ("libpython%s.so.1.0" % age)
    path.parent.mkdir(parents=True, exist_ok=True)
    return build(path, LIBRARY % words, "-shared", "-fPIC", "-pthread", "-Wl,-Bsymbolic")


@pytest.fixture
def honest(workloads):
    with profiler.target(NEWEST.path, workloads / "edges.py") as started:
        yield started


@pytest.fixture
def model(honest):
    memory = hostile.Memory(honest.pid).file
    memory.seek(hostile.layout_of(honest.pid)["runtime"])
    return struct.unpack("<200Q", memory.read(200 * 8))


def assert_unharmed(run, honest):
    ours, judge = run.of(honest.pid), Judge(honest.about)
    whole = [sample for sample in ours if not profiler.marker_of(sample.stack)]
    assert profiler.total(whole) >= 0.97 * profiler.total(ours) > 100
    assert not [fault for sample in whole for fault in judge.faults(sample.stack)]


@pytest.mark.parametrize("lie", LIES)
def test_in_a_program_that_is_none(lie, honest, model, tmp_path):
    program = build(tmp_path / "program", PROGRAM, "-ldl")
    libraries = [library(tmp_path, age, lie, model if age == "3.15" else ()) for age in AGES]
    alone, together = [[program, one] for one in libraries], [program, *libraries]
    with profiler.targets([*alone, together]) as fakes:
        run = profiler.run_while(tmp_path, [honest, *fakes], CPU / 4, "-F", 999)
    assert_unharmed(run, honest)
    theirs = run.of(*(one.pid for one in fakes))
    assert all(profiler.marker_of(sample.stack) for sample in theirs), "a stack of a program that has none"
    said = [line for line in run.err.splitlines() if "libpython" in line or "Python" in line]
    assert all(line.startswith("pyperf-bpf: ") and len(line) < 500 for line in said)


def test_beside_the_real_one(workloads, model, tmp_path):
    """An interpreter that has mapped fakes before it was looked at: as many as leave room for its own."""
    libraries = [library(tmp_path, age, "ring", model if age == "3.15" else ()) for age in list(AGES)[3:9]]
    with profiler.target(NEWEST.path, "-S", "-c", BESIDE, *libraries) as both:
        run = profiler.run_while(tmp_path, [both], CPU, "-F", 999)
    whole = [sample for sample in run.of(both.pid) if not profiler.marker_of(sample.stack)]
    assert profiler.total(whole) >= 0.97 * profiler.total(run.of(both.pid)) > 100
    assert {profiler.functions(sample)[-1] for sample in whole} == {"<module>"}
    assert {"burn"} <= {profiler.functions(sample)[0] for sample in whole}
