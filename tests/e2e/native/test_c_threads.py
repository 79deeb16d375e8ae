# SPDX-License-Identifier: GPL-2.0-only
"""A thread that a library made, in a process of Python: it is called a thread of C, by its library where that
is known, in a profile and by `dump`, and nobody calls it a loss. A thread of Python's is never called so."""
import collections
import json
import subprocess

import pytest

import home
import interpreters as known
import profiler
from pprof_rows import report

NAME = "[C thread]"
CHOSEN = [i for i in known.one_per_version_and_two()
          if known.is_quick(i, ("2.7", "3.8", "3.11", "3.13", "3.13t", "3.15"))]
FEW_ARE_ENOUGH = True
# Its main thread burns in Python, and so do threads that come and go; one that a library made burns in C.
PROGRAM = """
import ctypes, json, sys, threading
def spin(rounds):
    while rounds:
        rounds -= 1
ctypes.CDLL(sys.argv[1]).a_start()
print(json.dumps({}))
sys.stdout.flush()
while True:
    thread = threading.Thread(target=spin, args=(1000000,))
    thread.start()
    spin(1000000)
    thread.join()
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory, workloads):
    path = tmp_path_factory.mktemp("c_threads") / "libburns.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-pthread", "-DPREFIX=a_",
                    workloads / "native" / "burn.c", "-o", path], check=True)
    return path


def threads_without_python(pid):
    """Those that were so in three looks. One that has only begun, or is about to end, is so for a moment,
    too; and of one that is so a look may say something else, as threads came and went while it read."""
    times = collections.Counter()

    def stay():
        return {tid for tid, count in times.items() if count >= 3}

    def one_stays():
        found = json.loads(profiler.command("dump", "--pid", pid, "--json").stdout)
        times.update(one["tid"] for one in found["processes"][0]["threads"] if one["stack"] == "not Python")
        return stay()

    profiler.wait_until(one_stays, what="thread that stays without Python")
    return stay()


@pytest.mark.parametrize("chosen", CHOSEN, ids=lambda i: i.name)
def test_is_called_so(chosen, library, tmp_path):
    with profiler.target(chosen.path, "-c", PROGRAM, library) as target:
        run = profiler.run_while(tmp_path, [target], 1.5, "-F", 997)
        without = threads_without_python(target.pid)
        # In words, too; a look may say something else of it, as above.
        profiler.wait_until(lambda: NAME in profiler.command("dump", "--pid", target.pid).stdout,
                            what="%s in a dump" % NAME)
    mine = {sample.tid for sample in run.samples if "spin" in profiler.functions(sample)}
    of_c = [sample for sample in run.samples if NAME in profiler.functions(sample)]
    assert len({sample.tid for sample in of_c} - mine) >= 1 and len(mine) > 3
    # One that begins or ends has no thread state, either.
    mistaken = profiler.total(sample for sample in of_c if sample.tid in mine)
    assert mistaken <= 0.05 * profiler.total(run.samples)
    assert profiler.total(of_c) > 0.2 * profiler.total(run.samples)
    # From outside a new one is searched for a moment longer.
    part = 0.04 if home.refusal() else 0.01
    assert run.stats["outcomes"]["no_thread_state"] <= part * profiler.total(run.samples)
    assert "\nThreads of C: " in run.out and "(--native leaf names their libraries)\n" in run.out
    assert NAME not in run.out and "not_whole" not in report("--findings", "--json", run.path)
    assert len(without) == 1


@pytest.mark.parametrize("mode", ("leaf", "top"))
def test_by_its_library(mode, library, tmp_path):
    with profiler.target(known.newest().path, "-c", PROGRAM, library) as target:
        run = profiler.run_while(tmp_path, [target], 1, "-F", 499, "--native", mode)
    line = next(line for line in run.out.splitlines() if line.startswith("Threads of C: "))
    assert line.removeprefix("Threads of C: ").split(", ")[0].endswith("% libburns.so"), line
