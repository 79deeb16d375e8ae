# SPDX-License-Identifier: GPL-2.0-only
"""What FastAPI does with what a handler has returned is a row of its own, and what has no endpoint is a row,
too, wherever endpoints are shown."""
import json

import pytest

import endpoints
import profiler
from test_frameworks import PYTHON, UVICORN

HANDLER, ANSWERS = "endpoints.answers_app:rows", "fastapi.routing:serialize_response"
NONE = "(no endpoint)"


def test_answers_have_a_row(tmp_path):
    if not PYTHON.exists():
        pytest.skip("SKIP web: no %s; make deps" % PYTHON.relative_to(profiler.ROOT))
    with endpoints.application(PYTHON, [*UVICORN, "answers_app:app"], ["/rows"]) as started:
        run, samples = endpoints.profile_of(tmp_path, started, 1, "--by", "endpoint")
    count = dict.fromkeys((HANDLER, ANSWERS, NONE), 0)
    for sample in samples:
        endpoint = sample.labels.get("endpoint", NONE)
        count[endpoint] += sample.count
        assert ("serialize_response" in sample.names) == (endpoint == ANSWERS), sample
    assert count[ANSWERS] > 2 * count[HANDLER] > 0 and count[NONE] > 0, count
    found = json.loads(profiler.command("report", "--json", "--by", "endpoint", run.path).stdout)
    rows = {row["name"]: row["self"] for row in found["tables"][0]["rows"]}
    assert set(rows) == set(count) and not found["tables"][0]["without"]
    assert sum(rows.values()) == found["profile"]["total"]
    text = profiler.command("report", "--by", "endpoint", run.path).stdout
    assert all(name in text and name in run.out for name in count)
