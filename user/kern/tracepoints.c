// SPDX-License-Identifier: GPL-2.0-only
#include "kern/tracepoints.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "pyperf.skel.h"

/* By the number of their row. */
enum {
#define TRACEPOINT(program, needs, cost) TRACEPOINT_##program,
#include "kern/tracepoints.def"
#undef TRACEPOINT
	TRACEPOINTS
};

struct tracepoint {
	struct bpf_program *program;
	struct bpf_link **link;
	__u32 needs;
};

static struct tracepoint tracepoint(struct pyperf *s, int number)
{
	const struct tracepoint all[TRACEPOINTS] = {
#define TRACEPOINT(program, needs, cost) { s->progs.program, &s->links.program, needs },
#include "kern/tracepoints.def"
#undef TRACEPOINT
	};

	return all[number];
}

/* For --event memory. */
static void prepare_memory(struct pyperf *s, __u32 needs, __u64 step)
{
	const __u64 page = sysconf(_SC_PAGESIZE);

	bpf_map__set_autocreate(s->maps.memories, needs & NEEDS_MEMORY);
	s->rodata->opt_page = page;
	s->rodata->opt_rss_step = step > page ? (step + page - 1) / page : 1;
}

void tracepoints_prepare(struct pyperf *s, __u32 needs, __u64 rss_step)
{
	for (int i = 0; i < TRACEPOINTS; i++) {
		const struct tracepoint t = tracepoint(s, i);

		bpf_program__set_autoload(t.program, !t.needs || t.needs & needs);
	}
	prepare_memory(s, needs, rss_step);
}

/* "sched_switch" of "tp_btf/sched_switch". */
static const char *name_of(const struct tracepoint *t)
{
	const char *section = bpf_program__section_name(t->program), *slash = strchr(section, '/');

	return slash ? slash + 1 : section;
}

int tracepoints_start(struct pyperf *s, const char **ret_name)
{
	for (int i = 0; i < TRACEPOINTS; i++) {
		const struct tracepoint t = tracepoint(s, i);

		if (*t.link || !bpf_program__autoload(t.program))
			continue;
		*t.link = bpf_program__attach(t.program);
		if (*t.link)
			continue;
		*ret_name = name_of(&t);
		return -errno;
	}
	return 0;
}

void tracepoints_stop(struct pyperf *s)
{
	for (int i = s ? TRACEPOINTS : 0; i-- > 0;) {
		const struct tracepoint t = tracepoint(s, i);

		if (!t.needs)
			continue;
		bpf_link__destroy(*t.link);
		*t.link = NULL;
	}
}
