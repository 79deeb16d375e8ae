# SPDX-License-Identifier: GPL-2.0-only
"""`--async` beside a program that forges who awaits its task: rings of tasks, coroutines, callbacks, cells
and AnyIO's groups, in the lists of all versions, all of it changing while it is read; as it runs, and as it
sleeps, when the run queue is locked."""
import pytest

from hostile_readers import (PYTHONS, beside, only_own_labels, reads_at_most, right, samples_of,
                             switches_are_short)

READS = 256 * 250  # bpf/python/await.h: steps, and what one may take


def judge(run):
    shares = right(samples_of(run, run.honest), run.honest.about, ("task",))
    assert shares > 0.7
    for sample in samples_of(run, run.honest):
        names = {frame.function for frame in sample.frames}
        for name in names & set(run.honest.about):
            parents = {one for one in names if one.startswith("parent")}
            assert parents <= {run.honest.about[name]["parent"]}, names
    only_own_labels(run, "task", "honest")


@pytest.mark.parametrize("samples", (3000, pytest.param(100000, marks=pytest.mark.long)))
@pytest.mark.parametrize("python", PYTHONS)
def test_tasks_that_run(python, samples, workloads, tmp_path):
    run = beside(python, "tasks.py", samples, workloads, tmp_path, "--async", how=["deep"])
    reads_at_most(run, READS)
    judge(run)


@pytest.mark.parametrize("cpu", (0.7, pytest.param(20, marks=pytest.mark.long)))
@pytest.mark.parametrize("python", PYTHONS)
def test_tasks_that_sleep(python, cpu, workloads, tmp_path):
    run = beside(python, "tasks.py", 0, workloads, tmp_path, "--async", "--event", "cpu,offcpu",
                 how=["deep", "sleeps"], cpu=cpu)
    judge(run)
    switches_are_short(run)


@pytest.mark.parametrize("python", PYTHONS)
def test_much_work_without_forging(python, workloads, tmp_path):
    run = beside(python, "tasks.py", 0, workloads, tmp_path, "--async", "--event", "cpu,offcpu",
                 how=["deep", "sleeps", "honestly"], cpu=0.7)
    judge(run)
    switches_are_short(run)
