# SPDX-License-Identifier: GPL-2.0-only
"""Each of the profiler's processes is killed, stopped, or has no memory left, in turn and under load: the one
that samples, the zygote, the worker, the parser, the one that writes a file. Either it goes on, a program
that starts then is found, within a second as a rule, and what a writer did not write is in a later file; or
it has ended with one clear line. No stack is wrong, and nothing is left open or running."""
import collections
import contextlib
import http.client
import os
import pathlib
import re
import signal
import statistics
import time
import types

import pytest

import bpf_objects
import faults
import hostile
import interpreters as known
import pprof
import profiler
from edges import Judge
from native_frames import Native
from serving import Server
from waits import parts

PYTHON = known.newest()
MAIN, ZYGOTE, WORKER, PARSER = "pyperf-bpf", "pyperf-zygote", "pyperf-worker", "pyperf-parser"
WRITER = "pyperf-writer"  # there is one for each file, and not for long
WAYS = "killed", "stopped", "without memory"
LASTING = [(name, way) for way in WAYS for name in (WORKER, PARSER, WRITER)]
LASTING += [(ZYGOTE, "stopped"), (MAIN, "stopped")]
FATAL = [(name, way) for way in ("killed", "without memory") for name in (ZYGOTE, MAIN)]
# The system's own, which every user may start.
NEWCOMER = "/usr/bin/python3", "-IS", "-c", "print('{}', flush=True)\nwhile True: sum(range(100))"
MEMORY = pathlib.Path("/sys/fs/cgroup/memory")
LIMIT = 120  # seconds, of what never comes
STOPPED = 0.2  # seconds, of those that nobody ends for it
# Seconds, of the median of how long it takes until a new program is found: 0.4 on a machine that rests.
BACK = 10
EVENTS = "cpu,offcpu,gil,memory"


WRITES = [(WRITER, letter) for letter in "RSD"]


class NoMemory:
    """A cgroup in which there is none: who is put there is ended by the kernel when it needs a page."""

    def __init__(self):
        self.folder = MEMORY / ("pyperf-none-%d" % os.getpid())
        try:
            self.folder.mkdir()
        except OSError:
            pytest.skip("SKIP cgroup-memory: no memory controller of version 1 that can be used")
        (self.folder / "memory.limit_in_bytes").write_text("4096")

    def take(self, pid):
        with contextlib.suppress(ProcessLookupError):
            (self.folder / "cgroup.procs").write_text(str(pid))

    def close(self):
        profiler.wait_until(lambda: not (self.folder / "cgroup.procs").read_text(), what="empty cgroup")
        self.folder.rmdir()


def state(pid):
    """Its name and state; None when it is no more."""
    with contextlib.suppress(OSError):
        words = pathlib.Path("/proc/%d/stat" % pid).read_text()
        name, letter = re.match(r"\d+ \((.*)\) (.)", words, re.S).groups()
        return (name, letter) if letter not in "ZX" else None
    return None


def is_gone(pid):
    return state(pid) is None


def descriptors(pid):
    """What it has open, by kind."""
    found = collections.Counter()
    for entry in os.scandir("/proc/%d/fd" % pid):
        with contextlib.suppress(OSError):
            found[re.sub(r"\d+", "", os.readlink(entry.path))] += 1
    return found


