// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_health.c - what a probe is told before sampling begins, while it goes on, and when it has ended.
 */
#include "tests/forge/test.h"
#include "tests/unit/http/client.h"

#include "http/health.h"

static enum health health;

static enum MHD_Result ready(const struct client *c)
{
	return health_ready(health, c);
}

static enum MHD_Result refuse(const struct client *c)
{
	return health_refuse(health, c);
}

static answer_function *answer;

static const char *answered(answer_function *f, enum health h)
{
	answer = f;
	health = h;
	return ask(GET("/"));
}

static void is(const char *got, int status, const char *body)
{
	assert_int_equal(status_of(got), status);
	assert_string_equal(body_of(got), body);
	assert_int_equal(has_header(got, "Retry-After: 5"), status == 503);
}

TEST(each_state)
{
	start_server(answer_at_once, &answer, NULL);
	is(answered(health_alive, HEALTH_STARTING), 200, "alive\n");
	is(answered(ready, HEALTH_STARTING), 503, "not sampling yet\n");
	is(answered(ready, HEALTH_SAMPLING), 200, "sampling\n");
	is(answered(ready, HEALTH_ENDING), 503, "not sampling any more\n");
	is(answered(refuse, HEALTH_STARTING), 503, "not sampling yet\n");
	is(answered(refuse, HEALTH_ENDING), 503, "not sampling any more\n");
	stop_server();
}
