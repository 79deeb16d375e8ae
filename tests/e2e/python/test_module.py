# SPDX-License-Identifier: GPL-2.0-only
"""The Python package of the wheel: a program that profiles a stretch of itself, in an environment into which
pip has installed it."""
import json
import os
import signal
import subprocess

import pytest

import interpreters as known
import pprof
import profiler
import wheels
from examined import NOBODY

FEW_ARE_ENOUGH = True
# Programs begin with this; burn() takes CPU time of this process, whatever else runs.
HEAD = """
import asyncio, json, os, pathlib, sys, threading, time
import pyperf_bpf
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(500))
def other(seconds):
    burn(seconds)
def says(**what):
    print(json.dumps(what))
"""
UNPRIVILEGED = [*NOBODY[:-1], "--bounding-set=-all", "--inh-caps=-all", "--"]


def usable():
    """From 3.8 on, one of each version."""
    return [i for i in known.one_per_version() if i.version >= (3, 8)]


@pytest.fixture(scope="module", params=usable(), ids=str)
def environment(request):
    return wheels.Environment(request.param, venv=False)


@pytest.fixture(scope="module")
def usual():
    return wheels.Environment(known.usual())


def functions(path):
    return {frame[0] for sample in profiler.read_samples(path) for frame in sample.stack}


def test_a_stretch(environment, tmp_path):
    """All of it is in the file and nothing of what was before or after. Its first tick is not missing: the
    samples stand for the CPU time that the program has measured itself."""
    said = environment.says(HEAD + """
other(0.05)
with pyperf_bpf.profile("out.pb.gz", frequency=1999) as profiled:
    began = time.process_time()
    burn(0.5)
    used = time.process_time() - began
other(0.05)
rows = profiled.report("--by=function", "--top=1")["tables"][0]["rows"]
says(used=used, summary=profiled.summary, said=profiled.said, row=rows[0]["name"], path=str(profiled.path))
""", cwd=tmp_path)
    samples = profiler.read_samples(tmp_path / "out.pb.gz")
    burned = sum(sample.values["cpu_time"] for sample in samples
                 if "burn" in [frame[0] for frame in sample.stack]) / 1e9
    assert 0.8 * said["used"] < burned < 1.2 * said["used"]
    assert not functions(tmp_path / "out.pb.gz") & {"other", "<genexpr>"}
    assert "burn" in said["summary"] and said["row"] == "burn" and said["path"] == "out.pb.gz"
    assert not [line for line in said["said"] if "error" in line or "warning" in line], said["said"]


def test_decorated(environment, tmp_path):
    """Functions and coroutines, with what they return and raise; a call within a call is a part of it."""
    said = environment.says(HEAD + """
@pyperf_bpf.profile("sync.folded", frequency=999)
def work(depth):
    "What it does."
    burn(0.1)
    return work(depth - 1) + 1 if depth else 0
@pyperf_bpf.profile("async.folded", frequency=999)
async def fetch():
    burn(0.1)
    await asyncio.sleep(0)
    raise KeyError("none")
try:
    asyncio.run(fetch())
except KeyError as error:
    raised = str(error)
try:
    @pyperf_bpf.profile()
    def numbers():
        yield 1
except TypeError as error:
    refused = str(error)
says(depth=work(1), doc=work.__doc__, raised=raised, refused=refused)
""", cwd=tmp_path)
    assert said["depth"] == 1 and said["doc"] == "What it does." and said["raised"] == "'none'"
    assert "numbers is a generator" in said["refused"]
    for name, function in (("sync.folded", "work"), ("async.folded", "fetch")):
        assert function in (tmp_path / name).read_text()


@pytest.mark.all  # another interpreter in a venv
def test_another_venv(tmp_path):
    other = known.find("pbs-3.10.16") or pytest.skip("SKIP pbs-3.10.16: not fetched")
    wheels.Environment(other).says(HEAD + """
with pyperf_bpf.profile("out.folded", frequency=999):
    burn(0.2)
says()
""", cwd=tmp_path)
    assert "burn" in (tmp_path / "out.folded").read_text()


