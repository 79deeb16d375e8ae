// SPDX-License-Identifier: GPL-2.0-only
#include "names/jits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "bpf/abi.h"
#include "proc/perf_map.h"

#define REGION_SIZE_MAX (1ULL << 32)

/* The functions of one process. */
struct names {
	__u32 process;
	void *bytes; /* map points into it; NULL = none yet */
	size_t size;
	struct perf_map map;
	UT_hash_handle hh;
};

struct region {
	__u64 base; /* position */
	__u64 start, size;
	struct names *names;
};

struct jits {
	struct names *by_process;
	struct region list[JITS_REGIONS_MAX]; /* in the order of base */
	__u32 count;
	__u64 next; /* position */
	size_t bytes;
};

int jits_new(struct jits **ret)
{
	struct jits *j = calloc(1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	j->next = TEXT_JITS;
	*ret = j;
	return 0;
}

void jits_free(struct jits *j)
{
	struct names *n, *next;

	if (!j)
		return;
	HASH_ITER(hh, j->by_process, n, next) {
		HASH_DEL(j->by_process, n);
		free(n->bytes);
		free(n);
	}
	free(j);
}

static struct names *names_of(struct jits *j, __u32 process)
{
	struct names *n;

	HASH_FIND(hh, j->by_process, &process, sizeof(process), n);
	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->process = process;
	HASH_ADD(hh, j->by_process, process, sizeof(n->process), n);
	if (n->hh.tbl)
		return n;
	free(n);
	return NULL;
}

int jits_region(struct jits *j, __u32 process, __u64 start, __u64 end, __u64 *ret_position)
{
	const __u64 size = end - start;
	struct names *n = names_of(j, process);

	if (!n)
		return -ENOMEM;
	for (__u32 i = 0; i < j->count; i++) {
		const struct region *r = &j->list[i];

		if (r->names == n && r->start == start && r->size == size) {
			*ret_position = r->base;
			return 0;
		}
	}
	if (j->count == JITS_REGIONS_MAX || size > REGION_SIZE_MAX || size > (1ULL << TEXT_BITS) - j->next)
		return -ENOSPC;
	j->list[j->count++] = (struct region){ j->next, start, size, n };
	*ret_position = j->next;
	j->next += size;
	return 0;
}

int jits_names(struct jits *j, __u32 process, const void *bytes, size_t size)
{
	_cleanup_free_ void *copy = NULL;
	struct names *n = names_of(j, process);
	struct perf_map map;
	int err;

	if (!n)
		return -ENOMEM;
	if (j->bytes - n->size + size > JITS_BYTES_MAX)
		return -ENOSPC;
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
	__u32 low = 0, high = j->count;

	while (low < high) {
		__u32 middle = (low + high) / 2;
		const struct region *r = &j->list[middle];

		if (position < r->base)
			high = middle;
		else if (position - r->base >= r->size)
			low = middle + 1;
		else
			return r->names->bytes ?
				       perf_map_find(&r->names->map, r->start + (position - r->base)) :
				       "";
	}
	return NULL;
}
