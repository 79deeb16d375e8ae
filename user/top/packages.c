// SPDX-License-Identifier: GPL-2.0-only
#include "top/packages.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/package.h"
#include "profile/frames.h"
#include "top/row_index.h"

struct packages {
	struct top_row **row; /* of each function, by id - 1; NULL: it is of none */
	__u32 *counted_in;    /* by the same: a sample that is in the total of that row */
	struct top_rows *rows;
	struct row_index *index;
};

/* What is not known, as [no thread state], is of no package. */
static int add_function(const struct profile *p, struct packages *k, __u32 id)
{
	const struct profile_function *f = profile_get_function(p, id);
	struct top_row *row = &k->rows->rows[k->rows->count];
	enum package_kind kind;
	char name[TOP_NAME_SIZE];

	if (frame_rows[f->kind].table == TABLE_APART)
		return 0;
	if (f->file) {
		kind = package_of(profile_get_string(p, f->file), name, sizeof(name));
		row_index_set_text(row->name, sizeof(row->name), name, 0);
		row_index_set_text(row->where, sizeof(row->where), package_kind_name(kind), 0);
	} else {
		row_index_set_text(row->name, sizeof(row->name), frame_rows[f->kind].key, 0);
		row_index_set_text(row->where, sizeof(row->where), "", 0);
	}
	k->row[id - 1] = row_index_merge(&k->index, k->rows);
	return k->row[id - 1] ? 0 : -ENOMEM;
}

static __u32 function_of(const struct profile *p, const struct profile_stack *s, __u32 i)
{
	return profile_get_location(p, s->locations[i])->function;
}

/* The newest frame that is Python, or else the leaf. */
static __u32 own_function(const struct profile *p, const struct profile_stack *s)
{
	for (__u32 i = 0; i < s->n; i++)
		if (profile_get_function(p, function_of(p, s, i))->kind == FRAME_PYTHON)
			return function_of(p, s, i);
	return function_of(p, s, 0);
}

static void add_sample(const struct profile *p, struct packages *k, __u32 id, double cpus)
{
	const struct profile_stack s = profile_get_sample(p, id);
	struct top_row *own = k->row[own_function(p, &s) - 1];

	if (own)
		own->self += cpus;
	for (__u32 i = 0; i < s.n; i++) {
		struct top_row *row = k->row[function_of(p, &s, i) - 1];
		const size_t number = row ? row - k->rows->rows : 0;

		if (!row || k->counted_in[number] == id)
			continue;
		k->counted_in[number] = id;
		row->total += cpus;
	}
}

static int add_all(const struct profile *p, double (*cpus)(const struct profile *p, __u64 count),
		   struct packages *k)
{
	int err = 0;

	for (__u32 id = 1; id <= profile_count(p, PROFILE_FUNCTION) && !err; id++)
		err = add_function(p, k, id);
	for (__u32 id = 1; id <= profile_count(p, PROFILE_SAMPLE) && !err; id++)
		add_sample(p, k, id, cpus(p, profile_get_sample(p, id).count));
	return err;
}

int packages_add(const struct profile *p, double (*cpus)(const struct profile *p, __u64 count),
		 struct top_rows *to)
{
	const size_t functions = profile_count(p, PROFILE_FUNCTION);
	struct packages k = { .rows = to };
	int err = -ENOMEM;

	k.row = calloc(functions + 1, sizeof(struct top_row *));
	k.counted_in = calloc(functions + 1, sizeof(*k.counted_in));
	to->rows = calloc(functions + 1, sizeof(*to->rows));
	if (k.row && k.counted_in && to->rows)
		err = add_all(p, cpus, &k);
	row_index_free(&k.index);
	free(k.row);
	free(k.counted_in);
	return err;
}
