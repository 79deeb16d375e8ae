// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_assets.c - the files of the page as they were built in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "http/assets.h"

static void as_in_the_folder(void **state)
{
	static const struct {
		const char *path, *type;
	} rows[] = {
		{ "page.html", "text/html; charset=utf-8" },
		{ "page.css", "text/css; charset=utf-8" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char path[64], text[32 << 10];
		const struct asset *a;
		size_t n;
		_cleanup_fclose_ FILE *f = NULL;

		snprintf(path, sizeof(path), "user/http/page/%s", rows[i].path);
		f = fopen(path, "re");
		if (!f) {
			print_message("SKIP: %s is not here: run this test in the source's folder\n", path);
			skip();
		}
		n = fread(text, 1, sizeof(text), f);
		assert_in_range(n, 100, sizeof(text) - 1);
		a = asset_find(path + strlen("user/http/page"));
		assert_non_null(a);
		assert_string_equal(a->type, rows[i].type);
		assert_int_equal(a->size, n);
		assert_memory_equal(a->data, text, n);
	}
}

/* All scripts are one file, in strict mode. */
static void scripts(void **state)
{
	static const char begin[] = "\"use strict\";\n";
	static const char *const parts[] = { "function dataRead(", "function treeNew(",
					     "async function load(" };
	const struct asset *a = asset_find("/page.js");

	(void)state;
	assert_non_null(a);
	assert_string_equal(a->type, "text/javascript; charset=utf-8");
	assert_memory_equal(a->data, begin, strlen(begin));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		assert_non_null(memmem(a->data, a->size, parts[i], strlen(parts[i])));
}

static void nothing_else(void **state)
{
	static const char *const paths[] = {
		"", "/", "page.html", "/page.html/", "/page.html.inc", "/../page.html", "/third-party.txt",
		"/PAGE.HTML",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		assert_null(asset_find(paths[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_in_the_folder),
		cmocka_unit_test(scripts),
		cmocka_unit_test(nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
