# SPDX-License-Identifier: GPL-2.0-only
"""Clients of --listen that want to take its memory, its descriptors or its time: thousands of connections,
answers that nobody takes, requests behind each other, forms of HTTP that are not served, keys of 12 kB. Who
asks after them gets an answer, at the same address too, and what they had is given back. test_http_crowds.py
has smaller crowds, test_http.py bytes that are no requests."""
import contextlib
import os
import resource
import socket
import threading

import pytest

import interpreters as known
import profiler
from serving import connect, free_port, server, talk

CROWD, AT_ONCE = 10000, 2000  # connections; those of them that stay open on this side
MEMORY = 64 << 20             # more than before; in the worst case it was 36 MB
DESCRIPTORS = 400             # more than before; it was 160
HEAD = b" HTTP/1.1\r\nHost: localhost\r\n"
CROWDS = {
    "silent": b"",
    "half a request": b"GET / HTTP/1.1\r\nX: ",
    "answers that nobody takes": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20,
    "profiles of ten minutes": b"GET /debug/pprof/profile?seconds=600" + HEAD + b"\r\n",
    "stretches as pages": b"GET /debug/pyperf/interval?format=html" + HEAD + b"\r\n",
    "pages that follow": b"GET /debug/pyperf/follow" + HEAD + b"\r\n",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory, workloads):
    with profiler.target(known.usual().path, workloads / "burn.py") as target:
        health = free_port()
        with server(tmp_path_factory.mktemp("served"), "--pid", target.pid, "--interval", 2, "--log", 2,
                    "--listen-health", health) as s:
            s.health = health
            profiler.wait_until(lambda: s.get("/debug/pyperf/interval").status == 200, what="first interval")
            yield s


def descriptors(s):
    return len(os.listdir("/proc/%d/fd" % s.run.process.pid))


def resident(s):
    return s.metrics()["pyperf_resident_bytes", (("process", "profiler"),)]


def check_after(s, memory, before):
    """There is an answer, at the crowd's address and at that of probes, and nobody's things are kept."""
    assert s.get("/healthz").status == s.get("/healthz", port=s.health).status == 200
    assert descriptors(s) < before + DESCRIPTORS
    assert resident(s) < memory + MEMORY or "/san/" in str(profiler.BINARY)


def crowd(s, sent, sources):
    """CROWD connections, one after the other; a lot of those that are open at this side are dropped."""
    with contextlib.ExitStack() as stack:
        for number in range(CROWD):
            if number % AT_ONCE == 0:
                stack.close()
            with contextlib.suppress(ConnectionError):
                client = stack.enter_context(connect(s.port, sources(number)))
                client.sendall(sent)
        check_after(s, s.memory, s.before)


@pytest.mark.parametrize("name", CROWDS)
@pytest.mark.parametrize("sources", (lambda n: "127.0.0.9",
                                     lambda n: "127.%d.%d.%d" % (1 + n % 50, n // 50 % 250, 1 + n % 200)),
                         ids=("one address", "an address each"))
def test_crowds(served, name, sources):
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < AT_ONCE + 100:
        pytest.skip("SKIP not-applicable: fewer open files than the crowd wants")
    served.memory, served.before = resident(served), descriptors(served)
    crowd(served, CROWDS[name], sources)
    profiler.wait_until(lambda: descriptors(served) < served.before + 10, what="descriptors given back")


def test_requests_behind_each_other(served):
    """Of 20,000 each gets its answer, if they are taken. If not, as many are read as there is room for."""
    count = 20000
    memory, before = resident(served), descriptors(served)
    request = b"GET /healthz" + HEAD + b"\r\n"
    with connect(served.port) as client:
        threading.Thread(target=client.sendall, args=(request * count,), daemon=True).start()
        answered, rest = 0, b""
        while answered < count:
            data = client.recv(1 << 16)
            assert data, "%d answers" % answered
            answered += (rest + data).count(b"HTTP/1.1 200")
            rest = data[-11:]
    with connect(served.port) as client:
        client.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                client.send(request * 100)
        check_after(served, memory, before)


WITH_CLOSE = HEAD + b"Connection: close\r\n"
FORMS = {
    "a range": (b"GET /page.js" + WITH_CLOSE + b"Range: bytes=0-0\r\n\r\n", b"200"),
    "1,500 ranges": (b"GET /page.js" + WITH_CLOSE + b"Range: bytes=" +
                     b",".join(b"%d-%d" % (i, i) for i in range(1500)) + b"\r\n\r\n", b"200"),
    "HTTP/0.9": (b"GET /debug/pyperf/stacks\r\n", b"400"),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0" * 100, b"505"),
    "a change to it": (b"GET /healthz" + WITH_CLOSE + b"Upgrade: h2c\r\nHTTP2-Settings: AAMA\r\n\r\n",
                       b"200"),
    "a whole address": (b"GET http://evil.example/page.js" + WITH_CLOSE + b"\r\n", b"404"),
    "a proxy's": (b"CONNECT evil.example:80" + WITH_CLOSE + b"\r\n", b"404"),
    "an echo": (b"TRACE /page.js" + WITH_CLOSE + b"\r\n", b"404"),
    "two hosts": (b"GET /page.js HTTP/1.1\r\nHost: evil.example" + WITH_CLOSE[9:] + b"\r\n", b"403"),
    "a request in a body": (b"POST /healthz" + WITH_CLOSE + b"Content-Length: 6\r\n"
                            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics" + HEAD + b"\r\n",
                            b"405"),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_requests(served, name):
    """One answer, whole."""
    sent, status = FORMS[name]
    answer = talk(served.port, sent)
    assert answer.count(b"HTTP/1.1 ") == 1 and answer.startswith(b"HTTP/1.1 " + status), answer[:200]
    head, _, body = answer.partition(b"\r\n\r\n")
    length = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    assert int(length[0].split(b":")[1]) == len(body)


@pytest.mark.parametrize("path", ("log", "interval", "stacks", "source"))
def test_keys_without_measure(served, path):
    """All are refused at once, with one line, and none is a look at the programs."""
    wrong = "x" * 12000, "%00" * 3000, "1e999", "nan", "-1", "%ff%fe", "1%2c" * 3000, "9" * 20
    texts = "x" * 12000, "%00" * 3000  # a label may be any other text
    for key in ("comm", "pid", "pod", "type", "format", "from", "last", "trace", "seconds", "hide", "name"):
        for value in texts if key in ("comm", "pid", "pod") else wrong:
            answer = served.get("/debug/pyperf/%s?%s=%s" % (path, key, value))
            assert answer.status in (400, 404) and answer.body.count(b"\n") == 1, (key, value[:10], answer)
            assert len(answer.body) < 1000 and answer.body[:-1].decode().isprintable()
    assert served.get("/healthz").status == 200
