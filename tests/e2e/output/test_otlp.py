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

EVERYTHING = "--event", "cpu,memory", "--native", "full", "--kernel", "full"


@pytest.fixture(scope="module")
def busy(workloads):
    with profiler.targets([(known.usual().path, workloads / "native" / "native.py", "-", "syscall"),
                           (known.newest().path, workloads / "parallel.py")]) as targets:
        for target in targets:
            stop(target)
        yield targets


def ask(directory, busy, *arguments):
    """A stretch as pprof and as OTLP."""
    with server(directory, "--pid", ",".join(str(t.pid) for t in busy), "-F", 499, *arguments) as s:
        asked = [Later(s.get, "/debug/pprof/profile?seconds=5&format=" + name) for name in ("pprof", "otlp")]
        s.wait_for_open(2)
        let_run(busy)
        return pprof.parse(asked[0].get().body), otlp.parse(asked[1].get().body)


@pytest.fixture(scope="module")
def everything(busy, tmp_path_factory):
    """Not of kinds that pass while a program is stopped: of them two stretches have never the same."""
    return ask(tmp_path_factory.mktemp("otlp"), busy, *EVERYTHING)


def of_pprof(profile):
    found = collections.Counter()
    for sample in profile.samples:
        key = tuple(sample.frames), tuple(sorted(sample.labels.items()))
        for type_, value in zip(profile.sample_types, sample.values):
            if value:
                found[key, type_] += value
    return found


def check_same(profile, profiles):
    assert of_pprof(profiles.as_pprof()) == of_pprof(profile) and len(profile.samples) > 5
    for type_, column in zip(profile.sample_types, zip(*(sample.values for sample in profile.samples))):
        assert profiles.total(*type_) == sum(column), type_
    assert profiles.types["samples", "count"] == (None, 0)
    assert profiles.types["cpu", "nanoseconds"] == (("cpu", "nanoseconds"), profile.period)
    assert profiles.comments == set(profile.comments)


def test_it_says_what_pprof_says(everything):
    check_same(*everything)


@pytest.mark.all
@pytest.mark.parametrize("arguments", [(), ("--labels", "process"), ("--native", "leaf", "--columns")],
                         ids=" ".join)
def test_it_says_what_pprof_says_by(tmp_path, busy, arguments):
    check_same(*ask(tmp_path, busy, *arguments))


def test_resources_and_frames(everything, busy):
    profile, profiles = everything
    assert {resource["process.pid"] for resource in profiles.resources} == {t.pid for t in busy}
    for resource in profiles.resources:
        assert resource["service.name"] == resource["process.title"]
        assert resource["process.runtime.name"] == "cpython"
    frames = {frame for sample in profiles.samples for frame in sample.frames}
    assert {"cpython", "native", "kernel"} <= {frame.type for frame in frames}
    for frame in frames:
        if frame.type == "cpython":
            assert frame.filename.endswith(".py") or frame.filename.startswith("<"), frame
        elif frame.type == "":
            assert frame.function.startswith("["), frame
    build_ids = {m.filename: m.build_id for m in profile.mappings if m.build_id}
    seen = dict(frame.mapping for frame in frames if frame.mapping and frame.mapping[1])
    assert seen == build_ids and any(os.path.exists(file) for file in seen)


@pytest.mark.all
def test_names_that_a_server_finds(tmp_path, busy):
    """Frames without a name have an address in a file with a build id."""
    _, profiles = ask(tmp_path, busy, "--native", "full", "--symbols", "server")
    bare = [frame for sample in profiles.samples for frame in sample.frames if not frame.function]
    assert bare and all(frame.type == "native" and frame.address and frame.mapping[1] for frame in bare)


@pytest.mark.all
def test_nothing_at_all(tmp_path, busy):
    """Of a stretch without a sample: a message with a dictionary, and no resources."""
    with server(tmp_path, "--pid", busy[0].pid) as s:
        answer = s.get("/debug/pprof/profile?seconds=1&format=otlp")
    profiles = otlp.parse(answer.body)
    assert not profiles.samples and not profiles.resources
