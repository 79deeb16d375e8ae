// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_endpoints.c - whose request the nodes of forged call trees belong to.
 */
#include "tests/forge/test.h"
#include "tests/unit/tree/named_nodes.h"

#include <errno.h>

#include "tests/forge/fail_malloc.h"
#include "tree/endpoints.h"
#include "tree/harvest_span.h"
#include "tree/node_stack.h"

#define SITE "/v/site-packages/"

enum { SERVE = 200, DISPATCH, ENSURE, VIEW, ITEMS, LEAF, CART, RPC, JSON };

static struct endpoints endpoints;

static int setup_tree(void **state)
{
	const struct registry_entry one = { .id = 1, .pid = 100, .binary = "", .build_id = "", .user = 666 };
	const struct registry_entry two = { .id = 2, .pid = 200, .binary = "", .build_id = "", .user = 7 };

	if (setup_names(state) || rules_new("rpc.py:Server.dispatch", &with_rules))
		return -1;
	assert_int_equal(registry_add(registry, &one) ?: registry_add(registry, &two), 0);
	inputs = forged_inputs;
	add_code(SERVE, "serve", "/srv/serve.py", 1);
	add_code(DISPATCH, "Flask.dispatch_request", SITE "flask/app.py", 1);
	add_code(ENSURE, "Flask.ensure_sync", SITE "flask/app.py", 9);
	add_code(VIEW, "View.as_view.<locals>.view", SITE "flask/views.py", 1);
	add_code(ITEMS, "items", "/srv/shop/views.py", 1);
	add_code(LEAF, "leaf", "/srv/shop/views.py", 9);
	add_code(CART, "Cart.get", "/srv/shop/cart.py", 1);
	add_code(RPC, "Server.dispatch", "/srv/rpc.py", 1);
	add_code(JSON, "dumps", "/usr/lib/python3.11/json/__init__.py", 1);
	set_root(25, 0, 0);
	return 0;
}

static int teardown_tree(void **state)
{
	endpoints_free(&endpoints);
	return teardown_names(state);
}

/* A stack of these codes from node `first` on, root first; 0 ends it. */
static __u32 stack(__u32 first, const __u32 *code)
{
	__u32 parent = 25, node = first;

	for (; *code; code++, parent = node++)
		set_node(node, parent, *code, 1, 0);
	return parent;
}

#define STACK(first, ...) stack(first, (const __u32[]){ __VA_ARGS__, 0 })

/* Of a process of the owner with this index: processes 1 and 2 are those of two users. */
static int find_of(__u32 owner, __u32 node, const char **ret)
{
	static struct node_stack s;

	s.leaf = node;
	s.root = 25;
	s.owner = &owners[owner];
	return endpoints_find(&endpoints, &inputs, &s, ret);
}

static const char *of(__u32 node)
{
	const char *name = "not set";

	assert_int_equal(find_of(0, node, &name), 0);
	return name ?: "none";
}

TEST(a_handler_and_all_below)
{
	STACK(30, SERVE, DISPATCH, ITEMS, LEAF);
	assert_string_equal(of(33), "shop.views:items");
	assert_string_equal(of(32), "shop.views:items");
	assert_string_equal(of(31), "none");
	assert_string_equal(of(30), "none");
	assert_string_equal(of(25), "none");
	set_node(34, 33, NODE_NATIVE | 3, 7, 0);
	assert_string_equal(of(34), "shop.views:items");
}

/* Frames of C, markers and the interpreter's own frames between are nobody's. */
TEST(what_stands_between)
{
	assert_string_equal(of(STACK(30, SERVE, DISPATCH, VIEW, CART, LEAF)), "shop.cart:Cart.get");
	assert_string_equal(of(STACK(40, SERVE, DISPATCH, NODE_NATIVE | 5, ITEMS)), "shop.views:items");
	assert_string_equal(of(STACK(50, SERVE, DISPATCH, OUTCOME_TRUNCATED, ITEMS)), "shop.views:items");
	assert_string_equal(of(STACK(60, SERVE, DISPATCH, ENSURE)), "none");
	assert_string_equal(of(STACK(70, SERVE, DISPATCH, ENSURE, ITEMS)), "none");
	assert_string_equal(of(STACK(80, SERVE, DISPATCH, JSON, LEAF)), "none");
	assert_string_equal(of(STACK(90, SERVE, ITEMS)), "none");
}

/* The last rule that fires has the say; one that finds no handler leaves it to the one before. */
TEST(one_in_the_other)
{
	assert_string_equal(of(STACK(30, DISPATCH, ITEMS, RPC, CART)), "shop.cart:Cart.get");
	assert_string_equal(of(STACK(40, DISPATCH, ITEMS, RPC)), "shop.views:items");
	assert_string_equal(of(STACK(50, DISPATCH, ITEMS, RPC, JSON, LEAF)), "shop.views:items");
	assert_string_equal(of(STACK(60, DISPATCH, RPC, CART)), "shop.cart:Cart.get");
	assert_string_equal(of(STACK(70, DISPATCH, DISPATCH, CART)), "shop.cart:Cart.get");
}

