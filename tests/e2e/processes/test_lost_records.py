# SPDX-License-Identifier: GPL-2.0-only
"""The ring buffer is full while processes fork, call exec and end: their records are lost, and counted. The
names are there in the end all the same, also those of the children's children."""
import json
import os
import signal
import subprocess
import time

import pytest

import interpreters as known
import profiler

NEWEST = known.of_versions("3.14", "3.15")

# Each call is of another code object, whose record of names and line table takes 2 KiB. The ring buffer has
# room for a thousand of them, which are met within a second.
STORM = """
import json, time, types
lines = ['def f(end):'] + [' x = %d' % i for i in range(400)] + [' while clock() < end: pass']
scope = {'clock': time.process_time}
exec(compile('\\n'.join(lines), 'storm.py', 'exec'), scope)
code = scope['f'].__code__
print(json.dumps({}), flush=True)
n = 0
while True:
    n += 1
    name = 'f%0400d' % n
    function = types.FunctionType(code.replace(co_name=name, co_qualname=name), scope)
    function(time.process_time() + .0003)
"""

# Forks a child that forks one, when told; both burn CPU in a function of their own. "end" ends the child.
FAMILY = """
import json, os, sys, time
def burn():
    while True:
        pass
def in_child():
    os.setpgid(0, 0)
    if not os.fork():
        in_grandchild()
    burn()
def in_grandchild():
    burn()
def in_short_lived():
    end = time.monotonic() + 1
    while time.monotonic() < end:
        pass
    os._exit(0)
def main():
    short = os.fork()
    if not short:
        in_short_lived()
    print(json.dumps({"short": short}), flush=True)
    sys.stdin.readline()
    for _ in range(100):  # their records fill the last corner of the ring buffer
        brief = os.fork()
        if not brief:
            os._exit(0)
        os.waitpid(brief, 0)
    child = os.fork()
    if not child:
        in_child()
    os.waitpid(short, 0)
    print(json.dumps({"child": child}), flush=True)
    sys.stdin.readline()
main()
"""


def lost(run):
    return run.stats["counters"]["lifecycle_lost"]


@pytest.mark.alone
@pytest.mark.parametrize("python", NEWEST, ids=str)
def test_nobody_stays_nameless(python, tmp_path):
    with profiler.targets([(python.path, "-c", STORM)] * 2) as storming, \
            profiler.target(python.path, "-c", FAMILY, stdin=subprocess.PIPE) as family:
        run, storms = profiler.Run(tmp_path, "-a", "-F", 4999), [one.pid for one in storming]
        profiler.let_use_cpu(run, storms, 1, seconds=2)
        os.kill(run.process.pid, signal.SIGSTOP)
        profiler.let_use_cpu(run, storms, 3, seconds=6)
        family.tell()
        child = json.loads(family.process.stdout.readline())["child"]
        time.sleep(1)
        os.kill(run.process.pid, signal.SIGCONT)
        profiler.let_use_cpu(run, [child], 1, seconds=5)
        run.interrupt()
        run.finish()
        os.killpg(child, signal.SIGKILL)
    assert lost(run) >= 2, "no record was lost: nothing was tested"
    by_function = {}
    for sample in run.samples:
        for name in ("in_child", "in_grandchild"):
            if name in [frame[0] for frame in sample.stack]:
                by_function.setdefault(name, []).append(sample)
    assert profiler.total(by_function["in_child"]) > 100
    for sample in by_function["in_child"] + by_function["in_grandchild"]:
        assert sample.pid and sample.comm, sample
    assert {s.pid for s in by_function["in_child"] if s.stack[0][0] == "burn"} >= {child}
