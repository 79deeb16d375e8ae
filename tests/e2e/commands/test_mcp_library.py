# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf mcp` asked by a client library of others about a real service: five questions that people have,
each with the calls by which an agent finds the answer. docs/mcp.md shows them."""
import contextlib
import http.client
import json
import re
import subprocess
import sys
import threading

import pytest

import endpoints
import profiler

pytestmark = [pytest.mark.all, pytest.mark.burns]
PAGE = profiler.ROOT / "docs" / "mcp.md"
PYTHON = profiler.ROOT / ".cache" / "mcp" / "bin" / "python"
SERVER = ["-m", "gunicorn", "-k", "gthread", "--threads", "8", "-w", "1", "--log-level", "critical",
          "--graceful-timeout", "1", "-b", "127.0.0.1:PORT", "troubled_app:app"]


class Client:
    def __init__(self):
        if not PYTHON.exists():
            pytest.skip("SKIP mcp: no %s; make deps" % PYTHON.relative_to(profiler.ROOT))
        program = profiler.ROOT / "tests" / "lib" / "library_client.py"
        self.process = subprocess.Popen([PYTHON, program, profiler.BINARY], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.begun = json.loads(self.process.stdout.readline())

    def send(self, asked):
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def call(self, tool, **arguments):
        answer = self.send({"tool": tool, "arguments": arguments})
        assert not answer["is_error"], answer["text"]
        return json.loads(answer["text"])

    def rows(self, tool, **arguments):
        return self.call(tool, **arguments)["answer"]["tables"][0]["rows"]


@pytest.fixture
def client():
    started = Client()
    yield started
    started.process.communicate()
    assert started.process.returncode == 0


@contextlib.contextmanager
def service(*paths, release="1"):
    with endpoints.application(sys.executable, SERVER, paths, environment={"RELEASE": release},
                               forks=True) as started:
        yield started.pids[0]


def record(client, pid, **arguments):
    """For longer each time, until there is enough to judge: what else runs decides how fast that is."""
    for seconds in 3, 6, 12, 24, 48, 48, 48:
        answer = client.call("record", pid=pid, seconds=seconds, frequency=499, **arguments)
        if answer["report"]["profile"].get("samples", 1000) >= 200:
            return answer
    raise AssertionError("nothing runs: %s" % answer["books"])


def test_the_library_understands_it(client):
    assert client.begun["server"] == "pyperf-bpf"
    assert {"record", "report", "dump"} <= set(client.send({})["tools"])
    assert client.send({"tool": "report", "arguments": {"profile": "r1"}})["is_error"]


def test_which_endpoint_is_slow_and_why(client):
    with service("/search/no.%207", "/price/7") as pid:
        name = record(client, pid, by="endpoint")["profile"]
        rows = client.rows("report", profile=name, by="endpoint")
        shares = {row["name"].partition(":")[2]: row["self_share"] for row in rows}
        assert shares["search"] > 2 * shares.get("price", 0)
        lines = client.rows("report", profile=name, by="line", focus="search")
        assert lines[0]["file"].endswith("troubled_app.py")
        assert {row["name"] for row in client.rows("callers", profile=name, function="normal")} == {
            "find.<locals>.<listcomp>" if sys.version_info < (3, 12) else "find"}


def test_who_holds_the_gil(client):
    with service("/export", "/price/7") as pid:
        name = record(client, pid, event="gil")["profile"]
        rows = client.rows("report", profile=name, by="function", event="gil")
        assert "JSONEncoder" in rows[0]["name"] and rows[0]["self_share"] > 0.5
        assert "export" in {row["name"] for row in client.rows("callers", profile=name, function="dumps")}


def test_what_leaks(client):
    with service("/visit/7", "/price/7") as pid:
        name = client.call("record", pid=pid, seconds=5, event="memory")["profile"]
        rows = client.rows("report", profile=name, by="function", event="memory")
        assert rows[0]["name"].startswith("remember") and rows[0]["self_share"] > 0.5


def test_what_changed(client):
    names = []
    for release in "1", "2":
        with service("/search/no.%207", "/price/7", release=release) as pid:
            names.append(record(client, pid)["profile"])
    answer = client.call("diff", base=names[0], new=names[1], normalize="samples")["answer"]
    grew = [row["name"] for row in answer["rows"] if row["beyond_chance"] and row["self"] > 0]
    assert grew and grew[0].startswith("normal")


def test_what_answers_name_leads_on(client):
    """Who knows nothing but the process, and follows what the last answer names, comes to the line that is
    to blame. What is named can be called as it stands. docs/mcp.md has such a session."""
    section = PAGE.read_text().split("\n## A session")[1].split("\n## ")[0]
    session = re.findall(r"^    > (\w+) (\{.*\})", section, re.M)
    with service("/search/no.%207", "/price/7") as pid:
        assert [tool for tool, _ in session] == ["dump", "record", "report", "callers", "callers"]
        answer, lines = client.call("dump", pid=pid), None
        for tool, arguments in session[1:]:
            assert 1 <= len(answer["next"]) <= 2, answer["next"]
            for call in (call for call in answer["next"] if call["tool"] != "record"):
                client.call(call["tool"], **call["arguments"])
            call, = (call for call in answer["next"] if call["tool"] == tool)
            changed = {"event": "cpu", "frequency": 499} if tool == "record" else {}
            assert set(call["arguments"]) | set(changed) == set(json.loads(arguments)), call
            answer = client.call(tool, **{**call["arguments"], **changed})
            lines = answer if tool == "report" else lines
        rows = lines["answer"]["tables"][0]["rows"]
        assert rows[0]["file"].endswith("troubled_app.py") and all(row["source"] for row in rows), rows


def ask(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    with contextlib.suppress(OSError, http.client.HTTPException):
        connection.request("GET", path)
        connection.getresponse()


def test_why_it_hangs(client):
    with service("/price/7") as pid:
        port = int(next(word for word in open("/proc/%d/cmdline" % pid).read().split("\0")
                        if word.startswith("127.0.0.1:")).partition(":")[2])
        for path in "/order/7", "/refund/7":
            threading.Thread(target=ask, args=(port, path), daemon=True).start()

        def stuck():
            process, = client.call("dump", pid=pid, frames=1)["answer"]["processes"]
            return [thread["frames"][0] for thread in process["threads"]
                    if thread["frames"] and thread["frames"][0]["file"].endswith("troubled_app.py")
                    and thread.get("syscall") == "futex"]
        profiler.wait_until(lambda: len(stuck()) == 2, what="deadlock")
        assert {frame["function"] for frame in stuck()} == {"order", "refund"}
