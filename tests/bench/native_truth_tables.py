# SPDX-License-Identifier: GPL-2.0-only
"""The truth table of native stacks, beside py-spy --native and perf: how many samples have native callers
that are wrong, or none where there must be some.

Three programs of Debian's own CPython: C functions of which the callers are written down
(tests/workloads/native/chains.py), a service's json, zlib and re, and a product of numpy's whose inner loop
has no unwind information. perf does not know Python lines: its stack has to lead to the interpreter's loop.
"""
import collections
import inspect
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time

import peers as others
from common import TARGET_CPU, TESTS, Skip, Started, Table, Target, ours, profiler

import native_frames

Frame = collections.namedtuple("Frame", "name file line")  # line: 0 for native code
HERTZ, ITERATIONS = 499, 20000000
TOLD = "[native incomplete]", "[native not loaded yet]", "[native mismatch]", "[native unknown]"
STUB = "{stub or} far_away"
NUMPY = """
import numpy
a = numpy.ones((400, 400))
print("{}", flush=True)
def product():
    while True:
        a @ a
product()
"""
RIGHT, WRONG, MISSING, SAID = "right", "wrong", "missing", "told"


def is_frame(frame, written):
    name = frame.name.replace("(anonymous namespace)", "{}").partition("(")[0].partition("@")[0]
    file = os.path.basename(frame.file)
    if written == "{libc}":
        return file.startswith("libc")
    if written == "[JIT]":
        return not file.endswith(".so")
    if written == STUB:
        return name == "far_away" or file == "chains.so"
    return name == written.replace("(anonymous namespace)", "{}")


def is_python(frame):
    return frame.line or frame.name.startswith(("_PyEval", "PyEval"))


class Chains:
    """Each chain is the one that is written down, and is called by ctypes."""

    def __init__(self, about):
        whole = [*about["whole"].values(), *(calls[:-1] for calls in about["broken"].values())]
        between_two_calls = [calls[1:] for calls in whole if calls[0] == STUB]
        self.whole = whole + between_two_calls

    def judge(self, frames):
        end = next((at for at, f in enumerate(frames) if is_python(f) or "ffi" in f.file or
                    "_ctypes" in f.file), None)
        mine = frames[:end]
        if any(f.name in TOLD for f in mine):
            return SAID
        if not mine:  # between two calls; but the lines that call always have more to show
            return MISSING if frames and frames[0].name == "call" else None
        if any(len(w) == len(mine) and all(map(is_frame, mine, w)) for w in self.whole):
            return RIGHT
        if end is None:
            return MISSING
        return WRONG if any("chains" in f.file or "libfar" in f.file for f in mine) else None


def line_of(function, text):
    """Where this text is in a function of our own CPython, which is that of the programs."""
    lines, first = inspect.getsourcelines(function)
    return first + next(at for at, line in enumerate(lines) if text in line)


class Lines:
    """Above a line that calls C there is what it calls. at: {(function, line): what the file or the name of
    one of the native frames must have}; line 0: any."""

    def __init__(self, at):
        self.at = at

    def judge(self, frames):
        end = next((at for at, f in enumerate(frames) if is_python(f)), None)
        mine = frames[:end]
        if any(f.name in TOLD for f in mine):
            return SAID
        if end is None:
            return MISSING
        python = frames[end]
        if not python.line:  # perf
            return RIGHT
        name = python.name.rpartition(".")[2]
        needed = self.at.get((name, python.line)) or self.at.get((name, 0))
        if not needed:
            return None
        if any(re.search(needed, f.file + " " + f.name) for f in mine):
            return RIGHT
        return WRONG if mine else MISSING


def from_ours(mode):
    def read(directory, pid, seconds):
        path = pathlib.Path(directory) / "profile.pb.gz"
        ours(directory, "-p", pid, "-F", HERTZ, "-d", seconds, "--native", mode, "-o", path)
        for sample in profiler.read_samples(path):
            yield [Frame(name, file, line if file.endswith(".py") or file.startswith("<") else 0)
                   for name, file, _, line in sample.stack], sample.count
    return read


