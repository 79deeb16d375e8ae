#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the profiler costs: its own CPU time, memory and BPF maps while eight busy Python threads run.

    tests/bench/cost.py [--seconds 30] [--frequency 99] [--json build/cost.json] [--check]

The threads are eight processes: with a GIL, threads of one process would take turns. CPU time is that of the
kernel program (run_time_ns of its bpf statistics) plus user and system time of the profiler, as a share of
one core. What start and end cost once (loading the programs, looking at the processes, writing the profile)
is told apart from what every second costs by a second, short run: the shares are of the difference.
--check: exit code 1 when a limit is exceeded.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "lib"))
import interpreters as known  # noqa: E402
import profiler  # noqa: E402

LIMITS = {"cpu_percent": 0.3, "rss_mib": 40, "map_mib": 64}
THREADS = 8
SHORT = 3  # seconds of the run that is subtracted


def profile(python, seconds, frequency, options):
    """The statistics of one run, and the samples of the eight processes in it."""
    command = (python.path, TESTS / "workloads" / "edges.py", "--steady")
    with tempfile.TemporaryDirectory() as directory, profiler.targets([command] * THREADS) as started:
        run = profiler.run(directory, "--all-python", "-F", frequency, "-d", seconds, *options,
                           timeout=seconds + 60)
        return run.stats, profiler.total(run.of(*(t.pid for t in started)))


def measure(python, seconds, frequency, options):
    short, _ = profile(python, SHORT, frequency, options)
    stats, samples = profile(python, seconds, frequency, options)
    kernel = (stats["kernel"]["run_time_ns"] - short["kernel"]["run_time_ns"]) / 1e9
    user = stats["user"]["cpu_seconds"] - short["user"]["cpu_seconds"]
    between = seconds - SHORT
    return {
        "interpreter": python.name,
        "seconds": seconds,
        "frequency": frequency,
        "cores": os.cpu_count(),
        "samples_of_targets": samples,
        "ns_per_tick": stats["kernel"]["run_time_ns"] / max(1, stats["kernel"]["runs"]),
        "frames_per_sample": stats["counters"]["frames"] / max(1, stats["profile"]["samples"]),
        "reads_per_sample": stats["counters"]["reads"] / max(1, stats["profile"]["samples"]),
        "kernel_percent": 100 * kernel / between,
        "user_percent": 100 * user / between,
        "cpu_percent": 100 * (kernel + user) / between,
        "once_seconds": short["user"]["cpu_seconds"] - user / between * SHORT,
        "rss_mib": stats["user"]["rss_bytes"] / (1 << 20),
        "map_mib": stats["user"]["map_bytes"] / (1 << 20),
    }


def show(rows):
    columns = [name for name in rows[0] if name not in ("seconds", "frequency", "cores")]
    width = max(map(len, columns))
    first = rows[0]
    print("%d threads on %d cores, %d Hz, %g s" % (THREADS, first["cores"], first["frequency"],
                                                   first["seconds"]))
    for name in columns:
        cells = ["%14s" % (row[name] if isinstance(row[name], (str, int)) else "%.3f" % row[name])
                 for row in rows]
        print("%-*s %s%s" % (width, name, " ".join(cells),
                             "   (limit %s)" % LIMITS[name] if name in LIMITS else ""))


def main():
    parser = argparse.ArgumentParser(description="What the profiler costs.")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--frequency", type=int, default=99)
    parser.add_argument("--json", default=str(profiler.ROOT / "build" / "cost.json"))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("options", nargs="*", help="passed to the profiler, after --")
    arguments = parser.parse_args()
    chosen = known.one_per_version()
    if not chosen:
        sys.exit("no interpreter here; run tests/fetch-interpreters.py")
    rows = [measure(python, arguments.seconds, arguments.frequency, arguments.options) for python in chosen]
    show(rows)
    pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n")
    exceeded = [(row["interpreter"], name) for row in rows for name in LIMITS if row[name] > LIMITS[name]]
    for name, limit in exceeded:
        print("over the limit: %s on %s" % (limit, name))
    return 1 if exceeded and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
