# SPDX-License-Identifier: GPL-2.0-only
"""A program that never repeats a stack beside one that does little else: the first may not take the call tree
from the second."""
import interpreters as known
import profiler
from hostile import GREEDY

NEWEST = known.newest()

# A service: a few dozen places, some of which are met for the first time when the tree is full already.
SERVICE = """
import json, time
def work(n):
    end = time.process_time() + .002
    while time.process_time() < end:
        sum(range(200))
scope = {"work": work}
for i in range(40):
    exec("def handler%d(): return work(%d)" % (i, i), scope)
print(json.dumps({}), flush=True)
begin = time.process_time()
while True:
    for i in range(min(40, 1 + int(12 * (time.process_time() - begin)))):
        scope["handler%d" % i]()
"""


def full(samples):
    return profiler.total([s for s in samples if profiler.marker_of(s.stack) == "table_full"])


def test_a_service_loses_nothing(tmp_path):
    with profiler.target(NEWEST.path, "-c", GREEDY) as greedy, \
            profiler.target(NEWEST.path, "-c", SERVICE) as service:
        run = profiler.run_while(tmp_path, [greedy, service], 4, "-F", 2999)
    ours = run.of(service.pid)
    assert profiler.total(ours) > 1000
    assert full(run.of(greedy.pid)) > 0, "the tree never ran short: nothing was tested"
    # Without the bound it is most of what is met for the first time. With it the table is three quarters
    # full, and there one new node in some thousands finds no place within the 32 that are tried.
    assert profiler.is_share_at_most(full(ours), 0.001, profiler.total(ours))
