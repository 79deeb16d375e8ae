# SPDX-License-Identifier: GPL-2.0-only
"""--native leaf: the function of a library, or the system call, that a Python line was in."""
import collections
import math
import os
import pathlib
import platform
import shutil
import subprocess

import pytest

import interpreters as known
import pprof
import profiler
from edges import Judge
from elf_files import forget_sizes

MARKERS = {"[native not loaded yet]", "[native unknown]"}
FREQUENCY = 997


@pytest.fixture(scope="module")
def build(tmp_path_factory, workloads):
    """A function that makes a library of burn.c: build(prefix, *flags) -> its path."""
    directory = tmp_path_factory.mktemp("native")

    def compiled(prefix, *flags, name="lib.so"):
        path = directory / (prefix + name)
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-pthread", "-Wl,--build-id", "-DPREFIX=" + prefix,
                        *flags, workloads / "native" / "burn.c", "-o", path], check=True)
        return path

    return compiled


@pytest.fixture
def program(workloads):
    return workloads / "native" / "native.py"


@pytest.fixture(scope="module")
def python():
    """One interpreter, for what does not depend on its version."""
    return known.newest().path


def profile(directory, target, *arguments, cpu=1, mode="leaf"):
    return profiler.run_while(directory, [target], cpu, "-F", FREQUENCY, "--native", mode, *arguments)


def leaves(samples, function=None):
    """How often each leaf was there, below the Python function of this name."""
    count = collections.Counter()
    for sample in samples:
        names = profiler.functions(sample)
        if function is None or function in names[:2]:
            count[names[0]] += sample.count
    return count


# The native part does not depend on the version, but for what the interpreter itself is built like.
CHOSEN = [i for i in known.one_per_version() if known.is_quick(i, ("3.8", "3.11", "3.13", "3.13t", "3.15"))]


@pytest.mark.parametrize("chosen", CHOSEN, ids=lambda i: i.name)
class TestShares:
    def test_within_5_sigma(self, chosen, build, program, tmp_path):
        with profiler.target(chosen.path, program, build("a_"), "shares") as target:
            run = profile(tmp_path, target, cpu=3)
        heavy, light = (leaves(run.samples, "in_" + name)["a_" + name] for name in ("heavy", "light"))
        n = heavy + light
        assert n > 1500 and n > 0.9 * profiler.total(run.samples), leaves(run.samples)
        assert abs(heavy / n - 0.75) <= 5 * math.sqrt(0.75 * 0.25 / n)
        counted = run.stats["native"]
        assert sum(counted.values()) == profiler.total(run.samples)
        assert counted["function"] > 0.95 * profiler.total(run.samples)


def test_thread_without_python(python, build, program, tmp_path):
    with profiler.target(python, program, build("a_"), "thread") as target:
        run = profile(tmp_path, target)
    assert leaves(run.samples)["a_heavy"] > 0.9 * profiler.total(run.samples)
    assert {profiler.functions(s)[-1] for s in run.samples if profiler.functions(s)[0] == "a_heavy"} == {
        "[C thread]"}


def test_system_call(python, build, program, tmp_path):
    with profiler.target(python, program, build("a_"), "syscall") as target:
        run = profile(tmp_path, target, cpu=1.5)
        took = target.ask()
    below = leaves(run.samples, "reading")
    assert below["[syscall read]"] > 0.9 * sum(below.values()), below
    n = profiler.total(run.samples)
    expected = took["read"] / (took["read"] + took["calculate"])
    # The program's own account is of all of its life, which is longer than the run; its parts take turns.
    assert abs(profiler.share(run.samples, lambda s: "reading" in profiler.functions(s)) - expected) <= (
        5 * math.sqrt(expected * (1 - expected) / n) + 0.03)


def test_interpreter_loop_is_hidden(version, build, program, tmp_path):
    """Also where it is made of tail calls and has no names, as in python-build-standalone's 3.14."""
    with profiler.target(version.path, program, build("a_"), "python") as target:
        plain = profile(tmp_path, target, cpu=0.5)
        shown = profile(tmp_path, target, "--native-interpreter", cpu=0.5)
    assert leaves(plain.samples)["calculating"] > 0.2 * profiler.total(plain.samples)
    loop = ("_PyEval_EvalFrame", "_TAIL_CALL")
    assert not [name for name in leaves(plain.samples) if name.startswith(loop)]
    assert [name for name in leaves(shown.samples) if name.startswith(loop)]


