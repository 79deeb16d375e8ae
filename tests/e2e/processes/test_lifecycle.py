# SPDX-License-Identifier: GPL-2.0-only
"""Processes that come, go, change and share pids: each tick is named by the image that it met, or counted."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

import interpreters as known
import profiler

FREQUENCY = 997
LIFE = profiler.ROOT / "tests/workloads/life"
VERSIONS = [i for i in known.one_per_version() if i.version >= (3, 6)]
NEWEST = VERSIONS[-1:]


def delivered(run):
    """Part of the ticks asked for that the kernel made."""
    return min(1, run.stats["ticks"] / run.stats["expected"])


class Profiling:
    """The profiler, sampling; with it one can begin something that is to be seen from its start. It ends with
    the `with` that it stands in, whatever happens there."""

    def __init__(self, directory, *arguments):
        self.run = profiler.Run(directory, "-F", FREQUENCY, *arguments)
        profiler.wait_until(self.samples, what="perf events")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.run.code is None:
            self.run.kill()

    def samples(self):
        links = []
        for entry in os.scandir("/proc/%d/fd" % self.run.process.pid):
            try:
                links.append(os.readlink(entry.path))
            except OSError:
                pass
        return "anon_inode:[perf_event]" in links

    def finish(self):
        self.run.interrupt()
        return self.run.finish()

    def held(self, name):
        """Number of entries of one of its maps."""
        for entry in os.scandir("/proc/%d/fdinfo" % self.run.process.pid):
            text = pathlib.Path(entry.path).read_text()
            found = re.search(r"^map_id:\s*(\d+)", text, re.M)
            if not found:
                continue
            shown = subprocess.run(["bpftool", "-j", "map", "dump", "id", found[1]], capture_output=True,
                                            text=True).stdout
            about = json.loads(subprocess.run(["bpftool", "-j", "map", "show", "id", found[1]],
                                                       capture_output=True, text=True).stdout)
            if about["name"] == name:
                return len(json.loads(shown))
        raise AssertionError("no map " + name)


@pytest.mark.parametrize("python", NEWEST, ids=str)
class TestForkedChildren:
    """100 children of 50 ms, which never were asked about: the parent's layout is theirs."""

    COUNT, SECONDS = 100, 0.05

    def test_95_percent_are_named(self, python, tmp_path):
        with profiler.target(python.path, LIFE / "children.py", self.COUNT, self.SECONDS, 4,
                             stdin=subprocess.PIPE) as parent, \
                Profiling(tmp_path, "--pid", parent.pid, "--children") as profiling:
            parent.tell("go")
            burnt = {int(pid): float(seconds)
                     for pid, seconds in json.loads(parent.process.stdout.readline()).items()}
            run = profiling.finish()
        assert len(burnt) == self.COUNT
        named = [s for s in run.of(*burnt) if s.stack[0][0] == "burn" and s.stack[-1][0] == "<module>"]
        wanted = sum(burnt.values()) * FREQUENCY * delivered(run)
        assert profiler.total(named) >= 0.95 * wanted, run.stats["outcomes"]
        missing = set(burnt) - {s.pid for s in named}
        assert not missing, (missing, run.of(*missing), run.stats["outcomes"], run.stats["counters"])


