# SPDX-License-Identifier: GPL-2.0-only
"""The single-step oracle: the sampler's own source, run after every machine instruction of a live interpreter
(tests/oracle/step.c). A stack that it calls whole must be a call or a return away from the one before, and
what the cache leads to must be what a full walk leads to; always."""
import os
import subprocess

import pytest

import greenlets
import profiler

STEP = profiler.BUILD / "tests/oracle/step"
ALSO_2_7 = True
GREENLET_STEPS = 40000
SHAPES = 7  # of steps.py; steps27.py has five


def step(interpreter, workloads, instructions, shape=0, *options):
    return step_program(interpreter, instructions, options, workloads / interpreter.program("steps"), shape)


def step_program(interpreter, instructions, options, *program):
    """Exit status and counts by name."""
    assert os.access(STEP, os.X_OK), "not built: %s (make tests)" % STEP
    done = subprocess.run([str(STEP), *options, str(instructions), interpreter.path, "-S", "-B",
                           *map(str, program)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          timeout=1100)
    print(interpreter.name, done.stdout, done.stderr)
    assert done.stdout, "nothing was stepped"
    words = done.stdout.split()
    return done.returncode, dict(zip(words[::2], map(int, words[1::2])))


def check(interpreter, workloads, instructions, shape=0):
    # 3.11, 3.12: a CFrame may be seen before it is filled in. 3.9, 3.10: throw() cuts the chain of frames for
    # a while.
    bound = {(3, 9): 0.05, (3, 10): 0.05, (3, 11): 0.02, (3, 12): 0.02}.get(interpreter.version[:2], 0)
    status, counts = step(interpreter, workloads, instructions, shape)
    assert counts["instructions"] == instructions
    assert counts["whole"] + counts["detected"] == instructions
    assert counts["detected"] <= bound * instructions
    assert counts["deepest"] >= 18
    wrong = {name: counts[name] for name in ("undetected", "cache_differences", "cache_refused")
             if counts[name]}
    assert (status, wrong) == (0, {})
    return counts


@pytest.mark.parametrize("shape", range(SHAPES))
def test_a_sampler_after_every_instruction(version, workloads, shape):
    if version.version < (3,) and shape >= 5:
        pytest.skip("SKIP not-applicable: no coroutines in Python 2.7")
    check(version, workloads, 7000, shape)


def test_greenlets(version, workloads):
    """Each greenlet has a stack of its own, which does not change while others run. To link frames anew takes
    instructions, and then the part of the C stack is copied, a byte in each of these steps."""
    where = greenlets.directory(version) if version.version >= (3, 9) else None
    if not where:
        pytest.skip("SKIP not-applicable: no greenlet for %s" % version)
    status, counts = step_program(version, GREENLET_STEPS, ["--greenlets"],
                                  workloads / "steps_greenlets.py", where)
    bound = 0.005 if version.version < (3, 13) else 0
    assert counts["whole"] + counts["detected"] == GREENLET_STEPS
    assert counts["detected"] - counts["empty"] <= bound * GREENLET_STEPS
    assert counts["switches"] >= 2
    assert (status, counts["undetected"], counts["cache_differences"]) == (0, 0, 0)


@pytest.mark.long
def test_a_sampler_after_every_instruction_of_a_long_run(interpreter, workloads):
    counts = check(interpreter, workloads, 300000)
    assert counts["pushed"] and counts["popped"] and counts["codes"] > 15
    assert counts["cache_full"] + counts["cache_partial"] > 100000


def test_wrong_links_are_found(version, workloads):
    """A comparison that cannot fail proves nothing: one link in a hundred steps leads past three frames."""
    status, counts = step(version, workloads, 2000, 0, "--lie")
    assert status == (counts["undetected"] > 0)
    assert counts["lies"] >= 15
    # by the judge, or by the sampler itself
    assert counts["undetected"] + counts["detected"] >= counts["lies"]
    assert counts["cache_differences"] == 0
