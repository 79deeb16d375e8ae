/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forge_capture.h - a code object and its strings in forged memory, whose reads can be made to fail one by
 * one.
 */
#ifndef PYPERF_TESTS_FORGE_CAPTURE_H
#define PYPERF_TESTS_FORGE_CAPTURE_H

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "python/capture_remote.h"

struct region {
	__u64 address;
	const void *bytes;
	size_t size;
};

static struct region regions[8];
static size_t region_count;
static unsigned int reads, fail_at; /* the number, from 1, of the read that fails; 0 = none */
static int visited;

static int mem_read(void *dst, __u32 size, __u64 address)
{
	if (++reads == fail_at) {
		visited = 1;
		return -EFAULT;
	}
	for (size_t i = 0; i < region_count; i++) {
		const struct region *r = &regions[i];

		if (address >= r->address && address - r->address <= r->size &&
		    size <= r->size - (address - r->address)) {
			memcpy(dst, (const char *)r->bytes + (address - r->address), size);
			return 0;
		}
	}
	return -EFAULT;
}

#include "bpf/python/capture.h"
#include "tests/forge/test.h"

/* CPython 3.13's numbers, but any would do. */
static struct layout layout = {
	.code_size = 200,
	.code_first_line = 68,
	.code_filename = 112,
	.code_name = 120,
	.code_qualname = 128,
	.code_linetable = 136,
	.code_version = 92,
	.code_bytecode = 200,
	.str_length = 16,
	.str_state = 32,
	.str_ascii = 40,
	.str_compact = 56,
	.str_data = 56,
	.str_kind_shift = 2,
	.str_compact_bit = 5,
	.str_ascii_bit = 6,
	.bytes_size = 16,
	.bytes_data = 32,
};

enum {
	CODE = 0x10000,
	NAME = 0x20000,
	FILENAME = 0x30000,
	TABLE = 0x40000,
	ELSEWHERE = 0x50000,
	QUALNAME = 0x60000
};
enum { KIND1 = 1 << 2, KIND2 = 2 << 2, KIND4 = 4 << 2, COMPACT = 1 << 5, ASCII = 1 << 6 };

/* A forged object: a header and what follows it. */
struct object {
	__u64 words[40];
	__u8 more[4200];
};

static struct object code, name, qualname, file, table;
static struct record_code *record;

static inline void map(__u64 address, const void *bytes, size_t size)
{
	assert_true(region_count < ARRAY_SIZE(regions));
	regions[region_count++] = (struct region){ address, bytes, size };
}

static inline void put32(struct object *o, size_t offset, __u32 value)
{
	memcpy((char *)o + offset, &value, sizeof(value));
}

static inline void put64(struct object *o, size_t offset, __u64 value)
{
	memcpy((char *)o + offset, &value, sizeof(value));
}

/* A string with its `size` bytes of characters at offset `data`; nothing is mapped behind them. */
static inline void put_string(struct object *o, __u64 address, __u64 length, __u32 state, size_t data,
			      const void *bytes, size_t size)
{
	put64(o, layout.str_length, length);
	put32(o, layout.str_state, state);
	memcpy((char *)o + data, bytes, size);
	map(address, o, data + size);
}

static inline void put_table(__u64 length, const void *bytes, size_t size)
{
	put64(&table, layout.bytes_size, length);
	memcpy((char *)&table + layout.bytes_data, bytes, size);
	map(TABLE, &table, layout.bytes_data + size);
}

static inline void reset(void)
{
	region_count = 0;
	reads = fail_at = 0;
	visited = 0;
	memset(&code, 0, sizeof(code));
	memset(&name, 0, sizeof(name));
	memset(&qualname, 0, sizeof(qualname));
	memset(&file, 0, sizeof(file));
	memset(&table, 0, sizeof(table));
	memset(record, 0x5a, sizeof(*record));
	put32(&code, layout.code_first_line, 42);
	put32(&code, 92, 7777);
	put64(&code, layout.code_name, NAME);
	put64(&code, 128, QUALNAME);
	put64(&code, layout.code_filename, FILENAME);
	put64(&code, layout.code_linetable, TABLE);
	map(CODE, &code, layout.code_size);
}

/* Everything in order: one string compact and ASCII, one of two bytes a character that is not compact. */
static const __u16 file_text[] = { '/', 0x20ac, 'x' };
static const char table_bytes[] = "\x80\x00\xd9\x01\x02";

static inline void put_usual(void)
{
	put_string(&qualname, QUALNAME, 7, KIND1 | COMPACT | ASCII, 40, "A.b.<c>", 7);
	put_string(&name, NAME, 3, KIND1 | COMPACT | ASCII, 40, "<c>", 3);
	put64(&file, layout.str_data, ELSEWHERE);
	put_string(&file, FILENAME, 3, KIND2, 64, "", 0);
	map(ELSEWHERE, file_text, sizeof(file_text));
	put_table(5, table_bytes, 5);
}

static inline int setup(void **state)
{
	(void)state;
	/* Without slack: what is written behind the record is the sanitizer's. */
	record = malloc(sizeof(*record));
	if (!record)
		return -1;
	layout.code_qualname = 128;
	layout.code_version = 92;
	layout.str_ascii = 40;
	layout.str_compact = layout.str_data = 56;
	layout.str_implied = 0;
	reset();
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	free(record);
	return 0;
}

static inline void part_is(const struct code_part *part, __u64 address, __u32 length, __u16 bytes, __u8 kind,
		    __u8 flags)
{
	assert_int_equal(part->address, address);
	assert_int_equal(part->length, length);
	assert_int_equal(part->bytes, bytes);
	assert_int_equal(part->kind, kind);
	assert_int_equal(part->flags, flags);
}

static inline void usual_is_complete(void)
{
	assert_int_equal(record->address, CODE);
	assert_int_equal(record->first_line, 42);
	part_is(&record->name, QUALNAME, 7, 7, 1, 0);
	part_is(&record->file, FILENAME, 3, 6, 2, 0);
	part_is(&record->table, TABLE, 5, 5, 0, 0);
	assert_memory_equal(record->data, "A.b.<c>", 7);
	assert_memory_equal(record->data + 7, file_text, 6);
	assert_memory_equal(record->data + 13, table_bytes, 5);
	assert_int_equal(capture_size(record), offsetof(struct record_code, data) + 18);
}

#endif
