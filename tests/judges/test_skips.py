# SPDX-License-Identifier: GPL-2.0-only
"""Every skip in the tests has a name that tests/lib/skips.py knows."""
import re

import profiler
import skips

TESTS = profiler.ROOT / "tests"


def test_skips_have_known_names():
    """`make check` fails for others, but only on a machine where something is skipped by them."""
    wrong, seen = [], 0
    for path in [*TESTS.glob("**/test_*.py"), *TESTS.glob("**/conftest.py"), *TESTS.glob("unit/**/*.c")]:
        for said in re.findall(r'"(SKIP[ :][^"(\\]*)', path.read_text()):
            name = re.match(r"SKIP(?: ([^:]*))?:", said)
            seen += 1
            if not name or not (name[1] is None or "%" in name[1] or skips.is_known(name[1])):
                wrong.append((path.name, said))
    assert seen > 50 and not wrong
