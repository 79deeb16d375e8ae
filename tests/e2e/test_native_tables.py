# SPDX-License-Identifier: GPL-2.0-only
"""Where functions begin and end, and what they are called: compared with readelf for every library that the
interpreters of the tests load."""
import bisect
import functools
import os
import pathlib
import re
import subprocess

import pytest

import interpreters as known

LONG = os.environ.get("LONG") == "1"
TOOL = pathlib.Path(os.environ["PYPERF"]).parent / "tests" / "oracle" / "functions"


def libraries():
    """Files with code that one process of each interpreter maps, with a few modules in C."""
    code = "import json, zlib, hashlib, ctypes, ssl, sqlite3\nprint(open('/proc/self/maps').read())"
    chosen = [i for i in known.one_per_version() if LONG or i.version[:2] in ((3, 11), (3, 13), (3, 15))]
    found = set()
    for interpreter in chosen:
        out = subprocess.run([interpreter.path, "-c", code], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True).stdout
        found |= {line.split(None, 5)[5] for line in out.splitlines() if " r-xp " in line and "/" in line}
    return sorted(path for path in found if os.path.exists(path))


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout


class File:
    """A file's code as readelf tells it. Addresses become offsets, as the tool prints them."""

    def __init__(self, path):
        self.path = path
        self.loads = []
        for line in readelf("-l", path).splitlines():
            words = line.split()
            if words[:1] == ["LOAD"] and "E" in "".join(words[6:-1]):
                self.loads.append([int(word, 16) for word in (words[2], words[1], words[4])])

    def offset(self, address, size=1):
        for start, offset, length in self.loads:
            if start <= address and address + size <= start + length:
                return address - start + offset
        return None

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
             if name and not name.startswith("_R") and name not in covering.get(offset, ())]
    missing = [hex(offset) for offset in covering if not parts.get(offset)]
    assert not wrong[:5] and not missing[:5], (wrong[:5], missing[:5])
