# SPDX-License-Identifier: GPL-2.0-only
"""Table 16: how long a profile of one second takes in all, and how long it is until the first sample can be
taken: what somebody waits for who runs the profiler by hand."""
import json
import pathlib
import tempfile
import time

import peers
import pprof
from common import OTHER_CPUS, TARGET_CPU, Skip, Table, interpreters, profiler, run, spread, target

VERSIONS = "3.11", "3.13"
BUSY = "import time\nend = time.time() + 3\nwhile time.time() < end: pass"  # a command outlives -d
SECONDS = 1  # of each profile: the shortest that py-spy knows


def mine(path, *what):
    """Seconds until the first interval begins, those of them that the profiler had a CPU, and those that the
    run takes beside the interval. What is sampled starts only after the clock is read, or runs already."""
    stats = path.with_suffix(".stats")
    begin = time.time()
    done = run([profiler.BINARY, "-q", "-n", 0, "-d", SECONDS, "-o", path, "--stats-json", stats, *what],
               cpus=OTHER_CPUS)
    if done.code:
        raise RuntimeError(done.err)
    cpu = json.loads(stats.read_text())["user"]["start_cpu_seconds"]
    return pprof.read(path).time_nanos / 1e9 - begin, cpu, done.wall - SECONDS


def others(peer, pid, path):
    done = run(peer.command(pid, 99, SECONDS, path), cpus=OTHER_CPUS)
    if done.code:
        raise RuntimeError(done.err)
    return done.wall - SECONDS


def rounds(settings, python, directory):
    """The columns of a row. In turns, so that what else the machine does meets all of them. COMMAND is begun
    beside the program, too: else there would be a CPU more then."""
    path = pathlib.Path(directory) / "profile.pb.gz"
    by_pid, by_command, py_spy = [], [], []
    peer = peers.PySpy()
    for _ in range(settings.repeats):
        with target(python.path, "depth.py", 20) as program:
            by_pid.append(mine(path, "--pid", program.pid))
            by_command.append(mine(path, "--", python.path, "-c", BUSY))
            py_spy.append(others(peer, program.pid, pathlib.Path(directory) / "others"))
    pid_first, pid_cpu, pid_beside = (spread(column) for column in zip(*by_pid))
    command_first, command_cpu, _ = (spread(column) for column in zip(*by_command))
    return {"--pid, first sample": pid_first, "--pid, of it on a CPU": pid_cpu,
            "-- COMMAND, first sample": command_first, "-- COMMAND, of it on a CPU": command_cpu,
            "--pid, all but the second": pid_beside, "py-spy, all but the second": spread(py_spy)}


def start(settings, save):
    table = Table("16. Until the first sample, seconds",
                  "first sample: from exec to when the first interval begins. of it on a CPU: without\n"
                  "the times when others had it. all but the second: what a run of -d %d takes besides,\n"
                  "with the start, the end and the file. The target has CPU %d, also when COMMAND is begun."
                  % (SECONDS, TARGET_CPU))
    for version in VERSIONS:
        python = next(iter(interpreters.of_versions(version)), None)
        if not python:
            table.skip("CPython " + version, "there is no such interpreter here")
            continue
        with tempfile.TemporaryDirectory() as directory:
            try:
                table.add(interpreter=python.name, **rounds(settings, python, directory))
            except (Skip, RuntimeError) as e:
                table.skip(python.name, e)
    return [table], table.rows
