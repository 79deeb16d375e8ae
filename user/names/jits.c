// SPDX-License-Identifier: GPL-2.0-only
#include "names/jits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fair.h"
#include "base/hash.h"
#include "bpf/abi.h"
#include "names/intervals.h"
#include "names/natives.h"
#include "names/shares.h"
#include "proc/perf_map.h"

#define REGION_SIZE_MAX (1ULL << 32)

/* Of one process. They are there as long as a region of it is. */
struct jit_code_names {
	__u32 process;
	__u64 owner;
	__u32 regions;
	void *bytes; /* map points into it; NULL = none yet */
	size_t size;
	struct perf_map map;
	UT_hash_handle hh;
};

struct region {
	__u64 start, size;
	struct jit_code_names *names; /* NULL: nobody has this number */
	struct owner_share *share;    /* of the process's owner */
};

struct jits {
	struct jit_code_names *by_process;
	struct region list[JITS_REGIONS_MAX]; /* by number */
	struct intervals intervals;
	struct shares *shares;
	size_t bytes;
	__u64 refused;
};

int jits_new(struct jits **ret)
{
	struct jits *j = calloc(1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	if (intervals_open(&j->intervals, JITS_REGIONS_MAX, TEXT_JITS, 1ULL << TEXT_BITS) ||
	    shares_new(&j->shares)) {
		jits_free(j);
		return -ENOMEM;
	}
	*ret = j;
	return 0;
}

static void free_names(struct jits *j, struct jit_code_names *n)
{
	HASH_DEL(j->by_process, n);
	j->bytes -= n->size;
	free(n->bytes);
	free(n);
}

void jits_free(struct jits *j)
{
	struct jit_code_names *n, *next;

	if (!j)
		return;
	HASH_ITER(hh, j->by_process, n, next)
		free_names(j, n);
	intervals_close(&j->intervals);
	shares_free(j->shares);
	free(j);
}

static struct jit_code_names *find_names(const struct jits *j, __u32 process)
{
	struct jit_code_names *n;

	HASH_FIND(hh, j->by_process, &process, sizeof(process), n);
	return n;
}

static struct jit_code_names *names_of(struct jits *j, __u32 process, __u64 owner)
{
	struct jit_code_names *n = find_names(j, process);

	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->process = process;
	n->owner = owner;
	HASH_ADD(hh, j->by_process, process, sizeof(n->process), n);
	if (n->hh.tbl)
		return n;
	free(n);
	return NULL;
}

/* The region that is this one; INTERVALS_NONE if there is none yet. */
static __u32 find_region(const struct jits *j, const struct jit_code_names *n, __u64 start, __u64 size)
{
	for (__u32 i = 0; n && i < JITS_REGIONS_MAX; i++)
		if (j->list[i].names == n && j->list[i].start == start && j->list[i].size == size)
			return i;
	return INTERVALS_NONE;
}

static int add_region(struct jits *j, __u32 process, __u64 owner, __u64 start, __u64 size, __u32 *ret)
{
	struct owner_share *share;
	struct jit_code_names *n;
	int err;

	if (size > REGION_SIZE_MAX)
		return -EFBIG;
	err = intervals_take_shared(&j->intervals, j->shares, owner, size, ret, &share);
	if (err)
		return err;
	n = names_of(j, process, owner);
	if (!n) {
		intervals_give_back_shared(&j->intervals, j->shares, *ret, share);
		return -ENOMEM;
	}
	n->regions++;
	j->list[*ret] = (struct region){ start, size, n, share };
	return 0;
}

int jits_region(struct jits *j, __u32 process, __u64 owner, __u64 start, __u64 end, __u64 *ret_position)
{
	__u32 number = find_region(j, find_names(j, process), start, end - start);
	int err;

	if (number == INTERVALS_NONE) {
		err = add_region(j, process, owner, start, end - start, &number);
		j->refused += err == -ENOSPC;
		if (err)
			return err;
	}
	intervals_see(&j->intervals, number);
	*ret_position = j->intervals.list[number].begin;
	return 0;
}

/* --- what is given back -------------------------------------------------------------------------------- */

void jits_begin_look(struct jits *j)
{
	intervals_begin_look(&j->intervals);
}

void jits_see(struct jits *j, __u64 position)
{
	const __u32 number = intervals_at(&j->intervals, position);

	if (number != INTERVALS_NONE)
		intervals_see(&j->intervals, number);
}

void jits_end_look(struct jits *j, __u32 turn)
{
	intervals_end_look(&j->intervals, turn);
}

static void give_back_region(struct jits *j, __u32 number)
{
	struct jit_code_names *n = j->list[number].names;

	intervals_give_back_shared(&j->intervals, j->shares, number, j->list[number].share);
	j->list[number] = (struct region){ 0 };
	if (!--n->regions)
		free_names(j, n);
}

__u32 jits_give_back(struct jits *j, __u32 turn)
{
	__u32 count = 0;

	for (__u32 i = 0; i < JITS_REGIONS_MAX; i++)
		if (intervals_may_go(&j->intervals, i, turn)) {
			give_back_region(j, i);
			count++;
		}
	return count;
}

double jits_fullness(const struct jits *j)
{
	const double bytes = (double)j->bytes / JITS_BYTES_MAX, regions = intervals_fullness(&j->intervals);

	return larger(bytes, regions);
}

/* Bytes of names, each region's share of them, of the regions that are unused. */
static size_t unused_bytes(const struct jits *j)
{
	size_t bytes = 0;

	for (__u32 i = 0; i < JITS_REGIONS_MAX; i++)
		if (j->list[i].names && j->intervals.list[i].turn)
			bytes += j->list[i].names->size / j->list[i].names->regions;
	return bytes;
}

double jits_unused(const struct jits *j)
{
	const double bytes = (double)unused_bytes(j) / JITS_BYTES_MAX;
	const double regions = intervals_unused(&j->intervals);

	return larger(bytes, regions);
}

__u64 jits_refused(const struct jits *j)
{
	return j->refused;
}

void jits_add_stats(const struct jits *j, struct natives_stats *s)
{
	s->regions += j->intervals.count;
	s->positions += j->intervals.taken;
	s->name_bytes += j->bytes;
}

/* --- names --------------------------------------------------------------------------------------------- */

static size_t bytes_of(const struct jits *j, __u64 owner)
{
	size_t bytes = 0;

	for (const struct jit_code_names *n = j->by_process; n; n = n->hh.next)
		if (n->owner == owner)
			bytes += n->size;
	return bytes;
}

int jits_names(struct jits *j, __u32 process, const void *bytes, size_t size)
{
	_cleanup_free_ void *copy = NULL;
	struct jit_code_names *n = find_names(j, process);
	struct perf_map map;
	int err;

	if (!n)
		return -ENOENT;
	if (size > JITS_BYTES_MAX ||
	    !fair_may(bytes_of(j, n->owner) - n->size, size, JITS_BYTES_MAX - (j->bytes - n->size))) {
		j->refused++;
		return -ENOSPC;
	}
	copy = malloc(size ?: 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, bytes, size);
	err = perf_map_parse(copy, size, &map);
	if (err)
		return err;
	free(n->bytes);
	j->bytes += size - n->size;
	n->bytes = TAKE_PTR(copy);
	n->size = size;
	n->map = map;
	return 0;
}

const char *jits_find(const struct jits *j, __u64 position)
{
	const __u32 number = intervals_at(&j->intervals, position);
	const struct region *r;

	if (number == INTERVALS_NONE)
		return NULL;
	r = &j->list[number];
	if (!r->names->bytes)
		return "";
	return perf_map_find(&r->names->map, r->start + (position - j->intervals.list[number].begin));
}
