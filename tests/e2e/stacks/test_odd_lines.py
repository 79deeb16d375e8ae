# SPDX-License-Identifier: GPL-2.0-only
"""Lines that no file has, as code that a program made may have: they are unknown, and never another line."""
import collections

import pytest

import interpreters as known
import profiler

pytestmark = pytest.mark.alone  # so many busy programs leave the CPUs to nobody else


@pytest.fixture(scope="module")
def profiled(workloads, tmp_path_factory):
    """{version: (what it says of itself, samples)}"""
    chosen = known.one_per_version()
    with profiler.targets([(i.path, workloads / "odd_lines.py") for i in chosen]) as started:
        run = profiler.run_while(tmp_path_factory.mktemp("lines"), started, 0.6, "-F", 499)
    return {i.version: (t.about, run.of(t.pid)) for i, t in zip(chosen, started)}


def test_no_line_stands_for_one_that_no_file_has(version, profiled):
    about, samples = profiled[version.version]
    found = collections.defaultdict(collections.Counter)
    for sample in samples:
        for name, file, _, line in sample.stack:
            if file.endswith(".tmpl"):
                found[name][line] += sample.count
    assert set(found) == set(about)
    for name, lines in about.items():
        assert sum(found[name][line] for line in lines) > 0.8 * sum(found[name].values()), (name, found[name])
