// SPDX-License-Identifier: GPL-2.0-only
/* test_keys.c - keys by a table, each once; what is wrong is said in one line, and then nothing is read. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "http/keys.h"
#include "tests/forge/test.h"

static char given[64];

static int set_colour(struct keys *k, const char *value)
{
	if (!strcmp(value, "grey"))
		return keys_fail(k, "colour cannot be '%s'", value);
	strcat(given, value);
	return 0;
}

static int other(struct keys *k, const char *name, const char *value)
{
	(void)value;
	if (!strcmp(name, "any"))
		return 0;
	return keys_fail(k, "'%s' is unknown", name);
}

static const struct key rows[] = { { "size", set_colour }, { "colour", set_colour } };
static const struct key_table table = { rows, ARRAY_SIZE(rows), other };

TEST(each_key_once)
{
	struct keys k = { 0 };

	*given = 0;
	assert_int_equal(keys_add(&k, &table, "colour", "red"), 0);
	assert_int_equal(keys_add(&k, &table, "size", "7"), 0);
	assert_int_equal(keys_add(&k, &table, "any", "thing"), 0);
	assert_string_equal(given, "red7");
	assert_string_equal(k.error, "");
	assert_int_equal(keys_add(&k, &table, "colour", "blue"), -EINVAL);
	assert_string_equal(k.error, "colour is there twice");
	assert_string_equal(given, "red7");
}

TEST(the_first_failure_stays)
{
	static const struct {
		const char *name, *value, *error;
	} wrong[] = {
		{ "colour", "grey", "colour cannot be 'grey'" },
		{ "colour", NULL, "'colour' wants a value: colour=..." },
		{ "smell", "x", "'smell' is unknown" },
		{ "\x1b[1m\xff", "x", "'?[1m?' is unknown" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct keys k = { 0 };

		assert_int_equal(keys_add(&k, &table, wrong[i].name, wrong[i].value), -EINVAL);
		assert_string_equal(k.error, wrong[i].error);
		assert_int_equal(keys_add(&k, &table, "size", "7"), -EINVAL);
		assert_string_equal(k.error, wrong[i].error);
	}
}

TEST(a_line_is_cut)
{
	static char name[2 * KEYS_ERROR_SIZE];
	struct keys k = { 0 };

	memset(name, 'n', sizeof(name) - 1);
	assert_int_equal(keys_add(&k, &table, name, "x"), -EINVAL);
	assert_int_equal(strlen(k.error), KEYS_ERROR_SIZE - 1);
}
