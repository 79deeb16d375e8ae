# SPDX-License-Identifier: GPL-2.0-only
"""greenlet for the interpreters of the tests, which have no packages of their own."""
import contextlib
import os
import subprocess
import sys
import tempfile

import interpreters as known
import profiler

NEWER = {"3.15": "greenlet==3.5.6"}  # the pinned release has no build for these


def directory(interpreter):
    """Where greenlet is for this version, installed there when it is not; None when it cannot be had."""
    minor = "%d.%d" % interpreter.version[:2]
    place = known.CACHE / "greenlet" / minor
    if (place / "greenlet").is_dir():
        return place
    pinned = next(line for line in (profiler.ROOT / "tests" / "requirements.txt").read_text().split()
                  if line.startswith("greenlet=="))
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as fresh:
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        done = subprocess.run([*pip, "--only-binary=:all:", "--python-version", minor, "--target",
                               fresh + "/tree", NEWER.get(minor, pinned)], capture_output=True, text=True,
                              timeout=600)
        if done.returncode:
            return None
        with contextlib.suppress(OSError):  # another process of the tests was faster
            os.rename(fresh + "/tree", place)
    return place
