# SPDX-License-Identifier: GPL-2.0-only
"""What serves, pushes and follows requests, with the four capabilities of the DaemonSet: no part of it needs
a right of its own, and processes of other users are no different. Kinds of events are in
test_privileges.py."""
import json
import os
import subprocess
import sysconfig

import pytest

import interpreters as known
import pprof
import profiler
from receiver import receiving
from serving import free_port, server
from test_privileges import GIVEN, folder, has_given_up, kept_for_ticks  # noqa: F401

SDK = {"PYTHONPATH": sysconfig.get_paths()["purelib"], "PATH": "/usr/bin:/bin"}
PROGRAM = """
def hot(n):
    total = 0
    for i in range(n):
        total += i * i
    return total
print("{}", flush=True)
while True:
    hot(20000)
"""
TOKEN = "an-example-of-a-token-0123456789"
RIGHT = {"Authorization": "Bearer " + TOKEN}
pytestmark = pytest.mark.all


def become_nobody():
    os.setgid(65534)
    os.setuid(65534)


def count_ids(samples, truth):
    """Of the functions that run in a span, each of which says in which: right and wrong ones."""
    counts = {True: 0, False: 0}
    for sample in samples:
        names = [name for name in (frame.function for frame in sample.frames) if truth.get(name)]
        if len(names) == 1 and "trace_id" in sample.labels:
            counts[[sample.labels["trace_id"], sample.labels["span_id"]] == truth[names[0]]] += 1
    return counts[True], counts[False]


def test_what_serves_and_follows(folder, workloads):  # noqa: F811
    app, token = folder / "app.py", folder / "token"
    app.write_text(PROGRAM)
    token.write_text(TOKEN)
    metrics, health = free_port(), free_port()
    python = known.usual().path
    with profiler.target(python, workloads / "spans.py", env=SDK) as spans, \
            receiving("otlp") as receiver, \
            profiler.target(python, workloads / "publish.py", stdin=subprocess.PIPE) as service, \
            profiler.target(python, app, preexec_fn=become_nobody) as of_nobody:
        service.tell("publish shop one staging")
        pids = ",".join(str(target.pid) for target in (spans, service, of_nobody))
        with server(folder, "--pid", pids, "-F", 499, "--event", "cpu,offcpu", "--trace", "otel", "--log", 5,
                    "--interval", 1, "--push", receiver.url, "--listen-source", "--listen-metrics", metrics,
                    "--listen-health", health, "--listen-token-file", token, ready=False,
                    binary=(*GIVEN["pod"], profiler.BINARY)) as s:
            has_given_up(s.run, *kept_for_ticks())
            profiler.wait_until(lambda: s.metrics(metrics)["pyperf_trace_spans_total", ()] > 100,
                                what="spans")
            assert s.get("/healthz", port=health).status == 200

            def get(path):
                answer = s.get(path, headers=RIGHT)
                assert answer.status == 200, answer
                return answer.body

            def services():
                profile = pprof.parse(get("/debug/pprof/profile?seconds=1"))
                return {(sample.labels["pid"], sample.labels.get("service")) for sample in profile.samples}
            profiler.wait_until(lambda: (service.pid, "shop") in services(), what="name of the service")
            each = pprof.parse(get("/debug/pyperf/log?last=5&trace=each"))
            right, wrong = count_ids(each.samples, spans.about)
            assert right > 20 and not wrong
            assert any(sample.labels.get("route") for sample in each.samples)
            assert b"hot" in get("/debug/pyperf/stacks?pid=%d" % of_nobody.pid)
            asked = "pid=%d&name=hot&file=%s&line=2&from=2&to=6" % (of_nobody.pid, app)
            profiler.wait_until(lambda: s.get("/debug/pyperf/source?" + asked, headers=RIGHT).status == 200,
                                what="lines of a function that was met in an interval")
            lines = json.loads(get("/debug/pyperf/source?" + asked))["lines"]
            assert lines == PROGRAM.split("\n")[1:1 + len(lines)] and len(lines) > 2
            profiler.wait_until(lambda: receiver.received, what="push")
            s.end()
    assert any(sample.stack for got in receiver.received for sample in profiler.samples_of(got.profile))
