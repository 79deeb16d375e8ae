# SPDX-License-Identifier: GPL-2.0-only
"""A lane of tests/check.sh reads the files that have tests of it, and misses none (tests/conftest.py)."""
import os
import subprocess
import sys

import pytest

import profiler

MARKERS = {"waits": "waits and not alone", "burns": "not waits and not alone", "alone": "alone"}


def collected(lane, layer):
    """The names of the lane's tests, where $LAYER is this."""
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider",
                           "-m", MARKERS[lane], *("tests/" + name for name in ("judges", "repo", "e2e"))],
                          cwd=profiler.ROOT, env={**os.environ, "LAYER": layer, "NOTES": ""},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    return {line for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.parametrize("lane", MARKERS)
def test_nothing_is_missed(lane):
    found = collected(lane, lane)
    assert len(found) > 50 and found == collected(lane, "all of them")
