// SPDX-License-Identifier: GPL-2.0-only
#include "kern/memory.h"

#include <unistd.h>

#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "pyperf.skel.h"

void memory_prepare(struct pyperf *s, __u32 needs, __u64 step)
{
	const __u64 page = sysconf(_SC_PAGESIZE);

	bpf_map__set_autocreate(s->maps.memories, needs & NEEDS_MEMORY);
	s->rodata->opt_page = page;
	s->rodata->opt_rss_step = step > page ? (step + page - 1) / page : 1;
}
