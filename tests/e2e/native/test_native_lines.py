# SPDX-License-Identifier: GPL-2.0-only
"""--native-lines: lines of source and inlined functions of native code. The library is
workloads/native/lines.c, whose comments say which line belongs to which function."""
import os
import re
import signal
import subprocess
import time

import pytest

import go_pprof
import interpreters as known
import namespaces
import profiler
from elf_files import readelf

NAMES = ["innermost", "middle", "by_itself", "lines_entry"]  # each is called by the next


@pytest.fixture(scope="module")
def source(workloads):
    return workloads / "native" / "lines.c"


@pytest.fixture(scope="module")
def tagged(source):
    """{name in a comment: the lines that have it}"""
    found = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        for name in re.findall(r"@(\w+)", line):
            found.setdefault(name, set()).add(number)
    assert set(NAMES) <= set(found)
    return found


@pytest.fixture
def library(source, tmp_path):
    path = tmp_path / "lines.so"
    subprocess.run(["gcc", "-O2", "-g", "-shared", "-fPIC", "-Wl,--build-id", source, "-o", path], check=True)
    return path


@pytest.fixture
def program(workloads):
    return workloads / "native" / "lines.py"


def profiled(directory, program, library, *options, **more):
    python = known.newest().path
    with profiler.target(python, program, library) as target:
        return profiler.run_while(directory, [target], 0.7, "-F", 997, *options, **more)


def in_library(run, name="by_itself"):
    return [s for s in run.samples if any(frame[0] == name for frame in s.stack)]


def chain_is_right(stack, tagged, mode):
    """Each function in lines.c is called by the next of NAMES, from the line that calls it."""
    chain = [(frame[0], frame[3]) for frame in stack if frame[1].endswith("/lines.c")]
    if not chain or chain[0][0] not in NAMES or chain[0][1] not in tagged[chain[0][0]]:
        return False
    first = NAMES.index(chain[0][0])
    wanted = NAMES[first:] if mode != "leaf" or chain[0][0] == "lines_entry" else NAMES[first:-1]
    calls = [(caller, min(tagged["calls_" + callee])) for callee, caller in zip(wanted, wanted[1:])]
    return [name for name, line in chain] == wanted and chain[1:] == calls


@pytest.mark.parametrize("mode", ["leaf", "top", "full"])
def test_lines_are_right(mode, program, library, tagged, tmp_path):
    run = profiled(tmp_path, program, library, "--native", mode, "--native-lines")
    samples = in_library(run)
    right = [s for s in samples if chain_is_right(s.stack, tagged, mode)]
    assert profiler.total(samples) > 300
    assert profiler.total(right) >= 0.99 * profiler.total(samples), \
        [s.stack for s in samples if s not in right][:5]
    assert any(s.stack[0][0] == "innermost" for s in right)


HOLDER = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
print("{}", flush=True)
while True:
    sum(range(1000))
