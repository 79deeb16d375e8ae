// SPDX-License-Identifier: GPL-2.0-only
#include "names/natives.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "bpf/abi.h"
#include "names/jits.h"
#include "names/native_lines.h"

#define PAGE	 4096ULL
#define FILE_MAX (1ULL << 32) /* offsets of functions have 32 bits */

struct entry {
	struct code_file key;
	struct native_file file;
	__u64 size; /* of its interval */
	void *bytes; /* functions point into it; NULL = none */
	UT_hash_handle hh;
};

struct natives {
	struct entry *by_key;
	struct entry **list; /* by number, which is the order of base */
	__u32 count;
	__u64 next; /* position */
	size_t bytes;
	struct jits *jits;
	struct native_lines *lines; /* NULL: nobody wants them */
};

int natives_new(struct natives **ret)
{
	struct natives *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->list = calloc(NATIVES_FILES_MAX, sizeof(*n->list));
	n->next = TEXT_FILES;
	if (!n->list || jits_new(&n->jits)) {
		natives_free(n);
		return -ENOMEM;
	}
	*ret = n;
	return 0;
}

static void free_entry(struct entry *e)
{
	free(e->bytes);
	free((char *)e->file.path);
	free(e);
}

void natives_free(struct natives *n)
{
	if (!n)
		return;
	HASH_CLEAR(hh, n->by_key);
	for (__u32 i = 0; i < n->count; i++)
		free_entry(n->list[i]);
	free(n->list);
	jits_free(n->jits);
	native_lines_free(n->lines);
	free(n);
}

struct jits *natives_jits(struct natives *n)
{
	return n ? n->jits : NULL;
}

struct native_lines *natives_lines(const struct natives *n)
{
	return n ? n->lines : NULL;
}

int natives_want_lines(struct natives *n)
{
	return n->lines ? 0 : native_lines_new(&n->lines);
}

static int add(struct natives *n, const struct code_map *map, __u32 *ret)
{
	const __u64 size = (map->file.size + PAGE - 1) & ~(PAGE - 1);
	struct entry *e;

	if (n->count == NATIVES_FILES_MAX || size > FILE_MAX || size > TEXT_JITS - n->next)
		return -ENOSPC;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->key = map->file;
	e->file.path = strdup(map->path);
	e->file.base = n->next;
	e->size = size;
	if (e->file.path)
		HASH_ADD(hh, n->by_key, key, sizeof(e->key), e);
	if (!e->file.path || !e->hh.tbl) {
		free_entry(e);
		return -ENOMEM;
	}
	n->next += size;
	n->list[n->count] = e;
	*ret = n->count++;
	return 0;
}

__u32 natives_file_at(const struct natives *n, __u64 position)
{
	__u32 low = 0, high = n->count;

	while (low + 1 < high) {
		__u32 middle = (low + high) / 2;

		if (n->list[middle]->file.base <= position)
			low = middle;
		else
			high = middle;
	}
	if (!n->count || position < n->list[low]->file.base ||
	    position - n->list[low]->file.base >= n->list[low]->size)
		return n->count;
	return low;
}

int natives_file(struct natives *n, const struct code_map *map, __u32 *ret)
{
	struct entry *e;

	if (!map->file.size)
		return -EINVAL;
	HASH_FIND(hh, n->by_key, &map->file, sizeof(map->file), e);
	if (!e)
		return add(n, map, ret);
	*ret = natives_file_at(n, e->file.base);
	return 0;
}

__u32 natives_count(const struct natives *n)
{
	return n->count;
}

struct code_file natives_key(const struct natives *n, __u32 file)
{
	return n->list[file]->key;
}

const struct native_file *natives_get(const struct natives *n, __u32 file)
{
	return &n->list[file]->file;
}

int natives_functions(struct natives *n, __u32 file, const void *bytes, size_t size)
{
	_cleanup_free_ void *copy = NULL;
	struct entry *e = n->list[file];
	struct functions functions;
	int err;

	if (e->bytes)
		return 0;
	if (n->bytes + size > NATIVES_BYTES_MAX)
		return -ENOSPC;
	copy = malloc(size ?: 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, bytes, size);
	err = functions_parse(copy, size, &functions);
	if (err)
		return err;
	e->file.functions = functions;
	for (int i = 0; i < functions.build_id_size; i++)
		snprintf(e->file.build_id + 2 * i, 3, "%02x", functions.build_id[i]);
	e->file.is_known = true;
	e->bytes = TAKE_PTR(copy);
	n->bytes += size;
	return 0;
}

bool natives_find(const struct natives *n, __u64 position, struct native_place *ret)
{
	const struct function *f;
	const struct entry *e;
	__u32 file;

	if (position >= TEXT_VDSO && position <= TEXT_JIT) {
		*ret = (struct native_place){ .name = "", .build_id = "" };
		ret->path = position < TEXT_JIT ? "[vdso]" : "[JIT]";
		return true;
	}
	if (position >= TEXT_JITS) {
		*ret = (struct native_place){ .path = "[JIT]", .build_id = "" };
		ret->name = jits_find(n->jits, position);
		return ret->name;
	}
	file = natives_file_at(n, position);
	if (file == n->count)
		return false;
	e = n->list[file];
	*ret = (struct native_place){ .name = "", .path = e->file.path, .build_id = e->file.build_id };
	ret->offset = ret->begin = position - e->file.base;
	if (!e->file.is_known)
		return true;
	ret->is_even = e->file.functions.is_even;
	ret->shift = e->file.functions.shift;
	f = functions_find(&e->file.functions, ret->offset);
	if (f) {
		ret->name = e->file.functions.names + f->name;
		ret->begin = f->offset;
	}
	return true;
}

bool natives_is_loop(const char *name)
{
	static const char *const loops[] = { "_PyEval_EvalFrameDefault", "PyEval_EvalFrameEx",
					     "_TAIL_CALL_" };

	for (size_t i = 0; i < ARRAY_SIZE(loops); i++)
		if (!strncmp(name, loops[i], strlen(loops[i])))
			return true;
	return false;
}
