# SPDX-License-Identifier: GPL-2.0-only
"""--kernel: the system call that a line of Python was in, and with full the functions of the kernel."""
import gzip
import math
import pathlib
import platform
import re
import shutil
import subprocess

import pytest

import interpreters as known
import pprof
import profiler

FREQUENCY = 997
# What each function of in_kernel.py does there: the system call, and a function that must be in the middle of
# it. "touching" is in page faults; to give the memory back, by munmap(), is no part of that.
WITHIN = {
    "reading": ("readv", r"vfs_(iter_)?readv?|do_iter_readv?(_writev)?"),
    "asking": ("getppid", r"__(x64|se|do)_sys_getppid|do_syscall_64"),
    "piping": ("write", r"(anon_)?pipe_write|fifo_pipe_write"),
    "touching": (None, r"handle_mm_fault"),
}
# A page fault begins with interrupts off. A tick that comes meanwhile arrives where this function lets them
# in. How many do is the machine's: on one 373 of 1,060 samples.
LETS_TICKS_IN = "exc_page_fault"

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64",
                                reason="not-applicable: functions of the kernel are found on x86-64 only")


def shows_addresses():
    with open("/proc/kallsyms") as f:
        return any(not line.startswith("0000000000000000") for line in f)


names = pytest.mark.skipif(not shows_addresses(), reason="/proc/kallsyms shows no addresses")


@pytest.fixture
def program(workloads):
    return workloads / "native" / "in_kernel.py"


@pytest.fixture(scope="module")
def python():
    return known.newest().path


def profile(directory, target, *arguments, cpu=1.5, **options):
    return profiler.run_while(directory, [target], cpu, "-F", FREQUENCY, *arguments, **options)


def parts(sample):
    """Of a stack, root first: the Python function of in_kernel.py, the system call or None, and the kernel's
    functions. Nothing but the kernel may be above the system call."""
    stack = [(frame[0], frame[1]) for frame in reversed(sample.stack)]
    at = next((i for i, (name, _) in enumerate(stack) if name in {*WITHIN, "calculating"}), None)
    first = next((i for i, (_, file) in enumerate(stack) if re.fullmatch(r"\[.+\]", file)
                  and file not in ("[vdso]", "[JIT]")), len(stack))
    kernel = stack[first:]
    assert all(re.fullmatch(r"\[.+\]", file) for _, file in kernel), stack
    call = [i for i, (name, _) in enumerate(stack) if name.startswith("[syscall")]
    assert not call or call == [first - 1], stack
    return (None if at is None else stack[at][0], stack[call[0]][0] if call else None,
            [name for name, _ in kernel])


@names
@pytest.mark.parametrize("mode", ["off", "leaf", "full"])
def test_functions_of_a_known_mixture(python, program, mode, tmp_path):
    with profiler.target(python, program) as target:
        run = profile(tmp_path, target, "--kernel", "full", "--native", mode, cpu=3)
        took = target.ask()
    found = [(*parts(sample), sample.count) for sample in run.samples]
    for function, (call, name) in WITHIN.items():
        inside = [(kernel, count) for at, syscall, kernel, count in found
                  if at == function and kernel and syscall == (call and "[syscall %s]" % call) and
                  kernel[-1] != LETS_TICKS_IN]
        total = sum(count for _, count in inside)
        # Ticks that arrive late are of an interrupt, or of the way in and out.
        within = sum(count for kernel, count in inside if any(re.fullmatch(name, k) for k in kernel))
        assert total > 50, (function, found)
        assert within > 0.6 * total, (function, inside)
    # The functions of the kernel are where the time was, by the program's own account of all of its life.
    n = profiler.total(run.samples)
    expected = took["reading"] / sum(took.values())
    share = sum(count for at, _, _, count in found if at == "reading") / n
    assert abs(share - expected) <= 3 * math.sqrt(expected * (1 - expected) / n) + 0.04
    counters = run.stats["counters"]
    assert counters["kernel_stacks"] == sum(count for _, _, kernel, count in found if kernel)
    assert counters["kernel_frames"] == sum(count * len(kernel) for _, _, kernel, count in found)
    assert counters["kernel_missing"] == counters["kernel_cut"] == 0
    assert sum(run.stats["native"].values()) == (0 if mode == "off" else n)


