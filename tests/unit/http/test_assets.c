// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_assets.c - the files that the page loads: those, and nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "http/assets.h"
#include "page/pieces.h"

static void what_there_is(void **state)
{
	(void)state;
	assert_ptr_equal(asset_find("/page.css")->piece, &piece_css);
	assert_string_equal(asset_find("/page.css")->type, "text/css; charset=utf-8");
	assert_ptr_equal(asset_find("/page.js")->piece, &piece_js);
	assert_string_equal(asset_find("/page.js")->type, "text/javascript; charset=utf-8");
}

static void nothing_else(void **state)
{
	static const char *const paths[] = {
		"", "/", "page.css", "/page.css/", "/page.css.inc", "/../page.css", "/graph.html",
		"/PAGE.CSS",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		assert_null(asset_find(paths[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_there_is),
		cmocka_unit_test(nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
