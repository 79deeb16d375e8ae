# SPDX-License-Identifier: GPL-2.0-only
"""A receiver of pushed profiles that takes nothing on trust: method, path, query, content type, length and
the profile itself are checked as Pyroscope's two ways to push, the gRPC gateway of Parca and a collector
of OpenTelemetry do, and more. What is wrong is in `faults`, what was right in `received`; an answer can be
made to go wrong with `behave`."""
import base64
import contextlib
import gzip
import json
import os
import re
import signal
import threading
import time
import urllib.parse
from typing import NamedTuple

import otlp
import labels as label_rows
import pprof
import profiler
from local_server import LocalServer, reply


class Received(NamedTuple):
    kind: str
    service: str
    node: str
    profile: pprof.Profile
    headers: dict
    bytes: int  # of the profile, uncompressed
    when: float  # time.monotonic()
    labels: dict  # of the series, all of them


# Names that labels of pods have in the tests; others are none.
POD_LABELS = ("app", "app_kubernetes_io_name", "label_pod")


class Fault(Exception):
    pass


class NotHere(Exception):
    pass


def demand(condition, text):
    if not condition:
        raise Fault(text)


def read_pprof(data):
    demand(data[:2] == b"\x1f\x8b", "not gzip")
    raw = gzip.decompress(data)
    try:
        profile = pprof.parse(raw)
    except ValueError as error:
        raise Fault("pprof: %s" % error) from error
    demand(len(profile.samples) <= 16000, "more than 16,000 samples")
    demand(len(raw) <= 2 << 20, "more than 2 MiB")
    take_books(profile)
    demand(profile.sample_types == [("samples", "count"), ("cpu", "nanoseconds")], "sample types")
    demand(profile.samples, "an empty profile")
    demand(not any(sample.labels for sample in profile.samples), "labels that would be series of their own")
    return profile, len(raw)


def take_books(profile):
    """What is left is as it is in a file; the books are in profile.books, by what they count."""
    demand(profile.sample_types.pop() == ("books", "count"), "no books")
    profile.books, samples = {}, profile.samples
    profile.samples = []
    for sample in samples:
        amount = sample.values.pop()
        if amount:
            demand(not any(sample.values) and sample.names[:1] == ["[books]"] and len(sample.names) == 2,
                   "a sample of the books")
            profile.books[sample.names[1]] = amount
        else:
            profile.samples.append(sample)
    demand(profile.books["profiles"] == 1, "books of a profile")


def read_pyroscope(path, content_type, body):
    """push/v1/push.proto of Pyroscope's: one series with one profile."""
    demand(path == "/push.v1.PusherService/Push", "path %s" % path)
    demand(content_type == "application/proto", "content type %s" % content_type)
    request = pprof.decode(body)
    demand(set(request) == {1} and len(request[1]) == 1, "request")
    series = pprof.decode(request[1][0])
    pairs = [pprof.decode(data) for data in series[1]]
    pairs = [(pair[1][0].decode(), pair[2][0].decode()) for pair in pairs]
    check_labels(pairs, {"__name__", "__delta__", "pyroscope_spy", "node", "service_name"})
    demand(all(re.fullmatch("[A-Za-z0-9_.-]+", value) for _, value in pairs), "values %s" % pairs)
    labels = dict(pairs)
    demand(labels.pop("__name__") == "process_cpu", "__name__")
    demand(labels.pop("__delta__") == "false", "__delta__")
    demand(labels.pop("pyroscope_spy") == "pyperf-bpf", "pyroscope_spy")
    demand(len(series[2]) == 1, "samples")
    profile, size = read_pprof(pprof.decode(series[2][0])[1][0])
    return labels.pop("service_name"), labels, profile, size


