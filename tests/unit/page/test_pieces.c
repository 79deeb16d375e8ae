// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pieces.c - the files of the page as they were built in.
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "page/pieces.h"
#include "tests/forge/test.h"

TEST(as_in_the_folder)
{
	static const struct {
		const char *path;
		const struct piece *piece;
	} rows[] = {
		{ "user/page/page.html", &piece_html },
		{ "user/page/graph.html", &piece_graph },
		{ "user/page/page.css", &piece_css },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_fclose_ FILE *f = fopen(rows[i].path, "re");
		char text[32 << 10];
		size_t n;

		if (!f) {
			print_message("SKIP: %s is not here: run this test in the source's folder\n",
				      rows[i].path);
			skip();
		}
		n = fread(text, 1, sizeof(text), f);
		assert_in_range(n, 100, sizeof(text) - 1);
		assert_int_equal(rows[i].piece->size, n);
		assert_memory_equal(rows[i].piece->data, text, n);
	}
}

/* All scripts are one file, in strict mode. */
TEST(scripts)
{
	static const char begin[] = "\"use strict\";\n";
	static const char *const parts[] = { "function dataRead(", "function treeNew(",
					     "async function load(" };

	assert_memory_equal(piece_js.data, begin, strlen(begin));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		assert_non_null(memmem(piece_js.data, piece_js.size, parts[i], strlen(parts[i])));
}
