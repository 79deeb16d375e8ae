# SPDX-License-Identifier: GPL-2.0-only
"""`--trace otel` with a program that publishes the ids of its spans itself (OTEP 4947), against what it says:
by each way in which a library may reach its thread-local variable, and with records that are none."""
import collections
import subprocess
import time

import pytest

import interpreters as known
import pprof
import profiler
from serving import server

PYTHONS = [i for i in known.everything() if i.version >= (3, 8) and not i.name.startswith("musl")]
USUAL = known.usual().name
EACH = [pytest.param(i, id=str(i), marks=() if i.name == USUAL else pytest.mark.all) for i in PYTHONS]

DESCRIPTOR = "-mtls-dialect=gnu2"
FLAGS = {"descriptor": [DESCRIPTOR], "descriptor-in-a-block": [DESCRIPTOR, "-DROOM=65536"], "index": [],
         "index-in-a-block": ["-DROOM=65536"], "offset": ["-ftls-model=initial-exec"],
         "protected": [DESCRIPTOR, "-DROOM=65536", "-Wl,-Bsymbolic"]}


def build(workloads, tmp_path, kind):
    library = tmp_path / "libthreadcontext.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-Wl,--hash-style=gnu", *FLAGS[kind],
                    workloads / "thread_context.c", "-o", library], check=True)
    return library


def serve(tmp_path, target):
    return server(tmp_path, "--pid", target.pid, "-F", 997, "--budget", 0, "--log", 5, "--trace", "otel")


def compare(samples, truth):
    found = collections.Counter()
    for sample in samples:
        names = [name for name in sample.names if name in truth]
        if len(names) != 1 or not sample.values[0]:
            continue
        want, have = truth[names[0]], sample.labels.get("trace_id")
        have = have and [have, sample.labels["span_id"]]
        outcome = ("right" if want else "none") if want == have else "wrong" if have else "missing"
        found[outcome] += sample.values[0]
    return found


def look(s, target):
    profiler.wait_until(lambda: s.metric("trace_spans_total") >= 1, what="spans")
    begin = time.time()
    profiler.wait_until(lambda: s.metric("trace_spans_total") >= 400, what="spans")
    answer = s.get("/debug/pyperf/log?from=%f&trace=each" % begin)
    assert answer.status == 200, answer
    return compare(pprof.parse(answer.body).samples, target.about)


def check(found):
    assert found["right"] > 150 and found["none"] > 20, found
    assert not found["wrong"] and not found["missing"], found


def check_all(directory, python, workloads, library, kind):
    """No record is one that could not be read."""
    with profiler.target(python.path, workloads / "thread_context.py", library, kind) as target, \
            serve(directory, target) as s:
        found = look(s, target)
        assert s.metric("trace_unknown_total") == 0
    check(found)


@pytest.mark.parametrize("python", EACH)
def test_each_version(python, workloads, tmp_path):
    library = build(workloads, tmp_path, "descriptor-in-a-block")
    check_all(tmp_path, python, workloads, library, "pointer")


@pytest.mark.all
@pytest.mark.parametrize("kind", FLAGS)
def test_each_way_to_reach_it(kind, workloads, tmp_path):
    """With one record that is changed, whose owner says when it is whole."""
    library = build(workloads, tmp_path, kind)
    check_all(tmp_path, known.usual(), workloads, library, "valid")


@pytest.mark.all
def test_records_that_are_none(workloads, tmp_path):
    library = build(workloads, tmp_path, "descriptor")
    with profiler.target(known.usual().path, workloads / "thread_context.py", library, "hostile") as target, \
            serve(tmp_path, target) as s:
        found = look(s, target)
        assert s.metric("trace_unknown_total") > 50
        assert target.process.poll() is None
    check(found)


@pytest.mark.all
def test_nobody_says_so(workloads, tmp_path):
    """A variable of that name is not read in a process that does not say how its threads publish."""
    library = build(workloads, tmp_path, "descriptor")
    with profiler.target(known.usual().path, workloads / "thread_context.py", library, "silent") as target, \
            serve(tmp_path, target) as s:
        profiler.wait_until(lambda: s.metric("ticks_total") >= 2000, what="ticks")
        assert s.metric("trace_spans_total") == 0 and s.metric("trace_unknown_total") == 0
