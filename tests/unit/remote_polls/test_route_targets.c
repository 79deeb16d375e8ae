// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_route_targets.c - spans that the kernel side has met are asked for, those of one process together,
 * until their route is known or they have ended. The kernel side and the worker are the test's.
 */
#include "tests/forge/logged.h"
#include "tests/forge/test.h"
#include "tests/unit/remote_polls/stand_in.h"

#include "kern/contexts.h"
#include "remote_polls/route_targets.h"
#include "names/routes.h"
#include "targets/registry.h"

#define PID 100

static struct kernel *const kernel = (struct kernel *)&programs;
static struct context_vars vars;
static __u32 process_id;

struct contexts *kernel_contexts(struct kernel *k)
{
	return (struct contexts *)k;
}

const struct context_vars *contexts_get(const struct contexts *t, __u32 contexts)
{
	(void)t;
	return contexts ? &vars : NULL;
}

int kernel_get_process(struct kernel *k, __u32 pid, struct process *ret)
{
	(void)k;
	*ret = (struct process){ .id = process_id + pid - PID, .state = PROCESS_PYTHON, .layout = 3,
				 .contexts = 1, .user = pid };
	return 0;
}

int kernel_get_layout(const struct kernel *k, __u32 index, struct layout *ret)
{
	(void)k;
	*ret = (struct layout){ .version = index };
	return 0;
}

static struct registry *registry;
static struct routes *routes;
static struct route_targets *targets;

static int setup(void **state)
{
	const struct registry_entry one = { .id = 5, .pid = PID, .layout = 3, .start_time = 77 };
	const struct registry_entry other = { .id = 6, .pid = PID + 1, .layout = 3, .start_time = 78 };

	(void)state;
	asked = refusal = 0;
	process_id = 5;
	vars = (struct context_vars){ .trace = { .count = 1, .span_key = 4711 } };
	loop = (struct loop){ 0 };
	if (registry_new(&registry) || registry_add(registry, &one) || registry_add(registry, &other))
		return -1;
	return routes_new(&routes, NS_PER_SECOND) ?:
	       route_targets_new(&targets, kernel, registry, NULL, routes) ?:
	       route_targets_watch(targets, &loop);
}

static int teardown(void **state)
{
	(void)state;
	route_targets_free(TAKE_PTR(targets));
	routes_free(TAKE_PTR(routes));
	registry_free(TAKE_PTR(registry));
	return 0;
}

static void met(__u32 pid, __u64 span)
{
	const struct record_span e = { .type = RECORD_SPAN, .pid = pid, .id = 5 + pid - PID,
				       .address = 0x1000 * span, .ids = { 1, 2, span } };

	route_targets_record(targets, &e, sizeof(e));
}

static void turn_until_asked(int times)
{
	turn_until(times);
	assert_int_equal(request.type, WORKER_ROUTES);
	assert_int_equal(request.routes.question.place.span_key, 4711);
	assert_int_equal(request.routes.layout.version, 3);
}

/* All spans that were asked for have this state. */
static void answer(int err, __u32 state, const char *route, __u64 parent)
{
	struct worker_reply reply = { .error = err };
	struct route_found found[ROUTES_AT_ONCE] = {};
	const __u32 n = request.routes.question.count;

	for (__u32 i = 0; i < n; i++) {
		found[i] = (struct route_found){ .state = state, .parent = parent };
		strncpy(found[i].route, route, sizeof(found[i].route) - 1);
	}
	reply.table_size = err ? 0 : n * sizeof(*found);
	reply.table = malloc(sizeof(found));
	assert_non_null(reply.table);
	memcpy(reply.table, found, sizeof(found));
	question.answer(question.asker, NULL, &reply);
	free(reply.table);
}

static const char *route_of(__u32 pid, __u64 span)
{
	return routes_find(routes, &(struct route_key){ .ids = { 1, 2, span }, .pid = pid });
}

/* --- the tests ------------------------------------------------------------------------------------------ */

TEST(once_for_each_span)
{
	assert_int_equal(due_ms(), -1);
	met(PID, 1);
	met(PID, 1);
	met(PID + 1, 2);
	met(PID, 3);
	assert_int_equal(due_ms(), 0);
	turn_until_asked(1);
	assert_int_equal(request.pid, PID);
	assert_int_equal(request.start_ticks, 77);
	assert_int_equal(request.routes.question.count, 2);
	assert_int_equal(request.routes.question.span[1].address, 0x3000);
	turn();
	assert_int_equal(asked, 1); /* one at a time */
	answer(0, ROUTE_FOUND, "/items", 0);
	turn_until_asked(2);
	assert_int_equal(request.pid, PID + 1);
	answer(0, ROUTE_FOUND, "/order", 0);
	assert_string_equal(route_of(PID, 1), "/items");
	assert_string_equal(route_of(PID + 1, 2), "/order");
	met(PID, 1);
	assert_int_equal(due_ms(), -1);
	assert_int_equal(routes_counts(routes).found, 3);
}

