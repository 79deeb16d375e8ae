# SPDX-License-Identifier: GPL-2.0-only
"""`--trace otel` beside programs of which each span has a route of its own, as one has that takes whole paths
for routes: a service that comes later has all of its routes."""
import sysconfig
import time

import pytest

import crowds
import interpreters as known
import pprof
import profiler
from serving import server

PYTHON = known.find("debian-3.11")  # its processes are called python3
pytestmark = pytest.mark.skipif(not PYTHON, reason="SKIP debian-3.11: %s" % known.reason("debian-3.11"))
PACKAGES = sysconfig.get_paths()["purelib"]
SPANS, KEPT = 5000, 4096  # of so many routes that were once kept none went

# Spans with a route each, current in turn: of one user or of several, each in a process of its own.
PROGRAM = """
import json, os, sys, time
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
count, milliseconds, prefix, *uids = sys.argv[1:]
trace.set_tracer_provider(TracerProvider())
tracer = trace.get_tracer("x")
with tracer.start_as_current_span("first"):
    pass
for uid in uids[1:]:
    if not os.fork():
        os.close(1)
        uids[0] = uid
        break
os.setgid(int(uids[0]))
os.setuid(int(uids[0]))
parent = os.getppid()
def work():
    if os.getppid() != parent:  # they end together
        os._exit(0)
    end = time.thread_time() + float(milliseconds) / 1000
    while time.thread_time() < end:
        pass
if uids[0] == sys.argv[4]:
    print(json.dumps({}), flush=True)
turn = 0
while True:
    for i in range(int(count)):
        route = "/%s/%s/%d/%d" % (prefix, uids[0], turn, i)
        with tracer.start_as_current_span("s", attributes={"http.route": route}):
            work()
    turn += prefix == "evil"
"""


def start(count, milliseconds, prefix, *uids):
    return profiler.target(PYTHON.path, "-c", PROGRAM, count, milliseconds, prefix, *uids,
                           env={"PYTHONPATH": str(PACKAGES), "PATH": "/usr/bin:/bin"})


def share_with_a_route(s, pid, begin):
    """Of the samples of a process that have a span; and how many these are."""
    answer = s.get("/debug/pyperf/log?from=%f&to=%f&trace=each" % (begin, time.time()))
    assert answer.status == 200, answer
    ours = [x for x in pprof.parse(answer.body).samples
            if x.labels.get("pid") == pid and "trace_id" in x.labels]
    right = [x for x in ours if x.labels.get("route", "").startswith("/honest/")]
    assert not [x for x in ours if x.labels.get("route") and x not in right]
    every, named = (sum(x.values[0] for x in samples) for samples in (ours, right))
    return named / max(1, every), every, {x.labels["route"] for x in right}


def judge(s, attack, seen):
    """A service of five routes that begins when these are full, and again when who filled them has ended."""
    for beside in attack, None:
        with start(5, 400, "honest", crowds.STRANGER + 1) as honest:
            begin = time.time()

            def is_enough():
                _, samples, routes = share_with_a_route(s, honest.pid, begin)
                return samples > 2500 and len(routes) == 5
            profiler.wait_until(is_enough, what="samples of five routes")
            share, samples, routes = share_with_a_route(s, honest.pid, begin)
        print("%d samples, %.1f %% with a route, %s" % (samples, 100 * share, sorted(routes)))
        assert share > 0.9
        assert s.metric("trace_routes_found_total") > seen
        if beside:
            beside.process.kill()


def test_a_route_for_each_span(tmp_path):
    with server(tmp_path, "-a", "--comm", "python*", "-F", 999, "--budget", 0, "--log", 5, "--trace",
                "otel") as s:
        with start(100000, 2, "evil", *range(crowds.STRANGER - 3, crowds.STRANGER)) as attack:
            def met():
                return sum(s.metric("trace_routes_%s_total" % what) for what in ("found", "left"))
            profiler.wait_until(lambda: met() > SPANS, what="routes")
            judge(s, attack, SPANS)
            assert s.metric("trace_routes_texts") > KEPT
