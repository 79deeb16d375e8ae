# SPDX-License-Identifier: GPL-2.0-only
"""The single-step oracle of native frames: after every machine instruction of a live interpreter, the
sampler's own source finds exactly the calls that were made and have not returned (tests/oracle/step_native.c,
shadow.h). The exceptions are in tests/oracle/known_wrong.txt, with reasons."""
import collections
import fnmatch
import os
import subprocess

import pytest

import interpreters as known
import native_frames
import profiler

STEP = profiler.BUILD / "tests/oracle/step_native"
ALSO_2_7 = True
# Programs of workloads/native/steps.py, by --native.
TOP = ("json", "zlib", "callbacks", "chains")
FULL = ("json", "callbacks", "chains", "interpreters")
QUICK = (("json", "top"), ("zlib", "top"), ("callbacks", "top"), ("callbacks", "full"), ("chains", "full"),
         ("interpreters", "full"))
PACKAGES = ("flask", "numpy", "pandas", "sqlalchemy")  # of the tests' own virtual environment
QUICK_VERSIONS = ("2.7", "3.8", "3.11", "3.12", "3.13", "3.14", "3.15")

# A line of known_wrong.txt. most: of a hundred instructions.
Wrong = collections.namedtuple("Wrong", "interpreter file function how most")
# A function at which the frames of one program were wrong, as step_native prints it.
Place = collections.namedtuple("Place", "how count file name")


def known_wrong(name):
    text = (profiler.ROOT / "tests" / "oracle" / "known_wrong.txt").read_text()
    rows = [line.split() for line in text.splitlines() if line and line[0] not in "# "]
    found = [Wrong(*row[:4], float(row[4])) for row in rows]
    return [wrong for wrong in found if fnmatch.fnmatch(name, wrong.interpreter)]


def is_known(place, wrong):
    return (place.how == wrong.how and fnmatch.fnmatch(os.path.basename(place.file), wrong.file) and
            fnmatch.fnmatch(place.name, wrong.function))


def place_of(line):
    how, count, where, name, _ = line.split()
    return Place(how, int(count), where.partition("!")[0], name)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return native_frames.build_chains(tmp_path_factory.mktemp("chains"))


def step(workloads, instructions, command, *options):
    """Exit status, counts by name, and the places at which it was wrong."""
    assert os.access(STEP, os.X_OK), "not built: %s (make tests)" % STEP
    done = subprocess.run([str(STEP), *options, str(instructions), command[0], "-B",
                           str(workloads / "native" / "steps.py"), *map(str, command[1:])],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          timeout=900)
    print(*command, done.stdout, done.stderr)
    assert done.stdout, "nothing was stepped"
    first, *places = done.stdout.splitlines()
    words = first.split()
    return done.returncode, dict(zip(words[::2], map(int, words[1::2]))), list(map(place_of, places))


def check_top(counts, instructions):
    """Every frame of a sample is one of the calls, and it ends at the one with the object of the newest
    Python frame; but where the way through all of them goes wrong."""
    missed = counts["top_wrong"] + counts["top_incomplete"] + counts["top_mismatch"]
    assert missed <= counts["detected"] + counts["undetected"]
    assert counts["top"] > 0.9 * instructions


def check_full(counts, instructions, version):
    """The stack is that of the calls with the Python frames in their places (merged.h). 3.11, 3.12: a CFrame
    may be seen before it is filled in, so the Python stack is not whole."""
    assert counts["full_wrong"] <= counts["undetected"]
    half_made = 0.02 * instructions if version[:2] in ((3, 11), (3, 12)) else 0
    if counts["root"]:
        assert counts["full_marked"] <= counts["detected"] + counts["undetected"] + half_made
    assert counts["full"] + counts["full_marked"] + counts["full_wrong"] == instructions
    assert counts["cache_differences"] == 0


def check(name, version, workloads, instructions, mode, *command):
    status, counts, places = step(workloads, instructions, command, *(["--full"] if mode == "full" else []))
    assert counts["instructions"] == instructions
    assert counts["exact"] + counts["detected"] + counts["undetected"] == instructions
    assert sum(place.count for place in places) == counts["detected"] + counts["undetected"]
    left = collections.Counter()
    for place in places:
        wrong = next((w for w in known_wrong(name) if is_known(place, w)), None)
        assert wrong, place
        left[wrong] += place.count
    for wrong, count in left.items():
        assert count <= wrong.most / 100 * instructions, (wrong, count)
    if mode == "full":
        check_full(counts, instructions, version)
    else:
        check_top(counts, instructions)
        assert status == (counts["exact"] < instructions)
    assert counts["calls"] > instructions / 10000  # of zlib there are few
    return counts


def mode_of(program, mode, interpreter):
    """Up to 3.10 the activations of the loop are counted off from the root, where those of the interpreter
    that a thread has come from are as well: with --native full such stacks have no native part."""
    if program != "interpreters":
        return mode
    if interpreter.version < (3, 8):
        pytest.skip("SKIP not-applicable: no such sub-interpreters")
    return "top" if interpreter.version < (3, 11) else mode


@pytest.mark.parametrize("program, mode", QUICK)
def test_native_frames_after_every_instruction(version, program, mode, library, workloads):
    check(version.name, version.version, workloads, 30000 if program == "chains" else 10000,
          mode_of(program, mode, version), version.path, program, library)


@pytest.mark.long
@pytest.mark.parametrize("program, mode", [(p, "top") for p in TOP] + [(p, "full") for p in FULL])
def test_native_frames_of_a_long_run(interpreter, program, mode, library, workloads):
    counts = check(interpreter.name, interpreter.version, workloads, 300000,
                   mode_of(program, mode, interpreter), interpreter.path, program, library)
    if program == "chains":
        assert counts["signals"] > 0 and counts["deepest"] > 80


def python_with(package):
    python = known.CACHE / "venv" / "bin" / "python"
    if subprocess.run([python, "-c", "import " + package], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("SKIP venv: no %s in %s" % (package, python))
    return str(python)


@pytest.mark.parametrize("package", PACKAGES)
def test_packages(package, workloads):
    check("venv", (3, 11), workloads, 20000, "top", python_with(package), package)


@pytest.mark.long
@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("mode", ("top", "full"))
def test_packages_for_long(package, mode, workloads):
    check("venv", (3, 11), workloads, 300000, mode, python_with(package), package)


@pytest.mark.parametrize("mode", ((), ("--full",)))
def test_wrong_return_addresses_are_found(mode, workloads):
    """A comparison that cannot fail proves nothing: one return address in a hundred steps is another one."""
    status, counts, _ = step(workloads, 5000, (known.newest().path, "callbacks"), *mode, "--lie")
    assert status == 1
    assert counts["lies_found"] == counts["lies"] >= 40
    assert counts["exact"] == counts["instructions"] - counts["lies"]
