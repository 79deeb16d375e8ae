# SPDX-License-Identifier: GPL-2.0-only
"""Kinds of events that are no ticks, on memory that is forged while they are counted: a thread that waits for
the GIL, one that holds it, one that sleeps, a process that grows, a task of asyncio that runs or waits, a
long turn of an event loop; and ticks whose ids of spans are read. Each sample ends in one outcome, in a
bounded time, and a program beside it keeps its stacks."""
import contextlib
import subprocess

import pytest

import hostile
import interpreters as known
import profiler
from edges import Judge
from native_frames import Native
from serving import server
from waits import parts

VERSIONS = [i for i in known.one_per_version() if i.version[:2] >= (3, 8)]  # which has madvise()
KINDS = {
    "gil": ("--event", "cpu,gil"),
    "memory": ("--event", "cpu,memory"),
    "async": ("--event", "cpu", "--async"),
    "loop": ("--event", "cpu,loop", "--min-turn", "1"),
    "tasks": ("--event", "cpu,tasks"),
    "trace": ("--event", "cpu", "--trace", "otel", "--log", "1", "--listen", "unix:%s"),
    "all": ("--event", "cpu,offcpu,gil,memory,wall", "--async", "--native", "full"),
}
CPU = 1  # seconds, of each
LOST = 0.02  # of an honest program's samples, as in test_hostile_neighbours.py

# Has room for a ring of forged frames. Its main thread runs a task of asyncio and holds the GIL, another one
# waits for that, a third sleeps; and it grows and shrinks all the time. Other tasks wait, and between two
# turns it sleeps as an event loop does. Nothing here calls a function of Python, which would see the forged
# frames.
RING = """
import asyncio, ctypes, json, mmap, os, select, threading, time
room = mmap.mmap(-1, %d)
heap = mmap.mmap(-1, 8 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
zeros, forget = bytes(6 << 20), mmap.MADV_DONTNEED

def waits():
    while True:
        pass

def sleeps():
    sleep = time.sleep
    while True:
        sleep(0.0005)

async def runs():
    write, seek, advise = heap.write, heap.seek, heap.madvise
    poll = select.epoll().poll
    waiting = [asyncio.create_task(asyncio.sleep(1000)) for _ in range(50)]
    await asyncio.sleep(0)
    threading.Thread(target=waits, daemon=True).start()
    threading.Thread(target=sleeps, daemon=True).start()
    print(json.dumps({"room": ctypes.addressof(ctypes.c_char.from_buffer(room))}), flush=True)
    os.read(0, 1)
    while True:
        seek(0)
        write(zeros)
        advise(forget)
        poll(0.0005)

asyncio.run(runs())
""" % (hostile.CHUNK * hostile.CHUNKS)


def judged(native, sample):
    """What Judge.faults() is asked, of each part. Below a coroutine stands who awaits it, which is no call;
    and the stack of a task that waits begins with its own coroutine."""
    for stack, whole in parts(native.without(sample.stack)):
        at = max((i for i, frame in enumerate(stack) if frame[0] == "loop_child"), default=-1)
        if stack[at + 1:]:  # else nothing is known of it but that it waited
            yield stack[at + 1:], whole and not sample.values.get("tasks")


def cases():
    """Every kind on the newest version, and all of them on the others; the rest, and what is older than 3.13,
    varies only what these show."""
    for python in VERSIONS:
        for kind in KINDS:
            newest = python == VERSIONS[-1]
            if newest or kind in ("all", "loop", "tasks", "trace"):
                quick = kind != "trace" if newest else kind == "all" and python.version >= (3, 13)
                yield pytest.param(python, kind, marks=() if quick else pytest.mark.all)


def sampled(directory, kind, started):
    options = [str(directory / "socket").join(option.split("%s")) for option in KINDS[kind]]
    if kind != "tasks":
        return profiler.run_while(directory, started, CPU, "-F", 499, *options)
    # How often tasks are looked at goes by the clock, and by what the machine leaves to the profiler.
    pids = [program.pid for program in started]
    with contextlib.ExitStack() as stack:
        with profiler.before_others():
            s = stack.enter_context(server(directory, "--pid", ",".join(map(str, pids)), "-F", 499, *options,
                                           stats=True, output="profile.pb.gz"))
        profiler.let_use_cpu(s.run, pids, CPU)
        profiler.wait_until(lambda: s.metric("tasks_looks_total") >= 10, what="looks at tasks")
        s.run.interrupt()
        s.run.finish()
    return s.run


@pytest.mark.parametrize("python,kind", cases(), ids=str)
def test_on_forged_frames(python, kind, workloads, tmp_path):
    with profiler.target(python.path, "-IS", "-c", RING, stdin=subprocess.PIPE) as forged, \
            profiler.target(python.path, workloads / "edges.py") as honest:
        with profiler.before_others():
            rings = [hostile.Ring(forged, shims, thread) for thread, shims in
                     [(0, False), (1, True), (2, False)]]
        changers = [hostile.Changer(ring, seed=n) for n, ring in enumerate(rings)]
        forged.tell()
        run = sampled(tmp_path, kind, [forged, honest])
        assert forged.process.poll() is None and honest.process.poll() is None
        for changer in changers:
            assert changer.is_alive() and changer.changes > 100
            changer.stop()
    ticks = [sample for sample in run.of(honest.pid) if sample.values["cpu"]]
    judge, native = Judge(honest.about), Native(run)
    assert not [fault for sample in run.of(honest.pid) for part in judged(native, sample)
                for fault in judge.faults(*part, may_lack_lines=True)]
    marked = sum(sample.count for sample in ticks if profiler.marker_of(sample.stack))
    assert profiler.total(ticks) > 100
    assert profiler.is_share_at_most(marked, LOST, profiler.total(ticks))
    # Code that lives for a moment may be gone before its line table is read: that is unknown, and rare.
    unknown = sum(sample.count for sample in ticks if any(map(judge.lacks_line, sample.stack)))
    assert profiler.is_share_at_most(unknown, LOST, profiler.total(ticks))
    # Of each kind there were samples of the forged ones, in whatever they ended.
    for event in profiler.EVENTS:
        if event.asked and event.key in KINDS[kind][1].split(","):
            assert sum(sample.values[event.key] for sample in run.of(forged.pid)) > 100, event.key
