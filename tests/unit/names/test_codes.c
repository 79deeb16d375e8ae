// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_codes.c - the code store: what is shared, what a second record changes, what a forged record may not,
 * and that the books (codes_stats) return to zero.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/types.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "names/codes.h"
#include "tests/forge/test.h"

static struct codes *codes;

/* Units 0 and 1: line +1, column 5; unit 2: none; units 3-10: line +2 more, column 9. */
static const __u8 table_bytes[] = { 0xd9, 4, 6, 0xf8, 0xe7, 8, 9 };

static int setup(void **state)
{
	(void)state;
	return codes_new(&codes, 0);
}

static int teardown(void **state)
{
	(void)state;
	codes_free(codes);
	return 0;
}

static size_t used(const struct record_code *e)
{
	return offsetof(struct record_code, data) + e->name.bytes + e->file.bytes + e->table.bytes;
}

static void append(struct record_code *e, struct code_part *part, const void *bytes, size_t size, __u8 kind)
{
	memcpy((__u8 *)e + used(e), bytes, size);
	part->bytes = (__u16)size;
	part->length = (__u32)(kind ? size / kind : size);
	part->kind = kind;
	part->flags = 0;
}

static struct record_code *record(__u32 code, const char *name, const char *file, int first_line)
{
	static struct record_code e;

	memset(&e, 0, sizeof(e));
	e.type = RECORD_CODE;
	e.code = code;
	e.first_line = first_line;
	append(&e, &e.name, name, strlen(name), 1);
	append(&e, &e.file, file, strlen(file), 1);
	append(&e, &e.table, table_bytes, sizeof(table_bytes), 0);
	return &e;
}

static void unread(struct code_part *part, __u8 flags)
{
	*part = (struct code_part){ .address = part->address, .flags = flags };
}

static void add(const struct record_code *e)
{
	assert_int_equal(codes_add(codes, e, used(e)), 0);
}

static struct code_line resolve(__u32 code, __u32 instr_plus_one)
{
	struct code_line line = { .function = "untouched" };

	assert_int_equal(codes_resolve(codes, code, instr_plus_one, &line), 0);
	return line;
}

static void is(__u32 code, __u32 instr_plus_one, const char *function, const char *file, int first_line,
	       int line)
{
	struct code_line l = resolve(code, instr_plus_one);

	assert_string_equal(l.function, function);
	assert_string_equal(l.file, file);
	assert_int_equal(l.first_line, first_line);
	assert_int_equal(l.line, line);
}

TEST(test_lines)
{
	add(record(100, "f", "a.py", 10));
	is(100, 0, "f", "a.py", 10, 10);
	is(100, 1, "f", "a.py", 10, 11);
	is(100, 2, "f", "a.py", 10, 11);
	is(100, 3, "f", "a.py", 10, 10); /* the table says none: the first line stands in */
	is(100, 4, "f", "a.py", 10, 13);
	is(100, 11, "f", "a.py", 10, 13);
	is(100, 12, "f", "a.py", 10, 10); /* behind the end */
	is(100, INSTR_UNKNOWN - 1, "f", "a.py", 10, 10);
	is(100, INSTR_UNKNOWN, "f", "a.py", 10, 0);
	is(100, 0xffffffff, "f", "a.py", 10, 0);
	is(101, 1, "[unknown code]", "", 0, 0);
	is(OUTCOME_COUNT, 1, "[unknown code]", "", 0, 0);
	assert_int_equal(codes_get_stats(codes)->unknown, 2);
	assert_int_equal(codes_get_stats(codes)->fallbacks, 3);
	add(record(102, "f", "a.py", -1)); /* as macros make them: its lines are 0 and 2 */
	is(102, 1, "f", "a.py", 0, 0);
	is(102, 4, "f", "a.py", 0, 2);
}

TEST(test_columns)
{
	/* before the first instruction and where no line is: none */
	static const int columns[] = { 0, 5, 5, 0, 9 };

	add(record(100, "f", "a.py", 10));
	for (int round = 0; round < 2; round++) { /* decoded, remembered */
		for (__u32 i = 0; i < ARRAY_SIZE(columns); i++)
			assert_int_equal(resolve(100, i).column, columns[i]);
		assert_int_equal(resolve(100, 12).column, 0); /* behind the end */
	}
	assert_int_equal(codes_get_stats(codes)->decodes, 5);
	assert_int_equal(resolve(100, INSTR_UNKNOWN).column, 0);
	assert_int_equal(resolve(101, 1).column, 0);
}

