# SPDX-License-Identifier: GPL-2.0-only
"""The rooms of user/ stand in docs/design.md in the order of dependencies. This compares that list with the
folders and with every #include: a file may include its own room, the rooms above it in the list, and bpf/. It
also knows that bpf/ includes nothing of user/, that only run/, options/ and main.c see all options, that no
two headers include each other, and that one function ends all samples."""
import pathlib
import re
import sys

PAGE = "docs/design.md"
BEGIN, END = "<!-- begin: rooms -->", "<!-- end: rooms -->"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include\s+"([^"]+)"', re.MULTILINE)
ALL_OPTIONS = "options/options.h"
MAY_SEE_ALL_OPTIONS = ("run", "options", "main.c")
END_OF_SAMPLES = "bpf/sample/end.h"
COUNTS_SAMPLE = re.compile(r"->outcome\[|&\w+->count\b")  # its books, its node


def listed():
    """The rooms as the page has them, the lowest first."""
    text = pathlib.Path(PAGE).read_text()
    if BEGIN not in text or END not in text:
        sys.exit(f"{PAGE}: the list of rooms between {BEGIN} and {END} is gone; {sys.argv[0]} reads it")
    return [line.split()[0] for line in text.split(BEGIN)[1].split(END)[0].splitlines() if line.strip()]


def sources(folder):
    return sorted(f for f in pathlib.Path(folder).rglob("*") if f.suffix in (".c", ".h", ".def"))


def includes(file):
    """(line, path from the top of the tree or None for what is made by the build, as written)"""
    text = file.read_text()
    for match in INCLUDE.finditer(text):
        name = match[1]
        paths = [pathlib.Path("user", name), pathlib.Path(name)]
        yield text.count("\n", 0, match.start()) + 1, next((p for p in paths if p.is_file()), None), name


def room_of(path):
    return path.parts[1] if path and path.parts[0] == "user" else None


def check_list(rooms):
    there = {p.name for p in pathlib.Path("user").iterdir() if p.is_dir() or p.suffix == ".c"}
    for room in sorted(there - set(rooms)):
        yield f"user/{room} is not in the list of rooms in {PAGE}: put it there, below all that it includes"
    for room in rooms:
        if room not in there:
            yield f"{PAGE}: the list of rooms has {room}, and there is no user/{room}: take it out"


def check_user(rooms):
    order = {room: i for i, room in enumerate(rooms)}
    for file in sources("user"):
        own = room_of(file)
        for line, path, name in includes(file):
            room, what = room_of(path), f"{file}:{line}: {own} includes {name}"
            if room and order.get(room, 0) > order.get(own, len(rooms)):
                yield (f"{what}, and {room} stands below {own} in {PAGE}: hand it what it needs as an "
                       f"argument, or move what both need to a room above")
            if name == ALL_OPTIONS and own not in MAY_SEE_ALL_OPTIONS:
                yield f"{what}: give it a structure of its own, which run/ fills from the options"
            if path and path.parts[0] not in ("user", "bpf"):
                yield f"{what} of {path.parts[0]}/: the program is built without that"


def check_bpf():
    for file in sources("bpf"):
        for line, path, _ in includes(file):
            if path and path.parts[0] != "bpf":
                yield (f"{file}:{line}: the kernel side includes {path}: what both sides need belongs into "
                       f"bpf/abi.h")


def check_ends():
    for file in sources("bpf"):
        for match in COUNTS_SAMPLE.finditer(file.read_text()) if str(file) != END_OF_SAMPLES else ():
            line = file.read_text().count("\n", 0, match.start()) + 1
            yield f"{file}:{line}: counts a sample: sample_end() in {END_OF_SAMPLES} does that"


def check_rings():
    """Headers that include each other, each ring once."""
    after = {f: [p for _, p, _ in includes(f) if p] for f in sources("user") + sources("bpf")}
    done = set()

    def visit(file, way):
        if file in way:
            ring = " includes ".join(str(f) for f in way[way.index(file):] + [file])
            yield f"{ring}: let one of them have only a declaration (struct x;)"
        elif file not in done:
            for other in after.get(file, ()):
                yield from visit(other, way + [file])
            done.add(file)

    for file in after:
        yield from visit(file, [])


rooms = listed()
found = [*check_list(rooms), *check_user(rooms), *check_bpf(), *check_ends(), *check_rings()]
print("\n".join(found) or f"layers: {len(rooms)} rooms, as {PAGE} has them")
sys.exit(bool(found))
