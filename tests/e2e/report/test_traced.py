# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf report --trace ID`: one request of a program under OpenTelemetry's SDK, against what the
program says of itself: its ids, and when it was. A log in OTLP has what the same log has in pprof, and its
times."""
import calendar
import collections
import json
import subprocess
import sysconfig
import time
import urllib.error
import urllib.request

import jsonschema
import pytest

import interpreters as known
import pprof
import profiler
from pprof_rows import report
from serving import server

LOG = "/debug/pyperf/log"
SCHEMA = json.loads((profiler.ROOT / "docs" / "schemas" / "report.json").read_text())
PACKAGES = sysconfig.get_paths()["purelib"]  # those of the SDK are Python alone
ALL = "--top", 1000000
SLEEP = 0.3
PROGRAM = """
import json, sys, threading, time
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
tracer = TracerProvider().get_tracer("test")
told = threading.Event()
def rest():
    time.sleep(%f)
def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
def request():
    begin = time.time()
    with tracer.start_as_current_span("request") as span:
        spin(0.2)
        rest()
        with tracer.start_as_current_span("inner"):
            spin(0.2)
    print(json.dumps(["%%032x" %% span.get_span_context().trace_id, begin, time.time()]), flush=True)
def listen():
    sys.stdin.readline()
    told.set()
threading.Thread(target=listen, daemon=True).start()
print("{}", flush=True)
with tracer.start_as_current_span("found by this one"):
    while not told.is_set():
        spin(0.01)
request()
spin(0.2)
request()
request()
time.sleep(1000)
""" % SLEEP


class Recorded:
    def __init__(self, folder, url, requests):
        self.otlp, self.pprof = folder / "log.otlp.gz", folder / "log.pb.gz"
        self.url, self.requests = url, requests


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("traced")
    with profiler.target(known.usual().path, "-c", PROGRAM, stdin=subprocess.PIPE,
                         env={"PYTHONPATH": PACKAGES, "PATH": "/usr/bin:/bin"}) as target:
        with server(folder, "--pid", target.pid, "-F", 499, "--budget", 0, "--log", 5, "--event",
                    "cpu,offcpu", "--trace", "otel", "--log-file", folder / "log.otlp.gz") as s:
            profiler.wait_until(lambda: s.metric("trace_spans_total") >= 1, what="spans")
            target.tell()
            requests = [json.loads(target.process.stdout.readline()) for _ in range(3)]
            end = requests[-1][2]  # all that was of the first two is over
            answer = s.get("%s?trace=each&to=%f" % (LOG, end))
            assert answer.status == 200
            (folder / "log.pb.gz").write_bytes(answer.body)
            assert s.post("%s?to=%f" % (LOG, end)).status == 202
            profiler.wait_until(lambda: s.metric("log_files_written_total") == 1, what="file")
            yield Recorded(folder, s.url, requests)


def answer(*arguments):
    found = json.loads(report("--json", *arguments))
    jsonschema.validate(found, SCHEMA)
    return found


OTHERS = "function", "native", "thread", "process", "label:span_id"


@pytest.mark.parametrize("by", ["line", "label:trace_id",
                                *(pytest.param(by, marks=pytest.mark.all) for by in OTHERS)])
def test_otlp_is_what_pprof_is(recorded, by):
    """The same log in both formats: the same tables, row by row. OTLP has no profile of what never was."""
    profile = pprof.parse(recorded.pprof.read_bytes())
    there = [kind for i, (kind, _) in enumerate(profile.sample_types)
             if any(sample.values[i] for sample in profile.samples)]
    for event in "samples", "cpu", "offcpu":
        of_otlp, of_pprof = (answer("--by", by, "--event", event, *ALL, path)
                             for path in (recorded.otlp, recorded.pprof))
        events = of_pprof["profile"]["events"]
        of_pprof["profile"]["events"] = [each for each in events if each["event"] in there]
        assert of_otlp["profile"] == of_pprof["profile"] and of_otlp["profile"]["total"] > 0
        assert of_otlp["tables"] == of_pprof["tables"]
        assert of_otlp["books"] == of_pprof["books"]


def of_trace(recorded, trace_id):
    """{event: amount} of the samples with that id, in the tests' reading."""
    profile, found = pprof.parse(recorded.pprof.read_bytes()), collections.defaultdict(int)
    for sample in profile.samples:
        if sample.labels.get("trace_id") == trace_id:
            for (kind, _), value in zip(profile.sample_types, sample.values):
                found[kind] += value
    return found


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("source", ["otlp", "url"])
def test_a_request(recorded, number, source):
    """The time of each event is that of its samples; when it was, the program says, and nothing else is
    there."""
    trace_id, begin, end = recorded.requests[number]
    found = answer("--trace", trace_id, *ALL, getattr(recorded, source))
    want, trace = of_trace(recorded, trace_id), found["trace"]
    totals = {table["event"]: table["event_total"] for table in found["tables"]}
    assert totals == {kind: value for kind, value in want.items() if value and kind != "samples"}
    assert {"cpu", "offcpu"} <= totals.keys() and trace["spans"] == 2
    sums, rests, last = collections.Counter(), [], 0
    thread, = trace["threads"]
    for stretch in thread["stretches"]:
        sums[stretch["event"]] += stretch["amount"]
        assert stretch["after"] >= last and stretch["after"] + stretch["seconds"] <= trace["seconds"] + 1e-6
        last = stretch["after"]
        if stretch["event"] == "offcpu" and stretch["name"] == "rest":
            rests.append(stretch)
    assert sums == totals and not thread["left_out"]
    slack = 0.02
    assert trace["begin"].endswith("Z") and len(trace["begin"]) == len("2026-11-25T23:38:26.095656272Z")
    first = unix_seconds(trace["begin"])
    assert begin - slack <= first and first + trace["seconds"] <= end + slack
    assert sum(each["seconds"] for each in rests) > 0.9 * SLEEP
    assert 0.1 < totals["cpu"] / 1e9 < 0.8
    assert {stretch["span_id"] for stretch in rests} < {stretch["span_id"] for stretch in thread["stretches"]}


