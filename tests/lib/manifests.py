# SPDX-License-Identifier: GPL-2.0-only
"""The manifests of deploy/kubernetes, rendered by kustomize, and what they ask for the profiler."""
import os
import pathlib
import shutil
import subprocess

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("PYPERF_CACHE") or ROOT / ".cache")
FOLDER = ROOT / "deploy" / "kubernetes"
VARIANTS = ["base", *sorted("overlays/" + path.name for path in (FOLDER / "overlays").iterdir())]


def kustomize():
    return tool("kustomize")


def tool(name):
    """The program that tests/fetch-manifest-tools.sh put into the cache, or one on the path, or None."""
    ours = CACHE / "bin" / name
    return str(ours) if ours.exists() else shutil.which(name)


def render(variant):
    """All objects of a variant."""
    text = subprocess.run([kustomize(), "build", FOLDER / variant], stdout=subprocess.PIPE, check=True).stdout
    return [document for document in yaml.safe_load_all(text) if document]


def values(variant):
    """What makes the chart the same as a variant: arguments for helm."""
    path = FOLDER / variant / "values.yaml"
    return ["-f", str(path)] if path.exists() else []


def helm(*arguments):
    """A command of helm that needs no cluster: what it prints, and its exit code as `returncode`."""
    return subprocess.run([tool("helm"), *map(str, arguments)], capture_output=True, text=True)


def render_chart(*arguments, namespace="pyperf-bpf", chart=FOLDER / "chart"):
    """All objects of the chart with these arguments for helm: ("--set", "a.b=c")."""
    done = helm("template", "pyperf-bpf", chart, "-n", namespace, *arguments)
    assert done.returncode == 0, done.stderr
    return [document for document in yaml.safe_load_all(done.stdout) if document]


def daemonset(objects):
    return next(document for document in objects if document["kind"] == "DaemonSet")


def pod(objects):
    return daemonset(objects)["spec"]["template"]["spec"]


def plain(variant="base"):
    """The DaemonSet as it is written, without kustomize."""
    return yaml.safe_load((FOLDER / variant / "daemonset.yaml").read_text())


def capabilities():
    """Those that the profiler gets: ["CAP_BPF", ...]."""
    container = plain()["spec"]["template"]["spec"]["containers"][0]
    assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
    return ["CAP_" + name for name in container["securityContext"]["capabilities"]["add"]]
