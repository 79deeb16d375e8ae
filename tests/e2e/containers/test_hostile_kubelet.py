# SPDX-License-Identifier: GPL-2.0-only
"""A kubelet whose answers lead elsewhere or have no end. The token goes to nobody else, samples are taken and
written, the run ends in time, and what it says stands in one line. Lists of pods that are none are in
test_pod_labels.py."""
import contextlib
import functools
import json
import socket

import pytest

import hostile_answers
import kubelet as fake
import profiler
from local_server import LocalServer
from test_pod_labels import Pod, arguments, certificate, labels_of, said, token  # noqa: F401
from test_pod_labels import pytestmark as needs

pytestmark = [*needs, pytest.mark.all]
TROUBLE = "no labels of pods"
endless = functools.partial(hostile_answers.endless, most=256 << 20)


class Bystander(LocalServer):
    """Notes what comes, and who says that he is allowed to ask."""

    def __init__(self, certificate):
        self.met = []
        super().__init__(certificate)

    def answer(self, request):
        self.met.append((request.path, request.headers.get("Authorization")))
        request.send_response(200)
        request.end_headers()


class Hostile(fake.Kubelet):
    """Writes what it likes."""

    def __init__(self, certificate, say):
        self.say = say
        super().__init__(certificate)

    def answer(self, request):
        self.requests.append((request.path, request.headers.get("Authorization")))
        request.close_connection = True
        self.say(request.connection)
        with contextlib.suppress(OSError):
            request.connection.shutdown(socket.SHUT_RDWR)


def sends(answer):
    return lambda connection: connection.sendall(answer)


OK = b"HTTP/1.1 200 OK\r\n"
LIST = OK + b'\r\n{"items":['
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
NONE = [{"metadata": {"uid": "x" * 100, "labels": {"app": "y" * 1000}}}]
# What it does, and what is said of it; None: nothing yet.
ANSWERS = {
    "headers without end": (endless(OK, b"X-More: " + b"x" * 4000 + b"\r\n"), "header"),
    "a body of blanks without end": (endless(OK + b"\r\n", b" " * 65536), "too large"),
    "pods without end": (endless(LIST, (json.dumps(NONE[0]) + ",").encode() * 50), "too large"),
    "chunks that are none": (endless(CHUNKED, b"ffffffffffffffff\r\n"), "chunk"),
    "a refusal without end": (endless(b"HTTP/1.1 403 No\r\n\r\n", b"\x1b[2J\xe2\x80\xae\r\n" * 8192), None),
    "byte by byte": (hostile_answers.slowly(LIST, b" "), None),
    "trailers without end": (endless(CHUNKED + b"0\r\n", b"X-More: " + b"x" * 4000 + b"\r\n"), "writ"),
    "early hints without end": (endless(b"", (b"HTTP/1.1 103 Early Hints\r\nLink: </" + b"x" * 4000 +
                                             b">; rel=preload\r\n\r\n") * 10), ""),
    "an end in the middle": (sends(OK + b"Content-Length: 1000\r\n\r\n{\"items\":["), "terminated"),
    "lists in lists": (sends(OK + b"\r\n" + b"[" * 100000), ""),
    "a million pods": (sends(LIST + b'{"metadata":{}},' * 1000000 + b"{}]}"), "too large"),
    "a length that is none": (sends(OK + b"Content-Length: -1\r\n\r\n{\"items\":[]}"), ""),
    "another protocol": (endless(b"SSH-2.0-OpenSSH\r\n", b"\x1b]0;x\x07" * 1000), "HTTP/0.9"),
    "packed": (endless(OK + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\3", b"\0" * 65536),
               "not a list"),
}


def profile(say, workloads, certificate, token, tmp_path, words):
    """A run beside that kubelet, until these words have been said of it; None: for a moment."""
    with Pod(workloads) as pod:
        kubelet = Hostile(certificate, say)
        try:
            run = profiler.Run(tmp_path, "-a", *arguments(kubelet, token, certificate))
            profiler.let_use_cpu(run, [pod.pid], 0.5)
            profiler.wait_until(lambda: kubelet.requests and (words is None or TROUBLE in said(run)))
            run.interrupt()
            run.finish()
        finally:
            run.kill()
            kubelet.close()
        assert labels_of(run.path, pod.pid, "app", "pod_uid") == [{None}, {pod.uid}]
    assert kubelet.requests[0] == ("/pods", "Bearer first")
    assert "first" not in run.err
    assert not [c for c in run.err if c != "\n" and not c.isprintable()], run.err
    assert run.stats["user"]["rss_bytes"] < 256 << 20
    warnings = [line for line in run.err.splitlines() if TROUBLE in line]
    assert len(warnings) <= 1 and (words is None or words in warnings[0]), run.err


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_without_end(name, workloads, certificate, token, tmp_path):  # noqa: F811
    say, words = ANSWERS[name]
    profile(say, workloads, certificate, token, tmp_path, words)


def test_redirects(workloads, certificate, token, tmp_path):  # noqa: F811
    """Each status, to another server and to files. It is asked again after a pause, so each needs a run."""
    bystander = Bystander(certificate)
    try:
        for status, goal in ((301, "https://%s/pods"), (302, "//%s/pods"), (307, "file:///etc/passwd#%s"),
                             (308, "http://%s/pods")):
            answer = "HTTP/1.1 %d There\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % (
                status, goal % bystander.authority)
            profile(sends(answer.encode()), workloads, certificate, token, tmp_path,
                    "it answers %d" % status)
    finally:
        bystander.close()
    assert not bystander.met
