# SPDX-License-Identifier: GPL-2.0-only
"""tests/lib/again.py, tests/unit.sh: which tests that failed have another try, and what comes of it."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

LIB = pathlib.Path(__file__).parents[1] / "lib"
NEVER_NOISE = ["assert run.stats['counters']['cache_mismatch'] == 0",
               "AddressSanitizer: heap-use-after-free", "x.c:1:2: runtime error: load of misaligned address"]
TESTS = """
import os, pathlib
def test_bad(): assert False
def test_good(): pass
def test_bad_again():
    ran = pathlib.Path("ran")
    ran.touch()
    ran.write_text(ran.read_text() + "x")
    assert len(ran.read_text()) != 2
"""


def again(directory, failing, said="too few samples"):
    """(exit code, the tests that it calls unsteady)"""
    (directory / "test_some.py").write_text(TESTS)
    notes = directory / "notes"
    notes.write_text("".join(json.dumps({"layer": "burns", "failing": "test_some.py::" + test,
                                         "said": said}) + "\n"
                             for test in failing))
    done = subprocess.run([sys.executable, LIB / "again.py", notes], cwd=directory, capture_output=True,
                          timeout=120)
    lines = [json.loads(line) for line in notes.read_text().splitlines()]
    return done.returncode, [line["unsteady"].split("::")[1] for line in lines if "unsteady" in line]


@pytest.mark.parametrize("failing, code, unsteady", [
    (["test_good"], 0, ["test_good"]),
    (["test_good@group"], 0, ["test_good@group"]),
    (["test_bad", "test_good"], 1, ["test_good"]),
    (["test_bad_again"], 1, []),
    (["test_good", *("test_%d" % i for i in range(8))], 1, []),
])
def test_tries(tmp_path, failing, code, unsteady):
    assert again(tmp_path, failing) == (code, unsteady)


@pytest.mark.parametrize("said", NEVER_NOISE)
def test_never_noise(tmp_path, said):
    assert again(tmp_path, ["test_good"], said) == (1, [])


@pytest.mark.parametrize("said, asked, unsteady", [
    *((said, "1", False) for said in NEVER_NOISE), ("3 != 4", "1", True), ("3 != 4", "", False)])
def test_unit_test(tmp_path, said, asked, unsteady):
    """One that fails once passes twice, if that is asked for and what it said can be noise."""
    program, notes = tmp_path / "test_some", tmp_path / "notes"
    program.write_text("#!/bin/sh\n[ ! -e %s ] || exit 0\n: >%s\ncat <<'EOF'\n%s\nEOF\nexit 1\n"
                       % (tmp_path / "ran", tmp_path / "ran", said))
    program.chmod(0o755)
    done = subprocess.run(["sh", LIB.parent / "unit.sh", "--one", program], capture_output=True, timeout=60,
                          env={**os.environ, "AGAIN": asked, "NOTES": str(notes)})
    assert said.encode() in done.stdout and b"FAILED" in done.stdout
    assert done.returncode == (0 if unsteady else 1)
    lines = [json.loads(line) for line in notes.read_text().splitlines()]
    assert [line["unsteady"] for line in lines if "unsteady" in line] == [str(program)] * unsteady


def test_source_is_no_finding(tmp_path):
    """pytest prints a test from its beginning; only the statement that failed, and its lines, tell why."""
    said = """
    def test_good():
        assert run.stats["counters"]["cache_mismatch"] == 0
>       assert found == 2
E       assert 1 == 2

    def finish():
        assert not re.search("Sanitizer|runtime error:", err)
"""
    assert again(tmp_path, ["test_good"], said) == (0, ["test_good"])
    assert again(tmp_path, ["test_good"], said.replace("1 == 2", "1 == 2, 'runtime error: x'")) == (1, [])
