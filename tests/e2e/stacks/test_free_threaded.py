# SPDX-License-Identifier: GPL-2.0-only
"""Free-threaded CPython: threads that run Python code at the same time, each sampled on its own CPU."""
import math
import os

import pytest

import interpreters as known
import profiler

pytestmark = pytest.mark.alone  # the threads need CPUs to run at once

FREQUENCY = 499
SECONDS = 12
NAMES = ("one", "two", "three")


@pytest.fixture(scope="module")
def ran(workloads, tmp_path_factory):
    chosen = next((i for i in known.one_per_version() if i.build == "t"), None)
    if not chosen:
        pytest.skip("SKIP src-3.13.5t: %s" % known.reason("src-3.13.5t"))
    with profiler.target(chosen.path, workloads / "parallel.py") as target:
        run = profiler.run(tmp_path_factory.mktemp("parallel"), "--pid", target.pid, "-F", FREQUENCY, "-d",
                           SECONDS,
                           "--cache", "check", timeout=SECONDS + 60)
        return run, run.of(target.pid), target.ask()


def thread_of(sample):
    return next((frame[0] for frame in sample.stack if frame[0] in NAMES), None)


def test_each_thread_by_its_cpu_time(ran):
    """CPU times before and after the profile are included; they are shared out alike."""
    run, samples, said = ran
    counts = {name: profiler.total(s for s in samples if thread_of(s) == name) for name in NAMES}
    n, used = sum(counts.values()), sum(said["used"].values())
    assert n > 500
    for name in NAMES:
        expected = said["used"][name] / used
        assert abs(counts[name] / n -
                   expected) <= 4 * math.sqrt(expected * (1 - expected) / n) + 0.05, (counts, said)
    assert run.stats["counters"]["cache_mismatch"] == 0


def test_stacks_are_whole(ran):
    _, samples, _ = ran
    marked = profiler.total(s for s in samples if profiler.marker_of(s.stack))
    assert profiler.is_share_at_most(marked, 0.01, profiler.total(samples))
    for sample in samples:
        if thread_of(sample):
            names = profiler.functions(sample)
            assert names[-1] == "Thread._bootstrap"
            assert names.index("forever") == names.index(thread_of(sample)) - 1


def test_threads_ran_at_once(ran):
    """With a GIL their CPU time could not exceed the time that passed."""
    _, samples, said = ran
    used = sum(said["used"].values())
    if used <= 1.5 * said["seconds"]:
        pytest.skip("SKIP quiet: other programs left the threads %.1f of %d CPUs" %
                    (used / said["seconds"], os.cpu_count()))
    assert profiler.total(samples) > FREQUENCY * SECONDS
