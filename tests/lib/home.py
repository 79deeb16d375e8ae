# SPDX-License-Identifier: GPL-2.0-only
"""Where the sampler of the tests runs: in the kernel, or from outside where BPF is refused. There, a run
whose options need BPF is refused by the program, and so its test is skipped; so are those that
tests/needs-bpf.txt names."""
import functools
import os
import pathlib
import re
import subprocess

import left_to_all

LIST = pathlib.Path(__file__).parents[1] / "needs-bpf.txt"
REASON = "SKIP bpf: BPF is refused here, and this needs it"
# What the program says of an option that needs it, or of what makes the ticks when that is asked for by name.
NEEDS = re.compile(r"error: BPF is refused here \(|not with --trigger outside: |"
                   r"error: perf_event_open is refused: ")
NOTICE = re.compile(r"pyperf-bpf: BPF is refused here \(.*\)\. Sampling from outside .*\n")


@functools.lru_cache(maxsize=None)
def refusal():
    """Why BPF programs are not to be had here, in the program's words; None = they are. The processes of a
    run ask once."""
    if "BPF_REFUSAL" not in os.environ:
        import profiler
        done = subprocess.run([profiler.BINARY, "-o", "-", "--format", "folded", "--", "true"],
                              capture_output=True, text=True, timeout=300)
        found = re.search(r"BPF is refused here \((.*)\)\. Sampling from outside", done.stderr)
        os.environ["BPF_REFUSAL"] = found[1] if found else ""
    return os.environ["BPF_REFUSAL"] or None


@functools.lru_cache(maxsize=None)
def needs():
    return left_to_all.pattern(left_to_all.lines(LIST))


def needs_bpf(name):
    """name: as pytest has it, "tests/..."."""
    return bool(needs().match(name.partition("tests/")[2]))


def is_refused(command, err):
    """Whether a run with this command has ended for want of BPF, by what it said."""
    if not refusal():
        return False
    by_name = any(word in ("--trigger", "perf", "timer") for word in command) and refusal() in err
    return bool(NEEDS.search(err)) or by_name


def is_outside(command):
    """Whether a run with this command samples from outside."""
    return "outside" in command or bool(refusal())


def without_notice(text):
    """What the program says, but for the line that says where it samples."""
    return NOTICE.sub("", text) if refusal() else text


def skip_if_refused(command, err):
    if is_refused(command, err):
        import pytest  # the judges of the guests are run without it
        pytest.skip(REASON)
