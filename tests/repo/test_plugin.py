# SPDX-License-Identifier: GPL-2.0-only
"""How kubectl pyperf reads its command line, with a kubectl that only notes what it is asked. That it
works is shown in tests/k8s/test_plugin.py."""
import os
import shutil
import subprocess

import kubernetes_validate
import pytest
import yaml

import manifests

PLUGIN = manifests.FOLDER / "kubectl-pyperf"
STAND_IN = """#!/bin/sh
printf '%s\\n' "$*" >>"$NOTES"
case "$*" in
*'get pod '*) echo 'shop Running node-1' ;;
*'get pods '*'.args'*) echo 'False pyperf-bpf-w ["-a"]'; echo "True pyperf-bpf-x $PUSH" ;;
*'get pods '*) echo 'True pyperf-bpf-x 7070' ;;
*'config view'*) echo web ;;
*'auth can-i'*) echo yes ;;
esac
"""


@pytest.fixture
def plugin(tmp_path):
    """Runs it: (what it says on both, what kubectl was asked)."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(STAND_IN)
    kubectl.chmod(0o755)
    # Not every machine has curl. In this file no way to a port opens, so nothing may be asked through one.
    curl = tmp_path / "bin" / "curl"
    curl.parent.mkdir()
    curl.write_text("#!/bin/sh\necho curl >>\"$NOTES\"\n")
    curl.chmod(0o755)

    def run(*arguments, code=0, path="%s:%s" % (curl.parent, os.environ["PATH"]), push=""):
        notes = tmp_path / "notes"
        notes.write_text("")
        done = subprocess.run([shutil.which("sh"), PLUGIN, *arguments], capture_output=True, text=True,
                              env={**os.environ, "KUBECTL": str(kubectl), "NOTES": str(notes),
                                   "TMPDIR": str(tmp_path), "PATH": path, "PUSH": push})
        assert done.returncode == code, done
        assert not list(tmp_path.glob("tmp.*")), "its files are gone"
        return done.stdout + done.stderr, notes.read_text().splitlines()
    return run


@pytest.mark.parametrize("line", [
    "", "dump", "look web", "dump web other", "dump web --no-such", "dump web -n", "record web -d 0",
    "record web -d 601", "record web -d 5s", "record web -d 99999999999999999999", "record node/n",
    "dump node/n", "record web --type cpu&pod=other", "dump web*", "dump web?x -n shop", "dump web -n a,b",
    "dump -- web", "dump web -c x*y", "top web --json", "page web --port 99999",
    "dump web --profiler-namespace=", "diff", "diff sh*p", "diff shop --since 0h", "diff shop --since 100h",
    "findings shop --since 1h&x", "findings shop --json"])
def test_what_is_refused(plugin, line):
    """With one line, or how it is used, and before kubectl is asked to do anything."""
    said, asked = plugin(*line.split(), code=2)
    assert said and (len(said.splitlines()) == 1 or not line)
    assert not any(" exec " in line or "port-forward" in line for line in asked)


def test_help(plugin):
    said, asked = plugin("--help")
    for command in "record", "dump", "tasks", "top", "page":
        assert "kubectl pyperf %s POD" % command in said
    assert not asked


def last(plugin, *arguments):
    return plugin(*arguments)[1][-1]


def test_what_is_asked_there(plugin):
    there = " -n pyperf-bpf pyperf-bpf-x -- /usr/bin/pyperf-bpf "
    assert last(plugin, "dump", "web") == "exec" + there + "dump --all-python --namespace shop --pod web"
    assert last(plugin, "dump", "pod/web", "-n", "shop", "--async", "-c", "main", "--json") == (
        "exec" + there + "dump --all-python --async --json --namespace shop --pod web --container main")
    assert last(plugin, "tasks", "--table", "web") == (
        "exec" + there + "tasks --all-python --table --namespace shop --pod web")
    assert last(plugin, "top", "web") == "exec -it" + there + "top --namespace shop --pod web"
    assert last(plugin, "top", "node/node-1") == "exec -it" + there + "top"


def test_where_it_looks(plugin):
    """The pod, with what kubectl was told; then the profiler of its node, in its own namespace."""
    asked = plugin("dump", "web", "--namespace=shop", "--context", "c", "--kubeconfig", "k f", "--as=u",
                   "--profiler-namespace", "ours")[1]
    flags = "--kubeconfig k f --context c --as u "
    assert all(line.startswith(flags) for line in asked)
    pod, profiler, right, run = (line.removeprefix(flags) for line in asked)
    assert pod.startswith("get pod web -n shop -o ")
    assert profiler.startswith("get pods -n ours -l app.kubernetes.io/name=pyperf-bpf "
                               "--field-selector spec.nodeName=node-1 ")
    assert right == "auth can-i create pods --subresource exec -n ours"
    assert run.startswith("exec -n ours pyperf-bpf-x -- ")


def test_the_way_to_the_port(plugin):
    """Its end before it was open is said, and no profile is left."""
    said, asked = plugin("record", "web", code=1)
    assert asked[-1] == "port-forward -n pyperf-bpf pod/pyperf-bpf-x :7070"
    assert said == "kubectl pyperf: cannot reach the profiler: kubectl did not say why\n"
    assert plugin("page", "node/n", "--port", "8000", code=1)[1][-1].endswith("pyperf-bpf-x 8000:7070")


def test_without_curl(plugin, tmp_path):
    """Which record alone needs: that is said before anything is asked."""
    said, asked = plugin("record", "web", code=1, path=str(tmp_path / "nothing"))
    assert said == "kubectl pyperf: record needs curl, and there is none on the PATH\n" and not asked


def test_rights():
    """No more than the page says."""
    objects = list(yaml.safe_load_all((manifests.FOLDER / "plugin-rights.yaml").read_text()))
    for o in objects:
        kubernetes_validate.validate(o, "1.36", strict=True)
    assert {o["metadata"]["name"]: {(r, v) for rule in o["rules"] for r in rule["resources"]
                                    for v in rule["verbs"]} for o in objects} == {
        "pyperf-bpf-pods": {("pods", "get")},
        "pyperf-bpf-profiles": {("pods", "get"), ("pods", "list"), ("pods/portforward", "create")},
        "pyperf-bpf-stacks": {("pods", "get"), ("pods", "list"), ("pods/exec", "create")}}


PUSHES = '["-a","--push=pyroscope+http://pyroscope.pyroscope.svc:4040/","--listen=:7070"]'


def test_what_the_receiver_is_asked(plugin):
    """By a profiler that is ready: of all pods of a Deployment, as pushes name them, in that time."""
    begin = "exec -n pyperf-bpf pyperf-bpf-x -- /usr/bin/pyperf-bpf "
    query = ('pyroscope+http://pyroscope.pyroscope.svc:4040/?query={namespace="%s",'
             'pod=~"shop-[a-z0-9]+-[a-z0-9]+"%s}')
    assert plugin("findings", "shop", push=PUSHES)[1][-1] == (
        begin + "report --findings " + query % ("web", "") + "&from=-1h")
    asked = plugin("diff", "deployment/shop", "-n", "team", "-c", "main", "--since", "30m",
                   push=PUSHES)[1][-1]
    source = query % ("team", ',container="main"')
    assert asked == (begin + "diff --normalize samples " + source + "&from=-60m&until=-30m " + source +
                     "&from=-30m")


def test_a_receiver_that_wants_a_token(plugin):
    """The profiler reads the file that it shows when it pushes; nobody else sees what is in it."""
    push = PUSHES.replace("]", ',"--push-header-file=/var/run/secrets/push/headers"]')
    for arguments, begin in ((("findings", "shop"), "report --findings "),
                             (("diff", "shop"), "diff --normalize samples ")):
        assert (" -- /usr/bin/pyperf-bpf " + begin + "--header-file /var/run/secrets/push/headers pyroscope+"
                in plugin(*arguments, push=push)[1][-1])


@pytest.mark.parametrize("push, words", [
    ('["-a"]', "push to no receiver"), ('["--push=parca+http://parca:7070"]', "push to parca+http"),
    ('["--push-header-file=/x"]', "push to no receiver")])
def test_no_receiver_to_ask(plugin, push, words):
    said, asked = plugin("diff", "shop", code=1, push=push)
    assert words in said and len(said.splitlines()) == 1
    assert not any(line.startswith("exec") for line in asked)
