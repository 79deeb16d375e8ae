# SPDX-License-Identifier: GPL-2.0-only
"""`--trace otel`: the route of each request under OpenTelemetry's own instrumentation, against what the
application logs of its spans."""
import collections
import time

import pytest

import endpoints
import pprof
import profiler
from serving import server
from test_trace_web import EACH, PYTHON, SERVERS, WORK

COUNTS = ("found", "none", "gone", "torn", "left")
LONG = "60"  # ms of work at a time
LIMIT = 900  # seconds for a minute of CPU time of the application, which others may have


def judge(samples, logged):
    """Of samples in spans of which the program tells the route: those with that route, and without any."""
    found = collections.Counter()
    for sample in samples:
        route = logged.get((sample.labels.get("trace_id"), sample.labels.get("span_id")))
        if not route or not any(WORK.search(name) for name in sample.names):
            continue
        have = sample.labels.get("route")
        found["right" if have == route else "missing" if have is None else "wrong"] += sample.values[0]
    return found


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("milliseconds", [LONG, pytest.param("2", marks=pytest.mark.all)])
def test_routes_of_requests(name, milliseconds, tmp_path):
    """Requests that take long have a route, all of them; what had ended before it was looked at has none, and
    none has another's. How soon they are looked at does not depend on what else the machine does."""
    if not PYTHON.exists():
        pytest.skip("SKIP web: no %s; make deps" % PYTHON.relative_to(profiler.ROOT))
    command, paths, forks = SERVERS[name]
    log = tmp_path / "log"
    environment = {"TRACED_LOG": str(log), "TRACED_MS": milliseconds}
    with endpoints.application(PYTHON, command, paths, forks=forks, environment=environment) as started:
        pids = ",".join(map(str, started.pids))
        with profiler.before_others(), \
                server(tmp_path, "--pid", pids, "-F", 997, "--budget", 0, "--log", 5, "--trace", "otel") as s:
            profiler.wait_until(lambda: s.metric("trace_spans_total") >= 200, LIMIT, "spans")
            begin = time.time()  # by then those have ended of which only a part was seen
            found = s.metric("trace_routes_found_total")
            profiler.wait_until(lambda: s.metric("trace_spans_total") >= 800 and
                                s.metric("trace_routes_found_total") >= found + 200, LIMIT,
                                "spans with routes")
            end = time.time()  # what was under way then has ended when it is asked for
            spans = s.metric("trace_spans_total")
            profiler.wait_until(lambda: s.metric("trace_spans_total") >= spans + 1000, LIMIT, "spans")
            answer = s.get("/debug/pyperf/log?from=%f&to=%f&trace=each" % (begin, end))
            counts = {what: s.metric("trace_routes_%s_total" % what) for what in COUNTS}
    assert answer.status == 200, answer
    logged = {tuple(line.split(" ")[:2]): line.split(" ")[2] for line in log.read_text().splitlines()}
    found = judge(pprof.parse(answer.body).samples, logged)
    # Of those that are short few have a sample in what is looked for.
    assert not found["wrong"] and found["right"] > (50 if milliseconds == LONG else 10), (found, counts)
    if milliseconds == LONG:
        assert found["missing"] <= 0.01 * found["right"], (found, counts)
