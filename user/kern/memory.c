// SPDX-License-Identifier: GPL-2.0-only
#include "kern/memory.h"

#include <errno.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "kern/run_time.h"
#include "pyperf.skel.h"

void memory_prepare(struct pyperf *s, bool wanted, __u64 step)
{
	const __u64 page = sysconf(_SC_PAGESIZE);

	bpf_program__set_autoload(s->progs.on_rss, wanted);
	bpf_map__set_autocreate(s->maps.memories, wanted);
	s->rodata->opt_page = page;
	s->rodata->opt_rss_step = step > page ? (step + page - 1) / page : 1;
}

int memory_start(struct pyperf *s)
{
	if (!bpf_program__autoload(s->progs.on_rss) || s->links.on_rss)
		return 0;
	s->links.on_rss = bpf_program__attach(s->progs.on_rss);
	return s->links.on_rss ? 0 : -errno;
}

void memory_stop(struct pyperf *s)
{
	if (!s)
		return;
	bpf_link__destroy(s->links.on_rss);
	s->links.on_rss = NULL;
}

void memory_run_time(const struct pyperf *s, __u64 *runs, __u64 *time_ns)
{
	run_time_add(s->progs.on_rss, runs, time_ns);
}