def from_py_spy(directory, pid, seconds):
    path = pathlib.Path(directory) / "spy.folded"
    done = Started([others.from_pypi("py-spy"), "record", "--native", "--pid", pid, "--rate", HERTZ,
                    "--duration", seconds, "--format", "raw", "--output", path]).finish()
    if not path.exists():
        raise Skip((done.err or done.out).strip()[-200:])
    for line in path.read_text(errors="replace").splitlines():
        stack, _, count = line.rpartition(" ")
        frames = []
        for text in reversed(stack.split(";")):
            name, _, where = text.rpartition(" (")
            file, _, number = where.rstrip(")").partition(":")
            is_source = file.endswith(".py") or file[:1] == "<"
            frames.append(Frame(name, file, int(number or 0) if is_source else 0))
        yield frames, int(count)


def from_perf(how):
    def read(directory, pid, seconds):
        if not shutil.which("perf"):
            raise Skip("perf is not installed (apt: linux-perf)")
        path = pathlib.Path(directory) / "perf.data"
        Started(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", HERTZ, "--call-graph", how, "-p", pid,
                 "-o", path, "--", "sleep", seconds]).finish()
        done = Started(["perf", "script", "-i", path, "-F", "ip,sym,dso", "--no-inline"]).finish()
        for sample in done.out.split("\n\n"):
            found = re.findall(r"^\s*[0-9a-f]+ (.*) \((.*)\)$", sample, re.M)
            if found:
                yield [Frame(name, file, 0) for name, file in found], 1
    return read


PROFILERS = {"pyperf-bpf --native top": from_ours("top"), "pyperf-bpf --native full": from_ours("full"),
             "py-spy --native": from_py_spy, "perf, frame pointers": from_perf("fp"),
             "perf, dwarf": from_perf("dwarf,16384")}


def programs(directory):
    """{name: (command, environment, judge of what the program says when it is ready)}"""
    python = TESTS.parent / ".cache" / "venv" / "bin" / "python"
    library = native_frames.build_chains(directory)
    call = line_of(json.JSONEncoder.iterencode, "return _iterencode(")
    at = {("iterencode", call): "json|encoder|python", ("sub", 0): "sre|pattern|python",
          ("product", 0): "openblas|multiarray"}
    bench = TESTS / "workloads" / "bench" / "native.py"
    return {"chains": ([python, TESTS / "workloads/native/chains.py", library, ITERATIONS, "chains"], Chains),
            "json, zlib, re": ([python, bench], lambda about: Lines(at)),
            "numpy": ([python, "-c", NUMPY], lambda about: Lines(at))}


def native_truth(settings, save):
    del save
    table = Table("12. Native stacks: are they right? %d Hz" % HERTZ,
                  "wrong: a stack that the program cannot have. missing: no native callers where there must "
                  "be some.\ntold: the stack says itself that callers are missing.")
    os.environ.update(OPENBLAS_NUM_THREADS="1", OPENBLAS_CORETYPE="Haswell")
    seconds = max(2, round(settings.seconds(10)))
    with tempfile.TemporaryDirectory() as directory:
        for name, (command, judge_of) in programs(pathlib.Path(directory)).items():
            running = Target(command, [TARGET_CPU])
            try:
                time.sleep(0.5)
                for who, read in PROFILERS.items():
                    add_row(table, name, who, read, judge_of(running.about), running.pid, seconds)
            finally:
                running.stop()
    return [table], table.rows


def add_row(table, program, who, read, judge, pid, seconds):
    found = collections.Counter()
    try:
        with tempfile.TemporaryDirectory() as directory:
            for frames, count in read(directory, pid, seconds):
                verdict = judge.judge(frames)
                found[verdict] += count
                if os.environ.get("SHOW") and verdict in (WRONG, MISSING):
                    print(who, verdict, count, json.dumps(frames)[:600], file=sys.stderr)
    except (Skip, RuntimeError, OSError) as e:
        table.skip("%s, %s" % (program, who), str(e) or type(e).__name__)
        return
    del found[None]
    total = max(1, sum(found.values()))
    table.add(program=program, profiler=who, samples=sum(found.values()),
              **{verdict + " %": 100 * found[verdict] / total for verdict in (WRONG, MISSING, SAID)})
