// SPDX-License-Identifier: GPL-2.0-only
#include "names/natives.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fair.h"
#include "base/hash.h"
#include "bpf/abi.h"
#include "names/intervals.h"
#include "names/jits.h"
#include "names/native_lines.h"
#include "names/shares.h"

#define PAGE	 4096ULL
#define FILE_MAX (1ULL << 32) /* offsets of functions have 32 bits */

/*
 * The same file under another path is another one: a user with name spaces gives it any path, and what is
 * shown of others must not be that.
 */
struct native_key {
	struct code_file file;
	char path[PATH_MAX]; /* only up to its NUL in what is kept */
};

struct native_entry {
	struct native_key *key;
	struct native_file file;
	void *bytes; /* functions point into it; NULL = none */
	size_t bytes_size;
	struct owner_share *share; /* of the owner who had it first */
	UT_hash_handle hh;
};

struct natives {
	struct native_entry *by_key;
	struct native_entry *list[NATIVES_FILES_MAX]; /* by number */
	__u32 serial[NATIVES_FILES_MAX];	      /* how often the number was given back */
	struct intervals intervals;
	struct shares *shares;
	size_t bytes;
	__u64 refused; /* how often something found no room */
	__u64 table_refused;
	struct jits *jits;
	struct native_lines *lines; /* NULL: nobody wants them */
};

int natives_new(struct natives **ret)
{
	struct natives *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	if (intervals_open(&n->intervals, NATIVES_FILES_MAX, TEXT_FILES, TEXT_JITS) ||
	    shares_new(&n->shares) || jits_new(&n->jits)) {
		natives_free(n);
		return -ENOMEM;
	}
	*ret = n;
	return 0;
}

static void free_entry(struct native_entry *e)
{
	if (!e)
		return;
	free(e->bytes);
	free(e->key);
	free(e);
}

