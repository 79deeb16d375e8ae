# SPDX-License-Identifier: GPL-2.0-only
"""The prefix cache is never wrong: programs made to confuse it, on one interpreter of each version, under
`--cache check` (both walks in the kernel on every sample, their differences counted) and `--cache verified`
(every stack judged by the notes in the program's source). The bugs of CPython's own caching profiler are here
by number."""
import collections
import json
import pathlib

import pytest

import greenlets
import interpreters as known
import profiler
from edges import GENERATED, CacheJudge

# The laboratories of a dozen versions start in minutes; so many busy programs leave the CPUs to nobody else.
pytestmark = [pytest.mark.timeout(1200), pytest.mark.alone]

PROGRAMS = ("callers", "generators", "recursion", "recycled", "lines", "greenlets", "interpreters", "threads")
MODES = ("check", "verified")
FREQUENCY = 4999
# up to 3.12 the first two are without the cache: for so long each code object must have been there
# (SETTLED_SECONDS of bpf/python/settled.h)
SECONDS = 20
CPU = 0.5  # seconds of CPU time for each program at least
QUICK_VERSIONS = ("3.8", "3.11", "3.12", "3.13", "3.14", "3.15")  # what the walk and the cache go by differs
AT_ONCE = 4  # versions: the programs of all would starve each other
LONG_SAMPLES = 1000000


class Program:
    """One program on one interpreter, running."""

    def __init__(self, interpreter, name, directory, *arguments):
        self.interpreter, self.name = interpreter, name
        if name == "greenlets":
            arguments = (greenlets.directory(interpreter) or "/nowhere",)
        self.target = profiler.Target([interpreter.path, directory / (name + ".py"), *arguments], about=False)

    def ready(self):
        self.target.ready()
        self.skip = self.target.about.get("skip")
        self.judge = None if self.skip else CacheJudge(self.target.about)


class Laboratory:
    """All programs on some versions, running at once, and the runs of the profiler over them, by mode."""

    def __init__(self, directory):
        self.directory = directory
        self.programs, self.runs = {}, {}

    def start(self, workloads, programs, versions):
        for version in versions:
            for name, *arguments in programs:
                program = Program(version, name, workloads / "cache", *arguments)
                self.programs[(version.name, name, *arguments)] = program
        for program in self.programs.values():
            program.ready()

    def profile(self, mode, seconds, *options):
        targets = [p.target for p in self.programs.values() if not p.skip]
        self.runs[mode] = profiler.run_while(self.directory, targets, CPU, "--cache", mode, *options,
                                             seconds=seconds)

    def stop(self):
        for program in self.programs.values():
            program.target.stop()

    def of(self, version, *name):
        """One program, and its samples by mode."""
        program = self.programs[(version.name, *name)]
        if program.skip:
            pytest.skip("SKIP not-applicable: " + program.skip)
        return program, {mode: run.of(program.target.pid) for mode, run in self.runs.items()}


def versions(request):
    """The interpreters that those of our tests are about that were asked for."""
    ours = [item for item in request.session.items if item.module is request.module and
            hasattr(item, "callspec")]
    chosen = {item.callspec.params.get("version") for item in ours}
    return [version for version in known.one_per_version() if version in chosen]


class Laboratories:
    """All programs on some versions, a few versions after another."""

    def __init__(self, request, workloads, directory, programs, seconds, *options):
        chosen, self.labs = versions(request), []
        for first in range(0, len(chosen), AT_ONCE):
            lab = Laboratory(directory)
            self.labs.append(lab)
            try:
                lab.start(workloads, programs, chosen[first:first + AT_ONCE])
                for mode in MODES:
                    lab.profile(mode, seconds, *options)
            finally:
                lab.stop()

    def of(self, version, *name):
        return next(lab for lab in self.labs if (version.name, *name) in lab.programs).of(version, *name)

    def runs(self):
        """[(mode, run)] of all of them."""
        return [pair for lab in self.labs for pair in lab.runs.items()]


