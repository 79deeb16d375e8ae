# SPDX-License-Identifier: GPL-2.0-only
"""judge.py DIR: looks at what a guest left (init), prints ok or FAIL for each check;
exits 1 if one failed."""
import collections
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import (RIGHTS, check, check_stacks, end, lines_are_right, pprof, profiler,  # noqa: E402
                    samples_of, skip, work_stack)
from clock import check_clock  # noqa: E402
from native_frames import Native  # noqa: E402
import kernel_stacks  # noqa: E402
import native_frames  # noqa: E402
import native_truth  # noqa: E402
import verifier  # noqa: E402
from written_chains import ABOVE, Chains, is_nearly_always, merged  # noqa: E402

TIMERS_SINCE = (6, 7)
# As kernels of Debian and of Ubuntu come, by their names. Only Debian's 3 is for who has CAP_PERFMON, too.
PARANOID = {"cloud": "3", "generic": "4"}
ALLOWED = ("allowed", "single", "full", "check")  # with the sysctl at 2
NATIVE = ("leaf", "top", "whole")
LOST = ("incomplete", "mismatch", "unknown")


class Ran:
    """One run of the profiler in the guest."""

    def __init__(self, directory, name):
        self.name = name
        self.path = directory / (name + ".pb.gz")
        self.code = int((directory / (name + ".code")).read_text())
        self.err = (directory / (name + ".err")).read_text()
        self.stats_path = directory / (name + ".json")
        self.pythons = [line.split("/")[-1] for line in (directory / "pythons").read_text().splitlines()]

    def check_refused(self, *words, code=1):
        lines = self.err.splitlines()
        check("%s: exits %d" % (self.name, code), self.code == code, "%d %s" % (self.code, self.err))
        check("%s: one line, with %s" % (self.name, ", ".join(words)),
              len(lines) == 1 and all(word in lines[0] for word in words), lines)

    def check_outside(self, *words):
        """BPF is refused, for a reason with these words: what it sees then is the program's all the same."""
        check("%s: exits 0" % self.name, self.code == 0, "%d %s" % (self.code, self.err))
        said = [line for line in self.err.splitlines() if "BPF is refused here (" in line]
        check("%s: one line says why, with %s" % (self.name, ", ".join(words)),
              len(said) == 1 and all(word in said[0] for word in words), self.err)
        for python in self.pythons:
            mine = samples_of(self.path, python)
            whole = [s for s in mine if profiler.marker_of(s.frames) is None]
            legal = work_stack(python)
            check("%s: %s: stacks of the program, and only those" % (self.name, python), whole and all(
                tuple(s.names) == legal[:len(s.frames)] and lines_are_right(s) for s in whole),
                collections.Counter(tuple(s.names) for s in mine))

    def check_profile(self, trigger, labels):
        check("%s: exits 0" % self.name, self.code == 0, "%d %s" % (self.code, self.err))
        if self.code:
            return
        stats = json.loads(self.stats_path.read_text())
        check("%s: the ticks came from %s" % (self.name, trigger), stats["trigger"] == trigger,
              stats["trigger"])
        if self.name == "check":
            check("check: the cache agrees with the full walk", stats["counters"]["cache_mismatch"] == 0,
                  stats["counters"])
        check("%s: on both CPUs" % self.name, stats["cpus"] == 2, stats["cpus"])
        if self.name.startswith("gone"):
            told = re.findall(r"samples are taken on (\d) now", self.err)
            check("%s: one CPU went and came" % self.name, told == ["1", "2"], told)
        samples = pprof.read(self.path).samples
        inside = sum(stats["outcomes"][outcome.key] for outcome in profiler.TICK_OUTCOMES
                     if outcome.place != "OUTSIDE")
        check("%s: every tick has its outcome" % self.name,
              sum(stats["outcomes"].values()) == stats["ticks"] and sum(s.count for s in samples) == inside,
              stats["outcomes"])
        if self.name in ("top", "whole"):
            self.check_callers(stats["native"])
        for python in self.pythons:
            self.check_workload(stats, python, labels)

    def check_callers(self, ends):
        lost = sum(ends[end] for end in LOST)
        check("%s: the callers of 19 of 20 samples are found" % self.name,
              lost <= 0.05 * sum(ends.values()), ends)

    def check_native(self, samples, what):
        """The functions of C are there; returns the samples without them."""
        native = Native(self)
        leaves = collections.Counter()
        for sample in samples:
            above, rest = native.split(sample.frames)
            if above and rest:
                leaves[above[0].function] += sample.count
        found = sum(count for name, count in leaves.items() if not name.startswith("["))
        print("       %d samples in C: %s" % (found, leaves.most_common(4)))
        check("%s: C functions above Python's" % what, found >= 20, leaves)
        # No function of work.py calls another one through C.
        between = []
        for sample in samples:
            is_native = [native.is_native(frame) for frame in native.split(sample.frames)[1]]
            if any(is_native[:-1 - is_native[::-1].index(False)] if False in is_native else ()):
                between.append(sample.frames)
        check("%s: none between Python's" % what, not between, between[:3])
        return [sample._replace(frames=native.without(sample.frames)) for sample in samples]

    def check_workload(self, stats, python, labels):
        mine = samples_of(self.path, python)
        what = "%s: %s" % (self.name, python)
        if self.name in NATIVE:
            mine = self.check_native(mine, what)
        print("       %d ticks, %d samples of %s" % (stats["ticks"], sum(s.count for s in mine), python))
        check_stacks(what, mine, python)
        found = {tuple(s.labels.get(key) for key in labels) for s in mine}
        check("%s: container, pod and namespace on every sample" % what, found == {tuple(labels.values())},
              found)


