# SPDX-License-Identifier: GPL-2.0-only
"""deploy/deps.sh, which `make run` and `make check` begin with, waits for another apt, as a fresh Debian runs
one after its boot. The real apt, on folders of its own."""
import fcntl
import os
import pathlib
import shutil
import subprocess
import time

import pytest

import profiler

LOCKS = {"lists": "var/lib/apt/lists/lock", "dpkg": "var/lib/dpkg/lock-frontend"}
FOLDERS = ("etc/apt/apt.conf.d", "etc/apt/preferences.d", "etc/apt/sources.list.d", "etc/apt/trusted.gpg.d",
           "var/lib/apt/lists/partial", "var/cache/apt/archives/partial", "var/lib/dpkg", "log", "bin")


@pytest.fixture
def root(tmp_path):
    """Where apt knows no package, and dpkg-query none that is installed."""
    if os.geteuid() or not shutil.which("apt-get"):
        pytest.skip("SKIP apt: only root has locks, and apt-get is Debian's")
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "var/lib/dpkg/status").touch()
    (tmp_path / "etc/apt/sources.list").touch()
    (tmp_path / "bin/dpkg-query").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bin/dpkg-query").chmod(0o755)
    (tmp_path / "apt.conf").write_text('Dir "%s";\nDir::State::status "%s/var/lib/dpkg/status";\n'
                                       'Dir::Log "%s/log";\nAPT::Sandbox::User "root";\n' % ((tmp_path,) * 3))
    return tmp_path


def begin(root):
    return subprocess.Popen(
        ["sh", profiler.ROOT / "deploy" / "deps.sh", "build"], stdout=subprocess.PIPE, text=True,
        stderr=open(root / "said", "w", encoding="ascii"),
        env={**os.environ, "APT_CONFIG": str(root / "apt.conf"),
             "PATH": "%s/bin:%s" % (root, os.environ["PATH"])})


def below(pid):
    """Command lines of all that it has started and that still runs."""
    for child in pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split():
        try:
            yield pathlib.Path("/proc/%s/cmdline" % child).read_bytes().split(b"\0")
            yield from below(int(child))
        except (FileNotFoundError, ProcessLookupError):
            pass


def is_waiting(script, root, lock):
    """apt says so of lists, and of dpkg's lock it says nothing: then it is there for longer than a moment."""
    assert script.poll() is None, "it has ended: " + (root / "said").read_text()
    if lock == "lists":
        return "waiting for another apt" in (root / "said").read_text()
    return any(b"install" in line and line[0].endswith(b"apt-get") for line in below(script.pid))


@pytest.mark.parametrize("lock", LOCKS)
def test_waits_for_another_apt(root, lock):
    with open(root / LOCKS[lock], "w", encoding="ascii") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        script = begin(root)
        for _ in range(2 if lock == "lists" else 10):
            profiler.wait_until(lambda: is_waiting(script, root, lock), what="wait")
            time.sleep(0.1)
    script.communicate(timeout=300)
    said = (root / "said").read_text()
    assert script.returncode == 1 and "Unable to locate package gcc" in said, said
    assert said.count("Could not get lock") == (1 if lock == "lists" else 0)


def test_says_what_else_is_wrong(root):
    script = begin(root)
    script.communicate(timeout=300)
    said = (root / "said").read_text()
    assert script.returncode == 1 and "Unable to locate package gcc" in said and "waiting" not in said
