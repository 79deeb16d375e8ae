# SPDX-License-Identifier: GPL-2.0-only
"""--event loop: which lines keep an event loop from everybody else. What is counted is compared with what the
program measures itself."""
import collections
import os
import pathlib
import re
import subprocess

import pytest

import interpreters as known
import pprof
import profiler

PROGRAM = "blocked_loop.py"
PYTHONS = [i for i in known.available() if i.version[:2] >= (3, 8)]
WEB = pathlib.Path(profiler.ROOT, ".cache/web/bin/python")


def watch(directory, python, workloads, scenes, *arguments, loop="asyncio", never=False,
          output="profile.pb.gz"):
    """The run, and what the program says of each scene."""
    said = []
    with profiler.target(python, workloads / PROGRAM, loop, *["never"] * never,
                         stdin=subprocess.PIPE) as target:
        lines = target.about["lines"]
        run = profiler.Run(directory, "--pid", target.pid, "--event", "loop", "-v", *arguments,
                           output=output)
        try:
            profiler.wait_until(lambda: b"capabilities that are kept" in
                                os.pread(run.streams[1].fileno(), 1 << 24, 0) or
                                run.process.poll() is not None, what="start")
            for scene in ["idle", *scenes]:  # by the end of the first one the process is known
                target.tell(scene)
                target.ready()
                said.append(target.about)
            run.interrupt()
        except BaseException:
            run.kill()
            raise
        return run.finish(), said[1:], lines


def at_line(run, line):
    """ns below this line of the program."""
    return sum(sample.values["loop"] for sample in run.samples
               if any(frame[1].endswith(PROGRAM) and frame[3] == line for frame in sample.stack))


def longest(run):
    """What a failure says, as text, which pytest leaves whole: the longest stacks, leaf first, and what came
    of the turns."""
    stacks = sorted(run.samples, key=lambda sample: -sample.values["loop"])[:20]
    return "\n".join(["%.1f ms: %s" % (sample.values["loop"] / 1e6, " ".join(
        "%s:%d" % (frame[0], frame[3]) for frame in sample.stack[:6])) for sample in stacks] +
        [str(run.stats["loop_outcomes"]), str(run.stats["counters"])])


def is_preempted(sample):
    return sample.stack[0][0] in ("[preempted]", "[waits for a CPU]")


def is_not_blamed(sample):
    return is_preempted(sample) or sample.stack[0][0] == "[saturated]"


def asked(name):
    """ns that a call was to take; what the program measures has what it waits for a CPU before and after."""
    return int(name.split("_")[1]) * 1e6


def assert_blocked(run, measured, lines, left_out=is_preempted, times=1):
    """Each call is found, and all of them have nine tenths of all. A wait has the time that it took; of a
    short turn on a CPU there are few ticks. A turn that is long since its thread had no CPU is nobody's
    fault. times: that each is made."""
    # A stack that could not be had within its time, as the machine did something else meanwhile.
    lost = sum(sample.values["loop"] for sample in run.samples if profiler.marker_of(sample.stack))
    for name, took in measured.items():
        least, most = (0.3, 3) if name.startswith("burn") else (0.9, 1.2)
        found_ns = at_line(run, lines[name])
        assert least * times * asked(name) - lost < found_ns < most * took + 20e6, (
            "%s, %d ns: %s" % (name, took, longest(run)))
    total = sum(sample.values["loop"] for sample in run.samples if not left_out(sample))
    blocked = sum(at_line(run, line) for line in lines.values())
    found = sum(sample.values["loop"] for sample in run.samples if not left_out(sample) and
                any(frame[3] in lines.values() for frame in sample.stack if frame[1].endswith(PROGRAM)))
    assert found + lost >= 0.9 * total and blocked + lost >= 0.9 * times * sum(map(asked, measured))
    assert run.stats["counters"]["turns_long"] >= len(measured), longest(run)
    assert lost < 0.3 * sum(sample.values["loop"] for sample in run.samples)


def each():
    """All but one for the longer suite: what a turn is does not go by the version."""
    usual = known.usual().name
    return [pytest.param(i, id=i.name, marks=() if i.name == usual else pytest.mark.all) for i in PYTHONS]


