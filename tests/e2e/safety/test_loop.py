# SPDX-License-Identifier: GPL-2.0-only
"""What could keep the event loop busy for long: it answers all the same, and ends when it is told to."""
import contextlib
import os
import signal
import socket
import subprocess
import threading
import time

import pytest

import interpreters as known
import profiler
from receiver import receiving
from serving import Later, server

IN_PROFILE = {outcome.key for outcome in profiler.OUTCOMES if outcome.place != "OUTSIDE"}
NEWEST = known.of_versions("3.13", "3.14", "3.15")
# A turn may have 0.1 s, of CPU time and in all but for the time in which it has no CPU, which what else the
# machine does can hardly make longer. How long it takes beside others, an answer and the end, has a limit
# that only what hangs reaches: 12 s were seen.
TURN_CPU_SECONDS, TURN_OWN_SECONDS, TURN_SECONDS, END_SECONDS = 0.1, 0.1, 60, 60
# How long a machine on which other tests run may take for what it does in seconds alone.
PATIENCE = 240

# A function of thousands of places from which it calls itself, as generators of code make them. Each level of
# the recursion takes one of them at random, so that each sample has hundreds that nobody has asked for yet.
PROGRAM = """
import json, sys, time
LEAVES, DEPTH = 1 << 14, 900
sys.setrecursionlimit(2000)

def tree(low, high, indent):
    if high - low == 1:
        yield "%sreturn f(n - 1, k)" % indent
        return
    middle = (low + high) // 2
    yield "%sif k %% LEAVES < %d:" % (indent, middle)
    yield from tree(low, middle, indent + " ")
    yield from tree(middle, high, indent)

def burn(k):
    end = time.process_time() + .005
    while time.process_time() < end:
        pass
    return k

lines = ["def f(n, k):", " if not n:", "  return burn(k)", " k = (k * 1103515245 + 12345) >> 3 & 0x7fffffff"]
lines += tree(0, LEAVES, " ")
scope = {"burn": burn, "LEAVES": LEAVES}
exec(compile("\\n".join(lines), "generated.py", "exec"), scope)
table = getattr(scope["f"].__code__, "co_linetable", None) or scope["f"].__code__.co_lnotab
print(json.dumps({"table": len(table), "lines": len(lines)}), flush=True)
k = 1
while True:
    k = scope["f"](DEPTH, k + 1)
"""


@contextlib.contextmanager
def asked(s, path="/healthz"):
    """Asks for a page again and again, and gives the list of the seconds that it took."""
    took, stop = [], threading.Event()

    def ask():
        while not stop.wait(0.02):
            begin = time.monotonic()
            assert s.get(path).status == 200
            took.append(time.monotonic() - begin)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield took
    finally:
        stop.set()
        thread.join()


def longest_turn(s):
    assert s.metric("loop_turn_cpu_seconds_max") < TURN_CPU_SECONDS
    assert s.metric("loop_turn_own_seconds_max") < TURN_OWN_SECONDS
    return s.metric("loop_turn_seconds_max")


