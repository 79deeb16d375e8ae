# SPDX-License-Identifier: GPL-2.0-only
"""--kernel: the system call that a line of Python was in, and with full the functions of the kernel."""
import gzip
import pathlib
import re

import pytest

import go_pprof
import interpreters as known
import kernel_stacks
import pprof
import profiler

FREQUENCY = 997


def shows_addresses():
    with open("/proc/kallsyms") as f:
        return any(not line.startswith("0000000000000000") for line in f)


names = pytest.mark.skipif(not shows_addresses(),
                            reason="SKIP not-applicable: /proc/kallsyms shows no addresses")


@pytest.fixture
def program(workloads):
    return workloads / "native" / "in_kernel.py"


@pytest.fixture(scope="module")
def python():
    return known.newest().path


def profile(directory, target, *arguments, cpu=1.5, **options):
    return profiler.run_while(directory, [target], cpu, "-F", FREQUENCY, *arguments, **options)


@names
@pytest.mark.parametrize("mode", ["off", "leaf", "full"])
def test_functions_of_a_known_mixture(python, program, mode, tmp_path):
    with profiler.target(python, program) as target:
        run = profile(tmp_path, target, "--kernel", "full", "--native", mode, cpu=3)
        took = target.ask()
    kernel_stacks.check_mixture(run.samples, took, run.stats["counters"])
    assert sum(run.stats["native"].values()) == (0 if mode == "off" else profiler.total(run.samples))


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
    raw = go_pprof.read("-raw", run.path)
    within = [line for line in raw.splitlines() if re.match(r"\s*\d+: 0x[0-9a-f]+ M=\d+ ", line)]
    starts = {"M=" + m: start for m, start, name in
              re.findall(r"^(\d+): (0x\w+)/0x\w+/0x\w+ (\[[\w.]+\])", raw, re.M)
              if name not in ("[vdso]", "[JIT]")}
    # That is where its mapping begins, which is a number of ours.
    addresses = {tuple(line.split()[1:3]) for line in within if line.split()[2] in starts}
    assert starts and addresses == {(start, m) for m, start in starts.items()}, (starts, addresses)
    ours = [int(start, 16) for start in starts.values()]
    assert all(start < 1 << 63 and not start % (1 << 33) for start in ours), starts
    assert kernel_stacks.ENTRY in go_pprof.read("-top", "-cum", "-nodecount=0", run.path)


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
                    reason="SKIP not-applicable: /proc/kallsyms shows addresses to everybody")
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
