# SPDX-License-Identifier: GPL-2.0-only
"""test_cache.py for Python 2.7, which runs none of the programs there."""
import collections

import pytest

import interpreters as known
import profiler
from edges import CacheJudge

SECONDS = 14  # the first eight are without the cache (SETTLED of bpf/python/settled.h)
CPU = 4  # seconds of it, of each program: less than it has in six
SEEN = {"echo", "chain", "catcher", "drive_a", "drive_b", "throw_a", "throw_b", "fresh", "top_a", "top_b",
        "down",
        "through_c", "__getattr__"}


def run(workloads, directory, mode, *options, seconds=SECONDS, cpu=CPU):
    """The run, and [(target, samples)]."""
    chosen = [i for i in known.everything() if i.minor == known.TWO]
    if not chosen:
        pytest.skip("SKIP 2.7: no such Python here")
    with profiler.targets([(i.path, workloads / "cache27.py") for i in chosen]) as started:
        done = profiler.run_while(directory, started, cpu, "--cache", mode, *options, seconds=seconds)
        return done, [(t, done.of(t.pid)) for t in started]


def whole(samples):
    return [s for s in samples if profiler.marker_of(s.stack) is None]


def assert_right(done, results):
    assert done.stats["counters"]["cache_mismatch"] == 0
    assert profiler.share_of_hits(done) > 0.1, "the cache was hardly used"
    for target, samples in results:
        judge, faults = CacheJudge(target.about), collections.Counter()
        for sample in whole(samples):
            for fault in judge.faults(sample.stack):
                faults[fault] += sample.count
        assert not faults, faults.most_common(5)
        assert SEEN <= {frame[0] for sample in whole(samples) for frame in sample.stack}


@pytest.mark.parametrize("mode", ("check", "verified"))
def test_both_walks_agree_and_every_stack_is_possible(workloads, tmp_path, mode):
    done, results = run(workloads, tmp_path, mode, "-F", 4999)
    assert done.stats["outcomes"]["whole"] > 1000
    assert_right(done, results)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_hundred_thousand_samples(workloads, tmp_path):
    count = 0
    while count < 100000:
        done, results = run(workloads, tmp_path, "check", "-F", 9999, seconds=60)
        count += done.stats["outcomes"]["whole"]
        assert_right(done, results)
