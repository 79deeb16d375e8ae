# SPDX-License-Identifier: GPL-2.0-only
"""Who may have profiles: those who show a token, and those who may open a socket's file."""
import base64
import contextlib
import http.client
import json
import os
import signal
import socket
import stat
import subprocess

import pytest

import home
import interpreters as known
import pprof
import profiler
from serving import server

TOKEN = "an-example-of-a-token-0123456789"
CLOSED = ("/", "/page.css", "/debug/pyperf/interval", "/debug/pyperf/intervals",
          "/debug/pyperf/follow", "/debug/pprof/profile?seconds=1",
          "/debug/pyperf/stacks", "/debug/pyperf/source", "/metrics", "/x")


def basic(password):
    return "Basic " + base64.b64encode(b"anybody:" + password.encode()).decode()


def test_token(tmp_path):
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    with server(tmp_path, "--all-python", "--listen-token-file", file) as s:
        for path in CLOSED:
            answer = s.get(path)
            assert answer.status == 401 and "Bearer" in answer.headers["WWW-Authenticate"]
        for wrong in ("Bearer " + TOKEN[:-1], "Bearer " + TOKEN + "0", "Bearer", basic(TOKEN[1:]), TOKEN):
            assert s.get("/", headers={"Authorization": wrong}).status == 401
        for right in ("Bearer " + TOKEN, basic(TOKEN)):
            answer = s.get("/debug/pprof/profile?seconds=1", headers={"Authorization": right})
            assert answer.status == 200 and pprof.parse(answer.body)
        assert s.get("/healthz").status == s.get("/readyz").status == 200
        file.write_text(TOKEN[::-1])
        assert s.get("/", headers={"Authorization": "Bearer " + TOKEN}).status == 401
        assert s.get("/", headers={"Authorization": "Bearer " + TOKEN[::-1]}).status == 200
        file.unlink()
        for _ in range(3):
            assert s.get("/", headers={"Authorization": "Bearer " + TOKEN}).status == 503
        s.stop()
    assert s.run.err.count("nobody gets profiles") == 1
    assert TOKEN not in s.run.err and TOKEN[::-1] not in s.run.err


@pytest.mark.parametrize("text, words", [(None, "No such file"), ("short", "16 characters"),
                                         ("", "16 characters")])
def test_token_that_is_none(tmp_path, text, words):
    if text is not None:
        (tmp_path / "token").write_text(text)
    done = subprocess.run([profiler.BINARY, "-a", "--listen", "unix:%s/s" % tmp_path, "--listen-token-file",
                           tmp_path / "token"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and len(home.without_notice(done.stderr).splitlines()) == 1
    assert "--listen-token-file" in done.stderr and words in done.stderr


class Connection(http.client.HTTPConnection):
    """To a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=300)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def ask(path, url):
    with contextlib.closing(Connection(path)) as connection:
        connection.request("GET", url)
        answer = connection.getresponse()
        return answer.status, answer.read()


def is_ready(run, path):
    assert run.process.poll() is None, run.finish(code=None).err
    with contextlib.suppress(OSError):
        return ask(path, "/readyz")[0] == 200
    return False


def listen(directory, path, *arguments):
    run = profiler.Run(directory, "--all-python", "--listen", "unix:%s" % path, *arguments, output=None)
    profiler.wait_until(lambda: is_ready(run, path), what="answer of /readyz")
    return run


def test_unix_socket(tmp_path):
    path = tmp_path / "socket"
    run = listen(tmp_path, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o660
    status, body = ask(path, "/debug/pprof/profile?seconds=1")
    assert status == 200 and pprof.parse(body).duration_nanos > (5e8 if home.refusal() else 9e8)
    # Two cannot have it.
    done = subprocess.run([profiler.BINARY, "-a", "--listen", "unix:%s" % path], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 1 and "another program listens there" in done.stderr
    # One that was killed leaves a file behind, which the next one replaces.
    run.process.send_signal(signal.SIGKILL)
    run.process.wait(60)
    assert path.is_socket()
    run = listen(tmp_path, path)
    run.process.terminate()
    run.finish()
    assert not os.path.lexists(path)
    assert "listening on unix:%s\n" % path in run.err


@pytest.mark.all
def test_source_at_a_socket(tmp_path):
    """Whoever may open it needs no token for the text of lines."""
    app, path = tmp_path / "app.py", tmp_path / "socket"
    app.write_text("def hot():\n    while True:\n        sum(range(1000))\nhot()\n")
    with profiler.target(known.usual().path, app, about=False) as target:
        run = listen(tmp_path, path, "--listen-source", "--interval", 1)
        wanted = "/debug/pyperf/source?pid=%d&name=hot&file=%s&line=1&from=1&to=3" % (target.pid, app)
        profiler.wait_until(lambda: ask(path, wanted)[0] == 200, what="interval with the function")
        assert json.loads(ask(path, wanted)[1])["lines"] == app.read_text().splitlines()[:3]
        run.process.terminate()
        run.finish()
