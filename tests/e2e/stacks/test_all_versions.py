# SPDX-License-Identifier: GPL-2.0-only
"""A process of every interpreter here at once, in one profile of the whole machine (-a): every stack of each
of them is right, by the code tables of that very process."""
import collections

import pytest

import interpreters as known
import profiler
from edges import Judge

pytestmark = pytest.mark.alone  # so many busy programs leave the CPUs to nobody else

FREQUENCY = 499
CPU = 0.5  # seconds of it, of each


@pytest.fixture(scope="module")
def profiled(workloads, tmp_path_factory):
    """[(interpreter, judge, samples)], all out of one file."""
    chosen = known.everything()
    with profiler.targets([(i.path, workloads / i.program("edges")) for i in chosen]) as started:
        run = profiler.end_after(profiler.Run(tmp_path_factory.mktemp("all"), "--all-python", "-F",
                                              FREQUENCY), [t.pid for t in started], CPU)
        return [(i, Judge(t.about), run.of(t.pid)) for i, t in zip(chosen, started)]


def test_every_version_is_there(profiled):
    """That nothing is left out: a version without samples would have no wrong ones either."""
    versions = {i.minor for i, _, _ in profiled}
    assert len(versions) > 5, versions
    for interpreter, _, samples in profiled:
        whole = profiler.total(s for s in samples if profiler.marker_of(s.stack) is None)
        assert whole > 0.95 * profiler.total(samples) and whole >= 20, (interpreter.name, whole)


def test_all_of_them_are_right(profiled):
    faults = collections.Counter()
    for interpreter, judge, samples in profiled:
        for sample in samples:
            rooted = profiler.marker_of(sample.stack) is None
            for fault in judge.faults(sample.stack if rooted else sample.stack[:-1], rooted):
                faults[(interpreter.name, *fault)] += sample.count
    assert not faults, faults.most_common(5)
