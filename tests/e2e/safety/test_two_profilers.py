# SPDX-License-Identifier: GPL-2.0-only
"""Two profilers of one machine at the same time, into the same folder: each has its own ticks, tables and
files, and what one of them counts is not in the other's books."""
import contextlib

import interpreters as known
import profiler
from edges import Judge

NEWEST = known.newest()
CPU = 3


def test_each_keeps_its_own_books(workloads, tmp_path):
    folder = tmp_path / "profiles"
    folder.mkdir()
    with profiler.target(NEWEST.path, workloads / "edges.py") as target, contextlib.ExitStack() as stack:
        runs = []
        for frequency in (499, 997):
            own = tmp_path / str(frequency)
            own.mkdir()
            runs.append(profiler.Run(own, "-p", target.pid, "-F", frequency, "--output-dir", folder,
                                     "--interval", 1, output=None))
            stack.callback(runs[-1].kill)
        for run in runs:
            profiler.let_use_cpu(run, [target.pid], CPU)
        for run in runs:
            run.interrupt()
        for run in runs:
            run.finish()
    judge = Judge(target.about)
    profiles = [profiler.pprof.read(path) for path in folder.iterdir()]
    for frequency, run in zip((499, 997), runs):
        run.samples = [sample for one in profiles if (one.period < 10**9 / 700) == (frequency > 700)
                       for sample in profiler.samples_of(one)]
        run.check_books()
        assert profiler.total(run.samples) >= 0.8 * CPU * frequency, run.stats
        assert not [fault for s in run.samples if not profiler.marker_of(s.stack)
                    for fault in judge.faults(s.stack)]
    assert len(profiles) == sum(run.stats["export"]["files_written"] for run in runs)
