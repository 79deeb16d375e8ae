# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf tasks` asked about a program, and the interpreters that can be asked."""
import json
import os
import re
import signal
import subprocess

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


def lines_that_stand(source):
    return {match[1]: number for number, text in enumerate(source.read_text().splitlines(), 1)
            for match in re.finditer(r"# stands: (\w+)", text)}


def awaiters_of_the_running(pid):
    """Those of the task "worker" of the graph "chain", as dump has them: of two that await "between" the
    first is followed, and the other one counted."""
    done = subprocess.run([profiler.BINARY, "dump", "--async", "--json", "--pid", str(pid)], check=True,
                          capture_output=True, timeout=300)
    thread, = [t for t in json.loads(done.stdout)["processes"][0]["threads"] if t.get("task") == "worker"]
    first, second = thread["awaited_by"]
    assert (first["task"], first["others"], functions(first)) == ("between", 0, ["of"])
    assert second["others"] == 1 and not thread["awaited_by_more"]
    return first, second


BUSY = """
import asyncio

async def leaf():
    await asyncio.sleep(0)
    await asyncio.sleep(0)

async def branch():
    await asyncio.gather(leaf(), leaf())

async def rest():
    await asyncio.get_running_loop().create_future()

async def main():
    kept = [asyncio.create_task(rest(), name="rest")]
    print(1, flush=True)
    while True:
        %s

asyncio.run(main())
"""
MAY_FOLLOW = {"branch": set(), "leaf": {"sleep"}, "sleep": {"__sleep0"}, "rest": set()}


def go_on(python, branches, may_follow):
    """A program in which tasks come and go by the thousand a second, as these lines begin branch(): none has
    coroutines that do not belong together."""
    may_follow = {**MAY_FOLLOW, **may_follow}
    with profiler.target(python.path, "-S", "-c", BUSY % branches) as program:
        waiting = 0
        for _ in range(20):
            process, = json.loads(tasks("--json", "--pid", program.pid).stdout)["processes"]
            for task in process["tasks"]:
                waiting += task["state"] == "waits"
                shown = functions(task)
                if task["state"] == "waits":
                    assert all(b in may_follow[a] for a, b in zip(shown, shown[1:])), shown
                elif task["state"] in ("changed", "unread"):
                    assert shown == []
        assert waiting >= 20  # "rest" at least
