# SPDX-License-Identifier: GPL-2.0-only
"""The stacks of one fixed program, the same in every version and those of tests/golden/stacks.txt, but for
two things in which the language differs:

- code objects have a qualified name from 3.11 on: only its last part is compared;
- list, set and dict comprehensions have a frame of their own up to 3.11: it is left out, where there is one.
"""
import pytest

import interpreters as known
import profiler

pytestmark = pytest.mark.alone  # so many busy programs leave the CPUs to nobody else

GOLDEN = profiler.ROOT / "tests" / "golden" / "stacks.txt"
FREQUENCY = 997
CPU = 0.8  # seconds of each
ROUNDS = 6  # at most: on a busy machine the rarest stack may need them
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")


def normalised(stack, version):
    """((name, line), ...) from the root on."""
    plain = [(frame[0].rpartition(".")[2], frame[3]) for frame in reversed(stack)]
    return tuple(frame for frame in plain if version >= (3, 12) or frame[0] not in COMPREHENSIONS)


def golden():
    """One stack for each line of the file: name:line, from the root on.
    Lines that begin with "#" name the phase."""
    lines = [line for line in GOLDEN.read_text().splitlines() if line and not line.startswith("#")]
    return {tuple((name, int(line)) for name, _, line in (part.rpartition(":") for part in text.split()))
            for text in lines}


@pytest.fixture(scope="module")
def profiled(workloads, tmp_path_factory):
    """{interpreter name: {stack}} of whole stacks."""
    chosen, expected = known.one_per_version(), golden()
    seen = {i.name: set() for i in chosen}
    with profiler.targets([(i.path, workloads / "golden.py") for i in chosen]) as started:
        for _ in range(ROUNDS):
            run = profiler.run_while(tmp_path_factory.mktemp("golden"), started, CPU, "-F", FREQUENCY)
            for i, target in zip(chosen, started):
                seen[i.name] |= {normalised(s.stack, i.version) for s in run.of(target.pid)
                                 if profiler.marker_of(s.stack) is None}
            if all(expected <= stacks for stacks in seen.values()):
                break
    return seen


def spinning(stacks):
    line = next(stack[-1] for stack in golden())
    return {stack for stack in stacks if stack[-1] == line}


def test_the_golden_stacks_and_no_others(version, profiled):
    found = spinning(profiled[version.name])
    assert found == golden(), (found - golden(), golden() - found)


@pytest.mark.long  # a caller on the way may be one that the list does not have yet
def test_what_is_sampled_on_the_way_has_golden_callers(version, profiled):
    """Between two spins the leaf is anywhere, but those above it are callers of golden stacks."""
    callers = {stack[:n] for stack in golden() for n in range(len(stack))}
    strange = {stack for stack in profiled[version.name] if stack[:-1] not in callers}
    assert not strange
