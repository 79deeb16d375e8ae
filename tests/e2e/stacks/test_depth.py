# SPDX-License-Identifier: GPL-2.0-only
"""--max-depth: a deeper stack keeps its leaf side under a marker and is counted; an equal one is whole."""
import pytest

import home
import interpreters as known
import profiler

pytestmark = pytest.mark.alone  # so many busy programs leave the CPUs to nobody else

FEW_ARE_ENOUGH = True
LIMIT = 100


def profile(workloads, directory, depths, *options):
    jobs = [(i, depth) for i in known.few(known.one_per_version()) for depth in depths]
    with profiler.targets([(i.path, workloads / "depth.py", depth) for i, depth in jobs]) as started:
        run = profiler.run_while(directory, started, 0.5, "-F", 499, "--budget", 0, *options)
    return run, {(i.name, depth): run.of(t.pid) for (i, depth), t in zip(jobs, started)}


@pytest.fixture(scope="module")
def limited(workloads, tmp_path_factory):
    return profile(workloads, tmp_path_factory.mktemp("depth"), (LIMIT, LIMIT + 1, 500), "--max-depth", LIMIT)


@pytest.fixture(scope="module")
def unlimited(workloads, tmp_path_factory):
    return profile(workloads, tmp_path_factory.mktemp("depth"), (900, 3000))


@pytest.fixture(scope="module")
def deepest(workloads, tmp_path_factory):
    return profile(workloads, tmp_path_factory.mktemp("depth"), (4000,), "--max-depth", 4000)


def in_time(samples):
    """Those for which the time sufficed, which it does but where a hypervisor takes the CPU away in the
    middle of a tick. Of the others the 16 frames nearest to the leaf are there, or up to 32. From outside,
    where that lets the thread go on, there is none."""
    moved = [s for s in samples if profiler.marker_of(s.stack) == "moved"]
    assert all(len(s.stack) == 1 for s in moved) and (not moved or home.refusal())
    assert profiler.total(moved) <= 0.1 * profiler.total(samples)
    late = [s for s in samples if profiler.marker_of(s.stack) == "over_budget"]
    for sample in late:
        depth = len(sample.stack) - 1
        assert profiler.functions(sample) == ["leaf", *["descend"] * (depth - 1), "[over budget]"]
        assert 16 <= depth <= 32
    assert profiler.total(late) <= 0.05 * profiler.total(samples)
    return [s for s in samples if profiler.marker_of(s.stack) not in ("over_budget", "moved")]


def test_whole_at_the_limit(version, limited):
    samples = in_time(limited[1][version.name, LIMIT])
    assert profiler.total(samples) > 20
    for sample in samples:
        assert profiler.functions(sample) == ["leaf"] + ["descend"] * (LIMIT - 2) + ["<module>"]


@pytest.mark.parametrize("depth", (LIMIT + 1, 500))
def test_truncated_beyond(version, depth, limited):
    samples = in_time(limited[1][version.name, depth])
    assert profiler.total(samples) > 20
    for sample in samples:
        assert profiler.functions(sample) == ["leaf"] + ["descend"] * (LIMIT - 1) + ["[truncated]"]


def test_counted(limited):
    run, samples = limited
    deep = sum(profiler.total(in_time(s)) for (_, depth), s in samples.items() if depth > LIMIT)
    assert run.stats["outcomes"]["truncated"] == deep


def test_four_thousand_frames(version, deepest):
    """A tick is bounded, but the deepest honest stack fits into it."""
    samples = in_time(deepest[1][version.name, 4000])
    assert profiler.total(samples) > 20
    assert {tuple(profiler.functions(s)) for s in samples} == {("leaf", *["descend"] * 3998, "<module>")}


def test_default_limit(version, unlimited):
    """1024 frames: deeper than Python's own default limit of recursion, so that few programs reach it."""
    shallow, deep = (in_time(unlimited[1][version.name, depth]) for depth in (900, 3000))
    assert profiler.total(shallow) > 20 and profiler.total(deep) > 20
    assert {tuple(profiler.functions(s)) for s in shallow} == {("leaf", *["descend"] * 898, "<module>")}
    assert {tuple(profiler.functions(s)) for s in deep} == {("leaf", *["descend"] * 1023, "[truncated]")}
