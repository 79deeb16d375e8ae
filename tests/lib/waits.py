# SPDX-License-Identifier: GPL-2.0-only
"""Profiles waits beside an account of them that is not ours."""
import collections
import contextlib
import os
import pathlib
import time

import profiler

HOLDER = "[GIL held by]"


def schedstat(pid):
    """{tid: (ns that it ran, ns in a run queue)}"""
    found = {}
    for task in pathlib.Path("/proc/%d/task" % pid).iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            run, queue, _ = map(int, (task / "schedstat").read_text().split())
            found[int(task.name)] = run, queue
    return found


def let_run(pid, least=0, but=()):
    """Until each thread that waits for a CPU now has had one: nobody has seen that wait begin, so it is not
    in the profile. least: ns that each thread, but those, must have run meanwhile, whatever it waits for."""
    first = schedstat(pid)
    waits = {tid for tid in first if tid not in but and (least or state_of(pid, tid) == "R")}

    def has_run(tid):
        now = schedstat(pid).get(tid)
        return not now or now[0] > first[tid][0] + least

    profiler.wait_until(lambda: all(has_run(tid) for tid in waits), what="CPU for each thread")


def state_of(pid, tid):
    with contextlib.suppress(OSError):
        return pathlib.Path("/proc/%d/task/%d/stat" % (pid, tid)).read_text().rpartition(")")[2].split()[0]
    return None


def stolen():
    """ns that a hypervisor has kept all CPUs to itself, in /proc/stat's units: time of no thread, by the
    kernel's account and by ours."""
    with open("/proc/stat") as stat:
        return int(stat.readline().split()[8]) * 10**9 // os.sysconf("SC_CLK_TCK")


Account = collections.namedtuple("Account", "run before after inner outer stolen")


def observe(directory, target, *arguments, event="offcpu", account=schedstat, seconds=2,
            budget="0"):
    """Profiles a target; the times that bound what must be found, whenever we are run ourselves. account(pid)
    is asked at the beginning and at the end. budget: none is thinned, since shares of lines are compared."""
    outer, lost = time.monotonic_ns(), stolen()
    run = profiler.Run(directory, "--pid", target.pid, "--event", event, "--min-wait", "0",
                       "--budget", budget, "-v", *arguments)

    def is_ready():
        return b"capabilities that are kept" in os.pread(run.streams[1].fileno(), 1 << 24, 0)

    profiler.wait_until(lambda: is_ready() or run.process.poll() is not None, what="start")
    let_run(target.pid)
    before, inner = account(target.pid), time.monotonic_ns()
    time.sleep(seconds)
    inner, after = time.monotonic_ns() - inner, account(target.pid)
    run.interrupt()
    run.finish()
    return Account(run, before, after, inner, time.monotonic_ns() - outer, stolen() - lost)


def life(pid):
    """{tid: ns that it ran, by the kernel's account}"""
    return {tid: ran for tid, (ran, _) in schedstat(pid).items()}


def assert_life(seen, tid, unknown=0):
    """What a thread did in a run of observe(), of cpu, offcpu and wall, with life() as the account: its parts
    are all of its life, within 0.5 %, and so is wall. unknown: ns of a wait for a CPU in which it may have
    been already when the run began."""
    mine = [s for s in seen.run.samples if s.tid == tid]
    spent = {part: time_of(mine, part) for part in ("cpu_time", "offcpu", "runqueue")}
    total = sum(spent.values())
    assert time_of(mine, "cpu_time") >= seen.after[tid] - seen.before[tid] - 0.005 * seen.inner
    assert 0.995 * seen.inner - seen.stolen - unknown <= total <= 1.005 * seen.outer, (spent, seen)
    assert time_of(mine, "wall") == total


def time_of(samples, kind, function=None):
    return sum(sample.values[kind] for sample in samples
               if function is None or function in profiler.functions(sample))


def parts(stack):
    """A stack, leaf first, as those that a judge can look at: of a wait for the GIL that of who holds it, and
    that of who waits. Of each: its frames of Python, and whether it reaches the root."""
    at = next((i for i, frame in enumerate(stack) if frame[0] == HOLDER), None)
    for part in [stack] if at is None else [stack[:at], stack[at + 1:]]:
        yield [frame for frame in part if not frame[0].startswith("[")], not profiler.marker_of(part)
