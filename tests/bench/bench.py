#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The benchmark: what pyperf-bpf costs and how right it is, beside other profilers. make bench; needs root.

    bench.py [--quick] [--publish] [TABLE...]

TABLE: depth throughput peers slowdown overhead growth share trigger native events native-truth options
switches lines cold start; default all.
Ratios within one run carry over to other machines, absolute figures do not: the first table says what the
units cost here. Nothing else should be running.

--publish writes the figures of a whole run into README.md and docs/performance.md, which name the commit
(publish.py). Tables events, native-truth, switches, cold and start may be published by themselves.
"""
import argparse
import json
import os
import pathlib
import sys
import time

import cold_tables
import common
import cost_tables
import event_tables
import growth_tables
import line_tables
import native_tables
import native_truth_tables
import option_tables
import peer_tables
import publish
import share_tables
import signals
import start_tables
import switch_tables
import trigger_tables
import walk_tables

# Each: function(settings, directory of charts) -> ([Table], rows for JSON)
TABLES = {
    "depth": walk_tables.depth,
    "throughput": walk_tables.throughput,
    "peers": peer_tables.peers,
    "slowdown": cost_tables.slowdown,
    "overhead": cost_tables.overhead,
    "growth": growth_tables.growth,
    "share": share_tables.share,
    "trigger": trigger_tables.trigger,
    "native": native_tables.native,
    "events": event_tables.events,
    "native-truth": native_truth_tables.native_truth,
    "options": option_tables.options,
    "switches": switch_tables.switches,
    "lines": line_tables.lines,
    "cold": cold_tables.cold,
    "start": start_tables.start,
}
RATE_LIMIT, RATE_MOST = pathlib.Path("/proc/sys/kernel/perf_event_max_sample_rate"), 9999


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    parser.add_argument("--quick", action="store_true", help="eleven minutes instead of forty")
    parser.add_argument("--smoke", action="store_true",
                        help="as short as can be: whether everything works, no figures")
    parser.add_argument("--publish", action="store_true", help="write figures and charts into the pages too")
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    parser.add_argument("--python", default="pbs-3.13.1",
                        help="the target's interpreter, by name (tests/lib/interpreters.py)")
    arguments = parser.parse_args()
    unknown = set(arguments.tables) - set(TABLES)
    if unknown:
        parser.error("no table %s; there are %s" % (", ".join(sorted(unknown)), ", ".join(TABLES)))
    return arguments


def settings_of(arguments):
    python = common.interpreters.find(arguments.python)
    if not python:
        others = common.interpreters.available()
        if not others:
            sys.exit("no interpreter here; run tests/fetch-interpreters.py")
        python = max(others, key=lambda one: one.version)
        print("no interpreter %s here (tests/fetch-interpreters.py gets it): taking %s"
              % (arguments.python, python))
    scale, repeats = (0.02, 2) if arguments.smoke else (0.35, 3) if arguments.quick else (1, 5)
    quick = arguments.quick or arguments.smoke
    return common.Settings(scale, repeats, quick, arguments.build.resolve(), python)


def run_table(name, settings, save, busy):
    begin, load, steal = time.monotonic(), *common.other_load()
    tables, rows = TABLES[name](settings, save)
    for table in tables:
        print(table.text(), flush=True)
    seconds = time.monotonic() - begin
    found = {"machine": common.machine(), "quick": settings.quick, "scale": settings.scale,
             "seconds": seconds, "busy_before": busy, "cpu_seconds": common.other_load()[0] - load,
             "stolen_seconds": common.other_load()[1] - steal,
             "skipped": [s for t in tables for s in t.skips], "rows": rows}
    (settings.build / "bench" / (name + ".json")).write_text(json.dumps(found, indent=1) + "\n")
    print("(%s: %.0f s)" % (name, seconds), flush=True)
    return rows


def measured_commit(arguments, settings, busy):
    """What a run that is to be published is of; publish.Unpublished where it is not to be."""
    if settings.quick:
        raise publish.Unpublished("quick run")
    if arguments.tables and set(arguments.tables) <= publish.ALONE:
        return publish.commit()
    if arguments.tables:
        raise publish.Unpublished("only some of the tables: all figures are to be of one run")
    if busy > publish.BUSY:
        raise publish.Unpublished("the machine is busy")
    return publish.commit()


def main():
    arguments = parse()
    if os.geteuid():
        sys.exit("bench.py needs root")
    limit = int(RATE_LIMIT.read_text())
    if limit < RATE_MOST:
        sys.exit("the kernel lowered kernel.perf_event_max_sample_rate to %d, as it does under load: "
                 "sysctl -w kernel.perf_event_max_sample_rate=100000" % limit)
    signals.heed()
    settings = settings_of(arguments)
    save = settings.build / "bench"
    save.mkdir(parents=True, exist_ok=True)
    machine, busy = common.machine(), common.busy_now()
    print("%(cpu)s, %(cpus)d CPUs, Linux %(kernel)s, %(time)s" % machine)
    if busy > publish.BUSY:
        print("WARNING: other programs keep %.1f CPUs busy; these figures are not worth publishing" % busy)
    figures = {"machine": machine, "busy": busy}
    if arguments.publish:
        try:
            figures["commit"] = measured_commit(arguments, settings, busy)
        except publish.Unpublished as why:
            sys.exit("this would not be published: %s" % why)
    units = walk_tables.units(settings)
    print(units.text(), flush=True)
    figures["units"] = units.rows
    for name in arguments.tables or TABLES:
        figures[name] = run_table(name, settings, save, busy)
    if arguments.publish:
        (save / "figures.json").write_text(json.dumps(figures, indent=1) + "\n")
        publish.publish(figures, [] if arguments.tables else sorted(save.glob("bench-*.svg")))


if __name__ == "__main__":
    main()
