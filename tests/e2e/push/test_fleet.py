# SPDX-License-Identifier: GPL-2.0-only
"""A fleet of twelve nodes, played with real recordings against a real Pyroscope that $PYROSCOPE names: a
regression of one version is found by its name, and one bad node is not taken for one. And three nodes
against a real Parca, of $PARCA."""
import json
import os

import pytest

import fleet
import interpreters as known
import profiler

pytestmark = pytest.mark.long
NODES, INTERVAL = 12, 5
NEW = "total.<locals>.<genexpr>"
CANARY = "diff", "--base", 'version="1.4"', "--new", 'version="1.5"', "--fail-over", "3"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, workloads):
    """[[push of an interval]] of either version."""
    found = {}
    for version in ("1.4", "1.5"):
        with profiler.target(known.newest().path, workloads / "fleet_shop.py", version,
                             about=False) as target:
            bodies = fleet.record(tmp_path_factory.mktemp("v"), [target.pid], 6, "-F", 199, "--service-from",
                                  "comm", interval=INTERVAL)
        found[version] = [[fleet.Recorded(body)] for body in bodies]
    return found


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    if not os.environ.get("PYROSCOPE"):
        pytest.skip("SKIP receivers: $PYROSCOPE does not name the program")
    with fleet.pyroscope(tmp_path_factory.mktemp("pyroscope")) as (url, _):
        yield url


def play(url, recorded, service, version_of, program_of):
    requests = fleet.played(lambda node: recorded[program_of(node)], NODES, 6, INTERVAL,
                            lambda node: {"service_name": service, "version": version_of(node)})
    fleet.send(url, list(requests))


def test_a_regression_of_a_version(store, recorded):
    play(store, recorded, "shop", lambda node: "1.5" if node % 3 == 0 else "1.4",
         lambda node: "1.5" if node % 3 == 0 else "1.4")
    source = 'pyroscope+%s/?query={service_name="shop"}&from=-10m' % store
    print(profiler.command(*CANARY, source, code=4).stdout)
    found = json.loads(profiler.command(*CANARY, "--json", source, code=4).stdout)
    assert (found["base"]["nodes"], found["new"]["nodes"]) == (8, 4)
    beyond = [row["name"] for row in found["rows"] if row["beyond_chance"] and row["self"] > 0]
    assert beyond[0] == NEW, found["rows"][:5]
    assert found["new"]["pushed"]["profiles"] == 4 * 6


def test_one_bad_node(store, recorded):
    """All nodes have the old program but one, which has the version's label."""
    play(store, recorded, "shop-two", lambda node: "1.5" if node % 3 == 0 else "1.4",
         lambda node: "1.5" if node == 6 else "1.4")
    source = 'pyroscope+%s/?query={service_name="shop-two"}&from=-10m' % store
    print(profiler.command(*CANARY, source).stdout)
    found = json.loads(profiler.command(*CANARY, "--json", source).stdout)
    row, = (row for row in found["rows"] if row["name"] == NEW)
    assert row["node"] == "node-6" and not row["beyond_chance"], row


def test_a_parca(tmp_path, workloads):
    """What was recorded for one node is there of each, and as much."""
    if not os.environ.get("PARCA"):
        pytest.skip("SKIP receivers: $PARCA does not name the program")
    with profiler.target(known.newest().path, workloads / "edges.py", "--calm") as target:
        bodies = fleet.record(tmp_path, [target.pid], 2, "-F", 199, "--service-from", "comm", interval=2,
                              kind="parca")
    recorded = [[fleet.RecordedForParca(bodies[0])]]
    with fleet.parca(tmp_path) as (url, _):
        fleet.send(url, list(fleet.played(lambda node: recorded, 3, 2, 10)), kind="parca")
        found = json.loads(profiler.command("report", "--by", "label:node", "--json",
                                            "parca+%s/?query={}&from=-5m" % url).stdout)
    rows = {row["name"]: row["total"] for row in found["tables"][0]["rows"]}
    assert set(rows) == {"node-0", "node-1", "node-2"} and len(set(rows.values())) == 1, rows