def read_ingest(path, content_type, body):
    """A Pyroscope without that service."""
    if path == "/push.v1.PusherService/Push":
        raise NotHere
    split = urllib.parse.urlsplit(path)
    demand(split.path == "/ingest", "path %s" % split.path)
    query = urllib.parse.parse_qs(split.query, strict_parsing=True)
    demand(set(query) == {"name", "from", "until", "format", "spyName"}, "query %s" % sorted(query))
    demand(all(len(values) == 1 for values in query.values()), "a key twice")
    demand(query["format"] == ["pprof"], "format")
    label = r"[A-Za-z0-9_]+=[A-Za-z0-9_.-]+"
    name = re.fullmatch(r"([A-Za-z0-9_.-]+)\{(%s(?:,%s)*)\}" % (label, label), query["name"][0])
    demand(name, "name %s" % query["name"])
    pairs = [pair.split("=") for pair in name[2].split(",")]
    check_labels(pairs, {"node"})
    demand(content_type == "application/octet-stream", "content type %s" % content_type)
    profile, size = read_pprof(body)
    start, until = int(query["from"][0]), int(query["until"][0])
    demand(start <= profile.time_nanos / 1e9 < start + 1, "from")
    demand(0 <= until - (profile.time_nanos + profile.duration_nanos) / 1e9 <= 1, "until")
    return name[1], dict(pairs), profile, size


def check_labels(pairs, needed):
    names = [name for name, _ in pairs]
    demand(len(set(names)) == len(names) and needed <= set(names), "labels %s" % names)
    demand(set(names) <= needed | {*label_rows.keys(place="IN_SERIES"), *POD_LABELS}, "labels %s" % names)


def read_parca(path, content_type, body):
    demand(path == "/api/profiles/writeraw", "path %s" % path)
    demand(content_type == "application/json", "content type %s" % content_type)
    request = json.loads(body)
    demand(set(request) == {"normalized", "series"} and request["normalized"] is True,
           "fields %s" % sorted(request))
    demand(len(request["series"]) == 1, "series")
    series = request["series"][0]
    demand(set(series) == {"labels", "samples"} and set(series["labels"]) == {"labels"},
           "fields of the series")
    pairs = [(label["name"], label["value"]) for label in series["labels"]["labels"]]
    check_labels(pairs, {"__name__", "node", "service_name"})
    labels = dict(pairs)
    demand(labels["__name__"] == "process_cpu", "__name__")
    demand(len(series["samples"]) == 1 and set(series["samples"][0]) == {"rawProfile"}, "samples")
    profile, size = read_pprof(base64.b64decode(series["samples"][0]["rawProfile"], validate=True))
    return labels["service_name"], labels, profile, size


def read_parca_grpc(path, content_type, body):
    """A Parca without its gateway: gRPC-Web, one message that is not compressed."""
    if path == "/api/profiles/writeraw":
        raise NotHere
    demand(path == "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw", "path %s" % path)
    demand(content_type == "application/grpc-web+proto", "content type %s" % content_type)
    demand(body[0] == 0 and int.from_bytes(body[1:5], "big") == len(body) - 5, "frame")
    request = pprof.decode(body[5:])
    demand(set(request) == {2, 3} and request[3] == [1] and len(request[2]) == 1, "request")
    series = pprof.decode(request[2][0])
    labels = [pprof.decode(data) for data in pprof.decode(series[1][0])[1]]
    pairs = [(label[1][0].decode(), label[2][0].decode()) for label in labels]
    check_labels(pairs, {"__name__", "node", "service_name"})
    labels = dict(pairs)
    demand(len(series[2]) == 1, "samples")
    profile, size = read_pprof(pprof.decode(series[2][0])[1][0])
    return labels["service_name"], labels, profile, size


def read_otlp(path, content_type, body):
    """A service's processes and threads are told apart, and all that is measured is in one message."""
    demand(path == "/v1development/profiles", "path %s" % path)
    demand(content_type == "application/x-protobuf", "content type %s" % content_type)
    demand(body[:2] == b"\x1f\x8b", "not gzip")
    size = len(gzip.decompress(body))
    demand(size <= 20 << 20, "more than 20 MiB")
    profiles = otlp.parse(body)
    demand(profiles.samples, "an empty profile")
    services = {resource["service.name"] for resource in profiles.resources}
    demand(len(services) == 1, "services %s" % services)
    profile = profiles.as_pprof()
    profile.otlp = profiles
    ticks = profile.sample_types[:2] == [("samples", "count"), ("cpu", "nanoseconds")]
    # An interval may have no tick, and one wait that ended: for a CPU, too, where others have them all.
    waits = {("offcpu", "nanoseconds"), ("runqueue", "nanoseconds")} & set(profile.sample_types)
    demand(ticks or waits, "sample types %s" % profile.sample_types)
    resource = profiles.resources[0]
    labels = {"node": resource["host.name"], **profiles.samples[0].labels}
    labels.update((key, value) for key, value in resource.items() if key.startswith("k8s.pod.label."))
    return services.pop(), labels, profile, size


