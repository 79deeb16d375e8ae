# SPDX-License-Identifier: GPL-2.0-only
"""Threads that sleep all the time, so that the profiler never sees them go to sleep: their stacks are those
of `pyperf-bpf dump`, which CPython itself judges (test_dump.py), and their time is there all the same."""
import collections
import contextlib
import time

import pytest

import profiler
from dumps import hangs, look
from makers import MAKER
from serving import server
from waits import time_of

ALSO_2_7 = True
FEW_ARE_ENOUGH = True
QUICK_VERSIONS = ("2.7", "3.8", "3.11", "3.13", "3.14")
CALLS = {"futex", "write", "recvfrom", "poll", "ppoll", "clock_nanosleep", "pselect6", "select"}


@pytest.fixture
def hung(version, workloads, tmp_path):
    with profiler.target(version.path, "-S", workloads / "hung.py", tmp_path / "own") as program:
        profiler.wait_until(lambda: hangs(program.pid, program.about), what="hang")
        yield program


def python_frames(sample):
    return [(frame[0], frame[1], frame[3]) for frame in sample.stack if not frame[0].startswith("[")]


def stacks_of(run, pid):
    """{tid: {stack: ns}} of what was whole."""
    found = collections.defaultdict(collections.Counter)
    for sample in run.of(pid):
        if sample.values["offcpu"] and profiler.marker_of(sample.stack) is None:
            found[sample.tid][tuple(python_frames(sample))] += sample.values["offcpu"]
    return found


def dumped(pid):
    return {tid: tuple((f["function"], f["file"], f["line"]) for f in thread["frames"])
            for tid, thread in look(pid).items()}


@contextlib.contextmanager
def looked_at(directory, pid, *options, **how):
    """A profiler that has looked at all seven threads, which takes as long as the machine lets it."""
    with server(directory, "--pid", pid, "--event", "offcpu", *options, stats=True, **how) as s:
        profiler.wait_until(lambda: s.metric("waits_given_total") >= 7,
                            what=lambda: "look at each thread, %d" % s.metric("waits_given_total"))
        yield s
        s.run.interrupt()
        s.run.finish()


def test_stacks_are_those_of_dump(hung, tmp_path):
    with looked_at(tmp_path, hung.pid, output="profile.pb.gz") as s:
        begun = time.monotonic_ns()
        time.sleep(1.5)
        seen = time.monotonic_ns() - begun
    run, judge = s.run, dumped(hung.pid)
    assert len(judge) == 7
    assert {tid: set(stacks) for tid, stacks in stacks_of(run, hung.pid).items()} == {
        tid: {stack} for tid, stack in judge.items()}
    whole = sum(sum(stacks.values()) for stacks in stacks_of(run, hung.pid).values())
    assert whole >= 7 * seen and time_of(run.of(hung.pid), "offcpu") >= whole
    assert {s.stack[0][0] for s in run.of(hung.pid)} <= {"[syscall %s]" % call for call in CALLS}
    assert run.stats["counters"]["waits_given"] == 7


def test_intervals(hung, tmp_path):
    """Each interval has its part, with the stack: the first one from when it was known on."""
    folder = tmp_path / "profiles"
    folder.mkdir()

    def files():
        return sorted(folder.glob("*.pb.gz"))

    with looked_at(tmp_path, hung.pid, "--output-dir", folder, "--interval", 1) as s:
        before = len(files())  # and the one after them, of an interval in which they were looked at
        profiler.wait_until(lambda: len(files()) >= before + 3, what="intervals")
    run, judge = s.run, dumped(hung.pid)
    for path in files()[before + 1:-1]:
        run.samples = profiler.read_samples(path)
        assert {tid: set(stacks) for tid, stacks in stacks_of(run, hung.pid).items()} == {
            tid: {stack} for tid, stack in judge.items()}
    run.samples = [sample for path in files() for sample in profiler.read_samples(path)]
    run.check_books()


test_intervals.versions = ("3.14",)


def test_looked_at_anew_after_the_tree_was_emptied(hung, version, tmp_path):
    """Others fill the tree meanwhile. What a thread slept before it was looked at again is marked."""
    with profiler.targets([(version.path, "-c", MAKER)] * 2) as makers:
        pids = [program.pid for program in makers]
        run = profiler.Run(tmp_path, "--pid", ",".join(map(str, [hung.pid, *pids])), "--event", "cpu,offcpu",
                           "-F", 1997, "--tree-size", 4096)
        try:
            profiler.let_use_cpu(run, pids, 4)
            run.interrupt()
        except BaseException:
            run.kill()
            raise
        run.finish()
    assert run.stats["profile"]["generations"] >= 2
    assert run.stats["counters"]["waits_given"] > 7
    judge = dumped(hung.pid)
    assert {tid: set(stacks) for tid, stacks in stacks_of(run, hung.pid).items()} == {
        tid: {stack} for tid, stack in judge.items()}


test_looked_at_anew_after_the_tree_was_emptied.versions = ("3.14",)
