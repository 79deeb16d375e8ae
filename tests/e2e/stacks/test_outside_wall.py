# SPDX-License-Identifier: GPL-2.0-only
"""--event wall from outside: shares of programs that know their own, time of threads that only sleep, and
what they sleep in."""
import collections
import json
import os

import pytest

import interpreters as known
import profiler

OUTSIDE = "--trigger", "outside", "--event", "wall"

PARTS = """
import json, sys, threading, time
spent = {}
def timed(part):
    def run():
        begin = time.perf_counter()
        part()
        spent[part.__name__] = spent.get(part.__name__, 0) + time.perf_counter() - begin
    return run
@timed
def nap_long(): time.sleep(0.03)
@timed
def nap_short(): time.sleep(0.007)
@timed
def burn():
    end = time.process_time() + 0.02
    while time.process_time() < end: pass
def rest(): threading.Event().wait()
threading.Thread(target=rest, daemon=True).start()
end = time.perf_counter() + 15
while time.perf_counter() < end:
    nap_long(); nap_short(); burn()
print(json.dumps(spent))
"""


def times_of(samples):
    """Seconds of wall time, by the functions of the program."""
    times = collections.Counter()
    for sample in samples:
        for name in {frame[0] for frame in sample.stack}:
            times[name] += sample.values.get("wall", 0) / 1e9
    return times


def test_a_program_that_knows_its_shares(tmp_path):
    """docs/internals/outside.md has figures. What waits for a CPU is of the part that wants it, and a part of
    that is [moved] where the looker has lost it. A short nap behind a long one had 12 points too many when it
    was given all time that had passed."""
    run = profiler.run(tmp_path, *OUTSIDE, "--", known.newest().path, "-c", PARTS)
    spent, seen = json.loads(run.out), times_of(run.samples)
    own, found = sum(spent.values()), sum(seen[name] for name in spent)
    for name, seconds in spent.items():
        assert abs(seconds / own - seen[name] / found) < 0.1, (name, spent, seen)
    # It began before the first look, and ends with the program.
    assert 0.9 * own < seen["rest"] < 1.05 * own, (spent, seen)
    assert seen["[syscall futex]"] > 0.9 * seen["rest"] and seen["[syscall clock_nanosleep]"] > 0.1 * own


MANY = ("import threading, time\ndef rest(): time.sleep(1000)\n"
        "for _ in range(200): threading.Thread(target=rest, daemon=True).start()\n"
        "while True: pass")


def test_who_sleeps_is_walked_once(tmp_path):
    """And has all of the time, however seldom it is looked at."""
    with profiler.target(known.newest().path, "-c", MANY, about=False) as target:
        profiler.wait_until(lambda: len(os.listdir("/proc/%d/task" % target.pid)) == 201, what="its threads")
        run = profiler.run_while(tmp_path, [target], 3, *OUTSIDE)
    rest = times_of(run.samples)["rest"]
    busy = sum(sample.values["wall"] for sample in run.samples) / 1e9 - rest  # of the first thread
    assert busy > 2 and 0.8 * busy < rest / 200 < 1.2 * busy, (busy, rest)
    # Once, or 16 times while its thread state is not known yet; at each look it would be some 80,000 times.
    assert run.stats["counters"]["waits_seen"] < 4000, run.stats["counters"]


@pytest.mark.parametrize("python", [i for i in known.one_per_version() if i.version >= (3, 6)],
                         ids=lambda i: i.name)
def test_each_version(python, tmp_path):
    script = "import time\ndef nap():\n    time.sleep(100)\nprint('{}', flush=True)\nnap()"
    folder = tmp_path / "profiles"
    folder.mkdir()

    def times():
        return times_of([one for path in folder.glob("*.pb.gz") for one in profiler.read_samples(path)])

    with profiler.target(python.path, "-c", script) as target:
        run = profiler.Run(tmp_path, *OUTSIDE, "--pid", target.pid, "--output-dir", folder, "--interval", 0.5,
                           output=None)
        profiler.wait_until(lambda: times()["nap"] > 0.5, what="time of its sleep")
        run.interrupt()
        run.finish()
    assert times()["nap"] > 0.9 * max(times().values()), times()
