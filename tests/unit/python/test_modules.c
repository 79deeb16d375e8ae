// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_modules.c - sys.modules in an interpreter of 3.11, near the place where it is expected, and in one of
 * which no place is known; dicts that are another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "python/modules.h"
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

static void where_it_is_expected(void **state)
{
	const __u32 word = forged_objects.facts->interp_modules / 8;

	(void)state;
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
static void reads(void **state)
{
	const __u32 word = forged_objects.facts->interp_modules / 8;

	(void)state;
	interpreter[word] = at(&modules);
	forged_objects.reads_max = 7;
	assert_int_equal(found(), at(&modules));
	assert_int_equal(forged_objects.reads, 7);
}

static void anywhere(void **state)
{
	(void)state;
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

static void its_dict(void **state)
{
	(void)state;
	module[2] = at(&other);
	assert_int_equal(modules_dict(&forged_objects, at(module)), at(&other));
	assert_int_equal(modules_dict(&forged_objects, 0), 0);
	module[2] = 1;
	assert_int_equal(modules_dict(&forged_objects, at(module)), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		TEST(where_it_is_expected), TEST(reads), TEST(anywhere), TEST(its_dict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
