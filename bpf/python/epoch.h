/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * epoch.h - the code epoch: a number that, while it stays the same, proves that a code object's address still
 * names the same object. It is made of a counter of the interpreter's own, which only 3.13 and later have.
 */
#ifndef PYPERF_BPF_PYTHON_EPOCH_H
#define PYPERF_BPF_PYTHON_EPOCH_H

#include "bpf/base/hash.h"
#include "bpf/data/maps.h"
#include "bpf/python/thread.h"

/*
 * Reads the eight bytes at interp_epoch. 0, or negative. with_gc: leaves the interpreter's gc.frame in
 * s->code.gc_frame. It lies some 430 bytes before them, so that one read gets both, for a few nanoseconds
 * more; a read of its own would cost some 80. If they cannot be read together, the epoch alone is.
 */
static __always_inline int read_counter(struct scratch *s, const struct layout *l, __u64 interp, int with_gc,
					__u64 *ret)
{
	__u32 size = l->interp_epoch + sizeof(*ret) - l->interp_gc_frame;

	mem_opaque(size);
	if (with_gc && l->interp_gc_frame && size <= INTERP_READ &&
	    !walk_read(&s->walk, s->interp, size, interp + l->interp_gc_frame)) {
		s->code.gc_frame = *(const __u64 *)s->interp;
		*ret = *(const __u64 *)(s->interp + ((size - sizeof(*ret)) & INTERP_MASK));
		return 0;
	}
	return walk_read(&s->walk, ret, sizeof(*ret), interp + l->interp_epoch);
}

/*
 * Leaves the epoch in s->code.epoch, 0 if there is none; with_gc as above. The counters: 3.14 and later count
 * the code objects that were freed (_code_object_generation); 3.13 has the next co_version to be given out
 * (func_state.next_version), which moves with each object that is made and stays 0 once it has overflowed.
 */
static __always_inline void read_epoch(struct scratch *s, const struct process *p, const struct layout *l,
				       int with_gc)
{
	__u64 interp = tstate_field(s, l->tstate_interp), counter = 0;

	s->code.epoch = s->code.made = s->code.gc_frame = 0;
	if (!l->epoch_size || p->no_epoch || !mem_plausible(interp))
		return;
	if (read_counter(s, l, interp, with_gc, &counter))
		return;
	if (l->epoch_size == 4) {
		counter &= 0xffffffff;
		s->code.made = counter;
		if (!counter)
			return;
	}
	if (l->interp_tlbc_generation)
		counter ^= search_read(s, interp + l->interp_tlbc_generation) << 32;
	s->code.epoch = mix(interp ^ counter << 48 ^ counter ^ (__u64)s->tree.generation << 24) | 1;
}

#endif
