# SPDX-License-Identifier: GPL-2.0-only
"""Table 13: what options that look at more than the stack cost each sample, as ratios to the same program
without them, in turns."""
import tempfile

from common import ROOT, Table, ours, spread, target

HZ = 999
PACKAGES = sorted((ROOT / ".cache" / "venv" / "lib").glob("python3.*/site-packages/opentelemetry"))[-1:]
PLAIN = "nothing"
OPTIONS = {
    PLAIN: (),
    "--log 1": ("--log", 1),
    "--log 1 --trace otel": ("--log", 1, "--trace", "otel"),
    "--label-var tenant": ("--label-var", "tenant"),
}
PROGRAMS = {"span": "in a span", "outside": "in no span", "none": "without a tracer"}


def sample(pid, seconds, options):
    """ns of the kernel program for each sample, and how many of these in % have the ids of a span."""
    with tempfile.TemporaryDirectory() as directory:
        _, stats = ours(directory, "-p", pid, "-F", HZ, "-d", seconds, *options)
    samples = max(1, stats["profile"]["samples"])
    return stats["kernel"]["run_time_ns"] / samples, 100 * stats["counters"]["trace_spans"] / samples


def rows_of(settings, program):
    """Each round has all options, one after the other, so what else the machine does meets all of them."""
    seconds, rounds = max(1, settings.seconds(4)), []
    python = ["env", "PYTHONPATH=%s" % PACKAGES[0].parent] if program != "none" else ["env"]
    with target([*python, settings.python.path], "spans.py", program) as running:
        for _ in range(settings.repeats):
            rounds.append({name: sample(running.pid, seconds, options) for name, options in OPTIONS.items()})
    for name in OPTIONS:
        yield {"program": PROGRAMS[program], "options": name,
               "ns a sample": spread(one[name][0] for one in rounds),
               "times": spread(one[name][0] / one[PLAIN][0] for one in rounds),
               "with ids %": min(one[name][1] for one in rounds)}


def options(settings, save):
    table = Table("13. Options that look at more at each sample: a stack of 22 frames at %d Hz (%s)"
                  % (HZ, settings.python),
                  "Ticks of CPUs on which the program does not run are part of it. times: the same round "
                  "without options is 1.\n"
                  "with ids: in the worst round.")
    for program in PROGRAMS:
        if program != "none" and not PACKAGES:
            table.skip(PROGRAMS[program], "OpenTelemetry's SDK is not there: make deps")
            continue
        try:
            for row in rows_of(settings, program):
                table.add(**row)
        except RuntimeError as e:
            table.skip(PROGRAMS[program], e)
    return [table], table.rows