READERS = {"pyroscope": read_pyroscope, "pyroscope-ingest": read_ingest,
           "parca": read_parca, "parca-grpc": read_parca_grpc, "otlp": read_otlp}
GRPC_OK = b"\0\0\0\0\0" + b"\x80\0\0\0\x0fgrpc-status: 0\r"  # an empty message, then the trailers


class Receiver(LocalServer):
    """behave(number): what to do with the request of that number, from 0: None = take it, an int = answer
    with that status, "close" = no answer, a float = take it after so many seconds."""

    METHOD = "POST"

    def __init__(self, kind, certificate=None, headers=None, behave=lambda number: None):
        self.kind, self.headers, self.behave = kind, headers or {}, behave
        self.received, self.faults, self.times = [], [], []
        self.lock = threading.Lock()
        super().__init__(certificate)
        self.url = "%s+http%s://%s" % (kind.split("-")[0], "s" if certificate else "", self.authority)

    def take(self, request, body):
        for name, value in self.headers.items():
            demand(request.headers.get(name) == value, "header %s: %s" % (name, request.headers.get(name)))
        encoding = "gzip" if self.kind == "otlp" else None
        demand(request.headers.get("Content-Encoding") == encoding, "encoding")
        demand(request.headers["User-Agent"].startswith("pyperf-bpf/"), "user agent")
        service, labels, profile, size = READERS[self.kind](request.path, request.headers["Content-Type"],
                                                            body)
        with self.lock:
            self.received.append(Received(self.kind, service, labels["node"], profile, dict(request.headers),
                                          size,
                                          time.monotonic(), labels))

    def answer(self, request):
        body = request.rfile.read(int(request.headers["Content-Length"]))
        with self.lock:
            number = len(self.times)
            self.times.append(time.monotonic())
        action = self.behave(number)
        if action == "close":
            request.close_connection = True
            request.connection.close()
            return
        if isinstance(action, float):
            time.sleep(action)
        status = action if isinstance(action, int) else 200
        if status == 200:
            try:
                self.take(request, body)
            except NotHere:
                status = 404
            except (Fault, ValueError, KeyError, TypeError) as fault:
                with self.lock:
                    self.faults.append(str(fault))
                status = 400
        text = {"parca-grpc": GRPC_OK, "otlp": b""}.get(self.kind, b"{}")
        reply(request, status, text if status == 200 else b"told to fail\n")


@contextlib.contextmanager
def receiving(kind, **options):
    """A profiler has a second at its end for what is left, so it and the receiver have their CPU by then,
    whatever else runs."""
    with profiler.before_others():
        receiver = Receiver(kind, **options)
        try:
            yield receiver
        finally:
            receiver.close()
    assert not receiver.faults, receiver.faults


def interrupt_when_pushed(run, receiver, pids, seconds=4):
    """Whatever ends a run, its last push has a moment only. Here nothing is left for that: all that is
    profiled, these processes, has stopped for so long that nothing more comes. It goes on afterwards. Not for
    --event offcpu: a thread that is stopped waits, and that is pushed each time."""
    came = [0, 0.0]

    def is_quiet():
        if len(receiver.times) != came[0]:
            came[:] = len(receiver.times), time.monotonic()
        return time.monotonic() - came[1] > seconds
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        profiler.wait_until(is_quiet, what="pause of pushes")
        run.interrupt()
        run.process.wait(300)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def finish_push(run, timeout=300):
    """The end of a run that pushes. What was not delivered is said, and if nothing was, that is an error."""
    run.finish(timeout, code=None)
    pushed, dropped = (run.stats["export"][key] for key in ("pushed", "push_dropped"))
    said = re.findall(r"(\w+): (\d+) of (\d+) profiles delivered", run.err)
    level = "warning" if pushed else "error"
    assert said == ([(level, str(pushed), str(pushed + dropped))] if dropped else []), run.err
    assert run.code == (1 if dropped and not pushed else 0), run.err
    return run
