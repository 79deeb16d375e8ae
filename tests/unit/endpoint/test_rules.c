// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rules.c - which functions call handlers, and what is the handler: tables of cases, with names as
 * Python 3.11 has them and as those before it have; rules of one's own; and what endpoints are called.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "endpoint/rules.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

#define SITE "/srv/venv/lib/python3.11/site-packages/"
#define LIB  "/usr/lib/python3.11/"
#define TEN  ",a.py:f,a.py:f,a.py:f,a.py:f,a.py:f,a.py:f,a.py:f,a.py:f,a.py:f,a.py:f"
#define SIXTY_FOUR "a.py:f" TEN TEN TEN TEN TEN TEN ",a.py:f,a.py:f,a.py:f"

static struct rules *rules;

static int setup_rules(void **state)
{
	(void)state;
	return rules_new("shop/rpc.py:Server.dispatch,wrap.py:guarded.<locals>.guard", &rules);
}

static int free_rules(void **state)
{
	(void)state;
	rules_free(rules);
	return 0;
}

static const struct {
	const char *file, *name;
	bool is;
} dispatchers[] = {
	{ SITE "flask/app.py", "Flask.dispatch_request", true },
	{ SITE "flask/app.py", "dispatch_request", true },
	{ "/opt/anywhere/flask/app.py", "Flask.dispatch_request", true },
	{ "flask/app.py", "Flask.dispatch_request", true },
	{ SITE "flask/app.py", "Flask.full_dispatch_request", false },
	{ SITE "flask/app.py", "Sub.dispatch_request", false },
	{ SITE "flask/views.py", "Flask.dispatch_request", false },
	{ SITE "myflask/app.py", "Flask.dispatch_request", false },
	{ "app.py", "Flask.dispatch_request", false },
	{ "", "", false },
	/* One's own. */
	{ "/srv/shop/rpc.py", "Server.dispatch", true },
	{ "/srv/shop/rpc.py", "dispatch", true },
	{ "/srv/workshop/rpc.py", "Server.dispatch", false },
	{ "/srv/shop/rpc.py", "Server.dispatch2", false },
	{ "/srv/shop/rpc.py", "Other.dispatch", false },
	{ "wrap.py", "guarded.<locals>.guard", true },
	{ "/srv/wrap.py", "guard", true },
	{ "/srv/wrap.py", "guarded", false },
};

TEST(who_calls_handlers)
{
	for (size_t i = 0; i < ARRAY_SIZE(dispatchers); i++)
		if (!!rules_dispatcher(rules, dispatchers[i].file, dispatchers[i].name) != dispatchers[i].is)
			fail_msg("%s:%s", dispatchers[i].file, dispatchers[i].name);
}

struct below {
	const char *file, *name;
	enum rules_verdict is;
};

static void assert_below(const char *file, const char *name, const struct below *rows, size_t n)
{
	const struct rules_function dispatcher = { file, name };
	const unsigned int rule = rules_dispatcher(rules, file, name);

	assert_true(rule);
	for (size_t i = 0; i < n; i++)
		if (rules_below(rule, &dispatcher, &(struct rules_function){ rows[i].file, rows[i].name }) !=
		    rows[i].is)
			fail_msg("%s:%s below %s", rows[i].file, rows[i].name, name);
}

TEST(what_they_call)
{
	static const struct below rows[] = {
		{ "/srv/shop/views.py", "items", RULES_HANDLER },
		{ "/srv/flask/app.py", "items", RULES_HANDLER }, /* a program's own folder may be called so */
		{ SITE "flask/app.py", "Flask.ensure_sync", RULES_ASIDE },
		{ SITE "flask/views.py", "View.as_view.<locals>.view", RULES_PASSES },
		{ SITE "flask/views.py", "view", RULES_ASIDE },
		{ SITE "flask/views.py", "MethodView.dispatch_request", RULES_PASSES },
		{ SITE "werkzeug/local.py", "LocalProxy.__get__", RULES_ASIDE },
		{ SITE "flask_admin/base.py", "AdminIndexView.index", RULES_HANDLER },
		{ LIB "inspect.py", "iscoroutinefunction", RULES_ASIDE },
		{ LIB "contextlib.py", "ContextDecorator.__call__.<locals>.inner", RULES_PASSES },
		{ LIB "contextlib.py", "inner", RULES_ASIDE },
		{ "<frozen importlib._bootstrap>", "_find_and_load", RULES_ASIDE },
		{ "<string>", "items", RULES_ASIDE },
		{ "", "", RULES_HANDLER },
	};

	assert_below(SITE "flask/app.py", "Flask.dispatch_request", rows, ARRAY_SIZE(rows));
}

