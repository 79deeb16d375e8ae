# SPDX-License-Identifier: GPL-2.0-only
"""-a and top from outside: all processes that a user may read; the others are counted. And --budget."""
import os
import re
import signal
import subprocess

import pytest

import interpreters as known
import profiler
from examined import NOBODY
from screens import Screen

PYTHON = "/usr/bin/python3"  # which nobody may run, too
BURN = "import time\nwhile time.process_time() < %s: pass"
OUTSIDE = "--trigger", "outside"
FREQUENCY = 299
CPU = 0.4  # seconds of it, in which some 120 looks at a program are due


@pytest.fixture
def programs():
    """start(command...) starts one, which is ended when the test is over."""
    started = []

    def start(*command):
        started.append(subprocess.Popen([*map(str, command)]))
        return started[-1]
    yield start
    for one in started:
        one.kill()
        one.wait()


def samples_of(run, pid):
    return profiler.total([sample for sample in run.samples if sample.pid == pid])


def run_until(run, condition, what):
    """The run ends when that is so."""
    profiler.wait_until(lambda: condition() or run.process.poll() is not None, what=what)
    run.process.send_signal(signal.SIGINT)
    run.finish()


def begun(run):
    def said():
        return b"may not be read" in os.pread(run.streams[1].fileno(), 65536, 0)
    profiler.wait_until(lambda: said() or run.process.poll() is not None, what="its beginning")


@pytest.mark.skipif(os.geteuid() != 0, reason="SKIP users: other users want root")
def test_nobody_sees_all_that_he_may_read(programs, open_folder):
    before = programs(*NOBODY, PYTHON, "-c", BURN % 60)
    of_root = programs(PYTHON, "-c", BURN % 60)
    run = profiler.Run(open_folder, "-a", "-F", FREQUENCY, binary=[*NOBODY, profiler.BINARY])
    begun(run)
    later = programs(*NOBODY, PYTHON, "-c", BURN % 60)
    becomes = programs(*NOBODY, "sh", "-c", "sleep 1; exec %s -c '%s'" % (PYTHON, BURN % 60))
    seen = [before, of_root, later, becomes]
    run_until(run, lambda: min(profiler.cpu_seconds(one.pid) for one in seen) > CPU, "CPU time of all four")
    counts = [samples_of(run, one.pid) for one in seen]
    assert not counts[1] and min(counts[0], counts[2], counts[3]) > 30, counts
    refused = re.search(r"(\d+) process(?:es)? may not be read, of which (\d+) (?:is|are) called python: "
                        "run as root", run.err)
    assert int(refused[1]) > int(refused[2]) > 0 and run.err.count("may not be read, of which") == 1


def test_filters_hold(programs, open_folder):
    """By the name of the program; root sees both."""
    one = programs(PYTHON, "-c", "import ctypes\nctypes.CDLL(None).prctl(15, b'chosen-one')\n" + BURN % 60)
    other = programs(PYTHON, "-c", BURN % 60)
    profiler.wait_until(lambda: profiler.cpu_seconds(one.pid) > 0.2, what="its name")
    run = profiler.Run(open_folder, *OUTSIDE, "-a", "--comm", "chosen-*", "-F", FREQUENCY)
    until = profiler.cpu_seconds(one.pid) + CPU
    run_until(run, lambda: profiler.cpu_seconds(one.pid) > until, "CPU time of it")
    assert samples_of(run, one.pid) > 30 and not samples_of(run, other.pid)
    assert {sample.pid for sample in run.samples} == {one.pid}


def test_programs_without_python_are_refused():
    done = subprocess.run([profiler.BINARY, *OUTSIDE, "--all"], capture_output=True, text=True)
    assert done.returncode == 2 and "--all" in done.stderr and "-a, or --all-python" in done.stderr


def test_top_of_nobody(programs):
    mine = programs(*NOBODY, PYTHON, "-c", "def mine():\n    while True: pass\nmine()")
    screen = Screen(command=[*NOBODY, profiler.BINARY])
    screen.wait(lambda page: any("mine" in line for line in page), "its function")
    assert mine.poll() is None
    screen.press("q")
    screen.end()


THREADS = ("import threading, time\ndef burn():\n    while True: pass\n"
           "for _ in range(8): threading.Thread(target=burn, daemon=True).start()\ntime.sleep(1000)")


def test_the_budget_holds(programs, tmp_path):
    """Looks are left out, those that are made stand for them, and CPU time is what it was."""
    busy = programs(known.newest().path, "-c", THREADS)
    run = profiler.Run(tmp_path, *OUTSIDE, "-F", 499, "--budget", "0.5", "--pid", busy.pid)
    begin = None

    def used():
        nonlocal begin
        begin = begin or profiler.cpu_seconds(busy.pid)
        return profiler.cpu_seconds(busy.pid) - begin > 8
    run_until(run, used, "CPU time of it")
    cost, seconds = run.stats["kernel"]["run_time_ns"] / 1e9, run.stats["seconds"]
    assert run.stats["counters"]["ticks_thinned"] > 100, run.stats
    # A second's allowance may be owed, and the looks of a second are made however much they cost.
    assert cost < 0.005 * (3 * seconds + 2) + 0.05, (cost, seconds)
    # Looks are missing where the looker got no CPU. Without their weights an eighth would be left.
    assert 0.3 < samples_of(run, busy.pid) / 499 / 8 < 1.6
