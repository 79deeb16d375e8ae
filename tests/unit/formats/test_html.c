// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_html.c - the file that a browser shows without a server: all kinds of events are in it, no name is
 * markup, and its policy lets the program's own scripts run. That they do is tested by
 * tests/e2e/output/test_html.py.
 */
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "formats/html.h"
#include "page/pieces.h"
#include "tests/forge/test.h"

static struct buf out;

static const char *encoded(__u32 events, const char *name)
{
	const struct profile_info info = { .events = events, .period_ns = 10000000 };
	const struct profile_labels labels = { .pid = 1, .comm = name };
	_cleanup_profile_ struct profile *p = NULL;
	__u32 function, location;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, name, name, 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, 0, 0, &location), 0);
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (events & EVENT_BIT(kind))
			assert_int_equal(profile_sample(p, kind, &location, 1, &labels, 5), 0);
	buf_clear(&out);
	assert_int_equal(html_encode(p, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	return out.data;
}

TEST(every_kind)
{
	const char *a = encoded(EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_MEMORY), "f");

	assert_non_null(strstr(a, "id=\"data\">[{\"schema\":\"pyperf-bpf.graph/1\",\"event\":\"cpu\""));
	assert_non_null(strstr(a, ",{\"schema\":\"pyperf-bpf.graph/1\",\"event\":\"memory\""));
	assert_non_null(strstr(a, "<a href=\"?type=cpu\""));
	assert_non_null(strstr(a, "<a href=\"?type=memory\""));
	assert_null(strstr(encoded(EVENT_BIT(EVENT_CPU), "f"), "?type="));
}

/* Elements end where the program ends them. */
TEST(no_name_is_markup)
{
	const char *a = encoded(EVENT_BIT(EVENT_CPU), "</script><script>alert(1)//<!--");
	int ends = 0;

	assert_null(strstr(a, "<script>alert"));
	assert_non_null(strstr(a, "\\u003c/script>\\u003cscript>alert(1)//\\u003c!--"));
	for (const char *at = a; (at = strstr(at, "</script")); at++)
		ends++;
	assert_int_equal(ends, 2);
	assert_null(memmem(piece_js.data, piece_js.size, "</script", 8));
	assert_null(memmem(piece_js.data, piece_js.size, "<!--", 4));
}

TEST(policy)
{
	const char *a = encoded(EVENT_BIT(EVENT_CPU), "f");
	_cleanup_buf_ struct buf sum = {};

	assert_int_equal(buf_add_string(&sum, "script-src 'sha256-"), 0);
	assert_int_equal(buf_add_base64(&sum, piece_js_sum, sizeof(piece_js_sum)), 0);
	assert_int_equal(buf_add(&sum, "'\"", 3), 0);
	assert_non_null(strstr(a, sum.data));
	assert_non_null(strstr(a, "default-src 'none'"));
}

static int clean(void **state)
{
	(void)state;
	buf_free(&out);
	return 0;
}

AROUND_ALL(NULL, clean);
