# SPDX-License-Identifier: GPL-2.0-only
"""What goes wrong is said in one clear line, with the right exit code, and leaves no profile behind.

Exit codes: 2 for a command line that makes no sense, 1 for what could not be done, 127 and 126 for a COMMAND
that is not there or cannot be executed, as env(1) has it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

import pytest

import home
import interpreters as known
import profiler

USAGE, FAILURE = 2, 1


def complain(directory, *arguments, code, words=(), prefix=(), binary=profiler.BINARY, output=True,
             silent=True):
    """Runs the profiler, which must fail with exactly one line that has all the words. silent: before it
    printed a summary."""
    profile = pathlib.Path(directory) / "profile.pb.gz"
    own = ["-o", str(profile)] if output else []
    done = subprocess.run([*prefix, binary, *own, *map(str, arguments)], capture_output=True, text=True,
                          timeout=300,
                          stdin=subprocess.DEVNULL, cwd=directory)
    lines = home.without_notice(done.stderr).splitlines()
    assert done.returncode == code, done.stderr
    assert len(lines) == 1, done.stderr
    for word in words:  # a number is not a part of another one
        assert re.search(r"\b%d\b" % word if isinstance(word, int) else re.escape(str(word)), lines[0], re.I)
    assert done.stdout == "" or not silent
    assert not [name for name in os.listdir(directory) if "profile" in name], "something was written"
    return lines[0]


@pytest.mark.parametrize("arguments, word", [
    (("--frobnicate",), "frobnicate"),
    (("--all-python", "-F", "0"), "frequency"),
    (("--all-python", "-F", "-5"), "frequency"),
    (("--all-python", "-F", "99x"), "99x"),
    (("--all-python", "-F", "99999999999999999999"), "frequency"),
    (("--all-python", "-d", "soon"), "soon"),
    (("--all-python", "-d", "-1"), "-1"),
    (("--all-python", "-d", "nan"), "nan"),
    (("--all-python", "-d", ""), "duration"),
    (("--all-python", "--max-depth", "0"), "max-depth"),
    (("--all-python", "--format", "png"), "png"),
    (("--all-python", "--cache", "perhaps"), "perhaps"),
    (("--all-python", "--listen", "here"), "--listen wants"),
    (("--all-python", "--listen", "example.com:80"), "example.com:80"),
    (("--all-python", "--listen-metrics", "127.0.0.1:65536"), "--listen-metrics wants"),
    (("--pid", "one"), "one"),
    (("--pid", "1,"), "pid"),
    (("--pid", "0"), "pid"),
    (("--pid", "-1"), "pid"),
    (("--pid",), "pid"),
    (("--all-python", "--pid", "1"), "pid"),
    (("--",), "command"),
    ((), "--"),
], ids=lambda value: "_".join(value) if isinstance(value, tuple) else None)
def test_usage(tmp_path, arguments, word):
    complain(tmp_path, *arguments, code=USAGE, words=[word])


def free_pid():
    with open("/proc/sys/kernel/pid_max") as limit:
        return next(pid for pid in range(int(limit.read()) - 1, 0, -1)
                    if not os.path.exists("/proc/%d" % pid))


def test_no_such_pid(tmp_path):
    pid = free_pid()
    complain(tmp_path, "--pid", pid, "-d", 1, code=FAILURE, words=[pid])


@pytest.mark.parametrize("command", ((), ("dump",), ("tasks",), ("doctor",)), ids="-".join)
def test_a_thread_is_no_process(tmp_path, command):
    """/proc shows a thread as if it were a process; pidfd_open(2) does not."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        complain(tmp_path, *command, "--pid", thread.native_id, code=FAILURE, output=not command,
                 words=["%d is a thread of process %d" % (thread.native_id, os.getpid()),
                        "--pid %d" % os.getpid()])
    finally:
        end.set()
        thread.join()


def test_one_pid_of_two_is_missing(tmp_path, workloads):
    pid = free_pid()
    with profiler.target(known.usual().path, workloads / "burn.py") as busy:
        complain(tmp_path, "--pid", "%d,%d" % (busy.pid, pid), "-d", 1, code=FAILURE, words=[pid])


def test_not_python(tmp_path):
    with profiler.target("sleep", 60, about=False) as sleeping:
        complain(tmp_path, "--pid", sleeping.pid, "-d", 1, code=FAILURE, words=[sleeping.pid, "python"])


@pytest.fixture
def public():
    """A directory that nobody (the user) can enter and write, with a copy of the profiler in it."""
    directory = pathlib.Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    (directory / "out").mkdir()
    (directory / "out").chmod(0o777)
    shutil.copy(profiler.BINARY, directory / "pyperf-bpf")
    yield directory
    shutil.rmtree(directory)


