# SPDX-License-Identifier: GPL-2.0-only
"""Receivers that want to lead the profiler elsewhere, or keep it busy, by what stands in their answers:
redirects, headers and bodies without end, text for a terminal. Neither a profile nor the credentials go to
anybody else, and the profiler ends in time with memory as before."""
import contextlib
import functools
import gzip
import socket
import ssl
import struct
import threading
import time
import zlib

import pytest

import hostile_answers
import interpreters as known
import profiler
from local_server import LocalServer
from receiver import Receiver, finish_push
from serving import server
from test_push import certificate

pytestmark = pytest.mark.all  # test_push.py has what receivers do by mistake
SECRET = "Bearer not-for-others"
endless = functools.partial(hostile_answers.endless, most=64 << 20)
slowly = hostile_answers.slowly


class Bystander(LocalServer):
    """Notes whatever comes."""

    METHOD = "POST"

    def __init__(self):
        self.met = []
        super().__init__()

    def handler(self):
        made = super().handler()
        made.do_GET = made.do_PUT = made.do_HEAD = made.do_POST
        return made

    def answer(self, request):
        self.met.append((request.command, request.path, dict(request.headers)))
        request.send_response(200)
        request.end_headers()


class Hostile(Receiver):
    """Answers each request by say(request), which writes bytes as it likes."""

    def __init__(self, kind, say):
        self.say = say
        super().__init__(kind)

    def answer(self, request):
        request.rfile.read(int(request.headers["Content-Length"]))
        self.times.append(time.monotonic())
        request.close_connection = True
        self.say(request.connection)
        with contextlib.suppress(OSError):
            request.connection.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def busy(workloads):
    with profiler.target(known.newest().path, workloads / "burn.py") as started:
        yield started


@pytest.fixture
def bystander():
    made = Bystander()
    yield made
    made.close()


@pytest.fixture
def token(tmp_path):
    path = tmp_path / "headers"
    path.write_text("Authorization: %s\n" % SECRET)
    return path


def push(directory, kind, say, busy, token, attempts=1):
    """A run whose receiver has answered so often."""
    receiver = Hostile(kind, say)
    try:
        run = profiler.Run(directory, "-p", busy.pid, "--push", receiver.url, "--push-header-file", token,
                           "--push-timeout", 2, "--interval", 0.5, output=None)
        try:
            profiler.wait_until(lambda: len(receiver.times) >= attempts or run.process.poll() is not None)
            run.interrupt()
            finish_push(run)
        finally:
            run.kill()
    finally:
        receiver.close()
    assert SECRET not in run.err
    assert run.stats["export"]["pushed"] == 0 < run.stats["export"]["push_dropped"]
    # What an answer says is shown on one line, as text.
    assert all(line.startswith("pyperf-bpf: ") for line in run.err.splitlines()), run.err
    assert not [c for c in run.err if c != "\n" and not c.isprintable()], run.err
    return run


def in_turn(answers):
    """One answer after the other, and the last one from then on."""
    left = list(answers)

    def say(connection):
        connection.sendall(left.pop(0) if len(left) > 1 else left[0])
    return say


def answer(status, *headers):
    lines = ["HTTP/1.1 %s Said" % status, *headers, "Content-Length: 0", "", ""]
    return "\r\n".join(lines).encode()


@pytest.mark.parametrize("kind", ("pyroscope", "parca"))
def test_redirects(kind, busy, token, bystander, tmp_path):
    goals = ["http://%s/ingest" % bystander.authority, "//%s/" % bystander.authority, "file:///etc/passwd"]
    said = [answer(status, "Location: " + goal) for goal in goals for status in (301, 302, 303, 307, 308)]
    run = push(tmp_path, kind, in_turn(said), busy, token, len(said))
    assert not bystander.met and "the receiver answers 301" in run.err


