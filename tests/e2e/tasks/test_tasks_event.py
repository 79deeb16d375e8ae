# SPDX-License-Identifier: GPL-2.0-only
"""`--event tasks`: what asyncio's tasks wait for, as time, by the lines of their coroutines."""
import collections
import os
import signal

import pytest

import profiler
from async_tasks import EACH, ALL_FOUND, OLD
from serving import server
from waits import state_of

PROGRAM = "task_waits.py"


@pytest.fixture(params=EACH + ALL_FOUND)
def python(request):
    return request.param


@pytest.fixture
def program(python, workloads):
    started = []

    def start(*names):
        started.append(profiler.Target((python.path, "-S", workloads / PROGRAM, *map(str, names))))
        return started[-1]
    yield start
    for each in started:
        each.stop()


def marks(workloads):
    """{place: line}"""
    with open(workloads / PROGRAM) as f:
        return {line.split("# waits: ")[1].strip(): number for number, line in enumerate(f, 1)
                if "# waits: " in line}


def own(sample):
    """(function, line) of the frames of the program itself, and markers, from the root on."""
    return tuple((frame[0], frame[3]) if frame[1].endswith(PROGRAM) else frame[0]
                 for frame in reversed(sample.stack)
                 if frame[1].endswith(PROGRAM) or frame[0].startswith("["))


def times(run, pid):
    """{stack: ns}"""
    found = collections.Counter()
    for sample in run.of(pid):
        found[own(sample)] += sample.values["tasks"]
    return found


def look_at(tmp_path, pid, seconds, *options):
    return profiler.run(tmp_path, "--pid", pid, "--event", "tasks", "-d", seconds, *options)


def test_chains(python, program, workloads, tmp_path):
    """The books are exact. Of tasks that stand still each stack has the whole time, from the first look to
    the last."""
    at = marks(workloads)
    has_groups = python.version >= (3, 11)
    pid = program("chain", "queue", *["group"] * has_groups).pid
    profiler.wait_until(lambda: state_of(pid, pid) == "S", what="program that waits")
    run = look_at(tmp_path, pid, 2)
    found = times(run, pid)
    root = (("begin", at["root"]),)
    chain = root + (("chain", at["chain"]), ("of", at["of"]))
    gathers = chain + (("gathers", at["gathers"]),)
    one = found[root]
    assert 0 < one <= run.stats["seconds"] * 1e9
    assert found[chain] == found[gathers] == one
    assert found[gathers + (("innermost", at["innermost"]),)] == 2 * one
    grouped = [stack for stack in found if ("innermost", at["innermost"]) in stack and "group" in dict(stack)]
    assert [found[stack] for stack in grouped] == [3 * one] * has_groups
    queued = [stack for stack in found if ("acquires", at["acquires"]) in stack]
    assert [found[stack] for stack in queued] == [3 * one]
    assert set(run.stats["tasks_outcomes"].values()) == {0, sum(found.values())}
    assert run.stats["counters"]["tasks_looks"] > 1


@pytest.mark.parametrize("event", ["offcpu", pytest.param("wall", marks=pytest.mark.all)])
def test_what_a_loop_that_sleeps_waits_for(event, python, program, workloads, tmp_path):
    """The waits of a thread in its loop, and those of just the tasks of that loop, have its labels."""
    at = marks(workloads)
    pid = program("two_loops").pid
    # Each of the two counts from its first look on, and those looks are to be of about one time.
    with profiler.before_others():
        run = profiler.run(tmp_path, "--pid", pid, "--event", event + ",tasks", "-d", 2)
    asleep, waiting = collections.Counter(), collections.defaultdict(collections.Counter)
    for sample in run.of(pid):
        thread = sample.tid, sample.thread
        if any(frame[0].startswith("[syscall epoll") for frame in sample.stack):
            asleep[thread] += sample.values[event]
        for frame in sample.stack:
            if sample.values["tasks"] and frame[1].endswith(PROGRAM):
                waiting[thread][frame[3]] += sample.values["tasks"]
    (main,), (other,) = ([t for t in waiting if (t[0] == pid) == is_main] for is_main in (True, False))
    assert set(waiting[main]) == {at["root"], at["innermost"], at["two_loops"]}
    assert set(waiting[other]) == {at["apart"], at["of"]} and set(asleep) == {main, other}
    # One task waits for another in one loop, one for two others in the other one: for as long as is looked.
    assert waiting[main][at["root"]] == 2 * waiting[main][at["innermost"]]
    assert 2 * waiting[other][at["apart"]] == 3 * waiting[other][at["of"]]
    for thread, one in (main, waiting[main][at["innermost"]]), (other, waiting[other][at["of"]] / 2):
        assert 0.5 * asleep[thread] < one <= run.stats["seconds"] * 1e9, thread
        assert one <= 1.25 * asleep[thread], thread


