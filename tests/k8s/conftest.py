# SPDX-License-Identifier: GPL-2.0-only
"""One cluster for all tests of this folder, with the images that they use."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]
import cluster as k8s  # noqa: E402
import containers  # noqa: E402
import images  # noqa: E402
import interpreters as known  # noqa: E402
import manifests  # noqa: E402
import profiler  # noqa: E402

BINARIES = manifests.CACHE / "k8s" / "bin"


def pack_pause(folder):
    root = folder / "pause"
    root.mkdir()
    subprocess.run(["gcc", "-O2", "-static", "-s", "-o", root / "pause", HERE / "pause.c"], check=True)
    images.pack("localhost/pause:1", root, ["/pause"], folder / "pause.tar")


def pack_python(folder):
    """An interpreter where the node has none, and the workloads."""
    interpreter = [i for i in known.available() if i.kind == "pbs" and i.version >= (3, 13)][-1]
    root = folder / "python"
    python = containers.fill_with_python(root, known.HOME / interpreter.name)
    shutil.copytree(HERE.parent / "workloads", root / "workloads")
    images.pack("localhost/python:1", root, [python], folder / "python.tar")


def pack_profiler(folder):
    subprocess.run(["sh", manifests.ROOT / "deploy" / "image.sh", profiler.BINARY,
                    "docker.io/library/" + manifests.pod(manifests.render("base"))["containers"][0]["image"],
                    folder / "profiler.tar"], check=True)


@pytest.fixture(scope="session")
def cluster():
    why = k8s.reason(BINARIES)
    if why:
        pytest.skip("SKIP kubernetes: " + why)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pyperf-k8s."))
    node = k8s.Cluster(folder, BINARIES)
    try:
        for pack in pack_pause, pack_python, pack_profiler:
            pack(folder)
        node.start_runtime()
        for name in "pause", "python", "profiler":
            node.ctr("images", "import", folder / (name + ".tar"))
        node.start_servers()
        node.start_kubelet()
        yield node
    finally:
        node.stop()
        if os.environ.get("PYPERF_K8S_KEEP"):
            print("kept:", folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def work(cluster):
    """The pods that are profiled, running: [pod]."""
    cluster.kubectl("apply", "-f", HERE / "work.yaml")
    return k8s.wait(lambda: running(cluster.get("pods", "-n", "demo")["items"]), "running pods")


def running(pods):
    """These pods, if all of both are running."""
    containers = [c for pod in pods for c in pod["status"].get("containerStatuses", [])]
    return pods if len(containers) == 4 and all("running" in c["state"] for c in containers) else None
