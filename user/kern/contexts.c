// SPDX-License-Identifier: GPL-2.0-only
#include "kern/contexts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "kern/object.h"
#include "pyperf.skel.h"

int contexts_prepare(struct contexts *t, struct pyperf *skel, unsigned int labels, bool trace)
{
	const bool wanted = labels || trace;

	*t = (struct contexts){ .skel = skel };
	skel->rodata->opt_contexts = labels;
	skel->rodata->opt_trace = trace;
	bpf_program__set_autoload(skel->progs.set_contexts, wanted);
	if (!trace && bpf_map__set_max_entries(skel->maps.spans_told, 1))
		return -ENOMEM;
	if (!wanted)
		return bpf_map__set_max_entries(skel->maps.contexts, 1);
	t->vars = calloc(CONTEXTS_MAX, sizeof(*t->vars));
	return t->vars ? 0 : -ENOMEM;
}

void contexts_free(struct contexts *t)
{
	free(TAKE_PTR(t->vars));
}

bool contexts_are_wanted(const struct contexts *t)
{
	return t->vars;
}

const struct context_vars *contexts_get(const struct contexts *t, __u32 contexts)
{
	return t->vars && contexts && contexts <= t->count ? &t->vars[contexts - 1] : NULL;
}

/* The index of one that is like this; or of a free one, which becomes so; or -errno. */
static int find_or_add(struct contexts *t, const struct context_vars *v, __u64 user)
{
	const struct bpf_map *map = t->skel->maps.contexts;
	int free, err;

	for (__u32 i = 0; i < t->count; i++)
		if (!memcmp(&t->vars[i], v, sizeof(*v)))
			return (int)i;
	free = index_room_find(&t->room, t->skel->maps.processes, INDEX_CONTEXTS, t->count, user);
	if (free < 0)
		return free;
	err = bpf_map__update_elem(map, &free, sizeof(free), v, sizeof(*v), BPF_ANY);
	if (err)
		return err;
	t->vars[free] = *v;
	t->count += free == (int)t->count;
	return free;
}

int contexts_set(struct contexts *t, __u32 pid, __u32 id, __u64 user, const struct context_vars *v)
{
	const int index = find_or_add(t, v, user);
	struct contexts_request request = { pid, id, (__u32)index + 1, 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &request, .ctx_size_in = sizeof(request));

	if (index < 0)
		return index;
	if (bpf_prog_test_run_opts(bpf_program__fd(t->skel->progs.set_contexts), &opts))
		return -errno;
	return opts.retval ? -ESRCH : 0;
}

struct contexts *kernel_contexts(struct kernel *k)
{
	return &k->contexts;
}
