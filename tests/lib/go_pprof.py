# SPDX-License-Identifier: GPL-2.0-only
"""`go tool pprof`, a reader of profiles that is not ours. From Go 1.25 on it is compiled when a user needs it
first, which takes minutes on a busy machine: that is done once, before a test's limit on time begins."""
import fcntl
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

GO = shutil.which("go") or "/usr/local/go/bin/go"
WHY = "SKIP go: no go command (Debian package golang-go)"
is_here = pathlib.Path(GO).exists()
needed = pytest.mark.skipif(not is_here, reason=WHY)


def environment(**more):
    return dict(os.environ, GOTOOLCHAIN="local", **more)


@functools.lru_cache(maxsize=None)
def build():
    """By one of the processes of a run, for all of them: go keeps it for its user."""
    with open(pathlib.Path(tempfile.gettempdir()) / ("pyperf-go-%d" % os.getuid()), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return subprocess.run([GO, "tool", "pprof", "-h"], capture_output=True, text=True, env=environment())


def run(*arguments, timeout=300, cwd=None, **more):
    """What it did with these. more: variables of its environment."""
    if not is_here:
        pytest.skip(WHY)
    build()
    return subprocess.run([GO, "tool", "pprof", *map(str, arguments)], capture_output=True, text=True,
                          timeout=timeout, cwd=cwd, env=environment(**more))


def read(*arguments, **more):
    """What it printed."""
    done = run(*arguments, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def usage():
    """Its options are named there."""
    done = build()
    return done.stdout + done.stderr
