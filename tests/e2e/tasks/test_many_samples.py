# SPDX-License-Identifier: GPL-2.0-only
"""A million samples with values of context variables, and a million with ids of spans, against what the
programs say themselves: none may differ. $SAMPLES wants fewer, or more."""
import collections
import os
import time

import pytest

import pprof
import profiler
import test_label_var
import test_trace
from serving import server

SAMPLES = int(os.environ.get("SAMPLES", 1000000))
FREQUENCY = 9973  # Hz; the kernel may allow less
SECONDS = 10  # of a profile
AT_ONCE = 20000  # samples in spans, of a stretch of the log

pytestmark = [pytest.mark.long, pytest.mark.alone]


def gather(take, judge):
    """Takes profiles until so many samples are right, or have no value where there is none."""
    sums = collections.Counter()
    while sums["right"] + sums["none"] < SAMPLES:
        found, wrong = judge(pprof.parse(take()).samples)
        assert not wrong and not found["missing"], (wrong, found, sums)
        assert found["right"], "no sample has a value"
        sums += found
    assert sums["right"] > SAMPLES / 4, sums
    print(dict(sums))


@pytest.mark.parametrize("python", [p.values[0] for p in test_label_var.EACH], ids=str)
def test_values(python, workloads, tmp_path):
    names = test_label_var.NAMES
    with profiler.target(python.path, "-S", workloads / test_label_var.PROGRAM, "threads") as target:
        with server(tmp_path, "--pid", target.pid, "-F", FREQUENCY, "--budget", 0, "--label-var",
                    ",".join(names)) as s:
            def take(seconds=SECONDS):
                return s.get("/debug/pprof/profile?seconds=%d" % seconds, timeout=300).body

            def judge(samples):
                return test_label_var.compare(samples, target.about, names)
            profiler.wait_until(lambda: judge(pprof.parse(take(1)).samples)[0]["missing"] == 0, 120,
                                "all variables")
            gather(take, judge)


@pytest.mark.parametrize("python", test_trace.PYTHONS, ids=str)
def test_ids(python, workloads, tmp_path):
    with test_trace.start(python, workloads) as target:
        with server(tmp_path, "--pid", target.pid, "-F", FREQUENCY, "--budget", 0, "--log", 5, "--trace",
                    "otel") as s:
            test_trace.wait_for_spans(s, 1)

            def take():
                begin = time.time()
                test_trace.wait_for_spans(s, s.metric("trace_spans_total") + AT_ONCE)
                return s.get("%s?from=%f&to=%f&trace=each" % (test_trace.LOG, begin, time.time()),
                             timeout=300).body

            def judge(samples):
                return test_trace.compare(samples, target.about)
            gather(take, judge)
