/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * epoch.h - the interpreter's own counter of what would make an address name another code object.
 */
#ifndef PYPERF_BPF_PYTHON_EPOCH_H
#define PYPERF_BPF_PYTHON_EPOCH_H

#include "bpf/maps.h"
#include "bpf/python/thread.h"
#include "bpf/tree/tree.h"

/*
 * The count of what would make an address name another code object: of code objects freed in 3.14+
 * (_code_object_generation), of those made in 3.13 (func_state.next_version, which stays 0 when it overflows).
 */
static __always_inline void read_epoch(struct scratch *s, const struct process *p, const struct layout *l)
{
	__u64 interp = tstate_field(s, l->tstate_interp), generation = 0;

	s->epoch = s->made = 0;
	if (!l->generation_size || p->no_generation || !mem_plausible(interp))
		return;
	if (walk_read(&s->walk, &generation, sizeof(generation), interp + l->interp_generation))
		return;
	if (l->generation_size == 4) {
		generation &= 0xffffffff;
		s->made = generation;
		if (!generation)
			return;
	}
	if (l->interp_tlbc_generation)
		generation ^= search_read(s, interp + l->interp_tlbc_generation) << 32;
	s->epoch = mix(interp ^ generation << 48 ^ generation ^ (__u64)s->generation << 24) | 1;
}

#endif
