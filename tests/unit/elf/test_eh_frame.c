// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_eh_frame.c - the reader of .eh_frame on sections made by hand. tests/oracle/test_native_tables.py
 * compares what it finds with readelf.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf/eh_frame.h"
#include "tests/forge/test.h"
#include "tests/unit/elf/forge_frames.h"

#define ADDRESS 0x10000

static __u8 section[4096];
static size_t size;
static bool debug; /* it is .debug_frame */

struct found {
	__u64 address[16], size[16];
	size_t place[16];
	int count;
};

static void put(const void *bytes, size_t n)
{
	assert_true(size + n <= sizeof(section));
	memcpy(section + size, bytes, n);
	size += n;
}

static void put_u32(__u32 word)
{
	put(&word, sizeof(word));
}

/* A common entry with this augmentation. Returns its place. */
static size_t put_cie(const char *letters, const __u8 *data, size_t data_size)
{
	const __u8 factors[] = { 1, 0x78, 16 }; /* code 1, data -8, return address in register 16 */
	const __u8 length = data_size;
	const size_t at = size;

	put_u32(4 + 1 + strlen(letters) + 1 + sizeof(factors) + (*letters ? 1 + data_size : 0));
	put_u32(0);
	put("\1", 1);
	put(letters, strlen(letters) + 1);
	put(factors, sizeof(factors));
	if (*letters) {
		put(&length, 1);
		put(data, data_size);
	}
	return at;
}

/* A function whose address and size are 4 bytes each, the address relative to its place. */
static void put_fde(size_t cie, __u64 address, __u32 bytes)
{
	put_u32(12 + 4);
	put_u32(size - cie);
	put_u32(address - (ADDRESS + size));
	put_u32(bytes);
	put_u32(0); /* instructions */
}

static int on_function(void *context, const struct eh_function *function)
{
	struct found *f = context;

	if (f->count == 16)
		return -E2BIG;
	f->address[f->count] = function->address;
	f->size[f->count] = function->size;
	f->place[f->count++] = function->offset;
	return 0;
}

static int read_all(struct found *f)
{
	/* Of its own, so that the sanitizer sees a read beyond it. */
	__u8 *copy = malloc(size ? size : 1);
	int err;

	assert_non_null(copy);
	memcpy(copy, section, size);
	*f = (struct found){ .count = 0 };
	err = eh_frame_each(&(struct eh_frame){ copy, size, ADDRESS, debug }, on_function, f);
	free(copy);
	return err;
}

static int setup(void **state)
{
	(void)state;
	size = 0;
	debug = false;
	return 0;
}

TEST(functions)
{
	const __u8 personality[] = { 0x9b, 1, 2, 3, 4, 0x1b, 0x1b };
	struct found f;
	size_t plain, full;

	plain = put_cie("zR", (const __u8[]){ 0x1b }, 1);
	put_fde(plain, 0x2000, 0x40);
	full = put_cie("zPLR", personality, sizeof(personality));
	put_fde(full, 0x3000, 0x80);
	put_fde(plain, 0x1000, 7);
	put_fde(plain, 0x9000, 0); /* of no size: nothing */
	put_u32(0);
	put_fde(plain, 0x5000, 7); /* behind the end */
	assert_int_equal(read_all(&f), 0);
	assert_int_equal(f.count, 3);
	assert_int_equal(f.address[0], 0x2000);
	assert_int_equal(f.size[0], 0x40);
	assert_int_equal(f.address[1], 0x3000);
	assert_int_equal(f.size[1], 0x80);
	assert_int_equal(f.address[2], 0x1000);
}

TEST(wide_and_plain_addresses)
{
	const __u64 wide[] = { 0x123456789abc, 0x10 };
	struct found f;
	size_t cie;

	cie = put_cie("", NULL, 0); /* no augmentation: plain addresses of 8 bytes */
	put_u32(4 + sizeof(wide));
	put_u32(size - cie);
	put(wide, sizeof(wide));
	assert_int_equal(read_all(&f), 0);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.address[0], wide[0]);
	assert_int_equal(f.size[0], 0x10);
}

TEST(debug_frame)
{
	const __u64 function[] = { 0x401000, 0x33 };
	struct found f;

	debug = true;
	put_cie("", NULL, 0);
	memset(section + 4, 0xff, 4);
	put_u32(4 + sizeof(function));
	put_u32(0); /* of the CIE at 0 */
	put(function, sizeof(function));
	assert_int_equal(read_all(&f), 0);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.address[0], function[0]);
	assert_int_equal(f.size[0], function[1]);
}

TEST(what_is_not_understood_is_left_out)
{
	struct found f;
	size_t strange, known;

	strange = put_cie("zR", (const __u8[]){ 0x3b }, 1); /* relative to a section that is not named */
	put_fde(strange, 0x2000, 0x40);
	strange = put_cie("xyz", (const __u8[]){ 0x1b }, 1);
	put_fde(strange, 0x2000, 0x40);
	known = put_cie("zR", (const __u8[]){ 0x1b }, 1);
	put_fde(known, 0x4000, 0x40);
	assert_int_equal(read_all(&f), 0);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.address[0], 0x4000);
}

