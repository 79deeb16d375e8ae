# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf tasks`: all asyncio tasks of a program. CPython's own `python -m asyncio ps` and `pstree`,
which read the same memory by code of their own, are the judges, on programs that are stopped."""
import json
import os
import re
import subprocess

import pytest

import interpreters as known
import profiler
from async_tasks import (EACH, OLD, PYTHONS, awaiters_of_the_running, functions, go_on, lines_that_stand,
                         look, settled, stop, tasks)

GRAPHS = ["diamond", "group", "generator", "awaitable", "eager", "orphan", "two"]
# They await what is no coroutine of their own kind: there 3.14's tools end, or all of them.
DEEPER = {"consumer", "own-await"}


def by_name(pid):
    found = {task["name"]: task for task in look(pid)}
    assert not any(task["state"] in ("changed", "unread") or task["more"] for task in found.values())
    return found


def seen_by_its_own(python, pid):
    """3.14's tools show the tasks of the main thread, and of threads that have ended, and no others."""
    every = by_name(pid)
    return {name: task for name, task in every.items()
            if python.version >= (3, 15) or task.get("tid", pid) == pid}


@pytest.fixture(scope="module", params=EACH)
def python(request):
    return request.param


@pytest.fixture(scope="module")
def stopped(python, workloads):
    """Starts the program with some graphs, once for each, and stops it when all of them stand."""
    started = {}

    def start(*graphs):
        if graphs not in started:
            program = profiler.Target((python.path, "-S", workloads / "tasks.py", *graphs))
            started[graphs] = program
            program.pid = program.about["pid"]
            profiler.wait_until(lambda: settled(program.pid), what="program that waits")
            stop(program.pid)
        return started[graphs]
    yield start
    for program in started.values():
        program.stop()


