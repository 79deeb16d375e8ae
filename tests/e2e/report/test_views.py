# SPDX-License-Identifier: GPL-2.0-only
"""Callers, callees, lines and the tree of `pyperf-bpf report`: go tool pprof -peek has the same edges, and
the tests' own reader the same tree."""
import collections
import gzip
import json
import os
import pathlib
import re
import subprocess

import jsonschema
import pytest

import interpreters as known
import pprof
import profiler
from pprof_rows import ALL, go, needs_go, report

SCHEMA = json.loads((profiler.ROOT / "docs" / "schemas" / "report.json").read_text())
PROGRAM = """
def hot(n):
    x = 0
    for i in range(n):
        x += i * i
    return x
def deep(n):
    return deep(n - 1) if n else hot(2000)
def left():
    return deep(5) + hot(1000)
def right():
    return deep(3)
for i in range(1500):
    left()
    right()
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return profiler.run(tmp_path_factory.mktemp("views"), "-F", 999, "--", known.newest().path, "-c",
                        PROGRAM).path


def table(path, *arguments):
    found = json.loads(report("--json", "--event", "samples", "--top", 1000000, *arguments, path))
    jsonschema.validate(found, SCHEMA)
    return found["tables"][0]


def peeked(path, name):
    """({caller: value}, {callee: value}) of go tool pprof -peek."""
    text = go("-peek", "^%s$" % re.escape(name), *ALL, "-sample_index=samples", path)
    before, after, found = {}, {}, None
    for line in text.splitlines():
        row = re.match(r"\s+(\d+)\s+\S+%\s+\|   (\S+)", line)
        if re.match(r"\s+\d+\s+\S+%\s+\S+%\s+\d+\s+\S+%\s+\| " + re.escape(name), line):
            found = True
        elif row:
            (after if found else before)[row[2]] = int(row[1])
    assert found, text
    return before, after


def by_name(rows):
    found = collections.Counter()
    for row in rows:
        found[row["name"]] += row["total"]
    return found


@needs_go
@pytest.mark.parametrize("name", ("hot", "deep", "left", "<module>"))
def test_callers_and_callees_as_go_tool_pprof_has_them(plain, name):
    callers, callees = peeked(plain, name)
    assert by_name(table(plain, "--callers", name)["rows"]) == callers
    assert by_name(table(plain, "--callees", name)["rows"]) == callees


def test_callees_and_its_own_are_all(plain):
    found = table(plain, "--callees", "left")
    assert found["of_total"] == found["of_self"] + sum(row["total"] for row in found["rows"])
    assert found["of_total"] > 0 and found["of"] == "left"


def test_lines(plain):
    counted = collections.Counter()
    for sample in pprof.read(plain).samples:
        if sample.frames[0].function == "hot":
            counted[sample.frames[0].line] += sample.values[0]
    rows = table(plain, "--lines", "hot")["rows"]
    assert {row["line"]: row["self"] for row in rows if row["self"]} == counted
    assert [row["line"] for row in rows] == sorted(row["line"] for row in rows)


@pytest.fixture
def program(tmp_path):
    """(the program's file, its profile)."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    os.utime(path, (1e9, 1e9))
    return path, profiler.run(tmp_path, "-F", 999, "--", known.newest().path, path).path


def test_source(program):
    path, profile = program
    found = json.loads(report("--json", "--lines", "hot", profile))
    jsonschema.validate(found, SCHEMA)
    lines = PROGRAM.split("\n")
    rows = found["tables"][0]["rows"]
    assert rows and all(row["source"] == lines[row["line"] - 1] for row in rows)
    assert not [note for note in found["notes"] if note["code"].startswith("source")]
    text = report("--lines", "hot", profile)
    assert path.name + "\n" in text
    for row in rows:
        assert re.search(r"^.*%% +\S+ \S+ +%d  %s$" % (row["line"], re.escape(row["source"])), text, re.M)


def notes_of_source(profile):
    found = json.loads(report("--json", "--lines", "hot", profile))
    has = any("source" in row for row in found["tables"][0]["rows"])
    return has, [note["code"] for note in found["notes"] if note["code"].startswith("source")]


def test_source_that_may_be_another(program):
    path, profile = program
    os.utime(path, (1e9, 1e9))
    assert notes_of_source(profile) == (False, ["source_changed"])
    path.write_text("\n" + PROGRAM)
    assert notes_of_source(profile) == (False, ["source_other"])
    path.unlink()
    assert notes_of_source(profile) == (False, ["source_unreadable"])


ENDLESS = PROGRAM.replace("for i in range(1500):", "print('{}', flush=True)\nwhile True:")


def edited(path, text):
    """In place, with the times that the text had, as cp -p and rsync leave them."""
    path.write_text(text)
    os.utime(path, (1e9, 1e9))


@pytest.mark.parametrize("python", known.of_versions("3.9", "3.13"), ids=str)
def test_source_that_was_edited_before_the_profile(tmp_path, python):
    """The program began before the edit, the profile behind it; the function stands where it stood."""
    path = tmp_path / "program.py"
    edited(path, ENDLESS)
    with profiler.target(python.path, path) as target:
        def profile(name):
            (tmp_path / name).mkdir()
            return profiler.run_while(tmp_path / name, [target], 0.5, "-F", 499).path
        before = profile("before")
        assert notes_of_source(before) == (True, [])
        edited(path, ENDLESS.replace("    x = 0\n", "    x = 0\n    left()\n"))
        after = profile("after")
    assert notes_of_source(after) == (False, ["source_changed"])
    assert "was changed, or put there, after a process with it began" in report("--lines", "hot", after)
    assert notes_of_source(before) == (False, ["source_changed"])


def test_source_with_nothing_at_a_line_that_ran(tmp_path):
    """As of an image whose layers have old times: of a profile that does not say when processes began."""
    path = tmp_path / "program.py"
    edited(path, PROGRAM)
    profile = profiler.run(tmp_path, "-F", 999, "--", known.newest().path, path).path
    bare = tmp_path / "bare.pb"
    bare.write_bytes(re.sub(rb"processes began, in ms", rb"processes other, in ms",
                            gzip.decompress(pathlib.Path(profile).read_bytes())))
    assert notes_of_source(bare)[0]
    edited(path, PROGRAM.replace("        x += i * i\n", "        # it was here\n"))
    assert notes_of_source(bare) == (False, ["source_idle"])
    assert "line 5 of it, which was counted, has nothing that can run" in report("--lines", "hot", bare)


def test_tree(plain):
    counted = collections.Counter()
    for sample in pprof.read(plain).samples:
        names = [(f.function, f.filename, f.start_line) for f in reversed(sample.frames)]
        for i in range(len(names)):
            counted[tuple(names[:i + 1])] += sample.values[0]
    rows, path, found = table(plain, "--tree")["rows"], [], {}
    for row in rows:
        path[row["depth"]:] = [(row["name"], row.get("file", ""), row.get("line", 0))]
        found[tuple(path)] = row["total"]
    assert found == counted
    assert len(found) == len(rows)


def test_the_hottest_of_the_tree(plain):
    whole = json.loads(report("--json", "--tree", "--top", 100000, plain))["tables"][0]["rows"]
    part = json.loads(report("--json", "--tree", "--top", 4, plain))["tables"][0]
    assert len(part["rows"]) == 4 and part["rows"][0]["depth"] == 0
    assert sorted(row["total"] for row in part["rows"]) == sorted(row["total"] for row in whole)[-4:]
    assert part["left_out"]["rows"] == len(whole) - 4
    assert part["left_out"]["self"] == sum(row["self"] for row in whole) - sum(
        row["self"] for row in part["rows"])


def modules_of(sample):
    """The files of the modules that are being imported, the outermost first."""
    found, loads = [], False
    for frame in reversed(sample.frames):
        if frame.function == "_find_and_load":
            loads = True
        elif loads and frame.function == "<module>":
            loads = False
            found.append(frame.filename)
    return found + [""] * loads


@pytest.fixture
def imported(tmp_path):
    """Of modules that burn CPU time while they are imported: outer imports inner."""
    burns = "for _ in range(%d):\n    sum(range(1000))\n"
    (tmp_path / "outer.py").write_text("import package.inner\n" + burns % 10000)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "inner.py").write_text(burns % 20000)
    return profiler.run(tmp_path, "-F", 999, "--", known.newest().path, "-c",
                        "import sys; sys.path[0] = %r; import outer" % str(tmp_path)).path


