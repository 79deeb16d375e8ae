// SPDX-License-Identifier: GPL-2.0-only
#include "kern/tables.h"

#include <errno.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "base/clock.h"
#include "kern/home.h"
#include "kern/kernel.h"
#include "pyperf.skel.h"

/* Powers of two. What finds no room in a table is counted, never an error. */
#define TREE_SIZE	(1U << 19)
#define NODES_PER_CODE	4
#define NODES_PER_OWNER 32
#define PROCESS_COUNT	(1U << 13)
#define RING_BYTES	(1U << 21)
#define WAIT_SETS	(1U << 12) /* of WAIT_WAYS threads of Python processes each */

_Static_assert((1U << NODE_BITS) / NODES_PER_CODE <= NODE_ATTRIBUTE,
	       "a number of the table of codes has no bit of NODE_ATTRIBUTE");

static __u32 power_of_two(__u32 least)
{
	__u32 n = 1;

	while (n < least)
		n *= 2;
	return n;
}

__u32 tables_thread_sets(const struct kernel_options *o)
{
	const __u32 sets = power_of_two((o->cache_threads + 3) / 4);

	return sets * power_of_two(o->walked ?: 1);
}

__u32 tables_wait_sets(const struct kernel_options *o)
{
	return o->needs & (NEEDS_WAITS | NEEDS_GIL) ? WAIT_SETS : 1;
}

int tables_size(struct pyperf *s, const struct kernel_options *o, int cpus, struct kernel_tables *ret)
{
	int err = 0;

	ret->node_count = power_of_two(o->tree_size ?: TREE_SIZE);
	ret->code_count = ret->node_count / NODES_PER_CODE;
	ret->owner_count = ret->node_count / NODES_PER_OWNER;
	err |= bpf_map__set_max_entries(s->maps.nodes, ret->node_count);
	err |= bpf_map__set_max_entries(s->maps.codes, ret->code_count);
	err |= bpf_map__set_max_entries(s->maps.owners, ret->owner_count);
	err |= bpf_map__set_max_entries(s->maps.threads, 4 * tables_thread_sets(o));
	if (o->needs & (NEEDS_WAITS | NEEDS_GIL)) {
		err |= bpf_map__set_max_entries(s->maps.wait_keys, WAIT_SETS);
		err |= bpf_map__set_max_entries(s->maps.wait_users, WAIT_SETS);
		err |= bpf_map__set_max_entries(s->maps.waits, WAIT_SETS * WAIT_WAYS);
	}
	if (o->needs & NEEDS_LOOP)
		err |= bpf_map__set_max_entries(s->maps.turns, WAIT_SETS * WAIT_WAYS);
	if (o->needs & NEEDS_POLLS)
		err |= bpf_map__set_max_entries(s->maps.rounds, WAIT_SETS * WAIT_WAYS);
	if (o->native == NATIVE_MODE_FULL)
		err |= bpf_map__set_max_entries(s->maps.native_caches, 4 * tables_thread_sets(o));
	err |= bpf_map__set_max_entries(s->maps.processes, PROCESS_COUNT);
	err |= bpf_map__set_max_entries(s->maps.records, RING_BYTES);
	err |= bpf_map__set_max_entries(s->maps.stats, cpus + 1);
	err |= bpf_map__set_max_entries(s->maps.scratches, cpus + 1);
	s->rodata->opt_spare = cpus;
	return err;
}

/* Marks the entries that mean "none" as used, so that the programs' searches need not know them. */
static int reserve_entries(const struct side *s)
{
	struct node node = { .key = KEY_RESERVED };
	struct code code = { .identity = KEY_RESERVED };
	int err = 0;

	for (__u32 i = 0; !err && i < EVENT_KINDS; i++)
		err = table_set(&s->nodes, &i, &node);
	for (__u32 i = 0; !err && i < CODE_FIRST; i++)
		err = table_set(&s->codes, &i, &code);
	return err;
}

size_t tables_bytes(const struct pyperf *s)
{
	struct bpf_map *map;
	size_t sum = 0;

	bpf_object__for_each_map(map, s->obj)
	{
		size_t value = (bpf_map__value_size(map) + 7) / 8 * 8;

		if (bpf_map__type(map) == BPF_MAP_TYPE_RINGBUF)
			value = 1;
		else if (bpf_map__type(map) == BPF_MAP_TYPE_HASH)
			value += 64;
		if (bpf_map__autocreate(map))
			sum += value * bpf_map__max_entries(map);
	}
	return sum;
}

