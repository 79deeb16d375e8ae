# SPDX-License-Identifier: GPL-2.0-only
"""--log: any stretch of the last minutes over HTTP, which has exactly what windows over the same time have,
and says when it was, also of generations of the call tree that are over."""
import calendar
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import jsonschema
import pytest

import formats
import interpreters as known
import otlp
import pprof
import profiler
import viewers
from makers import MAKER
from serving import Later, server

LOG = "/debug/pyperf/log"


def states(pid):
    """Those of all threads: each stops by itself."""
    tasks = pathlib.Path("/proc/%d/task" % pid).iterdir()
    return {(task / "stat").read_text().rpartition(")")[2].split()[0] for task in tasks}


def stop(pid):
    os.kill(pid, signal.SIGSTOP)
    profiler.wait_until(lambda: states(pid) == {"T"}, what="stopped target")


def let_run(pid, seconds):
    """The time between two stops, in which it uses so much CPU time. Returns when that was."""
    begin, before = time.time(), profiler.cpu_seconds(pid)
    os.kill(pid, signal.SIGCONT)
    profiler.wait_until(lambda: profiler.cpu_seconds(pid) - before >= seconds, what="CPU time")
    stop(pid)
    return begin, time.time()


def stacks(body, kind=("samples", "count")):
    """{names, root first: sum}"""
    found, profile = collections.Counter(), pprof.parse(body)
    at = [tuple(t) for t in profile.sample_types].index(kind)
    for sample in profile.samples:
        found[tuple(sample.names)] += sample.values[at]
    return +found


def test_a_stretch_is_what_a_window_has(tmp_path, workloads):
    """Two windows, each while the target ran between two stops; afterwards the log has both stretches."""
    with profiler.target(known.usual().path, workloads / "eight.py") as target:
        with server(tmp_path, "--pid", target.pid, "-F", 1999, "--log", 5) as s:
            stop(target.pid)
            windows, times = [], []
            for _ in range(2):
                later = Later(s.get, "/debug/pprof/profile?seconds=6")
                s.wait_for_open(1)
                times.append(let_run(target.pid, 0.1))  # within the window, beside many others too
                windows.append(later.get())
            logs = [s.get("%s?from=%f&to=%f" % (LOG, *stretch)) for stretch in times]
            both = s.get("%s?from=%f&to=%f" % (LOG, times[0][0], times[1][1]))
            last = s.get("%s?last=600" % LOG)
            part = s.get("%s?last=600&comm=nobody" % LOG)
            nothing = s.get("%s?from=1&to=2" % LOG)
    for window, log in zip(windows, logs):
        assert log.status == 200, log
        assert stacks(log.body) == stacks(window.body)
        assert sum(stacks(log.body).values()) > 100
    assert stacks(both.body) == stacks(logs[0].body) + stacks(logs[1].body)
    assert not stacks(both.body) - stacks(last.body)  # which has what was before the first stop, too
    assert not stacks(part.body)
    assert nothing.status == 404 and b"nothing of that time" in nothing.body


def test_it_outlives_generations(tmp_path):
    """The tables that the log's nodes are of are emptied again and again. Nothing gets lost by that: it has
    what the profile of the whole run has."""
    with profiler.target(known.usual().path, "-c", MAKER) as target:
        with server(tmp_path, "--pid", target.pid, "-F", 997, "--log", 60, "--tree-size", 4096,
                    output="whole.pb.gz") as s:
            profiler.wait_until(lambda: s.metric("generations_total") > 1, what="generations")
            stop(target.pid)
            log = s.get(LOG)
            s.end()
    assert log.status == 200, log
    assert stacks(log.body) == stacks((tmp_path / "whole.pb.gz").read_bytes())


def pieces(file, name):
    """[(begin, end)] in which a function was open, in ns after the begin of a file of speedscope."""
    frames = [frame["name"] for frame in file["shared"]["frames"]]
    found, opened = [], None
    evented = [profile for profile in file["profiles"] if profile["type"] == "evented"]
    for event in evented[0]["events"]:
        if frames[event["frame"]] != name:
            continue
        if event["type"] == "O":
            opened = event["at"]
        else:
            found.append((opened, event["at"]))
    return found


