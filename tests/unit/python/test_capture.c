// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_capture.c - bpf/python/capture.h on forged memory, where each object ends exactly where it must.
 * Faults are injected at every read in turn; a read that was to fail and was never made fails the test.
 */
#include "forge_capture.h"
#include "tests/forge/test.h"

TEST(test_complete)
{
	put_usual();
	assert_int_equal(capture_code(record, &layout, CODE), 0);
	usual_is_complete();
	assert_int_equal(record->version, 7777);
}

TEST(test_versions_without_fields)
{
	put_usual();
	layout.code_qualname = 0;
	layout.code_version = 0;
	assert_int_equal(capture_code(record, &layout, CODE), 0);
	part_is(&record->name, NAME, 3, 3, 1, 0);
	assert_memory_equal(record->data, "<c>", 3);
	assert_int_equal(record->version, 0);
}

TEST(test_negative_first_line)
{
	put_usual();
	put32(&code, layout.code_first_line, (__u32)-5);
	assert_int_equal(capture_code(record, &layout, CODE), 0);
	assert_int_equal(record->first_line, -5);
}

/* One injected fault: the record stays valid, and what was not hit is still right. */
static void fault_leaves_valid_record(unsigned int nth, unsigned int *ret_faults)
{
	const struct code_part *parts[] = { &record->name, &record->file, &record->table };
	int r, faults = 0;

	reset();
	put_usual();
	fail_at = nth;
	r = capture_code(record, &layout, CODE);
	assert_true(visited);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!(parts[i]->flags & PART_FAULT))
			continue;
		assert_int_equal(parts[i]->bytes, 0);
		faults++;
	}
	assert_int_equal(faults, r ? 3 : 1);
	assert_int_equal(r != 0, nth == 1);
	if (!(record->name.flags & PART_FAULT))
		assert_memory_equal(record->data, "A.b.<c>", 7);
	if (!(record->file.flags & PART_FAULT))
		assert_memory_equal(record->data + record->name.bytes, file_text, 6);
	if (!(record->table.flags & PART_FAULT))
		assert_memory_equal(record->data + record->name.bytes + record->file.bytes, table_bytes, 5);
	*ret_faults |= record->name.flags | record->file.flags << 1 | record->table.flags << 2;
}

TEST(test_fault_at_each_read)
{
	unsigned int total, faults = 0;

	put_usual();
	assert_int_equal(capture_code(record, &layout, CODE), 0);
	total = reads;
	/* The object; header and characters; header, pointer and characters; size and bytes. */
	assert_int_equal(total, 1 + 2 + 3 + 2);
	for (unsigned int nth = 1; nth <= total; nth++)
		fault_leaves_valid_record(nth, &faults);
	assert_int_equal(faults, 7);
	/* One later there is nothing left to fail. */
	reset();
	put_usual();
	fail_at = total + 1;
	assert_int_equal(capture_code(record, &layout, CODE), 0);
	assert_false(visited);
	usual_is_complete();
}

static void name_is(__u64 length, __u32 state, size_t data, const void *bytes, size_t size)
{
	reset();
	put_string(&qualname, QUALNAME, length, state, data, bytes, size);
	assert_int_equal(capture_code(record, &layout, CODE), 0);
}

TEST(test_kinds_of_string)
{
	const __u32 four[] = { 0x1f40d, 'x' };

	name_is(4, KIND1 | COMPACT, 56, "caf\xe9", 4);
	part_is(&record->name, QUALNAME, 4, 4, 1, 0);
	assert_memory_equal(record->data, "caf\xe9", 4);
	name_is(2, KIND2 | COMPACT, 56, file_text, 4);
	part_is(&record->name, QUALNAME, 2, 4, 2, 0);
	assert_memory_equal(record->data, file_text, 4);
	name_is(2, KIND4 | COMPACT, 56, four, 8);
	part_is(&record->name, QUALNAME, 2, 8, 4, 0);
	assert_memory_equal(record->data, four, 8);
	name_is(0, KIND1 | COMPACT | ASCII, 40, "", 0);
	part_is(&record->name, QUALNAME, 0, 0, 1, 0);
	/* What is not read: a string of another object's memory would be. */
	part_is(&record->file, FILENAME, 0, 0, 0, PART_FAULT);
	part_is(&record->table, TABLE, 0, 0, 0, PART_FAULT);
}

