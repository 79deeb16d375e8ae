// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_code_body.c - what is shared by content: one copy of equal bytes and of equal code objects, gone with
 * its last reference, within the bytes that are allowed, and with every line decoded once.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "names/code_body.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

static struct bodies bodies;

/* 3.10's format: units 0-1: line +0; 2: line +1; 3-5: none; 6: line +3. */
static const __u8 table[] = { 4, 0, 2, 1, 6, (__u8)-128, 2, 3 };

static int setup(void **state)
{
	(void)state;
	bodies = (struct bodies){ 0 };
	return 0;
}

/* Whatever a test did, nothing may be left once it has put back what it got. */
static int teardown(void **state)
{
	(void)state;
	assert_null(bodies.blobs);
	assert_null(bodies.bodies);
	assert_int_equal(bodies.stats.bytes, 0);
	assert_int_equal(bodies.stats.bodies, 0);
	return 0;
}

static struct blob *blob(const void *bytes, size_t length)
{
	struct blob *b = NULL;

	assert_int_equal(blob_get(&bodies, bytes, length, &b), 0);
	return b;
}

static void put(struct blob *b)
{
	body_key_put(&bodies, &(struct body_key){ .name = b });
}

/* The parts of a code object of that name, each with a reference of its own. */
static struct body_key key(const char *name)
{
	return (struct body_key){
		.name = blob(name, strlen(name)),
		.file = blob("a.py", 4),
		.table = blob(table, sizeof(table)),
		.first_line = 10,
		.table_length = sizeof(table),
		.line_format = LINES_310,
	};
}

static struct body *body(struct body_key k)
{
	struct body *b = NULL;

	assert_int_equal(body_get(&bodies, &k, &b), 0);
	return b;
}

TEST(equal_bytes_are_one_blob)
{
	char text[] = "name";
	struct blob *a = blob(text, 4), *b, *longer, *empty = blob("", 0);

	text[0] = 'X'; /* they are copied */
	assert_memory_equal(a->bytes, "name", 5);
	b = blob("name", 4);
	longer = blob("name\0", 5);
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, longer);
	assert_int_equal(longer->length, 5);
	assert_int_equal(empty->length, 0);
	assert_ptr_equal(blob_ref(a), a);
	put(a);
	put(a);
	assert_memory_equal(b->bytes, "name", 5); /* one reference is left */
	put(b);
	put(longer);
	put(empty);
}

TEST(nothing_has_references_too)
{
	assert_null(blob_ref(NULL));
	body_key_put(&bodies, &(struct body_key){ 0 });
}

TEST(equal_code_objects_are_one_body)
{
	struct body *a = body(key("f")), *b = body(key("f")), *other = body(key("g")), *moved;
	struct body_key k = key("f");

	k.first_line = 11;
	moved = body(k);
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, other);
	assert_ptr_not_equal(a, moved);
	assert_int_equal(bodies.stats.bodies, 3);
	body_put(&bodies, a);
	assert_memory_equal(b->key.name->bytes, "f", 2);
	assert_int_equal(bodies.stats.bodies, 3);
	body_put(&bodies, b);
	assert_int_equal(bodies.stats.bodies, 2);
	body_put(&bodies, other);
	body_put(&bodies, moved);
}

/* With what is not readable: no name, no file. The table's length alone makes another one. */
TEST(parts_may_be_missing)
{
	struct body *a = body((struct body_key){ .line_format = LINES_310 });
	struct body *b = body((struct body_key){ .line_format = LINES_310, .table_length = 5000 });

	assert_ptr_not_equal(a, b);
	assert_ptr_equal(body((struct body_key){ .line_format = LINES_310 }), a);
	body_put(&bodies, a);
	body_put(&bodies, a);
	body_put(&bodies, b);
}

static void position_is(struct body *b, __u32 instr_plus_one, int line)
{
	struct line_position p = body_position(&bodies, b, instr_plus_one);

	assert_int_equal(p.line, line);
	assert_int_equal(p.column, 0);
}

