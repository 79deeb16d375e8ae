# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf tasks` asked about a program, and the interpreters that can be asked."""
import json
import os
import signal

import pytest

import interpreters as known
import profiler
from waits import state_of

# Every interpreter here that has a list of its tasks; those that are not the one of their version are for the
# long tests.
PYTHONS = [i for i in known.everything() if i.version[:2] >= (3, 14)]
EACH = [pytest.param(i, id=str(i), marks=() if i in known.one_per_version() else pytest.mark.long)
        for i in PYTHONS]
# Those whose tasks are found by the objects of their modules: 3.8 to 3.13, with the GIL.
FOUND = [i for i in known.everything() if (3, 8) <= i.version[:2] < (3, 14) and i.build != "t"]
EACH_FOUND = [pytest.param(i, id=str(i), marks=() if i in known.one_per_version() else pytest.mark.long)
              for i in FOUND]
# The same, where a test only varies what another has shown of them.
ALL_FOUND = [pytest.param(*param.values, id=param.id, marks=(*param.marks, pytest.mark.all))
             for param in EACH_FOUND]
# The same again, but that one of them is for both suites.
ONE_FOUND = [param if all_param.id == str(known.usual()) else all_param
             for param, all_param in zip(EACH_FOUND, ALL_FOUND)]
# One of which no tasks can be read.
OLD = [i for i in known.one_per_version_and_two() if i.version < (3, 8)][:1]


def tasks(*arguments, code=0):
    return profiler.command("tasks", *arguments, code=code)


def look(pid):
    process, = json.loads(tasks("--json", "--pid", pid).stdout)["processes"]
    assert (process["pid"], process["asyncio"], process["more"]) == (pid, True, False)
    return process["tasks"]


def functions(task):
    return [frame["function"] for frame in task["frames"]]


def stop(pid):
    """Each thread stops by itself, on a busy machine some time after the first one."""
    os.kill(pid, signal.SIGSTOP)
    profiler.wait_until(lambda: all(state_of(pid, int(tid)) in ("T", None)
                                    for tid in os.listdir("/proc/%d/task" % pid)), what="stopped program")


def settled(pid):
    """Whether each task stands where it is meant to."""
    return all(task["state"] in ("waits", "not begun") or functions(task)[-1:] == ["plain"]
               for task in look(pid))
