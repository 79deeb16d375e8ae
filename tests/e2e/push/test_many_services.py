# SPDX-License-Identifier: GPL-2.0-only
"""Pushes beside a program of another user that calls each of its processes otherwise, hundreds of them in an
interval: a service's profiles arrive under its own name, and what the others add to the receiver is
bounded."""
import collections
import subprocess
import time

import pytest

import crowds
import interpreters as known
import profiler
from receiver import finish_push, receiving

BOUND = 128  # PUSH_SERIES_MAX, and SERIES_AT_ONCE
NEXT = 15  # SERIES_NEXT_SECONDS
MORE = {"pyroscope": "_more_services_", "otlp": "[more services]"}  # receivers differ in what a name may have

FLOOD = """
import ctypes, json, os, sys, time
os.setgid(int(sys.argv[1]))
os.setuid(int(sys.argv[1]))
print(json.dumps({}), flush=True)
sys.stdin.readline()
libc, parent = ctypes.CDLL(None), os.getpid()
if not os.fork():
    libc.prctl(1, 9)  # they end together
number = os.getpid() != parent
while True:
    number += 2
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        continue
    libc.prctl(15, b"evil%d" % number, 0, 0, 0)
    end = time.thread_time() + .003
    while time.thread_time() < end:
        pass
    os._exit(0)
"""

HONEST = """
import ctypes, json, os, sys
ctypes.CDLL(None).prctl(15, b"honest", 0, 0, 0)
os.setgid(int(sys.argv[1]))
os.setuid(int(sys.argv[1]))
print(json.dumps({}), flush=True)
while True:
    sum(range(9000))
"""


def intervals(receiver):
    """The services of each interval that has arrived, in their order; of the last one only a part has."""
    found = collections.defaultdict(collections.Counter)
    for r in list(receiver.received):
        found[r.profile.time_nanos][r.service] += 1
    return [found[time] for time in sorted(found)][:-1]


def others(services):
    return [name for name in services if name.startswith("evil")]


@pytest.mark.parametrize("flood", (True, False), ids=("flood", "control"))
@pytest.mark.parametrize("kind", MORE)
def test_many_names(kind, flood, tmp_path):
    python = known.newest().path
    with profiler.target(python, "-ISc", FLOOD, crowds.STRANGER, stdin=subprocess.PIPE) as evil, \
            profiler.target(python, "-ISc", HONEST, crowds.STRANGER + 1) as honest, \
            receiving(kind) as receiver:
        run = profiler.Run(tmp_path, "-p", "%d,%d" % (evil.pid, honest.pid), "--children", "-F", 999,
                           "--budget", 0, "--interval", 6, "--push", receiver.url, "--push-timeout", 300,
                           output=None)
        begin = time.monotonic()
        profiler.wait_for_sampling(run)
        if flood:
            evil.tell()
        profiler.wait_until(lambda: sum(MORE[kind] in found or len(others(found)) > BOUND or not flood
                                        for found in intervals(receiver)) >= 3, 900, "intervals")
        found = intervals(receiver)
        run.interrupt()
        finish_push(run)
    print([(len(others(services)), services["honest"], services[MORE[kind]]) for services in found])
    assert all(services["honest"] == 1 for services in found), "a service without its name"
    assert max(len(others(services)) for services in found) <= BOUND
    names = {name for services in found for name in others(services)}
    assert len(names) <= BOUND + 1 + (time.monotonic() - begin) / NEXT, "too many new ones"
    assert bool(run.stats["export"]["push_more_services"]) == flood
    assert run.err.count("[more services]") == flood, run.err
    assert any(MORE[kind] in services for services in found) == flood
