# SPDX-License-Identifier: GPL-2.0-only
"""Native frames of sampled stacks: which they are, and the library of tests/workloads/native/chains, which is
built here."""
import pathlib
import shutil
import subprocess

import pprof

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "workloads" / "native" / "chains"
# No call becomes a jump: each is in the chain. Nothing is between two functions.
FLAGS = ("-O2", "-g0", "-fPIC", "-fno-optimize-sibling-calls", "-falign-functions=1", "-Wall", "-Wextra",
         "-Werror")
BARE = ("-fno-asynchronous-unwind-tables", "-fno-unwind-tables")
CPP = ("clang-19", "clang-16", "clang-14", "clang", "g++")
NOT_LOADED = "[native not loaded yet]"
INCOMPLETE = "[native incomplete]"


def command(*words):
    subprocess.run([str(word) for word in words], check=True)


def cpp_object(directory):
    """The part that throws exceptions, if there is a compiler with a library for that; else None."""
    target = directory / "throws.o"
    for compiler in filter(shutil.which, CPP):
        # It links with nothing but what the library links with.
        test = [compiler, *FLAGS, "-x", "c++", "-", "-o", directory / "test", "-lstdc++"]
        if not subprocess.run(list(map(str, test)), input=b"int main() { try { throw 1; } catch (int) { } }",
                              stderr=subprocess.DEVNULL).returncode:
            command(compiler, *FLAGS, "-c", SOURCES / "throws.cc", "-o", target)
            return target
    return None


def build_chains(directory, *link, compiler=("gcc",)):
    """The path of the library, with its C++ part where that can be built. It needs libfar.so beside it.
    compiler: another one than this machine's builds no C++."""
    objects = []
    command(*compiler, *FLAGS, "-shared", SOURCES / "far.c", "-o", directory / "libfar.so")
    for name in ("frames", "control", "bare"):
        objects.append(directory / (name + ".o"))
        command(*compiler, *FLAGS, *(BARE if name == "bare" else ()), "-c", SOURCES / (name + ".c"),
                "-o", objects[-1])
    cpp = cpp_object(directory) if compiler == ("gcc",) else None
    library = directory / "chains.so"
    command(*compiler, "-shared", "-pthread", "-Wl,--build-id", *link, *objects,
            *([cpp, "-lstdc++"] if cpp else []), "-L" + str(directory), "-lfar",
            "-Wl,-rpath," + str(directory), "-o", library)
    return library


class Native:
    """Tells the native frames in the samples of one run."""

    def __init__(self, run):
        self.files = {mapping.filename for mapping in pprof.read(run.path).mappings}

    def is_native(self, frame):
        name, file = frame[:2]
        return name.startswith(("[native ", "[syscall ")) or file in self.files or file == "[JIT]"

    def split(self, stack):
        """The native frames above the newest Python frame, leaf first; and the rest."""
        at = 0
        while at < len(stack) and self.is_native(stack[at]):
            at += 1
        return stack[:at], stack[at:]

    def without(self, stack):
        return [frame for frame in stack if not self.is_native(frame)]


def short_names(stack):
    """The last parts of the functions' names, as versions before 3.11 have them."""
    return [frame[0].rpartition(".")[2] for frame in stack]


def merged_within(levels, above=()):
    """The functions of workloads/native/chains.py that call each other on so many levels, leaf first: those
    of C, too, that are its own."""
    names = [*above, "call", "goes_on"]
    for level in range(levels):
        names += ["even" if (levels - level) % 2 == 0 else "odd", "again", "calls_back", "goes_on"]
    return names + ["even", "main", "<module>"]


def python_within(levels):
    return [name for name in merged_within(levels) if name != "calls_back"]
