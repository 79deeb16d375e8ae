# SPDX-License-Identifier: GPL-2.0-only
"""Programs of tests/workloads/hostile, which forge what is read of them, beside an honest one: what both are
measured by."""
import collections
import contextlib
import json
import subprocess

import pytest

import interpreters as known
import longest
import pprof
import profiler

# One of each way to keep frames and contexts; and in `make check` none, as these are what is hostile.
VERSIONS = ("3.8", "3.11", "3.13", "3.14", "3.15")
PYTHONS = [pytest.param(i, id=str(i), marks=pytest.mark.all) for i in known.of_versions(*VERSIONS)]
FREQUENCY = 4999


@contextlib.contextmanager
def programs(python, program, workloads, *arguments):
    folder = workloads / "hostile"
    with profiler.target(python.path, folder / program, *arguments, stdin=subprocess.PIPE) as hostile, \
            profiler.target(python.path, folder / "honest.py") as honest:
        yield hostile, honest


def beside(python, program, samples, workloads, tmp_path, *arguments, how=(), cpu=None):
    """A run with so many samples of a hostile program that has begun to forge, and of an honest one. how: the
    hostile program's arguments. cpu: seconds of CPU time of that, if it is not to be a sample each."""
    with programs(python, program, workloads, *how) as (hostile, honest), longest.of(hostile.pid) as switches:
        run = profiler.Run(tmp_path, "-p", "%d,%d" % (hostile.pid, honest.pid), "-F", FREQUENCY, *arguments)
        try:
            profiler.let_use_cpu(run, [hostile.pid, honest.pid], 0.5, limit=120)
            hostile.tell()
            hostile.ready()
            switches.begin()
            profiler.let_use_cpu(run, [hostile.pid, honest.pid], samples / FREQUENCY if cpu is None else cpu)
            assert hostile.process.poll() is None and honest.process.poll() is None
            run.took = switches.end()
            run.interrupt()
            run.finish(300)
        finally:
            run.kill()
    run.hostile, run.honest, run.profile = hostile, honest, pprof.read(run.path)
    counters, kernel = run.stats["counters"], run.stats["kernel"]
    told = {"ticks": run.stats["profile"]["samples"], "max_ns": kernel["max_ns"], "p99_ns": kernel["p99_ns"],
            "reads": counters["reads"], "switches": run.took, "seen": counters["waits_seen"]}
    print(python, program, json.dumps(told), hostile.about)
    print({key: value for key, value in run.stats["outcomes"].items() if value})
    return run


def samples_of(run, target):
    return [sample for sample in run.profile.samples if int(sample.labels["pid"]) == target.pid]


def reads_at_most(run, most):
    """On average, for each tick; whose half are the hostile program's at least."""
    assert 0 < run.stats["counters"]["reads"] <= most * run.stats["profile"]["samples"]


def right(samples, truth, keys):
    """Share of the samples of functions that say what their labels are which have them all. None may have
    another one."""
    found = collections.Counter()
    for sample in samples:
        names = [frame.function for frame in sample.frames if frame.function in truth]
        if len(names) != 1 or "[" in "".join(frame.function for frame in sample.frames):
            continue
        for key in keys:
            want, have = truth[names[0]][key], sample.labels.get(key)
            found["right" if have == want else "wrong: %s" % have if have else "none"] += sample.values[0]
    print(found)
    assert not [name for name in found if name.startswith("wrong")], found
    return found["right"] / max(1, found.total())


def only_own_labels(run, key, others):
    """The hostile program's samples have nothing that only the honest one has in its memory."""
    own = collections.Counter()
    for sample in samples_of(run, run.hostile):
        own[sample.labels.get(key)] += sample.values[0]
    print(own.most_common(12))
    assert not [text for text in own if text and others in text], own


def switches_are_short(run):
    """Half of them at least end within what a wait may take (docs/security.md), and what passes between two
    looks at the clock: more is not asserted, as another machine may have taken the CPU away."""
    assert run.took["switches"] > 300, run.took
    assert run.took["p50_ns"] <= 130000, run.took
