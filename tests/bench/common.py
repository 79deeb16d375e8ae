# SPDX-License-Identifier: GPL-2.0-only
"""What every table of the benchmark needs: settings, pinned targets, CPU time of a program, spreads, tables.

The target of a measurement is pinned to one CPU, the last one; profilers run on the others.
"""
import contextlib
import dataclasses
import json
import math
import mmap
import os
import pathlib
import platform
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
WORKLOADS = TESTS / "workloads" / "bench"
sys.path.insert(0, str(TESTS / "lib"))
import interpreters  # noqa: E402
import profiler  # noqa: E402

CPUS = sorted(os.sched_getaffinity(0))
TARGET_CPU = CPUS[-1]
OTHER_CPUS = CPUS[:-1] or CPUS


@dataclasses.dataclass
class Settings:
    """scale: 1 for the full benchmark, less for a quick one; multiplies durations. repeats:
    of each measurement."""

    scale: float
    repeats: int
    quick: bool
    build: pathlib.Path
    python: interpreters.Interpreter

    def seconds(self, full, least=0.2):
        return max(least, full * self.scale)

    @property
    def hot(self):
        return self.build / "tests" / "bench" / "hot"


class Skip(Exception):
    """A table or a row that cannot be had here, and why."""


def pin(cpus):
    """For preexec_fn."""
    return lambda: os.sched_setaffinity(0, cpus)


class Target:
    """A running program. about: the line of JSON that it printed when it was ready."""

    def __init__(self, command, cpus):
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        text=True, preexec_fn=pin(cpus))
        self.pid = self.process.pid
        line = self.process.stdout.readline()
        if not line:
            self.stop()
            raise RuntimeError("%s ended before it was ready" % command[-1])
        self.about = json.loads(line)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.process.communicate()


@contextlib.contextmanager
def target(python, workload, *options, cpus=(TARGET_CPU,)):
    """A program of tests/workloads/bench, ready. python: path, or a list that begins a command."""
    program = python if isinstance(python, list) else [python]
    started = Target([*program, WORKLOADS / workload, *options], cpus)
    try:
        yield started
    finally:
        started.stop()


class Progress:
    """Rounds that a workload has done, by the file it writes them to."""

    def __init__(self):
        self.file = tempfile.NamedTemporaryFile()
        self.file.truncate(4096)
        self.page = mmap.mmap(self.file.fileno(), 4096)
        self.options = "--progress", self.file.name

    def read(self):
        while True:
            first = struct.unpack_from("<QQ", self.page)
            if first == struct.unpack_from("<QQ", self.page):
                return first

    def speed(self, seconds, before=None):
        """Rounds a second from now (or `before`, an earlier read()) on; blocks for so many seconds."""
        begin = before or self.read()
        time.sleep(seconds)
        end = self.read()
        return (end[0] - begin[0]) / max(1, end[1] - begin[1]) * 1e9


@dataclasses.dataclass
class Finished:
    code: int
    cpu: float  # seconds, user and system, of the program and of the children it waited for
    wall: float
    rss: int  # bytes
    out: str
    err: str


class Started:
    """A program on the CPUs that are not the target's, whose resources are counted."""

    def __init__(self, command, cpus=OTHER_CPUS, **options):
        self.files = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.begin = time.monotonic()
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL,
                                        stdout=self.files[0], stderr=self.files[1], preexec_fn=pin(cpus),
                                        **options)
        self.pid = self.process.pid

    def finish(self, send=None, timeout=120):
        if send:
            os.kill(self.pid, send)
        limit = time.monotonic() + timeout
        while True:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > limit:
                os.kill(self.pid, signal.SIGKILL)
            time.sleep(0.002)
        wall = time.monotonic() - self.begin
        self.process.returncode = os.waitstatus_to_exitcode(status)
        out, err = (profiler.Run.read(f).decode(errors="replace") for f in self.files)
        cpu = usage.ru_utime + usage.ru_stime
        return Finished(self.process.returncode, cpu, wall, usage.ru_maxrss * 1024, out, err)