def test_imports(imported):
    counted, own = collections.Counter(), collections.Counter()
    for sample in pprof.read(imported).samples:
        modules = modules_of(sample)
        for i in range(len(modules)):
            counted[tuple(modules[:i + 1])] += sample.values[0]
        if modules:
            own[tuple(modules)] += sample.values[0]
    found, path = table(imported, "--by", "import"), []
    for row in found["rows"]:
        path[row["depth"]:] = [row.get("file", "")]
        assert counted.pop(tuple(path)) == row["total"] and own[tuple(path)] == row["self"]
        assert row["kind"] == ("module" if "file" in row else "marker")
    assert not counted and found["without"] > 0
    rows = {row["name"]: row for row in found["rows"]}
    assert rows["inner"]["depth"] == rows["outer"]["depth"] + 1
    assert rows["outer"]["total"] > rows["inner"]["self"] > rows["outer"]["self"] > 0


@pytest.mark.parametrize("view", ("--callers", "--callees", "--lines"))
def test_the_text(plain, view):
    text = report(view, "deep", plain)
    assert "%s of deep\n" % view[2:].capitalize() in text
    for row in json.loads(report(view, "deep", "--json", plain))["tables"][0]["rows"]:
        assert re.search(r"^.*%.*" + re.escape(row["name"]), text, re.M)


@pytest.mark.parametrize("view", ("--callers", "--callees", "--lines"))
def test_a_function_by_its_module(program, view):
    path, profile = program
    names = "deep", "program.deep", path.parent.name + ".program.deep"
    tables = [table(profile, view, name) for name in names]
    assert tables[0]["rows"] and all(other["rows"] == tables[0]["rows"] for other in tables)
    by_name, by_module = (report("--focus", name, "--json", profile) for name in ("deep", "program.deep"))
    assert json.loads(by_name)["tables"] == json.loads(by_module)["tables"]
    done = subprocess.run([profiler.BINARY, "report", view, "program.deap", profile], capture_output=True,
                          text=True)
    assert done.returncode == 1 and "the nearest is 'deep' (" in done.stderr and "program.py)" in done.stderr


def test_a_function_that_is_not_there(plain):
    done = subprocess.run([profiler.BINARY, "report", "--callers", "nothing", plain], capture_output=True,
                          text=True)
    assert (done.returncode, done.stdout) == (1, "") and "no function is called 'nothing'" in done.stderr
    done = subprocess.run([profiler.BINARY, "report", "--callers", "a", "--tree", plain], capture_output=True,
                          text=True)
    assert done.returncode == 2 and "only one of" in done.stderr