/* A framework may know the route later. */
TEST(a_route_that_comes_later)
{
	met(PID, 1);
	turn_until_asked(1);
	answer(0, ROUTE_NONE, "", 9);
	turn_until_asked(2);
	answer(0, ROUTE_TORN, "", 0);
	turn_until_asked(3);
	answer(0, ROUTE_FOUND, "/late", 0);
	assert_string_equal(route_of(PID, 1), "/late");
	assert_int_equal(routes_counts(routes).found, 1);
	assert_int_equal(routes_counts(routes).torn, 0);
}

/* A span within another one that has a route is not looked at again. */
TEST(a_child)
{
	met(PID, 9);
	turn_until_asked(1);
	answer(0, ROUTE_FOUND, "/parent", 0);
	met(PID, 1);
	turn_until_asked(2);
	answer(0, ROUTE_NONE, "", 9);
	assert_string_equal(route_of(PID, 1), "/parent");
	assert_int_equal(due_ms(), -1);
}

TEST(what_ends_first)
{
	met(PID, 1);
	turn_until_asked(1);
	answer(0, ROUTE_GONE, "", 0);
	assert_int_equal(routes_counts(routes).gone, 1);
	met(PID, 2);
	turn_until_asked(2);
	answer(0, ROUTE_NONE, "", 0);
	turn_until_asked(3);
	answer(0, ROUTE_GONE, "", 0);
	assert_int_equal(routes_counts(routes).none, 1);
	met(PID, 3);
	turn_until_asked(4);
	answer(0, ROUTE_TORN, "", 0);
	turn_until_asked(5);
	answer(0, ROUTE_GONE, "", 0);
	assert_int_equal(routes_counts(routes).torn, 1);
	assert_int_equal(due_ms(), -1);
}

/* What cannot be answered is given up in the end. */
TEST(failures)
{
	met(PID, 1);
	for (int i = 1; routes_counts(routes).torn == 0; i++) {
		assert_true(i < 20);
		turn_until_asked(i);
		answer(i % 2 ? -EFAULT : -ETIME, ROUTE_FOUND, "/no", 0);
	}
	assert_null(route_of(PID, 1));
	met(PID, 2);
	process_id = 50; /* the pid is another process's by now */
	for (const __u64 begin = clock_ns(); routes_counts(routes).torn < 2; turn())
		assert_true(clock_ns() - begin < PATIENCE_NS);
	assert_int_equal(due_ms(), -1);
}

TEST(a_worker_that_has_no_room)
{
	refusal = -EAGAIN;
	met(PID, 1);
	turn();
	assert_true(due_ms() > 0);
	refusal = 0;
	turn_until_asked(1);
	assert_int_equal(request.routes.question.count, 1);
}

static void turn_of_a_second(void)
{
	loop.rows[0].run(loop.rows[0].context, LOOP_SECOND);
}

/* A user may have as many as are left for others, and users have turns. */
TEST(too_many)
{
	for (__u64 i = 1; i <= ROUTE_TARGETS_MAX / 2 + 3; i++)
		met(PID, i);
	assert_int_equal(routes_counts(routes).left, 3);
	met(PID + 1, 1);
	assert_int_equal(routes_counts(routes).left, 3);
	assert_non_null(strstr(LOGGED(turn_of_a_second()), "spans have no route"));
	assert_string_equal(LOGGED(turn_of_a_second()), "");
	turn_until_asked(1);
	assert_int_equal(request.pid, PID);
	assert_int_equal(request.routes.question.count, ROUTES_AT_ONCE);
	answer(0, ROUTE_FOUND, "/evil", 0);
	turn_until_asked(2);
	assert_int_equal(request.pid, PID + 1);
	answer(0, ROUTE_FOUND, "/honest", 0);
	assert_string_equal(route_of(PID + 1, 1), "/honest");
}

/* A user's own that were looked at make room for its next ones. */
TEST(who_had_too_many)
{
	for (__u64 i = 1; i <= ROUTE_TARGETS_MAX / 2; i++)
		met(PID, i);
	turn_until_asked(1);
	answer(0, ROUTE_GONE, "", 0);
	met(PID, 1000000);
	assert_int_equal(routes_counts(routes).left, 0);
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(setup, teardown);
