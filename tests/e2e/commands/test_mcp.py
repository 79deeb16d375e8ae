# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf mcp`: answers are those of the commands that they name; what is cut is said; what is no
message, or asks for what is not there, gets one error; nothing is left behind."""
import json
import pathlib
import shlex
import signal
import subprocess

import jsonschema
import pytest

import interpreters as known
import profiler
from mcp_client import Server, run

PROGRAM = """
import json, threading, time
def hot(n):
    return sum(i * i for i in range(n))
def work():
    while True:
        hot(2000)
def deep(n):
    return deep(n - 1) if n else time.sleep(10000)
def wait():
    deep(40)
for i in range(THREADS):
    threading.Thread(target=wait, daemon=True).start()
threading.Thread(target=work, daemon=True, name="worker").start()
print(json.dumps({}), flush=True)
time.sleep(10000)
"""


@pytest.fixture(scope="module")
def program():
    """A program with a busy thread, and many that wait."""
    started = profiler.Target((known.newest().path, "-c", PROGRAM.replace("THREADS", "40")))
    profiler.wait_until(lambda: len(list(pathlib.Path("/proc/%d/task" % started.pid).iterdir())) == 42)
    yield started
    started.stop()


@pytest.fixture
def server():
    with Server() as started:
        yield started


@pytest.fixture(scope="module")
def recorded(program):
    """A server with a profile r1, and what it said of it."""
    with Server() as started:
        yield started, started.call("record", pid=program.pid, seconds=2, frequency=499)


def folder_of(answer):
    words = shlex.split(answer["command"])
    return next(pathlib.Path(word.partition("=")[2]).parent for word in words if word.startswith("--output="))


@pytest.mark.all
@pytest.mark.parametrize("asked, given", (("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"),
                                          ("1999-01-01", "2025-11-25"), (5, "2025-11-25")))
def test_versions(asked, given):
    with Server(begin=False) as started:
        found = started.ask("initialize", protocolVersion=asked)
        assert found["protocolVersion"] == given
        assert found["serverInfo"]["name"] == "pyperf-bpf" and "tools" in found["capabilities"]
        assert "doubt" in found["instructions"]


def test_the_list_of_tools(server):
    tools = {tool["name"]: tool for tool in server.ask("tools/list")["tools"]}
    assert set(tools) >= {"processes", "record", "report", "callers", "callees", "diff", "dump", "tasks",
                          "books", "doctor"}
    for name, tool in tools.items():
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        assert tool["annotations"]["readOnlyHint"] == (name != "record")
        assert set(tool["inputSchema"]["required"]) <= set(tool["inputSchema"]["properties"])


def test_processes(server, program):
    answer = server.call("processes", processes=1000)["answer"]  # 50 if nobody says so
    found = {process["pid"]: process for process in answer["processes"]}
    assert found[program.pid]["layout"] == "proved"


def test_a_profile_is_recorded(recorded):
    _, answer = recorded
    assert answer["profile"] == "r1" and answer["books"]["outcomes"]["whole"] > 0
    rows = answer["report"]["tables"][0]["rows"]
    assert any(row["name"].startswith("hot") for row in rows)
    assert isinstance(answer["findings"], list)
    for share in "self_share", "total_share":
        assert all(row[share + "_low"] - 1e-6 <= row[share] <= row[share + "_high"] + 1e-6 for row in rows)
    assert "the tool books" in answer["cut"][-1]["rest"]
    assert folder_of(answer).stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("tool, arguments", (
    ("report", {"profile": "r1", "by": "line", "top": 3}), ("report", {"profile": "r1", "lines": "work"}),
    ("report", {"profile": "r1", "findings": True}), ("report", {"profile": "r1", "by": "import"}),
    ("report", {"profile": "r1", "tree": True, "focus": "hot"}),
    ("callers", {"profile": "r1", "function": "hot"}), ("callees", {"profile": "r1", "function": "work"}),
    ("diff", {"base": "r1", "new": "r1", "by": "line"})))
def test_answers_are_those_of_the_command(recorded, tool, arguments):
    answer = recorded[0].call(tool, **arguments)
    assert answer["answer"] == run(answer["command"]) and "cut" not in answer


def test_nothing_moves_a_terminal(server):
    """Somebody may look at the text that the agent got: a sequence that a terminal heeds, or a mark that
    turns text around, stays escaped in it, as in that of the command."""
    name = "\u202e\u009b2J\x7f.py"
    waits = "import time\nprint('{}', flush=True)\ntime.sleep(10000)"
    program = "exec(compile(%r, %r, 'exec'))" % (waits, name)
    with profiler.target(known.newest().path, "-c", program) as target:
        text = server.text("dump", pid=target.pid)
    assert text.isprintable() and "\\u202e\\u009b2J\\u007f.py" in text
    answer = json.loads(text)["answer"]
    assert name in [frame["file"] for frame in answer["processes"][0]["threads"][0]["frames"]]


def test_books_are_those_of_the_run(recorded):
    server, answer = recorded
    whole = json.loads((folder_of(answer) / "r1.json").read_text())
    books = server.call("books", profile="r1")["books"]
    assert books["ticks"] == whole["ticks"] == sum(books["outcomes"].values())
    assert books["outcomes"] == {name: value for name, value in whole["outcomes"].items() if value}
    assert "by its name" in server.text("books", is_error=True, profile=str(folder_of(answer) / "r1.pb.gz"))


def test_a_path_is_a_profile_too(recorded, server):
    path = folder_of(recorded[1]) / "r1.pb.gz"
    assert server.call("report", profile=str(path))["answer"]["profile"]["files"] == 1
    assert "no profile r1" in server.text("report", is_error=True, profile="r1")  # of another client
    assert "no profile can be had" in server.text("report", is_error=True, profile="/nowhere")


def test_what_is_cut_is_said(server, program):
    answer = server.call("dump", pid=program.pid)
    process, = answer["answer"]["processes"]
    assert len(process["threads"]) == 20 and max(len(t["frames"]) for t in process["threads"]) == 10
    cut = {one["what"]: one for one in answer["cut"]}
    assert cut["threads"]["left_out"] == 22 and cut["frames"]["left_out"] > 0
    assert cut["threads"]["rest"].startswith("call it with threads, which was 20")
    process, = server.call("dump", pid=program.pid, threads=1000, frames=1)["answer"]["processes"]
    assert len(process["threads"]) == 42


def test_one_thread(server, program):
    process, = server.call("dump", pid=program.pid, thread=program.pid)["answer"]["processes"]
    assert [thread["tid"] for thread in process["threads"]] == [program.pid]


def test_an_answer_that_is_too_large_says_how_to_get_less(server, program):
    text = server.text("dump", is_error=True, pid=program.pid, threads=1000, frames=1000)
    assert "ask for less" in text and len(text) < 500


@pytest.mark.parametrize("tool, arguments, says", (
    ("record", {}, "name what to profile"), ("record", {"pid": 2 ** 22 + 1}, "there is no process"),
    ("record", {"pid": 1, "output": "/tmp/x"}, "no argument 'output'"),
    ("record", {"pid": 1, "seconds": 3600}, "at most 60"),
    ("record", {"pid": 1, "event": "nothing"}, "--event wants"),
    ("report", {"profile": "/dev/null"}, "/dev/null"), ("report", {"profile": "-"}, "or a path"),
    ("report", {"profile": "/etc/passwd"}, "no profile can be had"), ("dump", {"pid": "x"}, "--pid wants")))
def test_what_is_wrong_with_a_call_is_said(server, tool, arguments, says):
    text = server.text(tool, is_error=True, **arguments)
    assert says in text and "\n" not in text


def repr_short(value):
    return repr(value)[-30:]


HEAD = b'{"jsonrpc":"2.0","id":1,'


@pytest.mark.parametrize("line, code", (
    (b"nonsense", -32700), (HEAD + b'"method":', -32700), (b"[" * 100, -32700), (b"\xff\xfe", -32700),
    (HEAD + b'"method":"ping"}{', -32700), (HEAD + b'"method":"pi\0ng"}', -32700),
    (b"[" + HEAD + b'"method":"ping"}]', -32600), (b'{"id":1,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600), (HEAD + b'"params":{}}', -32600),
    (HEAD + b'"method":"resources/list"}', -32601), (HEAD + b'"method":"ping","params":[1]}', -32600),
    (HEAD + b'"method":"tools/call"}', -32602),
    (HEAD + b'"method":"tools/call","params":{"name":5}}', -32602),
    (HEAD + b'"method":"tools/call","params":{"name":"nothing"}}', -32602),
    (HEAD + b'"method":"tools/call","params":{"name":"dump","arguments":[]}}', -32602),
    (b"x" * 300000, -32600), (b'{"a":"' + b"y" * 1000000 + b'"}', -32600)), ids=repr_short)
def test_one_error_for_each_line_that_is_no_request(server, line, code):
    server.send(line)
    error = server.read()["error"]
    assert error["code"] == code and len(error["message"]) < 200
    assert server.ask("ping") == {}


def test_initialize_comes_first():
    with Server(begin=False) as started:
        assert "initialize" in started.ask("tools/list")["message"]
        assert started.ask("ping") == {}


def test_what_nobody_has_to_answer(server):
    server.tell("notifications/whatever")
    server.tell("notifications/cancelled", requestId=4711)
    server.tell("notifications/cancelled")
    server.send(b'{"jsonrpc":"2.0","id":7,"result":{}}')
    server.send(b"")
    assert server.ask("ping") == {}


def children(pid):
    return pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split()


def test_a_call_is_cancelled(server, program):
    number = server.begin("tools/call", name="record", arguments={"pid": program.pid, "seconds": 60})
    profiler.wait_until(lambda: children(server.process.pid))
    assert server.ask("ping") == {}  # it is no hindrance
    server.tell("notifications/cancelled", requestId=number)
    profiler.wait_until(lambda: not children(server.process.pid))
    assert server.ask("ping") == {}  # there was no answer to it
    assert "no profile r1" in server.text("report", is_error=True, profile="r1")


@pytest.mark.all
def test_progress_is_told_to_who_asks_for_it(server, program):
    number = server.begin("tools/call", name="record", arguments={"pid": program.pid, "seconds": 2},
                          _meta={"progressToken": "how far"})
    told = []
    while (message := server.read_any()).get("method") == "notifications/progress":
        told.append(message["params"])
    assert message["id"] == number and not message["result"]["isError"]
    assert told and {one["progressToken"] for one in told} == {"how far"}
    done = [one["progress"] for one in told]
    assert done == sorted(done) and all(one["progress"] <= one["total"] for one in told)


@pytest.mark.all
def test_more_calls_than_it_takes(server, program):
    numbers = [server.begin("tools/call", name="record", arguments={"pid": program.pid, "seconds": 60})
               for _ in range(5)]
    message = server.read()
    assert (message["id"], message["error"]["code"]) == (numbers[-1], -32000)
    again = json.dumps({"jsonrpc": "2.0", "id": numbers[0], "method": "tools/call",
                        "params": {"name": "doctor"}})
    server.send(again.encode())
    assert "under way" in server.read()["error"]["message"]


@pytest.mark.parametrize("how", ("stdin", pytest.param("signal", marks=pytest.mark.all)))
def test_nothing_is_left(how, program, tmp_path):
    with Server(env={"TMPDIR": str(tmp_path)}) as started:
        answer = started.call("record", pid=program.pid, seconds=0.1)
        assert list(tmp_path.iterdir()) == [folder_of(answer)]
        if how == "stdin":
            assert started.end() == 0
        else:
            started.begin("tools/call", name="record", arguments={"pid": program.pid, "seconds": 60})
            profiler.wait_until(lambda: children(started.process.pid))
            own, = children(started.process.pid)
            started.process.send_signal(signal.SIGTERM)
            assert started.process.wait(timeout=300) == 0
            assert not pathlib.Path("/proc", own).exists()
        assert not list(tmp_path.iterdir())


def test_a_call_that_is_under_way_is_answered_at_the_end(program):
    request = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                          "params": {"name": "dump", "arguments": {"pid": program.pid}}})
    begin = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize"})
    done = subprocess.run([profiler.BINARY, "mcp"], input=begin + "\n" + request + "\n", text=True,
                          capture_output=True, timeout=300)
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[1])["result"]["isError"] is False


@pytest.mark.all
def test_who_reads_it_is_gone(program):
    with Server() as started:
        started.begin("tools/call", name="record", arguments={"pid": program.pid, "seconds": 60})
        profiler.wait_until(lambda: children(started.process.pid))
        started.process.stdout.close()
        assert started.process.wait(timeout=300) == 0
        started.process.stdout = None
