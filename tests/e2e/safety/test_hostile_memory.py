# SPDX-License-Identifier: GPL-2.0-only
"""A process that forges frames in its own memory, so that each tick in it would read for milliseconds, with
interrupts off. The bytes that a tick may read are bounded, whatever the memory holds, and whoever runs beside
it loses nothing."""
import json
import subprocess

import pytest

import interpreters as known
import longest
import profiler
from hostile import CHUNK, RING, SLEEPS, Ring
from hostile_readers import switches_are_short

VERSIONS = [i for i in known.one_per_version() if i.version[:2] >= (3, 13)]

BESIDE = """
import json
def busy():
    while True:
        pass
print(json.dumps({}), flush=True)
busy()
"""

# bpf/python/walk.h: blocks of BLOCK_BYTES_MIN and BLOCK_BYTES a frame, one more, then a frame at a time in at
# most four rounds of two steps for each frame.
def allowed(depth):
    return (128 << 10) + 512 * depth + CHUNK + 128 * 4 * 2 * (2 * depth + 64)


@pytest.mark.parametrize("depth", (1024, 4000))
@pytest.mark.parametrize("shims", (True, False), ids=("shims", "frames"))
@pytest.mark.parametrize("python", VERSIONS, ids=str)
def test_a_tick_is_bounded(python, shims, depth, tmp_path):
    with profiler.target(python.path, "-IS", "-c", RING, stdin=subprocess.PIPE) as hostile, \
            profiler.target(python.path, "-IS", "-c", BESIDE) as beside:
        run = profiler.Run(tmp_path, "-p", "%d,%d" % (hostile.pid, beside.pid), "-F", 199, "--max-depth",
                           depth)
        profiler.wait_for_sampling(run)
        Ring(hostile, shims)
        hostile.tell()
        profiler.end_after(run, [hostile.pid, beside.pid], 1)
    run.check_books()
    stats = {**run.stats["kernel"], **run.stats["counters"]}
    print(json.dumps({key: stats[key] for key in stats if key.endswith("_ns") or key == "read_bytes"}))
    theirs = [s for s in run.samples if s.pid == hostile.pid]
    assert profiler.total(theirs) > 40
    cut = [s for s in theirs if profiler.marker_of(s.stack) in ("over_budget", "truncated")]
    assert profiler.total(cut) > 0.5 * profiler.total(theirs)
    assert stats["read_bytes"] <= allowed(depth) * stats["ticks"]
    ours = [s for s in run.samples if s.pid == beside.pid]
    assert profiler.total(ours) > 40
    assert all(not profiler.marker_of(s.stack) for s in ours)


@pytest.mark.parametrize("native", ("top", "full"))
@pytest.mark.parametrize("python", VERSIONS, ids=str)
def test_links_of_greenlets_belong_to_a_switch(python, native, tmp_path):
    """Native frames need to know whether greenlet has changed the links of the frames."""
    with profiler.target(python.path, "-IS", "-c", SLEEPS, stdin=subprocess.PIPE) as hostile, \
            longest.of(hostile.pid) as switches:
        run = profiler.Run(tmp_path, "-p", hostile.pid, "--event", "cpu,offcpu", "--native", native,
                           "--budget", 0)
        try:
            profiler.let_use_cpu(run, [hostile.pid], 0)
            Ring(hostile, False).expose()
            hostile.tell()
            profiler.let_use_cpu(run, [hostile.pid], 0.05)
            switches.begin()
            profiler.let_use_cpu(run, [hostile.pid], 0.5)
            run.took = switches.end()
            run.interrupt()
            run.finish()
        finally:
            run.kill()
        assert hostile.process.poll() is None
    print(run.took)
    switches_are_short(run)
