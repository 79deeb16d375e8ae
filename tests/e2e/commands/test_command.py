# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf -- COMMAND`: exit codes, children, signals."""
import contextlib
import json
import os
import signal
import subprocess
import time

import pytest

import interpreters as known
import home
import profiler

PYTHON = known.newest().path


@pytest.mark.parametrize("code", (0, 7, 255))
def test_exit_code_is_passed_on(tmp_path, workloads, code):
    run = profiler.run(tmp_path, "-F", 499, "--", PYTHON, workloads / "burn.py", 0.3, code, code=code)
    assert json.loads(run.out)["pid"], "COMMAND's output is its own"
    # The profile is written whatever the exit code.
    run.check_books()
    assert profiler.share(run.samples, lambda s: "burn" in profiler.functions(s)) > 0.5


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGKILL, signal.SIGABRT))
def test_killed_by_a_signal(tmp_path, number):
    program = "import os; os.kill(os.getpid(), %d)" % number
    run = profiler.run(tmp_path, "--", PYTHON, "-c", program, code=128 + number)
    run.check_books()


def test_duration_ends_before_command(tmp_path, workloads):
    """The profile is written when the time is up; COMMAND goes on,
    and the exit code is the profiler's own."""
    run = profiler.Run(tmp_path, "-d", 1, "-F", 4999, "--", PYTHON, workloads / "burn.py")
    run.process.wait(300)
    assert run.alive(), "COMMAND was ended"
    run.finish()
    assert profiler.total(run.samples) > 30


@pytest.mark.parametrize("trigger", ("auto", "outside"))
def test_children_are_followed(tmp_path, workloads, trigger):
    """From outside they are met after at most 0.1 s of theirs, all at once; and looks may be missing, but not
    the CPU time of those that are there."""
    with profiler.target(PYTHON, workloads / "burn.py") as stranger:
        run = profiler.run(tmp_path, "-F", 997, "--trigger", trigger, "--", PYTHON, workloads / "family.py",
                           0.4)
        assert not run.of(stranger.pid), "a process that COMMAND did not start"
    pids = json.loads(run.out)
    for name in ("parent", "fork", "child", "grandchild"):
        samples = [s for s in run.of(pids[name]) if "burn_in_" + name in profiler.functions(s)]
        if home.is_outside(run.command):
            assert sum(s.values["cpu_time"] for s in samples) > 0.1e9, (name, run.samples)
            continue
        # 0.4 s at 997 Hz are 399 ticks; the first few may pass before an exec'd child is known.
        assert profiler.total(samples) > 200, name
    assert {s.pid for s in run.samples} <= set(pids.values())


def test_starts_at_the_first_instruction(tmp_path):
    """Imports at start-up are in the profile: COMMAND waits until the sampler knows it."""
    program = "from time import thread_time as t\ndef first():\n    while t() < 0.3: pass\nfirst()"
    run = profiler.run(tmp_path, "-F", 997, "--", PYTHON, "-c", program)
    found = [s for s in run.samples if "first" in profiler.functions(s)]
    if home.is_outside(run.command):  # where looks are missing their time is that of the others
        assert sum(s.values["cpu_time"] for s in found) > 0.15e9
    else:
        assert profiler.total(found) > 150


def wait_for_samples(run, pid):
    """Of half a second of the target's CPU time some have been sampled, however slowly the profiler began."""
    profiler.let_use_cpu(run, [pid], 0.5)
    assert run.process.poll() is None


def interrupt_when_busy(run, pid):
    wait_for_samples(run, pid)
    run.interrupt()


def test_interrupt_ends_early_and_writes(tmp_path, workloads):
    with profiler.target(PYTHON, workloads / "burn.py") as busy:
        run = profiler.Run(tmp_path, "--pid", busy.pid, "-d", 600, "-F", 999)
        interrupt_when_busy(run, busy.pid)
        start = time.monotonic()
        run.finish(500)
        assert time.monotonic() - start < 500
    assert profiler.total(run.of(busy.pid)) > 50


def test_interrupt_ends_a_command(tmp_path, workloads):
    """Ctrl-C reaches the whole foreground group; a COMMAND that ends by it is passed on like any other
    end."""
    run = profiler.Run(tmp_path, "-d", 600, "-F", 999, "--", PYTHON, workloads / "burn.py")
    pid = json.loads(said_by(run))["pid"]
    wait_for_samples(run, pid)
    os.killpg(run.process.pid, signal.SIGINT)
    run.finish(code=128 + signal.SIGINT)
    assert profiler.total(run.samples) > 50


def said_by(run, what=b"\n"):
    """COMMAND's output, as soon as this is in it."""
    profiler.wait_until(lambda: what in os.pread(run.streams[0].fileno(), 4096, 0), what="COMMAND's output")
    return os.pread(run.streams[0].fileno(), 4096, 0)


# It works for a while after it was told to end, as programs do that write their state.
CLEANS_UP = """
import signal, sys, time
def cleanup():
    e = time.thread_time() + 1
    while time.thread_time() < e: sum(range(500))
def told(*_):
    raise SystemExit(%d)
signal.signal(%d, told)
print("ready", flush=True)
try:
    while True: time.sleep(0.01)
finally: cleanup()
"""


