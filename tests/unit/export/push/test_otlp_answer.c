// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_otlp_answer.c - what receivers of OTLP answer, byte by byte, and what is no such answer.
 */
#include <stdlib.h>
#include <string.h>

#include "export/push/otlp_answer.h"
#include "tests/forge/test.h"

/* In memory that ends where the answer does, for the sanitizer. */
static struct push_otlp_answer read_answer(const void *data, size_t size)
{
	struct push_otlp_answer a = { .rejected = 99, .message = "from before" };
	char *copy = malloc(size ?: 1);

	assert_non_null(copy);
	memcpy(copy, data, size);
	push_otlp_answer_read(copy, size, &a);
	free(copy);
	return a;
}

#define READ(text) read_answer(text, sizeof(text) - 1)

TEST(what_is_taken)
{
	static const char *const successes[] = { "", "\x0a\x00", "{}", "OK", "\x0a" };

	for (size_t i = 0; i < 5; i++) {
		struct push_otlp_answer a = read_answer(successes[i], i == 1 ? 2 : strlen(successes[i]));

		assert_int_equal(a.rejected, 0);
		assert_string_equal(a.message, "");
	}
}

TEST(what_is_taken_in_part)
{
	struct push_otlp_answer a = READ("\x0a\x0c\x08\x03\x12\x08too many");

	assert_int_equal(a.rejected, 3);
	assert_string_equal(a.message, "too many");
	a = READ("\x0a\x02\x08\x07");
	assert_int_equal(a.rejected, 7);
	assert_string_equal(a.message, "");
	/* All of it is taken, and a warning. */
	a = READ("\x0a\x0a\x12\x08outdated");
	assert_int_equal(a.rejected, 0);
	assert_string_equal(a.message, "outdated");
}

TEST(hostile_answers)
{
	char long_one[600] = "\x0a\xd0\x04\x12\xcd\x04";
	struct push_otlp_answer a;

	memset(long_one + 6, 'x', sizeof(long_one) - 6);
	a = read_answer(long_one, 3 + 0x250);
	assert_int_equal(strlen(a.message), sizeof(a.message) - 1);
	for (size_t size = 0; size < sizeof(long_one); size++)
		read_answer(long_one, size);
	/* A number that no request can have, and one below 0; a field of another type. */
	assert_int_equal(READ("\x0a\x06\x08\xff\xff\xff\xff\x0f").rejected, 0);
	assert_int_equal(READ("\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").rejected, 0);
	assert_int_equal(READ("\x0a\x03\x0a\x01\x05").rejected, 0);
	assert_string_equal(READ("\x0a\x02\x10\x05").message, "");
	assert_int_equal(READ("\x08\x05").rejected, 0);
}

TEST(what_a_failure_says)
{
	char message[PUSH_OTLP_MESSAGE_SIZE] = "untouched";

	assert_false(push_otlp_answer_status("no message\n", 11, message));
	assert_false(push_otlp_answer_status("", 0, message));
	assert_false(push_otlp_answer_status("\x08\x03", 2, message));
	assert_false(push_otlp_answer_status("\x08\x03\x12\x00", 4, message));
	assert_string_equal(message, "untouched");
	assert_true(push_otlp_answer_status("\x08\x03\x12\x0eunexpected EOF", 18, message));
	assert_string_equal(message, "unexpected EOF");
}
