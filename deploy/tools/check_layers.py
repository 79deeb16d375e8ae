# SPDX-License-Identifier: GPL-2.0-only
"""The rooms of bpf/ and of user/ stand in docs/design.md in the order of dependencies. This compares both
lists with the folders and with every #include: a file may include its own room and the rooms above it in the
list, and a file of user/ all of bpf/. It also knows that bpf/ includes nothing of user/ and that bpf/data/
has no code, that only run/, options/ and main.c see all options, that no two headers include each other, that
one function ends all samples, and how many floors the page says there are. FLOORS=1: names all of them."""
import os
import pathlib
import re
import sys

PAGE = "docs/design.md"
LISTS = {"user": "rooms", "bpf": "bpf rooms"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include\s+"([^"]+)"', re.MULTILINE)
ALL_OPTIONS = "options/options.h"
MAY_SEE_ALL_OPTIONS = ("run", "options", "main.c")
FLOORS = re.compile(r"stand on (\d+)\s+floors")
END_OF_SAMPLES = "bpf/sample/end.h"
COUNTS_SAMPLE = re.compile(r"->outcome\[|&\w+->count\b")  # its books, its node


def listed(side):
    """The rooms of a side as the page has them, the lowest first."""
    text = pathlib.Path(PAGE).read_text()
    begin, end = (f"<!-- {mark}: {LISTS[side]} -->" for mark in ("begin", "end"))
    if begin not in text or end not in text:
        sys.exit(f"{PAGE}: the list of rooms between {begin} and {end} is gone; {sys.argv[0]} reads it")
    return [line.split()[0] for line in text.split(begin)[1].split(end)[0].splitlines() if line.strip()]


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
    """(side, room) of a file; ("", None) for one of neither side."""
    if not path or path.parts[0] not in LISTS:
        return "", None
    if path.parts[0] == "bpf" and len(path.parts) == 2 and path.suffix != ".c":
        return "bpf", "abi"  # abi.h and the lists
    return path.parts[0], path.parts[1]


def check_list(side, rooms):
    there = {p.name for p in pathlib.Path(side).iterdir()
             if p.is_dir() or (side == "user" and p.suffix == ".c")}
    for room in sorted(there - set(rooms)):
        yield f"{side}/{room} is not in the list of rooms in {PAGE}: put it there, below all that it includes"
    for room in rooms:
        if room not in there:
            yield f"{PAGE}: the list of rooms has {room}, and there is no {side}/{room}: take it out"


def check_order(side, rooms):
    order = {room: i for i, room in enumerate(rooms)}
    for file in sources(side):
        own = room_of(file)[1]
        for line, path, name in includes(file):
            other, room = room_of(path)
            if other == side and order.get(room, 0) > order.get(own, len(rooms)):
                yield (f"{file}:{line}: {own} includes {name}, and {room} stands below {own} in {PAGE}: "
                       f"hand it what it needs as an argument, or move what both need to a room above")


def check_user():
    for file in sources("user"):
        own = room_of(file)[1]
        for line, path, name in includes(file):
            what = f"{file}:{line}: {own} includes {name}"
            if name == ALL_OPTIONS and own not in MAY_SEE_ALL_OPTIONS:
                yield f"{what}: give it a structure of its own, which run/ fills from the options"
            if path and path.parts[0] not in LISTS:
                yield f"{what} of {path.parts[0]}/: the program is built without that"


def check_bpf():
    for file in sources("bpf"):
        for line, path, _ in includes(file):
            if path and path.parts[0] != "bpf":
                yield (f"{file}:{line}: the kernel side includes {path}: what both sides need belongs into "
                       f"bpf/abi.h")
    for file in sources("bpf/data"):
        if "{" in (lines := file.read_text().splitlines()):
            yield f"{file}:{lines.index('{') + 1}: code in a room of types: put it where it is used"


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


def floors(side, rooms):
    """The floor of each room: one above the highest that it includes."""
    below = {room: set() for room in rooms}
    for file in sources(side):
        own = room_of(file)[1]
        below.get(own, set()).update(room for other, room in (room_of(p) for _, p, _ in includes(file))
                                     if other == side and room != own)
    floor = {}
    for room in rooms:  # in which who is included comes first; what does not is found by check_order()
        floor[room] = 1 + max((floor.get(other, 0) for other in below[room]), default=0)
    return floor


def check_floors(height):
    said = FLOORS.search(pathlib.Path(PAGE).read_text())
    if not said or int(said[1]) != height:
        yield (f"{PAGE} says that the rooms of user/ stand on {said[1] if said else 'no'} floors, and they "
               f"stand on {height}: fewer is better; if it has to be more, say why there")


found, count = [], []
for side in LISTS:
    rooms = listed(side)
    floor = floors(side, rooms)
    height = max(floor.values())
    found += [*check_list(side, rooms), *check_order(side, rooms)]
    found += check_floors(height) if side == "user" else []
    count.append(f"{len(rooms)} rooms of {side}/ on {height} floors")
    for number in range(1, height + 1) if os.environ.get("FLOORS") else ():
        print(f"{side} {number}: {' '.join(room for room in rooms if floor[room] == number)}")
found += [*check_user(), *check_bpf(), *check_ends(), *check_rings()]
print("\n".join(found) or f"layers: {' and '.join(count)}, as {PAGE} has them")
sys.exit(bool(found))
