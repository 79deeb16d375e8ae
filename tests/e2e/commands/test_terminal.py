# SPDX-License-Identifier: GPL-2.0-only
"""What a person at a terminal sees while it samples; test_output.py has what others see."""
import os
import pty
import re
import subprocess
import sys

import profiler


def watch(directory, *arguments):
    """Runs pyperf-bpf with standard error on a terminal. Returns what the terminal got."""
    master, terminal = pty.openpty()
    command = [profiler.BINARY, "-o", str(directory / "profile.pb.gz"), *map(str, arguments)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    shown = b""
    try:
        while data := os.read(master, 4096):
            shown += data
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(master)
    assert process.wait(timeout=300) == 0, shown
    return shown.decode()


def test_progress_line(workloads, tmp_path):
    """One line that is written over, with counts that grow, and gone before the last words."""
    with profiler.target(sys.executable, workloads / "burn.py") as target:
        shown = watch(tmp_path, "--pid", target.pid, "-d", 5)
    counts = [int(n) for n in re.findall(r"(\d+) samples", shown)]
    assert len(counts) >= 2 and counts == sorted(counts) and counts[-1] > counts[0]
    assert "Ctrl-C ends it" in shown
    assert shown.count("\n") == 1, "only the line that says what was written stays"
    assert shown.rstrip().rpartition("\x1b[K")[2].startswith("pyperf-bpf: wrote ")


def test_quiet_shows_nothing(workloads, tmp_path):
    with profiler.target(sys.executable, workloads / "burn.py") as target:
        assert watch(tmp_path, "--pid", target.pid, "-d", 2, "-q") == ""
