# SPDX-License-Identifier: GPL-2.0-only
"""The judges of the truth table of native stacks (tests/bench/native_truth_tables.py): for whatever
profiler, whether a sample's callers are wrong, or none where there must be some, or said to be missing."""
import collections
import inspect
import itertools
import json
import os
import re

import profiler

Frame = collections.namedtuple("Frame", "name file line")  # line: 0 for native code
TOLD = "[native incomplete]", "[native not loaded yet]", "[native mismatch]", "[native unknown]"
STUB = "{stub or} far_away"
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

    def is_on_the_way(self, frames):
        """To the end of a chain or back from it, perhaps in the C library, which has no functions of ours
        above it then."""
        def is_aside(f):
            return (os.path.basename(f.file).startswith("libc") or f.name.startswith("[syscall ") or
                    f.name.startswith(("chains.so", "far_away")))
        mine = list(itertools.dropwhile(is_aside, frames))
        return any(mine and all(map(is_frame, mine, calls[-len(mine):])) for calls in self.whole
                   if len(calls) >= len(mine))

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
        if end is not None and self.is_on_the_way(mine):
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


# Of tests/workloads/bench/native.py.
SERVICE = {("iterencode", line_of(json.JSONEncoder.iterencode, "return _iterencode(")): "json|encoder|python",
           ("sub", 0): "sre|pattern|python"}


def from_profile(path):
    """The frames and the count of each sample of a profile of ours."""
    for sample in profiler.read_samples(path):
        yield [Frame(name, file, line if file.endswith(".py") or file.startswith("<") else 0)
               for name, file, _, line in sample.stack], sample.count


def verdicts(judge, samples):
    """{verdict: samples}, but for those of which nothing is known to be right."""
    found = collections.Counter()
    for frames, count in samples:
        found[judge.judge(frames)] += count
    del found[None]
    return found
