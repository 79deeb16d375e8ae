// SPDX-License-Identifier: GPL-2.0-only
#include "kern/table.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

static int map_get(const struct table *t, const void *key, void *ret)
{
	return bpf_map__lookup_elem(t->of, key, t->key_size, ret, t->value_size, 0);
}

static int map_set(const struct table *t, const void *key, const void *value)
{
	return bpf_map__update_elem(t->of, key, t->key_size, value, t->value_size, BPF_ANY);
}

static int map_remove(const struct table *t, const void *key)
{
	return bpf_map__delete_elem(t->of, key, t->key_size, 0);
}

static int map_all(const struct table *t, void *keys, void *values, __u32 *ret_count)
{
	__u32 count = t->entries, position[16]; /* one needs as much as a key, or a number */
	int err;

	if (t->key_size > sizeof(position))
		return -EINVAL;
	err = bpf_map_lookup_batch(bpf_map__fd(t->of), NULL, position, keys, values, &count, NULL);
	if (err && err != -ENOENT) /* which says that this was all */
		return err;
	*ret_count = count;
	return 0;
}

static int map_map(const struct table *t, bool writes, void **ret)
{
	const int may = writes ? PROT_READ | PROT_WRITE : PROT_READ;
	void *p = mmap(NULL, table_bytes(t), may, MAP_SHARED, bpf_map__fd(t->of), 0);

	if (p == MAP_FAILED)
		return -errno;
	*ret = p;
	return 0;
}

static const struct table_kind kind_map = { map_get, map_set, map_remove, map_all, map_map };

struct table table_of_map(struct bpf_map *map)
{
	return (struct table){
		.kind = &kind_map,
		.of = map,
		.key_size = bpf_map__key_size(map),
		.value_size = bpf_map__value_size(map),
		.entries = bpf_map__max_entries(map),
	};
}

int table_get(const struct table *t, const void *key, void *ret)
{
	return t->kind ? t->kind->get(t, key, ret) : -ENODEV;
}

int table_set(const struct table *t, const void *key, const void *value)
{
	return t->kind ? t->kind->set(t, key, value) : -ENODEV;
}

int table_remove(const struct table *t, const void *key)
{
	return t->kind ? t->kind->remove(t, key) : -ENODEV;
}

int table_all(const struct table *t, void *keys, void *values, __u32 *ret_count)
{
	return t->kind ? t->kind->all(t, keys, values, ret_count) : -ENODEV;
}

int table_map(const struct table *t, bool writes, void **ret)
{
	return t->kind ? t->kind->map(t, writes, ret) : -ENODEV;
}

void table_unmap(const struct table *t, const void *mapped)
{
	if (mapped)
		munmap((void *)mapped, table_bytes(t));
}

size_t table_bytes(const struct table *t)
{
	const size_t size = (size_t)t->value_size * t->entries, page = sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}
