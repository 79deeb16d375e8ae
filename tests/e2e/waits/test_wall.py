# SPDX-License-Identifier: GPL-2.0-only
"""--event wall: all of a thread's time, running or not, as the sum of the kinds that are measured. How long
the threads were there is compared with the kernel's own account of them."""
import collections

import pytest

import interpreters as known
import profiler
from serving import server
from waits import observe, time_of

MEASURED = ("offcpu", "runqueue", "gil")


VERSIONS = known.of_versions("3.8", "3.11", "3.14")


def by_stack(samples, kind):
    """{(thread, stack): nanoseconds}, of those that have any."""
    sums = collections.Counter()
    for sample in samples:
        if sample.values.get(kind):
            sums[sample.tid, tuple(sample.stack)] += sample.values[kind]
    return sums


def tick_ns(run):
    return 10**9 // run.stats["frequency"]


def of_parts(samples):
    sums = by_stack(samples, "cpu_time")
    for kind in MEASURED:
        sums.update(by_stack(samples, kind))
    return sums


def books(stats, prefix, outside=("new_process", "not_python", "not_selected", "idle", "nested", "short")):
    return sum(n for outcome, n in stats[prefix + "outcomes"].items() if outcome not in outside)


@pytest.mark.parametrize("scene, kinds", [("sleeps", "cpu,offcpu,wall"), ("busy", "cpu,offcpu,wall"),
                                          ("lock", "cpu,offcpu,gil,wall"), ("greedy", "cpu,offcpu,gil,wall")])
def test_wall_is_the_sum_of_all_kinds(scene, kinds, workloads, tmp_path):
    """Stack by stack; and so are the books."""
    with profiler.target(known.usual().path, workloads / "waits.py", scene) as target:
        run = observe(tmp_path, target, event=kinds, seconds=1.5).run
    samples = run.of(target.pid)
    assert by_stack(samples, "wall") == of_parts(samples)
    assert books(run.stats, "wall_") == run.stats["profile"]["wall_samples"] > 0
    assert run.stats["profile"]["wall_samples"] == run.stats["profile"]["samples"] * tick_ns(run) + sum(
        run.stats["profile"][kind + "_samples"] for kind in MEASURED)


@pytest.mark.parametrize("python", VERSIONS, ids=lambda python: python.minor)
def test_all_of_a_threads_time(python, workloads, tmp_path):
    """A thread that mostly sleeps: little of its time is the CPU's, whose ticks are few. Alone, the kind
    shows nothing but itself. What is not seen is a wait for a CPU that began before."""
    with profiler.target(python.path, workloads / "waits.py", "sleeps") as target:
        seen = observe(tmp_path, target, event="wall")
    mine = [s for s in seen.run.of(target.pid) if s.tid == target.pid]
    assert {kind for s in mine for kind in s.values} == {"wall"}
    ran, queued = (b - a for a, b in zip(seen.before[target.pid], seen.after[target.pid]))
    ticks = tick_ns(seen.run) * seen.run.stats["ticks"]
    total = time_of(mine, "wall")
    assert 0.99 * seen.inner - ran - queued <= total <= 1.01 * seen.outer + ticks
    assert {"long_sleep", "middle_sleep", "short_sleep"} <= {f for s in mine for f in profiler.functions(s)}


def test_only_main_threads(workloads, tmp_path):
    with profiler.target(known.usual().path, workloads / "waits.py", "greedy") as target:
        run = observe(tmp_path, target, "--threads", "main", event="cpu,offcpu,wall", seconds=1).run
    samples = run.of(target.pid)
    assert {s.tid for s in samples} == {target.pid}
    assert time_of(samples, "wall") > 0 and not time_of(samples, "wall", "burns")


def test_only_what_is_active(workloads, tmp_path):
    """Sleep is left out: what is left of a sleeper is its way there and back."""
    with profiler.target(known.usual().path, workloads / "waits.py", "greedy") as target:
        run = observe(tmp_path, target, "--threads", "active", event="cpu,offcpu,wall", seconds=1).run
    samples = run.of(target.pid)
    assert time_of(samples, "wall", "burns") > 0
    assert run.stats["counters"]["offcpu_ns"] == time_of(samples, "offcpu") == 0
    assert by_stack(samples, "wall") == of_parts(samples)


def test_over_http(workloads, tmp_path):
    with profiler.target(known.usual().path, workloads / "waits.py", "busy") as target:
        with server(tmp_path, "--pid", target.pid, "--event", "wall") as s:
            profile = s.profile("seconds=1&type=wall")
            assert s.get("/debug/pprof/profile?seconds=1&type=cpu").status == 400
    assert profile.sample_types == [("wall", "nanoseconds")]
    assert sum(sample.count for sample in profile.samples) > 0