@pytest.fixture(scope="module")
def lab(request, workloads, tmp_path_factory):
    return Laboratories(request, workloads, tmp_path_factory.mktemp("cache"), [(name,) for name in PROGRAMS],
                        SECONDS,
                        "-F", FREQUENCY)


@pytest.fixture(scope="module")
def deep(request, workloads, tmp_path_factory):
    """Stacks beyond the 1,024 frames that are cached; at a lower rate,
    because each costs its thousands of frames."""
    return Laboratories(request, workloads, tmp_path_factory.mktemp("deep"), [("deep", 1100), ("deep", 3000)],
                        SECONDS,
                        "-F", 499, "--max-depth", 4000)


def whole(samples):
    return [s for s in samples if profiler.marker_of(s.stack) is None]


def assert_no_mismatch(runs, least):
    for mode, run in runs:
        counters = run.stats["counters"]
        assert counters["cache_mismatch"] == 0, mode
        assert run.stats["outcomes"]["whole"] >= least, mode
        assert profiler.share_of_hits(run) > 0.1, "the cache was hardly used"


def assert_possible(judge, by_mode, least=100):
    for mode, samples in by_mode.items():
        assert profiler.total(whole(samples)) >= least, mode
        wrong = [(judge.faults(s.stack), s) for s in whole(samples)]
        wrong = [(faults, s.count, s.stack) for faults, s in wrong if faults]
        assert not wrong, (mode, len(wrong), wrong[:3])


def seen(samples):
    return {frame[0] for sample in whole(samples) for frame in sample.stack}


def test_both_walks_agree(lab):
    assert_no_mismatch(lab.runs(), 10000)


def test_both_walks_agree_beyond_the_cache(deep):
    assert_no_mismatch(deep.runs(), 1000)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_stack_is_possible(version, name, lab):
    program, by_mode = lab.of(version, name)
    assert_possible(program.judge, by_mode, 30)


@pytest.mark.parametrize("frames", (1100, 3000))
def test_recursion_beyond_the_cache(version, frames, deep):
    program, by_mode = deep.of(version, "deep", frames)
    assert_possible(program.judge, by_mode, 50)
    for samples in by_mode.values():
        assert {"root_a", "root_b"} <= seen(samples)
        for sample in whole(samples):
            names = profiler.functions(sample)
            assert names.count("down") == frames - 3 or "bottom" not in names, len(names)


def test_code_addresses_were_recycled(lab):
    for _, run in lab.runs():
        assert run.stats["counters"]["codes_reused"] > 1000


def test_threads_came_and_went(version, lab):
    _, by_mode = lab.of(version, "threads")
    for samples in by_mode.values():
        assert len({s.tid for s in samples}) > 20


def test_forks(version, workloads, tmp_path):
    """Children, which --pid does not follow, are followed from a COMMAND;
    each has stacks of its own from the fork on."""
    for mode in MODES:
        run = profiler.run(tmp_path, "-F", FREQUENCY, "--cache", mode, "--", version.path,
                           workloads / "cache" / "forks.py",
                           4)
        judge = CacheJudge(json.loads(run.out))
        assert run.stats["counters"]["cache_mismatch"] == 0
        # The kernel takes pages away for a moment, to copy them after a fork.
        assert run.stats["counters"]["cache_unread"] < 0.01 * run.stats["outcomes"]["whole"]
        running = [s for s in run.samples if any(f[:2] == ("main", judge.main) for f in s.stack)]
        # A child may end before its names or its line tables were read: then they are said to be missing,
        # and there is nothing to judge.
        lined = [s for s in running if all(line for _, file, _, line in s.stack if file)]
        assert len(lined) == len(running) or run.stats["lines"]["missing"]
        named = [s for s in lined if "[unreadable name]" not in profiler.functions(s)]
        assert profiler.total(named) > 0.95 * profiler.total(running)
        assert_possible(judge, {mode: named})
        assert {"child", "parent"} <= seen(run.samples)
        for sample in whole(run.samples):
            if {"child", "parent"} & set(profiler.functions(sample)):
                assert ("parent" in profiler.functions(sample)) == (sample.pid == judge.pid)
        assert len({sample.pid for sample in run.samples}) > 50


