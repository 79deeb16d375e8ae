# SPDX-License-Identifier: GPL-2.0-only
"""Runs the profiler with one call failing, and judges what became of it. System calls fail by strace, which
reaches those of every library; allocations by tests/forge/fail_malloc.c."""
import collections
import contextlib
import json
import os
import pathlib
import re
import subprocess
import threading
import time
import traceback

import bpf_objects
import profiler
import serving
from receiver import Receiver

LIBRARY = profiler.BUILD / "tests/forge/fail_malloc.so"
LIMIT = 300  # seconds, of a run that takes one; what takes longer hangs
SECONDS = 0.4

# What is made to fail: with each of these errors, in all processes of a run. The kernel says EIO of a read
# when the disk is broken, EINTR when a signal comes.
CALLS = {
    "bpf": ("ENOMEM", "EPERM"),
    "perf_event_open": ("EMFILE", "ENODEV"),
    "openat": ("EMFILE", "ENOMEM"),
    "read": ("EIO", "EINTR"),
    "write": ("ENOSPC", "EINTR"),
    "mmap": ("ENOMEM",),
    "epoll_wait": ("EINTR", "ENOMEM"),
    "epoll_ctl": ("ENOMEM", "ENOSPC"),
    "clone": ("EAGAIN",),
    "sendmsg": ("ENOBUFS",),
    "recvmsg": ("ENOMEM",),
    "socketpair": ("EMFILE",),
    "fsync": ("EIO",),
    "linkat": ("EIO", "EEXIST"),
}

Fault = collections.namedtuple("Fault", "call error number stays")


def name_of(fault):
    return "%s %s %d%s" % (fault.call, fault.error, fault.number, "+" if fault.stays else "")


def prepared(fault, notes):
    """(what stands before the profiler's command, environment)."""
    if fault.call == "malloc":
        environment = {"LD_PRELOAD": str(LIBRARY), "FAIL_MALLOC_AT": str(fault.number)}
        return [], {**os.environ, **environment, **({"FAIL_MALLOC_STAYS": "1"} if fault.stays else {})}
    injected = "inject=%s:error=%s:when=%d%s" % (fault.call, fault.error, fault.number,
                                                 "+" if fault.stays else "")
    return ["strace", "-f", "--seccomp-bpf", "-qq", "-o", str(notes), "-e", "trace=" + fault.call, "-e",
            injected], dict(os.environ)


class Visitor(threading.Thread):
    """Asks a profiler for everything, again and again, until it is gone."""

    def __init__(self, port, process):
        super().__init__(daemon=True)
        self.port, self.process = port, process
        self.start()

    def run(self):
        paths = "/metrics", "/debug/pprof/profile?seconds=1", "/debug/pyperf/interval", "/"
        n = 0
        while self.process.poll() is None:
            with contextlib.suppress(OSError):
                request = "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % paths[n % 4]
                serving.talk(self.port, request.encode(), timeout=5)
            n += 1
            time.sleep(0.02)


def start_whole(directory, pid, **how):
    """One profile at the end."""
    return profiler.Run(directory, "-p", pid, "-d", SECONDS, "-F", 499, **how), None


def start_service(directory, pid, receiver, **how):
    """Everything that goes on for months."""
    folder = directory / "profiles"
    folder.mkdir()
    port = serving.free_port()
    run = profiler.Run(directory, "-p", pid, "-d", 2 * SECONDS, "-F", 499, "--output-dir", folder,
                       "--interval", 0.2, "--push", receiver.url, "--listen", port, output=None, **how)
    return run, Visitor(port, run.process)


def most_calls(notes):
    """{call: how often the process that makes it most does}, by what strace has noted."""
    found = collections.Counter(re.findall(r"^(\d+) +(\w+)\(", notes.read_text(), re.M))
    return {call: max((n for (_, one), n in found.items() if one == call), default=0) for call in CALLS}