@pytest.fixture(scope="module")
def told(tmp_path_factory, workloads):
    """What the log says of a program, as a file of speedscope, and what the program says of itself."""
    with profiler.target(known.usual().path, workloads / "sleeps.py", stdin=subprocess.PIPE) as target:
        with server(tmp_path_factory.mktemp("log"), "--pid", target.pid, "-F", 499, "--log", 5, "--event",
                    "cpu,offcpu") as s:
            target.tell()
            account = [json.loads(target.process.stdout.readline()) for _ in range(10)]
            stretch = "%s?from=%f&to=%f&format=" % (LOG, account[0][1] - 0.5, time.time())
            answers = [s.get(stretch + name) for name in ("speedscope", "otlp", "pprof")]
            assert {answer.status for answer in answers} == {200}, answers
    return account, json.loads(answers[0].body), *(answer.body for answer in answers[1:])


def test_when_it_was(told):
    """Each sleep that the log has lies within what the program says of it; all that began in time are there.
    Computing is where the program says, but for a tick at each end."""
    account, file, _, _ = told
    date, _, fraction = file["name"].removesuffix(" UTC").partition(".")
    begin = calendar.timegm(time.strptime(date, "%Y-%m-%d %H:%M:%S")) + float("0." + fraction)
    slack = 0.02
    for what in "rest", "compute":
        own = [(from_ - begin, to - begin) for name, from_, to in account if name == what]
        seen = [(from_ / 1e9, to / 1e9) for from_, to in pieces(file, what)]
        assert seen
        for from_, to in seen:
            assert any(a - slack <= from_ and to <= b + slack for a, b in own), (what, (from_, to), own)
    rests = [to - from_ for from_, to in pieces(file, "rest")]
    assert sum(1 for ns in rests if ns > 0.19e9) >= 3, rests


def test_times_in_otlp(told):
    """Each tick has its time, each wait that of its begin, all of them in the stretch (tests/lib/otlp.py)
    and where the program says that it computed, or slept. The values are those that pprof has."""
    account, _, of_otlp, of_pprof = told
    found = otlp.parse(of_otlp)
    for type_ in ("samples", "count"), ("offcpu", "nanoseconds"):
        assert found.total(*type_) == sum(stacks(of_pprof, type_).values()) > 0
    slack = 0.02
    for what, type_, one in (("compute", ("samples", "count"), 1), ("rest", ("offcpu", "nanoseconds"), None)):
        own = [(from_, to) for name, from_, to in account if name == what]
        times = [each for sample in found.samples for each in sample.times.get(type_, ())
                 if what in [frame.function for frame in sample.frames]]
        assert len(times) >= len(own) - 1
        for ns, value in times:
            assert one in (None, value)
            assert any(a - slack <= ns / 1e9 <= b + slack for a, b in own), (what, ns, own)


def test_the_published_schema_takes_it(told):
    schema = viewers.find("speedscope") / "dist/release/file-format-schema.json"
    jsonschema.validate(told[1], json.loads(schema.read_text()))
    for profile in told[1]["profiles"]:
        if profile["type"] != "evented":
            continue
        open_frames, last = [], 0
        for event in profile["events"]:
            assert last <= event["at"] <= profile["endValue"]
            last = event["at"]
            if event["type"] == "O":
                open_frames.append(event["frame"])
            else:
                assert open_frames.pop() == event["frame"]
        assert not open_frames


def paused(process, target, seconds):
    """The profiler does not run while the target uses so much CPU time."""
    before = profiler.cpu_seconds(target.pid)
    process.send_signal(signal.SIGSTOP)
    try:
        profiler.wait_until(lambda: profiler.cpu_seconds(target.pid) - before >= seconds, what="CPU time")
    finally:
        process.send_signal(signal.SIGCONT)


