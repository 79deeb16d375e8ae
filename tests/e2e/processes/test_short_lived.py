# SPDX-License-Identifier: GPL-2.0-only
"""Processes that end before the profile is written still have names."""
import os
import re
import subprocess

import pytest

import interpreters as known
import pprof
import profiler

SECONDS = 0.1  # of CPU time in burn(), each: the number of their ticks is known
FREQUENCY = 997


def in_turn(count, *command):
    """A shell that runs it so many times."""
    loop = 'n=0; while [ $n -lt %d ]; do "$@" || exit 1; n=$((n + 1)); done' % count
    return "sh", "-c", loop, "sh", *command


def run_ahead_of(tmp_path, *command, **options):
    """A run in which whoever looks at the command's processes has a CPU when he wants one. They have what
    others leave."""
    with profiler.before_others():
        return profiler.run(tmp_path, "-F", FREQUENCY, "--", "chrt", "--other", "0", *command, **options)


@pytest.mark.parametrize("processes", [30, pytest.param(100, marks=pytest.mark.all),
                                       pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("python", [known.newest()], ids=str)
def test_processes_one_after_the_other(python, processes, workloads, tmp_path):
    run = run_ahead_of(tmp_path, "env", "QUIET=1",
                       *in_turn(processes, python.path, "-IS", workloads / "burn.py", SECONDS), timeout=900)
    file = str(workloads / "burn.py")
    named = [s for s in run.samples if s.stack[0][:2] == ("burn", file) and
             s.stack[-1][:2] == ("<module>", file)]
    expected = processes * SECONDS * FREQUENCY
    assert profiler.total(named) >= 0.9 * expected, run.stats["outcomes"]
    assert len({s.pid for s in named}) >= 0.95 * processes
    # The rest is in the books, which finish() checked: nothing more of burn() can be missing than what is
    # counted.
    outcomes = run.stats["outcomes"]
    counted = sum(count for key, count in outcomes.items()
                  if key not in ("whole", "not_python", "not_selected"))
    assert profiler.total(named) + counted >= 0.97 * expected, outcomes
    # No stack without names.
    assert not [s for s in run.samples for f in s.stack if profiler.marker_of(s.stack) is None and
                not (f[0] and f[1])]


def lost(run):
    """The part of the ticks of COMMAND's processes that came before anybody knew what they were."""
    outcomes = run.stats["outcomes"]
    return outcomes["new_process"] / (run.stats["ticks"] - outcomes["not_selected"] - outcomes["idle"])


def where_the_runtime_is():
    """Each interpreter, and whether its program needs a libpython. Some are scripts that start the loader: to
    the kernel that is the program then."""
    for python in known.available():
        path = os.path.realpath(python.path)
        with open(path, "rb") as file:
            program = file.read(4) == b"\x7fELF"
        needed = subprocess.run(["readelf", "-d", path], capture_output=True, text=True)
        if program and python.version >= (3, 7):
            yield python, "libpython" in needed.stdout


def pythons():
    """One with its runtime in the program's own file, one with it in a library."""
    found = {shared: python for python, shared in where_the_runtime_is()}
    return [pytest.param(python, id="shared" if shared else "static") for shared, python in found.items()]


@pytest.mark.parametrize("python", pythons())
def test_what_was_proved_once_is_known_from_its_exec_on(python, tmp_path):
    """Each lives for some 20 ms, in which there was no verdict: a third of their ticks was lost."""
    run = run_ahead_of(tmp_path, *in_turn(120, python.path, "-ISc", "import json"))
    assert lost(run) < 0.15, run.stats["outcomes"]
    assert len({s.pid for s in run.samples}) > 20
    assert any("<module>" in profiler.functions(s) for s in run.samples)


def test_a_file_that_was_changed_is_proved_anew(tmp_path):
    """A program of another layout takes the place of one that is known, in the same file."""
    each = {python.version[:2]: os.path.realpath(python.path)
            for python, shared in where_the_runtime_is() if not shared}
    two = list(each.values())[-2:]
    if len(two) < 2:
        pytest.skip("SKIP interpreters: fewer than two have their runtime in the program")
    program = tmp_path / "python"
    script = 'for p in "$@" "$@"; do cat $p > %s; chmod +x %s; export PYTHONHOME=${p%%/bin/*}; ' \
             '%s -Sc "%s" || exit 1; done' % (program, program, program,
                                             "import time\nwhile time.thread_time() < 0.3: pass")
    run = profiler.run(tmp_path, "-F", FREQUENCY, "--", "sh", "-c", script, "sh", *two)
    outcomes = run.stats["outcomes"]
    assert outcomes["whole"] > 0.7 * 4 * 0.3 * FREQUENCY, outcomes
    assert outcomes["incomplete"] + outcomes["unreadable"] < 0.02 * outcomes["whole"], outcomes


def test_what_is_lost_is_said(tmp_path):
    """In the summary and in the profile, of which the rest is what came after the verdict."""
    busy = "import itertools, time; all(time.process_time() < 1 for _ in itertools.count())"
    run = profiler.run(tmp_path, "-F", FREQUENCY, "--", known.newest().path, "-ISc", busy)
    count = run.stats["outcomes"]["new_process"]
    assert count, "the first one of a file is not known yet"
    assert "Not in the profile: " in run.err and re.search(r"\b%d tick" % count, run.err)
    profile = pprof.read(run.path)
    assert [c for c in profile.comments if c.startswith("%d ticks of programs that had only begun" % count)]
