# SPDX-License-Identifier: GPL-2.0-only
"""BPF programs and maps: who holds them, whether they are there, what is in them. An object is (kind,
number), where kind is "prog" or "map"."""
import contextlib
import json
import os
import re
import subprocess


def shown(*arguments):
    return subprocess.run(["bpftool", "-j", *map(str, arguments)], capture_output=True, text=True)


def held_by(pid):
    """The objects that a process has descriptors of; none for one that is no more."""
    found = set()
    with contextlib.suppress(OSError):
        for entry in os.scandir("/proc/%d/fdinfo" % pid):
            with contextlib.suppress(OSError), open(entry.path) as f:
                found |= {(kind, int(number))
                          for kind, number in re.findall(r"^(prog|map)_id:\s*(\d+)", f.read(), re.M)}
    return found


def everything():
    """{object: its name}, of all objects of this machine."""
    return {(kind, one["id"]): one.get("name", "")
            for kind in ("prog", "map") for one in json.loads(shown(kind, "list").stdout or "[]")}


def exists(kind, number):
    return shown(kind, "show", "id", number).returncode == 0


def map_of(pid, name):
    """The number of a process's map of that name."""
    for number in (number for kind, number in held_by(pid) if kind == "map"):
        if json.loads(shown("map", "show", "id", number).stdout or "{}").get("name") == name:
            return number
    raise AssertionError("process %d has no map %s" % (pid, name))


def entries(number):
    """How many entries a hash map has."""
    return len(json.loads(shown("map", "dump", "id", number).stdout))
