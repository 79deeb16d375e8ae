# SPDX-License-Identifier: GPL-2.0-only
"""A fleet that is played: what a profiler has really pushed, a few times, is pushed again as if by many
nodes, each with its name, its labels and its times. There is no target and no profiler meanwhile."""
import contextlib
import gzip
import http.client
import os
import queue
import subprocess
import threading
import time
import urllib.parse

import pprof
import profiler
from protobuf import number, text
from receiver import finish_push, receiving
from serving import free_port

# Where it is pushed to, as what; and the kind of receiver that is recorded for it (receiver.py).
PUSH = {"pyroscope": ("/push.v1.PusherService/Push", "application/proto", "pyroscope"),
        "parca": ("/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw", "application/grpc-web+proto",
                  "parca-grpc")}
TIME, NAME, VALUE = 9, 1, 2  # pprof's time_nanos; a label


def record(directory, pids, count, *arguments, interval=15, kind="pyroscope"):
    """The bodies of so many pushes of a run that profiles these processes."""
    bodies = []
    with receiving(PUSH[kind][2]) as receiver:
        take = receiver.take
        receiver.take = lambda request, body: (take(request, body), bodies.append(body))
        run = profiler.Run(directory, "-p", ",".join(map(str, pids)), "--push", receiver.url, "--interval",
                           interval, "--push-timeout", 300, *arguments, output=None)
        profiler.wait_until(lambda: len(bodies) >= count, seconds=300, what="%d pushes" % count)
        run.interrupt()
        finish_push(run)
    return bodies[:count]


class Recorded:
    """One push, to be sent as many."""
    kind = "pyroscope"

    def __init__(self, body):
        series = pprof.decode(pprof.decode(body)[1][0])
        pairs = [pprof.decode(label) for label in series[1]]
        self.labels = {pair[NAME][0].decode(): pair[VALUE][0].decode() for pair in pairs}
        self.profile = pprof.decode(series[2][0])[1][0]
        self.seconds = pprof.parse(gzip.decompress(self.profile)).duration_nanos / 1e9

    def as_of(self, when_ns, **labels):
        """The request that a node with these labels sends. A message behind another one is merged with it,
        and so is a gzip member: only the time is new."""
        profile = self.profile + gzip.compress(number(TIME, when_ns))
        series = b"".join(text(1, text(NAME, name.encode()) + text(VALUE, value.encode()))
                          for name, value in {**self.labels, **labels}.items())
        return text(1, series + text(2, text(1, profile)))


class RecordedForParca(Recorded):
    """The same of a Parca: a message of gRPC-Web, with five bytes before it."""
    kind = "parca"

    def __init__(self, body):
        series = pprof.decode(pprof.decode(body[5:])[2][0])
        pairs = [pprof.decode(label) for label in pprof.decode(series[1][0])[1]]
        self.labels = {pair[1][0].decode(): pair[2][0].decode() for pair in pairs}
        self.profile = pprof.decode(series[2][0])[1][0]
        self.seconds = pprof.parse(gzip.decompress(self.profile)).duration_nanos / 1e9

    def as_of(self, when_ns, **labels):
        profile = self.profile + gzip.compress(number(TIME, when_ns))
        pairs = b"".join(text(1, text(1, name.encode()) + text(2, value.encode()))
                         for name, value in {**self.labels, **labels}.items())
        message = text(2, text(1, pairs) + text(2, text(1, profile))) + number(3, 1)
        return b"\0" + len(message).to_bytes(4, "big") + message


def is_refused(answer, said):
    """gRPC says it in a header, or behind the answer."""
    status = answer.getheader("grpc-status") or (said.partition(b"grpc-status:")[2].split() or [b"0"])[0]
    return answer.status != 200 or int(status) != 0


