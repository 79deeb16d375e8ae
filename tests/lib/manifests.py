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
    """The program that tests/fetch-kustomize.sh put into the cache, or one on the path; None: neither."""
    ours = CACHE / "bin" / "kustomize"
    return str(ours) if ours.exists() else shutil.which("kustomize")


def render(variant):
    """All objects of a variant."""
    text = subprocess.run([kustomize(), "build", FOLDER / variant], stdout=subprocess.PIPE, check=True).stdout
    return [document for document in yaml.safe_load_all(text) if document]


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
