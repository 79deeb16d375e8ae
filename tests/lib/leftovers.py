# SPDX-License-Identifier: GPL-2.0-only
"""Takes away what an interrupted run of the tests has left: processes, mounts and cgroups.

    leftovers.py MARK        those of the run whose environment has CHECK_RUN=MARK

pytest ends what its fixtures have started, but for workers that are killed before they have done so."""
import os
import pathlib
import signal
import subprocess
import sys
import time

import cgroups


def processes(mark):
    """Those that began with this mark in their environment, but for us and those above us."""
    ours, pid = set(), os.getpid()
    while pid > 1:
        ours.add(pid)
        pid = int(pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()[1])
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            marked = b"CHECK_RUN=%s\0" % mark.encode() in (entry / "environ").read_bytes() + b"\0"
        except OSError:
            continue
        if marked and int(entry.name) not in ours:
            yield int(entry.name)


def end(mark):
    """Asks them to end, and kills those that have not within two seconds."""
    for number, seconds in (signal.SIGTERM, 2), (signal.SIGKILL, 5):
        for pid in processes(mark):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        limit = time.monotonic() + seconds
        while any(processes(mark)) and time.monotonic() < limit:
            time.sleep(0.05)


def unmount():
    """What is mounted in the folders of tests."""
    for line in reversed(pathlib.Path("/proc/self/mounts").read_text().splitlines()):
        if line.split()[1].startswith("/tmp/pytest-of-"):
            subprocess.run(["umount", "-l", line.split()[1]])


def remove_cgroups():
    top = cgroups.hierarchy()
    if not top:
        return
    for path in sorted(top.rglob("*pyperf*"), key=lambda path: -len(str(path))):
        if path.is_dir():
            for folder, _, _ in os.walk(path, topdown=False):
                try:
                    os.rmdir(folder)  # fails when somebody is in it
                except OSError:
                    pass


if __name__ == "__main__":
    end(sys.argv[1])
    unmount()
    remove_cgroups()
