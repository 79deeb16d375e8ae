# SPDX-License-Identifier: GPL-2.0-only
"""The overlay parca on the cluster: a real Parca in a pod, with the overlay's configuration, finds the
profiler through the API server, scrapes it, and can be asked for the profiles of a pod."""
import json
import shutil
import struct
import time
import urllib.request

import pytest

import images
import manifests
import pprof
from cluster import API, NODE, wait
from conftest import BINARIES
from daemonset import NAMESPACE, profiler_pod
from protobuf import number, text
from test_labels import VERIFIED, deploy

PORT = 17070
RUNS = {"spin", "drive", "worker"}  # some functions of what the pods run, one called by the other
PROGRAM = BINARIES / "parca"


def message(*fields):
    """Protobuf: (number, int | bytes | str) each."""
    parts = []
    for field, value in fields:
        if isinstance(value, int):
            parts.append(number(field, value))
        else:
            parts.append(text(field, value.encode() if isinstance(value, str) else value))
    return b"".join(parts)


def ask(method, request):
    """gRPC-Web of parca.query.v1alpha1.QueryService: the fields of the answer."""
    body = struct.pack(">BI", 0, len(request)) + request
    query = urllib.request.Request("http://127.0.0.1:%d/parca.query.v1alpha1.QueryService/%s" %
                                   (PORT, method), body,
                                   {"Content-Type": "application/grpc-web+proto"})
    with urllib.request.urlopen(query, timeout=30) as answer:
        data = answer.read()
    if not data or data[0]:
        return {}  # trailers alone: an error
    return pprof.decode(data[5:5 + struct.unpack(">I", data[1:5])[0]])


def span():
    return message((1, int(time.time()) - 3600)), message((1, int(time.time()) + 60))


def values(label):
    """Those of a label that Parca knows."""
    start, end = span()
    return {value.decode() for value in ask("Values", message((1, label), (3, start), (4, end))).get(1, [])}


def merged(selector):
    """All profiles that match, as one: Parca's own pprof."""
    start, end = span()
    merge = message((1, "process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta" + selector), (2, start), (3, end))
    answer = ask("Query", message((1, 2), (3, merge), (5, 1)))
    return pprof.parse(answer[6][0]) if 6 in answer else None


def parca_objects():
    """A pod for it, with the right to look for the profiler's pods, and the label that the NetworkPolicy asks
    for. It is in the node's network: this cluster has no Services, so the API server is where the node
    reaches it."""
    host, _, port = API.partition("//")[2].partition(":")
    name = {"name": "parca", "namespace": NAMESPACE}
    container = {"name": "parca", "image": "localhost/parca:1", "imagePullPolicy": "Never",
                 "args": ["--config-path=/etc/parca/parca.yaml", "--http-address=127.0.0.1:%d" % PORT,
                          "--storage-active-memory=67108864"],
                 "env": [{"name": "KUBERNETES_SERVICE_HOST", "value": host},
                         {"name": "KUBERNETES_SERVICE_PORT", "value": port}],
                 "volumeMounts": [{"name": "config", "mountPath": "/etc/parca"},
                                  {"name": "data", "mountPath": "/var/lib/parca"},
                                  {"name": "tmp", "mountPath": "/tmp"}]}
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": name}
    yield {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": name,
           "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}]}
    yield {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": name,
           "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "parca"},
           "subjects": [{"kind": "ServiceAccount", **name}]}
    yield {"apiVersion": "v1", "kind": "Pod", "metadata": {**name, "labels": {"pyperf-bpf/scraper": "true"}},
           "spec": {"serviceAccountName": "parca", "hostNetwork": True, "terminationGracePeriodSeconds": 1,
                    "containers": [container],
                    "volumes": [{"name": "config", "configMap": {"name": "pyperf-bpf-parca"}},
                                {"name": "data", "emptyDir": {}}, {"name": "tmp", "emptyDir": {}}]}}


def faster(config):
    """The overlay's, six times as often: nothing else differs."""
    text = config["data"]["parca.yaml"]
    assert text.count("60s") == text.count("70s") == 1
    return {**config, "data": {"parca.yaml": text.replace("60s", "10s").replace("70s", "20s")}}


@pytest.fixture(scope="module")
def parca(cluster, work):
    if not PROGRAM.exists():
        pytest.skip("SKIP receivers: tests/k8s/build-receivers.sh has not built Parca")
    root = cluster.folder / "parca"
    root.mkdir()
    shutil.copy(PROGRAM, root / "parca")
    images.pack("localhost/parca:1", root, ["/parca"], cluster.folder / "parca.tar")
    cluster.ctr("images", "import", cluster.folder / "parca.tar")
    cluster.kubectl("apply", "-k", manifests.FOLDER / "overlays" / "parca")
    config = next(o for o in manifests.render("overlays/parca")
                  if o["kind"] == "ConfigMap" and "parca.yaml" in o["data"])
    for o in (faster(config), *parca_objects()):
        cluster.kubectl("apply", "-f", "-", text=json.dumps(o))
    wait(lambda: profiler_pod_alone(cluster), "ready DaemonSet")
    yield
    cluster.kubectl("delete", "pod", "parca", "-n", NAMESPACE, "--wait=false")


def profiler_pod_alone(cluster):
    """The DaemonSet's pod, of the newest DaemonSet."""
    status = cluster.get("daemonset", "pyperf-bpf", "-n", NAMESPACE)["status"]
    return status.get("updatedNumberScheduled") == status.get("numberReady") == 1 and profiler_pod(cluster)


def functions(selector):
    """In all profiles that match."""
    profile = merged(selector)
    return {frame.function for sample in profile.samples for frame in sample.frames} if profile else set()


def test_profiles_arrive_with_their_labels(work, parca):
    """Of each pod, by the labels of its samples, with the functions that it runs; and of the node,
    by relabelling."""
    for pod in work:
        name = pod["metadata"]["name"]
        wait(lambda name=name: RUNS <= functions('{namespace="demo",pod="%s",container="web"}' % name),
             "profile of " + name)
    assert values("node") == {NODE} and values("job") == {"pyperf-bpf"}
    assert not functions('{namespace="demo",pod="nobody"}')


def test_with_labels_of_pods(cluster, parca):
    """Together with the overlay pod-labels."""
    cluster.kubectl("apply", "-k", manifests.FOLDER / "overlays" / "pod-labels")
    deploy(cluster, VERIFIED)
    wait(lambda: RUNS <= functions('{app="app",container="web"}'), "profile of an app")
    assert not functions('{app="nobody"}')