# --- bugs of CPython's profiling.sampling, by their number in its issue tracker


def test_142137_line_of_the_leaf_is_fresh(version, lab):
    """A stack taken from the cache whole kept the line that its leaf was at when it was cached."""
    _, by_mode = lab.of(version, "lines")
    for samples in by_mode.values():
        lines = collections.Counter()
        for sample in whole(samples):
            if sample.stack[0][0] == "four_lines":
                lines[sample.stack[0][3]] += sample.count
        four = lines.most_common(4)
        assert sum(lines.values()) > 100
        assert sum(n for _, n in four) > 0.95 * sum(lines.values())
        for _, n in four:
            assert 0.15 < n / sum(lines.values()) < 0.35, four


def test_142852_deep_generators_reach_the_root(version, lab):
    """Chains that were read in part were cached; then many samples lacked their caller side."""
    _, by_mode = lab.of(version, "generators")
    for samples in by_mode.values():
        count = 0
        for sample in whole(samples):
            names = profiler.functions(sample)
            assert names[-2:] == ["main", "<module>"], names[-3:]
            if names[0] == "echo" and "chain" in names:
                assert names.count("chain") == 201
                count += sample.count
        assert count > 20


def test_149718_samples_move_on(version, lab):
    """The same stack was returned over and over while the program was long elsewhere."""
    _, by_mode = lab.of(version, "lines")
    for samples in by_mode.values():
        phases = collections.Counter()
        for sample in whole(samples):
            for name in profiler.functions(sample):
                phases[name] += sample.count * name.startswith("phase_")
        phases += collections.Counter()
        assert len(phases) == 6 and sum(phases.values()) > 100
        for n in phases.values():
            assert 0.09 < n / sum(phases.values()) < 0.26, phases


def test_151424_151426_no_impossible_stack_on_a_miss(version, lab):
    """Stacks were glued together from two moments when the cache had nothing to offer."""
    program, by_mode = lab.of(version, "recursion")
    assert_possible(program.judge, by_mode)
    for samples in by_mode.values():
        assert {"root_a", "root_b", "down", "down_through_c", "raising"} <= seen(samples)


def test_151436_151437_yield_throw_and_new_generators(version, lab):
    """Frames left by yield, by throw() or as a new generator did not count as left:
    their callers were kept."""
    program, by_mode = lab.of(version, "generators")
    assert_possible(program.judge, by_mode)
    for samples in by_mode.values():
        assert {"drive_a", "drive_b", "throw_a", "throw_b", "make", "catcher", "coroutine",
                "outer"} <= seen(samples)


def test_151613_151614_address_used_again(version, lab):
    """A frame at the address of another one, with other callers, was taken for it."""
    program, by_mode = lab.of(version, "callers")
    assert_possible(program.judge, by_mode)
    for samples in by_mode.values():
        assert {"hot_a", "hot_b", "top_a", "top_b", "top_c", "one_a", "one_b", "one_c"} <= seen(samples)


def test_149649_interpreters_take_turns(version, lab):
    """What was remembered of one interpreter's thread state and code objects was used for another's."""
    program, by_mode = lab.of(version, "interpreters")
    assert_possible(program.judge, by_mode)
    for samples in by_mode.values():
        assert {"main_a", "main_b"} <= seen(samples)
        assert any(GENERATED.search(f[1]) for s in whole(samples) for f in s.stack)


# --- long


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_million_samples(workloads, tmp_path):
    """In rounds, because how many come in a minute depends on what else the machine does."""
    lab = Laboratory(tmp_path)
    seen_whole = collections.Counter()
    try:
        lab.start(workloads, [(name,) for name in PROGRAMS], known.one_per_version())
        while min(seen_whole[mode] for mode in MODES) < LONG_SAMPLES:
            for mode in MODES:
                lab.profile(mode, 60, "-F", 9999)
                seen_whole[mode] += lab.runs[mode].stats["outcomes"]["whole"]
            assert_no_mismatch(lab.runs.items(), 10000)
            for program in lab.programs.values():
                if not program.skip:
                    assert_possible(program.judge,
                                    {m: run.of(program.target.pid) for m, run in lab.runs.items()}, 0)
    finally:
        lab.stop()
    print("whole stacks compared:", dict(seen_whole))


