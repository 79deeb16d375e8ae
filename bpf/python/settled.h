/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settled.h - which code objects may be among cached callers where there is no code epoch: up to 3.12.
 *
 * Cached callers are compared word by word, but a code object is not read again. So what must not happen is
 * that one of them is freed and another one made in its place, whose frame then looks the same. No counter
 * tells. So only an object that has stayed for long is trusted: it is settled once it was read at its
 * address twice, SETTLED_SECONDS apart, and no other one was read there in between. An address at which two
 * were found is never trusted again. docs/internals/cache.md says what follows from it ("Without an epoch").
 */
#ifndef PYPERF_BPF_PYTHON_SETTLED_H
#define PYPERF_BPF_PYTHON_SETTLED_H

#include "bpf/base/hash.h"
#include "bpf/data/maps.h"
#include "bpf/tree/bank.h"

#define SETTLED_SECONDS 2
#define HINTS		4 /* slots in which the object at an address may be noted */

static __always_inline int code_was_settled(const struct code *c)
{
	return c->epoch != SETTLED_NEVER && (c->epoch & (SETTLED_ONCE | 1)) == SETTLED_ONCE;
}

/* Whether the object, which is where it was found the last time, has been there for long. */
static __always_inline int code_has_settled(struct code *c, __u64 now)
{
	if (c->epoch == SETTLED_NEVER || now - (c->epoch >> SETTLED_SHIFT) < SETTLED_SECONDS * opt_hz)
		return 0;
	if (!(c->epoch & SETTLED_ONCE))
		c->epoch |= SETTLED_ONCE;
	return 1;
}

/* Notes that c took the place of old at one address. */
static __always_inline void code_replaces(struct scratch *s, struct cpu_stats *count, struct code *c,
					  struct code *old)
{
	count->codes_reused++;
	s->code.unsettled |= code_was_settled(old) ? UNSETTLED_REUSED : UNSETTLED_NEW;
	old->epoch = SETTLED_NEVER;
	c->epoch = SETTLED_NEVER;
}

/*
 * Notes that object number index has just been read at the address of key. Returns 1 if it is settled, else
 * 0. now is in jiffies. Which object was there before is noted at one of HINTS slots, which are shared with
 * other addresses. If it is not there, the time begins anew.
 */
__noinline int code_settle(struct scratch *s, struct cpu_stats *count, __u64 key, __u32 index, __u64 now)
{
	struct code *c = bpf_map_lookup_elem(&codes, &index), *note = NULL;
	const __u32 first = mix(key);

	if (!s || !count || !c)
		return 0;
	if (!c->epoch || c->epoch & 1)
		c->epoch = now << SETTLED_SHIFT;
	for (int i = 0; i < HINTS; i++) {
		__u32 at = bank_index(s->tree.bank, opt_code_mask, first + i), last;
		struct code *slot = bpf_map_lookup_elem(&codes, &at), *old;

		if (!slot)
			return 0;
		last = slot->hint;
		if (last == index)
			return code_has_settled(c, now);
		if (!i || !last)
			note = slot;
		if (!last)
			break;
		old = bpf_map_lookup_elem(&codes, &last);
		if (old && old->key == key) {
			code_replaces(s, count, c, old);
			slot->hint = index;
			return 0;
		}
	}
	if (c->epoch != SETTLED_NEVER)
		c->epoch = now << SETTLED_SHIFT;
	if (note)
		note->hint = index;
	return 0;
}

#endif
