// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_name.c - what endpoints are called: a table of cases.
 */

#include "endpoint/name.h"
#include "tests/forge/test.h"

static const struct {
	const char *file, *name, *is;
} cases[] = {
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

TEST(each_is_named)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_buf_ struct buf out = {};

		assert_int_equal(buf_add_string(&out, "a/b "), 0);
		assert_int_equal(name_add(cases[i].file, cases[i].name, &out), 0);
		assert_int_equal(buf_add(&out, "", 1), 0);
		assert_memory_equal(out.data, "a/b ", 4);
		assert_string_equal(out.data + 4, cases[i].is);
	}
}

TEST(without_room)
{
	_cleanup_buf_ struct buf out = { .size_max = 8 };

	assert_int_equal(buf_add_string(&out, "ab"), 0);
	assert_true(name_add("/srv/shop/views.py", "items", &out) < 0);
	assert_int_equal(out.size, 2);
}