def send(url, requests, at_once=2, kind="pyroscope"):
    """Sends all of them, in order for each node that a request is of: [(node, body)]. Returns their bytes."""
    place, content_type, _ = PUSH[kind]
    lines = [queue.SimpleQueue() for _ in range(at_once)]
    for i, (node, body) in enumerate(requests):
        lines[hash(node) % at_once].put(body)
    sent, faults = [0] * at_once, []

    def work(i):
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=120)
        while not lines[i].empty() and not faults:
            body, until = lines[i].get(), time.monotonic() + 120
            while True:
                connection.request("POST", place, body, {"Content-Type": content_type})
                answer = connection.getresponse()
                said = answer.read()
                # It says that it is ready a moment before its parts know of each other; and a Parca wants to
                # be asked again where two pushes have met, as the profiler does after a failure.
                met = "Transaction Conflict" in (answer.getheader("grpc-message") or "")
                if not (met or b"empty ring" in said) or time.monotonic() > until:
                    break
                time.sleep(0.2)
            if is_refused(answer, said):
                faults.append((answer.status, dict(answer.getheaders()), said))
            sent[i] += len(body)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults[0]
    return sum(sent)


def played(recorded_of, nodes, intervals, seconds, labels=lambda node: {}):
    """What `nodes` nodes push in so many intervals before now, as [(node, body)]: each of them all that was
    recorded of one interval, one after the other, at a time of its own within the interval. recorded_of: of
    a node the [[push]] of its intervals."""
    end = time.time() - 1
    for interval in range(intervals):
        for node in range(nodes):
            when = end - (intervals - interval) * seconds + seconds * node / nodes
            recorded = recorded_of(node)
            for one in recorded[(node + interval) % len(recorded)]:
                name = "node-%d" % node
                yield name, one.as_of(int(when * 1e9), node=name, **labels(node))


@contextlib.contextmanager
def pyroscope(directory, *arguments):
    """A real one, that $PYROSCOPE names. Gives its URL and its process."""
    port = free_port()
    url = "http://127.0.0.1:%d" % port
    with open(directory / "log", "w") as log:
        process = subprocess.Popen(
            [os.environ["PYROSCOPE"], "-server.http-listen-port=%d" % port,
             "-server.grpc-listen-port=%d" % free_port(), "-memberlist.bind-port=%d" % free_port(),
             "-pyroscopedb.data-path=%s" % (directory / "data"),
             "-storage.filesystem.dir=%s" % (directory / "store"), "-self-profiling.disable-push=true",
             *arguments], cwd=directory, stdout=log, stderr=log)
        try:
            profiler.wait_until(lambda: answers(url + "/ready") or process.poll() is not None, seconds=120)
            assert process.poll() is None, (directory / "log").read_text()[-2000:]
            yield url, process
        finally:
            process.terminate()
            process.wait(60)


@contextlib.contextmanager
def parca(directory):
    """A real one, that $PARCA names: the same."""
    url = "http://127.0.0.1:%d" % free_port()
    (directory / "parca.yaml").write_text(
        'object_storage:\n  bucket:\n    type: FILESYSTEM\n    config:\n      directory: "%s"\n'
        % (directory / "store"))
    (directory / "store").mkdir()
    with open(directory / "log", "w") as log:
        process = subprocess.Popen(
            [os.environ["PARCA"], "--config-path=parca.yaml", "--http-address=" + url.removeprefix("http://"),
             "--enable-persistence", "--storage-path=%s" % (directory / "data")],
            cwd=directory, stdout=log, stderr=log)
        try:
            profiler.wait_until(lambda: answers(url + "/metrics") or process.poll() is not None, seconds=120)
            assert process.poll() is None, (directory / "log").read_text()[-2000:]
            yield url, process
        finally:
            process.terminate()
            process.wait(60)


def answers(url):
    place = urllib.parse.urlsplit(url)
    try:
        connection = http.client.HTTPConnection(place.netloc, timeout=10)
        connection.request("GET", place.path)
        return connection.getresponse().status == 200
    except OSError:
        return False
