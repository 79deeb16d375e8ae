# SPDX-License-Identifier: GPL-2.0-only
"""What processes publish about themselves as services (OpenTelemetry's process context) becomes labels of
their samples, and names of what is pushed: from ddtrace, and from a publisher of our own, which also does
what the specification forbids."""
import json
import os
import pathlib
import subprocess
import time

import pytest

import interpreters as known
import otlp
import pprof
import profiler
from receiver import receiving
from serving import server

pytestmark = pytest.mark.waits
NAMES = "service", "service_instance", "environment"
CHANGED = None, None, None
WEB = pathlib.Path(profiler.ROOT, ".cache/web/bin")


def publisher(workloads, *mode):
    return profiler.target(known.newest().path, workloads / "publish.py", *mode, stdin=subprocess.PIPE)


def labels_of(profile, pid):
    """Those of a process's samples; None if it has no sample, or if they changed meanwhile."""
    found = {tuple(sample.labels.get(name) for name in NAMES) for sample in profile.samples
             if sample.labels.get("pid") == pid}
    return found.pop() if len(found) == 1 else None


def labels_when_seen(s, pid):
    """Those of a profile that has samples of it: on a busy machine not each has."""
    found = []
    profiler.wait_until(lambda: found.append(labels_of(s.profile("seconds=1"), pid)) or found[-1],
                        what="samples of %d" % pid)
    return found[-1]


def is_published(pid):
    """Whether the time is there that says so."""
    with open("/proc/%d/maps" % pid) as maps:
        address = next(int(line.split("-")[0], 16) for line in maps if "OTEL_CTX" in line)
    with open("/proc/%d/mem" % pid, "rb") as memory:
        memory.seek(address + 16)
        return memory.read(8) != bytes(8)


def wait_for(s, pid, expected):
    profiler.wait_until(lambda: labels_of(s.profile("seconds=1"), pid) == expected, what=str(expected))


def test_labels_change_and_children_say_it_themselves(workloads, tmp_path):
    with publisher(workloads) as target, server(tmp_path, "--pid", target.pid, "--children") as s:
        wait_for(s, target.pid, (None, None, None))
        target.tell("publish shop one staging")
        wait_for(s, target.pid, ("shop", "one", "staging"))
        target.tell("fork")
        child = json.loads(target.process.stdout.readline())["child"]
        wait_for(s, child, (None, None, None))
        target.tell("publish store two live")
        wait_for(s, target.pid, ("store", "two", "live"))
        assert labels_when_seen(s, child) == (None, None, None)
        seen = []
        profiler.wait_until(lambda: seen.append(s.profile("seconds=1&service=store")) or seen[-1].samples)
        assert {sample.labels["pid"] for sample in seen[-1].samples} == {target.pid}
        of = {}  # each by its pid, as soon as both had a CPU
        while not {target.pid, child} <= set(of):
            resources = otlp.parse(s.get("/debug/pprof/profile?seconds=1&format=otlp").body).resources
            of = {resource["process.pid"]: resource for resource in resources}
        assert [of[target.pid][key] for key in ("service.name", "service.instance.id",
                                                "deployment.environment.name")] == ["store", "two", "live"]
        assert of[child]["service.name"] == of[child]["process.title"]
        assert not {"service.instance.id", "deployment.environment.name"} & set(of[child])


@pytest.mark.all
def test_a_copy_of_the_parents_is_not_the_childs(workloads, tmp_path):
    """A publisher that forgets MADV_DONTFORK."""
    with publisher(workloads, "inherited") as target:
        target.tell("publish shop one staging")
        profiler.wait_until(lambda: is_published(target.pid), what="context")
        time.sleep(0.1)  # the kernel tells start times to 10 ms
        target.tell("fork")
        child = json.loads(target.process.stdout.readline())["child"]
        assert "OTEL_CTX" in pathlib.Path("/proc/%d/maps" % child).read_text()
        with server(tmp_path, "--pid", "%d,%d" % (target.pid, child)) as s:
            wait_for(s, target.pid, ("shop", "one", "staging"))
            assert labels_when_seen(s, child) == (None, None, None)


