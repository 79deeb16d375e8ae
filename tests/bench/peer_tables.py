# SPDX-License-Identifier: GPL-2.0-only
"""Table 3: the whole cost of a sample, and how true samples are, beside other profilers in the same run.

Cost is all CPU time of the profiler plus what our kernel program used (theirs has none). The profiler's CPU
time is looked at half a second after it began to sample, shortly before it ends and when it has ended: that
tells what the start costs, the samples, and the end with its export. A sample's cost counts the samples' part
and one end a minute.
"""
import collections
import dataclasses
import pathlib
import re
import tempfile
import time

import chart
import peers as others
from common import Progress, Skip, Started, Table, cpu_of, ours, target, wait_for_ticks

OURS = "pyperf-bpf"
RATES = 99, 999, 9999
STARTED = 0.5  # seconds after which a profiler has started
DEPTHS = (0, 0), (1, 5), (6, 10), (11, 15), (16, 20), (21, 25), (26, 30)  # last call of a stack of chain.py


class Watch:
    """Looks at a profiler while it runs: its CPU time once it has started, the speed of its target."""

    def __init__(self, progress, seconds):
        self.progress, self.seconds, self.start, self.running, self.speed = progress, seconds, 0.0, 0.0, 0.0

    def ours(self, started):
        wait_for_ticks(started.pid)
        self.anybody(started)

    def anybody(self, started):
        time.sleep(STARTED)
        self.start, begin = cpu_of(started.pid), time.monotonic()
        self.speed = self.progress.speed(max(0.1, self.seconds - 2 * STARTED))
        self.running = (cpu_of(started.pid) - self.start) / (time.monotonic() - begin)


@dataclasses.dataclass
class Measured:
    """One run: stacks, samples delivered, those of them that the profiler itself calls bad; CPU seconds of
    the profiler in all, of the kernel program, of the start, and for each second in between; slowdown of the
    target in %."""

    stacks: collections.Counter
    samples: int
    errors: int
    cpu: float
    kernel: float = 0.0
    start: float = 0.0
    running: float = 0.0
    slower: float = 0.0

    def costs(self, seconds):
        samples = max(1, self.samples) / seconds
        each = self.running / samples + self.kernel / max(1, self.samples)
        end = max(0.0, self.cpu - self.start - self.running * (seconds - STARTED))
        return {"µs a sample": (each + end / (60 * samples)) * 1e6,
                "of it kernel": self.kernel / max(1, self.samples) * 1e6,
                "start ms": self.start * 1e3, "end ms": end * 1e3}


def without_owner(path):
    """Our folded stacks; their first two frames are the process and the thread."""
    stacks = collections.Counter()
    for stack, count in others.folded(path, lambda frame: re.sub(r" \(.*", "", frame)).items():
        stacks[stack[2:]] += count
    return stacks


def run_ours(directory, pid, frequency, seconds, watch):
    path = pathlib.Path(directory) / "ours.folded"
    done, stats = ours(directory, "-p", pid, "-F", frequency, "-d", seconds, "-o", path, until=watch.ours)
    samples = stats["profile"]["samples"]
    kernel = (stats["kernel"]["run_time_ns"] + stats["kernel"]["other_time_ns"]) / 1e9
    return Measured(without_owner(path), samples, samples - stats["outcomes"]["whole"], done.cpu, kernel)


def run_peer(peer, directory, pid, frequency, seconds, watch):
    path = pathlib.Path(directory) / "peer.out"
    started = Started(peer.command(pid, frequency, seconds, path))
    watch.anybody(started)
    done = started.finish()
    if not path.exists() or not path.stat().st_size:  # austin's exit code is not 0 when its time is over
        said = (done.err or done.out).strip().splitlines() or ["no output"]
        raise Skip("exit code %d: %s" % (done.code, said[-1][:200]))
    stacks, errors = peer.read(path, done)
    return Measured(stacks, sum(stacks.values()), errors, done.cpu)


def run_any(peer, settings, workload, frequency, seconds):
    """Profiles a new process of the workload, and sees how much slower that makes it."""
    program = others.python_3_15() if isinstance(peer, others.Tachyon) else settings.python.path
    progress = Progress()
    watch = Watch(progress, seconds)
    with target(program, workload, *progress.options) as running, tempfile.TemporaryDirectory() as directory:
        time.sleep(0.2)
        alone = progress.speed(max(0.2, seconds * 0.3))
        measure = run_peer if peer else run_ours
        found = measure(*([peer] if peer else []), directory, running.pid, frequency, seconds, watch)
    found.start, found.running = watch.start, watch.running
    found.slower = 100 * (alone / max(watch.speed, 1e-9) - 1)
    return found


