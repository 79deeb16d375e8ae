# SPDX-License-Identifier: GPL-2.0-only
"""With the JIT on (3.14, 3.15: PYTHON_JIT=1) every function and every call is right. Lines may lag behind:
compiled code writes where it stands only where it has to (docs/versions.md)."""
import collections
import os
import subprocess

import pytest

import interpreters as known
import profiler
from edges import Judge

CPU = 2 if known.ONLY_FAMILIES else 15  # seconds
FREQUENCY = 997
PROBE = "import sys; print(sys._jit.is_enabled())"
ENVIRONMENT = dict(os.environ, PYTHON_JIT="1")


class FunctionJudge(Judge):
    """Allows a frame any line of its function: a call is legal if one of the caller's lines may make it."""

    def __init__(self, about):
        super().__init__(about)
        self.under = {}

    def frame_fault(self, frame):
        return None if frame[:3] in {code[1:2] + code[:1] + code[2:]
                                     for code in self.codes} else "no such function"

    def edge_fault(self, caller, callee):
        if not self.ours(caller):
            return super().edge_fault(caller, callee)
        lines = self.codes[caller[1], caller[0], caller[2]]
        faults = [super(FunctionJudge, self).edge_fault((*caller[:3], line), callee)
                  for line in lines if (caller[1], line) in self.callees]
        return None if None in faults else faults[0]


def has_jit(interpreter):
    done = subprocess.run([interpreter.path, "-c", PROBE], env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=300)
    return done.stdout.strip() == "True"


@pytest.mark.parametrize("name", ("pbs-3.14.6", "debian-3.14.10", "debian-3.15.2"))
def test_functions_are_right(name, workloads, tmp_path):
    interpreter = known.find(name)
    if not interpreter:
        pytest.skip("SKIP %s: %s" % (name, known.reason(name)))
    assert has_jit(interpreter)
    with profiler.target(interpreter.path, workloads / "edges.py", env=ENVIRONMENT) as target:
        run = profiler.run_while(tmp_path, [target], CPU, "-F", FREQUENCY, "--cache", "check")
    judge, strict = FunctionJudge(target.about), Judge(target.about)
    whole = [s for s in run.of(target.pid) if profiler.marker_of(s.stack) is None]
    assert profiler.total(whole) > 500
    assert run.stats["counters"]["cache_mismatch"] == 0
    faults = collections.Counter()
    for sample in whole:
        for fault in judge.faults(sample.stack) if sample.count else ():
            faults[fault] += sample.count
    assert not faults, faults.most_common(5)
    lagging = profiler.total(s for s in whole if strict.faults(s.stack))
    print("stacks with a line that lags: %.2f %%" % (100 * lagging / profiler.total(whole)))
    assert {"short_threads", "asyncio_tasks"} <= {frame[0] for s in whole for frame in s.stack}