TEST(test_each_line_is_decoded_once)
{
	const struct codes_stats *stats = codes_get_stats(codes);

	add(record(100, "f", "a.py", 10));
	assert_int_equal(stats->decodes, 0);
	for (int round = 0; round < 3; round++) {
		for (__u32 i = 1; i <= 5000; i++)
			assert_int_equal(resolve(100, i).line, i == 3 || i > 11 ? 10 : i < 3 ? 11 : 13);
	}
	assert_int_equal(stats->decodes, 5000);
	assert_int_equal(stats->hits, 10000);
	/* The same code in another process, and the one place that needs no table. */
	add(record(200, "f", "a.py", 10));
	resolve(200, 4);
	resolve(200, 0);
	resolve(200, INSTR_UNKNOWN);
	assert_int_equal(stats->decodes, 5000);
	assert_int_equal(stats->hits, 10001);
	/* Other first line: other lines. */
	add(record(300, "f", "a.py", 20));
	is(300, 1, "f", "a.py", 20, 21);
	assert_int_equal(stats->decodes, 5001);
}

TEST(test_contents_are_shared)
{
	const struct codes_stats *stats = codes_get_stats(codes);
	__u64 one, two;

	add(record(64, "f", "a.py", 1));
	one = stats->bytes;
	add(record(65, "f", "a.py", 1));
	two = stats->bytes - one;
	for (__u32 code = 66; code < 1064; code++)
		add(record(code, "f", "a.py", 1));
	assert_int_equal(stats->codes, 1000);
	assert_int_equal(stats->bodies, 1);
	assert_true(two < one);
	assert_int_equal(stats->bytes, one + 999 * two);
	assert_ptr_equal(resolve(64, 0).function, resolve(1063, 0).function);
	add(record(2000, "g", "a.py", 1));
	assert_int_equal(stats->bodies, 2);
	assert_ptr_equal(resolve(64, 0).file, resolve(2000, 0).file);

	/* Each goes alone, the last takes the contents along. */
	for (__u32 code = 64; code < 1063; code++)
		codes_clear(codes, code, code + 1);
	is(64, 1, "[unknown code]", "", 0, 0);
	is(1063, 1, "f", "a.py", 1, 2);
	codes_clear(codes, 1063, 1064);
	codes_clear(codes, 1063, 1064);
	is(2000, 1, "g", "a.py", 1, 2);
	codes_clear(codes, 2000, 2001);
	assert_int_equal(stats->codes, 0);
	assert_int_equal(stats->bodies, 0);
	assert_int_equal(stats->bytes, 0);
}

TEST(test_names_of_every_kind)
{
	const __u16 two[] = { 0x20ac, 0xd800 };
	const __u32 four[] = { 0x1f40d };
	struct record_code *e = record(100, "", "", 1);

	unread(&e->table, PART_FAULT);
	append(e, &e->name, two, sizeof(two), 2);
	append(e, &e->file, four, sizeof(four), 4);
	add(e);
	is(100, 1, "\xe2\x82\xac\xef\xbf\xbd", "\xf0\x9f\x90\x8d", 1, 0);
	add(record(101, "caf\xe9", "", 1));
	is(101, 1, "caf\xc3\xa9", "", 1, 2);
}

/* 2.7: in UTF-8 or in Latin-1, and cut in the middle of a character. */
TEST(test_names_of_bytes)
{
	struct record_code *e = record(100, "caf\xc3\xa9", "caf\xe9", 1);

	e->name.flags = e->file.flags = PART_BYTES;
	add(e);
	is(100, 1, "caf\xc3\xa9", "caf\xc3\xa9", 1, 2);
	e = record(101, "caf\xc3", "caf\xc3", 1);
	e->name.flags = PART_BYTES | PART_CUT;
	e->file.flags = PART_BYTES;
	add(e);
	is(101, 1, "caf...", "caf\xc3\x83", 1, 2);
}

TEST(test_cut_names_say_so)
{
	static char latin[STRING_MAX + 1], expected[2 * STRING_MAX + 4];
	struct record_code *e;

	memset(latin, '\xff', STRING_MAX);
	for (size_t i = 0; i < STRING_MAX; i++)
		memcpy(expected + 2 * i, "\xc3\xbf", 2);
	strcpy(expected + sizeof(expected) - 4, "...");
	e = record(100, latin, latin, 1);
	e->name.flags = e->file.flags = PART_CUT;
	e->name.length = e->file.length = 0x7fffffff;
	add(e);
	is(100, 1, expected, expected, 1, 2);
	assert_int_equal(codes_incomplete(e), 0); /* another attempt would be cut again */
}

