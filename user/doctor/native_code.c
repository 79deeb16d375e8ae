// SPDX-License-Identifier: GPL-2.0-only
#include "doctor/native_code.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "dump/ask.h"
#include "elf/functions.h"
#include "elf/rows.h"
#include "proc/perf_map.h"
#include "proc/procfs.h"

#define REGIONS_LOOKED 8    /* of one file */
#define BLIND_MIN      4096 /* bytes: a file's beginning and end never say who calls them */
#define BLIND_PART     20   /* a twentieth of a file; of libc it is a fiftieth */

struct looking {
	const struct asker *asker;
	struct worker_request request; /* of the process */
	struct code_file seen[NATIVE_CODE_FILES];
	struct native_code *ret;
};

/* 0, and the caller frees *ret_table; or the answer's error. */
static int ask(const struct looking *l, const struct worker_request *r, void **ret_table, __u32 *ret_size)
{
	_cleanup_free_ struct worker_reply *reply = calloc(1, sizeof(*reply));
	int err = reply ? l->asker->ask(l->asker->context, r, reply) : -ENOMEM;

	if (err)
		return err;
	*ret_table = reply->table;
	*ret_size = reply->table_size;
	return 0;
}

/* Bytes of code that were looked at, and those of them in which no way to a caller is known. */
struct extent {
	__u64 all, blind;
};

static void measure_region(const struct rows *rows, const struct functions *f, struct extent *e)
{
	const __u64 begin = (__u64)rows->region << REGION_SHIFT, end = begin + (1U << REGION_SHIFT);

	for (__u32 i = 0; i < f->count; i++) {
		const __u64 next = i + 1 < f->count ? f->list[i + 1].offset : f->end;

		if (f->list[i].offset < begin || f->list[i].offset >= end)
			continue;
		e->all += next - f->list[i].offset;
		if (rule_is(rows_find(rows, f->list[i].offset - begin), RULE_UNKNOWN))
			e->blind += next - f->list[i].offset;
	}
}

/* 0, or the answer's error. */
static int look_at_region(const struct looking *l, const struct code_map *map, __u64 offset,
			  const struct functions *f, struct extent *e)
{
	_cleanup_free_ void *table = NULL;
	struct worker_request r = l->request;
	struct rows rows;
	__u32 size;
	int err;

	r.type = WORKER_ROWS;
	r.mapped = (struct request_mapped){ .address = map->start + offset - map->offset, .file = map->file };
	err = ask(l, &r, &table, &size) ?: rows_parse(table, size, &rows);
	if (!err)
		measure_region(&rows, f, e);
	return err;
}

/* A few regions of a large file stand for all. */
static void judge_callers(struct looking *l, const struct code_map *map, const struct functions *f)
{
	const __u64 end = map->offset + (map->end - map->start), region = 1U << REGION_SHIFT;
	const __u64 step = ((end - map->offset) / region / REGIONS_LOOKED + 1) * region;
	const char *slash = strrchr(map->path, '/');
	struct native_code *n = l->ret;
	struct extent e = { 0 };
	int err = 0;

	for (__u64 at = map->offset; at < end && !err; at = (at & -region) + step)
		err = look_at_region(l, map, at, f, &e);
	if (err == -EOPNOTSUPP || e.blind < BLIND_MIN || e.blind * BLIND_PART < e.all)
		return;
	if (n->blind < NATIVE_CODE_SHOWN)
		snprintf(n->blind_names[n->blind], NATIVE_CODE_NAME_MAX, "%s", slash ? slash + 1 : map->path);
	n->blind++;
}

static void look_at_file(struct looking *l, const struct code_map *map)
{
	_cleanup_free_ void *table = NULL;
	struct worker_request r = l->request;
	struct functions f;
	__u32 size;

	r.type = WORKER_FUNCTIONS;
	r.functions.mapped = (struct request_mapped){ .address = map->start, .file = map->file };
	l->ret->files++;
	if (ask(l, &r, &table, &size) || functions_parse(table, size, &f)) {
		l->ret->unread++;
		return;
	}
	l->ret->complete += f.has_symbols;
	for (__u32 i = 0; i < f.count; i++) {
		if (!f.list[i].name && !f.names_apart)
			continue;
		l->ret->named++;
		break;
	}
	judge_callers(l, map, &f);
}

/* Each file once, however often it is mapped. */
static bool is_new(struct looking *l, const struct code_map *map)
{
	static const struct code_file none;

	if (!memcmp(&map->file, &none, sizeof(none)) || l->ret->files >= NATIVE_CODE_FILES)
		return false;
	for (unsigned int i = 0; i < l->ret->files; i++)
		if (!memcmp(&l->seen[i], &map->file, sizeof(map->file)))
			return false;
	l->seen[l->ret->files] = map->file;
	return true;
}

static enum made_code find_names(const struct looking *l)
{
	_cleanup_free_ void *table = NULL;
	struct worker_request r = l->request;
	__u32 size;

	r.type = WORKER_PERF_MAP;
	return ask(l, &r, &table, &size) ? MADE_CODE_NAMELESS : MADE_CODE_NAMED;
}

static int look(struct looking *l)
{
	_cleanup_free_ void *table = NULL;
	struct worker_request r = l->request;
	struct code_map map;
	size_t at = 0;
	__u32 size;
	int err;

	r.type = WORKER_MAPS;
	err = ask(l, &r, &table, &size);
	while (!err && (err = code_maps_next(table, size, &at, &map)) == 1) {
		err = 0;
		if (map.is_memory && strcmp(map.path, "[vdso]"))
			l->ret->made = MADE_CODE_NAMELESS;
		else if (!map.is_memory && is_new(l, &map))
			look_at_file(l, &map);
	}
	if (!err && l->ret->made)
		l->ret->made = find_names(l);
	return err;
}

void native_code_look(const struct asker *asker, pid_t pid, struct native_code *ret)
{
	_cleanup_free_ struct looking *l = calloc(1, sizeof(*l));

	*ret = (struct native_code){ .looked = true };
	if (!l) {
		ret->error = -ENOMEM;
		return;
	}
	l->asker = asker;
	l->ret = ret;
	l->request.pid = (__u32)pid;
	ret->error = procfs_start_ticks(pid, &l->request.start_ticks) ?: look(l);
}
