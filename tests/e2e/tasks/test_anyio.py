# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of AnyIO's task groups are awaited by the task that has entered the group. AnyIO is that of
the web frameworks' folder, which every version from 3.11 on can use."""
import collections
import os
import pathlib

import pytest

import interpreters as known
import pprof
import profiler
from async_tasks import look

PROGRAM = "anyio_groups.py"
LEAST = 30  # samples of each
EACH = [pytest.param(i, id=str(i), marks=() if i.version[:2] == (3, 12) else pytest.mark.all)
        for i in known.one_per_version() if i.version[:2] >= (3, 11) and i.build != "t"]
# The program's own functions, from the one that works to the one that awaits all.
WANTED = {
    "plain": {("burn", "work", "plain", "main")},
    "nested": {("burn", "work", "inner", "nested", "main")},
    "started": {("burn", "work", "started", "main")},
}


def site():
    for folder in pathlib.Path(profiler.ROOT, ".cache/web/lib").glob("python*/site-packages"):
        if (folder / "anyio").is_dir():
            return folder
    return pytest.skip("SKIP web: no AnyIO in .cache/web; make deps")


@pytest.mark.parametrize("python", EACH)
def test_task_groups(python, workloads, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(site())}
    with profiler.target(python.path, workloads / PROGRAM, env=environment) as target:
        run = profiler.run_while(tmp_path, [target], 2, "-F", 997, "--async")
    found = collections.defaultdict(collections.Counter)
    for sample in pprof.read(run.path).samples:
        own = tuple(frame.function for frame in sample.frames
                    if frame.filename.endswith(PROGRAM) and frame.function != "<module>")
        if own[:1] == ("burn",) and not any(frame.function.startswith("[") for frame in sample.frames):
            found[sample.labels.get("task")][own] += sample.count
    # A page that the kernel moves just now cannot be read; then the task's name, or the task, is not known.
    assert sum(found.pop(None, {}).values()) <= run.stats["counters"]["read_faults"], found
    assert found.keys() == WANTED.keys(), found
    for task, wanted in WANTED.items():
        right = sum(found[task][stack] for stack in wanted)
        wrong = sum(found[task].values()) - right
        assert right >= LEAST and wrong <= run.stats["counters"]["read_faults"], found


@pytest.mark.parametrize("python", [param for param in EACH if param.values[0].version < (3, 14)])
def test_tasks_that_wait(python, workloads):
    """`tasks` says it up to 3.13, where it finds the group in a function that is called at a task's end."""
    environment = {**os.environ, "PYTHONPATH": str(site())}
    with profiler.target(python.path, workloads / "anyio_rests.py", env=environment) as target:
        found = {task["id"]: task for task in look(target.pid)}
    names = {task.get("name"): {found[by].get("name") for by in task["awaited_by"]}
             for task in found.values() if task["state"] != "future"}
    assert names == {"Task-1": set(), "beside": {"Task-1"}, "inner": {"Task-1"}, "below": {"inner"}}
