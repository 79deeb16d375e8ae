# SPDX-License-Identifier: GPL-2.0-only
"""Run by the interpreter under test: what it says itself about code objects, for oracle.c to compare.

    python dump.py FILE own|library|all

Compiles some source of its own and the standard library ("all": its tests too), keeps every code object
alive, writes to FILE each one's address, names, first line and line and column of every instruction, prints
"ready COUNT" and waits for end of input.
FILE, little-endian: "PYLO", version, count; then per object: address u64, first line i32, sizes of name and
file name u32, number of runs u32, both names in UTF-8, and the runs: code units u32, line and column i32 (0 =
none; the first column is 1).
"""
import dis
import itertools
import os
import struct
import sys
import sysconfig
import types
import warnings

NAME_MAX = 1024  # bytes of characters that a record keeps: STRING_MAX of bpf/abi/records.h

# One name of each internal form: ASCII, Latin-1, two and four bytes a character.
NAMES = ["plain", "caf\xe9", "\u03b1\u03b2\u4e2d\u6587", "\U00020000\U0001d4b6"]
FILES = ["/srv/plain.py", "/srv/\xe9t\xe9.py", "/srv/\u4e2d\u6587/\u20ac.py", "/srv/\U0001f40d/\U0001f600.py",
         "/srv/lone\udc80.py", "/srv/pair\ud83d\udc0d.py"]

TEMPLATE = """
class {0}:
    def {0}(self):
        def {0}_in(): return [{0} for {0} in self if {0}]
        try:
            with self as {0}: return lambda {0}: ({0}
                + 1)
        except{1} ValueError: pass
        finally: {0}_in()
    async def {0}_a(self):
        async for {0} in self: yield await {0}
"""


def text(s):
    """As the profiler shows it: cut, and with U+FFFD for what is no text."""
    kind = 1 if max(s, default="") < "\u0100" else 2 if max(s) < "\U00010000" else 4
    cut = s[:NAME_MAX // kind] + "..." if len(s) > NAME_MAX // kind else s
    return "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in cut).encode()


def nested(code, found):
    found.append(code)
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            nested(const, found)


def library(tests):
    skipped = ["site-packages", "dist-packages", "__pycache__"] + ([] if tests else ["test", "tests"])
    for directory, directories, files in os.walk(sysconfig.get_paths()["stdlib"]):
        directories[:] = sorted(set(directories).difference(skipped))
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(directory, name)


def from_library(tests, found):
    for path in library(tests):
        with open(path, "rb") as f:
            source = f.read()
        try:
            nested(compile(source, path, "exec", dont_inherit=True), found)
        except (SyntaxError, ValueError, RecursionError):
            pass  # lib2to3 and test ship files that are meant not to compile


def made_up(found):
    for name in NAMES + ["n" * 5000, "\xe9" * 1025, "\u03b1" * 513, "\U0001d4b6" * 257, "n" * 1024]:
        for path in FILES:
            nested(compile(TEMPLATE.format(name, "*" * (sys.version_info >= (3, 11))), path, "exec"), found)
    # Line tables too large for the kernel's record, lines far from the first, long gaps in both directions.
    nested(compile("def large():\n" + "  x = f(1)\n" * 1500, "large.py", "exec"), found)
    nested(compile("\n" * 300000 + "def far():\n" + "\n" * 70000 + "  return (1 +" + "\n" * 9000 + "x)\n",
                   "far.py",
                   "exec"), found)
    # A str of a subclass keeps its characters elsewhere (not "compact").
    class Str(str):
        pass
    for name in NAMES:
        names = dict(co_name=Str(name), co_filename=Str(name + ".py"))
        if hasattr(found[0], "co_qualname"):
            names["co_qualname"] = Str("Q." + name)
        found.append(replaced(found[0], **names))


def replaced(code, **names):
    if hasattr(code, "replace"):
        return code.replace(**names)
    # of the constructor, up to 3.7
    order = ("argcount kwonlyargcount nlocals stacksize flags code consts names varnames filename name "
             "firstlineno lnotab freevars cellvars")
    return types.CodeType(*(names.get(n, getattr(code, n)) for n in ("co_" + word for word in order.split())))


def lines(code):
    """(start, end, line) in bytes, without gaps. Up to 3.9 the standard library says where a line begins."""
    if hasattr(code, "co_lines"):
        return list(code.co_lines())
    starts = [(0, code.co_firstlineno), *dis.findlinestarts(code)]
    ends = [start for start, _ in starts[1:]] + [len(code.co_code)]
    return [(start, end, line) for (start, line), end in zip(starts, ends) if start < end]


def places(code):
    """(line, column) of each code unit. Versions before 3.11 do not know columns; a module begins on "line
    0", which has none as far as a profile is concerned."""
    by_line = [line or 0 for start, end, line in lines(code) for _ in range(start, end, 2)]
    if not hasattr(code, "co_positions"):
        return [(line, 0) for line in by_line]
    columns = [column for _, _, column, _ in code.co_positions()]
    assert len(columns) == len(by_line)
    return [(line, column + 1 if line and column is not None else 0)
            for line, column in zip(by_line, columns)]


def record(code):
    name, path = text(getattr(code, "co_qualname", code.co_name)), text(code.co_filename)
    runs = []
    for place, units in itertools.groupby(places(code)):
        runs += (sum(1 for _ in units), *place)
    return struct.pack("<QiIII", id(code), code.co_firstlineno, len(name), len(path),
                       len(runs) // 3) + name + path \
        + struct.pack("<" + "Iii" * (len(runs) // 3), *runs)


def main():
    warnings.simplefilter("ignore")
    found = []
    made_up(found)
    if sys.argv[2] != "own":
        from_library(sys.argv[2] == "all", found)
    with open(sys.argv[1], "wb") as f:
        f.write(b"PYLO" + struct.pack("<II", sys.hexversion, len(found)))
        f.writelines(map(record, found))
    print("ready", len(found), flush=True)
    sys.stdin.read()


main()