@pytest.mark.parametrize("python", NEWEST, ids=str)
def test_a_large_line_table(python, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with profiler.target(python.path, program) as busy:
        assert 400 << 10 < busy.about["table"] < 1 << 20
        with profiler.before_others(), \
                server(tmp_path, "-p", busy.pid, "--output-dir", tmp_path, "--interval", 3) as s:
            least = time.monotonic() + 10
            with asked(s) as took:
                profiler.wait_until(lambda: time.monotonic() > least and
                                    s.metric("line_decodes_total") > 10000, what="look-ups")
            longest = longest_turn(s)
            decodes = s.metric("line_decodes_total")
            end = s.stop()
    print("table %d, look-ups %d, longest turn %.3f s, longest answer %.3f s of %d, end %.2f s"
          % (busy.about["table"], decodes, longest, max(took), len(took), end))
    assert longest < TURN_SECONDS
    assert max(took) < 2 * TURN_SECONDS
    assert end < END_SECONDS


def patiently(s, path):
    return s.get(path, timeout=PATIENCE)


def test_everything_at_once(tmp_path):
    """Files, pushes and requests over HTTP of profiles that have a hundred thousand places each, some of them
    while the tree is emptied."""
    program, folder = tmp_path / "program.py", tmp_path / "profiles"
    program.write_text(PROGRAM)
    folder.mkdir()
    with profiler.target(NEWEST[-1].path, program) as busy, receiving("pyroscope") as receiver:
        with server(tmp_path, "-p", busy.pid, "-F", 499, "--output-dir", folder, "--interval", 3,
                    "--push", receiver.url) as s:
            begun = time.monotonic()

            def is_going():
                # The receiver is slow: it parses what has come in the process that reads the profiles.
                arrived = receiver.times and len(list(folder.glob("*.pb.gz"))) >= 2
                return time.monotonic() < begun + (15 if arrived else PATIENCE)

            while is_going():
                asked_for = [Later(patiently, s, "/debug/pprof/profile?seconds=%d" % n) for n in (2, 3)]
                asked_for.append(Later(patiently, s, "/debug/pyperf/interval"))
                assert {one.get(PATIENCE).status for one in asked_for} <= {200, 503}
            longest = longest_turn(s)
            stopped = s.stop(code=None)  # on a busy machine there may be no time for the last profile
    loop = s.run.stats["loop"]
    print("%d turns, 99 of 100 up to %.3f s, longest %.3f s, of CPU time %.3f s, end %.2f s"
          % (loop["turns"], loop["p99_ns"] / 1e9, longest, loop["cpu_max_ns"] / 1e9, stopped))
    assert receiver.times and len(list(folder.glob("*.pb.gz"))) >= 2
    assert longest < TURN_SECONDS
    assert stopped < END_SECONDS


def test_a_receiver_that_never_answers(workloads, tmp_path):
    """It accepts connections, and that is all."""
    python = NEWEST[-1].path
    with socket.create_server(("127.0.0.1", 0)) as silent, \
            profiler.target(python, workloads / "edges.py") as busy:
        url = "pyroscope+http://127.0.0.1:%d" % silent.getsockname()[1]
        with profiler.before_others(), \
                server(tmp_path, "-p", busy.pid, "--push", url, "--push-timeout", 1, "--interval", 0.5) as s:
            with asked(s) as took:
                profiler.wait_until(lambda: s.metric("push_failures_total") >= 3)
            longest = longest_turn(s)
            end = s.stop(code=1)
    print("longest turn %.3f s, longest answer %.3f s of %d, end %.2f s"
          % (longest, max(took), len(took), end))
    assert longest < TURN_SECONDS and max(took) < 2 * TURN_SECONDS
    assert end < END_SECONDS


@pytest.fixture
def freezing(tmp_path):
    """A folder on a file system that can be frozen. What writes to it then hangs in the kernel, and cannot
    even be killed."""
    image, folder = tmp_path / "image", tmp_path / "profiles"
    folder.mkdir()
    with image.open("wb") as f:
        f.truncate(32 << 20)
    made = subprocess.run(["mkfs.ext4", "-q", image], capture_output=True, text=True)
    mounted = made.returncode or subprocess.run(["mount", "-o", "loop", image, folder]).returncode
    if mounted or subprocess.run(["fsfreeze", "--freeze", folder]).returncode:
        subprocess.run(["umount", folder], capture_output=True)
        pytest.skip("SKIP mounts: no file system can be mounted and frozen here")
    subprocess.run(["fsfreeze", "--unfreeze", folder], check=True)
    yield folder
    subprocess.run(["fsfreeze", "--unfreeze", folder], capture_output=True)
    time.sleep(0.5)  # what hung there ends
    subprocess.run(["umount", "-l", folder], check=True)


def freeze(folder, how="--freeze"):
    subprocess.run(["fsfreeze", how, folder], check=True)


def written(s):
    return s.metric("files_written_total")


def test_a_folder_that_hangs(workloads, tmp_path, freezing):
    """It answers meanwhile, says so once, and loses nothing when the folder comes back."""
    python = NEWEST[-1].path
    with profiler.target(python, workloads / "edges.py") as busy:
        with profiler.before_others(), \
                server(tmp_path, "-p", busy.pid, "-F", 499, "--output-dir", freezing, "--interval", 0.5) as s:
            profiler.wait_until(lambda: written(s) >= 2)
            freeze(freezing)
            with asked(s) as took:
                profiler.wait_until(lambda: s.metric("files_late_total") >= 5)
            longest = longest_turn(s)
            freeze(freezing, "--unfreeze")
            before = written(s)
            profiler.wait_until(lambda: written(s) >= before + 3)
            end = s.stop()
    print("longest turn %.3f s, longest answer %.3f s of %d, end %.2f s"
          % (longest, max(took), len(took), end))
    assert longest < TURN_SECONDS and max(took) < 2 * TURN_SECONDS
    late, again = s.run.err.count("takes longer than an interval"), s.run.err.count("are written to")
    assert again >= 1 and late - again in (0, 1), s.run.err  # a disk that others use may be late, too
    samples = [sample for path in sorted(freezing.glob("*.pb.gz")) for sample in profiler.read_samples(path)]
    counted = sum(count for key, count in s.run.stats["outcomes"].items() if key in IN_PROFILE)
    assert sum(sample.count for sample in samples) == counted == s.run.stats["profile"]["samples"]


@pytest.mark.parametrize("hangs", ["-o", "--stats-json"])
def test_a_file_that_hangs_at_the_end(hangs, workloads, tmp_path, freezing):
    """SIGTERM gives it up; whoever pressed Ctrl-C may wait, and gets it."""
    with profiler.target(NEWEST[-1].path, workloads / "burn.py") as busy:
        for sent, patient in ((signal.SIGTERM, False), (signal.SIGINT, True)):
            options = ["-p", busy.pid, "-q", hangs, freezing / "file"]
            if hangs != "-o":
                options += ["-o", tmp_path / "profile.pb.gz"]
            run = profiler.Run(tmp_path, *options, output=None, stats=False)
            profiler.wait_until(lambda: profiler.samples_cpus(run))
            time.sleep(0.5)
            freeze(freezing)
            begin = time.monotonic()
            run.process.send_signal(sent)
            with contextlib.suppress(subprocess.TimeoutExpired):
                run.process.wait(4 if patient else END_SECONDS)
            end, ended = time.monotonic() - begin, run.process.poll() is not None
            freeze(freezing, "--unfreeze")
            run.finish(code=0 if patient else 1)
            print("%s: end %.2f s" % (sent.name, end))
            assert ended != patient
            assert patient or (end < END_SECONDS and "takes too long" in run.err)
            assert not patient or (freezing / "file").stat().st_size > 100


def test_the_end_while_a_folder_hangs(workloads, tmp_path, freezing):
    """Its last profile is lost, but it ends, and leaves nothing behind once the folder is back."""
    python = NEWEST[-1].path
    with profiler.target(python, workloads / "edges.py") as busy:
        with server(tmp_path, "-p", busy.pid, "--output-dir", freezing, "--interval", 0.5) as s:
            profiler.wait_until(lambda: written(s) >= 1)
            freeze(freezing)
            profiler.wait_until(lambda: s.metric("files_late_total") >= 1)
            begin = time.monotonic()
            os.kill(s.run.process.pid, signal.SIGTERM)
            s.run.process.wait(30)
            end = time.monotonic() - begin
            freeze(freezing, "--unfreeze")
            profiler.wait_until(lambda: not s.run.alive(), what="end of the child that wrote")
            s.run.finish(code=1)
    print("end %.2f s" % end)
    assert end < END_SECONDS
    assert "takes too long" in s.run.err and "the last profile is lost" in s.run.err
    names = [path.name for path in freezing.iterdir() if path.name.endswith(".tmp")]
    assert len(names) <= 1, names
