# SPDX-License-Identifier: GPL-2.0-only
"""What is at the place of another one that has ended: a process that has its pid, or is the same after an
exec or a fork; a thread that has its number, its thread state, its code objects and its contexts. Everything
in the program has a number (tests/workloads/life/numbered.py), and no sample may have those of two: not of
functions, nor of endpoint, task, context variable, thread or what the process publishes."""
import collections
import re

import pytest

import interpreters as known
import pprof
import profiler

NUMBERED = profiler.ROOT / "tests/workloads/life/numbered.py"
FREQUENCY = 4999
TRIES = 3
NEWEST = known.newest()
PYTHONS = [i for i in known.one_per_version() if i.version >= (3, 9) and i.kind != "debian"]
# What runs, and which labels have to be there: others are found too late in so short a life.
SHORT = {
    "pid": ((12, 0.4), ("request", "task", "endpoint")),
    "exec": ((48, 0.4, 0.02), ("request", "task", "endpoint")),
    "fork": ((12, 0.2), ("request", "task", "endpoint")),
    "threads": ((40, 0.06), ("request", "task", "endpoint", "thread")),
}
LONG = {
    "pid": ((60, 0.5), SHORT["pid"][1]),
    "exec": ((400, 0.4, 0.01), SHORT["exec"][1]),
    "fork": ((100, 0.2), SHORT["fork"][1]),
    "threads": ((1500, 0.004), SHORT["threads"][1]),
    "many": ((5000, 0.002), SHORT["threads"][1]),
}


def numbers_of(sample):
    """What has which number, of a sample that stands in one of the functions."""
    found = {}
    for frame in sample.frames:
        function = re.fullmatch(r"burn_(\d+)", frame.function)
        file = re.fullmatch(r"/numbered/(\d+)\.py", frame.filename)
        if file and function:  # else it is just made
            found["file"], found["function"] = int(file[1]), int(function[1])
    for label, text in sample.labels.items():
        match = re.search(r"(?:[a-z]-|burn_)(\d+)$", str(text))
        if match:
            found[label] = int(match[1])
    return found


def look(tmp_path, python, kind, numbers):
    """How many samples show each label with their own number, and the samples with those of two."""
    run = profiler.Run(tmp_path, "-a", "-F", FREQUENCY, "--async", "--label-var", "request",
                       "--by", "endpoint")
    try:
        profiler.wait_until(lambda: profiler.samples_cpus(run), what="perf event")
        with profiler.target(python.path, "-S", NUMBERED, kind, *numbers) as target:
            assert target.process.stdout.readline() == "{}\n"
        run.interrupt()
        run.finish()
    except BaseException:
        run.kill()
        raise
    own, wrong = collections.Counter(), collections.Counter()
    for sample in pprof.read(run.path).samples:
        found = numbers_of(sample)
        if "function" not in found:
            continue
        own["samples"] += sample.count
        for what, number in found.items():
            if number == found["function"]:
                own[what] += sample.count
            else:
                wrong[what, number, found["function"]] += sample.count
    print(kind, dict(own), dict(wrong))
    return own, wrong


def judge(tmp_path, python, kind, work, least):
    """On a busy machine so short a life may be over before anything is found: then it is looked at again."""
    numbers, shown = work
    own = collections.Counter()
    for _ in range(TRIES):
        found, wrong = look(tmp_path, python, kind, numbers)
        assert not wrong
        own += found
        if all(own[label] > least / 10 for label in shown):
            break
    assert own["samples"] == own["file"] >= least
    assert all(own[label] > least / 10 for label in shown), own


@pytest.mark.all
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", SHORT)
def test_short(kind, tmp_path):
    judge(tmp_path, NEWEST, kind, SHORT[kind], 2000)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("python", PYTHONS, ids=str)
@pytest.mark.parametrize("kind", LONG)
def test_long(kind, python, tmp_path):
    judge(tmp_path, python, kind, LONG[kind], 10000)
