# SPDX-License-Identifier: GPL-2.0-only
"""The table of native frames: what each --native adds to a tick, to the profiler's own CPU time, and to its
memory."""
import contextlib
import json
import pathlib
import signal
import statistics
import tempfile
import time

from common import CPUS, Table, Target, interpreters, ours, profiler, wait_for_ticks

MODES = "off", "leaf", "top", "full"
RATES = 4999, 99
OUTSIDE = "not_loaded", "incomplete", "mismatch", "unknown", "file_no_room", "file_not_reached", "no_room"


def profile(mode, frequency, seconds, pids):
    """(statistics, native frames of the average sample)."""
    def watch(started):
        wait_for_ticks(started.pid)
        time.sleep(seconds)

    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "profile.pb.gz"
        _, stats = ours(directory, "--native", mode, "-p", ",".join(map(str, pids)), "-F", frequency, "-o",
                        path, until=watch, send=signal.SIGINT)
        samples = profiler.read_samples(path)
        deep = sum(s.count * sum(not frame[1].endswith(".py") for frame in s.stack) for s in samples)
        return stats, deep / max(1, profiler.total(samples))


def measure(runs):
    """The medians of the runs of one arm."""
    def median(of):
        return statistics.median(of(stats) for stats, _ in runs)

    native = [stats["native"] for stats, _ in runs]
    return {
        "us a tick": median(lambda s: s["kernel"]["run_time_ns"] / max(1, s["kernel"]["runs"]) / 1000),
        "frames": statistics.median(deep for _, deep in runs),
        "not whole %": statistics.median(100 * sum(n[end] for end in OUTSIDE) / max(1, sum(n.values()))
                                         for n in native),
        "user us": median(lambda s: 1e6 * s["user"]["cpu_seconds"] / max(1, s["profile"]["samples"])),
        "resident MiB": median(lambda s: s["user"]["rss_bytes"] / (1 << 20)),
    }


def chosen(settings):
    other = next((i for i in interpreters.one_per_version() if i.version[:2] == (3, 11)), None)
    return [i for i in (other, settings.python) if i]


def native(settings, save):
    del save
    table = Table("10. Native frames: what --native costs, two busy programs that spend their time in C",
                  "Medians of runs in turns. us a tick: the sampler. frames: native ones of the average "
                  "sample.\nnot whole: samples whose native part has a marker; the first second is among "
                  "them. user us: the\nprofiler's own CPU time for each sample, its start among it.")
    seconds, repeats = settings.seconds(8, 0.5), 1 if settings.scale < 0.1 else 3
    for python in chosen(settings):
        with contextlib.ExitStack() as stack:
            pids = []
            for cpu in CPUS:
                one = Target([python.path, profiler.ROOT / "tests/workloads/bench/native.py"], [cpu])
                stack.callback(one.stop)
                pids.append(one.pid)
            for frequency in RATES:
                runs = {mode: [] for mode in MODES}
                for _ in range(repeats):
                    for mode in MODES:
                        runs[mode].append(profile(mode, frequency, seconds, pids))
                for mode in MODES:
                    table.add(native="%d.%d, %d Hz, %s" % (*python.version[:2], frequency, mode),
                              **measure(runs[mode]))
    return [table], json.loads(json.dumps(table.rows))
