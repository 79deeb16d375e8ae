# SPDX-License-Identifier: GPL-2.0-only
"""The judge of functions of the kernel in the samples of tests/workloads/native/in_kernel.py."""
import math
import platform
import re

import profiler

# What each function of in_kernel.py does there: the system call, and a function that must be in the middle of
# it. "touching" is in page faults; to give the memory back, by munmap(), is no part of that.
WITHIN = {
    "reading": ("readv", r"vfs_(iter_)?readv?|do_iter_readv?(_writev)?"),
    "asking": ("getppid", r"__(x64|arm64|se|do)_sys_getppid|do_syscall_64|invoke_syscall"),
    "piping": ("write", r"(anon_)?pipe_write|fifo_pipe_write"),
    "touching": (None, r"handle_mm_fault"),
}
# A page fault begins with interrupts off, on arm64 a system call, too. A tick that comes meanwhile arrives
# where these functions let them in. How many do is the machine's: on one 373 of 1,060 samples.
LETS_TICKS_IN = r"exc_page_fault|el0_da|el0_svc(_common\S*)?"
# Each system call is called by this one.
ENTRIES = {"x86_64": "do_syscall_64", "aarch64": "do_el0_svc"}
ENTRY = ENTRIES[platform.machine()]


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


def check_mixture(samples, took, counters, least=50):
    """took: the program's own account of all of its life."""
    found = [(*parts(sample), sample.count) for sample in samples]
    for function, (call, name) in WITHIN.items():
        inside = [(kernel, count) for at, syscall, kernel, count in found
                  if at == function and kernel and syscall == (call and "[syscall %s]" % call) and
                  not re.fullmatch(LETS_TICKS_IN, kernel[-1])]
        total = sum(count for _, count in inside)
        # Ticks that arrive late are of an interrupt, or of the way in and out.
        within = sum(count for kernel, count in inside if any(re.fullmatch(name, k) for k in kernel))
        assert total > least, (function, found)
        assert within > 0.6 * total, (function, inside)
    # The functions of the kernel are where the time was.
    n = profiler.total(samples)
    expected = took["reading"] / sum(took.values())
    share = sum(count for at, _, _, count in found if at == "reading") / n
    assert abs(share - expected) <= 5 * math.sqrt(expected * (1 - expected) / n) + 0.04, (share, expected)
    assert counters["kernel_stacks"] == sum(count for _, _, kernel, count in found if kernel)
    assert counters["kernel_frames"] == sum(count * len(kernel) for _, _, kernel, count in found)
    assert counters["kernel_missing"] == counters["kernel_cut"] == 0
