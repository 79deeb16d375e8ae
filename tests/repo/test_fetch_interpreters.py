# SPDX-License-Identifier: GPL-2.0-only
"""tests/fetch-interpreters.py when it is interrupted, as by Ctrl-C in a first `make check`."""
import os
import signal
import subprocess
import sys

import profiler

SCRIPT = profiler.ROOT / "tests/fetch-interpreters.py"
NAMES = "pbs-3.13.1", "pbs-3.11.11"  # by `go mod download`
# The script, with another folder for its interpreters.
PROGRAM = """
import pathlib, runpy, sys
sys.path.insert(0, %r)
import interpreters
interpreters.HOME = pathlib.Path(sys.argv.pop(1))
runpy.run_path(%r, run_name="__main__")
""" % (str(SCRIPT.parent / "lib"), str(SCRIPT))


def test_an_interrupt_ends_it_and_is_no_reason(tmp_path):
    """Nothing is left: no process, no folder, and no reason why an interpreter is not here."""
    home, started = tmp_path / "home", tmp_path / "started"
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    started.mkdir()
    go.write_text('#!/bin/sh\ntouch "%s/$$"\nexec sleep 1000\n' % started)
    go.chmod(0o755)
    environment = {**os.environ, "PATH": "%s:%s" % (go.parent, os.environ["PATH"])}
    fetch = subprocess.Popen([sys.executable, "-c", PROGRAM, home, *NAMES], env=environment,
                             start_new_session=True)
    try:
        profiler.wait_until(lambda: len(list(started.iterdir())) == len(NAMES), what="downloads")
        assert len(list(home.glob(".fetch-*"))) == len(NAMES) + 1
        os.killpg(fetch.pid, signal.SIGINT)
        assert fetch.wait(300) == 128 + signal.SIGINT
        assert not [pid for pid in started.iterdir() if os.path.exists("/proc/" + pid.name)]
        assert [path.name for path in home.iterdir()] == [".lock"]
    finally:
        fetch.kill()
