# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf diff` of two real profiles: go tool pprof -diff_base has the same differences, and a program
that got slower is told from one that was sampled again."""
import json
import re
import subprocess
import xml.etree.ElementTree

import jsonschema
import pytest

import interpreters as known
import pprof
import profiler
from pprof_rows import needs_go, report, top

SCHEMA = json.loads((profiler.ROOT / "docs" / "schemas" / "diff.json").read_text())
SVG = "{http://www.w3.org/2000/svg}"
PROGRAM = """
import time
def steady():
    return sum(i * i for i in range(2000))
def slower():
    return [i for i in range(ROUNDS)]
for i in range(1500):
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
                          timeout=300)
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
    for over in 5, "5%", "5.0%":
        done = run("--fail-over", over, files[0], files[2])
        assert done.returncode == 4 and "grew by more than 5 % of the first profile" in done.stderr
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


def test_markdown_says_what_the_json_says(files):
    found = diff(files[0], files[2])
    text = run("--format", "markdown", "--top", 100000, files[0], files[2]).stdout
    grown = 100 * found["whole"]["self"] / found["base"]["total"]
    assert text.startswith("**`cpu` grew by %.1f %%, more than chance**: base " % grown)
    head, line, *rows = re.findall(r"^\| (.*) \|$|^(\|--:.*)$", text, re.M)
    assert head[0].count("|") == line[1].count("|") - 2 and len(rows) == len(found["rows"]) + 1
    for row, (cells, _) in zip([found["whole"], *found["rows"]], rows):
        cells = cells.split(" | ")
        assert cells[2].startswith("**") == row["beyond_chance"]
        assert float(cells[4]) == pytest.approx(100 * row["self"] / found["base"]["total"], abs=0.006)
        assert "name" not in row or row["name"].replace(".<locals>.", ".")[:20] in cells[5]
    done = run("--format", "markdown", "--fail-over", 5, files[0], files[2])
    assert done.returncode == 4 and done.stdout.startswith("**`cpu` grew by")
    assert run("--format", "markdown", "--json", files[0], files[2]).returncode == 2


@needs_go
@pytest.mark.parametrize("event, unit", (("samples", "count"), ("cpu", "nanoseconds")))
def test_pprof_as_go_tool_pprof_makes_it(files, tmp_path, event, unit):
    path = tmp_path / "difference.pb.gz"
    assert run("--pprof", path, files[0], files[2]).returncode == 0
    assert top(path, event, unit) == top(files[2], event, unit, "-diff_base=%s" % files[0])
    read, both = pprof.read(path), [pprof.read(files[i]) for i in (0, 2)]
    assert sum(sample.values[0] for sample in read.samples) == (
        sum(sample.values[0] for sample in both[1].samples) -
        sum(sample.values[0] for sample in both[0].samples))
    assert any(sample.values[0] < 0 for sample in read.samples)


def test_pprof_of_some_stacks_and_scaled(files, tmp_path):
    path = tmp_path / "difference.pb.gz"
    assert run("--pprof", path, "--focus", "slower", files[0], files[2]).returncode == 0
    samples = pprof.read(path).samples
    assert samples and all("slower" in sample.names for sample in samples)
    assert run("--pprof", path, "--normalize", "samples", files[0], files[2]).returncode == 0
    total = [sum(sample.values[0] for sample in pprof.read(file).samples) for file in (path, files[2])]
    assert abs(total[0]) < 0.05 * total[1]  # each stack is rounded


def frames_of(path):
    """[(what its title says, width, colour, label)] of a flame graph, whose text must be XML."""
    root, found = xml.etree.ElementTree.parse(path).getroot(), []
    assert root.get("role") == "img" and not {"script", "a", "image", "use"} & {
        element.tag.split("}")[1] for element in root.iter()}
    for group in root.iter(SVG + "g"):
        rect, text = group.find(SVG + "rect"), group.find(SVG + "text")
        found.append((group.find(SVG + "title").text, float(rect.get("width")), rect.get("fill"),
                      "" if text is None else text.text))
    return found, [text.text for text in root.findall(SVG + "text")]


def test_flame_graph(files, tmp_path):
    path = tmp_path / "difference.svg"
    assert run("--svg", path, files[0], files[2]).returncode == 0
    frames, texts = frames_of(path)
    slower = next(frame for frame in frames if frame[0].startswith("slower ("))
    assert slower[2].startswith("rgb(255,") and slower[3].startswith("+ slower")
    assert "more than chance" in slower[0] and " points, " in slower[0]
    rows = table_of(files[2])
    assert slower[1] == pytest.approx(1180 * rows["slower"]["total_share"], abs=0.02)
    assert not any("Not in the second" in text for text in texts)


def test_flame_graph_of_less(files, tmp_path):
    path = tmp_path / "difference.svg"
    assert run("--svg", path, files[2], files[0]).returncode == 0
    slower = next(frame for frame in frames_of(path)[0] if frame[0].startswith("slower ("))
    assert re.match(r"rgb\(\d+,\d+,255\)", slower[2]) and slower[3][:2] in ("- ", "")


def test_flame_graph_of_the_same(files, tmp_path):
    path = tmp_path / "difference.svg"
    assert run("--svg", path, files[0], files[0]).returncode == 0
    assert {frame[2] for frame in frames_of(path)[0]} == {"#d6d6d6"}


def test_flame_graph_says_what_is_gone(files, tmp_path):
    program = PROGRAM.replace("ROUNDS", "1").replace("1500", "4000").replace("slower", "another")
    other = profiler.run(tmp_path, "-F", 999, "--", known.newest().path, "-c", program).path
    path = tmp_path / "difference.svg"
    assert run("--svg", path, files[2], other).returncode == 0
    texts = frames_of(path)[1]
    at = next(i for i, text in enumerate(texts) if text.startswith("Not in the second profile"))
    assert any(text.startswith("- slower (") for text in texts[at:])


def table_of(path):
    found = json.loads(report("--json", "--event", "samples", "--top", 100000, "--by", "function", path))
    return {row["name"]: row for row in found["tables"][0]["rows"]}


@pytest.mark.parametrize("arguments, code, says", (
    ((), 2, "name two profiles"), (("x",), 2, "name two profiles"), (("x", "y", "z"), 2, "name two profiles"),
    (("--fail-over", "0", "x", "y"), 2, "--fail-over wants"),
    (("--focus", "(", "x", "y"), 2, "--focus wants a regular expression"),
    (("--ignore", "*(", "x", "y"), 2, "--ignore wants a regular expression"),
    (("/no/such", "y"), 1, "No such file")))
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