@pytest.mark.parametrize("number, tell", (
    (signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill),
), ids=("ctrl-c", "sigterm"))
def test_its_clean_up_is_profiled(tmp_path, number, tell):
    """Its end is waited for, and its exit code is the run's."""
    run = profiler.Run(tmp_path, "-F", 499, "--", PYTHON, "-c", CLEANS_UP % (7, number))
    said_by(run, b"ready")
    tell(run.process.pid, number)
    run.finish(code=7)
    # a second of CPU time at 499 Hz
    assert profiler.total(s for s in run.samples if "cleanup" in profiler.functions(s)) > 300


def test_a_second_interrupt_does_not_wait(tmp_path):
    """COMMAND ignores it."""
    program = "import signal\nsignal.signal(2, signal.SIG_IGN)\nprint('ready', flush=True)\nwhile True: pass"
    run = profiler.Run(tmp_path, "-F", 4999, "--", PYTHON, "-c", program)
    said_by(run, b"ready")
    os.killpg(run.process.pid, signal.SIGINT)
    profiler.wait_until(lambda: b"has not ended yet" in os.pread(run.streams[1].fileno(), 4096, 0),
                        what="word that COMMAND is waited for")
    assert run.process.poll() is None
    os.killpg(run.process.pid, signal.SIGINT)
    run.process.wait(300)
    assert run.alive(), "COMMAND was ended"
    run.finish()
    assert profiler.total(run.samples) > 100


def test_duration_is_over_while_its_end_is_waited_for(tmp_path):
    program = "import signal\nsignal.signal(2, signal.SIG_IGN)\nprint('ready', flush=True)\nwhile True: pass"
    run = profiler.Run(tmp_path, "-d", 4, "--", PYTHON, "-c", program)
    said_by(run, b"ready")
    os.killpg(run.process.pid, signal.SIGINT)
    run.process.wait(300)
    assert run.alive()
    run.finish()


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM))
def test_ended_before_the_first_sample(tmp_path, number):
    """As soon as signals are heeded, which is long before the kernel side is there."""
    run = profiler.Run(tmp_path, "--", "true", stats=False)
    status = "/proc/%d/status" % run.process.pid

    def heeds_signals():
        blocked = next(line for line in open(status) if line.startswith("SigBlk"))
        return run.process.poll() is not None or int(blocked.split()[1], 16) & 1 << number - 1

    profiler.wait_until(heeds_signals, what="signals")
    with contextlib.suppress(ProcessLookupError):
        os.killpg(run.process.pid, number)
    run.finish(code=None)
    if run.code != 1:  # it was quicker than this test
        assert run.code in (0, 128 + number) and run.path.exists()
        pytest.skip("SKIP busy: the profiler had started before it could be interrupted")
    assert run.err == "pyperf-bpf: error: ended by a signal before the first sample: nothing was sampled, " \
                      "and nothing is written\n"
    assert not run.path.exists()


def test_terminate_ends_early_and_writes(tmp_path, workloads):
    with profiler.target(PYTHON, workloads / "burn.py") as busy:
        run = profiler.Run(tmp_path, "--pid", busy.pid, "-d", 600, "-F", 999)
        wait_for_samples(run, busy.pid)
        run.process.terminate()
        run.finish(500)
    assert profiler.total(run.of(busy.pid)) > 50


def test_second_interrupt_quits_at_once(tmp_path, workloads):
    """A first one leaves the profiler writing to a pipe that nobody reads;
    the second must get it out of there."""
    reader, writer = os.pipe()
    size = 4096
    try:
        import fcntl
        fcntl.fcntl(writer, 1031, size)  # F_SETPIPE_SZ
        with profiler.target(PYTHON, workloads / "edges.py") as busy:
            run = profiler.Run(tmp_path, "--pid", busy.pid, "-F", 499, "-d", 600, "--format", "folded",
                               output="-",
                               stats=False, stdout=writer)
            interrupt_when_busy(run, busy.pid)
            # else the pipe was not full, and this shows nothing
            with pytest.raises(subprocess.TimeoutExpired):
                run.process.wait(3)
            run.interrupt()
            run.process.wait(400)  # of 600 s
            assert run.process.returncode in (128 + signal.SIGINT, -signal.SIGINT)
            run.kill()
    finally:
        os.close(reader)
        os.close(writer)


def test_no_progress_line_without_a_terminal(tmp_path, workloads):
    with profiler.target(PYTHON, workloads / "burn.py") as busy:
        run = profiler.run(tmp_path, "--pid", busy.pid, "-d", 1)
    assert "\r" not in run.err and "\x1b" not in run.err


def test_quiet_says_nothing(tmp_path, workloads):
    with profiler.target(PYTHON, workloads / "burn.py") as busy:
        run = profiler.run(tmp_path, "-q", "--pid", busy.pid, "-d", 1)
    assert run.err == ""


def test_all_python_needs_no_pid(tmp_path, workloads):
    """One that runs already and one that starts later."""
    with profiler.target(PYTHON, workloads / "burn.py") as early:
        begin = time.monotonic()
        run = profiler.Run(tmp_path, "--all-python", "-F", 997)
        profiler.let_use_cpu(run, [early.pid], 0.5)
        with profiler.target(PYTHON, workloads / "burn.py") as late:
            profiler.let_use_cpu(run, [early.pid, late.pid], 1)
            run.interrupt()
            run.finish()
        seconds = time.monotonic() - begin
    for pid in (early.pid, late.pid):
        assert profiler.share(run.of(pid), lambda s: "burn" in profiler.functions(s)) > 0.9
    ticks = run.stats["ticks"]
    assert 0.5 * 997 * 2 * 0.6 < ticks < 1.3 * 997 * seconds * os.cpu_count()