def check_program(directory):
    """tests/workloads/native/program.c, which spends three times as long in one function as in another."""
    ran = Ran(directory, "all")
    check("all: exits 0", ran.code == 0, "%d %s" % (ran.code, ran.err))
    stacks = collections.Counter()
    for sample in samples_of(ran.path, "cprogram") if not ran.code else ():
        names = tuple(frame.function for frame in reversed(sample.frames))
        if "[native not loaded yet]" not in names:
            stacks[names] += sample.count
    total = sum(stacks.values())
    count = {leaf: sum(n for names, n in stacks.items()
                       if names[0] == "_start" and names[-3:] == ("main", "middle", leaf))
             for leaf in ("heavy", "light")}
    known = sum(count.values())
    print("       %d samples of a program without Python: %s" % (total, count))
    check("all: nine of ten are whole, and 100 or more", known >= max(100, 0.9 * total),
          stacks.most_common(5))
    check("all: three to one", known and abs(count["heavy"] / known - 0.75) < 0.12, count)


def holds(what, judge, *arguments):
    """A judge of the end-to-end tests, which asserts."""
    try:
        judge(*arguments)
        check(what, True)
    except AssertionError as e:
        check(what, False, str(e)[:2000])


class Own:
    """A run on one program by itself, as the judges of the end-to-end tests want it."""

    def __init__(self, directory, name):
        ran = Ran(directory, name)
        check("%s: exits 0" % name, ran.code == 0, "%d %s" % (ran.code, ran.err))
        self.path, self.samples = ran.path, () if ran.code else profiler.read_samples(ran.path)
        self.stats = {} if ran.code else json.loads(ran.stats_path.read_text())
        said = (directory / (name + ".said")).read_text().splitlines()
        self.said = [json.loads(line) for line in said]


def check_within(run):
    assert is_nearly_always(merged(run, "/chains"), native_frames.merged_within(20, ABOVE), 100)


def check_kernel(run):
    took = run.said[-1]
    kernel_stacks.check_mixture(run.samples, took, run.stats["counters"], least=20)
    # Each way to the root has been followed to its end, which is the entry from user space.
    entered = collections.Counter()
    for sample in run.samples:
        kernel = kernel_stacks.parts(sample)[2]
        if kernel:
            entered[kernel[0]] += sample.count
    entries = entered["el0t_64_sync"] + entered["el0t_64_irq"]
    assert entries >= 0.99 * sum(entered.values()), entered


def check_truth(run, name, judge):
    """A row of the table of docs/performance.md."""
    found = native_truth.verdicts(judge, native_truth.from_profile(run.path))
    total = max(1, sum(found.values()))
    share = {verdict: 100 * found[verdict] / total for verdict in
             (native_truth.WRONG, native_truth.MISSING, native_truth.SAID)}
    print("       truth: %s: %d samples, %s" % (
        name, total, ", ".join("%.2g %% %s" % (part, verdict) for verdict, part in share.items())))
    check("%s: one in a hundred is wrong at most, one in fifty missing" % name,
          total >= 200 and share[native_truth.WRONG] <= 1 and share[native_truth.MISSING] <= 2, found)


def check_same_walk(directory):
    lines = (directory / "same_walk").read_text().splitlines()
    check("same_walk: it ran", len(lines) == 1, (directory / "same_walk.err").read_text())
    if not lines:
        return
    found = json.loads(lines[0])
    print("       same_walk: %s" % found)
    check("same_walk: what the kernel's own walk finds, at each of 500 ticks or more",
          found["different"] == 0 and found["same"] == found["ticks"] >= 500,
          (directory / "same_walk.err").read_text())


def check_written(directory):
    for mode in ("top", "full"):
        run = Own(directory, "chains_" + mode)
        if run.samples:
            holds("chains_%s: the calls of C are those that are written down" % mode,
                  Chains(run, run.said[0], "/chains").check, 0.95, 20)
            check_truth(run, "chains_" + mode, native_truth.Chains(run.said[0]))
        run = Own(directory, "service_" + mode)
        if run.samples:
            check_truth(run, "service_" + mode, native_truth.Lines(native_truth.SERVICE))
    check_same_walk(directory)
    for name, judge, what in (("within", check_within, "calls of Python and C in their order"),
                              ("kernel", check_kernel, "functions of the kernel where they must be")):
        run = Own(directory, name)
        if run.samples:
            holds("%s: %s" % (name, what), judge, run)


