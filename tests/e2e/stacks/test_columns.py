# SPDX-License-Identifier: GPL-2.0-only
"""--columns: where in its line a call stands, for 3.11 and later. Each column of each instruction is the line
oracle's (test_line_oracle.py); this is how they get into a profile."""
import collections
import os

import pytest

import go_pprof
import interpreters as known
import pprof
import profiler

pytestmark = pytest.mark.alone  # so many busy programs leave the CPUs to nobody else


@pytest.fixture(scope="module")
def busy(workloads):
    """One columns.py of each version, for all tests here."""
    with profiler.targets([(i.path, workloads / "columns.py") for i in known.few(known.one_per_version())],
                          env=dict(os.environ, PYTHONUTF8="1")) as started:
        yield started


def profiled(directory, busy, *options, **more):
    return profiler.run_while(directory, busy, 0.5, "-F", 499, *options, **more)


@pytest.fixture(scope="module")
def written(busy, tmp_path_factory):
    return profiled(tmp_path_factory.mktemp("columns"), busy, "--columns")


def calls(run, target):
    """{called function: the columns of the frames of pair() that called it},
    with the line that all calls are in."""
    found = collections.defaultdict(set)
    for sample in pprof.read(run.path).samples:
        if sample.labels.get("pid") != target.pid:
            continue
        for callee, caller in zip(sample.frames, sample.frames[1:]):
            if caller.function == "pair":
                assert caller.line == target.about["line"]
                found[callee.function].add(caller.column)
    return found


def test_two_calls_in_one_line(written, busy):
    for target in busy:
        known_columns = tuple(target.about["version"]) >= (3, 11)
        assert calls(written, target) == {name: {column if known_columns else 0}
                                          for name, column in target.about["columns"].items()}, target.about


def test_markers_and_what_is_not_known_have_none(written):
    frames = [frame for sample in pprof.read(written.path).samples for frame in sample.frames]
    assert any(frame.column for frame in frames)
    assert not any(frame.column for frame in frames if not frame.line)


def test_none_unless_asked_for(busy, tmp_path):
    run = profiled(tmp_path, busy)
    assert run.samples
    assert not any(frame.column for sample in pprof.read(run.path).samples for frame in sample.frames)


def test_by_the_config_file(busy, tmp_path):
    (tmp_path / "config").write_text("columns = yes\n")
    run = profiled(tmp_path, busy, "--config", tmp_path / "config")
    newest = busy[-1]
    assert calls(run, newest) == {name: {column} for name, column in newest.about["columns"].items()}


def test_folded_stays_as_it_is(busy, tmp_path):
    run = profiled(tmp_path, busy, "--columns", output="profile.folded")
    stacks = [line.rpartition(" ")[0] for line in run.path.read_text().splitlines()]
    line = busy[0].about["line"]
    assert any("columns.py:%d);second (" % line in stack for stack in stacks)
    assert len(stacks) == len(set(stacks)), "columns of one line are one stack"


def go_rows(path, *options):
    """What `go tool pprof -top -lines` says of the lines of pair(): {"LINE" or "LINE:COLUMN"}."""
    done = go_pprof.run("-top", "-lines", *options, path)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [row for row in done.stdout.splitlines() if " pair " in row]
    return {row.rpartition("columns.py:")[2].strip() for row in rows}


@go_pprof.needed
def test_go_tool_pprof_shows_lines_of_a_profile_with_columns(written, busy):
    assert go_rows(written.path) == {str(busy[-1].about["line"])}


@go_pprof.needed
def test_go_tool_pprof_shows_them(written, busy):
    if "-showcolumns" not in go_pprof.usage():
        pytest.skip("SKIP go-columns: this go tool pprof has no -showcolumns")
    line = busy[-1].about["line"]
    wanted = {"%d:%d" % (line, column) for column in busy[-1].about["columns"].values()}
    assert wanted <= go_rows(written.path, "-showcolumns")
