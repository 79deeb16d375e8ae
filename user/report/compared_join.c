// SPDX-License-Identifier: GPL-2.0-only
/*
 * compared_join.c - which rows of two tables are of one thing. A function that has moved in its file, for
 * something was written above it, is still that one: otherwise each change of a file would be one of all its
 * functions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/compared.h"

enum { IN_BASE = 1, IN_NEW = 2 };

/* What a function is called, without where it begins. */
struct called_function {
	__u32 name, file, kind, zero;
};

/* Rows of that name which only one of the profiles has: how many, and the last one of them. */
struct alone {
	__u32 in_base, in_new;
	size_t base, now;
};

/* Rows of the first table get numbers, by which those of the second one find them. */
static int join_rows(struct compared *c, __u8 *sides)
{
	const struct report_table *base = &c->base.table, *now = &c->now.table;
	struct interned keys = { 0 };
	int err = 0;

	for (size_t i = 0; i < base->count + now->count && !err; i++) {
		const struct report_table *t = i < base->count ? base : now;
		const struct table_row *row = &t->rows[i < base->count ? i : i - base->count];
		const struct row_key *key = row_keys_get(&t->keys, row->key);
		struct compared_row *to;
		__u32 id;

		err = interned_add(&keys, key, sizeof(*key), &id);
		if (err)
			break;
		to = &c->rows[id - 1];
		to->key = *key;
		to->base_line = t == base ? key->line : to->base_line;
		sides[id - 1] |= t == base ? IN_BASE : IN_NEW;
		*(t == base ? &to->base_self : &to->new_self) = row->self;
		*(t == base ? &to->base_total : &to->new_total) = row->total;
	}
	c->count = keys.count;
	interned_free(&keys);
	return err;
}

static int find_moved(const struct compared *c, const __u8 *sides, struct interned *names,
		      struct alone *alone, __u32 *name_of)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct row_key *key = &c->rows[i].key;
		const struct called_function called = { key->name, key->file, key->kind, 0 };
		struct alone *a;
		__u32 id;
		int err;

		if (!key->file || !key->line || sides[i] == (IN_BASE | IN_NEW))
			continue;
		err = interned_add(names, &called, sizeof(called), &id);
		if (err)
			return err;
		name_of[i] = id;
		a = &alone[id - 1];
		if (sides[i] == IN_BASE) {
			a->in_base++;
			a->base = i;
		} else {
			a->in_new++;
			a->now = i;
		}
	}
	return 0;
}

/* Where one function of a name is gone and one came, it is the same: with more of them nobody knows which. */
static const struct alone *moved(const struct alone *alone, __u32 name)
{
	const struct alone *a = name ? &alone[name - 1] : NULL;

	return a && a->in_base == 1 && a->in_new == 1 ? a : NULL;
}

/* The row of now gets what that of then had, which goes. */
static void take_moved(struct compared *c, const struct alone *alone, const __u32 *name_of)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct alone *a = moved(alone, name_of[i]);
		struct compared_row *to = a ? &c->rows[a->now] : NULL;

		if (!a || i != a->base)
			continue;
		to->base_line = c->rows[i].base_line;
		to->base_self = c->rows[i].base_self;
		to->base_total = c->rows[i].base_total;
	}
	for (size_t i = 0; i < c->count; i++) {
		const struct alone *a = moved(alone, name_of[i]);

		if (!a || i != a->base)
			c->rows[kept++] = c->rows[i];
	}
	c->count = kept;
}

/* Lines have no such names: which of them has moved only the texts would say. */
static int join_moved(struct compared *c, const __u8 *sides)
{
	_cleanup_free_ struct alone *alone = calloc(c->count + 1, sizeof(*alone));
	_cleanup_free_ __u32 *name_of = calloc(c->count + 1, sizeof(*name_of));
	struct interned names = { 0 };
	int err = alone && name_of ? find_moved(c, sides, &names, alone, name_of) : -ENOMEM;

	if (!err)
		take_moved(c, alone, name_of);
	interned_free(&names);
	return err;
}

int compared_join(struct compared *c)
{
	const size_t most = c->base.table.count + c->now.table.count + 1;
	_cleanup_free_ __u8 *sides = calloc(most, sizeof(*sides));
	int err;

	c->rows = calloc(most, sizeof(*c->rows));
	if (!c->rows || !sides)
		return -ENOMEM;
	err = join_rows(c, sides);
	if (err || c->base.table.keys.by == BY_LINE)
		return err;
	return join_moved(c, sides);
}
