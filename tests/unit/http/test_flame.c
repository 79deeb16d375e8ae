// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_flame.c - the flame graph's data as a browser gets them: made once for each profile and query, and not
 * at any price.
 */
#include "tests/forge/tables.h"
#include "tests/unit/http/client.h"

#include "http/flame.h"
#include "http/recent.h"

static struct flame flame;
static struct recent recent;

static enum MHD_Result graph(const struct client *c)
{
	return flame_answer(&flame, &recent, c);
}

static answer_function *answer = graph;

static int setup_flame(void **state)
{
	int err = setup(state);

	flame = (struct flame){};
	recent = (struct recent){ .serial = 7 };
	set_root(5, 0, 0);
	set_node(6, 5, 100, 1, 1);
	set_root(7, 2, 0);
	set_node(8, 7, 101, 1, 3);
	start_server(answer_at_once, &answer, NULL);
	return err;
}

static int teardown_flame(void **state)
{
	stop_server();
	flame_forget(&flame);
	return teardown(state);
}

/* There is a profile from here on. */
static void profile_is_there(void)
{
	run();
	recent.profile = profile;
}

static void what_is_drawn(void **state)
{
	const char *a;

	(void)state;
	a = ask(GET("/"));
	assert_int_equal(status_of(a), 503);
	assert_string_equal(body_of(a), "the first interval has not ended yet\n");
	profile_is_there();
	a = ask(GET("/"));
	assert_int_equal(status_of(a), 200);
	assert_true(has_header(a, "Content-Type: application/json"));
	assert_true(has_header(a, "X-Content-Type-Options: nosniff"));
	assert_non_null(strstr(body_of(a), "outer"));
	assert_non_null(strstr(body_of(a), "inner"));
	a = ask(GET("/?pid=200"));
	assert_int_equal(status_of(a), 200);
	assert_null(strstr(body_of(a), "outer"));
	assert_non_null(strstr(body_of(a), "inner"));
	a = ask(GET("/?comm=main%2Dnow"));
	assert_non_null(strstr(body_of(a), "outer"));
	assert_null(strstr(body_of(a), "inner"));
}

static void what_it_cannot_be_asked(void **state)
{
	static const char *const queries[] = {
		GET("/?pid=x"), GET("/?pid"), GET("/?what=1"), GET("/?pid=1&pid=2"), GET("/?=1"),
	};

	(void)state;
	profile_is_there();
	for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
		const char *a = ask(queries[i]);

		assert_int_equal(status_of(a), 400);
		assert_true(strlen(body_of(a)) > 10);
	}
}

/* A profile that is not looked at cannot be missed: while its number is the same, nothing is made of it. */
static void made_once(void **state)
{
	static const char *const requests[] = { GET("/"), GET("/?pid=200") };
	static const char not_looked_at;

	(void)state;
	profile_is_there();
	for (int i = 0; i < 2; i++)
		assert_non_null(strstr(body_of(ask(requests[i])), "inner"));
	recent.profile = (void *)&not_looked_at;
	for (int i = 0; i < 10; i++)
		assert_non_null(strstr(body_of(ask(requests[i % 2])), "inner"));
	recent.profile = profile;
	recent.serial++;
	assert_null(strstr(body_of(ask(GET("/?pid=100"))), "inner"));
	assert_null(flame.whole); /* what was made of the old one is gone */
	assert_null(flame.rows[1].response);
}

static void some_are_kept(void **state)
{
	struct MHD_Response *first;
	char request[256];

	(void)state;
	profile_is_there();
	ask(GET("/"));
	for (int i = 0; i < FLAME_ROWS; i++) {
		snprintf(request, sizeof(request), GET("/?pid=%d"), 1000 + i);
		assert_int_equal(status_of(ask(request)), 200);
	}
	first = flame.rows[0].response;
	ask(GET("/?pid=1000"));
	assert_ptr_equal(flame.rows[0].response, first);
	assert_string_equal(flame.rows[0].filter.values[LABEL_pid], "1000");
	ask(GET("/?pid=2000"));
	assert_string_equal(flame.rows[0].filter.values[LABEL_pid], "2000");
	assert_string_equal(flame.rows[1].filter.values[LABEL_pid], "1001");
	assert_non_null(flame.whole);
}

static void not_at_any_price(void **state)
{
	const char *a;

	(void)state;
	profile_is_there();
	assert_int_equal(status_of(ask(GET("/?pid=200"))), 200);
	assert_true(flame.spent > 0);
	flame.spent = FLAME_SECONDS_SAVED + 3;
	flame.looked = clock_seconds();
	a = ask(GET("/?pid=100"));
	assert_int_equal(status_of(a), 503);
	assert_true(has_header(a, "Retry-After: 5"));
	assert_int_equal(status_of(ask(GET("/?pid=200"))), 200); /* it is there */
	assert_int_equal(status_of(ask(GET("/"))), 200);	     /* once for each profile */
	flame.looked -= 3 / FLAME_SHARE + 1;
	assert_int_equal(status_of(ask(GET("/?pid=100"))), 200);
	assert_true(flame.spent < FLAME_SECONDS_SAVED);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup_flame, teardown_flame)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_drawn),
		TEST(what_it_cannot_be_asked),
		TEST(made_once),
		TEST(some_are_kept),
		TEST(not_at_any_price),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
