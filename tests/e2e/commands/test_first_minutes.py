# SPDX-License-Identifier: GPL-2.0-only
"""What somebody meets who starts it for the first time: the lines for users without root in docs/install.md
do what they say, and the errors on docs/first-minutes.md are those that are shown."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pytest

import namespaces
import profiler
from examined import NOBODY, doctor, in_namespace

# Has root's PATH for the command, as sudo has by its secure_path, and nothing else.
SUDO = """#!/bin/sh
exec env -i PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
"""
PROFILE = ["-a", "-d", "1", "-o", "-", "--format", "folded"]
ERRORS = set(re.findall(r"^    (pyperf-bpf: error: .*)$",
                        (profiler.ROOT / "docs" / "first-minutes.md").read_text(), re.M))
WITHOUT = ["setpriv", "--bounding-set=-sys_admin,-bpf,-perfmon,-sys_ptrace,-dac_read_search", "--"]


@pytest.fixture
def public():
    """A folder that every user can enter, not mounted nosuid: the program is in it, and a link to it in bin/,
    as `uv tool install` makes one; and sudo."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="/usr/local"))
    (folder / "bin").mkdir()
    for path in folder, folder / "bin":
        path.chmod(0o755)
    shutil.copy(profiler.BINARY, folder)
    (folder / "bin" / "pyperf-bpf").symlink_to(folder / "pyperf-bpf")
    (folder / "bin" / "sudo").write_text(SUDO)
    (folder / "bin" / "sudo").chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def lines_without_root():
    text = (profiler.ROOT / "docs" / "install.md").read_text()
    section = text.split("## Without root\n")[1].split("\n## ")[0]
    return re.findall(r"^    (sudo .*)$", section, re.M)


def shell(folder, line):
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd="/", timeout=300,
                          env={**os.environ, "PATH": "%s/bin:%s" % (folder, os.environ["PATH"])})


def shows_it(run):
    """Of hundreds of busy processes not all are looked at within the second that it profiles."""
    done = []
    profiler.wait_until(lambda: done.append(run()) or done[-1].returncode or "burn.py" in done[-1].stdout,
                        what="burn.py")
    return done[-1]


def test_the_lines_without_root(public, workloads):
    by_sudo, by_capabilities = lines_without_root()
    assert shell(public, "sudo pyperf-bpf -V").returncode == 127, "the name alone is not found"
    with profiler.target(sys.executable, workloads / "burn.py"):
        done = shows_it(lambda: shell(public, by_sudo.replace("-a -d 10", " ".join(PROFILE))))
        assert done.returncode == 0, done
        if not shutil.which("setcap"):
            pytest.skip("SKIP setcap: no such command (Debian package libcap2-bin)")
        done = shell(public, by_capabilities)
        assert done.returncode == 0, done
        run = shows_it(lambda: subprocess.run([*NOBODY, public / "bin" / "pyperf-bpf", *PROFILE],
                                              capture_output=True, text=True, cwd="/", timeout=300))
        assert run.returncode == 0, run.stderr


@pytest.mark.all
def test_the_list_is_that_of_doctor(public):
    capabilities = lines_without_root()[1].split()[2]
    found = doctor("--comm", "none", prefix=NOBODY, binary=str(public / "pyperf-bpf"))
    listed = next(way for way in found["mends"]["capabilities"] if "setcap" in way).split()[2]
    # Old kernels that are as strict as Debian's want one more, which doctor adds.
    assert listed.replace(",cap_sys_admin", "") == capabilities


def test_errors(public):
    """All that the page has, and one line each."""
    if namespaces.reason():
        pytest.skip("SKIP mounts: " + namespaces.reason())
    binary = public / "pyperf-bpf"
    said = set()
    for prefix, arguments in ((NOBODY, PROFILE), (NOBODY, ["dump", "--pid", "1"]), (WITHOUT, PROFILE),
                              (WITHOUT, ["dump", "--pid", "1"]),
                              ([*"unshare --mount --pid --fork --mount-proc".split(), *WITHOUT], PROFILE),
                              (in_namespace("mount -t tmpfs none /sys/kernel/btf"), PROFILE)):
        done = subprocess.run([*prefix, binary, *arguments], capture_output=True, text=True, cwd="/",
                              timeout=300)
        line, = done.stderr.splitlines()
        assert done.returncode == 1 and not done.stdout
        said.add(line)
    assert said == ERRORS
