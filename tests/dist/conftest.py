# SPDX-License-Identifier: GPL-2.0-only
"""The files of a release, which check.sh has made in $DIST, and a busy Python of this machine."""
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]
import roots  # noqa: E402


@pytest.fixture(scope="session")
def dist():
    return pathlib.Path(os.environ.get("DIST", roots.TOP / "dist")).resolve()


@pytest.fixture(scope="session")
def one(dist):
    """The one file of a release that a pattern names."""
    def find(pattern):
        file, = dist.glob(pattern)
        return file
    return find


@pytest.fixture
def busy():
    """A process that calls busy_here()."""
    text = "def busy_here():\n    while True: sum(range(100))\nbusy_here()"
    with subprocess.Popen(["/usr/bin/python3", "-c", text]) as process:
        yield process
        process.kill()
