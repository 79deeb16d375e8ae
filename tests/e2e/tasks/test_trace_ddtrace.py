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

import endpoints
import interpreters as known
import pprof
import profiler
from serving import server

WEB = pathlib.Path(profiler.ROOT, ".cache/web/bin")
# One that has no CPU for half a minute is not killed for that (--timeout).
GUNICORN = ["gunicorn", "-k", "gthread", "--threads", "4", "-w", "1", "--timeout", "0",
            "--log-level", "warning", "-b", "127.0.0.1:PORT"]
UVICORN = ["uvicorn", "--host", "127.0.0.1", "--port", "PORT", "--log-level", "warning", "--no-access-log",
           "--loop", "uvloop", "--factory"]
SERVERS = {"flask": ([*GUNICORN, "traced_ddtrace:flask()"], ["/items", "/order"], True),
           "fastapi": ([*UVICORN, "traced_ddtrace:fastapi"], ["/items", "/order", "/all"], False),
           "django": ([*GUNICORN, "traced_ddtrace:django()"], ["/items", "/order"], True)}
WORK = re.compile(r"span_([0-9a-f])_([0-9a-f])")
QUIET = {"DD_TRACE_AGENT_URL": "http://127.0.0.1:9", "DD_INSTRUMENTATION_TELEMETRY_ENABLED": "false",
         "DD_REMOTE_CONFIGURATION_ENABLED": "false"}


@pytest.fixture(params=[pytest.param(version, marks=() if version == "web" else pytest.mark.all)
                        for version in ("web", "3.13", "3.14")])
def start(request, workloads):
    """A function that starts the program, by ddtrace-run or as it is: with the Python of the frameworks, and
    with newer ones, for which the packages are in a directory."""
    found = [i for i in known.everything() if i.name.startswith("pbs-%s." % request.param)]
    packages = WEB.parent if request.param == "web" else WEB.parents[1] / ("web-" + request.param)
    python = found[0].path if found else WEB / "python"
    if not (packages / "bin/ddtrace-run").exists() or not found and request.param != "web":
        pytest.skip("SKIP web: no %s/bin/ddtrace-run; make deps" % packages.relative_to(profiler.ROOT))
    path = {} if request.param == "web" else {"PYTHONPATH": str(packages)}

    def run(*arguments, runner=(python, packages / "bin/ddtrace-run")):
        return profiler.target(*runner, python, workloads / "ddtrace_spans.py", *arguments,
                               env={**os.environ, **QUIET, **path}, stderr=subprocess.DEVNULL)

    run.version = request.param
    return run


def serve(tmp_path, pids, *arguments):
    return server(tmp_path, "--pid", ",".join(map(str, pids)), "-F", 997, "--budget", 0, "--log", 5,
                  "--trace", "otel", *arguments)


def profile_of(s, begin):
    answer = s.get("/debug/pyperf/log?from=%f&trace=each" % begin)
    assert answer.status == 200 and "Pyperf-Spans-Left-Out" not in answer.headers, answer.headers
    return pprof.parse(answer.body)


def samples_of(s, begin):
    return profile_of(s, begin).samples


def judge(samples, kind=0):
    """Only of samples of this kind in whose stack a function tells the ids, or that there are none."""
    found = collections.Counter()
    for sample in samples:
        chosen = [match.groups() for match in (WORK.fullmatch(name) for name in sample.names) if match]
        trace_id, span_id = sample.labels.get("trace_id"), sample.labels.get("span_id")
        ticks = sample.values[kind]
        if not chosen:
            found["none" if not trace_id else "unwanted"] += ticks if "idle" in sample.names else 0
        elif not trace_id:
            found["missing"] += ticks
        else:
            found["right" if (trace_id[-1], span_id[-1]) == chosen[0] else "wrong"] += ticks
    return found


def look(s):
    """Samples from the first one on that has ids, and how many were unknown."""
    profiler.wait_until(lambda: s.metric("trace_spans_total") >= 1, what="spans")
    begin = time.time()
    profiler.wait_until(lambda: s.metric("trace_spans_total") >= 600, what="spans")
    return samples_of(s, begin), s.metric("trace_unknown_total")


def test_spans_of_threads_and_tasks(start, tmp_path):
    with start() as target, serve(tmp_path, target.about) as s:
        samples, unknown = look(s)
    found = judge(samples)
    assert found["right"] > 200 and found["none"] > 10, found
    assert not found["wrong"] and not found["missing"] and not found["unwanted"] and not unknown, found
    assert len({sample.labels.get("trace_id") for sample in samples}) > 20


@pytest.mark.all
def test_waits(start, tmp_path):
    """They have the span that was current when they began."""
    with start() as target, serve(tmp_path, target.about, "--event", "cpu,offcpu") as s:
        profiler.wait_until(lambda: s.metric("trace_spans_total") >= 2000, what="spans")
        profile = profile_of(s, time.time() - 600)
    kind = [name for name, _ in profile.sample_types].index("offcpu")
    resting = [sample for sample in profile.samples if "rest" in sample.names]
    found = judge(resting, kind)
    assert found["right"] > 0 and not found["wrong"], found


@pytest.mark.all
def test_a_child_has_its_own(start, tmp_path):
    """Which goes on with the span in which it was forked, and publishes itself."""
    begin = time.time()
    with start("fork") as target, serve(tmp_path, target.about) as s:
        profiler.wait_until(lambda: s.metric("trace_spans_total") >= 1500, what="spans")
        samples = samples_of(s, begin)
    found = {pid: judge(x for x in samples if x.labels["pid"] == pid) for pid in target.about}
    for counts in found.values():
        assert counts["right"] > 100 and not counts["wrong"] and not counts["unwanted"], found


def test_tasks_that_it_does_not_follow(start, tmp_path):
    """Without ddtrace-run it publishes the ids of another task's span: none are taken. From 3.14 on the
    interpreter itself tells it of tasks."""
    with start(runner=()) as target, serve(tmp_path, target.about) as s:
        if start.version == "3.14":
            found = judge(look(s)[0])
            assert found["right"] > 200 and not found["wrong"] and not found["missing"], found
            return
        profiler.wait_until(lambda: s.metric("ticks_total") >= 2000, what="ticks")
        assert s.metric("trace_spans_total") == 0 and s.metric("trace_unknown_total") == 0
        s.end()
    assert s.run.err.count("start it with ddtrace-run") == 1


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.all) for name in SERVERS])
def test_spans_of_requests(name, tmp_path):
    if not (WEB / "ddtrace-run").exists():
        pytest.skip("SKIP web: no .cache/web/bin/ddtrace-run; make deps")
    command, paths, forks = SERVERS[name]
    with endpoints.application(WEB / "python", [WEB / "ddtrace-run", WEB / "python", "-m", *command], paths,
                               environment=QUIET, forks=forks) as started, \
            serve(tmp_path, started.pids) as s:
        samples, unknown = look(s)
    found = judge(samples)
    assert found["right"] > 200 and not found["wrong"] and not found["missing"] and not unknown, found
    assert len({sample.labels.get("trace_id") for sample in samples}) > 20
