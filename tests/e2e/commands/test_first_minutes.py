# SPDX-License-Identifier: GPL-2.0-only
"""What somebody meets who starts it for the first time: the lines for users without root in docs/install.md
do what they say, and what docs/first-minutes.md says of rights is what is shown."""
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
# What Docker leaves a container.
DOCKER = ["setpriv", "--bounding-set=-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,"
          "+setpcap,+net_bind_service,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap", "--inh-caps=-all",
          "--"]


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


def what_is_refused(text, indent=""):
    """Its lines about rights; how many processes there are is another machine's."""
    found = re.findall(r"^%s(pyperf-bpf: (?:error: |BPF is refused|.* may not be read).*)$" % indent, text,
                       re.M)
    return {re.sub(r"\d+ process(?:es)? may not be read, of which \d+ (?:is|are)",
                   "N processes may not be read, of which N are", line) for line in found}


def test_what_is_refused(public):
    """All that the page has."""
    if namespaces.reason():
        pytest.skip("SKIP mounts: " + namespaces.reason())
    binary = public / "pyperf-bpf"
    command = ["-o", "-", "--format", "folded", "--", "/usr/bin/python3", "-c", "pass"]
    said = set()
    for prefix, arguments, code in (
            (NOBODY, command, 0), (NOBODY, PROFILE, 0), (NOBODY, ["dump", "--pid", "1"], 1),
            (DOCKER, PROFILE, 0), (DOCKER, ["dump", "--pid", "1"], 1),
            ([*"unshare --mount --pid --fork --mount-proc".split(), *DOCKER], command, 0)):
        done = subprocess.run([*prefix, binary, *arguments], capture_output=True, text=True, cwd="/",
                              timeout=300)
        assert done.returncode == code, done
        said |= what_is_refused(done.stderr)
    done = subprocess.run([*in_namespace("mount -t tmpfs none /sys/kernel/btf"), binary, *command],
                          capture_output=True, text=True, cwd="/", timeout=300)
    said |= what_is_refused(done.stderr)
    page = (profiler.ROOT / "docs" / "first-minutes.md").read_text()
    page = page.split("\n## A kernel that is too old\n")[0]  # tests/guest/old.sh has one
    assert done.returncode == 0 and said == what_is_refused(page, "    "), said
