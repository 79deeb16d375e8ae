# SPDX-License-Identifier: GPL-2.0-only
"""The table of switches: what a program loses that does nothing but give up its CPU, which is the worst case
of --event offcpu, beside two programs in the same places that do nothing."""
import contextlib
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time

from common import TARGET_CPU, WORKLOADS, Progress, Started, Table, Target, profiler, wait_for_ticks

NOTHING, EMPTY, OURS = "nothing", "two empty programs", "--event offcpu"
SETTLE = 0.2


def of_pass(progress, seconds):
    """CPU ns of a pass, which is one switch of each of the two."""
    begin = progress.read()
    time.sleep(seconds)
    end = progress.read()
    return (end[1] - begin[1]) / max(1, end[0] - begin[0])


@contextlib.contextmanager
def empty(settings):
    program = subprocess.Popen([settings.build / "tests" / "bench" / "switches"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    try:
        if program.stdout.readline() != b"ready\n":
            raise RuntimeError("the empty programs cannot be attached")
        yield
    finally:
        program.stdin.close()
        program.wait()


@contextlib.contextmanager
def ours():
    with tempfile.TemporaryDirectory() as directory:
        started = Started([profiler.BINARY, "-q", "-n", 0, "-a", "--event", "offcpu", "-o",
                           pathlib.Path(directory) / "profile.pb.gz"])
        wait_for_ticks(started.pid)
        try:
            yield
        finally:
            started.finish(signal.SIGINT)


def programs(settings, directory):
    """(name, command) of the C program and of the Python program, of which only the latter is profiled."""
    compiled = pathlib.Path(directory) / "passes"
    subprocess.run(["cc", "-O2", "-o", compiled, WORKLOADS / "passes.c"], check=True)
    return (("C, not profiled", [compiled]),
            ("Python, profiled", [settings.python.path, WORKLOADS / "passes.py"]))


def measured(command, settings, seconds, pairs):
    """{arm: [percent more than in the stretches of nothing before and after]}, and ns of a pass alone."""
    slower, alone = {EMPTY: [], OURS: []}, []
    progress = Progress()
    running = Target([*command, progress.file.name], [TARGET_CPU])
    try:
        time.sleep(0.3)
        before = of_pass(progress, seconds)
        for _ in range(pairs):
            for arm in slower:
                with empty(settings) if arm == EMPTY else ours():
                    time.sleep(SETTLE)
                    during = of_pass(progress, seconds)
                time.sleep(SETTLE)
                after = of_pass(progress, seconds)
                slower[arm].append(100 * (2 * during / (before + after) - 1))
                alone.append(after)
                before = after
    finally:
        running.stop()
    return slower, alone


def switches(settings, save):
    del save
    table = Table("14. What switches cost two processes that pass one byte on one CPU, in CPU time",
                  "Medians. ns: of a pass alone. empty %: more with two programs that do nothing at\n"
                  "a switch and a wake-up. ours %: with --event offcpu for all Python processes.")
    pairs = 3 if settings.scale < 0.1 else 6 if settings.quick else 15
    with tempfile.TemporaryDirectory() as directory:
        for name, command in programs(settings, directory):
            slower, alone = measured(command, settings, settings.seconds(1, 0.1), pairs)
            table.add(program=name, ns=statistics.median(alone),
                      **{"empty %": statistics.median(slower[EMPTY]),
                         "ours %": statistics.median(slower[OURS])})
    return [table], table.rows
