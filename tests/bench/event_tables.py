# SPDX-License-Identifier: GPL-2.0-only
"""The table of the kinds of events: what each costs and how true it is, beside profilers that give the same
answer.

The programs are tests/workloads/bench/answers.py, which keep an account of what each of their functions has
had. wrong: how much of the profile is on another function than by that account.
"""
import collections
import dataclasses
import pathlib
import re
import statistics
import struct
import tempfile
import time

import peers as others
from common import CPUS, TARGET_CPU, WORKLOADS, Progress, Skip, Started, Table, Target, cpu_of, ours
from common import profiler, target, wait_for_ticks

OURS = "pyperf-bpf"
HERTZ = 999
HELD_BY = "[GIL held by]"
# Of each kind: our option, what its samples are in --stats-json, the counters that are its events, and the
# time in the kernel.
Kind = collections.namedtuple("Kind", "option books events times peers")
KINDS = {
    "cpu": Kind("cpu", "outcomes", (), ("run_time_ns",),
                (others.PySpy(), others.Tachyon(), others.Tachyon("Tachyon --blocking", "--blocking"))),
    "offcpu": Kind("offcpu", "offcpu_outcomes", ("waits",), ("wait_time_ns",),
                   (others.PySpy("py-spy --idle", "--idle"), others.Tachyon("Tachyon, wall"))),
    "gil": Kind("gil", "gil_outcomes", ("gil_held", "gil_free", "gil_unknown"), ("wait_time_ns",),
                (others.PySpy("py-spy --gil", "--gil"),
                 others.Tachyon("Tachyon, gil", "--all-threads", "--mode", "gil"))),
    "memory": Kind("memory", "memory_outcomes", ("memory_seen",), ("memory_time_ns",), (others.Memray(),)),
}
IGNORED = "not_selected", "idle"  # ticks of others


@dataclasses.dataclass
class Seen:
    """One run. shares: {function: what it got}; events: of which `lost` in % have no stack; cost: CPU
    seconds in each second."""

    shares: collections.Counter
    events: float
    lost: float
    cost: float
    wrong: float = 0.0
    slower: float = 0.0


def queued(pid):
    """Nanoseconds that its main thread could run, and another program had its CPU."""
    return int(pathlib.Path("/proc/%d/schedstat" % pid).read_text().split()[1])


class Account(Progress):
    """What the program's functions have had, besides its rounds."""

    pid = 0

    def speed(self, seconds):
        """Rounds in a second, without the time that other programs had its CPU: a profiler that stops it
        counts, a busy machine does not."""
        begin, before = self.read(), queued(self.pid)
        time.sleep(seconds)
        end, after = self.read(), queued(self.pid)
        return (end[0] - begin[0]) / max(1, end[1] - begin[1] - (after - before)) * 1e9

    def had(self, names):
        return dict(zip(names, struct.unpack_from("<%dQ" % len(names), self.page, 16)))


def by_function(stacks, names):
    """Of each stack the newest call of one of these functions."""
    shares = collections.Counter()
    for stack, count in stacks.items():
        mine = next((name for name in reversed(stack) if name in names), None)
        if mine:
            shares[mine] += count
    return shares


def difference(shares, truth):
    """Percent of the profile that would have to be on another function."""
    found, true = (max(1, sum(one.values())) for one in (shares, truth))
    return 50 * sum(abs(shares[name] / found - truth[name] / true) for name in truth)


def during(progress, seconds, started):
    """(rounds a second, CPU seconds a second of the profiler) while it runs."""
    time.sleep(0.5)
    begin, before = time.monotonic(), cpu_of(started.pid)
    speed = progress.speed(max(0.2, seconds - 1))
    return speed, (cpu_of(started.pid) - before) / (time.monotonic() - begin)


def ours_folded(path, kind):
    """Stacks of this kind; of a wait for the GIL that of the holder."""
    stacks = collections.Counter()
    for stack, count in others.folded(path, lambda frame: re.sub(r" \(.*|_\[k\]$", "", frame)).items():
        if kind == "gil" and HELD_BY in stack:
            stack = stack[stack.index(HELD_BY):]
        elif kind == "gil":
            continue
        stacks[stack] += count
    return stacks


def run_ours(kind, directory, running, seconds, progress):
    """The speed is that of a second run: to measure the time in the kernel takes longer than what a page of
    growth takes."""
    path, row, seen = pathlib.Path(directory) / "ours.folded", KINDS[kind], []

    def watch(started):
        wait_for_ticks(started.pid)
        seen.append(during(progress, seconds, started))

    options = "-p", running.pid, "--event", row.option, "-F", HERTZ, "-d", seconds, "-o", path
    _, stats = ours(directory, *options, until=watch)
    plain = Started([profiler.BINARY, "-q", "-n", 0, *options[:-1], "/dev/null"])
    watch(plain)
    if plain.finish().code:
        raise RuntimeError("pyperf-bpf failed")
    books = {name: value for name, value in stats[row.books].items() if name not in IGNORED}
    events = sum(stats["counters"][name] for name in row.events) or sum(books.values())
    kernel = sum(stats["kernel"][name] for name in row.times) / 1e9 / stats["seconds"]
    shares = by_function(ours_folded(path, kind), running.about["functions"])
    lost = 100 * (1 - books["whole"] / max(1, sum(books.values())))
    return seen[1][0], Seen(shares, events / stats["seconds"], lost, seen[0][1] + kernel)


