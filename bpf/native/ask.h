/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ask.h - tells user space what the sampler lacks to place native code, at most once in a while for each
 * thing.
 */
#ifndef PYPERF_BPF_NATIVE_ASK_H
#define PYPERF_BPF_NATIVE_ASK_H

#include "bpf/base/hash.h"
#include "bpf/data/maps.h"

/* Between two questions about one thing, and about mappings that seem to be right; in 2^20 ns, nearly ms. */
#define NATIVE_PAUSE	  20
#define NATIVE_PAUSE_LONG 1000

/* What is asked for. */
#define ASK_PLACE    0 /* what is known of the place in the code */
#define ASK_MAPPINGS 1 /* they are not known, or not those that were read */
#define ASK_ANEW     2 /* a thread is in none of them */

/* Asks user space for what is missing, unless it was asked lately. */
static __noinline void native_ask(struct scratch *s, struct cpu_stats *count, __u64 pc, __u32 what)
{
	const struct process *p = &s->who.known;
	const __u64 thing = what == ASK_PLACE ? pc >> 16 : what;
	const __u32 about = mix(((__u64)p->id << 32 | (__u32)thing) ^ opt_secret);
	const __u32 ms = bpf_ktime_get_ns() >> 20;
	const __u32 pause = what == ASK_ANEW ? NATIVE_PAUSE_LONG : NATIVE_PAUSE;
	__u32 slot = about & (NATIVE_ASKED - 1);
	__u64 *last = bpf_map_lookup_elem(&native_asked, &slot);
	struct record_native e = {
		.type = RECORD_NATIVE,
		.pid = s->who.known_tgid,
		.id = p->id,
		.space = p->space,
		.pc = pc,
		.stale = what != ASK_PLACE,
	};

	if (!last || (*last >> 32 == about && ms - (__u32)*last < pause))
		return;
	*last = (__u64)about << 32 | ms;
	if (bpf_ringbuf_output(&records, &e, sizeof(e), BPF_RB_FORCE_WAKEUP))
		count->ring_full++;
}

#endif
