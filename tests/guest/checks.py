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
STACK = ("<module>", "outer", "middle", "middle.<locals>.<listcomp>", "inner")  # of work.py
failed = []


def check(what, holds, found=""):
    print("  %-4s %s%s" % ("ok" if holds else "FAIL", what, "" if holds else ": " + str(found)))
    if not holds:
        failed.append(what)


def check_stacks(what, samples):
    """samples: of work.py alone."""
    whole = [s for s in samples if profiler.marker_of(s.frames) is None]
    names = collections.Counter()
    for sample in whole:
        names[tuple(sample.names)] += sample.count
    total = sum(s.count for s in samples)
    check("%s: 50 samples of the workload or more" % what, total >= 50, total)
    check("%s: nine of ten whole" % what, sum(names.values()) >= 0.9 * total, (sum(names.values()), total))
    legal = {STACK[:depth + 1] for depth in range(len(STACK))}
    check("%s: only stacks that the program has" % what, set(names) <= legal, set(names) - legal)
    check("%s: its innermost function is there" % what, STACK in names, names)


def samples_of(path, comm):
    return [s for s in pprof.read(path).samples if s.labels.get("comm") == comm]
