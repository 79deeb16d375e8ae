# SPDX-License-Identifier: GPL-2.0-only
"""What is written: pprof for Google's own reader, folded stacks, the statistics."""
import os
import re
import time

import pytest

import formats
import go_pprof
import interpreters as known
import pprof
import profiler

FOLDED = re.compile(r"(.+) (\d+)")


def calm(workloads, pythons):
    return profiler.targets([(i.path, workloads / "edges.py", "--calm") for i in pythons])


@pytest.fixture(scope="module")
def profiled(workloads):
    """profiled(DIRECTORY, OPTION...): a run of 400 samples or so of one edges.py, the same for all tests."""
    with calm(workloads, [known.newest()]) as started:
        def run(directory, *options, **more):
            return profiler.run_while(directory, started, 0.2, "-F", 1999, *options, **more)
        yield run


@pytest.fixture(scope="module")
def written(workloads, tmp_path_factory):
    """A run with one edges.py of each version. mapped: {pid: its files}."""
    with calm(workloads, known.few(known.one_per_version())) as started:
        began = time.monotonic()
        run = profiler.run_while(tmp_path_factory.mktemp("output"), started, 0.4, "-F", 499, seconds=2)
        run.seconds = time.monotonic() - began
        run.mapped = {t.pid: mapped_by(t.pid) for t in started}
    return run


def mapped_by(pid):
    with open("/proc/%d/maps" % pid) as maps:
        return {line.split(None, 5)[5].strip() for line in maps if len(line.split(None, 5)) == 6}


@pytest.mark.parametrize("arguments", (["-top"], ["-traces"], ["-list=^spin$|^fib$"], ["-raw"], ["-tags"],
                                       ["-peek=spin"],
                                       ["-top", "-cum", "-sample_index=samples"], ["-top", "-lines"]),
                         ids=lambda a: "".join(a))
def test_go_tool_pprof_reads_it(written, arguments):
    done = go_pprof.run(*arguments, written.path, PPROF_NO_BROWSER="1")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert ("thread: Total" if arguments == ["-tags"] else "spin") in done.stdout
    if arguments[0] == "-list=^spin$|^fib$":
        assert "total += i * i & 7" in done.stdout, "the source is found by the file name"


def test_types_and_period(written):
    profile = pprof.read(written.path)
    assert [tuple(t) for t in profile.sample_types] == [("samples", "count"), ("cpu", "nanoseconds")]
    assert tuple(profile.period_type) == ("cpu", "nanoseconds")
    assert profile.default_sample_type == "cpu"
    assert abs(profile.period - 1e9 / 499) < 2
    assert 1.5e9 < profile.duration_nanos < written.seconds * 1e9
    for sample in profile.samples:
        assert sample.values[1] == sample.values[0] * profile.period


def test_mapping_of_each_interpreter(written):
    """Each process's stacks belong to the file that holds its interpreter."""
    profile = pprof.read(written.path)
    for mapping in profile.mappings:
        assert mapping.has_symbols
    files = {mapping.filename for mapping in profile.mappings}
    for mapped in written.mapped.values():
        assert files & mapped


def test_labels(written):
    for pid in written.mapped:
        samples = written.of(pid)
        assert samples
        for sample in samples:
            assert sample.tid and sample.comm and sample.thread
        assert any(sample.tid == sample.pid for sample in samples)


def test_labels_by_process(profiled, tmp_path):
    run = profiled(tmp_path, "--labels", "process")
    assert run.samples and not any(sample.tid for sample in run.samples)


def parse_folded(text):
    stacks = []
    for line in text.splitlines():
        match = FOLDED.fullmatch(line)
        assert match, line
        stacks.append((match[1].split(";"), int(match[2])))
    return stacks


@pytest.mark.parametrize("name, options", (("profile.folded", ()), ("profile.txt", ("--format", "folded"))))
def test_folded(profiled, tmp_path, name, options):
    run = profiled(tmp_path, *options, output=name)
    stacks = parse_folded(run.path.read_text())
    assert sum(count for _, count in stacks) == run.stats["profile"]["samples"] > 50
    main = [stack for stack, _ in stacks if any(frame.startswith("drive ") for frame in stack)]
    assert main
    for stack in main:
        names = [frame.split(" ")[0] for frame in stack]
        root = names.index("drive") - (2 if "worker" not in names else 4)
        # behind process and thread
        assert root >= 2 and names[root] in ("<module>", "Thread._bootstrap", "_bootstrap"), stack
        assert "repeat" not in names or names.index("repeat") == names.index("drive") + 1