@pytest.mark.parametrize("python", each())
def test_each_call_that_blocks_is_found(python, workloads, tmp_path):
    run, (measured,), lines = watch(tmp_path, python.path, workloads, ["block"])
    assert len(measured) == 12
    assert_blocked(run, measured, lines)


@pytest.mark.all  # other loops, and a server, seen in the same way
@pytest.mark.parametrize("loop", ["uvloop", "aiohttp"])
def test_with_packages(loop, workloads, tmp_path):
    if not WEB.exists():
        pytest.skip("SKIP web: .cache/web is not there")
    run, (measured,), lines = watch(tmp_path, WEB, workloads, ["block"], loop=loop)
    assert len(measured) == 12
    assert_blocked(run, measured, lines)


@pytest.mark.parametrize("python", each())
def test_a_loop_that_never_sleeps(python, workloads, tmp_path):
    """That it is a loop, and where its turns end, is seen by its system calls only. In between it never
    pauses, which is saturation, unless the machine is so busy that most of those turns are long, too."""
    run, (measured,), lines = watch(tmp_path, python.path, workloads, ["block"], "--loop-exact", never=True)
    assert len(measured) == 12
    assert_blocked(run, measured, lines, is_not_blamed)
    counters = run.stats["counters"]
    assert counters["turns_saturated"] > 0 or counters["turns_long"] > len(measured), longest(run)


@pytest.mark.all  # the same scene, to show what the option is for
def test_a_loop_that_never_sleeps_is_none_without_the_option(workloads, tmp_path):
    run, (measured,), _ = watch(tmp_path, known.usual().path, workloads, ["block"], never=True)
    assert len(measured) == 12 and not run.samples


@pytest.mark.all  # other loops, in the same way
@pytest.mark.parametrize("loop", ["uvloop", "aiohttp"])
def test_packages_that_never_sleep(loop, workloads, tmp_path):
    if not WEB.exists():
        pytest.skip("SKIP web: .cache/web is not there")
    run, (measured,), lines = watch(tmp_path, WEB, workloads, ["block"], "--loop-exact", loop=loop,
                                    never=True)
    assert len(measured) == 12
    assert_blocked(run, measured, lines, is_not_blamed)


def test_an_idle_loop_has_no_long_turn(workloads, tmp_path):
    """But for those in which it had no CPU."""
    run, _, _ = watch(tmp_path, known.usual().path, workloads, ["idle"] * 5)
    assert run.stats["loop_outcomes"]["turn_short"] > 0
    assert sum(sample.values["loop"] for sample in run.samples if not is_preempted(sample)) < 20e6


EXACT = pytest.mark.parametrize("exact", [(), pytest.param(("--loop-exact",), marks=pytest.mark.all)],
                                ids=["", "exact"])


@EXACT
def test_another_epoll_inside_of_a_turn(exact, workloads, tmp_path):
    """It is a wait in the turn, and not its end."""
    run, (measured,), lines = watch(tmp_path, known.usual().path, workloads, ["apart"], *exact)
    assert_blocked(run, measured, lines, times=5)
    assert run.stats["counters"]["turns_long"] >= 5


def leaf_time(run, leaf):
    return sum(sample.values["loop"] for sample in run.samples if (sample.stack[0][0] == leaf))


@pytest.mark.parametrize("exact", [(), pytest.param(("--loop-exact", "--min-turn", 200),
                                                    marks=pytest.mark.all)],
                         ids=["", "exact"])
def test_a_saturated_loop_is_said_to_be(exact, workloads, tmp_path):
    """Calls of 2 ms each, and never a pause. Few of them are met by so many ticks that they look long. A turn
    of all eight takes 16 ms, and more where there is no CPU."""
    with profiler.before_others():
        run, (measured,), lines = watch(tmp_path, known.usual().path, workloads, ["saturate"], *exact)
    total = sum(sample.values["loop"] for sample in run.samples)
    assert total >= 0.8 * measured["client"]
    judged = sum(sample.values["loop"] for sample in run.samples if not is_preempted(sample))
    assert leaf_time(run, "[saturated]") >= 0.6 * judged > 0
    assert at_line(run, lines["client"]) >= 0.8 * total
    assert run.stats["counters"]["turns_saturated"] > 0


