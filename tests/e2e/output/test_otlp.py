# SPDX-License-Identifier: GPL-2.0-only
"""OpenTelemetry's profiles beside pprof of the same stretch: the same stacks, labels and values, in a message
that OpenTelemetry's own definitions read and that keeps their rules (tests/lib/otlp.py)."""
import collections
import os

import pytest

import interpreters as known
import otlp
import pprof
import profiler
from serving import Later, server
from stopped import let_run, stop

# The names that OpenTelemetry has for labels of ours; others are the same in both.
RESOURCE = {"process.pid": "pid", "process.title": "comm"}
SAMPLE = {"thread.id": "tid", "thread.name": "thread"}


@pytest.fixture
def busy(workloads):
    with profiler.targets([(known.usual().path, workloads / "native" / "native.py", "-", "syscall"),
                           (known.newest().path, workloads / "parallel.py")]) as targets:
        for target in targets:
            stop(target)
        yield targets


def ask(tmp_path, busy, *arguments, query="seconds=5"):
    """A stretch as pprof and as OTLP."""
    with server(tmp_path, "--pid", ",".join(str(t.pid) for t in busy), "-F", 499, *arguments) as s:
        asked = [Later(s.get, "/debug/pprof/profile?%s&format=%s" % (query, name))
                 for name in ("pprof", "otlp")]
        s.wait_for_open(2)
        let_run(busy)
        return pprof.parse(asked[0].get().body), otlp.parse(asked[1].get().body)


def of_pprof(profile):
    found = collections.Counter()
    for sample in profile.samples:
        key = tuple(sample.frames), tuple(sorted(sample.labels.items()))
        for type_, value in zip(profile.sample_types, sample.values):
            if value:
                found[key, type_] += value
    return found


def labels_of(sample):
    labels = {RESOURCE[key]: value for key, value in sample.resource.items() if key in RESOURCE}
    labels.update((SAMPLE.get(key, key), value) for key, value in sample.attributes.items())
    return tuple(sorted(labels.items()))


def of_otlp(profiles):
    found = collections.Counter()
    for sample in profiles.samples:
        frames = tuple(pprof.Frame(*frame[:5]) for frame in sample.frames)
        for type_, value in sample.values.items():
            found[(frames, labels_of(sample)), type_] += value
    return found


@pytest.mark.parametrize("arguments", [(), ("--event", "cpu,memory", "--native", "full", "--kernel", "full")],
                         ids=("cpu", "all"))
def test_it_says_what_pprof_says(tmp_path, busy, arguments):
    """Not of kinds that pass while a program is stopped: of them two stretches have never the same."""
    profile, profiles = ask(tmp_path, busy, *arguments)
    assert of_otlp(profiles) == of_pprof(profile) and len(profile.samples) > 5
    for type_, column in zip(profile.sample_types, zip(*(sample.values for sample in profile.samples))):
        assert profiles.total(*type_) == sum(column), type_
    assert profiles.types["samples", "count"] == (None, 0)
    assert profiles.types["cpu", "nanoseconds"] == (("cpu", "nanoseconds"), profile.period)
    assert profiles.comments == set(profile.comments)
    assert len(profiles.times) == 1


def test_resources_and_frames(tmp_path, busy):
    profile, profiles = ask(tmp_path, busy, "--native", "full", "--kernel", "full")
    assert {resource["process.pid"] for resource in profiles.resources} == {t.pid for t in busy}
    for resource in profiles.resources:
        assert resource["service.name"] == resource["process.title"]
        assert resource["process.runtime.name"] == "cpython"
    frames = {frame for sample in profiles.samples for frame in sample.frames}
    assert {"cpython", "native"} <= {frame.type for frame in frames} <= {"cpython", "native", "kernel", ""}
    for frame in frames:
        if frame.type == "cpython":
            assert frame.filename.endswith(".py") or frame.filename.startswith("<"), frame
        elif frame.type == "":
            assert frame.function.startswith("["), frame
    build_ids = {m.filename: m.build_id for m in profile.mappings if m.build_id}
    seen = dict(frame.mapping for frame in frames if frame.mapping and frame.mapping[1])
    assert seen == build_ids and any(os.path.exists(file) for file in seen)


def test_names_that_a_server_finds(tmp_path, busy):
    """Frames without a name have an address in a file with a build id."""
    _, profiles = ask(tmp_path, busy, "--native", "full", "--symbols", "server")
    bare = [frame for sample in profiles.samples for frame in sample.frames if not frame.function]
    assert bare and all(frame.type == "native" and frame.address and frame.mapping[1] for frame in bare)


def test_nothing_at_all(tmp_path, busy):
    """Of a stretch without a sample: a message with a dictionary, and no resources."""
    with server(tmp_path, "--pid", busy[0].pid) as s:
        answer = s.get("/debug/pprof/profile?seconds=1&format=otlp")
    profiles = otlp.parse(answer.body)
    assert not profiles.samples and not profiles.resources