@pytest.mark.parametrize("by_suffix", (True, False), ids=("suffix", "option"))
@pytest.mark.parametrize("format", formats.FORMATS, ids=formats.by_name)
def test_every_format(profiled, tmp_path, format, by_suffix):
    """Each format of the list, by the file's suffix and by --format, has what the books have."""
    name, options = ("x" + format.suffix, ()) if by_suffix else ("x.txt", ("--format", format.name))
    run = profiled(tmp_path, *options, output=name)
    stacks = formats.read(format, run.path.read_bytes())
    assert sum(stacks.values()) == run.stats["profile"]["samples"] > 20
    assert any("drive" in stack for stack in stacks)
    said = next(line for line in (run.out + run.err).splitlines() if "wrote %s. Open it" % run.path in line)
    assert "FILE" not in said


def test_pprof_by_option_for_any_suffix(profiled, tmp_path):
    run = profiled(tmp_path, "--format", "pprof", output="profile.folded")
    assert run.path.read_bytes()[:2] == b"\x1f\x8b"
    assert pprof.read(run.path).samples


def test_stdout(profiled, tmp_path):
    run = profiled(tmp_path, "--format", "folded", output="-")
    stacks = parse_folded(run.out)  # the profile and nothing else
    assert sum(count for _, count in stacks) == run.stats["profile"]["samples"] > 0


def test_stdout_pprof(profiled, tmp_path):
    run = profiled(tmp_path, output="-")
    (tmp_path / "copy.pb.gz").write_bytes(run.raw)
    samples = profiler.read_samples(tmp_path / "copy.pb.gz")
    assert profiler.total(samples) == run.stats["profile"]["samples"] > 0


def test_default_output(profiled, tmp_path):
    profiled(tmp_path, output=None, stats=False, cwd=tmp_path)
    assert os.listdir(tmp_path) == ["profile.pb.gz"], "written under its name, nothing left beside it"
    assert profiler.read_samples(tmp_path / "profile.pb.gz")


def test_reads_single_is_the_same(profiled, tmp_path):
    """Frame by frame, for comparison: the books add up, and more reads are counted for each frame."""
    single = profiled(tmp_path, "--reads", "single").stats["counters"]
    block = profiled(tmp_path, "--reads", "block").stats["counters"]
    assert single["reads"] / single["frames"] > block["reads"] / block["frames"]


def test_statistics(written):
    stats = written.stats
    assert stats["ticks"] == stats["counters"]["ticks"]
    assert stats["kernel"]["runs"] > 0 and stats["kernel"]["run_time_ns"] > 0
    assert stats["user"]["cpu_seconds"] >= 0 and stats["user"]["map_bytes"] > 0
    assert 1 << 20 < stats["user"]["rss_bytes"] < 1 << 30
    # Each location that is in the profile was decoded once, not each frame of each sample.
    assert 0 < stats["lines"]["decodes"] <= stats["lines"]["locations"]
    assert stats["lines"]["locations"] < stats["counters"]["frames"]


def test_statistics_as_a_table(profiled, tmp_path):
    """Every outcome has its line, with the text of bpf/outcomes.def, and the numbers add up to the ticks."""
    run = profiled(tmp_path, "--stats")
    shown = (run.out + run.err).partition("What became of every tick")[2]
    for outcome in profiler.TICK_OUTCOMES:
        if run.stats["outcomes"][outcome.key]:
            text = outcome.marker.strip("[]")
            row = next((line for line in shown.splitlines() if text in line), None)
            assert row, outcome
            numbers = re.findall(r"\d+", re.sub(r"(?<=\d)[,_' ](?=\d{3})", "", row.replace(text, "")))
            assert str(run.stats["outcomes"][outcome.key]) in numbers, row
