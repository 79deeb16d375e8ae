# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf report` and `diff` of a profiler that serves: over TCP and a Unix socket, with a token, of its
log; and of servers that answer what they should not."""
import contextlib
import json
import socket
import subprocess
import threading
import time
import urllib.request

import pytest

import interpreters as known
import profiler
from pprof_rows import report
from serving import free_port, server

TOKEN = "0123456789abcdef"


@pytest.fixture(scope="module")
def burning(workloads):
    with profiler.target(known.usual().path, workloads / "burn.py") as target:
        yield target


@pytest.fixture(scope="module")
def served(burning, tmp_path_factory):
    """With a log, in which something is; and a token."""
    path = tmp_path_factory.mktemp("live")
    (path / "token").write_text(TOKEN)
    with server(path, "--pid", burning.pid, "-F", 499, "--log", 5, "--listen-token-file",
                path / "token") as s:
        before = profiler.cpu_seconds(burning.pid)
        profiler.wait_until(lambda: profiler.cpu_seconds(burning.pid) - before > 0.5, what="samples")
        yield s.url, path / "token"


def run(command, *arguments):
    return subprocess.run([profiler.BINARY, command, *map(str, arguments)], capture_output=True, text=True,
                          timeout=240)


def test_a_path_is_asked_for_as_it_is(served):
    url, token = served
    found = json.loads(report("--json", "--token-file", token, url + "/debug/pprof/profile?seconds=1"))
    assert found["profile"]["total"] > 0 and 0.9 < found["profile"]["seconds"] < 30
    assert any(row["file"].endswith("burn.py") for row in found["tables"][0]["rows"] if "file" in row)


def test_a_stretch_of_the_log(served):
    url, token = served
    asked = time.time()
    found = json.loads(report("--json", "--token-file", token, "--from", "-5m", url))["profile"]
    assert found["total"] > 0 and found["seconds"] > 0
    begin, end = asked - 200, asked - 100  # before it ran
    done = run("report", "--token-file", token, "%s/debug/pyperf/log?from=%d&to=%d" % (url, begin, end))
    assert done.returncode == 1 and " says: " in done.stderr


def test_two_of_them(served):
    url, token = served
    now = time.time()
    urls = ["%s/debug/pyperf/log?from=%.3f&to=%.3f" % (url, now - 300, now)] * 2
    done = run("diff", "--json", "--token-file", token, *urls)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["whole"]["self"] == 0 and found["base"]["total"] == found["new"]["total"] > 0


@pytest.mark.all
def test_a_unix_socket(burning, tmp_path):
    path = tmp_path / "socket"
    run_ = profiler.Run(tmp_path, "--pid", burning.pid, "-F", 499, "--listen", "unix:%s" % path, output=None)
    try:
        profiler.wait_until(path.exists, what="socket")
        found = json.loads(report("--json", "unix:%s" % path))["profile"]
        assert found["total"] > 0 and found["seconds"] > 9
    finally:
        run_.interrupt()
        run_.finish()


def test_without_the_token(served, tmp_path):
    wrong = tmp_path / "wrong"
    wrong.write_text(TOKEN[::-1])
    for more in ((), ("--token-file", wrong)):
        done = run("report", *more, served[0])
        assert (done.returncode, done.stdout) == (1, "") and "wants a token" in done.stderr
    done = run("report", "--token-file", tmp_path / "none", served[0])
    assert done.returncode == 1 and "No such file" in done.stderr


@pytest.mark.parametrize("url", ("http://", "http://example.org:80", "http://127.0.0.1:99999",
                                 "http://127.0.0.1:7070/a b"))
def test_what_is_no_address(url):
    done = run("report", url)
    assert (done.returncode, done.stdout) == (1, "") and "name an address" in done.stderr


def test_nobody_listens():
    done = run("report", "http://127.0.0.1:%d" % free_port())
    assert done.returncode == 1 and "Connection refused" in done.stderr


@contextlib.contextmanager
def answers(*texts):
    """A server that says these, one after the other, to whoever comes, and closes each time."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            for text in texts:
                with contextlib.suppress(OSError):
                    connection, _ = listener.accept()
                    with connection:
                        connection.recv(65536)
                        connection.sendall(text)
        thread = threading.Thread(target=serve)
        thread.start()
        yield "http://127.0.0.1:%d/x" % listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)  # nobody comes any more
        thread.join()


@pytest.mark.parametrize("text, says", (
    (b"", "no answer that is HTTP"), (b"hello", "no answer that is HTTP"), (b"x" * 100000, "no answer"),
    (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 10000 + b"\r\n", "no answer that is HTTP"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc", "ended too early"),
    (b"HTTP/1.1 200 OK\r\n\r\nabc", "http://127.0.0.1"), (b"HTTP/1.1 200 OK\r\n\r\n", "http://127.0.0.1"),
    (b"HTTP/1.1 500 No\r\n\r\nbroken \x1b[31m here", "says: broken"),
    (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n", "no answer that is HTTP")))
def test_servers_that_lie(text, says):
    with answers(text) as url:
        done = run("report", url)
    assert done.returncode in (1, 3) and says in done.stderr
    assert len(done.stderr.splitlines()) == 1 and "\x1b" not in done.stderr


def text_of_lines(url, token, lies):
    """What `report` shows of a function's lines when this is the profiler's second answer: {line: text}, and
    the lines that the file has."""
    request = urllib.request.Request(url + "/debug/pyperf/log?last=60",
                                     headers={"Authorization": "Bearer " + token.read_text()})
    with urllib.request.urlopen(request) as answer:
        profile = answer.read()
    begin = b"HTTP/1.1 200 OK\r\n\r\n"
    with answers(begin + profile) as one:
        rows = json.loads(report("--json", one))["tables"][0]["rows"]
    row = next(row for row in rows if row.get("file", "").endswith("burn.py") and row["self"])
    with answers(begin + profile, begin + lies(row)) as one:
        found = json.loads(report("--json", "--lines", row["name"], one))
    shown = {row["line"]: row.get("source") for row in found["tables"][0]["rows"]}
    with open(row["file"]) as file:
        return shown, dict(enumerate(file.read().split("\n"), 1))


@pytest.mark.all
@pytest.mark.parametrize("lies", (
    lambda row: b"", lambda row: b"[]", lambda row: b"{\"lines\": 1}",
    lambda row: json.dumps({"lines": ["a"], "from": row["line"] + 1, "changed": False}).encode(),
    lambda row: json.dumps({"lines": ["a\nb"] * 9, "from": row["line"], "changed": False}).encode(),
    lambda row: json.dumps({"lines": [], "from": row["line"], "changed": False}).encode(),
    lambda row: b"{" * (5 << 20)))
def test_lines_of_servers_that_lie(served, lies):
    """The text is that of the file on this side, as without such a server."""
    shown, lines = text_of_lines(*served, lies)
    assert shown and all(text == lines[line] for line, text in shown.items())


def test_lines_of_a_server(served):
    """Whatever is in them; where it says less than was asked for, there is no text."""
    shown, _ = text_of_lines(*served, lambda row: json.dumps(
        {"lines": ["\x1b[2J\u202e"] * 400, "from": row["line"], "changed": True}).encode())
    assert shown and set(shown.values()) == {"\x1b[2J\u202e"}