def test_not_root(public):
    if not shutil.which("setpriv"):
        pytest.skip("SKIP setpriv: no such command (Debian package util-linux)")
    prefix = [] if os.geteuid() else ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    complain(public / "out", "--all-python", "--trigger", "perf", "-d", 1, code=FAILURE, words=["root"],
             prefix=prefix, binary=str(public / "pyperf-bpf"))


def test_no_btf(tmp_path):
    """In a mount namespace where the kernel's type information is hidden."""
    release = os.uname().release
    others = ["/boot/vmlinux-" + release, "/lib/modules/%s/vmlinux-%s" % (release, release),
              "/lib/modules/%s/build/vmlinux" % release, "/usr/lib/debug/boot/vmlinux-" + release]
    if any(os.path.exists(path) for path in others):
        pytest.skip("SKIP not-applicable: this machine has the kernel's types in a file, too")
    hide = 'mount -t tmpfs none /sys/kernel/btf && exec "$0" "$@"'
    prefix = ["unshare", "--mount", "sh", "-c", hide]
    if subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("SKIP mounts: no mount namespace can be made here")
    complain(tmp_path, "--all-python", "--trigger", "perf", "-d", 1, code=FAILURE, words=["btf"],
             prefix=prefix)


def test_pid_namespace_of_its_own(tmp_path):
    """As in a container without the machine's pids: everybody would be missing from the profile."""
    prefix = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("SKIP mounts: no pid namespace can be made here")
    complain(tmp_path, "--all-python", "--trigger", "perf", "-d", 1, code=FAILURE,
             words=["pid namespace", "--pid=host"], prefix=prefix)


@pytest.mark.parametrize("output", ("missing/profile.pb.gz", "directory"))
def test_unwritable_output(tmp_path, output):
    (tmp_path / "directory").mkdir()
    complain(tmp_path, "--all-python", "-d", 1, "-o", output, code=FAILURE, words=[output], output=False)


def test_output_that_fails_late(tmp_path):
    """A file system that takes no files: seen only when the profile is written."""
    complain(tmp_path, "-q", "--all-python", "-d", 1, "-o", "/proc/profile.pb.gz", code=FAILURE,
             words=["/proc/profile.pb.gz"],
             output=False, silent=False)


def test_unwritable_output_is_said_first(tmp_path):
    """Not after a minute of sampling: the timeout of complain() is shorter than this duration."""
    complain(tmp_path, "--all-python", "-d", 3600, "-o", "missing/profile.pb.gz", code=FAILURE, output=False)


def test_full_stdout():
    with open("/dev/full", "w") as full:
        done = subprocess.run([profiler.BINARY, "-q", "--all-python", "-d", "1", "-o", "-"], stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == FAILURE and len(done.stderr.splitlines()) == 1, done.stderr


def test_command_not_found(tmp_path):
    complain(tmp_path, "--", "no-such-command", "-x", code=127, words=["no-such-command"])


def test_command_not_executable(tmp_path):
    (tmp_path / "script").write_text("#!/bin/sh\n")
    complain(tmp_path, "--", tmp_path / "script", code=126, words=["script"])


def test_old_profile_survives_a_failure(tmp_path):
    (tmp_path / "kept.pb.gz").write_bytes(b"old")
    subprocess.run([profiler.BINARY, "-o", str(tmp_path / "kept.pb.gz"), "--pid", str(free_pid())],
                   capture_output=True, timeout=300)
    assert os.listdir(tmp_path) == ["kept.pb.gz"]
    assert (tmp_path / "kept.pb.gz").read_bytes() == b"old"


@pytest.mark.alone  # as many ticks as there may be, on every CPU
def test_frequency_above_the_limit_is_lowered(tmp_path):
    """The kernel may lower the limit itself, on a machine that is busy."""
    limit = pathlib.Path("/proc/sys/kernel/perf_event_max_sample_rate")
    before = min(20000, int(limit.read_text()))
    run = profiler.run(tmp_path, "--all-python", "-F", 1000000, "-d", 1)
    taken = re.search(r"\b(\d+) samples per second of each CPU are taken, not 1000000\b", run.err)
    assert taken and min(before, int(limit.read_text())) <= int(taken[1]) <= before


@pytest.mark.parametrize("option", ("--help", "--version"))
def test_information_goes_to_stdout(option):
    done = subprocess.run([profiler.BINARY, option], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stderr == "" and done.stdout.strip()
    if option == "--help":
        for name in ("--all-python", "--pid", "--frequency", "--duration", "--output", "help all"):
            assert name in done.stdout
        assert done.stdout.count("\n") <= 60