class TestExecIntoAnotherVersion:
    """One process, 120 interpreters of several versions one after the other,
    each with a function of its own."""

    # On a busy machine the answer takes some tens of milliseconds.
    ROUNDS, SECONDS = 120, 0.1

    @pytest.fixture(scope="class")
    def profiled(self, tmp_path_factory):
        chosen = [i.path for i in VERSIONS]
        if len(chosen) < 2:
            pytest.skip("SKIP not-applicable: interpreters of two versions are needed")
        return profiler.run(tmp_path_factory.mktemp("relay"), "-F", FREQUENCY, "--", chosen[0], "-IS",
                            LIFE / "relay.py",
                            self.ROUNDS, self.SECONDS, *chosen, timeout=1100)

    def test_no_frame_by_the_old_layout(self, profiled):
        """Such frames would be torn: no name, no such function, a line outside of it,
        or none of them at the root."""
        own = str(LIFE / "relay.py")
        assert len({s.pid for s in profiled.samples}) == 1
        for sample in profiled.samples:
            if profiler.marker_of(sample.stack):
                continue
            assert all(name and file for name, file, _, _ in sample.stack), sample
            for name, file, first, line in sample.stack:
                if file == own:
                    assert name in ("<module>", "main") or re.fullmatch(r"burn_3_\d+", name), sample
                    assert first <= line <= first + (30 if name == "<module>" else 6), sample
            if sample.stack[-1][1] == own:
                assert sample.stack[-1][0] == "<module>"
                burning = [f[0] for f in sample.stack if f[0].startswith("burn_")]
                assert not burning or [f[0]
                                       for f in sample.stack[-3:]] == [burning[0], "main", "<module>"], sample

    def test_most_is_named(self, profiled):
        """What is not belongs to the milliseconds between an exec and the answer to the question about it."""
        burning = [s for s in profiled.samples if any(f[0].startswith("burn_") for f in s.stack)]
        assert {s.stack[-3][0] for s in burning} == {"burn_%d_%d" % i.version[:2] for i in VERSIONS}
        wanted = self.ROUNDS * self.SECONDS * FREQUENCY * delivered(profiled)
        assert profiler.total(burning) >= 0.6 * wanted, profiled.stats["outcomes"]


@pytest.mark.parametrize("python", NEWEST, ids=str)
class TestMainThreadEndsFirst:
    def check(self, run, pid):
        others = [s for s in run.of(pid) if s.tid != pid]
        named = [s for s in others if "burn" in profiler.functions(s)]
        assert profiler.total(others) > 300
        assert profiler.total(named) >= 0.97 * profiler.total(others)

    def test_found_afterwards(self, python, tmp_path):
        with profiler.target(python.path, LIFE / "headless.py") as target:
            run = profiler.run_while(tmp_path, [target], 2, "-F", FREQUENCY)
            self.check(run, target.pid)

    def test_found_before(self, python, tmp_path):
        run = profiler.Run(tmp_path, "-F", FREQUENCY, "--", python.path, LIFE / "headless.py")
        out = run.streams[0].fileno()
        profiler.wait_until(lambda: os.pread(out, 4096, 0).endswith(b"\n"), what="its pid")
        pid = json.loads(os.pread(out, 4096, 0))["pid"]
        profiler.let_use_cpu(run, [pid], 2)
        os.kill(pid, signal.SIGKILL)
        run.finish(code=128 + signal.SIGKILL)
        self.check(run, pid)


