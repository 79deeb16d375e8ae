// SPDX-License-Identifier: GPL-2.0-only
/*
 * longest.bpf.c - how long the switch of a thread of one process takes in the programs that are attached to
 * it after `before` and before `behind`: they run in the order in which they were attached.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "tests/forge/longest.h"

char LICENSE[] SEC("license") = "GPL";

const volatile __u32 of_process;
__u64 begun[LONGEST_CPUS];
struct longest_runs all;

SEC("tp_btf/sched_switch")
int before(void *unused)
{
	const __u32 cpu = bpf_get_smp_processor_id() & (LONGEST_CPUS - 1);

	begun[cpu] = bpf_get_current_pid_tgid() >> 32 == of_process ? bpf_ktime_get_ns() : 0;
	return 0;
}

SEC("tp_btf/sched_switch")
int behind(void *unused)
{
	const __u64 begin = begun[bpf_get_smp_processor_id() & (LONGEST_CPUS - 1)];
	const __u64 ns = begin ? bpf_ktime_get_ns() - begin : 0;
	__u64 bucket = ns / LONGEST_NS;

	if (!begin)
		return 0;
	bucket = bucket < LONGEST_BUCKETS ? bucket : LONGEST_BUCKETS - 1;
	__sync_fetch_and_add(&all.counts[bucket & (LONGEST_BUCKETS - 1)], 1);
	if (ns > all.max) /* two CPUs may do so at once: then one of them is lost */
		all.max = ns;
	return 0;
}