def test_what_goes_on_is_counted_meanwhile(workloads, tmp_path):
    """Each interval has its part of a call that lasts for several."""
    path = tmp_path / "profiles"
    path.mkdir()
    _, (measured,), lines = watch(tmp_path, known.usual().path, workloads, ["endless"], "--output-dir", path,
                                  "--interval", 1, output=None)
    for name in measured:
        having = [p for p in sorted(path.glob("*.pb.gz"))
                  if any(frame[3] == lines[name] and frame[1].endswith(PROGRAM)
                         for sample in profiler.read_samples(p) for frame in sample.stack)]
        assert len(having) >= 2, name


@pytest.mark.all  # some versions are enough
@EXACT
def test_outside_of_a_loop_nothing_is_blocked(exact, workloads, tmp_path):
    run, _, _ = watch(tmp_path, known.usual().path, workloads, ["go"] * 3, *exact, loop="between")
    burnt = sum(sample.values["loop"] for sample in run.samples
                if any(frame[0] == "between" for frame in sample.stack) and
                not any(frame[0].endswith("run_forever") for frame in sample.stack))
    assert burnt == 0


def test_who_waited_meanwhile(workloads, tmp_path):
    """As many descriptors as the program has made ready before it blocked; or one less, when the loop had one
    to begin with that it has emptied since."""
    run, (measured,), lines = watch(tmp_path, known.usual().path, workloads, ["victims"])
    having = collections.Counter()
    profile = pprof.read(run.path)
    for sample in profile.samples:
        if any(frame[3] == lines["victims_80"] for frame in sample.frames):
            having[int(sample.labels.get("ready", 0))] += sample.values[0]
    assert having[5] + having[4] >= 0.6 * 3 * asked("victims_80") and max(having) == 5, having


@pytest.mark.all  # how a sample is taken is no matter of what a turn is
@pytest.mark.parametrize("options", [("--native", "full"), ("--native", "leaf", "--kernel", "full"),
                                     ("--cache", "off"), ("--cache", "check"), ("--labels", "process"),
                                     ("--threads", "main"), ("--async",), ("--log", "1"), ("--loop-exact",),
                                     ("--trigger", "timer")], ids="-".join)
def test_with_other_options(options, workloads, tmp_path):
    run, (measured,), lines = watch(tmp_path, known.usual().path, workloads, ["block"], *options)
    assert_blocked(run, measured, lines)


@pytest.mark.all  # the same turns
def test_what_is_short(workloads, tmp_path):
    """Of the calls that block those stay whose turn takes longer. On a busy machine such a turn can have a
    short call, too."""
    run, (measured,), lines = watch(tmp_path, known.usual().path, workloads, ["block"], "--min-turn", 140)
    long = {name for name, took in measured.items() if took > 140e6}
    found = {name for name in measured if at_line(run, lines[name])}
    assert len(long) >= 4 and long <= found
    assert len(found - long) <= run.stats["counters"]["turns_long"] - len(long), measured


@pytest.mark.all  # the same turns
def test_nothing_is_long(workloads, tmp_path):
    """But for a loop that had no pause for 100 ms, which is said whatever is long: on a busy machine there is
    one."""
    run, _, _ = watch(tmp_path, known.usual().path, workloads, ["block"], "--min-turn", 60000)
    assert {profiler.functions(sample)[0] for sample in run.samples} <= {"[saturated]"}
    empty = re.search("no event loop had a turn longer than --min-turn, .*: the profile is empty", run.err)
    assert bool(empty) == (not run.samples)


@pytest.mark.all  # the same turns
def test_only_what_is_asked_for_is_in_the_profile(workloads, tmp_path):
    """Its ticks and waits are measured, but nobody has asked for them; asked for, they are there as well."""
    run, _, _ = watch(tmp_path, known.usual().path, workloads, ["block"])
    assert run.kinds == {"loop"}
    run, _, _ = watch(tmp_path, known.usual().path, workloads, ["block"], "--event", "cpu,offcpu,loop")
    assert run.kinds == {"cpu", "offcpu", "runqueue", "loop"}
