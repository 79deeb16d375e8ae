# SPDX-License-Identifier: GPL-2.0-only
"""docs/internals/tables.md has a row for each map of the kernel side and each hash table of user space
that outlives a profile, and none that does not exist; and of what foreign input fills the sizes and tests."""
import re

import profiler

PAGE = profiler.ROOT / "docs/internals/tables.md"
MAP = re.compile(r'^FLAT_TABLE\((\w+),|^\} (\w+) SEC\("\.maps"\)', re.M)
VARIABLES = {"held_ids"}  # in a row, and no map: of maps.h
# A table of one profile, of one look or of one screen.
SHORT_LIVED = {"formats/otlp_table.c", "profile/profile.c", "profile/timed.c", "top/row_index.c",
               "top/waiters.c", "tree/endpoints.c", "tree/journal_stretch.c", "proc/descent.c"}

# Rooms of what outlives a profile, and is filled while targets and clients come and go.
FILLED_ROOMS = ("export", "guard", "http", "kern", "kubelet", "remote_polls", "names", "symbols", "targets",
                "tree")
BLOCK = re.compile(r"^(?:static )?struct \w* ?\{\n(.*?)^\}", re.M | re.S)
ARRAY = re.compile(r"^\t+(?:const )?(?:struct \w+|__[us]\d+|pid_t|int) \**\w+\[[A-Z_]*MAX\]", re.M)
SHARED = re.compile(r"\b(?:fair_may|shares_\w+)\(")
# Arrays that nothing foreign fills.
OWN = {
    "export/push/request.h": "labels of one request, of ours",
    "export/writer_child.h": "our own children",
    "guard/isolate.h": "descriptors of a child of ours",
    "guard/zygote_child.c": "our own workers",
    "http/viewer_files.c": "files of a folder that the command line names",
    "remote_polls/task_stacks.c": "tasks above each other in one stack",
    "targets/discover.c": "rooms that take part",
}


def rows(heading):
    """The cells of the rows below a heading, without those of the tables' heads."""
    part = PAGE.read_text().split("\n## %s\n" % heading)[1].split("\n## ")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in part.splitlines() if line.startswith("|")]
    return [cells for cells in lines if cells[0] != "table" and set(cells[0]) != {"-"}]


def sources(folder, pattern):
    return [path for path in (profiler.ROOT / folder).rglob("*.[ch]")
            if re.search(pattern, path.read_text())]


def test_each_map_has_one_row():
    maps = [array or other for path in sources("bpf", MAP) for array, other in MAP.findall(path.read_text())]
    named = [name for cells in rows("Tables of the kernel side")
             for name in re.findall(r"`(\w+)`", cells[0])]
    assert len(maps) > 25
    assert sorted(named) == sorted(maps + list(VARIABLES))


def test_each_hash_table_has_a_row():
    adds = {str(path.relative_to(profiler.ROOT / "user"))
            for path in sources("user", r"\bHASH_ADD\w*\(") if path.suffix == ".c"}
    named = {name for cells in rows("Tables of user space")
             for name in re.findall(r"`(\w+/\w+\.c)`", cells[0])}
    assert SHORT_LIVED < adds
    assert adds - SHORT_LIVED <= named
    for name in named:
        assert (profiler.ROOT / "user" / name).exists()


def test_what_foreign_input_fills_has_a_row():
    """In the rooms that live as long as the run: an array in a struct that has a limit, and whatever users
    have shares of."""
    found = set()
    for path in (profiler.ROOT / "user").rglob("*.[ch]"):
        name, text = str(path.relative_to(profiler.ROOT / "user")), path.read_text()
        if name.split("/")[0] in FILLED_ROOMS and (
                SHARED.search(text) or any(ARRAY.search(block) for block in BLOCK.findall(text))):
            found.add(name)
    named = {name for cells in rows("What programs and clients fill") for cell in cells[:3]
             for name in re.findall(r"`(\w+(?:/\w+)+\.[ch])`", cell)}
    assert len(found) > 15 and set(OWN) <= found
    assert {name.replace("shares.h", "shares.c") for name in found - set(OWN)} <= named
    assert all((profiler.ROOT / "user" / name).exists() for name in named)


def test_sizes_are_those_of_the_sources_and_tests_are_there():
    for cells in rows("What programs and clients fill"):
        constant, size = re.fullmatch(r"`(\w+)` ([\d,]+)", cells[1]).groups()
        place = re.search(r"`([\w/]+)\.[ch]`", cells[0]).group(1)
        near = [profiler.ROOT / "user" / (place + end) for end in (".h", ".c")]
        anywhere = [path for folder in ("bpf", "user") for path in (profiler.ROOT / folder).rglob("*.h")]
        defined = [text for path in near + anywhere if path.exists()
                   for text in re.findall(r"#define %s\s+(\d+)" % constant, path.read_text())]
        assert defined and int(defined[0]) == int(size.replace(",", "")), constant
        tests = re.findall(r"`([\w/]+\.(?:c|py))`", cells[4])
        assert tests and all((profiler.ROOT / "tests" / name).is_file() for name in tests), cells


def test_each_counter_exists():
    counters = set(re.findall(r"^STAT\((\w+),", (profiler.ROOT / "bpf/stats.def").read_text(), re.M))
    named = {name for cells in rows("Tables of the kernel side") if len(cells) == 6
             for name in re.findall(r"`(\w+)`", cells[5])}
    assert len(named) >= 6 and named <= counters


def test_each_test_exists():
    named = re.findall(r"`(?:[\w/]+/)?(test_\w+\.(?:c|py))`", PAGE.read_text())
    assert len(named) > 5
    for name in named:
        assert list((profiler.ROOT / "tests").rglob(name)), name
