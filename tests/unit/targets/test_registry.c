// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_registry.c - the processes of a run: found by number, replaced, ended, counted; strings kept once; and
 * memory that runs short at every allocation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "targets/registry.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

static struct registry *registry;

static int setup(void **state)
{
	(void)state;
	return registry_new(&registry);
}

static int teardown(void **state)
{
	(void)state;
	registry_free(registry);
	return 0;
}

static struct registry_entry entry(__u32 id, __u32 pid)
{
	return (struct registry_entry){
		.id = id,
		.pid = pid,
		.start_time = pid * 1000ULL,
		.comm = "python3",
		.binary = "/usr/bin/python3",
		.build_id = "c0ffee",
		.layout = 3,
	};
}

static void add(struct registry_entry e)
{
	assert_int_equal(registry_add(registry, &e), 0);
}

static void counts(size_t all, size_t live)
{
	size_t have = 12345;

	assert_int_equal(registry_count(registry, &have), all);
	assert_int_equal(have, live);
	assert_int_equal(registry_count(registry, NULL), all);
}

TEST(found_by_number)
{
	const struct registry_entry *e;

	counts(0, 0);
	assert_null(registry_find(registry, 0));
	add(entry(7, 4711));
	add(entry(0xffffffff, 1));
	add(entry(0, 2));
	counts(3, 3);
	e = registry_find(registry, 7);
	assert_int_equal(e->id, 7);
	assert_int_equal(e->pid, 4711);
	assert_int_equal(e->start_time, 4711000);
	assert_string_equal(e->comm, "python3");
	assert_string_equal(e->binary, "/usr/bin/python3");
	assert_string_equal(e->build_id, "c0ffee");
	assert_int_equal(e->layout, 3);
	assert_false(e->ended);
	assert_int_equal(registry_find(registry, 0xffffffff)->pid, 1);
	assert_int_equal(registry_find(registry, 0)->pid, 2);
	assert_null(registry_find(registry, 4711)); /* a pid is not a number of ours */
}

TEST(replaced)
{
	struct registry_entry e = entry(7, 4711);

	add(e);
	e.pid = 4712;
	e.binary = "/opt/python";
	e.build_id = "";
	e.layout = -1;
	add(e);
	counts(1, 1);
	assert_int_equal(registry_find(registry, 7)->pid, 4712);
	assert_string_equal(registry_find(registry, 7)->binary, "/opt/python");
	assert_string_equal(registry_find(registry, 7)->build_id, "");
	assert_int_equal(registry_find(registry, 7)->layout, -1);
	/* With its own entry, as one that was looked up and is put back. */
	add(*registry_find(registry, 7));
	assert_int_equal(registry_add(registry, registry_find(registry, 7)), 0);
	counts(1, 1);
	assert_string_equal(registry_find(registry, 7)->binary, "/opt/python");
}

TEST(ended)
{
	struct registry_entry e = entry(7, 4711);

	add(entry(7, 4711));
	add(entry(8, 4712));
	registry_end(registry, 7);
	counts(2, 1);
	registry_end(registry, 7); /* once is enough */
	registry_end(registry, 99);
	counts(2, 1);
	assert_true(registry_find(registry, 7)->ended);
	assert_string_equal(registry_find(registry, 7)->binary,
			    "/usr/bin/python3"); /* its samples need this */
	assert_false(registry_find(registry, 8)->ended);
	/* Replaced over each of the four transitions. */
	add(e);
	counts(2, 2);
	e.ended = true;
	add(e);
	counts(2, 1);
	add(e);
	counts(2, 1);
	e.ended = false;
	add(e);
	add(e);
	counts(2, 2);
	/* One that had ended before it was known. */
	e = entry(9, 4713);
	e.ended = true;
	add(e);
	counts(3, 2);
}

TEST(strings_are_copied_and_shared)
{
	char path[] = "/usr/bin/python3.12", other[] = "/usr/bin/python3.12";
	struct registry_entry e = entry(1, 1);

	e.binary = path;
	add(e);
	e = entry(2, 2);
	e.binary = other;
	add(e);
	memset(path, 'x', sizeof(path) - 1);
	memset(other, 'y', sizeof(other) - 1);
	assert_string_equal(registry_find(registry, 1)->binary, "/usr/bin/python3.12");
	assert_ptr_equal(registry_find(registry, 1)->binary, registry_find(registry, 2)->binary);
	assert_ptr_equal(registry_find(registry, 1)->build_id, registry_find(registry, 2)->build_id);
	/* Nothing is as good as an empty string. */
	e = entry(3, 3);
	e.binary = NULL;
	e.build_id = NULL;
	add(e);
	assert_string_equal(registry_find(registry, 3)->binary, "");
	assert_string_equal(registry_find(registry, 3)->build_id, "");
	/* The kernel's name of a thread may fill its field. */
	e = entry(4, 4);
	memset(e.comm, 'z', sizeof(e.comm));
	add(e);
	assert_string_equal(registry_find(registry, 4)->comm, "zzzzzzzzzzzzzzz");
}

