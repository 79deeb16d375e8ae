# SPDX-License-Identifier: GPL-2.0-only
"""`kubectl pyperf record` and `page` with a profiler that serves, through a way that a stand-in for kubectl
opens: what they say of a profile, and that nothing of theirs is left, however they end. With a real cluster
they are in tests/k8s/test_plugin.py."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

import cgroups
import formats
import manifests
import pprof
import profiler
from pods import Pod
from serving import server

PLUGIN = manifests.FOLDER / "kubectl-pyperf"
SHELLS = ["sh", pytest.param("bash", marks=pytest.mark.all)]
STAND_IN = """#!/bin/sh
case "$*" in
*'get pod '*) echo "shop Running node-1" ;;
*'get pods '*) echo 'True pyperf-bpf-x 7070' ;;
*'auth can-i'*) echo yes ;;
*port-forward*)
    echo $$ >"$FORWARDER"
    echo "Forwarding from 127.0.0.1:$PORT -> 7070"
    exec sleep 600
    ;;
esac
"""
pytestmark = [pytest.mark.skipif(cgroups.hierarchy() is None,
                                 reason="SKIP cgroups: no cgroup hierarchy can be written here"),
              pytest.mark.skipif(not shutil.which("curl"), reason="SKIP curl: no such command")]


@pytest.fixture(scope="module")
def served(tmp_path_factory, workloads):
    """A profiler with one busy pod, web-1."""
    folder = tmp_path_factory.mktemp("served")
    pod = Pod("shop", "web-1", "main")
    pod.log(folder / "logs")
    with cgroups.cgroup(pod.cgroup) as made:
        target = profiler.Target([sys.executable, workloads / "burn.py"], preexec_fn=cgroups.starter(made))
        try:
            with server(folder, "--all-python", "--pod-logs", folder / "logs") as s:
                profiler.wait_until(lambda: s.profile("seconds=1&pod=web-1").samples, what="that pod's name")
                yield s
        finally:
            target.stop()


class Plugin:
    def __init__(self, folder, port):
        self.folder, self.forwarder = folder, folder / "forwarder"
        kubectl = folder / "kubectl"
        kubectl.write_text(STAND_IN)
        kubectl.chmod(0o755)
        self.environment = {**os.environ, "KUBECTL": str(kubectl), "FORWARDER": str(self.forwarder),
                            "PORT": str(port), "TMPDIR": str(folder)}

    def start(self, *arguments, shell="sh"):
        return subprocess.Popen([shell, PLUGIN, *map(str, arguments)], env=self.environment, text=True,
                                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *arguments, code=0, **options):
        """What it says on stderr."""
        process = self.start(*arguments, **options)
        said = process.communicate(timeout=300)[1]
        assert process.returncode == code, said
        self.check_end()
        return said

    def check_end(self):
        """Neither the way nor a file is left."""
        pid = self.forwarder.read_text().strip()
        profiler.wait_until(lambda: not pathlib.Path("/proc", pid).exists(), what="end of the way")
        assert not list(self.folder.glob("tmp.*"))


@pytest.fixture
def plugin(served, tmp_path):
    return Plugin(tmp_path, served.port)


@pytest.mark.parametrize("format", formats.FORMATS, ids=lambda format: format.name)
def test_the_header(served, format):
    """In every format: 0 for nothing, and for something at least one."""
    for pod, has in ("web-1", True), ("idle", False):
        answer = served.get("/debug/pprof/profile?seconds=1&pod=%s&format=%s" % (pod, format.name))
        assert answer.status == 200 and (int(answer.headers["Pyperf-Samples"]) > 0) == has
        if format == formats.DEFAULT:
            assert int(answer.headers["Pyperf-Samples"]) == len(pprof.parse(answer.body).samples)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_profile(plugin, tmp_path, shell):
    said = plugin.run("record", "web-1", "-d", 2, shell=shell)
    assert said == "kubectl pyperf: profile.pb.gz has 2 s of the pod shop/web-1\n"
    samples = pprof.read(tmp_path / "profile.pb.gz").samples
    assert samples and {s.labels["pod"] for s in samples} == {"web-1"}


def test_an_empty_profile(plugin, tmp_path):
    """Of a pod in which nothing runs: that is said, with what to do, and the file is a profile."""
    first, second = plugin.run("record", "idle", "-d", 1).splitlines()
    assert first == "kubectl pyperf: profile.pb.gz has 1 s of the pod shop/idle"
    assert second == ("kubectl pyperf: it is empty: cpu had nothing of Python there in that time; "
                      "kubectl pyperf dump idle -n shop shows what its threads do")
    assert not pprof.read(tmp_path / "profile.pb.gz").samples
    line, = plugin.run("record", "idle", "-d", 1, "-o", "-", "--format", "folded").splitlines()
    assert "it is empty" in line


@pytest.mark.all
def test_a_refusal(plugin, tmp_path):
    said = plugin.run("record", "web-1", "-d", 1, "--format", "png", code=1)
    assert said.startswith("kubectl pyperf: the profiler says: ") and len(said.splitlines()) == 1
    assert not (tmp_path / "profile.pb.gz").exists()


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("name", [pytest.param("SIGHUP", marks=pytest.mark.all), "SIGINT",
                                  pytest.param("SIGTERM", marks=pytest.mark.all)])
def test_a_signal(served, plugin, tmp_path, name, shell):
    """While a profile is being taken. The profiler sees at once that nobody wants it any more."""
    process = plugin.start("record", "web-1", "-d", 600, shell=shell)
    served.wait_for_open(1)
    process.send_signal(getattr(signal, name))
    out, err = process.communicate(timeout=300)
    assert process.returncode == 128 + getattr(signal, name) and not out and not err
    plugin.check_end()
    served.wait_for_open(0)
    assert not (tmp_path / "profile.pb.gz").exists()


@pytest.mark.all
@pytest.mark.parametrize("shell", SHELLS)
def test_the_page(plugin, shell):
    process = plugin.start("page", "web-1", shell=shell)
    assert process.stdout.readline().endswith("/?namespace=shop&pod=web-1\n")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=300)
    assert process.returncode == 130
    plugin.check_end()


@pytest.mark.all
def test_the_way_ends(plugin):
    """Which is said, wherever it happens."""
    process = plugin.start("page", "web-1")
    assert process.stdout.readline()
    os.kill(int(plugin.forwarder.read_text()), signal.SIGKILL)
    said = process.communicate(timeout=300)[1]
    assert process.returncode == 1 and "kubectl pyperf: the way to the profiler has ended" in said
    plugin.check_end()
