# SPDX-License-Identifier: GPL-2.0-only
"""The profiler's DaemonSet on the cluster: its pod, its process, what it serves."""
import json
import urllib.request

import manifests

NAMESPACE = "pyperf-bpf"


def profiler_pod(cluster):
    """The running one: not one that is being deleted."""
    for pod in cluster.get("pods", "-n", NAMESPACE, "-l", "app.kubernetes.io/name=pyperf-bpf")["items"]:
        ready = any(c["type"] == "Ready" and c["status"] == "True"
                    for c in pod["status"].get("conditions", []))
        if ready and "deletionTimestamp" not in pod["metadata"]:
            return pod
    return None


def other_pod(cluster, name):
    """The name of the profiler's pod when it is ready and not this one."""
    pod = profiler_pod(cluster)
    return pod["metadata"]["name"] if pod and pod["metadata"]["name"] != name else None


def process_of(cluster, pod):
    """The pid of the profiler's main process on this node; None:
    the container that the pod tells of has ended."""
    container, = pod["status"]["containerStatuses"]
    identifier = container["containerID"].rpartition("/")[2]
    rows = [line.split() for line in cluster.ctr("tasks", "ls").splitlines()]
    return next((int(row[1]) for row in rows if row[0] == identifier and row[2] == "RUNNING"), None)


def get(pod, port, path):
    """Bytes."""
    with urllib.request.urlopen("http://%s:%d%s" % (pod["status"]["podIP"], port, path),
                                timeout=120) as answer:
        return answer.read()


def apply_daemonset(cluster, edit, variant="base"):
    """That of a variant, with its container and its pod after edit(pod, container)."""
    document = manifests.daemonset(manifests.render(variant))
    pod = document["spec"]["template"]["spec"]
    container, = pod["containers"]
    edit(pod, container)
    cluster.kubectl("apply", "-f", "-", text=json.dumps(document))
