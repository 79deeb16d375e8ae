# SPDX-License-Identifier: GPL-2.0-only
"""Tables 4 and 5: what profiling does to the program: slowdown in pairs, and beside tracing profilers."""
import pathlib
import random
import signal
import statistics
import tempfile
import time

import chart
from common import (TARGET_CPU, WORKLOADS, Progress, Started, Table, ours, profiler, run, shown, spread,
                    target,
                    wait_for_ticks)

EMPTY = "999 Hz, empty program"
ARMS = {"nothing": None, "99 Hz": 99, "999 Hz": 999, EMPTY: 999}
TRACED = 8  # tracing profilers do so much less of the work
# Seconds that a profiler is given to end or to settle before the target's speed is taken.
SETTLE = 0.15


def profiled_speed(progress, pid, seconds, *arguments):
    """Rounds a second beside pyperf-bpf, and its statistics."""
    speeds = []

    def watch(started):
        wait_for_ticks(started.pid)
        time.sleep(SETTLE)
        speeds.append(progress.speed(seconds))

    with tempfile.TemporaryDirectory() as directory:
        _, stats = ours(directory, "-p", pid, *arguments, "-o", pathlib.Path(directory) / "profile.pb.gz",
                        until=watch, send=signal.SIGINT)
    return speeds[0], stats


def empty_speed(settings, progress, pid, frequency, seconds):
    """Rounds a second beside the same interrupts, on this CPU, whose program does nothing."""
    started = Started([settings.hot, "--pid", pid, "--sampled", frequency, "--cpu", TARGET_CPU, "--empty",
                       "--rounds", 1, "--seconds", seconds + 2 * SETTLE])
    wait_for_ticks(started.pid)
    time.sleep(SETTLE)
    speed = progress.speed(seconds)
    started.finish()
    return speed


def speed_with(arm, settings, progress, pid, seconds, kernel):
    if arm == EMPTY:
        return empty_speed(settings, progress, pid, ARMS[arm], seconds)
    if ARMS[arm]:
        speed, stats = profiled_speed(progress, pid, seconds, "-F", ARMS[arm])
        kernel[arm].append(stats["kernel"]["run_time_ns"] / max(1, stats["profile"]["samples"]))
        return speed
    time.sleep(SETTLE)
    return progress.speed(seconds)


def interval(values):
    """Median and a 95 % interval of it, by resampling."""
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(values, k=len(values))) for _ in range(1000))
    return {"min": medians[25], "median": statistics.median(values), "max": medians[974], "n": len(values)}


def slowdown(settings, save):
    """Each profiled stretch lies between two that are not, and is compared with the mean of these."""
    table = Table("4. How much slower the target gets, paired: % (basic, one CPU)",
                  "Median of the pairs (95 % interval). nothing: pairs without a profiler, which shows the "
                  "noise.\n"
                  "empty program: the same timer interrupts of the kernel, with nothing of ours in them.\n"
                  "our program alone: its time per second; the rest is the interrupt and what it leaves in "
                  "the caches.")
    seconds, pairs = settings.seconds(0.7, 0.1), 3 if settings.scale < 0.1 else 6 if settings.quick else 20
    ratios, kernel = {arm: [] for arm in ARMS}, {arm: [] for arm in ARMS}
    progress = Progress()
    with target(settings.python.path, "basic.py", *progress.options) as running:
        time.sleep(0.3)
        before = speed_with("nothing", settings, progress, running.pid, seconds, kernel)
        for _ in range(pairs):
            for arm in ARMS:
                between = speed_with(arm, settings, progress, running.pid, seconds, kernel)
                after = speed_with("nothing", settings, progress, running.pid, seconds, kernel)
                ratios[arm].append(100 * ((before + after) / 2 / between - 1))
                before = after
    for arm, values in ratios.items():
        found = interval(values)
        program = statistics.median(kernel[arm]) * ARMS[arm] / 1e7 if kernel[arm] else 0.0
        table.add(profiler=arm, **{"slower %": found, "our program alone %": program}, pairs=len(values),
                  verdict="not measurable" if found["min"] <= 0 else "at most %s %%" % shown(found["max"], 2))
    return [table], {"rows": table.rows, "ratios": ratios}


def commands(settings, directory, rounds):
    """{name: (command, rounds, file that it writes or None)}; all run the same program."""
    python, program, pinned = settings.python.path, WORKLOADS / "basic.py", ["taskset", "-c", TARGET_CPU]
    plain, few = [program, "--rounds", rounds], [program, "--rounds", rounds // TRACED]
    found = {"nothing": ([*pinned, python, *plain], rounds, None)}
    for frequency in (99, 999, 9999):
        path = directory / ("%d.pb.gz" % frequency)
        found["pyperf-bpf %d Hz" % frequency] = ([profiler.BINARY, "-q", "-n", 0, "-F", frequency, "-o", path,
                                                  "--",
                                                  *pinned, python, *plain], rounds, path)
    path = directory / "cprofile"
    found["cProfile"] = [*pinned, python, "-m", "cProfile", "-o", path, *few], rounds // TRACED, path
    path = directory / "calls.log"
    found["sys.setprofile, logged"] = [*pinned, python, WORKLOADS / "traced.py", path,
                                       *few], rounds // TRACED, path
    return found


def seconds_told(text):
    return next(float(line.split('"seconds": ')[1].split(",")[0])
                for line in text.splitlines() if '"seconds"' in line)


def overhead(settings, save):
    table = Table("5. The same work with and without a profiler (basic, one CPU)",
                  "Time is the program's own, from its first round to its last; the profiler runs on the "
                  "other CPUs.")
    rounds = max(10 * TRACED, int(settings.scale * 5000))
    times, sizes = {}, {}
    with tempfile.TemporaryDirectory() as name:
        for _ in range(settings.repeats):
            for what, (command, done, path) in commands(settings, pathlib.Path(name), rounds).items():
                finished = run(command)
                if finished.code:
                    raise RuntimeError("%s: %s" % (what, finished.err))
                seconds = seconds_told(finished.out)
                times.setdefault(what, []).append(seconds / done * 1e6)
                sizes[what] = path.stat().st_size / seconds if path else 0.0
    plain = statistics.median(times["nothing"])
    for what, values in times.items():
        found = spread(values)
        table.add(profiler=what, **{"µs a round": found, "times": found["median"] / plain,
                                    "slower %": 100 * (found["median"] / plain - 1),
                                    "bytes a second": sizes[what]})
    chart.bars(save / "bench-overhead.svg", "Time for the same work", "without a profiler = 1",
               [(row["profiler"], row["times"]) for row in table.rows], log=True)
    return [table], table.rows
