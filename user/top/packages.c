// SPDX-License-Identifier: GPL-2.0-only
#include "top/packages.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/frames.h"
#include "profile/own_time.h"
#include "profile/package.h"
#include "top/row_index.h"

struct top_packages {
	struct top_row **row; /* of each location, by id - 1; NULL: it is of none */
	enum own_time *own;   /* by the same */
	__u32 *counted_in;    /* by row: a sample that is in the total of that row */
	struct top_rows *rows;
	struct row_index *index;
};

/* What is not known, as [no thread state], is of no package. */
static int add_location(const struct profile *p, struct top_packages *k, __u32 id)
{
	const struct profile_function *f = profile_get_function(p, profile_get_location(p, id)->function);
	const char *file = profile_get_string(p, own_time_file(p, id));
	struct top_row *row = &k->rows->rows[k->rows->count];
	enum package_kind kind;
	char name[TOP_NAME_SIZE];

	k->own[id - 1] = own_time_of(f->kind, file);
	if (frame_rows[f->kind].table == TABLE_APART)
		return 0;
	if (*file) {
		kind = package_of(file, name, sizeof(name));
		row_index_set_text(row->name, sizeof(row->name), name, 0);
		row_index_set_text(row->where, sizeof(row->where), package_kind_name(kind), 0);
	} else {
		row_index_set_text(row->name, sizeof(row->name), frame_rows[f->kind].key, 0);
		row_index_set_text(row->where, sizeof(row->where), "", 0);
	}
	k->row[id - 1] = row_index_merge(&k->index, k->rows);
	return k->row[id - 1] ? 0 : -ENOMEM;
}

/* The frame that has the time; s->n: none may have it, so that it is the leaf's. */
static __u32 own_frame(const struct profile_stack *s, const struct top_packages *k)
{
	__u32 i = 0;

	while (i < s->n && k->own[s->locations[i] - 1] == OWN_TIME_NEVER)
		i++;
	return i;
}

static void add_sample_of_package(const struct profile *p, struct top_packages *k, __u32 id, double cpus)
{
	const struct profile_stack s = profile_get_sample(p, id);
	const __u32 found = own_frame(&s, k), own = found < s.n ? found : 0;

	for (__u32 i = own; i < s.n; i++) {
		struct top_row *row = k->row[s.locations[i] - 1];
		const size_t number = row ? row - k->rows->rows : 0;

		if (!row || (found < s.n && k->own[s.locations[i] - 1] == OWN_TIME_NEVER))
			continue;
		if (i == own)
			row->self += cpus;
		if (k->counted_in[number] == id)
			continue;
		k->counted_in[number] = id;
		row->total += cpus;
	}
}

/* Code that only ever ran for others has no row. */
static void drop_empty(struct top_rows *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].total > 0)
			rows->rows[n++] = rows->rows[i];
	rows->count = n;
}

static int add_all(const struct profile *p, double (*cpus)(const struct profile *p, __u64 count),
		   struct top_packages *k)
{
	int err = 0;

	for (__u32 id = 1; id <= profile_count(p, PROFILE_LOCATION) && !err; id++)
		err = add_location(p, k, id);
	for (__u32 id = 1; id <= profile_count(p, PROFILE_SAMPLE) && !err; id++)
		add_sample_of_package(p, k, id, cpus(p, profile_get_sample(p, id).count));
	if (!err)
		drop_empty(k->rows);
	return err;
}

int packages_add(const struct profile *p, double (*cpus)(const struct profile *p, __u64 count),
		 struct top_rows *to)
{
	const size_t locations = profile_count(p, PROFILE_LOCATION);
	struct top_packages k = { .rows = to };
	int err = -ENOMEM;

	k.row = calloc(locations + 1, sizeof(struct top_row *));
	k.own = calloc(locations + 1, sizeof(*k.own));
	k.counted_in = calloc(locations + 1, sizeof(*k.counted_in));
	to->rows = calloc(locations + 1, sizeof(*to->rows));
	if (k.row && k.own && k.counted_in && to->rows)
		err = add_all(p, cpus, &k);
	row_index_free(&k.index);
	free(k.row);
	free(k.own);
	free(k.counted_in);
	return err;
}
