# SPDX-License-Identifier: GPL-2.0-only
"""What a process may do, as /proc says it, and the processes beside the profiler."""
import contextlib
import pathlib

CAPABILITIES = {"dac_override": 1, "dac_read_search": 2, "kill": 5, "sys_ptrace": 19, "sys_admin": 21,
                "perfmon": 38, "bpf": 39, "checkpoint_restore": 40}


def status(pid, task=None):
    path = "/proc/%d/%sstatus" % (pid, "task/%s/" % task if task else "")
    return dict(line.split(":\t", 1) for line in pathlib.Path(path).read_text().splitlines())


def sets(pid, task=None):
    """What it may use now and at most, what an exec would add, whether it can ever get more, and whether its
    system calls are filtered."""
    now = status(pid, task)
    return {name: int(now[name], 16) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")} | {
        "NoNewPrivs": int(now["NoNewPrivs"]), "Seccomp": int(now["Seccomp"])}


def filters(pid):
    return int(status(pid)["Seccomp_filters"])


def just(*names):
    mask = sum(1 << CAPABILITIES[name] for name in names)
    return {"CapEff": mask, "CapPrm": mask, "CapInh": 0, "CapAmb": 0, "NoNewPrivs": 1, "Seccomp": 2}


def children(pid, name):
    text = pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text()
    found = []
    for child in map(int, text.split()):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it ends meanwhile
            if status(child)["Name"] == name:
                found.append(child)
    return found


def zygote_of(run):
    zygote, = children(run.process.pid, "pyperf-zygote")
    return zygote


def workers_of(run):
    return children(zygote_of(run), "pyperf-worker")


def parsers_of(run):
    return children(zygote_of(run), "pyperf-parser")
