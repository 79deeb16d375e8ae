# SPDX-License-Identifier: GPL-2.0-only
"""The overlay pyroscope on the cluster: the profiler sends what it has to a real Pyroscope in another pod."""
import json
import re
import shutil
import time
import urllib.parse
import urllib.request

import pytest

import images
import manifests
from cluster import wait
from conftest import BINARIES
from daemonset import apply_daemonset, get, other_pod, profiler_pod

HOST, PORT = "pyroscope.pyroscope.svc", 4040
PROGRAM = BINARIES / "pyroscope"
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pyroscope", "namespace": "default"},
       "spec": {"terminationGracePeriodSeconds": 1, "automountServiceAccountToken": False,
                "containers": [{"name": "pyroscope", "image": "localhost/pyroscope:1",
                                "imagePullPolicy": "Never",
                                "args": ["-pyroscopedb.data-path=/data/db",
                                         "-storage.filesystem.dir=/data/store",
                                         "-self-profiling.disable-push=true"],
                                "readinessProbe": {"httpGet": {"path": "/ready", "port": PORT},
                                                   "periodSeconds": 1},
                                "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
                "volumes": [{"name": "data", "emptyDir": {}}]}}


def address_of(cluster):
    """Of Pyroscope's pod, once it is ready."""
    status = cluster.get("pod", "pyroscope", "-n", "default")["status"]
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in status.get("conditions", []))
    return ready and status["podIP"]


@pytest.fixture(scope="module")
def pyroscope(cluster, work):
    """Its address. The overlay's name for it is resolved by the pod itself, since this cluster has no DNS,
    and an interval is 5 seconds; nothing else differs."""
    if not PROGRAM.exists():
        pytest.skip("SKIP receivers: tests/k8s/build-receivers.sh has not built Pyroscope")
    root = cluster.folder / "pyroscope"
    root.mkdir()
    shutil.copy(PROGRAM, root / "pyroscope")
    images.pack("localhost/pyroscope:1", root, ["/pyroscope"], cluster.folder / "pyroscope.tar")
    cluster.ctr("images", "import", cluster.folder / "pyroscope.tar")
    cluster.kubectl("apply", "-f", "-", text=json.dumps(POD))
    address = wait(lambda: address_of(cluster), "ready Pyroscope")

    def edit(pod, container):
        assert "--push=pyroscope+http://%s:%d" % (HOST, PORT) in container["args"]
        container["args"].append("--interval=5")
        pod["hostAliases"] = [{"ip": address, "hostnames": [HOST]}]

    cluster.kubectl("apply", "-k", manifests.FOLDER / "overlays" / "pyroscope")
    before = profiler_pod(cluster)
    apply_daemonset(cluster, edit, "overlays/pyroscope")
    wait(lambda: other_pod(cluster, before and before["metadata"]["name"]), "pod that pushes")
    yield address
    cluster.kubectl("delete", "pod", "pyroscope", "-n", "default", "--wait=false")


def rendered(address, selector):
    """What Pyroscope has of the last hour."""
    query = {"query": "process_cpu:cpu:nanoseconds:cpu:nanoseconds" + selector,
             "from": "%d000" % (time.time() - 3600),
             "until": "%d000" % (time.time() + 60), "format": "json"}
    url = "http://%s:%d/pyroscope/render?%s" % (address, PORT, urllib.parse.urlencode(query))
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.load(answer)["flamebearer"]


def test_profiles_arrive(cluster, work, pyroscope):
    """A series for each container, with its functions; none is dropped."""
    for pod in work:
        selector = '{service_name="web",namespace="demo",pod="%s",container="web"}' % pod["metadata"]["name"]
        found = wait(lambda selector=selector: found_in(pyroscope, selector),
                     "profile of " + pod["metadata"]["name"])
        assert found["numTicks"] > 0
    # One that Pyroscope had no CPU for is tried again.
    counts = dict(re.findall(r"^pyperf_(push\w+)_total (\d+)$",
                             get(profiler_pod(cluster), 7071, "/metrics").decode(), re.M))
    assert int(counts["pushed"]) > 0 and counts["push_dropped"] == "0", counts


def found_in(address, selector):
    flamebearer = rendered(address, selector)
    return flamebearer if "spin" in flamebearer["names"] else None