TEST(test_unreadable_parts)
{
	struct record_code *e = record(100, "f", "a.py", 5);

	unread(&e->name, PART_FAULT);
	unread(&e->file, PART_BAD);
	unread(&e->table, PART_FAULT);
	e->first_line = -3;
	assert_int_equal(codes_incomplete(e), CODES_NAME | CODES_TABLE);
	add(e);
	is(100, 4, "[unreadable name]", "[unreadable file]", 0, 0);
}

TEST(test_incomplete)
{
	struct record_code *e = record(100, "f", "a.py", 5);

	assert_int_equal(codes_incomplete(e), 0);
	unread(&e->file, PART_FAULT);
	assert_int_equal(codes_incomplete(e), CODES_FILE);
	unread(&e->file, PART_BAD);
	assert_int_equal(codes_incomplete(e), 0);
	unread(&e->table, PART_CUT);
	e->table.length = LINETABLE_MAX;
	assert_int_equal(codes_incomplete(e), CODES_TABLE);
	e->table.length = LINETABLE_MAX + 1;
	assert_int_equal(codes_incomplete(e), 0);
}

/* What the kernel could not read and the worker then could, in either order. */
TEST(test_second_record_fills_in)
{
	struct record_code *e = record(100, "f", "a.py", 10);

	unread(&e->file, PART_FAULT);
	unread(&e->table, PART_FAULT);
	memmove(e->data, "f", 1);
	add(e);
	is(100, 1, "f", "[unreadable file]", 10, 0);
	add(record(100, "f", "a.py", 10));
	is(100, 1, "f", "a.py", 10, 11);

	e = record(100, "", "", 0);
	unread(&e->name, PART_FAULT);
	unread(&e->file, PART_FAULT);
	unread(&e->table, PART_FAULT);
	add(e);
	is(100, 1, "f", "a.py", 10, 11);
	assert_int_equal(codes_get_stats(codes)->codes, 1);
	assert_int_equal(codes_get_stats(codes)->bodies, 1);
	codes_clear(codes, 100, 101);
	assert_int_equal(codes_get_stats(codes)->bytes, 0);
}

TEST(test_large_table)
{
	__u8 *table = malloc(LINETABLE_MAX);
	struct record_code *e = record(100, "f", "a.py", 10);

	assert_non_null(table);
	memset(table, 0xff, LINETABLE_MAX); /* no line for 8 units, each */
	memcpy(table + LINETABLE_MAX - 3, "\xd9\x00\x00", 3);
	unread(&e->table, PART_CUT);
	e->table.length = LINETABLE_MAX;
	add(e);
	is(100, 1, "f", "a.py", 10, 0);
	assert_int_equal(codes_get_stats(codes)->missing, 1);
	assert_int_equal(codes_set_table(codes, 101, table, LINETABLE_MAX), -ENOENT);
	assert_int_equal(codes_set_table(codes, 100, table, LINETABLE_MAX - 1), -ESTALE);
	assert_int_equal(codes_set_table(codes, 100, table, 0), -ESTALE);
	assert_int_equal(codes_set_table(codes, 100, table, LINETABLE_MAX), 0);
	is(100, 1, "f", "a.py", 10, 10);
	/*
	 * The last entry begins 8 * (LINETABLE_MAX - 3) units on: above what an instruction's number can be.
	 */
	is(100, INSTR_UNKNOWN - 1, "f", "a.py", 10, 10);
	assert_int_equal(codes_get_stats(codes)->decodes, 2);
	/* The kernel's record again, as cut as before, does not lose it; nor is a table set twice. */
	add(e);
	assert_int_equal(codes_set_table(codes, 100, table, LINETABLE_MAX), 0);
	resolve(100, 1);
	assert_int_equal(codes_get_stats(codes)->decodes, 2);
	assert_int_equal(codes_get_stats(codes)->hits, 1);
	/* Another length is another object: the table is not of it. */
	e->table.length = LINETABLE_MAX - 1;
	add(e);
	resolve(100, 1);
	assert_int_equal(codes_get_stats(codes)->decodes, 2);
	codes_clear(codes, 100, 101);
	assert_int_equal(codes_get_stats(codes)->bytes, 0);
	free(table);
}

static void refused(const struct record_code *e, size_t size)
{
	/* A copy of exactly that size, so that the sanitizer sees a byte too many. */
	struct record_code *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, e, size);
	assert_int_equal(codes_add(codes, copy, size), -EBADMSG);
	free(copy);
	assert_int_equal(codes_get_stats(codes)->codes, 0);
	assert_int_equal(codes_get_stats(codes)->bytes, 0);
}

