# SPDX-License-Identifier: GPL-2.0-only
"""What a continuous run left in the middle of which init put the clock forward by a day, and back by two."""
import datetime
import json

from checks import check, pprof
import receiver

DAYS = ("20270115", "20270116", "20270114")  # in the order in which they came
KEEP = 10
LONGEST = 60  # s, of an interval of 1 s on a slow machine; a step is a day
APART = 5  # s, of two looks at the clock there


def read_all(folder):
    return {path.name: pprof.read(path) for path in folder.iterdir()}


def name_of(profile):
    start = datetime.datetime.fromtimestamp(profile.time_nanos // 10**9, datetime.timezone.utc)
    return start.strftime("pyperf-bpf-%Y%m%dT%H%M%S.") + "%03dZ.pb.gz" % (profile.time_nanos // 10**6 % 1000)


def gaps(profiles):
    """Seconds between the end of each and the beginning of the next one."""
    return [(later.time_nanos - earlier.time_nanos - earlier.duration_nanos) / 1e9
            for earlier, later in zip(profiles, profiles[1:])]


def check_files(stats, left, made):
    days = [sorted(name for name in made if "-%sT" % day in name) for day in DAYS]
    check("clock: profiles before, between and after the steps", all(len(day) >= 3 for day in days), days)
    check("clock: each is called by its beginning", all(name_of(made[name]) == name for name in made),
          [(name, name_of(made[name])) for name in made])
    seconds = [profile.duration_nanos / 1e9 for profile in made.values()]
    print("       clock: %d profiles of %.2f to %.2f s, %.2f s in all; the run: %.2f s" % (
        len(made), min(seconds), max(seconds), sum(seconds), stats["seconds"]))
    check("clock: durations know nothing of it", 0 <= min(seconds) and max(seconds) < LONGEST and
          abs(sum(seconds) - stats["seconds"]) < LONGEST, (seconds, stats["seconds"]))
    between = sum((gaps([made[name] for name in day]) for day in days), [])
    check("clock: each begins where the one before has ended", max(map(abs, between)) < APART, between)
    export, in_order = stats["export"], sum(days, [])
    check("clock: none is written over another", len(made) == len(in_order) == export["files_written"],
          (sorted(made), export))
    check("clock: no sample is lost", sum(profile.total for profile in made.values()) ==
          stats["profile"]["samples"], stats["profile"])
    check("clock: the last %d that were written stay" % KEEP,
          sorted(left) == sorted(in_order[-KEEP:]) and export["files_removed"] == len(made) - KEEP > 0,
          (sorted(left), in_order, export))
    return made[in_order[-1]].total if in_order else 0


def check_pushes(stats, directory, last):
    """last: how many samples there are in the profile for which there may have been no time at the end"""
    paths = (directory / "paths").read_text().splitlines()
    profiles = [receiver.read_pyroscope(path, "application/proto",
                                        (directory / ("%d.pb.gz" % number)).read_bytes())[2]
                for number, path in enumerate(paths)]
    seconds = [profile.duration_nanos / 1e9 for profile in profiles]
    check("clock: what is pushed has the times of its profile", 0 < min(seconds) and max(seconds) < LONGEST,
          seconds)
    days = [sum("-%sT" % day in name_of(profile) for profile in profiles) for day in DAYS]
    check("clock: pushes before, between and after the steps", min(days) >= 3, days)
    total = sum(profile.total for profile in profiles)
    check("clock: every sample is pushed once", stats["profile"]["samples"] - last <= total <=
          stats["profile"]["samples"], (total, last, stats["profile"], stats["export"]))


def check_clock(directory):
    err = (directory / "clock.err").read_text()
    check("clock: exits 0", (directory / "clock.code").read_text().strip() == "0", err)
    check("clock: it was put forward and back", (directory / "steps.code").read_text().strip() == "0",
          (directory / "steps").read_text())
    stats = json.loads((directory / "clock.json").read_text())
    left = read_all(directory / "clock")
    last = check_files(stats, left, {**read_all(directory / "clock_before"), **left})
    check_pushes(stats, directory / "pushed", last)
