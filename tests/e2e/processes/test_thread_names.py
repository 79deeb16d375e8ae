# SPDX-License-Identifier: GPL-2.0-only
"""Threads have the names that the module threading gives them, in each version: in profiles, on time lines
and in `dump`. What a program has told the kernel goes first, and no name breaks what it is shown in."""
import json
import os
import re

import pytest

import interpreters as known
import profiler
from pprof_rows import report

# The process is called as the file of its interpreter; so are threads of which nothing else is known.
PROGRAM = """
import ctypes, json, sys, threading, time
def work():
    while True:
        sum(range(300))
def named():
    ctypes.CDLL(None).prctl(15, b"by-prctl", 0, 0, 0)
    work()
def hidden():
    threading.current_thread().__dict__["_name"] = 7
    work()
def thread(target, name=None):
    threading.Thread(target=target, name=name, daemon=True).start()
thread(work, "ingest-worker-with-a-long-name")
thread(work, "\\u00e9\\u6f22\\u5b57")
thread(work)
thread(work, "evil\\x1b[31m\\n" + "y" * 200)
thread(named, "not shown")
thread(hidden, "changed")
print("{}", flush=True)
work()
"""
IN_KERNEL = (3, 14)  # from then on Python tells the kernel, which keeps 15 bytes
CHOSEN = [i for i in known.one_per_version() if known.is_quick(i, ("3.7", "3.8", "3.11", "3.13", "3.15"))]
FEW_ARE_ENOUGH = True


def expected(interpreter):
    """What its threads are called, the main one left out; and how long names may be."""
    unnamed = "Thread-1" if interpreter.version < (3, 10) else "Thread-1 (work)"
    full = {"ingest-worker-with-a-long-name", "\u00e9\u6f22\u5b57", unnamed, "by-prctl"}
    if interpreter.version < IN_KERNEL:
        return full
    return {name.encode()[:15].decode(errors="ignore") for name in full}


def cpu_of_threads(pid):
    """Seconds, by thread id. Who waits for the GIL on a busy machine may have none for long."""
    return {int(task): profiler.cpu_seconds("%d/task/%s" % (pid, task))
            for task in os.listdir("/proc/%d/task" % pid)}


@pytest.mark.parametrize("chosen", CHOSEN, ids=lambda i: i.name)
def test_names(chosen, tmp_path):
    with profiler.target(chosen.path, "-c", PROGRAM) as target:
        comm = open("/proc/%d/comm" % target.pid).read().strip()
        run = profiler.Run(tmp_path, "--pid", target.pid, "-F", 997)
        profiler.let_use_cpu(run, [target.pid], 0.8)
        before = cpu_of_threads(target.pid)
        profiler.wait_until(lambda: all(now - before[tid] > 0.05 for tid, now in
                                        cpu_of_threads(target.pid).items()), what="CPU time of each thread")
        run.interrupt()
        run.finish()
        threads = json.loads(profiler.command("dump", "--pid", target.pid, "--json").stdout)["processes"][0][
            "threads"]
        text = profiler.command("dump", "--pid", target.pid).stdout
    names = {sample.tid: sample.thread for sample in run.samples}
    assert names[target.pid] == comm and len(names) == 7
    assert {one["tid"]: one["name"] for one in threads} == names
    found = set(names.values())
    if chosen.version < (3, 8):
        assert found == {comm, "by-prctl"}
        return
    assert expected(chosen) <= found and "not shown" not in found, found
    evil = next(name for name in found if name.startswith("evil"))
    assert len(evil.encode()) < 64
    for shown in text, run.out, report("--by", "thread", run.path):
        assert "evil" in shown and "\x1b" not in shown and not re.search("^y+", shown, re.M)


def test_on_a_time_line(tmp_path):
    chosen = next(i for i in CHOSEN if i.version < IN_KERNEL and i.version >= (3, 8))
    with profiler.target(chosen.path, "-c", PROGRAM) as target:
        run = profiler.run_while(tmp_path, [target], 1, "-F", 499, output="p.speedscope.json", stats=False)
    found = json.loads(run.path.read_text())
    assert any("ingest-worker-with-a-long-name (tid " in one["name"] for one in found["profiles"])


@pytest.mark.parametrize("trigger", ("auto", "outside"))
def test_a_thread_that_comes_later(tmp_path, trigger):
    """One that is sampled when the others are known already. Whose name it is says the time when it began."""
    chosen = next(i for i in CHOSEN if i.version < IN_KERNEL and i.version >= (3, 8))
    program = ("import threading, time\n"
               "def work():\n"
               "    while True: pass\n"
               "print('{}', flush=True)\n"
               "threading.Thread(target=work, name='first').start()\n"
               "while time.process_time() < 2: time.sleep(0.05)\n"
               "threading.Thread(target=work, name='second').start()\n")
    with profiler.target(chosen.path, "-c", program) as target:
        run = profiler.run_while(tmp_path, [target], 3, "-F", 997, "--trigger", trigger)
    assert {sample.thread for sample in run.samples} >= {"first", "second"}
