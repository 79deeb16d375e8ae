// SPDX-License-Identifier: GPL-2.0-only
/*
 * pyperf.bpf.c - the program that sees output and input.
 */
#include "../../../bpf/pyperf.bpf.c"
#include "bpf/events/io.h"

/* With --event output only. */
SEC("tp_btf/sys_exit")
int BPF_PROG(on_call_end, struct pt_regs *regs, long result)
{
	on_io(regs_syscall(regs), result);
	return 0;
}