/* A code object of which nothing is known is no handler; once its name has come, it is one. */
TEST(without_a_name)
{
	STACK(30, SERVE, 300, ITEMS);
	assert_string_equal(of(32), "none");
	STACK(40, SERVE, DISPATCH, 301, LEAF);
	assert_string_equal(of(43), "none");
	add_code(300, "Flask.dispatch_request", SITE "flask/app.py", 1);
	add_code(301, "late", "/srv/shop/late.py", 1);
	endpoints_free(&endpoints);
	assert_string_equal(of(32), "shop.views:items");
	assert_string_equal(of(43), "shop.late:late");
}

static const char *many_name(__u32 i)
{
	static char name[32];

	snprintf(name, sizeof(name), "a.b:f%u", i);
	return name;
}

/* So many handlers below node 30, from node 40 on. */
static void add_many(__u32 first, __u32 count)
{
	for (__u32 i = 0; i < count; i++) {
		add_code(first + i, many_name(i) + strlen("a.b:"), "/srv/a/b.py", 1);
		set_node(40 + i, 30, first + i, 1, 0);
	}
}

/* Many code objects of one name, as forked processes have, and many names. */
TEST(many)
{
	const char *other;

	set_node(30, 25, DISPATCH, 1, 0);
	for (__u32 i = 0; i < 2 * ENDPOINTS_MAX; i++) {
		add_code(1000 + i, "same", "/srv/a/b.py", 1);
		set_node(40 + i, 30, 1000 + i, 1, 0);
		assert_string_equal(of(40 + i), "a.b:same");
	}
	assert_int_equal(endpoints.count, 1);
	endpoints_free(&endpoints);
	add_many(1000, ENDPOINTS_MAX + 10);
	for (__u32 i = 0; i < ENDPOINTS_MAX / 2 + 10; i++)
		assert_string_equal(of(40 + i), i < ENDPOINTS_MAX / 2 ? many_name(i) : ENDPOINTS_MORE);
	assert_int_equal(find_of(2, 40 + ENDPOINTS_MAX, &other), 0);
	assert_string_equal(other, many_name(ENDPOINTS_MAX));
	assert_int_equal(endpoints.count, ENDPOINTS_MAX / 2 + 1);
}

/* Of a user's endpoints those have names that have most samples; and others have room. */
TEST(most_samples_first)
{
	const struct harvest_span span = {};
	const char *name;

	set_node(30, 25, DISPATCH, 1, 0);
	add_many(1000, ENDPOINTS_MAX + 10);
	for (__u32 i = 0; i < ENDPOINTS_MAX + 10; i++)
		nodes[40 + i].count = 1000 + i;
	set_root(26, 2, 0); /* the other's */
	set_node(31, 26, DISPATCH, 1, 0);
	set_node(32, 31, ITEMS, 1, 3);
	assert_int_equal(endpoints_rank(&endpoints, &inputs, &span), 0);
	assert_string_equal(of(40 + ENDPOINTS_MAX + 9), many_name(ENDPOINTS_MAX + 9));
	assert_string_equal(of(40 + ENDPOINTS_MAX / 2 + 10), many_name(ENDPOINTS_MAX / 2 + 10));
	assert_string_equal(of(40 + ENDPOINTS_MAX / 2 + 9), ENDPOINTS_MORE);
	assert_string_equal(of(40), ENDPOINTS_MORE);
	assert_int_equal(find_of(2, 32, &name), 0);
	assert_string_equal(name, "shop.views:items");
	run();
	assert_int_equal(stats.more_endpoints, ENDPOINTS_MAX / 2 + 10);
}

TEST(ranks_in_parts)
{
	struct harvest_progress progress = {};
	const struct harvest_span span = { .progress = &progress, .pause_ns = 1 };

	STACK(30, SERVE, DISPATCH, ITEMS, LEAF);
	nodes[33].count = 1;
	assert_int_equal(endpoints_rank(&endpoints, &inputs, &span), -EAGAIN);
	assert_int_equal(endpoints.count, 0);
	while (!endpoints.ranked)
		endpoints_rank(&endpoints, &inputs, &span);
	assert_int_equal(endpoints.count, 1);
	assert_int_equal(endpoints_rank(&endpoints, &inputs, &span), 0);
}

TEST(no_memory)
{
	const char *name;
	int err = -ENOMEM;

	if (!fail_malloc_works())
		skip();
	STACK(30, SERVE, DISPATCH, ITEMS, LEAF);
	for (long n = 0; err == -ENOMEM && n < 100; n++) {
		endpoints_free(&endpoints);
		allocations_left = n;
		err = find_of(0, 33, &name);
		allocations_left = -1;
		if (err)
			assert_string_equal(of(33), "shop.views:items"); /* another attempt goes on */
	}
	assert_int_equal(err, 0);
}

AROUND_EACH(setup_tree, teardown_tree);
