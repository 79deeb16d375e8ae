# SPDX-License-Identifier: GPL-2.0-only
"""Files with code come and go, more of them than there is room for: who comes last has its names."""
import os
import subprocess

import pytest

import interpreters as known
import profiler

FILES = 4000  # of a process, which may have 4,096 mappings; there is room for NATIVES_FILES_MAX
PROCESSES = 3  # one after the other, which have 12,000
FREQUENCY = 997


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


@pytest.mark.all("takes half a minute; test_native_room.c is about the same without a program")
def test_files_come_and_go(library, workloads, tmp_path):
    python = known.newest().path
    ran = profiler.Run(tmp_path, "-a", "-F", FREQUENCY, "--native", "leaf", "--verbose")
    given_back = "nobody has any more were given back"
    try:
        for i in range(PROCESSES):
            with profiler.target(python, workloads / "native" / "files.py", tmp_path, FILES) as target:
                profiler.let_use_cpu(ran, [target.pid], 0.5)
            if i:  # room is short now
                profiler.wait_until(lambda: said(ran, given_back) >= i, what="room")
        with profiler.target(python, workloads / "native" / "native.py", library, "shares") as target:
            profiler.let_use_cpu(ran, [target.pid], 3)
            honest = target.pid
        ran.interrupt()
        run = ran.finish()
    except BaseException:
        ran.kill()
        raise
    leaves = [profiler.functions(sample)[0] for sample in run.of(honest) for _ in range(sample.count)]
    named = sum(leaf in ("a_heavy", "a_light") for leaf in leaves)
    assert named > 0.5 * len(leaves) > 500, (named, len(leaves))
    assert "[JIT]" not in leaves
