# SPDX-License-Identifier: GPL-2.0-only
"""The overlay pod-labels: labels of pods from the real kubelet, with the real right to ask it."""
import json

import pytest

import manifests
import pprof
from cluster import KUBELET_PORT, wait
from daemonset import NAMESPACE, apply_daemonset, get, other_pod, profiler_pod

LABELS = {"app": "app", "app.kubernetes.io/version": "1.2.3", "app.kubernetes.io/name": None, "team": None}
VERIFIED, INSECURE = "overlays/pod-labels", "overlays/pod-labels-insecure"


def deploy(cluster, variant):
    """An overlay's DaemonSet, with this kubelet's port; returns its pod."""
    def edit(_, container):
        port = ":%d" % KUBELET_PORT
        container["args"] = [text.replace(":10250", port) for text in container["args"]]
        assert any(port in text for text in container["args"])

    before = profiler_pod(cluster)
    apply_daemonset(cluster, edit, variant)
    wait(lambda: other_pod(cluster, before and before["metadata"]["name"]), "pod that asks the kubelet")
    return profiler_pod(cluster)


def failures(pod):
    lines = get(pod, 7071, "/metrics").decode().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("pyperf_kubelet_failures_total "))


def sets_of_labels(pod):
    """Of the samples of the pods that are profiled, the different labels."""
    samples = pprof.parse(get(pod, 7070, "/debug/pprof/profile?seconds=3&namespace=demo")).samples
    assert samples
    return {tuple(sample.labels.get(name) for name in LABELS) for sample in samples}


@pytest.fixture(scope="module")
def overlay(cluster, work):
    """All of it but the right: {kind: object} of what is left out."""
    objects = manifests.render("overlays/pod-labels")
    held = {o["kind"]: o for o in objects if o["kind"] in ("ClusterRoleBinding", "DaemonSet")}
    for o in objects:
        if o["kind"] not in held:
            cluster.kubectl("apply", "-f", "-", text=json.dumps(o))
    return held


def test_without_the_right_it_says_so_and_goes_on(cluster, overlay):
    pod = deploy(cluster, VERIFIED)
    log = wait(lambda: [line for line in cluster.kubectl("logs", "-n", NAMESPACE,
                                                         pod["metadata"]["name"]).splitlines()
                        if "no labels of pods" in line], "warning")
    assert len(log) == 1 and "403: Forbidden" in log[0], log
    assert "system:serviceaccount:pyperf-bpf:pyperf-bpf" in log[0], log
    assert failures(pod) >= 1
    assert sets_of_labels(pod) == {(None,) * len(LABELS)}


def test_with_the_right_samples_have_labels(cluster, overlay):
    """The same pod, as soon as it may."""
    pod = profiler_pod(cluster)
    cluster.kubectl("apply", "-f", "-", text=json.dumps(overlay["ClusterRoleBinding"]))
    wait(lambda: sets_of_labels(pod) == {tuple(LABELS.values())}, "labels of pods")
    assert "again" in cluster.kubectl("logs", "-n", NAMESPACE, pod["metadata"]["name"])


def test_without_a_look_at_the_certificate(cluster, overlay):
    """The overlay that says so, and the right there from the start: not one request fails."""
    pod = deploy(cluster, INSECURE)
    wait(lambda: sets_of_labels(pod) == {tuple(LABELS.values())}, "labels of pods")
    assert failures(pod) == 0
