/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * io.h - what Python programs write, and what they read. The kernel says of each system call how it has
 * ended, in the thread that made it, and what read() and write() return is how many bytes have been moved.
 */
#ifndef PYPERF_BPF_EVENTS_IO_H
#define PYPERF_BPF_EVENTS_IO_H

#include "bpf/events/offcpu.h"

/* As in asm/unistd.h of each architecture. */
#if defined(__TARGET_ARCH_arm64)
#define SYSCALL_READ  63
#define SYSCALL_WRITE 64
#else
#define SYSCALL_READ  0
#define SYSCALL_WRITE 1
#endif

#define IO_LEAST 16 /* bytes; for less no stack is taken */

static __always_inline void io_end(struct cpu_stats *count, int is_input, __u32 node, __u32 outcome,
				   __u64 bytes)
{
	if (is_input)
		sample_end(count, EVENT_INPUT, node, outcome, bytes);
	else
		sample_end(count, EVENT_OUTPUT, node, outcome, bytes);
}

/* Takes the stack of the current thread. Input is a node above it: so one walk and one cache serve both. */
static __always_inline void io_sample(struct scratch *s, struct cpu_stats *count, int is_input, __u64 bytes)
{
	__u32 outcome = sample_task(s, count, EVENT_OUTPUT), node = s->tree.node;

	if (outcome == OUTCOME_NOT_PYTHON || outcome == OUTCOME_NOT_SELECTED)
		return;
	if (is_input && outcome_is_in_profile(outcome)) {
		node = wait_cause(count, s->tree.bank, node, WAIT_INPUT);
		outcome = node ? outcome : OUTCOME_TABLE_FULL;
		node = node ?: EVENT_INPUT;
	}
	io_end(count, is_input, node, outcome, bytes);
}

/* The current thread's system call has ended so. */
static __always_inline void on_io(__s64 number, __s64 result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);
	const int is_input = number == SYSCALL_READ;

	if (!s || !count || result <= 0 || (!is_input && number != SYSCALL_WRITE) ||
	    !thread_is_selected(task) || !watched_process(task, s, count))
		return;
	if (result < IO_LEAST) {
		io_end(count, is_input, 0, OUTCOME_FEW_BYTES, result);
		return;
	}
	if (s->busy) {
		io_end(count, is_input, 0, OUTCOME_NESTED, result);
		return;
	}
	s->busy = 1;
	barrier();
	io_sample(s, count, is_input, result);
	barrier();
	s->busy = 0;
}

#endif
