# SPDX-License-Identifier: GPL-2.0-only
"""What could keep the event loop busy for long: it answers all the same, and ends when it is told to."""
import contextlib
import threading
import time

import pytest

import interpreters as known
import profiler
from serving import server

NEWEST = known.one_per_version()[-3:]
# The aim is 0.1 s on a machine that has nothing else to do. Before, turns of 12 s and more were seen.
TURN_SECONDS, END_SECONDS = 0.5, 3

# A function of thousands of places from which it calls itself, as generators of code make them. Each level of
# the recursion takes one of them at random, so that each sample has hundreds that nobody has asked for yet.
PROGRAM = """
import json, sys, time
LEAVES, DEPTH = 1 << 14, 900
sys.setrecursionlimit(2000)

def tree(low, high, indent):
    if high - low == 1:
        yield "%sreturn f(n - 1, k)" % indent
        return
    middle = (low + high) // 2
    yield "%sif k %% LEAVES < %d:" % (indent, middle)
    yield from tree(low, middle, indent + " ")
    yield from tree(middle, high, indent)

def burn(k):
    end = time.process_time() + .005
    while time.process_time() < end:
        pass
    return k

lines = ["def f(n, k):", " if not n:", "  return burn(k)", " k = (k * 1103515245 + 12345) >> 3 & 0x7fffffff"]
lines += tree(0, LEAVES, " ")
scope = {"burn": burn, "LEAVES": LEAVES}
exec(compile("\\n".join(lines), "generated.py", "exec"), scope)
table = getattr(scope["f"].__code__, "co_linetable", None) or scope["f"].__code__.co_lnotab
print(json.dumps({"table": len(table), "lines": len(lines)}), flush=True)
k = 1
while True:
    k = scope["f"](DEPTH, k + 1)
"""


@contextlib.contextmanager
def asked(s, path="/healthz"):
    """Asks for a page again and again, and gives the list of the seconds that it took."""
    took, stop = [], threading.Event()

    def ask():
        while not stop.wait(0.02):
            begin = time.monotonic()
            assert s.get(path).status == 200
            took.append(time.monotonic() - begin)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield took
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("python", NEWEST, ids=str)
def test_a_large_line_table(python, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with profiler.target(python.path, program) as busy:
        assert 400 << 10 < busy.about["table"] < 1 << 20
        with server(tmp_path, "-p", busy.pid, "--output-dir", tmp_path, "--interval", 3) as s:
            with asked(s) as took:
                time.sleep(10)
            longest = s.metric("loop_turn_seconds_max")
            decodes = s.metric("line_decodes_total")
            end = s.stop()
    print("table %d, look-ups %d, longest turn %.3f s, longest answer %.3f s of %d, end %.2f s"
          % (busy.about["table"], decodes, longest, max(took), len(took), end))
    assert decodes > 10000
    assert longest < TURN_SECONDS
    assert max(took) < 2 * TURN_SECONDS
    assert end < END_SECONDS
