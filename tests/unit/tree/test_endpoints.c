// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_endpoints.c - whose request the nodes of forged call trees belong to.
 */
#include "tests/forge/test.h"
#include "tests/unit/tree/named_nodes.h"

#include <errno.h>

#include "tests/forge/fail_malloc.h"
#include "tree/endpoints.h"

#define SITE "/v/site-packages/"

enum { SERVE = 200, DISPATCH, ENSURE, VIEW, ITEMS, LEAF, CART, RPC, JSON };

static struct endpoints endpoints;

static int setup_tree(void **state)
{
	if (setup_names(state) || rules_new("rpc.py:Server.dispatch", &with_rules))
		return -1;
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

static const char *of(__u32 node)
{
	const char *name = "not set";

	assert_int_equal(endpoints_find(&endpoints, &inputs, node, 25, &name), 0);
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

/* More handlers than a profile has names for; and many code objects of one name, as forked processes have. */
TEST(many)
{
	char name[32];

	set_node(30, 25, DISPATCH, 1, 0);
	for (__u32 i = 0; i < 3 * ENDPOINTS_MAX; i++) {
		add_code(1000 + i, "same", "/srv/a/b.py", 1);
		set_node(40 + i, 30, 1000 + i, 1, 0);
		assert_string_equal(of(40 + i), "a.b:same");
	}
	assert_int_equal(endpoints.count, 1);
	endpoints_free(&endpoints);
	for (__u32 i = 0; i < ENDPOINTS_MAX + 10; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		add_code(1000 + i, name, "/srv/a/b.py", 1);
		snprintf(name, sizeof(name), "a.b:f%u", i);
		assert_string_equal(of(40 + i), i < ENDPOINTS_MAX ? name : ENDPOINTS_MORE);
	}
	assert_string_equal(of(40), "a.b:f0");
	assert_int_equal(endpoints.count, ENDPOINTS_MAX + 1);
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
		err = endpoints_find(&endpoints, &inputs, 33, 25, &name);
		allocations_left = -1;
		if (err)
			assert_string_equal(of(33), "shop.views:items"); /* another attempt goes on */
	}
	assert_int_equal(err, 0);
}

AROUND_EACH(setup_tree, teardown_tree);
