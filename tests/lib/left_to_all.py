# SPDX-License-Identifier: GPL-2.0-only
"""What tests/left-to-all.txt says: the tests that `make check` leaves to `make check-all`. As a program it
prints the unit tests among them, as expressions for grep in the list of tests/unit.sh."""
import pathlib
import re

LIST = pathlib.Path(__file__).parents[1] / "left-to-all.txt"


def lines(path=LIST):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def pattern(lines):
    """Matches the names of these tests: the path below tests/ and what pytest puts behind it. A line means
    all of a folder, of a file, or of a test's variants."""
    each = (re.escape(line).replace(r"\*", ".*") for line in lines)
    return re.compile("(?:%s)(?:$|/|::|\\[)" % "|".join(each), re.S)


IS_LEFT = pattern(lines())


def is_left(name):
    """name: as pytest has it, "tests/..."."""
    return bool(IS_LEFT.match(name.partition("tests/")[2]))


def unit_expressions():
    """In that list a file is the end of a line, behind its folder or its program; a folder is within one."""
    for line in lines():
        name = line.removeprefix("unit/")
        if name != line:
            yield "[ /]" + (name.removesuffix(".c") + "$" if name.endswith(".c") else name + "/")


if __name__ == "__main__":
    print("\n".join(unit_expressions()))
