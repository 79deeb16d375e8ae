# SPDX-License-Identifier: GPL-2.0-only
"""/debug/pyperf/stacks: what the threads of programs that are profiled do now, over HTTP. `pyperf-bpf dump`,
which CPython itself judges (test_dump.py), is the judge: of a program that stands still both say the same."""
import contextlib
import json
import os
import re
import signal
import subprocess
import time

import pytest

import interpreters as known
import profiler
from async_tasks import settled, stop
from dumps import dump, hangs
from hostile import RING, Ring
from serving import Later, server

PYTHON = known.newest()


@pytest.fixture(scope="module")
def hung(workloads, tmp_path_factory):
    """A program that hangs: two locks taken in both orders, a full pipe and others."""
    own = tmp_path_factory.mktemp("hung") / "stacks"
    with profiler.target(PYTHON.path, "-S", workloads / "hung.py", own) as program:
        profiler.wait_until(lambda: hangs(program.pid, program.about), what="hang")
        yield program


@pytest.fixture(scope="module")
def s(hung, tmp_path_factory):
    with server(tmp_path_factory.mktemp("server"), "--all-python") as started:
        yield started
        started.stop()


@contextlib.contextmanager
def server_of(directory, program):
    """One that profiles this program alone, which it may find out late on a busy machine."""
    with server(directory, "--pid", program.pid) as started:
        profiler.wait_until(lambda: started.get("/debug/pyperf/stacks?pid=%d" % program.pid).status == 200,
                            what="program that is profiled")
        yield started


def stacks(s, query, status=200):
    answer = s.get("/debug/pyperf/stacks?" + query)
    assert answer.status == status, answer
    return answer.body.decode()


def without_times(document):
    for process in document["processes"]:
        for thread in process["threads"]:
            thread.pop("seconds", None)
    return document


def untimed(text):
    return re.sub(r" for [\d.]+ s\b", "", text)


def test_json_is_that_of_dump(s, hung):
    ours = json.loads(stacks(s, "format=json&pid=%d" % hung.pid))
    assert len(ours["processes"][0]["threads"]) == 7
    assert without_times(ours) == without_times(json.loads(dump("--json", "--pid", hung.pid).stdout))


def test_text_is_that_of_dump(s, hung):
    ours = untimed(stacks(s, "pid=%d" % hung.pid))
    assert "waits in write of fd" in ours
    assert ours == untimed(stacks(s, "format=text&async=0&pid=%d" % hung.pid))
    assert ours == untimed(dump("--pid", hung.pid).stdout)


def test_async_is_that_of_dump(s, workloads):
    python = [i for i in known.one_per_version() if i.version[:2] >= (3, 14)][0]
    with profiler.target(python.path, "-S", workloads / "tasks.py", "chain") as program:
        pid = program.about["pid"]
        profiler.wait_until(lambda: settled(pid), what="program that waits")
        stop(pid)
        ours = json.loads(stacks(s, "async=1&format=json&pid=%d" % pid))
        assert [t for t in ours["processes"][0]["threads"] if t.get("awaited_by")]
        assert without_times(ours) == without_times(
            json.loads(dump("--async", "--json", "--pid", pid).stdout))
        assert untimed(stacks(s, "async=1&pid=%d" % pid)) == untimed(dump("--async", "--pid", pid).stdout)


def test_all_that_are_profiled(s, hung):
    def is_there():
        found = json.loads(stacks(s, "format=json"))
        processes.update((p["pid"], p) for p in found["processes"])
        assert len({p["pid"] for p in found["processes"]}) == len(found["processes"])
        return hung.pid in processes and found["left_out"] >= 0
    processes = {}
    profiler.wait_until(is_there, what="program that is profiled")
    only = {"processes": [processes[hung.pid]]}
    assert without_times(only) == without_times(json.loads(dump("--json", "--pid", hung.pid).stdout))
    assert re.search(r"^Process \d+ .*: CPython 3", stacks(s, ""), re.M)


