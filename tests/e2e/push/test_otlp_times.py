# SPDX-License-Identifier: GPL-2.0-only
"""What is pushed to a collector of OpenTelemetry by a profiler with a log: each value has its time, and each
sample its span. The sums are those of the same run's pprof. What the log has lost is pushed without times."""
import collections
import os
import signal
import sysconfig

import pytest

import interpreters as known
import pprof
import profiler
from makers import MAKER
from receiver import interrupt_when_pushed, receiving

MIX = """
import asyncio, threading, time
kept = []
def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
def worker():
    while True:
        spin(0.01)
        time.sleep(0.005)
        if len(kept) < 100:
            kept.append(b"x" * (1 << 20))
async def task():
    while True:
        spin(0.002)
        await asyncio.sleep(0.01)
async def main():
    await asyncio.gather(task(), task())
threading.Thread(target=worker, daemon=True).start()
asyncio.run(main())
"""
SPANS = """
import sys, threading, time
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
tracer = TracerProvider().get_tracer("test")
def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
while True:
    with tracer.start_as_current_span("work") as span:
        print("%032x %016x" % (span.get_span_context().trace_id, span.get_span_context().span_id), flush=True)
        spin(0.1)
    spin(0.02)
"""


def said(run):
    return os.pread(run.streams[1].fileno(), 1 << 20, 0).decode()


def end(run):
    run.process.send_signal(signal.SIGTERM)
    return run.finish()


def sums_of(messages):
    """{type: sum}; each value has a time, which the reader has found to be in the message's stretch."""
    found = collections.Counter()
    for message in messages:
        for sample in message.samples:
            for type_, value in sample.values.items():
                assert sum(one for _, one in sample.times[type_]) == value
                found[type_] += value
    return found


def no_gaps(messages):
    stretches = sorted({time for message in messages for time in message.times})
    return all(start + duration <= after + 10**6 for (start, duration), (after, _) in
               zip(stretches, stretches[1:]))


@pytest.mark.parametrize("events", ["cpu,offcpu", *(pytest.param(each, marks=pytest.mark.all) for each in (
    "cpu", "offcpu", "cpu,offcpu,gil,memory,loop,tasks"))])
def test_sums_are_those_of_pprof(tmp_path, events):
    """Of the same run, whose files have all of it as well: nothing is missing or there twice."""
    with profiler.target(known.newest().path, "-c", MIX, about=False) as target:
        with receiving("otlp") as receiver:
            run = profiler.Run(tmp_path, "--push", receiver.url, "--interval", 1, "-p", target.pid, "-F", 199,
                               "--event", events, "--log", 5, "--output-dir", tmp_path, output=None)
            profiler.wait_until(lambda: len(receiver.received) >= 3, what="pushes")
            if "offcpu" in events:  # a thread that is stopped waits, and that is pushed
                end(run)
            else:
                interrupt_when_pushed(run, receiver, [target.pid])
                run.finish()
    messages = [received.profile.otlp for received in receiver.received]
    pushed, written = sums_of(messages), collections.Counter()
    for path in tmp_path.glob("*.pb.gz"):
        profile = pprof.read(path)
        for sample in profile.samples:
            written.update(dict(zip(profile.sample_types, sample.values)))
    # Of a thread's time by the kernel's account each stack has a part, which each profile rounds.
    account = "cpu", "nanoseconds"
    assert abs(pushed.pop(account, 0) - written.pop(account, 0)) < (10000 if "offcpu" in events else 1)
    assert pushed == +written and pushed
    assert no_gaps(messages) and run.stats["export"]["pushed"] == len(messages)
    assert "without times" not in run.err


def test_spans_are_links(tmp_path):
    """The ids that the program says, each with CPU time; where it is in no span there is no link."""
    with profiler.target(known.usual().path, "-c", SPANS, about=False, env={
            "PYTHONPATH": sysconfig.get_paths()["purelib"], "PATH": "/usr/bin:/bin"}) as target:
        with receiving("otlp") as receiver:
            run = profiler.Run(tmp_path, "--push", receiver.url, "--interval", 1, "-p", target.pid, "-F", 499,
                               "--budget", 0, "--log", 5, "--trace", "otel", output=None)
            def seen():
                return {(sample.attributes["trace_id"], sample.attributes["span_id"])
                        for received in list(receiver.received) for sample in received.profile.otlp.samples
                        if "trace_id" in sample.attributes}
            profiler.wait_until(lambda: len(seen()) >= 5, what="spans")
            interrupt_when_pushed(run, receiver, [target.pid])
            run.finish()
            found = seen()
        target.process.kill()
        told = {tuple(line.split()) for line in target.process.stdout}
    assert len(found) >= 5 and found <= told
    messages = [received.profile.otlp for received in receiver.received]
    outside = [sample for message in messages for sample in message.samples
               if "trace_id" not in sample.attributes]
    assert outside and sums_of(messages)["samples", "count"] == run.stats["profile"]["samples"]


@pytest.mark.all
def test_what_the_log_has_lost_is_pushed_without_times(tmp_path):
    """It is written over, as nobody reads it for a while. That is said once, and once when it is over."""
    with profiler.target(known.newest().path, profiler.ROOT / "tests/workloads/parallel.py") as target:
        with receiving("otlp") as receiver:
            run = profiler.Run(tmp_path, "--push", receiver.url, "--interval", 0.5, "-p", target.pid, "-F",
                               9999, "--budget", 0, "--log", 1, output=None)
            profiler.wait_until(lambda: receiver.received, what="push")
            run.process.send_signal(signal.SIGSTOP)
            before = profiler.cpu_seconds(target.pid)
            profiler.wait_until(lambda: profiler.cpu_seconds(target.pid) - before > 3, what="CPU time")
            run.process.send_signal(signal.SIGCONT)
            profiler.wait_until(lambda: "pushed with times again" in said(run), what="times")
            end(run)
    assert run.err.count("pushed without times: the log has not all of an interval") == 1
    timed = [any(sample.times[type_] for sample in received.profile.otlp.samples for type_ in sample.times)
             for received in receiver.received]
    assert True in timed and False in timed


@pytest.mark.all
def test_over_many_generations(tmp_path):
    """Tables that are full again and again: what the log names is kept, no tick is lost or there twice."""
    with profiler.targets([(known.newest().path, "-c", MAKER)] * 2) as makers:
        with receiving("otlp") as receiver:
            pids = [maker.pid for maker in makers]
            run = profiler.Run(tmp_path, "-p", ",".join(map(str, pids)), "-F", 1997, "--tree-size", 4096,
                               "--log", 5, "--interval", 0.7, "--push", receiver.url, output=None)
            try:
                profiler.let_use_cpu(run, pids, 6)
                interrupt_when_pushed(run, receiver, pids)
                run.finish()
            finally:
                run.kill()
    assert run.stats["profile"]["generations"] >= 2 and "without times" not in run.err
    messages = [received.profile.otlp for received in receiver.received]
    assert sums_of(messages)["samples", "count"] == run.stats["profile"]["samples"] > 1000
    run.samples = [s for received in receiver.received for s in profiler.samples_of(received.profile)]
    run.check_books()
