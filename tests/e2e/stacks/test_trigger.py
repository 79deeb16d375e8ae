# SPDX-License-Identifier: GPL-2.0-only
"""What makes the ticks: timers give the same stacks and shares as perf events, are chosen when those are
refused, and leave nothing behind. What the kernel does not deliver is said."""
import collections
import math
import os
import pathlib
import platform
import re
import signal
import subprocess

import pytest

import interpreters as known
import pprof
import profiler
from edges import Judge

REFUSE = profiler.BUILD / "tests/forge/refuse"
MAX_RATE = pathlib.Path("/proc/sys/kernel/perf_event_max_sample_rate")
FREQUENCY = 997
CPUS = sorted(os.sched_getaffinity(0))
# A pod's, as in deploy/; user 0 gets what is left in the bounding set.
POD = ["setpriv", "--bounding-set=-all,+bpf,+perfmon,+sys_ptrace,+dac_read_search"]


def refused(*what, pod=False):
    """The beginning of a command line to which the kernel refuses perf events, timers, or both."""
    return (POD if pod else []) + [str(REFUSE), *what, "--"]


def run_refused(what, directory, *arguments, pod=False):
    """pyperf-bpf, from which something is kept."""
    command = [*refused(*what, pod=pod), profiler.BINARY, "-o", directory / "out.pb.gz", "--stats-json",
               directory / "out.json", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def refusal(done):
    """The one line of it. A warning is about another program of the machine, one that a debugger has stopped
    for example: all are asked about before the ticks begin."""
    line, = [line for line in done.stderr.splitlines() if not line.startswith("pyperf-bpf: warning: ")]
    return line


def test_without_timers(tmp_path):
    """Everything below needs them: says why it is skipped."""
    done = run_refused(["timers"], tmp_path, "-a", "-d", 1, "--trigger", "timer")
    assert done.returncode == 1
    said = refusal(done)
    assert "Linux 6.7" in said and "--trigger perf" in said


@pytest.fixture(scope="module")
def timers():
    version = tuple(int(n) for n in re.match(r"(\d+)\.(\d+)", platform.release()).groups())
    realtime = pathlib.Path("/sys/kernel/realtime")
    if version < (6, 7) or (realtime.exists() and realtime.read_text().strip() == "1"):
        pytest.skip("SKIP timers: those that stay on their CPU need Linux 6.7, not a real-time kernel")


@pytest.mark.usefixtures("timers")
@pytest.mark.alone  # so many busy programs leave the CPUs to nobody else
class TestStacks:
    @pytest.fixture(scope="class")
    def profiled(self, workloads, tmp_path_factory):
        chosen = known.one_per_version()
        with profiler.targets([(i.path, workloads / "edges.py") for i in chosen]) as started:
            run = profiler.run_while(tmp_path_factory.mktemp("trigger"), started, 0.8, "-F", FREQUENCY,
                                     "--trigger", "timer", "-v")
        assert run.stats["trigger"] == "timer"
        return {i.name: (Judge(t.about), run.of(t.pid)) for i, t in zip(chosen, started)}

    def test_no_impossible_stack(self, version, profiled):
        judge, samples = profiled[version.name]
        whole = [s for s in samples if profiler.marker_of(s.stack) is None]
        assert profiler.total(whole) > 300
        faults = collections.Counter()
        for sample in whole:
            for fault in judge.faults(sample.stack):
                faults[fault] += sample.count
        assert not faults, faults.most_common(5)

    def test_few_marked_stacks(self, version, profiled):
        """The bounds of test_stacks.py: what runs in a softirq sees the interrupted program as well."""
        _, samples = profiled[version.name]
        marked = profiler.total(s for s in samples if profiler.marker_of(s.stack) is not None)
        assert profiler.is_share_at_most(marked, 0.03 if version.version < (3, 13) else 0.01,
                                         profiler.total(samples))


@pytest.mark.usefixtures("timers")
@pytest.mark.alone  # so many busy programs leave the CPUs to nobody else
class TestShares:
    """Two functions that burn 3 to 1 for 1.5 s, on each CPU."""

    @pytest.fixture(scope="class")
    def profiled(self, workloads, tmp_path_factory):
        python = known.newest()
        commands = [("taskset", "-c", cpu, python.path, workloads / "shares.py", cpu) for cpu in CPUS]
        with profiler.targets(commands) as started:
            return profiler.run_while(tmp_path_factory.mktemp("trigger"), started, 1.5, "-F", FREQUENCY,
                                      "--trigger", "timer", "-v"), [t.pid for t in started]

    def test_within_5_sigma(self, profiled):
        run, pids = profiled
        heavy, light = (profiler.share(run.of(*pids), lambda s: s.stack[0][0] == name)
                        for name in ("heavy", "light"))
        n = (heavy + light) * profiler.total(run.of(*pids))
        assert n > 2000
        assert abs(heavy / (heavy + light) - 0.75) <= 5 * math.sqrt(0.75 * 0.25 / n)

    def test_every_cpu_ticks(self, profiled):
        run, pids = profiled
        assert run.stats["cpus"] == os.sysconf("SC_NPROCESSORS_ONLN")
        # Half of a fair share, or of what is left beside others: far more than none.
        assert all(profiler.total(run.of(pid)) > 100 for pid in pids)

    def test_not_one_tick_too_many(self, profiled):
        run, _ = profiled
        assert run.stats["expected"] >= (run.stats["seconds"] * FREQUENCY - 3) * run.stats["cpus"]
        assert run.stats["ticks"] <= run.stats["expected"] + run.stats["cpus"]
        assert run.stats["ticks"] >= 0.5 * run.stats["expected"]


@pytest.mark.usefixtures("timers")
class TestNothingIsLeft:
    @staticmethod
    def objects(pid):
        """{(kind, number)} of the BPF programs and maps that a process holds."""
        found = set()
        for entry in os.scandir("/proc/%d/fdinfo" % pid):
            try:
                text = pathlib.Path(entry.path).read_text()
            except FileNotFoundError:  # closed meanwhile, such as a process's maps
                continue
            found |= {(kind, int(number))
                      for kind, number in re.findall(r"^(prog|map)_id:\s*(\d+)", text, re.M)}
        return found

    @staticmethod
    def exists(kind, number):
        return subprocess.run(["bpftool", kind, "show", "id", str(number)],
                              capture_output=True).returncode == 0

    @pytest.mark.parametrize("send", [signal.SIGINT, signal.SIGKILL], ids=["SIGINT", "SIGKILL"])
    def test_after(self, send, workloads, tmp_path):
        python = known.newest()
        with profiler.target(python.path, workloads / "burn.py") as target:
            run = profiler.Run(tmp_path, "--trigger", "timer", "--pid", target.pid, "-F", FREQUENCY, "-v")
            profiler.wait_until(lambda: profiler.has_begun(run), what="ticks")
            assert "start_timer" in self.names(run.process.pid)
            held = self.objects(run.process.pid)
            assert len({kind for kind, _ in held}) == 2 and all(self.exists(*one) for one in held)
            run.process.send_signal(send)
            run.finish(code=None if send == signal.SIGKILL else 0)
            # The kernel frees them a moment later, once nobody can be using them any more.
            profiler.wait_until(lambda: not any(self.exists(*one) for one in held), what="end of BPF objects")

    def names(self, pid):
        shown = [subprocess.run(["bpftool", "prog", "show", "id", str(number)], capture_output=True,
                                text=True).stdout
                 for kind, number in self.objects(pid) if kind == "prog"]
        return re.findall(r"name (\w+)", " ".join(shown))


class TestChoice:
    @pytest.mark.usefixtures("timers")
    def test_by_itself_when_perf_events_are_refused(self, workloads, tmp_path):
        """With the capabilities of a pod, as on Debian's kernels."""
        python = known.newest()
        with profiler.target(python.path, workloads / "burn.py") as target:
            command = [*refused("perf", pod=True), profiler.BINARY]
            run = profiler.run_while(tmp_path, [target], 0.5, "-F", FREQUENCY, "-v", binary=command)
        assert run.stats["trigger"] == "timer"
        assert "timers make the ticks" in run.err
        burning = [s for s in run.of(target.pid) if s.stack[0][0] == "burn"]
        assert profiler.total(burning) > 0.9 * profiler.total(run.of(target.pid)) > 200

    def test_perf_events_when_they_are_allowed(self, tmp_path):
        run = profiler.run(tmp_path, "-a", "-d", 1)
        assert run.stats["trigger"] == "perf" and run.stats["outcomes"]["idle"] == 0

    def test_only_perf_events_wanted(self, tmp_path):
        done = run_refused(["perf"], tmp_path, "-a", "-d", 1, "--trigger", "perf")
        said = refusal(done)
        assert done.returncode == 1 and "CAP_PERFMON is there" in said and "--trigger timer" in said

    def test_neither(self, tmp_path):
        """What is left is to look from outside."""
        done = run_refused(["perf", "timers"], tmp_path, "-a", "-d", 1)
        said, = [line for line in done.stderr.splitlines() if "BPF is refused here (" in line]
        assert done.returncode == 0 and (tmp_path / "out.pb.gz").exists()
        assert all(part in said for part in ("CAP_PERFMON is there", "seccomp", "6.7"))

    def test_cycles_are_not_for_timers(self, tmp_path):
        done = subprocess.run([profiler.BINARY, "-a", "--trigger", "timer", "--event", "cycles"],
                              capture_output=True,
                              text=True)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and "--trigger timer" in done.stderr


@pytest.mark.alone  # the limit is the whole machine's
class TestLessOftenThanAsked:
    """The kernel may lower its own limit at any time; events that are faster are then throttled."""

    def test_said_with_figures(self, workloads, tmp_path):
        if re.match(r"6\.1[67]\b", platform.release()):
            pytest.skip("SKIP not-applicable: Linux 6.16 and 6.17 can hang when a cpu-clock event is "
                        "throttled")
        limit = int(MAX_RATE.read_text())
        frequency = min(20000, limit)
        if frequency < 5000:
            pytest.skip("SKIP sysctl: kernel.perf_event_max_sample_rate is %d already" % limit)
        python = known.newest()
        with profiler.target(python.path, workloads / "burn.py") as target:
            run = profiler.Run(tmp_path, "--pid", target.pid, "-F", frequency, "-d", 4, "--trigger", "perf")
            # Not before it samples on every CPU: an event above the limit of then would be refused.
            profiler.wait_until(lambda: profiler.is_confined(run), what="perf events")
            try:
                MAX_RATE.write_text(str(frequency // 5))
                run.process.wait(60)
            finally:
                MAX_RATE.write_text(str(limit))
            run.finish()
        said = [line for line in run.err.splitlines() if "the kernel ran the sampler" in line]
        assert len(said) == 1, run.err
        got, wanted, lowered = map(int, re.search(r"sampler (\d+) times of (\d+):.*rate to (\d+);",
                                                  said[0]).groups())
        assert got < 0.8 * wanted and lowered == frequency // 5
        assert run.stats["ticks"] < 0.8 * run.stats["expected"]
        # Each sample stands for more time, so that all of them are the time that there was; and it says so.
        made = pprof.read(run.path)
        came, all_, period = map(int, re.fullmatch(r"(\d+) of (\d+) ticks came: .* for (\d+) ns",
                                                   made.comments[0]).groups())
        assert came == run.stats["ticks"] and all_ >= 0.9 * run.stats["expected"]
        assert made.period == period == pytest.approx(1e9 / frequency * all_ / came, rel=0.01)
        assert all(sample.values[1] == sample.values[0] * period for sample in made.samples)
        assert "%s of %s ticks came" % (format(came, ","), format(all_, ",")) in run.out

    def test_nothing_is_said_otherwise(self, workloads, tmp_path):
        python = known.newest()
        with profiler.target(python.path, workloads / "burn.py") as target:
            run = profiler.run(tmp_path, "--pid", target.pid, "-F", FREQUENCY, "-d", 2)
        assert "the kernel ran the sampler" not in run.err
        assert run.stats["expected"] >= 0.5 * FREQUENCY * 2
        lost = run.stats["ticks"] < 0.9 * run.stats["expected"]
        said = [one for one in pprof.read(run.path).comments if "ticks" in one]
        assert bool(said) == bool(lost)