def test_what_it_loses_is_told(tmp_path, workloads):
    """The rings are not read in time: all that is lost is counted, and each answer says so."""
    with profiler.target(known.usual().path, workloads / "burn.py") as target, \
            server(tmp_path, "--pid", target.pid, "-F", 4999, "--log", 5) as s:
        profiler.let_use_cpu(s.run, [target.pid], 0.2)
        whole = s.get(LOG)
        assert whole.status == 200 and "Pyperf-Log-Lost" not in whole.headers
        paused(s.run.process, target, 4)
        stop(target.pid)
        answers = [s.get("%s?format=%s" % (LOG, name)) for name in ("pprof", "folded")]
        metrics = s.metrics()
        lost = metrics["pyperf_log_lost_total", ()]
    assert lost > 0
    for answer in answers:
        span = re.fullmatch(r"(\d+) from (\S+)Z to (\S+)Z", answer.headers["Pyperf-Log-Lost"])
        assert int(span[1]) == lost and span[2] < span[3]
    assert any(comment.endswith(answers[0].headers["Pyperf-Log-Lost"])
               for comment in pprof.parse(answers[0].body).comments)
    there = sum(stacks(answers[0].body).values())
    assert there == metrics["pyperf_log_samples_total", ()]
    assert there + lost == sum(value for (name, labels), value in metrics.items()
                               if name == "pyperf_outcomes_total" and ("place", "outside") not in labels)
    assert 0 < metrics["pyperf_log_bytes", ()] and 0 < metrics["pyperf_log_seconds", ()] <= 300


def test_it_is_written_when_somebody_says_so(tmp_path, workloads):
    """By SIGUSR2 all of it, by POST a stretch; each time the file is whole, and replaced."""
    path = tmp_path / "incident.pb.gz"
    with profiler.target(known.usual().path, workloads / "burn.py") as target, \
            server(tmp_path, "--pid", target.pid, "-F", 499, "--log", 5, "--log-file", path) as s:
        begin, end = let_run_from_start(target.pid)
        assert not path.exists()
        os.killpg(s.run.process.pid, signal.SIGUSR2)  # pidof names its worker and the others, too
        profiler.wait_until(lambda: s.metric("log_files_written_total") == 1, what="file")
        everything, asked = stacks(path.read_bytes()), s.get(LOG)
        assert everything == stacks(asked.body) and sum(everything.values()) > 50
        middle = (begin + end) / 2
        answer = s.post("%s?from=%f&to=%f" % (LOG, begin, middle), body=b"not read")
        assert answer.status == 202 and str(path).encode() in answer.body
        profiler.wait_until(lambda: s.metric("log_files_written_total") == 2, what="file")
        part = stacks(path.read_bytes())
        assert part == stacks(s.get("%s?from=%f&to=%f" % (LOG, begin, middle)).body)
        assert 0 < sum(part.values()) < sum(everything.values())
        for query, status in (("from=1&to=2", 404), ("format=folded", 400), ("pid=1", 400), ("last=x", 400),
                              ("trace=x", 400), ("trace=" + "ab" * 16, 400)):
            assert s.post("%s?%s" % (LOG, query)).status == status
        for header, value in (("Sec-Fetch-Site", "cross-site"), ("Origin", "http://evil.example"),
                              ("Origin", "null")):
            assert s.post(LOG, headers={header: value}).status == 403
        assert s.get(LOG, method="POST", body=b"text").status == 415
        assert s.get("/metrics", method="POST").status == 405
        assert s.get(LOG, method="PUT").headers["Allow"] == "GET, POST"
        assert s.metric("log_files_failed_total") == 0
        assert [entry.name for entry in tmp_path.iterdir() if "incident" in entry.name] == [path.name]
        s.run.process.send_signal(signal.SIGUSR2)  # and the end: it is written all the same
        s.end()
    assert stacks(path.read_bytes()) == everything


def let_run_from_start(pid):
    stop(pid)
    return let_run(pid, 1)


