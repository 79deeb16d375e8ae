/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hot_dump.h - the tree of tests/bench/hot as folded stacks of function names, so that the harness can
 * compare every one of them with what the target says of itself. Names come from the ring buffer, as in the
 * product.
 */
#ifndef PYPERF_TESTS_HOT_DUMP_H
#define PYPERF_TESTS_HOT_DUMP_H

#include "tests/bench/hot_load.h"

#define DUMP_DEPTH 2048

static char *dump_names[HOT_CODES]; /* by code number */

static int dump_on_record(void *context, void *record, size_t size)
{
	const struct record_code *e = record;
	const size_t header = offsetof(struct record_code, data);

	(void)context;
	if (e->type != RECORD_CODE || e->code >= HOT_CODES || size < header || e->name.bytes > size - header)
		return 0;
	free(dump_names[e->code]);
	dump_names[e->code] = strndup((const char *)e->data, e->name.bytes);
	return 0;
}

static const char *dump_name(__u32 code)
{
	if (code < OUTCOME_COUNT)
		return outcome_rows[code].frame;
	return code < HOT_CODES && dump_names[code] ? dump_names[code] : "?";
}

static void dump_stack(FILE *f, __u32 node)
{
	__u32 path[DUMP_DEPTH], depth = 0;

	while (depth < DUMP_DEPTH && node_parent(hot.nodes[node].key)) {
		path[depth++] = node_code(hot.nodes[node].key);
		node = node_parent(hot.nodes[node].key);
	}
	while (depth--)
		fprintf(f, "%s%s", dump_name(path[depth]), depth ? ";" : " ");
}

/* One line for each node with samples: names from the root, and the count. */
static void dump_folded(const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f)
		die("%s cannot be written: %s", path, strerror(errno));
	for (__u32 i = 1; i < HOT_NODES; i++) {
		if (!hot.nodes[i].count)
			continue;
		dump_stack(f, i);
		fprintf(f, "%llu\n", hot.nodes[i].count);
	}
	if (fclose(f))
		die("%s cannot be written: %s", path, strerror(errno));
}

#endif
