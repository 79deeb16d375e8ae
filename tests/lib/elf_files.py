# SPDX-License-Identifier: GPL-2.0-only
"""The files with code that the tests' interpreters load, and what readelf says of one."""
import functools
import os
import subprocess

import interpreters as known

LONG = os.environ.get("LONG") == "1"


@functools.lru_cache(None)
def libraries():
    """Files with code that one process of each interpreter maps, with a few modules in C."""
    code = "import json, zlib, hashlib, ctypes, ssl, sqlite3\nprint(open('/proc/self/maps').read())"
    chosen = known.one_per_version() if LONG else known.of_versions("3.11", "3.13", "3.13t", "3.15")
    found = set()
    for interpreter in chosen:
        out = subprocess.run([interpreter.path, "-c", code], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True).stdout
        found |= {line.split(None, 5)[5] for line in out.splitlines() if " r-xp " in line and "/" in line}
    return sorted(path for path in found if os.path.exists(path))


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout


def forget_sizes(library, path):
    """Writes a copy in which no symbol has a size."""
    data = bytearray(library.read_bytes())
    for line in readelf("-S", library).splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 5 and words[2] in ("DYNSYM", "SYMTAB"):
            at, size = int(words[4], 16), int(words[5], 16)
            for symbol in range(at, at + size, 24):
                data[symbol + 16:symbol + 24] = bytes(8)
    path.write_bytes(data)
    path.chmod(0o755)


class Code:
    """Where a file has its code. Addresses become offsets, as the profiler counts."""

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
