# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf diff` of two real profiles: go tool pprof -diff_base has the same differences, and a program
that got slower is told from one that was sampled again."""
import json
import re
import subprocess

import jsonschema
import pytest

import interpreters as known
import profiler
from pprof_rows import needs_go, report, top

SCHEMA = json.loads((profiler.ROOT / "docs" / "schemas" / "diff.json").read_text())
PROGRAM = """
import time
def steady():
    return sum(i * i for i in range(2000))
def slower():
    return [i for i in range(ROUNDS)]
for i in range(400):
    steady()
    slower()
"""


def record(directory, rounds, name):
    return profiler.run(directory, "-F", 999, "--", known.newest().path, "-c",
                        PROGRAM.replace("ROUNDS", str(rounds)), output=name).path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same program twice, and once with a slower function."""
    path = tmp_path_factory.mktemp("diff")
    return [record(path, rounds, "%d.pb.gz" % i) for i, rounds in enumerate((2000, 2000, 40000))]


def run(*arguments):
    done = subprocess.run([profiler.BINARY, "diff", *map(str, arguments)], capture_output=True, text=True,
                          timeout=120)
    assert not re.search("Sanitizer|runtime error:", done.stderr), done.stderr
    return done


def diff(*arguments):
    done = run("--json", "--top", 100000, *arguments)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    return found


@needs_go
@pytest.mark.parametrize("event, unit", (("samples", "count"), ("cpu", "nanoseconds")))
def test_differences_as_go_tool_pprof_has_them(files, event, unit):
    found = diff("--event", event, "--by", "frame", files[0], files[2])
    judged = top(files[2], event, unit, "-diff_base=%s" % files[0])
    mine = {}
    for row in found["rows"]:
        name = " ".join(filter(None, (row["name"], row.get("file"))))
        self, total = mine.get(name, (0, 0))
        mine[name] = self + row["self"], total + row["total"]
    assert {name: values for name, values in mine.items() if any(values)} == {
        name: values for name, values in judged.items() if any(values)}
    assert found["whole"]["self"] == sum(row["self"] for row in found["rows"])


def test_what_got_slower_is_beyond_chance(files):
    rows = {row["name"]: row for row in diff(files[0], files[2])["rows"]}
    assert rows["slower"]["beyond_chance"] and rows["slower"]["self"] > 0
    assert rows["slower"]["self_low"] > 0
    assert run(files[0], files[2]).stdout.count("*") >= 2  # all of it, and what got slower


def test_a_profile_and_itself(files):
    found = diff(files[0], files[0])
    assert not found["whole"]["self"]
    assert not any(row["self"] or row["beyond_chance"] for row in found["rows"])
    assert all(row["self_low"] < 0 < row["self_high"] for row in found["rows"])


def test_fail_over(files):
    assert run("--fail-over", 5, files[0], files[2]).returncode == 4
    assert run("--fail-over", 100000, files[0], files[2]).returncode == 0
    assert run("--fail-over", 0.001, files[0], files[0]).returncode == 0
    assert run("--fail-over", 5, files[2], files[0]).returncode == 0  # it shrank


def test_scaled(files):
    found = diff("--normalize", "samples", files[0], files[2])
    assert found["scale"] == pytest.approx(found["new"]["total"] / found["base"]["total"], rel=1e-6)
    assert abs(found["whole"]["self"]) <= 1
    rows = {row["name"]: row for row in found["rows"]}
    assert rows["steady.<locals>.<genexpr>"]["self"] < 0 < rows["slower"]["self"]
    found = diff("--normalize", "time", files[0], files[2])
    new, base, half = found["new"]["seconds"], found["base"]["seconds"], 0.0005  # they are told to the ms
    assert (new - half) / (base + half) <= found["scale"] <= (new + half) / (base - half)


def test_the_text_says_what_the_json_says(files):
    found, text = diff(files[0], files[2]), run("--top", 100000, files[0], files[2]).stdout
    lines = [line for line in text.splitlines() if re.search(r" [-+]\d+\.\d\d  ", line)]
    assert len(lines) == len(found["rows"]) + 1
    for row, line in zip([found["whole"], *found["rows"]], lines):
        assert ("*" in line[:28]) == row["beyond_chance"]
        points = 100 * row["self"] / found["base"]["total"]
        assert float(re.search(r" ([-+]\d+\.\d\d)  ", line)[1]) == pytest.approx(points, abs=0.006)
        assert row.get("name", "(all)").replace(".<locals>.", ".")[:20] in line


@pytest.mark.parametrize("arguments, code, says", (
    ((), 2, "name two profiles"), (("x",), 2, "name two profiles"), (("x", "y", "z"), 2, "name two profiles"),
    (("--fail-over", "0", "x", "y"), 2, "--fail-over wants"), (("/no/such", "y"), 1, "No such file")))
def test_bad_usage(arguments, code, says):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (code, "") and says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_nothing_of_the_event(files, tmp_path):
    empty = tmp_path / "empty.pb"
    empty.write_bytes(b"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x32\x00\x32\x07samples\x32\x05count"
                      b"\x32\x03cpu\x32\x0bnanoseconds")
    assert run(files[0], empty).returncode == 3
    assert report(empty, code=3)
