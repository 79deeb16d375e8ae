# SPDX-License-Identifier: GPL-2.0-only
"""kill -9 at any moment: while it loads, attaches, samples, writes, answers, ends. No profile is torn or has
half a name, no process and no BPF object stays."""
import os
import random
import re
import signal
import time

import pytest

import bpf_objects
import faults
import interpreters as known
import pprof
import profiler

NEWEST = [known.newest()]
NAME = re.compile(r"pyperf-bpf-\d{8}T\d{6}\.\d{3}Z\.pb\.gz")
SECONDS = 1.5  # in which it is killed; it loads for about a third of them


@pytest.fixture(scope="module", params=NEWEST, ids=str)
def busy(request, workloads):
    with profiler.target(request.param.path, workloads / "edges.py") as started:
        yield started


def start(directory, number, pid):
    """In turn: a profile after the other; one profile, in place of the one that is there."""
    if number % 2:
        return profiler.Run(directory, "-p", pid, "-F", 499, "-d", 0.5, stats=False)
    return profiler.Run(directory, "-p", pid, "-F", 499, "--output-dir", directory / "profiles", "--interval",
                        0.1, "--keep", 40, output=None, stats=False)


def kill(run, seconds, sampling):
    """The main process alone, as a service manager or the kernel would when memory runs short. sampling: the
    seconds count from its first sample on, however busy the machine is."""
    if sampling:
        profiler.wait_until(lambda: profiler.samples_cpus(run) or run.process.poll() is not None)
    time.sleep(seconds)
    os.kill(run.process.pid, signal.SIGKILL)
    run.process.wait(300)
    left = faults.wait_for_group(run.process.pid, 300)
    run.finish(code=None)
    assert not left
    assert run.code in (0, -signal.SIGKILL)


def kill_often(directory, pid, times):
    """Returns how many of them were killed before their end."""
    (directory / "profiles").mkdir()
    moments, killed = random.Random(times), 0
    before = bpf_objects.everything()
    for number in range(times):
        run = start(directory, number, pid)
        kill(run, SECONDS * moments.random(), sampling=number % 4 >= 2)
        killed += run.code != 0
        # All that has a profile's name is one, whole.
        for path in [*directory.glob("*.pb.gz"), *(directory / "profiles").iterdir()]:
            if not path.name.endswith(".tmp"):
                assert path.parent == directory or NAME.fullmatch(path.name)
                pprof.read(path)
    assert not bpf_objects.left_since(before, 300)
    return killed


def temporary(directory):
    return [path for path in directory.rglob(".pyperf-bpf.*")]


def check(directory, pid, times):
    killed = kill_often(directory, pid, times)
    assert killed > times / 3
    assert len(list((directory / "profiles").iterdir())) > 2
    # A file has no name before it is whole. When it takes the place of another there is a moment in between.
    assert len(temporary(directory)) <= 1 + times / 100
    assert not temporary(directory / "profiles")
    run = profiler.end_after(profiler.Run(directory, "-p", pid), [pid], 0.2)
    assert profiler.total(run.samples) > 0


def test_thirty_times(busy, tmp_path):
    check(tmp_path, busy.pid, 30)


@pytest.mark.long
def test_five_hundred_times(busy, tmp_path):
    check(tmp_path, busy.pid, 500)


def test_what_a_killed_writer_left_goes(busy, tmp_path):
    """Where a file has a name from the start a killed writer leaves it. Old ones go with the next file."""
    folder = tmp_path / "profiles"
    folder.mkdir()
    old, new, other = (folder / name for name in (".pyperf-bpf.0123456789abcdef.tmp",
                                                  ".pyperf-bpf.fedcba9876543210.tmp", ".pyperf-bpf.mine"))
    for path in old, new, other:
        path.write_bytes(b"half a profile")
    os.utime(old, (time.time() - 7200,) * 2)
    os.utime(other, (time.time() - 7200,) * 2)
    profiler.run(tmp_path, "-p", busy.pid, "-d", 0.5, "--output-dir", folder, "--interval", 0.2, output=None)
    assert not old.exists()
    assert new.exists() and other.exists()  # somebody may be writing it; not the profiler's