/* What a function has in common with others, and its own instructions. */
TEST(read_whole)
{
	struct frames f = { .address = ADDRESS };
	struct eh_function function;
	struct eh_frame copy;
	size_t plain, other, first, second;

	plain = frames_common(&f, "zRS", "\x1b", 1, CODE(0x0c, 7, 8));
	first = frames_function(&f, plain, 0x2000, 0x40, CODE(0x41, 0x0e, 16));
	other = frames_usual(&f);
	f.bytes.data[other + 4 + 4 + 1 + 3] = 4; /* addresses count by 4 */
	second = frames_function(&f, other, 0x2000, 0x40, NULL, 0);
	copy = frames_copy(&f);
	assert_int_equal(eh_frame_read(&copy, first, &function), 0);
	assert_int_equal(function.offset, first);
	assert_int_equal(function.address, 0x2000);
	assert_int_equal(function.size, 0x40);
	assert_true(function.common.signal);
	assert_int_equal(function.common.code_factor, 1);
	assert_int_equal(function.common.data_factor, -8);
	assert_int_equal(function.common.return_register, 16);
	assert_int_equal(reader_left(&function.common.instructions), 3);
	assert_memory_equal(function.common.instructions.at, "\x0c\x07\x08", 3);
	assert_int_equal(reader_left(&function.instructions), 3);
	assert_memory_equal(function.instructions.at, "\x41\x0e\x10", 3);
	assert_int_equal(eh_frame_read(&copy, second, &function), 0);
	assert_int_equal(function.common.code_factor, 4);
	assert_false(function.common.signal);
	assert_int_equal(eh_frame_read(&copy, plain, &function), -EBADMSG); /* no function */
	assert_int_equal(eh_frame_read(&copy, copy.size, &function), -EBADMSG);
	assert_int_equal(eh_frame_read(&copy, copy.size - 3, &function), -EBADMSG);
	free((void *)copy.bytes);
	buf_free(&f.bytes);
}

/* As assemblers write .debug_frame: a signal's function, and nothing of how long its augmentation is. */
TEST(letters_without_data)
{
	const __u64 range[] = { 0x401000, 0x33 };
	struct frames f = { .debug = true };
	struct eh_function function;
	struct eh_frame copy;

	frames_put_u32(&f, 15);
	frames_put_u32(&f, ~0U);
	frames_put(&f, "\1S\0\1\x78\x10\x0c\x07\x08\0\0", 11);
	for (const char *letter = "SR"; *letter; letter++) {
		f.bytes.data[9] = *letter;
		f.bytes.size = 19;
		frames_put_u32(&f, 4 + sizeof(range) + 1);
		frames_put_u32(&f, 0);
		frames_put(&f, range, sizeof(range));
		frames_put(&f, "\x41", 1);
		copy = frames_copy(&f);
		assert_int_equal(eh_frame_read(&copy, 19, &function), *letter == 'S' ? 0 : -EBADMSG);
		free((void *)copy.bytes);
	}
	assert_true(function.common.signal);
	assert_int_equal(function.address, 0x401000);
	assert_int_equal(reader_left(&function.instructions), 1);
	buf_free(&f.bytes);
}

/* An augmentation of millions of letters costs each of millions of functions nothing. */
TEST(letters_without_end)
{
	char letters[4000];
	struct found f;

	memset(letters, 'S', sizeof(letters));
	letters[0] = 'z';
	letters[sizeof(letters) - 1] = '\0';
	put_fde(put_cie(letters, (const __u8[]){ 0x1b }, 1), 0x2000, 0x40);
	assert_int_equal(read_all(&f), 0);
	assert_int_equal(f.count, 0);
	size = 0;
	put_fde(put_cie("zSBSBSR", (const __u8[]){ 0x1b }, 1), 0x2000, 0x40);
	assert_int_equal(read_all(&f), 0);
	assert_int_equal(f.count, 1);
}

TEST(malformed)
{
	struct found f;
	size_t cie;

	put_u32(1000); /* longer than the section */
	put_u32(0);
	assert_int_equal(read_all(&f), -EBADMSG);
	size = 0;
	put_u32(~0U);
	put_u32(0);
	assert_int_equal(read_all(&f), -EBADMSG);
	size = 0;
	cie = put_cie("zR", (const __u8[]){ 0x1b }, 1);
	put_fde(cie + 4, 0x2000, 0x40); /* not the begin of an entry */
	assert_int_equal(read_all(&f), -EBADMSG);
	size = 0;
	put_u32(12);
	put_u32(5000); /* before the section */
	put_u32(0);
	put_u32(0);
	assert_int_equal(read_all(&f), -EBADMSG);
	size = 0;
	assert_int_equal(read_all(&f), 0);
}

TEST(what_the_caller_says_ends_it)
{
	struct found f;
	size_t cie;

	cie = put_cie("zR", (const __u8[]){ 0x1b }, 1);
	for (int i = 0; i < 20; i++)
		put_fde(cie, 0x2000 + 16 * i, 16);
	assert_int_equal(read_all(&f), -E2BIG);
	assert_int_equal(f.count, 16);
}

/* Whatever single byte is another one: no read beyond the section, and no loop. */
TEST(damaged)
{
	struct found f;
	size_t cie;

	cie = put_cie("zPLR", (const __u8[]){ 0x9b, 1, 2, 3, 4, 0x1b, 0x1b }, 7);
	for (int i = 0; i < 4; i++)
		put_fde(cie, 0x2000 + 16 * i, 16);
	for (size_t i = 0; i < size; i++) {
		for (int bit = 0; bit < 8; bit++) {
			section[i] ^= 1 << bit;
			read_all(&f);
			section[i] ^= 1 << bit;
		}
	}
	assert_int_equal(read_all(&f), 0);
	assert_int_equal(f.count, 4);
}

AROUND_EACH(setup, NULL);
