# SPDX-License-Identifier: GPL-2.0-only
"""A function by the id of a row, where two have one name."""
import collections
import json

import jsonschema

import interpreters as known
import profiler
from pprof_rows import report

SCHEMA = json.loads((profiler.ROOT / "docs" / "schemas" / "report.json").read_text())
TWO_OF_A_NAME = """
def hot(n):
    return sum(i * i for i in range(n))
for file in "one.py", "two.py":
    exec(compile("def same(n):\\n    return hot(n)\\n", file, "exec"), globals())
    globals()[file[:3]] = same
def left():
    one(4000)
def right():
    two(4000)
for i in range(1000):
    left()
    right()
"""


def table(path, *arguments):
    found = json.loads(report("--json", "--event", "samples", "--top", 1000000, *arguments, path))
    jsonschema.validate(found, SCHEMA)
    return found["tables"][0]


def by_name(rows):
    found = collections.Counter()
    for row in rows:
        found[row["name"]] += row["total"]
    return found


def test_one_of_two_functions(tmp_path):
    path = profiler.run(tmp_path, "-F", 999, "--", known.newest().path, "-c", TWO_OF_A_NAME).path
    rows = {row["file"]: row for row in table(path, "--by", "function")["rows"] if row["name"] == "same"}
    assert set(rows) == {"one.py", "two.py"}
    assert set(by_name(table(path, "--callers", "same")["rows"])) == {"left", "right"}
    for file, caller in ("one.py", "left"), ("two.py", "right"):
        total, found = rows[file]["total"], table(path, "--callers", rows[file]["id"])
        assert by_name(found["rows"]) == {caller: total} and found["of_total"] == total
        assert by_name(table(path, "--lines", rows[file]["id"])["rows"]) == {"same": total}
