/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tables.h - the kernel side's tables forged in memory, with two processes and two code objects, and
 * the profile that the harvest makes of them, as text.
 */
#ifndef PYPERF_TESTS_FORGE_TABLES_H
#define PYPERF_TESTS_FORGE_TABLES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint/rules.h"
#include "names/codes.h"
#include "profile/profile.h"
#include "targets/registry.h"
#include "tree/harvest.h"
#include "tests/forge/test.h"

#define NODES  8192
#define OWNERS 32

static struct node *nodes; /* on the heap, exactly: a sanitizer sees one read too far */
static struct owner *owners;
static struct kernel_tables tables;
static struct codes *codes;
static struct registry *registry;
static struct profile *profile;
static struct harvest_stats stats;
static bool with_columns;
static struct rules *with_rules; /* teardown() frees them */

static inline void add_code(__u32 code, const char *name, const char *file, int first_line)
{
	/*
	 * Units 0 and 1: line +1, column 5; unit 2: none; units 3-10: line +2 more, column 9; unit 11: column
	 * 20.
	 */
	static const __u8 table[] = { 0xd9, 4, 6, 0xf8, 0xe7, 8, 9, 0xd0, 19, 22 };
	struct record_code e = {
		.type = RECORD_CODE, .code = code, .process = 1, .pid = 100, .first_line = first_line
	};
	__u8 *at = e.data;

	e.name = (struct code_part){ .length = strlen(name), .bytes = strlen(name), .kind = 1 };
	e.file = (struct code_part){ .length = strlen(file), .bytes = strlen(file), .kind = 1 };
	e.table = (struct code_part){ .length = sizeof(table), .bytes = sizeof(table) };
	at = (__u8 *)memcpy(at, name, e.name.bytes) + e.name.bytes;
	at = (__u8 *)memcpy(at, file, e.file.bytes) + e.file.bytes;
	memcpy(at, table, sizeof(table));
	assert_int_equal(codes_add(codes, &e, sizeof(e)), 0);
}

static inline void add_process(__u32 id, __u32 pid, const char *comm, const char *binary)
{
	struct registry_entry e = { .id = id, .pid = pid, .binary = binary, .build_id = "b1d", .layout = -1 };

	snprintf(e.comm, sizeof(e.comm), "%s", comm);
	assert_int_equal(registry_add(registry, &e), 0);
}

static inline void set_owner_of(__u32 index, enum event_kind kind, __u32 process, __u32 tid, const char *comm)
{
	owners[index] = (struct owner){ .key = owner_key(kind, (__u64)process << 32 | tid),
				 .process = process,
				 .tid = tid };
	snprintf(owners[index].comm, sizeof(owners[index].comm), "%s", comm);
}

static inline void set_owner(__u32 index, __u32 process, __u32 tid, const char *comm)
{
	set_owner_of(index, EVENT_CPU, process, tid, comm);
}

static inline void set_node(__u32 node, __u32 parent, __u32 code, __u32 instr, __u64 count)
{
	nodes[node] = (struct node){ .key = node_key(parent, code, instr), .count = count };
}

static inline void set_attribute(__u32 node, __u32 parent, enum attribute attribute, __u32 value, __u64 count)
{
	set_node(node, parent, attribute_code(attribute, value), attribute_instr(value), count);
}

static inline void set_root(__u32 node, __u32 owner, __u64 count)
{
	set_node(node, 0, owner, INSTR_UNKNOWN, count);
}

static inline int setup(void **state)
{
	(void)state;
	nodes = calloc(NODES, sizeof(*nodes));
	owners = calloc(OWNERS, sizeof(*owners));
	tables = (struct kernel_tables){
		.nodes = nodes, .owners = owners, .node_count = NODES, .owner_count = OWNERS
	};
	if (!nodes || !owners || codes_new(&codes, 0) || registry_new(&registry))
		return -1;
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		nodes[kind].key = KEY_RESERVED;
	add_process(1, 100, "python3", "/usr/bin/python3");
	add_process(2, 200, "gunicorn", "");
	set_owner(0, 1, 100, "main-now");
	set_owner(1, 1, 101, "worker");
	set_owner(2, 2, 0, "master");
	add_code(100, "outer", "a.py", 10);
	add_code(101, "inner", "b.py", 20);
	with_columns = false;
	return 0;
}

#define forged_inputs                                                                                        \
	((struct harvest_inputs){                                                                            \
		.tables = &tables, .codes = codes, .registry = registry, .columns = with_columns, \
		.endpoint_rules = with_rules })

static inline int teardown(void **state)
{
	(void)state;
	profile_free(TAKE_PTR(profile));
	rules_free(TAKE_PTR(with_rules));
	registry_free(registry);
	codes_free(codes);
	free(owners);
	free(nodes);
	return 0;
}

static inline void run(void)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU),
		.period_ns = 10000000, .frequency = 100,
	};

	profile_free(TAKE_PTR(profile));
	memset(&stats, 0xa5, sizeof(stats));
	assert_int_equal(profile_new(&info, &profile), 0);
	assert_int_equal(harvest(&forged_inputs, &(struct harvest_span){}, profile, &stats), 0);
	assert_int_equal(stats.samples[EVENT_CPU], profile_total(profile));
}

/* The samples as lines "pid/tid comm/thread: leaf:line < caller:line = count", sorted as they were found. */
static inline const char *shown(void)
{
	static char text[8192];
	size_t used = 0;

	text[0] = '\0';
	for (__u32 id = 1; id <= profile_count(profile, PROFILE_SAMPLE); id++) {
		struct profile_stack s = profile_get_sample(profile, id);
		const struct profile_owner *o = profile_get_owner(profile, s.owner);

		used += snprintf(text + used, sizeof(text) - used, "%u/%u %s/%s:", o->pid, o->tid,
				 profile_get_string(profile, o->comm),
				 profile_get_string(profile, o->thread));
		for (__u32 i = 0; i < s.n && used < sizeof(text) - 200; i++) {
			const struct profile_location *l = profile_get_location(profile, s.locations[i]);
			const struct profile_function *f = profile_get_function(profile, l->function);

			used += snprintf(text + used, sizeof(text) - used, "%s%s:%u", i ? " < " : " ",
					 profile_get_string(profile, f->name), l->line);
		}
		used += snprintf(text + used, sizeof(text) - used, " = %llu\n", s.count);
	}
	return text;
}

#endif