/* FastAPI makes the answer when the handler is over. Nothing else that it calls there is a handler. */
TEST(who_makes_answers)
{
	static const struct below rows[] = {
		{ SITE "fastapi/routing.py", "serialize_response", RULES_HANDLER },
		{ SITE "fastapi/routing.py", "run_endpoint_function", RULES_ASIDE },
		{ SITE "fastapi/dependencies/utils.py", "solve_dependencies", RULES_ASIDE },
		{ "/srv/shop/main.py", "serialize_response", RULES_ASIDE },
		{ "/srv/shop/main.py", "Gzip.body", RULES_ASIDE },
	};

	assert_below(SITE "fastapi/routing.py", "get_request_handler.<locals>.app", rows, ARRAY_SIZE(rows));
	assert_below(SITE "fastapi/routing.py", "app", rows, ARRAY_SIZE(rows));
}

/* Names without what they are part of. */
TEST(before_3_11)
{
	static const struct below rows[] = {
		{ SITE "flask/views.py", "view", RULES_PASSES },
		{ SITE "flask/views.py", "dispatch_request", RULES_PASSES },
		{ SITE "flask/views.py", "as_view", RULES_ASIDE },
		{ LIB "contextlib.py", "inner", RULES_PASSES },
		{ "/srv/shop/views.py", "view", RULES_HANDLER },
	};
	static const struct below drf[] = {
		{ "/srv/shop/views.py", "initial", RULES_ASIDE },
		{ "/srv/shop/views.py", "initials", RULES_HANDLER },
	};

	assert_below(SITE "flask/app.py", "dispatch_request", rows, ARRAY_SIZE(rows));
	assert_below(SITE "rest_framework/views.py", "dispatch", drf, ARRAY_SIZE(drf));
}

/* Flask elsewhere than where packages are installed: what is its own is what is in the same folder. */
TEST(in_any_folder)
{
	static const struct below rows[] = {
		{ "/opt/libs/flask/ctx.py", "f", RULES_ASIDE },
		{ "/opt/libs/shop/ctx.py", "f", RULES_HANDLER },
		{ SITE "flask/ctx.py", "f", RULES_HANDLER },
	};
	static const struct below relative[] = {
		{ "flask/ctx.py", "f", RULES_ASIDE },
		{ "views.py", "f", RULES_HANDLER },
	};

	assert_below("/opt/libs/flask/app.py", "Flask.dispatch_request", rows, ARRAY_SIZE(rows));
	assert_below("flask/app.py", "Flask.dispatch_request", relative, ARRAY_SIZE(relative));
}

/* A function of Sanic that was compiled anew is in a file without a folder. */
TEST(without_a_folder)
{
	static const struct below rows[] = {
		{ "/srv/shop/views.py", "items", RULES_HANDLER },
		{ SITE "sanic/request.py", "Request.respond", RULES_ASIDE },
		{ SITE "sanic/views.py", "HTTPMethodView.dispatch_request", RULES_PASSES },
		{ "_run_request_middleware", "_run_request_middleware", RULES_ASIDE },
	};

	assert_below("handle_request", "handle_request", rows, ARRAY_SIZE(rows));
}

/* Names that a program's own classes have, too, are aside in any file. */
TEST(in_any_file)
{
	static const struct below rows[] = {
		{ "/srv/shop/views.py", "Cart.get", RULES_HANDLER },
		{ "/srv/shop/views.py", "Cart.initial", RULES_ASIDE },
		{ "/srv/shop/views.py", "Cart.__init__", RULES_ASIDE },
		{ "/srv/shop/views.py", "initial", RULES_HANDLER },
		{ SITE "rest_framework/generics.py", "ListAPIView.get", RULES_HANDLER },
		{ SITE "rest_framework/decorators.py", "api_view.<locals>.decorator.<locals>.handler",
		  RULES_PASSES },
		{ SITE "rest_framework/views.py", "APIView.initial", RULES_ASIDE },
		{ SITE "rest_framework/request.py", "Request.__getattr__", RULES_ASIDE },
	};

	assert_below(SITE "rest_framework/views.py", "APIView.dispatch", rows, ARRAY_SIZE(rows));
}

