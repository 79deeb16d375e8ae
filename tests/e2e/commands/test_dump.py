# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf dump`: what the threads of a program do now. What CPython says itself of its waiting threads
(faulthandler) is the judge."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

import interpreters as known
import profiler
from dumps import WAITS, dump, hangs, look
from hostile import RING, Ring

ALSO_2_7 = True


def lines_that_hang(source):
    """The line of each function that it never leaves."""
    return {match[1]: number for number, text in enumerate(source.read_text().splitlines(), 1)
            for match in re.finditer(r"# hangs: (\w+)", text)}


@pytest.fixture(scope="module")
def hung_of(workloads, tmp_path_factory):
    """Starts the program on an interpreter, once, and waits until it hangs. Returns it and its own stacks."""
    started = {}

    def start(interpreter):
        if interpreter.name not in started:
            own = tmp_path_factory.mktemp("hung") / "stacks"
            program = profiler.Target((interpreter.path, "-S", workloads / "hung.py", own))
            started[interpreter.name] = program, own
            profiler.wait_until(lambda: hangs(program.pid, program.about), what="hang")
        return started[interpreter.name]
    yield start
    for program, _ in started.values():
        program.stop()


def test_line_and_reason_of_each_thread(version, workloads, hung_of):
    program, _ = hung_of(version)
    threads, numbers = look(program.pid), program.about
    for name, line in lines_that_hang(workloads / "hung.py").items():
        thread = threads[numbers[name]]
        leaf = next(f for f in thread["frames"] if f["file"].endswith("hung.py"))
        assert (leaf["function"], leaf["line"]) == ("<module>" if name == "main" else name, line)
        assert thread["syscall"] in WAITS[name]
        assert (thread["stack"], thread["ran"]) == ("whole", False)
    assert threads[numbers["writer"]]["file"].startswith("pipe:")
    assert threads[numbers["poller"]]["file"].startswith("pipe:")
    assert threads[numbers["asker"]]["file"] == "udp to 127.0.0.1:%d" % numbers["port"]
    assert [f["function"] for f in threads[numbers["deep"]]["frames"]].count("deep") == 101


def own_stacks(path):
    """What faulthandler wrote: for each thread (file, line, function), leaf first. It shows 100 frames."""
    stacks = []
    for line in path.read_text().splitlines():
        if "(most recent call first)" in line:
            stacks.append([])
        found = re.match(r'  File "(.*)", line (\d+) in (.*)', line)
        if found:
            stacks[-1].append((found[1], int(found[2]), found[3]))
    return sorted(stack[:100] for stack in stacks)


def is_written(path):
    text = path.read_text()
    return text.count("most recent call first") == len(WAITS) and text.rstrip().endswith("in <module>")


def test_stacks_are_those_that_python_itself_shows(version, hung_of):
    if version.version < (3,):
        pytest.skip("SKIP not-applicable: no faulthandler in Python 2.7")
    program, own = hung_of(version)
    ours = sorted([(f["file"], f["line"], f["function"].split(".")[-1]) for f in thread["frames"]][:100]
                  for thread in look(program.pid).values())
    os.kill(program.pid, signal.SIGUSR1)
    profiler.wait_until(lambda: is_written(own), what="stacks of its own")
    assert ours == own_stacks(own)


# Of the versions that py-spy 0.4.3 says it can read, and without "t" behind them.
PY_SPY_KNOWS = ((3, 6), (3, 14))


def py_spy(pid):
    """{thread number: [(file, line, function), ...], leaf first}, of a process that it has stopped."""
    command = pathlib.Path(sys.executable).parent / "py-spy"
    done = subprocess.run([command, "dump", "--json", "--pid", str(pid)], capture_output=True, text=True,
                          timeout=300, stdin=subprocess.DEVNULL, check=True)
    return {thread["os_thread_id"]: [(f["filename"], f["line"], f["name"]) for f in thread["frames"]]
            for thread in json.loads(done.stdout)}


def test_stacks_are_those_that_py_spy_shows(version, hung_of):
    """The other profiler, which reads from outside, sees the same in a program that does not move."""
    if version.build or not PY_SPY_KNOWS[0] <= version.version[:2] <= PY_SPY_KNOWS[1]:
        pytest.skip("SKIP not-applicable: py-spy 0.4.3 does not know this version")
    program, _ = hung_of(version)
    ours = {tid: [(f["file"], f["line"], f["function"]) for f in thread["frames"]]
            for tid, thread in look(program.pid).items()}
    assert ours == py_spy(program.pid)


