# SPDX-License-Identifier: GPL-2.0-only
"""Every .c file of user/ has a unit test of its name, or a row in docs/testing.md that names what tests it
instead.

The unit test of user/ROOM/x.c is tests/unit/ROOM/test_x.c. A row may name a folder's files as
user/ROOM/*.c."""
import pathlib
import re
import sys

PAGE = "docs/testing.md"
SECTION = "## Source files without a unit test of their own"


def test_of(source):
    return pathlib.Path("tests/unit", *source.parts[1:-1], f"test_{source.stem}.c")


def rows():
    """(files of user/, what tests them), each a list of the paths in backticks of one cell."""
    text = pathlib.Path(PAGE).read_text()
    if SECTION not in text:
        sys.exit(f"{PAGE}: the section \"{SECTION}\" is gone; its table is read by {sys.argv[0]}")
    section = text.split(SECTION)[1].split("\n## ")[0]
    for line in section.splitlines():
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:3]]
        if len(cells) == 2 and cells[0]:
            yield cells


def summary(sources):
    own = sum(test_of(source).exists() for source in sources)
    return (f"tests: of {len(sources)} files of user/ {own} have a unit test, {len(sources) - own} a row in "
            f"{PAGE} that says what tests them")


def problems(sources):
    alone = {str(s) for s in sources if not test_of(s).exists()}
    explained = set()
    for names, tests in rows():
        for test in tests or ["nothing"]:
            if not pathlib.Path(test).is_file():
                yield f"{PAGE}: {names[0]} is said to be tested by {test}, which is no file"
        for name in names:
            files = {str(s) for s in sources if s.match(name)}
            explained |= files
            if not files:
                yield f"{PAGE}: there is no {name}: take it out of the table"
            for file in sorted(files - alone):
                yield f"{PAGE}: {file} has {test_of(pathlib.Path(file))}: take it out of the table"
    untested = sorted(alone - explained)
    for file in untested:
        yield f"{file}: no unit test"
    if untested:
        yield (f"Write it: that of {untested[0]} is {test_of(pathlib.Path(untested[0]))}. Where something "
               f"else tests a\nfile better, name that in the table of {PAGE}, \"{SECTION.strip('# ')}\".")


files = sorted(pathlib.Path("user").rglob("*.c"))
found = list(problems(files))
print("\n".join(found) or summary(files))
sys.exit(bool(found))
