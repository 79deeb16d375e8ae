# SPDX-License-Identifier: GPL-2.0-only
"""kubectl pyperf on the cluster, by a user who has the rights of plugin-rights.yaml and no others: each
command on a real pod beside others, and each thing that can be missing, with the line that is said then."""
import contextlib
import json
import os
import pty
import re
import select
import shutil
import subprocess
import urllib.request

import pytest

import manifests
import pprof
from cluster import wait
from daemonset import NAMESPACE, apply_daemonset, profiler_pod

PLUGIN = manifests.FOLDER / "kubectl-pyperf"
RIGHTS = manifests.FOLDER / "plugin-rights.yaml"
# {user: {namespace: roles of that file}}
PODS = {name: ["clusterrole=pyperf-bpf-pods"] for name in ("demo", "tasks", "default")}
PROFILES, STACKS = "role=pyperf-bpf-profiles", "role=pyperf-bpf-stacks"
USERS = {"all": {**PODS, NAMESPACE: [PROFILES, STACKS]}, "profiles": {**PODS, NAMESPACE: [PROFILES]},
         "nobody": {}}
WAITER = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "waiter", "namespace": "tasks"},
          "spec": {"terminationGracePeriodSeconds": 1, "automountServiceAccountToken": False,
                   "containers": [{"name": "main", "image": "localhost/python:1", "imagePullPolicy": "Never",
                                   "args": ["/workloads/tasks.py", "diamond"]}]}}
GHOST = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "ghost", "namespace": "tasks"},
         "spec": {"nodeSelector": {"no": "such"}, "automountServiceAccountToken": False,
                  "containers": [{"name": "main", "image": "localhost/python:1"}]}}


def give_rights(cluster):
    cluster.kubectl("apply", "-f", RIGHTS)
    for user, namespaces in USERS.items():
        for namespace, roles in namespaces.items():
            for number, role in enumerate(roles):
                cluster.kubectl("create", "rolebinding", "%s-%d" % (user, number), "-n", namespace,
                                "--" + role, "--user", user)


class Plugin:
    """As `kubectl pyperf` is run by a user: found by kubectl on the PATH."""

    def __init__(self, cluster, folder):
        self.kubectl = cluster.binaries / "kubectl"
        self.configs = {user: cluster.kubeconfig(user, "/CN=" + user) for user in USERS}
        (folder / "bin").mkdir()
        for program in PLUGIN, self.kubectl:
            (folder / "bin" / program.name).symlink_to(program)
        self.path = "%s:%s" % (folder / "bin", os.environ["PATH"])

    def line(self, *arguments):
        return ["kubectl", "pyperf", *map(str, arguments)]

    def environment(self, user):
        return {**os.environ, "PATH": self.path, "KUBECONFIG": str(self.configs[user])}

    def run(self, *arguments, user="all", code=0):
        done = subprocess.run(self.line(*arguments), env=self.environment(user), capture_output=True,
                              timeout=300)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done

    def says(self, *arguments, user="all"):
        """The one line that a command which fails says."""
        done = self.run(*arguments, user=user, code=1)
        lines = done.stderr.decode().splitlines()
        said = [line for line in lines if line.startswith("kubectl pyperf: ")]
        assert said == lines and len(said) == 1 and not done.stdout, (lines, done.stdout)
        return said[0].removeprefix("kubectl pyperf: ")


@pytest.fixture(scope="module")
def plugin(cluster, work, tmp_path_factory):
    """With the base as it is on the node, and a pod with tasks."""
    if not shutil.which("curl"):
        pytest.skip("SKIP curl: no such command")
    cluster.kubectl("apply", "-k", manifests.FOLDER / "base")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "tasks"}}
    for o in (namespace, WAITER, GHOST):
        cluster.kubectl("apply", "-f", "-", text=json.dumps(o))
    give_rights(cluster)
    wait(lambda: profiler_pod(cluster), "ready DaemonSet")
    wait(lambda: cluster.kubectl("logs", "-n", "tasks", "waiter"), "tasks that wait")
    yield Plugin(cluster, tmp_path_factory.mktemp("plugin"))
    cluster.kubectl("delete", "namespace", "tasks", "--wait=false")


def name_of(pod):
    return pod["metadata"]["name"]


def functions(samples):
    return {frame.function for sample in samples for frame in sample.frames}


def test_record_has_that_pod_alone(plugin, work, tmp_path):
    """Both of its containers, and neither those of the pod beside it nor any other program."""
    path = tmp_path / "p.pb.gz"
    said = plugin.run("record", name_of(work[0]), "-n", "demo", "-d", 5, "-o", path, user="profiles").stderr
    assert b"has 5 s of the pod demo/%s" % name_of(work[0]).encode() in said
    samples = pprof.read(path).samples
    assert {(s.labels["namespace"], s.labels["pod"]) for s in samples} == {("demo", name_of(work[0]))}
    assert {s.labels["container"] for s in samples} == {"web", "sidecar"}
    assert {"spin", "burn"} <= functions(samples)


