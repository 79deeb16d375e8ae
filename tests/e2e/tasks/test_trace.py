# SPDX-License-Identifier: GPL-2.0-only
"""`--trace otel`: ids of OpenTelemetry's current span in the log of samples, against what a program that runs
the real SDK says itself; as labels, and as links of OTLP."""
import collections
import json
import sysconfig
import time

import pytest

import interpreters as known
import otlp
import pprof
import profiler
from pprof_rows import report
from serving import server

PROGRAM = "spans.py"
LOG = "/debug/pyperf/log"
PACKAGES = sysconfig.get_paths()["purelib"]  # of tests/requirements.txt: those of the SDK are Python alone

PYTHONS = [i for i in known.everything() if i.version >= (3, 10)]  # which this version of the SDK wants
NEWEST = max(PYTHONS, key=lambda i: i.version)
QUICK = ("debian-3.11", NEWEST.name)  # of which two are enough before each change
EACH = [pytest.param(i, id=str(i), marks=() if i.name in QUICK else pytest.mark.all) for i in PYTHONS]


def own_names(sample):
    """Of a wait for the GIL those of the thread that waits: its holder's are above."""
    names = [frame.function for frame in sample.frames]
    return names[names.index("[GIL held by]") + 1:] if "[GIL held by]" in names else names


def compare(samples, truth):
    """Counters of the samples of functions that tell their span, and of those that differ from that. What a
    wait counts for others, which were not looked at, lacks ids: only ticks may not."""
    found, wrong = collections.Counter(), collections.Counter()
    for sample in samples:
        names = [name for name in own_names(sample) if name in truth]
        if len(names) != 1:
            continue
        want, have = truth[names[0]], sample.labels.get("trace_id")
        have = have and [have, sample.labels["span_id"]]
        ticks = sample.values[0]
        if want == have:
            found["right" if want else "none"] += ticks or 1
        elif have is None:
            found["missing"] += ticks
        else:
            wrong[names[0], str(want), str(have)] += 1
    return found, wrong


def start(python, workloads, *arguments):
    return profiler.target(python.path, workloads / PROGRAM, *arguments,
                           env={"PYTHONPATH": str(PACKAGES), "PATH": "/usr/bin:/bin"})


def log(s, query):
    answer = s.get("%s?%s" % (LOG, query))
    assert answer.status == 200, answer
    return answer


def wait_for_spans(s, count):
    """Until so many samples have ids."""
    profiler.wait_until(lambda: s.metric("trace_spans_total") >= count, what="spans")


def sums_by(s, query, key):
    """Ticks of the log by this label."""
    sums = collections.Counter()
    for sample in pprof.parse(log(s, query).body).samples:
        sums[sample.labels.get(key)] += sample.values[0]
    return sums


def check_rows(s, begin):
    """`report` of the server: a row for each trace, or each route, of which there are samples."""
    query = "from=%f&to=%f&trace=each" % (begin, time.time())
    for by, key in ("trace", "trace_id"), ("route", "route"):
        def rows(url):
            (found,) = json.loads(report("--json", "--by", by, "--event", "samples", "--top", 1000000,
                                         url))["tables"]
            assert found["by"] == by
            return {row["name"]: row["self"] for row in found["rows"]}
        sums, found = sums_by(s, query, key), rows("%s%s?%s" % (s.url, LOG, query))
        while sums != (after := sums_by(s, query, key)):  # a tick of before `to` was still on its way
            sums, found = after, rows("%s%s?%s" % (s.url, LOG, query))
        without = sums.pop(None, 0)
        assert found == {name: ticks for name, ticks in sums.items() if ticks} and found and without
        everything = rows(s.url)  # that is asked for its whole log, and told to tell spans apart
        assert all(ticks <= everything[name] for name, ticks in found.items())