def unix_seconds(text):
    return calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) + float("0." + text[20:-1])


def test_as_text(recorded):
    trace_id = recorded.requests[0][0]
    text = report("--trace", trace_id.upper(), "--top", 2, recorded.otlp)
    found = answer("--trace", trace_id, "--top", 2, recorded.otlp)
    assert text.startswith("Trace %s: %.4f s from " % (trace_id, found["trace"]["seconds"]))
    assert ", 1 thread, 2 spans\n" in text and "Time line of thread " in text
    for title in "Hottest lines of cpu", "Threads of cpu", "Hottest lines of offcpu", "Threads of offcpu":
        assert "\n%s\n" % title in text
    for stretch in found["trace"]["threads"][0]["stretches"]:
        assert "%9.1f ms%9.1f ms  %s  %s (" % (1000 * stretch["after"], 1000 * stretch["seconds"],
                                               stretch["event"], stretch["name"]) in text
    # It works, sleeps and works: three at least, and on a machine where nothing else runs no more.
    assert len(found["trace"]["threads"][0]["stretches"]) == 2
    left_out = found["trace"]["threads"][0]["left_out"]
    assert left_out and "%d shorter ones are not shown (--top)" % left_out in text.replace(",", "")


def test_what_is_not_known_is_said(recorded):
    """A profile has no times; what has no ids may have been of the request."""
    trace_id = recorded.requests[0][0]
    found = answer("--trace", trace_id, recorded.pprof)
    assert {"no_times", "without_ids"} <= {note["code"] for note in found["notes"]}
    assert not found["trace"]["threads"] and found["trace"]["spans"] == 2
    assert {note["code"] for note in answer("--trace", trace_id, recorded.otlp)["notes"]} >= {"without_ids"}
    comment, = answer("--trace", trace_id, recorded.url)["books"]["comments"]
    assert "ticks of the log are in no span" in comment


def test_http_says_the_same(recorded):
    """Of the profiler itself, without the command; but for the ticks of others, which go on."""
    trace_id = recorded.requests[0][0]
    query = "%s%s?trace=%s&format=report" % (recorded.url, LOG, trace_id)
    with urllib.request.urlopen(query + "-json&top=20") as reply:
        assert reply.headers["Content-Type"] == "application/json"
        found = json.load(reply)
    jsonschema.validate(found, SCHEMA)
    want = answer("--trace", trace_id, "--top", 20, recorded.url)
    assert found["tables"] == want["tables"]
    for each in found, want:  # the clocks move against each other
        del each["trace"]["begin"]
    assert found["trace"] == want["trace"]
    with urllib.request.urlopen(query) as reply:
        text = reply.read().decode()
    assert text.partition("\nComments")[0] == report("--trace", trace_id,
                                                     recorded.url).partition("\nComments")[0]
    for wrong, code in (("trace=%s&format=report" % ("ab" * 16), 404), ("top=x", 400), ("format=rep", 400),
                        ("format=report", 400), ("trace=each&format=report-json", 400)):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen("%s%s?%s" % (recorded.url, LOG, wrong))
        assert refused.value.code == code and refused.value.read().count(b"\n") == 1


def test_views_are_of_the_request(recorded):
    trace_id = recorded.requests[0][0]
    want = of_trace(recorded, trace_id)
    for view in ("--by", "function"), ("--tree",), ("--callers", "spin"), ("--lines", "spin"):
        found = answer("--trace", trace_id, "--event", "cpu", *view, recorded.otlp)
        assert found["profile"]["total"] == want["cpu"]
    assert answer("--trace", trace_id, "--by", "label:trace_id", recorded.otlp)["tables"][0]["rows"][0][
        "name"] == trace_id


def run(*arguments):
    return subprocess.run([profiler.BINARY, "report", *map(str, arguments)], capture_output=True, text=True,
                          timeout=240)


def test_one_that_is_not_there(recorded):
    for source in recorded.otlp, recorded.pprof, recorded.url:
        done = run("--trace", "ab" * 16, source)
        assert done.returncode == 3 and not done.stdout
        assert done.stderr.count("\n") == 1 and "nothing was sampled for trace " + "ab" * 16 in done.stderr
    for arguments, word in ((("--trace", "ab"), "32 hexadecimal digits"), (("--trace", "each"), "32"),
                            (("--trace", "ab" * 16, "--findings"), "--findings")):
        done = run(*arguments, recorded.otlp)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and word in done.stderr
