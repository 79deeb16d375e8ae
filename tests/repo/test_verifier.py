# SPDX-License-Identifier: GPL-2.0-only
"""What the verifier looked at: on this kernel (tests/guest/verifier.c, which asserts the limit), and by
docs/verifier.md on those of the guests."""
import subprocess
import sys

import bpf_stack
import profiler

sys.path.insert(0, str(profiler.ROOT / "tests/guest"))
import verifier  # noqa: E402

TOOL = profiler.BUILD / "tests/guest/verifier"


def test_this_kernel_takes_every_program_below_the_limit():
    assert TOOL.exists(), "not built: %s (make tests)" % TOOL
    ran = subprocess.run([str(TOOL)], capture_output=True, text=True, timeout=1100)
    assert ran.returncode == 0, ran.stderr
    counts = verifier.parse_lines(ran.stdout)
    print(ran.stdout)
    assert set(counts) == set(verifier.ROWS)
    assert all(0 < count <= verifier.LIMIT for count in counts.values()), counts


def test_the_page_has_every_program_below_the_limit():
    columns = verifier.parse_page(verifier.PAGE.read_text())
    assert len(columns) >= 4
    for name, counts in columns.items():
        # Those of arm64 were last asked before there was native code, all before there was set_number.
        missing = {row for row in set(verifier.ROWS) - set(counts)
                   if "arm64" in name or row[0] in ("on_syscall_end", "set_number")}
        assert set(counts) | missing == set(verifier.ROWS) and len(counts) >= 11, name
        assert all(0 < count <= verifier.LIMIT for count in counts.values()), name


def test_the_stack_is_enough_for_linux_6_1():
    """Each function's is rounded up to 32 bytes there, and to 16 on this kernel."""
    needs = bpf_stack.programs(profiler.BUILD / "bpf/pyperf.bpf.o")
    assert {name for name, _ in verifier.ROWS} <= set(needs) and len(needs["on_tick"][1]) > 4
    for name, (need, calls) in needs.items():
        assert need <= bpf_stack.LIMIT and len(calls) <= bpf_stack.CALLS, (name, need, calls)
