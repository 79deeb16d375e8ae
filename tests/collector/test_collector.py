# SPDX-License-Identifier: GPL-2.0-only
"""OpenTelemetry's own collector takes what is pushed and what is in files, and what it passes on is what was
counted. $COLLECTOR is the folder that build.sh has made it in; without it, or where it could not be built,
all of this is skipped."""
import contextlib
import os
import pathlib
import signal
import subprocess

import pytest

import interpreters as known
import otlp
import profiler
from local_server import LocalServer, reply
from serving import connect, free_port

CONFIG = """
receivers:
  otlp:
    protocols:
      http: {endpoint: "127.0.0.1:%(port)d", max_request_body_size: %(most)d}
exporters:
  otlp_http: {endpoint: "%(backend)s"}
service:
  telemetry:
    metrics: {level: none}
  pipelines:
    profiles: {receivers: [otlp], exporters: [otlp_http]}
"""


class Backend(LocalServer):
    """What a collector passes on to."""

    METHOD = "POST"

    def __init__(self):
        self.received, self.faults = [], []
        super().__init__()

    def answer(self, request):
        body = request.rfile.read(int(request.headers["Content-Length"]))
        try:
            assert request.path == "/v1development/profiles", request.path
            self.received.append(otlp.parse(body, whose="collector"))
        except (AssertionError, ValueError) as fault:
            self.faults.append(str(fault))
        reply(request, 200, b"")


class Collector:
    def __init__(self, directory, backend, most):
        folder = pathlib.Path(os.environ.get("COLLECTOR", "/nonexistent"))
        self.program = folder / "collector"
        if not self.program.exists():
            why = folder / "why-not"
            pytest.skip("SKIP collector: %s" % (why.read_text().strip() if why.exists() else
                                                "$COLLECTOR has none (make check-otlp)"))
        self.port = free_port()
        self.directory, self.url = directory, "http://127.0.0.1:%d" % self.port
        (directory / "config.yaml").write_text(CONFIG % {
            "port": self.port, "most": most, "backend": "http://" + backend.authority})
        self.start()

    def start(self):
        with open(self.directory / "log", "a") as log:
            self.process = subprocess.Popen([self.program, "--config", self.directory / "config.yaml",
                                             "--feature-gates=service.profilesSupport"],
                                            stdout=log, stderr=log)
        profiler.wait_until(self.listens, seconds=120)

    def listens(self):
        assert self.process.poll() is None, (self.directory / "log").read_text()[-2000:]
        with contextlib.suppress(OSError):
            connect(self.port).close()
            return True
        return False

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


@pytest.fixture
def backend():
    made = Backend()
    yield made
    made.close()
    assert not made.faults


@pytest.fixture
def collector(tmp_path, backend):
    started = []

    def start(most=20 << 20):
        started.append(Collector(tmp_path, backend, most))
        return started[0]
    yield start
    for one in started:
        one.stop()


@pytest.fixture(scope="module")
def busy(workloads):
    with profiler.target(known.newest().path, workloads / "parallel.py") as started:
        yield started


def push(directory, collector, busy, *arguments):
    return profiler.Run(directory, "-p", busy.pid, "-F", 199, "--interval", 0.5, "--push",
                        "otlp+" + collector.url, *arguments, output=None)


def end(run):
    run.process.send_signal(signal.SIGTERM)
    run.finish(20)
    return run.stats["export"]


def check_arrived(run, backend):
    """All that was counted has come through, once."""
    profiler.wait_until(lambda: backend.faults or len(backend.received) >= run.stats["export"]["pushed"])
    assert not backend.faults
    assert len(backend.received) == run.stats["export"]["pushed"]
    run.samples = [s for profiles in backend.received for s in profiler.samples_of(profiles.as_pprof())]
    run.check_books()


def test_what_is_counted_comes_through(busy, collector, backend, tmp_path):
    run = push(tmp_path, collector(), busy, "-d", 5, "--native", "top", "--event", "cpu,offcpu").finish()
    assert run.stats["export"]["push_failures"] == run.stats["export"]["push_rejected"] == 0
    check_arrived(run, backend)
    for profiles in backend.received:
        resource, = profiles.resources
        assert resource["process.pid"] == busy.pid and resource["host.name"] == os.uname().nodename
        assert {"cpython", "native"} <= {frame.type for s in profiles.samples for frame in s.frames}
        assert any(sample.attributes.get("thread.name") == "Thread-1 (one)" for sample in profiles.samples)


def test_times_come_through(busy, collector, backend, tmp_path):
    """Of a profiler with a log: each value has its own."""
    run = push(tmp_path, collector(), busy, "-d", 4, "--event", "cpu,offcpu", "--log", 1).finish()
    assert run.stats["export"]["push_failures"] == run.stats["export"]["push_rejected"] == 0
    check_arrived(run, backend)
    for profiles in backend.received:
        for sample in profiles.samples:
            for type_, value in sample.values.items():
                assert sum(one for _, one in sample.times[type_]) == value


def test_a_file_comes_through(busy, collector, backend, tmp_path):
    """Sent as docs/otlp.md says."""
    url = collector().url
    profiler.run(tmp_path, "-p", busy.pid, "-F", 199, "-d", 2, output="app.otlp.gz")
    file = tmp_path / "app.otlp.gz"
    done = subprocess.run(["curl", "-sS", "--fail-with-body", "-H", "Content-Type: application/x-protobuf",
                           "-H", "Content-Encoding: gzip", "--data-binary", "@%s" % file,
                           url + "/v1development/profiles"], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stdout
    profiler.wait_until(lambda: backend.received or backend.faults)
    sent, = backend.received
    written = otlp.parse(file.read_bytes())
    assert sent.as_pprof() == written.as_pprof() and sent.resources == written.resources


def test_a_collector_that_refuses(busy, collector, backend, tmp_path):
    """One that takes no message of this size says so, and each is refused once."""
    run = push(tmp_path, collector(most=100), busy, "-d", 2).finish(code=1)
    export = run.stats["export"]
    assert export["push_dropped"] == export["push_failures"] >= 2 and export["pushed"] == 0
    assert run.err.count("cannot be pushed: the receiver answers 4") == 1 and not backend.received


def test_a_collector_that_is_gone_for_a_while(busy, collector, backend, tmp_path):
    """Nothing is lost, and nothing comes twice."""
    one = collector()
    run = push(tmp_path, one, busy)
    profiler.wait_until(lambda: backend.received or backend.faults)
    one.stop()
    profiler.wait_until(lambda: "cannot be pushed" in os.pread(run.streams[1].fileno(), 1 << 20, 0).decode())
    one.start()
    before = len(backend.received)
    profiler.wait_until(lambda: len(backend.received) >= before + 4 or backend.faults)
    export = end(run)
    assert export["push_failures"] >= 1 and export["push_dropped"] == 0
    check_arrived(run, backend)