TEST(lines_are_decoded_once)
{
	struct body *b = body(key("f"));

	for (int round = 0; round < 3; round++) {
		position_is(b, 1, 10);
		position_is(b, 2, 10);
		position_is(b, 3, 11);
		position_is(b, 7, 14);
		assert_int_equal(bodies.stats.decodes, 4);
		assert_int_equal(bodies.stats.hits, 4 * round);
	}
	assert_int_equal(bodies.stats.fallbacks, 0);
	body_put(&bodies, b);
}

/* As macros make them. A line that no file has is unknown, and never one that is near it. */
TEST(lines_that_no_file_has)
{
	static const struct {
		int first, lines[4]; /* of units 0, 2, 3 and 6 */
	} rows[] = { { 0, { 0, 1, 0, 4 } },  { -1, { 0, 0, 0, 3 } },	   { -4, { 0, 0, 0, 0 } },
		     { -99, { 0, 0, 0, 0 } }, { INT_MIN, { 0, 0, 0, 0 } },
		     { INT_MAX - 1, { INT_MAX - 1, INT_MAX, INT_MAX - 1, 0 } } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct body_key k = key("f");
		struct body *b;

		k.first_line = rows[i].first;
		b = body(k);
		position_is(b, 1, rows[i].lines[0]);
		position_is(b, 3, rows[i].lines[1]);
		position_is(b, 4, rows[i].lines[2]); /* has none: the first line */
		position_is(b, 7, rows[i].lines[3]);
		body_put(&bodies, b);
	}
}

/*
 * Where the table has no line, or ends, or has a format that nobody knows: the first line. That is
 * remembered, too.
 */
TEST(first_line_for_want_of_one)
{
	struct body *b = body(key("f")), *strange;
	struct body_key k = key("g");

	k.line_format = ~0ULL;
	strange = body(k);
	for (int round = 0; round < 2; round++) {
		position_is(b, 4, 10);
		position_is(b, 8, 10);
		position_is(b, UINT_MAX, 10);
		position_is(strange, 3, 10);
		assert_int_equal(bodies.stats.fallbacks, 4);
	}
	body_put(&bodies, b);
	body_put(&bodies, strange);
}

/* The memory for positions grows with the instructions that were seen, and none is lost on the way. */
TEST(any_number_of_instructions)
{
	const __u32 count = 3000;
	struct body_key k = key("f");
	_cleanup_free_ __u8 *long_table = calloc(count, 2);
	struct body *b;

	assert_non_null(long_table);
	for (__u32 i = 0; i < count; i++) {
		long_table[2 * i] = 2;
		long_table[2 * i + 1] = 1;
	}
	body_key_put(&bodies, &(struct body_key){ .table = k.table });
	k.table = blob(long_table, 2 * count);
	b = body(k);
	for (__u32 i = 0; i < count; i++)
		position_is(b, i + 1, 11 + i);
	assert_int_equal(bodies.stats.decodes, count);
	for (__u32 i = count; i-- > 0;)
		position_is(b, i + 1, 11 + i);
	assert_int_equal(bodies.stats.decodes, count);
	assert_int_equal(bodies.stats.hits, count);
	body_put(&bodies, b);
}

/* A body with the large line table of a generated function: each unit a line of its own. */
static struct body *large_body(__u32 units)
{
	_cleanup_free_ __u8 *long_table = calloc(units, 2);
	struct body_key k = key("f");

	assert_non_null(long_table);
	for (__u32 i = 0; i < units; i++) {
		long_table[2 * i] = 2;
		long_table[2 * i + 1] = 1;
	}
	body_key_put(&bodies, &(struct body_key){ .table = k.table });
	k.table = blob(long_table, 2 * units);
	return body(k);
}

