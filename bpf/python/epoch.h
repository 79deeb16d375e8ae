/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * epoch.h - the code epoch: a number that, while it stays the same, proves that a code object's address still
 * names the same object. It is made of a counter of the interpreter's own, which only 3.13 and later have.
 */
#ifndef PYPERF_BPF_PYTHON_EPOCH_H
#define PYPERF_BPF_PYTHON_EPOCH_H

#include "bpf/hash.h"
#include "bpf/maps.h"
#include "bpf/python/thread.h"

/*
 * Leaves the epoch in s->code.epoch, 0 if there is none. The counters: 3.14 and later count the code objects
 * that were freed (_code_object_generation); 3.13 has the next co_version to be given out
 * (func_state.next_version), which moves with each object that is made and stays 0 once it has overflowed.
 */
static __always_inline void read_epoch(struct scratch *s, const struct process *p, const struct layout *l)
{
	__u64 interp = tstate_field(s, l->tstate_interp), counter = 0;

	s->code.epoch = s->code.made = 0;
	if (!l->epoch_size || p->no_epoch || !mem_plausible(interp))
		return;
	if (walk_read(&s->walk, &counter, sizeof(counter), interp + l->interp_epoch))
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
