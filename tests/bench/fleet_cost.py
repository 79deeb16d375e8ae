#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a fleet costs its receiver: tests/bench/fleet_cost.py PROFILER PICTURE [pyroscope|parca [NODES...]],
with $PYROSCOPE or $PARCA, in Python with what the tests need (.cache/venv).

Two services were really profiled. What was pushed of them is pushed again as if by 10, 100 and 1,000 nodes,
a few minutes each, to a real Pyroscope or Parca that has nothing else: bytes, series, its CPU time, its
memory, and how long a merged query over all nodes takes. The machine is as it is: how busy it was is said."""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "lib"))
if __name__ == "__main__":
    os.environ["PYPERF"] = str(pathlib.Path(sys.argv[1]).resolve())
import chart  # noqa: E402
import fleet  # noqa: E402
import interpreters as known  # noqa: E402
import profiler  # noqa: E402

NODES, INTERVALS, SECONDS, QUERIES = (10, 100, 1000), 8, 15, 3
WORKLOADS = TESTS / "workloads"
# Its own bounds are the first to be met; here they are out of the way.
UNBOUNDED = ("-ingester.max-global-series-per-tenant=0", "-distributor.ingestion-rate-limit-mb=4096",
             "-distributor.ingestion-burst-size-mb=4096")


def cpu_seconds(pid):
    fields = pathlib.Path("/proc/%d/stat" % pid).read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib(pid):
    lines = pathlib.Path("/proc/%d/status" % pid).read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def disk_mib(path):
    return sum(one.stat().st_blocks * 512 for one in path.rglob("*") if one.is_file()) / 2**20


def series_of(url):
    text = urllib.request.urlopen(url + "/metrics", timeout=30).read().decode()
    found = [line.split()[-1] for line in text.splitlines() if line.startswith("pyroscope_tsdb_head_series ")
             or line.startswith("phlare_head_series") or "head_active_series" in line.split("{")[0]]
    return int(float(found[0])) if found else None


def record(kind):
    """[[pushes of an interval]]: of two services, as one node has them."""
    found = []
    with tempfile.TemporaryDirectory() as directory, recorded_programs() as targets:
        for i, target in enumerate(targets):
            where = pathlib.Path(directory) / str(i)
            where.mkdir()
            bodies = fleet.record(where, [target.pid], 4, "-F", 99, "--service-from", "comm",
                                  interval=SECONDS, kind=kind)
            make = fleet.RecordedForParca if kind == "parca" else fleet.Recorded
            found.append([make(body) for body in bodies])
    return [list(pushes) for pushes in zip(*found)]


def recorded_programs():
    python = known.newest().path
    return profiler.targets([[python, WORKLOADS / "edges.py"], [python, WORKLOADS / "edges.py", "--calm"]])


def query(kind, url, pid):
    """Seconds and CPU seconds of a merged query over all nodes, as `report` asks for it (three questions)."""
    times, before = [], cpu_seconds(pid)
    for _ in range(QUERIES):
        start = time.monotonic()
        subprocess.run([os.environ["PYPERF"], "report", "%s+%s/?query={}&from=-30m" % (kind, url)],
                       check=True, capture_output=True, timeout=300)
        times.append(time.monotonic() - start)
    return statistics.median(times), (cpu_seconds(pid) - before) / QUERIES


def measure(kind, recorded, nodes):
    directory = pathlib.Path(tempfile.mkdtemp(prefix="fleet-"))
    try:
        with (fleet.parca(directory) if kind == "parca" else
              fleet.pyroscope(directory, *UNBOUNDED)) as (url, process):
            before, requests = cpu_seconds(process.pid), list(fleet.played(lambda _: recorded, nodes,
                                                                          INTERVALS, SECONDS))
            start = time.monotonic()
            sent = fleet.send(url, requests, kind=kind)
            took, used = time.monotonic() - start, cpu_seconds(process.pid) - before
            seconds, cpu = query(kind, url, process.pid)
            found = {"pushes": len(requests), "sent": sent, "took": took, "cpu": used,
                     "series": series_of(url), "memory": memory_mib(process.pid), "query": seconds,
                     "query cpu": cpu}
        # It has written all that it had when it ends.
        return {**found, "disk": disk_mib(directory)}
    finally:
        shutil.rmtree(directory)


def main():
    kind = sys.argv[3] if len(sys.argv) > 3 else "pyroscope"
    many = [int(nodes) for nodes in sys.argv[4:]] or NODES
    recorded = record(kind)
    hours = INTERVALS * SECONDS / 3600
    print("load %s" % pathlib.Path("/proc/loadavg").read_text().split()[:3], flush=True)
    print("of a node: %s pushes an interval of %s bytes" % (len(recorded[0]), [len(one.profile) for one in
                                                                           recorded[0]]), flush=True)
    rows = {}
    for nodes in many:
        rows[nodes] = row = measure(kind, recorded, nodes)
        print(nodes, {key: value if value is None else round(value, 3) for key, value in row.items()},
              "| MiB sent a node and hour %.2f, on its disk %.2f; CPU seconds a node and hour %.1f; "
              "pushes a second it took %.0f" % (row["sent"] / 2**20 / nodes / hours, row["disk"] / nodes /
                                                hours, row["cpu"] / nodes / hours,
                                                row["pushes"] / row["took"]), flush=True)
    chart.lines(pathlib.Path(sys.argv[2]), "A fleet at one " + kind.capitalize(), "nodes",
                "of one CPU, or seconds",
                {"CPUs that pushes take": [(n, rows[n]["cpu"] / (INTERVALS * SECONDS)) for n in many],
                 "seconds of a merged query": [(n, rows[n]["query"]) for n in many]}, log_x=True, log_y=True)


if __name__ == "__main__":
    main()
