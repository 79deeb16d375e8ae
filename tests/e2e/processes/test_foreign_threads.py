# SPDX-License-Identifier: GPL-2.0-only
"""Threads that C, C++, Rust or Java made, and that call into Python again and again: each call has a thread
state of its own, and those of before are free memory that looks nearly like one."""
import subprocess

import pytest

import home
import profiler
from dumps import look

FEW_ARE_ENOUGH = True


@pytest.fixture(scope="session")
def library(workloads, tmp_path_factory):
    path = tmp_path_factory.mktemp("callbacks") / "libcallbacks.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", path, workloads / "callbacks.c", "-lpthread"],
                   check=True)
    return path


def shares(run, pid, function):
    """Of the process's samples but those of its main thread, which waits in C: with this function, and with
    each marker."""
    samples = [s for s in run.of(pid) if s.tid != pid]
    total = profiler.total(samples)
    markers = {profiler.marker_of(s.stack) for s in samples} - {None}
    found = profiler.total(s for s in samples if function in profiler.functions(s) and
                           profiler.marker_of(s.stack) is None)
    return total, found / max(total, 1), {m: profiler.total(
        s for s in samples if profiler.marker_of(s.stack) == m) / total for m in markers}


def test_calls_that_work(version, library, workloads, tmp_path):
    with profiler.target(version.path, "-S", workloads / "callbacks.py", library, "works", 3) as target:
        run = profiler.run_while(tmp_path, [target], 0.8, "-F", 997)
    total, whole, markers = shares(run, target.pid, "called_to_work")
    assert total > 300
    # Between two calls the thread runs C, in which it has no frame. Once 5 % were whole.
    assert whole > 0.8, markers
    moved = {"moved"} if home.refusal() else set()  # from outside a look may lose its CPU
    assert set(markers) <= {"no_frames", "no_thread_state", "c_thread", *moved}


def test_interpreter_that_another_thread_made(version, workloads, tmp_path):
    """Up to 3.10 nothing tells whose it is: the stack ends at the call into it."""
    if version.version < (3, 8) or version.build == "t":
        pytest.skip("SKIP %s: it has no module that makes sub-interpreters" % version.minor)
    with profiler.target(version.path, "-S", workloads / "lent_interpreter.py") as target:
        run = profiler.run_while(tmp_path, [target], 0.6, "-F", 997)
    innermost = "burn_in_sub" if version.version >= (3, 11) else "<lambda>"
    total, whole, markers = shares(run, target.pid, innermost)
    assert total > 200 and whole > 0.95, markers


def test_calls_that_sleep(version, library, workloads, tmp_path):
    """Off the CPU and by wall time: the wait is that of the function that sleeps, not of nobody. Who has the
    GIL has a CPU: while others wait for it they are in C, and have no thread state yet."""
    with profiler.before_others(), \
            profiler.target(version.path, "-S", workloads / "callbacks.py", library, "sleeps", 2) as target:
        run = profiler.run(tmp_path, "--pid", target.pid, "--event", "offcpu", "-d", 3)
        threads = [look(target.pid) for _ in range(5)]
    total, whole, markers = shares(run, target.pid, "called_to_sleep")
    assert total > 0 and whole > 0.97, markers
    seen = [thread for looked in threads for number, thread in looked.items() if number != target.pid]
    asleep = [t for t in seen if any(f["function"] == "called_to_sleep" for f in t.get("frames", ()))]
    assert len(asleep) > 0.7 * len(seen)
