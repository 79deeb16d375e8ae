// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_harvest.c - call trees forged in memory: stacks, labels, markers, overflow; trees that cannot be (cycles,
 * parents and owners out of range, unfinished names); and samples that always add up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/harvest.h"
#include "base/buf.h"
#include "profile/folded.h"
#include "tests/unit/agent/fail_malloc.h"

#define NODES  8192
#define OWNERS 16

static struct node *nodes; /* on the heap, exactly: a sanitizer sees one read too far */
static struct owner *owners;
static struct kernel_tables tables;
static struct codes *codes;
static struct registry *registry;
static struct profile *profile;
static struct harvest_stats stats;

static void add_code(__u32 code, const char *name, const char *file, int first_line)
{
	/* Units 0 and 1: line +1; unit 2: none; units 3-10: line +2 more. */
	static const __u8 table[] = { 0xd9, 0, 0, 0xf8, 0xe7, 0, 0 };
	struct event_code e = { .type = EVENT_CODE, .code = code, .process = 1, .pid = 100, .first_line = first_line };
	__u8 *at = e.data;

	e.name = (struct code_part){ .length = strlen(name), .bytes = strlen(name), .kind = 1 };
	e.file = (struct code_part){ .length = strlen(file), .bytes = strlen(file), .kind = 1 };
	e.table = (struct code_part){ .length = sizeof(table), .bytes = sizeof(table) };
	at = (__u8 *)memcpy(at, name, e.name.bytes) + e.name.bytes;
	at = (__u8 *)memcpy(at, file, e.file.bytes) + e.file.bytes;
	memcpy(at, table, sizeof(table));
	assert_int_equal(codes_add(codes, &e, sizeof(e)), 0);
}

static void add_process(__u32 id, __u32 pid, const char *comm, const char *binary)
{
	struct registry_entry e = { .id = id, .pid = pid, .binary = binary, .build_id = "b1d", .layout = -1 };

	snprintf(e.comm, sizeof(e.comm), "%s", comm);
	assert_int_equal(registry_add(registry, &e), 0);
}

static void set_owner(__u32 index, __u32 process, __u32 tid, const char *comm)
{
	owners[index] = (struct owner){ .key = owner_key(process, tid), .process = process, .tid = tid };
	snprintf(owners[index].comm, sizeof(owners[index].comm), "%s", comm);
}

static void set_node(__u32 node, __u32 parent, __u32 code, __u32 instr, __u64 count)
{
	nodes[node] = (struct node){ .key = node_key(parent, code, instr), .count = count };
}

static void set_root(__u32 node, __u32 owner, __u64 count)
{
	set_node(node, 0, owner, INSTR_UNKNOWN, count);
}

