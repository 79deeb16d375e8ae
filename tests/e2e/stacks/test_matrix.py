# SPDX-License-Identifier: GPL-2.0-only
"""The table of docs/versions.md, made anew: every interpreter, every cell."""
import subprocess
import sys

import pytest

import profiler


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_no_cell_fails():
    done = subprocess.run([sys.executable, profiler.ROOT / "tests" / "matrix.py"], stderr=subprocess.PIPE,
                          text=True)
    assert done.returncode == 0, done.stderr
