# SPDX-License-Identifier: GPL-2.0-only
"""A program whose stack and code objects are swapped out. A read in the kernel does not wait for a page, so
such stacks are not whole. They are counted and shown as that, and what is shown has its right name, which the
worker reads: it may wait."""
import collections
import contextlib
import subprocess

import pytest

import interpreters as known
import profiler

pytestmark = [pytest.mark.long, pytest.mark.alone, pytest.mark.timeout(600)]

DEPTH, SWAP_MB = 600, 256

# Each function is a code object of its own, made long before it is sampled. Only the newest one runs again
# and again. Memory that is short would choose pages that nobody reads, and the sampler reads those of the
# stack: so it is the program that has all of its pages swapped out, and then only uses those that it needs.
PROGRAM = r"""
import ctypes, json, sys, time
DEPTH, MADV_PAGEOUT = int(sys.argv[1]), 21
sys.setrecursionlimit(10 * DEPTH)
libc = ctypes.CDLL(None, use_errno=True)

def page_out():
    with open("/proc/self/maps", "rb") as f:
        lines = f.read().split(b"\n")
    for line in lines:
        words = line.split()
        if len(words) > 1 and words[1] == b"rw-p":
            low, high = [int(word, 16) for word in words[0].split(b"-")]
            libc.madvise(ctypes.c_void_p(low), ctypes.c_size_t(high - low), MADV_PAGEOUT)

def use_frames():
    frame = sys._getframe()
    while frame:
        frame = frame.f_back

def churn():
    end = time.process_time() + .02
    while time.process_time() < end:
        sum(range(300))

def stay():
    page_out()
    print(json.dumps({}), flush=True)
    while True:
        page_out()
        if sys.argv[2] == "frames":
            use_frames()
        churn()

scope = {"f_0": stay}
for n in range(1, DEPTH):
    padding = "'%s'" % (str(n) * 1000)  # so that code objects do not share pages
    exec("def f_%d():\n kept = %s\n return f_%d()" % (n, padding, n - 1), scope)
scope["f_%d" % (DEPTH - 1)]()
"""


@contextlib.contextmanager
def swapping(path):
    with path.open("wb") as f:
        f.write(bytes(SWAP_MB << 20))  # a swap file has no holes
    path.chmod(0o600)
    subprocess.run(["/sbin/mkswap", path], check=True, capture_output=True)
    if subprocess.run(["/sbin/swapon", path], capture_output=True).returncode:
        pytest.skip("SKIP not-applicable: nothing can be swapped to a file here")
    try:
        yield
    finally:
        subprocess.run(["/sbin/swapoff", path], check=True)


def swapped_kb(pid):
    with open("/proc/%d/status" % pid) as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmSwap"))


@pytest.mark.parametrize("used", ["nothing", "frames"])
@pytest.mark.parametrize("python", known.of_versions("3.13", "3.14", "3.15"), ids=str)
def test_swapped_out(python, used, tmp_path):
    """With `frames` the stack is in memory, and the names of its functions are not."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with swapping(tmp_path / "swap"), \
            profiler.target(python.path, "-IS", program, DEPTH, used) as busy:
        out = swapped_kb(busy.pid)
        run = profiler.run_while(tmp_path, [busy], 2, "-F", 499, seconds=6)
    outcomes = {key: count for key, count in run.stats["outcomes"].items() if count}
    frames = collections.Counter()
    for sample in run.of(busy.pid):
        for function, file, _, _ in sample.stack:
            frames[function, file] += sample.count
    names = {function for function, file in frames if file == "<string>"}
    nameless = sum(n for (function, file), n in frames.items()
                   if function not in profiler.MARKERS and (not file or function.startswith("[")))
    counters = run.stats["counters"]
    print("%s, %s used: %d kB swapped out; outcomes %s" % (python, used, out, outcomes))
    print("%d reads failed of %d; %d of %d functions shown, %d of %d frames without a name"
          % (counters["read_faults"], counters["reads"], len(names), DEPTH - 1, nameless,
             sum(frames.values())))
    assert out > 1 << 10
    assert counters["read_faults"] > 0
    assert names <= {"f_%d" % n for n in range(1, DEPTH)}
    assert nameless <= 0.01 * sum(frames.values())
    if used == "nothing":
        lost = outcomes.get("incomplete", 0) + outcomes.get("unreadable", 0)
        assert lost > 0.2 * profiler.total(run.of(busy.pid))
    else:
        assert outcomes["whole"] > 0 and len(names) == DEPTH - 1
