# SPDX-License-Identifier: GPL-2.0-only
"""The processes that --pid names end: the run ends with the last one, says so, and writes the profile."""
import os
import signal
import time

import interpreters as known
import pprof
import profiler

PYTHON = known.newest().path
BURN = "import time\ndef burn():\n    while True:\n        sum(range(20000))\n        time.sleep(0.005)\n"
# It starts a child that goes on when it has ended itself.
PARENT = ("import json, subprocess, sys\n"
          "child = subprocess.Popen([sys.executable, '-c', sys.argv[1] + 'burn()'], stdout=2)\n"
          "print(json.dumps({'child': child.pid}), flush=True)\n" + BURN + "burn()")
LOOKS = 2  # seconds: it looks once a second
WITHIN = 60  # seconds; docs/usage.md says 3, of which a busy machine makes more


def samples_of(run, *pids):
    return profiler.total(s for s in run.of(*pids) if "burn" in profiler.functions(s))


def end(target):
    target.process.kill()
    target.process.wait()


def start(directory, targets, *arguments):
    run = profiler.Run(directory, "--pid", ",".join(str(t) for t in targets), "-F", 499, *arguments)
    profiler.let_use_cpu(run, targets, 0.1, seconds=LOOKS)
    assert run.process.poll() is None, run.finish()
    return run


def ended_after(run, since):
    """Seconds from then to the end of what the profile is of, by what the profile itself says."""
    profile = pprof.read(run.path)
    return (profile.time_nanos + profile.duration_nanos) / 1e9 - since


def test_ends_with_the_last_one(tmp_path):
    program = "print('{}', flush=True)\n" + BURN + "burn()"
    with profiler.targets([(PYTHON, "-c", program)] * 2) as (first, second):
        run = start(tmp_path, [first.pid, second.pid])
        end(first)
        time.sleep(LOOKS)
        assert run.process.poll() is None, "one of them lives"
        killed = time.time()
        end(second)
        run.finish()
    assert samples_of(run, first.pid) > 0 and samples_of(run, second.pid) > 0
    assert 0 < ended_after(run, killed) < WITHIN
    assert run.err.count("all 2 processes that --pid names have ended, and with them the run") == 1, run.err


def test_ends_before_duration(tmp_path):
    program = "print('{}', flush=True)\n" + BURN + "burn()"
    with profiler.target(PYTHON, "-c", program) as target:
        run = start(tmp_path, [target.pid], "-d", 1000)
        killed = time.time()
        end(target)
        run.finish()
    assert samples_of(run, target.pid) > 0
    assert 0 < ended_after(run, killed) < WITHIN
    assert "process %d has ended, and with it the run" % target.pid in run.err, run.err


def test_children_are_waited_for(tmp_path):
    with profiler.target(PYTHON, "-c", PARENT, BURN) as parent:
        child = parent.about["child"]
        try:
            run = start(tmp_path, [parent.pid], "--children")
            end(parent)
            profiler.let_use_cpu(run, [child], 0.1, seconds=LOOKS)
            assert run.process.poll() is None, "its child lives"
        finally:
            os.kill(child, signal.SIGKILL)
        run.finish()
    assert samples_of(run, child) > 0
    assert "process %d has ended, and so have its children, and with it the run" % parent.pid in run.err