def lives_of(target):
    """How many times lives.py has begun anew, and in how many lives the second code object had the place of
    the first."""
    words = pathlib.Path("/proc/%d/cmdline" % target.pid).read_text().split("\0")
    return tuple(map(int, words[2:4])) if len(words) > 4 else (0, 0)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_million_samples_of_code_that_is_replaced_once_it_is_cached(workloads, tmp_path):
    """Where there is no code epoch: in each of its lives a program does what the rules may be wrong about for
    some samples (docs/internals/cache.md)."""
    pythons = [python for python in known.one_per_version() if (3, 8) <= python.version < (3, 13)]
    counters = collections.Counter()
    with profiler.targets([[python.path, workloads / "cache/lives.py"] for python in pythons]) as started:
        while counters["whole"] < LONG_SAMPLES:
            run = profiler.run(tmp_path, "--pid", ",".join(str(one.pid) for one in started), "-F", FREQUENCY,
                               "-d", 60, "--cache", "check", "--budget", 0)
            counters.update(run.stats["counters"])
            counters.update(whole=run.stats["outcomes"]["whole"])
        lives, same = map(sum, zip(*map(lives_of, started)))
    print("whole stacks compared:", counters["whole"], "lives:", lives, "at the same address:", same,
          "differences:", counters["cache_mismatch"])
    assert counters["cache_full"] + counters["cache_partial"] > 0.1 * counters["whole"]
    assert same > lives / 2 > 10
    # Most lives have none: the first header that is read again is mostly one that tells. Some have several,
    # as there are twenty samples in a jiffy.
    assert counters["cache_mismatch"] <= 2 * lives


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_million_samples_of_every_kind(workloads, tmp_path):
    """Stacks of ticks, of waits, and of memory that grows share a cache: nothing that one of them leaves
    there may mislead another."""
    lab, samples = Laboratory(tmp_path), collections.Counter()
    try:
        lab.start(workloads, [(name,) for name in PROGRAMS],
                  [version for version in known.one_per_version() if version.minor in ("3.12", "3.14")])
        while sum(samples.values()) < LONG_SAMPLES:
            lab.profile("check", 60, "-F", FREQUENCY, "--event", "cpu,offcpu,gil,memory", "--min-wait", 0,
                        "--rss-step", 4)
            assert_no_mismatch(lab.runs.items(), 10000)
            stats = lab.runs["check"].stats
            samples["ticks"] += stats["outcomes"]["whole"]
            for name in ("waits_seen", "memory_seen"):
                samples[name] += stats["counters"][name]
            print("samples compared:", dict(samples), flush=True)
    finally:
        lab.stop()
    assert min(samples[name] for name in ("ticks", "waits_seen", "memory_seen")) > 0, samples


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_million_samples_on_native(workloads, tmp_path):
    """Stacks with the interpreter's own functions between Python lines: native frames that were kept are
    compared like Python frames."""
    lab, compared = Laboratory(tmp_path), 0
    try:
        lab.start(workloads, [(name,) for name in PROGRAMS],
                  [python for python in known.one_per_version() if python.minor in ("3.9", "3.12", "3.14")])
        while compared < LONG_SAMPLES:
            lab.profile("check", 60, "-F", 9999, "--native", "full", "--native-interpreter")
            assert_no_mismatch(lab.runs.items(), 10000)
            stats = lab.runs["check"].stats
            known_ends = sum(stats["native"][end] for end in ("function", "syscall", "python"))
            assert known_ends > 0.9 * profiler.total(lab.runs["check"].samples), stats["native"]
            compared += min(stats["outcomes"]["whole"], known_ends)
            print("samples compared:", compared, "of the cache:", profiler.share_of_hits(lab.runs["check"]),
                  flush=True)
    finally:
        lab.stop()