def check_verifier(directory):
    err = (directory / "verifier.err").read_text()
    counts = verifier.parse_lines((directory / "verifier").read_text())
    for sampler in verifier.SAMPLERS:
        print("       the verifier looked at %s instructions of %s" % (
            ", ".join("%s (--cache %s)" % (count, cache) for (name, cache), count in counts.items()
                      if name == sampler), sampler))
    taken = (directory / "verifier.code").read_text().strip() == "0"
    check("the verifier takes every program, below the limit", taken and set(counts) == set(verifier.ROWS),
          err[-4000:])


def check_natives(directory, labels):
    if (directory / "leaf.code").exists():  # not with ONLY=written
        for name in NATIVE:
            Ran(directory, name).check_profile("perf", labels)
        check_program(directory)
    if (directory / "kernel.code").exists():  # on arm64; the end-to-end tests do it on x86-64
        check_written(directory)


def check_after(directory, what, trigger):
    name = "%s_%s" % (what, trigger)
    if not (directory / (name + ".code")).exists():
        skip("%s: this machine cannot be suspended to memory" % name)
        return
    ran = Ran(directory, name)
    check("%s: exits 0" % name, ran.code == 0, "%d %s" % (ran.code, ran.err))
    if what == "suspend":
        check("%s: the machine slept" % name, (directory / "suspended").read_text().strip() == "0")
    for program in ("cpu0", "cpu1"):
        count = sum(s.count for s in samples_of(ran.path, program))
        print("       %s: %d samples of %s" % (name, count, program))
        check("%s: what was started on %s afterwards has samples" % (name, program), count >= 20, count)


def main():
    directory = pathlib.Path(sys.argv[1])
    conf = dict(re.findall(r"^(\w+)=(.*)$", (HERE / "guest.conf").read_text(), re.M))
    labels = {"namespace": conf["NAMESPACE"], "pod": conf["POD"], "container": conf["CONTAINER"],
              "container_id": conf["CONTAINER_ID"], "pod_uid": conf["POD_UID"]}
    release = (directory / "release").read_text().strip()
    has_timers = tuple(map(int, release.split(".")[:2])) >= TIMERS_SINCE
    print("Linux %s" % release, (directory / "machine").read_text().strip())
    if (directory / "verifier").exists():  # not with ONLY=native
        check_verifier(directory)
    if not (directory / "rights").exists():  # ONLY=verifier
        return end()
    if not (directory / "auto.code").exists():  # ONLY=native
        check_natives(directory, labels)
        return end()
    runs = {name: Ran(directory, name) for name in ("auto", "perf", "timer", *ALLOWED)}
    paranoid = (directory / "paranoid").read_text().strip()
    check("kernel.perf_event_paranoid is what the kernel comes with",
          any(name in release and value == paranoid for name, value in PARANOID.items()), (release, paranoid))
    refused = "CAP_SYS_ADMIN", "kernel.perf_event_paranoid (it is 3) to 2"
    rights = int((directory / "rights").read_text().split()[1], 16)
    check("four capabilities", rights == RIGHTS, hex(rights))
    cgroup = (directory / "cgroup").read_text().strip()
    check("cgroup version 2 alone", cgroup.startswith("0::/") and "\n" not in cgroup, cgroup)
    if paranoid != "3":
        runs["perf"].check_profile("perf", labels)
    else:
        runs["perf"].check_refused(*refused, "--trigger timer")
    if has_timers:
        runs["auto"].check_profile("timer" if paranoid == "3" else "perf", labels)
        runs["timer"].check_profile("timer", labels)
    else:
        runs["auto"].check_outside(*refused)
        check("timer: exits 1, and says why", runs["timer"].code == 1 and "Linux 6.7" in runs["timer"].err,
              runs["timer"].err)
    for name in ALLOWED:
        runs[name].check_profile("perf", labels)
    check_natives(directory, labels)
    check_clock(directory)
    if (directory / "gone_perf.code").exists():
        for trigger in ("perf", "timer") if has_timers else ("perf",):
            Ran(directory, "gone_" + trigger).check_profile(trigger, labels)
            for what in ("blink", "suspend"):
                check_after(directory, what, trigger)
    else:
        skip("a CPU that goes: QEMU does not emulate what this kernel does then")
    Ran(directory, "no_btf").check_outside("/sys/kernel/btf/vmlinux", "CONFIG_DEBUG_INFO_BTF")
    Ran(directory, "integrity").check_profile("perf", labels)
    Ran(directory, "confidentiality").check_outside("lockdown=confidentiality")
    kernel = (directory / "kernel").read_text()
    check("the kernel complained of nothing", not kernel, kernel)
    return end()


sys.exit(main())
