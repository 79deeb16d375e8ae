// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_losses.c - what the log has lost, in words; with the largest numbers there are, too.
 */
#include <string.h>

#include "profile/losses.h"
#include "profile/profile.h"
#include "tests/forge/test.h"

TEST(nothing)
{
	const struct profile_info info = { 0 };
	char text[LOSSES_TEXT_SIZE] = "x";

	losses_text(&info, text);
	assert_string_equal(text, "");
}

TEST(spans)
{
	const struct profile_info info = {
		.losses = { { 1764079397123000000, 1764079398400999999, 12 }, { 0, 1000000, 1 } },
		.loss_count = 2,
	};
	char text[LOSSES_TEXT_SIZE];

	losses_text(&info, text);
	assert_string_equal(text, "12 from 2025-11-25T14:03:17.123Z to 2025-11-25T14:03:18.400Z, "
				  "1 from 1970-01-01T00:00:00.000Z to 1970-01-01T00:00:00.001Z");
}

TEST(the_largest_numbers_fit)
{
	struct profile_info info = { .loss_count = PROFILE_LOSSES_MAX };
	char text[LOSSES_TEXT_SIZE];
	size_t length;

	for (int i = 0; i < PROFILE_LOSSES_MAX; i++)
		info.losses[i] = (struct profile_loss){ INT64_MAX, INT64_MAX, UINT64_MAX };
	losses_text(&info, text);
	length = strlen(text);
	assert_true(length < LOSSES_TEXT_SIZE - 1);
	assert_int_equal(text[length - 1], 'Z');
}
