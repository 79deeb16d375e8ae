# SPDX-License-Identifier: GPL-2.0-only
"""Processes that end before the profile is written still have names."""
import pytest

import interpreters as known
import profiler

SECONDS = 0.1  # of CPU time in burn(), each: the number of their ticks is known
FREQUENCY = 997


@pytest.mark.parametrize("processes", [100, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("python", [known.newest()], ids=str)
def test_processes_one_after_the_other(python, processes, workloads, tmp_path):
    loop = 'n=0; while [ $n -lt %d ]; do "$@" || exit 1; n=$((n + 1)); done' % processes
    run = profiler.run(tmp_path, "-F", FREQUENCY, "--", "env", "QUIET=1", "sh", "-c", loop, "sh", python.path,
                       "-IS",
                       workloads / "burn.py", SECONDS, timeout=60 + processes)
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