/* A rule of one's own knows nothing of frameworks. */
TEST(below_ones_own)
{
	static const struct below rows[] = {
		{ "/srv/shop/rpc.py", "Server.check", RULES_HANDLER },
		{ SITE "flask/app.py", "Flask.ensure_sync", RULES_HANDLER },
		{ LIB "json/decoder.py", "JSONDecoder.decode", RULES_ASIDE },
		{ LIB "contextlib.py", "ContextDecorator.__call__.<locals>.inner", RULES_PASSES },
	};

	assert_below("/srv/shop/rpc.py", "Server.dispatch", rows, ARRAY_SIZE(rows));
}

TEST(lists)
{
	static const char *const bad[] = { "",	"a.py",	   "a.py:",   ":f",
					   ",", "a.py:f,", ",a.py:f", "a.py:f,,b.py:g" };
	struct rules *r = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(rules_new(bad[i], &r), -EINVAL);
	assert_int_equal(rules_new(SIXTY_FOUR ",a.py:f", &r), -EINVAL);
	assert_null(r);
	assert_int_equal(rules_new(SIXTY_FOUR, &r), 0);
	assert_true(rules_dispatcher(r, "/x/a.py", "f"));
	rules_free(r);
	assert_int_equal(rules_new(NULL, &r), 0);
	assert_false(rules_dispatcher(r, "/x/a.py", "f"));
	rules_free(r);
	assert_int_equal(rules_new("c:\\a.py:C.f", &r), 0); /* the name is behind the last colon */
	assert_true(rules_dispatcher(r, "c:\\a.py", "C.f"));
	rules_free(r);
}

TEST(without_memory)
{
	struct rules *r = NULL;

	if (!fail_malloc_works())
		skip();
	allocations_left = 0;
	assert_int_equal(rules_new(NULL, &r), -ENOMEM);
	allocations_left = -1;
	assert_null(r);
}

static const struct {
	const char *file, *name, *is;
} names[] = {
	{ "/srv/shop/app/views.py", "items", "app.views:items" },
	{ "/srv/shop/app/cart/__init__.py", "Cart.get", "cart:Cart.get" },
	{ "/v/site-packages/django/views/generic/list.py", "BaseListView.get",
	  "django.views.generic.list:BaseListView.get" },
	{ "/v/site-packages/flask_admin/__init__.py", "index", "flask_admin:index" },
	{ "/v/site-packages/six.py", "f", "six:f" },
	{ "/usr/lib/python3.11/http/server.py", "f", "http.server:f" },
	{ "/srv/app.py", "create_app.<locals>.items", "srv.app:create_app.<locals>.items" },
	{ "app.py", "items", "app:items" },
	{ "./shop/app.py", "items", "shop.app:items" },
	{ "/srv/shop/serve", "items", "shop.serve:items" },
	{ "__init__.py", "f", "__init__:f" },
	{ ".py", "f", ".py:f" },
	{ "", "f", ":f" },
	{ "<string>", "f", "<string>:f" },
};

TEST(each_is_named, .bare = true)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_buf_ struct buf out = {};

		assert_int_equal(buf_add_string(&out, "a/b "), 0);
		assert_int_equal(rules_name(names[i].file, names[i].name, &out), 0);
		assert_int_equal(buf_add(&out, "", 1), 0);
		assert_memory_equal(out.data, "a/b ", 4);
		assert_string_equal(out.data + 4, names[i].is);
	}
}

TEST(a_name_without_room, .bare = true)
{
	_cleanup_buf_ struct buf out = { .size_max = 8 };

	assert_int_equal(buf_add_string(&out, "ab"), 0);
	assert_true(rules_name("/srv/shop/views.py", "items", &out) < 0);
	assert_int_equal(out.size, 2);
}

AROUND_ALL(setup_rules, free_rules);