class Faults:
    """kind: "whole" or "service"."""

    def __init__(self, kind, directory, pid):
        self.kind, self.directory, self.pid = kind, directory, pid
        self.receiver = Receiver("pyroscope") if kind == "service" else None
        self.number = 0

    def close(self):
        if self.receiver:
            self.receiver.close()

    def start(self, before, environment):
        self.number += 1
        directory = self.directory / ("%s-%d" % (self.kind, self.number))
        directory.mkdir()
        how = {"binary": [*before, profiler.BINARY], "env": environment}
        if self.kind == "whole":
            return directory, start_whole(directory, self.pid, **how)[0]
        return directory, start_service(directory, self.pid, self.receiver, **how)[0]

    def places(self):
        """The numbers of the allocations of a run, one for each place that allocates."""
        notes = self.directory / ("%s-allocations" % self.kind)
        environment = {"LD_PRELOAD": str(LIBRARY), "FAIL_MALLOC_LIST": str(notes)}
        self.start([], {**os.environ, **environment})[1].finish(LIMIT)
        return sorted({int(line.split()[1]) for line in notes.read_text().splitlines()})

    def calls(self):
        """{call: the numbers that it has in the process that makes it most}, without those of the dynamic
        loader, which crashes without memory."""
        notes = self.directory / ("%s-calls" % self.kind)
        before = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", str(notes), "-e", "trace=" + ",".join(CALLS)]
        subprocess.run([*before, profiler.BINARY, "--version"], check=True, stdout=subprocess.DEVNULL)
        loading = most_calls(notes)
        self.start(before, dict(os.environ))[1].finish(LIMIT)
        return {call: range(loading[call] + 1, number + 1) for call, number in most_calls(notes).items()}

    def complaints(self, fault):
        """What is wrong with what the profiler does then, a line each."""
        notes = self.directory / "strace"
        objects = bpf_objects.everything()
        directory, run = self.start(*prepared(fault, notes))
        begin = time.monotonic()
        self.last = run
        self.met = False
        try:
            run.process.wait(LIMIT)
            left = wait_for_group(run.process.pid)
        except subprocess.TimeoutExpired:
            return ["it hangs"]
        finally:
            self.took = time.monotonic() - begin
            run.finish(code=None)
        self.met = fault.call != "malloc" and "(INJECTED)" in notes.read_text()
        return [*left, *judge_end(run), *judge_files(directory, run), *judge_rest(objects)]


CLEAR = re.compile(r"pyperf-bpf: .+|\S+: error while loading shared libraries: .+")
OUTPUTS = 3  # that a run may lose, one after the other: what it pushes, its last file, and its figures
UNCLEAR = re.compile(r"\(null\)|Success|no reason is known|Sanitizer|runtime error")


def judge_end(run):
    lines = [line for line in run.err.splitlines() if not line.startswith("strace:")]
    if run.code not in (0, 1, 2):
        # The dynamic loader's own end, when it has no memory to load the program.
        if not (run.code == 127 and any("shared libraries" in line for line in lines)):
            yield "exit code %s: %s" % (run.code, run.err)
    if run.code and not [line for line in lines if CLEAR.fullmatch(line)]:
        yield "exit code %d without a reason" % run.code
    for line in lines:
        if not CLEAR.fullmatch(line) or UNCLEAR.search(line):
            yield "on stderr: %s" % line
    errors = [line for line in lines if "pyperf-bpf: error:" in line]
    if len(errors) > (OUTPUTS if run.code == 1 else 1) or len(errors) > len(set(errors)):
        yield "more errors than losses: %s" % errors


def judge_files(directory, run):
    """Files are whole, and add up when all of them are there."""
    folder = directory / "profiles"
    names = os.listdir(folder) if folder.exists() else []
    others = [*directory.glob("*.tmp"), *directory.glob(".*")]
    others += [name for name in names if not name.endswith("Z.pb.gz")]
    if others:
        yield "left behind: %s" % others
    samples = []
    for path in [*directory.glob("*.pb.gz"), *(folder / name for name in names)]:
        try:
            samples += profiler.read_samples(path)
        except Exception as error:  # noqa: B902, whatever is wrong with it
            yield "%s is torn: %r" % (path.name, error)
    stats = directory / "stats.json"
    if not stats.exists():
        if run.code == 0:
            yield "exit code 0 without --stats-json"
        return
    run.stats = json.loads(stats.read_text())
    run.samples = samples
    if run.code == 0 or not folder.exists():
        try:
            run.check_books()
        except AssertionError:
            yield "the books: %d samples in files, %s, %s, %s, at %s" % (
                sum(sample.count for sample in samples), run.stats["profile"], run.stats["outcomes"],
                run.stats.get("export"), traceback.format_exc().splitlines()[-3:-1])


def group(number):
    """The processes of a group that are not over, by their command lines."""
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            if not entry.name.isdigit() or os.getpgid(int(entry.name)) != number:
                continue
            if not re.search(r"^State:\s+Z", pathlib.Path(entry.path, "status").read_text(), re.M):
                yield pathlib.Path(entry.path, "comm").read_text().strip()


def wait_for_group(number, seconds=10):
    """Of the processes that the profiler has started none is left, a moment after it has ended."""
    end = time.monotonic() + seconds
    while left := list(group(number)):
        if time.monotonic() > end:
            return ["left running: %s" % left]
        time.sleep(0.02)
    return []


def judge_rest(objects):
    """No BPF object is left. Those of others are held by somebody; the kernel frees a moment later."""
    left = bpf_objects.left_since(objects)
    if left:
        yield "BPF objects are left: %s" % left