def test_record_of_a_container_to_stdout(plugin, work):
    done = plugin.run("record", "pod/" + name_of(work[1]), "--namespace=demo", "-c", "sidecar", "-d", 5,
                      "-o", "-", "--format", "folded")
    stacks = done.stdout.decode()
    assert "burn" in stacks and "spin" not in stacks and not done.stderr


def test_dump(plugin, work):
    """As many processes as the pod has, each with its stack."""
    text = plugin.run("dump", name_of(work[0]), "-n", "demo").stdout.decode()
    assert len(re.findall("^Process ", text, re.M)) == 2
    assert re.search(r"^ +burn \(.*burn\.py:", text, re.M)
    alone = json.loads(plugin.run("dump", name_of(work[0]), "-n", "demo", "-c", "sidecar",
                                  "--json").stdout)
    process, = alone["processes"]
    assert "burn" in {frame["function"] for thread in process["threads"] for frame in thread["frames"]}


def test_tasks(plugin):
    text = plugin.run("tasks", "waiter", "-n", "tasks").stdout.decode()
    assert {"shared", "left", "right", "top"} <= set(re.findall(r"\w+", text))


def test_top(plugin, work):
    """On a terminal, through kubectl's own; q ends it."""
    pid, terminal = pty.fork()
    if not pid:
        os.execvpe("kubectl", plugin.line("top", name_of(work[0]), "-n", "demo"), plugin.environment("all"))
    seen = b""

    def shown():
        nonlocal seen
        while select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65536)
        return b"ordered by" in seen and b"burn" in seen
    wait(shown, "page of top")
    os.write(terminal, b"q")
    with contextlib.suppress(OSError):  # EIO: it has ended
        while os.read(terminal, 65536):
            pass
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, seen[-500:]


def test_page(plugin, work):
    """Its address is printed once it answers; the end of the command is the end of the way."""
    command = plugin.line("page", name_of(work[0]), "-n", "demo", "--port", 17171)
    with subprocess.Popen(command, env=plugin.environment("profiles"), stdout=subprocess.PIPE) as process:
        url = process.stdout.readline().decode().strip()
        assert url == "http://127.0.0.1:17171/?namespace=demo&pod=" + name_of(work[0])
        with urllib.request.urlopen(url, timeout=60) as answer:
            assert b"<title>" in answer.read()
        process.terminate()
        process.wait(60)

    def gone():
        with contextlib.suppress(OSError):
            urllib.request.urlopen(url, timeout=5)
            return False
        return True
    wait(gone, "end of the way to the page")


def test_no_such_pod(plugin):
    assert plugin.says("dump", "nobody", "-n", "demo") == (
        "there is no pod nobody in the namespace demo: kubectl get pods -n demo")
    assert plugin.says("record", "nobody") == (
        "there is no pod nobody in the namespace of this context: kubectl get pods")


def test_a_pod_that_does_not_run(plugin):
    assert plugin.says("dump", "ghost", "-n", "tasks") == "the pod tasks/ghost does not run: it is Pending"


def test_a_node_without_a_profiler(plugin):
    assert plugin.says("top", "node/elsewhere") == (
        "no profiler runs on the node elsewhere: kubectl get daemonset,pods -n pyperf-bpf -o wide")


def test_a_user_without_rights(plugin, work):
    """Each right that is missing is named, and nothing is done by another one."""
    pod = name_of(work[0])
    assert "you may not get pods in the namespace demo" in plugin.says("dump", pod, "-n", "demo",
                                                                       user="nobody")
    assert plugin.says("dump", pod, "-n", "demo", user="profiles") == (
        "you may not create pods/exec in the namespace pyperf-bpf, which dump needs")
    assert "you may not look for the profiler's pods in the namespace pyperf-bpf" in plugin.says(
        "top", "node/pyperf-node", user="nobody")


def test_a_profiler_that_is_not_ready(plugin, cluster, work):
    """The last one of this file: an image that is not there, and then the DaemonSet is taken away."""
    def edit(_, container):
        container["image"] = "localhost/nothing:1"
    old = name_of(profiler_pod(cluster))
    apply_daemonset(cluster, edit)
    wait(lambda: not [p for p in cluster.get("pods", "-n", NAMESPACE)["items"] if name_of(p) == old],
         "end of the profiler")
    pods = wait(lambda: cluster.get("pods", "-n", NAMESPACE)["items"], "pod without an image")
    assert plugin.says("record", name_of(work[0]), "-n", "demo") == (
        "the profiler on the node pyperf-node is not ready: kubectl logs -n pyperf-bpf " + name_of(pods[0]))
    cluster.kubectl("delete", "daemonset", "pyperf-bpf", "-n", NAMESPACE)
    wait(lambda: not cluster.get("pods", "-n", NAMESPACE)["items"], "end of its pods")
    assert "no profiler runs on the node pyperf-node" in plugin.says("dump", name_of(work[0]), "-n", "demo")
