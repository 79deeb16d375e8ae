# SPDX-License-Identifier: GPL-2.0-only
"""The trigger table: perf events beside BPF timers: ticks that came, whom they met,
and what they cost the target."""
import contextlib
import json
import math
import pathlib
import signal
import tempfile
import time

from common import (CPUS, TARGET_CPU, Progress, Skip, Table, Target, cpu_of, ours, profiler, spread, target,
                    wait_for_ticks)
from cost_tables import SETTLE, interval, profiled_speed

TRIGGERS = "perf", "timer"
RATES = 99, 999, 4999


def profile(trigger, frequency, seconds, pids):
    """(statistics, samples, CPU seconds that each process used meanwhile)."""
    used = {}

    def watch(started):
        wait_for_ticks(started.pid)
        used.update((pid, -cpu_of(pid)) for pid in pids)
        time.sleep(seconds)
        used.update((pid, used[pid] + cpu_of(pid)) for pid in pids)

    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "profile.pb.gz"
        done, stats = ours(directory, "--trigger", trigger, "-p", ",".join(map(str, pids)), "-F", frequency,
                           "-o", path,
                           until=watch, send=signal.SIGINT)
        return stats, profiler.read_samples(path), used


def need_timers():
    with tempfile.TemporaryDirectory() as directory:
        try:
            ours(directory, "--trigger", "timer", "-a", "-d", 0.1, "-o",
                 pathlib.Path(directory) / "profile.pb.gz")
        except RuntimeError as error:
            raise Skip(str(error)) from None


def rate_and_bias(settings):
    """One program on each CPU that burns 3 to 1 in slices of random length,
    and one on the last that timers wake."""
    table = Table("8. Perf events beside BPF timers: how many ticks come, and whom they meet",
                  "came: of frequency x time, on all CPUs with timers, while they were busy with perf "
                  "events.\n"
                  "heavy: the share of a function that uses 75 % of its program's time, and how many "
                  "standard deviations "
                  "it is off.\nbursts: samples x period of a program that a timer wakes every 10 ms, of the "
                  "CPU time that "
                  "it used.")
    workloads = profiler.ROOT / "tests" / "workloads"
    seconds = settings.seconds(20, 0.5)
    for frequency in RATES:
        for trigger in TRIGGERS:
            with contextlib.ExitStack() as stack:
                def start(program, cpu):
                    one = Target([settings.python.path, workloads / program, cpu], [cpu])
                    stack.callback(one.stop)
                    return one.pid

                steady = [start("shares.py", cpu) for cpu in CPUS[:-1] or CPUS]
                bursts = start("bench/bursts.py", TARGET_CPU)
                stats, samples, used = profile(trigger, frequency, seconds, [*steady, bursts])
            of = {name: profiler.total(s for s in samples if s.pid in steady and s.stack[0][0] == name)
                  for name in ("heavy", "light")}
            n = max(1, sum(of.values()))
            share = of["heavy"] / n
            table.add(trigger="%s, %d Hz" % (trigger, frequency),
                      **{"came %": 100 * stats["ticks"] / max(1, stats["expected"]), "samples": n,
                         "heavy %": 100 * share,
                         "off by": (share - 0.75) / math.sqrt(0.75 * 0.25 / n),
                         "bursts %": 100 * profiler.total(s for s in samples
                                                          if s.pid == bursts) / frequency / used[bursts]})
    return table


def cost(settings):
    """In pairs, as table 4: each stretch with a profiler lies between two without."""
    table = Table("9. Perf events beside BPF timers: how much slower the target gets, paired: % (basic, one "
                  "CPU)",
                  "Median of the pairs (95 % interval). ns: median run time of the sampler; the rest of the "
                  "slowdown is "
                  "the interrupt, and with timers the softirq.")
    seconds, pairs = settings.seconds(0.7, 0.1), 3 if settings.scale < 0.1 else 6 if settings.quick else 20
    arms = [(trigger, frequency) for frequency in RATES[1:] for trigger in TRIGGERS]
    slower, kernel = {arm: [] for arm in arms}, {arm: [] for arm in arms}
    progress = Progress()
    with target(settings.python.path, "basic.py", *progress.options) as running:
        time.sleep(0.3)
        before = progress.speed(seconds)
        for _ in range(pairs):
            for arm in arms:
                trigger, frequency = arm
                between, stats = profiled_speed(progress, running.pid, seconds, "--trigger", trigger, "-F",
                                                frequency)
                kernel[arm].append(float(stats["kernel"]["p50_ns"]))
                time.sleep(SETTLE)
                after = progress.speed(seconds)
                if between:  # else the target did not get to run at all
                    slower[arm].append(100 * ((before + after) / 2 / between - 1))
                before = after
    for arm in arms:
        if not slower[arm]:
            table.skip("%s, %d Hz" % arm, "the target did not get to run")
            continue
        table.add(trigger="%s, %d Hz" % arm, **{"slower %": interval(slower[arm]), "ns": spread(kernel[arm])})
    return table


def trigger(settings, save):
    try:
        need_timers()
    except Skip as skip:
        table = Table("8. Perf events beside BPF timers")
        table.skip("timers", skip)
        return [table], []
    tables = [rate_and_bias(settings), cost(settings)]
    return tables, json.loads(json.dumps([table.rows for table in tables]))
