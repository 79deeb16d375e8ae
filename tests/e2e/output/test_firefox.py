# SPDX-License-Identifier: GPL-2.0-only
"""--format firefox, judged by the Firefox Profiler's own query engine (profiler-cli of npm), of a real
program with eight threads: with its time from the log, and without."""
import contextlib
import json
import os
import subprocess

import pytest

import interpreters as known
import profiler
import viewers
from serving import server


class Viewer:
    """profiler-cli with a file."""

    def __init__(self, home, path):
        self.program = viewers.find("profiler-cli") / "dist/profiler-cli.js"
        self.node = viewers.node()
        self.environment = dict(os.environ, PROFILER_CLI_SESSION_DIR=str(home))
        self.call("load", str(path))  # whose own limit of half a second a busy machine breaks
        profiler.wait_until(lambda: self.call("profile", "info").returncode == 0, what="loaded profile")

    def call(self, *arguments):
        return subprocess.run([self.node, str(self.program), *arguments], capture_output=True, text=True,
                              timeout=300, env=self.environment)

    def run(self, *arguments):
        done = self.call(*arguments)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json"))


@contextlib.contextmanager
def viewer(home, path):
    opened = Viewer(home, path)
    try:
        yield opened
    finally:
        opened.run("stop", "--all")


@pytest.fixture(scope="module")
def written(tmp_path_factory, workloads):
    """A file without times, and one of the log."""
    home = tmp_path_factory.mktemp("firefox")
    with profiler.target(known.usual().path, workloads / "eight.py") as target:
        run = profiler.run_while(home, [target], 0.8, "-F", 499, output="plain.firefox.json")
        with server(home, "--pid", target.pid, "-F", 499, "--log", 2, "--event", "cpu,offcpu,gil") as s:
            before = profiler.cpu_seconds(target.pid)
            profiler.wait_until(lambda: profiler.cpu_seconds(target.pid) - before > 1, what="CPU time")
            answer = s.get("/debug/pyperf/log?format=firefox")
    assert answer.status == 200, answer
    (home / "log.firefox.json").write_bytes(answer.body)
    return home, run, target.about["functions"]


def threads_of(info):
    return [thread for process in info["processes"] for thread in process["threads"]]


def test_without_times(written, tmp_path):
    home, run, functions = written
    file = json.loads((home / "plain.firefox.json").read_text())
    assert sum(sum(thread["samples"]["weight"]) for thread in file["threads"]) == \
        run.stats["profile"]["samples"]
    with viewer(tmp_path, home / "plain.firefox.json") as v:
        info = v.json("profile", "info", "--all")
        assert len(threads_of(info)) >= 6
        hottest = max(threads_of(info), key=lambda thread: thread["cpuMs"])
        shown = v.run("thread", "functions", "--thread", hottest["threadHandle"])
    assert any(name in shown for name in functions), shown


def test_of_the_log(written, tmp_path):
    """Each of the eight threads is there; waits for the GIL are markers that say who held it."""
    home, _, functions = written
    file = json.loads((home / "log.firefox.json").read_text())
    markers = [data for thread in file["threads"] for data in thread["markers"]["data"]]
    kinds = {data["type"] for data in markers}
    assert {"offcpu", "gil"} <= kinds
    assert any(data["type"] == "gil" and "eight.py" in data["why"] for data in markers)
    for thread in file["threads"]:
        times = thread["samples"]["time"]
        assert times == sorted(times)
        for begin, end in zip(thread["markers"]["startTime"], thread["markers"]["endTime"]):
            assert end is None or 0 <= begin <= end
    with viewer(tmp_path, home / "log.firefox.json") as v:
        info = v.json("profile", "info", "--all")
        assert len(threads_of(info)) >= 8
        hottest = max(threads_of(info), key=lambda thread: thread["cpuMs"])
        shown = v.run("thread", "functions", "--thread", hottest["threadHandle"])
        told = v.run("thread", "markers", "--thread", hottest["threadHandle"])
    assert any(name in shown for name in functions), shown
    assert "GIL" in told, told


def names_in(file, data):
    """The functions of the stack of a marker, leaf first."""
    shared = file["shared"]
    at, found = data["cause"]["stack"], []
    while True:
        function = shared["frameTable"]["func"][shared["stackTable"]["frame"][at]]
        found.append(shared["stringArray"][shared["funcTable"]["name"][function]])
        if not shared["stackTable"]["prefixOffset"][at]:
            return found
        at -= shared["stackTable"]["prefixOffset"][at]


def markers_of(file, pid, kind):
    """[(thread, data, begin, end)]"""
    return [(thread, data, begin, end) for thread in file["threads"] if thread["pid"] == str(pid)
            for data, begin, end in zip(*(thread["markers"][key] for key in ("data", "startTime", "endTime")))
            if data["type"] == kind]


def test_imports_collections_and_growth(tmp_path, workloads):
    """Programs that do nothing else for long: an import and a collection are spans of the samples that were
    within, no longer than these; growth is a marker for each step."""
    newest = known.newest()
    with profiler.targets([(known.usual().path, "-B", workloads / "states.py"),
                           (newest.path, "-B", workloads / "states_gc.py")]) as (states, collects), \
            profiler.target(known.usual().path, workloads / "memory.py", stdin=subprocess.PIPE) as grows, \
            server(tmp_path, "--pid", "%d,%d,%d" % (states.pid, collects.pid, grows.pid), "-F", 997,
                   "--log", 2, "--event", "cpu,memory") as s:
        before = [profiler.cpu_seconds(one.pid) for one in (states, collects)]
        grows.tell("grow")
        grows.process.stdout.readline()
        profiler.wait_until(lambda: all(profiler.cpu_seconds(one.pid) - had > 1.5
                                        for one, had in zip((states, collects), before)), what="CPU time")
        answer = s.get("/debug/pyperf/log?format=firefox")
    assert answer.status == 200, answer
    (tmp_path / "log.firefox.json").write_bytes(answer.body)
    file = json.loads(answer.body)
    imports = markers_of(file, states.pid, "import")
    assert len(imports) >= 3
    for _, data, begin, end in imports:
        assert "imports (states.py" in data["where"] and begin < end and data["amount"] > 0, data
        assert "imports" in names_in(file, data)
    if newest.version >= (3, 15):
        collections = markers_of(file, collects.pid, "gc")
        assert len(collections) >= 3
        scenes = "collects", "is_made_to_collect", "burns_in_finalizer", "sleeps_in_finalizer", "main"
        assert all(set(scenes) & set(names_in(file, data)) for _, data, _, _ in collections)
    growth = markers_of(file, grows.pid, "memory")
    assert sum(data["amount"] for _, data, _, _ in growth) >= 150 << 20
    assert all(end is None for _, _, _, end in growth)
    assert any("memory.py" in data["where"] for _, data, _, _ in growth)
    (tmp_path / "viewer").mkdir()  # of its own: it takes JSON in there for what it has open
    with viewer(tmp_path / "viewer", tmp_path / "log.firefox.json") as v:
        handles = [thread["threadHandle"] for thread in threads_of(v.json("profile", "info", "--all"))]
        told = "".join(v.run("thread", "markers", "--thread", handle) for handle in handles)
    assert "Import" in told and "RSS growth" in told, told
    assert "Garbage collection" in told or newest.version < (3, 15), told
