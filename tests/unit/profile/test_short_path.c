// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_short_path.c - how files are named in tables: a table of cases.
 */
#include <string.h>

#include "base/cleanup.h"
#include "profile/short_path.h"
#include "tests/forge/test.h"

#define HOME "/home/somebody/projects/shop"

static const struct {
	const char *path, *is;
} cases[] = {
	{ HOME "/.venv/lib/python3.11/site-packages/fastapi/routing.py", "fastapi/routing.py" },
	{ HOME "/.venv/lib/python3.11/site-packages/six.py:12", "six.py:12" },
	{ "/usr/lib/python3/dist-packages/gunicorn/arbiter.py", "gunicorn/arbiter.py" },
	{ "/a/site-packages/b/site-packages/c.py", "c.py" },
	{ "/a/site-packages/site-packages/c.py", "c.py" },
	{ "/a/dist-packages/b/site-packages/c.py", "c.py" },
	{ "/usr/lib/python3.11/asyncio/runners.py:86", "asyncio/runners.py:86" },
	{ "/usr/lib64/python3.12/difflib.py", "difflib.py" },
	{ "/opt/py/lib/python3.13t/threading.py", "threading.py" },
	{ "/usr/local/lib/python2.7/json/decoder.py", "json/decoder.py" },
	{ "/usr/lib/pythonic/a.py", "pythonic/a.py" },
	{ "/usr/lib/python3.11x/a.py", "python3.11x/a.py" },
	{ "/opt/python3.11/a.py", "python3.11/a.py" },
	/* Shared objects. */
	{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "libc.so.6" },
	{ "/usr/lib/python3.11/lib-dynload/_json.so", "lib-dynload/_json.so" },
	{ "/v/site-packages/numpy/_core/_m.cpython-311.so:7", "numpy/_core/_m.cpython-311.so:7" },
	{ "/opt/some.sort/of/thing", "of/thing" },
	/* Scripts. */
	{ HOME "/app.py:3", "app.py:3" },
	{ HOME "/views/cart.py", "views/cart.py" },
	{ HOME "pers/app.py", "shoppers/app.py" },
	{ "/srv/other/deep/in/app.py", "in/app.py" },
	{ "/srv/app.py", "srv/app.py" },
	{ "/app.py", "/app.py" },
	{ "//app.py", "/app.py" },
	{ "./app.py", "app.py" },
	{ "app.py", "app.py" },
	{ "pkg/deep/er/app.py", "pkg/deep/er/app.py" },
	/* No paths, and what only looks like one. */
	{ "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>" },
	{ "[I/O]", "[I/O]" },
	{ "<string>", "<string>" },
	{ "", "" },
	{ "/", "/" },
	{ "/usr/", "/usr/" },
	{ "/usr/lib/python3.11/", "/usr/lib/python3.11/" },
	{ "/x/site-packages/", "/x/site-packages/" },
};

TEST(each_case)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(short_path_of(cases[i].path, HOME), cases[i].is);
}

TEST(any_folder)
{
	assert_string_equal(short_path_of("/a/b/c.py", NULL), "b/c.py");
	assert_string_equal(short_path_of("/a/b/c.py", ""), "b/c.py");
	assert_string_equal(short_path_of("/a/b/c.py", "/"), "b/c.py");
	assert_string_equal(short_path_of("/a/b/c.py", "/a"), "b/c.py");
	assert_string_equal(short_path_of("/a/b/c.py", "/a/b"), "c.py");
}

TEST(nothing_is_shortened_before_it_is_wanted)
{
	assert_string_equal(short_path("/usr/lib/python3.11/difflib.py"), "/usr/lib/python3.11/difflib.py");
	short_path_begin("/srv/shop");
	assert_string_equal(short_path("/usr/lib/python3.11/difflib.py"), "difflib.py");
	assert_string_equal(short_path("/srv/shop/a/b/c.py"), "a/b/c.py");
	short_path_begin(NULL);
	assert_string_equal(short_path("/srv/shop/a/b/c.py"), "b/c.py");
}
