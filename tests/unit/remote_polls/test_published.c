// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_published.c - each Python process is asked what it publishes about itself: one question at a time,
 * less and less often while there is nothing, and what is found becomes labels of its entry. The worker is
 * the test's.
 */
#include "tests/forge/test.h"
#include "tests/unit/remote_polls/stand_in.h"

#include "kern/process_table.h"
#include "remote_polls/published.h"
#include "targets/registry.h"

#define PID 100

static __u32 image;

int kernel_get_process(struct kernel *k, __u32 pid, struct process *ret)
{
	(void)k;
	assert_int_equal(pid, PID);
	*ret = (struct process){ .id = image };
	return 0;
}

static struct registry *registry;
static struct published *published;

static int setup(void **state)
{
	const struct registry_entry e = { .id = 5, .pid = PID, .start_time = 77, .layout = 3 };

	(void)state;
	asked = 0;
	image = 5;
	loop = (struct loop){ 0 };
	if (registry_new(&registry) || registry_add(registry, &e))
		return -1;
	return published_new(&published, NULL, registry, NULL) ?: published_watch(published, &loop);
}

static int teardown(void **state)
{
	(void)state;
	published_free(TAKE_PTR(published));
	registry_free(TAKE_PTR(registry));
	return 0;
}

/* When that was. */
static __u64 turn_until_asked(int times)
{
	const __u64 when = turn_until(times);

	assert_int_equal(request.type, WORKER_PUBLISHED);
	assert_int_equal(request.pid, PID);
	return when;
}

static void answer(int err, const struct otel_context *c, size_t size)
{
	answer_value(&note, err, c, sizeof(*c), size);
}

static struct otel_context context(const char *service)
{
	struct otel_context c = { .place = { 0x7000, 42 }, .instance = "one", .environment = "staging" };

	snprintf(c.service, sizeof(c.service), "%s", service);
	return c;
}

static const char *known(enum label label)
{
	return registry_find(registry, 5)->label[label];
}

TEST(what_is_found_is_a_label)
{
	struct otel_context c = context("shop");

	turn_until_asked(1);
	assert_int_equal(request.published.known.header, 0);
	assert_true(question.uncounted);
	turn();
	assert_int_equal(asked, 1); /* one at a time */
	answer(0, &c, sizeof(c));
	assert_string_equal(known(LABEL_service), "shop");
	assert_string_equal(known(LABEL_service_instance), "one");
	assert_string_equal(known(LABEL_environment), "staging");
	assert_true(due_ms() > 0);
	turn_until_asked(2); /* it may have changed */
	assert_true(request.published.known.header == 0x7000 && request.published.known.published_at == 42);
	answer(-EALREADY, NULL, 0);
	assert_string_equal(known(LABEL_service), "shop");
	turn_until_asked(3);
	c = context("store");
	answer(0, &c, sizeof(c));
	assert_string_equal(known(LABEL_service), "store");
}

TEST(while_there_is_nothing_it_rests_longer)
{
	__u64 pause = 250 * NS_PER_MS;

	turn_until_asked(1);
	for (int i = 2; i < 5; i++, pause *= 2) {
		const __u64 before = clock_ns();

		answer(-ENOENT, NULL, 0);
		assert_true(turn_until_asked(i) >= before + pause);
	}
	assert_string_equal(known(LABEL_service), "");
}

TEST(what_cannot_be_is_not_taken)
{
	struct otel_context c = context("shop");

	turn_until_asked(1);
	answer(0, &c, sizeof(c) - 1);
	turn_until_asked(2);
	answer(0, &c, sizeof(c) + 1);
	turn_until_asked(3);
	memset(c.instance, 'x', sizeof(c.instance));
	answer(0, &c, sizeof(c));
	assert_string_equal(known(LABEL_service), "");
	assert_int_equal(registry_find(registry, 5)->published.header, 0);
}

/* The answer comes when nobody is there any more that it is about. */
TEST(one_that_has_ended)
{
	const struct otel_context c = context("shop");

	turn_until_asked(1);
	registry_end(registry, 5);
	answer(0, &c, sizeof(c));
	assert_string_equal(known(LABEL_service), "");
}

/* It executes another program while it is looked at: what was found may be that one's. */
TEST(one_that_has_executed_another)
{
	const struct otel_context c = context("shop");

	turn_until_asked(1);
	image = 6;
	answer(0, &c, sizeof(c));
	assert_string_equal(known(LABEL_service), "");
}

TEST(nobody_wants_it)
{
	struct loop none = { 0 };

	assert_int_equal(published_watch(NULL, &none), 0);
	assert_null(none.rows[0].run);
	published_free(NULL);
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(setup, teardown);