def test_the_command_line(environment):
    """It is the process that Python was: exit code and output are the program's."""
    done = environment.run("-m", "pyperf_bpf", "--version")
    assert done.out == subprocess.run([profiler.BINARY, "--version"], capture_output=True, text=True).stdout
    assert "--frequncy" in environment.run("-m", "pyperf_bpf", "--frequncy", code=2).err


def test_events_and_children(usual, tmp_path):
    """Options are those of the command line."""
    usual.says(HEAD + """
import subprocess
with pyperf_bpf.profile("out.pb.gz", event="cpu,offcpu", children=True, frequency=999):
    time.sleep(0.2)
    subprocess.run([sys.executable, "-c", "import time\\ndef child():\\n"
                    "  while time.process_time() < 0.5: 0\\nchild()"])
says()
""", cwd=tmp_path)
    assert "child" in functions(tmp_path / "out.pb.gz")
    assert ("offcpu", "nanoseconds") in pprof.read(tmp_path / "out.pb.gz").sample_types


def test_without_rights(usual):
    """Nobody is profiled from outside, and told what is missing for more."""
    said = usual.says(HEAD + """
with pyperf_bpf.profile(frequency=999) as profiled:
    burn(0.3)
rows = profiled.report("--by=function")["tables"][0]["rows"]
try:
    with pyperf_bpf.profile(native="top"):
        raise AssertionError("it began")
except pyperf_bpf.NoRights as error:
    assert isinstance(error, PermissionError) and isinstance(error, pyperf_bpf.ProfilerError)
    message, code = str(error), error.code
says(row=rows[0]["name"], said=profiled.said, message=message, code=code,
     kind="%s.%s" % (pyperf_bpf.NoRights.__module__, pyperf_bpf.NoRights.__qualname__))
""", prefix=UNPRIVILEGED, cwd="/")
    assert said["row"] == "burn" and "Sampling from outside" in said["said"][0]
    assert said["message"].startswith("pyperf-bpf: error: BPF is refused here") and said["code"] == 2
    assert said["kind"] == "pyperf_bpf.NoRights"
    assert "CAP_BPF" in said["message"] and "\n" not in said["message"]


def test_a_process_that_may_not_be_read(usual):
    """As one of setuid is: the profiler says so, and nothing is left of it."""
    said = usual.says(HEAD + """
import ctypes
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
try:
    with pyperf_bpf.profile():
        raise AssertionError("it began")
except pyperf_bpf.NoRights as error:
    message = str(error)
try:
    os.waitpid(-1, 0)
    left = True
except ChildProcessError:
    left = False
says(message=message, left=left)
""", prefix=UNPRIVILEGED, cwd="/")
    assert "CAP_SYS_PTRACE" in said["message"] and not said["left"]


def test_what_is_no_question_of_rights(usual, tmp_path):
    said = usual.says(HEAD + """
def fails(output=None, **options):
    try:
        with pyperf_bpf.profile(output, **options):
            raise AssertionError("it began")
    except (pyperf_bpf.ProfilerError, TypeError, OSError) as error:
        return [type(error).__name__, str(error)]
option, folder, pid = fails(frequncy=99), fails("none/out.pb.gz"), fails(pid=1)
os.environ["PYPERF_BPF"] = "/nonexistent/pyperf-bpf"
says(option=option, folder=folder, pid=pid, binary=fails())
""", cwd=tmp_path)
    assert said["option"][0] == "ProfilerError" and "did you mean --frequency" in said["option"][1]
    assert said["folder"][0] == "ProfilerError" and "none/out.pb.gz" in said["folder"][1]
    assert said["pid"][0] == "TypeError" and "pid=" in said["pid"][1]
    assert said["binary"][0] == "FileNotFoundError"


