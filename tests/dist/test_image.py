# SPDX-License-Identifier: GPL-2.0-only
"""The image of a release as a container, by runc, with the rights that deploy/kubernetes gives it."""
import io
import json
import subprocess
import tarfile

import containers
import manifests
import pytest
from machines import DEBIAN, MACHINES, NATIVE, output

with_runc = pytest.mark.skipif(containers.reason() is not None, reason="SKIP runc: %s" % containers.reason())


def unpack_image(archive, architecture, root):
    """What a container engine does with it. Returns the image's configuration."""
    with tarfile.open(archive) as layout:
        def blob(descriptor):
            return layout.extractfile("blobs/sha256/" + descriptor["digest"].removeprefix("sha256:")).read()
        index, = json.load(layout.extractfile("index.json"))["manifests"]
        manifest, = (m for m in json.loads(blob(index))["manifests"]
                     if m["platform"] == {"architecture": architecture, "os": "linux"})
        image = json.loads(blob(manifest))
        for layer in image["layers"]:
            with tarfile.open(fileobj=io.BytesIO(blob(layer))) as files:
                files.extractall(root)
        return json.loads(blob(image["config"]))["config"]


@pytest.fixture
def run(one, tmp_path):
    """run(ARGUMENT...): its entry point in a container that sees the machine's processes."""
    made = []

    def inside(*arguments):
        bundle = tmp_path / ("bundle%d" % len(made))
        image = unpack_image(one("*-oci.tar"), DEBIAN[NATIVE], bundle / "rootfs")
        command = [*image["Entrypoint"], *arguments]
        made.append(containers.Container(bundle, command, [containers.bind(tmp_path / "out", "/out", True)],
                                         manifests.capabilities(), host_pid=True))
        (made[-1].root / "out").mkdir()
        done = subprocess.run(made[-1].command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr
    (tmp_path / "out").mkdir()
    yield inside
    for container in made:
        container.remove()


@pytest.mark.parametrize("machine", MACHINES)
def test_all_that_it_opens_is_in_it(one, tmp_path, machine):
    """libcurl and what that wants, for --push and --kubelet; nothing is taken from outside of it."""
    program, = unpack_image(one("*-oci.tar"), DEBIAN[machine], tmp_path)["Entrypoint"]
    command = ["chroot", tmp_path, program] if machine == NATIVE else \
        ["qemu-aarch64", "-L", tmp_path, tmp_path / program.lstrip("/")]
    said = output(*command, "--version")
    assert "\nbuilt for: %s\n" % machine in said and "\npush and kubelet: libcurl/" in said


@with_runc
def test_profile(run, busy, tmp_path):
    assert "pyperf-bpf" in run("--version")
    run("--pid", busy.pid, "-d", "2", "-o", "/out/p.folded")
    assert "busy_here" in (tmp_path / "out/p.folded").read_text()
