# SPDX-License-Identifier: GPL-2.0-only
"""Table 15: what a tick costs at the default rate, at which the processor's caches have forgotten the sampler
since the tick before."""
import contextlib

import peer_tables
from common import TARGET_CPU, TESTS, Skip, Table, hot, interpreters, spread, target

HZ = 99
VERSIONS = "3.8", "3.11", "3.13", "3.14"
BESIDE = {"its own": 0, "shared by 4": 3}  # so many programs more on the target's CPU
FIRST = 5  # seconds, after which code objects have settled (bpf/python/settled.h)
ROUNDS = 3  # of so many seconds: the first and the last are shown
MOST_REPEATS = 3


def sampled(settings, programs, seconds, *options):
    others = [part for program in programs[1:] for part in ("--beside", program.pid)]
    return hot(settings, "--pid", programs[0].pid, *others, "--sampled", HZ, "--cpu", TARGET_CPU,
               "--warm-up", 0, "--seconds", seconds, *options)


def measure(settings, python, beside, seconds):
    """Medians of the first and the last round, and ns of an empty program. Each time with new programs."""
    with contextlib.ExitStack() as stack:
        programs = [stack.enter_context(target(python.path, TESTS / "workloads" / "edges.py", "--steady"))
                    for _ in range(1 + beside)]
        rounds = sampled(settings, programs, seconds, "--states", "--rounds", ROUNDS)["rounds"]
        empty = sampled(settings, programs, seconds, "--empty", "--rounds", 1)["kernel_ns"]
    if not rounds[0]["runs"] or not rounds[-1]["runs"]:
        raise Skip("no tick met the program: other programs had its CPU")
    return rounds[0]["median"] / 1000, rounds[-1]["median"] / 1000, empty


def whole_cost(peer, settings):
    rows = [peer_tables.cost_row(peer, settings, HZ) for _ in range(min(settings.repeats, MOST_REPEATS))]
    return {"profiler": rows[0]["profiler"], "us a sample": spread([row["µs a sample"] for row in rows]),
            "of it kernel": spread([row["of it kernel"] for row in rows])}


def cold(settings, save):
    seconds = settings.seconds(FIRST, 0.3)
    table = Table("15. A tick at %d Hz, us: a program that does much, of one thread" % HZ,
                  "Medians of the ticks that met the program; in brackets the least and the greatest run.\n"
                  "first: the first %g s; later: from the %g. second on. empty: ns of a program that does "
                  "nothing,\non the same event, as the kernel counts it."
                  % (seconds, (ROUNDS - 1) * seconds))
    for version in VERSIONS:
        python = next(iter(interpreters.of_versions(version)), None)
        if not python:
            table.skip("CPython " + version, "there is no such interpreter here")
            continue
        for cpu, beside in BESIDE.items():
            try:
                found = [measure(settings, python, beside, seconds)
                         for _ in range(min(settings.repeats, MOST_REPEATS))]
            except (Skip, RuntimeError) as e:
                table.skip("%s, %s" % (python.name, cpu), e)
                continue
            first, later, empty = map(spread, zip(*found))
            table.add(interpreter=python.name, CPU=cpu, first=first, later=later, empty=empty["median"])
    beside = Table("15b. Whole cost of a sample at %d Hz, us, beside other profilers (basic)" % HZ,
                   "As in table 3a; medians, in brackets the least and the greatest run.")
    peer_tables.prepare()
    peer_tables.every(beside, settings, lambda peer: whole_cost(peer, settings))
    return [table, beside], {"ticks": table.rows, "beside": beside.rows}
