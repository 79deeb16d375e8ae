# SPDX-License-Identifier: GPL-2.0-only
"""Each package is installed in a bare root, without a compiler, libbpf or libcurl, profiles a process of this
machine from there, and goes again."""
import shutil
import subprocess

import pytest
import roots
from machines import DEBIAN, MACHINES, NATIVE, TOP, unpacked

LISTEN = "127.0.0.1:9"  # nobody answers there
MISSING = "libcurl is not installed here: install the package libcurl4"
STATIC = "this build is static, without libcurl: take a build of the release that is not"
UV = TOP / ".cache/dist/uv/bin/uv"


def root_of(suite, *packages):
    base = roots.base(suite, *packages)
    if not base:
        pytest.skip("SKIP debootstrap: no bare %s can be made here" % suite)
    return base


def profiles(root, program, busy):
    """From in there, by its pid: namespaces of processes are not parted."""
    said = roots.run(root, program, "--pid", busy.pid, "-d", "2", "-o", "/tmp/out.folded")
    assert "busy_here" in (root / "tmp/out.folded").read_text(), said
    (root / "tmp/out.folded").unlink()


def says_what_is_missing(root, program, busy, missing=MISSING):
    assert missing in roots.run(root, program, "--version")
    kubelet = ["--pod-label", "app", "--kubelet", "https://" + LISTEN, "-d", "1", "-o", "/tmp/x.folded"]
    for options in (["--push", "pyroscope+http://" + LISTEN], kubelet):
        said = roots.run(root, program, "--pid", busy.pid, *options, code=1)
        assert len([line for line in said.splitlines() if "error" in line]) == 1 and missing in said, said


@pytest.mark.parametrize("suite", ("bookworm", "trixie", "sid"))
def test_deb(one, busy, suite):
    with roots.copy(root_of(suite)) as root:
        before = set(roots.files(root))
        package = one("*_%s.deb" % DEBIAN[NATIVE])
        (root / "tmp/p.deb").write_bytes(package.read_bytes())
        roots.run(root, "dpkg", "-i", "/tmp/p.deb")
        profiles(root, "/usr/bin/pyperf-bpf", busy)
        says_what_is_missing(root, "pyperf-bpf", busy)
        config = root / "etc/pyperf-bpf/pyperf-bpf.conf"
        config.write_text("all-python = yes\n# mine\n")
        roots.run(root, "dpkg", "-i", "/tmp/p.deb")  # again, as an upgrade does
        assert "# mine" in config.read_text()
        roots.run(root, "dpkg", "--remove", "pyperf-bpf")
        assert config.exists() and not (root / "usr/bin/pyperf-bpf").exists()
        (root / "var/lib/private/pyperf-bpf").mkdir(parents=True)
        roots.run(root, "dpkg", "--purge", "pyperf-bpf")
        left = set(roots.files(root)) - before - {"var/lib/private"}
        assert not left, left


def put_wheels(dist, root):
    """All of them, as an index has them: which one is taken is for pip and uv to know."""
    (root / "tmp/wheels").mkdir()
    for wheel in dist.glob("*.whl"):
        shutil.copy(wheel, root / "tmp/wheels")
    return ["--no-index", "--find-links", "/tmp/wheels"]


@pytest.mark.parametrize("suite, missing", (("bookworm", MISSING), ("bullseye", STATIC)))
def test_wheel(dist, busy, suite, missing):
    """By pip, without any index, into an environment of its own. Debian 11's glibc is older than the one
    wheel wants, so it takes the static one."""
    with roots.copy(root_of(suite, "python3-venv")) as root:
        wheels = put_wheels(dist, root)
        roots.run(root, "python3", "-m", "venv", "/opt/env")
        roots.run(root, "/opt/env/bin/pip", "install", *wheels, "pyperf-bpf")
        profiles(root, "/opt/env/bin/pyperf-bpf", busy)
        says_what_is_missing(root, "/opt/env/bin/pyperf-bpf", busy, missing)
        assert missing in roots.run(root, "/opt/env/bin/python3", "-m", "pyperf_bpf", "--version")
        about, = root.glob("opt/env/lib/python3*/site-packages/pyperf_bpf-*.dist-info")
        assert (about / "sboms/pyperf-bpf.cdx.json").exists() and (about / "licenses/LICENSE").exists()
        roots.run(root, "/opt/env/bin/pip", "uninstall", "-y", "pyperf-bpf")
        assert not (root / "opt/env/bin/pyperf-bpf").exists()


