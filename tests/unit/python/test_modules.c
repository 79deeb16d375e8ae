// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_modules.c - sys.modules in an interpreter of 3.11, near the place where it is expected, and in one of
 * which no place is known; dicts that are another.
 */

#include "python/modules.h"
#include "tests/forge/test.h"
#include "tests/unit/python/forge_objects.h"

static __u64 interpreter[12000];
static struct forged_dict modules, other;
static forged_object texts[3], module;

static int begin(void **state)
{
	(void)state;
	forge_objects_begin();
	memset(interpreter, 0, sizeof(interpreter));
	forge_dict(&other);
	forge_dict(&modules);
	forge_item(&modules, forge_text(texts[0], "sys"), at(module));
	forge_item(&modules, forge_text(texts[1], "builtins"), at(module));
	forge_item(&other, forge_text(texts[2], "sys"), at(module));
	return 0;
}

static __u64 found(void)
{
	return modules_of(&forged_objects, at(interpreter));
}

TEST(where_it_is_expected)
{
	const __u32 word = forged_objects.facts->interp_modules / 8;

	assert_int_equal(found(), 0);
	for (__u32 i = word - 64; i < word + 64; i++) {
		begin(state);
		interpreter[word - 65] = interpreter[word + 64] = at(&other);
		interpreter[i] = at(&modules);
		assert_int_equal(found(), at(&modules));
	}
	begin(state);
	interpreter[word + 65] = at(&modules);
	assert_int_equal(found(), 0);
	interpreter[word] = at(&other);
	assert_int_equal(found(), 0);
}

/* Where it is expected it costs no search. */
TEST(reads)
{
	const __u32 word = forged_objects.facts->interp_modules / 8;

	interpreter[word] = at(&modules);
	forged_objects.reads_max = 7;
	assert_int_equal(found(), at(&modules));
	assert_int_equal(forged_objects.reads, 7);
}

TEST(anywhere)
{
	forged_objects.facts = NULL;
	interpreter[40] = at(&other);
	assert_int_equal(found(), 0);
	interpreter[8191] = at(&modules);
	assert_int_equal(found(), at(&modules));
	interpreter[8191] = 0;
	interpreter[8192] = at(&modules); /* no interpreter is so long */
	assert_int_equal(found(), 0);
	assert_int_equal(modules_of(&forged_objects, 8), 0);
	forged_objects.memory = 1 << 30;
	assert_int_equal(found(), 0);
}

TEST(its_dict)
{
	module[2] = at(&other);
	assert_int_equal(modules_dict(&forged_objects, at(module)), at(&other));
	assert_int_equal(modules_dict(&forged_objects, 0), 0);
	module[2] = 1;
	assert_int_equal(modules_dict(&forged_objects, at(module)), 0);
}

static int begin_all(void **state)
{
	(void)state;
	return 0;
}

AROUND_EACH(begin, NULL);
AROUND_ALL(begin_all, NULL);
