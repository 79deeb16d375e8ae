# SPDX-License-Identifier: GPL-2.0-only
"""`--trace otel` with ddtrace, whose threads publish the ids of their span: each works in a function that its
span's ids choose, so a stack says which they were."""
import collections
import os
import pathlib
import re
import subprocess
import time

import pytest

import pprof
import profiler
from serving import server

WEB = pathlib.Path(profiler.ROOT, ".cache/web/bin")
WORK = re.compile(r"span_([0-9a-f])_([0-9a-f])")
QUIET = {"DD_TRACE_AGENT_URL": "http://127.0.0.1:9", "DD_INSTRUMENTATION_TELEMETRY_ENABLED": "false",
         "DD_REMOTE_CONFIGURATION_ENABLED": "false"}


def start(workloads, *arguments, runner=("python", "ddtrace-run")):
    if not (WEB / "ddtrace-run").exists():
        pytest.skip("SKIP web: no .cache/web/bin/ddtrace-run; make deps")
    return profiler.target(*(WEB / name for name in runner), WEB / "python", workloads / "ddtrace_spans.py",
                           *arguments, env={**os.environ, **QUIET}, stderr=subprocess.DEVNULL)


def serve(tmp_path, pids, *arguments):
    return server(tmp_path, "--pid", ",".join(map(str, pids)), "-F", 997, "--budget", 0, "--log", 5,
                  "--trace", "otel", *arguments)


def samples_of(s, begin):
    answer = s.get("/debug/pyperf/log?from=%f&trace=each" % begin)
    assert answer.status == 200 and "Pyperf-Spans-Left-Out" not in answer.headers, answer.headers
    return pprof.parse(answer.body).samples


def judge(samples):
    """Only of samples in whose stack a function tells the ids, or that there are none."""
    found = collections.Counter()
    for sample in samples:
        chosen = [match.groups() for match in (WORK.fullmatch(name) for name in sample.names) if match]
        trace_id, span_id = sample.labels.get("trace_id"), sample.labels.get("span_id")
        ticks = sample.values[0]
        if not chosen:
            found["none" if not trace_id else "unwanted"] += ticks if "idle" in sample.names else 0
        elif not trace_id:
            found["missing"] += ticks
        else:
            found["right" if (trace_id[-1], span_id[-1]) == chosen[0] else "wrong"] += ticks
    return found


def test_spans_of_threads_and_tasks(workloads, tmp_path):
    with start(workloads) as target, serve(tmp_path, target.about) as s:
        profiler.wait_until(lambda: s.metric("trace_spans_total") >= 1, what="spans")
        begin = time.time()
        profiler.wait_until(lambda: s.metric("trace_spans_total") >= 1000, what="spans")
        samples = samples_of(s, begin)
        unknown = s.metric("trace_unknown_total")
    found = judge(samples)
    assert found["right"] > 300 and found["none"] > 10, found
    assert not found["wrong"] and not found["missing"] and not found["unwanted"] and not unknown, found
    assert len({sample.labels.get("trace_id") for sample in samples}) > 20


def test_a_child_has_its_own(workloads, tmp_path):
    """Which goes on with the span in which it was forked, and publishes itself."""
    begin = time.time()
    with start(workloads, "fork") as target, serve(tmp_path, target.about) as s:
        profiler.wait_until(lambda: s.metric("trace_spans_total") >= 1500, what="spans")
        samples = samples_of(s, begin)
    found = {pid: judge(x for x in samples if x.labels["pid"] == pid) for pid in target.about}
    for counts in found.values():
        assert counts["right"] > 100 and not counts["wrong"] and not counts["unwanted"], found


def test_tasks_that_it_does_not_follow(workloads, tmp_path):
    """Without ddtrace-run it publishes the ids of another task's span: none are taken."""
    with start(workloads, runner=()) as target, serve(tmp_path, target.about, "-vv") as s:
        profiler.wait_until(lambda: s.metric("ticks_total") >= 2000, what="ticks")
        assert s.metric("trace_spans_total") == 0 and s.metric("trace_unknown_total") == 0