@pytest.mark.alone  # another process could take the pid
class TestSamePid:
    """500 processes that all have the same pid: two interpreters and a shell take turns."""

    ROUNDS = 500

    @pytest.fixture(scope="class")
    def profiled(self, tmp_path_factory):
        # Not Debian's, which are started by way of ld.so: the name of the process is to tell them apart.
        chosen = [i for i in VERSIONS if i.kind != "debian"]
        if len(chosen) < 2:
            pytest.skip("SKIP not-applicable: interpreters of two versions are needed")
        first, last = chosen[0].path, chosen[-1].path
        commands = [[first, "-IS", str(LIFE / "alpha.py")], [last, "-IS", str(LIFE / "beta.py")],
                    ["/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done"]]
        with Profiling(tmp_path_factory.mktemp("same"), "-a") as profiling:
            with profiler.target(sys.executable, LIFE / "same_pid.py", self.ROUNDS, stdin=subprocess.PIPE,
                                 about=False) as driver:
                driver.tell(json.dumps(commands))
                pid = json.loads(driver.process.stdout.readline())["pid"]
                assert json.loads(driver.process.stdout.readline() or "null") == self.ROUNDS
            return profiling.finish(), pid, {"alpha": os.path.basename(first)[:15],
                                             "beta": os.path.basename(last)[:15]}

    def test_nobody_has_anothers_name(self, profiled):
        run, pid, names = profiled
        for sample in run.of(pid):
            for function, comm in names.items():
                own = str(LIFE / (function + ".py"))
                assert (own in {frame[1] for frame in sample.stack}) <= (sample.comm == comm), sample
            assert sample.comm not in ("sh", "dash"), sample

    def test_no_torn_stack(self, profiled):
        run, pid, names = profiled
        whole = [s for s in run.of(pid) if profiler.marker_of(s.stack) is None]
        for sample in whole:
            assert all(name and file for name, file, _, _ in sample.stack), sample
            for function in names:
                found = [frame[0] for frame in sample.stack if frame[1] == str(LIFE / (function + ".py"))]
                assert found in ([], ["<module>"], [function, "<module>"]), sample

    def test_they_are_seen(self, profiled):
        run, pid, names = profiled
        for function in names:
            assert profiler.total(s for s in run.of(pid) if function in profiler.functions(s)) > self.ROUNDS


@pytest.mark.parametrize("python", NEWEST, ids=str)
@pytest.mark.alone
class TestCrowd:
    """More processes of one user than may wait for the worker at a time. They sleep, so what is known of them
    when the ticks have begun is what the profiler has found out by itself."""

    COUNT, SECONDS = 2000, 0.012

    def test_two_thousand_live_processes_are_all_there(self, python, tmp_path):
        with profiler.target(python.path, "-IS", LIFE / "crowd.py", self.COUNT, self.SECONDS,
                             stdin=subprocess.PIPE) as parent, Profiling(tmp_path, "-a") as profiling:
            pids = parent.about["children"]
            profiler.wait_until(lambda: profiling.held("processes") >= self.COUNT, seconds=120,
                                what="verdicts")
            parent.tell("go")
            assert parent.process.stdout.readline() == "done\n"
            run = profiling.finish()
        named = {s.pid for s in run.samples if "burn" in profiler.functions(s)}
        missing = set(pids) - named
        assert not missing, (len(missing), run.stats["outcomes"])
        assert run.stats["processes"] >= self.COUNT and run.stats["counters"]["processes_full"] == 0


@pytest.mark.long
@pytest.mark.parametrize("python", NEWEST, ids=str)
class TestChurn:
    """2,000 fork and exec a second for a minute, by Python programs that are profiled themselves."""

    RATE, SECONDS, STARTERS = 2000, 60, 4

    def test_cheap_and_nothing_left(self, python, tmp_path):
        command = (python.path, "-IS", LIFE / "churn.py", self.RATE / self.STARTERS, self.SECONDS,
                   "/bin/true")
        with Profiling(tmp_path, "-a", "-F", 99) as profiling:
            before = profiling.held("processes")
            with profiler.targets([command] * self.STARTERS) as started:
                made = sum(json.loads(one.process.stdout.readline()) for one in started)
            rate = made / self.SECONDS
            if rate < 0.5 * self.RATE:
                pytest.skip("SKIP quiet: this machine starts %d processes a second only" % rate)
            # Others come and go here too, but not by the hundred.
            profiler.wait_until(lambda: profiling.held("processes") < before + 100, what="empty table")
            run = profiling.finish()
        user = run.stats["user"]
        used = user["cpu_seconds"] - user["start_cpu_seconds"]
        print("%d a second: %.1f %% of a core, %d MiB" % (rate, 100 * used / run.stats["seconds"],
                                                          user["rss_bytes"] >> 20))
        assert used < 0.1 * run.stats["seconds"]
        assert user["rss_bytes"] < 64 << 20
        assert run.stats["counters"]["ring_full"] == 0