static int map(const struct table *t, const void *ret)
{
	return table_map(t, false, (void **)ret);
}

int tables_map(const struct side *s, struct kernel_tables *tables, const struct cpu_stats **ret_stats)
{
	int err = reserve_entries(s);

	err = err ?: map(&s->nodes, &tables->nodes) ?: map(&s->codes, &tables->codes);
	return err ?: map(&s->owners, &tables->owners) ?: map(&s->stats, ret_stats);
}

void tables_unmap(const struct side *s, const struct kernel_tables *tables, const struct cpu_stats *stats)
{
	table_unmap(&s->nodes, tables->nodes);
	table_unmap(&s->codes, tables->codes);
	table_unmap(&s->owners, tables->owners);
	table_unmap(&s->stats, stats);
}

static struct kernel_range range_of(__u32 count, __u32 reserved, unsigned int bank)
{
	const __u32 each = count / BANKS;

	return (struct kernel_range){ bank ? bank * each : reserved, (bank + 1) * each };
}

struct kernel_bank tables_bank(const struct kernel_tables *t, unsigned int bank)
{
	return (struct kernel_bank){
		.nodes = range_of(t->node_count, EVENT_KINDS, bank),
		.codes = range_of(t->code_count, CODE_FIRST, bank),
		.owners = range_of(t->owner_count, 0, bank),
	};
}

#define CLEAR(table, range)                                                                                  \
	memset((table) + (range).first, 0, ((range).end - (range).first) * sizeof(*(table)))

/* A table is mapped for writing only for this moment, so that no other code of ours can change it. */
int tables_clear(const struct side *s, const struct kernel_tables *t, unsigned int bank)
{
	const struct kernel_bank b = tables_bank(t, bank);
	struct node *nodes = NULL;
	struct code *codes = NULL;
	struct owner *owners = NULL;
	int err = table_map(&s->nodes, true, (void **)&nodes);

	if (!err)
		err = table_map(&s->codes, true, (void **)&codes);
	if (!err)
		err = table_map(&s->owners, true, (void **)&owners);
	if (!err) {
		CLEAR(nodes, b.nodes);
		CLEAR(codes, b.codes);
		CLEAR(owners, b.owners);
		s->bss->banks_used[bank] = (struct bank_used){ 0 };
	}
	table_unmap(&s->nodes, nodes);
	table_unmap(&s->codes, codes);
	table_unmap(&s->owners, owners);
	return err;
}

void tables_sum_stats(const struct cpu_stats *stats, int count, struct cpu_stats *ret)
{
	const size_t counters = offsetof(struct cpu_stats, time_max) / sizeof(__u64);
	__u64 *sum = (__u64 *)ret;

	memset(ret, 0, sizeof(*ret));
	for (int cpu = 0; cpu < count; cpu++) {
		for (size_t i = 0; i < counters; i++)
			sum[i] += __atomic_load_n((const __u64 *)&stats[cpu] + i, __ATOMIC_RELAXED);
		if (stats[cpu].time_max > ret->time_max)
			ret->time_max = stats[cpu].time_max;
	}
}

/* A tick stands for the time between two of them. */
static __u64 wall_ns_of(enum event_kind kind, __u64 count, __u64 tick_ns)
{
	return event_rows[kind].unit == UNIT_COUNT ? count * tick_ns : count;
}

/* The time that the parts of wall time have of one outcome. */
static __u64 sum_parts(const struct cpu_stats *sum, int outcome, __u64 tick_ns)
{
	__u64 ns = 0;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (event_rows[kind].wall == WALL_ALWAYS || event_rows[kind].wall == WALL_WHEN_ASKED)
			ns += wall_ns_of(kind, sum->outcome[kind][outcome], tick_ns);
	return ns;
}

static void add_sum(struct cpu_stats *sum, enum event_kind kind, __u64 tick_ns)
{
	for (int i = 0; i < OUTCOME_COUNT; i++) {
		if (!(outcome_rows[i].group & event_rows[kind].books))
			continue;
		sum->outcome[kind][i] = sum_parts(sum, i, tick_ns);
		if (i != OUTCOME_NESTED)
			*event_total(sum, kind) += sum->outcome[kind][i];
	}
}

void tables_add_wall(struct cpu_stats *sum, const struct kernel_options *o)
{
	const __u64 tick_ns = o->wall ? NS_PER_SECOND / o->frequency : 0;

	for (int kind = 0; o->wall && kind < EVENT_KINDS; kind++)
		if (event_rows[kind].wall == WALL_SUM)
			add_sum(sum, kind, tick_ns);
}