def run_peer(peer, directory, running, seconds, progress):
    path = pathlib.Path(directory) / "peer.out"
    started = Started(peer.command(running.pid, HERTZ, seconds, path))
    speed, cost = during(progress, seconds, started)
    done = started.finish()
    if not path.exists() or not path.stat().st_size:
        said = (done.err or done.out).strip().splitlines() or ["no output"]
        raise Skip("exit code %d: %s" % (done.code, said[-1][:200]))
    stacks, _ = peer.read(path, done)
    samples = sum(stacks.values())
    shares = by_function(stacks, running.about["functions"])
    lost = max(0.0, 100 * (1 - samples / (HERTZ * round(seconds))))
    return speed, Seen(shares, samples / round(seconds), lost, cost)


def observed(kind, peer, settings, seconds):
    """Profiles a new process, which first runs by itself."""
    program = others.python_3_15() if isinstance(peer, others.Tachyon) else settings.python.path
    progress = Account()
    # Two threads on one CPU wait for that CPU, not for the GIL.
    cpus = CPUS if kind == "gil" else [TARGET_CPU]
    with target(program, "answers.py", kind, *progress.options, cpus=cpus) as running, \
            tempfile.TemporaryDirectory() as directory:
        progress.pid = running.pid
        time.sleep(0.3)
        alone = progress.speed(max(0.5, seconds * 0.5))
        before = progress.had(running.about["functions"])
        if peer:
            speed, seen = run_peer(peer, directory, running, seconds, progress)
        else:
            speed, seen = run_ours(kind, directory, running, seconds, progress)
        after = progress.had(running.about["functions"])
    seen.wrong = difference(seen.shares, {name: after[name] - before[name] for name in after})
    seen.slower = 100 * (alone / max(speed, 1e-9) - 1)
    return seen


def started_with(peer, seconds):
    """Runs a program by itself, and then under a profiler that has to be there from its start."""
    speeds, python = [], peer.python()
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "peer.out"
        for before in [], peer.around(path):
            progress = Account()
            command = [python, *before, WORKLOADS / "answers.py", "memory", *progress.options]
            running = Target(command, [TARGET_CPU])
            progress.pid = running.pid
            try:
                time.sleep(0.3)
                speeds.append(progress.speed(seconds))
                truth = progress.had(running.about["functions"])
                done = progress.read()[0]
            finally:
                running.stop()
        stacks, events = peer.read(path)
    each = 1 / speeds[1] - 1 / speeds[0]  # seconds a round
    shares = by_function(stacks, running.about["functions"])
    return Seen(shares, events / max(1, done) * speeds[1], 0.0, max(0.0, each * speeds[1]),
                difference(shares, truth), 100 * (speeds[0] / speeds[1] - 1))


def row_of(kind, peer, settings):
    seconds = max(2, round(settings.seconds(4)))
    runs = []
    for _ in range(min(3, settings.repeats)):
        runs.append(started_with(peer, seconds) if isinstance(peer, others.Memray)
                    else observed(kind, peer, settings, seconds))

    def of(what):
        return statistics.median(map(what, runs))

    return {"kind": kind, "profiler": peer.name if peer else OURS, "slower %": of(lambda one: one.slower),
            "lost %": of(lambda one: one.lost), "wrong %": of(lambda one: one.wrong),
            "events/s": of(lambda one: one.events),
            "µs an event": of(lambda one: 1e6 * one.cost / max(1, one.events)),
            "% of a CPU": of(lambda one: 100 * one.cost)}


def events(settings, save):
    del save
    table = Table("11. Kinds of events beside profilers that give the same answer, %d Hz where they sample"
                  % HERTZ,
                  "Medians of runs. slower: the program by its own rounds. lost: without a stack. wrong: on\n"
                  "another function than by the program's own account. An event: a sample, a wait, a step\n"
                  "of growth; with memray an allocation. Ours has all time in the kernel,\n"
                  "that of the switches of other programs too.")
    for kind, row in KINDS.items():
        for peer in (None, *row.peers):
            try:
                table.add(**row_of(kind, peer, settings))
            except (Skip, RuntimeError, ValueError, OSError) as e:
                table.skip("%s, %s" % (kind, peer.name if peer else OURS), str(e) or type(e).__name__)
    return [table], table.rows
