# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf report` on profiles of a real program: go tool pprof, and the tests' own reader, count the
same. The JSON is what its schema says, and the text says what the JSON says."""
import collections
import gzip
import json
import re
import subprocess

import jsonschema
import pytest

import interpreters as known
import pprof
import profiler
from pprof_rows import go, named, needs_go, report, top

SCHEMA = json.loads((profiler.ROOT / "docs" / "schemas" / "report.json").read_text())
BY = re.findall(r'^BY\(\w+, "(\w+)"', (profiler.ROOT / "user" / "report" / "by.def").read_text(), re.M)
ALL = "--top", 1000000
PROGRAM = """
import json, threading, time
def hot(n):
    return sum(i * i for i in range(n))
def deep(n):
    return deep(n - 1) if n else hot(3000)
def encode():
    return json.JSONEncoder(indent=1).encode([[1, 2]] * 300)
def work(seconds):
    while time.thread_time() < seconds:
        deep(20)
        encode()
        time.sleep(0.001)
threads = [threading.Thread(target=work, args=(SECONDS / 2,), name="worker-%d" % i) for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Of Python alone."""
    return profiler.run(tmp_path_factory.mktemp("plain"), "-F", 999, "--", known.newest().path, "-c",
                        PROGRAM.replace("SECONDS", "1.5")).path


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """With native code, system calls and waits."""
    return profiler.run(tmp_path_factory.mktemp("mixed"), "-F", 499, "--native", "top", "--event",
                        "cpu,offcpu", "--", known.newest().path, "-c", PROGRAM.replace("SECONDS", "1")).path


def answer(*arguments, code=0):
    """The JSON, by the schema."""
    found = json.loads(report("--json", *arguments, code=code))
    jsonschema.validate(found, SCHEMA)
    return found


def table(*arguments):
    found = answer(*arguments)
    assert len(found["tables"]) == 1
    return found["tables"][0]


def unique(rows):
    """Those of which there is one by name and file only: go tool pprof makes one of several."""
    names = collections.Counter((row["name"], row.get("file")) for row in rows)
    return [row for row in rows if names[row["name"], row.get("file")] == 1]


def is_equal(rows, judged, line=False):
    mine = named(unique(rows), line=line)
    assert mine and len(mine) > 0.8 * len(judged)
    for name, values in mine.items():
        assert judged[name] == values, name
    assert sum(row["self"] for row in rows) == sum(flat for flat, _ in judged.values())


@needs_go
@pytest.mark.parametrize("event, unit", (("samples", "count"), ("cpu", "nanoseconds")))
def test_functions_as_go_tool_pprof_counts_them(plain, event, unit):
    is_equal(table("--by", "function", "--event", event, *ALL, plain)["rows"], top(plain, event, unit))
    is_equal(table("--by", "frame", "--event", event, *ALL, plain)["rows"], top(plain, event, unit))


@needs_go
def test_lines_and_files_as_go_tool_pprof_counts_them(plain):
    lines = table("--by", "line", "--event", "cpu", *ALL, plain)["rows"]
    assert named(lines, line=True) == top(plain, "cpu", "nanoseconds", granularity="-lines")
    files = table("--by", "file", "--event", "cpu", *ALL, plain)["rows"]
    judged = top(plain, "cpu", "nanoseconds", granularity="-files")  # it has several rows of a file
    assert {row["name"]: row["self"] for row in files if row.get("file")} == {
        name: flat for name, (flat, _) in judged.items() if re.match("/|<(?!unknown>)", name)}
    assert {row["name"]: row["total"] for row in files if row.get("file")} == totals(pprof.read(plain))


def totals(profile):
    """The tests' own count by files: a stack is in the total of a file once."""
    found = collections.Counter()
    for sample in profile.samples:
        for file in {frame.filename for frame in sample.frames} - {""}:
            found[file] += sample.values[1]
    return found


@needs_go
@pytest.mark.parametrize("event, unit", (("cpu", "nanoseconds"), ("offcpu", "nanoseconds")))
def test_frames_of_native_code_as_go_tool_pprof_counts_them(mixed, event, unit):
    is_equal(table("--by", "frame", "--event", event, *ALL, mixed)["rows"], top(mixed, event, unit))


@needs_go
def test_focus_and_ignore_as_go_tool_pprof_means_them(mixed):
    for option, more in ("--focus", "deep"), ("--ignore", "encode"), ("--focus", "/json/"):
        rows = table("--by", "frame", "--event", "offcpu", option, more, *ALL, mixed)["rows"]
        judged = top(mixed, "offcpu", "nanoseconds", "-%s=%s" % (option.strip("-"), more))
        assert {name: values for name, values in named(unique(rows)).items()} == {
            name: judged[name] for name in named(unique(rows))}
        assert sum(row["self"] for row in rows) == sum(flat for flat, _ in judged.values())


@needs_go
def test_a_file_that_go_has_written(mixed, tmp_path):
    written = tmp_path / "go.pb.gz"
    go("-proto", "-symbolize=none", "-output", written, mixed)
    ours, theirs = (table("--by", "function", "--event", "cpu", *ALL, path)["rows"]
                    for path in (mixed, written))
    assert named(unique(ours)) == named(unique(theirs))


def own_lines(profile, column):
    """The tests' own count: what is not Python above the newest line of Python is that line's."""
    found = collections.Counter()
    for sample in profile.samples:
        python = [frame for frame in sample.frames if frame.filename.endswith((".py", ">"))]
        if python and sample.values[column]:
            found[python[0].function] += sample.values[column]
    return found


def test_native_code_counts_for_the_python_below_it(mixed):
    profile = pprof.read(mixed)
    column = [type_ for type_, _ in profile.sample_types].index("cpu")
    mine = collections.Counter()
    for row in table("--by", "function", "--event", "cpu", *ALL, mixed)["rows"]:
        if row["kind"] == "python" and row["self"]:
            mine[row["name"]] += row["self"]
    counted = own_lines(profile, column)
    assert mine == counted and len(mine) > 3
    natives = table("--by", "native", "--event", "cpu", *ALL, mixed)
    kinds = {row["kind"] for row in natives["rows"]}
    assert "native" in kinds and kinds <= {"native", "syscall", "unplaced", "wait", "kernel"}


@pytest.mark.parametrize("by, label", (("process", "pid"), ("thread", "tid"), ("label:thread", "thread"),
                                       ("label:pid", "pid")))
def test_labels(plain, by, label):
    counted = collections.Counter()
    for sample in pprof.read(plain).samples:
        counted[sample.labels[label]] += sample.values[0]
    found = table("--by", by, "--event", "samples", *ALL, plain)
    assert {row["name" if label == "thread" else "number"]: row["self"] for row in found["rows"]} == counted
    assert all(row["self"] == row["total"] for row in found["rows"]) and not found["without"]


def test_a_label_that_nothing_has(plain):
    found = answer("--by", "pod", plain)
    assert not found["tables"][0]["rows"]
    assert found["tables"][0]["without"] == found["profile"]["total"]
    assert "without" in {note["code"] for note in found["notes"]}


def test_waits(mixed):
    rows = table("--by", "wait", "--event", "offcpu", *ALL, mixed)["rows"]
    assert rows and all(row["kind"] in ("syscall", "wait") for row in rows)
    assert any(row["name"].startswith("[syscall ") for row in rows)


def test_packages(plain):
    rows = {row["name"]: row for row in table("--by", "package", *ALL, plain)["rows"]}
    assert rows["stdlib"]["kind"] == "stdlib" and rows["program"]["kind"] == "program"
    assert rows["stdlib"]["self"] > 0 < rows["program"]["self"]
    folded = table("--by", "function", "--fold", *ALL, plain)["rows"]
    assert not [row for row in folded if row["name"].startswith("JSONEncoder")]
    assert {row["name"]: row["self"] for row in folded}["stdlib"] == rows["stdlib"]["self"]


def test_what_is_left_out_is_said(plain):
    whole = table("--by", "line", *ALL, plain)
    part = table("--by", "line", "--top", 2, plain)
    assert part["rows"] == whole["rows"][:2]
    assert part["left_out"]["rows"] == len(whole["rows"]) - 2
    assert part["left_out"]["self"] == sum(row["self"] for row in whole["rows"][2:])
    assert whole["left_out"] == {"rows": 0, "self": 0, "share": 0}


def test_shares_and_chance(plain):
    found = answer("--event", "cpu", *ALL, plain)
    samples = sum(sample.values[0] for sample in pprof.read(plain).samples)
    assert found["profile"]["samples"] == samples
    for row in found["tables"][0]["rows"]:
        assert row["self_share"] == pytest.approx(row["self"] / found["profile"]["total"], abs=1e-6)
        assert row["self_share_low"] <= row["self_share"] + 1e-6
        assert row["self_share"] <= row["self_share_high"] + 1e-6
        assert row["self_share_high"] > row["self_share_low"]
        assert row["total_share_low"] - 1e-6 <= row["total_share"] <= row["total_share_high"] + 1e-6


@pytest.mark.parametrize("arguments", ((), *(("--by", by) for by in BY), ("--by", "line", "--top", "3"),
                                       ("--fold",), ("--focus", "encode"), ("--event", "offcpu")))
def test_the_text_says_what_the_json_says(mixed, arguments):
    found, text = answer(*arguments, mixed), report(*arguments, mixed)
    decimals = 1 if found["profile"].get("samples", 1000) < 1000 else 2
    rows = [row for table_ in found["tables"] for row in table_["rows"]]
    lines = [line for line in text.splitlines() if re.match(r" *-?[\d.]+% +-?[\d.]+% ", line)]
    assert len(rows) == len(lines)
    for row, line in zip(rows, lines):
        wanted = "%6.*f%%  %6.*f%%" % (decimals, 100 * row["self_share"], decimals, 100 * row["total_share"])
        given = re.match(r"( *[\d.]+%)( *[\d.]+%) +\S+( (?:s|ms|us|MiB|KiB|B))?  (.*)", line)
        mine = [float(share) for share in re.findall(r"[\d.]+(?=%)", wanted)]
        theirs = [float(given[i].strip(" %")) for i in (1, 2)]
        assert theirs == pytest.approx(mine, abs=1.001 * 10 ** -decimals)  # of six in the JSON
        name = ("%d  " % row["number"] if "number" in row else "") + row["name"].replace(".<locals>.", ".")
        assert given[4].lstrip().startswith(name[:18]) or given[4].startswith("...")
    assert all("note: " + note["text"] in text for note in found["notes"])
    for table_ in found["tables"]:
        left = table_["left_out"]["rows"]
        assert not left or re.search(r"in %s more rows" % format(left, ","), text)


def test_several_files_are_added_up(plain, mixed, tmp_path):
    (tmp_path / "uncompressed.pb").write_bytes(gzip.decompress(plain.read_bytes()))
    twice = answer("--by", "function", "--event", "cpu", *ALL, plain, tmp_path / "uncompressed.pb")
    once = answer("--by", "function", "--event", "cpu", *ALL, plain)
    assert twice["profile"]["files"] == 2
    assert {row["id"]: row["self"] for row in twice["tables"][0]["rows"]} == {
        row["id"]: 2 * row["self"] for row in once["tables"][0]["rows"]}
    done = subprocess.run([profiler.BINARY, "report", plain, mixed], capture_output=True, text=True)
    assert done.returncode == 1 and "sample types" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("folder")
    (path / "all").mkdir()
    with profiler.target(known.newest().path, profiler.ROOT / "tests/workloads/burn.py") as started:
        run = profiler.Run(path, "-p", started.pid, "-F", 199, "--interval", 1, "--output-dir", path / "all",
                           output=None)
        try:
            profiler.wait_until(lambda: len(list((path / "all").glob("*.pb.gz"))) >= 4, what="files")
        finally:
            run.interrupt()
            run.finish()
    return path / "all"


def test_folder(folder):
    files = {path: pprof.read(path) for path in sorted(folder.glob("*.pb.gz"))}
    assert len(files) >= 3
    found = answer("--event", "samples", folder)
    assert found["profile"]["files"] == len(files)
    assert found["profile"]["total"] == sum(profile.total for profile in files.values())


def test_a_stretch_of_a_folder(folder):
    profiles = [pprof.read(path) for path in sorted(folder.glob("*.pb.gz"))]
    second = profiles[1].time_nanos
    moment = subprocess.run(["date", "-u", "-d", "@%d" % (second // 10**9 + 1), "+%Y-%m-%dT%H:%M:%S"],
                            capture_output=True, text=True, check=True).stdout.strip()
    limit = (second // 10**9 + 1) * 10**9
    early = [p for p in profiles if p.time_nanos < limit]
    late = [p for p in profiles if p.time_nanos + p.duration_nanos > limit]
    for option, wanted in ("--to", early), ("--from", late):
        found = answer("--event", "samples", option, moment, folder)
        assert found["profile"]["files"] == len(wanted) < len(profiles)
        assert found["profile"]["total"] == sum(profile.total for profile in wanted)
    done = subprocess.run([profiler.BINARY, "report", "--to", "2001-01-01", folder], capture_output=True,
                          text=True)
    assert done.returncode == 3 and "no profile is of that time" in done.stderr


def test_a_damaged_file_of_a_folder_is_counted(folder, tmp_path):
    for path in folder.glob("*.pb.gz"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "zz.pb.gz").write_bytes(path.read_bytes()[:-20])
    found = answer("--event", "samples", tmp_path)
    assert found["books"]["unreadable_files"] == 1
    assert "unreadable_files" in {note["code"] for note in found["notes"]}
    assert found["profile"]["total"] == answer("--event", "samples", folder)["profile"]["total"]


EMPTY = b"\x0a\x04\x08\x01\x10\x02" + b"\x32\x00\x32\x07samples\x32\x05count"


def test_nothing_was_sampled(tmp_path):
    path = tmp_path / "empty.pb"
    path.write_bytes(EMPTY)
    found = answer(path, code=3)
    assert found["profile"]["total"] == 0 and "nothing" in {note["code"] for note in found["notes"]}
    assert "nothing was sampled" in report(path, code=3)


def test_how_many_ticks_came_is_said_where_it_is_known(plain, tmp_path):
    """Not as 0 where no file says: a reader would take that for a total loss."""
    assert not {"ticks_came", "ticks_wanted"} & set(answer(plain)["books"])
    comment = b"90 of 100 ticks came: those of a thread share its CPU time"
    path = tmp_path / "missing.pb"
    path.write_bytes(EMPTY + b"\x32" + bytes([len(comment)]) + comment + b"\x68\x03")
    books = answer(path, code=3)["books"]
    assert (books["ticks_came"], books["ticks_wanted"]) == (90, 100)


@pytest.mark.parametrize("content, says", (
    (b"", "it is empty"), (b"no profile at all", "pprof"), (b"\x1f\x8bnot gzip", "damaged"),
    (b"\x32\x00", "no sample type"), (EMPTY + b"\x12\x02\x08\x01", "location that it has not"),
    (EMPTY + b"\x12\x04\x10\x01\x10\x02", "one value for each sample type"),
    (EMPTY.replace(b"\x10\x02", b"\x10\x63"), "text that it has not")))
def test_what_is_no_profile(tmp_path, content, says):
    path = tmp_path / "bad.pb.gz"
    path.write_bytes(content)
    done = subprocess.run([profiler.BINARY, "report", path], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1 and str(path) in done.stderr and says in done.stderr


@pytest.mark.parametrize("arguments, code, says", (
    ((), 2, "name profiles"), (("--by", "nothing", "x"), 2, "--by wants"),
    (("/no/such/file",), 1, "No such file"),
    (("/dev/null",), 1, "neither a file nor a folder"), (("/proc/self/fd",), 1, "no file there"),
    (("https://localhost/x",), 1, "curl"), (("--from", "tomorrow", "x"), 2, "--from wants"),
    (("--from", "-1h", "--to", "-2h", "x"), 2, "not before"),
    (("--focus", "(", "PROFILE"), 2, "--focus wants a regular expression"),
    (("--ignore", "a[", "/no/such/file"), 2, "--ignore wants a regular expression"),
    (("--event", "nothing", "PROFILE"), 1, "samples, cpu")))
def test_bad_usage(plain, arguments, code, says):
    words = [str(plain) if word == "PROFILE" else word for word in arguments]
    done = subprocess.run([profiler.BINARY, "report", *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (code, "") and says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_options_behind_the_file(plain):
    assert report(plain, "--by", "line", "--json") == report("--by", "line", "--json", plain)


def test_stdin(plain):
    with open(plain, "rb") as file:
        done = subprocess.run([profiler.BINARY, "report", "--json", "-"], stdin=file, capture_output=True,
                              text=True)
    assert json.loads(done.stdout) == answer(plain)


def test_schema_is_built_in():
    done = subprocess.run([profiler.BINARY, "schema", "report"], capture_output=True, text=True)
    assert done.returncode == 0 and json.loads(done.stdout) == SCHEMA
    done = subprocess.run([profiler.BINARY, "schema", "nothing"], capture_output=True, text=True)
    assert done.returncode == 2 and "report" in done.stderr


def test_no_rights_are_needed(plain, tmp_path):
    plain.chmod(0o644)
    path = tmp_path / "p.pb.gz"
    done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--",
                           profiler.BINARY, "report", "--json", "-"], stdin=open(plain, "rb"),
                          capture_output=True, text=True)
    if done.returncode == 127:
        pytest.skip("SKIP setpriv: no setpriv command")
    assert json.loads(done.stdout) == answer(plain) and not path.exists()
