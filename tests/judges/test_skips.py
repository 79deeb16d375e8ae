# SPDX-License-Identifier: GPL-2.0-only
"""Every skip in the tests has a name that tests/lib/skips.py knows."""
import ast
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


def reasons(path):
    """[where, what]: the nodes that are the reasons of pytest's skips in a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        name = getattr(node.func, "attr", None) if isinstance(node, ast.Call) else None
        if name in ("skip", "skipif"):
            given = [word.value for word in node.keywords if word.arg == "reason"]
            given += node.args[:1] if name == "skip" else []
            yield from (("%s:%d" % (path.name, node.lineno), each) for each in given)


def test_every_reason_begins_with_a_name():
    """One that is made elsewhere, and stands in a variable, is not looked at."""
    found = []
    for path in [*TESTS.glob("**/test_*.py"), *TESTS.glob("**/conftest.py"), *TESTS.glob("lib/*.py")]:
        for where, reason in reasons(path):
            while isinstance(reason, ast.BinOp):
                reason = reason.left
            if isinstance(reason, ast.Constant):
                found.append((where, reason.value))
    assert len(found) > 100 and not [one for one in found if not re.match(r"(?:SKIP) [\w.+%-]+: ", one[1])]
