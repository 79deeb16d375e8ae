# SPDX-License-Identifier: GPL-2.0-only
"""The process that parses ELF files ends in the middle of a question, or never answers it: the run goes on,
the question is asked again, and what it was about gets its names."""
import contextlib
import os
import pathlib
import signal
import subprocess

import pytest

import interpreters as known
import profiler

WORKER_ASKS_PARSER = 5  # the descriptor of the worker on which it waits for its parser


@pytest.fixture(scope="module")
def libraries(tmp_path_factory, workloads):
    """Two of them, whose functions burn. They differ in size: one that takes the other's place at its
    address, and is as large, is not noticed (docs/native.md)."""
    directory = tmp_path_factory.mktemp("parser")
    paths = [directory / name for name in ("a.so", "b.so")]
    for path, padding in zip(paths, (0, 8192)):
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-pthread", "-DPREFIX=%s_" % path.stem,
                        '-DPAD="%d"' % padding, workloads / "native" / "burn.c", "-o", path], check=True)
    return paths


def helpers(run):
    """The pids of the run's zygote, worker and parser, by name."""
    group, found = os.getpgid(run.process.pid), {}
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if os.getpgid(int(process.name)) == group:
                found[(process / "comm").read_text().strip()] = int(process.name)
    return found


def helper(run, name):
    profiler.wait_until(lambda: name in helpers(run), what=name)
    return helpers(run)[name]


def waits_for_parser(worker):
    """What system call it is in, and the first argument."""
    call = pathlib.Path("/proc/%d/syscall" % worker).read_text().split()
    return len(call) > 1 and int(call[1], 16) == WORKER_ASKS_PARSER


def is_gone(pid):
    return not pathlib.Path("/proc/%d" % pid).exists()


def has_leaf(samples, name):
    return profiler.total([s for s in samples if profiler.functions(s)[0] == name]) > 50


@pytest.mark.parametrize("how", ["killed", "hung"])
def test_question_is_asked_again(how, libraries, workloads, tmp_path):
    """Of the functions of a library that is loaded when everything else is known already."""
    with profiler.target(known.newest().path, workloads / "native" / "native.py", libraries[0],
                         "reload", libraries[1], stdin=subprocess.PIPE) as target:
        run = profiler.Run(tmp_path, "--pid", target.pid, "--native", "leaf", "-F", 499)
        try:
            profiler.let_use_cpu(run, [target.pid], 1)
            worker, parser = helper(run, "pyperf-worker"), helper(run, "pyperf-parser")
            os.kill(parser, signal.SIGSTOP)
            target.tell()
            profiler.wait_until(lambda: waits_for_parser(worker), what="question")
            if how == "killed":
                os.kill(parser, signal.SIGKILL)
            profiler.wait_until(lambda: is_gone(parser) and is_gone(worker), what="end of both")
            profiler.let_use_cpu(run, [target.pid], 1)
            assert helper(run, "pyperf-parser") != parser and helper(run, "pyperf-worker") != worker
            run.interrupt()
            run.finish()
        finally:
            run.kill()
    assert has_leaf(run.samples, "a_heavy") and has_leaf(run.samples, "b_heavy"), run.err


def test_killed_while_a_program_is_looked_at(workloads, tmp_path):
    """It is profiled all the same, a moment later."""
    run = profiler.Run(tmp_path, "-a")
    try:
        profiler.wait_until(lambda: profiler.samples_cpus(run), what="perf events")
        worker, parser = helper(run, "pyperf-worker"), helper(run, "pyperf-parser")
        os.kill(parser, signal.SIGSTOP)
        with profiler.target(known.newest().path, workloads / "burn.py") as target:
            profiler.wait_until(lambda: waits_for_parser(worker), what="question")
            os.kill(parser, signal.SIGKILL)
            profiler.let_use_cpu(run, [target.pid], 2)
            run.interrupt()
            run.finish()
    finally:
        run.kill()
    assert has_leaf(run.of(target.pid), "burn"), run.err
