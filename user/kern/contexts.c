// SPDX-License-Identifier: GPL-2.0-only
#include "kern/contexts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "kern/object.h"
#include "pyperf.skel.h"

int contexts_prepare(struct contexts *t, struct kernel *k)
{
	const struct kernel_options *o = &k->options;

	*t = (struct contexts){ .kernel = k };
	if (!o->trace && bpf_map__set_max_entries(k->skel->maps.spans_told, 1))
		return -ENOMEM;
	if (!o->contexts && !o->trace)
		return bpf_map__set_max_entries(k->skel->maps.contexts, 1);
	t->vars = calloc(CONTEXTS_MAX, sizeof(*t->vars));
	return t->vars ? 0 : -ENOMEM;
}

void contexts_free(struct contexts *t)
{
	free(TAKE_PTR(t->vars));
}

const struct context_vars *contexts_get(const struct contexts *t, __u32 contexts)
{
	return t->vars && contexts && contexts <= t->count ? &t->vars[contexts - 1] : NULL;
}

/* The index of one that is like this; or of a free one, which becomes so; or -errno. */
static int find_or_add(struct contexts *t, const struct context_vars *v, __u64 user)
{
	struct side *side = &t->kernel->side;
	int free, err;

	for (__u32 i = 0; i < t->count; i++)
		if (!memcmp(&t->vars[i], v, sizeof(*v)))
			return (int)i;
	free = index_room_find(&t->room, &side->processes, INDEX_CONTEXTS, t->count, user);
	if (free < 0)
		return free;
	err = table_set(&side->contexts, &free, v);
	if (err)
		return err;
	t->vars[free] = *v;
	t->count += free == (int)t->count;
	return free;
}

int contexts_set(struct contexts *t, __u32 pid, __u32 id, __u64 user, const struct context_vars *v)
{
	const int index = find_or_add(t, v, user);
	const struct number_request request = { pid, id, NUMBER_CONTEXTS, (__u32)index + 1 };

	return index < 0 ? index : t->kernel->home->set_number(t->kernel, &request);
}

struct contexts *kernel_contexts(struct kernel *k)
{
	return &k->contexts;
}
