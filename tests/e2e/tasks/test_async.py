# SPDX-License-Identifier: GPL-2.0-only
"""`--async`: samples of CPU time say which asyncio task ran, and their stacks go on with the coroutines that
await it."""
import collections

import pytest

import pprof
import profiler
from async_tasks import ALL_FOUND, EACH, OLD, ONE_FOUND

PROGRAM = "task_runs.py"
LEAST = 40  # samples of a task
CUT = {"[incomplete]", "[over budget]"}  # among the frames of samples that are not whole

NAME = ("n\u00e4me \u2603 " + 100 * "x")[:32] + "..."  # of 64 bytes, two a character


@pytest.fixture(params=EACH + ALL_FOUND)
def python(request):
    return request.param


@pytest.fixture
def program(python, workloads):
    target = profiler.Target((python.path, "-S", workloads / PROGRAM))
    yield target
    target.stop()


def marks(workloads):
    """{place: line}"""
    with open(workloads / PROGRAM) as f:
        return {line.split("# runs: ")[1].strip(): number for number, line in enumerate(f, 1)
                if "# runs: " in line}


def own(sample):
    """(function, line) of the frames of the program itself, and markers, from the root on, up to leaf()."""
    found = [(frame.function, frame.line) if frame.filename.endswith(PROGRAM) else frame.function
             for frame in reversed(sample.frames)
             if frame.filename.endswith(PROGRAM) or frame.function.startswith("[")]
    names = [frame[0] for frame in found]
    return tuple(found[:names.index("leaf")]) if "leaf" in names else None


def stacks(run, pid):
    """{name of the task: {what stands above leaf(): samples}}"""
    found = collections.defaultdict(collections.Counter)
    for sample in pprof.read(run.path).samples:
        if sample.labels.get("pid") == pid and own(sample) is not None:
            found[sample.labels.get("task")][own(sample)] += sample.count
    return found


def wanted(at, version):
    run = (("<module>", at["run"]),)
    inside = "cycle.<locals>." if version >= (3, 11) else ""
    of = ("of", at["of"])
    cut = "[awaited by more]"
    found = {
        "alone": {run},
        "chain": {run + (("chain", at["chain"]), of, of)},
        "gathered": {run + (("gathers", at["gathers"]), of)},
        "grouped": {run + (("grouped", None),)},
        **{task: {run + ((name, at[name]),)} for task, name in (
            ("nested", "nested"), ("shielded", "shields"), ("timed", "timed"), ("told", "told"))},
        "shared": {run + (of, "[and others]")},
        "generator": {run + (("generates", at["generates"]), ("items", at["items"]))},
        # From the one that runs: both() awaits it, other() that, and both() again.
        "cycle": {run + ("[cycle]", (inside + "other", at["other"]), (inside + "both", at["both"]))},
        "deep": {run + (cut,) + 16 * (("deep", at["deep"]),)},
        "Task-*": {run},
        NAME: {run},
    }
    if version < (3, 11):
        del found["grouped"]
    return found


def without_lines(stack):
    return tuple((frame[0], None) if frame[0] == "grouped" else frame for frame in stack)


@pytest.mark.parametrize("old", OLD, ids=str)
def test_older_version(old, tmp_path):
    """One line says so, and its stacks are as without the option."""
    program = "import sys; print('{}'); sys.stdout.flush()\nwhile True: pass"
    with profiler.target(old.path, "-S", "-c", program) as target:
        run = profiler.run_while(tmp_path, [target], 1, "-F", 997, "--async")
    assert run.err.count("--async needs 3.8 or later") == 1
    for sample in pprof.read(run.path).samples:
        if sample.labels.get("pid") == target.pid:
            assert "task" not in sample.labels and sample.frames[-1].function == "<module>"