@pytest.mark.parametrize("python", EACH)
def test_ids(python, workloads, tmp_path):
    """Interleaved tasks, children, threads, spans within others, ids with zeros: no sample differs."""
    with start(python, workloads) as target:
        with server(tmp_path, "--pid", target.pid, "-F", 997, "--budget", 0, "--log", 5, "--event",
                    "cpu,offcpu", "--trace", "otel", "--log-file", tmp_path / "log.pb.gz") as s:
            wait_for_spans(s, 1)
            begin = time.time()  # from here on no sample may lack them
            wait_for_spans(s, 1000)
            each = pprof.parse(log(s, "from=%f&trace=each" % begin).body)
            plain = pprof.parse(log(s, "last=60").body)
            trace_id = next(sample.labels["trace_id"] for sample in each.samples
                            if "trace_id" in sample.labels)
            one = pprof.parse(log(s, "trace=" + trace_id).body)
            linked = otlp.parse(log(s, "format=otlp&trace=" + trace_id).body)
            nothing = log(s, "trace=" + "ab" * 16)
            unknown = s.metric("trace_unknown_total")
            assert s.post("%s?from=%f" % (LOG, begin)).status == 202
            profiler.wait_until(lambda: s.metric("log_files_written_total") == 1, what="file")
            written = pprof.parse((tmp_path / "log.pb.gz").read_bytes())
            assert s.post("%s?trace=%s" % (LOG, trace_id)).status == 202
            profiler.wait_until(lambda: s.metric("log_files_written_total") == 2, what="file")
            own = (tmp_path / "log.pb.gz").read_bytes()
            assert s.post("%s?trace=%s" % (LOG, "ab" * 16)).status == 202
            profiler.wait_until(lambda: s.metric("log_files_failed_total") == 1, what="order")
            assert (tmp_path / "log.pb.gz").read_bytes() == own
            check_rows(s, begin)
    assert {sample.labels.get("trace_id") for sample in pprof.parse(own).samples} == {trace_id}
    found, wrong = compare(written.samples, target.about)
    assert not wrong and found["missing"] == 0 and found["right"] > 200, (found, wrong)
    found, wrong = compare(each.samples, target.about)
    assert not wrong and found["missing"] == 0, (found, wrong)
    assert found["right"] > 200 and found["none"] > 5, found
    assert unknown == 0
    routes = [(sample.labels["route"], sample.labels["trace_id"]) for sample in each.samples
              if "route" in sample.labels]
    assert len(routes) > 20 and all(route == "/" + trace_id for route, trace_id in routes), routes[:5]
    assert not any("trace_id" in sample.labels for sample in plain.samples)
    assert {sample.labels.get("trace_id") for sample in one.samples} == {trace_id}
    assert linked.samples and {sample.labels.get("trace_id") for sample in linked.samples} == {trace_id}
    found, wrong = compare(linked.as_pprof().samples, target.about)
    assert not wrong and found["right"], (found, wrong)
    assert nothing.headers["Pyperf-Samples"] == "0"


def test_waits_and_children(workloads, tmp_path):
    """Waits, for the GIL as well, have the span that was current when they began; a child that was forked
    within a span has its own; a trace is drawn on a line of time."""
    with start(known.usual(), workloads, "fork") as target:
        with server(tmp_path, "--pid", target.pid, "--children", "-F", 499, "--log", 5, "--event",
                    "cpu,offcpu,gil", "--trace", "otel") as s:
            wait_for_spans(s, 1500)
            profile = pprof.parse(log(s, "trace=each").body)
            ids = next(sample.labels["trace_id"] for sample in profile.samples if "trace_id" in sample.labels)
            line = json.loads(log(s, "format=speedscope&trace=" + ids).body)
    at = [kind for kind, _ in profile.sample_types].index("offcpu")
    waits = [sample for sample in profile.samples if sample.values[at]]
    resting = [sample for sample in waits if any(f.function.startswith("rest") for f in sample.frames)]
    found, wrong = compare(resting, target.about)
    assert not wrong and found["right"] > 1, (found, wrong)
    at = [kind for kind, _ in profile.sample_types].index("gil")
    found, wrong = compare([sample for sample in profile.samples if sample.values[at]], target.about)
    assert not wrong and found["right"] > 10, (found, wrong)
    assert any(thread["type"] == "evented" and thread["events"] for thread in line["profiles"])
    of_child = [sample for sample in profile.samples if sample.labels["pid"] != target.pid]
    found, wrong = compare(of_child, target.about)
    assert not wrong and found["right"] > 20, (found, wrong)


def test_what_is_refused(tmp_path):
    run = profiler.run(tmp_path, "-a", "-d", "1", "--trace", "otel", code=2)
    assert "--log MINUTES" in run.err
    with server(tmp_path, "--all-python", "--log", 1) as s:
        without = s.get(LOG + "?trace=each")
        bad = s.get(LOG + "?trace=12")
    assert without.status == 400 and b"--trace otel" in without.body
    assert bad.status == 400 and b"32 hexadecimal digits" in bad.body