def test_headers_that_ask_for_more(busy, token, bystander, tmp_path):
    """To log in by other means, to go elsewhere, to come back in thirty years."""
    there = bystander.authority
    headers = ("Refresh: 0; url=http://%s/" % there, 'Alt-Svc: h2="%s"; persist=1' % there,
               "Set-Cookie: a=b; Domain=127.0.0.1", 'WWW-Authenticate: Basic realm="x"',
               "WWW-Authenticate: Negotiate", "Proxy-Authenticate: Basic", "Retry-After: 999999999",
               "Link: <http://%s/>; rel=preload" % there, "Upgrade: h2c", "Location: http://%s/" % there)
    said = [answer(status, *headers) for status in (401, 407, 101, 503)]
    push(tmp_path, "pyroscope", in_turn(said), busy, token, len(said))
    assert not bystander.met


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
ANSWERS = {
    "headers without end": endless(OK, b"X-More: " + b"x" * 4000 + b"\r\n"),
    "one header without end": endless(OK + b"X-More: ", b"x" * 65536),
    "interim answers without end": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
    "a body without end": endless(b"HTTP/1.1 500 No\r\n\r\n", b"\x1b[2J\x9b31m\xe2\x80\xae" * 4096),
    "chunks that are none": endless(CHUNKED, b"ffffffffffffffff\r\n"),
    "trailers without end": endless(CHUNKED + b"0\r\n", b"X-More: " + b"x" * 4000 + b"\r\n"),
    "short trailers without end": functools.partial(hostile_answers.endless, most=1 << 40)(
        CHUNKED + b"0\r\n", b"X: y\r\n" * 1000),
    "a header, byte by byte": slowly(OK, b"x"),
    "a body, byte by byte": slowly(b"HTTP/1.1 500 No\r\nContent-Length: 1000000\r\n\r\n", b"x"),
    "no HTTP": endless(b"SSH-2.0-OpenSSH\r\n", b"\x1b]0;x\x07" * 1000),
    "a length that is none": endless(OK + b"Content-Length: -1\r\n\r\n", b"x" * 65536),
    "early hints without end": endless(b"", (b"HTTP/1.1 103 Early Hints\r\nLink: </" + b"x" * 4000 +
                                             b">; rel=preload\r\n\r\n") * 10),
    "a status byte by byte": slowly(b"", b"H"),
    "silence": lambda connection: time.sleep(10),
    "nothing": lambda connection: None,
    "a reset in the middle": lambda connection: reset(connection, b"HTTP/1.1 500 No\r\nContent-Le"),
    "two answers": lambda connection: connection.sendall(answer(500) + answer(200) * 1000),
    "another protocol instead": endless(b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n"
                                        b"Connection: Upgrade\r\n\r\n", b"\0\0\0\4\0\0\0\0\0" * 1000),
    "messages that are forged": lambda connection: connection.sendall(forged_status()),
}
# 10 GB of blanks as 10 MB, and once more in itself.
BOMB = gzip.compress(b" " * (64 << 20)) * 160
for encoding, data in (("gzip", BOMB), ("gzip, gzip", gzip.compress(BOMB)), ("br", bytes(1 << 20)),
                       ("deflate", zlib.compress(bytes(1 << 26))), ("zstd", bytes(1 << 20))):
    ANSWERS["packed as " + encoding] = endless(
        b"HTTP/1.1 500 No\r\nContent-Encoding: %s\r\n\r\n" % encoding.encode() + data[:1 << 16],
        data[1 << 16:] or b"x")


def reset(connection, data):
    connection.sendall(data)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def forged_status():
    """google.rpc.Status of OTLP, whose message is longer than it is, and has text for a terminal."""
    text = "\x1b[2J\u202e\x9b31m\r\nHTTP".encode()
    body = b"\x12" + b"\xff\xff\xff\xff\x0f" + text + b"\x12" + bytes([len(text)]) + text
    return b"HTTP/1.1 400 Bad\r\nContent-Length: %d\r\n\r\n" % len(body) + body


# Of what the kinds read themselves: a header, a body.
READ = ("interim answers without end", "a body without end", "chunks that are none", "packed as gzip",
        "messages that are forged", "two answers")


@pytest.mark.parametrize("name, kind", [*((name, "pyroscope") for name in ANSWERS),
                                        *((name, kind) for name in READ for kind in ("parca", "otlp"))])
def test_answers_without_end(name, kind, busy, token, tmp_path):
    run = push(tmp_path, kind, ANSWERS[name], busy, token)
    assert run.stats["user"]["rss_bytes"] < 128 << 20


class Flood:
    """Speaks HTTP/2 only, if that is taken, and then sends pieces without a byte until nobody is there."""

    def __init__(self, certificate):
        self.times = []
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)
        self.context.set_alpn_protocols(["h2"])
        self.server = socket.create_server(("127.0.0.1", 0))
        self.url = "otlp+https://127.0.0.1:%d" % self.server.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.flood, args=self.server.accept()[:1], daemon=True).start()

    def flood(self, connection):
        with contextlib.suppress(OSError), self.context.wrap_socket(connection, server_side=True) as client:
            self.times.append(time.monotonic())
            client.settimeout(10)
            client.recv(65536)
            threading.Thread(target=self.drain, args=(client,), daemon=True).start()
            client.sendall(b"\0\0\0\4\0\0\0\0\0" b"\0\0\1\1\4\0\0\0\1\x8e")  # settings, and 500
            while True:
                client.sendall(b"\0\0\0\0\0\0\0\0\1" * 1000)

    def drain(self, client):
        """Takes each answer to them, else the other side gives up."""
        with contextlib.suppress(OSError, ValueError):
            while client.recv(65536):
                pass


def test_http_2_without_end(busy, tmp_path):
    """Whoever asks for the profiler's health gets an answer meanwhile, and it ends."""
    receiver = Flood(trusted := certificate(tmp_path, "flood", "-addext", "subjectAltName=IP:127.0.0.1"))
    try:
        with server(tmp_path, "-p", busy.pid, "--push", receiver.url, "--push-ca-file", trusted,
                    "--push-timeout", 2, "--interval", 0.5) as s:
            profiler.wait_until(lambda: len(receiver.times) >= 2, seconds=60)
            for _ in range(20):  # while one connection after the other is flooded
                assert s.get("/healthz").status == 200
                time.sleep(0.1)
            s.run.interrupt()
            finish_push(s.run)
    finally:
        receiver.server.close()
    assert s.run.stats["export"]["pushed"] == 0 < s.run.stats["export"]["push_dropped"]


def test_statuses_of_grpc(busy, token, tmp_path):
    """A header of Parca's: only 0 is a delivery."""
    statuses = ("", "-1", "99999999999999999999", "0x0", "\x1b[2J", "0 0", "1 0", "4294967296", "16")
    said = [answer(404), *(answer(200, "grpc-status: " + status) for status in statuses)]
    push(tmp_path, "parca", in_turn(said), busy, token, len(said))
