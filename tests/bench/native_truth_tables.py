# SPDX-License-Identifier: GPL-2.0-only
"""The truth table of native stacks, beside py-spy --native and perf: how many samples have native callers
that are wrong, or none where there must be some.

Three programs of Debian's own CPython: C functions of which the callers are written down
(tests/workloads/native/chains.py), a service's json, zlib and re, and a product of numpy's whose inner loop
has no unwind information. perf does not know Python lines: its stack has to lead to the interpreter's loop.
"""
import collections
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
from native_truth import MISSING, SAID, SERVICE, WRONG, Chains, Frame, Lines, from_profile

HERTZ, ITERATIONS = 499, 20000000
NUMPY = """
import numpy
a = numpy.ones((400, 400))
print("{}", flush=True)
def product():
    while True:
        a @ a
product()
"""


def from_ours(mode):
    def read(directory, pid, seconds):
        path = pathlib.Path(directory) / "profile.pb.gz"
        ours(directory, "-p", pid, "-F", HERTZ, "-d", seconds, "--native", mode, "-o", path)
        yield from from_profile(path)
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
    at = {**SERVICE, ("product", 0): "openblas|multiarray"}
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
