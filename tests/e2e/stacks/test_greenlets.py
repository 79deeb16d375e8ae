# SPDX-License-Identifier: GPL-2.0-only
"""Greenlets that switch all the time: no stack is impossible, and hardly one lacks callers. While they
switch, the library takes the chain of frames apart (docs/internals/tasks.md)."""
import collections
import re

import pytest

import greenlets
import profiler
from edges import CacheJudge

pytestmark = pytest.mark.alone

FREQUENCY = 4999
CPU = 1  # seconds of CPU time: 5,000 samples of each, if all come
LEAST = 1000
MOST = 0.005  # of them may be marked
TASKS = {"task_a", "task_b", "task_c", "task_main"}


def assert_possible(judge, samples):
    """Whole stacks are as the program's source says, and so is what is left of others."""
    faults = collections.Counter()
    for sample in samples:
        marked = profiler.marker_of(sample.stack) is not None
        for fault in judge.faults(sample.stack[:-1] if marked else sample.stack, rooted=not marked):
            faults[fault] += sample.count
    assert not faults, faults.most_common(5)


def assert_nearly_all_whole(samples):
    marked = collections.Counter()
    for sample in samples:
        marked[profiler.marker_of(sample.stack)] += sample.count
    del marked["no_layout"]  # it was met before its layout was proved, which takes a busy machine a while
    print(marked)
    assert marked[None] >= LEAST, marked
    assert profiler.is_share_at_most(marked.total() - marked[None], MOST, marked.total()), marked


def assert_all_seen(samples):
    """They have as many turns as each other."""
    seen = collections.Counter()
    for sample in samples:
        for name in TASKS & {frame[0] for frame in sample.stack}:
            seen[name] += sample.count
    assert set(seen) == TASKS and min(seen.values()) > 0.05 * seen.total(), seen


def test_nothing_but_switches(version, workloads, tmp_path):
    where = greenlets.directory(version)
    if not where:
        pytest.skip("SKIP not-applicable: no greenlet for %s" % version)
    with profiler.target(version.path, workloads / "cache" / "switching.py", where) as target:
        run = profiler.run_while(tmp_path, [target], CPU, "-F", FREQUENCY, "--cache", "check")
        if "skip" in target.about:
            pytest.skip("SKIP not-applicable: " + target.about["skip"])
    samples = run.of(target.pid)
    assert run.stats["counters"]["cache_mismatch"] == 0
    assert_possible(CacheJudge(target.about), samples)
    assert_nearly_all_whole(samples)
    assert_all_seen(samples)


@pytest.mark.parametrize("mode", ("top", "full"))
def test_native_functions_of_others(version, mode, workloads, tmp_path):
    """max() and map() are between Python frames. While shims are left out they must not be shown above."""
    where = greenlets.directory(version)
    if not where:
        pytest.skip("SKIP not-applicable: no greenlet for %s" % version)
    if version.version < (3, 12):
        pytest.skip("SKIP not-applicable: a known limit up to 3.11 (docs/native.md)")
    with profiler.target(version.path, workloads / "cache" / "switching.py", where) as target:
        run = profiler.run_while(tmp_path, [target], CPU, "-F", FREQUENCY, "--native", mode)
    samples, wrong = run.of(target.pid), collections.Counter()
    for sample in samples:
        names = profiler.functions(sample)
        above = names[:names.index("switch")] if "switch" in names else ()
        if any(re.match("map_next|builtin_max|min_max", name) for name in above):
            wrong[tuple(names)] += sample.count
    assert profiler.total(samples) > LEAST
    assert not wrong, wrong.most_common(3)