test_interpreter_loop_is_hidden.versions = ("3.11", "3.14")


def test_off_has_no_native_frame(python, build, program, tmp_path):
    with profiler.target(python, program, build("a_"), "shares") as target:
        run = profile(tmp_path, target, cpu=0.5, mode="off")
    assert set(leaves(run.samples)) <= {"in_heavy", "in_light", "shares"}
    assert not any(run.stats["native"].values())


def readelf(what, path):
    return subprocess.run(["readelf", "-W", what, path], stdout=subprocess.PIPE, text=True, check=True).stdout


def build_id(path):
    return readelf("-n", path).split("Build ID:")[1].split()[0]


def test_stripped(python, build, program, tmp_path):
    library = build("a_")
    # The exported names are in .dynsym, which strip leaves: so the loop goes into a function without one.
    subprocess.run(["objcopy", "--strip-all", "--localize-hidden", library], check=True)
    with profiler.target(python, program, library, "shares") as target:
        run = profile(tmp_path, target)
    assert leaves(run.samples)["a_heavy"]
    mappings = {m.filename: m for m in pprof.read(run.path).mappings}
    assert mappings[str(library)].build_id == build_id(library)


def test_names_by_place_where_there_is_no_symbol(python, build, program, tmp_path):
    """A static function of a stripped library: its entry in .eh_frame tells where it begins."""
    library = build("a_")
    symbols = readelf("-s", library).splitlines()
    start = next(int(line.split()[1], 16) for line in symbols if line.endswith(" a_heavy"))
    hidden = library.with_name("a_hidden.so")
    # Without names of the dynamic symbols' sizes nothing covers the code: a symbol of size 0 is no name.
    forget_sizes(library, hidden)
    with profiler.target(python, program, hidden, "shares") as target:
        run = profile(tmp_path, target)
    segment = next(line.split() for line in readelf("-l", hidden).splitlines()
                   if line.split()[:1] == ["LOAD"] and "E" in line.split()[-2])
    offset = start - int(segment[2], 16) + int(segment[1], 16)
    assert leaves(run.samples)["a_hidden.so!0x%x" % offset] > 0.5 * profiler.total(run.samples)


def test_deleted_library(python, build, program, tmp_path):
    library = build("a_", name="deleted.so")
    with profiler.target(python, program, library, "shares") as target:
        library.unlink()
        run = profile(tmp_path, target)
    assert leaves(run.samples)["a_heavy"] > 0.5 * profiler.total(run.samples)


def test_another_library_in_its_place(python, build, program, tmp_path):
    """Its functions are never shown under the names of the one before."""
    first, second = build("a_"), build("b_", '-DPAD="8192"')
    with profiler.target(python, program, first, "reload", second, stdin=subprocess.PIPE) as target:
        ran = profiler.Run(tmp_path, "--pid", target.pid, "-F", FREQUENCY, "--native", "leaf")
        profiler.let_use_cpu(ran, [target.pid], 1)
        target.tell()
        profiler.let_use_cpu(ran, [target.pid], 1)
        ran.interrupt()
        run = ran.finish()
    before, after = leaves(run.samples, "in_heavy"), leaves(run.samples, "in_other")
    assert before["a_heavy"] > 0.8 * sum(before.values()), before
    assert after["b_heavy"] > 0.8 * sum(after.values()), after
    assert not [name for name in after if name.startswith("a_")]


def test_forked_child(python, build, program, tmp_path):
    with profiler.target(python, program, build("a_"), "fork", stdin=subprocess.PIPE) as target:
        ran = profiler.Run(tmp_path, "--all-python", "-F", FREQUENCY, "--native", "leaf")
        profiler.let_use_cpu(ran, [target.pid], 0.5)
        target.tell()
        children = pathlib.Path("/proc/%d/task/%d/children" % (target.pid, target.pid))
        profiler.wait_until(lambda: children.read_text(), what="child")
        child = int(children.read_text())
        profiler.let_use_cpu(ran, [child], 0.5)
        ran.interrupt()
        run = ran.finish()
        os.kill(child, 9)
    below = leaves(run.of(child))
    assert below["a_light"] > 0.9 * sum(below.values()), below


