# SPDX-License-Identifier: GPL-2.0-only
"""--by endpoint, with Flask under gunicorn: whose request each sample is, in every output. What is
marked `all` varies what the first and the last test have shown."""
import re
import shutil
import subprocess
import sys
import urllib.parse

import pytest

import endpoints
import interval_graph
import pprof
import profiler
import serving

MODULE = "endpoints.flask_app:"
HANDLERS = {"leaf_items": MODULE + "items", "leaf_cart": MODULE + "Cart.get", "leaf_order": MODULE + "order",
            "leaf_admin": MODULE + "guarded.<locals>.guard"}
BEHIND = dict(HANDLERS, leaf_admin=MODULE + "admin")
RULE = "flask_app.py:guarded.<locals>.guard"


@pytest.fixture(scope="module")
def flask():
    for package in ("flask", "gunicorn"):
        pytest.importorskip(package, reason="SKIP venv: no %s of tests/requirements.txt" % package)
    arguments = ["-m", "gunicorn", "-k", "gthread", "--threads", "4", "-w", "1", "--log-level", "warning",
                 "-b", "127.0.0.1:PORT", "flask_app:app"]
    with endpoints.application(sys.executable, arguments, ["/items", "/cart/7", "/shop/order", "/admin"],
                               forks=True) as started:
        yield started


def test_whose_each_sample_is(flask, tmp_path):
    """68 % were measured (docs/endpoints.md)."""
    run, samples = endpoints.profile_of(tmp_path, flask, 1, "--by", "endpoint")
    endpoints.judge(samples, HANDLERS, 0.68)
    table = re.search(r"\nEndpoints\n.*?\n(.*?)\n\n", run.out, re.S)[1]
    assert {line.split()[-1] for line in table.splitlines()} == {*HANDLERS.values(), "endpoint)"}
    if not shutil.which("go"):
        pytest.skip("SKIP go: no go tool pprof")
    tags = subprocess.run(["go", "tool", "pprof", "-tags", str(run.path)], capture_output=True, text=True,
                          check=True).stdout
    shown = re.search(r"^ *endpoint: .*?\n((?: .*\n)*)", tags, re.M)[1]
    assert {line.split()[-1] for line in shown.splitlines() if line.strip()} == set(HANDLERS.values()), tags


@pytest.mark.all
def test_a_rule_of_ones_own(flask, tmp_path):
    """It looks behind a decorator, and leaves the other handlers as they were."""
    _, samples = endpoints.profile_of(tmp_path, flask, 1, "--by", "endpoint", "--endpoint-rule", RULE)
    endpoints.judge(samples, BEHIND, 0.68)


@pytest.mark.all
def test_other_kinds_of_events(flask, tmp_path):
    """The stacks of waits are in the same tree."""
    endpoints.profile_of(tmp_path, flask, 1, "--by", "endpoint", "--event", "cpu,gil")
    profile = pprof.read(tmp_path / "profile.pb.gz")
    gil = profile.sample_types.index(("gil", "nanoseconds"))
    named = {sample.labels.get("endpoint") for sample in profile.samples if sample.values[gil]}
    assert named == {None, *HANDLERS.values()}


@pytest.mark.all
def test_not_without_it(flask, tmp_path):
    run, samples = endpoints.profile_of(tmp_path, flask, 0.5)
    assert samples and not any("endpoint" in sample.labels for sample in samples)
    assert "Endpoints" not in run.out


@pytest.mark.all
def test_folded(flask, tmp_path):
    run, _ = endpoints.profile_of(tmp_path, flask, 1, "--by", "endpoint", "--labels", "process",
                                  output="x.folded")
    lines = run.path.read_text().splitlines()
    found = {re.match(r"\S+ \(pid \d+\)(?:;endpoint ([^;]+))?;", line)[1] for line in lines}
    assert found == {None, *HANDLERS.values()}
    assert all(";endpoint %s;" % HANDLERS["leaf_cart"] in line for line in lines if "leaf_cart" in line)


def test_page(flask, tmp_path):
    """The stacks of each endpoint are apart, and can be asked for one by one."""
    with serving.server(tmp_path, "--pid", flask.pids[0], "-F", 499, "--by", "endpoint",
                        "--interval", 2) as server:
        graph = None

        def is_drawn():
            nonlocal graph
            graph = interval_graph.fetch(server)
            return graph and len(found()) > len(HANDLERS)

        def found():
            return {dict(owner).get("endpoint") for owner, _ in graph.stacks}

        profiler.wait_until(is_drawn, 120, "interval with all endpoints")
        assert found() == {None, *HANDLERS.values()}
        assert {dict(owner)["pid"] for owner, _ in graph.stacks} == {flask.pids[0]}
        name = HANDLERS["leaf_cart"]
        profile = server.profile("seconds=1&endpoint=" + urllib.parse.quote(name))
        assert {sample.labels["endpoint"] for sample in profile.samples} == {name}
