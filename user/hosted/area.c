// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/area.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "hosted/hash.h"
#include "pyperf.skel.h"

static size_t pages(size_t n)
{
	const size_t page = sysconf(_SC_PAGESIZE);

	return (n + page - 1) / page * page;
}

static size_t table_size(const struct area_table *t)
{
	return t->is_hash ? shared_hash_bytes(t->key_size, t->value_size, t->entries) :
			    (size_t)t->value_size * t->entries;
}

static int add_tables(struct area *a, struct pyperf *s)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, s->obj)
	{
		const enum bpf_map_type type = bpf_map__type(map);
		struct area_table *t = &a->tables[a->count];

		if (!bpf_map__autocreate(map) || bpf_map__is_internal(map) ||
		    (type != BPF_MAP_TYPE_ARRAY && type != BPF_MAP_TYPE_HASH))
			continue;
		if (a->count == AREA_TABLES)
			return -ENOSPC;
		*t = (struct area_table){
			.name = bpf_map__name(map),
			.offset = a->size,
			.is_hash = type == BPF_MAP_TYPE_HASH,
			.key_size = bpf_map__key_size(map),
			.value_size = bpf_map__value_size(map),
			.entries = bpf_map__max_entries(map),
		};
		t->bytes = table_size(t);
		a->size += pages(t->bytes);
		a->count++;
	}
	return 0;
}

/* Although it is no file of a disk the soft limit of those (ulimit -f; mcp sets it) holds for it. */
static int make_room(int fd, size_t size)
{
	struct rlimit before, raised;
	int err;

	if (getrlimit(RLIMIT_FSIZE, &before))
		return -errno;
	raised = before;
	raised.rlim_cur = raised.rlim_max;
	if (raised.rlim_cur < size)
		return -EFBIG;
	if (setrlimit(RLIMIT_FSIZE, &raised))
		return -errno;
	err = ftruncate(fd, size) ? -errno : 0;
	setrlimit(RLIMIT_FSIZE, &before);
	return err;
}

static int map_all(struct area *a)
{
	void *p;
	int err;

	a->fd = memfd_create("pyperf-tables", MFD_CLOEXEC);
	if (a->fd < 0)
		return -errno;
	err = make_room(a->fd, a->size);
	if (err)
		return err;
	p = mmap(NULL, a->size, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	a->base = p;
	return 0;
}

int area_open(struct area *a, struct pyperf *s)
{
	const size_t bss = pages(sizeof(*a->control)), rodata = bss + pages(sizeof(*s->bss)),
		     ring = rodata + pages(sizeof(*s->rodata)),
		     ring_size = bpf_map__max_entries(s->maps.records);
	int err;

	*a = (struct area){ .fd = -1, .size = ring + pages(sizeof(*a->ring) + ring_size) };
	err = add_tables(a, s) ?: map_all(a);
	if (err)
		return err;
	a->control = (void *)a->base;
	a->bss = (void *)(a->base + bss);
	memcpy(a->base + rodata, s->rodata, sizeof(*s->rodata));
	a->rodata = (void *)(a->base + rodata);
	a->ring = (void *)(a->base + ring);
	a->ring->size = ring_size;
	for (unsigned int i = 0; i < a->count; i++) {
		const struct area_table *t = &a->tables[i];

		if (t->is_hash)
			shared_hash_begin((void *)(a->base + t->offset), t->key_size, t->value_size,
					  t->entries);
	}
	return 0;
}

void area_close(struct area *a)
{
	if (a->base)
		munmap(a->base, a->size);
	if (a->fd >= 0)
		close(a->fd);
	*a = (struct area){ .fd = -1 };
}

const struct area_table *area_find(const struct area *a, const char *name)
{
	for (unsigned int i = 0; i < a->count; i++)
		if (!strcmp(a->tables[i].name, name))
			return &a->tables[i];
	return NULL;
}

/* --- as kern/table.h has them ------------------------------------------------------------------------- */

/* Of an area table in memory: the one that the struct table is of lies in front of its memory's address. */
struct entry_of {
	const struct area *area;
	const struct area_table *table;
};

static __u8 *memory(const struct table *t)
{
	const struct entry_of *e = t->of;

	return e->area->base + e->table->offset;
}

static int array_get(const struct table *t, const void *key, void *ret)
{
	const __u32 i = *(const __u32 *)key;

	if (i >= t->entries)
		return -ENOENT;
	memcpy(ret, memory(t) + (size_t)i * t->value_size, t->value_size);
	return 0;
}

static int array_set(const struct table *t, const void *key, const void *value)
{
	const __u32 i = *(const __u32 *)key;

	if (i >= t->entries)
		return -E2BIG;
	memcpy(memory(t) + (size_t)i * t->value_size, value, t->value_size);
	return 0;
}

static int array_remove(const struct table *t, const void *key)
{
	(void)t;
	(void)key;
	return -EINVAL;
}

static int array_all(const struct table *t, void *keys, void *values, __u32 *ret_count)
{
	(void)t;
	(void)keys;
	(void)values;
	(void)ret_count;
	return -EINVAL;
}

static int map_file(const struct table *t, bool writes, void **ret)
{
	const struct entry_of *e = t->of;
	void *p = mmap(NULL, table_bytes(t), writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
		       e->area->fd, e->table->offset);

	if (p == MAP_FAILED)
		return -errno;
	*ret = p;
	return 0;
}

static int hash_get(const struct table *t, const void *key, void *ret)
{
	const void *value = shared_hash_find((void *)memory(t), key);

	if (!value)
		return -ENOENT;
	memcpy(ret, value, t->value_size);
	return 0;
}

static int hash_set(const struct table *t, const void *key, const void *value)
{
	return shared_hash_set((void *)memory(t), key, value);
}

static int hash_remove(const struct table *t, const void *key)
{
	return shared_hash_remove((void *)memory(t), key);
}

static int hash_all(const struct table *t, void *keys, void *values, __u32 *ret_count)
{
	*ret_count = shared_hash_all((void *)memory(t), keys, values);
	return 0;
}

static const struct table_kind kind_array = { array_get, array_set, array_remove, array_all, map_file };
static const struct table_kind kind_hash = { hash_get, hash_set, hash_remove, hash_all, map_file };

static struct table table_named(const struct area *a, const char *name)
{
	static struct entry_of entries[AREA_TABLES]; /* there is one area */
	const struct area_table *t = area_find(a, name);

	if (!t)
		return (struct table){ .kind = &kind_array };
	entries[t - a->tables] = (struct entry_of){ a, t };
	return (struct table){
		.kind = t->is_hash ? &kind_hash : &kind_array,
		.of = &entries[t - a->tables],
		.key_size = t->key_size,
		.value_size = t->value_size,
		.entries = t->entries,
	};
}

void area_side(const struct area *a, struct side *ret)
{
	*ret = (struct side){
		.rodata = a->rodata,
		.bss = a->bss,
		.nodes = table_named(a, "nodes"),
		.codes = table_named(a, "codes"),
		.owners = table_named(a, "owners"),
		.stats = table_named(a, "stats"),
		.processes = table_named(a, "processes"),
		.known_programs = table_named(a, "known_programs"),
		.layouts = table_named(a, "layouts"),
		.task_layouts = table_named(a, "task_layouts"),
		.contexts = table_named(a, "contexts"),
		.journals = table_named(a, "journals"),
		.outside_stacks = table_named(a, "outside_stacks"),
		.texts = table_named(a, "texts"),
	};
}
