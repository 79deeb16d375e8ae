# SPDX-License-Identifier: GPL-2.0-only
"""Tables 1 and 2: what a stack costs in the kernel, by depth,
and how many of them one core can do in a second."""
import collections
import json
import subprocess
import tempfile

import chart
from common import (OTHER_CPUS, TARGET_CPU, Table, hot, interpreters, pin, spread, target)

DEPTHS = 10, 30, 100, 300, 900
EXTRA_DEPTHS = 13, 31
MODES = {
    "single + off": ("--reads", "single", "--cache", "off"),
    "block + off": ("--reads", "block", "--cache", "off"),
    "block + verified": ("--reads", "block", "--cache", "verified"),
}
SAMPLED_HZ = 5000
# seconds for which code objects must have been there before callers are cached without a code epoch
# (bpf/python/settled.h)
SETTLED = 9
WORKLOADS = "basic", "deep_static", "deep_busy", "threads", "wide", "coroutines"
# Rounds recorded of each, for comparison with the program's own word.
RECORDED_ROUNDS = {"basic": 20, "deep_static": 500, "deep_busy": 10, "threads": 300, "wide": 2,
                   "coroutines": 5}


def units(settings):
    """What one read of user memory costs here: the unit in which machines can be compared."""
    table = Table("Units of this machine, ns",
                  "empty run: the two clock reads and the loop around every run below.")
    found = hot(settings, "--read-cost", "--seconds", settings.seconds(1, 0.1))
    table.add(**{name.replace("_", " "): round(value["mean"], 1) for name, value in found.items()})
    return table


def stacks_per_call(depth, mode):
    """So many that a run takes about a millisecond."""
    return max(10, (4_000 if "single" in mode else 40_000) // depth)


def measure(settings, pid, mode, sampled, depth):
    by_ticks = ["--sampled", SAMPLED_HZ, "--cpu", TARGET_CPU]
    how = by_ticks if sampled else ["--samples", stacks_per_call(depth, mode)]
    # A sampled round gives 5,000 figures a second, a driven one a thousand times as many.
    seconds = settings.seconds(0.8 if sampled else 0.4, 0.1)
    return hot(settings, "--pid", pid, "--seconds", seconds, "--rounds", settings.repeats, *MODES[mode], *how)


def depth_row(settings, depth, sampled):
    row = {"frames": depth, "how": "sampled" if sampled else "hot"}
    with target(settings.python.path, "depth.py", depth, "--call") as started:
        for mode in MODES:
            found = measure(settings, started.pid, mode, sampled, depth)
            outcomes = found["outcomes"]
            whole, ticks = outcomes["WHOLE"], found["counters"]["ticks"] - outcomes["NOT_SELECTED"]
            row[mode] = spread(one["mean"] for one in found["rounds"] if one["runs"])
            row["median of " + mode] = spread(one["median"]
                                              for one in found["rounds"] if one["runs"])["median"]
            row["whole %"] = min(row.get("whole %", 100.0), 100 * whole / max(1, ticks))
    row["faster"] = row["single + off"]["median"] / row["block + verified"]["median"]
    return row


def depth(settings, save):
    table = Table("1. Kernel ns per stack by depth (%s)" % settings.python,
                  "Mean of a round: median (min-max) of %d rounds. faster: single + off / block + verified." %
                  settings.repeats)
    rows = []
    for sampled in (False, True):
        for frames in sorted(DEPTHS if settings.quick else DEPTHS + EXTRA_DEPTHS):
            rows.append(depth_row(settings, frames, sampled))
            table.add(**{name: value for name, value in rows[-1].items() if not name.startswith("median of")})
    series = collections.OrderedDict()
    for row in rows:
        for mode in MODES:
            series.setdefault("%s, %s" % (mode, row["how"]),
                              []).append((row["frames"], row[mode]["median"] / 1000))
    chart.lines(save / "bench-depth.svg", "Kernel time per stack", "Python frames", "µs", series, True, True)
    return [table], rows


def right_stacks(settings, python, workload):
    """Compares every stack that the sampler counted with what the program says of itself: (stacks,
    wrong ones)."""
    rounds = RECORDED_ROUNDS[workload]
    with tempfile.NamedTemporaryFile("r") as folded, \
            target(python.path, workload + ".py", "--record", "--rounds", rounds) as started:
        driver = subprocess.Popen([str(settings.hot), "--pid", str(started.pid), "--samples", "1", "--wait",
                                   "--folded", folded.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, preexec_fn=pin(OTHER_CPUS))
        ready = driver.stderr.readline()
        if ready != "ready\n":
            raise RuntimeError(ready + driver.stderr.read())
        started.process.stdin.write("\n")
        started.process.stdin.flush()
        told = json.loads(started.process.stdout.readline())["stacks"]
        driver.communicate("")
        seen = collections.Counter()
        for line in folded:
            stack, _, count = line.rstrip("\n").rpartition(" ")
            seen[stack.removesuffix(";record")] += int(count)
    told = collections.Counter(told)
    return sum(told.values()), sum(((told - seen) + (seen - told)).values())


def throughput_row(settings, python, workload, empty):
    row = {"workload": workload, "python": "%d.%d" % python.version[:2]}
    seconds = settings.seconds(0.5, 0.1)
    with target(python.path, workload + ".py", "--call") as started:
        found = hot(settings, "--pid", started.pid, "--samples", 1, "--samples", 100, "--seconds", seconds,
                    "--rounds", settings.repeats, "--warm-up", 0.2 if python.version >= (3, 13) else SETTLED)
    for name, samples in (("each once", 1), ("each 100 times", 100)):
        rounds = [one for one in found["rounds"] if one["samples"] == samples and one["runs"]]
        row["ns, " + name] = spread(one["mean"] - empty / samples for one in rounds)
        row["stacks/s, " + name] = 1e9 / row["ns, " + name]["median"]
    row["with its driver"] = spread(one["stacks"] / seconds for one in rounds)["median"]
    counted = found["counters"]
    used = counted["cache_full"] + counted["cache_partial"]
    row["frames"] = counted["cache_frames"] / used if used else 0.0
    row["whole %"] = 100 * found["outcomes"]["WHOLE"] / max(1, counted["ticks"] -
                                                            found["outcomes"]["NOT_SELECTED"])
    stacks, wrong = right_stacks(settings, python, workload)
    row["checked"], row["wrong"] = stacks, wrong
    return row


def throughput(settings, save):
    table = Table("2. Stacks per second of one core, cache verified",
                  "The program drives the sampler by a system call at the bottom of its stacks: each stack "
                  "once (the\n"
                  "cache meets another stack every time) or 100 times. with its driver: wall time, the "
                  "Python program\n"
                  "included. checked: stacks compared with what the program recorded of itself.")
    empty = hot(settings, "--read-cost", "--seconds", 0.1)["empty_run"]["mean"]
    pythons = [(settings.python, name) for name in WORKLOADS]
    # Before 3.11 a program cannot record its stacks by qualified names.
    pythons += [(python, "basic") for python in interpreters.one_per_version()
                if python != settings.python and python.version >= (3, 11)]
    for python, workload in pythons:
        if settings.quick and python.version < (3, 13):
            table.skip(python.name, "in a quick run; without a code epoch the cache waits %d s" % SETTLED)
            continue
        table.add(**throughput_row(settings, python, workload, empty))
    bars = [("%s, %s" % (row["workload"], row["python"]), row["stacks/s, each 100 times"])
            for row in table.rows]
    chart.bars(save / "bench-throughput.svg", "Stacks per second of kernel time on one core", "stacks/s",
               bars)
    return [table], table.rows
