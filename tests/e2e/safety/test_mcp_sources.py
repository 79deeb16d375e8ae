# SPDX-License-Identifier: GPL-2.0-only
"""What an agent that was talked into it has `mcp` open: sockets of other programs, files of the kernel,
pipes, paths whose existence is nobody's business. Whatever is there gets one sentence, and who listens there
is asked for nothing but whether it is a profiler. What it starts has an end of its memory."""
import contextlib
import os
import pathlib
import socket
import threading

import pytest

import interpreters as known
import profiler
from examined import NOBODY
from mcp_client import Server
from serving import free_port, server as serving

OURS = b"HTTP/1.1 200 OK\r\nServer: pyperf-bpf\r\n\r\nalive\n"
SILENT = None  # it takes connections, and says nothing
LIES = (b"", b"HTTP/1.1 200 OK\r\n\r\nalive\n", b"HTTP/1.1 200 OK\r\nServer: pyperf-bpf2\r\n\r\nalive\n",
        b"HTTP/1.1 404 No\r\nServer: pyperf-bpf\r\n\r\n", b"Server: pyperf-bpf\r\n\r\n", b"x" * 200000,
        b"HTTP/1.1 200 OK\r\nX: Server: pyperf-bpf\r\n\r\nServer: pyperf-bpf\r\n", SILENT)


@contextlib.contextmanager
def listens(listener, says, heard, answered=lambda: None):
    """Who is at this socket, which is not ours; heard: all that is sent to it."""
    held = []

    def serve():
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                heard.append(connection.recv(65536))
                if says is SILENT:
                    held.append(connection)
                    continue
                connection.sendall(says)
                answered()
                connection.close()
    thread = threading.Thread(target=serve)
    with listener:
        thread.start()
        yield
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def unix_socket(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    return listener


def refusal(mcp, source):
    """What it says instead, without the name of what was asked for."""
    texts = {mcp.text("report", is_error=True, profile=str(source)).replace(str(source), "NAME")}
    texts.add(mcp.text("diff", is_error=True, base=str(source), new=str(source)).replace(
        str(source), "NAME").replace("diff", "report", 1))
    text, = texts
    assert text.count("NAME") == 1 and "\n" not in text
    return text


@pytest.fixture
def mcp():
    with Server() as started:
        yield started


def test_one_sentence_for_what_is_no_profile(mcp, tmp_path):
    """Also of root, who may open all of it: a pipe without an end, and files of the kernel among it."""
    (tmp_path / "text").write_text("no profile")
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk/x.pb").write_text("no profile")
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "junk/y.pb")
    unix_socket(tmp_path / "socket").close()
    names = ["missing", "text", "text/below", "empty", "folder", "junk", "pipe", "socket", "junk/y.pb"]
    found = {refusal(mcp, tmp_path / name) for name in names}
    found |= {refusal(mcp, "unix:%s" % (tmp_path / name)) for name in names}
    found |= {refusal(mcp, path) for path in ("/proc/kmsg", "/proc/self/pagemap", "/dev/zero", "/etc/shadow")}
    found.add(refusal(mcp, "http://127.0.0.1:%d" % free_port()))
    sentence, = found
    assert "no profile can be had" in sentence


def test_a_user_learns_nothing_of_what_is_closed_to_him(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "file").write_text("no profile")
    with Server(binary=(*NOBODY, profiler.BINARY)) as mcp:
        names = [closed / "file", closed / "none"]
        assert len({refusal(mcp, kind + str(name)) for kind in ("", "unix:") for name in names}) == 1


@pytest.mark.parametrize("says", LIES, ids=lambda says: repr(says)[:40])
def test_sockets_of_others(mcp, tmp_path, says):
    """They are asked for their health, by Unix sockets and ports; what they answer is not handed on."""
    missing, heard = refusal(mcp, tmp_path / "missing"), []
    with listens(unix_socket(tmp_path / "socket"), says, heard):
        assert refusal(mcp, "unix:%s" % (tmp_path / "socket")) == missing
    port = socket.create_server(("127.0.0.1", 0))
    with listens(port, says, heard):
        assert refusal(mcp, "http://127.0.0.1:%d" % port.getsockname()[1]) == missing
    assert len(heard) >= 2 and all(one.startswith(b"GET /healthz HTTP/1.0\r\n") for one in heard)


def test_a_socket_that_is_another_one_by_then(mcp, tmp_path):
    """Who may write the folder has the path lead elsewhere once it was proved."""
    path, proved, other = tmp_path / "socket", [], []

    def swap():
        if path.is_socket() and not path.is_symlink():
            path.unlink()
            path.symlink_to(tmp_path / "other")
    with listens(unix_socket(tmp_path / "other"), OURS, other):
        with listens(unix_socket(path), OURS, proved, swap):
            mcp.text("report", is_error=True, profile="unix:%s" % path)
    assert path.is_symlink() and not other
    assert [one.split()[1] for one in proved] == [b"/healthz", b"/debug/pprof/profile?seconds=10"]


@pytest.fixture(scope="module", params=("usual", "newest"))
def burning(request, workloads):
    with profiler.target(getattr(known, request.param)().path, workloads / "burn.py") as target:
        yield target


def test_profilers_are_asked(mcp, burning, tmp_path):
    """Ours, at a port and at a Unix socket."""
    with serving(tmp_path, "--pid", burning.pid, "--log", 5, "-F", 499) as ours:
        profiler.wait_until(lambda: "answer" in mcp.call("report", profile=ours.url, **{"from": "-5m"}))
    path = tmp_path / "socket"
    run = profiler.Run(tmp_path, "--pid", burning.pid, "-F", 499, "--log", 5, "--listen", "unix:%s" % path,
                       output=None)
    try:
        profiler.wait_until(path.exists, what="socket")
        profiler.wait_until(lambda: "--wary" in mcp.call("report", profile="unix:%s" % path,
                                                         **{"from": "-5m"})["command"])
    finally:
        run.interrupt()
        run.finish()


def limit_of(pid):
    limits = pathlib.Path("/proc/%d/limits" % pid).read_text()
    return next(line.split()[3] for line in limits.splitlines() if line.startswith("Max address space"))


@pytest.mark.skipif("/san/" in str(profiler.BINARY), reason="SKIP not-applicable: sanitizers map terabytes")
def test_memory_of_all_that_it_starts_has_an_end(mcp, burning):
    mcp.begin("tools/call", name="record", arguments={"pid": burning.pid, "seconds": 60})
    children = pathlib.Path("/proc/%d/task/%d/children" % (mcp.process.pid, mcp.process.pid))
    profiler.wait_until(lambda: children.read_text())
    child, = map(int, children.read_text().split())
    profiler.wait_until(lambda: limit_of(child) != "unlimited")
    assert limit_of(mcp.process.pid) == "unlimited" and 4 << 30 <= int(limit_of(child)) < 5 << 30


def test_what_loads_programs_of_the_kernel_and_reads_memory_has_enough(mcp, burning):
    everything = {"event": "cpu,offcpu,gil,memory,tasks", "native": "full", "by": "endpoint", "async": True}
    assert mcp.call("record", pid=burning.pid, seconds=2, **everything)["books"]["outcomes"]["whole"] > 0
    process, = mcp.call("dump", pid=burning.pid)["answer"]["processes"]
    assert process["threads"][0]["frames"]
    assert mcp.call("doctor", pid=burning.pid)["answer"]