"""


def test_lines_of_a_program_that_has_ended(program, library, tagged, tmp_path):
    """Another process has the library, and runs none of it. The program runs and ends between two looks for
    lines, of which one is 3 seconds after the start and the next 4 seconds later."""
    python = known.newest().path
    with profiler.target(python, "-c", HOLDER, library) as holder, \
            profiler.target(python, program, library) as target:
        os.kill(target.pid, signal.SIGSTOP)
        run = profiler.Run(tmp_path, "-p", "%d,%d" % (target.pid, holder.pid), "-F", 997, "--native", "top",
                           "--native-lines")
        profiler.wait_until(lambda: profiler.samples_cpus(run), what="samples")
        time.sleep(3.5)
        os.kill(target.pid, signal.SIGCONT)
        end = profiler.cpu_seconds(target.pid) + 0.5
        profiler.wait_until(lambda: profiler.cpu_seconds(target.pid) >= end, what="CPU time")
        os.kill(target.pid, signal.SIGKILL)
        time.sleep(4)
        run.interrupt()
        run.finish()
    samples = [s for s in in_library(run) if s.pid == target.pid]
    right = [s for s in samples if chain_is_right(s.stack, tagged, "top")]
    assert profiler.total(right) >= 0.97 * profiler.total(samples) > 20
    assert not [s for s in in_library(run) if s.pid == holder.pid]


def test_none_unless_asked_for(program, library, tmp_path):
    run = profiled(tmp_path, program, library, "--native", "top")
    frames = {frame for s in in_library(run) for frame in s.stack}
    assert not any(name in ("innermost", "middle") for name, *rest in frames)
    assert ("by_itself", str(library), 0, 0) in frames


def test_python_part_is_the_same(program, library, tmp_path):
    run = profiled(tmp_path, program, library, "--native", "full", "--native-lines", "--hide", "native")
    burning = [s for s in run.samples if any(frame[0] == "burn" for frame in s.stack)]
    assert profiler.total(burning) > 300
    assert {tuple(frame[0] for frame in s.stack) for s in burning} == {("burn", "<module>")}


def test_folded_and_summary_have_them_as_frames(program, library, tagged, tmp_path):
    run = profiled(tmp_path, program, library, "--native", "top", "--native-lines", output="profile.folded")
    calls = [(name, min(tagged["calls_" + callee])) for callee, name in zip(NAMES, NAMES[1:])]
    wanted = ";".join("%s (lines.c:%d)" % call for call in reversed(calls)) + ";innermost (lines.c:"
    assert wanted in re.sub(r"\([^();]*/(lines\.c:)", r"(\1", run.path.read_text())
    assert re.search(r"innermost +\S*/lines\.c", run.out) and "in lines.so" in run.out, run.out


@go_pprof.needed
def test_go_tool_pprof_lists_them(program, library, source, tagged, tmp_path):
    run = profiled(tmp_path, program, library, "--native", "top", "--native-lines")
    text = go_pprof.read("-list", "^innermost$", run.path)
    rows = re.findall(r"^ +(\S+) +(\S+) +(\d+):", text, re.M)
    hot = {int(line) for own, total, line in rows if own != "."}
    assert hot and hot <= tagged["innermost"], text
    assert "x = x * 1103515245 + 12345" in text


def test_a_stripped_file_is_as_without(program, library, tmp_path):
    subprocess.run(["strip", "--strip-debug", library], check=True)
    run = profiled(tmp_path, program, library, "--native", "top", "--native-lines")
    assert ("by_itself", str(library), 0, 0) in {f for s in in_library(run) for f in s.stack}
    assert "has no lines" not in run.err


def test_debug_file_by_build_id(program, library, tagged, tmp_path):
    if namespaces.reason():
        pytest.skip("SKIP mounts: " + namespaces.reason())
    debug = tmp_path / "lines.debug"
    subprocess.run(["objcopy", "--only-keep-debug", library, debug], check=True)
    subprocess.run(["strip", "--strip-all", library], check=True)
    build_id = readelf("-n", library).split("Build ID:")[1].split()[0]
    command = [known.newest().path, program, library]
    with profiler.target(*namespaces.with_debug_file(debug, build_id, library, command)) as target:
        run = profiler.run_while(tmp_path, [target], 0.7, "-F", 997, "--native", "top", "--native-lines")
    samples = in_library(run)
    assert profiler.total(samples) > 300
    right = [s for s in samples if chain_is_right(s.stack, tagged, "top")]
    assert profiler.total(right) >= 0.99 * profiler.total(samples)


def section(library, name, change):
    """Puts something in the place of a section."""
    part = library.with_suffix(name)
    subprocess.run(["objcopy", "--dump-section", "%s=%s" % (name, part), library, "/dev/null"], check=True)
    part.write_bytes(change(part.read_bytes()))
    subprocess.run(["objcopy", "--update-section", "%s=%s" % (name, part), library], check=True)


def ones(data):
    return data[:16] + b"\xff" * (len(data) - 16)


def half(data):
    return data[:len(data) // 2]


DAMAGES = {
    "entries": lambda library: section(library, ".debug_info", ones),
    "cut entries": lambda library: section(library, ".debug_info", half),
    "their forms": lambda library: section(library, ".debug_abbrev", ones),
    "lines": lambda library: section(library, ".debug_line", ones),
    "cut lines": lambda library: section(library, ".debug_line", half),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_damaged(what, program, library, tmp_path):
    """Where the lines cannot be had there are the names of today, or parts of what is right."""
    DAMAGES[what](library)
    run = profiled(tmp_path, program, library, "--native", "leaf", "--native-lines")
    assert profiler.total(in_library(run)) > 300
    assert run.err.count("has no lines") <= 1


def test_too_large_is_said_once(program, library, tmp_path):
    """Sections of 200 MiB, which are packed into some 200 KiB."""
    section(library, ".debug_str", lambda data: data + bytes(200 << 20))
    subprocess.run(["objcopy", "--compress-debug-sections=zlib", library], check=True)
    library.with_suffix(".debug_str").unlink()
    run = profiled(tmp_path, program, library, "--native", "leaf", "--native-lines")
    assert ("by_itself", str(library), 0, 0) in {f for s in in_library(run) for f in s.stack}
    assert run.err.count("has no lines") == 1, run.err


def test_needs_native():
    done = subprocess.run([profiler.BINARY, "--pid", "1", "--native-lines"], capture_output=True, text=True)
    assert done.returncode == 2 and "--native-lines" in done.stderr
