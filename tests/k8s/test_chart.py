# SPDX-License-Identifier: GPL-2.0-only
"""The chart on the cluster: installed, tested, upgraded and uninstalled by helm."""
import contextlib
import re
import shutil
import socket
import subprocess
import threading

import pytest

import images
import manifests
import pprof
from cluster import wait
from daemonset import NAMESPACE, get, other_pod, profiler_pod

CHART = manifests.FOLDER / "chart"


@pytest.fixture(scope="module")
def chart(cluster, work):
    """Installed in its own namespace, as docs/kubernetes.md says. Returns a function that runs helm there."""
    if not manifests.tool("helm"):
        pytest.skip("SKIP helm: tests/fetch-manifest-tools.sh has not built it")
    if not shutil.which("busybox"):
        pytest.skip("SKIP kubernetes: not installed: busybox-static")

    def helm(*arguments, meets=lambda done: done.returncode == 0, beside=None):
        """Until it comes out so: helm itself gives up on an API server that has no CPU for half a minute."""
        def run():
            relay = beside and beside()
            done = subprocess.run([manifests.tool("helm"), "--kubeconfig",
                                   cluster.folder / "admin.kubeconfig", "-n", NAMESPACE,
                                   *map(str, arguments)], capture_output=True, text=True)
            if relay:
                relay.end()
            print(done.stdout, done.stderr)
            return done if meets(done) else None
        return wait(run, "success of helm " + arguments[0])

    cluster.kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found")
    cluster.kubectl("create", "namespace", NAMESPACE)
    cluster.kubectl("label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=privileged")
    done = helm("upgrade", "--install", "pyperf-bpf", CHART, "--set", "test.image=localhost/busybox:1",
                "--set", "test.pullPolicy=Never")
    assert "helm test -n pyperf-bpf pyperf-bpf" in done.stdout
    yield helm
    helm("uninstall", "pyperf-bpf")
    cluster.kubectl("delete", "namespace", NAMESPACE)


def test_it_profiles(cluster, work, chart):
    pod = wait(lambda: profiler_pod(cluster), "ready DaemonSet")
    samples = pprof.parse(get(pod, 7070, "/debug/pprof/profile?seconds=5&namespace=demo")).samples
    assert {s.labels["pod"] for s in samples} == {pod["metadata"]["name"] for pod in work}


class Relay(threading.Thread):
    """What kube-proxy does for a Service, which this cluster has none of: its address is one of this node,
    and who connects there is connected with the profiler. For one run of helm test: the next has another
    address."""

    def __init__(self, cluster, service):
        super().__init__(daemon=True)
        self.cluster, self.service, self.address, self.over = cluster, service, None, False
        cluster.kubectl("delete", "service", service, "-n", NAMESPACE, "--ignore-not-found")
        self.start()

    def found(self):
        return self.over or self.cluster.get("service", self.service, "-n", NAMESPACE)["spec"]

    def run(self):
        spec = wait(self.found, "Service")
        if self.over:
            return
        port = spec["ports"][0]["port"]
        subprocess.run(["ip", "address", "add", spec["clusterIP"] + "/32", "dev", "lo"], check=True)
        self.address = spec["clusterIP"]
        there = profiler_pod(self.cluster)["status"]["podIP"], port
        with socket.create_server((self.address, port)) as server:
            server.settimeout(0.5)
            while not self.over:
                with contextlib.suppress(OSError):
                    self.pass_on(server.accept()[0], there)

    @staticmethod
    def pass_on(client, there):
        with client, socket.create_connection(there) as server:
            client.settimeout(30)
            server.sendall(client.recv(65536))
            while data := server.recv(65536):
                client.sendall(data)

    def end(self):
        self.over = True
        self.join()
        if self.address:
            subprocess.run(["ip", "address", "delete", self.address + "/32", "dev", "lo"])


def pack_busybox(cluster):
    root = cluster.folder / "busybox"
    (root / "bin").mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), root / "bin" / "busybox")
    for name in ("wget", "sh", "sed", "grep"):
        (root / "bin" / name).symlink_to("busybox")
    images.pack("localhost/busybox:1", root, [], cluster.folder / "busybox.tar")
    cluster.ctr("images", "import", cluster.folder / "busybox.tar")


def test_helm_test(cluster, chart):
    """The hook's pod asks the profiler, and the Service is gone afterwards."""
    pack_busybox(cluster)
    wait(lambda: profiler_pod(cluster), "ready DaemonSet")
    done = chart("test", "pyperf-bpf", "--logs", "--timeout", "10m",
                 beside=lambda: Relay(cluster, "pyperf-bpf-test"))
    assert "Phase:          Succeeded" in done.stdout and "alive" in done.stdout.split("POD LOGS")[-1]
    assert not cluster.get("services", "-n", NAMESPACE)["items"]


def in_force(pod):
    """The rate and the part of a CPU that the profiler says it has."""
    text = get(pod, 7071, "/metrics").decode()
    return tuple(float(re.search(r"^pyperf_%s (\S+)$" % name, text, re.M)[1])
                 for name in ("frequency_hertz", "budget_ratio"))


def whose(cluster):
    samples = pprof.parse(get(profiler_pod(cluster), 7070, "/debug/pprof/profile?seconds=5")).samples
    return {s.labels.get("namespace") for s in samples}


def test_other_settings_without_another_pod(cluster, work, chart):
    """The rate, the budget and the filters, by the ConfigMap alone: the pod is the same, and so is its
    container. helm test says so, too. What is misspelt changes nothing."""
    pod = wait(lambda: profiler_pod(cluster), "ready pod")
    assert in_force(pod) == (99, 0.01) and whose(cluster) != {"demo"}
    chart("upgrade", "pyperf-bpf", CHART, "--reuse-values", "--set", "options.namespce=demo",
          meets=lambda done: done.returncode and "namespce" in done.stderr)
    chart("upgrade", "pyperf-bpf", CHART, "--reuse-values", "--set", "options.namespace={demo}",
          "--set", "options.frequency=199", "--set", "options.budget=2")
    done = chart("test", "pyperf-bpf", "--logs", "--timeout", "10m",
                 beside=lambda: Relay(cluster, "pyperf-bpf-test"))
    assert "wanted: pyperf_frequency_hertz 199; in force: pyperf_frequency_hertz 199" in done.stdout
    assert in_force(pod) == (199, 0.02)
    wait(lambda: whose(cluster) == {"demo"}, "profile of one namespace")
    now = profiler_pod(cluster)
    assert now["metadata"]["uid"] == pod["metadata"]["uid"]
    for status in "containerID", "restartCount":
        assert (now["status"]["containerStatuses"][0][status] ==
                pod["status"]["containerStatuses"][0][status]), status


def test_an_upgrade_rolls_out(cluster, work, chart):
    """Where a setting cannot change while it runs."""
    before = wait(lambda: profiler_pod(cluster), "ready pod")["metadata"]["name"]
    chart("upgrade", "pyperf-bpf", CHART, "--reuse-values", "--set", "options.max-depth=4")
    wait(lambda: other_pod(cluster, before), "new pod")
    pod = profiler_pod(cluster)
    assert in_force(pod) == (199, 0.02)
    samples = pprof.parse(get(pod, 7070, "/debug/pprof/profile?seconds=5")).samples
    assert samples and max(len(s.frames) for s in samples) <= 5  # and what says that more were left out