/* 2.7: what stands for the state says how it is interned, and the bytes follow at once. */
TEST(test_byte_strings)
{
	static const __u8 text[STRING_MAX + 1] = { 0xe9 };

	layout.str_implied = KIND1 | COMPACT | ASCII;
	layout.str_ascii = 36;
	layout.str_compact = layout.str_data = 0;
	for (__u32 interned = 0; interned <= 2; interned++) {
		name_is(4, interned, 36, "caf\xe9", 4);
		part_is(&record->name, QUALNAME, 4, 4, 1, PART_BYTES);
		assert_memory_equal(record->data, "caf\xe9", 4);
	}
	name_is(0, 1, 36, "", 0);
	part_is(&record->name, QUALNAME, 0, 0, 1, PART_BYTES);
	name_is(STRING_MAX + 1, 0, 36, text, sizeof(text));
	part_is(&record->name, QUALNAME, STRING_MAX + 1, STRING_MAX, 1, PART_BYTES | PART_CUT);
	name_is(4, 2 << 2, 36, "caf\xe9", 4); /* no such state */
	part_is(&record->name, QUALNAME, 0, 0, 0, PART_BAD);
	name_is(4, 0, 36, "caf", 3);
	part_is(&record->name, QUALNAME, 4, 0, 1, PART_FAULT);
}

TEST(test_long_strings_are_cut)
{
	static __u8 text[4 * STRING_MAX];
	static const struct {
		__u32 state;
		__u8 kind;
		size_t data;
	} kinds[] = { { KIND1 | COMPACT | ASCII, 1, 40 },
		      { KIND2 | COMPACT, 2, 56 },
		      { KIND4 | COMPACT, 4, 56 } };

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (__u8)(i * 7);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		__u32 fit = STRING_MAX / kinds[i].kind;

		name_is(fit, kinds[i].state, kinds[i].data, text, STRING_MAX);
		part_is(&record->name, QUALNAME, fit, STRING_MAX, kinds[i].kind, 0);
		/* Mapped up to the cut alone: not a byte more is read. */
		name_is(fit + 1, kinds[i].state, kinds[i].data, text, STRING_MAX);
		part_is(&record->name, QUALNAME, fit + 1, STRING_MAX, kinds[i].kind, PART_CUT);
		assert_memory_equal(record->data, text, STRING_MAX);
		name_is(0x7fffffff, kinds[i].state, kinds[i].data, text, STRING_MAX);
		part_is(&record->name, QUALNAME, 0x7fffffff, STRING_MAX, kinds[i].kind, PART_CUT);
	}
}

TEST(test_what_is_no_string)
{
	static const __u64 lengths[] = { 1ULL << 62, 1ULL << 31, ~0ULL, 1ULL << 63, (1ULL << 62) + 4 };

	for (__u32 kind = 0; kind < 8; kind++) {
		name_is(3, kind << 2 | COMPACT | ASCII, 40, "abcdefghijkl", 12);
		assert_int_equal(record->name.flags, kind == 1 || kind == 2 || kind == 4 ? 0 : PART_BAD);
		assert_int_equal(record->name.bytes, record->name.flags ? 0 : 3 * kind);
	}
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		name_is(lengths[i], KIND4 | COMPACT, 56, "abcdefghijkl", 12);
		part_is(&record->name, QUALNAME, 0, 0, 0, PART_BAD);
	}
	reset();
	put64(&code, layout.code_qualname, 0);
	put64(&code, layout.code_linetable, 0);
	assert_int_equal(capture_code(record, &layout, CODE), 0);
	part_is(&record->name, 0, 0, 0, 0, PART_BAD);
	part_is(&record->table, 0, 0, 0, 0, PART_BAD);
}

