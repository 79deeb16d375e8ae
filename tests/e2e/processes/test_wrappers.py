# SPDX-License-Identifier: GPL-2.0-only
"""--pid names a program that only starts Python and waits for it: a shell, make, what unpacks itself. With
--children that is whose children are meant; without it the error says so."""
import contextlib
import json
import os
import subprocess
import sys

import pytest

import interpreters as known
import profiler
from dumps import dump

TASK = """
import asyncio, os, time
async def nap():
    print('{"pid": %d}' % os.getpid(), flush=True)
    while True:
        await asyncio.sleep(0.01)
        e = time.thread_time() + 0.02
        while time.thread_time() < e: pass
asyncio.run(nap())
"""


def in_a_shell(command):
    return "sh", "-c", '"$@"; true', "sh", *command


def below_two(command):
    """A grandchild: neither the one that is named nor its child is Python."""
    return "sh", "-c", '(true; "$@"; true); true', "sh", *command


@contextlib.contextmanager
def wrapped(wrapper, *command):
    with profiler.target(*wrapper(command), start_new_session=True) as target:
        try:
            assert target.about["pid"] != target.pid
            yield target.pid, target.about["pid"]
        finally:
            os.killpg(target.pid, 9)


@pytest.mark.parametrize("wrapper, event", ((in_a_shell, "cpu"), (below_two, "offcpu"),
                                            pytest.param(in_a_shell, "cpu,gil", marks=pytest.mark.all)))
def test_its_children_are_profiled(tmp_path, wrapper, event):
    with wrapped(wrapper, known.newest().path, "-c", TASK) as (pid, python):
        run = profiler.run(tmp_path, "--pid", pid, "--children", "--event", event, "-d", 3, "-F", 997)
    assert {s.pid for s in run.samples} == {python}
    assert any("nap" in profiler.functions(s) for s in run.samples)


def test_beside_a_python_that_is_named(tmp_path, workloads):
    """A list of which one is no Python: the other's samples are there, and the run goes on."""
    with wrapped(in_a_shell, sys.executable, workloads / "burn.py") as (pid, python), \
            profiler.target(sys.executable, workloads / "burn.py") as other:
        run = profiler.Run(tmp_path, "--pid", "%d,%d" % (pid, other.pid), "--children", "-F", 997)
        profiler.end_after(run, [python, other.pid], 0.5)
        assert {s.pid for s in run.samples} == {python, other.pid}
        run = profiler.run(tmp_path, "--pid", "%d,%d" % (other.pid, pid), "-d", 2, code=1)
    assert "process %d is not Python" % pid in run.err
    assert run.err.endswith("; children of it are: --children profiles them\n")


def test_children_to_come(tmp_path, workloads):
    """It has none when it is named."""
    script = 'read line; "$@"; true'
    with profiler.target("sh", "-c", script, "sh", sys.executable, workloads / "burn.py", 1, about=False,
                         stdin=subprocess.PIPE) as shell:
        run = profiler.Run(tmp_path, "--pid", shell.pid, "--children", "-F", 499)
        profiler.wait_until(lambda: profiler.samples_cpus(run), what="ticks")
        shell.tell()
        python = json.loads(shell.process.stdout.readline())["pid"]
        run.finish()
    assert "process %d is not Python, and has no Python children yet" % shell.pid in run.err
    assert profiler.total(run.of(python)) > 30


def test_dump_and_tasks():
    with wrapped(below_two, known.newest().path, "-c", TASK) as (pid, python):
        done = dump("--pid", pid, code=1)
        assert done.stderr.endswith("; children of it are: --children shows them\n")
        for command, has in ("dump", "threads"), ("tasks", "tasks"):
            done = profiler.command(command, "--pid", pid, "--children", "--json")
            process, = json.loads(done.stdout)["processes"]
            assert process["pid"] == python and process[has]
            assert not done.stderr


def test_dump_shows_who_is_named_first(workloads):
    fork = "import os, time\nif os.fork(): print('{}', flush=True)\ntime.sleep(1000)"
    with profiler.target(sys.executable, "-c", fork, start_new_session=True) as parent:
        try:
            done = dump("--pid", parent.pid, "--children", "--json")
            alone = dump("--pid", parent.pid, "--json")
        finally:
            os.killpg(parent.pid, 9)
    first, second = json.loads(done.stdout)["processes"]
    assert first["pid"] == parent.pid != second["pid"]
    assert [p["pid"] for p in json.loads(alone.stdout)["processes"]] == [parent.pid]


def test_dump_of_nothing_that_is_python():
    with subprocess.Popen(["sleep", "1000"]) as sleep:
        try:
            done = dump("--pid", sleep.pid, "--children", code=1)
            assert "nothing that --pid names is Python, and none of the children is" in done.stderr
            done = dump("--pid", sleep.pid, code=1)
            assert "--children" not in done.stderr
        finally:
            sleep.kill()