def cost_row(peer, settings, frequency):
    seconds = max(2, round(settings.seconds(5)))
    found = run_any(peer, settings, "basic.py", frequency, seconds)
    return {"profiler": peer.name if peer else OURS, "Hz": frequency, "samples": found.samples,
            "lost or bad %": max(0.0, 100 * (1 - (found.samples - found.errors) / (frequency * seconds))),
            **found.costs(seconds), "target slower %": found.slower}


def is_true(stack):
    """Whether chain.py can have had this stack."""
    calls = stack[2:]
    if stack[:2] != ("<module>", "main") or calls == ("rounds",):
        return stack in (("<module>",), ("<module>", "main", "rounds"))
    return calls == tuple("call_%02d" % i for i in range(len(calls)))


def truth_row(peer, settings):
    seconds = max(2, round(settings.seconds(6)))
    found = run_any(peer, settings, "chain.py", 999, seconds)
    depth = collections.Counter()
    wrong = 0
    for stack, count in found.stacks.items():
        if not is_true(stack):
            wrong += count
            continue
        last = max(0, len(stack) - 3)
        depth[next(d for d in DEPTHS if d[0] <= last <= d[1])] += count
    good = max(1, sum(depth.values()))
    row = {"profiler": peer.name if peer else OURS, "samples": found.samples,
           "µs a sample": found.costs(seconds)["µs a sample"],
           "lost %": max(0.0, 100 * (1 - (found.samples - found.errors) / (999 * seconds))),
           "impossible %": 100 * wrong / max(1, found.samples)}
    row.update({"%d-%d" % d if d[1] else "0": round(100 * depth[d] / good, 1) for d in DEPTHS})
    return row


def every(table, settings, row_of):
    for peer in [None, *others.ALL]:
        try:
            table.add(**row_of(peer))
        except (Skip, RuntimeError, ValueError, OSError) as e:
            table.skip(peer.name if peer else OURS, str(e) or type(e).__name__)


def prepare():
    """Downloads before anything is measured."""
    for get in (others.from_pypi, lambda _: others.python_3_15(), lambda _: others.austin()):
        try:
            get("py-spy")
        except Skip:
            pass  # said where it is missed


def peers(settings, save):
    prepare()
    cost = Table("3a. Whole cost of a sample: kernel and all CPU of the profiler, export included (basic)",
                 "Same program and run; Tachyon's target is CPython 3.15, which it needs, the others' %s.\n"
                 "µs a sample: with one end and export a minute, without the start.\n"
                 "lost or bad: of the samples asked for.\n"
                 "target slower: one look, a few %% of noise; table 4 measures ours." % settings.python)
    for frequency in (999,) if settings.quick else RATES:
        every(cost, settings, lambda peer: cost_row(peer, settings, frequency))
        ours_now = next((r for r in cost.rows if r["Hz"] == frequency and r["profiler"] == OURS), None)
        for row in cost.rows:
            if ours_now and row["Hz"] == frequency:
                row["times ours"] = row["µs a sample"] / max(ours_now["µs a sample"], 1e-9)
    truth = Table("3b. True samples? A chain of 30 calls with equal work at each depth, 999 Hz: % of samples "
                  "by depth",
                  "Work is equal, so an unbiased profiler is flat. impossible: stacks that the program "
                  "cannot have.")
    every(truth, settings, lambda peer: truth_row(peer, settings))
    chart.bars(save / "bench-cost.svg", "Whole cost of a sample at 999 Hz", "µs (logarithmic)",
               [(row["profiler"], row["µs a sample"]) for row in cost.rows if row["Hz"] == 999], log=True)
    middle = {d: "%d-%d" % d if d[1] else "0" for d in DEPTHS}
    series = {row["profiler"]: [(sum(d) / 2, row[name] / (d[1] - d[0] + 1))
                                for d, name in middle.items() if d[1]]
              for row in truth.rows}
    chart.lines(save / "bench-bias.svg", "Samples by depth; equal work at each", "depth of the chain",
                "% a call",
                series)
    return [cost, truth], {"cost": cost.rows, "truth": truth.rows}
