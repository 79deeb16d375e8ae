# SPDX-License-Identifier: GPL-2.0-only
"""What is full: it is counted, said in plain words, and the rest goes on; the books of each run are checked.

Elsewhere: a tree that is emptied in time (test_generations.py), one process that takes it all
(test_fair_share.py), the ring buffer (test_lost_records.py), processes and layouts (unit/kern), the disk of a
run that goes on (test_continuous.py), pushes that wait (test_push.py)."""
import contextlib
import subprocess

import pytest

import interpreters as known
import profiler

NEWEST = [known.newest()]

# Each stack is another one, and deep: two of them fill what half of the smallest tree has room for.
STACKS = """
import json, random, sys, time
sys.setrecursionlimit(2000)
def a(n):
    return step(n)
def b(n):
    return step(n)
def step(n):
    if n:
        return random.choice((a, b))(n - 1)
    end = time.process_time() + .002
    while time.process_time() < end:
        pass
print(json.dumps({}), flush=True)
while True:
    a(350)
"""

# Threads that take turns, each in a function of its own.
THREADS = """
import json, threading, time
COUNT = 40
def burn():
    end = time.thread_time() + .003
    while time.thread_time() < end:
        pass
def work(number):
    scope = {"burn": burn}
    exec("def own_%d():\\n while True:\\n  burn()" % number, scope)
    scope["own_%d" % number]()
for number in range(COUNT):
    threading.Thread(target=work, args=(number,), daemon=True).start()
print(json.dumps({"count": COUNT}), flush=True)
while True:
    time.sleep(10)
"""


@pytest.fixture(params=NEWEST, ids=str)
def python(request):
    return request.param


def test_both_halves_of_the_tree(python, workloads, tmp_path):
    with profiler.targets([(python.path, "-c", STACKS), (python.path, workloads / "burn.py")]) as started:
        run = profiler.run_while(tmp_path, started, 3, "-F", 1997, "--tree-size", 4096)
    filling, other = started
    counted = run.stats["outcomes"]
    assert counted["table_full"] > 0 and run.stats["profile"]["generations"] > 1
    assert profiler.total(run.of(filling.pid)) > 100
    # A short stack finds its place most of the time, since it was there before, and is right when it does.
    whole = [s for s in run.of(other.pid) if not profiler.marker_of(s.stack)]
    assert profiler.total(whole) > 0
    assert {s.stack[-1][0] for s in whole} == {"<module>"}


def test_more_threads_than_are_remembered(python, tmp_path):
    with profiler.target(python.path, "-c", THREADS) as started:
        run = profiler.run_while(tmp_path, [started], 6, "-F", 997, "--cache-threads", 4)
    owners = {}
    for sample in run.of(started.pid):
        for frame in sample.stack:
            if frame[0].startswith("own_"):
                owners.setdefault(sample.tid, set()).add(frame[0])
    assert len(owners) > started.about["count"] / 2
    assert all(len(names) == 1 for names in owners.values()), owners
    assert run.stats["counters"]["cache_miss"] > 0 == run.stats["counters"]["cache_mismatch"]


@pytest.fixture
def full_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder]).returncode:
        pytest.skip("SKIP mounts: no file system can be mounted here")
    with contextlib.suppress(OSError), (folder / "filler").open("wb", buffering=0) as f:
        while True:
            f.write(b"x" * 4096)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.parametrize("option", ["-o", "--stats-json"])
def test_no_room_for_the_result(python, workloads, tmp_path, full_disk, option):
    with profiler.target(python.path, workloads / "edges.py") as started:
        path = full_disk / ("made.pb.gz" if option == "-o" else "made.json")
        rest = ["-o", tmp_path / "profile.pb.gz"] if option != "-o" else []
        command = [profiler.BINARY, "-q", "-p", str(started.pid), "-d", "0.5", option, path, *rest]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "No space left" in done.stderr and path.name in done.stderr
    assert [one.name for one in full_disk.iterdir()] == ["filler"]
