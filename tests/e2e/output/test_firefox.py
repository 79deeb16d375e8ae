# SPDX-License-Identifier: GPL-2.0-only
"""--format firefox, judged by the Firefox Profiler's own query engine (profiler-cli of npm), of a real
program with eight threads: with its time from the log, and without."""
import contextlib
import json
import os
import shutil
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
        self.node = shutil.which("node") or pytest.skip("SKIP viewers: there is no node to run them")
        self.environment = dict(os.environ, PROFILER_CLI_SESSION_DIR=str(home))
        self.call("load", str(path))  # whose own limit of half a second a busy machine breaks
        profiler.wait_until(lambda: self.call("profile", "info").returncode == 0, what="loaded profile")

    def call(self, *arguments):
        return subprocess.run([self.node, str(self.program), *arguments], capture_output=True, text=True,
                              timeout=120, env=self.environment)

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