class Rounds:
    """A run that is harmed, and another one when that has ended. honest: programs that are judged."""

    def __init__(self, directory, honest, no_memory):
        self.directory, self.honest, self.no_memory = directory, honest, no_memory
        self.judges = {one.pid: Judge(one.about) for one in honest}
        self.took = collections.defaultdict(list)  # (name, way): seconds
        self.stacks, self.faults = 0, collections.Counter()
        self.unwritten = 0  # files, of writers that were ended before they were done
        self.number, self.user = 0, 20000
        self.server = None

    def start(self):
        self.number += 1
        self.folder = self.directory / ("profiles-%d" % self.number)
        self.folder.mkdir()
        self.server = Server(self.directory, "-a", "-F", 199, "--native", "full", "--event", EVENTS,
                             "--output-dir", self.folder, "--interval", 2)
        self.run = self.server.run
        self.is_found_again()
        self.open = descriptors(self.run.process.pid)

    def processes(self):
        """{name: pid}: there is one of each."""
        found = {}
        for entry in os.scandir("/proc"):
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and os.getpgid(int(entry.name)) == self.run.process.pid:
                    now = state(int(entry.name))
                    if now:
                        found.setdefault(now[0], []).append(int(entry.name))
        return {name: pids[-1] for name, pids in found.items()}

    def writer(self):
        """None if there is none just now. It is looked for so often that little is asked for it."""
        with contextlib.suppress(OSError):
            children = pathlib.Path("/proc/{0}/task/{0}/children".format(self.run.process.pid)).read_text()
            return next((int(pid) for pid in children.split() if state(int(pid)) in WRITES), None)
        return None

    def process(self, name):
        if name == WRITER:
            end = time.monotonic() + LIMIT
            while not (pid := self.writer()):
                assert time.monotonic() < end, "nothing is written"
                time.sleep(0.0002)
            return pid
        profiler.wait_until(lambda: name in self.processes(), LIMIT, name)
        return self.processes()[name]

    def is_found_again(self):
        """A program that starts now is found. It is another user's each time: that of a question which ended
        the worker waits longer (docs/internals/worker.md)."""
        self.user += 1
        with profiler.target(*NEWCOMER, user=self.user) as newcomer:
            profiler.wait_until(lambda: self.shows(newcomer.pid), LIMIT, "stack of a new program")

    def shows(self, pid):
        """Its stack, as the worker sees it. A request that has waited for too long may be refused."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.server.get("/debug/pyperf/stacks?pid=%d" % pid).status == 200
        return False

    def is_over(self, name, code):
        """It has ended, with all that it had started; and said why if it could. Returns when."""
        self.run.process.wait(LIMIT)
        left, when = faults.wait_for_group(self.run.process.pid, LIMIT), time.monotonic()
        self.run.finish(code=code)
        assert not left
        self.unwritten += self.run.err.count("cannot write to")
        errors = [line for line in self.run.err.splitlines() if "error:" in line]
        # On a busy machine the last profile may take longer than it is waited for, which is said.
        lost = [line for line in errors if "the last profile is lost" in line]
        assert len(errors) - len(lost) == (name == ZYGOTE), self.run.err
        assert name != ZYGOTE or "pyperf-zygote" in errors[0]
        self.judge(whole=code != -signal.SIGKILL and not lost)
        self.server = None
        return when

    def judge(self, whole):
        """whole: the books add up, too, over all files."""
        samples = []
        for path in sorted(self.folder.glob("*.pb.gz")):
            native, read = Native(types.SimpleNamespace(path=path)), profiler.samples_of(pprof.read(path))
            samples += read
            for sample in read:
                if sample.pid in self.judges:
                    self.judge_sample(sample, native.without(sample.stack))
        if whole:
            self.run.samples = samples
            self.run.check_books()

    def judge_sample(self, sample, stack):
        for part, whole in parts(stack):
            if not part or any(line == 0 for *_, line in part):
                continue  # its lines were in the answer of a worker that has been killed
            self.faults.update(self.judges[sample.pid].faults(part, rooted=whole))
            self.stacks += 1

    def harm(self, name, way):
        """Returns the process. A writer lives for some milliseconds: who is to meet it waits for no CPU."""
        with profiler.before_others():
            while True:
                pid = self.process(name)
                with contextlib.suppress(ProcessLookupError):  # a writer may have been quicker
                    if way != "without memory":
                        os.kill(pid, signal.SIGKILL if way == "killed" else signal.SIGSTOP)
                    else:
                        self.no_memory.take(pid)
                    return pid

    def last(self, name, way):
        """What the run outlives: worker and parser are made anew, both."""
        neighbour = self.process(PARSER if name == WORKER else WORKER)
        pid = self.harm(name, way)
        began = time.monotonic()
        if name == ZYGOTE:
            os.kill(neighbour, signal.SIGKILL)
            profiler.wait_until(lambda: is_gone(neighbour), LIMIT, "end of the worker")
        if name in (ZYGOTE, MAIN):
            time.sleep(STOPPED)
            os.kill(pid, signal.SIGCONT)
            began = time.monotonic()
        self.is_found_again()
        self.took[name, way].append(time.monotonic() - began)
        if name == WRITER:
            self.writes_again(pid, way)
        if name in (WORKER, PARSER):  # one that is stopped is ended when it is asked something
            profiler.wait_until(lambda: is_gone(pid) and is_gone(neighbour), LIMIT, "end of both")

    def writes_again(self, pid, way):
        """What a writer that was killed had to write is in a later file, or it was done before: the books of
        all files are looked at in the end. One that was stopped goes on."""
        if way == "stopped":
            os.kill(pid, signal.SIGCONT)
        profiler.wait_until(lambda: is_gone(pid), LIMIT, "end of the writer")
        before = len(list(self.folder.glob("*.pb.gz")))
        profiler.wait_until(lambda: len(list(self.folder.glob("*.pb.gz"))) > before, LIMIT, "another file")

    def end(self, name, way):
        began, pid = time.monotonic(), self.harm(name, way)
        while way == "without memory" and not is_gone(pid):
            # Each makes it work, and so ask for a page: an answer, a worker.
            assert time.monotonic() - began < LIMIT, "it needs no memory"
            with contextlib.suppress(OSError, KeyError, AssertionError):
                self.server.get("/debug/pyperf/interval", timeout=5)
            with contextlib.suppress(OSError, KeyError):
                os.kill(self.processes()[WORKER], signal.SIGKILL)
        began = began if way == "killed" else time.monotonic()
        over = self.is_over(name, 1 if name == ZYGOTE else -signal.SIGKILL)
        self.took[name, way].append(over - began)

    def all_of(self, sequence):
        for name, way in sequence:
            if not self.server:
                self.start()
            if (name, way) in FATAL:
                self.end(name, way)
                continue
            self.last(name, way)
        if not self.server:
            self.start()
        pid = self.run.process.pid
        profiler.wait_until(lambda: descriptors(pid) == self.open, LIMIT,
                            "descriptors as before: %s, %s" % (self.open, descriptors(pid)))
        self.run.interrupt()
        self.is_over(None, 0)

    def check(self, stacks):
        """That a new program is found soon is a rule: one that starts late on a busy machine says nothing."""
        assert self.stacks > stacks and not self.faults, self.faults
        assert self.unwritten, "no writer was ended before it was done"
        times = [seconds for harm in LASTING for seconds in self.took[harm]]
        assert statistics.median(times) < BACK, times

    def say(self):
        for harm, seconds in self.took.items():
            print("%-14s %-14s %3d times, found again or over after %.2f s, %.2f s at most" %
                  (*harm, len(seconds), statistics.median(seconds), max(seconds)))
        print("%d stacks judged, %d files not written at first" % (self.stacks, self.unwritten))


@pytest.fixture
def rounds(tmp_path, workloads):
    no_memory = NoMemory()
    before = bpf_objects.everything()
    with profiler.target(PYTHON.path, workloads / "edges.py") as honest, \
            profiler.target(PYTHON.path, "-IS", "-c", hostile.STARTS):
        made = Rounds(tmp_path, [honest], no_memory)
        try:
            yield made
        finally:
            if made.server:
                made.run.kill()
            made.say()
    no_memory.close()
    assert not bpf_objects.left_since(before, 30)


@pytest.mark.long
def test_twenty_times(rounds):
    rounds.all_of([*LASTING, *FATAL, *LASTING][:20])
    rounds.check(stacks=100)


@pytest.mark.long
def test_five_hundred_times(rounds):
    rounds.all_of((34 * [*LASTING, *FATAL])[:500])
    rounds.check(stacks=1000)
