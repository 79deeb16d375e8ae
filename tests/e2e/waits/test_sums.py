# SPDX-License-Identifier: GPL-2.0-only
"""The times of a thread are all of its life, by the kernel's own account, whatever is done to it: it is kept
from the CPU, stopped, interrupted, its parent waits for it, it ends at once, or clocks and CPUs change."""
import contextlib
import os
import pathlib
import time

import pytest

import interpreters as known
import profiler
import waits

KINDS = "cpu,offcpu,wall"
TRIGGERS = pytest.mark.parametrize("trigger", ["perf", "timer"])


def start(workloads, *scene, **options):
    return profiler.target(known.usual().path, workloads / "accounts.py", *scene, **options)


def observe(tmp_path, target, trigger, account=waits.life, seconds=3):
    return waits.observe(tmp_path, target, "--trigger", trigger, event=KINDS, account=account,
                         seconds=seconds)


@TRIGGERS
@pytest.mark.parametrize("scene", ["traced", *(pytest.param(scene, marks=pytest.mark.all)
                                               for scene in ("alarms", "spawned", "children"))])
def test_life(trigger, scene, workloads, tmp_path):
    """Stopped by ptrace, interrupted by timers, waiting for a child of vfork and of fork."""
    with start(workloads, scene) as target:
        seen = observe(tmp_path, target, trigger)
    waits.assert_life(seen, target.pid)


@contextlib.contextmanager
def quota(percent):
    """A cgroup whose processes have that part of a CPU."""
    v1, v2 = pathlib.Path("/sys/fs/cgroup/cpu"), pathlib.Path("/sys/fs/cgroup")
    made = (v1 if v1.exists() else v2) / ("pyperf-quota-%d" % os.getpid())
    try:
        if made.parent == v2:
            (v2 / "cgroup.subtree_control").write_text("+cpu")
        made.mkdir()
    except OSError as error:
        pytest.skip("SKIP cgroups: no cgroup with a quota can be made: %s" % error)
    try:
        if made.parent == v2:
            (made / "cpu.max").write_text("%d 100000" % (1000 * percent))
        else:
            (made / "cpu.cfs_quota_us").write_text("%d" % (1000 * percent))
        yield made
    finally:
        made.rmdir()


@TRIGGERS
@pytest.mark.all
def test_throttled(trigger, workloads, tmp_path):
    """Time that a quota keeps a thread from the CPU is a wait for one. Nobody tells of a thread that is kept
    from it when the run begins, until the quota's period of 100 ms is over."""
    with quota(20) as group:
        with start(workloads, "busy") as target:
            (group / "cgroup.procs").write_text(str(target.pid))
            seen = observe(tmp_path, target, trigger)
    waits.assert_life(seen, target.pid, unknown=10**8)
    mine = [s for s in seen.run.samples if s.tid == target.pid]
    assert waits.time_of(mine, "runqueue") > 0.5 * seen.inner


@TRIGGERS
def test_brief_threads(trigger, workloads, tmp_path):
    """Threads that end before anybody lists them have all of their CPU time, up to their last switch, and all
    of their time in the run queue, from their first moment on."""
    sums = tmp_path / "queued"
    sums.write_bytes(b"%020d" % 0)

    def account(pid):
        return time.clock_gettime_ns(~pid << 3 | 2), int(sums.read_bytes())  # the process's CPU clock

    with start(workloads, "brief", sums) as target:
        outer = account(target.pid)
        seen = observe(tmp_path, target, trigger, account=account)
        outer = [after - before for before, after in zip(outer, account(target.pid), strict=True)]
    mine = seen.run.of(target.pid)
    ran, queued = (after - before for before, after in zip(seen.before, seen.after, strict=True))
    assert 0.995 * ran - 0.005 * seen.inner <= waits.time_of(mine, "cpu_time") <= 1.005 * outer[0]
    brief = [s for s in mine if s.tid != target.pid]
    # The thread that is in the run queue when the run begins has been there for as long as others kept it.
    assert 0.995 * queued - 0.005 * seen.inner - 10**8 <= waits.time_of(brief, "runqueue")


@TRIGGERS
@pytest.mark.alone
def test_clock_is_set(trigger, workloads, tmp_path):
    """By two seconds, and back."""
    base = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.monotonic_ns()

    def step(seconds):
        time.clock_settime_ns(time.CLOCK_REALTIME, base + time.monotonic_ns() + seconds * 10**9)

    def account(pid):
        if seconds:
            step(seconds.pop())
        return waits.life(pid)

    try:
        step(0)
    except PermissionError:
        pytest.skip("SKIP users: the clock is root's")
    seconds = [0, 2]
    try:
        with start(workloads, "turns") as target:
            seen = observe(tmp_path, target, trigger, account=account)
    finally:
        step(0)
    waits.assert_life(seen, target.pid)


CPU1 = pathlib.Path("/sys/devices/system/cpu/cpu1/online")


@TRIGGERS
@pytest.mark.alone
@pytest.mark.all
def test_cpu_goes_and_comes(trigger, workloads, tmp_path):
    """A CPU goes offline while a thread runs, and comes back."""
    if not CPU1.exists():
        pytest.skip("SKIP not-applicable: no CPU of this machine can go offline")
    states = ["1", "0"]

    def account(pid):
        found = waits.life(pid)
        CPU1.write_text(states.pop())
        return found

    try:
        with start(workloads, "turns") as target:
            seen = observe(tmp_path, target, trigger, account=account)
    finally:
        CPU1.write_text("1")
    waits.assert_life(seen, target.pid)
