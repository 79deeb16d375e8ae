# SPDX-License-Identifier: GPL-2.0-only
"""Table 16: how long a profile of one second takes in all, and how long it is until the first sample can be
taken: what somebody waits for who runs the profiler by hand."""
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
    """Seconds until the first interval begins, and those that the run takes beside it. What is sampled starts
    only after the clock is read, or runs already."""
    begin = time.time()
    done = run([profiler.BINARY, "-q", "-n", 0, "-d", SECONDS, "-o", path, *what], cpus=OTHER_CPUS)
    if done.code:
        raise RuntimeError(done.err)
    return pprof.read(path).time_nanos / 1e9 - begin, done.wall - SECONDS


def others(peer, pid, path):
    done = run(peer.command(pid, 99, SECONDS, path), cpus=OTHER_CPUS)
    if done.code:
        raise RuntimeError(done.err)
    return done.wall - SECONDS


def rounds(settings, python, directory):
    """The columns of a row. In turns, so that what else the machine does meets all of them."""
    path = pathlib.Path(directory) / "profile.pb.gz"
    pid_first, pid_beside, command_first, py_spy = [], [], [], []
    peer = peers.PySpy()
    for _ in range(settings.repeats):
        with target(python.path, "depth.py", 20) as program:
            first, beside = mine(path, "--pid", program.pid)
            pid_first.append(first)
            pid_beside.append(beside)
            py_spy.append(others(peer, program.pid, pathlib.Path(directory) / "others"))
        command_first.append(mine(path, "--", python.path, "-c", BUSY)[0])
    return {"--pid, first sample": spread(pid_first), "-- COMMAND, first sample": spread(command_first),
            "--pid, all but the second": spread(pid_beside), "py-spy, all but the second": spread(py_spy)}


def start(settings, save):
    table = Table("16. Until the first sample, seconds",
                  "first sample: from exec to when the first interval begins. all but the second: what a run "
                  "of -d %d takes\nbesides, with the start, the end and the file. The target has CPU %d."
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
