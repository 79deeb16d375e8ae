# SPDX-License-Identifier: GPL-2.0-only
"""The real receivers take what is pushed: $PYROSCOPE and $PARCA name their programs. Both are Go programs,
too large to be built by `make check`."""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

import interpreters as known
import profiler
from serving import free_port

pytestmark = pytest.mark.long


def get(url, **fields):
    query = "?" + urllib.parse.urlencode(fields) if fields else ""
    with urllib.request.urlopen(url + query, timeout=10) as answer:
        return answer.read().decode()


def answers(url):
    try:
        get(url)
    except (urllib.error.URLError, OSError):
        return False
    return True


@contextlib.contextmanager
def serving(name, arguments, ready, directory):
    program = os.environ.get(name)
    if not program:
        pytest.skip("SKIP receivers: $%s does not name the program" % name)
    with open(directory / "log", "w") as log:
        process = subprocess.Popen([program, *arguments], cwd=directory, stdout=log, stderr=log)
        try:
            profiler.wait_until(lambda: answers(ready) or process.poll() is not None, seconds=120)
            assert process.poll() is None, (directory / "log").read_text()[-2000:]
            yield
        finally:
            process.terminate()
            process.wait(60)


def push(directory, url, python, workloads):
    with profiler.target(python.path, workloads / "edges.py") as target:
        comm = pathlib.Path("/proc/%d/comm" % target.pid).read_text().strip()
        run = profiler.run(directory, "--pid", target.pid, "-F", 499, "-d", 10, "--interval", 2, "--push",
                           url, output=None)
    export = run.stats["export"]
    assert export["pushed"] >= 4 and export["push_failures"] == export["push_dropped"] == 0, run.err
    return comm, run.stats


@pytest.mark.parametrize("python", [known.newest()], ids=str)
def test_pyroscope(python, workloads, tmp_path):
    port = free_port()
    url = "http://127.0.0.1:%d" % port
    arguments = ["-server.http-listen-port=%d" % port, "-server.grpc-listen-port=%d" % free_port(),
                 "-memberlist.bind-port=%d" % free_port(), "-pyroscopedb.data-path=%s" % (tmp_path / "data"),
                 "-storage.filesystem.dir=%s" % (tmp_path / "store"), "-self-profiling.disable-push=true"]
    with serving("PYROSCOPE", arguments, url + "/ready", tmp_path):
        start = int(time.time())
        service, stats = push(tmp_path, "pyroscope+" + url, python, workloads)
        name = re.sub("[^A-Za-z0-9_.-]", "_", service)
        query = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="%s"}' % name
        fields = {"query": query, "from": "%d000" % (start - 60), "until": "%d000" % (start + 120),
                  "format": "json"}
        profile = json.loads(get(url + "/pyroscope/render", **fields))["flamebearer"]
        # Every sample that was counted, in nanoseconds.
        assert profile["numTicks"] == stats["profile"]["samples"] * (10**9 // 499)
        assert "spin" in profile["names"]
        ask(url, name, stats)


def when(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def ask(url, name, stats):
    """All of it comes back as one profile, with as much CPU time; `diff` takes two stretches of it; what fits
    nothing is nothing, and a query that is none is refused with Pyroscope's own words."""
    source = 'pyroscope+%s/?query={service_name="%s"}' % (url, name)
    found = json.loads(profiler.command("report", "--json", "--top", "1000", source + "&from=-5m").stdout)
    assert found["profile"]["total"] == stats["profile"]["samples"] * (10**9 // 499)
    assert found["profile"]["samples"] == stats["profile"]["samples"]
    pushed = found["books"]["pushed"]
    assert pushed["profiles"] == stats["export"]["pushed"] == sum(run["profiles"] for run in pushed["runs"])
    assert [run["run"].endswith(", 499 Hz") for run in pushed["runs"]] == [True], pushed
    assert abs(pushed["amounts"]["milliseconds"] / 1000 - 10) < 2, pushed
    rows = [row for table in found["tables"] for row in table["rows"] if row["name"] == "spin"]
    assert all(row["file"].endswith("edges_calls.py") and row["line"] for row in rows)
    middle = when(time.time() - 6)
    stretches = source + "&from=-5m&until=" + middle, source + "&until=now&from=" + middle
    assert "spin" in profiler.command("diff", *stretches).stdout
    parts = 'service_name="%s"' % name, 'service_name="nobody"'
    error = profiler.command("diff", "--base", parts[0], "--new", parts[1], "pyroscope+%s/" % url, code=3)
    assert "nothing of this event" in error.stderr
    profiler.command("report", 'pyroscope+%s/?query={service_name="nobody"}' % url, code=3)
    error = profiler.command("report", "pyroscope+%s/?query={service_name=}" % url, code=1).stderr
    assert "the answer is 400: " in error, error


@pytest.mark.parametrize("python", [known.newest()], ids=str)
def test_parca(python, workloads, tmp_path):
    port = free_port()
    url = "http://127.0.0.1:%d" % port
    (tmp_path / "data").mkdir()
    (tmp_path / "parca.yaml").write_text('object_storage:\n  bucket:\n    type: FILESYSTEM\n    config:\n    '
                                         '  directory: "%s"\n'
                                         % (tmp_path / "data"))
    with serving("PARCA", ["--config-path=parca.yaml", "--http-address=127.0.0.1:%d" % port],
                 url + "/metrics", tmp_path):
        service, stats = push(tmp_path, "parca+" + url, python, workloads)
        taken = re.search(r'^grpc_server_handled_total{grpc_code="OK",grpc_method="WriteRaw",.*} (\d+)$',
                          get(url + "/metrics"), re.M)
        assert int(taken[1]) == stats["export"]["pushed"]
        ask_parca(url, service, stats)


def ask_parca(url, service, stats):
    """The same of a Parca, whose types have a word more: all of its time, the books and the nodes; but no
    ticks, of which it says their time."""
    source = 'parca+%s/?query={service_name="%s"}' % (url, service)
    found = json.loads(profiler.command("report", "--json", "--top", "1000", source + "&from=-5m").stdout)
    assert found["profile"]["total"] == stats["profile"]["samples"] * (10**9 // 499)
    assert found["books"]["pushed"]["profiles"] == stats["export"]["pushed"]
    rows = [row for table in found["tables"] for row in table["rows"]]
    assert any(row.get("file", "").endswith(".py") and row.get("line") for row in rows), rows
    nodes = json.loads(profiler.command("report", "--by", "label:node", "--json", source).stdout)
    row, = nodes["tables"][0]["rows"]
    assert row["name"] == os.uname().nodename and row["total"] == found["profile"]["total"]
    profiler.command("report", 'parca+%s/?query={service_name="nobody"}' % url, code=3)
    error = profiler.command("report", "parca+%s/?query={service_name=}" % url, code=1).stderr
    assert error.count("\n") == 1 and "failed to parse query" in error, error