void natives_free(struct natives *n)
{
	if (!n)
		return;
	HASH_CLEAR(hh, n->by_key);
	for (__u32 i = 0; i < NATIVES_FILES_MAX; i++)
		free_entry(n->list[i]);
	intervals_close(&n->intervals);
	shares_free(n->shares);
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

static size_t key_size(const struct native_key *key)
{
	return offsetof(struct native_key, path) + strlen(key->path) + 1;
}

static struct native_entry *new_entry(const struct native_key *key)
{
	struct native_entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->key = malloc(key_size(key));
	if (!e->key) {
		free(e);
		return NULL;
	}
	memcpy(e->key, key, key_size(key));
	e->file.path = e->key->path;
	return e;
}

static int take_interval(struct natives *n, struct native_entry *e, __u64 owner, __u64 size)
{
	int err = intervals_take_shared(&n->intervals, n->shares, owner, size, &e->file.number, &e->share);

	if (err)
		return err;
	HASH_ADD_KEYPTR(hh, n->by_key, e->key, key_size(e->key), e);
	if (e->hh.tbl)
		return 0;
	intervals_give_back_shared(&n->intervals, n->shares, e->file.number, e->share);
	return -ENOMEM;
}

static int add_file(struct natives *n, const struct code_map *map, const struct native_key *key, __u32 *ret)
{
	const __u64 size = (map->file.size + PAGE - 1) & ~(PAGE - 1);
	struct native_entry *e;
	int err;

	if (size > FILE_MAX)
		return -EFBIG;
	e = new_entry(key);
	if (!e)
		return -ENOMEM;
	err = take_interval(n, e, map->owner, size);
	if (err) {
		free_entry(e);
		return err;
	}
	e->file.base = n->intervals.list[e->file.number].begin;
	n->list[e->file.number] = e;
	*ret = e->file.number;
	return 0;
}

__u32 natives_file_at(const struct natives *n, __u64 position)
{
	return intervals_at(&n->intervals, position);
}

int natives_file(struct natives *n, const struct code_map *map, __u32 *ret)
{
	struct native_entry *e;
	struct native_key key;
	int err;

	if (!map->file.size)
		return -EINVAL;
	key.file = map->file;
	snprintf(key.path, sizeof(key.path), "%s", map->path);
	HASH_FIND(hh, n->by_key, &key, key_size(&key), e);
	if (!e) {
		err = add_file(n, map, &key, ret);
		n->refused += err == -ENOSPC;
		return err;
	}
	intervals_see(&n->intervals, e->file.number);
	*ret = e->file.number;
	return 0;
}

__u32 natives_serial(const struct natives *n, __u32 file)
{
	return n->serial[file];
}

bool natives_is_other(const struct natives *n, __u32 file, __u32 serial)
{
	return !natives_get(n, file) || n->serial[file] != serial;
}

struct code_file natives_key(const struct natives *n, __u32 file)
{
	return n->list[file]->key->file;
}

const struct native_file *natives_get(const struct natives *n, __u32 file)
{
	return file < NATIVES_FILES_MAX && n->list[file] ? &n->list[file]->file : NULL;
}

int natives_functions(struct natives *n, __u32 file, const void *bytes, size_t size)
{
	_cleanup_free_ void *copy = NULL;
	struct native_entry *e = n->list[file];
	struct functions functions;
	int err;

	if (e->bytes)
		return 0;
	if (size > NATIVES_BYTES_MAX || !fair_may(e->share->bytes, size, NATIVES_BYTES_MAX - n->bytes)) {
		n->refused++;
		return -ENOSPC;
	}
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
	e->bytes_size = size;
	e->share->bytes += size;
	n->bytes += size;
	return 0;
}

/* --- what is given back -------------------------------------------------------------------------------- */

void natives_begin_look(struct natives *n)
{
	intervals_begin_look(&n->intervals);
	jits_begin_look(n->jits);
}

void natives_see(struct natives *n, __u32 file)
{
	intervals_see(&n->intervals, file);
}

void natives_end_look(struct natives *n, __u32 turn)
{
	intervals_end_look(&n->intervals, turn);
	jits_end_look(n->jits, turn);
}

static void give_back_file(struct natives *n, __u32 file)
{
	struct native_entry *e = n->list[file];

	if (n->lines)
		native_lines_forget(n->lines, e->file.base, n->intervals.list[file].size);
	e->share->bytes -= e->bytes_size;
	intervals_give_back_shared(&n->intervals, n->shares, file, e->share);
	HASH_DEL(n->by_key, e);
	n->list[file] = NULL;
	n->serial[file]++;
	n->bytes -= e->bytes_size;
	free_entry(e);
}

__u32 natives_give_back(struct natives *n, __u32 turn)
{
	__u32 count = jits_give_back(n->jits, turn);

	for (__u32 i = 0; i < NATIVES_FILES_MAX; i++)
		if (intervals_may_go(&n->intervals, i, turn)) {
			give_back_file(n, i);
			count++;
		}
	return count;
}

double natives_fullness(const struct natives *n)
{
	const double bytes = (double)n->bytes / NATIVES_BYTES_MAX;

	return larger(larger(intervals_fullness(&n->intervals), bytes), jits_fullness(n->jits));
}

double natives_unused(const struct natives *n)
{
	size_t bytes = 0;

	for (__u32 i = 0; i < NATIVES_FILES_MAX; i++)
		if (n->list[i] && n->intervals.list[i].turn)
			bytes += n->list[i]->bytes_size;
	return larger(larger(intervals_unused(&n->intervals), (double)bytes / NATIVES_BYTES_MAX),
		      jits_unused(n->jits));
}

struct natives_stats natives_get_stats(const struct natives *n)
{
	struct natives_stats s = {
		.files = n->intervals.count,
		.positions = n->intervals.taken,
		.name_bytes = n->bytes,
		.table_refused = n->table_refused,
	};

	jits_add_stats(n->jits, &s);
	return s;
}

__u64 natives_refused(const struct natives *n)
{
	return n->refused + jits_refused(n->jits);
}

void natives_table_refused(struct natives *n)
{
	n->table_refused++;
}

/* --- what is at a position ----------------------------------------------------------------------------- */

bool natives_find(const struct natives *n, __u64 position, struct native_place *ret)
{
	const struct function *f;
	const struct native_entry *e;
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
	if (file == NATIVES_NONE)
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
