# SPDX-License-Identifier: GPL-2.0-only
"""Each package is installed in a bare root, without a compiler, libbpf or libcurl, profiles a process of this
machine from there, and goes again."""
import platform
import subprocess

import pytest
import roots

LISTEN = "127.0.0.1:9"  # nobody answers there
MISSING = "libcurl is not installed here: install the package libcurl4"
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]


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


def says_what_is_missing(root, program, busy):
    assert MISSING in roots.run(root, program, "--version")
    kubelet = ["--pod-label", "app", "--kubelet", "https://" + LISTEN, "-d", "1", "-o", "/tmp/x.folded"]
    for options in (["--push", "pyroscope+http://" + LISTEN], kubelet):
        said = roots.run(root, program, "--pid", busy.pid, *options, code=1)
        assert len([line for line in said.splitlines() if "error" in line]) == 1 and MISSING in said, said


@pytest.mark.parametrize("suite", ("bookworm", "trixie", "sid"))
def test_deb(one, busy, suite):
    with roots.copy(root_of(suite)) as root:
        before = set(roots.files(root))
        package = one("*_%s.deb" % ARCHITECTURE)
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


def test_wheel(one, busy):
    """By pip, without any index, into an environment of its own."""
    with roots.copy(root_of("bookworm", "python3-venv")) as root:
        wheel = one("*_%s.whl" % platform.machine())
        (root / "tmp" / wheel.name).write_bytes(wheel.read_bytes())
        roots.run(root, "python3", "-m", "venv", "/opt/env")
        roots.run(root, "/opt/env/bin/pip", "install", "--no-index", "/tmp/" + wheel.name)
        profiles(root, "/opt/env/bin/pyperf-bpf", busy)
        says_what_is_missing(root, "/opt/env/bin/pyperf-bpf", busy)
        about, = root.glob("opt/env/lib/python3*/site-packages/pyperf_bpf-*.dist-info")
        assert (about / "sboms/pyperf-bpf.cdx.json").exists() and (about / "licenses/LICENSE").exists()
        roots.run(root, "/opt/env/bin/pip", "uninstall", "-y", "pyperf-bpf")
        assert not (root / "opt/env/bin/pyperf-bpf").exists()


def test_tarball(one, busy):
    with roots.copy(root_of("bookworm")) as root:
        subprocess.run(["tar", "xzf", one("*-%s-linux.tar.gz" % platform.machine()), "-C", root / "opt"],
                       check=True)
        folder, = (root / "opt").iterdir()
        profiles(root, "/opt/%s/pyperf-bpf" % folder.name, busy)


def test_rpm(one, busy):
    """Debian's rpm knows nothing of the root's libc, so it is told not to ask for it."""
    with roots.copy(root_of("bookworm")) as root:
        before = set(roots.files(root))

        def rpm(*options):
            subprocess.run(["rpm", "--root", root, "--dbpath", "/tmp/rpm", *options], check=True)
        rpm("--initdb")
        rpm("-i", "--nodeps", "--noscripts", one("*.%s.rpm" % platform.machine()))
        rpm("-V", "--nodeps", "pyperf-bpf")
        profiles(root, "/usr/bin/pyperf-bpf", busy)
        rpm("-e", "--noscripts", "pyperf-bpf")
        # Folders that every package shares are of a package of their own there.
        assert not [path for path in set(roots.files(root)) - before if not (root / path).is_dir()]


def test_lintian(one):
    """No errors. Who releases it has an address of his own, in DEBEMAIL."""
    done = subprocess.run(["lintian", "--fail-on", "error", "--suppress-tags", "bogus-mail-host",
                           one("*_%s.deb" % ARCHITECTURE)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
