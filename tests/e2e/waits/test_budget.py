# SPDX-License-Identifier: GPL-2.0-only
"""--budget: what samples may cost. Above that waits are thinned, and all time of a thread is still there."""
import os

import pytest

import interpreters as known
import pprof
import profiler
from waits import observe, time_of


def test_thinned(workloads, tmp_path):
    """Hundreds of waits a second, and the least budget that there is: most stacks are not taken, which is
    said three times; the main thread's time is what the kernel says."""
    with profiler.target(known.usual().path, workloads / "waits.py", "parts") as target:
        seen = observe(tmp_path, target, budget="0.001")
    counters = seen.run.stats["counters"]
    assert counters["waits_thinned"] > counters["waits_seen"] > 0
    assert counters["cost_ns"] > 0
    said = "stacks of waits were not taken, to keep within --budget: others stand for them"
    assert said in seen.run.out + seen.run.err
    assert any(said in comment for comment in pprof.read(seen.run.path).comments)
    mine = [s for s in seen.run.of(target.pid) if s.tid == target.pid]
    ran = seen.after[target.pid][0] - seen.before[target.pid][0]
    total = time_of(mine, "offcpu") + time_of(mine, "runqueue") + ran
    assert 0.99 * seen.inner - seen.stolen <= total <= 1.01 * seen.outer


def test_first_waits_of_turns(workloads, tmp_path):
    """A loop whose every turn has eight sleeps: the first eight of a turn are looked at only as long as
    there is something left."""
    with profiler.target(known.usual().path, workloads / "waits.py", "turns") as target:
        seen = observe(tmp_path, target, event="loop", budget="0.001")
        free = observe(tmp_path, target, event="loop", budget="0")
    assert seen.run.stats["counters"]["waits_thinned"] > seen.run.stats["counters"]["waits_seen"] > 0
    counters = free.run.stats["counters"]
    assert counters["waits_seen"] > 0.8 * counters["waits"] > 0


def test_waits_of_other_programs(workloads, tmp_path):
    """A shell whose commands sleep for a millisecond, one after the other. Hardly any of their waits is
    looked at, and none is in the profile. The waits of a Python program beside it are."""
    others = ["sh", "-c", "while sleep 0.001; do :; done"]
    with profiler.target(known.usual().path, workloads / "waits.py", "parts") as target, \
            profiler.target(*others, about=False) as shell:
        seen = profiler.run(tmp_path, "--all-python", "--event", "offcpu", "--budget", "0.001", "-d", 3)
    assert time_of(seen.of(target.pid), "offcpu") > 0
    assert {s.pid for s in seen.samples}.isdisjoint({0, shell.pid})
    assert "sleep" not in {s.comm for s in seen.samples}


@pytest.mark.parametrize("percent", ["-1", "101", "0.0001", "one", ""])
def test_no_percent(percent, tmp_path):
    run = profiler.run(tmp_path, "--pid", os.getpid(), "--budget=" + percent, code=2)
    assert run.err.count("\n") == 1 and "--budget wants percent of a CPU, from 0.001 to 100, or 0" in run.err