def test_which_binary(usual, tmp_path):
    """That of the environment; without one, as with the package alone, that of $PATH, or it says so."""
    text = """
import json, sys
sys.path.insert(0, %r)
import pyperf_bpf
try:
    print(json.dumps(pyperf_bpf.find_binary()))
except pyperf_bpf.BinaryMissing as error:
    print(json.dumps(str(error)))
""" % str(profiler.ROOT / "deploy/python")
    bare = tmp_path / "bare"
    subprocess.run([usual.interpreter.path, "-m", "venv", "--without-pip", bare], check=True)

    def found(python, path):
        done = subprocess.run([python, "-c", text], capture_output=True, text=True, check=True,
                              env={"PATH": str(path)})
        return json.loads(done.stdout)
    assert found(usual.python, tmp_path) == str(usual.folder / "bin" / "pyperf-bpf")
    assert found(bare / "bin" / "python", usual.folder / "bin") == str(usual.folder / "bin" / "pyperf-bpf")
    assert "there is no pyperf-bpf" in found(bare / "bin" / "python", tmp_path)


def test_what_the_program_raises_comes_first(usual, tmp_path):
    """Its file is written all the same. A profiler that was killed is a warning then, else an error."""
    said = usual.says(HEAD + """
import warnings
def profiler():
    return int(pathlib.Path("/proc/self/task/%d/children" % threading.get_native_id()).read_text().split()[0])
try:
    with pyperf_bpf.profile("out.folded", frequency=999):
        burn(0.1)
        raise KeyError("mine")
except KeyError as error:
    raised = str(error)
try:
    with pyperf_bpf.profile("gone.folded"):
        os.kill(profiler(), 9)
except pyperf_bpf.ProfilerError as error:
    killed = [str(error), error.code]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        with pyperf_bpf.profile("gone.folded"):
            os.kill(profiler(), 9)
            raise KeyError("mine")
    except KeyError:
        warned = [str(warning.message) for warning in caught]
says(raised=raised, killed=killed, warned=warned)
""", cwd=tmp_path)
    assert said["raised"] == "'mine'" and "burn" in (tmp_path / "out.folded").read_text()
    assert said["killed"][1] == -9 and said["killed"][0] in said["warned"]
    assert not (tmp_path / "gone.folded").exists()


def test_forked_meanwhile(usual, tmp_path):
    """A child that leaves the block ends nothing: the profile is its parent's."""
    said = usual.says(HEAD + """
with pyperf_bpf.profile("out.folded", frequency=999):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        burn(0.2)
if not child:
    os._exit(0)
says()
""", cwd=tmp_path)
    assert said == {} and "burn" in (tmp_path / "out.folded").read_text()


def test_a_program_that_is_killed(usual, tmp_path):
    """The profiler goes with it, and has written what there was."""
    with usual.start("-u", "-c", HEAD + """
with pyperf_bpf.profile("out.folded", frequency=999):
    burn(0.2)
    print(pathlib.Path("/proc/self/task/%d/children" % os.getpid()).read_text().split()[0])
    time.sleep(1000)
""", cwd=tmp_path) as process:
        child = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        profiler.wait_until(lambda: not os.path.exists("/proc/%d" % child))
    assert "burn" in (tmp_path / "out.folded").read_text()


def test_ctrl_c(usual, tmp_path):
    """It reaches the program alone: the block ends by KeyboardInterrupt, and the file is whole."""
    with usual.start("-u", "-c", HEAD + """
try:
    with pyperf_bpf.profile("out.folded", frequency=999):
        burn(0.2)
        print("burned")
        time.sleep(1000)
except KeyboardInterrupt:
    print("interrupted")
""", cwd=tmp_path, start_new_session=True) as process:
        assert process.stdout.readline() == "burned\n"
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert out == "interrupted\n" and not err
    assert "burn" in (tmp_path / "out.folded").read_text()