def test_lies(python, workloads, tmp_path):
    """Objects that are none: every sample ends in one outcome, and its own frames are right."""
    with profiler.target(python.path, "-S", workloads / "task_lies.py") as target:
        run = profiler.run_while(tmp_path, [target], 4, "-F", 1999, "--async", "--cache", "check")
    outcomes = {name: n for name, n in run.stats["outcomes"].items() if n and name != "not_selected"}
    assert outcomes["whole"] >= 0.99 * sum(outcomes.values()), outcomes
    assert run.stats["counters"]["cache_mismatch"] == 0
    found = collections.Counter()
    for sample in pprof.read(run.path).samples:
        names = [frame.function for frame in sample.frames]
        if "spin" in names and not CUT & set(names):
            own_frames = names[names.index("spin"):names.index("runs") + 1]
            assert own_frames == ["spin", "runs"]
            found[sample.labels.get("task"), "begin" in names] += sample.count
    assert found[None, True] > 100, found  # where the lie is the name
    assert found["lies!", False] > 100, found  # ... the coroutine, or what awaits it


def test_late_import(python, tmp_path):
    """asyncio that comes after the process was found is found too."""
    gate = tmp_path / "gate"
    program = ("import os; print('{}', flush=True)\n"
               "while not os.path.exists(%r): pass\n"
               "import asyncio\n"
               "async def late():\n"
               "    while True: pass\n"
               "async def begin(): await asyncio.create_task(late(), name='late')\n"
               "asyncio.run(begin())") % str(gate)
    with profiler.target(python.path, "-S", "-c", program) as target:
        ran = profiler.Run(tmp_path, "--pid", target.pid, "-F", 499, "--async")
        profiler.let_use_cpu(ran, [target.pid], 0.3)  # it was found without asyncio
        gate.touch()
        profiler.let_use_cpu(ran, [target.pid], 5)
        ran.interrupt()
        run = ran.finish(900)
    found = collections.Counter()
    for sample in pprof.read(run.path).samples:
        if sample.labels.get("task"):
            names = [frame.function for frame in sample.frames]
            found[sample.labels["task"], *names[:2], names[-1]] += sample.count
    assert {stack[0] for stack in found} == {"late"}, (found, run.stats)
    assert found.most_common(1)[0][0] == ("late", "late", "begin", "<module>"), found


POOL = """
import asyncio, threading

def beside():
    while True:
        pass

async def works():
    while True:
        pass

async def main():
    threading.Thread(target=beside, daemon=True).start()
    print('{}', flush=True)
    await asyncio.create_task(works(), name="works")

asyncio.run(main())
"""


@pytest.mark.parametrize("python", ONE_FOUND, indirect=True)
def test_threads_beside_the_loop(python, tmp_path):
    """While a task runs in one thread, another one that runs has none."""
    with profiler.target(python.path, "-S", "-c", POOL) as target:
        run = profiler.run_while(tmp_path, [target], 2, "-F", 499, "--async")
    found = collections.Counter()
    for sample in pprof.read(run.path).samples:
        names = {frame.function for frame in sample.frames}
        for name in {"beside", "works"} & names:
            found[name, sample.labels.get("task")] += sample.count
    assert found["beside", None] > LEAST and found["works", "works"] > LEAST, found
    assert set(found) <= {("beside", None), ("works", "works"), ("works", None)}, found
    assert found["works", None] <= run.stats["counters"]["read_faults"] + LEAST, found


@pytest.mark.parametrize("python", EACH + ONE_FOUND, indirect=True)
def test_chains(program, python, workloads, tmp_path):
    # Up to 3.11 a code object is trusted when it has been there for SETTLED, some eight seconds.
    cpu = 12 if python.version < (3, 12) else 4
    run = profiler.run_while(tmp_path, [program], cpu, "-F", 1999, "--async", "--cache", "check")
    found = stacks(run, program.pid)
    for name, expected in wanted(marks(workloads), python.version).items():
        assert sum(found[name].values()) >= LEAST, (name, found)
        shown = collections.Counter()
        for stack, count in found[name].items():
            shown[without_lines(stack)] += count
        # A sample that took too long says so; a virtual machine may lose its CPU in the middle of one.
        late = {stack for stack in shown if stack not in expected and "[awaited by more]" in stack}
        assert set(shown) - late == expected, name
        assert sum(shown[stack] for stack in late) <= 1, (name, shown)
    # A page that the kernel moves just now cannot be read; then the task's name, or the task, is not known.
    counters = run.stats["counters"]
    assert sum(found[None].values()) <= counters["read_faults"], (found[None], counters)
    assert run.stats["counters"]["cache_mismatch"] == 0
    assert run.stats["counters"]["cache_partial"] > 1000
