// SPDX-License-Identifier: GPL-2.0-only
/*
 * same_walk.bpf.c - at each tick that has interrupted the kernel, whatever runs: whether our walk
 * (bpf/stack/kernel_walk.h) finds what the kernel's own does. For same_walk.c, on kernels of which the own
 * walk is known to be safe.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "bpf/abi.h"
#include "bpf/stack/kernel_walk.h"

#define CPUS 4

char LICENSE[] SEC("license") = "GPL";

/* Of each CPU that of ours, and then that of the kernel's. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2 * CPUS);
	__type(key, __u32);
	__type(value, struct scratch);
} stacks SEC(".maps");

__u64 ticks, same, same_frames, different, deepest;
__u64 example_ours[KERNEL_DEPTH + 1], example_theirs[KERNEL_DEPTH + 1]; /* the first that differ */

struct comparison {
	struct scratch *ours, *theirs;
	__u32 differs;
	__u32 pad;
};

/* Of an exception's interrupted address one more is kept. */
static long compare(__u32 i, struct comparison *c)
{
	if (i > KERNEL_DEPTH)
		return 1;
	c->differs = c->ours->kernel.frames[i] - c->theirs->kernel.frames[i] > 1;
	return c->differs;
}

SEC("perf_event")
int on_compare(struct bpf_perf_event_data *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id(), key = 2 * cpu;
	struct comparison c = { 0 };
	__u32 depth;
	long size;

	if (!perf_in_kernel(ctx))
		return 0;
	c.ours = bpf_map_lookup_elem(&stacks, &key);
	key++;
	c.theirs = bpf_map_lookup_elem(&stacks, &key);
	if (!c.ours || !c.theirs)
		return 0;
	depth = kernel_walk(c.ours, perf_pc(ctx), perf_x29(ctx), kernel_kinds_offset());
	size = bpf_get_stack(ctx, c.theirs->kernel.frames, sizeof(c.theirs->kernel.frames), 0);
	__sync_fetch_and_add(&ticks, 1);
	c.differs = size != 8 * (long)depth;
	if (!c.differs)
		bpf_loop(depth, compare, &c, 0);
	if (depth > deepest)
		deepest = depth;
	if (!c.differs) {
		__sync_fetch_and_add(&same, 1);
		__sync_fetch_and_add(&same_frames, depth);
	} else if (!__sync_fetch_and_add(&different, 1)) {
		bpf_probe_read_kernel(example_ours, sizeof(example_ours), c.ours->kernel.frames);
		bpf_probe_read_kernel(example_theirs, sizeof(example_theirs), c.theirs->kernel.frames);
	}
	return 0;
}