static int setup(void **state)
{
	(void)state;
	nodes = calloc(NODES, sizeof(*nodes));
	owners = calloc(OWNERS, sizeof(*owners));
	tables = (struct kernel_tables){ .nodes = nodes, .owners = owners, .node_count = NODES, .owner_count = OWNERS };
	if (!nodes || !owners || codes_new(&codes, 0) || registry_new(&registry))
		return -1;
	nodes[0].key = KEY_RESERVED;
	add_process(1, 100, "python3", "/usr/bin/python3");
	add_process(2, 200, "gunicorn", "");
	set_owner(0, 1, 100, "main-now");
	set_owner(1, 1, 101, "worker");
	set_owner(2, 2, 0, "master");
	add_code(100, "outer", "a.py", 10);
	add_code(101, "inner", "b.py", 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	profile_free(TAKE_PTR(profile));
	registry_free(registry);
	codes_free(codes);
	free(owners);
	free(nodes);
	return 0;
}

static void run(void)
{
	static const struct profile_info info = { .period_ns = 10000000, .frequency = 100 };

	profile_free(TAKE_PTR(profile));
	memset(&stats, 0xa5, sizeof(stats));
	assert_int_equal(harvest(&tables, codes, registry, &info, &profile, &stats), 0);
	assert_int_equal(stats.samples, profile_total(profile));
}

/* The samples as lines "pid/tid comm/thread: leaf:line < caller:line = count", sorted as they were found. */
static const char *shown(void)
{
	static char text[8192];
	size_t used = 0;

	text[0] = '\0';
	for (__u32 id = 1; id <= profile_count(profile, PROFILE_SAMPLE); id++) {
		struct profile_stack s = profile_get_sample(profile, id);
		const struct profile_owner *o = profile_get_owner(profile, s.owner);

		used += snprintf(text + used, sizeof(text) - used, "%u/%u %s/%s:", o->pid, o->tid,
				 profile_get_string(profile, o->comm), profile_get_string(profile, o->thread));
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

static void nothing_counted(void **state)
{
	(void)state;
	run();
	assert_int_equal(stats.samples, 0);
	assert_int_equal(stats.nodes, 0);
	assert_int_equal(stats.locations, 0);
	/* Nodes without samples make no frames, and no look-ups. */
	set_root(5, 0, 0);
	set_node(6, 5, 100, 1, 0);
	run();
	assert_string_equal(shown(), "");
	assert_int_equal(stats.nodes, 2);
	assert_int_equal(stats.locations, 0);
	assert_int_equal(codes_get_stats(codes)->decodes, 0);
	assert_int_equal(profile_get_info(profile)->frequency, 100);
}

static void stacks(void **state)
{
	(void)state;
	set_root(5, 0, 0);
	set_node(6, 5, 100, 1, 3); /* outer, its first instruction: line 11 */
	set_node(7, 6, 101, 4, 5); /* inner, line 23, called from there */
	set_node(8, 6, 101, 0, 7); /* inner, not begun: its first line */
	set_node(NODES - 1, 7, 100, INSTR_UNKNOWN, 11);
	run();
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 = 3\n"
				     "100/100 main-now/main-now: inner:23 < outer:11 = 5\n"
				     "100/100 main-now/main-now: inner:20 < outer:11 = 7\n"
				     "100/100 main-now/main-now: outer:0 < inner:23 < outer:11 = 11\n");
	assert_int_equal(stats.samples, 26);
	assert_int_equal(stats.nodes, 5);
	assert_int_equal(stats.locations, 4);
}

static void lines_merge(void **state)
{
	(void)state;
	set_root(5, 0, 0);
	set_node(6, 5, 100, 1, 3);
	set_node(7, 5, 100, 2, 4); /* another instruction of the same line */
	run();
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 = 7\n");
	assert_int_equal(profile_count(profile, PROFILE_LOCATION), 1);
}

/* One code object and one instruction, met below several callers. */
static void locations_are_distinct(void **state)
{
	(void)state;
	set_root(5, 0, 0);
	set_node(6, 5, 100, 1, 0);
	set_node(7, 5, 100, 5, 0);
	set_node(8, 6, 101, 1, 1);
	set_node(9, 7, 101, 1, 1);
	set_node(10, 5, 101, 1, 1);
	run();
	assert_int_equal(stats.samples, 3);
	assert_int_equal(codes_get_stats(codes)->decodes, 3);
	assert_int_equal(stats.locations, 3);
	assert_int_equal(stats.nodes, 6);
}

static void labels(void **state)
{
	(void)state;
	set_root(5, 0, 0);
	set_root(6, 1, 0);
	set_root(7, 2, 0);
	set_node(8, 5, 100, 1, 1);
	set_node(9, 6, 100, 1, 2);
	set_node(10, 7, 100, 1, 4);
	run();
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 = 1\n" /* the main thread names both */
				     "100/101 python3/worker: outer:11 = 2\n" /* a thread: the process keeps its own */
				     "200/0 master/: outer:11 = 4\n"); /* by process: no thread */
}

static void mappings(void **state)
{
	const struct profile_mapping *m;
	const struct profile_location *l;

	(void)state;
	set_root(5, 0, 0);
	set_root(7, 2, 0);
	set_node(8, 5, 100, 1, 1);
	set_node(9, 8, OUTCOME_TRUNCATED, INSTR_UNKNOWN, 1);
	set_node(10, 7, 100, 1, 1); /* its interpreter's file is unknown */
	run();
	assert_int_equal(profile_count(profile, PROFILE_MAPPING), 1);
	l = profile_get_location(profile, profile_get_sample(profile, 1).locations[0]);
	m = profile_get_mapping(profile, l->mapping);
	assert_string_equal(profile_get_string(profile, m->file), "/usr/bin/python3");
	assert_string_equal(profile_get_string(profile, m->build_id), "b1d");
	/* A marker is in no file. */
	l = profile_get_location(profile, profile_get_sample(profile, 2).locations[0]);
	assert_int_equal(l->mapping, 0);
	l = profile_get_location(profile, profile_get_sample(profile, 3).locations[0]);
	assert_int_equal(l->mapping, 0);
}

static void unknown_process(void **state)
{
	(void)state;
	set_owner(3, 77, 0, "stranger");
	set_root(5, 3, 2);
	run();
	assert_string_equal(shown(), "0/0 stranger/: [table full]:0 = 2\n");
}

static void every_marker(void **state)
{
	static const char *const names[] = {
#define OUTCOME(name, place, text, help) "[" text "]",
#include "bpf/outcomes.def"
#undef OUTCOME
	};

	(void)state;
	set_root(5, 0, 0);
	for (__u32 i = 0; i < CODE_FIRST; i++)
		set_node(100 + i, 5, i, INSTR_UNKNOWN, i + 1);
	run();
	assert_int_equal(stats.samples, CODE_FIRST * (CODE_FIRST + 1) / 2);
	for (__u32 i = 0; i < OUTCOME_COUNT; i++) {
		char line[128];

		snprintf(line, sizeof(line), ": %s:0 = %u\n", names[i], i + 1);
		assert_non_null(strstr(shown(), line));
	}
	/* Numbers that stand for nothing yet are one marker. */
	assert_int_equal(profile_count(profile, PROFILE_SAMPLE), OUTCOME_COUNT + 1);
	assert_non_null(strstr(shown(), ": [unknown]:0 = "));
}

static void marker_below_frames(void **state)
{
	(void)state;
	set_root(5, 0, 0);
	set_node(6, 5, OUTCOME_TRUNCATED, INSTR_UNKNOWN, 0); /* the missing callers */
	set_node(7, 6, 100, 1, 2);
	run();
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 < [truncated]:0 = 2\n");
}

static void unknown_code(void **state)
{
	(void)state;
	set_root(5, 0, 0);
	set_node(6, 5, 102, 1, 2);
	set_node(7, 5, (1U << CODE_BITS) - 1, 1, 3);
	run();
	assert_string_equal(shown(), "100/100 main-now/main-now: [unknown code]:0 = 5\n");
}

static void table_full(void **state)
{
	(void)state;
	/* Not even a marker found room: the root has the count, or, without a root, node 0. */
	set_root(5, 1, 6);
	nodes[0].count = 9;
	run();
	assert_string_equal(shown(), "0/0 /: [table full]:0 = 9\n100/101 python3/worker: [table full]:0 = 6\n");
	assert_int_equal(stats.samples, 15);
}

static void large_counts(void **state)
{
	(void)state;
	set_root(5, 0, 0);
	set_node(6, 5, 100, 1, 1ULL << 62);
	set_node(7, 5, 101, 1, 1ULL << 40);
	run();
	assert_int_equal(stats.samples, (1ULL << 62) + (1ULL << 40));
}

/* The deepest stack that --max-depth allows: 4000 frames and two markers below the root. */
static void deepest(void **state)
{
	struct profile_stack s;

	(void)state;
	set_root(1, 0, 0);
	for (__u32 i = 2; i < 4004; i++)
		set_node(i, i - 1, i == 2 ? OUTCOME_TRUNCATED : 100 + i % 2, 1, 0);
	nodes[4003].count = 3;
	run();
	assert_int_equal(stats.samples, 3);
	s = profile_get_sample(profile, 1);
	assert_int_equal(s.n, 4002);
	assert_int_equal(stats.locations, 2); /* markers are no places in code */
}

/* --- trees that cannot be ----------------------------------------------------------------------------- */

static void cycles(void **state)
{
	(void)state;
	set_node(5, 5, 100, 1, 1); /* its own parent */
	set_node(6, 7, 100, 1, 2);
	set_node(7, 6, 101, 1, 4);
	for (__u32 i = 20; i < 8000; i++)
		set_node(i, i == 20 ? 7999 : i - 1, 100, 1, i % 100 == 0);
	set_root(10, 0, 0);
	set_node(11, 10, 100, 1, 8);
	run();
	/* What cannot be is in no profile, and makes the books say so; the rest is untouched. */
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 = 8\n");
}

static void chain_too_long(void **state)
{
	(void)state;
	set_root(1, 0, 0);
	for (__u32 i = 2; i < NODES; i++)
		set_node(i, i - 1, 100, 1, i % 1000 == 0);
	run();
	/* 1000, 2000, 3000 and 4000 nodes deep; those beyond what the kernel side can make are not believed. */
	assert_int_equal(stats.samples, 4);
}

static void parents_out_of_range(void **state)
{
	(void)state;
	set_node(5, NODES, 100, 1, 1);
	set_node(6, (1U << NODE_BITS) - 1, 100, 1, 2);
	set_node(7, 6, 100, 1, 4);
	nodes[8] = (struct node){ KEY_RESERVED, 8 };
	run();
	assert_string_equal(shown(), "");
	assert_int_equal(stats.nodes, 4);
}

static void owners_out_of_range(void **state)
{
	(void)state;
	set_root(5, OWNERS, 1);
	set_root(6, (1U << CODE_BITS) - 1, 2);
	set_node(7, 6, 100, 1, 4);
	set_root(8, OWNERS - 1, 0); /* the last one; never filled in */
	set_node(9, 8, 100, 1, 8);
	run();
	assert_int_equal(stats.samples, 8);
	assert_string_equal(shown(), "0/0 /: outer:11 = 8\n");
}

static void parent_never_filled(void **state)
{
	(void)state;
	set_node(5, 6, 100, 1, 3); /* 6 is free; its 0 is not the root of owner 0 */
	nodes[7].count = 4;
	run();
	assert_string_equal(shown(), "");
}

static void name_without_end(void **state)
{
	(void)state;
	memset(owners[OWNERS - 1].comm, 'x', sizeof(owners[0].comm));
	memset(owners[3].comm, 'y', sizeof(owners[0].comm));
	owners[4].key = ~0ULL;
	set_root(5, OWNERS - 1, 0);
	set_node(6, 5, 100, 1, 1);
	set_root(7, 3, 0);
	set_node(8, 7, 100, 1, 2);
	run();
	assert_string_equal(shown(), "0/0 xxxxxxxxxxxxxxx/: outer:11 = 1\n0/0 yyyyyyyyyyyyyyy/: outer:11 = 2\n");
}

static void hostile_names(void **state)
{
	_cleanup_buf_ struct buf b = {};

	(void)state;
	add_code(103, "a\nb;c\xff", "\033[2J", 1);
	memcpy(owners[0].comm, "\xff\n;\033", 5);
	set_root(5, 0, 0);
	set_node(6, 5, 103, 0, 1);
	run();
	assert_int_equal(folded_encode(profile, &b), 0);
	assert_int_equal(memchr(b.data, '\n', b.size) == b.data + b.size - 1, 1);
	assert_null(memchr(b.data, '\033', b.size));
}

static __u64 next_random(__u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Random keys, with or without sense: it returns, and has counted every node whose chain ends in an owner. */
static void random_trees(void **state)
{
	__u64 x = 88172645463325252ULL;

	(void)state;
	for (int round = 0; round < 30; round++) {
		__u64 expected = 0;

		for (__u32 i = 1; i < NODES; i++) {
			__u32 parent = next_random(&x) % 8 ? next_random(&x) % (round < 10 ? i : NODES + NODES / 8) : 0;
			__u32 code = parent ? next_random(&x) % 128 : next_random(&x) % (OWNERS + 4);

			set_node(i, parent, code, (next_random(&x) & INSTR_UNKNOWN) | 1, next_random(&x) % 3);
		}
		for (__u32 i = 1; i < NODES; i++) {
			__u32 at = i, steps = 0;

			while (at < NODES && node_parent(nodes[at].key) && steps++ < NODES)
				at = node_parent(nodes[at].key);
			if (at < NODES && !node_parent(nodes[at].key) && node_code(nodes[at].key) < OWNERS)
				expected += nodes[i].count;
		}
		nodes[0].count = round;
		run();
		assert_true(expected > 0);
		assert_int_equal(stats.samples, expected + round);
	}
}

static void memory_runs_short(void **state)
{
	static const struct profile_info info = { .period_ns = 1 };
	int failures = 0;

	(void)state;
	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	nodes[0].count = 1;
	set_root(5, 0, 0);
	set_node(6, 5, 100, 1, 3);
	set_node(7, 6, 101, 4, 5);
	for (int n = 0;; n++) {
		struct profile *untouched = (void *)1, *p = untouched;
		struct harvest_stats s = { .samples = 77 };
		int err;

		allocations_left = n;
		err = harvest(&tables, codes, registry, &info, &p, &s);
		allocations_left = -1;
		if (!err) {
			assert_int_equal(profile_total(p), 9);
			profile_free(p);
			break;
		}
		assert_int_equal(err, -ENOMEM);
		assert_ptr_equal(p, untouched);
		assert_int_equal(s.samples, 77);
		failures++;
	}
	assert_true(failures > 10);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_counted),
		TEST(stacks),
		TEST(lines_merge),
		TEST(locations_are_distinct),
		TEST(labels),
		TEST(mappings),
		TEST(unknown_process),
		TEST(every_marker),
		TEST(marker_below_frames),
		TEST(unknown_code),
		TEST(table_full),
		TEST(large_counts),
		TEST(deepest),
		TEST(cycles),
		TEST(chain_too_long),
		TEST(parents_out_of_range),
		TEST(owners_out_of_range),
		TEST(parent_never_filled),
		TEST(name_without_end),
		TEST(hostile_names),
		TEST(random_trees),
		TEST(memory_runs_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
