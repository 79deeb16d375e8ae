# SPDX-License-Identifier: GPL-2.0-only
"""A million stacks of honest programs, sampled while hostile ones run beside them: frames that are changed
while they are read, a tree that is filled on purpose, names that are made to harm, and processes without end.
None of the million may have a call that is not in its program, and few may be lost."""
import collections
import contextlib
import subprocess

import pytest

import hostile
import interpreters as known
import profiler
from edges import Judge

pytestmark = [pytest.mark.alone, pytest.mark.long]

STACKS = 1000000  # judged in all
CPU = 3  # seconds of it for each honest program, in one run of the profiler
FREQUENCY = 9973
HONEST = known.one_per_version_and_two()
RINGS = [i for i in known.one_per_version() if i.version[:2] >= (3, 13)]
# Of a program's stacks: what test_stacks.py allows, and one in a hundred for its neighbours.
LOST = 0.01


@contextlib.contextmanager
def neighbours():
    """Their processes, and the threads that change the frames of some."""
    programs = [(RINGS[-1].path, "-IS", "-c", text) for text in (hostile.GREEDY, hostile.NAMES,
                                                               hostile.STARTS)]
    rings = [(i.path, "-IS", "-c", hostile.RING) for i in RINGS]
    with profiler.targets([*programs, *rings], stdin=subprocess.PIPE) as started:
        changers = [hostile.Changer(hostile.Ring(one, shims=n % 2 == 0), seed=n)
                    for n, one in enumerate(started[len(programs):])]
        for one in started[len(programs):]:
            one.tell()
        try:
            yield started, changers
        finally:
            for changer in changers:
                changer.stop()


def judge(sample, judges, faults):
    """Counts what is wrong with it. Whether its stack is whole."""
    marker = profiler.marker_of(sample.stack)
    stack = sample.stack[:-1] if marker else sample.stack
    for fault in judges[sample.pid].faults(stack, rooted=marker is None):
        faults[sample.pid, fault] += sample.count
    return marker is None


def test_a_million_stacks(workloads, tmp_path):
    judged, faults, all_of, whole_of = 0, collections.Counter(), collections.Counter(), collections.Counter()
    marked = collections.Counter()
    with profiler.targets([(i.path, workloads / i.program("edges")) for i in HONEST]) as honest, \
            neighbours() as (hostiles, changers):
        judges = {one.pid: Judge(one.about) for one in honest}
        while judged < STACKS:
            run = profiler.run_while(tmp_path, [*honest, *hostiles], CPU, "-F", FREQUENCY)
            for sample in run.of(*judges):
                whole = judge(sample, judges, faults)
                judged += whole * sample.count
                all_of[sample.pid] += sample.count
                whole_of[sample.pid] += whole * sample.count
                marked[profiler.marker_of(sample.stack)] += sample.count
            assert not faults, faults.most_common(5)
            print(judged, "stacks;", dict(marked), flush=True)
        assert all(one.process.poll() is None for one in hostiles), "a neighbour has ended"
        assert all(changer.is_alive() and changer.changes > 1000 for changer in changers)
    for interpreter, one in zip(HONEST, honest):
        bound = LOST + (0.03 if interpreter.version < (3, 13) else 0.01)
        assert all_of[one.pid] - whole_of[one.pid] <= bound * all_of[one.pid], (interpreter, marked)
