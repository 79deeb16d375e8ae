# SPDX-License-Identifier: GPL-2.0-only
"""--event offcpu: where threads wait, and for how long. What is counted is compared with the kernel's own
account of each thread (/proc/PID/task/TID/schedstat), never with how long something should have taken."""
import collections
import os

import pytest

import interpreters as known
import profiler
from serving import server
from waits import observe, time_of

FEW_ARE_ENOUGH = True
NEEDED = 0.4  # seconds of waits at least that a run must have seen; a busy machine only makes it longer


@pytest.fixture(params=known.available(), ids=lambda python: python.name)
def python(request):
    return request.param


def start(python, workloads, scene):
    return profiler.target(python.path, workloads / "waits.py", scene)


def leaf_line(sample):
    """The line of the newest Python frame."""
    return next((frame[3] for frame in sample.stack if frame[1].endswith("waits.py")), None)


def test_sleeps(python, workloads, tmp_path):
    """The same number of sleeps of each length, as the kernel ends them: their lines, their system call."""
    with start(python, workloads, "sleeps") as target:
        seen = observe(tmp_path, target)
        lines = target.about["lines"]
    # The sleep that it was in when the profiler came may have ended before anybody looked (test_asleep.py).
    samples = [s for s in seen.run.of(target.pid) if profiler.marker_of(s.stack) != "unseen"]
    asleep = time_of(samples, "offcpu")
    assert asleep > NEEDED * 1e9
    known_lines = {lines[name] for name in ("long_sleep", "middle_sleep", "short_sleep")}
    right = sum(s.values["offcpu"] for s in samples if leaf_line(s) in known_lines)
    assert right >= 0.999 * asleep
    at = [time_of(samples, "offcpu", name) for name in ("long_sleep", "middle_sleep", "short_sleep")]
    assert at[0] > at[1] > at[2] > 0
    names = {s.stack[0][0] for s in samples if s.values["offcpu"]}
    assert names & {"[syscall clock_nanosleep]", "[syscall nanosleep]", "[syscall select]",
                    "[syscall pselect6]"}


def test_parts(workloads, tmp_path):
    """Sleeps of 10, 1 and 0.2 ms, 5 : 3 : 2 of the time: each has what the program's own clocks say, at least
    while the profiler was there for sure, and at most while it may have been there."""
    def slept(_=None):
        """Of sleeps that have ended, the one among them that was going on when this was asked."""
        text = (tmp_path / "slept").read_text
        before = text()
        profiler.wait_until(lambda: text() != before, what="the end of a sleep")
        return [float(seconds) * 1e9 for seconds in text().split()]

    with profiler.target(known.usual().path, workloads / "waits.py", "parts", tmp_path) as target:
        profiler.wait_until((tmp_path / "slept").exists)
        earlier = slept()
        seen = observe(tmp_path, target, account=slept)
        later = slept()
    samples = seen.run.of(target.pid)
    assert sum(seen.after) - sum(seen.before) > NEEDED * 1e9
    for i, name in enumerate(("long_sleep", "middle_sleep", "short_sleep")):
        found = sum(time_of(samples, kind, name) for kind in ("offcpu", "runqueue"))
        least, most = seen.after[i] - seen.before[i], later[i] - earlier[i]
        assert 0.98 * least <= found <= 1.02 * most, (name, least, found, most)


@pytest.mark.parametrize("scene, function, below", [("file", "reads_file", "[syscall pread64]"),
                                                    ("memory", "touches_memory", "[page fault]")])
def test_disk(scene, function, below, workloads, tmp_path):
    """A file that the kernel has forgotten, read by a system call and by touching memory that maps it."""
    if not os.major(os.stat(tmp_path).st_dev):
        pytest.skip("SKIP not-applicable: the tests' folder is on no disk")
    with profiler.target(known.usual().path, workloads / "waits.py", scene, tmp_path) as target:
        samples = observe(tmp_path, target).run.of(target.pid)
    of_function = [s for s in samples if s.values["offcpu"] and function in profiler.functions(s)]
    asleep = collections.Counter()
    for s in of_function:
        asleep[tuple(name for name in profiler.functions(s) if name.startswith("["))] += s.values["offcpu"]
    # To have it forgotten takes its time as well, on some machines more.
    reading = sum(ns for names, ns in asleep.items() if below in names)
    assert asleep["[I/O]", below] > 0.9 * reading > 0, asleep


