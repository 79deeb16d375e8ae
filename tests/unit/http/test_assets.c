// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_assets.c - the files that the page loads: those, and nothing else.
 */

#include "base/cleanup.h"
#include "http/assets.h"
#include "page/pieces.h"
#include "tests/forge/test.h"

TEST(what_there_is)
{
	assert_ptr_equal(asset_find("/page.css")->piece, &piece_css);
	assert_string_equal(asset_find("/page.css")->type, "text/css; charset=utf-8");
	assert_ptr_equal(asset_find("/page.js")->piece, &piece_js);
	assert_string_equal(asset_find("/page.js")->type, "text/javascript; charset=utf-8");
}

TEST(nothing_else)
{
	static const char *const paths[] = {
		"", "/", "page.css", "/page.css/", "/page.css.inc", "/../page.css", "/graph.html",
		"/PAGE.CSS",
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		assert_null(asset_find(paths[i]));
}