/* Each place of a table of 1 MiB took milliseconds when it was decoded from its start. */
TEST(large_tables_have_an_index)
{
	const __u32 units = LINETABLE_MAX / 2;
	__u64 without;
	struct body *b;
	clock_t start;

	b = large_body(units);
	assert_null(b->index); /* nobody has asked yet */
	without = bodies.stats.bytes;
	position_is(b, 1, 11);
	assert_non_null(b->index);
	assert_int_equal(bodies.stats.bytes,
			 without + line_index_size(LINETABLE_MAX) + b->size * sizeof(struct body_slot));
	start = clock();
	for (__u32 i = 0; i < 100000; i++)
		position_is(b, 5 * i + 1, 5 * i + 11);
	assert_true(clock() - start < CLOCKS_PER_SEC);
	assert_int_equal(bodies.stats.fallbacks, 0);
	assert_int_equal(bodies.stats.missing, 0);
	body_put(&bodies, b); /* teardown() finds that no byte is left */
}

/* Then a line is unknown, never wrong, and never a matter of milliseconds. */
TEST(no_room_for_an_index)
{
	struct body *b;

	b = large_body(1000);
	bodies.bytes_max = bodies.stats.bytes + line_index_size(2000) - 1;
	for (int i = 1; i <= 3; i++) {
		position_is(b, 7, 0);
		assert_int_equal(bodies.stats.missing, i);
	}
	assert_null(b->index);
	bodies.bytes_max = 0;
	if (fail_malloc_works()) {
		allocations_left = 0;
		position_is(b, 7, 0);
		allocations_left = -1;
		assert_int_equal(bodies.stats.missing, 4);
	}
	position_is(b, 7, 17);
	body_put(&bodies, b);
}

TEST(bytes_are_limited)
{
	static char text[4096];
	struct blob *a, *untouched = (void *)text;
	struct body *b = (void *)text;
	struct body_key k = { 0 };

	bodies.bytes_max = sizeof(*a) + sizeof(text) + 1;
	a = blob(text, sizeof(text));
	assert_int_equal(bodies.stats.bytes, bodies.bytes_max);
	assert_true(bodies_fit(&bodies, 0));
	assert_false(bodies_fit(&bodies, 1));
	assert_int_equal(blob_get(&bodies, "x", 1, &untouched), -ENOSPC);
	assert_ptr_equal(untouched, text);
	assert_int_equal(bodies.stats.bytes, bodies.bytes_max);
	assert_ptr_equal(blob(text, sizeof(text)), a); /* what is there already costs nothing */
	put(a);
	k.name = blob_ref(a);
	assert_int_equal(body_get(&bodies, &k, &b), -ENOSPC); /* and gives back the reference */
	assert_ptr_equal(b, text);
	assert_int_equal(a->refs, 1);
	put(a);
	assert_true(bodies_fit(&bodies, bodies.bytes_max));
}

/* Without room to remember it, a position is decoded each time, and right. */
TEST(positions_without_room)
{
	struct body *b = body(key("f"));

	bodies.bytes_max = bodies.stats.bytes;
	for (int i = 1; i <= 3; i++) {
		position_is(b, 3, 11);
		assert_int_equal(bodies.stats.decodes, i);
	}
	assert_int_equal(bodies.stats.bytes, bodies.bytes_max);
	bodies.bytes_max = 0;
	position_is(b, 3, 11);
	position_is(b, 3, 11);
	assert_int_equal(bodies.stats.decodes, 4);
	body_put(&bodies, b);
}

/* What failed has taken nothing: neither bytes nor references. */
TEST(memory_runs_short)
{
	int failures = 0, err;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	for (int n = 0;; n++) {
		struct blob *a = NULL;

		allocations_left = n;
		err = blob_get(&bodies, "name", 4, &a);
		allocations_left = -1;
		if (!err) {
			put(a);
			break;
		}
		assert_int_equal(err, -ENOMEM);
		assert_int_equal(bodies.stats.bytes, 0);
		failures++;
	}
	for (int n = 0;; n++) {
		struct body_key k = key("f");
		struct body *b = NULL;

		allocations_left = n;
		err = body_get(&bodies, &k, &b);
		allocations_left = -1;
		if (!err) {
			allocations_left = 0;
			position_is(b, 3, 11);
			allocations_left = -1;
			body_put(&bodies, b);
			break;
		}
		assert_int_equal(err, -ENOMEM);
		assert_int_equal(bodies.stats.bytes, 0);
		failures++;
	}
	assert_true(failures >= 4);
}

AROUND_EACH(setup, teardown);
