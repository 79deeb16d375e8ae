# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf tasks` of servers that are asked all the time: nearly all of their tasks are shown whole, and
each is awaited by a task that does await it."""
import collections
import json
import pathlib

import pytest

import endpoints
import interpreters as known
import profiler
from async_tasks import functions, tasks

MOST = 0.05  # of all tasks, those that went on while they were looked at
LEAST = 300  # tasks that are judged
WEB = pathlib.Path(profiler.ROOT, ".cache/web/bin/python")
EACH = [pytest.param(i, id=str(i), marks=() if i == known.usual() else pytest.mark.all)
        for i in known.one_per_version() if i.version[:2] >= (3, 8) and i.minor != "3.13t"]
UVICORN = ["-m", "uvicorn", "--host", "127.0.0.1", "--port", "PORT", "--log-level", "warning",
           "--no-access-log", "fastapi_app:app", "--loop"]
SERVERS = {
    "fastapi-uvloop": ([*UVICORN, "uvloop"], "/all"),
    "fastapi-asyncio": ([*UVICORN, "asyncio"], "/all"),
    "aiohttp": (["aiohttp_app.py", "PORT"], "/items"),
}
# By its outermost coroutine and by that of the task that awaits it.
AWAITS = {("fetch", "gathered"), ("gathered", "serve")}


def look(pid, least=LEAST):
    """So many looks that they have shown that many tasks: lists of tasks. Between two of them the program
    goes on. Whoever looks has a CPU meanwhile: the longer a look takes, the more tasks go on in it."""
    looks, count = [], 0
    while count < least:
        used = profiler.cpu_seconds(pid)
        profiler.wait_until(lambda: profiler.cpu_seconds(pid) > used + 0.02, what="CPU time")
        with profiler.before_others():
            process, = json.loads(tasks("--json", "--pid", pid).stdout)["processes"]
        looks.append(process["tasks"])
        count += len(process["tasks"])
    return looks


def assert_whole(looks):
    states = collections.Counter(task["state"] for found in looks for task in found)
    assert states["changed"] + states["unread"] <= MOST * sum(states.values()), states


def assert_awaited(looks):
    met = collections.Counter()
    for found in looks:
        by_id = {task["id"]: task for task in found}
        met.update((functions(task)[0], functions(by_id[by])[0]) for task in found if task["frames"]
                   for by in task["awaited_by"] if by_id[by]["frames"])
    assert met.keys() == AWAITS, met


@pytest.mark.parametrize("python", EACH)
def test_asyncio(python, workloads):
    with profiler.target(python.path, "-S", workloads / "asked_tasks.py") as program:
        looks = look(program.pid)
    assert_whole(looks)
    assert_awaited(looks)


def web():
    if not WEB.exists():
        pytest.skip("SKIP web: no %s; make deps" % WEB.relative_to(profiler.ROOT))
    return WEB


def test_uvloop(workloads):
    with profiler.target(web(), workloads / "asked_tasks.py", "uvloop") as program:
        looks = look(program.pid)
    assert_whole(looks)
    assert_awaited(looks)


@pytest.mark.all
@pytest.mark.parametrize("name", SERVERS)
def test_frameworks(name):
    server, path = SERVERS[name]
    with endpoints.application(web(), server, [path]) as started:
        looks = look(started.pids[0], LEAST // 3)
    assert_whole(looks)
