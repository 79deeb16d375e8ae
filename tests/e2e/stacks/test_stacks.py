# SPDX-License-Identifier: GPL-2.0-only
"""Every sampled stack of a program whose legal call edges are known must be legal, on every interpreter."""
import collections

import pytest

import interpreters as known
import profiler
from edges import Judge

pytestmark = pytest.mark.alone  # so many busy programs leave the CPUs to nobody else

ALSO_2_7 = True
CPU = 1  # seconds of CPU time for each interpreter, all of which run at once
FREQUENCY = 1999


@pytest.fixture(scope="module")
def profiled(workloads, tmp_path_factory):
    """{interpreter name: (judge, samples)} of one run of the profiler over one process of each."""
    chosen = known.everything()
    with profiler.targets([(i.path, workloads / i.program("edges")) for i in chosen]) as started:
        run = profiler.run_while(tmp_path_factory.mktemp("stacks"), started, CPU, "-F", FREQUENCY)
    return {i.name: (Judge(t.about), run.of(t.pid)) for i, t in zip(chosen, started)}


@pytest.fixture
def judged(interpreter, profiled):
    return profiled[interpreter.name]


def whole(samples):
    return [s for s in samples if profiler.marker_of(s.stack) is None]


def test_enough_samples(profiled):
    assert sum(profiler.total(whole(samples)) for _, samples in profiled.values()) >= 10000


def test_no_impossible_stack(judged):
    judge, samples = judged
    assert profiler.total(whole(samples)) > 500
    faults = collections.Counter()
    for sample in whole(samples):
        for fault in judge.faults(sample.stack):
            faults[fault] += sample.count
    assert not faults, faults.most_common(5)


def test_kept_parts_of_marked_stacks_are_possible(judged):
    judge, samples = judged
    faults = collections.Counter()
    for sample in samples:
        if profiler.marker_of(sample.stack) is not None:
            assert sample.stack[-1][0] in profiler.MARKERS, "the marker is not at the root"
            for fault in judge.faults(sample.stack[:-1], rooted=False):
                faults[fault] += sample.count
    assert not faults, faults.most_common(5)


def test_few_marked_stacks(interpreter, judged):
    """Threads without a thread state for a moment; on 3.11 and 3.12 also a chain of frames that the
    interpreter itself has not finished linking: up to 0.5 % of its instructions, measured by
    single-stepping."""
    _, samples = judged
    marked = profiler.total(samples) - profiler.total(whole(samples))
    bound = 0.03 if interpreter.version < (3, 13) else 0.01
    shares = collections.Counter()
    for sample in samples:
        shares[profiler.marker_of(sample.stack)] += sample.count
    assert profiler.is_share_at_most(marked, bound, profiler.total(samples)), shares


def test_every_pattern_is_seen(interpreter, judged):
    """Each pattern burns an equal share, about 3 %, those that one thread alone runs about 1 %. So at least
    ten samples are expected of each, and not one means that its stacks are lost."""
    judge, samples = judged
    seen = {frame[0] for sample in whole(samples) for frame in sample.stack}
    others = {"short_threads", "short_lived", "worker"}
    if interpreter.version >= (3,):
        others |= {"asyncio_tasks", "loop_child"}
    missing = sorted((judge.patterns | others) - seen)
    assert not missing


def test_names_of_every_width(interpreter, judged):
    _, samples = judged
    seen = {frame[:2] for sample in whole(samples) for frame in sample.stack}
    for name in ("größe", "функция", "𠀀"):
        assert (name, "<größe-€-𠀀>") in seen
        if interpreter.version < (3,):
            assert (name, "<größe>") in seen, "a file name in Latin-1"


def test_threads(interpreter, judged):
    """The main thread's root is the program's <module>, that of every other thread is the threading
    module's."""
    _, samples = judged
    for sample in whole(samples):
        assert (sample.tid == sample.pid) == (sample.stack[-1][0] == "<module>"), sample
    busy = collections.Counter()
    for sample in samples:
        busy[sample.tid] += sample.count
    # Others live for a moment. How three share the GIL is up to them: the first one had a tenth now and then.
    lasting = [tid for tid, count in busy.items() if count > 0.02 * profiler.total(samples)]
    assert len(lasting) == 3, busy.most_common(6)


def test_no_frame_of_the_interpreter_itself(judged):
    _, samples = judged
    names = {frame[:2] for sample in samples for frame in sample.stack}
    assert not [n for n in names if "trampoline" in n[0] or "<shim>" in n or
                n == ("__init__", "__init__")], names
