# SPDX-License-Identifier: GPL-2.0-only
"""By which names a profiler may be asked that listens in a network without a token. A page of the web has its
own name stand for such an address (DNS rebinding), and the browser takes the answer for that page's. What is
profiled is only this process: of others there may be other warnings."""
import os
import socket
import subprocess

import pytest

import profiler
from serving import other_address, server

CLOSED = ("/", "/metrics", "/debug/pyperf/stacks", "/debug/pyperf/intervals", "/page.css", "/x")


def asked_as(s, host, path="/page.css"):
    return s.get(path, headers={"Host": host}).status


def test_names(tmp_path):
    with server(tmp_path, "--pid", os.getpid(), "--listen-host", "profiles.example,Other", at="0.0.0.0") as s:
        for path in CLOSED:
            assert asked_as(s, "evil.example:%d" % s.port, path) == 403
        assert asked_as(s, "evil.example", "/healthz") == asked_as(s, "evil.example", "/readyz") == 200
        for name in ("localhost", "127.0.0.1", "192.0.2.77", "[::1]", socket.gethostname(),
                     "profiles.example", "PROFILES.EXAMPLE", "other"):
            assert asked_as(s, name) == asked_as(s, "%s:%d" % (name, s.port)) == 200, name
        for name in ("127.1", "0x7f.1", "localhost.", "localhost.evil.example", "example",
                     "profiles.example.",
                     "127.0.0.1.evil.example", "%s.evil.example" % socket.gethostname(),
                     "profiles.example@evil", "profiles.example,Other", ""):
            assert asked_as(s, name) in (400, 403), name
        s.end()
    warned = [line for line in s.run.err.splitlines() if "warning" in line]
    assert len(warned) == 1 and "--listen-token-file" in warned[0]
    assert "--listen 0.0.0.0:%d" % s.port in warned[0]


def test_any_name_with_a_token(tmp_path):
    (tmp_path / "token").write_text("0123456789abcdef")
    with server(tmp_path, "--pid", os.getpid(), "--listen-token-file", tmp_path / "token",
                at="0.0.0.0") as s:
        answer = s.get("/page.css", headers={"Host": "a.example", "Authorization": "Bearer 0123456789abcdef"})
        assert answer.status == 200
        assert s.get("/page.css", headers={"Host": "a.example"}).status == 401
        s.end()
    assert "warning" not in s.run.err


@pytest.mark.parametrize("names", ("", "a,", "a:80", "http://a", "a b", "*"))
def test_names_that_are_none(names):
    done = subprocess.run([profiler.BINARY, "-a", "--listen", "7070", "--listen-host", names],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "--listen-host wants" in done.stderr


def test_a_name_that_is_bound_anew(browser_told, tmp_path):
    """In a real browser: a page of a name whose address has become this machine's. No request of it has an
    Origin or is of another site."""
    bound = "--host-resolver-rules=MAP evil.example %s" % other_address()
    with server(tmp_path, "--all-python", at="0.0.0.0") as s, browser_told(bound) as browser:
        page = browser.open("http://evil.example:%d/readyz" % s.port)
        assert "sampling" in page.run("document.body.textContent")
        for path in CLOSED:
            assert page.run("fetch('%s').then(answer => answer.status)" % path) == 403