@pytest.mark.skipif(platform.machine() != "x86_64", reason="SKIP not-applicable: it writes code for x86-64")
def test_code_of_no_file(python, build, program, tmp_path):
    with profiler.target(python, program, build("a_"), "jit") as target:
        run = profile(tmp_path, target)
    assert leaves(run.samples)["[JIT]"] > 0.8 * profiler.total(run.samples)


def test_code_that_stays_writable(python, build, program, tmp_path):
    """As that of many a JIT compiler: mm->exec_vm does not count it. It was not there at first."""
    with profiler.target(python, program, "-", "writable", stdin=subprocess.PIPE) as target:
        ran = profiler.Run(tmp_path, "--pid", target.pid, "-F", FREQUENCY, "--native", "leaf")
        profiler.let_use_cpu(ran, [target.pid], 0.5)
        target.tell()
        profiler.let_use_cpu(ran, [target.pid], 4)
        ran.interrupt()
        run = ran.finish()
    found = leaves(run.samples, "writable")
    # The mappings are read again at most once in a second.
    assert found["[JIT]"] > 0.5 * sum(found.values()) > 0, found


def test_cpp_names(python, program, tmp_path):
    source = tmp_path / "cpp.cc"
    source.write_text("""typedef unsigned long uint64_t;
namespace spinning { template <class T> struct Wheel { __attribute__((noinline)) static T turn(T n) {
    T x = n; for (T i = 0; i < 3 * n; i++) asm volatile("" : "+r"(x)); return x; } }; }
extern "C" uint64_t a_heavy(uint64_t n) { return spinning::Wheel<uint64_t>::turn(n) + 1; }
extern "C" uint64_t a_light(uint64_t n) { return n; }
""")
    library = tmp_path / "cpp.so"
    # The kernel side's compiler is there in any case, and this needs no library of C++.
    compiler = next(filter(shutil.which, ("clang-19", "clang-16", "clang-14", "clang", "g++")))
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
    with profiler.target(python, program, library, "shares") as target:
        run = profile(tmp_path, target)
    assert leaves(run.samples)["spinning::Wheel<unsigned long>::turn"] > 0.8 * profiler.total(run.samples), (
        leaves(run.samples))


def test_full_table_begins_anew(python, build, program, tmp_path):
    """Libraries of more functions than there is room for: what is needed is loaded again."""
    source = tmp_path / "many.c"
    source.write_text("".join("int f%d(void) { return %d; }\n" % (i, i) for i in range(60000)))
    libraries = []
    subprocess.run(["gcc", "-O0", "-shared", "-fPIC", source, "-o", tmp_path / "many0.so"], check=True)
    for i in range(1, 6):
        libraries.append(tmp_path / ("many%d.so" % i))
        shutil.copy(tmp_path / "many0.so", libraries[-1])
    code = """if 1:
        import ctypes, sys, json
        libraries = [ctypes.PyDLL(path) for path in sys.argv[1:]]
        calls = [getattr(library, "f%d" % i) for library in libraries for i in range(0, 60000, 600)]
        print("{}", flush=True)
        while True:
            for call in calls:
                call()
    """
    with profiler.target(python, "-c", code, *libraries) as target:
        run = profile(tmp_path, target, "--native-memory", "1", cpu=4)
    below = leaves(run.samples)
    assert [name for name in below if name.startswith("f") and name[1:].isdigit()], below.most_common(5)
    counted = run.stats["native"]
    assert sum(counted.values()) == profiler.total(run.samples)
    assert counted["function"] > 0.3 * profiler.total(run.samples), counted


@pytest.mark.parametrize("chosen", CHOSEN, ids=lambda i: i.name)
class TestPythonPart:
    """Without its native frames a stack is what it is without --native: every edge is a legal one."""

    def test_no_impossible_stack(self, chosen, workloads, tmp_path):
        with profiler.target(chosen.path, workloads / chosen.program("edges")) as target:
            run = profile(tmp_path, target, cpu=2)
            judge = Judge(target.about)
        native = {m.filename for m in pprof.read(run.path).mappings}
        faults = collections.Counter()
        for sample in run.samples:
            stack = sample.stack[1:] if is_native(sample.stack[0], native) else sample.stack
            if profiler.marker_of(stack) is None:
                faults.update(judge.faults(stack))
        assert not faults, faults.most_common(5)
        assert profiler.share(run.samples, lambda s: is_native(s.stack[0], native)) > 0.05


def is_native(frame, files):
    name, file = frame[:2]
    return name in MARKERS or name.startswith("[syscall ") or file in files or file == "[JIT]"