def test_text_says_the_same(version, workloads, hung_of):
    program, _ = hung_of(version)
    text = dump("--pid", program.pid).stdout
    lines = lines_that_hang(workloads / "hung.py")
    assert text.startswith("Process %d " % program.pid)
    assert "\033" not in text
    assert "      asker (%s:%d)\n" % (workloads / "hung.py", lines["asker"]) in text
    assert re.search(r"Thread %d .*: waits in write of fd \d+ \(pipe:\[\d+\]\) for [\d.]+ s\n"
                     % program.about["writer"], text)
    # deep calls itself in 100 frames of one line, of which three are written
    assert "      ... and 97 times more\n" in text


test_text_says_the_same.few_are_enough = True


def test_how_long_a_thread_has_waited(hung_of):
    """The same wait, looked at twice, has lasted longer by the time between."""
    program, _ = hung_of(known.newest())
    number = program.about["deep"]
    if "seconds" not in look(program.pid)[number]:
        pytest.skip("SKIP not-applicable: /proc/PID/sched does not say when a thread last ran")
    before = look(program.pid)[number]["seconds"]
    profiler.wait_until(lambda: look(program.pid)[number]["seconds"] >= before + 0.5, what="longer wait")


def test_who_has_the_gil(version, workloads):
    """Of two threads that always want to run, one holds it, and the one that waits names the other."""
    with profiler.target(version.path, "-S", workloads / "turns.py") as program:
        seen = []

        def waits():
            threads = look(program.pid)
            held = [tid for tid in program.about if threads[tid]["holds_gil"]]
            assert set(held) <= set(program.about)
            seen.extend(threads[tid]["gil_holder"] == (set(program.about) - {tid}).pop()
                        for tid in program.about if "gil_holder" in threads[tid])
            return held and (len(seen) >= 5 or version.version < (3, 7))
        profiler.wait_until(waits, what="wait for the GIL")
    assert all(seen)


test_who_has_the_gil.few_are_enough = True


def test_a_loop_that_goes_on_is_named(version):
    """Its instruction is another one at each look; its frame is the same."""
    text = "print('{}')\ndef goes_on():\n    while True:\n        sum(range(100))\ngoes_on()"
    with profiler.target(version.path, "-S", "-u", "-c", text) as program:
        def top():
            thread, = look(program.pid).values()
            return thread["frames"][0]["function"]
        profiler.wait_until(lambda: top() == "goes_on", what="call")  # its line of JSON came before that
        for _ in range(10):
            thread, = look(program.pid).values()
            assert [f["function"] for f in thread["frames"]] == ["goes_on", "<module>"], thread
            assert thread["frames"][0]["line"] in (3, 4)


test_a_loop_that_goes_on_is_named.few_are_enough = True


def test_all_python_finds_it_and_selections_hold(hung_of):
    program, _ = hung_of(known.newest())
    everything = json.loads(dump("--all-python", "--json").stdout)["processes"]
    assert program.pid in [p["pid"] for p in everything]
    assert json.loads(dump("-a", "--json", "--comm", "no-such-name").stdout)["processes"] == []


@pytest.mark.parametrize("shims", (True, False), ids=("shims", "frames"))
def test_a_process_that_forges_its_frames(shims, hung_of):
    """It may be given up, and takes nothing from who is looked at beside it."""
    program, _ = hung_of(known.newest())
    python = [i for i in known.one_per_version() if i.version[:2] >= (3, 13)][0]
    with profiler.target(python.path, "-IS", "-c", RING, stdin=subprocess.PIPE) as hostile:
        Ring(hostile, shims)
        hostile.tell()
        done = subprocess.run([profiler.BINARY, "dump", "--json", "-p", "%d,%d" % (hostile.pid, program.pid)],
                              capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1) and len(done.stderr.splitlines()) == done.returncode, done.stderr
    processes = {p["pid"]: p for p in json.loads(done.stdout)["processes"]}
    assert len(processes[program.pid]["threads"]) == len(WAITS)
    if hostile.pid in processes:
        thread, = processes[hostile.pid]["threads"]
        assert thread["stack"] != "whole" and len(thread["frames"]) < 5000


@pytest.mark.parametrize("arguments, code, words", [
    ((), 2, ["--all-python", "--pid"]),
    (("--pid", "1", "--push", "http://x"), 2, ["--push", "dump"]),
    (("--", "true"), 2, ["--all-python", "--pid"]),
    (("--pid", "4194304"), 1, ["no process 4194304"]),
])
def test_bad_input(arguments, code, words):
    done = dump(*arguments, code=code)
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert all(word in done.stderr for word in words)


def test_not_python(hung_of):
    """The other one that is named is shown all the same."""
    program, _ = hung_of(known.newest())
    with subprocess.Popen(["sleep", "1000"]) as sleep:
        try:
            done = dump("--pid", "%d,%d" % (sleep.pid, program.pid), code=1)
            assert "%d is not Python" % sleep.pid in done.stderr and len(done.stderr.splitlines()) == 1
            assert done.stdout.startswith("Process %d " % program.pid)
        finally:
            sleep.kill()
