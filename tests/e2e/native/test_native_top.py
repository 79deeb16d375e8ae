# SPDX-License-Identifier: GPL-2.0-only
"""--native top: the native frames between the newest Python frame and the leaf are the calls that were made.
The calls are those of tests/workloads/native/chains.py, where they are written down."""
import collections
import os
import re
import subprocess

import pytest

import interpreters as known
import native_frames
import profiler
from edges import Judge
from native_frames import INCOMPLETE, NOT_LOADED, Native
from written_chains import LIBC, Chains, is_chain, is_frame

FREQUENCY = 1999
ITERATIONS = 20000000  # of an empty loop: each chain takes some 10 ms, and the way to it nothing
LOST = {INCOMPLETE, "[native mismatch]"}
VERSIONS = ("2.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
CHOSEN = [i for i in known.one_per_version_and_two() if i.minor in VERSIONS]
FEW = [i for i in CHOSEN if known.is_quick(i, ("3.8", "3.11", "3.13", "3.15"))]
# All of them, most for the long tests only.
LATER = [pytest.param(i, id=i.name, marks=() if i in FEW else pytest.mark.long) for i in CHOSEN]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return native_frames.build_chains(tmp_path_factory.mktemp("chains"))


@pytest.fixture(scope="module")
def python():
    """One interpreter, for what does not depend on its version."""
    return CHOSEN[-1].path


@pytest.fixture
def program(workloads):
    return workloads / "native" / "chains.py"


def profile(directory, target, cpu, *arguments, mode="top"):
    return profiler.run_while(directory, [target], cpu, "-F", FREQUENCY, "--native", mode, *arguments)


@pytest.mark.parametrize("chosen", CHOSEN, ids=lambda i: i.name)
def test_written_chains(chosen, library, program, tmp_path):
    with profiler.target(chosen.path, program, library, ITERATIONS, "chains") as target:
        run = profile(tmp_path, target, 2.5)
        chains = Chains(run, target.about, library.parent)
    chains.check(0.99)


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def test_kinds_of_frames_are_in_the_library(library):
    """Else the chains would prove less than they say."""
    frames = output("readelf", "-W", "--debug-dump=frames", library)
    code = output("objdump", "-d", "--no-show-raw-insn", library)
    place = int(re.search(r"^(\w+) <bare_middle>:", code, re.M)[1], 16)
    assert "pc=%016x" % place not in frames
    assert frames.count("DW_CFA_def_cfa_expression (DW_OP_breg6 (rbp)") >= 2  # DRAP
    assert re.search(r"<ends_with_call>:\n(.+\n)*.*\tcall .*<jumps>\n\n\w+ <", code)


def test_plt_that_is_bound_at_once(python, program, tmp_path):
    library = native_frames.build_chains(tmp_path, "-Wl,-z,now")
    with profiler.target(python, program, library, ITERATIONS, "chains") as target:
        chains = Chains(profile(tmp_path, target, 2.5), target.about, library.parent)
    chains.check(0.99)


def test_exceptions_of_cpp(python, library, program, tmp_path):
    with profiler.target(python, program, library, ITERATIONS, "chains") as target:
        if "destructor" not in target.about["whole"]:
            pytest.skip("SKIP c++: no compiler has a library for exceptions")


def test_library_without_names(python, program, tmp_path):
    """The chain is as long, and functions are told apart by where they begin."""
    library = native_frames.build_chains(tmp_path)
    subprocess.run(["strip", "--strip-all", library], check=True)
    with profiler.target(python, program, library, ITERATIONS, "chains") as target:
        run = profile(tmp_path, target, 1.5)
    native, depths = Native(run), collections.Counter()
    for sample in run.samples:
        frames = [frame[0] for frame in native.split(sample.stack)[0]]
        if "recursion" in frames:
            between = frames[1:frames.index("recursion")]
            assert frames[0] == "spin"
            depths[len(between), len(set(between))] += sample.count
    assert depths.most_common(1)[0][0] == (61, 1), depths
    assert depths[61, 1] >= 0.99 * sum(depths.values()), depths


@pytest.mark.parametrize("chosen", FEW, ids=lambda i: i.name)
def test_only_above_the_newest_python_frame(chosen, library, program, tmp_path):
    """C that calls Python that calls C: the stack of C has all of it, the sample the newest part."""
    with profiler.target(chosen.path, program, library, ITERATIONS, "within", 20) as target:
        run = profile(tmp_path, target, 2)
    native, found = Native(run), collections.Counter()
    for sample in run.samples:
        frames, rest = native.split(sample.stack)
        names = [frame[0] for frame in frames]
        if names[:1] == ["spin"] and rest and NOT_LOADED not in names:
            mine = [name for name in names if name in ("spin", "hidden", "static_function", "calls_back")]
            found[mine == ["spin", "hidden", "static_function"] == names[:3],
                  native_frames.short_names(rest) == native_frames.python_within(20)] += sample.count
    assert found[True, True] >= 0.99 * sum(found.values()) > 500, found


def test_thread_without_python(python, library, program, tmp_path):
    """All of its frames, up to the thread's first function."""
    with profiler.target(python, program, library, ITERATIONS, "thread") as target:
        run = profile(tmp_path, target, 2)
    whole = collections.Counter()
    for sample in run.samples:
        if not any(frame[0] == NOT_LOADED for frame in sample.stack):
            whole[is_chain(sample.stack, target.about["thread"])] += sample.count
    assert whole[True] >= 0.99 * sum(whole.values()) > 500, [s.stack for s in run.samples[:5]]


def test_callers_of_the_kernels_page_of_code(python, library, program, tmp_path):
    """Where clock_gettime() has to ask the kernel, as in some virtual machines, the system call is above."""
    with profiler.target(python, program, library, ITERATIONS, "clock") as target:
        run = profile(tmp_path, target, 2)
    found = collections.Counter()
    for sample in run.samples:
        names = [frame[0] for frame in sample.stack]
        if "[vdso]" in names and NOT_LOADED not in names:
            at = names.index("[vdso]")
            found[is_frame(sample.stack[at + 1], LIBC) and names[at + 2] == "reads_clock"] += sample.count
    assert found[True] >= 0.99 * sum(found.values()) > 500, found


@pytest.mark.parametrize("mode", ("top", "full"))
@pytest.mark.parametrize("chosen", LATER)
class TestPythonPart:
    """Without its native frames a stack is what it is without --native: every edge is a legal one."""

    def test_no_impossible_stack(self, chosen, mode, workloads, tmp_path):
        with profiler.target(chosen.path, workloads / chosen.program("edges")) as target:
            run = profile(tmp_path, target, 1, mode=mode)
            judge = Judge(target.about)
        native, faults, lost = Native(run), collections.Counter(), collections.Counter()
        for sample in run.samples:
            names = [frame[0] for frame in sample.stack]
            lost[not LOST.isdisjoint(names)] += sample.count
            rest = native.without(sample.stack)
            if profiler.marker_of(rest) is None:
                faults.update(judge.faults(rest))
        assert not faults, faults.most_common(5)
        assert profiler.share(run.samples, lambda s: native.is_native(s.stack[0])) > 0.05
        assert profiler.is_share_at_most(lost[True], 0.01, profiler.total(run.samples)), run.stats["native"]


NUMPY = """if 1:
    import json, numpy
    a = numpy.random.rand(700, 700)
    def multiplies():
        return a @ a
    multiplies()
    print("{}", flush=True)
    while True:
        multiplies()
"""


def test_code_that_cannot_be_unwound(tmp_path):
    """OpenBLAS's kernels for CPUs without AVX-512 are assembler that moves the stack, without .eh_frame."""
    path = known.CACHE / "venv" / "bin" / "python"
    if subprocess.run([path, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("SKIP venv: no numpy in %s" % path)
    surroundings = dict(os.environ, OPENBLAS_CORETYPE="Haswell", OPENBLAS_NUM_THREADS="1")
    with profiler.target(path, "-c", NUMPY, env=surroundings) as target:
        run = profile(tmp_path, target, 2)
    native, kernel = Native(run), collections.Counter()
    everything = profiler.total(run.samples)
    for sample in run.samples:
        frames, rest = native.split(sample.stack)
        assert [frame[0] for frame in rest] in (["multiplies", "<module>"], ["<module>"]), sample.stack
        if frames and "dgemm_kernel" in frames[0][0]:
            kernel[frames[-1][0]] += sample.count
    assert sum(kernel.values()) > 0.5 * everything, "%d of %d" % (sum(kernel.values()), everything)
    print(kernel, everything)
