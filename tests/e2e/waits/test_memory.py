# SPDX-License-Identifier: GPL-2.0-only
"""--event memory: where processes grow, and where they shrink. What is counted is compared with what the
kernel says of the process before and after (/proc/PID/smaps_rollup), whatever the time and load."""
import collections
import os
import re
import shutil
import subprocess

import pytest

import interpreters as known
import profiler

FEW_ARE_ENOUGH = True
MIB = 1 << 20
STEP = 1024 * 1024  # what --rss-step is by default
# What a program does besides, such as reading smaps_rollup; a step that has not been reached; and what each
# CPU has not handed on of each kind of memory (bpf/events/memory.h).
SLACK = 2 * STEP + 3 * 4096 * os.cpu_count() * max(32, 2 * os.cpu_count())

Change = collections.namedtuple("Change", "run about children")


def is_ready(run):
    return b"capabilities that are kept" in os.pread(run.streams[1].fileno(), 1 << 24, 0)


def watch(directory, python, workloads, scenes, *arguments):
    """Runs the scenes one after the other while they are profiled; about: what the program said of each."""
    about, children = [], []
    with profiler.target(python.path, workloads / "memory.py", stdin=subprocess.PIPE) as target:
        # What it is must be known before it grows: it is asked for two seconds, and then the run begins.
        with profiler.before_others():
            run = profiler.Run(directory, "--pid", target.pid, "--event", "memory", "-v", *arguments)
        try:
            profiler.wait_until(lambda: is_ready(run) or run.process.poll() is not None, what="start")
            for scene in scenes:
                target.tell(scene)
                target.ready()
                if "pid" in target.about:
                    children.append(target.about)
                    target.ready()
                about.append(target.about)
            run.interrupt()
        except BaseException:
            run.kill()
            raise
        return Change(run.finish(), about, children)


def grown(samples, kind="memory", function=None):
    return sum(sample.values[kind] for sample in samples
               if function is None or function in profiler.functions(sample))


def total(one, kind):
    """All that was counted, in the profile or not: with it the books add up (Run.check_books)."""
    return sum(one.run.stats[kind + "_outcomes"].values())


@pytest.fixture(params=known.available(), ids=lambda python: python.name)
def python(request):
    return request.param


PYTHON = known.usual()


def test_shares_and_sum(python, workloads, tmp_path):
    """70, 20 and 10 % in three functions; the sum is what the process has grown by; and it goes again."""
    seen = watch(tmp_path, python, workloads, ["grow", "drop"])
    samples = seen.run.samples
    real = seen.about[0]["after"] - seen.about[0]["before"]
    counted = grown(samples)
    assert abs(counted - real) <= 0.02 * real
    for function, share in ("most", 0.7), ("some", 0.2), ("few", 0.1):
        assert abs(grown(samples, function=function) / counted - share) <= 0.03
    assert grown(samples, function="take") >= 0.99 * counted
    real = seen.about[1]["before"] - seen.about[1]["after"]
    assert real > 150 * MIB and abs(grown(samples, "shrinkage") - real) <= 0.02 * real
    assert grown(samples, "shrinkage", "drop") >= 0.99 * real


def test_by_what_it_is(workloads, tmp_path):
    """CPython's own small objects, and memory of a file: each is known by its line."""
    seen = watch(tmp_path, PYTHON, workloads, ["objects", "shared"])
    for scene, about in zip(("objects", "shared"), seen.about):
        real = about["after"] - about["before"]
        assert real > 20 * MIB
        assert abs(grown(seen.run.samples, function=scene) - real) <= 0.02 * real + SLACK


def test_grows_and_shrinks_in_turns(workloads, tmp_path):
    """200 MiB come and go, 4 MiB at a time: the process is no larger, and both kinds say it."""
    seen = watch(tmp_path, PYTHON, workloads, ["in_turns"], "--rss-step", 64)
    assert abs(seen.about[0]["after"] - seen.about[0]["before"]) <= SLACK
    for kind in "memory", "shrinkage":
        assert abs(grown(seen.run.samples, kind, "in_turns") - 200 * MIB) <= 0.1 * 200 * MIB


def test_threads(workloads, tmp_path):
    seen = watch(tmp_path, PYTHON, workloads, ["threads"])
    for function, size in ("first", 60 * MIB), ("second", 40 * MIB):
        of_function = [s for s in seen.run.samples if function in profiler.functions(s)]
        assert len({s.tid for s in of_function}) == 1
        assert abs(grown(of_function) - size) <= 0.03 * size + SLACK
    real = seen.about[0]["after"] - seen.about[0]["before"]
    assert abs(grown(seen.run.samples) - real) <= 0.02 * real + SLACK


