# SPDX-License-Identifier: GPL-2.0-only
"""`--trace otel` with applications under OpenTelemetry's own instrumentation, which are asked all the time:
each works in a function that its current span's ids choose, so a stack says which they were."""
import collections
import pathlib
import re
import time

import pytest

import endpoints
import pprof
import profiler
from serving import server

PYTHON = pathlib.Path(profiler.ROOT, ".cache/web/bin/python")
# One that has no CPU for half a minute is not killed for that (--timeout).
GUNICORN = ["-m", "gunicorn", "-k", "gthread", "--threads", "4", "-w", "1", "--timeout", "0",
            "--log-level", "warning", "-b", "127.0.0.1:PORT"]
UVICORN = ["-m", "uvicorn", "--host", "127.0.0.1", "--port", "PORT", "--log-level", "warning",
           "--no-access-log"]
SERVERS = {
    "flask": ([*GUNICORN, "traced_flask:app"], ["/items", "/order", "/cart"], True),
    "fastapi": ([*UVICORN, "--loop", "uvloop", "traced_fastapi:app"], ["/items/7", "/order", "/all"], False),
    "django": ([*GUNICORN, "traced_django:wsgi"], ["/items", "/order"], True),
    "django-asgi": ([*UVICORN, "traced_django:asgi"], ["/items", "/order"], False),
}
EACH = [pytest.param(name, marks=() if name == "flask" else pytest.mark.all) for name in SERVERS]
WORK = re.compile(r"span_([0-9a-f])_([0-9a-f])")


def judge(samples):
    found = collections.Counter()
    for sample in samples:
        chosen = {match.groups() for match in (WORK.search(name) for name in sample.names) if match}
        if not chosen or not sample.values[0]:
            continue
        (trace_digit, span_digit), = chosen
        trace_id, span_id = sample.labels.get("trace_id"), sample.labels.get("span_id")
        if not trace_id:
            found["missing"] += sample.values[0]
        elif (trace_id[-1], span_id[-1]) == (trace_digit, span_digit):
            found["right"] += sample.values[0]
        else:
            found["wrong"] += sample.values[0]
    return found


@pytest.mark.parametrize("name", EACH)
def test_spans_of_requests(name, tmp_path):
    if not PYTHON.exists():
        pytest.skip("SKIP web: no %s; make deps" % PYTHON.relative_to(profiler.ROOT))
    command, paths, forks = SERVERS[name]
    with endpoints.application(PYTHON, command, paths, forks=forks) as started:
        with server(tmp_path, "--pid", ",".join(map(str, started.pids)), "-F", 997, "--budget", 0, "--log", 5,
                    "--trace", "otel") as s:
            profiler.wait_until(lambda: s.metric("trace_spans_total") >= 1, what="spans")
            begin = time.time()
            profiler.wait_until(lambda: s.metric("trace_spans_total") >= 700, what="spans")
            answer = s.get("/debug/pyperf/log?from=%f&trace=each" % begin)
            unknown = s.metric("trace_unknown_total")
    assert answer.status == 200 and "Pyperf-Spans-Left-Out" not in answer.headers, answer.headers
    samples = pprof.parse(answer.body).samples
    found = judge(samples)
    assert found["right"] > 200 and not found["wrong"] and not found["missing"] and not unknown, found
    assert len({sample.labels.get("trace_id") for sample in samples}) > 20