def test_shared_task(program, workloads, tmp_path):
    """The first of those that await it is shown, and that there are others."""
    at = marks(workloads)
    pid = program("shared").pid
    found = times(look_at(tmp_path, pid, 1), pid)
    inner, = [stack for stack in found if stack[-1] == ("innermost", at["innermost"])]
    assert inner[-3:-1] == (("of", at["of"]), "[and others]")


def test_graphs_without_end(python, program, workloads, tmp_path):
    """A circle of tasks ends where it closes, and a stack after 64 tasks. What runs does not wait."""
    at = marks(workloads)
    pid = program("cycle", "deep", "busy").pid
    run = look_at(tmp_path, pid, 2)
    found = times(run, pid)
    other = ("cycle.<locals>.other" if python.version >= (3, 11) else "other", at["other"])
    assert found[("[cycle]", other, other)] > 0
    ends, = [stack for stack in found if stack[-1][0] == "innermost"]
    assert ends[0] == "[truncated]" and [part[0] for part in ends[1:]] == ["deep"] * 64 + ["innermost"]
    assert run.stats["tasks_outcomes"]["task_runs"] > 0
    assert any(stack[-1][0] == "begin" for stack in found)


def test_over_http(program, workloads, tmp_path):
    at = marks(workloads)
    pid = program("queue").pid
    with server(tmp_path, "--pid", pid, "--event", "cpu,tasks") as s:
        profile = s.profile("seconds=1&type=tasks")
        s.end()
    assert [tuple(one) for one in profile.sample_types] == [("tasks", "nanoseconds")]
    assert any(("acquires", at["acquires"]) in own(sample) for sample in profiler.samples_of(profile))


def test_shares_of_lines(program, workloads, tmp_path):
    """What a look sees stands for the time since the one before, so both lines have what they wait, though no
    wait is as long as from one look to the next. The program itself says how long it has waited."""
    at = marks(workloads)
    started = program("shares")
    run = look_at(tmp_path, started.pid, 4)
    by_line = collections.Counter()
    for stack, ns in times(run, started.pid).items():
        by_line.update({frame[1]: ns for frame in stack if frame[0] == "alternates"})
    both = by_line[at["long"]] + by_line[at["short"]]
    truth = started.ask()
    share = truth["long"] / (truth["long"] + truth["short"])
    # Of twenty tasks. They count as eight, since two may have been in step, as may two looks.
    seen = 8 * run.stats["counters"]["tasks_looks"]
    assert abs(by_line[at["long"]] / both - share) <= 6 * (0.25 / seen) ** 0.5
    assert run.stats["tasks_outcomes"]["task_moved"] > 0


def has_time(path):
    return any(sample.values["tasks"] for sample in profiler.read_samples(path))


def test_command(python, workloads, tmp_path):
    """Without ticks: the program that is started is found all the same."""
    folder = tmp_path / "profiles"
    folder.mkdir()
    run = profiler.Run(tmp_path, "--event", "tasks", "--output-dir", folder, "--interval", 1, "--",
                       python.path, "-S", workloads / PROGRAM, "queue", output=None)
    try:
        profiler.wait_until(lambda: any(map(has_time, folder.glob("*.pb.gz"))), what="time of tasks")
        os.killpg(run.process.pid, signal.SIGINT)  # COMMAND's end is waited for
        run.finish(code=128 + signal.SIGINT)
    finally:
        run.kill()


def test_newcomer(program, tmp_path):
    """So is one that is started by somebody else."""
    with server(tmp_path, "-a", "--event", "tasks") as s:
        pid = program("queue").pid
        profiler.wait_until(lambda: any(sample.pid == pid for sample in profiler.samples_of(
            s.profile("seconds=1"))), what="time of tasks")
        s.end()


@pytest.mark.parametrize("old", OLD, ids=str)
def test_older_version(old, tmp_path):
    program = "import sys, time; print('{}'); sys.stdout.flush(); time.sleep(600)"
    with profiler.targets([(old.path, "-S", "-c", program)] * 2) as started:
        run = profiler.run(tmp_path, "--pid", ",".join(str(each.pid) for each in started), "--event", "tasks",
                           "-d", 2.5)
    assert run.samples == []
    assert run.stats["counters"]["tasks_none"] == 2
    assert run.err.count("--event tasks needs 3.8 or later") == 1