@pytest.mark.parametrize("query, status, words", [
    ("pid=4194304", 404, "there is no process 4194304"),
    ("pid=40000000000", 400, "pid wants the number of a process"),
    ("pid=0", 400, "pid wants"), ("pid=-1", 400, "pid wants"), ("pid=", 400, "pid wants"),
    ("pid=1&pid=1", 400, "pid is there twice"),
    ("format=xml", 400, "format wants text or json, not 'xml'"),
    ("async=yes", 400, "async wants 1 or 0"),
    ("seconds=1", 400, "'seconds' is unknown: there are pid, format, async"),
])
def test_bad_input(s, query, status, words):
    line = stacks(s, query, status)
    assert line.count("\n") == 1 and line.startswith(words)


def test_not_python(s):
    with subprocess.Popen(["sleep", "1000"]) as sleep:
        try:
            line = stacks(s, "pid=%d" % sleep.pid, 404)
        finally:
            sleep.kill()
    assert line == "process %d is not Python\n" % sleep.pid


def test_only_those_that_are_profiled_are_shown(tmp_path, hung):
    """Who may ask the profiler sees no more than what it was started for."""
    with profiler.target(PYTHON.path, "-S", "-c", "input()", about=False, stdin=subprocess.PIPE) as other:
        with server_of(tmp_path, hung) as s:
            line = stacks(s, "pid=%d" % other.pid, 404)
            assert line == "process %d is no Python that is profiled\n" % other.pid
            found = json.loads(stacks(s, "format=json"))
    assert [p["pid"] for p in found["processes"]] == [hung.pid]


def worker_of(s):
    for path in os.listdir("/proc"):
        if path.isdigit():
            with contextlib.suppress(OSError), open("/proc/%s/comm" % path) as f:
                if f.read() == "pyperf-worker\n" and os.getpgid(int(path)) == s.run.process.pid:
                    return int(path)
    return None


def stop_worker(s):
    """One that has stopped: on a busy machine one may have been given up just now, and another follows."""
    def stopped():
        pid = worker_of(s)
        if pid is None:
            return False
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGSTOP)
            with open("/proc/%d/stat" % pid) as f:
                return f.read().rpartition(")")[2].split()[0] == "T"
        return False
    profiler.wait_until(stopped, what="worker that has stopped")
    return worker_of(s)


def test_a_worker_that_does_not_answer(tmp_path, hung):
    """It is given up. The event loop goes on meanwhile, and the next look is that of a new worker."""
    with server_of(tmp_path, hung) as s:
        while True:
            stopped = stop_worker(s)
            look = Later(s.get, "/debug/pyperf/stacks?pid=%d" % hung.pid)
            while look.is_alive():
                assert s.get("/healthz").status == 200
                time.sleep(0.05)
            answer = look.get()
            if answer.status != 200:
                break
            # It was given up for the question that it had, about another process of the machine.
            assert worker_of(s) != stopped
        assert answer.status == 503, answer
        line = answer.body.decode()
        assert line.startswith("the look was given up") and line.count("\n") == 1
        assert len(json.loads(stacks(s, "format=json&pid=%d" % hung.pid))["processes"][0]["threads"]) == 7
        # Without the time for which it waited for a CPU, so that a busy machine does not count.
        assert s.metric("loop_turn_own_seconds_max") < 0.1


def test_a_process_that_forges_its_frames(s, hung):
    """It takes nothing from who is looked at beside it."""
    python = [i for i in known.one_per_version() if i.version[:2] >= (3, 13)][0]
    with profiler.target(python.path, "-IS", "-c", RING, stdin=subprocess.PIPE) as hostile:
        Ring(hostile, True)
        hostile.tell()
        answer = s.get("/debug/pyperf/stacks?format=json&pid=%d" % hostile.pid)
        # It is no Python any more, or was given up, or its frames lead to no root.
        assert answer.status in (200, 404, 503), answer
        assert stacks(s, "pid=%d" % hung.pid).startswith("Process %d " % hung.pid)
    if answer.status == 200:
        thread, = json.loads(answer.body)["processes"][0]["threads"]
        assert thread["stack"] != "whole"


def test_the_end_does_not_wait(tmp_path, hung):
    """Those who wait for a look that hangs are told, and the profiler ends."""
    with server_of(tmp_path, hung) as s:
        stop_worker(s)
        looks = [Later(s.get, "/debug/pyperf/stacks?pid=%d" % hung.pid) for _ in range(4)]
        time.sleep(0.1)
        s.end()
        for look in looks:
            with contextlib.suppress(OSError):
                assert look.get().status in (200, 503)