TEST(test_sizes_that_contradict)
{
	struct record_code *e = record(100, "f", "a.py", 10);

	for (size_t size = 0; size < used(e); size++)
		refused(e, size);
	e->name.bytes = 0xffff;
	refused(e, sizeof(*e));
	e = record(100, "f", "a.py", 10);
	e->file.bytes = STRING_MAX + 1;
	refused(e, sizeof(*e));
	e->file.bytes = 4;
	e->table.bytes = LINETABLE_SMALL + 1;
	refused(e, sizeof(*e));
	e->table.bytes = 3;
	refused(e, sizeof(*e));
}

TEST(test_numbers_and_kinds_that_contradict)
{
	static const __u32 numbers[] = { 0, CODE_FIRST - 1, 1U << CODE_BITS, 0xffffffff };
	struct record_code *e;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		refused(record(numbers[i], "f", "a.py", 10), sizeof(*e));
	e = record(100, "f", "a.py", 10);
	e->type = RECORD_FORK;
	refused(e, sizeof(*e));
	for (unsigned int kind = 0; kind < 256; kind++) {
		if (kind == 1 || kind == 2 || kind == 4)
			continue;
		e = record(100, "f", "a.py", 10);
		e->file.kind = (__u8)kind;
		refused(e, sizeof(*e));
	}
	e = record(100, "abc", "a.py", 10);
	e->name.kind = 2; /* three bytes are no whole characters */
	refused(e, sizeof(*e));
	e = record(100, "abc", "a.py", 10);
	e->name.flags = PART_FAULT; /* but bytes are there */
	refused(e, sizeof(*e));
	add(record((1U << CODE_BITS) - 1, "last", "a.py", 10));
	add(record(CODE_FIRST, "first", "a.py", 10));
}

TEST(test_limit_of_memory)
{
	const struct codes_stats *stats;
	__u32 code, refusals = 0, held;
	char text[32];
	int r;

	codes_free(codes);
	assert_int_equal(codes_new(&codes, 64 << 10), 0);
	stats = codes_get_stats(codes);
	for (code = 64; code < 3064; code++) {
		snprintf(text, sizeof(text), "function_%u", code);
		const struct record_code *e = record(code, text, "a.py", 10);
		__u64 before = stats->bytes;

		r = codes_add(codes, e, used(e));
		assert_true(r == 0 || r == -ENOSPC);
		assert_true(stats->bytes <= 64 << 10);
		if (r)
			assert_int_equal(stats->bytes, before);
		refusals += r != 0;
	}
	held = (__u32)stats->codes;
	assert_true(held > 50);
	assert_int_equal(held + refusals, 3000);
	/* Lines are still found; they are only not kept. */
	for (__u32 i = 1; i < 20000; i++)
		assert_int_equal(resolve(64, i).line, i == 3 || i > 11 ? 10 : i < 3 ? 11 : 13);
	assert_true(stats->bytes <= 64 << 10);
	for (code = 64; code < 3064; code++)
		codes_clear(codes, code, code + 1);
	assert_int_equal(stats->bytes, 0);
	assert_int_equal(stats->codes, 0);
}

TEST(test_clear)
{
	for (__u32 code = 64; code < 1064; code++)
		add(record(code, code % 2 ? "f" : "g", "a.py", (int)code));
	codes_clear(codes, 64, 564);
	assert_int_equal(codes_get_stats(codes)->codes, 500);
	is(563, 1, "[unknown code]", "", 0, 0);
	is(564, 1, "g", "a.py", 564, 565);
	codes_clear(codes, 564, 1064);
	assert_int_equal(codes_get_stats(codes)->codes, 0);
	assert_int_equal(codes_get_stats(codes)->bodies, 0);
	assert_int_equal(codes_get_stats(codes)->bytes, 0);
	is(64, 1, "[unknown code]", "", 0, 0);
	codes_clear(codes, 0, ~0U);
	/* The same number is another object now. */
	add(record(64, "h", "b.py", 5));
	is(64, 1, "h", "b.py", 5, 6);
}

TEST(test_many)
{
	char text[32];

	for (__u32 code = 64; code < 100064; code++) {
		snprintf(text, sizeof(text), "f%u", code % 5000);
		add(record(code, text, "a.py", (int)(code % 5000)));
	}
	assert_int_equal(codes_get_stats(codes)->codes, 100000);
	assert_int_equal(codes_get_stats(codes)->bodies, 5000);
	is(64 + 99999, 1, "f63", "a.py", 63, 64);
	is(64, 1, "f64", "a.py", 64, 65);
}

AROUND_EACH(setup, teardown);
