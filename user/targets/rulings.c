// SPDX-License-Identifier: GPL-2.0-only
#include "targets/rulings.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

struct ruling_entry {
	struct ruling ruling;
	UT_hash_handle hh; /* by pid */
};

struct rulings {
	struct ruling_entry *entries;
};

int rulings_new(struct rulings **ret)
{
	struct rulings *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	*ret = r;
	return 0;
}

void rulings_free(struct rulings *r)
{
	struct ruling_entry *e, *next;

	if (!r)
		return;
	HASH_ITER(hh, r->entries, e, next) {
		HASH_DEL(r->entries, e);
		free(e);
	}
	free(r);
}

static struct ruling_entry *find_ruling(const struct rulings *r, __u32 pid)
{
	struct ruling_entry *e;

	HASH_FIND(hh, r->entries, &pid, sizeof(pid), e);
	return e;
}

static struct ruling_entry *add(struct rulings *r, __u32 pid)
{
	struct ruling_entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->ruling.pid = pid;
	HASH_ADD(hh, r->entries, ruling.pid, sizeof(pid), e);
	if (e->hh.tbl)
		return e;
	free(e);
	return NULL;
}

struct ruling *rulings_get(struct rulings *r, __u32 pid, __u64 start_time, __u64 exec_id)
{
	struct ruling_entry *e = find_ruling(r, pid);

	if (!e)
		e = add(r, pid);
	if (!e)
		return NULL;
	if (e->ruling.start_time != start_time || e->ruling.exec_id != exec_id)
		e->ruling = (struct ruling){ .pid = pid, .start_time = start_time, .exec_id = exec_id };
	return &e->ruling;
}

struct ruling *rulings_find(const struct rulings *r, __u32 pid)
{
	struct ruling_entry *e = find_ruling(r, pid);

	return e ? &e->ruling : NULL;
}

void rulings_forget(struct rulings *r, __u32 pid)
{
	struct ruling_entry *e = find_ruling(r, pid);

	if (!e)
		return;
	HASH_DEL(r->entries, e);
	free(e);
}

size_t rulings_count(const struct rulings *r)
{
	return HASH_COUNT(r->entries);
}

void rulings_keep(struct rulings *r, bool (*lives)(void *context, const struct ruling *ruling), void *context)
{
	struct ruling_entry *e, *next;

	HASH_ITER(hh, r->entries, e, next) {
		if (lives(context, &e->ruling))
			continue;
		HASH_DEL(r->entries, e);
		free(e);
	}
}
