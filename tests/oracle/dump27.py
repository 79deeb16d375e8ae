# -*- coding: utf-8 -*-
# SPDX-License-Identifier: GPL-2.0-only
"""dump.py for Python 2.7, whose instructions begin at any byte: there a code unit is a byte. Names are bytes
here, in any encoding.

    python dump27.py FILE own|library|all

Does not wait for end of input, but runs until it is killed.
"""
import dis
import os
import struct
import sys
import sysconfig
import types
import warnings

NAME_MAX = 1024  # bytes that a record keeps: STRING_MAX of bpf/abi/records.h

NAMES = ["plain", "café", "αβ中文", "\xf0\xa0\x80\x80", "caf\xe9", "\xe9\xc3\xa9", "\xc3", "\xed\xa0\x80",
         "\xc0\xaf",
         "\xff" * 40]
FILES = ["/srv/plain.py", "/srv/été.py", "/srv/中文/€.py", "/srv/\xf0\x9f\x90\x8d.py", "/srv/\xe9t\xe9.py"]

SOURCE = """
class plain:
    def plain(self):
        def plain_in(): return [plain for plain in self if plain]
        try:
            with self as plain: return lambda plain: (plain
                + 1)
        except ValueError: pass
        finally: plain_in()
    def generator(self):
        for plain in self: yield (yield plain)
"""


def text(s):
    """As the profiler shows it: cut, in UTF-8, of Latin-1 where it is not UTF-8, and with U+FFFD for NUL."""
    kept, cut = s[:NAME_MAX], len(s) > NAME_MAX
    for length in range(len(kept), max(len(kept) - 4, -1) if cut else len(kept) - 1, -1):
        try:
            decoded = kept[:length].decode("utf-8")
        except UnicodeDecodeError:
            continue
        if not has_surrogate(kept):
            break
    else:
        decoded = kept.decode("latin-1")
    return decoded.replace(u"\0", u"\ufffd").encode("utf-8") + ("..." if cut else "")


def has_surrogate(s):
    """Whether the bytes hold the encoding of one, which 2.7 takes for a character and nobody else does."""
    return any(s[i:i + 1] == "\xed" and s[i + 1:i + 2] >= "\xa0" for i in range(len(s)))


def nested(code, found):
    found.append(code)
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            nested(const, found)


def library(tests):
    skipped = ["site-packages", "dist-packages"] + ([] if tests else ["test", "tests"])
    for directory, directories, files in os.walk(sysconfig.get_paths()["stdlib"]):
        directories[:] = sorted(set(directories).difference(skipped))
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(directory, name)


def from_library(tests, found):
    for path in library(tests):
        with open(path, "rU") as f:
            source = f.read()
        try:
            nested(compile(source, path, "exec", 0, True), found)
        except (SyntaxError, ValueError, TypeError):
            pass  # lib2to3 and test ship files that are meant not to compile


def replaced(code, **names):
    order = "argcount nlocals stacksize flags code consts names varnames filename name firstlineno lnotab " \
            "freevars cellvars"
    return types.CodeType(*(names.get(n, getattr(code, n)) for n in ("co_" + word for word in order.split())))


class Str(str):
    """Keeps its bytes where every other string does."""


def made_up(found):
    own = []
    nested(compile(SOURCE, "own.py", "exec"), own)
    for code in own:
        for name in NAMES + ["n" * 5000, "é" * 513, "n" + "é" * 512, "\xe9" * 1025, "nul\0inside",
                             "n" * 1024]:
            for path in FILES:
                found.append(replaced(code, co_name=name, co_filename=path))
    found.append(replaced(own[0], co_name=Str("plain"), co_filename=Str("café.py")))
    # Line tables too large for the kernel's record, lines far from the first, long gaps.
    nested(compile("def large():\n" + "  x = f(1)\n" * 1500, "large.py", "exec"), found)
    nested(compile("\n" * 30000 + "def far():\n" + "\n" * 7000 + "  return (1 +" + "\n" * 9000 + "x)\n",
                   "far.py",
                   "exec"), found)


def runs(code):
    """(bytes, line), without gaps."""
    starts = [(0, code.co_firstlineno)] + list(dis.findlinestarts(code))
    ends = [start for start, _ in starts[1:]] + [len(code.co_code)]
    return [(end - start, line) for (start, line), end in zip(starts, ends) if start < end]


def record(code):
    name, path, found = text(code.co_name), text(code.co_filename), runs(code)
    return struct.pack("<QiIII", id(code), code.co_firstlineno, len(name), len(path),
                       len(found)) + name + path \
        + "".join(struct.pack("<Iii", units, line, 0) for units, line in found)


def main():
    warnings.simplefilter("ignore")
    found = []
    made_up(found)
    if sys.argv[2] != "own":
        from_library(sys.argv[2] == "all", found)
    with open(sys.argv[1], "wb") as f:
        f.write("PYLO" + struct.pack("<II", sys.hexversion, len(found)))
        f.writelines(record(code) for code in found)
    print "ready", len(found)
    sys.stdout.flush()
    while True:  # with the GIL: a stripped 2.7 is only known by the thread that holds it
        pass


main()
