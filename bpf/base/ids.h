/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ids.h - gives out numbers for processes, struct process.id. Both sides do: the kernel at a fork or an exec,
 * user space for a process that it has analysed.
 */
#ifndef PYPERF_BPF_BASE_IDS_H
#define PYPERF_BPF_BASE_IDS_H

#include "bpf/abi/process.h"

#define ID_TRIES 32
#define ID_STEP	 4093 /* a prime: long steps that reach every id in the end */

/*
 * The next free id after *last, which moves on to it. held has one bit for each id that is in use. A pre-fork
 * server uses up a million ids in days, so they are given out again. Those in use lie close together, 73,000
 * at most, which is why the search leaves such a stretch by long steps. 0 is no id and is never returned; if
 * ID_TRIES ids in a row were in use, the last one of them is returned all the same.
 */
static inline __u32 new_id(const volatile __u64 *held, __u32 *last)
{
	__u32 id = 0, step = 1;

	for (int i = 0; i < ID_TRIES; i++, step = ID_STEP) {
		id = (__sync_fetch_and_add(last, step) + step) & (PROCESS_IDS - 1);
		if (id && !(held[id / 64] >> id % 64 & 1))
			break;
	}
	return id ? id : 1;
}

#endif
