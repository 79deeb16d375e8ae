# SPDX-License-Identifier: GPL-2.0-only
"""Table 6: whether cost and memory stay flat or bounded as processes,
threads and distinct stacks grow in number."""
import pathlib
import resource
import tempfile
import time

import chart
from common import OTHER_CPUS, Skip, Table, hot, ours, target

SIZES = {
    "processes": (1, 10, 100, 1000),
    "threads": (1, 10, 100, 1000, 10_000),
    "stacks": (1, 100, 10_000, 100_000, 1_000_000),
}
LEGEND = {"stacks": "distinct stacks, driven", "profile of stacks": "distinct stacks, profiled"}
HZ = 999
MEMORY_EACH = {"processes": 4 << 20, "threads": 160 << 10}  # bytes, of this program's own; generous


def check_room(kind, size):
    available = next(int(line.split()[1]) * 1024
                     for line in open("/proc/meminfo") if line.startswith("MemAvailable"))
    if size * MEMORY_EACH[kind] > available * 0.7:
        raise Skip("not enough memory")
    limits = [int(pathlib.Path("/proc/sys/kernel", name).read_text()) for name in ("pid_max", "threads-max")]
    limits.append(resource.getrlimit(resource.RLIMIT_NPROC)[0])
    if any(0 < limit < size + 2000 for limit in limits):
        raise Skip("this system's limit of tasks is too low")


def crowd_row(settings, kind, size):
    """Most sleep, three are busy, on all CPUs; the profiler runs among them, as it would."""
    check_room(kind, size)
    seconds = max(1, settings.seconds(4))
    options = ["--threads"] if kind == "threads" else []
    with target(settings.python.path, "crowd.py", size, *options, cpus=OTHER_CPUS) as running, \
            tempfile.TemporaryDirectory() as directory:
        pids = running.about["pids"]
        done, stats = ours(directory, "-a", "-F", HZ, "-d", seconds, "-o",
                           pathlib.Path(directory) / "p.pb.gz")
    samples = stats["profile"]["samples"]
    return {"what": kind, "number": size, "samples": samples, "nodes": stats["profile"]["nodes"],
            "ns a tick": stats["kernel"]["run_time_ns"] / max(1, stats["kernel"]["runs"]),
            "whole %": 100 * stats["outcomes"]["whole"] / max(1, samples),
            "profiler CPU s": done.cpu, "RSS MiB": done.rss / 2**20,
            "maps MiB": stats["user"]["map_bytes"] / 2**20,
            "known": stats["processes"], "pids": len(pids)}


def stacks_row(settings, size):
    """Every call is another stack than the one before, so this is the dearest case of the cache: driven,
    once each."""
    with target(settings.python.path, "stacks.py", size, "--call") as running:
        # Long enough that each stack has been seen: about 400,000 of them a second.
        seconds = max(settings.seconds(1, 0.1), min(size / 300_000, 20 * settings.scale))
        found = hot(settings, "--pid", running.pid, "--samples", 1, "--seconds", seconds, "--rounds", 1)
    counted = found["counters"]
    outcomes = found["outcomes"]
    return {"what": "stacks", "number": size, "samples": counted["ticks"], "nodes": counted["nodes_new"],
            "ns a tick": found["rounds"][0]["mean"],
            "whole %": 100 * outcomes["WHOLE"] / max(1, counted["ticks"]),
            "table full %": 100 * outcomes["TABLE_FULL"] / max(1, counted["ticks"])}


def profile_row(settings, size):
    """The same, as the product runs: what the export of so many stacks takes."""
    with (target(settings.python.path, "stacks.py", size) as running,
          tempfile.TemporaryDirectory() as directory):
        time.sleep(0.2)
        path = pathlib.Path(directory) / "p.pb.gz"
        done, stats = ours(directory, "-p", running.pid, "-F", 9999, "-d", max(1, settings.seconds(5)), "-o",
                           path)
        written = path.stat().st_size
    samples = stats["profile"]["samples"]
    return {"what": "profile of stacks", "number": size, "samples": samples,
            "nodes": stats["profile"]["nodes"],
            "ns a tick": stats["kernel"]["run_time_ns"] / max(1, stats["kernel"]["runs"]),
            "whole %": 100 * stats["outcomes"]["whole"] / max(1, samples), "profiler CPU s": done.cpu,
            "RSS MiB": done.rss / 2**20, "maps MiB": stats["user"]["map_bytes"] / 2**20,
            "bytes written": written}


def growth(settings, save):
    table = Table("6. Growth: cost of a tick and memory, as the watched grow in number",
                  "processes, threads: most sleep, %d Hz on every CPU, ticks outside of Python included.\n"
                  "stacks: driven by the program, each stack another than the one before.\n"
                  "profile of stacks: 9,999 Hz, so no more distinct ones than samples." % HZ)
    for kind, sizes in SIZES.items():
        for size in sizes[:3] if settings.scale < 0.1 else sizes[::2] + sizes[-1:] * (len(sizes) % 2 == 0) \
                if settings.quick else sizes:
            for row_of in (stacks_row, profile_row) if kind == "stacks" else (crowd_row,):
                try:
                    table.add(**(row_of(settings, kind, size)
                                 if row_of is crowd_row else row_of(settings, size)))
                except (Skip, RuntimeError) as e:
                    table.skip("%s, %d" % (kind, size), e)
    points = {LEGEND.get(what, what): [(row["number"], row["ns a tick"])
                                       for row in table.rows if row["what"] == what]
              for what in dict.fromkeys(row["what"] for row in table.rows)}
    chart.lines(save / "bench-growth-time.svg", "Kernel time of a tick", "how many", "ns", points, log_x=True)
    points = {LEGEND.get(what, what): [(row["number"], row["RSS MiB"]) for row in table.rows
                                       if row["what"] == what and "RSS MiB" in row]
              for what in dict.fromkeys(row["what"] for row in table.rows)}
    chart.lines(save / "bench-growth-memory.svg", "Memory of the profiler", "how many", "MiB", points,
                log_x=True)
    return [table], table.rows
