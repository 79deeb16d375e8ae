# SPDX-License-Identifier: GPL-2.0-only
"""Cgroups of our own, named as container runtimes name theirs, in whatever hierarchy this machine has."""
import contextlib
import os
import pathlib
import uuid

HIERARCHIES = ("/sys/fs/cgroup/unified", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup")


def hierarchy():
    """A mounted one in which a cgroup can be made, or None."""
    for path in map(pathlib.Path, HIERARCHIES):
        probe = path / ("pyperf-probe-%d" % os.getpid())
        try:
            probe.mkdir()
        except OSError:
            continue
        usable = (probe / "cgroup.procs").exists()
        probe.rmdir()
        if usable:
            return path
    return None


def container_id():
    return uuid.uuid4().hex + uuid.uuid4().hex


def make(path):
    """With those above it, which a test beside this one may remove meanwhile, as empty."""
    while not path.exists():
        with contextlib.suppress(FileNotFoundError):
            path.mkdir(parents=True)


@contextlib.contextmanager
def cgroup(path):
    """Makes the cgroup of that path, and removes it and those above that are then empty."""
    top = hierarchy()
    made = top / path.lstrip("/")
    make(made)
    try:
        yield made
    finally:
        while made != top:
            with contextlib.suppress(OSError):
                made.rmdir()
            made = made.parent


def starter(made):
    """For subprocess's preexec_fn: the child begins its life in that cgroup."""
    return lambda: (made / "cgroup.procs").write_text("0")
