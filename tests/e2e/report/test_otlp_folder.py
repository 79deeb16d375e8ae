# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf report` and `diff` of folders of OTLP: stretches of one log in both formats have the same
tables, though a file of OTLP has no type of which it has no samples. What is left out is said."""
import gzip
import json
import subprocess
import time

import jsonschema
import pytest

import interpreters as known
import profiler
from pprof_rows import report
from serving import server

SCHEMA = json.loads((profiler.ROOT / "docs" / "schemas" / "report.json").read_text())
EVENTS = "samples", "cpu", "offcpu", "memory"
SUFFIXES = {"pprof": ".pb.gz", "otlp": ".otlp.gz"}
PARTS = "cpu", "offcpu", "memory", "cpu", "offcpu", "memory"  # what each file is of
PROGRAM = """
import time
kept = []
def burn():
    end = time.thread_time() + 0.05
    while time.thread_time() < end:
        pass
def rest():
    time.sleep(0.02)
def grow():
    kept.append(b"x" * (1 << 20))
while True:
    burn()
    rest()
    if len(kept) < 200:
        grow()
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """{format: folder} of the same six stretches, each of one kind of event; and "both" with all of them."""
    path = tmp_path_factory.mktemp("folders")
    found = {name: path / name for name in (*SUFFIXES, "both")}
    for folder in found.values():
        folder.mkdir()
    with profiler.target(known.newest().path, "-c", PROGRAM, about=False) as target:
        with server(path, "--pid", target.pid, "-F", 499, "--budget", 0, "--log", 5, "--event",
                    "cpu,offcpu,memory") as s:
            begin, before = time.time(), profiler.cpu_seconds(target.pid)
            profiler.wait_until(lambda: profiler.cpu_seconds(target.pid) - before > 1, what="samples")
            end = time.time()
            for number, part in enumerate(PARTS):
                stretch = [begin + (end - begin) * (number + i) / len(PARTS) for i in (0, 1)]
                for name, suffix in SUFFIXES.items():
                    answer = s.get("/debug/pyperf/log?from=%.3f&to=%.3f&type=%s&format=%s"
                                   % (*stretch, part, name))
                    assert answer.status == 200, answer
                    for folder in name, "both":
                        (found[folder] / ("%d%s" % (number, suffix))).write_bytes(answer.body)
    return found


def answer(*arguments):
    found = json.loads(report("--json", "--top", 1000000, *arguments))
    jsonschema.validate(found, SCHEMA)
    return found


def notes(found):
    return {note["code"]: note["text"] for note in found["notes"]}


def rows(found):
    return {row["id"]: (row["self"], row["total"]) for row in found["tables"][0]["rows"]}


def one_by_one(folder, event):
    """The sums of its files, as far as they have the event. Here each file is read alone."""
    total, found = 0, {}
    for path in sorted(folder.iterdir()):
        done = subprocess.run([profiler.BINARY, "report", "--json", "--top", "1000000", "--event", event,
                               path], capture_output=True, text=True)
        if done.returncode == 1 and "there is no event" in done.stderr:
            continue
        one = json.loads(done.stdout)
        total += one["profile"]["total"]
        for row, values in rows(one).items():
            found[row] = [sum(pair) for pair in zip(found.get(row, (0, 0)), values)]
    return total, found


@pytest.mark.parametrize("event", EVENTS)
def test_a_folder_is_the_sum_of_its_files(folders, event):
    found = answer("--event", event, folders["otlp"])
    total, of_files = one_by_one(folders["pprof"], event)
    assert found["profile"]["files"] == len(PARTS) and found["profile"]["total"] == total > 0
    assert {row: list(values) for row, values in rows(found).items()} == of_files
    assert not {"other_format_too", "unread_formats", "unreadable_files"} & notes(found).keys()


def test_uncompressed(folders, tmp_path):
    for path in folders["otlp"].iterdir():
        (tmp_path / path.name.replace(".gz", "")).write_bytes(gzip.decompress(path.read_bytes()))
    assert rows(answer("--event", "cpu", tmp_path)) == rows(answer("--event", "cpu", folders["otlp"]))