/* 3.11 and older: characters are behind a pointer, or not made yet (kind 0). */
TEST(test_legacy_strings)
{
	reset();
	put64(&qualname, layout.str_data, ELSEWHERE);
	put_string(&qualname, QUALNAME, 3, KIND1 | ASCII, 64, "", 0);
	map(ELSEWHERE, "xyz", 3);
	assert_int_equal(capture_code(record, &layout, CODE), 0);
	part_is(&record->name, QUALNAME, 3, 3, 1, 0);
	assert_memory_equal(record->data, "xyz", 3);

	reset();
	put64(&qualname, layout.str_data, 0xffff800000000000ULL);
	put_string(&qualname, QUALNAME, 3, KIND1, 64, "", 0);
	assert_int_equal(capture_code(record, &layout, CODE), 0);
	part_is(&record->name, QUALNAME, 3, 0, 1, PART_FAULT);

	name_is(3, 0, 64, "", 0);
	part_is(&record->name, QUALNAME, 0, 0, 0, PART_BAD);
}

static void table_is(__u64 length, size_t mapped, __u32 part_length, __u16 bytes, __u8 flags)
{
	static __u8 bytes_of_table[LINETABLE_SMALL + 1];

	reset();
	put_usual();
	region_count--;
	memset(bytes_of_table, 0x91, sizeof(bytes_of_table));
	put_table(length, bytes_of_table, mapped);
	assert_int_equal(capture_code(record, &layout, CODE), 0);
	part_is(&record->table, TABLE, part_length, bytes, 0, flags);
	if (bytes)
		assert_memory_equal(record->data + 13, bytes_of_table, bytes);
}

TEST(test_tables)
{
	table_is(0, 0, 0, 0, 0);
	table_is(1, 1, 1, 1, 0);
	table_is(LINETABLE_SMALL, LINETABLE_SMALL, LINETABLE_SMALL, LINETABLE_SMALL, 0);
	table_is(LINETABLE_SMALL, LINETABLE_SMALL - 1, LINETABLE_SMALL, 0, PART_FAULT);
	table_is(LINETABLE_SMALL + 1, LINETABLE_SMALL + 1, LINETABLE_SMALL + 1, 0, PART_CUT);
	table_is(LINETABLE_MAX, 0, LINETABLE_MAX, 0, PART_CUT);
	table_is(0x7fffffff, 0, 0x7fffffff, 0, PART_CUT);
	table_is(1ULL << 62, 0, 0, 0, PART_BAD);
	table_is(~0ULL, 0, 0, 0, PART_BAD);
}

/* The fullest record there can be. */
TEST(test_everything_at_its_limit)
{
	static __u8 text[LINETABLE_SMALL];

	memset(text, 'n', STRING_MAX);
	put_string(&qualname, QUALNAME, STRING_MAX, KIND1 | COMPACT | ASCII, 40, text, STRING_MAX);
	memset(text, 'f', STRING_MAX);
	put_string(&file, FILENAME, STRING_MAX / 4, KIND4 | COMPACT, 56, text, STRING_MAX);
	memset(text, 't', LINETABLE_SMALL);
	put_table(LINETABLE_SMALL, text, LINETABLE_SMALL);
	assert_int_equal(capture_code(record, &layout, CODE), 0);
	assert_int_equal(capture_size(record), offsetof(struct record_code, data) + sizeof(record->data));
	for (size_t i = 0; i < sizeof(record->data); i++)
		assert_int_equal(record->data[i], i < STRING_MAX ? 'n' : i < 2 * STRING_MAX ? 'f' : 't');
	/* Sizes that no record has do not reach behind it. */
	record->table.bytes = 0xffff;
	assert_int_equal(capture_size(record), sizeof(*record));
}

/* Layouts are validated before they get here; one that is not must not make us read outside the header. */
TEST(test_absurd_layout)
{
	struct layout absurd;

	memset(&absurd, 0xff, sizeof(absurd));
	put_usual();
	assert_int_equal(capture_code(record, &absurd, CODE),
			 -EFAULT); /* 256 bytes are asked for, 200 are there */
	absurd.code_size = 200;
	assert_int_equal(capture_code(record, &absurd, CODE), 0);
	part_is(&record->name, 0, 0, 0, 0, PART_BAD);
	assert_int_equal(record->first_line, 0);
}

AROUND_EACH(setup, teardown);
