# SPDX-License-Identifier: GPL-2.0-only
"""The judge of the stack test, judged: what sys.settrace sees must be legal, forged stacks must not be."""
import json
import subprocess

import pytest

from edges import Judge
from waits import HOLDER, parts

ALSO_2_7 = True


@pytest.fixture(scope="module")
def traced(workloads):
    cache = {}

    def run(interpreter):
        if interpreter.name not in cache:
            done = subprocess.run([interpreter.path, workloads / interpreter.program("edges"), "--trace"],
                                  capture_output=True, text=True, timeout=1100, check=True)
            about, stacks = done.stdout.splitlines()
            cache[interpreter.name] = Judge(json.loads(about)), [[tuple(f) for f in s]
                                                                 for s in json.loads(stacks)]
        return cache[interpreter.name]

    return run


def test_legal(interpreter, traced):
    judge, stacks = traced(interpreter)
    assert len(stacks) > 1000
    faults = [fault for stack in stacks for fault in judge.faults(stack)]
    assert not faults, faults[:5]


def test_every_pattern_is_traced(interpreter, traced):
    judge, stacks = traced(interpreter)
    seen = {frame[0] for stack in stacks for frame in stack}
    assert judge.patterns | {"short_threads"} | ({"asyncio_tasks"}
                                                 if interpreter.version >= (3,) else set()) <= seen


def test_forged_stacks_are_found(interpreter, traced):
    judge, stacks = traced(interpreter)
    for stack in stacks[::7]:
        assert judge.faults(stack[:-1]), "a stack without its root"
        if len(stack) > 4 and judge.ours(stack[0]) and judge.ours(stack[2]) and stack[0][0] != stack[1][0]:
            names = judge.callees[stack[2][1], stack[2][3]]
            if stack[0][0] not in names and "*patterns" not in names:
                assert judge.faults([stack[0]] + stack[2:]), "a caller left out"
        function, name, first, line = stack[0]
        if judge.ours(stack[0]):
            assert judge.faults([(function + "x", name, first, line)] + stack[1:]), "a wrong name"
            assert judge.faults([(function, name, first + 1, line)] + stack[1:]), "a wrong first line"
            assert judge.faults([(function, name, first, 100000)] +
                                stack[1:]), "a line outside of the function"


def test_a_line_that_is_unknown_is_a_fault_where_it_may_not_be(interpreter, traced):
    """It excuses its own line and what would be called from it, and nothing else."""
    judge, stacks = traced(interpreter)
    tried = 0
    for number, stack in enumerate(stacks[::7]):
        at = number % len(stack)
        unknown = *stack[at][:3], 0
        if judge.ours(unknown) and judge.lacks_line(unknown):
            changed = [*stack[:at], unknown, *stack[at + 1:]]
            assert judge.faults(changed), "an unknown line"
            assert not judge.faults(changed, may_lack_lines=True)
            renamed = [*stack[:at], (unknown[0] + "x", *unknown[1:]), *stack[at + 1:]]
            assert judge.faults(renamed, may_lack_lines=True), "a wrong name"
            tried += 1
    assert tried > 100


def test_glued_stacks_are_found(interpreter, traced):
    """Edges that are each legal, of two moments: what a wrong prefix cache makes."""
    judge, stacks = traced(interpreter)
    tail = {name: next(s[k:] for s in stacks for k, f in enumerate(s) if f[0] == name)
            for name in ("top_a", "top_b")}
    glued = 0
    for stack in stacks:
        names = [frame[0] for frame in stack]
        if "mid" in names and judge.under.get(stack[names.index("mid")][1::2]):
            k = names.index("mid") + 1
            other = "top_b" if names[k] == "top_a" else "top_a"
            caller = next(s[i] for s in stacks
                          for i, f in enumerate(s) if f[0] == other and i and s[i - 1][0] == "mid")
            assert not judge.faults(stack)
            assert judge.faults(stack[:k] + [caller] + tail[other][1:])
            glued += 1
    assert glued


def test_both_stacks_of_a_wait_are_judged(interpreter, traced):
    """A frame that had ended was once shown above a caller that had gone on."""
    judge, stacks = traced(interpreter)
    good = next(stack for stack in stacks if [frame[0] for frame in stack[:2]] == ["spin", "mid"])
    bad = [good[0], (*good[1][:3], good[1][2]), *good[2:]]  # in its first line nothing is called
    marker = (HOLDER, "", 0, 0)
    for holder, waiter, count in ((good, good, 0), (bad, good, 1), (good, bad, 1), (bad, bad, 2)):
        wait = [*holder, marker, ("[syscall futex]", "", 0, 0), *waiter]
        assert sum(bool(judge.faults(*part)) for part in parts(wait)) == count