def test_an_interval_in_both_formats_is_taken_once(folders):
    """The files of pprof have other types each, which only files of OTLP may: those come first here."""
    for event in EVENTS:
        found = answer("--event", event, folders["otlp"], folders["otlp"] / "0.otlp.gz")
        assert found["profile"]["files"] == len(PARTS) + 1
    both = folders["both"]
    (both / "a.otlp.gz").write_bytes((both / "0.otlp.gz").read_bytes())
    first = both / "0.pb.gz"
    for number in range(1, len(PARTS)):
        (both / ("%d.pb.gz" % number)).unlink()
    found = answer("--event", "cpu", both)
    assert found["profile"]["files"] == len(PARTS) + 1
    assert "1 files are left out" in notes(found)["other_format_too"]
    first.write_bytes(first.read_bytes()[:-20])
    again = answer("--event", "cpu", both)
    assert again["books"]["unreadable_files"] == 1 and "other_format_too" not in notes(again)
    assert rows(again) == rows(found)


def test_formats_that_are_not_read(folders, tmp_path):
    for name in "1.folded", "1.html", "1.speedscope.json", "1.firefox.json", ".1.folded", "notes.txt":
        (tmp_path / name).write_text("x")
    done = subprocess.run([profiler.BINARY, "report", tmp_path], capture_output=True, text=True)
    assert done.returncode == 1 and ".otlp.gz or .otlp" in done.stderr
    (tmp_path / "2.otlp.gz").write_bytes((folders["otlp"] / "0.otlp.gz").read_bytes())
    assert "4 files are left out" in notes(answer(tmp_path))["unread_formats"]
    done = subprocess.run([profiler.BINARY, "diff", tmp_path, folders["otlp"]], capture_output=True,
                          text=True)
    assert done.returncode == 0 and "4 files are left out" in done.stderr


def test_differences(folders):
    """Of a folder and itself there are none, also where the first profile lacks the kind of event."""
    def run(*arguments):
        done = subprocess.run([profiler.BINARY, "diff", "--json", *map(str, arguments)], capture_output=True,
                              text=True)
        return json.loads(done.stdout), done.returncode
    found, code = run("--event", "cpu", folders["otlp"], folders["otlp"])
    assert code == 0 and found["whole"]["self"] == 0 and not any(row["self"] for row in found["rows"])
    found, code = run("--event", "memory", folders["otlp"] / "0.otlp.gz", folders["otlp"])
    assert code == 3
    grown = answer("--event", "memory", folders["otlp"])["profile"]["total"]
    assert found["whole"]["self"] == grown > 0


@pytest.mark.all
def test_growth_goes_on_in_both(tmp_path):
    """What only a folder of intervals tells is told by one of OTLP, too."""
    for name in SUFFIXES:
        (tmp_path / name).mkdir()
    command = known.newest().path, profiler.ROOT / "tests/workloads/stands_out.py", "growth_goes_on", "8"
    with profiler.target(*command, about=False) as target:
        with server(tmp_path, "--pid", target.pid, "--log", 5, "--event", "memory") as s:
            begin = time.time()
            profiler.wait_until(lambda: time.time() > begin + 6, what="intervals")
            for second in range(6):
                for name, suffix in SUFFIXES.items():
                    answer = s.get("/debug/pyperf/log?from=%f&to=%f&format=%s"
                                   % (begin + second, begin + second + 1, name))
                    (tmp_path / name / ("%d%s" % (second, suffix))).write_bytes(answer.body)
    said = {name: json.loads(report("--findings", "--json", tmp_path / name))["findings"]
            for name in SUFFIXES}
    of_pprof, of_otlp = ({one["code"]: one for one in said[name]}["growth_goes_on"] for name in SUFFIXES)
    for each in "share", "value", "place":
        assert of_otlp[each] == of_pprof[each]