def test_uv(dist, busy):
    """`uvx`, which is `uv tool run`, and an installation that stays; offline, with the root's own Python."""
    with roots.copy(root_of("bookworm", "python3-venv")) as root:
        shutil.copy(UV, root / "usr/local/bin/uv")
        wheels = [*put_wheels(dist, root), "--offline"]
        said = roots.run(root, "uv", "tool", "run", *wheels, "pyperf-bpf", "--version")
        assert "\nbuilt for: %s\n" % NATIVE in said and MISSING in said
        roots.run(root, "uv", "tool", "install", *wheels, "pyperf-bpf")
        profiles(root, "/root/.local/bin/pyperf-bpf", busy)
        roots.run(root, "uv", "tool", "uninstall", "pyperf-bpf")
        assert not (root / "root/.local/bin/pyperf-bpf").exists()


def test_tarball(one, busy):
    with roots.copy(root_of("bookworm")) as root:
        folder = unpacked(one, root / "opt")
        profiles(root, "/opt/%s/pyperf-bpf" % folder.name, busy)


def test_static_tarball(one, busy, tmp_path):
    """Where there is no libc at all: a root with busybox alone, as Debian links it statically."""
    busybox = root_of("bookworm", "busybox-static") / "bin/busybox"
    for folder in ("bin", "opt", "proc", "sys", "dev", "tmp"):
        (tmp_path / folder).mkdir()
    shutil.copy(busybox, tmp_path / "bin/busybox")
    subprocess.run([busybox, "--install", "-s", tmp_path / "bin"], check=True)
    for link in (tmp_path / "bin").iterdir():
        if link.is_symlink():
            link.unlink()
            link.symlink_to("busybox")
    folder = unpacked(one, tmp_path / "opt", kind="-static")
    program = "/opt/%s/pyperf-bpf" % folder.name
    profiles(tmp_path, program, busy)
    says_what_is_missing(tmp_path, program, busy, STATIC)
    checked = roots.run(tmp_path, program, "doctor", "--push", "pyroscope+http://" + LISTEN, code=1)
    assert STATIC in checked and "apt-get install" not in checked
    assert "busy_here" in roots.run(tmp_path, program, "dump", "--pid", busy.pid)


def test_rpm(one, busy):
    """Debian's rpm knows nothing of the root's libc, so it is told not to ask for it."""
    with roots.copy(root_of("bookworm")) as root:
        before = set(roots.files(root))

        def rpm(*options):
            subprocess.run(["rpm", "--root", root, "--dbpath", "/tmp/rpm", *options], check=True)
        rpm("--initdb")
        rpm("-i", "--nodeps", "--noscripts", one("*.%s.rpm" % NATIVE))
        rpm("-V", "--nodeps", "pyperf-bpf")
        profiles(root, "/usr/bin/pyperf-bpf", busy)
        rpm("-e", "--noscripts", "pyperf-bpf")
        # Folders that every package shares are of a package of their own there.
        assert not [path for path in set(roots.files(root)) - before if not (root / path).is_dir()]


@pytest.mark.parametrize("machine", MACHINES)
def test_lintian(one, machine):
    """No errors. Who releases it has an address of his own, in DEBEMAIL."""
    done = subprocess.run(["lintian", "--fail-on", "error", "--suppress-tags", "bogus-mail-host",
                           one("*_%s.deb" % DEBIAN[machine])], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
