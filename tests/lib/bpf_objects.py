# SPDX-License-Identifier: GPL-2.0-only
"""BPF programs and maps: who holds them, whether they are there, what is in them. An object is (kind,
number), where kind is "prog" or "map"."""
import contextlib
import json
import os
import re
import subprocess
import time


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


def keys(number):
    """The keys of a hash map, which are numbers."""
    dump = json.loads(shown("map", "dump", "id", number).stdout)
    return [int.from_bytes(bytes(int(byte, 16) for byte in entry["key"]), "little") for entry in dump]


def orphans(before):
    """{object: its name} of what was not there before, and that no process holds just now. What a program
    uses is held by it."""
    new = {one: name for one, name in everything().items() if one not in before}
    if not new:
        return {}
    held = set()
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            held |= held_by(int(entry.name))
    for program in json.loads(shown("prog", "list").stdout or "[]"):
        if ("prog", program["id"]) in held:
            held |= {("map", number) for number in program.get("map_ids", ())}
    return {one: name for one, name in new.items() if one not in held and exists(*one)}


def left_since(before, seconds=10):
    """Those that stay so. The kernel frees objects a moment after their holder has ended; and those of other
    programs that come and go here are without a holder for as long."""
    left, end = orphans(before), time.monotonic() + seconds
    while left and time.monotonic() < end:
        time.sleep(0.1)
        now = orphans(before)
        left = {one: name for one, name in left.items() if one in now}
    return left
