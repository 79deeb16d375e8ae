# SPDX-License-Identifier: GPL-2.0-only
"""A call tree that gets full again and again: half of it is emptied, no tick is lost, and names stay right.

Every run's books are checked: what is in the profile is what the kernel counted, sample by sample."""
import collections
import re
import statistics

import pytest

import interpreters as known
import pprof
import profiler
from edges import Judge
from makers import MAKER

# Code objects and frames of 3.7, 3.8 and 3.10 are found and known again as those of 3.6 and 3.9 are.
QUICK_VERSIONS = "3.6", "3.9", "3.11", "3.12", "3.13", "3.13t", "3.14", "3.15"
# Processes that live for a moment, each with functions that are named after it. A child ends as MAKER never
# does.
FAMILY = """
import json, os, time
def live(pid):
    end = time.process_time() + .01
    n = 0
    while time.process_time() < end:
        n += 1
        scope = {}
        source = 'def child_%d_%d():\\n return sum(range(30000))' % (pid, n)
        exec(compile(source, 'child%d.py' % pid, 'exec'), scope)
        scope['child_%d_%d' % (pid, n)]()
print(json.dumps({}), flush=True)
while True:
    child = os.fork()
    if not child:
        live(os.getpid())
        os._exit(0)
    os.waitpid(child, 0)
"""


def check_no_tick_lost(run):
    """Ticks of other programs apart, each is a stack in the profile, or one that found no room."""
    outside = {outcome.key for outcome in profiler.OUTCOMES if outcome.place == "OUTSIDE"}
    lost = {key: n for key, n in run.stats["outcomes"].items()
            if key in outside - {"not_selected", "idle"} and n}
    assert not lost
    assert profiler.total(run.samples) == run.stats["profile"]["samples"]


def check_names(samples):
    """f12 is called by work, by g12 of the same file, whatever numbers they had in the tree."""
    pairs = 0
    for sample in samples:
        for callee, middle, caller in zip(sample.stack, sample.stack[1:], sample.stack[2:]):
            if re.fullmatch(r"f\d+", callee[0]):
                assert middle[0] == "work" and caller[0] == "g" + callee[0][1:]
                assert callee[1] == caller[1] == "made%s.py" % callee[0][1:]
                pairs += sample.count
    return pairs


@pytest.fixture
def makers(version):
    with profiler.targets([(version.path, "-c", MAKER)] * 2) as started:
        yield started


def run_ahead_of(makers, tmp_path, *arguments, **options):
    """A profiler that has a CPU whenever it wants one. It waits two seconds for what its first processes are,
    and then samples: what it does not know by then would be lost, whatever becomes of its generations."""
    with profiler.before_others():
        return profiler.run_while(tmp_path, makers, 6, "-F", 1997, "--tree-size", 4096, *arguments, **options)


def test_one_profile_over_many_generations(makers, tmp_path):
    run = run_ahead_of(makers, tmp_path)
    assert run.stats["profile"]["generations"] >= 2
    check_no_tick_lost(run)
    assert check_names(run.samples) > 1000
    assert not [f for s in run.samples for f in s.stack if f[0] == "[unknown code]"]


def test_intervals_over_many_generations(makers, tmp_path):
    folder = tmp_path / "profiles"
    folder.mkdir()
    run = run_ahead_of(makers, tmp_path, "--output-dir", folder, "--interval", 0.7, output=None)
    files = sorted(folder.iterdir())
    run.samples = [sample for path in files for sample in profiler.read_samples(path)]
    run.check_books()
    check_no_tick_lost(run)
    assert run.stats["profile"]["generations"] >= 2
    assert check_names(run.samples) > 1000
    assert not [f for s in run.samples for f in s.stack if f[0] == "[unknown code]"]
    profiles = [pprof.read(path) for path in files]
    assert statistics.median(abs(before.time_nanos + before.duration_nanos - after.time_nanos)
                             for before, after in zip(profiles, profiles[1:])) < 50e6


test_intervals_over_many_generations.versions = known.SUPPORTED[-1:]


def test_processes_that_end_meanwhile_keep_their_labels(version, tmp_path):
    """Some end after a generation has begun and before the last one has been emptied, with counts in both."""
    with profiler.targets([(version.path, "-c", FAMILY)] * 3) as families:
        run = profiler.run_while(tmp_path, families, 4, "--children", "-F", 1997, "--tree-size", 4096)
    assert run.stats["profile"]["generations"] >= 2
    named = collections.Counter()
    for sample in run.samples:
        if profiler.marker_of(sample.stack) == "table_full":
            continue
        assert sample.pid and sample.comm, sample
        for frame in sample.stack:
            match = re.fullmatch(r"child_(\d+)_\d+", frame[0])
            if match:
                assert int(match[1]) == sample.pid
                named[sample.pid] += sample.count
    assert len(named) > 30


test_processes_that_end_meanwhile_keep_their_labels.versions = known.SUPPORTED[-1:]


def test_stacks_stay_legal(makers, version, workloads, tmp_path):
    """A program whose legal calls are known, while others fill the tree."""
    with profiler.target(version.path, workloads / "edges.py") as target:
        run = profiler.run_while(tmp_path, [*makers, target], 4.5, "-F", 997, "--tree-size", 4096)
    assert run.stats["profile"]["generations"] >= 2
    judge = Judge(target.about)
    faults = collections.Counter()
    whole = [s for s in run.of(target.pid) if profiler.marker_of(s.stack) is None]
    for sample in whole:
        for fault in judge.faults(sample.stack):
            faults[fault] += sample.count
    assert not faults and profiler.total(whole) > 300, faults.most_common(5)


test_stacks_stay_legal.versions = known.SUPPORTED[-1:]
