# SPDX-License-Identifier: GPL-2.0-only
"""docs/internals/tables.md has a row for each map of the kernel side and each hash table of user space
that outlives a profile, and none that does not exist."""
import re

import profiler

PAGE = profiler.ROOT / "docs/internals/tables.md"
MAP = re.compile(r'^FLAT_TABLE\((\w+),|^\} (\w+) SEC\("\.maps"\)', re.M)
VARIABLES = {"held_ids"}  # in a row, and no map: of maps.h
# A table of one profile, of one look or of one screen.
SHORT_LIVED = {"profile/otlp_table.c", "profile/profile.c", "profile/timed.c", "top/row_index.c",
               "top/waiters.c", "tree/endpoints.c", "tree/journal_stretch.c", "proc/descent.c"}


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
