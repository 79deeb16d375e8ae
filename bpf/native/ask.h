/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ask.h - tells user space what the sampler lacks to place native code, at most once in a while for each
 * thing.
 */
#ifndef PYPERF_BPF_NATIVE_ASK_H
#define PYPERF_BPF_NATIVE_ASK_H

#include "bpf/hash.h"
#include "bpf/maps.h"

#define NATIVE_PAUSE 20 /* units of 2^20 ns, nearly ms, between two questions about one thing */

/* Asks user space for what is missing, unless it was asked within NATIVE_PAUSE. */
static __noinline void native_ask(struct scratch *s, struct cpu_stats *count, __u64 pc, __u32 stale)
{
	const struct process *p = &s->who.known;
	const __u32 about = mix((__u64)p->id << 32 | (stale ? 0 : pc >> 16)), ms = bpf_ktime_get_ns() >> 20;
	__u32 slot = about & (NATIVE_ASKED - 1);
	__u64 *last = bpf_map_lookup_elem(&native_asked, &slot);
	struct record_native e = {
		.type = RECORD_NATIVE,
		.pid = s->who.known_tgid,
		.id = p->id,
		.space = p->space,
		.pc = pc,
		.stale = stale,
	};

	if (!last || (*last >> 32 == about && ms - (__u32)*last < NATIVE_PAUSE))
		return;
	*last = (__u64)about << 32 | ms;
	if (bpf_ringbuf_output(&records, &e, sizeof(e), BPF_RB_FORCE_WAKEUP))
		count->ring_full++;
}

#endif
