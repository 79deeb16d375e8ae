# SPDX-License-Identifier: GPL-2.0-only
"""Programs in pid namespaces, one in the other, where each is process 1 and threads have the same numbers as
those of others: what looks at them from outside finds the right threads, as it does for ticks
(test_environments.py)."""
import collections
import json
import subprocess

import pytest

import interpreters as known
import namespaces
import profiler
from test_environments import descendant

pytestmark = [pytest.mark.all, pytest.mark.skipif(bool(namespaces.reason()),
                                                  reason="SKIP mounts: %s" % namespaces.reason())]
PYTHONS = [i for i in known.one_per_version() if i.minor in ("3.9", "3.11", "3.12", "3.13", "3.15")]
NESTED = ("unshare", "-pf", "--kill-child", "--mount-proc") * 2

# Says of its threads which each is, by the name of the function that it is in. One sleeps, one waits for the
# other's GIL now and then, one burns.
PROGRAM = """
import json, os, threading, time
def asleep_%(name)s():
    while True:
        time.sleep(3600)
def naps_%(name)s():
    while True:
        time.sleep(0.001)
def burns_%(name)s():
    while True:
        pass
for function in asleep_%(name)s, naps_%(name)s:
    threading.Thread(target=function, daemon=True).start()
print(json.dumps({"pid": os.getpid()}), flush=True)
burns_%(name)s()
"""
EVENTS = "cpu,offcpu,gil,memory"


@pytest.fixture(params=PYTHONS, ids=str)
def pair(request):
    """Two of them, each process 1 where it is, and their numbers here."""
    commands = [(*NESTED, request.param.path, "-IS", "-c", PROGRAM % {"name": name}) for name in "ab"]
    with profiler.targets(commands) as started:
        assert [one.about["pid"] for one in started] == [1, 1]
        yield {descendant(one.pid): name for one, name in zip(started, "ab")}


def test_events(pair, tmp_path):
    """A sleeping thread is looked at from outside; the one that naps waits for the GIL as well."""
    run = profiler.Run(tmp_path, "-a", "-F", 199, "--event", EVENTS)
    profiler.let_use_cpu(run, list(pair), 1, seconds=3)
    run.interrupt()
    run.finish()
    for pid, name in pair.items():
        sums = collections.Counter()
        for sample in run.of(pid):
            functions = [frame[0] for frame in sample.stack]
            assert not [f for f in functions if f[-2:] in ("_a", "_b") and f[-1] != name], functions
            for kind, value in sample.values.items():
                for function in functions:
                    sums[function.rpartition(".")[2], kind] += value
        print(pid, {key: value for key, value in sums.items() if key[0].endswith("_" + name)})
        assert sums["burns_" + name, "cpu"] > 50
        assert sums["naps_" + name, "offcpu"] > 10**8 and sums["naps_" + name, "gil"] > 10**7
        assert sums["asleep_" + name, "offcpu"] > 10**9


def test_ticks_from_outside(pair, tmp_path):
    """Where BPF is refused, threads of such a program are found as well."""
    run = profiler.Run(tmp_path, "--trigger", "outside", "--pid", ",".join(map(str, pair)))
    profiler.let_use_cpu(run, list(pair), 2, seconds=3)
    run.interrupt()
    run.finish()
    for pid, name in pair.items():
        counts = collections.Counter()
        for sample in run.of(pid):
            counts[sample.stack[0][0].rpartition(".")[2]] += sample.count
        assert counts["burns_" + name] > 5 and not counts["[C thread]"], counts


def looked_at(pair):
    """By pid the threads that are in a function of the program, by its name."""
    done = subprocess.run([profiler.BINARY, "dump", "--json", "--pid", ",".join(map(str, pair))], check=True,
                          capture_output=True, timeout=300)
    return {process["pid"]: {thread["frames"][0]["function"] if thread["frames"] else None: thread["tid"]
                             for thread in process["threads"]}
            for process in json.loads(done.stdout)["processes"]}


def test_dump(pair):
    expected = {pid: {kind + name for kind in ("asleep_", "naps_", "burns_")} for pid, name in pair.items()}
    found = {}

    def are_in_their_functions():
        found.update(looked_at(pair))
        return {pid: set(threads) for pid, threads in found.items()} == expected

    # One that has just begun may not be in its function yet, and one that runs may be between two frames.
    profiler.wait_until(are_in_their_functions, what="threads in their functions")
    assert all(threads["burns_" + pair[pid]] == pid for pid, threads in found.items())