@names
def test_addresses_stay_inside(python, program, tmp_path):
    """Neither format tells where the kernel lies in memory."""
    with open("/proc/kallsyms") as f:
        top = {line[:16] for line in f if not line.startswith("0")}
    with profiler.target(python, program) as target:
        run = profile(tmp_path, target, "--kernel", "full", "--native", "top")
        folded = profile(tmp_path, target, "--kernel", "full", "--native", "top", output="p.folded")
    text = gzip.decompress(run.path.read_bytes())
    mappings = [m.filename for m in pprof.read(run.path).mappings]
    assert "[kernel]" in mappings
    lines = folded.path.read_text()
    assert re.search(r"\[syscall readv\]_\[k\];.*\w+_\[k\] \(\[kernel\]\) \d+$", lines, re.M), lines
    for address in top:
        assert address.encode() not in text and address not in lines
    # As numbers: in the folded text there are none, in pprof an address is one of a mapping of ours.
    assert not re.search("f{6}[89a-f][0-9a-f]{7}", lines)
    go = shutil.which("go") or "/usr/local/go/bin/go"
    if not pathlib.Path(go).exists():
        pytest.skip("go is not there to read the profile; what is before this was checked")
    raw = subprocess.run([go, "tool", "pprof", "-raw", run.path], stdout=subprocess.PIPE, text=True,
                         check=True).stdout
    within = [line for line in raw.splitlines() if re.match(r"\s*\d+: 0x[0-9a-f]+ M=\d+ ", line)]
    kernel = {m for m, name in re.findall(r"^(\d+): 0x\w+/0x\w+/0x\w+ (\[[\w.]+\])", raw, re.M)
              if name not in ("[vdso]", "[JIT]")}
    addresses = {line.split()[1] for line in within if line.split()[2] in {"M=" + m for m in kernel}}
    assert kernel and addresses == {"0x0"}, (kernel, addresses)
    shown = subprocess.run([go, "tool", "pprof", "-top", "-cum", "-nodecount=0", run.path],
                           stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "do_syscall_64" in shown


def test_system_call_without_native(python, program, tmp_path):
    with profiler.target(python, program) as target:
        run = profile(tmp_path, target, "--kernel", "syscall")
        off = profile(tmp_path, target, "--native", "leaf", "--kernel", "off")
    reading = [sample for sample in run.samples if "reading" in profiler.functions(sample)]
    in_call = [sample for sample in reading
               if profiler.functions(sample)[:2] == ["[syscall readv]", "reading"]]
    assert profiler.total(in_call) > 0.8 * profiler.total(reading)
    assert not any(run.stats["native"].values()) and not run.stats["counters"]["kernel_stacks"]
    shown = {name for sample in off.samples for name in profiler.functions(sample)}
    assert not [name for name in shown if name.startswith("[syscall")]
    assert off.stats["native"]["syscall"] == 0
    assert off.stats["native"]["function"] > 0.9 * profiler.total(off.samples)


@pytest.mark.skipif(int(pathlib.Path("/proc/sys/kernel/kptr_restrict").read_text()) == 0 and
                    int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) <= 1,
                    reason="not-applicable: /proc/kallsyms shows addresses to everybody")
def test_without_the_right_to_see_names(python, program, tmp_path):
    with profiler.target(python, program) as target:
        run = profile(tmp_path, target, "--kernel", "full",
                      binary=("setpriv", "--bounding-set=-syslog", profiler.BINARY))
    assert run.err.count("the kernel's functions are all [kernel]") == 1 and "CAP_SYSLOG" in run.err
    stacks = [profiler.functions(sample) for sample in run.samples]
    assert ["[kernel]", "[syscall readv]", "reading"] in [stack[:3] for stack in stacks]
    assert all(stack.count("[kernel]") <= 1 for stack in stacks)
    counters = run.stats["counters"]
    assert counters["kernel_missing"] == counters["kernel_stacks"] > 0 == counters["kernel_frames"]


def test_not_with_timers(tmp_path):
    run = profiler.run(tmp_path, "-a", "--kernel", "full", "--trigger", "timer", code=2)
    assert "--kernel full not with --trigger timer" in run.err
