# SPDX-License-Identifier: GPL-2.0-only
"""What the judges of the guests share: a line for each check, and what is known of work.py."""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import pprof  # noqa: E402
import profiler  # noqa: E402

WORKER_RIGHTS = (1 << 19) | (1 << 2)  # SYS_PTRACE, DAC_READ_SEARCH
RIGHTS = (1 << 39) | (1 << 38) | WORKER_RIGHTS  # BPF and PERFMON besides
# work.py: where each function calls the next one, and the lines of the last.
CALLS = {"<module>": 19, "outer": 15, "middle": 10, "middle.<locals>.<listcomp>": 10}
INNER = "inner", (5, 6)
passed, failed, skipped = [], [], []


def check(what, holds, found=""):
    print("  %-4s %s%s" % ("ok" if holds else "FAIL", what, "" if holds else ": " + str(found)))
    (passed if holds else failed).append(what)


def skip(what):
    print("  SKIP %s" % what)
    skipped.append(what)


def end():
    """The last line of a judge, and its exit code."""
    print("%d passed, %d failed, %d skipped" % (len(passed), len(failed), len(skipped)))
    return 1 if failed else 0


def work_stack(python):
    """The functions of work.py. From 3.12 on a comprehension is a part of the function that it stands in."""
    minor = int(python.removeprefix("python3.")) if "." in python else 11
    return tuple(name for name in CALLS if minor < 12 or "<listcomp>" not in name) + (INNER[0],)


def lines_are_right(sample):
    leaf, *callers = sample.frames
    return (all(frame.line == CALLS.get(frame.function) for frame in callers) and
            (leaf.function != INNER[0] or leaf.line in INNER[1]))


def check_stacks(what, samples, python="python3.11"):
    """samples: of work.py alone, which this python runs."""
    stack = work_stack(python)
    whole = [s for s in samples if profiler.marker_of(s.frames) is None]
    names = collections.Counter()
    for sample in whole:
        names[tuple(sample.names)] += sample.count
    total = sum(s.count for s in samples)
    check("%s: 50 samples of the workload or more" % what, total >= 50, total)
    check("%s: nine of ten whole" % what, sum(names.values()) >= 0.9 * total, (sum(names.values()), total))
    legal = {stack[:depth + 1] for depth in range(len(stack))}
    check("%s: only stacks that the program has" % what, set(names) <= legal, set(names) - legal)
    check("%s: its innermost function is there" % what, stack in names, names)
    wrong = [sample.frames for sample in whole if not lines_are_right(sample)]
    check("%s: each frame is on its line" % what, not wrong, wrong[:3])


def samples_of(path, comm):
    return [s for s in pprof.read(path).samples if s.labels.get("comm") == comm]