def test_fork(workloads, tmp_path):
    """Pages that are copied when the child writes to them make it no larger; what it takes then does."""
    seen = watch(tmp_path, PYTHON, workloads, ["first", "fork"], "--children")
    child, = seen.children
    samples = seen.run.of(child["pid"])
    assert grown(samples, function="in_child") >= 30 * MIB - SLACK
    assert abs(grown(samples) - (child["after"] - child["before"])) <= 5 * MIB
    assert grown(samples, "shrinkage") <= SLACK


def test_several_kinds(workloads, tmp_path):
    """With ticks and waits; the cache is right; and native code is below the line."""
    seen = watch(tmp_path, PYTHON, workloads, ["grow", "objects", "drop"], "--event", "cpu,offcpu,memory",
                 "--cache", "check", "--native", "leaf")
    assert seen.run.stats["counters"]["cache_mismatch"] == 0
    for kind in "memory", "shrinkage":
        assert grown(seen.run.samples, kind) > 0
    native = [s for s in seen.run.samples if s.values["memory"] and s.stack[0][0] != "take"
              and "take" in profiler.functions(s)]
    assert grown(native) >= 0.9 * grown(seen.run.samples, function="take")


@pytest.mark.parametrize("kib", [4, 4096])
def test_step(kib, workloads, tmp_path):
    """The sum does not depend on the step, only how many stacks are taken for it."""
    seen = watch(tmp_path, PYTHON, workloads, ["grow"], "--rss-step", kib)
    real = seen.about[0]["after"] - seen.about[0]["before"]
    assert abs(grown(seen.run.samples) - real) <= 0.02 * real + 2 * kib * 1024
    assert seen.run.stats["counters"]["memory_seen"] <= total(seen, "memory") / (kib * 1024) + 1


def test_a_program_from_its_start(workloads, tmp_path):
    """Before the verdict on it, what it grows by has a reason of its own."""
    # The verdict comes in a few milliseconds, from a worker that has a CPU when it wants one.
    with profiler.before_others():
        run = profiler.run(tmp_path, "--event", "memory", "--", "chrt", "--other", "0", PYTHON.path, "-c",
                           "import time; time.sleep(1); kept = bytearray(100 << 20)")
    before = run.stats["memory_outcomes"]["new_process"]
    assert before + grown(run.samples, function="<module>") >= 99 * MIB
    assert grown(run.samples, function="<module>") >= 50 * MIB
    assert sum(run.stats["memory_outcomes"].values()) <= 160 * MIB


@pytest.mark.parametrize("step", ["0", "3", "1.5", "", "4k", "1048577", "-4"])
def test_bad_steps(step, tmp_path):
    run = profiler.run(tmp_path, "--event", "memory", "--rss-step=" + step, "--pid", os.getpid(), code=2)
    assert run.err.count("\n") == 1 and "--rss-step" in run.err


@pytest.mark.parametrize("kind", ["shrinkage", "memory,memory", "mem", "memory,"])
def test_unknown_kinds(kind, tmp_path):
    run = profiler.run(tmp_path, "--event", kind, "--pid", os.getpid(), code=2)
    assert run.err.count("\n") == 1 and "gil, wall, memory" in run.err


LEAK = """
import sys
sessions, recent = {}, []

def render(n):
    recent.append(bytearray(100000))
    del recent[:-20]

def remember(n):
    sessions[n] = {"user": str(n), "path": "/%d" % n}

def serve(n, version):
    render(n)
    if version == 2:
        for at in range(100):
            remember(100 * n + at)

print("{}", flush=True)
for line in sys.stdin:
    for n in range(1000):
        serve(n, int(line))
    print("{}", flush=True)
"""


@pytest.mark.skipif(not shutil.which("go"), reason="SKIP go: go tool pprof is not installed")
def test_leak_hunt(tmp_path):
    """What docs/memory.md does: of two profiles the difference shows the line that came to grow."""
    paths = []
    with profiler.target(PYTHON.path, "-c", LEAK, stdin=subprocess.PIPE) as target:
        for version in "12":
            run = profiler.Run(tmp_path, "--pid", target.pid, "--event", "memory", "-v",
                               output="version%s.pb.gz" % version)
            profiler.wait_until(lambda: is_ready(run) or run.process.poll() is not None, what="start")
            target.tell(version)
            target.ready()
            run.interrupt()
            paths.append(run.finish().path)
    text = subprocess.run(["go", "tool", "pprof", "-sample_index=memory", "-top", "-unit=B", "-diff_base",
                           *paths], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^ *(\S+)B .* remember$", text, re.M)
    assert found and int(found[1]) > 20 * MIB, text
