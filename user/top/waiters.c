// SPDX-License-Identifier: GPL-2.0-only
#include "top/waiters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/frames.h"
#include "profile/own_time.h"
#include "top/row_index.h"

/* Functions, by their ids. */
struct waiter_pair {
	struct {
		__u32 waits, for_what;
		__u32 holds; /* for_what had the GIL */
	} key;
	__u64 count;
	UT_hash_handle hh;
};

static void free_pairs(struct waiter_pair **all)
{
	struct waiter_pair *f, *next;

	HASH_ITER(hh, *all, f, next) {
		HASH_DEL(*all, f);
		free(f);
	}
}

static __u32 id_of(const struct profile *p, const struct profile_stack *s, __u32 i)
{
	return profile_get_location(p, s->locations[i])->function;
}

static const struct profile_function *function(const struct profile *p, const struct profile_stack *s,
					       __u32 i)
{
	return profile_get_function(p, id_of(p, s, i));
}

/* Whose time it is, of the frames from `i` to before `end`. */
static __u32 own_of(const struct profile *p, const struct profile_stack *s, __u32 i, __u32 end)
{
	return id_of(p, s, own_time_frame(p, s, i, end));
}

/* Of a stack between whose two parts stands who holds the GIL. */
static bool is_holder(const struct profile *p, const struct profile_stack *s, __u32 i)
{
	const struct profile_function *f = function(p, s, i);

	return frame_tells_holder(f->kind, profile_get_string(p, f->name));
}

static bool is_wait(const struct profile *p, const struct profile_stack *s)
{
	const enum frame_kind kind = function(p, s, 0)->kind;

	return kind == FRAME_WAIT || kind == FRAME_SYSCALL;
}

/* false: nothing is waited for. */
static bool find_pair(const struct profile *p, const struct profile_stack *s, struct waiter_pair *ret)
{
	__u32 held = 0;

	while (held < s->n && !is_holder(p, s, held))
		held++;
	if (held && held + 1 < s->n) {
		ret->key.waits = own_of(p, s, held + 1, s->n);
		ret->key.for_what = own_of(p, s, 0, held);
		ret->key.holds = true;
		return true;
	}
	if (!is_wait(p, s))
		return false;
	ret->key.waits = own_of(p, s, 0, s->n);
	ret->key.for_what = id_of(p, s, 0);
	return true;
}

static int add_sample_of_waiter(const struct profile *p, const struct profile_stack *s,
				struct waiter_pair **all)
{
	struct waiter_pair of = { 0 }, *f;

	if (!find_pair(p, s, &of))
		return 0;
	HASH_FIND(hh, *all, &of.key, sizeof(of.key), f);
	if (!f) {
		f = calloc(1, sizeof(*f));
		if (!f)
			return -ENOMEM;
		memcpy(&f->key, &of.key, sizeof(f->key));
		HASH_ADD(hh, *all, key, sizeof(f->key), f);
		if (!f->hh.tbl) {
			free(f);
			return -ENOMEM;
		}
	}
	f->count += s->count;
	return 0;
}

static void set_row(const struct profile *p, const struct waiter_pair *f, struct top_row *row)
{
	const char *what = profile_get_string(p, profile_get_function(p, f->key.for_what)->name);
	char text[TOP_WHERE_SIZE];

	snprintf(text, sizeof(text), "%s%s", f->key.holds ? "GIL: " : "", what);
	row_index_set_text(row->name, sizeof(row->name),
			   profile_get_string(p, profile_get_function(p, f->key.waits)->name), 0);
	row_index_set_text(row->where, sizeof(row->where), text, 0);
}

/* Functions of one name are one row. */
static int add_waiter_rows(const struct profile *p, double (*cpus)(const struct profile *p, __u64 count),
			   struct waiter_pair *all, struct top_rows *to)
{
	_cleanup_row_index_ struct row_index *index = NULL;

	to->rows = calloc(HASH_COUNT(all) + 1, sizeof(*to->rows));
	if (!to->rows)
		return -ENOMEM;
	for (const struct waiter_pair *f = all; f; f = f->hh.next) {
		struct top_row *row;

		set_row(p, f, &to->rows[to->count]);
		row = row_index_merge(&index, to);
		if (!row)
			return -ENOMEM;
		row->self += cpus(p, f->count);
		row->total = row->self;
	}
	return 0;
}

int waiters_add(const struct profile *p, double (*cpus)(const struct profile *p, __u64 count),
		struct top_rows *to)
{
	_cleanup_(free_pairs) struct waiter_pair *all = NULL;
	int err = 0;

	if (profile_shown(p) == EVENT_CPU)
		return 0;
	for (__u32 id = 1; id <= profile_count(p, PROFILE_SAMPLE) && !err; id++) {
		const struct profile_stack s = profile_get_sample(p, id);

		err = s.count ? add_sample_of_waiter(p, &s, &all) : 0;
	}
	return err ?: add_waiter_rows(p, cpus, all, to);
}
