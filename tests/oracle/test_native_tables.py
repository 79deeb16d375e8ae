# SPDX-License-Identifier: GPL-2.0-only
"""Where functions begin and end, and what they are called: compared with readelf for every library that the
interpreters of the tests load."""
import bisect
import functools
import re
import subprocess

import pytest

import interpreters as known
import profiler
from elf_files import Code, libraries, readelf

TOOL = profiler.BUILD / "tests/oracle/functions"

# What functions of a loop that is made of tail calls are called where the file has no name for them.
LOST = "_TAIL_CALL_"


class File(Code):
    """A file's code as readelf tells it."""

    def functions(self):
        """(begin, end) of each entry of .eh_frame with a size."""
        frames = readelf("--debug-dump=frames", self.path)
        for start, end in re.findall(r"pc=([0-9a-f]+)\.\.([0-9a-f]+)", frames):
            start, end = int(start, 16), int(end, 16)
            if end > start and self.offset(start, end - start) is not None:
                yield self.offset(start), self.offset(start) + end - start

    def symbols(self):
        """(begin, end, name) of each symbol of code with a size."""
        for line in readelf("-s", "--dyn-syms", self.path).splitlines():
            words = line.split()
            if len(words) < 8 or words[3] not in ("FUNC", "IFUNC", "NOTYPE") or words[6] == "UND":
                continue
            start, size = int(words[1], 16), int(words[2], 0)
            if size and self.offset(start, size) is not None:
                yield self.offset(start), self.offset(start) + size, words[7].split("@")[0]


@functools.lru_cache(1)
def found(path):
    """What the tool prints: {offset: name}."""
    out = subprocess.run([TOOL, path], stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = [line.partition(" ") for line in out.splitlines()]
    return {int(offset, 16): name for offset, _, name in lines}


@pytest.mark.parametrize("path", libraries())
def test_every_function_of_readelf(path):
    file, parts = File(path), found(path)
    cuts = {cut for begin, end in file.functions() for cut in (begin, end)}
    cuts |= {cut for begin, end, _ in file.symbols() for cut in (begin, end)}
    cuts |= {cut for _, offset, size in file.loads for cut in (offset & ~4095, offset + size)}
    assert len(cuts) > 1
    # The last cut is the end of all code.
    assert sorted(parts) == sorted(cuts)[:-1]


@pytest.mark.parametrize("path", libraries())
def test_every_name_is_of_a_symbol_that_covers_it(path):
    file, parts = File(path), found(path)
    starts = sorted(parts)
    symbols = sorted(file.symbols())
    mangled = [name for _, _, name in symbols if name.startswith(("_Z", "_R"))]
    demangled = dict(zip(mangled, subprocess.run(["c++filt", "-p"], input="\n".join(mangled), text=True,
                                                 stdout=subprocess.PIPE).stdout.splitlines()))
    covering = {}
    for begin, end, name in symbols:
        for at in starts[bisect.bisect_left(starts, begin):bisect.bisect_left(starts, end)]:
            covering.setdefault(at, set()).add(demangled.get(name, name)[:511])
    wrong = [(hex(offset), name) for offset, name in parts.items()
             if name and not name.startswith("_R") and name not in covering.get(offset, ())
             and (name != LOST or offset in covering)]
    missing = [hex(offset) for offset in covering if not parts.get(offset)]
    assert not wrong[:5] and not missing[:5], (wrong[:5], missing[:5])


FIND_LOOP = """
import sysconfig
print("--with-tail-call-interp" in (sysconfig.get_config_var("CONFIG_ARGS") or ""))
for line in open("/proc/self/maps"):
    if " r-xp " in line and "python" in line.rsplit("/", 1)[-1]:
        print(line.split(None, 5)[5], end="")
"""


@pytest.mark.parametrize("python", [i for i in known.everything() if i.version >= (3,)], ids=str)
def test_a_loop_of_tail_calls_is_one_by_its_build(python):
    """The interpreter says itself whether it was built so; a file with symbols has the names of its own."""
    command = [python.path, "-SEs", "-c", FIND_LOOP]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    is_such, *files = out.splitlines()
    names = [name for file in files for name in found(file).values()]
    count = sum(name.startswith(LOST) for name in names)
    assert names and (count >= 100) == (is_such == "True") and (count == 0) == (is_such == "False")
