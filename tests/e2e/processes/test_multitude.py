# SPDX-License-Identifier: GPL-2.0-only
"""More processes than the table of them has room for, real ones, that live at the same time: the event loop
goes on, what has room is profiled, and what has none is counted and said."""
import contextlib
import os
import subprocess
import time

import pytest

import interpreters as known
import profiler
from serving import server

pytestmark = [pytest.mark.long, pytest.mark.alone, pytest.mark.timeout(900)]

TABLE = 8192  # user/kern/tables.c
PROCESSES = 10000
EACH = 0.001  # s of CPU time of each
FREQUENCY = 1999
# A turn's own CPU time is what counts. How long it takes besides depends on what else wants the CPUs.
TURN_CPU_SECONDS, TURN_SECONDS, END_SECONDS = 0.1, 10, 30
NEWEST = known.newest()


def free_megabytes():
    with open("/proc/meminfo") as f:
        return next(int(line.split()[1]) // 1024 for line in f if line.startswith("MemAvailable"))


def short_ones(count):
    """Programs of their own that end at once, one after the other, as a shell script has them."""
    begin = time.monotonic()
    for _ in range(count):
        subprocess.run([str(NEWEST.path), "-IS", "-c", "sum(range(200000))"], check=True)
    return time.monotonic() - begin


def test_ten_thousand(workloads, tmp_path):
    if free_megabytes() < 12000:
        pytest.skip("SKIP not-applicable: ten thousand processes need 12 GiB")
    with server(tmp_path, "-a", "-F", FREQUENCY, "--output-dir", tmp_path, "--interval", 5,
                "--labels", "process") as s:
        begin = time.monotonic()
        command = NEWEST.path, "-IS", workloads / "life" / "multitude.py", PROCESSES, EACH
        with profiler.target(*command) as crowd:
            took = time.monotonic() - begin
            full = s.metric("processes_full_total")
            notices, looks = s.metric("notices_total"), profiler.cpu_seconds(worker_of(s))
            short = short_ones(100)
            more = s.metric("notices_total") - notices
            worker = profiler.cpu_seconds(worker_of(s)) - looks
            pids = set(crowd.about["children"])
        end = s.stop()
    loop, outcomes = s.run.stats["loop"], s.run.stats["outcomes"]
    samples = [one for path in sorted(tmp_path.glob("*.pb.gz")) for one in profiler.read_samples(path)]
    of_crowd = [one for one in samples if one.pid in pids]
    seen = {one.pid for one in of_crowd}
    wanted = len(pids) * EACH * FREQUENCY
    print("%d processes in %.0f s; %d of them found room, %d not; %.1f %% of their time is in the profile"
          % (len(pids), took, len(seen), full, 100 * profiler.total(of_crowd) / wanted))
    print("outcomes", {key: count for key, count in outcomes.items() if count})
    print("100 short ones in %.1f s: %d notices, %.2f s of the worker" % (short, more, worker))
    print("turns up to %.3f s, of CPU time %.3f s; end %.2f s"
          % (loop["max_ns"] / 1e9, loop["cpu_max_ns"] / 1e9, end))
    print(s.run.err)
    assert max(loop["cpu_max_ns"], loop["own_max_ns"]) / 1e9 < TURN_CPU_SECONDS
    assert loop["max_ns"] / 1e9 < TURN_SECONDS
    assert s.run.err.count("more processes than the table") == 1
    assert not [one for one in of_crowd if not one.comm]
    assert len(seen) >= 0.9 * (TABLE - 200)
    assert end < END_SECONDS


def worker_of(s):
    """The pid of the profiler's worker: a child of the zygote."""
    for path in os.listdir("/proc"):
        if path.isdigit():
            with contextlib.suppress(OSError), open("/proc/%s/comm" % path) as f:
                if f.read() == "pyperf-worker\n" and os.getpgid(int(path)) == s.run.process.pid:
                    return int(path)
    raise AssertionError("no worker")