def test_hostile(workloads, tmp_path):
    hostile("changes", workloads, tmp_path)


@pytest.mark.all
@pytest.mark.parametrize("name", ["size", "size of the mapping", "address", "no address", "never ready",
                                  "no message", "half a message", "a long name", "no text",
                                  "comes and goes"])
def test_more_hostile(name, workloads, tmp_path):
    hostile(name, workloads, tmp_path)


def hostile(name, workloads, directory):
    """It has nothing, or one of its own names, whole or cut; another process is looked at as before."""
    with publisher(workloads, name) as target, publisher(workloads) as other:
        assert name in target.about["modes"]
        other.tell("publish shop one staging")
        with server(directory, "--pid", "%d,%d" % (target.pid, other.pid)) as s:
            wait_for(s, other.pid, ("shop", "one", "staging"))
            for _ in range(3):
                service, instance, environment = labels_of(s.profile("seconds=1"), target.pid) or CHANGED
                if service is None:
                    assert (instance, environment) == (None, None)
                elif name == "a long name":
                    assert service == "\u20ac" * 85
                elif name == "no text":
                    assert "\ufffd" in service
                else:
                    assert name in ("changes", "comes and goes") and environment == "test"
                    assert service.replace("whole", "") == ""  # never a part of one and a part of the next
            assert labels_when_seen(s, other.pid) == ("shop", "one", "staging")
            s.end()


def pushed(directory, kind, target, service, *arguments):
    """The labels of the first push under this name."""
    with receiving(kind) as receiver:
        run = profiler.Run(directory, "--pid", target.pid, "--push", receiver.url, "--interval", 1,
                           *arguments, output=None)
        try:
            profiler.wait_until(lambda: any(r.service == service for r in receiver.received), what=service)
        finally:
            run.kill()
        return next(r.labels for r in receiver.received if r.service == service)


@pytest.mark.parametrize("kind", ["pyroscope", pytest.param("parca", marks=pytest.mark.all)])
def test_pushes_are_named_by_it(kind, workloads, tmp_path):
    with publisher(workloads) as target:
        target.tell("publish shop one staging")
        labels = pushed(tmp_path, kind, target, "shop")
        assert labels["service"] == "shop" and labels["environment"] == "staging"
        assert "service_instance" not in labels  # each process would be a series of its own


@pytest.mark.all
def test_the_order_of_the_sources(workloads, tmp_path):
    with publisher(workloads) as target:
        comm = pathlib.Path("/proc/%d/comm" % target.pid).read_text().strip()
        target.tell("publish shop one staging")
        labels = pushed(tmp_path, "pyroscope", target, comm, "--service-from", "comm,context")
        assert labels["service"] == "shop"
        # Where it is no source, nobody looks for it.
        assert "service" not in pushed(tmp_path, "pyroscope", target, comm, "--service-from", "pod,comm")


def test_ddtrace(workloads, tmp_path):
    command = WEB / "ddtrace-run"
    if not command.exists():
        pytest.skip("SKIP web: no .cache/web/bin/ddtrace-run; make deps")
    environment = dict(os.environ, DD_SERVICE="shop", DD_ENV="staging",
                       DD_TRACE_AGENT_URL="http://127.0.0.1:9",
                       DD_INSTRUMENTATION_TELEMETRY_ENABLED="false", DD_REMOTE_CONFIGURATION_ENABLED="false")
    with profiler.target(command, WEB / "python", workloads / "burn.py", env=environment,
                         stderr=subprocess.DEVNULL) as target, \
            server(tmp_path, "--pid", target.pid) as s:
        profiler.wait_until(lambda: (labels_of(s.profile("seconds=1"), target.pid) or [None])[0] == "shop",
                            what="label")
        service, instance, environment = labels_when_seen(s, target.pid)
        assert (service, environment) == ("shop", "staging") and len(instance) == 32


@pytest.mark.parametrize("value", ["", "comm,comm", "name", "context,,comm", "label"])
def test_what_is_no_order(value, tmp_path):
    run = profiler.run(tmp_path, "-a", "-d", 1, "--service-from", value, code=2)
    assert run.err.count("\n") == 1 and "--service-from" in run.err
