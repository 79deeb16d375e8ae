# SPDX-License-Identifier: GPL-2.0-only
"""tests/left-to-all.txt and tests/needs-bpf.txt: each line names tests that are there, and means these and no
others. And which interpreters are left to `make check-all`, and so to `make check-rest`: what `make check`
has none of."""
import pathlib
import re

import pytest

import home
import interpreters as known
import left_to_all

TESTS = pathlib.Path(__file__).parents[1]


@pytest.mark.parametrize("path", [left_to_all.LIST, home.LIST], ids=lambda path: path.name)
def test_each_line_names_something(path):
    lines = left_to_all.lines(path)
    assert lines and len(lines) == len(set(lines))
    for line in lines:
        file, *names = re.sub(r"[\[*].*", "", line).split("::")
        assert (TESTS / file).exists(), line
        for name in names:
            assert re.search(r"^ *(def|class) %s\b" % name, (TESTS / file).read_text(), re.M), line


def test_what_a_line_means():
    is_left = left_to_all.pattern(["e2e/safety", "e2e/a/test_b.py", "e2e/a/test_c.py::test_d",
                                   "e2e/a/test_c.py::test_e[*-x]", "e2e/a/test_c.py::test_f*"]).match
    for name in ("e2e/safety/test_a.py::test_b", "e2e/a/test_b.py::test_c[1]", "e2e/a/test_c.py::test_d",
                 "e2e/a/test_c.py::test_d[3.11]", "e2e/a/test_c.py::test_e[3.11-x]",
                 "e2e/a/test_c.py::test_f[y]"):
        assert is_left(name), name
    for name in ("e2e/safety_more/test_a.py::test_b", "e2e/a/test_c.py::test_dd",
                 "e2e/a/test_c.py::test_e[3.11-y]", "e2e/a/test_c.py::test_g"):
        assert not is_left(name), name


def test_interpreters_that_are_left():
    kept = set(known.FAMILIES.values())
    assert {i.name for i in known.everything() if not known.is_left_out(i)} <= kept
    assert {name for name in known.pinned() if not known.is_left_out(name)} == kept
    assert {v for v in known.VERSIONS if not known.is_left_out(v)} == set(known.FAMILIES) - {known.TWO}
    for other in ("2.7", "offcpu", 3, ("3.6",)):
        assert not known.is_left_out(other)


def test_a_file_that_is_left_whole_is_not_read():
    is_left = left_to_all.pattern(["e2e/safety", "e2e/a/test_b.py", "e2e/a/test_c.py::test_d"]).match
    assert is_left("e2e/safety") and is_left("e2e/safety/test_a.py") and is_left("e2e/a/test_b.py")
    assert not is_left("e2e") and not is_left("e2e/a") and not is_left("e2e/a/test_c.py")
