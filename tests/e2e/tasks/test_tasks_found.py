# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf tasks` of CPython 3.8 to 3.13, which do not say where their tasks are. The judge is the program
itself: asyncio.all_tasks(), cr_await, and the futures that its tasks wait for. It is stopped."""
import json
import subprocess

import pytest

import profiler
from async_tasks import (EACH_FOUND, ONE_FOUND, awaiters_of_the_running, functions, go_on,
                         lines_that_stand, look, settled, stop, tasks)

GRAPHS = ["diamond", "generator", "awaitable", "shields", "waits", "timed", "orphan", "two"]
SINCE = {"group": (3, 11), "eager": (3, 12)}


def graphs_of(python):
    return GRAPHS + [name for name, version in SINCE.items() if python.version >= version]


@pytest.fixture(scope="module", params=EACH_FOUND)
def python(request):
    return request.param


@pytest.fixture(scope="module")
def stopped(python, workloads):
    """Starts the program with some graphs, asks it for what it knows, and stops it."""
    started = {}

    def start(*graphs, asked=True):
        if graphs not in started:
            program = profiler.Target((python.path, "-S", workloads / "tasks.py", *graphs),
                                      stdin=subprocess.PIPE)
            started[graphs] = program
            profiler.wait_until(lambda: settled(program.pid), what="program that waits")
            if asked:
                program.tell()
                program.truth = json.loads(program.process.stdout.readline())
            stop(program.pid)
        return started[graphs]
    yield start
    for program in started.values():
        program.stop()


def seen(pid):
    found = look(pid)
    assert not any(task["state"] in ("changed", "unread") or task["more"] for task in found)
    return found


def edges(found):
    """{(id of the task that awaits, id of the awaited one)}: through futures, which are no tasks."""
    named = {task["id"]: task for task in found}

    def awaiters(task, met):
        for by in task["awaited_by"]:
            if named[by]["state"] != "future":
                yield by
            elif by not in met:
                yield from awaiters(named[by], met | {by})
    return {(by, task["id"]) for task in found if task["state"] != "future"
            for by in awaiters(task, frozenset())}


def edges_in_truth(truth):
    ids = {task["name"]: at for at, task in truth["tasks"].items()}
    by_objects = {(at, other) for at, task in truth["tasks"].items() for other in task["awaits"]}
    return by_objects | {(ids[a], ids[b]) for a, b in truth["meant"]}


def shown(found):
    return {task["id"]: (task["name"], [(f["function"], f["line"]) for f in task["frames"]])
            for task in found if task["state"] in ("waits", "not begun")}


def test_tasks_are_those_that_the_program_knows(python, stopped):
    """Each task, its coroutines and their lines, and who awaits it: no difference."""
    program = stopped(*graphs_of(python))
    found, truth = seen(program.pid), program.truth
    theirs = {at: (task["name"], [tuple(frame) for frame in task["frames"]])
              for at, task in truth["tasks"].items()}
    assert len(theirs) >= 19
    assert shown(found) == theirs
    assert edges(found) == edges_in_truth(truth)
    assert len(edges(found)) >= 10


def test_threads(python, stopped):
    """Of each task the thread whose loop has it; of one whose thread has ended, none."""
    program = stopped(*graphs_of(python))
    by_name = {task["name"]: task for task in seen(program.pid) if "name" in task}
    assert "tid" not in by_name["orphan"]
    assert by_name["top"]["tid"] == by_name["left"]["tid"] == program.pid
    others = {task.get("tid") for task in by_name.values()} - {None, program.pid}
    assert len(others) == 1


def test_running_task(python, workloads, stopped):
    """Its frames are those of its thread, and `dump` names it and those that wait for it."""
    program, lines = stopped("chain", asked=False), lines_that_stand(workloads / "tasks.py")
    found = {task["name"]: task for task in seen(program.pid)}
    running, = [task for task in found.values() if task["state"] == "runs"]
    assert running["name"] == "worker"
    assert [(f["function"], f["line"]) for f in running["frames"][1:]] == [
        (name, lines[name]) for name in ("outer", "inner", "plain")]
    assert running["awaited_by"] == [found["between"]["id"]]
    awaiters_of_the_running(program.pid)


def test_one_that_has_not_begun(stopped):
    found = {task["name"]: task for task in seen(stopped("run", asked=False).pid)}
    assert (found["unbegun"]["state"], functions(found["unbegun"])) == ("not begun", ["stand"])


def test_who_is_only_told(stopped):
    """A callback that can wait for nothing is no awaiter. Where it is not known, that is said."""
    pid = stopped("told").pid
    other = {task["name"]: task.get("awaited_by_other", False) for task in seen(pid)}
    named = {name: is_other for name, is_other in other.items() if not name.startswith("Task-")}
    assert named == {"kept": False, "logged": False, "strange": True}
    assert sum(other.values()) == 2  # and the one that another thread waits for
    assert 'Task "strange" in thread %d [awaited by something else]' % pid in tasks("--pid", pid).stdout


@pytest.mark.parametrize("python", ONE_FOUND, indirect=True)
def test_a_program_that_goes_on(python):
    go_on(python, "await asyncio.wait([asyncio.create_task(branch()) for _ in range(10)])",
          {"main": {"wait"}, "wait": {"_wait"}, "_wait": set()})


@pytest.mark.parametrize("python", ONE_FOUND, indirect=True)
def test_a_task_that_lies(python, workloads):
    """What is no task, no coroutine and no name in its object is shown as none; each look ends."""
    with profiler.target(python.path, "-S", workloads / "task_lies.py") as program:
        names = set()
        for _ in range(30):
            process, = json.loads(tasks("--json", "--pid", program.pid).stdout)["processes"]
            for task in process["tasks"]:
                names.add(task.get("name"))
                assert set(functions(task)) <= {"main", "begin", "runs", "spin"}, task
        assert {"lies!", None} <= names | {None} and len(names) <= 6, names
