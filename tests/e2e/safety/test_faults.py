# SPDX-License-Identifier: GPL-2.0-only
"""One call fails, at the start, while it samples, or at the end: an allocation, or a system call of the
profiler or of a library in it. Whichever it is, the profiler goes on, or it ends with an exit code and a
reason. It does not crash or hang, leaves no half file, no process and no BPF object, and its books add up
(tests/lib/faults.py)."""
import shutil

import pytest

import interpreters as known
import profiler
from faults import CALLS, Fault, Faults, name_of

NEWEST = [known.newest()]
KINDS = "whole", "service"
MOST = 120  # of the numbers of one call, in the long test


@pytest.fixture(scope="module", params=NEWEST, ids=str)
def busy(request, workloads):
    with profiler.target(request.param.path, workloads / "edges.py") as started:
        yield started


@pytest.fixture(params=KINDS)
def faults(request, busy, tmp_path):
    if not shutil.which("strace"):
        pytest.skip("SKIP strace: it is not here")
    made = Faults(request.param, tmp_path, busy.pid)
    yield made
    made.close()


def spread(numbers, count):
    """So many of them, evenly, the first and the last among them."""
    numbers = list(numbers)
    if len(numbers) <= count:
        return numbers
    return sorted({numbers[round(i * (len(numbers) - 1) / max(1, count - 1))] for i in range(count)})


def try_all(faults, wanted):
    """All complaints, by the fault; and how many of the runs met it, and ended with which code."""
    wrong, met, codes = {}, 0, []
    for fault in wanted:
        complaints = faults.complaints(fault)
        met += faults.met
        codes.append(faults.last.code)
        if complaints:
            wrong[name_of(fault)] = complaints, faults.last.err[-500:]
    assert not wrong, wrong
    return met, codes


def try_allocations(faults, count, stays):
    places = spread(faults.places(), count)
    assert len(places) > 10
    _, codes = try_all(faults, [Fault("malloc", "ENOMEM", number, stays) for number in places])
    # At the start it cannot do without; some of what is small it can.
    assert codes.count(1) >= len(codes) / 10 and (stays or 0 in codes), codes


def try_calls(faults, calls, count):
    made = faults.calls()
    wanted = [Fault(call, error, number, False) for call in calls for error in CALLS[call][:count]
              for number in spread(made[call], count)]
    met, _ = try_all(faults, wanted)
    assert met >= len(wanted) / 2  # the last ones of a run may be fewer in the next


def test_an_allocation(faults):
    try_allocations(faults, 18, False)


def test_memory_stays_short(faults):
    try_allocations(faults, 12, True)


def test_a_system_call(faults):
    try_calls(faults, CALLS, 1)


def test_one_of_the_last_system_calls(faults):
    made = faults.calls()
    wanted = [Fault(call, CALLS[call][-1], made[call][-1 - len(made[call]) // 10], False) for call in CALLS
              if made[call]]
    try_all(faults, wanted)


@pytest.mark.long
@pytest.mark.parametrize("stays", [False, True], ids=["once", "stays"])
def test_every_allocation(faults, stays):
    try_allocations(faults, 10000, stays)


@pytest.mark.long
@pytest.mark.parametrize("call", CALLS)
def test_every_system_call(faults, call):
    if not faults.calls()[call]:
        pytest.skip("SKIP not-applicable: no process makes %s here" % call)
    try_calls(faults, [call], MOST)