CAUSES = {"lock": ("wants_lock", "futex"), "pipe": ("reads_pipe", "read"), "poll": ("polls", "select")}


@pytest.mark.parametrize("scene", CAUSES)
def test_causes(scene, workloads, tmp_path):
    function, call = CAUSES[scene]
    with start(known.usual(), workloads, scene) as target:
        seen = observe(tmp_path, target, seconds=1.5)
    of_function = [s for s in seen.run.of(target.pid)
                   if s.values["offcpu"] and profiler.functions(s)[1:2] == [function]]
    right = sum(s.values["offcpu"] for s in of_function if call in s.stack[0][0])
    assert right >= 0.999 * time_of(of_function, "offcpu") > 0


@pytest.mark.parametrize("scene", ["sleeps", "busy", *(pytest.param(scene, marks=pytest.mark.all)
                                                       for scene in ("lock", "pipe", "poll"))])
def test_sum(scene, workloads, tmp_path):
    """Off the CPU + in the run queue + running = all of the main thread's time, within 1 %; and the kernel
    says the same of the run queue, within 2 % of the time."""
    with start(known.usual(), workloads, scene) as target:
        seen = observe(tmp_path, target)
    mine = [s for s in seen.run.of(target.pid) if s.tid == target.pid]
    ran, queued = (b - a for a, b in zip(seen.before[target.pid], seen.after[target.pid]))
    total = time_of(mine, "offcpu") + time_of(mine, "runqueue") + ran
    assert 0.99 * seen.inner - seen.stolen <= total <= 1.01 * seen.outer
    assert time_of(mine, "runqueue") >= queued - 0.02 * seen.inner


def test_short_waits_are_in_the_books_only(workloads, tmp_path):
    with start(known.usual(), workloads, "sleeps") as target:
        run = profiler.run(tmp_path, "--pid", target.pid, "--event", "offcpu", "--min-wait", "5000", "-d", 1)
    assert run.stats["offcpu_outcomes"]["short"] > 0
    assert not [s for s in run.of(target.pid) if "middle_sleep" in profiler.functions(s) and
                s.values["offcpu"] and s.values["offcpu"] < 1000000]


def test_both_kinds_and_the_cache(workloads, tmp_path):
    with start(known.usual(), workloads, "busy") as target:
        run = profiler.run_while(tmp_path, [target], 0.5, "--event", "cpu,offcpu", "--cache", "check")
    assert run.stats["counters"]["cache_mismatch"] == 0
    samples = run.of(target.pid)
    assert time_of(samples, "cpu", "burn") > 0 and time_of(samples, "offcpu", "busy") > 0


@pytest.mark.parametrize("kind", ["walls", "", "cpu,cpu", "cpu,cycles", "offcpu,", "cpu;offcpu"])
def test_unknown_kinds(kind, tmp_path):
    run = profiler.run(tmp_path, "--event", kind, "--pid", os.getpid(), code=2)
    assert run.err.count("\n") == 1 and "--event wants cpu, cycles, offcpu, gil, wall, memory" in run.err


def test_folded_says_the_kind(workloads, tmp_path):
    """Both kinds of time as nanoseconds, and the CPU's too."""
    with start(known.usual(), workloads, "busy") as target:
        run = profiler.run(tmp_path, "--pid", target.pid, "--event", "cpu,offcpu", "-d", 1,
                           "--format", "folded", output="app.folded")
    sums = collections.Counter()
    for line in run.path.read_text().splitlines():
        sums[line.partition(";")[0]] += int(line.rpartition(" ")[2])
    assert set(sums) <= {"cpu", "offcpu", "runqueue"} and {"cpu", "offcpu"} <= set(sums)
    for kind in ("offcpu", "runqueue"):
        assert sums[kind] == run.stats["profile"][kind + "_samples"]
    assert sums["cpu"] > 0


def test_one_kind_over_http(workloads, tmp_path):
    with start(known.usual(), workloads, "busy") as target:
        with server(tmp_path, "--pid", target.pid, "--event", "offcpu") as s:
            profile = s.profile("seconds=1&type=offcpu")
            assert [tuple(one) for one in profile.sample_types] == [("offcpu", "nanoseconds")]
            assert profile.total > 0
            for kind, reason in ("cpu", b"not started with"), ("walls", b"such as cpu or offcpu"):
                answer = s.get("/debug/pprof/profile?seconds=1&type=" + kind)
                assert answer.status == 400 and reason in answer.body
            s.end()
