# SPDX-License-Identifier: GPL-2.0-only
"""--native full: the native frames between the Python frames, too, each where it was called. The calls are
those of tests/workloads/native/chains.py."""
import subprocess
import types

import pytest

import interpreters as known
import native_frames
import profiler
from native_frames import Native, merged_within, short_names
from written_chains import ABOVE, is_nearly_always, merged

FREQUENCY = 1999
ITERATIONS = 20000000  # of an empty loop
VERSIONS = ("2.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
CHOSEN = [i for i in known.one_per_version_and_two() if i.minor in VERSIONS]
QUICK = ("2.7", "3.9", "3.11", "3.13", "3.15")
# All of them, some for the long tests only.
LATER = [pytest.param(i, id=i.name, marks=() if known.is_quick(i, QUICK) else pytest.mark.long)
         for i in CHOSEN]
LEVELS = 60  # within the 1,024 native frames of a sample: from 3.11 on Python calls Python without C
FEWER = 20


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return native_frames.build_chains(tmp_path_factory.mktemp("chains"))


@pytest.fixture
def program(workloads):
    return workloads / "native" / "chains.py"


def is_marked(sample):
    """Whether it says that it lacks native frames, or that these do not fit the Python frames."""
    return any(frame[0] in (native_frames.INCOMPLETE, "[native mismatch]") for frame in sample.stack)


def profile(directory, target, cpu, *arguments):
    return profiler.run_while(directory, [target], cpu, "-F", FREQUENCY, "--native", "full", *arguments)


@pytest.mark.parametrize("chosen", LATER)
def test_python_within_c_within_python(chosen, library, program, tmp_path):
    levels = LEVELS if chosen.version >= (3, 11) else FEWER
    with profiler.target(chosen.path, program, library, ITERATIONS, "within", levels) as target:
        run = profile(tmp_path, target, 1.5)
    assert is_nearly_always(merged(run, library.parent), merged_within(levels, ABOVE))
    assert run.stats["native"]["mismatch"] <= 0.01 * profiler.total(run.samples)


def test_more_native_frames_than_are_followed(library, program, tmp_path):
    """What could be found is right, the rest is marked, and the Python frames are all there."""
    chosen = next((i for i in CHOSEN if i.minor == "3.9"), None)  # Python calls Python by C
    if not chosen:
        pytest.skip("SKIP 3.9: no such Python here")
    with profiler.target(chosen.path, program, library, ITERATIONS, "within", 80) as target:
        run = profile(tmp_path, target, 2)
    native, expected = Native(run), native_frames.python_within(80)
    # Where a hypervisor takes the CPU away in the middle of a tick, so deep a stack may go over its time.
    in_spin = [sample for sample in run.samples if sample.stack[0][0] == "spin" and
               profiler.marker_of(sample.stack) != "over_budget"]
    assert profiler.total(in_spin) > 500
    found = [(profiler.marker_of(sample.stack), short_names(native.without(sample.stack)))
             for sample in in_spin]
    assert not [wrong for wrong in found if wrong != (None, expected)]
    marked = profiler.total(sample for sample in in_spin if is_marked(sample))
    assert marked > 100, run.stats["native"]
    # The thread's cache of native frames may have the part that is not followed: then all of them are there.
    whole = types.SimpleNamespace(path=run.path, samples=[s for s in in_spin if not is_marked(s)])
    assert not set(merged(whole, library.parent)) - {tuple(native_frames.merged_within(80, ABOVE))}


def test_frames_of_the_interpreter(library, program, tmp_path):
    """They are between the Python frames on request only."""
    chosen = known.find("pbs-3.11.11")
    if not chosen:
        pytest.skip("SKIP pbs-3.11.11: %s" % known.reason("pbs-3.11.11"))
    with profiler.target(chosen.path, program, library, ITERATIONS, "sorted") as target:
        hidden = profile(tmp_path, target, 1)
        shown = profile(tmp_path, target, 1, "--native-interpreter")
    expected = [*ABOVE, "call", "is_key", "sorts", "main", "<module>"]
    assert is_nearly_always(merged(hidden, library.parent), expected)
    assert is_nearly_always(merged(shown, library.parent), expected)

    def between(run):
        for sample in run.samples:
            names = short_names(sample.stack)
            if "sorts" in names and "is_key" in names:
                yield names[names.index("is_key") + 1:names.index("sorts")]

    assert not [names for names in between(hidden) if names]
    named = [names for names in between(shown) if "builtin_sorted" in names and "list_sort_impl" in names]
    assert named and all(n.index("list_sort_impl") < n.index("builtin_sorted") for n in named)


def test_greenlets(library, program, tmp_path):
    """A greenlet's part of the stack is copied away and back; its frames end where it was started."""
    python = known.CACHE / "venv" / "bin" / "python"
    if subprocess.run([python, "-c", "import greenlet"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("SKIP venv: no greenlet in %s" % python)
    with profiler.target(python, program, library, ITERATIONS, "greenlet", 6) as target:
        run = profile(tmp_path, target, 1.5)
    found = merged(run, library.parent)
    print(found.most_common(4))
    turns = [tuple([*merged_within(levels, ABOVE)[:-2], "runs", "<lambda>"]) for levels in (6, 7)]
    assert all(found[stack] > 0.3 * sum(found.values()) for stack in turns)
    assert sum(found[stack] for stack in turns) >= 0.99 * sum(found.values())
