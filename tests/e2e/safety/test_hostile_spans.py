# SPDX-License-Identifier: GPL-2.0-only
"""`--trace otel` beside a program that forges its current span: the objects of OpenTelemetry's SDK and what
leads to them, or the records that its threads publish, all of it changing while it is read; as it runs, and
as it sleeps, when the run queue is locked. An honest program's samples have their own ids."""
import collections
import contextlib
import json
import subprocess
import sysconfig

import pytest

import longest
import pprof
import profiler
from hostile_readers import FREQUENCY, PYTHONS, switches_are_short
from serving import Server

PACKAGES = sysconfig.get_paths()["purelib"]  # the SDK, which is Python alone
ENV = {"PYTHONPATH": str(PACKAGES), "PATH": "/usr/bin:/bin"}
# bpf/python/trace.h: three words to the tree, 17 steps of two objects with a name of a type, then a dict, a
# span, its attribute, a tuple and two ints; five of a record; and what a sample reads besides.
READS = 3 + 17 * 6 + 40 + 5 + 200
SHARE = 0.7  # of the samples of the honest program that have to be right: some functions have no span


def library_of(workloads, tmp_path):
    library = tmp_path / "libthreadcontext.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-mtls-dialect=gnu2", workloads / "thread_context.c",
                    "-o", library], check=True)
    return library


@contextlib.contextmanager
def programs(python, way, workloads, tmp_path, *arguments):
    """The hostile one, and an honest one that has its ids in the same way."""
    library = library_of(workloads, tmp_path) if way == "records" else "none"
    honest = ["thread_context.py", library, "pointer"] if way == "records" else ["spans.py"]
    with profiler.target(python.path, workloads / "hostile/spans.py", way, library, *arguments, env=ENV,
                         stdin=subprocess.PIPE) as one, \
            profiler.target(python.path, workloads / honest[0], *honest[1:], env=ENV) as other:
        yield one, other


def judge(profile, hostile, honest):
    """Of the honest program no sample may have other ids than its function says."""
    found, theirs = collections.Counter(), collections.Counter()
    own = {ids[0] for ids in honest.about.values() if ids and ids[0].startswith("1234")}  # not met by chance
    for sample in profile.samples:
        have = sample.labels.get("trace_id")
        if int(sample.labels["pid"]) == hostile.pid:
            theirs[have] += sample.values[0]
            continue
        names = [frame.function for frame in sample.frames if frame.function in honest.about]
        if len(names) != 1 or "[" in "".join(frame.function for frame in sample.frames):
            continue
        want = honest.about[names[0]]
        have = have and [have, sample.labels["span_id"]]
        found["right" if have == want else "wrong" if have else "none"] += sample.values[0]
    print(found, theirs.most_common(5))
    assert not found["wrong"] and found["right"] > SHARE * found.total(), found
    assert not own & set(theirs), theirs


def look(python, way, samples, cpu, workloads, tmp_path, *arguments):
    events = "cpu,offcpu" if "sleeps" in arguments else "cpu"
    with programs(python, way, workloads, tmp_path, *arguments) as (hostile, honest), \
            longest.of(hostile.pid) as switches:
        s = Server(tmp_path, "-p", "%d,%d" % (hostile.pid, honest.pid), "-F", FREQUENCY, "--budget", 0,
                   "--log", 5, "--trace", "otel", "--event", events)
        try:
            pids = [hostile.pid, honest.pid]
            profiler.let_use_cpu(s.run, pids, 0.5)
            profiler.wait_until(lambda: s.metric("trace_spans_total") >= 100, what="spans")
            hostile.tell()
            hostile.ready()
            switches.begin()
            profiler.let_use_cpu(s.run, pids, samples / FREQUENCY if cpu is None else cpu)
            took = switches.end()
            assert hostile.process.poll() is None and honest.process.poll() is None
            profile = pprof.parse(s.get("/debug/pyperf/log?last=300&trace=each").body)
            s.end()
        finally:
            s.run.kill()
    counters, kernel = s.run.stats["counters"], s.run.stats["kernel"]
    print(python, way, hostile.about, json.dumps({
        "ticks": counters["ticks"], "max_ns": kernel["max_ns"], "p99_ns": kernel["p99_ns"],
        "reads": counters["reads"], "switches": took}))
    judge(profile, hostile, honest)
    return s.run, took


def ways():
    for param in PYTHONS:
        for way in ("sdk", "records"):
            if way == "records" or param.values[0].version >= (3, 10):  # which the SDK wants
                yield pytest.param(*param.values, way, id="%s-%s" % (param.id, way), marks=param.marks)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("samples", (3000, pytest.param(100000, marks=pytest.mark.long)))
@pytest.mark.parametrize("python,way", ways())
def test_spans_of_a_program_that_runs(python, way, samples, workloads, tmp_path):
    run, _ = look(python, way, samples, None, workloads, tmp_path)
    outside = sum(run.stats["outcomes"][name] for name in ("not_selected", "not_python", "idle"))
    assert 0 < run.stats["counters"]["reads"] <= READS * (run.stats["counters"]["ticks"] - outside)


@pytest.mark.parametrize("python,way", ways())
def test_spans_of_a_program_that_sleeps(python, way, workloads, tmp_path):
    run, took = look(python, way, 0, 0.7, workloads, tmp_path, "sleeps")
    run.took = took
    switches_are_short(run)
