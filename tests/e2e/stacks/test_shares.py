# SPDX-License-Identifier: GPL-2.0-only
"""CPU time goes where it was spent: shares that are known by construction,
and C code with the GIL released."""
import math
import os

import pytest

import interpreters as known
import profiler
from released import on_c_lines

ALSO_2_7 = True
FREQUENCY = 4999  # the bounds are in samples, which so take a fifth of the CPU time that they do at 997


def profile_jobs(directory, cpu, jobs):
    """Profiles jobs [(name, command)] at once, until each has used so many seconds of CPU time. Returns
    {name: (target, samples)}."""
    with profiler.targets([command for _, command in jobs]) as started:
        run = profiler.run_while(directory, started, cpu, "-F", FREQUENCY)
        return {name: (target, run.of(target.pid)) for (name, _), target in zip(jobs, started)}


class TestShares:
    """Two functions that burn 3 to 1."""

    CPU = 4 if os.environ.get("LONG") == "1" else 0.6  # seconds

    @pytest.fixture(scope="class")
    def profiled(self, workloads, tmp_path_factory):
        jobs = [(i.name, (i.path, workloads / "shares.py", k))
                for k, i in enumerate(known.one_per_version_and_two())]
        return profile_jobs(tmp_path_factory.mktemp("shares"), self.CPU, jobs)

    @pytest.fixture
    def counts(self, version, profiled):
        _, samples = profiled[version.name]
        return [profiler.total(s for s in samples if s.stack[0][0] == name) for name in ("heavy", "light")]

    def test_within_5_sigma(self, counts):
        heavy, light = counts
        n = heavy + light
        assert n > 2000
        assert abs(heavy / n - 0.75) <= 5 * math.sqrt(0.75 * 0.25 / n), counts

    def test_nothing_else(self, version, counts, profiled):
        assert sum(counts) >= 0.97 * profiler.total(profiled[version.name][1])


class TestReleasedGil:
    """zlib and hashlib release the GIL: the thread has no attached thread state while it burns."""

    @pytest.fixture(scope="class")
    def profiled(self, workloads, tmp_path_factory):
        chosen = known.one_per_version_and_two()
        alone = [((i.name, "alone"), (i.path, workloads / "released.py")) for i in chosen]
        contended = [((i.name, "threads"), (i.path, workloads / "released.py", "threads")) for i in chosen]
        directory = tmp_path_factory.mktemp("released")
        return {**profile_jobs(directory, 0.3, alone), **profile_jobs(directory, 0.5, contended)}

    def test_alone(self, version, profiled):
        target, samples = profiled[version.name, "alone"]
        assert profiler.total(samples) > 500
        assert on_c_lines(target, samples) >= 0.95
        both = {s.stack[0][0] for s in samples}
        assert {"compressing", "hashing"} <= both

    def test_while_another_thread_holds_the_gil(self, version, profiled):
        target, samples = profiled[version.name, "threads"]
        in_c = [s for s in samples if s.tid == s.pid]
        assert profiler.total(in_c) > 0.2 * profiler.total(samples) > 100
        assert on_c_lines(target, in_c) >= 0.95
