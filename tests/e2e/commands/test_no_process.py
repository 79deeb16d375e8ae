# SPDX-License-Identifier: GPL-2.0-only
"""A process that --pid names and that cannot be looked at: there is none only where there is none."""
import pathlib
import subprocess

import pytest

import home
import interpreters as known
import namespaces
import profiler
from examined import NOBODY, in_namespace

HIDDEN = "mount -t proc -o hidepid=%s proc /proc"


def complaint(*arguments, prefix=(), code=1, output=""):
    done = subprocess.run([*prefix, profiler.BINARY, *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, cwd="/")
    assert done.returncode == code and done.stdout == output, done
    line, = home.without_notice(done.stderr).splitlines()
    return line


@pytest.fixture
def own_mounts():
    if namespaces.reason():
        pytest.skip("SKIP mounts: " + namespaces.reason())


def test_none(tmp_path):
    assert "there is no process 4194304" in complaint("--pid", 4194304, "-o", tmp_path / "x")
    assert "there is no process 4194304" in complaint("dump", "--pid", 4194304)


def test_thread_of_the_kernel(tmp_path):
    pid = next(int(stat.parent.name) for stat in pathlib.Path("/proc").glob("[0-9]*/stat")
               if int(stat.read_text().rsplit(") ", 1)[1].split()[6]) & 0x200000)
    assert "process %d is a thread of the kernel's" % pid in complaint("--pid", pid, "-o", tmp_path / "x")


def test_one_that_has_ended(tmp_path):
    """Nobody has waited for it yet, so that its number is still there."""
    ended = subprocess.Popen(["true"])
    stat = pathlib.Path("/proc/%d/stat" % ended.pid)
    profiler.wait_until(lambda: ") Z " in stat.read_text(), what="end")
    assert "process %d has ended" % ended.pid in complaint("--pid", ended.pid, "-o", tmp_path / "x")
    ended.wait()


@pytest.mark.parametrize("hidepid", ["2", "invisible"])
@pytest.mark.parametrize("command", ["dump", "tasks"])
def test_one_that_is_hidden(own_mounts, workloads, hidepid, command):
    prefix = [*in_namespace(HIDDEN % hidepid), *NOBODY]
    with profiler.target(known.newest().path, workloads / "burn.py") as target:
        line = complaint(command, "--pid", target.pid, prefix=prefix)
        assert "process %d is there, but /proc hides it (hidepid): run as root, or with CAP_SYS_PTRACE" % (
            target.pid) in line
    done = subprocess.run([*prefix, profiler.BINARY, command, "--all-python"], capture_output=True, text=True)
    assert done.returncode == 0 and "/proc hides processes of others (hidepid)" in done.stderr
    root = subprocess.run([*in_namespace(HIDDEN % hidepid), profiler.BINARY, command, "--all-python"],
                          capture_output=True, text=True)
    assert root.returncode == 0 and "hidepid" not in root.stderr


def test_without_proc(own_mounts, tmp_path):
    prefix = in_namespace("mount -t tmpfs none /proc")
    for arguments in (("-a", "-d", 1, "-o", tmp_path / "x"), ("--pid", 1, "-o", tmp_path / "x"),
                      ("dump", "--all-python"), ("tasks", "--pid", 1)):
        assert "/proc is not mounted" in complaint(*arguments, prefix=prefix)
