# SPDX-License-Identifier: GPL-2.0-only
"""Pushes to a collector of OpenTelemetry: it may take a part, want to be left alone, or refuse. Nobody waits
for it, and what it has not taken is counted."""
import os
import signal
import time

import pytest

import interpreters as known
import profiler
from receiver import Receiver, finish_push, interrupt_when_pushed, receiving


@pytest.fixture(scope="module")
def busy(workloads):
    with profiler.target(known.newest().path, workloads / "parallel.py") as started:
        yield started


def start(directory, url, *arguments, interval=0.5):
    return profiler.Run(directory, "--push", url, "--interval", interval, *arguments, output=None)


def end(run, receiver=None, busy=None):
    """Of a receiver, only when it has had all."""
    if receiver:
        interrupt_when_pushed(run, receiver, [busy.pid])
    else:
        run.process.send_signal(signal.SIGTERM)
    finish_push(run)
    return run.stats["export"]


def said(run):
    return os.pread(run.streams[1].fileno(), 1 << 20, 0).decode()


class Says(Receiver):
    """Takes what comes, and answers by say(number): status, headers and body, or None for as usual."""

    def __init__(self, say):
        self.say = say
        super().__init__("otlp")

    def answer(self, request):
        body = request.rfile.read(int(request.headers["Content-Length"]))
        number = len(self.times)
        self.times.append(time.monotonic())
        status, headers, text = self.say(number) or (200, {}, b"")
        if status == 200:
            self.take(request, body)
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(text)))
        request.end_headers()
        request.wfile.write(text)


@pytest.fixture
def says():
    started = []

    def start_one(say):
        started.append(Says(say))
        return started[0]
    with profiler.before_others():  # as receiving() does
        yield start_one
    for receiver in started:
        receiver.close()
        assert not receiver.faults


def partial(rejected, message):
    from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2
    answer = profiles_service_pb2.ExportProfilesServiceResponse()
    answer.partial_success.rejected_profiles, answer.partial_success.error_message = rejected, message
    return answer.SerializeToString()


def test_threads_and_kinds_of_events(busy, tmp_path):
    """One message has all that is measured of a service; its threads are told apart by name."""
    with receiving("otlp") as receiver:
        run = start(tmp_path, receiver.url, "-p", busy.pid, "-F", 199, "--event", "cpu,offcpu",
                    "--native", "top")
        profiler.wait_until(lambda: len(receiver.received) >= 3)
        end(run)
    assert run.stats["export"]["pushed"] == len(receiver.received) >= 3
    run.samples = [s for r in receiver.received for s in profiler.samples_of(r.profile)]
    run.check_books()
    assert {"Thread-1 (one)", "Thread-2 (two)"} <= {sample.thread for sample in run.samples}
    assert {sample.pid for sample in run.samples} == {busy.pid}
    assert any(("offcpu", "nanoseconds") in r.profile.sample_types for r in receiver.received)


def test_partial_success(busy, tmp_path, says):
    """It is a delivery: what was rejected is counted and said once, and nothing is sent again."""
    receiver = says(lambda number: (200, {}, partial(2, "too \x1b[2Jmany stacks")) if number < 3 else None)
    run = start(tmp_path, receiver.url, "-p", busy.pid)
    profiler.wait_until(lambda: "takes all again" in said(run))
    export = end(run, receiver, busy)
    assert export["push_rejected"] == 6 and export["pushed"] == len(receiver.times)
    assert export["push_failures"] == export["push_dropped"] == 0
    assert run.err.count("2 profiles rejected: too ?[2Jmany stacks") == 1


@pytest.mark.all
def test_a_refusal(busy, tmp_path, says):
    """By a message google.rpc.Status, as collectors write it. It is not sent again."""
    receiver = says(lambda number: (400, {"Content-Type": "application/x-protobuf"},
                                    b"\x08\x03\x12\x10wrong wire types"))
    run = start(tmp_path, receiver.url, "-p", busy.pid)
    profiler.wait_until(lambda: len(receiver.times) >= 3)
    export = end(run)
    assert export["push_dropped"] == export["push_failures"] == len(receiver.times)
    assert run.err.count("pushed: the receiver answers 400 to OTLP profiles of 1.11: wrong wire types") == 1


def test_retry_after(busy, tmp_path, says):
    """Nothing at all is sent meanwhile, and nothing is lost."""
    receiver = says(lambda number: (429, {"Retry-After": "4"}, b"") if number == 0 else None)
    run = start(tmp_path, receiver.url, "-p", busy.pid, "-F", 199)
    profiler.wait_until(lambda: len(receiver.received) >= 5)
    export = end(run, receiver, busy)
    assert receiver.times[1] - receiver.times[0] >= 4
    assert export["push_failures"] == 1 and export["push_dropped"] == 0
    run.samples = [s for r in receiver.received for s in profiler.samples_of(r.profile)]
    run.check_books()


@pytest.mark.all
@pytest.mark.parametrize("status", (408, 500, 501))
def test_what_the_protocol_says_is_not_sent_again(busy, tmp_path, says, status):
    receiver = says(lambda number: (status, {}, b"no") if number == 0 else None)
    run = start(tmp_path, receiver.url, "-p", busy.pid)
    profiler.wait_until(lambda: len(receiver.received) >= 2)
    export = end(run)
    assert export["push_dropped"] == export["push_failures"] == 1


@pytest.mark.all
@pytest.mark.parametrize("action", (503, "close", 1.5), ids=str)
def test_broken_or_slow_for_a_while(busy, tmp_path, action):
    """All of it arrives in the end."""
    with receiving("otlp", behave=lambda number: action if number < 3 else None) as receiver:
        run = start(tmp_path, receiver.url, "-p", busy.pid, "-F", 199)
        profiler.wait_until(lambda: len(receiver.received) >= 6)
        export = end(run, receiver, busy)
    assert export["push_dropped"] == 0
    run.samples = [s for r in receiver.received for s in profiler.samples_of(r.profile)]
    run.check_books()


@pytest.mark.all
def test_nobody_is_there(busy, tmp_path):
    run = start(tmp_path, "otlp+http://127.0.0.1:9", "-p", busy.pid)
    profiler.wait_until(lambda: "cannot be pushed" in said(run))
    assert end(run)["push_dropped"] >= 1


@pytest.mark.all
def test_a_receiver_that_hangs(busy, tmp_path):
    """The run ends in time all the same."""
    with receiving("otlp", behave=lambda number: 60.0) as receiver:
        run = start(tmp_path, receiver.url, "-p", busy.pid)
        profiler.wait_until(lambda: receiver.times)
        export = end(run)
    assert "not pushed" in run.err and export["push_dropped"] >= 1


@pytest.mark.all
def test_another_kind_of_receiver(busy, tmp_path):
    """By SIGHUP: what waits was made for the one before, and is given up; what comes then arrives."""
    config = tmp_path / "config"
    with receiving("otlp", behave=lambda number: 503) as first, receiving("pyroscope") as second:
        config.write_text("push = %s\ninterval = 0.5\n" % first.url)
        run = profiler.Run(tmp_path, "--config", config, "-p", busy.pid, output=None)
        profiler.wait_until(lambda: first.times)
        config.write_text("push = %s\ninterval = 0.5\n" % second.url)
        run.process.send_signal(signal.SIGHUP)
        profiler.wait_until(lambda: len(second.received) >= 2)
        export = end(run)
    assert export["push_dropped"] >= 1 and export["pushed"] == len(second.received)
    assert "of another kind" in run.err or "503" in run.err
