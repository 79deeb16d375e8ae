# SPDX-License-Identifier: GPL-2.0-only
"""Files with code come and go, more of them than there is room for: who comes last has its names."""
import os
import shutil
import subprocess
import tempfile

import pytest

import interpreters as known
import profiler

FILES = 4000  # of a process, which may have 4,096 mappings; a user may have half of NATIVES_FILES_MAX, 8,192
PROCESSES_MAX = 100  # one after the other; the third finds no room, if the profiler has seen each
FREQUENCY = 997
NOBODY = 65534


@pytest.fixture(scope="module")
def library(tmp_path_factory, workloads):
    path = tmp_path_factory.mktemp("library") / "a_lib.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-pthread", "-DPREFIX=a_",
                    workloads / "native" / "burn.c", "-o", path], check=True)
    return path


def said(ran, text):
    """How often the profiler has said this so far."""
    stream = ran.streams[1].fileno()
    return os.pread(stream, os.fstat(stream).st_size, 0).decode(errors="replace").count(text)


def check_named(run, pid):
    """Most of what the process did has the names of its library, and nothing has a wrong one."""
    leaves = [profiler.functions(sample)[0] for sample in run.of(pid) for _ in range(sample.count)]
    named = sum(leaf in ("a_heavy", "a_light") for leaf in leaves)
    assert named > 0.5 * len(leaves) > 500, (named, len(leaves))
    assert "[JIT]" not in leaves


@pytest.fixture
def of_nobody(workloads):
    """A directory of another user, who can run what is in it."""
    with tempfile.TemporaryDirectory() as directory:
        shutil.copy(workloads / "native" / "files.py", directory)
        os.chown(directory, NOBODY, NOBODY)
        yield directory


def test_sparse_files_of_another_user(library, workloads, of_nobody, tmp_path):
    """300 files of 4 GiB each: more than the text space has room for, and no disk space."""
    python = known.newest().path
    with profiler.target("/usr/bin/python3", of_nobody + "/files.py", of_nobody, 300, 1 << 32, user=NOBODY,
                         group=NOBODY, extra_groups=[]) as hostile:
        ran = profiler.Run(tmp_path, "-a", "-F", FREQUENCY, "--native", "leaf")
        try:
            profiler.let_use_cpu(ran, [hostile.pid], 1)
            with profiler.target(python, workloads / "native" / "native.py", library, "shares") as honest:
                profiler.let_use_cpu(ran, [honest.pid], 3)
            ran.interrupt()
            run = ran.finish()
        except BaseException:
            ran.kill()
            raise
    check_named(run, honest.pid)
    assert run.err.count("there is no room for more files") == 1, run.err


@pytest.mark.all("takes half a minute; test_native_room.c is about the same without a program")
def test_files_come_and_go(library, workloads, tmp_path):
    python = known.newest().path
    ran = profiler.Run(tmp_path, "-a", "-F", FREQUENCY, "--native", "leaf", "--verbose")
    started = 0
    try:
        while not said(ran, "nobody has any more were given back"):
            started += 1
            assert started < PROCESSES_MAX
            with profiler.target(python, workloads / "native" / "files.py", tmp_path, FILES) as target:
                profiler.let_use_cpu(ran, [target.pid], 0.5)
        with profiler.target(python, workloads / "native" / "native.py", library, "shares") as target:
            profiler.let_use_cpu(ran, [target.pid], 3)
            honest = target.pid
        ran.interrupt()
        run = ran.finish()
    except BaseException:
        ran.kill()
        raise
    check_named(run, honest)
