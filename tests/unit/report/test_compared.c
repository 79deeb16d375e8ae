// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_compared.c - two profiles beside each other: what grew and shrank, what is in one of them alone, what
 * lengths and numbers of samples do to it, and what chance would do as well. That `go tool pprof -diff_base`
 * sees the same is tests/e2e/report/test_diff.py.
 */
#include <errno.h>

#include "tests/unit/report/comparing.h"

#define APP    "/srv/app.py"

static void compare(enum compared_scale scale, __s64 base_s, __s64 new_s)
{
	const struct report_query q = { .top = 10, .flat = true };
	const struct compared_scaling scaling = { scale, 100, 300 };

	assert_int_equal(compared_make(&r, &q, &scaling, base_s * SECOND, new_s * SECOND, &compared, error,
				       sizeof(error)),
			 0);
}

static const struct compared_row *row(const char *name)
{
	for (size_t i = 0; i < compared.count; i++)
		if (!strcmp(recorded_get_string(&r, compared.rows[i].key.name), name))
			return &compared.rows[i];
	return NULL;
}

static bool is_near(double a, double b)
{
	return a - b < 1e-6 && b - a < 1e-6;
}

TEST(grew_shrank_came_and_went)
{
	add(true, "grew@" APP ":2;main@" APP ":9", 100);
	add(true, "shrank@" APP ":3;main@" APP ":9", 500);
	add(true, "went@" APP ":4;main@" APP ":9", 50);
	add(false, "grew@" APP ":2;main@" APP ":9", 300);
	add(false, "shrank@" APP ":3;main@" APP ":9", 100);
	add(false, "came@" APP ":5;main@" APP ":9", 60);
	compare(SCALE_NONE, 10, 10);
	assert_int_equal(compared.count, 5);
	assert_true(is_near(row("grew")->self, 200) && is_near(row("shrank")->self, -400));
	assert_true(is_near(row("went")->self, -50) && is_near(row("came")->self, 60));
	assert_true(is_near(row("main")->self, 0) && is_near(row("main")->total, 460 - 650));
	assert_true(is_near(compared.whole.self, 460 - 650));
	assert_ptr_equal(row("shrank"), &compared.rows[0]); /* the largest difference first */
	assert_ptr_equal(row("grew"), &compared.rows[1]);
}

/* A line was written above: what has moved is the same function. */
TEST(moved_in_its_file)
{
	add(true, "moved@" APP ":3~2", 100);
	add(true, "stays@" APP ":10~9", 100);
	add(false, "moved@" APP ":4~3", 110);
	add(false, "stays@" APP ":10~9", 100);
	compare(SCALE_NONE, 10, 10);
	assert_int_equal(compared.count, 2);
	assert_true(is_near(row("moved")->self, 10) && row("moved")->key.line == 3);
	assert_int_equal(row("moved")->base_line, 2);
	assert_int_equal(row("stays")->base_line, 9);
}

/* Of two of a name nobody knows which is which; one in another file is another one. */
TEST(moved_and_nobody_knows_which)
{
	add(true, "f@" APP ":3~2", 100);
	add(true, "f@" APP ":6~5", 100);
	add(false, "f@" APP ":4~3", 100);
	add(true, "g@" APP ":3~2", 100);
	add(false, "g@/srv/other.py:4~3", 100);
	compare(SCALE_NONE, 10, 10);
	assert_int_equal(compared.count, 5);
}

TEST(twice_as_long_is_not_more)
{
	add(true, "f@" APP ":2", 400);
	add(false, "f@" APP ":2", 800);
	compare(SCALE_TIME, 10, 20);
	assert_true(is_near(compared.scale, 2) && is_near(row("f")->self, 0));
	assert_false(row("f")->is_beyond);
	compared_free(&compared);
	compare(SCALE_NONE, 10, 20);
	assert_true(is_near(row("f")->self, 400) && row("f")->is_beyond);
	compared_free(&compared);
	compare(SCALE_SAMPLES, 10, 10);
	assert_true(is_near(compared.scale, 2) && is_near(row("f")->self, 0));
}

TEST(a_length_that_is_not_known_scales_nothing)
{
	add(true, "f@" APP ":2", 400);
	add(false, "f@" APP ":2", 800);
	compare(SCALE_TIME, 0, 20);
	assert_true(is_near(compared.scale, 1));
}

/* 100 against 120: the root of 220 is 14.8, so 20 are 1.3 of them; 100 against 200 are 5.8. */
TEST(chance_does_as_much)
{
	const struct compared_row *grown;

	add(true, "f@" APP ":2", 100);
	add(false, "f@" APP ":2", 120);
	compare(SCALE_NONE, 10, 10);
	assert_true(compared.has_chance);
	assert_false(row("f")->is_beyond);
	assert_true(row("f")->self_low < 0 && row("f")->self_high > 20);
	assert_false(compared_grew(&compared, 0.05, &grown));
}

TEST(what_grew_beyond_chance_and_by_enough_is_found)
{
	const struct compared_row *grown;

	add(true, "f@" APP ":2", 100);
	add(true, "g@" APP ":3", 900);
	add(false, "f@" APP ":2", 200);
	add(false, "g@" APP ":3", 800);
	compare(SCALE_NONE, 10, 10);
	assert_true(row("f")->is_beyond && row("f")->self_low > 0);
	assert_true(compared_grew(&compared, 0.05, &grown));
	assert_ptr_equal(grown, row("f"));
	assert_false(compared_grew(&compared, 0.15, &grown)); /* 100 are a tenth of all */
	assert_null(grown);
}

TEST(all_of_it_grew)
{
	const struct compared_row *grown;

	add(true, "f@" APP ":2", 1000);
	add(false, "f@" APP ":2", 2000);
	compare(SCALE_NONE, 10, 10);
	assert_true(compared_grew(&compared, 0.5, &grown));
	assert_null(grown);
}

TEST(of_a_first_profile_without_samples_all_came)
{
	add(false, "f@" APP ":2", 10);
	compare(SCALE_SAMPLES, 10, 10);
	assert_true(is_near(compared.scale, 1) && is_near(row("f")->self, 10));
	assert_int_equal(compared.base.chosen.total, 0);
}
