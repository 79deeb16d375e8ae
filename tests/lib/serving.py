# SPDX-License-Identifier: GPL-2.0-only
"""A profiler that serves over HTTP, and its clients."""
import collections
import contextlib
import http.client
import random
import socket
import threading
import time

import pytest
from prometheus_client.parser import text_string_to_metric_families

import pprof
import profiler

Answer = collections.namedtuple("Answer", "status headers body")


# Ports that were given out last are marked by a name that all tests of this machine see.
marks = collections.deque(maxlen=50)


def free_port():
    """One that nobody has, from where the kernel takes none for connections: it stays free until it is
    listened on, and no other test is given it meanwhile."""
    while True:
        port, mark = random.randrange(20000, 32000), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with socket.socket() as s, contextlib.suppress(OSError):
            mark.bind("\0pyperf-test-port-%d" % port)
            s.bind(("127.0.0.1", port))
            marks.append(mark)
            return port
        mark.close()


def other_address():
    """Of this machine, in a network; browsers do not trust it as they do localhost."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        with contextlib.suppress(OSError):
            s.connect(("192.0.2.1", 9))  # which sends nothing: an address for documents
            return s.getsockname()[0]
    pytest.skip("SKIP address: this machine is in no network")


class Server:
    """pyperf-bpf --listen, with its address. Extra arguments go to the command line. at: an address to listen
    at instead of localhost's, of which that is one."""

    def __init__(self, directory, *arguments, ready=True, at="127.0.0.1", **options):
        self.port = free_port()
        options.setdefault("output", None)
        self.run = profiler.Run(directory, *arguments, "--listen", "%s:%d" % (at, self.port), **options)
        self.url = "http://127.0.0.1:%d" % self.port
        if ready:
            profiler.wait_until(self.is_ready, what="answer of /readyz")

    def is_ready(self):
        assert self.run.process.poll() is None, self.run.finish(code=None).err
        with contextlib.suppress(OSError):
            return self.get("/readyz").status == 200
        return False

    def get(self, path, method="GET", headers=(), timeout=300, port=None, body=None, source="127.0.0.1"):
        """source: the address of 127.0.0.0/8 to ask from."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=timeout,
                                                source_address=(source, 0))
        with contextlib.closing(connection):
            connection.request(method, path, body=body, headers=dict(headers))
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())

    def post(self, path, headers=(), body=None):
        return self.get(path, "POST", {"Content-Type": "application/json", **dict(headers)}, body=body)

    def profile(self, query):
        answer = self.get("/debug/pprof/profile?" + query)
        assert answer.status == 200, answer
        return pprof.parse(answer.body)

    def metrics(self, port=None):
        """{(name, labels): value}, read by Prometheus's own parser."""
        answer = self.get("/metrics", port=port)
        assert answer.status == 200
        found = {}
        for family in text_string_to_metric_families(answer.body.decode()):
            for sample in family.samples:
                key = sample.name, tuple(sorted(sample.labels.items()))
                assert key not in found, "%s twice" % (key,)
                found[key] = sample.value
        return found

    def metric(self, name):
        return self.metrics()["pyperf_" + name, ()]

    def wait_for_open(self, count):
        profiler.wait_until(lambda: self.metric("profile_requests_open") == count,
                            what="%d open requests" % count)

    def stop(self, timeout=300, code=0):
        """Ends it by SIGTERM. Returns how long that took."""
        start = time.monotonic()
        self.run.process.terminate()
        self.run.finish(timeout, code)
        return time.monotonic() - start

    def end(self):
        """Ends it as Ctrl-C does: what it writes at its end is waited for. After SIGTERM that is given up
        when it takes long, as on a busy machine."""
        self.run.interrupt()
        self.run.finish()


@contextlib.contextmanager
def server(directory, *arguments, **options):
    started = Server(directory, *arguments, **options)
    try:
        yield started
    finally:
        started.run.kill()


class Later(threading.Thread):
    """A call in the background. get() gives its result, or its failure."""

    def __init__(self, function, *arguments):
        super().__init__(daemon=True)
        self.function, self.arguments = function, arguments
        self.result = self.failure = None
        self.start()

    def run(self):
        try:
            self.result = self.function(*self.arguments)
        except BaseException as failure:  # noqa: B902, it is raised again by get()
            self.failure = failure

    def get(self, timeout=300):
        self.join(timeout)
        assert not self.is_alive(), "no answer"
        if self.failure:
            raise self.failure
        return self.result


def connect(port, source="127.0.0.1"):
    return socket.create_connection(("127.0.0.1", port), timeout=300, source_address=(source, 0))


def talk(port, data, timeout=120):
    """Sends bytes as they are and returns what comes back until the other end hangs up or says nothing
    more."""
    with connect(port) as s:
        s.settimeout(timeout)
        with contextlib.suppress(OSError):
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(OSError):
            while True:
                part = s.recv(65536)
                if not part:
                    break
                answer += part
    return answer