def own(python, command, pid):
    done = subprocess.run([python.path, "-m", "asyncio", command, str(pid)], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "PYTHONIOENCODING": "utf-8"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


CHAIN = r"(\S+(?: -> \S+)*)"
ROW = re.compile(r"(\d+)\s+(0x[0-9a-f]+)\s+(\S+)\s+%s(?:\s+%s\s+(\S+))?\s+(0x[0-9a-f]+)\s*$" % (CHAIN, CHAIN))


def rows_of_its_own(python, pid):
    """Thread, id, name, coroutines, those of the task that awaits it, its name and id."""
    rows = own(python, "ps", pid)[2:]
    found = [ROW.match(row) for row in rows]
    assert all(found), rows
    return sorted(match.groups(default="") for match in found)


def chain(task, known_as):
    """Newest first, as it is written there."""
    shown = functions(task)
    if task["name"] in DEEPER or task["state"] == "runs":
        shown = shown[:known_as.get(task["id"], len(shown))]
    return " -> ".join(reversed(shown))


def rows_of_ours(found, lengths):
    named = {task["id"]: task for task in found.values()}
    for task in found.values():
        for awaiter in task["awaited_by"] or [None]:
            by = named.get(awaiter)
            yield (str(task.get("tid", 0)), task["id"], task["name"], chain(task, lengths),
                   chain(by, lengths) if by else "", by["name"] if by else "", awaiter or "0x0")


@pytest.mark.parametrize("graphs", (GRAPHS, ["cycle"], ["deep"], ["run"]), ids=lambda graphs: graphs[0])
def test_table_is_that_of_python_itself(graphs, python, stopped):
    pid = stopped(*graphs).pid
    theirs = rows_of_its_own(python, pid)
    assert len(theirs) >= 1
    lengths = {row[1]: row[3].count(" -> ") + 1 for row in theirs}
    assert sorted(rows_of_ours(seen_by_its_own(python, pid), lengths)) == theirs


def nested(lines):
    """Lines of pstree as (label, children), the children sorted: their order is by addresses."""
    root = ("", [])
    path = [root]
    for line in lines:
        at = line.index("\N{BOX DRAWINGS LIGHT HORIZONTAL} ")
        node = (line[at + 2:].strip(), [])
        del path[at // 4 + 1:]
        path[-1][1].append(node)
        path.append(node)
    return in_order(root)


def in_order(node):
    return node[0], sorted(map(in_order, node[1]))


def grown(task, found):
    children = [grown(other, found) for other in found.values() if task["id"] in other["awaited_by"]]
    for frame in reversed(task["frames"]):
        children = [("%(function)s %(file)s:%(line)d" % frame, children)]
    return "(T) " + task["name"], children


def without_what_they_lack(node):
    """pstree of 3.14 does not go into an async generator, and none goes into an __await__."""
    label, children = node
    if label.startswith(("consume ", "of ")):
        children = [child for child in children if not child[0].startswith(("rows ", "Awaitable"))]
    return label, [without_what_they_lack(child) for child in children]


def test_tree_is_that_of_python_itself(python, stopped):
    """With the lines of all coroutines."""
    pid = stopped(*GRAPHS).pid
    found = seen_by_its_own(python, pid)
    ours = "", [grown(task, found) for task in found.values() if not task["awaited_by"]]
    theirs = nested(own(python, "pstree", pid))
    assert len(theirs[1]) >= 7
    assert without_what_they_lack(in_order(ours)) == without_what_they_lack(theirs)


def test_where_python_itself_ends_early(workloads, stopped):
    """Through an async generator, an __await__(), and the frames of a task that runs."""
    found = by_name(stopped(*GRAPHS).pid)
    assert functions(found["consumer"]) == ["consume", "rows", "stand"]
    assert functions(found["own-await"]) == ["of", "Awaitable.__await__"]
    assert all(task["state"] == "waits" for task in found.values())
    found = by_name(stopped("run").pid)
    lines = lines_that_stand(workloads / "tasks.py")
    task, = [task for task in found.values() if task["state"] == "runs"]
    assert [(f["function"], f["line"]) for f in task["frames"][1:]] == [
        (name, lines[name]) for name in ("outer", "inner", "plain")]
    assert (found["unbegun"]["state"], functions(found["unbegun"])) == ("not begun", ["stand"])


def test_names_of_all_kinds(stopped):
    """Of one, two and four bytes a character; too long; counted by asyncio; of a class of its own."""
    names = set(by_name(stopped("names").pid))
    assert {"n\u00e4me", "\u2603" * 42, "\U0001f4a9", "x" * 127, "a\nb", "derived"} <= names
    assert any(re.fullmatch(r"Task-\d+", name) for name in names)
    assert "\nb" not in tasks("--pid", stopped("names").pid).stdout


def test_text(workloads, stopped):
    pid = stopped(*GRAPHS).pid
    text, lines = tasks("--pid", pid).stdout, lines_that_stand(workloads / "tasks.py")
    assert text.startswith("Process %d " % pid) and "\033" not in text
    assert text.count("[shown above]") == 1
    assert '  Task "consumer" in thread %d\n      consume (%s:%d)\n' % (
        pid, workloads / "tasks.py", lines["consume"]) in text
    # What it awaits stands below it, deeper by one step.
    assert re.search(r'^  Task "top".*\n      both .*\n      Task "(left|right)"\n          of ', text, re.M)
    text = tasks("--pid", stopped("cycle").pid).stdout
    assert text.count("[a cycle: ") == 1 and text.count('Task "one"') + text.count('Task "two"') == 3
    text = tasks("--pid", stopped("deep").pid).stdout
    names = re.findall(r'Task "(deep-\d+)"', text)
    assert len(set(names)) == 100 and text.count("[shown below]") == len(names) - 100
    assert max(map(len, re.findall(r"^ *(?=Task)", text, re.M))) <= 66


def test_table(stopped):
    pid = stopped("cycle").pid
    lines = tasks("--table", "--pid", pid).stdout.splitlines()
    assert lines[1].split()[:2] == ["thread", "task"]
    assert len(lines) == 2 + len(look(pid))
    assert any(re.match(r'\s+%d  Task "two" +Task "one" +cycle.<locals>.of_named' % pid, line)
               for line in lines)


def test_dump_names_the_running_task(stopped):
    pid = stopped("run").pid
    process, = json.loads(subprocess.run([profiler.BINARY, "dump", "--json", "--pid", str(pid)], check=True,
                                         capture_output=True, timeout=300).stdout)["processes"]
    running, = [task for task in look(pid) if task["state"] == "runs"]
    assert {t["tid"]: t["task"] for t in process["threads"] if "task" in t} == {
        running["tid"]: running["name"]}
    text = subprocess.run([profiler.BINARY, "dump", "--pid", str(pid)], check=True, capture_output=True,
                          text=True, timeout=300).stdout
    assert len(re.findall(r', in task "%s"$' % running["name"], text, re.M)) == 1


def test_dump_goes_on_with_those_that_wait_for_the_running_task(workloads, stopped):
    """Of two that await it the first is followed, and the other one counted."""
    pid, lines = stopped("chain").pid, lines_that_stand(workloads / "tasks.py")
    first, second = awaiters_of_the_running(pid)
    assert first["frames"][0]["line"] == lines["of"]
    # "between" is awaited by two, in the order in which a set has them.
    assert functions(second) == (["of"] if second["task"] == "other" else
                                 ["of", "awaited", "serve.<locals>.main"])
    text = subprocess.run([profiler.BINARY, "dump", "--async", "--pid", str(pid)], check=True,
                          capture_output=True, text=True, timeout=300).stdout
    assert re.search(r'^    awaited by task "between"\n      of .*\n'
                     r'    awaited by task ".*", and by 1 more\n      of ', text, re.M)


def test_all_python_shows_those_that_have_tasks(stopped):
    program = stopped("cycle")
    with profiler.target(PYTHONS[0].path, "-S", "-c", "print(1, flush=True); input()",
                         stdin=subprocess.PIPE) as without:
        seen = [p["pid"] for p in json.loads(tasks("-a", "--json").stdout)["processes"]]
        assert program.pid in seen and without.pid not in seen
        assert json.loads(tasks("-a", "--json", "--comm", "no-such-name").stdout)["processes"] == []
        assert "[it has not imported asyncio]" in tasks("--pid", without.pid).stdout or "0 tasks" in tasks(
            "--pid", without.pid).stdout


def test_a_program_that_goes_on(python):
    go_on(python, """async with asyncio.TaskGroup() as group:
            for _ in range(10):
                group.create_task(branch())""",
          {"main": {"TaskGroup.__aexit__"}, "TaskGroup.__aexit__": {"TaskGroup._aexit"}})


@pytest.mark.parametrize("arguments, code, words", [
    ((), 2, ["--all-python", "--pid", "tasks"]),
    (("--pid", "1", "--push", "http://x"), 2, ["--push", "tasks"]),
    (("--pid", "1", "--table", "--json"), 2, ["--table", "--json"]),
    (("--pid", "4194304"), 1, ["no process 4194304"]),
])
def test_bad_input(arguments, code, words):
    done = tasks(*arguments, code=code)
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert all(word in done.stderr for word in words)


@pytest.mark.parametrize("older", OLD, ids=str)
def test_older_versions_are_refused_in_one_line(older):
    program = "import sys; print(1); sys.stdout.flush(); sys.stdin.readline()"
    with profiler.target(older.path, "-S", "-c", program, stdin=subprocess.PIPE) as program:
        done = tasks("--pid", program.pid, code=1)
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert "asyncio tasks can be read from CPython 3.8 on" in done.stderr
