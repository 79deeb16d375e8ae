# SPDX-License-Identifier: GPL-2.0-only
"""--hide native: without its native frames a profile is that of --native off."""
import collections

import pytest

import interpreters as known
import interval_graph
import native_frames
import pprof
import profiler
from native_frames import python_within
from serving import server

ITERATIONS = 20000000  # of an empty loop
LEVELS = 10
NATIVE = [kind.key for kind in profiler.FRAMES if kind.table == "NATIVE"]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return native_frames.build_chains(tmp_path_factory.mktemp("chains"))


@pytest.fixture
def python():
    return known.newest().path


@pytest.fixture
def target(python, library, workloads):
    """Calls from Python to C and back, on LEVELS levels."""
    with profiler.target(python, workloads / "native" / "chains.py", library, ITERATIONS, "within",
                         LEVELS) as started:
        yield started


def stacks(graph, hide=()):
    """{stack from the root: samples of it and not of what it called}, without frames of some kinds, whose
    samples are then their callers'."""
    found = collections.Counter()
    for (owner, stack), count in graph.stacks.items():
        found[owner, tuple(frame for frame in stack if frame.kind not in hide)] += count
    return found


def has_native(graph):
    return graph and any(frame.kind == "native" for _, stack in graph.stacks for frame in stack)


def test_a_request_hides_what_others_see(target, tmp_path):
    with server(tmp_path, "--pid", target.pid, "--native", "full", "-F", 499) as s:
        profiler.wait_until(lambda: has_native(interval_graph.fetch(s)), what="native code in an interval")
        shown, hidden = interval_graph.fetch_same(s, "", "?hide=native")
        part = s.profile("seconds=1&hide=native")
    assert shown.total == hidden.total > 0
    assert stacks(shown) != stacks(hidden)
    assert stacks(shown, hide=NATIVE) == stacks(hidden)
    names = {name.rpartition(".")[2] for sample in part.samples for name in sample.names}
    assert "even" in names and not names & {"spin", "hidden", "static_function", "calls_back"}
    assert len({mapping.filename for mapping in part.mappings}) == 1


@pytest.mark.parametrize("mode", ["off", "full"])
def test_what_is_written_is_that_of_native_off(mode, target, tmp_path):
    run = profiler.run_while(tmp_path, [target], 1, "-F", 997, "--native", mode, "--hide", "native")
    profile = pprof.read(run.path)
    assert len({mapping.filename for mapping in profile.mappings}) == 1
    names = collections.Counter()
    for sample in run.samples:
        names[tuple(native_frames.short_names(sample.stack))] += sample.count
    spinning = tuple(python_within(LEVELS))
    assert names[spinning] > 0.9 * profiler.total(run.samples), names.most_common(3)
    assert "native code" not in run.out
