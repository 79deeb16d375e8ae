# SPDX-License-Identifier: GPL-2.0-only
"""The CPU time of threads by the kernel's own account, beside what their ticks say. Who runs for some
microseconds at a time is seen by few ticks: the summary and the profile name it, and nobody else."""
import os
import re

import pytest

import interpreters as known
import pprof
import profiler
import waits

FREQUENCY = 997


def start(workloads, *scene):
    return profiler.target(known.usual().path, workloads / "accounts.py", *scene)


def observe(tmp_path, target, cpu, *arguments):
    """Until the target has used so many seconds of CPU time."""
    run = profiler.Run(tmp_path, "--pid", target.pid, "-F", FREQUENCY, "--stats", "-v", *arguments)
    profiler.wait_until(lambda: run.process.poll() is not None or b"capabilities that are kept" in
                        os.pread(run.streams[1].fileno(), 1 << 24, 0), what="start")
    before = profiler.cpu_seconds(target.pid)
    profiler.wait_until(lambda: run.process.poll() is not None or
                        profiler.cpu_seconds(target.pid) > before + cpu, what="CPU time")
    run.interrupt()
    run.finish()
    comments = [c for c in pprof.read(run.path).comments if "ticks" in c and "account" in c]
    return run, comments, re.findall(r"^.*account, .*by ticks$", run.out + run.err, re.M)


def ticks_of(run, pid):
    return sum(s.count for s in run.of(pid)) / FREQUENCY


@pytest.mark.parametrize("trigger", ["perf", "timer"])
def test_naps(trigger, workloads, tmp_path):
    """Of a thread that sleeps for 20 us at a time the ticks see a part. By how much the two differ depends on
    the machine: if it is as good as nothing, there is nothing to say."""
    with start(workloads, "naps", 20) as target:
        run, comments, lines = observe(tmp_path, target, 0.6, "--trigger", trigger)
    account = run.stats["counters"]["account_ns"] / 1e9
    assert account > 0.5
    assert re.search(r" [0-9.]+ s by the ticks in the profile, [0-9.]+ s by the kernel's account",
                     run.out + run.err)
    # A tenth and four standard deviations of some 500 ticks are chance (user/profile/accounts.c).
    if ticks_of(run, target.pid) > 0.7 * account:
        pytest.skip("SKIP not-applicable: ticks see this machine's threads when they fall asleep")
    assert comments == lines and len(lines) == 1
    assert lines[0].startswith("Thread %d (" % target.pid)
    assert float(re.search(r"([0-9.]+) s of CPU", lines[0])[1]) == pytest.approx(account, abs=0.02)


@pytest.mark.parametrize("scene", ["busy", "short_threads", *(
    pytest.param(scene, marks=pytest.mark.all) for scene in ("turns", "children", "spawned", "pipe"))])
def test_healthy(scene, workloads, tmp_path):
    """What the two differ by is chance, and nothing is said; and the account is all of the time."""
    with start(workloads, scene) as target:
        run, comments, lines = observe(tmp_path, target, 1)
    assert not comments and not lines
    assert run.stats["counters"]["account_ns"] > 0


@pytest.mark.parametrize("trigger,scene", [
    *(("perf", scene) for scene in (("naps", 20), ("naps", 200), ("busy",), ("turns",))),
    *(pytest.param("perf", scene, marks=pytest.mark.all)
      for scene in (("naps", 1000), ("naps", 10000), ("pipe",))),
    *(pytest.param("timer", scene, marks=pytest.mark.all)
      for scene in (("naps", 20), ("naps", 200), ("naps", 10000), ("busy",), ("turns",), ("pipe",)))])
def test_all_of_its_time(trigger, scene, workloads, tmp_path):
    """With waits on, CPU time is that of the account: together they are the life of the thread, within 0.5 %,
    and so is wall, whatever the ticks see."""
    with start(workloads, *scene) as target:
        seen = waits.observe(tmp_path, target, "--trigger", trigger, event="cpu,offcpu,wall",
                             account=waits.life, seconds=3)
    waits.assert_life(seen, target.pid)
    assert_summary_agrees(seen.run)


def assert_summary_agrees(run):
    """The summary shows the time that pprof has, not the ticks; and waits, where there was no tick."""
    if not any(s.values["cpu"] for s in run.samples):
        assert " s of waiting in" in run.out + run.err
        return
    cpu = sum(s.values["cpu_time"] for s in run.samples)
    shown = re.search(r"samples?, ([0-9.,]+) s of CPU in", run.out + run.err)[1]
    assert float(shown.replace(",", "")) == pytest.approx(cpu / 1e9, abs=0.006)


def test_unseen(workloads, tmp_path):
    """A thread that no tick has met has its time all the same, and a frame that says so."""
    with start(workloads, "naps", 10000) as target:
        run = waits.observe(tmp_path, target, "-F", 1, event="cpu,offcpu", seconds=1).run
    mine = [s for s in run.of(target.pid) if s.tid == target.pid]
    unseen = [s for s in mine if profiler.functions(s) == ["[not seen by ticks]"]]
    assert waits.time_of(mine, "cpu_time") > 0
    assert bool(unseen) != any(s.values["cpu"] for s in mine)