TEST(ten_thousand)
{
	char path[64];

	for (__u32 i = 0; i < 10000; i++) {
		struct registry_entry e = entry(i * 7919, i);

		snprintf(path, sizeof(path), "/env/%u/bin/python3", i % 100);
		e.binary = path;
		add(e);
	}
	counts(10000, 10000);
	for (__u32 i = 0; i < 10000; i += 2)
		registry_end(registry, i * 7919);
	counts(10000, 5000);
	for (__u32 i = 0; i < 10000; i++) {
		const struct registry_entry *e = registry_find(registry, i * 7919);

		snprintf(path, sizeof(path), "/env/%u/bin/python3", i % 100);
		assert_int_equal(e->pid, i);
		assert_int_equal(e->ended, i % 2 == 0);
		assert_string_equal(e->binary, path);
		assert_ptr_equal(e->binary, registry_find(registry, i % 100 * 7919)->binary);
	}
}

/* Fails at each allocation in turn: an error and an unchanged registry, never the end of the program. */
static bool is_odd(void *context, struct registry_entry *e)
{
	++*(int *)context;
	return e->id % 2;
}

static bool is_anything(void *context, struct registry_entry *e)
{
	++*(int *)context;
	return e->id;
}

TEST(forgotten)
{
	struct registry_entry e;
	const char *binary;
	int asked = 0;

	for (__u32 id = 1; id <= 100; id++) {
		e = entry(id, 1000 + id);
		e.binary = id % 2 ? "/opt/odd/python" : "/opt/even/python";
		add(e);
	}
	for (__u32 id = 1; id <= 50; id++)
		registry_end(registry, id);
	counts(100, 50);
	binary = registry_find(registry, 2)->binary;
	registry_forget(registry, is_odd, &asked);
	assert_int_equal(asked, 100);
	assert_int_equal(registry_held(registry), 50);
	counts(100, 25); /* seen are seen */
	assert_null(registry_find(registry, 1));
	assert_null(registry_find(registry, 99));
	assert_ptr_equal(registry_find(registry, 100)->binary, binary); /* a path that is still used stays */
	assert_string_equal(binary, "/opt/even/python");
	e = entry(7, 7);
	e.binary = "/opt/odd/python"; /* and one that was forgotten can come back */
	add(e);
	assert_string_equal(registry_find(registry, 7)->binary, "/opt/odd/python");
	counts(101, 26);
	registry_forget(registry, is_anything, &asked);
	assert_int_equal(registry_held(registry), 0);
	counts(101, 0);
	add(entry(1, 1));
	assert_string_equal(registry_find(registry, 1)->binary, "/usr/bin/python3");
}

TEST(memory_runs_short, .bare = true)
{
	int failures = 0;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	for (int n = 0;; n++) {
		struct registry *r = NULL;
		struct registry_entry e = entry(1, 1);
		size_t live = 0;
		int err;

		allocations_left = n;
		err = registry_new(&r);
		if (!err)
			err = registry_add(r, &e);
		allocations_left = -1;
		if (!err) {
			registry_free(r);
			break;
		}
		assert_int_equal(err, -ENOMEM);
		failures++;
		if (!r)
			continue;
		assert_int_equal(registry_count(r, &live), 0);
		assert_int_equal(live, 0);
		assert_null(registry_find(r, 1));
		/* It is still good for use. */
		assert_int_equal(registry_add(r, &e), 0);
		assert_int_equal(registry_count(r, &live), 1);
		assert_string_equal(registry_find(r, 1)->binary, "/usr/bin/python3");
		registry_free(r);
	}
	assert_true(failures >= 8); /* the registry; three records, each with hash tables */
}

TEST(nothing_to_free, .bare = true)
{
	registry_free(NULL);
}

/* One after the other, round and round, each once in a round. */
TEST(after)
{
	unsigned int seen = 0;
	__u32 id = 0;

	assert_null(registry_after(registry, 0));
	for (__u32 i = 1; i <= 5; i++)
		add(entry(i, 100 + i));
	for (int i = 0; i < 10; i++) {
		const struct registry_entry *e = registry_after(registry, id);

		assert_non_null(e);
		id = e->id;
		seen += 1U << 4 * id;
	}
	assert_int_equal(seen, 0x222220);
	assert_non_null(registry_after(registry, 77)); /* forgotten meanwhile */
}

/* What concerns who lives as what is counted, and nothing else. */
TEST(changes)
{
	struct registry_entry e = entry(7, 4711);
	__u64 before = registry_changes(registry);

	add(e);
	assert_true(registry_changes(registry) > before);
	before = registry_changes(registry);
	add(e);
	e.binary = "/opt/python";
	add(e);
	registry_end(registry, 8);
	assert_int_equal(registry_changes(registry), before);
	e.layout = 4;
	add(e);
	assert_true(registry_changes(registry) > before);
	before = registry_changes(registry);
	registry_end(registry, 7);
	assert_true(registry_changes(registry) > before);
	before = registry_changes(registry);
	registry_end(registry, 7);
	assert_int_equal(registry_changes(registry), before);
	add(e); /* its number names it again */
	assert_true(registry_changes(registry) > before);
}

AROUND_EACH(setup, teardown);