def cpu_of(pid):
    """CPU seconds, to the nanosecond, that the threads of a running process and of its children have used."""
    seconds = 0.0
    with contextlib.suppress(OSError):
        for task in os.scandir("/proc/%d/task" % pid):
            with contextlib.suppress(OSError):
                seconds += int(pathlib.Path(task.path, "schedstat").read_text().split()[0]) / 1e9
                children = pathlib.Path(task.path, "children").read_text().split()
                seconds += sum(cpu_of(int(child)) for child in children)
    return seconds


def run(command, **options):
    return Started(command, **options).finish()


def ours(directory, *arguments, send=None, until=None, **options):
    """Runs pyperf-bpf, quietly; (Finished, statistics). until(started): called while it runs."""
    stats = pathlib.Path(directory) / "stats.json"
    stats.unlink(missing_ok=True)
    started = Started([profiler.BINARY, "-q", "-n", 0, "--stats-json", stats, *arguments], **options)
    if until:
        until(started)
    done = started.finish(send)
    if done.code:
        raise RuntimeError("pyperf-bpf failed: " + done.err)
    return done, json.loads(stats.read_text())


def wait_for_ticks(pid, timeout=20):
    """Until process pid holds perf events, or what it attaches just before it starts timers:
    it begins to sample."""
    limit = time.monotonic() + timeout
    while time.monotonic() < limit:
        with contextlib.suppress(OSError):
            links = [os.readlink(entry.path) for entry in os.scandir("/proc/%d/fd" % pid)]
            if "anon_inode:[perf_event]" in links or "anon_inode:bpf_link" in links:
                return
        time.sleep(0.005)
    raise RuntimeError("no perf events within %d s" % timeout)


def hot(settings, *arguments):
    """tests/bench/hot, run to its end; its JSON."""
    done = run([settings.hot, *arguments])
    if done.code:
        raise RuntimeError(done.err.strip())
    return json.loads(done.out)


def spread(values):
    values = list(values)
    return {"min": min(values), "median": statistics.median(values), "max": max(values), "n": len(values)}


def shown(value, digits=3):
    """A number with so many digits that count, a spread as median (min-max)."""
    if isinstance(value, dict):
        return "%s (%s-%s)" % tuple(shown(value[key], digits) for key in ("median", "min", "max"))
    if not isinstance(value, float):
        return str(value)
    if value == 0 or not abs(value) < 1e15:
        return "%g" % value
    places = max(0, digits - 1 - int(math.floor(math.log10(abs(value)))))
    return "{:,.{}f}".format(value, min(places, 4))


class Table:
    """Rows with named columns: printed as they come to an end, kept for JSON."""

    def __init__(self, title, note=""):
        self.title, self.note, self.rows, self.skips = title, note, [], []

    def add(self, **row):
        self.rows.append(row)
        return row

    def skip(self, what, why):
        self.skips.append((what, why))

    def text(self):
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        cells = [names] + [[shown(row.get(name, "")) for name in names] for row in self.rows]
        widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
        lines = ["", self.title, "=" * len(self.title)]
        for line in cells if self.rows else ():
            lines.append("  ".join(c.ljust(w) if not i else c.rjust(w)
                                   for i, (c, w) in enumerate(zip(line, widths))))
        lines += ["SKIP %s: %s" % skip for skip in self.skips]
        return "\n".join(lines + ([self.note] if self.note else []))


def machine():
    model = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return {"cpu": model[0] if model else platform.machine(), "cpus": len(CPUS), "kernel": platform.release(),
            "time": time.strftime("%Y-%m-%d %H:%M:%S")}


def other_load():
    """Seconds of CPU time that the machine has spent so far, idle not counted, and stolen time."""
    user, nice, system, _, _, irq, softirq, steal = map(int, open("/proc/stat").readline().split()[1:9])
    tick = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + irq + softirq) / tick, steal / tick


def busy_now(seconds=1.0):
    """How many CPUs other programs keep busy at the moment."""
    before = other_load()[0]
    time.sleep(seconds)
    return (other_load()[0] - before) / seconds