@pytest.mark.all
def test_a_file_that_cannot_be_written(tmp_path, workloads):
    run = profiler.run(tmp_path, "-a", "-d", 1, "--log", 1, "--log-file", "/nowhere/file.pb.gz", code=1)
    assert run.err.count("\n") == 1 and "/nowhere/file.pb.gz" in run.err
    for arguments in (("--log-file", "x"), ("--log", 1, "--log-file", ""), ("--log", 1, "--log-file", "-")):
        run = profiler.run(tmp_path, "-a", "-d", 1, *arguments, code=2)
        assert run.err.count("\n") == 1 and "--log-file" in run.err
    folder = tmp_path / "gone"
    folder.mkdir()
    with server(tmp_path, "--all-python", "--log", 1, "--log-file", folder / "file.folded") as s:
        folder.rmdir()
        s.run.process.send_signal(signal.SIGUSR2)
        profiler.wait_until(lambda: s.metric("log_files_failed_total") == 1, what="failure")
        folder.mkdir()
        assert s.post(LOG).status == 202
        profiler.wait_until(lambda: s.metric("log_files_written_total") == 1, what="file")
        assert (folder / "file.folded").exists()


def test_without_a_file(tmp_path):
    with server(tmp_path, "--all-python", "--log", 1) as s:
        s.run.process.send_signal(signal.SIGUSR2)
        answer = s.post(LOG)
        assert answer.status == 404 and b"--log-file FILE" in answer.body
        profiler.wait_until(lambda: b"--log-file FILE" in os.pread(s.run.streams[1].fileno(), 1 << 16, 0),
                            what="warning")
        assert s.get("/readyz").status == 200


@pytest.mark.parametrize("query, word", [("last=0", "last"), ("last=x", "last"), ("from=2&to=1", "after"),
                                         ("last=1&from=1", "without"), ("seconds=1", "last, from, to"),
                                         ("last=1&last=2", "twice"), ("from=1e5", "from")])
def test_bad_queries(log_server, query, word):
    answer = log_server.get("%s?%s" % (LOG, query))
    assert answer.status == 400 and word.encode() in answer.body, answer
    assert answer.body.count(b"\n") == 1


@pytest.fixture(scope="module")
def log_server(tmp_path_factory):
    with server(tmp_path_factory.mktemp("log"), "--all-python", "--log", 1) as s:
        yield s


def test_without_it(tmp_path):
    with server(tmp_path, "--all-python") as s:
        answer = s.get("%s?last=10" % LOG)
    assert answer.status == 404 and b"--log MINUTES" in answer.body


def test_every_format(log_server):
    for format in formats.FORMATS:
        answer = log_server.get("%s?last=10&format=%s" % (LOG, format.name))
        assert answer.status == 200 and answer.headers["Content-Type"] == format.type


PHASES = """
import time
def burn(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass
def first():
    burn(0.3)
def second():
    burn(0.3)
first()
second()
first()
"""


@pytest.mark.parametrize("python", known.of_versions("3.11", "3.15"), ids=str)
def test_a_run_ends_with_its_log(python, tmp_path):
    """In its file are times: what came first is first."""
    run = profiler.run(tmp_path, "-F", 499, "--log", 2, "--", python.path, "-c", PHASES,
                       output="x.firefox.json")
    file, order = json.loads(run.path.read_text()), []
    shared = file["shared"]
    names = [shared["stringArray"][name] for name in shared["funcTable"]["name"]]
    callers, samples = shared["stackTable"]["prefixOffset"], file["threads"][0]["samples"]
    assert len(samples["stack"]) > 30 and samples["time"] == sorted(samples["time"])
    for stack in samples["stack"]:
        while True:
            name = names[shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]]
            if name in ("first", "second") and order[-1:] != [name]:
                order.append(name)
            if not callers[stack]:
                break
            stack -= callers[stack]
    assert order == ["first", "second", "first"]
    assert sum(samples["weight"]) == run.stats["profile"]["samples"]
