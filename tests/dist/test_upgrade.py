# SPDX-License-Identifier: GPL-2.0-only
"""Who has the version before, and settings of his own, takes the new one: nothing of it is lost or refused
without a word."""
import shutil
import subprocess
import sys

import before
import pytest
import roots
from machines import DEBIAN, NATIVE, TOP
from test_packages import profiles, put_wheels, root_of

sys.path.insert(0, str(TOP / "tests/lib"))
import manifests  # noqa: E402

CHART = TOP / "deploy/kubernetes/chart"
SETTINGS = "frequency = 49\nbudget = 2\n# mine\n"


@pytest.fixture(scope="module")
def old():
    folder = before.packages()
    return folder or pytest.skip("SKIP upgrade: the history has no commit %s here" % before.COMMIT)


@pytest.fixture
def old_one(old):
    def find(pattern):
        file, = (old / "dist").glob(pattern)
        return file
    return find


def version_of(root, program):
    return roots.run(root, program, "--version").split()[1]


def test_deb(one, old_one):
    """The owner's settings stay, and the new program takes them."""
    with roots.copy(root_of("bookworm")) as root:
        for name, find in ("old", old_one), ("new", one):
            shutil.copy(find("*_%s.deb" % DEBIAN[NATIVE]), root / ("tmp/%s.deb" % name))
        roots.run(root, "dpkg", "-i", "/tmp/old.deb")
        assert version_of(root, "pyperf-bpf") == before.VERSION
        config = root / "etc/pyperf-bpf/pyperf-bpf.conf"
        theirs = config.read_text() + SETTINGS
        config.write_text(theirs)
        roots.run(root, "dpkg", "-i", "/tmp/new.deb")
        assert version_of(root, "pyperf-bpf") > before.VERSION
        assert config.read_text() == theirs
        written = root / "var/lib/pyperf-bpf"  # of the service, by the settings that came with it
        written.mkdir()
        roots.run(root, "pyperf-bpf", "--config", "/etc/pyperf-bpf/pyperf-bpf.conf", "-d", "2")
        assert [*written.glob("*.pb.gz")]


def test_wheel(dist, old, old_one, busy):
    with roots.copy(root_of("bookworm", "python3-venv")) as root:
        wheel = old_one("*manylinux_2_34_%s.whl" % NATIVE)
        shutil.copy(wheel, root / "tmp")
        pip = "/opt/env/bin/pip"
        roots.run(root, "python3", "-m", "venv", "/opt/env")
        roots.run(root, pip, "install", "--no-index", "/tmp/" + wheel.name)
        program = "/opt/env/bin/pyperf-bpf"
        assert version_of(root, program) == before.VERSION
        roots.run(root, pip, "install", "--upgrade", *put_wheels(dist, root), "pyperf-bpf")
        assert version_of(root, program) > before.VERSION
        profiles(root, program, busy)
        roots.run(root, pip, "uninstall", "-y", "pyperf-bpf")
        assert not [*root.glob("opt/env/**/*pyperf*")]


@pytest.mark.skipif(not manifests.tool("helm"), reason="SKIP helm: it cannot be built here")
def test_values_of_the_chart(old):
    """All that the old chart has, as somebody would hand on who had copied its values."""
    values = old / "deploy/kubernetes/chart/values.yaml"
    done = manifests.helm("template", "x", CHART, "-f", values)
    assert not done.returncode, done.stderr
